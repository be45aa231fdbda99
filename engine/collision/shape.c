// Everything that depends on the kind of shape and on one shape alone. Large polytopes find support
// points by climbing along edges from the last one found (a local maximum of a linear function over
// a convex polytope is a global one); small ones are scanned, which is faster than following
// indices.
#include "engine/collision/shape.h"

#include "engine/base/check.h"

/// Below this many vertices a scan beats a climb (measured with test/bench/bench_collide).
enum { SCAN_MAX = 12 };

static const int BOX_LOOPS[6][4] = {
    {1, 3, 7, 5}, {0, 4, 6, 2}, // +x, -x
    {2, 6, 7, 3}, {0, 1, 5, 4}, // +y, -y
    {4, 5, 7, 6}, {0, 2, 3, 1}, // +z, -z
};

gmc_status gmc_shape_table(const gmc_polytope *polytope, gmc_arena *arena, gmc_hull_table *table)
{
    const gmc_polytope *p = polytope;
    int loop_total = p->face_start[p->face_count];
    table->polytope = p;
    table->vertex_face_start = GMC_NEW(arena, p->vertex_count + 1, int);
    table->vertex_faces = GMC_NEW(arena, loop_total, int);
    if (!table->vertex_face_start || !table->vertex_faces) return GMC_E_ARENA_FULL;

    // count, add up, and fill backwards: afterwards start[v] is the first entry of v again
    int *start = table->vertex_face_start;
    for (int i = 0; i < loop_total; i++)
        start[p->face_vertices[i]]++;
    for (int v = 1; v <= p->vertex_count; v++)
        start[v] += start[v - 1];
    table->face_vertex_max = 0;
    for (int f = p->face_count - 1; f >= 0; f--) {
        int count = p->face_start[f + 1] - p->face_start[f];
        if (count > table->face_vertex_max) table->face_vertex_max = count;
        for (int i = p->face_start[f]; i < p->face_start[f + 1]; i++)
            table->vertex_faces[--start[p->face_vertices[i]]] = f;
    }

    gmc_vec3 lo = p->vertices[0], hi = lo;
    for (int v = 1; v < p->vertex_count; v++) {
        gmc_vec3 x = p->vertices[v];
        lo = (gmc_vec3){fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z)};
        hi = (gmc_vec3){fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z)};
    }
    table->centre = gmc_vec3_scale(0.5, gmc_vec3_add(lo, hi));
    table->half = gmc_vec3_scale(0.5, gmc_vec3_sub(hi, lo));
    return GMC_OK;
}

double gmc_shape_radius(const gmc_shape *shape)
{
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return shape->radius;
    case GMC_SHAPE_CAPSULE:
        return shape->radius + shape->half_length;
    case GMC_SHAPE_BOX:
        return gmc_vec3_norm(shape->half);
    case GMC_SHAPE_CYLINDER:
        return sqrt(shape->radius * shape->radius + shape->half_length * shape->half_length);
    case GMC_SHAPE_PLANE:
        return INFINITY;
    case GMC_SHAPE_POLYTOPE:
        return shape->scale * shape->polytope->radius;
    case GMC_SHAPE_POLYGON:
        return shape->scale * shape->polygon->radius;
    case GMC_SHAPE_CIRCLE:
        return shape->radius;
    case GMC_SHAPE_SUPER_ELLIPSE:
        // beyond an ellipse it bulges towards the corners of its box
        return shape->exponent <= 2 ? fmax(shape->half.x, shape->half.y)
                                    : gmc_vec2_norm((gmc_vec2){shape->half.x, shape->half.y});
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(shape->type < GMC_SHAPE_COUNT);
    return 0;
}

gmc_vec3 gmc_shape_centre(const gmc_shape *shape)
{
    if (shape->type == GMC_SHAPE_POLYGON)
        return (gmc_vec3){shape->scale * shape->polygon->centre.x,
                          shape->scale * shape->polygon->centre.y, 0};
    if (shape->type != GMC_SHAPE_POLYTOPE) return (gmc_vec3){0, 0, 0};
    return gmc_vec3_scale(shape->scale, shape->polytope->centre);
}

