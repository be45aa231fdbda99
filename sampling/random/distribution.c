// Every law is drawn by inverting its distribution function. Ziggurat or polar methods are faster
// but take an unknown count of numbers, break the monotone link between u and value that common
// random numbers, Latin hypercubes and Sobol' points rely on, and a trial spends its time
// elsewhere.
//
// All that is said of a law stands in its section and in its row of the table behind them.
#include "sampling/random/distribution.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// ==== laws ======================================================================================

static const double U_MIN = 0x1p-54; // half the distance between neighbours of a u with 53 bits

static const char *complain(gmc_distribution_argument which, gmc_distribution_argument *argument,
                            const char *text)
{
    if (argument) *argument = which;
    return text;
}

static const char *check_limits(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (isnan(d->lower))
        return complain(GMC_ARGUMENT_LOWER, argument, "the lower limit must be a number");
    if (isnan(d->upper))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit must be a number");
    if (!(d->lower < d->upper))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit must be > the lower limit");
    if (gmc_distribution_laws[d->type].is_positive && !(d->upper > 0.0))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit of a lognormal must be > 0");
    return NULL;
}

// ---- constant ----------------------------------------------------------------------------------

static double constant_quantile(const gmc_distribution *d, double u)
{
    (void)u;
    return d->p[0];
}

static double constant_cdf(const gmc_distribution *d, double x) { return x >= d->p[0] ? 1.0 : 0.0; }

static double constant_density(const gmc_distribution *d, double x) { return x == d->p[0]; }

static void constant_moments(const gmc_distribution *d, double *mean, double *variance)
{
    *mean = d->p[0];
    *variance = 0.0;
}

// ---- uniform -----------------------------------------------------------------------------------

static const char *check_uniform(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    const double *p = d->p;
    if (!(p[0] < p[1]))
        return complain(GMC_ARGUMENT_1, argument, "the upper end must be > the lower end");
    if (!isfinite(p[1] - p[0])) return complain(GMC_ARGUMENT_1, argument, "the range is too wide");
    return NULL;
}

static double uniform_quantile(const gmc_distribution *d, double u)
{
    return fmin(d->p[0] + u * (d->p[1] - d->p[0]), d->p[1]);
}

static double uniform_cdf(const gmc_distribution *d, double x)
{
    return fmin(fmax((x - d->p[0]) / (d->p[1] - d->p[0]), 0.0), 1.0);
}

static double uniform_density(const gmc_distribution *d, double x)
{
    return x >= d->p[0] && x <= d->p[1] ? 1 / (d->p[1] - d->p[0]) : 0;
}

static void uniform_moments(const gmc_distribution *d, double *mean, double *variance)
{
    const double *p = d->p;
    *mean = 0.5 * p[0] + 0.5 * p[1];
    *variance = (p[1] - p[0]) * (p[1] - p[0]) / 12.0;
}

// ---- normal and lognormal as one: a standard normal z between a and b, then x = value(z) -------

typedef struct normal_view {
    double mean, sd; // of x, or of log x
    double a, b;     // limits of z
    bool is_log;
} normal_view;

static normal_view normal_view_of(const gmc_distribution *d)
{
    normal_view v = {.mean = d->p[0], .sd = d->p[1], .a = -INFINITY, .b = INFINITY};
    double lower = d->lower, upper = d->upper;
    if (d->type == GMC_DISTRIBUTION_LOGNORMAL) {
        v.is_log = true;
        v.mean = gmc_log(d->p[0]);
        v.sd = sqrt(gmc_log1p(d->p[1] * d->p[1])); // variation² = exp(sd²) − 1
        lower = lower > 0.0 ? gmc_log(lower) : -HUGE_VAL;
        upper = gmc_log(upper);
    }
    if (d->is_truncated) {
        v.a = (lower - v.mean) / v.sd;
        v.b = (upper - v.mean) / v.sd;
    }
    return v;
}

static double normal_view_value(const normal_view *v, double z)
{
    double x = v->mean + v->sd * z;
    return v->is_log ? gmc_exp(x) : x;
}

