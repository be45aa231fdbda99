// Work is counted in what dominates it, and everything that costs is counted where it is done: so
// the count at every decision is a function of the mesh and the options.
#include "engine/model/pieces_work.h"

#include <math.h>

/// Between two calls to whoever follows: a few milliseconds.
#define GMC_PIECES_WORK_TELL 5e3

void gmc_pieces_work_add(gmc_pieces_work *work, double cost)
{
    if (!work) return;
    work->spent += cost;
    if (work->spent < work->next) return;
    work->next = work->spent + GMC_PIECES_WORK_TELL;
    const gmc_pieces_cache *cache = work->cache;
    if (cache && cache->follow &&
        cache->follow(cache->context, work->mesh, work->count, fmin(1, work->spent / work->most)))
        work->is_stopped = true;
}

bool gmc_pieces_work_is_over(const gmc_pieces_work *work)
{
    return work && (work->is_stopped || work->spent >= work->most);
}
