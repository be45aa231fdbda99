/// Who says which trials a run has, if these are not all of its range: the method of its study
/// (store/method.h), or others, for a part of one of a ranking's rounds.
#ifndef GMC_CLI_COMMANDS_RUN_ROUNDS_H
#define GMC_CLI_COMMANDS_RUN_ROUNDS_H

#include "cli/options/args.h"
#include "sampling/campaign/rounds.h"
#include "sampling/shards/round_part.h"

typedef struct gmc_run_rounds {
    gmc_round_part open_part; ///< of a part of a round; its race is NULL: none
    gmc_rounds_list part;     ///< its trials
    gmc_rounds_plan plan;
    bool is_used; ///< there is one
} gmc_run_rounds;

/// "ranking", "ladder", ...: who says which trials such a scenario has; NULL: it has all.
const char *gmc_run_rounds_name(const gmc_scenario *scenario);

/// Do the options that choose trials go with such a scenario? Says so if not.
bool gmc_run_rounds_fit(const gmc_args *args, const gmc_scenario *scenario);

/// @param plan    in: of the run; out: its `round`, if it is a part of one. Outlives the rounds
/// @param rounds  out; gmc_run_rounds_free in every case. Must not be moved
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, as gmc_round_part_open
GMC_MUST_CHECK gmc_status gmc_run_rounds_open(const gmc_args *args, gmc_store_plan *plan,
                                              gmc_diagnostics *messages, gmc_run_rounds *rounds);

void gmc_run_rounds_free(gmc_run_rounds *rounds);

#endif
