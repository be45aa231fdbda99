/// Parts of the summary (private to summary*.c).
#ifndef GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H
#define GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H

#include "sampling/estimate/ranks.h"
#include "sampling/store/summary.h"

/// Room for a ladder, if there is one. @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many trials)
GMC_MUST_CHECK gmc_status gmc_summary_ladder_create(gmc_summary *summary);

/// Take in a trial; true if it is one at the last level, or if there is no ladder.
bool gmc_summary_ladder_add(gmc_summary *summary, const gmc_trial *trial);

gmc_estimate gmc_summary_ladder_case(const gmc_summary *summary, int case_index);

/// Write /ladder, if there is one.
GMC_MUST_CHECK gmc_status gmc_summary_ladder_write(const gmc_summary *summary, struct gmc_h5 *h5);

/// Room for weights, if trials have some.
GMC_MUST_CHECK gmc_status gmc_summary_weights_create(gmc_summary *summary);
void gmc_summary_weights_add(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);
gmc_estimate gmc_summary_weights_total(const gmc_summary *summary);

/// Write /summary/weights, if trials have some.
GMC_MUST_CHECK gmc_status gmc_summary_weights_write(const gmc_summary *summary, struct gmc_h5 *h5);

/// Room for a race, if there is one and not only a part of one of its rounds.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_summary_race_create(gmc_summary *summary);

/// Take in a trial of a race, if there is one.
/// @return true if the total counts it: with a race those of the first round, which all cases have
bool gmc_summary_race_add(gmc_summary *summary, const gmc_trial *trial);

/// After the last trial: what became of the cases, in a race that is not finished so far.
/// @return as gmc_summary_decide
GMC_MUST_CHECK gmc_status gmc_summary_race_decide(gmc_summary *summary);

/// Place of a case in its group, as in ranking.h.
typedef struct gmc_summary_rank {
    int64_t place;
    gmc_ranks_set set; ///< places that it may have
} gmc_summary_rank;

/// @param ranks  out: (case_count), free() it; NULL if there is no race
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_summary_race_ranks(const gmc_summary *summary,
                                                 gmc_summary_rank **ranks);

/// Write /rank, if there is a race.
GMC_MUST_CHECK gmc_status gmc_summary_race_write(const gmc_summary *summary, struct gmc_h5 *h5);

/// Room for the levels of subset simulation, if there is one.
GMC_MUST_CHECK gmc_status gmc_summary_subset_create(gmc_summary *summary);
void gmc_summary_subset_add(gmc_summary *summary, const gmc_trial *trial);
gmc_estimate gmc_summary_subset_total(const gmc_summary *summary);

/// Write /subset, if there is one.
GMC_MUST_CHECK gmc_status gmc_summary_subset_write(const gmc_summary *summary, struct gmc_h5 *h5);

/// Room for the pairs of two levels, if there are some.
GMC_MUST_CHECK gmc_status gmc_summary_pairs_create(gmc_summary *summary);
void gmc_summary_pairs_add(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);
gmc_status gmc_summary_pairs_decide(gmc_summary *summary);
gmc_estimate gmc_summary_pairs_total(const gmc_summary *summary);

/// Write /summary/two_level, if there are some.
GMC_MUST_CHECK gmc_status gmc_summary_pairs_write(const gmc_summary *summary, struct gmc_h5 *h5);

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
