#include "cli/commands/check_model.h"

#include "cli/new/shapes.h"
#include "cli/process/terminal.h"
#include "engine/model/urdf.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- looking -----------------------------------------------------------------------------------

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

gmc_status gmc_check_model_look(const gmc_prepared *prepared, gmc_check_model *m)
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

void gmc_check_model_free(gmc_check_model *m)
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
    static const char *const WORDS[] = {[GMC_URDF_BY_FILE] = "URDF",
                                        [GMC_URDF_BY_FILE_MENDED] = "URDF, inertia mended",
                                        [GMC_URDF_BY_SHAPES_AT_MASS] =
                                            "URDF's mass, shapes' inertia",
                                        [GMC_URDF_BY_SHAPES_AT_DENSITY] = "shapes at 1000 kg/m3",
                                        [GMC_URDF_BY_BALL] = "URDF's mass, as a ball"};
    const gmc_urdf *urdf = gmc_build_urdf(m->prepared->build);
    int link = urdf ? gmc_urdf_find_link(urdf, m->probe.input.model->bodies[body].name) : -1;
    return link >= 0 && is_hand(m, body) ? WORDS[urdf->links[link].weighed] : "";
}

// ---- for people --------------------------------------------------------------------------------

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
    gmc_terminal_print(out, "  %-28s start %.4g %s in [%.4g, %.4g]; at most ", dof->name, q, unit,
                       factor * dof->lower, factor * dof->upper);
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
        if (is_hand(m, b) && is_single(&model->bodies[b])) print_joint(m, &model->bodies[b], out);
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

void gmc_check_model_print(const gmc_check_model *m, const gmc_diagnostics *messages, FILE *out)
{
    const gmc_urdf *urdf = gmc_build_urdf(m->prepared->build);
    if (urdf) {
        gmc_terminal_print(out, "hand      %s from %s, %s\n", urdf->name, urdf->file,
                           m->prepared->scenario.hand.is_mounted
                               ? "mounted on the world"
                               : "its base is moved by the program");
        print_links(m, out);
        print_joints(m, out);
        print_frames(m, out);
    }
    print_bodies(m, out);
    print_notes(messages, out);
    print_touch(m, out);
}

// ---- for programs ------------------------------------------------------------------------------

static void json_vector(gmc_json *json, const char *name, const double *v, int count)
{
    gmc_json_open(json, name, '[');
    for (int i = 0; i < count; i++)
        gmc_json_real(json, NULL, v[i]);
    gmc_json_close(json, ']');
}

static void json_vec3(gmc_json *json, const char *name, gmc_vec3 v)
{
    json_vector(json, name, (const double[]){v.x, v.y, v.z}, 3);
}

static void json_pose(gmc_json *json, const char *name, const gmc_pose *X)
{
    gmc_quat q = gmc_quat_from_matrix(&X->R);
    json_vector(json, name, (const double[]){X->p.x, X->p.y, X->p.z, q.w, q.x, q.y, q.z}, 7);
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
    json_vector(json, "inertia", (const double[]){I[0], I[4], I[8], I[1], I[2], I[5]}, 6);
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

void gmc_check_model_json(const gmc_check_model *m, gmc_json *json)
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
