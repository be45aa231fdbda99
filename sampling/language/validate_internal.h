// Shared by validate.c (groups of keys) and validate_value.c (what a key holds).
#ifndef GMC_SAMPLING_LANGUAGE_VALIDATE_INTERNAL_H
#define GMC_SAMPLING_LANGUAGE_VALIDATE_INTERNAL_H

#include "sampling/language/validate.h"

enum { GMC_VALIDATE_MISTAKES_MAX = 100 }; // nobody reads more of them in one go

typedef struct gmc_validate {
    gmc_diagnostics *report;
    gmc_arena *arena;
    gmc_schema_worlds worlds; // of this scenario; ALL: what is checked stands alone
    char path[GMC_VALIDATE_PATH];
    bool has_rank; // the study that is being read
    int mended;    // mistakes after which reading went on as if they were not there

    gmc_node *own;         // the map `parameters`; NULL: none, and no formulas
    double *own_values;    // (own->count) nominal
    char *own_states;      // (own->count) gmc_validate_state
    int own_depth;         // formulas that are being read for each other's sake
    gmc_formulas formulas; // naming what stands in `own`
} gmc_validate;

// Extend the path used in messages; pop with what push returned.
size_t gmc_validate_push(gmc_validate *v, const char *key);
size_t gmc_validate_push_index(gmc_validate *v, int index);
void gmc_validate_pop(gmc_validate *v, size_t before);

bool gmc_validate_is_full(const gmc_validate *v);

// A number at the path of `v`, or a formula if there are named parameters. What is none gets a
// stand-in, so that what depends on it can be read.
void gmc_validate_value_number(gmc_validate *v, gmc_node *node, const gmc_schema_row *row,
                               gmc_dimension dimension);

// Report a mistake at `node`, with the path before it.
void gmc_validate_value_complain(gmc_validate *v, const gmc_node *node, const char *hint,
                                 const char *what);

// Vertices of a polygon: numbers first, then the outline.
GMC_MUST_CHECK gmc_status gmc_validate_polygon(gmc_validate *v, const gmc_schema_row *row,
                                               gmc_node *node);

// Points on which something stands: three or more, not in a line.
GMC_MUST_CHECK gmc_status gmc_validate_points(gmc_validate *v, const gmc_schema_row *row,
                                              gmc_node *node);

// A function of time: [time, number], later and later.
void gmc_validate_knots(gmc_validate *v, const gmc_schema_row *row, gmc_node *node);

// The polygon of a checked gear in its place; GMC_OK also for one that cannot be, reported.
GMC_MUST_CHECK gmc_status gmc_validate_gear(gmc_validate *v, gmc_node *map, gmc_node *gear);

#endif
