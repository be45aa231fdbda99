/// The batch of a study with a ladder: one campaign after another, each the trials of one stage of
/// the sieve, until everything is decided.
#ifndef GMC_SAMPLING_CAMPAIGN_ROUNDS_H
#define GMC_SAMPLING_CAMPAIGN_ROUNDS_H

#include "sampling/campaign/campaign.h"
#include "sampling/design/sieve.h"

/// Run all stages. Trials that the sink has already are not run again; the sieve must know their
/// findings (gmc_rollouts_finding) before this is called.
/// @param sieve    no stage opened yet; takes the findings of trials that are run
/// @param options  `first` and `count` do not matter. The total that `progress` is told is that of
///                 the stages opened so far
/// @return as gmc_campaign_run; GMC_E_MISSING: the sink has a trial that the sieve does not know
GMC_MUST_CHECK gmc_status gmc_rounds_run(const gmc_job *job, const gmc_sink *sink, gmc_sieve *sieve,
                                         const gmc_campaign_options *options, atomic_bool *stop,
                                         gmc_campaign_progress *last);

#endif
