// `use:` and `--set`: what one file says over what another said, and the command line over both.
#include "sampling/language/merge.h"

#include "sampling/language/nearest.h"
#include "sampling/language/short_form.h"
#include "sampling/language/units.h"
#include "sampling/language/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gmc_merge_blocks[GMC_MERGE_BLOCKS] = {"believed", "cameras", "uncertain",
                                                        "correlated"};

bool gmc_merge_is_turned(const char *pair, const char *other)
{
    const char *cut = strchr(pair, '/'), *cut_other = strchr(other, '/');
    if (!cut || !cut_other) return false;
    size_t first = (size_t)(cut - pair), second = strlen(cut + 1);
    return strlen(cut_other + 1) == first && (size_t)(cut_other - other) == second &&
           memcmp(pair, cut_other + 1, first) == 0 && memcmp(cut + 1, other, second) == 0;
}

void gmc_merge_hint_twin(gmc_source first, gmc_source second, const char *name,
                         char hint[GMC_MERGE_HINT_MAX])
{
    bool is_placed = first.file && second.file && first.line > 0;
    if (is_placed && strcmp(first.file, second.file) != 0)
        snprintf(hint, GMC_MERGE_HINT_MAX,
                 "%.160s:%d has it as %.100s: write that name here to override it", first.file,
                 first.line, name);
    else if (is_placed)
        snprintf(hint, GMC_MERGE_HINT_MAX, "keep one of the two: %.100s stands in line %d", name,
                 first.line);
    else
        snprintf(hint, GMC_MERGE_HINT_MAX, "keep one of the two");
}

// Take away the keys of `map`, a map of `group`, that `key` excludes.
static void merge_drop_rivals(gmc_schema_group group, gmc_node *map, const char *key)
{
    const gmc_schema_row *row = gmc_schema_find(group, key);
    if (!row || row->rival == 0) return;
    for (gmc_node *n = map->first, *next = NULL; n; n = next) {
        next = n->next;
        const gmc_schema_row *other = gmc_schema_find(group, n->key);
        if (other && other != row && other->rival == row->rival) gmc_node_remove(map, n);
    }
}

static bool drop_below(const gmc_schema_row *row, gmc_node *node);

static bool leads_into_group(const gmc_schema_row *row)
{
    return row->type == GMC_TYPE_GROUP || row->type == GMC_TYPE_GRASPS ||
           row->type == GMC_TYPE_LAW || row->type == GMC_TYPE_MOMENT;
}

// `key: ~` of a key that the base lacks: it is absent, as it was. Keys that nobody knows stay, to
// be complained about. `group` -1: keys are the user's own. @return nothing but such keys was there
static bool drop_empty(int group, const gmc_schema_row *of, gmc_node *map)
{
    int before = map->count;
    for (gmc_node *n = map->first, *next = NULL; n; n = next) {
        next = n->next;
        const gmc_schema_row *row =
            group >= 0 ? gmc_schema_find((gmc_schema_group)group, n->key) : NULL;
        bool is_own = group < 0, is_gone = (row || is_own) && gmc_node_is_empty(n);
        if (row) is_gone = is_gone || drop_below(row, n);
        if (is_own && (int)of->child >= 0 && n->kind == GMC_NODE_MAP)
            is_gone = drop_empty((int)of->child, of, n);
        if (is_gone) gmc_node_remove(map, n);
    }
    return before > 0 && map->count == 0;
}

// The same below a key. @return nothing is left of it
static bool drop_below(const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_MAP) return false;
    bool is_group = leads_into_group(row);
    bool is_named = row->type == GMC_TYPE_NAMED || row->type == GMC_TYPE_PAIRS ||
                    row->type == GMC_TYPE_UNCERTAIN || row->type == GMC_TYPE_CORRELATED ||
                    row->type == GMC_TYPE_PARAMETERS || row->type == GMC_TYPE_ARGUMENTS ||
                    row->type == GMC_TYPE_GOALS || row->type == GMC_TYPE_SHARES ||
                    row->type == GMC_TYPE_AT_PHASES;
    if (is_group) return drop_empty((int)row->child, row, node);
    return is_named && drop_empty(-1, row, node);
}

