// A plane is always b, and the caller's order is restored at the end. Points of round shapes are
// exact at any gap. Where a shape rests with more than one point, all of them share the normal.
#include "engine/collision/primitive.h"

#include "engine/base/check.h"
#include "engine/collision/cylinder.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"
#include "engine/collision/point.h"

/// Two capsules are parallel if the gap at the ends of their common length errs by no more than
/// this when taken for a line contact (relative to size): to become, to remain.
#define PARALLEL_NEW  1e-5
#define PARALLEL_KEEP 4e-5

static void sphere_any(gmc_pair *pair, const gmc_solid *sphere, const gmc_solid *other,
                       gmc_manifold *manifold)
{
    gmc_point_distance d =
        gmc_point_solid(other, sphere->X.p, pair->cache->axis - 1, GMC_PAIR_AXIS_KEEP * pair->size);
    double radius = sphere->shape->radius, gap = d.distance - radius;
    manifold->count = 0;
    if (!(gap <= pair->margin)) return;
    pair->cache->axis = d.face + 1;
    gmc_vec3 p = gmc_vec3_add_scaled(sphere->X.p, -0.5 * (radius + d.distance), d.n);
    gmc_manifold_single(sphere == &pair->a ? gmc_vec3_neg(d.n) : d.n, p, gap, 0, manifold);
}

static void capsules_cross(const gmc_pair *pair, gmc_vec3 p, gmc_vec3 q, gmc_vec3 n,
                           gmc_manifold *manifold)
{
    double ra = pair->a.shape->radius, rb = pair->b.shape->radius;
    double gap = gmc_vec3_dot(n, gmc_vec3_sub(q, p)) - ra - rb;
    manifold->count = 0;
    if (gap <= pair->margin)
        gmc_manifold_single(n, gmc_vec3_add_scaled(p, ra + 0.5 * gap, n), gap,
                            gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0), manifold);
}

/// Capsules side by side: the ends of their common length. End k of a or of b, whichever comes
/// first.
static void capsules_along(gmc_pair *pair, gmc_vec3 n, gmc_manifold *manifold)
{
    const gmc_shape *sa = pair->a.shape, *sb = pair->b.shape;
    gmc_vec3 da = gmc_mat3_column(&pair->a.X.R, 2), db = gmc_mat3_column(&pair->b.X.R, 2);
    gmc_vec3 r = gmc_vec3_sub(pair->b.X.p, pair->a.X.p);
    double c = gmc_vec3_dot(da, db), middle = gmc_vec3_dot(r, da);
    double tolerance = GMC_PAIR_TOUCH_KEEP * pair->size;
    manifold->n = n;
    manifold->count = 0;
    for (int k = 0; k < 2; k++) {
        double sign = k ? 1 : -1, end_a = sign * sa->half_length;
        double end_b = middle + sign * sb->half_length * fabs(c);
        uint64_t of_a = gmc_pair_feature(GMC_FEATURE_VERTEX_A, k, 0);
        uint64_t of_b = gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, c > 0 ? k : 1 - k);
        double lead = sign * (end_b - end_a); // > 0: a ends first
        bool take_a = lead > 0;
        if (fabs(lead) <= tolerance) take_a = !gmc_pair_was_kept(pair->cache, of_b);
        double x = take_a ? end_a : end_b;
        gmc_vec3 p = gmc_vec3_add_scaled(pair->a.X.p, x, da);
        // nearest point of b's line to p
        double y = gmc_vec3_dot(gmc_vec3_sub(p, pair->b.X.p), db);
        gmc_vec3 q = gmc_vec3_add_scaled(pair->b.X.p, y, db);
        double gap = gmc_vec3_norm(gmc_vec3_sub(q, p)) - sa->radius - sb->radius;
        if (gap <= pair->margin)
            gmc_manifold_add(manifold, gmc_vec3_add_scaled(p, sa->radius + 0.5 * gap, n), gap,
                             take_a ? of_a : of_b);
    }
}

void gmc_primitive_capsules(gmc_pair *pair, gmc_manifold *manifold)
{
    const gmc_shape *sa = pair->a.shape, *sb = pair->b.shape;
    gmc_vec3 da = gmc_mat3_column(&pair->a.X.R, 2), db = gmc_mat3_column(&pair->b.X.R, 2);
    double x, y;
    gmc_point_segment line_a = {pair->a.X.p, da, sa->half_length};
    gmc_point_segment line_b = {pair->b.X.p, db, sb->half_length};
    gmc_point_segments(&line_a, &line_b, &x, &y);
    gmc_vec3 p = gmc_vec3_add_scaled(pair->a.X.p, x, da);
    gmc_vec3 q = gmc_vec3_add_scaled(pair->b.X.p, y, db);
    gmc_vec3 d = gmc_vec3_sub(q, p);
    double distance = gmc_vec3_norm(d);
    gmc_vec3 n = gmc_vec3_scale(1 / distance, d);
    if (!(distance > 1e-12 * pair->size)) {
        // the axes cross: any direction across both, the one before if there was one
        gmc_vec3 before = gmc_mat3_apply(&pair->a.X.R, pair->cache->normal), t1, t2;
        gmc_vec3 cross = gmc_vec3_cross(da, db);
        gmc_vec3_tangents(da, &t1, &t2);
        n = gmc_vec3_norm(before) > 0     ? gmc_vec3_unit(before)
            : gmc_vec3_norm(cross) > 1e-6 ? gmc_vec3_unit(cross)
                                          : t1;
    }

    // how long do they run side by side, and how far do they diverge over half that length?
    double c = gmc_vec3_dot(da, db),
           middle = gmc_vec3_dot(gmc_vec3_sub(pair->b.X.p, pair->a.X.p), da);
    double lo = fmax(-sa->half_length, middle - sb->half_length * fabs(c));
    double hi = fmin(sa->half_length, middle + sb->half_length * fabs(c));
    gmc_vec3 cross = gmc_vec3_cross(da, db);
    double spread = 0.5 * (hi - lo) * gmc_vec3_dot(cross, n),
           tilt = distance * fmax(fabs(gmc_vec3_dot(n, da)), fabs(gmc_vec3_dot(n, db)));
    double limit =
        (pair->cache->is_flat & GMC_PAIR_PARALLEL ? PARALLEL_KEEP : PARALLEL_NEW) * pair->size;
    // what turns parallel within the step is: with one point at a time it would turn past it and
    // back
    double turn = 0.5 * (hi - lo) * gmc_vec3_norm(pair->move.w);
    bool is_along = hi - lo > 4 * GMC_PAIR_MERGE * pair->size && gmc_vec3_norm(cross) < 0.1 &&
                    spread * spread + tilt * tilt < 2 * distance * limit + turn * turn;
    pair->cache->is_flat = is_along ? GMC_PAIR_PARALLEL : 0;
    if (is_along)
        capsules_along(pair, n, manifold);
    else
        capsules_cross(pair, p, q, n, manifold);
}

