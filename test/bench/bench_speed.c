// scripts/bench speed: what a step and a trial cost, without files. One line per scene and worker
// count:
//   scene,workers,trials,steps,us_per_step,trials_per_s,unsolved,success,peak_memory_mib,cpu_us_per_step
// The last is the processor's time, which others on the machine disturb less than the clock.
// Usage: bench_speed SCENARIO TRIALS WORKERS...
#define _POSIX_C_SOURCE 200809L // clock_gettime, getrusage

#include "sampling/build/prepare.h"
#include "sampling/campaign/campaign.h"
#include "sampling/campaign/rollouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct tally {
    double steps;
} tally;

static gmc_status put(void *context, const gmc_trial *trial)
{
    tally *sum = context;
    sum->steps += trial->values[GMC_COLUMN_STEPS];
    return GMC_OK;
}

static bool has(void *context, uint64_t trial)
{
    (void)context;
    (void)trial;
    return false;
}

static gmc_status sync_nothing(void *context)
{
    (void)context;
    return GMC_OK;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The process's own and the system's for it.
static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int measure(gmc_rollouts *rollouts, const char *name, uint64_t trials, int workers)
{
    tally sum = {0};
    gmc_sink sink = {.context = &sum, .put = put, .has = has, .sync = sync_nothing};
    gmc_job job = gmc_rollouts_job(rollouts);
    gmc_campaign_options options = gmc_campaign_defaults();
    gmc_campaign_progress last;
    atomic_bool stop = false;
    options.count = trials;
    options.worker_count = workers;
    double start = seconds(), processor = processor_seconds();
    gmc_status status = gmc_campaign_run(&job, &sink, &options, &stop, &last);
    double wall = seconds() - start;
    processor = processor_seconds() - processor;
    if (status != GMC_OK) {
        fprintf(stderr, "bench_speed: %s\n", gmc_status_name(status));
        return 1;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s,%d,%llu,%.0f,%.3f,%.1f,%llu,%.4f,%.1f,%.3f\n", name, workers,
           (unsigned long long)trials, sum.steps, 1e6 * last.trial_sum_s / sum.steps,
           (double)trials / wall, (unsigned long long)last.counts.unsolved,
           (double)last.counts.successes / (double)trials, (double)usage.ru_maxrss / 1024,
           1e6 * processor / sum.steps);
    fflush(stdout);
    return 0;
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: bench_speed SCENARIO TRIALS WORKERS...\n");
        return 64;
    }
    gmc_diagnostics report = {0};
    gmc_prepared prepared;
    static const char *const EVERYWHERE[] = {"/", NULL}; // scenarios of scripts/bench
    gmc_status status = gmc_prepare(words[1], NULL, EVERYWHERE, NULL, &report, &prepared);
    gmc_diagnostics_print(&report, stderr);
    if (status != GMC_OK) return 65;
    gmc_rollouts rollouts = {.scenario = &prepared.scenario, .build = prepared.build};
    const char *slash = strrchr(words[1], '/');
    const char *name = slash ? slash + 1 : words[1];
    for (int i = 3; i < count; i++)
        if (measure(&rollouts, name, strtoull(words[2], NULL, 10), atoi(words[i]))) return 70;
    gmc_prepared_free(&prepared);
    gmc_diagnostics_free(&report);
    return 0;
}
