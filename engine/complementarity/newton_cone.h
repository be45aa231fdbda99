/// The contact law as Newton sees it: trial impulse, its projection, and the slope of that (private
/// to newton.c and inplane.c). [alart1991] with separate ρ_N, ρ_T, linearised in r and in v; r is
/// eliminated.
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
/// The law so linearised is a line through q = r - h + G J v, what is left of it at v = 0:
///
///   r⁺ = q - G J v⁺     open: q = 0; stick: q = -b/R
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_CONE_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_CONE_H

#include "engine/complementarity/ncp.h"

#include <stdbool.h>

/// Share of the radius, squared, up to which a warm impulse is taken to stick. Counted over grasps
/// by meshes and boxes: above 0.999 of the radius 590 of 690 slid in the end, below 230 of 6300.
#define GMC_NEWTON_INSIDE 0.998

typedef struct gmc_newton_cone {
    double R_n, R_t, soft_n, soft_t; ///< compliances; w_c + R
    double rho_n, rho_t, k_n, k_t;   ///< 1/soft, 1/R
    double friction;
    double b[3];
    double u[3], r[3];           ///< J v and impulse now
    double u_next[3], r_next[3]; ///< after a full step
    double y[3];                 ///< the trial impulse of u and r
    double *p;                   ///< (3) P(y) where the merit was last asked for: the caller's r
    double q[3];                 ///< the line, and entries of G; g_tt: 11, 12, 22
    double g_n, g_tn[2], g_tt[3];
    bool is_open, is_sliding; ///< not both
} gmc_newton_cone;

typedef struct gmc_newton_clamp {
    double R, soft, rho, k;
    double lower, upper, b;
    double u, s, u_next, s_next, p, q, g;
} gmc_newton_clamp;

/// All but u and y.
/// @param r  in: the impulse to start from
/// @param p  where P(y) goes; may be r
static inline void gmc_newton_open_cone(const gmc_ncp_contact *contact, double scale,
                                        const double *r, double *p, gmc_newton_cone *c)
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
    c->p = p;
    for (int i = 0; i < 3; i++) {
        c->b[i] = contact->bias[i];
        c->r[i] = r[i];
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
    c->b = row->bias;
    c->u = gmc_ncp_row_velocity(row, v);
    c->s = gmc_ncp_clamp(s, row->lower, row->upper);
}

/// y = r - ρ w
static inline void gmc_newton_trial(const gmc_newton_cone *c, const double u[3], const double r[3],
                                    double y[3])
{
    y[0] = r[0] - c->rho_n * (u[0] + c->b[0] + c->R_n * r[0]);
    y[1] = r[1] - c->rho_t * (u[1] + c->b[1] + c->R_t * r[1]);
    y[2] = r[2] - c->rho_t * (u[2] + c->b[2] + c->R_t * r[2]);
}

/// y of u and r
static inline void gmc_newton_cone_trial(gmc_newton_cone *c)
{
    gmc_newton_trial(c, c->u, c->r, c->y);
}

static inline double gmc_newton_clamp_trial(const gmc_newton_clamp *c, double u, double s)
{
    return s - c->rho * (u + c->b + c->R * s);
}

static inline void gmc_newton_linearise_slip(gmc_newton_cone *c, const double y[3], double size)
{
    double inverse_size = 1 / size, f = c->friction * y[0] * inverse_size;
    double e1 = y[1] * inverse_size, e2 = y[2] * inverse_size;
    double radius = c->friction * y[0];
    double spread = 1 / (1 - f * (1 - c->rho_t * c->R_t));
    double h_n = c->r[0] + (c->u[0] + c->b[0]) * c->k_n;
    double tilt = c->friction * (1 - c->rho_n * c->R_n) * h_n;
    double z1 = c->r[1] - radius * e1 + tilt * e1, z2 = c->r[2] - radius * e2 + tilt * e2;
    double along = e1 * z1 + e2 * z2;
    double h1 = along * e1 + spread * (z1 - along * e1);
    double h2 = along * e2 + spread * (z2 - along * e2);
    double g = c->rho_t * f * spread;
    c->g_tn[0] = c->friction * c->k_n * e1;
    c->g_tn[1] = c->friction * c->k_n * e2;
    c->g_tt[0] = g * (1 - e1 * e1);
    c->g_tt[1] = -g * e1 * e2;
    c->g_tt[2] = g * (1 - e2 * e2);
    c->q[1] = c->r[1] - h1 + c->g_tn[0] * c->u[0] + c->g_tt[0] * c->u[1] + c->g_tt[1] * c->u[2];
    c->q[2] = c->r[2] - h2 + c->g_tn[1] * c->u[0] + c->g_tt[1] * c->u[1] + c->g_tt[2] * c->u[2];
}

static inline void gmc_newton_linearise_cone(gmc_newton_cone *c)
{
    const double *y = c->y;
    c->is_open = !(y[0] > 0);
    c->is_sliding = false;
    if (c->is_open) {
        c->q[0] = c->q[1] = c->q[2] = 0;
        return;
    }
    c->g_n = c->k_n;
    c->g_tn[0] = c->g_tn[1] = c->g_tt[1] = 0;
    c->q[0] = -c->k_n * c->b[0];

    double radius = c->friction * y[0], size2 = y[1] * y[1] + y[2] * y[2];
    if (!(radius > 0)) { // frictionless: nothing tangential, nothing unsymmetric
        c->g_tt[0] = c->g_tt[2] = 0;
        c->q[1] = c->q[2] = 0;
    } else if (size2 <= radius * radius) {
        c->g_tt[0] = c->g_tt[2] = c->k_t;
        c->q[1] = -c->k_t * c->b[1];
        c->q[2] = -c->k_t * c->b[2];
    } else {
        c->is_sliding = true;
        gmc_newton_linearise_slip(c, y, sqrt(size2));
    }
}

