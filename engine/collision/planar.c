// Two solids of one plane: out of three dimensions, to the function of their kinds, and back.
#include "engine/collision/planar.h"

#include "engine/base/check.h"
#include "engine/collision/manifold.h"
#include "engine/math/elementary.h"
#include "engine/math/vec2.h"

/// A planar solid in the frame of one query.
typedef struct planar_solid {
    const gmc_shape *shape;
    double c, s; ///< cosine and sine of its angle
    gmc_vec2 p;  ///< origin of its frame [m]
} planar_solid;

/// Two planar solids. Motion is h times the velocity of b against a as the step begins.
typedef struct planar_query {
    planar_solid a, b;
    gmc_vec2 drift; ///< at the query frame's origin [m]
    double spin;    ///< [rad]
    double bend;    ///< how far a path leaves its tangent within the step, at most [m]
    double reach;   ///< points up to this gap are wanted, and those that come so near [m]
    double margin;  ///< solids farther apart than this do not touch within the step [m]
    double size;    ///< smaller bounding radius [m]
    gmc_pair_cache *cache;
    bool is_swapped; ///< a is the pair's b: features and normals are to be turned round
} planar_query;

static inline gmc_vec2 planar_turn(const planar_solid *solid, gmc_vec2 v)
{
    return (gmc_vec2){solid->c * v.x - solid->s * v.y, solid->s * v.x + solid->c * v.y};
}

static inline gmc_vec2 planar_turn_back(const planar_solid *solid, gmc_vec2 v)
{
    return (gmc_vec2){solid->c * v.x + solid->s * v.y, solid->c * v.y - solid->s * v.x};
}

static inline gmc_vec2 planar_vertex(const planar_solid *solid, int i)
{
    gmc_vec2 v = gmc_vec2_scale(solid->shape->scale, solid->shape->polygon->vertices[i]);
    return gmc_vec2_add(solid->p, planar_turn(solid, v));
}

static inline gmc_vec2 planar_normal(const planar_solid *solid, int edge)
{
    return planar_turn(solid, solid->shape->polygon->normals[edge]);
}

/// How far b comes towards a along n at the point x within the step; negative: it goes away [m].
static inline double planar_approach(const planar_query *q, gmc_vec2 n, gmc_vec2 x)
{
    return -(gmc_vec2_dot(n, q->drift) + q->spin * gmc_vec2_cross(x, n));
}

/// Is a gap among those that may touch?
static inline bool planar_may_touch(const planar_query *q, double gap, double approach)
{
    return gap <= q->reach + (approach > 0 ? approach : 0);
}

/// Overlap that passes for touching where a direction of separation is chosen, over `size`. A body
/// that slides from one plate to the next, both flush, lies this deep in the next one's height.
#define PLANAR_FLUSH 1e-3

/// A vertex this share of an edge beyond its end still touches it if the outline turns inwards
/// there: it dips into the edge behind.
#define PLANAR_REFLEX_REACH 0.1

/// An edge of a piece that overlaps by this much more than another direction, over `size`, has
/// nothing to do with the contact.
#define PLANAR_INNER 0.02

/// Remember that n, from a to b, parts the two by more than the margin.
static inline void planar_part(const planar_query *q, gmc_vec2 n)
{
    gmc_vec2 from_a =
        q->is_swapped ? planar_turn_back(&q->b, gmc_vec2_neg(n)) : planar_turn_back(&q->a, n);
    q->cache->is_apart = true;
    q->cache->apart = (gmc_vec3){from_a.x, from_a.y, 0};
}

/// Nearest points of two round solids.
typedef struct planar_gap {
    gmc_vec2 n;          ///< unit, from a to b
    double gap;          ///< < 0: overlapping [m]
    gmc_vec2 on_a, on_b; ///< where the normal leaves a and b [m]
} planar_gap;

/// How far beyond the ends of an edge of a piece the other body may touch it [m].
static void planar_edge_ends(const planar_solid *solid, int edge, double length, double *first,
                             double *last)
{
    const gmc_polygon_piece *p = solid->shape->polygon;
    int end = edge + 1 < p->count ? edge + 1 : 0;
    double more = PLANAR_REFLEX_REACH * length;
    *first = p->corners[edge] == GMC_POLYGON_REFLEX ? -more : 0;
    *last = p->corners[end] == GMC_POLYGON_REFLEX ? length + more : length;
}

/// Is the direction n, outwards from the solid, one in which the whole polygon's vertex is
/// farthest?
/// @param slack  sine of the angle by which it may miss that
static bool planar_is_corner(const planar_solid *solid, int vertex, gmc_vec2 n, double slack)
{
    const gmc_polygon_cone *cone = &solid->shape->polygon->cones[vertex];
    gmc_vec2 d = planar_turn_back(solid, n);
    return gmc_vec2_cross(cone->before, d) >= -slack && gmc_vec2_cross(d, cone->behind) >= -slack &&
           gmc_vec2_dot(gmc_vec2_add(cone->before, cone->behind), d) > 0;
}

