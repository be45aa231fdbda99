/// A smooth function through numbers at scattered places: cubes of distances and a plane.
///
///   s(x) = a + b·x + Σ_l w_l |x − x_l|³,     Σ_l w_l = 0,  Σ_l w_l x_l = 0
///
/// Of all functions with these values it bends least [duchon1977]; it has no length to be chosen,
/// and far from all places it goes on nearly straight. With a ridge r it misses each value by r w_l
/// and bends less: for numbers that are not smooth.
#ifndef GMC_SAMPLING_EXPLAIN_SPLINE_H
#define GMC_SAMPLING_EXPLAIN_SPLINE_H

#include "engine/base/status.h"

/// Values at places.
typedef struct gmc_spline_rows {
    int count;
    int inputs;
    const double *x; ///< (count, inputs) finite
    const double *y; ///< (count) finite
} gmc_spline_rows;

typedef struct gmc_spline {
    int count, inputs;
    double *numbers; ///< places (count, inputs), then w (count), a, b (inputs)
} gmc_spline;

/// Places that a fit needs: more than determine the plane, twice over.
int gmc_spline_least(int inputs);

/// @param ridge   r of the header, >= 0 [x³]
/// @param spline  out: gmc_spline_free; {0} unless GMC_OK
/// @return GMC_OK; GMC_E_NO_SOLUTION: too few places, or they do not tell a plane apart;
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_spline_fit(const gmc_spline_rows *rows, double ridge,
                                         gmc_spline *spline);

double gmc_spline_at(const gmc_spline *spline, const double *x);

/// Accepts {0}.
void gmc_spline_free(gmc_spline *spline);

#endif
