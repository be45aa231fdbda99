// What there is: objects, scene and clutter, the hand, surfaces and their friction.
#include "engine/base/lookup.h"
#include "engine/model/polygon.h"
#include "sampling/grasps/format.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/reader_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- functions of time ------------------------------------------------------------------------

static gmc_curve_spec read_curve(gmc_reader *r, const gmc_node *list, const char *path)
{
    gmc_curve_spec curve = {0};
    if (!list || list->kind != GMC_NODE_LIST || list->is_bad) return curve;
    gmc_param *knots = gmc_reader_take(r, 2 * list->count, sizeof *knots);
    if (!knots) return curve;
    for (const gmc_node *n = list->first; n; n = n->next) {
        char index[16];
        if (n->kind != GMC_NODE_LIST || n->count != 2) return (gmc_curve_spec){0};
        snprintf(index, sizeof index, "%d", curve.count);
        const char *knot = gmc_reader_join(r, path, index);
        knots[2 * curve.count] = gmc_reader_enter(r, n->first, gmc_reader_join(r, knot, "time"));
        // knots of paths have no bounds, their times begin with the trial
        if (knots[2 * curve.count] >= 0) r->scenario->parameters[knots[2 * curve.count]].lower = 0;
        knots[2 * curve.count + 1] =
            gmc_reader_enter(r, n->last, gmc_reader_join(r, knot, "value"));
        curve.count++;
    }
    curve.knots = knots;
    return curve;
}

// Functions of time under map[key] of a body, whose knots are parameters "path.x.0.time",
// "path.x.0.value", so that a plan can be drawn, studied and ranked like anything else; NULL if it
// says nothing.
static const gmc_course_spec *read_course(gmc_reader *r, const gmc_node *map, const char *path,
                                          const char *key, const char *const names[3])
{
    const gmc_node *course = gmc_node_find(map, key);
    if (!course || course->kind != GMC_NODE_MAP) return NULL;
    gmc_course_spec *spec = gmc_reader_take(r, 1, sizeof *spec);
    if (!spec) return NULL;
    spec->source = course->key_source;
    const char *full = gmc_reader_join(r, path, key);
    for (int k = 0; k < 3; k++)
        spec->curves[k] =
            read_curve(r, gmc_node_find(course, names[k]), gmc_reader_join(r, full, names[k]));
    return spec;
}

// ---- planar bodies: outlines and what they lie on ---------------------------------------------

// Vertices of a checked polygon; NULL if it is not good (reported) or the arena is full.
static const gmc_vec2 *read_vertices(gmc_reader *r, const gmc_node *list, int *count)
{
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST) return NULL;
    gmc_vec2 *vertices = gmc_reader_take(r, list->count, sizeof *vertices);
    if (!vertices) return NULL;
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_LIST || n->count != 2) {
            *count = 0;
            return NULL;
        }
        vertices[(*count)++] = (gmc_vec2){n->first->number, n->last->number};
    }
    return vertices;
}

// Coordinates of points, each a parameter "path.0.x", "path.0.y", "path.1.x" ...
static const gmc_param *read_points(gmc_reader *r, const gmc_node *list, const char *path,
                                    int *count)
{
    static const char *const XY[] = {"x", "y"};
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST || list->is_bad) return NULL;
    gmc_param *points = gmc_reader_take(r, 2 * list->count, sizeof *points);
    if (!points) return NULL;
    for (const gmc_node *n = list->first; n; n = n->next) {
        char index[16];
        snprintf(index, sizeof index, "%d", *count);
        if (n->kind != GMC_NODE_LIST || n->count != 2) {
            *count = 0;
            return NULL;
        }
        const char *point = gmc_reader_join(r, path, index);
        const gmc_node *xy[2] = {n->first, n->last};
        for (int k = 0; k < 2; k++)
            points[2 * *count + k] = gmc_reader_enter(r, xy[k], gmc_reader_join(r, point, XY[k]));
        (*count)++;
    }
    return points;
}

