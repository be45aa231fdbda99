// `study.optimise`: which numbers of the hand or the program make success most likely, or a
// quantile of what trials measure best.
#include "sampling/scenario/reader_internal.h"

#include <stdlib.h>
#include <string.h>

/// "smallest quantile(slip, 0.95)": what, and of which share. The measure is read where the columns
/// are known. @return whether it is written so
static bool read_quantile(gmc_reader *r, const char *goal, gmc_optimise_spec *spec)
{
    static const char *const WORDS[] = {"smallest quantile(", "largest quantile("};
    for (int i = 0; i < GMC_COUNT(WORDS); i++) {
        size_t word = strlen(WORDS[i]), length = strlen(goal);
        const char *comma = strrchr(goal, ',');
        if (strncmp(goal, WORDS[i], word) != 0 || !comma || goal[length - 1] != ')') continue;
        char *end;
        double p = strtod(comma + 1, &end);
        while (*end == ' ')
            end++;
        if (end != goal + length - 1 || !(p > 0 && p < 1) || comma <= goal + word) return false;
        size_t bytes = (size_t)(comma - goal) - word;
        char *of = gmc_arena_take(r->scenario->arena, bytes + 1, 1);
        if (!of) {
            r->is_arena_full = true;
            return true;
        }
        memcpy(of, goal + word, bytes);
        spec->quantile_of = of;
        spec->quantile_p = p;
        spec->is_largest = i == 1;
        return true;
    }
    return false;
}

static void read_goal(gmc_reader *r, const gmc_node *map, gmc_optimise_spec *spec)
{
    const gmc_node *node = gmc_node_find(map, "goal");
    spec->goal_source = node ? node->source : map->source;
    spec->is_cautious = strcmp(spec->goal, "lower") == 0;
    if (spec->is_cautious || strcmp(spec->goal, "success") == 0) return;
    if (!read_quantile(r, spec->goal, spec))
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, spec->goal_source,
                            "goal: smallest quantile(slip, 0.95); 0.95 is between 0 and 1",
                            "study.optimise.goal: expected success, lower, smallest "
                            "quantile(MEASURE, P) or largest quantile(MEASURE, P), found %.120s",
                            spec->goal);
}

void gmc_reader_optimise(gmc_reader *r, const gmc_node *study)
{
    const gmc_node *map = gmc_node_find(study, "optimise");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *budget = gmc_node_find(map, "budget");
    gmc_optimise_spec *spec = &r->scenario->optimise;
    *spec = (gmc_optimise_spec){.is_given = true,
                                .source = map->key_source,
                                .budget_source = budget ? budget->source : map->source};
    gmc_reader_fields(r, map, "study.optimise", GMC_SCHEMA_OPTIMISE, spec);
    read_goal(r, map, spec);
}
