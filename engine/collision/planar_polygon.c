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

#include "engine/collision/manifold.h"
#include "engine/collision/planar_internal.h"

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

static sight sight_of(const gmc_planar_solid *own, const gmc_planar_solid *other)
{
    sight seen = {.c = own->c * other->c + own->s * other->s,
                  .s = own->c * other->s - own->s * other->c,
                  .p = gmc_planar_turn_back(own, gmc_vec2_sub(other->p, own->p)),
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
/// @param n  outwards from the edge, whose polygon is b if `is_b`
static double nearest_at_end(const gmc_planar_query *q, const gmc_planar_solid *other, bool is_b,
                             const direction *d, double offset)
{
    gmc_vec2 n_ab = is_b ? gmc_vec2_neg(d->n) : d->n;
    if (q->spin == 0) return d->s + gmc_vec2_dot(n_ab, q->drift);
    // the separation at x grows by n_ab·drift + spin x × n_ab, which is linear in x
    const gmc_polygon_piece *p = other->shape->polygon;
    gmc_vec2 e = {d->n.x + q->spin * n_ab.y, d->n.y - q->spin * n_ab.x};
    gmc_vec2 own = gmc_vec2_scale(other->shape->scale, gmc_planar_turn_back(other, e));
    return least_of(p, own) + gmc_vec2_dot(e, other->p) - offset + gmc_vec2_dot(n_ab, q->drift);
}

/// Separation along the direction of the call before: what it leaves little to look for.
static double known_separation(const gmc_planar_query *q)
{
    int axis = q->cache->axis;
    if (axis == 0) return -HUGE_VAL;
    const gmc_planar_solid *own = axis < 0 ? &q->b : &q->a, *other = axis < 0 ? &q->a : &q->b;
    int edge = axis < 0 ? -1 - axis : axis - 1;
    sight seen = sight_of(own, other);
    const gmc_polygon_piece *p = own->shape->polygon;
    gmc_vec2 from = gmc_vec2_scale(own->shape->scale, p->vertices[edge]), n = p->normals[edge];
    return gmc_vec2_dot(n, gmc_vec2_sub(seen.p, from)) +
           least_of(seen.piece, as_other_sees(&seen, n));
}

/// Separation along the normals of one polygon's edges. @return false: one of them parts the two
static bool separate(const gmc_planar_query *q, bool is_b, separation *sep)
{
    const gmc_planar_solid *own = is_b ? &q->b : &q->a, *other = is_b ? &q->a : &q->b;
    const gmc_polygon_piece *p = own->shape->polygon;
    double keep = GMC_PAIR_AXIS_KEEP * q->size, worst = GMC_PLANAR_INNER * q->size;
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
            .edge = is_b ? -1 - i : i, .nearest = nearest, .n = gmc_planar_normal(own, i), .s = s};
        double offset = gmc_vec2_dot(d.n, gmc_planar_vertex(own, i));
        if (d.s > q->margin) {
            gmc_planar_part(q, is_b ? gmc_vec2_neg(d.n) : d.n);
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

// ---- points of an edge --------------------------------------------------------------------------

/// One edge of `own` and what of `other` stands over it.
typedef struct facing {
    const gmc_planar_query *q;
    const gmc_planar_solid *own, *other;
    bool is_b; ///< own is the query's b
    int edge;
    gmc_vec2 n, along, from; ///< outwards; unit from the edge's first vertex on; that vertex
    double length;
    double first, last; ///< where on the edge it may be touched [m]
    gmc_manifold *manifold;
} facing;

static uint64_t vertex_name(const gmc_planar_query *q, bool of_b, int vertex)
{
    bool is_second = of_b != q->is_swapped;
    return is_second ? gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, vertex)
                     : gmc_pair_feature(GMC_FEATURE_VERTEX_A, vertex, 0);
}

static void add_point(facing *f, gmc_vec2 x, double gap, uint64_t feature)
{
    gmc_vec2 n_ab = f->is_b ? gmc_vec2_neg(f->n) : f->n;
    if (!gmc_planar_may_touch(f->q, gap, gmc_planar_approach(f->q, n_ab, x))) return;
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
    gmc_vec2 x = gmc_planar_vertex(f->other, vertex), r = gmc_vec2_sub(x, f->from);
    double t = gmc_vec2_dot(f->along, r), gap = gmc_vec2_dot(f->n, r);
    if (!(t >= f->first && t <= f->last)) {
        double tolerance = vertex_reach(f, vertex);
        if (!(t >= f->first - tolerance && t <= f->last + tolerance)) return;
    }
    if (p->has_inner) {
        double slack = CONE_SLACK + fabs(f->q->spin);
        if (p->corners[vertex] != GMC_POLYGON_CONVEX ||
            !gmc_planar_is_corner(f->other, vertex, gmc_vec2_neg(f->n), slack))
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
        gmc_vec2 a = gmc_vec2_sub(gmc_planar_vertex(f->other, edge), f->from);
        gmc_vec2 b = gmc_vec2_sub(gmc_planar_vertex(f->other, next), f->from);
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
        gmc_vec2 a = gmc_vec2_sub(gmc_planar_vertex(f->other, edge), f->from);
        gmc_vec2 b = gmc_vec2_sub(gmc_planar_vertex(f->other, next), f->from);
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
static bool face(const gmc_planar_query *q, const direction *d, bool is_last,
                 gmc_manifold *manifold)
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
    f.from = gmc_planar_vertex(f.own, f.edge);
    f.along = gmc_vec2_left(f.n);
    f.length = gmc_vec2_dot(f.along, gmc_vec2_sub(gmc_planar_vertex(f.own, end), f.from));
    gmc_planar_edge_ends(f.own, f.edge, f.length, &f.first, &f.last);
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

// ---- two corners --------------------------------------------------------------------------------

typedef struct corners {
    int a, b;
    double distance;
    gmc_vec2 n, on_a;
} corners;

static corners nearest_corners(const gmc_planar_query *q)
{
    const gmc_polygon_piece *pa = q->a.shape->polygon, *pb = q->b.shape->polygon;
    corners c = {.distance = HUGE_VAL};
    double least = HUGE_VAL;
    for (int i = 0; i < pa->count; i++) {
        gmc_vec2 x = gmc_planar_vertex(&q->a, i);
        for (int j = 0; j < pb->count; j++) {
            gmc_vec2 d = gmc_vec2_sub(gmc_planar_vertex(&q->b, j), x);
            double d2 = gmc_vec2_dot(d, d);
            if (d2 < least) least = d2, c.a = i, c.b = j, c.n = d, c.on_a = x;
        }
    }
    c.distance = sqrt(least);
    c.n = c.distance > 0 ? gmc_vec2_scale(1 / c.distance, c.n) : (gmc_vec2){0, 0};
    return c;
}

static bool is_own_corner(const gmc_planar_solid *solid, int vertex, gmc_vec2 n)
{
    const gmc_polygon_piece *p = solid->shape->polygon;
    return !p->has_inner || (p->corners[vertex] == GMC_POLYGON_CONVEX &&
                             gmc_planar_is_corner(solid, vertex, n, REALISED));
}

static void meet_at_corners(const gmc_planar_query *q, const corners *c, gmc_manifold *manifold)
{
    manifold->count = 0;
    gmc_vec2 middle = gmc_vec2_add_scaled(c->on_a, 0.5 * c->distance, c->n);
    gmc_vec2 on_b = gmc_vec2_add_scaled(c->on_a, c->distance, c->n);
    if (!gmc_planar_may_touch(q, c->distance, gmc_planar_approach(q, c->n, on_b))) return;
    uint64_t of_a = vertex_name(q, false, c->a), of_b = vertex_name(q, true, c->b);
    bool is_b = gmc_pair_was_kept(q->cache, of_b) && !gmc_pair_was_kept(q->cache, of_a);
    gmc_manifold_single((gmc_vec3){c->n.x, c->n.y, 0}, (gmc_vec3){middle.x, middle.y, 0},
                        c->distance, is_b ? of_b : of_a, manifold);
}

// ---- the pair -----------------------------------------------------------------------------------

/// Are the nearest features two corners? Not if something stands over the edge that separates most.
static bool is_between_corners(const gmc_planar_query *q, const separation *sep)
{
    bool is_b = sep->edge < 0;
    facing f = {.q = q,
                .own = is_b ? &q->b : &q->a,
                .other = is_b ? &q->a : &q->b,
                .edge = is_b ? -1 - sep->edge : sep->edge};
    int end = (f.edge + 1) % f.own->shape->polygon->count;
    f.n = gmc_planar_normal(f.own, f.edge);
    f.from = gmc_planar_vertex(f.own, f.edge);
    f.along = gmc_vec2_left(f.n);
    f.length = gmc_vec2_dot(f.along, gmc_vec2_sub(gmc_planar_vertex(f.own, end), f.from));
    gmc_planar_edge_ends(f.own, f.edge, f.length, &f.first, &f.last);
    return over_edge(&f, sep->nearest) > sep->s + REALISED * q->size;
}

/// Of the directions in which the bodies do not overlap, or as little as in any, the best one in
/// which they face each other.
static void choose(const gmc_planar_query *q, const separation *sep, gmc_manifold *manifold)
{
    bool has_inner = q->a.shape->polygon->has_inner || q->b.shape->polygon->has_inner;
    double flush = GMC_PLANAR_FLUSH * q->size, keep = GMC_PAIR_AXIS_KEEP * q->size;
    double least = sep->most.s > 0 ? -flush : sep->most.s - keep;
    double passing = -HUGE_VAL, at_corners = -HUGE_VAL;
    corners c = {.distance = 0};
    // an inner edge parts them: the other piece has the contact, if there is one
    if (sep->most.s < sep->s - GMC_PLANAR_INNER * q->size && sep->most.s < 0) return;
    if (sep->s > 0 && is_between_corners(q, sep)) {
        c = nearest_corners(q);
        gmc_vec2 on_b = gmc_vec2_add_scaled(c.on_a, c.distance, c.n);
        at_corners = c.distance - gmc_planar_approach(q, c.n, on_b);
        if (!is_own_corner(&q->a, c.a, c.n) || !is_own_corner(&q->b, c.b, gmc_vec2_neg(c.n)))
            at_corners = -HUGE_VAL;
    }
    for (int k = 0; k < sep->count; k++) {
        const direction *d = &sep->best[k];
        if (d->s < least) continue;
        if (d->rank <= at_corners) break;
        if (!face(q, d, false, manifold)) {
            if (sep->s > 0 && d->s_at_end - q->bend >= gmc_pair_min(d->s, 0) - keep)
                passing = gmc_pair_max(passing, d->s_at_end);
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

void gmc_planar_polygons(gmc_planar_query *query, gmc_manifold *manifold)
{
    direction best[DIRECTIONS_MAX]; // written as far as they are counted
    separation sep = {
        .best = best, .s = -HUGE_VAL, .most = {.s = -HUGE_VAL}, .known = known_separation(query)};
    manifold->count = 0;
    manifold->n = (gmc_vec3){0, 0, 0};
    if (!separate(query, false, &sep) || !separate(query, true, &sep)) return;
    choose(query, &sep, manifold);
}
