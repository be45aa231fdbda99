// Depth by projection from outside. Where the cores overlap, move b out along a first guess n0 of
// the normal until it is a little clear of a, and ask for the distance there: the direction n1 of
// the nearest points separates at least as well as n0 (the distance is the maximum over n of
// s(n) + shift·n, s the separation along n), so repeating it climbs to a direction of locally least
// overlap. On flat faces it arrives in one turn. The whole shapes are used, so edges and rims stay
// sharp: rounding them off by eroding the shapes, the usual way to keep cores apart, would err by
// 0.4 of the erosion there.
//
// The first guess is the normal of the call before, else the direction between cores shrunken about
// their centres, else libccd's portal refinement, else the line of centres.
#include "engine/collision/convex.h"

#include "engine/collision/feature.h"
#include "engine/collision/gjk.h"
#include "engine/collision/manifold.h"
#include "engine/collision/rim.h"

#include <ccd/ccd.h>

/// How far b is moved clear of a, relative to size: small against the curvature of anything, large
/// against rounding.
#define CLEAR 1e-3
/// Nearer than this (relative to size) counts as overlap in what follows: rounding of 1e-16 over
/// it.
#define NEAR 1e-6
/// The climb ends when a turn moves the normal by less than this; each turn leaves about the share
/// (overlap + CLEAR) / (radius of curvature) of the error before.
#define SETTLED 1e-13
/// Turns allowed; two are usual.
enum { TURN_MAX = 40 };
/// Shrunken cores for the first guess.
#define SHRUNK 0.9
/// libccd: tolerance relative to size, and a cap on its loops (its defaults: 1e-4 m and none).
#define CCD_TOLERANCE 1e-9
enum { CCD_TURN_MAX = 100 };
/// A normal this near to perpendicular (cosine) meets the side of a cylinder, not its rim.
#define PERPENDICULAR 1e-9

static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *point)
{
    // the hint of a polytope makes no difference to its support point; a fresh core each time keeps
    // `object` const
    gmc_gjk_core core = gmc_gjk_core_of(object);
    int of;
    gmc_vec3 p = gmc_gjk_support(&core, (gmc_vec3){dir->v[0], dir->v[1], dir->v[2]}, &of);
    ccdVec3Set(point, p.x, p.y, p.z);
}

static void ccd_centre(const void *object, ccd_vec3_t *point)
{
    const gmc_solid *solid = object;
    gmc_vec3 p = gmc_pose_apply(&solid->X, gmc_shape_centre(solid->shape));
    ccdVec3Set(point, p.x, p.y, p.z);
}

static gmc_vec3 line_of_centres(const gmc_pair *pair)
{
    gmc_vec3 a = gmc_pose_apply(&pair->a.X, gmc_shape_centre(pair->a.shape));
    gmc_vec3 b = gmc_pose_apply(&pair->b.X, gmc_shape_centre(pair->b.shape));
    gmc_vec3 d = gmc_vec3_sub(b, a);
    return gmc_vec3_norm(d) > 1e-12 * pair->size ? gmc_vec3_unit(d) : (gmc_vec3){0, 0, 1};
}

/// Separation of the cores along a direction.
static double separation_along(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n)
{
    int of;
    return gmc_vec3_dot(n, gmc_gjk_support(b, gmc_vec3_neg(n), &of)) -
           gmc_vec3_dot(n, gmc_gjk_support(a, n, &of));
}

/// A direction to start from when the cores overlap; false: libccd had no sensible answer either.
static bool ccd_direction(const gmc_pair *pair, gmc_vec3 *n)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.max_iterations = CCD_TURN_MAX;
    ccd.mpr_tolerance = ccd.epa_tolerance = CCD_TOLERANCE * pair->size;
    for (int k = 0; k < 2; k++) {
        ccd_real_t depth = -1;
        ccd_vec3_t dir = {{0, 0, 0}}, position;
        int failed = k ? ccdGJKPenetration(&pair->a, &pair->b, &ccd, &depth, &dir, &position)
                       : ccdMPRPenetration(&pair->a, &pair->b, &ccd, &depth, &dir, &position);
        gmc_vec3 d = {dir.v[0], dir.v[1], dir.v[2]};
        double length = gmc_vec3_norm(d);
        if (failed || !(fabs(length - 1) < 1e-6)) continue; // not a number fails too
        *n = gmc_vec3_scale(1 / length, d);
        return true;
    }
    return false;
}

/// Try a direction; keep the better of it and the best so far.
static void try_direction(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n, gmc_vec3 *best,
                          double *most)
{
    double s = separation_along(a, b, n);
    if (s > *most) *most = s, *best = n;
}

