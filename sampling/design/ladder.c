// One byte a trial: what it found. Everything else is derived from these bytes and from one small
// record a design, so that a resumed run, which has the bytes from its journal, and a reader, which
// has them from a result, decide exactly as the run did.
//
// A queue of trials without stages was considered first (start a design's next level as soon as its
// draws are in): it keeps workers busier at the ends of stages, but `best` then ranks designs by
// whoever happened to be done.
#include "sampling/design/ladder.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdlib.h>

/// What is kept of a design while it is in question.
typedef struct design {
    int32_t level, round; ///< that rejected it; level -1: it is left
    uint64_t trial;       ///< the counterexample
} design;

struct gmc_ladder {
    gmc_ladder_plan plan;
    int round_count;
    uint64_t audit_hash;
    unsigned char *findings; ///< (gmc_ladder_total)
    design *designs;         ///< (case_count)
    int64_t *order;          ///< (case_count) scratch of the ranking
    uint64_t *works;         ///< (case_count) scratch of the ranking
    uint64_t *trials;        ///< of the open stage
    uint64_t count, capacity;
    int64_t entered; ///< designs at the start of the open round
    int stage;       ///< the open one: round * levels + level; -1: none yet
};

int gmc_ladder_rounds(const gmc_ladder_plan *plan)
{
    int rounds = 1;
    while (gmc_ladder_draws(plan, rounds - 1) < plan->last)
        rounds++;
    return rounds;
}

uint64_t gmc_ladder_draws(const gmc_ladder_plan *plan, int round)
{
    uint64_t draws = plan->first;
    for (int r = 0; r < round && draws < plan->last; r++) {
        double next = floor((double)draws / plan->keep);
        // a share near 1 still makes rounds grow
        draws = next > (double)draws ? (uint64_t)fmin(next, (double)plan->last) : draws + 1;
    }
    return draws < plan->last ? draws : plan->last;
}

uint64_t gmc_ladder_total(const gmc_ladder_plan *plan)
{
    double total = (double)plan->case_count * (double)plan->level_count * (double)plan->last;
    if (total > GMC_LADDER_TRIALS_MAX) return 0;
    return (uint64_t)plan->case_count * (uint64_t)plan->level_count * plan->last;
}

gmc_status gmc_ladder_create(const gmc_ladder_plan *plan, gmc_ladder **made)
{
    *made = NULL;
    GMC_ASSERT(plan->case_count >= 1 && plan->level_count >= 1 && plan->first >= 1);
    GMC_ASSERT(plan->first <= plan->last && plan->keep > 0 && plan->keep < 1);
    uint64_t total = gmc_ladder_total(plan);
    if (total == 0) return GMC_E_LIMIT;
    gmc_ladder *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    size_t cases = (size_t)plan->case_count;
    s->plan = *plan;
    s->round_count = gmc_ladder_rounds(plan);
    s->audit_hash = gmc_stream_hash("study.audit");
    s->stage = -1;
    s->findings = calloc((size_t)total, 1);
    s->designs = calloc(cases, sizeof *s->designs);
    s->order = calloc(cases, sizeof *s->order);
    s->works = calloc(cases, sizeof *s->works);
    if (!s->findings || !s->designs || !s->order || !s->works) {
        gmc_ladder_free(s);
        return GMC_E_MEMORY;
    }
    for (size_t i = 0; i < cases; i++)
        s->designs[i] = (design){.level = -1, .trial = GMC_LADDER_NO_TRIAL};
    *made = s;
    return GMC_OK;
}

void gmc_ladder_free(gmc_ladder *s)
{
    if (!s) return;
    free(s->findings);
    free(s->designs);
    free(s->order);
    free(s->works);
    free(s->trials);
    free(s);
}

void gmc_ladder_put(gmc_ladder *s, uint64_t trial, gmc_finding finding)
{
    s->findings[trial] = (unsigned char)finding;
}

