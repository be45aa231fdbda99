// Maps and lists whose keys are names and paths: what the schema cannot list key by key.
#include "engine/base/lookup.h"
#include "sampling/language/design.h"
#include "sampling/language/merge.h"
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char CUT_HINT[] =
    "inside {} and [] a comma ends the text: put \"quotes\" around the whole expression";

static bool is_map(gmc_validate *v, const gmc_node *node)
{
    if (node->kind == GMC_NODE_MAP) return true;
    gmc_validate_value_complain(v, node, NULL, "expected keys with values");
    return false;
}

gmc_status gmc_validate_map_named(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (row->child != GMC_SCHEMA_JOINT) gmc_validate_value_name(v, n, n->key_source, n->key);
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

// Sliding friction is not above that at rest, and shares of nothing mean nothing.
static void check_coefficients(gmc_validate *v, const gmc_node *pair)
{
    const gmc_node *rest = gmc_node_find(pair, "static"), *slide = gmc_node_find(pair, "kinetic");
    const gmc_node *across = gmc_node_find(pair, "across");
    if (!rest || !rest->is_number) return;
    if (slide && slide->is_number && slide->number > rest->number)
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, slide->source,
                            "what slides holds less than what sticks",
                            "%.120s.kinetic: must be <= static, found %.40s", v->path, slide->text);
    if (rest->number == 0 && across)
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, rest->source,
                            "let the grain point along the direction that has friction",
                            "%.120s.static: must be > 0 where across is given", v->path);
}

// The same for a pair and for it the other way round.
static uint32_t hash_of_pair(const char *key)
{
    char first[128];
    const char *slash = strchr(key, '/');
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - key) : 0, key);
    return gmc_lookup_hash(0, first) + gmc_lookup_hash(0, slash ? slash + 1 : key);
}

static void report_same_pair(gmc_validate *v, const gmc_node *first, const gmc_node *second)
{
    char hint[GMC_MERGE_HINT_MAX];
    gmc_merge_hint_twin(first->key_source, second->key_source, first->key, hint);
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, second->key_source, hint,
                        "%.120s: %.60s and %.60s are the same pair: a pair has no order", v->path,
                        first->key, second->key);
}

// A pair and the same the other way round; by a table, for there may be thousands.
static gmc_status check_same_pairs(gmc_validate *v, const gmc_node *node)
{
    const gmc_node **nodes =
        gmc_arena_take(v->arena, (size_t)node->count + 1, sizeof(const gmc_node *));
    if (!nodes) return GMC_E_ARENA_FULL;
    gmc_lookup known = {0};
    gmc_status status = GMC_OK;
    int count = 0;
    for (const gmc_node *n = node->first; n && status == GMC_OK; n = n->next) {
        uint32_t hash = hash_of_pair(n->key);
        for (int at = 0, i; (i = gmc_lookup_next(&known, hash, &at)) >= 0;)
            if (gmc_merge_is_turned(nodes[i]->key, n->key) && strcmp(nodes[i]->key, n->key) != 0 &&
                !gmc_validate_is_full(v))
                report_same_pair(v, nodes[i], n);
        nodes[count] = n;
        status = gmc_lookup_add(&known, hash, count++);
    }
    gmc_lookup_free(&known);
    return status;
}

gmc_status gmc_validate_map_pairs(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    GMC_TRY(check_same_pairs(v, node));
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        char first[128];
        snprintf(first, sizeof first, "%.127s", n->key);
        char *slash = strchr(first, '/');
        if (slash) *slash = 0;
        if (!slash || !gmc_validate_is_name(first) || !gmc_validate_is_name(slash + 1))
            gmc_diagnostics_add(
                v->report, GMC_ERROR, GMC_E_INPUT, n->key_source, "for example rubber/abs",
                "%.120s: expected two names of surfaces with / between them, found %.60s", v->path,
                n->key);
        size_t before = gmc_validate_push(v, n->key);
        n->row = row;
        if (n->kind == GMC_NODE_MAP) {
            GMC_TRY(gmc_validate_group(v, row->child, n));
            check_coefficients(v, n);
        } else {
            gmc_validate_value_number(v, n, row, row->dimension);
        }
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}

gmc_status gmc_validate_map_phases(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST) {
        gmc_validate_value_complain(v, node, "one phase a line: - close: {force: 10 N}",
                                    "expected a list of phases");
        return GMC_OK;
    }
    if (node->count == 0)
        gmc_validate_value_complain(v, node, NULL, "a program without phases does nothing");
    int index = 0;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        GMC_TRY(gmc_validate_group(v, row->child, n));
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}

// Turn a single scalar into a list of one.
static gmc_status wrap(gmc_validate *v, gmc_node *node)
{
    gmc_node *child = gmc_node_create(v->arena, GMC_NODE_SCALAR, node->source);
    if (!child) return GMC_E_ARENA_FULL;
    child->folder = node->folder;
    child->text = node->text;
    child->is_plain = node->is_plain;
    node->kind = GMC_NODE_LIST;
    node->text = NULL;
    gmc_node_append(node, NULL, node->source, child);
    return GMC_OK;
}

gmc_status gmc_validate_map_criteria(gmc_validate *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_NODE_LIST) {
        gmc_validate_value_complain(v, node, "for example [lift(object) >= 80 mm]",
                                    "expected a list of criteria");
        return GMC_OK;
    }
    for (gmc_node *n = node->first; n; n = n->next) {
        if (!gmc_validate_value_is_text(v, n, "a criterion such as lift(object) >= 80 mm"))
            continue;
        if (!n->is_plain || !gmc_validate_is_cut(n->text)) continue;
        gmc_validate_value_complain(v, n, CUT_HINT, "a criterion with an open bracket");
        n->is_bad = true;
        // the rest of the expression is not a criterion of its own
        while (n->next && gmc_validate_is_cut(n->next->text ? n->next->text : ""))
            gmc_node_remove(node, n->next);
    }
    return GMC_OK;
}