/// All flat faces of both.
static void try_faces(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 *best,
                      double *most)
{
    double offset;
    for (int f = 0; f < gmc_feature_face_count(&pair->a); f++)
        try_direction(a, b, gmc_feature_face(&pair->a, f, &offset), best, most);
    for (int f = 0; f < gmc_feature_face_count(&pair->b); f++)
        try_direction(a, b, gmc_vec3_neg(gmc_feature_face(&pair->b, f, &offset)), best, most);
}

/// First guess of the normal of overlapping cores. Nothing known: the best of all flat faces, of
/// the direction between shrunken cores and, if those overlap as well, of libccd's.
static gmc_vec3 first_direction(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    gmc_vec3 before = pair->cache->normal;
    if (gmc_vec3_norm(before) > 0) return gmc_vec3_unit(gmc_mat3_apply(&pair->a.X.R, before));
    gmc_vec3 best = line_of_centres(pair), n;
    double most = separation_along(a, b, best);
    try_faces(pair, a, b, &best, &most);
    gmc_gjk_core small_a = *a, small_b = *b;
    small_a.scale = small_b.scale = SHRUNK;
    gmc_gjk_result r = gmc_gjk_distance(&small_a, &small_b, best, pair->size);
    pair->counts->support_calls += r.supports;
    if (!r.is_overlap)
        try_direction(a, b, r.n, &best, &most);
    else if (ccd_direction(pair, &n))
        try_direction(a, b, n, &best, &most);
    return best;
}

/// Does some flat face of either solid separate them better than `separation`, radii included [m]?
static bool some_face_is_better(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b,
                                double separation)
{
    gmc_vec3 n;
    double of_cores = separation + gmc_gjk_radius(a) + gmc_gjk_radius(b), most = of_cores;
    try_faces(pair, a, b, &n, &most);
    return most > of_cores;
}

/// Name of the point where two cores touch, from the vertices that span their nearest points.
static uint64_t feature_of(const gmc_pair *pair, const gmc_gjk_result *r)
{
    bool is_one_a = r->of_a[0] >= 0, is_one_b = r->of_b[0] >= 0;
    int a1 = r->of_a[0], b1 = r->of_b[0], others_a = 0, others_b = 0;
    for (int k = 1; k < r->count; k++) {
        if (r->of_a[k] != r->of_a[0] && r->of_a[k] != a1) a1 = r->of_a[k], others_a++;
        if (r->of_b[k] != r->of_b[0] && r->of_b[k] != b1) b1 = r->of_b[k], others_b++;
    }
    if (is_one_a && others_a == 0) return gmc_pair_feature(GMC_FEATURE_VERTEX_A, r->of_a[0], 0);
    if (is_one_b && others_b == 0) return gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, r->of_b[0]);
    if (!is_one_a || !is_one_b || others_a != 1 || others_b != 1)
        return gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0);
    int edge_a = gmc_shape_edge_id(&pair->a, r->of_a[0], a1);
    int edge_b = gmc_shape_edge_id(&pair->b, r->of_b[0], b1);
    if (edge_a < 0 || edge_b < 0) return gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0);
    return gmc_pair_feature(GMC_FEATURE_CROSSING, edge_a, edge_b);
}

/// The axis n as it is, with the points that are farthest along it: only if rounding spoils the
/// projection.
static gmc_convex_axis axis_of_supports(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n,
                                        double separation)
{
    int of;
    b->shift = (gmc_vec3){0, 0, 0};
    gmc_vec3 p = gmc_gjk_support(a, n, &of), q = gmc_gjk_support(b, gmc_vec3_neg(n), &of);
    double ra = gmc_gjk_radius(a), rb = gmc_gjk_radius(b);
    // both may be anywhere on a face: half way between them is on the line of neither, but near
    // both
    gmc_vec3 middle = gmc_vec3_add_scaled(gmc_vec3_add(p, q), ra - rb, n);
    return (gmc_convex_axis){separation - ra - rb, n, gmc_vec3_scale(0.5, middle),
                             gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0)};
}

/// Climb from the direction n, at first separating by *separation, to one that no small turn
/// betters. On return b is still shifted as the nearest points in the result are.
static gmc_gjk_result climb(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n,
                            double *separation)
{
    gmc_gjk_result r = {.is_overlap = true};
    for (int turn = 0; turn < TURN_MAX; turn++) {
        b->shift = gmc_vec3_scale(CLEAR * pair->size - *separation, n);
        r = gmc_gjk_distance_again(a, b, &pair->cache->span, n, pair->size);
        pair->counts->support_calls += r.supports;
        if (r.is_overlap) break; // rounding only: n separates them by CLEAR
        gmc_rim_refine(a, b, &r);
        gmc_vec3 move = gmc_vec3_sub(r.n, n);
        *separation = r.distance - gmc_vec3_dot(r.n, b->shift);
        n = r.n;
        if (!(gmc_vec3_norm(move) > SETTLED)) break;
    }
    if (r.is_overlap) r.n = n;
    return r;
}

