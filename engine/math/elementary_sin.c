// sin, cos and tan.
//
// The argument is brought to x = k π/2 + r with |r| <= π/4 and r in two parts. Up to 10⁶ by
// subtracting k times π/2 in three parts whose first two products are exact ([cody1980], chapter
// 8); beyond, and where so much cancels that three parts are not enough, by multiplying with as
// many bits of 2/π as matter, in whole numbers [payne1983]. Then one polynomial each.
#include "engine/math/elementary.h"
#include "engine/math/elementary_constants_internal.h"
#include "engine/math/elementary_internal.h"

#include <stdint.h>

typedef gmc_elementary_pair pair;

static const double QUARTER_PI = 0x1.921fb54442d18p-1; // below which nothing is to be reduced
static const double NEAR_MAX = 0x1p20;                 // k < 2^20 keeps the products exact
static const double CANCELLED = 0x1p-27; // |r| below this: the 118 bits of π/2 are not enough
static const double ROUNDER = 0x1.8p52;

// --- far arguments ---

enum { FACTOR_WORDS = 7, PRODUCT_WORDS = FACTOR_WORDS + 2 };

// 32 bits of a number given as words, least first, from bit `from` on; bits below 0 are 0
static uint64_t bits_from(const uint32_t words[PRODUCT_WORDS], int from)
{
    uint64_t value = 0;
    for (int i = 0; i < PRODUCT_WORDS; i++) {
        int shift = 32 * i - from; // of this word in the value
        if (shift >= 0 && shift < 32) value |= (uint64_t)words[i] << shift;
        if (shift < 0 && shift > -32) value |= (uint64_t)words[i] >> -shift;
    }
    return value & 0xffffffff;
}

// x = k π/2 + r, for x >= π/4; k modulo 4. With x = m 2^e: of 2/π, words whose product with m 2^e
// is a multiple of 4 are left out, the next 224 bits suffice, for no double is closer to a multiple
// of π/2 than 2^-62.
static int reduce_far(double x, pair *r)
{
    uint64_t bits = gmc_elementary_bits(x);
    int e = (int)(bits >> 52) - 1075;
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int first = e > 2 ? (e - 2) / 32 : 0;

    // product of m and the words, least first
    uint32_t product[PRODUCT_WORDS] = {0};
    uint64_t m_low = m & 0xffffffff, m_high = m >> 32;
    for (int i = 0; i < FACTOR_WORDS; i++) {
        uint64_t word = TWO_OVER_PI_WORDS[first + FACTOR_WORDS - 1 - i];
        uint64_t carry = product[i] + word * m_low;
        product[i] = (uint32_t)carry;
        carry = product[i + 1] + (carry >> 32) + word * m_high;
        product[i + 1] = (uint32_t)carry;
        product[i + 2] = (uint32_t)(carry >> 32);
    }

    // the point stands above bit `point`: two bits of k, then the fraction, which is made signed
    int point = 32 * (first + FACTOR_WORDS) - e;
    int k = (int)(bits_from(product, point) & 3);
    uint64_t flip = 0;
    if (bits_from(product, point - 32) >> 31) {
        k++;
        flip = 0xffffffff; // 1 − f, but for one unit in a place that does not count
    }
    pair fraction = {0, 0};
    for (int i = 6; i >= 1; i--) {
        double part =
            (double)(bits_from(product, point - 32 * i) ^ flip) * gmc_elementary_power(-32 * i);
        pair sum = gmc_elementary_join(part, fraction.high);
        fraction = gmc_elementary_join(sum.high, sum.low + fraction.low);
    }
    if (flip) fraction = (pair){-fraction.high, -fraction.low};
    pair angle = gmc_elementary_product(fraction.high, HALF_PI_HIGH);
    angle.low += fraction.high * HALF_PI_LOW + fraction.low * HALF_PI_HIGH;
    *r = gmc_elementary_join(angle.high, angle.low);
    return k & 3;
}

