#include "sampling/scenario/reader.h"

#include "engine/model/polygon.h"
#include "sampling/scenario/nearest.h"
#include "sampling/scenario/reader_internal.h"
#include "sampling/scenario/validate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- small steps ------------------------------------------------------------------------------

void *gmc_reader_take(gmc_reader *r, int count, size_t size)
{
    void *block = gmc_arena_take(r->scenario->arena, (size_t)count, size);
    if (!block) r->is_arena_full = true;
    return block;
}

const char *gmc_reader_join(gmc_reader *r, const char *a, const char *b)
{
    size_t bytes = strlen(a) + strlen(b) + 2;
    char *text = gmc_reader_take(r, (int)bytes, 1);
    if (!text) return "";
    snprintf(text, bytes, a[0] ? "%s.%s" : "%s%s", a, b);
    return text;
}

gmc_param gmc_reader_enter(gmc_reader *r, const gmc_node *node, const char *path)
{
    const gmc_schema_row *row = node->row;
    if (row && !node->is_number) return -1; // reported
    double lower = row ? row->lower : -HUGE_VAL, upper = row ? row->upper : HUGE_VAL;
    // the table's bounds are closed; the smallest number above an excluded 0 stands in for it
    if (row && row->is_above) lower = lower == 0 ? DBL_MIN : nextafter(lower, INFINITY);
    gmc_param param = gmc_scenario_add_parameter(r->scenario, path, (gmc_dimension)node->dimension,
                                                 node->is_number ? node->number : 0, lower, upper,
                                                 node->source, node->is_default);
    if (param < 0) {
        r->is_arena_full = true;
        return -1;
    }
    r->scenario->parameters[param].formula = node->formula;
    if (node->formula) r->scenario->parameters[param].formula_text = node->text;
    return param;
}

// Before all others: formulas know them by their place in the map.
static void read_own(gmc_reader *r, const gmc_node *map)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR) (void)gmc_reader_enter(r, n, n->key);
}

gmc_param gmc_reader_number(gmc_reader *r, const gmc_node *map, const char *path, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    if (!node || node->kind != GMC_NODE_SCALAR) return -1;
    return gmc_reader_enter(r, node, gmc_reader_join(r, path, key));
}

// An axis given by a word has three numbers all the same.
static void enter_axis_word(gmc_reader *r, const gmc_node *node, const char *path, gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    bool is_negative = node->text[0] == '-';
    for (int i = 0; i < 3; i++) {
        bool is_it = strcmp(node->text + (is_negative ? 1 : 0), XYZ[i]) == 0;
        double value = !is_it ? 0 : is_negative ? -1 : 1;
        out[i] =
            gmc_scenario_add_parameter(r->scenario, gmc_reader_join(r, path, XYZ[i]), GMC_DIM_NONE,
                                       value, -INFINITY, INFINITY, node->source, node->is_default);
        if (out[i] < 0) r->is_arena_full = true;
    }
}

static void enter_list(gmc_reader *r, const gmc_node *list, const char *path, int count,
                       const char *const *names, gmc_param *out)
{
    int i = 0;
    for (gmc_node *n = list->first; n && i < count; n = n->next, i++) {
        gmc_node entry = *n;
        entry.row = list->row;
        out[i] = gmc_reader_enter(r, &entry, gmc_reader_join(r, path, names[i]));
    }
}

void gmc_reader_vector(gmc_reader *r, const gmc_node *map, const char *path, const char *key,
                       gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    out[0] = out[1] = out[2] = -1;
    const gmc_node *node = gmc_node_find(map, key);
    if (!node) return;
    const char *full = gmc_reader_join(r, path, key);
    if (node->kind == GMC_NODE_SCALAR && node->row && node->row->type == GMC_TYPE_AXIS)
        enter_axis_word(r, node, full, out);
    if (node->kind == GMC_NODE_LIST && node->count == 3) enter_list(r, node, full, 3, XYZ, out);
}

const char *gmc_reader_text(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node && node->kind == GMC_NODE_SCALAR ? node->text : NULL;
}

bool gmc_reader_bool(const gmc_node *map, const char *key)
{
    const char *text = gmc_reader_text(map, key);
    return text && strcmp(text, "true") == 0;
}

static gmc_pose_spec read_pose(gmc_reader *r, const gmc_node *map, const char *path,
                               const char *key)
{
    const gmc_node *pose = gmc_node_find(map, key);
    const char *full = gmc_reader_join(r, path, key);
    gmc_pose_spec spec;
    spec.x = gmc_reader_number(r, pose, full, "x");
    spec.y = gmc_reader_number(r, pose, full, "y");
    spec.z = gmc_reader_number(r, pose, full, "z");
    spec.roll = gmc_reader_number(r, pose, full, "roll");
    spec.pitch = gmc_reader_number(r, pose, full, "pitch");
    spec.yaw = gmc_reader_number(r, pose, full, "yaw");
    return spec;
}

