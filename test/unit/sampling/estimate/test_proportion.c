#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"
#include "test/support/near.h"

typedef struct reference {
    int64_t successes, n;
    double level, lower, rest; // rest: 1 − upper
} reference;

static void wilson_agrees_with_sixty_digits(void **state)
{
    (void)state;
    static const reference CASES[] = {
        {0, 300, 0.95, 0.0, 0.98735702877545397},
        {300, 300, 0.95, 0.98735702877545397, 0.0},
        {1, 10, 0.95, 0.017876213095072909, 0.59584997320476157},
        {5, 10, 0.9, 0.26927182113826717, 0.26927182113826717},
        {934, 1000, 0.95, 0.916890724094024, 0.052212350459485843},
        {9340, 10000, 0.95, 0.92896518596396372, 0.061298496549711002},
        {9340, 10000, 0.999, 0.92535174098739502, 0.058290557221518841},
        {1, 1000, 0.95, 0.00017654637062607806, 0.99435744140204207},
        {3, 1000000, 0.95, 1.0202712409681229e-6, 0.99999117885022569},
        {999999999, 1000000000, 0.95, 0.99999999433506576, 1.7652455495696318e-10}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const reference *c = CASES + i;
        gmc_interval w = gmc_proportion_wilson(c->successes, c->n, c->level);
        ASSERT_NEAR_RELATIVE(w.lower, c->lower, 1e-14); // a few roundings
        ASSERT_NEAR(1.0 - w.upper, c->rest, 1e-15);     // one rounding of a number near 1
        gmc_interval again =
            gmc_proportion_wilson_z(c->successes, c->n, gmc_proportion_z(c->level));
        assert_true(again.lower == w.lower);
        assert_true(again.upper == w.upper);
    }
}

static void clopper_pearson_agrees_with_sixty_digits(void **state)
{
    (void)state;
    // mpmath 1.2: roots of binomial tails summed term by term
    static const reference CASES[] = {
        {0, 300, 0.95, 0.0, 0.98777902530570645},
        {300, 300, 0.95, 0.98777902530570645, 0.0},
        {1, 10, 0.95, 0.0025285785444617868, 0.55498388297180464},
        {5, 10, 0.9, 0.22244110100812907, 0.22244110100812907},
        {934, 1000, 0.95, 0.91679394953859726, 0.051408566018918482},
        {1, 1000, 0.95, 2.5317487491294066e-5, 0.99444107572017333},
        {999, 1000, 0.95, 0.99444107572017333, 2.5317487491294066e-5},
        {3, 1000000, 0.95, 6.1867255019064008e-7, 0.99999123275221185}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const reference *c = CASES + i;
        gmc_interval cp = gmc_proportion_clopper_pearson(c->successes, c->n, c->level);
        ASSERT_NEAR_RELATIVE(cp.lower, c->lower, 1e-10); // the header's promise
        ASSERT_NEAR(1.0 - cp.upper, c->rest, 1e-10 * c->rest + 2e-16);
    }
}

static void ends_are_exact_at_none_and_all(void **state)
{
    (void)state;
    static const int64_t N[] = {1, 2, 7, 1000, 1000000000};
    for (int i = 0; i < GMC_COUNT(N); i++) {
        gmc_interval none = gmc_proportion_wilson(0, N[i], 0.99);
        gmc_interval all = gmc_proportion_wilson(N[i], N[i], 0.99);
        assert_true(none.lower == 0.0);
        assert_true(none.upper > 0.0);
        assert_true(none.upper < 1.0);
        assert_true(all.upper == 1.0);
        assert_true(all.lower == 1.0 - none.upper);
        none = gmc_proportion_clopper_pearson(0, N[i], 0.99);
        all = gmc_proportion_clopper_pearson(N[i], N[i], 0.99);
        assert_true(none.lower == 0.0);
        assert_true(all.upper == 1.0);
        ASSERT_NEAR(all.lower, 1.0 - none.upper, 1e-15); // exp and expm1 of the same number
    }
    // rule of three: 0 of 300, one-sided 95 %: 1 − 0.05^(1/300) = 0.00993608 < 3/300
    ASSERT_NEAR(gmc_proportion_clopper_pearson(0, 300, 0.9).upper, 0.009936081944, 1e-12);
}