// ---- circles and super-ellipses ----------------------------------------------------------------
//
// Distance and normal of round planar solids: points, circles, super-ellipses.
//
// A direction n separates two convex solids by s(n) = n·(x_b - x_a), x_a the farthest point of a
// along n and x_b that of b along -n; the gap is the largest s over all n. Its derivative along
// the turn of n is n x (x_b - x_a), because support points do not move along n: no curvature is
// needed, which super-ellipses do not have where their axes leave them. A zero of it in a bracket
// is the common normal. While s > 0 there is only one.
//
// |x/a|^p + |y/b|^p = 1 has the support function (|a u|^q + |b v|^q)^(1/q), 1/p + 1/q = 1
// (Hölder).
// Circles enter as their centres, their radii are taken off at the end: so two circles and a point
// have closed forms, and a circle and a super-ellipse are a point and a super-ellipse.
//
// The bracket grows from the guess until the derivative changes its sign, then Brent's method
// [brent1973] finds the zero to rounding. Without a guess, or where the guess ends deep inside,
// twelve directions are tried first: solids that overlap have several directions in which s is
// locally largest, and all but the shallowest are wrong. Newton's method was rejected: at the flat
// and the sharp places of a super-ellipse the second derivative is infinite or zero.

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
    const planar_solid *solid; ///< NULL: a point
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

/// Farthest point of a circle or super-ellipse along the unit vector n, query frame.
static gmc_vec2 planar_ellipse_support(const planar_solid *solid, gmc_vec2 n)
{
    if (solid->shape->type == GMC_SHAPE_CIRCLE)
        return gmc_vec2_add_scaled(solid->p, solid->shape->radius, n);
    GMC_ASSERT(solid->shape->type == GMC_SHAPE_SUPER_ELLIPSE);
    gmc_vec2 x = farthest(solid->shape, planar_turn_back(solid, n));
    return gmc_vec2_add(solid->p, planar_turn(solid, x));
}

static gmc_vec2 core_support(const core *c, gmc_vec2 n)
{
    return c->solid ? planar_ellipse_support(c->solid, n) : c->point;
}

/// Look at the direction `angle` from the base.
static double planar_look(search *at, double angle)
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
        b.slope = planar_look(at, b.angle);
    }
    // near the flat places of a super-ellipse a support point moves far within the last bracket: it
    // is the place between the bracket's ends that the normal goes through
    if (b.slope != 0 && c.slope != 0) {
        (void)planar_look(at, c.angle);
        gmc_vec2 on_a = at->on_a, on_b = at->on_b;
        double share = b.slope / (b.slope - c.slope);
        (void)planar_look(at, b.angle);
        at->on_a = gmc_vec2_add_scaled(at->on_a, share, gmc_vec2_sub(on_a, at->on_a));
        at->on_b = gmc_vec2_add_scaled(at->on_b, share, gmc_vec2_sub(on_b, at->on_b));
    } else {
        (void)planar_look(at, b.angle);
    }
}

