// The block `clutter` of a scenario.
#include "sampling/scenario/reader_internal.h"

void gmc_reader_clutter(gmc_reader *r, gmc_node *map)
{
    gmc_clutter_spec *clutter = &r->scenario->clutter;
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *bodies = gmc_node_find(map, "bodies"), *count = gmc_node_find(map, "count");
    clutter->source = map->key_source;
    gmc_reader_items(r, gmc_node_find(map, "kinds"), "clutter.kinds", true, &clutter->kinds,
                     &clutter->kind_count);
    gmc_reader_fields(r, map, "clutter", GMC_SCHEMA_CLUTTER, clutter);
    if (!bodies || !bodies->is_number || clutter->kind_count == 0 || clutter->from[0] < 0 ||
        clutter->to[0] < 0 || clutter->gap < 0 || clutter->arrangement < 0)
        return; // reported, but for an empty list of kinds
    clutter->bodies = (int)gmc_node_whole(bodies, 0);
    clutter->count =
        gmc_scenario_add_parameter(r->scenario, "clutter.count", GMC_DIM_NONE,
                                   count && count->is_number ? count->number : bodies->number, 0,
                                   bodies->number, count ? count->source : bodies->source, !count);
    if (clutter->count < 0) {
        r->is_arena_full = true;
        clutter->bodies = 0;
    }
    if (count && count->is_number && count->number > bodies->number)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, count->source,
                            "raise clutter.bodies", "clutter.count: %g of %d bodies", count->number,
                            clutter->bodies);
}
