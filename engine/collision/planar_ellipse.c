// Circles enter as their centres, their radii are taken off at the end: so two circles and a point
// have closed forms, and a circle and a super-ellipse are a point and a super-ellipse.
//
// The bracket grows from the guess until the derivative changes its sign, then Brent's method
// [brent1973] finds the zero to rounding. Without a guess, or where the guess ends deep inside,
// twelve directions are tried first: solids that overlap have several directions in which s is
// locally largest, and all but the shallowest are wrong. Newton's method was rejected: at the flat
// and the sharp places of a super-ellipse the second derivative is infinite or zero.

#include "engine/collision/planar_ellipse.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

/// Directions tried: 15 degrees apart, the half plane towards the other solid. More and less may
/// not lie within one basin of a super-ellipse that is nearly a rectangle.
enum { TRIES = 12, HALF = TRIES / 2 };
/// First step away from a guess, and from the best direction tried [rad].
static const double NEAR = 1e-3, WIDE = 0.13;
/// A guess that ends deeper than this share of the solids' size is not believed.
static const double DEEP = 0.05;
/// Width of the last bracket [rad]: rounding of an angle.
static const double ANGLE = 2e-16;

/// What is left of a solid without its radius.
typedef struct core {
    const gmc_planar_solid *solid; ///< NULL: a point
    gmc_vec2 point;
} core;

typedef struct place {
    double angle; ///< from the base direction
    double slope; ///< n x (x_b - x_a)
} place;

typedef struct search {
    core a, b;
    gmc_vec2 base;
    // of the last direction looked at
    gmc_vec2 n, on_a, on_b;
    double s;
} search;

static gmc_vec2 farthest(const gmc_shape *shape, gmc_vec2 d)
{
    double a = shape->half.x, b = shape->half.y, p = shape->exponent;
    double u = a * fabs(d.x), v = b * fabs(d.y), large = u > v ? u : v, small = u > v ? v : u;
    // the smaller over the larger to the power q - 1 = 1/(p - 1); 1/(1 + r^q)^(1/p)
    double ratio = small / large, power = ratio > 0 ? gmc_pow(ratio, 1 / (p - 1)) : 0;
    double share = gmc_pow(1 + ratio * power, -1 / p);
    double x = a * (u > v ? share : share * power), y = b * (u > v ? share * power : share);
    return (gmc_vec2){copysign(x, d.x), copysign(y, d.y)};
}

gmc_vec2 gmc_planar_ellipse_support(const gmc_planar_solid *solid, gmc_vec2 n)
{
    if (solid->shape->type == GMC_SHAPE_CIRCLE)
        return gmc_vec2_add_scaled(solid->p, solid->shape->radius, n);
    GMC_ASSERT(solid->shape->type == GMC_SHAPE_SUPER_ELLIPSE);
    gmc_vec2 x = farthest(solid->shape, gmc_planar_turn_back(solid, n));
    return gmc_vec2_add(solid->p, gmc_planar_turn(solid, x));
}

static gmc_vec2 core_support(const core *c, gmc_vec2 n)
{
    return c->solid ? gmc_planar_ellipse_support(c->solid, n) : c->point;
}

/// Look at the direction `angle` from the base.
static double look(search *at, double angle)
{
    double sine, cosine;
    gmc_sin_cos(angle, &sine, &cosine);
    gmc_vec2 left = gmc_vec2_left(at->base);
    at->n = gmc_vec2_add_scaled(gmc_vec2_scale(cosine, at->base), sine, left);
    at->on_a = core_support(&at->a, at->n);
    at->on_b = core_support(&at->b, gmc_vec2_neg(at->n));
    gmc_vec2 d = gmc_vec2_sub(at->on_b, at->on_a);
    at->s = gmc_vec2_dot(at->n, d);
    return gmc_vec2_cross(at->n, d);
}

/// Zero between two places of different sign [brent1973].
static void find_zero(search *at, place a, place b)
{
    enum { LOOKS_MAX = 100 }; // bisection alone needs 54
    place c = a;
    double step = b.angle - a.angle, before = step;
    for (int i = 0; i < LOOKS_MAX; i++) {
        if ((b.slope > 0) == (c.slope > 0)) c = a, step = before = b.angle - a.angle;
        if (fabs(c.slope) < fabs(b.slope)) {
            place swap = b;
            a = b, b = c, c = swap;
        }
        double tolerance = ANGLE * (1 + 2 * fabs(b.angle)), half = (c.angle - b.angle) / 2;
        if (fabs(half) <= tolerance || b.slope == 0) break;
        if (fabs(before) >= tolerance && fabs(a.slope) > fabs(b.slope)) {
            // through three places, or two
            double r = b.slope / a.slope, p = 2 * half * r, q = 1 - r;
            if (a.angle != c.angle) {
                double s = a.slope / c.slope, t = b.slope / c.slope;
                p = r * (2 * half * s * (s - t) - (b.angle - a.angle) * (t - 1));
                q = (s - 1) * (t - 1) * (r - 1);
            }
            if (p > 0)
                q = -q;
            else
                p = -p;
            bool is_inside = 2 * p < 3 * half * q - fabs(tolerance * q);
            bool is_shrinking = p < fabs(before * q / 2);
            before = is_inside && is_shrinking ? step : half;
            step = is_inside && is_shrinking ? p / q : half;
        } else {
            step = before = half;
        }
        a = b;
        b.angle += fabs(step) > tolerance ? step : copysign(tolerance, half);
        b.slope = look(at, b.angle);
    }
    // near the flat places of a super-ellipse a support point moves far within the last bracket: it
    // is the place between the bracket's ends that the normal goes through
    if (b.slope != 0 && c.slope != 0) {
        (void)look(at, c.angle);
        gmc_vec2 on_a = at->on_a, on_b = at->on_b;
        double share = b.slope / (b.slope - c.slope);
        (void)look(at, b.angle);
        at->on_a = gmc_vec2_add_scaled(at->on_a, share, gmc_vec2_sub(on_a, at->on_a));
        at->on_b = gmc_vec2_add_scaled(at->on_b, share, gmc_vec2_sub(on_b, at->on_b));
    } else {
        (void)look(at, b.angle);
    }
}