/// Climb from the base direction to where s is largest. @return whether it was found
static bool climb(search *at, gmc_vec2 base, double first)
{
    at->base = base;
    place here = {0, planar_look(at, 0)};
    double step = copysign(first, here.slope);
    while (here.slope != 0 && fabs(here.angle) < GMC_PI) {
        place next = {here.angle + step, 0};
        next.slope = planar_look(at, next.angle);
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
        (void)planar_look(at, GMC_PI * (i - HALF) / TRIES);
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

static planar_gap find_gap(core a, core b, double radius_a, double radius_b, gmc_vec2 guess)
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
    return (planar_gap){.n = at.n,
                        .gap = at.s - radius_a - radius_b,
                        .on_a = gmc_vec2_add_scaled(at.on_a, radius_a, at.n),
                        .on_b = gmc_vec2_add_scaled(at.on_b, -radius_b, at.n)};
}

static core core_of(const planar_solid *solid, double *radius)
{
    bool is_circle = solid->shape->type == GMC_SHAPE_CIRCLE;
    *radius = is_circle ? solid->shape->radius : 0;
    return (core){.solid = is_circle ? NULL : solid, .point = solid->p};
}

/// Gap of two solids, circles or super-ellipses.
/// @param guess  a normal of the call before, query frame; zero: none
static planar_gap planar_ellipse_gap(const planar_solid *a, const planar_solid *b, gmc_vec2 guess)
{
    double radius_a, radius_b;
    core core_a = core_of(a, &radius_a), core_b = core_of(b, &radius_b);
    return find_gap(core_a, core_b, radius_a, radius_b, guess);
}

/// The same of a point and a solid: a is the point.
static planar_gap planar_ellipse_point(gmc_vec2 point, const planar_solid *b, gmc_vec2 guess)
{
    double radius;
    core core_b = core_of(b, &radius);
    return find_gap((core){.point = point}, core_b, 0, radius, guess);
}

// ---- two polygons ------------------------------------------------------------------------------
//
// Polygons by separating directions: the normals of all edges, and for corners the line between the
// two nearest vertices. What is taken is the direction that separates most at the end of the step,
// among those in which the bodies do not overlap now (planar.h); of an overlap the shallowest. The
// direction must be one in which they face each other: some vertex stands over the edge.
//
// If it is not, the bodies pass each other in that direction (one slides along a floor towards the
// next plate of it), and there is no contact; unless they will overlap in it as well, then it is
// the next best direction.
//
// Points are the vertices of the other polygon over the edge, and the ends of the edge below the
// other's outline, those that may touch. Edges parallel to 1e-6 are nothing special: both vertices
// are over the edge.

/// Directions remembered: those in front of the other body of two small pieces, with room.
enum { DIRECTIONS_MAX = 8 };
/// Vertices looked at to each side of the nearest one.
enum { AROUND_MAX = 2 };
/// Rounding of a gap, over `size`, and of a cone.
static const double REALISED = 1e-11;
/// Sine by which a direction may miss a vertex's own cone, before the step's turn is added.
static const double CONE_SLACK = 0.1;

typedef struct direction {
    int edge;        ///< of a; -1 - edge of b
    int nearest;     ///< vertex of the other polygon
    gmc_vec2 n;      ///< outwards from the edge
    double s;        ///< separation now [m]
    double s_at_end; ///< at the end of the step
    double rank;     ///< the same, with a head start for the direction of the call before
} direction;

typedef struct separation {
    direction *best; ///< (count) outer edges, largest rank first
    int count;
    double s;       ///< largest over all edges, inner ones included [m]
    int edge;       ///< its edge, as above
    int nearest;    ///< its vertex
    direction most; ///< that of largest s among outer edges
    double known;   ///< s of the direction of the call before, -inf: none [m]
} separation;

static void insert(separation *sep, const direction *d)
{
    bool is_full = sep->count == DIRECTIONS_MAX;
    if (is_full && sep->best[DIRECTIONS_MAX - 1].rank >= d->rank) return;
    int k = is_full ? DIRECTIONS_MAX - 1 : sep->count++;
    for (; k > 0 && sep->best[k - 1].rank < d->rank; k--)
        sep->best[k] = sep->best[k - 1];
    sep->best[k] = *d;
}

/// One polygon as the other sees it: most edges look away, and are done in the frame of their own.
typedef struct sight {
    double c, s;     ///< cosine and sine of its angle
    gmc_vec2 p;      ///< its origin [m]
    gmc_vec2 centre; ///< that of its bounding box: a convex polygon holds it [m]
    const gmc_polygon_piece *piece;
    double scale;
} sight;

static sight sight_of(const planar_solid *own, const planar_solid *other)
{
    sight seen = {.c = own->c * other->c + own->s * other->s,
                  .s = own->c * other->s - own->s * other->c,
                  .p = planar_turn_back(own, gmc_vec2_sub(other->p, own->p)),
                  .piece = other->shape->polygon,
                  .scale = other->shape->scale};
    gmc_vec2 centre = gmc_vec2_scale(seen.scale, seen.piece->centre);
    seen.centre = (gmc_vec2){seen.p.x + seen.c * centre.x - seen.s * centre.y,
                             seen.p.y + seen.s * centre.x + seen.c * centre.y};
    return seen;
}

/// Smallest component of the vertices along a direction. Which one it is nobody asks: a minimum
/// alone is found in a third of the time.
static double least_of(const gmc_polygon_piece *p, gmc_vec2 along)
{
    double least = HUGE_VAL;
    for (int i = 0; i < p->count; i++)
        least = gmc_pair_min(gmc_vec2_dot(along, p->vertices[i]), least);
    return least;
}

/// A direction of one polygon's frame in the other's, times the other's scale.
static gmc_vec2 as_other_sees(const sight *other, gmc_vec2 n)
{
    return (gmc_vec2){other->scale * (other->c * n.x + other->s * n.y),
                      other->scale * (other->c * n.y - other->s * n.x)};
}

/// Smallest separation of the vertices along n, from the line through `from`; below `floor` the
/// search is given up.
/// @param vertex  out: the nearest, -1 if it was given up
static double nearest_along(const sight *other, gmc_vec2 n, gmc_vec2 from, double floor,
                            int *vertex)
{
    const gmc_vec2 *v = other->piece->vertices;
    double least = HUGE_VAL, base = gmc_vec2_dot(n, gmc_vec2_sub(other->p, from));
    gmc_vec2 along = as_other_sees(other, n);
    *vertex = -1;
    for (int i = 0; i < other->piece->count; i++) {
        double s = base + gmc_vec2_dot(along, v[i]);
        if (!(s < least)) continue;
        least = s;
        *vertex = i;
        if (s < floor) {
            *vertex = -1;
            break;
        }
    }
    return least;
}

/// The same at the end of the step: of two vertices the one that turns in may be the nearer then.
/// @param d  of the edge, outwards; its polygon is b if `is_b`
static double nearest_at_end(const planar_query *q, const planar_solid *other, bool is_b,
                             const direction *d, double offset)
{
    gmc_vec2 n_ab = is_b ? gmc_vec2_neg(d->n) : d->n;
    if (q->spin == 0) return d->s + gmc_vec2_dot(n_ab, q->drift);
    // the separation at x grows by n_ab·drift + spin x × n_ab, which is linear in x
    const gmc_polygon_piece *p = other->shape->polygon;
    gmc_vec2 e = {d->n.x + q->spin * n_ab.y, d->n.y - q->spin * n_ab.x};
    gmc_vec2 own = gmc_vec2_scale(other->shape->scale, planar_turn_back(other, e));
    return least_of(p, own) + gmc_vec2_dot(e, other->p) - offset + gmc_vec2_dot(n_ab, q->drift);
}

/// Separation along the direction of the call before: what it leaves little to look for.
static double known_separation(const planar_query *q)
{
    int axis = q->cache->axis;
    if (axis == 0) return -HUGE_VAL;
    const planar_solid *own = axis < 0 ? &q->b : &q->a, *other = axis < 0 ? &q->a : &q->b;
    int edge = axis < 0 ? -1 - axis : axis - 1;
    sight seen = sight_of(own, other);
    const gmc_polygon_piece *p = own->shape->polygon;
    gmc_vec2 from = gmc_vec2_scale(own->shape->scale, p->vertices[edge]), n = p->normals[edge];
    return gmc_vec2_dot(n, gmc_vec2_sub(seen.p, from)) +
           least_of(seen.piece, as_other_sees(&seen, n));
}

/// Separation along the normals of one polygon's edges. @return false: one of them parts the two
static bool separate(const planar_query *q, bool is_b, separation *sep)
{
    const planar_solid *own = is_b ? &q->b : &q->a, *other = is_b ? &q->a : &q->b;
    const gmc_polygon_piece *p = own->shape->polygon;
    double keep = GMC_PAIR_AXIS_KEEP * q->size, worst = PLANAR_INNER * q->size;
    sight seen = sight_of(own, other);
    for (int i = 0; i < p->count; i++) {
        gmc_vec2 from = gmc_vec2_scale(own->shape->scale, p->vertices[i]);
        double floor = gmc_pair_min(gmc_pair_max(sep->s, sep->known), 0) - worst;
        // no vertex is farther along n than a point inside
        if (gmc_vec2_dot(p->normals[i], gmc_vec2_sub(seen.centre, from)) < floor) continue;
        int nearest;
        double s = nearest_along(&seen, p->normals[i], from, floor, &nearest);
        if (nearest < 0) continue;
        direction d = {
            .edge = is_b ? -1 - i : i, .nearest = nearest, .n = planar_normal(own, i), .s = s};
        double offset = gmc_vec2_dot(d.n, planar_vertex(own, i));
        if (d.s > q->margin) {
            planar_part(q, is_b ? gmc_vec2_neg(d.n) : d.n);
            return false;
        }
        if (d.s > sep->s) sep->s = d.s, sep->edge = d.edge, sep->nearest = d.nearest;
        // an edge can touch neither from within nor a vertex that points inwards
        if (p->is_inner[i] || other->shape->polygon->corners[d.nearest] == GMC_POLYGON_REFLEX)
            continue;
        d.s_at_end = nearest_at_end(q, other, is_b, &d, offset);
        if (d.s > sep->most.s) sep->most = d;
        d.rank = d.s_at_end + (q->cache->axis == (is_b ? -1 - i : i + 1) ? keep : 0);
        insert(sep, &d);
    }
    return true;
}

// ---- points of an edge -------------------------------------------------------------------------

/// One edge of `own` and what of `other` stands over it.
typedef struct facing {
    const planar_query *q;
    const planar_solid *own, *other;
    bool is_b; ///< own is the query's b
    int edge;
    gmc_vec2 n, along, from; ///< outwards; unit from the edge's first vertex on; that vertex
    double length;
    double first, last; ///< where on the edge it may be touched [m]
    gmc_manifold *manifold;
} facing;

static uint64_t vertex_name(const planar_query *q, bool of_b, int vertex)
{
    bool is_second = of_b != q->is_swapped;
    return is_second ? gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, vertex)
                     : gmc_pair_feature(GMC_FEATURE_VERTEX_A, vertex, 0);
}

