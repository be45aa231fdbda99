// libyaml's event parser feeds a tree kept on an explicit stack, so that neither depth nor width of
// a hostile file reaches the C stack. Limits are checked as events arrive: a file that would expand
// to millions of nodes is refused at the node limit, before they exist.
//
// Files that are too long for a tree are read event by event.
#include "sampling/language/yaml.h"

#include <yaml.h>

#include <stdlib.h>
#include <string.h>

// ---- text -------------------------------------------------------------------------------------

// libyaml counts columns in characters and treats CR, NEL, LS and PS as line ends; messages want
// bytes and the lines an editor shows. The text is therefore searched for the exotic line ends
// first, and columns are converted with the start of each line.

/// A text that libyaml reads, and where in it something stands.
typedef struct yaml_text {
    const char *text; ///< without byte order mark
    size_t bytes;
    size_t mark_bytes; ///< length of the byte order mark that was cut off the first line
    const char *file;
    size_t *line_start; ///< (line_count + 1) offsets into text
    size_t line_count;
    size_t walked_line, walked_column, walked_at; ///< last place found
} yaml_text;

// ---- places -----------------------------------------------------------------------------------

static bool find_lines(yaml_text *t)
{
    size_t count = 1;
    for (size_t i = 0; i < t->bytes; i++)
        count += t->text[i] == '\n';
    t->line_start = malloc((count + 1) * sizeof *t->line_start);
    if (!t->line_start) return false;
    t->line_start[0] = 0;
    t->line_count = 1;
    for (size_t i = 0; i < t->bytes; i++)
        if (t->text[i] == '\n') t->line_start[t->line_count++] = i + 1;
    t->line_start[t->line_count] = t->bytes;
    return true;
}

// Offset in bytes of a place given as line and character. Places are asked for from left to right,
// so that the walk goes on where it ended: a megabyte on one line is walked once, not once for each
// value.
static size_t offset_of(yaml_text *t, size_t line, size_t column)
{
    if (line >= t->line_count) return t->bytes;
    size_t at = t->line_start[line], end = t->line_start[line + 1], passed = 0;
    if (t->walked_line == line && t->walked_column <= column && t->walked_at > at) {
        at = t->walked_at;
        passed = t->walked_column;
    }
    for (; passed < column && at < end; passed++) {
        at++;
        while (at < end && ((unsigned char)t->text[at] & 0xc0) == 0x80)
            at++;
    }
    t->walked_line = line;
    t->walked_column = column;
    t->walked_at = at;
    return at;
}

static gmc_source place(yaml_text *t, const yaml_mark_t *start, const yaml_mark_t *end)
{
    size_t from = offset_of(t, start->line, start->column);
    size_t line = start->line < t->line_count ? start->line : t->line_count - 1;
    size_t to = offset_of(t, end->line, end->column);
    if (end->line != start->line) {
        to = t->line_start[line + 1];
        while (to > from && (t->text[to - 1] == '\n' || t->text[to - 1] == '\r'))
            to--;
    }
    size_t shift = line == 0 ? t->mark_bytes : 0;
    return (gmc_source){.file = t->file,
                        .line = (int)line + 1,
                        .column = (int)(from - t->line_start[line] + shift) + 1,
                        .length = to > from ? (int)(to - from) : 1};
}

static gmc_source place_of_byte(const yaml_text *t, size_t offset)
{
    size_t line = 0;
    while (line + 1 < t->line_count && t->line_start[line + 1] <= offset)
        line++;
    size_t shift = line == 0 ? t->mark_bytes : 0;
    return (gmc_source){.file = t->file,
                        .line = (int)line + 1,
                        .column = (int)(offset - t->line_start[line] + shift) + 1,
                        .length = 1};
}

static const char *hint_for_problem(const yaml_parser_t *parser, const yaml_text *t, size_t offset)
{
    const char *problem = parser->problem ? parser->problem : "";
    if (offset < t->bytes && t->text[offset] == '\t') return "indent with spaces, not tabs";
    if (strstr(problem, "cannot start any token"))
        return "put text with special characters into \"quotes\"";
    if (strstr(problem, "mapping values are not allowed"))
        return "a colon inside a value needs \"quotes\" around the value";
    if (strstr(problem, "expected ',' or"))
        return "a bracket is not closed, or text inside brackets that holds a comma needs "
               "\"quotes\"";
    if (strstr(problem, "did not find expected key") || strstr(problem, "could not find expected"))
        return "check the indentation and that every key ends with a colon and a space";
    return NULL;
}

