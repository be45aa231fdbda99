// The whole of a decomposition: cut the worst piece until none is bad, join what may be joined,
// keep the result. Where a piece cannot be cut (every plane leaves a sliver) it stays, and its
// error is stated with the others.
//
// Pieces leave as clouds of points and become hulls again from those, also when no cache is asked:
// so what comes from a cache cannot differ in a bit from what is computed.
#include "engine/model/pieces.h"

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/list.h"
#include "engine/math/elementary.h"
#include "engine/model/hull.h"
#include "engine/model/pieces_solid.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- what it has cost --------------------------------------------------------------------------
// Work is counted in what dominates it, and everything that costs is counted where it is done: so
// the count at every decision is a function of the mesh and the options.

/// What else is done, in distances.
#define GMC_PIECES_WORK_CLIP 0.05 ///< a polygon clipped
#define GMC_PIECES_WORK_HULL 1.5  ///< a point of a hull

/// Between two calls to whoever follows: a few milliseconds.
#define GMC_PIECES_WORK_TELL 5e3

// Count it; `work` may be NULL: nobody counts.
static void pieces_work_add(gmc_pieces_work *work, double cost)
{
    if (!work) return;
    work->spent += cost;
    if (work->spent < work->next) return;
    work->next = work->spent + GMC_PIECES_WORK_TELL;
    const gmc_pieces_cache *cache = work->cache;
    if (cache && cache->follow &&
        cache->follow(cache->context, work->mesh, work->count, fmin(1, work->spent / work->most)))
        work->is_stopped = true;
}

// No more than what must be done.
static bool pieces_work_is_over(const gmc_pieces_work *work)
{
    return work && (work->is_stopped || work->spent >= work->most);
}

// ---- a closed part of a mesh -------------------------------------------------------------------
// Distance from a closed surface: nearest triangle by a tree of boxes, sign by the pseudonormal of
// the feature that is nearest, with angle weights at vertices [baerentzen2005]. The tree is split
// at the median of the triangles' centres, ties by their numbers, so that it depends on the mesh
// alone.

enum { LEAF_MAX = 4, STACK_MAX = 128 };

// ---- creation ----------------------------------------------------------------------------------

void gmc_pieces_solid_free(gmc_pieces_solid *solid)
{
    free(solid->corners);
    free(solid->normals);
    free(solid->edge_normals);
    free(solid->corner_normals);
    free(solid->edge_bends);
    free(solid->nodes);
    free(solid->order);
    *solid = (gmc_pieces_solid){0};
}

static gmc_vec3 unit_or_zero(gmc_vec3 a)
{
    double length = gmc_vec3_norm(a);
    return length > 0 ? gmc_vec3_scale(1 / length, a) : (gmc_vec3){0, 0, 0};
}

static gmc_vec3 lowest(gmc_vec3 a, gmc_vec3 b)
{
    return (gmc_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static gmc_vec3 highest(gmc_vec3 a, gmc_vec3 b)
{
    return (gmc_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static void take_triangles(const gmc_mesh *mesh, int part, gmc_pieces_solid *solid)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (mesh->parts[t] != part) continue;
        gmc_vec3 *c = solid->corners[count];
        for (int k = 0; k < 3; k++)
            c[k] = mesh->vertices[mesh->triangles[t][k]];
        gmc_vec3 n = gmc_vec3_cross(gmc_vec3_sub(c[1], c[0]), gmc_vec3_sub(c[2], c[0]));
        solid->normals[count] = unit_or_zero(n);
        for (int k = 0; k < 3; k++) {
            solid->lo = count == 0 && k == 0 ? c[k] : lowest(solid->lo, c[k]);
            solid->hi = count == 0 && k == 0 ? c[k] : highest(solid->hi, c[k]);
        }
        solid->order[count] = count;
        count++;
    }
    solid->triangle_count = count;
    gmc_vec3 size = gmc_vec3_sub(solid->hi, solid->lo);
    solid->extent = fmax(size.x, fmax(size.y, size.z));
    for (int t = 0; t < count; t++) {
        const gmc_vec3 *c = solid->corners[t];
        solid->volume += gmc_vec3_dot(gmc_vec3_sub(c[0], solid->lo),
                                      gmc_vec3_cross(gmc_vec3_sub(c[1], solid->lo),
                                                     gmc_vec3_sub(c[2], solid->lo))) /
                         6;
    }
}

/// A directed edge of a triangle, by its vertices in ascending order.
typedef struct edge_side {
    int low, high, triangle, side;
} edge_side;

static int compare_edge_sides(const void *a, const void *b)
{
    const edge_side *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

/// Normals of edges: of a closed surface each has two triangles. And how hollow it is there.
static void join_edges(gmc_pieces_solid *solid, const edge_side *sides, int count)
{
    for (int i = 0; i + 1 < count; i += 2) {
        const edge_side *s = &sides[i], *t = &sides[i + 1];
        gmc_vec3 ns = solid->normals[s->triangle], nt = solid->normals[t->triangle];
        gmc_vec3 sum = gmc_vec3_add(ns, nt);
        gmc_vec3 from = solid->corners[s->triangle][s->side];
        gmc_vec3 to = solid->corners[s->triangle][(s->side + 1) % 3];
        gmc_vec3 along = unit_or_zero(gmc_vec3_sub(to, from));
        double bend = -gmc_vec3_dot(gmc_vec3_cross(ns, nt), along);
        solid->edge_normals[s->triangle][s->side] = solid->edge_normals[t->triangle][t->side] = sum;
        solid->edge_bends[s->triangle][s->side] = solid->edge_bends[t->triangle][t->side] = bend;
    }
}

static double angle_at(const gmc_vec3 *corners, int k)
{
    gmc_vec3 u = gmc_vec3_sub(corners[(k + 1) % 3], corners[k]);
    gmc_vec3 v = gmc_vec3_sub(corners[(k + 2) % 3], corners[k]);
    return gmc_atan2(gmc_vec3_norm(gmc_vec3_cross(u, v)), gmc_vec3_dot(u, v));
}

static gmc_status find_normals(const gmc_mesh *mesh, int part, gmc_pieces_solid *solid)
{
    size_t n = (size_t)solid->triangle_count;
    GMC_ASSERT(n > 0);
    edge_side *sides = malloc(3 * n * sizeof *sides);
    gmc_vec3 *around = calloc((size_t)mesh->vertex_count, sizeof *around);
    gmc_status status = sides && around ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) {
        int at = 0, count = 0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            if (mesh->parts[t] != part) continue;
            for (int k = 0; k < 3; k++) {
                int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3];
                sides[count++] = (edge_side){a < b ? a : b, a < b ? b : a, at, k};
                around[a] = gmc_vec3_add_scaled(around[a], angle_at(solid->corners[at], k),
                                                solid->normals[at]);
            }
            at++;
        }
        at = 0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            if (mesh->parts[t] != part) continue;
            for (int k = 0; k < 3; k++)
                solid->corner_normals[at][k] = around[mesh->triangles[t][k]];
            at++;
        }
        qsort(sides, (size_t)count, sizeof *sides, compare_edge_sides);
        join_edges(solid, sides, count);
    }
    free(sides);
    free(around);
    return status;
}

