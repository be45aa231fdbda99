#include "test/support/robot.h"

#include <string.h>

static const char *surface(void *context, const gmc_urdf_link *link)
{
    (void)context, (void)link;
    return "any";
}

gmc_status gmc_robot_open(const char *file, gmc_robot *robot)
{
    gmc_stage *stage = &robot->stage;
    gmc_urdf_options options = gmc_urdf_defaults();
    const char *end = strrchr(file, '.');
    bool is_mjcf = end && strcmp(end, ".xml") == 0;
    gmc_urdf_placing placing = {.base = {.name = "base",
                                         .type = GMC_JOINT_FIXED,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .surface = surface};
    gmc_stage_open(stage, 0.5);
    gmc_status status = is_mjcf ? gmc_mjcf_open(file, &options, &stage->report, &robot->urdf)
                                : gmc_urdf_open(file, &options, &stage->report, &robot->urdf);
    if (status == GMC_OK) status = gmc_urdf_build(&robot->urdf, &placing, stage->builder);
    if (status == GMC_OK)
        gmc_stage_ready(stage, 16);
    else
        gmc_diagnostics_print(&stage->report, stderr);
    return status;
}

static const gmc_body *body_of(const gmc_robot *robot, int joint)
{
    const char *link = robot->urdf.links[robot->urdf.joints[joint].child].name;
    return &robot->stage.model.bodies[gmc_stage_body(&robot->stage, link)];
}

int gmc_robot_q(const gmc_robot *robot, int joint) { return body_of(robot, joint)->q; }

int gmc_robot_v(const gmc_robot *robot, int joint) { return body_of(robot, joint)->v; }

void gmc_robot_hold(gmc_robot *robot)
{
    gmc_stage *stage = &robot->stage;
    for (int i = 0; i < robot->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &robot->urdf.joints[i];
        if (joint->kind == GMC_URDF_FIXED || joint->kind == GMC_URDF_BALL || joint->leader >= 0)
            continue;
        int v = gmc_robot_v(robot, i);
        stage->stiffness[v] = joint->stiffness >= 0 ? joint->stiffness : 0; // NaN: none
        stage->damping[v] = joint->servo_damping >= 0 ? joint->servo_damping : 0;
        stage->force_limit[v] = joint->effort;
        stage->q_ref[v] = stage->world.state.q[gmc_robot_q(robot, i)];
    }
}

void gmc_robot_close(gmc_robot *robot)
{
    gmc_stage_close(&robot->stage);
    gmc_urdf_close(&robot->urdf);
}
