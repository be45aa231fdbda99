// Arrays that grow: what was put stays, moves are few, and a size that no memory has is refused.
#include "engine/base/list.h"
#include "test/support/cmocka_all.h"

#include <limits.h>
#include <stdlib.h>

static void what_was_put_stays(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    int *numbers = NULL, capacity = 0, moves = 0;
    for (int i = 0; i < COUNT; i++) {
        int before = capacity;
        int *grown = gmc_list_room(numbers, i, &capacity, sizeof *numbers);
        assert_non_null(grown);
        assert_true(capacity > i);
        moves += capacity != before;
        numbers = grown;
        numbers[i] = 3 * i;
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(numbers[i], 3 * i);
    assert_true(moves <= 14); // 2^14 > COUNT
    free(numbers);
}

static void an_array_with_room_is_left_alone(void **state)
{
    (void)state;
    int numbers[4], capacity = 4;
    assert_ptr_equal(gmc_list_room(numbers, 3, &capacity, sizeof *numbers), numbers);
    assert_int_equal(capacity, 4);
}

static void what_no_memory_holds_is_refused(void **state)
{
    (void)state;
    int capacity = INT_MAX / 2 + 1, first = 0;
    assert_null(gmc_list_room(NULL, capacity, &capacity, 1));
    assert_int_equal(capacity, INT_MAX / 2 + 1);
    assert_null(gmc_list_room(NULL, 0, &first, (size_t)-1 / 2));
    assert_int_equal(first, 0);
}

int test_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_stays),
        cmocka_unit_test(an_array_with_room_is_left_alone),
        cmocka_unit_test(what_no_memory_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
