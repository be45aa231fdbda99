/// Parts of inplane.c: a planar problem multiplied out, and its law (private to inplane*.c).
#ifndef GMC_ENGINE_COMPLEMENTARITY_INPLANE_INTERNAL_H
#define GMC_ENGINE_COMPLEMENTARITY_INPLANE_INTERNAL_H

#include "engine/complementarity/inplane.h"
#include "engine/complementarity/newton_internal.h"

typedef enum gmc_inplane_piece {
    GMC_INPLANE_OPEN,
    GMC_INPLANE_STICK,
    GMC_INPLANE_SLIP
} gmc_inplane_piece;

/// Both rows; [0] normal, [1] tangent.
typedef struct gmc_inplane_edge {
    double *J;                                ///< (2 * stride) rows over all dofs
    double b[2], R[2], k[2], soft[2], rho[2]; ///< as in newton_internal.h
    double friction;
    double u[2], r[2], u_next[2], r_next[2], y[2], p[2];
    double tilt; ///< slip: r_T / r_N
    gmc_inplane_piece piece;
    int index; ///< contact of the problem
} gmc_inplane_edge;

/// The two tangents, along x and y of the plane.
typedef struct gmc_inplane_spot {
    int dof;       ///< the first of the three of its body, about the mass centre
    double arm[2]; ///< from there [m]
    double b[2], R, k, soft, rho;
    double normal, radius; ///< impulse, and mu times it [N·s]
    double u[2], r[2], u_next[2], r_next[2], y[2], p[2], q[2];
    double g[3]; ///< G: 11, 12, 22
    bool is_sliding;
    int index;
} gmc_inplane_spot;

/// A problem in the making, all arrays in one piece of scratch. Vectors and rows over the dofs are
/// `stride` long, zero behind the last dof.
typedef struct gmc_inplane {
    const gmc_ncp *problem;
    int n, stride, edge_count, spot_count;
    double *M, *H;              ///< (n x stride)
    double *v, *v_next, *p, *g; ///< (stride) velocity, after a full step, momentum, scratch
    double *inverse_mass;       ///< (stride) 1 / M_ii
    double *inverse_d;          ///< (stride) of the factors
    double size;                ///< gmc_ncp_scales.momentum [√J]
    gmc_inplane_edge *edges;
    gmc_inplane_spot *spots;
    gmc_newton_clamp *clamps; ///< (row_count)
} gmc_inplane;

/// Make room and write all of it but H, u and y. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_inplane_open(const gmc_ncp *problem, const gmc_ncp_solution *start,
                                           gmc_arena *scratch, gmc_inplane *w);

/// |M v - p* - Jᵀ r - Jᵀ s|² in inverse masses, of v and the r and s of the contacts and rows.
double gmc_inplane_momentum(const gmc_inplane *w, const double *v);

/// Scaled residual of v and the same r and s.
double gmc_inplane_judge(gmc_inplane *w);

// ---- rows over the dofs -------------------------------------------------------------------------

/// a · x
static inline double gmc_inplane_dot(const double *restrict a, const double *restrict x, int stride)
{
    double even = 0, odd = 0;
    for (int i = 0; i < stride; i += 2) {
        even += a[i] * x[i];
        odd += a[i + 1] * x[i + 1];
    }
    return even + odd;
}

/// u := J v of both rows
static inline void gmc_inplane_edge_velocity(const gmc_inplane_edge *edge, const double *restrict v,
                                             int stride, double *u)
{
    u[0] = gmc_inplane_dot(edge->J, v, stride);
    u[1] = gmc_inplane_dot(edge->J + stride, v, stride);
}

/// x += Jᵀ r
static inline void gmc_inplane_edge_push(const gmc_inplane_edge *edge, double r_n, double r_t,
                                         int stride, double *restrict x)
{
    const double *restrict n = edge->J, *restrict t = n + stride;
    for (int i = 0; i < stride; i += 2) {
        x[i] += r_n * n[i] + r_t * t[i];
        x[i + 1] += r_n * n[i + 1] + r_t * t[i + 1];
    }
}

static inline void gmc_inplane_spot_velocity(const gmc_inplane_spot *spot, const double *v,
                                             double *u)
{
    v += spot->dof;
    u[0] = v[0] - spot->arm[1] * v[2];
    u[1] = v[1] + spot->arm[0] * v[2];
}

static inline void gmc_inplane_spot_push(const gmc_inplane_spot *spot, const double r[2], double *x)
{
    x += spot->dof;
    x[0] += r[0];
    x[1] += r[1];
    x[2] += spot->arm[0] * r[1] - spot->arm[1] * r[0];
}

// ---- the law ------------------------------------------------------------------------------------

/// Φ_N²/ρ_N + Φ_T²/ρ_T of r with the trial impulse y; P(y) into p.
static inline double gmc_inplane_edge_trial_defect(gmc_inplane_edge *c, const double y[2],
                                                   const double r[2])
{
    double p_n = 0, p_t = 0;
    if (y[0] > 0) {
        double radius = c->friction * y[0];
        p_n = y[0];
        p_t = gmc_ncp_clamp(y[1], -radius, radius);
    }
    double n = r[0] - p_n, t = r[1] - p_t;
    c->p[0] = p_n;
    c->p[1] = p_t;
    // a NaN in y_N projects to zero: let it show here
    return n * n * c->soft[0] + t * t * c->soft[1] + 0 * y[0];
}

/// y = r - ρ w
static inline void gmc_inplane_edge_trial(const gmc_inplane_edge *c, const double u[2],
                                          const double r[2], double y[2])
{
    for (int i = 0; i < 2; i++)
        y[i] = r[i] - c->rho[i] * (u[i] + c->b[i] + c->R[i] * r[i]);
}

static inline double gmc_inplane_edge_defect(gmc_inplane_edge *c, const double u[2],
                                             const double r[2])
{
    double y[2];
    gmc_inplane_edge_trial(c, u, r, y);
    return gmc_inplane_edge_trial_defect(c, y, r);
}

static inline void gmc_inplane_spot_trial(const gmc_inplane_spot *c, const double u[2],
                                          const double r[2], double y[2])
{
    for (int i = 0; i < 2; i++)
        y[i] = r[i] - c->rho * (u[i] + c->b[i] + c->R * r[i]);
}

static inline double gmc_inplane_spot_trial_defect(gmc_inplane_spot *c, const double y[2],
                                                   const double r[2])
{
    double size2 = y[0] * y[0] + y[1] * y[1];
    double scale = size2 > c->radius * c->radius ? c->radius / sqrt(size2) : 1;
    double x, sum = 0;
    for (int i = 0; i < 2; i++) {
        c->p[i] = scale * y[i];
        x = r[i] - c->p[i];
        sum += x * x;
    }
    return sum * c->soft;
}

static inline double gmc_inplane_spot_defect(gmc_inplane_spot *c, const double u[2],
                                             const double r[2])
{
    double y[2];
    gmc_inplane_spot_trial(c, u, r, y);
    return gmc_inplane_spot_trial_defect(c, y, r);
}

#endif
