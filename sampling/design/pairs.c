#include "sampling/design/pairs.h"

#include "engine/base/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct gmc_pairs {
    gmc_pairs_plan plan;
    unsigned char *known; ///< (2 * draws) 0: not put, else 1 + verdict
    uint64_t *trials;     ///< (2 * draws) of the open stage
    uint64_t count, chosen[2];
    int stage;    ///< opened so far
    double *work; ///< (2 * draws): summed in order, whatever order they came in
};

gmc_status gmc_pairs_create(const gmc_pairs_plan *plan, gmc_pairs **pairs)
{
    *pairs = NULL;
    GMC_ASSERT(plan->pilot >= 1 && plan->pilot + GMC_PAIRS_LEAST <= plan->draws);
    if (plan->draws > GMC_PAIRS_DRAWS_MAX) return GMC_E_LIMIT;
    gmc_pairs *p = calloc(1, sizeof *p);
    if (!p) return GMC_E_MEMORY;
    p->plan = *plan;
    p->known = calloc((size_t)plan->draws * 2, sizeof *p->known);
    p->trials = calloc((size_t)plan->draws * 2, sizeof *p->trials);
    p->work = calloc((size_t)plan->draws * 2, sizeof *p->work);
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
    GMC_ASSERT(trial < 2 * p->plan.draws);
    p->known[trial] = (unsigned char)(1 + (int)verdict);
    p->work[trial] = work;
}

/// Half of a draw: which other half chooses for it.
static int half_of(uint64_t draw) { return (int)(draw % 2); }

/// Draws of a half that have numbers below this one.
static uint64_t of_half(uint64_t draws, int half) { return (draws + 1 - (uint64_t)half) / 2; }

/// Has a draw a pair, once their numbers are chosen?
static bool is_pair(const gmc_pairs *p, uint64_t draw)
{
    int half = half_of(draw);
    uint64_t behind = draw / 2 - of_half(p->plan.pilot, half);
    return draw < p->plan.pilot || behind < p->chosen[half];
}

static void add_pair(const gmc_pairs *p, uint64_t draw, gmc_two_level_half *h, int64_t *both)
{
    bool works = p->known[2 * draw] == 1 + GMC_VERDICT_SUCCESS;
    unsigned full = p->known[2 * draw + 1];
    h->pairs++;
    *both += works && full == 1 + GMC_VERDICT_SUCCESS;
    h->lost += works && full == 1 + GMC_VERDICT_FAILURE;
    h->gained += !works && full == 1 + GMC_VERDICT_SUCCESS;
    h->open += full == 1 + GMC_VERDICT_UNSOLVED;
    h->open_works += works && full == 1 + GMC_VERDICT_UNSOLVED;
}

gmc_two_level_counts gmc_pairs_counts(const gmc_pairs *p)
{
    gmc_two_level_counts k = {.cheap = (int64_t)p->plan.draws};
    for (uint64_t d = 0; d < p->plan.draws; d++) {
        k.cheap_works += p->known[2 * d] == 1 + GMC_VERDICT_SUCCESS;
        if (is_pair(p, d)) add_pair(p, d, &k.halves[half_of(d)], &k.both);
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

double gmc_pairs_work(const gmc_pairs *p, int level)
{
    double sum = 0, count = 0;
    for (uint64_t d = 0; d < p->plan.draws; d++) {
        sum += p->work[2 * d + (uint64_t)level];
        count += p->known[2 * d + (uint64_t)level] > 0;
    }
    return count > 0 ? sum / count : 0;
}

/// What the pilot's draws of a half found, and the work that they took at each level.
static gmc_two_level_counts look(const gmc_pairs *p, int half, double work[2])
{
    gmc_two_level_counts k = {0};
    gmc_two_level_half found = {0};
    work[0] = work[1] = 0;
    for (uint64_t d = (uint64_t)half; d < p->plan.pilot; d += 2) {
        add_pair(p, d, &found, &k.both);
        k.cheap++;
        k.cheap_works += p->known[2 * d] == 1 + GMC_VERDICT_SUCCESS;
        for (int level = 0; level < 2; level++)
            work[level] += p->work[2 * d + (uint64_t)level];
    }
    k.pairs = found.pairs;
    k.lost = found.lost;
    k.gained = found.gained;
    k.open = found.open;
    k.open_works = found.open_works;
    return k;
}

/// How many pairs behind the pilot a half has, from the pilot of the other.
static uint64_t choose(const gmc_pairs *p, int half)
{
    double work[2];
    gmc_two_level_counts other = look(p, 1 - half, work);
    double share = gmc_two_level_share(&other, fmax(work[0], 1), fmax(work[1], 1));
    uint64_t all = of_half(p->plan.draws, half), pilot = of_half(p->plan.pilot, half);
    double wanted = ceil(share * (double)all) - (double)pilot;
    double most = (double)(all - pilot), least = fmin(GMC_PAIRS_LEAST / 2, most);
    return (uint64_t)fmin(fmax(wanted, least), most);
}

gmc_status gmc_pairs_next(gmc_pairs *p, const uint64_t **trials, uint64_t *count)
{
    for (uint64_t i = 0; i < p->count; i++)
        if (p->known[p->trials[i]] == 0) return GMC_E_MISSING;
    p->count = 0;
    if (p->stage == 0)
        for (uint64_t t = 0; t < 2 * p->plan.pilot; t++)
            p->trials[p->count++] = t;
    if (p->stage == 1) {
        for (int half = 0; half < 2; half++)
            p->chosen[half] = choose(p, half);
        for (uint64_t d = p->plan.pilot; d < p->plan.draws; d++) {
            p->trials[p->count++] = 2 * d;
            if (is_pair(p, d)) p->trials[p->count++] = 2 * d + 1;
        }
    }
    p->stage++;
    *trials = p->trials;
    *count = p->count;
    return GMC_OK;
}

uint64_t gmc_pairs_chosen(const gmc_pairs *p) { return p->chosen[0] + p->chosen[1]; }
