#include "test/support/rolling.h"

#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"
#include "test/support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- hands -------------------------------------------------------------------------------------

// clang-format off
#define INERTIAL(mass, i) SOLID("0 0 0", mass, i, i, i)
#define SOLID(at, mass, xx, yy, zz)                                                                \
    "<inertial><origin xyz='" at "'/><mass value='" mass "'/><inertia ixx='" xx "' iyy='" yy       \
    "' izz='" zz "' ixy='0' ixz='0' iyz='0'/></inertial>"
#define BOX(at, size)                                                                              \
    "<collision><origin xyz='" at "'/><geometry><box size='" size "'/></geometry></collision>"
#define LIMIT(lower, upper, effort)                                                                \
    "<limit lower='" lower "' upper='" upper "' effort='" effort "' velocity='9'/>"
#define DAMPED "<dynamics damping='20'/>"

#define BASE                                                                                       \
    "<link name='base'>" SOLID("0 0 0.025", "0.5", "9.20833e-4", "2.54167e-4", "9.66667e-4")       \
    BOX("0 0 0.025", "0.06 0.14 0.05") "</link>"
#define PAD                                                                                        \
    SOLID("0 0 0", "0.05", "4.16667e-6", "5.41667e-6", "2.08333e-6")                               \
    BOX("0 0 0", "0.02 0.01 0.03")
#define FINGERS(follows)                                                                           \
    "<link name='left_finger'>" PAD "</link>"                                                      \
    "<joint name='left' type='prismatic'><parent link='base'/><child link='left_finger'/>"         \
    "<origin xyz='0 0.045 -0.045'/><axis xyz='0 -1 0'/>" LIMIT("0", "0.04", "100") DAMPED          \
    "</joint><link name='right_finger'>" PAD "</link>"                                             \
    "<joint name='right' type='prismatic'><parent link='base'/><child link='right_finger'/>"       \
    "<origin xyz='0 -0.045 -0.045'/><axis xyz='0 1 0'/>" LIMIT("0", "0.04", "100") DAMPED follows  \
    "</joint><link name='tcp'/><joint name='tcp_mount' type='fixed'><parent link='base'/>"         \
    "<child link='tcp'/><origin xyz='0 0 -0.045'/></joint>"

static const char JAW[] = "<robot name='jaw'>" BASE FINGERS("") "</robot>";
static const char COUPLED[] =
    "<robot name='coupled'>" BASE FINGERS("<mimic joint='left'/>") "</robot>";
static const char STUMP[] = "<robot name='stump'>" BASE "</robot>";
static const char ARM[] =
    "<robot name='arm'><link name='rail'/>"
    "<link name='cart'>" INERTIAL("1", "0.01") "</link>"
    "<joint name='slide' type='prismatic'><parent link='rail'/><child link='cart'/>"
    "<axis xyz='1 0 0'/>" LIMIT("-1", "1", "1e4") "</joint>"
    "<link name='post'>" INERTIAL("1", "0.01") "</link>"
    "<joint name='swing' type='revolute'><parent link='cart'/><child link='post'/>"
    "<axis xyz='0 0 1'/>" LIMIT("-3", "3", "1e4") "</joint>"
    "<joint name='rise' type='prismatic'><parent link='post'/><child link='base'/>"
    "<axis xyz='0 0 1'/>" LIMIT("-1", "1", "1e4") "</joint>" BASE FINGERS("") "</robot>";
static const char FINGER[] =
    "<robot name='finger'><link name='base'>" INERTIAL("1", "0.01") "</link>"
    "<link name='tip'>" INERTIAL("0.1", "1e-3") "</link>"
    "<joint name='hook' type='revolute'><parent link='base'/><child link='tip'/>"
    "<axis xyz='0 1 0'/>" LIMIT("-1", "2", "1e3") "</joint></robot>";
// clang-format on

// ---- preparing ---------------------------------------------------------------------------------

void gmc_rolling_open(gmc_rolling *rolling)
{
    *rolling = (gmc_rolling){.scratch = gmc_scratch_open()};
    gmc_scratch_text(&rolling->scratch, "jaw.urdf", JAW);
    gmc_scratch_text(&rolling->scratch, "coupled.urdf", COUPLED);
    gmc_scratch_text(&rolling->scratch, "arm.urdf", ARM);
    gmc_scratch_text(&rolling->scratch, "finger.urdf", FINGER);
    gmc_scratch_text(&rolling->scratch, "stump.urdf", STUMP);
}