// One coefficient "path", or several "path.0", "path.1" ...
static const gmc_param *read_frictions(gmc_reader *r, const gmc_node *node, const char *path,
                                       int *count)
{
    *count = 0;
    if (!node || node->kind == GMC_NODE_MAP) return NULL;
    int room = node->kind == GMC_NODE_LIST ? node->count : 1;
    gmc_param *frictions = gmc_reader_take(r, room, sizeof *frictions);
    if (!frictions) return NULL;
    if (node->kind == GMC_NODE_SCALAR) {
        frictions[(*count)++] = gmc_reader_enter(r, node, path);
        return frictions;
    }
    for (const gmc_node *n = node->first; n; n = n->next) {
        char index[16];
        gmc_node entry = *n;
        entry.row = node->row;
        snprintf(index, sizeof index, "%d", *count);
        frictions[(*count)++] = gmc_reader_enter(r, &entry, gmc_reader_join(r, path, index));
    }
    return frictions;
}

// What a body lies on; NULL if it says nothing.
static const gmc_footing_spec *read_footing(gmc_reader *r, const gmc_node *map, const char *path)
{
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    gmc_footing_spec *f = gmc_reader_take(r, 1, sizeof *f);
    if (!f) return NULL;
    const gmc_node *points = gmc_node_find(map, "points"), *disk = gmc_node_find(map, "disk");
    const gmc_node *polygon = gmc_node_find(map, "polygon");
    const char *full = gmc_reader_join(r, path, "support");
    f->source = points ? points->source : map->key_source;
    f->points = read_points(r, points, gmc_reader_join(r, full, "points"), &f->point_count);
    f->radius = gmc_reader_number(r, disk, gmc_reader_join(r, full, "disk"), "radius");
    f->vertices = read_vertices(r, polygon, &f->vertex_count);
    f->frictions = read_frictions(r, gmc_node_find(map, "friction"),
                                  gmc_reader_join(r, full, "friction"), &f->friction_count);
    gmc_reader_fields(r, map, full, GMC_SCHEMA_SUPPORT, f);
    return f;
}

// ---- grasps -----------------------------------------------------------------------------------

// Candidate grasps of an object: the file is read and those that are wanted are chosen. What they
// set is worked out when the hand and all parameters are known (grasp_set.c).

// What a claim under `where` may name, in the order of its values.
static const struct {
    const char *name, *unit;
} NAMES[] = {{"confidence", "1"}, {"row", "1"}, {"x", "m"}, {"y", "m"}, {"z", "m"}};

static gmc_expression_found find_claim_name(void *context, const char *name, int *index,
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

static const char *nearest_claim_name(void *context, const char *name)
{
    (void)context;
    gmc_nearest nearest_claim_name = gmc_nearest_start(name);
    for (int i = 0; i < GMC_COUNT(NAMES); i++)
        gmc_nearest_offer(&nearest_claim_name, NAMES[i].name);
    return nearest_claim_name.best;
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
    const gmc_expression_names names = {.find = find_claim_name,
                                        .nearest = nearest_claim_name,
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
        gmc_diagnostics_add(r->report, GMC_E_MEMORY, set->source, NULL, "no memory");
    else if (set->count == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, where ? where->source : set->source,
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
    gmc_diagnostics_add(r->report, status, file->source, NULL, "%.200s: %s", set->file,
                        gmc_status_name(status));
}

static struct gmc_grasp_set *read_grasps(gmc_reader *r, const gmc_node *item, const char *path,
                                         bool is_object)
{
    gmc_node *map = gmc_node_find(item, "grasps");
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    if (!is_object) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->key_source, "remove it",
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

// ---- object, objects, scene -------------------------------------------------------------------

// The blocks `object`, `objects` and `scene`: bodies, their shapes and what else they say.

static void check_item(gmc_reader *r, gmc_item_spec *item, bool is_object, const gmc_node *map)
{
    bool moves = is_object || !item->is_fixed;
    const gmc_node *free = gmc_node_find(map, "free");
    if (is_object && free)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, free->key_source,
                            "remove it; bodies that do not move belong into the scene",
                            "%s.free: an object always moves", item->path);
    if (item->kind == GMC_KIND_PLANE && moves)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source,
                            "planes belong into the scene and stay fixed",
                            "%s: a plane cannot move", item->path);
    if (moves && item->kind != GMC_KIND_PLANE && !gmc_node_find(map, "mass") &&
        !gmc_node_find(map, "density")) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source, "for example mass: 0.2 kg",
                            "%s needs mass or density, for it moves", item->path);
        item->mass =
            gmc_reader_add(r, &(gmc_parameter){.path = gmc_reader_join(r, item->path, "mass"),
                                               .dimension = GMC_DIM_MASS,
                                               .nominal = 1,
                                               .lower = DBL_MIN,
                                               .upper = INFINITY,
                                               .source = item->source,
                                               .is_default = true,
                                               .is_stand_in = true});
        r->mended++;
    }
    if (item->placed_resting && !moves)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source,
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
        item->vertices = read_vertices(r, shape, &item->vertex_count);
        item->vertex_params = read_points(r, shape, path, &item->vertex_count);
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
    item->course = read_course(r, map, path, "path", PATH);
    item->push = read_course(r, map, path, "push", PUSH);
    item->support = read_footing(r, gmc_node_find(map, "support"), path);
    item->grasps = read_grasps(r, map, path, is_object);
    item->pose = gmc_reader_pose(r, map, path, "pose");
    item->is_fixed = !is_object && !gmc_reader_bool(map, "free");
    check_item(r, item, is_object, map);
}

