// The sweep goes over the units in the problem's order: a fixed order keeps the bits. Anderson's
// least squares is posed in normalised impulses, so that normal impulses of heavy and light bodies
// and torques weigh alike.
#include "engine/complementarity/nsgs.h"

#include "engine/complementarity/dual_ncp.h"
#include "engine/math/dense.h"

#include <string.h>

// ---- one contact -------------------------------------------------------------------------------

// One contact: eliminating r_N from the tangential equations leaves (S + α) t = -b with
// S = W_TT - W_TN W_NT / W_NN; α = 0 is stick. Slip asks for the α >= 0 with |t(α)| = mu r_N(α). In
// the eigenbasis of the 2 x 2 S, t(α) is explicit, and the root is bracketed by α = 0 (outside the
// cone) and α = ∞ (t = 0, r_N > 0).

enum { ROOT_STEPS_MAX = 60 };               ///< bisection alone would end there
static const double ROOT_TOLERANCE = 1e-15; ///< relative width or defect at which the root is found

typedef struct slip_line {
    double s1, s2, b1, b2; ///< eigenvalues of S, -t's numerator in its basis
    double c1, c2;         ///< W_NT in that basis
    double q_n, inverse_nn, friction;
    double t1, t2, r_n; ///< at the last α asked for
} slip_line;

/// mu r_N - |t| at α, negative outside the cone; *slope its derivative.
static double slip_defect(slip_line *line, double alpha, double *slope)
{
    double d1 = 1 / (line->s1 + alpha), d2 = 1 / (line->s2 + alpha);
    line->t1 = -line->b1 * d1;
    line->t2 = -line->b2 * d2;
    line->r_n = -(line->q_n + line->c1 * line->t1 + line->c2 * line->t2) * line->inverse_nn;
    double size = sqrt(line->t1 * line->t1 + line->t2 * line->t2);
    double dt1 = -line->t1 * d1, dt2 = -line->t2 * d2;
    double dr_n = -(line->c1 * dt1 + line->c2 * dt2) * line->inverse_nn;
    double dsize = size > 0 ? (line->t1 * dt1 + line->t2 * dt2) / size : 0;
    *slope = line->friction * dr_n - dsize;
    return line->friction * line->r_n - size;
}

/// Newton, kept inside a bracket; halves it where Newton would leave.
static void find_slip(slip_line *line)
{
    double slope, low = 0, high = fmax(line->s1, line->s2);
    while (!(slip_defect(line, high, &slope) > 0) && high < HUGE_VAL) {
        low = high;
        high *= 8;
    }
    double alpha = high;
    for (int i = 0; i < ROOT_STEPS_MAX; i++) {
        double defect = slip_defect(line, alpha, &slope);
        if (fabs(defect) <= ROOT_TOLERANCE * line->friction * fabs(line->r_n)) return;
        if (defect > 0)
            high = alpha;
        else
            low = alpha;
        if (high - low <= ROOT_TOLERANCE * high) return;
        double next = alpha - defect / slope;
        alpha = next > low && next < high ? next : 0.5 * (low + high);
    }
}

