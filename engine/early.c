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
// `broken` needs no question; criteria of `from` are those of `always` once their phase is over, and
// success is certain only where they hold before, too. `borne` and `falling` stand below.
#include "engine/early.h"

#include "engine/collision/shape.h"

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

double gmc_early_time_left(const gmc_program *program, const gmc_program_state *at, double t)
{
    double left = at->phase_start - t;
    for (int i = at->phase; i < program->phase_count; i++) {
        const gmc_phase *phase = &program->phases[i];
        // a move to places lasts longer where its joints' limits ask for it
        bool is_move = phase->type == GMC_PROGRAM_MOVE_TO;
        if (is_move)
            left += i == at->phase ? at->duration : fmax(phase->duration, phase->at_most);
        else
            left += phase->end == GMC_END_TIME ? phase->duration : phase->at_most;
    }
    return fmax(left, 0);
}

// ---- rest --------------------------------------------------------------------------------------

static double fastest(const gmc_world *world)
{
    double speed = 0;
    for (int i = 0; i < world->model->dof_count; i++)
        speed = fmax(speed, fabs(world->state.v[i]));
    // overlaps of the start are given back by way, without velocity (coulomb.c)
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

/// All asked measures as they are now.
/// @param values  out: (asked_count)
static void early_measure(const gmc_early_view *view, double *values)
{
    for (int i = 0; i < view->plan->asked_count; i++)
        values[i] = gmc_measure_asked(view->plan, i, view->world, view->measures);
}

/// Do all criteria hold with these measures?
static bool early_succeeds(const gmc_early_view *view, const double *values)
{
    const gmc_criteria *criteria = view->criteria;
    return gmc_criteria_hold(criteria->always, criteria->always_count, values) &&
           gmc_criteria_hold(criteria->at_end, criteria->at_end_count, values);
}

/// Will a criterion be broken that is asked only once a later phase is over? Then the trial goes on
/// until it is, and when is told.
static bool breaks_later(const gmc_early_view *view, const double *values)
{
    const gmc_criteria *criteria = view->criteria;
    for (int i = 0; i < criteria->always_count; i++) {
        const gmc_compiled_criterion *criterion = &criteria->always[i];
        bool is_later = criterion->from > view->measures->phases_over;
        if (is_later && gmc_criteria_value(criterion, values) == 0) return true;
    }
    return false;
}

// Is the verdict the same with all measures, or only `one` (-1: all), at an end of their ranges?
static bool is_unmoved(const gmc_early_view *view, gmc_early_state *state, int one,
                       const double *ends)
{
    for (int i = 0; i < view->plan->asked_count; i++)
        state->tried[i] = one < 0 || one == i ? ends[i] : state->now[i];
    return early_succeeds(view, state->tried) == state->is_success;
}

/// Is the verdict `is_success` of the measures `now` the same with each of them, alone and together
/// with the others, at either end of its range `lower` to `upper`?
static bool early_is_sure(const gmc_early_view *view, gmc_early_state *state)
{
    for (int one = -1; one < view->plan->asked_count; one++)
        if (!is_unmoved(view, state, one, state->lower) ||
            !is_unmoved(view, state, one, state->upper))
            return false;
    return true;
}

/// The object stays about where it is; is that inside the workspace, by more than it can still
/// move?
static bool early_is_well_inside(const gmc_early_view *view)
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
    return early_is_sure(view, state);
}

static bool early_rests(const gmc_early_view *view, bool is_broken, gmc_early_state *state)
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
        early_measure(view, state->now);
        state->is_success = !is_broken && early_succeeds(view, state->now);
        bool slows_down = speed < STILL || speed <= state->speed / 2;
        double left = gmc_early_time_left(view->program, view->at, t);
        if (slows_down && early_is_well_inside(view) && !breaks_later(view, state->now) &&
            (is_broken || is_sure_at_rest(view, state, left)))
            return true;
    }
    // begin a new stretch here
    state->since = t;
    state->steps = 0;
    state->speed = speed;
    early_measure(view, state->before);
    return false;
}

// ---- borne -------------------------------------------------------------------------------------
//
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

// A hand that follows a shake lags by less than this share of a period, 30 degrees of it.
static const double LAG = 1.0 / 12;
// Measures are looked at, and accelerations of the reference compared, this often in a period.
enum { LOOKS = 32, SAMPLES = 64 };

