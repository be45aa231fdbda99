// atan2, asin and acos: the angle of a vector (x, y), mirrored into the octant 0 <= y <= x.
//
// There the quotient q = y/x picks c = j/32, and atan q = atan c + atan t with
// t = (y − c x) / (x + c y), |t| <= 1/64: the difference is exact but for one rounding, because c
// has five bits. Below q = 1/16 there is no c, and what the division was rounded by is put
// back. asin x and acos x are angles of (√(1 − x²), x) and (x, √(1 − x²)) with the root in two
// parts.
#include "engine/math/elementary.h"
#include "engine/math/elementary_constants_internal.h"
#include "engine/math/elementary_internal.h"

typedef gmc_elementary_pair pair;

// atan(y / x) for 0 < y <= x, x from 2^-400 to 2^900, y >= 2^-100 x; high takes the bigger part
static inline pair octant(pair y, pair x)
{
    double q = y.high / x.high;
    if (q < 0.0625) {
        const double *c = ATAN_TAIL_LONG;
        double z = q * q, z2 = z * z;
        double p = ((c[0] + c[1] * z) + z2 * (c[2] + c[3] * z)) + z2 * z2 * (c[4] + c[5] * z);
        pair back = gmc_elementary_product(q, x.high);
        double rest = ((y.high - back.high) - back.low) + (y.low - q * x.low);
        return (pair){q, rest / x.high + q * (z * p)};
    }
    int j = (int)(q * 32 + 0.5);
    double c = j * 0.03125;
    double head = gmc_elementary_head(x.high), tail = x.high - head;
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
    pair whole = gmc_elementary_join(turn * HALF_PI_HIGH, sign * a.high);
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
    pair square = gmc_elementary_product(x, x);
    pair rest = gmc_elementary_join(1, -square.high);
    rest = gmc_elementary_sum(rest.high, rest.low - square.low);
    double root = sqrt(rest.high);
    pair back = gmc_elementary_product(root, root);
    return gmc_elementary_join(root,
                               (((rest.high - back.high) - back.low) + rest.low) / (2 * root));
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
