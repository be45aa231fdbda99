// Composite rigid bodies in world coordinates: from the leaves to the root every body gathers what
// hangs on it; the momentum F of that composite per unit velocity of an axis, taken along the axes
// of the chain above, gives M's entries. Composites are kept as (mass, centre, tensor about the
// centre), not as tensors about the world's origin, where m |c|² would bury the small tensors of
// fingers and objects.
//
// Mimic joints need no care but one: entries are summed over ordered pairs of axes, so two axes of
// the same dof, one above the other, add twice to the same entry.
//
// M is a sum in two parts. What slides meets only what slides above it, along axes that keep their
// directions: mass times their cosine, the same for ever, as are armature, the masses of isolated
// bodies and tensors that are the same about every axis. What turns comes on top.

#include "engine/dynamics/crba.h"

#include <string.h>

typedef struct composite {
    double mass;
    gmc_vec3 com;
    double xx, yy, zz, xy, xz, yz; // about com, world axes
} composite;

// Where M goes: (n x n), or of each row only the columns from `first` of its dof on.
typedef struct target {
    double *M;
    const int *first; // NULL: 0 for all
    int n, stride;
} target;

static double *row_of(const target *to, int dof)
{
    return to->M + dof * to->stride - (to->first ? to->first[dof] : 0);
}

// ---- what never changes ------------------------------------------------------------------------

// The axis of a body that slides, with `mass` behind it, against itself and those above.
static void add_sliding(const gmc_kinematics *kin, int i, double mass, const target *to)
{
    int own = kin->axis_first[i], row = kin->axis_dof[own];
    if (row >= to->n) return;
    gmc_vec3 p = gmc_vec3_scale(mass, kin->axes[own].v);
    row_of(to, row)[row] += gmc_vec3_dot(kin->axes[own].v, p);
    for (int k = kin->chain_start[i]; k < kin->chain_start[i + 1] - 1; k++) {
        int axis = kin->chain[k], column = kin->axis_dof[axis];
        if (column >= to->n) continue; // driven
        double entry = gmc_vec3_dot(kin->axes[axis].v, p);
        row_of(to, row)[column] += entry;
        row_of(to, column)[row] += entry;
    }
}

static void fill_steady(const gmc_model *model, const gmc_kinematics *kin, const target *to)
{
    memset(to->M, 0, (size_t)to->n * (size_t)to->stride * sizeof *to->M);
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        const gmc_steady *steady = kin->steady + i;
        if (steady->mobility == GMC_MOBILITY_SLIDES) add_sliding(kin, i, steady->behind, to);
        for (int k = 0; steady->is_flat && k < 3; k++)
            row_of(to, body->v + k)[body->v + k] =
                k < 2 ? body->inertia.mass : body->inertia.I.m[8];
        for (int k = 0; body->is_isolated && k < 3; k++) {
            int turn = body->v + 3 + k;
            row_of(to, body->v + k)[body->v + k] = body->inertia.mass;
            if (steady->roundness == GMC_ROUNDNESS_FULL)
                row_of(to, turn)[turn] = body->inertia.I.m[0];
        }
    }
    for (int d = 0; d < to->n; d++)
        row_of(to, d)[d] += model->dofs[d].armature;
}

// ---- what turns --------------------------------------------------------------------------------

static composite own_of(const gmc_body *body, gmc_vec3 com_w, const gmc_mat3 *I_w)
{
    const double *m = I_w->m;
    return (composite){body->inertia.mass, com_w, m[0], m[4], m[8], m[1], m[2], m[5]};
}

// a becomes a and b together: their tensors, and that of the reduced mass at their distance.
static void gather(composite *a, const composite *b)
{
    double mass = a->mass + b->mass;
    if (mass <= 0) return; // nothing there yet, and a tensor without mass does not exist
    double share = b->mass / mass, reduced = a->mass * share;
    gmc_vec3 d = gmc_vec3_sub(b->com, a->com), e = gmc_vec3_scale(reduced, d);
    a->xx += b->xx + (e.y * d.y + e.z * d.z);
    a->yy += b->yy + (e.x * d.x + e.z * d.z);
    a->zz += b->zz + (e.x * d.x + e.y * d.y);
    a->xy += b->xy - e.x * d.y;
    a->xz += b->xz - e.x * d.z;
    a->yz += b->yz - e.y * d.z;
    a->mass = mass;
    a->com = gmc_vec3_add_scaled(a->com, share, d);
}

