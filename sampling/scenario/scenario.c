// The two tables of a scenario that everything else looks things up in, parameters and assets, and
// what else is asked of one that was read (scenario_read.c reads it).
#include "sampling/scenario/scenario.h"

#include "engine/base/file.h"
#include "sampling/language/location.h"
#include "sampling/language/materials.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- parameters -------------------------------------------------------------------------------

// Is `path` the friction of the pair that `wanted` names the other way round? Both may end with a
// coefficient: "friction.rubber/abs.kinetic".
static bool is_swapped_pair(const char *path, const char *wanted)
{
    static const char PREFIX[] = "friction.";
    size_t skip = sizeof PREFIX - 1;
    if (strncmp(path, PREFIX, skip) != 0 || strncmp(wanted, PREFIX, skip) != 0) return false;
    const char *p = path + skip, *w = wanted + skip;
    const char *slash_p = strchr(p, '/'), *slash_w = strchr(w, '/');
    if (!slash_p || !slash_w) return false;
    size_t first = (size_t)(slash_p - p), second = strcspn(slash_p + 1, ".");
    return strcspn(slash_w + 1, ".") == first && (size_t)(slash_w - w) == second &&
           strncmp(p, slash_w + 1, first) == 0 && strncmp(slash_p + 1, w, second) == 0 &&
           strcmp(slash_p + 1 + second, slash_w + 1 + first) == 0;
}

// "friction.rubber/abs.static" is "friction.rubber/abs".
static const char *without_static(const char *path, char *shortened, size_t size)
{
    static const char END[] = ".static";
    size_t length = strlen(path), end = sizeof END - 1;
    if (strncmp(path, "friction.", 9) != 0 || length < end || length >= size ||
        strcmp(path + length - end, END) != 0)
        return path;
    snprintf(shortened, size, "%.*s", (int)(length - end), path);
    return shortened;
}

// The same for a pair of frictions and for it the other way round.
static uint32_t hash_of_path(const char *path)
{
    static const char PREFIX[] = "friction.";
    size_t skip = sizeof PREFIX - 1;
    const char *slash = strncmp(path, PREFIX, skip) == 0 ? strchr(path, '/') : NULL;
    if (!slash || slash - path >= GMC_VALIDATE_PATH) return gmc_lookup_hash(0, path);
    char first[GMC_VALIDATE_PATH], second[GMC_VALIDATE_PATH];
    size_t end = strcspn(slash + 1, ".");
    snprintf(first, sizeof first, "%.*s", (int)(slash - path - (ptrdiff_t)skip), path + skip);
    snprintf(second, sizeof second, "%.*s", (int)end, slash + 1);
    return gmc_lookup_hash(gmc_lookup_hash(0, first) + gmc_lookup_hash(0, second), slash + 1 + end);
}

// `hand.joints.x.kp` is `hand.x.kp`, and `robots.arm.joints.x.kp` is `robots.arm.x.kp`.
static const char *without_joints(const char *path, char *shortened, size_t size)
{
    static const char JOINTS[] = "joints.";
    size_t start = strncmp(path, "hand.", 5) == 0 ? 5 : 0;
    if (strncmp(path, "robots.", 7) == 0) {
        start = 7 + strcspn(path + 7, ".");
        start += path[start] == '.';
    }
    if (start == 0 || strncmp(path + start, JOINTS, sizeof JOINTS - 1) != 0) return path;
    snprintf(shortened, size, "%.*s%s", (int)start, path, path + start + sizeof JOINTS - 1);
    return shortened;
}

gmc_param gmc_scenario_find(const gmc_scenario *scenario, const char *path)
{
    char shortened[GMC_VALIDATE_PATH];
    path = without_joints(path, shortened, sizeof shortened);
    path = without_static(path, shortened, sizeof shortened);
    gmc_param first = -1;
    for (int at = 0, i;
         (i = gmc_lookup_next(&scenario->parameter_lookup, hash_of_path(path), &at)) >= 0;)
        if ((first < 0 || i < first) && (strcmp(scenario->parameters[i].path, path) == 0 ||
                                         is_swapped_pair(scenario->parameters[i].path, path)))
            first = i;
    return first;
}

const char *gmc_scenario_nearest(const gmc_scenario *scenario, const char *path)
{
    gmc_nearest nearest = gmc_nearest_start(path);
    for (int i = 0; i < scenario->parameter_count; i++)
        gmc_nearest_offer(&nearest, scenario->parameters[i].path);
    return nearest.best;
}

