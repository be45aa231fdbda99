#include "sampling/campaign/nominal.h"

#include "sampling/campaign/look.h"
#include "sampling/scenario/perturb.h"

#include <math.h>
#include <stdlib.h>

/// A hand and its arm reach farther with their joints alone only if they are large [m].
static const double FAR = 2;

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

static gmc_status look_for_far(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                               void *context)
{
    gmc_sight *sight = context;
    GMC_TRY(gmc_rollout_gap(input, GMC_CATEGORY_HAND, GMC_CATEGORY_OBJECT, trial, scratch,
                            &sight->start.gap));
    return look_at_overlaps(input, trial, scratch, context);
}

// Gaps cost more than overlaps.
static gmc_status look_at_all(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                              void *context)
{
    gmc_sight *sight = context;
    GMC_TRY(gmc_rollout_gap(input, GMC_CATEGORY_HAND, GMC_CATEGORY_OBJECT, trial, scratch,
                            &sight->start.gap));
    GMC_TRY(gmc_rollout_gap(input, GMC_CATEGORY_HAND, GMC_CATEGORY_SCENE, trial, scratch,
                            &sight->start.scene_gap));
    return look_at_overlaps(input, trial, scratch, context);
}

/// No case was seen yet in which the hand is near the object.
static bool is_far(const gmc_nominal_starts *starts) { return starts->nearest > FAR; }

static void take_in_shallow(const gmc_build_overlaps *overlaps, int64_t c,
                            gmc_nominal_starts *starts)
{
    if (overlaps->shallow_count == 0) return;
    starts->shallow++;
    if (overlaps->shallow.depth <= starts->lightly.depth) return;
    starts->shallowest = c;
    starts->lightly = overlaps->shallow;
    starts->lightly_count = overlaps->shallow_count;
}

static void take_in(gmc_sight *sight, gmc_nominal_start *list, gmc_nominal_starts *starts)
{
    const gmc_build_overlaps *overlaps = &sight->overlaps;
    int64_t c = starts->looked_at++;
    if (overlaps->count > 0) sight->start.worst = overlaps->list[0];
    if (list) list[c] = sight->start;
    double gap = sight->start.gap.gap;
    if (is_far(starts) && !(gap >= starts->nearest)) starts->nearest = gap;
    if (overlaps->accepted > 0) starts->accepted = overlaps->accepted;
    if (overlaps->count == 0) {
        take_in_shallow(overlaps, c, starts);
        return;
    }
    bool is_first = starts->deep++ == 0;
    if (!is_first && overlaps->list[0].depth <= starts->worst.list[0].depth) return;
    starts->deepest = c;
    starts->worst = *overlaps;
}

gmc_status gmc_nominal_look(const gmc_scenario *scenario, const gmc_build *build, int64_t count,
                            gmc_nominal_start *list, gmc_nominal_starts *starts)
{
    const gmc_rollout_gap_found unknown = {(double)NAN, (double)NAN};
    gmc_look look;
    *starts = (gmc_nominal_starts){.nearest = INFINITY};
    gmc_status status = gmc_look_open(scenario, build, &look);
    for (int64_t c = 0; c < count && status == GMC_OK; c++) {
        gmc_sight sight = {.start = {.gap = unknown, .scene_gap = unknown}};
        gmc_perturb_believed(scenario, c, look.believed);
        gmc_perturb_believed(scenario, c, look.values);
        gmc_look_at *at = list ? look_at_all : is_far(starts) ? look_for_far : look_at_overlaps;
        status = gmc_look_do(&look, c, at, &sight);
        if (status == GMC_E_INPUT) status = GMC_OK; // values that are not good together
        if (status == GMC_OK) take_in(&sight, list, starts);
    }
    gmc_look_close(&look);
    return status;
}

void gmc_nominal_warn_far(const gmc_scenario *scenario, const gmc_nominal_starts *starts,
                          gmc_diagnostics *messages)
{
    static const gmc_diagnostic_kind far_kind = {"starts far from the object:", "hands"};
    double *values = calloc((size_t)scenario->parameter_count + 1, sizeof *values);
    // what a robot carries goes where its joints take it
    if (!values || !scenario->hand.urdf || scenario->hand.mounted_on ||
        !isfinite(starts->nearest)) {
        free(values);
        return;
    }
    gmc_perturb_believed(scenario, 0, values);
    double travel = gmc_build_travel(scenario, values);
    const gmc_param at[] = {scenario->hand.target.x, scenario->hand.target.y,
                            scenario->hand.target.z};
    gmc_source source = scenario->hand.source;
    double farthest = 0;
    for (int k = 0; k < GMC_COUNT(at); k++) {
        if (at[k] < 0 || !(fabs(values[at[k]]) > farthest)) continue;
        farthest = fabs(values[at[k]]);
        if (!scenario->parameters[at[k]].is_default) source = scenario->parameters[at[k]].source;
    }
    if (starts->nearest > FAR + travel)
        gmc_diagnostics_warn(messages, source, (gmc_diagnostic_subject){&far_kind, "hand"},
                             "a number without a unit is in metres: 100 mm, not 100",
                             "the hand starts %.4g m from the object%s, and the program moves it "
                             "by at most %.4g m",
                             starts->nearest,
                             starts->looked_at > 1 ? " in the nearest case looked at" : "", travel);
    free(values);
}