static bool is_filled(const gmc_node *node)
{
    bool is_empty = node->kind == GMC_NODE_LIST ? node->count == 0 : gmc_node_is_empty(node);
    return node->kind != GMC_NODE_MAP && !is_empty;
}

// One of two values of a key is a map and the other short for one: it becomes that map.
static gmc_status open_short(const gmc_schema_row *row, gmc_node *old, gmc_node *fresh,
                             gmc_arena *arena)
{
    if (fresh->kind == GMC_NODE_MAP) return gmc_short_form_open(row, old, arena);
    bool is_short = old->kind == GMC_NODE_MAP && is_filled(fresh);
    return is_short ? gmc_short_form_open(row, fresh, arena) : GMC_OK;
}

static gmc_status open_short_pair(gmc_node *old, gmc_node *fresh, gmc_arena *arena)
{
    if (fresh->kind == GMC_NODE_MAP) return gmc_short_form_open_pair(old, arena);
    return old->kind == GMC_NODE_MAP ? gmc_short_form_open_pair(fresh, arena) : GMC_OK;
}

static gmc_node *find_turned(const gmc_node *pairs, const char *pair)
{
    for (gmc_node *n = pairs->first; n; n = n->next)
        if (gmc_merge_is_turned(n->key, pair)) return n;
    return NULL;
}

// Maps whose keys are the user's own, merged by name; `entry` is the group of each, -1: plain
// values.
static gmc_status merge_named(int entry, gmc_node *base, gmc_node *over, gmc_arena *arena)
{
    for (gmc_node *n = over->first, *next = NULL; n; n = next) {
        next = n->next;
        gmc_node *old = gmc_node_find(base, n->key);
        gmc_source key_source = n->key_source;
        bool is_pair = entry == GMC_SCHEMA_FRICTION;
        if (!old && is_pair && gmc_node_is_empty(n)) old = find_turned(base, n->key);
        if (old && is_pair) GMC_TRY(open_short_pair(old, n, arena));
        if (!old && !gmc_node_is_empty(n))
            gmc_node_append(base, n->key, key_source, n);
        else if (old && gmc_node_is_empty(n))
            gmc_node_remove(base, old);
        else if (!old)
            continue;
        else if (entry >= 0 && old->kind == GMC_NODE_MAP && n->kind == GMC_NODE_MAP)
            GMC_TRY(gmc_merge_trees((gmc_schema_group)entry, old, n, arena));
        else
            gmc_node_replace(base, old, n);
    }
    return GMC_OK;
}

// The other way: `draws: {last: 200}` with nothing beside it is `draws: 200`, which needs no
// ladder.
static void close_short_form(const gmc_schema_row *row, gmc_node *node)
{
    const gmc_node *last = gmc_node_find(node, "last");
    if (row->type != GMC_TYPE_ROUNDS || node->count != 1 || !last) return;
    if (last->kind != GMC_NODE_SCALAR) return;
    node->kind = GMC_NODE_SCALAR;
    node->source = last->source;
    node->folder = last->folder;
    node->text = last->text;
    node->is_plain = last->is_plain;
    node->is_option = last->is_option;
    node->first = node->last = NULL;
    node->count = 0;
}

