// One walk from group to group along the table. Each group is checked in five passes over its keys:
// what is unknown, what excludes each other, what is missing, what has a default, what the values
// are. Reading goes on after every mistake; a subtree that makes no sense is skipped, its siblings
// are not.
#include "sampling/language/validate.h"

#include "engine/base/lookup.h"
#include "engine/contact/stepper.h"
#include "engine/math/elementary.h"
#include "engine/model/polygon.h"
#include "engine/model/support.h"
#include "sampling/language/materials.h"
#include "sampling/language/merge.h"
#include "sampling/language/nearest.h"
#include "sampling/language/schema.h"
#include "sampling/language/short_form.h"
#include "sampling/language/token.h"
#include "sampling/language/units.h"
#include "sampling/language/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MISTAKES_MAX = 100 }; // nobody reads more of them in one go

typedef struct validation {
    gmc_diagnostics *report;
    gmc_arena *arena;
    gmc_schema_worlds worlds; // of this scenario; ALL: what is checked stands alone
    char path[GMC_VALIDATE_PATH];
    bool has_rank; // the study that is being read
    int mended;    // mistakes after which reading went on as if they were not there

    gmc_node *own;         // the map `parameters`; NULL: none, and no formulas
    double *own_values;    // (own->count) nominal
    char *own_states;      // (own->count) each a `state`
    int own_depth;         // formulas that are being read for each other's sake
    gmc_formulas formulas; // naming what stands in `own`
} validation;

// A group holds values, and a value may be a group.
static gmc_status check_group(validation *v, gmc_schema_group group, gmc_node *map);

// ---- path, for messages -----------------------------------------------------------------------

static size_t enter_key(validation *v, const char *key)
{
    size_t before = strlen(v->path);
    snprintf(v->path + before, sizeof v->path - before, before > 0 ? ".%s" : "%s", key);
    return before;
}

static size_t enter_index(validation *v, int index)
{
    char text[16];
    snprintf(text, sizeof text, "%d", index);
    return enter_key(v, text);
}

static void leave_key(validation *v, size_t before) { v->path[before] = 0; }

static bool is_full(const validation *v) { return v->report->error_count >= MISTAKES_MAX; }

bool gmc_validate_is_name(const char *text)
{
    bool is_start = true;
    if (*text == 0) return false;
    for (const char *p = text; *p; p++) {
        bool is_letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool is_other = (*p >= '0' && *p <= '9') || *p == '-';
        if (!is_letter && (is_start || !is_other)) return false;
        is_start = false;
    }
    return true;
}

// Cut by a comma that was meant as part of an expression: `{a: f(1, 2)}` gives "f(1" and "2)".
static bool is_cut(const char *text)
{
    int open = 0;
    if (strchr(text, ',')) return false; // a comma would have cut here
    for (const char *p = text; *p; p++) {
        if (*p == '(') open++;
        if (*p == ')' && --open < 0) return true;
    }
    return open != 0;
}

// ---- number -----------------------------------------------------------------------------------

// Numbers: how they are written, what they measure, and whether they are in range.

static void print_bound(double bound, gmc_dimension dimension, char *text, size_t size)
{
    char number[GMC_UNITS_TEXT];
    gmc_units_print(bound, number);
    const char *unit = gmc_units_name(dimension);
    bool has_unit = strcmp(unit, "1") != 0 && bound != 0 && !strstr(unit, " or ");
    snprintf(text, size, has_unit ? "%s %s" : "%s", number, unit);
}

static void check_range(const gmc_node *node, const char *path, const gmc_schema_row *row,
                        gmc_diagnostics *report)
{
    char bound[96];
    double x = node->number, extent = gmc_units_extent((gmc_dimension)node->dimension);
    if (fabs(x) > extent && row->lower <= x && x <= row->upper) {
        print_bound(extent, (gmc_dimension)node->dimension, bound, sizeof bound);
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source,
                            "at most 1e6 m, beyond which places are not exact to 1e-10 m, and 1e6 "
                            "rad",
                            "%.120s: must be %s %s%s, found %.40s", path,
                            x > 0 ? "<=" : ">=", x > 0 ? "" : "-", bound, node->text);
    } else if (x < row->lower || (row->is_above && x <= row->lower)) {
        print_bound(row->lower, (gmc_dimension)node->dimension, bound, sizeof bound);
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, NULL,
                            "%.120s: must be %s %s, found %.40s", path,
                            row->is_above ? ">" : ">=", bound, node->text);
    } else if (x > row->upper) {
        print_bound(row->upper, (gmc_dimension)node->dimension, bound, sizeof bound);
        bool is_version = strcmp(path, "graspmc") == 0;
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source,
                            is_version ? "this is the language of a newer graspmc: update the "
                                         "program, or write graspmc: 1 and see what it refuses"
                                       : NULL,
                            "%.120s: must be <= %s, found %.40s", path, bound, node->text);
    }
}

static const char SET_TAKES_NUMBERS[] =
    "set takes numbers, no formulas; study and uncertain may change them by their paths";

// What is no number but looks like one of another keyboard or of another country: 0,4 kg; −0.05 m;
// 0.3 ± 0.1. NULL: it is none of these. `end` is where reading ended, at the start if no number is.
static const char *hint_of_writing(const gmc_node *node, const char *path, const char *end,
                                   char *hint, size_t size)
{
    const char *at = end + strspn(end, " ");
    const char *meant = gmc_token_lookalike(at);
    if (strncmp(at, "\xc2\xb1", 2) == 0 || strncmp(at, "+-", 2) == 0 || strncmp(at, "+/-", 3) == 0)
        snprintf(
            hint, size,
            "one number here, and its range under uncertain: %.100s: uniform(...) or normal(...)",
            path);
    else if (meant)
        snprintf(hint, size, "%s", meant);
    else if (at == end && *at == ',' && at[1] >= '0' && at[1] <= '9')
        snprintf(hint, size, "a decimal point, no comma: %.*s.%.40s", (int)(at - node->text),
                 node->text, at + 1);
    else
        return NULL;
    return hint;
}

// Names of the table of materials for the number of a key: `density: steel`.
static const char *hint_of_material(const gmc_node *node, const gmc_schema_row *row, char *hint,
                                    size_t size)
{
    if (!row->key) return NULL; // a number by its path: of `set`, of a design
    size_t length = strlen(row->key), used = 0;
    bool is_whole = strncmp(node->text, row->key, length) == 0 && node->text[length] == '.';
    const char *name = node->text + (is_whole ? length + 1 : 0), *meant = NULL;
    if (!gmc_validate_is_name(name)) return NULL;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < gmc_material_number_count; i++) {
        const char *path = gmc_material_numbers[i].path;
        if (strncmp(path, row->key, length) != 0 || path[length] != '.') continue;
        gmc_nearest_offer(&nearest, path + length + 1);
        if (nearest.best == path + length + 1) meant = path;
        const char *comma = used > 0 ? "," : "";
        if (used == 0)
            used = (size_t)snprintf(hint, size, "the table %s has no such name; there are",
                                    gmc_materials_name);
        if (used + strlen(path) + 3 < size)
            used += (size_t)snprintf(hint + used, size - used, "%s %s", comma, path);
    }
    if (used == 0) return NULL;
    if (meant) snprintf(hint, size, "did you mean %s, with  use: %s?", meant, gmc_materials_name);
    return hint;
}

// Why a formula is none here; NULL: none was meant.
static const char *hint_of_formula(const char *end, const gmc_schema_row *row)
{
    if (!strchr("*/+", end[strspn(end, " ")])) return NULL;
    if (row->is_set) return SET_TAKES_NUMBERS;
    return row->is_settled ? "this is settled before there are trials, and takes no formula"
                           : "formulas are read where a scenario has numbers of its own: name one, "
                             "parameters: {ramp.angle: 20 deg}";
}

// Is something wrong with how the number, of the node's dimension, is written? Says so.
static bool report_misread(const gmc_node *node, const char *path, gmc_units_result result,
                           const char *end, const gmc_schema_row *row, gmc_diagnostics *report)
{
    gmc_dimension dimension = (gmc_dimension)node->dimension;
    gmc_source at =
        gmc_node_place(node, strlen(node->text), (size_t)(end - node->text), strlen(end));
    char hint[200], other[320];
    const char *known = hint_of_writing(
        node, path, result == GMC_UNITS_NO_NUMBER ? node->text : end, other, sizeof other);
    switch (result) {
    case GMC_UNITS_OK:
        if (*end == 0) return false;
        gmc_diagnostics_add(report, GMC_E_INPUT, at, known ? known : hint_of_formula(end, row),
                            "%.120s: unexpected %.40s after the number and its unit", path,
                            end + strspn(end, " "));
        return true;
    case GMC_UNITS_NO_NUMBER:
        snprintf(
            hint, sizeof hint,
            strchr(node->text, '(')
                ? "write the nominal value here and the distribution under uncertain: %.100s: ..."
            : row->is_set ? "a number, a space and a unit: %s; set takes no formulas, study and "
                            "uncertain may change its numbers by their paths"
                          : "a number, a space and a unit: %s",
            strchr(node->text, '(') ? path : gmc_units_choices(dimension));
        if (!known) known = hint_of_material(node, row, other, sizeof other);
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, known ? known : hint,
                            "%.120s: expected %s, found %.40s", path, gmc_units_noun(dimension),
                            node->text);
        return true;
    case GMC_UNITS_TOO_LARGE:
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, NULL,
                            "%.120s: expected a finite number, found %.40s", path, node->text);
        return true;
    case GMC_UNITS_UNKNOWN_UNIT:
        snprintf(hint, sizeof hint, "units here: %s", gmc_units_choices(dimension));
        gmc_diagnostics_add(report, GMC_E_INPUT, at, known ? known : hint,
                            "%.120s: unknown unit %.40s", path, end);
        return true;
    }
    return true;
}

