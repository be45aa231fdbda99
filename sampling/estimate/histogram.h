/// Success over one or two quantities: trials sorted into bins, and per bin the count of each
/// outcome class and the success probability with its interval.
///
/// Bins are [e_i, e_{i+1}), the last one closed; values outside the edges and NaN are counted apart
/// and are in no bin. Intervals: Wilson for one case and for `independent` studies, else t over the
/// draws that have a trial in the bin (cluster.h), complete draws only. Each interval has its level
/// on its own: among 20 bins at 95 %, expect one to miss.
#ifndef GMC_SAMPLING_ESTIMATE_HISTOGRAM_H
#define GMC_SAMPLING_ESTIMATE_HISTOGRAM_H

#include "engine/base/status.h"
#include "sampling/estimate/cluster.h"

#include <stdbool.h>
#include <stdint.h>

enum { GMC_HISTOGRAM_BINS_MAX = 1000000 }; // of a whole histogram: 100 MB

typedef struct gmc_histogram_axis {
    int bins;
    double *edges;                ///< (bins + 1), finite, strictly increasing
    int64_t below, above, absent; ///< trials under the first edge, over the last, NaN
} gmc_histogram_axis;

/// Owns its memory. Zero-initialised means empty.
typedef struct gmc_histogram {
    int dimensions; ///< 1 or 2
    gmc_histogram_axis axis[2];
    int bin_count;       ///< bins[0] * bins[1]; bin = i * bins[1] + j
    int class_count;     ///< outcome classes
    int64_t *classes;    ///< (bin_count, class_count) trials, incomplete draws included
    gmc_cluster *bins;   ///< (bin_count) what the estimates are made of
    int64_t trial_count; ///< all trials taken in, those outside included

    int64_t case_count;
    bool is_shared;      ///< several cases on common draws
    uint64_t draw;       ///< of the trials that came last,
    int64_t draw_trials; ///< how many of them there were,
    gmc_tally *pending;  ///< (bin_count) what they said,
    int *touched;        ///< (case_count) and in which bins; NULL unless is_shared
    int touched_count;
    int64_t left_out;    ///< trials of earlier draws that stayed incomplete
    gmc_tally *replicas; ///< (bin_count, replica_count); NULL: the design has no randomisations
    int replica_count;
} gmc_histogram;

/// Equidistant edges from lower to upper, both hit exactly; lower = upper (a constant parameter) is
/// widened by 1 % of its size, by 0.5 at 0.
/// @param  edges  out: (bins + 1)
void gmc_histogram_edges(double lower, double upper, int bins, double *edges);

/// What a histogram is over, and of which run.
typedef struct gmc_histogram_shape {
    int dimensions;         ///< axes, 1 or 2
    int bins[2];            ///< of each axis; bins[1] is not read if dimensions is 1
    const double *edges[2]; ///< (bins + 1) of each axis, in its own unit; as bins
    int class_count;        ///< outcome classes, >= 1
    int64_t case_count;     ///< cases of the run, >= 1
    bool is_independent;    ///< cases do not share draws
    int replica_count;      ///< draw d belongs to randomisation d mod this of a design, for
                            ///< GMC_METHOD_REPLICAS; 0: it has none
} gmc_histogram_shape;

/// An empty histogram over one or two axes.
/// @param  shape  copied with the edges
/// @return GMC_OK, GMC_E_INPUT (edges not finite and strictly increasing, a bin count below 1),
///         GMC_E_LIMIT (more than GMC_HISTOGRAM_BINS_MAX bins), GMC_E_MEMORY; empty unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_histogram_create(gmc_histogram *h, const gmc_histogram_shape *shape);

/// Take in the next trial; all trials of a run must be handed in, draw by draw as in pooled.h.
/// @param  value        (dimensions); NaN: the quantity does not exist in this trial
/// @param  class_index  0 <= class_index < class_count
void gmc_histogram_add(gmc_histogram *h, uint64_t draw, const double *value, int class_index,
                       gmc_verdict verdict);

/// The next trial is there, but not meant: it is in no bin and not outside either.
void gmc_histogram_pass(gmc_histogram *h, uint64_t draw);

/// Close the last draw; to be called once, after the last trial and before any estimate.
void gmc_histogram_finish(gmc_histogram *h);

/// Bin of a value on an axis: −1 below, `bins` above, −2 for NaN.
int gmc_histogram_bin(const gmc_histogram_axis *axis, double value);

/// Success probability of a bin; p is NaN and the interval [0, 1] if it has no decided trial.
/// @param  method  of the interval where trials are independent
gmc_estimate gmc_histogram_estimate(const gmc_histogram *h, int bin, double level,
                                    gmc_method method);

/// Name of the method behind the bins of a histogram, which have one of a kind: "Wilson or exact"
/// (each bin as its counts ask for), else that of gmc_estimate_method_name.
const char *gmc_histogram_method_name(gmc_method method);

/// Trials of one outcome class in a bin.
int64_t gmc_histogram_class(const gmc_histogram *h, int bin, int class_index);

void gmc_histogram_free(gmc_histogram *h);

#endif
