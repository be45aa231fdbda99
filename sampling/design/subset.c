// In this order: what aimed draws say, what independent runs say, how draws are aimed, the levels
// of a run, what all runs come to.
//
// Points of the level that is being made are kept, those of levels before it are not: they follow
// again from the margins. A margin that is NaN in the table was not put; an unsolved trial is
// stored as +inf, which never goes on.
#include "sampling/design/subset.h"

#include "engine/base/check.h"
#include "engine/base/list.h"
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/effective.h"
#include "sampling/estimate/proportion.h"
#include "sampling/explain/spline.h"
#include "sampling/random/mixture.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ==== what aimed draws say ====

// A rare probability from draws that are aimed at it: each counts by its weight w = φ/q, the ratio
// of the true density to that it was drawn from.
//
//   p = mean(w y)                      y: 1 of a draw that fails
//   Var(p) = Σ (w y − p)² / (n (n − 1))
//
// Unbiased wherever q does not vanish, and by chance above 1 where nearly all draws fail: it is
// clipped to its interval, which lies in [0, 1]. Interval: Clopper and Pearson's at the effective
// size (estimate/effective.h), with t of (Σ r²)²/Σ r⁴ − 1 degrees of freedom, r = w y − p, so that
// few draws that carry most of the variance make it wide, and with the heaviest failure seen as
// what one more draw could add. It knows of failures where q draws, not of others: q draws a little
// everywhere (`blind`), and if that finds much, there are failures that it was not aimed at.

/// What is rarer has the interval of this, times their ratio: it hardly changes there, and 1 − p
/// would lose its digits.
static const double RARE = 1e-3;

void gmc_aimed_add(gmc_aimed *a, double weight, bool is_blind, bool is_hit)
{
    double power = 1, f = is_hit ? weight : 0;
    a->draws++;
    a->hits += is_hit;
    a->largest = fmax(a->largest, f);
    a->blind += is_blind ? f : 0;
    for (int k = 0; k < 5; k++, power *= f)
        a->sums[k] += power;
}

gmc_aimed_estimate gmc_aimed_estimate_of(const gmc_aimed *a, double level)
{
    double n = (double)a->draws;
    gmc_aimed_estimate e = {.variation = (double)NAN, .interval = {0, 1}};
    if (a->hits == 0) return e;
    const double *s = a->sums;
    double p = s[1] / n;
    e.p = fmin(p, 1);
    e.effective = s[1] * s[1] / s[2];
    e.blind = a->blind / s[1];
    // sums of powers of r = f − p
    double square = s[2] - n * p * p;
    double fourth = s[4] - 4 * p * s[3] + 6 * p * p * s[2] - 3 * n * p * p * p * p;
    if (!(square > 0) || !(fourth > 0) || a->draws < 2) return e;
    double variance = square / (n * (n - 1));
    e.variation = sqrt(variance) / p;
    e.is_told = e.effective >= GMC_AIMED_LEAST && e.blind <= GMC_AIMED_BLIND;
    if (!e.is_told) return e;
    double tail = 0.5 * (1 - level), freedom = fmax(square * square / fourth - 1, 1);
    double factor = gmc_student_quantile(freedom, tail) / -gmc_normal_quantile(tail);
    double scale = fmin(p / RARE, 1);
    const gmc_effective share = {.yes = p / scale,
                                 .no = fmax(1 - p / scale, 0),
                                 .variance = variance / (scale * scale),
                                 .factor = factor,
                                 .weight = a->largest / n / scale};
    e.interval = gmc_effective_interval(&share, level);
    e.interval.lower = fmax(e.interval.lower * scale, 0);
    e.interval.upper = fmin(e.interval.upper * scale, 1);
    e.p = fmax(fmin(e.p, e.interval.upper), e.interval.lower);
    return e;
}

// ==== what independent runs say ====

// A small probability from independent repetitions of a method, each of which errs by a factor:
// runs of subset simulation. Their estimates are nearly lognormal, so the interval is that of the
// mean of a lognormal law by Cox's method [olsson2005], with Student's t:
//
//   log p ± t √(s²/R + s⁴/(2 (R − 1))),     p = mean,  s² variance of the R logarithms
//
// around the logarithm of the mean itself. Where a repetition found nothing, the logarithm of it
// does not exist: then p ± t se on the mean, from 0, and flagged. How far that reaches up says
// little where most found nothing, and nothing where all did. Plain draws that were made on the
// way know better: the upper end is then never below Clopper's and Pearson's of these, which alone
// is right, however the repetitions went.

/// Mean, and variance about it, of values or their logarithms.
static void moments(const double *values, int count, bool is_log, double *mean, double *variance)
{
    double sum = 0, square = 0;
    for (int i = 0; i < count; i++)
        sum += is_log ? gmc_log(values[i]) : values[i];
    *mean = sum / count;
    for (int i = 0; i < count; i++) {
        double off = (is_log ? gmc_log(values[i]) : values[i]) - *mean;
        square += off * off;
    }
    *variance = count > 1 ? square / (count - 1) : (double)NAN;
}

gmc_repeats_estimate gmc_repeats_estimate_of(const double *values, int count, double level)
{
    double mean, variance, middle, spread;
    bool has_none = false;
    moments(values, count, false, &mean, &variance);
    for (int i = 0; i < count; i++)
        has_none = has_none || !(values[i] > 0);
    gmc_repeats_estimate e = {.p = mean,
                              .variation = sqrt(variance / count) / mean,
                              .interval = {0, 1},
                              .is_widened = has_none};
    if (count < 2) return e;
    double t = gmc_student_quantile(count - 1, (1 - level) / 2);
    if (has_none) {
        e.interval.upper = fmin(mean + t * sqrt(variance / count), 1);
        return e;
    }
    moments(values, count, true, &middle, &spread);
    double half = t * sqrt(spread / count + spread * spread / (2.0 * (count - 1)));
    e.interval.lower = mean * gmc_exp(-half);
    e.interval.upper = fmin(mean * gmc_exp(half), 1);
    return e;
}

gmc_repeats_estimate gmc_repeats_estimate_bounded(const double *values, int count,
                                                  const gmc_repeats_draws *draws, double level)
{
    gmc_repeats_estimate e = gmc_repeats_estimate_of(values, count, level);
    if (!e.is_widened) return e;
    double plain = gmc_proportion_clopper_pearson(draws->hits, draws->draws, level).upper;
    double last = gmc_proportion_clopper_pearson(0, draws->points, level).upper;
    e.interval.upper = fmax(e.interval.upper, plain);
    if (!(e.p > 0)) e.interval.upper = fmax(e.interval.upper, draws->reached * last);
    return e;
}

// ==== aimed draws ====

