// Who is among the best, which pairs are open, and what it would take to close them.
//
// Bounds meet at a mark: L >= mark - within for the best, U <= mark for the others. The mark that
// would cost least is looked for anew in every round; it says at once whether it pays to let the
// few that are best run ahead of the many that are not. Measured on the families of
// test/statistics/race_families.c, 1000 cases of which 10 are wanted, trials in thousands
// (Beta(2,2), Beta(5,1.5), near ties): each open case a quarter more, the best three times ahead of
// the others: 1076, 559, 2715 (cases that change places drive each other up); towards a mark by the
// widths of intervals: 181, 209, 1156; by relative entropy, the best chosen by an estimate in place
// of L, and the most promising first: 125, 96, 615.
#include "engine/math/elementary.h"
#include "sampling/design/race_internal.h"
#include "sampling/estimate/anytime.h"

#include <math.h>
#include <stdlib.h>

/// Steps are at least a sixteenth of what a case has had, and at most as much again: estimates from
/// few draws foretell little.
enum { STEP_LEAST = 16 };

/// What a mixture of bets costs, in log wealth.
static const double MIXTURE = 2;

/// In a round those that are not among the best run this share of the trials so far, or as much as
/// the best do: the most promising first, for one of them may be better than those.
static const double SHARE = 0.25;

// --- what is certain ---

/// Of all apart bounds on one side, or half of that of all claims by betting.
static double quarter(const gmc_race *r) { return (1 - r->plan.level) / r->plan.group_count / 4; }

static double others(const gmc_race *r, int group)
{
    return (double)(r->sizes[group] - r->plan.best);
}

/// Log wealth that closes a pair by betting.
static double paired_goal(const gmc_race *r, int group)
{
    return gmc_log((double)r->plan.best * others(r, group) / (2 * quarter(r)));
}

/// Lower end of Wilson's interval, one standard deviation wide: what is well known stands before
/// what was lucky on few draws, yet what was lucky is soon looked at.
static double score_of(const gmc_race_entry *e)
{
    double n = (double)e->draws, p = (double)e->tally.successes / n;
    return (p + 1 / (2 * n) - sqrt(p * (1 - p) / n + 1 / (4 * n * n))) / (1 + 1 / n);
}

void gmc_race_look(gmc_race *r, int64_t c)
{
    gmc_race_entry *e = &r->entries[c];
    e->tally = gmc_duels_tally(r->duels, c, e->draws);
    int64_t s = e->tally.successes, f = e->tally.failures, u = e->tally.unsolved;
    e->lower = gmc_anytime_lower(s, f + u, quarter(r) / others(r, e->group));
    e->upper = 1 - gmc_anytime_lower(f, s + u, quarter(r) / (double)r->plan.best);
    e->score = score_of(e);
}

static bool is_better(const gmc_race *r, int64_t a, int64_t b)
{
    double x = r->entries[a].score, y = r->entries[b].score;
    return x != y ? x > y : a < b;
}

/// r->best: the best cases of a group, the worst of them first.
static void find_best(gmc_race *r, int group)
{
    int64_t count = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        gmc_race_entry *e = &r->entries[c];
        if (e->group != group) continue;
        e->is_best = e->is_open = false;
        int64_t at = 0;
        if (count < r->plan.best) {
            for (at = count++; at > 0 && is_better(r, r->best[at - 1], c); at--)
                r->best[at] = r->best[at - 1];
        } else if (is_better(r, c, r->best[0])) { // the worst of them goes
            for (; at + 1 < count && is_better(r, c, r->best[at + 1]); at++)
                r->best[at] = r->best[at + 1];
        } else {
            continue;
        }
        r->best[at] = c;
    }
    for (int64_t i = 0; i < count; i++)
        r->entries[r->best[i]].is_best = true;
}

/// Draws that both were asked for; there may be trials of later rounds already.
static uint64_t shared(const gmc_race *r, int64_t a, int64_t b)
{
    uint64_t x = r->entries[a].draws, y = r->entries[b].draws;
    return x < y ? x : y;
}

/// Close the pair, or add to b what it takes to close it by betting.
static bool is_closed(gmc_race *r, int64_t a, int64_t b)
{
    gmc_race_entry *e = &r->entries[b];
    if (e->upper <= r->entries[a].lower + r->plan.within) return true;
    gmc_duels_counts counts = gmc_duels_count(r->duels, a, b, shared(r, a, b));
    double wealth = gmc_duels_log_wealth(counts, r->plan.within), goal = paired_goal(r, e->group);
    if (wealth >= goal) return true;
    // it grows in proportion to the draws, but for what the mixture costs
    double draws = wealth + MIXTURE > 0
                       ? (double)counts.draws * (goal + MIXTURE) / (wealth + MIXTURE)
                       : (double)INFINITY;
    e->paired = fmax(e->paired, draws);
    return false;
}

