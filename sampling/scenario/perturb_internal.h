// Where the chance of a line is: perturb_design.c for perturb.c.
#ifndef GMC_SAMPLING_SCENARIO_PERTURB_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_PERTURB_INTERNAL_H

#include "sampling/random/stream.h"
#include "sampling/scenario/scenario.h"

// The u in [0, 1) whose quantile a line takes in a draw.
double gmc_perturb_uniform(const gmc_scenario *scenario, const gmc_uncertain *line,
                           int64_t case_index, uint64_t draw);

// A tripod's six u of a design that fills the space evenly. @return false: the design has none, it
// is drawn at random
bool gmc_perturb_axes(const gmc_scenario *scenario, const gmc_uncertain *line, int64_t case_index,
                      uint64_t draw, double u[6]);

// For lines that are no quantile of one number: drawn at random, once for each of the samples that
// a design exchanges.
gmc_stream gmc_perturb_whole(const gmc_scenario *scenario, const gmc_uncertain *line,
                             int64_t case_index, uint64_t draw);

#endif
