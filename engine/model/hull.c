// A hull is made in a frame of its own: the cloud shifted to its lowest corner and scaled by a
// power of two to an extent in [1, 2), which loses nothing that matters and lets every tolerance be
// a plain number. Flatness is judged before qhull sees the points, because it is the one thing
// users do get wrong.
#include "engine/model/hull.h"

#include <libqhull_r/qhull_ra.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cloud {
    gmc_vec3 *given;  // (count) sorted by x, y, z, each place once
    gmc_vec3 *scaled; // (count) the same in the frame of the hull
    int count;
    double extent; // largest of the three sizes, given units
    double scale;  // given = lowest corner + scale * scaled
    gmc_vec3 low;
} cloud;

static int compare_points(const void *a, const void *b)
{
    const gmc_vec3 *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return 0;
}

static void free_cloud(cloud *points)
{
    free(points->given);
    free(points->scaled);
    *points = (cloud){0};
}

static bool make_cloud(const gmc_vec3 *points, int count, cloud *out)
{
    *out = (cloud){.given = malloc(((size_t)count + 1) * sizeof *out->given),
                   .scaled = malloc(((size_t)count + 1) * sizeof *out->scaled)};
    if (!out->given || !out->scaled) {
        free_cloud(out);
        return false;
    }
    // + 0.0 turns -0 into 0, so that equal points have equal bits
    for (int i = 0; i < count; i++)
        out->given[i] = gmc_vec3_make(points[i].x + 0.0, points[i].y + 0.0, points[i].z + 0.0);
    qsort(out->given, (size_t)count, sizeof *out->given, compare_points);
    for (int i = 0; i < count; i++)
        if (i == 0 || compare_points(out->given + i, out->given + out->count - 1) != 0)
            out->given[out->count++] = out->given[i];

    gmc_vec3 low = out->given[0], high = low;
    for (int i = 1; i < out->count; i++) {
        gmc_vec3 p = out->given[i];
        low = gmc_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = gmc_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    gmc_vec3 size = gmc_vec3_sub(high, low);
    out->low = low;
    out->extent = fmax(size.x, fmax(size.y, size.z));
    int exponent = 0;
    (void)frexp(out->extent, &exponent);
    out->scale = ldexp(1, exponent - 1);
    for (int i = 0; i < out->count; i++)
        out->scaled[i] = gmc_vec3_scale(1 / out->scale, gmc_vec3_sub(out->given[i], low));
    return true;
}

// How many dimensions the cloud fills, 0 to 3: a farthest point, a point farthest from the line to
// it, a point farthest from their plane; each must be farther off than the thinnest body allowed.
static int dimension(const cloud *points)
{
    double thinnest = GMC_HULL_THINNEST * points->extent / points->scale;
    const gmc_vec3 *p = points->scaled;
    int a = 0, b = 0;
    double best = 0;
    for (int i = 1; i < points->count; i++) {
        double d = gmc_vec3_norm(gmc_vec3_sub(p[i], p[0]));
        if (d <= best) continue;
        best = d;
        a = i;
    }
    if (best == 0) return 0;
    gmc_vec3 along = gmc_vec3_unit(gmc_vec3_sub(p[a], p[0]));
    best = 0;
    for (int i = 1; i < points->count; i++) {
        double d = gmc_vec3_norm(gmc_vec3_cross(along, gmc_vec3_sub(p[i], p[0])));
        if (d <= best) continue;
        best = d;
        b = i;
    }
    if (best < thinnest) return 1;
    gmc_vec3 normal = gmc_vec3_unit(gmc_vec3_cross(along, gmc_vec3_sub(p[b], p[0])));
    best = 0;
    for (int i = 1; i < points->count; i++)
        best = fmax(best, fabs(gmc_vec3_dot(normal, gmc_vec3_sub(p[i], p[0]))));
    return best < thinnest ? 2 : 3;
}

// ---- facets ------------------------------------------------------------------------------------
//
// The one file that talks to qhull (reentrant). qhull leaves by longjmp when it is unhappy, and
// ends the process if nobody waits for the jump: so its answer is read under a setjmp of our own.
// Its complaints go to a scratch file, of which the first line becomes our reason.

typedef struct reading {
    qhT qh;
    gmc_hull_faces faces;
    FILE *complaints;
    coordT *coordinates;
    int loop_count;
} reading;

static bool hull_make_room(reading *r)
{
    const facetT *facet;
    size_t corners = 0, facets = 0;
    for (facet = r->qh.facet_list; facet && facet->next; facet = facet->next) {
        facets++;
        // a ridge per corner in three dimensions; a simplex has none and three corners
        corners += facet->simplicial ? 3 : (size_t)qh_setsize(&r->qh, facet->ridges);
    }
    r->faces.start = malloc((facets + 1) * sizeof *r->faces.start);
    r->faces.normals = malloc((facets + 1) * sizeof *r->faces.normals);
    r->faces.loop = malloc((corners + 1) * sizeof *r->faces.loop);
    r->loop_count = (int)corners;
    return r->faces.start && r->faces.normals && r->faces.loop;
}

// Runs under setjmp: touches nothing but `r`.
static gmc_status read_facets(reading *r)
{
    gmc_hull_faces *faces = &r->faces;
    if (!hull_make_room(r)) return GMC_E_MEMORY;
    faces->start[0] = 0;
    for (facetT *facet = r->qh.facet_list; facet && facet->next; facet = facet->next) {
        setT *corners = qh_facet3vertex(&r->qh, facet);
        int count = qh_setsize(&r->qh, corners), at = faces->start[faces->count];
        if (at + count > r->loop_count) return GMC_E_LIBRARY;
        for (int i = 0; i < count; i++) {
            const vertexT *vertex = SETelemt_(corners, i, vertexT);
            faces->loop[at + i] = qh_pointid(&r->qh, vertex->point);
        }
        faces->normals[faces->count] =
            gmc_vec3_make(facet->normal[0], facet->normal[1], facet->normal[2]);
        faces->start[++faces->count] = at + count;
        qh_settempfree(&r->qh, &corners);
    }
    return GMC_OK;
}

static gmc_status guarded_read(reading *r)
{
    gmc_status status = GMC_E_LIBRARY;
    r->qh.NOerrexit = False;
    if (setjmp(r->qh.errexit) == 0) status = read_facets(r);
    r->qh.NOerrexit = True;
    return status;
}

// qhull keeps the loop clockwise or not by its own rules: let the normal decide.
static void wind_outwards(const gmc_vec3 *points, gmc_hull_faces *faces)
{
    for (int f = 0; f < faces->count; f++) {
        int *loop = faces->loop + faces->start[f], count = faces->start[f + 1] - faces->start[f];
        gmc_vec3 sum = {0, 0, 0}, origin = points[loop[0]];
        for (int i = 1; i + 1 < count; i++)
            sum = gmc_vec3_add(sum, gmc_vec3_cross(gmc_vec3_sub(points[loop[i]], origin),
                                                   gmc_vec3_sub(points[loop[i + 1]], origin)));
        if (gmc_vec3_dot(sum, faces->normals[f]) >= 0) continue;
        for (int i = 0, k = count - 1; i < k; i++, k--) {
            int swapped = loop[i];
            loop[i] = loop[k];
            loop[k] = swapped;
        }
    }
}

static void first_complaint(FILE *complaints, char reason[GMC_HULL_REASON])
{
    snprintf(reason, GMC_HULL_REASON, "qhull gave no reason");
    rewind(complaints);
    char line[GMC_HULL_REASON];
    while (fgets(line, sizeof line, complaints)) {
        size_t length = strcspn(line, "\r\n");
        line[length] = 0;
        if (length == 0) continue;
        memcpy(reason, line, length + 1);
        return;
    }
}

/// One call of the library, its complaints into a file.
static gmc_status call(const gmc_vec3 *points, int count, reading *r)
{
    for (int i = 0; i < count; i++) {
        r->coordinates[3 * i] = points[i].x;
        r->coordinates[3 * i + 1] = points[i].y;
        r->coordinates[3 * i + 2] = points[i].z;
    }
    char command[] = "qhull Pp"; // Pp: say nothing about narrow hulls
    qh_zero(&r->qh, r->complaints);
    int code = qh_new_qhull(&r->qh, 3, count, r->coordinates, False, command, NULL, r->complaints);
    gmc_status status = code == qh_ERRmem ? GMC_E_MEMORY
                        : code != 0       ? GMC_E_LIBRARY
                                          : guarded_read(r);
    int long_count, long_bytes;
    qh_freeqhull(&r->qh, !qh_ALL);
    qh_memfreeshort(&r->qh, &long_count, &long_bytes);
    return status;
}

gmc_status gmc_hull_qhull_facets(const gmc_vec3 *points, int count, gmc_hull_faces *faces,
                                 char reason[GMC_HULL_REASON])
{
    *faces = (gmc_hull_faces){0};
    snprintf(reason, GMC_HULL_REASON, "no memory or no temporary file");
    reading *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->coordinates = malloc(3 * (size_t)count * sizeof *r->coordinates);
    gmc_status status = GMC_E_MEMORY;
    // a scratch file costs more than most hulls: it is made when there is something to complain of
    for (int attempt = 0; attempt < 2 && r->coordinates && status != GMC_OK; attempt++) {
        if (attempt > 0) r->complaints = tmpfile();
        if (!r->complaints) r->complaints = fopen("/dev/null", "w+b"); // or nowhere to write
        if (!r->complaints) break;
        gmc_hull_faces_free(&r->faces);
        status = call(points, count, r);
        if (status == GMC_E_LIBRARY && attempt > 0) first_complaint(r->complaints, reason);
        fclose(r->complaints);
        r->complaints = NULL;
        if (status == GMC_E_MEMORY) break;
    }
    if (status == GMC_OK) {
        *faces = r->faces;
        wind_outwards(points, faces);
    } else {
        gmc_hull_faces_free(&r->faces);
    }
    free(r->coordinates);
    free(r);
    return status;
}

// ---- faces of facets ---------------------------------------------------------------------------
//
// From facets to faces. A facet joins the face of a larger neighbour if all its corners lie in that
// one's plane within the tolerance; faces grow from the largest facet down, always measured against
// the plane of the facet they started from, so that a curved surface never becomes flat by small
// steps. Where the outline of a face is then no simple loop, its facets stay single. Corners that
// are left with two faces lie on a straight edge and go.
//
// Not done: moving vertices into the planes. They are the user's.

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

/// Merge facets whose vertices lie within `tolerance` of the plane of a larger neighbour, drop the
/// vertices that no longer are corners, and sort loops and faces. A merged face has the normal of
/// its largest facet, so no point of the cloud is beyond its plane.
/// @param     points  (count) sorted by x, y, z
/// @param     facets  used up: empty afterwards
/// @return GMC_OK, GMC_E_LIBRARY (not the surface of a convex body), GMC_E_MEMORY
static gmc_status hull_faces_merge(const gmc_vec3 *points, int count, double tolerance,
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

// ---- the polytope ------------------------------------------------------------------------------
//
// From faces to a polytope in one block: edges with the faces beside them, neighbours, offsets,
// centroid; and the checks that it is what the collision room relies on.

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

static int compare_halves(const void *a, const void *b)
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
    qsort(halves, (size_t)count, sizeof *halves, compare_halves);
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

/// Volume of a polytope [m³].
static double hull_pack_volume(const gmc_polytope *hull)
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

/// The polytope of these faces in one malloc'd block; its vertices are `points` as given.
/// @param     points     (point_count) the cloud that the faces refer to
/// @param     tolerance  how far a vertex may be beyond the plane of a face it is not on [m]
/// @param     hull       untouched unless GMC_OK
/// @return GMC_OK, GMC_E_LIBRARY (not a closed convex surface), GMC_E_MEMORY
static gmc_status hull_pack(const gmc_vec3 *points, int point_count, const gmc_hull_faces *faces,
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

// ---- one hull ----------------------------------------------------------------------------------

static gmc_status refuse(gmc_diagnostics *report, gmc_source source, gmc_status status,
                         const char *what, const char *why, const char *detail)
{
    gmc_diagnostics_add(report, status, source, NULL, "%s: %s%s%s", what, why, detail ? ": " : "",
                        detail ? detail : "");
    return status;
}

static gmc_status make_hull(const cloud *points, gmc_polytope **hull, char reason[GMC_HULL_REASON])
{
    gmc_hull_faces facets, faces;
    double tolerance = GMC_HULL_COPLANAR * points->extent / points->scale;
    GMC_TRY(gmc_hull_qhull_facets(points->scaled, points->count, &facets, reason));
    GMC_TRY(hull_faces_merge(points->scaled, points->count, tolerance, &facets, &faces));
    gmc_status status = hull_pack(points->given, points->count, &faces,
                                  4 * GMC_HULL_COPLANAR * points->extent, hull);
    gmc_hull_faces_free(&faces);
    return status;
}

// A hull of a cloud; on failure `*why` says it without a report.
static gmc_status try_hull(const gmc_vec3 *points, int count, gmc_polytope **hull, const char **why,
                           char reason[GMC_HULL_REASON])
{
    static const char *const flat[] = {"all points are one and the same",
                                       "all points are on a line", "all points are in a plane"};
    *hull = NULL;
    *why = "";
    snprintf(reason, GMC_HULL_REASON, "its facets do not close to a convex body");
    if (count < 4) {
        *why = "a body needs four points or more";
        return GMC_E_INPUT;
    }
    for (int i = 0; i < count; i++) {
        // sums of squares must stay finite, too
        double largest = fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z)));
        bool is_number = !isnan(points[i].x) && !isnan(points[i].y) && !isnan(points[i].z);
        if (is_number && largest < 1e100) continue;
        *why = "a coordinate is not finite";
        return GMC_E_INPUT;
    }
    cloud sorted;
    if (!make_cloud(points, count, &sorted)) {
        *why = "no memory left";
        return GMC_E_MEMORY;
    }
    // extents whose volume would be denormal or zero are points for every purpose
    int filled = sorted.extent > 1e-90 ? dimension(&sorted) : 0;
    gmc_status status = GMC_E_INPUT;
    if (filled < 3)
        *why = flat[filled];
    else
        status = make_hull(&sorted, hull, reason);
    if (status == GMC_E_MEMORY) *why = "no memory left";
    if (status == GMC_E_LIBRARY) *why = "no hull found";
    free_cloud(&sorted);
    return status;
}

