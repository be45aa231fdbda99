// `object.support.points: tripod(disk r)`: one line for the six coordinates of three points. Its
// distribution serves those who ask how far a coordinate may go.
#include "sampling/scenario/chance.h"
#include "sampling/scenario/resolve_internal.h"

#include <string.h>

const gmc_item_spec *gmc_resolve_footing(const gmc_scenario *s, const char *path)
{
    static const char TAIL[] = ".support.points";
    size_t length = strlen(path), tail = sizeof TAIL - 1;
    if (length <= tail || strcmp(path + length - tail, TAIL) != 0) return NULL;
    for (int i = 0; i < s->object_count + s->scene_count; i++) {
        const gmc_item_spec *item =
            i < s->object_count ? &s->objects[i] : &s->scene[i - s->object_count];
        if (strlen(item->path) == length - tail && strncmp(item->path, path, length - tail) == 0)
            return item->support && item->support->point_count > 0 ? item : NULL;
    }
    return NULL;
}

int gmc_resolve_tripod_axes(gmc_scenario *s)
{
    enum { MORE = 5 }; // besides the line's own
    int axes = s->uncertain_count;
    for (int i = 0; i < s->uncertain_count; i++) {
        if (!gmc_resolve_footing(s, s->uncertain[i].path)) continue;
        s->uncertain[i].tripod_axis = axes;
        axes += MORE;
    }
    return axes;
}

gmc_status gmc_resolve_tripod(const gmc_resolver *r, const gmc_item_spec *item, gmc_uncertain *line)
{
    gmc_chance_context context = {.scenario = r->scenario, .report = r->report, .path = line->path};
    double radius = 0;
    gmc_status status = gmc_chance_tripod(&context, line->node, &radius);
    if (status != GMC_OK) return status;
    if (item->support->point_count != 3) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, line->source,
                            "give three points under support",
                            "%.120s: a tripod has three points, the support has %d", line->path,
                            item->support->point_count);
        return GMC_OK;
    }
    line->targets = gmc_arena_take(r->scenario->arena, 6, sizeof *line->targets);
    if (!line->targets) return GMC_E_ARENA_FULL;
    memcpy(line->targets, item->support->points, 6 * sizeof *line->targets);
    line->target_count = 6;
    line->tripod = radius;
    line->tripod_item = item;
    double reach = radius + gmc_vec2_norm(item->centre);
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_UNIFORM, .p = {-reach, reach}};
    return GMC_OK;
}
