// exp, log, pow and their relatives.
//
// exp: x = (128 e + j) log 2 / 128 + r, so that exp x = 2^e 2^(j/128) exp r with 2^(j/128) from a
// table and |r| <= 0.0027, where a polynomial of degree 5 is enough. log: x = 2^e m, and m times a
// tabulated 11-bit number near 1/m is 1 + r with |r| <= 1/128; that product is exact in two parts,
// so r is known better than to a double. Both are Tang's schemes [tang1989], [tang1990]. Reductions
// without tables need polynomials of twice the degree, and without fused multiply-add each of their
// terms waits for the one before it: slower and less exact.
#include "engine/math/elementary.h"

#include "engine/math/elementary_constants_internal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// ---- sums of two doubles -----------------------------------------------------------------------
// A pair stands for high + low with |low| at most about an ulp of high. The exact sums and products
// are Dekker's [dekker1971]. Products split their factors by masking bits instead of by his
// multiplication, which cannot overflow.

typedef struct pair {
    double high, low;
} pair;

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// 2^exponent, −1022 <= exponent <= 1023
static inline double power_of_two(int exponent)
{
    return double_of((uint64_t)(1023 + exponent) << 52);
}

/// a + b exactly, for |a| >= |b| or a = 0
static inline pair join_parts(double a, double b)
{
    double sum = a + b;
    return (pair){sum, b - (sum - a)};
}

/// a + b exactly
static inline pair exact_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a;
    return (pair){sum, (a - (sum - of_b)) + (b - of_b)};
}

/// x without its last 27 bits: the product of two such numbers is exact
static inline double head_of(double x)
{
    return double_of(bits_of(x) & UINT64_C(0xfffffffff8000000));
}

