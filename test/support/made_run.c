#define _POSIX_C_SOURCE 200809L
#include "test/support/made_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const gmc_column COLUMNS[MADE_COLUMNS] = {
    {"lift", "m", "height above the start, at the end", GMC_COLUMN_REAL},
    {"t_violated", "s", "when a criterion broke; NaN: never", GMC_COLUMN_REAL},
    {"steps", "1", "steps taken", GMC_COLUMN_INTEGER},
    {"slip(object, hand)", "m", "a measure with arguments", GMC_COLUMN_REAL},
    {"friction_needed(rubber/abs)", "1", "a name with a slash", GMC_COLUMN_REAL},
    {"slipped(rubber/abs)", "1", "whether the pair slipped", GMC_COLUMN_FLAG},
};

static const gmc_store_parameter PARAMETERS[MADE_PARAMETERS] = {
    {"hand.target.x", "list(-5 mm, 5 mm)", "m", -0.005, 0.005, true},
    {"object.pose.x", "nominal + normal(0 mm, 4 mm)", "m", -INFINITY, INFINITY, false},
    {"friction.rubber/abs", "uniform(0.08, 0.30)", "1", 0.08, 0.30, false},
};

static const char *const CUBE_BODIES[] = {"palm", "left/finger", "object"};
static const char *const MUG_BODIES[] = {"palm", "object", ".", "left/finger"};
static const char *const CUBE_JOINTS[] = {"slide", "turn"}, *const MUG_JOINTS[] = {"turn"};
static const char *const CUBE_UNITS[] = {"m", "rad"}, *const MUG_UNITS[] = {"rad"};
static const char *const CUBE_GEOMS[] = {"pad", "box"}, *const MUG_GEOMS[] = {"hull", "pad"};
static const char *const CUBE_OWNERS[] = {"left/finger", "object"};
static const char *const MUG_OWNERS[] = {"object", "left/finger"};
static const gmc_store_model MODELS[2] = {
    {3, CUBE_BODIES, 2, CUBE_JOINTS, CUBE_UNITS, 2, CUBE_GEOMS, CUBE_OWNERS},
    {4, MUG_BODIES, 1, MUG_JOINTS, MUG_UNITS, 2, MUG_GEOMS, MUG_OWNERS},
};

static const char *const PHASES[] = {"close", "lift", "hold"};

static const char TEXT[] = "graspmc: 1\nabout: Grüße aus dem Prüfstand\n";
static const char EXPANDED[] = "graspmc: 1\nabout: Grüße aus dem Prüfstand\nobject:\n  mass: 0.2\n"
                               "sampling:\n  draws: 250\n  seed: 7\n";
static const char FINGERPRINT[] = "object.mass: 0.2\n";
static unsigned char MESH[20000], URDF[] = "<robot name='jaw'/>";

static void fill_plan(made_run *run, uint64_t first, uint64_t count)
{
    run->plan = (gmc_store_plan){
        .text = TEXT,
        .expanded = EXPANDED,
        .fingerprint = FINGERPRINT,
        .digest = gmc_sha256_of(EXPANDED, strlen(EXPANDED)),
        .seed = 7,
        .design = "random",
        .trajectories = "every:3",
        .rate_hz = 100.0,
        .has_actions = true,
        .has_pushes = true,
        .level = 0.95,
        .assets = run->assets,
        .asset_count = 2,
        .first = first,
        .count = count,
        .total = first + count,
        .columns = COLUMNS,
        .column_count = MADE_COLUMNS,
        .parameters = PARAMETERS,
        .parameter_count = MADE_PARAMETERS,
        .cases = run->cases,
        .case_count = MADE_CASES,
        .models = MODELS,
        .model_count = 2,
        .phases = PHASES,
        .phase_count = 3,
        .histograms = run->histograms,
        .histogram_count = 3,
    };
}

void made_run_start(made_run *run, uint64_t first, uint64_t count)
{
    *run = (made_run){.trial_us = 0};
    for (size_t i = 0; i < sizeof MESH; i++)
        MESH[i] = (unsigned char)(i * i >> 3);
    run->assets[0] = (gmc_asset){.name = "models/jaw.urdf", .bytes = URDF, .size = sizeof URDF - 1};
    run->assets[1] = (gmc_asset){.name = "mug.obj", .bytes = MESH, .size = sizeof MESH};
    for (int i = 0; i < 2; i++)
        run->assets[i].digest = gmc_sha256_of(run->assets[i].bytes, run->assets[i].size);
    for (int i = 0; i < MADE_CASES; i++) {
        run->case_values[i][0] = i % 2 ? 0.005 : -0.005;
        run->case_values[i][1] = run->case_values[i][2] = (double)NAN;
        run->cases[i] = (gmc_store_case){.object = i / 2 ? "mug" : "cube",
                                         .values = run->case_values[i],
                                         .model = i / 2,
                                         .grasp = i % 2 ? "from_above" : "grasp_0",
                                         .grasp_file = i / 2 ? "mug.yaml" : "cube.csv",
                                         .grasp_row = 3 * i,
                                         .grasp_confidence = i == 1 ? (double)NAN : 0.25 * i};
    }
    for (int i = 0; i <= 10; i++) {
        run->edges[0][i] = 0.002 * (i - 5);
        run->edges[1][i] = 0.08 + 0.022 * i;
        run->edges[2][i] = 0.01 * i;
    }
    run->histograms[0] = (gmc_store_histogram){false, 1, {2, 0}, {run->edges[1], NULL}, {10, 0}};
    run->histograms[1] =
        (gmc_store_histogram){false, 2, {1, 2}, {run->edges[0], run->edges[1]}, {10, 10}};
    run->histograms[2] = (gmc_store_histogram){true, 1, {3, 0}, {run->edges[2], NULL}, {10, 0}};
    fill_plan(run, first, count);
}

