// A step of the rollout is a stretch of one integration. It starts anew, without a past, where the
// equations change: where a contact begins or ends, for a damper's force is there at once, and
// where the controls of another step of the rollout are others. The error control alone would let a
// small jump pass, every time; they add up to a lag of half a step behind a growing force.
//
// Where contacts begin is a root of the least gap of all that is apart. Near it internal steps are
// set by the gap's rate [esposito2001]: none covers more than nine tenths of the time to contact,
// so they shrink in proportion until the last one crosses the surface, by little. That is what
// keeps an adaptive integrator, for which free flight is easy, from stepping over a thin wall, and
// a root finder from seeing a sign change twice.
//
// Driven joints are where the controls say at the ends of the rollout's steps, with velocities that
// do not jump there, as those of the other steppers do: a jump of 10 mm/s is 10 N at a damper, and
// what is held would slip a little at every step. Velocities at an end are foreseen from the means
// of two steps, to second order.
//
// One root function a touching contact, one for all others and one for the stops of joints: as few
// as there can be, and none has to be named before it matters. A contact begins at an overlap of half the tolerance of positions
// and ends at none: what skims a surface would else begin and end with the noise of the solution,
// at every internal step.
//
// Rejected: starting anew at every step of the rollout, whatever the controls. Orders and steps
// then never grow, where nothing changes any more and one internal step does.

#include "engine/contact/visco_elastic/song_pang_kumar.h"

#include "engine/base/check.h"
#include "engine/contact/mechanism/driven.h"
#include "engine/contact/mechanism/mechanism.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/rnea.h"
#include "engine/math/dense.h"
#include "engine/math/elementary.h"
#include "engine/model/support.h"

#include <string.h>

// State of the integration: y = [coordinates of joints that are not driven | free velocities |
// elastic deflections: of joint friction, of supports, of the patches that touch].

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
    int *directions;                        ///< (patch capacity + 2)
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
    double *column;   ///< (free_count) room for one of M⁻¹
    bool *is_at_stop; ///< (2 * joint_count of base) touches its lower, upper stop
} gmc_song_pang_kumar;

// ---- joints, supports, and the law of friction -------------------------------------------------

// Forces of joints and supports, and the one law of all that sticks and slides. Its spring has the
// deflection δ, its end the velocity u; with a damper beside the spring,
//
//   T = -k δ - k τ δ',   |T| <= limit,   u - δ' = 0 or against T
//
// of which T follows without solving for it: T* = -k (δ + τ u) is the force if nothing slides, and
// T is its projection on the disc. Then δ' = -(T/k + δ)/τ: u while it sticks, 0 once it slides
// evenly. So friction with memory is an ordinary differential equation with a continuous right-hand
// side, whose stiffness 1/τ is the integrator's matter. Without the damper (τ = 0) it would be a
// differential inclusion.
//
// Rejected: deflections as memory of each internal step, mapped back after it. An integrator tries
// steps and keeps a history of several, and its error control would know nothing of friction.

/// Relaxation of springs along surfaces: a least one keeps sliding a smooth motion [s].
static double least_relaxation(double relaxation)
{
    static const double LEAST = 1e-5; // a hundredth of what contacts last, at 1e6 N/m and 0.1 kg
    return fmax(relaxation, LEAST);
}

/// A spring and damper that slides where its force would pass a limit, in one or two directions.
typedef struct bristle {
    int count;            ///< directions
    double k, relaxation; ///< stiffness, and damping over it, both > 0
    double limit;
} bristle;

/// Force T and rate of its deflection (above).
/// @param force, rate  (count) out
/// @return does it slide?
static bool bend_bristle(bristle of, const double *deflection, const double *velocity,
                         double *force, double *rate)
{
    double size2 = 0, share = 1;
    for (int i = 0; i < of.count; i++) {
        force[i] = -of.k * (deflection[i] + of.relaxation * velocity[i]);
        size2 += force[i] * force[i];
    }
    bool slides = size2 > of.limit * of.limit;
    if (slides) share = of.limit / sqrt(size2);
    for (int i = 0; i < of.count; i++) {
        force[i] *= share;
        rate[i] = slides ? -(force[i] / of.k + deflection[i]) / of.relaxation : velocity[i];
    }
    return slides;
}

// ---- joints ------------------------------------------------------------------------------------

/// What a servo gives besides the force applied, so that both do not make its joint too fast:
/// beyond its largest speed the drive brakes.
static double braked(const gmc_dof *dof, double v, double applied, double servo)
{
    double w = dof->max_speed, most = dof->max_force, over = fabs(v) - w;
    if (!(over > 0)) return servo;
    double drive = applied + servo;
    double scale = most < HUGE_VAL ? most : fmax(fabs(drive), 1);
    double back = copysign(scale * over / (GMC_BRAKE_SLACK * w), v);
    drive -= back;
    return fmin(fmax(drive, -most), most) - applied;
}

/// What a drive gives besides the force applied: a servo whose reference moves on straight, held
/// back where its joint is too fast.
static double drive_force(const gmc_song_pang_kumar *m, const gmc_mechanism_joint *joint, double t)
{
    const gmc_control *control = m->control;
    int i = joint->dof;
    double q = m->q[joint->q], v = m->v[i], limit = control->force_limit[i];
    double reference = control->q_ref[i] - (m->t_end - t) * control->v_ref[i];
    double force =
        control->stiffness[i] * (reference - q) + control->damping[i] * (control->v_ref[i] - v);
    force = fmin(fmax(force, -limit), limit);
    return braked(&m->world->model->dofs[i], v, control->force[i], force);
}

/// x := M⁻¹ x at the last evaluation.
static void divide_by_mass(const gmc_song_pang_kumar *m, double *x)
{
    if (m->mass.rows > 0) gmc_mat_ldlt_solve(m->mass, m->mass_last, m->mass_inverse, x);
}

/// Damping of stops over the critical one. A spring and damper that never pull give back
/// exp(-2 ζ acosh(ζ) / sqrt(ζ² - 1)) of the speed, whatever they stop: 7 %, as contacts do without a
/// damping ratio (100 g, 1e6 N/m and 1 ms, which is this ζ).
static const double STOP_RATIO = 1.6;

/// How far the joint is past its lower (side 0) or upper (1) limit at the last evaluation [m, rad].
static double past_stop(const gmc_song_pang_kumar *m, const gmc_mechanism_joint *joint, int side)
{
    const gmc_dof *dof = &m->world->model->dofs[joint->dof];
    return side ? m->q[joint->q] - dof->upper : dof->lower - m->q[joint->q];
}

/// Force of a stop that is touched, towards the joint's range, by the overlap with it and its rate:
/// k d + c d' while that pushes, c = 2 ζ sqrt(k m) with the mass 1 / (M⁻¹)_ii that the joint moves.
static double stop_force(const gmc_song_pang_kumar *m, int dof, double overlap, double rate)
{
    double stiffness = m->world->model->dofs[dof].limit_stiffness;
    if (!(overlap > 0)) return 0;
    memset(m->column, 0, (size_t)m->mass.rows * sizeof(double));
    m->column[dof] = 1;
    divide_by_mass(m, m->column);
    double damping = 2 * STOP_RATIO * sqrt(stiffness / m->column[dof]);
    return fmax(stiffness * overlap + damping * rate, 0);
}

/// Of joint k of `base`: its drive, and the stops that it touches.
static double servo_force(const gmc_song_pang_kumar *m, int k, double t)
{
    const gmc_mechanism_joint *joint = &m->base->joints[k];
    double v = m->v[joint->dof], force = drive_force(m, joint, t);
    const bool *touches = m->is_at_stop + 2 * k;
    if (touches[0]) force += stop_force(m, joint->dof, past_stop(m, joint, 0), -v);
    if (touches[1]) force -= stop_force(m, joint->dof, past_stop(m, joint, 1), v);
    return force;
}

