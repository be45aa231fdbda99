#include "engine/base/status.h"
#include "sampling/estimate/two_level.h"
#include "test/support/near.h"

static void the_estimate_is_cheap_plus_difference(void **state)
{
    (void)state;
    gmc_two_level_counts k = {
        .cheap = 1000, .cheap_works = 900, .pairs = 100, .both = 84, .lost = 6, .gained = 2};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    ASSERT_NEAR(e.p, 0.9 + 0.02 - 0.06, 1e-15);
    assert_true(e.interval.lower < e.p);
    assert_true(e.p < e.interval.upper);
    // V(c) = 0.09, V(f - c) = 0.08 - 0.04², cov(c, f - c) = -0.06 + 0.9 * 0.04
    double variance = 0.09 / 1000 + (0.08 - 0.0016) / 100 + 2 * (-0.06 + 0.036) / 1000;
    ASSERT_NEAR(e.deviation, sqrt(variance), 1e-12);
    assert_true(e.unsolved_lower == e.p);
    assert_true(e.unsolved_upper == e.p);
}

static void without_a_difference_the_pairs_still_count(void **state)
{
    (void)state;
    gmc_two_level_counts k = {.cheap = 100000, .cheap_works = 90000, .pairs = 100, .both = 90};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    ASSERT_NEAR(e.p, 0.9, 1e-15);
    // a hundred pairs alike leave 1 - 0.025^(1/100) either way
    assert_true(e.interval.upper - e.interval.lower > 2 * 0.036);
    assert_true(e.interval.upper - e.interval.lower < 2 * 0.037);
}

static void unsolved_pairs_widen_it(void **state)
{
    (void)state;
    gmc_two_level_counts k = {
        .cheap = 1000, .cheap_works = 900, .pairs = 100, .both = 80, .open = 10, .open_works = 8};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    ASSERT_NEAR(e.unsolved_lower, 0.9 - 0.08, 1e-15);
    ASSERT_NEAR(e.unsolved_upper, 0.9 + 0.02, 1e-15);
    ASSERT_NEAR(e.p, 0.82 / 0.9, 1e-15);
    assert_true(e.interval.lower < 0.82);
    assert_true(e.interval.upper > 0.92);
}

static void nothing_is_known_without_pairs(void **state)
{
    (void)state;
    gmc_two_level_counts k = {.cheap = 1000, .cheap_works = 900};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
}

static void the_share_of_pairs_minimises_the_error_at_equal_work(void **state)
{
    (void)state;
    gmc_two_level_counts k = {
        .cheap = 100000, .cheap_works = 80000, .pairs = 100000, .lost = 2000, .gained = 1000};
    double best = gmc_two_level_share(&k, 1, 4);
    // work N (1 + 4 s) = 1; V = V(c)/N + V(d)/(s N) but for the covariance, at twice and half of it
    double cheap = 0.16, difference = 0.03 - 0.0001;
    double at[3];
    for (int i = 0; i < 3; i++) {
        double s = best * (i == 0 ? 0.5 : i == 1 ? 1 : 2);
        at[i] = (cheap + difference / s) * (1 + 4 * s);
    }
    assert_true(at[1] < at[0]);
    assert_true(at[1] < at[2]);
    ASSERT_NEAR(best, sqrt(difference / (4 * cheap)), 1e-4); // half a pair more in 100 000
    k = (gmc_two_level_counts){.cheap = 50, .cheap_works = 50, .pairs = 50, .both = 50};
    assert_true(gmc_two_level_share(&k, 1, 2) > 0.5); // fifty alike prove little
    assert_true(gmc_two_level_share(&k, 1, 2) <= 1);
}

static void gain_is_work_saved(void **state)
{
    (void)state;
    // all pairs, none different: as many full trials alone give that interval and cost less
    gmc_two_level_counts k = {.cheap = 1000, .cheap_works = 500, .pairs = 1000, .both = 500};
    assert_true(gmc_two_level_gain(&k, 0.95, (const double[]){1, 1}) < 0.51);
    // a hundred times cheaper and hardly ever different
    k = (gmc_two_level_counts){
        .cheap = 100000, .cheap_works = 50000, .pairs = 3000, .both = 1500, .lost = 3, .gained = 3};
    assert_true(gmc_two_level_gain(&k, 0.95, (const double[]){1, 100}) > 5);
}

static void a_chain_adds_what_every_level_finds(void **state)
{
    (void)state;
    gmc_two_level_half rise = {.pairs = 100, .lost = 5, .gained = 3, .base_lost = 5};
    gmc_two_level_half full = {.pairs = 50, .lost = 1, .gained = 2, .base_lost = 1};
    gmc_two_level_counts k = {.cheap = 1000,
                              .cheap_works = 900,
                              .pairs = 100,
                              .lost = 2,
                              .gained = 4,
                              .halves = {full, full},
                              .between = 1,
                              .rises = {{rise, rise}}};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    ASSERT_NEAR(e.p, 0.9 + (0.03 - 0.05) + (0.04 - 0.02), 1e-15);
    // V(c) = 0.09, V1 = 0.08 - 0.02², V2 = 0.06 - 0.02², covariances with c over 1000 draws, of
    // both differences at most 0.02 * 0.02 over 200
    double variance = 0.09 / 1000 + (0.08 - 0.0004) / 200 + (0.06 - 0.0004) / 100 +
                      2 * (-0.05 + 0.9 * 0.02) / 1000 + 2 * (-0.02 - 0.9 * 0.02) / 1000 +
                      2 * 0.0004 / 200;
    ASSERT_NEAR(e.deviation, sqrt(variance), 1e-12); // roundings of sums of a few terms
    assert_true(e.interval.lower < e.p);
    assert_true(e.p < e.interval.upper);
    // a draw at a level costs its own work alone
    double with = gmc_two_level_gain(&k, 0.95, (const double[]){1, 2, 4});
    double free = gmc_two_level_gain(&k, 0.95, (const double[]){1, 0, 4});
    ASSERT_NEAR(with / free, 1400.0 / 1800, 1e-12);
}

static void unsolved_full_trials_of_a_chain_stay_open(void **state)
{
    (void)state;
    gmc_two_level_half rise = {.pairs = 50, .lost = 1, .base_lost = 1};
    gmc_two_level_half full = {.pairs = 50, .open = 50, .open_works = 40};
    gmc_two_level_counts k = {.cheap = 100,
                              .cheap_works = 90,
                              .pairs = 100,
                              .open = 100,
                              .open_works = 80,
                              .halves = {full, full},
                              .between = 1,
                              .rises = {{rise, rise}}};
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, 0.95);
    ASSERT_NEAR(e.unsolved_lower, 0.9 - 0.02 - 0.8, 1e-15);
    ASSERT_NEAR(e.unsolved_upper, 1, 0.1);
    assert_true(e.interval.lower < 0.08);
    assert_true(e.interval.upper == 1);
}

int test_two_level(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_cheap_plus_difference),
        cmocka_unit_test(without_a_difference_the_pairs_still_count),
        cmocka_unit_test(unsolved_pairs_widen_it),
        cmocka_unit_test(nothing_is_known_without_pairs),
        cmocka_unit_test(the_share_of_pairs_minimises_the_error_at_equal_work),
        cmocka_unit_test(gain_is_work_saved),
        cmocka_unit_test(a_chain_adds_what_every_level_finds),
        cmocka_unit_test(unsolved_full_trials_of_a_chain_stay_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
