// Ears are cut off one by one until triangles are left, always the one with the shortest diagonal:
// teeth come off at their necks. Then diagonals are taken out again, the longest first, while the
// piece that arises is convex [hertel1983]: at most four times as many pieces as the fewest.
//
// Every edge of the outline belongs to exactly one piece, and so do the two edges at a vertex that
// points inwards to two different ones. A convex vertex may be in several pieces; the one with the
// outline's edge behind it speaks for it. So contacts of the whole are those of its pieces, each
// once.

#include "engine/model/polygon.h"

#include <stdlib.h>
#include <string.h>

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

// ---- triangles --------------------------------------------------------------------------------

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

// ---- pieces -----------------------------------------------------------------------------------

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

// ---- what is kept -----------------------------------------------------------------------------

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