// "object.position.x" is no slip of "object.pose.x", but it starts and ends as that does, and has
// more of its letters in front than any other that does.
static const char *same_ends(const gmc_scenario *s, const char *path)
{
    const char *end = strrchr(path, '.'), *found = NULL;
    size_t start = strcspn(path, "."), most = start;
    for (int i = 0; i < s->parameter_count && end; i++) {
        const char *other = s->parameters[i].path, *last = strrchr(other, '.');
        if (!last || strcmp(last, end) != 0 || strncmp(other, path, start + 1) != 0) continue;
        size_t same = 0;
        while (other[same] && other[same] == path[same])
            same++;
        if (same == most) found = NULL; // either may be meant
        if (same <= most) continue;
        most = same;
        found = other;
    }
    return found;
}

const char *gmc_scenario_likeliest(const gmc_scenario *scenario, const char *path)
{
    const char *nearest = gmc_scenario_nearest(scenario, path);
    const char *end = strrchr(path, '.'), *last = nearest ? strrchr(nearest, '.') : NULL;
    if (end && last && strcmp(end, last) == 0) return nearest;
    const char *alike = same_ends(scenario, path);
    return alike ? alike : nearest;
}

gmc_param gmc_scenario_add_parameter(gmc_scenario *scenario, const gmc_parameter *given)
{
    gmc_param known = gmc_scenario_find(scenario, given->path);
    if (known >= 0) return known;
    if (scenario->parameter_count == scenario->parameter_capacity) {
        int capacity = scenario->parameter_capacity ? 2 * scenario->parameter_capacity : 128;
        gmc_parameter *grown = GMC_NEW(scenario->arena, capacity, gmc_parameter);
        if (!grown) return -1;
        if (scenario->parameter_count > 0)
            memcpy(grown, scenario->parameters, (size_t)scenario->parameter_count * sizeof *grown);
        scenario->parameters = grown;
        scenario->parameter_capacity = capacity;
    }
    // what a URDF says was not looked at: a limit of 1e16 rad is none
    double extent = fmax(gmc_units_extent(given->dimension), fabs(given->nominal));
    gmc_parameter fresh = *given;
    fresh.path = gmc_arena_text(scenario->arena, given->path);
    if (!fresh.path || gmc_lookup_add(&scenario->parameter_lookup, hash_of_path(fresh.path),
                                      scenario->parameter_count) != GMC_OK)
        return -1;
    fresh.lower = fmax(given->lower, -extent);
    fresh.upper = fmin(given->upper, extent);
    scenario->parameters[scenario->parameter_count] = fresh;
    return scenario->parameter_count++;
}

void gmc_scenario_settle(gmc_scenario *scenario, gmc_param parameter, gmc_dimension dimension,
                         gmc_diagnostics *report)
{
    gmc_parameter *p = &scenario->parameters[parameter];
    if (p->dimension == dimension) return;
    gmc_dimension exact = p->dimension;
    bool is_open =
        gmc_units_fits(p->dimension, gmc_units_exponents(dimension), &exact) && exact == dimension;
    if (!is_open)
        gmc_diagnostics_add(
            report, GMC_E_INPUT, p->source, NULL, "%.120s: expected %s (%s), found %s", p->path,
            gmc_units_noun(dimension), gmc_units_choices(dimension), gmc_units_noun(p->dimension));
    p->dimension = dimension;
}

// ---- names of files ---------------------------------------------------------------------------

// Drop "./" and fold "a/../" in place.
static void shorten(char *name)
{
    char *segments[64];
    int count = 0;
    char *out = name;
    bool is_absolute = *name == '/';
    char *p = name + (is_absolute ? 1 : 0);
    out = p;
    while (*p && count < 63) {
        size_t length = strcspn(p, "/");
        bool has_more = p[length] == '/';
        bool is_dot = length == 0 || (length == 1 && p[0] == '.');
        bool is_up = length == 2 && p[0] == '.' && p[1] == '.';
        bool can_fold = count > 0 && strncmp(segments[count - 1], "../", 3) != 0;
        if (is_up && can_fold) {
            out = segments[--count];
        } else if (!is_dot) {
            segments[count++] = out;
            memmove(out, p, length);
            out += length;
            if (has_more) *out++ = '/';
        }
        p += length + (has_more ? 1 : 0);
    }
    if (*p) {
        memmove(out, p, strlen(p));
        out += strlen(p);
    }
    if (out == name) *out++ = '.'; // nothing is left: here (a name has room for it)
    *out = 0;
}

