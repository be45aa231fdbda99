// Designs with findings that are known beforehand, sieved stage by stage.
#include "sampling/design/ladder.h"
#include "sampling/random/stream.h"
#include "test/support/cmocka_all.h"

#include <stdlib.h>

/// What trial (draw, design, level) would find.
typedef gmc_finding (*oracle)(uint64_t draw, int64_t design, int level);

/// Run a ladder to its end; counts trials by level.
static gmc_ladder *sieved(const gmc_ladder_plan *plan, oracle find, uint64_t *trials)
{
    gmc_ladder *ladder;
    assert_int_equal(gmc_ladder_create(plan, &ladder), GMC_OK);
    uint64_t cases = (uint64_t)plan->case_count, levels = (uint64_t)plan->level_count;
    for (;;) {
        gmc_ladder_stage stage;
        assert_int_equal(gmc_ladder_next(ladder, &stage), GMC_OK);
        if (stage.count == 0) return ladder;
        for (uint64_t i = stage.count; i-- > 0;) { // the order does not matter
            uint64_t trial = stage.trials[i];
            if (i > 0) assert_true(stage.trials[i - 1] < trial);
            int level = (int)(trial % levels);
            assert_int_equal(level, stage.level);
            assert_int_equal(gmc_ladder_is_audit(ladder, trial), stage.is_audit);
            if (trials) trials[level]++;
            gmc_ladder_put(ladder, trial,
                           find(trial / levels / cases, (int64_t)(trial / levels % cases), level));
        }
    }
}

static const gmc_ladder_plan THREE_LEVELS = {
    .case_count = 6, .level_count = 3, .first = 4, .last = 16, .keep = 0.5, .seed = 1};

static void rounds_grow_by_one_over_keep(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {.first = 8, .last = 100, .keep = 0.5};
    assert_int_equal(gmc_ladder_rounds(&plan), 5);
    static const uint64_t DRAWS[] = {8, 16, 32, 64, 100};
    for (int r = 0; r < 5; r++)
        assert_true(gmc_ladder_draws(&plan, r) == DRAWS[r]);
    plan = (gmc_ladder_plan){.first = 5, .last = 5, .keep = 0.5};
    assert_int_equal(gmc_ladder_rounds(&plan), 1);
    plan = (gmc_ladder_plan){.first = 1, .last = 4, .keep = 0.9}; // 1/0.9 is 1, but rounds grow
    assert_int_equal(gmc_ladder_rounds(&plan), 4);
    plan = (gmc_ladder_plan){.first = 32, .last = 4096, .keep = 0.25};
    assert_int_equal(gmc_ladder_rounds(&plan), 5);
}

/// Design 0 works; 1 fails at level 0 from draw 2; 2 at level 1 in draw 0; 3 at the last level in
/// draw 9; 4 has no verdict at level 1 in all draws and works; 5 has one open draw at the last.
static gmc_finding known(uint64_t draw, int64_t design, int level)
{
    bool fails = (design == 1 && level == 0 && draw >= 2) ||
                 (design == 2 && level == 1 && draw == 0) ||
                 (design == 3 && level == 2 && draw == 9);
    bool is_open = (design == 4 && level == 1) || (design == 5 && level == 2 && draw == 15);
    return fails ? GMC_FINDING_FAILS : is_open ? GMC_FINDING_OPEN : GMC_FINDING_WORKS;
}

