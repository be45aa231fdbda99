// What a path means, and what is said of one that means nothing.
#include "engine/model/inertia.h"
#include "engine/model/mesh.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>
#include <string.h>

// ---- centre -----------------------------------------------------------------------------------

// `object.com.x` is a number only where the body says `com`; else the centre of mass follows from
// the shape, which may be another one in every trial. What the line was meant to vary is then told
// number by number, so that it can be written down.

// The body in whose frame "PATH.com" or "PATH.com.x" lies; NULL: none.
static const gmc_item_spec *body_of(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->object_count + s->scene_count; i++) {
        const gmc_item_spec *item =
            i < s->object_count ? &s->objects[i] : &s->scene[i - s->object_count];
        size_t length = strlen(item->path);
        if (strncmp(path, item->path, length) != 0 || strncmp(path + length, ".com", 4) != 0)
            continue;
        const char *rest = path + length + 4;
        if (!*rest || (*rest == '.' && strchr("xyz*", rest[1]) && !rest[2])) return item;
    }
    return NULL;
}

// Of one closed surface; what is cut into pieces is weighed later.
static bool weigh_mesh(const gmc_resolver *r, const gmc_item_spec *item, gmc_vec3 *centre)
{
    const gmc_asset *asset = NULL;
    for (int i = 0; i < r->scenario->asset_count && item->mesh_file; i++)
        if (strcmp(r->scenario->assets[i].file, item->mesh_file) == 0)
            asset = &r->scenario->assets[i];
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics unheard = {0}; // all of it is said where the mesh is built
    gmc_mesh mesh;
    if (!asset) return false;
    gmc_inertia inertia;
    gmc_inertia_mesh about = {0};
    gmc_status status =
        gmc_mesh_parse(asset->name, asset->bytes, asset->size, &options, &unheard, &mesh);
    bool is_known = false;
    if (status == GMC_OK && mesh.part_count == 1) {
        gmc_inertia_surface surface = {mesh.vertices, mesh.vertex_count, mesh.triangles[0],
                                       mesh.triangle_count};
        is_known =
            gmc_inertia_of_mesh(&surface, 1, &inertia, &about) == GMC_OK && about.is_oriented;
    }
    if (is_known) {
        double scale = item->scale >= 0 ? r->scenario->parameters[item->scale].nominal : 1;
        *centre = gmc_vec3_scale(scale, about.centroid);
    }
    if (status == GMC_OK) gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&unheard);
    return is_known;
}

static bool find_centre(const gmc_resolver *r, const gmc_item_spec *item, gmc_vec3 *centre)
{
    *centre = (gmc_vec3){item->centre.x, item->centre.y, 0}; // all but meshes and polygons: 0
    if (item->part_count > 0 || item->kind == GMC_KIND_NONE) return false;
    return item->kind != GMC_KIND_MESH || weigh_mesh(r, item, centre);
}

// Also if what it says is a mistake.
static bool says_centre(const gmc_scenario *s, const gmc_item_spec *item)
{
    const char *dot = strchr(item->path, '.');
    char block[16];
    snprintf(block, sizeof block, "%.*s", dot ? (int)(dot - item->path) : 15, item->path);
    const gmc_node *node = gmc_node_find(s->tree, block);
    if (node && dot) node = gmc_node_find(node, dot + 1);
    return !node || gmc_node_find(node, "com") != NULL;
}

// Is `path` the centre of mass of a body whose shape decides it? Says what to write in its place.
static bool resolve_centre(const gmc_resolver *r, const char *path, gmc_source source)
{
    const gmc_item_spec *item = body_of(r->scenario, path);
    if (!item || says_centre(r->scenario, item)) return false;
    gmc_vec3 centre;
    char hint[320];
    if (find_centre(r, item, &centre))
        snprintf(hint, sizeof hint,
                 "write it down, then it is a number that can vary: add  com: [%.6g mm, %.6g mm, "
                 "%.6g mm]  under %.80s",
                 1e3 * centre.x, 1e3 * centre.y, 1e3 * centre.z, item->path);
    else
        snprintf(hint, sizeof hint,
                 "write it down, then it is a number that can vary: add  com: [x, y, z]  under "
                 "%.80s; check --model prints the one that the shape has",
                 item->path);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint,
                        "%.120s: the centre of mass of %.80s follows from its shape", path,
                        item->path);
    return true;
}

// ---- what a path means, and what is said of one that means nothing ------------------------------

