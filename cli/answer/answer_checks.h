/// How far the answer can be trusted: early verdicts that were held against the end of their
/// trials, trials repeated at half the step, trials whose bodies overlapped. In words and as JSON.
#ifndef GMC_CLI_ANSWER_ANSWER_CHECKS_H
#define GMC_CLI_ANSWER_ANSWER_CHECKS_H

#include "cli/answer/answer.h"

/// What the interval of the headline is made of, if more than chance of the draws went into it or
/// could have: a line for the trials' own interval, a line for the step.
void gmc_answer_checks_print_parts(const gmc_answer *answer, FILE *out);

/// A line on early verdicts, if any trial was decided early.
void gmc_answer_checks_print(const gmc_answer *answer, FILE *out);

/// "early": {...}, "half_step": {...} of an open object.
void gmc_answer_checks_json(const gmc_answer *answer, gmc_json *json);

/// How deep did a trial begin that ran, and get, and does its energy balance?
void gmc_answer_checks_note(gmc_answer *answer, const gmc_trial *trial);

/// A line each, if the energy of trials is off by more than 1 %, or by more than 5 % of the
/// object's own; "energy": {...}, "energy_of_object": {...} of an open object.
void gmc_answer_checks_print_energy(const gmc_answer *answer, FILE *out);
void gmc_answer_checks_json_energy(const gmc_answer *answer, gmc_json *json);

/// A line each, if trials began more than 0.1 mm deep, had hard bodies more than 2 mm in each
/// other, or pressed a pad to its bottom; "deep_starts": {...}, "deep_overlaps": {...},
/// "pads_at_bottom": {...} of an open object.
void gmc_answer_checks_print_depths(const gmc_answer *answer, FILE *out);
void gmc_answer_checks_json_depths(const gmc_answer *answer, gmc_json *json);

/// Of an interval that holds nothing of the step, whatever the run knows of it: judged otherwise,
/// of a part of the trials, of a surrogate. A line, if any trial was repeated; an entry
/// "half_step".
void gmc_answer_checks_print_untaken(const gmc_answer *answer, FILE *out);
void gmc_answer_checks_json_untaken(const gmc_answer *answer, gmc_json *json);

#endif