/// A triangle and where it stands along the axis that is split.
typedef struct placed {
    double at;
    int triangle;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *s = a, *t = b;
    if (s->at != t->at) return s->at < t->at ? -1 : 1;
    return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static void bound_node(const gmc_pieces_solid *solid, gmc_pieces_node *node)
{
    for (int i = 0; i < node->count; i++) {
        const gmc_vec3 *c = solid->corners[solid->order[node->first + i]];
        for (int k = 0; k < 3; k++) {
            node->lo = i + k == 0 ? c[k] : lowest(node->lo, c[k]);
            node->hi = i + k == 0 ? c[k] : highest(node->hi, c[k]);
        }
    }
}

// Nodes in the order of their making: a node that is too large becomes the parent of the next two.
static void build_tree(gmc_pieces_solid *solid, placed *scratch)
{
    int made = 1;
    solid->nodes[0] = (gmc_pieces_node){.count = solid->triangle_count};
    for (int i = 0; i < made; i++) {
        gmc_pieces_node *node = &solid->nodes[i];
        bound_node(solid, node);
        if (node->count <= LEAF_MAX) continue;
        gmc_vec3 size = gmc_vec3_sub(node->hi, node->lo);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        for (int k = 0; k < node->count; k++) {
            int t = solid->order[node->first + k];
            const gmc_vec3 *c = solid->corners[t];
            double at = gmc_vec3_get(c[0], axis) + gmc_vec3_get(c[1], axis);
            scratch[k] = (placed){at + gmc_vec3_get(c[2], axis), t};
        }
        qsort(scratch, (size_t)node->count, sizeof *scratch, compare_placed);
        for (int k = 0; k < node->count; k++)
            solid->order[node->first + k] = scratch[k].triangle;
        int half = node->count / 2;
        solid->nodes[made] = (gmc_pieces_node){.first = node->first, .count = half};
        solid->nodes[made + 1] =
            (gmc_pieces_node){.first = node->first + half, .count = node->count - half};
        node->first = made;
        node->count = 0;
        made += 2;
    }
}

gmc_status gmc_pieces_solid_create(const gmc_mesh *mesh, int part, gmc_pieces_solid *solid)
{
    size_t n = (size_t)mesh->part[part].triangle_count;
    *solid = (gmc_pieces_solid){.corners = malloc(n * sizeof *solid->corners),
                                .normals = malloc(n * sizeof *solid->normals),
                                .edge_normals = calloc(n, sizeof *solid->edge_normals),
                                .corner_normals = calloc(n, sizeof *solid->corner_normals),
                                .edge_bends = calloc(n, sizeof *solid->edge_bends),
                                .nodes = malloc((2 * n + 1) * sizeof *solid->nodes),
                                .order = malloc(n * sizeof *solid->order)};
    placed *scratch = malloc(n * sizeof *scratch);
    gmc_status status = GMC_E_MEMORY;
    if (solid->corners && solid->normals && solid->edge_normals && solid->corner_normals &&
        solid->edge_bends && solid->nodes && solid->order && scratch) {
        take_triangles(mesh, part, solid);
        status = find_normals(mesh, part, solid);
    }
    if (status == GMC_OK) build_tree(solid, scratch);
    free(scratch);
    return status;
}

// ---- distance ----------------------------------------------------------------------------------

/// Nearest point of a triangle and the feature it lies on: 0 inside, 1 + k edge k, 4 + k corner k.
typedef struct foot {
    gmc_vec3 p;
    int feature;
} foot;

static foot edge_foot(const gmc_vec3 *c, int k, double share)
{
    return (foot){gmc_vec3_add_scaled(c[k], share, gmc_vec3_sub(c[(k + 1) % 3], c[k])), 1 + k};
}

// The regions of [ericson2004] §5.1.5, told apart by barycentric signs.
static foot foot_on(const gmc_vec3 *c, gmc_vec3 p)
{
    gmc_vec3 ab = gmc_vec3_sub(c[1], c[0]), ac = gmc_vec3_sub(c[2], c[0]);
    gmc_vec3 ap = gmc_vec3_sub(p, c[0]), bp = gmc_vec3_sub(p, c[1]), cp = gmc_vec3_sub(p, c[2]);
    double d1 = gmc_vec3_dot(ab, ap), d2 = gmc_vec3_dot(ac, ap);
    double d3 = gmc_vec3_dot(ab, bp), d4 = gmc_vec3_dot(ac, bp);
    double d5 = gmc_vec3_dot(ab, cp), d6 = gmc_vec3_dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) return (foot){c[0], 4};
    if (d3 >= 0 && d4 <= d3) return (foot){c[1], 5};
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return edge_foot(c, 0, d1 - d3 > 0 ? d1 / (d1 - d3) : 0);
    if (d6 >= 0 && d5 <= d6) return (foot){c[2], 6};
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        double share = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
        return edge_foot(c, 2, 1 - share);
    }
    double va = d3 * d6 - d5 * d4, e = (d4 - d3) + (d5 - d6);
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return edge_foot(c, 1, e > 0 ? (d4 - d3) / e : 0);
    double sum = va + vb + vc;
    gmc_vec3 q = gmc_vec3_add_scaled(c[0], vb / sum, ab);
    return (foot){gmc_vec3_add_scaled(q, vc / sum, ac), 0};
}

double gmc_pieces_solid_to_triangle(const gmc_pieces_solid *solid, int triangle, gmc_vec3 p)
{
    return gmc_vec3_norm(gmc_vec3_sub(p, foot_on(solid->corners[triangle], p).p));
}

static double outside(double x, double lo, double hi)
{
    return x < lo ? lo - x : x > hi ? x - hi : 0;
}

static double box_distance2(const gmc_pieces_node *node, gmc_vec3 p)
{
    double dx = outside(p.x, node->lo.x, node->hi.x), dy = outside(p.y, node->lo.y, node->hi.y);
    double dz = outside(p.z, node->lo.z, node->hi.z);
    return dx * dx + dy * dy + dz * dz;
}

static void look_at_leaf(const gmc_pieces_solid *solid, const gmc_pieces_node *node, gmc_vec3 p,
                         double *best2, foot *best, int *nearest)
{
    for (int i = 0; i < node->count; i++) {
        int t = solid->order[node->first + i];
        foot f = foot_on(solid->corners[t], p);
        gmc_vec3 d = gmc_vec3_sub(p, f.p);
        double d2 = gmc_vec3_dot(d, d);
        // triangles without area have no say about inside and outside
        bool has_area =
            solid->normals[t].x != 0 || solid->normals[t].y != 0 || solid->normals[t].z != 0;
        if (!has_area || !(d2 < *best2)) continue;
        *best2 = d2;
        *best = f;
        *nearest = t;
    }
}

double gmc_pieces_solid_distance(const gmc_pieces_solid *solid, gmc_vec3 p, int *nearest)
{
    int stack[STACK_MAX], top = 0;
    double best2 = INFINITY;
    foot best = {{0, 0, 0}, 0};
    *nearest = 0;
    stack[top++] = 0;
    while (top > 0) {
        const gmc_pieces_node *node = &solid->nodes[stack[--top]];
        if (box_distance2(node, p) >= best2) continue;
        if (node->count > 0) {
            look_at_leaf(solid, node, p, &best2, &best, nearest);
            continue;
        }
        double first = box_distance2(&solid->nodes[node->first], p);
        double second = box_distance2(&solid->nodes[node->first + 1], p);
        bool is_first_nearer = first <= second; // the nearer one is looked at first: on top
        stack[top++] = node->first + (is_first_nearer ? 1 : 0);
        stack[top++] = node->first + (is_first_nearer ? 0 : 1);
    }
    gmc_vec3 n = best.feature == 0  ? solid->normals[*nearest]
                 : best.feature < 4 ? solid->edge_normals[*nearest][best.feature - 1]
                                    : solid->corner_normals[*nearest][best.feature - 4];
    double side = gmc_vec3_dot(gmc_vec3_sub(p, best.p), n), distance = sqrt(best2);
    return side < 0 ? -distance : distance;
}

// ---- what is left of it in a convex cell -------------------------------------------------------
// A solid within a convex cell, kept as what the cell leaves of its surface (convex polygons) and
// the walls of the cell (a convex polyhedron). The cut surfaces inside the solid are never made
// into triangles: all that is wanted of them is their hull, and the corners of a solid in a cell
// are those of the clipped surface and those corners of the walls that are inside the solid.
//
// A polygon that lies in the plane of a cut belongs to the side that its solid is on, told by its
// normal: else the floor beside a wall would be drawn into the wall's hull.

/// The half-space n·x <= offset is behind, n·x >= offset is in front.
typedef struct pieces_plane {
    gmc_vec3 n; ///< unit
    double offset;
} pieces_plane;

/// Convex polygons with their outward normals. Zeroed: empty.
typedef struct pieces_polygons {
    int count, capacity, corner_capacity;
    int *start; ///< (count + 1) offsets into corners
    gmc_vec3 *normals, *corners;
    bool failed; ///< no memory; sticky
} pieces_polygons;

typedef struct pieces_cloud {
    gmc_vec3 *points;
    int count, capacity;
} pieces_cloud;

/// The solid within a convex cell: what is left of its surface, the faces of the cell, and those of
/// their corners that are inside the solid.
typedef struct pieces_cell {
    pieces_polygons surface, walls;
    pieces_cloud inside;
} pieces_cell;

/// Nearer to a plane than this share of the solid's extent is on it: well above the rounding of
/// clipped corners (1e-15), well below what a hull resolves (GMC_HULL_COPLANAR).
#define ON_PLANE 1e-9

static void free_polygons(pieces_polygons *set)
{
    free(set->start);
    free(set->normals);
    free(set->corners);
    *set = (pieces_polygons){0};
}

static void pieces_cell_free(pieces_cell *cell)
{
    free_polygons(&cell->surface);
    free_polygons(&cell->walls);
    free(cell->inside.points);
    cell->inside = (pieces_cloud){0};
}

static bool reserve(pieces_polygons *set, int corners)
{
    if (set->failed) return false;
    if (set->count + 1 >= set->capacity) {
        int capacity = set->capacity ? 2 * set->capacity : 16;
        int *start = realloc(set->start, ((size_t)capacity + 1) * sizeof *start);
        if (start) set->start = start;
        gmc_vec3 *normals = realloc(set->normals, (size_t)capacity * sizeof *normals);
        if (normals) set->normals = normals;
        set->failed = !start || !normals;
        if (set->failed) return false;
        if (set->capacity == 0) set->start[0] = 0;
        set->capacity = capacity;
    }
    int wanted = set->start[set->count] + corners;
    if (wanted > set->corner_capacity) {
        int capacity = wanted > 2 * set->corner_capacity ? wanted : 2 * set->corner_capacity;
        gmc_vec3 *grown = realloc(set->corners, (size_t)capacity * sizeof *grown);
        set->failed = !grown;
        if (!grown) return false;
        set->corners = grown;
        set->corner_capacity = capacity;
    }
    return true;
}

/// Add a polygon; the corners may not be in the set itself.
static void add_polygon(pieces_polygons *set, const gmc_vec3 *corners, int count, gmc_vec3 n)
{
    if (count < 3 || !reserve(set, count)) return;
    int at = set->start[set->count];
    memcpy(set->corners + at, corners, (size_t)count * sizeof *corners);
    set->normals[set->count] = n;
    set->start[++set->count] = at + count;
}