/// Of a servo on a sum of joints (law.h).
static double gang_force(const gmc_song_pang_kumar *m, const gmc_gang *gang, double t)
{
    double x = 0, x_dot = 0;
    for (int k = 0; k < gang->joint_count; k++) {
        x += gang->share[k] * m->q[gang->coordinates[k]];
        x_dot += gang->share[k] * m->v[gang->dofs[k]];
    }
    double reference = gang->x_ref - (m->t_end - t) * gang->x_dot_ref;
    double force = gang->stiffness * (reference - x) + gang->damping * (gang->x_dot_ref - x_dot);
    return fmin(fmax(force, -gang->force_limit), gang->force_limit);
}

/// After an evaluation: the largest force of a joint's drive over its max_force [-].
static double effort_of_drives(const gmc_song_pang_kumar *m)
{
    double most = 0;
    for (int k = 0; k < m->base->joint_count; k++) {
        const gmc_mechanism_joint *joint = &m->base->joints[k];
        double limit = m->world->model->dofs[joint->dof].max_force;
        double force = m->control->force[joint->dof] + drive_force(m, joint, m->t);
        if (limit < HUGE_VAL && limit > 0) most = fmax(most, fabs(force) / limit);
    }
    return most;
}

/// After an evaluation: is a joint near its largest speed, or does a drive give all that it has?
/// There its force has corners.
static bool is_at_limit(const gmc_song_pang_kumar *m)
{
    static const double NEAR = 0.9, FULL = 0.99;
    for (int k = 0; k < m->base->joint_count; k++) {
        int i = m->base->joints[k].dof;
        double w = m->world->model->dofs[i].max_speed, most = m->world->model->dofs[i].max_force;
        if (!(w < HUGE_VAL)) continue;
        double force = m->control->force[i] + drive_force(m, &m->base->joints[k], m->t);
        if (fabs(m->v[i]) > NEAR * w || fabs(force) > FULL * most) return true;
    }
    return false;
}

/// Applied forces, damping, servos, limits and friction of joints into m->force; rates of their
/// deflections.
static void add_joint_forces(gmc_song_pang_kumar *m, double t, const double *y, double *rate)
{
    const gmc_model *model = m->world->model;
    memset(m->joint_force, 0, (size_t)model->free_count * sizeof(double));
    for (int k = 0; k < m->base->joint_count; k++)
        m->joint_force[m->base->joints[k].dof] = servo_force(m, k, t);
    for (int i = 0; i < m->control->gang_count; i++) {
        const gmc_gang *gang = &m->control->gangs[i];
        double force = gang_force(m, gang, t);
        for (int k = 0; k < gang->joint_count; k++)
            m->joint_force[gang->dofs[k]] += gang->share[k] * force;
    }
    for (int k = 0; k < m->friction_count; k++) {
        const gmc_mechanism_joint *joint = &m->base->joints[m->friction_joints[k]];
        double friction = model->dofs[joint->dof].friction, force;
        int i = m->friction_first + k;
        const bristle of = {1, friction / joint->presliding, GMC_PRESLIDING_RELAXATION, friction};
        bend_bristle(of, &y[i], &m->v[joint->dof], &force, &rate[i]);
        m->joint_force[joint->dof] += force;
    }
    for (int i = 0; i < model->free_count; i++)
        m->force[i] = m->control->force[i] - model->dofs[i].damping * m->v[i] + m->joint_force[i];
}

// ---- bodies ------------------------------------------------------------------------------------

/// Add what a force at p and a moment on body b, and their opposites on a, do to the free dofs.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status push_bodies(gmc_song_pang_kumar *m, int body_a, int body_b, gmc_vec3 p,
                              gmc_vec3 force, gmc_vec3 moment)
{
    const gmc_world *world = m->world;
    size_t n = (size_t)world->model->free_count, mark = gmc_arena_mark(m->scratch);
    int *columns = GMC_ROOM(m->scratch, n + 1, int);
    double *S = GMC_ROOM(m->scratch, 6 * n + 1, double);
    if (!columns || !S) return GMC_E_ARENA_FULL;
    gmc_jacobian j = gmc_jacobian_of(world->model, &world->kin, body_a, body_b, columns, S);
    moment = gmc_vec3_add(moment, gmc_vec3_cross(gmc_vec3_sub(p, j.about), force));
    for (int k = 0; k < j.general_count; k++, S += 6)
        m->force[columns[k]] += S[0] * force.x + S[1] * force.y + S[2] * force.z + S[3] * moment.x +
                                S[4] * moment.y + S[5] * moment.z;
    for (int k = j.general_count; k < j.count; k++) {
        int axis = k - j.general_count;
        gmc_vec3 along = axis < 3 ? force : moment;
        m->force[columns[k]] += j.sign * gmc_vec3_get(along, axis % 3);
    }
    gmc_arena_reset(m->scratch, mark);
    return GMC_OK;
}

/// Viscous friction of a support, shared by its points as its weight: diag(c, c, c ρ²).
static void damp_support(gmc_song_pang_kumar *m, const gmc_support *support)
{
    const gmc_model *model = m->world->model;
    const double *forces = m->base->support_forces + support->point_first;
    int first = model->bodies[support->body].v;
    if (!(support->damping > 0) || first >= model->free_count) return;
    double turning = support->damping * gmc_support_arm2(model, support, forces);
    for (int k = 0; k < 3; k++)
        m->force[first + k] -= (k < 2 ? support->damping : turning) * m->v[first + k];
}

/// Friction of supports. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status add_support_forces(gmc_song_pang_kumar *m, const double *y, double *rate)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double relaxation = least_relaxation(support->relaxation);
        damp_support(m, support);
        for (int k = support->point_first; k < support->point_first + support->point_count; k++) {
            const gmc_support_point *point = &model->support_points[k];
            gmc_vec3 x = {point->p.x, point->p.y, 0};
            x = gmc_pose_apply(&world->kin.X_wb[support->body], x);
            gmc_vec3 u = gmc_twist_at(&world->kin.V[support->body], x);
            const double velocity[2] = {u.x, u.y};
            double *force = m->support_force + 2 * k;
            int at = m->support_first + 2 * k;
            const bristle of = {2, support->stiffness, relaxation,
                                point->friction * m->base->support_forces[k]};
            bend_bristle(of, y + at, velocity, force, rate + at);
            GMC_TRY(push_bodies(m, 0, support->body, x, (gmc_vec3){force[0], force[1], 0},
                                (gmc_vec3){0, 0, 0}));
        }
    }
    return GMC_OK;
}

// ---- patches -----------------------------------------------------------------------------------

// Contacts of the visco-elastic stepper: which there are, what they do.
//
// A contact's place, normal and gap are the collider's at every evaluation, so that balls roll and
// faces tip as their shapes say. The springs along the surface need directions that turn with the
// bodies: t1 is kept in body a's frame and laid into the tangent plane anew after every internal
// step, at which nothing jumps. So a held body takes its friction along however the hand turns.
//
// A manifold has up to four points and may exchange one for another. What is not found where it
// touches is taken as its bodies' material moves until the internal step is over; then the exchange
// happens, with a start of the integration.

/// What roots are off zero by rounding of time and coordinates [m].
static const double ROUNDING = 1e-12;
/// An overlap of so many times that at which contacts begin touches, whatever its rate: a point
/// that a manifold has exchanged for another.
static const double EXCHANGED = 20;
/// Less of a deep start than this is none left: a microNewton at 1e6 N/m [m].
static const double FLOATED = 1e-12;

/// Room. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status create_patches(int contact_max, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    int count = contact_max;
    m->patch_capacity = contact_max;
    m->patches = GMC_ROOM(arena, count, gmc_patch);
    m->is_known = GMC_NEW(arena, count, bool);
    m->directions = GMC_NEW(arena, count + 2, int);
    m->weights = GMC_NEW(arena, GMC_SONG_PANG_KUMAR_POINTS, double);
    m->radii = GMC_NEW(arena, GMC_SONG_PANG_KUMAR_POINTS, double);
    m->headings = GMC_NEW(arena, GMC_SONG_PANG_KUMAR_POINTS, gmc_vec2);
    bool has_room = m->patches && m->is_known && m->directions && m->weights && m->radii;
    return has_room && m->headings ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- settings ----------------------------------------------------------------------------------