// Interval of z outside which neither the density nor the density times x² matters (below e^-45 of
// its top, 3e-20). `tilt` is where x² moves the top of the density to: 2 sd for a lognormal, 0
// else.
static void normal_view_window(const normal_view *v, double tilt, double *lower, double *upper)
{
    const double drop = 90.0; // 2 · 45
    double out = fmax(v->a - tilt, 0.0), in = fmax(-v->b, 0.0);
    double top = fmin(fmax(v->a, tilt), v->b), bottom = fmax(fmin(v->b, 0.0), v->a);
    *upper = fmin(v->b, top + drop / (out + sqrt(out * out + drop)));
    *lower = fmax(v->a, bottom - drop / (in + sqrt(in * in + drop)));
}

// Mean and variance of the truncated law by composite Gauss-Legendre quadrature on that window. The
// closed forms (differences of φ over differences of Φ) cancel to nothing for narrow or far
// intervals.
static void normal_view_moments(const normal_view *v, double *mean, double *variance)
{
    // nodes and weights of five points on [−1, 1], [dlmf, §3.5]; 400 panels: relative error < 1e-11
    static const double NODE[5] = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                   0.5384693101056831, 0.9061798459386640};
    static const double WEIGHT[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    enum { PANELS = 400 };
    double lower, upper;
    normal_view_window(v, v->is_log ? 2.0 * v->sd : 0.0, &lower, &upper);
    double middle = fmin(fmax(0.0, lower), upper); // densest point: the density is relative to it
    double origin = normal_view_value(v, middle);  // moments about it, so that nothing cancels
    double half = 0.5 * (upper - lower) / PANELS;

    double m0 = 0.0, m1 = 0.0, m2 = 0.0;
    for (int i = 0; i < PANELS; i++)
        for (int k = 0; k < 5; k++) {
            double z = lower + half * (2 * i + 1 + NODE[k]);
            double w = WEIGHT[k] * gmc_exp(-0.5 * (z - middle) * (z + middle));
            double x = normal_view_value(v, z) - origin;
            m0 += w;
            m1 += w * x;
            m2 += w * x * x;
        }
    *mean = origin + m1 / m0;
    *variance = fmax(m2 / m0 - m1 / m0 * (m1 / m0), 0.0);
}

// beyond this a truncation keeps no more than a rounding error of room in a double
static const double TAIL_MAX = 1e6;

static const char *check_truncation(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!d->is_truncated) return NULL;
    const char *complaint = check_limits(d, argument);
    if (complaint) return complaint;
    bool is_log = d->type == GMC_DISTRIBUTION_LOGNORMAL;
    double middle = is_log ? gmc_log(d->p[0]) : d->p[0];
    double sd = is_log ? sqrt(gmc_log1p(d->p[1] * d->p[1])) : d->p[1];
    double lower = is_log ? (d->lower > 0.0 ? gmc_log(d->lower) : -HUGE_VAL) : d->lower;
    double upper = is_log ? gmc_log(d->upper) : d->upper;
    if ((lower - middle) / sd > TAIL_MAX)
        return complain(GMC_ARGUMENT_LOWER, argument,
                        "the limits lie more than a million standard deviations above the middle");
    if ((middle - upper) / sd > TAIL_MAX)
        return complain(GMC_ARGUMENT_UPPER, argument,
                        "the limits lie more than a million standard deviations below the middle");
    return NULL;
}

static const char *check_normal(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!(d->p[1] > 0.0))
        return complain(GMC_ARGUMENT_1, argument, "the standard deviation must be > 0");
    return check_truncation(d, argument);
}

static const char *check_lognormal(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!(d->p[0] > 0.0)) return complain(GMC_ARGUMENT_0, argument, "the median must be > 0");
    if (!(d->p[1] > 0.0))
        return complain(GMC_ARGUMENT_1, argument, "the coefficient of variation must be > 0");
    // 1e6: the largest drawn value is then e^44 times the median; more is a mistyped unit
    if (d->p[1] > 1e6)
        return complain(GMC_ARGUMENT_1, argument, "the coefficient of variation must be <= 1e6");
    return check_truncation(d, argument);
}

static double normal_quantile(const gmc_distribution *d, double u)
{
    normal_view v = normal_view_of(d);
    u = fmin(fmax(u, U_MIN), 1.0 - 0x1p-53);
    if (!d->is_truncated) return normal_view_value(&v, gmc_normal_quantile(u));
    double x = normal_view_value(&v, gmc_normal_truncated_quantile(v.a, v.b, u));
    return fmin(fmax(x, d->lower), d->upper);
}

