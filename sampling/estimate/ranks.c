// Plain Bonferroni: step-down procedures (Holm's, and those of [mogstad2024] by resampling) gain
// little where most pairs are clear anyway, and the resampling ones need a chance of their own.
#include "sampling/estimate/ranks.h"

#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/rising.h"
#include "sampling/estimate/tally.h"
#include "sampling/random/beta.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// ==== duels ====

// Cases that met the same draws, two at a time. Which of two is better is decided by the draws on
// which they differ: under common random numbers these are few, and a difference is known far
// sooner than two separate intervals tell it.
//
//   D = X_a − X_b in {−1, 0, 1} on one draw        E D = p_a − p_b
//
// - Looked at once, at a number of draws fixed beforehand: the exact sign test on the discordant
//   draws [mcnemar1947]; under p_a <= p_b the number of those that speak for a is at most
//   binomial(discordant, 1/2).
// - Looked at any number of times: the wealth of one who bets on D + margin [waudbysmith2024],
//     W = mean over bets λ of  Π (1 + λ (D_i + margin)),    0 < λ < 1/(1 − margin)
//   is a supermartingale if E D <= −margin, hence reaches 1/α with a probability of at most α,
//   whenever it is looked at [ville1939]. It depends on three counts alone, so it matters neither
//   how many draws each case has had nor why: they share the draws that both have had.
//
// Cases with chance of their own (`independent`) are paired by the number of their draw: all of
// this holds for them too.
//
// An unsolved trial of a counts as its failure and one of b as its success: what is claimed for a
// holds whatever they would have been.
// Bits rather than verdicts: a pair is then counted 64 draws at a time, and the thousand cases of a
// ranking are compared with its best in a fraction of the time of a trial.

/// Bits of one case, 64 draws a word.
typedef struct row {
    uint64_t *seen, *won, *open; ///< open: unsolved. One block, at `seen`
    size_t words;
} row;

struct gmc_duels {
    int64_t case_count;
    row *rows;
};

gmc_status gmc_duels_create(int64_t case_count, gmc_duels **made)
{
    GMC_ASSERT(case_count >= 1);
    *made = calloc(1, sizeof **made);
    if (!*made) return GMC_E_MEMORY;
    (*made)->case_count = case_count;
    (*made)->rows = calloc((size_t)case_count, sizeof *(*made)->rows);
    return (*made)->rows ? GMC_OK : GMC_E_MEMORY;
}

void gmc_duels_free(gmc_duels *p)
{
    if (!p) return;
    for (int64_t c = 0; c < p->case_count && p->rows; c++)
        free(p->rows[c].seen);
    free(p->rows);
    free(p);
}

static gmc_status grow(row *r, size_t words)
{
    size_t room = r->words + r->words / 2 > words ? r->words + r->words / 2 : words;
    uint64_t *bits = calloc(3 * room, sizeof *bits);
    if (!bits) return GMC_E_MEMORY;
    for (size_t i = 0; i < r->words; i++) {
        bits[i] = r->seen[i];
        bits[room + i] = r->won[i];
        bits[2 * room + i] = r->open[i];
    }
    free(r->seen);
    *r = (row){.seen = bits, .won = bits + room, .open = bits + 2 * room, .words = room};
    return GMC_OK;
}

gmc_status gmc_duels_add(gmc_duels *p, int64_t c, uint64_t draw, gmc_verdict verdict)
{
    row *r = &p->rows[c];
    size_t word = (size_t)(draw / 64);
    uint64_t bit = UINT64_C(1) << draw % 64;
    if (word >= r->words) GMC_TRY(grow(r, word + 1));
    r->seen[word] |= bit;
    if (verdict == GMC_VERDICT_SUCCESS) r->won[word] |= bit;
    if (verdict == GMC_VERDICT_UNSOLVED) r->open[word] |= bit;
    return GMC_OK;
}

bool gmc_duels_has(const gmc_duels *p, int64_t c, uint64_t draw)
{
    const row *r = &p->rows[c];
    size_t word = (size_t)(draw / 64);
    return word < r->words && (r->seen[word] >> draw % 64 & 1);
}

/// Bits that are set.
static int64_t count(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/// Of the `i`-th word the draws below `end`.
static uint64_t mask(size_t i, uint64_t end)
{
    uint64_t from = (uint64_t)i * 64;
    if (end <= from) return 0;
    return end - from >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (end - from)) - 1;
}

gmc_tally gmc_duels_tally(const gmc_duels *p, int64_t c, uint64_t end)
{
    const row *r = &p->rows[c];
    gmc_tally tally = {0};
    int64_t seen = 0;
    for (size_t i = 0; i < r->words && (uint64_t)i * 64 < end; i++) {
        seen += count(r->seen[i] & mask(i, end));
        tally.successes += count(r->won[i] & mask(i, end));
        tally.unsolved += count(r->open[i] & mask(i, end));
    }
    tally.failures = seen - tally.successes - tally.unsolved;
    return tally;
}

gmc_duels_counts gmc_duels_count(const gmc_duels *p, int64_t first, int64_t second, uint64_t end)
{
    const row *a = &p->rows[first], *b = &p->rows[second];
    size_t words = a->words < b->words ? a->words : b->words;
    gmc_duels_counts counts = {0};
    for (size_t i = 0; i < words && (uint64_t)i * 64 < end; i++) {
        uint64_t both = a->seen[i] & b->seen[i] & mask(i, end), may = b->won[i] | b->open[i];
        counts.draws += count(both);
        counts.first += count(both & a->won[i] & ~may);
        counts.second += count(both & ~a->won[i] & may);
    }
    return counts;
}

double gmc_duels_log_wealth(gmc_duels_counts counts, double margin)
{
    // The bet that grows fastest is about (E D + margin) / E (D + margin)²: from the margin, where
    // all draws are discordant and nothing is between the two, to nearly all that may be bet. Steps
    // of a factor 2 lose a tenth of the growth at most between two of them.
    enum { BETS_MAX = 16 };
    static const double LEAST = 1e-3; // with no margin: differences of 0.1 % need a million draws
    double first = (double)counts.first, second = (double)counts.second;
    double none = (double)counts.draws - first - second;
    double logs[BETS_MAX], most = -(double)INFINITY;
    int bets = 0;
    for (double bet = 0.9; bets < BETS_MAX && bet >= fmax(margin, LEAST); bet *= 0.5) {
        double log_wealth = first * gmc_log1p(bet * (1 + margin)) +
                            second * gmc_log1p(-bet * (1 - margin)) +
                            none * gmc_log1p(bet * margin);
        logs[bets++] = log_wealth;
        most = fmax(most, log_wealth);
    }
    if (bets == 0) return 0; // a margin of nearly 1: nothing is bet
    double sum = 0;
    for (int i = 0; i < bets; i++)
        sum += gmc_exp(logs[i] - most);
    return most + gmc_log(sum / bets);
}

double gmc_duels_sign(gmc_duels_counts counts)
{
    if (counts.first == 0) return 1;
    gmc_beta_point half = {.x = 0.5, .y = 0.5};
    return gmc_beta_at((double)counts.first, (double)counts.second + 1, half).lower;
}

// ==== ranks ====

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