/// Room for the rule `borne`, if the program has a shake that it is about.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status early_borne_create(const gmc_measure_plan *plan, const gmc_program *program,
                                     const gmc_world *world, gmc_arena *arena,
                                     gmc_early_state *state)
{
    if (state->steady_from == 0) return GMC_OK;
    const gmc_phase *phase = &program->phases[state->steady_from - 1];
    bool is_shake = phase->type == GMC_PROGRAM_SHAKE || phase->type == GMC_PROGRAM_JOINT_SHAKE;
    // it looks at all measures 32 times a period
    for (int i = 0; i < plan->asked_count; i++)
        if (gmc_measure_infos[plan->asked[i].kind].is_costly) return GMC_OK;
    if (!is_shake || phase->end != GMC_END_TIME || !(phase->frequency > 0)) return GMC_OK;

    gmc_early_borne *b = &state->borne;
    *b = (gmc_early_borne){.phase = state->steady_from - 1, .since = -1};
    b->points = GMC_ROOM(arena, world->contacts.capacity, gmc_early_point);
    b->lower = GMC_NEW(arena, plan->asked_count, double);
    b->upper = GMC_NEW(arena, plan->asked_count, double);
    return b->points && b->lower && b->upper ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- the stretch -------------------------------------------------------------------------------

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

static void early_begin(const gmc_early_view *view, gmc_early_borne *b)
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
    early_measure(view, state->now);
    for (int i = 0; i < view->plan->asked_count; i++) {
        b->lower[i] = fmin(b->lower[i], state->now[i]);
        b->upper[i] = fmax(b->upper[i], state->now[i]);
    }
}

// ---- the question ------------------------------------------------------------------------------

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
    return early_is_sure(view, state);
}

/// The rule `borne` on its own, after every step of the shake it is about: `is_success` is set
/// where it says yes.
static bool early_bears(const gmc_early_view *view, bool is_broken, gmc_early_state *state)
{
    gmc_early_borne *b = &state->borne;
    const gmc_phase *phase = &view->program->phases[b->phase];
    double t = view->world->state.t, start = view->at->phase_start;
    if (!(b->since >= 0 && carries(view->world, false, b))) early_begin(view, b);
    if (b->since < 0 || t < b->look) return false;
    b->look = t + 1 / (phase->frequency * LOOKS);
    look_at_measures(view, state);
    double fades = start + phase->duration - phase->ramp;
    if (t < fades || b->since > fades) return false;
    if (isnan(b->safe))
        b->safe = start + last_hardest(phase, b->since - start) + LAG / phase->frequency;
    if (t < b->safe || !early_is_well_inside(view)) return false;
    state->is_success = !is_broken && early_succeeds(view, state->now);
    return is_broken || (!breaks_later(view, state->now) && is_sure_of_range(view, state));
}

// ---- falling -----------------------------------------------------------------------------------
//
// Nothing can catch what falls freely with everything else above it: bodies fall no faster than it,
// and the hand comes down no farther than the rest of its program says. Bounds are coarse, and
// where one would take thought (a hand that turns a joint, other loose bodies, a plane) there is
// none and the trial runs on: it costs some tenths of a second until the object has left the
// workspace.

// The step's way of falling differs from the parabola by g h t / 2: 5 % of a metre at 4 ms.
static const double REACH_FACTOR = 1.05;
// How far the hand may hang behind its reference: a servo of 1e4 N/m under 500 N [m].
static const double HAND_LAG = 0.05;

/// How low things are, along gravity: larger is lower [m].
typedef struct fall {
    gmc_vec3 down;
    double object_top; ///< of the ball about its centre of mass that holds it however it turns
    double hand_low;   ///< where the hand may yet come
} fall;

static bool touches_something(const gmc_world *world, int object)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (c->impulse[0] > 0 && (c->body_a == object || c->body_b == object)) return true;
    }
    return false;
}

static gmc_vec3 geom_centre(const gmc_world *world, const gmc_geom *geom)
{
    gmc_vec3 in_body = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
    return gmc_pose_apply(&world->kin.X_wb[geom->body], in_body);
}

// How far the rest of the program may lower the hand, but for turns about the tool point; infinite
// where that takes more than a look at its phases.
static double descent(const gmc_early_view *view, gmc_vec3 down)
{
    double sum = HAND_LAG;
    for (int i = view->at->phase; i < view->program->phase_count; i++) {
        const gmc_phase *phase = &view->program->phases[i];
        switch (phase->type) {
        case GMC_PROGRAM_MOVE:
            sum += phase->in_hand_frame ? gmc_vec3_norm(phase->by)
                                        : fmax(gmc_vec3_dot(phase->by, down), 0);
            break;
        case GMC_PROGRAM_SHAKE:
            if (!phase->is_rotation) sum += fabs(phase->amount);
            break;
        case GMC_PROGRAM_JOINT_MOVE:
        case GMC_PROGRAM_JOINT_SHAKE:
            if (view->world->model->bodies[view->at->body_of[phase->dof]].joint !=
                GMC_JOINT_PRISMATIC)
                return INFINITY;
            sum += fabs(phase->amount);
            break;
        case GMC_PROGRAM_MOVE_TO:
            return INFINITY;
        case GMC_PROGRAM_SET:
            for (int k = 0; k < phase->set_count; k++)
                if (phase->sets[k].kind != GMC_SET_FRICTION) return INFINITY;
            break;
        case GMC_PROGRAM_PULL: // may hold what falls, or move it anywhere
            return INFINITY;
        case GMC_PROGRAM_GRIP:
        case GMC_PROGRAM_TURN:
        case GMC_PROGRAM_HOLD:
            break;
        }
    }
    return sum;
}

