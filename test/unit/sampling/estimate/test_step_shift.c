#include "engine/base/status.h"
#include "sampling/estimate/step_shift.h"
#include "test/support/near.h"

static const double Z = 1.959963984540054;

static void add(gmc_step_sums *sums, int count, gmc_verdict verdict, double chance,
                gmc_step_look look)
{
    for (int i = 0; i < count; i++)
        gmc_step_sums_add(sums, verdict, chance, false, look);
}

static gmc_estimate plain(int64_t successes, int64_t n)
{
    return gmc_estimate_of((gmc_tally){.successes = successes, .failures = n - successes}, 0.95,
                           GMC_METHOD_WILSON);
}

static void what_turned_counts_by_its_chance(void **state)
{
    (void)state;
    gmc_step_sums sums = {0};
    add(&sums, 700, GMC_VERDICT_SUCCESS, 0.1, GMC_STEP_NONE);
    add(&sums, 40, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_SAME);
    add(&sums, 3, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_OTHER);
    add(&sums, 256, GMC_VERDICT_FAILURE, 0.1, GMC_STEP_NONE);
    add(&sums, 1, GMC_VERDICT_FAILURE, 0.25, GMC_STEP_OTHER);
    add(&sums, 5, GMC_VERDICT_UNSOLVED, 0.5, GMC_STEP_OTHER); // no verdict to turn
    add(&sums, 64, GMC_VERDICT_SUCCESS, 0, GMC_STEP_NONE);    // the pilot
    assert_int_equal(sums.trials, 1000);
    assert_int_equal(sums.repeated, 44);
    gmc_estimate e = plain(743, 1000);
    gmc_step_shift shift = gmc_step_shift_of(&sums, &e);
    double half = Z * sqrt(3 * 4 + 16 + Z * Z * 16) / 1000; // the heaviest that turned is 4
    assert_true(shift.is_told);
    assert_true(shift.part > 0.7);
    assert_true(shift.part < 0.9);
    ASSERT_NEAR(shift.change, (-3 * 2 + 4) / 1000.0, 1e-15);
    ASSERT_NEAR(shift.interval.lower, shift.change - half, 1e-12);
    ASSERT_NEAR(shift.interval.upper, shift.change + half, 1e-12);
    ASSERT_NEAR(shift.taken, 2 * shift.part * shift.change, 1e-15);
}

// Of a tenth, chosen whatever they show, none turned: of all ten times as many may.
static void what_did_not_turn_counts_by_its_chance(void **state)
{
    (void)state;
    static const double CHANCES[] = {1, 0.1, 0.01};
    for (int i = 0; i < GMC_COUNT(CHANCES); i++) {
        gmc_step_sums sums = {0};
        add(&sums, 1960, GMC_VERDICT_SUCCESS, 0.01, GMC_STEP_NONE);
        add(&sums, 20, GMC_VERDICT_SUCCESS, 0.01, GMC_STEP_SAME);
        add(&sums, 20, GMC_VERDICT_SUCCESS, CHANCES[i], GMC_STEP_SAME); // the likeliest count
        gmc_estimate e = plain(1900, 2000), alone = e;
        gmc_step_shift shift = gmc_step_shift_of(&sums, &e);
        double half = Z * Z / CHANCES[i] / 2000;
        assert_true(shift.is_told);
        assert_true(shift.change == 0);
        double most = 1 - gmc_estimate_sampling(&alone).lower; // no more than fail
        ASSERT_NEAR(shift.interval.lower, -fmin(half, 1), 1e-12);
        ASSERT_NEAR(shift.interval.upper, fmin(half, most), 1e-12);
        gmc_step_shift_widen(&sums, &e);
        assert_true(e.is_step_cut == (i > 0)); // what would lengthen it by more is not taken in
        assert_true(e.upper - e.lower < 1.21 * (alone.upper - alone.lower));
    }
}

static void too_few_say_nothing(void **state)
{
    (void)state;
    gmc_step_sums sums = {0};
    add(&sums, 981, GMC_VERDICT_SUCCESS, 0.1, GMC_STEP_NONE);
    add(&sums, GMC_STEP_LEAST - 1, GMC_VERDICT_SUCCESS, 0.1, GMC_STEP_SAME);
    gmc_estimate e = plain(990, 1000), before = e;
    assert_false(gmc_step_shift_of(&sums, &e).is_told);
    gmc_step_shift_widen(&sums, &e);
    assert_true(e.lower == before.lower);
    assert_true(e.upper == before.upper);
    assert_true(!e.has_step);
}

