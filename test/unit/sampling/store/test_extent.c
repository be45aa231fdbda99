// How columns grow with a trial: every fixed one is in the table, and what `borne` leaves of it.
#include "sampling/store/extent.h"
#include "test/support/cmocka_all.h"

#include <math.h>
#include <string.h>

// Forgotten in the table, a column would be taken for one that a cut does not touch.
static void every_column_that_is_not_named_here_grows_with_the_trial(void **state)
{
    (void)state;
    static const char *const WHOLE[] = {"t_violated",       "t_closed", "decided_by",
                                        "t_decided",        "audit",    "half_step",
                                        "half_step_chance", "is_whole", "start_penetration"};
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++) {
        const char *name = gmc_fixed_columns[i].name;
        bool is_whole = false;
        for (int k = 0; k < GMC_COUNT(WHOLE); k++)
            is_whole = is_whole || strcmp(WHOLE[k], name) == 0;
        if ((gmc_extent_of(name).growth == GMC_GROWTH_WHOLE) != is_whole) fail_msg("%s", name);
        bool is_largest = strncmp(name, "max_", 4) == 0;
        if (is_largest && gmc_extent_of(name).growth != GMC_GROWTH_LARGEST) fail_msg("%s", name);
    }
}

static void what_a_fading_shake_leaves(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool when_still, when_swinging;
    } CASES[] = {
        {"max_force", true, true},         {"max_speed", true, true},
        {"max_joint_speed", true, true},   {"slip", true, false},
        {"lift(object)", true, false},     {"max(slip(object, hand))", true, false},
        {"held_by", true, false},          {"moved", false, false},
        {"max_penetration", false, false}, {"force(object, hand)", false, false},
        {"steps", false, false},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        gmc_extent course = gmc_extent_of(CASES[i].name);
        const gmc_ending still = {.rule = GMC_DECISION_BORNE},
                         swinging = {.rule = GMC_DECISION_BORNE, .is_swinging = true};
        if (gmc_extent_is_final(course, still) != CASES[i].when_still ||
            gmc_extent_is_final(course, swinging) != CASES[i].when_swinging)
            fail_msg("%s", CASES[i].name);
        assert_false(gmc_extent_is_final(course, (gmc_ending){.rule = GMC_DECISION_BROKEN}));
    }
}

static void an_ending_is_read_off_the_row(void **state)
{
    (void)state;
    const gmc_ending_columns columns = {0, 1, 2};
    const double still[] = {GMC_DECISION_BORNE, 0, 0.05}, swung[] = {GMC_DECISION_BORNE, 0, 0.5},
                 audited[] = {GMC_DECISION_BORNE, GMC_AUDIT_RIGHT, 0.5};
    assert_false(gmc_extent_ending(still, columns).is_swinging);
    assert_true(gmc_extent_ending(swung, columns).is_swinging);
    assert_int_equal(gmc_extent_ending(swung, columns).rule, GMC_DECISION_BORNE);
    assert_int_equal(gmc_extent_ending(audited, columns).rule, GMC_DECISION_END);
    const gmc_ending_columns unknown = {0, 1, -1};
    assert_true(gmc_extent_ending(still, unknown).is_swinging);
}

// A trial that was cut short may have ended before the phase did: NaN says nothing. What was measured
// as a phase ended stays; an extreme from there on may still become anything.
static void columns_of_phases(void **state)
{
    (void)state;
    const gmc_ending broken = {.rule = GMC_DECISION_BROKEN};
    gmc_extent from = gmc_extent_of("max(slip(object, hand) from lift)");
    gmc_extent at = gmc_extent_of("height(object) at lift");
    assert_int_equal(from.growth, GMC_GROWTH_AT_END);
    assert_int_equal(at.growth, GMC_GROWTH_WHOLE);
    assert_true(gmc_extent_range(at, broken, 0.1).lower == 0.1);
    assert_true(gmc_extent_range(at, broken, (double)NAN).lower == -HUGE_VAL);
    assert_true(gmc_extent_range(from, broken, 0.1).upper == HUGE_VAL);
    assert_true(gmc_extent_range(from, broken, (double)NAN).lower == -HUGE_VAL);
}

int test_extent(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_that_is_not_named_here_grows_with_the_trial),
        cmocka_unit_test(what_a_fading_shake_leaves),
        cmocka_unit_test(an_ending_is_read_off_the_row),
        cmocka_unit_test(columns_of_phases),
    };
    return cmocka_run_group_tests_name("extent", tests, NULL, NULL);
}
