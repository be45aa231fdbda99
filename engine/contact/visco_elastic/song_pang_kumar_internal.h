/// Parts of the visco-elastic stepper, private to this room.
///
/// State of the integration: y = [coordinates of joints that are not driven | free velocities |
/// elastic deflections: of joint friction, of supports, of the patches that touch].
#ifndef GMC_ENGINE_CONTACT_VISCO_ELASTIC_SONG_PANG_KUMAR_INTERNAL_H
#define GMC_ENGINE_CONTACT_VISCO_ELASTIC_SONG_PANG_KUMAR_INTERNAL_H

#include "engine/contact/mechanism/driven.h"
#include "engine/contact/mechanism/mechanism.h"
#include "engine/contact/visco_elastic/song_pang_kumar.h"
#include "engine/math/dense.h"

/// One contact while it touches, and until the end of the step in which it stopped to.
typedef struct gmc_patch {
    gmc_contact_point point; ///< as last found, or as its bodies have moved since
    int body_a, body_b;
    bool is_closed;         ///< touches
    bool is_found;          ///< in the last search
    gmc_surface_law law;    ///< of this step
    double mass;            ///< that it moves along its normal; 0: nothing can be moved [kg]
    gmc_vec3 tangent_a;     ///< t1 in body a's frame, renewed after every internal step
    gmc_vec3 p_a, p_b, n_a; ///< point on either surface and normal in the bodies' frames, where it
                            ///< was last found
    double sunk, sunk_at;   ///< overlap of the start of the trial that was not given back at that
                            ///< time: the spring is slack there [m, s]
    int first;              ///< of its deflections in y
    double deflection[2 * GMC_SONG_PANG_KUMAR_POINTS]; ///< at the last start [m]
    // at the last evaluation
    double gap_rate;          ///< [m/s]
    double normal;            ///< force [N]
    gmc_vec3 friction;        ///< force on b, world [N]
    bool slips;               ///< all its springs
    double normal_before;     ///< the same where the internal step began
    gmc_vec3 friction_before; ///< [N]
    // over the step
    double normal_impulse;
    gmc_vec3 friction_impulse;
} gmc_patch;

/// The stepper's memory, and what one evaluation of the equations of motion works with.
typedef struct gmc_song_pang_kumar {
    gmc_mechanism_memory *base; ///< joints, supports, room for contact points
    gmc_song_pang_kumar_counts counts;
    int *coordinates; ///< (coordinate_count) indices into q of joints that are not driven
    int coordinate_count;
    int friction_count, *friction_joints; ///< joints with dry friction, into base->joints

    // layout of y
    int size, velocity_first, friction_first, support_first, patch_first, capacity;
    double *y, *rate, *absolute, *relative; ///< (capacity)
    int *directions;                        ///< (patch capacity + 1)
    bool is_running; ///< the integrator's past is that of this world, whose state is q_last, v_last
    double t;        ///< where the integration stands [s]
    double *q_last, *v_last, *a_last;

    // patches in the collider's order
    int patch_count, patch_capacity;
    gmc_patch *patches;
    bool *is_known;          ///< (patch capacity) of the points found: a closed patch's
    int point_count;         ///< found at the last search, in base->points
    double *weights, *radii; ///< (POINTS) of a patch's springs: share of the normal force, distance
                             ///< from the contact's point [m]
    gmc_vec2 *headings;      ///< (POINTS) their directions along t1, t2

    // the step in the making
    gmc_world *world;
    const gmc_control *control;
    const gmc_step_options *options;
    gmc_arena *scratch;
    double t_start, t_end;
    gmc_driven_step driven;           ///< motion of driven joints in it
    double *driven_mean, *driven_end; ///< (dof_count) mean velocities of the step before;
                                      ///< velocities at the end of this one
    double *q, *v, *a;   ///< (q_count), (dof_count): of the last evaluation; accelerations
    double *placed;      ///< (coordinates) where the last search was
    double placed_time;  ///< and when
    bool is_placed;      ///< there was one, and its factors hold
    double *force;       ///< (free_count) generalised
    double *joint_force; ///< (free_count) of servos, limits and joint friction
    double *joint_before, *support_before; ///< forces of joints and supports where the internal
                                           ///< step began
    double *support_force;                 ///< (2 * support_point_count) friction [N]
    gmc_mat mass;                          ///< factors of M
    int *mass_last;
    double *mass_inverse;
} gmc_song_pang_kumar;

/// A spring and damper that slides where its force would pass `limit`, in one or two directions:
/// force T and rate of its deflection (top of song_pang_kumar_forces.c).
/// @param k, relaxation  stiffness and damping over it, both > 0
/// @param force, rate    (count) out
/// @return does it slide?
bool gmc_song_pang_kumar_bristle(int count, double k, double relaxation, double limit,
                                 const double *deflection, const double *velocity, double *force,
                                 double *rate);

