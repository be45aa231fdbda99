#include "engine/complementarity/admm.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <string.h>

// ρ changes by powers of L/η to the step: with steps of 0.05 of a ratio near 1e7, by 2.2 at a time.

enum {
    POWER_ITERATIONS = 12, ///< L to a few per cent, which is all that a rule of thumb deserves
    UPDATE_EVERY = 10,     ///< iterations between two looks at the ratio
    CHECK_EVERY = 5,       ///< iterations between two looks at the residual
};

typedef struct admm {
    const gmc_dual *normal;
    gmc_dual_system *system;
    const gmc_admm_options *options;
    gmc_dual_slope *slopes;
    double *x, *z, *z_old, *y, *f, *Wx, *w; ///< (3 per unit)
    double rho;
} admm;

gmc_admm_options gmc_admm_defaults(double tolerance)
{
    return (gmc_admm_options){.tolerance = tolerance,
                              .iteration_max = 3000,
                              .proximal = 1e-6,
                              .power = 0.2,
                              .power_step = 0.05,
                              .ratio = 10};
}

static gmc_status admm_make_room(admm *a, gmc_arena *scratch)
{
    int n = a->normal->unit_count;
    a->slopes = GMC_NEW(scratch, n, gmc_dual_slope);
    double *x = GMC_NEW(scratch, 7 * 3 * n, double);
    if (!a->slopes || !x) return GMC_E_ARENA_FULL;
    double **vectors[] = {&a->x, &a->z, &a->z_old, &a->y, &a->f, &a->Wx, &a->w};
    for (int i = 0; i < GMC_COUNT(vectors); i++, x += 3 * n)
        *vectors[i] = x;
    return GMC_OK;
}

// ---- ρ -----------------------------------------------------------------------------------------

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/// Largest eigenvalue of W by power iteration from a start that no symmetry makes orthogonal.
static double largest_eigenvalue(admm *a)
{
    int size = 3 * a->normal->unit_count;
    double L = 0;
    for (int i = 0; i < size; i++)
        a->x[i] = 1 + 1.0 / (i + 2);
    for (int k = 0; k < POWER_ITERATIONS; k++) {
        double length = norm(a->x, size);
        if (!(length > 0)) return 1;
        for (int i = 0; i < size; i++)
            a->x[i] /= length;
        gmc_dual_answer(a->normal, a->x, a->w);
        for (int i = 0; i < size; i++)
            a->x[i] = a->w[i] - a->normal->q[i];
        L = norm(a->x, size);
    }
    return L > 0 && L < HUGE_VAL ? L : 1;
}

static bool factor(admm *a)
{
    double A = a->options->proximal + a->rho;
    for (int c = 0; c < a->normal->unit_count; c++)
        a->slopes[c] = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_PLAIN,
                                        .A = {A, 0, 0, 0, A, 0, 0, 0, A},
                                        .B = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        .inverse = {1 / A, 0, 0, 0, 1 / A, 0, 0, 0, 1 / A}};
    return gmc_dual_system_factor(a->system, a->slopes);
}

// ---- one iteration -----------------------------------------------------------------------------

/// Euclidean projection on |t| <= mu n, or on the box.
static void project(const gmc_dual_unit *unit, const double y[3], double p[3])
{
    double mu = unit->friction, size = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (unit->is_box) {
        gmc_dual_project(unit, y, p);
    } else if (size <= mu * y[0]) {
        memcpy(p, y, 3 * sizeof *p);
    } else if (!(mu * size > -y[0])) {
        p[0] = p[1] = p[2] = 0;
    } else {
        double n = (y[0] + mu * size) / (1 + mu * mu), scale = size > 0 ? mu * n / size : 0;
        p[0] = n;
        p[1] = scale * y[1];
        p[2] = scale * y[2];
    }
}

static double shift(const gmc_dual_unit *unit, const double y[3])
{
    return unit->is_box ? 0 : unit->friction * sqrt(y[1] * y[1] + y[2] * y[2]);
}

