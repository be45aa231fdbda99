// What a key may hold: one function for each type of the schema.
#include "sampling/scenario/nearest.h"
#include "sampling/scenario/units.h"
#include "sampling/scenario/validate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char CUT_HINT[] =
    "inside {} and [] a comma ends the text: put \"quotes\" around the whole expression";

static void complain(gmc_validate *v, const gmc_yaml_node *node, const char *hint, const char *what)
{
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->source, hint, "%.120s: %s",
                        v->path, what);
}

// A scalar with something in it; else says what was expected.
static bool is_text(gmc_validate *v, gmc_yaml_node *node, const char *expected)
{
    if (node->kind == GMC_YAML_SCALAR && node->text[0] != 0 && !gmc_yaml_is_empty(node))
        return true;
    char what[120];
    node->is_bad = true;
    snprintf(what, sizeof what, "expected %s, found %s", expected,
             node->kind == GMC_YAML_SCALAR ? "nothing"
             : node->kind == GMC_YAML_LIST ? "a list"
                                           : "keys with values");
    complain(v, node, NULL, what);
    return false;
}

// ---- numbers ----------------------------------------------------------------------------------

static void check_integer(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    gmc_validate_number(node, v->path, row, GMC_DIM_NONE, v->report);
    if (!node->is_number || floor(node->number) == node->number) return;
    node->is_number = false;
    complain(v, node, NULL, "expected a whole number");
}

// A list of `count` numbers.
static void check_numbers(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node,
                          int count, gmc_dimension dimension)
{
    if (node->kind != GMC_YAML_LIST || node->count != count) {
        char what[96];
        if (node->kind == GMC_YAML_LIST)
            snprintf(what, sizeof what, "expected %d numbers, found %d", count, node->count);
        else
            snprintf(what, sizeof what, "expected a list of %d numbers", count);
        complain(v, node, row->type == GMC_TYPE_VECTOR ? "write [x, y, z]" : row->about, what);
        return;
    }
    static const char *const XYZ[] = {"x", "y", "z"};
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    int i = 0;
    for (gmc_yaml_node *n = node->first; n; n = n->next, i++) {
        size_t before = gmc_validate_push(v, count == 6 ? INERTIA[i] : XYZ[i]);
        gmc_validate_number(n, v->path, row, dimension, v->report);
        gmc_validate_pop(v, before);
    }
}

static void check_axis(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    static const char *const WORDS[] = {"x", "y", "z", "-x", "-y", "-z"};
    if (node->kind == GMC_YAML_SCALAR) {
        for (int i = 0; i < GMC_COUNT(WORDS); i++)
            if (strcmp(node->text, WORDS[i]) == 0) return;
        complain(v, node, row->about, "expected an axis");
        return;
    }
    check_numbers(v, row, node, 3, GMC_DIM_NONE);
    double length = 0;
    bool is_known = node->kind == GMC_YAML_LIST;
    for (const gmc_yaml_node *n = node->first; n; n = n->next) {
        length += fabs(n->number);
        is_known = is_known && n->is_number;
    }
    if (is_known && !(length > 0)) complain(v, node, NULL, "an axis of length 0 points nowhere");
}

// ---- words and names --------------------------------------------------------------------------

static void check_word(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (!is_text(v, node, "a word")) return;
    char words[96], list[160] = "";
    snprintf(words, sizeof words, "%s", row->words);
    gmc_nearest nearest = gmc_nearest_start(node->text);
    size_t used = 0;
    for (char *word = words; word;) {
        char *bar = strchr(word, '|');
        if (bar) *bar = 0;
        if (strcmp(word, node->text) == 0) return;
        gmc_nearest_offer(&nearest, word);
        used += (size_t)snprintf(list + used, sizeof list - used, used ? ", %s" : "%s", word);
        word = bar ? bar + 1 : NULL;
    }
    char hint[120];
    if (nearest.best)
        snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    else
        snprintf(hint, sizeof hint, "known here: %.90s", list);
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                        "%.120s: expected %s%s, found %.40s", v->path,
                        strchr(row->words, '|') ? "one of " : "", list, node->text);
}

