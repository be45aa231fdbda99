#include "sampling/campaign/prefix.h"
#include "test/support/near.h"

enum { CASES = 3, DRAWS = 4000, TRIALS = CASES * DRAWS };

static const gmc_stop_rule RULE = {GMC_STOP_HALF_WIDTH, 0.05};

/// Two of three cases hold, the third in half of the draws.
static gmc_verdict verdict_of(uint64_t trial)
{
    uint64_t draw = trial / CASES;
    bool holds = trial % CASES != 2 || (draw * 2654435761U >> 7) % 2 == 0;
    return holds ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
}

static gmc_prefix started(void)
{
    gmc_prefix p;
    assert_int_equal(gmc_prefix_create(&p, RULE, TRIALS, CASES, 0.95), GMC_OK);
    return p;
}

static void stops_at_a_draw_that_the_order_of_arrival_cannot_move(void **state)
{
    (void)state;
    gmc_prefix in_order = started();
    uint64_t fed = 0;
    while (in_order.verdict == GMC_STOP_UNDECIDED && fed < TRIALS) {
        assert_int_equal(gmc_prefix_add(&in_order, fed, verdict_of(fed)), GMC_OK);
        fed++;
    }
    assert_int_equal(in_order.verdict, GMC_STOP_YES);
    assert_int_equal(gmc_prefix_trials(&in_order), fed);
    assert_int_equal(fed % CASES, 0);
    gmc_interval at = gmc_anytime_interval(&in_order.anytime);
    assert_true(0.5 * (at.upper - at.lower) < RULE.threshold);

    // backwards in blocks of 64, as workers that overtake each other at their worst
    gmc_prefix mixed = started();
    for (uint64_t block = 0; block < TRIALS; block += 64)
        for (uint64_t i = 64; i-- > 0;)
            if (block + i < TRIALS)
                assert_int_equal(gmc_prefix_add(&mixed, block + i, verdict_of(block + i)), GMC_OK);
    assert_int_equal(gmc_prefix_trials(&mixed), fed);
    gmc_prefix_free(&in_order);
    gmc_prefix_free(&mixed);
}

typedef struct asked {
    int count;
    int64_t draws[64];
} asked;

static gmc_stop_verdict ask(void *context, int64_t draws)
{
    asked *a = context;
    a->draws[a->count++] = draws;
    return draws >= 150 ? GMC_STOP_YES : GMC_STOP_UNDECIDED;
}

static void a_surrogate_is_asked_at_draws_known_beforehand(void **state)
{
    (void)state;
    const gmc_stop_rule rule = {GMC_STOP_SURROGATE, 0.05};
    asked a = {0};
    gmc_prefix p;
    assert_int_equal(gmc_prefix_create(&p, rule, 1000, 1, 0.95), GMC_OK);
    p.ask = ask;
    p.ask_context = &a;
    // pairs of trials that overtake each other
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(gmc_prefix_add(&p, i ^ 1U, GMC_VERDICT_SUCCESS), GMC_OK);
    assert_int_equal(a.count, 5);
    static const int64_t LOOKS[] = {100, 114, 130, 148, 169};
    assert_memory_equal(a.draws, LOOKS, sizeof LOOKS);
    assert_int_equal(p.verdict, GMC_STOP_YES);
    assert_int_equal(gmc_prefix_trials(&p), 169);
    gmc_prefix_free(&p);
}

static void a_missing_trial_holds_everything_up(void **state)
{
    (void)state;
    gmc_prefix p = started();
    for (uint64_t i = 1; i < TRIALS; i++)
        assert_int_equal(gmc_prefix_add(&p, i, verdict_of(i)), GMC_OK);
    assert_int_equal(p.verdict, GMC_STOP_UNDECIDED);
    assert_int_equal(gmc_prefix_trials(&p), TRIALS);
    assert_int_equal(gmc_prefix_add(&p, 0, verdict_of(0)), GMC_OK);
    assert_int_equal(p.verdict, GMC_STOP_YES);
    gmc_prefix_free(&p);
}

static void without_a_rule_it_costs_nothing(void **state)
{
    (void)state;
    gmc_prefix p;
    assert_int_equal(gmc_prefix_create(&p, (gmc_stop_rule){0}, 7, CASES, 0.95), GMC_OK);
    assert_int_equal(gmc_prefix_add(&p, 5, GMC_VERDICT_SUCCESS), GMC_OK);
    assert_null(p.known);
    assert_int_equal(gmc_prefix_trials(&p), 7);
    gmc_prefix_free(&p);
}

int test_prefix(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_at_a_draw_that_the_order_of_arrival_cannot_move),
        cmocka_unit_test(a_surrogate_is_asked_at_draws_known_beforehand),
        cmocka_unit_test(a_missing_trial_holds_everything_up),
        cmocka_unit_test(without_a_rule_it_costs_nothing),
    };
    return cmocka_run_group_tests_name("prefix", tests, NULL, NULL);
}
