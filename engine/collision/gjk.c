// Stops when the support point shows that no nearer point can be found beyond rounding: the
// distance is then exact to about 1e-13 of itself plus 4e-16 of the coordinates. Polytopes end
// after a few supports; round rims converge linearly and are stopped by the same test.
#include "engine/collision/gjk.h"

#include "engine/base/check.h"

/// Supports allowed; the mean is 5 for polytopes, 25 for rims.
enum { SUPPORT_MAX = 128 };
#define RELATIVE 1e-13
#define ROUNDING 4e-16
#define OVERLAP  1e-12
/// A tetrahedron of less volume than this share of the cube of its distance says nothing certain
/// about what it holds: its weights are differences of such cubes, with their rounding.
#define FLAT 1e-12

/// A triangle with a corner of more than 1e-3 rad (its square) knows its normal better than the
/// difference of two nearly equal points does.
#define FAT 1e-6

typedef struct gjk_vertex {
    gmc_vec3 w, a, b; ///< w = b - a
    int of_a, of_b;
} gjk_vertex;

typedef struct gjk_simplex {
    int count;
    gjk_vertex v[4];
    double weight[4];
} gjk_simplex;

gmc_gjk_core gmc_gjk_core_of(const gmc_solid *solid)
{
    return (gmc_gjk_core){.solid = solid, .scale = 1};
}

double gmc_gjk_radius(const gmc_gjk_core *core)
{
    gmc_shape_type type = core->solid->shape->type;
    bool is_round = type == GMC_SHAPE_SPHERE || type == GMC_SHAPE_CAPSULE || core->is_axis;
    return is_round ? core->solid->shape->radius : 0;
}

gmc_vec3 gmc_gjk_support(gmc_gjk_core *core, gmc_vec3 dir, int *of)
{
    const gmc_solid *solid = core->solid;
    gmc_shape_type type = solid->shape->type;
    gmc_vec3 p;
    *of = -1;
    if (type == GMC_SHAPE_SPHERE) {
        p = solid->X.p;
        *of = 0;
    } else if (type == GMC_SHAPE_CAPSULE || core->is_axis) {
        gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2);
        *of = gmc_vec3_dot(axis, dir) > 0;
        double end = *of ? solid->shape->half_length : -solid->shape->half_length;
        p = gmc_vec3_add_scaled(solid->X.p, end, axis);
    } else {
        p = gmc_shape_support(solid, dir, &core->hint);
        if (type != GMC_SHAPE_CYLINDER) *of = core->hint;
    }
    if (core->scale != 1) {
        gmc_vec3 centre = gmc_pose_apply(&solid->X, gmc_shape_centre(solid->shape));
        p = gmc_vec3_add_scaled(centre, core->scale, gmc_vec3_sub(p, centre));
    }
    return gmc_vec3_add(p, core->shift);
}

/// Does the tetrahedron hold the origin? Flat ones do not.
static bool holds_origin(const gjk_vertex *v)
{
    gmc_vec3 a = v[0].w, b = v[1].w, c = v[2].w, d = v[3].w;
    gmc_vec3 ab = gmc_vec3_sub(b, a), ac = gmc_vec3_sub(c, a), ad = gmc_vec3_sub(d, a);
    double volume = gmc_vec3_dot(ab, gmc_vec3_cross(ac, ad));
    double far2 = fmax(fmax(gmc_vec3_dot(a, a), gmc_vec3_dot(b, b)),
                       fmax(gmc_vec3_dot(c, c), gmc_vec3_dot(d, d)));
    if (!(fabs(volume) > FLAT * far2 * sqrt(far2))) return false;
    double sign = volume > 0 ? 1 : -1;
    // weights of the four corners, times the volume
    double wa = sign * gmc_vec3_dot(b, gmc_vec3_cross(c, d));
    double wb = -sign * gmc_vec3_dot(a, gmc_vec3_cross(c, d));
    double wc = sign * gmc_vec3_dot(a, gmc_vec3_cross(b, d));
    double wd = -sign * gmc_vec3_dot(a, gmc_vec3_cross(b, c));
    return wa >= 0 && wb >= 0 && wc >= 0 && wd >= 0;
}

/// Projection of the origin on the triangle's plane if it falls inside; weights sum to one.
static bool triangle_nearest(gmc_vec3 a, gmc_vec3 b, gmc_vec3 c, gmc_vec3 *nearest, double *weight)
{
    gmc_vec3 ab = gmc_vec3_sub(b, a), ac = gmc_vec3_sub(c, a), n = gmc_vec3_cross(ab, ac);
    double n2 = gmc_vec3_dot(n, n);
    if (!(n2 > 1e-26 * gmc_vec3_dot(ab, ab) * gmc_vec3_dot(ac, ac))) return false;
    weight[0] = gmc_vec3_dot(n, gmc_vec3_cross(b, c)) / n2;
    weight[1] = gmc_vec3_dot(n, gmc_vec3_cross(c, a)) / n2;
    weight[2] = 1 - weight[0] - weight[1];
    if (!(weight[0] > 0 && weight[1] > 0 && weight[2] > 0)) return false;
    if (n2 > FAT * gmc_vec3_dot(ab, ab) * gmc_vec3_dot(ac, ac)) {
        *nearest = gmc_vec3_scale(gmc_vec3_dot(n, a) / n2, n);
        return true;
    }
    // a thin one has an uncertain normal; the weighted sum is never nearer than the triangle is
    *nearest = gmc_vec3_scale(weight[0], a);
    *nearest = gmc_vec3_add_scaled(*nearest, weight[1], b);
    *nearest = gmc_vec3_add_scaled(*nearest, weight[2], c);
    return true;
}

