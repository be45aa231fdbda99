// The reference face of the call before is tried first: if the features along its normal have a
// point as near as the face separates the solids, that is their distance (or, a little overlapping,
// a way out as short as any near it), and no search is needed. That is how objects at rest are
// handled, for 0.3 µs. Else the search: nearest points (convex.h), then the faces at those points,
// one of which takes over if it separates as well.
#include "engine/collision/facing.h"

#include "engine/base/check.h"
#include "engine/collision/convex.h"
#include "engine/collision/feature.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"
#include "engine/collision/primitive.h"

/// Overlap (relative to size) up to which the face before is taken without a search. A finger that
/// presses 50 N at 1e6 N/m sinks in 5e-5 m; two faces that are both overlapped less than this
/// differ by no more than that.
#define SHALLOW 1e-3
/// Two round solids touch side to side where the normal is this near to perpendicular (cosine) to a
/// cylinder's axis; along each other, the lines may tilt as primitive.c lets them.
#define PERPENDICULAR 1e-9

/// Numbering in gmc_pair_cache.axis: 1 no face, 2 + 2 face of a, 3 + 2 face of b.
enum { AXIS_FREE = 1, AXIS_FACES = 2 };

typedef struct facing_axis {
    double separation; ///< [m]
    gmc_vec3 n;        ///< from a to b
    int code;
} facing_axis;

static facing_axis face_axis(gmc_pair *pair, bool is_of_b, int face)
{
    const gmc_solid *own = is_of_b ? &pair->b : &pair->a, *other = is_of_b ? &pair->a : &pair->b;
    double offset;
    gmc_vec3 out = gmc_feature_face(own, face, &offset), in = gmc_vec3_neg(out);
    int *hint = is_of_b ? &pair->cache->hint_a : &pair->cache->hint_b;
    double s = gmc_vec3_dot(out, gmc_shape_support(other, in, hint)) - offset;
    pair->counts->support_calls++;
    return (facing_axis){s, is_of_b ? in : out, AXIS_FACES + 2 * face + is_of_b};
}

/// Append candidates of the features that face each other along n; the faces of boxes and
/// polytopes, -1 where they must be looked for.
static void append_along(gmc_pair *pair, int face_a, int face_b, const gmc_pair_axes *axes)
{
    gmc_pair_cache *cache = pair->cache;
    gmc_vec3 n = axes->n;
    gmc_feature_view of_a = {n, face_a, cache->is_flat & GMC_PAIR_FLAT_A, axes};
    gmc_feature_view of_b = {gmc_vec3_neg(n), face_b, cache->is_flat & GMC_PAIR_FLAT_B, axes};
    gmc_feature a = gmc_feature_towards(&pair->a, &of_a, &cache->hint_a, &pair->work->polygon_a);
    gmc_feature b = gmc_feature_towards(&pair->b, &of_b, &cache->hint_b, &pair->work->polygon_b);
    cache->is_flat = (a.is_flat ? GMC_PAIR_FLAT_A : 0) | (b.is_flat ? GMC_PAIR_FLAT_B : 0);
    gmc_feature_overlay(pair, &a, &b);
}

/// The candidates along n, alone.
static void overlay_along(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_pair_axes *axes)
{
    *axes = gmc_pair_axes_of(n);
    pair->work->candidate_count = 0;
    append_along(pair, face_a, face_b, axes);
}

void gmc_facing_along(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_manifold *manifold)
{
    gmc_pair_axes axes;
    overlay_along(pair, n, face_a, face_b, &axes);
    manifold->count = manifold->outline_count = 0;
    if (pair->work->candidate_count > 0) gmc_manifold_reduce(pair, &axes, manifold);
}

/// Was this feature among the first candidates?
static bool is_listed(const gmc_pair_work *work, int count, uint64_t feature)
{
    for (int c = 0; c < count; c++)
        if (work->candidates[c].feature == feature) return true;
    return false;
}

