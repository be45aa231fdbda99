/// A smooth function of a draw's inputs and of a case's decisions, fitted to the outcomes of
/// trials: kernel ridge regression [rasmussen2006, §2.2, §8.3.4] on up to 200 of them, with a
/// length for every input and decision, cut at 0 and 1:
///
///   m(x, a) = ȳ + Σ_l w_l exp(−Σ_j r_j (x_j − x_lj)² − Σ_k s_k (a_k − a_lk)²)
///
/// Rates r, s (0: it does not matter) and the ridge are those with the least mean square of what
/// trials are missed by that are left out of the fit, a fifth of the draws at a time, found
/// coordinate by coordinate on some of the trials.
#ifndef GMC_SAMPLING_EXPLAIN_SMOOTH_H
#define GMC_SAMPLING_EXPLAIN_SMOOTH_H

#include "engine/base/status.h"

#include <stdint.h>

/// Trials of `cases` cases on common draws. Inputs and decisions are of about unit spread.
typedef struct gmc_smooth_rows {
    int64_t draws;
    int cases;       ///< >= 1
    int inputs;      ///< of a draw, >= 1
    int decisions;   ///< of a case, >= 0
    const double *x; ///< (draws, inputs) finite
    const double *a; ///< (cases, decisions) finite
    const double *y; ///< (draws, cases) in [0, 1]
} gmc_smooth_rows;

typedef struct gmc_smooth gmc_smooth;

/// Room for fits to rows of such a shape.
/// @param shape  its draws are the most that come; x and y are not looked at, `a` outlives the
///               function
/// @return GMC_OK, GMC_E_MEMORY; *smooth is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_smooth_create(const gmc_smooth_rows *shape, gmc_smooth **smooth);

/// Accepts NULL.
void gmc_smooth_free(gmc_smooth *smooth);

/// Fit it to these rows, at least 10 draws, of the shape it was created for. Where no function is
/// better than the mean, it is the mean.
void gmc_smooth_fit(gmc_smooth *smooth, const gmc_smooth_rows *rows);

/// m of a draw in all cases.
/// @param values  out: (cases)
void gmc_smooth_values(gmc_smooth *smooth, const double *x, double *values);

#endif
