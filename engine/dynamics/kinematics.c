// One sweep from the root: pose, then axes, then twist of every body. Axes are kept per body and
// dof, not per dof, so that a mimic joint is nothing special: its axis carries the ratio and the
// leader's dof.
//
// The axes of a free joint follow from its velocities: those of the centre of mass, and the angular
// one, both along the world. So the first three axes are constant and the last three turn about the
// centre of mass; for all other joints the axes are fixed in the parent and move with it.

#include "engine/dynamics/kinematics.h"

static const gmc_vec3 UNIT[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static int count_axes(const gmc_model *model)
{
    int count = 0;
    for (int i = 1; i < model->body_count; i++)
        count += gmc_joint_v_count(model->bodies[i].joint);
    return count;
}

// Sum of the lengths of all chains.
static int count_chains(const gmc_model *model)
{
    int count = 0;
    for (int i = 1; i < model->body_count; i++)
        for (int b = i; b > 0; b = model->bodies[b].parent)
            count += gmc_joint_v_count(model->bodies[b].joint);
    return count;
}

// A chain is the parent's chain and the joint's own axes.
static void fill_chains(const gmc_model *model, gmc_kinematics *kin)
{
    int axis = 0, end = 0;
    kin->chain_start[1] = 0; // the world has none
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        int parent = body->parent;
        kin->axis_first[i] = axis;
        for (int k = kin->chain_start[parent]; k < kin->chain_start[parent + 1]; k++)
            kin->chain[end++] = kin->chain[k];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++) {
            kin->axis_dof[axis] = body->v + k;
            if (body->joint == GMC_JOINT_FREE && k < 3) kin->axes[axis].v = UNIT[k];
            if (body->joint == GMC_JOINT_FREE && k >= 3) kin->axes[axis].w = UNIT[k - 3];
            kin->chain[end++] = axis++;
        }
        kin->chain_start[i + 1] = end;
    }
    kin->axis_first[model->body_count] = axis;
}

gmc_status gmc_kinematics_create(const gmc_model *model, gmc_arena *arena, gmc_kinematics *kin)
{
    size_t bodies = (size_t)model->body_count;
    gmc_kinematics k = {.axis_count = count_axes(model)};
    k.X_wb = gmc_arena_take(arena, bodies, sizeof *k.X_wb);
    k.com_w = gmc_arena_take(arena, bodies, sizeof *k.com_w);
    k.I_w = gmc_arena_take(arena, bodies, sizeof *k.I_w);
    k.V = gmc_arena_take(arena, bodies, sizeof *k.V);
    k.axes = gmc_arena_take(arena, (size_t)k.axis_count, sizeof *k.axes);
    k.axes_dot = gmc_arena_take(arena, (size_t)k.axis_count, sizeof *k.axes_dot);
    k.axis_first = gmc_arena_take(arena, bodies + 1, sizeof *k.axis_first);
    k.axis_dof = gmc_arena_take(arena, (size_t)k.axis_count, sizeof *k.axis_dof);
    k.chain_start = gmc_arena_take(arena, bodies + 1, sizeof *k.chain_start);
    k.chain = gmc_arena_take(arena, (size_t)count_chains(model), sizeof *k.chain);
    if (!k.X_wb || !k.com_w || !k.I_w || !k.V || !k.axes || !k.axes_dot || !k.axis_first ||
        !k.axis_dof || !k.chain_start || !k.chain)
        return GMC_E_ARENA_FULL;
    k.X_wb[0] = gmc_pose_identity();
    fill_chains(model, &k);
    *kin = k;
    return GMC_OK;
}

static gmc_twist turn_about(gmc_vec3 axis, gmc_vec3 through)
{
    return (gmc_twist){axis, gmc_vec3_cross(through, axis)};
}