// Are all geoms that could touch the object above it, and do they stay there?
static bool is_below_all(const gmc_early_view *view, fall *f)
{
    const gmc_world *world = view->world;
    const gmc_model *model = world->model;
    const gmc_measure_plan *plan = view->plan;
    gmc_vec3 tool = view->measures->X_hand.p, com = world->kin.com_w[plan->object_body];
    double radius = 0, hand_radius = 0;
    for (int i = 0; i < model->geom_count; i++) {
        const gmc_geom *geom = &model->geoms[i];
        bool is_hand = plan->is_hand && plan->is_hand[geom->body];
        gmc_vec3 centre = geom_centre(world, geom);
        gmc_vec3 from = geom->body == plan->object_body ? com : tool;
        double far = gmc_vec3_norm(gmc_vec3_sub(centre, from)) + gmc_shape_radius(&geom->shape);
        if (geom->body == plan->object_body)
            radius = fmax(radius, far);
        else if (is_hand)
            hand_radius = fmax(hand_radius, far);
    }
    f->object_top = gmc_vec3_dot(com, f->down) - radius;
    // however the hand turns and its fingers move, which lengthens it to twice its size at most
    double lower = descent(view, f->down);
    f->hand_low = gmc_vec3_dot(tool, f->down) + 2 * hand_radius + lower;
    if (isinf(lower)) return false;
    if (hand_radius > 0 && !(f->hand_low < f->object_top)) return false;

    for (int i = 0; i < model->geom_count; i++) {
        const gmc_geom *geom = &model->geoms[i];
        if (geom->body == plan->object_body || (plan->is_hand && plan->is_hand[geom->body]))
            continue;
        double low = gmc_vec3_dot(geom_centre(world, geom), f->down) +
                     gmc_shape_radius(&geom->shape); // infinite for a plane
        if (!gmc_model_is_static(model, geom->body) || !(low < f->object_top)) return false;
    }
    return true;
}

// Shortest time that the program still takes: an event may end its phase at once.
static double least_time_left(const gmc_early_view *view)
{
    double left = 0, t = view->world->state.t;
    for (int i = view->at->phase; i < view->program->phase_count; i++) {
        const gmc_phase *phase = &view->program->phases[i];
        if (phase->end != GMC_END_TIME) continue;
        left += phase->duration - (i == view->at->phase ? t - view->at->phase_start : 0);
    }
    return left;
}

/// The rule `falling` on its own: is the object bound to leave the workspace?
static bool early_falls(const gmc_early_view *view)
{
    const gmc_world *world = view->world;
    int object = view->plan->object_body;
    gmc_vec3 g = world->model->gravity;
    double g_size = gmc_vec3_norm(g);
    if (object < 0 || !(g_size > 0) || touches_something(world, object)) return false;
    if (world->model->bodies[object].parent != 0) return false;

    fall f = {.down = gmc_vec3_scale(1 / g_size, g)};
    gmc_vec3 com = world->kin.com_w[object];
    gmc_vec3 velocity = gmc_twist_at(&world->kin.V[object], com);
    if (gmc_vec3_dot(velocity, f.down) < 0 || !is_below_all(view, &f)) return false;

    // where a parabola ends, if the program lasts as short as it can
    double left = least_time_left(view), reach = REACH_FACTOR * view->workspace;
    gmc_vec3 end =
        gmc_vec3_add_scaled(gmc_vec3_add_scaled(com, left, velocity), left * left / 2, g);
    gmc_vec3 way = gmc_vec3_sub(end, view->measures->com_start[object]);
    double under_hand = gmc_vec3_dot(end, f.down) - f.hand_low;
    return gmc_vec3_norm(way) > reach && (view->plan->hand_body < 0 || under_hand > reach);
}

// ---- all rules ---------------------------------------------------------------------------------

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
    else if (rules->rest && is_steady && early_rests(view, is_broken, state))
        state->decision = GMC_DECISION_REST;
    else if (view->at->phase == state->borne.phase && !grows && early_bears(view, is_broken, state))
        state->decision = GMC_DECISION_BORNE;
    else if (rules->falling && state->asks_fall && early_falls(view))
        state->decision = GMC_DECISION_FALLING;
    if (state->decision == GMC_DECISION_END) return false;
    state->time = view->world->state.t;
    return true;
}

gmc_status gmc_early_create(const gmc_early_options *rules, const gmc_measure_plan *plan,
                            const gmc_program *program, const gmc_world *world, gmc_arena *arena,
                            gmc_early_state *state)
{
    int asked = plan->asked_count;
    *state = (gmc_early_state){
        .steady_from = program->phase_count, .since = -1, .time = NAN, .borne = {.phase = -1}};
    while (state->steady_from > 0 &&
           program->phases[state->steady_from - 1].type == GMC_PROGRAM_HOLD)
        state->steady_from--;
    state->before = GMC_NEW(arena, asked, double);
    state->now = GMC_NEW(arena, asked, double);
    state->tried = GMC_NEW(arena, asked, double);
    state->lower = GMC_NEW(arena, asked, double);
    state->upper = GMC_NEW(arena, asked, double);
    if (!state->before || !state->now || !state->tried || !state->lower || !state->upper)
        return GMC_E_ARENA_FULL;
    return rules->borne ? early_borne_create(plan, program, world, arena, state) : GMC_OK;
}
