// The program and what is asked of it: fingers, criteria with their measures and columns, the
// margin that follows from the criteria, phases. A measure that several criteria ask for, in the
// same way, is one column.
#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- fingers: what closing and opening mean -----------------------------------------------------
// Fingers: which joints `close` and `open` move, which way they close, and where that ends. What
// the scenario says goes before what its geometry says (engine/control/closing.h); nothing of it
// depends on where a trial starts.

// Limits are often rounded (1.57 for 90 degrees): a start is beyond one by more than this of the
// range, or it starts there.
static const double START_SLACK = 0.01;

static bool is_among_fingers(const gmc_robot_spec *hand, const char *joint)
{
    for (int i = 0; i < hand->finger_count; i++)
        if (strcmp(hand->fingers[i], joint) == 0) return true;
    return false;
}

static bool says_how(const gmc_joint_setting *joint)
{
    return joint->closes != 0 || joint->open >= 0 || joint->closed >= 0;
}

static bool is_bent(const gmc_build *build, int joint)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    if (gmc_build_geared_to(&build->hand, joint) >= 0) return false;
    if (gmc_build_driven_by(&build->hand, joint) >= 0) return false;
    if (hand->finger_count > 0) return is_among_fingers(hand, hand->joints[joint].joint);
    return says_how(&hand->joints[joint]) ||
           build->closings[build->hand.joint_dof[joint]].is_flexion;
}

static double nominal_or(const gmc_build *build, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : build->scenario->parameters[param].nominal;
}

/// Which way a joint closes, and who says so.
typedef struct direction {
    double sign;
    const char *by;
} direction;

static direction direction_of(const gmc_build *build, int joint)
{
    const gmc_joint_setting *setting = &build->scenario->hand.joints[joint];
    if (setting->closes != 0) return (direction){setting->closes, "closes"};
    double way = nominal_or(build, setting->closed, 0) - nominal_or(build, setting->open, 0);
    if (setting->open >= 0 && setting->closed >= 0 && way != 0)
        return (direction){way > 0 ? 1 : -1, "open and closed"};
    const gmc_closing *closing = &build->closings[build->hand.joint_dof[joint]];
    return (direction){closing->sign, closing->sign != 0 ? "geometry" : NULL};
}

/// Does the joint's direction matter to a phase?
static bool is_asked(const gmc_build *build, const gmc_joint_setting *joint)
{
    const gmc_scenario *scenario = build->scenario;
    for (int i = 0; i < scenario->phase_count; i++) {
        const gmc_phase_spec *phase = &scenario->program[i];
        bool is_close = phase->kind == GMC_PHASE_CLOSE;
        if ((!is_close && phase->kind != GMC_PHASE_OPEN) || phase->position >= 0) continue;
        if (phase->force >= 0 || (is_close ? joint->closed : joint->open) < 0) return true;
    }
    return false;
}

static void report_doubt(const gmc_build *build, int joint)
{
    static const char *const WHY[] = {
        [GMC_CLOSING_TOLD] = "",
        [GMC_CLOSING_CARRIES] = "it carries the palm and all fingers",
        [GMC_CLOSING_NOTHING] = "no link that it moves has a collision shape",
        [GMC_CLOSING_SIDEWAYS] =
            "what it moves comes nearer to the middle of the hand in neither direction",
        [GMC_CLOSING_DISPUTED] = "the middle of the hand, the tool point (hand.frame) and the "
                                 "surfaces that face what it slides do not tell one direction",
        [GMC_CLOSING_AT_ODDS] = "of the fingers that it moves one comes nearer to the middle of "
                                "the hand as another goes away"};
    const gmc_robot_spec *hand = &build->scenario->hand;
    const gmc_joint_setting *setting = &hand->joints[joint];
    char hint[400];
    snprintf(hint, sizeof hint,
             "under hand.joints.%.80s write  closes: upper  (its motion towards %.4g closes) or  "
             "closes: lower  (towards %.4g)%s",
             setting->joint, build->models[0].dofs[build->hand.joint_dof[joint]].upper,
             build->models[0].dofs[build->hand.joint_dof[joint]].lower,
             hand->finger_count > 0 ? ", or leave it out of hand.fingers" : "");
    gmc_diagnostics_add(build->report, GMC_E_INPUT, hand->source, hint,
                        "which way joint %s closes cannot be told: %s", setting->joint,
                        WHY[build->closings[build->hand.joint_dof[joint]].doubt]);
}

static bool is_slide(const gmc_build *build, const gmc_build_robot *robot, int joint)
{
    return build->models[0].bodies[robot->joint_body[joint]].joint == GMC_JOINT_PRISMATIC;
}

/// "60 mm", "-12.5 deg".
static const char *place_text(bool slides, double x, char text[32])
{
    snprintf(text, 32, "%.6g %s", slides ? 1e3 * x : x * 180 / GMC_PI, slides ? "mm" : "deg");
    return text;
}

/// A position that the scenario says of a robot's joint.
typedef struct said_position {
    const gmc_build_robot *robot;
    int joint;
    const char *key;
    gmc_param param;
} said_position;

// What is drawn beyond the limits starts at them.
static void warn_of_drawn_position(const gmc_build *build, const said_position *at)
{
    const gmc_parameter *p = &build->scenario->parameters[at->param];
    const gmc_dof *dof = &build->models[0].dofs[at->robot->joint_dof[at->joint]];
    double share = gmc_resolve_share_outside(build->scenario, at->param, dof->lower, dof->upper);
    bool slides = is_slide(build, at->robot, at->joint);
    char text[2][32];
    if (share == 0) return;
    gmc_diagnostics_add(build->report, GMC_OK, p->source, "the limit is taken",
                        "%s.%s.%s: %.3g %% of the draws are outside of the limits %s to %s",
                        at->robot->spec->path, at->robot->spec->joints[at->joint].joint, at->key,
                        100 * share, place_text(slides, dof->lower, text[0]),
                        place_text(slides, dof->upper, text[1]));
}

// A position of the scenario must lie within the joint's limits, which often are rounded: of what
// is off by no more than `slack` of the range it is said that the limit is taken.
static void check_position(const gmc_build *build, const said_position *at, double slack)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_robot_spec *spec = at->robot->spec;
    const gmc_dof *dof = &build->models[0].dofs[at->robot->joint_dof[at->joint]];
    if (at->param < 0 || scenario->parameters[at->param].is_stand_in) return;
    double lowest, highest, room = 1e-9;
    gmc_resolve_nominal_range(scenario, at->param, &lowest, &highest);
    double x = dof->lower - lowest > highest - dof->upper ? lowest : highest;
    room *= 1 + fabs(x);
    double beyond = fmax(dof->lower - x, x - dof->upper);
    if (beyond <= room) {
        warn_of_drawn_position(build, at);
        return;
    }
    bool is_near = beyond <= slack * (dof->upper - dof->lower);
    bool slides = is_slide(build, at->robot, at->joint);
    char text[3][32], hint[200];
    snprintf(hint, sizeof hint,
             "without unit it is in m or rad; %.80s.<joint>.lower and upper set other limits than "
             "the URDF's",
             spec->path);
    gmc_diagnostics_add(
        build->report, is_near ? GMC_OK : GMC_E_INPUT, scenario->parameters[at->param].source,
        is_near ? "the limit is taken" : hint, "%s.%s.%s: %s is outside of the limits %s to %s",
        spec->path, spec->joints[at->joint].joint, at->key, place_text(slides, x, text[0]),
        place_text(slides, dof->lower, text[1]), place_text(slides, dof->upper, text[2]));
}

// Starts of the joints of robots, and of the hand's. A clutch's follower starts where its leader
// has it.
static void check_starts(const gmc_build *build, const gmc_build_robot *robot)
{
    for (int i = 0; i < robot->spec->joint_count && robot->has; i++) {
        bool is_set = robot == &build->hand || gmc_build_geared_to(robot, i) < 0;
        const said_position at = {robot, i, "start", robot->spec->joints[i].start};
        if (robot->joint_dof[i] >= 0 && is_set) check_position(build, &at, START_SLACK);
    }
}

// What is said of how a joint closes must fit together.
static void check_said(const gmc_build *build, int joint)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    const gmc_joint_setting *setting = &hand->joints[joint];
    if (!says_how(setting)) return;
    check_position(build, &(said_position){&build->hand, joint, "open", setting->open}, 0);
    check_position(build, &(said_position){&build->hand, joint, "closed", setting->closed}, 0);
    if (hand->finger_count > 0 && !is_among_fingers(hand, setting->joint))
        gmc_diagnostics_add(build->report, GMC_E_INPUT, setting->source,
                            "add it to hand.fingers, or leave closes, open and closed out",
                            "joint %s is none of hand.fingers: how it closes means nothing",
                            setting->joint);
    double way = nominal_or(build, setting->closed, 0) - nominal_or(build, setting->open, 0);
    if (setting->open < 0 || setting->closed < 0) return;
    if (way == 0)
        gmc_diagnostics_add(
            build->report, GMC_E_INPUT, setting->source, "open and closed are two positions",
            "hand.%s.open and hand.%s.closed are the same", setting->joint, setting->joint);
    else if (setting->closes != 0 && way * setting->closes < 0)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, setting->closes_at,
                            "leave closes out: open and closed say it",
                            "hand.%s.closes: %s, but from open to closed the joint moves towards "
                            "its %s limit",
                            setting->joint, setting->closes > 0 ? "upper" : "lower",
                            way > 0 ? "upper" : "lower");
}