gmc_status gmc_hull_create(const gmc_vec3 *points, int count, const char *what, gmc_source source,
                           gmc_diagnostics *report, gmc_polytope **hull)
{
    const char *why;
    char reason[GMC_HULL_REASON];
    gmc_status status = try_hull(points, count, hull, &why, reason);
    if (status == GMC_OK) return GMC_OK;
    return refuse(report, source, status, what, why, status == GMC_E_LIBRARY ? reason : NULL);
}

double gmc_hull_volume(const gmc_polytope *hull) { return hull_pack_volume(hull); }

void gmc_hull_free(gmc_polytope *hull) { free(hull); }

// ---- meshes ------------------------------------------------------------------------------------

// The points of one part (or of all: part < 0) once each, into `points`.
static int gather(const gmc_mesh *mesh, int part, int *stamp, gmc_vec3 *points)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (part >= 0 && mesh->parts[t] != part) continue;
        for (int k = 0; k < 3; k++) {
            int v = mesh->triangles[t][k];
            if (stamp[v] == part) continue;
            stamp[v] = part;
            points[count++] = mesh->vertices[v];
        }
    }
    return count;
}

static void free_pieces(gmc_hull_pieces *pieces)
{
    for (int i = 0; pieces->pieces && i < pieces->count; i++)
        free(pieces->pieces[i]);
    free(pieces->pieces);
    *pieces = (gmc_hull_pieces){0};
}

