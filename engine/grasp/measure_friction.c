// A touch is judged when a window has passed since it began, so that its first steps, in which
// next to nothing presses, are seen together with those in which it does; a blow is then over, and
// judged whole.
//
// Rejected: ratios of single contacts and steps (what lifts off a table or comes to it used 0.8 and
// slipped, or not, by the step); windows that bodies pressed throughout (rattling never does); a
// load compared with the largest so far (after a blow nothing has friction any more).

#include "engine/grasp/measure_friction.h"

#include <math.h>

/// Touches at most: with more the one with the least load makes room.
enum { TOUCHES_MAX = 256 };
/// Share of the mean load so far below which a load has faded.
static const double FADED = 0.25;

gmc_status gmc_measure_friction_create(const gmc_model *model, const int *pair_of, int pair_count,
                                       gmc_arena *arena, gmc_measure_friction *friction)
{
    double bodies = model->body_count, most = pair_count * bodies * (bodies - 1) / 2;
    int capacity = most > TOUCHES_MAX ? TOUCHES_MAX : (int)most;
    *friction = (gmc_measure_friction){.surface_count = model->surface_count,
                                       .pair_of = pair_of,
                                       .capacity = capacity > 0 ? capacity : 1};
    friction->needed = gmc_arena_doubles(arena, (size_t)pair_count);
    friction->slipped = gmc_arena_take(arena, (size_t)pair_count, sizeof *friction->slipped);
    friction->touches =
        gmc_arena_room(arena, (size_t)friction->capacity, sizeof *friction->touches);
    bool has_room = friction->needed && friction->slipped && friction->touches;
    return has_room ? GMC_OK : GMC_E_ARENA_FULL;
}

/// A place for the next step.
static void open_step(int at, gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        touch->normal[at] = touch->friction[at] = touch->slid[at] = 0;
    }
}

static gmc_measure_touch *touch_of(int a, int b, int pair, gmc_measure_friction *friction)
{
    gmc_measure_touch *least = friction->touches;
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        if (touch->a == a && touch->b == b && touch->pair == pair) return touch;
        if (touch->total < least->total) least = touch;
    }
    if (friction->count < friction->capacity) least = &friction->touches[friction->count++];
    *least = (gmc_measure_touch){.a = a, .b = b, .pair = pair, .quiet = HUGE_VAL};
    return least;
}

static int pair_between(const gmc_model *model, const gmc_contact *contact,
                        const gmc_measure_friction *friction)
{
    int a = model->geoms[contact->point.geom_a].surface;
    int b = model->geoms[contact->point.geom_b].surface;
    return friction->pair_of[a * friction->surface_count + b];
}

static void add_impulses(const gmc_world *world, int at, gmc_measure_friction *friction)
{
    gmc_measure_touch *touch = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        int pair = c->impulse[0] > 0 ? pair_between(world->model, c, friction) : -1;
        if (pair < 0) continue;
        int a = c->body_a, b = c->body_b;
        if (a > b) a = c->body_b, b = c->body_a;
        if (!touch || touch->a != a || touch->b != b || touch->pair != pair)
            touch = touch_of(a, b, pair, friction);
        double t1 = c->impulse[1], t2 = c->impulse[2];
        touch->normal[at] += c->impulse[0];
        touch->friction[at] += sqrt(c->extra ? gmc_contact_along_grain2(c) : t1 * t1 + t2 * t2);
        if (c->mode == GMC_CONTACT_SLIP) touch->slid[at] += c->impulse[0];
        touch->total += c->impulse[0];
    }
}

static void add_time(int at, double span, gmc_measure_touch *touch)
{
    bool is_pressed = touch->normal[at] > 0;
    if (is_pressed && touch->quiet >= GMC_MEASURE_WINDOW) touch->age = 0;
    touch->quiet = is_pressed ? 0 : touch->quiet + span;
    touch->age += span;
    if (is_pressed) touch->pressed += span;
}

static void judge(const gmc_measure_window *window, const gmc_measure_touch *touch,
                  gmc_measure_friction *friction)
{
    double time, normal = gmc_measure_window_sum(window, touch->normal, &time);
    double mean = touch->total * time / (touch->pressed > time ? touch->pressed : time);
    double load = normal > FADED * mean ? normal : FADED * mean;
    double needed = gmc_measure_window_sum(window, touch->friction, &time) / load;
    if (needed > friction->needed[touch->pair]) friction->needed[touch->pair] = needed;
    if (2 * gmc_measure_window_sum(window, touch->slid, &time) > load)
        friction->slipped[touch->pair] = true;
}

/// Has so much time passed, but for rounding of the sum?
static bool is_whole(const gmc_measure_touch *touch)
{
    return touch->age > (1 - 1e-9) * GMC_MEASURE_WINDOW;
}

void gmc_measure_friction_step(const gmc_world *world, const gmc_measure_window *window,
                               double span, bool is_new, gmc_measure_friction *friction)
{
    if (is_new) open_step(window->at, friction);
    add_impulses(world, window->at, friction);
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        add_time(window->at, span, touch);
        if (touch->quiet < GMC_MEASURE_WINDOW && is_whole(touch)) judge(window, touch, friction);
    }
}

void gmc_measure_friction_finish(const gmc_measure_window *window, gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++)
        if (!is_whole(&friction->touches[i])) judge(window, &friction->touches[i], friction);
}
