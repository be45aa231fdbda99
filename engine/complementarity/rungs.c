// Two lists of rungs, that of problems in impulses and that of problems in velocities, whose last
// rung is the first list. Each rung starts from what is known by then and is judged by the same
// residual.
#include "engine/complementarity/rungs.h"

#include "engine/base/check.h"
#include "engine/complementarity/admm.h"
#include "engine/complementarity/dual_newton.h"
#include "engine/complementarity/inplane.h"
#include "engine/complementarity/interior.h"
#include "engine/complementarity/newton.h"
#include "engine/complementarity/nsgs.h"
#include "engine/complementarity/prox.h"

#include <stdbool.h>
#include <string.h>

// ---- impulses ----------------------------------------------------------------------------------

// W is factored once for all rungs. The numbers are of the problems that rungs.h names and of
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

typedef struct dual_run {
    const gmc_dual *normal;
    double tolerance;
    gmc_dual_newton newton;
    gmc_arena *scratch;
    gmc_solver_report *report;
    double *best;  ///< (3 per unit) the caller's x
    double *first; ///< where rung 1 stopped
    double *trial;
} dual_run;

static size_t dual_bytes(const dual_run *l)
{
    return 3 * (size_t)l->normal->unit_count * sizeof(double);
}

/// Keep the better of what there is and `x`. GMC_E_NO_SOLUTION is not a failure yet.
static gmc_status keep_better(dual_run *l, gmc_status status, const double *x, double residual,
                              int iterations)
{
    l->report->iterations += iterations;
    if (status == GMC_E_ARENA_FULL) return status;
    if (!(residual >= l->report->residual)) {
        l->report->residual = residual;
        memcpy(l->best, x, dual_bytes(l));
    }
    return GMC_OK;
}

static gmc_status dual_prox(dual_run *l, const gmc_dual_prox_options *options, double *x)
{
    gmc_dual_prox_result result;
    gmc_status status = gmc_dual_newton_prox(&l->newton, options, x, l->scratch, &result);
    return keep_better(l, status, x, result.residual, result.iterations);
}

/// A proximal sequence of the usual kind.
static gmc_status dual_usual(dual_run *l, int iterations, int failures, double *x)
{
    gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(l->tolerance);
    options.iteration_max = iterations;
    options.failure_max = failures;
    return dual_prox(l, &options, x);
}

static gmc_status dual_interior(dual_run *l)
{
    gmc_interior_options options = {l->tolerance, INTERIOR_ITERATIONS};
    gmc_interior_result result;
    gmc_status status =
        gmc_interior_solve(&l->newton.system, &options, l->trial, l->scratch, &result);
    return keep_better(l, status, l->trial, result.residual, result.iterations);
}

static gmc_status dual_admm(dual_run *l)
{
    gmc_admm_options options = gmc_admm_defaults(l->tolerance);
    gmc_admm_result result;
    options.iteration_max = ADMM_ITERATIONS;
    memcpy(l->trial, l->best, dual_bytes(l));
    gmc_status status = gmc_admm_solve(&l->newton.system, &options, l->trial, l->scratch, &result);
    GMC_TRY(keep_better(l, status, l->trial, result.residual, result.iterations));
    return dual_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
}

static gmc_status dual_sweeps(dual_run *l)
{
    gmc_nsgs_options options = {SWEEPS, true, l->tolerance};
    gmc_nsgs_result result;
    memset(l->trial, 0, dual_bytes(l));
    gmc_status status = gmc_nsgs_run(l->normal, &options, l->trial, l->scratch, &result);
    GMC_TRY(keep_better(l, status, l->trial, result.residual, result.sweeps));
    return dual_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
}

static gmc_status dual_last(dual_run *l)
{
    for (int i = 0; i < GMC_COUNT(LAST) && !(l->report->residual <= l->tolerance); i++) {
        gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(l->tolerance);
        options.iteration_max = options.failure_max = LAST_ITERATIONS;
        options.softness = LAST[i].softness;
        options.stage_max = LAST[i].stage_max;
        if (LAST[i].is_cold)
            memset(l->trial, 0, dual_bytes(l));
        else
            memcpy(l->trial, l->best, dual_bytes(l));
        GMC_TRY(dual_prox(l, &options, l->trial));
    }
    return GMC_OK;
}

