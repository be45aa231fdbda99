// Known-answer vectors of Random123 for philox4x64, ten rounds (file kat_vectors of its
// distribution).
#include "engine/base/status.h"
#include "sampling/random/stream.h"
#include "test/support/cmocka_all.h"

typedef struct vector {
    gmc_philox_block_words counter;
    gmc_philox_key key;
    gmc_philox_block_words result;
} vector;

static void known_answers(void **state)
{
    (void)state;
    static const vector VECTORS[] = {
        {{{0, 0, 0, 0}},
         {{0, 0}},
         {{0x16554d9eca36314cULL, 0xdb20fe9d672d0fdcULL, 0xd7e772cee186176bULL,
           0x7e68b68aec7ba23bULL}}},
        {{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
         {{UINT64_MAX, UINT64_MAX}},
         {{0x87b092c3013fe90bULL, 0x438c3c67be8d0224ULL, 0x9cc7d7c69cd777b6ULL,
           0xa09caebf594f0ba0ULL}}},
        {{{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL,
           0x082efa98ec4e6c89ULL}},
         {{0x452821e638d01377ULL, 0xbe5466cf34e90c6cULL}},
         {{0xa528f45403e61d95ULL, 0x38c72dbd566e9788ULL, 0xa5a1610e72fd18b5ULL,
           0x57bd43b5e52b7fe6ULL}}},
    };
    for (int i = 0; i < GMC_COUNT(VECTORS); i++) {
        gmc_philox_block_words found = gmc_stream_philox(VECTORS[i].counter, VECTORS[i].key);
        for (int k = 0; k < 4; k++)
            assert_true(found.word[k] == VECTORS[i].result.word[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
