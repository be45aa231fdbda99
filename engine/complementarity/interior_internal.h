/// One unit as the interior point method sees it (private to interior.c).
///
///   cone   x = (mu r_N, r_T), z = (w_N/mu + |w_T|, w_T), both inside |x_T| < x_N
///   line   frictionless contact: x = r_N, z = w_N, both > 0; r_T = 0
///   box    per component: r between its bounds, one multiplier per finite bound
///
/// Jordan algebra of the Lorentz cone: a ∘ b = (a·b, a_0 b_T + b_0 a_T), det a = a_0² - |a_T|²,
/// 1 = (1, 0, 0), J = diag(1, -1, -1). Source: [vandenberghe2010] §2 and §4.
#ifndef GMC_ENGINE_COMPLEMENTARITY_INTERIOR_INTERNAL_H
#define GMC_ENGINE_COMPLEMENTARITY_INTERIOR_INTERNAL_H

#include "engine/complementarity/dual_system.h"

typedef enum gmc_interior_kind {
    GMC_INTERIOR_CONE,
    GMC_INTERIOR_LINE,
    GMC_INTERIOR_BOX
} gmc_interior_kind;

typedef struct gmc_interior_unit {
    gmc_interior_kind kind;
    double mu;
    double lower[3], upper[3];
    double x[3], z[3]; ///< cone and line; box: x = r, z = multipliers of the lower bounds
    double z_upper[3]; ///< box: multipliers of the upper bounds
    double defect[3];  ///< of the definition of z by x
    double dx[3], dz[3], dz_upper[3];
    double w_nt[3], eta; ///< scaling point: T = eta Q(w_nt), T z = T⁻¹ x = scaled
    double scaled[3];
    double slide[2]; ///< w_T / |w_T|, 0 where nothing slides
} gmc_interior_unit;

static inline double gmc_interior_det(const double a[3])
{
    double t = sqrt(a[1] * a[1] + a[2] * a[2]);
    return (a[0] - t) * (a[0] + t);
}

/// y = Q(w) x with Q(w) = [w_0, w_Tᵀ; w_T, 1 + w_T w_Tᵀ/(1 + w_0)], det w = 1; inverse: Q(J w).
static inline void gmc_interior_turn(const double w[3], double sign, const double x[3], double y[3])
{
    double w1 = sign * w[1], w2 = sign * w[2], along = w1 * x[1] + w2 * x[2];
    double head = w[0] * x[0] + along, tail = x[0] + along / (1 + w[0]);
    y[1] = x[1] + tail * w1;
    y[2] = x[2] + tail * w2;
    y[0] = head;
}

/// The scaling point of x and z.
static inline void gmc_interior_scale_cone(gmc_interior_unit *u)
{
    double size_x = sqrt(gmc_interior_det(u->x)), size_z = sqrt(gmc_interior_det(u->z));
    double x[3], z[3], dot = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = u->x[i] / size_x;
        z[i] = u->z[i] / size_z;
        dot += x[i] * z[i];
    }
    double half = 0.5 / sqrt(0.5 * (1 + dot));
    u->w_nt[0] = (x[0] + z[0]) * half;
    u->w_nt[1] = (x[1] - z[1]) * half;
    u->w_nt[2] = (x[2] - z[2]) * half;
    u->eta = sqrt(size_x / size_z);
    gmc_interior_turn(u->w_nt, 1, u->z, u->scaled);
    for (int i = 0; i < 3; i++)
        u->scaled[i] *= u->eta;
}

/// The solution s of  a ∘ s = b.
static inline void gmc_interior_divide(const double a[3], const double b[3], double s[3])
{
    double head = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / gmc_interior_det(a);
    s[1] = (b[1] - a[1] * head) / a[0];
    s[2] = (b[2] - a[2] * head) / a[0];
    s[0] = head;
}

/// Largest t <= limit with x + t dx in the Lorentz cone.
static inline double gmc_interior_reach_cone(const double x[3], const double dx[3], double limit)
{
    double a = gmc_interior_det(dx), c = gmc_interior_det(x);
    double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2]; // a t² + 2 b t + c
    double disc = b * b - a * c;
    if (disc >= 0) {
        double q = -(b + (b >= 0 ? sqrt(disc) : -sqrt(disc)));
        if (a != 0 && q / a > 0) limit = fmin(limit, q / a);
        if (q != 0 && c / q > 0) limit = fmin(limit, c / q);
    }
    if (dx[0] < 0) limit = fmin(limit, -x[0] / dx[0]);
    return limit;
}

static inline double gmc_interior_reach_line(double x, double dx, double limit)
{
    return dx < 0 ? fmin(limit, -x / dx) : limit;
}

#endif