/// Points of a solid against a plane: shared by all that follow. The candidate's height is its gap.
static void plane_candidate(const gmc_pair *pair, const gmc_pair_axes *axes, double offset,
                            gmc_vec3 p, uint64_t feature)
{
    double height = gmc_vec3_dot(p, axes->n); // n points into the plane's half-space: from a to b
    gmc_overlay_candidate(pair, gmc_vec3_dot(p, axes->t1), gmc_vec3_dot(p, axes->t2), height,
                          offset, feature);
}

/// Vertices of a box or polytope: heights first, in its own frame; the few that are near in full.
static void vertices_plane(const gmc_pair *pair, const gmc_pair_axes *axes, double offset)
{
    const gmc_shape *shape = pair->a.shape;
    const gmc_polytope *polytope = shape->type == GMC_SHAPE_POLYTOPE ? shape->polytope : NULL;
    gmc_vec3 down = gmc_mat3_apply_transposed(&pair->a.X.R, axes->n);
    double scale = polytope ? shape->scale : 1;
    double far = (offset - gmc_vec3_dot(axes->n, pair->a.X.p) - pair->margin) / scale;
    // rounding of this must not decide: plane_candidate does
    far -= 1e-12 * pair->size / scale;
    int count = gmc_shape_vertex_count(&pair->a);
    for (int v = 0; v < count; v++)
        if (!polytope || gmc_vec3_dot(down, polytope->vertices[v]) >= far)
            plane_candidate(pair, axes, offset, gmc_shape_vertex(&pair->a, v),
                            gmc_pair_feature(GMC_FEATURE_VERTEX_A, v, 0));
}

/// b is the plane.
static void any_plane(gmc_pair *pair, gmc_manifold *manifold)
{
    const gmc_shape *shape = pair->a.shape;
    gmc_vec3 up = gmc_mat3_column(&pair->b.X.R, 2), down = gmc_vec3_neg(up);
    gmc_pair_axes axes = gmc_pair_axes_of(down);
    double offset = gmc_vec3_dot(pair->b.X.p, down);
    pair->work->candidate_count = 0;
    manifold->count = 0;
    if (shape->type == GMC_SHAPE_CAPSULE) {
        gmc_vec3 axis = gmc_mat3_column(&pair->a.X.R, 2);
        for (int k = 0; k < 2; k++) {
            gmc_vec3 end = gmc_vec3_add_scaled(pair->a.X.p,
                                               k ? shape->half_length : -shape->half_length, axis);
            plane_candidate(pair, &axes, offset, gmc_vec3_add_scaled(end, shape->radius, down),
                            gmc_pair_feature(GMC_FEATURE_VERTEX_A, k, 0));
        }
    } else if (shape->type == GMC_SHAPE_CYLINDER) {
        gmc_cylinder_points points;
        gmc_cylinder_towards(&pair->a, down, pair->cache->is_flat & GMC_PAIR_FLAT_A, &points);
        pair->cache->is_flat = points.is_flat ? GMC_PAIR_FLAT_A : 0;
        for (int k = 0; k < points.count; k++)
            plane_candidate(pair, &axes, offset, points.points[k],
                            gmc_pair_feature(GMC_FEATURE_VERTEX_A, points.ids[k], 0));
    } else {
        vertices_plane(pair, &axes, offset);
    }
    if (pair->work->candidate_count > 0) gmc_manifold_reduce(pair, &axes, manifold);
}

void gmc_primitive_find(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_shape_type ta = pair->a.shape->type, tb = pair->b.shape->type;
    GMC_ASSERT(gmc_primitive_has(ta, tb));
    if (ta == GMC_SHAPE_SPHERE) {
        sphere_any(pair, &pair->a, &pair->b, manifold);
    } else if (tb == GMC_SHAPE_SPHERE) {
        sphere_any(pair, &pair->b, &pair->a, manifold);
    } else if (ta == GMC_SHAPE_PLANE) {
        gmc_pair turned = *pair;
        turned.a = pair->b;
        turned.b = pair->a;
        turned.move = (gmc_twist){gmc_vec3_neg(pair->move.w), gmc_vec3_neg(pair->move.v)};
        any_plane(&turned, manifold);
        manifold->n = gmc_vec3_neg(manifold->n);
    } else if (tb == GMC_SHAPE_PLANE) {
        any_plane(pair, manifold);
    } else {
        gmc_primitive_capsules(pair, manifold);
    }
}
