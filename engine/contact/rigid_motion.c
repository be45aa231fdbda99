// What inertia does in a step of the rigid steppers.
//
//   dynamic       Mh = M + ...,        p* = M v + h (f - c + g) + ...
//   first order   Mh = h M/s + ...,    p* = h (f + g) + ...
//   quasi-static  Mh = κ M + ...,      p* = κ M v_k + h (f + g) + ...,   v_k the velocities found
//   before
//
// with damping and servos (...) as in the default stepper. Without inertia the equations alone do
// not say how fast a body goes that nothing but its friction holds, and Mh = 0 cannot be inverted.
// So the quasi-static solution is found as the limit of proximal steps from rest: a share κ of the
// inertia holds on to the velocities found before, until they change no more. What is left of it is
// nothing, so neither mass nor the motion of the step before enter the result (but mass as weight).
// Each step takes off all but κ |v| / (mu g h) of the error: three digits at 10 mm/s.
//
// Rejected: one solve with an inertia small enough to be neglected, 1e-9 of the friction forces:
// velocities are then differences of numbers a million times larger.

#include "engine/contact/rigid_internal.h"

#include <string.h>

/// κ: small enough for a few steps, large enough for the digits that the solver leaves. Where they
/// are not enough it becomes a tenth every so many steps, down to a least one: a pyramid's flat
/// sides make motions take nearly the same power, and the small force that is left over between
/// them would take hundreds of steps from the one to the other.
static const double HOLD = 1e-3, HOLD_LEAST = 1e-7;
enum { STEPS_PER_HOLD = 6 };
/// Rate that stands for d/dt of the first-order model [1/s].
static const double FIRST_ORDER_RATE = 1;
/// Change of velocities, relative in the norm of M, at which they are found.
static const double SETTLED = 1e-11;
/// And the same against the velocities that applied and normal forces alone would cause: the
/// solver's rounding.
static const double NOISE = 1e-12;

/// Weight of everything as generalised forces. (free_count) added to `force`.
static void add_weight(const gmc_world *world, double h, double *impulse)
{
    const gmc_model *model = world->model;
    const gmc_kinematics *kin = &world->kin;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        gmc_vec3 weight = gmc_vec3_scale(h * body->inertia.mass, model->gravity);
        if (body->is_isolated) {
            for (int i = 0; i < 3; i++)
                impulse[body->v + i] += gmc_vec3_get(weight, i);
            continue;
        }
        for (int k = kin->chain_start[b]; k < kin->chain_start[b + 1]; k++) {
            int dof = kin->axis_dof[kin->chain[k]];
            if (dof >= model->free_count) continue;
            impulse[dof] +=
                gmc_vec3_dot(weight, gmc_twist_at(&kin->axes[kin->chain[k]], kin->com_w[b]));
        }
    }
}

/// M of the step times v.
static void multiply(const gmc_coulomb_step *motion, const double *v, double *p)
{
    const int *start = motion->memory->block_start;
    for (int block = 0; block < motion->memory->block_count; block++)
        for (int i = start[block]; i < start[block + 1]; i++) {
            const double *row = gmc_coulomb_mass_row(motion, i);
            p[i] = 0;
            for (int j = start[block]; j < start[block + 1]; j++)
                p[i] += row[j] * v[j];
        }
}

gmc_status gmc_rigid_motion(gmc_rigid_step *step, const double *v_before)
{
    gmc_coulomb_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    const gmc_motion kind = step->options->motion;
    int n = model->free_count;
    size_t width = (size_t)(motion->memory->mass_width > 0 ? motion->memory->mass_width : n);
    if (kind == GMC_MOTION_DYNAMIC) return gmc_coulomb_free_motion(motion);
    double hold = HOLD;
    for (int k = STEPS_PER_HOLD; k <= step->round && hold > 1.5 * HOLD_LEAST; k += STEPS_PER_HOLD)
        hold *= 0.1;
    double share = kind == GMC_MOTION_QUASI_STATIC ? hold : FIRST_ORDER_RATE * motion->h;
    GMC_TRY(gmc_coulomb_mass(motion));
    for (size_t i = 0; i < (size_t)n * width; i++)
        motion->mass[i] *= share;
    if (kind == GMC_MOTION_QUASI_STATIC)
        multiply(motion, v_before, motion->momentum);
    else
        memset(motion->momentum, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        motion->momentum[i] += motion->h * motion->control->force[i];
    add_weight(motion->world, motion->h, motion->momentum);
    gmc_coulomb_add_damping(motion);
    if (model->support_count > 0) gmc_coulomb_support_damp(motion);
    return GMC_OK;
}

bool gmc_rigid_motion_is_settled(const gmc_rigid_step *step, const double *v_before)
{
    const gmc_coulomb_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    const double *v = motion->solution.v;
    double change = 0, size = 0, free = 0;
    if (step->options->motion != GMC_MOTION_QUASI_STATIC) return true;
    for (int i = 0; i < model->free_count; i++) {
        double m = gmc_coulomb_mass_row(motion, i)[i], d = v[i] - v_before[i];
        change += m * d * d;
        size += m * v[i] * v[i];
        free += motion->momentum[i] * motion->momentum[i] / m;
    }
    for (int c = 0; c < step->contact_count; c++)
        free += step->r[3 * c] * step->r[3 * c] * step->contacts[c].inverse_mass;
    return change <= SETTLED * SETTLED * size || change <= NOISE * NOISE * free;
}
