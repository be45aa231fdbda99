// Phases of the scenario as phases of the engine: words are bound to joints, surfaces and axes
// once; the numbers follow in every trial (gmc_build_phase_values).
#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"
#include "sampling/scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A grip's force grows over this unless the scenario says otherwise: short against a closing phase,
// long against the step [s].
static const double DEFAULT_RAMP = 0.1;

static gmc_phase_type type_of(const gmc_phase_spec *spec)
{
    switch (spec->kind) {
    case GMC_PHASE_CLOSE:
    case GMC_PHASE_OPEN:
        return GMC_PROGRAM_GRIP;
    case GMC_PHASE_LIFT:
    case GMC_PHASE_MOVE:
        return spec->joint ? GMC_PROGRAM_JOINT_MOVE : GMC_PROGRAM_MOVE;
    case GMC_PHASE_TURN:
        return GMC_PROGRAM_TURN;
    case GMC_PHASE_SHAKE:
        return spec->joint ? GMC_PROGRAM_JOINT_SHAKE : GMC_PROGRAM_SHAKE;
    case GMC_PHASE_HOLD:
        return GMC_PROGRAM_HOLD;
    case GMC_PHASE_SET:
        return GMC_PROGRAM_SET;
    case GMC_PHASE_KIND_COUNT:
        break;
    }
    return GMC_PROGRAM_HOLD;
}

static bool moves_base(gmc_phase_type type)
{
    return type == GMC_PROGRAM_MOVE || type == GMC_PROGRAM_TURN || type == GMC_PROGRAM_SHAKE;
}

// Which model value a `set` entry changes.
static bool bind_set(const gmc_build *build, const gmc_set_spec *spec, gmc_set *set)
{
    const gmc_scenario *scenario = build->scenario;
    for (int i = 0; i < scenario->friction_count; i++)
        if (scenario->frictions[i].friction == spec->target && build->friction_pair[i][0] < 0) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, NULL,
                                "%s changes nothing: nothing has one of these surfaces",
                                spec->target_path);
            return false;
        } else if (scenario->frictions[i].friction == spec->target) {
            *set = (gmc_set){.kind = GMC_SET_FRICTION,
                             .a = build->friction_pair[i][0],
                             .b = build->friction_pair[i][1]};
            return true;
        }
    for (int i = 0; i < 3; i++)
        if (scenario->gravity[i] == spec->target) {
            *set = (gmc_set){.kind = GMC_SET_GRAVITY, .a = i};
            return true;
        }
    if (gmc_build_can_reshape(build, spec->target)) {
        *set = (gmc_set){.kind = GMC_SET_SHAPE, .a = spec->target};
        return true;
    }
    gmc_diagnostics_add(
        build->report, GMC_E_INPUT, spec->source,
        "a phase can set friction.<a>/<b>, gravity.x, gravity.y and gravity.z, sizes of fixed "
        "bodies of the scene, and parameters that only such sizes follow from",
        "%s cannot change while the trial runs", spec->target_path);
    return false;
}

static void bind_joint(const gmc_build *build, const gmc_phase_spec *spec, gmc_phase *phase)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    phase->dof = -1;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, spec->joint) == 0) phase->dof = build->joint_dof[i];
    if (phase->dof >= 0) return;
    char hint[256];
    gmc_build_joint_names(build, hint, sizeof hint);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, hint,
                        "phase %s: the hand has no joint %s to move", spec->name, spec->joint);
}

// A grip to positions needs to know where they are, and how fast the fingers go there.
static void check_goals(const gmc_build *build, const gmc_phase_spec *spec)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    bool is_closed = spec->kind == GMC_PHASE_CLOSE;
    bool is_timed = spec->speed >= 0 || spec->duration >= 0;
    for (int i = 0; i < hand->joint_count; i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        if (!is_timed && isinf(joint.max_speed))
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, "add  speed:  or  in:",
                                "phase %s goes to a position, but how fast is not said: joint %s "
                                "has no max_speed",
                                spec->name, joint.name);
        if (spec->position >= 0 || joint.closes == 0) continue;
        if (isfinite(is_closed ? joint.closed : joint.open)) continue;
        char hint[200];
        snprintf(hint, sizeof hint, "add  %s: <position>  under hand.joints.%.120s",
                 is_closed ? "closed" : "open", joint.name);
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, hint,
                            "phase %s: joint %s has no limit to go to", spec->name, joint.name);
    }
}

