#include "sampling/random/stream.h"
#include "test/support/near.h"

static void a_name_is_the_first_eight_bytes_of_its_sha256(void **state)
{
    (void)state;
    // FIPS 180-4 example "abc": ba7816bf 8f01cfea ...; the empty text: e3b0c442 98fc1c14 ...
    assert_true(gmc_stream_hash("abc") == 0xba7816bf8f01cfeaULL);
    assert_true(gmc_stream_hash("") == 0xe3b0c44298fc1c14ULL);
}

static void an_address_means_what_the_header_says(void **state)
{
    (void)state;
    gmc_stream s = gmc_stream_open(7, 11, "friction.rubber/abs");
    gmc_philox_key key = {{7, gmc_stream_hash("friction.rubber/abs")}};
    for (uint64_t index = 0; index < 40; index++) {
        gmc_philox_block_words common = {{index / 4, 11, 0, 0}}, own = {{index / 4, 11, 6, 0}};
        assert_true(gmc_stream_bits(s, index) == gmc_stream_philox(common, key).word[index % 4]);
        assert_true(gmc_stream_bits(gmc_stream_for_case(s, 5), index) ==
                    gmc_stream_philox(own, key).word[index % 4]);
        assert_true(gmc_stream_uniform(s, index) ==
                    (double)(gmc_stream_bits(s, index) >> 11) / 9007199254740992.0);
    }
}

static void every_part_of_the_address_matters(void **state)
{
    (void)state;
    gmc_stream s = gmc_stream_open(1, 2, "a");
    uint64_t bits = gmc_stream_bits(s, 3);
    assert_true(gmc_stream_bits(gmc_stream_open_hashed(1, 2, gmc_stream_hash("a")), 3) == bits);
    assert_false(gmc_stream_bits(gmc_stream_open(2, 2, "a"), 3) == bits);
    assert_false(gmc_stream_bits(gmc_stream_open(1, 3, "a"), 3) == bits);
    assert_false(gmc_stream_bits(gmc_stream_open(1, 2, "b"), 3) == bits);
    assert_false(gmc_stream_bits(s, 4) == bits);
    assert_false(gmc_stream_bits(gmc_stream_for_case(s, 0), 3) == bits);
    assert_false(gmc_stream_bits(gmc_stream_for_case(s, UINT64_MAX - 1), UINT64_MAX) == bits);
}

int test_stream(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_the_first_eight_bytes_of_its_sha256),
        cmocka_unit_test(an_address_means_what_the_header_says),
        cmocka_unit_test(every_part_of_the_address_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
