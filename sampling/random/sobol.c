#include "engine/base/check.h"
#include "sampling/random/sobol_internal.h"

/// The direction numbers v_1 ... v_32 of a dimension, from its first ones by the recurrence
/// [joe2008]. A few hundred operations: made anew for every look-up, so that nothing is
/// shared.
static void directions(int dimension, uint32_t v[GMC_SOBOL_BITS])
{
    const gmc_sobol_numbers *n = &gmc_sobol_table[dimension];
    int degree = 0;
    while (n->polynomial >> (degree + 1))
        degree++;
    for (int k = 0; k < GMC_SOBOL_BITS; k++) {
        if (degree == 0) { // the first dimension: van der Corput's sequence
            v[k] = 1U << (31 - k);
        } else if (k < degree) {
            v[k] = (uint32_t)n->first[k] << (31 - k);
        } else {
            v[k] = v[k - degree] ^ v[k - degree] >> degree;
            for (int i = 1; i < degree; i++)
                if (n->polynomial >> (degree - i) & 1U) v[k] ^= v[k - i];
        }
    }
}

uint32_t gmc_sobol_digits(int dimension, uint64_t point)
{
    GMC_ASSERT(dimension >= 0 && dimension < GMC_SOBOL_DIMENSIONS && point >> GMC_SOBOL_BITS == 0);
    uint32_t v[GMC_SOBOL_BITS], digits = 0;
    directions(dimension, v);
    for (int k = 0; point >> k; k++)
        if (point >> k & 1U) digits ^= v[k];
    return digits;
}

double gmc_sobol_uniform(int dimension, uint64_t point, gmc_stream coins)
{
    // the tree of digits is cut into pieces of LEVELS levels: a word has the coins of all their
    // nodes
    enum { LEVELS = 6 };
    uint64_t plain = gmc_sobol_digits(dimension, point), flips = 0;
    for (int top = 0; top < GMC_SOBOL_BITS; top += LEVELS) {
        uint64_t root = UINT64_C(1) << top | plain >> (GMC_SOBOL_BITS - top);
        uint64_t coin = gmc_stream_bits(coins, root), node = 1;
        for (int k = top; k < top + LEVELS && k < GMC_SOBOL_BITS; k++) {
            flips = flips << 1 | (coin >> node & 1U);
            node = node << 1 | (plain >> (GMC_SOBOL_BITS - 1 - k) & 1U);
        }
    }
    uint64_t scrambled = plain ^ flips;
    // digits beyond the 32nd are all coins
    uint64_t rest = gmc_stream_bits(coins, UINT64_C(1) << GMC_SOBOL_BITS | plain) >> 43;
    return (double)(scrambled << 21 | rest) * 0x1p-53;
}
