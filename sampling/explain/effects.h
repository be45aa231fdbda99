/// Elementary effects [morris1991]: by how much an outcome changes when one input moves by Δ, over
/// Δ, at points all over the space (design/morris.h).
///
///   mu*     mean of |effect|: how much the input matters [campolongo2007]
///   mu      mean of the effect: in which direction
///   sigma   standard deviation of the effect: how far that depends on the other inputs, or on
///           where the input itself is
///
/// Trajectories are independent, so are the effects of one input. Intervals: where the outcome is 0
/// or 1, mu* Δ is the probability that the move changes it, with Clopper-Pearson's interval, mu Δ
/// the difference of the probabilities of a change up and of one down, with Tango's (difference.h),
/// and sigma follows from those of either. (Student's for mu had no length where no trial
/// succeeded, and so held 0.067 in 0.59 of 400 with 16 effects each.) Else Student's for the means,
/// and for the logarithm of sigma with the variance of a variance from the fourth moment. Where
/// fewer than five effects are not 0, intervals are widened to [0, bound] from Clopper-Pearson's
/// bound on the share of those and the span of the outcome; flagged. Student's of few and skewed
/// effects is too short (a⁶ b⁶, 16 effects each: mu* held in 0.76 to 0.80 of 400): Cochran's rule
/// says of which, of their sizes or of themselves (gmc_tail).
#ifndef GMC_SAMPLING_EXPLAIN_EFFECTS_H
#define GMC_SAMPLING_EXPLAIN_EFFECTS_H

#include "sampling/explain/indices.h"

typedef struct gmc_effects {
    gmc_index size;   ///< mu*
    gmc_index mean;   ///< mu
    gmc_index spread; ///< sigma
    int64_t count;    ///< effects behind them
    int64_t changing; ///< of these: not 0
    bool is_skewed;   ///< so few and skewed that intervals may be too short
} gmc_effects;

/// What is known of the effects of one input; a bound of nothing known is infinite.
/// @param effects    (count) outcome differences over Δ, in the unit of the outcome
/// @param span       largest minus smallest outcome; not looked at where they are 0 or 1
/// @param is_binary  outcomes are 0 or 1
/// @param step       Δ
gmc_effects gmc_effects_of(const double *effects, int64_t count, double span, bool is_binary,
                           double step, double level);

#endif
