/// The part of an answer about trials that could not start because bodies overlapped: which bodies,
/// in how many trials, what would part them; and what is said where no trial was decided at all.
/// Names are not stored: the start of such a trial is looked at again, which nothing but the
/// trial's number decides.
#ifndef GMC_CLI_ANSWER_ANSWER_OVERLAPS_H
#define GMC_CLI_ANSWER_ANSWER_OVERLAPS_H

#include "cli/answer/answer.h"

/// Note the number of a trial with that reason.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_overlaps_note(gmc_answer *answer, const gmc_trial *trial);

/// Look at the starts of the trials that were noted.
/// @param prepared  the scenario of the result; outlives the answer
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_answer_overlaps_look(gmc_answer *answer,
                                                   const gmc_prepared *prepared);

void gmc_answer_overlaps_free(gmc_answer *answer);

/// "nothing was decided: finger_3_dist_link is 7.3 mm in table in all 100 trials; hand.target.z by
/// +8 mm frees it" and a line end, if so; else nothing.
void gmc_answer_overlaps_print_why(const gmc_answer *answer, FILE *out);

/// One line for each pair, under its reason.
void gmc_answer_overlaps_print(const gmc_answer *answer, FILE *out);

/// `overlaps` of an open object, if there are any.
void gmc_answer_overlaps_json(const gmc_answer *answer, gmc_json *json);

#endif
