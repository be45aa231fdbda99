/// A mixture of normal laws of points: shares of components, each with a mean and a covariance.
///
///   q(z) = Σ_k a_k N(z; m_k, S_k)
///
/// Densities are told as ratios to the standard normal one, φ(z) = N(z; 0, I): the weight of a
/// point that is drawn from q in its place is φ/q.
#ifndef GMC_SAMPLING_RANDOM_MIXTURE_H
#define GMC_SAMPLING_RANDOM_MIXTURE_H

#include "engine/base/status.h"
#include "sampling/random/stream.h"

#include <stdbool.h>

typedef struct gmc_mixture {
    int dimensions, count, capacity;
    double *numbers; ///< of each component: a, log a − log det L, m (d), L (d, d): S = L Lᵀ
} gmc_mixture;

/// @param mixture  out: without components; gmc_mixture_free
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_mixture_create(int dimensions, int capacity, gmc_mixture *mixture);

/// Accepts {0}.
void gmc_mixture_free(gmc_mixture *mixture);

/// Add a component behind the others, of which there are fewer than `capacity`.
/// @param share       > 0; all of them together are 1 before the mixture is used
/// @param covariance  (d, d), its lower triangle
/// @return false: the covariance is not positive definite; nothing is added
bool gmc_mixture_add(gmc_mixture *mixture, double share, const double *mean,
                     const double *covariance);

/// Multiply the shares of all components, and their standard deviations in every direction.
void gmc_mixture_scale(gmc_mixture *mixture, double shares, double deviations);

/// @param z  out: (d), from numbers 0 ... d of the stream
void gmc_mixture_draw(const gmc_mixture *mixture, gmc_stream stream, double *z);

/// log q(z)/φ(z).
/// @param room  (count + d) out: first the share of each component in q(z)
double gmc_mixture_log_ratio(const gmc_mixture *mixture, const double *z, double *room);

/// Draws of a mixture.
typedef struct gmc_mixture_draws {
    int count;
    const double *points; ///< (count, d)
    const double *rooms;  ///< (count, components + d) of each as gmc_mixture_log_ratio leaves it
    double *weights;      ///< (count) >= 0, the wanted law over the mixture's; changed
} gmc_mixture_draws;

/// @param room  scratch (d + d²)
/// @param to    created without components, room for as many as `from` has; out: the fit, without
///              components where no draw has a weight
void gmc_mixture_fit(const gmc_mixture *from, gmc_mixture_draws *draws, double *room,
                     gmc_mixture *to);

#endif
