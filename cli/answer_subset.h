/// What an answer says of subset simulation, and of two levels; nothing without them.
#ifndef GMC_CLI_ANSWER_SUBSET_H
#define GMC_CLI_ANSWER_SUBSET_H

#include "cli/answer.h"

/// One line: "failure 1.2e-06 [8.9e-07, 1.6e-06] 95 % over 10 runs, ...".
void gmc_answer_subset_failure(const gmc_answer *answer, FILE *out);

/// The margin, and how the levels went.
void gmc_answer_subset_print(const gmc_answer *answer, FILE *out);

/// All of it as an entry "subset".
void gmc_answer_subset_json(const gmc_answer *answer, gmc_json *json);

#endif
