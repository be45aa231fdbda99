// A worker owns three arenas: trial, step, and motion for what is recorded. One that proves too
// small is doubled (of a full recording, the plan is) and the trial repeated, which changes
// nothing, because a trial depends on its number alone.
#include "sampling/campaign/rollouts.h"

#include "sampling/build/margin.h"
#include "sampling/campaign/actions.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    GMC_SCRATCH_START =
        1 << 20, ///< bytes of the step arena to start with; it grows where contacts are many
    GMC_MOTION_START = 1 << 20, ///< bytes of the motion arena, once something is recorded
    GMC_ARENA_MAX = 1 << 30     ///< a trial that wants more than a GiB is a mistake
};

typedef struct gmc_worker {
    gmc_rollouts *rollouts;
    int index;
    int weight_column; ///< -1: trials have no weights
    gmc_nearby nearby; ///< once the pilot is complete
    bool has_nearby;
    gmc_arena trial, scratch, motion;
    gmc_ode *ode;           ///< of steppers that are integrated
    gmc_foreign *foreign;   ///< controller that is a library or a command
    gmc_controller given;   ///< of it
    gmc_actions actions;    ///< what it answered, in its place
    uint64_t *noise_hashes; ///< (joints of `control`) names of their encoders' chance
    int64_t case_index;     ///< of the values now drawn
    uint64_t draw;
    double plan_factor;        ///< rows and contacts planned, over what is usual
    double *believed, *values; ///< (parameter_count)
    double *point;             ///< (uncertain_count) of subset simulation
    double *other;             ///< (column_count) of another run than that of the trial
    gmc_trajectory trajectory;
    gmc_trial result;
    uint64_t audit_hash, half_hash; ///< names of the chance that chooses trials to look at twice
} gmc_worker;

gmc_recording gmc_rollouts_recording(const gmc_scenario *scenario)
{
    return (gmc_recording){.record = scenario->record,
                           .count = (uint64_t)scenario->record_count,
                           .rate = scenario->parameters[scenario->rate].nominal};
}

void gmc_rollouts_address(const gmc_scenario *scenario, uint64_t trial, int64_t *case_index,
                          uint64_t *draw, int *level)
{
    uint64_t cases = (uint64_t)scenario->case_count;
    uint64_t levels = scenario->level_count > 0 ? (uint64_t)scenario->level_count : 1;
    *level = (int)(trial % levels);
    trial /= levels;
    *case_index = (int64_t)(trial % cases);
    *draw = trial / cases;
}

uint64_t gmc_rollouts_total(const gmc_scenario *scenario)
{
    uint64_t levels = scenario->level_count > 0 ? (uint64_t)scenario->level_count : 1;
    return (uint64_t)scenario->draws * (uint64_t)scenario->case_count * levels;
}

int gmc_rollouts_groups(const gmc_scenario *scenario, int *groups)
{
    // quadratic in objects where they do not come one after the other; there are few
    int count = 0;
    for (int64_t c = 0; c < scenario->case_count; c++) {
        int object = gmc_study_object(scenario, c), found = -1;
        for (int64_t b = c; b-- > 0 && found < 0;)
            if (gmc_study_object(scenario, b) == object) found = groups[b];
        groups[c] = found >= 0 ? found : count++;
    }
    return count;
}

static void worker_free(void *memory)
{
    gmc_worker *worker = memory;
    if (!worker) return;
    gmc_arena_free(&worker->trial);
    gmc_arena_free(&worker->scratch);
    gmc_arena_free(&worker->motion);
    gmc_ode_free(worker->ode);
    gmc_foreign_close(worker->foreign);
    free(worker->noise_hashes);
    free(worker->believed);
    free(worker->values);
    free(worker->point);
    free(worker->other);
    free(worker->result.values);
    free(worker->result.samples);
    free(worker);
}

