/// A success probability as it is stored and printed: never without its interval, the method behind
/// it and the counts.
#ifndef GMC_SAMPLING_ESTIMATE_ESTIMATE_H
#define GMC_SAMPLING_ESTIMATE_ESTIMATE_H

#include "sampling/estimate/proportion.h"
#include "sampling/estimate/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where an interval comes from. The names of gmc_estimate_method_name are stored in files.
typedef enum gmc_method {
    GMC_METHOD_WILSON,          ///< independent trials
    GMC_METHOD_CLOPPER_PEARSON, ///< independent trials, coverage guaranteed
    GMC_METHOD_DRAWS,           ///< cases share their draws: Korn and Graubard, cluster.h
    GMC_METHOD_ANYTIME,         ///< the run stopped because of what it saw: anytime.h
    GMC_METHOD_REPLICAS,        ///< independent randomisations of a design: cluster.h
    GMC_METHOD_WEIGHTED,        ///< draws from other distributions than the true ones: weighted.h
    GMC_METHOD_SUBSET,          ///< subset simulation, over its runs: design/subset.h
    GMC_METHOD_AIMED,           ///< importance draws behind it: design/subset.h
    GMC_METHOD_TWO_LEVEL,       ///< cheap draws and pairs: two_level.h
    GMC_METHOD_FIXED_WIDTH,     ///< the run stopped as the interval was short: fixed_width.h
    GMC_METHOD_COUNT
} gmc_method;

typedef struct gmc_estimate {
    double p;            ///< successes over decided trials; NaN if none is decided
    double lower, upper; ///< interval, whatever the unsolved trials are: the lower end as if all
                         ///< had failed, the upper one as if all had succeeded; [0, 1] if nothing
                         ///< can be said
    double level;        ///< coverage asked for, 0.95
    gmc_method method;
    gmc_tally tally; ///< the trials behind p
    double unsolved_lower,
        unsolved_upper; ///< p had all unsolved trials failed, succeeded
    double sampling_lower,
        sampling_upper; ///< interval of the decided trials alone, read by gmc_estimate_sampling;
                        ///< 0, 0: the method does not tell it apart
    int64_t draws;      ///< GMC_METHOD_DRAWS: draws behind the interval
    int64_t left_out;   ///< trials of draws that are not complete, not in the tally
    double effective; ///< GMC_METHOD_WEIGHTED: draws that would tell as much; too few of them, and
                      ///< the interval is [0, 1]
    bool is_widened;  ///< few draws with a success, or with a failure: the interval of the method
                      ///< alone would be too short, see weighted.h, subset.h
    bool has_step;    ///< the interval holds what is known of the step, step_shift.h
    bool is_step_cut; ///< ... or a part of it
    bool has_early;   ///< and how often early verdicts may be wrong
} gmc_estimate;

/// Longest text of gmc_estimate_text, with the closing zero.
enum { GMC_ESTIMATE_TEXT_MAX = 384 };

/// Estimate from independent trials.
/// @param  method  GMC_METHOD_WILSON, which becomes GMC_METHOD_CLOPPER_PEARSON where decided
///                 successes or failures are few (GMC_PROPORTION_FEW), that one, or
///                 GMC_METHOD_ANYTIME
gmc_estimate gmc_estimate_of(gmc_tally tally, double level, gmc_method method);

/// The interval that the decided trials alone would give; [lower, upper] where the method does not
/// tell it apart.
gmc_interval gmc_estimate_sampling(const gmc_estimate *estimate);

/// "Wilson", "Clopper-Pearson", "KG over draws", "confidence seq", "KG of replicas",
/// "weighted", "subset runs", "aimed draws", "two levels", "fixed width".
const char *gmc_estimate_method_name(gmc_method method);

/// One line without line end, the same wherever an estimate is shown:
///
///   0.934 [0.928, 0.939] 95 % Wilson, 9340 of 10000; 12 unsolved: 0.933 ... 0.934,
///                                                    sampling alone [0.929, 0.939]
///   0.725 [0.697, 0.753] 95 % Wilson with step, 725 of 1000
///   0.512 [0.480, 0.544] 95 % Korn-Graubard over 100 draws, 22579 of 44100
///   0.9987 [0.9979, 0.9992] 95 % weighted, 1203 of 2000; effective 412 of 2000 draws
///   1 [0.99954, 1] 95 % subset simulation, 8 runs, of which none found a failure
///   no trial decided; 12 unsolved: 0 ... 1
///   not told, see below                         p is NaN, of subset simulation: refused
///
/// Decimals: three, and more until the half width has a digit and a p between 0 and 1 does not read
/// as either; ends are rounded to nearest. A bare 0 or 1 is exact.
/// @param  text  at least GMC_ESTIMATE_TEXT_MAX bytes
/// @return       text
char *gmc_estimate_text(const gmc_estimate *estimate, char *text);

/// Success where some trials are open: cut short before what is asked for could be known. They are
/// not missing at random, so that the share among the others says nothing; what there is to say are
/// the two ends.
typedef struct gmc_estimate_range {
    gmc_estimate lowest;  ///< as if all open trials had failed: its `lower` is where the range ends
    gmc_estimate highest; ///< as if all had succeeded: its `upper`
    int64_t open;         ///< how many; 0: they are not counted
} gmc_estimate_range;

/// One line, as gmc_estimate_text: from end to end, then the interval of both ends together.
///
///   between 0.744 and 0.989 [0.724, 0.993] 95 % Wilson and Clopper-Pearson,
///                                          1488 to 1977 of 2000: 489 open
///
/// @param  text  at least GMC_ESTIMATE_TEXT_MAX bytes
/// @return       text
char *gmc_estimate_range_text(const gmc_estimate_range *range, char *text);
/// Its beginning alone: "0.934 [0.929, 0.939]".
char *gmc_estimate_numbers(const gmc_estimate *estimate, char *text);

#endif