static void nothing_known_is_everything_possible(void **state)
{
    (void)state;
    gmc_interval w = gmc_proportion_wilson(0, 0, 0.95);
    gmc_interval cp = gmc_proportion_clopper_pearson(0, 0, 0.95);
    gmc_interval u = gmc_proportion_unsolved(0, 0, 0);
    assert_true(w.lower == 0.0);
    assert_true(w.upper == 1.0);
    assert_true(cp.lower == 0.0);
    assert_true(cp.upper == 1.0);
    assert_true(u.lower == 0.0);
    assert_true(u.upper == 1.0);
}

// One end of an interval that leaves twice as much on both sides.
static void the_upper_end_alone_leaves_everything_above_it(void **state)
{
    (void)state;
    static const int64_t N[] = {1, 20, 300, 100000};
    for (int i = 0; i < GMC_COUNT(N); i++)
        for (int64_t k = 0; k < N[i]; k += 1 + N[i] / 7) {
            gmc_interval both = gmc_proportion_clopper_pearson(k, N[i], 0.9);
            double upper = gmc_proportion_upper(k, N[i], 0.95);
            ASSERT_NEAR_RELATIVE(upper, both.upper, 1e-12); // (1 − 0.9)/2 is not quite 1 − 0.95
        }
    ASSERT_NEAR(gmc_proportion_upper(0, 300, 0.95), 0.009936081944, 1e-12); // rule of three
    ASSERT_NEAR(gmc_proportion_upper(0, 10, 0.5), 1 - pow(0.5, 0.1), 1e-15);
    assert_true(gmc_proportion_upper(0, 0, 0.95) == 1);
    assert_true(gmc_proportion_upper(7, 7, 0.95) == 1);
}

static void intervals_hold_their_estimate_and_grow_with_the_level(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 60; n += 7)
        for (int64_t k = 0; k <= n; k++) {
            double p = (double)k / (double)n;
            gmc_interval narrow = gmc_proportion_wilson(k, n, 0.8);
            gmc_interval wide = gmc_proportion_wilson(k, n, 0.999);
            gmc_interval cp = gmc_proportion_clopper_pearson(k, n, 0.8);
            gmc_interval cp_wide = gmc_proportion_clopper_pearson(k, n, 0.999);
            assert_true(narrow.lower <= p);
            assert_true(p <= narrow.upper);
            assert_true(wide.lower <= narrow.lower);
            assert_true(narrow.upper <= wide.upper);
            assert_true(cp.lower <= p);
            assert_true(p <= cp.upper);
            assert_true(cp_wide.lower <= cp.lower);
            assert_true(cp.upper <= cp_wide.upper);
        }
}

static void widths_need_the_known_number_of_trials(void **state)
{
    (void)state;
    // trials for a half width of 0.01 at p = 1/2 and 0.02 at p = 0.9, 95 %: Wilson 9600 and 869,
    // Clopper-Pearson 9701 and 912 (found with scipy 1.10)
    gmc_interval w = gmc_proportion_wilson(4800, 9600, 0.95);
    ASSERT_NEAR(0.5 * (w.upper - w.lower), 0.01,
                2e-6); // the width moves by 1e-6 per pair of trials
    gmc_interval cp = gmc_proportion_clopper_pearson(4851, 9701, 0.95);
    ASSERT_NEAR(0.5 * (cp.upper - cp.lower), 0.01, 2e-6);
    cp = gmc_proportion_clopper_pearson(821, 912, 0.95);
    ASSERT_NEAR(0.5 * (cp.upper - cp.lower), 0.02, 5e-5);
}

static void unsolved_trials_move_the_result_this_far(void **state)
{
    (void)state;
    gmc_interval u = gmc_proportion_unsolved(9340, 10000, 12);
    ASSERT_NEAR(u.lower, 9340.0 / 10012.0, 0.0);
    ASSERT_NEAR(u.upper, 9352.0 / 10012.0, 0.0);
    u = gmc_proportion_unsolved(0, 0, 5);
    assert_true(u.lower == 0.0);
    assert_true(u.upper == 1.0);
}

int test_proportion(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilson_agrees_with_sixty_digits),
        cmocka_unit_test(clopper_pearson_agrees_with_sixty_digits),
        cmocka_unit_test(ends_are_exact_at_none_and_all),
        cmocka_unit_test(nothing_known_is_everything_possible),
        cmocka_unit_test(the_upper_end_alone_leaves_everything_above_it),
        cmocka_unit_test(intervals_hold_their_estimate_and_grow_with_the_level),
        cmocka_unit_test(widths_need_the_known_number_of_trials),
        cmocka_unit_test(unsolved_trials_move_the_result_this_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
