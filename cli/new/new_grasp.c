// The hand is turned so that the direction in which a grip closes lies along a side of the object,
// and about that direction so that it comes from above, or slantwise as far as the table lets it.
// The middle between the fingers goes over the object's middle, as they will be when they touch it,
// not as they start: fingers that bend move along. That makes some hundreds of starts, each with a
// promise from geometry alone; only when one's turn comes is it looked at for overlap, and then
// simulated. What fails speaks against its like.
//
// Starts are simulated in parallel, a fixed number at a time, so that the number of cores cannot
// show in what is chosen.
//
// Rejected: search by chance over all starts. It finds grasps for any hand, but others each time
// something changes, and hundreds of trials for the hands at hand.
#include "cli/new/new_grasp.h"

#include "cli/new/new_hand.h"
#include "cli/new/shapes.h"
#include "cli/process/cores.h"
#include "engine/math/elementary.h"
#include "sampling/campaign/pool.h"
#include "sampling/campaign/probe.h"

#include <stdlib.h>
#include <string.h>

enum { STARTS_MAX = 16384, TURNS = 9, FAMILIES = 2 * GMC_NEW_GRIPS * TURNS, BATCH = 5 };

/// By which the object is shifted to see whether a grasp bears it [m].
static const double SHIFT = 0.004;

/// Way that fingers leave on either side of the object where they can [m], at least, and that the
/// hand leaves above the table.
static const double BESIDE = 0.007, ABOVE = 0.003;

/// How much of the written uncertainty a start bears without overlap, in standard deviations.
static const double DEVIATIONS = 3;

/// What it is worth that a hand touches the object before anything else, in shifts that it bears.
static const double CLEAN = 2.5;

/// One start of the hand.
typedef struct start {
    const gmc_new_grip *grip;
    gmc_vec3 axis;  ///< that is turned down, in the base's frame
    double further; ///< than where it touches, share of the fingers' range
    double yaw;     ///< of the closing direction
    double x, y;    ///< of the middle between the fingers, in the object's frame
    double z;       ///< likewise; the least until it was looked at
    double promise;
    int family;     ///< those of the same grip and axis
    bool is_at_end; ///< of the object, in place of over its middle
} start;

typedef struct search {
    const gmc_prepared *prepared;
    gmc_new_grasp_listener *listen;
    void *context;
    gmc_probe probe; ///< for starts
    double *values;  ///< (parameter_count) of the start that is looked at
    double *nominal;
    gmc_new_hand hand;
    gmc_vec3 low, high; ///< of the object, in its frame
    gmc_new_grip grips[2][GMC_NEW_GRIPS];
    int grip_count[2];
    start *starts; ///< STARTS_MAX
    int start_count;
    int failed[FAMILIES];
    gmc_new_grasp *grasp;
    double worth; ///< of the grasp that is kept
} search;

// ---- starts from geometry ----------------------------------------------------------------------

/// Down for the axis, a horizontal direction for the closing.
static gmc_mat3 turned_down(gmc_vec3 axis, gmc_vec3 closing, double yaw)
{
    double s, c;
    gmc_sin_cos(yaw, &s, &c);
    gmc_vec3 third = gmc_vec3_cross(axis, closing);
    const gmc_vec3 down = {0, 0, -1}, across = {c, s, 0}, rest = gmc_vec3_cross(down, across);
    const gmc_mat3 from = {
        {axis.x, closing.x, third.x, axis.y, closing.y, third.y, axis.z, closing.z, third.z}};
    const gmc_mat3 to = {
        {down.x, across.x, rest.x, down.y, across.y, rest.y, down.z, across.z, rest.z}};
    gmc_mat3 back = gmc_mat3_transpose(&from);
    return gmc_mat3_multiply(&to, &back);
}

