// A column of a CSV file as a distribution: its values, or what they leave known of the next one.
#include "sampling/design/csv.h"
#include "sampling/estimate/fit.h"
#include "sampling/language/nearest.h"
#include "sampling/scenario/chance_internal.h"

#include <stdio.h>
#include <string.h>

// Text up to the next "," or ")" without surrounding blanks; names of files and columns are free.
static bool read_raw(gmc_chance_parser *p, char *text, size_t size, gmc_token *place)
{
    const char *from = p->lexer.token.start, *to = from;
    while (*to && *to != ',' && *to != ')')
        to++;
    const char *stop = to;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *place = p->lexer.token;
    place->length = (size_t)(to - from);
    if (to == from || place->length >= size)
        return gmc_chance_fail(p, place, NULL, "expected a name");
    memcpy(text, from, place->length);
    text[place->length] = 0;
    gmc_token_jump(&p->lexer, stop);
    return !p->lexer.has_failed;
}

// "file.csv" is in the text of the node as seen from the file that names it: rewrite the text so
// that it is seen from the scenario.
static bool rewrite_file(gmc_chance_parser *p, const gmc_token *place, const char *name)
{
    gmc_node *node = p->node;
    size_t before = (size_t)(place->start - node->text);
    size_t bytes = strlen(node->text) + strlen(name) + 1;
    char *text = gmc_arena_take(p->c->scenario->arena, bytes, 1);
    if (!text) {
        p->status = GMC_E_ARENA_FULL;
        return false;
    }
    snprintf(text, bytes, "%.*s%s%s", (int)before, node->text, name, place->start + place->length);
    node->text = text;
    node->folder = "";
    node->is_plain = false;
    return true;
}

/// What stands between the brackets of samples(...) and fit(...).
typedef struct column_words {
    char file[256], column[128], family[32]; ///< family "": not given
    const char *name;                        ///< of the file, as seen from the scenario
    gmc_token file_place, column_place, family_place;
    double factor; ///< one of the column's unit in SI
    bool has_unit; ///< `unit` was written
} column_words;

// "w [g]" for w: the column whose name is the one asked for but for a unit in brackets; NULL: none.
static const char *name_with_unit(const gmc_csv *csv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < csv->column_count; i++) {
        const char *rest = csv->names[i] + length;
        if (strncmp(csv->names[i], name, length) == 0 && rest[strspn(rest, " ")] == '[')
            return csv->names[i];
    }
    return NULL;
}

// What the column that is not there may be called; "" if nothing is near.
static void hint_column(const gmc_csv *csv, const column_words *w, char *hint, size_t size)
{
    char unit[32], number[40];
    const char *end = NULL, *name = name_with_unit(csv, w->column);
    gmc_quantity quantity;
    gmc_nearest nearest = gmc_nearest_start(w->column);
    for (int i = 0; i < csv->column_count; i++)
        gmc_nearest_offer(&nearest, csv->names[i]);
    *hint = 0;
    if (!name) {
        if (nearest.best) snprintf(hint, size, "did you mean %.80s?", nearest.best);
        return;
    }
    const char *bracket = strrchr(name, '[');
    snprintf(unit, sizeof unit, "%.*s", (int)strcspn(bracket + 1, "]"), bracket + 1);
    snprintf(number, sizeof number, "1 %s", unit);
    bool is_unit = gmc_units_read(number, &quantity, &end) == GMC_UNITS_OK && *end == 0;
    if (is_unit && !w->has_unit)
        snprintf(hint, size, "its name is  %.80s  with the unit: column %.80s, unit %s", name, name,
                 unit);
    else
        snprintf(hint, size, "its name is  %.80s  with the brackets", name);
}

static bool take_column(gmc_chance_parser *p, const gmc_asset *asset, const column_words *w,
                        int least, gmc_distribution *d)
{
    gmc_csv csv = {0};
    p->status =
        gmc_csv_parse_column(asset->file, asset->bytes, asset->size, w->column, &csv, p->c->report);
    if (p->status != GMC_OK) return false;
    int index = gmc_csv_column(&csv, w->column);
    double *values = NULL;
    char hint[280], message[200];
    if (index < 0) {
        hint_column(&csv, w, hint, sizeof hint);
        snprintf(message, sizeof message, "%.80s has no column %.80s", asset->name, w->column);
        gmc_chance_fail(p, &w->column_place, hint[0] ? hint : NULL, message);
    } else if (csv.row_count < least || csv.row_count > GMC_CHANCE_ROWS_MAX) {
        snprintf(message, sizeof message, "%.80s needs between %d and a million rows, found %lld",
                 asset->name, least, (long long)csv.row_count);
        gmc_chance_fail(p, &w->file_place, NULL, message);
    } else {
        values = gmc_arena_doubles(p->c->scenario->arena, (size_t)csv.row_count);
        if (!values) p->status = GMC_E_ARENA_FULL;
    }
    if (values) {
        for (int64_t i = 0; i < csv.row_count; i++)
            values[i] = gmc_csv_value(&csv, i, index) * w->factor;
        d->values = values;
        d->value_count = (int)csv.row_count;
    }
    gmc_csv_free(&csv);
    return values != NULL;
}

