#include "sampling/campaign/prefix.h"

#include "engine/base/check.h"

#include <stdlib.h>

/// Draws up to which every one is looked at; from then on each look waits for 1/LOOKS_EACH more.
enum { LOOKS_EACH = 100 };

gmc_status gmc_prefix_create(gmc_prefix *p, gmc_stop_rule rule, uint64_t count, int64_t case_count,
                             double level)
{
    *p = (gmc_prefix){
        .rule = rule, .anytime = gmc_anytime_start(case_count, level), .count = count, .look = 1};
    if (rule.kind == GMC_STOP_NEVER) return GMC_OK;
    GMC_ASSERT(count % (uint64_t)case_count == 0);
    p->known = calloc((size_t)(count / 4 + 1), 1);
    return p->known ? GMC_OK : GMC_E_MEMORY;
}

void gmc_prefix_free(gmc_prefix *p)
{
    free(p->known);
    p->known = NULL;
}

static unsigned get(const gmc_prefix *p, uint64_t trial)
{
    return (unsigned)p->known[trial / 4] >> 2 * (trial % 4) & 3U;
}

static void close_draw(gmc_prefix *p)
{
    gmc_anytime_add(&p->anytime, p->draw);
    p->draw = (gmc_tally){0};
    if (p->anytime.draws < p->look) return;
    p->look = p->anytime.draws + 1 + p->anytime.draws / LOOKS_EACH;
    p->verdict = gmc_stop_judge(p->rule, gmc_anytime_interval(&p->anytime));
}

void gmc_prefix_add(gmc_prefix *p, uint64_t trial, gmc_verdict verdict)
{
    if (!p->known || p->verdict != GMC_STOP_UNDECIDED) return;
    GMC_ASSERT(trial < p->count && get(p, trial) == 0);
    p->known[trial / 4] |= (unsigned char)((1U + (unsigned)verdict) << 2 * (trial % 4));
    while (p->verdict == GMC_STOP_UNDECIDED && p->next < p->count) {
        unsigned found = get(p, p->next);
        if (found == 0) return;
        p->next++;
        gmc_tally_add(&p->draw, (gmc_verdict)(found - 1U));
        if (gmc_tally_trials(p->draw) == p->anytime.case_count) close_draw(p);
    }
}

uint64_t gmc_prefix_trials(const gmc_prefix *p)
{
    return p->verdict == GMC_STOP_UNDECIDED ? p->count : p->next;
}