void gmc_nsgs_contact(const double W[9], const double q[3], double friction, double r[3])
{
    r[0] = r[1] = r[2] = 0;
    if (!(q[0] < 0)) return;
    double inverse_nn = 1 / W[0];
    double s11 = W[4] - W[1] * W[1] * inverse_nn, s22 = W[8] - W[2] * W[2] * inverse_nn;
    double s12 = W[5] - W[1] * W[2] * inverse_nn;
    double b1 = q[1] - W[1] * q[0] * inverse_nn, b2 = q[2] - W[2] * q[0] * inverse_nn;

    // stick, if it stays inside the cone
    double inverse_det = 1 / (s11 * s22 - s12 * s12);
    double t1 = -(s22 * b1 - s12 * b2) * inverse_det, t2 = -(s11 * b2 - s12 * b1) * inverse_det;
    double r_n = -(q[0] + W[1] * t1 + W[2] * t2) * inverse_nn;
    if (r_n > 0 && t1 * t1 + t2 * t2 <= friction * friction * r_n * r_n) {
        r[0] = r_n;
        r[1] = t1;
        r[2] = t2;
        return;
    }
    if (!(friction > 0)) {
        r[0] = -q[0] * inverse_nn;
        return;
    }

    // slip, in the eigenbasis (x, y), (-y, x) of S
    double mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22),
           spread = sqrt(half * half + s12 * s12);
    double x = 1, y = 0;
    if (spread > 0) {
        x = half >= 0 ? spread + half : s12;
        y = half >= 0 ? s12 : spread - half;
        double size = sqrt(x * x + y * y);
        x = size > 0 ? x / size : 1;
        y = size > 0 ? y / size : 0;
    }
    slip_line line = {.s1 = mean + spread,
                      .s2 = mean - spread,
                      .b1 = x * b1 + y * b2,
                      .b2 = x * b2 - y * b1,
                      .c1 = x * W[1] + y * W[2],
                      .c2 = x * W[2] - y * W[1],
                      .q_n = q[0],
                      .inverse_nn = inverse_nn,
                      .friction = friction};
    find_slip(&line);
    r[0] = line.r_n;
    r[1] = x * line.t1 - y * line.t2;
    r[2] = y * line.t1 + x * line.t2;
    double y_trial[3] = {r[0], r[1], r[2]};
    gmc_ncp_project(y_trial, friction, r);
}

// ---- all of them -------------------------------------------------------------------------------

enum {
    MEMORY = 5,      ///< of the mixing: 3 to 10 times fewer sweeps than without it
    CHECK_EVERY = 8, ///< sweeps between two looks at the residual
};
static const double TIKHONOV = 1e-12; ///< relative, on the normal equations

/// A contact whose own block is singular (it stands at an edge of what can move) is solved with
/// this much on its diagonal, as a proximal step: the fixed point stays where it is.
static const double SOFTNESS = 1e-10;

typedef struct sweeping {
    const gmc_dual *normal;
    int size;                             ///< 3 * unit_count
    double *own;                          ///< (9 per unit) diagonal blocks
    double *x, *swept;                    ///< (size) impulses before and after a sweep
    double *f, *f_old, *swept_old, *safe; ///< (size)
    double *w;                            ///< (size)
    double *dF, *dG;                      ///< (MEMORY x size) differences, oldest overwritten first
    int stored, next;                     ///< columns of dF in use, and the one to overwrite
} sweeping;

/// Diagonal blocks, in the order of units. (9 per unit) out.
static void take_diagonal(const gmc_dual *problem, double *diagonal)
{
    for (int c = 0; c < problem->unit_count; c++)
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++)
            if (problem->other[k] == c)
                memcpy(diagonal + 9 * c, problem->W + 9 * (size_t)k, 9 * sizeof(double));
}

static gmc_status nsgs_make_room(sweeping *s, gmc_arena *scratch)
{
    size_t units = (size_t)s->normal->unit_count, size = 3 * units;
    double *room = GMC_NEW(scratch, 9 * units + (7 + 2 * MEMORY) * size, double);
    if (!room) return GMC_E_ARENA_FULL;
    s->own = room;
    room += 9 * units;
    double **vectors[] = {&s->x, &s->swept, &s->f, &s->f_old, &s->swept_old, &s->safe, &s->w};
    for (int i = 0; i < GMC_COUNT(vectors); i++, room += size)
        *vectors[i] = room;
    s->dF = room;
    s->dG = s->dF + MEMORY * size;
    take_diagonal(s->normal, s->own);
    return GMC_OK;
}

// ---- sweep -------------------------------------------------------------------------------------

