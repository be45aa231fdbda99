// Plain Bonferroni: step-down procedures (Holm's, and those of [mogstad2024] by resampling) gain
// little where most pairs are clear anyway, and the resampling ones need a chance of their own.
#include "sampling/estimate/ranks.h"

#include "engine/math/elementary.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/rising.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdlib.h>

typedef struct comparing {
    const gmc_duels *duels;
    const gmc_ranks_of *of;
    gmc_interval *ends; ///< (count) simultaneous
    double pair_error;  ///< of one ordered pair
    double t_least;     ///< of randomised designs
    bool has_pairs;
} comparing;

/// Errors of the claims.
typedef struct errors {
    double lower, upper; ///< of one end of a case
    double pair;         ///< of one ordered pair
} errors;

/// Both ends of a case; unsolved trials widen them.
static gmc_interval ends_of(const comparing *c, gmc_tally tally, errors e)
{
    int64_t s = tally.successes, f = tally.failures, u = tally.unsolved, n = s + f + u;
    if (n == 0) return (gmc_interval){.lower = 0, .upper = 1};
    if (c->of->is_anytime)
        return (gmc_interval){.lower = gmc_anytime_lower(s, f + u, e.lower),
                              .upper = 1 - gmc_anytime_lower(f, s + u, e.upper)};
    return (gmc_interval){.lower = gmc_proportion_clopper_pearson(s, n, 1 - 2 * e.lower).lower,
                          .upper = gmc_proportion_clopper_pearson(s + u, n, 1 - 2 * e.upper).upper};
}

static bool are_apart(const comparing *c, int64_t a, int64_t b)
{
    return c->ends[a].lower > c->ends[b].upper;
}

/// Paired t over randomisations.
static bool is_better_by_t(const comparing *c, int64_t a, int64_t b)
{
    int count = c->of->replica_count;
    const gmc_tally *x = c->of->replicas + c->of->cases[a] * count;
    const gmc_tally *y = c->of->replicas + c->of->cases[b] * count;
    double sum = 0, squares = 0;
    for (int r = 0; r < count; r++) {
        int64_t n = gmc_tally_trials(x[r]), m = gmc_tally_trials(y[r]);
        if (n == 0 || m == 0) return false;
        double d = (double)x[r].successes / (double)n -
                   (double)(y[r].successes + y[r].unsolved) / (double)m;
        sum += d;
        squares += d * d;
    }
    double mean = sum / count, variance = (squares - sum * mean) / (count - 1);
    // of sums that cancel: rounding
    if (variance <= 1e-14) return are_apart(c, a, b);
    return mean > c->t_least * sqrt(variance / count);
}

static bool is_better(const comparing *c, int64_t a, int64_t b)
{
    if (c->of->replica_count > 0) return is_better_by_t(c, a, b);
    if (are_apart(c, a, b)) return true;
    gmc_duels_counts counts =
        gmc_duels_count(c->duels, c->of->cases[a], c->of->cases[b], GMC_DUELS_ALL);
    if (counts.first <= counts.second) return false;
    return c->of->is_anytime ? gmc_duels_log_wealth(counts, 0) >= -gmc_log(c->pair_error)
                             : gmc_duels_sign(counts) <= c->pair_error;
}

static void compare_pairs(const comparing *c, gmc_ranks_set *sets)
{
    for (int64_t a = 0; a < c->of->count; a++) {
        for (int64_t b = 0; b < c->of->count; b++) {
            if (a == b || !is_better(c, a, b)) continue;
            sets[a].upper--;
            sets[b].lower++;
        }
    }
}

/// Ends of all cases in order: `uppers`, and behind them minus the lower ones; free() it.
static double *sort_ends(const comparing *c)
{
    size_t count = (size_t)c->of->count;
    double *uppers = malloc(2 * count * sizeof *uppers);
    if (!uppers) return NULL;
    double *below = uppers + count;
    for (size_t i = 0; i < count; i++) {
        uppers[i] = c->ends[i].upper;
        below[i] = -c->ends[i].lower;
    }
    gmc_rising_sort(uppers, c->of->count);
    gmc_rising_sort(below, c->of->count);
    return uppers;
}

