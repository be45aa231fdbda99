#include "engine/complementarity/newton_dense.h"

#include <string.h>

size_t gmc_newton_dense_bytes(int dof_count)
{
    size_t n = (size_t)dof_count, stride = (size_t)gmc_mat_stride(dof_count);
    return (n * stride + 16 * n) * sizeof(double) + 64;
}

gmc_status gmc_newton_dense_create(const gmc_ncp *problem, gmc_arena *scratch,
                                   gmc_newton_dense *system)
{
    size_t n = (size_t)problem->dof_count, stride = (size_t)gmc_mat_stride((int)n);
    double *x = gmc_arena_room(scratch, n * stride + 16 * n, sizeof *x);
    if (!x) return GMC_E_ARENA_FULL;
    int *last = (void *)(x + n * stride + 15 * n); // two ints where a double would stand
    *system = (gmc_newton_dense){.problem = problem,
                                 .H = {x, (int)n, (int)n, (int)stride},
                                 .KS = x + n * stride,
                                 .last = last,
                                 .pivot = last + n};
    system->KtS = system->KS + 6 * n;
    system->inverse_d = system->KtS + 6 * n;
    system->weight = system->inverse_d + n;
    system->kept = system->weight + n;
    return GMC_OK;
}

/// Short: a call would cost more.
static inline void copy(const double *restrict from, size_t count, double *restrict to)
{
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        to[i] = from[i];
        to[i + 1] = from[i + 1];
    }
    if (i < count) to[i] = from[i];
}

static void assemble_mass(gmc_newton_dense *w)
{
    const gmc_ncp *problem = w->problem;
    size_t n = (size_t)problem->dof_count, stride = (size_t)w->H.stride, stride_m;
    if (problem->mass_width == 0 && stride == n) { // zero outside of its blocks
        memcpy(w->H.x, problem->mass, n * n * sizeof(double));
        return;
    }
    memset(w->H.x, 0, n * stride * sizeof(double));
    for (int block = 0; block < problem->block_count; block++) {
        size_t from = (size_t)problem->block_start[block];
        size_t width = (size_t)problem->block_start[block + 1] - from;
        const double *row = gmc_ncp_mass_block(problem, block, &stride_m);
        double *to = w->H.x + from * stride + from;
        for (size_t i = 0; i < width; i++, row += stride_m, to += stride)
            copy(row, width, to);
    }
}

/// The six dofs that are the group's motion itself. All of K also where H is symmetric: what falls
/// below the diagonal is not read there.
static void add_unit(const double K[36], int stride, double *H)
{
    for (int i = 0; i < 6; i++)
        gmc_newton_group_add_six(K + 6 * i, 1, H + i * stride);
}

/// Column k of S with T.
static inline double product(const gmc_ncp_group *group, int k, const double *T)
{
    const double *S = group->S + 6 * k;
    if (k < group->slide_count) return (S[0] * T[0] + S[1] * T[1]) + S[2] * T[2];
    return gmc_newton_group_dot(S, T);
}

/// H += Sᵀ K S. Of a symmetric H the lower triangle is not written, or not right.
static void assemble_group(gmc_newton_dense *w, const gmc_ncp_group *group, const double K[36],
                           bool is_symmetric)
{
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    double *H = w->H.x, *KS = w->KS, *KtS = is_symmetric ? KS : w->KtS;
    gmc_newton_group_multiply(group, K, is_symmetric, KS);
    if (!is_symmetric) gmc_newton_group_multiply(group, K, true, KtS);
    for (int k = 0; k < count; k++) {
        double *row = H + columns[k] * stride, *column = H + columns[k];
        for (int l = 0; l < (is_symmetric ? k : count); l++) {
            double sum = product(group, k, KS + 6 * l);
            row[columns[l]] += sum;
            if (is_symmetric) column[columns[l] * stride] += sum; // whichever is above
        }
        if (is_symmetric) row[columns[k]] += product(group, k, KS + 6 * k);
    }
    if (group->column_count == count) return;

    int unit = columns[count];
    add_unit(K, stride, H + unit * stride + unit);
    for (int k = 0; k < count; k++) {
        bool is_before = columns[k] < unit;
        double *column = H + unit * stride + columns[k];
        if (is_before || !is_symmetric)
            gmc_newton_group_add_six(KtS + 6 * k, group->sign, H + columns[k] * stride + unit);
        if (!is_before || !is_symmetric)
            for (int i = 0; i < 6; i++)
                column[i * stride] += group->sign * KS[6 * k + i];
    }
}

static void assemble(gmc_newton_dense *w, const gmc_newton_stiffness *stiffnesses,
                     const gmc_newton_clamp *clamps, bool is_symmetric)
{
    const gmc_ncp *problem = w->problem;
    assemble_mass(w);
    for (int i = 0; i < problem->group_count; i++)
        if (stiffnesses[i].is_pressed)
            assemble_group(w, &problem->groups[i], stiffnesses[i].K, is_symmetric);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        if (clamps[i].g == 0) continue;
        for (int k = 0; k < row->column_count; k++) {
            double *H_row = w->H.x + row->columns[k] * w->H.stride;
            for (int j = 0; j < row->column_count; j++)
                H_row[row->columns[j]] += clamps[i].g * row->J[k] * row->J[j];
        }
    }
}

gmc_status gmc_newton_dense_solve(gmc_newton_dense *system, const gmc_newton_stiffness *stiffnesses,
                                  const gmc_newton_clamp *clamps, const double *weight,
                                  bool is_symmetric, double *v)
{
    gmc_newton_dense *w = system;
    size_t size = (size_t)w->H.rows * sizeof(double);
    bool is_small = w->H.rows <= GMC_MAT_SMALL;
    assemble(w, stiffnesses, clamps, is_symmetric);
    if (is_symmetric) {
        if (!gmc_mat_ldlt_factor(w->H, w->last, w->inverse_d)) return GMC_E_NO_SOLUTION;
        gmc_mat_ldlt_solve(w->H, w->last, w->inverse_d, v);
        return GMC_OK;
    }
    if (is_small) {
        memcpy(w->kept, v, size);
        if (gmc_mat_eliminate(w->H, v)) return GMC_OK;
        memcpy(v, w->kept, size);
        assemble(w, stiffnesses, clamps, is_symmetric);
    }
    memcpy(w->weight, weight, size);
    if (!gmc_mat_lu_factor(w->H, w->weight, w->pivot, w->last, w->inverse_d))
        return GMC_E_NO_SOLUTION;
    gmc_mat_lu_solve(w->H, w->pivot, w->last, w->inverse_d, v);
    return GMC_OK;
}