/// How much farther down than the middle of the grip the hand reaches while it closes.
static double reach_below(search *s, const gmc_new_grip *grip, double further, gmc_vec3 axis)
{
    enum { STEPS = 3 };
    double reach = 0, middle = gmc_vec3_dot(grip->middle, axis);
    for (int i = 0; i <= STEPS; i++) {
        (void)gmc_new_hand_take(&s->hand, grip, further * i / STEPS);
        reach = fmax(reach, gmc_new_hand_reach(&s->hand, axis) - middle);
    }
    return reach;
}

static void add_start(search *s, start at)
{
    if (s->start_count < STARTS_MAX) s->starts[s->start_count++] = at;
}

/// The heights to begin with: as low as it goes, and about the object's middle.
static void add_heights(search *s, start at, double below)
{
    static const double HIGHEST = 0.9; // of the object: above it, fingers close over it
    double height = s->high.z - s->low.z, least = s->low.z + below + ABOVE;
    if (least > s->low.z + HIGHEST * height) return;
    double middle = s->low.z + 0.45 * height;
    // what comes no lower than the upper part holds less
    at.promise -= fmax(0, (least - middle) / height);
    at.z = fmax(least, middle);
    add_start(s, at);
    at.z = fmax(least, s->low.z + 0.15 * height);
    at.promise -= 0.1;
    if (at.z < middle - 0.004) add_start(s, at);
}

/// Over the object's middle, or over its ends.
static void add_places(search *s, start at, double below, bool are_at_ends)
{
    static const double ALONG[] = {0.5, -0.5, 0.42, -0.42, 0.34, -0.34}, INWARDS = 0.014;
    const gmc_vec3 size = gmc_vec3_sub(s->high, s->low);
    double sine, cosine, x = (s->low.x + s->high.x) / 2, y = (s->low.y + s->high.y) / 2;
    gmc_sin_cos(at.yaw, &sine, &cosine);
    bool is_along_x = fabs(cosine) > 0.5;
    double width = is_along_x ? size.x : size.y, length = is_along_x ? size.y : size.x;
    at.x = x;
    at.y = y;
    at.is_at_end = are_at_ends;
    if (!are_at_ends) {
        add_heights(s, at, below);
        return;
    }
    for (int i = 0; i < GMC_COUNT(ALONG); i++) {
        at.x = x + ALONG[i] * width * cosine;
        at.y = y + ALONG[i] * width * sine;
        add_heights(s, at, below);
    }
    for (int side = -1; side <= 1; side += 2) {
        at.x = x - side * (length / 2 - INWARDS) * sine;
        at.y = y + side * (length / 2 - INWARDS) * cosine;
        add_heights(s, at, below);
    }
}

/// The way that the written uncertainty asks for on either side of an object, which turns too.
static double way_beside(double width, double length)
{
    double sine, cosine;
    gmc_sin_cos(DEVIATIONS * GMC_NEW_SIGMA_YAW * GMC_PI / 180, &sine, &cosine);
    double turned = (width * cosine + length * sine - width) / 2;
    return fmax(BESIDE, DEVIATIONS * GMC_NEW_SIGMA + fmax(0, turned));
}

/// How far fingers open: enough to leave the way that they need, more, and wide.
static int find_openings(search *s, const gmc_new_grip *grip, double length, double further[3])
{
    double most = 1 - fmin(grip->opening[0], grip->opening[1]), first = most;
    double way = way_beside(grip->width, length);
    for (double f = most; f >= 0; f -= 0.04) {
        (void)gmc_new_hand_take(&s->hand, grip, f);
        if (gmc_new_hand_beside(&s->hand, grip) >= way) first = f;
    }
    int count = 0;
    further[count++] = first;
    if (first + 0.2 < most) further[count++] = first + 0.2;
    if (first + 0.02 < most) further[count++] = most;
    return count;
}

