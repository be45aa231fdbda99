// Verdicts are three bits a trial, in the table of ranks.h; everything else follows from them and
// from the number of draws that each case was asked for.
//
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
#include "sampling/design/ranking.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/anytime.h"

#include <math.h>
#include <stdlib.h>

/// A case.
typedef struct race_entry {
    uint64_t draws, wanted; ///< asked for so far; to have been asked for after the next round
    uint64_t decided;       ///< asked for before the open round
    gmc_tally tally;
    double lower, upper; ///< L and U
    double score;        ///< by which the best are chosen
    double paired;       ///< draws that its open pairs take to be closed by betting
    int group, round;    ///< round: the last in which it runs
    int decided_round;   ///< the last before the open one
    bool is_best, is_open;
} race_entry;

/// A case that wants draws, and how far up it may be.
typedef struct race_claim {
    double upper;
    int64_t case_index;
} race_claim;

struct gmc_ranking {
    gmc_ranking_plan plan;
    gmc_duels *duels;
    race_entry *entries;      ///< (case_count)
    race_claim *claims;       ///< (case_count) scratch of the rule
    int64_t *best;            ///< (best) of the group that is looked at, worst first
    int64_t *sizes;           ///< (group_count) cases of each
    uint64_t *trials;         ///< of the open round
    uint64_t capacity, count; ///< count: 0 if none is open
    uint64_t used;
    int round; ///< the open one; -1: none yet
    gmc_ranking_end end;
};

/// Steps are at least a sixteenth of what a case has had, and at most as much again: estimates from
/// few draws foretell little.
enum { STEP_LEAST = 16 };

/// What a mixture of bets costs, in log wealth.
static const double MIXTURE = 2;

/// In a round those that are not among the best run this share of the trials so far, or as much as
/// the best do: the most promising first, for one of them may be better than those.
static const double SHARE = 0.25;

/// cases * last; 0: more than GMC_RANKING_TRIALS_MAX.
static uint64_t race_total(const gmc_ranking_plan *plan)
{
    double total = (double)plan->case_count * (double)plan->last;
    return total > GMC_RANKING_TRIALS_MAX ? 0 : (uint64_t)plan->case_count * plan->last;
}

gmc_status gmc_ranking_create(const gmc_ranking_plan *plan, gmc_ranking **made)
{
    *made = NULL;
    GMC_ASSERT(plan->best >= 1 && plan->within > 0 && plan->within < 1);
    GMC_ASSERT(plan->first >= 1 && plan->first <= plan->last && plan->group_count >= 1);
    if (race_total(plan) == 0) return GMC_E_LIMIT;
    gmc_ranking *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->plan = *plan;
    r->round = -1;
    r->end = GMC_RANKING_OPEN;
    r->entries = calloc((size_t)plan->case_count, sizeof *r->entries);
    r->best = calloc((size_t)plan->best, sizeof *r->best);
    r->claims = calloc((size_t)plan->case_count, sizeof *r->claims);
    r->sizes = calloc((size_t)plan->group_count, sizeof *r->sizes);
    gmc_status status = gmc_duels_create(plan->case_count, &r->duels);
    if (status != GMC_OK || !r->entries || !r->claims || !r->best || !r->sizes) {
        gmc_ranking_free(r);
        return GMC_E_MEMORY;
    }
    for (int64_t c = 0; c < plan->case_count; c++) {
        r->entries[c].group = plan->groups ? plan->groups[c] : 0;
        r->sizes[r->entries[c].group]++;
    }
    *made = r;
    return GMC_OK;
}

void gmc_ranking_free(gmc_ranking *r)
{
    if (!r) return;
    gmc_duels_free(r->duels);
    free(r->entries);
    free(r->claims);
    free(r->best);
    free(r->sizes);
    free(r->trials);
    free(r);
}

gmc_status gmc_ranking_put(gmc_ranking *r, uint64_t trial, gmc_verdict verdict)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return gmc_duels_add(r->duels, (int64_t)(trial % cases), trial / cases, verdict);
}

