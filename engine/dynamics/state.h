/// State of a mechanism and its advance over one step on the configuration manifold.
///
/// The isolated free bodies (objects) carry their momentum: over a step the angular momentum about
/// the centre of mass changes by the impulses alone, and the orientation turns by the mean angular
/// velocity w̄ that the midpoint rule gives: R(t+h/2) = R exp(h w̄/2), I(R(t+h/2)) w̄ = L. So a
/// torque-free top keeps L to rounding and its energy to O(h²) without drift (Lie–Euler errs by 3 %
/// in 10 s of an asymmetric top at 5 rad/s and 2 ms). All other joints: q(t+h) = q(t) ⊕ h v(t+h).
#ifndef GMC_ENGINE_DYNAMICS_STATE_H
#define GMC_ENGINE_DYNAMICS_STATE_H

#include "engine/dynamics/kinematics.h"

typedef struct gmc_state {
    double t;  ///< [s]
    double *q; ///< (q_count)
    double *v; ///< (dof_count); isolated bodies: velocities at t, not means over a step
} gmc_state;

GMC_MUST_CHECK gmc_status gmc_state_create(const gmc_model *model, gmc_arena *arena,
                                           gmc_state *state);

/// q = q_start, v = 0, t = 0.
void gmc_state_start(const gmc_model *model, gmc_state *state);

/// Mean angular velocity of a free rotation over h by the midpoint rule: solves
/// I(R exp(h w̄_b/2)) w̄ = L for w̄ (world axes) by fixed-point/Newton iteration to rounding.
/// @param L_w  angular momentum about the centre of mass in the middle of the step [kg·m²/s]
gmc_vec3 gmc_state_mean_rotation(const gmc_mat3 *R_wb, const gmc_mat3 *I_b, gmc_vec3 L_w, double h);

/// Carry the coordinates of what is not driven along `v` for h; velocities and time stay.
/// @param kin  places and orientations that v is of
/// @param v    (dof_count) driven joints' are not read
void gmc_state_move(const gmc_model *model, const gmc_kinematics *kin, const double *v, double h,
                    gmc_state *state);

/// What moves the state in one step.
typedef struct gmc_state_motion {
    const double *v_mean;   ///< (dof_count) velocities that carry q over the step; driven ones
                            ///< included [m/s, rad/s]
    const double *impulse;  ///< (free_count) generalised impulse received in the step without
                            ///< gravity and bias: contact, joint and applied forces; isolated
                            ///< bodies add it and gravity to their momentum, others take
                            ///< v = v_mean [N·s, N·m·s]
    const double *q_driven; ///< (q_count) end coordinates; read only at driven joints' places,
                            ///< copied as they are; NULL if nothing is driven [m, rad]
    double h;               ///< step length [s]
} gmc_state_motion;

/// Advance q, v, t by motion->h.
/// @param kin  at the state's (q, v)
void gmc_state_advance(const gmc_model *model, const gmc_kinematics *kin,
                       const gmc_state_motion *motion, gmc_state *state);

#endif