/// a b exactly, unless the low part underflows
static inline pair exact_product(double a, double b)
{
    double product = a * b;
    double a1 = head_of(a), a2 = a - a1;
    double b1 = head_of(b), b2 = b - b1;
    return (pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

// adding it to |x| < 2^51 rounds x to a whole number, which then stands in the last bits
static const double ROUNDER = 0x1.8p52;

// ---- exp ---------------------------------------------------------------------------------------

// exp(x + low) = (1 + tail) 2^(steps / 128): the whole steps, and the tail that includes what the
// table's entry was rounded by
static inline double exp_tail(double x, double low, int64_t *steps)
{
    double shifted = x * EXP_STEPS + ROUNDER, n = shifted - ROUNDER;
    *steps = (int64_t)(bits_of(shifted) - bits_of(ROUNDER));
    double r = (x - n * EXP_STEP_HIGH) - (n * EXP_STEP_LOW - low); // the difference is exact
    double r2 = r * r;
    double p = (EXP_TAIL[0] + EXP_TAIL[1] * r) + r2 * (EXP_TAIL[2] + EXP_TAIL[3] * r);
    return EXP_TABLE[*steps & 127][1] + r + r2 * p;
}

/// exp(x + low) = m 2^e with 0.99 < m < 2.02, m to about 61 bits
/// @param x    |x| <= 2000
/// @param low  |low| <= 2^-40
/// @param e    out: the exponent
/// @return m; its low part may be 1/300 of the high one
static pair exp_parts(double x, double low, int *e)
{
    int64_t steps;
    double tail = exp_tail(x, low, &steps);
    double m = EXP_TABLE[steps & 127][0];
    *e = (int)((steps - (steps & 127)) / 128);
    return (pair){m, m * tail};
}

/// m 2^e, rounded once more if that is subnormal
/// @param m  0.25 < |m| < 4
static double scale_by(double m, int e)
{
    if (e >= -1020 && e <= 1020) return m * power_of_two(e);
    if (e > 2000) e = 2000;
    if (e < -2000) e = -2000;
    int half = e / 2; // the first product is exact
    return m * power_of_two(half) * power_of_two(e - half);
}

double gmc_exp(double x)
{
    if (fabs(x) < 700) { // no over- or underflow on the way
        int64_t steps;
        double tail = exp_tail(x, 0, &steps);
        uint64_t exponent = (uint64_t)(steps - (steps & 127)) << (52 - 7);
        double m = double_of(bits_of(EXP_TABLE[steps & 127][0]) + exponent);
        return m + m * tail;
    }
    if (isnan(x)) return x + x;
    if (x > 710) return HUGE_VAL;
    if (x < -746) return 0;
    int e;
    pair m = exp_parts(x, 0, &e);
    return scale_by(m.high + m.low, e);
}

double gmc_expm1(double x)
{
    if (fabs(x) < 0.25) {
        if (fabs(x) < 0x1p-54) return x;
        const double *c = EXPM1_TAIL;
        double x2 = x * x, x4 = x2 * x2;
        double p = ((c[0] + c[1] * x) + x2 * (c[2] + c[3] * x)) +
                   x4 * (((c[4] + c[5] * x) + x2 * (c[6] + c[7] * x)) + x4 * c[8]);
        return x + (0.5 * x2 + x * x2 * p);
    }
    if (isnan(x)) return x + x;
    if (x > 710) return HUGE_VAL;
    if (x < -38) return -1; // exp(-38) is a quarter of the ulp below 1
    int e;
    pair m = exp_parts(x, 0, &e);
    if (e > 60) return scale_by(m.high + m.low, e); // 1 is less than ulp/64
    double power = power_of_two(e);
    pair whole = exact_sum(m.high * power, -1);
    return whole.high + (whole.low + m.low * power);
}

// ---- log ---------------------------------------------------------------------------------------

typedef struct log_view {
    double e, r, r_low; // log(x) = e log 2 − log(inverse) + log(1 + r + r_low)
    const double *row;  // of LOG_TABLE: inverse, −log(inverse) in two parts
} log_view;

// x normal, given by its bits
static inline log_view log_reduce(uint64_t bits)
{
    uint64_t from_first = bits - LOG_FIRST;
    int e = (int)((int64_t)from_first >> 52);
    double m = double_of(bits - ((uint64_t)e << 52));
    const double *row = LOG_TABLE[from_first >> (52 - LOG_TABLE_BITS) & 127];
    double head = head_of(m);
    double a = head * row[0] - 1, b = (m - head) * row[0]; // both exact: the inverse has 11 bits
    pair r = exact_sum(a, b);
    return (log_view){e, r.high, r.low, row};
}

static inline double log_sum(log_view v)
{
    double r = v.r, r2 = r * r;
    const double *c = LOG_TAIL;
    double p = ((c[0] + c[1] * r) + r2 * (c[2] + c[3] * r)) + r2 * r2 * (c[4] + c[5] * r);
    // the table's part is either 0 or larger than r, and exact
    pair whole = join_parts(v.e * LN2_HIGH + v.row[1], r);
    return whole.high +
           (whole.low + (v.r_low + (v.e * LN2_LOW + v.row[2])) + (r * r2 * p - 0.5 * r2));
}

// x = 0, < 0, infinite or NaN
static double log_special(double x)
{
    if (x == 0) return -HUGE_VAL;
    if (isnan(x)) return x + x;
    return x < 0 ? (double)NAN : x;
}

static inline bool is_positive_normal(double x)
{
    return bits_of(x) - (UINT64_C(1) << 52) < UINT64_C(0x7fe) << 52;
}

double gmc_log(double x)
{
    if (is_positive_normal(x)) return log_sum(log_reduce(bits_of(x)));
    if (!(x > 0) || isinf(x)) return log_special(x);
    log_view v = log_reduce(bits_of(x * 0x1p54));
    v.e -= 54;
    return log_sum(v);
}

double gmc_log1p(double x)
{
    if (fabs(x) < 0x1p-54) return x;
    if (!(x > -1) || isinf(x)) return x == -1 ? -HUGE_VAL : log_special(x);
    pair whole = exact_sum(1, x);
    log_view v = log_reduce(bits_of(whole.high));
    if (v.e < 60) { // beyond, what the sum was rounded by does not count
        double low = whole.low * power_of_two((int)-v.e) * v.row[0];
        pair r = join_parts(v.r, v.r_low + low);
        v.r = r.high;
        v.r_low = r.low;
    }
    return log_sum(v);
}

// As log_sum with the square of r in two parts and a longer polynomial.
/// log(x) to about 67 bits
/// @param x  finite, > 0
static pair log_parts(double x)
{
    bool is_normal = is_positive_normal(x);
    log_view v = log_reduce(bits_of(is_normal ? x : x * 0x1p54));
    if (!is_normal) v.e -= 54;
    double r = v.r, r2 = r * r;
    const double *c = POW_TAIL;
    double p = ((c[0] + c[1] * r) + r2 * (c[2] + c[3] * r)) +
               r2 * r2 * ((c[4] + c[5] * r) + r2 * (c[6] + c[7] * r));
    double head = head_of(r), half = 0.5 * head * head; // exact
    double rest = 0.5 * (r - head) * (r + head) + r * v.r_low;
    pair whole = join_parts(v.e * LN2_HIGH + v.row[1], r);
    pair with_square = exact_sum(whole.high, -half);
    double low = with_square.low +
                 (whole.low + (v.r_low + (v.e * LN2_LOW + v.row[2])) + (r * r2 * p - rest));
    return join_parts(with_square.high, low);
}

// ---- pow ---------------------------------------------------------------------------------------

typedef enum parity { NOT_WHOLE, EVEN, ODD } parity;

static parity parity_of(double y)
{
    double a = fabs(y);
    if (a >= 0x1p53) return EVEN;
    double whole = (double)(int64_t)a;
    if (whole != a) return NOT_WHOLE;
    return (int64_t)a % 2 ? ODD : EVEN;
}

// x = ±0 or ±∞, or y = ±∞; neither is NaN, x is not 1
static double pow_special(double x, double y)
{
    double a = fabs(x);
    if (isinf(y)) {
        if (a == 1) return 1;
        return (a > 1) == (y > 0) ? HUGE_VAL : 0;
    }
    double size = (a == 0) == (y > 0) ? 0 : HUGE_VAL;
    return signbit(x) && parity_of(y) == ODD ? -size : size;
}

double gmc_pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return x + y;
    if (x == 0 || isinf(x) || isinf(y)) return pow_special(x, y);
    double sign = 1;
    if (x < 0) {
        parity of_y = parity_of(y);
        if (of_y == NOT_WHOLE) return NAN;
        if (of_y == ODD) sign = -1;
        x = -x;
        if (x == 1) return sign;
    }

    // out of range, or too close to 1 to matter?
    pair logarithm = log_parts(x);
    double rough = y * logarithm.high;
    if (rough > 710) return sign * HUGE_VAL;
    if (rough < -746) return sign * 0.0;
    if (fabs(rough) < 0x1p-54) return sign;

    pair exponent = exact_product(y, logarithm.high);
    int e;
    pair m = exp_parts(exponent.high, exponent.low + y * logarithm.low, &e);
    return scale_by(sign * (m.high + m.low), e);
}

// ---- sin, cos, tan -----------------------------------------------------------------------------
// sin, cos and tan.
//
// The argument is brought to x = k π/2 + r with |r| <= π/4 and r in two parts. Up to 10⁶ by
// subtracting k times π/2 in three parts whose first two products are exact ([cody1980], chapter
// 8); beyond, and where so much cancels that three parts are not enough, by multiplying with as
// many bits of 2/π as matter, in whole numbers [payne1983]. Then one polynomial each.

static const double QUARTER_PI = 0x1.921fb54442d18p-1; // below which nothing is to be reduced
static const double NEAR_MAX = 0x1p20;                 // k < 2^20 keeps the products exact
static const double CANCELLED = 0x1p-27; // |r| below this: the 118 bits of π/2 are not enough

// ---- sin, cos, tan: far arguments --------------------------------------------------------------

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
    uint64_t bits = bits_of(x);
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
        double part = (double)(bits_from(product, point - 32 * i) ^ flip) * power_of_two(-32 * i);
        pair sum = join_parts(part, fraction.high);
        fraction = join_parts(sum.high, sum.low + fraction.low);
    }
    if (flip) fraction = (pair){-fraction.high, -fraction.low};
    pair angle = exact_product(fraction.high, HALF_PI_HIGH);
    angle.low += fraction.high * HALF_PI_LOW + fraction.low * HALF_PI_HIGH;
    *r = join_parts(angle.high, angle.low);
    return k & 3;
}