// Every map below map as an item "prefix.name"; in the arena.
static void read_items(gmc_reader *r, gmc_node *map, const char *prefix, bool is_object,
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

static void read_objects(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *single = gmc_node_find(root, "object");
    if (!single) {
        gmc_node *objects = gmc_node_find(root, "objects");
        read_items(r, objects, "objects", true, &s->objects, &s->object_count);
        if (objects && objects->count == 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, objects->key_source, NULL,
                                "objects: at least one object is needed");
        return;
    }
    if (single->kind != GMC_NODE_MAP) return;
    s->objects = gmc_reader_take(r, 1, sizeof *s->objects);
    if (!s->objects) return;
    s->object_count = 1;
    read_item(r, single, "object", "object", true, s->objects);
}

// ---- hand -------------------------------------------------------------------------------------

static void read_joints(gmc_reader *r, const gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->joints = gmc_reader_take(r, map->count, sizeof *hand->joints);
    if (!hand->joints) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *path = gmc_reader_join(r, "hand", n->key);
        gmc_joint_setting *joint = &hand->joints[hand->joint_count++];
        *joint = (gmc_joint_setting){.joint = n->key, .source = n->key_source};
        gmc_reader_fields(r, n, path, GMC_SCHEMA_JOINT, joint);
        const gmc_node *closes = gmc_node_find(n, "closes");
        const char *word = gmc_reader_text(n, "closes");
        joint->closes = !word ? 0 : strcmp(word, "upper") == 0 ? 1 : -1;
        joint->closes_at = closes ? closes->source : n->key_source;
    }
}

static void read_hand_surfaces(gmc_reader *r, const gmc_node *node)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    if (!node) return;
    if (node->kind == GMC_NODE_SCALAR) {
        hand->surface = node->text;
        return;
    }
    if (node->kind != GMC_NODE_MAP) return;
    hand->surfaces = gmc_reader_take(r, node->count, sizeof *hand->surfaces);
    if (!hand->surfaces) return;
    for (const gmc_node *n = node->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR) continue;
        hand->surfaces[hand->surface_count++] =
            (gmc_surface_setting){.link = n->key, .surface = n->text, .source = n->key_source};
        if (strcmp(n->key, "rest") == 0) hand->surface = n->text;
    }
}

static const char *const *read_names(gmc_reader *r, gmc_node *list, bool are_files, int *count)
{
    *count = 0;
    int entries = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    const char **names = gmc_reader_take(r, entries + 1, sizeof *names);
    if (!names || entries == 0) return names;
    for (gmc_node *n = list->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR)
            names[(*count)++] = are_files ? gmc_reader_file_name(r, n) : n->text;
    return names;
}