/// A half-space is bounded only along an axis that its normal follows exactly.
static gmc_aabb plane_bounds(const gmc_pose *X, double growth)
{
    gmc_aabb box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    gmc_vec3 n = gmc_mat3_column(&X->R, 2), p = X->p;
    if (n.x == 0 && n.y == 0) *(n.z > 0 ? &box.hi.z : &box.lo.z) = p.z + copysign(growth, n.z);
    if (n.y == 0 && n.z == 0) *(n.x > 0 ? &box.hi.x : &box.lo.x) = p.x + copysign(growth, n.x);
    if (n.z == 0 && n.x == 0) *(n.y > 0 ? &box.hi.y : &box.lo.y) = p.y + copysign(growth, n.y);
    return box;
}

/// A planar shape has no bounds across its plane: all of them meet there.
/// Polygons of more vertices are round enough for the box about their ball.
enum { BOUND_VERTICES_MAX = 8 };

static gmc_aabb planar_bounds(const gmc_shape *shape, const gmc_pose *X, double growth)
{
    double c = X->R.m[0], s = X->R.m[3], x = shape->radius, y = shape->radius;
    if (shape->type == GMC_SHAPE_POLYGON) {
        const gmc_polygon_piece *p = shape->polygon;
        if (p->count > BOUND_VERTICES_MAX) {
            gmc_vec2 at = gmc_vec2_scale(shape->scale, p->centre);
            double r = shape->scale * p->radius + growth;
            at = (gmc_vec2){X->p.x + (c * at.x - s * at.y), X->p.y + (s * at.x + c * at.y)};
            return (gmc_aabb){{at.x - r, at.y - r, -INFINITY}, {at.x + r, at.y + r, INFINITY}};
        }
        gmc_vec2 lo = {INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY};
        for (int i = 0; i < p->count; i++) {
            gmc_vec2 v = gmc_vec2_scale(shape->scale, p->vertices[i]);
            v = (gmc_vec2){c * v.x - s * v.y, s * v.x + c * v.y};
            if (v.x < lo.x) lo.x = v.x;
            if (v.y < lo.y) lo.y = v.y;
            if (v.x > hi.x) hi.x = v.x;
            if (v.y > hi.y) hi.y = v.y;
        }
        return (gmc_aabb){{X->p.x + lo.x - growth, X->p.y + lo.y - growth, -INFINITY},
                          {X->p.x + hi.x + growth, X->p.y + hi.y + growth, INFINITY}};
    }
    if (shape->type == GMC_SHAPE_SUPER_ELLIPSE) {
        x = fabs(c) * shape->half.x + fabs(s) * shape->half.y;
        y = fabs(s) * shape->half.x + fabs(c) * shape->half.y;
    }
    x += growth;
    y += growth;
    return (gmc_aabb){{X->p.x - x, X->p.y - y, -INFINITY}, {X->p.x + x, X->p.y + y, INFINITY}};
}

void gmc_shape_bound(const gmc_shape *shape, const gmc_hull_table *table, const gmc_pose *X,
                     double growth, gmc_aabb *box)
{
    double r = shape->radius, l = shape->half_length;
    gmc_vec3 axis = gmc_mat3_column(&X->R, 2), half = {0, 0, 0}, centre = X->p;
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        half = (gmc_vec3){r, r, r};
        break;
    case GMC_SHAPE_CAPSULE:
        half = (gmc_vec3){r + l * fabs(axis.x), r + l * fabs(axis.y), r + l * fabs(axis.z)};
        break;
    case GMC_SHAPE_CYLINDER:
        half = (gmc_vec3){r * sqrt(fmax(0, 1 - axis.x * axis.x)) + l * fabs(axis.x),
                          r * sqrt(fmax(0, 1 - axis.y * axis.y)) + l * fabs(axis.y),
                          r * sqrt(fmax(0, 1 - axis.z * axis.z)) + l * fabs(axis.z)};
        break;
    case GMC_SHAPE_BOX:
        half = gmc_mat3_reach(&X->R, shape->half);
        break;
    case GMC_SHAPE_PLANE:
        *box = plane_bounds(X, growth);
        return;
    case GMC_SHAPE_POLYTOPE:
        centre = gmc_pose_apply(X, gmc_vec3_scale(shape->scale, table->centre));
        half = gmc_mat3_reach(&X->R, gmc_vec3_scale(shape->scale, table->half));
        break;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
        *box = planar_bounds(shape, X, growth);
        return;
    case GMC_SHAPE_COUNT:
        break;
    }
    half = gmc_vec3_add(half, (gmc_vec3){growth, growth, growth});
    box->lo = gmc_vec3_sub(centre, half);
    box->hi = gmc_vec3_add(centre, half);
}

