/// What a mechanism does in a step without a law of contact: the base of all laws. They take of it
///
///   Mh v⁺ = p* + (what contacts do) + J_iᵀ s       momentum, with viscous damping and servos in Mh
///   lower <= s <= upper ⊥ J_i v⁺ + b_i + R_i s      limited servos, brakes, stops, dry friction
///
/// and the step's course: points where bodies may touch, the motion of driven joints, normal forces
/// of supports, the advance of the state. Equations: mechanism_motion.c and mechanism_joint.c. In
/// 'coulomb' forces act over the span between the middles of two steps, in rigid laws over the step
/// itself.
#ifndef GMC_ENGINE_CONTACT_MECHANISM_MECHANISM_H
#define GMC_ENGINE_CONTACT_MECHANISM_MECHANISM_H

#include "engine/complementarity/ncp.h"
#include "engine/contact/law.h"
#include "engine/dynamics/jacobian.h"
#include "engine/math/elementary.h"

#include <stdbool.h>

/// What may act on one scalar dof besides contacts. Impulses of the last step are the warm start of
/// the next [N·s, N·m·s].
typedef struct gmc_mechanism_joint {
    int dof, q;                           ///< its velocity and position
    double presliding;                    ///< deflection at which its friction breaks away [m, rad]
    double stop_shell;                    ///< nearer than this it is at a rigid stop [m, rad]
    double deflection;                    ///< elastic, of the sticking joint friction [m, rad]
    double servo, lower, upper, friction; ///< impulses
    double slower, faster; ///< of its drive where it keeps the joint from being too fast: back, on
} gmc_mechanism_joint;

/// Kept from step to step, in the trial arena. Of laws that keep nothing else it is the world's
/// stepper_memory.
typedef struct gmc_mechanism_memory {
    int joint_count;
    gmc_mechanism_joint *joints; ///< free revolute and prismatic joints
    double *ganged;              ///< (free_count) impulses of gangs (law.h)
    int block_count;
    int *block_start;  ///< (block_count + 1) diagonal blocks of M
    bool *is_isolated; ///< (block_count) the block is one isolated body and nothing else
    int isolated_count;
    int *isolated;       ///< (isolated_count) bodies
    double *mass_steady; ///< as Mh: what of M changes with masses alone
    int weighings;       ///< of the kinematics, that it is of
    int column_max;      ///< columns of one contact at most: those of two blocks
    int mass_width;      ///< 0: Mh is (free x free); else rows hold their block alone (ncp.h)
    int *block_first;    ///< (free) first dof of the block, with mass_width
    struct gmc_islands_memory *islands; ///< NULL: all bodies are solved as one
    struct gmc_rigid_ties *ties;        ///< NULL: joints are those of the model (maximal.h)
    bool has_driven;
    bool has_damping;      ///< some free dof, or support, has
    bool is_inplane;       ///< all that can touch is planar (inplane.h)
    double h_last;         ///< length of the step before; 0: none yet [s]
    gmc_vec3 gravity_last; ///< in it [m/s²]
    int coupled_count;
    int *coupled;     ///< (coupled_count) dofs of blocks in which forces depend on velocities
    bool is_turned;   ///< these blocks turn by joints of their own; else by what is driven alone
    int turner_count; ///< driven dofs that turn them: where all rest, nothing depends on velocities
    int *turners;     ///< (turner_count)
    double *rate, *pushed;  ///< (coupled_count) of their velocities over the step before, and of it
                            ///< what contacts and rows did [m/s², rad/s²]
    bool is_pushed;         ///< the latter is known
    double *support_forces; ///< (support_point_count) normal [N]
    double support_gravity; ///< across the plane, that they are of [m/s²]
    double *support_deflection; ///< (2 * support_point_count) elastic, along the world's x, y [m]
    gmc_contact_point *points;  ///< (capacity of the contact set) from the collider
} gmc_mechanism_memory;

/// L and D of a diagonal block of Mh (dense.h).
typedef struct gmc_mechanism_factor {
    enum { GMC_FACTOR_UNKNOWN, GMC_FACTOR_MADE, GMC_FACTOR_NONE } state;
    double *x; ///< rows, then reciprocal pivots
    int *last;
} gmc_mechanism_factor;

/// How limits of joints are met, φ what is left of the way to one [m, rad].
typedef enum gmc_mechanism_stop {
    GMC_STOP_SPRING,      ///< one-sided springs, damped
    GMC_STOP_BY_POSITION, ///< 0 <= s ⊥ φ/h + J v >= 0: no step ends beyond it
    GMC_STOP_BY_VELOCITY, ///< 0 <= s ⊥ J v >= 0 of what is at its stop, φ <= stop_shell [miller2003]
                          ///< eq 9; to what is past it a velocity is added that brings it back
} gmc_mechanism_stop;