/// Climb from the base direction to where s is largest. @return whether it was found
static bool climb(search *at, gmc_vec2 base, double first)
{
    at->base = base;
    place here = {0, look(at, 0)};
    double step = copysign(first, here.slope);
    while (here.slope != 0 && fabs(here.angle) < GMC_PI) {
        place next = {here.angle + step, 0};
        next.slope = look(at, next.angle);
        if ((next.slope > 0) != (here.slope > 0)) {
            find_zero(at, here, next);
            return true;
        }
        here = next;
        step *= 3;
    }
    return here.slope == 0;
}

/// Of the directions towards the other solid try some, and climb from the best ones.
static void climb_from_afar(search *at, gmc_vec2 towards)
{
    double s[TRIES + 1];
    at->base = towards;
    for (int i = 0; i <= TRIES; i++) {
        (void)look(at, GMC_PI * (i - HALF) / TRIES);
        s[i] = at->s;
    }
    search best = {.s = -HUGE_VAL};
    for (int i = 0; i <= TRIES; i++) {
        if ((i > 0 && s[i - 1] >= s[i]) || (i < TRIES && s[i + 1] > s[i])) continue;
        double sine, cosine;
        gmc_sin_cos(GMC_PI * (i - HALF) / TRIES, &sine, &cosine);
        gmc_vec2 base =
            gmc_vec2_add_scaled(gmc_vec2_scale(cosine, towards), sine, gmc_vec2_left(towards));
        if (climb(at, base, WIDE) && at->s > best.s) best = *at;
        if (best.s > 0) break; // there is no other
    }
    if (best.s > -HUGE_VAL) *at = best;
}

static double size_of(const core *c)
{
    return c->solid ? fmax(c->solid->shape->half.x, c->solid->shape->half.y) : 0;
}

static gmc_planar_gap find_gap(core a, core b, double radius_a, double radius_b, gmc_vec2 guess)
{
    search at = {.a = a, .b = b};
    gmc_vec2 towards = gmc_vec2_sub(b.solid ? b.solid->p : b.point, a.solid ? a.solid->p : a.point);
    double distance = gmc_vec2_norm(towards);
    // concentric: any direction is as good to start from
    towards = distance > 0 ? gmc_vec2_scale(1 / distance, towards) : (gmc_vec2){1, 0};
    if (!a.solid && !b.solid) {
        at.n = towards, at.s = distance;
        at.on_a = a.point, at.on_b = b.point;
    } else {
        bool is_guessed = guess.x != 0 || guess.y != 0;
        double deep = -DEEP * (size_of(&a) + size_of(&b));
        if (!is_guessed || !climb(&at, gmc_vec2_unit(guess), NEAR) || at.s < deep)
            climb_from_afar(&at, towards);
    }
    return (gmc_planar_gap){.n = at.n,
                            .gap = at.s - radius_a - radius_b,
                            .on_a = gmc_vec2_add_scaled(at.on_a, radius_a, at.n),
                            .on_b = gmc_vec2_add_scaled(at.on_b, -radius_b, at.n)};
}

static core core_of(const gmc_planar_solid *solid, double *radius)
{
    bool is_circle = solid->shape->type == GMC_SHAPE_CIRCLE;
    *radius = is_circle ? solid->shape->radius : 0;
    return (core){.solid = is_circle ? NULL : solid, .point = solid->p};
}

gmc_planar_gap gmc_planar_ellipse_gap(const gmc_planar_solid *a, const gmc_planar_solid *b,
                                      gmc_vec2 guess)
{
    double radius_a, radius_b;
    core core_a = core_of(a, &radius_a), core_b = core_of(b, &radius_b);
    return find_gap(core_a, core_b, radius_a, radius_b, guess);
}

gmc_planar_gap gmc_planar_ellipse_point(gmc_vec2 point, const gmc_planar_solid *b, gmc_vec2 guess)
{
    double radius;
    core core_b = core_of(b, &radius);
    return find_gap((core){.point = point}, core_b, 0, radius, guess);
}
