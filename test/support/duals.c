#include "test/support/duals.h"

#include <string.h>

void gmc_duals_bind(gmc_duals *problem, int unit_count)
{
    int n = 3 * unit_count, blocks = 0;
    for (int c = 0; c < unit_count; c++) {
        problem->start[c] = blocks;
        for (int d = 0; d < unit_count; d++) {
            double *W = problem->W + 9 * blocks;
            bool is_zero = c != d;
            for (int i = 0; i < 9; i++) {
                W[i] = problem->dense[(3 * c + i / 3) * n + 3 * d + i % 3];
                if (W[i] != 0) is_zero = false;
            }
            if (!is_zero) problem->other[blocks++] = d;
        }
    }
    problem->start[unit_count] = blocks;
    problem->dual = (gmc_dual){unit_count,     problem->units, problem->start,
                               problem->other, problem->W,     problem->q};
}

void gmc_duals_draw(gmc_chance *chance, int unit_count, int dof_count, int group_count,
                    double softness, double friction_max, gmc_duals *problem)
{
    enum { DOFS = 64 };
    static double J[GMC_DUALS_SIZE][DOFS];
    double v[DOFS];
    int n = 3 * unit_count, share = dof_count / group_count;
    memset(problem, 0, sizeof *problem);
    memset(J, 0, sizeof J);
    for (int i = 0; i < n; i++) {
        int group = i / 3 * group_count / unit_count, first = group * share;
        int last = group == group_count - 1 ? dof_count : first + share;
        J[i][first] = i % 3 == 0; // this one parts them
        for (int k = first + 1; k < last; k++)
            J[i][k] = gmc_chance_uniform(chance, -1, 1);
    }
    for (int k = 0; k < dof_count; k++)
        v[k] = gmc_chance_uniform(chance, -1, 1);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < dof_count; k++)
            problem->q[i] += J[i][k] * v[k];
        for (int j = 0; j < n; j++)
            for (int k = 0; k < dof_count; k++)
                problem->dense[i * n + j] += J[i][k] * J[j][k];
        problem->dense[i * n + i] += softness;
    }
    for (int c = 0; c < unit_count; c++)
        problem->units[c].friction = gmc_chance_uniform(chance, 0.05, friction_max);
    gmc_duals_bind(problem, unit_count);
}

void gmc_duals_block(double mass, double friction, double n, double t1, double t2,
                     gmc_duals *problem)
{
    memset(problem, 0, sizeof *problem);
    problem->dense[0] = problem->dense[4] = problem->dense[8] = 1 / mass;
    problem->units[0].friction = friction;
    problem->q[0] = -n;
    problem->q[1] = t1;
    problem->q[2] = t2;
    gmc_duals_bind(problem, 1);
}

double gmc_duals_defect(const gmc_dual *normal, const double *x)
{
    double w[GMC_DUALS_SIZE];
    gmc_dual_answer(normal, x, w);
    return gmc_dual_defect(normal, x, w);
}
