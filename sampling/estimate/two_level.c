#include "sampling/estimate/two_level.h"

#include "sampling/random/beta.h"

#include <math.h>

/// Distances of an estimate from the ends of its interval.
typedef struct reach {
    double down, up;
} reach;

/// Shares of the pairs of two neighbouring levels, with the open ones as failures or as successes.
typedef struct difference {
    double gained, lost;
    double base;  ///< mean of c0 (c1 − c0), and so on
    double pairs; ///< so many of them, in effect
} difference;

typedef struct shares {
    double cheap; ///< c of all draws
    int count;
    difference of[GMC_TWO_LEVEL_BETWEEN_MOST + 1]; ///< that of the full level last
} shares;

static double gained_of(const gmc_two_level_half *h, bool is_open)
{
    return (double)(h->gained + (is_open ? h->open - h->open_works : 0)) / (double)h->pairs;
}

static double lost_of(const gmc_two_level_half *h, bool is_open)
{
    return (double)(h->lost + (is_open ? 0 : h->open_works)) / (double)h->pairs;
}

/// An open pair that works at the level below is taken to work at the cheapest one as well.
static double base_of(const gmc_two_level_half *h, bool is_open)
{
    int64_t lost = h->base_lost + (is_open ? 0 : h->open_works);
    return (double)(h->base_gained - lost) / (double)h->pairs;
}

static difference difference_of(const gmc_two_level_half *first, const gmc_two_level_half *second,
                                bool is_open)
{
    return (difference){.gained = 0.5 * (gained_of(first, is_open) + gained_of(second, is_open)),
                        .lost = 0.5 * (lost_of(first, is_open) + lost_of(second, is_open)),
                        .base = 0.5 * (base_of(first, is_open) + base_of(second, is_open)),
                        .pairs = 4 / (1 / (double)first->pairs + 1 / (double)second->pairs)};
}

static bool is_halved(const gmc_two_level_counts *k)
{
    return k->halves[0].pairs > 0 && k->halves[1].pairs > 0;
}