gmc_status gmc_merge_trees(gmc_schema_group group, gmc_node *base, gmc_node *over, gmc_arena *arena)
{
    for (gmc_node *n = over->first, *next = NULL; n; n = next) {
        next = n->next;
        if (!gmc_node_is_empty(n)) merge_drop_rivals(group, base, n->key);
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        gmc_node *old = gmc_node_find(base, n->key);
        gmc_source key_source = n->key_source;
        if (row && old) GMC_TRY(open_short(row, old, n, arena));
        bool are_maps = old && old->kind == GMC_NODE_MAP && n->kind == GMC_NODE_MAP;
        bool is_group = row && leads_into_group(row);
        bool is_gone = !old && row && (gmc_node_is_empty(n) || drop_below(row, n));
        if (is_gone) {
            continue;
        } else if (!old) {
            gmc_node_append(base, n->key, key_source, n);
        } else if (gmc_node_is_empty(n)) {
            gmc_node_remove(base, old);
        } else if (is_group && are_maps) {
            GMC_TRY(gmc_merge_trees(row->child, old, n, arena));
        } else if (row && are_maps &&
                   (row->type == GMC_TYPE_NAMED || row->type == GMC_TYPE_PAIRS)) {
            GMC_TRY(merge_named((int)row->child, old, n, arena));
        } else if (row && are_maps && row->type != GMC_TYPE_DESIGN) {
            GMC_TRY(merge_named(-1, old, n, arena));
            close_short_form(row, old);
        } else {
            gmc_node_replace(base, old, n);
            n->key_source = key_source;
        }
    }
    return GMC_OK;
}

// ---- --set -------------------------------------------------------------------------------------
// `--set` walks the same table as everything else, so that PATH means what it means in `uncertain`,
// and what it puts into the tree is checked like any other line. Maps that are silent so far are
// created (object.pose.x without a pose); names of objects and phases must exist.

typedef struct setter {
    gmc_schema_worlds worlds; // of the scenario
    gmc_node *value;
    gmc_source source; // the text of the option
    gmc_diagnostics *report;
    gmc_arena *arena;
} setter;

// Lines and columns inside of an option's text help nobody.
static void relocate(gmc_node *node, gmc_source source)
{
    node->source = node->key_source = source;
    for (gmc_node *n = node->first; n; n = n->next)
        relocate(n, source);
}

// "what name", or "what" alone.
static gmc_status refuse(const setter *s, const char *hint, const char *what, const char *name)
{
    gmc_diagnostics_add(s->report, GMC_E_INPUT, s->source, hint, "%s%s%.80s", what,
                        name[0] ? " " : "", name);
    return GMC_OK;
}

static gmc_status place_value(const setter *s, gmc_node *map, const char *key)
{
    gmc_node *old = gmc_node_find(map, key);
    if (old && gmc_node_is_empty(s->value)) {
        gmc_node_remove(map, old);
        return GMC_OK;
    }
    if (old) {
        gmc_node_replace(map, old, s->value);
        s->value->key_source = s->source;
        return GMC_OK;
    }
    const char *copy = gmc_arena_text(s->arena, key);
    if (!copy) return GMC_E_ARENA_FULL;
    gmc_node_append(map, copy, s->source, s->value);
    return GMC_OK;
}

// The map under `key`, created if it is not there.
static gmc_status open_map(const setter *s, gmc_node *map, const char *key, gmc_node **child)
{
    *child = gmc_node_find(map, key);
    if (*child) return GMC_OK;
    const char *copy = gmc_arena_text(s->arena, key);
    *child = gmc_node_create(s->arena, GMC_NODE_MAP, s->source);
    if (!*child || !copy) return GMC_E_ARENA_FULL;
    gmc_node_append(map, copy, s->source, *child);
    return GMC_OK;
}

// The map of a row, created if it is not there; a short form becomes the map that it stands for.
static gmc_status open_row(const setter *s, const gmc_schema_row *row, gmc_node *map,
                           gmc_node **child)
{
    GMC_TRY(open_map(s, map, row->key, child));
    bool is_map = (*child)->kind == GMC_NODE_MAP;
    GMC_TRY(gmc_short_form_open(row, *child, s->arena));
    if (!is_map && (*child)->kind == GMC_NODE_MAP) (*child)->source = s->source;
    return GMC_OK;
}

static gmc_status set_in_group(const setter *s, gmc_schema_group group, gmc_node *map,
                               const char *path);

