#include "engine/base/check.h"
#include "sampling/shards/shards.h"
#include "sampling/store/journal.h"
#include "test/support/cmocka.h"

enum { CASES = 6 };

static const gmc_ranking_plan RACE = {.case_count = CASES,
                                      .group_count = 1,
                                      .best = 2,
                                      .within = 0.05,
                                      .level = 0.95,
                                      .budget = 1000,
                                      .first = 5,
                                      .last = 100};

/// Parts of the first round, together: its list.
static void the_parts_of_a_round_are_all_of_it(void **state)
{
    (void)state;
    for (int parts = 1; parts <= CASES * 5 + 2; parts++) {
        uint64_t next = 0, least = UINT64_MAX, most = 0;
        for (int part = 1; part <= parts; part++) {
            const gmc_store_plan plan = {.ranking = &RACE, .shard = part, .shard_count = parts};
            gmc_diagnostics messages = {0};
            gmc_round_part taken;
            assert_int_equal(gmc_round_part_open(&plan, NULL, &messages, &taken), GMC_OK);
            assert_true(taken.round.is_open);
            assert_true(taken.round.number == 0);
            assert_string_equal(taken.round.after, "");
            assert_true(taken.round.part_count == taken.count);
            for (uint64_t i = 0; i < taken.count; i++)
                assert_true(taken.trials[i] == next++); // of the first round: the first draws
            if (taken.count < least) least = taken.count;
            if (taken.count > most) most = taken.count;
            gmc_round_part_free(&taken);
            gmc_diagnostics_free(&messages);
        }
        assert_true(next == CASES * RACE.first);
        assert_true(most - least <= 1);
    }
}

static void trials_that_are_missing_or_not_asked_for_are_seen(void **state)
{
    (void)state;
    const uint64_t count = CASES * RACE.first;
    for (int kind = 0; kind < 3; kind++) { // all of the first round, one too few, one too many
        gmc_ranking *ranking;
        gmc_ranking_round open;
        assert_int_equal(gmc_ranking_create(&RACE, &ranking), GMC_OK);
        uint64_t put = kind == 1 ? count - 1 : count;
        for (uint64_t i = 0; i < put; i++)
            assert_int_equal(
                gmc_ranking_put(ranking, i, i % 2 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE),
                GMC_OK);
        if (kind == 2)
            assert_int_equal(gmc_ranking_put(ranking, 90 * CASES, GMC_VERDICT_SUCCESS), GMC_OK);
        gmc_status status = gmc_round_part_stand(ranking, put + (kind == 2), &open);
        assert_int_equal(status, kind == 0 ? GMC_OK : GMC_E_MISMATCH);
        if (kind == 0) assert_true(open.round == 1 && open.count > 0);
        gmc_ranking_free(ranking);
    }
}

static void a_file_that_is_not_there_is_said(void **state)
{
    (void)state;
    const gmc_store_plan plan = {.ranking = &RACE, .shard = 1, .shard_count = 2};
    gmc_diagnostics messages = {0};
    gmc_round_part part;
    assert_int_equal(gmc_round_part_open(&plan, "/nowhere/state.h5", &messages, &part),
                     GMC_E_MISSING);
    assert_int_equal(messages.error_count, 1);
    gmc_round_part_free(&part);
    gmc_diagnostics_free(&messages);
}

static void a_part_is_named_by_its_place_and_their_number(void **state)
{
    (void)state;
    gmc_journal_part part = {0};
    assert_true(gmc_journal_part_parse("3/64", &part));
    assert_true(part.index == 3);
    assert_true(part.count == 64);
    assert_true(gmc_journal_part_parse("1/1\npart_trials: 7\n", &part));
    assert_true(part.index == 1);
    assert_true(part.count == 1);
    static const char *const WRONG[] = {"",    "/",     "3",    "3/",        "0/4",    "5/4",
                                        "a/4", "3/4th", "3/-4", "-3/4",      "3/4/5",  "1/1000001",
                                        "3/b", "/4",    "3//4", "3/4 later", "3 of 4", "part"};
    for (int i = 0; i < GMC_COUNT(WRONG); i++)
        if (gmc_journal_part_parse(WRONG[i], &part)) fail_msg("%s", WRONG[i]);
    assert_true(part.index == 1);
    assert_true(part.count == 1); // as it was
}

int test_round_part(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_a_round_are_all_of_it),
        cmocka_unit_test(trials_that_are_missing_or_not_asked_for_are_seen),
        cmocka_unit_test(a_part_is_named_by_its_place_and_their_number),
        cmocka_unit_test(a_file_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
