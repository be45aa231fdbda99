/// What more draws cannot decide. An unsolved trial may count either way, in whatever number: the
/// share of them stays between what is known for success and for failure. A question whose answer
/// lies in there stays open, and most often it is one case whose trials are all unsolved.
#ifndef GMC_CLI_ANSWER_ANSWER_STUCK_H
#define GMC_CLI_ANSWER_ANSWER_STUCK_H

#include "cli/answer/answer.h"

/// Remember why trials of a case are unsolved.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_stuck_note(gmc_answer *answer, const gmc_trial *trial);

void gmc_answer_stuck_free(gmc_answer *answer);

/// Would the rule stay undecided if the trials that are there were all there are: with the interval
/// that unsolved ones alone leave open?
bool gmc_answer_stuck_holds(const gmc_answer *answer, gmc_stop_rule rule);

/// Ends the line of an undecided rule: "; more (-n) may tell", or that they cannot, and a line for
/// each case that is the reason.
void gmc_answer_stuck_print(const gmc_answer *answer, gmc_stop_rule rule, FILE *out);

/// A line for each open case of a ranking that no budget decides.
void gmc_answer_stuck_print_race(const gmc_answer *answer, FILE *out);

/// "stuck": {"lower", "upper", "cases": [...]} of an open object, if so.
void gmc_answer_stuck_json(const gmc_answer *answer, gmc_stop_rule rule, gmc_json *json);

#endif
