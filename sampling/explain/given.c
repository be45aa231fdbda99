// Tried on Ishigami's function, Sobol' G and a success over 1000 random draws: ranks [gamboa2022]
// need no groups and err as much for an input that does nothing as for any other: half-width 0.06
// against 0.022. Groups: with 8 the worst index is 0.08 too low, with 16 0.02, with √n = 32 0.004;
// more make idle inputs noisier.
#include "sampling/explain/given.h"

#include "engine/base/check.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/effective.h"
#include "sampling/random/beta.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdlib.h>

static double given_mean(const gmc_given_row *rows, int64_t count);

// An outcome of at most so many values has edges: two for each value but one.
enum { GIVEN_FEW = 6, GIVEN_EDGES = 2 * (GIVEN_FEW - 1) };

// What an interval is made of.
typedef struct given_known {
    double index, error;    // S as estimated and its standard error
    double quantile, level; // of Student's or the normal law at this level
    double n, groups;
    double rarer; // draws with the rarer outcome; < 0: the outcome has many values
    double edges; // share of the variance by which the groups that vary most do so more than others
    double slack; // that by which groups twice as large vary more
} given_known;

// ---- groups and intervals -----------------------------------------------------------------------
//
// Tried on a success that a distance decides, failures from 28 % down to 30 of 4096, 1000 to 4096
// draws: the normal interval of groups of √n draws held an index of 0.78 in one of 300 runs, in
// groups of four in 90 %, and none of the ones that are 0 in any where no two failures were
// neighbours. An edge in the middle of a group costs a quarter of the group over the rarer draws:
// of an input that decides everything (index 1) the interval without `edges` held it in a tenth,
// with the edge of one group in a third where there are two.

int64_t gmc_given_rarer(const gmc_given_row *rows, int64_t count)
{
    int64_t same = 0;
    double other = NAN;
    for (int64_t i = 0; i < count; i++) {
        double outcome = rows[i].outcome;
        same += outcome == rows[0].outcome;
        if (outcome == rows[0].outcome || outcome == other) continue;
        if (!isnan(other)) return -1;
        other = outcome;
    }
    return same < count - same ? same : count - same;
}

// Can an index be told, of sorted rows, with `rarer` of gmc_given_rarer?
static bool given_is_enough(int64_t count, int64_t rarer)
{
    return count >= GMC_GIVEN_LEAST && (rarer < 0 || rarer >= GMC_GIVEN_RARE);
}

// How many groups: `smooth` of an outcome of many values.
static int64_t given_groups(int64_t count, int64_t rarer, int64_t smooth)
{
    if (rarer < 0) return smooth;
    double k = (double)rarer, size = fmax(k / 25, fmin(4, k / 10));
    size = floor(fmin(size, (double)count / (double)smooth));
    return (int64_t)((double)count / fmax(size, 2));
}

// Values of the outcome; 0: more than GIVEN_FEW.
static int given_values(const gmc_given_row *rows, int64_t count)
{
    double met[GIVEN_FEW];
    int values = 0;
    for (int64_t i = 0; i < count; i++) {
        int k = 0;
        while (k < values && rows[i].outcome != met[k])
            k++;
        if (k < values) continue;
        if (values == GIVEN_FEW) return 0;
        met[values++] = rows[i].outcome;
    }
    return values;
}

// Groups that may have an edge in them.
static int given_edges(int values) { return 2 * (values - 1); }

// Σ (y − ȳ_group)² of the groups that vary most, of those whose inputs are not all the same.
// @param most  (edges) falling; starts at 0
static void given_edge(double *most, int edges, const gmc_given_row *rows, int64_t from,
                       int64_t end)
{
    if (rows[from].input == rows[end - 1].input) return;
    double mean = given_mean(rows + from, end - from), within = 0;
    for (int64_t i = from; i < end; i++)
        within += (rows[i].outcome - mean) * (rows[i].outcome - mean);
    for (int k = 0; k < edges; k++) { // each moves on what is less
        double less = fmin(within, most[k]);
        most[k] = fmax(most[k], within);
        within = less;
    }
}

// By how much these are above as many of the other groups, of all with `within` together.
static double given_excess(const double *most, int edges, double within, int64_t groups)
{
    double all = 0;
    for (int k = 0; k < edges; k++)
        all += most[k];
    double others = groups > edges ? fmax(within - all, 0) / (double)(groups - edges) : 0;
    return fmax(all - edges * others, 0);
}