// A finger whose open position is its closed one, or that starts where it closes and is opened by
// no phase before, does nothing in `close`.
static void check_travel(const gmc_build *build, int joint)
{
    static const double NONE = 1e-9; // [m, rad]
    static const gmc_diagnostic_kind STILL = {.what = "no way to close:", .noun = "joints"};
    const gmc_scenario *scenario = build->scenario;
    const gmc_joint_setting *setting = &scenario->hand.joints[joint];
    gmc_build_joint_facts facts;
    int first = 0;
    while (first < scenario->phase_count && scenario->program[first].kind != GMC_PHASE_CLOSE)
        first++;
    if (first == scenario->phase_count || !gmc_build_joint(build, joint, &facts)) return;
    const gmc_phase_spec *close = &scenario->program[first];
    bool is_told = setting->open >= 0 && setting->closed >= 0; // check_said
    bool is_nothing = fabs(facts.open - facts.closed) <= NONE && !is_told;
    double end = close->position >= 0 ? nominal_or(build, close->position, 0)
                 : close->force >= 0  ? (facts.closes > 0 ? facts.upper : facts.lower)
                                      : facts.closed;
    bool is_there = first == 0 && facts.closes != 0 && fabs(facts.start - end) <= NONE;
    char text[32];
    if (!is_nothing && !is_there) return;
    bool is_said = setting->start >= 0 && !scenario->parameters[setting->start].is_default;
    gmc_diagnostics_warn(
        build->report,
        setting->closes != 0           ? setting->closes_at
        : is_said || says_how(setting) ? setting->source
                                       : scenario->hand.source,
        (gmc_diagnostic_subject){&STILL, setting->joint},
        "look at start, open, closed and closes under hand.joints.<joint>",
        is_nothing ? "no way to close: joint %s is open and closed at %s"
                   : "no way to close: joint %s starts at %s, where phase %s ends",
        setting->joint,
        place_text(is_slide(build, &build->hand, joint), is_nothing ? facts.open : end, text),
        close->name);
}

static void check_fingers(const gmc_build *build)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->finger_count; i++) {
        bool is_known = false;
        for (int k = 0; k < hand->joint_count; k++)
            if (build->hand.joint_dof[k] >= 0 &&
                strcmp(hand->joints[k].joint, hand->fingers[i]) == 0)
                is_known = true;
        for (int k = 0; k < hand->drive_count; k++)
            is_known = is_known || strcmp(hand->drives[k].name, hand->fingers[i]) == 0;
        if (is_known) continue;
        gmc_nearest nearest = gmc_nearest_start(hand->fingers[i]);
        for (int k = 0; k < hand->joint_count; k++)
            if (build->hand.joint_dof[k] >= 0) gmc_nearest_offer(&nearest, hand->joints[k].joint);
        const gmc_node *list =
            gmc_node_find(gmc_node_find(build->scenario->tree, "hand"), "fingers");
        const gmc_node *item = list ? list->first : NULL;
        for (int k = 0; k < i && item; k++)
            item = item->next;
        char hint[256];
        gmc_build_joint_names(&build->hand, hint, sizeof hint);
        if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.120s?", nearest.best);
        gmc_diagnostics_add(build->report, GMC_E_INPUT, item ? item->source : hand->source, hint,
                            "hand.fingers: there is no joint %s to move", hand->fingers[i]);
    }
}

/// Every joint of a coupled group gives the force asked for, so the drive gives their sum.
typedef struct group {
    double ratios; ///< sum of their sizes
    int joints;
} group;

static group group_of(const gmc_model *model, int dof)
{
    group found = {0};
    for (int b = 1; b < model->body_count; b++) {
        if (model->bodies[b].v != dof || gmc_joint_v_count(model->bodies[b].joint) != 1) continue;
        found.ratios += fabs(model->bodies[b].ratio);
        found.joints++;
    }
    return found;
}

// Fingers that hang on a drive of several joints: the joints bend as one, the drive closes them.

// A joint of a drive, in the hand's settings; -1: of a scenario with mistakes.
static int joint_of(const gmc_build *build, const gmc_drive_spec *drive, int k)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, drive->joints[k]) == 0 && build->hand.joint_dof[i] >= 0)
            return i;
    return -1;
}

static bool has_its_joints(const gmc_build *build, const gmc_drive_spec *drive)
{
    bool has = drive->joint_count > 0;
    for (int k = 0; k < drive->joint_count; k++)
        has = has && joint_of(build, drive, k) >= 0;
    return has;
}

static direction drive_direction(const gmc_build *build, const gmc_drive_spec *drive)
{
    double way = nominal_or(build, drive->closed, 0) - nominal_or(build, drive->open, 0), sign = 0;
    if (drive->closes != 0) return (direction){drive->closes, "closes"};
    if (drive->open >= 0 && drive->closed >= 0 && way != 0)
        return (direction){way > 0 ? 1 : -1, "open and closed"};
    for (int k = 0; k < drive->joint_count; k++) {
        int dof = build->hand.joint_dof[joint_of(build, drive, k)];
        double of = build->closings[dof].sign * nominal_or(build, drive->shares[k], 1);
        if (of == 0) continue;
        if (sign * of < 0) return (direction){0, NULL};
        sign = of > 0 ? 1 : -1;
    }
    return (direction){sign, sign != 0 ? "geometry" : NULL};
}

static bool is_drive_bent(const gmc_build *build, const gmc_drive_spec *drive)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    bool is = drive->closes != 0 || drive->open >= 0 || drive->closed >= 0;
    if (hand->finger_count > 0) return is_among_fingers(hand, drive->name);
    for (int k = 0; k < drive->joint_count; k++)
        is = is || build->closings[build->hand.joint_dof[joint_of(build, drive, k)]].is_flexion;
    return is;
}

// Where a finger is open and closed: as the scenario says, else its limits, where it can be told
// which of them closes.
static void put_ends(const gmc_build *build, gmc_param open, gmc_param closed,
                     gmc_build_joint_facts *facts)
{
    bool is_told = facts->closes != 0, is_down = facts->closes < 0;
    facts->open = nominal_or(build, open,
                             !is_told  ? (double)NAN
                             : is_down ? facts->upper
                                       : facts->lower);
    facts->closed = nominal_or(build, closed,
                               !is_told  ? (double)NAN
                               : is_down ? facts->lower
                                         : facts->upper);
    facts->is_open_given = open >= 0;
    facts->is_closed_given = closed >= 0;
}

static bool drive_facts(const gmc_build *build, const gmc_drive_spec *drive,
                        gmc_build_joint_facts *facts)
{
    const gmc_model *model = &build->models[0];
    if (!has_its_joints(build, drive)) return false;
    direction closes = drive_direction(build, drive);
    *facts = (gmc_build_joint_facts){.name = drive->name,
                                     .is_finger = is_drive_bent(build, drive),
                                     .closes = closes.sign,
                                     .closes_by = closes.by,
                                     .max_force = nominal_or(build, drive->max_force, INFINITY),
                                     .max_speed = INFINITY,
                                     .share = nominal_or(build, drive->share, 1),
                                     .coupled = 1,
                                     .moved = 1};
    for (int k = 0; k < drive->joint_count; k++) {
        int i = joint_of(build, drive, k);
        const gmc_body *body = &model->bodies[build->hand.joint_body[i]];
        const gmc_dof *dof = &model->dofs[build->hand.joint_dof[i]];
        double share = nominal_or(build, drive->shares[k], 1);
        facts->is_slide = body->joint == GMC_JOINT_PRISMATIC;
        facts->start += share * model->q_start[body->q];
        facts->lower += share * (share > 0 ? dof->lower : dof->upper);
        facts->upper += share * (share > 0 ? dof->upper : dof->lower);
    }
    put_ends(build, drive->open, drive->closed, facts);
    return true;
}

// Does the direction of a drive matter to a phase?
static bool is_drive_asked(const gmc_build *build, const gmc_drive_spec *drive)
{
    const gmc_joint_setting ends = {.open = drive->open, .closed = drive->closed};
    return is_asked(build, &ends);
}

static void bend_drives(gmc_build *build)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    if (!build->hand.has) return;
    for (int k = 0; k < hand->drive_count; k++) {
        const gmc_drive_spec *drive = &hand->drives[k];
        if (!has_its_joints(build, drive) || !is_drive_bent(build, drive)) continue;
        double sign = drive_direction(build, drive).sign;
        if (sign == 0 && is_drive_asked(build, drive))
            gmc_diagnostics_add(build->report, GMC_E_INPUT, drive->source,
                                "write  closes: upper  or  closes: lower  under it",
                                "which way drive %s closes cannot be told: its joints do not say "
                                "it, or not all the same",
                                drive->name);
        build->fingers[build->finger_count++] =
            (gmc_finger){.dof = build->models[0].dof_count + build->hand.first_drive + k,
                         .closing = sign,
                         .drive = 1};
    }
}

static gmc_status find_closings(gmc_build *build)
{
    const gmc_model *model = &build->models[0];
    // that a hand without a frame has its root link for one says nothing of how it closes
    const gmc_closing_hand hand = {build->hand.base_body,
                                   build->hand.spec->frame ? build->tool_frame : -1};
    build->closings = GMC_NEW(&build->arena, model->dof_count, gmc_closing);
    if (!build->closings) return GMC_E_ARENA_FULL;
    if (build->hand.base_body < 0) return GMC_OK;
    size_t mark = gmc_arena_mark(&build->arena);
    GMC_TRY(gmc_closing_find(model, &hand, &build->arena, build->closings));
    gmc_arena_reset(&build->arena, mark);
    return GMC_OK;
}

// A number of a phase that moves the fingers is of their kind.
static void settle(const gmc_build *build, gmc_param param, gmc_dimension slide, gmc_dimension turn,
                   bool slides, bool turns)
{
    if (param < 0 || slides == turns) return;
    gmc_scenario_settle(build->scenario, param, slides ? slide : turn, build->report);
}

