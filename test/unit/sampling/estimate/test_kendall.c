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
    y[3] = 9.5;
    gmc_kendall few = gmc_kendall_of(x, y, GMC_KENDALL_LEAST - 1, 0.95);
    assert_true(few.interval.lower == -1 && few.interval.upper == 1);
    gmc_kendall many = gmc_kendall_of(x, y, 20, 0.95);
    assert_true(many.interval.lower > 0 && many.interval.upper < 1);
    assert_true(many.interval.lower < many.tau && many.tau < many.interval.upper);
}

// Orders without a contradiction: all of the independent pairs agree, which has a probability of
// 2.5 % where one in 1 - 0.025^(1/pairs) does not; the opposite order is its mirror image.
static void a_perfect_order_has_an_interval(void **state)
{
    (void)state;
    double x[51], y[51], back[51], halves[51];
    for (int i = 0; i < 51; i++) {
        x[i] = y[i] = (i * 20) % 51; // 51 = 3 17: each value once
        back[i] = -x[i];
        halves[i] = x[i] < 25;
    }
    double before = -1;
    for (int count = 2; count <= 51; count++) {
        gmc_kendall all = gmc_kendall_of(x, y, count, 0.95), other;
        double q = gmc_exp(gmc_log(0.025) / (count / 2)), least = 2 * q - 1;
        least = fmax(-1, least < 0 ? least / q : least);
        assert_true(all.tau == 1 && all.is_perfect && all.interval.upper == 1);
        assert_true(fabs(all.interval.lower - least) <= 1e-12); // one exp, one log
        assert_true(all.interval.lower >= before && all.interval.lower < 1);
        before = all.interval.lower;
        other = gmc_kendall_of(x, back, count, 0.95);
        assert_true(other.tau == -1 && other.interval.lower == -1);
        assert_true(fabs(other.interval.upper + least) <= 1e-12);
    }
    assert_true(fabs(before - 0.726) <= 1e-3); // 2 0.025^(1/25) - 1
    gmc_kendall tied = gmc_kendall_of(x, halves, 51, 0.95);
    assert_true(tied.is_perfect && tied.tau < -0.7 && tied.interval.lower == -1);
    assert_true(tied.interval.upper < -0.1 && tied.interval.upper > tied.tau);
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

// Where most samples are without a contradiction the exact bound alone is asked.
static void the_interval_of_perfect_orders_covers(void **state)
{
    (void)state;
    static const double R[] = {0.9, 0.99, 0.999, 0.99999};
    static const int COUNTS[] = {8, 10, 20};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            double share = coverage(R[i], COUNTS[k]);
            printf("r %g, %d things: covered %.4f\n", R[i], COUNTS[k], share);
            assert_true(share >= 0.94);
        }
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

/// A measure, uniform, and the share of successes of some draws of each thing.
typedef struct law {
    double p, slope; ///< P(success) = p + slope (measure - 1/2), cut to 0 and 1
    int draws;
    bool is_step; ///< p - slope/2 below a measure of 1/2, p + slope/2 above
} law;

static void draw_thing(const law *of, gmc_chance *chance, double *x, double *y)
{
    *x = gmc_chance_uniform(chance, 0, 1);
    double p = of->p + of->slope * (of->is_step ? (*x > 0.5 ? 0.5 : -0.5) : *x - 0.5);
    int successes = 0;
    for (int k = 0; k < of->draws; k++)
        successes += gmc_chance_uniform(chance, 0, 1) < p;
    *y = (double)successes / of->draws;
}

// Of 400000 pairs: to 0.002.
static double tau_of_law(const law *of)
{
    gmc_chance chance = {7};
    double agree = 0, untied_x = 0, untied_y = 0;
    for (int i = 0; i < 400000; i++) {
        double x[2], y[2];
        for (int k = 0; k < 2; k++)
            draw_thing(of, &chance, &x[k], &y[k]);
        int in_x = (x[0] > x[1]) - (x[0] < x[1]), in_y = (y[0] > y[1]) - (y[0] < y[1]);
        agree += in_x * in_y;
        untied_x += in_x != 0;
        untied_y += in_y != 0;
    }
    return agree / sqrt(untied_x * untied_y);
}

// 2000 samples: the share is known to 0.5 %.
static void the_interval_covers_with_few_draws(void **state)
{
    (void)state;
    static const law LAWS[] = {{0.5, 0, 1, false},    {0.1, 0, 1, false},  {0.1, 0.2, 1, false},
                               {0.5, 1, 1, false},    {0.5, 0.9, 1, true}, {0.2, 0.4, 1, true},
                               {0.95, 0.1, 8, false}, {0.5, 1, 8, false},  {0.9, 0.2, 16, false},
                               {0.5, 1, 64, false},   {0.5, 1, 1, true}};
    static const int COUNTS[] = {10, 20, 50};
    enum { SAMPLES = 2000 };
    for (int i = 0; i < (int)(sizeof LAWS / sizeof *LAWS); i++) {
        double truth = tau_of_law(&LAWS[i]);
        for (int c = 0; c < 3; c++) {
            gmc_chance chance = {(uint64_t)(100 * i + c)};
            int told = 0, covered = 0;
            for (int s = 0; s < SAMPLES; s++) {
                double x[50], y[50];
                for (int k = 0; k < COUNTS[c]; k++)
                    draw_thing(&LAWS[i], &chance, &x[k], &y[k]);
                gmc_kendall found = gmc_kendall_of(x, y, COUNTS[c], 0.95);
                if (isnan(found.tau)) continue; // all succeeded, or none
                told++;
                covered += found.interval.lower <= truth && truth <= found.interval.upper;
            }
            double share = (double)covered / told;
            printf("p %g, slope %g%s, %d draws, tau %.4f, %d things: covered %.4f of %d\n",
                   LAWS[i].p, LAWS[i].slope, LAWS[i].is_step ? " in a step" : "", LAWS[i].draws,
                   truth, COUNTS[c], share, told);
            assert_true(share >= 0.94);
        }
    }
}

int test_kendall(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_by_hand),
        cmocka_unit_test(where_nothing_is_told_the_interval_is_whole),
        cmocka_unit_test(a_perfect_order_has_an_interval),
        cmocka_unit_test(the_interval_of_perfect_orders_covers),
        cmocka_unit_test(the_interval_covers_what_it_says),
        cmocka_unit_test(the_interval_covers_with_few_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
