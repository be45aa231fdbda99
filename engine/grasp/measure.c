// What is measured along a rollout. A step costs some tens of nanoseconds: the hand's pose is taken
// once, extremes are kept as squares and turned into lengths and angles when the trial is over, and
// measures that only matter at the end wait until then.
#include "engine/grasp/measure.h"

#include "engine/contact/law.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Below this speed an object counts as settled: that at which a phase ends "at rest" (program.h).
static const double SETTLED_SPEED = 1e-3;

// ---- the last 8 ms ------------------------------------------------------------------------------
//
// The last 8 ms of a rollout, step by step, and sums over them. What one step alone says of forces
// is no property of what happens: an impact is over within one, and steps differ.
// Of the oldest step as much counts as the window reaches into it, so that a force that is steady
// is its mean to rounding.

bool gmc_measure_window_open(double span, gmc_measure_window *window)
{
    double least = 2 * GMC_MEASURE_WINDOW / (GMC_MEASURE_WINDOW_STEPS - 2);
    if (window->kept > 0 && window->length[window->at] < least && span < least) {
        window->length[window->at] += span;
        return false;
    }
    window->at = (window->at + 1) % GMC_MEASURE_WINDOW_STEPS;
    if (window->kept < GMC_MEASURE_WINDOW_STEPS) window->kept++;
    window->length[window->at] = span;
    return true;
}

/// The kept step before step k.
static inline int step_before(int k) { return k > 0 ? k - 1 : GMC_MEASURE_WINDOW_STEPS - 1; }

/// @param count  of impulses and sums, known to the compiler
static inline void add_up(const gmc_measure_window *window, const double *const *impulses,
                          int count, double ago, double *sums, double *time)
{
    for (int n = 0; n < count; n++)
        sums[n] = 0;
    *time = 0;
    if (window->kept == 0) return;
    double latest = window->length[window->at], part = (latest - ago) / latest;
    double passed = latest - ago;
    for (int n = 0; n < count; n++)
        sums[n] = impulses[n][window->at] * part;
    for (int i = 1, k = window->at; i < window->kept && passed < GMC_MEASURE_WINDOW; i++) {
        k = step_before(k);
        double length = window->length[k], left = GMC_MEASURE_WINDOW - passed;
        bool is_last = length >= left;
        for (int n = 0; n < count; n++)
            sums[n] += is_last ? impulses[n][k] * left / length : impulses[n][k];
        passed = is_last ? GMC_MEASURE_WINDOW : passed + length;
        if (is_last) break;
    }
    *time = passed;
}

void gmc_measure_window_sums(const gmc_measure_window *window, const double *const impulses[3],
                             double ago, double sums[3], double *time)
{
    add_up(window, impulses, 3, ago, sums, time);
}

double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time)
{
    double sum;
    add_up(window, &impulses, 1, ago, &sum, time);
    return sum;
}

// ---- forces -------------------------------------------------------------------------------------
//
// Normal forces between two bodies as their impulse over a stated time: the last 8 ms, or the last
// step where that is longer.
// Impulses of the steps of the last 8 ms, pair by pair. What came before the window has passed once
// is not there: until then the mean is over the time since the start.
//
// Rejected: forces of single contact points, as they were: how bodies share a force among the
// corners of a face differs from stepper to stepper, and points come and go within the window.

/// Pairs at most, of many bodies: with more the one with the least force makes room.
enum { PAIRS_MAX = 1024 };

/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status measure_force_create(const gmc_model *model, gmc_arena *arena,
                                       gmc_measure_force *forces)
{
    int bodies = model->body_count, pairs = PAIRS_MAX;
    if (bodies < 46) pairs = bodies * (bodies - 1) / 2; // all, a thousand of 46 bodies
    *forces = (gmc_measure_force){.capacity = pairs > 0 ? pairs : 1};
    forces->pairs = GMC_ROOM(arena, forces->capacity, gmc_measure_force_pair);
    return forces->pairs ? GMC_OK : GMC_E_ARENA_FULL;
}

/// A place for the next step; what presses no more within the window is forgotten.
static void open_force_step(const gmc_measure_window *window, gmc_measure_force *forces)
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

static gmc_measure_force_pair *force_pair_of(int a, int b, gmc_measure_force *forces)
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

