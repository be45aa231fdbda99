// A column of a CSV file as a distribution.
#include "sampling/design/csv.h"
#include "sampling/scenario/chance_internal.h"
#include "sampling/scenario/nearest.h"

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

static bool take_column(gmc_chance_parser *p, const gmc_asset *asset, const char *column,
                        const gmc_token *place, gmc_distribution *d)
{
    gmc_csv csv = {0};
    p->status = gmc_csv_parse(asset->file, asset->bytes, asset->size, &csv, p->c->report);
    if (p->status != GMC_OK) return false;
    int index = gmc_csv_column(&csv, column);
    double *values = NULL;
    if (index < 0) {
        gmc_nearest nearest = gmc_nearest_start(column);
        for (int i = 0; i < csv.column_count; i++)
            gmc_nearest_offer(&nearest, csv.names[i]);
        char hint[120], message[200];
        snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
        snprintf(message, sizeof message, "%.80s has no column %.80s", asset->name, column);
        gmc_chance_fail(p, place, nearest.best ? hint : NULL, message);
    } else if (csv.row_count == 0 || csv.row_count > 1000000) {
        gmc_chance_fail(p, place, NULL, "the file needs between one and a million rows");
    } else {
        values = gmc_arena_doubles(p->c->scenario->arena, (size_t)csv.row_count);
        if (!values) p->status = GMC_E_ARENA_FULL;
    }
    if (values) {
        for (int64_t i = 0; i < csv.row_count; i++)
            values[i] = gmc_csv_value(&csv, i, index);
        d->values = values;
        d->value_count = (int)csv.row_count;
    }
    gmc_csv_free(&csv);
    return values != NULL;
}

bool gmc_chance_samples_read(gmc_chance_parser *p, gmc_distribution *d)
{
    char file[256], column[128], unit[32], number[40];
    gmc_token file_place, column_place, unit_place;
    double factor = 1;
    const char *usage = gmc_chance_forms[gmc_chance_form_count - 1].usage;
    if (!read_raw(p, file, sizeof file, &file_place)) return false;
    if (!gmc_token_take(&p->lexer, ","))
        return gmc_chance_fail(p, &p->lexer.token, usage, "expected a column");
    if (!gmc_token_expect(&p->lexer, "column")) return false;
    if (!read_raw(p, column, sizeof column, &column_place)) return false;
    if (gmc_token_take(&p->lexer, ",")) {
        if (!gmc_token_expect(&p->lexer, "unit")) return false;
        if (!read_raw(p, unit, sizeof unit, &unit_place)) return false;
        const char *end = NULL;
        snprintf(number, sizeof number, "1 %s", unit);
        if (gmc_units_read(number, &unit_place.quantity, &end) != GMC_UNITS_OK || *end != 0)
            return gmc_chance_fail(p, &unit_place, NULL, "unknown unit");
        if (!gmc_chance_check_dimension(p, &unit_place, p->dimension)) return false;
        factor = unit_place.quantity.value;
    }
    if (!gmc_token_expect(&p->lexer, ")")) return false;

    const char *name = gmc_scenario_join(p->c->scenario, p->node->folder, file);
    if (!name) {
        p->status = GMC_E_ARENA_FULL;
        return false;
    }
    const gmc_asset *asset = gmc_scenario_load_asset(
        p->c->scenario, name, gmc_token_place(&p->lexer, &file_place), p->c->report);
    if (!asset) {
        p->status = GMC_E_MISSING;
        return false;
    }
    p->arguments[GMC_ARGUMENT_VALUES] = column_place;
    if (!take_column(p, asset, column, &column_place, d)) return false;
    double *scaled = gmc_arena_doubles(p->c->scenario->arena, (size_t)d->value_count);
    if (!scaled) {
        p->status = GMC_E_ARENA_FULL;
        return false;
    }
    for (int i = 0; i < d->value_count; i++)
        scaled[i] = d->values[i] * factor;
    d->values = scaled;
    return strcmp(name, file) == 0 || rewrite_file(p, &file_place, name);
}
