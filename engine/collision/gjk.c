// Stops when the support point shows that no nearer point can be found beyond rounding: the
// distance is then exact to about 1e-13 of itself plus 4e-16 of the coordinates. Polytopes end
// after a few supports; round rims converge linearly and are stopped by the same test.
//
// Bodies that touch move little from step to step, so that the vertices which spanned the nearest
// points before mostly still do: starting from them, one support point instead of six is asked for
// (a rod on a hull of 100 vertices).
#include "engine/collision/gjk.h"

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

/// Up to three vertices and what each contributes to the point nearest to the origin.
typedef struct gjk_face {
    int count;
    int at[3]; ///< places in the pool
    double weight[3];
} gjk_face;

/// The vertices of the face, and room for one more.
typedef struct gjk_simplex {
    gjk_face face;
    gjk_vertex pool[4];
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

/// Does the tetrahedron of the face and the vertex in `slot` hold the origin? Flat ones do not.
static bool holds_origin(const gjk_simplex *s, int slot)
{
    gmc_vec3 a = s->pool[s->face.at[0]].w, b = s->pool[s->face.at[1]].w,
             c = s->pool[s->face.at[2]].w, d = s->pool[slot].w;
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

/// The face nearest to the origin among those that hold the vertex in `slot`, which is not of the
/// simplex' own face, and others of it; its point nearest to the origin.
static gmc_vec3 nearest_face(const gjk_simplex *s, int slot, gjk_face *face)
{
    static const int FACES[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    int others = s->face.count;
    gmc_vec3 w = s->pool[slot].w, nearest, best = w;
    double weight[3], best2 = gmc_vec3_dot(w, w);
    *face = (gjk_face){.count = 1, .at = {slot}, .weight = {1}};
    for (int i = 0; i < others; i++) {
        if (!edge_nearest(w, s->pool[s->face.at[i]].w, &nearest, weight)) continue;
        double d2 = gmc_vec3_dot(nearest, nearest);
        if (!(d2 < best2)) continue;
        best2 = d2, best = nearest, face->count = 2, face->at[1] = s->face.at[i];
        face->weight[0] = weight[0], face->weight[1] = weight[1];
    }
    for (int f = 0; f < (others == 3 ? 3 : others == 2 ? 1 : 0); f++) {
        int i = s->face.at[FACES[f][0]], j = s->face.at[FACES[f][1]];
        if (!triangle_nearest(w, s->pool[i].w, s->pool[j].w, &nearest, weight)) continue;
        double d2 = gmc_vec3_dot(nearest, nearest);
        if (!(d2 < best2)) continue;
        best2 = d2, best = nearest, face->count = 3, face->at[1] = i, face->at[2] = j;
        for (int k = 0; k < 3; k++)
            face->weight[k] = weight[k];
    }
    return best;
}

/// A place of the pool that the face does not use.
static int free_slot(const gjk_face *face)
{
    unsigned used = 0;
    for (int k = 0; k < face->count; k++)
        used |= 1u << face->at[k];
    return !(used & 1) ? 0 : !(used & 2) ? 1 : !(used & 4) ? 2 : 3;
}

/// Take the vertex in `slot` in if that brings the nearest point `v` nearer.
static bool gjk_take_in(gjk_simplex *s, int slot, gmc_vec3 *v)
{
    gjk_face face;
    gmc_vec3 nearer = nearest_face(s, slot, &face);
    if (!(gmc_vec3_dot(nearer, nearer) < gmc_vec3_dot(*v, *v))) return false;
    s->face = face;
    *v = nearer;
    return true;
}

static void vertex_along(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 dir, gjk_vertex *v)
{
    v->a = gmc_gjk_support(a, dir, &v->of_a);
    v->b = gmc_gjk_support(b, gmc_vec3_neg(dir), &v->of_b);
    v->w = gmc_vec3_sub(v->b, v->a);
}

/// Does the core consist of numbered vertices?
static bool is_numbered(const gmc_gjk_core *core)
{
    return core->solid->shape->type != GMC_SHAPE_CYLINDER || core->is_axis;
}

static gmc_vec3 numbered(const gmc_gjk_core *core, int of)
{
    const gmc_solid *solid = core->solid;
    gmc_vec3 p = solid->X.p;
    if (solid->shape->type == GMC_SHAPE_BOX || solid->shape->type == GMC_SHAPE_POLYTOPE) {
        p = gmc_shape_vertex(solid, of);
    } else if (solid->shape->type != GMC_SHAPE_SPHERE) {
        double end = of ? solid->shape->half_length : -solid->shape->half_length;
        p = gmc_vec3_add_scaled(p, end, gmc_mat3_column(&solid->X.R, 2));
    }
    return gmc_vec3_add(p, core->shift);
}

static void vertex_before(const gmc_gjk_core *a, const gmc_gjk_core *b, const gmc_gjk_span *span,
                          int k, gjk_vertex *v)
{
    v->of_a = span->of_a[k];
    v->of_b = span->of_b[k];
    v->a = numbered(a, v->of_a);
    v->b = numbered(b, v->of_b);
    v->w = gmc_vec3_sub(v->b, v->a);
}

/// The first simplex, and its point nearest to the origin.
static gmc_vec3 gjk_start(gmc_gjk_core *a, gmc_gjk_core *b, const gmc_gjk_span *span,
                          gmc_vec3 guess, gjk_simplex *s)
{
    int count =
        is_numbered(a) && is_numbered(b) && a->scale == 1 && b->scale == 1 ? span->count : 0;
    s->face = (gjk_face){.count = 1, .at = {0}, .weight = {1}};
    if (count == 0)
        vertex_along(a, b, guess, &s->pool[0]);
    else
        vertex_before(a, b, span, 0, &s->pool[0]);
    gmc_vec3 v = s->pool[0].w;
    for (int k = 1; k < count; k++) {
        int slot = free_slot(&s->face);
        vertex_before(a, b, span, k, &s->pool[slot]);
        (void)gjk_take_in(s, slot, &v);
    }
    return v;
}

static void gjk_finish(const gjk_simplex *s, gmc_vec3 nearest, gmc_gjk_result *result,
                       gmc_gjk_span *span)
{
    result->is_overlap = false;
    result->distance = gmc_vec3_norm(nearest);
    result->n = gmc_vec3_scale(1 / result->distance, nearest);
    result->p_a = result->p_b = (gmc_vec3){0, 0, 0};
    result->count = s->face.count;
    bool is_known = true;
    for (int k = 0; k < s->face.count; k++) {
        const gjk_vertex *v = &s->pool[s->face.at[k]];
        result->p_a = gmc_vec3_add_scaled(result->p_a, s->face.weight[k], v->a);
        result->p_b = gmc_vec3_add_scaled(result->p_b, s->face.weight[k], v->b);
        result->of_a[k] = v->of_a;
        result->of_b[k] = v->of_b;
        span->of_a[k] = (int16_t)v->of_a;
        span->of_b[k] = (int16_t)v->of_b;
        is_known = is_known && v->of_a >= 0 && v->of_b >= 0;
    }
    span->count = is_known ? (int16_t)s->face.count : 0;
}

gmc_gjk_result gmc_gjk_distance_again(gmc_gjk_core *a, gmc_gjk_core *b, gmc_gjk_span *span,
                                      gmc_vec3 guess, double size)
{
    gmc_gjk_result result = {.is_overlap = true};
    gjk_simplex s;
    gmc_vec3 v = gjk_start(a, b, span, guess, &s);
    double largest2 = gmc_vec3_dot(v, v);
    span->count = 0;
    for (result.supports = 1; result.supports < SUPPORT_MAX; result.supports++) {
        double v2 = gmc_vec3_dot(v, v);
        if (!(v2 > OVERLAP * size * OVERLAP * size)) return result;
        int slot = free_slot(&s.face);
        gjk_vertex *next = &s.pool[slot];
        vertex_along(a, b, v, next);
        double w2 = gmc_vec3_dot(next->w, next->w), along = gmc_vec3_dot(v, next->w);
        largest2 = w2 > largest2 ? w2 : largest2;
        if (v2 - along <= RELATIVE * v2 + ROUNDING * sqrt(v2 * largest2)) break;
        if (s.face.count == 3 && holds_origin(&s, slot)) return result;
        if (!gjk_take_in(&s, slot, &v)) {
            // rounding leaves no progress: apart only if the support point says so
            if (!(along > 0.5 * v2)) return result;
            break;
        }
    }
    gjk_finish(&s, v, &result, span);
    return result;
}

gmc_gjk_result gmc_gjk_distance(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 guess, double size)
{
    gmc_gjk_span none = {.count = 0};
    return gmc_gjk_distance_again(a, b, &none, guess, size);
}
