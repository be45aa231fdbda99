// The hand: its URDF is read once, its joints become parameters of the scenario, and its links and
// joints go into every object's model on a driven base.
#include "sampling/build/build_internal.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Servos of joints that the scenario is silent about: stiff enough to carry a kilogram within a
// millimetre (or a newton metre within 10 mrad), damped so that 50 g (or 2.5e-4 kg·m²) do not
// swing.
static const double SLIDE_KP = 1e4, SLIDE_KD = 50, TURN_KP = 100, TURN_KD = 0.5;

// A folder that the scenario names, as gmc_build_load understands it.
static const char *path_of(gmc_build *build, const char *name)
{
    const char *file = build->scenario->file, *slash = strrchr(file, '/');
    if (!slash || name[0] == '/') return name;
    size_t folder = (size_t)(slash - file) + 1, bytes = folder + strlen(name) + 1;
    char *path = gmc_arena_take(&build->arena, bytes, 1);
    if (!path) return name;
    snprintf(path, bytes, "%.*s%s", (int)folder, file, name);
    return path;
}

// Every file that the engine's readers ask for is an asset of the scenario: from disk the first
// time, from the result that embeds it when a trial is replayed.
gmc_status gmc_build_load(void *context, const char *path, gmc_file *file)
{
    gmc_build *build = context;
    gmc_scenario *scenario = build->scenario;
    const char *slash = strrchr(scenario->file, '/');
    size_t folder = slash ? (size_t)(slash - scenario->file) + 1 : 0;
    if (folder > 0 && strncmp(path, scenario->file, folder) == 0) path += folder;
    path = gmc_scenario_join(scenario, "", path); // one file, one name
    if (!path) return GMC_E_MEMORY;
    if (!gmc_scenario_has_asset(scenario, path)) return GMC_E_MISSING;
    const gmc_asset *asset =
        gmc_scenario_load_asset(scenario, path, (gmc_source){0}, build->report);
    if (!asset)
        return gmc_diagnostics_status(build->report) == GMC_E_MEMORY ? GMC_E_MEMORY : GMC_E_IO;
    file->bytes = malloc(asset->size + 1);
    if (!file->bytes) return GMC_E_MEMORY;
    if (asset->size > 0) memcpy(file->bytes, asset->bytes, asset->size);
    file->bytes[asset->size] = 0;
    file->size = asset->size;
    return GMC_OK;
}

static const gmc_joint_setting *find_setting(const gmc_joint_setting *list, int count,
                                             const char *joint)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].joint, joint) == 0) return &list[i];
    return NULL;
}

// gmc_urdf_options.has_effort: what the scenario gives, the file need not.
static bool has_effort(void *context, const char *joint)
{
    const gmc_hand_spec *hand = &((const gmc_build *)context)->scenario->hand;
    const gmc_joint_setting *given = find_setting(hand->joints, hand->joint_count, joint);
    return given && given->max_force >= 0;
}

// Says if the i-th folder of the package path is not there. Of a stored run none has to be.
static const char *check_folder(const gmc_build *build, int i, const char *path)
{
    FILE *in = build->scenario->embedded ? NULL : gmc_file_open(path); // a folder opens, too
    if (in) fclose(in);
    if (in || build->scenario->embedded) return path;
    const gmc_node *hand = gmc_node_find(build->scenario->tree, "hand");
    const gmc_node *list = gmc_node_find(hand, "package_path");
    const gmc_node *item = list ? list->first : NULL;
    for (int k = 0; k < i && item; k++)
        item = item->next;
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_MISSING,
                        item ? item->source : build->scenario->hand.source,
                        "relative to the scenario", "hand.package_path: no folder %.200s", path);
    return path;
}

static gmc_urdf_inertials inertials_of(const char *word)
{
    static const char *const WORDS[] = {[GMC_URDF_AS_GIVEN] = "given",
                                        [GMC_URDF_MENDED] = "mended",
                                        [GMC_URDF_REPLACED] = "computed"};
    for (int i = 0; i < GMC_COUNT(WORDS); i++)
        if (word && strcmp(word, WORDS[i]) == 0) return (gmc_urdf_inertials)i;
    return GMC_URDF_MENDED; // a word that is none is a mistake already
}