static const gmc_setting SETTINGS[] = {
    GMC_SONG_PANG_KUMAR_SETTINGS(GMC_SETTING_NUMBER, GMC_SETTING_WHOLE, GMC_SETTING_WORD)};

static double setting_of(const gmc_song_pang_kumar *m, int index)
{
    return gmc_setting_of(m->options, SETTINGS, index);
}

// ---- springs of a patch ------------------------------------------------------------------------
/// Each spring stands for as much of the disc as the others; they come in opposite pairs, turned by
/// the golden angle from one to the next, behind one in the middle where their number is odd. A
/// spring whose part of the disc reaches from s to s' (shares of its area) stands half way, at
/// r² = R² (s + s')/2, and bears as much as under a ball there.
static void lay_springs(gmc_song_pang_kumar *m)
{
    const double golden = GMC_PI * (3 - sqrt(5));
    int count = (int)setting_of(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS), odd = count % 2;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int pair = (i - odd) / 2;
        bool is_middle = odd && i == 0;
        double s = is_middle ? 0 : (odd + 2 * pair + 1) / (double)count, sine, cosine;
        gmc_sin_cos(golden * pair + ((i - odd) % 2 ? GMC_PI : 0), &sine, &cosine);
        m->radii[i] = setting_of(m, GMC_SONG_PANG_KUMAR_PATCH_RADIUS) * sqrt(s);
        m->headings[i] = (gmc_vec2){cosine, sine};
        m->weights[i] = sqrt(1 - (is_middle ? 0.5 / count : s));
        sum += m->weights[i];
    }
    for (int i = 0; i < count; i++)
        m->weights[i] /= sum;
}

/// Springs of a patch along the surface: 2 in space, 1 in the plane.
static int width_of_patch(const gmc_song_pang_kumar *m, const gmc_patch *patch)
{
    const gmc_geom *geom = &m->world->model->geoms[patch->point.geom_a];
    return (int)setting_of(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS) *
           (gmc_shape_is_planar(geom->shape.type) ? 1 : 2);
}

/// What is left at t of the overlap that the trial began with (contact.h).
static double sunk_of(const gmc_patch *patch, double t)
{
    if (patch->sunk == 0) return 0;
    return patch->sunk * gmc_exp(-GMC_CONTACT_FLOAT_RATE * (t - patch->sunk_at));
}

/// At the start of a step: laws and springs as the model and the options have them now; impulses
/// are zero, what touches no more is forgotten.
static void renew_patches(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    int count = 0;
    lay_springs(m);
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[count];
        if (!m->patches[k].is_closed) continue;
        if (count < k) *patch = m->patches[k];
        patch->law = *gmc_model_law(model, model->geoms[patch->point.geom_a].surface,
                                    model->geoms[patch->point.geom_b].surface);
        patch->normal_impulse = 0;
        patch->friction_impulse = (gmc_vec3){0, 0, 0};
        if (sunk_of(patch, m->t_start) < FLOATED) patch->sunk = 0;
        count++;
    }
    m->patch_count = count;
}

// ---- where they are ----------------------------------------------------------------------------

/// Where a patch is whose point was not found: between the material that touched last.
static void move_patch(const gmc_kinematics *kin, gmc_patch *patch)
{
    gmc_contact_point *point = &patch->point;
    gmc_vec3 a = gmc_pose_apply(&kin->X_wb[patch->body_a], patch->p_a);
    gmc_vec3 b = gmc_pose_apply(&kin->X_wb[patch->body_b], patch->p_b);
    point->n = gmc_mat3_apply(&kin->X_wb[patch->body_a].R, patch->n_a);
    point->gap = gmc_vec3_dot(point->n, gmc_vec3_sub(b, a));
    point->p = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
}

/// Which of the points are those of closed patches?
static void match_patches(gmc_song_pang_kumar *m)
{
    int k = 0;
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        for (; k < m->patch_count && gmc_contact_compare(&m->patches[k].point, point) < 0; k++)
            m->patches[k].is_found = false;
        bool is_same = k < m->patch_count && gmc_contact_compare(&m->patches[k].point, point) == 0;
        m->is_known[i] = is_same && m->patches[k].is_closed;
        if (!is_same) continue;
        m->patches[k].point = *point;
        m->patches[k++].is_found = true;
    }
    for (; k < m->patch_count; k++)
        m->patches[k].is_found = false;
    for (k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed && !m->patches[k].is_found)
            move_patch(&m->world->kin, &m->patches[k]);
}

/// Contact points at m->q. @return GMC_OK, or what the collider returned
static gmc_status find_patches(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    m->point_count = 0;
    gmc_collider_scene scene = {
        .model = world->model, .X_wb = world->kin.X_wb, .reach = m->options->reach};
    GMC_TRY(gmc_collider_find(world->collider, &scene, m->base->points, m->patch_capacity,
                              &m->point_count));
    match_patches(m);
    return GMC_OK;
}

/// Tangents of a patch's point as it stands, t1 as kept in body a's frame.
static void tangents(const gmc_song_pang_kumar *m, const gmc_patch *patch, gmc_vec3 *t1,
                     gmc_vec3 *t2)
{
    gmc_vec3 n = patch->point.n;
    if (gmc_shape_is_planar(m->world->model->geoms[patch->point.geom_a].shape.type)) {
        *t1 = (gmc_vec3){-n.y, n.x, 0};
        *t2 = (gmc_vec3){0, 0, 1};
        return;
    }
    gmc_vec3 kept = gmc_mat3_apply(&m->world->kin.X_wb[patch->body_a].R, patch->tangent_a);
    *t1 = gmc_vec3_unit(gmc_vec3_add_scaled(kept, -gmc_vec3_dot(kept, n), n));
    *t2 = gmc_vec3_cross(n, *t1);
}

/// What is kept in the bodies' frames.
static void anchor_patch(gmc_song_pang_kumar *m, gmc_patch *patch, gmc_vec3 t1)
{
    const gmc_pose *X_wa = &m->world->kin.X_wb[patch->body_a];
    const gmc_pose *X_wb = &m->world->kin.X_wb[patch->body_b];
    gmc_vec3 way = gmc_vec3_scale(patch->point.gap / 2, patch->point.n);
    patch->tangent_a = gmc_mat3_apply_transposed(&X_wa->R, t1);
    patch->n_a = gmc_mat3_apply_transposed(&X_wa->R, patch->point.n);
    patch->p_a = gmc_pose_apply_inverse(X_wa, gmc_vec3_sub(patch->point.p, way));
    patch->p_b = gmc_pose_apply_inverse(X_wb, gmc_vec3_add(patch->point.p, way));
}

/// After an internal step that switched nothing: tangents and places follow the bodies.
static void follow_patches(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_vec3 t1, t2;
        if (!m->patches[k].is_closed) continue;
        tangents(m, &m->patches[k], &t1, &t2);
        anchor_patch(m, &m->patches[k], t1);
    }
}

// ---- what they do ------------------------------------------------------------------------------

static bool has_ratio(const gmc_patch *patch)
{
    const gmc_surface_extra *extra = patch->law.extra;
    return extra && extra->has_damping_ratio && patch->mass > 0;
}

static double damping_of(const gmc_patch *patch)
{
    const gmc_surface_law *law = &patch->law;
    if (!has_ratio(patch)) return law->stiffness * law->relaxation;
    return 2 * law->extra->damping_ratio * sqrt(law->stiffness * patch->mass);
}

/// Motion of body b against a.
static gmc_twist relative_twist(const gmc_kinematics *kin, int body_a, int body_b)
{
    return gmc_twist_add_scaled(kin->V[body_b], -1, kin->V[body_a]);
}

