// The reader of MJCF against MuJoCo itself, and what a Shadow hand costs.
//
//   bench_mjcf peers FILE...   0.2 s of free motion of each file here (default stepper, 0.1 ms) and in
//                              MuJoCo (RK4, 0.1 ms), no contact, no dry friction, off the limits:
//                              largest difference of a joint's position, bar 1e-5 rad or m
//   bench_mjcf time FILE       microseconds per step of 1 ms of a hand that holds still
//
// scripts/bench takes attributes that MuJoCo 2.2.2 does not know (ls_iterations, eulerdamp) out of the
// copy of the Shadow hand that both read.
#include "test/support/robot.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double STEP = 1e-4, SPAN = 0.2, BAR = 1e-5;

/// Where a joint starts: near its reference, within its limits.
static double start_of(const gmc_urdf_joint *joint, int i)
{
    double q =
        joint->reference + 0.15 * ((i * 7) % 5 - 2) * (joint->kind == GMC_URDF_PRISMATIC ? 0.1 : 1);
    if (!joint->has_limits) return q;
    double middle = (joint->lower + joint->upper) / 2, half = (joint->upper - joint->lower) / 2;
    return middle + 0.2 * half * ((i * 7) % 5 - 2) / 2;
}

static void start(gmc_robot *robot, const mjModel *model, mjData *data)
{
    for (int i = 0; i < robot->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &robot->urdf.joints[i];
        if (joint->kind == GMC_URDF_FIXED || joint->kind == GMC_URDF_BALL) continue;
        int id = mj_name2id(model, mjOBJ_JOINT, joint->name);
        if (id < 0) abort();
        double q = start_of(joint, i);
        robot->stage.world.state.q[gmc_robot_q(robot, i)] = q;
        data->qpos[model->jnt_qposadr[id]] = q;
    }
}

/// Servos aim away from where the joints are. Those of the default stepper are implicit, of first
/// order in the step (4e-4 rad of the finger at 0.1 ms), so their springs are forces here, of each
/// step anew (pull), and their dampers the joints'.
static void aim(gmc_robot *robot, const mjModel *model, mjData *data)
{
    gmc_robot_hold(robot);
    for (int a = 0; a < model->nu; a++) {
        const char *name = mj_id2name(model, mjOBJ_JOINT, model->actuator_trnid[2 * a]);
        int i = gmc_urdf_find_joint(&robot->urdf, name), v = gmc_robot_v(robot, i);
        const mjtNum *bias = model->actuator_biasprm + mjNBIAS * a;
        double gain = model->actuator_gainprm[mjNGAIN * a], gear = model->actuator_gear[6 * a];
        if (bias[1] < 0) {
            double target = robot->stage.q_ref[v] + 0.1;
            robot->stage.q_ref[v] = target;
            data->ctrl[a] = -bias[1] * gear * target / gain;
        } else if (bias[2] == 0) {
            data->ctrl[a] = 0.5;
            robot->stage.force[v] = 0.5 * gear * gain;
        }
    }
}

/// The step's forces: of springs and motors; dampers become the joints' own, once.
static void pull(gmc_robot *robot, const double *motor)
{
    gmc_stage *stage = &robot->stage;
    for (int i = 0; i < robot->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &robot->urdf.joints[i];
        if (joint->kind == GMC_URDF_FIXED || joint->kind == GMC_URDF_BALL) continue;
        int v = gmc_robot_v(robot, i);
        double q = stage->world.state.q[gmc_robot_q(robot, i)];
        double spring = joint->stiffness >= 0 ? joint->stiffness : 0;
        stage->model.dofs[v].damping += stage->damping[v];
        stage->damping[v] = stage->stiffness[v] = 0;
        stage->force[v] = motor[v] + spring * (stage->q_ref[v] - q);
    }
}

static gmc_status swing(gmc_robot *robot, int steps)
{
    enum { DOFS_MAX = 64 };
    double motor[DOFS_MAX];
    gmc_stage *stage = &robot->stage;
    if (stage->model.dof_count > DOFS_MAX) return GMC_E_LIMIT;
    memcpy(motor, stage->force, (size_t)stage->model.dof_count * sizeof *motor);
    for (int i = 0; i < steps; i++) {
        stage->options.is_start = i == 0;
        pull(robot, motor);
        GMC_TRY(gmc_stage_step(stage, STEP));
    }
    return GMC_OK;
}

