// When is a verdict certain?
//
// `rest`. With the controls constant the mechanism is autonomous, and a state in which every
// contact sticks and everything has come to rest is a fixed point of it: the elastic friction
// memory does not creep. How near it is must be judged from the motion that is left. Three
// questions: is every dof slow, and did the fastest one at least halve over the last 10 ms (a swing
// at its turning point, a steady creep and a body about to topple do not)? Does the verdict stay
// the same when each measure is moved, alone and together with the others, by ten times what its
// change over these 10 ms would amount to by the end of the program? A slower threshold on speed
// alone was tried on paper and rejected: it says nothing about a criterion whose value is just what
// the measure is.
//
// `broken` needs no question. `falling` and `borne` have their own files.
#include "engine/early.h"

#include "engine/early_internal.h"

#include <math.h>

// Faster than this, no dof is at rest [m/s, rad/s]. What halves every 10 ms from here moves 2 um
// more.
static const double SLOW = 1e-4;
// Slower than this a dof need not slow down any more: rounding of poses a metre away over a step.
static const double STILL = 1e-9;
// Overlap of the start that is as good as given back [m].
static const double UNSUNK = 1e-8;
// Length of the stretch without motion: ten relaxation times of a contact (1 ms) [s], and steps.
static const double STRETCH = 0.01;
enum { STRETCH_STEPS = 4 };
// How many times the change that is to be expected may not change the verdict.
static const double CAUTION = 10;

const char *gmc_decision_name(gmc_decision decision)
{
    switch (decision) {
    case GMC_DECISION_END:
        return "end";
    case GMC_DECISION_BROKEN:
        return "broken";
    case GMC_DECISION_FALLING:
        return "falling";
    case GMC_DECISION_REST:
        return "rest";
    case GMC_DECISION_BORNE:
        return "borne";
    case GMC_DECISION_COUNT:
        break;
    }
    return "unknown";
}

gmc_status gmc_early_create(const gmc_early_options *rules, const gmc_measure_plan *plan,
                            const gmc_program *program, const gmc_world *world, gmc_arena *arena,
                            gmc_early_state *state)
{
    size_t asked = (size_t)plan->asked_count;
    *state = (gmc_early_state){
        .steady_from = program->phase_count, .since = -1, .time = NAN, .borne = {.phase = -1}};
    while (state->steady_from > 0 &&
           program->phases[state->steady_from - 1].type == GMC_PROGRAM_HOLD)
        state->steady_from--;
    state->before = gmc_arena_doubles(arena, asked);
    state->now = gmc_arena_doubles(arena, asked);
    state->tried = gmc_arena_doubles(arena, asked);
    state->lower = gmc_arena_doubles(arena, asked);
    state->upper = gmc_arena_doubles(arena, asked);
    if (!state->before || !state->now || !state->tried || !state->lower || !state->upper)
        return GMC_E_ARENA_FULL;
    return rules->borne ? gmc_early_borne_create(plan, program, world, arena, state) : GMC_OK;
}

double gmc_early_time_left(const gmc_program *program, const gmc_program_state *at, double t)
{
    double left = at->phase_start - t;
    for (int i = at->phase; i < program->phase_count; i++) {
        const gmc_phase *phase = &program->phases[i];
        left += phase->end == GMC_END_TIME ? phase->duration : phase->at_most;
    }
    return fmax(left, 0);
}

// ---- rest -------------------------------------------------------------------------------------

static double fastest(const gmc_world *world)
{
    double speed = 0;
    for (int i = 0; i < world->model->dof_count; i++)
        speed = fmax(speed, fabs(world->state.v[i]));
    // overlaps of the start are given back by way, without velocity (coulomb_rise.c)
    for (int c = 0; c < world->contacts.count; c++)
        if (world->contacts.contacts[c].sunk > UNSUNK)
            speed = fmax(speed, GMC_CONTACT_FLOAT_RATE * world->contacts.contacts[c].sunk);
    return speed;
}

static bool all_stick(const gmc_world *world)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (c->impulse[0] > 0 && c->mode != GMC_CONTACT_STICK) return false;
    }
    return true;
}

void gmc_early_measure(const gmc_early_view *view, double *values)
{
    for (int i = 0; i < view->plan->asked_count; i++)
        values[i] =
            gmc_measure_value(&view->plan->asked[i], view->plan, view->world, view->measures);
}

bool gmc_early_succeeds(const gmc_early_view *view, const double *values)
{
    const gmc_criteria *criteria = view->criteria;
    return gmc_criteria_hold(criteria->always, criteria->always_count, values) &&
           gmc_criteria_hold(criteria->at_end, criteria->at_end_count, values);
}