/// What the first bytes, of a mark or of a letter, say of a file that is no UTF-8; NULL: nothing.
static const char *wide_name(const char *text, size_t bytes)
{
    unsigned char b[4] = {1, 1, 1, 1};
    memcpy(b, text, bytes < sizeof b ? bytes : sizeof b);
    bool is_little = (b[0] == 0xff && b[1] == 0xfe) || (b[0] > 0 && b[0] < 0x80 && b[1] == 0);
    bool is_big = (b[0] == 0xfe && b[1] == 0xff) || (b[0] == 0 && b[1] > 0);
    if ((is_little && b[2] == 0 && b[3] == 0) || (b[0] == 0 && b[1] == 0)) return "UTF-32";
    return is_little || is_big ? "UTF-16" : NULL;
}

// Report why the parser stopped. @return GMC_E_INPUT, GMC_E_MEMORY (not reported)
static gmc_status report_problem(yaml_text *t, const yaml_parser_t *parser, gmc_diagnostics *report)
{
    if (parser->error == YAML_MEMORY_ERROR) return GMC_E_MEMORY;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR) {
        size_t offset = parser->problem_offset < t->bytes ? parser->problem_offset : t->bytes;
        const char *wide = wide_name(t->text, t->bytes);
        if (wide)
            gmc_diagnostics_add(report, GMC_E_INPUT, place_of_byte(t, 0),
                                "save the file as UTF-8 text", "the file is %s", wide);
        if (wide) return GMC_E_INPUT;
        gmc_diagnostics_add(report, GMC_E_INPUT, place_of_byte(t, offset),
                            "save the file as UTF-8 text", "not text: %s", problem);
        return GMC_E_INPUT;
    }
    gmc_source source = place(t, &parser->problem_mark, &parser->problem_mark);
    size_t offset = offset_of(t, parser->problem_mark.line, parser->problem_mark.column);
    const char *hint = hint_for_problem(parser, t, offset);
    if (parser->context)
        gmc_diagnostics_add(report, GMC_E_INPUT, source, hint,
                            "not YAML: %s (%s that starts in line %d)", problem, parser->context,
                            (int)parser->context_mark.line + 1);
    else
        gmc_diagnostics_add(report, GMC_E_INPUT, source, hint, "not YAML: %s", problem);
    return GMC_E_INPUT;
}

// Line ends that an editor and libyaml count differently.
static gmc_status refuse_odd_line_ends(const yaml_text *t, gmc_diagnostics *report)
{
    for (size_t i = 0; i < t->bytes; i++) {
        const unsigned char *p = (const unsigned char *)t->text + i;
        size_t rest = t->bytes - i;
        bool is_lone = p[0] == '\r' && !(rest > 1 && p[1] == '\n');
        bool is_next_line = p[0] == 0xc2 && rest > 1 && p[1] == 0x85;
        bool is_separator =
            p[0] == 0xe2 && rest > 2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9);
        if (!is_lone && !is_next_line && !is_separator) continue;
        gmc_diagnostics_add(report, GMC_E_INPUT, place_of_byte(t, i), "end lines with LF or CRLF",
                            "an unusual line end (lone CR, NEL, LS or PS)");
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

// Where an event stands. Places are asked for from left to right.
static gmc_source place_of_event(yaml_text *t, const yaml_event_t *event)
{
    return place(t, &event->start_mark, &event->end_mark);
}

static gmc_status open_text(const char *text, size_t bytes, const char *file,
                            gmc_diagnostics *report, yaml_text *t)
{
    *t = (yaml_text){.file = file};
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) t->mark_bytes = 3;
    t->text = text + t->mark_bytes;
    t->bytes = bytes - t->mark_bytes;
    if (!find_lines(t)) return GMC_E_MEMORY;
    return refuse_odd_line_ends(t, report);
}

// A parser at the beginning of the text. @return GMC_OK, GMC_E_MEMORY
static gmc_status start_parser(const yaml_text *t, yaml_parser_t *parser)
{
    if (!yaml_parser_initialize(parser)) return GMC_E_MEMORY;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)t->text, t->bytes);
    return GMC_OK;
}