void gmc_hull_pieces_free(gmc_hull_pieces *pieces) { free_pieces(pieces); }

// What happened on the way, for one warning each.
typedef struct tally {
    int concave_count, flat_count, cavity_count, first_flat;
    double concave_mesh, concave_hull, cavity;
} tally;

// One more piece, which is theirs from here on.
static gmc_status add_piece(gmc_hull_pieces *pieces, gmc_polytope *hull)
{
    gmc_polytope **grown =
        realloc(pieces->pieces, ((size_t)pieces->count + 1) * sizeof(gmc_polytope *));
    if (!grown) {
        free(hull);
        return GMC_E_MEMORY;
    }
    pieces->pieces = grown;
    pieces->pieces[pieces->count++] = hull;
    pieces->hull_volume += gmc_hull_volume(hull);
    return GMC_OK;
}

// The pieces of a part that is not convex, in place of its hull, which is freed.
static gmc_status cut_part(const gmc_mesh *mesh, int part, const gmc_hull_cutter *cutter,
                           gmc_polytope *hull, gmc_hull_pieces *pieces)
{
    gmc_hull_cut cut = {0};
    int left = mesh->part_count - part - 1;
    int room = GMC_HULL_PIECES_MAX - pieces->count - left;
    gmc_status status = cutter->cut(cutter->context, mesh, part, hull, room > 1 ? room : 1, &cut);
    free(hull);
    for (int i = 0; i < cut.count; i++) {
        if (status == GMC_OK)
            status = add_piece(pieces, cut.pieces[i]);
        else
            free(cut.pieces[i]);
    }
    free(cut.pieces);
    return status;
}

