// `study.optimise`: which numbers of the hand or the program make success most likely.
#include "sampling/scenario/reader_internal.h"

#include <string.h>

void gmc_reader_optimise(gmc_reader *r, const gmc_node *study)
{
    const gmc_node *map = gmc_node_find(study, "optimise");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *budget = gmc_node_find(map, "budget");
    const char *goal = gmc_reader_text(map, "goal");
    r->scenario->optimise =
        (gmc_optimise_spec){.is_given = true,
                            .source = map->key_source,
                            .budget_source = budget ? budget->source : map->source,
                            .budget = gmc_node_whole(budget, 0),
                            .is_cautious = goal && strcmp(goal, "lower") == 0};
}