// One component of a vector: object.box.x
static gmc_status set_component(const setter *s, const gmc_schema_row *row, gmc_node *map,
                                const char *component)
{
    static const char *const NAMES[2][6] = {{"x", "y", "z"}, {"xx", "yy", "zz", "xy", "xz", "yz"}};
    gmc_node *list = gmc_node_find(map, row->key);
    if (!list && row->fallback) {
        GMC_TRY(gmc_yaml_parse(&(gmc_yaml_source){.text = row->fallback,
                                                  .bytes = strlen(row->fallback),
                                                  .file = s->source.file,
                                                  .folder = ""},
                               s->report, s->arena, &list));
        relocate(list, s->source);
        gmc_node_append(map, row->key, s->source, list);
    }
    if (!list || list->kind != GMC_NODE_LIST)
        return refuse(s, "set the whole list: [x, y, z]",
                      "not a list, so no single component can be set:", row->key);
    int i = 0;
    for (gmc_node *n = list->first; n; n = n->next, i++) {
        if (i >= 6 || !NAMES[list->count == 6][i] ||
            strcmp(NAMES[list->count == 6][i], component) != 0)
            continue;
        gmc_node_replace(list, n, s->value);
        return GMC_OK;
    }
    return refuse(s, "components are x, y and z", "no component", component);
}

static gmc_status set_named(const setter *s, const gmc_schema_row *row, gmc_node *map,
                            const char *path)
{
    // names of joints may hold dots; their settings do in `follows` alone
    static const char FOLLOWS[] = ".follows";
    const char *dot = row->child == GMC_SCHEMA_JOINT ? strrchr(path, '.') : strchr(path, '.');
    size_t length = sizeof FOLLOWS - 1;
    bool is_below = row->child == GMC_SCHEMA_JOINT && dot && (size_t)(dot - path) > length &&
                    strncmp(dot - length, FOLLOWS, length) == 0;
    if (is_below) dot -= length;
    char name[128];
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - path < 127 ? dot - path : 127) : 127,
             path);
    gmc_node *entries = NULL;
    GMC_TRY(open_map(s, map, row->key, &entries));
    if (entries->kind != GMC_NODE_MAP) return GMC_OK; // reported when the tree is checked
    if (!dot) return place_value(s, entries, name);

    gmc_node *entry = gmc_node_find(entries, name);
    if (!entry && row->child == GMC_SCHEMA_ITEM) {
        gmc_nearest nearest = gmc_nearest_start(name);
        for (gmc_node *n = entries->first; n; n = n->next)
            gmc_nearest_offer(&nearest, n->key);
        char hint[160];
        snprintf(hint, sizeof hint, "did you mean %.127s?", nearest.best ? nearest.best : "");
        return refuse(s, nearest.best ? hint : NULL, "nothing is called", name);
    }
    GMC_TRY(open_map(s, entries, name, &entry));
    return set_in_group(s, row->child, entry, dot + 1);
}

static gmc_status refuse_phase(const setter *s, const gmc_node *list, const char *path)
{
    char hint[300] = "phases are numbered from 0: program.1.lift.by";
    size_t used = list && list->count > 0
                      ? (size_t)snprintf(hint, sizeof hint, "%d phases:", list->count)
                      : 0;
    int index = 0;
    for (const gmc_node *n = list ? list->first : NULL; n && used < sizeof hint - 80;
         n = n->next, index++)
        used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %d %.40s", index ? "," : "",
                                 index, n->first && n->first->key ? n->first->key : "?");
    return refuse(s, hint, "no phase", path);
}

// The kind of a phase, if it is another one than `key`; NULL: it is not.
static const gmc_schema_row *other_kind(const gmc_node *phase, const char *key)
{
    const gmc_schema_row *row = gmc_schema_find(GMC_SCHEMA_PHASE, key);
    for (const gmc_node *n = row ? phase->first : NULL; n; n = n->next) {
        const gmc_schema_row *other = gmc_schema_find(GMC_SCHEMA_PHASE, n->key ? n->key : "");
        if (other && other != row && other->rival == row->rival) return other;
    }
    return NULL;
}

