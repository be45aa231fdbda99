/// Rigid steppers in maximal coordinates: every link a free body of six velocities, joints rows
/// between them.
///
///   M v⁺ - G_jᵀ c_j - Hᵀ z = M v + h k           momentum of each link          v⁺ [m/s, rad/s]
///   G_j v⁺ = -γ Δ/h                              joints and couplings           c_j [N·s, N·m·s]
///   H v⁺ and z as in rigid_internal.h            contacts, limits, drives
///
/// Δ is how far a joint has come apart, γ the setting drift_correction. Of a revolute or prismatic
/// joint there are five rows, of a ball three, and one more where a joint is coupled to another.
/// What is fixed to each other is one link, but for what is mounted on a link that a joint moves
/// (gmc_mount): both are bodies, if both have inertia, and six rows hold them where it is mounted,
/// its origin and three small angles. The equalities are eliminated: H becomes H P Mh with
///
///   P = Mh⁻¹ - Mh⁻¹ G_jᵀ (G_j Mh⁻¹ G_jᵀ)⁻¹ G_j Mh⁻¹
///
/// by solves with the factors of the saddle point (saddle.h), and what is left is the pure problem
/// of rigid_internal.h: its matrix H P Hᵀ is eq 21's. Rotors, viscous damping and unlimited servos
/// are soft rows in Mh, implicit as they are with generalised coordinates; limited servos, limits,
/// dry friction and sums of joints are rows of H, those of mechanism_joint.c.
///
/// Sources: [miller2003] eqs 1, 2, 7-12, 16-18, 20, 21. Departs from them: drives are implicit; the
/// gyroscopic moment of a link is that at the step's start, and free bodies without joints carry
/// their angular momentum (state.h); γ is divided by the full step where it is cut.
///
/// First order in the step, as the same laws in generalised coordinates, which it is there to be
/// held against; joints come apart by about h² w² r/(2 γ) for links of length r that turn at w.
///
/// Poses in world->kin are those of the links; world->state has the joints' coordinates, read off
/// them. What is written into world->state between steps is taken over.
#ifndef GMC_ENGINE_CONTACT_RIGID_MAXIMAL_H
#define GMC_ENGINE_CONTACT_RIGID_MAXIMAL_H

#include "engine/contact/law.h"

/// A gmc_stepper's `refuses`: a prescribed motion against a link that moves by itself, and links
/// without inertia that things may touch.
const char *gmc_maximal_refuses(const gmc_model *model, int *body);

/// A gmc_stepper's `create`.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT (a model that is refused, a support that cannot
///         carry its body), GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_maximal_create(const gmc_model *model, int contact_max,
                                             gmc_arena *arena, gmc_world *world);

/// Arguments of a gmc_stepper's `step`, and the law that takes it with links that are free.
typedef struct gmc_maximal_call {
    gmc_status (*step)(gmc_world *world, const gmc_control *control,
                       const gmc_step_options *options, double h, gmc_arena *scratch,
                       gmc_step_report *report);
    gmc_world *world;
    const gmc_control *control;
    const gmc_step_options *options;
    double h;
    gmc_arena *scratch;
} gmc_maximal_call;

/// A gmc_stepper's `step`.
/// @return as the law's
GMC_MUST_CHECK gmc_status gmc_maximal_step(const gmc_maximal_call *call, gmc_step_report *report);

/// What a mount is held by: impulse and its moment about the origin of the link that is mounted, of
/// all that holds it in the last step, world axes.
/// @param world   of this stepper
/// @param mount   1 ... mount_count
/// @param wrench  (6) out [N·s, N·m·s]
/// @return false: it is one body with what it is mounted on, nothing is written
bool gmc_maximal_held(const gmc_world *world, int mount, double *wrench);

#endif
