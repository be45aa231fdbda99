// libyaml's event parser feeds a tree kept on an explicit stack, so that neither depth nor width of
// a hostile file reaches the C stack. Limits are checked as events arrive: a file that would expand
// to millions of nodes is refused at the node limit, before they exist.
//
// Files that are too long for a tree are read event by event: yaml_scan.h.
#include "sampling/language/yaml.h"

#include "sampling/language/yaml_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct anchor {
    const char *name;
    gmc_node *node;
    struct anchor *next;
} anchor;

typedef struct builder {
    gmc_yaml_text text;
    const char *folder;
    gmc_diagnostics *report;
    gmc_arena *arena;

    gmc_node *stack[GMC_YAML_DEPTH_MAX];
    const char *keys[GMC_YAML_DEPTH_MAX]; // key waiting for its value; NULL: none
    gmc_source key_sources[GMC_YAML_DEPTH_MAX];
    int depth;
    int node_count, document_count;
    anchor *anchors;
    gmc_node *root;
} builder;

// ---- events -----------------------------------------------------------------------------------

static int node_count_of(const gmc_node *node)
{
    int count = 1;
    for (const gmc_node *n = node->first; n; n = n->next)
        count += node_count_of(n);
    return count;
}

static int node_height(const gmc_node *node)
{
    int height = 0;
    for (const gmc_node *n = node->first; n; n = n->next) {
        int below = node_height(n);
        if (below > height) height = below;
    }
    return height + 1;
}

static gmc_status refuse(builder *b, gmc_source source, const char *hint, const char *message)
{
    gmc_diagnostics_add(b->report, GMC_ERROR, GMC_E_INPUT, source, hint, "%s", message);
    return GMC_E_INPUT;
}

static gmc_status count_nodes(builder *b, gmc_source source, int fresh)
{
    b->node_count += fresh;
    if (b->node_count <= GMC_YAML_NODES_MAX) return GMC_OK;
    gmc_diagnostics_add(
        b->report, GMC_ERROR, GMC_E_INPUT, source, "long lists of values belong into a CSV file",
        "more than %d values, aliases counted as often as they are used", GMC_YAML_NODES_MAX);
    return GMC_E_INPUT;
}

// Hang a finished or opened node into what is open: as the value of the waiting key, or a list's
// entry.
static void attach(builder *b, gmc_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    int top = b->depth - 1;
    gmc_node_append(b->stack[top], b->keys[top], b->key_sources[top], node);
    b->keys[top] = NULL;
}

static bool expects_key(const builder *b)
{
    return b->depth > 0 && b->stack[b->depth - 1]->kind == GMC_NODE_MAP && !b->keys[b->depth - 1];
}

static gmc_status keep_anchor(builder *b, const yaml_char_t *name, gmc_node *node)
{
    if (!name) return GMC_OK;
    anchor *a = gmc_arena_take(b->arena, 1, sizeof *a);
    if (!a) return GMC_E_ARENA_FULL;
    a->name = gmc_arena_text(b->arena, (const char *)name);
    if (!a->name) return GMC_E_ARENA_FULL;
    a->node = node;
    a->next = b->anchors;
    b->anchors = a;
    return GMC_OK;
}

static gmc_status refuse_tag(builder *b, const yaml_event_t *event, const yaml_char_t *tag)
{
    if (!tag) return GMC_OK;
    return refuse(b, gmc_yaml_text_place(&b->text, event), "leave out the word that starts with !",
                  "tags (!...) have no meaning in a scenario");
}

static gmc_status take_scalar(builder *b, const yaml_event_t *event)
{
    gmc_source source = gmc_yaml_text_place(&b->text, event);
    GMC_TRY(refuse_tag(b, event, event->data.scalar.tag));
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, 0, length)) return refuse(b, source, NULL, "text with a zero byte inside");
    char *text = gmc_arena_take(b->arena, length + 1, 1);
    if (!text) return GMC_E_ARENA_FULL;
    memcpy(text, value, length);

    if (expects_key(b)) {
        b->keys[b->depth - 1] = text;
        b->key_sources[b->depth - 1] = source;
        return GMC_OK;
    }
    GMC_TRY(count_nodes(b, source, 1));
    gmc_node *node = gmc_node_create(b->arena, GMC_NODE_SCALAR, source);
    if (!node) return GMC_E_ARENA_FULL;
    node->folder = b->folder;
    node->text = text;
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    GMC_TRY(keep_anchor(b, event->data.scalar.anchor, node));
    attach(b, node);
    return GMC_OK;
}