static bool is_scalar(gmc_node *node, const char *path, const char *noun, gmc_diagnostics *report)
{
    node->is_number = false;
    node->formula = NULL;
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) return true;
    gmc_diagnostics_add(report, GMC_E_INPUT, node->source, NULL, "%.120s: expected %s, found %s",
                        path, noun,
                        node->kind == GMC_NODE_SCALAR ? "nothing"
                        : node->kind == GMC_NODE_LIST ? "a list"
                                                      : "keys with values");
    return false;
}

// A formula as postfix, and its value at nominal parameters; false: reported.
static bool read_formula(gmc_node *node, const char *path, gmc_formulas *formulas,
                         gmc_diagnostics *report, const gmc_expression **root)
{
    gmc_status status =
        gmc_expression_parse_formula(node, &formulas->names, formulas->arena, report, root);
    gmc_formula *made = NULL;
    if (status == GMC_OK) {
        made = GMC_NEW(formulas->arena, 1, gmc_formula);
        status =
            made ? gmc_expression_compile(*root, formulas->arena, &made->code) : GMC_E_ARENA_FULL;
    }
    if (status == GMC_E_ARENA_FULL) formulas->is_arena_full = true;
    if (status != GMC_OK) return false;
    made->rank = formulas->count++;
    node->number = gmc_criteria_value(&made->code, formulas->values);
    if (!isfinite(node->number)) {
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, NULL,
                            "%.120s: with these parameters the formula gives no finite number",
                            path);
        return false;
    }
    node->formula = made;
    return true;
}

// What is not read as a formula, for it was meant as something else.
static bool is_no_formula(const gmc_node *node, const char *path, const gmc_schema_row *row,
                          const gmc_formulas *formulas)
{
    char hint[320];
    const char *end = NULL;
    gmc_quantity quantity;
    gmc_exponents exponents;
    int index = 0;
    bool is_number = gmc_units_read(node->text, &quantity, &end) != GMC_UNITS_NO_NUMBER;
    if (hint_of_writing(node, path, is_number ? end : node->text, hint, sizeof hint)) return true;
    return !is_number && hint_of_material(node, row, hint, sizeof hint) &&
           formulas->names.find(formulas->names.context, node->text, &index, &exponents) ==
               GMC_EXPRESSION_UNKNOWN;
}

static bool is_plain_number(const char *text, gmc_quantity *quantity)
{
    const char *end = NULL;
    return gmc_units_read(text, quantity, &end) == GMC_UNITS_OK && *end == 0;
}

// "1/3": a number without a unit, exactly as gears have it.
static bool is_fraction(const char *text, gmc_quantity *quantity)
{
    const char *slash = strchr(text, '/');
    char above[32];
    gmc_quantity below;
    if (!slash || slash - text >= (ptrdiff_t)sizeof above) return false;
    snprintf(above, sizeof above, "%.*s", (int)(slash - text), text);
    if (!is_plain_number(above, quantity) || !is_plain_number(slash + 1, &below)) return false;
    if (quantity->has_unit || below.has_unit || below.value == 0) return false;
    quantity->value /= below.value;
    return true;
}

void gmc_validate_number(gmc_node *node, const char *path, const gmc_schema_row *row,
                         gmc_dimension dimension, gmc_formulas *formulas, gmc_diagnostics *report)
{
    node->dimension = (int)dimension;
    if (!is_scalar(node, path, gmc_units_noun(dimension), report)) return;
    gmc_quantity quantity;
    gmc_dimension exact = dimension;
    if (formulas && !row->is_settled && !is_plain_number(node->text, &quantity) &&
        !is_no_formula(node, path, row, formulas)) {
        const gmc_expression *root = NULL;
        if (!read_formula(node, path, formulas, report, &root)) return;
        quantity = (gmc_quantity){node->number, !root->is_free, root->exponents};
    } else if (dimension != GMC_DIM_NONE || !is_fraction(node->text, &quantity)) {
        const char *end = NULL;
        gmc_units_result result = gmc_units_read(node->text, &quantity, &end);
        if (report_misread(node, path, result, end, row, report)) return;
    }
    if (quantity.has_unit && !gmc_units_fits(dimension, quantity.exponents, &exact)) {
        char hint[200];
        snprintf(hint, sizeof hint, "units here: %s", gmc_units_choices(dimension));
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, hint,
                            "%.120s: expected %s, found %.40s", path, gmc_units_noun(dimension),
                            node->text);
        return;
    }
    node->number = quantity.value;
    node->dimension = (int)exact;
    node->is_number = true;
    check_range(node, path, row, report);
}

// The same for a number of any dimension, which its unit tells.
static void check_any_number(gmc_node *node, const char *path, const gmc_schema_row *row,
                             gmc_formulas *formulas, gmc_diagnostics *report)
{
    gmc_quantity quantity;
    gmc_dimension dimension = GMC_DIM_NONE;
    if (!is_scalar(node, path, "a number", report)) return;
    if (is_plain_number(node->text, &quantity)) {
        node->number = quantity.value;
    } else {
        const gmc_expression *root = NULL;
        if (!read_formula(node, path, formulas, report, &root)) return;
        quantity.exponents = root->exponents;
    }
    if (!gmc_units_dimension(quantity.exponents, &dimension)) {
        char unit[GMC_UNITS_TEXT];
        gmc_units_spell(quantity.exponents, unit);
        gmc_diagnostics_add(report, GMC_E_INPUT, node->source, NULL,
                            "%.120s: no quantity of a scenario has the unit %s", path, unit);
        return;
    }
    node->dimension = (int)dimension;
    node->is_number = true;
    check_range(node, path, row, report);
}

// ---- own --------------------------------------------------------------------------------------

// Parameters of the user's own: numbers by paths that no table knows, and what follows from them. A
// formula may stand above what it names, so they are read in the order in which they need each
// other.

enum {
    DEPTH_MAX = 64 // formulas that need formulas: what a person can follow, and a stack bears
};

typedef enum state { UNREAD, READING, GOOD, BAD } state;

static void read_entry(validation *v, gmc_node *entry, int index);