static void add_point(facing *f, gmc_vec2 x, double gap, uint64_t feature)
{
    gmc_vec2 n_ab = f->is_b ? gmc_vec2_neg(f->n) : f->n;
    if (!planar_may_touch(f->q, gap, planar_approach(f->q, n_ab, x))) return;
    if (f->manifold->count == GMC_PAIR_POINT_MAX) return;
    gmc_vec2 middle = gmc_vec2_add_scaled(x, -0.5 * gap, f->n);
    gmc_manifold_add(f->manifold, (gmc_vec3){middle.x, middle.y, 0}, gap, feature);
}

static inline int next_of(const gmc_polygon_piece *p, int i)
{
    return i + 1 < p->count ? i + 1 : 0;
}

static inline int before(const gmc_polygon_piece *p, int i) { return (i > 0 ? i : p->count) - 1; }

/// How far beyond an edge a vertex of the other polygon still stands for the corner [m].
static double vertex_reach(const facing *f, int vertex)
{
    bool was_kept = gmc_pair_was_kept(f->q->cache, vertex_name(f->q, !f->is_b, vertex));
    return (was_kept ? GMC_PAIR_TOUCH_KEEP : GMC_PAIR_TOUCH_NEW) * f->q->size;
}

/// A vertex of the other polygon, if it stands over the edge and speaks for itself.
static void add_vertex(facing *f, int vertex)
{
    const gmc_polygon_piece *p = f->other->shape->polygon;
    gmc_vec2 x = planar_vertex(f->other, vertex), r = gmc_vec2_sub(x, f->from);
    double t = gmc_vec2_dot(f->along, r), gap = gmc_vec2_dot(f->n, r);
    if (!(t >= f->first && t <= f->last)) {
        double tolerance = vertex_reach(f, vertex);
        if (!(t >= f->first - tolerance && t <= f->last + tolerance)) return;
    }
    if (p->has_inner) {
        double slack = CONE_SLACK + fabs(f->q->spin);
        if (p->corners[vertex] != GMC_POLYGON_CONVEX ||
            !planar_is_corner(f->other, vertex, gmc_vec2_neg(f->n), slack))
            return;
    }
    add_point(f, x, gap, vertex_name(f->q, !f->is_b, vertex));
}

