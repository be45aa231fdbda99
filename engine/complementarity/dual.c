#include "engine/complementarity/dual.h"

// ---- scales ------------------------------------------------------------------------------------

static double positive_or_one(double x) { return x > 0 && x < HUGE_VAL ? x : 1; }

static void unit_weights(const gmc_dual_unit *unit, const double W[9], double weight[3])
{
    double mean = positive_or_one((W[0] + W[4] + W[8]) * (1.0 / 3));
    for (int i = 0; i < 3; i++)
        weight[i] = unit->is_box ? positive_or_one(W[4 * i]) : mean;
}

static double unit_size(const gmc_dual_unit *unit, const double weight[3], const double q[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double wanted = -q[i] / weight[i];
        if (unit->is_box)
            wanted = gmc_ncp_clamp(wanted, unit->lower[i], unit->upper[i]);
        else if (i == 0)
            wanted = fmax(wanted, 0);
        sum += wanted * wanted * weight[i];
    }
    return sum;
}

gmc_status gmc_dual_scale(const gmc_dual *problem, gmc_arena *arena, gmc_dual_scales *scales)
{
    double sum = 0;
    scales->weight = GMC_NEW(arena, 3 * problem->unit_count, double);
    if (!scales->weight) return GMC_E_ARENA_FULL;
    for (int c = 0; c < problem->unit_count; c++) {
        double *weight = scales->weight + 3 * c;
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++)
            if (problem->other[k] == c)
                unit_weights(&problem->units[c], problem->W + 9 * (size_t)k, weight);
        sum += unit_size(&problem->units[c], weight, problem->q + 3 * c);
    }
    scales->size = fmax(sqrt(sum), GMC_NCP_SMALLEST);
    return GMC_OK;
}

// ---- residual ----------------------------------------------------------------------------------

void gmc_dual_answer(const gmc_dual *problem, const double *r, double *w)
{
    const double *W = problem->W;
    const int *other = problem->other;
    for (int c = 0; c < problem->unit_count; c++) {
        const double *q = problem->q + 3 * c;
        double w0 = q[0], w1 = q[1], w2 = q[2];
        for (int count = problem->start[c + 1] - problem->start[c]; count > 0; count--, W += 9) {
            const double *x = r + 3 * *other++;
            w0 += W[0] * x[0] + W[1] * x[1] + W[2] * x[2];
            w1 += W[3] * x[0] + W[4] * x[1] + W[5] * x[2];
            w2 += W[6] * x[0] + W[7] * x[1] + W[8] * x[2];
        }
        w[3 * c] = w0;
        w[3 * c + 1] = w1;
        w[3 * c + 2] = w2;
    }
}

double gmc_dual_judge_scaled(const gmc_dual *problem, const gmc_dual_scales *scales,
                             const double *r, double *w)
{
    double sum = 0;
    gmc_dual_answer(problem, r, w);
    for (int c = 0; c < problem->unit_count; c++) {
        const double *weight = scales->weight + 3 * c, *rc = r + 3 * c, *wc = w + 3 * c;
        double y[3], p[3];
        for (int i = 0; i < 3; i++)
            y[i] = rc[i] - wc[i] / weight[i];
        gmc_dual_project(&problem->units[c], y, p);
        for (int i = 0; i < 3; i++) {
            double defect = rc[i] - p[i];
            // a NaN in y may project to something finite: let it show here
            sum += defect * defect * weight[i] + 0 * y[i];
        }
    }
    return sqrt(sum) / scales->size;
}

// ---- normalised form ---------------------------------------------------------------------------

gmc_status gmc_dual_normalise(const gmc_dual *problem, const gmc_dual_scales *scales,
                              gmc_arena *arena, gmc_dual *normal)
{
    int count = problem->unit_count, block_count = problem->start[count];
    gmc_dual_unit *units = GMC_NEW(arena, count, gmc_dual_unit);
    double *W = GMC_NEW(arena, 9 * block_count, double);
    double *q = GMC_NEW(arena, 3 * count, double);
    if (!units || !W || !q) return GMC_E_ARENA_FULL;

    // q holds 1/√w until the blocks are done
    for (int i = 0; i < 3 * count; i++)
        q[i] = 1 / sqrt(scales->weight[i]);
    for (int c = 0; c < count; c++)
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++) {
            const double *from = problem->W + 9 * (size_t)k, *left = q + 3 * c;
            const double *right = q + 3 * problem->other[k];
            double *to = W + 9 * (size_t)k;
            for (int i = 0; i < 9; i++)
                to[i] = from[i] * left[i / 3] * right[i % 3];
        }
    for (int c = 0; c < count; c++) {
        units[c] = problem->units[c];
        for (int i = 0; i < 3; i++) {
            double larger = 1 / (q[3 * c + i] * scales->size);
            units[c].lower[i] *= larger;
            units[c].upper[i] *= larger;
        }
    }
    for (int i = 0; i < 3 * count; i++)
        q[i] *= problem->q[i] / scales->size;
    *normal = (gmc_dual){count, units, problem->start, problem->other, W, q};
    return GMC_OK;
}

double gmc_dual_defect(const gmc_dual *normal, const double *x, const double *w)
{
    double sum = 0;
    for (int c = 0; c < normal->unit_count; c++) {
        const double *xc = x + 3 * c, *wc = w + 3 * c;
        double y[3] = {xc[0] - wc[0], xc[1] - wc[1], xc[2] - wc[2]}, p[3];
        gmc_dual_project(&normal->units[c], y, p);
        for (int i = 0; i < 3; i++)
            sum += (xc[i] - p[i]) * (xc[i] - p[i]) + 0 * y[i];
    }
    return sqrt(sum);
}
