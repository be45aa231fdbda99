#include "engine/complementarity/dual_newton.h"

#include "engine/base/check.h"

#include <string.h>

// When backtracking ends without a decrease its last step is taken all the same: a cycle is left
// more often than the merit is spoilt, and the proximal sequence forgives it.

enum { HALVINGS_MAX = 8 };           ///< down to 1/256 of a step
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step

/// α of the solver by itself: far above rounding (1e-16), far below any tolerance.
static const double SOFTNESS_ALONE = 1e-11;

// ---- room --------------------------------------------------------------------------------------

enum { VECTORS = 8 };

gmc_status gmc_dual_newton_create(const gmc_dual *normal, gmc_arena *room, gmc_dual_newton *newton)
{
    int n = normal->unit_count;
    GMC_TRY(gmc_dual_system_create(normal, room, &newton->system));
    newton->slopes = GMC_NEW(room, n, gmc_dual_slope);
    double *x = GMC_NEW(room, VECTORS * 3 * n, double);
    if (!newton->slopes || !x) return GMC_E_ARENA_FULL;
    double **vectors[VECTORS] = {&newton->y,  &newton->dy, &newton->f,      &newton->phi,
                                 &newton->dx, &newton->dw, &newton->y_next, &newton->x_next};
    for (int i = 0; i < VECTORS; i++, x += 3 * n)
        *vectors[i] = x;
    return GMC_OK;
}

// ---- the law, linearised -----------------------------------------------------------------------

static void set_fixed(gmc_dual_slope *slope)
{
    *slope = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_FIXED,
                              .A = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .inverse = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static void set_stick(gmc_dual_slope *slope, double alpha)
{
    double k = 1 / alpha;
    *slope = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_PLAIN,
                              .A = {alpha, 0, 0, 0, alpha, 0, 0, 0, alpha},
                              .B = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .inverse = {k, 0, 0, 0, k, 0, 0, 0, k}};
}

/// Also frictionless contact: e = 0, φ = 0.
static void set_slip(gmc_dual_slope *slope, double alpha, double rho, double friction,
                     const double e[2], double phi)
{
    double k = 1 / alpha, shrink = phi * (1 - rho * alpha), spread = 1 / (1 - shrink);
    double e11 = e[0] * e[0], e12 = e[0] * e[1], e22 = e[1] * e[1], B = phi * rho;
    double a1 = friction * e[0], a2 = friction * e[1];
    *slope =
        (gmc_dual_slope){.kind = friction > 0 ? GMC_DUAL_SLOPE_GENERAL : GMC_DUAL_SLOPE_SYMMETRIC,
                         .A = {alpha, 0, 0, -a1, 1 - shrink * (1 - e11), shrink * e12, -a2,
                               shrink * e12, 1 - shrink * (1 - e22)},
                         .B = {1, 0, 0, 0, B * (1 - e11), -B * e12, 0, -B * e12, B * (1 - e22)},
                         .inverse = {k, 0, 0, a1 * k, e11 + spread * (1 - e11), (1 - spread) * e12,
                                     a2 * k, (1 - spread) * e12, e22 + spread * (1 - e22)}};
}

/// Where a unit is: its impulse, what answers it, and the trial impulse.
typedef struct unit_state {
    const gmc_dual_unit *unit;
    double alpha, rho;
    const double *x, *s, *y;
} unit_state;

static void linearise_contact(const unit_state *at, gmc_dual_slope *slope, double *f)
{
    const gmc_dual_unit *unit = at->unit;
    const double *x = at->x, *s = at->s, *y = at->y;
    double radius = unit->friction * y[0], size2 = y[1] * y[1] + y[2] * y[2];
    if (!(y[0] > 0)) {
        set_fixed(slope);
        memcpy(f, x, 3 * sizeof *f);
    } else if (radius > 0 && size2 <= radius * radius) {
        set_stick(slope, at->alpha);
        memcpy(f, s, 3 * sizeof *f);
    } else {
        double size = sqrt(size2), e[2] = {0, 0}, phi = 0;
        if (radius > 0) {
            e[0] = y[1] / size;
            e[1] = y[2] / size;
            phi = radius / size;
        }
        set_slip(slope, at->alpha, at->rho, radius > 0 ? unit->friction : 0, e, phi);
        f[0] = s[0];
        f[1] = x[1] - unit->friction * x[0] * e[0];
        f[2] = x[2] - unit->friction * x[0] * e[1];
    }
}

