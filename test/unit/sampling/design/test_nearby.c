#include "engine/base/status.h"
#include "sampling/design/nearby.h"
#include "test/support/near.h"

#include <float.h>

enum { COUNT = GMC_NEARBY_PILOT };

/// A trial of one criterion.
static gmc_nearby_trial at(double distance)
{
    return (gmc_nearby_trial){.criteria = 1, .distance = {distance}, .work = 1};
}

static gmc_nearby_trial at_both(double first, double second)
{
    return (gmc_nearby_trial){.criteria = 2, .distance = {first, second}, .work = 1};
}

static void even(gmc_nearby_trial *pilot)
{
    for (int i = 0; i < COUNT; i++) {
        pilot[i] = at((i + 1) / (double)COUNT);
        pilot[i].work = 100 + i;
    }
}

static double work_of(const gmc_nearby *plan, const gmc_nearby_trial *pilot)
{
    double all = 0, repeated = 0;
    for (int i = 0; i < COUNT; i++) {
        all += pilot[i].work;
        repeated += GMC_NEARBY_TWICE * pilot[i].work * gmc_nearby_chance(plan, &pilot[i]);
    }
    return repeated / all;
}

static void repetitions_take_the_work_allowed_for(void **state)
{
    (void)state;
    gmc_nearby_trial pilot[COUNT];
    even(pilot);
    for (double work = 0.04; work < 0.5; work *= 2) {
        gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, work);
        ASSERT_NEAR(work_of(&plan, pilot), work, 1e-9);
    }
}

static void what_is_nearer_has_the_larger_chance(void **state)
{
    (void)state;
    gmc_nearby_trial pilot[COUNT];
    even(pilot);
    gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
    double last = 1;
    for (int i = 0; i < COUNT; i++) {
        double chance = gmc_nearby_chance(&plan, &pilot[i]);
        assert_true(chance <= last);
        assert_true(chance >= 0.01);
        last = chance;
    }
    assert_true(gmc_nearby_chance(&plan, &pilot[0]) > 0.5);
    assert_true(gmc_nearby_chance(&plan, &pilot[16]) > 0.01); // a quarter is nearer
    assert_true(gmc_nearby_chance(&plan, &pilot[17]) == 0.01);
    const gmc_nearby_trial zero = at(0), none = at(DBL_MAX), nothing = {.work = 1},
                           cut = {.is_cut = true}, near = {.is_near = true};
    assert_true(gmc_nearby_chance(&plan, &zero) == 1);
    assert_true(gmc_nearby_chance(&plan, &near) == 1);
    assert_true(gmc_nearby_chance(&plan, &none) == 0.01);
    assert_true(gmc_nearby_chance(&plan, &nothing) == 0.01);
    assert_true(gmc_nearby_chance(&plan, &cut) == 1); // the pilot has none
}

static void a_pilot_that_says_nothing_leaves_the_share(void **state)
{
    (void)state;
    gmc_nearby_trial same[COUNT], none[COUNT], cut[COUNT];
    for (int i = 0; i < COUNT; i++) {
        same[i] = at(1);
        none[i] = at(-DBL_MAX);
        cut[i] = at(-1e-3);
        cut[i].is_cut = true;
    }
    gmc_nearby plan = gmc_nearby_plan(same, COUNT, 0.01, 0.1);
    const gmc_nearby_trial nearer = at(0.5);
    assert_true(gmc_nearby_chance(&plan, &same[0]) == 0.01); // none is nearer than another
    assert_true(gmc_nearby_chance(&plan, &nearer) == 1);     // there is work left for it
    plan = gmc_nearby_plan(none, COUNT, 0.01, 0.1); // any may turn: the work is theirs alike
    ASSERT_NEAR(gmc_nearby_chance(&plan, &none[0]), 0.05, 0);
    ASSERT_NEAR(gmc_nearby_chance(&plan, &same[0]), 0.05, 0);
    plan = gmc_nearby_plan(cut, COUNT, 0.01, 0.1);
    ASSERT_NEAR(gmc_nearby_chance(&plan, &cut[0]), 0.35 * 0.1 / 2, 1e-12); // of the work 0.35
    plan = gmc_nearby_plan(same, COUNT, 0, 0.1);
    assert_true(gmc_nearby_chance(&plan, &cut[0]) == 0); // repetitions are off
}

