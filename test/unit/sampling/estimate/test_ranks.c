// Places that follow from counts which leave no doubt, or all of it.
#include "engine/base/status.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/ranks.h"
#include "test/support/cmocka_all.h"

#include <stdlib.h>

/// Draw d of case c succeeds in the first `shares[c]` of every hundred draws.
static gmc_duels *made(const int *shares, int64_t cases, uint64_t draws)
{
    gmc_duels *duels;
    assert_int_equal(gmc_duels_create(cases, &duels), GMC_OK);
    for (int64_t c = 0; c < cases; c++)
        for (uint64_t d = 0; d < draws; d++) {
            gmc_verdict verdict =
                (int)(d % 100) < shares[c] ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
            assert_int_equal(gmc_duels_add(duels, c, d, verdict), GMC_OK);
        }
    return duels;
}

static const int64_t FOUR[] = {0, 1, 2, 3};

static void what_is_clear_has_one_place(void **state)
{
    (void)state;
    static const int SHARES[] = {50, 90, 10, 70};
    static const int64_t PLACES[] = {3, 1, 4, 2};
    gmc_duels *duels = made(SHARES, 4, 1000);
    for (int is_anytime = 0; is_anytime < 2; is_anytime++) {
        gmc_ranks_of of = {.count = 4, .cases = FOUR, .is_anytime = is_anytime == 1, .level = 0.95};
        gmc_ranks_set sets[4];
        bool may[4];
        assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
        assert_int_equal(gmc_ranks_best(duels, &of, 2, may), GMC_OK);
        for (int c = 0; c < 4; c++) {
            assert_true(sets[c].lower == PLACES[c]);
            assert_true(sets[c].upper == PLACES[c]);
            assert_int_equal(may[c], PLACES[c] <= 2);
        }
    }
    gmc_duels_free(duels);
}

static void common_draws_tell_what_intervals_do_not(void **state)
{
    (void)state;
    // 3 % apart on 1000 draws: the intervals overlap, but every draw that differs speaks for one
    static const int SHARES[] = {60, 57, 54, 54};
    gmc_duels *duels = made(SHARES, 4, 1000);
    gmc_ranks_of of = {.count = 4, .cases = FOUR, .level = 0.95};
    gmc_ranks_set sets[4];
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_true(sets[0].lower == 1);
    assert_true(sets[0].upper == 1);
    assert_true(sets[1].lower == 2);
    assert_true(sets[1].upper == 2);
    for (int c = 2; c < 4; c++) // equal ones share their places
        assert_true(sets[c].lower == 3 && sets[c].upper == 4);
    gmc_duels_free(duels);
}

static void a_part_of_the_cases_is_ranked_alone(void **state)
{
    (void)state;
    static const int SHARES[] = {50, 90, 10, 70};
    static const int64_t TWO[] = {2, 0};
    gmc_duels *duels = made(SHARES, 4, 500);
    gmc_ranks_of of = {.count = 2, .cases = TWO, .level = 0.95};
    gmc_ranks_set sets[2];
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_true(sets[0].lower == 2);
    assert_true(sets[1].upper == 1);
    of.count = 1; // alone it is the first
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_true(sets[0].lower == 1);
    assert_true(sets[0].upper == 1);
    gmc_duels_free(duels);
}

static void nothing_is_said_without_trials_or_verdicts(void **state)
{
    (void)state;
    gmc_duels *duels;
    assert_int_equal(gmc_duels_create(4, &duels), GMC_OK);
    for (uint64_t d = 0; d < 200; d++) {
        assert_int_equal(gmc_duels_add(duels, 0, d, GMC_VERDICT_UNSOLVED), GMC_OK);
        assert_int_equal(gmc_duels_add(duels, 1, d, GMC_VERDICT_SUCCESS), GMC_OK);
        assert_int_equal(gmc_duels_add(duels, 2, d, GMC_VERDICT_FAILURE), GMC_OK);
    }
    gmc_ranks_of of = {.count = 4, .cases = FOUR, .level = 0.95};
    gmc_ranks_set sets[4];
    bool may[4];
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_int_equal(gmc_ranks_best(duels, &of, 1, may), GMC_OK);
    assert_true(sets[0].lower == 1);
    assert_true(sets[0].upper == 4);
    assert_true(sets[3].lower == 1);
    assert_true(sets[3].upper == 4);
    assert_true(sets[1].upper == 3);
    assert_true(sets[2].lower == 2);
    assert_true(may[0]);
    assert_true(may[1]);
    assert_true(!may[2]);
    assert_true(may[3]);
    gmc_duels_free(duels);
}