static bool edge_nearest(gmc_vec3 a, gmc_vec3 b, gmc_vec3 *nearest, double *weight)
{
    gmc_vec3 ab = gmc_vec3_sub(b, a);
    double length2 = gmc_vec3_dot(ab, ab);
    if (!(length2 > 0)) return false;
    double t = -gmc_vec3_dot(a, ab) / length2;
    if (!(t > 0 && t < 1)) return false;
    weight[0] = 1 - t;
    weight[1] = t;
    *nearest = gmc_vec3_add_scaled(a, t, ab);
    return true;
}

/// Reduce the simplex to the face nearest to the origin among those that hold its last vertex.
static gmc_vec3 reduce(gjk_simplex *s)
{
    static const int FACES[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    int last = s->count - 1, best[3] = {last, 0, 0}, best_count = 1;
    double best_weight[3] = {1, 0, 0}, weight[3];
    gmc_vec3 nearest, best_nearest = s->v[last].w;
    double best2 = gmc_vec3_dot(best_nearest, best_nearest);
    for (int i = 0; i < last; i++) {
        if (!edge_nearest(s->v[last].w, s->v[i].w, &nearest, weight)) continue;
        double d2 = gmc_vec3_dot(nearest, nearest);
        if (!(d2 < best2)) continue;
        best2 = d2, best_nearest = nearest, best_count = 2, best[1] = i;
        for (int k = 0; k < 2; k++)
            best_weight[k] = weight[k];
    }
    for (int f = 0; f < (last == 3 ? 3 : last == 2 ? 1 : 0); f++) {
        int i = FACES[f][0], j = FACES[f][1];
        if (!triangle_nearest(s->v[last].w, s->v[i].w, s->v[j].w, &nearest, weight)) continue;
        double d2 = gmc_vec3_dot(nearest, nearest);
        if (!(d2 < best2)) continue;
        best2 = d2, best_nearest = nearest, best_count = 3, best[1] = i, best[2] = j;
        for (int k = 0; k < 3; k++)
            best_weight[k] = weight[k];
    }
    gjk_simplex small = {.count = best_count};
    for (int k = 0; k < best_count; k++) {
        small.v[k] = s->v[best[k]];
        small.weight[k] = best_weight[k];
    }
    *s = small;
    return best_nearest;
}

static gjk_vertex vertex_along(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 dir)
{
    gjk_vertex v;
    v.a = gmc_gjk_support(a, dir, &v.of_a);
    v.b = gmc_gjk_support(b, gmc_vec3_neg(dir), &v.of_b);
    v.w = gmc_vec3_sub(v.b, v.a);
    return v;
}

static void finish(const gjk_simplex *s, gmc_vec3 nearest, gmc_gjk_result *result)
{
    result->is_overlap = false;
    result->distance = gmc_vec3_norm(nearest);
    result->n = gmc_vec3_scale(1 / result->distance, nearest);
    result->p_a = result->p_b = (gmc_vec3){0, 0, 0};
    result->count = s->count;
    for (int k = 0; k < s->count; k++) {
        result->p_a = gmc_vec3_add_scaled(result->p_a, s->weight[k], s->v[k].a);
        result->p_b = gmc_vec3_add_scaled(result->p_b, s->weight[k], s->v[k].b);
        result->of_a[k] = s->v[k].of_a;
        result->of_b[k] = s->v[k].of_b;
    }
}

gmc_gjk_result gmc_gjk_distance(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 guess, double size)
{
    gmc_gjk_result result = {.is_overlap = true};
    gjk_simplex s = {.count = 1};
    s.v[0] = vertex_along(a, b, guess);
    s.weight[0] = 1;
    gmc_vec3 v = s.v[0].w;
    double largest2 = gmc_vec3_dot(v, v);
    for (result.supports = 1; result.supports < SUPPORT_MAX; result.supports++) {
        double v2 = gmc_vec3_dot(v, v);
        if (!(v2 > OVERLAP * size * OVERLAP * size)) return result;
        gjk_vertex next = vertex_along(a, b, v);
        double w2 = gmc_vec3_dot(next.w, next.w);
        largest2 = w2 > largest2 ? w2 : largest2;
        if (v2 - gmc_vec3_dot(v, next.w) <= RELATIVE * v2 + ROUNDING * sqrt(v2 * largest2)) break;

        gjk_simplex larger = s;
        larger.v[larger.count++] = next;
        if (larger.count == 4 && holds_origin(larger.v)) return result;
        gmc_vec3 nearer = reduce(&larger);
        if (!(gmc_vec3_dot(nearer, nearer) < v2)) {
            // rounding leaves no progress: apart only if the support point says so
            if (!(gmc_vec3_dot(v, next.w) > 0.5 * v2)) return result;
            break;
        }
        s = larger;
        v = nearer;
    }
    finish(&s, v, &result);
    return result;
}
