/// Answers some of whose trials are open: cut short before what is asked for could be known. Beside
/// the summary of what is known stand two more, as if all of them had failed, had succeeded.
#ifndef GMC_CLI_ANSWER_ANSWER_RANGE_H
#define GMC_CLI_ANSWER_ANSWER_RANGE_H

#include "cli/answer/answer.h"

/// Nothing, but where other criteria or a choice of trials can leave some open.
GMC_MUST_CHECK gmc_status gmc_answer_range_create(gmc_answer *answer);
void gmc_answer_range_free(gmc_answer *answer);

/// A trial as it was judged.
/// @param truth    whether it is meant
/// @param is_open  its verdict is not known
void gmc_answer_range_take(gmc_answer *answer, const gmc_trial *judged, gmc_rescore_truth truth,
                           bool is_open);

/// After the last trial.
GMC_MUST_CHECK gmc_status gmc_answer_range_finish(gmc_answer *answer);

/// The range of all trials that are meant, of one case, of one bin of histogram `index`.
/// @return false: none of them is open, the estimate holds
bool gmc_answer_range_total(const gmc_answer *answer, gmc_estimate_range *range);
bool gmc_answer_range_case(const gmc_answer *answer, int case_index, gmc_estimate_range *range);
bool gmc_answer_range_bin(const gmc_answer *answer, int index, int bin, gmc_estimate_range *range);

/// A range as an object of that name: "lowest", "highest", no "p".
void gmc_answer_range_put(gmc_json *json, const char *name, const gmc_estimate_range *range);

#endif