/// An end of the edge, if one of the two outer edges of the other polygon at `nearest` passes over
/// it.
static void add_end(facing *f, int end, double at, int nearest)
{
    const gmc_polygon_piece *own = f->own->shape->polygon, *p = f->other->shape->polygon;
    if (own->corners[end] != GMC_POLYGON_CONVEX) return;
    for (int k = 0; k < 2; k++) {
        int edge = k == 0 ? nearest : before(p, nearest), next = next_of(p, edge);
        if (p->is_inner[edge]) continue;
        gmc_vec2 a = gmc_vec2_sub(planar_vertex(f->other, edge), f->from);
        gmc_vec2 b = gmc_vec2_sub(planar_vertex(f->other, next), f->from);
        double ta = gmc_vec2_dot(f->along, a), tb = gmc_vec2_dot(f->along, b);
        // its front runs backwards along this edge; near its ends its own vertex stands for both
        if (!(ta > at + vertex_reach(f, edge) && tb < at - vertex_reach(f, next))) continue;
        double za = gmc_vec2_dot(f->n, a), zb = gmc_vec2_dot(f->n, b);
        double gap = za + (zb - za) * (ta - at) / (ta - tb);
        gmc_vec2 x = gmc_vec2_add_scaled(gmc_vec2_add_scaled(f->from, at, f->along), gap, f->n);
        add_point(f, x, gap, vertex_name(f->q, f->is_b, end));
        return;
    }
}

/// Smallest gap of the other polygon's outline around its nearest vertex, over the edge.
static double over_edge(const facing *f, int nearest)
{
    const gmc_polygon_piece *p = f->other->shape->polygon;
    double least = HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        int edge = k == 0 ? nearest : before(p, nearest), next = next_of(p, edge);
        gmc_vec2 a = gmc_vec2_sub(planar_vertex(f->other, edge), f->from);
        gmc_vec2 b = gmc_vec2_sub(planar_vertex(f->other, next), f->from);
        double ta = gmc_vec2_dot(f->along, a), za = gmc_vec2_dot(f->n, a);
        double dt = gmc_vec2_dot(f->along, b) - ta, dz = gmc_vec2_dot(f->n, b) - za;
        double one = (f->first - ta) / dt, other = (f->last - ta) / dt; // dt 0: +-inf or NaN
        double from = gmc_pair_max(0, gmc_pair_min(one, other));
        double to = gmc_pair_min(1, gmc_pair_max(one, other));
        if (dt == 0) from = 0, to = ta >= f->first && ta <= f->last ? 1 : -1;
        if (from <= to) least = gmc_pair_min(least, za + dz * (dz > 0 ? from : to));
    }
    return least;
}

/// Points between an edge and what stands over it.
/// @param is_last  also if that is not as near as the direction says: corners that overlap like
///                 scissors, where there is no better direction
/// @return false: nothing stands there
static bool face(const planar_query *q, const direction *d, bool is_last, gmc_manifold *manifold)
{
    bool is_b = d->edge < 0;
    facing f = {.q = q,
                .own = is_b ? &q->b : &q->a,
                .other = is_b ? &q->a : &q->b,
                .is_b = is_b,
                .edge = is_b ? -1 - d->edge : d->edge,
                .n = d->n,
                .manifold = manifold};
    const gmc_polygon_piece *own = f.own->shape->polygon, *p = f.other->shape->polygon;
    int end = next_of(own, f.edge);
    f.from = planar_vertex(f.own, f.edge);
    f.along = gmc_vec2_left(f.n);
    f.length = gmc_vec2_dot(f.along, gmc_vec2_sub(planar_vertex(f.own, end), f.from));
    planar_edge_ends(f.own, f.edge, f.length, &f.first, &f.last);
    manifold->n = (gmc_vec3){f.n.x, f.n.y, 0};
    if (is_b) manifold->n = gmc_vec3_neg(manifold->n);
    manifold->count = 0;

    double nearest = over_edge(&f, d->nearest);
    if (!(nearest < HUGE_VAL) || (!is_last && nearest > d->s + REALISED * q->size)) return false;
    add_vertex(&f, d->nearest);
    int around = p->count - 1 < 2 * AROUND_MAX ? p->count - 1 : 2 * AROUND_MAX;
    for (int k = 1; k <= around; k++) {
        int at = d->nearest + (k % 2 ? (k + 1) / 2 : p->count - k / 2);
        add_vertex(&f, at < p->count ? at : at - p->count);
    }
    add_end(&f, f.edge, 0, d->nearest);
    add_end(&f, end, f.length, d->nearest);
    return true;
}

// ---- two corners -------------------------------------------------------------------------------

typedef struct corners {
    int a, b;
    double distance;
    gmc_vec2 n, on_a;
} corners;

static corners nearest_corners(const planar_query *q)
{
    const gmc_polygon_piece *pa = q->a.shape->polygon, *pb = q->b.shape->polygon;
    corners c = {.distance = HUGE_VAL};
    double least = HUGE_VAL;
    for (int i = 0; i < pa->count; i++) {
        gmc_vec2 x = planar_vertex(&q->a, i);
        for (int j = 0; j < pb->count; j++) {
            gmc_vec2 d = gmc_vec2_sub(planar_vertex(&q->b, j), x);
            double d2 = gmc_vec2_dot(d, d);
            if (d2 < least) least = d2, c.a = i, c.b = j, c.n = d, c.on_a = x;
        }
    }
    c.distance = sqrt(least);
    c.n = c.distance > 0 ? gmc_vec2_scale(1 / c.distance, c.n) : (gmc_vec2){0, 0};
    return c;
}

