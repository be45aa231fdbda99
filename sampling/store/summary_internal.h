/// Parts of the summary (private to summary*.c).
#ifndef GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H
#define GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H

#include "sampling/store/summary.h"

/// Room for what measurements leave open, if inputs have some and the plan can tell.
GMC_MUST_CHECK gmc_status gmc_summary_measured_create(gmc_summary *summary);
void gmc_summary_measured_add(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);
/// After the last trial.
void gmc_summary_measured_close(gmc_summary *summary);

/// Write /measurements, if there are some.
GMC_MUST_CHECK gmc_status gmc_summary_measured_write(const gmc_summary *summary, struct gmc_h5 *h5);

/// Room for the places of intervals, if there are some.
GMC_MUST_CHECK gmc_status gmc_summary_intervals_create(gmc_summary *summary);
void gmc_summary_intervals_free(gmc_summary *summary);
void gmc_summary_intervals_add(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);

/// Write /intervals, if there are some.
GMC_MUST_CHECK gmc_status gmc_summary_intervals_write(const gmc_summary *summary,
                                                      struct gmc_h5 *h5);

/// Write /histograms.
GMC_MUST_CHECK gmc_status gmc_summary_histograms_write(gmc_summary *summary, struct gmc_h5 *h5);

#endif
