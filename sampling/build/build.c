// Set-up: words to models. The hand comes first, then the scene, then the object, so that every
// object's model has the same body numbers and one program, one list of criteria and one plan of
// columns serve them all.
#include "engine/model/builder.h"
#include "engine/model/inertia.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/materials.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GMC_BUILD_ARENA = 1 << 26 }; ///< bytes for all models of a run; meshes are the bulk of it
enum { GMC_FIRST_LINK_BIT = 3, GMC_LINK_BITS = 29 }; ///< category bits of single hand bodies

// The unit solid that a mesh object or a plane is built with; its numbers follow.
static const gmc_inertia PLAIN_INERTIA = {.mass = 1, .I = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static gmc_shape_type shape_type(gmc_shape_kind kind)
{
    switch (kind) {
    case GMC_KIND_BOX:
        return GMC_SHAPE_BOX;
    case GMC_KIND_SPHERE:
        return GMC_SHAPE_SPHERE;
    case GMC_KIND_CAPSULE:
        return GMC_SHAPE_CAPSULE;
    case GMC_KIND_CYLINDER:
        return GMC_SHAPE_CYLINDER;
    case GMC_KIND_PLANE:
        return GMC_SHAPE_PLANE;
    case GMC_KIND_MESH:
        return GMC_SHAPE_POLYTOPE;
    case GMC_KIND_CIRCLE:
        return GMC_SHAPE_CIRCLE;
    case GMC_KIND_SUPER_ELLIPSE:
        return GMC_SHAPE_SUPER_ELLIPSE;
    case GMC_KIND_POLYGON:
        return GMC_SHAPE_POLYGON;
    case GMC_KIND_NONE:
        break;
    }
    return GMC_SHAPE_COUNT;
}

// Nominal values of all parameters, in the build's arena.
static double *nominal_values(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = GMC_NEW(&build->arena, scenario->parameter_count, double);
    for (int i = 0; values && i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    return values;
}

gmc_shape gmc_build_solid(const gmc_item_spec *spec, const double *values)
{
    gmc_shape shape = {.type = shape_type(spec->kind), .scale = 1};
    gmc_build_sizes(spec, values, &shape);
    return shape;
}

// In a scenario with mistakes a ball is touched instead of a mesh that cannot be read.
static gmc_status stand_in_ball(gmc_build *build, gmc_build_item *item, gmc_shape **shapes)
{
    const double RADIUS = 0.05; // any will do [m]
    *shapes = GMC_NEW(&build->arena, 1 + item->spec->part_count, gmc_shape);
    if (!*shapes) return GMC_E_ARENA_FULL;
    **shapes = (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = RADIUS, .scale = 1};
    item->own_count = 1;
    item->unit = PLAIN_INERTIA;
    return GMC_OK;
}

// Shapes of an item: one, or the convex pieces of its mesh; then its parts.
static gmc_status item_shapes(gmc_build *build, gmc_build_item *item, const double *values,
                              gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    if (item->is_planar) return gmc_build_planar_shapes(build, item, values, shapes);
    item->own_count = 1;
    gmc_status meshed = GMC_E_MISSING;
    if (spec->kind == GMC_KIND_MESH && spec->mesh_file)
        meshed = gmc_build_mesh(build, item, values, shapes);
    if (spec->kind == GMC_KIND_MESH && meshed != GMC_OK) {
        bool is_mistake = meshed == GMC_E_INPUT || meshed == GMC_E_MISSING;
        if (!build->is_sketch || !is_mistake) return meshed;
        GMC_TRY(stand_in_ball(build, item, shapes));
    } else if (spec->kind != GMC_KIND_MESH) {
        *shapes = GMC_NEW(&build->arena, 1 + spec->part_count, gmc_shape);
        if (!*shapes) return GMC_E_ARENA_FULL;
        **shapes = gmc_build_solid(spec, values);
    }
    for (int i = 0; i < spec->part_count; i++)
        (*shapes)[item->own_count + i] = gmc_build_solid(&spec->parts[i], values);
    item->geom_count = item->own_count + spec->part_count;
    return GMC_OK;
}

// Where a shape of an item is in its body.
static gmc_pose pose_in_body(const gmc_build_item *item, int geom, const double *values)
{
    int part = gmc_build_part_of(item, geom);
    return part < 0 ? gmc_pose_identity() : gmc_build_pose(values, &item->spec->parts[part].pose);
}

// A given inertia or centre of mass that its shapes would not have may be meant (a hollow body),
// but not without a word. Whatever share of the mass its parts have, it may be theirs.
static gmc_status compare_inertia(gmc_build *build, const gmc_build_item *item,
                                  const gmc_shape *shapes, const gmc_inertia *given,
                                  const double *values)
{
    size_t mark = gmc_arena_mark(&build->arena);
    int count = 1 + item->geom_count - item->own_count;
    gmc_inertia *solids = GMC_NEW(&build->arena, count, gmc_inertia);
    if (!solids) return GMC_E_ARENA_FULL;
    solids[0] = gmc_build_unit_inertia(item, NULL, values);
    for (int i = item->own_count; i < item->geom_count; i++) {
        gmc_pose X_bg = pose_in_body(item, i, values);
        gmc_inertia part = gmc_inertia_of_shape(&shapes[i], 1);
        solids[1 + i - item->own_count] = gmc_inertia_move(&X_bg, &part);
    }
    char message[400];
    if (gmc_inertia_contradicts_all(given, solids, count, message, sizeof message))
        gmc_diagnostics_add(build->report, GMC_OK, item->spec->source, NULL, "%s: %s",
                            item->spec->path, message);
    gmc_arena_reset(&build->arena, mark);
    return GMC_OK;
}

static gmc_status add_item(gmc_build *build, gmc_build_item *item, bool is_object,
                           const double *values, gmc_builder *builder)
{
    const gmc_item_spec *spec = item->spec;
    gmc_shape *shapes = NULL;
    GMC_TRY(item_shapes(build, item, values, &shapes));
    item->is_free = is_object || !spec->is_fixed;
    if (item->is_free && spec->kind == GMC_KIND_PLANE) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                            "use a box, or leave the plane fixed", "%s: a plane cannot move freely",
                            spec->path);
        return GMC_E_INPUT;
    }
    bool is_driven = gmc_build_is_driven(item);
    gmc_joint_type moving = item->is_planar ? GMC_JOINT_PLANAR : GMC_JOINT_FREE;
    gmc_joint_spec joint = {.type = item->is_free || is_driven ? moving : GMC_JOINT_FIXED,
                            .is_driven = is_driven,
                            .X_pj = gmc_pose_identity(),
                            .dof = gmc_builder_default_dof()};
    gmc_inertia inertia = item->is_free ? gmc_build_inertia(item, NULL, values) : PLAIN_INERTIA;
    if (item->is_free && (spec->com[0] >= 0 || spec->inertia[0] >= 0))
        GMC_TRY(compare_inertia(build, item, shapes, &inertia, values));
    gmc_builder_link(builder, spec->source, spec->name, NULL, &joint, &inertia);
    for (int i = 0; i < item->geom_count; i++) {
        char name[256];
        gmc_pose X_bg = pose_in_body(item, i, values);
        snprintf(name, sizeof name, item->geom_count > 1 ? "%s#%d" : "%s", spec->name, i);
        bool is_spare = gmc_build_is_spare(item, i);
        unsigned category = is_object ? GMC_CATEGORY_OBJECT : GMC_CATEGORY_SCENE;
        gmc_builder_geom(builder, &(gmc_geom_spec){.source = spec->source,
                                                   .link = spec->name,
                                                   .name = name,
                                                   .X_lg = X_bg,
                                                   .shape = shapes[i],
                                                   .surface = spec->surface,
                                                   .category = is_spare ? 0 : category,
                                                   .mask = is_spare ? 0
                                                                    : GMC_CATEGORY_HAND |
                                                                          GMC_CATEGORY_OBJECT |
                                                                          GMC_CATEGORY_SCENE});
    }
    return gmc_build_support(build, item, values, builder);
}