// ---- files ------------------------------------------------------------------------------------

const char *gmc_reader_file_name(gmc_reader *r, gmc_node *node)
{
    if (!node || node->kind != GMC_NODE_SCALAR) return NULL;
    const char *name = gmc_scenario_join(r->scenario, node->folder, node->text);
    if (!name) {
        r->is_arena_full = true;
        return NULL;
    }
    if (strcmp(name, node->text) != 0) node->is_plain = false;
    node->text = name;
    node->folder = "";
    return name;
}

const char *gmc_reader_asset_file(const gmc_reader *r, const char *name)
{
    for (int i = 0; i < r->scenario->asset_count; i++)
        if (strcmp(r->scenario->assets[i].name, name) == 0) return r->scenario->assets[i].file;
    return name;
}

// Take a named file in; the place on disk, or NULL if it is not there (reported).
static const char *load_file(gmc_reader *r, const char *name, gmc_source source)
{
    if (!name) return NULL;
    const gmc_asset *asset = gmc_scenario_load_asset(r->scenario, name, source, r->report);
    return asset ? asset->file : NULL;
}

// ---- objects and scene ------------------------------------------------------------------------

static void check_item(gmc_reader *r, const gmc_item_spec *item, bool is_object,
                       const gmc_node *map)
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
        !gmc_node_find(map, "density"))
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                            "for example mass: 0.2 kg", "%s needs mass or density, for it moves",
                            item->path);
    if (item->placed_resting && !moves)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                            "remove placed: resting, or add free: true",
                            "%s: a fixed body stays where it is", item->path);
}

// Set-up needs these before there are parameters, so they are none: plain numbers.
static gmc_convex_spec read_convex(const gmc_node *map)
{
    const char *word = gmc_reader_text(map, "convex");
    const gmc_node *tolerance = gmc_node_find(map, "convex_tolerance");
    const gmc_node *pieces = gmc_node_find(map, "convex_pieces");
    gmc_convex_spec convex = {.is_hull = word && strcmp(word, "hull") == 0, .piece_max = 64};
    if (tolerance && tolerance->is_number) convex.tolerance = tolerance->number;
    if (pieces && pieces->is_number) convex.piece_max = (int)pieces->number;
    return convex;
}

static void read_round(gmc_reader *r, const gmc_node *shape, const char *path, gmc_item_spec *item)
{
    item->size[0] = gmc_reader_number(r, shape, path, "radius");
    item->size[1] = gmc_reader_number(r, shape, path, "length");
}

static void read_shape(gmc_reader *r, gmc_node *map, gmc_item_spec *item)
{
    static const struct {
        const char *key;
        gmc_shape_kind kind;
    } KINDS[] = {{"box", GMC_KIND_BOX},         {"sphere", GMC_KIND_SPHERE},
                 {"capsule", GMC_KIND_CAPSULE}, {"cylinder", GMC_KIND_CYLINDER},
                 {"plane", GMC_KIND_PLANE},     {"mesh", GMC_KIND_MESH},
                 {"circle", GMC_KIND_CIRCLE},   {"super_ellipse", GMC_KIND_SUPER_ELLIPSE},
                 {"polygon", GMC_KIND_POLYGON}};
    gmc_node *shape = NULL;
    for (int i = 0; i < GMC_COUNT(KINDS) && !shape; i++) {
        shape = gmc_node_find(map, KINDS[i].key);
        if (shape) item->kind = KINDS[i].kind;
    }
    if (!shape) return;
    const char *path = gmc_reader_join(r, item->path, shape->key);
    switch (item->kind) {
    case GMC_KIND_NONE:
        break;
    case GMC_KIND_BOX:
        gmc_reader_vector(r, map, item->path, "box", item->size);
        break;
    case GMC_KIND_SPHERE:
    case GMC_KIND_CAPSULE:
    case GMC_KIND_CYLINDER:
    case GMC_KIND_CIRCLE:
        read_round(r, shape, path, item);
        break;
    case GMC_KIND_PLANE:
        item->size[0] = gmc_reader_number(r, shape, path, "height");
        break;
    case GMC_KIND_MESH:
        item->mesh = gmc_reader_file_name(r, shape);
        item->mesh_file = load_file(r, item->mesh, shape->source);
        item->scale = gmc_reader_number(r, map, item->path, "scale");
        item->convex = read_convex(map);
        break;
    case GMC_KIND_SUPER_ELLIPSE:
        item->size[0] = gmc_reader_number(r, shape, path, "x");
        item->size[1] = gmc_reader_number(r, shape, path, "y");
        item->size[2] = gmc_reader_number(r, shape, path, "exponent");
        break;
    case GMC_KIND_POLYGON:
        item->vertices = gmc_reader_vertices(r, shape, &item->vertex_count);
        item->vertex_params = gmc_reader_points(r, shape, path, &item->vertex_count);
        if (item->vertex_count >= 3)
            item->centre = gmc_polygon_measure(item->vertices, item->vertex_count).centroid;
        break;
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
        part->pose = read_pose(r, n, part->path, "pose");
    }
    item->parts = parts;
}

