// Judging holds every pair of edges against each other: polygons have tens of vertices and are read
// once. Two edges that are not neighbours may not even touch, because a polygon that touches itself
// has no clear inside there.
//
// Moments are sums over the triangles that the edges span with a reference point at the middle of
// the bounding box: about a far point they would cancel.
#include "engine/model/polygon.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Area over the square of the outline's length below which there is none: rounding of coordinates
// that files give with fifteen digits.
static const double FLAT = 1e-14;

static double turn(gmc_vec2 a, gmc_vec2 b, gmc_vec2 c)
{
    return gmc_vec2_cross(gmc_vec2_sub(b, a), gmc_vec2_sub(c, a));
}

static bool is_between(double a, double b, double x)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

// On the line through a and b: is p between them?
static bool is_within(gmc_vec2 a, gmc_vec2 b, gmc_vec2 p)
{
    return is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y);
}

// Do two closed segments have a point in common?
static bool do_meet(gmc_vec2 a, gmc_vec2 b, gmc_vec2 c, gmc_vec2 d)
{
    double abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
    if (((abc > 0 && abd < 0) || (abc < 0 && abd > 0)) &&
        ((cda > 0 && cdb < 0) || (cda < 0 && cdb > 0)))
        return true;
    return (abc == 0 && is_within(a, b, c)) || (abd == 0 && is_within(a, b, d)) ||
           (cda == 0 && is_within(c, d, a)) || (cdb == 0 && is_within(c, d, b));
}

static gmc_polygon_verdict find_crossing(const gmc_vec2 *p, int n)
{
    for (int i = 0; i < n; i++) {
        gmc_vec2 before = gmc_vec2_sub(p[i], p[(i + n - 1) % n]);
        gmc_vec2 behind = gmc_vec2_sub(p[(i + 1) % n], p[i]);
        if (gmc_vec2_cross(before, behind) == 0 && gmc_vec2_dot(before, behind) < 0)
            return (gmc_polygon_verdict){GMC_POLYGON_FOLDED, i, -1};
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++) {
            if (i == 0 && j == n - 1) continue;
            if (do_meet(p[i], p[i + 1], p[j], p[(j + 1) % n]))
                return (gmc_polygon_verdict){GMC_POLYGON_CROSSED, i, j};
        }
    return (gmc_polygon_verdict){GMC_POLYGON_GOOD, -1, -1};
}

gmc_polygon_verdict gmc_polygon_check(const gmc_vec2 *vertices, int count)
{
    const gmc_vec2 *p = vertices;
    if (count < 3) return (gmc_polygon_verdict){GMC_POLYGON_FEW, -1, -1};
    if (count > GMC_POLYGON_VERTEX_MAX) return (gmc_polygon_verdict){GMC_POLYGON_MANY, -1, -1};
    for (int i = 0; i < count; i++)
        if (!isfinite(p[i].x) || !isfinite(p[i].y))
            return (gmc_polygon_verdict){GMC_POLYGON_NOT_FINITE, i, -1};
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (p[i].x == p[j].x && p[i].y == p[j].y)
                return (gmc_polygon_verdict){GMC_POLYGON_REPEATED, i, j};
    gmc_polygon_verdict crossing = find_crossing(p, count);
    if (crossing.flaw != GMC_POLYGON_GOOD) return crossing;

    double length = 0, area = gmc_polygon_measure(p, count).area;
    for (int i = 0; i < count; i++)
        length += gmc_vec2_norm(gmc_vec2_sub(p[(i + 1) % count], p[i]));
    if (!(fabs(area) > FLAT * length * length))
        return (gmc_polygon_verdict){GMC_POLYGON_FLAT, -1, -1};
    return (gmc_polygon_verdict){area > 0 ? GMC_POLYGON_GOOD : GMC_POLYGON_CLOCKWISE, -1, -1};
}