/// What all parts of a mesh are made into hulls with.
typedef struct wrapping {
    const gmc_mesh *mesh;
    const gmc_hull_cutter *cutter; ///< NULL: parts that are not convex become their hulls
    gmc_source source;
    gmc_diagnostics *report;
    gmc_vec3 *points; ///< (vertex_count) room
    int *stamp;       ///< (vertex_count) part that a vertex was last gathered for
} wrapping;

static gmc_status hull_of_part(const wrapping *w, int part, gmc_hull_pieces *pieces, tally *sum)
{
    const gmc_mesh *mesh = w->mesh;
    const gmc_mesh_part *facts = mesh->part + part;
    if (facts->is_cavity) {
        sum->cavity_count++;
        sum->cavity -= facts->volume;
        return GMC_OK;
    }
    char reason[GMC_HULL_REASON];
    const char *why;
    gmc_polytope *hull = NULL;
    int count = gather(mesh, part, w->stamp, w->points);
    gmc_status status = try_hull(w->points, count, &hull, &why, reason);
    if (status == GMC_E_INPUT) {
        if (sum->flat_count++ == 0) sum->first_flat = facts->line;
        return GMC_OK;
    }
    if (status != GMC_OK) return refuse(w->report, w->source, status, mesh->file, why, reason);
    double volume = gmc_hull_volume(hull);
    bool is_convex = volume - facts->volume <= GMC_HULL_CONVEX * volume;
    if (!is_convex && w->cutter) {
        status = cut_part(mesh, part, w->cutter, hull, pieces);
    } else {
        if (!is_convex) {
            sum->concave_count++;
            sum->concave_mesh += facts->volume;
            sum->concave_hull += volume;
        }
        status = add_piece(pieces, hull);
    }
    if (status != GMC_OK)
        return refuse(w->report, w->source, status, mesh->file, gmc_status_name(status), NULL);
    return GMC_OK;
}