static void linearise_box(const unit_state *at, gmc_dual_slope *slope, double *f)
{
    const gmc_dual_unit *unit = at->unit;
    const double *x = at->x, *s = at->s, *y = at->y;
    int inside = 0;
    set_fixed(slope);
    for (int i = 0; i < 3; i++) {
        if (y[i] < unit->lower[i] || y[i] > unit->upper[i]) {
            f[i] = x[i] - (y[i] < unit->lower[i] ? unit->lower[i] : unit->upper[i]);
            continue;
        }
        inside++;
        slope->A[4 * i] = at->alpha;
        slope->B[4 * i] = 1;
        slope->inverse[4 * i] = 1 / at->alpha;
        f[i] = s[i];
    }
    if (inside > 0) slope->kind = inside == 3 ? GMC_DUAL_SLOPE_PLAIN : GMC_DUAL_SLOPE_SYMMETRIC;
}

// ---- the iteration -----------------------------------------------------------------------------

typedef struct run {
    gmc_dual_newton *newton;
    const gmc_dual *normal;
    double alpha, rho;
    const double *centre;
    double *x, *w;
} run;

static double proximal(const run *a, int i)
{
    return a->w[i] + a->alpha * (a->x[i] - a->centre[i]);
}

/// |Φ| at x + t dx, and x, y there.
static double dual_newton_merit_at(const run *a, double t)
{
    gmc_dual_newton *n = a->newton;
    double sum = 0;
    for (int c = 0; c < a->normal->unit_count; c++) {
        double *x = n->x_next + 3 * c, *y = n->y_next + 3 * c, p[3];
        for (int i = 0; i < 3; i++) {
            x[i] = a->x[3 * c + i] + t * n->dx[3 * c + i];
            y[i] = n->y[3 * c + i] + t * n->dy[3 * c + i];
        }
        gmc_dual_project(&a->normal->units[c], y, p);
        for (int i = 0; i < 3; i++)
            sum += (x[i] - p[i]) * (x[i] - p[i]) + 0 * y[i];
    }
    return sqrt(sum);
}

static double first_merit(const run *a)
{
    gmc_dual_newton *n = a->newton;
    for (int i = 0; i < 3 * a->normal->unit_count; i++) {
        n->y[i] = a->x[i] - a->rho * proximal(a, i);
        n->dx[i] = n->dy[i] = 0;
    }
    return dual_newton_merit_at(a, 0);
}

/// One linear system and one search along its solution.
/// @return the merit afterwards, NaN if the system is singular
static double dual_newton_iterate_once(const run *a, double merit, double enough)
{
    gmc_dual_newton *n = a->newton;
    int size = 3 * a->normal->unit_count;
    for (int c = 0; c < a->normal->unit_count; c++) {
        const gmc_dual_unit *unit = &a->normal->units[c];
        double s[3] = {proximal(a, 3 * c), proximal(a, 3 * c + 1), proximal(a, 3 * c + 2)};
        const unit_state at = {unit, a->alpha, a->rho, a->x + 3 * c, s, n->y + 3 * c};
        if (unit->is_box)
            linearise_box(&at, &n->slopes[c], n->f + 3 * c);
        else
            linearise_contact(&at, &n->slopes[c], n->f + 3 * c);
    }
    if (!gmc_dual_system_factor(&n->system, n->slopes)) return NAN;
    gmc_dual_system_solve(&n->system, n->slopes, n->f, n->dx, n->dw);
    for (int i = 0; i < size; i++)
        n->dy[i] = n->dx[i] - a->rho * (n->dw[i] + a->alpha * n->dx[i]);

    double t = 1, next = dual_newton_merit_at(a, 1);
    for (int i = 0; i < HALVINGS_MAX; i++) {
        if (next <= enough || next < (1 - DECREASE * t) * merit) break;
        t *= 0.5;
        next = dual_newton_merit_at(a, t);
    }
    if (!(next < HUGE_VAL)) return NAN;
    memcpy(a->x, n->x_next, (size_t)size * sizeof(double));
    memcpy(n->y, n->y_next, (size_t)size * sizeof(double));
    for (int i = 0; i < size; i++)
        a->w[i] += t * n->dw[i];
    return next;
}