static gmc_status worker_create(void *context, int index, void **made)
{
    gmc_rollouts *rollouts = context;
    size_t parameters = (size_t)rollouts->scenario->parameter_count;
    const gmc_measure_plan *measures = gmc_build_measures(rollouts->build);
    size_t columns = (size_t)measures->column_count;
    gmc_worker *worker = calloc(1, sizeof *worker);
    if (!worker) return GMC_E_MEMORY;
    worker->rollouts = rollouts;
    worker->index = index;
    worker->weight_column =
        gmc_column_find(measures->columns, measures->column_count, gmc_build_weight_column.name);
    worker->plan_factor = 1;
    worker->audit_hash = gmc_stream_hash("simulation.early.audit");
    worker->half_hash = gmc_stream_hash("simulation.half_step");
    worker->believed = calloc(parameters, sizeof(double));
    worker->values = calloc(parameters, sizeof(double));
    worker->point = calloc((size_t)rollouts->scenario->uncertain_count + 1, sizeof(double));
    worker->result.values = calloc(columns, sizeof(double));
    worker->other = calloc(columns, sizeof(double));
    worker->result.samples = calloc((size_t)rollouts->scenario->sampled_count + 1, sizeof(double));
    size_t start = rollouts->arena_bytes;
    gmc_status status =
        gmc_arena_create(&worker->trial, start > 0 ? start : gmc_build_bytes(rollouts->build));
    if (status == GMC_OK)
        status = gmc_arena_create(&worker->scratch, start > 0 ? start : GMC_SCRATCH_START);
    if (!worker->believed || !worker->values || !worker->point || !worker->other ||
        !worker->result.values || !worker->result.samples)
        status = GMC_E_MEMORY;
    if (status != GMC_OK) {
        worker_free(worker);
        return status;
    }
    *made = worker;
    return GMC_OK;
}

static bool may_record(const gmc_recording *recording, uint64_t trial)
{
    switch (recording->record) {
    case GMC_RECORD_NONE:
        return false;
    case GMC_RECORD_FAILURES:
    case GMC_RECORD_ALL:
        return true;
    case GMC_RECORD_FIRST:
        return trial < recording->count;
    case GMC_RECORD_EVERY:
        return trial % recording->count == 0;
    }
    return false;
}

static gmc_status grow(gmc_arena *arena)
{
    size_t capacity = arena->capacity > 0 ? 2 * arena->capacity : GMC_MOTION_START;
    if (capacity > GMC_ARENA_MAX) return GMC_E_LIMIT;
    gmc_arena_free(arena);
    return gmc_arena_create(arena, capacity);
}

// Room for the rows and contacts that a trajectory of this trial can need.
static gmc_status make_record(gmc_worker *worker, const gmc_rollout_input *input, double duration,
                              gmc_trajectory **record)
{
    enum { CONTACTS_PER_ROW = 16 }; // two faces of eight points
    // a row is a step at most; halved steps may add rows
    double steps = 1.25 / input->options.step, rate = input->options.rate;
    rate = rate > 0 ? fmin(rate, steps) : steps;
    if (input->control) rate += 2 * input->control->rate; // its calls have rows
    double rows = fmin((duration * rate + 16) * worker->plan_factor, 1e7);
    const gmc_trajectory_shape room = {.row_count = (int)rows,
                                       .contact_count = CONTACTS_PER_ROW * (int)rows,
                                       .has_actions = input->control,
                                       .has_pushes = gmc_control_moves_bodies(input->control)};
    if (worker->motion.capacity == 0) GMC_TRY(grow(&worker->motion));
    gmc_status status = GMC_E_ARENA_FULL;
    while (status == GMC_E_ARENA_FULL) {
        gmc_arena_reset(&worker->motion, 0);
        status = gmc_trajectory_create(input->model, &room, &worker->motion, &worker->trajectory);
        if (status == GMC_E_ARENA_FULL) GMC_TRY(grow(&worker->motion));
    }
    *record = &worker->trajectory;
    return status;
}

/// One way to run a trial.
typedef struct gmc_rollouts_way {
    int object;
    int level; ///< of the study's ladder; -1: it has none
    bool is_recorded, is_audited;
    bool is_halved; ///< at half the step, which takes twice the steps and the work
} gmc_rollouts_way;

static void refuse(const gmc_rollouts *rollouts, gmc_rollout_result *found)
{
    found->outcome = GMC_OUTCOME_UNSOLVED;
    found->reason = GMC_REASON_BAD_VALUE;
    gmc_measure_nothing(gmc_build_measures(rollouts->build), found->values);
}