/// Force and moment about its point of all springs along the surface; rates of their deflections.
static void friction_of(gmc_song_pang_kumar *m, gmc_patch *patch, const double *y, double *rate,
                        gmc_vec3 *moment)
{
    gmc_vec3 t[2], sum = {0, 0, 0}, turn = {0, 0, 0}, p = patch->point.p;
    gmc_twist V = relative_twist(&m->world->kin, patch->body_a, patch->body_b);
    int count = (int)setting_of(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS);
    int width = width_of_patch(m, patch) / count;
    double stiffness = patch->law.tangential_ratio * patch->law.stiffness / count;
    double relaxation = least_relaxation(damping_of(patch) / patch->law.stiffness);
    double limit = patch->law.friction * fmax(patch->normal, 0);
    tangents(m, patch, &t[0], &t[1]);
    patch->slips = true;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_scale(m->radii[i] * m->headings[i].x, t[0]), force = {0, 0, 0};
        double f[2] = {0, 0}, u[2];
        int at = patch->first + width * i;
        arm = gmc_vec3_add_scaled(arm, m->radii[i] * m->headings[i].y, t[1]);
        gmc_vec3 velocity = gmc_twist_at(&V, gmc_vec3_add(p, arm));
        for (int d = 0; d < width; d++)
            u[d] = gmc_vec3_dot(t[d], velocity);
        const bristle of = {width, stiffness, relaxation, limit * m->weights[i]};
        bool slides = bend_bristle(of, y + at, u, f, rate + at);
        patch->slips = patch->slips && slides;
        for (int d = 0; d < width; d++)
            force = gmc_vec3_add_scaled(force, f[d], t[d]);
        sum = gmc_vec3_add(sum, force);
        turn = gmc_vec3_add(turn, gmc_vec3_cross(arm, force));
    }
    patch->friction = sum;
    *moment = turn;
}

/// Rate of the gap at a point [m/s], and its second derivative by the accelerations alone [m/s²].
static double gap_rate(const gmc_song_pang_kumar *m, const gmc_contact_point *point,
                       double *acceleration)
{
    const gmc_kinematics *kin = &m->world->kin;
    int body_a = m->world->model->geoms[point->geom_a].body;
    int body_b = m->world->model->geoms[point->geom_b].body;
    gmc_twist V = relative_twist(kin, body_a, body_b);
    if (acceleration) {
        gmc_twist A = gmc_twist_add_scaled(gmc_kinematics_twist(kin, body_b, m->a), -1,
                                           gmc_kinematics_twist(kin, body_a, m->a));
        *acceleration = gmc_vec3_dot(point->n, gmc_twist_at(&A, point->p));
    }
    return gmc_vec3_dot(point->n, gmc_twist_at(&V, point->p));
}

/// Forces of the closed patches. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status add_patch_forces(gmc_song_pang_kumar *m, double t, const double *y, double *rate)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        gmc_vec3 moment;
        if (!patch->is_closed) continue;
        patch->gap_rate = gap_rate(m, &patch->point, NULL);
        double gap = patch->point.gap + sunk_of(patch, t);
        patch->normal = -patch->law.stiffness * gap - damping_of(patch) * patch->gap_rate;
        // a spring that is slack within the overlap does not pull until that is given back
        if (!has_ratio(patch) || patch->sunk > 0) patch->normal = fmax(patch->normal, 0);
        friction_of(m, patch, y, rate, &moment);
        gmc_vec3 force = gmc_vec3_add_scaled(patch->friction, patch->normal, patch->point.n);
        GMC_TRY(push_bodies(m, patch->body_a, patch->body_b, patch->point.p, force, moment));
    }
    return GMC_OK;
}

// ---- begin and end -----------------------------------------------------------------------------

/// 1 / (J_n M⁻¹ J_nᵀ); 0: nothing can be moved.
static gmc_status moved_mass(gmc_song_pang_kumar *m, const gmc_patch *patch, double *mass)
{
    const gmc_world *world = m->world;
    size_t n = (size_t)world->model->free_count, mark = gmc_arena_mark(m->scratch);
    int *columns = GMC_ROOM(m->scratch, n + 1, int);
    double *S = GMC_ROOM(m->scratch, 6 * n + 1, double), inverse = 0;
    double *J = GMC_ROOM(m->scratch, n + 1, double), *x;
    x = GMC_NEW(m->scratch, n + 1, double);
    if (!columns || !S || !J || !x) return GMC_E_ARENA_FULL;
    gmc_jacobian jacobian =
        gmc_jacobian_of(world->model, &world->kin, patch->body_a, patch->body_b, columns, S);
    gmc_mechanism_point_row(&jacobian, gmc_vec3_sub(patch->point.p, jacobian.about), patch->point.n,
                            J);
    for (int k = 0; k < jacobian.count; k++)
        x[columns[k]] = J[k];
    divide_by_mass(m, x);
    for (int k = 0; k < jacobian.count; k++)
        inverse += J[k] * x[columns[k]];
    *mass = inverse > 0 ? 1 / inverse : 0;
    gmc_arena_reset(m->scratch, mark);
    return GMC_OK;
}

/// A patch that does nothing yet, at the place of its point; there is one that ended, or room.
static gmc_patch *open_patch(gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    const gmc_model *model = m->world->model;
    const gmc_geom *a = &model->geoms[point->geom_a], *b = &model->geoms[point->geom_b];
    int at = 0;
    while (at < m->patch_count && gmc_contact_compare(&m->patches[at].point, point) < 0)
        at++;
    gmc_patch *patch = &m->patches[at], before = {0};
    bool is_same = at < m->patch_count && gmc_contact_compare(&patch->point, point) == 0;
    if (is_same) {
        before = *patch;
    } else {
        if (m->patch_count == m->patch_capacity) return NULL;
        memmove(patch + 1, patch, (size_t)(m->patch_count++ - at) * sizeof *patch);
    }
    *patch = (gmc_patch){.point = *point,
                         .body_a = a->body,
                         .body_b = b->body,
                         .is_closed = true,
                         .is_found = true,
                         .law = *gmc_model_law(model, a->surface, b->surface),
                         .normal_impulse = before.normal_impulse,
                         .friction_impulse = before.friction_impulse};
    return patch;
}

/// A contact of the start of the trial, or one more point between two geoms, which is as deep in as
/// they are.
static void sink_patch(const gmc_song_pang_kumar *m, gmc_patch *patch)
{
    bool is_start = m->options->is_start && m->t == m->t_start;
    double most = is_start ? HUGE_VAL : 0;
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_patch *other = &m->patches[k];
        if (other != patch && other->is_closed && other->point.geom_a == patch->point.geom_a &&
            other->point.geom_b == patch->point.geom_b)
            most = fmax(most, sunk_of(other, m->t));
    }
    patch->sunk = fmin(fmax(-patch->point.gap, 0), most);
    patch->sunk_at = m->t;
}

static gmc_status begin_patch(gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    gmc_patch *patch = open_patch(m, point);
    gmc_vec3 t1, t2;
    if (!patch) return GMC_E_LIMIT;
    sink_patch(m, patch);
    gmc_vec3_tangents(point->n, &t1, &t2);
    anchor_patch(m, patch, t1);
    return moved_mass(m, patch, &patch->mass);
}

/// Does another point of the two geoms touch?
static bool has_company(const gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_patch *patch = &m->patches[k];
        if (patch->is_closed && patch->point.geom_a == point->geom_a &&
            patch->point.geom_b == point->geom_b)
            return true;
    }
    return false;
}

static bool patch_ends(const gmc_patch *patch, bool is_root)
{
    double gap = patch->point.gap;
    return !patch->is_found || gap > ROUNDING ||
           (gap > (is_root ? -ROUNDING : 0) && patch->gap_rate > 0);
}

/// The overlap at which contacts begin [m].
static double overlap_at_touch(const gmc_song_pang_kumar *m)
{
    return setting_of(m, GMC_SONG_PANG_KUMAR_ABSOLUTE) / 2;
}

/// After an internal step, at the last evaluation: contacts that end, those that begin.
/// @param is_root  the step ended at a root
/// @param changed  out: which springs there are is no longer what it was
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT (more contacts than planned for)
static gmc_status switch_patches(gmc_song_pang_kumar *m, bool is_root, bool *changed)
{
    bool is_any = false;
    double touch = overlap_at_touch(m);
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        if (m->is_known[i] || point->gap > ROUNDING - touch) continue;
        bool begins = point->gap < -EXCHANGED * touch || gap_rate(m, point, NULL) < 0;
        if (!begins) continue;
        if (m->counts.starts > 0 && !has_company(m, point)) {
            m->counts.touches++;
            m->counts.gap = fmax(m->counts.gap, fabs(point->gap));
        }
        GMC_TRY(begin_patch(m, point));
        is_any = true;
    }
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        m->counts.penetration = fmax(m->counts.penetration, -patch->point.gap);
        if (!patch->is_closed || !patch_ends(patch, is_root)) continue;
        patch->is_closed = false;
        is_any = true;
    }
    if (is_any) match_patches(m);
    *changed = is_any;
    return GMC_OK;
}