static void read_item(gmc_reader *r, gmc_node *map, const char *name, const char *path,
                      bool is_object, gmc_item_spec *item)
{
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char *const PATH[] = {"x", "y", "yaw"}, *const PUSH[] = {"x", "y", "torque"};
    *item = empty_item(map, name, path);
    read_shape(r, map, item);
    read_parts(r, gmc_node_find(map, "parts"), item);
    item->thickness = gmc_reader_number(r, map, path, "thickness");
    item->mass = gmc_reader_number(r, map, path, "mass");
    item->density = gmc_reader_number(r, map, path, "density");
    gmc_reader_vector(r, map, path, "com", item->com);
    const gmc_node *inertia = gmc_node_find(map, "inertia");
    if (inertia && inertia->kind == GMC_NODE_LIST && inertia->count == 6)
        enter_list(r, inertia, gmc_reader_join(r, path, "inertia"), 6, INERTIA, item->inertia);
    item->course = gmc_reader_course(r, map, path, "path", PATH);
    item->push = gmc_reader_course(r, map, path, "push", PUSH);
    item->support = gmc_reader_footing(r, gmc_node_find(map, "support"), path);
    item->grasps = gmc_reader_grasps(r, map, path, is_object);
    item->surface = gmc_reader_text(map, "surface");
    item->pose = read_pose(r, map, path, "pose");
    const char *placed = gmc_reader_text(map, "placed");
    item->placed_resting = placed && strcmp(placed, "resting") == 0;
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

static void read_objects(gmc_reader *r, gmc_node *root)
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

// ---- hand -------------------------------------------------------------------------------------

static void read_joints(gmc_reader *r, const gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->joints = gmc_reader_take(r, map->count, sizeof *hand->joints);
    if (!hand->joints) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *path = gmc_reader_join(r, "hand", n->key);
        hand->joints[hand->joint_count++] = (gmc_joint_setting){
            .joint = n->key,
            .source = n->key_source,
            .start = gmc_reader_number(r, n, path, "start"),
            .lower = gmc_reader_number(r, n, path, "lower"),
            .upper = gmc_reader_number(r, n, path, "upper"),
            .damping = gmc_reader_number(r, n, path, "damping"),
            .friction = gmc_reader_number(r, n, path, "friction"),
            .armature = gmc_reader_number(r, n, path, "armature"),
            .max_force = gmc_reader_number(r, n, path, "max_force"),
            .stiffness = gmc_reader_number(r, n, path, "kp"),
            .servo_damping = gmc_reader_number(r, n, path, "kd"),
            .share = gmc_reader_number(r, n, path, "share"),
        };
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

static void read_hand(gmc_reader *r, gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    hand->target = (gmc_pose_spec){-1, -1, -1, -1, -1, -1};
    int folder_count = 0;
    hand->package_path = read_names(r, gmc_node_find(map, "package_path"), true, &folder_count);
    hand->fingers = read_names(r, gmc_node_find(map, "fingers"), false, &hand->finger_count);
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->source = map->key_source;
    gmc_node *urdf = gmc_node_find(map, "urdf");
    hand->urdf = gmc_reader_file_name(r, urdf);
    hand->urdf_file = load_file(r, hand->urdf, urdf ? urdf->source : map->source);
    const gmc_node *frame = gmc_node_find(map, "frame");
    hand->frame = gmc_reader_text(map, "frame");
    hand->frame_source = frame ? frame->source : map->key_source;
    read_hand_surfaces(r, gmc_node_find(map, "surface"));
    read_joints(r, gmc_node_find(map, "joints"));
    hand->target = read_pose(r, map, "hand", "target");
    hand->self_collision = gmc_reader_bool(map, "self_collision");
    hand->convex = read_convex(map);
    const char *mount = gmc_reader_text(map, "mount");
    hand->is_mounted = mount && strcmp(mount, "fixed") == 0;
}

// ---- surfaces ---------------------------------------------------------------------------------

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

// Every surface that something has gets an entry, so that its properties have paths.
static gmc_status collect_surfaces(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *surfaces = gmc_node_find(root, "surfaces");
    if (!surfaces) {
        surfaces = gmc_node_create(s->arena, GMC_NODE_MAP, root->source);
        if (!surfaces) return GMC_E_ARENA_FULL;
        surfaces->row = gmc_schema_find(GMC_SCHEMA_ROOT, "surfaces");
        surfaces->is_default = true;
        gmc_node_append(root, "surfaces", root->source, surfaces);
    }
    if (surfaces->kind != GMC_NODE_MAP) return GMC_OK;
    for (int i = 0; i < s->object_count; i++)
        name_surface(r, surfaces, s->objects[i].surface, s->objects[i].source);
    for (int i = 0; i < s->scene_count; i++)
        name_surface(r, surfaces, s->scene[i].surface, s->scene[i].source);
    for (int i = 0; i < s->clutter.kind_count; i++)
        name_surface(r, surfaces, s->clutter.kinds[i].surface, s->clutter.kinds[i].source);
    name_surface(r, surfaces, s->hand.surface, s->hand.source);
    for (int i = 0; i < s->hand.surface_count; i++)
        name_surface(r, surfaces, s->hand.surfaces[i].surface, s->hand.surfaces[i].source);

    s->surfaces = gmc_reader_take(r, surfaces->count, sizeof *s->surfaces);
    if (!s->surfaces) return GMC_E_ARENA_FULL;
    for (gmc_node *n = surfaces->first; n; n = n->next) {
        if (n->is_default)
            GMC_TRY(gmc_validate_part(n, GMC_SCHEMA_SURFACE, "surfaces", r->report, s->arena));
        const char *path = gmc_reader_join(r, "surfaces", n->key);
        s->surfaces[s->surface_count++] = (gmc_surface_spec){
            .name = n->key,
            .stiffness = gmc_reader_number(r, n, path, "stiffness"),
            .relaxation = gmc_reader_number(r, n, path, "relaxation"),
            .poisson = gmc_reader_number(r, n, path, "poisson"),
        };
        const gmc_node *pad = gmc_node_find(n, "pad");
        const char *pad_path = gmc_reader_join(r, path, "pad");
        gmc_surface_spec *made = &s->surfaces[s->surface_count - 1];
        made->pad_thickness = gmc_reader_number(r, pad, pad_path, "thickness");
        made->pad_modulus = gmc_reader_number(r, pad, pad_path, "modulus");
        made->pad_poisson = gmc_reader_number(r, pad, pad_path, "poisson");
        gmc_reader_vector(r, n, path, "grain", s->surfaces[s->surface_count - 1].grain);
    }
    return GMC_OK;
}

gmc_status gmc_reader_fill(gmc_node *root, gmc_diagnostics *report, gmc_scenario *scenario)
{
    gmc_reader r = {.scenario = scenario, .report = report};
    scenario->tree = root;
    scenario->about = gmc_reader_text(root, "about");
    const gmc_node *version = gmc_node_find(root, "graspmc");
    scenario->version = version && version->is_number ? (int)version->number : 0;
    const char *world = gmc_reader_text(root, "world");
    if (world && strcmp(world, "planar") == 0) scenario->world = GMC_WORLD_PLANAR;
    if (world && strcmp(world, "planar-support") == 0) scenario->world = GMC_WORLD_PLANAR_SUPPORT;
    // parameters are entered in this order, which is that of the table and of --parameters
    read_own(&r, gmc_node_find(root, "parameters"));
    read_objects(&r, root);
    read_hand(&r, gmc_node_find(root, "hand"));
    gmc_reader_items(&r, gmc_node_find(root, "scene"), "scene", false, &scenario->scene,
                     &scenario->scene_count);
    gmc_reader_clutter(&r, gmc_node_find(root, "clutter"));
    GMC_TRY(collect_surfaces(&r, root));
    gmc_reader_friction(&r, gmc_node_find(root, "friction"));
    gmc_reader_vector(&r, root, "", "gravity", scenario->gravity);
    gmc_reader_program(&r, gmc_node_find(root, "program"));
    gmc_reader_output_success(&r, gmc_node_find(root, "success"));
    gmc_reader_output_uncertain(&r, gmc_node_find(root, "uncertain"));
    gmc_reader_believed(&r, root);
    gmc_reader_output_study(&r, gmc_node_find(root, "study"));
    gmc_reader_output_sampling(&r, root);
    gmc_reader_output_simulation(&r, gmc_node_find(root, "simulation"));
    gmc_reader_output(&r, gmc_node_find(root, "output"));
    gmc_reader_planar(&r, root);
    return r.is_arena_full ? GMC_E_ARENA_FULL : GMC_OK;
}