/// Opens and linearises at once, for the guess that a contact does what its impulse r says: none,
/// it is open; inside the cone, it sticks. Then the line needs no velocity. There are no weights:
/// at what leaves its piece of the law the merit is not a number.
/// @param p  where P(y) goes
/// @return false if r says neither: on the cone, or none where bodies overlap
static inline bool gmc_newton_keep_cone(const gmc_ncp_contact *contact, const double *r, double *p,
                                        gmc_newton_cone *c)
{
    double radius = contact->friction * r[0], size2 = r[1] * r[1] + r[2] * r[2];
    c->is_open = !(r[0] > 0);
    if (c->is_open ? !(contact->bias[0] > 0) : !(size2 < GMC_NEWTON_INSIDE * radius * radius))
        return false;
    c->is_sliding = false;
    c->soft_n = c->soft_t = c->rho_n = c->rho_t = NAN;
    c->R_n = contact->compliance_n;
    c->R_t = contact->compliance_t;
    c->friction = contact->friction;
    c->p = p;
    for (int i = 0; i < 3; i++)
        c->b[i] = contact->bias[i];
    if (c->is_open) {
        c->q[0] = c->q[1] = c->q[2] = 0;
        return true;
    }
    c->g_n = 1 / c->R_n;
    c->g_tt[0] = c->g_tt[2] = 1 / c->R_t;
    c->g_tn[0] = c->g_tn[1] = c->g_tt[1] = 0;
    c->q[0] = -c->g_n * c->b[0];
    c->q[1] = -c->g_tt[0] * c->b[1];
    c->q[2] = -c->g_tt[0] * c->b[2];
    return true;
}

/// r := q - G u: on the line.
static inline void gmc_newton_cone_answer(const gmc_newton_cone *c, const double u[3], double r[3])
{
    if (c->is_open) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    r[0] = c->q[0] - c->g_n * u[0];
    if (!c->is_sliding) {
        r[1] = c->q[1] - c->g_tt[0] * u[1];
        r[2] = c->q[2] - c->g_tt[2] * u[2];
        return;
    }
    r[1] = c->q[1] - (c->g_tn[0] * u[0] + c->g_tt[0] * u[1] + c->g_tt[1] * u[2]);
    r[2] = c->q[2] - (c->g_tn[1] * u[0] + c->g_tt[1] * u[1] + c->g_tt[2] * u[2]);
}

static inline void gmc_newton_linearise_clamp(gmc_newton_clamp *c)
{
    double y = gmc_newton_clamp_trial(c, c->u, c->s);
    bool is_held = y < c->lower || y > c->upper;
    c->g = is_held ? 0 : c->k;
    c->q = is_held ? (y < c->lower ? c->lower : c->upper) : -c->k * c->b;
}

/// Φ_N²/ρ_N + |Φ_T|²/ρ_T of r with the trial impulse y; P(y) into c->p.
static inline double gmc_newton_trial_defect(gmc_newton_cone *c, const double y[3],
                                             const double r[3])
{
    double p[3];
    gmc_ncp_project(y, c->friction, p);
    double n = r[0] - p[0], t1 = r[1] - p[1], t2 = r[2] - p[2];
    for (int k = 0; k < 3; k++)
        c->p[k] = p[k];
    return n * n * c->soft_n + (t1 * t1 + t2 * t2) * c->soft_t;
}

/// The same at (u, r).
static inline double gmc_newton_cone_defect(gmc_newton_cone *c, const double u[3],
                                            const double r[3])
{
    double y[3];
    gmc_newton_trial(c, u, r, y);
    return gmc_newton_trial_defect(c, y, r);
}

/// r_next on the line at u_next, and the defect there. Where a contact sticks w = 0 on the line and
/// y is r itself, where it is open r = 0: only what leaves its piece of the law has a defect.
static inline double gmc_newton_line_defect(gmc_newton_cone *c)
{
    const double *u = c->u_next;
    double *r = c->r_next;
    gmc_newton_cone_answer(c, u, r);
    bool stays = false;
    if (c->is_open) {
        stays = u[0] + c->b[0] >= 0;
    } else if (!c->is_sliding) {
        double radius = c->friction * r[0];
        stays = r[0] > 0 && r[1] * r[1] + r[2] * r[2] <= radius * radius;
    }
    if (!stays) return gmc_newton_cone_defect(c, u, r);
    c->p[0] = r[0];
    c->p[1] = r[1];
    c->p[2] = r[2];
    return 0;
}

static inline double gmc_newton_clamp_defect(gmc_newton_clamp *c, double u, double s)
{
    c->p = gmc_ncp_clamp(gmc_newton_clamp_trial(c, u, s), c->lower, c->upper);
    return (s - c->p) * (s - c->p) * c->soft;
}

/// The part t of a full step.
static inline double gmc_newton_part(double from, double to, double t)
{
    return t == 1 ? to : t == 0 ? from : from + t * (to - from);
}

#endif