static void forget_run(gmc_rolling *rolling)
{
    gmc_arena_free(&rolling->trial);
    gmc_arena_free(&rolling->step);
    gmc_arena_free(&rolling->record);
    free(rolling->believed);
    free(rolling->parameters);
    free(rolling->result.values);
    rolling->believed = rolling->parameters = rolling->result.values = NULL;
}

void gmc_rolling_close(gmc_rolling *rolling)
{
    forget_run(rolling);
    gmc_ode_free(rolling->ode);
    gmc_prepared_free(&rolling->prepared);
    gmc_diagnostics_free(&rolling->report);
    gmc_scratch_close(&rolling->scratch);
}

void gmc_rolling_try(gmc_rolling *rolling, const char *text, const char *const *sets)
{
    forget_run(rolling);
    gmc_prepared_free(&rolling->prepared);
    gmc_diagnostics_free(&rolling->report);
    gmc_scratch_write(&rolling->scratch, "scenario.yaml", text, strlen(text), rolling->path);
    rolling->status =
        gmc_prepare(rolling->path, sets, NULL, NULL, &rolling->report, &rolling->prepared);
    gmc_scratch_said(&rolling->scratch, &rolling->report, rolling->said, sizeof rolling->said);
}

void gmc_rolling_refuse(gmc_rolling *rolling, const char *text, const char *said)
{
    gmc_rolling_try(rolling, text, NULL);
    if (rolling->status == GMC_E_INPUT && strstr(rolling->said, said)) return;
    print_error("expected: %s\nsaid:\n%s\n", said, rolling->said);
    fail();
}

void gmc_rolling_prepare(gmc_rolling *rolling, const char *text, const char *const *sets)
{
    gmc_rolling_try(rolling, text, sets);
    if (rolling->status == GMC_OK) return;
    print_error("%s\n%s", gmc_status_name(rolling->status), rolling->said);
    fail();
}

// ---- running -----------------------------------------------------------------------------------

enum { TRIAL_BYTES = 4 << 20, STEP_BYTES = 2 << 20, RECORD_BYTES = 128 << 20 };

static void make_record(gmc_rolling *rolling)
{
    double duration = gmc_build_duration(rolling->prepared.build, rolling->parameters);
    int rows = (int)(duration / rolling->input.options.step * 1.5) + 1024; // long steps are cut
    const gmc_trajectory_shape room = {
        .row_count = rows, .contact_count = 16 * rows, .has_actions = rolling->input.control};
    assert_int_equal(
        gmc_trajectory_create(rolling->input.model, &room, &rolling->record, &rolling->trajectory),
        GMC_OK);
}

void gmc_rolling_run(gmc_rolling *rolling, uint64_t trial)
{
    const gmc_scenario *scenario = &rolling->prepared.scenario;
    const gmc_build *build = rolling->prepared.build;
    forget_run(rolling);
    size_t parameters = (size_t)scenario->parameter_count;
    rolling->believed = calloc(parameters, sizeof(double));
    rolling->parameters = calloc(parameters, sizeof(double));
    rolling->result.values =
        calloc((size_t)gmc_build_measures(build)->column_count, sizeof(double));
    assert_true(rolling->believed);
    assert_true(rolling->parameters);
    assert_true(rolling->result.values);
    assert_int_equal(gmc_arena_create(&rolling->trial, TRIAL_BYTES), GMC_OK);
    assert_int_equal(gmc_arena_create(&rolling->step, STEP_BYTES), GMC_OK);
    assert_int_equal(gmc_arena_create(&rolling->record, RECORD_BYTES), GMC_OK);

    int64_t case_index;
    uint64_t draw;
    int level;
    gmc_rollouts_address(scenario, trial, &case_index, &draw, &level);
    gmc_perturb_believed(scenario, case_index, rolling->believed);
    assert_int_equal(gmc_perturb_values(scenario, case_index, draw, rolling->parameters, NULL),
                     GMC_OK);
    assert_int_equal(gmc_build_instantiate(build, gmc_study_object(scenario, case_index),
                                           rolling->believed, rolling->parameters, &rolling->trial,
                                           &rolling->input),
                     GMC_OK);
    rolling->input.options.rate = 0;
    if (!rolling->is_decided_early) rolling->input.options.early = (gmc_early_options){0};
    rolling->input.options.early.is_audited = rolling->is_audited;
    make_record(rolling);
    if (rolling->input.options.stepper->is_integrated && !rolling->ode)
        assert_int_equal(gmc_ode_create(&rolling->ode), GMC_OK);
    rolling->input.ode = rolling->ode;
    assert_int_equal(gmc_rollout_run(&rolling->input, &rolling->trajectory, &rolling->trial,
                                     &rolling->step, &rolling->result),
                     GMC_OK);
}