static void settle_phases(const gmc_build *build, bool slides, bool turns)
{
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *phase = &build->scenario->program[i];
        if (phase->kind != GMC_PHASE_CLOSE && phase->kind != GMC_PHASE_OPEN) continue;
        settle(build, phase->force, GMC_DIM_FORCE, GMC_DIM_TORQUE, slides, turns);
        settle(build, phase->position, GMC_DIM_LENGTH, GMC_DIM_ANGLE, slides, turns);
        settle(build, phase->speed, GMC_DIM_SPEED, GMC_DIM_ANGULAR_SPEED, slides, turns);
    }
}

// A number of a phase that moves one joint, or a drive of several, is of its kind.
static void settle_joint(const gmc_build *build, const char *joint, gmc_param param)
{
    int index;
    const gmc_build_robot *robot = gmc_build_find_joint(build, joint, &index);
    const char *slash = strchr(joint, '/'), *name = slash ? slash + 1 : joint;
    if (!robot) return; // reported later, as what is not found
    for (int i = 0; i < robot->spec->drive_count; i++)
        if (strcmp(robot->spec->drives[i].name, name) == 0 && robot->spec->drives[i].joint_count)
            name = robot->spec->drives[i].joints[0];
    int k = gmc_urdf_find_joint(&robot->urdf, name);
    if (k < 0) return;
    bool slides = robot->urdf.joints[k].kind == GMC_URDF_PRISMATIC;
    settle(build, param, GMC_DIM_LENGTH, GMC_DIM_ANGLE, slides, !slides);
}

static void settle_joints(const gmc_build *build)
{
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *phase = &build->scenario->program[i];
        if (phase->joint && phase->kind == GMC_PHASE_MOVE)
            settle_joint(build, phase->joint, phase->by[0]);
        if (phase->joint && phase->kind == GMC_PHASE_SHAKE)
            settle_joint(build, phase->joint, phase->amplitude);
        for (int g = 0; g < phase->goal_count; g++) {
            const gmc_goal_spec *goal = &phase->goals[g];
            settle_joint(build, goal->joint, goal->to);
            for (int k = 0; k < goal->through.count; k++)
                settle_joint(build, goal->joint, goal->through.knots[2 * k + 1]);
        }
    }
}

void gmc_build_settle_phases(const gmc_build *build)
{
    settle_joints(build);
    const gmc_robot_spec *hand = &build->scenario->hand;
    bool slides = false, turns = false;
    for (int i = 0; i < hand->joint_count; i++) {
        const gmc_joint_setting *joint = &hand->joints[i];
        if (hand->finger_count > 0 && !is_among_fingers(hand, joint->joint)) continue;
        int k = gmc_urdf_find_joint(&build->hand.urdf, joint->joint);
        if (k < 0) continue;
        if (build->hand.urdf.joints[k].kind == GMC_URDF_PRISMATIC)
            slides = true;
        else
            turns = true;
    }
    for (int i = 0; i < hand->drive_count; i++) {
        const gmc_drive_spec *drive = &hand->drives[i];
        if (hand->finger_count > 0 && !is_among_fingers(hand, drive->name)) continue;
        int k =
            drive->joint_count > 0 ? gmc_urdf_find_joint(&build->hand.urdf, drive->joints[0]) : -1;
        if (k < 0) continue;
        *(build->hand.urdf.joints[k].kind == GMC_URDF_PRISMATIC ? &slides : &turns) = true;
    }
    settle_phases(build, slides, turns);
}

// With fingers of both kinds a unit fits some of them alone.
static void check_units(const gmc_build *build)
{
    bool slides = false, turns = false;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        if (build->hand.joint_dof[i] < 0 || !is_bent(build, i)) continue;
        if (is_slide(build, &build->hand, i))
            slides = true;
        else
            turns = true;
    }
    for (int i = build->scenario->hand.joint_count; i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts drive;
        if (!gmc_build_joint(build, i, &drive) || !drive.is_finger) continue;
        *(drive.is_slide ? &slides : &turns) = true;
    }
    settle_phases(build, slides, turns);
    if (!slides || !turns) return;
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *phase = &build->scenario->program[i];
        if (phase->kind != GMC_PHASE_CLOSE && phase->kind != GMC_PHASE_OPEN) continue;
        const struct {
            gmc_param param;
            gmc_dimension open;
        } numbers[] = {{phase->force, GMC_DIM_JOINT_FORCE},
                       {phase->position, GMC_DIM_JOINT_POSITION},
                       {phase->speed, GMC_DIM_JOINT_SPEED}};
        for (int k = 0; k < GMC_COUNT(numbers); k++) {
            if (numbers[k].param < 0) continue;
            const gmc_parameter *p = &build->scenario->parameters[numbers[k].param];
            if (p->dimension == numbers[k].open) continue;
            gmc_diagnostics_add(build->report, GMC_E_INPUT, p->source,
                                "write the number without a unit (SI), or move the kinds in phases "
                                "of other scenarios: hand.fingers names joints",
                                "%s: %s, but some fingers slide and some turn", p->path,
                                gmc_units_noun(p->dimension));
        }
    }
}

static bool is_beyond(const gmc_build *build, int joint, double x)
{
    const gmc_dof *dof = &build->models[0].dofs[build->hand.joint_dof[joint]];
    return fmax(dof->lower - x, x - dof->upper) > 1e-9 * (1 + fabs(x));
}

// One position goes to all fingers: the first that cannot take it is told.
static void check_phase_positions(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    for (int i = 0; i < scenario->phase_count; i++) {
        gmc_param param = scenario->program[i].position;
        if (param < 0 || scenario->parameters[param].is_stand_in) continue;
        double x = nominal_or(build, param, 0);
        int first = -1, count = 0;
        for (int k = 0; k < scenario->hand.joint_count; k++) {
            if (build->hand.joint_dof[k] < 0 || !is_bent(build, k) || !is_beyond(build, k, x))
                continue;
            if (count++ == 0) first = k;
        }
        if (count == 0) continue;
        const gmc_dof *dof = &build->models[0].dofs[build->hand.joint_dof[first]];
        bool slides = is_slide(build, &build->hand, first);
        char text[3][32], others[48] = "";
        if (count > 1) snprintf(others, sizeof others, ", and of those of %d more", count - 1);
        gmc_diagnostics_add(
            build->report, GMC_E_INPUT, scenario->parameters[param].source,
            "write a position that every finger can take; without `position` and `force` each "
            "goes to its own hand.joints.<joint>.closed or open",
            "%s: %s is outside of the limits %s to %s of joint %s%s",
            scenario->parameters[param].path, place_text(slides, x, text[0]),
            place_text(slides, dof->lower, text[1]), place_text(slides, dof->upper, text[2]),
            scenario->hand.joints[first].joint, others);
    }
}

// Fingers of the compiled models, with every mistake in how they close.
// @return GMC_OK (also with reports), GMC_E_ARENA_FULL
static gmc_status build_fingers(gmc_build *build)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    GMC_TRY(find_closings(build));
    build->fingers = GMC_NEW(&build->arena, hand->joint_count + hand->drive_count, gmc_finger);
    if (!build->fingers) return GMC_E_ARENA_FULL;
    check_starts(build, &build->hand);
    for (int i = 0; i < hand->joint_count; i++) {
        int dof = build->hand.joint_dof[i];
        if (dof < 0) continue;
        check_said(build, i);
        if (!is_bent(build, i)) continue;
        double sign = direction_of(build, i).sign;
        if (sign == 0 && is_asked(build, &hand->joints[i])) report_doubt(build, i);
        check_travel(build, i);
        build->fingers[build->finger_count++] =
            (gmc_finger){.dof = dof, .closing = sign, .drive = group_of(model, dof).ratios};
    }
    bend_drives(build);
    check_fingers(build);
    check_units(build);
    check_phase_positions(build);
    return GMC_OK;
}

double gmc_build_end(const gmc_build *build, const double *values, int joint, bool is_closed,
                     const gmc_model *model)
{
    const gmc_joint_setting *setting = &build->scenario->hand.joints[joint];
    const gmc_dof *dof = &model->dofs[build->hand.joint_dof[joint]];
    double sign = direction_of(build, joint).sign * (is_closed ? 1 : -1);
    double limit = sign > 0 ? dof->upper : sign < 0 ? dof->lower : (double)NAN;
    return gmc_build_value(values, is_closed ? setting->closed : setting->open, limit);
}

int gmc_build_joint_count(const gmc_build *build)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    return hand->joint_count + (build->hand.has ? hand->drive_count : 0);
}

bool gmc_build_joint(const gmc_build *build, int joint, gmc_build_joint_facts *facts)
{
    int drive = joint - build->scenario->hand.joint_count;
    if (drive >= 0) return drive_facts(build, &build->scenario->hand.drives[drive], facts);
    const gmc_joint_setting *setting = &build->scenario->hand.joints[joint];
    int k = build->hand.joint_dof[joint];
    if (k < 0 || gmc_build_geared_to(&build->hand, joint) >= 0) return false;
    if (gmc_build_driven_by(&build->hand, joint) >= 0) return false;
    const gmc_model *model = &build->models[0];
    const gmc_body *body = &model->bodies[build->hand.joint_body[joint]];
    const gmc_dof *dof = &model->dofs[k];
    direction closes = direction_of(build, joint);
    group coupled = group_of(model, k);
    *facts = (gmc_build_joint_facts){.name = setting->joint,
                                     .is_slide = body->joint == GMC_JOINT_PRISMATIC,
                                     .is_finger = is_bent(build, joint),
                                     .closes = closes.sign,
                                     .closes_by = closes.by,
                                     .start = model->q_start[body->q],
                                     .lower = dof->lower,
                                     .upper = dof->upper,
                                     .max_force = dof->max_force,
                                     .max_speed = dof->max_speed,
                                     .share = nominal_or(build, setting->share, 1),
                                     .coupled = coupled.ratios,
                                     .moved = coupled.joints};
    put_ends(build, setting->open, setting->closed, facts);
    return true;
}