static void find_item(const gmc_model *model, gmc_build_item *item)
{
    item->body = gmc_model_find_body(model, item->spec->name);
    size_t length = strlen(item->spec->name);
    for (int g = 0; g < model->geom_count; g++)
        if (strncmp(model->geoms[g].name, item->spec->name, length) == 0 &&
            (model->geoms[g].name[length] == 0 || model->geoms[g].name[length] == '#')) {
            item->geom = g;
            return;
        }
}

/// The i-th name of a surface that something has, NULL for one that says none; false: no more. What
/// objects have counts in the models of the others, too: so all models number surfaces alike.
static bool worn_surface(const gmc_scenario *s, int i, const char **name)
{
    if (i == 0) return *name = s->hand.surface, true;
    i -= 1;
    if (i < s->hand.surface_count) return *name = s->hand.surfaces[i].surface, true;
    i -= s->hand.surface_count;
    if (i < s->scene_count) return *name = s->scene[i].surface, true;
    i -= s->scene_count;
    if (i < s->object_count) return *name = s->objects[i].surface, true;
    i -= s->object_count;
    return i < s->clutter.kind_count && (*name = s->clutter.kinds[i].surface, true);
}

static bool is_worn(const gmc_scenario *s, const char *surface)
{
    const char *name = NULL;
    for (int i = 0; worn_surface(s, i, &name); i++)
        if (name && strcmp(name, surface) == 0) return true;
    return false;
}

