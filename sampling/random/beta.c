// The usual route to the density, exp(a log x + b log y − log B(a, b)) with three log-gammas, loses
// log10(a + b) + 1 digits: at a million trials the interval's end would be wrong in its ninth
// digit. Loader's form, a saddle point with Stirling's remainder, has no large terms to cancel.
#include "sampling/random/beta.h"

#include "engine/math/elementary.h"

#include <math.h>

// Stirling's remainder: log Γ(z+1) − (z + 1/2) log z + z − log √(2π), [loader2000] stirlerr
static double stirling_remainder(double z)
{
    const double half_log_2pi = 0.91893853320467274178;
    if (z < 15.0) { // walk up to where the series holds
        double product = 1.0, n = z;
        while (n < 15.0) {
            n += 1.0;
            product *= n;
        }
        double log_factorial =
            (n + 0.5) * gmc_log(n) - n + half_log_2pi + stirling_remainder(n) - gmc_log(product);
        return log_factorial - ((z + 0.5) * gmc_log(z) - z + half_log_2pi);
    }
    double r = 1.0 / (z * z); // [dlmf, §5.11]; the next term is below 1e-15 for z >= 15
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - r / 1188) * r) * r) * r) / z;
}

// Deviance k log(k/m) + m − k without cancellation at k ≈ m, [loader2000] bd0
static double deviance(double k, double m)
{
    if (fabs(k - m) >= 0.1 * (k + m)) return k * gmc_log(k / m) + m - k;
    double v = (k - m) / (k + m), sum = (k - m) * v, power = 2.0 * k * v;
    for (int j = 1; j < 100; j++) {
        power *= v * v;
        double next = sum + power / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

// x^a y^b / B(a, b)
static double weight(double a, double b, gmc_beta_point at)
{
    const double two_pi = 6.28318530717958647693;
    double n = a + b;
    double exponent = stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b) -
                      deviance(a, n * at.x) - deviance(b, n * at.y);
    return sqrt(a / n * b / two_pi) * gmc_exp(exponent);
}

// Lower tail over `weight`, for x below about the mean: [dlmf, §8.17(v)], by Lentz' method
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) / (a + 1.0) * x;
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 1000000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        if (fabs(c * d - 1.0) <= 1e-16) break;
    }
    return value / a;
}

gmc_beta_tails gmc_beta_at(double a, double b, gmc_beta_point at)
{
    if (at.x <= 0.0) return (gmc_beta_tails){0.0, 1.0};
    if (at.y <= 0.0) return (gmc_beta_tails){1.0, 0.0};
    double w = weight(a, b, at);
    if (at.x <= (a + 1.0) / (a + b + 2.0)) {
        double lower = fmin(w * fraction(a, b, at.x), 1.0);
        return (gmc_beta_tails){lower, 1.0 - lower};
    }
    double upper = fmin(w * fraction(b, a, at.y), 1.0);
    return (gmc_beta_tails){1.0 - upper, upper};
}

// x <= 1/2 with the tail on one side equal to p: Newton's method on log tail over log x, where the
// tail is nearly straight, kept inside a bracket
static gmc_beta_point solve(double a, double b, double p, bool is_upper)
{
    double low = -745.0, high = gmc_log(0.5); // e^-745 is the smallest double
    double s = gmc_log(fmin(a / (a + b), 0.499));
    for (int i = 0; i < 200; i++) {
        gmc_beta_point at = {.x = gmc_exp(s), .y = -gmc_expm1(s)};
        gmc_beta_tails tails = gmc_beta_at(a, b, at);
        double tail = is_upper ? tails.upper : tails.lower;
        bool is_left = is_upper ? tail > p : tail < p;
        if (is_left)
            low = s;
        else
            high = s;

        double slope = (is_upper ? -1.0 : 1.0) * weight(a, b, at) / at.y; // d tail / d log x
        double next = s - tail * gmc_log(tail / p) / slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - s) <= 1e-16 * fabs(s) || tail == p) break;
        s = next;
    }
    return (gmc_beta_point){.x = gmc_exp(s), .y = -gmc_expm1(s)};
}

gmc_beta_point gmc_beta_quantile(double a, double b, double p, bool is_upper)
{
    if (p > 0.5) { // exact: 1 − p has no rounding here
        p = 1.0 - p;
        is_upper = !is_upper;
    }
    if (p <= 0.0) return is_upper ? (gmc_beta_point){1.0, 0.0} : (gmc_beta_point){0.0, 1.0};

    // solve for the smaller coordinate, so that both keep their digits
    gmc_beta_tails middle = gmc_beta_at(a, b, (gmc_beta_point){0.5, 0.5});
    bool is_below = is_upper ? middle.upper <= p : middle.lower >= p;
    if (is_below) return solve(a, b, p, is_upper);
    gmc_beta_point mirrored = solve(b, a, p, !is_upper);
    return (gmc_beta_point){.x = mirrored.y, .y = mirrored.x};
}
