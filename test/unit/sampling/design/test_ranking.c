// Races over verdicts that are known beforehand: which trials they ask for, and what they decide.
#include "engine/base/status.h"
#include "sampling/design/ranking.h"
#include "sampling/random/stream.h"
#include "test/support/cmocka_all.h"

#include <string.h>

enum { CASES = 12, TRIALS_KEPT = 1 << 18 };

/// What trial (draw, case) would find.
typedef gmc_verdict (*oracle)(uint64_t draw, int64_t c);

/// Success shares of the cases, far enough apart that no two ever have as many successes.
static const double SHARES[CASES] = {0.9,  0.35, 0.1,  0.95, 0.55, 0.85,
                                     0.05, 0.75, 0.25, 0.65, 0.15, 0.45};

/// Every draw is a threshold that all cases meet: van der Corput's, spread evenly in any prefix.
static gmc_verdict known(uint64_t draw, int64_t c)
{
    double u = 0, step = 0.5;
    for (uint64_t d = draw; d > 0; d /= 2, step /= 2)
        u += step * (double)(d % 2);
    return u < SHARES[c] ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
}

/// Case c is case 5 c of `known`.
static gmc_verdict permuted(uint64_t draw, int64_t c) { return known(draw, 5 * c % CASES); }

static gmc_verdict unsolved_winners(uint64_t draw, int64_t c)
{
    return SHARES[c] > 0.8 ? GMC_VERDICT_UNSOLVED : known(draw, c);
}

static gmc_verdict all_equal(uint64_t draw, int64_t c)
{
    gmc_stream stream = gmc_stream_for_case(gmc_stream_open(1, draw, "equal"), (uint64_t)c);
    return gmc_stream_uniform(stream, 0) < 0.5 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
}

static const gmc_ranking_plan PLAN = {.case_count = CASES,
                                      .group_count = 1,
                                      .best = 3,
                                      .within = 0.02,
                                      .level = 0.95,
                                      .budget = 100000,
                                      .first = 16,
                                      .last = 4096};

/// Run a ranking to its end. `asked`: the trials in the order of the rounds, (TRIALS_KEPT); NULL:
/// not wanted.
static gmc_ranking *run(const gmc_ranking_plan *plan, oracle find, bool is_backward,
                        uint64_t *asked)
{
    gmc_ranking *ranking;
    assert_int_equal(gmc_ranking_create(plan, &ranking), GMC_OK);
    uint64_t cases = (uint64_t)plan->case_count, count = 0;
    for (int rounds = 0;; rounds++) {
        gmc_ranking_round round;
        assert_int_equal(gmc_ranking_next(ranking, &round), GMC_OK);
        if (round.count == 0) break;
        assert_int_equal(round.round, rounds);
        for (uint64_t i = 0; i < round.count; i++) {
            uint64_t trial = round.trials[is_backward ? round.count - 1 - i : i];
            if (i > 0) assert_true(round.trials[i - 1] < round.trials[i]);
            assert_false(gmc_ranking_has(ranking, trial));
            assert_true(trial / cases < plan->last);
            assert_int_equal(
                gmc_ranking_put(ranking, trial, find(trial / cases, (int64_t)(trial % cases))),
                GMC_OK);
        }
        for (uint64_t i = 0; i < round.count && asked; i++)
            asked[count + i] = round.trials[i];
        count += round.count;
        assert_true(count <= TRIALS_KEPT);
        assert_true(count <= plan->budget);
    }
    assert_true(gmc_ranking_trials(ranking) == count);
    return ranking;
}

static void the_best_are_found_and_the_others_left_early(void **state)
{
    (void)state;
    gmc_ranking *ranking = run(&PLAN, known, false, NULL);
    assert_int_equal(gmc_ranking_ended(ranking), GMC_RANKING_REACHED);
    gmc_ranking_case worst = gmc_ranking_of_case(ranking, 6),
                     tenth = gmc_ranking_of_case(ranking, 5);
    for (int c = 0; c < CASES; c++) {
        gmc_ranking_case found = gmc_ranking_of_case(ranking, c);
        assert_int_equal(found.is_best, SHARES[c] > 0.8);
        assert_false(found.is_open);
        assert_true((uint64_t)gmc_tally_trials(found.tally) == found.draws);
        assert_true(found.draws >= PLAN.first);
        assert_true(found.round < gmc_ranking_rounds(ranking));
    }
    assert_true(worst.draws * 4 < tenth.draws);
    assert_true(gmc_ranking_trials(ranking) < CASES * tenth.draws);
    gmc_ranking_free(ranking);
}