// A phase has one kind: what is meant is most often a phase with another number.
static gmc_status refuse_kind(const setter *s, const gmc_node *list, long number, const char *was,
                              const char *key)
{
    char hint[300], phases[120] = "", what[160];
    size_t used = 0;
    int index = 0;
    for (const gmc_node *n = list->first; n && used < sizeof phases - 40; n = n->next, index++)
        if (gmc_node_find(n, key))
            used += (size_t)snprintf(phases + used, sizeof phases - used, "%sprogram.%d.%s",
                                     used ? ", " : "", index, key);
    snprintf(hint, sizeof hint, "%s %s; the whole phase: --set 'program.%ld={%.40s: {...}}'",
             used ? "there is" : "no phase has", used ? phases : key, number, key);
    snprintf(what, sizeof what, "program.%ld: %.40s and %.40s exclude each other", number, was,
             key);
    return refuse(s, hint, what, "");
}

// "program.1.lift.by"; "program.1" is the whole phase
static gmc_status set_phase(const setter *s, const gmc_schema_row *row, gmc_node *map,
                            const char *path)
{
    gmc_node *list = gmc_node_find(map, row->key);
    char *end = NULL;
    long index = strtol(path, &end, 10);
    if (end == path || (*end && *end != '.') || index < 0 || !list || index >= list->count)
        return refuse_phase(s, list, path);
    gmc_node *n = list->first;
    for (long i = 0; i < index; i++)
        n = n->next;
    if (*end == 0) {
        if (gmc_node_is_empty(s->value))
            return refuse(
                s, "set the whole list: --set 'program=[{close: {...}}, ...]'",
                "a single phase cannot be removed, for phases keep their numbers:", row->key);
        gmc_node_replace(list, n, s->value);
        return GMC_OK;
    }
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(end + 1, "."), end + 1);
    const gmc_schema_row *other = other_kind(n, key);
    if (other) return refuse_kind(s, list, index, other->key, key);
    return set_in_group(s, row->child, n, end + 1);
}

// A plain number put over several coefficients scales those of the pair's own kind with it.
static gmc_status scale_pair(const setter *s, gmc_node *pair)
{
    static const char *const SCALED[] = {"kinetic", "across"};
    const gmc_node *rest = gmc_node_find(pair, "static");
    gmc_quantity old, now, other;
    const char *end = NULL;
    bool is_known = rest && rest->kind == GMC_NODE_SCALAR &&
                    gmc_units_read(rest->text, &old, &end) == GMC_UNITS_OK && old.value > 0 &&
                    gmc_units_read(s->value->text, &now, &end) == GMC_UNITS_OK;
    for (int i = 0; is_known && i < GMC_COUNT(SCALED); i++) {
        gmc_node *node = gmc_node_find(pair, SCALED[i]);
        if (!node || node->kind != GMC_NODE_SCALAR ||
            gmc_units_read(node->text, &other, &end) != GMC_UNITS_OK)
            continue;
        char number[GMC_UNITS_TEXT];
        gmc_units_print(other.value * (now.value / old.value), number);
        node->text = gmc_arena_text(s->arena, number);
        if (!node->text) return GMC_E_ARENA_FULL;
    }
    return place_value(s, pair, "static");
}

// A pair that is one number so far becomes a map with that number in it.
static gmc_status open_pair(const setter *s, gmc_node *pairs, const char *key, gmc_node **pair)
{
    GMC_TRY(open_map(s, pairs, key, pair));
    return gmc_short_form_open_pair(*pair, s->arena);
}

