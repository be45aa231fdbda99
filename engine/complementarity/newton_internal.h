/// The contact law as Newton sees it: trial impulse, its projection, and the slope of that (private
/// to newton.c). Source: SOLVERS.md §4.2, with separate ρ_N, ρ_T.
///
/// Per contact, with y = r - ρ w and A = P'(y):
///
///   Φ = r - P(y),  B = 1 - A (1 - ρ R),  h = B⁻¹ Φ,  G = B⁻¹ ρ A
///   open   A = 0:  h = r, G = 0
///   stick  A = 1:  h = r + (J v + b)/R, G = 1/R
///   slip   with e = y_T/|y_T|, f = mu y_N/|y_T| <= 1, P_e = 1 - e eᵀ, σ = 1/(1 - f (1 - ρ_T R_T)):
///          G_NN = 1/R_N, G_TN = mu e/R_N, G_TT = ρ_T f σ P_e
///          h_N = r_N + (J v + b)_N/R_N
///          h_T = (e eᵀ + σ P_e) (Φ_T + mu e (1 - ρ_N R_N) h_N)
///
/// B is lower block triangular; the inverse above is exact, and 1 - f (1 - ρ_T R_T) >= ρ_T R_T > 0.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_INTERNAL_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_INTERNAL_H

#include "engine/complementarity/ncp.h"

#include <stdbool.h>

typedef struct gmc_newton_cone {
    double R_n, R_t, soft_n, soft_t; ///< compliances; w_c + R
    double rho_n, rho_t, k_n, k_t;   ///< 1/soft, 1/R
    double friction;
    double u[3], du[3]; ///< J v + b and its change
    double r[3], dr[3];
    double h[3];
    double g_n, g_tn[2], g_tt[3]; ///< entries of G; g_tt: 11, 12, 22
    bool is_open, is_sliding;     ///< not both
} gmc_newton_cone;

typedef struct gmc_newton_clamp {
    double R, soft, rho, k;
    double lower, upper;
    double u, du, s, ds, h, g;
} gmc_newton_clamp;

/// @param V  motion of the contact's group
static inline void gmc_newton_open_cone(const gmc_ncp_contact *contact, double scale,
                                        const double V[6], const double *r, gmc_newton_cone *c)
{
    c->R_n = contact->compliance_n;
    c->R_t = contact->compliance_t;
    c->soft_n = scale + c->R_n;
    c->soft_t = scale + c->R_t;
    c->rho_n = 1 / c->soft_n;
    c->rho_t = 1 / c->soft_t;
    c->k_n = 1 / c->R_n;
    c->k_t = 1 / c->R_t;
    c->friction = contact->friction;
    gmc_ncp_contact_at(contact, V, c->u);
    for (int i = 0; i < 3; i++) {
        c->u[i] += contact->bias[i];
        c->r[i] = r[i];
        c->du[i] = c->dr[i] = 0;
    }
}

static inline void gmc_newton_open_clamp(const gmc_ncp_row *row, double scale, const double *v,
                                         double s, gmc_newton_clamp *c)
{
    c->R = row->compliance;
    c->soft = scale + c->R;
    c->rho = 1 / c->soft;
    c->k = 1 / c->R;
    c->lower = row->lower;
    c->upper = row->upper;
    c->u = gmc_ncp_row_velocity(row, v) + row->bias;
    c->s = gmc_ncp_clamp(s, row->lower, row->upper);
    c->du = c->ds = 0;
}

static inline void gmc_newton_linearise_slip(gmc_newton_cone *c, const double y[3], double size)
{
    double inverse_size = 1 / size, f = c->friction * y[0] * inverse_size;
    double e1 = y[1] * inverse_size, e2 = y[2] * inverse_size;
    double radius = c->friction * y[0];
    double spread = 1 / (1 - f * (1 - c->rho_t * c->R_t));
    double tilt = c->friction * (1 - c->rho_n * c->R_n) * c->h[0];
    double z1 = c->r[1] - radius * e1 + tilt * e1, z2 = c->r[2] - radius * e2 + tilt * e2;
    double along = e1 * z1 + e2 * z2;
    c->h[1] = along * e1 + spread * (z1 - along * e1);
    c->h[2] = along * e2 + spread * (z2 - along * e2);
    double g = c->rho_t * f * spread;
    c->g_tn[0] = c->friction * c->k_n * e1;
    c->g_tn[1] = c->friction * c->k_n * e2;
    c->g_tt[0] = g * (1 - e1 * e1);
    c->g_tt[1] = -g * e1 * e2;
    c->g_tt[2] = g * (1 - e2 * e2);
}

static inline void gmc_newton_linearise_cone(gmc_newton_cone *c)
{
    double y[3] = {c->r[0] - c->rho_n * (c->u[0] + c->R_n * c->r[0]),
                   c->r[1] - c->rho_t * (c->u[1] + c->R_t * c->r[1]),
                   c->r[2] - c->rho_t * (c->u[2] + c->R_t * c->r[2])};
    c->is_open = !(y[0] > 0);
    c->is_sliding = false;
    if (c->is_open) {
        for (int i = 0; i < 3; i++)
            c->h[i] = c->r[i];
        return;
    }
    c->g_n = c->k_n;
    c->g_tn[0] = c->g_tn[1] = c->g_tt[1] = 0;
    c->h[0] = c->r[0] + c->u[0] * c->k_n;

    double radius = c->friction * y[0], size2 = y[1] * y[1] + y[2] * y[2];
    if (!(radius > 0)) { // frictionless: nothing tangential, nothing unsymmetric
        c->g_tt[0] = c->g_tt[2] = 0;
        c->h[1] = c->r[1];
        c->h[2] = c->r[2];
    } else if (size2 <= radius * radius) {
        c->g_tt[0] = c->g_tt[2] = c->k_t;
        c->h[1] = c->r[1] + c->u[1] * c->k_t;
        c->h[2] = c->r[2] + c->u[2] * c->k_t;
    } else {
        c->is_sliding = true;
        gmc_newton_linearise_slip(c, y, sqrt(size2));
    }
}

static inline void gmc_newton_linearise_clamp(gmc_newton_clamp *c)
{
    double y = c->s - c->rho * (c->u + c->R * c->s);
    if (y < c->lower || y > c->upper) {
        c->g = 0;
        c->h = c->s - (y < c->lower ? c->lower : c->upper);
    } else {
        c->g = c->k;
        c->h = c->s + c->u * c->k;
    }
}

/// Φ_N²/ρ_N + |Φ_T|²/ρ_T at r + t dr, u + t du.
static inline double gmc_newton_cone_merit(const gmc_newton_cone *c, double t)
{
    double r[3], y[3], p[3];
    for (int i = 0; i < 3; i++) {
        double R = i == 0 ? c->R_n : c->R_t, rho = i == 0 ? c->rho_n : c->rho_t;
        r[i] = c->r[i] + t * c->dr[i];
        y[i] = r[i] - rho * (c->u[i] + t * c->du[i] + R * r[i]);
    }
    gmc_ncp_project(y, c->friction, p);
    double n = r[0] - p[0], t1 = r[1] - p[1], t2 = r[2] - p[2];
    return n * n * c->soft_n + (t1 * t1 + t2 * t2) * c->soft_t;
}

static inline double gmc_newton_clamp_merit(const gmc_newton_clamp *c, double t)
{
    double s = c->s + t * c->ds, u = c->u + t * c->du;
    double defect = s - gmc_ncp_clamp(s - c->rho * (u + c->R * s), c->lower, c->upper);
    return defect * defect * c->soft;
}

#endif
