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

#include "engine/contact/visco_elastic/song_pang_kumar_internal.h"
#include "engine/dynamics/jacobian.h"
#include "engine/model/support.h"

#include <string.h>

/// Presliding of joint friction recovers in this time, as in mechanism_joint.c [s].
static const double JOINT_RELAXATION = 1e-3;

double gmc_song_pang_kumar_relaxation(double relaxation)
{
    static const double LEAST = 1e-5; // a hundredth of what contacts last, at 1e6 N/m and 0.1 kg
    return fmax(relaxation, LEAST);
}

bool gmc_song_pang_kumar_bristle(int count, double k, double relaxation, double limit,
                                 const double *deflection, const double *velocity, double *force,
                                 double *rate)
{
    double size2 = 0, share = 1;
    for (int i = 0; i < count; i++) {
        force[i] = -k * (deflection[i] + relaxation * velocity[i]);
        size2 += force[i] * force[i];
    }
    bool slides = size2 > limit * limit;
    if (slides) share = limit / sqrt(size2);
    for (int i = 0; i < count; i++) {
        force[i] *= share;
        rate[i] = slides ? -(force[i] / k + deflection[i]) / relaxation : velocity[i];
    }
    return slides;
}

// ---- joints ------------------------------------------------------------------------------------

/// A drive whose joint is faster than it may be brakes, with all that it has where that is by this
/// share of the speed.
static const double BRAKE_SLACK = 1e-4;

/// What a servo gives besides the force applied, so that both do not make its joint too fast.
static double braked(const gmc_dof *dof, double v, double applied, double servo)
{
    double w = dof->max_speed, most = dof->max_force, over = fabs(v) - w;
    if (!(over > 0)) return servo;
    double drive = applied + servo;
    double scale = most < HUGE_VAL ? most : fmax(fabs(drive), 1);
    double back = copysign(scale * over / (BRAKE_SLACK * w), v);
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

/// Of one joint: its drive, one-sided springs of its limits.
static double servo_force(const gmc_song_pang_kumar *m, const gmc_mechanism_joint *joint, double t)
{
    const gmc_dof *dof = &m->world->model->dofs[joint->dof];
    double q = m->q[joint->q], force = drive_force(m, joint, t);
    if (q < dof->lower) force += dof->limit_stiffness * (dof->lower - q);
    if (q > dof->upper) force += dof->limit_stiffness * (dof->upper - q);
    return force;
}

double gmc_song_pang_kumar_effort(const gmc_song_pang_kumar *m)
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

bool gmc_song_pang_kumar_is_at_limit(const gmc_song_pang_kumar *m)
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

void gmc_song_pang_kumar_joint_forces(gmc_song_pang_kumar *m, double t, const double *y,
                                      double *rate)
{
    const gmc_model *model = m->world->model;
    memset(m->joint_force, 0, (size_t)model->free_count * sizeof(double));
    for (int k = 0; k < m->base->joint_count; k++)
        m->joint_force[m->base->joints[k].dof] = servo_force(m, &m->base->joints[k], t);
    for (int k = 0; k < m->friction_count; k++) {
        const gmc_mechanism_joint *joint = &m->base->joints[m->friction_joints[k]];
        double friction = model->dofs[joint->dof].friction, force;
        int i = m->friction_first + k;
        gmc_song_pang_kumar_bristle(1, friction / joint->presliding, JOINT_RELAXATION, friction,
                                    &y[i], &m->v[joint->dof], &force, &rate[i]);
        m->joint_force[joint->dof] += force;
    }
    for (int i = 0; i < model->free_count; i++)
        m->force[i] = m->control->force[i] - model->dofs[i].damping * m->v[i] + m->joint_force[i];
}

// ---- bodies ------------------------------------------------------------------------------------

gmc_status gmc_song_pang_kumar_push(gmc_song_pang_kumar *m, int body_a, int body_b, gmc_vec3 p,
                                    gmc_vec3 force, gmc_vec3 moment)
{
    const gmc_world *world = m->world;
    size_t n = (size_t)world->model->free_count, mark = gmc_arena_mark(m->scratch);
    int *columns = gmc_arena_room(m->scratch, n + 1, sizeof *columns);
    double *S = gmc_arena_room(m->scratch, 6 * n + 1, sizeof *S);
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

gmc_status gmc_song_pang_kumar_support_forces(gmc_song_pang_kumar *m, const double *y, double *rate)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double relaxation = gmc_song_pang_kumar_relaxation(support->relaxation);
        damp_support(m, support);
        for (int k = support->point_first; k < support->point_first + support->point_count; k++) {
            const gmc_support_point *point = &model->support_points[k];
            gmc_vec3 x = {point->p.x, point->p.y, 0};
            x = gmc_pose_apply(&world->kin.X_wb[support->body], x);
            gmc_vec3 u = gmc_twist_at(&world->kin.V[support->body], x);
            const double velocity[2] = {u.x, u.y};
            double *force = m->support_force + 2 * k;
            int at = m->support_first + 2 * k;
            gmc_song_pang_kumar_bristle(2, support->stiffness, relaxation,
                                        point->friction * m->base->support_forces[k], y + at,
                                        velocity, force, rate + at);
            GMC_TRY(gmc_song_pang_kumar_push(
                m, 0, support->body, x, (gmc_vec3){force[0], force[1], 0}, (gmc_vec3){0, 0, 0}));
        }
    }
    return GMC_OK;
}
