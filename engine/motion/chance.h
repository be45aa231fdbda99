/// Numbers of the room's searches, looked up by (seed, index): the same search twice has the same
/// bits. They scatter seeds and samples; nothing is concluded from their statistics.
#ifndef GMC_ENGINE_MOTION_CHANCE_H
#define GMC_ENGINE_MOTION_CHANCE_H

#include <stdint.h>

/// Uniform in [0, 1), a multiple of 2^-53: the index-th number of splitmix64 ([steele2014]) begun
/// at the seed.
static inline double gmc_chance_uniform(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#endif