static gmc_status dual_rung(dual_run *l, int rung)
{
    switch (rung) {
    case 1:
        return dual_usual(l, FIRST_ITERATIONS, FIRST_FAILURES, l->first);
    case 2:
        return dual_interior(l);
    case 3:
        return dual_usual(l, FINISH_ITERATIONS, FINISH_ITERATIONS, l->trial);
    case 4:
        return dual_usual(l, PATIENT_ITERATIONS, PATIENT_ITERATIONS, l->first);
    case 5:
        return dual_admm(l);
    case 6:
        return dual_sweeps(l);
    default:
        return dual_last(l);
    }
}

static gmc_status dual_rungs(dual_run *l, int first_rung)
{
    double *x = GMC_NEW(l->scratch, 6 * l->normal->unit_count, double);
    if (!x) return GMC_E_ARENA_FULL;
    l->first = x;
    l->trial = x + 3 * (size_t)l->normal->unit_count;
    memcpy(l->first, l->best, dual_bytes(l));
    memcpy(l->trial, l->best, dual_bytes(l));
    GMC_TRY(gmc_dual_newton_create(l->normal, l->scratch, &l->newton));
    for (int rung = first_rung; rung <= GMC_RUNGS_DUAL_COUNT; rung++) {
        GMC_TRY(dual_rung(l, rung));
        if (l->report->residual <= l->tolerance) {
            l->report->rung = rung;
            return GMC_OK;
        }
    }
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_rungs_solve_dual(const gmc_dual *normal, double tolerance, int first_rung, double *x,
                                gmc_arena *scratch, gmc_solver_report *report)
{
    GMC_ASSERT(first_rung >= 1 && first_rung <= GMC_RUNGS_DUAL_COUNT);
    size_t mark = gmc_arena_mark(scratch);
    *report = (gmc_solver_report){.residual = NAN};
    dual_run l = {
        .normal = normal, .tolerance = tolerance, .scratch = scratch, .report = report, .best = x};
    gmc_status status = dual_rungs(&l, first_rung);
    gmc_arena_reset(scratch, mark);
    return status;
}

static gmc_status run_from_first(const gmc_dual *normal, double tolerance, double *x,
                                 gmc_arena *scratch, gmc_solver_report *report)
{
    return gmc_rungs_solve_dual(normal, tolerance, 1, x, scratch, report);
}

const gmc_solver gmc_rungs_solver = {
    .name = "rungs",
    .about = "proximal point, interior point, ADMM and sweeps in turn until one succeeds",
    .run = run_from_first,
};

// ---- velocities --------------------------------------------------------------------------------

/// First 1 + α of the proximal rung, and its patience: 1e5 cold random grasps needed at most 60
/// stages.
static const double SOFTEST = 30;
enum { PROX_STAGES = 200 };

/// What another solver on rung 1 aims at: a tenth of what is accepted. The last digits, which
/// Newton has for nothing, would cost first-order methods most of their work.
static const double SOLVER_AIM = 0.1;

/// Sweeps before Newton is tried. Anderson's mixing needs 3 to 10 times fewer of them and now and
/// then stalls far from the solution (0.04 to 0.06 % of problems); plain sweeps then get there
/// slowly.
static const struct {
    int sweeps;
    bool accelerate;
} STAGES[] = {{50, true}, {100, false}, {500, false}, {3000, false}, {20000, false}};

typedef struct rungs {
    const gmc_ncp *problem;
    const gmc_rungs_options *options;
    gmc_ncp_scales scales;
    const gmc_ncp_solution *warm;
    gmc_ncp_solution trial;
    gmc_ncp_solution swept; ///< where sweeping goes on if Newton fails
    gmc_arena *scratch;
    gmc_rungs_report *report;
} rungs;
static size_t contact_bytes(const gmc_ncp *problem)
{
    return 3 * (size_t)problem->contact_count * sizeof(double);
}

static void copy_solution(const gmc_ncp *problem, const gmc_ncp_solution *from,
                          const gmc_ncp_solution *to)
{
    memcpy(to->v, from->v, (size_t)problem->dof_count * sizeof(double));
    memcpy(to->r, from->r, contact_bytes(problem));
    memcpy(to->s, from->s, (size_t)problem->row_count * sizeof(double));
}

static gmc_status make_trials(rungs *l)
{
    const gmc_ncp *problem = l->problem;
    size_t n = (size_t)problem->dof_count, nr = 3 * (size_t)problem->contact_count;
    size_t size = n + nr + (size_t)problem->row_count;
    double *x = GMC_ROOM(l->scratch, 2 * size, double);
    if (!x) return GMC_E_ARENA_FULL;
    l->trial = (gmc_ncp_solution){.v = x, .r = x + n, .s = x + n + nr};
    x += size;
    l->swept = (gmc_ncp_solution){.v = x, .r = x + n, .s = x + n + nr};
    return GMC_OK;
}

/// Does the judge accept the trial? Keeps the best residual seen.
static bool is_accepted(rungs *l)
{
    double residual =
        gmc_ncp_judge_scaled(l->problem, &l->scales, l->trial.v, l->trial.r, l->trial.s);
    if (!(residual >= l->report->residual)) l->report->residual = residual;
    return residual <= l->options->residual_max;
}

/// One Newton run on the trial. GMC_E_NO_SOLUTION is not yet a verdict: the judge has the last
/// word.
/// @param start  NULL: the trial
static gmc_status run_newton(rungs *l, gmc_newton_form form, const gmc_ncp_solution *start)
{
    gmc_newton_options options = {form, l->options->iteration_max, l->options->tolerance, start};
    gmc_newton_result result;
    gmc_status status =
        gmc_newton_solve(l->problem, &l->scales, &options, &l->trial, l->scratch, &result);
    l->report->iterations += result.iterations;
    return status == GMC_E_NO_SOLUTION ? GMC_OK : status;
}

/// What lies still is not solved again, but settled: impulses answer what is left. As they were
/// they would leave the bodies a force, and held ones crept by 1e-11 m a minute.
static bool rung_rest(rungs *l)
{
    double limit = GMC_NCP_AT_REST * l->options->tolerance;
    if (l->options->solver) return false;
    l->trial = *l->warm;
    if (!gmc_ncp_settle(l->problem, &l->scales, &l->trial, limit, &l->report->residual))
        return false;
    l->report->rung = 1;
    return true;
}

static gmc_status rung_newton(rungs *l, gmc_newton_form form, bool *is_solved)
{
    GMC_TRY(run_newton(l, form, l->warm));
    *is_solved = is_accepted(l);
    return GMC_OK;
}

static gmc_status rung_solver(rungs *l, const gmc_solver *solver, bool *is_solved)
{
    gmc_solver_report report;
    copy_solution(l->problem, l->warm, &l->trial);
    const gmc_solver_options options = {solver, SOLVER_AIM * l->options->residual_max};
    gmc_status status =
        gmc_solver_solve_ncp(&options, l->problem, &l->scales, &l->trial, l->scratch, &report);
    l->report->iterations += report.iterations;
    if (status != GMC_OK && status != GMC_E_NO_SOLUTION) return status;
    *is_solved = is_accepted(l);
    return GMC_OK;
}

static gmc_status rung_prox(rungs *l, bool *is_solved)
{
    gmc_prox_options options = {PROX_STAGES, l->options->iteration_max, SOFTEST,
                                l->options->tolerance};
    gmc_prox_result result;
    copy_solution(l->problem, l->warm, &l->trial);
    gmc_status status =
        gmc_prox_solve(l->problem, &l->scales, &options, &l->trial, l->scratch, &result);
    l->report->iterations += result.iterations;
    if (status == GMC_E_ARENA_FULL) return status;
    *is_solved = is_accepted(l);
    return GMC_OK;
}

static gmc_status rung_sweeps(rungs *l, bool *is_solved)
{
    memset(l->swept.r, 0, contact_bytes(l->problem));
    memset(l->swept.s, 0, (size_t)l->problem->row_count * sizeof(double));
    for (int i = 0; i < GMC_COUNT(STAGES) && !*is_solved; i++) {
        gmc_nsgs_options options = {STAGES[i].sweeps, STAGES[i].accelerate, l->options->tolerance};
        gmc_nsgs_result result;
        gmc_status status =
            gmc_nsgs_solve(l->problem, &l->scales, &options, &l->swept, l->scratch, &result);
        if (status == GMC_E_ARENA_FULL) return status;
        l->report->iterations += result.sweeps;
        copy_solution(l->problem, &l->swept, &l->trial);
        if (status == GMC_E_NO_SOLUTION) GMC_TRY(run_newton(l, GMC_NEWTON_PRIMAL_DUAL, NULL));
        *is_solved = is_accepted(l);
    }
    return GMC_OK;
}

/// Rung 1 in a plane, which needs none of what the others share.
static gmc_status rung_inplane(const gmc_ncp *problem, const gmc_rungs_options *options,
                               gmc_ncp_solution *solution, gmc_arena *scratch,
                               gmc_rungs_report *report, bool *is_solved)
{
    gmc_inplane_options flat = {options->iteration_max, options->tolerance, options->residual_max};
    gmc_inplane_result result;
    gmc_status status = gmc_inplane_solve(problem, &flat, solution, scratch, &result);
    *is_solved = status == GMC_OK;
    *report = (gmc_rungs_report){
        .rung = *is_solved ? 1 : 0, .iterations = result.iterations, .residual = result.residual};
    return status == GMC_E_NO_SOLUTION ? GMC_OK : status;
}

/// @param first  rung
static gmc_status velocity_rungs(rungs *l, int first)
{
    GMC_TRY(gmc_ncp_scale(l->problem, l->scratch, &l->scales));
    if (first == 1 && rung_rest(l)) return GMC_OK;
    GMC_TRY(make_trials(l));
    bool is_solved = false;
    for (int rung = first; rung <= GMC_RUNGS_COUNT; rung++) {
        if (rung == 1 && l->options->solver)
            GMC_TRY(rung_solver(l, l->options->solver, &is_solved));
        else if (rung == 1)
            GMC_TRY(rung_newton(l, GMC_NEWTON_PRIMAL_DUAL, &is_solved));
        else if (rung == 2)
            GMC_TRY(rung_newton(l, GMC_NEWTON_PRIMAL, &is_solved));
        else if (rung == 3)
            GMC_TRY(rung_prox(l, &is_solved));
        else if (rung == 4)
            GMC_TRY(rung_sweeps(l, &is_solved));
        else
            GMC_TRY(rung_solver(l, &gmc_rungs_solver, &is_solved));
        if (is_solved) {
            l->report->rung = rung;
            return GMC_OK;
        }
    }
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_rungs_solve(const gmc_ncp *problem, const gmc_rungs_options *options,
                           gmc_ncp_solution *solution, gmc_arena *scratch, gmc_rungs_report *report)
{
    GMC_ASSERT(options->first_rung >= 1 && options->first_rung <= GMC_RUNGS_COUNT);
    size_t mark = gmc_arena_mark(scratch);
    int first = options->first_rung;
    *report = (gmc_rungs_report){.residual = NAN};
    if (first == 1 && !options->solver && gmc_inplane_fits(problem)) {
        bool is_solved;
        GMC_TRY(rung_inplane(problem, options, solution, scratch, report, &is_solved));
        if (is_solved) return GMC_OK;
        first = 2; // what failed is rung 1 but for rounding
    }
    rungs l; // scales and trials are velocity_rungs to fill
    l.problem = problem;
    l.options = options;
    l.warm = solution;
    l.scratch = scratch;
    l.report = report;
    gmc_status status = velocity_rungs(&l, first);
    if (status == GMC_OK && l.trial.v != solution->v) copy_solution(problem, &l.trial, solution);
    gmc_arena_reset(scratch, mark);
    return status;
}
