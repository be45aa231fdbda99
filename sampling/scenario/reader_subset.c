// Subset simulation: how many trials, and what they are judged by.
#include "sampling/design/subset.h"
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>

void gmc_reader_subset(gmc_reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "subset");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *margin = gmc_node_find(map, "margin");
    const gmc_node *points = gmc_node_find(map, "per_level");
    s->subset = (gmc_subset_spec){.is_given = true,
                                  .source = map->key_source,
                                  .margin = margin && !margin->is_bad ? margin : NULL};
    gmc_reader_fields(r, map, "sampling.subset", GMC_SCHEMA_SUBSET, &s->subset);
    if (s->subset.per_level % GMC_SUBSET_STEPS != 0) {
        char hint[64];
        int below = s->subset.per_level - s->subset.per_level % GMC_SUBSET_STEPS;
        snprintf(hint, sizeof hint, "%d or %d", below, below + GMC_SUBSET_STEPS);
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, points->source, hint,
                            "sampling.subset.per_level: a tenth of the points goes on, so their "
                            "number is a multiple of %d",
                            GMC_SUBSET_STEPS);
        s->subset.per_level = below;
    }
}
