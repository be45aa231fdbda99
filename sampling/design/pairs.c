#include "sampling/design/pairs.h"

#include "engine/base/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct gmc_pairs {
    gmc_pairs_plan plan;
    unsigned char *known; ///< (2 * draws) 0: not put, else 1 + verdict
    uint64_t *trials;     ///< (2 * draws) of the open stage
    uint64_t count, chosen;
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

static gmc_two_level_counts counts_of(const gmc_pairs *p, uint64_t first, uint64_t last,
                                      uint64_t cheap)
{
    gmc_two_level_counts k = {.cheap = (int64_t)cheap, .pairs = (int64_t)(last - first)};
    for (uint64_t d = 0; d < cheap; d++)
        k.cheap_works += p->known[2 * d] == 1 + GMC_VERDICT_SUCCESS;
    for (uint64_t d = first; d < last; d++) {
        bool works = p->known[2 * d] == 1 + GMC_VERDICT_SUCCESS;
        unsigned full = p->known[2 * d + 1];
        k.both += works && full == 1 + GMC_VERDICT_SUCCESS;
        k.lost += works && full == 1 + GMC_VERDICT_FAILURE;
        k.gained += !works && full == 1 + GMC_VERDICT_SUCCESS;
        k.open += full == 1 + GMC_VERDICT_UNSOLVED;
        k.open_works += works && full == 1 + GMC_VERDICT_UNSOLVED;
    }
    return k;
}

gmc_two_level_counts gmc_pairs_counts(const gmc_pairs *p)
{
    return counts_of(p, p->plan.pilot, p->plan.pilot + p->chosen, p->plan.draws);
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

/// How many pairs, from the pilot.
static uint64_t choose(const gmc_pairs *p)
{
    gmc_two_level_counts pilot = counts_of(p, 0, p->plan.pilot, p->plan.pilot);
    double work[2] = {0, 0};
    for (uint64_t d = 0; d < 2 * p->plan.pilot; d++)
        work[d % 2] += p->work[d];
    double share = gmc_two_level_share(&pilot, fmax(work[0], 1), fmax(work[1], 1));
    double wanted = ceil(share * (double)p->plan.draws);
    return (uint64_t)fmin(fmax(wanted, GMC_PAIRS_LEAST), (double)(p->plan.draws - p->plan.pilot));
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
        p->chosen = choose(p);
        for (uint64_t d = p->plan.pilot; d < p->plan.draws; d++) {
            p->trials[p->count++] = 2 * d;
            if (d < p->plan.pilot + p->chosen) p->trials[p->count++] = 2 * d + 1;
        }
    }
    p->stage++;
    *trials = p->trials;
    *count = p->count;
    return GMC_OK;
}

uint64_t gmc_pairs_chosen(const gmc_pairs *p) { return p->chosen; }