static bool read_unit(gmc_chance_parser *p, column_words *w)
{
    char unit[32], number[40];
    gmc_token place;
    if (!read_raw(p, unit, sizeof unit, &place)) return false;
    const char *end = NULL;
    snprintf(number, sizeof number, "1 %s", unit);
    if (gmc_units_read(number, &place.quantity, &end) != GMC_UNITS_OK || *end != 0)
        return gmc_chance_fail(p, &place, NULL, "unknown unit");
    if (!gmc_chance_check_dimension(p, &place, p->dimension)) return false;
    w->factor = place.quantity.value;
    w->has_unit = true;
    return true;
}

// file, column name, then `unit u` and, where it means something, `family f`.
static bool read_words(gmc_chance_parser *p, const char *usage, bool has_family, column_words *w)
{
    *w = (column_words){.factor = 1};
    if (!read_raw(p, w->file, sizeof w->file, &w->file_place)) return false;
    if (!gmc_token_take(&p->lexer, ","))
        return gmc_chance_fail(p, &p->lexer.token, usage, "expected a column");
    if (!gmc_token_expect(&p->lexer, "column")) return false;
    if (!read_raw(p, w->column, sizeof w->column, &w->column_place)) return false;
    while (gmc_token_take(&p->lexer, ",")) {
        if (has_family && gmc_token_take(&p->lexer, "family")) {
            if (!read_raw(p, w->family, sizeof w->family, &w->family_place)) return false;
        } else if (!gmc_token_expect(&p->lexer, "unit") || !read_unit(p, w)) {
            return false;
        }
    }
    if (has_family && !w->family[0])
        return gmc_chance_fail(p, &p->lexer.token, usage, "expected a family");
    return gmc_token_expect(&p->lexer, ")");
}

// The values of the column; `least` rows are needed.
static bool read_column(gmc_chance_parser *p, int least, column_words *w, gmc_distribution *d)
{
    w->name = gmc_scenario_join(p->c->scenario, p->node->folder, w->file);
    if (!w->name) {
        p->status = GMC_E_ARENA_FULL;
        return false;
    }
    const gmc_asset *asset = gmc_scenario_load_asset(
        p->c->scenario, w->name, gmc_token_place(&p->lexer, &w->file_place), p->c->report);
    if (!asset) {
        p->status = GMC_E_MISSING;
        return false;
    }
    p->arguments[GMC_ARGUMENT_VALUES] = w->column_place;
    return take_column(p, asset, w, least, d);
}

static bool settle_name(gmc_chance_parser *p, const column_words *w)
{
    return strcmp(w->name, w->file) == 0 || rewrite_file(p, &w->file_place, w->name);
}

bool gmc_chance_samples_read(gmc_chance_parser *p, gmc_distribution *d, const char *usage)
{
    column_words w;
    if (!read_words(p, usage, false, &w) || !read_column(p, 1, &w, d)) return false;
    p->rows = w.name;
    return settle_name(p, &w);
}

// ---- fit --------------------------------------------------------------------------------------

static const gmc_fit_family *find_family(gmc_chance_parser *p, const column_words *w)
{
    const gmc_fit_family *family = gmc_fit_find(w->family);
    if (family) return family;
    char known[120] = "known:", message[120];
    size_t used = strlen(known);
    for (int i = 0; i < gmc_fit_family_count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s %s", i ? "," : "",
                                 gmc_fit_families[i].name);
    snprintf(message, sizeof message, "unknown family %.30s", w->family);
    gmc_chance_fail(p, &w->family_place, known, message);
    return NULL;
}

bool gmc_chance_fit_read(gmc_chance_parser *p, gmc_distribution *d, const char *usage)
{
    column_words w;
    if (!read_words(p, usage, true, &w)) return false;
    const gmc_fit_family *family = find_family(p, &w);
    if (!family || !read_column(p, GMC_FIT_ROWS_MIN, &w, d)) return false;
    gmc_distribution fitted;
    const char *hint = NULL;
    const char *complaint = family->fit(d->values, d->value_count, &fitted, &hint);
    *d = fitted;
    if (!complaint) return settle_name(p, &w);
    char message[240];
    snprintf(message, sizeof message, "%.80s, column %.60s: %s", w.name, w.column, complaint);
    return gmc_chance_fail(p, &w.column_place, hint, message);
}