static gmc_status open_node(builder *b, const yaml_event_t *event, gmc_node_kind kind)
{
    bool is_map = kind == GMC_NODE_MAP;
    gmc_source source = gmc_yaml_text_place(&b->text, event);
    GMC_TRY(refuse_tag(b, event,
                       is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag));
    if (expects_key(b))
        return refuse(b, source, "write the key as plain text", "a key must be a word");
    GMC_TRY(count_nodes(b, source, 1));
    if (b->depth == GMC_YAML_DEPTH_MAX)
        return refuse(b, source, NULL, "nested more deeply than any scenario needs");
    gmc_node *node = gmc_node_create(b->arena, kind, source);
    if (!node) return GMC_E_ARENA_FULL;
    node->folder = b->folder;
    GMC_TRY(keep_anchor(
        b, is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor, node));
    attach(b, node);
    b->stack[b->depth] = node;
    b->keys[b->depth] = NULL;
    b->depth++;
    return GMC_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const gmc_node *x = *(gmc_node *const *)a, *y = *(gmc_node *const *)b;
    int order = strcmp(x->key, y->key);
    if (order != 0) return order;
    if (x->key_source.line != y->key_source.line)
        return x->key_source.line < y->key_source.line ? -1 : 1;
    return x->key_source.column < y->key_source.column ? -1 : 1;
}

// Report every key that stands twice; the later one is dropped so that reading can go on.
static gmc_status find_duplicates(builder *b, gmc_node *map)
{
    if (map->count < 2) return GMC_OK;
    gmc_node **sorted = malloc((size_t)map->count * sizeof(gmc_node *));
    if (!sorted) return GMC_E_MEMORY;
    int count = 0;
    for (gmc_node *n = map->first; n; n = n->next)
        sorted[count++] = n;
    qsort(sorted, (size_t)count, sizeof(gmc_node *), compare_keys);
    for (int i = 1, first = 0; i < count; i++) {
        if (strcmp(sorted[i]->key, sorted[first]->key) != 0) {
            first = i;
            continue;
        }
        gmc_diagnostics_add(b->report, GMC_ERROR, GMC_E_INPUT, sorted[i]->key_source,
                            "remove one of the two",
                            "%.80s stands here a second time, first in line %d", sorted[i]->key,
                            sorted[first]->key_source.line);
        gmc_node_remove(map, sorted[i]);
    }
    free(sorted);
    return GMC_OK;
}

static gmc_status close_node(builder *b)
{
    b->depth--;
    gmc_node *node = b->stack[b->depth];
    return node->kind == GMC_NODE_MAP ? find_duplicates(b, node) : GMC_OK;
}

static gmc_status take_alias(builder *b, const yaml_event_t *event)
{
    gmc_source source = gmc_yaml_text_place(&b->text, event);
    const char *name = (const char *)event->data.alias.anchor;
    anchor *found = b->anchors;
    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    if (!found)
        return refuse(b, source, NULL,
                      "an alias (*name) to an anchor (&name) that is not above it");
    for (int i = 0; i < b->depth; i++)
        if (b->stack[i] == found->node)
            return refuse(b, source, NULL, "an alias inside of what it stands for");
    if (expects_key(b)) return refuse(b, source, NULL, "an alias cannot be a key");

    GMC_TRY(count_nodes(b, source, node_count_of(found->node)));
    if (b->depth + node_height(found->node) > GMC_YAML_DEPTH_MAX)
        return refuse(b, source, NULL, "nested more deeply than any scenario needs");
    gmc_node *copy = gmc_node_copy(found->node, b->arena);
    if (!copy) return GMC_E_ARENA_FULL;
    attach(b, copy);
    return GMC_OK;
}

static gmc_status take_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event);
    case YAML_ALIAS_EVENT:
        return take_alias(b, event);
    case YAML_MAPPING_START_EVENT:
        return open_node(b, event, GMC_NODE_MAP);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(b, event, GMC_NODE_LIST);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return close_node(b);
    case YAML_DOCUMENT_START_EVENT:
        if (b->document_count++ == 0) return GMC_OK;
        return refuse(b, gmc_yaml_text_place(&b->text, event),
                      "one scenario a file; use: takes another file as the base",
                      "a second YAML document starts here");
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return GMC_OK;
    }
    return GMC_OK;
}

// ---- the file ---------------------------------------------------------------------------------

static gmc_status run_parser(builder *b)
{
    yaml_parser_t parser;
    GMC_TRY(gmc_yaml_text_start(&b->text, &parser));
    gmc_status status = GMC_OK;
    for (bool is_done = false; !is_done && status == GMC_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = gmc_yaml_text_problem(&b->text, &parser, b->report);
            break;
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        status = take_event(b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

gmc_status gmc_yaml_parse(const char *text, size_t bytes, const char *file, const char *folder,
                          gmc_diagnostics *report, gmc_arena *arena, gmc_node **root)
{
    *root = NULL;
    builder b = {.folder = folder, .report = report, .arena = arena};
    if (bytes > GMC_YAML_BYTES_MAX)
        return refuse(&b, (gmc_source){.file = file}, "long tables belong into a CSV file",
                      "a scenario of more than 1 MiB");
    int errors_before = report->error_count;
    gmc_status status = gmc_yaml_text_open(text, bytes, file, report, &b.text);
    if (status == GMC_OK) status = run_parser(&b);
    gmc_yaml_text_close(&b.text);
    GMC_TRY(status);
    *root = b.root;
    return report->error_count > errors_before ? GMC_E_INPUT : GMC_OK;
}