// "rubber/abs", the same pair the other way round, or one coefficient: "rubber/abs.kinetic"
static gmc_status set_pair(const setter *s, const gmc_schema_row *row, gmc_node *pairs,
                           const char *path)
{
    char pair[128], swapped[256];
    const char *dot = strchr(path, '.');
    snprintf(pair, sizeof pair, "%.*s", dot ? (int)(dot - path < 127 ? dot - path : 127) : 127,
             path);
    const char *slash = strchr(pair, '/'), *key = pair;
    if (slash) {
        snprintf(swapped, sizeof swapped, "%s/%.*s", slash + 1, (int)(slash - pair), pair);
        if (!gmc_node_find(pairs, pair) && gmc_node_find(pairs, swapped)) key = swapped;
    }
    gmc_node *entry = gmc_node_find(pairs, key);
    bool is_number = s->value->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(s->value);
    bool is_static = !dot || strcmp(dot, ".static") == 0;
    if (entry && entry->kind == GMC_NODE_MAP && is_static && is_number) return scale_pair(s, entry);
    if (!dot || (entry && entry->kind == GMC_NODE_SCALAR && is_static))
        return place_value(s, pairs, key);
    GMC_TRY(open_pair(s, pairs, key, &entry));
    return set_in_group(s, row->child, entry, dot + 1);
}

// An element of a list by its number, and of that its first or second: "2", "2.x", "0.value".
static gmc_status set_element(const setter *s, const gmc_schema_row *row, gmc_node *map,
                              const char *path)
{
    bool are_knots = row->type == GMC_TYPE_KNOTS || row->type == GMC_TYPE_MOMENT;
    const char *second = are_knots ? "value" : "y";
    const char *first = are_knots ? "time" : "x";
    gmc_node *list = gmc_node_find(map, row->key), *n = NULL;
    char *end = NULL;
    long index = strtol(path, &end, 10);
    if (list && list->kind == GMC_NODE_LIST && end > path && index >= 0 && index < list->count)
        for (n = list->first; index > 0; index--)
            n = n->next;
    if (!n) return refuse(s, "elements are numbered from 0", "no such element:", path);
    if (*end == 0 && row->type == GMC_TYPE_NUMBERS) {
        gmc_node_replace(list, n, s->value);
        return GMC_OK;
    }
    bool is_first = *end == '.' && strcmp(end + 1, first) == 0;
    bool is_second = *end == '.' && strcmp(end + 1, second) == 0;
    if ((!is_first && !is_second) || n->kind != GMC_NODE_LIST || n->count != 2)
        return refuse(s, NULL, "no such number:", path);
    gmc_node_replace(n, is_first ? n->first : n->last, s->value);
    return GMC_OK;
}

// A position of a joint, or a number of the places that it passes: "j1", "j1.0.value".
static gmc_status set_goal(const setter *s, const gmc_schema_row *row, gmc_node *goals,
                           const char *path)
{
    const char *dot = strchr(path, '.');
    char joint[128];
    if (!dot) return place_value(s, goals, path);
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - path < 127 ? dot - path : 127), path);
    gmc_schema_row knots = *row;
    knots.key = joint;
    knots.type = GMC_TYPE_KNOTS;
    return set_element(s, &knots, goals, dot + 1);
}

