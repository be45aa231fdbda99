// Axes that move both bodies alike cancel exactly and are skipped: chains of one tree share their
// beginning. What is left is merged by dof, because a mimic's axes share one.

#include "engine/dynamics/jacobian.h"

// The column of a dof, made if it is not there.
static double *column_of(gmc_jacobian *j, int dof)
{
    for (int k = j->count - 1; k >= 0; k--)
        if (j->columns[k] == dof) return j->S + 6 * k;
    double *S = j->S + 6 * j->count;
    for (int i = 0; i < 6; i++)
        S[i] = 0;
    j->columns[j->count++] = dof;
    return S;
}

static void add_scaled(double sign, gmc_vec3 velocity, gmc_vec3 spin, double *S)
{
    S[0] += sign * velocity.x;
    S[1] += sign * velocity.y;
    S[2] += sign * velocity.z;
    S[3] += sign * spin.x;
    S[4] += sign * spin.y;
    S[5] += sign * spin.z;
}

// An isolated body that is not at the reference: its dofs are those of its own centre of mass.
static void add_isolated(gmc_jacobian *j, int first, gmc_vec3 com_w, double sign)
{
    const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_vec3 arm = gmc_vec3_sub(j->about, com_w);
    for (int k = 0; k < 3; k++)
        add_scaled(sign, axes[k], (gmc_vec3){0, 0, 0}, column_of(j, first + k));
    for (int k = 0; k < 3; k++)
        add_scaled(sign, gmc_vec3_cross(axes[k], arm), axes[k], column_of(j, first + 3 + k));
}

static void add_chain(gmc_jacobian *j, const gmc_model *model, const gmc_kinematics *kin, int body,
                      int skip, double sign)
{
    for (int k = kin->chain_start[body] + skip; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k], dof = kin->axis_dof[axis];
        if (dof >= model->free_count) continue;
        const gmc_twist *motion = &kin->axes[axis];
        add_scaled(sign, gmc_twist_at(motion, j->about), motion->w, column_of(j, dof));
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
                             int body_b, int *columns, double *S)
{
    bool is_free_a = model->bodies[body_a].is_isolated;
    bool is_free_b = model->bodies[body_b].is_isolated;
    // the reference is near the contacts: arms and moments about it are of the size of a body
    int at = is_free_b || (body_b > 0 && !is_free_a) ? body_b : body_a;
    gmc_jacobian j = {.about = kin->com_w[at], .columns = columns, .S = S, .sign = 1};
    if (body_a == body_b) return j;
    int skip = shared_count(kin, body_a, body_b);
    if (is_free_a && at != body_a)
        add_isolated(&j, model->bodies[body_a].v, kin->com_w[body_a], -1);
    else if (!is_free_a)
        add_chain(&j, model, kin, body_a, skip, -1);
    if (!is_free_b) add_chain(&j, model, kin, body_b, skip, 1);
    j.general_count = j.count;
    if (!is_free_a && !is_free_b) return j;
    j.sign = at == body_b ? 1 : -1;
    for (int k = 0; k < 6; k++)
        j.columns[j.count++] = model->bodies[at].v + k;
    return j;
}