// ---- criteria, measures and columns -------------------------------------------------------------
// Criteria as postfix programs over asked measures, and the columns that every trial fills. A
// measure in an `at_end` criterion is stored as it was at the end, one in an `always` criterion as
// the worst it ever was, so that other thresholds can be applied to a finished run. Each criterion
// reads the entry of its own kind: those of the end are evaluated once, at the end.

enum {
    ASKED_MAX = 256
}; ///< measures of all criteria together; far beyond what a page of criteria holds

typedef struct asking {
    gmc_build *build;
    gmc_diagnostics *report;
    gmc_measure measures[ASKED_MAX];
    gmc_statistic statistics[ASKED_MAX];
    const gmc_expression *asked_by[ASKED_MAX];
    int count;
    int from, at; ///< of the criterion that is looked at
} asking;

// A robot is all its links: it can be touched, but it is nowhere.
static int body_of_robot(const asking *ask, const gmc_expression *measure, int robot)
{
    if (measure->measure == GMC_MEASURE_CONTACT || measure->measure == GMC_MEASURE_FORCE)
        return GMC_BODY_ROBOT - robot;
    gmc_diagnostics_add(ask->report, GMC_E_INPUT, measure->source,
                        "contact and force speak of robots; a place on one is that of a hand",
                        "%s: a robot is no single body", ask->build->robots[robot].spec->name);
    return -1;
}

// Body of a measure's argument; GMC_BODY_HAND for the hand, -1 (reported) for what is not there.
static int body_of(const asking *ask, const gmc_expression *measure, const char *name)
{
    const gmc_build *build = ask->build;
    if (strcmp(name, "object") == 0) return build->object_body;
    for (int i = 0; i < build->scenario->object_count; i++)
        if (strcmp(name, build->scenario->objects[i].name) == 0) return build->object_body;
    for (int i = 0; i < build->scenario->scene_count; i++)
        if (strcmp(name, build->scenario->scene[i].name) == 0) return build->scene[i].body;
    if (strcmp(name, "hand") == 0 && build->hand.base_body >= 0) return GMC_BODY_HAND;
    for (int i = 0; i < build->scenario->robot_count; i++)
        if (strcmp(name, build->robots[i].spec->name) == 0) return body_of_robot(ask, measure, i);
    gmc_diagnostics_add(ask->report, GMC_E_INPUT, measure->source, NULL,
                        "there is no %s to measure", name);
    return -1;
}

static gmc_measure bind_measure(const asking *ask, const gmc_expression *expression)
{
    gmc_measure measure = {.kind = expression->measure,
                           .b = GMC_BODY_WORLD,
                           .since = expression->since,
                           .from = ask->from,
                           .at = ask->at,
                           .of_a = expression->of_a,
                           .in_b = expression->in_b};
    measure.a = body_of(ask, expression, expression->bodies[0]);
    if (expression->bodies[1]) measure.b = body_of(ask, expression, expression->bodies[1]);
    return measure;
}

static bool is_same_vector(gmc_vec3 a, gmc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_same(const gmc_measure *a, const gmc_measure *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && is_same_vector(a->of_a, b->of_a) &&
           is_same_vector(a->in_b, b->in_b) && a->since == b->since && a->from == b->from &&
           a->at == b->at;
}

static int find_measure(const asking *ask, const gmc_measure *measure, bool is_at_end)
{
    for (int i = 0; i < ask->count; i++)
        if (is_same(&ask->measures[i], measure) &&
            (ask->statistics[i] == GMC_STAT_END) == is_at_end)
            return i;
    return 0; // too many measures, which was reported
}

static void add_measure(asking *ask, const gmc_expression *expression, gmc_statistic statistic)
{
    gmc_measure measure = bind_measure(ask, expression);
    for (int i = 0; i < ask->count; i++)
        if (is_same(&ask->measures[i], &measure) && ask->statistics[i] == statistic) return;
    if (ask->count == ASKED_MAX) {
        gmc_diagnostics_add(ask->report, GMC_E_LIMIT, expression->source, NULL,
                            "more than %d different measures in the criteria", ASKED_MAX);
        return;
    }
    ask->measures[ask->count] = measure;
    ask->statistics[ask->count] = statistic;
    ask->asked_by[ask->count++] = expression;
}

/// Which way of a value endangers an `always` criterion.
typedef enum danger { DANGER_LARGE, DANGER_SMALL, DANGER_BOTH } danger;

static danger opposite(danger side)
{
    return side == DANGER_LARGE ? DANGER_SMALL : side == DANGER_SMALL ? DANGER_LARGE : DANGER_BOTH;
}

// Ask for every measure below an expression, with the statistic that tells how near it came to
// failing.
static void ask_always(asking *ask, const gmc_expression *e, danger side)
{
    switch (e->op) {
    case GMC_OP_NUMBER:
        return;
    case GMC_OP_MEASURE:
        if (side != DANGER_SMALL) add_measure(ask, e, GMC_STAT_MAX);
        if (side != DANGER_LARGE) add_measure(ask, e, GMC_STAT_MIN);
        return;
    case GMC_OP_ADD:
    case GMC_OP_AND:
    case GMC_OP_OR:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, side);
        return;
    case GMC_OP_SUBTRACT:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, opposite(side));
        return;
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE:
    case GMC_OP_MIN: // functions are the formulas'
    case GMC_OP_MAX:
        ask_always(ask, e->left, DANGER_BOTH);
        ask_always(ask, e->right, DANGER_BOTH);
        return;
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
        ask_always(ask, e->left, DANGER_BOTH);
        return;
    case GMC_OP_NEGATE:
    case GMC_OP_NOT:
        ask_always(ask, e->left, opposite(side));
        return;
    // a comparison is true or false; true is large, and its falling is the danger
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
        ask_always(ask, e->left, opposite(side));
        ask_always(ask, e->right, side);
        return;
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, opposite(side));
        return;
    }
}

static void ask_end(asking *ask, const gmc_expression *e)
{
    if (!e) return;
    if (e->op == GMC_OP_MEASURE) add_measure(ask, e, GMC_STAT_END);
    ask_end(ask, e->left);
    ask_end(ask, e->right);
}

// The column of a measure of a criterion: as it was at the end, or the largest or smallest it ever
// was, as its criterion asks for.
static int column_of(gmc_build *build, const gmc_expression *e, gmc_statistic statistic, int from,
                     int at)
{
    const asking ask = {.build = build, .report = build->report, .from = from, .at = at};
    const gmc_measure_plan *plan = &build->plan;
    gmc_measure measure = bind_measure(&ask, e);
    for (int i = 0; i < plan->asked_count; i++)
        if (is_same(&plan->asked[i], &measure) && plan->statistics[i] == statistic)
            return GMC_COLUMN_FIXED_COUNT + i;
    return 0; // too many measures, which was reported
}

static gmc_criterion_node *emit(const asking *ask, const gmc_expression *e, bool is_at_end,
                                gmc_criterion_node *node)
{
    if (e->left) node = emit(ask, e->left, is_at_end, node);
    if (e->right) node = emit(ask, e->right, is_at_end, node);
    *node = (gmc_criterion_node){.op = e->op, .number = e->number};
    if (e->op == GMC_OP_MEASURE) {
        gmc_measure measure = bind_measure(ask, e);
        node->measure = find_measure(ask, &measure, is_at_end);
    }
    return node + 1;
}

static gmc_status compile_list(asking *ask, const gmc_criterion *list, int count, bool is_at_end,
                               const gmc_compiled_criterion **made)
{
    gmc_arena *arena = &ask->build->arena;
    gmc_compiled_criterion *compiled = GMC_NEW(arena, count, gmc_compiled_criterion);
    if (!compiled) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++) {
        int nodes = gmc_expression_size(list[i].expression);
        gmc_criterion_node *node = GMC_NEW(arena, nodes, gmc_criterion_node);
        if (!node) return GMC_E_ARENA_FULL;
        ask->from = list[i].from;
        ask->at = list[i].at;
        emit(ask, list[i].expression, is_at_end, node);
        compiled[i] = (gmc_compiled_criterion){node, nodes, list[i].from};
    }
    *made = compiled;
    return GMC_OK;
}

// "max(slip(object, hand))", "distance(object, [300 mm, 0 mm, 25 mm])": as a criterion writes it.
static const char *column_name(const asking *ask, int i)
{
    const gmc_expression *e = ask->asked_by[i];
    int from = ask->measures[i].from, at = ask->measures[i].at;
    const char *measure = gmc_measure_infos[e->measure].name;
    const char *open = ask->statistics[i] == GMC_STAT_MAX   ? "max("
                       : ask->statistics[i] == GMC_STAT_MIN ? "min("
                                                            : "";
    gmc_text name = {0};
    gmc_text_add(&name, "%s%s(", open, measure);
    for (int k = 0; k < GMC_MEASURE_ARGUMENTS && e->arguments[k]; k++)
        gmc_text_add(&name, "%s%s", k > 0 ? ", " : "", e->arguments[k]);
    gmc_text_add(&name, ")");
    if (from > 0) gmc_text_add(&name, " from %s", ask->build->scenario->program[from - 1].name);
    if (at > 0) gmc_text_add(&name, " at %s", ask->build->scenario->program[at - 1].name);
    if (*open) gmc_text_add(&name, ")");
    const char *kept = name.has_failed ? NULL : gmc_arena_text(&ask->build->arena, name.bytes);
    gmc_text_free(&name);
    return kept;
}

