/// What the trials say together: estimates, by case, histograms. Trials in, one by one in the order
/// of their numbers; datasets of /summary and /histograms out. Memory depends on cases and bins
/// alone.
#ifndef GMC_SAMPLING_STORE_SUMMARY_H
#define GMC_SAMPLING_STORE_SUMMARY_H

#include "sampling/campaign/trial.h"
#include "sampling/estimate/histogram.h"
#include "sampling/estimate/pooled.h"
#include "sampling/store/plan.h"

struct gmc_h5; // h5.h, which only the store sees

typedef struct gmc_summary {
    const gmc_store_plan *plan;
    gmc_pooled pooled;
    gmc_tally *cases; ///< (case_count)
    uint64_t outcomes[GMC_OUTCOME_COUNT];
    gmc_histogram *histograms; ///< (plan->histogram_count)
} gmc_summary;

/// What a trial's outcome says about success.
gmc_verdict gmc_summary_verdict(gmc_outcome outcome);

/// Empty. gmc_summary_free in every case.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_INPUT, GMC_E_LIMIT (a histogram that cannot be)
GMC_MUST_CHECK gmc_status gmc_summary_create(const gmc_store_plan *plan, gmc_summary *summary);

void gmc_summary_free(gmc_summary *summary);

/// Take in the next trial.
void gmc_summary_add(gmc_summary *summary, const gmc_trial *trial);

/// Write /summary and /histograms; call once, after the last trial.
GMC_MUST_CHECK gmc_status gmc_summary_write(gmc_summary *summary, struct gmc_h5 *h5);

#endif
