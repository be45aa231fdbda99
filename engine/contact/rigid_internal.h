/// What the rigid steppers have in common (private to this room): from a world to the
/// complementarity problem of one step and back.
///
///   Mh v⁺ = p* + J_nᵀ c + J_dᵀ β + J_iᵀ s                        momentum
///   0 <= c ⊥ J_n v⁺ + u_n + bias >= 0                             no penetration, or no approach
///   0 <= β ⊥ J_d v⁺ + u_d + E λ >= 0,   0 <= λ ⊥ mu c - Eᵀ β >= 0   friction pyramid
///   c = h N, β and λ likewise                                     supports (model/support.h)
///   lower <= s <= upper ⊥ J_i v⁺ + b_i + R_i s                     joints, as in coulomb_joint.c
///
/// with u the part of the relative velocity that driven joints cause. The steppers differ in which
/// contacts take part and in their bias. Everything is in generalised coordinates, so it serves
/// three dimensions and two: a contact whose second tangent nothing can move along has two friction
/// directions, which are then exact.
#ifndef GMC_ENGINE_CONTACT_RIGID_INTERNAL_H
#define GMC_ENGINE_CONTACT_RIGID_INTERNAL_H

#include "engine/complementarity/dual.h"
#include "engine/contact/coulomb_internal.h"
#include "engine/dynamics/jacobian.h"

/// A contact, or a point of a support, that takes part in a solve.
typedef struct gmc_rigid_contact {
    int index; ///< into the world's contacts; of supports into the model's support points
    int column_count;
    const int *columns;      ///< (column_count) dofs with an entry, each once
    const double *J[3];      ///< rows of n, t1, t2, one value per column
    double driven[3];        ///< velocity by driven joints alone, scaled as the rows are [m/s]
    double scale[2];         ///< of the tangential rows: 1, 1 but for a grain (contact.h) [-]
    gmc_vec2 heading;        ///< of supports: t1 in the plane, t2 is to its left [-]
    double bias, compliance; ///< of the normal [m/s, 1/kg]
    double inverse_mass;     ///< about: of the normal; of supports of a tangent [1/kg]
    double friction;
    int facet_count;
} gmc_rigid_contact;

/// One solve in the making; arrays in the scratch arena.
typedef struct gmc_rigid_step {
    gmc_coulomb_step motion; ///< world, control, h; Mh, p*, joint rows and the solution's v
    const gmc_step_options *options;
    bool is_later; ///< not the first part of a step: impulses add to those the contacts carry
    double whole;  ///< length of the whole step, for the report [s]
    int contact_count, touching_count; ///< all; contacts, supports stand behind them
    gmc_rigid_contact *contacts;
    double *r, *w;          ///< (3 per unit) impulses and velocities: contacts, then joint rows
    gmc_step_report report; ///< added up over the solves of one step
} gmc_rigid_step;

/// Start a step of length h.
gmc_rigid_step gmc_rigid_begin(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch);

/// Velocities and impulses that answer the world's contacts (already found).
/// @param bias  (contacts.count) see above [m/s]; +inf: takes no part
/// @return GMC_OK; GMC_E_NO_SOLUTION (no residual small enough, also regularised; a body turns too
///         far for one step; quasi-static: nothing holds a body that a force drives);
///         GMC_E_MISMATCH (bodies that nothing can stop are driven into each other);
///         GMC_E_DIVERGED; GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rigid_solve(gmc_rigid_step *step, const double *bias);

/// Rows of the contacts that take part and of supports; Mh is known (rigid_contact.c).
/// @return GMC_OK, GMC_E_MISMATCH (bodies that nothing moves overlap), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rigid_contact_rows(gmc_rigid_step *step, const double *bias);

/// Velocity along dir of the point at `arm` from the Jacobian's reference, per unit of each column.
/// @param row  (jacobian->count) out
void gmc_rigid_contact_row(const gmc_jacobian *jacobian, gmc_vec3 arm, gmc_vec3 dir, double *row);

/// Contacts of the supports, behind those of the world; there is room (rigid_support.c).
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rigid_support_rows(gmc_rigid_step *step);

/// Impulses of a support's point along its row's axes, from those kept of the step before.
void gmc_rigid_support_start(const gmc_rigid_contact *row, const double *kept, double r[3]);

/// Their impulses into the world.
void gmc_rigid_support_keep(const gmc_rigid_step *step);

/// Write the problem down and solve it: v, r and w of the step, s of its joint rows (rigid_dual.c).
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_MISMATCH (there is no room between bodies),
///         GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rigid_dual_solve(gmc_rigid_step *step);

/// Advance the world by the solution: state, kinematics, impulses and modes of contacts, joints.
/// @param q_driven  (q_count) where driven joints end; NULL: there are none
/// @return GMC_OK, GMC_E_ARENA_FULL (nothing is touched)
GMC_MUST_CHECK gmc_status gmc_rigid_advance(gmc_rigid_step *step, const double *q_driven);

#endif