/// Are the times of a move through places in order?
static bool is_in_order(const gmc_move_to *to)
{
    for (int k = 0; to && to->times && k < to->knot_count; k++)
        if (!(to->times[k] > (k > 0 ? to->times[k - 1] : 0))) return false;
    return true;
}

// Whose chance the controller has: the trial's, or that of the trial which this one is taken from.
static uint64_t draw_of_control(const gmc_worker *worker)
{
    int64_t own = worker->rollouts->scenario->control.as_draw;
    return own >= 0 ? (uint64_t)own : worker->draw;
}

static uint64_t case_of_control(const gmc_worker *worker)
{
    int64_t own = worker->rollouts->scenario->control.as_case;
    return own >= 0 ? (uint64_t)own : (uint64_t)worker->case_index;
}

// Chance of an encoder's reading, of its own: neither other joints nor other parameters change it.
static double noise_at(const void *context, int joint, uint64_t reading)
{
    const gmc_worker *worker = context;
    const gmc_scenario *scenario = worker->rollouts->scenario;
    uint64_t draw = draw_of_control(worker), case_index = case_of_control(worker);
    gmc_stream stream = gmc_stream_open_hashed(scenario->seed, draw, worker->noise_hashes[joint]);
    if (scenario->is_independent) stream = gmc_stream_for_case(stream, case_index);
    // in the middle of its 2^-53: never 0
    return gmc_normal_quantile(gmc_stream_uniform(stream, reading) + 0x1p-54);
}

// Names of the chance of encoders: the same in all trials of the worker.
static gmc_status name_noise(gmc_worker *worker, const gmc_control_plan *plan)
{
    if (worker->noise_hashes) return GMC_OK;
    worker->noise_hashes = calloc((size_t)plan->count + 1, sizeof *worker->noise_hashes);
    if (!worker->noise_hashes) return GMC_E_MEMORY;
    for (int i = 0; i < plan->count; i++) {
        char name[256];
        snprintf(name, sizeof name, "control.encoder.%s", plan->start.joints[i]);
        worker->noise_hashes[i] = gmc_stream_hash(name);
    }
    return GMC_OK;
}

// A controller of others is opened with the first trial that it moves, and not where its answers
// are known.
static gmc_status control_trial(gmc_worker *worker, const gmc_rollout_input *input)
{
    gmc_control_plan *plan = input->control;
    if (!plan) return GMC_OK;
    GMC_TRY(name_noise(worker, plan));
    gmc_rollouts *rollouts = worker->rollouts;
    plan->chance = (gmc_control_noise){.context = worker, .at = noise_at};
    plan->start.seed = rollouts->scenario->seed;
    plan->start.case_index = case_of_control(worker);
    plan->start.draw = draw_of_control(worker);
    if (plan->law != GMC_CONTROL_GIVEN) return GMC_OK;
    if (!rollouts->actions) {
        if (!worker->foreign)
            GMC_TRY(gmc_foreign_open(rollouts->scenario, NULL, &rollouts->foreign, &worker->foreign,
                                     &worker->given));
        plan->given = worker->given;
        return GMC_OK;
    }
    worker->actions.path = rollouts->actions;
    worker->actions.model = input->model;
    worker->actions.program = input->program;
    plan->given = gmc_actions_controller(&worker->actions, plan);
    return GMC_OK;
}

/// Can the program be carried out with what was drawn: do the steps follow every shake?
static bool is_followed(const gmc_rollout_input *input)
{
    for (int i = 0; i < input->program->phase_count; i++) {
        const gmc_phase *phase = &input->program->phases[i];
        if (!gmc_program_follows(phase->frequency, input->options.step) ||
            !is_in_order(phase->move_to))
            return false;
    }
    return true;
}