/// q of one unit as it is with the others' impulses given.
static void others_answer(const sweeping *s, int unit, const double *x, double q[3])
{
    const gmc_dual *normal = s->normal;
    memcpy(q, normal->q + 3 * unit, 3 * sizeof *q);
    for (int k = normal->start[unit]; k < normal->start[unit + 1]; k++) {
        const double *W = normal->W + 9 * (size_t)k, *y = x + 3 * normal->other[k];
        if (normal->other[k] == unit) continue;
        for (int i = 0; i < 3; i++)
            q[i] += W[3 * i] * y[0] + W[3 * i + 1] * y[1] + W[3 * i + 2] * y[2];
    }
}

static void sweep_box(const gmc_dual_unit *unit, const double own[9], const double q[3], double *x)
{
    for (int i = 0; i < 3; i++) {
        double w = q[i] + own[3 * i] * x[0] + own[3 * i + 1] * x[1] + own[3 * i + 2] * x[2];
        x[i] = gmc_ncp_clamp(x[i] - w / (own[4 * i] + SOFTNESS), unit->lower[i], unit->upper[i]);
    }
}

static void sweep_contact(double friction, const double own[9], const double q[3], double *x)
{
    double soft[9], aim[3];
    memcpy(soft, own, sizeof soft);
    for (int i = 0; i < 3; i++) {
        soft[4 * i] += SOFTNESS;
        aim[i] = q[i] - SOFTNESS * x[i];
    }
    gmc_nsgs_contact(soft, aim, friction, x);
}

static void sweep(const sweeping *s, double *x)
{
    for (int c = 0; c < s->normal->unit_count; c++) {
        const gmc_dual_unit *unit = &s->normal->units[c];
        double q[3];
        others_answer(s, c, x, q);
        if (unit->is_box)
            sweep_box(unit, s->own + 9 * c, q, x + 3 * c);
        else
            sweep_contact(unit->friction, s->own + 9 * c, q, x + 3 * c);
    }
}

static void project_all(const sweeping *s, double *x)
{
    for (int c = 0; c < s->normal->unit_count; c++)
        gmc_dual_project(&s->normal->units[c], x + 3 * c, x + 3 * c);
}

// ---- acceleration ------------------------------------------------------------------------------

static void remember(sweeping *s)
{
    double *dF = s->dF + (size_t)s->next * (size_t)s->size;
    double *dG = s->dG + (size_t)s->next * (size_t)s->size;
    for (int i = 0; i < s->size; i++) {
        dF[i] = s->f[i] - s->f_old[i];
        dG[i] = s->swept[i] - s->swept_old[i];
    }
    s->next = (s->next + 1) % MEMORY;
    if (s->stored < MEMORY) s->stored++;
}

/// γ that makes |f - dF γ| smallest, by normal equations; false if they are not positive definite.
static bool mixing(const sweeping *s, double gamma[MEMORY])
{
    enum { STRIDE = (MEMORY + 1) & ~1 };
    double normal[MEMORY * STRIDE] = {0}, inverse_d[MEMORY];
    int last[MEMORY];
    for (int i = 0; i < s->stored; i++) {
        const double *a = s->dF + (size_t)i * (size_t)s->size;
        for (int j = i; j < s->stored; j++)
            normal[i * STRIDE + j] = gmc_dense_dot(a, s->dF + (size_t)j * (size_t)s->size, s->size);
        normal[i * STRIDE + i] *= 1 + TIKHONOV;
        gamma[i] = gmc_dense_dot(a, s->f, s->size);
    }
    gmc_mat A = {normal, s->stored, s->stored, STRIDE};
    if (!gmc_mat_ldlt_factor(A, last, inverse_d)) return false;
    gmc_mat_ldlt_solve(A, last, inverse_d, gamma);
    return true;
}

/// From swept = G(x) to the next x: swept - dG γ, inside the cones.
static void nsgs_mix(sweeping *s)
{
    double gamma[MEMORY];
    memcpy(s->x, s->swept, (size_t)s->size * sizeof(double));
    if (s->stored == 0 || !mixing(s, gamma)) {
        s->stored = s->next = 0;
        return;
    }
    for (int k = 0; k < s->stored; k++) {
        const double *dG = s->dG + (size_t)k * (size_t)s->size;
        for (int i = 0; i < s->size; i++)
            s->x[i] -= gamma[k] * dG[i];
    }
    project_all(s, s->x);
}