static void add_starts(search *s, int class, double length, bool are_at_ends, const bool *yaws)
{
    for (int g = 0; g < s->grip_count[class]; g++) {
        const gmc_new_grip *grip = &s->grips[class][g];
        double further[3];
        int openings = find_openings(s, grip, length, further);
        for (int t = 0; t < TURNS; t++) {
            double turn = (t - TURNS / 2) * GMC_PI / (TURNS - 1);
            gmc_quat about = gmc_quat_exp(gmc_vec3_scale(turn, grip->closing));
            gmc_vec3 axis = gmc_quat_rotate(about, grip->approach);
            for (int o = 0; o < openings; o++) {
                double below = reach_below(s, grip, further[o], axis);
                start at = {.grip = grip,
                            .axis = axis,
                            .further = further[o],
                            .family = (class * GMC_NEW_GRIPS + g) * TURNS + t};
                at.promise = grip->score - 0.15 * turn * turn - 0.05 * o;
                if (!are_at_ends) at.promise -= 2 * grip->width;
                for (int y = 0; y < 4; y++) {
                    if (!yaws[y]) continue;
                    at.yaw = y * GMC_PI / 2;
                    add_places(s, at, below, are_at_ends);
                    at.promise -= 0.02;
                }
            }
        }
    }
}

static gmc_status make_starts(search *s, bool are_at_ends)
{
    static const double RIM = 0.008, RIM_LENGTH = 0.03, SAME = 1e-4;
    static const bool ALL[] = {true, true, true, true}, X[] = {true, false, true, false},
                      Y[] = {false, true, false, true};
    gmc_vec3 size = gmc_vec3_sub(s->high, s->low);
    bool is_square = fabs(size.x - size.y) < SAME || are_at_ends;
    double width = are_at_ends ? RIM : size.x, length = are_at_ends ? RIM_LENGTH : size.y;
    for (int i = 0; i < 2; i++)
        free(s->grips[i][0].joints);
    memset(s->grips, 0, sizeof s->grips);
    memset(s->grip_count, 0, sizeof s->grip_count);
    memset(s->failed, 0, sizeof s->failed);
    s->start_count = 0;
    GMC_TRY(gmc_new_hand_grips(&s->hand, width, length, s->grips[0], &s->grip_count[0]));
    if (!is_square)
        GMC_TRY(gmc_new_hand_grips(&s->hand, length, width, s->grips[1], &s->grip_count[1]));
    add_starts(s, 0, length, are_at_ends, is_square ? ALL : X);
    add_starts(s, 1, width, are_at_ends, Y);
    if (!are_at_ends) s->grasp->grips = s->grip_count[0] + s->grip_count[1];
    s->grasp->screened += s->start_count;
    return GMC_OK;
}

// ---- from a start to numbers of the scenario ---------------------------------------------------

static void put_start(search *s, const start *at, double *values)
{
    const gmc_hand_spec *spec = &s->prepared->scenario.hand;
    memcpy(values, s->nominal, (size_t)s->prepared->scenario.parameter_count * sizeof *values);
    (void)gmc_new_hand_take(&s->hand, at->grip, at->further);
    for (int i = 0; i < spec->joint_count; i++)
        if (spec->joints[i].start >= 0) values[spec->joints[i].start] = s->hand.joints[i];
    gmc_mat3 R = turned_down(at->axis, at->grip->closing, at->yaw);
    const gmc_vec3 middle = {at->x, at->y, at->z};
    gmc_pose X_ob = {R, gmc_vec3_sub(middle, gmc_mat3_apply(&R, at->grip->middle))};
    gmc_pose X_bf = gmc_pose_identity(); // of the hand's frame in its base
    int frame = gmc_build_measures(s->prepared->build)->tool_frame;
    if (frame >= 0) {
        const gmc_frame *f = &s->hand.model->frames[frame];
        X_bf = gmc_pose_multiply(&s->hand.X[f->body], &f->X_bf);
    }
    gmc_pose X = gmc_pose_multiply(&X_ob, &X_bf);
    const gmc_pose_spec *target = &spec->target;
    values[target->x] = X.p.x;
    values[target->y] = X.p.y;
    values[target->z] = X.p.z;
    values[target->roll] = gmc_atan2(X.R.m[7], X.R.m[8]);
    values[target->pitch] = gmc_atan2(-X.R.m[6], sqrt(X.R.m[7] * X.R.m[7] + X.R.m[8] * X.R.m[8]));
    values[target->yaw] = gmc_atan2(X.R.m[3], X.R.m[0]);
}

