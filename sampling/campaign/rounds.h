/// The batch of a study that is run in rounds: one campaign after another, each the trials of one
/// stage of a ladder or of one round of a ranking, until everything is decided.
#ifndef GMC_SAMPLING_CAMPAIGN_ROUNDS_H
#define GMC_SAMPLING_CAMPAIGN_ROUNDS_H

#include "sampling/campaign/campaign.h"
#include "sampling/campaign/rollouts.h"

/// Who says which trials come next, and learns what they found.
typedef struct gmc_rounds_plan {
    void *context;
    gmc_status (*put)(void *context, const gmc_trial *trial);
    /// @param trials  out: (count) rising, valid until the next call
    /// @param count   out: 0 at the end
    gmc_status (*next)(void *context, const uint64_t **trials, uint64_t *count);
    void (*free)(void *context); ///< NULL: the context is another's
    gmc_rollouts_points points;  ///< where the trials of the open round are
} gmc_rounds_plan;

/// Run all rounds. Trials that the sink has already are not run again; the plan must know them
/// (plan->put) before this is called.
/// @param plan     no round opened yet; takes in the trials that are run
/// @param options  `first` and `count` do not matter. The total that `progress` is told is that of
///                 the rounds opened so far
/// @return as gmc_campaign_run; GMC_E_MISSING: the sink has a trial that the plan does not know;
///         what the plan's functions return
GMC_MUST_CHECK gmc_status gmc_rounds_run(const gmc_job *job, const gmc_sink *sink,
                                         const gmc_rounds_plan *plan,
                                         const gmc_campaign_options *options, atomic_bool *stop,
                                         gmc_campaign_progress *last);

#endif
