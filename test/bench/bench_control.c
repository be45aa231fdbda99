// What a call of a controller of somebody else costs: median over 20 000 calls for a hand of
// 2 joints and one of 24, each with figure, bar, ok or FAIL.
//
//   bench_control LIBRARY COMMAND [ARGUMENT ...]
#define _POSIX_C_SOURCE 200809L
#include "sampling/campaign/foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 20000, BATCH = 100, JOINTS_MAX = 24 };

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// @param batch  calls between two looks at the clock: a library's are shorter than a look
// @return median of a call [s]; NaN: it failed
static double median(const gmc_controller *controller, int joints, int batch)
{
    static double seconds[CALLS];
    static const char *names[JOINTS_MAX];
    double numbers[JOINTS_MAX] = {0}, torque[JOINTS_MAX];
    for (int i = 0; i < joints; i++)
        names[i] = "joint";
    const graspmc_start start = {.period = 2e-3,
                                 .joint_count = joints,
                                 .joints = names,
                                 .lower = numbers,
                                 .upper = numbers,
                                 .max_force = numbers};
    graspmc_view view = {.position = numbers,
                         .velocity = numbers,
                         .wanted_position = numbers,
                         .wanted_velocity = numbers,
                         .stiffness = numbers,
                         .damping = numbers,
                         .servo_limit = numbers,
                         .force = numbers};
    bool is_done;
    if (controller->reset(controller->context, &start) != GMC_OK) return NAN;
    for (int n = -1; n < CALLS / batch; n++) { // the first waits for a process to start
        double begin = now_s();
        for (int k = 0; k < batch; k++) {
            view.time += start.period;
            if (controller->step(controller->context, &view, torque, &is_done) != GMC_OK)
                return NAN;
        }
        if (n >= 0) seconds[n] = (now_s() - begin) / batch;
    }
    qsort(seconds, CALLS / (size_t)batch, sizeof *seconds, rising);
    return seconds[CALLS / batch / 2];
}

static bool measure(const char *name, gmc_control_spec spec, double bar, int batch)
{
    bool is_fine = true;
    spec.is_given = spec.is_allowed = true;
    spec.law = GMC_CONTROL_GIVEN;
    spec.answer_within = 10;
    const gmc_scenario scenario = {.file = "scenario.yaml", .control = spec};
    for (int joints = 2; joints <= JOINTS_MAX; joints += JOINTS_MAX - 2) {
        gmc_foreign *foreign;
        gmc_controller controller;
        gmc_diagnostics report = {0};
        double cost = NAN;
        if (gmc_foreign_open(&scenario, &report, NULL, &foreign, &controller) == GMC_OK)
            cost = median(&controller, joints, batch);
        else
            gmc_diagnostics_print(&report, stderr);
        is_fine = is_fine && cost <= bar;
        printf("%s,%d,%.3f,%g,%s\n", name, joints, 1e6 * cost, 1e6 * bar,
               cost <= bar ? "ok" : "FAIL");
        gmc_foreign_close(foreign);
        gmc_diagnostics_free(&report);
    }
    return is_fine;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("bench_control LIBRARY COMMAND [ARGUMENT ...]\n", stderr);
        return 64;
    }
    const char *command[16] = {NULL};
    for (int i = 2; i < argc && i < 17; i++)
        command[i - 2] = argv[i];
    puts("controller,joints,us_per_call,bar_us,verdict");
    bool is_fine = measure("library", (gmc_control_spec){.library = argv[1]}, 1e-6, BATCH);
    is_fine = measure("command", (gmc_control_spec){.command = command, .command_count = argc - 2},
                      60e-6, 1) &&
              is_fine;
    return is_fine ? 0 : 1;
}
