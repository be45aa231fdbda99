/// Parts of the pairs study (private to pairs*.c).
#ifndef GMC_TEST_SUPPORT_SHAPE_PAIRS_INTERNAL_H
#define GMC_TEST_SUPPORT_SHAPE_PAIRS_INTERNAL_H

#include "test/support/shape_pairs.h"

/// One trial in the making.
typedef struct gmc_shape_pairs_run {
    gmc_stage stage;
    gmc_shape_pairs_outcome outcome;
    gmc_shape_pairs_trace *trace;
    double h;
    bool is_pinch;
    double given;       ///< kinetic energy at the start and the work of gravity and forces [J]
    double turned_over; ///< the same with all work counted as positive: what errors relate to [J]
    double gone_below;  ///< a body's height that ends the trial; -inf: none [m]
    double gone_beyond; ///< a body's distance from the z axis that ends it; +inf: none [m]
} gmc_shape_pairs_run;

/// Numbers of their own for each trial.
gmc_chance gmc_shape_pairs_chance(unsigned kind, int first, int second, int index);

double gmc_shape_pairs_step_length(gmc_chance *chance); ///< mostly 2 ms, also 1 and 4

/// Add a free solid of the shape, mass by density.
void gmc_shape_pairs_add(gmc_stage *stage, const char *name, const gmc_shape *shape,
                         double density);

/// Put a free body and give it a velocity (of its mass centre) and a spin, world.
void gmc_shape_pairs_place(gmc_stage *stage, const char *name, gmc_quat turn, gmc_vec3 p,
                           gmc_vec3 velocity, gmc_vec3 spin);

/// Everything is placed: energy counts from now on.
void gmc_shape_pairs_begin(gmc_shape_pairs_run *run);

/// Steps for `span` seconds; false if a step failed or the object is gone.
bool gmc_shape_pairs_advance(gmc_shape_pairs_run *run, double span);

/// Wait for rest, and judge.
void gmc_shape_pairs_judge(gmc_shape_pairs_run *run);

/// Note what it took, and close the stage.
void gmc_shape_pairs_close(gmc_shape_pairs_run *run);

#endif