// x = k π/2 + r for finite |x| > π/4; k modulo 4
static inline int reduce(double x, pair *r)
{
    if (fabs(x) < NEAR_MAX) {
        double shifted = x * TWO_OVER_PI + ROUNDER, n = shifted - ROUNDER;
        pair near = exact_sum(x - n * HALF_PI_1, -(n * HALF_PI_2)); // exact
        *r = join_parts(near.high, near.low - n * HALF_PI_3);
        if (fabs(r->high) >= CANCELLED) return (int)(bits_of(shifted) & 3);
    }
    int k = reduce_far(fabs(x), r);
    if (x > 0) return k;
    *r = (pair){-r->high, -r->low};
    return -k & 3;
}

// ---- sin, cos, tan: on [−π/4, π/4] -------------------------------------------------------------

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
    pair s = join_parts(r.high, sin_rest(r)), c = cos_parts(r);
    c = join_parts(c.high, c.low);
    if (k & 1) {
        pair swap = s;
        s = c;
        c = (pair){-swap.high, -swap.low};
    }
    double q = s.high / c.high;
    pair back = exact_product(q, c.high);
    return q + (((s.high - back.high) - back.low) + (s.low - q * c.low)) / c.high;
}

// ---- atan2, asin, acos -------------------------------------------------------------------------
// atan2, asin and acos: the angle of a vector (x, y), mirrored into the octant 0 <= y <= x.
//
// There the quotient q = y/x picks c = j/32, and atan q = atan c + atan t with
// t = (y − c x) / (x + c y), |t| <= 1/64: the difference is exact but for one rounding, because c
// has five bits. Below q = 1/16 there is no c, and what the division was rounded by is put
// back. asin x and acos x are angles of (√(1 − x²), x) and (x, √(1 − x²)) with the root in two
// parts.

