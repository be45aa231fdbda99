#include "test/support/gantry.h"

#include "engine/model/builder.h"

gmc_status support_gantry(gmc_arena *arena, gmc_model *model, gmc_kinematics *kin)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    if (!builder) return GMC_E_MEMORY;
    gmc_source nowhere = {0};
    gmc_joint_spec rail = {.type = GMC_JOINT_PRISMATIC,
                           .X_pj = gmc_pose_identity(),
                           .axis = {1, 0, 0},
                           .dof = gmc_builder_default_dof()};
    gmc_joint_spec hinge = rail, loose = rail;
    hinge.type = GMC_JOINT_REVOLUTE;
    hinge.axis = (gmc_vec3){0, 1, 0};
    loose.type = GMC_JOINT_FREE;
    rail.dof.armature = 2;
    gmc_inertia cart = {3, {0, 0, 0}, gmc_mat3_diagonal(0.1, 0.1, 0.1)};
    gmc_inertia bob = {0.5, {0, 0, -0.4}, gmc_mat3_diagonal(0.01, 0.01, 0.01)};
    gmc_inertia brick = {2, {0.5, 0, 0}, gmc_mat3_diagonal(0.1, 0.2, 0.25)};
    gmc_builder_link(builder, nowhere, "cart", NULL, &rail, &cart);
    gmc_builder_link(builder, nowhere, "bob", "cart", &hinge, &bob);
    gmc_builder_link(builder, nowhere, "brick", NULL, &loose, &brick);
    gmc_builder_gravity(builder, (gmc_vec3){0, 0, -10});
    gmc_status status = gmc_builder_finish(builder, arena, model);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
    return status == GMC_OK ? gmc_kinematics_create(model, arena, kin) : status;
}