// A pair that stands further up the other way round: a mistake that was told.
static bool is_again(const gmc_scenario *s, int pair)
{
    const gmc_friction_spec *a = &s->frictions[pair];
    for (int i = 0; i < pair; i++)
        if (strcmp(s->frictions[i].a, a->b) == 0 && strcmp(s->frictions[i].b, a->a) == 0)
            return strcmp(a->a, a->b) != 0;
    return false;
}

// Surfaces first, then the pairs of which something has both: a table may name thousands of others.
static void add_surfaces(const gmc_build *build, const double *values, gmc_builder *builder)
{
    const gmc_scenario *scenario = build->scenario;
    const char *name = NULL;
    for (int i = 0; worn_surface(scenario, i, &name); i++)
        if (name) gmc_builder_surface(builder, name);
    for (int i = 0; i < scenario->friction_count; i++) {
        const gmc_friction_spec *pair = &scenario->frictions[i];
        if (!is_worn(scenario, pair->a) || !is_worn(scenario, pair->b)) continue;
        if (build->is_sketch && is_again(scenario, i)) continue;
        gmc_surface_law law = {.is_given = true,
                               .friction = gmc_build_value(values, pair->friction, 0),
                               .stiffness = 1,
                               .tangential_ratio = 1};
        gmc_builder_law(builder, pair->source, pair->a, pair->b, law);
    }
}

static gmc_status compile_object(gmc_build *build, int object, const double *values)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_builder *builder = gmc_builder_create(build->report);
    if (!builder) return GMC_E_MEMORY;
    gmc_builder_gravity(builder, (gmc_vec3){gmc_build_value(values, scenario->gravity[0], 0),
                                            gmc_build_value(values, scenario->gravity[1], 0),
                                            gmc_build_value(values, scenario->gravity[2], 0)});
    add_surfaces(build, values, builder);
    gmc_status status = gmc_build_hand(build, values, builder);
    for (int i = 0; i < scenario->scene_count && status == GMC_OK; i++)
        status = add_item(build, &build->scene[i], false, values, builder);
    if (status == GMC_OK) status = add_item(build, &build->objects[object], true, values, builder);
    for (int i = 0; i < scenario->clutter.bodies && status == GMC_OK; i++)
        status = add_item(build, &build->clutter[i], false, values, builder);
    if (status == GMC_OK)
        status = gmc_builder_finish(builder, &build->arena, &build->models[object]);
    gmc_builder_free(builder);
    return status;
}

static int find_surface(const gmc_model *model, const char *name)
{
    for (int i = 0; i < model->surface_count; i++)
        if (strcmp(model->surfaces[i], name) == 0) return i;
    return -1;
}

