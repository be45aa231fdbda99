#include "engine/complementarity/solver.h"

#include "engine/base/check.h"
#include "engine/complementarity/admm.h"
#include "engine/complementarity/dual_ncp.h"
#include "engine/complementarity/dual_newton.h"
#include "engine/complementarity/interior.h"
#include "engine/complementarity/nsgs.h"

#include <string.h>

/// Work after which a solver by itself gives up: about ten times what the harder ones of the
/// problems that rungs.h names take where it succeeds.
enum { NEWTON_ITERATIONS = 100, INTERIOR_ITERATIONS = 60, SWEEPS = 10000, ADMM_ITERATIONS = 10000 };

static gmc_status solver_finish(gmc_status status, int iterations, double residual,
                                gmc_solver_report *report)
{
    *report = (gmc_solver_report){
        .rung = status == GMC_OK, .iterations = iterations, .residual = residual};
    return status;
}

static gmc_status run_prox(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                           gmc_solver_report *report)
{
    gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(tolerance);
    gmc_dual_prox_result result = {.residual = NAN};
    gmc_dual_newton newton;
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = gmc_dual_newton_create(normal, scratch, &newton);
    if (status == GMC_OK) status = gmc_dual_newton_prox(&newton, &options, x, scratch, &result);
    gmc_arena_reset(scratch, mark);
    return solver_finish(status, result.iterations, result.residual, report);
}

static gmc_status run_newton(const gmc_dual *normal, double tolerance, double *x,
                             gmc_arena *scratch, gmc_solver_report *report)
{
    gmc_dual_newton_result result;
    gmc_status status =
        gmc_dual_newton_solve(normal, tolerance, NEWTON_ITERATIONS, x, scratch, &result);
    return solver_finish(status, result.iterations, result.residual, report);
}

static gmc_status run_interior(const gmc_dual *normal, double tolerance, double *x,
                               gmc_arena *scratch, gmc_solver_report *report)
{
    gmc_interior_options options = {tolerance, INTERIOR_ITERATIONS};
    gmc_interior_result result = {.residual = NAN};
    gmc_dual_system system;
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = gmc_dual_system_create(normal, scratch, &system);
    if (status == GMC_OK) status = gmc_interior_solve(&system, &options, x, scratch, &result);
    gmc_arena_reset(scratch, mark);
    return solver_finish(status, result.iterations, result.residual, report);
}

static gmc_status run_admm(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                           gmc_solver_report *report)
{
    gmc_admm_options options = gmc_admm_defaults(tolerance);
    gmc_admm_result result = {.residual = NAN};
    gmc_dual_system system;
    size_t mark = gmc_arena_mark(scratch);
    options.iteration_max = ADMM_ITERATIONS;
    gmc_status status = gmc_dual_system_create(normal, scratch, &system);
    if (status == GMC_OK) status = gmc_admm_solve(&system, &options, x, scratch, &result);
    gmc_arena_reset(scratch, mark);
    return solver_finish(status, result.iterations, result.residual, report);
}

static gmc_status run_nsgs(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                           gmc_solver_report *report)
{
    gmc_nsgs_options options = {SWEEPS, true, tolerance};
    gmc_nsgs_result result;
    gmc_status status = gmc_nsgs_run(normal, &options, x, scratch, &result);
    return solver_finish(status, result.sweeps, result.residual, report);
}

// ---- the table ---------------------------------------------------------------------------------

static const gmc_solver prox_solver = {
    .name = "prox",
    .about = "proximal point with semismooth Newton inside: rigid and hyperstatic contact",
    .run = run_prox,
};
static const gmc_solver newton_solver = {
    .name = "newton",
    .about = "semismooth Newton: the fastest where contact is compliant",
    .run = run_newton,
};
static const gmc_solver interior_solver = {
    .name = "interior",
    .about = "interior point: few iterations on degenerate problems, 1e-6 to 1e-9 at the end",
    .run = run_interior,
};
static const gmc_solver admm_solver = {
    .name = "admm",
    .about = "alternating directions: many cheap iterations with one factorisation",
    .run = run_admm,
};
static const gmc_solver nsgs_solver = {
    .name = "nsgs",
    .about = "block Gauss-Seidel, contacts solved exactly, with Anderson acceleration",
    .run = run_nsgs,
};

const gmc_solver *const gmc_solvers[] = {&gmc_rungs_solver,      &prox_solver, &newton_solver,
                                         &interior_solver,       &admm_solver, &nsgs_solver,
                                         &gmc_polyhedral_solver, NULL};

const gmc_solver *gmc_solver_find(const char *name)
{
    for (int i = 0; gmc_solvers[i]; i++)
        if (strcmp(gmc_solvers[i]->name, name) == 0) return gmc_solvers[i];
    return NULL;
}

