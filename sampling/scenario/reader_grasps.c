// Candidate grasps of an object: the file is read and those that are wanted are chosen. What they
// set is worked out when the hand and all parameters are known (resolve_grasps.c).
#include "sampling/grasps/format.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/reader_internal.h"

#include <stdlib.h>
#include <string.h>

// What a claim under `where` may name, in the order of its values.
static const struct {
    const char *name, *unit;
} NAMES[] = {{"confidence", "1"}, {"row", "1"}, {"x", "m"}, {"y", "m"}, {"z", "m"}};

static gmc_expression_found find(void *context, const char *name, int *index,
                                 gmc_exponents *exponents)
{
    (void)context;
    for (*index = 0; *index < GMC_COUNT(NAMES); (*index)++) {
        if (strcmp(NAMES[*index].name, name) != 0) continue;
        *exponents = gmc_units_of(NAMES[*index].unit);
        return GMC_EXPRESSION_FOUND;
    }
    return GMC_EXPRESSION_UNKNOWN;
}

static const char *nearest(void *context, const char *name)
{
    (void)context;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < GMC_COUNT(NAMES); i++)
        gmc_nearest_offer(&nearest, NAMES[i].name);
    return nearest.best;
}

static void read_offset(const gmc_node *map, double offset[6])
{
    static const char *const KEYS[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    for (int i = 0; i < 6; i++) {
        const gmc_node *node = gmc_node_find(map, KEYS[i]);
        offset[i] = node && node->is_number ? node->number : 0;
    }
}

// The claim under `where`; without one nothing is asked. False after a mistake.
static bool read_claim(gmc_reader *r, const gmc_node *map, gmc_compiled_criterion *claim)
{
    const gmc_expression_names names = {.find = find,
                                        .nearest = nearest,
                                        .noun = "name",
                                        .example = "for example confidence > 0.3",
                                        .where = "it may name confidence, row, x, y and z"};
    const gmc_node *node = gmc_node_find(map, "where");
    const gmc_expression *root = NULL;
    *claim = (gmc_compiled_criterion){0};
    if (!node || node->kind != GMC_NODE_SCALAR || node->text[0] == 0) return !node;
    gmc_status status =
        gmc_expression_parse_claim(node, &names, r->scenario->arena, r->report, &root);
    if (status == GMC_OK) status = gmc_expression_compile(root, r->scenario->arena, claim);
    if (status == GMC_E_ARENA_FULL) r->is_arena_full = true;
    return status == GMC_OK;
}

static bool is_wanted(const gmc_grasp_set *set, int row, const gmc_compiled_criterion *claim)
{
    const gmc_grasp *g = &set->grasps.list[row];
    if (!claim->nodes) return true;
    const double values[] = {g->confidence, row, g->position[0], g->position[1], g->position[2]};
    return gmc_criteria_value(claim, values) != 0;
}

static void choose(gmc_reader *r, const gmc_node *map, gmc_grasp_set *set)
{
    gmc_compiled_criterion claim;
    const gmc_node *first = gmc_node_find(map, "first"), *where = gmc_node_find(map, "where");
    if (!read_claim(r, map, &claim) || set->grasps.count == 0) return;
    int64_t most = gmc_node_whole(first, set->grasps.count);
    set->rows = malloc((size_t)set->grasps.count * sizeof *set->rows);
    for (int i = 0; set->rows && i < set->grasps.count && set->count < most; i++)
        if (is_wanted(set, i, &claim)) set->rows[set->count++] = i;
    if (!set->rows)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_MEMORY, set->source, NULL, "no memory");
    else if (set->count == 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, where ? where->source : set->source,
                            "graspmc check without it tells what there is",
                            "%.120s: none of %d grasps fulfils this", set->path, set->grasps.count);
}

static void read_file(gmc_reader *r, const gmc_node *map, gmc_node *file, gmc_grasp_set *set)
{
    const char *format = gmc_reader_text(map, "format");
    set->file = gmc_reader_file_name(r, file);
    if (!set->file) return;
    const gmc_asset *asset =
        gmc_scenario_load_asset(r->scenario, set->file, file->source, r->report);
    if (!asset) return; // reported
    set->asset_file = asset->file;
    gmc_status status =
        gmc_grasps_format_read(format ? gmc_grasps_format_find(format) : NULL, asset->file,
                               asset->bytes, asset->size, r->report, &set->grasps);
    if (status == GMC_OK) {
        choose(r, map, set);
        return;
    }
    gmc_grasps_free(&set->grasps);
    if (status == GMC_E_INPUT) return; // reported
    gmc_diagnostics_add(r->report, GMC_ERROR, status, file->source, NULL, "%.200s: %s", set->file,
                        gmc_status_name(status));
}

struct gmc_grasp_set *gmc_reader_grasps(gmc_reader *r, const gmc_node *item, const char *path,
                                        bool is_object)
{
    gmc_node *map = gmc_node_find(item, "grasps");
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    if (!is_object) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, map->key_source, "remove it",
                            "%.120s.grasps: only objects are grasped", path);
        return NULL;
    }
    gmc_grasp_set *set = gmc_reader_take(r, 1, sizeof *set);
    if (!set) return NULL;
    const gmc_node *frame = gmc_node_find(map, "frame");
    *set = (gmc_grasp_set){.path = gmc_reader_join(r, path, "grasps"), .source = map->key_source};
    gmc_reader_fields(r, map, set->path, GMC_SCHEMA_GRASPS, set);
    set->frame_source = frame ? frame->source : map->key_source;
    read_offset(gmc_node_find(map, "gripper"), set->gripper);
    read_offset(gmc_node_find(map, "object"), set->object);
    gmc_node *file = gmc_node_find(map, "file");
    int errors_before = r->report->error_count;
    if (file) read_file(r, map, file, set);
    r->mended += r->report->error_count - errors_before; // models are made without them
    return set;
}