// atan(y / x) for 0 < y <= x, x from 2^-400 to 2^900, y >= 2^-100 x; high takes the bigger part
static inline pair octant(pair y, pair x)
{
    double q = y.high / x.high;
    if (q < 0.0625) {
        const double *c = ATAN_TAIL_LONG;
        double z = q * q, z2 = z * z;
        double p = ((c[0] + c[1] * z) + z2 * (c[2] + c[3] * z)) + z2 * z2 * (c[4] + c[5] * z);
        pair back = exact_product(q, x.high);
        double rest = ((y.high - back.high) - back.low) + (y.low - q * x.low);
        return (pair){q, rest / x.high + q * (z * p)};
    }
    int j = (int)(q * 32 + 0.5);
    double c = j * 0.03125;
    double head = head_of(x.high), tail = x.high - head;
    double t = ((y.high - c * head) + ((y.low - c * x.low) - c * tail)) / (x.high + c * y.high);
    double z = t * t;
    double p = (ATAN_TAIL[0] + ATAN_TAIL[1] * z) + z * z * (ATAN_TAIL[2] + ATAN_TAIL[3] * z);
    return (pair){ATAN_TABLE[j][0], t + (ATAN_TABLE[j][1] + t * (z * p))};
}

// angle of (x, y) in [0, π], y > 0 or x != 0; both of x's parts have the sign of x
static inline double half_plane(pair y, pair x)
{
    pair ax = x.high < 0 ? (pair){-x.high, -x.low} : x;
    int is_steep = y.high > ax.high;
    pair small = is_steep ? ax : y, big = is_steep ? y : ax, a;

    // extreme sizes: scaled by a power of two, or too unequal to have a next term
    if (big.high < 0x1p-400) {
        small = (pair){small.high * 0x1p600, small.low * 0x1p600};
        big = (pair){big.high * 0x1p600, big.low * 0x1p600};
    }
    if (small.high < big.high * 0x1p-100) {
        a = (pair){small.high / big.high, 0};
    } else {
        if (big.high > 0x1p900) {
            small = (pair){small.high * 0x1p-600, small.low * 0x1p-600};
            big = (pair){big.high * 0x1p-600, big.low * 0x1p-600};
        }
        a = octant(small, big);
    }

    if (!is_steep && x.high >= 0) return a.high + a.low;
    double turn = is_steep ? 1 : 2, sign = is_steep && x.high < 0 ? 1 : -1;
    pair whole = join_parts(turn * HALF_PI_HIGH, sign * a.high);
    return whole.high + (whole.low + (turn * HALF_PI_LOW + sign * a.low));
}