// ---- what patches leave behind -----------------------------------------------------------------

// What patches leave behind: impulses of a step, and the world's contacts after it.

/// The forces of the last evaluation are those where an internal step begins.
static void mark_patches(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->patch_count; k++) {
        m->patches[k].normal_before = m->patches[k].normal;
        m->patches[k].friction_before = m->patches[k].friction;
    }
}

/// Impulses of an internal step of length dt that ends with the last evaluation: by the trapezium.
static void add_patch_impulses(gmc_song_pang_kumar *m, double dt)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        if (!patch->is_closed) continue;
        gmc_vec3 friction = gmc_vec3_add(patch->friction_before, patch->friction);
        patch->normal_impulse += dt / 2 * (patch->normal_before + patch->normal);
        patch->friction_impulse = gmc_vec3_add_scaled(patch->friction_impulse, dt / 2, friction);
    }
}

/// Points of contacts that ended within the step and are beyond the reach by now.
static void add_points_passed(gmc_song_pang_kumar *m)
{
    gmc_contact_point *points = m->base->points;
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_contact_point *point = &m->patches[k].point;
        int at = 0;
        if (!(m->patches[k].normal_impulse > 0)) continue;
        while (at < m->point_count && gmc_contact_compare(&points[at], point) < 0)
            at++;
        bool is_there = at < m->point_count && gmc_contact_compare(&points[at], point) == 0;
        if (is_there || m->point_count == m->patch_capacity) continue;
        memmove(points + at + 1, points + at, (size_t)(m->point_count++ - at) * sizeof *points);
        points[at] = *point;
    }
}

/// After the step: the world's contacts from the patches.
static void report_patches(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    int k = 0;
    add_points_passed(m);
    m->is_placed = false;
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb, m->base->points,
                          m->point_count);
    for (int i = 0; i < world->contacts.count; i++) {
        gmc_contact *contact = &world->contacts.contacts[i];
        contact->impulse[0] = contact->impulse[1] = contact->impulse[2] = 0;
        contact->mode = GMC_CONTACT_OPEN;
        while (k < m->patch_count && gmc_contact_compare(&m->patches[k].point, &contact->point) < 0)
            k++;
        if (k >= m->patch_count || gmc_contact_compare(&m->patches[k].point, &contact->point) != 0)
            continue;
        const gmc_patch *patch = &m->patches[k];
        if (!(patch->normal_impulse > 0)) continue;
        contact->impulse[0] = patch->normal_impulse;
        for (int d = 1; d < 3; d++)
            contact->impulse[d] = gmc_vec3_dot(contact->dir[d], patch->friction_impulse);
        contact->mode = patch->is_closed && !patch->slips ? GMC_CONTACT_STICK : GMC_CONTACT_SLIP;
    }
}

// ---- the equations of motion -------------------------------------------------------------------

// The equations of motion as an integrator sees them, and how mechanism and state vector
// correspond. Rotations are unit quaternions in y whose length drifts within the tolerance; whoever
// reads them takes their direction.
//
// Contact points and the factors of M depend on positions alone, so they are kept while those are
// the same: for two thirds of the columns of a Jacobian by differences.

/// A trial value of Newton's method beyond it is not looked at [m, m/s, ...].
static const double BELIEVED = 1e6;
/// Tolerance of angles over that of lengths: a body is taken to be 0.1 m large [1/m].
static const double PER_LENGTH = 10;
/// Tolerance of velocities over that of positions: contacts last milliseconds [1/s].
static const double PER_TIME = 1e3;
/// Tolerance of deflections over that of positions: friction forces are known that much better.
static const double PER_DEFLECTION = 0.1;

// ---- layout ------------------------------------------------------------------------------------

static int quaternion_of(const gmc_body *body)
{
    if (body->joint == GMC_JOINT_FREE) return body->q + 3;
    return body->joint == GMC_JOINT_SPHERICAL ? body->q : -1;
}

static bool has_own_coordinates(const gmc_body *body)
{
    return !body->is_driven && !body->is_mimic && gmc_joint_q_count(body->joint) > 0;
}

static gmc_status find_coordinates(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    m->coordinates = GMC_NEW(arena, model->q_count, int);
    if (!m->coordinates) return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        for (int k = 0; k < gmc_joint_q_count(body->joint); k++)
            m->coordinates[m->coordinate_count++] = body->q + k;
    }
    return GMC_OK;
}

static gmc_status find_frictions(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    int count = m->base->joint_count;
    m->friction_joints = GMC_NEW(arena, count, int);
    if (!m->friction_joints) return GMC_E_ARENA_FULL;
    for (int k = 0; k < m->base->joint_count; k++)
        if (model->dofs[m->base->joints[k].dof].friction > 0)
            m->friction_joints[m->friction_count++] = k;
    return GMC_OK;
}

static gmc_status make_state_room(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    size_t q = (size_t)model->q_count, v = (size_t)model->dof_count, n = (size_t)model->free_count;
    size_t y = (size_t)m->capacity;
    size_t points = 2 * (size_t)model->support_point_count;
    const struct {
        double **array;
        size_t size;
    } arrays[] = {{&m->y, y},
                  {&m->rate, y},
                  {&m->absolute, y},
                  {&m->relative, y},
                  {&m->q, q},
                  {&m->placed, q},
                  {&m->q_last, q},
                  {&m->v, v},
                  {&m->a, v},
                  {&m->v_last, v},
                  {&m->driven_mean, v},
                  {&m->driven_end, v},
                  {&m->force, n},
                  {&m->joint_force, n},
                  {&m->joint_before, n},
                  {&m->mass_inverse, n},
                  {&m->column, n},
                  {&m->a_last, n},
                  {&m->support_force, points},
                  {&m->support_before, points}};
    for (int i = 0; i < GMC_COUNT(arrays); i++) {
        *arrays[i].array = GMC_NEW(arena, arrays[i].size + 1, double);
        if (!*arrays[i].array) return GMC_E_ARENA_FULL;
    }
    int stride = gmc_mat_stride(model->free_count);
    m->mass = (gmc_mat){.x = GMC_NEW(arena, n * (size_t)stride + 1, double),
                        .rows = model->free_count,
                        .columns = model->free_count,
                        .stride = stride};
    m->mass_last = GMC_NEW(arena, n + 1, int);
    m->is_at_stop = GMC_NEW(arena, 2 * m->base->joint_count + 1, bool);
    return m->mass.x && m->mass_last && m->is_at_stop ? GMC_OK : GMC_E_ARENA_FULL;
}

/// Room, and what never changes. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status create_motion(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    GMC_TRY(find_coordinates(model, arena, m));
    GMC_TRY(find_frictions(model, arena, m));
    m->velocity_first = m->coordinate_count;
    m->friction_first = m->velocity_first + model->free_count;
    m->support_first = m->friction_first + m->friction_count;
    m->patch_first = m->support_first + 2 * model->support_point_count;
    m->capacity = m->patch_first + 2 * GMC_SONG_PANG_KUMAR_POINTS * m->patch_capacity;
    return make_state_room(model, arena, m);
}

