// What numbers make of one item, when it is compiled and in every trial: pose, shape, mass.
#include "engine/model/inertia.h"
#include "sampling/build/build_internal.h"

#include <math.h>

const char *gmc_build_name(const gmc_model *model, const gmc_geom *geom)
{
    return geom->frame >= 0 ? model->frames[geom->frame].name : model->bodies[geom->body].name;
}

gmc_pose gmc_build_pose(const double *values, const gmc_pose_spec *spec)
{
    gmc_quat q = gmc_quat_from_rpy(gmc_build_value(values, spec->roll, 0),
                                   gmc_build_value(values, spec->pitch, 0),
                                   gmc_build_value(values, spec->yaw, 0));
    return gmc_pose_make(q, (gmc_vec3){gmc_build_value(values, spec->x, 0),
                                       gmc_build_value(values, spec->y, 0),
                                       gmc_build_value(values, spec->z, 0)});
}

double gmc_build_reach(const gmc_shape *shape, gmc_vec3 d)
{
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return shape->radius;
    case GMC_SHAPE_CAPSULE:
        return shape->radius + shape->half_length * fabs(d.z);
    case GMC_SHAPE_BOX:
        return shape->half.x * fabs(d.x) + shape->half.y * fabs(d.y) + shape->half.z * fabs(d.z);
    case GMC_SHAPE_CYLINDER:
        return shape->half_length * fabs(d.z) + shape->radius * sqrt(d.x * d.x + d.y * d.y);
    case GMC_SHAPE_POLYTOPE: {
        double most = -INFINITY;
        for (int i = 0; i < shape->polytope->vertex_count; i++)
            most = fmax(most, gmc_vec3_dot(shape->polytope->vertices[i], d));
        return shape->scale * most;
    }
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return INFINITY;
}

/// A piece with room for its corners.
typedef struct rectangle {
    gmc_polygon_piece piece;
    gmc_vec2 vertices[4], normals[4];
    bool is_inner[4];
    gmc_polygon_corner corners[4];
    gmc_polygon_cone cones[4];
} rectangle;

gmc_status gmc_build_rectangle(double half_x, double half_y, gmc_arena *arena, gmc_shape *shape)
{
    static const gmc_vec2 SIGNS[4] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const gmc_vec2 NORMALS[4] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    rectangle *made = GMC_NEW(arena, 1, rectangle);
    if (!made) return GMC_E_ARENA_FULL;
    for (int i = 0; i < 4; i++) {
        made->vertices[i] = (gmc_vec2){SIGNS[i].x * half_x, SIGNS[i].y * half_y};
        made->normals[i] = NORMALS[i];
        made->corners[i] = GMC_POLYGON_CONVEX;
        made->cones[i] = (gmc_polygon_cone){NORMALS[(i + 3) % 4], NORMALS[i]};
    }
    made->piece = (gmc_polygon_piece){.count = 4,
                                      .vertices = made->vertices,
                                      .normals = made->normals,
                                      .is_inner = made->is_inner,
                                      .corners = made->corners,
                                      .cones = made->cones,
                                      .radius = sqrt(half_x * half_x + half_y * half_y)};
    *shape = gmc_polygon_shape(&made->piece, GMC_BUILD_THICKNESS);
    return GMC_OK;
}

void gmc_build_sizes(const gmc_item_spec *spec, const double *values, gmc_shape *shape)
{
    double s0 = gmc_build_value(values, spec->size[0], 0);
    double s1 = gmc_build_value(values, spec->size[1], 0);
    double s2 = gmc_build_value(values, spec->size[2], 0);
    double thickness = gmc_build_value(values, spec->thickness, GMC_BUILD_THICKNESS);
    switch (spec->kind) {
    case GMC_KIND_BOX:
        shape->half = (gmc_vec3){s0 / 2, s1 / 2, s2 / 2};
        break;
    case GMC_KIND_SPHERE:
        shape->radius = s0;
        break;
    case GMC_KIND_CAPSULE:
    case GMC_KIND_CYLINDER:
        shape->radius = s0;
        shape->half_length = s1 / 2;
        break;
    case GMC_KIND_MESH:
        shape->scale = gmc_build_value(values, spec->scale, 1);
        break;
    case GMC_KIND_CIRCLE:
        shape->radius = s0;
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_SUPER_ELLIPSE:
        shape->half = (gmc_vec3){s0, s1, 0};
        shape->exponent = s2;
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_POLYGON:
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_PLANE:
    case GMC_KIND_NONE:
        break;
    }
}

