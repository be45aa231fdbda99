// Every motion is a reference as a function of time in the phase, so that the step that leads to
// t + h aims at the reference of t + h exactly: the driven base never lags or drifts whatever the
// step is. Integrating a commanded velocity instead was rejected: its end pose depends on the step.
#include "engine/control/program_internal.h"

double gmc_program_profile_share(double time, double duration)
{
    return duration > 0 ? gmc_program_quintic(time / duration) : 1;
}

bool gmc_program_follows(double frequency, double step)
{
    const double ROUNDING = 1e-9; // of a product that is 0.1 in decimals
    return GMC_PROGRAM_SWING_STEPS * frequency * step <= 1 + ROUNDING;
}

static gmc_vec3 seen_in_world(const gmc_phase *phase, const gmc_program_state *state, gmc_vec3 v)
{
    return phase->in_hand_frame ? gmc_mat3_apply(&state->X_tool.R, v) : v;
}

// The oscillation with its envelope: up over one ramp, down over another. Without ramps it stays
// where its curve ends: back in the middle at once, what is held would be torn off in one step.
double gmc_program_shake_offset(const gmc_phase *phase, double time)
{
    if (time >= phase->duration && phase->ramp > 0) return 0;
    time = fmin(time, phase->duration);
    double up = gmc_program_profile_share(time, phase->ramp);
    double down = gmc_program_profile_share(phase->duration - time, phase->ramp);
    return phase->amount * up * down * gmc_sin(2 * GMC_PI * phase->frequency * time);
}

static gmc_program_place turned_about(const gmc_program_place *place, gmc_vec3 point, gmc_vec3 axis,
                                      double angle)
{
    gmc_quat turn = gmc_quat_exp(gmc_vec3_scale(angle, axis));
    gmc_vec3 arm = gmc_vec3_sub(place->p, point);
    return (gmc_program_place){.rotation =
                                   gmc_quat_normalise(gmc_quat_multiply(turn, place->rotation)),
                               .p = gmc_vec3_add(point, gmc_quat_rotate(turn, arm))};
}

gmc_program_place gmc_program_profile_base(const gmc_phase *phase, const gmc_program_state *state,
                                           double time)
{
    gmc_program_place place = state->base;
    double amount = phase->type == GMC_PROGRAM_SHAKE
                        ? gmc_program_shake_offset(phase, time)
                        : gmc_program_profile_share(time, phase->duration) * phase->amount;
    switch (phase->type) {
    case GMC_PROGRAM_MOVE:
        place.p = gmc_vec3_add_scaled(place.p, gmc_program_profile_share(time, phase->duration),
                                      seen_in_world(phase, state, phase->by));
        break;
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
        if (amount == 0) break; // nothing is touched that does not move
        gmc_vec3 axis = seen_in_world(phase, state, phase->axis);
        if (phase->type == GMC_PROGRAM_TURN || phase->is_rotation)
            place = turned_about(&place, state->X_tool.p, axis, amount);
        else
            place.p = gmc_vec3_add_scaled(place.p, amount, axis);
        break;
    case GMC_PROGRAM_GRIP:
    case GMC_PROGRAM_JOINT_MOVE:
    case GMC_PROGRAM_JOINT_SHAKE:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_SET:
        break;
    }
    return place;
}

// A finger on its way to a position: at constant speed, or smoothly in a given time.
static double grip_position(const gmc_phase *phase, double from, double to, double speed,
                            double time)
{
    double way = to - from, distance = speed * time;
    if (isinf(phase->speed) && phase->duration > 0) {
        double share = gmc_program_profile_share(time, phase->duration);
        return share < 1 ? from + share * way : to;
    }
    return distance < fabs(way) ? from + copysign(distance, way) : to;
}

double gmc_program_profile_joint(const gmc_phase *phase, const gmc_program_state *state,
                                 double time, int dof)
{
    double q = state->q_hold[dof];
    switch (phase->type) {
    case GMC_PROGRAM_JOINT_MOVE:
        return q + gmc_program_profile_share(time, phase->duration) * phase->amount;
    case GMC_PROGRAM_JOINT_SHAKE:
        return q + gmc_program_shake_offset(phase, time);
    case GMC_PROGRAM_GRIP:
        return phase->has_force
                   ? q
                   : grip_position(phase, q, state->q_goal[dof], state->v_goal[dof], time);
    case GMC_PROGRAM_MOVE:
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_SET:
        break;
    }
    return q;
}
