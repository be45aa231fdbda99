// Kendall's rank correlation: orders by hand, ties, and the coverage of its interval where the
// population's is known: of two normal variables with correlation r it is (2/pi) asin r.
#include "engine/math/elementary.h"
#include "sampling/estimate/kendall.h"
#include "sampling/random/normal.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

static void orders_by_hand(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, same[] = {10, 20, 30, 40}, back[] = {4, 3, 2, 1};
    const double swapped[] = {2, 1, 3, 4}, flat[] = {7, 7, 7, 7}, far[] = {-1, -1, 3, HUGE_VAL};
    assert_true(gmc_kendall_of(x, same, 4, 0.95).tau == 1);
    assert_true(gmc_kendall_of(x, back, 4, 0.95).tau == -1);
    assert_true(fabs(gmc_kendall_of(x, swapped, 4, 0.95).tau - 4.0 / 6) <= 1e-15);
    assert_true(isnan(gmc_kendall_of(x, flat, 4, 0.95).tau) != 0);
    assert_true(isnan(gmc_kendall_of(x, same, 1, 0.95).tau) != 0);
    // one tie of six pairs, all others agree: 5 / √(6 · 5)
    assert_true(fabs(gmc_kendall_of(x, far, 4, 0.95).tau - 5 / sqrt(30)) <= 1e-15);
}

static void where_nothing_is_told_the_interval_is_whole(void **state)
{
    (void)state;
    double x[20], y[20];
    for (int i = 0; i < 20; i++)
        x[i] = y[i] = i;
    gmc_kendall all = gmc_kendall_of(x, y, 20, 0.95);
    assert_true(all.tau == 1 && all.interval.lower == -1 && all.interval.upper == 1);
    y[3] = 9.5;
    gmc_kendall few = gmc_kendall_of(x, y, GMC_KENDALL_LEAST - 1, 0.95);
    assert_true(few.interval.lower == -1 && few.interval.upper == 1);
    gmc_kendall many = gmc_kendall_of(x, y, 20, 0.95);
    assert_true(many.interval.lower > 0 && many.interval.upper < 1);
    assert_true(many.interval.lower < many.tau && many.tau < many.interval.upper);
}

// 4000 samples: the share is known to 0.35 % (one standard deviation).
static double coverage(double r, int count)
{
    enum { SAMPLES = 4000 };
    double x[64], y[64], truth = 2 / PI * gmc_asin(r);
    gmc_chance chance = {(uint64_t)(1000 * r) + (uint64_t)count};
    int covered = 0;
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < count; i++) {
            x[i] = gmc_normal_quantile(gmc_chance_uniform(&chance, 0, 1));
            y[i] =
                r * x[i] + sqrt(1 - r * r) * gmc_normal_quantile(gmc_chance_uniform(&chance, 0, 1));
        }
        gmc_kendall found = gmc_kendall_of(x, y, count, 0.95);
        covered += found.interval.lower <= truth && truth <= found.interval.upper;
    }
    return (double)covered / SAMPLES;
}

static void the_interval_covers_what_it_says(void **state)
{
    (void)state;
    static const double R[] = {0, 0.4, 0.8};
    static const int COUNTS[] = {10, 20, 50};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double share = coverage(R[i], COUNTS[k]);
            printf("r %g, %d things: covered %.4f\n", R[i], COUNTS[k], share);
            assert_true(share >= 0.94 && share <= 0.995);
        }
}

int test_kendall(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_by_hand),
        cmocka_unit_test(where_nothing_is_told_the_interval_is_whole),
        cmocka_unit_test(the_interval_covers_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
