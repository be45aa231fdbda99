// scripts/bench early: what early verdicts save, and whether they are right. One line per scene:
//   scene,trials,to_end_per_s,early_per_s,ratio,steps_ratio,decided,audited,wrong,changed
// Trials per second with every trial run to its end and as the scenario has it (audits and
// repetitions at half the step included), in ROUNDS turns one after the other; `changed` counts
// trials whose success the rules changed, `wrong` those of a third pass in which every early
// verdict is audited. Usage: bench_early SCENARIO TRIALS | bench_early head
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "sampling/campaign/rollouts.h"
#include "sampling/scenario/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4 };

/// One way to run a scene.
typedef struct way {
    gmc_prepared prepared;
    gmc_rollouts rollouts;
    gmc_job job;
    void *worker;
    double seconds, steps;
    uint64_t decided, audited, wrong;
} way;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); // what others do on this core is not ours
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_early: %s\n", what);
    exit(70);
}

static void open_way(way *w, const char *scenario, const char *const *sets)
{
    gmc_diagnostics report = {0};
    *w = (way){0};
    if (gmc_prepare(scenario, sets, NULL, &report, &w->prepared) != GMC_OK) {
        gmc_diagnostics_print(&report, stderr);
        die("no such scene");
    }
    gmc_diagnostics_free(&report);
    w->rollouts = (gmc_rollouts){.scenario = &w->prepared.scenario, .build = w->prepared.build};
    w->job = gmc_rollouts_job(&w->rollouts);
    if (w->job.worker_create(w->job.context, 0, &w->worker) != GMC_OK) die("no memory");
}

static void close_way(way *w)
{
    w->job.worker_free(w->worker);
    gmc_prepared_free(&w->prepared);
}

static gmc_outcome run(way *w, uint64_t trial)
{
    atomic_bool stop = false;
    const gmc_trial *found;
    double start = now();
    if (w->job.run(w->worker, trial, &stop, &found) != GMC_OK) die("a trial failed");
    w->seconds += now() - start;
    w->steps += found->values[GMC_COLUMN_STEPS];
    w->decided += found->values[GMC_COLUMN_DECIDED_BY] > 0;
    w->audited += found->values[GMC_COLUMN_AUDIT] > 0;
    w->wrong += found->values[GMC_COLUMN_AUDIT] == GMC_AUDIT_WRONG;
    return found->outcome;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "head") == 0) {
        puts("scene,trials,to_end_per_s,early_per_s,ratio,steps_ratio,decided,audited,wrong,"
             "changed");
        return 0;
    }
    if (count != 3) {
        fprintf(stderr, "usage: bench_early SCENARIO TRIALS | bench_early head\n");
        return 64;
    }
    static const char *const NEVER[] = {
        "simulation.early.broken=false", "simulation.early.falling=false",
        "simulation.early.rest=false", "simulation.half_step=0", NULL};
    static const char *const ALWAYS[] = {"simulation.early.audit=1", "simulation.half_step=0",
                                         NULL};
    way to_end, early, audit;
    open_way(&to_end, words[1], NEVER);
    open_way(&early, words[1], NULL);
    open_way(&audit, words[1], ALWAYS);
    uint64_t trials = strtoull(words[2], NULL, 10), changed = 0;
    gmc_outcome *outcomes = calloc((size_t)trials + 1, sizeof *outcomes);
    if (!outcomes) die("no memory");
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t first = trials * round / ROUNDS, end = trials * (round + 1) / ROUNDS;
        for (uint64_t i = first; i < end; i++)
            outcomes[i] = run(&to_end, i);
        for (uint64_t i = first; i < end; i++)
            changed +=
                (run(&early, i) == GMC_OUTCOME_SUCCESS) != (outcomes[i] == GMC_OUTCOME_SUCCESS);
        for (uint64_t i = first; i < end; i++)
            run(&audit, i);
    }
    const char *slash = strrchr(words[1], '/');
    printf("%s,%llu,%.1f,%.1f,%.3f,%.3f,%llu,%llu,%llu,%llu\n", slash ? slash + 1 : words[1],
           (unsigned long long)trials, (double)trials / to_end.seconds,
           (double)trials / early.seconds, to_end.seconds / early.seconds,
           to_end.steps / early.steps, (unsigned long long)early.decided,
           (unsigned long long)audit.audited, (unsigned long long)audit.wrong,
           (unsigned long long)changed);
    free(outcomes);
    close_way(&to_end);
    close_way(&early);
    close_way(&audit);
    return 0;
}