static gmc_status set_in_row(const setter *s, const gmc_schema_row *row, gmc_node *map,
                             const char *rest)
{
    gmc_node *child = NULL;
    switch (row->type) {
    case GMC_TYPE_GROUP:
    case GMC_TYPE_ROUNDS:
    case GMC_TYPE_GRASPS:
    case GMC_TYPE_LAW:
        GMC_TRY(open_row(s, row, map, &child));
        return set_in_group(s, row->child, child, rest);
    case GMC_TYPE_MOMENT:
        if (s->worlds == GMC_SCHEMA_FLAT) return set_element(s, row, map, rest);
        GMC_TRY(open_row(s, row, map, &child));
        return set_in_group(s, row->child, child, rest);
    case GMC_TYPE_NAMED:
        return set_named(s, row, map, rest);
    case GMC_TYPE_PHASES:
        return set_phase(s, row, map, rest);
    case GMC_TYPE_PAIRS:
        GMC_TRY(open_row(s, row, map, &child));
        return child->kind == GMC_NODE_MAP ? set_pair(s, row, child, rest) : GMC_OK;
    case GMC_TYPE_GOALS:
        GMC_TRY(open_row(s, row, map, &child));
        return child->kind == GMC_NODE_MAP ? set_goal(s, row, child, rest) : GMC_OK;
    case GMC_TYPE_UNCERTAIN:
    case GMC_TYPE_CORRELATED:
    case GMC_TYPE_PARAMETERS:
    case GMC_TYPE_ARGUMENTS:
    case GMC_TYPE_SHARES:
    case GMC_TYPE_AT_PHASES:
    case GMC_TYPE_AXES:
    case GMC_TYPE_SURFACES:
        GMC_TRY(open_row(s, row, map, &child)); // what is no map then is a mistake, told later
        return child->kind == GMC_NODE_MAP ? place_value(s, child, rest) : GMC_OK;
    case GMC_TYPE_VECTOR:
    case GMC_TYPE_STEPS:
    case GMC_TYPE_AXIS:
    case GMC_TYPE_AIM:
    case GMC_TYPE_INERTIA:
        return set_component(s, row, map, rest);
    case GMC_TYPE_POLYGON:
    case GMC_TYPE_POINTS:
    case GMC_TYPE_KNOTS:
    case GMC_TYPE_NUMBERS:
        return set_element(s, row, map, rest);
    case GMC_TYPE_NUMBER:
    case GMC_TYPE_INTEGER:
    case GMC_TYPE_WORD:
    case GMC_TYPE_NAME:
    case GMC_TYPE_NAMES:
    case GMC_TYPE_TEXT:
    case GMC_TYPE_FILE:
    case GMC_TYPE_FILES:
    case GMC_TYPE_BOOL:
    case GMC_TYPE_CRITERIA:
    case GMC_TYPE_MAPS:
    case GMC_TYPE_LADDER:
    case GMC_TYPE_DESIGN:
    case GMC_TYPE_RECORD:
    case GMC_TYPE_HISTOGRAMS:
    case GMC_TYPE_PAIR:
    case GMC_TYPE_PATHS:
    case GMC_TYPE_COUNTS:
    case GMC_TYPE_RANGES:
    case GMC_TYPE_COUNT:
        break;
    }
    return refuse(s, NULL, "there are no keys to set below", row->key);
}

// "object.mass" where the file has `objects`, "objects.mug.mass" where it has `object`: one of the
// bodies that are there is meant.
static const gmc_node *other_objects(const gmc_node *root, const char *path)
{
    if (strncmp(path, "object.", 7) == 0) return gmc_node_find(root, "objects");
    bool is_below = strncmp(path, "objects.", 8) == 0 && strchr(path + 8, '.');
    return is_below ? gmc_node_find(root, "object") : NULL;
}

static gmc_status refuse_objects(const setter *s, const gmc_node *there, const char *path)
{
    char hint[300];
    if (strncmp(path, "objects.", 8) == 0) {
        snprintf(hint, sizeof hint, "did you mean object%.120s?", strchr(path + 8, '.'));
        return refuse(s, hint, "the file has object, not", "objects");
    }
    int used =
        snprintf(hint, sizeof hint, "name one: objects.NAME.%.100s; NAME is one of", path + 7);
    for (const gmc_node *n = there->first; n && n->key && used < (int)sizeof hint - 80; n = n->next)
        used += snprintf(hint + used, sizeof hint - (size_t)used, "%s %.60s",
                         n == there->first ? "" : ",", n->key);
    return refuse(s, hint, "the file has objects, not", "object");
}