static double normal_at_score(const gmc_distribution *d, double z)
{
    normal_view v = normal_view_of(d);
    double most = -gmc_normal_quantile(U_MIN);
    return normal_view_value(&v, fmin(fmax(z, -most), most));
}

static double normal_cdf(const gmc_distribution *d, double x)
{
    normal_view v = normal_view_of(d);
    if (v.is_log && x <= 0.0) return 0.0;
    double z = ((v.is_log ? gmc_log(x) : x) - v.mean) / v.sd;
    return d->is_truncated ? gmc_normal_truncated_cdf(v.a, v.b, z) : gmc_normal_cdf(z);
}

/// Φ(b) − Φ(a) with the digits of the smaller tail.
static double normal_mass(double a, double b)
{
    return a > 0 ? gmc_normal_cdf(-a) - gmc_normal_cdf(-b) : gmc_normal_cdf(b) - gmc_normal_cdf(a);
}

static double normal_density(const gmc_distribution *d, double x)
{
    static const double ROOT_TWO_PI = 2.5066282746310005;
    double mean = d->p[0], sd = d->p[1], at = x, per = 1, a = -HUGE_VAL, b = HUGE_VAL;
    if (d->is_truncated && (x < d->lower || x > d->upper)) return 0;
    if (d->is_truncated) {
        a = d->lower;
        b = d->upper;
    }
    if (d->type == GMC_DISTRIBUTION_LOGNORMAL) {
        if (x <= 0) return 0;
        mean = gmc_log(d->p[0]);
        sd = sqrt(gmc_log1p(d->p[1] * d->p[1]));
        at = gmc_log(x);
        per = x;
        a = a > 0 ? gmc_log(a) : -HUGE_VAL;
        b = b < HUGE_VAL ? gmc_log(b) : HUGE_VAL;
    }
    double z = (at - mean) / sd;
    double mass = d->is_truncated ? normal_mass((a - mean) / sd, (b - mean) / sd) : 1;
    return gmc_exp(-0.5 * z * z) / (ROOT_TWO_PI * sd * per * mass);
}

static void normal_moments(const gmc_distribution *d, double *mean, double *variance)
{
    const double *p = d->p;
    *mean = p[0];
    if (d->is_truncated) {
        normal_view v = normal_view_of(d);
        normal_view_moments(&v, mean, variance);
    } else if (d->type == GMC_DISTRIBUTION_NORMAL) {
        *variance = p[1] * p[1];
    } else {
        *mean = p[0] * sqrt(1.0 + p[1] * p[1]);
        *variance = *mean * p[1] * (*mean * p[1]);
    }
}

// ---- triangular, [kotz2004] chapter 1 ----------------------------------------------------------

static const char *check_triangular(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    const double *p = d->p;
    if (!(p[0] < p[2]))
        return complain(GMC_ARGUMENT_2, argument, "the upper end must be > the lower end");
    if (!isfinite(p[2] - p[0])) return complain(GMC_ARGUMENT_2, argument, "the range is too wide");
    if (!(p[0] <= p[1] && p[1] <= p[2]))
        return complain(GMC_ARGUMENT_1, argument, "the mode must lie between the ends");
    return NULL;
}

static double triangular_quantile(const gmc_distribution *d, double u)
{
    const double *p = d->p;
    double width = p[2] - p[0], left = p[1] - p[0], right = p[2] - p[1];
    return u * width <= left ? p[0] + sqrt(u * width * left)
                             : p[2] - sqrt((1.0 - u) * width * right);
}

static double triangular_cdf(const gmc_distribution *d, double x)
{
    const double *p = d->p;
    double width = p[2] - p[0];
    if (x <= p[0]) return 0.0;
    if (x >= p[2]) return 1.0;
    if (x <= p[1]) return (x - p[0]) / width * ((x - p[0]) / (p[1] - p[0]));
    return 1.0 - (p[2] - x) / width * ((p[2] - x) / (p[2] - p[1]));
}

