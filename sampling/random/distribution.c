// Every law is drawn by inverting its distribution function. Ziggurat or polar methods are faster
// but take an unknown count of numbers, break the monotone link between u and value that common
// random numbers, Latin hypercubes and Sobol' points rely on, and a trial spends its time
// elsewhere.
#include "sampling/random/distribution.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/distribution_internal.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stddef.h>

static const double U_MIN = 0x1p-54; // half the distance between neighbours of a u with 53 bits

const char *gmc_distribution_name(gmc_distribution_type type)
{
    switch (type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return "constant";
    case GMC_DISTRIBUTION_UNIFORM:
        return "uniform";
    case GMC_DISTRIBUTION_NORMAL:
        return "normal";
    case GMC_DISTRIBUTION_LOGNORMAL:
        return "lognormal";
    case GMC_DISTRIBUTION_TRIANGULAR:
        return "triangular";
    case GMC_DISTRIBUTION_DISCRETE:
        return "discrete";
    case GMC_DISTRIBUTION_EMPIRICAL:
        return "empirical";
    case GMC_DISTRIBUTION_STUDENT:
        return "student";
    case GMC_DISTRIBUTION_LOG_STUDENT:
        return "log_student";
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    return "unknown";
}

bool gmc_distribution_has_tails(gmc_distribution_type type)
{
    return type == GMC_DISTRIBUTION_NORMAL || type == GMC_DISTRIBUTION_LOGNORMAL ||
           type == GMC_DISTRIBUTION_STUDENT || type == GMC_DISTRIBUTION_LOG_STUDENT;
}

bool gmc_distribution_is_positive(gmc_distribution_type type)
{
    return type == GMC_DISTRIBUTION_LOGNORMAL || type == GMC_DISTRIBUTION_LOG_STUDENT;
}

// --- normal and lognormal as one: a standard normal z between a and b, then x = value(z) ---

typedef struct normal_view {
    double mean, sd; // of x, or of log x
    double a, b;     // limits of z
    bool is_log;
} normal_view;

static normal_view view(const gmc_distribution *d)
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

static double view_value(const normal_view *v, double z)
{
    double x = v->mean + v->sd * z;
    return v->is_log ? gmc_exp(x) : x;
}

// Interval of z outside which neither the density nor the density times x² matters (below e^-45 of
// its top, 3e-20). `tilt` is where x² moves the top of the density to: 2 sd for a lognormal, 0
// else.
static void view_window(const normal_view *v, double tilt, double *lower, double *upper)
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
static void view_moments(const normal_view *v, double *mean, double *variance)
{
    // nodes and weights of five points on [−1, 1], [dlmf, §3.5]; 400 panels: relative error < 1e-11
    static const double NODE[5] = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                   0.5384693101056831, 0.9061798459386640};
    static const double WEIGHT[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    enum { PANELS = 400 };
    double lower, upper;
    view_window(v, v->is_log ? 2.0 * v->sd : 0.0, &lower, &upper);
    double middle = fmin(fmax(0.0, lower), upper); // densest point: the density is relative to it
    double origin = view_value(v, middle);         // moments about it, so that nothing cancels
    double half = 0.5 * (upper - lower) / PANELS;

    double m0 = 0.0, m1 = 0.0, m2 = 0.0;
    for (int i = 0; i < PANELS; i++)
        for (int k = 0; k < 5; k++) {
            double z = lower + half * (2 * i + 1 + NODE[k]);
            double w = WEIGHT[k] * gmc_exp(-0.5 * (z - middle) * (z + middle));
            double x = view_value(v, z) - origin;
            m0 += w;
            m1 += w * x;
            m2 += w * x * x;
        }
    *mean = origin + m1 / m0;
    *variance = fmax(m2 / m0 - m1 / m0 * (m1 / m0), 0.0);
}

// --- lists of values ---

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

int gmc_distribution_row(const gmc_distribution *d, double u)
{
    int i = (int)floor(u * d->value_count);
    return i < d->value_count ? i : d->value_count - 1;
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

// --- triangular, [kotz2004] chapter 1 ---

static double triangular_quantile(const double p[3], double u)
{
    double width = p[2] - p[0], left = p[1] - p[0], right = p[2] - p[1];
    return u * width <= left ? p[0] + sqrt(u * width * left)
                             : p[2] - sqrt((1.0 - u) * width * right);
}

static double triangular_cdf(const double p[3], double x)
{
    double width = p[2] - p[0];
    if (x <= p[0]) return 0.0;
    if (x >= p[2]) return 1.0;
    if (x <= p[1]) return (x - p[0]) / width * ((x - p[0]) / (p[1] - p[0]));
    return 1.0 - (p[2] - x) / width * ((p[2] - x) / (p[2] - p[1]));
}

double gmc_distribution_quantile(const gmc_distribution *d, double u)
{
    u = fmin(fmax(u, 0.0), 1.0);
    switch (d->type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return d->p[0];
    case GMC_DISTRIBUTION_UNIFORM:
        return fmin(d->p[0] + u * (d->p[1] - d->p[0]), d->p[1]);
    case GMC_DISTRIBUTION_NORMAL:
    case GMC_DISTRIBUTION_LOGNORMAL: {
        normal_view v = view(d);
        u = fmin(fmax(u, U_MIN), 1.0 - 0x1p-53);
        if (!d->is_truncated) return view_value(&v, gmc_normal_quantile(u));
        double x = view_value(&v, gmc_normal_truncated_quantile(v.a, v.b, u));
        return fmin(fmax(x, d->lower), d->upper);
    }
    case GMC_DISTRIBUTION_TRIANGULAR:
        return triangular_quantile(d->p, u);
    case GMC_DISTRIBUTION_DISCRETE:
    case GMC_DISTRIBUTION_EMPIRICAL:
        return list_quantile(d, u);
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT: {
        double x = gmc_distribution_student_quantile(d, fmin(fmax(u, U_MIN), 1.0 - 0x1p-53));
        return d->is_truncated ? fmin(fmax(x, d->lower), d->upper) : x;
    }
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    GMC_ASSERT(d->type < GMC_DISTRIBUTION_TYPE_COUNT); // checked before
    return NAN;
}

double gmc_distribution_at_score(const gmc_distribution *d, double z)
{
    bool is_normal = d->type == GMC_DISTRIBUTION_NORMAL || d->type == GMC_DISTRIBUTION_LOGNORMAL;
    if (!is_normal || d->is_truncated) return gmc_distribution_quantile(d, gmc_normal_cdf(z));
    normal_view v = view(d);
    double most = -gmc_normal_quantile(U_MIN);
    return view_value(&v, fmin(fmax(z, -most), most));
}

double gmc_distribution_draw(const gmc_distribution *d, gmc_stream stream, uint64_t index)
{
    return gmc_distribution_quantile(d, gmc_stream_uniform(stream, index));
}

double gmc_distribution_cdf(const gmc_distribution *d, double x)
{
    switch (d->type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return x >= d->p[0] ? 1.0 : 0.0;
    case GMC_DISTRIBUTION_UNIFORM:
        return fmin(fmax((x - d->p[0]) / (d->p[1] - d->p[0]), 0.0), 1.0);
    case GMC_DISTRIBUTION_NORMAL:
    case GMC_DISTRIBUTION_LOGNORMAL: {
        normal_view v = view(d);
        if (v.is_log && x <= 0.0) return 0.0;
        double z = ((v.is_log ? gmc_log(x) : x) - v.mean) / v.sd;
        return d->is_truncated ? gmc_normal_truncated_cdf(v.a, v.b, z) : gmc_normal_cdf(z);
    }
    case GMC_DISTRIBUTION_TRIANGULAR:
        return triangular_cdf(d->p, x);
    case GMC_DISTRIBUTION_DISCRETE:
    case GMC_DISTRIBUTION_EMPIRICAL:
        return list_cdf(d, x);
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT:
        return gmc_distribution_student_cdf(d, x);
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    GMC_ASSERT(d->type < GMC_DISTRIBUTION_TYPE_COUNT); // checked before
    return NAN;
}

static void moments(const gmc_distribution *d, double *mean, double *variance)
{
    const double *p = d->p;
    *mean = p[0];
    *variance = 0.0;
    switch (d->type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return;
    case GMC_DISTRIBUTION_UNIFORM:
        *mean = 0.5 * p[0] + 0.5 * p[1];
        *variance = (p[1] - p[0]) * (p[1] - p[0]) / 12.0;
        return;
    case GMC_DISTRIBUTION_NORMAL:
    case GMC_DISTRIBUTION_LOGNORMAL:
        if (d->is_truncated) {
            normal_view v = view(d);
            view_moments(&v, mean, variance);
        } else if (d->type == GMC_DISTRIBUTION_NORMAL) {
            *variance = p[1] * p[1];
        } else {
            *mean = p[0] * sqrt(1.0 + p[1] * p[1]);
            *variance = *mean * p[1] * (*mean * p[1]);
        }
        return;
    case GMC_DISTRIBUTION_TRIANGULAR: {
        double left = p[1] - p[0], right = p[2] - p[1];
        *mean = (p[0] + p[1] + p[2]) / 3.0;
        *variance = (left * left + left * right + right * right) / 18.0;
        return;
    }
    case GMC_DISTRIBUTION_DISCRETE:
    case GMC_DISTRIBUTION_EMPIRICAL:
        list_moments(d, mean, variance);
        return;
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT:
        gmc_distribution_student_moments(d, mean, variance);
        return;
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    GMC_ASSERT(d->type < GMC_DISTRIBUTION_TYPE_COUNT); // checked before
}

double gmc_distribution_mean(const gmc_distribution *d)
{
    double mean, variance;
    moments(d, &mean, &variance);
    return mean;
}

double gmc_distribution_sd(const gmc_distribution *d)
{
    double mean, variance;
    moments(d, &mean, &variance);
    return sqrt(variance);
}

void gmc_distribution_range(const gmc_distribution *d, double *lower, double *upper)
{
    *lower = gmc_distribution_quantile(d, 0.0);
    *upper = gmc_distribution_quantile(d, 1.0);
    if (d->type == GMC_DISTRIBUTION_DISCRETE || d->type == GMC_DISTRIBUTION_EMPIRICAL)
        for (int i = 0; i < d->value_count; i++) {
            *lower = fmin(*lower, d->values[i]);
            *upper = fmax(*upper, d->values[i]);
        }
    if (!gmc_distribution_has_tails(d->type)) return;
    bool has_lower = d->is_truncated && isfinite(d->lower);
    bool has_upper = d->is_truncated && isfinite(d->upper);
    if (gmc_distribution_is_positive(d->type) && has_lower && d->lower < 0.0) has_lower = false;
    *lower = has_lower ? d->lower : gmc_distribution_quantile(d, 0.001);
    *upper = has_upper ? d->upper : gmc_distribution_quantile(d, 0.999);
}
