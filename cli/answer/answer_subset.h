/// What an answer says of subset simulation, and of two levels; nothing without them.
#ifndef GMC_CLI_ANSWER_ANSWER_SUBSET_H
#define GMC_CLI_ANSWER_ANSWER_SUBSET_H

#include "cli/answer/answer.h"

/// Said where a level has fewer than GMC_SUBSET_POINTS_FEW points (test_subset_ties.c).
#define GMC_ANSWER_SUBSET_FEW                                                                      \
    "estimates are too high on average, at failures of 2e-4 by 35 % with 100 points and by 20 % "  \
    "with 200, at 1e-6 by 85 % and by 40 %; with 1000 by 3 %"

/// With subset simulation: can no number be told? gmc_answer_subset_failure says why.
bool gmc_answer_subset_refused(const gmc_answer *answer);

/// "failure 1.2e-06 [8.9e-07, 1.6e-06] 95 % over 10 runs, ...", or "failure at most ..." where none
/// was found, and what the plain draws of level 0 say; or why nothing is told.
void gmc_answer_subset_failure(const gmc_answer *answer, FILE *out);

/// The margin, and how the levels went.
void gmc_answer_subset_print(const gmc_answer *answer, FILE *out);

/// All of it as an entry "subset".
void gmc_answer_subset_json(const gmc_answer *answer, gmc_json *json);

#endif