static double triangular_density(const gmc_distribution *d, double x)
{
    const double *p = d->p;
    double width = p[2] - p[0];
    if (x < p[0] || x > p[2]) return 0;
    if (x == p[1]) return 2 / width;
    return x < p[1] ? 2 * (x - p[0]) / (width * (p[1] - p[0]))
                    : 2 * (p[2] - x) / (width * (p[2] - p[1]));
}

static void triangular_moments(const gmc_distribution *d, double *mean, double *variance)
{
    const double *p = d->p;
    double left = p[1] - p[0], right = p[2] - p[1];
    *mean = (p[0] + p[1] + p[2]) / 3.0;
    *variance = (left * left + left * right + right * right) / 18.0;
}

// ---- lists of values ---------------------------------------------------------------------------

static double weight(const gmc_distribution *d, int i)
{
    return d->type == GMC_DISTRIBUTION_DISCRETE && d->weights ? d->weights[i] : 1.0;
}

static double weight_sum(const gmc_distribution *d)
{
    double sum = 0.0;
    for (int i = 0; i < d->value_count; i++)
        sum += weight(d, i);
    return sum;
}

// Values need not be sorted: u walks along the list in the order given. What is drawn has the right
// law; only u's monotone link is the user's choice of order.
static double list_quantile(const gmc_distribution *d, double u)
{
    if (d->type == GMC_DISTRIBUTION_EMPIRICAL || !d->weights)
        return d->values[gmc_distribution_row(d, u)];
    double target = u * weight_sum(d), sum = 0.0;
    for (int i = 0; i < d->value_count; i++) {
        sum += d->weights[i];
        if (target < sum) return d->values[i];
    }
    return d->values[d->value_count - 1];
}

static double list_cdf(const gmc_distribution *d, double x)
{
    double sum = 0.0;
    for (int i = 0; i < d->value_count; i++)
        if (d->values[i] <= x) sum += weight(d, i);
    return sum / weight_sum(d);
}

/// Probability of x itself.
static double list_density(const gmc_distribution *d, double x)
{
    double found = 0;
    for (int i = 0; i < d->value_count; i++)
        if (d->values[i] == x) found += weight(d, i);
    return found / weight_sum(d);
}

static void list_moments(const gmc_distribution *d, double *mean, double *variance)
{
    double total = weight_sum(d), m1 = 0.0, m2 = 0.0;
    for (int i = 0; i < d->value_count; i++)
        m1 += weight(d, i) / total * d->values[i];
    for (int i = 0; i < d->value_count; i++)
        m2 += weight(d, i) / total * (d->values[i] - m1) * (d->values[i] - m1);
    *mean = m1;
    *variance = m2;
}

static const char *check_list(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (d->value_count < 1 || !d->values)
        return complain(GMC_ARGUMENT_VALUES, argument, "at least one value is needed");
    double sum = 0.0;
    for (int i = 0; i < d->value_count; i++) {
        if (!isfinite(d->values[i]))
            return complain(GMC_ARGUMENT_VALUES, argument, "every value must be finite");
        if (d->type != GMC_DISTRIBUTION_DISCRETE || !d->weights) continue;
        if (!(d->weights[i] > 0.0))
            return complain(GMC_ARGUMENT_WEIGHTS, argument, "every weight must be > 0");
        sum += d->weights[i];
    }
    if (!isfinite(sum))
        return complain(GMC_ARGUMENT_WEIGHTS, argument, "the weights must be finite");
    return NULL;
}

// ---- Student -----------------------------------------------------------------------------------

// Student's t laws with a middle and a scale, of x or of log x: what a few measurements leave known
// of the next one. Their quantiles are those of student.h, which keep both tails.
//
// Truncated laws take the tail that is the smaller one, so that limits far out keep their digits.

/// With few degrees of freedom a draw of log x can leave what a double holds: it is cut there.
static const double LOG_MAX = 700.0;

typedef struct student_view {
    double middle, scale, freedom; // of x, or of log x
    double a, b;                   // limits of t
    bool is_log;
} student_view;

