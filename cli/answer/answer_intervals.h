/// What an answer says where inputs are known only to lie in an interval: the lowest and the
/// highest success over its places, in the stead of one.
#ifndef GMC_CLI_ANSWER_ANSWER_INTERVALS_H
#define GMC_CLI_ANSWER_ANSWER_INTERVALS_H

#include "cli/answer/answer.h"

/// Two lines, if there are intervals:
///
///   success between 0.412 [0.352, 0.474] and 0.931 [0.893, 0.958] 95 % together, exact at 5 places
///     lowest at friction.rubber/abs 0.08, highest at friction.rubber/abs 0.3
///
/// Where a place met no draw "of 5 places 2 met no draw" stands for "exact at 5 places", and lowest
/// and highest are "of the places tried".
///
/// @return true if there are
bool gmc_answer_intervals_print(const gmc_answer *answer, FILE *out);

/// The lower end of the lowest of all, if there are intervals.
double gmc_answer_intervals_lower(const gmc_answer *answer);

/// Of a case "between ... and ...", if there are intervals. @return true if there are
bool gmc_answer_intervals_case(const gmc_answer *answer, int case_index, FILE *out);

/// The same as an entry "success" of all (-1) or of a case. @return true if there are intervals
bool gmc_answer_intervals_json(const gmc_answer *answer, int case_index, gmc_json *json);

#endif