/// Tolerances of one body's coordinates and, where they are its own, velocities.
static void tolerate_body(gmc_song_pang_kumar *m, const gmc_body *body, int first)
{
    double length = setting_of(m, GMC_SONG_PANG_KUMAR_ABSOLUTE), angle = PER_LENGTH * length;
    int straight = 0, turning = gmc_joint_v_count(body->joint); // of the velocities
    if (body->joint == GMC_JOINT_PRISMATIC) straight = 1;
    if (body->joint == GMC_JOINT_FREE) straight = 3;
    if (body->joint == GMC_JOINT_PLANAR) straight = 2;
    int count = gmc_joint_q_count(body->joint);
    bool is_quaternion = quaternion_of(body) >= 0;
    for (int k = 0; k < count; k++) {
        // half an angle in a quaternion
        m->absolute[first + k] = k < straight ? length : is_quaternion ? angle / 2 : angle;
        m->relative[first + k] = 0;
    }
    for (int k = 0; k < turning; k++) {
        int i = m->velocity_first + body->v + k;
        m->absolute[i] = PER_TIME * (k < straight ? length : angle);
        m->relative[i] = setting_of(m, GMC_SONG_PANG_KUMAR_RELATIVE);
    }
}

static void tolerate_state(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    int first = 0;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        tolerate_body(m, body, first);
        first += gmc_joint_q_count(body->joint);
    }
    for (int i = m->friction_first; i < m->size; i++) {
        m->absolute[i] = PER_DEFLECTION * setting_of(m, GMC_SONG_PANG_KUMAR_ABSOLUTE);
        m->relative[i] = setting_of(m, GMC_SONG_PANG_KUMAR_RELATIVE);
    }
}

/// Where the parts of y stand, with tolerances; y is written from the memory and q, v.
static void lay_state(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    for (int i = 0; i < m->coordinate_count; i++)
        m->y[i] = m->q[m->coordinates[i]];
    memcpy(m->y + m->velocity_first, m->v, (size_t)model->free_count * sizeof(double));
    for (int k = 0; k < m->friction_count; k++)
        m->y[m->friction_first + k] = m->base->joints[m->friction_joints[k]].deflection;
    memcpy(m->y + m->support_first, m->base->support_deflection,
           2 * (size_t)model->support_point_count * sizeof(double));
    m->size = m->patch_first;
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        if (!patch->is_closed) continue;
        int width = width_of_patch(m, patch);
        patch->first = m->size;
        memcpy(m->y + m->size, patch->deflection, (size_t)width * sizeof(double));
        m->size += width;
    }
    tolerate_state(m);
}

/// Deflections from y into the memory.
static void keep_deflections(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->friction_count; k++)
        m->base->joints[m->friction_joints[k]].deflection = m->y[m->friction_first + k];
    memcpy(m->base->support_deflection, m->y + m->support_first,
           2 * (size_t)m->world->model->support_point_count * sizeof(double));
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        size_t width = (size_t)width_of_patch(m, patch);
        if (patch->is_closed)
            memcpy(patch->deflection, m->y + patch->first, width * sizeof(double));
    }
}

// ---- where everything is -----------------------------------------------------------------------

/// @return false: numbers that no solution has
static bool read_state(gmc_song_pang_kumar *m, double t, const double *y)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    for (int i = 0; i < m->size; i++)
        if (!(fabs(y[i]) < BELIEVED)) return false;
    for (int i = 0; i < m->coordinate_count; i++)
        m->q[m->coordinates[i]] = y[i];
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        int at = quaternion_of(body);
        if (!has_own_coordinates(body) || at < 0) continue;
        double *q = m->q + at, norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(norm2 > 0.25 && norm2 < 4)) return false; // no rotation near the last one
        for (int k = 0; k < 4; k++)
            q[k] /= sqrt(norm2);
    }
    if (m->base->has_driven) {
        double share = (t - m->t_start) / (m->t_end - m->t_start);
        const gmc_driven_state at = {m->q, m->v, m->a};
        gmc_driven_course(model, &world->kin, &m->driven, fmin(fmax(share, 0), 1), &at);
    }
    memcpy(m->v, y + m->velocity_first, (size_t)model->free_count * sizeof(double));
    return true;
}

static gmc_status factor_mass(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    size_t n = (size_t)model->free_count, mark = gmc_arena_mark(m->scratch);
    double *M = GMC_ROOM(m->scratch, n * n + 1, double);
    if (!M) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_crba(model, &m->world->kin, M, m->scratch));
    for (size_t i = 0; i < n; i++)
        memcpy(m->mass.x + i * (size_t)m->mass.stride, M + i * n, n * sizeof *M);
    gmc_arena_reset(m->scratch, mark);
    bool is_good = n == 0 || gmc_mat_ldlt_factor(m->mass, m->mass_last, m->mass_inverse);
    return is_good ? GMC_OK : GMC_E_DIVERGED;
}

/// Poses and speeds of (t, y), contact points and factors.
static gmc_status place_bodies(gmc_song_pang_kumar *m, double t, const double *y)
{
    gmc_world *world = m->world;
    size_t bytes = (size_t)m->coordinate_count * sizeof(double);
    if (!read_state(m, t, y)) return GMC_E_DIVERGED;
    gmc_kinematics_update(world->model, m->q, m->v, &world->kin);
    bool is_same = m->is_placed && memcmp(m->placed, y, bytes) == 0 &&
                   (!m->base->has_driven || m->placed_time == t);
    if (is_same) return GMC_OK;
    m->is_placed = false;
    GMC_TRY(find_patches(m));
    GMC_TRY(factor_mass(m));
    memcpy(m->placed, y, bytes);
    m->placed_time = t;
    m->is_placed = true;
    return GMC_OK;
}

// ---- rates -------------------------------------------------------------------------------------

/// q' of one joint; w and v in the joint's frame.
static void coordinate_rate(const gmc_world *world, const gmc_body *body, const double *q,
                            const double *v, double *rate)
{
    gmc_mat3 R_wj = gmc_mat3_multiply(&world->kin.X_wb[body->parent].R, &body->X_pj.R);
    gmc_vec3 w = {0, 0, 0}, c = body->inertia.com, p;
    double *turning = rate;
    const double *at = q;
    switch (body->joint) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC:
        rate[0] = v[0];
        return;
    case GMC_JOINT_PLANAR: {
        double sine, cosine;
        gmc_sin_cos(q[2], &sine, &cosine);
        gmc_vec3 arm = {cosine * c.x - sine * c.y, sine * c.x + cosine * c.y, 0};
        p = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[0], v[1], 0});
        rate[0] = p.x + v[2] * arm.y;
        rate[1] = p.y - v[2] * arm.x;
        rate[2] = v[2];
        return;
    }
    case GMC_JOINT_FREE: {
        w = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[3], v[4], v[5]});
        p = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[0], v[1], v[2]});
        gmc_vec3 arm = gmc_quat_rotate((gmc_quat){q[3], q[4], q[5], q[6]}, c);
        p = gmc_vec3_sub(p, gmc_vec3_cross(w, arm));
        rate[0] = p.x;
        rate[1] = p.y;
        rate[2] = p.z;
        turning = rate + 3;
        at = q + 3;
        break;
    }
    case GMC_JOINT_SPHERICAL:
        w = (gmc_vec3){v[0], v[1], v[2]};
        break;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        return;
    }
    gmc_quat turn = gmc_quat_multiply((gmc_quat){0, w.x / 2, w.y / 2, w.z / 2},
                                      (gmc_quat){at[0], at[1], at[2], at[3]});
    turning[0] = turn.w;
    turning[1] = turn.x;
    turning[2] = turn.y;
    turning[3] = turn.z;
}

static void coordinate_rates(const gmc_song_pang_kumar *m, double *rate)
{
    const gmc_model *model = m->world->model;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        coordinate_rate(m->world, body, m->q + body->q, m->v + body->v, rate);
        rate += gmc_joint_q_count(body->joint);
    }
}

/// M a = f - c + g, with the accelerations that driven joints have.
static gmc_status accelerate(gmc_song_pang_kumar *m)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    size_t mark = gmc_arena_mark(m->scratch);
    double *tau = GMC_ROOM(m->scratch, model->dof_count + 1, double);
    if (!tau) return GMC_E_ARENA_FULL;
    memset(m->a, 0, (size_t)model->free_count * sizeof(double));
    GMC_TRY(gmc_rnea(model, &world->kin, m->v, m->a, tau, m->scratch));
    for (int i = 0; i < model->free_count; i++)
        m->a[i] = m->force[i] - tau[i];
    divide_by_mass(m, m->a);
    gmc_arena_reset(m->scratch, mark);
    return GMC_OK;
}