double gmc_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) return x + y;
    double ax = fabs(x), ay = fabs(y);
    if (isinf(ax) || isinf(ay)) { // the directions that two infinite sides stand for
        y = copysign(isinf(ay) ? 1 : 0, y);
        x = copysign(isinf(ax) ? 1 : 0, x);
        ay = fabs(y);
    }
    if (ay == 0) return signbit(x) ? copysign(2 * HALF_PI_HIGH, y) : y;
    return copysign(half_plane((pair){ay, 0}, (pair){x, 0}), y);
}

// √(1 − x²), |x| < 1
static pair cathetus(double x)
{
    pair square = exact_product(x, x);
    pair rest = join_parts(1, -square.high);
    rest = exact_sum(rest.high, rest.low - square.low);
    double root = sqrt(rest.high);
    pair back = exact_product(root, root);
    return join_parts(root, (((rest.high - back.high) - back.low) + rest.low) / (2 * root));
}

double gmc_asin(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27) return x; // also keeps x² from underflowing
    if (a < 1) return copysign(half_plane((pair){a, 0}, cathetus(a)), x);
    if (a == 1) return copysign(HALF_PI_HIGH, x);
    return isnan(x) ? x + x : (double)NAN;
}

double gmc_acos(double x)
{
    double a = fabs(x);
    if (a < 0x1p-60) return HALF_PI_HIGH;
    if (a < 1) return half_plane(cathetus(x), (pair){x, 0});
    if (a == 1) return x < 0 ? 2 * HALF_PI_HIGH : 0;
    return isnan(x) ? x + x : (double)NAN;
}

// ---- erf, erfc ---------------------------------------------------------------------------------
// erf and erfc.
//
// Up to 3/4 a polynomial in x² for erf. Beyond, erfc x = exp(−x²) g(x) with g smooth and slowly
// falling: one polynomial for each of five intervals up to 6, and one in 1/x² above. The
// exponent −x² is taken in two parts; in one, its rounding alone would cost x² ulp.

static const double CENTRE = 0.75; // |x| up to which erf has its own polynomial

// x (erf(x)/x − 1), |x| <= 3/4
static double centre_rest(double x)
{
    const double *c = ERF_TAIL;
    double z = x * x, z2 = z * z, z4 = z2 * z2;
    double low = ((c[0] + c[1] * z) + z2 * (c[2] + c[3] * z));
    double middle = ((c[4] + c[5] * z) + z2 * (c[6] + c[7] * z));
    double high = ((c[8] + c[9] * z) + z2 * (c[10] + c[11] * z));
    return x * (low + z4 * (middle + z4 * high));
}

// exp(x²) erfc(x) for 3/4 <= x < 6, x times that above
static pair smooth_part(double x)
{
    int i = 0, count = ERFCX_TERMS;
    const double *c = ERFCX_FAR;
    double h;
    if (x < ERFCX_FAR_FROM) {
        while (x >= ERFCX_END[i])
            i++;
        c = ERFCX[i];
        h = x - ERFCX_MIDDLE[i];
    } else {
        h = 1 / (x * x);
        count = ERFCX_FAR_TERMS;
    }
    double tail = c[count - 1];
    for (int k = count - 2; k >= 2; k--)
        tail = tail * h + c[k];
    return join_parts(c[0], c[1] + tail * h);
}

// erfc(x), 3/4 <= x < 28
static double far_tail(double x)
{
    pair square = exact_product(x, x), g = smooth_part(x);
    int e;
    pair m = exp_parts(-square.high, -square.low, &e);
    pair y = exact_product(m.high, g.high);
    y.low += m.high * g.low + m.low * (g.high + g.low);
    if (x >= ERFCX_FAR_FROM) {
        double q = y.high / x;
        pair back = exact_product(q, x);
        y = (pair){q, (((y.high - back.high) - back.low) + y.low) / x};
    }
    // 32 brings 0.02 ... 1.1 to where scale_by wants it
    return scale_by(32 * y.high + 32 * y.low, e - 5);
}