static gmc_status attempt(gmc_worker *worker, const gmc_rollouts_way *way, const atomic_bool *stop,
                          gmc_rollout_result *found)
{
    const gmc_rollouts *rollouts = worker->rollouts;
    gmc_rollout_input input;
    gmc_trajectory *record = NULL;
    gmc_arena_reset(&worker->trial, 0);
    gmc_status status = gmc_build_instantiate(rollouts->build, way->object, worker->believed,
                                              worker->values, &worker->trial, &input);
    if (status == GMC_E_INPUT) { // values that are fine one by one, but not together
        refuse(rollouts, found);
        return GMC_OK;
    }
    GMC_TRY(status);
    bool is_geometric = way->level >= 0 && rollouts->scenario->levels[way->level].is_geometric;
    gmc_rollout_route route;
    if (is_geometric && gmc_build_route(rollouts->build, worker->values, &route))
        return gmc_rollout_find_way(&input, &route, &worker->trial, &worker->scratch, found);
    if (is_geometric) return gmc_rollout_start(&input, &worker->trial, &worker->scratch, found);
    if (way->level >= 0) gmc_build_level(rollouts->build, way->level, &input.options);
    if (!is_followed(&input)) {
        refuse(rollouts, found);
        return GMC_OK;
    }
    input.options.rate = rollouts->recording.rate;
    input.options.early.is_audited = way->is_audited;
    if (rollouts->is_whole) input.options.early = (gmc_early_options){0};
    input.stop = stop;
    if (input.options.stepper->is_integrated && !worker->ode) GMC_TRY(gmc_ode_create(&worker->ode));
    input.ode = worker->ode;
    if (way->is_halved) {
        input.options.step /= 2;
        input.options.step_limit *= 2;
        input.options.work_limit *= 2;
    }
    GMC_TRY(control_trial(worker, &input));
    if (way->is_recorded)
        GMC_TRY(make_record(worker, &input, gmc_build_duration(rollouts->build, worker->values),
                            &record));
    return gmc_rollout_run(&input, record, &worker->trial, &worker->scratch, found);
}

// After a rollout that found something full: make that larger.
static gmc_status make_room(gmc_worker *worker)
{
    enum { PLAN_FACTOR_MAX = 1 << 16 };
    if (worker->scratch.high_water > worker->scratch.capacity) return grow(&worker->scratch);
    if (worker->trial.high_water > worker->trial.capacity) return grow(&worker->trial);
    worker->plan_factor *= 2;
    return worker->plan_factor <= PLAN_FACTOR_MAX ? GMC_OK : GMC_E_LIMIT;
}

static gmc_status run_way(gmc_worker *worker, const gmc_rollouts_way *way, const atomic_bool *stop,
                          gmc_rollout_result *found)
{
    gmc_status status;
    while ((status = attempt(worker, way, stop, found)) == GMC_E_ARENA_FULL)
        GMC_TRY(make_room(worker));
    return status;
}

// Chance of a name's own in this trial, so that neither a share nor what else is drawn changes it.
static double chance_of(const gmc_worker *worker, const gmc_trial *row, uint64_t name_hash)
{
    gmc_stream stream =
        gmc_stream_open_hashed(worker->rollouts->scenario->seed, row->draw, name_hash);
    return gmc_stream_uniform(gmc_stream_for_case(stream, row->case_index), 0);
}

static double share_of(const gmc_worker *worker, gmc_param share)
{
    return share >= 0 ? worker->values[share] : 0;
}

// What rests, or has borne the worst of its program, has no more to measure; what was cut short as
// a failure has.
static bool is_whole(gmc_outcome outcome, const double *values)
{
    if (outcome == GMC_OUTCOME_UNSOLVED) return false;
    int rule = (int)values[GMC_COLUMN_DECIDED_BY];
    bool is_failure = rule == GMC_DECISION_BROKEN || rule == GMC_DECISION_FALLING;
    return !is_failure || values[GMC_COLUMN_AUDIT] > 0;
}

// What the robot believes in a trial, and what is true.
static gmc_status draw_values(gmc_worker *worker, uint64_t trial, int64_t *case_index,
                              uint64_t *draw, int *level)
{
    const gmc_scenario *scenario = worker->rollouts->scenario;
    gmc_rollouts_address(scenario, trial, case_index, draw, level);
    worker->case_index = *case_index;
    worker->draw = *draw;
    gmc_perturb_believed(scenario, *case_index, worker->believed);
    const gmc_rollouts_points *points = &worker->rollouts->points;
    if (!points->at) return gmc_perturb_values(scenario, *case_index, *draw, worker->values, NULL);
    if (!points->at(points->context, trial, worker->point)) return GMC_E_MISSING;
    for (int i = 0; i < scenario->uncertain_count; i++)
        worker->point[i] = gmc_normal_cdf(worker->point[i]);
    gmc_scenario there = *scenario;
    there.point = worker->point;
    return gmc_perturb_values(&there, *case_index, *draw, worker->values, NULL);
}