/// Vertex of a polytope farthest along d, geom frame.
static int hull_support(const gmc_polytope *p, gmc_vec3 d, int hint)
{
    if (p->vertex_count <= SCAN_MAX) {
        int best = 0;
        double far = gmc_vec3_dot(d, p->vertices[0]);
        for (int v = 1; v < p->vertex_count; v++) {
            double x = gmc_vec3_dot(d, p->vertices[v]);
            if (x > far) far = x, best = v;
        }
        return best;
    }
    int best = hint >= 0 && hint < p->vertex_count ? hint : 0, from = -1;
    double far = gmc_vec3_dot(d, p->vertices[best]);
    while (best != from) {
        from = best;
        for (int i = p->neighbour_start[from]; i < p->neighbour_start[from + 1]; i++) {
            double x = gmc_vec3_dot(d, p->vertices[p->neighbours[i]]);
            if (x > far) far = x, best = p->neighbours[i];
        }
    }
    return best;
}

int gmc_shape_support_vertex(const gmc_solid *solid, gmc_vec3 dir, int hint)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(&solid->X.R, dir);
    if (solid->shape->type == GMC_SHAPE_BOX)
        return (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
    GMC_ASSERT(solid->shape->type == GMC_SHAPE_POLYTOPE);
    return hull_support(solid->shape->polytope, d, hint);
}