static void add_force_impulses(const gmc_world *world, int at, gmc_measure_force *forces)
{
    gmc_measure_force_pair *pair = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *contact = &world->contacts.contacts[i];
        if (!(contact->impulse[0] > 0)) continue;
        int a = contact->body_a, b = contact->body_b;
        if (a > b) a = contact->body_b, b = contact->body_a;
        if (!pair || pair->a != a || pair->b != b) pair = force_pair_of(a, b, forces);
        pair->impulse[at] += contact->impulse[0];
        pair->idle = 0;
    }
}

/// After an accepted step that the window knows.
/// @param is_new  gmc_measure_window_open of this step
/// @return forces->most
static double measure_force_step(const gmc_world *world, const gmc_measure_window *window,
                                 bool is_new, gmc_measure_force *forces)
{
    double most = 0, time;
    if (is_new) open_force_step(window, forces);
    add_force_impulses(world, window->at, forces);
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        pair->force = gmc_measure_window_sum(window, pair->impulse, 0, &time);
        pair->force /= time;
        most = pair->force > most ? pair->force : most;
    }
    return forces->most = most;
}

// ---- friction -----------------------------------------------------------------------------------
//
// Friction that two bodies use of each other, by pairs of surfaces: ratios of impulses over 8 ms,
// and over blows. The ratio of one contact in one step is none of the bodies': corners of a face
// share their load as the stepper likes, and where a load comes or goes a contact slides with next
// to nothing on it, in steps of one length and not in others.
//
//   needed = max T / max(N, L/4)      slipped: S > max(N, L/4) / 2 at any time
//
// with N the normal impulse of all contacts of the two bodies, T the sum of the magnitudes of
// their tangential impulses, S the normal impulse of what slid, all over
//
// - any 8 ms between where the bodies came to touch and where they let go; a touch that is shorter
//   is one of them;
// - or a blow: impacts, of contacts that the stepper stops as such, within 8 ms from the first of
//   them. Those have no part in the former: between what strikes, a bearing load says nothing.
//
// L is what the bodies pressed with so far, over 8 ms of the time in which they did, a blow being
// as long, and 8 ms at least: what has faded below a quarter of that weighs the less the smaller
// it is.
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

/// Touches at most: with more the one with the least load makes room.
enum { TOUCHES_MAX = 256 };
/// Share of the mean load so far below which a load has faded.
static const double FADED = 0.25;

/// @param pair_of     (model->surface_count²), < pair_count; kept
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status measure_friction_create(const gmc_model *model, const int *pair_of,
                                          int pair_count, gmc_arena *arena,
                                          gmc_measure_friction *friction)
{
    double bodies = model->body_count, most = pair_count * bodies * (bodies - 1) / 2;
    int capacity = most > TOUCHES_MAX ? TOUCHES_MAX : (int)most;
    *friction = (gmc_measure_friction){.surface_count = model->surface_count,
                                       .pair_of = pair_of,
                                       .capacity = capacity > 0 ? capacity : 1};
    friction->needed = GMC_NEW(arena, pair_count, double);
    friction->slipped = GMC_NEW(arena, pair_count, bool);
    friction->touches = GMC_ROOM(arena, friction->capacity, gmc_measure_touch);
    bool has_room = friction->needed && friction->slipped && friction->touches;
    return has_room ? GMC_OK : GMC_E_ARENA_FULL;
}

/// A place for the next step.
static void open_friction_step(int at, gmc_measure_friction *friction)
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

static void add_touch_impulses(const gmc_world *world, int at, gmc_measure_friction *friction)
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

/// After an accepted step that the window knows, whose impulses acted over `span` [s].
/// @param is_new  gmc_measure_window_open of this step
static void measure_friction_step(const gmc_world *world, const gmc_measure_window *window,
                                  double span, bool is_new, gmc_measure_friction *friction)
{
    if (is_new) open_friction_step(window->at, friction);
    add_touch_impulses(world, window->at, friction);
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

/// At the end: what has touched for less than a window counts as it is.
static void measure_friction_finish(const gmc_measure_window *window,
                                    gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        if (touch->blow_normal > 0) judge_blow(touch, friction);
        if (!is_whole(touch->age)) judge_window(window, 0, touch, friction);
    }
}

// ---- energy -------------------------------------------------------------------------------------
//
// Energy balance of a trial: of the bodies that have a free dof, from its start to the middle of
// its last step (gmc_step_energy). Both columns are relative to the largest of: work of drives in
// absolute value, change of potential energy, peak kinetic energy, 1e-6 J.

