/// --until and --decide applied to a finished file (show, merge): where a run with that rule would
/// have stopped, and what it would have known there. Trials are looked at from the first on, as
/// `run` does, and with its interval (stop.h). Questions may be asked again and again, of any
/// threshold: the confidence sequence holds for all of them together. A width of one case may not:
/// each interval holds on its own.
#ifndef GMC_CLI_ANSWER_ANSWER_ASKED_H
#define GMC_CLI_ANSWER_ANSWER_ASKED_H

#include "cli/answer/answer.h"
#include "sampling/campaign/prefix.h"

typedef struct gmc_answer_asked {
    gmc_prefix prefix;
    int64_t draws; ///< of the file
    int64_t open;  ///< trials up to the verdict that other criteria leave open
} gmc_answer_asked;

/// May a rule be put to this file? Says why not.
/// @param first  number of its first trial
bool gmc_answer_asked_fits(const gmc_store_plan *plan, uint64_t first, const gmc_args *args,
                           const char *input);

/// @param count  trials of the file, from the first on
/// @return GMC_OK, GMC_E_MEMORY; gmc_answer_asked_free in every case
GMC_MUST_CHECK gmc_status gmc_answer_asked_start(const gmc_store_plan *plan, gmc_stop_rule rule,
                                                 uint64_t count, gmc_answer_asked *asked);

void gmc_answer_asked_free(gmc_answer_asked *asked);

/// Take in the next trial, with the outcome that it has under the answer's criteria.
/// @param is_open  these do not know it: it is among the unsolved
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_asked_take(gmc_answer_asked *asked, const gmc_trial *judged,
                                                bool is_open);

gmc_stop_verdict gmc_answer_asked_verdict(const gmc_answer_asked *asked);

/// "decided: success >= 0.9 is true, after 812 of 5000 draws: 0.934 [0.901, 0.958] ..."; undecided
/// ones with what would decide them. Only of an answer with such a rule.
void gmc_answer_asked_print(const gmc_answer *answer, FILE *out);

/// "asked": {...} of an open object.
void gmc_answer_asked_json(const gmc_answer_asked *asked, gmc_json *json);

#endif
