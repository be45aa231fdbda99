// The blocks `object`, `objects` and `scene`: bodies, their shapes and what else they say.
#include "engine/model/polygon.h"
#include "sampling/scenario/reader_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void check_item(gmc_reader *r, gmc_item_spec *item, bool is_object, const gmc_node *map)
{
    bool moves = is_object || !item->is_fixed;
    const gmc_node *free = gmc_node_find(map, "free");
    if (is_object && free)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, free->key_source,
                            "remove it; bodies that do not move belong into the scene",
                            "%s.free: an object always moves", item->path);
    if (item->kind == GMC_KIND_PLANE && moves)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                            "planes belong into the scene and stay fixed",
                            "%s: a plane cannot move", item->path);
    if (moves && item->kind != GMC_KIND_PLANE && !gmc_node_find(map, "mass") &&
        !gmc_node_find(map, "density")) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                            "for example mass: 0.2 kg", "%s needs mass or density, for it moves",
                            item->path);
        item->mass =
            gmc_scenario_add_parameter(r->scenario, gmc_reader_join(r, item->path, "mass"),
                                       GMC_DIM_MASS, 1, DBL_MIN, INFINITY, item->source, true);
        if (item->mass < 0)
            r->is_arena_full = true;
        else
            r->scenario->parameters[item->mass].is_stand_in = true;
        r->mended++;
    }
    if (item->placed_resting && !moves)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                            "remove placed: resting, or add free: true",
                            "%s: a fixed body stays where it is", item->path);
}

static void read_shape(gmc_reader *r, gmc_node *map, gmc_item_spec *item)
{
    static const struct {
        const char *key;
        gmc_shape_kind kind;
        gmc_schema_group group; // of its numbers; ROOT: it is no map
    } KINDS[] = {{"box", GMC_KIND_BOX, GMC_SCHEMA_ROOT},
                 {"sphere", GMC_KIND_SPHERE, GMC_SCHEMA_SPHERE},
                 {"capsule", GMC_KIND_CAPSULE, GMC_SCHEMA_ROUND},
                 {"cylinder", GMC_KIND_CYLINDER, GMC_SCHEMA_ROUND},
                 {"plane", GMC_KIND_PLANE, GMC_SCHEMA_PLANE},
                 {"mesh", GMC_KIND_MESH, GMC_SCHEMA_ROOT},
                 {"circle", GMC_KIND_CIRCLE, GMC_SCHEMA_SPHERE},
                 {"super_ellipse", GMC_KIND_SUPER_ELLIPSE, GMC_SCHEMA_ELLIPSE},
                 {"polygon", GMC_KIND_POLYGON, GMC_SCHEMA_ROOT}};
    gmc_node *shape = NULL;
    gmc_schema_group group = GMC_SCHEMA_ROOT;
    for (int i = 0; i < GMC_COUNT(KINDS) && !shape; i++) {
        shape = gmc_node_find(map, KINDS[i].key);
        if (!shape) continue;
        item->kind = KINDS[i].kind;
        group = KINDS[i].group;
    }
    if (!shape) return;
    const char *path = gmc_reader_join(r, item->path, shape->key);
    if (group != GMC_SCHEMA_ROOT) gmc_reader_fields(r, shape, path, group, item);
    if (item->kind == GMC_KIND_BOX) gmc_reader_vector(r, map, item->path, "box", item->size);
    if (item->kind == GMC_KIND_MESH) {
        item->mesh = gmc_reader_file_name(r, shape);
        item->mesh_file = gmc_reader_load(r, item->mesh, shape->source);
        r->mended += item->mesh && !item->mesh_file; // told; something else is touched instead
        item->scale = gmc_reader_number(r, map, item->path, "scale");
    }
    if (item->kind == GMC_KIND_POLYGON) {
        item->vertices = gmc_reader_vertices(r, shape, &item->vertex_count);
        item->vertex_params = gmc_reader_points(r, shape, path, &item->vertex_count);
        if (item->vertex_count >= 3)
            item->centre = gmc_polygon_measure(item->vertices, item->vertex_count).centroid;
    }
}

static gmc_item_spec empty_item(const gmc_node *map, const char *name, const char *path)
{
    gmc_item_spec item = {.name = name, .path = path, .source = map->key_source, .scale = -1};
    item.mass = item.density = item.thickness = -1;
    for (int i = 0; i < 3; i++)
        item.size[i] = item.com[i] = -1;
    for (int i = 0; i < 6; i++)
        item.inertia[i] = -1;
    return item;
}

static void read_parts(gmc_reader *r, const gmc_node *map, gmc_item_spec *item)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    gmc_item_spec *parts = gmc_reader_take(r, map->count, sizeof *parts);
    if (!parts) return;
    const char *prefix = gmc_reader_join(r, item->path, "parts");
    for (gmc_node *n = map->first; n; n = n->next) {
        if (n->kind != GMC_NODE_MAP) continue;
        gmc_item_spec *part = &parts[item->part_count++];
        *part = empty_item(n, n->key, gmc_reader_join(r, prefix, n->key));
        read_shape(r, n, part);
        part->pose = gmc_reader_pose(r, n, part->path, "pose");
    }
    item->parts = parts;
}

static void read_item(gmc_reader *r, gmc_node *map, const char *name, const char *path,
                      bool is_object, gmc_item_spec *item)
{
    static const char *const PATH[] = {"x", "y", "yaw"}, *const PUSH[] = {"x", "y", "torque"};
    *item = empty_item(map, name, path);
    read_shape(r, map, item);
    read_parts(r, gmc_node_find(map, "parts"), item);
    gmc_reader_fields(r, map, path, GMC_SCHEMA_ITEM, item);
    item->course = gmc_reader_course(r, map, path, "path", PATH);
    item->push = gmc_reader_course(r, map, path, "push", PUSH);
    item->support = gmc_reader_footing(r, gmc_node_find(map, "support"), path);
    item->grasps = gmc_reader_grasps(r, map, path, is_object);
    item->pose = gmc_reader_pose(r, map, path, "pose");
    item->is_fixed = !is_object && !gmc_reader_bool(map, "free");
    check_item(r, item, is_object, map);
}

void gmc_reader_items(gmc_reader *r, gmc_node *map, const char *prefix, bool is_object,
                      gmc_item_spec **items, int *count)
{
    *items = NULL;
    *count = 0;
    if (!map || map->kind != GMC_NODE_MAP) return;
    *items = gmc_reader_take(r, map->count, sizeof **items);
    if (!*items) return;
    for (gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_MAP)
            read_item(r, n, n->key, gmc_reader_join(r, prefix, n->key), is_object,
                      &(*items)[(*count)++]);
}

void gmc_reader_objects(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *single = gmc_node_find(root, "object");
    if (!single) {
        gmc_node *objects = gmc_node_find(root, "objects");
        gmc_reader_items(r, objects, "objects", true, &s->objects, &s->object_count);
        if (objects && objects->count == 0)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, objects->key_source, NULL,
                                "objects: at least one object is needed");
        return;
    }
    if (single->kind != GMC_NODE_MAP) return;
    s->objects = gmc_reader_take(r, 1, sizeof *s->objects);
    if (!s->objects) return;
    s->object_count = 1;
    read_item(r, single, "object", "object", true, s->objects);
}