bool gmc_ladder_has(const gmc_ladder *s, uint64_t trial)
{
    return s->findings[trial] != GMC_FINDING_NONE;
}

static uint64_t address(const gmc_ladder *s, uint64_t draw, int64_t case_index, int level)
{
    uint64_t cases = (uint64_t)s->plan.case_count, levels = (uint64_t)s->plan.level_count;
    return (draw * cases + (uint64_t)case_index) * levels + (uint64_t)level;
}

static uint64_t first_draw(const gmc_ladder *s, int round)
{
    return round > 0 ? gmc_ladder_draws(&s->plan, round - 1) : 0;
}

// --- deciding ---

static bool rejects(const gmc_ladder *s, uint64_t trial)
{
    return s->findings[trial] == GMC_FINDING_FAILS || s->findings[trial] == GMC_FINDING_STUCK;
}

/// Lowest trial of the draws that failed at the level.
static uint64_t first_failure(const gmc_ladder *s, int64_t c, int level, uint64_t from, uint64_t to)
{
    for (uint64_t d = from; d < to; d++) {
        uint64_t trial = address(s, d, c, level);
        if (rejects(s, trial)) return trial;
    }
    return GMC_LADDER_NO_TRIAL;
}

/// Does the level overlook what of the draws [0, to) failed?
static bool is_tolerated(const gmc_ladder *s, int64_t c, int level, uint64_t to)
{
    double share = s->plan.tolerate ? s->plan.tolerate[level] : 0;
    uint64_t failures = 0;
    for (uint64_t d = 0; d < to; d++)
        failures += rejects(s, address(s, d, c, level));
    return (double)failures <= share * (double)to;
}

static void reject_failed(gmc_ladder *s, int round, int level)
{
    uint64_t from = first_draw(s, round), to = gmc_ladder_draws(&s->plan, round);
    for (int64_t c = 0; c < s->plan.case_count; c++) {
        if (s->designs[c].level >= 0 || is_tolerated(s, c, level, to)) continue;
        uint64_t trial = first_failure(s, c, level, from, to);
        if (trial == GMC_LADDER_NO_TRIAL) trial = first_failure(s, c, level, 0, to);
        s->designs[c] = (design){.level = level, .round = round, .trial = trial};
    }
}

/// Is design a to stand before b?
static bool is_better(const gmc_ladder *s, int64_t a, int64_t b)
{
    return s->works[a] != s->works[b] ? s->works[a] > s->works[b] : a < b;
}

/// Sift down in a heap whose root is the last of its designs in rank.
static void sift(const gmc_ladder *s, int64_t *heap, int64_t at, int64_t count)
{
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(s, heap[child], heap[child + 1])) child++;
        if (!is_better(s, heap[at], heap[child])) return;
        int64_t kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

static void reject_outranked(gmc_ladder *s, int round, int level)
{
    int levels = s->plan.level_count;
    if (level == levels - 1 && round == s->round_count - 1) return;
    uint64_t to = gmc_ladder_draws(&s->plan, round);
    int64_t left = 0;
    for (int64_t c = 0; c < s->plan.case_count; c++) {
        if (s->designs[c].level >= 0) continue;
        s->works[c] = 0;
        for (uint64_t d = 0; d < to; d++)
            s->works[c] += s->findings[address(s, d, c, level)] == GMC_FINDING_WORKS;
        s->order[left++] = c;
    }
    // a hair less, so that a whole number of designs stays one
    double share = (1 - 1e-12) * gmc_pow(s->plan.keep, (double)(level + 1) / levels);
    int64_t quota = (int64_t)ceil(share * (double)s->entered);
    if (quota < 1) quota = 1;
    for (int64_t i = left / 2; i-- > 0;)
        sift(s, s->order, i, left);
    int64_t entered = left;
    for (; left > quota; left--) { // the worst of those left goes behind them
        int64_t worst = s->order[0];
        s->order[0] = s->order[left - 1];
        sift(s, s->order, 0, left - 1);
        s->order[left - 1] = worst;
    }
    // a cheap level does not choose among those that it cannot tell apart
    uint64_t last = s->works[s->order[0]], spares = level < levels - 1 && last > 0 ? last : to + 1;
    for (int64_t i = left; i < entered; i++) {
        int64_t c = s->order[i];
        if (s->works[c] != spares)
            s->designs[c] = (design){
                .level = level, .round = round, .trial = first_failure(s, c, level, 0, to)};
    }
}

