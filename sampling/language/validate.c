// One walk from group to group along the table. Each group is checked in five passes over its keys:
// what is unknown, what excludes each other, what is missing, what has a default, what the values
// are. Reading goes on after every mistake; a subtree that makes no sense is skipped, its siblings
// are not.
#include "sampling/language/validate.h"

#include "engine/contact/stepper.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"
#include "sampling/language/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- path, for messages -----------------------------------------------------------------------

size_t gmc_validate_push(gmc_validate *v, const char *key)
{
    size_t before = strlen(v->path);
    snprintf(v->path + before, sizeof v->path - before, before > 0 ? ".%s" : "%s", key);
    return before;
}

size_t gmc_validate_push_index(gmc_validate *v, int index)
{
    char text[16];
    snprintf(text, sizeof text, "%d", index);
    return gmc_validate_push(v, text);
}

void gmc_validate_pop(gmc_validate *v, size_t before) { v->path[before] = 0; }

bool gmc_validate_is_full(const gmc_validate *v)
{
    return v->report->error_count >= GMC_VALIDATE_MISTAKES_MAX;
}

bool gmc_validate_is_name(const char *text)
{
    bool is_start = true;
    if (*text == 0) return false;
    for (const char *p = text; *p; p++) {
        bool is_letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool is_other = (*p >= '0' && *p <= '9') || *p == '-';
        if (!is_letter && (is_start || !is_other)) return false;
        is_start = false;
    }
    return true;
}

bool gmc_validate_is_cut(const char *text)
{
    int open = 0;
    if (strchr(text, ',')) return false; // a comma would have cut here
    for (const char *p = text; *p; p++) {
        if (*p == '(') open++;
        if (*p == ')' && --open < 0) return true;
    }
    return open != 0;
}

// ---- one group --------------------------------------------------------------------------------

// First written key that excludes `row`, other than `row` itself.
static const gmc_node *find_rival(const gmc_node *map, const gmc_schema_row *row)
{
    if (row->rival == 0) return NULL;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *other = gmc_schema_find(row->group, n->key);
        if (other && other != row && other->rival == row->rival) return n;
    }
    return NULL;
}

// Does the row mean something in this scenario's world?
static bool is_of_world(const gmc_validate *v, const gmc_schema_row *row)
{
    return row->worlds == GMC_SCHEMA_ALL || v->worlds == GMC_SCHEMA_ALL || row->worlds == v->worlds;
}

// A misspelt key is read as the one that it is near, if that is not there as well: what it holds is
// checked in the same pass, and nobody misses it. What is read before all keys stays as it is.
static void read_as(const gmc_validate *v, const gmc_node *map, gmc_node *node,
                    const gmc_schema_row *row)
{
    static const char *const EARLY[] = {"world", "parameters", "use"};
    bool is_early = false;
    for (int i = 0; i < GMC_COUNT(EARLY); i++)
        is_early = is_early || strcmp(row->key, EARLY[i]) == 0;
    if (is_early || !is_of_world(v, row) || gmc_node_find(map, row->key) || find_rival(map, row))
        return;
    node->key = row->key;
}

static void report_unknown(gmc_validate *v, gmc_schema_group group, const gmc_node *map,
                           gmc_node *node)
{
    char hint[160];
    const char *nearest = gmc_schema_nearest(group, node->key);
    if (nearest) {
        snprintf(hint, sizeof hint, "did you mean %s?", nearest);
    } else {
        int count = 0;
        const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
        int used = snprintf(hint, sizeof hint, "keys here:");
        for (int i = 0; i < count && used < (int)sizeof hint - 24; i++)
            used += snprintf(hint + used, sizeof hint - (size_t)used, "%s %s", i ? "," : "",
                             rows[i].key);
    }
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->key_source, hint,
                        "unknown key %.80s in %.80s", node->key,
                        v->path[0] ? v->path : gmc_schema_group_name(group));
    v->mended++;
    if (nearest) read_as(v, map, node, gmc_schema_find(group, nearest));
}

static void report_world(gmc_validate *v, const gmc_schema_row *row, const gmc_node *node)
{
    bool is_flat = row->worlds == GMC_SCHEMA_FLAT;
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->key_source,
                        is_flat ? "add  world: planar  or  world: planar-support"
                                : "leave it out; a floor is a box",
                        is_flat ? "%.80s%s%s belongs to planar worlds, and this one is spatial: "
                                  "planar and solid shapes never meet"
                                : "%.80s%s%s belongs to spatial worlds: here everything moves in "
                                  "the plane z = 0",
                        v->path, v->path[0] ? "." : "", node->key);
}

