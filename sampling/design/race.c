// Verdicts are three bits a trial, in the table of duels.h; everything else follows from them and
// from the number of draws that each case was asked for.
#include "engine/base/check.h"
#include "sampling/design/race_internal.h"

#include <math.h>
#include <stdlib.h>

uint64_t gmc_race_total(const gmc_race_plan *plan)
{
    double total = (double)plan->case_count * (double)plan->last;
    return total > GMC_RACE_TRIALS_MAX ? 0 : (uint64_t)plan->case_count * plan->last;
}

gmc_status gmc_race_create(const gmc_race_plan *plan, gmc_race **made)
{
    *made = NULL;
    GMC_ASSERT(plan->best >= 1 && plan->within > 0 && plan->within < 1);
    GMC_ASSERT(plan->first >= 1 && plan->first <= plan->last && plan->group_count >= 1);
    if (gmc_race_total(plan) == 0) return GMC_E_LIMIT;
    gmc_race *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->plan = *plan;
    r->round = -1;
    r->end = GMC_RACE_OPEN;
    r->entries = calloc((size_t)plan->case_count, sizeof *r->entries);
    r->best = calloc((size_t)plan->best, sizeof *r->best);
    r->claims = calloc((size_t)plan->case_count, sizeof *r->claims);
    r->sizes = calloc((size_t)plan->group_count, sizeof *r->sizes);
    gmc_status status = gmc_duels_create(plan->case_count, &r->duels);
    if (status != GMC_OK || !r->entries || !r->claims || !r->best || !r->sizes) {
        gmc_race_free(r);
        return GMC_E_MEMORY;
    }
    for (int64_t c = 0; c < plan->case_count; c++) {
        r->entries[c].group = plan->groups ? plan->groups[c] : 0;
        r->sizes[r->entries[c].group]++;
    }
    *made = r;
    return GMC_OK;
}

void gmc_race_free(gmc_race *r)
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

gmc_status gmc_race_put(gmc_race *r, uint64_t trial, gmc_verdict verdict)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return gmc_duels_add(r->duels, (int64_t)(trial % cases), trial / cases, verdict);
}

bool gmc_race_has(const gmc_race *r, uint64_t trial)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return gmc_duels_has(r->duels, (int64_t)(trial % cases), trial / cases);
}

bool gmc_race_asks(const gmc_race *r, uint64_t trial)
{
    uint64_t cases = (uint64_t)r->plan.case_count;
    return trial / cases < r->entries[trial % cases].draws;
}

// --- rounds ---

static double wanted_sum(const gmc_race *r)
{
    double sum = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++)
        sum += (double)(r->entries[c].wanted - r->entries[c].draws);
    return sum;
}

/// What is wanted, cut down evenly to what is left of the budget.
static void cut(gmc_race *r, double wanted)
{
    double left = (double)(r->plan.budget - r->used);
    if (wanted <= left) return;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        gmc_race_entry *e = &r->entries[c];
        double share = floor((double)(e->wanted - e->draws) * (left / wanted));
        e->wanted = e->draws + (uint64_t)share;
    }
}

/// The trials that are wanted, by their numbers.
static gmc_status list_round(gmc_race *r)
{
    uint64_t to = 0, count = 0, from = UINT64_MAX, cases = (uint64_t)r->plan.case_count;
    int64_t runners = 0;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        const gmc_race_entry *e = &r->entries[c];
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
            const gmc_race_entry *e = &r->entries[c];
            if (draw >= e->draws && draw < e->wanted)
                r->trials[r->count++] = draw * cases + (uint64_t)c;
        }
    }
    return GMC_OK;
}

/// Open the round in which everyone runs what it wants.
static gmc_status open_round(gmc_race *r)
{
    GMC_TRY(list_round(r));
    if (r->count == 0) return GMC_OK;
    r->round++;
    r->used += r->count;
    for (int64_t c = 0; c < r->plan.case_count; c++) {
        gmc_race_entry *e = &r->entries[c];
        e->decided = e->draws;
        e->decided_round = e->round;
        if (e->wanted > e->draws) e->round = r->round;
        e->draws = e->wanted;
    }
    return GMC_OK;
}

static gmc_status decide(gmc_race *r)
{
    for (int64_t c = 0; c < r->plan.case_count; c++)
        if (r->entries[c].round == r->round) gmc_race_look(r, c);
    bool is_open = false;
    for (int g = 0; g < r->plan.group_count; g++)
        is_open = gmc_race_judge(r, g) || is_open;
    if (!is_open) r->end = GMC_RACE_REACHED;
    if (!is_open) return GMC_OK;
    double wanted = wanted_sum(r);
    cut(r, wanted);
    GMC_TRY(open_round(r));
    if (r->count == 0) r->end = wanted > 0 ? GMC_RACE_BUDGET : GMC_RACE_DRAWS;
    return GMC_OK;
}

gmc_status gmc_race_next(gmc_race *r, gmc_race_round *round)
{
    *round = (gmc_race_round){0};
    if (r->end != GMC_RACE_OPEN) return GMC_OK;
    for (uint64_t i = 0; i < r->count; i++)
        if (!gmc_race_has(r, r->trials[i])) return GMC_E_MISSING;
    r->count = 0;
    if (r->round < 0) {
        for (int64_t c = 0; c < r->plan.case_count; c++)
            r->entries[c].wanted = r->plan.first;
        GMC_TRY(open_round(r));
    } else {
        GMC_TRY(decide(r));
    }
    *round = gmc_race_open(r);
    return GMC_OK;
}

gmc_status gmc_race_decide(gmc_race *r)
{
    gmc_race_round round;
    do
        GMC_TRY(gmc_race_next(r, &round));
    while (round.count > 0);
    return GMC_OK;
}

gmc_status gmc_race_catch_up(gmc_race *r, gmc_race_round *round)
{
    gmc_status status;
    do
        status = gmc_race_next(r, round);
    while (status == GMC_OK && round->count > 0);
    if (status != GMC_E_MISSING) return status;
    *round = gmc_race_open(r);
    return GMC_OK;
}

// --- what came of it ---

const gmc_race_plan *gmc_race_about(const gmc_race *r) { return &r->plan; }

gmc_race_end gmc_race_ended(const gmc_race *r) { return r->end; }

gmc_race_round gmc_race_open(const gmc_race *r)
{
    return (gmc_race_round){.round = r->round, .trials = r->trials, .count = r->count};
}

int gmc_race_rounds(const gmc_race *r) { return r->round + 1; }

uint64_t gmc_race_trials(const gmc_race *r) { return r->used; }

gmc_race_case gmc_race_of_case(const gmc_race *r, int64_t c)
{
    const gmc_race_entry *e = &r->entries[c];
    return (gmc_race_case){.is_best = e->is_best,
                           .is_open = e->is_open,
                           .round = r->count > 0 ? e->decided_round : e->round,
                           .draws = r->count > 0 ? e->decided : e->draws,
                           .tally = e->tally};
}

const gmc_duels *gmc_race_duels(const gmc_race *r) { return r->duels; }

const char *gmc_race_end_name(gmc_race_end end)
{
    static const char *const NAMES[GMC_RACE_END_COUNT] = {[GMC_RACE_REACHED] = "reached",
                                                          [GMC_RACE_BUDGET] = "budget",
                                                          [GMC_RACE_DRAWS] = "draws",
                                                          [GMC_RACE_OPEN] = "open"};
    return end < GMC_RACE_END_COUNT ? NAMES[end] : "unknown";
}