static student_view student_view_of(const gmc_distribution *d)
{
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    student_view v = {.middle = is_log ? gmc_log(d->p[0]) : d->p[0],
                      .scale = d->p[1],
                      .freedom = d->p[2],
                      .a = -HUGE_VAL,
                      .b = HUGE_VAL,
                      .is_log = is_log};
    if (!d->is_truncated) return v;
    double lower = d->lower, upper = d->upper;
    if (is_log) {
        lower = lower > 0.0 ? gmc_log(lower) : -HUGE_VAL;
        upper = gmc_log(upper);
    }
    v.a = (lower - v.middle) / v.scale;
    v.b = (upper - v.middle) / v.scale;
    return v;
}

static double upper_tail(const student_view *v, double t)
{
    if (t == HUGE_VAL) return 0.0;
    return t == -HUGE_VAL ? 1.0 : gmc_student_tail(v->freedom, t);
}

// t with P(T < t) = p and P(T > t) = q, p + q = 1.
static double quantile_of(const student_view *v, double p, double q)
{
    return p < q ? -gmc_student_quantile(v->freedom, p)
                 : gmc_student_quantile(v->freedom, fmin(q, 0.5)); // p + q is 1 but for rounding
}

/// Probability that the limits of a truncated law keep; 1 without limits.
static double student_mass(const gmc_distribution *d)
{
    student_view v = student_view_of(d);
    return v.a > 0.0 ? upper_tail(&v, v.a) - upper_tail(&v, v.b)
                     : upper_tail(&v, -v.b) - upper_tail(&v, -v.a);
}

static double student_quantile(const gmc_distribution *d, double u)
{
    u = fmin(fmax(u, U_MIN), 1.0 - 0x1p-53);
    student_view v = student_view_of(d);
    double below = upper_tail(&v, -v.a), above = upper_tail(&v, v.b);
    double mass = student_mass(d);
    double t = quantile_of(&v, below + u * mass, above + (1.0 - u) * mass);
    double x = v.middle + v.scale * fmin(fmax(t, v.a), v.b);
    if (v.is_log) x = gmc_exp(fmin(fmax(x, -LOG_MAX), LOG_MAX));
    return d->is_truncated ? fmin(fmax(x, d->lower), d->upper) : x;
}

static double student_cdf(const gmc_distribution *d, double x)
{
    student_view v = student_view_of(d);
    if (v.is_log && x <= 0.0) return 0.0;
    double t = ((v.is_log ? gmc_log(x) : x) - v.middle) / v.scale;
    if (t <= v.a) return 0.0;
    if (t >= v.b) return 1.0;
    double part = v.a > 0.0 ? upper_tail(&v, v.a) - upper_tail(&v, t)
                            : upper_tail(&v, -t) - upper_tail(&v, -v.a);
    return part / student_mass(d);
}

static void student_moments(const gmc_distribution *d, double *mean, double *variance)
{
    double freedom = d->p[2];
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    *mean = is_log ? HUGE_VAL : d->p[0];
    *variance = HUGE_VAL;
    if (!is_log && freedom > 2.0) *variance = d->p[1] * d->p[1] * freedom / (freedom - 2.0);
    if (freedom <= 1.0) *mean = (double)NAN;
    if (d->is_truncated) *mean = *variance = (double)NAN;
}

static double student_density(const gmc_distribution *d, double x)
{
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    double scale = d->p[1], freedom = d->p[2], middle = is_log ? gmc_log(d->p[0]) : d->p[0];
    if (d->is_truncated && (x < d->lower || x > d->upper)) return 0;
    if (is_log && x <= 0) return 0;
    double t = ((is_log ? gmc_log(x) : x) - middle) / scale, half = 0.5 * (freedom + 1);
    double top = gmc_exp(gmc_lgamma(half) - gmc_lgamma(0.5 * freedom)) / sqrt(freedom * GMC_PI);
    double mass = d->is_truncated ? student_mass(d) : 1;
    return top * gmc_exp(-half * gmc_log1p(t * t / freedom)) / (scale * (is_log ? x : 1) * mass);
}