static void rounds_depend_on_verdicts_alone(void **state)
{
    (void)state;
    static uint64_t one[TRIALS_KEPT], other[TRIALS_KEPT];
    gmc_ranking *a = run(&PLAN, all_equal, false, one), *b = run(&PLAN, all_equal, true, other);
    uint64_t count = gmc_ranking_trials(a);
    assert_true(count == gmc_ranking_trials(b));
    assert_true(gmc_ranking_rounds(a) == gmc_ranking_rounds(b));
    assert_memory_equal(one, other, count * sizeof *one);

    // decided again from what is there, also from less than all: then it asks for what is missing
    gmc_ranking *again, *torn;
    assert_int_equal(gmc_ranking_create(&PLAN, &again), GMC_OK);
    assert_int_equal(gmc_ranking_create(&PLAN, &torn), GMC_OK);
    for (uint64_t i = count; i-- > 0;) {
        gmc_verdict verdict = all_equal(one[i] / CASES, (int64_t)(one[i] % CASES));
        assert_int_equal(gmc_ranking_put(again, one[i], verdict), GMC_OK);
        if (i != count / 2) assert_int_equal(gmc_ranking_put(torn, one[i], verdict), GMC_OK);
    }
    assert_int_equal(gmc_ranking_decide(again), GMC_OK);
    assert_int_equal(gmc_ranking_decide(torn), GMC_E_MISSING);
    assert_int_equal(gmc_ranking_ended(torn), GMC_RANKING_OPEN);
    uint64_t missing = one[count / 2];
    assert_int_equal(
        gmc_ranking_put(torn, missing, all_equal(missing / CASES, (int64_t)(missing % CASES))),
        GMC_OK);
    assert_int_equal(gmc_ranking_decide(torn), GMC_OK);
    for (int c = 0; c < CASES; c++) {
        gmc_ranking_case found[3] = {gmc_ranking_of_case(a, c), gmc_ranking_of_case(again, c),
                                     gmc_ranking_of_case(torn, c)};
        for (int i = 1; i < 3; i++) {
            assert_true(found[i].draws == found[0].draws);
            assert_true(found[i].round == found[0].round);
            assert_int_equal(found[i].is_best, found[0].is_best);
        }
    }
    assert_int_equal(gmc_ranking_ended(again), gmc_ranking_ended(a));
    gmc_ranking_free(a);
    gmc_ranking_free(b);
    gmc_ranking_free(again);
    gmc_ranking_free(torn);
}

static void where_it_stands_follows_from_the_rounds_that_are_there(void **state)
{
    (void)state;
    static uint64_t asked[TRIALS_KEPT];
    gmc_ranking *whole = run(&PLAN, all_equal, false, asked), *ranking;
    gmc_ranking_round round, next;
    uint64_t count = gmc_ranking_trials(whole), put = 0;
    assert_int_equal(gmc_ranking_create(&PLAN, &ranking), GMC_OK);
    assert_int_equal(gmc_ranking_catch_up(ranking, &round), GMC_OK);
    for (int number = 0; round.count > 0; number++) {
        assert_int_equal(round.round, number);
        assert_int_equal(gmc_ranking_open(ranking).count, round.count);
        assert_memory_equal(round.trials, asked + put, round.count * sizeof *asked);
        // a case is where the rounds before left it, and asked for what this one has
        for (int c = 0; c < CASES; c++) {
            gmc_ranking_case found = gmc_ranking_of_case(ranking, c);
            assert_true((uint64_t)gmc_tally_trials(found.tally) == found.draws);
            assert_true(found.round <= number);
        }
        for (uint64_t i = 0; i < round.count; i++)
            assert_true(gmc_ranking_asks(ranking, round.trials[i]));
        assert_false(gmc_ranking_asks(ranking, round.trials[round.count - 1] + CASES));
        // without one of its trials nothing moves
        uint64_t first = round.trials[0];
        for (uint64_t i = put; i < put + round.count; i++)
            if (asked[i] != first)
                assert_int_equal(
                    gmc_ranking_put(ranking, asked[i],
                                    all_equal(asked[i] / CASES, (int64_t)(asked[i] % CASES))),
                    GMC_OK);
        put += round.count;
        assert_int_equal(gmc_ranking_catch_up(ranking, &next), GMC_OK);
        assert_true(next.round == number);
        assert_true(next.count == round.count);
        assert_int_equal(
            gmc_ranking_put(ranking, first, all_equal(first / CASES, (int64_t)(first % CASES))),
            GMC_OK);
        assert_int_equal(gmc_ranking_catch_up(ranking, &round), GMC_OK);
    }
    assert_true(put == count);
    assert_int_equal(gmc_ranking_ended(ranking), gmc_ranking_ended(whole));
    assert_int_equal(gmc_ranking_open(ranking).count, 0);
    gmc_ranking_free(ranking);
    gmc_ranking_free(whole);
}

/// What was run within a budget is asked for within any larger one: it may be gone on with.
static void a_larger_budget_asks_for_what_a_smaller_one_did(void **state)
{
    (void)state;
    static uint64_t asked[TRIALS_KEPT];
    gmc_ranking_plan plan = PLAN;
    plan.budget = 20000;
    gmc_ranking *large = run(&plan, all_equal, false, NULL);
    for (uint64_t budget = CASES * PLAN.first; budget < plan.budget; budget += 777) {
        gmc_ranking_plan less = plan;
        less.budget = budget;
        gmc_ranking *small = run(&less, all_equal, false, asked);
        assert_true(gmc_ranking_trials(small) <= budget);
        for (uint64_t i = 0; i < gmc_ranking_trials(small); i++)
            assert_true(gmc_ranking_asks(large, asked[i]));
        gmc_ranking_free(small);
    }
    gmc_ranking_free(large);
}

