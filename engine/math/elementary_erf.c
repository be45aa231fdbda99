// erf and erfc.
//
// Up to 3/4 a polynomial in x² for erf. Beyond, erfc x = exp(−x²) g(x) with g smooth and slowly
// falling: one polynomial for each of five intervals up to 6, and one in 1/x² above. The
// exponent −x² is taken in two parts; in one, its rounding alone would cost x² ulp.
#include "engine/math/elementary.h"
#include "engine/math/elementary_constants_internal.h"
#include "engine/math/elementary_internal.h"

typedef gmc_elementary_pair pair;

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
    return gmc_elementary_join(c[0], c[1] + tail * h);
}

// erfc(x), 3/4 <= x < 28
static double far_tail(double x)
{
    pair square = gmc_elementary_product(x, x), g = smooth_part(x);
    int e;
    pair m = gmc_elementary_exp(-square.high, -square.low, &e);
    pair y = gmc_elementary_product(m.high, g.high);
    y.low += m.high * g.low + m.low * (g.high + g.low);
    if (x >= ERFCX_FAR_FROM) {
        double q = y.high / x;
        pair back = gmc_elementary_product(q, x);
        y = (pair){q, (((y.high - back.high) - back.low) + y.low) / x};
    }
    // 32 brings 0.02 ... 1.1 to where gmc_elementary_scale wants it
    return gmc_elementary_scale(32 * y.high + 32 * y.low, e - 5);
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
        pair whole = gmc_elementary_join(1, -x);
        return whole.high + (whole.low - centre_rest(x));
    }
    if (x < 0) return x > -6 ? 2 - far_tail(-x) : 2;
    return x < 28 ? far_tail(x) : 0; // erfc(27.3) is half the smallest double
}