static const char *check_student(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    // below this the quantiles inside of the limits are made of rounding errors
    static const double MASS_MIN = 1e-12;
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    if (is_log && !(d->p[0] > 0.0))
        return complain(GMC_ARGUMENT_0, argument, "the median must be > 0");
    if (!(d->p[1] > 0.0)) return complain(GMC_ARGUMENT_1, argument, "the scale must be > 0");
    if (!(d->p[2] >= 1.0))
        return complain(GMC_ARGUMENT_2, argument, "there must be a degree of freedom at least");
    if (!d->is_truncated) return NULL;
    const char *complaint = check_limits(d, argument);
    if (complaint) return complaint;
    if (!(student_mass(d) > MASS_MIN))
        return complain(GMC_ARGUMENT_LOWER, argument, "the limits leave nothing of the law");
    return NULL;
}

// ---- the table ---------------------------------------------------------------------------------

const gmc_distribution_law gmc_distribution_laws[GMC_DISTRIBUTION_TYPE_COUNT] = {
    [GMC_DISTRIBUTION_CONSTANT] = {.name = "constant",
                                   .word = "",
                                   .argument_count = 1,
                                   .is_list = true,
                                   .quantile = constant_quantile,
                                   .cdf = constant_cdf,
                                   .density = constant_density,
                                   .moments = constant_moments},
    [GMC_DISTRIBUTION_UNIFORM] = {.name = "uniform",
                                  .word = "uniform",
                                  .argument_count = 2,
                                  .check = check_uniform,
                                  .quantile = uniform_quantile,
                                  .cdf = uniform_cdf,
                                  .density = uniform_density,
                                  .moments = uniform_moments},
    [GMC_DISTRIBUTION_NORMAL] = {.name = "normal",
                                 .word = "normal",
                                 .argument_count = 2,
                                 .has_tails = true,
                                 .check = check_normal,
                                 .quantile = normal_quantile,
                                 .at_score = normal_at_score,
                                 .cdf = normal_cdf,
                                 .density = normal_density,
                                 .moments = normal_moments},
    [GMC_DISTRIBUTION_LOGNORMAL] = {.name = "lognormal",
                                    .word = "lognormal",
                                    .argument_count = 2,
                                    .has_tails = true,
                                    .is_positive = true,
                                    .check = check_lognormal,
                                    .quantile = normal_quantile,
                                    .at_score = normal_at_score,
                                    .cdf = normal_cdf,
                                    .density = normal_density,
                                    .moments = normal_moments},
    [GMC_DISTRIBUTION_TRIANGULAR] = {.name = "triangular",
                                     .word = "triangular",
                                     .argument_count = 3,
                                     .check = check_triangular,
                                     .quantile = triangular_quantile,
                                     .cdf = triangular_cdf,
                                     .density = triangular_density,
                                     .moments = triangular_moments},
    [GMC_DISTRIBUTION_DISCRETE] = {.name = "discrete",
                                   .word = "one_of",
                                   .is_list = true,
                                   .check = check_list,
                                   .quantile = list_quantile,
                                   .cdf = list_cdf,
                                   .density = list_density,
                                   .moments = list_moments},
    [GMC_DISTRIBUTION_EMPIRICAL] = {.name = "empirical",
                                    .word = "samples",
                                    .is_list = true,
                                    .check = check_list,
                                    .quantile = list_quantile,
                                    .cdf = list_cdf,
                                    .density = list_density,
                                    .moments = list_moments},
    [GMC_DISTRIBUTION_STUDENT] = {.name = "student",
                                  .word = "student",
                                  .argument_count = 3,
                                  .has_tails = true,
                                  .check = check_student,
                                  .quantile = student_quantile,
                                  .cdf = student_cdf,
                                  .density = student_density,
                                  .moments = student_moments},
    [GMC_DISTRIBUTION_LOG_STUDENT] = {.name = "log_student",
                                      .word = "log_student",
                                      .argument_count = 3,
                                      .has_tails = true,
                                      .is_positive = true,
                                      .check = check_student,
                                      .quantile = student_quantile,
                                      .cdf = student_cdf,
                                      .density = student_density,
                                      .moments = student_moments},
};

static const gmc_distribution_law *law_of(const gmc_distribution *d)
{
    GMC_ASSERT(d->type < GMC_DISTRIBUTION_TYPE_COUNT); // checked before
    return &gmc_distribution_laws[d->type];
}

// ---- what is asked of any of them --------------------------------------------------------------