// A path of two names or more, the first of which is no key of the language.
static void check_path(validation *v, const gmc_node *entry)
{
    char name[128];
    const char *dot = strchr(entry->key, '.');
    bool is_good = dot != NULL && strlen(entry->key) < sizeof name;
    for (const char *p = entry->key; is_good && *p;) {
        size_t length = strcspn(p, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        is_good = gmc_validate_is_name(name) && (p[length] == 0 || p[length + 1] != 0);
        if (p == entry->key && gmc_schema_find(GMC_SCHEMA_ROOT, name)) {
            gmc_diagnostics_add(v->report, GMC_E_INPUT, entry->key_source,
                                "choose another first name",
                                "parameters: paths that start with %.40s are reserved", name);
            return;
        }
        p += length + (p[length] == '.');
    }
    if (!is_good)
        gmc_diagnostics_add(v->report, GMC_E_INPUT, entry->key_source,
                            "two names or more with dots between them: chute.width",
                            "parameters: %.80s cannot be the path of a parameter", entry->key);
}

static gmc_expression_found find_own(void *context, const char *name, int *index,
                                     gmc_exponents *exponents)
{
    validation *v = context;
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

static const char *nearest_own(void *context, const char *name)
{
    const validation *v = context;
    gmc_nearest best = gmc_nearest_start(name);
    for (const gmc_node *n = v->own->first; n; n = n->next)
        gmc_nearest_offer(&best, n->key);
    return best.best;
}

static void read_entry(validation *v, gmc_node *entry, int index)
{
    char path[GMC_VALIDATE_PATH];
    snprintf(path, sizeof path, "parameters.%s", entry->key);
    v->own_states[index] = READING;
    if (v->own_depth == DEPTH_MAX) {
        gmc_diagnostics_add(v->report, GMC_E_INPUT, entry->source, NULL,
                            "%.120s: too long a chain of formulas", path);
    } else {
        v->own_depth++;
        check_any_number(entry, path, entry->row, &v->formulas, v->report);
        v->own_depth--;
    }
    v->own_states[index] = entry->is_number ? GOOD : BAD;
    v->own_values[index] = entry->number;
}

// The map `parameters` of a scenario, before all else that may refer to it.
static gmc_status read_own(validation *v, gmc_node *root)
{
    gmc_node *own = gmc_node_find(root, "parameters");
    if (!own || gmc_node_is_empty(own)) return GMC_OK;
    if (own->kind != GMC_NODE_MAP) {
        gmc_diagnostics_add(v->report, GMC_E_INPUT, own->source, "chute.width: 26 mm",
                            "parameters: expected paths with numbers");
        return GMC_OK;
    }
    v->own = own;
    v->own_values = GMC_NEW(v->arena, own->count + 1, double);
    v->own_states = gmc_arena_take(v->arena, (size_t)own->count + 1, 1);
    if (!v->own_values || !v->own_states) return GMC_E_ARENA_FULL;
    v->formulas = (gmc_formulas){.names = {.context = v,
                                           .find = find_own,
                                           .nearest = nearest_own,
                                           GMC_EXPRESSION_OF_PARAMETERS},
                                 .values = v->own_values,
                                 .arena = v->arena};
    const gmc_schema_row *row = gmc_schema_find(GMC_SCHEMA_ROOT, "parameters");
    for (gmc_node *n = own->first; n; n = n->next) {
        n->row = row;
        check_path(v, n);
    }
    int i = 0;
    for (gmc_node *n = own->first; n && !is_full(v); n = n->next, i++)
        if (v->own_states[i] == UNREAD) read_entry(v, n, i);
    return v->formulas.is_arena_full ? GMC_E_ARENA_FULL : GMC_OK;
}

// A number at the path of `v`, or a formula if there are named parameters. What is none gets a
// stand-in, so that what depends on it can be read.
static void check_number(validation *v, gmc_node *node, const gmc_schema_row *row,
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

// ---- value ------------------------------------------------------------------------------------

// What a key may hold: one function for each type of the schema.

// Report a mistake at `node`, with the path before it.
static void complain(validation *v, const gmc_node *node, const char *hint, const char *what)
{
    gmc_diagnostics_add(v->report, GMC_E_INPUT, node->source, hint, "%.120s: %s", v->path, what);
}

// A scalar with something in it; else says what was expected.
static bool is_text(validation *v, gmc_node *node, const char *expected)
{
    if (node->kind == GMC_NODE_SCALAR && node->text[0] != 0 && !gmc_node_is_empty(node))
        return true;
    char what[120];
    node->is_bad = true;
    snprintf(what, sizeof what, "expected %s, found %s", expected,
             node->kind == GMC_NODE_SCALAR ? "nothing"
             : node->kind == GMC_NODE_LIST ? "a list"
                                           : "keys with values");
    complain(v, node, NULL, what);
    return false;
}

// ---- numbers ----------------------------------------------------------------------------------

static void check_integer(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    int errors_before = v->report->error_count;
    gmc_validate_number(node, v->path, row, GMC_DIM_NONE, NULL, v->report);
    if (node->is_number) {
        node->is_bad = node->number < row->lower || node->number > row->upper; // said
        if (floor(node->number) != node->number) {
            node->is_number = false;
            complain(v, node, NULL, "expected a whole number");
        }
    }
    // readers of whole numbers have one for what was complained about
    v->mended += v->report->error_count - errors_before;
}

// What is no list of `count` numbers, complained about, as one: of stand-ins where it cannot be
// left out.
static void mend_numbers(validation *v, const gmc_schema_row *row, gmc_node *node, int count)
{
    gmc_node mended = *node;
    mended.kind = GMC_NODE_LIST;
    mended.first = mended.last = NULL;
    mended.count = 0;
    bool is_needed = row->is_required || row->rival != 0;
    for (int i = 0; i < count && is_needed; i++) {
        gmc_node *entry = gmc_node_create(v->arena, GMC_NODE_SCALAR, node->source);
        if (!entry) return;
        entry->text = "1";
        entry->is_stand_in = true;
        entry->number = fmin(fmax(1, row->lower), row->upper);
        entry->dimension = (int)row->dimension;
        gmc_node_append(&mended, NULL, node->source, entry);
    }
    *node = mended;
    v->mended++;
}

// A list of `count` numbers.
static void check_numbers(validation *v, const gmc_schema_row *row, gmc_node *node, int count,
                          gmc_dimension dimension)
{
    if (node->kind != GMC_NODE_LIST || node->count != count) {
        char what[96];
        if (node->kind == GMC_NODE_LIST)
            snprintf(what, sizeof what, "expected %d numbers, found %d", count, node->count);
        else
            snprintf(what, sizeof what, "expected a list of %d numbers", count);
        complain(v, node, row->type == GMC_TYPE_VECTOR ? "write [x, y, z]" : row->about, what);
        mend_numbers(v, row, node, count);
        return;
    }
    static const char *const XYZ[] = {"x", "y", "z"};
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    int i = 0;
    for (gmc_node *n = node->first; n && i < count; n = n->next, i++) {
        size_t before = enter_key(v, count == 6 ? INERTIA[i] : XYZ[i]);
        check_number(v, n, row, dimension);
        if (!n->is_number && !n->is_stand_in) { // one of several cannot be left out
            n->number = fmin(fmax(1, row->lower), row->upper);
            n->is_stand_in = true;
        }
        leave_key(v, before);
    }
}

// One number, or a list of any length.
static void check_each(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR) {
        check_number(v, node, row, row->dimension);
        return;
    }
    if (node->kind == GMC_NODE_MAP || node->count == 0) {
        complain(v, node, row->about, "expected a number, or a list of them");
        return;
    }
    int i = 0;
    for (gmc_node *n = node->first; n; n = n->next, i++) {
        size_t before = enter_index(v, i);
        check_number(v, n, row, row->dimension);
        leave_key(v, before);
    }
}

static void check_aim(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_LIST)
        check_numbers(v, row, node, 3, row->dimension);
    else
        (void)is_text(v, node, "the name of a body, or [x, y, z]");
}

// Go on with a word that may stand here.
static void read_as(validation *v, gmc_node *node, const char *word)
{
    const char *copy = gmc_arena_text(v->arena, word);
    if (!copy) return;
    node->text = copy;
    node->is_plain = false;
    v->mended++;
}

static void check_axis(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    static const char *const WORDS[] = {"x", "y", "z", "-x", "-y", "-z"};
    if (node->kind == GMC_NODE_SCALAR) {
        for (int i = 0; i < GMC_COUNT(WORDS); i++)
            if (strcmp(node->text, WORDS[i]) == 0) return;
        complain(v, node, row->about, "expected an axis: x, y, z, -x, -y, -z, or [x, y, z]");
        read_as(v, node, WORDS[0]);
        return;
    }
    check_numbers(v, row, node, 3, GMC_DIM_NONE);
    double length = 0;
    bool is_known = node->kind == GMC_NODE_LIST;
    for (const gmc_node *n = node->first; n; n = n->next) {
        length += fabs(n->number);
        is_known = is_known && n->is_number;
    }
    if (is_known && !(length > 0)) complain(v, node, NULL, "an axis of length 0 points nowhere");
}

// ---- words and names --------------------------------------------------------------------------

static void check_word(validation *v, const gmc_schema_row *row, gmc_node *node)
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
    gmc_diagnostics_add(v->report, GMC_E_INPUT, node->source, hint,
                        "%.120s: expected %s%s, found %.40s", v->path,
                        strchr(row->words, '|') ? "one of " : "", list, node->text);
    read_as(v, node, nearest.best ? nearest.best : row->fallback ? row->fallback : words);
}

