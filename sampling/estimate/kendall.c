// A number of few values (the success of one draw) leaves tau less than 1 to reach: for half of them
// 1/sqrt(2). On the scale atanh tau the interval then held the truth in 89 % of samples of ten, next
// to that end and where both values hang on few things.
//
// Pairs are counted thing by thing, so that what is left without one of them, which the jackknife
// wants of each, costs no more than what is there with all.
#include "sampling/estimate/kendall.h"

#include "engine/math/elementary.h"
#include "sampling/random/student.h"

#include <math.h>

typedef struct pairs {
    double all, agree, tied_x, tied_y; // agree: concordant less discordant
} pairs;

static int order(double a, double b) { return (a > b) - (a < b); }

// Pairs of one thing with all others.
static pairs pairs_with(const double *x, const double *y, int count, int one)
{
    pairs sum = {.all = count - 1};
    for (int k = 0; k < count; k++) {
        if (k == one) continue;
        int in_x = order(x[one], x[k]), in_y = order(y[one], y[k]);
        sum.agree += in_x * in_y;
        sum.tied_x += in_x == 0;
        sum.tied_y += in_y == 0;
    }
    return sum;
}

static double tau_of(pairs p)
{
    double untied = (p.all - p.tied_x) * (p.all - p.tied_y);
    return untied > 0 ? p.agree / sqrt(untied) : (double)NAN;
}

// The largest size that tau can have with these ties: all pairs agree that are untied in both, as
// far as there are any.
static double most_of(pairs p)
{
    double x = p.all - p.tied_x, y = p.all - p.tied_y;
    return sqrt(fmin(x, y) / fmax(x, y));
}

// Where no pair contradicts the order, the jackknife has nothing to go by: things in pairs, each of
// them in one pair alone, are independent trials of whether a pair agrees. That all pairs of the
// sample agree means that those do, so that agreement is more likely than share^(1/count).
//
// Without ties P(agree) = q at least makes tau 2 q - 1 at least; a population that may have ties
// after all divides by no less than q, which matters below 0 alone. With ties all agree that differ
// in the coarser number: of those that do, a share q at least, so that
//   tau = P(differ) (agree - disagree) / sqrt(P(differ) P(differ in the other))
//      >= sqrt(P(differ)) (2 q - 1),
// where P(differ) is at least the lower end of Clopper's and Pearson's interval. Which number is
// the coarser is seen in the sample: both halves of the error are divided once more.
static double least_of_perfect(const double *x, const double *y, int count, pairs all, double level)
{
    const double *coarse = all.tied_x > all.tied_y ? x : y;
    bool is_untied = all.tied_x == 0 && all.tied_y == 0;
    double share = (1 - level) / (is_untied ? 2 : 8);
    int trials = count / 2, differ = 0;
    for (int i = 0; i < trials; i++)
        differ += order(coarse[2 * i], coarse[2 * i + 1]) != 0;
    if (differ == 0) return -1;
    double agree = gmc_exp(gmc_log(share) / differ), least = 2 * agree - 1;
    if (is_untied) return fmax(-1, least < 0 ? least / agree : least);
    if (least <= 0) return -1;
    return least * sqrt(gmc_proportion_clopper_pearson(differ, trials, 1 - 2 * share).lower);
}

static pairs less(pairs a, pairs b)
{
    return (pairs){a.all - b.all, a.agree - b.agree, a.tied_x - b.tied_x, a.tied_y - b.tied_y};
}

static double tanh_of(double z)
{
    double e = gmc_exp(-2 * fabs(z)), t = (1 - e) / (1 + e);
    return z < 0 ? -t : t;
}

gmc_kendall gmc_kendall_of(const double *x, const double *y, int count, double level)
{
    gmc_kendall found = {.tau = (double)NAN, .interval = {-1, 1}};
    pairs all = {0};
    for (int i = 0; i < count; i++) {
        pairs of = pairs_with(x, y, count, i);
        all = (pairs){all.all + of.all / 2, all.agree + of.agree / 2, all.tied_x + of.tied_x / 2,
                      all.tied_y + of.tied_y / 2};
    }
    found.tau = tau_of(all);
    if (isnan(found.tau)) return found;
    // by whole numbers: with ties rounding puts tau on either side of the largest
    found.is_perfect = fabs(all.agree) == fmin(all.all - all.tied_x, all.all - all.tied_y);
    if (found.is_perfect) {
        double least = least_of_perfect(x, y, count, all, level);
        found.interval = found.tau > 0 ? (gmc_interval){least, 1} : (gmc_interval){-1, -least};
    }
    if (found.is_perfect || count < GMC_KENDALL_LEAST) return found;
    double mean = 0, squares = 0; // of tau without one, by Welford's recurrence
    for (int i = 0; i < count; i++) {
        double tau = tau_of(less(all, pairs_with(x, y, count, i)));
        if (isnan(tau)) return found; // one thing makes all the difference
        double from = tau - mean;
        mean += from / (i + 1);
        squares += from * (tau - mean);
    }
    double n = count, error = sqrt((n - 1) / n * squares);
    double most = most_of(all), part = found.tau / most;
    double freedom = 2 * fmin(all.all - all.tied_x, all.all - all.tied_y) / n;
    double z = 0.5 * (gmc_log1p(part) - gmc_log1p(-part));
    double half = gmc_student_quantile(freedom, (1 - level) / 2) * error / most / (1 - part * part);
    found.interval = (gmc_interval){most * tanh_of(z - half), most * tanh_of(z + half)};
    return found;
}
