// Axes that move both bodies alike cancel exactly and are skipped: chains of one tree share their
// beginning. What is left is merged by dof, because a mimic's axes share one.

#include "engine/dynamics/jacobian.h"

typedef struct columns {
    int *dofs;
    double *values; // 3 each
    int count;
} columns;

// The place of a dof's column, made if it is not there; columns stay ascending. Dofs mostly come
// ascending, so the search starts from the end.
static double *column_of(columns *c, int dof)
{
    int place = c->count;
    while (place > 0 && c->dofs[place - 1] > dof)
        place--;
    if (place > 0 && c->dofs[place - 1] == dof) return c->values + (size_t)(3 * (place - 1));
    for (int k = c->count; k > place; k--) {
        c->dofs[k] = c->dofs[k - 1];
        for (int i = 0; i < 3; i++)
            c->values[3 * k + i] = c->values[3 * (k - 1) + i];
    }
    c->count++;
    c->dofs[place] = dof;
    double *value = c->values + (size_t)(3 * place);
    value[0] = value[1] = value[2] = 0;
    return value;
}

// An isolated body: velocity of its centre of mass, and turning about it.
static void add_isolated(columns *c, int first_dof, gmc_vec3 com_w, gmc_vec3 p_w,
                         const gmc_vec3 dir[3], double sign)
{
    gmc_vec3 arm = gmc_vec3_sub(p_w, com_w);
    double *block = column_of(c, first_dof);
    for (int k = 1; k < 6; k++)
        column_of(c, first_dof + k);
    for (int i = 0; i < 3; i++) {
        gmc_vec3 d = gmc_vec3_scale(sign, dir[i]), turn = gmc_vec3_cross(arm, d);
        block[i] = d.x;
        block[3 + i] = d.y;
        block[6 + i] = d.z;
        block[9 + i] = turn.x;
        block[12 + i] = turn.y;
        block[15 + i] = turn.z;
    }
}

static void add_body(columns *c, const gmc_model *model, const gmc_kinematics *kin, int body,
                     int skip, gmc_vec3 p_w, const gmc_vec3 dir[3], double sign)
{
    if (model->bodies[body].is_isolated) {
        add_isolated(c, model->bodies[body].v, kin->com_w[body], p_w, dir, sign);
        return;
    }
    for (int k = kin->chain_start[body] + skip; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k], dof = kin->axis_dof[axis];
        if (dof >= model->free_count) continue;
        gmc_vec3 velocity = gmc_twist_at(kin->axes + axis, p_w);
        double *value = column_of(c, dof);
        for (int i = 0; i < 3; i++)
            value[i] += sign * gmc_vec3_dot(dir[i], velocity);
    }
}

// Length of the common beginning of two chains.
static int shared_count(const gmc_kinematics *kin, int a, int b)
{
    const int *chain_a = kin->chain + kin->chain_start[a],
              *chain_b = kin->chain + kin->chain_start[b];
    int count_a = kin->chain_start[a + 1] - kin->chain_start[a];
    int count_b = kin->chain_start[b + 1] - kin->chain_start[b], shared = 0;
    while (shared < count_a && shared < count_b && chain_a[shared] == chain_b[shared])
        shared++;
    return shared;
}

int gmc_jacobian_relative(const gmc_model *model, const gmc_kinematics *kin, int body_a, int body_b,
                          gmc_vec3 p_w, const gmc_vec3 dir[3], int *dofs, double *J)
{
    if (body_a == body_b) return 0;
    columns c = {dofs, J, 0};
    int skip = shared_count(kin, body_a, body_b);
    // bodies in their own order: their dofs then come ascending as a rule
    if (body_a < body_b) {
        add_body(&c, model, kin, body_a, skip, p_w, dir, -1);
        add_body(&c, model, kin, body_b, skip, p_w, dir, 1);
    } else {
        add_body(&c, model, kin, body_b, skip, p_w, dir, 1);
        add_body(&c, model, kin, body_a, skip, p_w, dir, -1);
    }
    return c.count;
}