static void check_bool(validation *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR &&
        (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        return;
    complain(v, node, NULL, "expected true or false");
    if (node->kind == GMC_NODE_SCALAR) read_as(v, node, "false");
}

// May a user call something `name`? Says if not; `source` is where it stands.
static void check_name(validation *v, const gmc_node *node, gmc_source source, const char *name)
{
    if (gmc_validate_is_name(name) && strlen(name) < 64) return;
    gmc_source at = source.line > 0 ? source : node->source;
    gmc_diagnostics_add(v->report, GMC_E_INPUT, at,
                        "up to 63 letters, digits, _ and -, starting with a letter",
                        "%.120s: %.80s cannot be a name", v->path, name);
}

static void check_surface_name(validation *v, gmc_node *node)
{
    if (is_text(v, node, "the name of a surface")) check_name(v, node, node->source, node->text);
}

static void check_names(validation *v, gmc_node *node, const char *expected)
{
    if (node->kind != GMC_NODE_LIST) {
        complain(v, node, "write [a, b]", "expected a list");
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        (void)is_text(v, n, expected);
}

static void check_surfaces(validation *v, gmc_node *node)
{
    if (node->kind != GMC_NODE_MAP) {
        check_surface_name(v, node);
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next) {
        size_t before = enter_key(v, n->key);
        check_surface_name(v, n);
        leave_key(v, before);
    }
}

// ---- ladder -----------------------------------------------------------------------------------

// `study.draws` and `study.ladder`: what may be written short, and what the levels may be.

static gmc_status check_rounds(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_MAP) {
        check_integer(v, row, node);
        return GMC_OK;
    }
    GMC_TRY(check_group(v, row->child, node));
    // what is filled in must be readable: a ranking keeps none
    gmc_node *keep = gmc_node_find(node, "keep");
    if (v->has_rank && keep && keep->is_default) gmc_node_remove(node, keep);
    const gmc_node *first = gmc_node_find(node, "first"), *last = gmc_node_find(node, "last");
    if (!first || !last || !first->is_number || !last->is_number || first->number <= last->number ||
        first->is_default)
        return GMC_OK;
    complain(v, first, "first counts the draws of the first round, last all",
             "more draws in the first round than in all");
    return GMC_OK;
}

static void check_level_word(validation *v, gmc_node *node)
{
    if (!is_text(v, node, "a level such as quasi_static")) return;
    gmc_nearest nearest = gmc_nearest_start(node->text);
    char hint[160];
    size_t used = 0;
    for (int i = 0; i < gmc_ladder_word_count; i++) {
        const char *name = gmc_ladder_words[i].name;
        if (strcmp(name, node->text) == 0) return;
        gmc_nearest_offer(&nearest, name);
        used += (size_t)snprintf(hint + used, sizeof hint - used, used > 0 ? ", %s" : "levels: %s",
                                 name);
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    char what[80];
    snprintf(what, sizeof what, "there is no level %.40s", node->text);
    complain(v, node, hint, what);
    node->is_bad = true;
}

static const char *name_of(const gmc_node *level)
{
    if (level->kind != GMC_NODE_MAP) return level->text ? level->text : "";
    const gmc_node *name = gmc_node_find(level, "name");
    return name && name->text ? name->text : "";
}

static gmc_status check_maps(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    char expected[96];
    snprintf(expected, sizeof expected, "expected a list of maps, each %.60s",
             gmc_schema_group_name(row->child));
    if (node->kind != GMC_NODE_LIST || node->count == 0) {
        complain(v, node, row->about, expected);
        return GMC_OK;
    }
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        GMC_TRY(check_group(v, row->child, n));
        leave_key(v, before);
    }
    return GMC_OK;
}

// Levels of a study, words or maps; and how many draws it has, a number or rounds.
static gmc_status check_ladder(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count == 0) {
        complain(v, node, "for example [geometric, quasi_static, dynamic]",
                 "expected a list of levels, the cheapest first");
        return GMC_OK;
    }
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        if (n->kind == GMC_NODE_MAP)
            GMC_TRY(check_group(v, row->child, n));
        else
            check_level_word(v, n);
        const gmc_node *tolerate = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "tolerate") : NULL;
        if (!n->next && tolerate && tolerate->is_number && tolerate->number > 0)
            complain(v, tolerate, "leave it out, or take  goal: best",
                     "tolerate must be 0 at the last level, which decides");
        for (const gmc_node *m = node->first; m != n; m = m->next)
            if (strcmp(name_of(m), name_of(n)) == 0 && name_of(n)[0] != 0)
                complain(v, n, "give it another name", "two levels of the same name");
        if (!n->next && strcmp(name_of(n), "geometric") == 0 && n->kind == GMC_NODE_SCALAR)
            complain(v, n, "add  dynamic  behind it",
                     "the last level cannot be geometric: nothing moves there to decide success");
        leave_key(v, before);
    }
    return GMC_OK;
}

// ---- map --------------------------------------------------------------------------------------

// Maps and lists whose keys are names and paths: what the schema cannot list key by key.

static const char CUT_HINT[] =
    "inside {} and [] a comma ends the text: put \"quotes\" around the whole expression";

static bool is_map(validation *v, const gmc_node *node)
{
    if (node->kind == GMC_NODE_MAP) return true;
    complain(v, node, NULL, "expected keys with values");
    return false;
}

static gmc_status check_named(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        if (row->child != GMC_SCHEMA_JOINT) check_name(v, n, n->key_source, n->key);
        if (strcmp(n->key, "hand") == 0 || strcmp(n->key, "object") == 0 ||
            strcmp(n->key, "world") == 0)
            gmc_diagnostics_add(v->report, GMC_E_INPUT, n->key_source, "choose another name",
                                "%.120s: the name %s is taken by the language", v->path, n->key);
        n->row = row;
        GMC_TRY(check_group(v, row->child, n));
        leave_key(v, before);
    }
    return GMC_OK;
}

// Sliding friction is not above that at rest, and shares of nothing mean nothing.
static void check_coefficients(validation *v, const gmc_node *pair)
{
    const gmc_node *rest = gmc_node_find(pair, "static"), *slide = gmc_node_find(pair, "kinetic");
    const gmc_node *across = gmc_node_find(pair, "across");
    if (!rest || !rest->is_number) return;
    if (slide && slide->is_number && slide->number > rest->number)
        gmc_diagnostics_add(v->report, GMC_E_INPUT, slide->source,
                            "what slides holds less than what sticks",
                            "%.120s.kinetic: must be <= static, found %.40s", v->path, slide->text);
    if (rest->number == 0 && across)
        gmc_diagnostics_add(v->report, GMC_E_INPUT, rest->source,
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

static void report_same_pair(validation *v, const gmc_node *first, const gmc_node *second)
{
    char hint[GMC_MERGE_HINT_MAX];
    gmc_merge_hint_twin(first->key_source, second->key_source, first->key, hint);
    gmc_diagnostics_add(v->report, GMC_E_INPUT, second->key_source, hint,
                        "%.120s: %.60s and %.60s are the same pair: a pair has no order", v->path,
                        first->key, second->key);
}

// A pair and the same the other way round; by a table, for there may be thousands.
static gmc_status check_same_pairs(validation *v, const gmc_node *node)
{
    const gmc_node **nodes = GMC_NEW(v->arena, node->count + 1, const gmc_node *);
    if (!nodes) return GMC_E_ARENA_FULL;
    gmc_lookup known = {0};
    gmc_status status = GMC_OK;
    int count = 0;
    for (const gmc_node *n = node->first; n && status == GMC_OK; n = n->next) {
        uint32_t hash = hash_of_pair(n->key);
        for (int at = 0, i; (i = gmc_lookup_next(&known, hash, &at)) >= 0;)
            if (gmc_merge_is_turned(nodes[i]->key, n->key) && strcmp(nodes[i]->key, n->key) != 0 &&
                !is_full(v))
                report_same_pair(v, nodes[i], n);
        nodes[count] = n;
        status = gmc_lookup_add(&known, hash, count++);
    }
    gmc_lookup_free(&known);
    return status;
}

static gmc_status check_pairs(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    GMC_TRY(check_same_pairs(v, node));
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        char first[128];
        snprintf(first, sizeof first, "%.127s", n->key);
        char *slash = strchr(first, '/');
        if (slash) *slash = 0;
        if (!slash || !gmc_validate_is_name(first) || !gmc_validate_is_name(slash + 1))
            gmc_diagnostics_add(
                v->report, GMC_E_INPUT, n->key_source, "for example rubber/abs",
                "%.120s: expected two names of surfaces with / between them, found %.60s", v->path,
                n->key);
        size_t before = enter_key(v, n->key);
        n->row = row;
        if (n->kind == GMC_NODE_MAP) {
            GMC_TRY(check_group(v, row->child, n));
            check_coefficients(v, n);
        } else {
            check_number(v, n, row, row->dimension);
        }
        leave_key(v, before);
    }
    return GMC_OK;
}

static gmc_status check_phases(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST) {
        complain(v, node, "one phase a line: - close: {force: 10 N}", "expected a list of phases");
        return GMC_OK;
    }
    if (node->count == 0) complain(v, node, NULL, "a program without phases does nothing");
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        GMC_TRY(check_group(v, row->child, n));
        leave_key(v, before);
    }
    return GMC_OK;
}

// Turn a single scalar into a list of one.
static gmc_status wrap(validation *v, gmc_node *node)
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

static gmc_status check_criteria(validation *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_NODE_LIST) {
        complain(v, node, "for example [lift(object) >= 80 mm]", "expected a list of criteria");
        return GMC_OK;
    }
    for (gmc_node *n = node->first; n; n = n->next) {
        if (!is_text(v, n, "a criterion such as lift(object) >= 80 mm")) continue;
        if (!n->is_plain || !is_cut(n->text)) continue;
        complain(v, n, CUT_HINT, "a criterion with an open bracket");
        n->is_bad = true;
        // the rest of the expression is not a criterion of its own
        while (n->next && is_cut(n->next->text ? n->next->text : ""))
            gmc_node_remove(node, n->next);
    }
    return GMC_OK;
}

/// An expression that a comma ended: what is left of it stands behind it as keys of its own.
static void complain_if_cut(validation *v, gmc_node *map, gmc_node *n, const char *what)
{
    if (!n->is_plain || !is_cut(n->text)) return;
    complain(v, n, CUT_HINT, what);
    n->is_bad = true;
    while (n->next && is_cut(n->next->key))
        gmc_node_remove(map, n->next);
}

static void check_uncertain(validation *v, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        if (n->kind == GMC_NODE_LIST) {
            n->is_bad = true;
            complain(v, n,
                     "uniform(a, b) is a range, one_of(a, b, c) are values; study: {vary: ...} "
                     "takes each in turn",
                     "expected a distribution, found a list");
        } else if (is_text(v, n, "a distribution such as uniform(0.1, 0.3)"))
            complain_if_cut(v, node, n, "a distribution with an open bracket");
        leave_key(v, before);
    }
}

// What the pairs are is seen when paths are known.
static void check_correlated(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        gmc_validate_number(n, v->path, row, GMC_DIM_NONE, NULL, v->report);
        leave_key(v, before);
    }
}

static void check_axes(validation *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_LIST) {
        for (gmc_node *n = node->first; n; n = n->next)
            (void)is_text(v, n, "a name");
        return;
    }
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        if (n->kind == GMC_NODE_LIST) {
            for (gmc_node *m = n->first; m; m = m->next)
                (void)is_text(v, m, "a value");
            if (n->count == 0) complain(v, n, NULL, "an axis without values");
        } else if (is_text(v, n, "values such as [1, 2, 3] or grid(0, 1, step 0.1)")) {
            complain_if_cut(v, node, n, "values with an open bracket");
        }
        leave_key(v, before);
    }
}