const char *gmc_polygon_explain(const gmc_polygon_verdict *verdict, const gmc_vec2 *vertices,
                                char *message, size_t bytes)
{
    int i = verdict->first, j = verdict->second;
    message[0] = '\0';
    switch (verdict->flaw) {
    case GMC_POLYGON_GOOD:
        return NULL;
    case GMC_POLYGON_FEW:
        snprintf(message, bytes, "a polygon needs three vertices or more");
        return NULL;
    case GMC_POLYGON_MANY:
        snprintf(message, bytes, "a polygon has at most %d vertices", GMC_POLYGON_VERTEX_MAX);
        return "leave out vertices that are nearly on the line between their neighbours";
    case GMC_POLYGON_NOT_FINITE:
        snprintf(message, bytes, "vertex %d of the polygon must be finite, found (%g, %g)", i + 1,
                 vertices[i].x, vertices[i].y);
        return NULL;
    case GMC_POLYGON_REPEATED:
        snprintf(message, bytes, "vertices %d and %d of the polygon are the same, (%g, %g) m",
                 i + 1, j + 1, vertices[i].x, vertices[i].y);
        return "give every vertex once; the outline closes by itself";
    case GMC_POLYGON_FOLDED:
        snprintf(message, bytes,
                 "the outline of the polygon turns back on itself at vertex %d, (%g, %g) m", i + 1,
                 vertices[i].x, vertices[i].y);
        return NULL;
    case GMC_POLYGON_CROSSED:
        snprintf(message, bytes,
                 "the outline of the polygon crosses or touches itself: the edges from vertex %d, "
                 "(%g, %g) m, and from vertex %d, (%g, %g) m",
                 i + 1, vertices[i].x, vertices[i].y, j + 1, vertices[j].x, vertices[j].y);
        return "give the vertices in the order in which the outline runs";
    case GMC_POLYGON_FLAT:
        snprintf(message, bytes, "the polygon encloses no area");
        return NULL;
    case GMC_POLYGON_CLOCKWISE:
        snprintf(message, bytes, "the vertices of the polygon run clockwise");
        return "give them counter-clockwise: in the opposite order";
    }
    return NULL;
}

// ---- moments -----------------------------------------------------------------------------------

static gmc_vec2 middle_of(const gmc_vec2 *p, int n)
{
    gmc_vec2 lo = p[0], hi = p[0];
    for (int i = 1; i < n; i++) {
        lo = (gmc_vec2){fmin(lo.x, p[i].x), fmin(lo.y, p[i].y)};
        hi = (gmc_vec2){fmax(hi.x, p[i].x), fmax(hi.y, p[i].y)};
    }
    return (gmc_vec2){(lo.x + hi.x) / 2, (lo.y + hi.y) / 2};
}

// A triangle (0, a, b) with d = a x b adds d/2 to the area, d/6 (a + b) to the first moment and
// d/24 (a aT + b bT + (a + b)(a + b)T) to the second.
gmc_polygon_moments gmc_polygon_measure(const gmc_vec2 *vertices, int count)
{
    gmc_vec2 o = middle_of(vertices, count), first = {0, 0};
    double area = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec2 a = gmc_vec2_sub(vertices[i], o);
        gmc_vec2 b = gmc_vec2_sub(vertices[(i + 1) % count], o), s = gmc_vec2_add(a, b);
        double d = gmc_vec2_cross(a, b);
        area += d / 2;
        first = gmc_vec2_add_scaled(first, d / 6, s);
        xx += d / 24 * (a.x * a.x + b.x * b.x + s.x * s.x);
        yy += d / 24 * (a.y * a.y + b.y * b.y + s.y * s.y);
        xy += d / 24 * (a.x * a.y + b.x * b.y + s.x * s.y);
    }
    if (area == 0) return (gmc_polygon_moments){.centroid = o};
    gmc_vec2 c = gmc_vec2_scale(1 / area, first);
    return (gmc_polygon_moments){.area = area,
                                 .centroid = gmc_vec2_add(o, c),
                                 .xx = xx - area * c.x * c.x,
                                 .yy = yy - area * c.y * c.y,
                                 .xy = xy - area * c.x * c.y};
}

