// Axes that move both bodies alike cancel exactly and are skipped: chains of one tree share their
// beginning. What is left is merged by dof, because a mimic's axes share one.

#include "engine/dynamics/jacobian.h"

// The place of a dof's column, made if it is not there; columns stay ascending. Dofs mostly come
// ascending, so the search starts from the end.
static int column_of(gmc_jacobian *j, int dof)
{
    int place = j->count;
    while (place > 0 && j->columns[place - 1] > dof)
        place--;
    if (place > 0 && j->columns[place - 1] == dof) return place - 1;
    for (int k = j->count; k > place; k--) {
        j->columns[k] = j->columns[k - 1];
        j->motions[k] = j->motions[k - 1];
    }
    for (int b = 0; b < j->block_count; b++)
        if (j->blocks[b].first >= place) j->blocks[b].first++;
    j->count++;
    j->columns[place] = dof;
    j->motions[place] = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
    return place;
}

static void add_body(gmc_jacobian *j, const gmc_model *model, const gmc_kinematics *kin, int body,
                     int skip, double sign)
{
    if (model->bodies[body].is_isolated) {
        int first = column_of(j, model->bodies[body].v);
        for (int k = 1; k < 6; k++)
            (void)column_of(j, model->bodies[body].v + k);
        int block = j->block_count++;
        j->blocks[block].first = first;
        j->blocks[block].sign = sign;
        j->blocks[block].com = kin->com_w[body];
        return;
    }
    for (int k = kin->chain_start[body] + skip; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k], dof = kin->axis_dof[axis];
        if (dof >= model->free_count) continue;
        gmc_twist *motion = &j->motions[column_of(j, dof)];
        *motion = gmc_twist_add_scaled(*motion, sign, kin->axes[axis]);
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

gmc_jacobian gmc_jacobian_of(const gmc_model *model, const gmc_kinematics *kin, int body_a,
                             int body_b, int *columns, gmc_twist *motions)
{
    gmc_jacobian j = {.columns = columns, .motions = motions};
    if (body_a == body_b) return j;
    int skip = shared_count(kin, body_a, body_b);
    // bodies in their own order: their dofs then come ascending as a rule
    if (body_a < body_b) {
        add_body(&j, model, kin, body_a, skip, -1);
        add_body(&j, model, kin, body_b, skip, 1);
    } else {
        add_body(&j, model, kin, body_b, skip, 1);
        add_body(&j, model, kin, body_a, skip, -1);
    }
    return j;
}

// An isolated body: velocity of its centre of mass, and turning about it.
static void fill_block(gmc_vec3 arm, const gmc_vec3 dir[3], double sign, double *block)
{
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

void gmc_jacobian_at(const gmc_jacobian *jacobian, gmc_vec3 p_w, const gmc_vec3 dir[3], double *J)
{
    int skipped = jacobian->block_count > 0 ? jacobian->blocks[0].first : -1;
    int also = jacobian->block_count > 1 ? jacobian->blocks[1].first : -1;
    for (int k = 0; k < jacobian->count; k++) {
        if (k == skipped || k == also) {
            k += 5;
            continue;
        }
        gmc_vec3 velocity = gmc_twist_at(&jacobian->motions[k], p_w);
        for (int i = 0; i < 3; i++)
            J[3 * k + i] = gmc_vec3_dot(dir[i], velocity);
    }
    for (int b = 0; b < jacobian->block_count; b++)
        fill_block(gmc_vec3_sub(p_w, jacobian->blocks[b].com), dir, jacobian->blocks[b].sign,
                   J + 3 * jacobian->blocks[b].first);
}

void gmc_jacobian_spin(const gmc_jacobian *jacobian, const gmc_vec3 dir[3], double *W)
{
    for (int k = 0; k < jacobian->count; k++)
        for (int i = 0; i < 3; i++)
            W[3 * k + i] = gmc_vec3_dot(dir[i], jacobian->motions[k].w);
    for (int b = 0; b < jacobian->block_count; b++) {
        double *block = W + 3 * jacobian->blocks[b].first, sign = jacobian->blocks[b].sign;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) {
                block[3 * k + i] = 0;
                block[9 + 3 * k + i] = sign * gmc_vec3_get(dir[i], k);
            }
    }
}