static bool point_of_subset(const void *context, uint64_t trial, double *point)
{
    return gmc_subset_point(context, trial, point);
}

gmc_rollouts_points gmc_rollouts_points_of(const gmc_subset *subset)
{
    return (gmc_rollouts_points){.context = subset, .at = subset ? point_of_subset : NULL};
}

gmc_subset_plan gmc_rollouts_subset(const gmc_scenario *scenario)
{
    return (gmc_subset_plan){.runs = scenario->subset.runs,
                             .levels = scenario->subset.levels,
                             .per_level = scenario->subset.per_level,
                             .dimensions = scenario->uncertain_count,
                             .seed = scenario->seed,
                             .is_discrete = scenario->subset.is_discrete,
                             .aimed = scenario->subset.aimed};
}

gmc_finding gmc_rollouts_finding(const gmc_trial *trial)
{
    switch (gmc_trial_verdict(trial->outcome)) {
    case GMC_VERDICT_SUCCESS:
        return GMC_FINDING_WORKS;
    case GMC_VERDICT_FAILURE:
        return GMC_FINDING_FAILS;
    case GMC_VERDICT_UNSOLVED:
    case GMC_VERDICT_COUNT:
        break;
    }
    return trial->reason == GMC_REASON_DEEP_START ? GMC_FINDING_STUCK : GMC_FINDING_OPEN;
}

gmc_verdict gmc_rollouts_verdict(const gmc_trial *trial)
{
    switch (gmc_rollouts_finding(trial)) {
    case GMC_FINDING_WORKS:
        return GMC_VERDICT_SUCCESS;
    case GMC_FINDING_FAILS:
    case GMC_FINDING_STUCK:
        return GMC_VERDICT_FAILURE;
    case GMC_FINDING_OPEN:
    case GMC_FINDING_NONE:
        break;
    }
    return GMC_VERDICT_UNSOLVED;
}

// --- repetitions at half the step ---

/// Work of all repetitions, over that of the trials.
static const double REPEATED_WORK = 0.1;

/// Is there one interval that repetitions go into, and work left for more than the share that is
/// asked for? Not where cases share their draws, or a rule chooses trials.
static bool has_work_left(const gmc_rollouts *rollouts)
{
    const gmc_scenario *s = rollouts->scenario;
    bool is_plain =
        s->case_count == 1 && s->level_count == 0 && !s->is_weighted && !rollouts->points.at;
    double share = s->half_step >= 0 ? s->parameters[s->half_step].nominal : 0;
    bool is_room_left = share > 0 && GMC_NEARBY_TWICE * share < REPEATED_WORK;
    return is_plain && is_room_left && gmc_build_slack(rollouts->build);
}

/// Of `a or b` the slack is that of the better one, however near to its limit the other is.
static bool has_either(const gmc_compiled_criterion *slack)
{
    for (int i = 0; i < slack->node_count; i++)
        if (slack->nodes[i].op == GMC_OP_OR || slack->nodes[i].op == GMC_OP_NOT) return true;
    return false;
}

/// Are trials near the limit of success chosen?
static bool is_near_chosen(const gmc_rollouts *rollouts)
{
    return has_work_left(rollouts) && !has_either(gmc_build_slack(rollouts->build));
}

double gmc_rollouts_repeated_work(const gmc_rollouts *rollouts)
{
    return is_near_chosen(rollouts) ? REPEATED_WORK : 0;
}

/// What was this near to where it would be lost is near the limit, whatever its measures are: a
/// step of 4 ms at 5 m/s is 2 % of 1 m.
static const double NEARLY_LOST = 0.98;

/// Did it stop just behind its limit? There, too, stops an object that is lost.
static bool is_cut(const gmc_rollout_result *found)
{
    if (found->outcome == GMC_OUTCOME_UNSOLVED) return false;
    return found->outcome == GMC_OUTCOME_LOST || !is_whole(found->outcome, found->values);
}

