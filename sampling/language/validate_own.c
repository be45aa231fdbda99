// Parameters of the user's own: numbers by paths that no table knows, and what follows from them. A
// formula may stand above what it names, so they are read in the order in which they need each
// other.
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 64 // formulas that need formulas: what a person can follow, and a stack bears
};

typedef enum state { UNREAD, READING, GOOD, BAD } state;

static void read_entry(gmc_validate *v, gmc_node *entry, int index);

// A path of two names or more, the first of which is no key of the language.
static void check_path(gmc_validate *v, const gmc_node *entry)
{
    char name[128];
    const char *dot = strchr(entry->key, '.');
    bool is_good = dot != NULL && strlen(entry->key) < sizeof name;
    for (const char *p = entry->key; is_good && *p;) {
        size_t length = strcspn(p, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        is_good = gmc_validate_is_name(name) && (p[length] == 0 || p[length + 1] != 0);
        if (p == entry->key && gmc_schema_find(GMC_SCHEMA_ROOT, name)) {
            gmc_diagnostics_add(
                v->report, GMC_ERROR, GMC_E_INPUT, entry->key_source, "choose another first name",
                "parameters: paths that start with %.40s are taken by the language", name);
            return;
        }
        p += length + (p[length] == '.');
    }
    if (!is_good)
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, entry->key_source,
                            "two names or more with dots between them: chute.width",
                            "parameters: %.80s cannot be the path of a parameter", entry->key);
}

static gmc_expression_found find(void *context, const char *name, int *index,
                                 gmc_exponents *exponents)
{
    gmc_validate *v = context;
    int i = 0;
    for (gmc_node *n = v->own->first; n; n = n->next, i++) {
        if (strcmp(n->key, name) != 0) continue;
        if (v->own_states[i] == UNREAD) read_entry(v, n, i);
        if (v->own_states[i] == READING) return GMC_EXPRESSION_CIRCLE;
        if (v->own_states[i] == BAD) return GMC_EXPRESSION_BAD;
        *index = i;
        *exponents = gmc_units_exponents((gmc_dimension)n->dimension);
        return GMC_EXPRESSION_FOUND;
    }
    return GMC_EXPRESSION_UNKNOWN;
}

static const char *nearest(void *context, const char *name)
{
    const gmc_validate *v = context;
    gmc_nearest best = gmc_nearest_start(name);
    for (const gmc_node *n = v->own->first; n; n = n->next)
        gmc_nearest_offer(&best, n->key);
    return best.best;
}

static void read_entry(gmc_validate *v, gmc_node *entry, int index)
{
    char path[GMC_VALIDATE_PATH];
    snprintf(path, sizeof path, "parameters.%s", entry->key);
    v->own_states[index] = READING;
    if (v->own_depth == DEPTH_MAX) {
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, entry->source, NULL,
                            "%.120s: too long a chain of formulas", path);
    } else {
        v->own_depth++;
        gmc_validate_any_number(entry, path, entry->row, &v->formulas, v->report);
        v->own_depth--;
    }
    v->own_states[index] = entry->is_number ? GOOD : BAD;
    v->own_values[index] = entry->number;
}

gmc_status gmc_validate_own(gmc_validate *v, gmc_node *root)
{
    gmc_node *own = gmc_node_find(root, "parameters");
    if (!own || gmc_node_is_empty(own)) return GMC_OK;
    if (own->kind != GMC_NODE_MAP) {
        gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, own->source, "chute.width: 26 mm",
                            "parameters: expected paths with numbers");
        return GMC_OK;
    }
    v->own = own;
    v->own_values = gmc_arena_doubles(v->arena, (size_t)own->count + 1);
    v->own_states = gmc_arena_take(v->arena, (size_t)own->count + 1, 1);
    if (!v->own_values || !v->own_states) return GMC_E_ARENA_FULL;
    v->formulas = (gmc_formulas){
        .names = {.context = v, .find = find, .nearest = nearest, GMC_EXPRESSION_OF_PARAMETERS},
        .values = v->own_values,
        .arena = v->arena};
    const gmc_schema_row *row = gmc_schema_find(GMC_SCHEMA_ROOT, "parameters");
    for (gmc_node *n = own->first; n; n = n->next) {
        n->row = row;
        check_path(v, n);
    }
    int i = 0;
    for (gmc_node *n = own->first; n && !gmc_validate_is_full(v); n = n->next, i++)
        if (v->own_states[i] == UNREAD) read_entry(v, n, i);
    return v->formulas.is_arena_full ? GMC_E_ARENA_FULL : GMC_OK;
}

void gmc_validate_value_number(gmc_validate *v, gmc_node *node, const gmc_schema_row *row,
                               gmc_dimension dimension)
{
    int errors_before = v->report->error_count;
    gmc_validate_number(node, v->path, row, dimension, v->own ? &v->formulas : NULL, v->report);
    bool is_wrong = v->report->error_count > errors_before;
    v->mended += v->report->error_count - errors_before;
    if (node->is_number && !is_wrong) return;
    // what may be left out is as good as left out
    if (!node->is_number && !row->is_required && row->rival == 0 && !row->fallback) return;
    gmc_quantity quantity = {.value = 1};
    const char *end = NULL;
    if (node->is_number)
        quantity.value = fabs(node->number); // out of range: most often for its sign
    else if (row->fallback && gmc_units_read(row->fallback, &quantity, &end) != GMC_UNITS_OK)
        quantity.value = 1;
    if (row->is_above && quantity.value <= row->lower) quantity.value = row->lower + 1;
    node->number = fmin(fmax(quantity.value, row->lower), row->upper);
    node->is_stand_in = true;
}