// The end of a subset simulation: importance draws, aimed at where its levels found failures.
//
// Four rounds, each aimed by all trials before it. The first three, an eighth of the draws
// each, teach the surrogate where it is wrong: every other draw comes from the mixture, the rest
// are points on the surrogate's own way to failures, which it may have made up, and points along
// the axes, where one input alone may be what fails. The estimate is that of the last round alone,
// all of whose draws come from the mixture. Given what was seen before they are independent, and
// the estimate has no bias.
//
// Fewer rounds, two of a sixth, miss ways to fail that the levels passed by; six take longer to
// fit and are no better.
//
// Where to draw, so that a rare failure is met often: a mixture of normal laws that is fitted to a
// surrogate of the margin, which costs no trials.
//
// In standard normal space a draw that fails is met best by φ(z) 1[g(z) < 0]/P. g is known at the
// trials that were run. So
//
//   1  a surrogate takes the place of g, and says how likely a failure is at z (below);
//   2  subset simulation on the spline (subset.h), with more points than there are trials, looks
//      for failures everywhere, also where no trial was: those are learned of by aiming there;
//   3  the mixture q is fitted to φ times the probability of 1 by importance draws from itself,
//      again and again [cappe2008]. It starts around trials that failed and points found by 2, as
//      far from each other as any;
//   4  the starts at trials that failed stay as a part of it, and it is somewhat wider than
//      fitted: failures that were found are met, whatever the spline says;
//   5  a tenth each of the draws are all round, as far out as what fails is, and along the axes,
//      where one input alone makes a trial fail: what was not found is met there. If much of the
//      estimate comes from those, the rest of the mixture knows too little.
//
// Draws from q that are counted by φ/q estimate P without bias, whatever spline and fit are worth
// (above); these are better, the smaller the spread.
//
// A surrogate of the margin: what it may be where no trial was, guessed from those that were run.
//
// A spline (explain/spline.h) through y = g/m, g the margin and m its median size among plain
// draws, cut off at ±3 to keep infinite margins from bending it. Of trials it takes those nearest
// to g = 0, where it has to be right, and some of all others, for which way is down. One of five
// of the nearest is kept back, and says by how much the spline misses, τ (root mean square); so
// that z fails with a probability of 1/(1 + exp(y(z)/0.6 τ)), a logistic law of that spread.
// Steps of the fit, draws of each and starts were chosen on test/statistics/test_subset_aimed.c:
// root mean squares are 3 to 9 % there, of which 3 to 6 % are the number of draws. Without the
// search on the surrogate, starts around trials that failed alone, the answer misses what the
// levels passed by.
//
// The surrogate. Measured on the problems of test/statistics/test_subset_aimed.c: scaling by g/(|g|
// + median) in place of the cut bends planes, and what lies beyond all trials is then not seen to
// fail; 60 plain draws in place of 150 lose one of two ways to fail in 2 of 10 answers. Ridges
// beyond these two are never better. Places cost what their cube is: 400 of them 30 ms.

/// The surrogate of a round. @return y(z)
typedef struct gmc_subset_aim_guess gmc_subset_aim_guess;

/// Points in standard normal space.
typedef struct gmc_subset_aim_points {
    int count;
    double *points; ///< (GMC_SUBSET_AIM_EXPLORED, dimensions)
} gmc_subset_aim_points;

/// 2 of the head of this file, with room for what it finds.
typedef struct gmc_subset_aim_search {
    const gmc_subset_aim_guess *guess;
    gmc_stream stream; ///< its chance
    int dimensions;
    double *z, *values;                     ///< scratch (dimensions), (GMC_SUBSET_AIM_EXPLORED)
    gmc_subset_aim_points *failing, *steps; ///< out: that fail; on the way there
} gmc_subset_aim_search;

typedef struct gmc_subset_aim_plan {
    int draws; ///< >= GMC_SUBSET_AIM_LEAST
    int plain; ///< of the trials seen, the first, that are plain draws
    int dimensions;
    uint64_t seed;
    uint64_t first;                                       ///< address of the first draw
    gmc_status (*explore)(gmc_subset_aim_search *search); ///< the levels of the runs go on here
} gmc_subset_aim_plan;

// ---- the surrogate ----------------------------------------------------------------------------

/// Trials that were run.
typedef struct trials_seen {
    int count;
    int plain; ///< of them, the first, that are plain draws
    int dimensions;
    const double *points;  ///< (count, dimensions) standard normal
    const double *margins; ///< (count) NaN: unsolved
    gmc_status (*explore)(gmc_subset_aim_search *search);
} trials_seen;

struct gmc_subset_aim_guess {
    gmc_spline spline;
    double missed; ///< τ; NaN: no spline
};

enum { NEAREST = 200, PLAIN = 150, OTHERS = 50, KEPT_BACK = 5 }; // every fifth of the nearest
static const double RIDGES[] = {1e-5, 1e-2};                     // over the mean cube of distances
static const double UNLIKELY = 0.01;
static const double FAR = 3; // where margins over their median size are cut off

typedef struct scored {
    double y;
    int index; ///< of the trial
} scored;

/// Points of the fit and those kept back.
typedef struct rows {
    int dimensions, count, kept;
    double *x, *y;           ///< (most, dimensions), (most); NEAREST + PLAIN + OTHERS
    double *kept_x, *kept_y; ///< the same of what is kept back
} rows;

static int by_size(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    double p = fabs(x->y), q = fabs(y->y);
    if (p != q) return p < q ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/// Median size of the margins of plain draws.
static double find_scale(const trials_seen *seen, scored *room)
{
    int count = 0;
    for (int i = 0; i < seen->plain && i < seen->count; i++)
        if (!isnan(seen->margins[i])) room[count++] = (scored){seen->margins[i], i};
    qsort(room, (size_t)count, sizeof *room, by_size);
    return count > 0 ? fmin(fmax(fabs(room[count / 2].y), 1e-300), 1e300) : 1;
}

/// Trials with a margin by its size, scaled; their number.
static int score(const trials_seen *seen, scored *all)
{
    int count = 0;
    double scale = find_scale(seen, all);
    for (int i = 0; i < seen->count; i++)
        if (!isnan(seen->margins[i])) all[count++] = (scored){seen->margins[i], i};
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int i = 0; i < count; i++)
        all[i].y = fmax(fmin(all[i].y / scale, FAR), -FAR);
    return count;
}

static void add_row(const trials_seen *seen, const scored *one, double *x, double *y, int *count)
{
    size_t d = (size_t)seen->dimensions;
    memcpy(x + (size_t)*count * d, seen->points + (size_t)one->index * d, d * sizeof *x);
    y[(*count)++] = one->y;
}

/// Some of the plain draws, or of the other trials: evenly by their size.
static void add_some(const trials_seen *seen, const scored *all, int count, bool is_plain,
                     int wanted, rows *r)
{
    int have = 0, place = 0;
    for (int i = 0; i < count; i++)
        have += (all[i].index < seen->plain) == is_plain;
    if (wanted > have) wanted = have;
    for (int i = 0; i < count; i++) {
        if ((all[i].index < seen->plain) != is_plain) continue;
        if ((int64_t)(place + 1) * wanted / have > (int64_t)place * wanted / have)
            add_row(seen, &all[i], r->x, r->y, &r->count);
        place++;
    }
}

static gmc_status choose_rows(const trials_seen *seen, rows *r)
{
    enum { NEAR = NEAREST * KEPT_BACK / (KEPT_BACK - 1) };
    size_t most = NEAREST + PLAIN + OTHERS, d = (size_t)seen->dimensions;
    scored *all = malloc((size_t)seen->count * sizeof *all);
    *r = (rows){.dimensions = seen->dimensions};
    r->x = malloc(2 * most * (d + 1) * sizeof *r->x);
    if (!all || !r->x) {
        free(all);
        free(r->x);
        return GMC_E_MEMORY;
    }
    r->y = r->x + most * d;
    r->kept_x = r->y + most;
    r->kept_y = r->kept_x + most * d;
    int count = score(seen, all), near = count < NEAR ? count : NEAR;
    for (int i = 0; i < near; i++) {
        if (i % KEPT_BACK == KEPT_BACK / 2)
            add_row(seen, &all[i], r->kept_x, r->kept_y, &r->kept);
        else
            add_row(seen, &all[i], r->x, r->y, &r->count);
    }
    add_some(seen, all + near, count - near, true, PLAIN, r);
    add_some(seen, all + near, count - near, false, OTHERS, r);
    free(all);
    return GMC_OK;
}

/// Root mean square of what is missed of the values kept back.
static double missed_by(const gmc_spline *s, const rows *r)
{
    double sum = 0;
    for (int i = 0; i < r->kept; i++) {
        double miss =
            gmc_spline_at(s, r->kept_x + (size_t)i * (size_t)r->dimensions) - r->kept_y[i];
        sum += miss * miss;
    }
    return sqrt(sum / r->kept);
}

static double mean_cube(const rows *r)
{
    double sum = 0;
    for (int i = 0; i + 1 < r->count; i++) {
        double square = 0;
        for (int j = 0; j < r->dimensions; j++) {
            double apart = r->x[(i + 1) * r->dimensions + j] - r->x[i * r->dimensions + j];
            square += apart * apart;
        }
        sum += square * sqrt(square);
    }
    return sum / r->count;
}

