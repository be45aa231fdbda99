/// Parts of the default stepper, private to this room.
#ifndef GMC_ENGINE_CONTACT_COULOMB_COULOMB_INTERNAL_H
#define GMC_ENGINE_CONTACT_COULOMB_COULOMB_INTERNAL_H

#include "engine/complementarity/ncp.h"
#include "engine/complementarity/rungs.h"
#include "engine/contact/mechanism/mechanism.h"
#include "engine/math/elementary.h"

#include <stdbool.h>

/// What of a body's motion counts in the balance: nothing where it has no free dof.
typedef enum gmc_coulomb_moves {
    GMC_COULOMB_NOT,
    GMC_COULOMB_ALONE,  ///< isolated or flat: its state is all of its motion
    GMC_COULOMB_IN_TREE ///< may be carried by others
} gmc_coulomb_moves;

/// Energy as the last step left it (coulomb_energy.c).
typedef struct gmc_coulomb_balance {
    bool is_begun;              ///< with the first step of a trial; else it is not known
    gmc_coulomb_moves *moves;   ///< (body_count)
    int *turners, turner_count; ///< dofs that turn bodies of trees
    int *tree, tree_count;      ///< bodies of trees, and those that they hang on, in their order
    bool has_armature;          ///< some free dof has
    gmc_vec3 moment, moment_before; ///< Σ m c at the end of the last step, of that before [kg·m]
    gmc_wrench *momentum;           ///< (body_count) in the middle of the last step, about the
                                    ///< world's origin [kg·m/s, kg·m²/s]
    int weighings;                  ///< of the kinematics, that these are of
    double kinetic;                 ///< in the middle of the last step [J]
    struct gmc_coulomb_account *accounts; ///< (account_count) that hold something
    int account_count, account_max;
} gmc_coulomb_balance;

/// Kept from step to step, in the trial arena (gmc_world.stepper_memory).
typedef struct gmc_coulomb_memory {
    gmc_mechanism_memory *mechanism;
    gmc_coulomb_balance balance;
} gmc_coulomb_memory;

/// What forces do in one step.
typedef struct gmc_coulomb_energy {
    double *v;        ///< (dof_count) v̄, over the span
    gmc_twist *mean;  ///< (body_count) of the bodies at v̄; of steps with moments of friction
    gmc_twist *after; ///< (body_count) at the velocities found, of trees; NULL: none turns
    gmc_twist *lead;  ///< (body_count) at v̄ of driven joints alone; NULL: they rest
    struct gmc_coulomb_account *accounts; ///< (account_count) of what touches in this step
    int account_count;
    double drives;         ///< work of drives [J]
    double loss;           ///< by law [J]
    double scheme;         ///< taken by the scheme [J]
    double kinetic;        ///< at the end [J]
    double elastic_change; ///< [J]
} gmc_coulomb_energy;

/// Where a touching contact's point was in both bodies, and how far its tangents expect it to move.
typedef struct gmc_coulomb_anchor {
    gmc_vec3 p_a;       ///< place_b of the contact in body a's frame [m]
    gmc_vec3 dir_a[2];  ///< t1, t2 in body a's frame
    double expected[2]; ///< h u_T; of what sticks, by how much its deflection grew [m]
} gmc_coulomb_anchor;

/// One step in the making; arrays in the scratch arena.
typedef struct gmc_coulomb_step {
    gmc_mechanism_step
        motion; ///< world, control, h; Mh, p*, rows of joints; v and s of the solution
    const gmc_step_options *options;
    gmc_coulomb_balance *balance; ///< the memory's
    gmc_rungs_report rungs;       ///< of the solves so far
    bool *is_soft;    ///< (block_count) contacts of what has its dofs there keep their own law,
                      ///< whatever strikes (coulomb_bounce.c)
    bool is_squeezed; ///< something is that was not soft: to be solved once more
    bool is_rising;   ///< some contact gives back what the trial began with (coulomb.c)
    bool has_impact;  ///< some contact is in the first or the second step of an impact
    double *driven_approach;           ///< (contacts) of the normals, by driven joints alone [m/s]
    struct gmc_coulomb_impact *impact; ///< where something may bounce, else NULL
    int contact_count;                 ///< rows of contacts and, behind them, of rolling friction
    gmc_ncp_contact *contacts;         ///< as the world's contacts, in their order; then those
    double *r;                         ///< (3 * contact_count) their impulses: warm start, solution
    int group_count;                   ///< of the contacts of two bodies, those of rolling behind
    int pair_count;                    ///< without those behind
    gmc_ncp_group *groups;
    gmc_coulomb_anchor *anchors; ///< one per contact; of the touching ones only
    int torque_count;
    int pad_count;
    struct gmc_coulomb_pad *pads; ///< pairs that press on pads by patches
    int cap_count;
    struct gmc_coulomb_cap *caps; ///< of pairs that press on pads by formulas
    int flat_count;
    struct gmc_coulomb_flat *flats;     ///< contacts whose points bear one pressure
    struct gmc_coulomb_torque *torques; ///< contacts with torsional or rolling friction
    int support_first;                  ///< their first row in `contacts`
    gmc_vec2 *support_places;           ///< (support_point_count) world, at the step's start [m]
    double *wrenches; ///< (6 * group_count) once it is accepted: of the groups (ncp.h)
} gmc_coulomb_step;