static gmc_status bind_phase(gmc_build *build, const gmc_phase_spec *spec, gmc_phase *phase)
{
    *phase = (gmc_phase){.name = spec->name,
                         .type = type_of(spec),
                         .end = spec->until,
                         .has_force = spec->force >= 0,
                         .to = spec->position >= 0            ? GMC_GRIP_POSITION
                               : spec->kind == GMC_PHASE_OPEN ? GMC_GRIP_OPEN
                                                              : GMC_GRIP_CLOSED,
                         .is_rotation = spec->is_rotation,
                         .in_hand_frame = spec->in_hand_frame,
                         .dof = -1,
                         .is_closing = spec->kind == GMC_PHASE_CLOSE,
                         .set_count = spec->set_count};
    // the reader refuses phases that move a base which is not there or mounted
    GMC_ASSERT(!moves_base(phase->type) ||
               (build->base_body >= 0 && !build->scenario->hand.is_mounted));
    // of fingers that are listed each that is not there was named
    bool are_listed = build->scenario->hand.finger_count > 0;
    if (phase->type == GMC_PROGRAM_GRIP && build->finger_count == 0 && !are_listed)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                            "list them under hand.fingers",
                            "phase %s: the hand has no fingers to move", spec->name);
    if (phase->type == GMC_PROGRAM_GRIP && !phase->has_force) check_goals(build, spec);
    if (spec->joint) bind_joint(build, spec, phase);

    gmc_set *sets = GMC_NEW(&build->arena, spec->set_count, gmc_set);
    if (!sets) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->set_count; i++)
        bind_set(build, &spec->sets[i], &sets[i]);
    phase->sets = sets;
    return GMC_OK;
}

static double nominal_of(const gmc_build *build, gmc_param param)
{
    return param < 0 ? 0 : build->scenario->parameters[param].nominal;
}

// The most that it is in any case.
static double highest_of(const gmc_build *build, gmc_param param)
{
    double lowest = 0, highest = 0;
    if (param >= 0) gmc_resolve_nominal_range(build->scenario, param, &lowest, &highest);
    return highest;
}

// " in 40 % of the draws" that are above a limit which no case is above; "": in all of a case.
// @return whether any is above it
static bool is_above(const gmc_build *build, gmc_param param, double limit, char often[48])
{
    often[0] = 0;
    if (param < 0 || !(limit > 0)) return false;
    if (highest_of(build, param) > limit) return true;
    double share = gmc_resolve_share_outside(build->scenario, param, -HUGE_VAL, limit);
    if (share == 0) return false;
    snprintf(often, 48, " in %.3g %% of the draws", 100 * share);
    return true;
}

// Do other joints mimic the one of this dof?
static bool is_led(const gmc_model *model, int dof)
{
    for (int b = 1; b < model->body_count; b++)
        if (model->bodies[b].v == dof && model->bodies[b].is_mimic) return true;
    return false;
}

// Fingers press with what their drives have; who asks for more should know.
static void warn_of_weak_drives(const gmc_build *build, const gmc_phase_spec *spec)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    for (int i = 0; i < build->finger_count; i++) {
        int dof = build->fingers[i].dof, k = 0;
        while (build->joint_dof[k] != dof)
            k++;
        double gear = build->fingers[i].drive * nominal_of(build, hand->joints[k].share);
        char often[48];
        if (!is_above(build, spec->force, model->dofs[dof].max_force / gear, often)) continue;
        double wanted = gear * highest_of(build, spec->force);
        bool is_slide = model->bodies[build->joint_body[k]].joint == GMC_JOINT_PRISMATIC;
        const char *unit = is_slide ? "N" : "N*m", *name = hand->joints[k].joint;
        double most = model->dofs[dof].max_force, each = wanted / build->fingers[i].drive;
        char with[200] = "";
        if (often[0])
            snprintf(with, sizeof with, ", %g %s", most / gear, unit);
        else if (is_led(model, dof))
            snprintf(with, sizeof with,
                     ": %g %s at it and at each joint that mimics it take %g %s of its drive, "
                     "which has %g %s",
                     each, unit, wanted, unit, most, unit);
        else
            snprintf(with, sizeof with, ": %g %s, and it has %g %s", wanted, unit, most, unit);
        gmc_diagnostics_add(build->report, GMC_OK, spec->source,
                            "the limit is hand.<joint>.max_force, by default the URDF's effort",
                            "phase %s asks%s for more than the drive of joint %s gives%s",
                            spec->name, often, name, with);
    }
}

// A phase may ask for more than the drives make: what holds is said once a phase.
static void warn_of_speed(const gmc_build *build, const gmc_phase_spec *spec, const char *what,
                          double wanted, const gmc_build_joint_facts *joint, int others)
{
    char more[48] = "";
    if (others > 0) snprintf(more, sizeof more, " (and %d more joints)", others);
    const char *unit = joint->is_slide ? "m/s" : "rad/s";
    gmc_diagnostics_add(build->report, GMC_OK, spec->source,
                        "the limit is hand.<joint>.max_speed, by default the URDF's velocity",
                        "phase %s: %s %.4g %s, but joint %s%s goes at most %.4g %s", spec->name,
                        what, wanted, unit, joint->name, more, joint->max_speed, unit);
}