// Indices that the trials need, from the first model; the others have the same.
static gmc_status bind_indices(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_model *model = &build->models[0];
    for (int i = 0; i < scenario->scene_count; i++)
        find_item(model, &build->scene[i]);
    for (int i = 0; i < scenario->object_count; i++)
        find_item(&build->models[i], &build->objects[i]);
    for (int i = 0; i < scenario->clutter.bodies; i++)
        find_item(model, &build->clutter[i]);
    build->object_body = build->objects[0].body;

    build->friction_pair = gmc_arena_take(&build->arena, (size_t)scenario->friction_count,
                                          sizeof *build->friction_pair);
    build->surface_setting = GMC_NEW(&build->arena, model->surface_count, int);
    if (!build->friction_pair || !build->surface_setting) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->friction_count; i++) {
        build->friction_pair[i][0] = find_surface(model, scenario->frictions[i].a);
        build->friction_pair[i][1] = find_surface(model, scenario->frictions[i].b);
        if (build->friction_pair[i][0] < 0) build->friction_pair[i][1] = -1;
        if (build->friction_pair[i][1] < 0) build->friction_pair[i][0] = -1;
    }
    for (int s = 0; s < model->surface_count; s++) {
        build->surface_setting[s] = -1;
        for (int i = 0; i < scenario->surface_count; i++)
            if (strcmp(scenario->surfaces[i].name, model->surfaces[s]) == 0)
                build->surface_setting[s] = i;
    }
    return GMC_OK;
}

static bool can_touch(const gmc_model *model, const gmc_geom *a, const gmc_geom *b)
{
    bool are_static = gmc_model_is_static(model, a->body) && gmc_model_is_static(model, b->body);
    return a->body != b->body && !are_static && (a->category & b->mask) != 0 &&
           (b->category & a->mask) != 0;
}

// Where the tree first gives something the surface `name`; NULL: nowhere.
static const gmc_node *find_surface_node(const gmc_node *node, const char *name, bool is_surface)
{
    if (node->kind == GMC_NODE_SCALAR)
        return is_surface && strcmp(node->text, name) == 0 ? node : NULL;
    for (const gmc_node *n = node->first; n; n = n->next) {
        bool is_named = is_surface || (n->key && strcmp(n->key, "surface") == 0);
        const gmc_node *found = find_surface_node(n, name, is_named);
        if (found) return found;
    }
    return NULL;
}

static bool is_in_friction(const gmc_scenario *s, const char *surface)
{
    for (int i = 0; i < s->friction_count; i++)
        if (strcmp(s->frictions[i].a, surface) == 0 || strcmp(s->frictions[i].b, surface) == 0)
            return true;
    return false;
}

// A surface that friction names and nothing has, near `name` or else the only one; NULL: none.
static const char *find_idle_surface(const gmc_scenario *s, const char *name)
{
    gmc_nearest nearest = gmc_nearest_start(name);
    const char *only = NULL;
    bool are_several = false;
    for (int i = 0; i < 2 * s->friction_count; i++) {
        const char *one = i % 2 ? s->frictions[i / 2].b : s->frictions[i / 2].a;
        if (find_surface_node(s->tree, one, false)) continue;
        are_several = are_several || (only && strcmp(only, one) != 0);
        only = one;
        gmc_nearest_offer(&nearest, one);
    }
    return nearest.best ? nearest.best : are_several ? NULL : only;
}

// Links without a surface are named together, and once.
static void check_surfaces(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    if (!hand->urdf || hand->surface) return;
    char names[200] = "";
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < build->urdf.link_count; i++) {
        const gmc_urdf_link *link = &build->urdf.links[i];
        bool is_given = link->shape_count == 0;
        for (int k = 0; k < hand->surface_count; k++)
            is_given = is_given || strcmp(hand->surfaces[k].link, link->name) == 0 ||
                       strcmp(hand->surfaces[k].link, "rest") == 0;
        if (is_given) continue;
        if (count++ < 3 && used < sizeof names - 64)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s",
                                     count > 1 ? ", " : "", link->name);
    }
    if (count == 0) return;
    const gmc_node *node = gmc_node_find(gmc_node_find(build->scenario->tree, "hand"), "surface");
    gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : hand->source,
                        node ? "add  rest: rubber  for all others" : "add  surface: rubber",
                        "%d link%s of the hand ha%s no surface: %s%s", count, count == 1 ? "" : "s",
                        count == 1 ? "s" : "ve", names, count > 3 ? ", ..." : "");
}

