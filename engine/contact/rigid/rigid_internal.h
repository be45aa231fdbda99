/// What the rigid steppers have in common (private to this room): from a world to the
/// complementarity problem of one step and back.
///
///   Mh v⁺ = p* + J_nᵀ c + J_dᵀ β + J_iᵀ s         momentum
///   0 <= c ⊥ J_n v⁺ + u_n + bias >= 0             no penetration, or no approach
///   0 <= β ⊥ J_d v⁺ + u_d + δ_d/h + E λ >= 0,
///   0 <= λ ⊥ mu c - Eᵀ β >= 0                     friction pyramid
///   c = h N, β and λ likewise                     supports (model/support.h)
///   0 <= m± ⊥ ±(n · w⁺) + λ >= 0,
///   0 <= λ ⊥ t c - m⁺ - m⁻ >= 0                   moment about n, t: torsion of the pair [m]
///   lower <= s <= upper ⊥ J_i v⁺ + b_i + R_i s    joints, as in mechanism_joint.c
///
/// with u the part of the relative velocity that driven joints cause, and δ how far what sticks has
/// come from where it stuck (rigid.c). The steppers differ in which contacts take part and
/// in their bias. Everything is in generalised coordinates, so it serves three dimensions and two:
/// a contact whose second tangent nothing can move along has two friction directions, which are
/// then exact.
///
/// Smooth motion is of first order in the step, that of trees, too: velocities are those of steps'
/// ends, forces those of their starts, and what falls from rest leads by half a step. That is all
/// the error of this order: forces that depend on velocities are taken where mechanism_motion.c
/// does.
#ifndef GMC_ENGINE_CONTACT_RIGID_RIGID_INTERNAL_H
#define GMC_ENGINE_CONTACT_RIGID_RIGID_INTERNAL_H

#include "engine/complementarity/dual.h"
#include "engine/contact/mechanism/mechanism.h"
#include "engine/contact/rigid/rigid.h"
#include "engine/dynamics/jacobian.h"

/// A sliding slower than this is the solver's residual: the contact sticks [m/s].
static const double GMC_RIGID_SLIP_SPEED = 1e-7;

/// A contact, or a point of a support, that takes part in a solve.
typedef struct gmc_rigid_contact {
    int index; ///< into the world's contacts; of supports into the model's support points
    int column_count;
    const int *columns;      ///< (column_count) dofs with an entry, each once
    double *J[3];            ///< rows of n, t1, t2, one value per column
    double given[3];         ///< velocity by driven joints alone, and along the tangents what takes
                             ///< the contact back to its anchor; scaled as the rows are [m/s]
    double scale[2];         ///< of the tangential rows: 1, 1 but for a grain (contact.h) [-]
    gmc_vec2 heading;        ///< of the first tangential row, along the contact's t1 and t2, in the
                             ///< plane for supports; the second is to its left [-]
    bool is_aimed;           ///< of contacts: it is where they slide
    double bias, compliance; ///< of the normal [m/s, 1/kg]
    double ease;             ///< compliance of the tangents [1/kg]
    gmc_vec2 counted;        ///< impulse along the tangential rows that it counts from [N·s]
    double inverse_mass;     ///< about: of the normal; of supports of a tangent [1/kg]
    double friction;
    int facet_count;
    const double *J_spin; ///< row of the spin about n, one value per column; where `spin` >= 0
    int spin;             ///< the row among those of joints that bears a moment about n; -1: none
} gmc_rigid_contact;

/// One solve in the making; arrays in the scratch arena.
typedef struct gmc_rigid_step {
    gmc_mechanism_step motion; ///< world, control, h; Mh, p*, joint rows and the solution's v
    const gmc_step_options *options;
    bool is_later; ///< not the first part of a step: impulses add to those the contacts carry
    double whole;  ///< length of the whole step, for the report [s]
    int contact_count, touching_count; ///< all; contacts, supports stand behind them
    gmc_rigid_contact *contacts;
    gmc_ncp system; ///< Mh and p* of all dofs, or of those of one island; without rows
    struct gmc_rigid_anchor *anchors; ///< one per contact of the world
    double *r, *w;          ///< (3 per unit) impulses and velocities: contacts, then joint rows
    double *s;              ///< as r, of all rows: those of joints stand behind the contacts'
    gmc_step_report report; ///< added up over the solves of one step
} gmc_rigid_step;

/// Of steppers whose links are free bodies (maximal.h): between the problem of the links and what
/// joints leave of it. Written in each solve.
typedef struct gmc_rigid_ties {
    struct gmc_maximal *of;
    gmc_mechanism_step joints; ///< of the mechanism whose joints they are: rows and impulses
    gmc_ncp system;            ///< mass and momentum behind the rows that `open` writes
    /// Once rows are written: contacts and joint rows as what the joints leave of them.
    gmc_status (*open)(gmc_rigid_step *step);
    /// Once impulses are known: velocities that keep to the joints.
    gmc_status (*close)(gmc_rigid_step *step);
    /// In the advance: what the mechanism's joints keep.
    void (*keep)(gmc_rigid_step *step);
} gmc_rigid_ties;

/// The step in which joints have their rows: the links', or the mechanism's.
static inline const gmc_mechanism_step *gmc_rigid_joints(const gmc_rigid_step *step)
{
    const gmc_rigid_ties *ties = step->motion.memory->ties;
    return ties ? &ties->joints : &step->motion;
}

/// What a setting of GMC_RIGID_SETTINGS is set to.
static inline double gmc_rigid_setting(const gmc_rigid_step *step, int index)
{
    return gmc_setting_of(step->options, gmc_rigid_settings, index);
}

/// Start a step of length h.
gmc_rigid_step gmc_rigid_begin(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch);

/// Contacts of the world as it stands, matched with those of the step before: all pairs that may
/// touch within the step.
/// @param look  (body_count) velocities to look with
/// @return GMC_OK, GMC_E_LIMIT, GMC_E_LIBRARY; the contact set is then as before
GMC_MUST_CHECK gmc_status gmc_rigid_find_contacts(gmc_rigid_step *step, const gmc_twist *look);

/// Velocities and impulses that answer the world's contacts (already found).
/// @param bias  (contacts.count) see above [m/s]; +inf: takes no part
/// @return GMC_OK; GMC_E_NO_SOLUTION (no residual small enough, also regularised; a body turns too
///         far for one step; quasi-static: nothing holds a body that a force drives);
///         GMC_E_MISMATCH (bodies that nothing can stop are driven into each other);
///         GMC_E_DIVERGED; GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rigid_solve(gmc_rigid_step *step, const double *bias);

// ---- what sticks stays (rigid.c)

/// Share of a deflection that a contact asks to get back, by time [1/s].
static inline double gmc_rigid_anchor_rate(const gmc_rigid_step *step)
{
    return 1 / fmax(step->whole, step->motion.memory->h_last);
}

/// By how much the gap of what was closed is larger than it is due [m].
static inline double gmc_rigid_anchor_opened(const gmc_contact *contact)
{
    return contact->gap_due < HUGE_VAL ? contact->point.gap - contact->gap_due : 0;
}

/// Advance the world by the solution: state, kinematics, impulses and modes of contacts, joints.
/// @param q_driven  (q_count) where driven joints end; NULL: there are none
/// @return GMC_OK, GMC_E_ARENA_FULL (nothing is touched)
GMC_MUST_CHECK gmc_status gmc_rigid_advance(gmc_rigid_step *step, const double *q_driven);

#endif
