#include "engine/complementarity/newton_dense.h"

#include <string.h>

/// Entries of a system that are kept beside it: of one that gmc_mat_eliminate may spoil.
static size_t kept_count(int dof_count)
{
    return dof_count <= GMC_MAT_SMALL ? (size_t)dof_count * (size_t)gmc_mat_stride(dof_count) : 0;
}

gmc_status gmc_newton_dense_create(const gmc_ncp *problem, gmc_arena *scratch,
                                   gmc_newton_dense *system)
{
    size_t n = (size_t)problem->dof_count, stride = (size_t)gmc_mat_stride((int)n);
    size_t kept = kept_count(problem->dof_count);
    double *x = GMC_ROOM(scratch, n * stride + 16 * n + kept, double);
    if (!x) return GMC_E_ARENA_FULL;
    int *last = (void *)(x + n * stride + 15 * n); // two ints where a double would stand
    *system = (gmc_newton_dense){.problem = problem,
                                 .H = {x, (int)n, (int)n, (int)stride},
                                 .H_kept = x + n * stride + 16 * n,
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

/// Column k of S with T.
static inline double product(const gmc_ncp_group *group, int k, const double *T)
{
    const double *S = group->S + 6 * k;
    if (k < group->hints.slide_count) return (S[0] * T[0] + S[1] * T[1]) + S[2] * T[2];
    return gmc_newton_group_dot(S, T);
}

/// T := K S of one column, K symmetric.
static inline void multiply(const double *restrict K, const double *restrict S, bool is_slide,
                            double *restrict T)
{
    for (int j = 0; j < 6; j++)
        T[j] = (S[0] * K[j] + S[1] * K[6 + j]) + S[2] * K[12 + j];
    for (int j = 0; j < 6 && !is_slide; j++)
        T[j] += (S[3] * K[18 + j] + S[4] * K[24 + j]) + S[5] * K[30 + j];
}

/// Entries of row k that belong to the dofs which are the group's motion itself, T = (K S)_k; above
/// the diagonal, wherever that is.
static inline void add_coupling(double *H, int stride, int k, int unit, double sign,
                                const double *T)
{
    if (k < unit) {
        gmc_newton_group_add_six(T, sign, H + k * stride + unit);
        return;
    }
    for (int i = 0; i < 6; i++)
        H[(unit + i) * stride + k] += sign * T[i];
}

/// The six dofs that are the group's motion itself: the upper triangle, row by row from the even
/// column.
static void add_unit(const double *restrict K, int stride, double *restrict H)
{
    for (int i = 0; i < 6; i += 2, K += 12, H += 2 * stride)
        for (int j = i; j < 6; j += 2) {
            double a = K[j], b = K[j + 1], c = K[6 + j], d = K[7 + j];
            H[j] += a;
            H[j + 1] += b;
            H[stride + j] += c;
            H[stride + j + 1] += d;
        }
}

/// H += Sᵀ K S on and above the diagonal.
static void assemble_symmetric(gmc_newton_dense *w, const gmc_ncp_group *group, const double K[36])
{
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    int unit = group->column_count > count ? columns[count] : -1;
    double *H = w->H.x;
    for (int k = 0; k < count; k++) {
        double T[6];
        multiply(K, group->S + 6 * k, k < group->hints.slide_count, T);
        for (int l = 0; l <= k; l++) {
            bool is_above = columns[l] <= columns[k];
            int i = is_above ? columns[l] : columns[k], j = is_above ? columns[k] : columns[l];
            H[i * stride + j] += product(group, l, T);
        }
        if (unit >= 0) add_coupling(H, stride, columns[k], unit, group->sign, T);
    }
    if (unit >= 0) add_unit(K, stride, H + unit * stride + unit);
}

/// H += Sᵀ K S
static void assemble_any(gmc_newton_dense *w, const gmc_ncp_group *group, const double K[36])
{
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    double *H = w->H.x;
    gmc_newton_group_multiply(group, K, false, w->KS);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            H[columns[k] * stride + columns[l]] += product(group, k, w->KS + 6 * l);
    if (group->column_count == count) return;

    int unit = columns[count];
    gmc_newton_group_multiply(group, K, true, w->KtS);
    for (int i = 0; i < 6; i++)
        gmc_newton_group_add_six(K + 6 * i, 1, H + (unit + i) * stride + unit);
    for (int k = 0; k < count; k++) {
        gmc_newton_group_add_six(w->KtS + 6 * k, group->sign, H + columns[k] * stride + unit);
        for (int i = 0; i < 6; i++)
            H[(unit + i) * stride + columns[k]] += group->sign * w->KS[6 * k + i];
    }
}

static void assemble(gmc_newton_dense *w, const gmc_newton_lines *lines)
{
    const gmc_newton_stiffness *stiffnesses = lines->stiffnesses;
    const gmc_newton_clamp *clamps = lines->clamps;
    const gmc_ncp *problem = w->problem;
    assemble_mass(w);
    for (int i = 0; i < problem->group_count; i++)
        if (stiffnesses[i].is_pressed && lines->is_symmetric)
            assemble_symmetric(w, &problem->groups[i], stiffnesses[i].K);
        else if (stiffnesses[i].is_pressed)
            assemble_any(w, &problem->groups[i], stiffnesses[i].K);
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

gmc_status gmc_newton_dense_solve(gmc_newton_dense *system, const gmc_newton_lines *lines,
                                  double *v)
{
    gmc_newton_dense *w = system;
    size_t size = (size_t)w->H.rows * sizeof(double);
    bool is_small = w->H.rows <= GMC_MAT_SMALL;
    assemble(w, lines);
    if (lines->is_symmetric) {
        if (!gmc_mat_ldlt_factor(w->H, w->last, w->inverse_d)) return GMC_E_NO_SOLUTION;
        gmc_mat_ldlt_solve(w->H, w->last, w->inverse_d, v);
        return GMC_OK;
    }
    if (is_small) {
        size_t all = (size_t)w->H.stride * size;
        memcpy(w->kept, v, size);
        memcpy(w->H_kept, w->H.x, all);
        if (gmc_mat_eliminate(w->H, v)) return GMC_OK;
        memcpy(v, w->kept, size);
        memcpy(w->H.x, w->H_kept, all);
    }
    memcpy(w->weight, lines->weight, size);
    if (!gmc_mat_lu_factor(w->H, w->weight, w->pivot, w->last, w->inverse_d))
        return GMC_E_NO_SOLUTION;
    gmc_mat_lu_solve(w->H, w->pivot, w->last, w->inverse_d, v);
    return GMC_OK;
}