static void guess_free(gmc_subset_aim_guess *guess)
{
    gmc_spline_free(&guess->spline);
    *guess = (gmc_subset_aim_guess){0};
}

/// A guess without a spline where trials are too few for one.
static gmc_status guess_make(const trials_seen *seen, gmc_subset_aim_guess *guess)
{
    rows r;
    *guess = (gmc_subset_aim_guess){.missed = (double)NAN};
    GMC_TRY(choose_rows(seen, &r));
    const gmc_spline_rows given = {r.count, r.dimensions, r.x, r.y};
    gmc_status status = GMC_OK;
    for (int i = 0; i < GMC_COUNT(RIDGES) && r.kept > 0 && status != GMC_E_MEMORY; i++) {
        gmc_spline one;
        status = gmc_spline_fit(&given, RIDGES[i] * mean_cube(&r), &one);
        if (status != GMC_OK) continue;
        double missed = missed_by(&one, &r);
        if (guess->spline.numbers && !(missed < guess->missed)) {
            gmc_spline_free(&one);
            continue;
        }
        gmc_spline_free(&guess->spline);
        *guess = (gmc_subset_aim_guess){one, missed};
    }
    free(r.x);
    if (status == GMC_E_MEMORY) guess_free(guess);
    return status == GMC_E_MEMORY ? status : GMC_OK;
}

/// Is there a spline? Only then may the following be asked.
static bool guess_is_made(const gmc_subset_aim_guess *guess)
{
    return guess->spline.numbers != NULL;
}

static double subset_aim_margin(const gmc_subset_aim_guess *guess, const double *z)
{
    return gmc_spline_at(&guess->spline, z);
}

/// Probability of a failure at z; 0 below one in a hundred.
static double guess_failure(const gmc_subset_aim_guess *guess, const double *z)
{
    double p = 1 / (1 + gmc_exp(subset_aim_margin(guess, z) / fmax(0.6 * guess->missed, 1e-4)));
    return p < UNLIKELY ? 0 : p;
}

// ---- the law -----------------------------------------------------------------------------------

typedef struct aim_law {
    gmc_mixture mixture; ///< no component: nothing that was seen fails
    int known;           ///< components of it that lie where failures were found or suspected
    double reach;        ///< distance of the likeliest failure from the middle
    bool is_fitted;      ///< a surrogate was; else draws are around what failed
    double missed;       ///< by the surrogate, of scaled margins; NaN: none
    int step_count;
    double *steps; ///< (step_count, dimensions) points of 2 on the way to failures, level by level
} aim_law;

enum { CENTRES = 24, COMPONENTS = 3 * CENTRES, DRAWS = 1000, STEPS = 8 };
static const double START_SHARE = 0.15; // of trials that failed, in the end
static const double ROUND_SHARE = 0.1;  // of a law all round, as far out
static const double AXES_SHARE = 0.1;   // of all laws along the axes
static const double WIDER = 1.1;        // standard deviations than fitted

static void aim_free(aim_law *aim)
{
    gmc_mixture_free(&aim->mixture);
    free(aim->steps);
    *aim = (aim_law){0};
}

/// A point beyond the middle of an axis: 0, 1, ... go through both sides of all of them.
/// @param z  in: standard normal
static void aim_along(const aim_law *aim, int axis, double *z)
{
    int d = aim->mixture.dimensions, place = axis % (2 * d);
    z[place / 2] += place % 2 == 0 ? aim->reach : -aim->reach;
}

/// Room for components.
static int components_of(int dimensions) { return COMPONENTS + 1 + 2 * dimensions; }

// ---- where to start ---------------------------------------------------------------------------

/// Square of the distance of a from b, or from 0.
static double apart(const double *a, const double *b, int d)
{
    double sum = 0;
    for (int j = 0; j < d; j++)
        sum += (a[j] - (b ? b[j] : 0)) * (a[j] - (b ? b[j] : 0));
    return sum;
}

/// Points, each as far as any from those before; first the likeliest. Their number.
/// @param left  scratch (count)
static int choose_centres(const double *points, int count, int d, double *left, int *centres)
{
    int chosen = 0, next = -1;
    for (int i = 0; i < count; i++) {
        left[i] = apart(points + (size_t)i * (size_t)d, NULL, d);
        if (next < 0 || left[i] < left[next]) next = i;
    }
    for (int i = 0; i < count; i++)
        left[i] = HUGE_VAL;
    while (next >= 0 && chosen < CENTRES) {
        const double *z = points + (size_t)next * (size_t)d;
        centres[chosen++] = next;
        next = -1;
        for (int i = 0; i < count; i++) {
            left[i] = fmin(left[i], apart(z, points + (size_t)i * (size_t)d, d));
            if (left[i] > 0 && (next < 0 || left[i] > left[next])) next = i;
        }
    }
    return chosen;
}

/// The covariance of a law that is s² as wide as the standard normal one.
static void widen(double *covariance, int d, double s2)
{
    memset(covariance, 0, (size_t)d * (size_t)d * sizeof *covariance);
    for (int j = 0; j < d; j++)
        covariance[j * d + j] = s2;
}

/// Standard normal laws around points far from each other.
/// @param left  scratch (count)
static void add_starts(const double *points, int count, double share, double *left,
                       gmc_mixture *mixture, double *covariance)
{
    int d = mixture->dimensions, centres[CENTRES];
    int chosen = choose_centres(points, count, d, left, centres);
    widen(covariance, d, 1);
    for (int c = 0; c < chosen; c++)
        (void)gmc_mixture_add(mixture, share / chosen, points + (size_t)centres[c] * (size_t)d,
                              covariance);
}

// ---- the fit ----------------------------------------------------------------------------------

/// What one aim needs.
typedef struct shop {
    int d;
    double *z;             ///< (DRAWS, d)
    double *weight;        ///< (DRAWS)
    double *parts;         ///< (DRAWS, components + d) as gmc_mixture_log_ratio leaves it
    double *mean;          ///< (d)
    double *covariance;    ///< (d, d), behind the mean
    double *left, *values; ///< (trials or GMC_SUBSET_AIM_EXPLORED)
    gmc_subset_aim_points failed, found,
        steps; ///< trials that failed; what the surrogate says fails, and on the
               ///< way there
} shop;

/// Draws of the mixture, weighed by how likely they fail.
static gmc_mixture_draws draw_all(const gmc_mixture *m, const gmc_subset_aim_guess *guess,
                                  gmc_stream stream, int step, shop *w)
{
    size_t row = (size_t)(m->count + w->d);
    for (int i = 0; i < DRAWS; i++) {
        double *z = w->z + (size_t)i * (size_t)w->d;
        gmc_stream own = stream;
        own.draw += (uint64_t)step * DRAWS + (uint64_t)i;
        gmc_mixture_draw(m, own, z);
        double ratio = gmc_mixture_log_ratio(m, z, w->parts + (size_t)i * row);
        double p = guess_failure(guess, z);
        w->weight[i] = p > 0 ? p * gmc_exp(-ratio) : 0;
    }
    return (gmc_mixture_draws){DRAWS, w->z, w->parts, w->weight};
}

/// The mixture fitted from `aim->mixture` on.
static gmc_status fit_mixture(const gmc_subset_aim_guess *guess, gmc_stream stream, shop *w,
                              aim_law *aim)
{
    for (int step = 0; step < STEPS; step++) {
        gmc_mixture next;
        gmc_mixture_draws draws = draw_all(&aim->mixture, guess, stream, step, w);
        GMC_TRY(gmc_mixture_create(w->d, components_of(w->d), &next));
        gmc_mixture_fit(&aim->mixture, &draws, w->mean, &next);
        if (next.count == 0) {
            gmc_mixture_free(&next);
            return GMC_OK;
        }
        gmc_mixture_free(&aim->mixture);
        aim->mixture = next;
        aim->is_fitted = true;
    }
    return GMC_OK;
}

