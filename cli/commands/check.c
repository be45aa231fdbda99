// graspmc check: every mistake of a scenario, or what would run.
#define _POSIX_C_SOURCE 200809L
#include "cli/answer/answer.h"
#include "cli/answer/cache.h"
#include "cli/answer/moves.h"
#include "cli/answer/overlaps.h"
#include "cli/commands/commands.h"
#include "cli/new/shapes.h"
#include "cli/options/args.h"
#include "cli/process/cores.h"
#include "cli/process/json.h"
#include "cli/process/peak.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "engine/auto_grasp.h"
#include "engine/math/elementary.h"
#include "engine/model/urdf.h"
#include "sampling/build/build.h"
#include "sampling/build/margin.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/look.h"
#include "sampling/campaign/nominal.h"
#include "sampling/campaign/probe.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/needed.h"
#include "sampling/estimate/tally.h"
#include "sampling/findings/footprint.h"
#include "sampling/language/location.h"
#include "sampling/language/node.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/store/describe.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/listing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- what was understood: --model --------------------------------------------------------------
// Links and joints with the numbers used,
// shapes, objects, the start, and what the program touches first.

/// A look at the first case at nominal values.
typedef struct gmc_check_model {
    const gmc_prepared *prepared;
    gmc_probe probe;       ///< its model is that of the case
    double *values;        ///< (parameter_count)
    gmc_pose *X;           ///< (body_count) at the start, in the world
    gmc_probe_touch touch; ///< what the program touches first
    gmc_reason reason;     ///< why the trial has no verdict; GMC_REASON_NONE: it has one
} gmc_check_model;

static gmc_pose joint_pose(const gmc_model *model, int body)
{
    return gmc_model_joint_pose(&model->bodies[body], model->q_start);
}

static gmc_status put_poses(gmc_check_model *m)
{
    const gmc_model *model = m->probe.input.model;
    m->X = calloc((size_t)model->body_count, sizeof *m->X);
    if (!m->X) return GMC_E_MEMORY;
    m->X[0] = gmc_pose_identity();
    for (int b = 1; b < model->body_count; b++) {
        gmc_pose X_wj = gmc_pose_multiply(&m->X[model->bodies[b].parent], &model->bodies[b].X_pj);
        gmc_pose X_jb = joint_pose(model, b);
        m->X[b] = gmc_pose_multiply(&X_wj, &X_jb);
    }
    return GMC_OK;
}

/// Build the model of the first case and run it as far as its first contact.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, GMC_E_INPUT (its numbers are not good together)
static gmc_status check_model_look(const gmc_prepared *prepared, gmc_check_model *m)
{
    const gmc_scenario *s = &prepared->scenario;
    *m = (gmc_check_model){
        .prepared = prepared,
        .probe = {.scenario = s, .build = prepared->build, .object = gmc_study_object(s, 0)}};
    m->values = calloc((size_t)s->parameter_count + 1, sizeof *m->values);
    if (!m->values) return GMC_E_MEMORY;
    gmc_perturb_believed(s, 0, m->values);
    GMC_TRY(gmc_probe_first_touch(&m->probe, m->values, &m->touch));
    gmc_reason reason = m->probe.found.reason;
    if (m->touch.is_found && reason == GMC_REASON_TIME_LIMIT) reason = GMC_REASON_NONE;
    m->reason = reason;
    GMC_TRY(gmc_probe_start(&m->probe, m->values));
    return put_poses(m);
}

static void check_model_free(gmc_check_model *m)
{
    gmc_probe_free(&m->probe);
    free(m->values);
    free(m->X);
    m->values = NULL;
    m->X = NULL;
}

static bool is_hand(const gmc_check_model *m, int body)
{
    const gmc_measure_plan *plan = m->probe.input.measures;
    return plan->is_hand && plan->is_hand[body];
}

/// Is it a link of a robot? One that carries the hand is the hand's, too; its joint is not.
static bool is_robot(const gmc_check_model *m, int body)
{
    const gmc_measure_plan *plan = m->probe.input.measures;
    bool is = false;
    for (int i = 0; i < m->prepared->scenario.robot_count; i++)
        is = is || (plan->is_robot[i] && plan->is_robot[i][body]);
    return is;
}

/// Is a joint one that moves on its own or follows another: a revolute or prismatic one?
static bool is_single(const gmc_body *body) { return gmc_joint_v_count(body->joint) == 1; }

static bool is_slide(const gmc_body *body) { return body->joint == GMC_JOINT_PRISMATIC; }

/// +1, -1: it closes towards its upper, lower limit; 0: `close` does not move it.
static double closing_of(const gmc_check_model *m, int dof)
{
    const gmc_program *program = m->probe.input.program;
    for (int i = 0; i < program->finger_count; i++)
        if (program->fingers[i].dof == dof) return program->fingers[i].closing;
    return 0;
}

/// Is it moved by a drive of several joints?
static bool hangs_on_drive(const gmc_check_model *m, int dof)
{
    const gmc_program *program = m->probe.input.program;
    for (int i = 0; i < program->drive_count; i++)
        for (int k = 0; k < program->drives[i].joint_count; k++)
            if (program->drives[i].dofs[k] == dof) return true;
    return false;
}

static int depth_of(const gmc_model *model, int body)
{
    int depth = 0;
    for (int up = model->bodies[body].parent; up > 0; up = model->bodies[up].parent)
        depth++;
    return depth;
}

/// "2 box, 1 cylinder", or "none".
static const char *shapes_text(const gmc_model *model, int body, char text[96])
{
    static const char *const NAMES[GMC_SHAPE_COUNT] = {[GMC_SHAPE_SPHERE] = "sphere",
                                                       [GMC_SHAPE_CAPSULE] = "capsule",
                                                       [GMC_SHAPE_BOX] = "box",
                                                       [GMC_SHAPE_CYLINDER] = "cylinder",
                                                       [GMC_SHAPE_PLANE] = "plane",
                                                       [GMC_SHAPE_POLYTOPE] = "convex piece",
                                                       [GMC_SHAPE_POLYGON] = "polygon",
                                                       [GMC_SHAPE_CIRCLE] = "circle",
                                                       [GMC_SHAPE_SUPER_ELLIPSE] = "super-ellipse"};
    size_t used = 0;
    text[0] = 0;
    for (int type = 0; type < GMC_SHAPE_COUNT; type++) {
        int count = 0;
        for (int g = 0; g < model->geom_count; g++)
            count += model->geoms[g].body == body && model->geoms[g].shape.type == (unsigned)type;
        if (count > 0 && used < 90)
            used += (size_t)snprintf(text + used, 96 - used, "%s%d %s%s", used ? ", " : "", count,
                                     NAMES[type], count == 1 || type == GMC_SHAPE_BOX ? "" : "s");
    }
    return used ? text : "none: nothing can touch it";
}

/// Surfaces of a body's shapes, each once.
static const char *surfaces_text(const gmc_model *model, int body, char text[96])
{
    size_t used = 0;
    text[0] = 0;
    for (int g = 0; g < model->geom_count; g++) {
        const char *name = model->surfaces[model->geoms[g].surface];
        if (model->geoms[g].body != body || used > 80 || strstr(text, name)) continue;
        used += (size_t)snprintf(text + used, 96 - used, "%s%s", used ? ", " : "", name);
    }
    return text;
}

/// Where a link's mass properties are from; "" for bodies that are no links.
static const char *weighed_text(const gmc_check_model *m, int body)
{
    static const char *const WORDS[][2] = {
        [GMC_URDF_BY_FILE] = {"URDF", "MJCF"},
        [GMC_URDF_BY_FILE_MENDED] = {"URDF, inertia mended", "MJCF, inertia mended"},
        [GMC_URDF_BY_SHAPES_AT_MASS] = {"URDF's mass, shapes' inertia",
                                        "MJCF's mass, shapes' inertia"},
        [GMC_URDF_BY_SHAPES_AT_DENSITY] = {"shapes at 1000 kg/m3",
                                           "shapes by geoms' mass or density"},
        [GMC_URDF_BY_BALL] = {"URDF's mass, as a ball", "MJCF's mass, as a ball"}};
    const gmc_urdf *urdf = gmc_build_urdf(m->prepared->build);
    int link = urdf ? gmc_urdf_find_link(urdf, m->probe.input.model->bodies[body].name) : -1;
    return link >= 0 && is_hand(m, body)
               ? WORDS[urdf->links[link].weighed][m->prepared->scenario.hand.is_mjcf]
               : "";
}

// in words

static void print_number(FILE *out, double value, const char *unit)
{
    if (isinf(value))
        gmc_terminal_print(out, "no limit");
    else
        gmc_terminal_print(out, "%.4g %s", fabs(value) < 1e-12 ? 0 : value, unit);
}

static void print_links(const gmc_check_model *m, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    char shapes[96], surfaces[96];
    gmc_terminal_print(
        out,
        "\nlinks of the hand (each with those that fixed joints hang on it)\n  %-28s %10s  "
        "%-28s %-24s %s\n",
        "link", "mass [g]", "mass properties from", "shapes that count", "surface");
    for (int b = 1; b < model->body_count; b++) {
        if (!is_hand(m, b)) continue;
        const gmc_body *body = &model->bodies[b];
        int indent = 2 * depth_of(model, b), width = 28 - indent > 1 ? 28 - indent : 1;
        gmc_terminal_print(out, "  %*s%-*s %10.4g  %-28s %-24s %s\n", indent, "", width, body->name,
                           1e3 * body->inertia.mass, weighed_text(m, b),
                           shapes_text(model, b, shapes), surfaces_text(model, b, surfaces));
    }
}

