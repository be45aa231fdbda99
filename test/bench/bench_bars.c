// What the peer scenes must hold, scene by scene: scripts/bench peers and scripts/bench bars.
//   bench_bars time SCENE N     steps to the end, early verdicts off: scene,N,us_per_step (median
//                               over the trials, as the peers' programs have it),successes
//   bench_bars trials SCENE N   N trials to the end and as they are usually run, early verdicts and
//                               all: scene,N,trials_per_s,successes,trials_per_s,successes
//   bench_bars steps SCENE N    until N steps are taken: unsolved trials, share of steps that the
//                               first rung did not solve
//   bench_bars paired SCENE N   N draws at 1, at 2 and at 4 ms: success, and the worst penetration
//   bench_bars run SCENE N      N trials to the end and nothing else, for a profiler
// Rows of `steps` and `paired`: scene,what,figure,bar,ok or FAIL. The exit code is 1 after a FAIL.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "test/bench/way.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *name_of(const char *scene)
{
    static char name[64];
    const char *slash = strrchr(scene, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : scene);
    char *dot = strrchr(name, '.');
    if (dot) *dot = 0;
    return name;
}

// One row; true if it is ok.
static bool row(const char *scene, const char *what, double figure, double bar, bool is_ok)
{
    printf("%s,%s,%.4g,%.4g,%s\n", name_of(scene), what, figure, bar, is_ok ? "ok" : "FAIL");
    fflush(stdout);
    return is_ok;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The clock on the wall, for the peers' programs look at that one.
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool time_scene(const char *scene, uint64_t count)
{
    bench_way way;
    double *costs = malloc((size_t)(count + 1) * sizeof *costs);
    if (!costs || count == 0) bench_way_die("no trials");
    uint64_t successes = 0;
    bench_way_open(&way, scene, bench_way_to_end);
    bench_way_run(&way, 0); // warm the caches
    for (uint64_t i = 0; i < count; i++) {
        double start = now();
        const gmc_trial *trial = bench_way_run(&way, i);
        costs[i] = (now() - start) / trial->values[GMC_COLUMN_STEPS];
        successes += trial->outcome == GMC_OUTCOME_SUCCESS;
    }
    qsort(costs, (size_t)count, sizeof *costs, compare);
    printf("%s,%llu,%.3f,%llu\n", name_of(scene), (unsigned long long)count, 1e6 * costs[count / 2],
           (unsigned long long)successes);
    bench_way_close(&way);
    free(costs);
    return true;
}

// Trials per second by the clock on the wall.
static double trials_per_second(const char *scene, const char *const *sets, uint64_t count,
                                uint64_t *successes)
{
    bench_way way;
    bench_way_open(&way, scene, sets);
    bench_way_run(&way, 0); // warm the caches
    double start = now();
    *successes = 0;
    for (uint64_t i = 0; i < count; i++)
        *successes += bench_way_run(&way, i)->outcome == GMC_OUTCOME_SUCCESS;
    double seconds = now() - start;
    bench_way_close(&way);
    return (double)count / seconds;
}

static bool time_trials(const char *scene, uint64_t count)
{
    static const char *const AS_IS[] = {NULL};
    uint64_t to_end_successes, successes;
    double to_end = trials_per_second(scene, bench_way_to_end, count, &to_end_successes);
    double as_is = trials_per_second(scene, AS_IS, count, &successes);
    printf("%s,%llu,%.1f,%llu,%.1f,%llu\n", name_of(scene), (unsigned long long)count, to_end,
           (unsigned long long)to_end_successes, as_is, (unsigned long long)successes);
    return true;
}

static bool count_steps(const char *scene, uint64_t steps)
{
    const double share_max = 0.005; // of steps on rungs >= 2
    bench_way way;
    uint64_t trials = 0, unsolved = 0;
    double hard = 0;
    bench_way_open(&way, scene, bench_way_to_end);
    while (way.steps < (double)steps) {
        const gmc_trial *trial = bench_way_run(&way, trials++);
        hard += trial->values[GMC_COLUMN_HARD_STEPS];
        unsolved += trial->outcome == GMC_OUTCOME_UNSOLVED;
    }
    char what[80];
    snprintf(what, sizeof what, "unsolved in %.3g steps", way.steps);
    bool is_ok = row(scene, what, (double)unsolved, 0, unsolved == 0);
    is_ok &= row(scene, "share of steps on rungs >= 2", hard / way.steps, share_max,
                 hard / way.steps < share_max);
    bench_way_close(&way);
    return is_ok;
}

enum { STEPS = 3 };

// One pair of steps of `paired`: the shares of success may differ by one standard error of either.
static bool row_of_pair(const char *scene, const char *const name[2], const uint64_t successes[2],
                        uint64_t differ, double n)
{
    double share[2] = {(double)successes[0] / n, (double)successes[1] / n}, p, bar;
    p = (share[0] + share[1]) / 2;
    bar = sqrt(p * (1 - p) / n);
    double gap = fabs(share[0] - share[1]);
    char what[160];
    snprintf(what, sizeof what, "success %.4f at %s and %.4f at %s (%llu pairs differ)", share[0],
             name[0], share[1], name[1], (unsigned long long)differ);
    return row(scene, what, gap, bar, gap < bar || differ == 0);
}

// The same draws at three steps.
static bool pair_steps(const char *scene, uint64_t count)
{
    static const char *const NAMES[STEPS] = {"1 ms", "2 ms", "4 ms"};
    static const char *const SETS[STEPS][4] = {
        {"simulation.step=1 ms", "simulation.half_step=0", "simulation.early.audit=0", NULL},
        {"simulation.step=2 ms", "simulation.half_step=0", "simulation.early.audit=0", NULL},
        {"simulation.step=4 ms", "simulation.half_step=0", "simulation.early.audit=0", NULL}};
    const double deepest_max = 0.5; // [mm]
    bench_way ways[STEPS];
    double deepest = 0;
    uint64_t unsolved = 0, successes[STEPS] = {0}, differ[STEPS] = {0}; // from the first
    for (int k = 0; k < STEPS; k++)
        bench_way_open(&ways[k], scene, SETS[k]);
    for (uint64_t i = 0; i < count; i++) {
        bool is_success[STEPS];
        for (int k = 0; k < STEPS; k++) {
            const gmc_trial *trial = bench_way_run(&ways[k], i);
            is_success[k] = trial->outcome == GMC_OUTCOME_SUCCESS;
            successes[k] += is_success[k];
            differ[k] += is_success[k] != is_success[0];
            unsolved += trial->outcome == GMC_OUTCOME_UNSOLVED;
            if (k == STEPS - 1)
                deepest = fmax(deepest, 1e3 * trial->values[GMC_COLUMN_MAX_PENETRATION]);
        }
    }
    bool is_ok = true;
    for (int k = 1; k < STEPS; k++) {
        const char *const names[2] = {NAMES[0], NAMES[k]};
        const uint64_t both[2] = {successes[0], successes[k]};
        is_ok &= row_of_pair(scene, names, both, differ[k], (double)count);
    }
    is_ok &= row(scene, "unsolved of the pairs", (double)unsolved, 0, unsolved == 0);
    if (strcmp(name_of(scene), "pinch_box") == 0)
        is_ok &= row(scene, "worst penetration at 4 ms [mm]", deepest, deepest_max,
                     deepest <= deepest_max);
    for (int k = 0; k < STEPS; k++)
        bench_way_close(&ways[k]);
    return is_ok;
}

static bool run_scene(const char *scene, uint64_t count)
{
    bench_way way;
    bench_way_open(&way, scene, bench_way_to_end);
    for (uint64_t i = 0; i < count; i++)
        bench_way_run(&way, i);
    bench_way_close(&way);
    return true;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        bool (*run)(const char *scene, uint64_t count);
    } MODES[] = {{"time", time_scene},
                 {"trials", time_trials},
                 {"steps", count_steps},
                 {"paired", pair_steps},
                 {"run", run_scene}};
    for (int i = 0; count == 4 && i < GMC_COUNT(MODES); i++)
        if (strcmp(words[1], MODES[i].name) == 0)
            return MODES[i].run(words[2], strtoull(words[3], NULL, 10)) ? 0 : 1;
    fprintf(stderr, "usage: bench_bars time|trials|steps|paired|run SCENE N\n");
    return 64;
}