static bool has_any(const gmc_build *build, int setting)
{
    for (int i = 0; i < build->scenario->object_count; i++)
        for (int g = 0; g < build->models[i].geom_count; g++)
            if (build->surface_setting[build->models[i].geoms[g].surface] == setting) return true;
    return false;
}

// Of what the scenario's own files say about a surface that nothing has nothing would be seen.
static void check_idle_surfaces(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    const gmc_node *surfaces = gmc_node_find(s->tree, "surfaces");
    for (int i = 0; surfaces && i < s->surface_count; i++) {
        const gmc_node *node = gmc_node_find(surfaces, s->surfaces[i].name);
        if (!node || node->is_default || has_any(build, i)) continue;
        if (strcmp(node->source.file, gmc_materials_name) == 0) continue;
        gmc_nearest nearest = gmc_nearest_start(s->surfaces[i].name);
        for (int k = 0; k < s->surface_count; k++)
            if (has_any(build, k)) gmc_nearest_offer(&nearest, s->surfaces[k].name);
        char hint[120];
        snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
        gmc_diagnostics_add(build->report, GMC_OK, node->key_source, nearest.best ? hint : NULL,
                            "surfaces.%.80s changes nothing: nothing has this surface",
                            s->surfaces[i].name);
    }
}

// Where the scenario's own files have the block `friction`, or a pair of it: a table of materials
// is not to be mended. NULL: nowhere.
static const gmc_source *find_own_friction(const gmc_scenario *s)
{
    const gmc_node *friction = gmc_node_find(s->tree, "friction");
    if (!friction || !friction->key) return NULL;
    if (strcmp(friction->key_source.file, gmc_materials_name) != 0) return &friction->key_source;
    for (const gmc_node *n = friction->first; n; n = n->next)
        if (strcmp(n->source.file, gmc_materials_name) != 0) return &n->source;
    return NULL;
}

static void report_pair(const gmc_build *build, const gmc_model *model, const gmc_geom *geom_a,
                        const gmc_geom *geom_b)
{
    const char *a = model->surfaces[geom_a->surface], *b = model->surfaces[geom_b->surface];
    char hint[300];
    const char *stranger = !is_in_friction(build->scenario, b)   ? b
                           : !is_in_friction(build->scenario, a) ? a
                                                                 : NULL;
    const char *idle = stranger ? find_idle_surface(build->scenario, stranger) : NULL;
    const gmc_node *node = find_surface_node(build->scenario->tree, stranger ? stranger : b, false);
    const gmc_source *friction = find_own_friction(build->scenario);
    gmc_source place = stranger && node ? node->source
                       : friction       ? *friction
                       : node           ? node->source
                                        : (gmc_source){.file = build->scenario->file};
    snprintf(hint, sizeof hint, "%s%.80s%sadd  %.80s/%.80s: <coefficient>  under friction",
             idle ? "did you mean " : "", idle ? idle : "", idle ? "? Else " : "", a, b);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, place, hint,
                        "%s and %s can touch (%s, %s), but friction does not say how", a, b,
                        gmc_build_name(model, geom_a), gmc_build_name(model, geom_b));
}

// A pair of `friction` whose surfaces could not be told: it may be any that is missed.
static bool has_unread_pair(const gmc_scenario *s)
{
    const gmc_node *pairs = gmc_node_find(s->tree, "friction");
    if (pairs && pairs->kind != GMC_NODE_MAP) return true;
    for (const gmc_node *n = pairs ? pairs->first : NULL; n; n = n->next) {
        char first[128];
        const char *slash = strchr(n->key, '/');
        snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - n->key) : 0, n->key);
        bool is_pair = slash && gmc_validate_is_name(first) && gmc_validate_is_name(slash + 1);
        if (!is_pair) return true;
    }
    return false;
}