/// One step in the making; arrays in the scratch arena.
typedef struct gmc_mechanism_step {
    gmc_world *world;
    gmc_mechanism_memory *memory;
    const gmc_control *control;
    double h;    ///< over which velocities carry positions [s]
    double span; ///< over which forces act: from the middle of the step before to that of this [s]
    gmc_vec3 gravity; ///< mean over the span [m/s²]
    bool is_centred;  ///< momentum is carried on: damping is of second order, impacts bounce
    bool is_start;    ///< the first of a trial: overlaps are where bodies begin
    bool is_outrun;   ///< what moves goes beyond where contacts were looked for
    int round;        ///< quasi-static: proximal steps taken in this solve
    gmc_arena *scratch;
    double *mass;                  ///< Mh, (free x free) or (free x memory->mass_width)
    gmc_mechanism_factor *factors; ///< (block_count) of Mh, each made when it is asked for
    double *momentum;              ///< (free) p* = Mh v*
    double *spun;     ///< (free) of isolated bodies: mean of the free rotation less that at the
                      ///< start; NULL: none turns so [rad/s]
    double *added;    ///< (free) of Mh's diagonal: damping and servos, which grow with the step
    double *damped;   ///< (free) pairs: D θ, D (1 - θ) of viscous damping; NULL: there is none
    double *coasting; ///< (free) v* of coupled dofs; NULL: there are none, or no inertia
    gmc_mechanism_stop stop;
    double stop_return; ///< by velocity: share of what is past a stop that it asks back, by time
                        ///< [1/s]
    double limit_speed; ///< limits that a joint does not reach at its own speed and this on top
                        ///< have no row [m/s, rad/s]
    bool brakes_all;    ///< drives of all joints have rows that keep them from being too fast; else
                        ///< those that are nearly as fast as they may be
    int single_row_count;           ///< rows of single joints, in their order; behind them gangs'
    int joint_row_count, row_count; ///< rows of joints; with those that a law puts behind them
    gmc_ncp_row *rows;
    double **row_memory; ///< where each row's impulse is kept in the memory
    double *v;           ///< (dof_count) velocities that the step finds
    double *s;           ///< (row_count) impulses of rows, found
} gmc_mechanism_step;

/// A gmc_stepper's `create` for laws that keep no more than a mechanism does; world->stepper_memory
/// is a gmc_mechanism_memory.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT (a support cannot carry its body)
GMC_MUST_CHECK gmc_status gmc_mechanism_create(const gmc_model *model, int contact_max,
                                               gmc_arena *arena, gmc_world *world);

/// What is kept of masses and of supports' normal forces, where a program has changed gravity or
/// masses (gmc_kinematics_weigh) since.
/// @return GMC_OK, GMC_E_INPUT (one of them cannot carry its body: not after the memory was made)
GMC_MUST_CHECK gmc_status gmc_mechanism_weigh(const gmc_world *world, gmc_mechanism_memory *memory);

/// The diagonal block of a dof.
int gmc_mechanism_block(const gmc_mechanism_memory *memory, int dof);

/// That of a body's dofs, -1: it has none.
int gmc_mechanism_block_of(const gmc_mechanism_step *step, int body);

/// Relaxation with which what strikes a spring is not thrown back, whatever its mass: three times
/// the critical damping. By the closed form of a damped spring that cannot pull it leaves with 2.3
/// % of its speed, 5e-4 of its energy.
/// @param stiffness     [N/m, N·m/rad] > 0
/// @param inverse_mass  of what it stops [1/kg, 1/(kg·m²)]; 0: nothing moves
/// @return [s]
static inline double gmc_mechanism_settling(double stiffness, double inverse_mass)
{
    const double damping_ratio = 3;
    return inverse_mass > 0 ? 2 * damping_ratio / sqrt(stiffness * inverse_mass) : 0;
}

// ---- where contacts are looked for -------------------------------------------------------------

/// Searches for the contacts of one step at most: all but the first where solutions went.
enum { GMC_MECHANISM_LOOKS = 4 };

/// Points of the world as it stands that may touch within the step, into memory->points; supports
/// are weighed anew where gravity has changed.
/// @param look  (body_count) velocities to look with
/// @return GMC_OK, GMC_E_LIMIT, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_mechanism_find_points(const gmc_mechanism_step *step, double reach,
                                                    const gmc_twist *look, int *count);

/// Does the solution carry something so much farther than the velocities that contacts were looked
/// for with that it may meet what they did not show? Fingers of 80 g that 300 N set in motion go 20
/// mm in a step of 4 ms. Then contacts have to be found again, with `look` as velocities.
/// @param look  (body_count) in: velocities that they were looked for with; out: to look with
bool gmc_mechanism_outruns(const gmc_mechanism_step *step, double reach, gmc_twist *look);

// ---- the motion without contacts (mechanism_motion.c) ------------------------------------------