static void print_joint(const gmc_check_model *m, const gmc_body *body, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    const gmc_dof *dof = &model->dofs[body->v];
    double factor = is_slide(body) ? 1e3 : 180 / GMC_PI;
    const char *unit = is_slide(body) ? "mm" : "deg";
    if (body->is_mimic) {
        gmc_terminal_print(out, "  to %-25s follows %s: %.4g times it, plus %.4g %s\n", body->name,
                           dof->name, body->ratio, factor * body->offset, unit);
        return;
    }
    double q = factor * (body->ratio * model->q_start[body->q] + body->offset);
    double closing = closing_of(m, body->v), end = closing > 0 ? dof->upper : dof->lower;
    gmc_terminal_print(out, "  %-28s start %.4g %s in [%.4g, %.4g]; ", dof->name, q, unit,
                       factor * dof->lower, factor * dof->upper);
    if (hangs_on_drive(m, body->v)) {
        gmc_terminal_print(out, "moved by a drive of several\n");
        return;
    }
    gmc_terminal_print(out, "at most ");
    print_number(out, dof->max_force, is_slide(body) ? "N" : "N*m");
    gmc_terminal_print(out, ", ");
    print_number(out, is_slide(body) ? dof->max_speed : dof->max_speed,
                 is_slide(body) ? "m/s" : "rad/s");
    if (closing != 0)
        gmc_terminal_print(out, "; closes towards %.4g %s (%s)\n", factor * end, unit,
                           closing > 0 ? "upper" : "lower");
    else
        gmc_terminal_print(out, "; close does not move it\n");
}

static void print_joints(const gmc_check_model *m, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    gmc_terminal_print(out, "\njoints of the hand, with the limits that are used\n");
    for (int b = 1; b < model->body_count; b++)
        if (is_hand(m, b) && !is_robot(m, b) && is_single(&model->bodies[b]))
            print_joint(m, &model->bodies[b], out);
}

static void print_robots(const gmc_check_model *m, FILE *out)
{
    const gmc_scenario *scenario = &m->prepared->scenario;
    const gmc_model *model = m->probe.input.model;
    if (scenario->robot_count == 0) return;
    fputc('\n', out);
    for (int i = 0; i < scenario->robot_count; i++)
        gmc_terminal_print(out, "%-9s from %s, mounted on %s\n", scenario->robots[i].name,
                           scenario->robots[i].urdf,
                           scenario->robots[i].mounted_on ? scenario->robots[i].mounted_on
                                                          : "the world");
    gmc_terminal_print(out, "\njoints of robots, with the limits that are used\n");
    for (int b = 1; b < model->body_count; b++)
        if (is_robot(m, b) && is_single(&model->bodies[b])) print_joint(m, &model->bodies[b], out);
}

// "FFJ0   1 FFJ2 + 1 FFJ1, kp 1 N*m/rad, kd 0.1 N*m*s/rad; at most 2 N*m".
static void print_drive(const gmc_check_model *m, const gmc_robot_spec *robot,
                        const gmc_drive_spec *spec, const gmc_drive *drive, FILE *out)
{
    const char *slash = robot == &m->prepared->scenario.hand ? "" : "/";
    char name[160];
    snprintf(name, sizeof name, "%.60s%s%.80s", slash[0] ? robot->name : "", slash, spec->name);
    gmc_terminal_print(out, "  %-28s ", name);
    for (int k = 0; k < spec->joint_count; k++)
        gmc_terminal_print(out, "%s%.4g %s", k > 0 ? " + " : "", m->values[spec->shares[k]],
                           spec->joints[k]);
    gmc_terminal_print(out, ", kp %.4g %s, kd %.4g %s; at most ", drive->stiffness,
                       drive->slides ? "N/m" : "N*m/rad", drive->damping,
                       drive->slides ? "N*s/m" : "N*m*s/rad");
    print_number(out, drive->max_force, drive->slides ? "N" : "N*m");
    fputc('\n', out);
}

static void print_drives(const gmc_check_model *m, FILE *out)
{
    const gmc_scenario *s = &m->prepared->scenario;
    const gmc_program *program = m->probe.input.program;
    int index = 0;
    if (program->drive_count == 0) return;
    gmc_terminal_print(out, "\ndrives of several joints\n");
    for (int i = 0; i <= s->robot_count; i++) {
        const gmc_robot_spec *robot = i < s->robot_count ? &s->robots[i] : &s->hand;
        for (int k = 0; k < robot->drive_count; k++, index++)
            print_drive(m, robot, &robot->drives[k], &program->drives[index], out);
    }
}

static void print_place(const gmc_pose *X, FILE *out)
{
    gmc_quat q = gmc_quat_from_matrix(&X->R);
    gmc_terminal_print(out, "(%.4g, %.4g, %.4g) mm", 1e3 * X->p.x, 1e3 * X->p.y, 1e3 * X->p.z);
    gmc_vec3 turn = gmc_quat_log(q);
    double angle = gmc_vec3_norm(turn);
    if (angle > 1e-9)
        gmc_terminal_print(out, ", turned by %.4g deg about (%.3g, %.3g, %.3g)",
                           angle * 180 / GMC_PI, turn.x / angle, turn.y / angle, turn.z / angle);
    fputc('\n', out);
}

static void print_frames(const gmc_check_model *m, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    int tool = m->probe.input.measures->tool_frame;
    gmc_terminal_print(out, "\nframes that are no links of their own\n");
    for (int i = 0; i < model->frame_count; i++) {
        const gmc_frame *frame = &model->frames[i];
        if (!is_hand(m, frame->body) || strcmp(frame->name, model->bodies[frame->body].name) == 0)
            continue;
        gmc_terminal_print(out, "  %-28s on %s at ", frame->name, model->bodies[frame->body].name);
        print_place(&frame->X_bf, out);
    }
    if (tool < 0) return;
    const gmc_frame *frame = &model->frames[tool];
    gmc_pose start = gmc_pose_multiply(&m->X[frame->body], &frame->X_bf);
    gmc_terminal_print(out, "  the hand's frame is %s, it starts at ", frame->name);
    print_place(&start, out);
}

static void print_bodies(const gmc_check_model *m, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    char shapes[96], surfaces[96];
    gmc_terminal_print(out, "\nother bodies\n");
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        gmc_vec3 low, high;
        if (is_hand(m, b)) continue;
        gmc_terminal_print(out, "  %-28s %s; %s; surface %s\n", body->name,
                           gmc_model_is_static(model, b) ? "fixed" : "free",
                           shapes_text(model, b, shapes), surfaces_text(model, b, surfaces));
        if (gmc_shapes_box(model, b, &low, &high))
            gmc_terminal_print(
                out, "  %-28s from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) mm in its frame\n", "",
                1e3 * low.x, 1e3 * low.y, 1e3 * low.z, 1e3 * high.x, 1e3 * high.y, 1e3 * high.z);
        if (!gmc_model_is_static(model, b)) {
            const gmc_inertia *I = &body->inertia;
            gmc_terminal_print(
                out,
                "  %-28s %.4g kg, centre of mass (%.4g, %.4g, %.4g) mm, moments %.3g, %.3g, "
                "%.3g kg*m2\n",
                "", I->mass, 1e3 * I->com.x, 1e3 * I->com.y, 1e3 * I->com.z, I->I.m[0], I->I.m[4],
                I->I.m[8]);
        }
        gmc_terminal_print(out, "  %-28s starts at ", "");
        print_place(&m->X[b], out);
    }
}

static void print_touch(const gmc_check_model *m, FILE *out)
{
    const gmc_model *model = m->probe.input.model;
    const gmc_scenario *s = &m->prepared->scenario;
    const char *what = m->probe.input.measures->is_hand ? "hand" : "object";
    gmc_terminal_print(out, "\nfirst contact of the %s at nominal values\n  ", what);
    if (!m->touch.is_found) {
        gmc_terminal_print(out, "none%s%s\n", m->reason == GMC_REASON_NONE ? "" : ": ",
                           m->reason == GMC_REASON_NONE ? "" : gmc_reason_about(m->reason));
        return;
    }
    const gmc_probe_touch *t = &m->touch;
    bool is_phase = t->phase < s->phase_count;
    gmc_terminal_print(out, "%s and %s after %.4g s, in phase %s, at (%.4g, %.4g, %.4g) mm\n",
                       model->bodies[model->geoms[t->geom_a].body].name,
                       model->bodies[model->geoms[t->geom_b].body].name, t->time,
                       is_phase ? s->program[t->phase].name : "none", 1e3 * t->point.x,
                       1e3 * t->point.y, 1e3 * t->point.z);
}

static void print_notes(const gmc_diagnostics *messages, FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < messages->count; i++) {
        if (messages->items[i].severity != GMC_NOTE) continue;
        if (is_first) fputs("\nmeshes that were cut\n", out);
        gmc_terminal_print(out, "  %s\n", messages->items[i].message);
        is_first = false;
    }
    is_first = true;
    for (int i = 0; i < messages->count; i++)
        is_first = is_first && !messages->items[i].kind;
    if (is_first) return;
    gmc_terminal_print(out, "\nwarnings, each\n");
    gmc_diagnostics_print_kinds(messages, out);
}

/// Tables for people. Notes (what became of meshes) and warnings of a kind are taken from
/// `messages`, one a line.
static void check_model_print(const gmc_check_model *m, const gmc_diagnostics *messages, FILE *out)
{
    const gmc_urdf *urdf = gmc_build_urdf(m->prepared->build);
    if (urdf) {
        const gmc_robot_spec *hand = &m->prepared->scenario.hand;
        gmc_terminal_print(out, "hand      %s from %s, %s%s\n", urdf->name, urdf->file,
                           hand->is_mounted ? "mounted on " : "its base is moved by the program",
                           hand->mounted_on   ? hand->mounted_on
                           : hand->is_mounted ? "the world"
                                              : "");
        print_links(m, out);
        print_joints(m, out);
        print_frames(m, out);
    }
    print_robots(m, out);
    print_drives(m, out);
    print_bodies(m, out);
    print_notes(messages, out);
    print_touch(m, out);
}

// as JSON

static void json_vec3(gmc_json *json, const char *name, gmc_vec3 v)
{
    gmc_json_reals(json, name, (const double[]){v.x, v.y, v.z}, 3);
}

static void json_pose(gmc_json *json, const char *name, const gmc_pose *X)
{
    gmc_quat q = gmc_quat_from_matrix(&X->R);
    gmc_json_reals(json, name, (const double[]){X->p.x, X->p.y, X->p.z, q.w, q.x, q.y, q.z}, 7);
}

