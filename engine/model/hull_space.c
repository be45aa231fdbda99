// qhull is called as hull.c calls it: it leaves by longjmp when it is unhappy, so its answer is
// read under a setjmp of our own. Its complaints go nowhere: what can be wrong with points, that
// they stand in one hyperplane, callers find out themselves.
#include "engine/model/hull_space.h"

#include <libqhull_r/qhull_ra.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    qhT qh;
    const gmc_hull_space *space;
    double *points; // own copy: qhull moves them
    FILE *nowhere;
    double volume;
} reading;

// Runs under setjmp: touches nothing but `r`.
static void read_facets(reading *r)
{
    qh_getarea(&r->qh, r->qh.facet_list);
    r->volume = r->qh.totvol;
    for (const facetT *facet = r->qh.facet_list; facet && facet->next; facet = facet->next)
        r->space->facet(r->space->context, facet->normal, -facet->offset);
}

static gmc_status guarded_read(reading *r)
{
    gmc_status status = GMC_E_LIBRARY;
    r->qh.NOerrexit = False;
    if (setjmp(r->qh.errexit) == 0) {
        read_facets(r);
        status = GMC_OK;
    }
    r->qh.NOerrexit = True;
    return status;
}

static gmc_status call(reading *r, const char *options)
{
    const gmc_hull_space *space = r->space;
    char command[32];
    snprintf(command, sizeof command, "qhull %s", options);
    memcpy(r->points, space->points,
           (size_t)(space->count * space->dimension) * sizeof *space->points);
    qh_zero(&r->qh, r->nowhere);
    int code = qh_new_qhull(&r->qh, space->dimension, space->count, r->points, False, command, NULL,
                            r->nowhere);
    gmc_status status = code == qh_ERRmem ? GMC_E_MEMORY : code != 0 ? GMC_E_LIBRARY : GMC_OK;
    bool is_moved = r->qh.JOGGLEmax < REALmax / 2 && r->qh.JOGGLEmax > GMC_HULL_SPACE_JOGGLE;
    if (status == GMC_OK) status = is_moved ? GMC_E_LIBRARY : guarded_read(r);
    int long_count, long_bytes;
    qh_freeqhull(&r->qh, !qh_ALL);
    qh_memfreeshort(&r->qh, &long_count, &long_bytes);
    return status;
}

gmc_status gmc_hull_space_make(const gmc_hull_space *space, double *volume)
{
    gmc_status status = GMC_E_MEMORY;
    reading *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->space = space;
    r->points = malloc((size_t)(space->count * space->dimension) * sizeof *r->points);
    r->nowhere = fopen("/dev/null", "wb");
    if (r->points && r->nowhere) {
        status = call(r, "QJ Pp"); // Pp: say nothing about narrow hulls
        if (status == GMC_E_LIBRARY) status = call(r, "Qx Pp");
    }
    if (status == GMC_OK) *volume = r->volume;
    if (r->nowhere) fclose(r->nowhere);
    free(r->points);
    free(r);
    return status;
}
