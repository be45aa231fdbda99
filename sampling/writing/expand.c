// The tree is printed as it is, because validate.h left nothing to be filled in. A map or list goes
// on one line when it fits, so that the text looks as one would write it by hand. Scalars are
// written plain where YAML reads them back unchanged and in double quotes elsewhere: libyaml's
// emitter would do the same, but its line breaking cannot be relied upon to be the same in every
// version.
#include "sampling/writing/expand.h"

#include "engine/base/printable.h"
#include "sampling/language/node.h"
#include "sampling/language/schema.h"
#include "sampling/language/text.h"

#include <inttypes.h>
#include <string.h>

enum { LINE = 100, INDENT = 2 };

typedef struct writer {
    const gmc_scenario *scenario;
    gmc_text *out;
} writer;

// ---- scalars ----------------------------------------------------------------------------------

// May the text stand without quotes? In [] and {} commas and brackets end it.
static bool is_plain(const char *text, bool is_flow)
{
    if (text[0] == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0) return false;
    bool starts_well = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') ||
                       (text[0] >= '0' && text[0] <= '9') || text[0] == '_' || text[0] == '.' ||
                       text[0] == '(' || text[0] == '/';
    bool is_negative = text[0] == '-' && text[1] >= '.' && text[1] <= 'z';
    if (!starts_well && !is_negative) return false;
    for (const char *p = text; *p; p++) {
        bool is_common = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                         (*p >= '0' && *p <= '9') || strchr("_./()+-*%^<>=;", *p);
        bool is_inner_blank = *p == ' ' && p[1] != 0 && p[1] != ' ' && p[1] != '#';
        bool is_block_only = !is_flow && strchr(",[]", *p);
        if (!is_common && !is_inner_blank && !is_block_only) return false;
    }
    return strncmp(text, "---", 3) != 0 && strncmp(text, "...", 3) != 0;
}

static void add_quoted(gmc_text *out, const char *text)
{
    gmc_text_add(out, "\"");
    for (const char *p = text; *p;) {
        unsigned code = 0;
        int length = gmc_printable_character(p, &code);
        bool is_odd =
            gmc_printable_acts(code) || code == 0xfeff || code == 0xfffe || code == 0xffff;
        if (length == 0)
            length = 1; // cannot be: libyaml lets only UTF-8 in
        else if (code == '"' || code == '\\')
            gmc_text_add(out, "\\%c", (char)code);
        else if (is_odd)
            gmc_text_add(out, "\\u%04X", code);
        else
            gmc_text_add_bytes(out, p, (size_t)length);
        p += length;
    }
    gmc_text_add(out, "\"");
}

static void add_text(gmc_text *out, const char *text, bool is_flow)
{
    if (is_plain(text, is_flow))
        gmc_text_add(out, "%s", text);
    else
        add_quoted(out, text);
}

static bool is_row(const gmc_node *node, gmc_schema_group group, const char *key)
{
    return node->row && node->row->group == group && strcmp(node->row->key, key) == 0;
}

// Draws and seed may have been changed after reading (-n, --seed); else the text as it stands.
static void add_scalar(const writer *w, const gmc_node *node, bool is_flow)
{
    if (is_row(node, GMC_SCHEMA_SAMPLING, "seed"))
        gmc_text_add(w->out, "%" PRIu64, w->scenario->seed);
    else if (is_row(node, GMC_SCHEMA_SAMPLING, "draws") ||
             is_row(node, GMC_SCHEMA_STUDY, "draws") || is_row(node, GMC_SCHEMA_ROUNDS, "last"))
        gmc_text_add(w->out, "%" PRId64, w->scenario->draws);
    else
        add_text(w->out, node->text, is_flow);
}

// ---- order ------------------------------------------------------------------------------------

// Entries of a map of the schema come in the order of the table; maps by name as they were written.
static const gmc_node *first_entry(const gmc_node *node, int *group)
{
    *group = -1;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (node->kind == GMC_NODE_MAP && n->row && n->row != node->row &&
            strcmp(n->row->key, n->key) == 0)
            *group = (int)n->row->group;
    if (*group < 0) return node->first;
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows((gmc_schema_group)*group, &count);
    for (int i = 0; i < count; i++) {
        const gmc_node *n = gmc_node_find(node, rows[i].key);
        if (n && !n->is_unsaid) return n;
    }
    return node->first;
}

static const gmc_node *next_entry(const gmc_node *node, const gmc_node *entry, int group)
{
    if (group < 0) return entry->next;
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows((gmc_schema_group)group, &count);
    const gmc_schema_row *row = gmc_schema_find((gmc_schema_group)group, entry->key);
    for (const gmc_schema_row *r = row ? row + 1 : rows; row && r < rows + count; r++) {
        const gmc_node *n = gmc_node_find(node, r->key);
        if (n && !n->is_unsaid) return n;
    }
    // then keys that no row knows: the paths of a `set` phase
    const gmc_node *n = row ? node->first : entry->next;
    while (n && gmc_schema_find((gmc_schema_group)group, n->key))
        n = n->next;
    return n;
}

// How scalars and keys look between brackets: YAML's flow style or JSON.
typedef struct style {
    void (*add_scalar)(const writer *w, const gmc_node *node);
    void (*add_key)(const writer *w, const char *key);
} style;