static void json_joint(const gmc_check_model *m, const gmc_body *body, gmc_json *json)
{
    const gmc_model *model = m->probe.input.model;
    const gmc_dof *dof = &model->dofs[body->v];
    gmc_json_open(json, "joint", '{');
    gmc_json_text(json, "name", dof->name);
    gmc_json_text(json, "type", is_slide(body) ? "prismatic" : "revolute");
    gmc_json_flag(json, "mimic", body->is_mimic);
    gmc_json_real(json, "start", body->ratio * model->q_start[body->q] + body->offset);
    gmc_json_real(json, "lower", dof->lower);
    gmc_json_real(json, "upper", dof->upper);
    gmc_json_real(json, "max_force", dof->max_force);
    gmc_json_real(json, "max_speed", dof->max_speed);
    double closing = body->is_mimic ? 0 : closing_of(m, body->v);
    gmc_json_text(json, "closes", closing > 0 ? "upper" : closing < 0 ? "lower" : NULL);
    gmc_json_close(json, '}');
}

static void json_body(const gmc_check_model *m, int b, gmc_json *json)
{
    const gmc_model *model = m->probe.input.model;
    const gmc_body *body = &model->bodies[b];
    gmc_vec3 low, high;
    char text[96];
    gmc_json_open(json, NULL, '{');
    gmc_json_text(json, "name", body->name);
    gmc_json_text(json, "parent", body->parent > 0 ? model->bodies[body->parent].name : NULL);
    gmc_json_flag(json, "hand", is_hand(m, b));
    gmc_json_flag(json, "fixed", gmc_model_is_static(model, b));
    if (is_single(body)) json_joint(m, body, json);
    gmc_json_real(json, "mass", body->inertia.mass);
    json_vec3(json, "com", body->inertia.com);
    const double *I = body->inertia.I.m;
    gmc_json_reals(json, "inertia", (const double[]){I[0], I[4], I[8], I[1], I[2], I[5]}, 6);
    const char *weighed = weighed_text(m, b);
    gmc_json_text(json, "weighed_by", weighed[0] ? weighed : NULL);
    gmc_json_text(json, "surfaces", surfaces_text(model, b, text));
    if (gmc_shapes_box(model, b, &low, &high)) {
        json_vec3(json, "low", low);
        json_vec3(json, "high", high);
    }
    json_pose(json, "pose", &m->X[b]);
    gmc_json_close(json, '}');
}

/// The same as an object `model`, with shapes as `replay --shapes` tells them.
static void json_drive(const gmc_check_model *m, const gmc_robot_spec *robot,
                       const gmc_drive_spec *spec, const gmc_drive *drive, gmc_json *json)
{
    gmc_json_open(json, NULL, '{');
    gmc_json_text(json, "name", spec->name);
    gmc_json_text(json, "robot", robot == &m->prepared->scenario.hand ? NULL : robot->name);
    gmc_json_text(json, "type", drive->slides ? "prismatic" : "revolute");
    gmc_json_open(json, "joints", '{');
    for (int k = 0; k < spec->joint_count; k++)
        gmc_json_real(json, spec->joints[k], m->values[spec->shares[k]]);
    gmc_json_close(json, '}');
    gmc_json_real(json, "kp", drive->stiffness);
    gmc_json_real(json, "kd", drive->damping);
    gmc_json_real(json, "max_force", drive->max_force);
    gmc_json_close(json, '}');
}

static void json_drives(const gmc_check_model *m, gmc_json *json)
{
    const gmc_scenario *s = &m->prepared->scenario;
    int index = 0;
    gmc_json_open(json, "drives", '[');
    for (int i = 0; i <= s->robot_count; i++) {
        const gmc_robot_spec *robot = i < s->robot_count ? &s->robots[i] : &s->hand;
        const gmc_drive *drives = m->probe.input.program->drives;
        for (int k = 0; k < robot->drive_count; k++, index++)
            json_drive(m, robot, &robot->drives[k], &drives[index], json);
    }
    gmc_json_close(json, ']');
}

static void check_model_json(const gmc_check_model *m, gmc_json *json)
{
    const gmc_model *model = m->probe.input.model;
    const gmc_scenario *s = &m->prepared->scenario;
    const gmc_measure_plan *plan = m->probe.input.measures;
    gmc_json_open(json, "model", '{');
    gmc_json_text(json, "world", s->world == GMC_WORLD_SPATIAL ? "spatial" : "planar");
    gmc_json_text(json, "object",
                  plan->object_body < 0 ? NULL : model->bodies[plan->object_body].name);
    gmc_json_text(json, "frame",
                  plan->tool_frame < 0 ? NULL : model->frames[plan->tool_frame].name);
    gmc_json_open(json, "bodies", '[');
    for (int b = 1; b < model->body_count; b++)
        json_body(m, b, json);
    gmc_json_close(json, ']');
    gmc_json_open(json, "frames", '[');
    for (int i = 0; i < model->frame_count; i++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", model->frames[i].name);
        gmc_json_text(json, "body", model->bodies[model->frames[i].body].name);
        json_pose(json, "pose", &model->frames[i].X_bf);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    json_drives(m, json);
    if (m->touch.is_found) {
        gmc_json_open(json, "first_contact", '{');
        gmc_json_text(json, "a", model->bodies[model->geoms[m->touch.geom_a].body].name);
        gmc_json_text(json, "b", model->bodies[model->geoms[m->touch.geom_b].body].name);
        gmc_json_real(json, "time", m->touch.time);
        if (m->touch.phase < s->phase_count)
            gmc_json_text(json, "phase", s->program[m->touch.phase].name);
        json_vec3(json, "point", m->touch.point);
        gmc_json_close(json, '}');
    }
    gmc_shapes_print(json, model);
    gmc_json_close(json, '}');
}

// ---- what a run would take: --pilot, --until ---------------------------------------------------
// check --pilot, check --until: a few trials are run, and what they took says what a run would
// take.
// Time is that of the core, not of the clock: what else the machine does at the moment is no
// property of the scenario.

typedef struct gmc_check_pilot {
    int trials;
    gmc_tally tally;
    double seconds;     ///< of one core, for a trial
    double pilot_p;     ///< (successes + 1) / (decided + 2): never certain
    gmc_stop_rule rule; ///< of --until; else GMC_STOP_NEVER
    double level;
    double
        agreement; ///< correlation of two cases of a draw, as the pilot says; -1: they share none
    int64_t worst[2],
        likely[2];     ///< draws needed at p = 1/2, at pilot_p: with --until, fixed beforehand
    int64_t draws;     ///< that the costs are for
    double run_trials; ///< and their trials
    int workers;
    double run_seconds, memory_bytes, result_bytes,
        journal_bytes; ///< of the whole run; -1: not known
} gmc_check_pilot;

enum { PILOT_ENOUGH = 16 };                 ///< trials that are run however long they take
enum { PILOT_CASES = 4 };                   ///< of a draw, where there are more
static const double PILOT_SECONDS = 5;      ///< after which no further one is begun
static const double MOTION_MOST = 64e6;     ///< bytes of motion that are kept
static const double JOURNAL_TRIAL = 8.25;   ///< bytes of memory: where it stands, and its verdict
static const double SUMMARY_CASE_BYTES = 8; ///< of a case in tables, compressed, as gear_map has

typedef struct gmc_piloting {
    const gmc_args *args;
    gmc_scenario *scenario;
    const gmc_store_plan *plan;
    gmc_trial_copy *copies; ///< (count)
    int count;
    double seconds;
} gmc_piloting;

static double core_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The i-th of `wanted` trials: cases from all over, a few of each draw, which say how far cases
/// agree.
static uint64_t number_of(const gmc_scenario *s, int i, int wanted)
{
    uint64_t cases = (uint64_t)s->case_count, n = (uint64_t)wanted, k = (uint64_t)i;
    if (cases <= PILOT_CASES) return k % ((uint64_t)s->draws * cases);
    uint64_t draw = k / PILOT_CASES, draws = (n + PILOT_CASES - 1) / PILOT_CASES;
    // places of a draw lie a share of the cases apart, those of the next one a little further
    uint64_t index = (k % PILOT_CASES * draws + draw) * cases / (draws * PILOT_CASES);
    return draw % (uint64_t)s->draws * cases + index;
}

/// Correlation of two cases of a draw, from the pairs that the pilot has; as if four draws more had
/// agreed in all: sixteen draws of four say it to 0.2 or so, and too few draws foretold are worse
/// than too many.
static double agreement_of(const gmc_piloting *p, double success)
{
    double alone = success * (1 - success), products = 0, pairs = 0, draws = 0;
    for (int i = 0; i < p->count;) {
        double sum = 0, squares = 0, size = 0;
        uint64_t draw = p->copies[i].trial.draw;
        for (; i < p->count && p->copies[i].trial.draw == draw; i++) {
            gmc_verdict verdict = gmc_trial_verdict(p->copies[i].trial.outcome);
            if (verdict == GMC_VERDICT_UNSOLVED) continue;
            double off = (verdict == GMC_VERDICT_SUCCESS) - success;
            sum += off;
            squares += off * off;
            size++;
        }
        products += sum * sum - squares;
        pairs += size * (size - 1);
        draws += size > 1;
    }
    if (!(pairs > 0)) return 1;
    double found = fmin(fmax(products / pairs / alone, 0), 1);
    return (draws * found + 4) / (draws + 4);
}

static gmc_status run_trials(gmc_piloting *p, const gmc_job *job, void *worker, int wanted)
{
    double bytes = 0;
    const gmc_trial *found = NULL;
    // the first one finds arenas too small: it is run twice
    GMC_TRY(job->run(worker, number_of(p->scenario, 0, wanted), gmc_signals_catch(), &found));
    for (int i = 0; i < wanted; i++) {
        double start = core_seconds();
        GMC_TRY(job->run(worker, number_of(p->scenario, i, wanted), gmc_signals_catch(), &found));
        p->seconds += core_seconds() - start;
        gmc_trial trial = *found;
        if (bytes > MOTION_MOST) trial.trajectory = NULL;
        GMC_TRY(gmc_trial_copy_set(&p->copies[i], &trial, job->column_count, job->sample_count));
        bytes += trial.trajectory ? (double)p->copies[i].capacity : 0;
        p->count = i + 1;
        if (p->count >= PILOT_ENOUGH && p->seconds > PILOT_SECONDS) break;
    }
    return GMC_OK;
}

static gmc_status run(gmc_piloting *p, const gmc_build *build, int wanted)
{
    p->copies = calloc((size_t)wanted, sizeof *p->copies);
    if (!p->copies) return GMC_E_MEMORY;
    gmc_rollouts rollouts = {
        .scenario = p->scenario, .build = build, .recording = gmc_rollouts_recording(p->scenario)};
    if (p->scenario->record != GMC_RECORD_NONE) rollouts.recording.record = GMC_RECORD_ALL;
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = run_trials(p, &job, worker, wanted);
    if (p->count <= GMC_NEARBY_PILOT) p->seconds *= 1 + gmc_rollouts_repeated_work(&rollouts);
    job.worker_free(worker);
    return status;
}

// what they say

/// Share of a run's trials that keep their motion.
static double kept_share(const gmc_piloting *p, double trials)
{
    const gmc_scenario *s = p->scenario;
    int failures = 0;
    for (int i = 0; i < p->count; i++)
        failures += p->copies[i].trial.outcome != GMC_OUTCOME_SUCCESS;
    switch (s->record) {
    case GMC_RECORD_NONE:
        return 0;
    case GMC_RECORD_FAILURES:
        return (double)failures / p->count;
    case GMC_RECORD_FIRST:
        return fmin((double)s->record_count, trials) / trials;
    case GMC_RECORD_EVERY:
        return 1.0 / (double)s->record_count;
    case GMC_RECORD_ALL:
        break;
    }
    return 1;
}

/// Failures alone are kept: their motions are another length. Where there are too few, all stand
/// in.
static void drop_motions(gmc_piloting *p)
{
    int late = 0;
    if (p->scenario->record != GMC_RECORD_FAILURES) return;
    for (int i = p->count / 4; i < p->count; i++)
        late += p->copies[i].trial.outcome != GMC_OUTCOME_SUCCESS;
    for (int i = 0; i < p->count && late >= 4; i++)
        if (p->copies[i].trial.outcome == GMC_OUTCOME_SUCCESS) p->copies[i].trial.trajectory = NULL;
}

static gmc_status weigh(gmc_piloting *p, const gmc_build *build, gmc_diagnostics *messages,
                        gmc_check_pilot *pilot)
{
    const char *folder = getenv("TMPDIR");
    gmc_footprint f;
    double trials = pilot->run_trials, kept = kept_share(p, trials) * trials;
    drop_motions(p);
    gmc_signals_hold(); // files of a moment, which are taken away again
    gmc_status status =
        gmc_footprint_measure(p->plan, p->copies, p->count, folder ? folder : "/tmp", messages, &f);
    gmc_signals_release();
    GMC_TRY(status);
    uint64_t peak = gmc_peak_memory_kib(); // of this and one worker
    pilot->memory_bytes = peak > 0 ? 1024.0 * (double)peak +
                                         (pilot->workers - 1) * (double)gmc_build_bytes(build) +
                                         trials * JOURNAL_TRIAL
                                   : -1;
    pilot->result_bytes = pilot->journal_bytes = -1;
    if (f.result_bytes <= 0) return GMC_OK;
    double cases = (double)p->scenario->case_count;
    pilot->result_bytes =
        f.result_bytes + trials * f.result_trial + (cases - 1) * SUMMARY_CASE_BYTES;
    if (kept >= 0.5) pilot->result_bytes += f.motion_bytes + kept * f.result_motion;
    pilot->journal_bytes = f.journal_bytes + trials * f.journal_trial + kept * f.journal_motion;
    return GMC_OK;
}

static void need(const gmc_piloting *p, gmc_check_pilot *pilot)
{
    const gmc_scenario *s = p->scenario;
    if (pilot->rule.kind != GMC_STOP_HALF_WIDTH) return;
    double width = pilot->rule.threshold, level = pilot->level;
    bool is_shared = s->case_count > 1 && !s->is_independent;
    gmc_needed worst = {
        .p = 0.5, .case_count = s->case_count, .is_independent = s->is_independent, .agreement = 1};
    gmc_needed likely = worst;
    likely.p = pilot->pilot_p;
    if (is_shared) likely.agreement = agreement_of(p, pilot->pilot_p);
    pilot->agreement = is_shared ? likely.agreement : -1;
    pilot->worst[0] = gmc_needed_until(&worst, width, level);
    pilot->worst[1] = gmc_needed_fixed(&worst, width, level);
    pilot->likely[0] = gmc_needed_until(&likely, width, level);
    pilot->likely[1] = gmc_needed_fixed(&likely, width, level);
    pilot->draws = pilot->likely[0];
}

static gmc_status fits(const gmc_args *args, const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    bool is_asked = args->stop.kind != GMC_STOP_NEVER;
    bool is_even = plan->replicas > 0 || plan->block > 1 || plan->weight_bound > 0;
    bool is_sparse = gmc_store_plan_is_sparse(plan);
    if (plan->interval_places > 0) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "run some draws: they show how wide the interval of each place is",
                            "an input given as interval(...) has a range of success, which a pilot "
                            "does not estimate");
        return GMC_E_INPUT;
    }
    if (args->stop.kind == GMC_STOP_SURROGATE) {
        gmc_diagnostics_add(
            messages, GMC_E_INPUT, (gmc_source){.file = args->input},
            "half_width<W  without  by surrogate  shows how many draws the trials alone need",
            "what a surrogate saves is not known before the run");
        return GMC_E_INPUT;
    }
    if (!is_sparse && !(is_asked && is_even)) return GMC_OK;
    gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input}, NULL,
                        is_sparse ? "a ladder, a ranking or subset simulation decides itself "
                                    "which trials are run: no pilot tells what that takes"
                                  : "how many draws of this design a width needs is not known "
                                    "beforehand; --until needs random draws");
    return GMC_E_INPUT;
}