// No names are no choice: without the list the program chooses, and no fingers cannot grasp.
static void check_fingers_named(gmc_reader *r, const gmc_node *list)
{
    if (!list || list->kind != GMC_NODE_LIST || list->count > 0) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, list->source,
                        "name joints that `close` and `open` move, [left_joint, right_joint], or "
                        "leave the line out: then those that bend fingers",
                        "hand.fingers is empty");
}

static void read_hand(gmc_reader *r, gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    hand->target = (gmc_pose_spec){-1, -1, -1, -1, -1, -1};
    int folder_count = 0;
    hand->package_path = read_names(r, gmc_node_find(map, "package_path"), true, &folder_count);
    hand->fingers = read_names(r, gmc_node_find(map, "fingers"), false, &hand->finger_count);
    check_fingers_named(r, gmc_node_find(map, "fingers"));
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->source = map->key_source;
    gmc_reader_fields(r, map, "hand", GMC_SCHEMA_HAND, hand);
    gmc_node *urdf = gmc_node_find(map, "urdf");
    hand->urdf = gmc_reader_file_name(r, urdf);
    hand->urdf_file = gmc_reader_load(r, hand->urdf, urdf ? urdf->source : map->source);
    const gmc_node *frame = gmc_node_find(map, "frame");
    hand->frame_source = frame ? frame->source : map->key_source;
    read_hand_surfaces(r, gmc_node_find(map, "surface"));
    read_joints(r, gmc_node_find(map, "joints"));
    hand->target = gmc_reader_pose(r, map, "hand", "target");
}

// ---- clutter ----------------------------------------------------------------------------------

static void read_clutter(gmc_reader *r, gmc_node *map)
{
    gmc_clutter_spec *clutter = &r->scenario->clutter;
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *bodies = gmc_node_find(map, "bodies"), *count = gmc_node_find(map, "count");
    clutter->source = map->key_source;
    read_items(r, gmc_node_find(map, "kinds"), "clutter.kinds", true, &clutter->kinds,
               &clutter->kind_count);
    gmc_reader_fields(r, map, "clutter", GMC_SCHEMA_CLUTTER, clutter);
    if (!bodies || !bodies->is_number || clutter->kind_count == 0 || clutter->from[0] < 0 ||
        clutter->to[0] < 0 || clutter->gap < 0 || clutter->arrangement < 0)
        return; // reported, but for an empty list of kinds
    clutter->bodies = (int)gmc_node_whole(bodies, 0);
    clutter->count = gmc_reader_add(
        r, &(gmc_parameter){.path = "clutter.count",
                            .nominal = count && count->is_number ? count->number : bodies->number,
                            .upper = bodies->number,
                            .source = count ? count->source : bodies->source,
                            .is_default = !count});
    if (clutter->count < 0) clutter->bodies = 0;
    if (count && count->is_number && count->number > bodies->number)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, count->source, "raise clutter.bodies",
                            "clutter.count: %g of %d bodies", count->number, clutter->bodies);
}

// ---- surfaces ---------------------------------------------------------------------------------

// The block `surfaces`, with an entry for every surface that something is only said to have.

static void name_surface(gmc_reader *r, gmc_node *surfaces, const char *name, gmc_source source)
{
    if (!name || gmc_node_find(surfaces, name)) return;
    gmc_node *entry = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, source);
    if (!entry) {
        r->is_arena_full = true;
        return;
    }
    entry->is_default = true;
    gmc_node_append(surfaces, name, source, entry);
}

// The block, made if nobody wrote it; NULL without memory.
static gmc_node *block_of(gmc_reader *r, gmc_node *root)
{
    gmc_node *surfaces = gmc_node_find(root, "surfaces");
    if (surfaces) return surfaces;
    surfaces = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, root->source);
    if (!surfaces) return NULL;
    surfaces->row = gmc_schema_find(GMC_SCHEMA_ROOT, "surfaces");
    surfaces->is_default = true;
    gmc_node_append(root, "surfaces", root->source, surfaces);
    return surfaces;
}

