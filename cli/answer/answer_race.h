/// What a ranking found, in words and as JSON.
#ifndef GMC_CLI_ANSWER_ANSWER_RACE_H
#define GMC_CLI_ANSWER_ANSWER_RACE_H

#include "cli/answer/answer.h"

/// Whether the best are known, and after how many trials. Nothing without a race.
void gmc_answer_race_print(const gmc_answer *answer, FILE *out);

/// Which they are, and the command that puts all in order. Nothing without a race.
void gmc_answer_race_best(const gmc_answer *answer, FILE *out);

/// Of a part of a round: what it is. @return false: it is none, and nothing was said
bool gmc_answer_race_part(const gmc_answer *answer, FILE *out);

enum { GMC_ANSWER_RACE_TEXT = 64 };

/// "best", "out after round 4", "open"
/// @param text  at least GMC_ANSWER_RACE_TEXT bytes
/// @return text
char *gmc_answer_race_verdict(const gmc_answer *answer, int case_index, char *text);

/// Members "rank" of the answer (of a part "round", which it is of) and "best" ... of a case.
void gmc_answer_race_json(const gmc_answer *answer, gmc_json *json);
void gmc_answer_race_case_json(const gmc_answer *answer, int case_index, gmc_json *json);

#endif
