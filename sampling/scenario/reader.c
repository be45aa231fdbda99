// The root of a scenario, and the small steps that the readers of its blocks (reader_*.c) share.
#include "sampling/scenario/reader.h"

#include "sampling/language/units.h"
#include "sampling/scenario/reader_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- small steps ------------------------------------------------------------------------------

void *gmc_reader_take(gmc_reader *r, int count, size_t size)
{
    void *block = gmc_arena_take(r->scenario->arena, (size_t)count, size);
    if (!block) r->is_arena_full = true;
    return block;
}

const char *gmc_reader_join(gmc_reader *r, const char *a, const char *b)
{
    size_t bytes = strlen(a) + strlen(b) + 2;
    char *text = gmc_reader_take(r, (int)bytes, 1);
    if (!text) return "";
    snprintf(text, bytes, a[0] ? "%s.%s" : "%s%s", a, b);
    return text;
}

gmc_param gmc_reader_add(gmc_reader *r, const gmc_parameter *given)
{
    gmc_param param = gmc_scenario_add_parameter(r->scenario, given);
    if (param < 0) r->is_arena_full = true;
    return param;
}

gmc_param gmc_reader_enter(gmc_reader *r, const gmc_node *node, const char *path)
{
    const gmc_schema_row *row = node->row;
    if (row && !node->is_number && !node->is_stand_in) return -1; // reported
    double lower = row ? row->lower : -HUGE_VAL, upper = row ? row->upper : HUGE_VAL;
    // the table's bounds are closed; the smallest number above an excluded 0 stands in for it
    if (row && row->is_above) lower = lower == 0 ? DBL_MIN : nextafter(lower, INFINITY);
    return gmc_reader_add(
        r, &(gmc_parameter){.path = path,
                            .dimension = (gmc_dimension)node->dimension,
                            .nominal = node->is_number || node->is_stand_in ? node->number : 0,
                            .lower = lower,
                            .upper = upper,
                            .source = node->source,
                            .is_default = node->is_default,
                            .is_option = node->is_option,
                            .is_stand_in = node->is_stand_in,
                            .formula = node->formula,
                            .formula_text = node->formula ? node->text : NULL});
}

gmc_param gmc_reader_number(gmc_reader *r, const gmc_node *map, const char *path, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    if (!node || node->kind != GMC_NODE_SCALAR) return -1;
    return gmc_reader_enter(r, node, gmc_reader_join(r, path, key));
}

// An axis given by a word has three numbers all the same.
static void enter_axis_word(gmc_reader *r, const gmc_node *node, const char *path, gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    bool is_negative = node->text[0] == '-';
    for (int i = 0; i < 3; i++) {
        bool is_it = strcmp(node->text + (is_negative ? 1 : 0), XYZ[i]) == 0;
        double value = !is_it ? 0 : is_negative ? -1 : 1;
        out[i] = gmc_reader_add(r, &(gmc_parameter){.path = gmc_reader_join(r, path, XYZ[i]),
                                                    .nominal = value,
                                                    .lower = -INFINITY,
                                                    .upper = INFINITY,
                                                    .source = node->source,
                                                    .is_default = node->is_default});
    }
}

// The first `count` numbers of a list as "path.names[i]"; what is not there is left as it was.
static void enter_entries(gmc_reader *r, const gmc_node *list, const char *path, int count,
                          const char *const *names, gmc_param *out)
{
    int i = 0;
    for (gmc_node *n = list->first; n && i < count; n = n->next, i++) {
        gmc_node entry = *n;
        entry.row = list->row;
        out[i] = gmc_reader_enter(r, &entry, gmc_reader_join(r, path, names[i]));
    }
}

void gmc_reader_vector(gmc_reader *r, const gmc_node *map, const char *path, const char *key,
                       gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    out[0] = out[1] = out[2] = -1;
    const gmc_node *node = gmc_node_find(map, key);
    if (!node) return;
    const char *full = gmc_reader_join(r, path, key);
    if (node->kind == GMC_NODE_SCALAR && node->row && node->row->type == GMC_TYPE_AXIS)
        enter_axis_word(r, node, full, out);
    if (node->kind == GMC_NODE_LIST && node->count == 3) enter_entries(r, node, full, 3, XYZ, out);
}