static void check_bool(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_SCALAR &&
        (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        return;
    complain(v, node, NULL, "expected true or false");
}

static void check_user_name(gmc_validate *v, const gmc_yaml_node *node, gmc_source source,
                            const char *name)
{
    if (gmc_validate_is_name(name) && strlen(name) < 64) return;
    gmc_source at = source.line > 0 ? source : node->source;
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, at,
                        "up to 63 letters, digits, _ and -, starting with a letter",
                        "%.120s: %.80s cannot be a name", v->path, name);
}

static void check_surface_name(gmc_validate *v, gmc_yaml_node *node)
{
    if (is_text(v, node, "the name of a surface"))
        check_user_name(v, node, node->source, node->text);
}

static void check_names(gmc_validate *v, gmc_yaml_node *node, const char *expected)
{
    if (node->kind != GMC_YAML_LIST) {
        complain(v, node, "write [a, b]", "expected a list");
        return;
    }
    for (gmc_yaml_node *n = node->first; n; n = n->next)
        (void)is_text(v, n, expected);
}

static void check_surfaces(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind != GMC_YAML_MAP) {
        check_surface_name(v, node);
        return;
    }
    for (gmc_yaml_node *n = node->first; n; n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        check_surface_name(v, n);
        gmc_validate_pop(v, before);
    }
}

// ---- maps and lists ---------------------------------------------------------------------------

static bool is_map(gmc_validate *v, const gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_MAP) return true;
    complain(v, node, NULL, "expected keys with values");
    return false;
}

static gmc_status check_named(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (row->child != GMC_SCHEMA_JOINT) check_user_name(v, n, n->key_source, n->key);
        if (strcmp(n->key, "hand") == 0 || strcmp(n->key, "object") == 0 ||
            strcmp(n->key, "world") == 0)
            gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, n->key_source,
                                "choose another name",
                                "%.120s: the name %s is taken by the language", v->path, n->key);
        n->row = row;
        GMC_TRY(gmc_validate_group(v, row->child, n));
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}

static bool is_same_pair(const char *a, const char *b)
{
    const char *sa = strchr(a, '/'), *sb = strchr(b, '/');
    if (!sa || !sb) return false;
    size_t first = (size_t)(sa - a), second = strlen(sa + 1);
    return strlen(sb + 1) == first && (size_t)(sb - b) == second &&
           strncmp(a, sb + 1, first) == 0 && strncmp(sa + 1, b, second) == 0;
}

static void check_pairs(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        char first[128];
        snprintf(first, sizeof first, "%.127s", n->key);
        char *slash = strchr(first, '/');
        if (slash) *slash = 0;
        if (!slash || !gmc_validate_is_name(first) || !gmc_validate_is_name(slash + 1))
            gmc_diagnostics_add(
                v->report, GMC_ERROR, GMC_E_INPUT, n->key_source, "for example rubber/abs",
                "%.120s: expected two names of surfaces with / between them, found %.60s", v->path,
                n->key);
        for (const gmc_yaml_node *m = node->first; m != n; m = m->next)
            if (is_same_pair(m->key, n->key) && strcmp(m->key, n->key) != 0)
                gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, n->key_source,
                                    "a pair has no order: keep one of the two",
                                    "%.120s: %.60s and %.60s are the same pair", v->path, m->key,
                                    n->key);
        size_t before = gmc_validate_push(v, n->key);
        n->row = row;
        gmc_validate_number(n, v->path, row, row->dimension, v->report);
        gmc_validate_pop(v, before);
    }
}

static gmc_status check_phases(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (node->kind != GMC_YAML_LIST) {
        complain(v, node, "one phase a line: - close: {force: 10 N}", "expected a list of phases");
        return GMC_OK;
    }
    if (node->count == 0) complain(v, node, NULL, "a program without phases does nothing");
    int index = 0;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        GMC_TRY(gmc_validate_group(v, row->child, n));
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}

// Turn a single scalar into a list of one.
static gmc_status wrap(gmc_validate *v, gmc_yaml_node *node)
{
    gmc_yaml_node *child = gmc_yaml_create(v->arena, GMC_YAML_SCALAR, node->source);
    if (!child) return GMC_E_ARENA_FULL;
    child->folder = node->folder;
    child->text = node->text;
    child->is_plain = node->is_plain;
    node->kind = GMC_YAML_LIST;
    node->text = NULL;
    gmc_yaml_append(node, NULL, node->source, child);
    return GMC_OK;
}