static gmc_status set_in_group(const setter *s, gmc_schema_group group, gmc_node *map,
                               const char *path)
{
    if (map->kind != GMC_NODE_MAP) return GMC_OK; // reported when the tree is checked
    size_t length = gmc_schema_key_length(group, path);
    const char *dot = path[length] ? path + length : NULL;
    if (group == GMC_SCHEMA_SET && dot) return place_value(s, map, path);
    char key[128];
    snprintf(key, sizeof key, "%.*s", length < 127 ? (int)length : 127, path);
    const gmc_schema_row *row = gmc_schema_find(group, key);
    if (!row && (group == GMC_SCHEMA_HAND || group == GMC_SCHEMA_ROBOT) && dot)
        return set_named(s, gmc_schema_find(group, "joints"), map, path);
    if (!row) {
        char hint[320];
        gmc_schema_hint(group, s->worlds, key, hint, sizeof hint);
        return refuse(s, hint, "unknown key", key);
    }
    merge_drop_rivals(group, map, key);
    return dot ? set_in_row(s, row, map, dot + 1) : place_value(s, map, key);
}

/// sampling.draws and study.draws mean the same and exclude each other: the one that is set wins.
static void drop_other_draws(gmc_node *root, const char *path)
{
    const char *other = strcmp(path, "sampling.draws") == 0 ? "study"
                        : strcmp(path, "study.draws") == 0  ? "sampling"
                                                            : NULL;
    gmc_node *group = other ? gmc_node_find(root, other) : NULL;
    gmc_node *draws = group ? gmc_node_find(group, "draws") : NULL;
    if (draws) gmc_node_remove(group, draws);
}

/// `use=FILE`, and `believed.use=~`: what a file uses is in the tree by now. A block may use
/// another file.
static bool is_late_use(const setter *s, const char *path)
{
    const char *dot = strrchr(path, '.');
    char block[32];
    if (strcmp(path, "use") == 0) return true;
    if (!dot || strcmp(dot, ".use") != 0 || !gmc_node_is_empty(s->value)) return false;
    snprintf(block, sizeof block, "%.*s", (int)(dot - path), path);
    for (int i = 0; i < GMC_MERGE_BLOCKS; i++)
        if (strcmp(gmc_merge_blocks[i], block) == 0) return true;
    return false;
}

gmc_status gmc_merge_set(gmc_node *root, const char *set, gmc_diagnostics *report, gmc_arena *arena)
{
    // the option itself is the "file" of its messages
    char label[256];
    snprintf(label, sizeof label, "--set %.240s", set);
    const gmc_node *world = gmc_node_find(root, "world");
    bool is_said = world && world->kind == GMC_NODE_SCALAR;
    setter s = {.worlds = is_said ? gmc_schema_worlds_of(world->text) : GMC_SCHEMA_SOLID,
                .report = report,
                .arena = arena};
    s.source.file = gmc_arena_text(arena, label);
    char *path = gmc_arena_text(arena, set);
    if (!s.source.file || !path) return GMC_E_ARENA_FULL;
    char *equals = strchr(path, '=');
    if (!equals || equals == path)
        return refuse(&s, "for example --set 'object.mass=0.2 kg'", "expected PATH=VALUE", "");
    *equals = 0;
    for (char *end = equals; end > path && end[-1] == ' ';)
        *--end = 0;
    while (*path == ' ')
        path++;

    gmc_status status = gmc_yaml_parse(
        &(gmc_yaml_source){
            .text = equals + 1, .bytes = strlen(equals + 1), .file = s.source.file, .folder = ""},
        report, arena, &s.value);
    if (status == GMC_E_INPUT) return GMC_OK; // reported
    GMC_TRY(status);
    if (!s.value) return refuse(&s, NULL, "no value after =", "");
    relocate(s.value, s.source);
    s.value->is_option = s.value->kind == GMC_NODE_SCALAR;
    const gmc_node *objects = other_objects(root, path);
    if (objects) return refuse_objects(&s, objects, path);
    if (is_late_use(&s, path))
        return refuse(&s, "write a scenario that says  use: ...",
                      "this key cannot be set, for files are read before --set:", path);
    drop_other_draws(root, path);
    gmc_node *own = gmc_node_find(root, "parameters");
    if (gmc_node_find(own, path)) return place_value(&s, own, path);
    return set_in_group(&s, GMC_SCHEMA_ROOT, root, path);
}