/// Run `args->pilot` trials, spread over draws and cases, or as many as some seconds allow.
/// @return GMC_OK; GMC_E_INPUT (no pilot can tell: a ladder, a design; reported), GMC_E_MEMORY,
///         GMC_E_INTERRUPTED; as gmc_footprint_measure
static gmc_status check_pilot_run(const gmc_args *args, gmc_prepared *prepared,
                                  const gmc_store_plan *plan, gmc_diagnostics *messages,
                                  gmc_check_pilot *pilot)
{
    gmc_scenario *s = &prepared->scenario;
    gmc_piloting p = {.args = args, .scenario = s, .plan = plan};
    *pilot = (gmc_check_pilot){.rule = args->stop, .level = args->level, .draws = s->draws};
    GMC_TRY(fits(args, plan, messages));
    int wanted = plan->total < args->pilot.value ? (int)plan->total : (int)args->pilot.value;
    gmc_status status = run(&p, prepared->build, wanted);
    for (int i = 0; i < p.count; i++)
        gmc_tally_add(&pilot->tally, gmc_trial_verdict(p.copies[i].trial.outcome));
    if (status == GMC_OK) {
        pilot->trials = p.count;
        pilot->seconds = p.seconds / p.count;
        pilot->pilot_p =
            ((double)pilot->tally.successes + 1) / ((double)gmc_tally_decided(pilot->tally) + 2);
        need(&p, pilot);
        pilot->workers = args->workers.is_given ? (int)args->workers.value : gmc_cores_usable();
        pilot->run_trials = (double)pilot->draws * (double)s->case_count;
        pilot->run_seconds = pilot->run_trials * pilot->seconds / pilot->workers;
        status = weigh(&p, prepared->build, messages, pilot);
    }
    for (int i = 0; p.copies && i < wanted; i++)
        gmc_trial_copy_free(&p.copies[i]);
    free(p.copies);
    return status;
}

// in words and as JSON