static shares shares_of(const gmc_two_level_counts *k, bool is_open)
{
    // not halved: one level below the full one, whose losses are all successes of the cheapest
    const gmc_two_level_half all = {k->pairs,      k->lost, k->gained, k->open,
                                    k->open_works, k->lost, 0};
    shares s = {.cheap = (double)k->cheap_works / (double)k->cheap};
    for (int i = 0; i < k->between; i++)
        s.of[s.count++] = difference_of(&k->rises[i][0], &k->rises[i][1], is_open);
    difference *last = &s.of[s.count++];
    if (is_halved(k)) {
        *last = difference_of(&k->halves[0], &k->halves[1], is_open);
    } else {
        *last = difference_of(&all, &all, is_open);
        last->pairs = (double)k->pairs;
    }
    return s;
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

static double difference_variance(const difference *d)
{
    double delta = d->gained - d->lost;
    return fmax(d->gained + d->lost - delta * delta, 0);
}

/// Correlation of the mean of c over N and that of a difference over pairs among them.
static double correlation(const gmc_two_level_counts *k, const shares *s, const difference *d)
{
    double covariance = d->base - s->cheap * (d->gained - d->lost); // of c and the difference
    double cheap = s->cheap * (1 - s->cheap), variance = difference_variance(d);
    if (!(cheap > 0 && variance > 0)) return 0;
    double r = covariance / sqrt(cheap * variance) * sqrt(d->pairs / (double)k->cheap);
    return fmin(fmax(r, -1), 1);
}

/// Of two differences, the second over pairs among those of the first: not above this.
static double correlation_between(const difference *a, const difference *b)
{
    double variances = difference_variance(a) * difference_variance(b);
    if (!(variances > 0)) return 0;
    double covariance = -(a->gained - a->lost) * (b->gained - b->lost);
    return fmin(fmax(covariance / sqrt(variances) * sqrt(b->pairs / a->pairs), -1), 1);
}

/// How far off the sum of all parts may be, each of them by so much: that of c first.
static double joined_all(const gmc_two_level_counts *k, const shares *s, const double *parts)
{
    double sum = parts[0] * parts[0];
    for (int i = 0; i < s->count; i++) {
        double own = parts[1 + i], r = correlation(k, s, &s->of[i]);
        sum = sum + own * own + 2 * r * parts[0] * own;
        for (int j = 0; j < i; j++)
            sum += 2 * correlation_between(&s->of[j], &s->of[i]) * parts[1 + j] * own;
    }
    return sqrt(fmax(sum, 0));
}

static reach reach_of_difference(const difference *d, double level)
{
    reach gained = reach_of(exact_of(d->gained, d->pairs, level), d->gained);
    reach lost = reach_of(exact_of(d->lost, d->pairs, level), d->lost);
    double rest = (1 - d->gained) * (1 - d->lost);
    double rho = rest > 0 ? -sqrt(d->gained * d->lost / rest) : -1;
    return (reach){.down = joined(gained.down, lost.up, -rho),
                   .up = joined(gained.up, lost.down, -rho)};
}

/// How far p may be off, with the open pairs on one side.
static reach reach_of_all(const gmc_two_level_counts *k, const shares *s, double level)
{
    reach cheap = reach_of(gmc_proportion_wilson(k->cheap_works, k->cheap, level), s->cheap);
    double down[GMC_TWO_LEVEL_BETWEEN_MOST + 2] = {cheap.down};
    double up[GMC_TWO_LEVEL_BETWEEN_MOST + 2] = {cheap.up};
    for (int i = 0; i < s->count; i++) {
        reach delta = reach_of_difference(&s->of[i], level);
        down[1 + i] = delta.down;
        up[1 + i] = delta.up;
    }
    return (reach){.down = joined_all(k, s, down), .up = joined_all(k, s, up)};
}

static double deviation_of(const gmc_two_level_counts *k, const shares *s)
{
    double parts[GMC_TWO_LEVEL_BETWEEN_MOST + 2];
    parts[0] = sqrt(s->cheap * (1 - s->cheap) / (double)k->cheap);
    for (int i = 0; i < s->count; i++)
        parts[1 + i] = sqrt(difference_variance(&s->of[i]) / s->of[i].pairs);
    return joined_all(k, s, parts);
}

static double sum_of(const shares *s)
{
    double p = s->cheap;
    for (int i = 0; i < s->count; i++)
        p = p + s->of[i].gained - s->of[i].lost;
    return p;
}

static double inside(double p) { return fmin(fmax(p, 0), 1); }

gmc_two_level_estimate gmc_two_level_estimate_of(const gmc_two_level_counts *k, double level)
{
    gmc_two_level_estimate e = {.p = (double)NAN, .interval = {0, 1}, .unsolved_upper = 1};
    if (k->pairs == 0 || k->cheap == 0) return e;
    shares low = shares_of(k, false), high = shares_of(k, true);
    double p_low = sum_of(&low), p_high = sum_of(&high);
    double decided = 1 - (p_high - p_low);
    e.unsolved_lower = inside(p_low);
    e.unsolved_upper = inside(p_high);
    if (decided > 0) e.p = k->open == 0 ? inside(p_low) : inside(p_low / decided);
    e.interval.lower = inside(p_low - reach_of_all(k, &low, level).down);
    e.interval.upper = inside(p_high + reach_of_all(k, &high, level).up);
    e.deviation = deviation_of(k, &low);
    return e;
}

double gmc_two_level_share(const gmc_two_level_counts *k, double cheap_cost, double full_cost)
{
    double n = (double)k->pairs + 2;
    double c = ((double)k->cheap_works + 0.5) / ((double)k->cheap + 1);
    difference d = {.gained = ((double)(k->gained + k->open - k->open_works) + 0.5) / n,
                    .lost = ((double)(k->lost + k->open_works) + 0.5) / n};
    double variance = difference_variance(&d);
    return fmin(sqrt(variance * cheap_cost / (c * (1 - c) * full_cost)), 1);
}

static double work_of(const gmc_two_level_counts *k, const double *costs)
{
    double work = (double)k->cheap * costs[0];
    for (int i = 0; i < k->between; i++)
        work += (double)(k->rises[i][0].pairs + k->rises[i][1].pairs) * costs[1 + i];
    return work + (double)k->pairs * costs[1 + k->between];
}

double gmc_two_level_gain(const gmc_two_level_counts *k, double level, const double *costs)
{
    gmc_two_level_estimate e = gmc_two_level_estimate_of(k, level);
    double half = (e.interval.upper - e.interval.lower) / 2, z = gmc_proportion_z(level);
    double work = work_of(k, costs), full_cost = costs[1 + k->between];
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
