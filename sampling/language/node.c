#include "sampling/language/node.h"

#include <math.h>
#include <string.h>

gmc_node *gmc_node_create(gmc_arena *arena, gmc_node_kind kind, gmc_source source)
{
    gmc_node *node = GMC_NEW(arena, 1, gmc_node);
    if (!node) return NULL;
    node->kind = kind;
    node->source = source;
    node->key_source = source;
    node->folder = "";
    return node;
}

void gmc_node_append(gmc_node *parent, const char *key, gmc_source key_source, gmc_node *child)
{
    child->key = key;
    child->key_source = key ? key_source : child->source;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void gmc_node_remove(gmc_node *parent, gmc_node *child)
{
    gmc_node *before = NULL;
    for (gmc_node *n = parent->first; n && n != child; n = n->next)
        before = n;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
    child->next = NULL;
    parent->count--;
}

void gmc_node_replace(gmc_node *parent, gmc_node *old, gmc_node *fresh)
{
    fresh->key = old->key;
    fresh->key_source = old->key_source;
    fresh->next = old->next;
    if (parent->first == old) parent->first = fresh;
    for (gmc_node *n = parent->first; n; n = n->next)
        if (n->next == old) n->next = fresh;
    if (parent->last == old) parent->last = fresh;
    old->next = NULL;
}

gmc_node *gmc_node_find(const gmc_node *map, const char *key)
{
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    for (gmc_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

int64_t gmc_node_whole(const gmc_node *scalar, int64_t otherwise)
{
    // doubles count no further
    bool is_whole = scalar && scalar->is_number && !scalar->is_bad && fabs(scalar->number) < 9e15;
    return is_whole ? (int64_t)scalar->number : otherwise;
}

bool gmc_node_is_empty(const gmc_node *node)
{
    return node->kind == GMC_NODE_SCALAR && node->is_plain &&
           (node->text[0] == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

gmc_node *gmc_node_copy(const gmc_node *node, gmc_arena *arena)
{
    gmc_node *copy = GMC_NEW(arena, 1, gmc_node);
    if (!copy) return NULL;
    *copy = *node;
    copy->next = copy->first = copy->last = NULL;
    copy->count = 0;
    for (const gmc_node *n = node->first; n; n = n->next) {
        gmc_node *child = gmc_node_copy(n, arena);
        if (!child) return NULL;
        gmc_node_append(copy, n->key, n->key_source, child);
    }
    return copy;
}

gmc_source gmc_node_place(const gmc_node *scalar, size_t bytes, size_t offset, size_t length)
{
    gmc_source source = scalar->source;
    size_t written = source.length > 0 ? (size_t)source.length : 1;
    // text that was folded from several lines, or unescaped, no longer stands where it stood
    bool is_whole = scalar->kind == GMC_NODE_SCALAR && source.line > 0 && source.column > 0;
    size_t quote = scalar->is_plain ? 0 : 1;
    if (!is_whole || bytes + 2 * quote != written) return source;
    if (offset > written) offset = written;
    source.column += (int)(offset + quote);
    source.length = length > 0 ? (int)length : 1;
    return source;
}
