// Outwards: accelerations of all bodies, gravity as an acceleration of the world; the force that
// each body's change of momentum needs. Inwards: those forces summed, and their power per unit
// velocity of each axis. Forces are formed at the centre of mass and only then carried to the
// world's origin, for the same reason as in crba.c. Isolated bodies need neither sweep.

#include "engine/dynamics/rnea.h"

size_t gmc_rnea_bytes(const gmc_model *model)
{
    enum { ALIGNMENT = 64 };
    return (size_t)model->body_count * (sizeof(gmc_twist) + sizeof(gmc_wrench)) +
           2 * (size_t)ALIGNMENT;
}

// Torque of an isolated body about its centre of mass: I w' + w x I w.
static void isolated_body(const gmc_model *model, const gmc_kinematics *kin, int i, const double *v,
                          const double *a, double *tau)
{
    const gmc_body *body = model->bodies + i;
    int d = body->v;
    gmc_vec3 w = {v[d + 3], v[d + 4], v[d + 5]};
    gmc_vec3 f = gmc_vec3_scale(-body->inertia.mass, model->gravity);
    gmc_vec3 n = gmc_vec3_cross(w, gmc_mat3_apply(kin->I_w + i, w));
    if (a) {
        gmc_vec3 linear = {a[d], a[d + 1], a[d + 2]}, angular = {a[d + 3], a[d + 4], a[d + 5]};
        f = gmc_vec3_add_scaled(f, body->inertia.mass, linear);
        n = gmc_vec3_add(n, gmc_mat3_apply(kin->I_w + i, angular));
    }
    tau[d] = f.x;
    tau[d + 1] = f.y;
    tau[d + 2] = f.z;
    tau[d + 3] = n.x;
    tau[d + 4] = n.y;
    tau[d + 5] = n.z;
}

// Acceleration twist of a body whose parent's is known.
static gmc_twist accelerate(const gmc_kinematics *kin, int i, gmc_twist parent, const double *v,
                            const double *a)
{
    gmc_twist A = parent;
    for (int k = kin->axis_first[i]; k < kin->axis_first[i + 1]; k++) {
        int dof = kin->axis_dof[k];
        A = gmc_twist_add_scaled(A, v[dof], kin->axes_dot[k]);
        if (a) A = gmc_twist_add_scaled(A, a[dof], kin->axes[k]);
    }
    return A;
}

// Force that the body's change of momentum needs, about the world's origin.
static gmc_wrench inertial_force(double mass, gmc_vec3 com, const gmc_mat3 *I_w, gmc_twist V,
                                 gmc_twist A)
{
    gmc_vec3 turning = gmc_vec3_cross(V.w, gmc_twist_at(&V, com));
    gmc_vec3 f = gmc_vec3_scale(mass, gmc_vec3_add(gmc_twist_at(&A, com), turning));
    gmc_vec3 n =
        gmc_vec3_add(gmc_mat3_apply(I_w, A.w), gmc_vec3_cross(V.w, gmc_mat3_apply(I_w, V.w)));
    return (gmc_wrench){gmc_vec3_add(n, gmc_vec3_cross(com, f)), f};
}

gmc_status gmc_rnea(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                    const double *a, double *tau, gmc_arena *scratch)
{
    size_t bodies = (size_t)model->body_count;
    gmc_twist *A = gmc_arena_take(scratch, bodies, sizeof *A);
    gmc_wrench *F = gmc_arena_take(scratch, bodies, sizeof *F);
    if (!A || !F) return GMC_E_ARENA_FULL;
    for (int d = 0; d < model->dof_count; d++)
        tau[d] = a ? model->dofs[d].armature * a[d] : 0;

    // outwards; a world that accelerates upwards pulls like gravity
    gmc_twist world = {{0, 0, 0}, gmc_vec3_neg(model->gravity)};
    A[0] = world;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        if (body->is_isolated) {
            isolated_body(model, kin, i, v, a, tau);
            continue;
        }
        A[i] = accelerate(kin, i, A[body->parent], v, a);
        if (body->joint == GMC_JOINT_FIXED) continue;
        F[i] = inertial_force(body->inertia.mass, kin->com_w[i], kin->I_w + i, kin->V[i], A[i]);
    }

    // inwards
    for (int i = model->body_count - 1; i > 0; i--) {
        const gmc_body *body = model->bodies + i;
        if (body->is_isolated || body->joint == GMC_JOINT_FIXED) continue;
        for (int k = kin->axis_first[i]; k < kin->axis_first[i + 1]; k++)
            tau[kin->axis_dof[k]] += gmc_twist_power(kin->axes[k], F[i]);
        if (body->parent > 0) F[body->parent] = gmc_wrench_add(F[body->parent], F[i]);
    }
    return GMC_OK;
}