/// Of its spring; on a pad: of a linear one with the same force and slope [m].
static inline double gmc_coulomb_contact_gap(const gmc_contact *contact)
{
    bool is_pad = contact->extra && contact->law.extra->pad > 0 && gmc_contact_gap(contact) <= 0;
    return is_pad ? contact->extra->pad_gap : gmc_contact_gap(contact);
}

/// What an impact makes of row c, as written by the contact's own law (coulomb_bounce.c).
/// @param group     the contact's
/// @param u_driven  relative velocity by driven joints alone
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_impact_row(gmc_coulomb_step *step, const gmc_ncp_group *group,
                                                 size_t c, const double u_driven[3]);

/// Once all rows are written and some contact is in an impact: what else that strikes, along
/// contacts that are closed. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_impact_spread(const gmc_coulomb_step *step);

/// After the solution of a step with impacts: what struck rows press together that nothing can keep
/// apart (coulomb_bounce.c).
/// step->is_soft: what is to be soft, too; so is what a rim rolls over that was to strike, and did
/// not.
/// @param is_found  out: some is
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_squeeze_find(gmc_coulomb_step *step, bool *is_found);

/// Is the contact a point of a tilted cylinder's rim on a face?
bool gmc_coulomb_rim_has(const gmc_world *world, const gmc_contact *contact);

/// Overlaps of the start up to this are given back by the contacts' springs [m].
static const double GMC_COULOMB_RISE_MIN = 1e-8;

/// Is that overlap of the start given back apart from the motion?
static inline bool gmc_coulomb_rises(const gmc_coulomb_step *step, double sunk)
{
    return step->motion.is_centred && sunk > GMC_COULOMB_RISE_MIN;
}

/// How much of it the springs of this step know.
static inline double gmc_coulomb_sunk(const gmc_coulomb_step *step, double sunk)
{
    return gmc_coulomb_rises(step, sunk) ? sunk : gmc_contact_floated(sunk, step->motion.h);
}

/// After a solution: energy that impacts took as they arrived, and whether those thrown back give
/// more than they took. If so their speeds are lowered in the rows. @return whether to solve again
bool gmc_coulomb_impact_limit(const gmc_coulomb_step *step, int round);

/// Stiffness of one contact on a pad for the step: law.stiffness, and the gap of the linear spring
/// that has the force and the slope of the layer's at the present indentation. Newton's step on a
/// convex force: exact where things rest.
/// @param ahead  normal velocity as the step begins, times its length [m]
void gmc_coulomb_pad_press(gmc_contact *contact, double ahead);

/// A convex face, counter-clockwise, about the place under the ball's centre.
typedef struct gmc_cap_face {
    int count;
    const double *x, *y; ///< (count) corners [m]
} gmc_cap_face;

/// More faces than this are not integrated.
enum { GMC_CAP_FACES = 32 };

/// What of faces is nearest to the place under the centre.
typedef struct gmc_cap_near {
    double away; ///< 0 over one [m]
    double x, y; ///< unit, from there to the centre; 0, 0 over one
} gmc_cap_near;

/// A ball over faces; those that overlap count once.
typedef struct gmc_cap {
    const gmc_cap_face *faces;
    int face_count;    ///< 1 to GMC_CAP_FACES
    double radius;     ///< R of the ball, > near.away [m]
    gmc_cap_near near; ///< what of them is nearest
} gmc_cap;

/// Against the whole cap, as deep as this one is at its deepest.
typedef struct gmc_cap_share {
    double force;          ///< length of the force, over π k R d² [-]
    double slope;          ///< its derivative along its direction, over 2 π k R d [-]
    double stored;         ///< energy, over π k R d³/3 [-]
    double lean_x, lean_y; ///< of the force on the ball, as tangents against the normal [-]
} gmc_cap_share;

/// @param faces  (count), count >= 1
gmc_cap_near gmc_coulomb_cap_nearest(const gmc_cap_face *faces, int count);

/// Is a circle about that place on the face?
bool gmc_coulomb_cap_is_whole(const gmc_cap_face *face, double radius);

/// @param depth  δ, > 0 [m]
/// @param share  out: all 0 if nothing of it is on a face
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_cap_integrate(const gmc_cap *cap, double depth,
                                                    gmc_arena *arena, gmc_cap_share *share);

/// Points of patches in place of the collider's, for pairs of flat-faced solids with a pad
/// (coulomb_pad.c). @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_coulomb_pad_find(gmc_coulomb_step *step, gmc_contact_point *points,
                                               int *count);