static void add_box(pieces_polygons *set, gmc_vec3 lo, gmc_vec3 hi)
{
    static const int FACES[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const gmc_vec3 NORMALS[6] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                        {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    for (int f = 0; f < 6; f++) {
        gmc_vec3 corners[4];
        for (int k = 0; k < 4; k++) {
            int c = FACES[f][k];
            corners[k] = (gmc_vec3){c & 1 ? hi.x : lo.x, c & 2 ? hi.y : lo.y, c & 4 ? hi.z : lo.z};
        }
        add_polygon(set, corners, 4, NORMALS[f]);
    }
}

// The whole solid in a box around it.
// @return false without memory
static bool pieces_cell_of(const gmc_pieces_solid *solid, pieces_cell *cell)
{
    *cell = (pieces_cell){0};
    // large ones in the order of the tree, so that thinning leaves some everywhere
    bool is_sorted = solid->triangle_count > GMC_PIECES_FACES;
    for (int i = 0; i < solid->triangle_count; i++) {
        int t = is_sorted ? solid->order[i] : i;
        add_polygon(&cell->surface, solid->corners[t], 3, solid->normals[t]);
    }
    double r = 0.1 * solid->extent; // any distance: no corner of the box may touch the solid
    gmc_vec3 around = {r, r, r};
    add_box(&cell->walls, gmc_vec3_sub(solid->lo, around), gmc_vec3_add(solid->hi, around));
    return !cell->surface.failed && !cell->walls.failed;
}

static double height(const pieces_plane *plane, gmc_vec3 p)
{
    return gmc_vec3_dot(plane->n, p) - plane->offset;
}

// Where the edge from p to q crosses the plane, the same point whichever way it is run through.
static gmc_vec3 crossing(gmc_vec3 p, double at_p, gmc_vec3 q, double at_q)
{
    if (at_p > at_q) {
        gmc_vec3 swapped = p;
        double at = at_p;
        p = q, at_p = at_q, q = swapped, at_q = at;
    }
    return gmc_vec3_add_scaled(p, at_p / (at_p - at_q), gmc_vec3_sub(q, p));
}

/// One side of a plane.
typedef struct plane_side {
    const pieces_plane *plane;
    double sign;      ///< 1: in front, -1: behind
    double tolerance; ///< what is so near lies in the plane [m]
} plane_side;

/// What of a convex polygon lies on this side. `rim` (2) gets the points where its outline meets
/// the plane, `rim_count` how many.
/// @return corners written to `out`, which has room for two more than the polygon has
static int clip(const gmc_vec3 *corners, int count, const plane_side *side, gmc_vec3 *out,
                gmc_vec3 rim[2], int *rim_count)
{
    int made = 0;
    *rim_count = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 p = corners[i], q = corners[i + 1 < count ? i + 1 : 0];
        double at_p = side->sign * height(side->plane, p);
        double at_q = side->sign * height(side->plane, q), tolerance = side->tolerance;
        bool is_on = fabs(at_p) <= tolerance;
        if (is_on || at_p > 0) out[made++] = p;
        if (is_on && *rim_count < 2) rim[(*rim_count)++] = p;
        if (is_on || fabs(at_q) <= tolerance || (at_p > 0) == (at_q > 0)) continue;
        out[made++] = crossing(p, at_p, q, at_q);
        if (*rim_count < 2) rim[(*rim_count)++] = out[made - 1];
    }
    return made;
}

static void range(const gmc_vec3 *corners, int count, const pieces_plane *plane, double *least,
                  double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < count; i++) {
        double at = height(plane, corners[i]);
        *least = fmin(*least, at);
        *most = fmax(*most, at);
    }
}

/// Room for the corners of one polygon and two more.
static gmc_vec3 *polygon_room(const pieces_polygons *set)
{
    int most = 0;
    for (int i = 0; i < set->count; i++)
        if (set->start[i + 1] - set->start[i] > most) most = set->start[i + 1] - set->start[i];
    return malloc(((size_t)most + 2) * sizeof(gmc_vec3));
}

static bool cut_surface(const pieces_polygons *from, const pieces_plane *plane, double sign,
                        double tolerance, pieces_polygons *to)
{
    plane_side side = {plane, sign, tolerance};
    gmc_vec3 *corners = polygon_room(from), rim[2];
    int rim_count;
    for (int i = 0; corners && i < from->count; i++) {
        const gmc_vec3 *polygon = from->corners + from->start[i];
        int count = from->start[i + 1] - from->start[i];
        double least, most;
        range(polygon, count, plane, &least, &most);
        if (most <= tolerance && least >= -tolerance) {
            if (sign * gmc_vec3_dot(plane->n, from->normals[i]) < 0)
                add_polygon(to, polygon, count, from->normals[i]);
        } else if ((sign > 0 ? most : -least) > tolerance) {
            int left = clip(polygon, count, &side, corners, rim, &rim_count);
            add_polygon(to, corners, left, from->normals[i]);
        }
    }
    bool fits = corners && !to->failed;
    free(corners);
    return fits;
}

/// The points of the new wall in order round it: by the side of the line from the first of them.
static void order_rim(gmc_vec3 *rim, int count, gmc_vec3 n)
{
    gmc_vec3 middle = {0, 0, 0};
    for (int i = 0; i < count; i++)
        middle = gmc_vec3_add_scaled(middle, 1.0 / count, rim[i]);
    gmc_vec3 u, v;
    gmc_vec3_tangents(n, &u, &v);
    // insertion by angle, told by half plane and cross product: there are few of them
    for (int i = 1; i < count; i++) {
        gmc_vec3 p = rim[i], d = gmc_vec3_sub(p, middle);
        double x = gmc_vec3_dot(d, u), y = gmc_vec3_dot(d, v);
        int k = i;
        for (; k > 0; k--) {
            gmc_vec3 e = gmc_vec3_sub(rim[k - 1], middle);
            double ex = gmc_vec3_dot(e, u), ey = gmc_vec3_dot(e, v);
            bool is_low = y < 0 || (y == 0 && x < 0), e_is_low = ey < 0 || (ey == 0 && ex < 0);
            bool is_before = is_low != e_is_low ? e_is_low : ex * y - ey * x < 0;
            if (!is_before) break;
            rim[k] = rim[k - 1];
        }
        rim[k] = p;
    }
}

static bool cut_walls(const pieces_polygons *from, const pieces_plane *plane, double sign,
                      double tolerance, pieces_polygons *to)
{
    plane_side side = {plane, sign, tolerance};
    gmc_vec3 *corners = polygon_room(from);
    gmc_vec3 *rim = malloc((2 * (size_t)from->count + 2) * sizeof *rim);
    int rim_count = 0;
    for (int i = 0; corners && rim && i < from->count; i++) {
        const gmc_vec3 *polygon = from->corners + from->start[i];
        int count = from->start[i + 1] - from->start[i], met;
        double least, most;
        range(polygon, count, plane, &least, &most);
        if ((sign > 0 ? most : -least) <= tolerance) continue;
        int left = clip(polygon, count, &side, corners, rim + rim_count, &met);
        rim_count += met;
        add_polygon(to, corners, left, from->normals[i]);
    }
    bool fits = corners && rim && !to->failed;
    if (fits) {
        gmc_vec3 out = gmc_vec3_scale(-sign, plane->n);
        int kept = 0; // each corner was met by two walls
        for (int i = 0; i < rim_count; i++) {
            int k = 0;
            while (k < kept && gmc_vec3_norm(gmc_vec3_sub(rim[k], rim[i])) > tolerance)
                k++;
            if (k == kept) rim[kept++] = rim[i];
        }
        order_rim(rim, kept, out);
        add_polygon(to, rim, kept, out);
    }
    free(corners);
    free(rim);
    return fits && !to->failed;
}

static bool add_point(pieces_cloud *cloud, gmc_vec3 p)
{
    gmc_vec3 *points = gmc_list_room(cloud->points, cloud->count, &cloud->capacity, sizeof *points);
    if (!points) return false;
    cloud->points = points;
    cloud->points[cloud->count++] = p;
    return true;
}

/// The corners that are inside the solid: the old ones on this side, and those of the new wall,
/// which is the last.
static bool find_inside(const gmc_pieces_solid *solid, const pieces_cell *cell,
                        const pieces_plane *plane, double sign, double tolerance, pieces_cell *half)
{
    const pieces_polygons *walls = &half->walls;
    bool fits = true;
    half->inside.count = 0;
    for (int i = 0; i < cell->inside.count && fits; i++)
        if (sign * height(plane, cell->inside.points[i]) >= -tolerance)
            fits = add_point(&half->inside, cell->inside.points[i]);
    for (int i = walls->count > 0 ? walls->start[walls->count - 1] : 0;
         walls->count > 0 && i < walls->start[walls->count] && fits; i++) {
        gmc_vec3 p = walls->corners[i];
        int nearest;
        bool is_in_box = p.x > solid->lo.x && p.x < solid->hi.x && p.y > solid->lo.y &&
                         p.y < solid->hi.y && p.z > solid->lo.z && p.z < solid->hi.z;
        if (is_in_box && gmc_pieces_solid_distance(solid, p, &nearest) < 0)
            fits = add_point(&half->inside, p);
    }
    return fits;
}

/// What lies in front of a plane, or behind it. `half` is used again: its arrays grow as needed.
/// @return false without memory
static bool pieces_cell_cut(const gmc_pieces_solid *solid, const pieces_cell *cell,
                            const pieces_plane *plane, bool is_front, pieces_cell *half)
{
    double sign = is_front ? 1 : -1, tolerance = ON_PLANE * solid->extent;
    half->surface.count = half->walls.count = 0;
    pieces_work_add(solid->work, GMC_PIECES_WORK_CLIP * cell->surface.count);
    return cut_surface(&cell->surface, plane, sign, tolerance, &half->surface) &&
           cut_walls(&cell->walls, plane, sign, tolerance, &half->walls) &&
           find_inside(solid, cell, plane, sign, tolerance, half);
}