/// @param primal, dual  out: |x - z| and ρ |z - z_old|
static void admm_iterate_once(admm *a, double *primal, double *dual)
{
    const gmc_dual *normal = a->normal;
    int size = 3 * normal->unit_count;
    double eta = a->options->proximal, rho = a->rho;
    for (int i = 0; i < size; i++)
        a->f[i] = normal->q[i] + a->y[i] - eta * a->x[i] - rho * a->z[i];
    for (int c = 0; c < normal->unit_count; c++)
        a->f[3 * c] += shift(&normal->units[c], a->y + 3 * c);
    gmc_dual_system_solve(a->system, a->slopes, a->f, a->x, a->Wx);
    memcpy(a->z_old, a->z, (size_t)size * sizeof(double));
    *primal = *dual = 0;
    for (int c = 0; c < normal->unit_count; c++) {
        double *x = a->x + 3 * c, *y = a->y + 3 * c, *z = a->z + 3 * c;
        double trial[3] = {x[0] + y[0] / rho, x[1] + y[1] / rho, x[2] + y[2] / rho};
        project(&normal->units[c], trial, z);
        for (int i = 0; i < 3; i++) {
            double gap = x[i] - z[i], change = rho * (z[i] - a->z_old[3 * c + i]);
            y[i] += rho * gap;
            *primal += gap * gap;
            *dual += change * change;
        }
    }
    *primal = sqrt(*primal);
    *dual = sqrt(*dual);
}

static void admm_judge(admm *a, double *r, gmc_admm_result *result)
{
    gmc_dual_answer(a->normal, a->z, a->w);
    double residual = gmc_dual_defect(a->normal, a->z, a->w);
    if (!(residual < result->residual)) return;
    result->residual = residual;
    memcpy(r, a->z, 3 * (size_t)a->normal->unit_count * sizeof(double));
}

/// y at the start: what would make x = z = r a fixed point.
static void admm_start(admm *a, const double *r)
{
    int size = 3 * a->normal->unit_count;
    memcpy(a->z, r, (size_t)size * sizeof(double));
    for (int c = 0; c < a->normal->unit_count; c++)
        gmc_dual_project(&a->normal->units[c], a->z + 3 * c, a->z + 3 * c);
    memcpy(a->x, a->z, (size_t)size * sizeof(double));
    gmc_dual_answer(a->normal, a->z, a->y);
    for (int c = 0; c < a->normal->unit_count; c++) {
        a->y[3 * c] += shift(&a->normal->units[c], a->y + 3 * c);
        for (int i = 0; i < 3; i++)
            a->y[3 * c + i] *= -1;
    }
}

static void admm_solve(admm *a, double *r, gmc_admm_result *result)
{
    const gmc_admm_options *options = a->options;
    double L = largest_eigenvalue(a), spread = L / options->proximal;
    double lowest = sqrt(L * options->proximal), change = gmc_pow(spread, options->power_step);
    a->rho = lowest * gmc_pow(spread, options->power);
    admm_start(a, r);
    admm_judge(a, r, result);
    bool is_factored = false;
    while (!(result->residual <= options->tolerance) &&
           result->iterations < options->iteration_max) {
        double primal, dual;
        if (!is_factored && !factor(a)) return;
        if (!is_factored) result->factorisations++;
        is_factored = true;
        admm_iterate_once(a, &primal, &dual);
        result->iterations++;
        if (!(primal + dual < HUGE_VAL)) return;
        if (result->iterations % CHECK_EVERY == 0) admm_judge(a, r, result);
        if (result->iterations % UPDATE_EVERY != 0) continue;
        double rho = primal > options->ratio * dual   ? a->rho * change
                     : dual > options->ratio * primal ? a->rho / change
                                                      : a->rho;
        rho = fmin(fmax(rho, lowest / change), L);
        is_factored = rho == a->rho;
        a->rho = rho;
    }
}

gmc_status gmc_admm_solve(gmc_dual_system *system, const gmc_admm_options *options, double *r,
                          gmc_arena *scratch, gmc_admm_result *result)
{
    GMC_ASSERT(options->proximal > 0 && options->ratio > 1);
    admm a = {.normal = system->normal, .system = system, .options = options};
    size_t mark = gmc_arena_mark(scratch);
    *result = (gmc_admm_result){.residual = HUGE_VAL};
    if (admm_make_room(&a, scratch) != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    admm_solve(&a, r, result);
    gmc_arena_reset(scratch, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
