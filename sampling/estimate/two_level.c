#include "sampling/estimate/two_level.h"

#include "sampling/estimate/beta.h"

#include <math.h>

/// Distances of an estimate from the ends of its interval.
typedef struct reach {
    double down, up;
} reach;

/// Shares of pairs, with the open ones as failures or as successes.
typedef struct shares {
    double cheap;        ///< c of all draws
    double gained, lost; ///< of pairs
    double pairs;        ///< so many of them, in effect
} shares;

static double gained_of(const gmc_two_level_half *h, bool is_open)
{
    return (double)(h->gained + (is_open ? h->open - h->open_works : 0)) / (double)h->pairs;
}

static double lost_of(const gmc_two_level_half *h, bool is_open)
{
    return (double)(h->lost + (is_open ? 0 : h->open_works)) / (double)h->pairs;
}

static bool is_halved(const gmc_two_level_counts *k)
{
    return k->halves[0].pairs > 0 && k->halves[1].pairs > 0;
}

static shares shares_of(const gmc_two_level_counts *k, bool is_open)
{
    const gmc_two_level_half all = {k->pairs, k->lost, k->gained, k->open, k->open_works};
    const gmc_two_level_half *first = is_halved(k) ? &k->halves[0] : &all;
    const gmc_two_level_half *second = is_halved(k) ? &k->halves[1] : &all;
    double pairs = (double)k->pairs;
    if (is_halved(k)) pairs = 4 / (1 / (double)first->pairs + 1 / (double)second->pairs);
    return (shares){.cheap = (double)k->cheap_works / (double)k->cheap,
                    .gained = 0.5 * (gained_of(first, is_open) + gained_of(second, is_open)),
                    .lost = 0.5 * (lost_of(first, is_open) + lost_of(second, is_open)),
                    .pairs = pairs};
}

/// Clopper's and Pearson's interval of a share of so many, whole or not.
static gmc_interval exact_of(double share, double size, double level)
{
    double x = share * size, rest = size - x, tail = 0.5 * (1 - level);
    return (gmc_interval){.lower = x > 0 ? gmc_beta_quantile(x, rest + 1, tail, false).x : 0,
                          .upper = rest > 0 ? gmc_beta_quantile(x + 1, rest, tail, true).x : 1};
}

static reach reach_of(gmc_interval interval, double p)
{
    return (reach){.down = fmax(p - interval.lower, 0), .up = fmax(interval.upper - p, 0)};
}

static double joined(double a, double b, double correlation)
{
    return sqrt(fmax(a * a + b * b + 2 * correlation * a * b, 0));
}

static double difference_variance(const shares *s)
{
    double delta = s->gained - s->lost;
    return fmax(s->gained + s->lost - delta * delta, 0);
}

/// Correlation of the mean of c over N and that of f − c over n pairs among them.
static double correlation(const gmc_two_level_counts *k, const shares *s)
{
    double covariance = -s->lost - s->cheap * (s->gained - s->lost); // of c and f − c
    double cheap = s->cheap * (1 - s->cheap), difference = difference_variance(s);
    if (!(cheap > 0 && difference > 0)) return 0;
    double r = covariance / sqrt(cheap * difference) * sqrt(s->pairs / (double)k->cheap);
    return fmin(fmax(r, -1), 1);
}

/// How far p may be off, with the open pairs on one side.
static reach reach_of_all(const gmc_two_level_counts *k, const shares *s, double level)
{
    reach cheap = reach_of(gmc_proportion_wilson(k->cheap_works, k->cheap, level), s->cheap);
    reach gained = reach_of(exact_of(s->gained, s->pairs, level), s->gained);
    reach lost = reach_of(exact_of(s->lost, s->pairs, level), s->lost);
    double rest = (1 - s->gained) * (1 - s->lost);
    double rho = rest > 0 ? -sqrt(s->gained * s->lost / rest) : -1;
    reach delta = {.down = joined(gained.down, lost.up, -rho),
                   .up = joined(gained.up, lost.down, -rho)};
    double r = correlation(k, s);
    return (reach){.down = joined(cheap.down, delta.down, r), .up = joined(cheap.up, delta.up, r)};
}

static double inside(double p) { return fmin(fmax(p, 0), 1); }

gmc_two_level_estimate gmc_two_level_estimate_of(const gmc_two_level_counts *k, double level)
{
    gmc_two_level_estimate e = {.p = (double)NAN, .interval = {0, 1}, .unsolved_upper = 1};
    if (k->pairs == 0 || k->cheap == 0) return e;
    shares low = shares_of(k, false), high = shares_of(k, true);
    double p_low = low.cheap + low.gained - low.lost, p_high = high.cheap + high.gained - high.lost;
    double decided = 1 - (p_high - p_low);
    e.unsolved_lower = inside(p_low);
    e.unsolved_upper = inside(p_high);
    if (decided > 0) e.p = k->open == 0 ? inside(p_low) : inside(p_low / decided);
    e.interval.lower = inside(p_low - reach_of_all(k, &low, level).down);
    e.interval.upper = inside(p_high + reach_of_all(k, &high, level).up);
    double cheap = low.cheap * (1 - low.cheap) / (double)k->cheap;
    double pairs = difference_variance(&low) / low.pairs;
    e.deviation = joined(sqrt(cheap), sqrt(pairs), correlation(k, &low));
    return e;
}

double gmc_two_level_share(const gmc_two_level_counts *k, double cheap_cost, double full_cost)
{
    double n = (double)k->pairs + 2;
    double c = ((double)k->cheap_works + 0.5) / ((double)k->cheap + 1);
    shares s = {.gained = ((double)(k->gained + k->open - k->open_works) + 0.5) / n,
                .lost = ((double)(k->lost + k->open_works) + 0.5) / n};
    double variance = difference_variance(&s);
    return fmin(sqrt(variance * cheap_cost / (c * (1 - c) * full_cost)), 1);
}

double gmc_two_level_gain(const gmc_two_level_counts *k, double level, double cheap_cost,
                          double full_cost)
{
    gmc_two_level_estimate e = gmc_two_level_estimate_of(k, level);
    double half = (e.interval.upper - e.interval.lower) / 2, z = gmc_proportion_z(level);
    double work = (double)k->cheap * cheap_cost + (double)k->pairs * full_cost;
    if (!(half > 0 && half < 0.5) || !(work > 0) || isnan(e.p)) return (double)NAN;
    // n of Wilson's half width z √(p q/n + z²/4n²) / (1 + z²/n) = half, solved for x = z²/n
    double q = e.p * (1 - e.p), low = 0, high = 1e6;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + high);
        double width = sqrt(q * x + 0.25 * x * x) / (1 + x);
        if (width > half)
            high = x;
        else
            low = x;
    }
    return z * z / (0.5 * (low + high)) * full_cost / work;
}