/// The same cell with about `most` of its surface's polygons, those of evenly spaced places in
/// their list: neighbours in space stand near each other there.
/// @param  thin  zeroed before; to be freed in both cases
/// @return false without memory
static bool pieces_cell_thin(const pieces_cell *cell, int most, pieces_cell *thin)
{
    const pieces_polygons *sets[2] = {&cell->surface, &cell->walls};
    pieces_polygons *thinned[2] = {&thin->surface, &thin->walls};
    int steps[2] = {(cell->surface.count + most - 1) / most, 1};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sets[s]->count; i += steps[s])
            add_polygon(thinned[s], sets[s]->corners + sets[s]->start[i],
                        sets[s]->start[i + 1] - sets[s]->start[i], sets[s]->normals[i]);
    bool fits = !thin->surface.failed && !thin->walls.failed;
    for (int i = 0; i < cell->inside.count && fits; i++)
        fits = add_point(&thin->inside, cell->inside.points[i]);
    return fits;
}

static uint64_t mix(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static bool is_same(const gmc_vec3 *a, const gmc_vec3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

/// Keep each point once, the first of them. Neighbouring polygons share their corners bit by bit.
static bool drop_repeated(pieces_cloud *cloud)
{
    size_t size = 64;
    while (size < 2 * (size_t)cloud->count)
        size *= 2;
    int *table = malloc(size * sizeof *table), kept = 0;
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table); // -1: free
    for (int i = 0; i < cloud->count; i++) {
        gmc_vec3 p = cloud->points[i];
        size_t at = mix(mix(mix(0, p.x), p.y), p.z) & (size - 1);
        while (table[at] >= 0 && !is_same(&cloud->points[table[at]], &p))
            at = (at + 1) & (size - 1);
        if (table[at] >= 0) continue;
        table[at] = kept;
        cloud->points[kept++] = p;
    }
    cloud->count = kept;
    free(table);
    return true;
}

// Points whose hull is that of the solid in the cell: corners of the surface, and of the walls
// where they are inside the solid.
static bool pieces_cell_points(const pieces_cell *cell, pieces_cloud *cloud)
{
    int corners = cell->surface.count > 0 ? cell->surface.start[cell->surface.count] : 0;
    bool fits = true;
    cloud->count = 0;
    for (int i = 0; i < corners && fits; i++)
        fits = add_point(cloud, cell->surface.corners[i]);
    for (int i = 0; i < cell->inside.count && fits; i++)
        fits = add_point(cloud, cell->inside.points[i]);
    return fits && drop_repeated(cloud);
}

// ---- where to cut ------------------------------------------------------------------------------
//
// A plane is as good as the hulls of its two halves are small together: what is left
// of the solid is the same for all planes, so that this compares the added volume without knowing
// the solid's [mamou2016]. Of planes that are equally good the one with the more equal halves is
// taken.
//
// Planes tried: across nine directions of the mesh's frame (axes and diagonals), evenly spaced; and
// at hollow edges the planes of both faces, which part polyhedra exactly, and the plane half way
// between them, which parts round walls radially.
//
// Ring walls (cups, tubes) defeat a greedy choice: halving one gains nothing, quartering does.
// Where the best plane gains little, the planes are judged by what one more cut of each half gains;
// [wei2022] searches such trees by chance, to greater depth; two levels, each plane of the upper
// one tried, did as well on cups, mugs and tori, and chance has no place in a set-up.

enum {
    DIRECTIONS = 9,
    POSITIONS = 9,   ///< planes per direction
    HOLLOW_MAX = 24, ///< hollow edges looked at, three planes each
    PLANES_MAX = DIRECTIONS * POSITIONS + 3 * HOLLOW_MAX,
    AHEAD_MAX = 40 ///< planes judged by the cut behind them
};

/// A cut that saves less than this share of the hull's volume is looked at twice.
#define LITTLE_GAIN 0.02
/// How much of the volumes' difference counts: enough to decide between equals, too little to make
/// a cut miss the floor of a corner.
#define BALANCE 1e-3
/// An edge is hollow if its faces turn by more than this (sine): rounded coordinates bend flat
/// faces by less.
#define HOLLOW 0.02

static const gmc_vec3 DIRECTION[DIRECTIONS] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                               {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                               {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

typedef struct choice {
    pieces_plane plane;
    double score;   ///< small is good; infinite: leaves no two bodies
    bool is_coarse; ///< stands for its neighbours when looking ahead
} choice;

typedef struct cutter {
    const gmc_pieces_solid *solid;
    pieces_cell halves[2];
    pieces_cloud cloud;
    bool failed; ///< no memory, or stopped
} cutter;

// ---- volumes -----------------------------------------------------------------------------------

/// Volume of the hull of a cloud; 0 if it is flat.
static double hull_volume(cutter *cut, const pieces_cloud *cloud)
{
    char reason[GMC_HULL_REASON];
    gmc_hull_faces facets;
    if (cloud->count < 4) return 0;
    pieces_work_add(cut->solid->work, GMC_PIECES_WORK_HULL * cloud->count);
    gmc_status status = gmc_hull_qhull_facets(cloud->points, cloud->count, &facets, reason);
    cut->failed = cut->failed || status == GMC_E_MEMORY;
    if (status != GMC_OK) return 0;
    double volume = 0;
    gmc_vec3 o = cloud->points[0];
    for (int f = 0; f < facets.count; f++) {
        const int *loop = facets.loop + facets.start[f];
        gmc_vec3 a = gmc_vec3_sub(cloud->points[loop[0]], o);
        for (int i = 1; i + 1 < facets.start[f + 1] - facets.start[f]; i++)
            volume += gmc_vec3_dot(a, gmc_vec3_cross(gmc_vec3_sub(cloud->points[loop[i]], o),
                                                     gmc_vec3_sub(cloud->points[loop[i + 1]], o)));
    }
    gmc_hull_faces_free(&facets);
    return volume / 6;
}

/// Volume of the hull of one half; 0 if it is no body. A half thinner than what a hull may be is
/// none.
static double half_volume(cutter *cut, const pieces_cell *cell, const pieces_plane *plane,
                          bool is_front)
{
    pieces_cell *half = &cut->halves[is_front];
    if (!pieces_cell_cut(cut->solid, cell, plane, is_front, half) ||
        !pieces_cell_points(half, &cut->cloud)) {
        cut->failed = true;
        return 0;
    }
    double thickness = 0;
    for (int i = 0; i < cut->cloud.count; i++)
        thickness =
            fmax(thickness, fabs(gmc_vec3_dot(plane->n, cut->cloud.points[i]) - plane->offset));
    if (thickness < 2 * GMC_HULL_THINNEST * cut->solid->extent) return 0;
    return hull_volume(cut, &cut->cloud);
}

static double score_of(cutter *cut, const pieces_cell *cell, const pieces_plane *plane)
{
    cut->failed = cut->failed || (cut->solid->work && cut->solid->work->is_stopped);
    if (cut->failed) return HUGE_VAL;
    double behind = half_volume(cut, cell, plane, false);
    if (!(behind > 0) || cut->failed) return HUGE_VAL;
    double front = half_volume(cut, cell, plane, true);
    if (!(front > 0) || cut->failed) return HUGE_VAL;
    return behind + front + BALANCE * fabs(behind - front);
}

// ---- planes to try -----------------------------------------------------------------------------

static int add_plane(choice *list, int count, gmc_vec3 n, gmc_vec3 p, bool is_coarse)
{
    double length = gmc_vec3_norm(n);
    if (count >= PLANES_MAX || !(length > 0)) return count;
    gmc_vec3 unit = gmc_vec3_scale(1 / length, n);
    list[count] = (choice){.plane = {unit, gmc_vec3_dot(unit, p)}, .is_coarse = is_coarse};
    return count + 1;
}

static int add_grid(const pieces_cloud *cloud, choice *list, int count)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        gmc_vec3 n = gmc_vec3_unit(DIRECTION[d]);
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = 0; i < cloud->count; i++) {
            double at = gmc_vec3_dot(n, cloud->points[i]);
            least = fmin(least, at);
            most = fmax(most, at);
        }
        for (int i = 1; i <= POSITIONS; i++) {
            double at = least + (most - least) * i / (POSITIONS + 1);
            // the middle in all directions, and the quarters along the axes
            bool is_coarse = 2 * i == POSITIONS + 1 || (d < 3 && (i == 2 || i == POSITIONS - 1));
            count = add_plane(list, count, n, gmc_vec3_scale(at, n), is_coarse);
        }
    }
    return count;
}

/// Does the middle of this edge lie within the cell, away from its walls?
static bool is_within(const gmc_pieces_solid *solid, const pieces_cell *cell, gmc_vec3 p)
{
    for (int w = 0; w < cell->walls.count; w++) {
        gmc_vec3 on_wall = cell->walls.corners[cell->walls.start[w]];
        double inside = gmc_vec3_dot(cell->walls.normals[w], gmc_vec3_sub(on_wall, p));
        if (inside < 1e-6 * solid->extent) return false;
    }
    return true;
}

/// Hollow edges in the cell, spread evenly over all of them.
static int add_hollow_edges(const gmc_pieces_solid *solid, const pieces_cell *cell, choice *list,
                            int count)
{
    int total = 0, seen = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < solid->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const gmc_vec3 *c = solid->corners[t];
                gmc_vec3 from = c[k], to = c[(k + 1) % 3];
                gmc_vec3 along = gmc_vec3_sub(to, from);
                // each edge once: from the triangle that runs along it upwards
                bool is_up = along.x != 0 ? along.x > 0 : along.y != 0 ? along.y > 0 : along.z > 0;
                gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(from, to));
                if (!is_up || solid->edge_bends[t][k] < HOLLOW || !is_within(solid, cell, middle))
                    continue;
                if (pass == 0) {
                    total++;
                    continue;
                }
                int step = (total + HOLLOW_MAX - 1) / HOLLOW_MAX;
                if (seen++ % step != 0) continue;
                // this face, its mirror image in the plane between the two, and that plane
                gmc_vec3 own = solid->normals[t], between = solid->edge_normals[t][k];
                gmc_vec3 other = gmc_vec3_sub(between, own);
                count = add_plane(list, count, gmc_vec3_cross(between, along), middle, true);
                count = add_plane(list, count, own, middle, false);
                count = add_plane(list, count, other, middle, false);
            }
    return count;
}