static gmc_status is_free(search *s, const start *at, bool *answer)
{
    put_start(s, at, s->values);
    gmc_status status = gmc_probe_start(&s->probe, s->values);
    *answer = status == GMC_OK && s->probe.found.reason == GMC_REASON_NONE &&
              s->probe.found.values[GMC_COLUMN_MAX_PENETRATION] < 1e-4;
    return status == GMC_E_INPUT ? GMC_OK : status;
}

/// Raise a start until nothing overlaps. @param is_good  out: false: there is no such height
static gmc_status raise(search *s, start *at, bool *is_good)
{
    double height = s->high.z - s->low.z, step = fmax(0.004, height / 12);
    *is_good = false;
    for (; at->z <= s->low.z + 0.95 * height; at->z += step) {
        GMC_TRY(is_free(s, at, is_good));
        if (*is_good) return GMC_OK;
    }
    return GMC_OK;
}

// ---- simulation --------------------------------------------------------------------------------

/// What is simulated of a start: the object in its place, or to one of four sides; or only what is
/// touched first.
enum { NOMINAL, TOUCH = GMC_NEW_TRIES };

typedef struct task {
    const double *believed; ///< (parameter_count) values of the start
    int what;
    bool answer; ///< it holds; it is the object
    gmc_trial trial;
} task;

/// Tasks that are done together, at most as many as starts or sides, and what the cores need for
/// that.
typedef struct batch {
    const search *s;
    gmc_probe probes[BATCH];
    double *values[BATCH]; ///< (parameter_count) of starts
    task tasks[BATCH];
    int count;
} batch;

static gmc_status no_input(gmc_status status) { return status == GMC_E_INPUT ? GMC_OK : status; }

static gmc_status look_at_touch(const search *s, gmc_probe *probe, task *t)
{
    gmc_probe_touch touch = {0};
    gmc_status status = gmc_probe_first_touch(probe, t->believed, &touch);
    int object = gmc_build_measures(s->prepared->build)->object_body;
    t->answer = status == GMC_OK && touch.is_found &&
                probe->input.model->geoms[touch.geom_b].body == object;
    return no_input(status);
}

