// Composite rigid bodies in world coordinates: from the leaves to the root every body gathers what
// hangs on it; the momentum F of that composite per unit velocity of an axis, taken along the axes
// of the chain above, gives M's entries. Composites are kept as (mass, centre, tensor about the
// centre), not as tensors about the world's origin, where m |c|² would bury the small tensors of
// fingers and objects.
//
// Mimic joints need no care but one: entries are summed over ordered pairs of axes, so two axes of
// the same dof, one above the other, add twice to the same entry.

#include "engine/dynamics/crba.h"

#include <string.h>

typedef struct composite {
    double mass;
    gmc_vec3 com;
    gmc_mat3 I;
} composite;

size_t gmc_crba_bytes(const gmc_model *model)
{
    enum { ALIGNMENT = 64 };
    return (size_t)model->body_count * sizeof(composite) + (size_t)ALIGNMENT;
}

// a becomes a and b together: their tensors, and that of the reduced mass at their distance.
static void gather(composite *a, const composite *b)
{
    double mass = a->mass + b->mass;
    if (mass <= 0) return; // nothing there yet, and a tensor without mass does not exist
    double share = b->mass / mass, reduced = a->mass * share;
    gmc_vec3 d = gmc_vec3_sub(b->com, a->com);
    double dd = gmc_vec3_dot(d, d), v[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++) {
        a->I.m[4 * i] += reduced * dd;
        for (int j = 0; j < 3; j++)
            a->I.m[3 * i + j] += b->I.m[3 * i + j] - reduced * v[i] * v[j];
    }
    a->mass = mass;
    a->com = gmc_vec3_add_scaled(a->com, share, d);
}

// Momentum of a composite that moves with the twist S, about the world's origin.
static gmc_wrench momentum(const composite *c, const gmc_twist *S)
{
    gmc_vec3 p = gmc_vec3_scale(c->mass, gmc_twist_at(S, c->com));
    gmc_vec3 L = gmc_vec3_add(gmc_mat3_apply(&c->I, S->w), gmc_vec3_cross(c->com, p));
    return (gmc_wrench){L, p};
}

// Where M goes: (n x n), or of each row only the columns from `first` of its dof on.
typedef struct target {
    double *M;
    const int *first; // NULL: 0 for all
    int n, stride;
} target;

static double *block_of(const target *to, int dof)
{
    return to->first ? to->M - to->first[dof] : to->M;
}

// The rows and columns of one axis against itself and the axes before it in its chain.
static void add_axis(const gmc_kinematics *kin, int chain_first, int chain_end, const composite *c,
                     const target *to)
{
    int axis = kin->chain[chain_end], row = kin->axis_dof[axis], n = to->stride;
    gmc_wrench F = momentum(c, kin->axes + axis);
    double *M = block_of(to, row);
    M[row * n + row] += gmc_twist_power(kin->axes[axis], F);
    for (int k = chain_first; k < chain_end; k++) {
        int column = kin->axis_dof[kin->chain[k]];
        if (column >= to->n) continue;
        double entry = gmc_twist_power(kin->axes[kin->chain[k]], F);
        M[row * n + column] += entry;
        M[column * n + row] += entry;
    }
}

static void fill_isolated(const gmc_body *body, const gmc_mat3 *I_w, const target *to)
{
    int n = to->stride;
    double *block = block_of(to, body->v) + body->v * n + body->v;
    for (int i = 0; i < 3; i++) {
        block[i * n + i] = body->inertia.mass;
        for (int j = 0; j < 3; j++)
            block[(3 + i) * n + 3 + j] = I_w->m[3 * i + j];
    }
}

static gmc_status fill(const gmc_model *model, const gmc_kinematics *kin, const target *to,
                       gmc_arena *scratch)
{
    int n = model->free_count;
    composite *all = gmc_arena_take(scratch, (size_t)model->body_count, sizeof *all);
    if (!all) return GMC_E_ARENA_FULL;
    memset(to->M, 0, (size_t)n * (size_t)to->stride * sizeof *to->M);

    // what hangs on each body, the body included
    for (int i = model->body_count - 1; i > 0; i--) {
        const gmc_body *body = model->bodies + i;
        if (body->joint == GMC_JOINT_FIXED) continue;
        if (body->is_isolated) {
            fill_isolated(body, kin->I_w + i, to);
            continue;
        }
        composite own = {body->inertia.mass, kin->com_w[i], kin->I_w[i]};
        gather(all + i, &own);

        // its momentum along the axes above, the joint's own included
        int end = kin->chain_start[i + 1], first = kin->chain_start[i];
        int own_count = kin->axis_first[i + 1] - kin->axis_first[i];
        if (body->v < n)
            for (int k = end - own_count; k < end; k++)
                add_axis(kin, first, k, all + i, to);
        if (body->parent > 0) gather(all + body->parent, all + i);
    }

    for (int d = 0; d < n; d++)
        block_of(to, d)[d * to->stride + d] += model->dofs[d].armature;
    return GMC_OK;
}

gmc_status gmc_crba(const gmc_model *model, const gmc_kinematics *kin, double *M,
                    gmc_arena *scratch)
{
    const target to = {M, NULL, model->free_count, model->free_count};
    return fill(model, kin, &to, scratch);
}

gmc_status gmc_crba_blocks(const gmc_model *model, const gmc_kinematics *kin, const int *first,
                           int width, double *M, gmc_arena *scratch)
{
    const target to = {M, first, model->free_count, width};
    return fill(model, kin, &to, scratch);
}