static gmc_status pair_columns(gmc_build *build, int i, gmc_column *column)
{
    const gmc_friction_spec *pair = &build->scenario->frictions[i];
    char name[256];
    snprintf(name, sizeof name, "friction_needed(%s/%s)", pair->a, pair->b);
    column[0] = (gmc_column){
        .name = gmc_arena_text(&build->arena, name),
        .unit = "1",
        .about = "largest ratio of tangential to normal impulse over 8 ms that two bodies used",
        .kind = GMC_COLUMN_REAL};
    snprintf(name, sizeof name, "slipped(%s/%s)", pair->a, pair->b);
    column[1] = (gmc_column){.name = gmc_arena_text(&build->arena, name),
                             .unit = "1",
                             .about = "most of what two bodies pressed with slid, over 8 ms",
                             .kind = GMC_COLUMN_FLAG};
    return column[0].name && column[1].name ? GMC_OK : GMC_E_ARENA_FULL;
}

/// What a column holds: the measure, and at which of its times. NULL: the arena is full.
static const char *about_of(const asking *ask, int index)
{
    static const char *const WHEN[] = {[GMC_STAT_END] = "at the end",
                                       [GMC_STAT_MAX] = "the largest of all times",
                                       [GMC_STAT_MIN] = "the smallest of all times"};
    char text[500];
    int from = ask->measures[index].from, at = ask->measures[index].at;
    if (at > 0) {
        snprintf(text, sizeof text, "%s: at the end of phase %.80s",
                 gmc_measure_infos[ask->measures[index].kind].about,
                 ask->build->scenario->program[at - 1].name);
        return gmc_arena_text(&ask->build->arena, text);
    }
    int used =
        snprintf(text, sizeof text, "%s: %s", gmc_measure_infos[ask->measures[index].kind].about,
                 WHEN[ask->statistics[index]]);
    if (from > 0)
        snprintf(text + used, sizeof text - (size_t)used, " from the end of phase %.80s on",
                 ask->build->scenario->program[from - 1].name);
    return gmc_arena_text(&ask->build->arena, text);
}

const gmc_column gmc_build_weight_column = {
    .name = "weight",
    .unit = "1",
    .about = "true density of the draw over that which it came from",
    .kind = GMC_COLUMN_REAL};

static gmc_status make_columns(const asking *ask)
{
    gmc_build *build = ask->build;
    gmc_measure_plan *plan = &build->plan;
    bool is_weighted = build->scenario->is_weighted;
    int count = GMC_COLUMN_FIXED_COUNT + ask->count + 2 * plan->pair_count + is_weighted;
    gmc_column *columns = GMC_NEW(&build->arena, count, gmc_column);
    if (!columns) return GMC_E_ARENA_FULL;
    memcpy(columns, gmc_fixed_columns, sizeof gmc_fixed_columns);
    gmc_column *next = columns + GMC_COLUMN_FIXED_COUNT;
    for (int i = 0; i < ask->count; i++) {
        const gmc_measure_info *info = &gmc_measure_infos[ask->measures[i].kind];
        *next = (gmc_column){.name = column_name(ask, i),
                             .unit = info->unit,
                             .about = about_of(ask, i),
                             .kind = GMC_COLUMN_REAL};
        if (!next->name || !next->about) return GMC_E_ARENA_FULL;
        next++;
    }
    for (int i = 0; i < plan->pair_count; i++, next += 2)
        GMC_TRY(pair_columns(build, i, next));
    if (is_weighted) *next = gmc_build_weight_column;
    plan->columns = columns;
    plan->column_count = count;
    return GMC_OK;
}

static gmc_status keep_asked(const asking *ask)
{
    gmc_arena *arena = &ask->build->arena;
    gmc_measure_plan *plan = &ask->build->plan;
    size_t count = (size_t)ask->count;
    gmc_measure *measures = GMC_NEW(arena, count, gmc_measure);
    gmc_statistic *statistics = GMC_NEW(arena, count, gmc_statistic);
    if (!measures || !statistics) return GMC_E_ARENA_FULL;
    memcpy(measures, ask->measures, count * sizeof *measures);
    memcpy(statistics, ask->statistics, count * sizeof *statistics);
    plan->asked = measures;
    plan->statistics = statistics;
    plan->asked_count = ask->count;
    return GMC_OK;
}

// ---- margin -----------------------------------------------------------------------------------

// The margin of a trial, made of the scenario's own criteria: each comparison becomes
// what is left until its two sides are equal, over the size of what it compares with, so that
// millimetres and newtons can be held against each other; `and` becomes the least of these, `or`
// the largest, `not` the opposite. Its sign is the verdict, by construction.
//
// What is counted (`held_by(object) >= 2`, `contact(a, b)`) holds or does not, and says nothing of
// how near it is to the other: where it holds it leaves the margin to the criteria beside it. (Its
// slack would be 0 in most successes, and the margin the same in all of these.) Failures that such
// a criterion alone tells of, apart from all others, are met by plain draws only, which is warned
// of.
//
// An `always` criterion was judged after every step, and the columns hold the worst of each measure
// alone. Of a comparison of one measure that is the same; where a criterion needs several at one
// time ("a or b", "a + b < c") it is not, and the margin of subset simulation must be written.
// Repetitions at half the step (nearby.h) do without it then.

/// Sizes of what is compared with 0, and of what is compared with another measure: of a grasp. Any
/// would do for one criterion; they say how much of one is as bad as how much of another.
static const struct {
    gmc_exponents of;
    double size; ///< SI
} SIZES[] = {
    {{1, 0, 0, 0}, 0.01},  // 10 mm
    {{0, 0, 0, 1}, 0.1},   // 6 deg
    {{1, 0, -1, 0}, 0.1},  // 0.1 m/s
    {{1, 1, -2, 0}, 10.0}, // 10 N
};

typedef struct deriving {
    gmc_build *build;
    gmc_criterion_node *node; ///< the next to be written
    bool is_at_end;
    int from, at; ///< of the criterion
} deriving;

static int count_measures(const gmc_expression *e)
{
    if (!e) return 0;
    return (e->op == GMC_OP_MEASURE) + count_measures(e->left) + count_measures(e->right);
}

/// Value of what is made of numbers alone.
static double value_of(const gmc_expression *e)
{
    if (e->op == GMC_OP_NUMBER) return e->number;
    return gmc_criteria_apply(e->op, value_of(e->left), e->right ? value_of(e->right) : 0);
}

/// Are all measures in it counted?
static bool is_counted(const gmc_expression *e)
{
    if (!e) return true;
    if (e->op == GMC_OP_MEASURE) return e->is_count;
    return is_counted(e->left) && is_counted(e->right);
}

/// @return 0: it is counted
static double size_of(const gmc_expression *comparison)
{
    if (is_counted(comparison)) return 0;
    const gmc_expression *sides[] = {comparison->left, comparison->right};
    for (int i = 0; i < 2; i++) {
        if (count_measures(sides[i]) > 0) continue;
        double size = fabs(value_of(sides[i]));
        if (size > 0 && isfinite(size)) return size;
    }
    for (int i = 0; i < GMC_COUNT(SIZES); i++)
        if (gmc_units_equal(comparison->left->exponents, SIZES[i].of)) return SIZES[i].size;
    return 1;
}

/// Is it above 0 times the measure in it, or below: does it rise or fall with it?
/// @return false: neither can be told
static bool rises(const gmc_expression *e, bool *is_rising)
{
    bool is_left = count_measures(e->left) > 0;
    if (e->op == GMC_OP_MEASURE) return *is_rising = true;
    const gmc_expression *of = is_left ? e->left : e->right;
    if (!of || !rises(of, is_rising)) return false;
    switch (e->op) {
    case GMC_OP_ADD:
        return true;
    case GMC_OP_SUBTRACT:
        *is_rising = *is_rising == is_left;
        return true;
    case GMC_OP_NEGATE:
        *is_rising = !*is_rising;
        return true;
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE: {
        if (e->op == GMC_OP_DIVIDE && !is_left) return false;
        double factor = value_of(is_left ? e->right : e->left);
        *is_rising = *is_rising == (factor > 0);
        return factor > 0 || factor < 0;
    }
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
    case GMC_OP_AND:
    case GMC_OP_OR:
    case GMC_OP_NOT:
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        break;
    }
    return false;
}

/// Does the worst of each measure alone say whether an `always` criterion was ever broken?
/// @param is_meant  it shall hold; false: it stands under a `not`
static bool is_told(const gmc_expression *e, bool is_meant)
{
    bool is_rising;
    if (e->op == GMC_OP_NOT) return is_told(e->left, !is_meant);
    if (e->op == (is_meant ? GMC_OP_AND : GMC_OP_OR))
        return is_told(e->left, is_meant) && is_told(e->right, is_meant);
    int count =
        gmc_criteria_is_comparison(e->op) ? count_measures(e->left) + count_measures(e->right) : 2;
    if (count != 1) return count == 0;
    return rises(count_measures(e->left) > 0 ? e->left : e->right, &is_rising);
}

/// The column that a comparison reads of the measure in one of its sides.
/// @param is_meant  as in is_told
static gmc_statistic worst_of(const gmc_expression *comparison, bool is_meant)
{
    bool is_left = count_measures(comparison->left) > 0, is_rising = true;
    bool is_below = comparison->op == GMC_OP_LESS || comparison->op == GMC_OP_LESS_EQUAL;
    (void)rises(is_left ? comparison->left : comparison->right, &is_rising);
    bool is_large = (is_below == is_left) == (is_rising == is_meant);
    return is_large ? GMC_STAT_MAX : GMC_STAT_MIN;
}

