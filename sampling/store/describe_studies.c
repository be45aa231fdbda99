// Studies that choose their trials as they go: ladders, rankings, subset simulation, pairs of
// levels.
#include "sampling/build/margin.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/language/node.h"
#include "sampling/store/describe_internal.h"

#include <stdio.h>

/// How all levels take their steps, and their names in a row.
static gmc_status describe_levels(const gmc_describing *d, gmc_store_level *levels,
                                  const char **names)
{
    const gmc_scenario *s = d->scenario;
    char text[1024] = "";
    size_t used = 0;
    for (int i = 0; i < s->level_count; i++) {
        gmc_build_way way = gmc_build_level_way(d->build, i);
        levels[i] = (gmc_store_level){s->levels[i].name, way.stepper, way.motion, way.step};
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ", %s" : "%s",
                                     levels[i].name);
    }
    *names = gmc_arena_text(d->arena, text);
    return *names ? GMC_OK : GMC_E_ARENA_FULL;
}

gmc_status gmc_describe_ladder(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_plan *plan = d->plan;
    if (s->level_count == 0 || s->pilot > 0 || plan->first > 0 || plan->count < plan->total)
        return GMC_OK;
    gmc_store_ladder *ladder = gmc_arena_take(d->arena, 1, sizeof *ladder);
    gmc_store_level *levels = gmc_arena_take(d->arena, (size_t)s->level_count, sizeof *levels);
    if (!ladder || !levels) return GMC_E_ARENA_FULL;
    *ladder = (gmc_store_ladder){.sieve = gmc_rollouts_sieve(s), .levels = levels};
    plan->ladder = ladder;
    return describe_levels(d, levels, &ladder->names);
}

gmc_status gmc_describe_race(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_plan *plan = d->plan;
    if (!s->rank.is_given || plan->first > 0 || plan->count < plan->total) return GMC_OK;
    gmc_race_plan *race = gmc_arena_take(d->arena, 1, sizeof *race);
    int *groups = gmc_arena_take(d->arena, (size_t)s->case_count, sizeof *groups);
    if (!race || !groups) return GMC_E_ARENA_FULL;
    *race = gmc_rollouts_race(s);
    if (s->rank.is_per_object) {
        race->group_count = gmc_rollouts_groups(s, groups);
        race->groups = groups;
    }
    plan->race = race;
    plan->round = d->round;
    return GMC_OK;
}

gmc_status gmc_describe_subset(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    if (!s->subset.is_given) return GMC_OK;
    gmc_store_subset *subset = gmc_arena_take(d->arena, 1, sizeof *subset);
    if (!subset) return GMC_E_ARENA_FULL;
    *subset =
        (gmc_store_subset){.levels = gmc_rollouts_subset(s),
                           .margin = s->subset.code,
                           .is_derived = !s->subset.margin,
                           .text = s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED};
    d->plan->subset = subset;
    return GMC_OK;
}

gmc_status gmc_describe_pairs(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    if (s->pilot == 0) return GMC_OK;
    gmc_store_pairs *pairs = gmc_arena_take(d->arena, 1, sizeof *pairs);
    if (!pairs) return GMC_E_ARENA_FULL;
    pairs->plan = (gmc_pairs_plan){
        .draws = (uint64_t)s->draws, .pilot = (uint64_t)s->pilot, .levels = s->level_count};
    GMC_TRY(describe_levels(d, pairs->levels, &pairs->names));
    d->plan->pairs = pairs;
    return GMC_OK;
}
