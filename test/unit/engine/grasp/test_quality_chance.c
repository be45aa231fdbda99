// What contacts can hold (wrench.h): the linear program against the hull on as many random grasps
// as the bar asks for.
#include "test/support/capability.h"
#include "test/support/held.h"

static void the_program_and_the_hull_agree_on_ten_thousand_grasps(void **state)
{
    const int few[2] = {3, 4};
    int closed = 0;
    capability_at_most(35, count_contradictions(*state, 10000, few, &closed), 0);
    assert_true(closed > 1000 && closed < 9000); // both answers come up
}

static void they_agree_on_three_hundred_of_twelve_contacts(void **state)
{
    const int many[2] = {12, 12};
    int closed = 0;
    capability_at_most(35, count_contradictions(*state, 300, many, &closed), 0);
    assert_true(closed > 30);
}

int test_quality_chance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_and_the_hull_agree_on_ten_thousand_grasps),
        cmocka_unit_test(they_agree_on_three_hundred_of_twelve_contacts),
    };
    return cmocka_run_group_tests(tests, open_held, close_held);
}
