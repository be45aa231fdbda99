/// check --pilot, check --until: a few trials are run, and what they took says what a run would
/// take.
#ifndef GMC_CLI_COMMANDS_CHECK_PILOT_H
#define GMC_CLI_COMMANDS_CHECK_PILOT_H

#include "cli/options/args.h"
#include "cli/process/json.h"
#include "sampling/build/prepare.h"
#include "sampling/estimate/tally.h"
#include "sampling/store/describe.h"

typedef struct gmc_check_pilot {
    int trials;
    gmc_tally tally;
    double seconds;     ///< of one core, for a trial
    double pilot_p;     ///< (successes + 1) / (decided + 2): never certain
    gmc_stop_rule rule; ///< of --until; else GMC_STOP_NEVER
    double level;
    double
        agreement; ///< correlation of two cases of a draw, as the pilot says; -1: they share none
    int64_t worst[2],
        likely[2];     ///< draws needed at p = 1/2, at pilot_p: with --until, fixed beforehand
    int64_t draws;     ///< that the costs are for
    double run_trials; ///< and their trials
    int workers;
    double run_seconds, memory_bytes, result_bytes,
        journal_bytes; ///< of the whole run; -1: not known
} gmc_check_pilot;

/// Run `args->pilot` trials, spread over draws and cases, or as many as some seconds allow.
/// @return GMC_OK; GMC_E_INPUT (no pilot can tell: a ladder, a design; reported), GMC_E_MEMORY,
///         GMC_E_INTERRUPTED; as gmc_footprint_measure
GMC_MUST_CHECK gmc_status gmc_check_pilot_run(const gmc_args *args, gmc_prepared *prepared,
                                              const gmc_store_plan *plan, gmc_diagnostics *messages,
                                              gmc_check_pilot *pilot);

void gmc_check_pilot_print(const gmc_check_pilot *pilot, FILE *out);

/// "pilot": {...}, "needed": {...}, "costs": {...} of an open object.
void gmc_check_pilot_json(const gmc_check_pilot *pilot, gmc_json *json);

#endif
