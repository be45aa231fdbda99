// The permutation is a Feistel network over the next power of four, walked until it comes back into
// the range [black2002]: no table of n numbers, and any point without the others.
#include "sampling/design/hypercube.h"

#include "engine/base/check.h"

enum { ROUNDS = 8 };
static const uint64_t ROUND_AT = UINT64_C(1) << 50; ///< indices of the coins that a round uses
static const uint64_t PLACE_AT = UINT64_C(1) << 60; ///< of those that place a point in its slice

static uint64_t shuffled(uint64_t i, int half, gmc_stream coins)
{
    uint64_t mask = (UINT64_C(1) << half) - 1, left = i >> half, right = i & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t next = left ^ (gmc_stream_bits(coins, round * ROUND_AT + right) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t gmc_hypercube_permuted(uint64_t i, uint64_t count, gmc_stream coins)
{
    GMC_ASSERT(i < count && count <= UINT64_C(1) << 40);
    int half = 1;
    while (UINT64_C(1) << 2 * half < count)
        half++;
    do
        i = shuffled(i, half, coins);
    while (i >= count); // a permutation comes back: fewer than four rounds on average
    return i;
}

double gmc_hypercube_uniform(uint64_t point, uint64_t count, gmc_stream coins)
{
    uint64_t slice = gmc_hypercube_permuted(point, count, coins);
    double u = ((double)slice + gmc_stream_uniform(coins, PLACE_AT + point)) / (double)count;
    return u < 1.0 ? u : 1.0 - 0x1p-53;
}