const char *gmc_distribution_check(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (argument) *argument = GMC_ARGUMENT_NONE;
    if ((int)d->type < 0 || d->type >= GMC_DISTRIBUTION_TYPE_COUNT)
        return complain(GMC_ARGUMENT_NONE, argument, "the distribution is not known");
    const gmc_distribution_law *law = law_of(d);
    for (int i = 0; i < law->argument_count; i++)
        if (!isfinite(d->p[i]))
            return complain((gmc_distribution_argument)i, argument,
                            "every argument must be finite");
    return law->check ? law->check(d, argument) : NULL;
}

const char *gmc_distribution_name(gmc_distribution_type type)
{
    return type < GMC_DISTRIBUTION_TYPE_COUNT ? gmc_distribution_laws[type].name : "unknown";
}

double gmc_distribution_quantile(const gmc_distribution *d, double u)
{
    return law_of(d)->quantile(d, fmin(fmax(u, 0.0), 1.0));
}

double gmc_distribution_at_score(const gmc_distribution *d, double z)
{
    const gmc_distribution_law *law = law_of(d);
    if (law->at_score && !d->is_truncated) return law->at_score(d, z);
    return gmc_distribution_quantile(d, gmc_normal_cdf(z));
}

double gmc_distribution_draw(const gmc_distribution *d, gmc_stream stream, uint64_t index)
{
    return gmc_distribution_quantile(d, gmc_stream_uniform(stream, index));
}

double gmc_distribution_cdf(const gmc_distribution *d, double x) { return law_of(d)->cdf(d, x); }

double gmc_distribution_mean(const gmc_distribution *d)
{
    double mean, variance;
    law_of(d)->moments(d, &mean, &variance);
    return mean;
}

double gmc_distribution_sd(const gmc_distribution *d)
{
    double mean, variance;
    law_of(d)->moments(d, &mean, &variance);
    return sqrt(variance);
}

void gmc_distribution_range(const gmc_distribution *d, double *lower, double *upper)
{
    *lower = gmc_distribution_quantile(d, 0.0);
    *upper = gmc_distribution_quantile(d, 1.0);
    if (law_of(d)->is_list)
        for (int i = 0; i < d->value_count; i++) {
            *lower = fmin(*lower, d->values[i]);
            *upper = fmax(*upper, d->values[i]);
        }
    if (!law_of(d)->has_tails) return;
    bool has_lower = d->is_truncated && isfinite(d->lower);
    bool has_upper = d->is_truncated && isfinite(d->upper);
    if (law_of(d)->is_positive && has_lower && d->lower < 0.0) has_lower = false;
    *lower = has_lower ? d->lower : gmc_distribution_quantile(d, 0.001);
    *upper = has_upper ? d->upper : gmc_distribution_quantile(d, 0.999);
}

// ==== densities =================================================================================

// How likely a distribution makes a value: what importance sampling weighs draws by.

double gmc_distribution_density(const gmc_distribution *d, double x)
{
    return gmc_distribution_laws[d->type].density(d, x);
}

/// 0 where the true density is 0: nothing is lost there.
static double ratio_at(const gmc_distribution *truth, const gmc_distribution *proposal, double x)
{
    double f = gmc_distribution_density(truth, x), g = gmc_distribution_density(proposal, x);
    if (!(f > 0)) return 0;
    return g > 0 ? f / g : HUGE_VAL;
}

double gmc_distribution_density_bound(const gmc_distribution *truth,
                                      const gmc_distribution *proposal)
{
    enum { CELLS = 4096, TAIL = 54 };
    double largest = 0;
    if (truth->type == GMC_DISTRIBUTION_CONSTANT) return ratio_at(truth, proposal, truth->p[0]);
    if (gmc_distribution_is_list(truth)) {
        for (int i = 0; i < truth->value_count; i++)
            largest = fmax(largest, ratio_at(truth, proposal, truth->values[i]));
        return largest;
    }
    for (int i = 0; i <= CELLS; i++) {
        double x = gmc_distribution_quantile(truth, i / (double)CELLS);
        largest = fmax(largest, ratio_at(truth, proposal, x));
    }
    double u = 0.5;
    for (int i = 1; i < TAIL; i++, u *= 0.5) { // quantiles of 1 − u end at 1 − 2^-53
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, u)));
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, 1 - u)));
    }
    return largest;
}
