// Outwards: velocities and accelerations of all bodies, gravity as an acceleration of the world;
// the force that each body's change of momentum needs. Inwards: those forces summed, and their
// power per unit velocity of each axis. Forces are formed at the centre of mass and only then
// carried to the world's origin, for the same reason as in crba.c. Isolated bodies need neither
// sweep. Of what slides only the linear parts are formed: nothing above it turns.

#include "engine/dynamics/rnea.h"

/// Velocity and acceleration of a body and force on it, with all that hangs on it; of what slides:
/// v and f.
typedef struct body_rate {
    gmc_twist V, A;
    gmc_wrench F;
} body_rate;

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
    for (int k = 0; k < 3; k++) {
        tau[d + k] = model->dofs[d + k].armature * (a ? a[d + k] : 0) + gmc_vec3_get(f, k);
        tau[d + 3 + k] =
            model->dofs[d + 3 + k].armature * (a ? a[d + 3 + k] : 0) + gmc_vec3_get(n, k);
    }
}

// Rate of the joint's axis k, of which its parent's twist is known: the parent carries the axis
// along; those of a free joint turn about the centre of mass, that of a planar one, too.
static gmc_twist axis_rate(const gmc_body *body, const gmc_kinematics *kin, int i, int k,
                           gmc_twist parent, const double *own)
{
    static const gmc_vec3 UNIT[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const gmc_twist *axis = kin->axes + kin->axis_first[i] + k;
    gmc_twist rate = {{0, 0, 0}, {0, 0, 0}};
    switch (body->joint) {
    case GMC_JOINT_FREE:
        if (k >= 3) rate.v = gmc_vec3_cross((gmc_vec3){own[0], own[1], own[2]}, UNIT[k - 3]);
        return rate;
    case GMC_JOINT_PLANAR:
        if (k == 2) rate.v = (gmc_vec3){own[1], -own[0], 0};
        return rate;
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC:
    case GMC_JOINT_SPHERICAL:
        if (!kin->steady[i].is_level) return gmc_twist_cross(parent, *axis);
        rate.v = gmc_vec3_cross(parent.v, axis->w); // carried along, not turned
        return rate;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return rate;
}

// Acceleration twist of a body whose parent's is known.
static gmc_twist accelerate(const gmc_model *model, const gmc_kinematics *kin, int i,
                            const body_rate *parent, const double *v, const double *a)
{
    const gmc_body *body = model->bodies + i;
    gmc_twist A = parent->A;
    for (int k = kin->axis_first[i]; k < kin->axis_first[i + 1]; k++) {
        int dof = kin->axis_dof[k];
        gmc_twist rate = axis_rate(body, kin, i, k - kin->axis_first[i], parent->V, v + body->v);
        A = gmc_twist_add_scaled(A, v[dof], rate);
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

// Accelerations and each body's own force; a world that accelerates upwards pulls like gravity.
static void outwards(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                     const double *a, body_rate *rates)
{
    rates[0].A = (gmc_twist){{0, 0, 0}, gmc_vec3_neg(model->gravity)};
    rates[0].V = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        const body_rate *parent = &rates[body->parent];
        double mass = body->inertia.mass;
        if (body->is_isolated || kin->steady[i].is_flat) continue; // nothing hangs on it
        switch (kin->steady[i].mobility) {
        case GMC_MOBILITY_STANDS:
            rates[i].V = rates[0].V;
            rates[i].A = rates[0].A;
            break;
        case GMC_MOBILITY_SLIDES:
            rates[i].V = gmc_kinematics_child_twist(model, kin, i, parent->V, v);
            rates[i].A = parent->A;
            if (a)
                rates[i].A.v =
                    gmc_vec3_add_scaled(parent->A.v, a[body->v], kin->axes[kin->axis_first[i]].v);
            rates[i].F.f = gmc_vec3_scale(mass, rates[i].A.v);
            break;
        case GMC_MOBILITY_TURNS:
            rates[i].V = gmc_kinematics_child_twist(model, kin, i, parent->V, v);
            rates[i].A = accelerate(model, kin, i, parent, v, a);
            rates[i].F = inertial_force(mass, kin->com_w[i], kin->I_w + i, rates[i].V, rates[i].A);
            break;
        }
    }
}

static void inwards(const gmc_model *model, const gmc_kinematics *kin, body_rate *rates,
                    double *tau)
{
    for (int i = model->body_count - 1; i > 0; i--) {
        const gmc_body *body = model->bodies + i;
        const gmc_wrench *F = &rates[i].F;
        gmc_wrench *up = &rates[body->parent].F;
        int axis = kin->axis_first[i];
        if (kin->steady[i].mobility == GMC_MOBILITY_STANDS || body->is_isolated ||
            kin->steady[i].is_flat)
            continue;
        if (kin->steady[i].mobility == GMC_MOBILITY_SLIDES)
            tau[body->v] += gmc_vec3_dot(kin->axes[axis].v, F->f);
        else
            for (int k = axis; k < kin->axis_first[i + 1]; k++)
                tau[kin->axis_dof[k]] += gmc_twist_power(kin->axes[k], *F);
        switch (kin->steady[body->parent].mobility) {
        case GMC_MOBILITY_STANDS:
            break;
        case GMC_MOBILITY_SLIDES:
            up->f = gmc_vec3_add(up->f, F->f);
            break;
        case GMC_MOBILITY_TURNS:
            *up = gmc_wrench_add(*up, *F);
            break;
        }
    }
}

// Where everything slides and nothing is accelerated, weight is all there is.
static void carry_weight(const gmc_model *model, const gmc_kinematics *kin, double *tau)
{
    for (int i = 1; i < model->body_count; i++)
        if (kin->steady[i].mobility == GMC_MOBILITY_SLIDES)
            tau[model->bodies[i].v] -=
                kin->steady[i].behind *
                gmc_vec3_dot(kin->axes[kin->axis_first[i]].v, model->gravity);
}

// Bodies in the plane, one by one: m (a - g), and the moment of their turning.
static void move_flat(const gmc_model *model, const gmc_kinematics *kin, const double *a,
                      double *tau)
{
    for (int i = 1; i < model->body_count; i++) {
        if (!kin->steady[i].is_flat) continue;
        const gmc_inertia *inertia = &model->bodies[i].inertia;
        int d = model->bodies[i].v;
        tau[d] += inertia->mass * ((a ? a[d] : 0) - model->gravity.x);
        tau[d + 1] += inertia->mass * ((a ? a[d + 1] : 0) - model->gravity.y);
        if (a) tau[d + 2] += inertia->I.m[8] * a[d + 2];
    }
}

gmc_status gmc_rnea_trees(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                          const double *a, double *tau, gmc_arena *scratch)
{
    for (int d = 0; d < model->dof_count; d++)
        tau[d] = a ? model->dofs[d].armature * a[d] : 0;
    if (kin->has_flat) move_flat(model, kin, a, tau);
    if (!kin->has_turning && !a) {
        carry_weight(model, kin, tau);
        return GMC_OK;
    }
    body_rate *rates = GMC_ROOM(scratch, model->body_count, body_rate);
    if (!rates) return GMC_E_ARENA_FULL;
    outwards(model, kin, v, a, rates);
    inwards(model, kin, rates, tau);
    return GMC_OK;
}

gmc_status gmc_rnea(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                    const double *a, double *tau, gmc_arena *scratch)
{
    GMC_TRY(gmc_rnea_trees(model, kin, v, a, tau, scratch));
    for (int i = 1; i < model->body_count; i++)
        if (model->bodies[i].is_isolated) isolated_body(model, kin, i, v, a, tau);
    return GMC_OK;
}
