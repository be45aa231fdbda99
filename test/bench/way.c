#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "test/bench/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *const bench_way_to_end[] = {"simulation.early.broken=false",
                                        "simulation.early.falling=false",
                                        "simulation.early.rest=false",
                                        "simulation.early.borne=false",
                                        "simulation.half_step=0",
                                        "simulation.workspace=1000 m",
                                        NULL};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); // what others do on this core is not ours
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void bench_way_die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(70);
}

void bench_way_open(bench_way *way, const char *scenario, const char *const *sets)
{
    gmc_diagnostics report = {0};
    *way = (bench_way){0};
    if (gmc_prepare(scenario, sets, NULL, NULL, &report, &way->prepared) != GMC_OK) {
        gmc_diagnostics_print(&report, stderr);
        bench_way_die("no such scene");
    }
    gmc_diagnostics_free(&report);
    way->rollouts =
        (gmc_rollouts){.scenario = &way->prepared.scenario, .build = way->prepared.build};
    way->job = gmc_rollouts_job(&way->rollouts);
    if (way->job.worker_create(way->job.context, 0, &way->worker) != GMC_OK)
        bench_way_die("no memory");
}

void bench_way_close(bench_way *way)
{
    way->job.worker_free(way->worker);
    gmc_prepared_free(&way->prepared);
}

const gmc_trial *bench_way_run(bench_way *way, uint64_t trial)
{
    atomic_bool stop = false;
    const gmc_trial *found;
    double start = now();
    if (way->job.run(way->worker, trial, &stop, &found) != GMC_OK) bench_way_die("a trial failed");
    way->seconds += now() - start;
    way->steps += found->values[GMC_COLUMN_STEPS];
    return found;
}
