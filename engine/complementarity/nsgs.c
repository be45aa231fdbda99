#include "engine/complementarity/nsgs.h"

#include "engine/math/dense.h"

#include <string.h>

// The sweep goes over the contacts, then over the rows, in the problem's order: a fixed order keeps
// the bits. Anderson's least squares is posed in impulses times √(w + R), so that normal impulses
// of heavy and light bodies and torques weigh alike.

enum {
    MEMORY = 5,      ///< SOLVERS.md §4.4
    CHECK_EVERY = 8, ///< sweeps between two looks at the residual
};
static const double TIKHONOV = 1e-12; ///< relative, on the normal equations

// ---- the dual problem -------------------------------------------------------------------------

typedef struct nsgs {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    int size;                             ///< N = 3 contact_count + row_count
    double *X;                            ///< (N x dof_count) rows of (M⁻¹ Jᵀ)ᵀ
    double *W;                            ///< (N x N) J M⁻¹ Jᵀ
    double *v_free;                       ///< (dof_count) M⁻¹ p*
    double *q;                            ///< (N) J v* + b
    double *weight;                       ///< (N) w + R
    double *x, *swept;                    ///< (N) impulses before and after a sweep
    double *f, *f_old, *swept_old, *safe; ///< (N)
    double *dF, *dG;                      ///< (MEMORY x N) differences, oldest overwritten first
    int stored, next;                     ///< columns of dF in use, and the one to overwrite
} nsgs;

size_t gmc_nsgs_bytes(int dof_count, int contact_count, int row_count)
{
    size_t n = (size_t)dof_count, N = 3 * (size_t)contact_count + (size_t)row_count;
    size_t stride = (size_t)gmc_mat_stride(dof_count);
    size_t doubles = N * n + N * N + (8 + 2 * MEMORY) * N + n * stride + 2 * n;
    return doubles * sizeof(double) + n * sizeof(int) + (size_t)2 * 64;
}

static double dot_row(const gmc_ncp *problem, int row, const double *x)
{
    if (row >= 3 * problem->contact_count)
        return gmc_ncp_row_velocity(&problem->rows[row - 3 * problem->contact_count], x);
    const gmc_ncp_contact *contact = &problem->contacts[row / 3];
    double sum = 0;
    for (int k = 0; k < contact->column_count; k++)
        sum += contact->J[3 * k + row % 3] * x[contact->columns[k]];
    return sum;
}

static void spread_row(const gmc_ncp *problem, int row, double *x)
{
    memset(x, 0, (size_t)problem->dof_count * sizeof(double));
    if (row >= 3 * problem->contact_count) {
        const gmc_ncp_row *one = &problem->rows[row - 3 * problem->contact_count];
        for (int k = 0; k < one->column_count; k++)
            x[one->columns[k]] = one->J[k];
        return;
    }
    const gmc_ncp_contact *contact = &problem->contacts[row / 3];
    for (int k = 0; k < contact->column_count; k++)
        x[contact->columns[k]] = contact->J[3 * k + row % 3];
}

static double row_bias(const gmc_ncp *problem, int row)
{
    int first = 3 * problem->contact_count;
    return row < first ? problem->contacts[row / 3].bias[row % 3] : problem->rows[row - first].bias;
}

static double row_weight(const nsgs *w, int row)
{
    int first = 3 * w->problem->contact_count;
    if (row >= first) return w->scales->row[row - first] + w->problem->rows[row - first].compliance;
    const gmc_ncp_contact *contact = &w->problem->contacts[row / 3];
    return w->scales->contact[row / 3] +
           (row % 3 == 0 ? contact->compliance_n : contact->compliance_t);
}