static void warn_of_added_volume(const gmc_mesh *mesh, const tally *sum, gmc_source source,
                                 gmc_diagnostics *report)
{
    double added = 100 * (sum->concave_hull / sum->concave_mesh - 1);
    if (sum->concave_count == 0) return;
    if (mesh->part_count == 1)
        gmc_diagnostics_add(report, GMC_OK, source,
                            "ask for `convex: pieces`, or make each convex piece an `o` group of "
                            "the OBJ",
                            "mesh %s is not convex: its hull adds %.3g %% (%.4g cm3 to %.4g cm3)",
                            mesh->file, added, 1e6 * (sum->concave_hull - sum->concave_mesh),
                            1e6 * sum->concave_mesh);
    else
        gmc_diagnostics_add(
            report, GMC_OK, source,
            "ask for `convex: pieces`, or make each convex piece an `o` group of the OBJ",
            "mesh %s: %d of %d parts are not convex: their hulls add %.3g %% (%.4g cm3 "
            "to %.4g cm3)",
            mesh->file, sum->concave_count, mesh->part_count, added,
            1e6 * (sum->concave_hull - sum->concave_mesh), 1e6 * sum->concave_mesh);
}

static void warn_of_parts(const gmc_mesh *mesh, const tally *sum, gmc_source source,
                          gmc_diagnostics *report)
{
    warn_of_added_volume(mesh, sum, source, report);
    if (sum->cavity_count > 0)
        gmc_diagnostics_add(report, GMC_OK, source, NULL, "mesh %s: %d %s of %.4g cm3 filled",
                            mesh->file, sum->cavity_count,
                            sum->cavity_count == 1 ? "cavity" : "cavities", 1e6 * sum->cavity);
    if (sum->flat_count > 0)
        gmc_diagnostics_add(
            report, GMC_OK, (gmc_source){.file = mesh->file, .line = sum->first_flat}, NULL,
            "%d of %d parts have no thickness and are left out", sum->flat_count, mesh->part_count);
}