static gmc_status open_urdf(gmc_build *build)
{
    gmc_hand_spec *hand = &build->scenario->hand;
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &build->files;
    options.inertials = inertials_of(hand->inertials);
    options.convex = gmc_build_convex(build, &hand->convex, 1);
    options.from = hand->source;
    int count = 0;
    while (hand->package_path && hand->package_path[count])
        count++;
    const char **folders = gmc_arena_take(&build->arena, (size_t)count + 1, sizeof *folders);
    if (!folders) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        folders[i] = check_folder(build, i, path_of(build, hand->package_path[i]));
    options.package_path = folders;
    options.context = build;
    options.has_effort = has_effort;
    return gmc_urdf_open(hand->urdf_file, &options, build->report, &build->urdf);
}

static bool is_single(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

void gmc_build_joint_names(const gmc_build *build, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "joints:");
    const char *comma = "";
    for (int j = 0; j < build->urdf.joint_count; j++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[j];
        if (!is_single(joint) || joint->leader >= 0) continue;
        if (used + strlen(joint->name) + 8 >= size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s %s", comma, joint->name);
        comma = ",";
    }
}

// Settings of joints that are not there, or that follow others.
static void check_settings(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++) {
        const char *name = hand->joints[i].joint;
        int k = gmc_urdf_find_joint(&build->urdf, name);
        if (k >= 0 && is_single(&build->urdf.joints[k]) && build->urdf.joints[k].leader < 0)
            continue;
        gmc_nearest nearest = gmc_nearest_start(name);
        for (int j = 0; j < build->urdf.joint_count; j++)
            if (is_single(&build->urdf.joints[j]) && build->urdf.joints[j].leader < 0)
                gmc_nearest_offer(&nearest, build->urdf.joints[j].name);
        char hint[256] = "";
        gmc_build_joint_names(build, hint, sizeof hint);
        if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
        gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, hand->joints[i].source, hint,
                            k < 0 ? "the hand has no joint %s"
                                  : "joint %s cannot be set: it does not move, or follows another",
                            name);
    }
}

/// One property of a joint: its key, its place in the setting, its dimension on sliding and turning
/// joints.
typedef struct joint_property {
    const char *key;
    size_t place;
    gmc_dimension slide, turn;
    double lower;
} joint_property;