const char *gmc_scenario_join(gmc_scenario *scenario, const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 3;
    char *text = gmc_arena_take(scenario->arena, bytes, 1);
    if (!text) return NULL;
    if (name[0] == '/' || folder[0] == 0)
        snprintf(text, bytes, "%s", name);
    else
        snprintf(text, bytes, "%s/%s", folder, name);
    shorten(text);
    // embedded files have their names
    bool is_elsewhere = text[0] == '/' && !scenario->embedded;
    return is_elsewhere ? gmc_location_below(scenario->file, text) : text;
}

char *gmc_scenario_place(const gmc_scenario *scenario, const char *name)
{
    const char *slash = strrchr(scenario->file, '/');
    bool is_free = name[0] == '/' || strcmp(name, gmc_materials_name) == 0;
    size_t length = slash && !is_free ? (size_t)(slash - scenario->file) + 1 : 0;
    char *file = malloc(length + strlen(name) + 1);
    if (!file) return NULL;
    memcpy(file, scenario->file, length);
    memcpy(file + length, name, strlen(name) + 1);
    return file;
}

// ---- assets -----------------------------------------------------------------------------------

static const gmc_asset *find_embedded(const gmc_scenario *scenario, const char *name)
{
    const gmc_asset *found = NULL;
    for (int i = 0; i < scenario->embedded_count; i++)
        if (strcmp(scenario->embedded[i].name, name) == 0) return &scenario->embedded[i];
    // a URDF may name its meshes in full: those in the scenario's folder were taken in by the part
    // behind it. Where several could be meant it is none
    for (const char *rest = name[0] == '/' ? name + 1 : NULL; rest; rest = strchr(rest, '/')) {
        rest += *rest == '/';
        for (int i = 0; i < scenario->embedded_count; i++) {
            if (strcmp(scenario->embedded[i].name, rest) != 0) continue;
            if (found) return NULL;
            found = &scenario->embedded[i];
        }
    }
    return found;
}

bool gmc_scenario_has_asset(const gmc_scenario *scenario, const char *name)
{
    if (scenario->embedded) return find_embedded(scenario, name) != NULL;
    char *file = gmc_scenario_place(scenario, name);
    if (!file) return true; // not known: to load it will say that memory is missing, not the file
    errno = 0;
    FILE *in = gmc_file_open(file);
    // a folder opens too, but has no first byte; what may not be read is there
    bool is_file = in ? getc(in) != EOF || !ferror(in) : errno == EACCES;
    if (in) fclose(in);
    free(file);
    return is_file;
}

static gmc_asset *add_asset(gmc_scenario *scenario, const char *name, const char *file, void *bytes,
                            size_t size)
{
    if (scenario->asset_count == scenario->asset_capacity) {
        int capacity = scenario->asset_capacity ? 2 * scenario->asset_capacity : 16;
        gmc_asset *grown = GMC_NEW(scenario->arena, capacity, gmc_asset);
        if (!grown) return NULL;
        if (scenario->asset_count > 0)
            memcpy(grown, scenario->assets, (size_t)scenario->asset_count * sizeof *grown);
        scenario->assets = grown;
        scenario->asset_capacity = capacity;
    }
    gmc_asset *asset = &scenario->assets[scenario->asset_count];
    *asset = (gmc_asset){.name = gmc_arena_text(scenario->arena, name),
                         .file = gmc_arena_text(scenario->arena, file),
                         .bytes = bytes,
                         .size = size,
                         .digest = gmc_sha256_of(bytes, size)};
    if (!asset->name || !asset->file) return NULL;
    scenario->asset_count++;
    return asset;
}

// Why a file that cannot be read cannot: C has no other question than opening it again.
static const char *missing_text(const char *file)
{
    errno = 0;
    FILE *in = gmc_file_open(file);
    int error = errno;
    if (in) {
        errno = 0;
        if (getc(in) == EOF && ferror(in)) error = errno;
        fclose(in);
    }
    return error == EISDIR   ? "a folder, not a file:"
           : error == EACCES ? "no permission to read"
                             : "no such file:";
}

void gmc_scenario_report_file(gmc_diagnostics *report, gmc_status status, gmc_source source,
                              const char *file)
{
    const char *what = status == GMC_E_MISSING  ? missing_text(file)
                       : status == GMC_E_MEMORY ? "no memory for"
                       : status == GMC_E_LIMIT  ? "too large a file:"
                                                : "cannot read";
    gmc_diagnostics_add(report, status, source,
                        strcmp(what, "no such file:") == 0 && source.line > 0
                            ? "files are looked for beside the scenario that names them"
                            : NULL,
                        "%s %.200s", what, file);
}

