// What is said of drives once all is compiled: joints without a largest speed, and those whose
// servos do not hold the hand against gravity where it starts.
#include "engine/control/load.h"
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Servos that give way by less than this hold: what their defaults do under a newton metre or a
/// kilogram [rad, m].
static const double SAG_TURN = 0.01, SAG_SLIDE = 0.001;

static const gmc_diagnostic_kind no_speed = {"no velocity limit, none taken, for", "joints"};

static void warn_of_speeds(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++) {
        const gmc_joint_setting *joint = &hand->joints[i];
        if (build->joint_dof[i] < 0 || joint->max_speed >= 0) continue;
        gmc_diagnostics_warn(build->report, joint->source, &no_speed, joint->joint,
                             "hand.joints.<joint>.max_speed gives one; 0 says that there is none",
                             "joint `%s` has no velocity limit, or one of 0: its drive makes it as "
                             "fast as it can",
                             joint->joint);
    }
}

// How far a servo gives way: "j2 by 24 deg", "j4 falls: it needs 30 of 12 N*m"; false: it holds.
static bool tell_sag(const gmc_build *build, const gmc_rollout_input *input, const double *force,
                     int joint, char *text, size_t room)
{
    int k = build->joint_dof[joint];
    const gmc_body *body = &input->model->bodies[build->joint_body[joint]];
    const gmc_dof *dof = &input->model->dofs[k];
    bool is_slide = body->joint == GMC_JOINT_PRISMATIC;
    double load = fabs(force[k]) - dof->friction, q = input->model->q_start[body->q];
    bool rests = force[k] > 0 ? q <= dof->lower : q >= dof->upper; // on its stop
    double sag = load / input->program->servo_stiffness[k];
    if (rests || !(load > 0) || !(sag > (is_slide ? SAG_SLIDE : SAG_TURN) || load > dof->max_force))
        return false;
    const char *name = build->scenario->hand.joints[joint].joint, *unit = is_slide ? "N" : "N*m";
    if (load > dof->max_force)
        snprintf(text, room, "%.60s falls, it needs %.3g of %.3g %s", name, load, dof->max_force,
                 unit);
    else if (isinf(sag))
        snprintf(text, room, "%.60s falls, its kp is 0", name);
    else
        snprintf(text, room, "%.60s by %.3g %s", name, is_slide ? 1e3 * sag : sag * 180 / GMC_PI,
                 is_slide ? "mm" : "deg");
    return true;
}

static void tell_sags(const gmc_build *build, const gmc_rollout_input *input, const double *force)
{
    char list[400] = "";
    size_t used = 0;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        gmc_build_joint_facts facts;
        char one[160];
        if (!gmc_build_joint(build, i, &facts) || facts.is_finger) continue;
        if (!tell_sag(build, input, force, i, one, sizeof one)) continue;
        if (used + strlen(one) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (used == 0) return;
    gmc_diagnostics_add(build->report, GMC_WARNING, GMC_OK, build->scenario->hand.source,
                        "nothing makes up for gravity but the servos: raise hand.<joint>.kp (and "
                        "kd, max_force)",
                        "under gravity joints give way from where they start: %s", list);
}

// At nominal values: the hand stands where trials have it.
static gmc_status look_for_sags(const gmc_build *build, gmc_arena *arena)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = gmc_arena_doubles(arena, (size_t)scenario->parameter_count);
    gmc_rollout_input input;
    if (!values) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    GMC_TRY(gmc_build_instantiate(build, 0, values, values, arena, &input));
    double *force = gmc_arena_doubles(arena, (size_t)input.model->dof_count);
    if (!force) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_load_find(input.model, input.model->q_start, arena, force));
    tell_sags(build, &input, force);
    return GMC_OK;
}

gmc_status gmc_build_check_drives(const gmc_build *build)
{
    enum { DOUBLINGS = 6 };
    if (build->base_body < 0 || build->report->error_count > 0) return GMC_OK;
    warn_of_speeds(build);
    size_t bytes = gmc_build_bytes(build);
    gmc_status status = GMC_E_ARENA_FULL;
    for (int i = 0; i < DOUBLINGS && status == GMC_E_ARENA_FULL; i++, bytes *= 2) {
        gmc_arena arena;
        GMC_TRY(gmc_arena_create(&arena, bytes));
        status = look_for_sags(build, &arena);
        gmc_arena_free(&arena);
    }
    // numbers that make no trial are told by the trials
    return status == GMC_E_INPUT ? GMC_OK : status;
}