// The first of two phases, or of two shapes, is read on with.
static bool is_read_on(gmc_schema_group group)
{
    return group == GMC_SCHEMA_PHASE || group == GMC_SCHEMA_ITEM;
}

static void check_rivals(gmc_validate *v, gmc_schema_group group, const gmc_node *map)
{
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        const gmc_node *rival = row ? find_rival(map, row) : NULL;
        if (!rival) continue;
        // one message for a pair: at the later of the two
        bool is_later = false;
        for (const gmc_node *m = rival; m; m = m->next)
            is_later = is_later || m == n;
        if (!is_later) continue;
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, n->key_source, "keep one of the two",
                            "%.80s: %.40s and %.40s exclude each other",
                            v->path[0] ? v->path : "the scenario", rival->key, n->key);
        v->mended += is_read_on(group);
    }
}

// A number that is not there is reported, and read as one that may stand there.
static gmc_status stand_in(gmc_validate *v, const gmc_schema_row *row, gmc_node *map)
{
    char text[GMC_UNITS_TEXT];
    gmc_node *node = gmc_node_create(v->arena, GMC_NODE_SCALAR, map->source);
    gmc_units_print(fmin(fmax(1, row->lower), row->upper), text);
    if (node) node->text = gmc_arena_text(v->arena, text);
    if (!node || !node->text) return GMC_E_ARENA_FULL;
    node->is_default = node->is_stand_in = true;
    gmc_node_append(map, row->key, map->key ? map->key_source : map->source, node);
    v->mended++;
    return GMC_OK;
}

static gmc_status check_missing(gmc_validate *v, gmc_schema_group group, gmc_node *map)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        const gmc_schema_row *row = &rows[i];
        if (!row->is_required || gmc_node_find(map, row->key) || find_rival(map, row)) continue;
        if (!is_of_world(v, row)) continue;
        bool is_told = false;
        char names[160] = "";
        size_t used = 0;
        for (int j = 0; j < count; j++) {
            bool is_same = j == i || (row->rival != 0 && rows[j].rival == row->rival);
            if (!is_same || !is_of_world(v, &rows[j]) || used > sizeof names - 24) continue;
            if (j < i) is_told = true;
            used += (size_t)snprintf(names + used, sizeof names - used, used ? ", %s" : "%s",
                                     rows[j].key);
        }
        if (is_told) continue;
        gmc_source source = map->key ? map->key_source : map->source;
        if (group == GMC_SCHEMA_ROOT) source = (gmc_source){.file = map->source.file};
        bool are_several = strchr(names, ',') != NULL;
        char add[160];
        bool is_time = row->type == GMC_TYPE_NUMBER && row->dimension == GMC_DIM_TIME;
        snprintf(add, sizeof add, "add  %s: 0.7 s, its duration", row->key);
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, source,
                            are_several ? NULL
                            : is_time   ? add
                                        : row->about,
                            "%.80s needs %s%s", v->path[0] ? v->path : "the scenario",
                            are_several ? "one of " : "", names);
        bool is_number = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER;
        if (is_number && !are_several) GMC_TRY(stand_in(v, row, map));
    }
    return GMC_OK;
}

static void check_needs(gmc_validate *v, gmc_schema_group group, const gmc_node *map)
{
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        if (!row || !row->needs || gmc_node_find(map, row->needs)) continue;
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, n->key_source, NULL,
                            "%.80s: %s means nothing without %s", v->path, row->key, row->needs);
    }
}

static gmc_status add_default(gmc_validate *v, gmc_node *map, const char *key, const char *text)
{
    gmc_node *node = NULL;
    GMC_TRY(gmc_yaml_parse(text, strlen(text), NULL, map->folder, v->report, v->arena, &node));
    for (gmc_node *n = node; n; n = n == node ? n->first : n->next) {
        n->is_default = true;
        n->source = n->key_source = (gmc_source){0};
    }
    if (!node) return GMC_E_MEMORY; // defaults are never empty
    // mistakes in what is filled in are mistakes of what it completes
    node->source = map->source;
    gmc_node_append(map, key, map->key ? map->key_source : map->source, node);
    return GMC_OK;
}

// What a stepper says of itself where nothing is written. The language's own defaults of solver and
// motion are the default stepper's.
static gmc_status fill_stepper(gmc_validate *v, gmc_node *map)
{
    const gmc_node *node = gmc_node_find(map, "stepper");
    const gmc_stepper *stepper = node && node->text ? gmc_stepper_find(node->text) : NULL;
    if (!node) stepper = gmc_steppers[0];
    if (!stepper) return GMC_OK;
    if (stepper != gmc_steppers[0] && !gmc_node_find(map, "solver"))
        GMC_TRY(add_default(v, map, "solver", stepper->solvers[0]));
    if (stepper != gmc_steppers[0] && !gmc_node_find(map, "motion"))
        GMC_TRY(add_default(v, map, "motion", gmc_motion_name(GMC_MOTION_DYNAMIC)));
    for (int i = 0; i < stepper->setting_count; i++)
        if (!gmc_node_find(map, stepper->settings[i].key))
            GMC_TRY(add_default(v, map, stepper->settings[i].key, stepper->settings[i].text));
    return GMC_OK;
}