/// Numbers with all bits in use, a function of the trial, what it is and where it stands.
static double number(uint64_t trial, uint64_t what, uint64_t index)
{
    uint64_t x = trial * UINT64_C(0x9e3779b97f4a7c15) + what * UINT64_C(0xbf58476d1ce4e5b9) + index;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static void fill(double *to, uint64_t count, uint64_t trial, uint64_t what)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = number(trial, what, i);
}

static void fill_trajectory(gmc_trajectory *path, uint64_t n, const gmc_store_model *model)
{
    uint64_t T = (uint64_t)path->row_count, bodies = (uint64_t)path->body_count;
    uint64_t joints = (uint64_t)path->joint_count;
    fill(path->inertia, bodies * 10, n, 1);
    for (uint64_t r = 0; r < T; r++)
        path->time[r] = 0.01 * (double)r;
    fill(path->pose, T * bodies * 7, n, 2);
    fill(path->twist, T * bodies * 6, n, 3);
    fill(path->q, T * joints, n, 4);
    fill(path->effort, T * joints, n, 5);
    if (path->has_actions) fill(path->action, T * joints, n, 12);
    if (path->has_pushes) fill(path->push, T * bodies * 3, n, 13);
    uint32_t contacts = 0; // row r has r % 3 of them
    for (uint64_t r = 0; r < T; r++) {
        path->contact_start[r] = contacts;
        contacts += (uint32_t)(r % 3);
    }
    if (T > 0) path->contact_start[T] = contacts;
    fill(path->contact_point, 3 * (uint64_t)contacts, n, 6);
    fill(path->contact_normal, 3 * (uint64_t)contacts, n, 7);
    fill(path->contact_force, 3 * (uint64_t)contacts, n, 8);
    fill(path->contact_torque, 3 * (uint64_t)contacts, n, 9);
    for (uint32_t i = 0; i < 2 * contacts; i++)
        path->contact_geoms[i] = (int32_t)(i % 2 ? 0 : model->geom_count - 1);
}

gmc_status made_run_trial(const made_run *run, uint64_t n, gmc_trial_copy *copy)
{
    uint32_t case_index = (uint32_t)(n % MADE_CASES);
    const gmc_store_model *model = &MODELS[run->cases[case_index].model];
    int rows = (int)(n * 7 % (MADE_ROWS_MAX + 1)), contacts = 0;
    for (int r = 0; r < rows; r++)
        contacts += r % 3;
    gmc_trial_size size = {.column_count = MADE_COLUMNS,
                           .sample_count = MADE_PARAMETERS,
                           .has_trajectory = n % 3 == 0,
                           .shape = {.row_count = rows,
                                     .body_count = model->body_count,
                                     .joint_count = model->joint_count,
                                     .has_actions = true,
                                     .has_pushes = true,
                                     .contact_count = contacts}};
    GMC_TRY(gmc_trial_copy_reserve(copy, &size));

    gmc_trial *t = &copy->trial;
    t->trial = n;
    t->draw = n / MADE_CASES;
    t->case_index = case_index;
    t->outcome = number(n, 9, 0) < 0.2 ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_MISSED;
    if (n % 17 == 3) t->outcome = GMC_OUTCOME_LOST;
    if (n % 41 == 5) t->outcome = GMC_OUTCOME_UNSOLVED;
    t->reason = t->outcome == GMC_OUTCOME_UNSOLVED ? GMC_REASON_NO_SOLUTION : GMC_REASON_NONE;
    t->phase = t->outcome == GMC_OUTCOME_LOST ? 1 : 3;
    t->t_end = 2.0 + number(n, 10, 0);
    t->values[0] = number(n, 11, 0);
    t->values[1] = n % 2 ? (double)NAN : -(double)NAN; // two NaNs, one in the file
    t->values[2] = (double)(n * 1000003);
    t->values[3] = 0.05 + 0.1 * number(n, 11, 3);
    t->values[4] = number(n, 11, 4);
    t->values[5] = (double)(n % 2);
    t->samples[0] = run->case_values[case_index][0];
    t->samples[1] = 0.02 * number(t->draw, 12, 1);
    t->samples[2] = 0.19 + 0.22 * number(t->draw, 12, 2);
    if (t->trajectory) fill_trajectory(&copy->trajectory, n, model);
    return GMC_OK;
}

// ---- as a job ----

typedef struct made_worker {
    const made_run *run;
    gmc_trial_copy trial;
} made_worker;

static gmc_status worker_create(void *context, int index, void **worker)
{
    (void)index;
    made_worker *w = calloc(1, sizeof *w);
    if (!w) return GMC_E_MEMORY;
    w->run = context;
    *worker = w;
    return GMC_OK;
}

static gmc_status run_trial(void *worker, uint64_t n, const atomic_bool *stop,
                            const gmc_trial **result)
{
    made_worker *w = worker;
    for (int left = w->run->trial_us; left > 0; left -= 1000) {
        struct timespec nap = {.tv_nsec = 1000L * (left < 1000 ? left : 1000)};
        nanosleep(&nap, NULL);
        if (atomic_load(stop)) return GMC_E_INTERRUPTED;
    }
    GMC_TRY(made_run_trial(w->run, n, &w->trial));
    *result = &w->trial.trial;
    return GMC_OK;
}

static void worker_free(void *worker)
{
    made_worker *w = worker;
    gmc_trial_copy_free(&w->trial);
    free(w);
}

gmc_job made_run_job(made_run *run)
{
    return (gmc_job){.context = run,
                     .column_count = MADE_COLUMNS,
                     .sample_count = MADE_PARAMETERS,
                     .worker_create = worker_create,
                     .run = run_trial,
                     .worker_free = worker_free};
}
