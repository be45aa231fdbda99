/// What an answer says of the weights of importance sampling.
#ifndef GMC_CLI_ANSWER_ANSWER_WEIGHTS_H
#define GMC_CLI_ANSWER_ANSWER_WEIGHTS_H

#include "cli/answer/answer.h"

/// One line: the mean weight, which is 1 but for chance, the largest, and how many draws they
/// leave; nothing without importance sampling.
void gmc_answer_weights_print(const gmc_answer *answer, FILE *out);

/// The same as an entry "weights".
void gmc_answer_weights_json(const gmc_answer *answer, gmc_json *json);

#endif
