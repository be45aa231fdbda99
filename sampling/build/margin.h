/// A margin: a number made of the columns of a trial, and of what was drawn for it, that says how
/// far it is from failing; below 0 it has failed. Of `sampling.subset`: as written there, or else
/// as it follows from the criteria of success (build_program.c).
///
/// The code of one that follows has comparisons: each is what is left until its sides are equal,
/// over the number of its node; `and` is the least, `or` the largest, `not` the opposite. 0 is
/// never left: `a <= b` of equal sides is the smallest number above 0, `a < b` the largest below.
/// With the number 0 (what is counted) it is the largest number there is, or its opposite; so is
/// what compares a NaN.
#ifndef GMC_SAMPLING_BUILD_MARGIN_H
#define GMC_SAMPLING_BUILD_MARGIN_H

#include "sampling/build/build.h"

/// How one that follows from the criteria is called.
#define GMC_MARGIN_DERIVED "that follows from success"

/// Read the margin of a scenario, if one is written; its names are those of the columns, blanks in
/// their brackets free, and of the sampled numbers, before which a column of that name goes.
/// @param measures  of the compiled scenario; outlives it
/// @param report    places are those of the scenario
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_margin_read(gmc_scenario *scenario, const gmc_measure_plan *measures,
                                          gmc_diagnostics *report);

/// The margin of a trial.
/// @param values   of the columns
/// @param samples  of the sampled numbers; NULL: it follows from the criteria, which name none
/// @return -inf: the object was lost; NaN: unsolved, or made of what was not measured
double gmc_margin_value(const gmc_compiled_criterion *code, const double *values,
                        const double *samples, gmc_outcome outcome);

/// Distances of a trial's criteria from their limits, each over its size; below 0 it is broken. Of
/// what is counted, or was not measured, the largest number there is, or its opposite.
/// @param code  one that follows from the criteria
/// @param each  (most) out; from the last on, the least of all that follow
/// @return how many
int gmc_margin_distances(const gmc_compiled_criterion *code, const double *values, double *each,
                         int most);

/// Which of them are of forces or moments: bit k is that of distance k.
uint32_t gmc_margin_forces(const gmc_compiled_criterion *code, int most);

/// Did the distances of a trial's criteria from their limits change so far from one run of it to
/// another that its verdict might have turned? Of a success one by more than half of itself, of a
/// failure all that are broken.
/// @param code    one that follows from the criteria, without `or` and `not`
/// @param values  of the columns of the trial; `others` of its repetition
bool gmc_margin_has_moved(const gmc_compiled_criterion *code, const double *values,
                          const double *others);

/// Does a trial that has a verdict succeed by one of the two, outcome and margin, and not by the
/// other?
static inline bool gmc_margin_differs(double margin, gmc_outcome outcome)
{
    if (outcome == GMC_OUTCOME_UNSOLVED) return false;
    bool is_success = outcome == GMC_OUTCOME_SUCCESS;
    return is_success ? margin < 0 : !(margin < 0);
}

#endif
