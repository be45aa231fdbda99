#include "engine/complementarity/newton_group.h"

// Products and sums go two lanes at a time, which compilers turn into vector code without
// reordering any sum.

/// What the tangents of contacts that stick add up to.
typedef struct moments {
    double zeroth, first[3], second[6]; ///< second: xx, yy, zz, yz, zx, xy
} moments;

/// A contact that sticks, D a rotation: its tangents into `tangents`, what the normal has more than
/// they into K (from the even column at or before the diagonal on).
static inline void add_stick(const gmc_ncp_contact *contact, const gmc_newton_cone *c,
                             moments *tangents, double *restrict K)
{
    const double *n = contact->frame, *a = contact->arm;
    double g = c->g_tt[0], more = c->g_n - g, x = g * a[0], y = g * a[1], z = g * a[2];
    tangents->zeroth += g;
    tangents->first[0] += x;
    tangents->first[1] += y;
    tangents->first[2] += z;
    tangents->second[0] += x * a[0];
    tangents->second[1] += y * a[1];
    tangents->second[2] += z * a[2];
    tangents->second[3] += y * a[2];
    tangents->second[4] += z * a[0];
    tangents->second[5] += x * a[1];
    const double j[6] = {n[0],
                         n[1],
                         n[2],
                         a[1] * n[2] - a[2] * n[1],
                         a[2] * n[0] - a[0] * n[2],
                         a[0] * n[1] - a[1] * n[0]};
    for (int i = 0; i < 6; i++) {
        double factor = more * j[i];
        for (int l = i & ~1; l < 6; l += 2) {
            K[6 * i + l] += factor * j[l];
            K[6 * i + l + 1] += factor * j[l + 1];
        }
    }
}

/// The upper triangle of Σ g (1, -[a]; [a], -[a][a]).
static void add_tangents(const moments *m, double *K)
{
    const double *a = m->first, *aa = m->second;
    K[0] += m->zeroth;
    K[7] += m->zeroth;
    K[14] += m->zeroth;
    K[4] += a[2];
    K[5] -= a[1];
    K[9] -= a[2];
    K[11] += a[0];
    K[15] += a[1];
    K[16] -= a[0];
    K[21] += aa[1] + aa[2];
    K[22] -= aa[5];
    K[23] -= aa[4];
    K[28] += aa[0] + aa[2];
    K[29] -= aa[3];
    K[35] += aa[0] + aa[1];
}

/// Any slope, any D: all of K.
static void add_any(const gmc_ncp_contact *contact, const gmc_newton_cone *c, double *K)
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

void gmc_newton_group_sum(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                          const gmc_newton_cone *cones, gmc_newton_stiffness *stiffness)
{
    double *K = stiffness->K;
    moments tangents = {0};
    bool has_other = false;
    int first = group->contact_first, end = first + group->contact_count;
    stiffness->is_pressed = false;
    for (int c = first; c < end; c++) {
        if (cones[c].is_open) continue;
        for (int i = 0; i < 36 && !stiffness->is_pressed; i++)
            K[i] = 0;
        stiffness->is_pressed = true;
        if (cones[c].is_sliding || contacts[c].is_scaled)
            has_other = true;
        else
            add_stick(&contacts[c], &cones[c], &tangents, K);
    }
    if (!stiffness->is_pressed) return;
    add_tangents(&tangents, K);
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++)
            K[6 * i + j] = K[6 * j + i];
    for (int c = first; c < end && has_other; c++)
        if (!cones[c].is_open && (cones[c].is_sliding || contacts[c].is_scaled))
            add_any(&contacts[c], &cones[c], K);
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
        double t[6] = {0};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                t[j] += S[i] * K[6 * i + j];
        for (int j = 0; j < 6; j++)
            T[j] = t[j];
    }
}