static bool is_own_corner(const planar_solid *solid, int vertex, gmc_vec2 n)
{
    const gmc_polygon_piece *p = solid->shape->polygon;
    return !p->has_inner || (p->corners[vertex] == GMC_POLYGON_CONVEX &&
                             planar_is_corner(solid, vertex, n, REALISED));
}

static void meet_at_corners(const planar_query *q, const corners *c, gmc_manifold *manifold)
{
    manifold->count = 0;
    gmc_vec2 middle = gmc_vec2_add_scaled(c->on_a, 0.5 * c->distance, c->n);
    gmc_vec2 on_b = gmc_vec2_add_scaled(c->on_a, c->distance, c->n);
    if (!planar_may_touch(q, c->distance, planar_approach(q, c->n, on_b))) return;
    uint64_t of_a = vertex_name(q, false, c->a), of_b = vertex_name(q, true, c->b);
    bool is_b = gmc_pair_was_kept(q->cache, of_b) && !gmc_pair_was_kept(q->cache, of_a);
    gmc_manifold_single((gmc_vec3){c->n.x, c->n.y, 0}, (gmc_vec3){middle.x, middle.y, 0},
                        c->distance, is_b ? of_b : of_a, manifold);
}

// ---- the pair ----------------------------------------------------------------------------------

/// Are the nearest features two corners? Not if something stands over the edge that separates most.
static bool is_between_corners(const planar_query *q, const separation *sep)
{
    bool is_b = sep->edge < 0;
    facing f = {.q = q,
                .own = is_b ? &q->b : &q->a,
                .other = is_b ? &q->a : &q->b,
                .edge = is_b ? -1 - sep->edge : sep->edge};
    int end = (f.edge + 1) % f.own->shape->polygon->count;
    f.n = planar_normal(f.own, f.edge);
    f.from = planar_vertex(f.own, f.edge);
    f.along = gmc_vec2_left(f.n);
    f.length = gmc_vec2_dot(f.along, gmc_vec2_sub(planar_vertex(f.own, end), f.from));
    planar_edge_ends(f.own, f.edge, f.length, &f.first, &f.last);
    return over_edge(&f, sep->nearest) > sep->s + REALISED * q->size;
}

/// Does a direction still separate at the end of the step, as much as it does now or enough? Paths
/// leave their tangents by up to `bend`; and an edge of b turns while b moves along it: with n(t)
/// of the edge and the centre of b at c + v t, s(t) = n · (x - c - v t) - const has
/// s''/2 = -θ²/2 n · (x - c) - θ left(n) · v.
static bool separates_on(const planar_query *q, const direction *d)
{
    double enough = gmc_pair_min(d->s, 0) - GMC_PAIR_AXIS_KEEP * q->size;
    if (!(d->s_at_end - q->bend >= enough)) return false;
    if (d->edge >= 0) return true;
    gmc_vec2 v = gmc_vec2_add_scaled(q->drift, q->spin, gmc_vec2_left(q->b.p));
    gmc_vec2 out = gmc_vec2_sub(planar_vertex(&q->a, d->nearest), q->b.p);
    double second = -0.5 * q->spin * q->spin * gmc_vec2_dot(d->n, out) -
                    q->spin * gmc_vec2_dot(gmc_vec2_left(d->n), v);
    return d->s_at_end + second >= enough;
}

/// Of the directions in which the bodies do not overlap, or as little as in any, the best one in
/// which they face each other.
static void choose(const planar_query *q, const separation *sep, gmc_manifold *manifold)
{
    bool has_inner = q->a.shape->polygon->has_inner || q->b.shape->polygon->has_inner;
    double flush = PLANAR_FLUSH * q->size, keep = GMC_PAIR_AXIS_KEEP * q->size;
    double least = sep->most.s > 0 ? -flush : sep->most.s - keep;
    double passing = -HUGE_VAL, at_corners = -HUGE_VAL;
    corners c = {.distance = 0};
    // an inner edge parts them: the other piece has the contact, if there is one
    if (sep->most.s < sep->s - PLANAR_INNER * q->size && sep->most.s < 0) return;
    if (sep->s > 0 && is_between_corners(q, sep)) {
        c = nearest_corners(q);
        gmc_vec2 on_b = gmc_vec2_add_scaled(c.on_a, c.distance, c.n);
        at_corners = c.distance - planar_approach(q, c.n, on_b);
        if (!is_own_corner(&q->a, c.a, c.n) || !is_own_corner(&q->b, c.b, gmc_vec2_neg(c.n)))
            at_corners = -HUGE_VAL;
    }
    for (int k = 0; k < sep->count; k++) {
        const direction *d = &sep->best[k];
        if (d->s < least) continue;
        if (d->rank <= at_corners) break;
        if (!face(q, d, false, manifold)) {
            if (sep->s > 0 && separates_on(q, d)) passing = gmc_pair_max(passing, d->s_at_end);
            manifold->count = 0;
            continue;
        }
        if (d->s_at_end < -flush && passing > d->s_at_end + keep) manifold->count = 0;
        q->cache->axis = d->edge < 0 ? d->edge : d->edge + 1;
        return;
    }
    if (at_corners > -HUGE_VAL) {
        if (!(at_corners < -flush && passing > at_corners + keep)) meet_at_corners(q, &c, manifold);
    } else if (sep->s <= 0 && !has_inner && sep->count > 0) {
        (void)face(q, &sep->most, true, manifold);
    }
}