static void randomisations_are_compared_by_their_means(void **state)
{
    (void)state;
    enum { REPLICAS = 16, EACH = 64 };
    static const int SHARES[] = {75, 56, 56, 10};
    gmc_duels *duels = made(SHARES, 4, REPLICAS * EACH);
    gmc_tally replicas[4 * REPLICAS];
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < REPLICAS; r++) {
            // all means move together, and those of 1 and 2 apart from each other now and then;
            // 0 and 3 always differ by as much: their trials in all tell them apart
            int64_t wins = SHARES[c] * EACH / 100 + r % 3;
            wins += c == 2 ? (r % 4 == 0) - (r % 4 == 2) : 0;
            replicas[c * REPLICAS + r] = (gmc_tally){.successes = wins, .failures = EACH - wins};
        }
    gmc_ranks_of of = {
        .count = 4, .cases = FOUR, .replica_count = REPLICAS, .replicas = replicas, .level = 0.95};
    gmc_ranks_set sets[4];
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_true(sets[0].lower == 1);
    assert_true(sets[0].upper == 1);
    assert_true(sets[1].lower == 2);
    assert_true(sets[1].upper == 3);
    assert_true(sets[2].lower == 2);
    assert_true(sets[2].upper == 3);
    assert_true(sets[3].lower == 4);
    gmc_duels_free(duels);
}

