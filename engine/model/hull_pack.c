// From faces to a polytope in one block: edges with the faces beside them, neighbours, offsets,
// centroid; and the checks that it is what the collision room relies on.
#include "engine/model/hull_internal.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------

typedef struct packing {
    unsigned char *block;
    size_t used;
} packing;

// The next `bytes` of the block; without a block only counts.
static void *take(packing *p, size_t bytes)
{
    void *at = p->block ? p->block + p->used : NULL;
    p->used += (bytes + 15) / 16 * 16;
    return at;
}

// The arrays of a polytope, still to be written.
typedef struct draft {
    gmc_polytope *hull;
    gmc_vec3 *vertices, *normals;
    double *offsets;
    int *face_start, *face_vertices, *neighbour_start, *neighbours;
    int (*edges)[4];
} draft;

static void lay_out(packing *p, int vertices, int faces, int corners, draft *d)
{
    int edges = corners / 2;
    d->hull = take(p, sizeof *d->hull);
    d->vertices = take(p, (size_t)vertices * sizeof *d->vertices);
    d->normals = take(p, (size_t)faces * sizeof *d->normals);
    d->offsets = take(p, (size_t)faces * sizeof *d->offsets);
    d->face_start = take(p, ((size_t)faces + 1) * sizeof *d->face_start);
    d->face_vertices = take(p, (size_t)corners * sizeof *d->face_vertices);
    d->edges = take(p, (size_t)edges * sizeof *d->edges);
    d->neighbour_start = take(p, ((size_t)vertices + 1) * sizeof *d->neighbour_start);
    d->neighbours = take(p, (size_t)corners * sizeof *d->neighbours);
}

static int compare_edges(const void *a, const void *b)
{
    const int *s = a, *t = b;
    if (s[0] != t[0]) return s[0] < t[0] ? -1 : 1;
    if (s[1] != t[1]) return s[1] < t[1] ? -1 : 1;
    return s[3] != t[3] ? (s[3] < t[3] ? -1 : 1) : 0;
}

// Edges sorted by (from, to), from < to: every half edge as (from, to, face, is it the right one),
// then pairs joined in place. False unless each edge has one face left and one right.
static bool join_edges(draft *d, int face_count, int (*halves)[4])
{
    int count = 0;
    for (int f = 0; f < face_count; f++)
        for (int i = d->face_start[f]; i < d->face_start[f + 1]; i++) {
            int a = d->face_vertices[i];
            int b = d->face_vertices[i + 1 < d->face_start[f + 1] ? i + 1 : d->face_start[f]];
            halves[count][0] = a < b ? a : b;
            halves[count][1] = a < b ? b : a;
            halves[count][2] = f;
            halves[count++][3] = a > b;
        }
    if (count % 2 != 0) return false;
    qsort(halves, (size_t)count, sizeof *halves, compare_edges);
    for (int i = 0; i < count; i += 2) {
        const int *left = halves[i], *right = halves[i + 1];
        if (left[0] != right[0] || left[1] != right[1] || left[3] != 0 || right[3] != 1)
            return false;
        int *edge = d->edges[i / 2];
        edge[0] = left[0];
        edge[1] = left[1];
        edge[2] = left[2];
        edge[3] = right[2];
    }
    return true;
}

static void list_neighbours(draft *d, int vertex_count, int edge_count)
{
    int *start = d->neighbour_start;
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int e = 0; e < edge_count; e++) {
        start[d->edges[e][0] + 1]++;
        start[d->edges[e][1] + 1]++;
    }
    for (int v = 0; v < vertex_count; v++)
        start[v + 1] += start[v];
    // edges are sorted, so both passes keep each list in order: first the smaller ends, then the
    // larger
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < edge_count; e++) {
            int at = d->edges[e][1 - pass], other = d->edges[e][pass];
            d->neighbours[start[at]++] = other;
        }
    for (int v = vertex_count; v > 0; v--)
        start[v] = start[v - 1];
    start[0] = 0;
}

// Largest n·x over the polytope, by climbing from vertex `v`.
static double climb(const gmc_polytope *hull, gmc_vec3 n, int v)
{
    double best = gmc_vec3_dot(n, hull->vertices[v]);
    for (bool is_higher = true; is_higher;) {
        is_higher = false;
        for (int i = hull->neighbour_start[v]; i < hull->neighbour_start[v + 1]; i++) {
            double height = gmc_vec3_dot(n, hull->vertices[hull->neighbours[i]]);
            if (height <= best) continue;
            best = height;
            v = hull->neighbours[i];
            is_higher = true;
            break;
        }
    }
    return best;
}

// Offsets as the farthest vertex along each normal. False if one is farther than the face itself by
// more than merging explains.
static bool set_offsets(draft *d, double tolerance)
{
    const gmc_polytope *hull = d->hull;
    for (int f = 0; f < hull->face_count; f++) {
        double highest = -INFINITY;
        int at = 0;
        for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; i++) {
            double height = gmc_vec3_dot(d->normals[f], hull->vertices[hull->face_vertices[i]]);
            if (height <= highest) continue;
            highest = height;
            at = hull->face_vertices[i];
        }
        d->offsets[f] = climb(hull, d->normals[f], at);
        if (!(d->offsets[f] - highest <= tolerance)) return false;
    }
    return true;
}