/// Trials in which less happens are measured by this: 1 g lifted by 0.1 mm [J].
static const double LEAST = 1e-6;

void gmc_measure_energy_step(const gmc_step_energy *step, gmc_measure_energy *sum)
{
    if (!step->is_known) sum->is_unknown = true;
    double given = step->drives + step->gravity;
    double gone = step->loss + step->scheme + step->kinetic_change + step->elastic_change;
    sum->steps++;
    sum->drives += fabs(step->drives);
    sum->gravity += step->gravity;
    sum->missing += given - gone;
    sum->scheme += step->scheme;
    sum->peak = gmc_max(step->kinetic, sum->peak);
}

void gmc_measure_energy_finish(const gmc_measure_energy *sum, double *balance, double *scheme,
                               double *size)
{
    *balance = *scheme = *size = NAN;
    if (sum->is_unknown || sum->steps == 0) return;
    *size = fmax(fmax(sum->drives, fabs(sum->gravity)), fmax(sum->peak, LEAST));
    *balance = sum->missing / *size;
    *scheme = sum->scheme / *size;
}

// ---- all of them --------------------------------------------------------------------------------

static void number_pairs(const gmc_measure_plan *plan, int surfaces, int *pair_of)
{
    for (int i = 0; i < surfaces * surfaces; i++)
        pair_of[i] = -1;
    for (int i = 0; i < plan->pair_count; i++) {
        int a = plan->pairs[i][0], b = plan->pairs[i][1];
        if (a < 0 || b < 0) continue;
        pair_of[a * surfaces + b] = pair_of[b * surfaces + a] = i;
    }
}

gmc_status gmc_measure_create(const gmc_measure_plan *plan, const gmc_model *model,
                              gmc_arena *arena, gmc_measure_state *state)
{
    *state = (gmc_measure_state){0};
    size_t bodies = (size_t)model->body_count, surfaces = (size_t)model->surface_count;
    int asked = plan->asked_count;
    state->X_start = GMC_NEW(arena, bodies, gmc_pose);
    state->com_start = GMC_NEW(arena, bodies, gmc_vec3);
    state->X_slip = GMC_NEW(arena, bodies, gmc_pose);
    state->current = GMC_NEW(arena, asked, double);
    state->summary = GMC_NEW(arena, asked, double);
    state->pair_of = GMC_NEW(arena, surfaces * surfaces, int);
    if (!state->X_start || !state->com_start || !state->X_slip || !state->current ||
        !state->summary || !state->pair_of)
        return GMC_E_ARENA_FULL;
    number_pairs(plan, model->surface_count, state->pair_of);
    GMC_TRY(
        measure_friction_create(model, state->pair_of, plan->pair_count, arena, &state->friction));
    return measure_force_create(model, arena, &state->forces);
}

/// Pose of the hand's tool frame (or base) in the world; the world's frame if there is no hand.
static gmc_pose measure_hand_pose(const gmc_measure_plan *plan, const gmc_world *world)
{
    if (plan->tool_frame >= 0) {
        const gmc_frame *frame = &world->model->frames[plan->tool_frame];
        return gmc_pose_multiply(&world->kin.X_wb[frame->body], &frame->X_bf);
    }
    if (plan->hand_body >= 0) return world->kin.X_wb[plan->hand_body];
    return gmc_pose_identity();
}

// Rotation of the object in the hand's frame.
static gmc_mat3 object_rotation(const gmc_measure_plan *plan, const gmc_world *world,
                                const gmc_measure_state *state)
{
    gmc_mat3 R_hw = gmc_mat3_transpose(&state->X_hand.R);
    return gmc_mat3_multiply(&R_hw, &world->kin.X_wb[plan->object_body].R);
}

void gmc_measure_start(const gmc_measure_plan *plan, const gmc_world *world,
                       gmc_measure_state *state)
{
    size_t bodies = (size_t)world->model->body_count;
    memcpy(state->X_start, world->kin.X_wb, bodies * sizeof *state->X_start);
    memcpy(state->com_start, world->kin.com_w, bodies * sizeof *state->com_start);
    state->X_hand = state->X_hand_start = measure_hand_pose(plan, world);
    if (plan->object_body >= 0)
        state->p_last =
            gmc_pose_apply_inverse(&state->X_hand, world->kin.X_wb[plan->object_body].p);
    state->fixed[GMC_COLUMN_T_VIOLATED] = state->fixed[GMC_COLUMN_T_CLOSED] = NAN;
    state->fixed[GMC_COLUMN_T_DECIDED] = NAN;
}