static void the_interval_moves_and_holds_the_share(void **state)
{
    (void)state;
    gmc_step_sums sums = {0};
    add(&sums, 70000, GMC_VERDICT_SUCCESS, 1, GMC_STEP_SAME);
    add(&sums, 1000, GMC_VERDICT_SUCCESS, 1, GMC_STEP_OTHER);
    add(&sums, 29000, GMC_VERDICT_FAILURE, 1, GMC_STEP_SAME);
    gmc_estimate e = plain(71000, 100000), alone = e;
    gmc_step_shift_widen(&sums, &e);
    assert_true(e.has_step);
    assert_true(e.p == alone.p);
    assert_true(e.sampling_lower == alone.lower);
    assert_true(e.sampling_upper == alone.upper);
    assert_true(e.upper == e.p); // the limit is below: 0.69
    assert_true(e.lower < 0.69);
    assert_true(e.lower > 0.68);
}

// However little the repetitions say, the interval grows by a fifth at most, unless what they say
// stands out.
static void chance_lengthens_by_a_fifth_at_most(void **state)
{
    (void)state;
    for (int turned = 0; turned < 8; turned++) {
        gmc_step_sums sums = {0};
        add(&sums, 940 - turned, GMC_VERDICT_SUCCESS, 0.1, GMC_STEP_NONE);
        add(&sums, turned, GMC_VERDICT_SUCCESS, 0.1, GMC_STEP_OTHER);
        add(&sums, 60 - turned, GMC_VERDICT_FAILURE, 0.1, GMC_STEP_SAME);
        add(&sums, turned, GMC_VERDICT_FAILURE, 0.1, GMC_STEP_OTHER); // as many up as down
        gmc_estimate e = plain(940, 1000), alone = e;
        gmc_step_shift shift = gmc_step_shift_of(&sums, &e);
        gmc_step_shift_widen(&sums, &e);
        assert_true(shift.part > 0);
        assert_true(shift.part <= 1);
        assert_true(e.has_step);
        assert_true(e.is_step_cut == (shift.part < 1)); // and the interval says which
        assert_true(e.upper - e.lower < 1.21 * (alone.upper - alone.lower));
        assert_true(e.upper - e.lower >= alone.upper - alone.lower);
    }
}

static void unsolved_repetitions_count_on_their_side(void **state)
{
    (void)state;
    gmc_step_sums sums = {0}, open = {0};
    add(&sums, 960, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_NONE);
    open = sums;
    add(&sums, 40, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_SAME);
    add(&open, 38, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_SAME);
    add(&open, 2, GMC_VERDICT_SUCCESS, 0.5, GMC_STEP_OPEN);
    gmc_estimate a = plain(700, 1000), b = a;
    gmc_step_shift_widen(&sums, &a);
    gmc_step_shift_widen(&open, &b);
    ASSERT_NEAR(a.lower - b.lower, 2 * 2 / 0.5 / 1000, 1e-12); // twice: to the limit of small steps
    assert_true(a.upper == b.upper);
}

/// 300 failures were cut short, 20 of them repeated, with 1 in 15: of the others z²·15 may turn.
static void what_was_cut_short_may_turn_unseen(void **state)
{
    (void)state;
    gmc_step_sums sums = {0};
    add(&sums, 700, GMC_VERDICT_SUCCESS, 1, GMC_STEP_SAME);
    for (int i = 0; i < 300; i++)
        gmc_step_sums_add(&sums, GMC_VERDICT_FAILURE, 1 / 15.0, true,
                          i < 20 ? GMC_STEP_SAME : GMC_STEP_NONE);
    gmc_estimate e = plain(700, 1000), alone = e;
    gmc_step_shift shift = gmc_step_shift_of(&sums, &e);
    double unseen = 15 * Z * Z / 1000, half = Z * Z / 1000;
    assert_true(shift.is_told);
    assert_true(shift.change == 0);
    ASSERT_NEAR(shift.interval.lower, -half, 1e-12);
    ASSERT_NEAR(shift.interval.upper, hypot(half, unseen), 1e-12);
    assert_true(shift.part == 1);
    assert_true(shift.unseen_part > 0);
    assert_true(shift.unseen_part < 1);
    gmc_step_shift_widen(&sums, &e);
    assert_true(e.is_step_cut); // and it says so
    assert_true(e.upper - e.lower < 1.21 * (alone.upper - alone.lower));
    assert_true(e.upper - alone.upper > alone.lower - e.lower); // they fail, and can only gain
}