const char *gmc_reader_text(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node && node->kind == GMC_NODE_SCALAR ? node->text : NULL;
}

bool gmc_reader_bool(const gmc_node *map, const char *key)
{
    const char *text = gmc_reader_text(map, key);
    return text && strcmp(text, "true") == 0;
}

// ---- fields -----------------------------------------------------------------------------------

// How many parameters a row has in an int field; 0: it has none.
static int param_count(const gmc_schema_row *row)
{
    if (row->store != GMC_STORE_INT) return 0;
    bool is_vector =
        row->type == GMC_TYPE_VECTOR || row->type == GMC_TYPE_AXIS || row->type == GMC_TYPE_AIM;
    return row->type == GMC_TYPE_NUMBER ? 1 : is_vector ? 3 : row->type == GMC_TYPE_INERTIA ? 6 : 0;
}

// Which of "a|b|c" a text is; -1: none.
static int choice_of(const char *words, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    int choice = 0;
    for (const char *word = words; text && word; choice++) {
        if (strncmp(word, text, length) == 0 && (!word[length] || word[length] == '|'))
            return choice;
        word = strchr(word, '|');
        if (word) word++;
    }
    return -1;
}

// A number that is no parameter.
static void put_number(const gmc_schema_row *row, double number, char *field)
{
    if (row->store == GMC_STORE_DOUBLE) *(double *)(void *)field = number;
    if (row->store == GMC_STORE_INT) *(int *)(void *)field = (int)number;
    if (row->store == GMC_STORE_INT64) *(int64_t *)(void *)field = (int64_t)number;
}

static void put_text(const gmc_schema_row *row, const char *text, char *field)
{
    if (row->store == GMC_STORE_TEXT) *(const char **)(void *)field = text;
    if (row->store == GMC_STORE_BOOL)
        *(bool *)(void *)field = text && strcmp(text, row->meant ? row->meant : "true") == 0;
    int choice = row->store == GMC_STORE_INT ? choice_of(row->words, text) : -1;
    if (choice >= 0) *(int *)(void *)field = row->first_choice + choice;
}

static void put_default(const gmc_schema_row *row, char *field)
{
    gmc_quantity quantity = {0};
    const char *end = NULL;
    bool is_amount = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER;
    if (row->fallback && is_amount &&
        gmc_units_read(row->fallback, &quantity, &end) != GMC_UNITS_OK)
        quantity.value = 0;
    for (int i = 0; i < param_count(row); i++)
        ((gmc_param *)(void *)field)[i] = -1;
    if (param_count(row) > 0) return;
    if (is_amount)
        put_number(row, quantity.value, field);
    else
        put_text(row, row->fallback, field);
}

void gmc_reader_defaults(gmc_schema_group group, void *out)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++)
        if (rows[i].store != GMC_STORE_NONE) put_default(&rows[i], (char *)out + rows[i].at);
}

static void read_params(gmc_reader *r, const gmc_schema_row *row, const gmc_node *map,
                        const char *path, gmc_param *out)
{
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const gmc_node *node = gmc_node_find(map, row->key);
    if (!node) return;
    if (row->type == GMC_TYPE_NUMBER)
        *out = gmc_reader_number(r, map, path, row->key);
    else if (row->type != GMC_TYPE_INERTIA)
        gmc_reader_vector(r, map, path, row->key, out);
    else if (node->kind == GMC_NODE_LIST && node->count == 6)
        enter_entries(r, node, gmc_reader_join(r, path, row->key), 6, INERTIA, out);
}

static void read_field(gmc_reader *r, const gmc_schema_row *row, const gmc_node *map,
                       const char *path, char *field)
{
    const gmc_node *node = gmc_node_find(map, row->key);
    if (row->store == GMC_STORE_TABLE)
        (void)gmc_reader_number(r, map, path, row->key);
    else if (param_count(row) > 0)
        read_params(r, row, map, path, (gmc_param *)(void *)field);
    else if (!node || node->kind != GMC_NODE_SCALAR)
        return;
    else if (row->type == GMC_TYPE_NUMBER && node->is_number)
        put_number(row, node->number, field);
    else if (row->type == GMC_TYPE_INTEGER && gmc_node_whole(node, -1) >= 0)
        put_number(row, node->number, field);
    else if (row->type != GMC_TYPE_NUMBER && row->type != GMC_TYPE_INTEGER)
        put_text(row, node->text, field);
}

