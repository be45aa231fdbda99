/// Success as a smooth function of numbers that somebody chooses, fitted to designs with a few
/// trials each: a Gaussian process [rasmussen2006, §2.2].
///
///   y_i = 2 asin √((k_i + 3/8)/(m_i + 3/4))       k_i of m_i trials succeed: variance 1/m_i,
///                                                 whatever the probability [anscombe1948]
///   y_i = f(x_i) + b_(r_i) + e_i                  b: common to the designs of round r, which meet
///                                                 the same chance; variance ρ/m_i,
///                                                 e: (1 − ρ)/m_i + q², what is too rough for f
///   cov(f(x), f(x')) = c² + s² exp(−½ Σ_j ((x_j − x'_j)/l_j)²)
///
/// c is large: nothing is known about the height of the surface. Lengths l, the spread s, ρ and q
/// are the most likely ones, with a lognormal prior on every length, found coordinate by coordinate
/// on a grid, each change tried in turn until none helps. The surface is a model: what it says
/// about designs that were not run is as good as that model is.
#ifndef GMC_SAMPLING_EXPLAIN_SURFACE_H
#define GMC_SAMPLING_EXPLAIN_SURFACE_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/// Most numbers that a surface is over.
enum { GMC_SURFACE_INPUTS_MAX = 16 };

typedef struct gmc_surface_rows {
    int count;           ///< designs, >= 1
    int inputs;          ///< 1 <= inputs <= GMC_SURFACE_INPUTS_MAX
    const double *x;     ///< (count, inputs) in [0, 1]
    const int *round;    ///< (count)
    const double *wins;  ///< (count) k: trials that succeeded
    const double *runs;  ///< (count) m >= 1
    const bool *is_idle; ///< (inputs) nothing depends on it; NULL: none. Not kept
} gmc_surface_rows;

typedef struct gmc_surface gmc_surface;

/// @param rows  outlive the surface
/// @return GMC_OK, GMC_E_MEMORY; *surface is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_surface_create(const gmc_surface_rows *rows, gmc_surface **surface);

/// Accepts NULL.
void gmc_surface_free(gmc_surface *surface);

/// Length of an input, in widths of its range; infinite if it is idle.
double gmc_surface_length(const gmc_surface *surface, int input);

/// Expected f at x. @param x  (inputs)
double gmc_surface_mean(const gmc_surface *surface, const double *x);

/// The success probability that a value of f is.
double gmc_surface_share(double f);

/// Points at which the surface is looked at together: means and, as more becomes known, variances.
typedef struct gmc_surface_cloud gmc_surface_cloud;

/// @param x  (count, inputs) outlives the cloud, as the surface does
/// @return GMC_OK, GMC_E_MEMORY; *cloud is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_surface_look(const gmc_surface *surface, const double *x, int count,
                                           gmc_surface_cloud **cloud);

/// Accepts NULL.
void gmc_surface_cloud_free(gmc_surface_cloud *cloud);

double gmc_surface_cloud_mean(const gmc_surface_cloud *cloud, int point);
double gmc_surface_cloud_variance(const gmc_surface_cloud *cloud, int point);

/// As if f were measured at a point with an error of this variance: variances shrink, means do not
/// move. [desautels2014]
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_surface_cloud_measure(gmc_surface_cloud *cloud, int point,
                                                    double variance);

#endif
