#include "engine/complementarity/newton_group.h"

#include <string.h>

void gmc_newton_group_slip(const gmc_ncp_contact *contact, const gmc_newton_cone *c, double *K)
{
    const double *D = contact->frame, *a = contact->arm;
    const double G[9] = {c->g_n,     0,          0,          c->g_tn[0], c->g_tt[0],
                         c->g_tt[1], c->g_tn[1], c->g_tt[1], c->g_tt[2]};
    double P[9], k[9], rows[18];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            P[3 * i + j] = G[3 * i] * D[j] + G[3 * i + 1] * D[3 + j] + G[3 * i + 2] * D[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = D[i] * P[j] + D[3 + i] * P[3 + j] + D[6 + i] * P[6 + j];
    for (int j = 0; j < 3; j++) {
        rows[j] = a[1] * k[6 + j] - a[2] * k[3 + j];
        rows[3 + j] = a[2] * k[j] - a[0] * k[6 + j];
        rows[6 + j] = a[0] * k[3 + j] - a[1] * k[j];
    }
    // each row x of (k; [a]k) goes on as (x, -x[a]) = (x, a x xᵀ)
    for (int i = 0; i < 6; i++) {
        const double *x = i < 3 ? k + 3 * i : rows + 3 * (i - 3);
        double *to = K + 6 * i;
        to[0] += x[0];
        to[1] += x[1];
        to[2] += x[2];
        to[3] += a[1] * x[2] - a[2] * x[1];
        to[4] += a[2] * x[0] - a[0] * x[2];
        to[5] += a[0] * x[1] - a[1] * x[0];
    }
}

bool gmc_newton_group_sum(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                          const gmc_newton_cone *cones, double K[36])
{
    bool is_pressed = false;
    int first = group->contact_first, end = first + group->contact_count;
    memset(K, 0, 36 * sizeof *K);
    for (int c = first; c < end; c++) {
        if (cones[c].is_open) continue;
        is_pressed = true;
        if (!cones[c].is_sliding) gmc_newton_group_stick(&contacts[c], &cones[c], K);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            K[6 * i + j] = K[6 * j + i];
    for (int c = first; c < end; c++)
        if (cones[c].is_sliding) gmc_newton_group_slip(&contacts[c], &cones[c], K);
    return is_pressed;
}

void gmc_newton_group_multiply(const gmc_ncp_group *group, const double K[36], bool is_transposed,
                               double *T)
{
    const double *S = group->S;
    for (int k = 0; k < group->general_count; k++, S += 6, T += 6) {
        if (!is_transposed) {
            for (int i = 0; i < 6; i++)
                T[i] = gmc_newton_group_dot(K + 6 * i, S);
            continue;
        }
        for (int j = 0; j < 6; j++)
            T[j] = 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                T[j] += S[i] * K[6 * i + j];
    }
}