// ---- the choice --------------------------------------------------------------------------------

static int find_best(const choice *list, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (list[i].score < HUGE_VAL && (best < 0 || list[i].score < list[best].score)) best = i;
    return best;
}

/// The smallest score of the coarse planes of a cell: what one more cut makes of it.
static double best_coarse(cutter *cut, const pieces_cell *cell)
{
    pieces_cloud cloud = {0};
    choice list[DIRECTIONS * POSITIONS];
    double best = HUGE_VAL;
    if (!pieces_cell_points(cell, &cloud)) cut->failed = true;
    int count = add_grid(&cloud, list, 0);
    for (int i = 0; i < count && !cut->failed; i++)
        if (list[i].is_coarse) best = fmin(best, score_of(cut, cell, &list[i].plane));
    // one that no plane parts stays whole
    if (best == HUGE_VAL && !cut->failed) best = hull_volume(cut, &cloud);
    free(cloud.points);
    return best;
}

/// Judge the coarse planes again by the cut behind them; all others are out.
static void look_ahead(cutter *cut, const pieces_cell *cell, choice *list, int count)
{
    int looked = 0;
    for (int i = 0; i < count && !cut->failed; i++) {
        bool is_taken = list[i].is_coarse && list[i].score < HUGE_VAL && looked < AHEAD_MAX;
        double own = list[i].score;
        list[i].score = HUGE_VAL;
        if (!is_taken) continue;
        looked++;
        pieces_cell halves[2] = {0};
        double sum = 0;
        for (int k = 0; k < 2 && !cut->failed; k++) {
            if (pieces_cell_cut(cut->solid, cell, &list[i].plane, k == 1, &halves[k]))
                sum += best_coarse(cut, &halves[k]);
            else
                cut->failed = true;
        }
        for (int k = 0; k < 2; k++)
            pieces_cell_free(&halves[k]);
        list[i].score = sum + BALANCE * own; // of equals the better one by itself
    }
}

// Cut it there.
// @param     halves  out, behind and in front; untouched unless GMC_OK
// @return GMC_OK, GMC_E_MEMORY
static gmc_status pieces_cell_halve(const gmc_pieces_solid *solid, const pieces_cell *cell,
                                    const pieces_plane *plane, pieces_cell halves[2])
{
    pieces_cell made[2] = {0};
    bool fits = true;
    for (int k = 0; k < 2 && fits; k++)
        fits = pieces_cell_cut(solid, cell, plane, k == 1, &made[k]);
    if (fits) {
        memcpy(halves, made, sizeof made);
        return GMC_OK;
    }
    for (int k = 0; k < 2; k++)
        pieces_cell_free(&made[k]);
    return GMC_E_MEMORY;
}

/// The best of all planes of a cell; -1: none leaves two bodies. `list` has room for PLANES_MAX.
static int best_plane(cutter *cut, const pieces_cell *cell, double volume, choice *list)
{
    pieces_cloud cloud = {0};
    int count = 0, best = -1;
    cut->failed = !pieces_cell_points(cell, &cloud);
    if (!cut->failed) {
        count = add_hollow_edges(cut->solid, cell, list, 0);
        count = add_grid(&cloud, list, count);
        if (volume <= 0) volume = hull_volume(cut, &cloud);
        for (int i = 0; i < count && !cut->failed; i++)
            list[i].score = score_of(cut, cell, &list[i].plane);
        best = find_best(list, count);
        if (best >= 0 && list[best].score > (1 - LITTLE_GAIN) * volume) {
            pieces_plane greedy = list[best].plane;
            look_ahead(cut, cell, list, count);
            best = find_best(list, count);
            if (best < 0) {
                best = 0;
                list[0].plane = greedy;
            }
        }
    }
    free(cloud.points);
    return best;
}

// Where to cut a cell in two so that the hulls of the two together are smallest.
// @param     volume  of the cell's hull [m³]
// @param     plane   out, untouched unless GMC_OK
// @return GMC_OK, GMC_E_NO_SOLUTION (no plane leaves two bodies), GMC_E_MEMORY,
//         GMC_E_INTERRUPTED
static gmc_status pieces_plane_choose(const gmc_pieces_solid *solid, const pieces_cell *cell,
                                      double volume, pieces_plane *plane)
{
    cutter cut = {.solid = solid};
    choice *list = calloc(PLANES_MAX, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    pieces_cell thin = {0};
    bool is_thinned = cell->surface.count > GMC_PIECES_FACES;
    cut.failed = is_thinned && !pieces_cell_thin(cell, GMC_PIECES_FACES / 3, &thin);
    int best = -1;
    if (!cut.failed)
        best = best_plane(&cut, is_thinned ? &thin : cell, is_thinned ? 0 : volume, list);
    gmc_status status = cut.failed ? GMC_E_MEMORY : best < 0 ? GMC_E_NO_SOLUTION : GMC_OK;
    if (solid->work && solid->work->is_stopped) status = GMC_E_INTERRUPTED;
    if (status == GMC_OK) *plane = list[best].plane;
    pieces_cell_free(&thin);
    free(list);
    free(cut.cloud.points);
    for (int k = 0; k < 2; k++)
        pieces_cell_free(&cut.halves[k]);
    return status;
}

// ---- the decomposition -------------------------------------------------------------------------

/// Largest distance from the solid of a point on the hull's surface that is outside of it: at most
/// the result, which is too large by at most `slack` and PIECES_LOOSE of itself, or by more
/// where that would cost more than PIECES_ERROR_WORK, or than the work has left. The search
/// ends early where it is beyond `enough`.
#define PIECES_LOOSE 0.03

#define PIECES_ERROR_WORK 3e5 ///< distances; a finger-sized hull of a smooth mesh takes 1e4

/// Convex pieces as clouds of points: the vertices of their hulls.
typedef struct pieces_result {
    pieces_cloud *clouds; ///< (count)
    int count;
    double surface_error; ///< worst of all pieces [m]
    int is_cut_short;     ///< 1: it had cost GMC_PIECES_WORK before no piece was bad
} pieces_result;

/// One step of a cutting: the piece `index` is cut at the plane into itself (behind) and a new last
/// piece (in front), or found to have no such plane.
typedef struct pieces_step {
    int index, is_final;
    pieces_plane plane;
    double errors[2]; ///< of the halves' hulls [m]
} pieces_step;

/// How far a cutting has come.
typedef struct pieces_steps {
    pieces_step *list; ///< (count)
    int count, capacity;
    double spent; ///< work
} pieces_steps;

static void pieces_result_free(pieces_result *result);

/// Share of the tolerance by which an error may be overstated, while searching and in the end: half
/// of it takes twice the time, for walls of cuts come near the surface all along their rims.
#define SLACK      0.05
#define SLACK_LAST 0.02

typedef struct piece {
    pieces_cell cell;
    gmc_polytope *hull;
    double error;  ///< of its hull, at most [m]
    bool is_final; ///< no plane cuts it
} piece;

typedef struct work {
    const gmc_pieces_solid *solid;
    double tolerance;
    int piece_max, count;
    piece *pieces; ///< (piece_max)
    pieces_steps steps;
    double kept_at;                ///< work when the steps were last kept
    const gmc_pieces_cache *cache; ///< NULL: none
    gmc_digest key;
} work;

/// Steps are kept when so much was spent since: some seconds.
#define KEEP_EVERY 3e6

// ---- results on disk ---------------------------------------------------------------------------
//
// A finished decomposition as bytes: a line that names the format and what the pieces are of, the
// clouds as they stand in memory (little-endian doubles, as all machines we run on have them), and
// a SHA-256 of all that. Whatever is not exactly as it was written is as good as absent.

/// Raised whenever the pieces of any mesh change.
static const char FORMAT[8] = "gmcpcs2", STEPS[8] = "gmccut2";

enum { DIGEST_BYTES = 64, HEAD_BYTES = sizeof FORMAT + DIGEST_BYTES };

/// Of all that the pieces of a part depend on.
static gmc_digest pieces_cache_key(const gmc_mesh *mesh, int part, double tolerance, int piece_max)
{
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, FORMAT, sizeof FORMAT);
    gmc_sha256_add(&hash, &tolerance, sizeof tolerance);
    gmc_sha256_add(&hash, &piece_max, sizeof piece_max);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3 && mesh->parts[t] == part; k++)
            gmc_sha256_add(&hash, &mesh->vertices[mesh->triangles[t][k]], sizeof(gmc_vec3));
    return gmc_sha256_end(&hash);
}

static gmc_digest checksum(const unsigned char *bytes, size_t size)
{
    return gmc_sha256_of(bytes, size);
}

/// Next value of the file; false at its end.
static bool take(const gmc_file *file, size_t end, size_t *at, void *value, size_t bytes)
{
    if (end - *at < bytes) return false;
    memcpy(value, file->bytes + *at, bytes);
    *at += bytes;
    return true;
}

static bool read_clouds(const gmc_file *file, size_t end, pieces_result *result)
{
    size_t at = HEAD_BYTES;
    int count = 0;
    if (!take(file, end, &at, &result->surface_error, sizeof result->surface_error) ||
        !take(file, end, &at, &result->is_cut_short, sizeof result->is_cut_short) ||
        !take(file, end, &at, &count, sizeof count) || count < 1 || count > GMC_HULL_PIECES_MAX)
        return false;
    result->clouds = calloc((size_t)count, sizeof *result->clouds);
    if (!result->clouds) return false;
    for (; result->count < count; result->count++) {
        pieces_cloud *cloud = &result->clouds[result->count];
        int points = 0;
        if (!take(file, end, &at, &points, sizeof points) || points < 4) return false;
        if ((end - at) / sizeof(gmc_vec3) < (size_t)points) return false;
        cloud->points = malloc((size_t)points * sizeof(gmc_vec3));
        if (!cloud->points) return false;
        cloud->count = points;
        memcpy(cloud->points, file->bytes + at, (size_t)points * sizeof(gmc_vec3));
        at += (size_t)points * sizeof(gmc_vec3);
    }
    return at == end;
}

