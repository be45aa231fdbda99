// `control`: which dofs it moves, and what the sampler is told of a trial.
#include "sampling/build/build_internal.h"
#include "sampling/design/csv.h"

#include <string.h>

// Put a joint into the list, if it has a drive of its own.
static bool control_add(const gmc_build_robot *robot, int index, const char *name,
                        const char **names, gmc_build_control *control)
{
    int dof = robot->joint_dof[index];
    if (dof < 0 || gmc_build_geared_to(robot, index) >= 0) return false;
    if (gmc_build_driven_by(robot, index) >= 0) return false;
    names[control->count] = name;
    control->settings[control->count] = &robot->spec->joints[index];
    control->items[control->count] = GMC_BUILD_JOINT;
    control->dofs[control->count++] = dof;
    return true;
}

static void control_refuse_joint(const gmc_build *build, const gmc_build_robot *robot, int index,
                                 const char *name)
{
    char hint[256] = "a joint of a robot is ROBOT/JOINT, of the hand JOINT";
    if (build->scenario->world != GMC_WORLD_SPATIAL)
        strcat(hint, ", what moves a body object/x or NAME/yaw");
    int leader = robot && index >= 0 ? gmc_build_geared_to(robot, index) : -1;
    if (leader >= 0)
        snprintf(hint, sizeof hint, "name the one that it follows: %.80s",
                 robot->spec->joints[leader].joint);
    else if (robot && robot->has)
        gmc_build_joint_names(robot, hint, sizeof hint);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, build->scenario->control.joints_at, hint,
                        "control.joints: no joint %.80s moves on its own", name);
}

// ---- bodies that are pushed --------------------------------------------------------------------

// The body before the stroke: of the scene, or scene_count: the object; -1: there is none.
static int control_item(const gmc_scenario *s, const char *name, size_t length)
{
    if (length == 6 && strncmp(name, "object", length) == 0) return s->scene_count;
    for (int i = 0; i < s->scene_count; i++)
        if (strlen(s->scene[i].name) == length && strncmp(s->scene[i].name, name, length) == 0)
            return i;
    return -1;
}

static void control_refuse(const gmc_build *build, const char *name, const char *why,
                           const char *hint)
{
    gmc_diagnostics_add(build->report, GMC_E_INPUT, build->scenario->control.joints_at, hint,
                        "control.joints: %.80s%s", name, why);
}

// Is it one that forces can move, and does the law know what to do with it?
static bool control_can_push(const gmc_build *build, const char *name, int item, int channel)
{
    const gmc_scenario *s = build->scenario;
    const gmc_build_item *body = item < s->scene_count ? &build->scene[item] : &build->objects[0];
    const char *why = NULL, *hint = NULL;
    bool has_servo = body->spec->push && body->spec->push->has_servo;
    if (s->world == GMC_WORLD_SPATIAL)
        why = ": bodies in space are not moved by `control`",
        hint = "give it a  push  with tables, or take  world: planar  or  planar-support";
    else if (!body->is_free)
        why = ": the body does not move freely", hint = "add  free: true";
    else if (channel < 0)
        why = ": there is no such channel of a body", hint = "x and y, in N, and yaw, in N*m";
    else if (s->control.law == GMC_CONTROL_COMPUTED_TORQUE)
        why = ": computed_torque knows joints alone", hint = "by: pd, a table, library or command";
    else if (s->control.law == GMC_CONTROL_PD && !has_servo)
        why = ": pd has no gains for it",
        hint = "add  push: {servo: {kp: 10 N/m, kd: 1 N*s/m}}  to the body";
    if (why) control_refuse(build, name, why, hint);
    return !why;
}

// A channel of a body that the scenario names: `object/x`.
// @return false: no body is named so
static bool control_body(gmc_build *build, const char *name, const char **names)
{
    static const char *const CHANNELS[] = {"x", "y", "yaw"};
    gmc_build_control *control = &build->control;
    const char *stroke = strrchr(name, '/');
    int item = stroke ? control_item(build->scenario, name, (size_t)(stroke - name)) : -1;
    if (item < 0) return false;
    int channel = -1;
    for (int k = 0; k < 3; k++)
        if (strcmp(stroke + 1, CHANNELS[k]) == 0) channel = k;
    if (!control_can_push(build, name, item, channel)) return true;
    names[control->count] = name;
    control->settings[control->count] = NULL;
    control->items[control->count] = item;
    control->dofs[control->count++] = channel;
    build->scenario->control.moves_bodies = true;
    return true;
}

// ---- drives of several joints ------------------------------------------------------------------

// A drive that the scenario names, of the hand or of a robot.
// @return false: none is named so
static bool control_drive(gmc_build *build, const gmc_build_robot *robot, const char *name,
                          const char **names)
{
    gmc_build_control *control = &build->control;
    int law = build->scenario->control.law, index = -1;
    const char *slash = strchr(name, '/');
    for (int i = 0; robot && i < robot->spec->drive_count; i++)
        if (strcmp(robot->spec->drives[i].name, slash ? slash + 1 : name) == 0) index = i;
    if (index < 0) return false;
    if (law == GMC_CONTROL_COMPUTED_TORQUE || law == GMC_CONTROL_GRAVITY) {
        control_refuse(build, name, ": a drive of several joints cannot carry each of them",
                       "by: pd, a table, library or command");
        return true;
    }
    names[control->count] = name;
    control->settings[control->count] = NULL;
    control->items[control->count] = GMC_BUILD_DRIVE;
    control->dofs[control->count++] = robot->first_drive + index;
    return true;
}

