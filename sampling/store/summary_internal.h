/// What a summary keeps beside the estimates of its method (private to summary*.c).
#ifndef GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H
#define GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H

#include "sampling/store/summary.h"

/// What is NULL has nothing to do; all have nothing to do where the plan does not ask for them.
typedef struct gmc_summary_part {
    gmc_status (*create)(gmc_summary *summary); ///< clear in every case
    void (*clear)(gmc_summary *summary);
    void (*take)(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);
    void (*close)(gmc_summary *summary); ///< after the last trial
    gmc_status (*write)(gmc_summary *summary, struct gmc_h5 *h5);
} gmc_summary_part;

/// What measurements leave open (/measurements); success at the places of intervals (/intervals);
/// /histograms.
extern const gmc_summary_part gmc_summary_measured_part, gmc_summary_intervals_part,
    gmc_summary_histograms_part;

#endif