static void a_design_is_rejected_by_the_first_level_that_fails(void **state)
{
    (void)state;
    static const struct {
        gmc_fate fate;
        int level, round;
        int64_t draw; // of the counterexample
        uint64_t run; // trials at the last level
    } WANTED[] = {{GMC_FATE_WORKS, -1, 2, -1, 16}, {GMC_FATE_REJECTED, 0, 0, 2, 0},
                  {GMC_FATE_REJECTED, 1, 0, 0, 0}, {GMC_FATE_REJECTED, 2, 2, 9, 16},
                  {GMC_FATE_WORKS, -1, 2, -1, 16}, {GMC_FATE_OPEN, -1, 2, -1, 16}};
    uint64_t trials[3] = {0};
    gmc_ladder *ladder = sieved(&THREE_LEVELS, known, trials);
    for (int c = 0; c < GMC_COUNT(WANTED); c++) {
        gmc_ladder_case found = gmc_ladder_of_case(ladder, c);
        assert_int_equal(found.fate, WANTED[c].fate);
        assert_int_equal(found.level, WANTED[c].level);
        assert_int_equal(found.round, WANTED[c].round);
        uint64_t trial = WANTED[c].draw < 0 ? GMC_LADDER_NO_TRIAL
                                            : ((uint64_t)WANTED[c].draw * 6 + (uint64_t)c) * 3 +
                                                  (uint64_t)WANTED[c].level;
        assert_true(found.trial == trial);
        assert_true(found.works + found.fails + found.open == WANTED[c].run);
    }
    // level 0: six designs in the first round, four in all; level 1: one less in the first
    assert_true(trials[0] == 4 * 6 + 12 * 4);
    assert_true(trials[1] == 4 * 5 + 12 * 4);
    assert_true(trials[2] == 4 * 4 + 12 * 4);
    for (int l = 0; l < 3; l++) {
        gmc_ladder_level found = gmc_ladder_of_level(ladder, l);
        assert_true(found.trials == trials[l]);
        assert_int_equal(found.rejected, 1);
        assert_true(found.spared == (l < 2 ? 4u : 0u));
        assert_true(found.audited == 0);
    }
    gmc_ladder_free(ladder);
}

/// Design c fails in the first c draws at level 0; at the last level in none.
static gmc_finding first_draws_fail(uint64_t draw, int64_t design, int level)
{
    return level == 0 && draw < (uint64_t)design ? GMC_FINDING_FAILS : GMC_FINDING_WORKS;
}

static void a_level_may_overlook_a_share_of_failures(void **state)
{
    (void)state;
    static const double TOLERATE[] = {0.25, 0};
    gmc_ladder_plan plan = {.case_count = 9,
                            .level_count = 2,
                            .first = 8,
                            .last = 16,
                            .keep = 0.5,
                            .tolerate = TOLERATE,
                            .seed = 1};
    gmc_ladder *ladder = sieved(&plan, first_draws_fail, NULL);
    for (int c = 0; c < 9; c++) { // two of eight are a quarter; a later round sees more draws
        gmc_ladder_case found = gmc_ladder_of_case(ladder, c);
        assert_int_equal(found.fate, c <= 2 ? GMC_FATE_WORKS : GMC_FATE_REJECTED);
        assert_true(found.trial == (c <= 2 ? GMC_LADDER_NO_TRIAL : (uint64_t)c * 2));
    }
    gmc_ladder_free(ladder);
}

static gmc_finding last_alone(uint64_t draw, int64_t design, int level)
{
    gmc_finding cheap =
        known(draw, design, 0) == GMC_FINDING_FAILS || known(draw, design, 1) == GMC_FINDING_FAILS
            ? GMC_FINDING_FAILS
            : GMC_FINDING_WORKS;
    (void)level;
    return cheap == GMC_FINDING_FAILS ? cheap : known(draw, design, 2);
}

static void cheap_levels_that_are_right_change_no_verdict(void **state)
{
    (void)state;
    gmc_ladder_plan naive = THREE_LEVELS;
    naive.level_count = 1;
    uint64_t trials[1] = {0};
    gmc_ladder *all = sieved(&THREE_LEVELS, known, NULL), *one = sieved(&naive, last_alone, trials);
    for (int c = 0; c < 6; c++)
        assert_int_equal(gmc_ladder_of_case(all, c).fate, gmc_ladder_of_case(one, c).fate);
    assert_true(trials[0] == 4 * 6 + 12 * 4);
    gmc_ladder_free(all);
    gmc_ladder_free(one);
}