static gmc_nearby_trial look_at(const gmc_worker *worker, const gmc_rollout_result *found)
{
    bool is_lost = found->outcome == GMC_OUTCOME_LOST;
    gmc_nearby_trial trial = {.work = found->values[GMC_COLUMN_STEPS],
                              .is_cut = is_cut(found),
                              .is_near = !is_lost && found->reach > NEARLY_LOST};
    const gmc_compiled_criterion *slack = gmc_build_slack(worker->rollouts->build);
    trial.forces = gmc_margin_forces(slack, GMC_NEARBY_CRITERIA);
    if (found->outcome != GMC_OUTCOME_UNSOLVED)
        trial.criteria =
            gmc_margin_distances(slack, found->values, trial.distance, GMC_NEARBY_CRITERIA);
    return trial;
}

static void put_pilot(gmc_worker *worker, uint64_t draw, gmc_nearby_trial trial)
{
    gmc_rollouts_pilot *slot = &worker->rollouts->pilot[draw];
    int unknown = 0;
    if (!atomic_compare_exchange_strong(&slot->state, &unknown, 1)) return; // the same is there
    slot->trial = trial;
    atomic_store(&slot->state, 2);
}

static gmc_status draw_again(gmc_worker *worker, uint64_t trial)
{
    int64_t case_index;
    uint64_t draw;
    int level;
    return draw_values(worker, trial, &case_index, &draw, &level);
}

// Run a trial of the pilot that is not this worker's own, for its slack alone.
static gmc_status run_pilot(gmc_worker *worker, uint64_t trial, const atomic_bool *stop)
{
    gmc_trial row = {.trial = trial};
    int64_t case_index;
    int level;
    gmc_rollout_result found = {.values = worker->other};
    gmc_status drawn = draw_values(worker, trial, &case_index, &row.draw, &level);
    if (drawn != GMC_OK && drawn != GMC_E_INPUT) return drawn;
    if (drawn == GMC_E_INPUT) {
        refuse(worker->rollouts, &found);
    } else {
        gmc_rollouts_way way = {.object = gmc_study_object(worker->rollouts->scenario, 0),
                                .level = -1};
        way.is_audited = chance_of(worker, &row, worker->audit_hash) <
                         share_of(worker, worker->rollouts->scenario->audit);
        GMC_TRY(run_way(worker, &way, stop, &found));
    }
    put_pilot(worker, trial, look_at(worker, &found));
    return GMC_OK;
}

// Workers begin at different places, so that they share what is missing.
static gmc_status make_nearby(gmc_worker *worker, const atomic_bool *stop)
{
    enum { APART = 11 }; // prime to the number of trials
    gmc_rollouts *rollouts = worker->rollouts;
    const gmc_scenario *s = rollouts->scenario;
    gmc_nearby_trial pilot[GMC_NEARBY_PILOT];
    for (int i = 0; i < GMC_NEARBY_PILOT; i++) {
        uint64_t trial = (uint64_t)(i + APART * worker->index) % GMC_NEARBY_PILOT;
        if (atomic_load(&rollouts->pilot[trial].state) == 0)
            GMC_TRY(run_pilot(worker, trial, stop));
    }
    for (int i = 0; i < GMC_NEARBY_PILOT; i++) {
        while (atomic_load(&rollouts->pilot[i].state) != 2)
            continue; // another worker is between two stores
        pilot[i] = rollouts->pilot[i].trial;
    }
    worker->nearby = gmc_nearby_plan(pilot, GMC_NEARBY_PILOT, s->parameters[s->half_step].nominal,
                                     REPEATED_WORK);
    worker->has_nearby = true;
    return GMC_OK;
}

// How the trial, that was just run, is chosen to be repeated. The draws of the pilot are not: that
// others depend on them would have to be allowed for.
static gmc_status choose(gmc_worker *worker, const gmc_trial *row, const gmc_rollout_result *found,
                         const atomic_bool *stop, gmc_rollouts_choice *choice)
{
    gmc_rollouts *rollouts = worker->rollouts;
    double uniform = chance_of(worker, row, worker->half_hash);
    choice->chance = share_of(worker, rollouts->scenario->half_step);
    if (rollouts->given) {
        *choice = *rollouts->given;
        return GMC_OK;
    }
    if (is_near_chosen(rollouts)) {
        gmc_nearby_trial trial = look_at(worker, found);
        if (row->draw < GMC_NEARBY_PILOT) {
            put_pilot(worker, row->draw, trial);
            choice->chance = 0;
        } else {
            if (!worker->has_nearby) {
                // what it runs takes the place of the drawn values
                GMC_TRY(make_nearby(worker, stop));
                GMC_TRY(draw_again(worker, row->trial));
            }
            choice->chance = gmc_nearby_chance(&worker->nearby, &trial);
        }
    } else if (has_work_left(rollouts)) {
        choice->chance = REPEATED_WORK / GMC_NEARBY_TWICE;
    }
    choice->is_repeated = uniform < choice->chance;
    return GMC_OK;
}

