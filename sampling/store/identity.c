// Both texts are flattened to (path, value) pairs and compared by path, so that an added line is
// reported as added and not as a change of everything behind it. Quadratic, and only run to explain
// a refusal. Not a YAML parser: it needs no more than that one line holds one key.
#include "sampling/store/identity.h"

#include "engine/base/check.h"
#include "engine/base/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, PATH_MAX_BYTES = 256 };

typedef struct pair {
    char path[PATH_MAX_BYTES];
    const char *value;
    int value_bytes;
} pair;

typedef struct pair_list {
    pair *pairs;
    int count, capacity;
} pair_list;

/// One open level of nesting: keys at this indentation extend the path of length `base`.
typedef struct level {
    int indent;
    size_t base;
    int elements; ///< list elements seen at this level
} level;

typedef struct flattener {
    level levels[DEPTH_MAX];
    int depth;
    char path[PATH_MAX_BYTES];
    pair_list *list;
} flattener;

static bool add_pair(pair_list *list, const char *path, const char *value, int bytes)
{
    pair *pairs = gmc_list_room(list->pairs, list->count, &list->capacity, sizeof *pairs);
    if (!pairs) return false;
    list->pairs = pairs;
    pair *p = &list->pairs[list->count++];
    memcpy(p->path, path, PATH_MAX_BYTES);
    p->value = value;
    p->value_bytes = bytes;
    return true;
}

/// Close the levels deeper than `indent` and open one there; the path ends at its base.
static level *enter(flattener *f, int indent)
{
    while (f->depth > 0 && f->levels[f->depth - 1].indent > indent)
        f->depth--;
    if (f->depth == 0 || f->levels[f->depth - 1].indent < indent) {
        if (f->depth == DEPTH_MAX) f->depth--;
        f->levels[f->depth++] = (level){.indent = indent, .base = strlen(f->path)};
    }
    level *top = &f->levels[f->depth - 1];
    f->path[top->base] = 0;
    return top;
}

static void extend(flattener *f, const char *name, int bytes)
{
    size_t used = strlen(f->path);
    snprintf(f->path + used, sizeof f->path - used, "%s%.*s", used ? "." : "", bytes, name);
}

/// Length of the key at the start of a line, 0 if there is none (a folded or free text line).
static int key_bytes(const char *line, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        if (line[i] == ':' && (i + 1 == bytes || line[i + 1] == ' ')) return i;
        if (line[i] == '"' || line[i] == '{' || line[i] == '[') return 0;
    }
    return 0;
}

/// Bytes up to the comma or bracket that ends a value between brackets.
static int flow_bytes(const char *text, int bytes)
{
    int open = 0;
    bool is_quoted = false;
    for (int i = 0; i < bytes; i++) {
        if (is_quoted && text[i] == '\\') i++;
        if (text[i] == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        open += text[i] == '{' || text[i] == '[' || text[i] == '(';
        if (open == 0 && (text[i] == ',' || text[i] == '}')) return i;
        open -= text[i] == '}' || text[i] == ']' || text[i] == ')';
    }
    return bytes;
}

/// A value behind its key: a map between braces is taken apart, all else is a pair.
static bool flatten_value(flattener *f, const char *text, int bytes)
{
    if (bytes < 2 || text[0] != '{' || text[bytes - 1] != '}' || text[1] == '}')
        return add_pair(f->list, f->path, text, bytes);
    size_t base = strlen(f->path);
    for (int at = 1; at < bytes - 1;) {
        int whole = flow_bytes(text + at, bytes - 1 - at), key = key_bytes(text + at, whole);
        int value = key + 1;
        while (value < whole && text[at + value] == ' ')
            value++;
        if (key == 0) return add_pair(f->list, f->path, text + at, bytes - 1 - at);
        extend(f, text + at, key);
        if (!flatten_value(f, text + at + value, whole - value)) return false;
        f->path[base] = 0;
        at += whole + 1;
        while (at < bytes && text[at] == ' ')
            at++;
    }
    return true;
}

static bool flatten_line(flattener *f, const char *line, int bytes)
{
    int indent = 0;
    while (indent < bytes && line[indent] == ' ')
        indent++;
    if (indent == bytes || line[indent] == '#') return true;

    while (indent + 1 < bytes && line[indent] == '-' && line[indent + 1] == ' ') {
        level *list = enter(f, indent);
        char number[16];
        int digits = snprintf(number, sizeof number, "%d", list->elements++);
        extend(f, number, digits);
        indent += 2;
    }
    int key = key_bytes(line + indent, bytes - indent);
    if (key == 0) return add_pair(f->list, f->path, line + indent, bytes - indent);

    enter(f, indent);
    extend(f, line + indent, key);
    int value = indent + key + 1;
    while (value < bytes && line[value] == ' ')
        value++;
    // a key whose value is the block below it is no pair of its own
    return value == bytes || flatten_value(f, line + value, bytes - value);
}

static bool flatten(const char *text, pair_list *list)
{
    flattener f = {.list = list};
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (!flatten_line(&f, text, (int)bytes)) return false;
        text += bytes + (text[bytes] == '\n');
    }
    return true;
}