// Every pair of surfaces that can touch needs a law; reported once a pair.
static void check_laws(const gmc_build *build, int object)
{
    const gmc_model *model = &build->models[object];
    if (build->is_sketch && has_unread_pair(build->scenario)) return;
    for (int i = 0; i < model->geom_count; i++)
        for (int k = i + 1; k < model->geom_count; k++) {
            const gmc_geom *a = &model->geoms[i], *b = &model->geoms[k];
            if (!can_touch(model, a, b) || gmc_model_law(model, a->surface, b->surface)->is_given)
                continue;
            const char *first = model->surfaces[a->surface], *second = model->surfaces[b->surface];
            if (first[0] && second[0]) report_pair(build, model, a, b);
            gmc_surface_law *given = &model->laws[a->surface * model->surface_count + b->surface];
            given->is_given = true; // said once
            model->laws[b->surface * model->surface_count + a->surface].is_given = true;
        }
}

// With self-collision every hand body has a bit of its own and looks for all hand bodies but its
// neighbours.
static void allow_self_collision(gmc_build *build, gmc_model *model)
{
    int count = 0;
    for (int b = 0; b < model->body_count; b++)
        count += build->is_hand[b];
    if (count > GMC_LINK_BITS) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, build->scenario->hand.source,
                            "leave hand.self_collision out",
                            "self-collision is limited to %d moving links, the hand has %d",
                            GMC_LINK_BITS, count);
        return;
    }
    for (int g = 0; g < model->geom_count; g++) {
        gmc_geom *geom = &model->geoms[g];
        if (!build->is_hand[geom->body]) continue;
        int bit = GMC_FIRST_LINK_BIT;
        for (int b = 0; b < model->body_count; b++) {
            if (!build->is_hand[b]) continue;
            bool is_neighbour = b == geom->body || model->bodies[b].parent == geom->body ||
                                model->bodies[geom->body].parent == b;
            if (b == geom->body) geom->category |= 1u << bit;
            if (!is_neighbour) geom->mask |= 1u << bit;
            bit++;
        }
    }
}

// One model per object; mistakes of one do not keep those of the others from being reported.
static gmc_status compile_objects(gmc_build *build, const double *values)
{
    gmc_status first = GMC_OK;
    for (int i = 0; i < build->scenario->object_count; i++) {
        build->objects[i].spec = &build->scenario->objects[i];
        build->objects[i].is_planar = build->scenario->world != GMC_WORLD_SPATIAL;
        gmc_status status = compile_object(build, i, values);
        if (status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING) return status;
        if (first == GMC_OK) first = status;
    }
    return first;
}

static gmc_status compile(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = nominal_values(build);
    int objects = scenario->object_count;
    build->models = GMC_NEW(&build->arena, objects, gmc_model);
    build->objects = GMC_NEW(&build->arena, objects, gmc_build_item);
    build->scene = GMC_NEW(&build->arena, scenario->scene_count, gmc_build_item);
    if (!values || !build->models || !build->objects || !build->scene) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->scene_count; i++) {
        build->scene[i].spec = &scenario->scene[i];
        build->scene[i].is_planar = scenario->world != GMC_WORLD_SPATIAL;
    }
    GMC_TRY(gmc_build_clutter(build, values));
    GMC_TRY(compile_objects(build, values));
    GMC_TRY(bind_indices(build));
    GMC_TRY(gmc_build_bind_hand(build));
    check_surfaces(build);
    if (!build->is_sketch) check_idle_surfaces(build);
    for (int i = 0; i < scenario->object_count; i++) {
        if (scenario->hand.self_collision && build->is_hand)
            allow_self_collision(build, &build->models[i]);
        check_laws(build, i);
    }
    GMC_TRY(gmc_build_program(build));
    if (build->is_sketch) return gmc_build_criteria(build); // what is left looks at values
    gmc_build_check_plausible(build, values);
    GMC_TRY(gmc_build_criteria(build));
    return gmc_build_check_drives(build);
}

