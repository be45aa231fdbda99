// The one file that talks to qhull (reentrant). qhull leaves by longjmp when it is unhappy, and
// ends the process if nobody waits for the jump: so its answer is read under a setjmp of our own.
// Its complaints go to a scratch file, of which the first line becomes our reason.
#include "engine/model/hull_internal.h"

#include <libqhull_r/qhull_ra.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    qhT qh;
    gmc_hull_faces faces;
    FILE *complaints;
    coordT *coordinates;
    int loop_count;
} reading;

static bool make_room(reading *r)
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
    if (!make_room(r)) return GMC_E_MEMORY;
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
