/// run --complete OUT.h5: the trials of a result whose answer is open, run to their end; all others
/// as they are. What a trial was cut short by depends on its verdict, so that only all of them
/// together say what the same draws give under other criteria.
///
/// The output is another file: the rows of trials that were open are those of a run without early
/// verdicts, bit for bit, and `completed` says for which criteria.
#ifndef GMC_CLI_COMMANDS_RUN_COMPLETE_H
#define GMC_CLI_COMMANDS_RUN_COMPLETE_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"
#include "sampling/findings/rescore.h"
#include "sampling/store/describe.h"

typedef struct gmc_run_complete {
    gmc_stored stored;    ///< the result
    gmc_rescore *rescore; ///< of --success; NULL: every trial that was cut short is open
    char *criteria;       ///< of the output, one a line
    uint64_t open, count; ///< trials that are run to their end, all of them
} gmc_run_complete;

/// Open the result, find what is open, describe the output.
/// @param description  out; freed by the caller, before `complete`, also after a failure
/// @param complete     out; gmc_run_complete_close in every case
/// @return GMC_OK; GMC_E_INPUT (no result, a mistake in --success, trials that were chosen),
///         GMC_E_MISMATCH (written by another build); GMC_E_MISSING, GMC_E_IO, GMC_E_MEMORY; all
///         reported in complete->stored.messages
GMC_MUST_CHECK gmc_status gmc_run_complete_open(const gmc_args *args, gmc_description *description,
                                                gmc_run_complete *complete);

/// Is it to be run? For gmc_store_options.
bool gmc_run_complete_is_open(void *complete, const gmc_trial *trial);

/// Print what is left to say, free.
/// @param status  what gmc_run_complete_open returned
void gmc_run_complete_close(gmc_run_complete *complete, gmc_status status);

#endif