/// "3.2 MB"
static const char *bytes_text(double bytes, char *text, size_t room)
{
    static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    if (bytes < 0) return "not known";
    for (; bytes >= 999.5 && unit + 1 < GMC_COUNT(UNITS); unit++)
        bytes /= 1000;
    snprintf(text, room, bytes < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return text;
}

static const char *time_text(double seconds, char *text, size_t room)
{
    if (seconds < 120)
        snprintf(text, room, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, room, "%.3g min", seconds / 60);
    else
        snprintf(text, room, "%.3g h", seconds / 3600);
    return text;
}

static void check_pilot_print(const gmc_check_pilot *p, FILE *out)
{
    char text[3][32], estimate[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate e = gmc_estimate_of(p->tally, p->level, GMC_METHOD_WILSON);
    gmc_terminal_print(out, "pilot     %d trials, %s each on one core; success %s\n", p->trials,
                       time_text(p->seconds, text[0], sizeof text[0]),
                       gmc_estimate_text(&e, estimate));
    if (p->rule.kind == GMC_STOP_HALF_WIDTH) {
        char rule[GMC_STOP_TEXT_MAX];
        char cases[64] = "";
        if (p->agreement >= 0)
            snprintf(cases, sizeof cases, " and cases of a draw agree by %.2g", p->agreement);
        gmc_terminal_print(out,
                           "needed    for %s: %" PRId64
                           " draws with --until if p is %.3g%s (the pilot and one trial each way); "
                           "%" PRId64 " at worst (p = 0.5%s)\n",
                           gmc_stop_text(p->rule, rule), p->likely[0], p->pilot_p, cases,
                           p->worst[0], p->agreement >= 0 ? ", all cases alike" : "");
        fprintf(out, "          fixed beforehand with -n: %" PRId64 "; %" PRId64 " at worst\n",
                p->likely[1], p->worst[1]);
    }
    gmc_terminal_print(
        out,
        "a run     of %" PRId64 " draws, %.0f trials, estimated: %s on %d core%s, %s of memory\n",
        p->draws, p->run_trials, time_text(p->run_seconds, text[0], sizeof text[0]), p->workers,
        p->workers == 1 ? "" : "s", bytes_text(p->memory_bytes, text[1], sizeof text[1]));
    gmc_terminal_print(out, "          result %s, journal while it runs %s\n",
                       bytes_text(p->result_bytes, text[0], sizeof text[0]),
                       bytes_text(p->journal_bytes, text[1], sizeof text[1]));
}

/// "pilot": {...}, "needed": {...}, "costs": {...} of an open object.
static void check_pilot_json(const gmc_check_pilot *p, gmc_json *json)
{
    gmc_json_open(json, "pilot", '{');
    gmc_json_whole(json, "trials", (uint64_t)p->trials);
    gmc_answer_put_tally(json, &p->tally);
    gmc_json_real(json, "seconds_per_trial", p->seconds);
    gmc_json_close(json, '}');
    if (p->rule.kind == GMC_STOP_HALF_WIDTH) {
        char rule[GMC_STOP_TEXT_MAX];
        gmc_json_open(json, "needed", '{');
        gmc_json_text(json, "rule", gmc_stop_text(p->rule, rule));
        gmc_json_real(json, "pilot_p", p->pilot_p);
        if (p->agreement >= 0) gmc_json_real(json, "pilot_agreement", p->agreement);
        gmc_json_whole(json, "draws", (uint64_t)p->likely[0]);
        gmc_json_whole(json, "draws_worst", (uint64_t)p->worst[0]);
        gmc_json_whole(json, "draws_fixed", (uint64_t)p->likely[1]);
        gmc_json_whole(json, "draws_fixed_worst", (uint64_t)p->worst[1]);
        gmc_json_close(json, '}');
    }
    gmc_json_open(json, "costs", '{');
    gmc_json_whole(json, "draws", (uint64_t)p->draws);
    gmc_json_real(json, "trials", p->run_trials);
    gmc_json_whole(json, "workers", (uint64_t)p->workers);
    gmc_json_real(json, "seconds", p->run_seconds);
    gmc_json_real(json, "memory_bytes", p->memory_bytes);
    gmc_json_real(json, "result_bytes", p->result_bytes);
    gmc_json_real(json, "journal_bytes", p->journal_bytes);
    gmc_json_close(json, '}');
}

// ---- draws that are more than plain ones -------------------------------------------------------

static void print_importance(const gmc_scenario *s, FILE *out)
{
    const gmc_node *map = gmc_node_find(gmc_node_find(s->tree, "sampling"), "importance");
    if (!s->is_weighted || !map || map->kind != GMC_NODE_MAP) return;
    const char *head = "proposed";
    for (const gmc_node *n = map->first; n; n = n->next, head = "")
        gmc_terminal_print(out, "%-10s%-24s %s\n", head, n->key, n->text ? n->text : "");
    gmc_terminal_print(
        out, "%-10s%.4g %% of the draws from the true distributions; no weight above %.4g\n", head,
        100 * s->true_share, s->weight_bound);
}

static void print_cheap_level(const gmc_scenario *s, FILE *out)
{
    if (s->pilot == 0) return;
    for (int i = 0; i + 1 < s->level_count; i++) {
        const gmc_level_spec *cheap = &s->levels[i];
        double step = cheap->step > 0 ? cheap->step : s->parameters[s->step].nominal;
        const char *motion = cheap->motion ? cheap->motion : s->motion;
        gmc_terminal_print(out, "%-10s%s with %s, %s, %.4g ms", i == 0 ? "cheap" : "",
                           i == 0 ? "every draw" : "as many as pay",
                           cheap->stepper ? cheap->stepper : s->stepper,
                           motion ? motion : "dynamic", 1000 * step);
        if (i + 2 < s->level_count) fputc('\n', out);
    }
    gmc_terminal_print(out, "; %d also as simulation says, then as many as pay\n", s->pilot);
}

/// Lines about importance sampling, subset simulation and two levels; none for other draws.
/// @param s  resolved
static void check_chance_print(const gmc_scenario *s, FILE *out)
{
    print_importance(s, out);
    if (s->subset.is_given)
        gmc_terminal_print(
            out, "subset    %d run%s of at most %d levels, %d points each; margin %s\n",
            s->subset.runs, s->subset.runs == 1 ? "" : "s", s->subset.levels, s->subset.per_level,
            s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED);
    if (s->subset.aimed > 0)
        gmc_terminal_print(out,
                           "          %d draws behind them, aimed by a surrogate of the margin\n",
                           s->subset.aimed);
    if (s->subset.is_given && s->subset.aimed == 0 && s->subset.per_level < GMC_SUBSET_POINTS_FEW)
        gmc_terminal_print(out, "          %d points a level: %s\n", s->subset.per_level,
                           GMC_ANSWER_SUBSET_FEW);
    print_cheap_level(s, out);
}

// ---- candidate grasps --------------------------------------------------------------------------

// The part of `check` about candidate grasps: how far the open hand is from the object in each. A
// file that speaks of another frame than the scenario says shows in nothing else as clearly. An
// object that does not even reach into the box around the hand is no object between fingers.

/// The gaps of one object.
typedef struct spread {
    int64_t count, overlapping, far;
    int64_t elsewhere; // overlaps, but hand and object do not
    double least, median, largest;
} spread;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// @param sorted  (count) scratch
static spread spread_of(const gmc_scenario *scenario, int object, const gmc_nominal_start *starts,
                        int64_t count, double accepted, double *sorted)
{
    spread s = {0};
    for (int64_t c = 0; c < count; c++) {
        if (gmc_study_object(scenario, c) != object || isnan(starts[c].gap.gap)) continue;
        sorted[s.count++] = starts[c].gap.gap;
        s.overlapping += starts[c].gap.gap < -accepted;
        s.far += starts[c].gap.outside > 0;
        s.elsewhere += starts[c].worst.depth > 0 && !(starts[c].gap.gap < -accepted);
    }
    if (s.count == 0) return s;
    qsort(sorted, (size_t)s.count, sizeof *sorted, by_size);
    s.least = sorted[0];
    s.median = (sorted[(s.count - 1) / 2] + sorted[s.count / 2]) / 2;
    s.largest = sorted[s.count - 1];
    return s;
}

/// One line for each object that has grasps.
/// @param starts    (count) of the first cases, as gmc_nominal_look has them
/// @param accepted  overlap that a trial accepts [m]
static void check_grasps_print(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                               int64_t count, double accepted, FILE *out)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    bool is_first = true;
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        gmc_terminal_print(out, "%-10s%-16s %s (%s): %d of %d", is_first ? "grasps" : "",
                           scenario->objects[o].name, set->file, set->grasps.format, set->count,
                           set->grasps.count);
        is_first = false;
        if (s.count > 0)
            fprintf(out, "; gap to the hand %.3g ... %.3g mm, median %.3g mm", 1e3 * s.least,
                    1e3 * s.largest, 1e3 * s.median);
        if (s.overlapping > 0) fprintf(out, "; %" PRId64 " overlap", s.overlapping);
        if (s.elsewhere > 0) fprintf(out, "; %" PRId64 " overlap elsewhere", s.elsewhere);
        if (s.far > 0) fprintf(out, "; %" PRId64 " beside the hand", s.far);
        fputc('\n', out);
    }
    free(sorted);
}

/// The grasp of a case.
static const gmc_grasp *grasp_of(const gmc_scenario *scenario, int64_t c, int *row)
{
    int index = 0;
    const gmc_grasp_set *set = gmc_study_grasp_set(scenario, c, &index);
    *row = set->rows[index];
    return &set->grasps.list[*row];
}

static void print_row(const gmc_scenario *scenario, int64_t c, FILE *out)
{
    int row = 0;
    const gmc_grasp *grasp = grasp_of(scenario, c, &row);
    gmc_terminal_print(out, "  %-20s %7d  ", grasp->name, row);
    if (isnan(grasp->confidence))
        gmc_terminal_print(out, "%10s", "");
    else
        fprintf(out, "%10.4g", grasp->confidence);
}

static void print_gaps(const gmc_nominal_start *start, FILE *out)
{
    fprintf(out, "  %9.3f  ", 1e3 * start->gap.gap);
    if (isinf(start->scene_gap.gap))
        gmc_terminal_print(out, "%10s", "");
    else
        fprintf(out, "%10.3f", 1e3 * start->scene_gap.gap);
}

static void print_worst(const gmc_nominal_start *start, FILE *out)
{
    const gmc_build_overlap *worst = &start->worst;
    if (worst->depth > 0)
        gmc_terminal_print(out, "  %s / %s %.1f mm", worst->a, worst->b, 1e3 * worst->depth);
    if (start->gap.outside > 0) fputs("  beside", out);
}

// The static grasp of each case: the fingers close until they touch the object, which stays where
// it is (auto_grasp.h).

static gmc_status close_once(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                             void *context)
{
    gmc_auto_grasp *found = context;
    GMC_TRY(gmc_auto_grasp_find(input, trial, scratch, found));
    found->q = NULL; // the arena's
    return GMC_OK;
}

/// @param list  (count) out; epsilon NaN: the case cannot start
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, GMC_E_LIBRARY
static gmc_status close_all(const gmc_prepared *prepared, int64_t count, gmc_auto_grasp *list)
{
    const gmc_scenario *s = &prepared->scenario;
    gmc_look look;
    gmc_status status = gmc_look_open(s, prepared->build, &look);
    for (int64_t c = 0; c < count && status == GMC_OK; c++) {
        gmc_perturb_believed(s, c, look.believed);
        gmc_perturb_believed(s, c, look.values);
        status = gmc_look_do(&look, c, close_once, &list[c]);
        if (status != GMC_E_INPUT) continue;
        list[c] = (gmc_auto_grasp){.epsilon = NAN, .friction = NAN};
        status = GMC_OK; // values that are not good together
    }
    gmc_look_close(&look);
    return status;
}

static void print_closed(const gmc_auto_grasp *closed, FILE *out)
{
    if (isnan(closed->epsilon)) {
        gmc_terminal_print(out, "  %5s  %6s  %9s  %9s", "", "", "", "");
        return;
    }
    fprintf(out, "  %5d  %6s  ", closed->link_count, closed->is_closed ? "yes" : "no");
    if (closed->is_closed)
        fprintf(out, "%9.4f  ", closed->epsilon);
    else
        gmc_terminal_print(out, "%9s  ", "-1");
    if (isinf(closed->friction))
        gmc_terminal_print(out, "%9s", "none");
    else
        fprintf(out, "%9.4f", closed->friction);
}

static const char CLOSED_HEAD[] = "  links  closed    epsilon   needs mu";

