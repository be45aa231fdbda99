// From facets to faces. A facet joins the face of a larger neighbour if all its corners lie in that
// one's plane within the tolerance; faces grow from the largest facet down, always measured against
// the plane of the facet they started from, so that a curved surface never becomes flat by small
// steps. Where the outline of a face is then no simple loop, its facets stay single. Corners that
// are left with two faces lie on a straight edge and go.
//
// Not done: moving vertices into the planes. They are the user's.
#include "engine/model/hull_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct merge_work {
    const gmc_vec3 *points;
    int point_count;
    double tolerance;
    gmc_hull_faces facets;
    int *behind;  // (loop positions) facet on the other side of the edge that starts there
    int *order;   // (facets) largest first
    double *area; // (facets) twice the area
    int *face;    // (facets) facet its face grew from; -1: not yet in one
    int *queue;   // (facets)
    int *next;    // (points) outline of one face: point behind each point, -1: not on it
    int *degree;  // (points) faces at each point
    gmc_hull_faces faces;
} merge_work;

void gmc_hull_faces_free(gmc_hull_faces *faces)
{
    free(faces->start);
    free(faces->loop);
    free(faces->normals);
    *faces = (gmc_hull_faces){0};
}

static int loop_length(const gmc_hull_faces *faces, int f)
{
    return faces->start[f + 1] - faces->start[f];
}

// ---- edges -------------------------------------------------------------------------------------

typedef struct half_edge {
    int low, high, position, facet;
    bool is_upwards;
} half_edge;

static int compare_edges(const void *a, const void *b)
{
    const half_edge *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->position > t->position) - (s->position < t->position);
}

// Fill `behind`. False in `*is_surface` unless every edge has exactly two facets, one each way.
static gmc_status pair_edges(merge_work *work, bool *is_surface)
{
    const gmc_hull_faces *facets = &work->facets;
    int count = facets->start[facets->count];
    half_edge *edges = malloc((size_t)count * sizeof *edges);
    if (!edges) return GMC_E_MEMORY;
    for (int f = 0; f < facets->count; f++)
        for (int i = facets->start[f]; i < facets->start[f + 1]; i++) {
            int a = facets->loop[i];
            int b = facets->loop[i + 1 < facets->start[f + 1] ? i + 1 : facets->start[f]];
            edges[i] = (half_edge){a < b ? a : b, a < b ? b : a, i, f, a < b};
        }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    *is_surface = count % 2 == 0;
    for (int i = 0; *is_surface && i < count; i += 2) {
        const half_edge *s = edges + i, *t = s + 1;
        bool is_last = i + 2 >= count, is_third = false;
        if (!is_last) is_third = edges[i + 2].low == s->low && edges[i + 2].high == s->high;
        *is_surface = s->low == t->low && s->high == t->high && s->is_upwards != t->is_upwards &&
                      s->low != s->high && !is_third;
        work->behind[s->position] = t->facet;
        work->behind[t->position] = s->facet;
    }
    free(edges);
    return GMC_OK;
}

// ---- growing faces -----------------------------------------------------------------------------

// Area vector; exact zeros stay exact, so the facets of a box along the axes get exact normals.
static gmc_vec3 area_vector(const merge_work *work, int f)
{
    const int *loop = work->facets.loop + work->facets.start[f];
    int count = loop_length(&work->facets, f);
    gmc_vec3 sum = {0, 0, 0}, origin = work->points[loop[0]];
    for (int i = 1; i + 1 < count; i++)
        sum = gmc_vec3_add(sum, gmc_vec3_cross(gmc_vec3_sub(work->points[loop[i]], origin),
                                               gmc_vec3_sub(work->points[loop[i + 1]], origin)));
    return sum;
}

static double longest_side(const merge_work *work, int f)
{
    const int *loop = work->facets.loop + work->facets.start[f];
    int count = loop_length(&work->facets, f);
    double longest = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 side = gmc_vec3_sub(work->points[loop[(i + 1) % count]], work->points[loop[i]]);
        longest = fmax(longest, gmc_vec3_norm(side));
    }
    return longest;
}

// Our normals where the area carries one; qhull's where it is too small to.
static void measure_facets(merge_work *work)
{
    for (int f = 0; f < work->facets.count; f++) {
        gmc_vec3 n = area_vector(work, f);
        work->area[f] = gmc_vec3_norm(n);
        work->face[f] = -1;
        double side = longest_side(work, f);
        if (work->area[f] > 1e-3 * work->tolerance * side)
            // a quotient, not the product with a reciprocal: A / A is 1
            work->facets.normals[f] =
                gmc_vec3_make(n.x / work->area[f], n.y / work->area[f], n.z / work->area[f]);
    }
}

typedef struct ranked {
    double area;
    const int *loop;
    int count, facet;
} ranked;

