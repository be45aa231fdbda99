/// A result file opened together with the scenario stored in it: what show and replay start with.
/// Nothing but the file itself is read.
#ifndef GMC_CLI_ANSWER_STORED_H
#define GMC_CLI_ANSWER_STORED_H

#include "sampling/build/prepare.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/store/describe.h"
#include "sampling/store/result.h"

typedef struct gmc_stored {
    const char *path;         ///< of the file, the caller's
    gmc_diagnostics messages; ///< what is wrong, not printed yet
    gmc_result *result;
    const gmc_result_info *info; ///< the result's
    gmc_prepared prepared;       ///< from the stored scenario and the files stored with it
} gmc_stored;

/// @param stored  out; gmc_stored_close also after a failure. Must not be moved
/// @return GMC_OK; GMC_E_MISSING (no such file), GMC_E_INPUT (not a result, damaged, or its
///         scenario is not understood), both reported; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_stored_open(const char *path, gmc_stored *stored);

/// Describe the run that wrote it, as it was.
/// @param level        of the intervals
/// @param description  out; gmc_description_free in every case
/// @return as gmc_describe_run
GMC_MUST_CHECK gmc_status gmc_stored_describe(gmc_stored *stored, double level,
                                              gmc_description *description);

/// What a trial of it has in a column; 0: there is none.
static inline double gmc_stored_value(const gmc_stored *stored, const gmc_trial *trial,
                                      gmc_fixed_column column)
{
    const gmc_result_info *info = stored->info;
    for (int i = 0; i < info->column_count; i++)
        if (strcmp(info->columns[i].name, gmc_fixed_columns[column].name) == 0)
            return trial->values[i];
    return 0;
}

/// How it was chosen to be repeated at half the step.
gmc_rollouts_choice gmc_stored_choice(const gmc_stored *stored, const gmc_trial *trial);

/// Has `run --complete` perhaps run it to its end, where an early verdict would have cut it short?
bool gmc_stored_is_completed(const gmc_stored *stored, const gmc_trial *trial);

/// As gmc_foreign_allow; mistakes are told with their line of the stored scenario.
GMC_MUST_CHECK gmc_status gmc_stored_allow(gmc_stored *stored, bool is_allowed);

/// "OPTION: MESSAGE", a mistake of the file as a whole. @return GMC_E_INPUT
/// @param hint  what to do about it; NULL: nothing
gmc_status gmc_stored_refuse(gmc_stored *stored, const char *option, const char *hint,
                             const char *message);

/// The same of a run that chose its trials, and of one whose draws have weights.
gmc_status gmc_stored_refuse_chosen(gmc_stored *stored, const char *option);
gmc_status gmc_stored_refuse_weighted(gmc_stored *stored, const char *option);

/// Print and forget messages, close everything.
void gmc_stored_close(gmc_stored *stored, const char *command, gmc_status status);

#endif