void gmc_measure_count_slip(const gmc_measure_plan *plan, const gmc_world *world,
                            gmc_measure_state *state)
{
    size_t bodies = (size_t)world->model->body_count;
    memcpy(state->X_slip, world->kin.X_wb, bodies * sizeof *state->X_slip);
    state->X_hand_slip = state->X_hand;
    if (plan->object_body >= 0) {
        state->com_slip =
            gmc_pose_apply_inverse(&state->X_hand, world->kin.com_w[plan->object_body]);
        state->R_slip = object_rotation(plan, world, state);
    }
    state->counts_slip = true;
}

void gmc_measure_closed(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state)
{
    gmc_measure_count_slip(plan, world, state);
    state->fixed[GMC_COLUMN_T_CLOSED] = world->state.t;
}

static void raise_to(double *worst, double value)
{
    if (value > *worst) *worst = value;
}

/// What is measured over the last 8 ms.
static void measure_impulses(const gmc_world *world, double span, gmc_measure_state *state)
{
    if (!(span > 0)) return;
    bool is_new = gmc_measure_window_open(span, &state->window);
    raise_to(&state->fixed[GMC_COLUMN_MAX_FORCE],
             measure_force_step(world, &state->window, is_new, &state->forces));
    measure_friction_step(world, &state->window, span, is_new, &state->friction);
}

static double distance2(gmc_vec3 a, gmc_vec3 b)
{
    gmc_vec3 d = gmc_vec3_sub(a, b);
    return gmc_vec3_dot(d, d);
}

static void measure_object_energy(const gmc_measure_plan *plan, const gmc_world *world,
                                  double speed2, gmc_measure_state *state)
{
    int object = plan->object_body;
    double mass = world->model->bodies[object].inertia.mass;
    gmc_vec3 w = world->kin.V[object].w;
    gmc_vec3 way = gmc_vec3_sub(world->kin.com_w[object], state->com_start[object]);
    double *most = &state->fixed[GMC_COLUMN_ENERGY_OBJECT];
    raise_to(most, fabs(mass * gmc_vec3_dot(world->model->gravity, way)));
    raise_to(most,
             0.5 * (mass * speed2 + gmc_vec3_dot(w, gmc_mat3_apply(&world->kin.I_w[object], w))));
}

static void measure_object(const gmc_measure_plan *plan, const gmc_world *world, double h,
                           gmc_measure_state *state)
{
    int object = plan->object_body;
    gmc_vec3 com = world->kin.com_w[object];
    gmc_vec3 velocity = gmc_twist_at(&world->kin.V[object], com);
    double speed2 = gmc_vec3_dot(velocity, velocity);
    raise_to(&state->speed2, speed2);
    measure_object_energy(plan, world, speed2, state);

    gmc_vec3 p = gmc_pose_apply_inverse(&state->X_hand, world->kin.X_wb[object].p);
    double step = SETTLED_SPEED * h;
    if (distance2(p, state->p_last) > step * step)
        state->fixed[GMC_COLUMN_T_SETTLED] = world->state.t;
    state->p_last = p;

    if (!state->counts_slip) return;
    gmc_vec3 com_h = gmc_pose_apply_inverse(&state->X_hand, com);
    raise_to(&state->slip2, distance2(com_h, state->com_slip));
    gmc_mat3 R = object_rotation(plan, world, state);
    double turn2 = 0;
    for (int i = 0; i < 9; i++) {
        double d = R.m[i] - state->R_slip.m[i];
        turn2 += d * d;
    }
    raise_to(&state->turn2, turn2);
}

// Measures whose column is their extreme over all steps.
static void measure_asked(const gmc_measure_plan *plan, const gmc_world *world, bool is_first,
                          gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count; i++) {
        if (plan->statistics[i] == GMC_STAT_END) continue;
        double value = gmc_measure_value(&plan->asked[i], plan, world, state);
        double *worst = &state->summary[i];
        bool is_worse = plan->statistics[i] == GMC_STAT_MAX ? value > *worst : value < *worst;
        if (is_first || is_worse) *worst = value;
        state->current[i] = value;
    }
}

// Only joints of hands have a largest speed.
static double joint_speed(const gmc_world *world)
{
    double most = 0;
    for (int i = 0; i < world->model->free_count; i++) {
        double limit = world->model->dofs[i].max_speed;
        if (isfinite(limit)) most = gmc_max(fabs(world->state.v[i]) / limit, most);
    }
    return most;
}