static int compare_loops(const int *a, int a_count, const int *b, int b_count)
{
    for (int i = 0; i < a_count && i < b_count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return (a_count > b_count) - (a_count < b_count);
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *s = a, *t = b;
    if (s->area != t->area) return s->area > t->area ? -1 : 1;
    return compare_loops(s->loop, s->count, t->loop, t->count);
}

static bool rank_facets(merge_work *work)
{
    const gmc_hull_faces *facets = &work->facets;
    ranked *list = malloc((size_t)facets->count * sizeof *list);
    if (!list) return false;
    for (int f = 0; f < facets->count; f++)
        list[f] =
            (ranked){work->area[f], facets->loop + facets->start[f], loop_length(facets, f), f};
    qsort(list, (size_t)facets->count, sizeof *list, compare_ranked);
    for (int f = 0; f < facets->count; f++)
        work->order[f] = list[f].facet;
    free(list);
    return true;
}

static bool joins(const merge_work *work, int seed, int f)
{
    gmc_vec3 n = work->facets.normals[seed];
    gmc_vec3 origin = work->points[work->facets.loop[work->facets.start[seed]]];
    for (int i = work->facets.start[f]; i < work->facets.start[f + 1]; i++) {
        gmc_vec3 d = gmc_vec3_sub(work->points[work->facets.loop[i]], origin);
        if (!(fabs(gmc_vec3_dot(n, d)) <= work->tolerance)) return false;
    }
    // a sliver's normal says little; anything wider must look the same way
    bool is_sliver = work->area[f] <= work->tolerance * longest_side(work, f);
    return is_sliver || gmc_vec3_dot(n, work->facets.normals[f]) > 0;
}

// All facets of the face that starts at `seed`; returns how many, in `queue`.
static int grow_face(merge_work *work, int seed)
{
    int head = 0, tail = 0;
    work->queue[tail++] = seed;
    work->face[seed] = seed;
    while (head < tail) {
        int f = work->queue[head++];
        for (int i = work->facets.start[f]; i < work->facets.start[f + 1]; i++) {
            int other = work->behind[i];
            if (work->face[other] >= 0 || !joins(work, seed, other)) continue;
            work->face[other] = seed;
            work->queue[tail++] = other;
        }
    }
    return tail;
}

// ---- outlines ----------------------------------------------------------------------------------

// The outline of the face of `seed`, whose facets are in `queue`, to the end of `faces`. False if
// it is not one simple loop.
static bool trace_outline(merge_work *work, int seed, int facet_count)
{
    gmc_hull_faces *faces = &work->faces;
    const gmc_hull_faces *facets = &work->facets;
    int at = faces->start[faces->count], count = 0, first = -1;
    bool is_simple = true;
    for (int q = 0; q < facet_count; q++) {
        int f = work->queue[q];
        for (int i = facets->start[f]; i < facets->start[f + 1]; i++) {
            if (work->face[work->behind[i]] == seed) continue;
            int a = facets->loop[i];
            int b = facets->loop[i + 1 < facets->start[f + 1] ? i + 1 : facets->start[f]];
            is_simple = is_simple && work->next[a] < 0;
            work->next[a] = b;
            if (first < 0 || a < first) first = a;
            count++;
        }
    }
    int length = 0;
    for (int v = first; is_simple && first >= 0 && length < count; v = work->next[v]) {
        if (v < 0 || (v == first && length > 0)) break;
        faces->loop[at + length++] = v;
    }
    is_simple = is_simple && length == count && count >= 3 &&
                work->next[faces->loop[at + length - 1]] == first;
    for (int q = 0; q < facet_count; q++)
        for (int i = facets->start[work->queue[q]]; i < facets->start[work->queue[q] + 1]; i++)
            work->next[facets->loop[i]] = -1;
    if (is_simple) {
        faces->normals[faces->count] = facets->normals[seed];
        faces->start[++faces->count] = at + length;
    }
    return is_simple;
}

static void copy_facet(merge_work *work, int f)
{
    gmc_hull_faces *faces = &work->faces;
    int at = faces->start[faces->count], count = loop_length(&work->facets, f);
    memcpy(faces->loop + at, work->facets.loop + work->facets.start[f],
           (size_t)count * sizeof *faces->loop);
    faces->normals[faces->count] = work->facets.normals[f];
    faces->start[++faces->count] = at + count;
}

static void merge_facets(merge_work *work)
{
    for (int k = 0; k < work->facets.count; k++) {
        int seed = work->order[k];
        if (work->face[seed] >= 0) continue;
        int count = grow_face(work, seed);
        if (trace_outline(work, seed, count)) continue;
        for (int q = 0; q < count; q++)
            work->face[work->queue[q]] = work->queue[q];
        for (int q = 0; q < count; q++)
            copy_facet(work, work->queue[q]);
    }
}

// Corners with fewer than three faces go, and faces with fewer than three corners, until all have
// three.
static void drop_straight_corners(merge_work *work)
{
    gmc_hull_faces *faces = &work->faces;
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        memset(work->degree, 0, (size_t)work->point_count * sizeof *work->degree);
        for (int i = 0; i < faces->start[faces->count]; i++)
            work->degree[faces->loop[i]]++;
        int kept = 0, at = 0, begin = 0;
        for (int f = 0; f < faces->count; f++) {
            int end = faces->start[f + 1], from = at, before = end - begin;
            for (int i = begin; i < end; i++)
                if (work->degree[faces->loop[i]] >= 3) faces->loop[at++] = faces->loop[i];
            begin = end;
            is_changed = is_changed || at - from != before;
            if (at - from < 3) {
                at = from;
                is_changed = true;
                continue;
            }
            faces->normals[kept] = faces->normals[f];
            faces->start[kept++] = from; // kept <= f: no offset is overwritten before it is read
        }
        faces->start[kept] = at;
        faces->count = kept;
    }
}