static const joint_property PROPERTIES[] = {
    {"start", offsetof(gmc_joint_setting, start), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"lower", offsetof(gmc_joint_setting, lower), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"upper", offsetof(gmc_joint_setting, upper), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"max_force", offsetof(gmc_joint_setting, max_force), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0},
    {"max_speed", offsetof(gmc_joint_setting, max_speed), GMC_DIM_SPEED, GMC_DIM_ANGULAR_SPEED, 0},
    {"kp", offsetof(gmc_joint_setting, stiffness), GMC_DIM_STIFFNESS, GMC_DIM_ANGULAR_STIFFNESS, 0},
    {"kd", offsetof(gmc_joint_setting, servo_damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0},
    {"damping", offsetof(gmc_joint_setting, damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0},
    {"friction", offsetof(gmc_joint_setting, friction), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0},
    {"armature", offsetof(gmc_joint_setting, armature), GMC_DIM_MASS, GMC_DIM_INERTIA, 0},
    {"share", offsetof(gmc_joint_setting, share), GMC_DIM_NONE, GMC_DIM_NONE, 0},
    {"open", offsetof(gmc_joint_setting, open), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"closed", offsetof(gmc_joint_setting, closed), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
};

// What a property is where neither scenario nor URDF says; not finite: it is not there.
static double default_of(const gmc_joint_spec *spec, const char *key)
{
    bool is_slide = spec->type == GMC_JOINT_PRISMATIC;
    if (strcmp(key, "start") == 0) return fmin(fmax(0, spec->dof.lower), spec->dof.upper);
    if (strcmp(key, "lower") == 0) return spec->dof.lower;
    if (strcmp(key, "upper") == 0) return spec->dof.upper;
    if (strcmp(key, "max_force") == 0) return spec->dof.max_force;
    if (strcmp(key, "max_speed") == 0) return spec->dof.max_speed;
    if (strcmp(key, "kp") == 0) return is_slide ? SLIDE_KP : TURN_KP;
    if (strcmp(key, "kd") == 0) return is_slide ? SLIDE_KD : TURN_KD;
    if (strcmp(key, "damping") == 0) return spec->dof.damping;
    if (strcmp(key, "friction") == 0) return spec->dof.friction;
    if (strcmp(key, "share") == 0) return 1;
    if (strcmp(key, "open") == 0 || strcmp(key, "closed") == 0)
        return NAN; // the limits, as they are
    return spec->dof.armature;
}

// A joint that mimics this one bounds its speed, too.
static double speed_with_mimics(const gmc_urdf *urdf, int joint)
{
    double most = urdf->joints[joint].velocity;
    for (int i = 0; i < urdf->joint_count; i++)
        if (urdf->joints[i].leader == joint)
            most = fmin(most, urdf->joints[i].velocity / fabs(urdf->joints[i].ratio));
    return most;
}

/// Entry of a map, an empty one of `joints` if it is not there yet.
static gmc_node *sub_map(gmc_arena *arena, gmc_node *map, const char *key)
{
    gmc_node *found = gmc_node_find(map, key);
    if (found) return found;
    found = gmc_node_create(arena, GMC_NODE_MAP, map->source);
    if (!found) return NULL;
    found->row = gmc_schema_find(GMC_SCHEMA_HAND, "joints");
    gmc_node_append(map, key, map->source, found);
    return found;
}

/// Of gains that no URDF has the expanded scenario says what was taken: hand.joints.NAME.kp.
static gmc_status state_gain(const gmc_build *build, const char *joint, const char *key,
                             gmc_dimension dimension, double value)
{
    gmc_arena *arena = build->scenario->arena;
    gmc_node *hand = gmc_node_find(build->scenario->tree, "hand");
    if (!hand || hand->kind != GMC_NODE_MAP) return GMC_OK;
    gmc_node *joints = sub_map(arena, hand, "joints"), *node;
    if (joints && joints->kind != GMC_NODE_MAP) return GMC_OK; // a mistake that was told
    gmc_node *map = joints ? sub_map(arena, joints, joint) : NULL;
    if (map && map->kind != GMC_NODE_MAP) return GMC_OK;
    char text[GMC_UNITS_TEXT + 16], number[GMC_UNITS_TEXT];
    gmc_units_print(value, number);
    snprintf(text, sizeof text, "%s %s", number, gmc_units_name(dimension));
    node = map ? gmc_node_create(arena, GMC_NODE_SCALAR, map->source) : NULL;
    if (node) node->text = gmc_arena_text(arena, text);
    if (!node || !node->text) return GMC_E_ARENA_FULL;
    node->is_plain = node->is_default = node->is_number = true;
    node->number = value;
    node->dimension = (int)dimension;
    node->row = gmc_schema_find(GMC_SCHEMA_JOINT, key);
    gmc_node_append(map, key, map->source, node);
    return GMC_OK;
}

static gmc_status declare_joint(gmc_build *build, const gmc_urdf_joint *joint,
                                const gmc_joint_spec *spec, gmc_joint_setting *setting)
{
    for (int i = 0; i < GMC_COUNT(PROPERTIES); i++) {
        const joint_property *property = &PROPERTIES[i];
        gmc_param *param = (gmc_param *)(void *)((char *)setting + property->place);
        gmc_dimension dimension =
            joint->kind == GMC_URDF_PRISMATIC ? property->slide : property->turn;
        if (*param >= 0) {
            gmc_scenario_settle(build->scenario, *param, dimension, build->report);
            continue;
        }
        double value = default_of(spec, property->key);
        if (!isfinite(value)) continue;
        char path[256];
        snprintf(path, sizeof path, "hand.%s.%s", joint->name, property->key);
        *param =
            gmc_scenario_add_parameter(build->scenario, &(gmc_parameter){.path = path,
                                                                         .dimension = dimension,
                                                                         .nominal = value,
                                                                         .lower = property->lower,
                                                                         .upper = INFINITY,
                                                                         .source = joint->source,
                                                                         .is_default = true});
        if (*param < 0) return GMC_E_ARENA_FULL;
        if (property->place == offsetof(gmc_joint_setting, stiffness) ||
            property->place == offsetof(gmc_joint_setting, servo_damping))
            GMC_TRY(state_gain(build, joint->name, property->key, dimension, value));
    }
    return GMC_OK;
}

// Limits that the scenario crosses, against each other or one against the URDF's: told where it
// says so, and read on as the URDF has them. Those that the URDF crosses are its own.
static void check_limits(const gmc_build *build, const gmc_joint_spec *spec,
                         const gmc_joint_setting *setting)
{
    gmc_parameter *table = build->scenario->parameters;
    if (setting->lower < 0 || setting->upper < 0) return;
    gmc_parameter *lower = &table[setting->lower], *upper = &table[setting->upper];
    bool is_said = !lower->is_default || !upper->is_default;
    if (!is_said || lower->nominal <= upper->nominal) return;
    if (!lower->is_stand_in && !upper->is_stand_in) {
        const gmc_parameter *at = lower->is_default ? upper : lower;
        char text[2][GMC_UNITS_TEXT];
        gmc_units_print(lower->nominal, text[0]);
        gmc_units_print(upper->nominal, text[1]);
        const char *unit = gmc_units_name(lower->dimension);
        gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, at->source,
                            "the lower limit is the smaller one",
                            "the limits of joint %.80s are crossed: lower is %s %s, upper %s %s",
                            setting->joint, text[0], unit, text[1], unit);
    }
    lower->nominal = spec->dof.lower;
    upper->nominal = spec->dof.upper;
    lower->is_stand_in = upper->is_stand_in = true;
}

gmc_status gmc_build_declare_hand(gmc_build *build)
{
    gmc_hand_spec *hand = &build->scenario->hand;
    if (!hand->urdf || !hand->urdf_file) return GMC_OK;
    GMC_TRY(open_urdf(build));
    if (build->scenario->world != GMC_WORLD_SPATIAL) GMC_TRY(gmc_build_flatten_hand(build));
    check_settings(build);
    gmc_joint_setting *all =
        gmc_arena_take(build->scenario->arena, (size_t)build->urdf.joint_count, sizeof *all);
    if (!all) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < build->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[i];
        if (!is_single(joint) || joint->leader >= 0) continue;
        const gmc_joint_setting *given = find_setting(hand->joints, hand->joint_count, joint->name);
        gmc_joint_setting *setting = &all[count++];
        if (given)
            *setting = *given;
        else
            *setting = (gmc_joint_setting){.joint = joint->name,
                                           .source = joint->source,
                                           .start = -1,
                                           .lower = -1,
                                           .upper = -1,
                                           .damping = -1,
                                           .friction = -1,
                                           .armature = -1,
                                           .max_force = -1,
                                           .max_speed = -1,
                                           .stiffness = -1,
                                           .servo_damping = -1,
                                           .share = -1,
                                           .open = -1,
                                           .closed = -1};
        gmc_joint_spec spec = gmc_urdf_joint_spec(&build->urdf, i);
        spec.dof.max_speed = speed_with_mimics(&build->urdf, i);
        GMC_TRY(declare_joint(build, joint, &spec, setting));
        check_limits(build, &spec, setting);
    }
    hand->joints = all;
    hand->joint_count = count;
    hand->is_declared = true;
    gmc_build_settle_phases(build);
    return gmc_diagnostics_status(build->report);
}

double gmc_build_max_speed(const double *values, const gmc_joint_setting *setting)
{
    double speed = gmc_build_value(values, setting->max_speed, 0);
    return speed > 0 ? speed : (double)INFINITY;
}

typedef struct placing_context {
    const gmc_build *build;
    const double *values;
} placing_context;

static const char *surface_of(void *context, const gmc_urdf_link *link)
{
    const gmc_hand_spec *hand = &((placing_context *)context)->build->scenario->hand;
    const char *rest = hand->surface;
    for (int i = 0; i < hand->surface_count; i++) {
        if (strcmp(hand->surfaces[i].link, link->name) == 0) return hand->surfaces[i].surface;
        if (strcmp(hand->surfaces[i].link, "rest") == 0) rest = hand->surfaces[i].surface;
    }
    return rest ? rest : "";
}

static void set_joint(void *context, const gmc_urdf_joint *joint, gmc_joint_spec *spec)
{
    const placing_context *placing = context;
    const gmc_hand_spec *hand = &placing->build->scenario->hand;
    const double *values = placing->values;
    const gmc_joint_setting *setting = find_setting(hand->joints, hand->joint_count, joint->name);
    if (!setting) return;
    spec->q_start = gmc_build_value(values, setting->start, spec->q_start);
    spec->dof.lower = gmc_build_value(values, setting->lower, spec->dof.lower);
    spec->dof.upper = gmc_build_value(values, setting->upper, spec->dof.upper);
    // one beyond is told where the scenario says it (build_closing.c)
    if (spec->dof.lower <= spec->dof.upper)
        spec->q_start = fmin(fmax(spec->q_start, spec->dof.lower), spec->dof.upper);
    spec->dof.damping = gmc_build_value(values, setting->damping, spec->dof.damping);
    spec->dof.friction = gmc_build_value(values, setting->friction, spec->dof.friction);
    spec->dof.armature = gmc_build_value(values, setting->armature, spec->dof.armature);
    spec->dof.max_force = gmc_build_value(values, setting->max_force, spec->dof.max_force);
    spec->dof.max_speed = gmc_build_max_speed(values, setting);
}

gmc_status gmc_build_hand(gmc_build *build, const double *values, gmc_builder *builder)
{
    if (!build->scenario->hand.urdf) return GMC_OK;
    placing_context context = {build, values};
    bool is_mounted = build->scenario->hand.is_mounted;
    bool is_flat = build->scenario->world != GMC_WORLD_SPATIAL;
    gmc_urdf_placing placing = {.base = {.name = "hand",
                                         .type = is_mounted ? GMC_JOINT_FIXED
                                                 : is_flat  ? GMC_JOINT_PLANAR
                                                            : GMC_JOINT_FREE,
                                         .is_driven = !is_mounted,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .category = GMC_CATEGORY_HAND,
                                .mask = GMC_CATEGORY_OBJECT | GMC_CATEGORY_SCENE,
                                .context = &context,
                                .surface = surface_of,
                                .joint = set_joint};
    return gmc_urdf_build(&build->urdf, &placing, builder);
}

// A link that is not there: what was meant, or which there are.
static void report_link(const gmc_build *build, gmc_source source, const char *name)
{
    const gmc_urdf *urdf = &build->urdf;
    char hint[240] = "links:";
    size_t used = strlen(hint);
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < urdf->link_count; i++) {
        const char *link = urdf->links[i].name;
        gmc_nearest_offer(&nearest, link);
        if (used > sizeof hint - 8) continue;
        bool fits = used + strlen(link) + 8 < sizeof hint;
        used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "",
                                 fits ? link : "...");
        if (!fits) used = sizeof hint;
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "the hand has no link %s", name);
}

