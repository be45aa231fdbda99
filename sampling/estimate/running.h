/// The estimate while a run is going on: finished trials in, in any order, the same estimate as
/// pooled.h out as far as it can be known. For display only: trials that take long come late, and
/// an interval looked at again and again misses the truth more often than its level says.
///
/// Memory is constant. Cases that share draws need their draws complete; the latest 1024 draws are
/// kept open, and a draw that falls behind those is left out of the display.
#ifndef GMC_SAMPLING_ESTIMATE_RUNNING_H
#define GMC_SAMPLING_ESTIMATE_RUNNING_H

#include "engine/base/status.h"
#include "sampling/estimate/cluster.h"

#include <stdbool.h>

typedef struct gmc_running_draw {
    uint64_t draw;
    gmc_tally tally; ///< no trials: the place is free
} gmc_running_draw;

typedef struct gmc_running {
    int64_t case_count;
    bool is_shared; ///< several cases on common draws
    double level;
    gmc_tally all;          ///< every trial taken in
    gmc_cluster cluster;    ///< complete draws
    gmc_running_draw *open; ///< places for draws that are not complete, NULL unless is_shared
    int64_t left_out;
} gmc_running;

/// @return GMC_OK, GMC_E_MEMORY (running may be freed)
GMC_MUST_CHECK gmc_status gmc_running_create(gmc_running *running, int64_t case_count,
                                             bool is_independent, double level);

void gmc_running_free(gmc_running *running);

/// Take in a finished trial: a few operations.
void gmc_running_add(gmc_running *running, uint64_t draw, gmc_verdict verdict);

/// The estimate now. Before two draws are complete p comes from all trials and the interval is [0,
/// 1].
gmc_estimate gmc_running_estimate(const gmc_running *running);

#endif