// One * stands for any letters; in `friction.*` not for the dot, because a pair's coefficient
// carries those below it along.
static bool matches(const char *pattern, const char *path)
{
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(pattern, path) == 0;
    size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(path);
    if (length < before + after || strncmp(pattern, path, before) != 0 ||
        strcmp(star + 1, path + length - after) != 0)
        return false;
    return strncmp(path, "friction.", 9) != 0 || before < 9 ||
           !memchr(path + before, '.', length - before - after);
}

// Would the table know this path if nothing else were wrong? Then its absence is no mistake of its
// own.
/// @param leaf  out: the key that the path ends with; NULL: it ends elsewhere
static bool could_exist(const char *path, const gmc_schema_row **leaf)
{
    *leaf = NULL;
    gmc_schema_group group = GMC_SCHEMA_ROOT;
    for (const char *p = path; *p;) {
        char key[64];
        size_t length = gmc_schema_key_length(group, p);
        snprintf(key, sizeof key, "%.*s", length < 63 ? (int)length : 63, p);
        const gmc_schema_row *row = gmc_schema_find(group, key);
        if (!row) return group == GMC_SCHEMA_HAND || group == GMC_SCHEMA_ROBOT; // a joint
        if (row->type != GMC_TYPE_GROUP && row->type != GMC_TYPE_NAMED) {
            if (!p[length]) *leaf = row;
            return true;
        }
        p += length + (p[length] == '.');
        if (row->type == GMC_TYPE_NAMED) {
            p += strcspn(p, ".");
            p += *p == '.';
        }
        group = row->child;
    }
    return true;
}

// The parameters of the same first word, as far as they fit, behind "there are"; else `hint` stays.
static void list_siblings(const gmc_scenario *s, const char *path, char *hint, size_t room)
{
    size_t start = strcspn(path, "."), used = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        const char *other = s->parameters[i].path;
        if (strncmp(other, path, start) != 0 || other[start] != '.') continue;
        if (used + strlen(other) + 24 > room) {
            used += (size_t)snprintf(hint + used, room - used, ", ...");
            return;
        }
        used +=
            (size_t)snprintf(hint + used, room - used, "%s %s", used ? "," : "there are", other);
    }
}

// A pair that the block `friction`, itself without mistakes, does not have.
static bool is_no_pair(const gmc_scenario *s, const char *path)
{
    const gmc_node *map = gmc_node_find(s->tree, "friction");
    if (strncmp(path, "friction.", 9) != 0 || !strchr(path, '/') || !map) return false;
    bool is_whole = map->kind == GMC_NODE_MAP && map->count == s->friction_count;
    for (int i = 0; i < s->friction_count; i++)
        is_whole = is_whole && s->frictions[i].friction >= 0;
    return is_whole;
}

// A setting of a joint that a robot, as its URDF has it, does not have: `hand.joints.NAME.KEY`.
static bool is_joint_missing(const gmc_robot_spec *robot, const char *path)
{
    const char *dot = strrchr(path, '.');
    char start[160];
    size_t skip = (size_t)snprintf(start, sizeof start, "%.140s.joints.", robot->path);
    if (!robot->is_declared || strncmp(path, start, skip) != 0 || dot < path + skip) return false;
    size_t length = (size_t)(dot - path) - skip;
    for (int i = 0; i < robot->joint_count; i++) {
        const char *joint = robot->joints[i].joint;
        if (strlen(joint) == length && memcmp(joint, path + skip, length) == 0) return false;
    }
    return !strchr(path, '*');
}

static bool is_no_joint(const gmc_scenario *s, const char *path)
{
    bool is_missing = is_joint_missing(&s->hand, path);
    for (int i = 0; i < s->robot_count; i++)
        is_missing = is_missing || is_joint_missing(&s->robots[i], path);
    return is_missing;
}

// Does a path begin with a robot whose joints are not known, because its URDF has mistakes?
static bool is_of_undeclared(const gmc_scenario *s, const char *path)
{
    if (strncmp(path, "hand.", 5) == 0) return s->hand.urdf && !s->hand.is_declared;
    bool is = false;
    for (int i = 0; i < s->robot_count; i++)
        is = is || !s->robots[i].is_declared;
    return is && strncmp(path, "robots.", 7) == 0;
}

// A key that holds words, a file or a flag is there, but a run has one value of it.
static bool is_no_number(const char *path)
{
    const gmc_schema_row *leaf = NULL;
    if (!could_exist(path, &leaf) || !leaf) return false;
    return leaf->type == GMC_TYPE_WORD || leaf->type == GMC_TYPE_NAME ||
           leaf->type == GMC_TYPE_FILE || leaf->type == GMC_TYPE_BOOL ||
           leaf->type == GMC_TYPE_SURFACES;
}

