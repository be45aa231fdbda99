// A grip that has borne a pull bears it again. In the last shake of a program everything that is
// left is weaker than what was, as soon as the hardest acceleration of the reference is behind,
// either way: with a short ramp the fading pulls harder than the full swing (1.8 times as hard for
// 0.15 s at 3 Hz), and on the other side than the rising did, so that it has to be waited for.
//
// Asked where the shake fades: have the same points carried load since before these pulls, and has
// most of each pair of bodies stuck all the time (the corners of a face may slide a little while
// the face does not)? And is the verdict the same with every measure, alone and together with the
// others, farther outside the range that it had meanwhile than that range is wide? The mechanism
// comes to rest in the middle of the shake, which it has passed at every swing.
//
// Tried besides: to decide in full swing, once the state is what it was a period ago. It is after
// two swings, to 30 nm, but says nothing about the fading; a bound by the friction that the points
// need against what they have does (forces of what sticks are linear in the pull), and decides a
// ball after 0.67 s of a shake of 1 s. A box that came to stand askew between its jaws is wedged
// there by friction at its limit, though, and no such bound can let it pass.
#include "engine/early_internal.h"

#include <math.h>

// A hand that follows a shake lags by less than this share of a period, 30 degrees of it.
static const double LAG = 1.0 / 12;
// Measures are looked at, and accelerations of the reference compared, this often in a period.
enum { LOOKS = 32, SAMPLES = 64 };

gmc_status gmc_early_borne_create(const gmc_measure_plan *plan, const gmc_program *program,
                                  const gmc_world *world, gmc_arena *arena, gmc_early_state *state)
{
    if (state->steady_from == 0) return GMC_OK;
    const gmc_phase *phase = &program->phases[state->steady_from - 1];
    bool is_shake = phase->type == GMC_PROGRAM_SHAKE || phase->type == GMC_PROGRAM_JOINT_SHAKE;
    if (!is_shake || phase->end != GMC_END_TIME || !(phase->frequency > 0)) return GMC_OK;

    gmc_early_borne *b = &state->borne;
    *b = (gmc_early_borne){.phase = state->steady_from - 1, .since = -1};
    b->points = gmc_arena_room(arena, (size_t)world->contacts.capacity, sizeof *b->points);
    b->lower = gmc_arena_doubles(arena, (size_t)plan->asked_count);
    b->upper = gmc_arena_doubles(arena, (size_t)plan->asked_count);
    return b->points && b->lower && b->upper ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- the stretch ------------------------------------------------------------------------------

// Is this loaded point the one that it was? Where the stretch begins it is.
static bool is_known(const gmc_contact_point *c, bool is_first, gmc_early_point *point)
{
    if (is_first) *point = (gmc_early_point){c->geom_a, c->geom_b, c->feature};
    return point->geom_a == c->geom_a && point->geom_b == c->geom_b && point->feature == c->feature;
}

// Does the step carry the stretch on, or begin one: the same points, more than half of the force
// between two bodies where it sticks?
static bool carries(const gmc_world *world, bool is_first, gmc_early_borne *b)
{
    const gmc_contact_set *set = &world->contacts;
    int count = 0, body_a = -1, body_b = -1;
    double excess = 1; // of force that sticks over force that slides
    for (int i = 0; i < set->count; i++) {
        const gmc_contact *c = &set->contacts[i];
        if (!(c->impulse[0] > 0)) continue;
        if (c->body_a != body_a || c->body_b != body_b) {
            if (!(excess > 0)) return false;
            excess = 0;
            body_a = c->body_a;
            body_b = c->body_b;
        }
        excess += c->mode == GMC_CONTACT_STICK ? c->impulse[0] : -c->impulse[0];
        if (!is_first && count == b->point_count) return false;
        if (!is_known(&c->point, is_first, &b->points[count++])) return false;
    }
    if (is_first) b->point_count = count;
    return excess > 0 && count == b->point_count;
}

static void begin(const gmc_early_view *view, gmc_early_borne *b)
{
    b->since = carries(view->world, true, b) ? view->world->state.t : -1;
    b->look = view->world->state.t;
    b->safe = NAN;
    for (int i = 0; i < view->plan->asked_count; i++) {
        b->lower[i] = HUGE_VAL;
        b->upper[i] = -HUGE_VAL;
    }
}

static void look_at_measures(const gmc_early_view *view, gmc_early_state *state)
{
    gmc_early_borne *b = &state->borne;
    gmc_early_measure(view, state->now);
    for (int i = 0; i < view->plan->asked_count; i++) {
        b->lower[i] = fmin(b->lower[i], state->now[i]);
        b->upper[i] = fmax(b->upper[i], state->now[i]);
    }
}

// ---- the question -----------------------------------------------------------------------------

// Time in the phase when the reference's largest acceleration either way, from `from` to the end of
// the phase, is behind.
static double last_hardest(const gmc_phase *phase, double from)
{
    double spacing = 1 / (phase->frequency * SAMPLES), most = 0, least = 0, behind = from;
    double before = gmc_program_shake_offset(phase, from);
    double at = gmc_program_shake_offset(phase, from + spacing);
    for (double time = from + spacing; time <= phase->duration; time += spacing) {
        double after = gmc_program_shake_offset(phase, time + spacing);
        double pull = before - 2 * at + after; // times the square of the spacing
        if (pull > most || pull < least) behind = time;
        most = fmax(most, pull);
        least = fmin(least, pull);
        before = at;
        at = after;
    }
    return behind;
}

static bool is_sure_of_range(const gmc_early_view *view, gmc_early_state *state)
{
    const gmc_early_borne *b = &state->borne;
    for (int i = 0; i < view->plan->asked_count; i++) {
        double range = b->upper[i] - b->lower[i];
        state->lower[i] = b->lower[i] - range;
        state->upper[i] = b->upper[i] + range;
    }
    return gmc_early_is_sure(view, state);
}

bool gmc_early_bears(const gmc_early_view *view, bool is_broken, gmc_early_state *state)
{
    gmc_early_borne *b = &state->borne;
    const gmc_phase *phase = &view->program->phases[b->phase];
    double t = view->world->state.t, start = view->at->phase_start;
    if (!(b->since >= 0 && carries(view->world, false, b))) begin(view, b);
    if (b->since < 0 || t < b->look) return false;
    b->look = t + 1 / (phase->frequency * LOOKS);
    look_at_measures(view, state);
    double fades = start + phase->duration - phase->ramp;
    if (t < fades || b->since > fades) return false;
    if (isnan(b->safe))
        b->safe = start + last_hardest(phase, b->since - start) + LAG / phase->frequency;
    if (t < b->safe || !gmc_early_is_well_inside(view)) return false;
    state->is_success = !is_broken && gmc_early_succeeds(view, state->now);
    return is_broken || is_sure_of_range(view, state);
}
