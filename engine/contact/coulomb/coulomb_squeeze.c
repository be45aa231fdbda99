// What all but rigid rows (coulomb_impact.c) cannot stop: a driven body that comes down on a block
// that stands on a table, or on a stack of them. No motion of what is free keeps such surfaces
// apart, so they overlap by what the driven body goes on, whatever bears it: rows that are all but
// rigid bear it with 1e4 times the momentum of what is between (280 kN on a block of 0.4 kg at
// 20 mm/s, where springs come to 0.5 kN). There contacts keep their own law.
//
// Found by work. Let v* be the motion without contacts, v⁺ that found, u driven bodies' share of
// the approach, and
//
//   A = -Σ r (J v* + u)   that impulses do against the approach as it would be
//   U = -Σ r (J v⁺ + u)   and against what is left of it, which is overlap
//   W = -Σ r u            that driven bodies do
//
// over the struck contacts of free bodies that hand blows on to each other. A - U = |v⁺ - v*|² in
// the norm of M: what is stopped has U/A as its rows' compliance over its own, 1e-4 of a body that
// lands; what is squeezed has 1, for hardly anything is stopped. Between them is only what lands
// through a body of less than some 5000th of its mass, which rows hardly stop either, and which its
// own law does not throw back. And U is what driven bodies do, W: where nothing is driven (fingers
// that a force closes) nothing is squeezed, whatever friction adds to either. So halves are no
// choice that matters.
//
// Also tried: all contacts of the step with their own law (a ball of 2 kg that lands elsewhere in
// the same step sinks in by 1.3 mm, 0.17 so, on 1e5 N/m); without the relaxation that stops the
// mass between, in that step (no difference: those after it have it).

#include "engine/contact/coulomb/coulomb_internal.h"

#include <string.h>

/// Of the work against the approach, left to overlap; and of that, done by driven bodies [-].
static const double SQUEEZED = 0.5;

/// Blocks that hand on blows to each other have one label, that of the first.
static void join(const gmc_coulomb_step *step, int *label)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int c = 0; c < set->count; c++) {
            const gmc_contact *contact = &set->contacts[c];
            if (!contact->is_struck || !(step->r[3 * c] > 0)) continue;
            int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
            int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
            if (a < 0 || b < 0 || label[a] == label[b]) continue;
            label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
            is_more = true;
        }
    }
}

/// A, U and W of what one label has.
typedef struct squeeze {
    double approach, left, driven; ///< [J]
} squeeze;

static bool is_squeezed(const squeeze *sum)
{
    return sum->left > 0 && sum->left > SQUEEZED * sum->approach &&
           sum->driven > SQUEEZED * sum->left;
}

/// @param v  (free) v*
static void add_up(const gmc_coulomb_step *step, const double *v, const int *label, squeeze *sums)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    const gmc_ncp_group *group = step->groups;
    for (int c = 0; c < set->count; c++) {
        if (c == group->contact_first + group->contact_count) group++;
        const gmc_contact *contact = &set->contacts[c];
        double r = step->r[3 * c], gap = gmc_contact_gap(contact), before[3], after[3];
        if (!contact->is_struck || !(r > 0)) continue;
        int block = gmc_mechanism_block_of(&step->motion, contact->body_a);
        if (block < 0) block = gmc_mechanism_block_of(&step->motion, contact->body_b);
        if (block < 0) continue;
        gmc_ncp_contact_velocity(group, &step->contacts[c], v, before);
        gmc_ncp_contact_velocity(group, &step->contacts[c], step->motion.v, after);
        double by =
            step->driven_approach[c] - fmax(gap, 0) / step->motion.h; // on the way it is not left
        sums[label[block]].approach += r * (by - before[0]);
        sums[label[block]].left += r * (by - after[0]);
        sums[label[block]].driven += r * by;
    }
}

/// Labels in which nothing was to strike but points of rims, and none did: those of a rim that
/// rolls round come down in every step and are others in the next. What bears there would not push
/// out its overlap while it is held as an impact's.
static void mark_idle(const gmc_coulomb_step *step, const int *label, bool *is_idle)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < set->count; c++) {
            const gmc_contact *contact = &set->contacts[c];
            if (!contact->is_impact) continue;
            bool passes = !(step->r[3 * c] > 0) && gmc_coulomb_rim_has(step->motion.world, contact);
            if (passes != (pass == 0)) continue;
            int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
            int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
            if (a >= 0) is_idle[label[a]] = passes;
            if (b >= 0) is_idle[label[b]] = passes;
        }
}

gmc_status gmc_coulomb_squeeze_find(gmc_coulomb_step *step, bool *is_found)
{
    size_t count = (size_t)step->motion.memory->block_count;
    size_t n = (size_t)step->motion.world->model->free_count;
    *is_found = false;
    int *label = gmc_arena_room(step->motion.scratch, count, sizeof *label);
    squeeze *sums = gmc_arena_take(step->motion.scratch, count, sizeof *sums);
    double *v = gmc_arena_room(step->motion.scratch, n, sizeof *v);
    bool *is_idle = gmc_arena_take(step->motion.scratch, count, sizeof *is_idle);
    if (!label || !sums || !v || !is_idle) return GMC_E_ARENA_FULL;
    memcpy(v, step->motion.momentum, n * sizeof *v);
    for (int b = 0; b < step->motion.memory->block_count; b++) {
        gmc_mechanism_mass_solve(&step->motion, b, v);
        label[b] = b;
    }
    join(step, label);
    add_up(step, v, label, sums);
    mark_idle(step, label, is_idle);
    for (int b = 0; b < step->motion.memory->block_count; b++) {
        if (step->is_soft[b] || !(is_squeezed(&sums[label[b]]) || is_idle[label[b]])) continue;
        step->is_soft[b] = *is_found = true;
    }
    return GMC_OK;
}