// Defaults that depend on what else is written.
static gmc_status fill_conditional(gmc_validate *v, gmc_schema_group group, gmc_node *map)
{
    if (group == GMC_SCHEMA_ROOT && !gmc_node_find(map, "gravity")) {
        const gmc_node *world = gmc_node_find(map, "world");
        if (world && world->text && strcmp(world->text, "planar") == 0)
            GMC_TRY(add_default(v, map, "gravity", "[0 m/s2, -9.81 m/s2, 0 m/s2]"));
    }
    if (group == GMC_SCHEMA_ITEM && v->worlds != GMC_SCHEMA_FLAT && !gmc_node_find(map, "placed")) {
        bool is_object = strncmp(v->path, "object", 6) == 0;
        bool has_height = gmc_node_find(gmc_node_find(map, "pose"), "z") != NULL;
        GMC_TRY(add_default(v, map, "placed", is_object && !has_height ? "resting" : "as_given"));
    }
    if (group == GMC_SCHEMA_ITEM && strncmp(v->path, "scene.", 6) == 0 &&
        !gmc_node_find(map, "free"))
        GMC_TRY(add_default(v, map, "free", "false"));
    if (group == GMC_SCHEMA_CLOSE && !gmc_node_find(map, "until") && !gmc_node_find(map, "for") &&
        !gmc_node_find(map, "in"))
        GMC_TRY(add_default(v, map, "until", "stalled"));
    return group == GMC_SCHEMA_SIMULATION ? fill_stepper(v, map) : GMC_OK;
}

static gmc_status fill_defaults(gmc_validate *v, gmc_schema_group group, gmc_node *map)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        const gmc_schema_row *row = &rows[i];
        if (!row->fallback || gmc_node_find(map, row->key) || find_rival(map, row)) continue;
        if (row->needs && !gmc_node_find(map, row->needs)) continue;
        if (!is_of_world(v, row)) continue;
        GMC_TRY(add_default(v, map, row->key, row->fallback));
    }
    return GMC_OK;
}

// `diameter: d` is `radius: d/2`; `unit: mm` is `scale: 1 mm`; a gear is its polygon.
static gmc_status write_out(gmc_validate *v, gmc_schema_group group, gmc_node *map)
{
    gmc_node *gear = gmc_node_find(map, "gear");
    if (gear && gear->row && gear->row->child == GMC_SCHEMA_GEAR)
        GMC_TRY(gmc_validate_gear(v, map, gear));
    if (group == GMC_SCHEMA_GEAR) return GMC_OK;
    gmc_node *diameter = gmc_node_find(map, "diameter");
    gmc_node *unit = gmc_node_find(map, "unit");
    gmc_node *old = diameter ? diameter : unit;
    if (!old || old->kind != GMC_NODE_SCALAR) return GMC_OK;
    size_t bytes = strlen(old->text) + GMC_UNITS_TEXT;
    char number[GMC_UNITS_TEXT], *text = gmc_arena_take(v->arena, bytes, 1);
    gmc_node *fresh = gmc_node_create(v->arena, GMC_NODE_SCALAR, old->source);
    if (!fresh || !text) return GMC_E_ARENA_FULL;
    if (!diameter) {
        snprintf(text, bytes, "1 %.8s", unit->text);
    } else if (!diameter->is_number) {
        return GMC_OK;
    } else if (diameter->formula) {
        snprintf(text, bytes, "(%s) / 2", diameter->text);
    } else {
        gmc_units_print(diameter->number / 2, number);
        snprintf(text, bytes, "%s m", number);
    }
    fresh->folder = old->folder;
    fresh->text = text;
    gmc_node_replace(map, old, fresh);
    fresh->key = diameter ? "radius" : "scale";
    size_t before = gmc_validate_push(v, fresh->key);
    fresh->row = gmc_schema_find(diameter ? GMC_SCHEMA_SPHERE : GMC_SCHEMA_ITEM, fresh->key);
    gmc_validate_value_number(v, fresh, fresh->row, GMC_DIM_LENGTH);
    gmc_validate_pop(v, before);
    return GMC_OK;
}

