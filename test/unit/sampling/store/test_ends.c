// The lowest and the highest of several proportions: what is told of a list by hand, and whether
// the two intervals hold them together, which is counted over all that can come of few trials at
// random.
#include "engine/base/status.h"
#include "sampling/random/stream.h"
#include "sampling/store/summary.h"
#include "test/support/near.h"

enum { PLACES = 5 };
static const double LEVEL = 0.95;

static gmc_estimate estimate_of(int64_t successes, int64_t failures, int64_t unsolved, int count)
{
    gmc_tally tally = {.successes = successes, .failures = failures, .unsolved = unsolved};
    return gmc_estimate_of(tally, gmc_ends_level(LEVEL, count), GMC_METHOD_CLOPPER_PEARSON);
}

static void the_extremes_of_a_list(void **state)
{
    (void)state;
    const gmc_estimate e[3] = {estimate_of(50, 50, 0, 3), estimate_of(3, 1, 0, 3),
                               estimate_of(90, 10, 0, 3)};
    gmc_ends ends = gmc_ends_of(e, 3);
    assert_int_equal(ends.lowest.place, 0);
    assert_int_equal(ends.highest.place, 2);
    assert_true(ends.lowest.p == 0.5);
    assert_true(ends.highest.p == 0.9);
    // the four trials of the middle one may hide a lower success, and a higher one
    assert_true(ends.lowest.interval.lower == e[1].lower);
    assert_true(ends.lowest.interval.upper == e[0].upper);
    assert_true(ends.highest.interval.lower == e[2].lower);
    assert_true(ends.highest.interval.upper == e[1].upper);
    ASSERT_NEAR(gmc_ends_level(0.95, 5), 0.98979378, 1e-8);
}

static void ties_are_counted_behind_the_first(void **state)
{
    (void)state;
    const gmc_estimate e[4] = {estimate_of(3, 1, 0, 4), estimate_of(1, 3, 0, 4),
                               estimate_of(2, 6, 0, 4), estimate_of(1, 3, 0, 4)};
    gmc_ends ends = gmc_ends_of(e, 4);
    assert_true(ends.lowest.place == 1);
    assert_true(ends.lowest.ties == 2);
    assert_true(ends.highest.place == 0);
    assert_true(ends.highest.ties == 0);
    ends = gmc_ends_of(&e[1], 3);
    assert_true(ends.highest.place == 0);
    assert_true(ends.highest.ties == 2);
}

static void unsolved_trials_go_outward(void **state)
{
    (void)state;
    const gmc_estimate e[2] = {estimate_of(50, 50, 0, 2), estimate_of(40, 10, 50, 2)};
    gmc_ends ends = gmc_ends_of(e, 2);
    assert_true(ends.lowest.p == 0.4);
    assert_true(ends.lowest.place == 1);
    assert_true(ends.highest.p == 0.9);
    assert_true(ends.highest.place == 1);
}

static void places_without_trials_leave_all_open(void **state)
{
    (void)state;
    const gmc_estimate e[2] = {estimate_of(50, 50, 0, 2), estimate_of(0, 0, 0, 2)};
    gmc_ends ends = gmc_ends_of(e, 2);
    assert_true(ends.lowest.interval.lower == 0);
    assert_true(ends.lowest.interval.upper == e[0].upper);
    assert_true(ends.highest.interval.upper == 1);
    assert_true(ends.highest.interval.lower == e[0].lower);
    assert_int_equal(ends.lowest.place, 0);
    ends = gmc_ends_of(&e[1], 1);
    assert_int_equal(ends.lowest.place, -1);
    assert_true(isnan(ends.lowest.p));
}

/// How often of 1000 runs of `trials` both intervals hold the two extremes of p.
static int covered(const double p[PLACES], int trials)
{
    int count = 0;
    double least = 1, most = 0;
    for (int i = 0; i < PLACES; i++) {
        least = fmin(least, p[i]);
        most = fmax(most, p[i]);
    }
    for (uint64_t run = 0; run < 1000; run++) {
        gmc_stream chance = gmc_stream_open_hashed(14, run, 6);
        int64_t held[PLACES] = {0}, of[PLACES] = {0};
        for (uint64_t t = 0; t < (uint64_t)trials; t++) {
            int place = (int)(PLACES * gmc_stream_uniform(chance, 2 * t));
            of[place]++;
            held[place] += gmc_stream_uniform(chance, 2 * t + 1) < p[place];
        }
        gmc_estimate e[PLACES];
        for (int i = 0; i < PLACES; i++)
            e[i] = estimate_of(held[i], of[i] - held[i], 0, PLACES);
        gmc_ends ends = gmc_ends_of(e, PLACES);
        gmc_interval low = ends.lowest.interval, high = ends.highest.interval;
        count +=
            low.lower <= least && least <= low.upper && high.lower <= most && most <= high.upper;
    }
    return count;
}

static void both_hold_together(void **state)
{
    (void)state;
    static const double P[][PLACES] = {{0.1, 0.3, 0.5, 0.7, 0.8},
                                       {0.9, 0.9, 0.9, 0.9, 0.9},
                                       {0.5, 0.99, 0.7, 0.99, 0.5},
                                       {0, 0.5, 1, 1, 1}};
    for (int i = 0; i < GMC_COUNT(P); i++)
        for (int trials = 40; trials <= 320; trials *= 8) {
            int count = covered(P[i], trials);
            printf("from %.2f to %.2f, %d trials: %d of 1000\n", P[i][0], P[i][4], trials, count);
            assert_true(gmc_proportion_upper(count, 1000, 0.99) >= 0.95);
        }
}

int test_ends(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_extremes_of_a_list),
        cmocka_unit_test(ties_are_counted_behind_the_first),
        cmocka_unit_test(unsolved_trials_go_outward),
        cmocka_unit_test(places_without_trials_leave_all_open),
        cmocka_unit_test(both_hold_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
