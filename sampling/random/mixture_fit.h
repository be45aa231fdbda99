/// A mixture made more like a law that can be weighed but not drawn from: one step of population
/// Monte Carlo [cappe2008]. Weighted draws of the mixture are dealt out to its components, each by
/// its part in the density there, and each component becomes the normal law of what it was dealt:
///
///   a_k = Σ_i w_i r_ik,   m_k = Σ_i w_i r_ik z_i/a_k,
///   S_k = Σ_i w_i r_ik (z_i − m_k)(z_i − m_k)ᵀ/a_k
///
/// Departs from it: S_k is that of as many draws as its weights are worth, (Σ w r)²/Σ (w r)², and
/// of d + 2 more that are standard normal, so that few draws do not make it flat; and no weight
/// counts for more than 1/√n of all.
#ifndef GMC_SAMPLING_RANDOM_MIXTURE_FIT_H
#define GMC_SAMPLING_RANDOM_MIXTURE_FIT_H

#include "sampling/random/mixture.h"

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
