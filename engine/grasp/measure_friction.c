// A touch is judged when a window has passed since it began, so that its first steps, in which
// next to nothing presses, are seen together with those in which it does: over just that window,
// then at each step in which the bodies press. What was looked at later would be cut, and say
// something else at each step: a touch that is over would show its end alone.
//
// Steps of an impact may be of any length, and its impulse may stand in either of two: a window
// that holds a blow together with what is borne before or after it says more of the window's length
// than of either. Impacts are therefore summed on their own, over a time that no step has a part
// in.
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

static void add_contact(const gmc_contact *contact, int at, gmc_measure_touch *touch)
{
    double N = contact->impulse[0], t1 = contact->impulse[1], t2 = contact->impulse[2];
    double T = sqrt(contact->extra ? gmc_contact_along_grain2(contact) : t1 * t1 + t2 * t2);
    double S = contact->mode == GMC_CONTACT_SLIP ? N : 0;
    touch->is_touching = true;
    touch->total += N;
    if (!contact->is_impact) {
        touch->is_borne = true;
        touch->normal[at] += N;
        touch->friction[at] += T;
        touch->slid[at] += S;
        return;
    }
    if (!(touch->blow_normal > 0)) touch->pressed += GMC_MEASURE_WINDOW;
    touch->blow_normal += N;
    touch->blow_friction += T;
    touch->blow_slid += S;
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
        add_contact(c, at, touch);
    }
}

static void add_time(double span, gmc_measure_touch *touch)
{
    if (touch->is_touching && touch->quiet >= GMC_MEASURE_WINDOW) touch->age = 0;
    touch->quiet = touch->is_touching ? 0 : touch->quiet + span;
    touch->age += span;
    if (touch->is_borne) touch->pressed += span;
    if (touch->blow_normal > 0) touch->blow_age += span;
}

/// @param time  that N, T and S are of [s]
static void judge(const gmc_measure_touch *touch, double time, double N, double T, double S,
                  gmc_measure_friction *friction)
{
    double mean = touch->total * time / (touch->pressed > time ? touch->pressed : time);
    double load = N > FADED * mean ? N : FADED * mean;
    if (!(load > 0)) return;
    if (T > load * friction->needed[touch->pair]) friction->needed[touch->pair] = T / load;
    if (2 * S > load) friction->slipped[touch->pair] = true;
}

/// @param ago  that the window ended before now [s]
static void judge_window(const gmc_measure_window *window, double ago,
                         const gmc_measure_touch *touch, gmc_measure_friction *friction)
{
    const double *const impulses[3] = {touch->normal, touch->friction, touch->slid};
    double time, sums[3]; // N, T and S
    gmc_measure_window_sums(window, impulses, ago, sums, &time);
    judge(touch, time, sums[0], sums[1], sums[2], friction);
}

static void judge_blow(gmc_measure_touch *touch, gmc_measure_friction *friction)
{
    judge(touch, GMC_MEASURE_WINDOW, touch->blow_normal, touch->blow_friction, touch->blow_slid,
          friction);
    touch->blow_normal = touch->blow_friction = touch->blow_slid = touch->blow_age = 0;
}

/// Has so much time passed, but for rounding of the sum?
static bool is_whole(double time) { return time > (1 - 1e-9) * GMC_MEASURE_WINDOW; }

void gmc_measure_friction_step(const gmc_world *world, const gmc_measure_window *window,
                               double span, bool is_new, gmc_measure_friction *friction)
{
    if (is_new) open_step(window->at, friction);
    add_impulses(world, window->at, friction);
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        add_time(span, touch);
        if (is_whole(touch->blow_age)) judge_blow(touch, friction);
        if (is_whole(touch->age)) {
            double ago = touch->age - GMC_MEASURE_WINDOW;
            if (!is_whole(touch->age - span))
                judge_window(window, ago > 0 && ago < span ? ago : 0, touch, friction);
            if (touch->is_borne) judge_window(window, 0, touch, friction);
        }
        touch->is_touching = touch->is_borne = false;
    }
}

void gmc_measure_friction_finish(const gmc_measure_window *window, gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        if (touch->blow_normal > 0) judge_blow(touch, friction);
        if (!is_whole(touch->age)) judge_window(window, 0, touch, friction);
    }
}