/// A change that stands out by 2.4 standard deviations is taken in whole, one by less is not.
static void what_stands_out_is_taken_in_whole(void **state)
{
    (void)state;
    enum { N = 1000, RATE = 5 };
    for (int turned = 5; turned < 25; turned++) {
        gmc_step_sums s = {0};
        for (int i = 0; i < N; i++) {
            bool is_seen = i % RATE == 0, is_turned = i < RATE * turned;
            gmc_step_look look = is_seen && is_turned ? GMC_STEP_OTHER : GMC_STEP_SAME;
            gmc_step_sums_add(&s, GMC_VERDICT_FAILURE, 1.0 / RATE, false,
                              is_seen ? look : GMC_STEP_NONE);
        }
        gmc_estimate alone = plain(0, N);
        gmc_step_shift shift = gmc_step_shift_of(&s, &alone);
        double signal = RATE * RATE * turned * turned, variance = RATE * RATE * turned + Z * Z;
        assert_int_equal(shift.part == 1, signal > 6 * variance);
    }
}

/// Success cannot fall by more than it is, nor rise by more than failures are.
static void the_change_stays_within_what_can_turn(void **state)
{
    (void)state;
    gmc_step_sums s = {0};
    for (int i = 0; i < 400; i++)
        gmc_step_sums_add(&s, i < 40 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE, 0.01, false,
                          i % 16 == 0 ? GMC_STEP_SAME : GMC_STEP_NONE);
    gmc_estimate alone = plain(40, 400);
    gmc_step_shift shift = gmc_step_shift_of(&s, &alone);
    gmc_interval sampling = gmc_estimate_sampling(&alone);
    ASSERT_NEAR(shift.interval.lower, -sampling.upper, 0);
    ASSERT_NEAR(shift.interval.upper, fmin(Z * Z * 100 / 400, 1 - sampling.lower), 1e-12);
}

/// One far from the limit whose distance changed by more than half: others of it may turn.
static void what_nearly_turned_may_turn(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        gmc_step_sums s = {0};
        for (int i = 0; i < 1000; i++) {
            gmc_step_look look = i % 20 == 0 ? GMC_STEP_SAME : GMC_STEP_NONE;
            if (i == 1) look = GMC_STEP_NEARLY;
            if (i == 20 && turned > 0) look = GMC_STEP_OTHER;
            gmc_step_sums_add(&s, i % 2 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE,
                              i % 20 == 0 ? 1 : 0.02, false, look);
        }
        gmc_estimate alone = plain(500, 1000);
        gmc_step_shift shift = gmc_step_shift_of(&s, &alone);
        double half = Z * sqrt(turned + Z * Z * 50 * 50) / 1000;
        ASSERT_NEAR(shift.interval.upper, turned / 1000.0 + half, 1e-12);
        ASSERT_NEAR(shift.interval.lower, turned / 1000.0 - half, 1e-12);
    }
}

int test_step_shift(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_out_is_taken_in_whole),
        cmocka_unit_test(the_change_stays_within_what_can_turn),
        cmocka_unit_test(what_nearly_turned_may_turn),
        cmocka_unit_test(what_turned_counts_by_its_chance),
        cmocka_unit_test(what_did_not_turn_counts_by_its_chance),
        cmocka_unit_test(too_few_say_nothing),
        cmocka_unit_test(the_interval_moves_and_holds_the_share),
        cmocka_unit_test(chance_lengthens_by_a_fifth_at_most),
        cmocka_unit_test(unsolved_repetitions_count_on_their_side),
        cmocka_unit_test(what_was_cut_short_may_turn_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