void gmc_build_check_links(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->surface_count; i++)
        if (strcmp(hand->surfaces[i].link, "rest") != 0 &&
            gmc_urdf_find_link(&build->urdf, hand->surfaces[i].link) < 0)
            report_link(build, hand->surfaces[i].source, hand->surfaces[i].link);
    if (hand->frame && gmc_urdf_find_link(&build->urdf, hand->frame) < 0)
        report_link(build, hand->frame_source, hand->frame);
}

gmc_status gmc_build_bind_hand(gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    if (!hand->urdf) return GMC_OK;
    gmc_build_check_links(build);
    build->base_body = gmc_model_find_body(model, build->urdf.links[0].name);
    if (hand->frame) build->tool_frame = gmc_model_find_frame(model, hand->frame);

    build->is_hand = gmc_arena_take(&build->arena, (size_t)model->body_count, sizeof(bool));
    build->joint_dof =
        gmc_arena_take(&build->arena, (size_t)hand->joint_count, sizeof *build->joint_dof);
    build->joint_body =
        gmc_arena_take(&build->arena, (size_t)hand->joint_count, sizeof *build->joint_body);
    if (!build->is_hand || !build->joint_dof || !build->joint_body) return GMC_E_ARENA_FULL;
    for (int b = 0; b < model->body_count; b++)
        for (int up = b; up > 0; up = model->bodies[up].parent)
            if (up == build->base_body) build->is_hand[b] = true;
    for (int i = 0; i < hand->joint_count; i++) {
        build->joint_dof[i] = gmc_model_find_dof(model, hand->joints[i].joint);
        for (int b = 1; b < model->body_count; b++)
            if (model->bodies[b].v == build->joint_dof[i] && !model->bodies[b].is_mimic &&
                gmc_joint_v_count(model->bodies[b].joint) == 1)
                build->joint_body[i] = b;
    }
    return GMC_OK;
}
