/// Parts of an answer that its words and its JSON share (private to answer*.c).
#ifndef GMC_CLI_ANSWER_ANSWER_INTERNAL_H
#define GMC_CLI_ANSWER_ANSWER_INTERNAL_H

#include "cli/answer/answer.h"

/// Success over all trials that are meant, with all that the run knows: what is shown first.
gmc_estimate gmc_answer_headline(const gmc_answer *answer);

/// By chance of the draws alone: success over all trials that are meant, of one case, or in one bin
/// of `found`; each by the first method of the plan and at its level.
gmc_estimate gmc_answer_total_estimate(const gmc_answer *answer);
gmc_estimate gmc_answer_case_estimate(const gmc_answer *answer, int index);
gmc_estimate gmc_answer_bin_estimate(const gmc_answer *answer, const gmc_histogram *found, int bin);

/// Is the interval told that a surrogate stopped the run by? At the level of its looks alone.
bool gmc_answer_tells_surrogate(const gmc_answer *answer);

/// Trials that ended so; those that are not known are none of them.
uint64_t gmc_answer_outcome_count(const gmc_answer *answer, int outcome);

/// No trial that is meant has a verdict, and the answer is not one about designs that were chosen.
bool gmc_answer_is_undecided(const gmc_answer *answer);

/// What axis k of a histogram is over: a column's or a parameter's name and unit, the plan's.
const char *gmc_answer_axis_name(const gmc_store_plan *plan, const gmc_store_histogram *h, int k);
const char *gmc_answer_axis_unit(const gmc_store_plan *plan, const gmc_store_histogram *h, int k);

/// A histogram of two parameters: one row per bin of the first, p in hundredths, so that 30 columns
/// fit a screen.
/// @param percent  (bins) to print in place of the trials' own, where it is not below 0; NULL
void gmc_answer_print_map(const gmc_answer *answer, int index, const int *percent, FILE *out);

/// Its axes as an entry "axes".
void gmc_answer_put_axes(gmc_json *json, const gmc_answer *answer, int index);

#endif