// Might the verdict have turned? Not told of what was cut short.
static bool has_moved(const gmc_worker *worker, const gmc_rollout_result *found,
                      const gmc_rollout_result *halved)
{
    const gmc_compiled_criterion *slack = gmc_build_slack(worker->rollouts->build);
    if (!slack || has_either(slack)) return false;
    if (is_cut(found) || is_cut(halved)) return false;
    return gmc_margin_has_moved(slack, found->values, halved->values);
}

static double look_of(const gmc_worker *worker, const gmc_rollout_result *found,
                      const gmc_rollout_result *halved)
{
    gmc_verdict verdict = gmc_trial_verdict(found->outcome);
    gmc_verdict other = gmc_trial_verdict(halved->outcome);
    if (verdict == other)
        return has_moved(worker, found, halved) ? GMC_AUDIT_NEARLY : GMC_AUDIT_RIGHT;
    bool is_open = other == GMC_VERDICT_UNSOLVED;
    return is_open ? GMC_AUDIT_OPEN : GMC_AUDIT_WRONG;
}

// The trial that was just run, once more at half the step if it is chosen; only the verdict is
// kept. What the trial itself recorded stays where it is.
static gmc_status repeat(gmc_worker *worker, const gmc_trial *row, const gmc_rollouts_way *way,
                         const atomic_bool *stop, gmc_rollout_result *found)
{
    gmc_rollouts_choice choice = {0};
    GMC_TRY(choose(worker, row, found, stop, &choice));
    found->values[GMC_COLUMN_HALF_STEP_CHANCE] = choice.chance;
    if (!choice.is_repeated) return GMC_OK;
    if (worker->rollouts->actions) { // they are those of whole steps
        found->values[GMC_COLUMN_HALF_STEP] = choice.look;
        return GMC_OK;
    }
    gmc_rollout_result other = {.values = worker->other};
    gmc_rollouts_way halved = {.object = way->object, .level = way->level, .is_halved = true};
    GMC_TRY(run_way(worker, &halved, stop, &other));
    found->values[GMC_COLUMN_HALF_STEP] = look_of(worker, found, &other);
    return GMC_OK;
}

// The trial with its drawn values, and some of them once more at half the step.
static gmc_status run_drawn(gmc_worker *worker, gmc_trial *row, int level, const atomic_bool *stop,
                            gmc_rollout_result *found)
{
    const gmc_rollouts *rollouts = worker->rollouts;
    const gmc_scenario *scenario = rollouts->scenario;
    bool has_levels = scenario->level_count > 0, is_last = level + 1 >= scenario->level_count;
    bool has_motion = !has_levels || !scenario->levels[level].is_geometric;
    gmc_rollouts_way way = {
        .object = gmc_study_object(scenario, row->case_index),
        .level = has_levels ? level : -1,
        .is_recorded = has_motion && may_record(&rollouts->recording, row->trial),
        .is_audited = is_last && chance_of(worker, row, worker->audit_hash) <
                                     share_of(worker, scenario->audit),
    };
    GMC_TRY(run_way(worker, &way, stop, found));
    if (is_last) GMC_TRY(repeat(worker, row, &way, stop, found));
    bool is_kept = way.is_recorded && found->reason != GMC_REASON_BAD_VALUE &&
                   (rollouts->recording.record != GMC_RECORD_FAILURES ||
                    found->outcome != GMC_OUTCOME_SUCCESS);
    if (is_kept) row->trajectory = &worker->trajectory;
    return GMC_OK;
}