/// The file of a name if it is whole and of this format.
/// @param end  out: where its values end
static bool open_file(const gmc_pieces_cache *cache, const gmc_digest *key, const char *format,
                      gmc_file *file, size_t *end)
{
    *file = (gmc_file){0};
    if (!cache->load || !cache->load(cache->context, key->hex, file)) return false;
    if (file->size <= HEAD_BYTES + DIGEST_BYTES) return false;
    *end = file->size - DIGEST_BYTES;
    gmc_digest found = checksum(file->bytes, *end);
    return memcmp(file->bytes, format, sizeof FORMAT) == 0 &&
           memcmp(file->bytes + sizeof FORMAT, key->hex, DIGEST_BYTES) == 0 &&
           memcmp(file->bytes + *end, found.hex, DIGEST_BYTES) == 0;
}

/// @return true if the cache has this result, whole and undamaged
static bool pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                              pieces_result *result)
{
    gmc_file file;
    size_t end;
    *result = (pieces_result){0};
    bool is_whole = open_file(cache, key, FORMAT, &file, &end) && read_clouds(&file, end, result);
    gmc_file_free(&file);
    if (!is_whole) pieces_result_free(result);
    return is_whole;
}

/// The cutting of this part as far as it is kept; false: nothing is.
static bool pieces_cache_resume(const gmc_pieces_cache *cache, const gmc_digest *key,
                                pieces_steps *steps)
{
    gmc_file file;
    size_t end, at = HEAD_BYTES;
    int count = 0;
    *steps = (pieces_steps){0};
    bool is_whole = open_file(cache, key, STEPS, &file, &end) &&
                    take(&file, end, &at, &steps->spent, sizeof steps->spent) &&
                    take(&file, end, &at, &count, sizeof count) && count > 0 &&
                    (end - at) / sizeof *steps->list == (size_t)count &&
                    (end - at) % sizeof *steps->list == 0;
    if (is_whole) steps->list = malloc((size_t)count * sizeof *steps->list);
    if (steps->list) {
        memcpy(steps->list, file.bytes + at, (size_t)count * sizeof *steps->list);
        steps->count = steps->capacity = count;
    }
    gmc_file_free(&file);
    return steps->count > 0;
}

static void put(unsigned char *bytes, size_t *at, const void *value, size_t size)
{
    memcpy(bytes + *at, value, size);
    *at += size;
}

/// Room for `size` bytes of values behind the head, and for the sum; NULL without memory.
static unsigned char *begin(const char *format, const gmc_digest *key, size_t size, size_t *at)
{
    unsigned char *bytes = malloc(HEAD_BYTES + size + DIGEST_BYTES);
    *at = 0;
    if (!bytes) return NULL; // nothing is kept: nothing is lost
    put(bytes, at, format, sizeof FORMAT);
    put(bytes, at, key->hex, DIGEST_BYTES);
    return bytes;
}

static void finish(const gmc_pieces_cache *cache, const gmc_digest *key, unsigned char *bytes,
                   size_t at)
{
    gmc_digest sum = checksum(bytes, at);
    put(bytes, &at, sum.hex, DIGEST_BYTES);
    cache->save(cache->context, key->hex, bytes, at);
    free(bytes);
}

static void pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                              const pieces_result *result)
{
    size_t size = sizeof(double) + 2 * sizeof(int), at;
    for (int i = 0; i < result->count; i++)
        size += sizeof(int) + (size_t)result->clouds[i].count * sizeof(gmc_vec3);
    unsigned char *bytes = cache->save ? begin(FORMAT, key, size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &result->surface_error, sizeof result->surface_error);
    put(bytes, &at, &result->is_cut_short, sizeof result->is_cut_short);
    put(bytes, &at, &result->count, sizeof result->count);
    for (int i = 0; i < result->count; i++) {
        const pieces_cloud *cloud = &result->clouds[i];
        put(bytes, &at, &cloud->count, sizeof cloud->count);
        put(bytes, &at, cloud->points, (size_t)cloud->count * sizeof(gmc_vec3));
    }
    finish(cache, key, bytes, at);
}

static void pieces_cache_pause(const gmc_pieces_cache *cache, const gmc_digest *key,
                               const pieces_steps *steps)
{
    size_t size = (size_t)steps->count * sizeof *steps->list, at;
    unsigned char *bytes =
        cache->save ? begin(STEPS, key, sizeof(double) + sizeof(int) + size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &steps->spent, sizeof steps->spent);
    put(bytes, &at, &steps->count, sizeof steps->count);
    put(bytes, &at, steps->list, size);
    finish(cache, key, bytes, at);
}

// ---- how good a hull is ------------------------------------------------------------------------
//
// How far a hull strays from its solid: the largest signed distance over its surface, by branch and
// bound. The faces are triangles; each is bounded from above twice:
//
//   the signed distance is 1-Lipschitz             s(x) <= s(centre) + radius
//   the distance to one convex triangle is convex  s(x) <= the largest of the three corners'
//
// the first settles what is inside the solid (walls of cuts), the second what lies along its
// surface or parallel to it, where the first alone would need triangles as small as the slack. What
// may still be worse than the worst point found so far, by more than the slack, is halved across
// its longest side.

/// Halvings deep enough for a triangle of the solid's size to become smaller than any slack asked
/// for (2^-32), with room.
enum { DEPTH_MAX = 96 };

typedef struct search {
    const gmc_pieces_solid *solid;
    double slack, enough;
    double worst; ///< largest signed distance found [m]
    double most;  ///< no point is beyond it [m]
    double left;  ///< work that may be spent
} search;

static double longest_side(const gmc_vec3 *c, int *side)
{
    double longest = -1;
    for (int k = 0; k < 3; k++) {
        double length = gmc_vec3_norm(gmc_vec3_sub(c[(k + 1) % 3], c[k]));
        if (length <= longest) continue;
        longest = length;
        *side = k;
    }
    return longest;
}

/// Upper bound over the triangle; looks at its centre.
static double bound(search *s, const gmc_vec3 *c)
{
    gmc_vec3 centre = gmc_vec3_scale(1.0 / 3, gmc_vec3_add(c[0], gmc_vec3_add(c[1], c[2])));
    int nearest;
    double at_centre = gmc_pieces_solid_distance(s->solid, centre, &nearest);
    pieces_work_add(s->solid->work, 1);
    s->left -= 1;
    double radius = 0, convex = 0;
    for (int k = 0; k < 3; k++) {
        radius = fmax(radius, gmc_vec3_norm(gmc_vec3_sub(c[k], centre)));
        convex = fmax(convex, gmc_pieces_solid_to_triangle(s->solid, nearest, c[k]));
    }
    s->worst = fmax(s->worst, at_centre);
    return fmin(at_centre + radius, convex);
}

/// Depth first; halves wait on a stack.
static void look_at(search *s, const gmc_vec3 *triangle)
{
    gmc_vec3 stack[DEPTH_MAX][3];
    int depth[DEPTH_MAX], top = 0;
    for (int k = 0; k < 3; k++)
        stack[0][k] = triangle[k];
    depth[top++] = 0;
    while (top > 0 && s->worst <= s->enough) {
        gmc_vec3 c[3] = {stack[top - 1][0], stack[top - 1][1], stack[top - 1][2]};
        int level = depth[--top], side = 0;
        double at_most = bound(s, c);
        double good_enough = (1 + PIECES_LOOSE) * fmax(s->worst, 0) + s->slack;
        if (at_most <= good_enough || level + 1 >= DEPTH_MAX || s->left <= 0) {
            s->most = fmax(s->most, at_most);
            continue;
        }
        (void)longest_side(c, &side);
        gmc_vec3 a = c[side], b = c[(side + 1) % 3], d = c[(side + 2) % 3];
        gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
        gmc_vec3 halves[2][3] = {{a, middle, d}, {middle, b, d}};
        for (int h = 0; h < 2; h++) {
            for (int k = 0; k < 3; k++)
                stack[top][k] = halves[h][k];
            depth[top++] = level + 1;
        }
    }
}

static double pieces_error(const gmc_pieces_solid *solid, const gmc_polytope *hull, double slack,
                           double enough)
{
    search s = {.solid = solid, .slack = slack, .enough = enough, .left = PIECES_ERROR_WORK};
    if (pieces_work_is_over(solid->work)) s.left = PIECES_ERROR_WORK / 100;
    for (int pass = 0; pass < 2;
         pass++) // corners of faces and their middles first: a bound to beat
        for (int f = 0; f < hull->face_count && s.worst <= enough; f++) {
            const int *loop = hull->face_vertices + hull->face_start[f];
            int count = hull->face_start[f + 1] - hull->face_start[f];
            for (int i = 1; i + 1 < count; i++) {
                gmc_vec3 c[3] = {hull->vertices[loop[0]], hull->vertices[loop[i]],
                                 hull->vertices[loop[i + 1]]};
                if (pass == 0)
                    (void)bound(&s, c);
                else
                    look_at(&s, c);
            }
        }
    if (s.worst > enough) return s.worst;
    return fmax(s.most, 0);
}

// ---- pieces ------------------------------------------------------------------------------------