const gmc_asset *gmc_scenario_load_asset(gmc_scenario *scenario, const char *name,
                                         gmc_source source, gmc_diagnostics *report)
{
    for (int i = 0; i < scenario->asset_count; i++) {
        if (strcmp(scenario->assets[i].name, name) != 0) continue;
        scenario->assets[i].is_scenario = false; // or a `use` says again that it is
        return &scenario->assets[i];
    }

    void *bytes = NULL;
    size_t size = 0;
    gmc_status status = GMC_E_MISSING;
    bool is_built_in = strcmp(name, gmc_materials_name) == 0;
    char *file = gmc_scenario_place(scenario, name);
    const gmc_asset *embedded = find_embedded(scenario, name);
    if (!file) {
        status = GMC_E_MEMORY;
    } else if (is_built_in) {
        char *text = NULL;
        status = gmc_materials_text(&text);
        bytes = text;
        size = text ? strlen(text) : 0;
    } else if (!scenario->embedded) {
        gmc_file content = {0};
        status = gmc_file_read(file, &content);
        bytes = content.bytes;
        size = content.size;
    } else if (embedded) {
        bytes = malloc(embedded->size + 1);
        size = embedded->size;
        status = bytes ? GMC_OK : GMC_E_MEMORY;
        if (bytes) {
            memcpy(bytes, embedded->bytes, size);
            ((char *)bytes)[size] = 0;
        }
    }
    if (status != GMC_OK) {
        gmc_scenario_report_file(report, status, source, file ? file : name);
        free(file);
        return NULL;
    }
    gmc_asset *asset = add_asset(scenario, name, file, bytes, size);
    free(file);
    if (!asset) {
        free(bytes);
        gmc_scenario_report_file(report, GMC_E_MEMORY, source, name);
    }
    return asset;
}

bool gmc_scenario_lacks_hand(const gmc_scenario *scenario)
{
    for (const gmc_node *n = scenario->tree->first; n; n = n->next)
        if (strcmp(n->key, "hand") == 0 || !gmc_schema_find(GMC_SCHEMA_ROOT, n->key)) return false;
    return true;
}

gmc_status gmc_scenario_bodies(const gmc_scenario *scenario, gmc_expression_bodies *bodies)
{
    const gmc_scenario *s = scenario;
    const char **scene = GMC_NEW(s->arena, s->scene_count + s->robot_count + 1, const char *);
    const char **objects = GMC_NEW(s->arena, s->object_count + 1, const char *);
    const char **phases = GMC_NEW(s->arena, s->phase_count + 1, const char *);
    if (!scene || !objects || !phases) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->phase_count; i++)
        phases[i] = s->program[i].name;
    for (int i = 0; i < s->scene_count; i++)
        scene[i] = s->scene[i].name;
    for (int i = 0; i < s->robot_count; i++)
        scene[s->scene_count + i] = s->robots[i].name;
    for (int i = 0; i < s->object_count; i++)
        objects[i] = s->objects[i].name;
    *bodies = (gmc_expression_bodies){.scene = scene,
                                      .scene_count = s->scene_count + s->robot_count,
                                      .objects = objects,
                                      .object_count = s->object_count,
                                      .phases = phases,
                                      .phase_count = s->phase_count,
                                      .lacks_hand = gmc_scenario_lacks_hand(s),
                                      .is_planar = s->world != GMC_WORLD_SPATIAL};
    return GMC_OK;
}

bool gmc_grasp_set_value(const gmc_grasp_set *set, int index, gmc_param target, double *value)
{
    for (int j = 0; j < set->target_count; j++) {
        if (set->targets[j] != target) continue;
        *value = set->values[(size_t)index * (size_t)set->target_count + (size_t)j];
        return true;
    }
    return false;
}

// Give back what sets own besides the scenario's arena.
static void grasp_set_free(gmc_grasp_set *set)
{
    if (!set) return;
    gmc_grasps_free(&set->grasps);
    free(set->rows);
    free(set->values);
    set->rows = NULL;
    set->values = NULL;
    set->count = 0;
}

void gmc_scenario_free(gmc_scenario *scenario)
{
    for (int i = 0; i < scenario->object_count; i++)
        grasp_set_free(scenario->objects[i].grasps);
    for (int i = 0; i < scenario->asset_count; i++)
        free(scenario->assets[i].bytes);
    gmc_lookup_free(&scenario->parameter_lookup);
    *scenario = (gmc_scenario){0};
}