static void add_brackets(const writer *w, const style *as, const gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR) {
        as->add_scalar(w, node);
        return;
    }
    bool is_map = node->kind == GMC_NODE_MAP;
    int group = -1;
    gmc_text_add(w->out, is_map ? "{" : "[");
    const gmc_node *first = first_entry(node, &group);
    for (const gmc_node *n = first; n; n = next_entry(node, n, group)) {
        if (n != first) gmc_text_add(w->out, ", ");
        if (is_map) {
            as->add_key(w, n->key);
            gmc_text_add(w->out, ": ");
        }
        add_brackets(w, as, n);
    }
    gmc_text_add(w->out, is_map ? "}" : "]");
}

// ---- YAML -------------------------------------------------------------------------------------

static void flow_scalar(const writer *w, const gmc_node *node) { add_scalar(w, node, true); }
static void flow_key(const writer *w, const char *key) { add_text(w->out, key, true); }

static const style FLOW = {flow_scalar, flow_key};

// Blocks whose entries are expressions read better one a line.
static bool is_always_block(const gmc_node *node)
{
    if (!node->row || node->count == 0 || !node->key || strcmp(node->key, node->row->key) != 0)
        return false;
    return node->row->type == GMC_TYPE_UNCERTAIN || node->row->type == GMC_TYPE_PARAMETERS ||
           node->row->type == GMC_TYPE_ARGUMENTS ||
           (node->row->type == GMC_TYPE_AXES && node->kind == GMC_NODE_MAP) ||
           node->row->type == GMC_TYPE_PHASES || node->row->type == GMC_TYPE_NAMED;
}

static bool holds_block(const gmc_node *node)
{
    if (is_always_block(node)) return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (holds_block(n)) return true;
    return false;
}

static bool fits_on_line(const writer *w, const gmc_node *node, int column)
{
    if (node->kind == GMC_NODE_SCALAR || node->count == 0) return true;
    if (holds_block(node)) return false;
    gmc_text trial = {0};
    writer dry = {.scenario = w->scenario, .out = &trial};
    add_brackets(&dry, &FLOW, node);
    bool is_short = column + (int)trial.size <= LINE;
    w->out->has_failed = w->out->has_failed || trial.has_failed; // else it is another text
    gmc_text_free(&trial);
    return is_short;
}

static void add_block(const writer *w, const gmc_node *node, int indent);

// What stands behind "key:" or "-".
static void add_value(const writer *w, const gmc_node *node, int indent, int column)
{
    if (node->kind == GMC_NODE_SCALAR) {
        gmc_text_add(w->out, " ");
        add_scalar(w, node, false);
        gmc_text_add(w->out, "\n");
    } else if (fits_on_line(w, node, column)) {
        gmc_text_add(w->out, " ");
        add_brackets(w, &FLOW, node);
        gmc_text_add(w->out, "\n");
    } else {
        gmc_text_add(w->out, "\n");
        add_block(w, node, indent + INDENT);
    }
}

static void add_block(const writer *w, const gmc_node *node, int indent)
{
    int group = -1;
    for (const gmc_node *n = first_entry(node, &group); n; n = next_entry(node, n, group)) {
        size_t start = w->out->size;
        gmc_text_add(w->out, "%*s", indent, "");
        if (node->kind == GMC_NODE_MAP) {
            add_text(w->out, n->key, false);
            gmc_text_add(w->out, ":");
        } else {
            gmc_text_add(w->out, "-");
        }
        // a phase: its one key goes on the line of the dash
        if (node->kind == GMC_NODE_LIST && n->kind == GMC_NODE_MAP && n->count == 1) {
            gmc_text_add(w->out, " ");
            add_text(w->out, n->first->key, false);
            gmc_text_add(w->out, ":");
            add_value(w, n->first, indent + INDENT, (int)(w->out->size - start) + 1);
        } else {
            add_value(w, n, indent, (int)(w->out->size - start) + 1);
        }
    }
}

gmc_status gmc_expand_yaml(const gmc_scenario *scenario, char **text)
{
    gmc_text out = {0};
    writer w = {.scenario = scenario, .out = &out};
    add_block(&w, scenario->tree, 0);
    return gmc_text_take(&out, text);
}

// ---- JSON -------------------------------------------------------------------------------------

static void json_scalar(const writer *w, const gmc_node *node)
{
    bool is_bool = node->row && node->row->type == GMC_TYPE_BOOL;
    bool is_number = node->is_number && !(node->row && node->row->type == GMC_TYPE_RECORD);
    if (is_row(node, GMC_SCHEMA_SAMPLING, "seed") || is_row(node, GMC_SCHEMA_SAMPLING, "draws") ||
        is_row(node, GMC_SCHEMA_STUDY, "draws"))
        add_scalar(w, node, true);
    else if (is_number)
        gmc_text_add_number(w->out, node->number, true);
    else if (is_bool)
        gmc_text_add(w->out, "%s", node->text);
    else
        gmc_text_add_json(w->out, node->text);
}

static void json_key(const writer *w, const char *key) { gmc_text_add_json(w->out, key); }

static const style JSON = {json_scalar, json_key};

gmc_status gmc_expand_json(const gmc_scenario *scenario, char **text)
{
    gmc_text out = {0};
    writer w = {.scenario = scenario, .out = &out};
    add_brackets(&w, &JSON, scenario->tree);
    gmc_text_add(&out, "\n");
    return gmc_text_take(&out, text);
}
