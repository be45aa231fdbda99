/// Answers under other criteria than the scenario's (show --success): which, and what they leave
/// open. In words and as JSON.
#ifndef GMC_CLI_ANSWER_ANSWER_RESCORE_H
#define GMC_CLI_ANSWER_ANSWER_RESCORE_H

#include "cli/answer/answer.h"

/// Trials whose verdict under the criteria is not known, because an early one cut them short.
uint64_t gmc_answer_rescore_open(const gmc_answer *answer);

/// The criteria; if trials are not known, how many, and how to know. Nothing for other answers.
void gmc_answer_rescore_print(const gmc_answer *answer, FILE *out);

/// "criteria": "...", "not_known": {...} of an open object. Nothing for other answers.
void gmc_answer_rescore_json(const gmc_answer *answer, gmc_json *json);

/// Read the criteria of --success. Mistakes are reported with the text and a caret below the place.
/// @param plan     of the result; outlives `rescore`, as does the text
/// @param input    the result's path, for messages
/// @param rescore  out: NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (a mistake, or the result has a ladder; reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_rescore_read(const char *text, const gmc_store_plan *plan,
                                                  const char *input, gmc_diagnostics *messages,
                                                  gmc_rescore **rescore);

#endif
