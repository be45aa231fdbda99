#include "engine/pivoting/principal.h"

#include "engine/math/dense.h"

#include <math.h>

typedef struct basis {
    gmc_mat A; ///< M_BB, then its factors
    double *x, *inverse_d, *weight;
    int *of, *last, *pivot; ///< (size) unknown of each column of A; scratch
} basis;

static gmc_status principal_make_room(int size, gmc_arena *scratch, basis *b)
{
    size_t n = (size_t)size, stride = (size_t)gmc_mat_stride(size);
    double *x = GMC_ROOM(scratch, n * stride + 3 * n, double);
    b->of = GMC_ROOM(scratch, 3 * n, int);
    if (!x || !b->of) return GMC_E_ARENA_FULL;
    b->A.x = x;
    b->x = x + n * stride;
    b->inverse_d = b->x + n;
    b->weight = b->inverse_d + n;
    b->last = b->of + n;
    b->pivot = b->last + n;
    return GMC_OK;
}

/// z of the basis. @return false: it is singular
static bool solve_basis(const gmc_lcp *problem, const bool *is_basic, basis *b, double *z)
{
    int n = problem->size, m = 0;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        if (is_basic[i]) b->of[m++] = i;
    }
    b->A.rows = b->A.columns = m;
    b->A.stride = gmc_mat_stride(m);
    for (int k = 0; k < m; k++) {
        const double *from = problem->M + (size_t)b->of[k] * (size_t)n;
        double *row = b->A.x + k * b->A.stride;
        for (int j = 0; j < m; j++)
            row[j] = from[b->of[j]];
        if (m < b->A.stride) row[m] = 0; // scratch, but finite
        b->weight[k] = 1;
        b->x[k] = -problem->q[b->of[k]];
    }
    if (!gmc_mat_lu_factor(b->A, b->weight, b->pivot, b->last, b->inverse_d)) return false;
    gmc_mat_lu_solve(b->A, b->pivot, b->last, b->inverse_d, b->x);
    for (int k = 0; k < m; k++)
        z[b->of[k]] = b->x[k];
    return true;
}

/// Everything of the wrong sign changes sides, of z as it was solved for. @return whether anything
/// did
static bool exchange(const gmc_lcp *problem, bool *is_basic, const basis *b, double *z)
{
    bool has_changed = false;
    for (int k = 0; k < b->A.rows; k++)
        z[b->of[k]] = b->x[k];
    for (int i = 0; i < problem->size; i++) {
        bool is_wrong = is_basic[i] ? z[i] < 0 : gmc_lcp_answer(problem, z, i) < 0;
        has_changed = has_changed || is_wrong;
        is_basic[i] = is_basic[i] != is_wrong;
    }
    return has_changed;
}

static gmc_status exchange_until_solved(const gmc_lcp *problem,
                                        const gmc_principal_options *options, bool *is_basic,
                                        basis *b, double *z, gmc_principal_result *result)
{
    double scale = gmc_lcp_scale(problem);
    while (result->rounds < options->round_max && solve_basis(problem, is_basic, b, z)) {
        result->rounds++;
        for (int i = 0; i < problem->size; i++)
            if (z[i] < 0) z[i] = 0;
        result->residual = gmc_lcp_residual(problem, scale, z);
        if (result->residual <= options->residual_max) return GMC_OK;
        if (!exchange(problem, is_basic, b, z)) break;
    }
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_principal_solve(const gmc_lcp *problem, const gmc_principal_options *options,
                               bool *is_basic, double *z, gmc_arena *scratch,
                               gmc_principal_result *result)
{
    size_t mark = gmc_arena_mark(scratch);
    basis b;
    *result = (gmc_principal_result){.residual = NAN};
    gmc_status status = principal_make_room(problem->size, scratch, &b);
    if (status == GMC_OK) status = exchange_until_solved(problem, options, is_basic, &b, z, result);
    gmc_arena_reset(scratch, mark);
    return status;
}