/// Once they are contacts: their shares of the area; of those that press by formulas points and
/// gaps, too.
void gmc_coulomb_pad_share(const gmc_coulomb_step *step);

/// After a solution: are patches pressed where it leaves them? If not, their contacts are moved
/// there. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_pad_limit(gmc_coulomb_step *step, int round, bool *is_moved);

/// Does a region of a pad change in the step by so much that it should be refused if it is long?
bool gmc_coulomb_pad_leaps(const gmc_coulomb_step *step);

/// How deep pads are pressed, by patches and over their thickness: without what they began with and
/// have not given back.
/// @param report  in, out: max_penetration, pad_press
void gmc_coulomb_pad_report(const gmc_coulomb_step *step, gmc_step_report *report);

/// Contact c, of a patch, to another place with its present share; its row with it.
/// @param driven  motion of b against a by driven joints alone
void gmc_coulomb_contact_move(gmc_coulomb_step *step, size_t c, const gmc_contact_point *point,
                              const gmc_twist *driven);

/// Forces are taken to be at most this large, per mu N: beyond it motions are all but straight.
#define GMC_SLIP_FORCE_MAX 0.995

/// A point of a contact plane and the share of the pressure that it bears.
typedef struct gmc_slip_point {
    double x, y;   ///< from the middle of the pressure [m]
    double weight; ///< >= 0, all of them sum to 1
} gmc_slip_point;

/// Of a rectangle of uniform pressure about the origin.
/// @param half    half sides along x and y, >= 0, one of them > 0 [m]
/// @param force   per mu N
/// @param centre  out: q of the motion that begins, a guess for others [m]
/// @return the largest moment about the normal, > 0 [m], to 1e-4 of the longer one where the other
///         is 0, else to 1e-7
double gmc_coulomb_slip_of_rectangle(const double half[2], const double force[2], double centre[2]);

/// Of points.
/// @param centre  a guess of q [m]
/// @return >= 0 [m], as above
double gmc_coulomb_slip_of_points(const gmc_slip_point *points, int count, const double force[2],
                                  const double centre[2]);

/// Once all rows of contacts are written: friction of flat contacts to where it acts
/// (coulomb_flat.c).
/// @param v_driven  (dof_count) of driven joints, zero at free dofs; NULL: nothing is driven
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_flat_rows(gmc_coulomb_step *step, const double *v_driven);

/// After a solution: is the middle of their pressure where the rows have it? If not, it is moved.
/// @return whether to solve again
bool gmc_coulomb_flat_limit(gmc_coulomb_step *step, int round);

/// Once the solution is in the contacts: their deflections back to the contacts' material.
void gmc_coulomb_flat_keep(const gmc_coulomb_step *step);

struct gmc_coulomb_torque {
    int contact;                     ///< the parent
    int torsion;                     ///< its row, -1: none
    int rolling;                     ///< its block, -1: none
    double spread;                   ///< 1 / (h + τ)
    double stiffness_n, stiffness_t; ///< [N·m/rad]
    double turn[3];                  ///< about n, t1, t2 [rad]
    gmc_vec3 brought_a;              ///< all of the turn at the start of the step, in a's frame
    gmc_mat3 R_ab;                   ///< of b in body a's frame at the start of the step
    gmc_vec3 dir_a[3];               ///< n, t1, t2 in body a's frame
    gmc_vec3 expected_a;             ///< h w, in body a's frame [rad]
};

/// How many contacts have torsional and rolling friction (coulomb_moments.c).
typedef struct gmc_coulomb_moments_counts {
    int contacts, torsion, rolling;
} gmc_coulomb_moments_counts;

gmc_coulomb_moments_counts gmc_coulomb_moments_count(const gmc_contact_set *set);

/// Rows of torsional and rolling friction behind all others, and their warm start. There is room.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_moments_rows(gmc_coulomb_step *step);

/// After a solution: do the moments keep to the normal forces that came of it? If not, their limits
/// are moved there. @return whether to solve again
bool gmc_coulomb_moments_limit(const gmc_coulomb_step *step, int round);

/// After the solution: moments and turns into the contacts' extras, at the old kinematics.
void gmc_coulomb_moments_keep(const gmc_coulomb_step *step);

/// After the advance: what the bodies' true turn added beyond h w.
void gmc_coulomb_moments_correct(const gmc_coulomb_step *step);

/// Room for what the balance keeps. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_energy_memory(const gmc_model *model,
                                                    const gmc_kinematics *kin, int contact_max,
                                                    gmc_arena *arena, gmc_coulomb_memory *memory);

/// After the solution, driven velocities included, before anything is kept: what forces do.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_coulomb_energy_open(const gmc_coulomb_step *step,
                                                  gmc_coulomb_energy *energy);

/// After the advance: what they did, held against the state.
void gmc_coulomb_energy_close(const gmc_coulomb_step *step, gmc_coulomb_energy *energy,
                              gmc_step_energy *report);

#endif
