// Microseconds per step of the default stepper on the two-finger gripper of gmc_stage_pinch (10
// dofs; close, lift, shake, hold: 3 s), and how hard its solver worked. Processor time of this
// thread, best and median of the rollouts: a busy machine spoils means.
//
// usage: bench_step [rollouts, default 50]

#include "test/support/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROLLOUT_MAX = 1000 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// @return microseconds per step; < 0 if a step failed
static double rollout(gmc_stage *stage, double h)
{
    const double span = 3;
    long steps = (long)(span / h + 0.5);
    gmc_stage_restart(stage);
    clock_t start = clock();
    for (long i = 0; i < steps; i++) {
        gmc_stage_pinch_control(stage, stage->world.state.t + h, 10, true);
        if (gmc_stage_step(stage, h) != GMC_OK) return -1;
    }
    return 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)steps;
}

static int scene(const char *name, bool is_sphere, double h, int rollouts)
{
    static gmc_stage stage;
    double times[ROLLOUT_MAX];
    gmc_stage_pinch(&stage, 0.5, is_sphere);
    for (int i = 0; i < rollouts; i++) {
        times[i] = rollout(&stage, h);
        if (times[i] < 0) {
            fprintf(stderr, "%s: a step failed\n", name);
            return 1;
        }
    }
    qsort(times, (size_t)rollouts, sizeof *times, compare);
    double steps = (double)stage.steps;
    printf("%-13s %4.1f  %8.2f %8.2f  %9.3f  %8.2f  %7.3f %7.3f %7.3f  %.1e  %.4f\n", name, 1e3 * h,
           times[0], times[rollouts / 2], (double)stage.iterations / steps,
           (double)stage.contacts / steps, 100 * (double)stage.rungs[1] / steps,
           100 * (double)stage.rungs[2] / steps,
           100 * (double)(stage.rungs[3] + stage.rungs[4]) / steps, stage.max_residual,
           gmc_stage_place(&stage, "obj").z);
    gmc_stage_close(&stage);
    return 0;
}

int main(int argc, char **argv)
{
    int rollouts = argc > 1 ? atoi(argv[1]) : 50, failures = 0;
    if (rollouts < 1 || rollouts > ROLLOUT_MAX) return 64;
    printf(
        "scene         h/ms   best us   median  its/step  contacts  rung 1%% rung 2%% rung 3+%%  "
        "residual  height\n");
    const double steps[] = {2e-3, 0.5e-3};
    for (int i = 0; i < 2; i++) {
        failures += scene("pinch_box", false, steps[i], rollouts);
        failures += scene("pinch_sphere", true, steps[i], rollouts);
    }
    return failures ? 1 : 0;
}
