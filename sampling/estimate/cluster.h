/// How sure a success probability is when trials share their chance: all cases of a study meet the
/// same draws, so the draw is the independent unit, not the trial. (Wilson's interval on the pooled
/// count of a map of 441 cells with 100 common draws covered the truth in 8.5 % of runs.)
///
/// Estimate over draws d = 1 ... D with s_d successes among n_d decided trials:
///
///   p = Σ s_d / Σ n_d,     se² = D/(D−1) Σ (s_d − p n_d)² / (Σ n_d)²,     p ± t_{D−1} se
///
/// Where no trial is unsolved, all n_d are equal and this is Student's interval on the draws'
/// means; else it is the ratio estimate of cluster sampling [cochran1977, chapter 6], so that an
/// unsolved trial costs one trial and not its whole draw.
///
/// When fewer than five draws have a failure (or a success) the means are far from normal and t is
/// too short, down to length 0. The end in doubt is then moved out to Clopper-Pearson's bound on
/// the share of draws with any failure (success), which bounds the mean, because no draw fails by
/// more than 1.
#ifndef GMC_SAMPLING_ESTIMATE_CLUSTER_H
#define GMC_SAMPLING_ESTIMATE_CLUSTER_H

#include "sampling/estimate/estimate.h"
#include "sampling/estimate/proportion.h"

/// Sums over draws; zero-initialised means empty. The sums are whole numbers: exact up to 2^53, and
/// so independent of the order of the draws.
typedef struct gmc_cluster {
    gmc_tally tally;
    int64_t draws;        ///< with at least one decided trial
    int64_t with_success; ///< draws with at least one success
    int64_t with_failure;
    double ss, sn, nn; ///< Σ s², Σ s n, Σ n²
} gmc_cluster;

/// Take in the trials of one draw.
void gmc_cluster_add(gmc_cluster *cluster, gmc_tally draw);

/// Student's interval alone, without what few successes or failures ask for; two draws at least.
gmc_interval gmc_cluster_student(const gmc_cluster *cluster, double level);

/// Estimate and interval over the draws so far; [0, 1] below two draws.
gmc_estimate gmc_cluster_estimate(const gmc_cluster *cluster, double level);

#endif