/// y' = f(t, y): as ode.h wants it. Leaves q, v, a, forces and patches of (t, y) behind.
static gmc_status rate_of_state(void *context, double t, const double *y, double *rate)
{
    gmc_song_pang_kumar *m = context;
    m->counts.rates++;
    GMC_TRY(place_bodies(m, t, y));
    add_joint_forces(m, t, y, rate);
    GMC_TRY(add_support_forces(m, y, rate));
    GMC_TRY(add_patch_forces(m, t, y, rate));
    GMC_TRY(accelerate(m));
    coordinate_rates(m, rate);
    memcpy(rate + m->velocity_first, m->a, (size_t)m->mass.rows * sizeof(double));
    return GMC_OK;
}

/// Gaps of the closed patches in their order, and the least of all others, at most the reach, plus
/// the overlap at which contacts begin; the same of stops that joints do not touch.
static gmc_status gaps_of_state(void *context, double t, const double *y, double *gaps)
{
    gmc_song_pang_kumar *m = context;
    int count = 0;
    GMC_TRY(place_bodies(m, t, y));
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed) gaps[count++] = m->patches[k].point.gap;
    gaps[count] = m->options->reach;
    for (int i = 0; i < m->point_count; i++)
        if (!m->is_known[i]) gaps[count] = fmin(gaps[count], m->base->points[i].gap);
    gaps[count] += overlap_at_touch(m);
    gaps[++count] = m->options->reach;
    for (int i = 0; i < 2 * m->base->joint_count; i++)
        if (!m->is_at_stop[i])
            gaps[count] = fmin(gaps[count], -past_stop(m, &m->base->joints[i / 2], i % 2));
    gaps[count] += overlap_at_touch(m);
    return GMC_OK;
}

// ---- the integration ---------------------------------------------------------------------------

/// Share of the time to contact that one internal step may cover.
static const double APPROACH = 0.9;
/// From this time to contact on, the surface may be crossed [s].
static const double CROSSING = 1e-5;
/// Time left that is rounding, and its share of the time itself [s].
static const double NO_TIME = 1e-14;
/// Share of the tolerance of velocities by which other controls may pull at one internal step.
static const double SAME = 1e-2;
/// Internal steps within one step of the rollout.
enum { STEPS_MAX = 200000 };
/// Larger systems are not for a dense solver: a Jacobian of 32 MB.
enum { SIZE_MAX_DENSE = 2000 };

static gmc_status song_pang_kumar_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                         gmc_world *world)
{
    gmc_song_pang_kumar *m = GMC_NEW(arena, 1, gmc_song_pang_kumar);
    if (!m) return GMC_E_ARENA_FULL;
    gmc_world made;
    GMC_TRY(gmc_mechanism_create(model, contact_max, arena, &made));
    m->base = made.stepper_memory;
    GMC_TRY(create_patches(contact_max, arena, m));
    GMC_TRY(create_motion(model, arena, m));
    made.stepper_memory = m;
    *world = made;
    return GMC_OK;
}

gmc_song_pang_kumar_counts gmc_song_pang_kumar_counted(const gmc_world *world)
{
    const gmc_song_pang_kumar *m = world->stepper_memory;
    return m->counts;
}

// ---- how far -----------------------------------------------------------------------------------

/// First zero of gap + rate t + acceleration t²/2 with t > 0.
static double time_to_contact(double gap, double rate, double acceleration)
{
    double inside = rate * rate - 2 * acceleration * gap;
    if (!(inside >= 0)) return HUGE_VAL;
    if (rate < 0) return 2 * gap / (sqrt(inside) - rate);
    return acceleration < 0 ? (rate + sqrt(inside)) / -acceleration : HUGE_VAL;
}

/// Fastest point of a body, about: its mass centre's speed and what turning adds within a metre.
static double fastest(const gmc_world *world)
{
    double most = 0;
    for (int b = 1; b < world->model->body_count; b++) {
        const gmc_twist *V = &world->kin.V[b];
        most =
            fmax(most, gmc_vec3_norm(gmc_twist_at(V, world->kin.com_w[b])) + gmc_vec3_norm(V->w));
    }
    return most;
}

/// Until when may the next internal step go? (m is at its last evaluation.)
static gmc_status next_stop(gmc_song_pang_kumar *m, double *stop)
{
    gmc_world *world = m->world;
    double left = m->t_end - m->t, first = HUGE_VAL, reach = m->options->reach;
    double fall = 0.5 * left * left * gmc_vec3_norm(world->model->gravity);
    if (2 * left * fastest(world) + fall > reach / 2) {
        // farther than what the forces were evaluated with; those points are not kept
        m->is_placed = false;
        gmc_collider_scene scene = {.model = world->model,
                                    .X_wb = world->kin.X_wb,
                                    .V = world->kin.V,
                                    .h = left,
                                    .reach = reach + fall};
        gmc_status status = gmc_collider_find(world->collider, &scene, m->base->points,
                                              m->patch_capacity, &m->point_count);
        if (status == GMC_E_LIMIT) { // too much is near: no farther than what is known
            *stop = fmin(m->t_end, m->t + reach / (4 * fastest(world)));
            return GMC_OK;
        }
        GMC_TRY(status);
    }
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        double acceleration, rate;
        if (!(point->gap > 0)) continue;
        rate = gap_rate(m, point, &acceleration);
        first = fmin(first, time_to_contact(point->gap, rate, acceleration));
    }
    *stop = m->t_end;
    if (first < left) *stop = m->t + (first > CROSSING ? APPROACH * first : 2 * CROSSING);
    *stop = fmin(*stop, m->t_end);
    return GMC_OK;
}

// ---- one internal step -------------------------------------------------------------------------

/// The forces of the last evaluation are those of where an internal step begins.
static void mark_forces(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    memcpy(m->joint_before, m->joint_force, (size_t)model->free_count * sizeof(double));
    memcpy(m->support_before, m->support_force,
           2 * (size_t)model->support_point_count * sizeof(double));
    mark_patches(m);
}

/// Impulses of an internal step that ends with the last evaluation: by the trapezium.
static void add_impulses(gmc_song_pang_kumar *m, double dt)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    add_patch_impulses(m, dt);
    for (int i = 0; i < model->free_count; i++)
        world->servo_impulse[i] += dt / 2 * (m->joint_before[i] + m->joint_force[i]);
    for (int k = 0; k < model->support_point_count; k++) {
        double *impulse = world->support_impulse + 3 * k;
        impulse[0] += dt * m->base->support_forces[k];
        for (int i = 0; i < 2; i++)
            impulse[1 + i] += dt / 2 * (m->support_before[2 * k + i] + m->support_force[2 * k + i]);
    }
}

static gmc_status evaluate_rate(gmc_song_pang_kumar *m)
{
    return rate_of_state(m, m->t, m->y, m->rate);
}

/// Begin an integration at (m->t, q, v) with the patches as they are.
static gmc_status start_integration(gmc_song_pang_kumar *m)
{
    int roots = 0;
    lay_state(m);
    if (m->size > SIZE_MAX_DENSE) return GMC_E_LIMIT;
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed) m->directions[roots++] = 1;
    m->directions[roots++] = -1;
    m->directions[roots++] = -1;
    const gmc_ode_problem problem = {.size = m->size,
                                     .root_count = roots,
                                     .directions = m->directions,
                                     .absolute = m->absolute,
                                     .relative = m->relative,
                                     .rate = rate_of_state,
                                     .roots = gaps_of_state,
                                     .context = m};
    m->counts.starts++;
    m->is_placed = false; // y may be laid anew
    GMC_TRY(gmc_ode_start(m->world->ode, &problem, m->t, m->y));
    return evaluate_rate(m);
}

/// Stops that joints touch from here on, and no more: as their force ends before their overlap does,
/// that is no start. @return does any begin?
static bool switch_stops(gmc_song_pang_kumar *m)
{
    bool begins = false;
    for (int i = 0; i < 2 * m->base->joint_count; i++) {
        double overlap = past_stop(m, &m->base->joints[i / 2], i % 2);
        bool was = m->is_at_stop[i];
        m->is_at_stop[i] = was ? overlap > -ROUNDING : overlap >= overlap_at_touch(m) - ROUNDING;
        begins = begins || (m->is_at_stop[i] && !was);
    }
    return begins;
}