bool gmc_ranking_has(const gmc_ranking *r, uint64_t trial)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return gmc_duels_has(r->duels, (int64_t)(trial % cases), trial / cases);
}

bool gmc_ranking_asks(const gmc_ranking *r, uint64_t trial)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return trial / cases < r->entries[trial % cases].draws;
}

// --- what is certain ---

/// Of all apart bounds on one side, or half of that of all claims by betting.
static double quarter(const gmc_ranking *r)
{
    return (1 - r->plan.level) / r->plan.group_count / 4;
}

static double others(const gmc_ranking *r, int group)
{
    return (double)(r->sizes[group] - r->plan.best);
}

/// Log wealth that closes a pair by betting.
static double paired_goal(const gmc_ranking *r, int group)
{
    return gmc_log((double)r->plan.best * others(r, group) / (2 * quarter(r)));
}

/// Lower end of Wilson's interval, one standard deviation wide: what is well known stands before
/// what was lucky on few draws, yet what was lucky is soon looked at.
static double score_of(const race_entry *e)
{
    double n = (double)e->draws, p = (double)e->tally.successes / n;
    return (p + 1 / (2 * n) - sqrt(p * (1 - p) / n + 1 / (4 * n * n))) / (1 + 1 / n);
}

/// Bounds and score of a case that ran in the open round.
static void race_look(gmc_ranking *r, int64_t c)
{
    race_entry *e = &r->entries[c];
    e->tally = gmc_duels_tally(r->duels, c, e->draws);
    int64_t s = e->tally.successes, f = e->tally.failures, u = e->tally.unsolved;
    e->lower = gmc_anytime_lower(s, f + u, quarter(r) / others(r, e->group));
    e->upper = 1 - gmc_anytime_lower(f, s + u, quarter(r) / (double)r->plan.best);
    e->score = score_of(e);
}

static bool is_better(const gmc_ranking *r, int64_t a, int64_t b)
{
    double x = r->entries[a].score, y = r->entries[b].score;
    return x != y ? x > y : a < b;
}