bool gmc_solver_fits(const gmc_solver *solver, const gmc_dual *problem)
{
    for (int c = 0; c < problem->unit_count; c++)
        if (!problem->units[c].is_box &&
            (problem->units[c].facet_count > 0) != solver->is_polyhedral)
            return false;
    return true;
}

/// Runs on one problem, each aiming at a tenth of what the one before aimed at: judges, of impulses
/// and of velocities, weigh the rows differently from the solver. An LCP's residual is relative to
/// its largest q, which of joints far from their limits is 1e3 times the problem's size.
enum { RUNS = 3, PIVOTING_RUNS = 5 };

/// A problem beside the same one in units of its own.
typedef struct normalised {
    const gmc_solver *solver;
    const gmc_dual *problem;
    gmc_dual normal;
    gmc_dual_scales scales;
} normalised;

/// One run that aims at `aim`, from r on; what it leaves there is judged. @return as the run's
static gmc_status run_from(const normalised *p, double aim, double *r, gmc_arena *scratch,
                           gmc_solver_report *report)
{
    const gmc_dual_scales *scales = &p->scales;
    size_t size = 3 * (size_t)p->problem->unit_count;
    double *x = GMC_ROOM(scratch, size, double), *w = GMC_ROOM(scratch, size, double);
    if (!x || !w) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < size; i++)
        x[i] = r[i] * sqrt(scales->weight[i]) / scales->size;
    gmc_status status = p->solver->run(&p->normal, aim, x, scratch, report);
    if (status != GMC_OK && status != GMC_E_NO_SOLUTION) return status;
    for (size_t i = 0; i < size; i++)
        r[i] = x[i] * scales->size / sqrt(scales->weight[i]);
    report->residual = gmc_dual_judge_scaled(p->problem, scales, r, w);
    return status;
}

static gmc_status solver_solve(const gmc_solver *solver, const gmc_dual *problem, double tolerance,
                               double *r, gmc_arena *scratch, gmc_solver_report *report)
{
    normalised p = {.solver = solver, .problem = problem};
    GMC_TRY(gmc_dual_scale(problem, scratch, &p.scales));
    GMC_TRY(gmc_dual_normalise(problem, &p.scales, scratch, &p.normal));
    double aim = tolerance;
    int iterations = 0, runs = solver->is_polyhedral ? PIVOTING_RUNS : RUNS;
    for (int k = 0; k < runs; k++, aim *= 0.1) {
        size_t mark = gmc_arena_mark(scratch);
        gmc_status status = run_from(&p, aim, r, scratch, report);
        gmc_arena_reset(scratch, mark);
        if (status != GMC_OK && status != GMC_E_NO_SOLUTION) return status;
        report->iterations = iterations += report->iterations;
        // believe the residual, not the solver; written so that NaN fails too
        if (report->residual <= tolerance) return GMC_OK;
        if (status != GMC_OK) break; // it has done what it can
    }
    report->rung = 0;
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_solver_solve(const gmc_solver *solver, const gmc_dual *problem, double tolerance,
                            double *r, gmc_arena *scratch, gmc_solver_report *report)
{
    size_t mark = gmc_arena_mark(scratch);
    *report = (gmc_solver_report){.residual = NAN};
    GMC_ASSERT(gmc_solver_fits(solver, problem));
    gmc_status status = solver_solve(solver, problem, tolerance, r, scratch, report);
    gmc_arena_reset(scratch, mark);
    return status;
}

// ---- a problem in velocities -------------------------------------------------------------------

gmc_status gmc_solver_solve_ncp(const gmc_solver_options *options, const gmc_ncp *problem,
                                const gmc_ncp_scales *scales, gmc_ncp_solution *iterate,
                                gmc_arena *scratch, gmc_solver_report *report)
{
    const gmc_solver *solver = options->solver;
    double tolerance = options->tolerance;
    gmc_dual_ncp_normal pair;
    size_t mark = gmc_arena_mark(scratch);
    int iterations = 0;
    *report = (gmc_solver_report){.residual = NAN};
    GMC_ASSERT(!solver->is_polyhedral);
    gmc_status status = gmc_dual_ncp_normal_create(problem, iterate, scratch, &pair);
    double aim = status == GMC_OK ? tolerance * scales->momentum / pair.scales.size : 0;
    for (int k = 0; k < RUNS && status == GMC_OK; k++, aim *= 0.1) {
        status = solver->run(&pair.normal, aim, pair.x, scratch, report);
        if (status != GMC_OK && status != GMC_E_NO_SOLUTION) break;
        iterations += report->iterations;
        report->residual = gmc_dual_ncp_normal_judge(&pair, scales, iterate);
        if (report->residual <= tolerance) break;
    }
    gmc_arena_reset(scratch, mark);
    report->iterations = iterations;
    if (report->residual <= tolerance) return GMC_OK;
    report->rung = 0;
    return status == GMC_OK ? GMC_E_NO_SOLUTION : status;
}
