#include "sampling/explain/given_surrogate.h"

#include "sampling/estimate/effective.h"
#include "sampling/explain/given_internal.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdlib.h>

// ---- bins -------------------------------------------------------------------------------------

gmc_status gmc_given_bins_create(gmc_given_bins *bins, gmc_given_row *rows, int64_t count,
                                 int64_t most)
{
    *bins = (gmc_given_bins){.count = 1};
    int64_t room = most < count ? most : count;
    size_t size = (size_t)(room > 1 ? room : 1);
    bins->ends = calloc(size, sizeof *bins->ends);
    bins->number = calloc(size, sizeof *bins->number);
    bins->sum = calloc(size, sizeof *bins->sum);
    bins->square = calloc(size, sizeof *bins->square);
    if (!bins->ends || !bins->number || !bins->sum || !bins->square) return GMC_E_MEMORY;
    gmc_given_sort(rows, count);
    for (int64_t b = 1; b < room; b++) {
        int64_t at = b * count / room;
        double before = rows[at - 1].input, after = rows[at].input;
        double end = before + 0.5 * (after - before);
        if (before < after && (bins->count == 1 || end > bins->ends[bins->count - 2]))
            bins->ends[bins->count++ - 1] = end < after ? end : before;
    }
    return GMC_OK;
}

void gmc_given_bins_free(gmc_given_bins *bins)
{
    free(bins->ends);
    free(bins->number);
    free(bins->sum);
    free(bins->square);
    *bins = (gmc_given_bins){0};
}