/// What a setting of GMC_SONG_PANG_KUMAR_SETTINGS is set to.
double gmc_song_pang_kumar_setting(const gmc_song_pang_kumar *m, int index);

/// Relaxation of springs along surfaces: a least one keeps sliding a smooth motion [s].
double gmc_song_pang_kumar_relaxation(double relaxation);

// ---- song_pang_kumar_motion.c ------------------------------------------------------------------

/// Room, and what never changes. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_motion_create(const gmc_model *model,
                                                            gmc_arena *arena,
                                                            gmc_song_pang_kumar *m);

/// Where the parts of y stand, with tolerances; y is written from the memory and q, v.
void gmc_song_pang_kumar_lay(gmc_song_pang_kumar *m);

/// Deflections from y into the memory.
void gmc_song_pang_kumar_keep(gmc_song_pang_kumar *m);

/// y' = f(t, y): as ode.h wants it. Leaves q, v, a, forces and patches of (t, y) behind.
gmc_status gmc_song_pang_kumar_rate(void *context, double t, const double *y, double *rate);

/// Gaps of the closed patches in their order, and the least of all others, at most the reach, plus
/// the overlap at which contacts begin.
gmc_status gmc_song_pang_kumar_roots(void *context, double t, const double *y, double *gaps);

/// x := M⁻¹ x at the last evaluation.
void gmc_song_pang_kumar_divide(const gmc_song_pang_kumar *m, double *x);

// ---- song_pang_kumar_forces.c ------------------------------------------------------------------

/// Applied forces, damping, servos, limits and friction of joints into m->force; rates of their
/// deflections.
void gmc_song_pang_kumar_joint_forces(gmc_song_pang_kumar *m, double t, const double *y,
                                      double *rate);

/// After an evaluation: the largest force of a joint's drive over its max_force [-].
double gmc_song_pang_kumar_effort(const gmc_song_pang_kumar *m);

/// After an evaluation: is a joint near its largest speed, or does a drive give all that it has?
/// There its force has corners.
bool gmc_song_pang_kumar_is_at_limit(const gmc_song_pang_kumar *m);

/// Friction of supports. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_support_forces(gmc_song_pang_kumar *m,
                                                             const double *y, double *rate);

/// Add what a force at p and a moment on body b, and their opposites on a, do to the free dofs.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_push(gmc_song_pang_kumar *m, int body_a, int body_b,
                                                   gmc_vec3 p, gmc_vec3 force, gmc_vec3 moment);

// ---- song_pang_kumar_patch.c -------------------------------------------------------------------

/// Room. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_patch_create(int contact_max, gmc_arena *arena,
                                                           gmc_song_pang_kumar *m);

/// At the start of a step: laws and springs as the model and the options have them now; impulses
/// are zero, what touches no more is forgotten.
void gmc_song_pang_kumar_patch_renew(gmc_song_pang_kumar *m);

/// Springs of a patch along the surface: 2 in space, 1 in the plane.
int gmc_song_pang_kumar_patch_width(const gmc_song_pang_kumar *m, const gmc_patch *patch);

/// Contact points at m->q. @return GMC_OK, or what the collider returned
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_patch_find(gmc_song_pang_kumar *m);

/// Forces of the closed patches. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_patch_forces(gmc_song_pang_kumar *m, double t,
                                                           const double *y, double *rate);

/// Rate of the gap at a point [m/s], and its second derivative by the accelerations alone [m/s²].
double gmc_song_pang_kumar_gap_rate(const gmc_song_pang_kumar *m, const gmc_contact_point *point,
                                    double *acceleration);

/// The overlap at which contacts begin [m].
double gmc_song_pang_kumar_patch_touch(const gmc_song_pang_kumar *m);

/// After an internal step, at the last evaluation: contacts that end, those that begin.
/// @param is_root  the step ended at a root
/// @param changed  out: which springs there are is no longer what it was
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT (more contacts than planned for)
GMC_MUST_CHECK gmc_status gmc_song_pang_kumar_patch_switch(gmc_song_pang_kumar *m, bool is_root,
                                                           bool *changed);

/// After an internal step that switched nothing: tangents and places follow the bodies.
void gmc_song_pang_kumar_patch_follow(gmc_song_pang_kumar *m);

// ---- song_pang_kumar_report.c ------------------------------------------------------------------

/// The forces of the last evaluation are those where an internal step begins.
void gmc_song_pang_kumar_patch_mark(gmc_song_pang_kumar *m);

/// Impulses of an internal step of length dt that ends with the last evaluation: by the trapezium.
void gmc_song_pang_kumar_patch_add(gmc_song_pang_kumar *m, double dt);

/// After the step: the world's contacts from the patches.
void gmc_song_pang_kumar_patch_report(gmc_song_pang_kumar *m);

#endif