/// Chance with a share of successes of its own for each design; cheap levels see the same.
static gmc_finding by_chance(uint64_t draw, int64_t design, int level)
{
    (void)level;
    double u = gmc_stream_uniform(
        gmc_stream_for_case(gmc_stream_open(7, draw, "trial"), (uint64_t)design), 0);
    return u < (double)(design + 1) / 64 ? GMC_FINDING_WORKS : GMC_FINDING_FAILS;
}

static void the_best_go_on_and_each_level_takes_its_part(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {.case_count = 64,
                            .level_count = 2,
                            .first = 16,
                            .last = 64,
                            .keep = 0.25,
                            .goal = GMC_GOAL_BEST,
                            .seed = 1};
    gmc_ladder *ladder = sieved(&plan, by_chance, NULL);
    int rejected[2][2] = {{0}}, kept = 0;
    for (int c = 0; c < 64; c++) {
        gmc_ladder_case found = gmc_ladder_of_case(ladder, c);
        if (found.fate == GMC_FATE_KEPT) {
            kept++;
            assert_true(c >= 48); // far better than the middle
            continue;
        }
        assert_int_equal(found.fate, GMC_FATE_OUTRANKED);
        rejected[found.round][found.level]++;
        // its lowest failure at that level, if it had one
        uint64_t d = 0, draws = gmc_ladder_draws(&plan, found.round);
        while (d < draws && by_chance(d, c, found.level) != GMC_FINDING_FAILS)
            d++;
        uint64_t trial = (d * 64 + (uint64_t)c) * 2 + (uint64_t)found.level;
        assert_true(found.trial == (d < draws ? trial : GMC_LADDER_NO_TRIAL));
    }
    // 64 -> 32 -> 16, then 16 -> 8, and the last level of the last round rejects none
    assert_int_equal(rejected[0][0], 32);
    assert_int_equal(rejected[0][1], 16);
    assert_int_equal(rejected[1][0], 8);
    assert_int_equal(rejected[1][1], 0);
    assert_int_equal(kept, 8);
    gmc_ladder_free(ladder);
}

/// All can start, but for every tenth; the last level tells them apart.
static gmc_finding all_can_start(uint64_t draw, int64_t design, int level)
{
    if (level > 0) return by_chance(draw, design, level);
    return design % 10 == 3 ? GMC_FINDING_STUCK : GMC_FINDING_WORKS;
}

/// Level 0 finds that none of it works.
static gmc_finding none_works_below(uint64_t draw, int64_t design, int level)
{
    return level > 0 ? by_chance(draw, design, level) : GMC_FINDING_FAILS;
}

// A level at which all tie leaves out what cannot start, and the last level finds the same as
// without it; what never succeeded is no tie to be kept.
static void a_level_at_which_all_tie_leaves_out_none(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {.case_count = 60,
                            .level_count = 2,
                            .first = 16,
                            .last = 64,
                            .keep = 0.25,
                            .goal = GMC_GOAL_BEST,
                            .audit = 1,
                            .seed = 1};
    gmc_ladder *ladder = sieved(&plan, all_can_start, NULL);
    int best = 0;
    for (int c = 0; c < 60; c++) {
        gmc_ladder_case found = gmc_ladder_of_case(ladder, c);
        if (c % 10 == 3)
            assert_true(found.level == 0);
        else
            assert_true(found.level != 0);
        best += found.fate == GMC_FATE_KEPT;
    }
    assert_int_equal(gmc_ladder_of_level(ladder, 0).rejected, 6);
    assert_int_equal(gmc_ladder_of_level(ladder, 1).rejected, 60 - 6 - 15); // 60 * keep are left
    assert_int_equal(best, 15);
    gmc_ladder_free(ladder);

    ladder = sieved(&plan, none_works_below, NULL);
    assert_int_equal(gmc_ladder_of_level(ladder, 0).rejected, 30 + 7); // half, and of 15 left half
    gmc_ladder_free(ladder);
}

static gmc_finding wrong_cheap_level(uint64_t draw, int64_t design, int level)
{
    (void)draw;
    return level == 0 && design % 2 == 1 ? GMC_FINDING_FAILS : GMC_FINDING_WORKS;
}