static int64_t bin_of(const gmc_given_bins *bins, double input)
{
    int64_t low = 0, high = bins->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (input <= bins->ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void gmc_given_bins_add(gmc_given_bins *bins, double input, double m)
{
    int64_t b = bin_of(bins, input);
    bins->number[b]++;
    bins->sum[b] += m;
    bins->square[b] += m * m;
}

// ---- what is known of m -----------------------------------------------------------------------

typedef struct known {
    double mean;     ///< of m
    double explains; ///< E[h²]
    double number;   ///< fresh draws
} known;

static known know(const gmc_given_bins *bins)
{
    known of = {0};
    double pairs = 0;
    for (int64_t b = 0; b < bins->count; b++) {
        double c = bins->number[b], s = bins->sum[b];
        of.number += c;
        of.mean += s;
        if (c < 2) continue;
        of.explains += (s * s - bins->square[b]) / (c - 1);
        pairs += c;
    }
    of.mean /= of.number;
    of.explains /= pairs;
    return of;
}

static double cut(double x) { return fmin(fmax(x, 0), 1); }

static double h_of(const gmc_given_bins *bins, const known *m, double input)
{
    int64_t b = bin_of(bins, input);
    return bins->number[b] > 0 ? bins->sum[b] / bins->number[b] : m->mean;
}

/// Variance of what fresh draws tell: of g m − h², g = 2 (h − p) − S (1 − 2p), over their number.
static double chance_of(const gmc_given_bins *bins, const known *m, double p, double index)
{
    double sum = 0, squares = 0;
    for (int64_t b = 0; b < bins->count; b++) {
        double c = bins->number[b];
        if (!(c > 0)) continue;
        double h = bins->sum[b] / c, g = 2 * (h - p) - index * (1 - 2 * p);
        sum += g * bins->sum[b] - c * h * h;
        squares += g * g * bins->square[b] - 2 * g * h * h * bins->sum[b] + c * h * h * h * h;
    }
    double mean = sum / m->number;
    return fmax(squares / m->number - mean * mean, 0) / m->number;
}

/// As gmc_given_excess has it, of m in the bins.
static double edges_of(const gmc_given_bins *bins)
{
    enum { EDGES = 2 };
    double most[EDGES] = {0}, within = 0;
    for (int64_t b = 0; b < bins->count; b++) {
        double c = bins->number[b];
        if (!(c > 0)) continue;
        double v = bins->square[b] - bins->sum[b] * bins->sum[b] / c;
        within += v;
        for (int k = 0; k < EDGES; k++) {
            double less = fmin(v, most[k]);
            most[k] = fmax(v, most[k]);
            v = less;
        }
    }
    return gmc_given_excess(most, EDGES, within, bins->count);
}

// ---- what the trials are missed by ------------------------------------------------------------

typedef struct work {
    const gmc_given_row *rows; ///< outcome: r
    int64_t count, groups;     ///< groups: as many as are asked for, then as there are
    const gmc_given_bins *bins;
    known m;
    double r, square, within, beside; ///< Σ r, r², (r − r̄_group)², h r
    double most[GMC_GIVEN_EDGES];     ///< gmc_given_edge
    double p, variance, index;
} work;

static void add_group(work *w, int64_t from, int64_t end)
{
    double centre = gmc_given_mean(w->rows + from, end - from);
    for (int64_t i = from; i < end; i++) {
        double r = w->rows[i].outcome;
        w->r += r;
        w->square += r * r;
        w->within += (r - centre) * (r - centre);
        w->beside += h_of(w->bins, &w->m, w->rows[i].input) * r;
    }
    gmc_given_edge(w->most, gmc_given_edges(2), w->rows, from, end);
}

static void add_groups(work *w)
{
    int64_t groups = 0;
    for (int64_t from = 0, end; from < w->count; from = end, groups++) {
        end = gmc_given_group_end(w->rows, w->count, w->groups, from);
        add_group(w, from, end);
    }
    w->groups = groups;
}

/// Squares and fourth powers of the influence function, from its mean.
typedef struct spread {
    double square, fourth;
} spread;

static double influence_of(const work *w, int64_t i, double group_sum, double group_size)
{
    double r = w->rows[i].outcome, others = (group_sum - r) / (group_size - 1);
    double h = h_of(w->bins, &w->m, w->rows[i].input);
    return (2 * (h - w->p) - w->index * (1 - 2 * w->p)) * r + 2 * r * others - others * others;
}

static spread spread_of(const work *w, int64_t groups, double *influence)
{
    double mean = 0;
    for (int64_t from = 0, end; from < w->count; from = end) {
        end = gmc_given_group_end(w->rows, w->count, groups, from);
        double size = (double)(end - from), sum = gmc_given_mean(w->rows + from, end - from) * size;
        for (int64_t i = from; i < end; i++) {
            influence[i] = influence_of(w, i, sum, size);
            mean += influence[i] / (double)w->count;
        }
    }
    spread of = {0};
    for (int64_t i = 0; i < w->count; i++) {
        double square = (influence[i] - mean) * (influence[i] - mean);
        of.square += square;
        of.fourth += square * square;
    }
    return of;
}

/// Ends from the standard error, Student's t over the normal quantile, and the part of the index
/// that edges may hide.
static gmc_interval ends_of(const work *w, double error, double factor, double edges, double share,
                            double level)
{
    double value = cut(w->index), R = value * (1 - share) + share;
    gmc_effective pair = {.yes = R,
                          .no = 1 - R,
                          .variance = error * error * (1 - share) * (1 - share),
                          .factor = factor,
                          .weight = 1 / (share * (double)w->count)};
    gmc_interval of = gmc_effective_interval(&pair, level);
    double above = fmax((of.upper - share) / (1 - share) - value, 0);
    // A function that rises within one group where the outcome has an edge: r is −1/2 to 1/2 in
    // turn and the spread by ρ, about 0 there, is half of the true one. What is blurred is then
    // more than the spread, and the draws alone are to be believed
    if (edges > above) return (gmc_interval){0, 1};
    return (gmc_interval){.lower = fmin(cut((of.lower - share) / (1 - share)), value),
                          .upper = cut(value + above + edges)};
}

/// By how much more r varies within groups twice as large: what an edge costs these, and three
/// times what a slope does.
static double slack_of(const work *w)
{
    work twice = {.rows = w->rows,
                  .count = w->count,
                  .groups = w->groups > 3 ? w->groups / 2 : 1,
                  .bins = w->bins,
                  .m = w->m};
    add_groups(&twice);
    double n = (double)w->count;
    return fmax(twice.within / (n - (double)twice.groups) - w->within / (n - (double)w->groups), 0);
}

static gmc_interval interval_of(const work *w, const spread *of, double share, double level)
{
    double n = (double)w->count, left = n - (double)w->groups, mean = of->square / n;
    double freedom = of->fourth > 0 ? fmax(of->square * of->square / of->fourth - 1, 1) : n - 1;
    // the noise of a pair of draws counts in both of them, as in given.c
    double twice = 2 * w->within * w->within / (left * left) / fmax(n / (double)w->groups - 1, 1);
    double own = fmax(mean - twice, 0.5 * mean) / n;
    double error = sqrt(own + chance_of(w->bins, &w->m, w->p, w->index)) / w->variance;
    double edges = gmc_given_excess(w->most, gmc_given_edges(2), w->within, w->groups) / left +
                   edges_of(w->bins) / w->m.number + slack_of(w);
    double factor = gmc_student_quantile(freedom, 0.5 * (1 - level)) / gmc_proportion_z(level);
    return ends_of(w, error, factor, edges / w->variance, share, level);
}

gmc_status gmc_given_surrogate_first(gmc_given_row *rows, int64_t count, const gmc_given_bins *bins,
                                     int64_t rarer, double level, gmc_index *index)
{
    *index = (gmc_index){.value = (double)NAN, .interval = {0, 1}};
    if (rarer < 0 || !gmc_given_is_enough(count, rarer)) return GMC_OK;
    gmc_given_sort(rows, count);
    double n = (double)count, share = (double)rarer / n;
    int64_t groups = gmc_given_groups(count, rarer, (int64_t)sqrt(n));
    work w = {.rows = rows, .count = count, .groups = groups, .bins = bins, .m = know(bins)};
    add_groups(&w);
    w.p = w.m.mean + w.r / n;
    w.variance = w.p * (1 - w.p);
    // a variance that is not known to a half leaves nothing to be told
    if (!(w.variance > 0.5 * share * (1 - share))) return GMC_OK;
    double left_by_groups = w.square / n - w.within / (n - (double)w.groups);
    w.index = (w.m.explains + 2 * w.beside / n + left_by_groups - w.p * w.p) / w.variance;
    double *influence = malloc((size_t)count * sizeof *influence);
    if (!influence) return GMC_E_MEMORY;
    spread of = spread_of(&w, groups, influence);
    free(influence);
    *index = (gmc_index){.value = cut(w.index), .interval = interval_of(&w, &of, share, level)};
    return GMC_OK;
}

bool gmc_given_surrogate_is_better(gmc_index alone, gmc_index helped)
{
    static const double SHORTER = 0.9;
    if (isnan(alone.value) || isnan(helped.value)) return false;
    return helped.interval.upper - helped.interval.lower <
           SHORTER * (alone.interval.upper - alone.interval.lower);
}