static int had_count(const gmc_scenario *s)
{
    return s->object_count + s->scene_count + s->clutter.kind_count + s->hand.surface_count + 1;
}

// The i-th surface that something is said to have; NULL: nothing is said there.
static const char *had(const gmc_scenario *s, int i, gmc_source *source)
{
    const gmc_item_spec *items[] = {s->objects, s->scene};
    int counts[] = {s->object_count, s->scene_count};
    for (int k = 0; k < GMC_COUNT(items); i -= counts[k], k++) {
        if (i >= counts[k]) continue;
        *source = items[k][i].source;
        return items[k][i].surface;
    }
    if (i < s->clutter.kind_count) {
        *source = s->clutter.kinds[i].source;
        return s->clutter.kinds[i].surface;
    }
    i -= s->clutter.kind_count + 1;
    *source = i < 0 ? s->hand.source : s->hand.surfaces[i].source;
    return i < 0 ? s->hand.surface : s->hand.surfaces[i].surface;
}

static void name_all(gmc_reader *r, gmc_node *surfaces)
{
    gmc_source source;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        name_surface(r, surfaces, name, source);
    }
}

// Was something left out below, that had to be there?
static bool is_incomplete(const gmc_node *node)
{
    if (node->is_stand_in && node->is_default) return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (is_incomplete(n)) return true;
    return false;
}

// An entry that is incomplete may be one with a misspelt name. (Of those that are complete
// build.c warns, which knows what the links of the hand have.)
static void check_name(gmc_reader *r, const gmc_node *entry)
{
    gmc_nearest nearest = gmc_nearest_start(entry->key);
    gmc_source source;
    if (!is_incomplete(entry)) return;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        if (name && strcmp(name, entry->key) == 0) return;
        if (name) gmc_nearest_offer(&nearest, name);
    }
    if (!nearest.best) return; // what has it may be a mistake, too
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, entry->key_source, hint,
                        "surfaces.%.80s: nothing has this surface", entry->key);
}

static void read_surface(gmc_reader *r, const gmc_node *n, gmc_surface_spec *surface)
{
    const char *path = gmc_reader_join(r, "surfaces", n->key);
    *surface = (gmc_surface_spec){.name = n->key};
    gmc_reader_fields(r, n, path, GMC_SCHEMA_SURFACE, surface);
    gmc_reader_fields(r, gmc_node_find(n, "pad"), gmc_reader_join(r, path, "pad"), GMC_SCHEMA_PAD,
                      surface);
    gmc_reader_vector(r, n, path, "grain", surface->grain);
}

// Every surface that something has gets an entry, so that its properties have paths.
static gmc_status read_surfaces(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *surfaces = block_of(r, root);
    if (!surfaces) return GMC_E_ARENA_FULL;
    if (surfaces->kind != GMC_NODE_MAP) return GMC_OK;
    name_all(r, surfaces);
    s->surfaces = gmc_reader_take(r, surfaces->count, sizeof *s->surfaces);
    if (!s->surfaces) return GMC_E_ARENA_FULL;
    for (gmc_node *n = surfaces->first; n; n = n->next) {
        if (n->is_default)
            GMC_TRY(gmc_validate_part(n, GMC_SCHEMA_SURFACE, "surfaces", r->report, s->arena));
        else
            check_name(r, n);
        read_surface(r, n, &s->surfaces[s->surface_count++]);
    }
    return GMC_OK;
}

// ---- friction ---------------------------------------------------------------------------------

// The block `friction`: one number a pair, or a map of coefficients.

/// What the pairs of a block are held against.
typedef struct surfaces {
    gmc_lookup known; ///< indices into the scenario's surfaces by name
    int idle;         ///< names in pairs that nothing has, so far
} surfaces;