static void free_piece(piece *p)
{
    pieces_cell_free(&p->cell);
    gmc_hull_free(p->hull);
    *p = (piece){0};
}

/// Hull of a cloud without a word about failure.
static gmc_status quiet_hull(const gmc_vec3 *points, int count, gmc_polytope **hull)
{
    gmc_diagnostics unheard = {0};
    gmc_status status = gmc_hull_create(points, count, "piece", (gmc_source){0}, &unheard, hull);
    gmc_diagnostics_free(&unheard);
    return status;
}

// ---- cutting -----------------------------------------------------------------------------------

/// Has whoever follows said that it is enough?
static gmc_status heard(const work *w)
{
    return w->solid->work->is_stopped ? GMC_E_INTERRUPTED : GMC_OK;
}

static gmc_status wrap(const work *w, piece *p)
{
    pieces_cloud cloud = {0};
    gmc_status status = GMC_E_MEMORY;
    if (pieces_cell_points(&p->cell, &cloud)) {
        pieces_work_add(w->solid->work, GMC_PIECES_WORK_HULL * cloud.count);
        status = quiet_hull(cloud.points, cloud.count, &p->hull);
    }
    free(cloud.points);
    return status;
}

/// Hull and error of a piece whose cell is given.
static gmc_status measure(const work *w, piece *p)
{
    gmc_status status = wrap(w, p);
    if (status == GMC_OK)
        p->error = pieces_error(w->solid, p->hull, SLACK * w->tolerance, HUGE_VAL);
    return status == GMC_OK ? heard(w) : status;
}

static int worst_piece(const work *w)
{
    int worst = -1;
    for (int i = 0; i < w->count; i++)
        if (w->pieces[i].error > w->tolerance && !w->pieces[i].is_final &&
            (worst < 0 || w->pieces[i].error > w->pieces[worst].error))
            worst = i;
    return worst;
}

static gmc_status note(work *w, const pieces_step *step)
{
    pieces_steps *steps = &w->steps;
    pieces_step *list = gmc_list_room(steps->list, steps->count, &steps->capacity, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    steps->list = list;
    list[steps->count++] = *step;
    steps->spent = w->solid->work->spent;
    return GMC_OK;
}

/// Cut a piece in two; GMC_E_NO_SOLUTION and the like if the halves are no bodies.
static gmc_status cut_piece(work *w, int index, const pieces_plane *plane, piece halves[2])
{
    pieces_cell cells[2];
    GMC_TRY(pieces_cell_halve(w->solid, &w->pieces[index].cell, plane, cells));
    for (int k = 0; k < 2; k++)
        halves[k] = (piece){.cell = cells[k]};
    return GMC_OK;
}

static void put_halves(work *w, int index, const piece halves[2])
{
    free_piece(&w->pieces[index]);
    w->pieces[index] = halves[0];
    w->pieces[w->count++] = halves[1];
    w->solid->work->count = w->count;
}

/// Cut the worst piece in two.
/// @param is_done  out: there is none to cut, or it has cost enough
static gmc_status cut_worst(work *w, bool *is_done)
{
    int worst = worst_piece(w);
    *is_done = worst < 0 || w->count >= w->piece_max || pieces_work_is_over(w->solid->work);
    GMC_TRY(heard(w));
    if (*is_done) return GMC_OK;
    piece halves[2] = {0}, *old = &w->pieces[worst];
    pieces_step step = {.index = worst};
    gmc_status status =
        pieces_plane_choose(w->solid, &old->cell, gmc_hull_volume(old->hull), &step.plane);
    if (status == GMC_OK) status = cut_piece(w, worst, &step.plane, halves);
    for (int k = 0; k < 2 && status == GMC_OK; k++) {
        status = measure(w, &halves[k]);
        step.errors[k] = halves[k].error;
    }
    if (status == GMC_OK) {
        put_halves(w, worst, halves);
        return note(w, &step);
    }
    for (int k = 0; k < 2; k++)
        free_piece(&halves[k]);
    if (status == GMC_E_MEMORY || status == GMC_E_INTERRUPTED) return status;
    old->is_final = true;
    step.is_final = true;
    return note(w, &step);
}

/// The kept steps once more, without looking for planes and errors.
static gmc_status repeat(work *w, const pieces_steps *steps)
{
    for (int i = 0; i < steps->count; i++) {
        const pieces_step *step = &steps->list[i];
        if (step->index < 0 || step->index >= w->count || w->count >= w->piece_max)
            return GMC_E_INPUT;
        GMC_TRY(heard(w));
        piece halves[2] = {0};
        if (step->is_final) {
            w->pieces[step->index].is_final = true;
        } else {
            gmc_status status = cut_piece(w, step->index, &step->plane, halves);
            for (int k = 0; k < 2 && status == GMC_OK; k++) {
                status = wrap(w, &halves[k]);
                halves[k].error = step->errors[k];
            }
            for (int k = 0; k < 2 && status != GMC_OK; k++)
                free_piece(&halves[k]);
            GMC_TRY(status);
            put_halves(w, step->index, halves);
        }
        GMC_TRY(note(w, step));
    }
    w->solid->work->spent = w->steps.spent = w->kept_at = steps->spent; // as it was then
    return GMC_OK;
}

static void keep_steps(work *w, bool is_last)
{
    bool is_due = w->steps.spent - w->kept_at >= KEEP_EVERY;
    if (!w->cache || !(is_due || (is_last && w->steps.spent > w->kept_at))) return;
    pieces_cache_pause(w->cache, &w->key, &w->steps);
    w->kept_at = w->steps.spent;
}

// ---- joining -----------------------------------------------------------------------------------

static bool boxes_touch(const gmc_polytope *a, const gmc_polytope *b, double within)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        const gmc_polytope *both[2] = {a, b};
        for (int s = 0; s < 2; s++)
            for (int v = 0; v < both[s]->vertex_count; v++) {
                lo[s] = fmin(lo[s], gmc_vec3_get(both[s]->vertices[v], k));
                hi[s] = fmax(hi[s], gmc_vec3_get(both[s]->vertices[v], k));
            }
        if (lo[0] > hi[1] + within || lo[1] > hi[0] + within) return false;
    }
    return true;
}

/// Common hull of two pieces; GMC_E_NO_SOLUTION if it strays too far.
static gmc_status join(const work *w, const piece *a, const piece *b, piece *joined, double *added)
{
    const gmc_polytope *both[2] = {a->hull, b->hull};
    if (!boxes_touch(a->hull, b->hull, w->tolerance)) return GMC_E_NO_SOLUTION;
    size_t count = (size_t)a->hull->vertex_count + (size_t)b->hull->vertex_count;
    gmc_vec3 *points = malloc(count * sizeof *points);
    if (!points) return GMC_E_MEMORY;
    int at = 0;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < both[s]->vertex_count; v++)
            points[at++] = both[s]->vertices[v];
    *joined = (piece){.is_final = true};
    pieces_work_add(w->solid->work, GMC_PIECES_WORK_HULL * at);
    gmc_status status = quiet_hull(points, at, &joined->hull);
    free(points);
    if (status != GMC_OK) return status == GMC_E_MEMORY ? status : GMC_E_NO_SOLUTION;
    joined->error = pieces_error(w->solid, joined->hull, SLACK * w->tolerance, w->tolerance);
    *added = gmc_hull_volume(joined->hull) - gmc_hull_volume(a->hull) - gmc_hull_volume(b->hull);
    if (joined->error <= w->tolerance) return GMC_OK;
    gmc_hull_free(joined->hull);
    joined->hull = NULL;
    return GMC_E_NO_SOLUTION;
}

/// Volume that joining i and j adds, beside all pairs tried before; +inf: may not be.
static gmc_status price(const work *w, int i, int j, double *added)
{
    piece joined;
    double volume = INFINITY;
    gmc_status status = join(w, &w->pieces[i], &w->pieces[j], &joined, &volume);
    if (status == GMC_OK) free_piece(&joined);
    *added = status == GMC_OK ? volume : HUGE_VAL;
    return status == GMC_E_MEMORY ? status : GMC_OK;
}

/// The pair whose joining adds least; false if none may be joined.
static bool cheapest(const work *w, const double *prices, int *a, int *b)
{
    double least = HUGE_VAL;
    for (int i = 0; i < w->count; i++)
        for (int j = i + 1; j < w->count; j++)
            if (prices[i * w->piece_max + j] < least) {
                least = prices[i * w->piece_max + j];
                *a = i;
                *b = j;
            }
    return least < HUGE_VAL;
}

/// Join a and b into a; the last piece takes the place of b. Where much has been spent an error is
/// overstated by more than when the pair was priced: such a pair stays two.
static gmc_status join_pair(work *w, int a, int b, double *prices)
{
    piece joined;
    double added;
    gmc_status status = join(w, &w->pieces[a], &w->pieces[b], &joined, &added);
    if (status == GMC_E_NO_SOLUTION) {
        prices[a * w->piece_max + b] = HUGE_VAL;
        return GMC_OK;
    }
    if (status != GMC_OK) return status;
    int last = --w->count, n = w->piece_max;
    free_piece(&w->pieces[a]);
    free_piece(&w->pieces[b]);
    w->pieces[a] = joined;
    if (b != last) {
        w->pieces[b] = w->pieces[last];
        w->pieces[last] = (piece){0};
        for (int i = 0; i < last; i++)
            if (i != b) prices[(i < b ? i * n + b : b * n + i)] = prices[i * n + last];
    }
    for (int i = 0; i < w->count && status == GMC_OK; i++)
        if (i < a)
            status = price(w, i, a, &prices[i * n + a]);
        else if (i > a)
            status = price(w, a, i, &prices[a * n + i]);
    return status;
}