static bool find_open(gmc_race *r, int group)
{
    bool is_any = false;
    for (int64_t b = 0; b < r->plan.case_count; b++) {
        gmc_race_entry *e = &r->entries[b];
        if (e->is_best || e->group != group) continue;
        e->paired = 0;
        for (int64_t i = 0; i < r->plan.best; i++) {
            if (is_closed(r, r->best[i], b)) continue;
            e->is_open = r->entries[r->best[i]].is_open = is_any = true;
        }
    }
    return is_any;
}

// --- what it takes ---

/// Draws after which a bound stands at `mark`, where the truth is p: the wealth grows by the
/// relative entropy a draw.
static double need_apart(double p, double mark, double goal, bool is_upper)
{
    if (mark >= 1) return is_upper ? 0 : (double)INFINITY;
    if (mark <= 0) return is_upper ? (double)INFINITY : 0;
    if (is_upper ? p >= mark : p <= mark) return (double)INFINITY;
    double entropy = p * gmc_log(p / mark) + (1 - p) * gmc_log((1 - p) / (1 - mark));
    return (goal + MIXTURE) / entropy;
}

/// Between what it has had, a step more if it is not there yet, and as far as can be foretold.
static double clamp_need(const gmc_race_entry *e, double need, bool is_there)
{
    enum { FAR = 16 };
    double n = (double)e->draws, least = is_there ? n : n + ceil(n / STEP_LEAST);
    return fmin(fmax(need, least), FAR * n);
}

static double estimate(const gmc_race_entry *e)
{
    return ((double)e->tally.successes + 0.5) / ((double)e->draws + 1); // never 0 or 1
}

static void want(const gmc_race *r, gmc_race_entry *e, double need)
{
    double n = (double)e->draws;
    if (need <= n) return;
    double draws = fmin(fmax(ceil(need), n + ceil(n / STEP_LEAST)), 2 * n);
    e->wanted = (uint64_t)fmin(draws, (double)r->plan.last);
}

/// Trials that close a group's open pairs at a mark. With `set` its cases want them.
static double cost_at(gmc_race *r, int group, double mark, bool set)
{
    double cost = 0, most = 0;
    double upper_goal = gmc_log((double)r->plan.best / quarter(r));
    double lower_goal = gmc_log(others(r, group) / quarter(r));
    bool is_apart = false;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        gmc_race_entry *e = &r->entries[c];
        if (!e->is_open || e->is_best || e->group != group) continue;
        double apart = need_apart(estimate(e), mark, upper_goal, true);
        double need = clamp_need(e, fmin(apart, e->paired), e->upper <= mark);
        is_apart = is_apart || apart <= e->paired;
        if (apart > e->paired) most = fmax(most, need);
        cost += need - (double)e->draws;
        if (set) want(r, e, need);
    }
    double at = mark - r->plan.within;
    for (int64_t i = 0; i < r->plan.best; i++) {
        gmc_race_entry *e = &r->entries[r->best[i]];
        if (!e->is_open) continue;
        double apart = is_apart ? need_apart(estimate(e), at, lower_goal, false) : 0;
        double need = clamp_need(e, fmax(apart, most), !is_apart || e->lower >= at);
        cost += need - (double)e->draws;
        if (set) want(r, e, need);
    }
    return cost;
}

/// Draws wanted by a group's open cases, at the mark that costs least.
static void want_group(gmc_race *r, int group)
{
    enum { MARKS = 32 };
    double low = 1, high = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const gmc_race_entry *e = &r->entries[c];
        if (!e->is_open || e->group != group) continue;
        if (e->is_best)
            low = fmin(low, e->lower + r->plan.within);
        else
            high = fmax(high, e->upper);
    }
    double mark = high, least = cost_at(r, group, mark, false);
    for (int i = 0; i < MARKS; i++) {
        double at = low + (high - low) * i / MARKS, cost = cost_at(r, group, at, false);
        if (cost < least) mark = at;
        least = fmin(least, cost);
    }
    cost_at(r, group, mark, true);
}

static int compare_claims(const void *a, const void *b)
{
    const gmc_race_claim *x = a, *y = b;
    if (x->upper != y->upper) return x->upper > y->upper ? -1 : 1;
    return (x->case_index > y->case_index) - (x->case_index < y->case_index);
}

/// Of those that are not among the best only the most promising run now.
static void focus(gmc_race *r, int group)
{
    size_t count = 0;
    double used = 0, best = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const gmc_race_entry *e = &r->entries[c];
        if (e->group != group) continue;
        used += (double)e->draws;
        if (e->is_best)
            best += (double)(e->wanted - e->draws);
        else if (e->wanted > e->draws)
            r->claims[count++] = (gmc_race_claim){.upper = e->upper, .case_index = c};
    }
    qsort(r->claims, count, sizeof *r->claims, compare_claims);
    double room = fmax(best, SHARE * used);
    for (size_t i = 0; i < count; i++) {
        gmc_race_entry *e = &r->entries[r->claims[i].case_index];
        if (room <= 0) e->wanted = e->draws;
        room -= (double)(e->wanted - e->draws);
    }
}

bool gmc_race_judge(gmc_race *r, int group)
{
    find_best(r, group);
    if (!find_open(r, group)) return false;
    want_group(r, group);
    focus(r, group);
    return true;
}
