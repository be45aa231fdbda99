// Impulses of the steps of the last 8 ms, pair by pair. What came before the window has passed once
// is not there: until then the mean is over the time since the start.
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

/// A place for the next step; what presses no more within the window is forgotten.
static void open_step(const gmc_measure_window *window, gmc_measure_force *forces)
{
    int count = 0;
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        if (++pair->idle >= window->kept) continue;
        pair->impulse[window->at] = 0;
        if (count < i) forces->pairs[count] = *pair;
        count++;
    }
    forces->count = count;
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

static void add_impulses(const gmc_world *world, int at, gmc_measure_force *forces)
{
    gmc_measure_force_pair *pair = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *contact = &world->contacts.contacts[i];
        if (!(contact->impulse[0] > 0)) continue;
        int a = contact->body_a, b = contact->body_b;
        if (a > b) a = contact->body_b, b = contact->body_a;
        if (!pair || pair->a != a || pair->b != b) pair = pair_of(a, b, forces);
        pair->impulse[at] += contact->impulse[0];
        pair->idle = 0;
    }
}

double gmc_measure_force_step(const gmc_world *world, const gmc_measure_window *window, bool is_new,
                              gmc_measure_force *forces)
{
    double most = 0, time;
    if (is_new) open_step(window, forces);
    add_impulses(world, window->at, forces);
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        pair->force = gmc_measure_window_sum(window, pair->impulse, 0, &time);
        pair->force /= time;
        most = pair->force > most ? pair->force : most;
    }
    return forces->most = most;
}
