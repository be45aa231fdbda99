/// The one problem that all solvers of this room solve, and the one residual that judges them.
///
///   M v = p* + Σ J_cᵀ r_c + Σ J_iᵀ s_i,   p* = M v*       momentum
///   w_c = J_c v + b_c + R_c r_c,   r_c = (r_N, r_T)       contact, in its frame (n, t1, t2)
///   0 <= r_N ⊥ w_N >= 0                                   no adhesion, no (elastic) overlap
///   |r_T| <= mu r_N,   r_T · w_T = -mu r_N |w_T|          Coulomb, exact cone
///   w_i = J_i v + b_i + R_i s_i,   lo <= s_i <= hi        row: w_i = 0 between the bounds,
///                                                         w_i >= 0 at lo, w_i <= 0 at hi
///
/// v [m/s, rad/s], M [kg, kg·m²], r and s [N·s, N·m·s], b and w [m/s, rad/s], R [1/kg, 1/(kg·m²)].
/// With b_N = gap/h and R = 1/(h² k) a contact is a spring that is implicit in time; R = 0 would be
/// the rigid contact, which this problem type leaves to solvers on the dual (R > 0 is required
/// here). Numbers only: what the rows mean, only the caller knows.
/// Source: [acary2018].
#ifndef GMC_ENGINE_COMPLEMENTARITY_NCP_H
#define GMC_ENGINE_COMPLEMENTARITY_NCP_H

#include "engine/base/arena.h"

#include <math.h>
#include <stdbool.h>

/// What a solver need not find out. Without hints (zero: nobody looked) a problem is the same, and
/// its solution to rounding; it takes longer.
typedef struct gmc_ncp_contact_hints {
    bool is_rotation; ///< D is one
    int face_count;   ///< contacts of the group from this one on that all have its D to the bit, a
                      ///< rotation, and turned_arm; 0 for all but the first
    double turned_arm[5]; ///< D arm, and the last two of D arm of the tangents' place; where
                          ///< face_count of the first says so
} gmc_ncp_contact_hints;

typedef struct gmc_ncp_group_hints {
    int slide_count; ///< of the columns in S the first that turn nothing, S = (velocity, 0)
} gmc_ncp_group_hints;

typedef struct gmc_ncp_hints {
    bool is_inplane; ///< all is in the plane z = 0 (inplane.h): S of every group has zeros but for
                     ///< the velocity's x and y and the spin's z, and no columns but those of S;
                     ///< arms have no z; a frame is (n, t1 in the plane, t2 = z) with a bias of
                     ///< zero along t2, or (z, x, y) in a group whose S is 1, three dofs in a row
    struct gmc_newton_sparse_memory *memory; ///< NULL, or the caller's: what Newton keeps between
                                             ///< problems (newton.h); it moves no bits
} gmc_ncp_hints;

/// Three rows with a cone: what a contact feels of its group's motion V = (velocity, spin).
///   J_c v = D (velocity + spin x arm) + (0, spun_1, spun_2) (n · spin)
/// With `spun` the tangents act at another place of the contact plane than the normal: at arm + e,
/// spun = (-e · t2, e · t1).
typedef struct gmc_ncp_contact {
    double frame[9]; ///< D, row by row: n, t1, t2
    double arm[3];   ///< from the group's reference point [m]
    double spun[2];  ///< what a unit spin about n adds to the tangents' velocities [m]
    double bias[3];
    double compliance_n, compliance_t; ///< R > 0
    double friction;                   ///< mu >= 0
    gmc_ncp_contact_hints hints;
} gmc_ncp_contact;

/// Contacts that follow each other and see the same relative motion, V = S v: those of two bodies.
/// All that is summed over contacts is summed over the six components of V first, and meets the
/// dofs once. Whatever J a contact has, it fits: D = 1, arm = 0, S = (J, 0), a group of its own.
typedef struct gmc_ncp_group {
    int contact_first, contact_count;
    int column_count;  ///< all columns
    int general_count; ///< those in S, the first ones; the other six, if there are, are consecutive
                       ///< dofs that are V itself, times `sign`: an isolated body, about its centre
    const int *columns; ///< (column_count) dofs, each once
    const double *S;    ///< (6 * general_count) [6 * k]: velocity of the reference point, then spin
    double sign;        ///< 1 or -1
    gmc_ncp_group_hints hints;
} gmc_ncp_group;

/// One row with an impulse in a box; -inf and +inf allowed.
typedef struct gmc_ncp_row {
    int column_count;
    const int *columns;
    const double *J; ///< one value per column
    double bias;
    double compliance; ///< R > 0
    double lower, upper;
} gmc_ncp_row;