gmc_vec3 gmc_shape_support(const gmc_solid *solid, gmc_vec3 dir, int *hint)
{
    const gmc_shape *s = solid->shape;
    const gmc_pose *X = &solid->X;
    gmc_vec3 axis = gmc_mat3_column(&X->R, 2);
    switch (s->type) {
    case GMC_SHAPE_SPHERE:
        return gmc_vec3_add_scaled(X->p, s->radius, gmc_vec3_unit(dir));
    case GMC_SHAPE_CAPSULE: {
        gmc_vec3 end = gmc_vec3_add_scaled(
            X->p, gmc_vec3_dot(axis, dir) > 0 ? s->half_length : -s->half_length, axis);
        return gmc_vec3_add_scaled(end, s->radius, gmc_vec3_unit(dir));
    }
    case GMC_SHAPE_CYLINDER: {
        // in its own frame, where the rim is exact also for directions along the axis
        gmc_vec3 d = gmc_mat3_apply_transposed(&X->R, dir);
        double rho = sqrt(d.x * d.x + d.y * d.y), out = rho > 0 ? s->radius / rho : 0;
        gmc_vec3 x = {out * d.x, out * d.y, d.z > 0 ? s->half_length : -s->half_length};
        return gmc_pose_apply(X, x);
    }
    case GMC_SHAPE_BOX:
    case GMC_SHAPE_POLYTOPE: {
        int vertex = gmc_shape_support_vertex(solid, dir, hint ? *hint : 0);
        if (hint) *hint = vertex;
        return gmc_shape_vertex(solid, vertex);
    }
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(s->type < GMC_SHAPE_PLANE || s->type == GMC_SHAPE_POLYTOPE);
    return X->p;
}

/// Of a super-ellipse that of its box.
static double planar_reach(const gmc_shape *shape, gmc_vec2 d)
{
    if (shape->type == GMC_SHAPE_SUPER_ELLIPSE)
        return shape->half.x * fabs(d.x) + shape->half.y * fabs(d.y);
    const gmc_polygon_piece *p = shape->polygon;
    double far = gmc_vec2_dot(d, p->vertices[0]);
    for (int i = 1; i < p->count; i++) {
        double x = gmc_vec2_dot(d, p->vertices[i]);
        if (x > far) far = x;
    }
    return shape->scale * far;
}

double gmc_shape_reach(const gmc_shape *shape, const gmc_mat3 *R, gmc_vec3 dir, int *hint)
{
    double along = gmc_vec3_dot(gmc_mat3_column(R, 2), dir);
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return shape->radius;
    case GMC_SHAPE_CAPSULE:
        return shape->radius + shape->half_length * fabs(along);
    case GMC_SHAPE_CYLINDER: {
        double across2 = 1 - along * along;
        return shape->half_length * fabs(along) + shape->radius * sqrt(across2 > 0 ? across2 : 0);
    }
    case GMC_SHAPE_BOX: {
        gmc_vec3 d = gmc_mat3_apply_transposed(R, dir), h = shape->half;
        return fabs(d.x) * h.x + fabs(d.y) * h.y + fabs(d.z) * h.z;
    }
    case GMC_SHAPE_POLYTOPE: {
        gmc_vec3 d = gmc_mat3_apply_transposed(R, dir);
        *hint = hull_support(shape->polytope, d, *hint);
        return shape->scale * gmc_vec3_dot(d, shape->polytope->vertices[*hint]);
    }
    case GMC_SHAPE_CIRCLE:
        return shape->radius;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_SUPER_ELLIPSE: {
        gmc_vec3 d = gmc_mat3_apply_transposed(R, dir);
        return planar_reach(shape, (gmc_vec2){d.x, d.y});
    }
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(shape->type != GMC_SHAPE_PLANE && shape->type < GMC_SHAPE_COUNT);
    return INFINITY;
}

int gmc_shape_face_count(const gmc_solid *solid)
{
    return solid->shape->type == GMC_SHAPE_BOX ? 6 : solid->shape->polytope->face_count;
}

gmc_vec3 gmc_shape_vertex(const gmc_solid *solid, int vertex)
{
    const gmc_shape *s = solid->shape;
    gmc_vec3 h = s->half;
    gmc_vec3 x =
        s->type == GMC_SHAPE_BOX
            ? (gmc_vec3){vertex & 1 ? h.x : -h.x, vertex & 2 ? h.y : -h.y, vertex & 4 ? h.z : -h.z}
            : gmc_vec3_scale(s->scale, s->polytope->vertices[vertex]);
    return gmc_pose_apply(&solid->X, x);
}

gmc_vec3 gmc_shape_face_normal(const gmc_solid *solid, int face)
{
    if (solid->shape->type == GMC_SHAPE_BOX) {
        gmc_vec3 axis = gmc_mat3_column(&solid->X.R, face >> 1);
        return face & 1 ? gmc_vec3_neg(axis) : axis;
    }
    return gmc_mat3_apply(&solid->X.R, solid->shape->polytope->face_normals[face]);
}

double gmc_shape_face_offset(const gmc_solid *solid, int face, gmc_vec3 normal)
{
    const gmc_shape *s = solid->shape;
    double own = s->type == GMC_SHAPE_BOX ? gmc_vec3_get(s->half, face >> 1)
                                          : s->scale * s->polytope->face_offsets[face];
    return own + gmc_vec3_dot(normal, solid->X.p);
}

const int *gmc_shape_face_loop(const gmc_solid *solid, int face, int *count)
{
    if (solid->shape->type == GMC_SHAPE_BOX) {
        *count = 4;
        return BOX_LOOPS[face];
    }
    const gmc_polytope *p = solid->shape->polytope;
    *count = p->face_start[face + 1] - p->face_start[face];
    return p->face_vertices + p->face_start[face];
}

int gmc_shape_face_towards(const gmc_solid *solid, int vertex, gmc_vec3 dir)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(&solid->X.R, dir);
    if (solid->shape->type == GMC_SHAPE_BOX) {
        // of the three faces at the vertex
        double c[3] = {vertex & 1 ? d.x : -d.x, vertex & 2 ? d.y : -d.y, vertex & 4 ? d.z : -d.z};
        int axis = c[1] > c[0] ? 1 : 0;
        if (c[2] > c[axis]) axis = 2;
        return 2 * axis + (vertex & (1 << axis) ? 0 : 1);
    }
    const gmc_hull_table *t = solid->table;
    int best = t->vertex_faces[t->vertex_face_start[vertex]];
    double far = gmc_vec3_dot(d, t->polytope->face_normals[best]);
    for (int i = t->vertex_face_start[vertex] + 1; i < t->vertex_face_start[vertex + 1]; i++) {
        double x = gmc_vec3_dot(d, t->polytope->face_normals[t->vertex_faces[i]]);
        if (x > far) far = x, best = t->vertex_faces[i];
    }
    return best;
}

int gmc_shape_edge_id(const gmc_solid *solid, int from, int to)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    if (solid->shape->type == GMC_SHAPE_CAPSULE || solid->shape->type == GMC_SHAPE_CYLINDER)
        return 0;
    if (solid->shape->type == GMC_SHAPE_BOX) {
        int differ = low ^ high;
        return differ == 1 ? low : differ == 2 ? 8 + low : differ == 4 ? 16 + low : -1;
    }
    const gmc_polytope *p = solid->shape->polytope;
    for (int i = p->neighbour_start[low]; i < p->neighbour_start[low + 1]; i++)
        if (p->neighbours[i] == high) return i;
    return -1;
}