/// Polygon a against polygon b. Normal from a to b.
static void planar_polygons(planar_query *query, gmc_manifold *manifold)
{
    direction best[DIRECTIONS_MAX]; // written as far as they are counted
    separation sep = {
        .best = best, .s = -HUGE_VAL, .most = {.s = -HUGE_VAL}, .known = known_separation(query)};
    manifold->count = 0;
    manifold->n = (gmc_vec3){0, 0, 0};
    if (!separate(query, false, &sep) || !separate(query, true, &sep)) return;
    choose(query, &sep, manifold);
}

// ---- a polygon and what is round ---------------------------------------------------------------
//
// A polygon against a circle or a super-ellipse: each outer edge that faces it, each vertex that
// may be nearest to it. Of those that overlap the shallowest counts, of those apart there is one;
// which direction separates at the end of the step decides as for two polygons.
// Where the round solid would pass beside an edge, that edge is the contact, not the corner that it
// would pass: nothing is in its way, but what else it meets cannot throw it into the polygon.

/// A direction in which the two may be held apart.
typedef struct part {
    gmc_vec2 n;     ///< outwards from the polygon
    double gap;     ///< [m]
    double at_end;  ///< as the bodies move now [m]
    gmc_vec2 on_b;  ///< nearest point of the round solid
    bool is_facing; ///< it stands over the edge
} part;

static double radius_of(const gmc_shape *shape)
{
    return shape->type == GMC_SHAPE_CIRCLE ? shape->radius : gmc_shape_radius(shape);
}

/// Separation along n at the end of the step, from the line through `from`: of a round solid that
/// turns another point may be the nearest then.
static double at_end_of(const planar_query *q, gmc_vec2 n, gmc_vec2 from, double gap, gmc_vec2 on_b)
{
    if (q->spin == 0) return gap - planar_approach(q, n, on_b);
    // it grows by n·drift + spin x × n, which is linear in x
    gmc_vec2 e = {n.x + q->spin * n.y, n.y - q->spin * n.x};
    gmc_vec2 x = planar_ellipse_support(&q->b, gmc_vec2_neg(gmc_vec2_unit(e)));
    return gmc_vec2_dot(e, x) - gmc_vec2_dot(n, from) + gmc_vec2_dot(n, q->drift);
}

static part round_over_edge(const planar_query *q, int edge, gmc_vec2 n, gmc_vec2 from)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    gmc_vec2 on_b = planar_ellipse_support(&q->b, gmc_vec2_neg(n));
    gmc_vec2 to = planar_vertex(&q->a, edge + 1 < p->count ? edge + 1 : 0);
    gmc_vec2 along = gmc_vec2_left(n), r = gmc_vec2_sub(on_b, from);
    double length = gmc_vec2_dot(along, gmc_vec2_sub(to, from)), first, last;
    planar_edge_ends(&q->a, edge, length, &first, &last);
    double t = gmc_vec2_dot(along, r), gap = gmc_vec2_dot(n, r);
    return (part){n, gap, at_end_of(q, n, from, gap, on_b), on_b, t >= first && t <= last};
}

/// A vertex, if the direction from there to the solid is its own.
static part at_vertex(const planar_query *q, int vertex, gmc_vec2 guess)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    gmc_vec2 v = planar_vertex(&q->a, vertex);
    planar_gap g = planar_ellipse_point(v, &q->b, guess);
    bool is_own =
        p->corners[vertex] == GMC_POLYGON_CONVEX && planar_is_corner(&q->a, vertex, g.n, 0);
    return (part){g.n, g.gap, at_end_of(q, g.n, v, g.gap, g.on_b), g.on_b, is_own};
}

typedef struct parts {
    part best;     ///< the shallowest that faces; gap -inf: none
    part any;      ///< the shallowest outer edge, facing or not
    part passing;  ///< the edge beside which they pass, if any: that of the largest at_end
    double most;   ///< largest separation along any edge's normal, inner ones included
    double inside; ///< largest height of the round solid's centre over an edge; <= 0: it is inside
} parts;

static void planar_take(parts *all, const part *one)
{
    if (one->is_facing && one->gap > all->best.gap) all->best = *one;
}

/// @return false: an edge parts the two
static bool look_at_edges(const planar_query *q, parts *all)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    double radius = radius_of(q->b.shape), flush = PLANAR_FLUSH * q->size;
    double worst = PLANAR_INNER * q->size;
    for (int i = 0; i < p->count; i++) {
        gmc_vec2 n = planar_normal(&q->a, i), from = planar_vertex(&q->a, i);
        double centre = gmc_vec2_dot(n, gmc_vec2_sub(q->b.p, from));
        if (centre - radius > q->margin) {
            planar_part(q, n);
            return false;
        }
        if (centre > all->inside) all->inside = centre;
        // no more than the centre's, which is inside
        if (centre < gmc_pair_min(all->most, 0) - worst) continue;
        part one = round_over_edge(q, i, n, from);
        if (one.gap > q->margin) return false;
        if (one.gap > all->most) all->most = one.gap;
        if (p->is_inner[i]) continue;
        if (!one.is_facing && one.gap >= -flush &&
            one.at_end - q->bend >= gmc_pair_min(one.gap, 0) - GMC_PAIR_AXIS_KEEP * q->size &&
            one.at_end > all->passing.at_end)
            all->passing = one;
        planar_take(all, &one);
        if (one.gap > all->any.gap) all->any = one;
    }
    // what overlaps by much more than another edge is the far side of the piece
    if (all->best.gap < gmc_pair_min(all->most, 0) - worst) all->best.gap = -HUGE_VAL;
    return true;
}