/// The pair of the same path; free text lines share a path, so the n-th is asked for.
static const pair *find(const pair_list *list, const pair_list *origin, int index)
{
    GMC_ASSERT(origin->pairs && index < origin->count);
    const char *path = origin->pairs[index].path;
    int before = 0;
    for (int i = 0; i < index; i++)
        before += strcmp(origin->pairs[i].path, path) == 0;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->pairs[i].path, path) == 0 && before-- == 0) return &list->pairs[i];
    return NULL;
}

static bool is_same(const pair *a, const pair *b)
{
    return a->value_bytes == b->value_bytes &&
           memcmp(a->value, b->value, (size_t)a->value_bytes) == 0;
}

static gmc_identity_change change_of(const pair *there, const pair *here)
{
    return (gmc_identity_change){.key = here ? here->path : there->path,
                                 .there = there ? there->value : NULL,
                                 .there_bytes = there ? there->value_bytes : 0,
                                 .here = here ? here->value : NULL,
                                 .here_bytes = here ? here->value_bytes : 0};
}

static void each(const pair_list *a, const pair_list *b,
                 void (*visit)(void *context, const gmc_identity_change *change), void *context)
{
    for (int i = 0; i < b->count; i++) {
        const pair *here = &b->pairs[i], *there = find(a, b, i);
        if (there && is_same(there, here)) continue;
        const gmc_identity_change change = change_of(there, here);
        visit(context, &change);
    }
    for (int i = 0; i < a->count; i++) {
        if (find(b, a, i)) continue;
        const gmc_identity_change change = change_of(&a->pairs[i], NULL);
        visit(context, &change);
    }
}

gmc_status gmc_identity_each(const char *there, const char *here,
                             void (*visit)(void *context, const gmc_identity_change *change),
                             void *context)
{
    pair_list a = {0}, b = {0};
    bool is_read = flatten(there, &a) && flatten(here, &b);
    if (is_read) each(&a, &b, visit, context);
    free(a.pairs);
    free(b.pairs);
    return is_read ? GMC_OK : GMC_E_MEMORY;
}

/// Room for a sentence.
typedef struct sentence {
    char *text;
    size_t bytes;
    const char *const *aside;
    bool has_one;
} sentence;

static bool is_aside(const sentence *s, const char *key)
{
    for (int i = 0; s->aside && s->aside[i]; i++) {
        size_t length = strlen(s->aside[i]);
        if (strncmp(key, s->aside[i], length) == 0 && (key[length] == 0 || key[length] == '.'))
            return true;
    }
    return false;
}

/// Put the first difference into words.
static void tell(void *context, const gmc_identity_change *c)
{
    sentence *s = context;
    if (s->has_one || is_aside(s, c->key)) return;
    s->has_one = true;
    const char *there = c->there ? c->there : "missing";
    int bytes = c->there ? c->there_bytes : (int)strlen(there);
    if (c->here)
        snprintf(s->text, s->bytes, "%s is %.*s there, %.*s here", c->key, bytes, there,
                 c->here_bytes, c->here);
    else
        snprintf(s->text, s->bytes, "%s is %.*s there, missing here", c->key, bytes, there);
}

bool gmc_identity_difference(const char *there, const char *here, const char *const *aside,
                             char *text, size_t bytes)
{
    if (strcmp(there, here) == 0) return false;
    sentence s = {.text = text, .bytes = bytes, .aside = aside};
    if (gmc_identity_each(there, here, tell, &s) != GMC_OK)
        snprintf(text, bytes, "they differ; no memory to say where");
    else if (!s.has_one && aside)
        return false;
    else if (!s.has_one)
        snprintf(text, bytes, "they differ in layout only"); // order of keys, comments
    return true;
}