static gmc_status open_shop(const trials_seen *seen, shop *w)
{
    size_t draws = DRAWS, side = (size_t)seen->dimensions,
           parts = (size_t)components_of(seen->dimensions) + side;
    size_t most =
        seen->count > GMC_SUBSET_AIM_EXPLORED ? (size_t)seen->count : GMC_SUBSET_AIM_EXPLORED;
    *w = (shop){.d = seen->dimensions};
    w->z = malloc((draws * (side + 1 + parts) + side + side * side + 3 * most * (side + 1)) *
                  sizeof *w->z);
    if (!w->z) return GMC_E_MEMORY;
    w->weight = w->z + draws * side;
    w->parts = w->weight + draws;
    w->mean = w->parts + draws * parts;
    w->covariance = w->mean + side;
    w->left = w->covariance + side * side;
    w->values = w->left + most;
    w->failed.points = w->values + most;
    w->found.points = w->failed.points + most * side;
    w->steps.points = w->found.points + most * side;
    return GMC_OK;
}

static void keep_failed(const trials_seen *seen, gmc_subset_aim_points *f)
{
    size_t d = (size_t)seen->dimensions;
    for (int i = 0; i < seen->count; i++)
        if (seen->margins[i] < 0)
            memcpy(f->points + (size_t)f->count++ * d, seen->points + (size_t)i * d,
                   d * sizeof(double));
}

static gmc_status hand_over(const gmc_subset_aim_points *steps, int dimensions, aim_law *aim)
{
    size_t bytes = (size_t)steps->count * (size_t)dimensions * sizeof(double);
    if (steps->count == 0) return GMC_OK;
    aim->steps = malloc(bytes);
    if (!aim->steps) return GMC_E_MEMORY;
    memcpy(aim->steps, steps->points, bytes);
    aim->step_count = steps->count;
    return GMC_OK;
}

/// The mixture to start from: around trials that failed, and around what should.
static gmc_status start_mixture(shop *w, gmc_mixture *mixture)
{
    bool is_both = w->failed.count > 0 && w->found.count > 0;
    double share = is_both ? 0.5 : 1;
    GMC_TRY(gmc_mixture_create(w->d, components_of(w->d), mixture));
    add_starts(w->failed.points, w->failed.count, share, w->left, mixture, w->covariance);
    add_starts(w->found.points, w->found.count, share, w->left, mixture, w->covariance);
    return GMC_OK;
}

/// Laws where nothing was found: all round, and along each axis.
static void add_blind(const gmc_subset_aim_points *failing, shop *w, aim_law *aim)
{
    int d = w->d;
    double sum = 0, least = HUGE_VAL;
    aim->known = aim->mixture.count;
    for (int i = 0; i < failing->count; i++) {
        double square = apart(failing->points + (size_t)i * (size_t)d, NULL, d);
        sum += square;
        least = fmin(least, square);
    }
    aim->reach = sqrt(least);
    memset(w->mean, 0, (size_t)d * sizeof *w->mean);
    widen(w->covariance, d, fmax(sum / failing->count / d, 1));
    (void)gmc_mixture_add(&aim->mixture, ROUND_SHARE, w->mean, w->covariance);
    widen(w->covariance, d, 1);
    for (int axis = 0; axis < 2 * d; axis++) {
        memset(w->mean, 0, (size_t)d * sizeof *w->mean);
        aim_along(aim, axis, w->mean);
        (void)gmc_mixture_add(&aim->mixture, AXES_SHARE / (2 * d), w->mean, w->covariance);
    }
}

/// The mixture, once it is fitted or not, with what is not left to the fit.
static void complete_mixture(shop *w, aim_law *aim)
{
    bool has_failed = w->failed.count > 0;
    double fitted = 1 - ROUND_SHARE - AXES_SHARE;
    if (aim->is_fitted) {
        gmc_mixture_scale(&aim->mixture, fitted - (has_failed ? START_SHARE : 0), WIDER);
        add_starts(w->failed.points, w->failed.count, START_SHARE, w->left, &aim->mixture,
                   w->covariance);
    } else
        gmc_mixture_scale(&aim->mixture, fitted, 1);
    add_blind(has_failed ? &w->failed : &w->found, w, aim);
}

static gmc_status aim_at(const trials_seen *seen, const gmc_subset_aim_guess *guess,
                         gmc_stream stream, shop *w, aim_law *aim)
{
    bool is_made = guess_is_made(guess);
    keep_failed(seen, &w->failed);
    gmc_subset_aim_search search = {.guess = guess,
                                    .stream = stream,
                                    .dimensions = seen->dimensions,
                                    .z = w->z,
                                    .values = w->values,
                                    .failing = &w->found,
                                    .steps = &w->steps};
    if (is_made) GMC_TRY(seen->explore(&search));
    GMC_TRY(start_mixture(w, &aim->mixture));
    if (is_made && aim->mixture.count > 0) GMC_TRY(fit_mixture(guess, stream, w, aim));
    GMC_TRY(hand_over(&w->steps, seen->dimensions, aim));
    if (aim->mixture.count > 0) complete_mixture(w, aim);
    return GMC_OK;
}

/// @param stream  chance of the fit
/// @param aim     out: aim_free; {0} unless GMC_OK
static gmc_status aim_take(const trials_seen *seen, gmc_stream stream, aim_law *aim)
{
    shop w;
    gmc_subset_aim_guess guess;
    *aim = (aim_law){0};
    GMC_TRY(open_shop(seen, &w));
    gmc_status status = guess_make(seen, &guess);
    if (status == GMC_OK) {
        aim->missed = guess.missed;
        status = aim_at(seen, &guess, stream, &w, aim);
        guess_free(&guess);
    }
    free(w.z);
    if (status != GMC_OK) aim_free(aim);
    return status;
}

/// φ/q.
/// @param room  out: (mixture.count + dimensions) first the share of each component in q(z)
static double aim_weight(const aim_law *aim, const double *z, double *room)
{
    return gmc_exp(-gmc_mixture_log_ratio(&aim->mixture, z, room));
}

// ---- rounds -------------------------------------------------------------------------------------

typedef struct gmc_subset_aim {
    gmc_subset_aim_plan plan;
    int round; ///< that is open, or comes next
    aim_law aim;
    double *weights; ///< (draws) of the open round
    bool *is_blind;  ///< (draws) drawn where no failure is known
    double *points, *margins;
    int count, point_capacity, margin_capacity; ///< of what was seen
    gmc_subset_aim_round rounds[GMC_SUBSET_AIM_ROUNDS];
} gmc_subset_aim;

static void subset_aim_free(gmc_subset_aim *a);

/// @return GMC_OK, GMC_E_MEMORY
static gmc_status subset_aim_create(const gmc_subset_aim_plan *plan, gmc_subset_aim **aim)
{
    gmc_subset_aim *a = calloc(1, sizeof *a);
    *aim = NULL;
    if (!a) return GMC_E_MEMORY;
    a->plan = *plan;
    a->weights = malloc((size_t)plan->draws * sizeof *a->weights);
    a->is_blind = calloc((size_t)plan->draws, sizeof *a->is_blind);
    if (!a->weights || !a->is_blind) {
        subset_aim_free(a);
        return GMC_E_MEMORY;
    }
    *aim = a;
    return GMC_OK;
}

/// Accepts NULL.
static void subset_aim_free(gmc_subset_aim *a)
{
    if (!a) return;
    aim_free(&a->aim);
    free(a->weights);
    free(a->is_blind);
    free(a->points);
    free(a->margins);
    free(a);
}