/// All arrays are the caller's and are only read.
typedef struct gmc_ncp {
    int dof_count;
    const double *mass;     ///< row-major, symmetric positive definite; see mass_width
    int mass_width;         ///< 0: mass is (dof_count x dof_count). Else (dof_count x mass_width):
                            ///< of each row only the columns of its diagonal block, from the left
    int block_count;        ///< diagonal blocks of `mass`; outside of them it is zero
    const int *block_start; ///< (block_count + 1) first dof of each block, last entry dof_count
    const double *momentum; ///< (dof_count) M v*, that of the motion without contact
    int contact_count;
    const gmc_ncp_contact *contacts;
    int group_count; ///< every contact is in one group, in their order
    const gmc_ncp_group *groups;
    int row_count;
    const gmc_ncp_row *rows;
    gmc_ncp_hints hints;
} gmc_ncp;

/// First entry of a diagonal block of `mass`, its rows `*stride` apart.
static inline const double *gmc_ncp_mass_block(const gmc_ncp *problem, int block, size_t *stride)
{
    size_t from = (size_t)problem->block_start[block];
    *stride = (size_t)(problem->mass_width > 0 ? problem->mass_width : problem->dof_count);
    return problem->mass + from * *stride + (problem->mass_width > 0 ? 0 : from);
}

/// In: where to start. Out: the solution, written only if it was accepted.
typedef struct gmc_ncp_solution {
    double *v; ///< (dof_count)
    double *r; ///< (3 * contact_count) in the contact frames
    double *s; ///< (row_count)
} gmc_ncp_solution;

/// No problem is smaller than this [√J]: keeps 0/0 away where nothing moves and nothing presses.
static const double GMC_NCP_SMALLEST = 1e-30;

/// A start this far below the tolerance stays as it is. What lies still starts at 1e-12 or below,
/// what moves above 1e-8, hardly anything between: counted over bins of 10 and 30 bodies, half and
/// more of all systems are saved. What is left to the next step is seen by it: contacts are springs
/// of where bodies are, so nothing adds up. Other shares, from 0.01 to 1, leave as many to solve:
/// what is left out builds up to the share, is solved, and builds up again.
static const double GMC_NCP_AT_REST = 0.1;

/// What makes numbers of different units comparable; belongs to one problem.
typedef struct gmc_ncp_scales {
    double *inverse_mass; ///< (dof_count) 1 / M_ii
    double *contact;      ///< (contact_count) w_c = Σ_k |J_k|² / M_kk / 3 with D = 1: the inverse
                          ///< mass of the contact's point, mean over all directions [1/kg]
    double *row;          ///< (row_count) likewise
    double momentum;      ///< the size of the problem, > 0 [√J]
    double *defect;       ///< (dof_count) where the residual works
} gmc_ncp_scales;

/// Work out the scales of a problem in `arena`.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_ncp_scale(const gmc_ncp *problem, gmc_arena *arena,
                                        gmc_ncp_scales *scales);

/// The residual, from nothing but the problem and the numbers:
///
///   scaled = √( Σ_i g_i²/M_ii + Σ_c (Φ_N²/ρ_N + |Φ_T|²/ρ_T) + Σ_i Φ_i²/ρ_i ) / scales.momentum
///
///   g = M v - p* - Jᵀ r,   Φ = r - P(r - ρ w),   ρ = 1/(w_c + R)   (per normal, tangent, row)
///
/// with P the projection on r_N >= 0, then on the disc of radius mu max(0, r_N - ρ_N w_N). Every
/// term has the unit of energy, so nothing changes if all masses and forces grow alike, or all
/// lengths. The scale is the root energy of v* and of the approach that contacts must answer.
/// In w_c = tr(J_c M⁻¹ J_cᵀ)/3 stands the diagonal of M alone: that needs no factorisation and
/// matters for the weights only.
double gmc_ncp_judge_scaled(const gmc_ncp *problem, const gmc_ncp_scales *scales, const double *v,
                            const double *r, const double *s);

/// What is within `limit` of a solution is settled: r := P(r - ρ w), s likewise. Of what is a
/// solution to within its residual it is the one that is inside its cones, and answers what is left
/// of w. That it is not is told soon for nearly all that moves: by a row, by the first contact that
/// presses, or as none presses.
/// @param x         r, s in and out
/// @param residual  out: gmc_ncp_judge_scaled of it as it came; only where it is settled
/// @return whether it is
bool gmc_ncp_settle(const gmc_ncp *problem, const gmc_ncp_scales *scales, const gmc_ncp_solution *x,
                    double limit, double *residual);