// Axes of a body's joint; X_wj is the joint frame, the body's pose is known.
static void place_axes(const gmc_body *body, const gmc_pose *X_wj, gmc_vec3 com_w, gmc_twist *axes)
{
    switch (body->joint) {
    case GMC_JOINT_REVOLUTE: {
        gmc_vec3 axis = gmc_mat3_apply(&X_wj->R, gmc_vec3_scale(body->ratio, body->axis));
        axes[0] = turn_about(axis, X_wj->p);
        return;
    }
    case GMC_JOINT_PRISMATIC:
        axes[0].v = gmc_mat3_apply(&X_wj->R, gmc_vec3_scale(body->ratio, body->axis));
        return;
    case GMC_JOINT_SPHERICAL:
        for (int k = 0; k < 3; k++)
            axes[k] = turn_about(gmc_mat3_column(&X_wj->R, k), X_wj->p);
        return;
    case GMC_JOINT_FREE:
        for (int k = 0; k < 3; k++)
            axes[3 + k].v = gmc_vec3_cross(com_w, UNIT[k]);
        return;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
}

// Twist of a body whose parent is done, and the rates of its axes.
static void move_body(const gmc_model *model, int i, const double *v, gmc_kinematics *kin)
{
    const gmc_body *body = model->bodies + i;
    const gmc_twist *axes = kin->axes + kin->axis_first[i];
    gmc_twist *rates = kin->axes_dot + kin->axis_first[i];
    const double *own = v + body->v;
    gmc_twist V = kin->V[body->parent];
    if (body->joint == GMC_JOINT_FREE) {
        gmc_vec3 velocity = {own[0], own[1], own[2]}, w = {own[3], own[4], own[5]};
        for (int k = 0; k < 3; k++)
            rates[3 + k].v = gmc_vec3_cross(velocity, UNIT[k]);
        kin->V[i] = (gmc_twist){w, gmc_vec3_add(velocity, gmc_vec3_cross(kin->com_w[i], w))};
        return;
    }
    int count = kin->axis_first[i + 1] - kin->axis_first[i];
    for (int k = 0; k < count; k++)
        rates[k] = gmc_twist_cross(V, axes[k]);
    for (int k = 0; k < count; k++)
        V = gmc_twist_add_scaled(V, own[k], axes[k]);
    kin->V[i] = V;
}

static void stop_body(int i, gmc_kinematics *kin)
{
    kin->V[i] = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
    for (int k = kin->axis_first[i]; k < kin->axis_first[i + 1]; k++)
        kin->axes_dot[k] = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
}

void gmc_kinematics_update(const gmc_model *model, const double *q, const double *v,
                           gmc_kinematics *kin)
{
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        gmc_pose X_wj = gmc_pose_multiply(kin->X_wb + body->parent, &body->X_pj);
        if (body->joint == GMC_JOINT_FIXED) {
            kin->X_wb[i] = X_wj;
            kin->com_w[i] = gmc_pose_apply(&X_wj, body->inertia.com);
            continue; // its twist is zero from the start
        }
        gmc_pose X_jb = gmc_model_joint_pose(body, q);
        kin->X_wb[i] = gmc_pose_multiply(&X_wj, &X_jb);
        kin->com_w[i] = gmc_pose_apply(kin->X_wb + i, body->inertia.com);
        kin->I_w[i] = gmc_mat3_rotate(&kin->X_wb[i].R, &body->inertia.I);
        place_axes(body, &X_wj, kin->com_w[i], kin->axes + kin->axis_first[i]);
        if (v)
            move_body(model, i, v, kin);
        else
            stop_body(i, kin);
    }
}

gmc_twist gmc_kinematics_twist(const gmc_kinematics *kin, int body, const double *v)
{
    gmc_twist V = {{0, 0, 0}, {0, 0, 0}};
    for (int k = kin->chain_start[body]; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k];
        V = gmc_twist_add_scaled(V, v[kin->axis_dof[axis]], kin->axes[axis]);
    }
    return V;
}

double gmc_kinematics_energy(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                             double *potential)
{
    double kinetic = 0, height = 0;
    for (int i = 1; i < model->body_count; i++) {
        if (gmc_model_is_static(model, i)) continue;
        double mass = model->bodies[i].inertia.mass;
        gmc_vec3 com = kin->com_w[i], velocity = gmc_twist_at(kin->V + i, com), w = kin->V[i].w;
        kinetic += mass * gmc_vec3_dot(velocity, velocity) / 2;
        kinetic += gmc_vec3_dot(w, gmc_mat3_apply(kin->I_w + i, w)) / 2;
        height -= mass * gmc_vec3_dot(model->gravity, com);
    }
    for (int d = 0; d < model->dof_count; d++)
        kinetic += model->dofs[d].armature * v[d] * v[d] / 2;
    if (potential) *potential = height;
    return kinetic;
}