// Index of a surface of the scenario; -1: nothing is called so.
static int find_surface(const gmc_reader *r, const surfaces *all, const char *name)
{
    for (int at = 0, i; (i = gmc_lookup_next(&all->known, gmc_lookup_hash(0, name), &at)) >= 0;)
        if (strcmp(r->scenario->surfaces[i].name, name) == 0) return i;
    return -1;
}

static void check_is_surface(gmc_reader *r, surfaces *all, const char *name, const gmc_node *pair)
{
    if (r->report->error_count > 0) return; // bodies may be missing
    if (find_surface(r, all, name) >= 0) return;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < r->scenario->surface_count && all->idle < GMC_DIAGNOSTICS_SHOWN; i++)
        gmc_nearest_offer(&nearest, r->scenario->surfaces[i].name);
    all->idle++;
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(r->report, GMC_OK, pair->key_source, nearest.best ? hint : NULL,
                        "friction.%.80s: nothing has the surface %.40s", pair->key, name);
}

static bool has_grain(const gmc_reader *r, const surfaces *all, const char *name)
{
    int i = find_surface(r, all, name);
    return i >= 0 && r->scenario->surfaces[i].grain[0] >= 0;
}

static void read_coefficients(gmc_reader *r, const surfaces *all, const gmc_node *map,
                              gmc_friction_spec *f)
{
    const char *path = gmc_reader_join(r, "friction", map->key);
    const gmc_node *rest = gmc_node_find(map, "static"), *across = gmc_node_find(map, "across");
    if (rest) f->friction = gmc_reader_enter(r, rest, path);
    gmc_reader_fields(r, map, path, GMC_SCHEMA_FRICTION, f);
    if (!across || has_grain(r, all, f->a) || has_grain(r, all, f->b)) return;
    char hint[160];
    snprintf(hint, sizeof hint, "surfaces: {%.60s: {grain: x}}", f->a);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, across->key_source, hint,
                        "%.120s.across: neither %.60s nor %.60s has a grain", path, f->a, f->b);
}

static void read_pairs(gmc_reader *r, surfaces *all, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *slash = strchr(n->key, '/');
        if (!slash) continue;
        char *a = gmc_reader_take(r, (int)(slash - n->key) + 1, 1);
        if (!a) return;
        memcpy(a, n->key, (size_t)(slash - n->key));
        gmc_friction_spec *f = &s->frictions[s->friction_count++];
        *f = (gmc_friction_spec){.a = a, .b = slash + 1, .friction = -1, .source = n->key_source};
        gmc_reader_defaults(GMC_SCHEMA_FRICTION, f);
        if (n->kind == GMC_NODE_MAP)
            read_coefficients(r, all, n, f);
        else if (n->kind == GMC_NODE_SCALAR)
            f->friction = gmc_reader_enter(r, n, gmc_reader_join(r, "friction", n->key));
        check_is_surface(r, all, f->a, n);
        if (strcmp(f->a, f->b) != 0) check_is_surface(r, all, f->b, n);
    }
}

static void read_friction(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->frictions = gmc_reader_take(r, map->count, sizeof *s->frictions);
    if (!s->frictions) return;
    surfaces all = {.idle = 0};
    bool is_kept = true;
    for (int i = 0; i < s->surface_count && is_kept; i++)
        is_kept = gmc_lookup_add(&all.known, gmc_lookup_hash(0, s->surfaces[i].name), i) == GMC_OK;
    if (is_kept)
        read_pairs(r, &all, map);
    else
        r->is_arena_full = true; // no memory: said as such
    gmc_lookup_free(&all.known);
}

gmc_status gmc_reader_bodies(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    read_objects(r, root);
    read_hand(r, gmc_node_find(root, "hand"));
    read_items(r, gmc_node_find(root, "scene"), "scene", false, &s->scene, &s->scene_count);
    read_clutter(r, gmc_node_find(root, "clutter"));
    GMC_TRY(read_surfaces(r, root));
    int errors_else = r->report->error_count - r->mended; // models are made without it
    read_friction(r, gmc_node_find(root, "friction"));
    r->mended = r->report->error_count - errors_else;
    return GMC_OK;
}