static gmc_status report_no_number(const gmc_resolver *r, const char *path, gmc_source source)
{
    char hint[320] = "write several `objects` by name, and  study: {vary: [object]}";
    if (strncmp(path, "object.", 7) != 0)
        snprintf(
            hint, sizeof hint,
            "a run of each, on the same chance, is made by  scripts/sweep_parallel SCENARIO -o "
            "DIR --grid %.100s=A,B",
            path);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint,
                        "%.120s is no number and cannot vary within a run", path);
    return GMC_OK;
}

static gmc_status report_unknown(const gmc_resolver *r, const char *path, gmc_source source)
{
    const gmc_schema_row *leaf = NULL;
    if (gmc_resolve_is_own(r->scenario, path)) return GMC_OK; // its mistake is told
    if (is_no_number(path)) return report_no_number(r, path, source);
    if (resolve_centre(r, path, source)) return GMC_OK;
    if (!r->is_whole && !is_no_pair(r->scenario, path) && !is_no_joint(r->scenario, path) &&
        !gmc_scenario_nearest(r->scenario, path) && could_exist(path, &leaf))
        return GMC_OK;
    if (!r->is_whole && is_of_undeclared(r->scenario, path)) return GMC_OK;
    char hint[300] =
        "paths are like object.mass and friction.a/b; check --parameters lists those of "
        "a scenario without mistakes";
    const char *nearest = gmc_scenario_likeliest(r->scenario, path);
    bool is_pair = strncmp(path, "friction.", 9) == 0 && strchr(path, '/') && !strchr(path, '*');
    if (is_pair && !nearest)
        snprintf(hint, sizeof hint, "friction has no such pair: add  %.*s: <coefficient>  under it",
                 (int)strcspn(path + 9, ".") < 120 ? (int)strcspn(path + 9, ".") : 120, path + 9);
    else if (nearest)
        snprintf(hint, sizeof hint, "did you mean %.160s?", nearest);
    else
        list_siblings(r->scenario, path, hint, sizeof hint);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "%s %.120s",
                        strchr(path, '*') ? "no parameter matches" : "unknown parameter", path);
    return GMC_OK;
}

static gmc_status resolve_each(const gmc_resolver *r, const char *path, gmc_source source,
                               gmc_param *targets, int *count)
{
    gmc_scenario *s = r->scenario;
    char full[GMC_VALIDATE_PATH];
    for (int i = 0; i < s->object_count; i++) {
        snprintf(full, sizeof full, "%s.%s", s->objects[i].path, path + 7);
        gmc_param found = gmc_scenario_find(s, full);
        if (found >= 0) targets[(*count)++] = found;
    }
    if (*count > 0) return GMC_OK;
    if (s->object_count > 0) snprintf(full, sizeof full, "%s.%s", s->objects[0].path, path + 7);
    return report_unknown(r, s->object_count > 0 ? full : path, source);
}

bool gmc_resolve_is_fatal(gmc_status status)
{
    return status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING;
}

gmc_status gmc_resolve_path(const gmc_resolver *r, const char *path, gmc_source source,
                            gmc_param **targets, int *count)
{
    gmc_scenario *s = r->scenario;
    *count = 0;
    bool is_pattern = strchr(path, '*') != NULL;
    int room = is_pattern ? s->parameter_count : s->object_count + 1;
    *targets = GMC_NEW(s->arena, room, gmc_param);
    if (!*targets) return GMC_E_ARENA_FULL;
    if (is_pattern) {
        for (int i = 0; i < s->parameter_count; i++)
            if (matches(path, s->parameters[i].path)) (*targets)[(*count)++] = i;
        return *count > 0 ? GMC_OK : report_unknown(r, path, source);
    }
    if (gmc_resolve_is_each(s, path)) return resolve_each(r, path, source, *targets, count);
    gmc_param found = gmc_scenario_find(s, path);
    if (found < 0) return report_unknown(r, path, source);
    (*targets)[(*count)++] = found;
    return GMC_OK;
}

bool gmc_resolve_dimension(const gmc_resolver *r, const char *path, gmc_source source,
                           const gmc_param *targets, int count, gmc_dimension *dimension)
{
    *dimension = GMC_DIM_NONE;
    if (count == 0) return false;
    const gmc_parameter *table = r->scenario->parameters;
    *dimension = table[targets[0]].dimension;
    for (int i = 1; i < count; i++) {
        if (table[targets[i]].dimension == *dimension) continue;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, "write two lines",
                            "%.120s means %s (%.80s) and %s (%.80s)", path,
                            gmc_units_noun(*dimension), table[targets[0]].path,
                            gmc_units_noun(table[targets[i]].dimension), table[targets[i]].path);
        return false;
    }
    return true;
}