double gmc_erf(double x)
{
    double a = fabs(x);
    if (a < CENTRE) return x + centre_rest(x);
    if (isnan(x)) return x + x;
    return copysign(a < 6 ? 1 - far_tail(a) : 1, x); // erfc(6) = 2e-17
}

double gmc_erfc(double x)
{
    if (isnan(x)) return x + x;
    if (fabs(x) < CENTRE) {
        pair whole = join_parts(1, -x);
        return whole.high + (whole.low - centre_rest(x));
    }
    if (x < 0) return x > -6 ? 2 - far_tail(-x) : 2;
    return x < 28 ? far_tail(x) : 0; // erfc(27.3) is half the smallest double
}

// ---- lgamma ------------------------------------------------------------------------------------
// log |Γ(x)|.
//
// Γ's logarithm vanishes at 1 and 2, so that its polynomials there are multiples of x − 1 and
// x − 2; between them one about 3/2, with a first coefficient in two parts. From 2.5 to 8 the
// argument is stepped down by Γ(x) = (x − 1) Γ(x − 1), beyond follows Stirling's series
// ([dlmf], 5.11.1) with a logarithm in two parts; below 0 the reflection Γ(x) Γ(−x) = −π / (x sin
// πx) ([dlmf], 5.5.3).

static double polynomial(const double *c, int count, double x)
{
    double value = c[count - 1];
    for (int i = count - 2; i >= 0; i--)
        value = value * x + c[i];
    return value;
}

// 0.7 <= x <= 2.5
static double central(double x)
{
    if (x == 1) return 0; // not −0
    if (x < 1.25) return (x - 1) * polynomial(LGAMMA_ONE, LGAMMA_ONE_TERMS, x - 1);
    if (x > 1.75) return (x - 2) * polynomial(LGAMMA_TWO, LGAMMA_TWO_TERMS, x - 2);
    double h = x - 1.5;
    return LGAMMA_MIDDLE[0] +
           (LGAMMA_MIDDLE[1] + h * polynomial(LGAMMA_MIDDLE + 2, LGAMMA_MIDDLE_TERMS - 2, h));
}

// x >= 8: (x − 1/2) (log x − 1) + (log 2π − 1) / 2 + series
static double stirling(double x)
{
    if (x > 0x1p1014) return x * (gmc_log(x) - 1); // may overflow to infinity
    pair logarithm = log_parts(x);
    pair less = exact_sum(logarithm.high, -1);
    pair product = exact_product(x - 0.5, less.high);
    double z = 1 / x;
    double rest = polynomial(LGAMMA_FAR, LGAMMA_FAR_TERMS, z * z) * z + STIRLING_LOW +
                  (product.low + (x - 0.5) * (less.low + logarithm.low));
    pair whole = join_parts(product.high, STIRLING_HIGH);
    return whole.high + (whole.low + rest);
}

// x > 0
static double positive(double x)
{
    if (x >= 8) return stirling(x);
    if (x < 0.7) {
        if (x < 0x1p-60) return -gmc_log(x);
        pair logarithm = log_parts(x);
        double gamma = x < 0.25 ? x * polynomial(LGAMMA_ONE, LGAMMA_ONE_TERMS, x) : central(1 + x);
        return -logarithm.high + (gamma - logarithm.low);
    }
    double product = 1;
    while (x > 2.5) {
        x -= 1; // exact
        product *= x;
    }
    double below = central(x);
    if (product == 1) return below;
    pair logarithm = log_parts(product);
    return logarithm.high + (logarithm.low + below);
}

// |sin πx|, x >= 0 finite, not whole
static double sine_of_turns(double x)
{
    if (x >= 0x1p52) return 0;
    double part = x - (double)(int64_t)x; // exact
    if (part > 0.5) part = 1 - part;
    return part <= 0.25 ? gmc_sin(GMC_PI * part) : gmc_cos(GMC_PI * (0.5 - part));
}

double gmc_lgamma(double x)
{
    if (isnan(x)) return x + x;
    if (isinf(x)) return HUGE_VAL;
    if (x > 0) return positive(x);
    double a = -x, sine = sine_of_turns(a);
    if (a == 0 || sine == 0) return HUGE_VAL; // a pole
    if (a < 0x1p-60) return -gmc_log(a);
    return LOG_PI - gmc_log(a * sine) - positive(a);
}