static void other_numbers_of_the_cases_permute_the_answer(void **state)
{
    (void)state;
    gmc_ranking *a = run(&PLAN, known, false, NULL), *b = run(&PLAN, permuted, false, NULL);
    for (int c = 0; c < CASES; c++) {
        gmc_ranking_case x = gmc_ranking_of_case(a, 5 * c % CASES), y = gmc_ranking_of_case(b, c);
        assert_true(x.draws == y.draws);
        assert_true(x.round == y.round);
        assert_int_equal(x.is_best, y.is_best);
    }
    gmc_ranking_free(a);
    gmc_ranking_free(b);
}

static void it_stops_where_the_budget_or_the_draws_end(void **state)
{
    (void)state;
    gmc_ranking_plan plan = PLAN;
    plan.budget = 1000;
    gmc_ranking *ranking = run(&plan, all_equal, false, NULL);
    assert_int_equal(gmc_ranking_ended(ranking), GMC_RANKING_BUDGET);
    assert_true(gmc_ranking_trials(ranking) > plan.budget - CASES);
    assert_string_equal(gmc_ranking_end_name(gmc_ranking_ended(ranking)), "budget");
    int best = 0, open = 0;
    for (int c = 0; c < CASES; c++) {
        best += gmc_ranking_of_case(ranking, c).is_best;
        open += gmc_ranking_of_case(ranking, c).is_open;
    }
    assert_int_equal(best, plan.best);
    assert_true(open > plan.best);
    gmc_ranking_free(ranking);

    plan.budget = 100000;
    plan.last = 64;
    ranking = run(&plan, all_equal, false, NULL);
    assert_int_equal(gmc_ranking_ended(ranking), GMC_RANKING_DRAWS);
    assert_true(gmc_ranking_trials(ranking) <= CASES * plan.last);
    gmc_ranking_free(ranking);

    plan.budget = CASES * plan.first; // the first round alone
    ranking = run(&plan, all_equal, false, NULL);
    assert_int_equal(gmc_ranking_rounds(ranking), 1);
    gmc_ranking_free(ranking);
}

static void what_is_unsolved_is_never_claimed(void **state)
{
    (void)state;
    gmc_ranking_plan plan = PLAN;
    plan.last = 512;
    gmc_ranking *ranking = run(&plan, unsolved_winners, false, NULL);
    // the three may be the best, and may be the worst: neither can be said
    assert_int_equal(gmc_ranking_ended(ranking), GMC_RANKING_DRAWS);
    for (int c = 0; c < CASES; c++)
        if (SHARES[c] > 0.8) assert_true(gmc_ranking_of_case(ranking, c).is_open);
    gmc_ranking_free(ranking);
}

static void groups_have_their_own_best(void **state)
{
    (void)state;
    int groups[CASES];
    for (int c = 0; c < CASES; c++)
        groups[c] = c % 2;
    gmc_ranking_plan plan = PLAN;
    plan.groups = groups;
    plan.group_count = 2;
    plan.best = 2;
    gmc_ranking *ranking = run(&plan, known, false, NULL);
    assert_int_equal(gmc_ranking_ended(ranking), GMC_RANKING_REACHED);
    // even: 0.9 (0), 0.55 (4); odd: 0.95 (3), 0.85 (5)
    for (int c = 0; c < CASES; c++)
        assert_int_equal(gmc_ranking_of_case(ranking, c).is_best,
                         c == 0 || c == 4 || c == 3 || c == 5);
    gmc_ranking_free(ranking);
}

static void too_many_addresses_are_refused(void **state)
{
    (void)state;
    gmc_ranking_plan plan = PLAN;
    gmc_ranking *ranking;
    plan.last = GMC_RANKING_TRIALS_MAX / CASES + 1;
    assert_int_equal(gmc_ranking_create(&plan, &ranking), GMC_E_LIMIT);
    assert_null(ranking);
    gmc_ranking_free(NULL);
}

int test_ranking(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_found_and_the_others_left_early),
        cmocka_unit_test(rounds_depend_on_verdicts_alone),
        cmocka_unit_test(where_it_stands_follows_from_the_rounds_that_are_there),
        cmocka_unit_test(a_larger_budget_asks_for_what_a_smaller_one_did),
        cmocka_unit_test(other_numbers_of_the_cases_permute_the_answer),
        cmocka_unit_test(it_stops_where_the_budget_or_the_draws_end),
        cmocka_unit_test(what_is_unsolved_is_never_claimed),
        cmocka_unit_test(groups_have_their_own_best),
        cmocka_unit_test(too_many_addresses_are_refused),
    };
    return cmocka_run_group_tests_name("ranking", tests, NULL, NULL);
}