/// Take in a trial that was run, of whatever level.
/// @param margin  +inf: unsolved
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status subset_aim_see(gmc_subset_aim *a, const double *point, double margin)
{
    size_t bytes = (size_t)a->plan.dimensions * sizeof *point;
    double *points = gmc_list_room(a->points, a->count, &a->point_capacity, bytes);
    if (!points) return GMC_E_MEMORY;
    a->points = points;
    double *margins = gmc_list_room(a->margins, a->count, &a->margin_capacity, sizeof *margins);
    if (!margins) return GMC_E_MEMORY;
    a->margins = margins;
    memcpy(points + (size_t)a->count * (size_t)a->plan.dimensions, point, bytes);
    margins[a->count++] = margin == HUGE_VAL ? (double)NAN : margin;
    return GMC_OK;
}

/// Draws of a round: [first, first + count).
static void part(const gmc_subset_aim *a, int *first, int *count)
{
    int early = a->plan.draws / 8;
    *first = a->round * early;
    *count = a->round < GMC_SUBSET_AIM_ROUNDS - 1 ? early : a->plan.draws - *first;
}

/// What a draw is for.
typedef enum purpose {
    ESTIMATE,
    LESSON_ON_THE_WAY, ///< only teaches: on the surrogate's way to failures,
    LESSON_ALONG,      ///< or along an axis
} purpose;

static purpose purpose_of(const gmc_subset_aim *a, int i)
{
    if (a->round == GMC_SUBSET_AIM_ROUNDS - 1 || i % 2 == 0) return ESTIMATE;
    return i % 4 == 1 && a->aim.step_count > 0 ? LESSON_ON_THE_WAY : LESSON_ALONG;
}

/// Is nine tenths of a point's density from components that lie where no failure is known?
static bool is_blind(const aim_law *aim, const double *shares)
{
    double known = 0;
    for (int k = 0; k < aim->known; k++)
        known += shares[k];
    return known < 0.1;
}

static void draw_point(gmc_subset_aim *a, int i, int of, gmc_stream stream, double *room, double *z)
{
    size_t d = (size_t)a->plan.dimensions;
    a->weights[i] = 0;
    a->is_blind[i] = false;
    switch (purpose_of(a, i)) {
    case ESTIMATE:
        gmc_mixture_draw(&a->aim.mixture, stream, z);
        a->weights[i] = aim_weight(&a->aim, z, room);
        a->is_blind[i] = is_blind(&a->aim, room);
        break;
    case LESSON_ON_THE_WAY: {
        int step = (int)((int64_t)i * a->aim.step_count / of);
        memcpy(z, a->aim.steps + (size_t)step * d, d * sizeof *z);
        break;
    }
    case LESSON_ALONG:
        for (size_t j = 0; j < d; j++)
            z[j] = gmc_normal_quantile(fmax(gmc_stream_uniform(stream, (uint64_t)j), 0x1p-54));
        aim_along(&a->aim, (a->round * of + i) / 4, z);
        break;
    }
}

/// Points of the open round and their weights; a lesson has none.
static void draw_points(gmc_subset_aim *a, const uint64_t *trials, int draws, double *room,
                        double *points)
{
    for (int i = 0; i < draws; i++)
        draw_point(a, i, draws, gmc_stream_open(a->plan.seed, trials[i], "sampling.subset"), room,
                   points + (size_t)i * (size_t)a->plan.dimensions);
}

/// Open the next round.
/// @param trials  out: (draws) addresses
/// @param points  out: (draws, dimensions)
/// @param count   out: of them; 0: all rounds are done, or nothing that was seen fails
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status subset_aim_open(gmc_subset_aim *a, uint64_t *trials, double *points,
                                  uint64_t *count)
{
    enum { ROUND_APART = 1 << 20 }; // of the numbers that aims draw
    int first, draws, d = a->plan.dimensions;
    *count = 0;
    if (a->round == GMC_SUBSET_AIM_ROUNDS) return GMC_OK;
    const trials_seen seen = {a->count, a->plan.plain, d, a->points, a->margins, a->plan.explore};
    aim_free(&a->aim);
    GMC_TRY(aim_take(
        &seen,
        gmc_stream_open(a->plan.seed, (uint64_t)a->round * ROUND_APART, "sampling.subset.aim"),
        &a->aim));
    if (a->aim.mixture.count == 0) return GMC_OK;
    a->rounds[a->round] = (gmc_subset_aim_round){
        .components = a->aim.mixture.count, .is_fitted = a->aim.is_fitted, .missed = a->aim.missed};
    double *room = malloc((size_t)(a->aim.mixture.count + d) * sizeof *room);
    if (!room) return GMC_E_MEMORY;
    part(a, &first, &draws);
    for (int i = 0; i < draws; i++)
        trials[i] = a->plan.first + (uint64_t)(first + i);
    draw_points(a, trials, draws, room, points);
    free(room);
    *count = (uint64_t)draws;
    return GMC_OK;
}

/// Take in what the open round found.
/// @param found   (draws of all rounds) margins by address, from `first` on
/// @param points  as subset_aim_open gave them
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status subset_aim_close(gmc_subset_aim *a, const double *found, const double *points)
{
    int first, draws;
    gmc_subset_aim_round *round = &a->rounds[a->round];
    part(a, &first, &draws);
    for (int i = 0; i < draws; i++) {
        double margin = found[first + i];
        gmc_aimed_add(&round->failing, a->weights[i], a->is_blind[i], margin < 0);
        gmc_aimed_add(&round->worst, a->weights[i], a->is_blind[i],
                      margin < 0 || margin == HUGE_VAL);
        GMC_TRY(subset_aim_see(a, points + (size_t)i * (size_t)a->plan.dimensions, margin));
    }
    a->round++;
    return GMC_OK;
}

// ==== the levels ====

// What has no margin may fail, and may lie where few draws of level 0 get to. Candidates from the
// set A of a level meet what is unsolved, U, as often as those of U would meet A:
// P(A) q(A, U) = P(U) q(U, A). With q(A, A), the share of candidates taken, for q(U, A), which
// nobody knows, U is P(A) times the unsolved candidates over the taken ones. To the unsolved share
// of level 0, plain draws, the most that a level behind it met is added, those that met fewer than
// ten left out if another met more: rather too much than too little (the sum of all levels was
// eight times too much of a wall behind the failures, which each of them meets).

static const double ACCEPTED = 0.44;  // [papaioannou2015]: best of a chain in one dimension
static const double STEP_FIRST = 0.6; // [papaioannou2015]: sqrt(1 − ρ²) at the start

/// A run in the making.
typedef struct run {
    int level, step; ///< that is open; level 0 has one step, others start with step 1
    bool has_ended;
    double threshold; ///< of the level
    double length;    ///< sqrt(1 − ρ²)
    double *points;   ///< (per_level, dimensions) of the level, chain by chain within a step
    double *margins;  ///< (per_level)
    double *starts;   ///< (chains, dimensions) of the next level
    gmc_subset_level *levels;
    gmc_subset_run result;
    int accepted;
} run;

struct gmc_subset {
    gmc_subset_plan plan;
    double *found; ///< (total) margin of each trial; NaN: none
    run *runs;
    uint64_t *trials; ///< (runs * per_level) of the open stage
    uint64_t count;
    double *candidates; ///< (count, dimensions)
    bool is_open;
    gmc_subset_aim *aim; ///< NULL: none
    bool is_aiming;      ///< all runs have ended
};

static int chains(const gmc_subset *s) { return s->plan.per_level / GMC_SUBSET_STEPS; }
/// Address of the first aimed draw.
static uint64_t behind_levels(const gmc_subset_plan *plan)
{
    return gmc_subset_total(plan) - (uint64_t)plan->aimed;
}

// ---- on a surrogate ---------------------------------------------------------------------------

static void keep_point(const gmc_subset *on, uint64_t trial, gmc_subset_aim_points *f)
{
    if (f->count == GMC_SUBSET_AIM_EXPLORED) return;
    double *z = f->points + (size_t)f->count * (size_t)on->plan.dimensions;
    f->count += gmc_subset_point(on, trial, z);
}

