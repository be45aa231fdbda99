/// Answers about a part of the trials (show --where): which, how many, and what is left open. In
/// words and as JSON.
#ifndef GMC_CLI_ANSWER_ANSWER_WHERE_H
#define GMC_CLI_ANSWER_ANSWER_WHERE_H

#include "cli/answer/answer.h"

/// May parts of such a run have answers of their own?
bool gmc_answer_where_fits(const gmc_store_plan *plan);

/// Read the claim of --where. Mistakes are reported with the text and a caret below the place.
/// @param plan   of the result; outlives `where`, as does the text
/// @param where  out: NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (a mistake, or no interval holds for a part of such a run;
///         reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_where_read(const char *text, const gmc_store_plan *plan,
                                                const char *input, gmc_diagnostics *messages,
                                                gmc_rescore **where);

/// Is this trial meant? If not, it is passed to the summary as one that is not; if that is not
/// known, it is counted too.
/// @param judged  with the outcome that it has under the answer's criteria
bool gmc_answer_where_take(gmc_answer *answer, const gmc_trial *judged);

/// "where slip < 1 mm: 58 of 1000 trials", which they are if they are few, and how far trials of
/// which it is not known could move the share. Nothing for answers about all trials.
void gmc_answer_where_print(const gmc_answer *answer, FILE *out);

/// "where": {...} of an open object. Nothing for answers about all trials.
void gmc_answer_where_json(const gmc_answer *answer, gmc_json *json);

#endif
