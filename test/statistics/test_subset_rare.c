// Subset simulation on margins whose probability is known: how far off is it, with how many trials,
// and do its intervals hold the truth?
#include "engine/base/status.h"
#include "sampling/design/subset.h"
#include "sampling/estimate/repeats.h"
#include "sampling/random/normal.h"
#include "test/support/near.h"

#include <stdlib.h>

enum { DIMENSIONS_MAX = 16 };

typedef struct problem {
    const char *name;
    int dimensions;
    double (*margin)(const double *z, int dimensions);
    double probability;
} problem;

static double plane(const double *z, int dimensions) // Φ(−4.753424) = 1e-6
{
    double sum = 0;
    for (int i = 0; i < dimensions; i++)
        sum += z[i];
    return 4.753424308822899 - sum / sqrt(dimensions);
}

static double radius(const double *z, int dimensions)
{
    double sum = 0;
    for (int i = 0; i < dimensions; i++)
        sum += z[i] * z[i];
    return sqrt(sum);
}

static double circle(const double *z, int n) // exp(−r²/2) = 1e-6, all around
{
    return 5.256521769756932 - radius(z, n);
}

static double sides(const double *z, int n) // two ways to fail, far from each other: 2 Φ(−4.891638)
{
    (void)n;
    return 4.891638475698989 - fabs(z[0]);
}

static double lognormals(const double *z, int n) // exp(z/4): product above a bound, 1e-6
{
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= exp(0.25 * z[i]);
    return exp(0.25 * sqrt(n) * 4.753424308822899) - product;
}

static const problem PROBLEMS[] = {
    {"plane in 2 dimensions", 2, plane, 1e-6},        {"plane in 7 dimensions", 7, plane, 1e-6},
    {"outside of a circle", 2, circle, 1e-6},         {"two sides", 3, sides, 1e-6},
    {"product of 5 lognormals", 5, lognormals, 1e-6},
};

typedef struct outcome {
    gmc_repeats_estimate estimate;
    int64_t trials;
} outcome;

static outcome run(const problem *p, gmc_subset_plan plan)
{
    gmc_subset *s;
    gmc_subset_stage stage;
    outcome found = {0};
    plan.dimensions = p->dimensions;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            double z[DIMENSIONS_MAX];
            assert_true(gmc_subset_point(s, stage.trials[i], z));
            gmc_subset_put(s, stage.trials[i], p->margin(z, p->dimensions));
        }
        found.trials += (int64_t)stage.count;
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    double values[64];
    for (int r = 0; r < plan.runs; r++)
        values[r] = gmc_subset_of_run(s, r).probability;
    found.estimate = gmc_repeats_estimate_of(values, plan.runs, 0.95);
    gmc_subset_free(s);
    return found;
}

static void check(const problem *p, gmc_subset_plan plan, int repetitions)
{
    double square = 0, sum = 0, most = 0, width = 0;
    int covered = 0, low = 0;
    for (int k = 0; k < repetitions; k++) {
        plan.seed = 100 + (uint64_t)k;
        outcome o = run(p, plan);
        double off = o.estimate.p / p->probability - 1;
        square += off * off;
        sum += off;
        most = fmax(most, (double)o.trials);
        covered += o.estimate.interval.lower <= p->probability &&
                   p->probability <= o.estimate.interval.upper;
        low += o.estimate.interval.upper < p->probability;
        width += (o.estimate.interval.upper - o.estimate.interval.lower) / 2 / p->probability;
    }
    double rms = sqrt(square / repetitions);
    printf("%-26s %d runs of %d a level: error %.1f %% (rms of %d), bias %+.1f %%, at most %.0f "
           "trials, covers %.1f %% (too low %d), half width %.0f %%\n",
           p->name, plan.runs, plan.per_level, 100 * rms, repetitions, 100 * sum / repetitions,
           most, 100.0 * covered / repetitions, low, 100 * width / repetitions);
    assert_true(rms <= 0.30);
    assert_true(most <= 1e5);
    // 93 % less two standard errors of the repetitions
    assert_true(covered >= (0.93 - 2 * sqrt(0.93 * 0.07 / repetitions)) * repetitions);
}

static void one_in_a_million_is_found(void **state)
{
    (void)state;
    const char *given = getenv("GMC_REPETITIONS");
    int repetitions = given ? atoi(given) : 40;
    const gmc_subset_plan plan = {.runs = 10, .levels = 10, .per_level = 1400};
    for (int i = 0; i < GMC_COUNT(PROBLEMS); i++)
        check(&PROBLEMS[i], plan, repetitions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_in_a_million_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