// ---- what the scenario names -------------------------------------------------------------------

// A joint, a drive of several, or a channel of a body.
static void control_named(gmc_build *build, const char *name, const char **names)
{
    gmc_build_control *control = &build->control;
    int index = -1;
    const gmc_build_robot *robot = gmc_build_find_joint(build, name, &index);
    for (int k = 0; k < control->count; k++) {
        if (strcmp(names[k], name) != 0) continue;
        gmc_diagnostics_add(build->report, GMC_E_INPUT, build->scenario->control.joints_at, NULL,
                            "control.joints: %.80s is named twice", name);
        return;
    }
    if (robot && robot->spec->urdf && !robot->has) return; // why it is not there has been told
    if (index < 0 && control_drive(build, robot, name, names)) return;
    if (index < 0 && control_body(build, name, names)) return;
    if (index < 0 || !control_add(robot, index, name, names, control))
        control_refuse_joint(build, robot, index, name);
}

static gmc_status control_joints(gmc_build *build)
{
    const gmc_control_spec *spec = &build->scenario->control;
    const gmc_build_robot *hand = &build->hand;
    gmc_build_control *control = &build->control;
    int most = spec->joints ? spec->joint_count : hand->spec->joint_count;
    control->settings = GMC_NEW(&build->arena, most, const gmc_joint_setting *);
    control->dofs = GMC_NEW(&build->arena, most, int);
    control->items = GMC_NEW(&build->arena, most, int);
    const char **names = GMC_NEW(&build->arena, most, const char *);
    if (!control->settings || !control->dofs || !control->items || !names) return GMC_E_ARENA_FULL;
    control->names = names;
    for (int i = 0; i < most; i++)
        if (spec->joints)
            control_named(build, spec->joints[i], names);
        else
            (void)control_add(hand, i, hand->spec->joints[i].joint, names, control);
    if (control->count == 0 && !spec->joints)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->joints_at, NULL,
                            "control: the hand has no joint that moves on its own");
    return GMC_OK;
}

static gmc_status control_links(gmc_build *build)
{
    const gmc_model *model = &build->models[0];
    gmc_build_control *control = &build->control;
    if (!build->scenario->control.sees_touch && !build->scenario->control.sees_forces)
        return GMC_OK;
    control->links = GMC_NEW(&build->arena, model->body_count, int);
    const char **names = GMC_NEW(&build->arena, model->body_count, const char *);
    if (!control->links || !names) return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++) {
        if (!build->hand.has[b]) continue;
        names[control->link_count] = model->bodies[b].name;
        control->links[control->link_count++] = b;
    }
    control->link_names = names;
    return GMC_OK;
}

// ---- a table of torques ------------------------------------------------------------------------

static void control_complain(const gmc_build *build, const char *file, int line, const char *what,
                             const char *name)
{
    gmc_diagnostics_add(build->report, GMC_E_INPUT, (gmc_source){.file = file, .line = line},
                        "a header such as  time,left_joint,right_joint  and rows of numbers in s, "
                        "N or N*m",
                        "%s%.80s", what, name);
}

static void control_columns(const gmc_build *build, const gmc_csv *csv, const char *file,
                            int *columns)
{
    const gmc_build_control *control = &build->control;
    for (int i = 0; i < control->count; i++) {
        columns[i] = gmc_csv_column(csv, control->names[i]);
        if (columns[i] < 0)
            control_complain(build, file, csv->header_line, "no column for joint ",
                             control->names[i]);
    }
    if (gmc_csv_column(csv, "time") < 0)
        control_complain(build, file, csv->header_line, "no column time", "");
    for (int c = 0; c < csv->column_count; c++) {
        bool is_known = strcmp(csv->names[c], "time") == 0;
        for (int i = 0; i < control->count; i++)
            is_known = is_known || columns[i] == c;
        if (!is_known)
            control_complain(build, file, csv->header_line, "control moves no joint ",
                             csv->names[c]);
    }
}

static gmc_status control_fill(gmc_build *build, const gmc_csv *csv, const char *file)
{
    gmc_build_control *control = &build->control;
    int rows = (int)csv->row_count, count = control->count, time_column;
    int *columns = GMC_NEW(&build->arena, count, int);
    double *time = GMC_NEW(&build->arena, rows, double);
    double *torque = GMC_NEW(&build->arena, rows * count, double);
    if (!columns || !time || !torque) return GMC_E_ARENA_FULL;
    int errors = build->report->error_count;
    control_columns(build, csv, file, columns);
    if (build->report->error_count > errors) return GMC_E_INPUT;
    time_column = gmc_csv_column(csv, "time");
    for (int r = 0; r < rows; r++) {
        time[r] = gmc_csv_value(csv, r, time_column);
        for (int i = 0; i < count; i++)
            torque[r * count + i] = gmc_csv_value(csv, r, columns[i]);
        if (r == 0 || time[r] > time[r - 1]) continue;
        control_complain(build, file, csv->lines[r], "times must increase", "");
        return GMC_E_INPUT;
    }
    control->table = (gmc_control_table){.count = rows, .time = time, .torque = torque};
    return GMC_OK;
}

