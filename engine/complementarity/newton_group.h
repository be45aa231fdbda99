/// What the contacts of one group add to Newton's system (private to newton*.c): K = Σ J_cᵀ G J_c
/// over the six components of the group's motion, and the three small products with S that bring it
/// to the dofs.
///
/// With J_c = D (1, -[a]) and k = Dᵀ G D:  K = (k, -k[a]; [a]k, -[a]k[a]), [a]x = a x x.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_GROUP_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_GROUP_H

#include "engine/complementarity/newton_internal.h"

/// Add a contact that sticks, G diagonal, to the upper triangle of K (6 x 6).
static inline void gmc_newton_group_stick(const gmc_ncp_contact *contact, const gmc_newton_cone *c,
                                          double *restrict K)
{
    const double *D = contact->frame, *a = contact->arm;
    double g_n = c->g_n, g_1 = c->g_tt[0], g_2 = c->g_tt[2];
    double n0 = g_n * D[0], n1 = g_n * D[1], n2 = g_n * D[2];
    double s0 = g_1 * D[3], s1 = g_1 * D[4], s2 = g_1 * D[5];
    double t0 = g_2 * D[6], t1 = g_2 * D[7], t2 = g_2 * D[8];
    double xx = D[0] * n0 + D[3] * s0 + D[6] * t0, xy = D[0] * n1 + D[3] * s1 + D[6] * t1;
    double xz = D[0] * n2 + D[3] * s2 + D[6] * t2, yy = D[1] * n1 + D[4] * s1 + D[7] * t1;
    double yz = D[1] * n2 + D[4] * s2 + D[7] * t2, zz = D[2] * n2 + D[5] * s2 + D[8] * t2;
    // rows of [a]k, which are the columns of -k[a]
    double u0 = a[1] * xz - a[2] * xy, u1 = a[1] * yz - a[2] * yy, u2 = a[1] * zz - a[2] * yz;
    double v0 = a[2] * xx - a[0] * xz, v1 = a[2] * xy - a[0] * yz, v2 = a[2] * xz - a[0] * zz;
    double w0 = a[0] * xy - a[1] * xx, w1 = a[0] * yy - a[1] * xy, w2 = a[0] * yz - a[1] * xz;
    K[0] += xx;
    K[1] += xy;
    K[2] += xz;
    K[3] += u0;
    K[4] += v0;
    K[5] += w0;
    K[7] += yy;
    K[8] += yz;
    K[9] += u1;
    K[10] += v1;
    K[11] += w1;
    K[14] += zz;
    K[15] += u2;
    K[16] += v2;
    K[17] += w2;
    K[21] += a[1] * u2 - a[2] * u1;
    K[22] += a[2] * u0 - a[0] * u2;
    K[23] += a[0] * u1 - a[1] * u0;
    K[28] += a[2] * v0 - a[0] * v2;
    K[29] += a[0] * v1 - a[1] * v0;
    K[35] += a[0] * w1 - a[1] * w0;
}

/// Add a contact with any G to all of K.
void gmc_newton_group_slip(const gmc_ncp_contact *contact, const gmc_newton_cone *c, double *K);

/// Sum of the slopes of a group's contacts.
/// @param K  out: (6 x 6), zeroed if all are open
/// @return whether any contact presses
bool gmc_newton_group_sum(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                          const gmc_newton_cone *cones, double K[36]);

/// T := K S of the general columns, 6 values each; with Kᵀ if `is_transposed`.
void gmc_newton_group_multiply(const gmc_ncp_group *group, const double K[36], bool is_transposed,
                               double *T);

static inline double gmc_newton_group_dot(const double *S, const double *T)
{
    return (S[0] * T[0] + S[1] * T[1]) + (S[2] * T[2] + S[3] * T[3]) + (S[4] * T[4] + S[5] * T[5]);
}

#endif
