#include "test/support/solids.h"

#include "engine/collision/manifold.h"
#include "engine/model/hull.h"

#include <string.h>

static gmc_polytope *hull_of(const gmc_vec3 *points, int count)
{
    gmc_diagnostics report = {0};
    gmc_polytope *hull = NULL;
    gmc_status status =
        gmc_hull_create(points, count, "test points", (gmc_source){0}, &report, &hull);
    gmc_diagnostics_free(&report);
    return status == GMC_OK ? hull : NULL;
}

gmc_polytope *support_prism(int sides)
{
    gmc_vec3 p[2 * SUPPORT_PRISM_SIDES_MAX];
    for (int i = 0; i < sides; i++) {
        double phi = 2 * GMC_PI * i / sides;
        p[2 * i] = (gmc_vec3){gmc_cos(phi), gmc_sin(phi), -1};
        p[2 * i + 1] = (gmc_vec3){gmc_cos(phi), gmc_sin(phi), 1};
    }
    return hull_of(p, 2 * sides);
}

int support_hulls_create(support_hulls *hulls)
{
    gmc_vec3 p[100];
    for (int i = 0; i < 8; i++)
        p[i] = (gmc_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    hulls->cube = hull_of(p, 8);
    hulls->prism = support_prism(6);
    hulls->can = support_prism(48);
    double g = 0.5 * (1 + sqrt(5.0)), s = 1 / sqrt(1 + g * g);
    for (int i = 0; i < 4; i++) {
        double a = i & 1 ? s : -s, b = i & 2 ? g * s : -g * s;
        p[i] = (gmc_vec3){0, a, b};
        p[4 + i] = (gmc_vec3){a, b, 0};
        p[8 + i] = (gmc_vec3){b, 0, a};
    }
    hulls->icosahedron = hull_of(p, 12);
    support_random random = {7};
    for (int i = 0; i < 100; i++)
        p[i] = support_direction(&random);
    hulls->cloud = hull_of(p, 100);
    return hulls->cube && hulls->prism && hulls->can && hulls->icosahedron && hulls->cloud;
}

void support_hulls_free(support_hulls *hulls)
{
    gmc_hull_free(hulls->cube);
    gmc_hull_free(hulls->prism);
    gmc_hull_free(hulls->can);
    gmc_hull_free(hulls->icosahedron);
    gmc_hull_free(hulls->cloud);
}

gmc_shape support_sphere(double radius)
{
    return (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = radius};
}

gmc_shape support_capsule(double radius, double half_length)
{
    return (gmc_shape){.type = GMC_SHAPE_CAPSULE, .radius = radius, .half_length = half_length};
}

gmc_shape support_box(double x, double y, double z)
{
    return (gmc_shape){.type = GMC_SHAPE_BOX, .half = {x, y, z}};
}

gmc_shape support_cylinder(double radius, double half_length)
{
    return (gmc_shape){.type = GMC_SHAPE_CYLINDER, .radius = radius, .half_length = half_length};
}

gmc_shape support_plane(void) { return (gmc_shape){.type = GMC_SHAPE_PLANE}; }

gmc_shape support_polytope(const gmc_polytope *polytope, double scale)
{
    return (gmc_shape){.type = GMC_SHAPE_POLYTOPE, .polytope = polytope, .scale = scale};
}

gmc_shape support_shape(support_random *random, gmc_shape_type type, const support_hulls *hulls)
{
    double a = support_uniform(random, 0.005, 0.05), b = support_uniform(random, 0.005, 0.05),
           c = support_uniform(random, 0.005, 0.05);
    const gmc_polytope *all[] = {hulls->cube, hulls->prism, hulls->icosahedron, hulls->cloud,
                                 hulls->can};
    switch (type) {
    case GMC_SHAPE_SPHERE:
        return support_sphere(a);
    case GMC_SHAPE_CAPSULE:
        return support_capsule(a, b);
    case GMC_SHAPE_BOX:
        return support_box(a, b, c);
    case GMC_SHAPE_CYLINDER:
        return support_cylinder(a, b);
    case GMC_SHAPE_PLANE:
        return support_plane();
    case GMC_SHAPE_POLYTOPE:
        return support_polytope(all[support_index(random, 5)], a);
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return support_sphere(a);
}

double support_outside(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 p)
{
    gmc_vec3 x = gmc_pose_apply_inverse(X, p);
    double rho = sqrt(x.x * x.x + x.y * x.y), h = shape->half_length, worst = -1e300;
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return gmc_vec3_norm(x) - shape->radius;
    case GMC_SHAPE_CAPSULE:
        x.z -= fmax(-h, fmin(h, x.z));
        return gmc_vec3_norm(x) - shape->radius;
    case GMC_SHAPE_BOX:
        return fmax(fabs(x.x) - shape->half.x,
                    fmax(fabs(x.y) - shape->half.y, fabs(x.z) - shape->half.z));
    case GMC_SHAPE_CYLINDER:
        return fmax(rho - shape->radius, fabs(x.z) - h);
    case GMC_SHAPE_PLANE:
        return x.z;
    case GMC_SHAPE_POLYTOPE:
        for (int f = 0; f < shape->polytope->face_count; f++)
            worst = fmax(worst, gmc_vec3_dot(shape->polytope->face_normals[f], x) -
                                    shape->scale * shape->polytope->face_offsets[f]);
        return worst;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return worst;
}

gmc_vec3 support_farthest(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 dir)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(&X->R, dir), x = {0, 0, 0};
    double h = shape->half_length, rho = sqrt(d.x * d.x + d.y * d.y), far = -1e300;
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        x = gmc_vec3_scale(shape->radius, gmc_vec3_unit(d));
        break;
    case GMC_SHAPE_CAPSULE:
        x = gmc_vec3_scale(shape->radius, gmc_vec3_unit(d));
        x.z += d.z > 0 ? h : -h;
        break;
    case GMC_SHAPE_BOX:
        x = (gmc_vec3){copysign(shape->half.x, d.x), copysign(shape->half.y, d.y),
                       copysign(shape->half.z, d.z)};
        break;
    case GMC_SHAPE_CYLINDER:
        if (rho > 0) x = (gmc_vec3){shape->radius * d.x / rho, shape->radius * d.y / rho, 0};
        x.z = d.z > 0 ? h : -h;
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int v = 0; v < shape->polytope->vertex_count; v++) {
            gmc_vec3 y = gmc_vec3_scale(shape->scale, shape->polytope->vertices[v]);
            if (gmc_vec3_dot(y, d) > far) far = gmc_vec3_dot(y, d), x = y;
        }
        break;
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return gmc_pose_apply(X, x);
}