static double difference(const gmc_robot *robot, const mjModel *model, const mjData *data)
{
    double largest = 0;
    for (int i = 0; i < robot->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &robot->urdf.joints[i];
        if (joint->kind == GMC_URDF_FIXED) continue;
        const double *q = robot->stage.world.state.q + gmc_robot_q(robot, i);
        const mjtNum *p =
            data->qpos + model->jnt_qposadr[mj_name2id(model, mjOBJ_JOINT, joint->name)];
        double d = fabs(q[0] - p[0]);
        if (joint->kind == GMC_URDF_BALL) { // the angle between two rotations
            gmc_quat a = {q[0], q[1], q[2], q[3]}, b = {p[0], p[1], p[2], p[3]};
            d = gmc_vec3_norm(gmc_quat_log(gmc_quat_multiply(gmc_quat_conjugate(a), b)));
        }
        largest = fmax(largest, d);
    }
    return largest;
}

static double moved(const mjModel *model, const mjData *data, const mjtNum *before)
{
    double largest = 0;
    for (int i = 0; i < model->nq; i++)
        largest = fmax(largest, fabs(data->qpos[i] - before[i]));
    return largest;
}

static bool compare(const char *file)
{
    char error[1000] = "";
    gmc_robot robot = {0};
    mjModel *model = mj_loadXML(file, NULL, error, sizeof error);
    if (!model) fprintf(stderr, "%s: MuJoCo: %s\n", file, error);
    if (!model || gmc_robot_open(file, &robot) != GMC_OK) return false;
    mjData *data = mj_makeData(model);
    model->opt.integrator = mjINT_RK4;
    model->opt.timestep = STEP;
    model->opt.disableflags |= mjDSBL_CONTACT;
    start(&robot, model, data);
    aim(&robot, model, data);
    mjtNum *before = malloc((size_t)model->nq * sizeof *before);
    memcpy(before, data->qpos, (size_t)model->nq * sizeof *before);
    int steps = (int)(SPAN / STEP + 0.5);
    // the state is set from outside: the world's kinematics follow
    gmc_stage *stage = &robot.stage;
    gmc_kinematics_update(&stage->model, stage->world.state.q, stage->world.state.v,
                          &stage->world.kin);
    gmc_status status = swing(&robot, steps);
    for (int i = 0; i < steps; i++)
        mj_step(model, data);
    double d = difference(&robot, model, data);
    bool is_good = status == GMC_OK && d <= BAR;
    const char *base = strrchr(file, '/');
    printf("%s,%d,%.3g,%.3g,%g,%s\n", base ? base + 1 : file, (int)model->nv,
           moved(model, data, before), d, BAR, is_good ? "ok" : "FAIL");
    free(before);
    mj_deleteData(data);
    mj_deleteModel(model);
    gmc_robot_close(&robot);
    return is_good;
}

static int peers(int count, char **files)
{
    int failed = 0;
    printf("model,dofs,moved,difference,bar,verdict\n");
    for (int i = 0; i < count; i++)
        failed += !compare(files[i]);
    return failed > 0;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int time_of(const char *file)
{
    enum { STEPS = 5000, ROUNDS = 5 };
    gmc_robot robot = {0};
    double best = HUGE_VAL;
    if (gmc_robot_open(file, &robot) != GMC_OK) return 1;
    gmc_robot_hold(&robot);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        if (gmc_stage_run(&robot.stage, 1e-3, 1e-3 * STEPS) != GMC_OK) return 1;
        best = fmin(best, (now() - start) / STEPS);
    }
    printf("file,dofs,us_per_step,bar,verdict\n%s,%d,%.2f,30,%s\n", file,
           robot.stage.model.dof_count, 1e6 * best, best <= 30e-6 ? "ok" : "FAIL");
    gmc_robot_close(&robot);
    return best > 30e-6;
}

int main(int count, char **words)
{
    if (count > 2 && strcmp(words[1], "peers") == 0) return peers(count - 2, words + 2);
    if (count == 3 && strcmp(words[1], "time") == 0) return time_of(words[2]);
    fprintf(stderr, "bench_mjcf peers FILE... | time FILE\n");
    return 64;
}