/// The same by intervals alone, for many cases.
static gmc_status compare_ends(const comparing *c, gmc_ranks_set *sets)
{
    int64_t count = c->of->count;
    double *uppers = sort_ends(c);
    if (!uppers) return GMC_E_MEMORY;
    const double *below = uppers + count;
    for (int64_t i = 0; i < count; i++) {
        sets[i].upper -= gmc_rising_below(uppers, count, c->ends[i].lower);
        sets[i].lower += gmc_rising_below(below, count, -c->ends[i].upper);
    }
    free(uppers);
    return GMC_OK;
}

/// Which cases have fewer than `best` whose interval lies above theirs?
static gmc_status best_by_ends(const comparing *c, int64_t best, bool *may)
{
    double *uppers = sort_ends(c);
    if (!uppers) return GMC_E_MEMORY;
    for (int64_t i = 0; i < c->of->count; i++)
        may[i] = gmc_rising_below(uppers + c->of->count, c->of->count, -c->ends[i].upper) < best;
    free(uppers);
    return GMC_OK;
}

/// Ends that were computed for these counts.
typedef struct known {
    gmc_tally tally;
    gmc_interval ends;
    bool is_used;
} known;

static gmc_status start(const gmc_duels *duels, const gmc_ranks_of *of, errors e, comparing *c)
{
    *c = (comparing){.duels = duels, .of = of, .has_pairs = of->count <= GMC_RANKS_PAIRS_MAX};
    // half of it for what is never asked would be wasted
    double share = c->has_pairs ? 0.5 * (1 - of->level) : 1 - of->level;
    e = (errors){.lower = share * e.lower, .upper = share * e.upper, .pair = share * e.pair};
    c->pair_error = e.pair;
    if (of->replica_count > 0) c->t_least = gmc_student_quantile(of->replica_count - 1, e.pair);
    c->ends = malloc((size_t)of->count * sizeof *c->ends);
    if (!c->ends) return GMC_E_MEMORY;
    // many cases have few different counts: what was found for the same is found again
    enum { KEPT = 4096 };
    known *kept = calloc(KEPT, sizeof *kept);
    for (int64_t i = 0; i < of->count; i++) {
        gmc_tally tally = gmc_duels_tally(duels, of->cases[i], GMC_DUELS_ALL);
        uint64_t hash = (uint64_t)tally.successes * 31 + (uint64_t)tally.failures * 1009 +
                        (uint64_t)tally.unsolved * 65537;
        known *k = kept ? &kept[hash % KEPT] : NULL;
        bool is_known = k && k->is_used && k->tally.successes == tally.successes &&
                        k->tally.failures == tally.failures && k->tally.unsolved == tally.unsolved;
        c->ends[i] = is_known ? k->ends : ends_of(c, tally, e);
        if (k) *k = (known){.tally = tally, .ends = c->ends[i], .is_used = true};
    }
    free(kept);
    return GMC_OK;
}

gmc_status gmc_ranks_find(const gmc_duels *duels, const gmc_ranks_of *of, gmc_ranks_set *sets)
{
    double count = (double)of->count, pairs = fmax(count * (count - 1), 1);
    comparing c;
    GMC_TRY(start(duels, of, (errors){1 / (2 * count), 1 / (2 * count), 1 / pairs}, &c));
    for (int64_t i = 0; i < of->count; i++)
        sets[i] = (gmc_ranks_set){.lower = 1, .upper = of->count};
    gmc_status status = GMC_OK;
    if (c.has_pairs)
        compare_pairs(&c, sets);
    else
        status = compare_ends(&c, sets);
    free(c.ends);
    return status;
}

gmc_status gmc_ranks_best(const gmc_duels *duels, const gmc_ranks_of *of, int64_t best, bool *may)
{
    double inside = (double)best, outside = (double)(of->count - best);
    comparing c;
    // half of the share of ends for either side
    errors e = {1 / (2 * outside), 1 / (2 * inside), 1 / (inside * outside)};
    GMC_TRY(start(duels, of, e, &c));
    gmc_status status = c.has_pairs ? GMC_OK : best_by_ends(&c, best, may);
    for (int64_t a = 0; c.has_pairs && a < of->count; a++) {
        int64_t better = 0;
        for (int64_t b = 0; b < of->count && better < best; b++)
            better += a != b && is_better(&c, b, a);
        may[a] = better < best;
    }
    free(c.ends);
    return status;
}