static void check_design(validation *v, gmc_node *node)
{
    static const gmc_design WORDS[] = {GMC_DESIGN_RANDOM, GMC_DESIGN_SOBOL,
                                       GMC_DESIGN_LATIN_HYPERCUBE, GMC_DESIGN_SENSITIVITY,
                                       GMC_DESIGN_MORRIS};
    for (int i = 0; i < GMC_COUNT(WORDS) && node->kind == GMC_NODE_SCALAR; i++)
        if (strcmp(node->text, gmc_design_name(WORDS[i])) == 0) return;
    const gmc_node *csv = gmc_node_find(node, "csv");
    if (csv && node->count == 1 && csv->kind == GMC_NODE_SCALAR && csv->text[0] != 0) return;
    complain(v, node, "random, sobol, latin_hypercube, sensitivity, morris or {csv: samples.csv}",
             "unknown design");
}

static void check_record(validation *v, gmc_node *node)
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
    complain(v, node, hint, "unknown word for which trials are kept");
}

static void check_paths(validation *v, gmc_node *node, bool may_be_one)
{
    if (may_be_one && node->kind == GMC_NODE_SCALAR && node->text[0] != 0) return;
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        complain(v, node, NULL,
                 may_be_one ? "expected a path, or two in a list" : "expected two paths");
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        (void)is_text(v, n, "a path");
}

static void check_counts(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR) {
        check_integer(v, row, node);
        return;
    }
    if (node->kind != GMC_NODE_LIST || node->count != 2)
        complain(v, node, NULL, "expected one or two numbers");
    else
        for (gmc_node *n = node->first; n; n = n->next)
            check_integer(v, row, n);
}

static void check_one_range(validation *v, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count != 2)
        complain(v, node, NULL, "expected [lower, upper]");
    else
        for (gmc_node *n = node->first; n; n = n->next)
            (void)is_text(v, n, "a number");
}

static void check_ranges(validation *v, gmc_node *node)
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

// One for each type whose keys the table cannot list.
static gmc_status check_histograms(validation *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) GMC_TRY(wrap(v, node));
    if (node->kind != GMC_NODE_LIST) {
        complain(v, node, "for example [object.pose.x]", "expected a list of histograms");
        return GMC_OK;
    }
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        if (n->kind == GMC_NODE_MAP)
            GMC_TRY(check_group(v, GMC_SCHEMA_HISTOGRAM, n));
        else
            check_paths(v, n, true);
        leave_key(v, before);
    }
    return GMC_OK;
}

// ---- outlines, points and functions of time ---------------------------------------------------

// Outlines of planar shapes: vertices as written, and gears, which are short for theirs; points on
// which bodies lie, and functions of time.
//
// Vertices are no parameters: what is made of them (convex pieces, corners) is made once. A shape
// that chance or a study changes is a box, a circle or a super-ellipse.

static const double PI = 3.14159265358979323846;

static bool check_vertex(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    static const char *const XY[] = {"x", "y"};
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        complain(v, node, "for example [10 mm, 0 mm]", "expected a list of two numbers, [x, y]");
        return false;
    }
    bool is_good = true;
    int i = 0;
    for (gmc_node *n = node->first; n && i < 2; n = n->next, i++) {
        size_t before = enter_key(v, XY[i]);
        check_number(v, n, row, row->dimension);
        n->row = row;
        leave_key(v, before);
        is_good = is_good && n->is_number;
    }
    return is_good;
}

// Vertices whose numbers are known; NULL: the arena is full.
static gmc_vec2 *vertices_of(validation *v, const gmc_node *list)
{
    gmc_vec2 *vertices = GMC_NEW(v->arena, list->count, gmc_vec2);
    int i = 0;
    for (const gmc_node *n = list->first; vertices && n; n = n->next, i++)
        vertices[i] = (gmc_vec2){n->first->number, n->last->number};
    return vertices;
}

// A list of [x, y] whose numbers are all known.
static bool check_vertices(validation *v, const gmc_schema_row *row, gmc_node *node,
                           const char *what)
{
    if (node->kind != GMC_NODE_LIST) {
        char said[64];
        snprintf(said, sizeof said, "expected a list of %s", what);
        complain(v, node, "[[0 mm, 0 mm], [30 mm, 0 mm], [0 mm, 40 mm]]", said);
        return false;
    }
    bool is_good = true;
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        is_good = check_vertex(v, row, n) && is_good;
        leave_key(v, before);
    }
    return is_good;
}

// Vertices of a polygon: numbers first, then the outline.
static gmc_status check_polygon(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!check_vertices(v, row, node, "vertices")) return GMC_OK;
    gmc_vec2 *vertices = vertices_of(v, node);
    if (!vertices) return GMC_E_ARENA_FULL;
    gmc_polygon_verdict verdict = gmc_polygon_check(vertices, node->count);
    if (verdict.flaw == GMC_POLYGON_GOOD) return GMC_OK;
    char message[300];
    const char *hint = gmc_polygon_explain(&verdict, vertices, message, sizeof message);
    // of two vertices at one place the second is too many
    int shown = verdict.flaw == GMC_POLYGON_REPEATED ? verdict.second : verdict.first;
    const gmc_node *at = node;
    if (shown >= 0)
        for (at = node->first; shown > 0; shown--)
            at = at->next;
    complain(v, at, hint, message);
    return GMC_OK;
}

// Points on which something stands: three or more, not in a line.
static gmc_status check_points(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    node->is_bad = true; // until proved good
    if (!check_vertices(v, row, node, "points")) return GMC_OK;
    if (node->count < 3) {
        complain(v, node, NULL, "a support needs three points or more");
        return GMC_OK;
    }
    const gmc_vec2 *p = vertices_of(v, node);
    if (!p) return GMC_E_ARENA_FULL;
    gmc_vec2 mean = {0, 0};
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < node->count; i++)
        mean = gmc_vec2_add_scaled(mean, 1.0 / node->count, p[i]);
    for (int i = 0; i < node->count; i++) {
        gmc_vec2 d = gmc_vec2_sub(p[i], mean);
        xx += d.x * d.x;
        yy += d.y * d.y;
        xy += d.x * d.y;
    }
    node->is_bad =
        !(xx * yy - xy * xy > GMC_SUPPORT_LINE * GMC_SUPPORT_LINE * (xx + yy) * (xx + yy));
    if (node->is_bad)
        complain(v, node, "move one of them to the side",
                 "all points of the support lie in one line");
    return GMC_OK;
}

static bool check_knot(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    static const gmc_schema_row TIME = {.key = "time", .lower = 0, .upper = INFINITY};
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        complain(v, node, "for example [0.5 s, 20 mm]", "expected a time and a number");
        return false;
    }
    size_t before = enter_key(v, "time");
    check_number(v, node->first, &TIME, GMC_DIM_TIME);
    leave_key(v, before);
    before = enter_key(v, "value");
    check_number(v, node->last, row, row->dimension);
    leave_key(v, before);
    return node->first->is_number && node->last->is_number;
}

// A function of time: [time, number], later and later.
static void check_knots(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count == 0) {
        complain(v, node, "[[0 s, 0 mm], [1 s, 20 mm]]",
                 "expected a list of times with a number each");
        return;
    }
    const gmc_node *last = NULL;
    int index = 0;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next, index++) {
        size_t before = enter_index(v, index);
        bool is_good = check_knot(v, row, n);
        node->is_bad = node->is_bad || !is_good;
        if (is_good && last && !(n->first->number > last->first->number))
            complain(v, n->first, "times increase", "this time is not later than the one before");
        last = is_good ? n : NULL;
        leave_key(v, before);
    }
}

// ---- gears ------------------------------------------------------------------------------------

/// A gear as written [m, rad], and what follows for a tooth on +x: corners of its tip and its root.
typedef struct toothed {
    int teeth;
    double outer, root, tip, flank;
    gmc_vec2 tip_corner, root_corner; ///< y > 0
} toothed;

// Where the flank from the tip's corner inwards meets the circle of the roots.
static bool find_root(toothed *g)
{
    double half = g->tip / 2, slope = gmc_tan(g->flank);
    if (!(half < g->outer) || !(g->root < g->outer)) return false;
    double x = sqrt(g->outer * g->outer - half * half);
    g->tip_corner = (gmc_vec2){x, half};
    // (x - s)^2 + (half + slope s)^2 = root^2, the first s > 0
    double a = 1 + slope * slope, b = half * slope - x;
    double c = g->outer * g->outer - g->root * g->root, under = b * b - a * c;
    if (!(under >= 0)) return false;
    double s = (-b - sqrt(under)) / a;
    g->root_corner = (gmc_vec2){x - s, half + slope * s};
    return g->root_corner.y > 0 && g->root_corner.x > 0;
}

static gmc_vec2 turned(double angle, double x, double y)
{
    double c = gmc_cos(angle), s = gmc_sin(angle);
    return (gmc_vec2){c * x - s * y, s * x + c * y};
}

