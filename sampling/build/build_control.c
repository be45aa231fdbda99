// `control`: which dofs it moves, and what the sampler is told of a trial.
#include "sampling/build/build_internal.h"
#include "sampling/design/csv.h"

#include <string.h>

static const char JOINTS_HINT[] = "joints of the hand that move on their own";

// Index into the hand's joint settings; -1, reported.
static int control_joint(const gmc_build *build, const char *name, gmc_source source)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    char hint[256];
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, name) == 0 && build->hand.joint_dof[i] >= 0) return i;
    gmc_build_joint_names(&build->hand, hint, sizeof hint);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint[0] ? hint : JOINTS_HINT,
                        "control.joints: no joint %.80s moves on its own", name);
    return -1;
}

static gmc_status control_joints(gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    const gmc_control_spec *spec = &s->control;
    gmc_build_control *control = &build->control;
    int most = spec->joints ? spec->joint_count : s->hand.joint_count;
    control->settings = GMC_NEW(&build->arena, most, int);
    control->dofs = GMC_NEW(&build->arena, most, int);
    const char **names = GMC_NEW(&build->arena, most, const char *);
    if (!control->settings || !control->dofs || !names) return GMC_E_ARENA_FULL;
    for (int i = 0; i < most; i++) {
        int joint = i;
        if (spec->joints) joint = control_joint(build, spec->joints[i], spec->joints_at);
        if (joint < 0 || build->hand.joint_dof[joint] < 0) continue;
        bool is_twice = false;
        for (int k = 0; k < control->count; k++)
            is_twice = is_twice || control->settings[k] == joint;
        if (is_twice)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->joints_at, NULL,
                                "control.joints: %.80s is named twice", spec->joints[i]);
        if (is_twice) continue;
        names[control->count] = s->hand.joints[joint].joint;
        control->settings[control->count] = joint;
        control->dofs[control->count++] = build->hand.joint_dof[joint];
    }
    control->names = names;
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
    if (!build->scenario->control.is_given || !build->scenario->hand.is_declared) return GMC_OK;
    GMC_TRY(control_joints(build));
    GMC_TRY(control_links(build));
    return control_table(build);
}

// ---- one trial ---------------------------------------------------------------------------------

// Where the robot believes the object to be: it put its tool there, `target` away.
static gmc_status control_object(const gmc_build *build, const double *values, gmc_arena *arena,
                                 const gmc_model *model, double *object)
{
    size_t mark = gmc_arena_mark(arena);
    gmc_kinematics kin;
    GMC_TRY(gmc_kinematics_create(model, arena, &kin));
    gmc_kinematics_update(model, model->q_start, NULL, &kin);
    gmc_pose X_wt = kin.X_wb[build->hand.base_body];
    if (build->tool_frame >= 0) {
        const gmc_frame *frame = &model->frames[build->tool_frame];
        X_wt = gmc_pose_multiply(&kin.X_wb[frame->body], &frame->X_bf);
    }
    gmc_pose X_ot = gmc_build_pose(values, &build->scenario->hand.target);
    gmc_pose X_to = gmc_pose_inverse(&X_ot), X_wo = gmc_pose_multiply(&X_wt, &X_to);
    gmc_quat turn = gmc_quat_from_matrix(&X_wo.R);
    const double found[7] = {X_wo.p.x, X_wo.p.y, X_wo.p.z, turn.w, turn.x, turn.y, turn.z};
    memcpy(object, found, sizeof found);
    gmc_arena_reset(arena, mark);
    return GMC_OK;
}

gmc_status gmc_build_control_make(const gmc_build *build, const double *values, gmc_arena *arena,
                                  const gmc_model *model, gmc_control_plan **made)
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
        const gmc_joint_setting *joint = &build->scenario->hand.joints[control->settings[i]];
        for (int k = 0; k < 3; k++)
            encoders[k * control->count + i] = gmc_build_value(values, joint->encoder[k], 0);
    }
    for (int i = 0; i < spec->argument_count; i++)
        arguments[i] = values[spec->arguments[i]];
    if (spec->sees_object) GMC_TRY(control_object(build, values, arena, model, object));
    *plan = (gmc_control_plan){.law = (gmc_control_law)spec->law,
                               .rate = values[spec->rate],
                               .delay = values[spec->delay],
                               .encoder_delay = values[spec->encoder_delay],
                               .count = control->count,
                               .dofs = control->dofs,
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
                               .object = spec->sees_object ? object : NULL};
    *made = plan;
    return GMC_OK;
}
