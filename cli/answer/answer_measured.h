/// What an answer says of inputs that are known from few measurements.
#ifndef GMC_CLI_ANSWER_ANSWER_MEASURED_H
#define GMC_CLI_ANSWER_ANSWER_MEASURED_H

#include "cli/answer/answer.h"

/// One line: success with what these leave open, or why it cannot be told; nothing where no input
/// is known from measurements alone.
///
///   with what 14 measurements leave open: [0.703, 0.951]
///   what 14 measurements leave open is not told: an input is correlated
void gmc_answer_measured_print(const gmc_answer *answer, FILE *out);

/// The same as an entry "measurements", of all and of a case.
void gmc_answer_measured_json(const gmc_answer *answer, gmc_json *json);
void gmc_answer_measured_case_json(const gmc_answer *answer, int case_index, gmc_json *json);

#endif
