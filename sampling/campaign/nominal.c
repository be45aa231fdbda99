#include "sampling/campaign/nominal.h"

#include "sampling/campaign/look.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>

/// What one look finds.
typedef struct gmc_sight {
    gmc_nominal_start start;
    gmc_build_overlaps overlaps;
} gmc_sight;

static gmc_status look_at_overlaps(const gmc_rollout_input *input, gmc_arena *trial,
                                   gmc_arena *scratch, void *context)
{
    gmc_sight *sight = context;
    return gmc_build_overlaps_find(input, trial, scratch, &sight->overlaps);
}

// Gaps cost more than overlaps.
static gmc_status look_at_all(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                              void *context)
{
    gmc_sight *sight = context;
    GMC_TRY(gmc_build_gap(input, trial, scratch, &sight->start.gap));
    GMC_TRY(gmc_build_scene_gap(input, trial, scratch, &sight->start.scene_gap));
    return look_at_overlaps(input, trial, scratch, context);
}

static void take_in(gmc_sight *sight, gmc_nominal_start *list, gmc_nominal_starts *starts)
{
    const gmc_build_overlaps *overlaps = &sight->overlaps;
    int64_t c = starts->looked_at++;
    if (overlaps->count > 0) sight->start.worst = overlaps->list[0];
    if (list) list[c] = sight->start;
    if (overlaps->accepted > 0) starts->accepted = overlaps->accepted;
    if (overlaps->count == 0) return;
    bool is_first = starts->deep++ == 0;
    if (!is_first && overlaps->list[0].depth <= starts->worst.list[0].depth) return;
    starts->deepest = c;
    starts->worst = *overlaps;
}

int64_t gmc_nominal_count(const gmc_scenario *scenario)
{
    bool is_grasped = gmc_study_grasp(scenario, 0) >= 0;
    int64_t most = is_grasped ? GMC_NOMINAL_GRASPS : GMC_NOMINAL_CASES;
    return scenario->case_count < most ? scenario->case_count : most;
}

gmc_status gmc_nominal_look(const gmc_scenario *scenario, const gmc_build *build, int64_t count,
                            gmc_nominal_start *list, gmc_nominal_starts *starts)
{
    const gmc_rollout_gap_found unknown = {(double)NAN, (double)NAN};
    gmc_look look;
    *starts = (gmc_nominal_starts){0};
    gmc_status status = gmc_look_open(scenario, build, &look);
    for (int64_t c = 0; c < count && status == GMC_OK; c++) {
        gmc_sight sight = {.start = {.gap = unknown, .scene_gap = unknown}};
        gmc_perturb_believed(scenario, c, look.believed);
        gmc_perturb_believed(scenario, c, look.values);
        status = gmc_look_do(&look, c, list ? look_at_all : look_at_overlaps, &sight);
        if (status == GMC_E_INPUT) status = GMC_OK; // values that are not good together
        if (status == GMC_OK) take_in(&sight, list, starts);
    }
    gmc_look_close(&look);
    return status;
}
