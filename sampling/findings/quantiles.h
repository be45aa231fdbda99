/// Quantiles of a number that trials measure, with intervals, and tolerance limits: below which a
/// share of all grasps lies, how sure.
///
/// A quantile q of p is where P(X < q) <= p <= P(X <= q), so whatever says how large a share may be
/// says where the quantile may lie:
///
///   [ least x with upper(x) >= p,  least x with lower(x) > p ]        x: numbers that were found
///
/// upper(x) and lower(x) are the ends of the interval of the share of trials with X <= x
/// [woodruff1952]. It is that of the run's design (summary.h): over draws that cases share, over
/// randomisations, with weights, or a confidence sequence where the run could stop. For independent
/// trials it is Clopper and Pearson's, and the ends are order statistics: they hold the quantile
/// with at least the stated probability whatever the law of X, ties or not. Of independent cases
/// with one number of draws each the count below q varies less than a binomial one [hoeffding1956].
///
/// A tolerance limit is the end of the same interval with all that is left on one side: p of all
/// trials are at most `at_most`, sure by the level [wilks1941].
///
/// Of a trial that was cut short only a range is known, of an unsolved one nothing. Its number
/// counts as the least of the range for lower ends, and as the largest for upper ones, so that they
/// hold whatever it is.
#ifndef GMC_SAMPLING_FINDINGS_QUANTILES_H
#define GMC_SAMPLING_FINDINGS_QUANTILES_H

#include "sampling/campaign/trial.h"
#include "sampling/estimate/estimate.h"
#include "sampling/store/plan.h"

#include <math.h>

/// Infinite: it may be anything on that side. All NaN: no trial has the number.
typedef struct gmc_quantile {
    double lowest, highest; ///< the trials' own, had all open numbers been the least, the largest
                            ///< that they may be: equal where it is known
    gmc_interval interval;  ///< of the quantile
    double at_least;        ///< 1 - p of all trials have at least this, sure by the level
    double at_most;         ///< p of all trials have at most this, likewise
} gmc_quantile;

typedef struct gmc_quantiles_group {
    int64_t trials;    ///< that have the number, or may have it
    int64_t open;      ///< of these: it is not known, for they were cut short or are unsolved
    int64_t absent;    ///< that have no such number, or are not meant
    gmc_method method; ///< of the intervals; GMC_METHOD_CLOPPER_PEARSON: by order statistics
    int64_t draws;     ///< of GMC_METHOD_DRAWS
} gmc_quantiles_group;

/// Of a run that chose its trials by what others found there is no such answer
/// (gmc_store_plan_is_sparse).
typedef struct gmc_quantiles gmc_quantiles;

/// @param plan  of the run, which fits; outlives the answer
/// @return GMC_OK, GMC_E_MEMORY (*quantiles is then NULL)
GMC_MUST_CHECK gmc_status gmc_quantiles_create(const gmc_store_plan *plan,
                                               gmc_quantiles **quantiles);

/// Accepts NULL.
void gmc_quantiles_free(gmc_quantiles *quantiles);

/// Take in the next trial of the run, in order of their numbers.
/// @param range  what is known of its number; NaN, NaN: it has none, or is not meant
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_quantiles_add(gmc_quantiles *quantiles, const gmc_trial *trial,
                                            gmc_interval range);

/// After the last trial: quantiles of one case.
/// @param case_index  -1: of all together
/// @param p           (count) each between 0 and 1
/// @param group       out: what they are of
/// @param found       out: (count)
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_quantiles_of(const gmc_quantiles *quantiles, int case_index,
                                           const double *p, int count, gmc_quantiles_group *group,
                                           gmc_quantile *found);

/// Independent trials, all of them known, that make a tolerance limit: the largest, or the least,
/// of them is one for a share of max(p, 1 - p). 59 for 0.95 and a level of 0.95.
static inline int64_t gmc_quantiles_needed(double p, double level)
{
    double share = fmax(p, 1 - p), none = 1;
    int64_t count = 0;
    for (; none > 1 - level; count++)
        none *= share;
    return count;
}

#endif
