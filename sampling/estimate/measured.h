/// What the measurements behind inputs leave open: success under the laws that they do not rule
/// out.
///
/// A draw takes a row of a file (`samples`), or a value of the law that measurements leave of the
/// next one (`fit`, fit.h). More draws tell ever better what success is for these rows; what it is
/// for the law that they come from, the rows alone decide. So the same draws are weighed anew,
/// under GMC_MEASURED_LAWS laws k each of which the measurements may have come from:
///
///   rows     a row has the weight E_rk, exponential with mean 1 (Bayesian bootstrap [rubin1981]).
///            Of the law's probability the share 1 − (1 − u_k)^(1/m) belongs to what none of the m
///            rows shows: it fails for the lower end, and succeeds for the upper one
///   fit      a value x has the weight f(x | μ_k, σ_k)/q(x), q the law it was drawn from and
///            σ_k² = (m − 1) s²/χ², μ_k = x̄ + z σ_k/√m [gelman2013, §3.2]
///
/// A draw's weight w is the product over its inputs, and success under law k is
///
///   p_k = (seen share)_k · Σ w y / Σ w                                   y: success of the draw
///
/// The interval goes from the (1 − level)/2 quantile of p_k with the unseen as failures to that of
/// the other side with the unseen as successes. For one file and rows that either always or never
/// succeed its ends are Clopper and Pearson's for the share of rows, for others it is the interval
/// of a bounded mean of [learned2020]. Draws of one row differ in the rest of their chance: rows
/// are drawn whole, so their scatter is in the weights. Without a file of rows it is put into p_k:
/// there each Σ w y / Σ w is moved to where Clopper and Pearson's (Wilson's, from 55 on) end of a
/// level drawn for it is, at the effective size p (1 − p)/Var(p) [korn1998], no more than
/// (Σ w)² / Σ w².
///
/// For a success that rises with a normal or lognormal input the interval of a fit is exact but for
/// the chance of trials: with many of them its ends are those of the noncentral t law, to 0.003 (14
/// or 50 measurements, a success of 0.84). With few the trials' chance widens it, and lies in where
/// it stands as well: an end may be inside of that law's where trials were lucky, it is outside on
/// average. For others it is a credible interval.
#ifndef GMC_SAMPLING_ESTIMATE_MEASURED_H
#define GMC_SAMPLING_ESTIMATE_MEASURED_H

#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/// Laws: of 1000 the twenty-fourth and its counterpart are the ends of 95 %.
enum { GMC_MEASURED_LAWS = 1000 };

/// Effective draws of a law that make its success known, as GMC_WEIGHTED_LEAST.
enum { GMC_MEASURED_LEAST = 20 };

/// What a draw takes from measurements.
typedef struct gmc_measured_input {
    const gmc_distribution *law; ///< EMPIRICAL: a row of a file; STUDENT, LOG_STUDENT: of a fit
    uint64_t name_hash;          ///< its laws' own chance: those of two inputs are independent
} gmc_measured_input;

/// Is it such a law?
static inline bool gmc_measured_is_law(const gmc_distribution *law)
{
    return law->type == GMC_DISTRIBUTION_EMPIRICAL || law->type == GMC_DISTRIBUTION_STUDENT ||
           law->type == GMC_DISTRIBUTION_LOG_STUDENT;
}

/// Measurements behind it.
int gmc_measured_count(const gmc_distribution *law);

/// The laws, which depend on the measurements alone.
typedef struct gmc_measured gmc_measured;

/// @param inputs  (count >= 1), checked; the laws they point at outlive the result
/// @return GMC_OK, GMC_E_MEMORY; gmc_measured_free in every case (NULL is fine)
GMC_MUST_CHECK gmc_status gmc_measured_create(const gmc_measured_input *inputs, int count,
                                              gmc_measured **measured);
void gmc_measured_free(gmc_measured *measured);

/// Weights of a draw under all laws; of use until the next call.
/// @param at  (count) the row, or the value, of each input
/// @return (GMC_MEASURED_LAWS)
const double *gmc_measured_weigh(gmc_measured *measured, const double *at);

/// What draws came to under all laws.
typedef struct gmc_measured_sums {
    int64_t draws;
    bool has_unknown; ///< the two ends differ
    double *memory;   ///< owned
} gmc_measured_sums;

/// @return GMC_OK, GMC_E_MEMORY; gmc_measured_sums_free in every case
GMC_MUST_CHECK gmc_status gmc_measured_sums_create(gmc_measured_sums *sums);
void gmc_measured_sums_free(gmc_measured_sums *sums);

/// What a draw's trials came to.
typedef struct gmc_measured_trials {
    double failing; ///< share of them that failed,
    double unknown; ///< and that had no verdict: failures for the lower end, successes for the
                    ///< upper one
} gmc_measured_trials;

/// @param weights  of gmc_measured_weigh
/// @param count    draws that are the same in all this
void gmc_measured_add(gmc_measured_sums *sums, const double *weights, gmc_measured_trials trials,
                      int64_t count);

typedef struct gmc_measured_answer {
    gmc_interval interval; ///< of success
    double effective;      ///< draws: 19 of 20 laws of a fit rest on as many or more. Below
                           ///< GMC_MEASURED_LEAST the interval is [0, 1]. Without a fit all draws
} gmc_measured_answer;

/// @param level  0 < level < 1; laws are too few for one above 0.998, and it is [0, 1]
/// @return [0, 1] without draws
gmc_measured_answer gmc_measured_interval(const gmc_measured *measured,
                                          const gmc_measured_sums *sums, double level);

#endif
