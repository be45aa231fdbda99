// What was added is found, what was not is not, and equal names stand side by side.
#include "engine/base/lookup.h"
#include "test/support/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 20000 };

static void name_of(int i, char name[16]) { snprintf(name, 16, "n%d", i); }

static void all_are_found(void **state)
{
    (void)state;
    gmc_lookup lookup = {0};
    char name[16];
    for (int i = 0; i < COUNT; i++) {
        name_of(i, name);
        assert_int_equal(gmc_lookup_add(&lookup, gmc_lookup_hash(0, name), i), GMC_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        bool is_found = false;
        name_of(i, name);
        for (int at = 0, k; (k = gmc_lookup_next(&lookup, gmc_lookup_hash(0, name), &at)) >= 0;)
            is_found = is_found || k == i;
        assert_true(is_found);
    }
    int strangers = 0; // of other names few have the same hash: 20000^2 / 2^32 on average, 0.09
    for (int i = COUNT; i < 2 * COUNT; i++) {
        name_of(i, name);
        int at = 0;
        strangers += gmc_lookup_next(&lookup, gmc_lookup_hash(0, name), &at) >= 0;
    }
    assert_true(strangers <= 3);
    gmc_lookup_free(&lookup);
}

static void equal_ones_are_all_kept(void **state)
{
    (void)state;
    gmc_lookup lookup = {0};
    int at = 0, sum = 0, count = 0;
    assert_int_equal(gmc_lookup_next(&lookup, 7, &at), -1); // of an empty one
    for (int i = 0; i < 500; i++)
        assert_int_equal(gmc_lookup_add(&lookup, 7, i), GMC_OK);
    at = 0;
    for (int k; (k = gmc_lookup_next(&lookup, 7, &at)) >= 0; count++)
        sum += k;
    assert_int_equal(count, 500);
    assert_int_equal(sum, 499 * 500 / 2);
    at = 0;
    assert_int_equal(gmc_lookup_next(&lookup, 8, &at), -1);
    gmc_lookup_free(&lookup);
}

static void hashes_go_on_from_each_other(void **state)
{
    (void)state;
    uint32_t ab = gmc_lookup_hash_whole(gmc_lookup_hash(0, "a"), 1);
    assert_int_not_equal(ab, gmc_lookup_hash_whole(gmc_lookup_hash(0, "a"), 2));
    assert_int_not_equal(ab, gmc_lookup_hash_whole(gmc_lookup_hash(0, "b"), 1));
    assert_int_equal(ab, gmc_lookup_hash_whole(gmc_lookup_hash(0, "a"), 1));
}

int test_lookup(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_found),
        cmocka_unit_test(equal_ones_are_all_kept),
        cmocka_unit_test(hashes_go_on_from_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