gmc_status gmc_dual_newton_run(gmc_dual_newton *newton, const gmc_dual_newton_options *options,
                               const double *centre, double *x, double *w,
                               gmc_dual_newton_result *result)
{
    GMC_ASSERT(options->iteration_max > 0 && options->softness > 0);
    double rho = 1 / (1 + options->softness);
    run a = {newton, newton->system.normal, options->softness, rho, centre, x, w};
    double enough = options->tolerance * rho, merit = first_merit(&a);
    *result = (gmc_dual_newton_result){.residual = merit / rho};
    while (!(merit <= enough) && result->iterations < options->iteration_max) {
        result->iterations++;
        merit = dual_newton_iterate_once(&a, merit, enough);
        if (!(merit < HUGE_VAL)) return GMC_E_NO_SOLUTION;
        result->residual = merit / rho;
    }
    return merit <= enough ? GMC_OK : GMC_E_NO_SOLUTION;
}

gmc_status gmc_dual_newton_solve(const gmc_dual *normal, double tolerance, int iteration_max,
                                 double *x, gmc_arena *scratch, gmc_dual_newton_result *result)
{
    size_t mark = gmc_arena_mark(scratch), size = 3 * (size_t)normal->unit_count;
    gmc_dual_newton newton;
    gmc_dual_newton_options options = {iteration_max, tolerance, SOFTNESS_ALONE};
    *result = (gmc_dual_newton_result){.residual = NAN};
    double *w = GMC_NEW(scratch, 2 * size, double);
    gmc_status status = w ? gmc_dual_newton_create(normal, scratch, &newton) : GMC_E_ARENA_FULL;
    if (status == GMC_OK) {
        double *centre = w + size;
        memcpy(centre, x, size * sizeof(double));
        gmc_dual_answer(normal, x, w);
        status = gmc_dual_newton_run(&newton, &options, centre, x, w, result);
        // the word of W itself, without the proximal term
        gmc_dual_answer(normal, x, w);
        result->residual = gmc_dual_defect(normal, x, w);
        if (status != GMC_E_ARENA_FULL)
            status = result->residual <= tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
    }
    gmc_arena_reset(scratch, mark);
    return status;
}

// ---- proximal point ----------------------------------------------------------------------------
// Tried and rejected: going back to the last good iterate after a failed Newton run (it then fails
// again from the same place; three problems of the PrimitiveSoup family never end), a floor under α
// after failures (linear convergence to the end: 60 % more iterations on rigid grasps).

static const double INNER = 0.1;          ///< inner tolerance per outer residual
static const double INNER_MIN = 1e-14;    ///< which rounding can still reach
static const double GROWTH = 10;          ///< of α after a failed run
static const double SOFTNESS_MIN = 1e-12; ///< of α: W + α stays regular in double precision

gmc_dual_prox_options gmc_dual_newton_prox_defaults(double tolerance)
{
    return (gmc_dual_prox_options){.tolerance = tolerance,
                                   .iteration_max = 600,
                                   .stage_max = 10,
                                   .failure_max = 600,
                                   .softness = 0.01};
}

gmc_status gmc_dual_newton_prox(gmc_dual_newton *newton, const gmc_dual_prox_options *options,
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
        gmc_dual_newton_result stage;
        memcpy(centre, at, bytes);
        gmc_status status = gmc_dual_newton_run(newton, &inner, centre, at, w, &stage);
        result->stages++;
        result->iterations += stage.iterations;
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
        if (stage.iterations == 0) break;
    }
    gmc_arena_reset(room, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
