// Quantile: Wichura's rational approximations (AS 241, PPND16). Newton or Halley steps through erfc
// were tried on top of it: they change nothing above one unit in the last place, because AS 241 is
// already as exact as erfc.
//
// Truncation: the textbook form Φ⁻¹(Φ(a) + u (Φ(b) − Φ(a))) returns ±∞ or one repeated value when
// [a, b] lies in a tail. Here an interval on one side of the mean is handled by ratios of tails,
//
//   Q(x)/Q(a) = 1 − u (1 − Q(b)/Q(a)),      log Q(a+d)/Q(a) = −d (a + d/2) + log R(a+d)/R(a)
//
// with R the Mills ratio, which neither underflows nor cancels; one across the mean by distances
// from 1/2 (erf), which keeps narrow intervals exact. Rejection sampling was not considered: a
// design other than random must be able to hand in u.
#include "sampling/random/normal.h"

#include "engine/math/elementary.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double SQRT_PI_HALF = 1.25331413731550025121; // Mills ratio at 0

// numerator and denominator of degree 7, lowest power first
static double rational(const double n[8], const double d[8], double x)
{
    double numerator = n[7], denominator = d[7];
    for (int i = 6; i >= 0; i--) {
        numerator = numerator * x + n[i];
        denominator = denominator * x + d[i];
    }
    return numerator / denominator;
}

// [wichura1988], algorithm PPND16: |p − 1/2| <= 0.425, r = 0.425² − q²
static double quantile_centre(double q)
{
    static const double A[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double B[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    return q * rational(A, B, 0.180625 - q * q);
}

// the same for a tail of probability p < 0.075: the distance from the mean, r = √(−log p)
static double quantile_tail(double p)
{
    static const double C[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double D[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double E[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double F[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double r = sqrt(-gmc_log(p));
    return r <= 5.0 ? rational(C, D, r - 1.6) : rational(E, F, r - 5.0);
}

double gmc_normal_cdf(double x) { return 0.5 * gmc_erfc(-x * SQRT_HALF); }

double gmc_normal_quantile_centred(double c)
{
    if (isnan(c)) return c;
    if (fabs(c) >= 0.5) return copysign(INFINITY, c);
    if (fabs(c) <= 0.425) return quantile_centre(c);
    return copysign(quantile_tail(0.5 - fabs(c)), c);
}

double gmc_normal_quantile(double p)
{
    if (isnan(p)) return p;
    if (p <= 0.0) return -INFINITY;
    if (p >= 1.0) return INFINITY;
    double q = p - 0.5;
    if (fabs(q) <= 0.425) return quantile_centre(q);
    return q < 0.0 ? -quantile_tail(p) : quantile_tail(1.0 - p);
}

double gmc_normal_mills(double x)
{
    // below 4 the direct form errs by x² rounding errors; above, 80 terms of the fraction
    // x + 1/(x + 2/(x + 3/...)) are converged to the last bit
    if (x < 4.0) return SQRT_PI_HALF * gmc_exp(0.5 * x * x) * gmc_erfc(x * SQRT_HALF);
    double tail = x;
    for (int k = 80; k >= 1; k--)
        tail = x + k / tail;
    return 1.0 / tail;
}

double gmc_normal_tail_log_ratio(double a, double d)
{
    if (isinf(d)) return -INFINITY;
    return -d * (a + 0.5 * d) + gmc_log(gmc_normal_mills(a + d) / gmc_normal_mills(a));
}

double gmc_normal_tail_step(double a, double log_ratio)
{
    if (isinf(log_ratio)) return INFINITY;
    // log Q(a + d) is concave in d, so Newton steps approach from above after the first
    double slope = 1.0 / gmc_normal_mills(a);
    double d = -2.0 * log_ratio / (slope + sqrt(slope * slope - 2.0 * log_ratio));
    for (int i = 0; i < 30; i++) {
        double step = (gmc_normal_tail_log_ratio(a, d) - log_ratio) * gmc_normal_mills(a + d);
        d = fmax(d + step, 0.0);
        if (fabs(step) <= 1e-16 * d) break;
    }
    return d;
}

static double clamp(double x, double lower, double upper) { return fmin(fmax(x, lower), upper); }

// probability between the mean and x >= or <= 0, signed
static double from_centre(double x) { return 0.5 * gmc_erf(x * SQRT_HALF); }

// distance from the mean at which the truncated law reaches u, interval across the mean
static double quantile_across(double a, double b, double u)
{
    double below = from_centre(a), above = from_centre(b);
    double c = below + u * (above - below);
    if (c > 0.425) return -gmc_normal_quantile(gmc_normal_cdf(-b) + (1.0 - u) * (above - below));
    if (c < -0.425) return gmc_normal_quantile(gmc_normal_cdf(a) + u * (above - below));
    return gmc_normal_quantile_centred(c);
}

double gmc_normal_truncated_quantile(double a, double b, double u)
{
    if (b <= 0.0) return -gmc_normal_truncated_quantile(-b, -a, 1.0 - u);
    if (u <= 0.0) return a;
    if (u >= 1.0) return b;
    if (a < 0.0) return clamp(quantile_across(a, b, u), a, b);
    double share = -gmc_expm1(gmc_normal_tail_log_ratio(a, b - a)); // of Q(a) that is in [a, b]
    return clamp(a + gmc_normal_tail_step(a, gmc_log1p(-u * share)), a, b);
}

double gmc_normal_truncated_cdf(double a, double b, double x)
{
    if (x <= a) return 0.0;
    if (x >= b) return 1.0;
    if (b <= 0.0) return 1.0 - gmc_normal_truncated_cdf(-b, -a, -x);
    if (a >= 0.0)
        return gmc_expm1(gmc_normal_tail_log_ratio(a, x - a)) /
               gmc_expm1(gmc_normal_tail_log_ratio(a, b - a));
    double width = from_centre(b) - from_centre(a);
    if (x > 0.0) return 1.0 - (gmc_normal_cdf(-x) - gmc_normal_cdf(-b)) / width;
    return (gmc_normal_cdf(x) - gmc_normal_cdf(a)) / width;
}
