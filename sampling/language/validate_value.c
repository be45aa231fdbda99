// What a key may hold: one function for each type of the schema.
#include "sampling/language/nearest.h"
#include "sampling/language/short_form.h"
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void gmc_validate_value_complain(gmc_validate *v, const gmc_node *node, const char *hint,
                                 const char *what)
{
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, node->source, hint, "%.120s: %s",
                        v->path, what);
}

// A scalar with something in it; else says what was expected.
bool gmc_validate_value_is_text(gmc_validate *v, gmc_node *node, const char *expected)
{
    if (node->kind == GMC_NODE_SCALAR && node->text[0] != 0 && !gmc_node_is_empty(node))
        return true;
    char what[120];
    node->is_bad = true;
    snprintf(what, sizeof what, "expected %s, found %s", expected,
             node->kind == GMC_NODE_SCALAR ? "nothing"
             : node->kind == GMC_NODE_LIST ? "a list"
                                           : "keys with values");
    gmc_validate_value_complain(v, node, NULL, what);
    return false;
}

// ---- numbers ----------------------------------------------------------------------------------

void gmc_validate_value_integer(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    int errors_before = v->report->error_count;
    gmc_validate_number(node, v->path, row, GMC_DIM_NONE, NULL, v->report);
    if (node->is_number) {
        node->is_bad = node->number < row->lower || node->number > row->upper; // said
        if (floor(node->number) != node->number) {
            node->is_number = false;
            gmc_validate_value_complain(v, node, NULL, "expected a whole number");
        }
    }
    // readers of whole numbers have one for what was complained about
    v->mended += v->report->error_count - errors_before;
}

// What is no list of `count` numbers, complained about, as one: of stand-ins where it cannot be
// left out.
static void mend_numbers(gmc_validate *v, const gmc_schema_row *row, gmc_node *node, int count)
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
static void check_numbers(gmc_validate *v, const gmc_schema_row *row, gmc_node *node, int count,
                          gmc_dimension dimension)
{
    if (node->kind != GMC_NODE_LIST || node->count != count) {
        char what[96];
        if (node->kind == GMC_NODE_LIST)
            snprintf(what, sizeof what, "expected %d numbers, found %d", count, node->count);
        else
            snprintf(what, sizeof what, "expected a list of %d numbers", count);
        gmc_validate_value_complain(
            v, node, row->type == GMC_TYPE_VECTOR ? "write [x, y, z]" : row->about, what);
        mend_numbers(v, row, node, count);
        return;
    }
    static const char *const XYZ[] = {"x", "y", "z"};
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    int i = 0;
    for (gmc_node *n = node->first; n && i < count; n = n->next, i++) {
        size_t before = gmc_validate_push(v, count == 6 ? INERTIA[i] : XYZ[i]);
        gmc_validate_value_number(v, n, row, dimension);
        if (!n->is_number && !n->is_stand_in) { // one of several cannot be left out
            n->number = fmin(fmax(1, row->lower), row->upper);
            n->is_stand_in = true;
        }
        gmc_validate_pop(v, before);
    }
}

// One number, or a list of any length.
static void check_each(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR) {
        gmc_validate_value_number(v, node, row, row->dimension);
        return;
    }
    if (node->kind == GMC_NODE_MAP || node->count == 0) {
        gmc_validate_value_complain(v, node, row->about, "expected a number, or a list of them");
        return;
    }
    int i = 0;
    for (gmc_node *n = node->first; n; n = n->next, i++) {
        size_t before = gmc_validate_push_index(v, i);
        gmc_validate_value_number(v, n, row, row->dimension);
        gmc_validate_pop(v, before);
    }
}

static void check_aim(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind == GMC_NODE_LIST)
        check_numbers(v, row, node, 3, row->dimension);
    else
        (void)gmc_validate_value_is_text(v, node, "the name of a body, or [x, y, z]");
}

// Go on with a word that may stand here.
static void read_as(gmc_validate *v, gmc_node *node, const char *word)
{
    const char *copy = gmc_arena_text(v->arena, word);
    if (!copy) return;
    node->text = copy;
    node->is_plain = false;
    v->mended++;
}

static void check_axis(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    static const char *const WORDS[] = {"x", "y", "z", "-x", "-y", "-z"};
    if (node->kind == GMC_NODE_SCALAR) {
        for (int i = 0; i < GMC_COUNT(WORDS); i++)
            if (strcmp(node->text, WORDS[i]) == 0) return;
        gmc_validate_value_complain(v, node, row->about,
                                    "expected an axis: x, y, z, -x, -y, -z, or [x, y, z]");
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
    if (is_known && !(length > 0))
        gmc_validate_value_complain(v, node, NULL, "an axis of length 0 points nowhere");
}

// ---- words and names --------------------------------------------------------------------------

static void check_word(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!gmc_validate_value_is_text(v, node, "a word")) return;
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
    read_as(v, node, nearest.best ? nearest.best : row->fallback ? row->fallback : words);
}

