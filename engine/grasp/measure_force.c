// Impulses of the steps of the last 8 ms, pair by pair. What came before the window has passed once
// is not there: until then the mean is over the time since the start. Of the oldest step as much
// counts as the window reaches into it, so that a force that is steady is its mean to rounding.
//
// Rejected: forces of single contact points, as they were: how bodies share a force among the
// corners of a face differs from stepper to stepper, and points come and go within the window.

#include "engine/grasp/measure_force.h"

#include <string.h>

/// Pairs at most, of many bodies: with more the one with the least force makes room.
enum { PAIRS_MAX = 1024 };

gmc_status gmc_measure_force_create(const gmc_model *model, gmc_arena *arena,
                                    gmc_measure_force *forces)
{
    int bodies = model->body_count, pairs = PAIRS_MAX;
    if (bodies < 46) pairs = bodies * (bodies - 1) / 2; // all, a thousand of 46 bodies
    *forces = (gmc_measure_force){.capacity = pairs > 0 ? pairs : 1};
    forces->pairs = gmc_arena_room(arena, (size_t)forces->capacity, sizeof *forces->pairs);
    return forces->pairs ? GMC_OK : GMC_E_ARENA_FULL;
}

/// What presses no more within the window is forgotten.
static void forget(gmc_measure_force *forces)
{
    int count = 0;
    for (int i = 0; i < forces->count; i++) {
        if (forces->pairs[i].idle >= forces->kept) continue;
        if (count < i) forces->pairs[count] = forces->pairs[i];
        count++;
    }
    forces->count = count;
}

/// The next of the kept steps, or the latest goes on.
static void open_step(double span, gmc_measure_force *forces)
{
    double least = 2 * GMC_MEASURE_FORCE_WINDOW / (GMC_MEASURE_FORCE_STEPS - 2);
    if (forces->kept > 0 && forces->length[forces->at] < least && span < least) {
        forces->length[forces->at] += span;
        return;
    }
    forces->at = (forces->at + 1) % GMC_MEASURE_FORCE_STEPS;
    if (forces->kept < GMC_MEASURE_FORCE_STEPS) forces->kept++;
    forces->length[forces->at] = span;
    for (int i = 0; i < forces->count; i++) {
        forces->pairs[i].impulse[forces->at] = 0;
        forces->pairs[i].idle++;
    }
    forget(forces);
}

static gmc_measure_force_pair *pair_of(int a, int b, gmc_measure_force *forces)
{
    gmc_measure_force_pair *least = forces->pairs;
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        if (pair->a == a && pair->b == b) return pair;
        if (pair->force < least->force) least = pair;
    }
    if (forces->count < forces->capacity) least = &forces->pairs[forces->count++];
    *least = (gmc_measure_force_pair){.a = a, .b = b};
    return least;
}

static void add_impulses(const gmc_world *world, gmc_measure_force *forces)
{
    gmc_measure_force_pair *pair = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *contact = &world->contacts.contacts[i];
        if (!(contact->impulse[0] > 0)) continue;
        int a = contact->body_a, b = contact->body_b;
        if (a > b) a = contact->body_b, b = contact->body_a;
        if (!pair || pair->a != a || pair->b != b) pair = pair_of(a, b, forces);
        pair->impulse[forces->at] += contact->impulse[0];
        pair->idle = 0;
    }
}

/// Mean over the window: of steps from the latest back, the last of them in part.
static double mean_of(const gmc_measure_force *forces, const gmc_measure_force_pair *pair)
{
    double impulse = 0, time = 0;
    for (int i = 0; i < forces->kept; i++) {
        int k = (forces->at - i + GMC_MEASURE_FORCE_STEPS) % GMC_MEASURE_FORCE_STEPS;
        double left = GMC_MEASURE_FORCE_WINDOW - time;
        if (i > 0 && forces->length[k] >= left)
            return (impulse + pair->impulse[k] * left / forces->length[k]) /
                   GMC_MEASURE_FORCE_WINDOW;
        impulse += pair->impulse[k];
        time += forces->length[k];
        if (time >= GMC_MEASURE_FORCE_WINDOW) break; // the latest alone is as long
    }
    return impulse / time;
}

double gmc_measure_force_step(const gmc_world *world, double span, gmc_measure_force *forces)
{
    double most = 0;
    if (!(span > 0)) return 0;
    open_step(span, forces);
    add_impulses(world, forces);
    for (int i = 0; i < forces->count; i++) {
        forces->pairs[i].force = mean_of(forces, &forces->pairs[i]);
        most = forces->pairs[i].force > most ? forces->pairs[i].force : most;
    }
    return most;
}
