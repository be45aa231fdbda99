// Open draws sit in a ring, at draw mod its size. Workers take trials in order, so draws complete
// nearly in order too, and a ring a thousand draws long loses something only when one trial takes
// as long as thousands of others. A table over all draws was rejected: memory must not grow with
// them.
#include "sampling/estimate/running.h"

#include "engine/base/check.h"

#include <stdlib.h>

enum { RING = 1024 };

gmc_status gmc_running_create(gmc_running *running, int64_t case_count, bool is_independent,
                              double level)
{
    GMC_ASSERT(case_count >= 1);
    *running = (gmc_running){
        .case_count = case_count, .is_shared = case_count > 1 && !is_independent, .level = level};
    if (!running->is_shared) return GMC_OK;
    running->open = calloc(RING, sizeof *running->open);
    return running->open ? GMC_OK : GMC_E_MEMORY;
}

void gmc_running_free(gmc_running *running)
{
    free(running->open);
    running->open = NULL;
}

void gmc_running_add(gmc_running *running, uint64_t draw, gmc_verdict verdict)
{
    gmc_tally_add(&running->all, verdict);
    if (!running->is_shared) return;

    gmc_running_draw *place = running->open + draw % RING;
    int64_t there = gmc_tally_trials(place->tally);
    if (there > 0 && place->draw > draw) { // this draw fell behind
        running->left_out++;
        return;
    }
    if (there > 0 && place->draw < draw) { // the draw that stands here did
        running->left_out += there;
        place->tally = (gmc_tally){0};
    }
    place->draw = draw;
    gmc_tally_add(&place->tally, verdict);
    if (gmc_tally_trials(place->tally) < running->case_count) return;
    gmc_cluster_add(&running->cluster, place->tally);
    place->tally = (gmc_tally){0};
}

gmc_estimate gmc_running_estimate(const gmc_running *running)
{
    if (running->is_shared && running->cluster.draws >= 2) {
        gmc_estimate e = gmc_cluster_estimate(&running->cluster, running->level);
        e.left_out = running->left_out;
        return e;
    }
    gmc_estimate e = gmc_estimate_of(running->all, running->level, GMC_METHOD_WILSON);
    if (!running->is_shared) return e;
    e.method = GMC_METHOD_DRAWS;
    e.draws = running->cluster.draws;
    e.lower = 0.0;
    e.upper = 1.0;
    e.sampling_lower = 0.0;
    e.sampling_upper = 1.0;
    return e;
}