static double extent(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 n)
{
    if (shape->type != GMC_SHAPE_PLANE) return gmc_vec3_dot(n, support_farthest(shape, X, n));
    gmc_vec3 up = gmc_mat3_column(&X->R, 2);
    if (gmc_vec3_norm(gmc_vec3_sub(up, n)) > 1e-9) return 1e300;
    return gmc_vec3_dot(n, X->p);
}

double support_separation(const gmc_shape *a, const gmc_pose *X_a, const gmc_shape *b,
                          const gmc_pose *X_b, gmc_vec3 n)
{
    return -extent(b, X_b, gmc_vec3_neg(n)) - extent(a, X_a, n);
}

void support_geoms_clear(support_geoms *geoms)
{
    memset(geoms, 0, sizeof *geoms);
    geoms->bodies[0] = (gmc_body){.parent = -1, .joint = GMC_JOINT_FIXED};
    geoms->X_wb[0] = gmc_pose_identity();
    geoms->model.bodies = geoms->bodies;
    geoms->model.geoms = geoms->geoms;
    geoms->model.body_count = 1;
}

void support_geoms_place(support_geoms *geoms, int i, gmc_pose X)
{
    if (geoms->geoms[i].body == 0)
        geoms->geoms[i].X_bg = X;
    else
        geoms->X_wb[geoms->geoms[i].body] = X;
}

void support_geoms_add(support_geoms *geoms, gmc_shape shape, gmc_pose X)
{
    int i = geoms->model.geom_count++, body = 0;
    if (shape.type != GMC_SHAPE_PLANE) {
        body = geoms->model.body_count++;
        geoms->bodies[body] = (gmc_body){.joint = GMC_JOINT_FREE};
    }
    geoms->geoms[i] = (gmc_geom){.body = body,
                                 .frame = -1,
                                 .X_bg = gmc_pose_identity(),
                                 .shape = shape,
                                 .category = 1,
                                 .mask = 1};
    support_geoms_place(geoms, i, X);
}

int support_pair_open(support_pair *query, gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b,
                      double margin, gmc_arena *arena)
{
    static gmc_shape shapes[2]; // a query borrows its shapes
    int polygon_max = 4, vertex_max = 8;
    *query = (support_pair){0};
    shapes[0] = a;
    shapes[1] = b;
    for (int k = 0; k < 2; k++) {
        if (shapes[k].type != GMC_SHAPE_POLYTOPE) continue;
        if (gmc_shape_table(shapes[k].polytope, arena, &query->tables[k]) != GMC_OK) return 0;
        int faces = query->tables[k].face_vertex_max, vertices = shapes[k].polytope->vertex_count;
        polygon_max = faces > polygon_max ? faces : polygon_max;
        vertex_max = vertices > vertex_max ? vertices : vertex_max;
    }
    query->pair.a = (gmc_solid){.shape = &shapes[0], .table = &query->tables[0], .X = X_a};
    query->pair.b = (gmc_solid){.shape = &shapes[1], .table = &query->tables[1], .X = X_b};
    query->pair.margin = margin;
    query->pair.size = fmin(gmc_shape_radius(&a), gmc_shape_radius(&b));
    query->pair.cache = &query->cache;
    query->pair.work = &query->work;
    query->pair.counts = &query->counts;
    return gmc_manifold_work(polygon_max, vertex_max, arena, &query->work) == GMC_OK;
}