gmc_status gmc_build_declare(gmc_scenario *scenario, const gmc_pieces_cache *cache,
                             gmc_diagnostics *report, gmc_build **made)
{
    gmc_build *build = calloc(1, sizeof *build);
    *made = build;
    if (!build) return GMC_E_MEMORY;
    build->scenario = scenario;
    build->report = report;
    build->pieces_cache = cache;
    build->is_sketch = report->error_count > 0;
    build->files = (gmc_file_source){.context = build, .load = gmc_build_load};
    build->base_body = build->tool_frame = build->object_body = -1;
    gmc_build_stepper(build);
    GMC_TRY(gmc_arena_create(&build->arena, GMC_BUILD_ARENA));
    gmc_status status = gmc_build_declare_hand(build);
    if (status != GMC_OK && !scenario->hand.is_declared) return status;
    build->is_sketch = report->error_count > 0;
    return gmc_build_declare_grasps(build);
}

gmc_status gmc_build_compile(gmc_build *build)
{
    gmc_status status = compile(build);
    if (build->report->error_count == 0) return status;
    gmc_build_sketch(build); // what was not come to
    return gmc_diagnostics_status(build->report);
}

static bool is_at(gmc_source a, gmc_source b)
{
    return a.line == b.line && a.column == b.column && a.file && b.file &&
           strcmp(a.file, b.file) == 0;
}

// Was a mistake told of something in this block?
static bool has_mistake(const gmc_node *node, const gmc_diagnostics *report)
{
    for (int i = 0; i < report->count; i++)
        if (report->items[i].severity == GMC_ERROR &&
            (is_at(node->source, report->items[i].source) ||
             is_at(node->key_source, report->items[i].source)))
            return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (has_mistake(n, report)) return true;
    return false;
}

// What is told of a whole block, such as an object, follows from a mistake in it; but which pairs
// are missed is known of those that are there.
static bool follows(const void *context, const gmc_diagnostic *item)
{
    const gmc_build *build = context;
    for (const gmc_node *block = build->scenario->tree->first; block; block = block->next) {
        if (block->kind != GMC_NODE_MAP || strcmp(block->key, "friction") == 0) continue;
        if (is_at(block->key_source, item->source)) return has_mistake(block, build->report);
        for (const gmc_node *n = block->first; n; n = n->next)
            if (n->kind == GMC_NODE_MAP && is_at(n->key_source, item->source))
                return has_mistake(n, build->report);
    }
    return false;
}

void gmc_build_sketch(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    // a hand that was not understood, or under a key that nobody knows
    bool is_known =
        scenario->hand.urdf ? scenario->hand.is_declared : gmc_scenario_lacks_hand(scenario);
    if (!is_known) return;
    gmc_diagnostics *report = build->report, later = {0};
    build->is_sketch = true;
    build->report = &later;
    if (!scenario->tree->is_bad)
        (void)!compile(build);
    else if (scenario->hand.urdf)
        gmc_build_check_links(build); // of the URDF alone
    build->report = report;
    gmc_diagnostics_take(report, &later, follows, build);
    gmc_diagnostics_free(&later);
}

void gmc_build_free(gmc_build *build)
{
    if (!build) return;
    gmc_urdf_close(&build->urdf);
    gmc_arena_free(&build->arena);
    free(build);
}

const gmc_measure_plan *gmc_build_measures(const gmc_build *build) { return &build->plan; }

const gmc_compiled_criterion *gmc_build_slack(const gmc_build *build) { return build->slack; }

const struct gmc_urdf *gmc_build_urdf(const gmc_build *build)
{
    return build->scenario->hand.urdf ? &build->urdf : NULL;
}

const gmc_model *gmc_build_model(const gmc_build *build, int object)
{
    return &build->models[object];
}

size_t gmc_build_bytes(const gmc_build *build)
{
    // model copies, world and kinematics, contacts with their memory: measured at a tenth of this
    // for the parallel jaw; a trial that wants more says so and is repeated
    size_t bytes = 1 << 20;
    for (int i = 0; i < build->scenario->object_count; i++) {
        size_t copy = 4 * gmc_model_copy_bytes(&build->models[i]);
        if (copy > bytes) bytes = copy;
    }
    return bytes;
}