/// Any of its criteria may turn a success, a failure turns by all that are broken.
static void criteria_are_ranked_each_by_itself(void **state)
{
    (void)state;
    gmc_nearby_trial pilot[COUNT];
    for (int i = 0; i < COUNT; i++) // the second is a hundred times nearer
        pilot[i] = at_both((i + 1) / (double)COUNT, (COUNT - i) / (100.0 * COUNT));
    gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
    ASSERT_NEAR(work_of(&plan, pilot), 0.1, 1e-9);
    for (int i = 0; i < COUNT; i++) // both alike
        ASSERT_NEAR(gmc_nearby_chance(&plan, &pilot[i]),
                    gmc_nearby_chance(&plan, &pilot[COUNT - 1 - i]), 1e-12);
    const gmc_nearby_trial near = at(0.1), nearer = at(0.05),
                           either[] = {at_both(0.1, 1), at_both(-0.1, 1), at_both(-0.1, 1e-9)},
                           both = at_both(-0.1, -0.0005), far = at_both(-0.1, -1);
    double chance = gmc_nearby_chance(&plan, &near);
    assert_true(chance > 0.01);
    assert_true(gmc_nearby_chance(&plan, &nearer) > chance);
    for (int i = 0; i < GMC_COUNT(either); i++)
        assert_true(gmc_nearby_chance(&plan, &either[i]) == chance);
    assert_true(gmc_nearby_chance(&plan, &both) == chance);
    assert_true(gmc_nearby_chance(&plan, &far) == 0.01);
}

/// Trials in lumps, the nearest of which is more than a quarter.
static void a_lump_that_is_nearest_is_near(void **state)
{
    (void)state;
    gmc_nearby_trial pilot[COUNT];
    for (int i = 0; i < COUNT; i++)
        pilot[i] = at(1 + i / 24);
    gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
    ASSERT_NEAR(work_of(&plan, pilot), 0.1, 1e-9);
    assert_true(gmc_nearby_chance(&plan, &pilot[0]) > 0.1);
    assert_true(gmc_nearby_chance(&plan, &pilot[24]) == 0.01);
}

/// Nothing ends about the limit: no distance tells what is near.
static void a_jump_leaves_one_chance(void **state)
{
    (void)state;
    for (int broken = 0; broken < 4; broken++) {
        gmc_nearby_trial pilot[COUNT];
        for (int i = 0; i < COUNT; i++)
            pilot[i] = at(i < broken ? -1 : 35 + 0.1 * i);
        gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
        for (int i = 0; i < COUNT && broken > 1; i++)
            ASSERT_NEAR(gmc_nearby_chance(&plan, &pilot[i]), 0.05, 0);
        if (broken < 2) assert_true(plan.even == 0); // one may be the end of a tail
        pilot[COUNT - 1] = at(-0.5);
        pilot[COUNT - 2] = at(0.5); // some do end there
        plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
        assert_true(plan.even == 0);
    }
}

/// Forces are the same number without contact, and anything with it.
static void a_force_that_jumps_leaves_one_chance(void **state)
{
    (void)state;
    for (uint32_t forces = 0; forces < 4; forces++) {
        gmc_nearby_trial pilot[COUNT];
        for (int i = 0; i < COUNT; i++) {
            pilot[i] = at_both(i < 2 ? 1 : -30 + i, 0.5 + 0.01 * i);
            pilot[i].forces = forces;
        }
        gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
        ASSERT_NEAR(plan.even, forces & 1 ? 0.05 : 0, 0);
    }
}

/// A count tells no distance: where it decides, any may turn; where it holds in all of the pilot
/// it is idle, and what breaks it later is repeated.
static void a_count_that_decides_leaves_one_chance(void **state)
{
    (void)state;
    for (int is_idle = 0; is_idle < 2; is_idle++) {
        gmc_nearby_trial pilot[COUNT];
        for (int i = 0; i < COUNT; i++)
            pilot[i] = at_both((i + 1) / (double)COUNT, i > 0 || is_idle ? DBL_MAX : -DBL_MAX);
        gmc_nearby plan = gmc_nearby_plan(pilot, COUNT, 0.01, 0.1);
        gmc_nearby_trial near = at_both(0.01, DBL_MAX), far = at_both(0.99, DBL_MAX);
        gmc_nearby_trial broken = at_both(0.99, -DBL_MAX);
        ASSERT_NEAR(gmc_nearby_chance(&plan, &broken), is_idle ? 1 : 0.05, 0);
        ASSERT_NEAR(gmc_nearby_chance(&plan, &far), is_idle ? 0.01 : 0.05, 0);
        assert_int_equal(gmc_nearby_chance(&plan, &near) > 0.05, is_idle);
    }
}

int test_nearby(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_take_the_work_allowed_for),
        cmocka_unit_test(what_is_nearer_has_the_larger_chance),
        cmocka_unit_test(a_pilot_that_says_nothing_leaves_the_share),
        cmocka_unit_test(criteria_are_ranked_each_by_itself),
        cmocka_unit_test(a_lump_that_is_nearest_is_near),
        cmocka_unit_test(a_jump_leaves_one_chance),
        cmocka_unit_test(a_force_that_jumps_leaves_one_chance),
        cmocka_unit_test(a_count_that_decides_leaves_one_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
