/// Initial value problems y' = f(t, y), stiff ones too, with roots g(t, y) = 0 that stop them: the
/// backward differentiation formulas of CVODE, orders 1 to 5 and steps by its error control, with
/// Newton's method and its dense solver. Numbers only; the one user of SUNDIALS. Source:
/// [hindmarsh2005].
///
/// What is started depends on its problem alone, not on what the integrator solved before. Memory
/// is asked for where the size of a problem differs from that of the one before, never else. CVODE
/// calls pow of the C library, whose last bits differ from processor to processor.
#ifndef GMC_ENGINE_INTEGRATE_ODE_H
#define GMC_ENGINE_INTEGRATE_ODE_H

#include "engine/base/status.h"

#include <stdbool.h>

typedef struct gmc_ode gmc_ode;

typedef struct gmc_ode_problem {
    int size;                          ///< of y, > 0
    int root_count;                    ///< of g
    int *directions;                   ///< (root_count) 1: roots where g grows, -1: where it falls,
                                       ///< 0: both; only read
    const double *absolute, *relative; ///< (size) local error of y[i] stays below
                                       ///< absolute[i] + relative[i] |y[i]|, in the mean over
                                       ///< all; absolute > 0
    /// @param rate  (size) out
    /// @return GMC_OK, GMC_E_DIVERGED (not with this y: a shorter step is tried), others end it
    gmc_status (*rate)(void *context, double t, const double *y, double *rate);
    /// @param g  (root_count) out
    gmc_status (*roots)(void *context, double t, const double *y, double *g);
    void *context;
} gmc_ode_problem;

/// Work since the last start.
typedef struct gmc_ode_counts {
    long steps, iterations; ///< internal steps, iterations of Newton's method
    double last_step;       ///< length of the last internal step [s]
} gmc_ode_counts;

/// @param ode  out: to be given to gmc_ode_free
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ode_create(gmc_ode **ode);

/// Accepts NULL.
void gmc_ode_free(gmc_ode *ode);

/// Begin at (t, y), without a past. Sizes, directions and tolerances are copied; `context` and the
/// functions are the caller's until the next start.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_ode_start(gmc_ode *ode, const gmc_ode_problem *problem, double t,
                                        const double *y);

/// Whether each step from now on has a Jacobian of its own. Else one serves for up to 50 steps, and
/// an iteration with one that was far stiffer hardly moves: where forces have corners it takes
/// whatever was foreseen for a solution, and so does the estimate of its error.
/// @return GMC_OK, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_ode_refresh(gmc_ode *ode, bool is_always);

/// One internal step, of any length but not beyond t_end; it ends earlier at a root.
/// @param t_end    > t by more than rounding; may differ from call to call
/// @param t, y     out: where it ended, and the solution there
/// @param is_root  out: a component of g is zero there
/// @return GMC_OK, GMC_E_INTEGRATOR (its error test or Newton's method fail at the shortest step),
///         or what a function returned
GMC_MUST_CHECK gmc_status gmc_ode_step(gmc_ode *ode, double t_end, double *t, double *y,
                                       bool *is_root);

gmc_ode_counts gmc_ode_counted(const gmc_ode *ode);

#endif
