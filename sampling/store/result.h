/// Results read back: for `show`, `replay`, `merge` and whoever else starts from a file. Foreign
/// files are untrusted: everything is checked, and what does not fit is a message. Where
/// GMC_E_INPUT is named below it is GMC_E_IO if the disk is to blame.
#ifndef GMC_SAMPLING_STORE_RESULT_H
#define GMC_SAMPLING_STORE_RESULT_H

#include "sampling/campaign/trial.h"
#include "sampling/store/plan.h"

typedef struct gmc_result gmc_result;

/// What a file says about itself. Lives as long as its result.
typedef struct gmc_result_info {
    uint64_t first, count, total;          ///< trials [first, first + count) of a run of `total`
    const struct gmc_store_method *method; ///< that chose its trials, of which the file holds
                                           ///< `count` of the `total`; gmc_store_method_plain
    const char *rank;                      ///< "best 10 within 0.02", "": none
    gmc_store_round round;                 ///< of it; part_count is `count`
    uint64_t rank_budget, rank_last;       ///< of it, but for a part: as in gmc_ranking_plan
    bool is_sparse;                        ///< there is one that chose them
    const char *completed; ///< criteria, one a line, whose open trials ran to the end; "": none
    const char *shard;     ///< "2/4"; "" if the file is no shard
    gmc_stop_rule stop;    ///< that the run could stop for
    double stop_level;     ///< of the interval that it looked at; 0: the file does not say
    const char *scenario_digest, *content_digest;
    const char *text, *expanded; ///< of the scenario
    const gmc_asset *assets;     ///< file is NULL
    int asset_count;

    const char *program_version, *commit, *compiler, *flags, *libraries;
    const char *design;
    uint64_t seed;

    const gmc_store_parameter *parameters;
    int parameter_count;
    const gmc_column *columns;
    int column_count;
    const gmc_store_case
        *cases; ///< `values` of parameters that are not studied are NaN; model is 0
    int case_count;
    const char *const *phases;
    int phase_count;

    const char *trajectories; ///< which are kept
    double rate_hz;
    bool has_actions; ///< of a sampled controller, in trajectories
    bool has_pushes;  ///< and of bodies, too
    uint64_t trajectory_count, row_count, contact_count; ///< of all of them
    gmc_store_model names; ///< of the bodies, joints and geoms in trajectories read from this file
} gmc_result_info;

/// Open a finished result.
/// @param messages  borrowed until gmc_result_close
/// @return GMC_OK; GMC_E_MISSING (no such file); GMC_E_INPUT (not a result, not complete, of a
///         newer format, damaged), reported; GMC_E_MEMORY; *result is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_result_open(const char *path, gmc_diagnostics *messages,
                                          gmc_result **result);

/// Accepts NULL.
void gmc_result_close(gmc_result *result);

const gmc_result_info *gmc_result_about(const gmc_result *result);

/// Hand out all trials in order, without trajectories, and compute their digest on the way.
/// @param visit  the trial is valid during the call; anything but GMC_OK ends the walk with that
///               status
/// @return GMC_OK, GMC_E_INPUT (damaged, or in the end the digest differs: what was handed out is
///         not what was written; reported), GMC_E_MEMORY, what `visit` returned
GMC_MUST_CHECK gmc_status gmc_result_trials(
    gmc_result *result, gmc_status (*visit)(void *context, const gmc_trial *trial), void *context);

/// One trial, with its trajectory if it has one; bodies, joints and geoms in the order of
/// info.names.
/// @param number  of the trial, not of the row
/// @return GMC_OK, GMC_E_MISSING (not in this file, reported), GMC_E_INPUT, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_result_trial(gmc_result *result, uint64_t number,
                                           gmc_trial_copy *trial);

/// Compute the content digest again and compare it with the file's.
/// @return GMC_OK, GMC_E_INPUT (it differs, or the file is damaged; reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_result_verify(gmc_result *result);

/// Are the files that two scenarios use the same, name by name? Those of `use:` are not looked at.
/// @param difference  out, if not: the first that differs, with both digests
bool gmc_result_same_files(const gmc_asset *there, int there_count, const gmc_asset *here,
                           int here_count, char *difference, size_t bytes);

/// Has a result the plan's scenario, as far as its digest sees it?
/// @param difference  out, if not: the first key or file that differs, with both values
bool gmc_result_same_scenario(const gmc_result_info *info, const gmc_store_plan *plan,
                              char *difference, size_t bytes);

/// Is the file at `path` the finished result that this plan leads to?
/// @param difference  out, if not: why, in words
/// @return GMC_OK: it is; GMC_E_MISMATCH; GMC_E_IO (nobody can tell: the disk is to blame, and
///         `difference` says how); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_result_matches(const char *path, const gmc_store_plan *plan,
                                             char *difference, size_t bytes);

#endif
