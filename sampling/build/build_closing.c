// Fingers: which joints `close` and `open` move, which way they close, and where that ends. What
// the scenario says goes before what its geometry says (engine/control/closing.h); nothing of it
// depends on where a trial starts.
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/units.h"
#include "sampling/scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Limits are often rounded (1.57 for 90 degrees): a start is beyond one by more than this of the
// range, or it starts there.
static const double START_SLACK = 0.01;

static bool is_among_fingers(const gmc_hand_spec *hand, const char *joint)
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
    const gmc_hand_spec *hand = &build->scenario->hand;
    if (hand->finger_count > 0) return is_among_fingers(hand, hand->joints[joint].joint);
    return says_how(&hand->joints[joint]) || build->closings[build->joint_dof[joint]].is_flexion;
}

static double nominal_of(const gmc_build *build, gmc_param param, double otherwise)
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
    double way = nominal_of(build, setting->closed, 0) - nominal_of(build, setting->open, 0);
    if (setting->open >= 0 && setting->closed >= 0 && way != 0)
        return (direction){way > 0 ? 1 : -1, "open and closed"};
    const gmc_closing *closing = &build->closings[build->joint_dof[joint]];
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
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_joint_setting *setting = &hand->joints[joint];
    char hint[400];
    snprintf(hint, sizeof hint,
             "under hand.joints.%.80s write  closes: upper  (its motion towards %.4g closes) or  "
             "closes: lower  (towards %.4g)%s",
             setting->joint, build->models[0].dofs[build->joint_dof[joint]].upper,
             build->models[0].dofs[build->joint_dof[joint]].lower,
             hand->finger_count > 0 ? ", or leave it out of hand.fingers" : "");
    gmc_diagnostics_add(build->report, GMC_E_INPUT, hand->source, hint,
                        "which way joint %s closes cannot be told: %s", setting->joint,
                        WHY[build->closings[build->joint_dof[joint]].doubt]);
}

static bool is_slide(const gmc_build *build, int joint)
{
    return build->models[0].bodies[build->joint_body[joint]].joint == GMC_JOINT_PRISMATIC;
}

/// "60 mm", "-12.5 deg".
static const char *place_text(const gmc_build *build, int joint, double x, char text[32])
{
    bool slides = is_slide(build, joint);
    snprintf(text, 32, "%.6g %s", slides ? 1e3 * x : x * 180 / GMC_PI, slides ? "mm" : "deg");
    return text;
}

// What is drawn beyond the limits starts at them.
static void warn_of_drawn_position(const gmc_build *build, int joint, const char *key,
                                   gmc_param param)
{
    const gmc_parameter *p = &build->scenario->parameters[param];
    const gmc_dof *dof = &build->models[0].dofs[build->joint_dof[joint]];
    double share = gmc_resolve_share_outside(build->scenario, param, dof->lower, dof->upper);
    char text[2][32];
    if (share == 0) return;
    gmc_diagnostics_add(build->report, GMC_OK, p->source, "the limit is taken",
                        "hand.%s.%s: %.3g %% of the draws are outside of the limits %s to %s",
                        build->scenario->hand.joints[joint].joint, key, 100 * share,
                        place_text(build, joint, dof->lower, text[0]),
                        place_text(build, joint, dof->upper, text[1]));
}