static void close_text(yaml_text *t) { free(t->line_start); }

// ---- the tree ---------------------------------------------------------------------------------

typedef struct anchor {
    const char *name;
    gmc_node *node;
    struct anchor *next;
} anchor;

typedef struct builder {
    yaml_text text;
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
    gmc_diagnostics_add(b->report, GMC_E_INPUT, source, hint, "%s", message);
    return GMC_E_INPUT;
}

static gmc_status count_nodes(builder *b, gmc_source source, int fresh)
{
    b->node_count += fresh;
    if (b->node_count <= GMC_YAML_NODES_MAX) return GMC_OK;
    gmc_diagnostics_add(
        b->report, GMC_E_INPUT, source, "long lists of values belong into a CSV file",
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
    anchor *a = GMC_NEW(b->arena, 1, anchor);
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
    return refuse(b, place_of_event(&b->text, event), "leave out the word that starts with !",
                  "tags (!...) have no meaning in a scenario");
}

static gmc_status take_scalar(builder *b, const yaml_event_t *event)
{
    gmc_source source = place_of_event(&b->text, event);
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
    gmc_source source = place_of_event(&b->text, event);
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
        gmc_diagnostics_add(b->report, GMC_E_INPUT, sorted[i]->key_source, "remove one of the two",
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
    gmc_source source = place_of_event(&b->text, event);
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
        return refuse(b, place_of_event(&b->text, event),
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
    GMC_TRY(start_parser(&b->text, &parser));
    gmc_status status = GMC_OK;
    for (bool is_done = false; !is_done && status == GMC_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = report_problem(&b->text, &parser, b->report);
            break;
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        status = take_event(b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

gmc_status gmc_yaml_parse(const gmc_yaml_source *from, gmc_diagnostics *report, gmc_arena *arena,
                          gmc_node **root)
{
    *root = NULL;
    builder b = {.folder = from->folder, .report = report, .arena = arena};
    if (from->bytes > GMC_YAML_BYTES_MAX)
        return refuse(&b, (gmc_source){.file = from->file}, "long tables belong into a CSV file",
                      "a scenario of more than 1 MiB");
    int errors_before = report->error_count;
    gmc_status status = open_text(from->text, from->bytes, from->file, report, &b.text);
    if (status == GMC_OK) status = run_parser(&b);
    close_text(&b.text);
    GMC_TRY(status);
    *root = b.root;
    return report->error_count > errors_before ? GMC_E_INPUT : GMC_OK;
}

// ---- scan -------------------------------------------------------------------------------------

// The parser's events one by one. What a list of open brackets is for libyaml's parser is here one
// bit each: whether it is a map that waits for a key.

struct gmc_yaml_scan {
    yaml_text text;
    gmc_diagnostics *report;
    yaml_parser_t parser;
    bool has_parser;
    yaml_event_t event; // of the last item, whose text it owns
    bool has_event;
    bool is_map[GMC_YAML_SCAN_DEPTH], has_key[GMC_YAML_SCAN_DEPTH];
    int depth, documents;
};

gmc_status gmc_yaml_scan_open(const char *text, size_t bytes, const char *file,
                              gmc_diagnostics *report, gmc_yaml_scan **scan)
{
    *scan = calloc(1, sizeof **scan);
    if (!*scan) return GMC_E_MEMORY;
    (*scan)->report = report;
    gmc_status status = open_text(text, bytes, file, report, &(*scan)->text);
    if (status == GMC_OK) status = start_parser(&(*scan)->text, &(*scan)->parser);
    (*scan)->has_parser = status == GMC_OK;
    if (status == GMC_OK) return GMC_OK;
    gmc_yaml_scan_close(*scan);
    *scan = NULL;
    return status;
}

void gmc_yaml_scan_close(gmc_yaml_scan *scan)
{
    if (!scan) return;
    if (scan->has_event) yaml_event_delete(&scan->event);
    if (scan->has_parser) yaml_parser_delete(&scan->parser);
    close_text(&scan->text);
    free(scan);
}

static gmc_status refuse_item(gmc_yaml_scan *scan, const gmc_yaml_scan_item *item, const char *hint,
                              const char *message)
{
    gmc_diagnostics_add(scan->report, GMC_E_INPUT, item->source, hint, "%s", message);
    return GMC_E_INPUT;
}

static bool item_is_key(const gmc_yaml_scan *scan)
{
    int top = scan->depth - 1;
    return top >= 0 && scan->is_map[top] && !scan->has_key[top];
}

// A value is over, or a key.
static void pass(gmc_yaml_scan *scan)
{
    if (scan->depth > 0) scan->has_key[scan->depth - 1] = !scan->has_key[scan->depth - 1];
}

static gmc_status open_value(gmc_yaml_scan *scan, gmc_yaml_scan_item *item, bool is_map)
{
    const yaml_event_t *event = &scan->event;
    if (is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag)
        return refuse_item(scan, item, NULL, "tags (!...) have no meaning here");
    if (item_is_key(scan))
        return refuse_item(scan, item, "write the key as plain text", "a key must be a word");
    if (scan->depth == GMC_YAML_SCAN_DEPTH)
        return refuse_item(scan, item, NULL, "nested too deeply");
    item->kind = is_map ? GMC_YAML_SCAN_MAP : GMC_YAML_SCAN_LIST;
    scan->is_map[scan->depth] = is_map;
    scan->has_key[scan->depth] = false;
    scan->depth++;
    return GMC_OK;
}

static gmc_status take_text(gmc_yaml_scan *scan, gmc_yaml_scan_item *item)
{
    const yaml_event_t *event = &scan->event;
    if (event->data.scalar.tag)
        return refuse_item(scan, item, NULL, "tags (!...) have no meaning here");
    item->kind = GMC_YAML_SCAN_TEXT;
    item->text = (const char *)event->data.scalar.value;
    item->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (memchr(item->text, 0, event->data.scalar.length))
        return refuse_item(scan, item, NULL, "text with a zero byte inside");
    pass(scan);
    return GMC_OK;
}

// @param is_item  out: the event is one for the caller
static gmc_status take_item(gmc_yaml_scan *scan, gmc_yaml_scan_item *item, bool *is_item)
{
    *is_item = true;
    switch (scan->event.type) {
    case YAML_SCALAR_EVENT:
        return take_text(scan, item);
    case YAML_ALIAS_EVENT:
        return refuse_item(scan, item, "write out what the alias stands for",
                           "aliases (*name) are not read here");
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return open_value(scan, item, scan->event.type == YAML_MAPPING_START_EVENT);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        item->kind = GMC_YAML_SCAN_CLOSE;
        scan->depth--;
        pass(scan);
        return GMC_OK;
    case YAML_STREAM_END_EVENT:
        item->kind = GMC_YAML_SCAN_END;
        return GMC_OK;
    case YAML_DOCUMENT_START_EVENT:
        *is_item = false;
        if (scan->documents++ == 0) return GMC_OK;
        return refuse_item(scan, item, NULL, "a second YAML document starts here");
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    *is_item = false;
    return GMC_OK;
}

gmc_status gmc_yaml_scan_next(gmc_yaml_scan *scan, gmc_yaml_scan_item *item)
{
    for (bool is_item = false; !is_item;) {
        if (scan->has_event) yaml_event_delete(&scan->event);
        scan->has_event = false;
        if (!yaml_parser_parse(&scan->parser, &scan->event))
            return report_problem(&scan->text, &scan->parser, scan->report);
        scan->has_event = true;
        *item = (gmc_yaml_scan_item){.source = place_of_event(&scan->text, &scan->event)};
        GMC_TRY(take_item(scan, item, &is_item));
    }
    return GMC_OK;
}

gmc_status gmc_yaml_scan_skip(gmc_yaml_scan *scan, const gmc_yaml_scan_item *item)
{
    gmc_yaml_scan_item inner = *item;
    int open = item->kind == GMC_YAML_SCAN_LIST || item->kind == GMC_YAML_SCAN_MAP;
    while (open > 0) {
        GMC_TRY(gmc_yaml_scan_next(scan, &inner));
        open += inner.kind == GMC_YAML_SCAN_LIST || inner.kind == GMC_YAML_SCAN_MAP;
        open -= inner.kind == GMC_YAML_SCAN_CLOSE;
    }
    return GMC_OK;
}
