// `use:`: what one file says over what another said.
#include "sampling/language/merge.h"

#include "sampling/language/short_form.h"

#include <stdio.h>
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

void gmc_merge_drop_rivals(gmc_schema_group group, gmc_node *map, const char *key)
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
    bool is_group = row->type == GMC_TYPE_GROUP || row->type == GMC_TYPE_GRASPS;
    bool is_named = row->type == GMC_TYPE_NAMED || row->type == GMC_TYPE_PAIRS ||
                    row->type == GMC_TYPE_UNCERTAIN || row->type == GMC_TYPE_CORRELATED ||
                    row->type == GMC_TYPE_PARAMETERS;
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

gmc_status gmc_merge_trees(gmc_schema_group group, gmc_node *base, gmc_node *over, gmc_arena *arena)
{
    for (gmc_node *n = over->first, *next = NULL; n; n = next) {
        next = n->next;
        if (!gmc_node_is_empty(n)) gmc_merge_drop_rivals(group, base, n->key);
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        gmc_node *old = gmc_node_find(base, n->key);
        gmc_source key_source = n->key_source;
        if (row && old) GMC_TRY(open_short(row, old, n, arena));
        bool are_maps = old && old->kind == GMC_NODE_MAP && n->kind == GMC_NODE_MAP;
        bool is_group = row && (row->type == GMC_TYPE_GROUP || row->type == GMC_TYPE_GRASPS);
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
            gmc_short_form_close(row, old);
        } else {
            gmc_node_replace(base, old, n);
            n->key_source = key_source;
        }
    }
    return GMC_OK;
}
