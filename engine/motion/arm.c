#include "engine/motion/arm.h"

#include "engine/base/check.h"
#include "engine/math/dense.h"

#include <string.h>

static void find_joints(gmc_arm *arm)
{
    const gmc_model *model = arm->spec.model;
    for (int dof = 0; dof < model->dof_count; dof++)
        arm->column[dof] = -1;
    for (int i = 0; i < arm->spec.count; i++)
        arm->column[arm->spec.dofs[i]] = i, arm->bodies[i] = -1;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (body->is_mimic || gmc_joint_v_count(body->joint) != 1) continue;
        if (arm->column[body->v] >= 0) arm->bodies[arm->column[body->v]] = b;
    }
    for (int i = 0; i < arm->spec.count; i++)
        GMC_ASSERT(arm->bodies[i] >= 0);
}

gmc_status gmc_arm_create(const gmc_arm_spec *spec, gmc_arena *arena, gmc_arm *arm)
{
    int n = spec->count, dofs = spec->model->dof_count;
    *arm = (gmc_arm){.spec = *spec};
    GMC_ASSERT(n > 0);
    GMC_TRY(gmc_kinematics_create(spec->model, arena, &arm->kin));
    int *own = GMC_NEW(arena, n, int);
    arm->bodies = GMC_NEW(arena, n, int);
    arm->last = GMC_NEW(arena, n, int);
    arm->column = GMC_NEW(arena, dofs, int);
    arm->q = GMC_NEW(arena, spec->model->q_count, double);
    arm->J = GMC_NEW(arena, 6 * n, double);
    arm->H = GMC_NEW(arena, n * gmc_mat_stride(n), double);
    arm->inverse = GMC_NEW(arena, n, double);
    arm->step = GMC_NEW(arena, n, double);
    arm->trial = GMC_NEW(arena, n, double);
    arm->is_held = GMC_NEW(arena, n, bool);
    arm->nearest = GMC_NEW(arena, n, double);
    if (!own || !arm->bodies || !arm->last || !arm->column || !arm->q || !arm->J || !arm->H ||
        !arm->inverse || !arm->step || !arm->trial || !arm->nearest || !arm->is_held)
        return GMC_E_ARENA_FULL;
    memcpy(own, spec->dofs, (size_t)n * sizeof *own);
    arm->spec.dofs = own;
    find_joints(arm);
    gmc_arm_stand(arm, spec->model->q_start);
    return GMC_OK;
}

gmc_pose gmc_arm_place(gmc_arm *arm, const double *x)
{
    const gmc_model *model = arm->spec.model;
    for (int i = 0; i < arm->spec.count; i++)
        arm->q[model->bodies[arm->bodies[i]].q] = x[i];
    gmc_kinematics_update(model, arm->q, NULL, &arm->kin);
    return gmc_pose_multiply(&arm->kin.X_wb[arm->spec.tool_body], &arm->spec.X_bt);
}