static void an_audit_looks_at_its_share_of_what_was_spared(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {.case_count = 400,
                            .level_count = 2,
                            .first = 10,
                            .last = 20,
                            .keep = 0.5,
                            .audit = 0.1,
                            .seed = 3};
    gmc_ladder *ladder = sieved(&plan, wrong_cheap_level, NULL);
    gmc_ladder_level cheap = gmc_ladder_of_level(ladder, 0);
    assert_int_equal(cheap.rejected, 200);
    assert_true(cheap.spared == 2000);
    assert_true(cheap.audited > 150);
    assert_true(cheap.audited < 250);                // 200 +- 13 (one standard deviation)
    assert_true(cheap.audit_works == cheap.audited); // it was wrong every time
    gmc_ladder_case first = gmc_ladder_of_case(ladder, 1);
    assert_int_equal(first.fate, GMC_FATE_REJECTED); // the audit finds, it does not change
    assert_true(first.works == 0);
    gmc_ladder_free(ladder);
}

static void findings_that_are_there_lead_to_the_same_decisions(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {.case_count = 50,
                            .level_count = 2,
                            .first = 4,
                            .last = 64,
                            .keep = 0.5,
                            .goal = GMC_GOAL_BEST,
                            .audit = 0.2,
                            .seed = 9};
    gmc_ladder *first = sieved(&plan, by_chance, NULL), *second;
    assert_int_equal(gmc_ladder_create(&plan, &second), GMC_OK);
    uint64_t total = gmc_ladder_total(&plan), last = 0;
    for (uint64_t t = total; t-- > 0;)
        if (gmc_ladder_has(first, t))
            gmc_ladder_put(second, t, by_chance(t / 2 / 50, (int64_t)(t / 2 % 50), (int)(t % 2)));
    assert_int_equal(gmc_ladder_decide(second), GMC_OK);
    for (int c = 0; c < 50; c++) {
        gmc_ladder_case a = gmc_ladder_of_case(first, c), b = gmc_ladder_of_case(second, c);
        assert_true(a.fate == b.fate);
        assert_true(a.level == b.level);
        assert_true(a.round == b.round);
        assert_true(a.trial == b.trial);
        assert_true(a.audited == b.audited);
        assert_true(a.works == b.works);
    }
    for (uint64_t t = 0; t < total; t++)
        if (gmc_ladder_has(second, t)) last = t;
    gmc_ladder_free(second);
    // one trial less is noticed
    assert_int_equal(gmc_ladder_create(&plan, &second), GMC_OK);
    for (uint64_t t = 0; t < last; t++)
        if (gmc_ladder_has(first, t))
            gmc_ladder_put(second, t, by_chance(t / 2 / 50, (int64_t)(t / 2 % 50), (int)(t % 2)));
    assert_int_equal(gmc_ladder_decide(second), GMC_E_MISSING);
    gmc_ladder_free(first);
    gmc_ladder_free(second);
}

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    gmc_ladder_plan plan = {
        .case_count = 1 << 20, .level_count = 2, .first = 8, .last = 1 << 20, .keep = 0.5};
    gmc_ladder *ladder;
    assert_int_equal(gmc_ladder_total(&plan), 0);
    assert_int_equal(gmc_ladder_create(&plan, &ladder), GMC_E_LIMIT);
    assert_null(ladder);
    gmc_ladder_free(NULL);
    assert_string_equal(gmc_ladder_fate_name(GMC_FATE_OUTRANKED), "outranked");
}

int test_ladder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_grow_by_one_over_keep),
        cmocka_unit_test(a_design_is_rejected_by_the_first_level_that_fails),
        cmocka_unit_test(a_level_may_overlook_a_share_of_failures),
        cmocka_unit_test(cheap_levels_that_are_right_change_no_verdict),
        cmocka_unit_test(the_best_go_on_and_each_level_takes_its_part),
        cmocka_unit_test(a_level_at_which_all_tie_leaves_out_none),
        cmocka_unit_test(an_audit_looks_at_its_share_of_what_was_spared),
        cmocka_unit_test(findings_that_are_there_lead_to_the_same_decisions),
        cmocka_unit_test(what_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