// Volume and its centroid, as tetrahedra over a vertex (which is on the surface: no term is
// negative).
static double volume_about(const gmc_polytope *hull, gmc_vec3 *centroid)
{
    double volume = 0;
    gmc_vec3 moment = {0, 0, 0}, o = hull->vertices[0];
    for (int f = 0; f < hull->face_count; f++) {
        const int *loop = hull->face_vertices + hull->face_start[f];
        int count = hull->face_start[f + 1] - hull->face_start[f];
        gmc_vec3 a = gmc_vec3_sub(hull->vertices[loop[0]], o);
        for (int i = 1; i + 1 < count; i++) {
            gmc_vec3 b = gmc_vec3_sub(hull->vertices[loop[i]], o);
            gmc_vec3 c = gmc_vec3_sub(hull->vertices[loop[i + 1]], o);
            double part = gmc_vec3_dot(a, gmc_vec3_cross(b, c)); // six times its volume
            volume += part;
            moment = gmc_vec3_add_scaled(moment, part / 4, gmc_vec3_add(a, gmc_vec3_add(b, c)));
        }
    }
    *centroid = gmc_vec3_add_scaled(o, 1 / volume, moment);
    return volume / 6;
}

double gmc_hull_pack_volume(const gmc_polytope *hull)
{
    gmc_vec3 centroid;
    return volume_about(hull, &centroid);
}

// New numbers for the points that are corners; the order stays.
static int number_corners(const gmc_hull_faces *faces, int point_count, int *number)
{
    int count = 0;
    memset(number, 0, (size_t)point_count * sizeof *number);
    for (int i = 0; i < faces->start[faces->count]; i++)
        number[faces->loop[i]] = 1;
    for (int v = 0; v < point_count; v++)
        number[v] = number[v] ? count++ : -1;
    return count;
}

// What the polytope is made of, in the user's coordinates.
typedef struct parts {
    const gmc_vec3 *points; // (point_count)
    int point_count;
    const gmc_hull_faces *faces;
} parts;

static void fill(draft *d, const parts *from, const int *number, int vertex_count)
{
    const gmc_hull_faces *faces = from->faces;
    int corners = faces->start[faces->count];
    for (int v = 0; v < from->point_count; v++)
        if (number[v] >= 0) d->vertices[number[v]] = from->points[v];
    for (int i = 0; i < corners; i++)
        d->face_vertices[i] = number[faces->loop[i]];
    memcpy(d->face_start, faces->start, ((size_t)faces->count + 1) * sizeof *d->face_start);
    memcpy(d->normals, faces->normals, (size_t)faces->count * sizeof *d->normals);
    *d->hull = (gmc_polytope){.vertex_count = vertex_count,
                              .face_count = faces->count,
                              .edge_count = corners / 2,
                              .vertices = d->vertices,
                              .face_start = d->face_start,
                              .face_vertices = d->face_vertices,
                              .face_normals = d->normals,
                              .face_offsets = d->offsets,
                              .edges = (const int(*)[4])d->edges,
                              .neighbour_start = d->neighbour_start,
                              .neighbours = d->neighbours};
}

// Check what the collision room relies on: a closed convex surface (Euler: V - E + F = 2).
static bool complete(draft *d, double tolerance, int (*halves)[4])
{
    gmc_polytope *hull = d->hull;
    if (hull->vertex_count - hull->edge_count + hull->face_count != 2) return false;
    if (!join_edges(d, hull->face_count, halves)) return false;
    list_neighbours(d, hull->vertex_count, hull->edge_count);
    if (!set_offsets(d, tolerance)) return false;
    double volume = volume_about(hull, &hull->centre);
    hull->radius = 0;
    for (int v = 0; v < hull->vertex_count; v++)
        hull->radius =
            fmax(hull->radius, gmc_vec3_norm(gmc_vec3_sub(hull->vertices[v], hull->centre)));
    return volume > 0 && isfinite(hull->radius);
}

gmc_status gmc_hull_pack(const gmc_vec3 *points, int point_count, const gmc_hull_faces *faces,
                         double tolerance, gmc_polytope **hull)
{
    parts from = {points, point_count, faces};
    int corners = faces->start[faces->count];
    int *number = malloc((size_t)point_count * sizeof *number);
    int(*halves)[4] = malloc((size_t)corners * sizeof *halves);
    gmc_status status = GMC_E_MEMORY;
    draft d = {0};
    packing measure = {0}, block = {0};
    if (number && halves) {
        int vertices = number_corners(faces, point_count, number);
        lay_out(&measure, vertices, faces->count, corners, &d);
        block.block = malloc(measure.used);
        if (block.block) {
            lay_out(&block, vertices, faces->count, corners, &d);
            fill(&d, &from, number, vertices);
            status = complete(&d, tolerance, halves) ? GMC_OK : GMC_E_LIBRARY;
        }
    }
    if (status == GMC_OK)
        *hull = d.hull;
    else
        free(block.block);
    free(number);
    free(halves);
    return status;
}
