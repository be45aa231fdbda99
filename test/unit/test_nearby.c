#include "sampling/design/nearby.h"
#include "test/support/near.h"

enum { COUNT = GMC_NEARBY_PILOT };

static void even(gmc_nearby_trial *pilot)
{
    for (int i = 0; i < COUNT; i++)
        pilot[i] = (gmc_nearby_trial){.slack = (i + 1) / (double)COUNT, .work = 100 + i};
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
        assert_true(chance <= last && chance >= 0.01);
        last = chance;
    }
    assert_true(gmc_nearby_chance(&plan, &pilot[0]) > 0.5);
    assert_true(gmc_nearby_chance(&plan, &pilot[15]) > 0.01); // a quarter is near
    assert_true(gmc_nearby_chance(&plan, &pilot[16]) == 0.01);
    const gmc_nearby_trial at = {.slack = 0}, none = {.slack = HUGE_VAL},
                           cut = {.slack = 0, .is_cut = true};
    assert_true(gmc_nearby_chance(&plan, &at) == 1);
    assert_true(gmc_nearby_chance(&plan, &none) == 0.01);
    assert_true(gmc_nearby_chance(&plan, &cut) == 1); // the pilot has none
}

static void a_pilot_that_says_nothing_leaves_the_share(void **state)
{
    (void)state;
    gmc_nearby_trial same[COUNT], none[COUNT], cut[COUNT];
    for (int i = 0; i < COUNT; i++) {
        same[i] = (gmc_nearby_trial){.slack = 1, .work = 1};
        none[i] = (gmc_nearby_trial){.slack = HUGE_VAL, .work = 1};
        cut[i] = (gmc_nearby_trial){.slack = 1e-3, .work = 1, .is_cut = true};
    }
    gmc_nearby plan = gmc_nearby_plan(same, COUNT, 0.01, 0.1);
    assert_true(gmc_nearby_chance(&plan, &same[0]) == 0.01); // none is nearer than another
    plan = gmc_nearby_plan(none, COUNT, 0.01, 0.1);
    assert_true(gmc_nearby_chance(&plan, &none[0]) == 0.01);
    assert_true(gmc_nearby_chance(&plan, &same[0]) == 0.01);
    plan = gmc_nearby_plan(cut, COUNT, 0.01, 0.1);
    ASSERT_NEAR(gmc_nearby_chance(&plan, &cut[0]), 0.35 * 0.1 / 2, 1e-12); // of the work 0.35
    plan = gmc_nearby_plan(same, COUNT, 0, 0.1);
    assert_true(gmc_nearby_chance(&plan, &cut[0]) == 0); // repetitions are off
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_take_the_work_allowed_for),
        cmocka_unit_test(what_is_nearer_has_the_larger_chance),
        cmocka_unit_test(a_pilot_that_says_nothing_leaves_the_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