static gmc_status check_criteria(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_SCALAR && !gmc_yaml_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_YAML_LIST) {
        complain(v, node, "for example [lift(object) >= 80 mm]", "expected a list of criteria");
        return GMC_OK;
    }
    for (gmc_yaml_node *n = node->first; n; n = n->next) {
        if (!is_text(v, n, "a criterion such as lift(object) >= 80 mm")) continue;
        if (!n->is_plain || !gmc_validate_is_cut(n->text)) continue;
        complain(v, n, CUT_HINT, "a criterion with an open bracket");
        n->is_bad = true;
        // the rest of the expression is not a criterion of its own
        while (n->next && gmc_validate_is_cut(n->next->text ? n->next->text : ""))
            gmc_yaml_remove(node, n->next);
    }
    return GMC_OK;
}

static void check_uncertain(gmc_validate *v, gmc_yaml_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (is_text(v, n, "a distribution such as uniform(0.1, 0.3)") && n->is_plain &&
            gmc_validate_is_cut(n->text)) {
            complain(v, n, CUT_HINT, "a distribution with an open bracket");
            n->is_bad = true;
            while (n->next && gmc_validate_is_cut(n->next->key))
                gmc_yaml_remove(node, n->next);
        }
        gmc_validate_pop(v, before);
    }
}

static void check_axes(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_LIST) {
        for (gmc_yaml_node *n = node->first; n; n = n->next)
            (void)is_text(v, n, "a name");
        return;
    }
    if (!is_map(v, node)) return;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (n->kind == GMC_YAML_LIST) {
            for (gmc_yaml_node *m = n->first; m; m = m->next)
                (void)is_text(v, m, "a value");
            if (n->count == 0) complain(v, n, NULL, "an axis without values");
        } else if (is_text(v, n, "values such as [1, 2, 3] or grid(0, 1, step 0.1)") &&
                   n->is_plain && gmc_validate_is_cut(n->text)) {
            complain(v, n, CUT_HINT, "values with an open bracket");
            n->is_bad = true;
            while (n->next && gmc_validate_is_cut(n->next->key))
                gmc_yaml_remove(node, n->next);
        }
        gmc_validate_pop(v, before);
    }
}

static void check_design(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_SCALAR && strcmp(node->text, "random") == 0) return;
    const gmc_yaml_node *csv = gmc_yaml_find(node, "csv");
    if (csv && node->count == 1 && csv->kind == GMC_YAML_SCALAR && csv->text[0] != 0) return;
    complain(v, node, "random, or {csv: samples.csv}", "unknown design");
}

static void check_record(gmc_validate *v, gmc_yaml_node *node)
{
    static const char *const WORDS[] = {"none", "failures", "all"};
    static const char *const COUNTED[] = {"first:", "every:"};
    const char *hint = "none, failures, first:K, every:K or all";
    if (!is_text(v, node, hint)) return;
    for (int i = 0; i < GMC_COUNT(WORDS); i++)
        if (strcmp(node->text, WORDS[i]) == 0) return;
    for (int i = 0; i < GMC_COUNT(COUNTED); i++) {
        size_t length = strlen(COUNTED[i]);
        gmc_quantity q;
        const char *end = NULL;
        if (strncmp(node->text, COUNTED[i], length) == 0 &&
            gmc_units_read(node->text + length, &q, &end) == GMC_UNITS_OK && *end == 0 &&
            !q.has_unit && q.value >= 1 && q.value <= 1e9 && floor(q.value) == q.value) {
            node->number = q.value;
            node->is_number = true;
            return;
        }
    }
    complain(v, node, hint, "unknown choice of trials");
}

static void check_paths(gmc_validate *v, gmc_yaml_node *node, bool may_be_one)
{
    if (may_be_one && node->kind == GMC_YAML_SCALAR && node->text[0] != 0) return;
    if (node->kind != GMC_YAML_LIST || node->count != 2) {
        complain(v, node, NULL,
                 may_be_one ? "expected a path, or two in a list" : "expected two paths");
        return;
    }
    for (gmc_yaml_node *n = node->first; n; n = n->next)
        (void)is_text(v, n, "a path");
}

static void check_counts(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_SCALAR) {
        check_integer(v, row, node);
        return;
    }
    if (node->kind != GMC_YAML_LIST || node->count != 2)
        complain(v, node, NULL, "expected one or two numbers");
    else
        for (gmc_yaml_node *n = node->first; n; n = n->next)
            check_integer(v, row, n);
}