static double cut(double x) { return fmin(fmax(x, 0), 1); }

/// Jeffreys' interval of R, at the effective number of pairs.
static gmc_interval of_neighbours(const given_known *k, double share)
{
    double R = cut(k->index * (1 - share) + share), error = k->error * (1 - share);
    // what one pair more or less would be, so that 0 and 1 have an error as well
    double pairs = fmax(0.5 * k->rarer * (k->n / k->groups - 1), 1);
    double near = fmin(fmax(R, 1 / pairs), 1 - 1 / k->rarer);
    double z = gmc_proportion_z(k->level);
    double size = error > 0 ? fmin(near * (1 - near) / (error * error), pairs) : pairs;
    size *= z * z / (k->quantile * k->quantile);
    double x = R * size, y = (1 - R) * size, risk = 0.5 * (1 - k->level);
    return (gmc_interval){.lower = gmc_beta_quantile(x + 0.5, y + 0.5, risk, false).x,
                          .upper = gmc_beta_quantile(x + 0.5, y + 0.5, risk, true).x};
}

static gmc_index given_index(const given_known *k)
{
    double value = cut(k->index), half = k->quantile * k->error;
    gmc_index found = {.value = value, .interval = {cut(value - half), cut(value + half)}};
    if (k->rarer < 0) {
        double most = half + 2 * k->slack;
        found.interval.upper = cut(value + fmax(most, sqrt(half * half + k->edges * k->edges)));
        return found;
    }
    double share = k->rarer / k->n;
    gmc_interval R = of_neighbours(k, share);
    found.interval.lower = fmin(cut((R.lower - share) / (1 - share)), value);
    double above = fmax((R.upper - share) / (1 - share) - value, half);
    // More than two edges, or two beside what other inputs do, are told by groups twice as large:
    // they lose twice as much, as far as chance lets it be seen; so twice that.
    double most = fmax(sqrt(above * above + k->edges * k->edges), above + 2 * k->slack);
    found.interval.upper = cut(value + most);
    return found;
}

// ---- the index of an input ----------------------------------------------------------------------