static void check_bool(gmc_validate *v, gmc_node *node)
{
    if (node->kind == GMC_NODE_SCALAR &&
        (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        return;
    gmc_validate_value_complain(v, node, NULL, "expected true or false");
    if (node->kind == GMC_NODE_SCALAR) read_as(v, node, "false");
}

void gmc_validate_value_name(gmc_validate *v, const gmc_node *node, gmc_source source,
                             const char *name)
{
    if (gmc_validate_is_name(name) && strlen(name) < 64) return;
    gmc_source at = source.line > 0 ? source : node->source;
    gmc_diagnostics_add(v->report, GMC_ERROR, GMC_E_INPUT, at,
                        "up to 63 letters, digits, _ and -, starting with a letter",
                        "%.120s: %.80s cannot be a name", v->path, name);
}

static void check_surface_name(gmc_validate *v, gmc_node *node)
{
    if (gmc_validate_value_is_text(v, node, "the name of a surface"))
        gmc_validate_value_name(v, node, node->source, node->text);
}

static void check_names(gmc_validate *v, gmc_node *node, const char *expected)
{
    if (node->kind != GMC_NODE_LIST) {
        gmc_validate_value_complain(v, node, "write [a, b]", "expected a list");
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        (void)gmc_validate_value_is_text(v, n, expected);
}

static void check_surfaces(gmc_validate *v, gmc_node *node)
{
    if (node->kind != GMC_NODE_MAP) {
        check_surface_name(v, node);
        return;
    }
    for (gmc_node *n = node->first; n; n = n->next) {
        size_t before = gmc_validate_push(v, n->key);
        check_surface_name(v, n);
        gmc_validate_pop(v, before);
    }
}

// ---- by type ----------------------------------------------------------------------------------

static void check_amount(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    gmc_schema_type type = row->type;
    if (type == GMC_TYPE_INTEGER)
        gmc_validate_value_integer(v, row, node);
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
        gmc_validate_knots(v, row, node);
    else
        gmc_validate_value_number(v, node, row, row->dimension);
}

static void check_text(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
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
        (void)gmc_validate_value_is_text(v, node,
                                         type == GMC_TYPE_NAME   ? "a name"
                                         : type == GMC_TYPE_FILE ? "a file name"
                                                                 : "text");
}

// What is said of parameters, cases and trials by their names.
static void check_choice(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    gmc_schema_type type = row->type;
    if (type == GMC_TYPE_UNCERTAIN)
        gmc_validate_map_uncertain(v, node);
    else if (type == GMC_TYPE_CORRELATED)
        gmc_validate_map_correlated(v, row, node);
    else if (type == GMC_TYPE_AXES)
        gmc_validate_map_axes(v, node);
    else if (type == GMC_TYPE_DESIGN)
        gmc_validate_map_design(v, node);
    else if (type == GMC_TYPE_RECORD)
        gmc_validate_map_record(v, node);
    else if (type == GMC_TYPE_COUNTS)
        gmc_validate_map_counts(v, row, node);
    else if (type == GMC_TYPE_RANGES)
        gmc_validate_map_ranges(v, node);
    else
        gmc_validate_map_paths(v, node, type == GMC_TYPE_PATHS);
}

/// The whole switch stands in one place: the compiler says which type is missing.
gmc_status gmc_validate_value(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (gmc_node_is_empty(node)) {
        gmc_validate_value_complain(v, node, row->about, "has no value");
        return GMC_OK;
    }
    switch (row->type) {
    case GMC_TYPE_POLYGON:
        return gmc_validate_polygon(v, row, node);
    case GMC_TYPE_POINTS:
        return gmc_validate_points(v, row, node);
    case GMC_TYPE_GROUP:
        return gmc_validate_group(v, row->child, node);
    case GMC_TYPE_NAMED:
        return gmc_validate_map_named(v, row, node);
    case GMC_TYPE_PAIRS:
        return gmc_validate_map_pairs(v, row, node);
    case GMC_TYPE_PHASES:
        return gmc_validate_map_phases(v, row, node);
    case GMC_TYPE_CRITERIA:
        return gmc_validate_map_criteria(v, node);
    case GMC_TYPE_HISTOGRAMS:
        return gmc_validate_map_histograms(v, node);
    case GMC_TYPE_ROUNDS:
        return gmc_validate_ladder_rounds(v, row, node);
    case GMC_TYPE_LADDER:
        return gmc_validate_ladder(v, row, node);
    case GMC_TYPE_GRASPS:
        GMC_TRY(gmc_short_form_open(row, node, v->arena));
        return gmc_validate_group(v, row->child, node);
    case GMC_TYPE_NUMBER:
    case GMC_TYPE_INTEGER:
    case GMC_TYPE_VECTOR:
    case GMC_TYPE_STEPS:
    case GMC_TYPE_INERTIA:
    case GMC_TYPE_AXIS:
    case GMC_TYPE_AIM:
    case GMC_TYPE_NUMBERS:
    case GMC_TYPE_KNOTS:
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