/// Keep those of a stage that fail, and of each level some that belong to it.
static void keep_some(const gmc_subset *on, const gmc_subset_stage *stage,
                      const gmc_subset_aim_search *search)
{
    enum { STEP_APART = 3 }; // of those on the way one of three is kept
    for (uint64_t i = 0; i < stage->count; i++) {
        uint64_t trial = stage->trials[i];
        int level = (int)(trial / (uint64_t)on->plan.per_level);
        if (search->values[i] < 0) keep_point(on, trial, search->failing);
        if (level > 0 && trial % STEP_APART == 0 &&
            search->values[i] <= gmc_subset_of_level(on, 0, level).threshold)
            keep_point(on, trial, search->steps);
    }
}

/// Look for failures with more points than there are trials.
static gmc_status explore(gmc_subset_aim_search *search)
{
    enum { LEVELS = 12 };
    gmc_subset *on;
    gmc_subset_stage stage;
    const gmc_subset_plan plan = {.runs = 1,
                                  .levels = LEVELS,
                                  .per_level = GMC_SUBSET_AIM_EXPLORED,
                                  .dimensions = search->dimensions,
                                  .seed = gmc_stream_bits(search->stream, 0)};
    GMC_TRY(gmc_subset_create(&plan, &on));
    gmc_status status = gmc_subset_next(on, &stage);
    while (status == GMC_OK && stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            (void)gmc_subset_point(on, stage.trials[i], search->z);
            search->values[i] = subset_aim_margin(search->guess, search->z);
            gmc_subset_put(on, stage.trials[i], search->values[i]);
        }
        keep_some(on, &stage, search);
        status = gmc_subset_next(on, &stage);
    }
    gmc_subset_free(on);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

static gmc_status create_aim(gmc_subset *s)
{
    const gmc_subset_aim_plan plan = {.draws = s->plan.aimed,
                                      .plain = s->plan.runs * s->plan.per_level,
                                      .dimensions = s->plan.dimensions,
                                      .seed = s->plan.seed,
                                      .first = behind_levels(&s->plan),
                                      .explore = explore};
    return plan.draws > 0 ? subset_aim_create(&plan, &s->aim) : GMC_OK;
}

static gmc_status create_runs(gmc_subset *s)
{
    size_t points = (size_t)s->plan.per_level, width = (size_t)s->plan.dimensions;
    for (int r = 0; r < s->plan.runs; r++) {
        run *one = &s->runs[r];
        *one = (run){.threshold = HUGE_VAL, .length = STEP_FIRST};
        one->points = calloc(points * width, sizeof(double));
        one->margins = calloc(points, sizeof(double));
        one->starts = calloc((size_t)chains(s) * (width + 1), sizeof(double));
        one->levels = calloc((size_t)s->plan.levels, sizeof *one->levels);
        if (!one->points || !one->margins || !one->starts || !one->levels) return GMC_E_MEMORY;
        one->levels[0].threshold = HUGE_VAL;
        one->levels[0].accepted = (double)NAN;
    }
    return GMC_OK;
}

gmc_status gmc_subset_create(const gmc_subset_plan *plan, gmc_subset **subset)
{
    GMC_ASSERT(plan->runs >= 1 && plan->levels >= 1 && plan->dimensions >= 1);
    GMC_ASSERT(plan->aimed == 0 || plan->aimed >= GMC_SUBSET_AIM_LEAST);
    GMC_ASSERT(plan->per_level >= GMC_SUBSET_STEPS && plan->per_level % GMC_SUBSET_STEPS == 0);
    *subset = NULL;
    uint64_t total = gmc_subset_total(plan);
    if (total == 0) return GMC_E_LIMIT;
    gmc_subset *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->plan = *plan;
    size_t open = (size_t)plan->runs * (size_t)plan->per_level;
    if (open < (size_t)plan->aimed) open = (size_t)plan->aimed;
    s->found = malloc((size_t)total * sizeof *s->found);
    s->runs = calloc((size_t)plan->runs, sizeof *s->runs);
    s->trials = malloc(open * sizeof *s->trials);
    s->candidates = malloc(open * (size_t)plan->dimensions * sizeof *s->candidates);
    bool is_made = s->found && s->runs && s->trials && s->candidates;
    gmc_status status = is_made ? create_runs(s) : GMC_E_MEMORY;
    if (status == GMC_OK) status = create_aim(s);
    if (status != GMC_OK) {
        gmc_subset_free(s);
        return status;
    }
    for (uint64_t i = 0; i < total; i++)
        s->found[i] = (double)NAN;
    *subset = s;
    return GMC_OK;
}

void gmc_subset_free(gmc_subset *s)
{
    if (!s) return;
    for (int r = 0; s->runs && r < s->plan.runs; r++) {
        free(s->runs[r].points);
        free(s->runs[r].margins);
        free(s->runs[r].starts);
        free(s->runs[r].levels);
    }
    free(s->found);
    free(s->runs);
    free(s->trials);
    free(s->candidates);
    subset_aim_free(s->aim);
    free(s);
}

void gmc_subset_put(gmc_subset *s, uint64_t trial, double margin)
{
    GMC_ASSERT(trial < gmc_subset_total(&s->plan));
    s->found[trial] = isnan(margin) ? HUGE_VAL : margin;
}

// ---- places -----------------------------------------------------------------------------------

static uint64_t address(const gmc_subset *s, int r, int level, int place)
{
    return ((uint64_t)r * (uint64_t)s->plan.levels + (uint64_t)level) *
               (uint64_t)s->plan.per_level +
           (uint64_t)place;
}

static double *point_of(const gmc_subset *s, double *points, int place)
{
    return points + (size_t)place * (size_t)s->plan.dimensions;
}

/// Places of the open step of a run: [first, first + count).
static void open_places(const gmc_subset *s, const run *one, int *first, int *count)
{
    *first = one->level > 0 ? one->step * chains(s) : 0;
    *count = one->level > 0 ? chains(s) : s->plan.per_level;
}

/// Is a coordinate of few values drawn anew in a step of a chain? Else it stays.
static bool is_redrawn(const gmc_subset *s, gmc_stream stream, int i)
{
    static const double REDRAWN = 0.5;
    bool is_discrete = s->plan.is_discrete && s->plan.is_discrete[i];
    uint64_t coin = (uint64_t)(s->plan.dimensions + i); // behind those of the point
    return is_discrete && gmc_stream_uniform(stream, coin) < REDRAWN;
}

static bool is_any_redrawn(const gmc_subset *s, uint64_t trial)
{
    gmc_stream stream = gmc_stream_open(s->plan.seed, trial, "sampling.subset");
    for (int i = 0; i < s->plan.dimensions; i++)
        if (is_redrawn(s, stream, i)) return true;
    return false;
}

/// Candidate of a trial: a fresh point, or one near that before it in its chain.
static void propose(const gmc_subset *s, const run *one, uint64_t trial, int place, double *point)
{
    gmc_stream stream = gmc_stream_open(s->plan.seed, trial, "sampling.subset");
    const double *before = one->level > 0 ? point_of(s, one->points, place - chains(s)) : NULL;
    double keep = sqrt(fmax(1 - one->length * one->length, 0));
    for (int i = 0; i < s->plan.dimensions; i++) {
        double u = fmax(gmc_stream_uniform(stream, (uint64_t)i), 0x1p-54);
        double fresh = gmc_normal_quantile(u);
        if (!before || is_redrawn(s, stream, i))
            point[i] = fresh;
        else if (s->plan.is_discrete && s->plan.is_discrete[i])
            point[i] = before[i];
        else
            point[i] = keep * before[i] + one->length * fresh;
    }
}

// ---- decisions --------------------------------------------------------------------------------