static void emit_side(deriving *d, const gmc_expression *e, gmc_statistic statistic)
{
    if (e->left) emit_side(d, e->left, statistic);
    if (e->right) emit_side(d, e->right, statistic);
    *d->node = (gmc_criterion_node){.op = e->op, .number = e->number};
    if (e->op == GMC_OP_MEASURE)
        d->node->measure = column_of(d->build, e, statistic, d->from, d->at);
    d->node++;
}

/// Newton, newton metre, pascal, joule: what has kg in it.
static bool is_force(const gmc_expression *comparison)
{
    return comparison->left->exponents.kg == 1 && comparison->left->exponents.s == -2;
}

static void emit_margin(deriving *d, const gmc_expression *e, bool is_meant)
{
    if (gmc_criteria_is_comparison(e->op)) {
        gmc_statistic statistic = d->is_at_end ? GMC_STAT_END : worst_of(e, is_meant);
        emit_side(d, e->left, statistic);
        emit_side(d, e->right, statistic);
        *d->node++ =
            (gmc_criterion_node){.op = e->op, .number = size_of(e), .is_force = is_force(e)};
        return;
    }
    emit_margin(d, e->left, e->op == GMC_OP_NOT ? !is_meant : is_meant);
    if (e->right) emit_margin(d, e->right, is_meant);
    *d->node++ = (gmc_criterion_node){.op = e->op};
}

static int count_margin_nodes(const gmc_expression *e)
{
    return e ? 1 + count_margin_nodes(e->left) + count_margin_nodes(e->right) : 0;
}

static void warn_of_counts(const gmc_build *build, const gmc_expression *e)
{
    if (!e || !gmc_criteria_is_comparison(e->op)) {
        if (e && e->left) warn_of_counts(build, e->left);
        if (e && e->right) warn_of_counts(build, e->right);
        return;
    }
    if (is_counted(e))
        gmc_diagnostics_add(build->report, GMC_OK, e->source,
                            "write  sampling.subset.margin  if a measure does",
                            "sampling.subset: a count does not tell how near it is to failing; "
                            "rare failures of it alone may not be found");
}

/// Does subset simulation need it?
static bool is_asked_for(const gmc_scenario *s) { return s->subset.is_given && !s->subset.margin; }

/// Criteria one after the other, all of which are to hold.
static void emit_list(deriving *d, const gmc_criterion *list, int count, int before)
{
    for (int i = 0; i < count; i++) {
        if (is_asked_for(d->build->scenario)) warn_of_counts(d->build, list[i].expression);
        d->from = list[i].from;
        d->at = list[i].at;
        emit_margin(d, list[i].expression, true);
        if (before + i > 0) *d->node++ = (gmc_criterion_node){.op = GMC_OP_AND};
    }
}

// The slack of the build from the criteria, once these have their columns; it is the margin of
// sampling.subset, too, if one is asked for and none is written.
static gmc_status derive_margin(gmc_build *build)
{
    gmc_scenario *s = build->scenario;
    int nodes = s->at_end_count + s->always_count;
    bool is_bad = false;
    for (int i = 0; i < s->at_end_count; i++)
        nodes += count_margin_nodes(s->at_end[i].expression);
    for (int i = 0; i < s->always_count; i++) {
        nodes += count_margin_nodes(s->always[i].expression);
        if (is_told(s->always[i].expression, true)) continue;
        is_bad = true;
        if (!is_asked_for(s)) continue;
        gmc_diagnostics_add(build->report, GMC_E_INPUT, s->always[i].source,
                            "write  sampling.subset.margin",
                            "no margin follows from this: whether it was ever broken is not told "
                            "by the worst of each measure alone");
    }
    gmc_compiled_criterion *code = GMC_NEW(&build->arena, 1, gmc_compiled_criterion);
    deriving d = {.build = build,
                  .node = GMC_NEW(&build->arena, nodes, gmc_criterion_node),
                  .is_at_end = true};
    if (!code || !d.node) return GMC_E_ARENA_FULL;
    if (is_bad || nodes == 0) return GMC_OK; // reported, as other mistakes of the set-up
    const gmc_criterion_node *first = d.node;
    emit_list(&d, s->at_end, s->at_end_count, 0);
    d.is_at_end = false;
    emit_list(&d, s->always, s->always_count, s->at_end_count);
    *code = (gmc_compiled_criterion){.nodes = first, .node_count = (int)(d.node - first)};
    build->slack = code;
    if (is_asked_for(s)) s->subset.code = code;
    return GMC_OK;
}

gmc_status gmc_build_criteria(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    asking ask = {.build = build, .report = build->report};
    for (int i = 0; i < scenario->at_end_count; i++) {
        ask.at = scenario->at_end[i].at;
        ask_end(&ask, scenario->at_end[i].expression);
    }
    ask.at = 0;
    for (int i = 0; i < scenario->always_count; i++) {
        ask.from = scenario->always[i].from;
        ask_always(&ask, scenario->always[i].expression, DANGER_SMALL);
    }

    const bool **has = GMC_NEW(&build->arena, scenario->robot_count + 1, const bool *);
    if (!has) return GMC_E_ARENA_FULL;
    for (int k = 0; k < scenario->robot_count; k++)
        has[k] = build->robots[k].has;
    build->plan = (gmc_measure_plan){.object_body = build->object_body,
                                     .hand_body = build->hand.base_body,
                                     .is_hand = build->hand.has,
                                     .is_robot = has,
                                     .tool_frame = build->tool_frame,
                                     .is_planar = scenario->world == GMC_WORLD_PLANAR,
                                     .is_flat = scenario->world != GMC_WORLD_SPATIAL,
                                     .pair_count = scenario->friction_count,
                                     .pairs = (const int(*)[2])build->friction_pair};
    GMC_TRY(keep_asked(&ask));
    GMC_TRY(make_columns(&ask));
    GMC_TRY(compile_list(&ask, scenario->at_end, scenario->at_end_count, true,
                         &build->criteria.at_end));
    GMC_TRY(compile_list(&ask, scenario->always, scenario->always_count, false,
                         &build->criteria.always));
    build->criteria.at_end_count = scenario->at_end_count;
    build->criteria.always_count = scenario->always_count;
    return derive_margin(build);
}

// ---- phases -------------------------------------------------------------------------------------
// Phases of the scenario as phases of the engine: words are bound to joints, surfaces and axes
// once; the numbers follow in every trial (build_trial.c).

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
    case GMC_PHASE_MOVE_TO:
        return GMC_PROGRAM_MOVE_TO;
    case GMC_PHASE_HOLD:
        return GMC_PROGRAM_HOLD;
    case GMC_PHASE_SET:
        return GMC_PROGRAM_SET;
    case GMC_PHASE_PULL:
        return GMC_PROGRAM_PULL;
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
    bool weighs;
    if (gmc_build_can_reshape(build, spec->target, &weighs)) {
        *set = (gmc_set){.kind = weighs ? GMC_SET_MASS : GMC_SET_SHAPE, .a = spec->target};
        return true;
    }
    gmc_diagnostics_add(
        build->report, GMC_E_INPUT, spec->source,
        "a phase can set friction.<a>/<b>, gravity.x, gravity.y and gravity.z, sizes of fixed "
        "bodies of the scene, mass, density and support friction of what moves freely, and "
        "parameters that only such sizes or only such masses follow from",
        "%s cannot change while the trial runs", spec->target_path);
    return false;
}

// Whose joint a phase names, and which one of its settings; -1: it has none of that name. NULL: of
// no robot.
const gmc_build_robot *gmc_build_find_joint(const gmc_build *build, const char *name, int *index)
{
    const gmc_build_robot *robot = &build->hand;
    const char *slash = strchr(name, '/');
    *index = -1;
    if (slash) {
        size_t length = (size_t)(slash - name);
        robot = NULL;
        for (int i = 0; i < build->scenario->robot_count; i++) {
            const char *own = build->robots[i].spec->name;
            if (strlen(own) == length && strncmp(own, name, length) == 0) robot = &build->robots[i];
        }
        name = slash + 1;
    }
    if (!robot || !robot->has) return robot;
    for (int i = 0; i < robot->spec->joint_count; i++)
        if (strcmp(robot->spec->joints[i].joint, name) == 0) *index = i;
    return robot;
}

// The drive of several joints that a phase names, as a dof behind those of the model (program.h);
// -1: none is called so.
static int find_drive(const gmc_build *build, const gmc_build_robot *robot, const char *name)
{
    const char *slash = strchr(name, '/');
    for (int i = 0; robot && i < robot->spec->drive_count; i++)
        if (strcmp(robot->spec->drives[i].name, slash ? slash + 1 : name) == 0)
            return build->models[0].dof_count + robot->first_drive + i;
    return -1;
}

// The robot that has a joint of this name; NULL: none has.
static const char *owner_of(const gmc_build *build, const char *joint)
{
    for (int i = 0; i < build->scenario->robot_count; i++)
        for (int k = 0; k < build->robots[i].spec->joint_count; k++)
            if (strcmp(build->robots[i].spec->joints[k].joint, joint) == 0)
                return build->robots[i].spec->name;
    return NULL;
}