/// The direction of largest separation: the global one if the cores are apart, else a local one.
/// Beyond the margin any direction that proves it will do, without a point.
static gmc_convex_axis axis_between(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    double ra = gmc_gjk_radius(a), rb = gmc_gjk_radius(b);
    bool is_known = gmc_vec3_norm(pair->cache->normal) > 0;
    gmc_vec3 n =
        is_known ? gmc_mat3_apply(&pair->a.X.R, pair->cache->normal) : line_of_centres(pair);
    double separation = INFINITY;
    // the axes of round solids that touch are apart, and from the points before their distance is
    // soon found
    bool is_round = pair->cache->span.count > 0 && ra + rb > CLEAR * pair->size;
    if (!is_round) {
        separation = separation_along(a, b, n);
        pair->counts->support_calls++;
        if (separation - ra - rb > pair->margin)
            return (gmc_convex_axis){.separation = separation - ra - rb, .n = n};
    }

    // near contact along a known direction the climb is all that is needed; else nearest points
    // first
    gmc_gjk_result r = {.is_overlap = true};
    bool is_near = is_known && fabs(separation) < CLEAR * pair->size;
    if (!is_near) {
        r = gmc_gjk_distance_again(a, b, &pair->cache->span, n, pair->size);
        pair->counts->support_calls += r.supports;
        if (!r.is_overlap && r.distance - ra - rb <= pair->margin) gmc_rim_refine(a, b, &r);
        separation = r.distance;
        // nearer than NEAR the difference of the nearest points has lost its digits
        is_near = r.is_overlap || r.distance < NEAR * pair->size;
        if (is_near) {
            n = r.is_overlap ? first_direction(pair, a, b) : r.n;
            separation = separation_along(a, b, n);
        }
    }
    if (is_near) r = climb(pair, a, b, n, &separation);
    if (r.is_overlap) return axis_of_supports(a, b, r.n, separation);
    gmc_vec3 q = gmc_vec3_sub(r.p_b, b->shift), middle = gmc_vec3_add(r.p_a, q);
    // surfaces: p_a + r_a n and q - r_b n
    middle = gmc_vec3_scale(0.5, gmc_vec3_add_scaled(middle, ra - rb, r.n));
    b->shift = (gmc_vec3){0, 0, 0};
    return (gmc_convex_axis){separation - ra - rb, r.n, middle, feature_of(pair, &r)};
}

/// Cylinders as capsules first: where the normal turns out perpendicular to the axis, the nearest
/// point is on the side, and its place and normal are exact, which those of supports on a rim are
/// not. The cylinder is inside of that capsule and touches it there, so it cannot be nearer.
gmc_convex_axis gmc_convex_best(gmc_pair *pair)
{
    gmc_gjk_core a = gmc_gjk_core_of(&pair->a), b = gmc_gjk_core_of(&pair->b);
    gmc_gjk_core *cores[2] = {&a, &b};
    gmc_convex_axis best = {.separation = -INFINITY};
    a.hint = pair->cache->hint_a;
    b.hint = pair->cache->hint_b;
    for (int k = 0; k < 2; k++)
        cores[k]->is_axis = cores[k]->solid->shape->type == GMC_SHAPE_CYLINDER;
    for (bool is_done = false; !is_done;) {
        best = axis_between(pair, &a, &b);
        is_done = true;
        for (int k = 0; k < 2; k++) {
            gmc_vec3 axis = gmc_mat3_column(&cores[k]->solid->X.R, 2);
            if (!cores[k]->is_axis || fabs(gmc_vec3_dot(axis, best.n)) <= PERPENDICULAR) continue;
            cores[k]->is_axis = false;
            is_done = false;
        }
    }
    // overlapping, the cylinder may be shallower in through a cap than its capsule is through the
    // side
    bool has_axis = a.is_axis || b.is_axis;
    a.is_axis = b.is_axis = false;
    if (has_axis && best.separation < 0 && some_face_is_better(pair, &a, &b, best.separation)) {
        pair->cache->normal = (gmc_vec3){0, 0, 0};
        gmc_convex_axis whole = axis_between(pair, &a, &b);
        if (whole.separation > best.separation) best = whole;
    }
    pair->cache->hint_a = a.hint;
    pair->cache->hint_b = b.hint;
    pair->cache->normal = gmc_mat3_apply_transposed(&pair->a.X.R, best.n);
    return best;
}

void gmc_convex_nearest(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_convex_axis axis = gmc_convex_best(pair);
    manifold->count = 0;
    if (axis.separation <= pair->margin)
        gmc_manifold_single(axis.n, axis.p, axis.separation, axis.feature, manifold);
}