static gmc_status control_table(gmc_build *build)
{
    enum { ROWS_MAX = 1 << 22 }; // an hour at a kilohertz
    const gmc_control_spec *spec = &build->scenario->control;
    gmc_csv csv = {0};
    if (!spec->torques || build->is_sketch) return GMC_OK;
    const gmc_asset *asset =
        gmc_scenario_load_asset(build->scenario, spec->torques, spec->by, build->report);
    if (!asset) return gmc_diagnostics_status(build->report);
    gmc_status status = gmc_csv_parse(asset->file, asset->bytes, asset->size, &csv, build->report);
    if (status == GMC_OK && csv.row_count > ROWS_MAX) {
        control_complain(build, asset->file, 1, "more than four million rows", "");
        status = GMC_E_INPUT;
    }
    if (status == GMC_OK) status = control_fill(build, &csv, asset->file);
    gmc_csv_free(&csv);
    return status;
}

gmc_status gmc_build_control_compile(gmc_build *build)
{
    build->control = (gmc_build_control){0}; // what has mistakes is compiled twice
    const gmc_scenario *s = build->scenario;
    if (!s->control.is_given || (!s->control.joints && !s->hand.is_declared)) return GMC_OK;
    GMC_TRY(control_joints(build));
    GMC_TRY(control_links(build));
    return control_table(build);
}

// ---- one trial ---------------------------------------------------------------------------------

// x y z, quaternion w x y z
static void control_object(const gmc_pose *X, double object[7])
{
    gmc_quat turn = gmc_quat_from_matrix(&X->R);
    const double found[7] = {X->p.x, X->p.y, X->p.z, turn.w, turn.x, turn.y, turn.z};
    memcpy(object, found, sizeof found);
}

gmc_status gmc_build_control_make(const gmc_build *build, const double *values,
                                  const gmc_pose *believed, gmc_arena *arena,
                                  gmc_control_plan **made)
{
    const gmc_control_spec *spec = &build->scenario->control;
    const gmc_build_control *control = &build->control;
    *made = NULL;
    if (!spec->is_given) return GMC_OK;
    gmc_control_plan *plan = GMC_NEW(arena, 1, gmc_control_plan);
    double *encoders = GMC_NEW(arena, 3 * control->count, double);
    double *arguments = GMC_NEW(arena, spec->argument_count, double);
    double *object = GMC_NEW(arena, 7, double);
    if (!plan || !encoders || !arguments || !object) return GMC_E_ARENA_FULL;
    for (int i = 0; i < control->count; i++) {
        if (!control->settings[i]) continue; // bodies and sums are seen as they are
        const gmc_param *encoder = control->settings[i]->encoder;
        for (int k = 0; k < 3; k++)
            encoders[k * control->count + i] = gmc_build_value(values, encoder[k], 0);
    }
    for (int i = 0; i < spec->argument_count; i++)
        arguments[i] = values[spec->arguments[i]];
    if (believed) control_object(believed, object);
    *plan = (gmc_control_plan){.law = (gmc_control_law)spec->law,
                               .rate = values[spec->rate],
                               .delay = values[spec->delay],
                               .encoder_delay = values[spec->encoder_delay],
                               .count = control->count,
                               .dofs = control->dofs,
                               .moves_bodies = spec->moves_bodies,
                               .resolution = encoders,
                               .noise = encoders + control->count,
                               .bias = encoders + 2 * control->count,
                               .table = control->table,
                               .start = {.joints = control->names,
                                         .link_count = control->link_count,
                                         .links = control->link_names,
                                         .argument_count = spec->argument_count,
                                         .argument_names = spec->argument_names,
                                         .arguments = arguments},
                               .links = control->links,
                               .sees_touch = spec->sees_touch,
                               .sees_forces = spec->sees_forces,
                               .object = believed ? object : NULL};
    *made = plan;
    return GMC_OK;
}

gmc_status gmc_build_control_dofs(const gmc_build *build, const gmc_build_item *object,
                                  const gmc_model *model, gmc_arena *arena, gmc_control_plan *plan)
{
    const gmc_build_control *control = &build->control;
    int *dofs = GMC_NEW(arena, control->count, int);
    if (!dofs) return GMC_E_ARENA_FULL;
    for (int i = 0; i < control->count; i++) {
        int item = control->items[i];
        bool is_object = item == build->scenario->scene_count;
        dofs[i] = control->dofs[i];
        if (item == GMC_BUILD_DRIVE) dofs[i] += model->dof_count;
        if (item < 0) continue;
        int body = is_object ? object->body : build->scene[item].body;
        dofs[i] += model->bodies[body].v;
    }
    plan->dofs = dofs;
    return GMC_OK;
}