/// g = M v - p* - Jᵀ r - Jᵀ s. (dof_count) out.
void gmc_ncp_defect(const gmc_ncp *problem, const double *v, const double *r, const double *s,
                    double *g);

/// V = S v
static inline void gmc_ncp_group_velocity(const gmc_ncp_group *group, const double *restrict v,
                                          double *restrict V)
{
    const double *S = group->S;
    double x = 0, y = 0, z = 0;
    int k = 0;
    for (; k < group->hints.slide_count; k++, S += 6) {
        double s = v[group->columns[k]];
        x += S[0] * s;
        y += S[1] * s;
        z += S[2] * s;
    }
    V[0] = x;
    V[1] = y;
    V[2] = z;
    V[3] = V[4] = V[5] = 0;
    for (; k < group->general_count; k++, S += 6) {
        double s = v[group->columns[k]];
        for (int i = 0; i < 6; i++)
            V[i] += S[i] * s;
    }
    if (group->column_count == group->general_count) return;
    const double *unit = v + group->columns[group->general_count];
    for (int i = 0; i < 6; i += 2) { // in pairs: vector code
        double a = group->sign * unit[i], b = group->sign * unit[i + 1];
        V[i] += a;
        V[i + 1] += b;
    }
}

/// p -= Sᵀ F
static inline void gmc_ncp_group_push(const gmc_ncp_group *group, const double *restrict F,
                                      double *restrict p)
{
    const double *S = group->S;
    int k = 0;
    for (; k < group->hints.slide_count; k++, S += 6)
        p[group->columns[k]] -= (S[0] * F[0] + S[1] * F[1]) + S[2] * F[2];
    for (; k < group->general_count; k++, S += 6)
        p[group->columns[k]] -=
            (S[0] * F[0] + S[1] * F[1]) + (S[2] * F[2] + S[3] * F[3]) + (S[4] * F[4] + S[5] * F[5]);
    if (group->column_count == group->general_count) return;
    p += group->columns[group->general_count];
    for (int i = 0; i < 6; i += 2) { // in pairs: vector code
        double a = group->sign * F[i], b = group->sign * F[i + 1];
        p[i] -= a;
        p[i + 1] -= b;
    }
}

/// u_c = J_c v of a contact whose group moves with V.
static inline void gmc_ncp_contact_at(const gmc_ncp_contact *contact, const double V[6],
                                      double u[3])
{
    const double *D = contact->frame, *a = contact->arm;
    double x = V[0] + (V[4] * a[2] - V[5] * a[1]), y = V[1] + (V[5] * a[0] - V[3] * a[2]);
    double z = V[2] + (V[3] * a[1] - V[4] * a[0]);
    u[0] = D[0] * x + D[1] * y + D[2] * z;
    u[1] = D[3] * x + D[4] * y + D[5] * z;
    u[2] = D[6] * x + D[7] * y + D[8] * z;
    if (contact->spun[0] == 0 && contact->spun[1] == 0) return;
    double spin = D[0] * V[3] + D[1] * V[4] + D[2] * V[5];
    u[1] += spin * contact->spun[0];
    u[2] += spin * contact->spun[1];
}

/// F += what the impulse r of a contact is to its group.
static inline void gmc_ncp_contact_wrench(const gmc_ncp_contact *contact, const double r[3],
                                          double F[6])
{
    const double *D = contact->frame, *a = contact->arm;
    double x = D[0] * r[0] + D[3] * r[1] + D[6] * r[2];
    double y = D[1] * r[0] + D[4] * r[1] + D[7] * r[2];
    double z = D[2] * r[0] + D[5] * r[1] + D[8] * r[2];
    F[0] += x;
    F[1] += y;
    F[2] += z;
    F[3] += a[1] * z - a[2] * y;
    F[4] += a[2] * x - a[0] * z;
    F[5] += a[0] * y - a[1] * x;
    if (contact->spun[0] == 0 && contact->spun[1] == 0) return;
    double moment = contact->spun[0] * r[1] + contact->spun[1] * r[2];
    for (int i = 0; i < 3; i++)
        F[3 + i] += D[i] * moment;
}

/// Motion of a group, or wrench of impulses, in the frame of a face: what is turned once for all
/// its contacts (face_count).
typedef struct gmc_ncp_face {
    double v[3], w[3];
} gmc_ncp_face;

/// (D velocity, D spin)
static inline void gmc_ncp_face_open(const double D[9], const double V[6], gmc_ncp_face *face)
{
    for (int i = 0; i < 3; i++, D += 3) {
        face->v[i] = D[0] * V[0] + D[1] * V[1] + D[2] * V[2];
        face->w[i] = D[0] * V[3] + D[1] * V[4] + D[2] * V[5];
    }
}

