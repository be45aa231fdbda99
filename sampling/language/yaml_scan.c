// The parser's events one by one. What a list of open brackets is for libyaml's parser is here one
// bit each: whether it is a map that waits for a key.
#include "sampling/language/yaml_scan.h"

#include "sampling/language/yaml_internal.h"

#include <stdlib.h>
#include <string.h>

struct gmc_yaml_scan {
    gmc_yaml_text text;
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
    gmc_status status = gmc_yaml_text_open(text, bytes, file, report, &(*scan)->text);
    if (status == GMC_OK) status = gmc_yaml_text_start(&(*scan)->text, &(*scan)->parser);
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
    gmc_yaml_text_close(&scan->text);
    free(scan);
}

static gmc_status refuse(gmc_yaml_scan *scan, const gmc_yaml_scan_item *item, const char *hint,
                         const char *message)
{
    gmc_diagnostics_add(scan->report, GMC_ERROR, GMC_E_INPUT, item->source, hint, "%s", message);
    return GMC_E_INPUT;
}

static bool expects_key(const gmc_yaml_scan *scan)
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
        return refuse(scan, item, NULL, "tags (!...) have no meaning here");
    if (expects_key(scan))
        return refuse(scan, item, "write the key as plain text", "a key must be a word");
    if (scan->depth == GMC_YAML_SCAN_DEPTH) return refuse(scan, item, NULL, "nested too deeply");
    item->kind = is_map ? GMC_YAML_SCAN_MAP : GMC_YAML_SCAN_LIST;
    scan->is_map[scan->depth] = is_map;
    scan->has_key[scan->depth] = false;
    scan->depth++;
    return GMC_OK;
}

static gmc_status take_text(gmc_yaml_scan *scan, gmc_yaml_scan_item *item)
{
    const yaml_event_t *event = &scan->event;
    if (event->data.scalar.tag) return refuse(scan, item, NULL, "tags (!...) have no meaning here");
    item->kind = GMC_YAML_SCAN_TEXT;
    item->text = (const char *)event->data.scalar.value;
    item->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (memchr(item->text, 0, event->data.scalar.length))
        return refuse(scan, item, NULL, "text with a zero byte inside");
    pass(scan);
    return GMC_OK;
}

// @param is_item  out: the event is one for the caller
static gmc_status take_event(gmc_yaml_scan *scan, gmc_yaml_scan_item *item, bool *is_item)
{
    *is_item = true;
    switch (scan->event.type) {
    case YAML_SCALAR_EVENT:
        return take_text(scan, item);
    case YAML_ALIAS_EVENT:
        return refuse(scan, item, "write out what the alias stands for",
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
        return refuse(scan, item, NULL, "a second YAML document starts here");
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
            return gmc_yaml_text_problem(&scan->text, &scan->parser, scan->report);
        scan->has_event = true;
        *item = (gmc_yaml_scan_item){.source = gmc_yaml_text_place(&scan->text, &scan->event)};
        GMC_TRY(take_event(scan, item, &is_item));
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
