// Depth by projection from outside. Where the cores overlap, move b out along a first guess n0 of
// the normal until it is a little clear of a, and ask for the distance there: the direction n1 of
// the nearest points separates at least as well as n0 (the distance is the maximum over n of s(n) +
// shift·n, s the separation along n), so repeating it climbs to a direction of locally least
// overlap. On flat faces it arrives in one turn. The whole shapes are used, so edges and rims stay
// sharp: rounding them off by eroding the shapes, the usual way to keep cores apart, would err by
// 0.4 of the erosion there.
//
// The first guess is the normal of the call before, else the direction between cores shrunken about
// their centres, else libccd's portal refinement, else the line of centres.
#include "engine/collision/convex.h"

#include "engine/base/check.h"
#include "engine/collision/gjk.h"
#include "engine/collision/manifold.h"

#include <ccd/ccd.h>

/// How far b is moved clear of a, relative to size: small against the curvature of anything, large
/// against rounding.
#define CLEAR 1e-3
/// The climb ends when a turn gains less than this (relative to size).
#define GAIN 1e-13
/// Turns allowed; two are usual.
enum { TURN_MAX = 40 };
/// Shrunken cores for the first guess.
#define SHRUNK 0.9
/// libccd: tolerance relative to size, and a cap on its loops (its defaults: 1e-4 m and none).
#define CCD_TOLERANCE 1e-9
enum { CCD_TURN_MAX = 100 };

/// The best direction found, with the points that touch first along it.
typedef struct convex_axis {
    double separation; ///< of the solids along n, < 0: overlap [m]
    gmc_vec3 n, p;     ///< p half way between the surfaces
    uint32_t feature;
} convex_axis;

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

/// First guess of the normal of overlapping cores.
static gmc_vec3 first_direction(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    gmc_vec3 before = pair->cache->normal;
    if (gmc_vec3_norm(before) > 0) return gmc_vec3_unit(gmc_mat3_apply(&pair->a.X.R, before));
    gmc_vec3 centres = line_of_centres(pair), n = centres;
    gmc_gjk_core small_a = *a, small_b = *b;
    small_a.scale = small_b.scale = SHRUNK;
    gmc_gjk_result r = gmc_gjk_distance(&small_a, &small_b, centres, pair->size);
    pair->counts->support_calls += r.supports;
    if (!r.is_overlap) return r.n;
    if (!ccd_direction(pair, &n)) return centres;
    return separation_along(a, b, n) >= separation_along(a, b, centres) ? n : centres;
}

/// Name of the point where two cores touch, from the vertices that span their nearest points.
static uint32_t feature_of(const gmc_pair *pair, const gmc_gjk_result *r)
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

/// The direction of largest separation: the global one if the cores are apart, else a local one.
static convex_axis best_axis(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    double radii = gmc_gjk_radius(a) + gmc_gjk_radius(b),
           tilt = gmc_gjk_radius(a) - gmc_gjk_radius(b);
    gmc_vec3 guess = line_of_centres(pair);
    if (gmc_vec3_norm(pair->cache->normal) > 0)
        guess = gmc_mat3_apply(&pair->a.X.R, pair->cache->normal);
    gmc_gjk_result r = gmc_gjk_distance(a, b, guess, pair->size);
    pair->counts->support_calls += r.supports;
    double separation = r.distance;
    if (r.is_overlap) {
        gmc_vec3 n = first_direction(pair, a, b);
        separation = separation_along(a, b, n);
        for (int turn = 0; turn < TURN_MAX; turn++) {
            b->shift = gmc_vec3_scale(CLEAR * pair->size - separation, n);
            r = gmc_gjk_distance(a, b, n, pair->size);
            pair->counts->support_calls += r.supports;
            GMC_ASSERT(!r.is_overlap);
            double next = r.distance - gmc_vec3_dot(r.n, b->shift), gain = next - separation;
            separation = next;
            n = r.n;
            if (!(gain > GAIN * pair->size)) break;
        }
    }
    gmc_vec3 q = gmc_vec3_sub(r.p_b, b->shift), middle = gmc_vec3_add(r.p_a, q);
    // surfaces: p_a + r_a n and q - r_b n
    middle = gmc_vec3_scale(0.5, gmc_vec3_add_scaled(middle, tilt, r.n));
    b->shift = (gmc_vec3){0, 0, 0};
    return (convex_axis){separation - radii, r.n, middle, feature_of(pair, &r)};
}

void gmc_convex_nearest(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_gjk_core a = gmc_gjk_core_of(&pair->a), b = gmc_gjk_core_of(&pair->b);
    a.hint = pair->cache->hint_a;
    b.hint = pair->cache->hint_b;
    convex_axis axis = best_axis(pair, &a, &b);
    pair->cache->hint_a = a.hint;
    pair->cache->hint_b = b.hint;
    manifold->count = 0;
    if (axis.separation <= pair->margin)
        *manifold = gmc_manifold_single(axis.n, axis.p, axis.separation, axis.feature);
}