/// Proximal steps of a quasi-static solve; what needs more is held by nothing.
enum { GMC_PROXIMAL_STEPS = 40 };

/// Mass matrix Mh and momentum p*, viscous damping and unlimited servos included.
/// @param round     quasi-static: proximal steps taken in this solve
/// @param v_before  (free_count) quasi-static: velocities found before, zero at first
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_mechanism_motion(gmc_mechanism_step *step, gmc_motion kind, int round,
                                               const double *v_before);

/// Row i of Mh, to be indexed by dof.
static inline double *gmc_mechanism_mass_row(const gmc_mechanism_step *step, int i)
{
    int width = step->memory->mass_width;
    if (width == 0) return step->mass + (size_t)i * (size_t)step->world->model->free_count;
    return step->mass + (size_t)i * (size_t)width - step->memory->block_first[i];
}

/// x := Mh⁻¹ x in one diagonal block; Mh is as it was when the first was asked for. A block without
/// factors is the solver's to report: unchanged.
/// @param x  (free_count)
void gmc_mechanism_mass_solve(const gmc_mechanism_step *step, int block, double *x);

/// Velocities of the driven joints alone, in the scratch arena.
/// @param v  out: (dof_count) zero at free dofs; NULL: nothing is driven
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_mechanism_driven(const gmc_mechanism_step *step, double **v);

/// Relative velocity of points that the driven joints alone cause.
typedef struct gmc_mechanism_lead {
    double *v;          ///< gmc_mechanism_driven
    int body_a, body_b; ///< last asked for; -1: none yet
    gmc_twist V;        ///< of b against a
} gmc_mechanism_lead;

/// That of a contact's point, seen along its frame.
/// @param u  out [m/s]
void gmc_mechanism_lead_at(const gmc_kinematics *kin, const gmc_contact *contact,
                           gmc_mechanism_lead *lead, double u[3]);

/// Velocity along dir of the point at `arm` from the Jacobian's reference, per unit of each column.
/// @param row  (jacobian->count) out
void gmc_mechanism_point_row(const gmc_jacobian *jacobian, gmc_vec3 arm, gmc_vec3 dir, double *row);

/// Are the velocities of the last solve those of the motion model, or is it to be repeated from
/// them?
/// @param pressed  Σ (J r)²/m: what impulses of contacts would do to bodies one by one [J]
bool gmc_mechanism_is_settled(const gmc_mechanism_step *step, gmc_motion kind,
                              const double *v_before, double pressed);

/// Does a free dof have a velocity with which a step's geometry means nothing?
bool gmc_mechanism_diverges(const gmc_mechanism_step *step);

/// Does a free body turn by more than the limit in this step, about an axis that is not one of its
/// own?
bool gmc_mechanism_turns_too_far(const gmc_mechanism_step *step, double turn_max);

// ---- joints (mechanism_joint.c) ----------------------------------------------------------------

/// Damping over stiffness of the presliding spring of joint friction [s]: a joint comes to rest on
/// it in a few ms.
static const double GMC_PRESLIDING_RELAXATION = 1e-3;

/// A drive brakes with all that it has where its joint is too fast by this share of its largest
/// speed.
static const double GMC_BRAKE_SLACK = 1e-4;

/// Rows of limited servos, limits and joint friction; warm start of s.
/// @param more  rows that there is room for behind them
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_mechanism_joint_rows(gmc_mechanism_step *step, int more);

/// Does the solution carry a joint past a limit that has no row?
bool gmc_mechanism_joint_passes(const gmc_mechanism_step *step);

/// Does the solution make a joint faster than it may be where its drive has no row that brakes?
bool gmc_mechanism_joint_hastens(const gmc_mechanism_step *step);

/// Impulse of a servo without limit, whose row is in Mh.
double gmc_mechanism_servo_impulse(const gmc_mechanism_step *step,
                                   const gmc_mechanism_joint *joint);

/// After the solution, before the advance: impulses and deflections of joints into the memory, their
/// sums into world->servo_impulse.
void gmc_mechanism_joint_keep(const gmc_mechanism_step *step);

/// After the advance: the largest force of a drive in the step over what it has at most [-].
double gmc_mechanism_joint_effort(const gmc_mechanism_step *step);

// ---- the advance -------------------------------------------------------------------------------

/// The solution into the world: impulses and deflections of joints, what the next step takes of
/// this one's motion, state and kinematics.
/// @param impulse   (free_count) of everything but gravity and bias, for the bodies that carry
///                  their momentum; NULL: there are none
/// @param q_driven  (q_count) where driven joints end; NULL: there are none
/// @param rise      (dof_count) velocities that carry bodies over the step and are forgotten then;
///                  NULL: there are none
void gmc_mechanism_advance(const gmc_mechanism_step *step, gmc_motion kind, const double *impulse,
                           const double *q_driven, const double *rise);

#endif