void gmc_measure_step(const gmc_measure_plan *plan, const gmc_world *world,
                      const gmc_step_report *report, double h, gmc_measure_state *state)
{
    double *fixed = state->fixed;
    bool is_first = fixed[GMC_COLUMN_STEPS] == 0;
    state->X_hand = measure_hand_pose(plan, world);
    raise_to(&fixed[GMC_COLUMN_MAX_PENETRATION], report->max_penetration);
    raise_to(&fixed[GMC_COLUMN_HARD_PENETRATION], report->hard_penetration);
    raise_to(&fixed[GMC_COLUMN_PAD_PRESS], report->pad_press);
    measure_impulses(world, report->span, state);
    gmc_measure_energy_step(&report->energy, &state->energy);
    raise_to(&fixed[GMC_COLUMN_MAX_JOINT_SPEED], joint_speed(world));
    raise_to(&fixed[GMC_COLUMN_MAX_JOINT_EFFORT], report->max_effort);
    raise_to(&fixed[GMC_COLUMN_MAX_RESIDUAL], report->residual);
    raise_to(&fixed[GMC_COLUMN_MAX_CONTACTS], report->contact_count);
    fixed[GMC_COLUMN_STEPS] += 1;
    fixed[GMC_COLUMN_ITERATIONS] += report->iterations;
    if (report->rung > 1) fixed[GMC_COLUMN_HARD_STEPS] += 1;
    if (plan->object_body >= 0) measure_object(plan, world, h, state);
    measure_asked(plan, world, is_first, state);
}

// |R - R'| (Frobenius) of two rotations that differ by an angle θ is 2√2 sin(θ/2).
static double angle_of(double turn2) { return 2 * gmc_asin(fmin(sqrt(turn2 / 8), 1)); }

static void finish_object(const gmc_measure_plan *plan, const gmc_world *world,
                          gmc_measure_state *state)
{
    const struct {
        gmc_fixed_column column;
        gmc_measure measure;
    } at_end[] = {
        {GMC_COLUMN_LIFT, {.kind = GMC_MEASURE_LIFT, .a = plan->object_body}},
        {GMC_COLUMN_SLIP_END,
         {.kind = GMC_MEASURE_SLIP, .a = plan->object_body, .b = GMC_BODY_HAND}},
        {GMC_COLUMN_MOVED, {.kind = GMC_MEASURE_MOVED, .a = plan->object_body}},
        {GMC_COLUMN_TURNED, {.kind = GMC_MEASURE_TURNED, .a = plan->object_body}},
        {GMC_COLUMN_HELD_BY, {.kind = GMC_MEASURE_HELD_BY, .a = plan->object_body}},
    };
    for (int i = 0; i < GMC_COUNT(at_end); i++)
        state->fixed[at_end[i].column] = gmc_measure_value(&at_end[i].measure, plan, world, state);
    state->fixed[GMC_COLUMN_SLIP] = sqrt(state->slip2);
    state->fixed[GMC_COLUMN_SLIP_ANGLE] = angle_of(state->turn2);
    state->fixed[GMC_COLUMN_MAX_SPEED] = sqrt(state->speed2);
}

void gmc_measure_finish(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state, double *values)
{
    if (plan->object_body >= 0) finish_object(plan, world, state);
    gmc_measure_energy_finish(&state->energy, &state->fixed[GMC_COLUMN_ENERGY_BALANCE],
                              &state->fixed[GMC_COLUMN_ENERGY_SCHEME],
                              &state->fixed[GMC_COLUMN_ENERGY_SIZE]);
    int k = 0;
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        values[k++] = state->fixed[i];
    for (int i = 0; i < plan->asked_count; i++) {
        if (plan->statistics[i] == GMC_STAT_END)
            state->current[i] = state->summary[i] =
                gmc_measure_value(&plan->asked[i], plan, world, state);
        values[k++] = state->summary[i];
    }
    measure_friction_finish(&state->window, &state->friction);
    for (int i = 0; i < plan->pair_count; i++) {
        values[k++] = state->friction.needed[i];
        values[k++] = state->friction.slipped[i];
    }
}

void gmc_measure_nothing(const gmc_measure_plan *plan, double *values)
{
    for (int i = 0; i < plan->column_count; i++)
        values[i] = plan->columns[i].kind == GMC_COLUMN_REAL ? NAN : 0;
}
