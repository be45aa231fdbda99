/// Numbers for generated tests: seeded, the same on every machine, independent of the product's own
/// generators. Source of the mixing function: [steele2014].
#ifndef GMC_TEST_SUPPORT_CHANCE_H
#define GMC_TEST_SUPPORT_CHANCE_H

#include "engine/math/vec3.h"

#include <stdint.h>

typedef struct gmc_chance {
    uint64_t state; ///< the seed at first
} gmc_chance;

static inline uint64_t gmc_chance_bits(gmc_chance *chance)
{
    uint64_t z = (chance->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double gmc_chance_uniform(gmc_chance *chance, double from, double to)
{
    return from + (to - from) * ((double)(gmc_chance_bits(chance) >> 11) * 0x1.0p-53);
}

/// Uniform in the logarithm, by halving the range 52 times: no libm.
static inline double gmc_chance_log_uniform(gmc_chance *chance, double from, double to)
{
    uint64_t bits = gmc_chance_bits(chance);
    for (int i = 0; i < 24; i++, bits >>= 1) {
        double middle = sqrt(from * to);
        if (bits & 1)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static inline int gmc_chance_integer(gmc_chance *chance, int from, int to)
{
    return from + (int)(gmc_chance_bits(chance) % (uint64_t)(to - from + 1));
}

/// Uniform on the unit sphere (rejection from the cube).
static inline gmc_vec3 gmc_chance_direction(gmc_chance *chance)
{
    for (;;) {
        gmc_vec3 x = {gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1),
                      gmc_chance_uniform(chance, -1, 1)};
        double size = gmc_vec3_norm(x);
        if (size > 0.1 && size <= 1) return gmc_vec3_scale(1 / size, x);
    }
}

#endif
