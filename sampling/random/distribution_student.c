// Student's t laws with a middle and a scale, of x or of log x: what a few measurements leave known
// of the next one. Their quantiles are those of estimate/student.h, which keep both tails.
//
// Truncated laws take the tail that is the smaller one, so that limits far out keep their digits.
#include "engine/math/elementary.h"
#include "sampling/random/distribution_internal.h"
#include "sampling/random/student.h"

#include <math.h>

/// With few degrees of freedom a draw of log x can leave what a double holds: it is cut there.
static const double LOG_MAX = 700.0;

typedef struct student_view {
    double middle, scale, freedom; // of x, or of log x
    double a, b;                   // limits of t
    bool is_log;
} student_view;

static student_view view(const gmc_distribution *d)
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

double gmc_distribution_student_mass(const gmc_distribution *d)
{
    student_view v = view(d);
    return v.a > 0.0 ? upper_tail(&v, v.a) - upper_tail(&v, v.b)
                     : upper_tail(&v, -v.b) - upper_tail(&v, -v.a);
}

double gmc_distribution_student_quantile(const gmc_distribution *d, double u)
{
    student_view v = view(d);
    double below = upper_tail(&v, -v.a), above = upper_tail(&v, v.b);
    double mass = gmc_distribution_student_mass(d);
    double t = quantile_of(&v, below + u * mass, above + (1.0 - u) * mass);
    double x = v.middle + v.scale * fmin(fmax(t, v.a), v.b);
    return v.is_log ? gmc_exp(fmin(fmax(x, -LOG_MAX), LOG_MAX)) : x;
}

double gmc_distribution_student_cdf(const gmc_distribution *d, double x)
{
    student_view v = view(d);
    if (v.is_log && x <= 0.0) return 0.0;
    double t = ((v.is_log ? gmc_log(x) : x) - v.middle) / v.scale;
    if (t <= v.a) return 0.0;
    if (t >= v.b) return 1.0;
    double part = v.a > 0.0 ? upper_tail(&v, v.a) - upper_tail(&v, t)
                            : upper_tail(&v, -t) - upper_tail(&v, -v.a);
    return part / gmc_distribution_student_mass(d);
}

void gmc_distribution_student_moments(const gmc_distribution *d, double *mean, double *variance)
{
    double freedom = d->p[2];
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    *mean = is_log ? HUGE_VAL : d->p[0];
    *variance = HUGE_VAL;
    if (!is_log && freedom > 2.0) *variance = d->p[1] * d->p[1] * freedom / (freedom - 2.0);
    if (freedom <= 1.0) *mean = (double)NAN;
    if (d->is_truncated) *mean = *variance = (double)NAN;
}