/// Contacts that begin and end here. A start if there are any, and at a root that was none after
/// all (a point of a manifold that came and went), for the integrator's own time is behind it.
static gmc_status switch_contacts(gmc_song_pang_kumar *m, bool is_root, bool *changed)
{
    GMC_TRY(switch_patches(m, is_root, changed));
    if (*changed || is_root) return start_integration(m);
    return GMC_OK;
}

/// @param report  work and the largest force are added
static gmc_status take_internal_step(gmc_song_pang_kumar *m, gmc_step_report *report)
{
    gmc_ode *ode = m->world->ode;
    long before = gmc_ode_counted(ode).iterations, touches = m->counts.touches;
    double stop, t = m->t;
    bool is_root, changed;
    GMC_TRY(next_stop(m, &stop));
    GMC_TRY(gmc_ode_refresh(ode, is_at_limit(m)));
    mark_forces(m);
    GMC_TRY(gmc_ode_step(ode, stop, &m->t, m->y, &is_root));
    GMC_TRY(evaluate_rate(m));
    add_impulses(m, m->t - t);
    report->iterations += (int)(gmc_ode_counted(ode).iterations - before);
    report->max_effort = fmax(report->max_effort, effort_of_drives(m));
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed)
            report->max_force = fmax(report->max_force, m->patches[k].normal);
    m->counts.steps++;
    m->counts.longest_step = fmax(m->counts.longest_step, m->t - t);
    keep_deflections(m);
    is_root = switch_stops(m) || is_root;
    GMC_TRY(switch_contacts(m, is_root, &changed));
    if (m->counts.touches > touches) m->counts.touch_step = fmax(m->counts.touch_step, m->t - t);
    if (!changed) follow_patches(m);
    return GMC_OK;
}

// ---- the step ----------------------------------------------------------------------------------

/// Does the integration stand where the world does?
static bool goes_on(const gmc_song_pang_kumar *m)
{
    const gmc_world *world = m->world;
    size_t q = (size_t)world->model->q_count, v = (size_t)world->model->free_count;
    return m->is_running && fabs(m->t - world->state.t) <= NO_TIME * (1 + fabs(m->t)) &&
           memcmp(m->q_last, world->state.q, q * sizeof(double)) == 0 &&
           memcmp(m->v_last, world->state.v, v * sizeof(double)) == 0;
}

/// Are forces with the controls and laws of this step what they were with those of the one before?
static bool has_same_forces(const gmc_song_pang_kumar *m)
{
    for (int i = 0; i < m->mass.rows; i++) {
        int k = m->velocity_first + i;
        double tolerance = m->absolute[k] + m->relative[k] * fabs(m->v[i]);
        if (fabs(m->a[i] - m->a_last[i]) * (m->t_end - m->t_start) > SAME * tolerance) return false;
    }
    return true;
}

/// The world's contacts as they are at the start, before the first internal step.
static gmc_status open_step(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    bool changed;
    m->is_placed = false;
    renew_patches(m);
    if (goes_on(m)) {
        memcpy(m->a_last, m->a, (size_t)m->mass.rows * sizeof(double));
        GMC_TRY(evaluate_rate(m)); // with the controls of this step
        return has_same_forces(m) ? GMC_OK : start_integration(m);
    }
    m->is_running = false;
    m->t = world->state.t;
    memcpy(m->q, world->state.q, (size_t)model->q_count * sizeof(double));
    memcpy(m->v, world->state.v, (size_t)model->dof_count * sizeof(double));
    lay_state(m);
    memset(m->is_at_stop, 0, 2 * (size_t)m->base->joint_count * sizeof(bool));
    (void)switch_stops(m);
    GMC_TRY(evaluate_rate(m));
    GMC_TRY(switch_contacts(m, false, &changed));
    return changed ? GMC_OK : start_integration(m);
}

static gmc_status integrate_step(gmc_song_pang_kumar *m, gmc_step_report *report)
{
    GMC_TRY(gmc_mechanism_weigh(m->world, m->base));
    GMC_TRY(open_step(m));
    for (int k = 0; k < m->patch_count; k++)
        if (-m->patches[k].point.gap > report->max_penetration)
            report->max_penetration = -m->patches[k].point.gap;
    report->hard_penetration = report->max_penetration;
    for (int steps = 0; m->t_end - m->t > NO_TIME * (1 + fabs(m->t)); steps++) {
        if (steps == STEPS_MAX) return GMC_E_INTEGRATOR;
        GMC_TRY(take_internal_step(m, report));
    }
    return GMC_OK;
}

/// The solution into the world.
static gmc_status finish_step(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    if (!m->is_placed) GMC_TRY(evaluate_rate(m)); // the points of the forces, not of a look ahead
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (body->is_driven)
            memcpy(m->q + body->q, m->control->q_driven + body->q,
                   (size_t)gmc_joint_q_count(body->joint) * sizeof(double));
    }
    memcpy(world->state.q, m->q, (size_t)model->q_count * sizeof(double));
    memcpy(world->state.v, m->v, (size_t)model->dof_count * sizeof(double));
    memcpy(m->q_last, world->state.q, (size_t)model->q_count * sizeof(double));
    memcpy(m->v_last, world->state.v, (size_t)model->dof_count * sizeof(double));
    world->state.t = m->t_end;
    memcpy(m->driven_mean, m->control->v_driven, (size_t)model->dof_count * sizeof(double));
    m->is_running = true;
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    report_patches(m);
    return GMC_OK;
}

static void foresee_driven(gmc_song_pang_kumar *m, double h)
{
    const gmc_world *world = m->world;
    const double *mean = m->control->v_driven;
    for (int i = world->model->free_count; i < world->model->dof_count; i++)
        m->driven_end[i] = 1.5 * mean[i] - 0.5 * m->driven_mean[i];
    m->driven = (gmc_driven_step){.from = world->state.q,
                                  .start = world->state.v,
                                  .mean = mean,
                                  .end = m->driven_end,
                                  .h = h};
}

static gmc_status song_pang_kumar_step(gmc_world *world, const gmc_control *control,
                                       const gmc_step_options *options, double h,
                                       gmc_arena *scratch, gmc_step_report *report)
{
    gmc_song_pang_kumar *m = world->stepper_memory;
    const gmc_model *model = world->model;
    GMC_ASSERT(h > 0 && world->ode);
    m->world = world;
    m->control = control;
    m->options = options;
    int points = (int)setting_of(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS);
    GMC_ASSERT(points >= 1 && points <= GMC_SONG_PANG_KUMAR_POINTS);
    m->scratch = scratch;
    m->t_start = world->state.t;
    m->t_end = world->state.t + h;
    foresee_driven(m, h);
    *report = (gmc_step_report){.rung = 1, .span = h};
    memset(world->servo_impulse, 0, (size_t)model->free_count * sizeof(double));
    memset(world->support_impulse, 0, 3 * (size_t)model->support_point_count * sizeof(double));
    gmc_status status = integrate_step(m, report);
    if (status == GMC_OK) status = finish_step(m);
    if (status != GMC_OK) {
        m->is_running = false;
        m->patch_count = 0;
        gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
        return status;
    }
    report->contact_count = world->contacts.count;
    return GMC_OK;
}

static const char *const SOLVERS[] = {GMC_SONG_PANG_KUMAR_SOLVERS(GMC_COMMA), NULL};
const gmc_stepper gmc_song_pang_kumar_stepper = {
    .name = "song_pang_kumar",
    .about = GMC_SONG_PANG_KUMAR_ABOUT,
    .solvers = SOLVERS,
    .settings = SETTINGS,
    .setting_count = GMC_COUNT(SETTINGS),
    .can = GMC_CAN_DAMPING_RATIO,
    .knows = {[GMC_MOTION_DYNAMIC] = true},
    .is_integrated = true,
    .create = song_pang_kumar_create,
    .step = song_pang_kumar_step,
};
