/// What the files of elementary.h share: unevaluated sums of two doubles, and the exponential and
/// the logarithm to more than 53 bits.
///
/// A `gmc_elementary_pair` stands for high + low with |low| at most about an ulp of high. The exact
/// sums and products are Dekker's [dekker1971]. Products split their factors by masking bits
/// instead of by his multiplication, which cannot overflow.
#ifndef GMC_ENGINE_MATH_ELEMENTARY_INTERNAL_H
#define GMC_ENGINE_MATH_ELEMENTARY_INTERNAL_H

#include <stdint.h>
#include <string.h>

typedef struct gmc_elementary_pair {
    double high, low;
} gmc_elementary_pair;

static inline uint64_t gmc_elementary_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double gmc_elementary_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// 2^exponent, −1022 <= exponent <= 1023
static inline double gmc_elementary_power(int exponent)
{
    return gmc_elementary_double((uint64_t)(1023 + exponent) << 52);
}

/// a + b exactly, for |a| >= |b| or a = 0
static inline gmc_elementary_pair gmc_elementary_join(double a, double b)
{
    double sum = a + b;
    return (gmc_elementary_pair){sum, b - (sum - a)};
}

/// a + b exactly
static inline gmc_elementary_pair gmc_elementary_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a;
    return (gmc_elementary_pair){sum, (a - (sum - of_b)) + (b - of_b)};
}

/// x without its last 27 bits: the product of two such numbers is exact
static inline double gmc_elementary_head(double x)
{
    return gmc_elementary_double(gmc_elementary_bits(x) & UINT64_C(0xfffffffff8000000));
}

/// a b exactly, unless the low part underflows
static inline gmc_elementary_pair gmc_elementary_product(double a, double b)
{
    double product = a * b;
    double a1 = gmc_elementary_head(a), a2 = a - a1;
    double b1 = gmc_elementary_head(b), b2 = b - b1;
    return (gmc_elementary_pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

/// exp(x + low) = m 2^e with 0.99 < m < 2.02, m to about 61 bits
/// @param x    |x| <= 2000
/// @param low  |low| <= 2^-40
/// @param e    out: the exponent
/// @return m; its low part may be 1/300 of the high one
gmc_elementary_pair gmc_elementary_exp(double x, double low, int *e);

/// m 2^e, rounded once more if that is subnormal
/// @param m  0.25 < |m| < 4
double gmc_elementary_scale(double m, int e);

/// log(x) to about 67 bits
/// @param x  finite, > 0
gmc_elementary_pair gmc_elementary_log(double x);

#endif