static void warn_of_fast_fingers(const gmc_build *build, const gmc_phase_spec *spec)
{
    gmc_build_joint_facts slow = {0}, joint;
    char often[48], first[48] = "", what[80] = "speed is";
    int count = 0;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        if (!is_above(build, spec->speed, joint.max_speed, often) || count++ > 0) continue;
        slow = joint;
        memcpy(first, often, sizeof first);
    }
    if (count == 0) return;
    if (first[0]) snprintf(what, sizeof what, "speed is more%s than", first);
    double wanted = first[0] ? slow.max_speed : highest_of(build, spec->speed);
    warn_of_speed(build, spec, what, wanted, &slow, count - 1);
}

// A smooth move is fastest in its middle, 15/8 of its mean; a swing where it passes its own.
static void warn_of_fast_moves(const gmc_build *build, const gmc_phase_spec *spec)
{
    gmc_build_joint_facts joint;
    double in = nominal_of(build, spec->duration), wanted;
    wanted = spec->kind == GMC_PHASE_SHAKE ? 2 * GMC_PI * nominal_of(build, spec->frequency) *
                                                 nominal_of(build, spec->amplitude)
                                           : 1.875 * fabs(nominal_of(build, spec->by[0])) / in;
    for (int i = 0; i < build->scenario->hand.joint_count; i++)
        if (gmc_build_joint(build, i, &joint) && strcmp(joint.name, spec->joint) == 0 &&
            wanted > joint.max_speed)
            warn_of_speed(build, spec, "it asks for up to", wanted, &joint, 0);
}

static void warn_of_time_limit(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double limit = nominal_of(build, scenario->time_limit), longest = 0;
    for (int i = 0; i < scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &scenario->program[i];
        longest += nominal_of(build, spec->until == GMC_END_TIME ? spec->duration : spec->at_most);
    }
    if (!(longest > limit)) return;
    gmc_diagnostics_add(build->report, GMC_OK, scenario->parameters[scenario->time_limit].source,
                        "raise simulation.time_limit",
                        "the program can last %g s, but after %g s a trial ends as unsolved",
                        longest, limit);
}

gmc_status gmc_build_program(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    GMC_TRY(gmc_build_fingers(build));
    build->phases = GMC_NEW(&build->arena, scenario->phase_count, gmc_phase);
    if (!build->phases) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->phase_count; i++) {
        GMC_TRY(bind_phase(build, &scenario->program[i], &build->phases[i]));
        warn_of_weak_drives(build, &scenario->program[i]);
        if (build->phases[i].type == GMC_PROGRAM_GRIP)
            warn_of_fast_fingers(build, &scenario->program[i]);
        else if (scenario->program[i].joint)
            warn_of_fast_moves(build, &scenario->program[i]);
    }
    warn_of_time_limit(build);
    return GMC_OK;
}

static gmc_vec3 vector_value(const double *values, const gmc_param param[3])
{
    return (gmc_vec3){gmc_build_value(values, param[0], 0), gmc_build_value(values, param[1], 0),
                      gmc_build_value(values, param[2], 0)};
}

void gmc_build_phase_values(const gmc_build *build, const double *values, gmc_phase *phases,
                            gmc_set *sets)
{
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &build->scenario->program[i];
        gmc_phase *phase = &phases[i];
        *phase = build->phases[i];
        phase->duration = gmc_build_value(values, spec->duration, 0);
        phase->at_most = gmc_build_value(values, spec->at_most, 0);
        phase->force = gmc_build_value(values, spec->force, 0);
        phase->position = gmc_build_value(values, spec->position, 0);
        phase->speed = gmc_build_value(values, spec->speed, INFINITY);
        phase->ramp = gmc_build_value(values, spec->ramp, DEFAULT_RAMP);
        phase->by = vector_value(values, spec->by);
        phase->axis = gmc_vec3_unit(vector_value(values, spec->axis));
        phase->frequency = gmc_build_value(values, spec->frequency, 0);
        phase->amount =
            spec->kind == GMC_PHASE_TURN ? gmc_build_value(values, spec->angle, 0)
            : spec->kind == GMC_PHASE_SHAKE
                ? gmc_build_value(values, spec->is_rotation ? spec->angle : spec->amplitude, 0)
            : spec->kind == GMC_PHASE_LIFT ? phase->by.z
                                           : phase->by.x;
        bool is_flat = build->scenario->world == GMC_WORLD_PLANAR;
        if (is_flat && spec->kind == GMC_PHASE_LIFT) phase->by = (gmc_vec3){0, phase->by.z, 0};
        phase->sets = sets;
        for (int k = 0; k < spec->set_count; k++) {
            *sets = build->phases[i].sets[k];
            (sets++)->value = values[spec->sets[k].value];
        }
    }
}