static gmc_node *number_node(validation *v, const gmc_node *from, const gmc_schema_row *row,
                             double value)
{
    char number[GMC_UNITS_TEXT], text[GMC_UNITS_TEXT + 4];
    gmc_units_print(value, number);
    snprintf(text, sizeof text, "%s m", number);
    gmc_node *node = gmc_node_create(v->arena, GMC_NODE_SCALAR, from->source);
    if (!node) return NULL;
    node->text = gmc_arena_text(v->arena, text);
    node->is_plain = node->is_number = true;
    node->number = value;
    node->dimension = GMC_DIM_LENGTH;
    node->row = row;
    node->folder = from->folder;
    return node->text ? node : NULL;
}

static gmc_status add_vertex(validation *v, gmc_node *list, gmc_vec2 p)
{
    gmc_node *pair = gmc_node_create(v->arena, GMC_NODE_LIST, list->source);
    gmc_node *x = number_node(v, list, list->row, p.x), *y = number_node(v, list, list->row, p.y);
    if (!pair || !x || !y) return GMC_E_ARENA_FULL;
    gmc_node_append(pair, NULL, list->source, x);
    gmc_node_append(pair, NULL, list->source, y);
    gmc_node_append(list, NULL, list->source, pair);
    return GMC_OK;
}

static double number_of(const gmc_node *map, const char *key, bool *is_known)
{
    const gmc_node *node = gmc_node_find(map, key);
    *is_known = *is_known && node && node->is_number;
    return node && node->is_number ? node->number : 0;
}

// The polygon of a checked gear in its place; GMC_OK also for one that cannot be, reported.
static gmc_status write_out_gear(validation *v, gmc_node *map, gmc_node *from)
{
    bool is_known = from->kind == GMC_NODE_MAP;
    toothed g = {.teeth = (int)gmc_node_whole(gmc_node_find(from, "teeth"), 0),
                 .outer = number_of(from, "diameter", &is_known) / 2,
                 .root = number_of(from, "root_diameter", &is_known) / 2,
                 .tip = number_of(from, "tip_width", &is_known),
                 .flank = number_of(from, "flank", &is_known)};
    if (!is_known || g.teeth == 0) return GMC_OK; // reported
    size_t before = enter_key(v, "gear");
    bool is_possible = find_root(&g);
    double share = PI / g.teeth;
    if (!is_possible)
        complain(v, from, "root_diameter < diameter, tip_width < diameter",
                 "flanks from its tips do not meet the circle of its roots");
    else if (!(gmc_atan2(g.root_corner.y, g.root_corner.x) < share &&
               gmc_atan2(g.tip_corner.y, g.tip_corner.x) < share))
        complain(v, from, "fewer teeth, narrower tips or steeper flanks", "its teeth overlap");
    else {
        gmc_node *list = gmc_node_create(v->arena, GMC_NODE_LIST, from->source);
        if (!list) return GMC_E_ARENA_FULL;
        list->folder = from->folder;
        list->row = gmc_schema_find(from->row->group, "polygon");
        for (int i = 0; i < g.teeth; i++) {
            double angle = 2 * share * i;
            GMC_TRY(add_vertex(v, list, turned(angle, g.root_corner.x, -g.root_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.tip_corner.x, -g.tip_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.tip_corner.x, g.tip_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.root_corner.x, g.root_corner.y)));
        }
        gmc_node_replace(map, from, list);
        list->key = "polygon";
    }
    leave_key(v, before);
    return GMC_OK;
}

// ---- by type ----------------------------------------------------------------------------------

// Positions of joints, or places that they pass.
static void check_goals(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        n->row = row;
        if (n->kind == GMC_NODE_LIST && row->type == GMC_TYPE_GOALS)
            check_knots(v, row, n);
        else
            check_number(v, n, row, row->dimension);
        leave_key(v, before);
    }
}

static void check_amount(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    gmc_schema_type type = row->type;
    if (type == GMC_TYPE_INTEGER)
        check_integer(v, row, node);
    else if (type == GMC_TYPE_VECTOR)
        check_numbers(v, row, node, 3, row->dimension);
    else if (type == GMC_TYPE_INERTIA)
        check_numbers(v, row, node, 6, row->dimension);
    else if (type == GMC_TYPE_STEPS && node->kind == GMC_NODE_LIST)
        check_numbers(v, row, node, 3, GMC_DIM_LENGTH);
    else if (type == GMC_TYPE_AXIS)
        check_axis(v, row, node);
    else if (type == GMC_TYPE_AIM)
        check_aim(v, row, node);
    else if (type == GMC_TYPE_NUMBERS)
        check_each(v, row, node);
    else if (type == GMC_TYPE_KNOTS)
        check_knots(v, row, node);
    else if (type == GMC_TYPE_GOALS || type == GMC_TYPE_SHARES)
        check_goals(v, row, node);
    else
        check_number(v, node, row, row->dimension);
}

static void check_text(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    gmc_schema_type type = row->type;
    if (type == GMC_TYPE_WORD)
        check_word(v, row, node);
    else if (type == GMC_TYPE_BOOL)
        check_bool(v, node);
    else if (type == GMC_TYPE_SURFACES)
        check_surfaces(v, node);
    else if (type == GMC_TYPE_NAMES)
        check_names(v, node, "a name");
    else if (type == GMC_TYPE_FILES)
        check_names(v, node, "the name of a folder");
    else if (type == GMC_TYPE_NAME && strcmp(row->key, "surface") == 0)
        check_surface_name(v, node);
    else
        (void)is_text(v, node,
                      type == GMC_TYPE_NAME   ? "a name"
                      : type == GMC_TYPE_FILE ? "a file name"
                                              : "text");
}

// What is said of parameters, cases and trials by their names.
static void check_choice(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    gmc_schema_type type = row->type;
    if (type == GMC_TYPE_UNCERTAIN)
        check_uncertain(v, node);
    else if (type == GMC_TYPE_CORRELATED)
        check_correlated(v, row, node);
    else if (type == GMC_TYPE_AXES)
        check_axes(v, node);
    else if (type == GMC_TYPE_DESIGN)
        check_design(v, node);
    else if (type == GMC_TYPE_RECORD)
        check_record(v, node);
    else if (type == GMC_TYPE_COUNTS)
        check_counts(v, row, node);
    else if (type == GMC_TYPE_RANGES)
        check_ranges(v, node);
    else
        check_paths(v, node, type == GMC_TYPE_PATHS);
}

static gmc_status check_moment(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_MAP) return check_group(v, row->child, node);
    complain(v, node, "for example {z: [[0 s, 0 N*m], [1 s, 0.2 N*m]]}; about x, y or z",
             "in space a torque is a map of its components");
    return GMC_OK;
}

// Numbers of any dimension by names of the user's own.
static void check_arguments(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        n->row = row;
        check_name(v, n, n->key_source, n->key);
        check_any_number(n, v->path, row, v->own ? &v->formulas : NULL, v->report);
        leave_key(v, before);
    }
}

static gmc_status check_at_phases(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!is_map(v, node)) return GMC_OK;
    for (gmc_node *n = node->first; n && !is_full(v); n = n->next) {
        size_t before = enter_key(v, n->key);
        n->row = row;
        GMC_TRY(check_criteria(v, n));
        leave_key(v, before);
    }
    return GMC_OK;
}

/// The whole switch stands in one place: the compiler says which type is missing.
static gmc_status check_value(validation *v, const gmc_schema_row *row, gmc_node *node)
{
    if (gmc_node_is_empty(node)) {
        complain(v, node, row->about, "has no value");
        return GMC_OK;
    }
    switch (row->type) {
    case GMC_TYPE_POLYGON:
        return check_polygon(v, row, node);
    case GMC_TYPE_POINTS:
        return check_points(v, row, node);
    case GMC_TYPE_GROUP:
        return check_group(v, row->child, node);
    case GMC_TYPE_NAMED:
        return check_named(v, row, node);
    case GMC_TYPE_PAIRS:
        return check_pairs(v, row, node);
    case GMC_TYPE_PHASES:
        return check_phases(v, row, node);
    case GMC_TYPE_CRITERIA:
        return check_criteria(v, node);
    case GMC_TYPE_HISTOGRAMS:
        return check_histograms(v, node);
    case GMC_TYPE_ROUNDS:
        return check_rounds(v, row, node);
    case GMC_TYPE_AT_PHASES:
        return check_at_phases(v, row, node);
    case GMC_TYPE_MAPS:
        return check_maps(v, row, node);
    case GMC_TYPE_LADDER:
        return check_ladder(v, row, node);
    case GMC_TYPE_ARGUMENTS:
        check_arguments(v, row, node);
        break;
    case GMC_TYPE_GRASPS:
    case GMC_TYPE_LAW:
        GMC_TRY(gmc_short_form_open(row, node, v->arena));
        return check_group(v, row->child, node);
    case GMC_TYPE_MOMENT:
        if (v->worlds != GMC_SCHEMA_FLAT) return check_moment(v, row, node);
        check_knots(v, row, node);
        break;
    case GMC_TYPE_NUMBER:
    case GMC_TYPE_INTEGER:
    case GMC_TYPE_VECTOR:
    case GMC_TYPE_STEPS:
    case GMC_TYPE_INERTIA:
    case GMC_TYPE_AXIS:
    case GMC_TYPE_AIM:
    case GMC_TYPE_NUMBERS:
    case GMC_TYPE_KNOTS:
    case GMC_TYPE_GOALS:
    case GMC_TYPE_SHARES:
        check_amount(v, row, node);
        break;
    case GMC_TYPE_WORD:
    case GMC_TYPE_BOOL:
    case GMC_TYPE_SURFACES:
    case GMC_TYPE_NAME:
    case GMC_TYPE_NAMES:
    case GMC_TYPE_TEXT:
    case GMC_TYPE_FILE:
    case GMC_TYPE_FILES:
        check_text(v, row, node);
        break;
    case GMC_TYPE_UNCERTAIN:
    case GMC_TYPE_CORRELATED:
    case GMC_TYPE_AXES:
    case GMC_TYPE_DESIGN:
    case GMC_TYPE_RECORD:
    case GMC_TYPE_PAIR:
    case GMC_TYPE_PATHS:
    case GMC_TYPE_COUNTS:
    case GMC_TYPE_RANGES:
        check_choice(v, row, node);
        break;
    case GMC_TYPE_PARAMETERS: // read before all else
    case GMC_TYPE_COUNT:
        break;
    }
    return GMC_OK;
}