/// What is found by sorting is what all pairs would say. Cases are of few kinds, so that the pairs
/// can be counted kind by kind.
static void places_by_sorting_are_those_of_all_pairs(void **state)
{
    (void)state;
    enum { MANY = GMC_RANKS_PAIRS_MAX + 7, KINDS = 9, DRAWS = 90 };
    static const int KIND_SHARES[KINDS] = {0, 3, 10, 25, 40, 60, 78, 95, 100};
    int *shares = malloc(MANY * sizeof *shares);
    int64_t *cases = malloc(MANY * sizeof *cases), of_kind[KINDS] = {0};
    gmc_ranks_set *sets = malloc(MANY * sizeof *sets);
    bool *may = malloc(MANY * sizeof *may);
    assert_true(shares);
    assert_true(cases);
    assert_true(sets);
    assert_true(may);
    uint32_t chance = 12345;
    for (int c = 0; c < MANY; c++) {
        chance = chance * 1664525U + 1013904223U;
        int kind = (int)(chance >> 16) % KINDS;
        shares[c] = KIND_SHARES[kind];
        of_kind[kind]++;
        cases[c] = c;
    }
    gmc_duels *duels = made(shares, MANY, DRAWS);
    for (int is_anytime = 0; is_anytime < 2; is_anytime++) {
        gmc_ranks_of of = {
            .count = MANY, .cases = cases, .is_anytime = is_anytime == 1, .level = 0.95};
        const double share = 0.05 / (2.0 * MANY);
        gmc_interval ends[KINDS];
        for (int k = 0; k < KINDS; k++) {
            int64_t s = KIND_SHARES[k] < DRAWS ? KIND_SHARES[k] : DRAWS, f = DRAWS - s;
            ends[k] = gmc_proportion_clopper_pearson(s, DRAWS, 1 - 2 * share);
            if (is_anytime)
                ends[k] = (gmc_interval){.lower = gmc_anytime_lower(s, f, share),
                                         .upper = 1 - gmc_anytime_lower(f, s, share)};
        }
        assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
        int apart = 0;
        for (int c = 0; c < MANY; c++) {
            int64_t lower = 1, upper = MANY;
            for (int k = 0; k < KINDS; k++) {
                int own = 0;
                while (KIND_SHARES[own] != shares[c])
                    own++;
                lower += ends[k].lower > ends[own].upper ? of_kind[k] : 0;
                upper -= ends[own].lower > ends[k].upper ? of_kind[k] : 0;
            }
            assert_int_equal(sets[c].lower, lower);
            assert_int_equal(sets[c].upper, upper);
            apart += lower > 1 || upper < MANY;
        }
        assert_true(apart > MANY / 2);
        // of the best: as many as may be
        for (int64_t best = 1; best < MANY; best = 3 * best + 1) {
            assert_int_equal(gmc_ranks_best(duels, &of, best, may), GMC_OK);
            double in = 0.05 / (2.0 * (double)best), out = 0.05 / (2.0 * (double)(MANY - best));
            for (int k = 0; k < KINDS; k++) {
                int64_t s = KIND_SHARES[k] < DRAWS ? KIND_SHARES[k] : DRAWS, f = DRAWS - s;
                ends[k] = (gmc_interval){
                    .lower = gmc_proportion_clopper_pearson(s, DRAWS, 1 - 2 * out).lower,
                    .upper = gmc_proportion_clopper_pearson(s, DRAWS, 1 - 2 * in).upper};
                if (is_anytime)
                    ends[k] = (gmc_interval){.lower = gmc_anytime_lower(s, f, out),
                                             .upper = 1 - gmc_anytime_lower(f, s, in)};
            }
            for (int c = 0; c < MANY; c += 3) {
                int64_t better = 0;
                int own = 0;
                while (KIND_SHARES[own] != shares[c])
                    own++;
                for (int k = 0; k < KINDS; k++)
                    better += ends[k].lower > ends[own].upper ? of_kind[k] : 0;
                assert_int_equal(may[c], better < best);
            }
        }
    }
    gmc_duels_free(duels);
    free(shares);
    free(cases);
    free(sets);
    free(may);
}

static void many_cases_are_compared_by_intervals_alone(void **state)
{
    (void)state;
    enum { MANY = GMC_RANKS_PAIRS_MAX + 50 };
    int *shares = malloc(MANY * sizeof *shares);
    int64_t *cases = malloc(MANY * sizeof *cases);
    gmc_ranks_set *sets = malloc(MANY * sizeof *sets);
    bool *may = malloc(MANY * sizeof *may);
    assert_true(shares);
    assert_true(cases);
    assert_true(sets);
    assert_true(may);
    for (int c = 0; c < MANY; c++) {
        shares[c] = c < 20 ? 95 : 20;
        cases[c] = c;
    }
    gmc_duels *duels = made(shares, MANY, 100);
    gmc_ranks_of of = {.count = MANY, .cases = cases, .level = 0.95};
    assert_int_equal(gmc_ranks_find(duels, &of, sets), GMC_OK);
    assert_int_equal(gmc_ranks_best(duels, &of, 10, may), GMC_OK);
    for (int c = 0; c < MANY; c++) {
        assert_true(sets[c].lower == (c < 20 ? 1 : 21));
        assert_true(sets[c].upper == (c < 20 ? 20 : MANY));
        assert_int_equal(may[c], c < 20);
    }
    gmc_duels_free(duels);
    free(shares);
    free(cases);
    free(sets);
    free(may);
}

int test_ranks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_clear_has_one_place),
        cmocka_unit_test(common_draws_tell_what_intervals_do_not),
        cmocka_unit_test(a_part_of_the_cases_is_ranked_alone),
        cmocka_unit_test(nothing_is_said_without_trials_or_verdicts),
        cmocka_unit_test(randomisations_are_compared_by_their_means),
        cmocka_unit_test(places_by_sorting_are_those_of_all_pairs),
        cmocka_unit_test(many_cases_are_compared_by_intervals_alone),
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
