// Distance from a closed surface: nearest triangle by a tree of boxes, sign by the pseudonormal of
// the feature that is nearest, with angle weights at vertices [baerentzen2005]. The tree is split
// at the median of the triangles' centres, ties by their numbers, so that it depends on the mesh
// alone.
#include "engine/model/pieces_solid.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <stdlib.h>
#include <string.h>

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