// ∫ x^(s-1) y^(t-1) over the whole super-ellipse, s and t odd.
static double dirichlet(double a, double b, double p, int s, int t)
{
    double x = a, y = b;
    for (int k = 1; k < s; k++)
        x *= a;
    for (int k = 1; k < t; k++)
        y *= b;
    double gammas = gmc_exp(gmc_lgamma(s / p) + gmc_lgamma(t / p) - gmc_lgamma(1 + (s + t) / p));
    return 4 * x * y * gammas / (p * p);
}

gmc_polygon_moments gmc_polygon_measure_shape(const gmc_shape *shape)
{
    GMC_ASSERT(gmc_shape_is_planar(shape->type));
    if (shape->type == GMC_SHAPE_CIRCLE) {
        double r2 = shape->radius * shape->radius;
        return (gmc_polygon_moments){
            .area = GMC_PI * r2, .xx = GMC_PI * r2 * r2 / 4, .yy = GMC_PI * r2 * r2 / 4};
    }
    if (shape->type == GMC_SHAPE_SUPER_ELLIPSE) {
        double a = shape->half.x, b = shape->half.y, p = shape->exponent;
        return (gmc_polygon_moments){.area = dirichlet(a, b, p, 1, 1),
                                     .xx = dirichlet(a, b, p, 3, 1),
                                     .yy = dirichlet(a, b, p, 1, 3)};
    }
    const gmc_polygon_piece *piece = shape->polygon;
    gmc_polygon_moments m = gmc_polygon_measure(piece->vertices, piece->count);
    double s2 = shape->scale * shape->scale;
    return (gmc_polygon_moments){.area = s2 * m.area,
                                 .centroid = gmc_vec2_scale(shape->scale, m.centroid),
                                 .xx = s2 * s2 * m.xx,
                                 .yy = s2 * s2 * m.yy,
                                 .xy = s2 * s2 * m.xy};
}

gmc_shape gmc_polygon_shape(const gmc_polygon_piece *piece, double thickness)
{
    return (gmc_shape){
        .type = GMC_SHAPE_POLYGON, .polygon = piece, .scale = 1, .half_length = thickness / 2};
}

// ---- convex pieces -----------------------------------------------------------------------------
// Ears are cut off one by one until triangles are left, always the one with the shortest diagonal:
// teeth come off at their necks. Then diagonals are taken out again, the longest first, while the
// piece that arises is convex [hertel1983]: at most four times as many pieces as the fewest.
//
// Every edge of the outline belongs to exactly one piece, and so do the two edges at a vertex that
// points inwards to two different ones. A convex vertex may be in several pieces; the one with the
// outline's edge behind it speaks for it. So contacts of the whole are those of its pieces, each
// once.

// A vertex whose edges turn by less than this leaves the outline straight: rounding of coordinates
// [rad].
static const double STRAIGHT = 1e-12;

typedef struct loop {
    int count;
    int *at; ///< vertices
} loop;

typedef struct diagonal {
    int from, to;
    double length;
} diagonal;

typedef struct cut {
    const gmc_vec2 *p; ///< outline without straight vertices
    int n;
    int loop_count, diagonal_count;
    loop *loops;
    diagonal *diagonals;
    int *room; ///< (n x n) of the loops
} cut;

static double turn_at(const gmc_vec2 *p, int a, int b, int c)
{
    return gmc_vec2_cross(gmc_vec2_sub(p[b], p[a]), gmc_vec2_sub(p[c], p[b]));
}

// Sine of the angle by which the outline turns to the left at b.
static double bend_at(const gmc_vec2 *p, int a, int b, int c)
{
    return gmc_vec2_cross(gmc_vec2_unit(gmc_vec2_sub(p[b], p[a])),
                          gmc_vec2_unit(gmc_vec2_sub(p[c], p[b])));
}

