/// What a ladder found, in words and as JSON.
#ifndef GMC_CLI_ANSWER_ANSWER_LADDER_H
#define GMC_CLI_ANSWER_ANSWER_LADDER_H

#include "cli/answer/answer.h"

/// The headline: how many designs came to which end. Nothing without a ladder.
/// @return false: there is none
bool gmc_answer_ladder_headline(const gmc_answer *answer, FILE *out);

/// What each level did and cost. Nothing without a ladder.
void gmc_answer_ladder_print(const gmc_answer *answer, FILE *out);

enum { GMC_ANSWER_LADDER_TEXT = 192 };

/// "rejected by rigid, trial 417", "works"; with what an audit saw of it.
/// @param text  at least GMC_ANSWER_LADDER_TEXT bytes
/// @return text
char *gmc_answer_ladder_verdict(const gmc_answer *answer, int case_index, char *text);

/// Members "ladder" of the answer and "verdict" ... of a case.
void gmc_answer_ladder_json(const gmc_answer *answer, gmc_json *json);
void gmc_answer_ladder_case_json(const gmc_answer *answer, int case_index, gmc_json *json);

#endif