// Is the verdict the same with all measures, or only `one` (-1: all), at an end of their ranges?
static bool is_unmoved(const gmc_early_view *view, gmc_early_state *state, int one,
                       const double *ends)
{
    for (int i = 0; i < view->plan->asked_count; i++)
        state->tried[i] = one < 0 || one == i ? ends[i] : state->now[i];
    return gmc_early_succeeds(view, state->tried) == state->is_success;
}

bool gmc_early_is_sure(const gmc_early_view *view, gmc_early_state *state)
{
    for (int one = -1; one < view->plan->asked_count; one++)
        if (!is_unmoved(view, state, one, state->lower) ||
            !is_unmoved(view, state, one, state->upper))
            return false;
    return true;
}

// The object stays where it is; is that inside by more than it can still move?
bool gmc_early_is_well_inside(const gmc_early_view *view)
{
    static const double MARGIN = 1e-3; // what is left of the motion is a thousandth of it
    int object = view->plan->object_body;
    if (object < 0) return true;
    double reach = view->workspace - MARGIN;
    gmc_vec3 place = view->world->kin.com_w[object];
    return gmc_vec3_norm(gmc_vec3_sub(place, view->measures->com_start[object])) < reach ||
           (view->plan->hand_body >= 0 &&
            gmc_vec3_norm(gmc_vec3_sub(place, view->measures->X_hand.p)) < reach);
}

// Each measure may move by ten times what it would, were it to change as in the last stretch.
static bool is_sure_at_rest(const gmc_early_view *view, gmc_early_state *state, double left)
{
    double factor = CAUTION * left / (view->world->state.t - state->since);
    for (int i = 0; i < view->plan->asked_count; i++) {
        double change = fabs(state->now[i] - state->before[i]);
        double move = change > 0 ? factor * change : 0; // 0 for NaN
        state->lower[i] = state->now[i] - move;
        state->upper[i] = state->now[i] + move;
    }
    return gmc_early_is_sure(view, state);
}

static bool rests(const gmc_early_view *view, bool is_broken, gmc_early_state *state)
{
    const gmc_world *world = view->world;
    double speed = fastest(world), t = world->state.t;
    if (!(speed < SLOW) || !all_stick(world)) {
        state->since = -1;
        return false;
    }
    if (state->since >= 0) {
        state->steps++;
        if (state->steps < STRETCH_STEPS || t - state->since < STRETCH) return false;
        gmc_early_measure(view, state->now);
        state->is_success = !is_broken && gmc_early_succeeds(view, state->now);
        bool slows_down = speed < STILL || speed <= state->speed / 2;
        double left = gmc_early_time_left(view->program, view->at, t);
        if (slows_down && gmc_early_is_well_inside(view) &&
            (is_broken || is_sure_at_rest(view, state, left)))
            return true;
    }
    // begin a new stretch here
    state->since = t;
    state->steps = 0;
    state->speed = speed;
    gmc_early_measure(view, state->before);
    return false;
}

// ---- all rules --------------------------------------------------------------------------------

bool gmc_early_is_due(const gmc_program_state *at, bool is_broken, gmc_early_state *state)
{
    enum { PATIENCE = 8 }; // steps: an object falls out of reach in a hundred
    state->waited++;
    state->asks_fall = is_broken || at->phase >= state->steady_from || state->waited >= PATIENCE;
    if (state->asks_fall) state->waited = 0;
    return state->asks_fall || at->phase == state->borne.phase;
}

bool gmc_early_look(const gmc_early_view *view, bool is_broken, gmc_early_state *state)
{
    const gmc_early_options *rules = view->rules;
    bool grows = gmc_program_force_grows(view->at, view->world->state.t);
    bool is_steady = view->at->phase >= state->steady_from && !grows;
    state->is_success = false;
    if (rules->broken && is_broken)
        state->decision = GMC_DECISION_BROKEN;
    else if (rules->rest && is_steady && rests(view, is_broken, state))
        state->decision = GMC_DECISION_REST;
    else if (view->at->phase == state->borne.phase && !grows &&
             gmc_early_bears(view, is_broken, state))
        state->decision = GMC_DECISION_BORNE;
    else if (rules->falling && state->asks_fall && gmc_early_falls(view))
        state->decision = GMC_DECISION_FALLING;
    if (state->decision == GMC_DECISION_END) return false;
    state->time = view->world->state.t;
    return true;
}