void gmc_facing_ahead(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_vec3 way,
                      gmc_manifold *manifold)
{
    gmc_pair_axes axes;
    gmc_pair_work *work = pair->work;
    overlay_along(pair, n, face_a, face_b, &axes);
    int now = work->candidate_count, count = now;
    gmc_pair moved = *pair;
    moved.b.X.p = gmc_vec3_add(moved.b.X.p, way);
    append_along(&moved, face_a, face_b, &axes);
    // where the points of the solid that is to come over the face are now
    gmc_vec3 back = face_a >= 0 ? way : (gmc_vec3){0, 0, 0};
    for (int c = now; c < work->candidate_count; c++) {
        if (is_listed(work, now, work->candidates[c].feature)) continue;
        work->candidates[count] = work->candidates[c];
        work->candidates[count].x -= gmc_vec3_dot(axes.t1, back);
        work->candidates[count++].y -= gmc_vec3_dot(axes.t2, back);
    }
    work->candidate_count = count;
    manifold->count = manifold->outline_count = 0;
    if (count > 0) gmc_manifold_reduce(pair, &axes, manifold);
}

static double nearest_gap(const gmc_manifold *manifold)
{
    double nearest = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        nearest = gmc_pair_min(nearest, manifold->points[i].gap);
    return nearest;
}

static double nearest_candidate(const gmc_pair *pair)
{
    double nearest = INFINITY;
    for (int c = 0; c < pair->work->candidate_count; c++)
        nearest = gmc_pair_min(nearest, pair->work->candidates[c].gap);
    return nearest;
}

/// Is the manifold along a face's axis as near as the axis says?
static bool is_realised(gmc_pair *pair, const facing_axis *axis, gmc_manifold *manifold)
{
    gmc_pair_axes axes;
    int face = (axis->code - AXIS_FACES) / 2;
    bool is_of_b = axis->code & 1;
    overlay_along(pair, axis->n, is_of_b ? -1 : face, is_of_b ? face : -1, &axes);
    if (!(nearest_candidate(pair) <= axis->separation + GMC_PAIR_REALISED * pair->size))
        return false;
    gmc_manifold_reduce(pair, &axes, manifold);
    return true;
}

/// Without a face: the nearest points, all points of a line that are as near, and what a rocking
/// edge touches next. `faces`: of a and b, those seen along the normal.
static void without_face(gmc_pair *pair, const gmc_convex_axis *best, const int *faces,
                         gmc_manifold *manifold)
{
    gmc_shape_type ta = pair->a.shape->type, tb = pair->b.shape->type;
    bool is_round = ta == GMC_SHAPE_CAPSULE || ta == GMC_SHAPE_CYLINDER ||
                    tb == GMC_SHAPE_CAPSULE || tb == GMC_SHAPE_CYLINDER;
    gmc_manifold_single(best->n, best->p, best->separation, best->feature, manifold);
    if (!is_round) {
        if (gmc_pair_kind(best->feature) == GMC_FEATURE_CROSSING)
            gmc_overlay_beside_crossing(pair, manifold);
        return;
    }
    gmc_pair_axes axes;
    gmc_pair_work *work = pair->work;
    int near_count = 0;
    overlay_along(pair, best->n, faces[0], faces[1], &axes);
    gmc_overlay_beside_line(pair);
    gmc_manifold_find_soon(pair, &axes);
    for (int c = 0; c < work->candidate_count; c++) {
        // what was kept before may rise a little before it is let go
        double level = gmc_pair_was_kept(pair->cache, work->candidates[c].feature) ? 4 : 1;
        level *= GMC_PAIR_REALISED * pair->size;
        // where a line touches at one end and turns on to the other, that one must stop it: else it
        // turns past level and back, step by step
        if (work->candidates[c].nearness == GMC_CANDIDATE_SOON ||
            work->candidates[c].gap <= best->separation + level)
            work->candidates[near_count++] = work->candidates[c];
    }
    work->candidate_count = near_count;
    gmc_manifold line;
    gmc_manifold_reduce(pair, &axes, &line);
    if (line.count > 1) *manifold = line;
}