static int drop_straight(const gmc_vec2 *vertices, int count, gmc_vec2 *kept)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (fabs(bend_at(vertices, (i + count - 1) % count, i, (i + 1) % count)) > STRAIGHT)
            kept[n++] = vertices[i];
    return n;
}

// ---- triangles ---------------------------------------------------------------------------------

static bool is_in_triangle(const gmc_vec2 *p, int a, int b, int c, int x)
{
    return turn_at(p, a, b, x) >= 0 && turn_at(p, b, c, x) >= 0 && turn_at(p, c, a, x) >= 0;
}

static bool is_ear(const gmc_vec2 *p, const int *ring, int m, int k)
{
    int a = ring[(k + m - 1) % m], b = ring[k], c = ring[(k + 1) % m];
    if (!(turn_at(p, a, b, c) > 0)) return false;
    for (int i = 0; i < m; i++)
        if (ring[i] != a && ring[i] != b && ring[i] != c && is_in_triangle(p, a, b, c, ring[i]))
            return false;
    return true;
}

static void add_triangle(cut *all, int a, int b, int c)
{
    loop *l = &all->loops[all->loop_count];
    l->at = all->room + (size_t)all->loop_count * (size_t)all->n;
    l->count = 3;
    l->at[0] = a;
    l->at[1] = b;
    l->at[2] = c;
    all->loop_count++;
}

static bool cut_ears(cut *all, int *ring)
{
    int m = all->n;
    for (int i = 0; i < m; i++)
        ring[i] = i;
    while (m > 3) {
        int best = -1;
        double shortest = INFINITY;
        for (int k = 0; k < m; k++) {
            int a = ring[(k + m - 1) % m], c = ring[(k + 1) % m];
            double length = gmc_vec2_norm(gmc_vec2_sub(all->p[c], all->p[a]));
            if (length < shortest && is_ear(all->p, ring, m, k)) shortest = length, best = k;
        }
        if (best < 0) return false;
        int a = ring[(best + m - 1) % m], c = ring[(best + 1) % m];
        add_triangle(all, a, ring[best], c);
        all->diagonals[all->diagonal_count++] = (diagonal){a, c, shortest};
        memmove(ring + best, ring + best + 1, (size_t)(--m - best) * sizeof *ring);
    }
    if (!(turn_at(all->p, ring[0], ring[1], ring[2]) > 0)) return false;
    add_triangle(all, ring[0], ring[1], ring[2]);
    return true;
}

// ---- pieces ------------------------------------------------------------------------------------

// Place of vertex `from` in the loop that has an edge from there to `to`; -1: it has none.
static int edge_in(const loop *l, int from, int to)
{
    for (int i = 0; i < l->count; i++)
        if (l->at[i] == from && l->at[i + 1 < l->count ? i + 1 : 0] == to) return i;
    return -1;
}

static int vertex_of(const loop *l, int i) { return l->at[((i % l->count) + l->count) % l->count]; }

// Join the loops on the two sides of a diagonal, if that is convex.
static void join(cut *all, const diagonal *d)
{
    int left = 0, right = 0;
    while (edge_in(&all->loops[left], d->from, d->to) < 0)
        left++;
    while (edge_in(&all->loops[right], d->to, d->from) < 0)
        right++;
    loop *a = &all->loops[left], *b = &all->loops[right];
    int i = edge_in(a, d->from, d->to), j = edge_in(b, d->to, d->from);
    // around `from`: before it in a, behind it in b; around `to` the other way round
    if (turn_at(all->p, vertex_of(a, i - 1), d->from, vertex_of(b, j + 2)) < 0 ||
        turn_at(all->p, vertex_of(b, j - 1), d->to, vertex_of(a, i + 2)) < 0)
        return;
    // a from `to` round to `from`, then b from behind `from` to before `to`
    int a_count = a->count, b_count = b->count, total = a_count + b_count - 2;
    int first = i + 1 < a_count ? i + 1 : 0;
    int *joined = all->room + (size_t)all->n * (size_t)all->n; // one more row
    for (int k = 0; k < a_count; k++)
        joined[k] = vertex_of(a, first + k);
    for (int k = 0; k < b_count - 2; k++)
        joined[a_count + k] = vertex_of(b, j + 2 + k);
    memcpy(a->at, joined, (size_t)total * sizeof *joined);
    a->count = total;
    loop last = all->loops[--all->loop_count];
    if (right != all->loop_count) all->loops[right] = last;
}