/// u = D (velocity + spin x arm), the tangents at their place
static inline void gmc_ncp_face_at(const gmc_ncp_face *face, const double a[5], double u[3])
{
    const double *v = face->v, *w = face->w;
    u[0] = v[0] + (w[1] * a[2] - w[2] * a[1]);
    u[1] = v[1] + (w[2] * a[0] - w[0] * a[4]);
    u[2] = v[2] + (w[0] * a[3] - w[1] * a[0]);
}

/// face += (r, arm x r) of one contact
static inline void gmc_ncp_face_add(const double a[5], const double r[3], gmc_ncp_face *face)
{
    face->v[0] += r[0];
    face->v[1] += r[1];
    face->v[2] += r[2];
    face->w[0] += a[3] * r[2] - a[4] * r[1];
    face->w[1] += a[2] * r[0] - a[0] * r[2];
    face->w[2] += a[0] * r[1] - a[1] * r[0];
}

/// face -= (r, arm x r)
static inline void gmc_ncp_face_subtract(const double a[5], const double r[3], gmc_ncp_face *face)
{
    face->v[0] -= r[0];
    face->v[1] -= r[1];
    face->v[2] -= r[2];
    face->w[0] -= a[3] * r[2] - a[4] * r[1];
    face->w[1] -= a[2] * r[0] - a[0] * r[2];
    face->w[2] -= a[0] * r[1] - a[1] * r[0];
}

/// F += the face's wrench, turned back.
static inline void gmc_ncp_face_wrench(const double D[9], const gmc_ncp_face *face, double F[6])
{
    const double *v = face->v, *w = face->w;
    for (int i = 0; i < 3; i++) {
        F[i] += D[i] * v[0] + D[3 + i] * v[1] + D[6 + i] * v[2];
        F[3 + i] += D[i] * w[0] + D[3 + i] * w[1] + D[6 + i] * w[2];
    }
}

/// u_c = J_c v of one contact, 3 values.
static inline void gmc_ncp_contact_velocity(const gmc_ncp_group *group,
                                            const gmc_ncp_contact *contact, const double *v,
                                            double u[3])
{
    double V[6];
    gmc_ncp_group_velocity(group, v, V);
    gmc_ncp_contact_at(contact, V, u);
}

/// Column k of S, the six that are not kept as well.
static inline void gmc_ncp_group_column(const gmc_ncp_group *group, int k, double S[6])
{
    int unit = k - group->general_count;
    for (int i = 0; i < 6; i++)
        S[i] = unit < 0 ? group->S[6 * k + i] : i == unit ? group->sign : 0;
}

/// Column k of J_c, 3 values.
static inline void gmc_ncp_contact_column(const gmc_ncp_group *group,
                                          const gmc_ncp_contact *contact, int k, double J[3])
{
    double S[6];
    gmc_ncp_group_column(group, k, S);
    gmc_ncp_contact_at(contact, S, J);
}

/// What the impulses of a group's contacts are to it. r: 3 values per contact, of all groups.
static inline void gmc_ncp_group_wrench(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                                        const double *r, double F[6])
{
    int c = group->contact_first, end = c + group->contact_count;
    for (int i = 0; i < 6; i++)
        F[i] = 0;
    while (c < end) {
        const gmc_ncp_contact *first = &contacts[c];
        if (first->hints.face_count == 0) {
            gmc_ncp_contact_wrench(first, r + 3 * c++, F);
            continue;
        }
        gmc_ncp_face sum = {{0}, {0}};
        for (int stop = c + first->hints.face_count; c < stop; c++)
            gmc_ncp_face_add(contacts[c].hints.turned_arm, r + 3 * c, &sum);
        gmc_ncp_face_wrench(first->frame, &sum, F);
    }
}

static inline double gmc_ncp_row_velocity(const gmc_ncp_row *row, const double *v)
{
    double u = 0;
    for (int k = 0; k < row->column_count; k++)
        u += row->J[k] * v[row->columns[k]];
    return u;
}

/// P(y): what the contact law makes of a trial impulse. y and p may be the same.
static inline void gmc_ncp_project(const double y[3], double friction, double p[3])
{
    if (!(y[0] > 0)) {
        p[0] = p[1] = p[2] = 0;
        return;
    }
    double radius = friction * y[0], size2 = y[1] * y[1] + y[2] * y[2];
    double scale = size2 > radius * radius ? radius / sqrt(size2) : 1;
    p[0] = y[0];
    p[1] = scale * y[1];
    p[2] = scale * y[2];
}

static inline double gmc_ncp_clamp(double y, double lower, double upper)
{
    return y < lower ? lower : y > upper ? upper : y;
}

#endif