// The first to hang is told of.
static void note_hung(const gmc_worker *worker, uint64_t trial)
{
    gmc_rollouts *rollouts = worker->rollouts;
    if (!atomic_exchange(&rollouts->has_hung, true)) atomic_store(&rollouts->hung, trial);
}

static gmc_status run_trial(void *memory, uint64_t trial, const atomic_bool *stop,
                            const gmc_trial **result)
{
    gmc_worker *worker = memory;
    const gmc_rollouts *rollouts = worker->rollouts;
    const gmc_scenario *scenario = rollouts->scenario;
    gmc_trial *row = &worker->result;
    int64_t case_index;
    int level;
    gmc_status drawn = draw_values(worker, trial, &case_index, &row->draw, &level);
    row->trial = trial;
    row->case_index = (uint32_t)case_index;
    row->trajectory = NULL;
    if (drawn != GMC_OK && drawn != GMC_E_INPUT) return drawn;
    gmc_perturb_samples(scenario, case_index, worker->values, row->samples);

    gmc_rollout_result found = {.values = row->values};
    gmc_status status = GMC_OK;
    if (drawn == GMC_E_INPUT) { // chance drew a value that its parameter cannot take
        refuse(rollouts, &found);
        row->values[GMC_COLUMN_HALF_STEP_CHANCE] = 0;
    } else {
        status = run_drawn(worker, row, level, stop, &found);
    }
    if (status == GMC_E_TIMEOUT) note_hung(worker, trial);
    if (status != GMC_OK) return status;
    if (worker->weight_column >= 0)
        row->values[worker->weight_column] = gmc_perturb_weight(scenario, case_index, row->draw);
    row->outcome = found.outcome;
    row->reason = found.reason;
    row->phase = found.phase;
    row->t_end = found.t_end;
    row->values[GMC_COLUMN_IS_WHOLE] = is_whole(row->outcome, row->values);
    *result = row;
    return GMC_OK;
}

static gmc_status instantiate(gmc_worker *worker, uint64_t trial, gmc_rollout_input *input)
{
    int64_t case_index;
    uint64_t draw;
    int level;
    GMC_TRY(draw_values(worker, trial, &case_index, &draw, &level));
    int object = gmc_study_object(worker->rollouts->scenario, case_index);
    gmc_status status = GMC_E_ARENA_FULL;
    while (status == GMC_E_ARENA_FULL) {
        gmc_arena_reset(&worker->trial, 0);
        status = gmc_build_instantiate(worker->rollouts->build, object, worker->believed,
                                       worker->values, &worker->trial, input);
        if (status == GMC_E_ARENA_FULL) GMC_TRY(grow(&worker->trial));
    }
    return status;
}

gmc_status gmc_rollouts_model(gmc_rollouts *rollouts, uint64_t trial, gmc_arena *arena,
                              const gmc_model **model)
{
    *arena = (gmc_arena){0};
    void *memory;
    GMC_TRY(worker_create(rollouts, 0, &memory));
    gmc_worker *worker = memory;
    gmc_rollout_input input;
    gmc_status status = instantiate(worker, trial, &input);
    if (status == GMC_OK) {
        *model = input.model;
        *arena = worker->trial;
        worker->trial = (gmc_arena){0};
    }
    worker_free(worker);
    return status;
}

gmc_status gmc_rollouts_overlaps(void *memory, uint64_t trial, gmc_build_overlaps *found)
{
    gmc_worker *worker = memory;
    gmc_rollout_input input;
    gmc_status status = GMC_E_ARENA_FULL;
    *found = (gmc_build_overlaps){0};
    while (status == GMC_E_ARENA_FULL) {
        status = instantiate(worker, trial, &input);
        if (status == GMC_E_INPUT) return GMC_OK; // it never began
        GMC_TRY(status);
        status = gmc_build_overlaps_find(&input, &worker->trial, &worker->scratch, found);
        if (status == GMC_E_ARENA_FULL) GMC_TRY(make_room(worker));
    }
    return status;
}

gmc_job gmc_rollouts_job(gmc_rollouts *rollouts)
{
    return (gmc_job){.context = rollouts,
                     .column_count = gmc_build_measures(rollouts->build)->column_count,
                     .sample_count = rollouts->scenario->sampled_count,
                     .worker_create = worker_create,
                     .run = run_trial,
                     .worker_free = worker_free};
}
