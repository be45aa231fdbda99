#include "sampling/language/short_form.h"

#include <string.h>

// `value` becomes `{key: value}`.
static gmc_status open_scalar(gmc_node *node, const char *key, gmc_arena *arena)
{
    if (node->kind != GMC_NODE_SCALAR || gmc_node_is_empty(node) || node->text[0] == 0)
        return GMC_OK;
    gmc_node *value = gmc_node_create(arena, GMC_NODE_SCALAR, node->source);
    if (!value) return GMC_E_ARENA_FULL;
    value->folder = node->folder;
    value->text = node->text;
    value->is_plain = node->is_plain;
    value->is_option = node->is_option;
    node->kind = GMC_NODE_MAP;
    node->text = NULL;
    node->is_option = false;
    gmc_node_append(node, key, node->source, value);
    return GMC_OK;
}

// `[object, grasp]` becomes `{object: all, grasp: all}`; nothing else can stand in such a list.
static void open_names(gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST) return;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (n->kind != GMC_NODE_SCALAR ||
            (strcmp(n->text, "object") != 0 && strcmp(n->text, "grasp") != 0))
            return;
    for (gmc_node *n = node->first; n; n = n->next) {
        n->key = n->text;
        n->key_source = n->source;
        n->text = "all";
    }
    node->kind = GMC_NODE_MAP;
}

gmc_status gmc_short_form_open(const gmc_schema_row *row, gmc_node *node, gmc_arena *arena)
{
    if (row->type == GMC_TYPE_SURFACES) return open_scalar(node, "rest", arena);
    if (row->type == GMC_TYPE_GRASPS) return open_scalar(node, "file", arena);
    if (row->type == GMC_TYPE_LAW) return open_scalar(node, "law", arena);
    if (row->type == GMC_TYPE_ROUNDS) return open_scalar(node, "last", arena);
    if (row->type == GMC_TYPE_AXES) open_names(node);
    return GMC_OK;
}

gmc_status gmc_short_form_open_pair(gmc_node *pair, gmc_arena *arena)
{
    return open_scalar(pair, "static", arena);
}