static gmc_shape_type shape_type(gmc_shape_kind kind)
{
    switch (kind) {
    case GMC_KIND_BOX:
        return GMC_SHAPE_BOX;
    case GMC_KIND_SPHERE:
        return GMC_SHAPE_SPHERE;
    case GMC_KIND_CAPSULE:
        return GMC_SHAPE_CAPSULE;
    case GMC_KIND_CYLINDER:
        return GMC_SHAPE_CYLINDER;
    case GMC_KIND_PLANE:
        return GMC_SHAPE_PLANE;
    case GMC_KIND_MESH:
        return GMC_SHAPE_POLYTOPE;
    case GMC_KIND_CIRCLE:
        return GMC_SHAPE_CIRCLE;
    case GMC_KIND_SUPER_ELLIPSE:
        return GMC_SHAPE_SUPER_ELLIPSE;
    case GMC_KIND_POLYGON:
        return GMC_SHAPE_POLYGON;
    case GMC_KIND_NONE:
        break;
    }
    return GMC_SHAPE_COUNT;
}

gmc_shape gmc_build_solid(const gmc_item_spec *spec, const double *values)
{
    gmc_shape shape = {.type = shape_type(spec->kind), .scale = 1};
    gmc_build_sizes(spec, values, &shape);
    return shape;
}

// Mass properties at density 1: of the shape, or of the mesh or polygon as compiled, scaled.
gmc_inertia gmc_build_unit_inertia(const gmc_build_item *item, const gmc_inertia *of_trial,
                                   const double *values)
{
    gmc_shape shape = gmc_build_solid(item->spec, values);
    gmc_inertia unit = of_trial ? *of_trial : item->unit;
    if (item->spec->kind == GMC_KIND_POLYGON) {
        // across the plane a layer of thickness t has t^2/12 per mass, where the unit has 1/12
        double t = 2 * shape.half_length, across = (t * t - 1) / 12 * unit.mass;
        unit.I.m[0] += across;
        unit.I.m[4] += across;
        for (int i = 0; i < 9; i++)
            unit.I.m[i] *= t;
        unit.mass *= t;
        return unit;
    }
    if (item->spec->kind != GMC_KIND_MESH) return gmc_inertia_of_shape(&shape, 1);
    double s = shape.scale, s3 = s * s * s;
    unit.mass *= s3;
    unit.com = gmc_vec3_scale(s, unit.com);
    for (int i = 0; i < 9; i++)
        unit.I.m[i] *= s3 * s * s;
    return unit;
}

gmc_inertia gmc_build_inertia(const gmc_build_item *item, const gmc_inertia *unit,
                              const double *values)
{
    const gmc_item_spec *spec = item->spec;
    gmc_inertia inertia = gmc_build_unit_inertia(item, unit, values);
    double density = spec->mass >= 0 ? values[spec->mass] / inertia.mass
                                     : gmc_build_value(values, spec->density, 0);
    inertia.mass *= density;
    for (int i = 0; i < 9; i++)
        inertia.I.m[i] *= density;
    if (spec->com[0] >= 0)
        inertia.com = (gmc_vec3){values[spec->com[0]], values[spec->com[1]], values[spec->com[2]]};
    if (spec->inertia[0] >= 0) {
        double t[6];
        for (int i = 0; i < 6; i++)
            t[i] = values[spec->inertia[i]];
        inertia.I = (gmc_mat3){{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
    }
    return inertia;
}
