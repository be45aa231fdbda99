#include "engine/complementarity/dual_prox.h"

#include <string.h>

// Tried and rejected: going back to the last good iterate after a failed Newton run (it then fails
// again from the same place; three problems of the PrimitiveSoup family never end), a floor under α
// after failures (linear convergence to the end: 60 % more iterations on rigid grasps).

static const double INNER = 0.1;          ///< inner tolerance per outer residual
static const double INNER_MIN = 1e-14;    ///< which rounding can still reach
static const double GROWTH = 10;          ///< of α after a failed run
static const double SOFTNESS_MIN = 1e-12; ///< of α: W + α stays regular in double precision

gmc_dual_prox_options gmc_dual_prox_defaults(double tolerance)
{
    return (gmc_dual_prox_options){.tolerance = tolerance,
                                   .iteration_max = 600,
                                   .stage_max = 10,
                                   .failure_max = 600,
                                   .softness = 0.01};
}

gmc_status gmc_dual_prox_run(gmc_dual_newton *newton, const gmc_dual_prox_options *options,
                             double *x, gmc_arena *room, gmc_dual_prox_result *result)
{
    const gmc_dual *normal = newton->system.normal;
    size_t mark = gmc_arena_mark(room), size = 3 * (size_t)normal->unit_count;
    size_t bytes = size * sizeof(double);
    double *w = GMC_NEW(room, 3 * size, double);
    *result = (gmc_dual_prox_result){.residual = NAN};
    if (!w) return GMC_E_ARENA_FULL;
    double *at = w + size, *centre = at + size;

    memcpy(at, x, bytes);
    gmc_dual_answer(normal, at, w);
    double residual = gmc_dual_defect(normal, at, w), alpha = options->softness * residual;
    result->residual = residual;
    while (!(result->residual <= options->tolerance) && residual < HUGE_VAL &&
           result->iterations < options->iteration_max &&
           result->failures <= options->failure_max) {
        int left = options->iteration_max - result->iterations;
        gmc_dual_newton_options inner = {.iteration_max =
                                             left < options->stage_max ? left : options->stage_max,
                                         .tolerance = fmax(INNER * residual, INNER_MIN),
                                         .softness = fmax(alpha, SOFTNESS_MIN)};
        gmc_dual_newton_result run;
        memcpy(centre, at, bytes);
        gmc_status status = gmc_dual_newton_run(newton, &inner, centre, at, w, &run);
        result->stages++;
        result->iterations += run.iterations;
        gmc_dual_answer(normal, at, w);
        residual = gmc_dual_defect(normal, at, w);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(x, at, bytes);
        }
        if (status != GMC_OK) {
            result->failures++;
            alpha = fmax(alpha, SOFTNESS_MIN) * GROWTH;
        } else {
            alpha = options->softness * residual;
        }
        // nothing moved: no further stage would do more
        if (run.iterations == 0) break;
    }
    gmc_arena_reset(room, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}

gmc_status gmc_dual_prox_solve(const gmc_dual *normal, const gmc_dual_prox_options *options,
                               double *x, gmc_arena *scratch, gmc_dual_prox_result *result)
{
    size_t mark = gmc_arena_mark(scratch);
    gmc_dual_newton newton;
    *result = (gmc_dual_prox_result){.residual = NAN};
    gmc_status status = gmc_dual_newton_create(normal, scratch, &newton);
    if (status == GMC_OK) status = gmc_dual_prox_run(&newton, options, x, scratch, result);
    gmc_arena_reset(scratch, mark);
    return status;
}