/// @return is any near enough to be asked?
static bool look_at_vertices(const planar_query *q, gmc_vec2 guess, parts *all)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    double radius = radius_of(q->b.shape);
    bool is_near = false;
    for (int i = 0; i < p->count; i++) {
        gmc_vec2 away = gmc_vec2_sub(q->b.p, planar_vertex(&q->a, i));
        double reach = radius + q->margin;
        if (p->corners[i] != GMC_POLYGON_CONVEX || gmc_vec2_dot(away, away) > reach * reach)
            continue;
        part one = at_vertex(q, i, guess);
        planar_take(all, &one);
        is_near = true;
    }
    return is_near;
}

/// Polygon a against circle or super-ellipse b.
static void planar_round(planar_query *query, gmc_manifold *manifold)
{
    const planar_query *q = query;
    double keep = GMC_PAIR_AXIS_KEEP * q->size;
    parts all = {.best = {.gap = -HUGE_VAL},
                 .any = {.gap = -HUGE_VAL},
                 .passing = {.at_end = -HUGE_VAL},
                 .most = -HUGE_VAL,
                 .inside = -HUGE_VAL};
    manifold->count = 0;
    manifold->n = (gmc_vec3){0, 0, 0};
    if (!look_at_edges(q, &all)) return;
    bool is_near = false;
    // something nearer than the edge that faces it stands over a corner
    if (all.best.gap < all.most || !(all.best.gap > -HUGE_VAL)) {
        gmc_vec2 guess = {0, 0};
        is_near = look_at_vertices(q, guess, &all);
    }
    // so deep that nothing faces anything; beside a corner that is farther than the margin the two
    // lie within each other's edges' heights and yet apart
    bool is_deep = !(all.best.gap > -HUGE_VAL) && !q->a.shape->polygon->has_inner && all.most < 0 &&
                   (is_near || all.inside <= 0);
    const part *best = is_deep ? &all.any : &all.best;
    if (!(best->gap > -HUGE_VAL)) return;
    if (!planar_may_touch(q, best->gap, best->gap - best->at_end)) return;
    // beside each other, and kept there: what else is met within the step may push them together
    if (best->at_end < -PLANAR_FLUSH * q->size && all.passing.at_end > best->at_end + keep)
        best = &all.passing;
    gmc_vec2 p = gmc_vec2_add_scaled(best->on_b, -0.5 * best->gap, best->n);
    gmc_manifold_single((gmc_vec3){best->n.x, best->n.y, 0}, (gmc_vec3){p.x, p.y, 0}, best->gap, 0,
                        manifold);
}

// ---- any two -----------------------------------------------------------------------------------

/// Two circles or super-ellipses.
static void two_round(const planar_query *q, gmc_manifold *manifold)
{
    gmc_vec2 guess = {0, 0};
    if (q->cache->kept_count > 0)
        guess = planar_turn(&q->a, (gmc_vec2){q->cache->normal.x, q->cache->normal.y});
    planar_gap g = planar_ellipse_gap(&q->a, &q->b, guess);
    manifold->count = 0;
    if (!planar_may_touch(q, g.gap, planar_approach(q, g.n, g.on_b))) return;
    gmc_vec2 p = gmc_vec2_scale(0.5, gmc_vec2_add(g.on_a, g.on_b));
    gmc_manifold_single((gmc_vec3){g.n.x, g.n.y, 0}, (gmc_vec3){p.x, p.y, 0}, g.gap, 0, manifold);
}

static planar_solid solid_of(const gmc_solid *solid)
{
    GMC_ASSERT(gmc_shape_is_planar(solid->shape->type));
    return (planar_solid){.shape = solid->shape,
                          .c = solid->X.R.m[0],
                          .s = solid->X.R.m[3],
                          .p = {solid->X.p.x, solid->X.p.y}};
}

void gmc_planar_find(gmc_pair *pair, gmc_manifold *manifold)
{
    planar_query q = {.a = solid_of(&pair->a),
                      .b = solid_of(&pair->b),
                      .drift = {pair->move.v.x, pair->move.v.y},
                      .spin = pair->move.w.z,
                      .reach = pair->reach,
                      .margin = pair->margin,
                      .size = pair->size,
                      .cache = pair->cache};
    double extent = gmc_shape_radius(q.a.shape) + gmc_shape_radius(q.b.shape);
    q.bend = 0.5 * q.spin * q.spin * extent;
    bool a_is_polygon = q.a.shape->type == GMC_SHAPE_POLYGON;
    bool b_is_polygon = q.b.shape->type == GMC_SHAPE_POLYGON;
    if (a_is_polygon && b_is_polygon) {
        planar_polygons(&q, manifold);
    } else if (a_is_polygon) {
        planar_round(&q, manifold);
    } else if (b_is_polygon) {
        planar_solid swap = q.a;
        q.a = q.b;
        q.b = swap;
        q.drift = gmc_vec2_neg(q.drift);
        q.spin = -q.spin;
        q.is_swapped = true;
        planar_round(&q, manifold);
        manifold->n = gmc_vec3_neg(manifold->n);
    } else {
        two_round(&q, manifold);
    }
}