// The dof of a joint that a phase names; -1: there is none that it could move (reported).
static int bind_joint(const gmc_build *build, const gmc_phase_spec *spec, const char *joint,
                      gmc_source source)
{
    int index = -1;
    const gmc_build_robot *robot = gmc_build_find_joint(build, joint, &index);
    int dof = index < 0 ? -1 : robot->joint_dof[index];
    int by = dof < 0 ? -1 : gmc_build_driven_by(robot, index);
    if (dof >= 0 && by < 0 && gmc_build_geared_to(robot, index) < 0) return dof;
    if (dof < 0) dof = find_drive(build, robot, joint);
    if (dof >= build->models[0].dof_count) return dof;
    char hint[256] = "a joint of a robot is ROBOT/JOINT, of the hand JOINT";
    if (robot) gmc_build_joint_names(robot, hint, sizeof hint);
    const char *owner = robot == &build->hand && dof < 0 ? owner_of(build, joint) : NULL;
    if (owner) snprintf(hint, sizeof hint, "did you mean %.100s/%.100s?", owner, joint);
    if (by >= 0) snprintf(hint, sizeof hint, "move drive %.120s", robot->spec->drives[by].name);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint,
                        "phase %s: %s has no joint %s to move", spec->name,
                        robot ? robot->spec->title : "the scenario", joint);
    return -1;
}

// A free body; a fixed one and a name of nothing are mistakes.
static void bind_body(const gmc_build *build, const gmc_phase_spec *spec, gmc_phase *phase)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_nearest nearest = gmc_nearest_start(spec->body);
    phase->body = build->object_body;
    if (strcmp(spec->body, "object") == 0) return;
    gmc_nearest_offer(&nearest, "object");
    for (int i = 0; i < scenario->object_count; i++)
        if (strcmp(spec->body, scenario->objects[i].name) == 0 && scenario->object_count == 1)
            return;
    char hint[160];
    for (int i = 0; i < scenario->scene_count; i++) {
        gmc_nearest_offer(&nearest, scenario->scene[i].name);
        if (strcmp(spec->body, scenario->scene[i].name) != 0) continue;
        phase->body = build->scene[i].body;
        if (build->scene[i].is_free) return;
        snprintf(hint, sizeof hint, "add  free: true  to scene.%.100s", spec->body);
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, hint,
                            "phase %s: %s is fixed and cannot be pulled", spec->name, spec->body);
        return;
    }
    snprintf(hint, sizeof hint, "did you mean %.100s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                        nearest.best ? hint : "object, or a body of the scene with free: true",
                        "phase %s: nothing is called %s", spec->name, spec->body);
}

// ---- moves to places ----------------------------------------------------------------------------

// The body whose own joint moves by a dof; a mimic shares it.
static const gmc_body *moved_body(const gmc_model *model, int dof)
{
    for (int b = 1; b < model->body_count; b++)
        if (model->bodies[b].v == dof && !model->bodies[b].is_mimic &&
            gmc_joint_v_count(model->bodies[b].joint) == 1)
            return &model->bodies[b];
    return NULL;
}

// Of the robot whose joint a phase names: "hand", "robots.arm".
static const char *path_of_joint(const gmc_build *build, const char *joint)
{
    int index;
    const gmc_build_robot *robot = gmc_build_find_joint(build, joint, &index);
    return robot ? robot->spec->path : "hand";
}

// Of a drive of several joints, a dof behind those of the model.
static const gmc_drive_spec *drive_spec(const gmc_build *build, int dof,
                                        const gmc_build_robot **robot)
{
    for (int i = 0; i <= build->scenario->robot_count; i++) {
        *robot = i < build->scenario->robot_count ? &build->robots[i] : &build->hand;
        int k = dof - build->models[0].dof_count - (*robot)->first_drive;
        if (k >= 0 && k < (*robot)->spec->drive_count) return &(*robot)->spec->drives[k];
    }
    return NULL;
}

/// Where what a phase moves may be.
typedef struct goal_range {
    const char *what; ///< joint, drive
    bool is_slide;
    double lower, upper;
} goal_range;

// Of a drive its sum within the limits of its joints.
static goal_range find_goal_range(const gmc_build *build, int dof)
{
    const gmc_model *model = &build->models[0];
    const gmc_build_robot *robot = NULL;
    const gmc_drive_spec *drive = drive_spec(build, dof, &robot);
    if (!drive) {
        const gmc_body *body = moved_body(model, dof);
        return (goal_range){.what = "joint",
                            .is_slide = body && body->joint == GMC_JOINT_PRISMATIC,
                            .lower = model->dofs[dof].lower,
                            .upper = model->dofs[dof].upper};
    }
    goal_range range = {.what = "drive"};
    for (int k = 0; k < drive->joint_count; k++) {
        int i = 0;
        while (strcmp(robot->spec->joints[i].joint, drive->joints[k]) != 0)
            i++;
        const gmc_dof *own = &model->dofs[robot->joint_dof[i]];
        double c = build->scenario->parameters[drive->shares[k]].nominal;
        range.is_slide = model->bodies[robot->joint_body[i]].joint == GMC_JOINT_PRISMATIC;
        range.lower += c * (c > 0 ? own->lower : own->upper);
        range.upper += c * (c > 0 ? own->upper : own->lower);
    }
    return range;
}

// A position of the joint or drive, of a place that it goes to.
static void check_goal(const gmc_build *build, const gmc_phase_spec *spec,
                       const gmc_goal_spec *goal, int dof, gmc_param param)
{
    goal_range range = find_goal_range(build, dof);
    bool is_slide = range.is_slide;
    if (param < 0) return; // reported
    gmc_scenario_settle(build->scenario, param, is_slide ? GMC_DIM_LENGTH : GMC_DIM_ANGLE,
                        build->report);
    double x = build->scenario->parameters[param].nominal, scale = is_slide ? 1e3 : 180 / GMC_PI;
    if (build->scenario->parameters[param].is_stand_in ||
        fmax(range.lower - x, x - range.upper) <= 1e-9 * (1 + fabs(x)))
        return;
    const char *unit = is_slide ? "mm" : "deg";
    char hint[160];
    snprintf(hint, sizeof hint, "%.80s.<joint>.lower and upper set other limits than the URDF's",
             path_of_joint(build, goal->joint));
    gmc_diagnostics_add(build->report, GMC_E_INPUT, goal->source, hint,
                        "phase %s: %s %s is to go to %.6g %s, outside of its limits %.6g %s to "
                        "%.6g %s",
                        spec->name, range.what, goal->joint, scale * x, unit, scale * range.lower,
                        unit, scale * range.upper, unit);
}

static void bind_goals(const gmc_build *build, const gmc_phase_spec *spec, int *dofs,
                       gmc_move_to *to)
{
    const gmc_goal_spec *first = &spec->goals[0];
    to->knot_count = first->through.count > 0 ? first->through.count : 1;
    for (int i = 0; i < spec->goal_count; i++) {
        const gmc_goal_spec *goal = &spec->goals[i];
        int dof = bind_joint(build, spec, goal->joint, goal->source);
        if (dof < 0) continue;
        if (dof >= build->models[0].dof_count && spec->is_planned)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, goal->source,
                                "give drives a move_to of their own, without reach",
                                "phase %s: a way around what stands there is one of joints, %s is "
                                "a drive of several",
                                spec->name, goal->joint);
        if (goal->through.count == 0) check_goal(build, spec, goal, dof, goal->to);
        for (int k = 0; k < goal->through.count; k++)
            check_goal(build, spec, goal, dof, goal->through.knots[2 * k + 1]);
        dofs[to->dof_count++] = dof;
    }
}

/// What a pose asks of the joints that lead to the tool point.
typedef struct pose_chain {
    const gmc_build_robot *only; ///< its joints alone move; NULL: the hand's
    const char *others[2];       ///< robots that the chain leads through
    int robots;
} pose_chain;

// The robots between the world and the tool point, and which of them is meant.
static pose_chain find_chain(const gmc_build *build, const gmc_phase_spec *spec, int tool)
{
    const gmc_model *model = &build->models[0];
    pose_chain chain = {.only = &build->hand};
    for (int i = 0; i < build->scenario->robot_count; i++) {
        const gmc_build_robot *robot = &build->robots[i];
        bool is_on_way = false;
        for (int b = tool; b > 0 && robot->has; b = model->bodies[b].parent)
            is_on_way = is_on_way || robot->has[b];
        if (!is_on_way || (spec->robot && strcmp(spec->robot, robot->spec->name) != 0)) continue;
        chain.only = robot;
        if (chain.robots < 2) chain.others[chain.robots] = robot->spec->name;
        chain.robots++;
    }
    return chain;
}

static void complain_of_pose(const gmc_build *build, const gmc_phase_spec *spec, const char *hint,
                             const char *what)
{
    gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source, hint, "phase %s: %s", spec->name,
                        what);
}

// Joints between the world and the tool point, the world's side first.
static void bind_pose(const gmc_build *build, const gmc_phase_spec *spec, int *dofs,
                      gmc_move_to *to)
{
    const gmc_model *model = &build->models[0];
    const gmc_build_robot *hand = &build->hand;
    to->tool_frame = build->tool_frame;
    if (to->tool_frame < 0 && hand->spec->urdf && hand->urdf.link_count > 0)
        to->tool_frame = gmc_model_find_frame(model, hand->urdf.links[0].name);
    to->frame_body = spec->in_object_frame ? build->object_body : 0;
    if (to->tool_frame < 0) {
        complain_of_pose(build, spec, "hand.frame names the link that is the tool point",
                         "a pose needs a tool point");
        return;
    }
    int tool = model->frames[to->tool_frame].body;
    pose_chain chain = find_chain(build, spec, tool);
    char hint[200];
    if (chain.robots > 1) {
        snprintf(hint, sizeof hint, "add  robot: %.60s  or  robot: %.60s", chain.others[0],
                 chain.others[1]);
        complain_of_pose(build, spec, hint, "several robots move the tool point");
        return;
    }
    if (spec->robot && chain.robots == 0) {
        complain_of_pose(build, spec, "name one that carries the hand, or leave robot out",
                         "the robot that it names does not move the tool point");
        return;
    }
    for (int b = tool; b > 0; b = model->bodies[b].parent) {
        const gmc_body *body = &model->bodies[b];
        bool is_there = gmc_joint_v_count(body->joint) != 1 || body->is_driven;
        is_there = is_there || !chain.only->has || !chain.only->has[b];
        for (int i = 0; i < to->dof_count; i++)
            is_there = is_there || dofs[i] == body->v;
        if (is_there) continue;
        for (int i = to->dof_count++; i > 0; i--)
            dofs[i] = dofs[i - 1];
        dofs[0] = body->v;
    }
    if (to->dof_count == 0)
        complain_of_pose(build, spec, "a base that is driven goes by move and turn",
                         "no joint moves the tool point");
}