static gmc_status decide(gmc_ladder *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        if (s->findings[s->trials[i]] == GMC_FINDING_NONE) return GMC_E_MISSING;
    int levels = s->plan.level_count, round = s->stage / levels, level = s->stage % levels;
    if (s->stage < 0 || round >= s->round_count) return GMC_OK;
    switch (s->plan.goal) {
    case GMC_GOAL_WORKS:
        reject_failed(s, round, level);
        break;
    case GMC_GOAL_BEST:
        reject_outranked(s, round, level);
        break;
    }
    return GMC_OK;
}

// --- stages ---

static gmc_status list(gmc_ladder *s, uint64_t trial)
{
    if (s->count == s->capacity) {
        uint64_t capacity = s->capacity > 0 ? 2 * s->capacity : 1024;
        uint64_t *trials = realloc(s->trials, (size_t)capacity * sizeof *trials);
        if (!trials) return GMC_E_MEMORY;
        s->trials = trials;
        s->capacity = capacity;
    }
    s->trials[s->count++] = trial;
    return GMC_OK;
}

static int64_t designs_left(const gmc_ladder *s)
{
    int64_t left = 0;
    for (int64_t c = 0; c < s->plan.case_count; c++)
        left += s->designs[c].level < 0;
    return left;
}

/// Trials at the last level of the draws [from, to) that a cheap level spared this design.
static bool is_spared(const gmc_ladder *s, int64_t c, uint64_t draw)
{
    const design *d = &s->designs[c];
    return d->level >= 0 && d->level < s->plan.level_count - 1 && draw >= first_draw(s, d->round) &&
           draw < gmc_ladder_draws(&s->plan, d->round);
}

static bool is_chosen(const gmc_ladder *s, int64_t c, uint64_t draw)
{
    gmc_stream stream = gmc_stream_open_hashed(s->plan.seed, draw, s->audit_hash);
    stream = gmc_stream_for_case(stream, (uint64_t)c);
    return gmc_stream_uniform(stream, 0) < s->plan.audit;
}

bool gmc_ladder_is_audit(const gmc_ladder *s, uint64_t trial)
{
    uint64_t levels = (uint64_t)s->plan.level_count, cases = (uint64_t)s->plan.case_count;
    if (trial % levels != levels - 1) return false;
    uint64_t draw = trial / levels / cases;
    int64_t c = (int64_t)(trial / levels % cases);
    return is_spared(s, c, draw) && is_chosen(s, c, draw);
}

static gmc_status list_round(gmc_ladder *s, int round, int level)
{
    for (uint64_t d = first_draw(s, round); d < gmc_ladder_draws(&s->plan, round); d++)
        for (int64_t c = 0; c < s->plan.case_count; c++)
            if (s->designs[c].level < 0) GMC_TRY(list(s, address(s, d, c, level)));
    return GMC_OK;
}

static gmc_status list_audit(gmc_ladder *s)
{
    for (uint64_t d = 0; d < s->plan.last && s->plan.audit > 0; d++)
        for (int64_t c = 0; c < s->plan.case_count; c++)
            if (is_spared(s, c, d) && is_chosen(s, c, d))
                GMC_TRY(list(s, address(s, d, c, s->plan.level_count - 1)));
    return GMC_OK;
}