// ---- order -------------------------------------------------------------------------------------

typedef struct ordered {
    const int *loop;
    int count;
    gmc_vec3 normal;
} ordered;

static int compare_ordered(const void *a, const void *b)
{
    const ordered *s = a, *t = b;
    return compare_loops(s->loop, s->count, t->loop, t->count);
}

static void rotate_loop(int *loop, int count, int *scratch)
{
    int least = 0;
    for (int i = 1; i < count; i++)
        if (loop[i] < loop[least]) least = i;
    for (int i = 0; i < count; i++)
        scratch[i] = loop[(least + i) % count];
    memcpy(loop, scratch, (size_t)count * sizeof *loop);
}

static bool sort_faces(gmc_hull_faces *faces)
{
    size_t total = (size_t)faces->start[faces->count];
    ordered *list = malloc(((size_t)faces->count + 1) * sizeof *list);
    int *copy = malloc((total + 1) * sizeof *copy);
    bool fits = list && copy;
    if (fits) {
        for (int f = 0; f < faces->count; f++)
            rotate_loop(faces->loop + faces->start[f], loop_length(faces, f), copy);
        memcpy(copy, faces->loop, total * sizeof *copy);
        for (int f = 0; f < faces->count; f++)
            list[f] = (ordered){copy + faces->start[f], loop_length(faces, f), faces->normals[f]};
        qsort(list, (size_t)faces->count, sizeof *list, compare_ordered);
        for (int f = 0, at = 0; f < faces->count; f++) {
            memcpy(faces->loop + at, list[f].loop, (size_t)list[f].count * sizeof *faces->loop);
            faces->normals[f] = list[f].normal;
            faces->start[f] = at;
            at += list[f].count;
        }
    }
    free(list);
    free(copy);
    return fits;
}

static gmc_status merge(merge_work *work)
{
    bool is_surface = false;
    if (!sort_faces(&work->facets)) return GMC_E_MEMORY;
    GMC_TRY(pair_edges(work, &is_surface));
    if (!is_surface) return GMC_E_LIBRARY;
    measure_facets(work);
    if (!rank_facets(work)) return GMC_E_MEMORY;
    for (int v = 0; v < work->point_count; v++)
        work->next[v] = -1;
    work->faces.start[0] = 0;
    merge_facets(work);
    drop_straight_corners(work);
    if (work->faces.count < 4) return GMC_E_LIBRARY;
    return sort_faces(&work->faces) ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_hull_faces_merge(const gmc_vec3 *points, int count, double tolerance,
                                gmc_hull_faces *facets, gmc_hull_faces *faces)
{
    size_t facet_count = (size_t)facets->count, corner_count = (size_t)facets->start[facets->count];
    merge_work work = {
        .points = points, .point_count = count, .tolerance = tolerance, .facets = *facets};
    *facets = (gmc_hull_faces){0};
    *faces = (gmc_hull_faces){0};
    work.behind = malloc(corner_count * sizeof *work.behind);
    work.order = malloc(facet_count * sizeof *work.order);
    work.area = malloc(facet_count * sizeof *work.area);
    work.face = malloc(facet_count * sizeof *work.face);
    work.queue = malloc(facet_count * sizeof *work.queue);
    work.next = malloc((size_t)count * sizeof *work.next);
    work.degree = malloc((size_t)count * sizeof *work.degree);
    work.faces.start = malloc((facet_count + 1) * sizeof *work.faces.start);
    work.faces.loop = malloc(corner_count * sizeof *work.faces.loop);
    work.faces.normals = malloc(facet_count * sizeof *work.faces.normals);

    gmc_status status = GMC_E_MEMORY;
    if (work.behind && work.order && work.area && work.face && work.queue && work.next &&
        work.degree && work.faces.start && work.faces.loop && work.faces.normals)
        status = merge(&work);
    if (status == GMC_OK)
        *faces = work.faces;
    else
        gmc_hull_faces_free(&work.faces);
    gmc_hull_faces_free(&work.facets);
    free(work.behind);
    free(work.order);
    free(work.area);
    free(work.face);
    free(work.queue);
    free(work.next);
    free(work.degree);
    return status;
}