/// An expression that a comma ended: what is left of it stands behind it as keys of its own.
static void complain_if_cut(gmc_validate *v, gmc_node *map, gmc_node *n, const char *what)
{
    if (!n->is_plain || !gmc_validate_is_cut(n->text)) return;
    gmc_validate_value_complain(v, n, CUT_HINT, what);
    n->is_bad = true;
    while (n->next && gmc_validate_is_cut(n->next->key))
        gmc_node_remove(map, n->next);
}

void gmc_validate_map_uncertain(gmc_validate *v, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (n->kind == GMC_NODE_LIST) {
            n->is_bad = true;
            gmc_validate_value_complain(
                v, n,
                "uniform(a, b) is a range, one_of(a, b, c) are values; study: {vary: ...} "
                "takes each in turn",
                "expected a distribution, found a list");
        } else if (gmc_validate_value_is_text(v, n, "a distribution such as uniform(0.1, 0.3)"))
            complain_if_cut(v, node, n, "a distribution with an open bracket");
        gmc_validate_pop(v, before);
    }
}

// What the pairs are is seen when paths are known.
void gmc_validate_map_correlated(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        gmc_validate_number(n, v->path, row, GMC_DIM_NONE, NULL, v->report);
        gmc_validate_pop(v, before);
    }
}

void gmc_validate_map_axes(gmc_validate *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_LIST) {
        for (gmc_node *n = node->first; n; n = n->next)
            (void)gmc_validate_value_is_text(v, n, "a name");
        return;
    }
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        if (n->kind == GMC_NODE_LIST) {
            for (gmc_node *m = n->first; m; m = m->next)
                (void)gmc_validate_value_is_text(v, m, "a value");
            if (n->count == 0) gmc_validate_value_complain(v, n, NULL, "an axis without values");
        } else if (gmc_validate_value_is_text(v, n,
                                              "values such as [1, 2, 3] or grid(0, 1, step 0.1)")) {
            complain_if_cut(v, node, n, "values with an open bracket");
        }
        gmc_validate_pop(v, before);
    }
}

void gmc_validate_map_design(gmc_validate *v, gmc_node *node)
{
    static const gmc_design WORDS[] = {GMC_DESIGN_RANDOM, GMC_DESIGN_SOBOL,
                                       GMC_DESIGN_LATIN_HYPERCUBE, GMC_DESIGN_SENSITIVITY,
                                       GMC_DESIGN_MORRIS};
    for (int i = 0; i < GMC_COUNT(WORDS) && node->kind == GMC_NODE_SCALAR; i++)
        if (strcmp(node->text, gmc_design_name(WORDS[i])) == 0) return;
    const gmc_node *csv = gmc_node_find(node, "csv");
    if (csv && node->count == 1 && csv->kind == GMC_NODE_SCALAR && csv->text[0] != 0) return;
    gmc_validate_value_complain(
        v, node, "random, sobol, latin_hypercube, sensitivity, morris or {csv: samples.csv}",
        "unknown design");
}

void gmc_validate_map_record(gmc_validate *v, gmc_node *node)
{
    static const char *const WORDS[] = {"none", "failures", "all"};
    static const char *const COUNTED[] = {"first:", "every:"};
    const char *hint = "none, failures, first:K, every:K or all";
    if (!gmc_validate_value_is_text(v, node, hint)) return;
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
    gmc_validate_value_complain(v, node, hint, "unknown choice of trials");
}

void gmc_validate_map_paths(gmc_validate *v, gmc_node *node, bool may_be_one)
{
    if (may_be_one && node->kind == GMC_NODE_SCALAR && node->text[0] != 0) return;
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        gmc_validate_value_complain(
            v, node, NULL, may_be_one ? "expected a path, or two in a list" : "expected two paths");
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        (void)gmc_validate_value_is_text(v, n, "a path");
}

void gmc_validate_map_counts(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR) {
        gmc_validate_value_integer(v, row, node);
        return;
    }
    if (node->kind != GMC_NODE_LIST || node->count != 2)
        gmc_validate_value_complain(v, node, NULL, "expected one or two numbers");
    else
        for (gmc_node *n = node->first; n; n = n->next)
            gmc_validate_value_integer(v, row, n);
}

static void check_one_range(gmc_validate *v, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count != 2)
        gmc_validate_value_complain(v, node, NULL, "expected [lower, upper]");
    else
        for (gmc_node *n = node->first; n; n = n->next)
            (void)gmc_validate_value_is_text(v, n, "a number");
}

void gmc_validate_map_ranges(gmc_validate *v, gmc_node *node)
{
    bool is_nested =
        node->kind == GMC_NODE_LIST && node->count == 2 && node->first->kind == GMC_NODE_LIST;
    if (!is_nested) {
        check_one_range(v, node);
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        check_one_range(v, n);
}

gmc_status gmc_validate_map_histograms(gmc_validate *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_NODE_LIST) {
        gmc_validate_value_complain(v, node, "for example [object.pose.x]",
                                    "expected a list of histograms");
        return GMC_OK;
    }
    int index = 0;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        if (n->kind == GMC_NODE_MAP)
            GMC_TRY(gmc_validate_group(v, GMC_SCHEMA_HISTOGRAM, n));
        else
            gmc_validate_map_paths(v, n, true);
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}