/// r->best: the best cases of a group, the worst of them first.
static void find_best(gmc_ranking *r, int group)
{
    int64_t count = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        race_entry *e = &r->entries[c];
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
static uint64_t shared(const gmc_ranking *r, int64_t a, int64_t b)
{
    uint64_t x = r->entries[a].draws, y = r->entries[b].draws;
    return x < y ? x : y;
}

/// Close the pair, or add to b what it takes to close it by betting.
static bool is_closed(gmc_ranking *r, int64_t a, int64_t b)
{
    race_entry *e = &r->entries[b];
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

static bool find_open(gmc_ranking *r, int group)
{
    bool is_any = false;
    for (int64_t b = 0; b < r->plan.case_count; b++) {
        race_entry *e = &r->entries[b];
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
static double clamp_need(const race_entry *e, double need, bool is_there)
{
    enum { FAR = 16 };
    double n = (double)e->draws, least = is_there ? n : n + ceil(n / STEP_LEAST);
    return fmin(fmax(need, least), FAR * n);
}

static double race_estimate(const race_entry *e)
{
    return ((double)e->tally.successes + 0.5) / ((double)e->draws + 1); // never 0 or 1
}

static void race_want(const gmc_ranking *r, race_entry *e, double need)
{
    double n = (double)e->draws;
    if (need <= n) return;
    double draws = fmin(fmax(ceil(need), n + ceil(n / STEP_LEAST)), 2 * n);
    e->wanted = (uint64_t)fmin(draws, (double)r->plan.last);
}

/// Trials that close a group's open pairs at a mark. With `set` its cases want them.
static double cost_at(gmc_ranking *r, int group, double mark, bool set)
{
    double cost = 0, most = 0;
    double upper_goal = gmc_log((double)r->plan.best / quarter(r));
    double lower_goal = gmc_log(others(r, group) / quarter(r));
    bool is_apart = false;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        race_entry *e = &r->entries[c];
        if (!e->is_open || e->is_best || e->group != group) continue;
        double apart = need_apart(race_estimate(e), mark, upper_goal, true);
        double need = clamp_need(e, fmin(apart, e->paired), e->upper <= mark);
        is_apart = is_apart || apart <= e->paired;
        if (apart > e->paired) most = fmax(most, need);
        cost += need - (double)e->draws;
        if (set) race_want(r, e, need);
    }
    double at = mark - r->plan.within;
    for (int64_t i = 0; i < r->plan.best; i++) {
        race_entry *e = &r->entries[r->best[i]];
        if (!e->is_open) continue;
        double apart = is_apart ? need_apart(race_estimate(e), at, lower_goal, false) : 0;
        double need = clamp_need(e, fmax(apart, most), !is_apart || e->lower >= at);
        cost += need - (double)e->draws;
        if (set) race_want(r, e, need);
    }
    return cost;
}

/// Draws wanted by a group's open cases, at the mark that costs least.
static void want_group(gmc_ranking *r, int group)
{
    enum { MARKS = 32 };
    double low = 1, high = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const race_entry *e = &r->entries[c];
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
    const race_claim *x = a, *y = b;
    if (x->upper != y->upper) return x->upper > y->upper ? -1 : 1;
    return (x->case_index > y->case_index) - (x->case_index < y->case_index);
}

/// Of those that are not among the best only the most promising run now.
static void race_focus(gmc_ranking *r, int group)
{
    size_t count = 0;
    double used = 0, best = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const race_entry *e = &r->entries[c];
        if (e->group != group) continue;
        used += (double)e->draws;
        if (e->is_best)
            best += (double)(e->wanted - e->draws);
        else if (e->wanted > e->draws)
            r->claims[count++] = (race_claim){.upper = e->upper, .case_index = c};
    }
    qsort(r->claims, count, sizeof *r->claims, compare_claims);
    double room = fmax(best, SHARE * used);
    for (size_t i = 0; i < count; i++) {
        race_entry *e = &r->entries[r->claims[i].case_index];
        if (room <= 0) e->wanted = e->draws;
        room -= (double)(e->wanted - e->draws);
    }
}

/// Choose a group's best, and find its open pairs: is_best, is_open, wanted of its cases.
/// @return true if there are any
static bool race_judge(gmc_ranking *r, int group)
{
    find_best(r, group);
    if (!find_open(r, group)) return false;
    want_group(r, group);
    race_focus(r, group);
    return true;
}

// --- rounds ---

static double wanted_sum(const gmc_ranking *r)
{
    double sum = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++)
        sum += (double)(r->entries[c].wanted - r->entries[c].draws);
    return sum;
}

/// What is wanted, cut down evenly to what is left of the budget.
static void cut_to_budget(gmc_ranking *r, double wanted)
{
    double left = (double)(r->plan.budget - r->used);
    if (wanted <= left) return;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        race_entry *e = &r->entries[c];
        double share = floor((double)(e->wanted - e->draws) * (left / wanted));
        e->wanted = e->draws + (uint64_t)share;
    }
}

/// The trials that are wanted, by their numbers.
static gmc_status list_round(gmc_ranking *r)
{
    uint64_t to = 0, count = 0, from = UINT64_MAX, cases = (uint64_t)r->plan.case_count;
    int64_t runners = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const race_entry *e = &r->entries[c];
        if (e->wanted == e->draws) continue;
        r->claims[runners++].case_index = c;
        count += e->wanted - e->draws;
        if (e->wanted > to) to = e->wanted;
        if (e->draws < from) from = e->draws;
    }
    if (count > r->capacity) {
        free(r->trials);
        r->trials = malloc((size_t)count * sizeof *r->trials);
        r->capacity = r->trials ? count : 0;
        if (!r->trials) return GMC_E_MEMORY;
    }
    r->count = 0;
    for (uint64_t draw = from; draw < to; draw++) {
        for (int64_t i = 0; i < runners; i++) {
            int64_t c = r->claims[i].case_index;
            const race_entry *e = &r->entries[c];
            if (draw >= e->draws && draw < e->wanted)
                r->trials[r->count++] = draw * cases + (uint64_t)c;
        }
    }
    return GMC_OK;
}