/// Take the margins of the open step in.
static gmc_status take_step(gmc_subset *s, int r, const double *candidates)
{
    run *one = &s->runs[r];
    gmc_subset_level *level = &one->levels[one->level];
    int first, count, taken = 0, near = 0, near_taken = 0;
    size_t bytes = (size_t)s->plan.dimensions * sizeof(double);
    open_places(s, one, &first, &count);
    for (int i = 0; i < count; i++) {
        int place = first + i, before = place - chains(s);
        uint64_t trial = address(s, r, one->level, place);
        double margin = s->found[trial];
        level->trials++;
        level->unsolved += margin == HUGE_VAL;
        bool is_taken = one->level == 0 || margin <= one->threshold;
        taken += is_taken;
        bool is_near = !is_any_redrawn(s, trial);
        near += is_near;
        near_taken += is_near && is_taken;
        const double *candidate = candidates + (size_t)i * (size_t)s->plan.dimensions;
        const double *from = is_taken ? candidate : point_of(s, one->points, before);
        if (s->aim) GMC_TRY(subset_aim_see(s->aim, candidate, margin));
        memcpy(point_of(s, one->points, place), from, bytes);
        one->margins[place] = is_taken ? margin : one->margins[before];
    }
    if (one->level == 0) return GMC_OK;
    one->accepted += taken;
    if (near == 0) return GMC_OK;
    double share = (double)near_taken / (double)near; // of those whose distance is the length's
    one->length = fmin(one->length * gmc_exp((share - ACCEPTED) / sqrt(one->step)), 1);
    return GMC_OK;
}

typedef struct ranked {
    double margin;
    int place;
} ranked;

static int compare(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->margin != y->margin) return x->margin < y->margin ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/// The places of a level by their margins.
static gmc_status rank(const gmc_subset *s, const run *one, ranked **made)
{
    ranked *all = malloc((size_t)s->plan.per_level * sizeof *all);
    *made = all;
    if (!all) return GMC_E_MEMORY;
    for (int i = 0; i < s->plan.per_level; i++)
        all[i] = (ranked){one->margins[i], i};
    qsort(all, (size_t)s->plan.per_level, sizeof *all, compare);
    return GMC_OK;
}

/// Probability of a level's set.
static double reached(const run *one, int level)
{
    double product = 1;
    for (int l = 0; l < level; l++)
        product *= one->levels[l].share;
    return product;
}

/// Probability of what is unsolved, as a level met it: subset.h.
static double unsolved_of(const run *one, int l)
{
    const gmc_subset_level *level = &one->levels[l];
    double taken = l == 0 ? 1 : fmax(level->accepted, 1 / (double)level->trials);
    return reached(one, l) * (double)level->unsolved / (double)level->trials / taken;
}

/// The same of all levels of a run.
static double unsolved_of_run(const run *one)
{
    enum { MET_ENOUGH = 10 }; // one alone, at an early level, weighs more than all of a late one
    double most = 0, few = 0;
    for (int l = 1; l <= one->level; l++) {
        double *of = one->levels[l].unsolved >= MET_ENOUGH ? &most : &few;
        *of = fmax(*of, unsolved_of(one, l));
    }
    return fmin(unsolved_of(one, 0) + (most > 0 ? most : few), 1);
}

static void end_run(run *one, bool is_short, bool is_stuck)
{
    const gmc_subset_level *level = &one->levels[one->level];
    double before = reached(one, one->level);
    one->has_ended = true;
    one->result = (gmc_subset_run){.levels = one->level + 1,
                                   .probability = before * level->share,
                                   .reached = before,
                                   .unsolved = unsolved_of_run(one),
                                   .is_short = is_short,
                                   .is_stuck = is_stuck};
}

/// The starts of the next level: a tenth of all points, at random from the `going` ones up to the
/// threshold (selection sampling: each as likely, in the order of their margins).
static void open_level(const gmc_subset *s, int r, const ranked *all, int going)
{
    run *one = &s->runs[r];
    int count = chains(s), taken = 0;
    size_t width = (size_t)s->plan.dimensions;
    double *margins = one->starts + (size_t)count * width;
    gmc_stream stream =
        gmc_stream_open(s->plan.seed, address(s, r, one->level, 0), "sampling.subset.starts");
    for (int i = 0; i < going && taken < count; i++) {
        double u = gmc_stream_uniform(stream, (uint64_t)i);
        if ((going - i) * u >= count - taken) continue;
        memcpy(point_of(s, one->starts, taken), point_of(s, one->points, all[i].place),
               width * sizeof(double));
        margins[taken++] = all[i].margin;
    }
    memcpy(one->points, one->starts, (size_t)count * width * sizeof(double));
    memcpy(one->margins, margins, (size_t)count * sizeof(double));
    one->threshold = all[going - 1].margin;
    one->level++;
    one->step = 1;
    one->accepted = 0;
    one->levels[one->level] = (gmc_subset_level){.threshold = one->threshold};
}

static gmc_status close_level(const gmc_subset *s, int r)
{
    run *one = &s->runs[r];
    gmc_subset_level *level = &one->levels[one->level];
    int count = s->plan.per_level, going = 0;
    ranked *all;
    GMC_TRY(rank(s, one, &all));
    double next = all[chains(s) - 1].margin;
    for (int i = 0; i < count; i++) {
        level->failing += all[i].margin < 0;
        going += all[i].margin <= next;
    }
    if (one->level > 0) level->accepted = (double)one->accepted / (double)level->trials;
    bool is_last = next < 0, is_stuck = !is_last && 2 * going > count;
    bool is_short = !is_last && !is_stuck && one->level + 1 >= s->plan.levels;
    bool has_ended = is_last || is_stuck || is_short;
    level->share = (double)(has_ended ? level->failing : going) / (double)count;
    if (has_ended)
        end_run(one, is_short, is_stuck);
    else
        open_level(s, r, all, going);
    free(all);
    return GMC_OK;
}

/// A step of a run is complete: the next step, or the next level.
static gmc_status advance(gmc_subset *s, int r, const double *candidates)
{
    run *one = &s->runs[r];
    GMC_TRY(take_step(s, r, candidates));
    if (one->level > 0 && ++one->step < GMC_SUBSET_STEPS) return GMC_OK;
    return close_level(s, r);
}

static bool is_complete(const gmc_subset *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        if (isnan(s->found[s->trials[i]])) return false;
    return true;
}

/// What the open step of all runs has shown.
static gmc_status close_steps(gmc_subset *s)
{
    size_t done = 0;
    for (int r = 0; r < s->plan.runs; r++) {
        int first, count;
        if (s->runs[r].has_ended) continue;
        open_places(s, &s->runs[r], &first, &count);
        GMC_TRY(advance(s, r, s->candidates + done * (size_t)s->plan.dimensions));
        done += (size_t)count;
    }
    return GMC_OK;
}

static void open_steps(gmc_subset *s)
{
    s->count = 0;
    for (int r = 0; r < s->plan.runs; r++) {
        const run *one = &s->runs[r];
        int first, count;
        if (one->has_ended) continue;
        open_places(s, one, &first, &count);
        for (int i = 0; i < count; i++) {
            uint64_t trial = address(s, r, one->level, first + i);
            propose(s, one, trial, first + i,
                    s->candidates + (size_t)s->count * (size_t)s->plan.dimensions);
            s->trials[s->count++] = trial;
        }
    }
}

gmc_status gmc_subset_next(gmc_subset *s, gmc_subset_stage *stage)
{
    if (s->is_open && !is_complete(s)) return GMC_E_MISSING;
    if (s->is_aiming && s->count > 0)
        GMC_TRY(subset_aim_close(s->aim, s->found + behind_levels(&s->plan), s->candidates));
    else if (s->is_open)
        GMC_TRY(close_steps(s));
    s->is_open = true;
    open_steps(s);
    s->is_aiming = s->aim && s->count == 0;
    if (s->is_aiming) GMC_TRY(subset_aim_open(s->aim, s->trials, s->candidates, &s->count));
    *stage = (gmc_subset_stage){.trials = s->trials, .count = s->count};
    return GMC_OK;
}
bool gmc_subset_point(const gmc_subset *s, uint64_t trial, double *point)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (s->trials[middle] < trial)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= s->count || s->trials[low] != trial) return false;
    size_t width = (size_t)s->plan.dimensions;
    memcpy(point, s->candidates + (size_t)low * width, width * sizeof *point);
    return true;
}

