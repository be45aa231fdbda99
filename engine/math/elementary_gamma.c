// log |Γ(x)|.
//
// Γ's logarithm vanishes at 1 and 2, so that its polynomials there are multiples of x − 1 and
// x − 2; between them one about 3/2, with a first coefficient in two parts. From 2.5 to 8 the
// argument is stepped down by Γ(x) = (x − 1) Γ(x − 1), beyond follows Stirling's series
// ([dlmf], 5.11.1) with a logarithm in two parts; below 0 the reflection Γ(x) Γ(−x) = −π / (x sin
// πx) ([dlmf], 5.5.3).
#include "engine/math/elementary.h"
#include "engine/math/elementary_constants_internal.h"
#include "engine/math/elementary_internal.h"

typedef gmc_elementary_pair pair;

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
    pair logarithm = gmc_elementary_log(x);
    pair less = gmc_elementary_sum(logarithm.high, -1);
    pair product = gmc_elementary_product(x - 0.5, less.high);
    double z = 1 / x;
    double rest = polynomial(LGAMMA_FAR, LGAMMA_FAR_TERMS, z * z) * z + STIRLING_LOW +
                  (product.low + (x - 0.5) * (less.low + logarithm.low));
    pair whole = gmc_elementary_join(product.high, STIRLING_HIGH);
    return whole.high + (whole.low + rest);
}

// x > 0
static double positive(double x)
{
    if (x >= 8) return stirling(x);
    if (x < 0.7) {
        if (x < 0x1p-60) return -gmc_log(x);
        pair logarithm = gmc_elementary_log(x);
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
    pair logarithm = gmc_elementary_log(product);
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