/// Open the round in which everyone runs what it wants.
static gmc_status open_round(gmc_ranking *r)
{
    GMC_TRY(list_round(r));
    if (r->count == 0) return GMC_OK;
    r->round++;
    r->used += r->count;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        race_entry *e = &r->entries[c];
        e->decided = e->draws;
        e->decided_round = e->round;
        if (e->wanted > e->draws) e->round = r->round;
        e->draws = e->wanted;
    }
    return GMC_OK;
}

static gmc_status decide_round(gmc_ranking *r)
{
    for (int64_t c = 0; c < r->plan.case_count; c++)
        if (r->entries[c].round == r->round) race_look(r, c);
    bool is_open = false;
    for (int g = 0; g < r->plan.group_count; g++)
        is_open = race_judge(r, g) || is_open;
    if (!is_open) r->end = GMC_RANKING_REACHED;
    if (!is_open) return GMC_OK;
    double wanted = wanted_sum(r);
    cut_to_budget(r, wanted);
    GMC_TRY(open_round(r));
    if (r->count == 0) r->end = wanted > 0 ? GMC_RANKING_BUDGET : GMC_RANKING_DRAWS;
    return GMC_OK;
}

gmc_status gmc_ranking_next(gmc_ranking *r, gmc_ranking_round *round)
{
    *round = (gmc_ranking_round){0};
    if (r->end != GMC_RANKING_OPEN) return GMC_OK;
    for (uint64_t i = 0; i < r->count; i++)
        if (!gmc_ranking_has(r, r->trials[i])) return GMC_E_MISSING;
    r->count = 0;
    if (r->round < 0) {
        for (int64_t c = 0; c < r->plan.case_count; c++)
            r->entries[c].wanted = r->plan.first;
        GMC_TRY(open_round(r));
    } else {
        GMC_TRY(decide_round(r));
    }
    *round = gmc_ranking_open(r);
    return GMC_OK;
}
gmc_status gmc_ranking_catch_up(gmc_ranking *r, gmc_ranking_round *round)
{
    gmc_status status;
    do
        status = gmc_ranking_next(r, round);
    while (status == GMC_OK && round->count > 0);
    if (status != GMC_E_MISSING) return status;
    *round = gmc_ranking_open(r);
    return GMC_OK;
}

// --- what came of it ---

const gmc_ranking_plan *gmc_ranking_about(const gmc_ranking *r) { return &r->plan; }

gmc_ranking_end gmc_ranking_ended(const gmc_ranking *r) { return r->end; }

gmc_ranking_round gmc_ranking_open(const gmc_ranking *r)
{
    return (gmc_ranking_round){.round = r->round, .trials = r->trials, .count = r->count};
}

int gmc_ranking_rounds(const gmc_ranking *r) { return r->round + 1; }

uint64_t gmc_ranking_trials(const gmc_ranking *r) { return r->used; }

gmc_ranking_case gmc_ranking_of_case(const gmc_ranking *r, int64_t c)
{
    const race_entry *e = &r->entries[c];
    return (gmc_ranking_case){.is_best = e->is_best,
                              .is_open = e->is_open,
                              .round = r->count > 0 ? e->decided_round : e->round,
                              .draws = r->count > 0 ? e->decided : e->draws,
                              .tally = e->tally};
}

const gmc_duels *gmc_ranking_duels(const gmc_ranking *r) { return r->duels; }

const char *gmc_ranking_end_name(gmc_ranking_end end)
{
    static const char *const NAMES[GMC_RANKING_END_COUNT] = {[GMC_RANKING_REACHED] = "reached",
                                                             [GMC_RANKING_BUDGET] = "budget",
                                                             [GMC_RANKING_DRAWS] = "draws",
                                                             [GMC_RANKING_OPEN] = "open"};
    return end < GMC_RANKING_END_COUNT ? NAMES[end] : "unknown";
}