static const double SIDES[GMC_NEW_TRIES][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/// Does the object, as far to a side and turned as the written uncertainty has it, overlap nothing
/// at the start?
static gmc_status bears_doubt(const search *s, gmc_probe *probe, const task *t, double *values,
                              bool *answer)
{
    const gmc_pose_spec *pose = &s->prepared->scenario.objects[0].pose;
    *answer = true;
    for (int turn = -1; turn <= 1 && *answer; turn++) {
        values[pose->x] = t->believed[pose->x] + DEVIATIONS * GMC_NEW_SIGMA * SIDES[t->what][0];
        values[pose->y] = t->believed[pose->y] + DEVIATIONS * GMC_NEW_SIGMA * SIDES[t->what][1];
        values[pose->yaw] =
            t->believed[pose->yaw] + turn * DEVIATIONS * GMC_NEW_SIGMA_YAW * GMC_PI / 180;
        gmc_status status = gmc_probe_start(probe, values);
        if (status != GMC_OK && status != GMC_E_INPUT) return status;
        *answer = status == GMC_OK && probe->found.reason == GMC_REASON_NONE;
    }
    return GMC_OK;
}

static gmc_status simulate_at(const search *s, gmc_probe *probe, task *t, double *values)
{
    const gmc_pose_spec *pose = &s->prepared->scenario.objects[0].pose;
    size_t bytes = (size_t)s->prepared->scenario.parameter_count * sizeof *values;
    t->answer = true;
    memcpy(values, t->believed, bytes);
    if (t->what != NOMINAL) GMC_TRY(bears_doubt(s, probe, t, values, &t->answer));
    if (!t->answer) return GMC_OK;
    memcpy(values, t->believed, bytes);
    values[pose->x] += SHIFT * SIDES[t->what][0];
    values[pose->y] += SHIFT * SIDES[t->what][1];
    gmc_status status = gmc_probe_run(probe, values, INFINITY, false);
    t->answer = status == GMC_OK && probe->found.outcome == GMC_OUTCOME_SUCCESS;
    return no_input(status);
}

static gmc_status simulate(const search *s, gmc_probe *probe, task *t)
{
    double *values = calloc((size_t)s->prepared->scenario.parameter_count + 1, sizeof *values);
    if (!values) return GMC_E_MEMORY;
    probe->believed = t->believed;
    gmc_status status = simulate_at(s, probe, t, values);
    probe->believed = NULL;
    free(values);
    return status;
}

typedef struct worker {
    batch *batch;
    gmc_probe *probe;
} worker;

static gmc_status create_worker(void *context, int index, void **made)
{
    worker *w = malloc(sizeof *w);
    if (!w) return GMC_E_MEMORY;
    batch *b = context;
    *w = (worker){.batch = b, .probe = &b->probes[index]};
    *made = w;
    return GMC_OK;
}

static gmc_status run_task(void *memory, uint64_t number, const atomic_bool *stop,
                           const gmc_trial **result)
{
    const worker *w = memory;
    task *t = &w->batch->tasks[number];
    t->trial = (gmc_trial){.trial = number};
    *result = &t->trial;
    if (atomic_load(stop)) return GMC_E_INTERRUPTED;
    return t->what == TOUCH ? look_at_touch(w->batch->s, w->probe, t)
                            : simulate(w->batch->s, w->probe, t);
}

/// All tasks on the cores there are.
static gmc_status run_tasks(const search *s, batch *b)
{
    const gmc_job job = {
        .context = b, .worker_create = create_worker, .run = run_task, .worker_free = free};
    int cores = gmc_cores_usable();
    atomic_bool stop;
    atomic_init(&stop, false);
    gmc_pool *pool = NULL;
    const gmc_pool_options tasks = {.worker_count = cores < b->count ? cores : b->count,
                                    .slot_count = BATCH,
                                    .count = (uint64_t)b->count};
    GMC_TRY(gmc_pool_start(&job, &tasks, &stop, &pool));
    for (bool is_over = false; !is_over;) {
        gmc_pool_item *item = NULL;
        gmc_pool_next(pool, 0.1, &item, &is_over);
        if (item) gmc_pool_release(pool, item);
        if (s->listen) s->listen(s->context, s->grasp);
    }
    return gmc_pool_end(pool);
}

// ---- choice ------------------------------------------------------------------------------------

static void keep(search *s, const start *at, int held, bool is_clean)
{
    gmc_new_grasp *grasp = s->grasp;
    const gmc_pose_spec *target = &s->prepared->scenario.hand.target;
    put_start(s, at, s->values);
    grasp->place = (gmc_vec3){s->values[target->x], s->values[target->y], s->values[target->z]};
    grasp->roll = s->values[target->roll];
    grasp->pitch = s->values[target->pitch];
    grasp->yaw = s->values[target->yaw];
    grasp->clear = gmc_new_hand_take(&s->hand, at->grip, at->further);
    if (at->grip->sides[0] == 0) grasp->clear = (double)NAN;
    grasp->width = at->is_at_end ? 0 : at->grip->width;
    for (int i = 0; i < s->hand.joint_count; i++) {
        double q = s->hand.joints[i], closed = s->hand.closed[i];
        grasp->joints[i] = q;
        grasp->own[i] = s->hand.own[i];
        grasp->share[i] = (q - closed) / (s->hand.open[i] - closed);
    }
    grasp->held = held;
    grasp->is_clean = is_clean;
}

/// The start whose turn it is; -1: none is left.
static int next_start(const search *s)
{
    double most = -INFINITY;
    int best = -1;
    for (int i = 0; i < s->start_count; i++) {
        double promise = s->starts[i].promise - 0.1 * s->failed[s->starts[i].family];
        if (promise <= most) continue;
        most = promise;
        best = i;
    }
    return best;
}

/// The next `wanted` starts that are free of overlap; what is higher than each is left for later.
static gmc_status fill(search *s, batch *b, int wanted, start *chosen, int *count)
{
    enum { LOOKS_MAX = 600 }; // at starts that overlap, for one batch
    double step = (s->high.z - s->low.z) / 5;
    *count = 0;
    for (int looks = 0; *count < wanted && looks < LOOKS_MAX; looks++) {
        int i = next_start(s);
        if (i < 0) break;
        bool is_good;
        start at = s->starts[i];
        GMC_TRY(raise(s, &at, &is_good));
        if (!is_good) {
            s->starts[i] = s->starts[--s->start_count];
            continue;
        }
        put_start(s, &at, b->values[*count]);
        chosen[(*count)++] = at;
        s->failed[at.family]++; // until it is seen to hold
        s->starts[i].z = at.z + step;
        s->starts[i].promise -= 0.2;
    }
    return GMC_OK;
}

/// A start that holds in its place: does it with the object beside it, and what does it touch
/// first? It is left as soon as it cannot be worth more than what is kept.
static gmc_status try_sides(search *s, batch *b, const start *at, const double *values)
{
    static const int ORDER[][2] = {{TOUCH, 1}, {2, 3}, {4, 0}};
    double worth = GMC_NEW_TRIES + CLEAN;
    int held = GMC_NEW_TRIES;
    bool is_clean = true;
    for (int part = 0; part < GMC_COUNT(ORDER) && worth > s->worth; part++) {
        b->count = 0;
        for (int i = 0; i < 2; i++)
            if (ORDER[part][i] != NOMINAL)
                b->tasks[b->count++] = (task){.believed = values, .what = ORDER[part][i]};
        GMC_TRY(run_tasks(s, b));
        for (int i = 0; i < b->count; i++) {
            if (b->tasks[i].answer) continue;
            if (b->tasks[i].what == TOUCH)
                is_clean = false;
            else
                held--;
        }
        worth = held + (is_clean ? CLEAN : 0);
    }
    if (worth <= s->worth) return GMC_OK;
    s->worth = worth;
    s->grasp->is_free = true;
    keep(s, at, held, is_clean);
    return GMC_OK;
}

/// Simulate the most promising first, until one bears every shift and touches the object first.
static gmc_status choose(search *s, batch *b, int most)
{
    enum { ENOUGH = 32, FIRST = 2 }; // after which what holds at all will do; of the first batch
    start chosen[BATCH];
    for (int tried = 0; tried < most;) {
        int count = 0;
        bool holds[BATCH];
        if (s->grasp->held > 0 && tried >= ENOUGH) break;
        GMC_TRY(fill(s, b, tried == 0 ? FIRST : BATCH, chosen, &count));
        if (count == 0) break;
        b->count = count;
        for (int i = 0; i < count; i++)
            b->tasks[i] = (task){.believed = b->values[i], .what = NOMINAL};
        GMC_TRY(run_tasks(s, b));
        for (int i = 0; i < count; i++)
            holds[i] = b->tasks[i].answer;
        tried += count;
        s->grasp->tried += count;
        for (int i = 0; i < count; i++) {
            if (!holds[i]) continue;
            s->failed[chosen[i].family]--;
            GMC_TRY(try_sides(s, b, &chosen[i], b->values[i]));
            if (s->worth >= GMC_NEW_TRIES + CLEAN) return GMC_OK;
        }
    }
    return GMC_OK;
}

/// Above the object, wide open: where nothing held, there is something to change.
static gmc_status keep_above(search *s)
{
    gmc_new_grip spread;
    gmc_new_hand_spread(&s->hand, &spread);
    start at = {.grip = s->grip_count[0] > 0 ? &s->grips[0][0] : &spread, .is_at_end = true};
    at.axis = at.grip->approach;
    at.further = 1;
    at.x = (s->low.x + s->high.x) / 2;
    at.y = (s->low.y + s->high.y) / 2;
    at.z = s->high.z + reach_below(s, at.grip, at.further, at.axis) + 2 * BESIDE;
    GMC_TRY(is_free(s, &at, &s->grasp->is_free));
    keep(s, &at, 0, false);
    return GMC_OK;
}

// ---- force -------------------------------------------------------------------------------------

/// Of joints that turn: mean distance to the tips, with the fingers half closed; 1: all slide [m,
/// -].
static double arm_of(search *s)
{
    double sum = 0;
    int turning = 0;
    for (int i = 0; i < s->hand.joint_count; i++)
        s->hand.joints[i] =
            isnan(s->hand.closed[i]) ? s->hand.own[i] : (s->hand.closed[i] + s->hand.open[i]) / 2;
    gmc_new_hand_move(&s->hand);
    for (int i = 0; i < s->hand.tip_count; i++) {
        const gmc_new_tip *tip = &s->hand.tips[i];
        if (s->hand.model->bodies[tip->root].joint != GMC_JOINT_REVOLUTE) continue;
        sum += gmc_vec3_norm(gmc_vec3_sub(tip->at, s->hand.X[tip->root].p));
        turning++;
    }
    return turning > 0 ? sum / turning : 1;
}

/// The most that all drives give to their fingers. @param dof  out: of the weakest; -1: none
static double force_limit(const search *s, const gmc_program *program, int *dof)
{
    double most = INFINITY;
    *dof = -1;
    for (int f = 0; f < program->finger_count; f++) {
        const gmc_finger *finger = &program->fingers[f];
        double own = s->hand.model->dofs[finger->dof].max_force / fmax(1, finger->drive);
        if (!(own < most)) continue;
        most = own;
        *dof = finger->dof;
    }
    return most;
}

/// To two digits, which are enough.
static double rounded(double force, double most)
{
    double unit = 1;
    while (unit > force)
        unit /= 10;
    while (10 * unit <= force)
        unit *= 10;
    double near = round(force / (unit / 10)) * (unit / 10);
    return near <= most ? near : floor(force / (unit / 10)) * (unit / 10);
}

/// Three times what carries the object by a friction of 0.5, shared by the tips, from 3 N to 40 N
/// at each and as far as the drives go; at turning joints times the distance to the tip.
static void choose_force(search *s, const gmc_program *program, double force)
{
    static const double TIMES = 3, FRICTION = 0.5, LEAST = 3, MOST = 40;
    gmc_new_grasp *g = s->grasp;
    int object = gmc_build_measures(s->prepared->build)->object_body;
    double weight = 9.81 * s->hand.model->bodies[object].inertia.mass, arm = arm_of(s);
    double most = force_limit(s, program, &g->limit_dof);
    g->tips = s->hand.tip_count > 2 ? s->hand.tip_count : 2;
    double press = fmin(fmax(TIMES * weight / (FRICTION * g->tips), LEAST), MOST);
    g->force = force > 0 ? force : rounded(fmin(press * arm, most), most);
    g->press = g->force / arm;
    g->limit_each = most;
    g->press_at_limit = most / arm;
}

static void put_force(search *s, double force)
{
    const gmc_scenario *scenario = &s->prepared->scenario;
    for (int i = 0; i < scenario->phase_count; i++)
        if (scenario->program[i].force >= 0) s->nominal[scenario->program[i].force] = force;
}

// ---- all of it ---------------------------------------------------------------------------------

static gmc_status find(search *s, batch *b, double force)
{
    enum { TRIED_MAX = 96, TRIED_AT_ENDS = 64 };
    const gmc_scenario *scenario = &s->prepared->scenario;
    for (int i = 0; i < scenario->parameter_count; i++)
        s->nominal[i] = s->values[i] = scenario->parameters[i].nominal;
    GMC_TRY(gmc_probe_start(&s->probe, s->nominal)); // for its program
    GMC_TRY(gmc_new_hand_create(s->prepared, s->probe.input.program, s->nominal, &s->hand));
    int object = gmc_build_measures(s->prepared->build)->object_body;
    (void)gmc_shapes_box(s->hand.model, object, &s->low, &s->high);
    choose_force(s, s->probe.input.program, force);
    put_force(s, s->grasp->force);
    GMC_TRY(make_starts(s, false));
    GMC_TRY(choose(s, b, TRIED_MAX));
    if (s->grasp->held > 0) return GMC_OK;
    // what is too wide is taken by its rim, or by what stands out of it
    GMC_TRY(make_starts(s, true));
    GMC_TRY(choose(s, b, TRIED_AT_ENDS));
    return s->grasp->held > 0 ? GMC_OK : keep_above(s);
}

static void release(search *s, batch *b)
{
    gmc_probe_free(&s->probe);
    for (int i = 0; i < BATCH; i++) {
        gmc_probe_free(&b->probes[i]);
        free(b->values[i]);
    }
    for (int i = 0; i < 2; i++)
        free(s->grips[i][0].joints);
    gmc_new_hand_free(&s->hand);
    free(s->values);
    free(s->nominal);
    free(s->starts);
    free(b);
}

gmc_status gmc_new_grasp_find(const gmc_prepared *prepared, double force,
                              gmc_new_grasp_listener *listen, void *context, gmc_new_grasp *grasp)
{
    size_t parameters = (size_t)prepared->scenario.parameter_count + 1;
    size_t joints = (size_t)prepared->scenario.hand.joint_count + 1;
    search *s = calloc(1, sizeof *s);
    batch *b = calloc(1, sizeof *b);
    *grasp = (gmc_new_grasp){0};
    if (!s || !b) {
        free(s);
        free(b);
        return GMC_E_MEMORY;
    }
    *s = (search){.prepared = prepared,
                  .listen = listen,
                  .context = context,
                  .grasp = grasp,
                  .probe = {.scenario = &prepared->scenario, .build = prepared->build}};
    b->s = s;
    s->values = calloc(parameters, sizeof *s->values);
    s->nominal = calloc(parameters, sizeof *s->nominal);
    s->starts = calloc(STARTS_MAX, sizeof *s->starts);
    grasp->joints = calloc(joints, sizeof *grasp->joints);
    grasp->own = calloc(joints, sizeof *grasp->own);
    grasp->share = calloc(joints, sizeof *grasp->share);
    bool is_there =
        s->values && s->nominal && s->starts && grasp->joints && grasp->own && grasp->share;
    for (int i = 0; i < BATCH; i++) {
        b->probes[i] = s->probe;
        b->values[i] = calloc(parameters, sizeof *b->values[i]);
        is_there = is_there && b->values[i];
    }
    gmc_status status = is_there ? find(s, b, force) : GMC_E_MEMORY;
    release(s, b);
    free(s);
    return status;
}

void gmc_new_grasp_free(gmc_new_grasp *grasp)
{
    free(grasp->joints);
    free(grasp->own);
    free(grasp->share);
    *grasp = (gmc_new_grasp){0};
}
