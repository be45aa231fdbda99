// What the numbers of a grasp's quality cost, on contacts anywhere on a ball:
//   what,contacts,edges,median_us,bar_us,verdict
// The middle of several random grasps, each the best of some repetitions. Bars: closure of 12
// contacts 50 us, epsilon 40 ms.
// Usage: bench_quality
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "engine/grasp/wrench.h"
#include "test/support/chance.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CONTACTS_MAX = 12, GRASPS = 31 };

typedef enum asked { CLOSURE, FRICTION, EPSILON, EPSILON_LINF } asked;

static const struct {
    const char *name;
    asked what;
    int contacts, grasps, repetitions;
    double bar; // [us]; 0: none
} ROWS[] = {
    {"closure", CLOSURE, 4, GRASPS, 200, 50},       {"closure", CLOSURE, 12, GRASPS, 200, 50},
    {"least_friction", FRICTION, 12, GRASPS, 5, 0}, {"epsilon", EPSILON, 4, GRASPS, 5, 40000},
    {"epsilon", EPSILON, 12, GRASPS, 3, 40000},     {"epsilon_linf", EPSILON_LINF, 3, 5, 1, 0},
};

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // what others do does not count
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static gmc_vec3 any_direction(gmc_chance *chance)
{
    for (;;) {
        gmc_vec3 v = {gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1),
                      gmc_chance_uniform(chance, -1, 1)};
        double norm = gmc_vec3_norm(v);
        if (norm > 0.1 && norm < 1) return gmc_vec3_scale(1 / norm, v);
    }
}

static gmc_status ask(asked what, const gmc_wrench_grasp *grasp, gmc_arena *arena)
{
    gmc_wrench_quality quality;
    double friction;
    bool closes;
    if (what == FRICTION) return gmc_wrench_least_friction(grasp, arena, &friction);
    if (what == CLOSURE) return gmc_wrench_closes(grasp, arena, &closes);
    return gmc_wrench_measure(grasp, what == EPSILON ? GMC_WRENCH_L1 : GMC_WRENCH_LINF, NULL, arena,
                              &quality);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double best_of(int row, const gmc_wrench_grasp *grasp, gmc_arena *arena)
{
    double best = 1e300;
    for (int k = 0; k < ROWS[row].repetitions; k++) {
        double start = microseconds();
        gmc_arena_reset(arena, 0);
        if (ask(ROWS[row].what, grasp, arena) != GMC_OK) exit(1);
        double took = microseconds() - start;
        if (took < best) best = took;
    }
    return best;
}

int main(void)
{
    gmc_arena arena;
    if (gmc_arena_create(&arena, (size_t)8 << 20) != GMC_OK) return 1;
    printf("what,contacts,edges,median_us,bar_us,verdict\n");
    for (int row = 0; row < GMC_COUNT(ROWS); row++) {
        gmc_chance chance = {1};
        double times[GRASPS];
        gmc_wrench_contact contacts[CONTACTS_MAX];
        for (int i = 0; i < ROWS[row].grasps; i++) {
            for (int k = 0; k < ROWS[row].contacts; k++) {
                gmc_vec3 p = any_direction(&chance), t = gmc_vec3_cross(p, any_direction(&chance));
                contacts[k] = (gmc_wrench_contact){p, gmc_vec3_neg(p),
                                                   gmc_vec3_scale(1 / gmc_vec3_norm(t), t), 0.5};
            }
            const gmc_wrench_grasp grasp = {.contacts = contacts,
                                            .count = ROWS[row].contacts,
                                            .edges = GMC_WRENCH_EDGES,
                                            .radius = 1};
            times[i] = best_of(row, &grasp, &arena);
        }
        qsort(times, (size_t)ROWS[row].grasps, sizeof *times, compare);
        double median = times[ROWS[row].grasps / 2];
        printf("%s,%d,%d,%.3g,%g,%s\n", ROWS[row].name, ROWS[row].contacts, GMC_WRENCH_EDGES,
               median, ROWS[row].bar,
               ROWS[row].bar == 0       ? "-"
               : median < ROWS[row].bar ? "ok"
                                        : "FAIL");
    }
    gmc_arena_free(&arena);
    return 0;
}