static int by_input(const void *a, const void *b)
{
    const gmc_given_row *x = a, *y = b;
    if (x->input != y->input) return x->input < y->input ? -1 : 1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

// Rows in order of the input, equal ones of the draw.
static void given_sort(gmc_given_row *rows, int64_t count)
{
    qsort(rows, (size_t)count, sizeof *rows, by_input);
}

// Mean outcome, summed from the first one, so that equal outcomes have no spread, not even of
// rounding.
static double given_mean(const gmc_given_row *rows, int64_t count)
{
    double above = 0;
    for (int64_t i = 0; i < count; i++)
        above += rows[i].outcome - rows[0].outcome;
    return rows[0].outcome + above / (double)count;
}

// End of the group that starts at `from`: the next boundary of `groups` equal shares that splits no
// value and leaves two rows at least on either side.
static int64_t given_group_end(const gmc_given_row *rows, int64_t count, int64_t groups,
                               int64_t from)
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
    int64_t end = given_group_end(rows, g->count, g->groups, from), left = g->count - from;
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
    double edges[GIVEN_EDGES]; ///< given_edge
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
    given_edge(s->edges, s->edge_count, rows, from, end);
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
    if (!given_is_enough(count, rarer)) return found;
    given_sort(rows, count);
    int64_t groups = given_groups(count, rarer, (int64_t)sqrt((double)count));
    double n = (double)count, mean = given_mean(rows, count);
    int values = given_values(rows, count);
    // an edge costs in proportion to its group: of half the size an index of 0.5 with one is
    // held in 94 to 97 % of studies, of the whole size in 91 to 95 %
    if (rarer < 0 && values > 0) groups *= 2;
    gmc_given_sums s = {.edge_count = values > 0 ? given_edges(values) : 0};
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
    double edges = given_excess(s.edges, s.edge_count, noise * left, s.groups) / left / variance;
    return given_index(&(given_known){
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

// ---- of replicas --------------------------------------------------------------------------------
//
// First-order Sobol' indices from draws of a randomised design (Sobol', Latin hypercube), as
// given.h has them of independent draws.
//
// Draws of one randomisation are spread evenly over all inputs at once: means of neighbouring
// draws scatter less than the draws' own spread tells, so that what given.h takes off for it is
// too much. (Sobol' points taken for random ones: an index of 0.01 was held by its interval in
// none of 400 runs of 4096 draws, one of 0.11 in 27 %.) Draws of different randomisations are
// independent, so pairs of these within a group tell the mean square of the conditional mean
// without bias:
//
//   S = B / V,   B = Σ_groups n_g / n · Σ y y' / pairs,   V = Σ y² / n      y from their mean,
//
// the inner sum over the pairs of a group whose draws are of different randomisations; n draws in
// groups of 16 (√n groups below 256 draws), of an outcome of two values as in given.h.
//
// Interval: as in given.h, with the standard error of a jackknife [efron1981] over the
// randomisations and Student's t.
// Leaving a randomisation out changes sums of its own alone, so all of the jackknife is one pass.

/// Draws of a group, of an outcome of many values, where there are many: with √n groups what varies
/// within them, where an input acts as a step, was more than the interval of 4096 Sobol' points
/// (coverage 0.46); with 8 draws intervals are a quarter longer.
static const double GROUP = 16;

/// Of some draws: those of one randomisation, or of all.
typedef struct replica_sums {
    double count, sum, square; ///< of outcomes from the mean of all
} replica_sums;

typedef struct replica_work {
    int replica_count;
    replica_sums all, of[GMC_REPLICAS_MOST]; ///< all draws; those of each randomisation
    double without[GMC_REPLICAS_MOST]; ///< Σ_groups n_g · mean over pairs, without each of them
    double with_all;
    int64_t groups;
    int edge_count;
    double edges[GIVEN_EDGES]; ///< given_edge
} replica_work;

static void add_outcome(replica_sums *s, double y)
{
    s->count++;
    s->sum += y;
    s->square += y * y;
}

/// n_g times the mean over pairs of different randomisations, of a group from which `out` is taken.
/// @param same_sums, same_counts  Σ of squares of the replica_sums of each randomisation, of
///                   squares of their counts
static double weighted_mean(const replica_sums *group, const replica_sums *out, double same_sums,
                            double same_counts)
{
    double sum = group->sum - out->sum, count = group->count - out->count;
    double products = sum * sum - (same_sums - out->sum * out->sum);
    double pairs = count * count - (same_counts - out->count * out->count);
    return pairs > 0 ? count * products / pairs : 0;
}

static void add_replica_group(replica_work *w, const gmc_given_row *rows, int64_t from, int64_t end,
                              double mean)
{
    static const replica_sums nothing = {0};
    replica_sums group = {0}, of[GMC_REPLICAS_MOST] = {0};
    double same_sums = 0, same_counts = 0;
    for (int64_t i = from; i < end; i++) {
        int replica = (int)(rows[i].draw % w->replica_count);
        double y = rows[i].outcome - mean;
        add_outcome(&group, y);
        add_outcome(&of[replica], y);
        add_outcome(&w->all, y);
        add_outcome(&w->of[replica], y);
    }
    for (int r = 0; r < w->replica_count; r++) {
        same_sums += of[r].sum * of[r].sum;
        same_counts += of[r].count * of[r].count;
    }
    w->with_all += weighted_mean(&group, &nothing, same_sums, same_counts);
    for (int r = 0; r < w->replica_count; r++)
        w->without[r] += weighted_mean(&group, &of[r], same_sums, same_counts);
    w->groups++;
    given_edge(w->edges, w->edge_count, rows, from, end);
}

/// S of the draws of all but `out`.
static double index_of(const replica_sums *all, const replica_sums *out, double between)
{
    double n = all->count - out->count, mean = (all->sum - out->sum) / n;
    double variance = (all->square - out->square) / n - mean * mean;
    return variance > 0 ? (between / n - mean * mean) / variance : (double)NAN;
}

/// Standard error of the index, by leaving each randomisation out; NaN: nothing can be said.
static double replica_error_of(const replica_work *w, double index, double *kept)
{
    double sum = 0, square = 0;
    *kept = 0;
    for (int r = 0; r < w->replica_count; r++) {
        if (w->of[r].count == 0) continue;
        double left = index_of(&w->all, &w->of[r], w->without[r]) - index;
        if (isnan(left)) return NAN; // one randomisation alone varies
        ++*kept;
        sum += left;
        square += left * left;
    }
    if (*kept < 2) return NAN;
    return sqrt(fmax(square - sum * sum / *kept, 0) * (*kept - 1) / *kept);
}

/// By how much an index in groups twice as large is less. An outcome of two values needs none: the
/// draws of a design fill each group evenly.
static double replica_slack_of(const gmc_given_row *rows, int64_t count, int64_t groups,
                               double mean, double index, int replica_count)
{
    static const replica_sums nothing = {0};
    replica_work twice = {.replica_count = replica_count};
    for (int64_t from = 0, end; from < count; from = end) {
        end = given_group_end(rows, count, groups > 3 ? groups / 2 : 1, from);
        add_replica_group(&twice, rows, from, end, mean);
    }
    return fmax(index - index_of(&twice.all, &nothing, twice.with_all), 0);
}

gmc_index gmc_given_replicas_first(gmc_given_row *rows, int64_t count, int replica_count,
                                   double level)
{
    static const replica_sums nothing = {0};
    GMC_ASSERT(replica_count >= 2 && replica_count <= GMC_REPLICAS_MOST);
    gmc_index found = {.value = NAN, .interval = {0, 1}};
    int64_t rarer = gmc_given_rarer(rows, count);
    if (!given_is_enough(count, rarer)) return found;
    given_sort(rows, count);
    double n = (double)count, mean = given_mean(rows, count), kept;
    int64_t groups = given_groups(count, rarer, (int64_t)fmax(sqrt(n), n / GROUP));
    int values = given_values(rows, count);
    replica_work w = {.replica_count = replica_count,
                      .edge_count = values > 0 ? given_edges(values) : 0};
    for (int64_t from = 0, end; from < count; from = end) {
        end = given_group_end(rows, count, groups, from);
        add_replica_group(&w, rows, from, end, mean);
    }
    if (!(w.all.square > 0)) return found;
    double index = index_of(&w.all, &nothing, w.with_all),
           error = replica_error_of(&w, index, &kept);
    if (isnan(error)) return found;
    double left = fmax(n - (double)w.groups, 1), variance = w.all.square / n;
    return given_index(&(given_known){
        .index = index,
        .error = error,
        .quantile = gmc_student_quantile(kept - 1, 0.5 * (1 - level)),
        .level = level,
        .n = n,
        .groups = (double)w.groups,
        .rarer = (double)rarer,
        .edges = given_excess(w.edges, w.edge_count, (1 - index) * variance * left, w.groups) /
                 left / variance,
        .slack = rarer < 0 ? replica_slack_of(rows, count, groups, mean, index, replica_count) : 0,
    });
}

// ---- with a surrogate ---------------------------------------------------------------------------
//
// First-order indices of success as given.h has them, from the same draws and a function m of a
// draw's inputs (surrogate.h) that explains a part of the outcome. With h(x) the mean of m where
// the input has this value, and r = y − m of draws that m was not fitted to:
//
//   E[E(y|x)²] = E[h²] + 2 E[h r] + E[E(r|x)²],   p = E[m] + E[r],
//   S = (E[E(y|x)²] − p²)/(p (1 − p))
//
// which is so whatever m is worth. E[h²] and E[m] are of fresh draws, whose inputs alone are
// looked at: as many as one likes. h is their mean in narrow bins, one for each trial; its square
// that of pairs of a bin. E(r|x) is what given.h estimates, of r in place of y, in the same
// groups: what varies within them is of r, so that groups blur only the part that m leaves.
//
// Interval: from the spread of the influence function of S
//
//   ( 2 (h − p) r + 2 r ρ − ρ² − S (1 − 2p) r ) / (p (1 − p))     ρ: mean of the group's other r
//
// with Student's t at the degrees of freedom of that spread (few draws may carry most of it) and
// the fresh draws' own chance added. R = q + S (1 − q) is a share as in given.h: its ends are
// those of effective.h, with one draw more of the rarer outcome allowed for. The upper end
// is farther by what may be blurred: what the two groups and the two bins that vary most do more
// than others, and groups twice as large more than these. Where that is more than what chance does
// nothing is told. (Added in the mean square, without that limit, an index of 1 was held in 78 %
// of 40 studies of 4096 draws where the function rises steeply at the edge.)

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
    given_sort(rows, count);
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

/// As given_excess has it, of m in the bins.
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
    return given_excess(most, EDGES, within, bins->count);
}

// ---- what the trials are missed by ------------------------------------------------------------

typedef struct residual_work {
    const gmc_given_row *rows; ///< outcome: r
    int64_t count, groups;     ///< groups: as many as are asked for, then as there are
    const gmc_given_bins *bins;
    known m;
    double r, square, within, beside; ///< Σ r, r², (r − r̄_group)², h r
    double most[GIVEN_EDGES];         ///< given_edge
    double p, variance, index;
} residual_work;

static void add_residual_group(residual_work *w, int64_t from, int64_t end)
{
    double centre = given_mean(w->rows + from, end - from);
    for (int64_t i = from; i < end; i++) {
        double r = w->rows[i].outcome;
        w->r += r;
        w->square += r * r;
        w->within += (r - centre) * (r - centre);
        w->beside += h_of(w->bins, &w->m, w->rows[i].input) * r;
    }
    given_edge(w->most, given_edges(2), w->rows, from, end);
}

static void add_residual_groups(residual_work *w)
{
    int64_t groups = 0;
    for (int64_t from = 0, end; from < w->count; from = end, groups++) {
        end = given_group_end(w->rows, w->count, w->groups, from);
        add_residual_group(w, from, end);
    }
    w->groups = groups;
}

/// Squares and fourth powers of the influence function, from its mean.
typedef struct spread {
    double square, fourth;
} spread;

static double influence_of(const residual_work *w, int64_t i, double group_sum, double group_size)
{
    double r = w->rows[i].outcome, others = (group_sum - r) / (group_size - 1);
    double h = h_of(w->bins, &w->m, w->rows[i].input);
    return (2 * (h - w->p) - w->index * (1 - 2 * w->p)) * r + 2 * r * others - others * others;
}

static spread spread_of(const residual_work *w, int64_t groups, double *influence)
{
    double mean = 0;
    for (int64_t from = 0, end; from < w->count; from = end) {
        end = given_group_end(w->rows, w->count, groups, from);
        double size = (double)(end - from), sum = given_mean(w->rows + from, end - from) * size;
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
static gmc_interval ends_of(const residual_work *w, double error, double factor, double edges,
                            double share, double level)
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
static double residual_slack_of(const residual_work *w)
{
    residual_work twice = {.rows = w->rows,
                           .count = w->count,
                           .groups = w->groups > 3 ? w->groups / 2 : 1,
                           .bins = w->bins,
                           .m = w->m};
    add_residual_groups(&twice);
    double n = (double)w->count;
    return fmax(twice.within / (n - (double)twice.groups) - w->within / (n - (double)w->groups), 0);
}

static gmc_interval interval_of(const residual_work *w, const spread *of, double share,
                                double level)
{
    double n = (double)w->count, left = n - (double)w->groups, mean = of->square / n;
    double freedom = of->fourth > 0 ? fmax(of->square * of->square / of->fourth - 1, 1) : n - 1;
    // the noise of a pair of draws counts in both of them, as for plain
    // draws above
    double twice = 2 * w->within * w->within / (left * left) / fmax(n / (double)w->groups - 1, 1);
    double own = fmax(mean - twice, 0.5 * mean) / n;
    double error = sqrt(own + chance_of(w->bins, &w->m, w->p, w->index)) / w->variance;
    double edges = given_excess(w->most, given_edges(2), w->within, w->groups) / left +
                   edges_of(w->bins) / w->m.number + residual_slack_of(w);
    double factor = gmc_student_quantile(freedom, 0.5 * (1 - level)) / gmc_proportion_z(level);
    return ends_of(w, error, factor, edges / w->variance, share, level);
}

gmc_status gmc_given_surrogate_first(gmc_given_row *rows, int64_t count, const gmc_given_bins *bins,
                                     int64_t rarer, double level, gmc_index *index)
{
    *index = (gmc_index){.value = (double)NAN, .interval = {0, 1}};
    if (rarer < 0 || !given_is_enough(count, rarer)) return GMC_OK;
    given_sort(rows, count);
    double n = (double)count, share = (double)rarer / n;
    int64_t groups = given_groups(count, rarer, (int64_t)sqrt(n));
    residual_work w = {
        .rows = rows, .count = count, .groups = groups, .bins = bins, .m = know(bins)};
    add_residual_groups(&w);
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