// A row without a field follows the one above it that has one.
static size_t place_of(const gmc_schema_row *row)
{
    while (row->store <= GMC_STORE_TABLE && row > gmc_schema_rows && row[-1].group == row->group)
        row--;
    return row->at;
}

// The row whose field follows that of `last`; NULL: it is the last one. Several rows may have one
// place: the later ones follow the first.
static const gmc_schema_row *next_field(gmc_schema_group group, const gmc_schema_row *last)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count), *next = NULL;
    for (const gmc_schema_row *row = rows; row < rows + count; row++) {
        if (row->store == GMC_STORE_NONE) continue;
        size_t at = place_of(row);
        bool is_behind = !last || at > place_of(last) || (at == place_of(last) && row > last);
        if (is_behind && (!next || at < place_of(next))) next = row;
    }
    return next;
}

void gmc_reader_fields(gmc_reader *r, const gmc_node *map, const char *path, gmc_schema_group group,
                       void *out)
{
    gmc_reader_defaults(group, out);
    for (const gmc_schema_row *row = NULL; (row = next_field(group, row));)
        read_field(r, row, map, path, (char *)out + row->at);
}

gmc_pose_spec gmc_reader_pose(gmc_reader *r, const gmc_node *map, const char *path, const char *key)
{
    gmc_pose_spec spec;
    gmc_reader_fields(r, gmc_node_find(map, key), gmc_reader_join(r, path, key), GMC_SCHEMA_POSE,
                      &spec);
    return spec;
}

// ---- files ------------------------------------------------------------------------------------

const char *gmc_reader_file_name(gmc_reader *r, gmc_node *node)
{
    if (!node || node->kind != GMC_NODE_SCALAR) return NULL;
    const char *name = gmc_scenario_join(r->scenario, node->folder, node->text);
    if (!name) {
        r->is_arena_full = true;
        return NULL;
    }
    if (strcmp(name, node->text) != 0) node->is_plain = false;
    node->text = name;
    node->folder = "";
    return name;
}

const char *gmc_reader_asset_file(const gmc_reader *r, const char *name)
{
    for (int i = 0; i < r->scenario->asset_count; i++)
        if (strcmp(r->scenario->assets[i].name, name) == 0) return r->scenario->assets[i].file;
    return name;
}

const char *gmc_reader_load(gmc_reader *r, const char *name, gmc_source source)
{
    if (!name) return NULL;
    const gmc_asset *asset = gmc_scenario_load_asset(r->scenario, name, source, r->report);
    return asset ? asset->file : NULL;
}

// ---- root -------------------------------------------------------------------------------------

// Before all others: formulas know them by their place in the map.
static void read_own(gmc_reader *r, const gmc_node *map)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR) (void)gmc_reader_enter(r, n, n->key);
}

gmc_status gmc_reader_fill(gmc_node *root, gmc_diagnostics *report, gmc_scenario *scenario)
{
    gmc_reader r = {.scenario = scenario, .report = report};
    int errors_before = report->error_count;
    scenario->tree = root;
    gmc_reader_fields(&r, root, "", GMC_SCHEMA_ROOT, scenario);
    // parameters are entered in this order, which is that of the table and of --parameters
    read_own(&r, gmc_node_find(root, "parameters"));
    GMC_TRY(gmc_reader_bodies(&r, root));
    gmc_reader_vector(&r, root, "", "gravity", scenario->gravity);
    gmc_reader_program(&r, gmc_node_find(root, "program"));
    int errors_else = report->error_count - r.mended; // no model is made of these two
    gmc_reader_success(&r, gmc_node_find(root, "success"));
    gmc_reader_uncertain(&r, gmc_node_find(root, "uncertain"));
    r.mended = report->error_count - errors_else;
    gmc_reader_believed(&r, root);
    gmc_reader_study(&r, root);
    gmc_reader_planar(&r, root);
    root->is_bad = root->is_bad || report->error_count - errors_before > r.mended;
    return r.is_arena_full ? GMC_E_ARENA_FULL : GMC_OK;
}
