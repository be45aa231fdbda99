/// The interval of a run of one case that stops as soon as it is short enough (`--until
/// half_width<w`). Such a run stops for one reason only, so that its interval need not hold at
/// every look, as a confidence sequence does (anytime.h), and takes a quarter of the trials.
///
///   p̃ = (s + a/2) / (n + a)         Agresti and Coull's centre [agresti1998], a = z²
///   h = z' √(p̃ (1 − p̃) / (n + a))   half width; the run stops at the first look with h < w
///   [p̃ − h, p̃ + h]                  within [0, 1]
///
/// After [frey2010]: with z' = z the level would be missed by up to 1.4 % near some p, because a
/// run whose p̃ happens to be extreme stops early; a z' a little larger mends that, for every p.
/// How much larger follows from w and the level:
///
///   z' = z (1 + (0.023 + w/2) (1.96/z)^2.5)
///
/// fitted so that the coverage by enumeration over the stopping boundary, at the looks of
/// campaign/prefix.h, is at least the level for every p (levels 0.9 to 0.99, w 0.01 to 0.3:
/// test/statistics/test_fixed_width_coverage.c); [frey2010] has tables for single levels and widths
/// instead.
///
/// A run that reaches its last draw before the width prints Clopper and Pearson's interval of all
/// its draws, which holds there too (same test).
///
/// Unsolved trials count as failures for the lower end and as successes for the upper one.
#ifndef GMC_SAMPLING_ESTIMATE_FIXED_WIDTH_H
#define GMC_SAMPLING_ESTIMATE_FIXED_WIDTH_H

#include "sampling/estimate/estimate.h"
#include "sampling/estimate/stop.h"

#include <stdbool.h>

/// Does this rule stop a run of so many cases by the interval above? Several cases keep the
/// confidence sequence: their draws have any distribution, for which nothing can be enumerated. So
/// do levels below 0.9 and above 0.99 and half widths above 0.3, where z' was not fitted: a run at
/// 0.6 or 0.5 would be up to 3.6 % short of its level, one at 0.999 up to 0.6 %.
/// @param level  at which the run stops
bool gmc_fixed_width_is_used(gmc_stop_rule rule, int64_t case_count, double level);

/// z' of the header.
/// @param half_width  w > 0
/// @param level       0 < level < 1
double gmc_fixed_width_z(double half_width, double level);

/// The level of an interval with z' in place of z, for those that are no multiple of z.
double gmc_fixed_width_level(double half_width, double level);

/// Half width h of n trials with so many successes, whole or not; before ends are cut at 0 and 1.
double gmc_fixed_width_half(double successes, double n, double half_width, double level);

/// Is the interval short enough to stop? A function of the counts alone.
bool gmc_fixed_width_is_reached(gmc_tally tally, double half_width, double level);

/// Estimate of a run that stopped, GMC_METHOD_FIXED_WIDTH, or has no draws left,
/// GMC_METHOD_CLOPPER_PEARSON.
gmc_estimate gmc_fixed_width_estimate(gmc_tally tally, double half_width, double level);

#endif