// A position of the scenario must lie within the joint's limits, which often are rounded: of what
// is off by no more than `slack` of the range it is said that the limit is taken.
static void check_position(const gmc_build *build, int joint, const char *key, gmc_param param,
                           double slack)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_joint_setting *setting = &scenario->hand.joints[joint];
    const gmc_dof *dof = &build->models[0].dofs[build->joint_dof[joint]];
    if (param < 0 || scenario->parameters[param].is_stand_in) return;
    double lowest, highest, room = 1e-9;
    gmc_resolve_nominal_range(scenario, param, &lowest, &highest);
    double x = dof->lower - lowest > highest - dof->upper ? lowest : highest;
    room *= 1 + fabs(x);
    double beyond = fmax(dof->lower - x, x - dof->upper);
    if (beyond <= room) {
        warn_of_drawn_position(build, joint, key, param);
        return;
    }
    bool is_near = beyond <= slack * (dof->upper - dof->lower);
    char text[3][32];
    gmc_diagnostics_add(
        build->report, is_near ? GMC_OK : GMC_E_INPUT, scenario->parameters[param].source,
        is_near ? "the limit is taken"
                : "without unit it is in m or rad; hand.<joint>.lower and upper "
                  "set other limits than the URDF's",
        "hand.%s.%s: %s is outside of the limits %s to %s", setting->joint, key,
        place_text(build, joint, x, text[0]), place_text(build, joint, dof->lower, text[1]),
        place_text(build, joint, dof->upper, text[2]));
}

// What is said of how a joint closes must fit together.
static void check_said(const gmc_build *build, int joint)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_joint_setting *setting = &hand->joints[joint];
    if (!says_how(setting)) return;
    check_position(build, joint, "open", setting->open, 0);
    check_position(build, joint, "closed", setting->closed, 0);
    if (hand->finger_count > 0 && !is_among_fingers(hand, setting->joint))
        gmc_diagnostics_add(build->report, GMC_E_INPUT, setting->source,
                            "add it to hand.fingers, or leave closes, open and closed out",
                            "joint %s is none of hand.fingers: how it closes means nothing",
                            setting->joint);
    double way = nominal_of(build, setting->closed, 0) - nominal_of(build, setting->open, 0);
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
    double end = close->position >= 0 ? nominal_of(build, close->position, 0)
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
        setting->joint, place_text(build, joint, is_nothing ? facts.open : end, text), close->name);
}