static int compare_diagonals(const void *x, const void *y)
{
    const diagonal *a = x, *b = y;
    if (a->length != b->length) return a->length > b->length ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

// Loops start at their smallest vertex and stand in its order, then that of the next one.
static void turn_to_smallest(loop *l, int *room)
{
    int smallest = 0;
    for (int i = 1; i < l->count; i++)
        if (l->at[i] < l->at[smallest]) smallest = i;
    for (int i = 0; i < l->count; i++)
        room[i] = vertex_of(l, smallest + i);
    memcpy(l->at, room, (size_t)l->count * sizeof *room);
}

static int compare_loops(const void *x, const void *y)
{
    const loop *a = x, *b = y;
    for (int i = 0; i < a->count && i < b->count; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

// ---- what is kept ------------------------------------------------------------------------------

static void bound(gmc_polygon_piece *piece)
{
    gmc_vec2 lo = piece->vertices[0], hi = lo;
    for (int i = 1; i < piece->count; i++) {
        gmc_vec2 v = piece->vertices[i];
        lo = (gmc_vec2){fmin(lo.x, v.x), fmin(lo.y, v.y)};
        hi = (gmc_vec2){fmax(hi.x, v.x), fmax(hi.y, v.y)};
    }
    piece->centre = (gmc_vec2){(lo.x + hi.x) / 2, (lo.y + hi.y) / 2};
    for (int i = 0; i < piece->count; i++)
        piece->radius =
            fmax(piece->radius, gmc_vec2_norm(gmc_vec2_sub(piece->vertices[i], piece->centre)));
}

static gmc_vec2 outwards(gmc_vec2 from, gmc_vec2 to)
{
    return gmc_vec2_neg(gmc_vec2_left(gmc_vec2_unit(gmc_vec2_sub(to, from))));
}

static gmc_status keep_piece(const cut *all, const loop *l, gmc_arena *arena,
                             gmc_polygon_piece *piece)
{
    int n = all->n;
    int m = l->count;
    gmc_vec2 *vertices = GMC_NEW(arena, m, gmc_vec2);
    gmc_vec2 *normals = GMC_NEW(arena, m, gmc_vec2);
    bool *is_inner = GMC_NEW(arena, m, bool);
    gmc_polygon_corner *corners = GMC_NEW(arena, m, gmc_polygon_corner);
    gmc_polygon_cone *cones = GMC_NEW(arena, m, gmc_polygon_cone);
    if (!vertices || !normals || !is_inner || !corners || !cones) return GMC_E_ARENA_FULL;
    *piece = (gmc_polygon_piece){l->count, vertices, normals, is_inner, corners,
                                 cones,    false,    {0, 0},  0};
    for (int i = 0; i < l->count; i++) {
        int v = l->at[i], next = vertex_of(l, i + 1), before = (v + n - 1) % n,
            behind = (v + 1) % n;
        vertices[i] = all->p[v];
        normals[i] = outwards(all->p[v], all->p[next]);
        is_inner[i] = next != behind;
        piece->has_inner = piece->has_inner || is_inner[i];
        cones[i] = (gmc_polygon_cone){outwards(all->p[before], all->p[v]),
                                      outwards(all->p[v], all->p[behind])};
        corners[i] = turn_at(all->p, before, v, behind) < 0 ? GMC_POLYGON_REFLEX
                     : is_inner[i]                          ? GMC_POLYGON_OTHERS
                                                            : GMC_POLYGON_CONVEX;
    }
    bound(piece);
    return GMC_OK;
}

static gmc_status keep_pieces(const cut *all, gmc_arena *arena, gmc_polygon_pieces *pieces)
{
    gmc_polygon_piece *made = GMC_NEW(arena, all->loop_count, gmc_polygon_piece);
    if (!made) return GMC_E_ARENA_FULL;
    for (int i = 0; i < all->loop_count; i++)
        GMC_TRY(keep_piece(all, &all->loops[i], arena, &made[i]));
    *pieces = (gmc_polygon_pieces){all->loop_count, made};
    return GMC_OK;
}

static gmc_status split(cut *all, int *ring, gmc_arena *arena, gmc_polygon_pieces *pieces)
{
    if (!cut_ears(all, ring)) return GMC_E_INPUT;
    qsort(all->diagonals, (size_t)all->diagonal_count, sizeof *all->diagonals, compare_diagonals);
    for (int i = 0; i < all->diagonal_count; i++)
        join(all, &all->diagonals[i]);
    for (int i = 0; i < all->loop_count; i++)
        turn_to_smallest(&all->loops[i], ring);
    qsort(all->loops, (size_t)all->loop_count, sizeof *all->loops, compare_loops);
    return keep_pieces(all, arena, pieces);
}

/// Outlines of so few vertices are cut within the arena: a trial that moves them asks nobody else
/// for memory. Larger ones would leave more behind than they are worth.
enum { SMALL = 64 };

static void *room_for(size_t n, size_t count, size_t size, gmc_arena *arena)
{
    return n <= SMALL ? gmc_arena_take(arena, count, size) : malloc(count * size);
}

gmc_status gmc_polygon_split(const gmc_vec2 *vertices, int count, gmc_arena *arena,
                             gmc_polygon_pieces *pieces)
{
    if (gmc_polygon_check(vertices, count).flaw != GMC_POLYGON_GOOD) return GMC_E_INPUT;
    size_t n = (size_t)count, mark = gmc_arena_mark(arena);
    gmc_vec2 *kept = room_for(n, n, sizeof *kept, arena);
    cut all = {.p = kept,
               .loops = room_for(n, n, sizeof *all.loops, arena),
               .diagonals = room_for(n, n, sizeof *all.diagonals, arena),
               .room = room_for(n, (n + 1) * n, sizeof *all.room, arena)};
    int *ring = room_for(n, n, sizeof *ring, arena);
    gmc_status status = n <= SMALL ? GMC_E_ARENA_FULL : GMC_E_MEMORY;
    if (kept && all.loops && all.diagonals && all.room && ring) {
        all.n = drop_straight(vertices, count, kept);
        status = all.n < 3 ? GMC_E_INPUT : split(&all, ring, arena, pieces);
    }
    if (status != GMC_OK) gmc_arena_reset(arena, mark);
    if (n <= SMALL) return status;
    free(kept);
    free(all.loops);
    free(all.diagonals);
    free(all.room);
    free(ring);
    return status;
}

size_t gmc_polygon_split_bytes(int count)
{
    enum { ARRAYS = 5, ALIGNMENT = 64 };
    size_t pieces = (size_t)count, vertices = 3 * pieces; // of a triangulation
    size_t room = pieces <= SMALL ? pieces * (sizeof(gmc_vec2) + sizeof(loop) + sizeof(diagonal) +
                                              (pieces + 2) * sizeof(int)) +
                                        (size_t)(ARRAYS * ALIGNMENT)
                                  : 0;
    return vertices * (4 * sizeof(gmc_vec2) + sizeof(bool) + sizeof(gmc_polygon_corner)) +
           pieces * (sizeof(gmc_polygon_piece) + (size_t)(ARRAYS * ALIGNMENT)) + (size_t)ALIGNMENT +
           room;
}