/// One sweep and, if asked for, one mixing. When the sweep's change doubles, the memory is dropped
/// and the last sweep's plain result is taken up again.
static void advance(sweeping *s, bool accelerate, bool is_first, double *change_old)
{
    size_t bytes = (size_t)s->size * sizeof(double);
    memcpy(s->swept, s->x, bytes);
    sweep(s, s->swept);
    for (int i = 0; i < s->size; i++)
        s->f[i] = s->swept[i] - s->x[i];
    double change = sqrt(gmc_dense_dot(s->f, s->f, s->size));
    if (!accelerate) {
        memcpy(s->x, s->swept, bytes);
        return;
    }
    if (!is_first && !(change <= 2 * *change_old)) {
        s->stored = s->next = 0;
        memcpy(s->x, s->safe, bytes);
        *change_old = HUGE_VAL;
        return;
    }
    if (!is_first && *change_old < HUGE_VAL) remember(s);
    memcpy(s->f_old, s->f, bytes);
    memcpy(s->swept_old, s->swept, bytes);
    memcpy(s->safe, s->swept, bytes);
    *change_old = change;
    nsgs_mix(s);
}

gmc_status gmc_nsgs_run(const gmc_dual *normal, const gmc_nsgs_options *options, double *x,
                        gmc_arena *scratch, gmc_nsgs_result *result)
{
    sweeping s = {.normal = normal, .size = 3 * normal->unit_count};
    size_t mark = gmc_arena_mark(scratch), bytes = (size_t)s.size * sizeof(double);
    *result = (gmc_nsgs_result){.residual = NAN};
    if (nsgs_make_room(&s, scratch) != GMC_OK) return GMC_E_ARENA_FULL;
    memcpy(s.x, x, bytes);
    project_all(&s, s.x);

    double change = HUGE_VAL;
    while (result->sweeps < options->sweep_max) {
        advance(&s, options->accelerate, result->sweeps == 0, &change);
        result->sweeps++;
        if (result->sweeps % CHECK_EVERY != 0 && result->sweeps != options->sweep_max) continue;
        gmc_dual_answer(normal, s.x, s.w);
        result->residual = gmc_dual_defect(normal, s.x, s.w);
        if (!(result->residual > options->tolerance)) break;
    }
    memcpy(x, s.x, bytes);
    gmc_arena_reset(scratch, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}

// ---- a problem in velocities -------------------------------------------------------------------

gmc_status gmc_nsgs_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                          const gmc_nsgs_options *options, gmc_ncp_solution *iterate,
                          gmc_arena *scratch, gmc_nsgs_result *result)
{
    gmc_dual_ncp_normal pair;
    size_t mark = gmc_arena_mark(scratch);
    *result = (gmc_nsgs_result){.residual = NAN};
    gmc_status status = gmc_dual_ncp_normal_create(problem, iterate, scratch, &pair);

    // the two judges weigh the contacts a little differently: where the sweeps' own tolerance was
    // met and the problem's was not, they go on below it
    gmc_nsgs_options inner = *options;
    if (status == GMC_OK) inner.tolerance *= scales->momentum / pair.scales.size;
    while (status == GMC_OK) {
        gmc_nsgs_result run;
        inner.sweep_max = options->sweep_max - result->sweeps;
        status = gmc_nsgs_run(&pair.normal, &inner, pair.x, scratch, &run);
        if (status == GMC_E_ARENA_FULL) break;
        result->sweeps += run.sweeps;
        result->residual = gmc_dual_ncp_normal_judge(&pair, scales, iterate);
        if (result->residual <= options->tolerance || result->sweeps >= options->sweep_max) break;
        inner.tolerance *= 0.1;
    }
    gmc_arena_reset(scratch, mark);
    if (status != GMC_OK && status != GMC_E_NO_SOLUTION) return status;
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
