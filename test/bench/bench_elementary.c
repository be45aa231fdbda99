// What engine/math/elementary.h costs beside the C library, in one run:
//   function,arguments,ns,libm_ns,ratio,chained_ns,chained_libm_ns,chained_ratio
// `ns` is for calls that do not wait for each other, `chained` for calls whose argument needs the
// result before. Each figure is the best of several passes over the same random arguments. The
// second argument of atan2 and pow is the first one, mirrored and moved.
// Usage: bench_elementary
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "engine/math/elementary.h"
#include "test/support/chance.h"

#include <stdio.h>
#include <time.h>

enum { COUNT = 4096, PASSES = 60 };

typedef struct contest {
    const char *name;
    double (*ours)(double), (*theirs)(double);
    double lower, upper;
} contest;

static double sin_cos_ours(double x)
{
    double s, c;
    gmc_sin_cos(x, &s, &c);
    return s + c;
}

static double sin_cos_theirs(double x) { return sin(x) + cos(x); }
static double atan2_ours(double x) { return gmc_atan2(x, 0.3 - x); }
static double atan2_theirs(double x) { return atan2(x, 0.3 - x); }
static double pow_ours(double x) { return gmc_pow(x, 1.7 - x); }
static double pow_theirs(double x) { return pow(x, 1.7 - x); }

static const contest CONTESTS[] = {
    {"sin", gmc_sin, sin, -0.7, 0.7},
    {"sin", gmc_sin, sin, -7, 7},
    {"sin", gmc_sin, sin, -1e5, 1e5},
    {"sin", gmc_sin, sin, -1e15, 1e15},
    {"cos", gmc_cos, cos, -0.7, 0.7},
    {"cos", gmc_cos, cos, -7, 7},
    {"sin_cos", sin_cos_ours, sin_cos_theirs, -0.7, 0.7},
    {"sin_cos", sin_cos_ours, sin_cos_theirs, -7, 7},
    {"tan", gmc_tan, tan, -1.5, 1.5},
    {"asin", gmc_asin, asin, -1, 1},
    {"acos", gmc_acos, acos, -1, 1},
    {"atan2", atan2_ours, atan2_theirs, -0.02, 0.02},
    {"atan2", atan2_ours, atan2_theirs, -3, 3},
    {"exp", gmc_exp, exp, -20, 20},
    {"expm1", gmc_expm1, expm1, -1, 1},
    {"log", gmc_log, log, 0, 10},
    {"log1p", gmc_log1p, log1p, -0.5, 0.5},
    {"pow", pow_ours, pow_theirs, 0, 10},
    {"erf", gmc_erf, erf, -2, 2},
    {"erfc", gmc_erfc, erfc, -4, 4},
    {"lgamma", gmc_lgamma, lgamma, 0.1, 20},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double sink; // keeps the compiler from leaving the calls out

// ns a call, free and chained; the best of the passes
static void measure(double (*f)(double), const double *x, double best[2])
{
    best[0] = best[1] = HUGE_VAL;
    for (int pass = 0; pass < PASSES; pass++) {
        double sum = 0, start = seconds();
        for (int i = 0; i < COUNT; i++)
            sum += f(x[i]);
        double middle = seconds(), last = 0;
        for (int i = 0; i < COUNT; i++)
            last = f(x[i] + 1e-300 * last);
        double end = seconds();
        sink = sum + last;
        best[0] = fmin(best[0], 1e9 * (middle - start) / COUNT);
        best[1] = fmin(best[1], 1e9 * (end - middle) / COUNT);
    }
}

int main(void)
{
    printf("function,arguments,ns,libm_ns,ratio,chained_ns,chained_libm_ns,chained_ratio\n");
    for (size_t i = 0; i < sizeof CONTESTS / sizeof CONTESTS[0]; i++) {
        const contest *c = &CONTESTS[i];
        double x[COUNT], ours[2], theirs[2];
        gmc_chance chance = {1};
        for (int k = 0; k < COUNT; k++)
            x[k] = gmc_chance_uniform(&chance, c->lower, c->upper);
        measure(c->ours, x, ours);
        measure(c->theirs, x, theirs);
        printf("%s,%g..%g,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f\n", c->name, c->lower, c->upper, ours[0],
               theirs[0], ours[0] / theirs[0], ours[1], theirs[1], ours[1] / theirs[1]);
    }
    return 0;
}