void gmc_rolling_play(gmc_rolling *rolling, const char *text, const char *const *sets)
{
    gmc_rolling_prepare(rolling, text, sets);
    gmc_rolling_run(rolling, 0);
}

// ---- reading -----------------------------------------------------------------------------------

double gmc_rolling_value(const gmc_rolling *rolling, const char *column)
{
    const gmc_measure_plan *plan = gmc_build_measures(rolling->prepared.build);
    for (int i = 0; i < plan->column_count; i++)
        if (strcmp(plan->columns[i].name, column) == 0) return rolling->result.values[i];
    fail_msg("there is no column %s", column);
    return 0;
}

int gmc_rolling_body(const gmc_rolling *rolling, const char *name)
{
    const gmc_model *model = rolling->input.model;
    int body = strcmp(name, "hand") == 0 ? rolling->input.measures->hand_body
                                         : gmc_model_find_body(model, name);
    if (body < 1) fail_msg("there is no body %s", name);
    return body - 1;
}

static const double *row_of(const gmc_rolling *rolling, const double *all, int width, int row,
                            int body)
{
    assert_in_range(row, 0, rolling->trajectory.row_count - 1);
    return all + (size_t)width * (size_t)(row * rolling->trajectory.body_count + body);
}

gmc_pose gmc_rolling_pose(const gmc_rolling *rolling, int row, int body)
{
    const double *x = row_of(rolling, rolling->trajectory.pose, 7, row, body);
    return gmc_pose_make((gmc_quat){x[3], x[4], x[5], x[6]}, (gmc_vec3){x[0], x[1], x[2]});
}

gmc_vec3 gmc_rolling_velocity(const gmc_rolling *rolling, int row, int body)
{
    const double *v = row_of(rolling, rolling->trajectory.twist, 6, row, body);
    return (gmc_vec3){v[0], v[1], v[2]};
}

gmc_vec3 gmc_rolling_spin(const gmc_rolling *rolling, int row, int body)
{
    const double *v = row_of(rolling, rolling->trajectory.twist, 6, row, body);
    return (gmc_vec3){v[3], v[4], v[5]};
}

double gmc_rolling_joint(const gmc_rolling *rolling, int row, const char *link)
{
    const gmc_model *model = rolling->input.model;
    int body = gmc_rolling_body(rolling, link) + 1, joint = 0;
    for (int b = 1; b < body; b++)
        joint += gmc_joint_v_count(model->bodies[b].joint) == 1;
    return rolling->trajectory.q[row * rolling->trajectory.joint_count + joint];
}

double gmc_rolling_force(const gmc_rolling *rolling, int row, int body)
{
    const gmc_trajectory *t = &rolling->trajectory;
    const gmc_model *model = rolling->input.model;
    double sum = 0;
    for (uint32_t c = t->contact_start[row]; c < t->contact_start[row + 1]; c++) {
        const double *n = t->contact_normal + 3 * c, *f = t->contact_force + 3 * c;
        if (model->geoms[t->contact_geoms[2 * c]].body == body + 1 ||
            model->geoms[t->contact_geoms[2 * c + 1]].body == body + 1)
            sum += n[0] * f[0] + n[1] * f[1] + n[2] * f[2];
    }
    return sum;
}

int gmc_rolling_row(const gmc_rolling *rolling, double t)
{
    int row = 0;
    while (row + 1 < rolling->trajectory.row_count && rolling->trajectory.time[row + 1] <= t + 1e-9)
        row++;
    return row;
}
