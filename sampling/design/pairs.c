#include "sampling/design/pairs.h"

#include "engine/base/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct gmc_pairs {
    gmc_pairs_plan plan;
    unsigned char *known; ///< (draws, levels) 0: not put, else 1 + verdict
    uint64_t *trials;     ///< (draws * levels) of the open stage
    uint64_t count;
    uint64_t chosen[2][GMC_PAIRS_LEVELS_MOST]; ///< of a half at a level; [0] is not asked for
    int stage;                                 ///< opened so far
    double *work; ///< (draws, levels): summed in order, whatever order they came in
};

gmc_status gmc_pairs_create(const gmc_pairs_plan *plan, gmc_pairs **pairs)
{
    *pairs = NULL;
    GMC_ASSERT(plan->pilot >= 1 && plan->pilot + GMC_PAIRS_LEAST <= plan->draws);
    GMC_ASSERT(plan->levels >= 2 && plan->levels <= GMC_PAIRS_LEVELS_MOST);
    if (plan->draws > GMC_PAIRS_DRAWS_MAX) return GMC_E_LIMIT;
    gmc_pairs *p = calloc(1, sizeof *p);
    if (!p) return GMC_E_MEMORY;
    p->plan = *plan;
    size_t trials = (size_t)plan->draws * (size_t)plan->levels;
    p->known = calloc(trials, sizeof *p->known);
    p->trials = calloc(trials, sizeof *p->trials);
    p->work = calloc(trials, sizeof *p->work);
    if (!p->known || !p->trials || !p->work) {
        gmc_pairs_free(p);
        return GMC_E_MEMORY;
    }
    *pairs = p;
    return GMC_OK;
}

void gmc_pairs_free(gmc_pairs *p)
{
    if (!p) return;
    free(p->known);
    free(p->trials);
    free(p->work);
    free(p);
}

void gmc_pairs_put(gmc_pairs *p, uint64_t trial, gmc_verdict verdict, double work)
{
    GMC_ASSERT(trial < (uint64_t)p->plan.levels * p->plan.draws);
    p->known[trial] = (unsigned char)(1 + (int)verdict);
    p->work[trial] = work;
}

/// Half of a draw: which other half chooses for it.
static int half_of(uint64_t draw) { return (int)(draw % 2); }

/// Draws of a half that have numbers below this one.
static uint64_t of_half(uint64_t draws, int half) { return (draws + 1 - (uint64_t)half) / 2; }

static uint64_t trial_of(const gmc_pairs *p, uint64_t draw, int level)
{
    return draw * (uint64_t)p->plan.levels + (uint64_t)level;
}

/// Is a draw run at a level, once their numbers are chosen?
static bool is_at(const gmc_pairs *p, uint64_t draw, int level)
{
    int half = half_of(draw);
    uint64_t behind = draw / 2 - of_half(p->plan.pilot, half);
    return level == 0 || draw < p->plan.pilot || behind < p->chosen[half][level];
}

/// A draw's trials at a level above the cheapest and the one below.
static void add_pair(const gmc_pairs *p, uint64_t draw, int level, gmc_two_level_half *h,
                     int64_t *both)
{
    bool base = p->known[trial_of(p, draw, 0)] == 1 + GMC_VERDICT_SUCCESS;
    bool works = p->known[trial_of(p, draw, level - 1)] == 1 + GMC_VERDICT_SUCCESS;
    unsigned full = p->known[trial_of(p, draw, level)];
    if (level < p->plan.levels - 1 && full == 1 + GMC_VERDICT_UNSOLVED)
        full = 1 + GMC_VERDICT_FAILURE; // between any answer will do, if it is the same above
    h->pairs++;
    *both += works && full == 1 + GMC_VERDICT_SUCCESS;
    h->lost += works && full == 1 + GMC_VERDICT_FAILURE;
    h->gained += !works && full == 1 + GMC_VERDICT_SUCCESS;
    h->base_lost += base && works && full == 1 + GMC_VERDICT_FAILURE;
    h->base_gained += base && !works && full == 1 + GMC_VERDICT_SUCCESS;
    h->open += full == 1 + GMC_VERDICT_UNSOLVED;
    h->open_works += works && full == 1 + GMC_VERDICT_UNSOLVED;
}