// Momentum of a composite that moves with the twist S, about the world's origin.
static gmc_wrench momentum(const composite *c, const gmc_twist *S)
{
    gmc_vec3 w = S->w, p = gmc_vec3_scale(c->mass, gmc_twist_at(S, c->com));
    gmc_vec3 L = {c->xx * w.x + c->xy * w.y + c->xz * w.z, c->xy * w.x + c->yy * w.y + c->yz * w.z,
                  c->xz * w.x + c->yz * w.y + c->zz * w.z};
    return (gmc_wrench){gmc_vec3_add(L, gmc_vec3_cross(c->com, p)), p};
}

// An axis against itself and those before it in its chain.
static void add_axis(const gmc_kinematics *kin, const int *chain, int before, const composite *c,
                     const target *to)
{
    int axis = chain[before], row = kin->axis_dof[axis];
    double *entries = row_of(to, row);
    gmc_wrench F = momentum(c, kin->axes + axis);
    entries[row] += gmc_twist_power(kin->axes[axis], F);
    for (int k = 0; k < before; k++) {
        int column = kin->axis_dof[chain[k]];
        if (column >= to->n) continue; // driven
        double entry = gmc_twist_power(kin->axes[chain[k]], F);
        entries[column] += entry;
        row_of(to, column)[row] += entry;
    }
}

static void add_axes(const gmc_kinematics *kin, int i, const composite *c, const target *to)
{
    const int *chain = kin->chain + kin->chain_start[i];
    int length = kin->chain_start[i + 1] - kin->chain_start[i];
    int own_count = kin->axis_first[i + 1] - kin->axis_first[i];
    for (int k = length - own_count; k < length; k++)
        add_axis(kin, chain, k, c, to);
}

static void put_isolated(const gmc_body *body, const gmc_mat3 *I_w, const target *to)
{
    for (int i = 0; i < 3; i++) {
        double *row = row_of(to, body->v + 3 + i) + body->v + 3;
        for (int j = 0; j < 3; j++)
            row[j] += I_w->m[3 * i + j];
    }
}

// Turns, and is part of a tree: neither isolated nor flat.
static bool turns_in_tree(const gmc_steady *steady)
{
    return steady->mobility == GMC_MOBILITY_TURNS && !steady->is_isolated && !steady->is_flat;
}

static gmc_status add_turning(const gmc_model *model, const gmc_kinematics *kin, const target *to,
                              gmc_arena *scratch)
{
    for (int i = 1; i < model->body_count; i++)
        if (kin->steady[i].is_isolated && kin->steady[i].roundness != GMC_ROUNDNESS_FULL)
            put_isolated(model->bodies + i, kin->I_w + i, to);
    if (!kin->has_turning) return GMC_OK;

    composite *all = GMC_ROOM(scratch, model->body_count, composite);
    if (!all) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++)
        if (turns_in_tree(kin->steady + i))
            all[i] = own_of(model->bodies + i, kin->com_w[i], kin->I_w + i);

    // what hangs on each body, the body included; its momentum along the axes above, the joint's
    // own included
    for (int i = model->body_count - 1; i > 0; i--) {
        const gmc_body *body = model->bodies + i;
        if (!turns_in_tree(kin->steady + i)) continue;
        if (body->v < to->n) add_axes(kin, i, all + i, to);
        if (kin->steady[body->parent].mobility == GMC_MOBILITY_TURNS)
            gather(all + body->parent, all + i);
    }
    return GMC_OK;
}

gmc_status gmc_crba(const gmc_model *model, const gmc_kinematics *kin, double *M,
                    gmc_arena *scratch)
{
    const target to = {M, NULL, model->free_count, model->free_count};
    fill_steady(model, kin, &to);
    return add_turning(model, kin, &to, scratch);
}

void gmc_crba_steady(const gmc_model *model, const gmc_kinematics *kin, const int *first, int width,
                     double *M)
{
    const target to = {M, first, model->free_count, width};
    fill_steady(model, kin, &to);
}

gmc_status gmc_crba_turning(const gmc_model *model, const gmc_kinematics *kin, const int *first,
                            int width, double *M, gmc_arena *scratch)
{
    const target to = {M, first, model->free_count, width};
    return add_turning(model, kin, &to, scratch);
}