gmc_status gmc_ladder_next(gmc_ladder *s, gmc_ladder_stage *stage)
{
    int levels = s->plan.level_count, audit = s->round_count * levels;
    *stage = (gmc_ladder_stage){0};
    GMC_TRY(decide(s));
    for (s->count = 0; s->count == 0 && s->stage < audit;) {
        s->stage++;
        if (s->stage < audit && s->stage % levels == 0) s->entered = designs_left(s);
        GMC_TRY(s->stage < audit ? list_round(s, s->stage / levels, s->stage % levels)
                                 : list_audit(s));
    }
    if (s->count == 0) return GMC_OK;
    bool is_audit = s->stage == audit;
    *stage = (gmc_ladder_stage){.round = s->stage / levels,
                                .level = is_audit ? levels - 1 : s->stage % levels,
                                .is_audit = is_audit,
                                .trials = s->trials,
                                .count = s->count,
                                .cases_left = designs_left(s)};
    return GMC_OK;
}
// --- what came of it ---

static gmc_fate fate_of(const gmc_ladder *s, const gmc_ladder_case *found)
{
    bool is_best = s->plan.goal == GMC_GOAL_BEST;
    if (found->level >= 0) return is_best ? GMC_FATE_OUTRANKED : GMC_FATE_REJECTED;
    if (is_best) return GMC_FATE_KEPT;
    return found->open > 0 ? GMC_FATE_OPEN : GMC_FATE_WORKS;
}

gmc_ladder_case gmc_ladder_of_case(const gmc_ladder *s, int64_t c)
{
    const design *d = &s->designs[c];
    int top = s->plan.level_count - 1;
    gmc_ladder_case found = {.level = d->level, .trial = d->trial};
    found.round = d->level >= 0 ? d->round : s->round_count - 1;
    found.draws = gmc_ladder_draws(&s->plan, found.round);
    bool is_cheap = d->level >= 0 && d->level < top;
    found.decided_draws = is_cheap ? first_draw(s, found.round) : found.draws;
    for (uint64_t draw = 0; draw < found.draws; draw++) {
        gmc_finding finding = (gmc_finding)s->findings[address(s, draw, c, top)];
        bool is_open = finding == GMC_FINDING_OPEN || finding == GMC_FINDING_STUCK;
        if (is_spared(s, c, draw)) {
            found.audited += finding != GMC_FINDING_NONE;
            found.audit_works += finding == GMC_FINDING_WORKS;
            found.audit_open += is_open;
            continue;
        }
        found.works += finding == GMC_FINDING_WORKS;
        found.fails += finding == GMC_FINDING_FAILS;
        found.open += is_open;
    }
    found.fate = fate_of(s, &found);
    return found;
}

gmc_ladder_level gmc_ladder_of_level(const gmc_ladder *s, int level)
{
    gmc_ladder_level sum = {0};
    int top = s->plan.level_count - 1;
    for (int64_t c = 0; c < s->plan.case_count; c++) {
        gmc_ladder_case found = gmc_ladder_of_case(s, c);
        bool is_rejected = found.level == level;
        sum.rejected += is_rejected;
        bool is_short = found.level >= 0 && found.level < level; // not in its last round
        sum.trials += is_short ? first_draw(s, found.round) : found.draws;
        if (!is_rejected || level == top) continue;
        sum.spared += found.draws - found.decided_draws;
        sum.audited += found.audited;
        sum.audit_works += found.audit_works;
        sum.audit_open += found.audit_open;
    }
    return sum;
}

const char *gmc_ladder_fate_name(gmc_fate fate)
{
    static const char *const NAMES[GMC_FATE_COUNT] = {[GMC_FATE_WORKS] = "works",
                                                      [GMC_FATE_OPEN] = "open",
                                                      [GMC_FATE_KEPT] = "kept",
                                                      [GMC_FATE_REJECTED] = "rejected",
                                                      [GMC_FATE_OUTRANKED] = "outranked"};
    return fate < GMC_FATE_COUNT ? NAMES[fate] : "unknown";
}
