/// For tests of solvers of dual problems: an arena, and a drawn problem in normalised units.
#ifndef GMC_TEST_SUPPORT_SOLVING_H
#define GMC_TEST_SUPPORT_SOLVING_H

#include "test/support/duals.h"
#include "test/support/near.h"

#include <string.h>

typedef struct gmc_solving {
    gmc_arena arena; ///< what lies below `mark` belongs to the problem
    size_t mark;
    gmc_duals problem;
    gmc_dual_scales scales;
    gmc_dual normal;
    double x[GMC_DUALS_SIZE], w[GMC_DUALS_SIZE];
} gmc_solving;

/// The normalised form of `problem`, as it stands, and a start at zero.
static inline void gmc_solving_start(gmc_solving *s)
{
    gmc_arena_reset(&s->arena, 0);
    assert_int_equal(gmc_dual_scale(&s->problem.dual, &s->arena, &s->scales), GMC_OK);
    assert_int_equal(gmc_dual_normalise(&s->problem.dual, &s->scales, &s->arena, &s->normal),
                     GMC_OK);
    s->mark = gmc_arena_mark(&s->arena);
    memset(s->x, 0, sizeof s->x);
}

/// Draw one of three kinds in turn: compliant, rigid and hyperstatic, rigid in three groups.
static inline void gmc_solving_draw(gmc_solving *s, gmc_chance *chance, int i)
{
    int units = 4 + i % 9;
    if (i % 3 == 0)
        gmc_duals_draw(chance, units, 2 * units, 1, 0.3, 0.8, &s->problem);
    else if (i % 3 == 1)
        gmc_duals_draw(chance, units, 6 + i % 5, 1, 0, 0.8, &s->problem);
    else
        gmc_duals_draw(chance, units, 18, 3, 0, 0.8, &s->problem);
    gmc_solving_start(s);
}

static inline double gmc_solving_defect(gmc_solving *s)
{
    return gmc_duals_defect(&s->normal, s->x);
}

static inline void gmc_solving_open(gmc_solving *s)
{
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 22), GMC_OK);
}

static inline void gmc_solving_close(gmc_solving *s) { gmc_arena_free(&s->arena); }

#endif