static gmc_status join_all(work *w)
{
    size_t n = (size_t)w->piece_max;
    double *prices = malloc(n * n * sizeof *prices);
    gmc_status status = prices ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < w->count; i++)
        for (int j = i + 1; j < w->count && status == GMC_OK; j++) {
            status = price(w, i, j, &prices[i * w->piece_max + j]);
            if (status == GMC_OK) status = heard(w);
        }
    int a = 0, b = 0;
    if (status == GMC_OK) status = heard(w);
    while (status == GMC_OK && cheapest(w, prices, &a, &b))
        status = join_pair(w, a, b, prices);
    free(prices);
    return status;
}

// ---- one part ----------------------------------------------------------------------------------

static gmc_status keep_clouds(const work *w, pieces_result *result)
{
    GMC_ASSERT(w->count > 0);
    result->clouds = calloc((size_t)w->count, sizeof *result->clouds);
    if (!result->clouds) return GMC_E_MEMORY;
    for (int i = 0; i < w->count; i++) {
        const gmc_polytope *hull = w->pieces[i].hull;
        size_t bytes = (size_t)hull->vertex_count * sizeof(gmc_vec3);
        pieces_cloud *cloud = &result->clouds[result->count++];
        *cloud = (pieces_cloud){.points = malloc(bytes), .count = hull->vertex_count};
        if (!cloud->points) return GMC_E_MEMORY;
        memcpy(cloud->points, hull->vertices, bytes);
        double slack = SLACK_LAST * w->tolerance;
        double error = pieces_error(w->solid, hull, slack, HUGE_VAL);
        result->surface_error = fmax(result->surface_error, fmin(error, w->pieces[i].error));
    }
    return GMC_OK;
}

static void pieces_result_free(pieces_result *result)
{
    for (int i = 0; i < result->count; i++)
        free(result->clouds[i].points);
    free(result->clouds);
    *result = (pieces_result){0};
}

static gmc_status start(work *w)
{
    w->count = 1;
    bool fits = pieces_cell_of(w->solid, &w->pieces[0].cell);
    return fits ? measure(w, &w->pieces[0]) : GMC_E_MEMORY;
}

static void drop_pieces(work *w)
{
    for (int i = 0; w->pieces && i < w->count; i++)
        free_piece(&w->pieces[i]);
    w->count = 0;
    w->steps.count = 0;
}

static gmc_status cut_all(work *w)
{
    pieces_steps kept = {0};
    gmc_status status = start(w);
    if (status == GMC_OK && w->cache && pieces_cache_resume(w->cache, &w->key, &kept)) {
        status = repeat(w, &kept);
        if (status == GMC_E_INPUT) { // of no use: from the beginning
            drop_pieces(w);
            w->solid->work->spent = 0;
            status = start(w);
        }
    }
    free(kept.list);
    bool is_done = false;
    while (status == GMC_OK && !is_done) {
        status = cut_worst(w, &is_done);
        keep_steps(w, false);
    }
    return status;
}

static gmc_status decompose(const gmc_mesh *mesh, int part, double tolerance, int piece_max,
                            const gmc_pieces_cache *cache, pieces_result *result)
{
    gmc_pieces_solid solid;
    gmc_pieces_work spent = {
        .most = GMC_PIECES_WORK, .count = 1, .mesh = mesh->file, .cache = cache};
    *result = (pieces_result){0};
    gmc_status status = gmc_pieces_solid_create(mesh, part, &solid);
    solid.work = &spent;
    work w = {.solid = &solid, .tolerance = tolerance, .piece_max = piece_max, .cache = cache};
    w.key = pieces_cache_key(mesh, part, tolerance, piece_max);
    w.pieces = calloc((size_t)piece_max, sizeof *w.pieces);
    if (!w.pieces) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = cut_all(&w);
    result->is_cut_short = pieces_work_is_over(&spent);
    if (status == GMC_OK) status = join_all(&w);
    if (status == GMC_OK) status = keep_clouds(&w, result);
    if (status == GMC_OK) status = heard(&w);
    keep_steps(&w, status == GMC_E_INTERRUPTED);
    drop_pieces(&w);
    free(w.pieces);
    free(w.steps.list);
    gmc_pieces_solid_free(&solid);
    if (status != GMC_OK) pieces_result_free(result);
    return status;
}

// ---- the mesh ----------------------------------------------------------------------------------

typedef struct cutting {
    const gmc_pieces_options *options;
    int part_count, piece_count;     ///< parts cut, pieces made of them
    double surface_error, tolerance; ///< worst of all parts; of the part that misses it by most
    bool is_missed, is_cut_short;
} cutting;

static double extent_of(const gmc_polytope *hull)
{
    gmc_vec3 lo = hull->vertices[0], hi = lo;
    for (int v = 1; v < hull->vertex_count; v++) {
        gmc_vec3 p = hull->vertices[v];
        lo = (gmc_vec3){fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z)};
        hi = (gmc_vec3){fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z)};
    }
    return fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
}

static gmc_status get_result(const gmc_mesh *mesh, int part, double tolerance, int piece_max,
                             const gmc_pieces_cache *cache, pieces_result *result)
{
    if (!cache) return decompose(mesh, part, tolerance, piece_max, NULL, result);
    gmc_digest key = pieces_cache_key(mesh, part, tolerance, piece_max);
    if (pieces_cache_load(cache, &key, result)) return GMC_OK;
    GMC_TRY(decompose(mesh, part, tolerance, piece_max, cache, result));
    pieces_cache_save(cache, &key, result);
    return GMC_OK;
}

static gmc_status make_hulls(const pieces_result *result, gmc_hull_cut *pieces)
{
    gmc_polytope **made = calloc((size_t)result->count, sizeof(gmc_polytope *));
    gmc_status status = made ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < result->count && status == GMC_OK; i++)
        status = quiet_hull(result->clouds[i].points, result->clouds[i].count, &made[i]);
    if (status == GMC_OK) {
        *pieces = (gmc_hull_cut){.pieces = made, .count = result->count};
        return GMC_OK;
    }
    for (int i = 0; made && i < result->count; i++)
        gmc_hull_free(made[i]);
    free(made);
    return status == GMC_E_MEMORY ? status : GMC_E_LIBRARY;
}

static gmc_status cut_part(void *context, const gmc_mesh *mesh, int part, const gmc_polytope *hull,
                           int room, gmc_hull_cut *pieces)
{
    cutting *all = context;
    const gmc_pieces_options *options = all->options;
    double tolerance =
        options->tolerance > 0 ? options->tolerance : GMC_PIECES_TOLERANCE * extent_of(hull);
    int piece_max = options->piece_max < room ? options->piece_max : room;
    pieces_result result;
    GMC_TRY(get_result(mesh, part, tolerance, piece_max, options->cache, &result));
    gmc_status status = make_hulls(&result, pieces);
    all->part_count++;
    all->piece_count += result.count;
    all->surface_error = fmax(all->surface_error, result.surface_error);
    all->is_cut_short = all->is_cut_short || result.is_cut_short;
    if (result.surface_error > tolerance) {
        all->is_missed = true;
        all->tolerance = fmax(all->tolerance, tolerance);
    }
    pieces_result_free(&result);
    return status;
}

/// Of what pieces hold: meshes with less have parts that count against each other.
static const double CROSSED = 1e-3;

static void tell(const gmc_mesh *mesh, const cutting *all, const gmc_hull_pieces *pieces,
                 gmc_source source, gmc_diagnostics *report)
{
    double scale = all->options->scale;
    double added = 100 * (pieces->hull_volume / pieces->mesh_volume - 1);
    if (all->part_count == 0) return;
    if (!(pieces->mesh_volume > CROSSED * pieces->hull_volume)) {
        gmc_diagnostics_add(report, GMC_OK, source, "mend it where it was made",
                            "mesh %s encloses %.3g cm3 in sum, of %.3g cm3 that %d convex pieces "
                            "hold: its faces cross, or some of them look inwards",
                            mesh->file, 1e6 * scale * scale * scale * pieces->mesh_volume,
                            1e6 * scale * scale * scale * pieces->hull_volume, pieces->count);
        return;
    }
    gmc_diagnostics_note(report, source, NULL,
                         "mesh %s is not convex: %d convex pieces hold it and %.3g %% more; their "
                         "surface is within %.3g mm of it",
                         mesh->file, pieces->count, fmax(added, 0),
                         1e3 * scale * all->surface_error);
    if (all->is_missed)
        gmc_diagnostics_add(
            report, GMC_OK, source,
            all->is_cut_short ? "more would take too long: give a mesh of fewer triangles or less "
                                "noise, or a larger `convex_tolerance`"
                              : "allow more with `convex_pieces`, or a larger `convex_tolerance`",
            "mesh %s: %d convex pieces do not come within %.3g mm of it%s, but %.3g mm", mesh->file,
            all->piece_count, 1e3 * scale * all->tolerance,
            all->options->tolerance > 0 ? " (`convex_tolerance`)" : "",
            1e3 * scale * all->surface_error);
}

gmc_pieces_options gmc_pieces_defaults(void)
{
    return (gmc_pieces_options){.piece_max = 64, .scale = 1};
}

gmc_status gmc_pieces_of_mesh(const gmc_mesh *mesh, const gmc_pieces_options *options,
                              gmc_source source, gmc_diagnostics *report, gmc_hull_pieces *pieces)
{
    if (options->is_hull) return gmc_hull_of_mesh(mesh, source, report, pieces);
    cutting all = {.options = options};
    gmc_hull_cutter cut = {.context = &all, .cut = cut_part};
    GMC_TRY(gmc_hull_of_mesh_cut(mesh, source, &cut, report, pieces));
    tell(mesh, &all, pieces, source, report);
    return GMC_OK;
}