// Who says how long it may last at most does not ask for longer.
static void check_longest(const gmc_build *build, const gmc_phase_spec *spec)
{
    const gmc_parameter *table = build->scenario->parameters;
    if (spec->duration < 0 || spec->at_most < 0 || table[spec->at_most].is_default) return;
    const gmc_parameter *in = &table[spec->duration], *most = &table[spec->at_most];
    if (in->is_stand_in || most->is_stand_in || !(in->nominal > most->nominal)) return;
    gmc_diagnostics_add(build->report, GMC_E_INPUT, most->source,
                        "at_most is how long it may last where limits make it longer than in",
                        "phase %s: at_most %.6g s is less than in %.6g s", spec->name,
                        most->nominal, in->nominal);
}

static gmc_status bind_move_to(gmc_build *build, const gmc_phase_spec *spec, gmc_phase *phase)
{
    gmc_move_to *to = GMC_NEW(&build->arena, 1, gmc_move_to);
    int dofs = build->models[0].dof_count, most = spec->goal_count > dofs ? spec->goal_count : dofs;
    int *moved = GMC_NEW(&build->arena, most, int);
    if (!to || !moved) return GMC_E_ARENA_FULL;
    *to = (gmc_move_to){.dofs = moved,
                        .tool_frame = -1,
                        .is_straight = spec->is_straight,
                        .is_planned = spec->is_planned};
    phase->move_to = to;
    check_longest(build, spec);
    if (spec->has_pose)
        bind_pose(build, spec, moved, to);
    else if (spec->goal_count > 0)
        bind_goals(build, spec, moved, to);
    return GMC_OK;
}

// ---- any phase ----------------------------------------------------------------------------------

// A grip to positions needs to know where they are, and how fast the fingers go there.
static void check_goals(const gmc_build *build, const gmc_phase_spec *spec)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    bool is_closed = spec->kind == GMC_PHASE_CLOSE;
    bool is_timed = spec->speed >= 0 || spec->duration >= 0;
    for (int i = 0; i < gmc_build_joint_count(build); i++) {
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
        snprintf(hint, sizeof hint, "add  %s: <position>  under hand.%s.%.120s",
                 is_closed ? "closed" : "open", i < hand->joint_count ? "joints" : "drives",
                 joint.name);
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
               (build->hand.base_body >= 0 && !build->scenario->hand.is_mounted));
    // of fingers that are listed each that is not there was named
    bool are_listed = build->scenario->hand.finger_count > 0;
    if (phase->type == GMC_PROGRAM_GRIP && build->finger_count == 0 && !are_listed)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                            "list them under hand.fingers",
                            "phase %s: the hand has no fingers to move", spec->name);
    if (phase->type == GMC_PROGRAM_GRIP && !phase->has_force) check_goals(build, spec);
    if (spec->joint) phase->dof = bind_joint(build, spec, spec->joint, spec->source);
    if (phase->type == GMC_PROGRAM_MOVE_TO) GMC_TRY(bind_move_to(build, spec, phase));
    if (spec->kind == GMC_PHASE_PULL) bind_body(build, spec, phase);

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
    const gmc_robot_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    for (int i = 0; i < build->finger_count; i++) {
        int dof = build->fingers[i].dof, k = 0;
        while (k < hand->joint_count && build->hand.joint_dof[k] != dof)
            k++;
        if (k == hand->joint_count) continue; // of a hand with mistakes
        double gear = build->fingers[i].drive * nominal_of(build, hand->joints[k].share);
        char often[48];
        if (!is_above(build, spec->force, model->dofs[dof].max_force / gear, often)) continue;
        double wanted = gear * highest_of(build, spec->force);
        bool is_slide = model->bodies[build->hand.joint_body[k]].joint == GMC_JOINT_PRISMATIC;
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
    char hint[160];
    snprintf(hint, sizeof hint,
             "the limit is %.80s.<joint>.max_speed, by default the URDF's velocity",
             path_of_joint(build, joint->name));
    gmc_diagnostics_add(build->report, GMC_OK, spec->source, hint,
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
    int index;
    const gmc_build_robot *robot = gmc_build_find_joint(build, spec->joint, &index);
    if (index < 0 || robot->joint_dof[index] < 0) return;
    joint = (gmc_build_joint_facts){.name = spec->joint,
                                    .is_slide = is_slide(build, robot, index),
                                    .max_speed =
                                        build->models[0].dofs[robot->joint_dof[index]].max_speed};
    if (wanted > joint.max_speed)
        warn_of_speed(build, spec, "it asks for up to", wanted, &joint, 0);
}

// Where the phases before one have put a dof, at nominal values; false: it is not known, for a pose
// or a grip has moved it, or a swing that ends where it is.
static bool place_before(const gmc_build *build, int phase, int dof, double *x)
{
    const gmc_scenario *s = build->scenario;
    *x = build->models[0].q_start[moved_body(&build->models[0], dof)->q];
    for (int i = 0; i < phase; i++) {
        const gmc_phase_spec *spec = &s->program[i];
        const gmc_phase *made = &build->phases[i];
        if (made->dof == dof && spec->kind == GMC_PHASE_MOVE) *x += nominal_of(build, spec->by[0]);
        if (made->dof == dof && spec->kind == GMC_PHASE_SHAKE && nominal_of(build, spec->ramp) == 0)
            return false;
        if (made->type == GMC_PROGRAM_GRIP)
            for (int k = 0; k < build->finger_count; k++)
                if (build->fingers[k].dof == dof) return false;
        for (int k = 0; made->move_to && k < made->move_to->dof_count; k++) {
            if (made->move_to->dofs[k] != dof) continue;
            if (spec->has_pose || k >= spec->goal_count) return false;
            const gmc_curve_spec *through = &spec->goals[k].through;
            *x = nominal_of(build, through->count > 0 ? through->knots[2 * through->count - 1]
                                                      : spec->goals[k].to);
        }
    }
    return true;
}

// A joint that is moved past its stop stays there, and its servo presses on it.
static void warn_of_stops(const gmc_build *build, int phase)
{
    const gmc_phase_spec *spec = &build->scenario->program[phase];
    const gmc_model *model = &build->models[0];
    int dof = build->phases[phase].dof;
    double x, swing = 0;
    if (dof < 0 || dof >= model->dof_count || !moved_body(model, dof)) return;
    if (!place_before(build, phase, dof, &x)) return;
    if (spec->kind == GMC_PHASE_SHAKE)
        swing = fabs(nominal_of(build, spec->amplitude));
    else
        x += nominal_of(build, spec->by[0]);
    const gmc_dof *limits = &model->dofs[dof];
    double beyond = fmax(limits->lower - (x - swing), x + swing - limits->upper);
    if (beyond <= 1e-9 * (1 + fabs(x))) return;
    bool slides = moved_body(model, dof)->joint == GMC_JOINT_PRISMATIC;
    double to = x + swing > limits->upper ? x + swing : x - swing;
    char text[3][32], hint[160];
    snprintf(hint, sizeof hint, "%.80s.<joint>.lower and upper set other limits than the URDF's",
             path_of_joint(build, spec->joint));
    gmc_diagnostics_add(build->report, GMC_OK, spec->source, hint,
                        "phase %s: joint %s is to go to %s, outside of its limits %s to %s: it "
                        "presses on the stop",
                        spec->name, spec->joint, place_text(slides, to, text[0]),
                        place_text(slides, limits->lower, text[1]),
                        place_text(slides, limits->upper, text[2]));
}

static void warn_of_time_limit(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double limit = nominal_of(build, scenario->time_limit), longest = 0;
    for (int i = 0; i < scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &scenario->program[i];
        const gmc_curve_spec *through = spec->goal_count > 0 ? &spec->goals[0].through : NULL;
        gmc_param length = spec->until != GMC_END_TIME     ? spec->at_most
                           : through && through->count > 0 ? through->knots[2 * through->count - 2]
                                                           : spec->duration;
        longest += nominal_of(build, length);
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
    GMC_TRY(build_fingers(build));
    for (int i = 0; i < scenario->robot_count; i++)
        check_starts(build, &build->robots[i]);
    build->phases = GMC_NEW(&build->arena, scenario->phase_count, gmc_phase);
    if (!build->phases) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->phase_count; i++) {
        GMC_TRY(bind_phase(build, &scenario->program[i], &build->phases[i]));
        warn_of_weak_drives(build, &scenario->program[i]);
        if (build->phases[i].type == GMC_PROGRAM_GRIP)
            warn_of_fast_fingers(build, &scenario->program[i]);
        else if (scenario->program[i].joint)
            warn_of_fast_moves(build, &scenario->program[i]);
        if (scenario->program[i].joint) warn_of_stops(build, i);
    }
    warn_of_time_limit(build);
    return GMC_OK;
}
