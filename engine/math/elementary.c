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
#include "engine/math/elementary_internal.h"

#include <stdbool.h>

typedef gmc_elementary_pair pair;

// adding it to |x| < 2^51 rounds x to a whole number, which then stands in the last bits
static const double ROUNDER = 0x1.8p52;

// --- exp ---

// exp(x + low) = (1 + tail) 2^(steps / 128): the whole steps, and the tail that includes what the
// table's entry was rounded by
static inline double exp_tail(double x, double low, int64_t *steps)
{
    double shifted = x * EXP_STEPS + ROUNDER, n = shifted - ROUNDER;
    *steps = (int64_t)(gmc_elementary_bits(shifted) - gmc_elementary_bits(ROUNDER));
    double r = (x - n * EXP_STEP_HIGH) - (n * EXP_STEP_LOW - low); // the difference is exact
    double r2 = r * r;
    double p = (EXP_TAIL[0] + EXP_TAIL[1] * r) + r2 * (EXP_TAIL[2] + EXP_TAIL[3] * r);
    return EXP_TABLE[*steps & 127][1] + r + r2 * p;
}

pair gmc_elementary_exp(double x, double low, int *e)
{
    int64_t steps;
    double tail = exp_tail(x, low, &steps);
    double m = EXP_TABLE[steps & 127][0];
    *e = (int)((steps - (steps & 127)) / 128);
    return (pair){m, m * tail};
}

double gmc_elementary_scale(double m, int e)
{
    if (e >= -1020 && e <= 1020) return m * gmc_elementary_power(e);
    if (e > 2000) e = 2000;
    if (e < -2000) e = -2000;
    int half = e / 2; // the first product is exact
    return m * gmc_elementary_power(half) * gmc_elementary_power(e - half);
}

double gmc_exp(double x)
{
    if (fabs(x) < 700) { // no over- or underflow on the way
        int64_t steps;
        double tail = exp_tail(x, 0, &steps);
        uint64_t exponent = (uint64_t)(steps - (steps & 127)) << (52 - 7);
        double m = gmc_elementary_double(gmc_elementary_bits(EXP_TABLE[steps & 127][0]) + exponent);
        return m + m * tail;
    }
    if (isnan(x)) return x + x;
    if (x > 710) return HUGE_VAL;
    if (x < -746) return 0;
    int e;
    pair m = gmc_elementary_exp(x, 0, &e);
    return gmc_elementary_scale(m.high + m.low, e);
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
    pair m = gmc_elementary_exp(x, 0, &e);
    if (e > 60) return gmc_elementary_scale(m.high + m.low, e); // 1 is less than ulp/64
    double power = gmc_elementary_power(e);
    pair whole = gmc_elementary_sum(m.high * power, -1);
    return whole.high + (whole.low + m.low * power);
}

// --- log ---

typedef struct log_view {
    double e, r, r_low; // log(x) = e log 2 − log(inverse) + log(1 + r + r_low)
    const double *row;  // of LOG_TABLE: inverse, −log(inverse) in two parts
} log_view;

// x normal, given by its bits
static inline log_view log_reduce(uint64_t bits)
{
    uint64_t from_first = bits - LOG_FIRST;
    int e = (int)((int64_t)from_first >> 52);
    double m = gmc_elementary_double(bits - ((uint64_t)e << 52));
    const double *row = LOG_TABLE[from_first >> (52 - LOG_TABLE_BITS) & 127];
    double head = gmc_elementary_head(m);
    double a = head * row[0] - 1, b = (m - head) * row[0]; // both exact: the inverse has 11 bits
    pair r = gmc_elementary_sum(a, b);
    return (log_view){e, r.high, r.low, row};
}

static inline double log_sum(log_view v)
{
    double r = v.r, r2 = r * r;
    const double *c = LOG_TAIL;
    double p = ((c[0] + c[1] * r) + r2 * (c[2] + c[3] * r)) + r2 * r2 * (c[4] + c[5] * r);
    // the table's part is either 0 or larger than r, and exact
    pair whole = gmc_elementary_join(v.e * LN2_HIGH + v.row[1], r);
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
    return gmc_elementary_bits(x) - (UINT64_C(1) << 52) < UINT64_C(0x7fe) << 52;
}

double gmc_log(double x)
{
    if (is_positive_normal(x)) return log_sum(log_reduce(gmc_elementary_bits(x)));
    if (!(x > 0) || isinf(x)) return log_special(x);
    log_view v = log_reduce(gmc_elementary_bits(x * 0x1p54));
    v.e -= 54;
    return log_sum(v);
}

double gmc_log1p(double x)
{
    if (fabs(x) < 0x1p-54) return x;
    if (!(x > -1) || isinf(x)) return x == -1 ? -HUGE_VAL : log_special(x);
    pair whole = gmc_elementary_sum(1, x);
    log_view v = log_reduce(gmc_elementary_bits(whole.high));
    if (v.e < 60) { // beyond, what the sum was rounded by does not count
        double low = whole.low * gmc_elementary_power((int)-v.e) * v.row[0];
        pair r = gmc_elementary_join(v.r, v.r_low + low);
        v.r = r.high;
        v.r_low = r.low;
    }
    return log_sum(v);
}

// As log_sum with the square of r in two parts and a longer polynomial.
pair gmc_elementary_log(double x)
{
    bool is_normal = is_positive_normal(x);
    log_view v = log_reduce(gmc_elementary_bits(is_normal ? x : x * 0x1p54));
    if (!is_normal) v.e -= 54;
    double r = v.r, r2 = r * r;
    const double *c = POW_TAIL;
    double p = ((c[0] + c[1] * r) + r2 * (c[2] + c[3] * r)) +
               r2 * r2 * ((c[4] + c[5] * r) + r2 * (c[6] + c[7] * r));
    double head = gmc_elementary_head(r), half = 0.5 * head * head; // exact
    double rest = 0.5 * (r - head) * (r + head) + r * v.r_low;
    pair whole = gmc_elementary_join(v.e * LN2_HIGH + v.row[1], r);
    pair with_square = gmc_elementary_sum(whole.high, -half);
    double low = with_square.low +
                 (whole.low + (v.r_low + (v.e * LN2_LOW + v.row[2])) + (r * r2 * p - rest));
    return gmc_elementary_join(with_square.high, low);
}

// --- pow ---

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
    pair logarithm = gmc_elementary_log(x);
    double rough = y * logarithm.high;
    if (rough > 710) return sign * HUGE_VAL;
    if (rough < -746) return sign * 0.0;
    if (fabs(rough) < 0x1p-54) return sign;

    pair exponent = gmc_elementary_product(y, logarithm.high);
    int e;
    pair m = gmc_elementary_exp(exponent.high, exponent.low + y * logarithm.low, &e);
    return gmc_elementary_scale(sign * (m.high + m.low), e);
}
