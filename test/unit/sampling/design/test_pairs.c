#include "engine/base/status.h"
#include "sampling/design/pairs.h"
#include "test/support/near.h"

#include <string.h>

static const gmc_pairs_plan PLAN = {.draws = 1000, .pilot = 100, .levels = 2};

/// One draw in ten fails cheaply; `every`-th of all differs at the full level, 0: none.
static gmc_verdict verdict_of(uint64_t trial, uint64_t every)
{
    uint64_t draw = trial / 2;
    bool works = draw % 10 != 0;
    if (trial % 2 == 1 && every > 0 && draw % every == 0) works = !works;
    return works ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
}

static gmc_pairs *run(uint64_t every, double full_work, bool backwards)
{
    gmc_pairs *p;
    const uint64_t *trials;
    uint64_t count = 0;
    assert_int_equal(gmc_pairs_create(&PLAN, &p), GMC_OK);
    assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    assert_int_equal(count, 200);
    while (count > 0) {
        assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_E_MISSING);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t t = trials[backwards ? count - 1 - i : i];
            gmc_pairs_put(p, t, verdict_of(t, every), t % 2 ? full_work : 1);
        }
        assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    }
    return p;
}

static void pairs_of_the_pilot_and_behind_it_are_counted(void **state)
{
    (void)state;
    gmc_pairs *p = run(7, 4, false);
    gmc_two_level_counts k = gmc_pairs_counts(p);
    assert_int_equal(k.cheap, 1000);
    assert_int_equal(k.cheap_works, 900);
    assert_true(k.pairs >= 100 + GMC_PAIRS_LEAST);
    for (int half = 0; half < 2; half++) {
        int64_t lost = 0, gained = 0;
        for (int64_t d = half; d < 2 * k.halves[half].pairs; d += 2) {
            lost += d % 7 == 0 && d % 10 != 0;
            gained += d % 7 == 0 && d % 10 == 0;
        }
        assert_true(k.halves[half].pairs >= 60);
        assert_int_equal(k.halves[half].lost, lost);
        assert_int_equal(k.halves[half].gained, gained);
    }
    assert_int_equal(k.pairs, k.halves[0].pairs + k.halves[1].pairs);
    assert_int_equal(k.lost, k.halves[0].lost + k.halves[1].lost);
    assert_int_equal(k.gained, k.halves[0].gained + k.halves[1].gained);
    ASSERT_NEAR(gmc_pairs_work(p, 0), 1, 1e-15);
    ASSERT_NEAR(gmc_pairs_work(p, 1), 4, 1e-15);
    gmc_pairs_free(p);
}

/// Draws of the pilot with even numbers differ in two of three, those with odd ones never.
static void a_half_follows_from_the_pilot_of_the_other(void **state)
{
    (void)state;
    gmc_pairs *p;
    const uint64_t *trials;
    uint64_t count;
    assert_int_equal(gmc_pairs_create(&PLAN, &p), GMC_OK);
    assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    while (count > 0) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t draw = trials[i] / 2;
            bool differs = draw < PLAN.pilot && draw % 2 == 0 && draw % 3 > 0;
            bool works = trials[i] % 2 == 1 && differs ? false : draw % 7 > 0;
            gmc_pairs_put(p, trials[i], works ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE,
                          trials[i] % 2 ? 4 : 1);
        }
        assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    }
    gmc_two_level_counts k = gmc_pairs_counts(p);
    assert_true(k.halves[1].pairs > 2 * k.halves[0].pairs);
    gmc_pairs_free(p);
}

static int64_t behind_pilot(const gmc_pairs *pairs)
{
    return gmc_pairs_counts(pairs).pairs - (int64_t)PLAN.pilot;
}

static void the_pilot_chooses_how_many(void **state)
{
    (void)state;
    gmc_pairs *often = run(3, 4, false), *seldom = run(0, 4, false), *dear = run(3, 400, false);
    assert_true(behind_pilot(often) > behind_pilot(seldom));
    assert_true(behind_pilot(often) > behind_pilot(dear));
    assert_true(behind_pilot(dear) >= GMC_PAIRS_LEAST);
    gmc_pairs *again = run(3, 4, true); // the order in which trials end changes nothing
    assert_int_equal(behind_pilot(again), behind_pilot(often));
    gmc_pairs_free(often);
    gmc_pairs_free(seldom);
    gmc_pairs_free(dear);
    gmc_pairs_free(again);
}

/// Three levels: that between differs often from the cheapest, the full one seldom from it; every
/// fifth trial between is unsolved.
static void draws_of_a_level_are_among_those_below(void **state)
{
    (void)state;
    gmc_pairs *p;
    const uint64_t *trials;
    uint64_t count;
    static unsigned char seen[3][1000];
    const gmc_pairs_plan plan = {.draws = 1000, .pilot = 100, .levels = 3};
    memset(seen, 0, sizeof seen);
    assert_int_equal(gmc_pairs_create(&plan, &p), GMC_OK);
    assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    assert_int_equal(count, 300);
    while (count > 0) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t draw = trials[i] / 3, level = trials[i] % 3;
            bool works = level == 0 ? draw % 10 > 0 : draw % 7 > 0;
            bool is_open = level == 1 && draw % 5 == 0;
            seen[level][draw] = 1;
            gmc_pairs_put(p, trials[i],
                          is_open ? GMC_VERDICT_UNSOLVED
                          : works ? GMC_VERDICT_SUCCESS
                                  : GMC_VERDICT_FAILURE,
                          (double)(1 << (2 * level)));
        }
        assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    }
    gmc_two_level_counts k = gmc_pairs_counts(p);
    int64_t between = k.rises[0][0].pairs + k.rises[0][1].pairs, gained = 0, lost = 0, base = 0;
    for (int d = 0; d < 1000; d++) {
        bool works = d % 7 > 0 && d % 5 > 0; // between, an unsolved one as a failure
        assert_true(seen[0][d] >= seen[1][d]);
        assert_true(seen[1][d] >= seen[2][d]);
        gained += seen[2][d] && !works && d % 7 > 0;
        base += seen[2][d] && !works && d % 7 > 0 && d % 10 > 0;
        lost += seen[2][d] && works && d % 7 == 0;
    }
    assert_int_equal(k.between, 1);
    assert_true(between >= k.pairs);
    assert_true(k.pairs >= 120);
    assert_int_equal(k.gained, gained);
    assert_int_equal(k.halves[0].base_gained + k.halves[1].base_gained, base);
    assert_int_equal(k.lost, lost);
    assert_int_equal(k.open, 0);
    gmc_pairs_free(p);
}

static void too_many_draws_are_refused(void **state)
{
    (void)state;
    gmc_pairs *p;
    gmc_pairs_plan plan = {.draws = UINT64_C(1) << 40, .pilot = 100, .levels = 2};
    assert_int_equal(gmc_pairs_create(&plan, &p), GMC_E_LIMIT);
    assert_null(p);
}

int test_pairs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_the_pilot_and_behind_it_are_counted),
        cmocka_unit_test(a_half_follows_from_the_pilot_of_the_other),
        cmocka_unit_test(the_pilot_chooses_how_many),
        cmocka_unit_test(draws_of_a_level_are_among_those_below),
        cmocka_unit_test(too_many_draws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