// x = k π/2 + r for finite |x| > π/4; k modulo 4
static inline int reduce(double x, pair *r)
{
    if (fabs(x) < NEAR_MAX) {
        double shifted = x * TWO_OVER_PI + ROUNDER, n = shifted - ROUNDER;
        pair near = gmc_elementary_sum(x - n * HALF_PI_1, -(n * HALF_PI_2)); // exact
        *r = gmc_elementary_join(near.high, near.low - n * HALF_PI_3);
        if (fabs(r->high) >= CANCELLED) return (int)(gmc_elementary_bits(shifted) & 3);
    }
    int k = reduce_far(fabs(x), r);
    if (x > 0) return k;
    *r = (pair){-r->high, -r->low};
    return -k & 3;
}

// --- on [−π/4, π/4] ---

// sin(r) − r.high
static inline double sin_rest(pair r)
{
    const double *c = SIN_TAIL;
    double z = r.high * r.high, z2 = z * z;
    double p = ((c[0] + c[1] * z) + z2 * (c[2] + c[3] * z)) + z2 * z2 * (c[4] + c[5] * z);
    return r.high * (z * p) + (r.low - 0.5 * z * r.low);
}

// cos(r)
static inline pair cos_parts(pair r)
{
    const double *c = COS_TAIL;
    double z = r.high * r.high, z2 = z * z;
    double p = ((c[0] + c[1] * z) + z2 * (c[2] + c[3] * z)) + z2 * z2 * (c[4] + c[5] * z);
    double half = 0.5 * z, whole = 1 - half;
    return (pair){whole, ((1 - whole) - half) + (z2 * p - r.high * r.low)};
}

static inline double sin_near(pair r) { return r.high + sin_rest(r); }

static inline double cos_near(pair r)
{
    pair c = cos_parts(r);
    return c.high + c.low;
}

double gmc_sin(double x)
{
    pair r = {x, 0};
    if (fabs(x) <= QUARTER_PI) return fabs(x) < 0x1p-27 ? x : sin_near(r);
    if (!(fabs(x) < HUGE_VAL)) return x - x; // NaN
    int k = reduce(x, &r);
    double y = k & 1 ? cos_near(r) : sin_near(r);
    return k & 2 ? -y : y;
}

double gmc_cos(double x)
{
    pair r = {x, 0};
    if (fabs(x) <= QUARTER_PI) return cos_near(r);
    if (!(fabs(x) < HUGE_VAL)) return x - x;
    int k = reduce(x, &r);
    double y = k & 1 ? sin_near(r) : cos_near(r);
    return (k + 1) & 2 ? -y : y;
}

void gmc_sin_cos(double x, double *sine, double *cosine)
{
    pair r = {x, 0};
    int k = 0;
    if (fabs(x) > QUARTER_PI || isnan(x)) {
        if (!(fabs(x) < HUGE_VAL)) {
            *sine = *cosine = x - x;
            return;
        }
        k = reduce(x, &r);
    }
    double s = r.high == x && fabs(x) < 0x1p-27 ? x : sin_near(r), c = cos_near(r);
    double a = k & 1 ? c : s, b = k & 1 ? s : c;
    *sine = k & 2 ? -a : a;
    *cosine = (k + 1) & 2 ? -b : b;
}

double gmc_tan(double x)
{
    pair r = {x, 0};
    int k = 0;
    if (fabs(x) < 0x1p-27) return x;
    if (!(fabs(x) < HUGE_VAL)) return x - x;
    if (fabs(x) > QUARTER_PI) k = reduce(x, &r);
    pair s = gmc_elementary_join(r.high, sin_rest(r)), c = cos_parts(r);
    c = gmc_elementary_join(c.high, c.low);
    if (k & 1) {
        pair swap = s;
        s = c;
        c = (pair){-swap.high, -swap.low};
    }
    double q = s.high / c.high;
    pair back = gmc_elementary_product(q, c.high);
    return q + (((s.high - back.high) - back.low) + (s.low - q * c.low)) / c.high;
}