const gmc_subset_plan *gmc_subset_about(const gmc_subset *s) { return &s->plan; }

gmc_subset_run gmc_subset_of_run(const gmc_subset *s, int r) { return s->runs[r].result; }

gmc_subset_level gmc_subset_of_level(const gmc_subset *s, int r, int level)
{
    return s->runs[r].levels[level];
}

// ==== what all runs come to ====

// What all runs of a subset simulation come to: the probability of a failure with its interval,
// beside what the plain draws of level 0 say of it.
//
// Where there are aimed draws the estimate and its interval are theirs (above), unless
// they are not told; where no trial of any level succeeded the estimate is 1, whatever the weights
// come to. Else, with one run, there is no spread of the runs: both are those of the plain draws.
//
// The interval is that of the spread between runs, and where a run found nothing bounded by the
// plain draws (above), so that nothing found is an upper bound. Where all runs end at
// level 0 the interval is that of the plain draws; where some do it holds theirs. Trials without a
// margin may fail or not: the upper end of what is unsolved (gmc_subset_run.unsolved) is added to
// the upper end.
//
// Where no run found a failure there is only a bound. That of the chains may be far above that of
// the plain draws (a margin that is the same in many trials ends them early, or far from where
// anything fails): then the interval is what it has in common with the draws' at half the error,
// 97.5 % for 95 %. It is never narrower than the draws' at the level itself, which alone is right.
//
// Level 0 is a part of the runs, so the two hardly ever disagree by chance: intervals that have no
// number in common, that of the plain draws at 99.9 %, say that the chains did not get to where
// failures are. (At 95 % 3 of 200 answers about 1e-6 were refused: one hit of 14000.)

static void count_levels(const gmc_subset *subset, int r, gmc_subset_answer *a)
{
    gmc_subset_run one = gmc_subset_of_run(subset, r);
    gmc_subset_level first = gmc_subset_of_level(subset, r, 0);
    a->draws += first.trials;
    a->failing += first.failing;
    a->open += first.unsolved;
    a->fewest = one.levels < a->fewest ? one.levels : a->fewest;
    a->most = one.levels > a->most ? one.levels : a->most;
    a->shorts += one.is_short;
    a->stucks += one.is_stuck;
    for (int l = 0; l < one.levels; l++) {
        gmc_subset_level level = gmc_subset_of_level(subset, r, l);
        a->trials += level.trials;
        a->open_trials += level.unsolved;
    }
}

/// Clopper's and Pearson's of the plain draws, the unsolved on either side.
static gmc_interval plain_interval(const gmc_subset_answer *a, double level)
{
    int64_t most = a->failing + a->open;
    return (gmc_interval){gmc_proportion_clopper_pearson(a->failing, a->draws, level).lower,
                          gmc_proportion_clopper_pearson(most, a->draws, level).upper};
}

/// Upper end of the probability of what is unsolved.
static double most_unsolved(const double *unsolved, int runs, const gmc_subset_answer *a,
                            double level)
{
    const gmc_repeats_draws draws = {.hits = a->open, .draws = a->draws};
    if (a->open_trials == 0) return 0;
    // the spread of few runs says little: level 0 alone
    if (runs < GMC_SUBSET_RUNS_LEAST)
        return gmc_proportion_clopper_pearson(a->open, a->draws, level).upper;
    gmc_repeats_estimate e = a->open > 0
                                 ? gmc_repeats_estimate_bounded(unsolved, runs, &draws, level)
                                 : gmc_repeats_estimate_of(unsolved, runs, level);
    return e.interval.upper;
}

/// What the aimed draws say, if they are any.
static void take_aimed(const gmc_subset *subset, double level, gmc_subset_answer *a)
{
    a->round_count = subset->aim ? subset->aim->round : 0;
    bool is_all_failing = a->failing == a->draws;
    for (int i = 0; i < a->round_count; i++) {
        gmc_subset_aim_round round = a->rounds[i] = subset->aim->rounds[i];
        a->trials += round.failing.draws;
        is_all_failing = is_all_failing && round.failing.hits == round.failing.draws;
        a->open_trials += round.worst.hits - round.failing.hits;
        a->last = round;
    }
    a->aimed = gmc_aimed_estimate_of(&a->last.failing, level);
    a->is_aimed = a->aimed.is_told;
    if (!a->is_aimed) {
        if (gmc_subset_about(subset)->runs > 1) return;
        a->is_plain = true; // of one run there is no spread
        a->failure = (gmc_repeats_estimate){.p = (double)a->failing / (double)a->draws,
                                            .variation = (double)NAN,
                                            .interval = plain_interval(a, level)};
        return;
    }
    gmc_aimed_estimate worst = gmc_aimed_estimate_of(&a->last.worst, level);
    a->failure = (gmc_repeats_estimate){
        .p = is_all_failing ? 1 : a->aimed.p, // whatever the weights come to by chance
        .variation = a->aimed.variation,
        .interval = {a->aimed.interval.lower, fmax(a->aimed.interval.upper, worst.interval.upper)}};
}

/// Runs that ended at level 0 are plain draws: if all did, their count says more than their spread,
/// which is none where all of them fail; if some did, neither is to be contradicted.
static void heed_plain(gmc_subset_answer *a)
{
    gmc_interval *found = &a->failure.interval;
    if (a->fewest > 1 || a->is_aimed) return;
    bool is_all = a->most == 1;
    found->lower = is_all ? a->plain.lower : fmin(found->lower, a->plain.lower);
    found->upper = is_all ? a->plain.upper : fmax(found->upper, a->plain.upper);
}

/// The level of each of two intervals that hold together.
static double shared_level(double level) { return 1 - (1 - level) / 2; }

/// Where there is only a bound: that of the plain draws, too.
static void join_plain(gmc_subset_answer *a, double level)
{
    gmc_interval *found = &a->failure.interval;
    double bound = plain_interval(a, shared_level(level)).upper;
    a->chains = found->upper;
    bool is_of_levels = !a->is_aimed && !a->is_plain;
    a->is_joined = is_of_levels && !(a->failure.p > 0) && found->upper > bound;
    if (a->is_joined) found->upper = bound;
}

gmc_subset_answer gmc_subset_answer_of(const gmc_subset *subset, double level)
{
    static const double CONTRADICTED = 0.999;
    const gmc_subset_plan *plan = gmc_subset_about(subset);
    double failing[GMC_SUBSET_RUNS_MAX], unsolved[GMC_SUBSET_RUNS_MAX];
    gmc_subset_answer a = {.fewest = INT32_MAX};
    gmc_repeats_draws draws = {.points = plan->per_level};
    GMC_ASSERT(plan->runs <= GMC_SUBSET_RUNS_MAX);
    for (int r = 0; r < plan->runs; r++) {
        gmc_subset_run one = gmc_subset_of_run(subset, r);
        failing[r] = one.probability;
        unsolved[r] = one.unsolved;
        a.unsolved += one.unsolved / plan->runs;
        if (one.levels > 1) draws.reached += one.reached / plan->runs; // level 0: plain draws
        count_levels(subset, r, &a);
    }
    draws.draws = a.draws;
    draws.hits = a.failing;
    a.failure = a.levels = gmc_repeats_estimate_bounded(failing, plan->runs, &draws, level);
    take_aimed(subset, level, &a);
    gmc_interval *found = &a.failure.interval;
    found->upper = fmin(found->upper + most_unsolved(unsolved, plan->runs, &a, level), 1);
    a.plain = plain_interval(&a, level);
    heed_plain(&a);
    join_plain(&a, level);
    gmc_interval sure = plain_interval(&a, fmax(level, CONTRADICTED));
    a.is_contradictory = found->upper < sure.lower || found->lower > sure.upper;
    return a;
}
