#include "engine/complementarity/dual_ladder.h"

#include "engine/base/check.h"
#include "engine/complementarity/admm.h"
#include "engine/complementarity/dual_prox.h"
#include "engine/complementarity/interior.h"
#include "engine/complementarity/nsgs.h"

#include <string.h>

// W is factored once for all rungs. The numbers are of the problems that dual_ladder.h names and of
// 20 perturbed copies of each (bench_fclib --perturb): a first prox that is given up at its second
// failed Newton run saves most on rigid grasps (median 80 -> 60 us) and costs nothing elsewhere.

enum {
    FIRST_FAILURES = 1, ///< failed Newton runs before rung 2 gets its turn
    FIRST_ITERATIONS = 100,
    INTERIOR_ITERATIONS = 40, ///< twice what it takes where it works
    FINISH_ITERATIONS = 60,   ///< of a proximal sequence that starts near a solution
    PATIENT_ITERATIONS = 400,
    ADMM_ITERATIONS = 1000,
    SWEEPS = 500,
    LAST_ITERATIONS = 1000, ///< of each sequence of the last rung
};

/// The last rung: proximal sequences that differ in σ and in the length of their Newton runs. On
/// the hardest problems the residual creeps until a Newton run happens on the right active set;
/// which sequence is the lucky one differs from problem to problem.
static const struct {
    double softness;
    int stage_max;
    bool is_cold; ///< from zero, else from the best iterate
} LAST[] = {{0.01, 5, true}, {0.1, 5, false}, {0.1, 10, true}, {0.001, 10, false}};

typedef struct ladder {
    const gmc_dual *normal;
    double tolerance;
    gmc_dual_newton newton;
    gmc_arena *scratch;
    gmc_dual_ladder_report *report;
    double *best;  ///< (3 per unit) the caller's x
    double *first; ///< where rung 1 stopped
    double *trial;
} ladder;

static size_t bytes_of(const ladder *l)
{
    return 3 * (size_t)l->normal->unit_count * sizeof(double);
}

/// Keep the better of what there is and `x`. GMC_E_NO_SOLUTION is not a failure yet.
static gmc_status keep(ladder *l, gmc_status status, const double *x, double residual,
                       int iterations)
{
    l->report->iterations += iterations;
    if (status == GMC_E_ARENA_FULL) return status;
    if (!(residual >= l->report->residual)) {
        l->report->residual = residual;
        memcpy(l->best, x, bytes_of(l));
    }
    return GMC_OK;
}

static gmc_status run_prox(ladder *l, const gmc_dual_prox_options *options, double *x)
{
    gmc_dual_prox_result result;
    gmc_status status = gmc_dual_prox_run(&l->newton, options, x, l->scratch, &result);
    return keep(l, status, x, result.residual, result.iterations);
}

/// A proximal sequence of the usual kind.
static gmc_status run_usual(ladder *l, int iterations, int failures, double *x)
{
    gmc_dual_prox_options options = gmc_dual_prox_defaults(l->tolerance);
    options.iteration_max = iterations;
    options.failure_max = failures;
    return run_prox(l, &options, x);
}

static gmc_status run_interior(ladder *l)
{
    gmc_interior_options options = {l->tolerance, INTERIOR_ITERATIONS};
    gmc_interior_result result;
    gmc_status status =
        gmc_interior_run(&l->newton.system, &options, l->trial, l->scratch, &result);
    return keep(l, status, l->trial, result.residual, result.iterations);
}

static gmc_status run_admm(ladder *l)
{
    gmc_admm_options options = gmc_admm_defaults(l->tolerance);
    gmc_admm_result result;
    options.iteration_max = ADMM_ITERATIONS;
    memcpy(l->trial, l->best, bytes_of(l));
    gmc_status status = gmc_admm_run(&l->newton.system, &options, l->trial, l->scratch, &result);
    GMC_TRY(keep(l, status, l->trial, result.residual, result.iterations));
    return run_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
}

static gmc_status run_sweeps(ladder *l)
{
    gmc_nsgs_options options = {SWEEPS, true, l->tolerance};
    gmc_nsgs_result result;
    memset(l->trial, 0, bytes_of(l));
    gmc_status status = gmc_nsgs_run(l->normal, &options, l->trial, l->scratch, &result);
    GMC_TRY(keep(l, status, l->trial, result.residual, result.sweeps));
    return run_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
}

static gmc_status run_last(ladder *l)
{
    for (int i = 0; i < GMC_COUNT(LAST) && !(l->report->residual <= l->tolerance); i++) {
        gmc_dual_prox_options options = gmc_dual_prox_defaults(l->tolerance);
        options.iteration_max = options.failure_max = LAST_ITERATIONS;
        options.softness = LAST[i].softness;
        options.stage_max = LAST[i].stage_max;
        if (LAST[i].is_cold)
            memset(l->trial, 0, bytes_of(l));
        else
            memcpy(l->trial, l->best, bytes_of(l));
        GMC_TRY(run_prox(l, &options, l->trial));
    }
    return GMC_OK;
}

static gmc_status climb_rung(ladder *l, int rung)
{
    switch (rung) {
    case 1:
        return run_usual(l, FIRST_ITERATIONS, FIRST_FAILURES, l->first);
    case 2:
        return run_interior(l);
    case 3:
        return run_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
    case 4:
        return run_usual(l, PATIENT_ITERATIONS, PATIENT_ITERATIONS, l->first);
    case 5:
        return run_admm(l);
    case 6:
        return run_sweeps(l);
    default:
        return run_last(l);
    }
}

static gmc_status climb(ladder *l, int first_rung)
{
    double *x = gmc_arena_doubles(l->scratch, 6 * (size_t)l->normal->unit_count);
    if (!x) return GMC_E_ARENA_FULL;
    l->first = x;
    l->trial = x + 3 * (size_t)l->normal->unit_count;
    memcpy(l->first, l->best, bytes_of(l));
    memcpy(l->trial, l->best, bytes_of(l));
    GMC_TRY(gmc_dual_newton_create(l->normal, l->scratch, &l->newton));
    for (int rung = first_rung; rung <= GMC_DUAL_LADDER_RUNGS; rung++) {
        GMC_TRY(climb_rung(l, rung));
        if (l->report->residual <= l->tolerance) {
            l->report->rung = rung;
            return GMC_OK;
        }
    }
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_dual_ladder_solve(const gmc_dual *normal, const gmc_dual_ladder_options *options,
                                 double *x, gmc_arena *scratch, gmc_dual_ladder_report *report)
{
    GMC_ASSERT(options->first_rung >= 1 && options->first_rung <= GMC_DUAL_LADDER_RUNGS);
    size_t mark = gmc_arena_mark(scratch);
    *report = (gmc_dual_ladder_report){.residual = NAN};
    ladder l = {.normal = normal,
                .tolerance = options->tolerance,
                .scratch = scratch,
                .report = report,
                .best = x};
    gmc_status status = climb(&l, options->first_rung);
    gmc_arena_reset(scratch, mark);
    return status;
}