// ---- one group --------------------------------------------------------------------------------

// First written key that excludes `row`, other than `row` itself.
static const gmc_node *find_rival(const gmc_node *map, const gmc_schema_row *row)
{
    if (row->rival == 0) return NULL;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *other = gmc_schema_find(row->group, n->key);
        if (other && other != row && other->rival == row->rival) return n;
    }
    return NULL;
}

// Does the row mean something in this scenario's world?
static bool is_of_world(const validation *v, const gmc_schema_row *row)
{
    return gmc_schema_is_of_world(row, v->worlds);
}

// A misspelt key is read as the one that it is near, if that is not there as well: what it holds is
// checked in the same pass, and nobody misses it. What is read before all keys stays as it is.
static void read_key_as(const validation *v, const gmc_node *map, gmc_node *node,
                        const gmc_schema_row *row)
{
    static const char *const EARLY[] = {"world", "parameters", "use"};
    bool is_early = false;
    for (int i = 0; i < GMC_COUNT(EARLY); i++)
        is_early = is_early || strcmp(row->key, EARLY[i]) == 0;
    bool is_plain = row->type == GMC_TYPE_GROUP && node->kind != GMC_NODE_MAP;
    if (is_early || is_plain || !is_of_world(v, row) || gmc_node_find(map, row->key) ||
        find_rival(map, row))
        return;
    node->key = row->key;
}

static void report_unknown(validation *v, gmc_schema_group group, const gmc_node *map,
                           gmc_node *node)
{
    char hint[320];
    const char *nearest = gmc_schema_nearest(group, node->key);
    gmc_schema_hint(group, v->worlds, node->key, hint, sizeof hint);
    gmc_diagnostics_add(v->report, GMC_E_INPUT, node->key_source, hint,
                        "unknown key %.80s in %.80s", node->key,
                        v->path[0] ? v->path : gmc_schema_group_name(group));
    v->mended++;
    if (nearest) read_key_as(v, map, node, gmc_schema_find(group, nearest));
}

static void report_world(validation *v, const gmc_schema_row *row, const gmc_node *node)
{
    bool is_flat = row->worlds == GMC_SCHEMA_FLAT;
    gmc_diagnostics_add(v->report, GMC_E_INPUT, node->key_source,
                        is_flat ? "add  world: planar  or  world: planar-support"
                                : "leave it out; a floor is a box",
                        is_flat ? "%.80s%s%s belongs to planar worlds, and this one is spatial: "
                                  "planar and solid shapes never meet"
                                : "%.80s%s%s belongs to spatial worlds: here everything moves in "
                                  "the plane z = 0",
                        v->path, v->path[0] ? "." : "", node->key);
}

// The first of two phases, or of two shapes, is read on with.
static bool is_read_on(gmc_schema_group group)
{
    return group == GMC_SCHEMA_PHASE || group == GMC_SCHEMA_ITEM;
}

static void check_rivals(validation *v, gmc_schema_group group, const gmc_node *map)
{
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        const gmc_node *rival = row ? find_rival(map, row) : NULL;
        if (!rival) continue;
        // one message for a pair: at the later of the two
        bool is_later = false;
        for (const gmc_node *m = rival; m; m = m->next)
            is_later = is_later || m == n;
        if (!is_later) continue;
        gmc_diagnostics_add(v->report, GMC_E_INPUT, n->key_source, "keep one of the two",
                            "%.80s: %.40s and %.40s exclude each other",
                            v->path[0] ? v->path : "the scenario", rival->key, n->key);
        v->mended += is_read_on(group);
    }
}

// A number that is not there is reported, and read as one that may stand there.
static gmc_status stand_in(validation *v, const gmc_schema_row *row, gmc_node *map)
{
    char text[GMC_UNITS_TEXT];
    gmc_node *node = gmc_node_create(v->arena, GMC_NODE_SCALAR, map->source);
    gmc_units_print(fmin(fmax(1, row->lower), row->upper), text);
    if (node) node->text = gmc_arena_text(v->arena, text);
    if (!node || !node->text) return GMC_E_ARENA_FULL;
    node->is_default = node->is_stand_in = true;
    gmc_node_append(map, row->key, map->key ? map->key_source : map->source, node);
    v->mended++;
    return GMC_OK;
}

static gmc_status check_missing(validation *v, gmc_schema_group group, gmc_node *map)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        const gmc_schema_row *row = &rows[i];
        if (!row->is_required || gmc_node_find(map, row->key) || find_rival(map, row)) continue;
        if (!is_of_world(v, row)) continue;
        bool is_told = false;
        char names[160] = "";
        size_t used = 0;
        for (int j = 0; j < count; j++) {
            bool is_same = j == i || (row->rival != 0 && rows[j].rival == row->rival);
            if (!is_same || !is_of_world(v, &rows[j]) || used > sizeof names - 24) continue;
            if (j < i) is_told = true;
            used += (size_t)snprintf(names + used, sizeof names - used, used ? ", %s" : "%s",
                                     rows[j].key);
        }
        if (is_told) continue;
        gmc_source source = map->key ? map->key_source : map->source;
        if (group == GMC_SCHEMA_ROOT) source = (gmc_source){.file = map->source.file};
        bool are_several = strchr(names, ',') != NULL;
        char add[160];
        bool is_time = row->type == GMC_TYPE_NUMBER && row->dimension == GMC_DIM_TIME;
        snprintf(add, sizeof add, "add  %s: 0.7 s, its duration", row->key);
        gmc_diagnostics_add(v->report, GMC_E_INPUT, source,
                            are_several ? NULL
                            : is_time   ? add
                                        : row->about,
                            "%.80s needs %s%s", v->path[0] ? v->path : "the scenario",
                            are_several ? "one of " : "", names);
        bool is_number = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER;
        if (is_number && !are_several) GMC_TRY(stand_in(v, row, map));
    }
    return GMC_OK;
}

static void check_needs(validation *v, gmc_schema_group group, const gmc_node *map)
{
    for (const gmc_node *n = map->first; n; n = n->next) {
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        if (!row || !row->needs || gmc_node_find(map, row->needs)) continue;
        gmc_diagnostics_add(v->report, GMC_E_INPUT, n->key_source, NULL,
                            "%.80s: %s means nothing without %s", v->path, row->key, row->needs);
    }
}

static gmc_status add_default(validation *v, gmc_node *map, const char *key, const char *text)
{
    gmc_node *node = NULL;
    GMC_TRY(gmc_yaml_parse(
        &(gmc_yaml_source){.text = text, .bytes = strlen(text), .folder = map->folder}, v->report,
        v->arena, &node));
    for (gmc_node *n = node; n; n = n == node ? n->first : n->next) {
        n->is_default = true;
        n->source = n->key_source = (gmc_source){0};
    }
    if (!node) return GMC_E_MEMORY; // defaults are never empty
    // mistakes in what is filled in are mistakes of what it completes
    node->source = map->source;
    gmc_node_append(map, key, map->key ? map->key_source : map->source, node);
    return GMC_OK;
}

// What a stepper says of itself where nothing is written. The language's own defaults of solver and
// motion are the default stepper's.
static gmc_status fill_stepper(validation *v, gmc_node *map)
{
    const gmc_node *node = gmc_node_find(map, "stepper");
    const gmc_stepper *stepper = node && node->text ? gmc_stepper_find(node->text) : NULL;
    if (!node) stepper = gmc_steppers[0];
    if (!stepper) return GMC_OK;
    if (stepper != gmc_steppers[0] && !gmc_node_find(map, "solver"))
        GMC_TRY(add_default(v, map, "solver", stepper->solvers[0]));
    if (stepper != gmc_steppers[0] && !gmc_node_find(map, "motion"))
        GMC_TRY(add_default(v, map, "motion", gmc_motion_name(GMC_MOTION_DYNAMIC)));
    const gmc_node *formulation = gmc_node_find(map, "formulation");
    bool is_maximal = formulation && formulation->text && strcmp(formulation->text, "maximal") == 0;
    int count = stepper->setting_count - (is_maximal ? 0 : stepper->maximal_setting_count);
    for (int i = 0; i < count; i++)
        if (!gmc_node_find(map, stepper->settings[i].key))
            GMC_TRY(add_default(v, map, stepper->settings[i].key, stepper->settings[i].text));
    return GMC_OK;
}

