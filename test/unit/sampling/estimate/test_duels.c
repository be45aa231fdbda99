// Cases on common draws: the counts, and what may be concluded from them by exact enumeration.
#include "sampling/estimate/ranks.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <math.h>

static gmc_verdict verdict_of(uint64_t seed, int64_t c, uint64_t draw)
{
    gmc_stream stream = gmc_stream_for_case(gmc_stream_open(seed, draw, "verdict"), (uint64_t)c);
    double u = gmc_stream_uniform(stream, 0);
    return u < 0.6 ? GMC_VERDICT_SUCCESS : u < 0.9 ? GMC_VERDICT_FAILURE : GMC_VERDICT_UNSOLVED;
}

/// Case c of the tests has these draws; some begin late or have a gap.
static bool is_there(int64_t c, uint64_t draw)
{
    return c == 0 ? draw < 200 : c == 1 ? draw >= 3 && draw < 131 : draw < 190 && draw % 7 != 3;
}

static void pairs_are_counted_on_the_draws_that_both_have(void **state)
{
    (void)state;
    enum { CASES = 3, DRAWS = 200 };
    gmc_duels *duels;
    assert_int_equal(gmc_duels_create(CASES, &duels), GMC_OK);
    for (uint64_t draw = DRAWS; draw-- > 0;) // any order
        for (int64_t c = 0; c < CASES; c++)
            if (is_there(c, draw))
                assert_int_equal(gmc_duels_add(duels, c, draw, verdict_of(1, c, draw)), GMC_OK);
    for (int64_t a = 0; a < CASES; a++) {
        gmc_tally tally = {0};
        for (uint64_t draw = 0; draw < DRAWS + 100; draw++) {
            assert_int_equal(gmc_duels_has(duels, a, draw), draw < DRAWS && is_there(a, draw));
            if (draw < DRAWS && is_there(a, draw)) gmc_tally_add(&tally, verdict_of(1, a, draw));
        }
        gmc_tally found = gmc_duels_tally(duels, a, GMC_DUELS_ALL);
        assert_true(found.successes == tally.successes);
        assert_true(found.failures == tally.failures);
        assert_true(found.unsolved == tally.unsolved);
        assert_true(tally.unsolved > 0);
        for (int64_t b = 0; b < CASES; b++) {
            gmc_duels_counts want = {0}, counts = gmc_duels_count(duels, a, b, GMC_DUELS_ALL);
            for (uint64_t draw = 0; draw < DRAWS; draw++) {
                if (!is_there(a, draw) || !is_there(b, draw)) continue;
                bool first = verdict_of(1, a, draw) == GMC_VERDICT_SUCCESS;
                bool second = verdict_of(1, b, draw) != GMC_VERDICT_FAILURE;
                want.draws++;
                want.first += first && !second;
                want.second += !first && second;
            }
            assert_true(counts.draws == want.draws);
            assert_true(want.draws > 90);
            assert_true(counts.first == want.first);
            assert_true(counts.second == want.second);
        }
    }
    gmc_duels_free(duels);
    gmc_duels_free(NULL);
}

static void counts_end_where_they_are_told_to(void **state)
{
    (void)state;
    enum { DRAWS = 150 };
    gmc_duels *duels;
    assert_int_equal(gmc_duels_create(2, &duels), GMC_OK);
    for (uint64_t draw = 0; draw < DRAWS; draw++)
        for (int64_t c = 0; c < 2; c++)
            assert_int_equal(gmc_duels_add(duels, c, draw, verdict_of(2, c, draw)), GMC_OK);
    gmc_tally tally = {0};
    int64_t first = 0;
    for (uint64_t end = 0; end <= DRAWS; end++) {
        gmc_tally found = gmc_duels_tally(duels, 0, end);
        assert_true(found.successes == tally.successes);
        assert_true(found.unsolved == tally.unsolved);
        assert_true(gmc_tally_trials(found) == (int64_t)end);
        gmc_duels_counts counts = gmc_duels_count(duels, 0, 1, end);
        assert_true(counts.draws == (int64_t)end);
        assert_true(counts.first == first);
        gmc_verdict a = verdict_of(2, 0, end), b = verdict_of(2, 1, end);
        gmc_tally_add(&tally, a);
        first += a == GMC_VERDICT_SUCCESS && b == GMC_VERDICT_FAILURE;
    }
    gmc_duels_free(duels);
}

static double choose(int n, int k)
{
    double value = 1;
    for (int i = 0; i < k; i++)
        value = value * (n - i) / (i + 1);
    return value;
}

/// E W over all outcomes of n draws, P(D = 1) = first, P(D = -1) = second.
static double expected_wealth(int n, double first, double second, double margin)
{
    double sum = 0;
    for (int i = 0; i <= n; i++)
        for (int k = 0; i + k <= n; k++) {
            double p = choose(n, i) * choose(n - i, k) * pow(first, i) * pow(second, k) *
                       pow(1 - first - second, n - i - k);
            sum += p * exp(gmc_duels_log_wealth((gmc_duels_counts){n, i, k}, margin));
        }
    return sum;
}

static void wealth_is_fair_at_the_margin_and_falls_below_it(void **state)
{
    (void)state;
    static const double MARGINS[] = {0, 0.02, 0.3};
    for (int i = 0; i < 3; i++) {
        double margin = MARGINS[i];
        // E D = -margin: a fair game, whatever the share of discordant draws
        ASSERT_NEAR(expected_wealth(12, 0.3, 0.3 + margin, margin), 1, 1e-12);
        ASSERT_NEAR(expected_wealth(12, 0.01, 0.01 + margin, margin), 1, 1e-12);
        assert_true(expected_wealth(12, 0.2, 0.25 + margin, margin) < 1);
        assert_true(expected_wealth(12, 0.4, 0.2, margin) > 1.5);
    }
    // without a draw nobody has won
    ASSERT_NEAR(gmc_duels_log_wealth((gmc_duels_counts){0, 0, 0}, 0.02), 0, 1e-15);
}

static void a_clear_difference_is_claimed_and_none_is_not(void **state)
{
    (void)state;
    double goal = log(1000);
    assert_true(gmc_duels_log_wealth((gmc_duels_counts){1000, 60, 10}, 0) > goal);
    assert_true(gmc_duels_log_wealth((gmc_duels_counts){1000, 300, 300}, 0) < 0.1);
    // equal cases that never differ are within any margin, soon
    assert_true(gmc_duels_log_wealth((gmc_duels_counts){600, 0, 0}, 0.02) > goal);
    ASSERT_BELOW(gmc_duels_log_wealth((gmc_duels_counts){600, 0, 0}, 0), 1e-12);
}

static void the_sign_test_is_the_tail_of_a_binomial(void **state)
{
    (void)state;
    for (int n = 0; n <= 20; n++)
        for (int k = 0; k <= n; k++) {
            double tail = 0;
            for (int i = k; i <= n; i++)
                tail += choose(n, i) * pow(0.5, n);
            gmc_duels_counts counts = {.draws = 50, .first = k, .second = n - k};
            // the beta function's error, beta.h
            ASSERT_NEAR(gmc_duels_sign(counts), tail, 1e-12);
        }
}

int test_duels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_on_the_draws_that_both_have),
        cmocka_unit_test(counts_end_where_they_are_told_to),
        cmocka_unit_test(wealth_is_fair_at_the_margin_and_falls_below_it),
        cmocka_unit_test(a_clear_difference_is_claimed_and_none_is_not),
        cmocka_unit_test(the_sign_test_is_the_tail_of_a_binomial),
    };
    return cmocka_run_group_tests_name("duels", tests, NULL, NULL);
}