/// A table of all of them.
/// @param starts  (count) NULL: there are no grasps, and the hand closes where it starts
/// @param closed  (count) NULL: there is no hand
static void check_grasps_list(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              const gmc_auto_grasp *closed, int64_t count, FILE *out)
{
    gmc_terminal_print(out, "%7s  %-12s", "case", "object");
    if (starts) gmc_terminal_print(out, "  %-20s %7s  %10s", "grasp", "row", "confidence");
    if (closed) gmc_terminal_print(out, "%s", CLOSED_HEAD);
    if (starts) gmc_terminal_print(out, "  %9s  %10s  deepest overlap", "gap [mm]", "scene [mm]");
    fputc('\n', out);
    for (int64_t c = 0; c < count; c++) {
        const char *object = scenario->objects[gmc_study_object(scenario, c)].name;
        gmc_terminal_print(out, "%7" PRId64 "  %-12s", c, object);
        if (starts) print_row(scenario, c, out);
        if (closed) print_closed(&closed[c], out);
        if (starts) print_gaps(&starts[c], out);
        if (starts) print_worst(&starts[c], out);
        fputc('\n', out);
    }
}

/// `overlap`: who overlaps most at the start, the hand and the object or others; null: nobody by
/// more than a trial accepts.
static void put_overlap(gmc_json *json, const gmc_build_overlap *worst)
{
    if (!(worst->depth > 0)) {
        gmc_json_text(json, "overlap", NULL);
        return;
    }
    gmc_json_open(json, "overlap", '{');
    gmc_overlaps_put(json, worst);
    gmc_json_close(json, '}');
}

/// An array `static_grasps`, one element a case.
static void put_closed(const gmc_scenario *scenario, const gmc_auto_grasp *closed, int64_t count,
                       gmc_json *json)
{
    gmc_json_open(json, "static_grasps", '[');
    for (int64_t c = 0; c < count; c++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)c);
        gmc_json_text(json, "object", scenario->objects[gmc_study_object(scenario, c)].name);
        gmc_json_whole(json, "links", (uint64_t)closed[c].link_count);
        gmc_json_whole(json, "points", (uint64_t)closed[c].point_count);
        gmc_json_flag(json, "closed", closed[c].is_closed);
        gmc_json_real(json, "epsilon", closed[c].epsilon);
        gmc_json_real(json, "volume", closed[c].volume);
        gmc_json_real(json, "friction_needed", closed[c].friction);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// Both as JSON: an array `grasps`, one element a case.
static void check_grasps_json(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              int64_t count, gmc_json *json)
{
    gmc_json_open(json, "grasps", '[');
    for (int64_t c = 0; c < count; c++) {
        int row = 0;
        const gmc_grasp *grasp = grasp_of(scenario, c, &row);
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)c);
        gmc_json_text(json, "object", scenario->objects[gmc_study_object(scenario, c)].name);
        gmc_json_text(json, "grasp", grasp->name);
        gmc_json_whole(json, "row", (uint64_t)row);
        gmc_json_real(json, "confidence", grasp->confidence);
        gmc_json_real(json, "gap_m", starts[c].gap.gap);
        gmc_json_real(json, "outside_m", starts[c].gap.outside);
        gmc_json_real(json, "scene_gap_m", starts[c].scene_gap.gap);
        put_overlap(json, &starts[c].worst);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// Warn of objects most of whose grasps overlap, or are far away.
static void check_grasps_warn(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              int64_t count, double accepted, gmc_diagnostics *messages)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        bool do_overlap = 2 * s.overlapping > s.count, are_far = 2 * s.far > s.count;
        if (!do_overlap && !are_far) continue;
        gmc_diagnostics_add(messages, GMC_OK, set->source,
                            "is it another link of the hand that the file places (frame, gripper), "
                            "or another frame "
                            "of the object (object, scale)?",
                            "%s: in %" PRId64 " of %" PRId64
                            " grasps the hand %s the object; median gap %.3g mm",
                            set->path, do_overlap ? s.overlapping : s.far, s.count,
                            do_overlap ? "overlaps" : "is wholly beside", 1e3 * s.median);
    }
    free(sorted);
}

// ---- how the fingers close ---------------------------------------------------------------------

// What `check` says of how the fingers close.

/// How a finger closes in a phase, at nominal values.
typedef struct course {
    gmc_build_joint_facts joint;
    double end;         ///< NaN: not known; infinite: none
    const char *end_is; ///< "limit", "closed", "position"
    double force;       ///< of each joint that its drive moves; +inf: whatever the servo takes
    double speed;       ///< +inf: no limit
} course;

static const gmc_phase_spec *first_close(const gmc_scenario *s)
{
    for (int i = 0; i < s->phase_count; i++)
        if (s->program[i].kind == GMC_PHASE_CLOSE) return &s->program[i];
    return NULL;
}

static double value_of(const gmc_scenario *s, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : s->parameters[param].nominal;
}

static course course_of(const gmc_scenario *s, const gmc_phase_spec *phase,
                        const gmc_build_joint_facts *joint)
{
    course c = {.joint = *joint,
                .speed = fmin(value_of(s, phase->speed, INFINITY), joint->max_speed)};
    c.force = joint->max_force / joint->coupled;
    if (phase->force >= 0) {
        c.end = joint->closes > 0 ? joint->upper : joint->lower;
        c.end_is = "limit";
        c.force = fmin(c.force, joint->share * value_of(s, phase->force, 0));
    } else if (phase->position >= 0) {
        c.end = value_of(s, phase->position, 0);
        c.end_is = "position";
    } else {
        c.end = joint->closed;
        c.end_is = joint->is_closed_given ? "closed" : "limit";
    }
    return c;
}

static void print_joint_place(double x, bool is_slide, FILE *out)
{
    if (isinf(x))
        gmc_terminal_print(out, "%s", x > 0 ? "inf" : "-inf");
    else
        gmc_terminal_print(out, "%.4g %s", is_slide ? 1e3 * x : x * 180 / GMC_PI,
                           is_slide ? "mm" : "deg");
}

/// Of one joint, and where others mimic it of the drive that they share.
static void print_force(const course *c, FILE *out)
{
    const char *unit = c->joint.is_slide ? "N" : "N*m";
    if (!isfinite(c->force)) return;
    gmc_terminal_print(out, ", %.4g %s", c->force, unit);
    if (c->joint.moved > 1)
        gmc_terminal_print(out, " at each of %d joints (drive %.4g %s)", c->joint.moved,
                           c->force * c->joint.coupled, unit);
}

static void print_course(const course *c, bool is_first, FILE *out)
{
    bool is_slide = c->joint.is_slide;
    gmc_terminal_print(out, "%-10s%s ", is_first ? "closes" : "", c->joint.name);
    print_joint_place(c->joint.start, is_slide, out);
    fputs(" -> ", out);
    print_joint_place(c->end, is_slide, out);
    if (isinf(c->end))
        fputs(" (no limit)", out);
    else
        gmc_terminal_print(out, " (%s)", c->end_is);
    print_force(c, out);
    if (isfinite(c->speed))
        gmc_terminal_print(out, ", at most %.4g %s", c->speed, is_slide ? "m/s" : "rad/s");
    fputc('\n', out);
}

/// A line for each finger that the first phase `close` moves, at nominal values; none without such
/// a phase: "closes  joint  start -> end (what the end is), force, largest speed".
static void check_closing_print(const gmc_scenario *s, const gmc_build *build, FILE *out)
{
    const gmc_phase_spec *phase = first_close(s);
    bool is_first = true;
    for (int i = 0; phase && i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        print_course(&c, is_first, out);
        is_first = false;
    }
}

