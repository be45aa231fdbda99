#include "sampling/estimate/given_surrogate.h"

#include "sampling/estimate/effective.h"
#include "sampling/estimate/given_internal.h"
#include "sampling/estimate/student.h"

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
    double most[2] = {0}, within = 0;
    for (int64_t b = 0; b < bins->count; b++) {
        double c = bins->number[b];
        if (!(c > 0)) continue;
        double v = bins->square[b] - bins->sum[b] * bins->sum[b] / c;
        within += v;
        for (int k = 0; k < 2; k++) {
            double less = fmin(v, most[k]);
            most[k] = fmax(v, most[k]);
            v = less;
        }
    }
    return gmc_given_excess(most, 2, within, bins->count);
}

// ---- what the trials are missed by ------------------------------------------------------------

typedef struct sums {
    double r, square, within, beside; ///< Σ r, r², (r − r̄_group)², h r
    int64_t groups;
    double edges[GMC_GIVEN_EDGES];
    double influence[3]; ///< Σ of the influence function, its square, its fourth power
} sums;

static void add_group(sums *s, const gmc_given_row *rows, int64_t from, int64_t end,
                      const gmc_given_bins *bins, const known *m)
{
    double centre = gmc_given_mean(rows + from, end - from);
    for (int64_t i = from; i < end; i++) {
        double r = rows[i].outcome;
        s->r += r;
        s->square += r * r;
        s->within += (r - centre) * (r - centre);
        s->beside += h_of(bins, m, rows[i].input) * r;
    }
    s->groups++;
    gmc_given_edge(s->edges, gmc_given_edges(2), rows, from, end);
}

static double influence_of(const gmc_given_row *row, double h, double others, double p,
                           double index)
{
    double r = row->outcome;
    return (2 * (h - p) - index * (1 - 2 * p)) * r + 2 * r * others - others * others;
}

static double centre_sum(const gmc_given_row *rows, int64_t from, int64_t end)
{
    return gmc_given_mean(rows + from, end - from) * (double)(end - from);
}

gmc_index gmc_given_surrogate_first(gmc_given_row *rows, int64_t count, const gmc_given_bins *bins,
                                    int64_t rarer, double level)
{
    gmc_index found = {.value = (double)NAN, .interval = {0, 1}};
    if (rarer < 0 || !gmc_given_is_enough(count, rarer)) return found;
    gmc_given_sort(rows, count);
    int64_t groups = gmc_given_groups(count, rarer, (int64_t)sqrt((double)count));
    double n = (double)count;
    known m = know(bins);
    sums s = {0};
    for (int64_t from = 0, end; from < count; from = end) {
        end = gmc_given_group_end(rows, count, groups, from);
        add_group(&s, rows, from, end, bins, &m);
    }
    double p = m.mean + s.r / n, variance = p * (1 - p), left = n - (double)s.groups;
    double alone = (double)rarer / n * (1 - (double)rarer / n);
    if (!(variance > 0.5 * alone)) return found;
    double blurred = s.square / n - s.within / left;
    double index = (m.explains + 2 * s.beside / n + blurred - p * p) / variance;
    double f[4] = {0}, all = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t from = 0, end; from < count; from = end) {
            end = gmc_given_group_end(rows, count, groups, from);
            double sum = centre_sum(rows, from, end);
            for (int64_t i = from; i < end; i++) {
                double others = (sum - rows[i].outcome) / (double)(end - from - 1);
                double v = influence_of(&rows[i], h_of(bins, &m, rows[i].input), others, p, index);
                if (pass == 0) {
                    all += v / n;
                    continue;
                }
                f[2] += (v - all) * (v - all);
                f[3] += (v - all) * (v - all) * (v - all) * (v - all);
            }
        }
    double spread = f[2] / n;
    double freedom = f[3] > 0 ? fmax(f[2] * f[2] / f[3] - 1, 1) : n - 1;
    double twice = 2 * s.within * s.within / (left * left) / fmax(n / (double)s.groups - 1, 1);
    spread = fmax(spread - twice, 0.5 * spread);
    double edges =
        gmc_given_excess(s.edges, gmc_given_edges(2), s.within, s.groups) / left / variance;
    double mc = chance_of(bins, &m, p, index);
    edges += edges_of(bins) / m.number / variance;
    double share = (double)rarer / n, value = fmin(fmax(index, 0), 1);
    double R = value * (1 - share) + share, error = sqrt(spread / n + mc) / variance;
    gmc_effective pair = {.yes = R,
                          .no = 1 - R,
                          .variance = error * error * (1 - share) * (1 - share),
                          .factor = gmc_student_quantile(freedom, (1 - level) / 2) /
                                    gmc_proportion_z(level),
                          .weight = 1 / (double)rarer};
    gmc_interval of = gmc_effective_interval(&pair, level);
    double above = fmax((of.upper - share) / (1 - share) - value, 0);
    found.value = value;
    found.interval.lower = fmin(fmax((of.lower - share) / (1 - share), 0), value);
    found.interval.upper = fmin(value + sqrt(above * above + edges * edges), 1);
    return found;
}