// Does what stands under a key of the root decide what models are made of? A mistake in what does
// not is no reason not to look for others there.
static bool is_of_models(const char *key)
{
    static const char *const OTHERS[] = {
        "about",    "success", "uncertain", "correlated",
        "sampling", "output",  "friction"}; // pairs that cannot be told miss no others
    for (int i = 0; i < GMC_COUNT(OTHERS); i++)
        if (strcmp(OTHERS[i], key) == 0) return false;
    return true;
}

// What is written in place of a group: a key alone, or the value of the key that matters most.
static void report_no_map(gmc_validate *v, gmc_schema_group group, const gmc_node *node)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count), *first = NULL;
    for (int i = 0; i < count; i++) {
        if (node->kind == GMC_NODE_SCALAR && strcmp(rows[i].key, node->text) == 0) {
            first = &rows[i];
            break;
        }
        bool is_needed = rows[i].is_required || rows[i].rival;
        if (!first && is_needed) first = &rows[i];
    }
    // many groups begin with a name that all of their kind have
    if (!first) first = &rows[count > 1 && strcmp(rows[0].key, "name") == 0];
    bool is_key = node->kind == GMC_NODE_SCALAR && strcmp(first->key, node->text) == 0;
    char hint[96];
    snprintf(hint, sizeof hint,
             is_key ? "write  %s: {...}" : "write {%s: ..., ...} or indented lines", first->key);
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                        "%.80s: expected keys with values", v->path[0] ? v->path : "the scenario");
}

gmc_status gmc_validate_group(gmc_validate *v, gmc_schema_group group, gmc_node *map)
{
    if (map->kind != GMC_NODE_MAP) {
        report_no_map(v, group, map);
        return GMC_OK;
    }
    bool has_unknown = false;
    for (gmc_node *n = map->first; n && !gmc_validate_is_full(v); n = n->next) {
        bool is_path = group == GMC_SCHEMA_SET && strchr(n->key, '.');
        if (is_path || gmc_schema_find(group, n->key)) continue;
        report_unknown(v, group, map, n);
        has_unknown = true;
    }
    check_rivals(v, group, map);
    // a phase of an unknown kind is not missing its kind
    if (!(group == GMC_SCHEMA_PHASE && has_unknown)) GMC_TRY(check_missing(v, group, map));
    GMC_TRY(fill_conditional(v, group, map)); // what a key needs may be a default
    check_needs(v, group, map);
    if (group == GMC_SCHEMA_STUDY) v->has_rank = gmc_node_find(map, "rank") != NULL;
    GMC_TRY(fill_defaults(v, group, map));

    for (gmc_node *n = map->first, *next = NULL; n && !gmc_validate_is_full(v); n = next) {
        next = n->next;
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        n->row = row;
        if (!row) continue;
        if (!is_of_world(v, row)) {
            report_world(v, row, n);
            gmc_node_remove(map, n); // nobody shall look into it
            continue;
        }
        size_t before = gmc_validate_push(v, n->key);
        int errors_else = v->report->error_count - v->mended;
        GMC_TRY(gmc_validate_value(v, row, n));
        if (group == GMC_SCHEMA_ROOT && !is_of_models(n->key))
            v->mended = v->report->error_count - errors_else;
        gmc_validate_pop(v, before);
    }
    return write_out(v, group, map);
}

gmc_status gmc_validate_tree(gmc_node *root, gmc_diagnostics *report, gmc_arena *arena)
{
    gmc_validate v = {.report = report, .arena = arena, .worlds = GMC_SCHEMA_SOLID};
    int errors_before = report->error_count;
    const gmc_node *world = gmc_node_find(root, "world");
    if (world && world->kind == GMC_NODE_SCALAR && strcmp(world->text, "spatial") != 0) {
        // of a world that is misspelt nothing is known
        bool is_flat =
            strcmp(world->text, "planar") == 0 || strcmp(world->text, "planar-support") == 0;
        v.worlds = is_flat ? GMC_SCHEMA_FLAT : GMC_SCHEMA_ALL;
    }
    GMC_TRY(gmc_validate_own(&v, root));
    GMC_TRY(gmc_validate_group(&v, GMC_SCHEMA_ROOT, root));
    if (v.formulas.is_arena_full) return GMC_E_ARENA_FULL;
    root->is_bad = report->error_count - errors_before > v.mended;
    if (gmc_validate_is_full(&v))
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = root->source.file},
                            NULL, "so many mistakes that reading stopped");
    return GMC_OK;
}

gmc_status gmc_validate_part(gmc_node *map, gmc_schema_group group, const char *path,
                             gmc_diagnostics *report, gmc_arena *arena)
{
    gmc_validate v = {.report = report, .arena = arena};
    snprintf(v.path, sizeof v.path, "%s", path);
    return gmc_validate_group(&v, group, map);
}