/// Does a cap of either cylinder separate the solids better than their sides do?
static bool cap_is_better(gmc_pair *pair, double gap)
{
    for (int k = 0; k < 2; k++) {
        int count = gmc_feature_face_count(k ? &pair->b : &pair->a);
        for (int f = 0; f < count; f++)
            if (face_axis(pair, k, f).separation > gap) return true;
    }
    return false;
}

/// Side to side, two capsules or cylinders: exact if the normal is perpendicular to the cylinders'
/// axes, and no shorter way out leads through a cap. What is apart as capsules is apart as
/// cylinders.
static bool sides_meet(gmc_pair *pair, gmc_manifold *manifold)
{
    const gmc_solid *solids[2] = {&pair->a, &pair->b};
    for (int k = 0; k < 2; k++)
        if (solids[k]->shape->type != GMC_SHAPE_CAPSULE &&
            solids[k]->shape->type != GMC_SHAPE_CYLINDER)
            return false;
    int of_caps = pair->cache->is_flat & ~GMC_PAIR_PARALLEL;
    gmc_primitive_capsules(pair, manifold);
    int is_along = pair->cache->is_flat & GMC_PAIR_PARALLEL;
    pair->cache->is_flat |= of_caps;
    if (manifold->count == 0) return true;
    for (int k = 0; k < 2 && !is_along; k++) {
        double along = gmc_vec3_dot(gmc_mat3_column(&solids[k]->X.R, 2), manifold->n);
        if (solids[k]->shape->type == GMC_SHAPE_CYLINDER && fabs(along) > PERPENDICULAR)
            return false;
    }
    double gap = nearest_gap(manifold);
    return gap >= 0 || !cap_is_better(pair, gap);
}

/// The face to take instead of the best direction, if one separates as well; its code is 0 if none
/// does. `faces`: out: those seen along the best direction, -1 where there is none.
static facing_axis face_instead(gmc_pair *pair, const gmc_convex_axis *best,
                                const facing_axis *before, int *faces)
{
    facing_axis none = {.separation = -INFINITY}, of_a = none, of_b = none;
    faces[0] = gmc_feature_face_towards(&pair->a, best->n, &pair->cache->hint_a);
    faces[1] = gmc_feature_face_towards(&pair->b, gmc_vec3_neg(best->n), &pair->cache->hint_b);
    if (faces[0] >= 0) of_a = face_axis(pair, false, faces[0]);
    if (faces[1] >= 0) of_b = face_axis(pair, true, faces[1]);
    double most = gmc_pair_max(gmc_pair_max(of_a.separation, of_b.separation), before->separation);
    double margin = GMC_PAIR_EDGE_MARGIN * pair->size, keep = GMC_PAIR_AXIS_KEEP * pair->size;
    if (pair->cache->axis == AXIS_FREE) margin *= 0.5;
    if (!(most >= best->separation - margin)) return none;
    if (before->separation >= most - keep) return *before;
    return of_a.separation >= most - keep ? of_a : of_b;
}

void gmc_facing_find(gmc_pair *pair, gmc_manifold *manifold)
{
    facing_axis before = {.separation = -INFINITY};
    int code = pair->cache->axis;
    if (code >= AXIS_FACES) {
        before = face_axis(pair, code & 1, (code - AXIS_FACES) / 2);
        manifold->count = manifold->outline_count = 0;
        bool is_apart = before.separation > pair->margin;
        if (is_apart) gmc_pair_part(pair, before.n);
        if (is_apart ||
            (before.separation >= -SHALLOW * pair->size && is_realised(pair, &before, manifold))) {
            pair->counts->cache_hits++;
            return;
        }
    }
    if (sides_meet(pair, manifold)) {
        pair->cache->axis = AXIS_FREE;
        return;
    }
    gmc_convex_axis best = gmc_convex_best(pair);
    manifold->count = manifold->outline_count = 0;
    pair->cache->axis = AXIS_FREE;
    if (best.separation > pair->margin) {
        gmc_pair_part(pair, best.n);
        return;
    }
    int faces[2];
    facing_axis face = face_instead(pair, &best, &before, faces);
    if (face.code != 0 && is_realised(pair, &face, manifold))
        pair->cache->axis = face.code;
    else
        without_face(pair, &best, faces, manifold);
}