static gmc_status build(nsgs *w, gmc_arena *scratch)
{
    const gmc_ncp *problem = w->problem;
    int n = problem->dof_count, stride = gmc_mat_stride(n);
    size_t un = (size_t)n, N = (size_t)w->size, ustride = (size_t)stride;
    double *room =
        gmc_arena_doubles(scratch, N * un + N * N + (8 + 2 * MEMORY) * N + un * ustride + 2 * un);
    int *last = gmc_arena_take(scratch, un, sizeof(int));
    if (!room || !last) return GMC_E_ARENA_FULL;
    w->X = room;
    w->W = w->X + N * un;
    double **vectors[] = {&w->q, &w->weight, &w->x,         &w->swept,
                          &w->f, &w->f_old,  &w->swept_old, &w->safe};
    room = w->W + N * N;
    for (int i = 0; i < GMC_COUNT(vectors); i++, room += N)
        *vectors[i] = room;
    w->dF = room;
    w->dG = w->dF + MEMORY * N;
    gmc_mat M = {w->dG + MEMORY * N, n, n, stride};
    double *inverse_d = M.x + un * ustride;
    w->v_free = inverse_d + un;

    for (size_t i = 0; i < un; i++)
        memcpy(M.x + i * ustride, problem->mass + i * un, un * sizeof(double));
    if (!gmc_mat_ldlt_factor(M, last, inverse_d)) return GMC_E_NO_SOLUTION;
    memcpy(w->v_free, problem->momentum, un * sizeof(double));
    gmc_mat_ldlt_solve(M, last, inverse_d, w->v_free);
    for (int j = 0; j < w->size; j++) {
        double *column = w->X + (size_t)j * un;
        spread_row(problem, j, column);
        gmc_mat_ldlt_solve(M, last, inverse_d, column);
        for (int i = 0; i < w->size; i++)
            w->W[(size_t)i * N + (size_t)j] = dot_row(problem, i, column);
        w->q[j] = dot_row(problem, j, w->v_free) + row_bias(problem, j);
        w->weight[j] = row_weight(w, j);
    }
    return GMC_OK;
}

// ---- sweep ------------------------------------------------------------------------------------

static double row_times(const nsgs *w, int row, const double *x)
{
    const double *W = w->W + (size_t)row * (size_t)w->size;
    double sum = w->q[row];
    for (int j = 0; j < w->size; j++)
        sum += W[j] * x[j];
    return sum;
}

static void sweep(const nsgs *w, double *x)
{
    const gmc_ncp *problem = w->problem;
    size_t N = (size_t)w->size;
    for (int c = 0; c < problem->contact_count; c++) {
        const gmc_ncp_contact *contact = &problem->contacts[c];
        double own[9], q[3], *r = x + 3 * c;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                own[3 * i + j] = w->W[(size_t)(3 * c + i) * N + (size_t)(3 * c + j)];
        for (int i = 0; i < 3; i++) {
            q[i] = row_times(w, 3 * c + i, x);
            for (int j = 0; j < 3; j++)
                q[i] -= own[3 * i + j] * r[j];
        }
        own[0] += contact->compliance_n;
        own[4] += contact->compliance_t;
        own[8] += contact->compliance_t;
        gmc_nsgs_contact(own, q, contact->friction, r);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        int k = 3 * problem->contact_count + i;
        double own = w->W[(size_t)k * N + (size_t)k];
        double q = row_times(w, k, x) - own * x[k];
        x[k] = gmc_ncp_clamp(-q / (own + row->compliance), row->lower, row->upper);
    }
}

/// v = v* + M⁻¹ Jᵀ x, and the judge's word on it.
static double judge(const nsgs *w, const double *x, double *v)
{
    int n = w->problem->dof_count;
    memcpy(v, w->v_free, (size_t)n * sizeof(double));
    for (int j = 0; j < w->size; j++) {
        const double *column = w->X + (size_t)j * (size_t)n;
        for (int i = 0; i < n && x[j] != 0; i++)
            v[i] += column[i] * x[j];
    }
    return gmc_ncp_judge_scaled(w->problem, w->scales, v, x, x + 3 * w->problem->contact_count);
}

// ---- acceleration -----------------------------------------------------------------------------

static double weighted_dot(const nsgs *w, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < w->size; i++)
        sum += w->weight[i] * a[i] * b[i];
    return sum;
}

static void remember(nsgs *w)
{
    double *dF = w->dF + (size_t)w->next * (size_t)w->size;
    double *dG = w->dG + (size_t)w->next * (size_t)w->size;
    for (int i = 0; i < w->size; i++) {
        dF[i] = w->f[i] - w->f_old[i];
        dG[i] = w->swept[i] - w->swept_old[i];
    }
    w->next = (w->next + 1) % MEMORY;
    if (w->stored < MEMORY) w->stored++;
}