static gmc_status hull_of_all(const wrapping *w, gmc_hull_pieces *pieces)
{
    const gmc_mesh *mesh = w->mesh;
    gmc_polytope *hull = NULL;
    int count = gather(mesh, -1, w->stamp, w->points);
    GMC_TRY(gmc_hull_create(w->points, count, mesh->file, w->source, w->report, &hull));
    if (add_piece(pieces, hull) != GMC_OK)
        return refuse(w->report, w->source, GMC_E_MEMORY, mesh->file, "no memory left", NULL);
    if (pieces->mesh_volume > 0) {
        tally sum = {.concave_count = mesh->part_count,
                     .concave_mesh = pieces->mesh_volume,
                     .concave_hull = pieces->hull_volume};
        warn_of_added_volume(mesh, &sum, w->source, w->report);
    } else {
        gmc_diagnostics_add(w->report, GMC_OK, w->source, NULL,
                            "mesh %s is not closed: the hull of all its points is used (%.4g cm3)",
                            mesh->file, 1e6 * pieces->hull_volume);
    }
    return GMC_OK;
}

static gmc_status hull_of_parts(const wrapping *w, gmc_hull_pieces *pieces)
{
    tally sum = {0};
    for (int p = 0; p < w->mesh->part_count; p++)
        GMC_TRY(hull_of_part(w, p, pieces, &sum));
    warn_of_parts(w->mesh, &sum, w->source, w->report);
    if (pieces->count > 0) return GMC_OK;
    return refuse(w->report, w->source, GMC_E_INPUT, w->mesh->file, "no part has a thickness",
                  NULL);
}

gmc_status gmc_hull_of_mesh(const gmc_mesh *mesh, gmc_source source, gmc_diagnostics *report,
                            gmc_hull_pieces *pieces)
{
    return gmc_hull_of_mesh_cut(mesh, source, NULL, report, pieces);
}

gmc_status gmc_hull_of_mesh_cut(const gmc_mesh *mesh, gmc_source source,
                                const gmc_hull_cutter *cutter, gmc_diagnostics *report,
                                gmc_hull_pieces *pieces)
{
    bool is_split = mesh->part_count <= GMC_HULL_PIECES_MAX;
    for (int p = 0; p < mesh->part_count; p++)
        is_split = is_split && mesh->part[p].is_closed;
    *pieces = (gmc_hull_pieces){.mesh_volume = gmc_mesh_volume(mesh)};
    wrapping w = {.mesh = mesh, .cutter = cutter, .source = source, .report = report};
    w.points = malloc((size_t)mesh->vertex_count * sizeof *w.points);
    w.stamp = malloc((size_t)mesh->vertex_count * sizeof *w.stamp);
    gmc_status status = GMC_E_MEMORY;
    if (w.points && w.stamp) {
        for (int v = 0; v < mesh->vertex_count; v++)
            w.stamp[v] = -2; // of no part
        status = is_split ? hull_of_parts(&w, pieces) : hull_of_all(&w, pieces);
    } else {
        status = refuse(report, source, GMC_E_MEMORY, mesh->file, "no memory left", NULL);
    }
    free(w.points);
    free(w.stamp);
    if (status != GMC_OK) free_pieces(pieces);
    return status;
}