/// The same as the list "closes", numbers in SI.
static void check_closing_json(const gmc_scenario *s, const gmc_build *build, gmc_json *json)
{
    const gmc_phase_spec *phase = first_close(s);
    if (!phase) return;
    gmc_json_open(json, "closes", '[');
    for (int i = 0; i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "joint", joint.name);
        gmc_json_text(json, "by", joint.closes_by);
        gmc_json_text(json, "unit", joint.is_slide ? "m" : "rad");
        gmc_json_real(json, "start", joint.start);
        gmc_json_real(json, "end", c.end);
        gmc_json_text(json, "end_is", c.end_is);
        gmc_json_real(json, "force", c.force);
        gmc_json_real(json, "drive_force", c.force * joint.coupled);
        gmc_json_whole(json, "joints", (uint64_t)joint.moved);
        gmc_json_real(json, "max_speed", c.speed);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

// ---- what would run ----------------------------------------------------------------------------

/// The starts of a run's first trials.
typedef struct starts_ahead {
    uint64_t looked_at, of;  ///< trials; of all that would run
    bool is_undecided;       ///< all of these are deep starts
    uint64_t worst;          ///< the trial whose bodies overlap most, and
    gmc_build_overlaps them; ///< who does
} starts_ahead;

static gmc_status look_at_trials(void *worker, starts_ahead *ahead)
{
    for (uint64_t i = 0; i < ahead->looked_at; i++) {
        gmc_build_overlaps found;
        GMC_TRY(gmc_rollouts_overlaps(worker, i, &found));
        if (found.count == 0) return GMC_OK;
        if (i > 0 && found.list[0].depth <= ahead->them.list[0].depth) continue;
        ahead->them = found;
        ahead->worst = i;
    }
    ahead->is_undecided = true;
    return GMC_OK;
}

/// Would nothing be decided, as far as the starts tell? Trials are looked at until one can start:
/// more of them where some case can at its nominal values, and none of studies that are to reject
/// such designs.
/// @return as gmc_rollouts_overlaps
static gmc_status look_ahead(const gmc_prepared *prepared, const gmc_nominal_starts *starts,
                             starts_ahead *ahead)
{
    enum { TRIALS = 64, TRIALS_FREE = 1000 };
    const gmc_scenario *s = &prepared->scenario;
    bool is_free = starts->deep < s->case_count;
    uint64_t cases = (uint64_t)starts->looked_at, least = is_free ? TRIALS_FREE : TRIALS;
    uint64_t most = cases > least ? cases : least;
    *ahead = (starts_ahead){.of = gmc_rollouts_total(s)};
    ahead->looked_at = ahead->of < most ? ahead->of : most;
    bool is_judged = s->level_count == 0 && !s->rank.is_given && s->subset.runs == 0;
    if (!is_judged) return GMC_OK;
    gmc_rollouts rollouts = {.scenario = s, .build = prepared->build};
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = look_at_trials(worker, ahead);
    job.worker_free(worker);
    return status;
}

/// What a run would take.
typedef struct gmc_check_costs {
    uint64_t trials;
    double duration_s; ///< longest simulated time of a trial at nominal values
    double asked_s;    ///< the same, of motions that last as long as is asked for
    double steps;
    double worker_bytes;     ///< arenas of one worker at the start
    double result_bytes;     ///< tables, before compression
    double trajectory_bytes; ///< of one kept trajectory, before compression
} gmc_check_costs;

/// What was seen at the start of each case.
typedef struct gmc_check_look {
    gmc_nominal_starts starts;
    gmc_nominal_start *grasps; ///< (count); NULL: no grasps
    gmc_auto_grasp *closed;    ///< (count); NULL: not asked for, or there is no hand
    int64_t count;
    starts_ahead ahead;
    bool is_undecided; ///< a run would decide nothing, as far as starts and pilot tell
} gmc_check_look;

/// How many cases are looked at.
static int64_t looked_at(const gmc_scenario *scenario)
{
    enum { CASES = 1000, GRASPS = 100000 }; // of these each costs a millisecond or so
    int64_t most = gmc_study_grasp(scenario, 0) >= 0 ? GRASPS : CASES;
    return scenario->case_count < most ? scenario->case_count : most;
}

static gmc_status look_at_starts(const gmc_args *args, const gmc_prepared *prepared,
                                 gmc_check_look *look)
{
    const gmc_scenario *s = &prepared->scenario;
    look->count = looked_at(s);
    if (gmc_study_grasp(s, 0) >= 0) {
        look->grasps = calloc((size_t)look->count, sizeof *look->grasps);
        if (!look->grasps) return GMC_E_MEMORY;
    }
    GMC_TRY(gmc_nominal_look(s, prepared->build, look->count, look->grasps, &look->starts));
    if (args->grasps && s->hand.urdf) {
        look->closed = calloc((size_t)look->count, sizeof *look->closed);
        if (!look->closed) return GMC_E_MEMORY;
        GMC_TRY(close_all(prepared, look->count, look->closed));
    }
    return look_ahead(prepared, &look->starts, &look->ahead);
}

/// The reason why a run would decide nothing.
static void print_undecided(const starts_ahead *a, FILE *out)
{
    char text[GMC_OVERLAPS_TEXT_MAX];
    if (!a->is_undecided) return;
    fprintf(out, "%-10snothing would be decided: ", "undecided");
    if (a->looked_at < a->of)
        fprintf(out, "the first %" PRIu64 " of %" PRIu64 " trials all start", a->looked_at, a->of);
    else
        fprintf(out, "all %" PRIu64 " trials start", a->of);
    gmc_terminal_print(out, " with bodies that overlap (deep_start); in trial %" PRIu64 " %s\n",
                       a->worst, gmc_overlaps_text(&a->them.list[0], text));
}

static void put_undecided(const starts_ahead *a, gmc_json *json)
{
    if (!a->is_undecided) return;
    gmc_json_open(json, "undecided", '{');
    gmc_json_whole(json, "looked_at", a->looked_at);
    gmc_json_whole(json, "trial", a->worst);
    gmc_overlaps_json(&a->them, json);
    gmc_json_close(json, '}');
}

// How long a trial lasts at most where no limit of a joint stretches a motion.
// @param values  those that say how far one may be stretched are lost
static double asked_time(const gmc_build *build, const gmc_scenario *s, double *values)
{
    for (int i = 0; i < s->phase_count; i++)
        if (s->program[i].kind == GMC_PHASE_MOVE_TO && s->program[i].at_most >= 0)
            values[s->program[i].at_most] = 0;
    return fmin(gmc_build_duration(build, values), values[s->time_limit]);
}

static gmc_check_costs costs_of(const gmc_scenario *s, const gmc_build *build,
                                const gmc_store_plan *plan)
{
    bool is_race = plan->ranking && plan->ranking->budget < plan->total;
    gmc_check_costs c = {.trials = is_race ? plan->ranking->budget : plan->total,
                         .worker_bytes = (double)gmc_build_bytes(build)};
    double *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    if (values) {
        for (int i = 0; i < s->parameter_count; i++)
            values[i] = s->parameters[i].nominal;
        c.duration_s = fmin(gmc_build_duration(build, values), values[s->time_limit]);
        c.steps = ceil(c.duration_s / values[s->step]);
        c.asked_s = asked_time(build, s, values);
    }
    free(values);
    c.result_bytes =
        (double)c.trials * (double)gmc_record_core_bytes(plan->column_count, plan->parameter_count);
    double rate = s->parameters[s->rate].nominal;
    double rows = rate > 0 ? c.duration_s * rate + 2 : c.steps + 1;
    // a row: time, pose and twist per body, position and effort per joint, and two patches of four
    // contact points, as in most grasps, each with point, normal, force, torque and two geoms
    double row_bytes = 8 + plan->models[0].body_count * 13 * 8 + plan->models[0].joint_count * 16 +
                       8 * (12 * 8 + 8);
    c.trajectory_bytes = rows * row_bytes;
    return c;
}

static void print_criteria(const gmc_scenario *s, bool is_at_end, bool *is_first)
{
    const gmc_criterion *list = is_at_end ? s->at_end : s->always;
    int count = is_at_end ? s->at_end_count : s->always_count;
    for (int i = 0; i < count; i++) {
        char from[96];
        const char *when = is_at_end ? "at the end:" : "always:    ";
        if (list[i].from > 0) {
            snprintf(from, sizeof from,
                     "from the end of %.60s on:", s->program[list[i].from - 1].name);
            when = from;
        }
        if (list[i].at > 0) {
            snprintf(from, sizeof from, "at the end of %.60s:", s->program[list[i].at - 1].name);
            when = from;
        }
        gmc_terminal_print(stdout, "%-10s%s %s\n", *is_first ? "success" : "", when, list[i].text);
        *is_first = false;
    }
}

/// How many trials a ranking may take, and how they may be spread.
static void print_race(const gmc_ranking_plan *ranking)
{
    uint64_t left = ranking->budget - (uint64_t)ranking->case_count * ranking->first;
    gmc_terminal_print(
        stdout,
        "%-10sbest %" PRId64 "%s within %.10g at %.10g %%: %" PRIu64 " draws of every case, "
        "then at most %" PRIu64 " trials where it is open, %" PRIu64 " draws a case\n",
        "rank", ranking->best, ranking->group_count > 1 ? " of each object" : "", ranking->within,
        100 * ranking->level, ranking->first, left, ranking->last);
}

/// Files that were read from outside of the scenario's folder, links resolved; `visit` for each.
static void each_outside(const gmc_scenario *s, void (*visit)(const char *file, void *context),
                         void *context)
{
    for (int i = 0; i < s->asset_count; i++) {
        if (gmc_location_is_inside(s->file, NULL, s->assets[i].file)) continue;
        char *real = gmc_location_real(s->assets[i].file);
        visit(real ? real : s->assets[i].file, context);
        free(real);
    }
}

static void print_outside(const char *file, void *context)
{
    bool *is_first = context;
    gmc_terminal_print(stdout, "%-10s%s\n", *is_first ? "outside" : "", file);
    *is_first = false;
}

static void put_outside(const char *file, void *context) { gmc_json_text(context, NULL, file); }

/// @param pilot  NULL: none was asked for
static void print_summary(const gmc_args *args, const gmc_prepared *prepared,
                          const gmc_store_plan *plan, const gmc_check_costs *c,
                          const gmc_check_look *look, const gmc_check_pilot *pilot)
{
    const gmc_scenario *s = &prepared->scenario;
    char text[3][32];
    gmc_terminal_print(stdout, "%s: no mistakes\n", args->input);
    print_undecided(&look->ahead, stdout);
    if (s->about) {
        gmc_terminal_print(stdout, "%-10s", "about");
        gmc_terminal_lines(stdout, 10, s->about);
    }
    char levels[40] = "";
    if (plan->ladder)
        snprintf(levels, sizeof levels, " x %d levels", plan->ladder->plan.level_count);
    if (s->optimise.is_given)
        gmc_terminal_print(stdout,
                           "%-10sat most %" PRIu64
                           ": two thirds search the ranges, the rest are of "
                           "the design that is chosen (%s, seed %" PRIu64 ")\n",
                           "trials", c->trials, plan->design, s->seed);
    else
        gmc_terminal_print(stdout,
                           "%-10s%s%" PRIu64 "%s%" PRId64 " case%s x %" PRId64
                           " draws%s (%s, seed %" PRIu64 ")\n",
                           "trials", gmc_store_plan_is_sparse(plan) ? "at most " : "", c->trials,
                           plan->ranking ? " of " : " = ", s->case_count,
                           s->case_count == 1 ? "" : "s", s->draws, levels, plan->design, s->seed);
    if (plan->ladder)
        gmc_terminal_print(stdout, "%-10s%s; %d rounds from %" PRIu64 " draws\n", "ladder",
                           plan->ladder->names, gmc_ladder_rounds(&plan->ladder->plan),
                           plan->ladder->plan.first);
    if (plan->ranking) print_race(plan->ranking);
    check_chance_print(s, stdout);
    int width = 24;
    for (int i = 0; i < plan->parameter_count; i++)
        if ((int)strlen(plan->parameters[i].name) > width)
            width = (int)strlen(plan->parameters[i].name);
    for (int i = 0; i < plan->parameter_count; i++)
        gmc_terminal_print(stdout, "%-10s%-*s %s [%s]\n", i == 0 ? "varies" : "", width,
                           plan->parameters[i].name, plan->parameters[i].distribution,
                           plan->parameters[i].unit);
    if (look->grasps)
        check_grasps_print(s, look->grasps, look->count, look->starts.accepted, stdout);
    check_closing_print(s, prepared->build, stdout);
    bool is_first = true;
    print_criteria(s, true, &is_first);
    print_criteria(s, false, &is_first);
    bool is_first_outside = true;
    each_outside(s, print_outside, &is_first_outside);
    char asked[80] = "";
    if (c->asked_s < c->duration_s)
        snprintf(asked, sizeof asked, "; %.4g s if no limit of a joint makes a motion longer",
                 c->asked_s);
    gmc_terminal_print(stdout, "%-10sat most %.4g s simulated, %.0f steps of %.4g ms%s\n",
                       "a trial", c->duration_s, c->steps, 1000 * s->parameters[s->step].nominal,
                       asked);
    if (pilot) {
        check_pilot_print(pilot, stdout);
        return;
    }
    gmc_terminal_print(stdout, "%-10s%s per worker\n", "memory",
                       bytes_text(c->worker_bytes, text[0], sizeof text[0]));
    gmc_terminal_print(stdout, "%-10s%s of tables", "disk",
                       bytes_text(c->result_bytes, text[1], sizeof text[1]));
    if (s->record != GMC_RECORD_NONE)
        gmc_terminal_print(stdout, ", about %s per trajectory kept (%s)",
                           bytes_text(c->trajectory_bytes, text[2], sizeof text[2]),
                           plan->trajectories);
    printf("; less after compression\n");
}

static void print_summary_json(const gmc_args *args, const gmc_prepared *prepared,
                               const gmc_store_plan *plan, const gmc_check_costs *c,
                               const gmc_check_look *look, const gmc_check_pilot *pilot)
{
    const gmc_scenario *s = &prepared->scenario;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "scenario", args->input);
    gmc_json_text(&json, "about", s->about);
    gmc_json_text(&json, "digest", plan->digest.hex);
    put_undecided(&look->ahead, &json);
    gmc_json_whole(&json, "cases", (uint64_t)s->case_count);
    gmc_json_whole(&json, "draws", (uint64_t)s->draws);
    gmc_json_whole(&json, "trials", c->trials);
    if (gmc_store_method_chooser(s)) gmc_json_text(&json, "chosen_by", gmc_store_method_chooser(s));
    gmc_json_text(&json, "design", plan->design);
    gmc_json_whole(&json, "seed", s->seed);
    gmc_json_open(&json, "varies", '[');
    for (int i = 0; i < plan->parameter_count; i++) {
        const gmc_store_parameter *p = &plan->parameters[i];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "path", p->name);
        gmc_json_text(&json, "distribution", p->distribution);
        gmc_json_text(&json, "unit", p->unit);
        gmc_json_real(&json, "lower", p->lower);
        gmc_json_real(&json, "upper", p->upper);
        gmc_json_flag(&json, "studied", p->is_studied);
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    if (look->grasps) check_grasps_json(s, look->grasps, look->count, &json);
    if (look->closed) put_closed(s, look->closed, look->count, &json);
    check_closing_json(s, prepared->build, &json);
    gmc_json_open(&json, "outside", '[');
    each_outside(s, put_outside, &json);
    gmc_json_close(&json, ']');
    gmc_json_real(&json, "duration_s", c->duration_s);
    gmc_json_real(&json, "steps", c->steps);
    gmc_json_real(&json, "worker_bytes", c->worker_bytes);
    gmc_json_real(&json, "result_bytes", c->result_bytes);
    gmc_json_real(&json, "trajectory_bytes", c->trajectory_bytes);
    if (pilot) check_pilot_json(pilot, &json);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

/// Print a text that its maker allocated.
static gmc_status print_made(gmc_status (*make)(const gmc_scenario *scenario, char **text),
                             const gmc_scenario *s)
{
    char *text = NULL;
    GMC_TRY(make(s, &text));
    fputs(text, stdout);
    free(text);
    return GMC_OK;
}

static gmc_status answer_summary(const gmc_args *args, gmc_prepared *prepared,
                                 const gmc_store_plan *plan, const gmc_check_costs *costs,
                                 gmc_check_look *look, gmc_diagnostics *messages)
{
    gmc_check_pilot found;
    const gmc_check_pilot *pilot = args->pilot.value > 0 ? &found : NULL;
    if (pilot) GMC_TRY(check_pilot_run(args, prepared, plan, messages, &found));
    look->is_undecided =
        look->ahead.is_undecided || (pilot && gmc_tally_decided(pilot->tally) == 0);
    if (args->json)
        print_summary_json(args, prepared, plan, costs, look, pilot);
    else
        print_summary(args, prepared, plan, costs, look, pilot);
    return GMC_OK;
}

/// An array `messages`, each with its place.
static void print_messages_json(gmc_json *json, const gmc_diagnostics *messages)
{
    gmc_json_open(json, "messages", '[');
    for (int i = 0; i < messages->count; i++) {
        const gmc_diagnostic *m = &messages->items[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "severity", gmc_severity_name(m->severity));
        gmc_json_text(json, "file", m->source.file);
        gmc_json_whole(json, "line", (uint64_t)m->source.line);
        gmc_json_whole(json, "column", (uint64_t)m->source.column);
        gmc_json_text(json, "message", m->message);
        gmc_json_text(json, "hint", m->hint);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// What was understood of the scenario, in place of what would run.
static gmc_status answer_model(const gmc_args *args, const gmc_prepared *prepared,
                               const gmc_diagnostics *messages)
{
    gmc_check_model model;
    gmc_status status = check_model_look(prepared, &model);
    if (status == GMC_OK && args->json) {
        gmc_json json = {.out = stdout};
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "scenario", args->input);
        check_model_json(&model, &json);
        print_messages_json(&json, messages);
        gmc_json_close(&json, '}');
        fputc('\n', stdout);
    } else if (status == GMC_OK) {
        check_model_print(&model, messages, stdout);
    }
    check_model_free(&model);
    return status;
}

/// What would run. Describing it finds histograms that cannot be made, whatever is printed.
static gmc_status answer(const gmc_args *args, gmc_prepared *prepared, gmc_check_look *look,
                         gmc_diagnostics *messages)
{
    gmc_scenario *s = &prepared->scenario;
    gmc_describe_options options = {.count = gmc_rollouts_total(s), .level = args->level};
    gmc_description description;
    gmc_status status = gmc_describe_run(s, prepared->build, &options, messages, &description);
    if (args->grasps && !look->grasps && !look->closed)
        gmc_diagnostics_add(messages, GMC_OK, (gmc_source){.file = args->input},
                            "object: {grasps: FILE} names them, hand: {urdf: FILE} what closes",
                            "--grasps: this scenario has neither grasps of a file nor a hand");
    if (status == GMC_OK) {
        gmc_check_costs costs = costs_of(s, prepared->build, &description.plan);
        if (args->expanded)
            status = print_made(args->json ? gmc_expand_json : gmc_expand_yaml, s);
        else if (args->parameters)
            status = print_made(args->json ? gmc_listing_json : gmc_listing_table, s);
        else if (args->model)
            status = answer_model(args, prepared, messages);
        else if (args->grasps && (look->grasps || look->closed) && !args->json)
            check_grasps_list(s, look->grasps, look->closed, look->count, stdout);
        else
            status = answer_summary(args, prepared, &description.plan, &costs, look, messages);
    }
    gmc_description_free(&description);
    return status;
}

/// One object: the mistakes.
static void print_mistakes_json(const gmc_args *args, const gmc_diagnostics *messages)
{
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "scenario", args->input);
    print_messages_json(&json, messages);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

// ---- does the controller start? ----------------------------------------------------------------

static gmc_status start_controller(const gmc_rollout_input *input, gmc_arena *trial,
                                   gmc_arena *scratch, void *context)
{
    const gmc_scenario *scenario = context;
    gmc_foreign *foreign;
    gmc_controller made;
    (void)scratch;
    if (!input->control || input->control->law != GMC_CONTROL_GIVEN) return GMC_OK;
    graspmc_start start = input->control->start;
    int count = start.joint_count = input->control->count;
    double *zero = GMC_NEW(trial, count, double);
    if (!zero) return GMC_E_ARENA_FULL;
    start.lower = start.upper = start.max_force = zero;
    start.period = 1 / input->control->rate;
    start.delay = input->control->delay;
    GMC_TRY(gmc_foreign_open(scenario, NULL, NULL, &foreign, &made));
    gmc_status status = made.reset(made.context, &start);
    gmc_foreign_close(foreign);
    return status == GMC_E_MISSING ? status : GMC_OK; // what trials say of the rest
}

static gmc_status try_controller(gmc_prepared *prepared, gmc_diagnostics *messages)
{
    gmc_scenario *scenario = &prepared->scenario;
    gmc_look look;
    gmc_status status = gmc_look_open(scenario, prepared->build, &look);
    if (status == GMC_OK) {
        gmc_perturb_believed(scenario, 0, look.believed);
        gmc_perturb_believed(scenario, 0, look.values);
        status = gmc_look_do(&look, 0, start_controller, scenario);
    }
    gmc_look_close(&look);
    if (status == GMC_E_INPUT) return GMC_OK; // nominal values do not go together: told elsewhere
    if (status == GMC_E_MISSING) gmc_foreign_say_unstarted(scenario, messages);
    return status;
}

gmc_exit gmc_check_main(const gmc_args *args)
{
    (void)gmc_signals_catch(); // nothing is at stake: the first one ends it
    gmc_sets sets;
    gmc_sets_collect(args, &sets);
    gmc_diagnostics messages = {0};
    gmc_prepared prepared;
    gmc_cache cache;
    const gmc_pieces_cache *kept =
        gmc_cache_open(&cache, args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress);
    gmc_status status =
        gmc_prepare(args->input, sets.list, args->allow.items, kept, &messages, &prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&messages);
    if (status == GMC_OK) status = gmc_foreign_look(&prepared.scenario, &messages);
    if (status == GMC_OK && (args->allow_control || args->pilot.is_given))
        status = gmc_foreign_allow(&prepared.scenario, args->allow_control, &messages);
    if (status == GMC_OK && args->allow_control) status = try_controller(&prepared, &messages);
    gmc_check_look look = {.count = 0};
    if (status == GMC_OK) status = look_at_starts(args, &prepared, &look);
    if (status == GMC_OK) status = answer(args, &prepared, &look, &messages);
    if (status == GMC_OK) {
        status = gmc_overlaps_warn(args->input, &prepared, &look.starts, true, &messages);
        gmc_nominal_warn_far(&prepared.scenario, &look.starts, &messages);
        if (status == GMC_OK) status = gmc_moves_warn(&prepared, &messages);
        if (look.grasps)
            check_grasps_warn(&prepared.scenario, look.grasps, look.count, look.starts.accepted,
                              &messages);
    }
    free(look.grasps);
    free(look.closed);
    if (status != GMC_OK && args->json) print_mistakes_json(args, &messages);
    if (args->no_warnings) gmc_diagnostics_hush(&messages);
    gmc_terminal_messages(&messages);
    if (status != GMC_OK && messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc check: %s\n", gmc_status_name(status));
    gmc_diagnostics_free(&messages);
    gmc_prepared_free(&prepared);
    return status == GMC_OK && look.is_undecided ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
}