gmc_two_level_counts gmc_pairs_counts(const gmc_pairs *p)
{
    gmc_two_level_counts k = {.cheap = (int64_t)p->plan.draws, .between = p->plan.levels - 2};
    int64_t between = 0; // the successes of both are of no use there
    k.cheap_works = gmc_pairs_works(p, 0);
    for (uint64_t d = 0; d < p->plan.draws; d++) {
        int half = half_of(d);
        for (int i = 0; i < k.between; i++)
            if (is_at(p, d, i + 1)) add_pair(p, d, i + 1, &k.rises[i][half], &between);
        if (is_at(p, d, k.between + 1)) add_pair(p, d, k.between + 1, &k.halves[half], &k.both);
    }
    for (int h = 0; h < 2; h++) {
        k.pairs += k.halves[h].pairs;
        k.lost += k.halves[h].lost;
        k.gained += k.halves[h].gained;
        k.open += k.halves[h].open;
        k.open_works += k.halves[h].open_works;
    }
    return k;
}

int64_t gmc_pairs_works(const gmc_pairs *p, int level)
{
    int64_t works = 0;
    for (uint64_t d = 0; d < p->plan.draws; d++)
        works += p->known[trial_of(p, d, level)] == 1 + GMC_VERDICT_SUCCESS;
    return works;
}

double gmc_pairs_work(const gmc_pairs *p, int level)
{
    double sum = 0, count = 0;
    for (uint64_t d = 0; d < p->plan.draws; d++) {
        sum += p->work[trial_of(p, d, level)];
        count += p->known[trial_of(p, d, level)] > 0;
    }
    return count > 0 ? sum / count : 0;
}

/// What the pilot's draws of a half found at a level, and the work that they took at the cheapest
/// and there.
static gmc_two_level_counts look(const gmc_pairs *p, int half, int level, double work[2])
{
    gmc_two_level_counts k = {0};
    gmc_two_level_half found = {0};
    work[0] = work[1] = 0;
    for (uint64_t d = (uint64_t)half; d < p->plan.pilot; d += 2) {
        add_pair(p, d, level, &found, &k.both);
        k.cheap++;
        k.cheap_works += p->known[trial_of(p, d, 0)] == 1 + GMC_VERDICT_SUCCESS;
        work[0] += p->work[trial_of(p, d, 0)];
        work[1] += p->work[trial_of(p, d, level)];
    }
    k.pairs = found.pairs;
    k.lost = found.lost;
    k.gained = found.gained;
    k.open = found.open;
    k.open_works = found.open_works;
    return k;
}

/// How many draws behind the pilot a half has at a level, from the pilot of the other.
static uint64_t choose(const gmc_pairs *p, int half, int level)
{
    double work[2];
    gmc_two_level_counts other = look(p, 1 - half, level, work);
    double share = gmc_two_level_share(&other, fmax(work[0], 1), fmax(work[1], 1));
    uint64_t all = of_half(p->plan.draws, half), pilot = of_half(p->plan.pilot, half);
    double wanted = ceil(share * (double)all) - (double)pilot;
    double most = (double)(all - pilot), least = fmin(GMC_PAIRS_LEAST / 2, most);
    return (uint64_t)fmin(fmax(wanted, least), most);
}

static void choose_all(gmc_pairs *p)
{
    for (int half = 0; half < 2; half++) {
        uint64_t above = 0;
        for (int level = p->plan.levels - 1; level > 0; level--) {
            uint64_t own = choose(p, half, level);
            above = own > above ? own : above;
            p->chosen[half][level] = above;
        }
    }
}

gmc_status gmc_pairs_next(gmc_pairs *p, const uint64_t **trials, uint64_t *count)
{
    for (uint64_t i = 0; i < p->count; i++)
        if (p->known[p->trials[i]] == 0) return GMC_E_MISSING;
    p->count = 0;
    if (p->stage == 0)
        for (uint64_t t = 0; t < (uint64_t)p->plan.levels * p->plan.pilot; t++)
            p->trials[p->count++] = t;
    if (p->stage == 1) {
        choose_all(p);
        for (uint64_t d = p->plan.pilot; d < p->plan.draws; d++)
            for (int level = 0; level < p->plan.levels; level++)
                if (is_at(p, d, level)) p->trials[p->count++] = trial_of(p, d, level);
    }
    p->stage++;
    *trials = p->trials;
    *count = p->count;
    return GMC_OK;
}
