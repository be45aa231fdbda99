#include "sampling/campaign/prefix.h"

#include "engine/base/check.h"
#include "sampling/estimate/fixed_width.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_LEAST = 4096 };

gmc_status gmc_prefix_create(gmc_prefix *p, gmc_stop_rule rule, uint64_t count, int64_t case_count,
                             double level)
{
    *p = (gmc_prefix){
        .rule = rule, .anytime = gmc_anytime_start(case_count, level), .count = count, .look = 1};
    if (rule.kind == GMC_STOP_NEVER) return GMC_OK;
    if (rule.kind == GMC_STOP_SURROGATE) p->look = GMC_PREFIX_SURROGATE_FIRST;
    GMC_ASSERT(count % (uint64_t)case_count == 0);
    p->bytes = KNOWN_LEAST;
    p->known = calloc(p->bytes, 1);
    return p->known ? GMC_OK : GMC_E_MEMORY;
}

void gmc_prefix_free(gmc_prefix *p)
{
    free(p->known);
    p->known = NULL;
}

static unsigned get(const gmc_prefix *p, uint64_t trial)
{
    if (trial / 4 >= p->bytes) return 0;
    return (unsigned)p->known[trial / 4] >> 2 * (trial % 4) & 3U;
}

gmc_stop_verdict gmc_prefix_judge(const gmc_prefix *p)
{
    const gmc_anytime *a = &p->anytime;
    if (p->rule.kind == GMC_STOP_SURROGATE)
        return p->ask ? p->ask(p->ask_context, a->draws) : GMC_STOP_UNDECIDED;
    if (gmc_fixed_width_is_used(p->rule, a->case_count, a->level)) {
        bool is_reached = gmc_fixed_width_is_reached(a->tally, p->rule.threshold, a->level);
        return is_reached ? GMC_STOP_YES : GMC_STOP_UNDECIDED;
    }
    return gmc_stop_judge(p->rule, gmc_anytime_interval(a));
}

static void close_draw(gmc_prefix *p)
{
    gmc_anytime_add(&p->anytime, p->draw);
    p->draw = (gmc_tally){0};
    if (p->anytime.draws < p->look) return;
    p->look = p->rule.kind == GMC_STOP_SURROGATE ? gmc_prefix_next_surrogate(p->anytime.draws)
                                                 : gmc_prefix_next_look(p->anytime.draws);
    p->verdict = gmc_prefix_judge(p);
}

/// Room for that trial.
static gmc_status reserve(gmc_prefix *p, uint64_t trial)
{
    uint64_t byte = trial / 4;
    if (byte < p->bytes) return GMC_OK;
    if (byte > SIZE_MAX / 4) return GMC_E_MEMORY;
    size_t bytes = 2 * (size_t)byte;
    unsigned char *known = realloc(p->known, bytes);
    if (!known) return GMC_E_MEMORY;
    memset(known + p->bytes, 0, bytes - p->bytes);
    p->known = known;
    p->bytes = bytes;
    return GMC_OK;
}

gmc_status gmc_prefix_add(gmc_prefix *p, uint64_t trial, gmc_verdict verdict)
{
    if (!p->known || p->verdict != GMC_STOP_UNDECIDED) return GMC_OK;
    GMC_TRY(reserve(p, trial));
    GMC_ASSERT(trial < p->count && get(p, trial) == 0);
    p->known[trial / 4] |= (unsigned char)((1U + (unsigned)verdict) << 2 * (trial % 4));
    while (p->verdict == GMC_STOP_UNDECIDED && p->next < p->count) {
        unsigned found = get(p, p->next);
        if (found == 0) return GMC_OK;
        p->next++;
        gmc_tally_add(&p->draw, (gmc_verdict)(found - 1U));
        if (gmc_tally_trials(p->draw) == p->anytime.case_count) close_draw(p);
    }
    return GMC_OK;
}