static void check_one_range(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind != GMC_YAML_LIST || node->count != 2)
        complain(v, node, NULL, "expected [lower, upper]");
    else
        for (gmc_yaml_node *n = node->first; n; n = n->next)
            (void)is_text(v, n, "a number");
}

static void check_ranges(gmc_validate *v, gmc_yaml_node *node)
{
    bool is_nested =
        node->kind == GMC_YAML_LIST && node->count == 2 && node->first->kind == GMC_YAML_LIST;
    if (!is_nested) {
        check_one_range(v, node);
        return;
    }
    for (gmc_yaml_node *n = node->first; n; n = n->next)
        check_one_range(v, n);
}

static gmc_status check_histograms(gmc_validate *v, gmc_yaml_node *node)
{
    if (node->kind == GMC_YAML_SCALAR && !gmc_yaml_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_YAML_LIST) {
        complain(v, node, "for example [object.pose.x]", "expected a list of histograms");
        return GMC_OK;
    }
    int index = 0;
    for (gmc_yaml_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        if (n->kind == GMC_YAML_MAP)
            GMC_TRY(gmc_validate_group(v, GMC_SCHEMA_HISTOGRAM, n));
        else
            check_paths(v, n, true);
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}

gmc_status gmc_validate_value(gmc_validate *v, const gmc_schema_row *row, gmc_yaml_node *node)
{
    if (gmc_yaml_is_empty(node)) {
        complain(v, node, row->about, "has no value");
        return GMC_OK;
    }
    switch (row->type) {
    case GMC_TYPE_NUMBER:
        gmc_validate_number(node, v->path, row, row->dimension, v->report);
        break;
    case GMC_TYPE_INTEGER:
        check_integer(v, row, node);
        break;
    case GMC_TYPE_VECTOR:
        check_numbers(v, row, node, 3, row->dimension);
        break;
    case GMC_TYPE_STEPS:
        if (node->kind == GMC_YAML_LIST)
            check_numbers(v, row, node, 3, GMC_DIM_LENGTH);
        else
            gmc_validate_number(node, v->path, row, row->dimension, v->report);
        break;
    case GMC_TYPE_AXIS:
        check_axis(v, row, node);
        break;
    case GMC_TYPE_INERTIA:
        check_numbers(v, row, node, 6, row->dimension);
        break;
    case GMC_TYPE_WORD:
        check_word(v, row, node);
        break;
    case GMC_TYPE_NAME:
        if (strcmp(row->key, "surface") == 0)
            check_surface_name(v, node);
        else
            (void)is_text(v, node, "a name");
        break;
    case GMC_TYPE_NAMES:
        check_names(v, node, "a name");
        break;
    case GMC_TYPE_TEXT:
        (void)is_text(v, node, "text");
        break;
    case GMC_TYPE_FILE:
        (void)is_text(v, node, "a file name");
        break;
    case GMC_TYPE_FILES:
        check_names(v, node, "the name of a folder");
        break;
    case GMC_TYPE_BOOL:
        check_bool(v, node);
        break;
    case GMC_TYPE_GROUP:
        return gmc_validate_group(v, row->child, node);
    case GMC_TYPE_NAMED:
        return check_named(v, row, node);
    case GMC_TYPE_PAIRS:
        check_pairs(v, row, node);
        break;
    case GMC_TYPE_PHASES:
        return check_phases(v, row, node);
    case GMC_TYPE_SURFACES:
        check_surfaces(v, node);
        break;
    case GMC_TYPE_CRITERIA:
        return check_criteria(v, node);
    case GMC_TYPE_UNCERTAIN:
        check_uncertain(v, node);
        break;
    case GMC_TYPE_AXES:
        check_axes(v, node);
        break;
    case GMC_TYPE_DESIGN:
        check_design(v, node);
        break;
    case GMC_TYPE_RECORD:
        check_record(v, node);
        break;
    case GMC_TYPE_HISTOGRAMS:
        return check_histograms(v, node);
    case GMC_TYPE_PAIR:
        check_paths(v, node, false);
        break;
    case GMC_TYPE_PATHS:
        check_paths(v, node, true);
        break;
    case GMC_TYPE_COUNTS:
        check_counts(v, row, node);
        break;
    case GMC_TYPE_RANGES:
        check_ranges(v, node);
        break;
    case GMC_TYPE_COUNT:
        break;
    }
    return GMC_OK;
}
