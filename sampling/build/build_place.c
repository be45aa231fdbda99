// Where things start. `placed: resting` shifts an item along z until it touches what is below it:
// the plane of the face through which the vertical line of its origin leaves a fixed body. A convex
// body lies on one side of that plane, so nothing placed like this overlaps the body it rests on;
// on a flat top or a slope it touches it exactly.
//
// Steeper faces than STEEP hold nothing: there the item goes above the whole body.
//
// Rejected: resting on the supports' bounding boxes, which leaves things hanging over slopes and
// over the corners of turned boxes.
#include "sampling/build/build_internal.h"

#include <math.h>

/// Cosine of the slope beyond which a face is no place to rest: 60 degrees.
static const double STEEP = 0.5;

/// The plane n · x = offset, n up.
typedef struct support {
    gmc_vec3 n; ///< unit, n.z > 0
    double offset;
} support;

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

/// A line p + s d in a shape's frame, and where it leaves the shape so far.
typedef struct crossing {
    gmc_vec3 p, d;
    double enters, leaves; ///< values of s
    gmc_vec3 n;            ///< outer normal where it leaves
} crossing;

// Cut the line with the half space n · x <= offset.
static void cut_by_plane(crossing *line, gmc_vec3 n, double offset)
{
    double rate = gmc_vec3_dot(n, line->d), gap = offset - gmc_vec3_dot(n, line->p);
    if (rate > 0 && gap / rate < line->leaves) {
        line->leaves = gap / rate;
        line->n = n;
    } else if (rate < 0) {
        line->enters = fmax(line->enters, gap / rate);
    } else if (rate == 0 && gap < 0) {
        line->leaves = -INFINITY;
    }
}

// Cut the line with the points nearer than radius to the segment of +-half_length on z (0: a ball)
// or, if is_endless, to the whole z axis.
static void cut_by_round(crossing *line, double radius, double z, bool is_endless)
{
    gmc_vec3 p = line->p, d = line->d;
    p.z = is_endless ? 0 : p.z - z;
    d.z = is_endless ? 0 : d.z;
    double a = gmc_vec3_dot(d, d), b = gmc_vec3_dot(p, d);
    double c = gmc_vec3_dot(p, p) - radius * radius, root = b * b - a * c;
    if (a < 1e-24 ? c > 0 : root < 0) {
        line->leaves = -INFINITY;
        return;
    }
    if (a < 1e-24) return; // along the axis, inside
    double leaves = (-b + sqrt(root)) / a;
    line->enters = fmax(line->enters, (-b - sqrt(root)) / a);
    if (leaves >= line->leaves) return;
    line->leaves = leaves;
    line->n = gmc_vec3_unit(gmc_vec3_add_scaled(p, leaves, d));
}

static void cut_by_box(crossing *line, gmc_vec3 half)
{
    const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double sizes[3] = {half.x, half.y, half.z};
    for (int i = 0; i < 3; i++) {
        cut_by_plane(line, axes[i], sizes[i]);
        cut_by_plane(line, gmc_vec3_neg(axes[i]), sizes[i]);
    }
}

// A capsule is as high as the highest of its cylinder and its two balls.
static void cut_by_capsule(crossing *line, const gmc_shape *shape)
{
    const gmc_vec3 up = {0, 0, 1};
    crossing parts[3] = {*line, *line, *line}, best = *line;
    cut_by_round(&parts[0], shape->radius, 0, true);
    cut_by_plane(&parts[0], up, shape->half_length);
    cut_by_plane(&parts[0], gmc_vec3_neg(up), shape->half_length);
    cut_by_round(&parts[1], shape->radius, shape->half_length, false);
    cut_by_round(&parts[2], shape->radius, -shape->half_length, false);
    best.leaves = -INFINITY;
    for (int i = 0; i < 3; i++)
        if (parts[i].enters <= parts[i].leaves && parts[i].leaves > best.leaves) best = parts[i];
    *line = best;
}

static void cut_by_shape(crossing *line, const gmc_shape *shape)
{
    const gmc_vec3 up = {0, 0, 1};
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        cut_by_round(line, shape->radius, 0, false);
        break;
    case GMC_SHAPE_CAPSULE:
        cut_by_capsule(line, shape);
        break;
    case GMC_SHAPE_BOX:
        cut_by_box(line, shape->half);
        break;
    case GMC_SHAPE_CYLINDER:
        cut_by_round(line, shape->radius, 0, true);
        cut_by_plane(line, up, shape->half_length);
        cut_by_plane(line, gmc_vec3_neg(up), shape->half_length);
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int i = 0; i < shape->polytope->face_count; i++)
            cut_by_plane(line, shape->polytope->face_normals[i],
                         shape->scale * shape->polytope->face_offsets[i]);
        break;
    case GMC_SHAPE_PLANE:
        cut_by_plane(line, up, 0);
        break;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
}

// The face of a geom through which the vertical line of a point leaves it; false if it misses.
static bool top_face(const gmc_model *model, const gmc_pose *X_wb, int geom, gmc_vec3 point,
                     support *top)
{
    gmc_pose X = gmc_pose_multiply(X_wb, &model->geoms[geom].X_bg);
    crossing line = {.p = gmc_pose_apply_inverse(&X, point),
                     .d = gmc_mat3_apply_transposed(&X.R, (gmc_vec3){0, 0, 1}),
                     .enters = -INFINITY,
                     .leaves = INFINITY};
    cut_by_shape(&line, &model->geoms[geom].shape);
    if (!(line.enters <= line.leaves) || isinf(line.leaves)) return false;
    gmc_vec3 on_top = {point.x, point.y, point.z + line.leaves};
    top->n = gmc_mat3_apply(&X.R, line.n);
    top->offset = gmc_vec3_dot(top->n, on_top);
    if (top->n.z >= STEEP) return true;
    double reach = gmc_build_reach(&model->geoms[geom].shape, line.d);
    *top = (support){.n = {0, 0, 1}, .offset = X.p.z + reach};
    return isfinite(reach);
}

// How far up the item must go until it lies above the support.
static double shift_onto(const gmc_model *model, const gmc_build_item *item, const gmc_pose *X_wb,
                         const support *top)
{
    double lowest = INFINITY;
    for (int g = item->geom; g < item->geom + item->geom_count; g++) {
        gmc_pose X = gmc_pose_multiply(X_wb, &model->geoms[g].X_bg);
        gmc_vec3 down = gmc_mat3_apply_transposed(&X.R, gmc_vec3_neg(top->n));
        double reach = gmc_build_reach(&model->geoms[g].shape, down);
        lowest = fmin(lowest, gmc_vec3_dot(X.p, top->n) - reach);
    }
    return (top->offset - lowest) / top->n.z;
}

gmc_pose gmc_build_place(const gmc_build *build, const gmc_model *model, const gmc_build_item *item,
                         const double *values)
{
    gmc_pose X = gmc_build_pose(values, &item->spec->pose);
    if (!item->spec->placed_resting) return X;
    const support floor = {.n = {0, 0, 1}, .offset = 0};
    support top;
    double shift = -INFINITY;
    for (int i = 0; i < build->scenario->scene_count; i++) {
        const gmc_build_item *below = &build->scene[i];
        const gmc_pose *X_wb = &model->bodies[below->body].X_pj;
        for (int g = below->geom; !below->is_free && g < below->geom + below->geom_count; g++)
            if (top_face(model, X_wb, g, X.p, &top))
                shift = fmax(shift, shift_onto(model, item, &X, &top));
    }
    X.p.z += isfinite(shift) ? shift : shift_onto(model, item, &X, &floor);
    return X;
}