/// γ that makes |f - dF γ| smallest, by normal equations; false if they are not positive definite.
static bool mixing(const nsgs *w, double gamma[MEMORY])
{
    enum { STRIDE = (MEMORY + 1) & ~1 };
    double normal[MEMORY * STRIDE] = {0}, inverse_d[MEMORY];
    int last[MEMORY];
    for (int i = 0; i < w->stored; i++) {
        const double *a = w->dF + (size_t)i * (size_t)w->size;
        for (int j = i; j < w->stored; j++)
            normal[i * STRIDE + j] = weighted_dot(w, a, w->dF + (size_t)j * (size_t)w->size);
        normal[i * STRIDE + i] *= 1 + TIKHONOV;
        gamma[i] = weighted_dot(w, a, w->f);
    }
    gmc_mat A = {normal, w->stored, w->stored, STRIDE};
    if (!gmc_mat_ldlt_factor(A, last, inverse_d)) return false;
    gmc_mat_ldlt_solve(A, last, inverse_d, gamma);
    return true;
}

static void project_all(const nsgs *w, double *x)
{
    const gmc_ncp *problem = w->problem;
    for (int c = 0; c < problem->contact_count; c++) {
        double y[3] = {x[3 * c], x[3 * c + 1], x[3 * c + 2]};
        gmc_ncp_project(y, problem->contacts[c].friction, x + 3 * c);
    }
    double *s = x + 3 * problem->contact_count;
    for (int i = 0; i < problem->row_count; i++)
        s[i] = gmc_ncp_clamp(s[i], problem->rows[i].lower, problem->rows[i].upper);
}

/// From swept = G(x) to the next x: swept - dG γ, inside the cones.
static void mix(nsgs *w)
{
    double gamma[MEMORY];
    size_t bytes = (size_t)w->size * sizeof(double);
    memcpy(w->x, w->swept, bytes);
    if (w->stored == 0 || !mixing(w, gamma)) {
        w->stored = w->next = 0;
        return;
    }
    for (int k = 0; k < w->stored; k++) {
        const double *dG = w->dG + (size_t)k * (size_t)w->size;
        for (int i = 0; i < w->size; i++)
            w->x[i] -= gamma[k] * dG[i];
    }
    project_all(w, w->x);
}

/// One sweep and, if asked for, one mixing. When the sweep's change doubles, the memory is dropped
/// and the last sweep's plain result is taken up again.
static void advance(nsgs *w, bool accelerate, bool is_first, double *change_old)
{
    size_t bytes = (size_t)w->size * sizeof(double);
    memcpy(w->swept, w->x, bytes);
    sweep(w, w->swept);
    for (int i = 0; i < w->size; i++)
        w->f[i] = w->swept[i] - w->x[i];
    double change = sqrt(weighted_dot(w, w->f, w->f));
    if (!accelerate) {
        memcpy(w->x, w->swept, bytes);
        return;
    }
    if (!is_first && !(change <= 2 * *change_old)) {
        w->stored = w->next = 0;
        memcpy(w->x, w->safe, bytes);
        *change_old = HUGE_VAL;
        return;
    }
    if (!is_first && *change_old < HUGE_VAL) remember(w);
    memcpy(w->f_old, w->f, bytes);
    memcpy(w->swept_old, w->swept, bytes);
    memcpy(w->safe, w->swept, bytes);
    *change_old = change;
    mix(w);
}

gmc_status gmc_nsgs_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                          const gmc_nsgs_options *options, gmc_ncp_solution *iterate,
                          gmc_arena *scratch, gmc_nsgs_result *result)
{
    nsgs w = {.problem = problem,
              .scales = scales,
              .size = 3 * problem->contact_count + problem->row_count};
    size_t mark = gmc_arena_mark(scratch),
           r_bytes = 3 * (size_t)problem->contact_count * sizeof(double);
    size_t s_bytes = (size_t)problem->row_count * sizeof(double);
    *result = (gmc_nsgs_result){.residual = NAN};
    gmc_status status = build(&w, scratch);
    if (status != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return status;
    }
    memcpy(w.x, iterate->r, r_bytes);
    memcpy(w.x + 3 * problem->contact_count, iterate->s, s_bytes);
    project_all(&w, w.x);

    double change = HUGE_VAL;
    while (result->sweeps < options->sweep_max) {
        advance(&w, options->accelerate, result->sweeps == 0, &change);
        result->sweeps++;
        if (result->sweeps % CHECK_EVERY != 0 && result->sweeps != options->sweep_max) continue;
        result->residual = judge(&w, w.x, iterate->v);
        if (result->residual <= options->tolerance) break;
    }
    memcpy(iterate->r, w.x, r_bytes);
    memcpy(iterate->s, w.x + 3 * problem->contact_count, s_bytes);
    gmc_arena_reset(scratch, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