// Defaults that depend on what else is written.
static gmc_status fill_conditional(validation *v, gmc_schema_group group, gmc_node *map)
{
    if (group == GMC_SCHEMA_ROOT && !gmc_node_find(map, "gravity")) {
        const gmc_node *world = gmc_node_find(map, "world");
        if (world && world->text && strcmp(world->text, "planar") == 0)
            GMC_TRY(add_default(v, map, "gravity", "[0 m/s2, -9.81 m/s2, 0 m/s2]"));
    }
    if (group == GMC_SCHEMA_ITEM && v->worlds != GMC_SCHEMA_FLAT && !gmc_node_find(map, "placed")) {
        bool is_object = strncmp(v->path, "object", 6) == 0;
        bool has_height = gmc_node_find(gmc_node_find(map, "pose"), "z") != NULL;
        GMC_TRY(add_default(v, map, "placed", is_object && !has_height ? "resting" : "as_given"));
    }
    if (group == GMC_SCHEMA_ITEM && strncmp(v->path, "scene.", 6) == 0 &&
        !gmc_node_find(map, "free"))
        GMC_TRY(add_default(v, map, "free", "false"));
    if (group == GMC_SCHEMA_CLOSE && !gmc_node_find(map, "until") && !gmc_node_find(map, "for") &&
        !gmc_node_find(map, "in"))
        GMC_TRY(add_default(v, map, "until", "stalled"));
    if (group == GMC_SCHEMA_PULL && !gmc_node_find(map, "until") && !gmc_node_find(map, "for"))
        GMC_TRY(add_default(v, map, "until", "slipped"));
    return group == GMC_SCHEMA_SIMULATION ? fill_stepper(v, map) : GMC_OK;
}

static gmc_status fill_defaults(validation *v, gmc_schema_group group, gmc_node *map)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        const gmc_schema_row *row = &rows[i];
        if (!row->fallback || gmc_node_find(map, row->key) || find_rival(map, row)) continue;
        if (row->needs && !gmc_node_find(map, row->needs)) continue;
        if (!is_of_world(v, row)) continue;
        GMC_TRY(add_default(v, map, row->key, row->fallback));
    }
    return GMC_OK;
}

// What rests without a height is put on the topmost surface; one that is written counts.
static void hide_height(gmc_schema_group group, const gmc_node *map)
{
    if (group != GMC_SCHEMA_ITEM) return;
    const gmc_node *placed = gmc_node_find(map, "placed");
    gmc_node *z = gmc_node_find(gmc_node_find(map, "pose"), "z");
    bool is_resting = placed && placed->text && strcmp(placed->text, "resting") == 0;
    if (z && z->is_default) z->is_unsaid = is_resting;
}

// `diameter: d` is `radius: d/2`; `unit: mm` is `scale: 1 mm`; a gear is its polygon.
static gmc_status write_out(validation *v, gmc_schema_group group, gmc_node *map)
{
    gmc_node *gear = gmc_node_find(map, "gear");
    if (gear && gear->row && gear->row->child == GMC_SCHEMA_GEAR)
        GMC_TRY(write_out_gear(v, map, gear));
    if (group == GMC_SCHEMA_GEAR) return GMC_OK;
    gmc_node *diameter = gmc_node_find(map, "diameter");
    gmc_node *unit = gmc_node_find(map, "unit");
    gmc_node *old = diameter ? diameter : unit;
    if (!old || old->kind != GMC_NODE_SCALAR) return GMC_OK;
    size_t bytes = strlen(old->text) + GMC_UNITS_TEXT;
    char number[GMC_UNITS_TEXT], *text = gmc_arena_take(v->arena, bytes, 1);
    gmc_node *fresh = gmc_node_create(v->arena, GMC_NODE_SCALAR, old->source);
    if (!fresh || !text) return GMC_E_ARENA_FULL;
    if (!diameter) {
        snprintf(text, bytes, "1 %.8s", unit->text);
    } else if (!diameter->is_number) {
        return GMC_OK;
    } else if (diameter->formula) {
        snprintf(text, bytes, "(%s) / 2", diameter->text);
    } else {
        gmc_units_print(diameter->number / 2, number);
        snprintf(text, bytes, "%s m", number);
    }
    fresh->folder = old->folder;
    fresh->text = text;
    gmc_node_replace(map, old, fresh);
    fresh->key = diameter ? "radius" : "scale";
    size_t before = enter_key(v, fresh->key);
    fresh->row = gmc_schema_find(diameter ? GMC_SCHEMA_SPHERE : GMC_SCHEMA_ITEM, fresh->key);
    check_number(v, fresh, fresh->row, GMC_DIM_LENGTH);
    leave_key(v, before);
    return GMC_OK;
}

// Does what stands under a key of the root decide what models are made of? A mistake in what does
// not is no reason not to look for others there.
static bool is_of_models(const char *key)
{
    static const char *const OTHERS[] = {
        "about",    "success", "uncertain", "correlated",
        "sampling", "output",  "friction"}; // pairs that cannot be told miss no others
    for (int i = 0; i < GMC_COUNT(OTHERS); i++)
        if (strcmp(OTHERS[i], key) == 0) return false;
    return true;
}

// What is written in place of a group: a key alone, or the value of the key that matters most.
static void report_no_map(validation *v, gmc_schema_group group, const gmc_node *node)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count), *first = NULL;
    for (int i = 0; i < count; i++) {
        if (node->kind == GMC_NODE_SCALAR && strcmp(rows[i].key, node->text) == 0) {
            first = &rows[i];
            break;
        }
        bool is_needed = rows[i].is_required || rows[i].rival;
        if (!first && is_needed) first = &rows[i];
    }
    // many groups begin with a name that all of their kind have
    if (!first) first = &rows[count > 1 && strcmp(rows[0].key, "name") == 0];
    bool is_key = node->kind == GMC_NODE_SCALAR && strcmp(first->key, node->text) == 0;
    char hint[96];
    snprintf(hint, sizeof hint,
             is_key ? "write  %s: {...}" : "write {%s: ..., ...} or indented lines", first->key);
    gmc_diagnostics_add(v->report, GMC_E_INPUT, node->source, hint,
                        "%.80s: expected keys with values", v->path[0] ? v->path : "the scenario");
}

static gmc_status check_group(validation *v, gmc_schema_group group, gmc_node *map)
{
    if (map->kind != GMC_NODE_MAP) {
        report_no_map(v, group, map);
        return GMC_OK;
    }
    bool has_unknown = false;
    for (gmc_node *n = map->first; n && !is_full(v); n = n->next) {
        bool is_path = group == GMC_SCHEMA_SET && strchr(n->key, '.');
        if (is_path || gmc_schema_find(group, n->key)) continue;
        report_unknown(v, group, map, n);
        has_unknown = true;
    }
    check_rivals(v, group, map);
    // a phase of an unknown kind is not missing its kind
    if (!(group == GMC_SCHEMA_PHASE && has_unknown)) GMC_TRY(check_missing(v, group, map));
    GMC_TRY(fill_conditional(v, group, map)); // what a key needs may be a default
    check_needs(v, group, map);
    if (group == GMC_SCHEMA_STUDY) v->has_rank = gmc_node_find(map, "rank") != NULL;
    GMC_TRY(fill_defaults(v, group, map));

    for (gmc_node *n = map->first, *next = NULL; n && !is_full(v); n = next) {
        next = n->next;
        const gmc_schema_row *row = gmc_schema_find(group, n->key);
        n->row = row;
        if (!row) continue;
        if (!is_of_world(v, row)) {
            report_world(v, row, n);
            gmc_node_remove(map, n); // nobody shall look into it
            continue;
        }
        size_t before = enter_key(v, n->key);
        int errors_else = v->report->error_count - v->mended;
        GMC_TRY(check_value(v, row, n));
        if (group == GMC_SCHEMA_ROOT && !is_of_models(n->key))
            v->mended = v->report->error_count - errors_else;
        leave_key(v, before);
    }
    hide_height(group, map);
    return write_out(v, group, map);
}

gmc_status gmc_validate_tree(gmc_node *root, gmc_diagnostics *report, gmc_arena *arena)
{
    validation v = {.report = report, .arena = arena, .worlds = GMC_SCHEMA_SOLID};
    int errors_before = report->error_count;
    const gmc_node *world = gmc_node_find(root, "world");
    if (world && world->kind == GMC_NODE_SCALAR) v.worlds = gmc_schema_worlds_of(world->text);
    GMC_TRY(read_own(&v, root));
    GMC_TRY(check_group(&v, GMC_SCHEMA_ROOT, root));
    if (v.formulas.is_arena_full) return GMC_E_ARENA_FULL;
    root->is_bad = report->error_count - errors_before > v.mended;
    if (is_full(&v))
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = root->source.file}, NULL,
                            "too many mistakes: what follows was not read");
    return GMC_OK;
}

gmc_status gmc_validate_part(gmc_node *map, gmc_schema_group group, const char *path,
                             gmc_diagnostics *report, gmc_arena *arena)
{
    validation v = {.report = report, .arena = arena};
    snprintf(v.path, sizeof v.path, "%s", path);
    return check_group(&v, group, map);
}