static void check_fingers(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->finger_count; i++) {
        bool is_known = false;
        for (int k = 0; k < hand->joint_count; k++)
            if (build->joint_dof[k] >= 0 && strcmp(hand->joints[k].joint, hand->fingers[i]) == 0)
                is_known = true;
        if (is_known) continue;
        gmc_nearest nearest = gmc_nearest_start(hand->fingers[i]);
        for (int k = 0; k < hand->joint_count; k++)
            if (build->joint_dof[k] >= 0) gmc_nearest_offer(&nearest, hand->joints[k].joint);
        const gmc_node *list =
            gmc_node_find(gmc_node_find(build->scenario->tree, "hand"), "fingers");
        const gmc_node *item = list ? list->first : NULL;
        for (int k = 0; k < i && item; k++)
            item = item->next;
        char hint[256];
        gmc_build_joint_names(build, hint, sizeof hint);
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

static gmc_status find_closings(gmc_build *build)
{
    const gmc_model *model = &build->models[0];
    const gmc_closing_hand hand = {build->base_body, build->tool_frame};
    build->closings = GMC_NEW(&build->arena, model->dof_count, gmc_closing);
    if (!build->closings) return GMC_E_ARENA_FULL;
    if (build->base_body < 0) return GMC_OK;
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

void gmc_build_settle_phases(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    bool slides = false, turns = false;
    for (int i = 0; i < hand->joint_count; i++) {
        const gmc_joint_setting *joint = &hand->joints[i];
        if (hand->finger_count > 0 && !is_among_fingers(hand, joint->joint)) continue;
        int k = gmc_urdf_find_joint(&build->urdf, joint->joint);
        if (k < 0) continue;
        if (build->urdf.joints[k].kind == GMC_URDF_PRISMATIC)
            slides = true;
        else
            turns = true;
    }
    settle_phases(build, slides, turns);
}

// With fingers of both kinds a unit fits some of them alone.
static void check_units(const gmc_build *build)
{
    bool slides = false, turns = false;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        if (build->joint_dof[i] < 0 || !is_bent(build, i)) continue;
        if (is_slide(build, i))
            slides = true;
        else
            turns = true;
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
    const gmc_dof *dof = &build->models[0].dofs[build->joint_dof[joint]];
    return fmax(dof->lower - x, x - dof->upper) > 1e-9 * (1 + fabs(x));
}

// One position goes to all fingers: the first that cannot take it is told.
static void check_phase_positions(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    for (int i = 0; i < scenario->phase_count; i++) {
        gmc_param param = scenario->program[i].position;
        if (param < 0 || scenario->parameters[param].is_stand_in) continue;
        double x = nominal_of(build, param, 0);
        int first = -1, count = 0;
        for (int k = 0; k < scenario->hand.joint_count; k++) {
            if (build->joint_dof[k] < 0 || !is_bent(build, k) || !is_beyond(build, k, x)) continue;
            if (count++ == 0) first = k;
        }
        if (count == 0) continue;
        const gmc_dof *dof = &build->models[0].dofs[build->joint_dof[first]];
        char text[3][32], others[48] = "";
        if (count > 1) snprintf(others, sizeof others, ", and of those of %d more", count - 1);
        gmc_diagnostics_add(
            build->report, GMC_E_INPUT, scenario->parameters[param].source,
            "write a position that every finger can take; without `position` and `force` each "
            "goes to its own hand.joints.<joint>.closed or open",
            "%s: %s is outside of the limits %s to %s of joint %s%s",
            scenario->parameters[param].path, place_text(build, first, x, text[0]),
            place_text(build, first, dof->lower, text[1]),
            place_text(build, first, dof->upper, text[2]), scenario->hand.joints[first].joint,
            others);
    }
}

gmc_status gmc_build_fingers(gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    GMC_TRY(find_closings(build));
    build->fingers = GMC_NEW(&build->arena, hand->joint_count, gmc_finger);
    if (!build->fingers) return GMC_E_ARENA_FULL;
    for (int i = 0; i < hand->joint_count; i++) {
        int dof = build->joint_dof[i];
        if (dof < 0) continue;
        check_position(build, i, "start", hand->joints[i].start, START_SLACK);
        check_said(build, i);
        if (!is_bent(build, i)) continue;
        double sign = direction_of(build, i).sign;
        if (sign == 0 && is_asked(build, &hand->joints[i])) report_doubt(build, i);
        check_travel(build, i);
        build->fingers[build->finger_count++] =
            (gmc_finger){.dof = dof, .closing = sign, .drive = group_of(model, dof).ratios};
    }
    check_fingers(build);
    check_units(build);
    check_phase_positions(build);
    return GMC_OK;
}

double gmc_build_end(const gmc_build *build, const double *values, int joint, bool is_closed,
                     const gmc_model *model)
{
    const gmc_joint_setting *setting = &build->scenario->hand.joints[joint];
    const gmc_dof *dof = &model->dofs[build->joint_dof[joint]];
    double sign = direction_of(build, joint).sign * (is_closed ? 1 : -1);
    double limit = sign > 0 ? dof->upper : sign < 0 ? dof->lower : (double)NAN;
    return gmc_build_value(values, is_closed ? setting->closed : setting->open, limit);
}

int gmc_build_joint_count(const gmc_build *build) { return build->scenario->hand.joint_count; }

bool gmc_build_joint(const gmc_build *build, int joint, gmc_build_joint_facts *facts)
{
    const gmc_joint_setting *setting = &build->scenario->hand.joints[joint];
    int k = build->joint_dof[joint];
    if (k < 0) return false;
    const gmc_model *model = &build->models[0];
    const gmc_body *body = &model->bodies[build->joint_body[joint]];
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
                                     .share = nominal_of(build, setting->share, 1),
                                     .coupled = coupled.ratios,
                                     .moved = coupled.joints};
    double limits[2] = {closes.sign < 0 ? dof->upper : dof->lower,
                        closes.sign < 0 ? dof->lower : dof->upper};
    facts->open = nominal_of(build, setting->open, closes.sign != 0 ? limits[0] : (double)NAN);
    facts->closed = nominal_of(build, setting->closed, closes.sign != 0 ? limits[1] : (double)NAN);
    facts->is_open_given = setting->open >= 0;
    facts->is_closed_given = setting->closed >= 0;
    return true;
}
