// Tried on Ishigami's function, Sobol' G and a success over 1000 random draws: ranks [gamboa2022]
// need no groups and err as much for an input that does nothing as for any other: half-width 0.06
// against 0.022. Groups: with 8 the worst index is 0.08 too low, with 16 0.02, with √n = 32 0.004;
// more make idle inputs noisier.
#include "sampling/explain/given.h"

#include "sampling/explain/given_internal.h"

#include <math.h>
#include <stdlib.h>

static int by_input(const void *a, const void *b)
{
    const gmc_given_row *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

void gmc_given_sort(gmc_given_row *rows, int64_t count)
{
    qsort(rows, (size_t)count, sizeof *rows, by_input);
}

double gmc_given_mean(const gmc_given_row *rows, int64_t count)
{
    double above = 0;
    for (int64_t i = 0; i < count; i++)
        above += rows[i].outcome - rows[0].outcome;
    return rows[0].outcome + above / (double)count;
}

int64_t gmc_given_group_end(const gmc_given_row *rows, int64_t count, int64_t groups, int64_t from)
{
    int64_t share = from * groups / count + 1, end = share * count / groups;
    if (end < from + 2) end = (share + 1) * count / groups;
    if (end > count) end = count;
    while (end < count && rows[end].input == rows[end - 1].input)
        end++;
    return end + 2 > count ? count : end;
}

/// How draws are grouped.
typedef struct grouping {
    int64_t count, groups;
    bool is_tapered; ///< the first and the last group are cut in halves towards their ends
} grouping;

/// End of the group that starts at `from`. Towards an end of a tapered row groups are of 4, 4, 8,
/// 16 ... draws.
static int64_t end_of(const gmc_given_row *rows, const grouping *g, int64_t from)
{
    int64_t end = gmc_given_group_end(rows, g->count, g->groups, from), left = g->count - from;
    if (!g->is_tapered) return end;
    if (end == g->count && left >= 8)
        end = from + left / 2;
    else if (2 * from < g->count / g->groups)
        end = from > 0 ? 2 * from : 4;
    while (end < g->count && rows[end].input == rows[end - 1].input)
        end++;
    return end + 2 > g->count ? g->count : end;
}

typedef struct gmc_given_sums {
    double within;       ///< Σ_groups n_g / (n_g - 1) Σ (y − ȳ_group)²
    double squares;      ///< Σ (y − ȳ)²
    double influence[2]; ///< Σ of the influence function, and of its square
    int64_t groups;
    int edge_count;
    double edges[GMC_GIVEN_EDGES]; ///< gmc_given_edge
} gmc_given_sums;

static double group_sum(const gmc_given_row *rows, int64_t from, int64_t end, double mean)
{
    double sum = 0;
    for (int64_t i = from; i < end; i++)
        sum += rows[i].outcome - mean;
    return sum;
}

static void add_within(gmc_given_sums *s, const gmc_given_row *rows, int64_t from, int64_t end,
                       double mean)
{
    double size = (double)(end - from), centre = group_sum(rows, from, end, mean) / size;
    for (int64_t i = from; i < end; i++) {
        double y = rows[i].outcome - mean;
        s->within += (y - centre) * (y - centre) * size / (size - 1);
        s->squares += y * y;
    }
    s->groups++;
    gmc_given_edge(s->edges, s->edge_count, rows, from, end);
}

static void add_influence(gmc_given_sums *s, const gmc_given_row *rows, int64_t from, int64_t end,
                          double mean, double index)
{
    double sum = group_sum(rows, from, end, mean);
    for (int64_t i = from; i < end; i++) {
        double y = rows[i].outcome - mean, others = (sum - y) / (double)(end - from - 1);
        double influence = 2 * y * others - others * others - index * y * y;
        s->influence[0] += influence;
        s->influence[1] += influence * influence;
    }
}

static void add_groups(gmc_given_sums *s, const gmc_given_row *rows, const grouping *g, double mean)
{
    for (int64_t from = 0, end; from < g->count; from = end) {
        end = end_of(rows, g, from);
        add_within(s, rows, from, end, mean);
    }
}

/// What varies within pairs of neighbouring groups, (0, 1), (2, 3) ... or 0, (1, 2), (3, 4) ...
static double within_pairs(const gmc_given_row *rows, const grouping *g, double mean,
                           bool is_first_alone)
{
    gmc_given_sums twice = {0};
    bool is_alone = is_first_alone;
    for (int64_t from = 0, end; from < g->count; from = end) {
        end = end_of(rows, g, from);
        if (!is_alone && end < g->count) end = end_of(rows, g, end);
        is_alone = false;
        add_within(&twice, rows, from, end, mean);
    }
    return twice.within / (double)g->count;
}

/// What varies within groups may be too much: by how much more it is in groups twice as large, the
/// mean of both ways to pair them. An edge at u of a group of size g costs g u (1 - u), and in the
/// pairs g (u² + (1 - u)²)/4 more, never less than half of that, wherever it is; paired in one way
/// alone it is g u²/2, and four to eight edges were held in 0.78 to 0.90 of studies. The tail of a
/// law costs as much as the pairs do, in the last group, which the second way leaves alone. A slope
/// costs three times less than the pairs do.
static double slack_of(const gmc_given_row *rows, const grouping *g, double mean,
                       const gmc_given_sums *s)
{
    double one = within_pairs(rows, g, mean, false);
    double other = within_pairs(rows, g, mean, true);
    double within = s->within / (double)g->count;
    return fmax(fmax(one, 0.5 * (one + other)) - within, 0);
}

gmc_index gmc_given_first(gmc_given_row *rows, int64_t count, double level)
{
    gmc_index found = {.value = NAN, .interval = {0, 1}};
    int64_t rarer = gmc_given_rarer(rows, count);
    if (!gmc_given_is_enough(count, rarer)) return found;
    gmc_given_sort(rows, count);
    int64_t groups = gmc_given_groups(count, rarer, (int64_t)sqrt((double)count));
    double n = (double)count, mean = gmc_given_mean(rows, count);
    int values = gmc_given_values(rows, count);
    // an edge costs in proportion to its group: of half the size an index of 0.5 with one is
    // held in 94 to 97 % of studies, of the whole size in 91 to 95 %
    if (rarer < 0 && values > 0) groups *= 2;
    gmc_given_sums s = {.edge_count = values > 0 ? gmc_given_edges(values) : 0};
    const grouping g = {.count = count, .groups = groups, .is_tapered = rarer < 0 && values == 0};
    add_groups(&s, rows, &g, mean);
    double variance = s.squares / (n - 1), left = n - (double)s.groups;
    if (!(variance > 0)) return found;
    double index = 1 - s.within / n / variance;
    for (int64_t from = 0, end; from < count; from = end) {
        end = end_of(rows, &g, from);
        add_influence(&s, rows, from, end, mean, index);
    }
    double centre = s.influence[0] / n, spread = s.influence[1] / n - centre * centre;
    // the noise of a pair of draws counts in both of them; of many values it may differ from place
    // to place (with it taken off there, an index of Sobol' G was held in 88 %)
    double noise = s.within / n, twice = 2 * noise * noise / fmax(n / (double)s.groups - 1, 1);
    spread = fmax(spread, 0);
    if (rarer > 0) spread = fmax(spread - twice, 0.5 * spread);
    double edges =
        gmc_given_excess(s.edges, s.edge_count, noise * left, s.groups) / left / variance;
    return gmc_given_index(&(gmc_given_known){
        .index = index,
        .error = sqrt(spread / n) / variance,
        .quantile = gmc_proportion_z(level),
        .level = level,
        .n = n,
        .groups = (double)s.groups,
        .rarer = (double)rarer,
        .edges = edges,
        .slack = slack_of(rows, &g, mean, &s) / variance,
    });
}
