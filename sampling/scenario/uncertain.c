// The grammar is small and flat, so it is read straight into a gmc_distribution without a syntax
// tree. The places of all arguments are kept until gmc_distribution_check has spoken, so that its
// complaint points at the number it is about.
#include "sampling/scenario/uncertain.h"

#include "sampling/design/csv.h"
#include "sampling/design/grid.h"
#include "sampling/estimate/fit.h"
#include "sampling/language/nearest.h"
#include "sampling/language/token.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ARGUMENTS = 7,     // as many as gmc_distribution_argument knows
    ROWS_MAX = 1000000 // of a CSV file
};

// dimension of numbers whose target is unknown
#define ANYTHING GMC_DIM_COUNT

typedef struct gmc_uncertain_parser {
    const gmc_uncertain_context *c;
    gmc_lexer lexer;
    gmc_dimension dimension; // of plain arguments
    bool is_factor;          // they multiply the nominal value
    gmc_token arguments[ARGUMENTS];
    gmc_node *node;
    const char *usage; // of the distribution that is read; NULL: none
    bool is_interval;  // no law but where the number lies
    const char *rows;  // file whose rows are drawn; NULL: none
    gmc_status status; // what kept it from being read, if not a mistake in the text
} chance_parser;

static gmc_lexer start_lexer(const gmc_uncertain_context *context, const gmc_node *node)
{
    gmc_lexer lexer = gmc_token_start(node, context->report);
    lexer.path = context->path;
    return lexer;
}

// Report a mistake at `token`; always false.
static bool chance_fail(chance_parser *p, const gmc_token *token, const char *hint,
                        const char *message)
{
    gmc_token_complain(&p->lexer, token, hint, message);
    return false;
}

// Does the number at `token` measure `dimension`? Says if not.
static bool chance_check_dimension(chance_parser *p, const gmc_token *token,
                                   gmc_dimension dimension)
{
    const gmc_quantity *q = &token->quantity;
    if (dimension == ANYTHING || !q->has_unit) return true;
    if (gmc_units_fits(dimension, q->exponents, NULL)) return true;
    char unit[GMC_UNITS_TEXT], message[320];
    gmc_units_spell(q->exponents, unit);
    snprintf(message, sizeof message, "expected %s (%s), found a number in %s",
             gmc_units_noun(dimension), gmc_units_choices(dimension), unit);
    const char *hint = NULL;
    if (gmc_units_fits(GMC_DIM_NONE, q->exponents, NULL))
        hint = "a share of the nominal value is  nominal * uniform(0.9, 1.1)  or  "
               "nominal * normal(1, 10 %)";
    else if (p->is_factor)
        hint = "behind  nominal *  stand factors: 0.9, 10 %";
    else if (dimension == GMC_DIM_NONE)
        hint = p->usage;
    return chance_fail(p, token, hint, message);
}

// ---- columns of files -------------------------------------------------------------------------

// A column of a CSV file as a distribution: its values, or what they leave known of the next one.

// Text up to the next "," or ")" without surrounding blanks; names of files and columns are free.
static bool read_raw(chance_parser *p, char *text, size_t size, gmc_token *place)
{
    const char *from = p->lexer.token.start, *to = from;
    while (*to && *to != ',' && *to != ')')
        to++;
    const char *stop = to;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *place = p->lexer.token;
    place->length = (size_t)(to - from);
    if (to == from || place->length >= size) return chance_fail(p, place, NULL, "expected a name");
    memcpy(text, from, place->length);
    text[place->length] = 0;
    gmc_token_jump(&p->lexer, stop);
    return !p->lexer.has_failed;
}

// "file.csv" is in the text of the node as seen from the file that names it: rewrite the text so
// that it is seen from the scenario.
static bool rewrite_file(chance_parser *p, const gmc_token *place, const char *name)
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

static bool take_column(chance_parser *p, const gmc_asset *asset, const column_words *w, int least,
                        gmc_distribution *d)
{
    gmc_csv csv = {0};
    p->status = gmc_csv_parse_as(asset->file, asset->bytes, asset->size,
                                 &(gmc_csv_wanted){.only = w->column}, &csv, p->c->report);
    if (p->status != GMC_OK) return false;
    int index = gmc_csv_column(&csv, w->column);
    double *values = NULL;
    char hint[280], message[200];
    if (index < 0) {
        hint_column(&csv, w, hint, sizeof hint);
        snprintf(message, sizeof message, "%.80s has no column %.80s", asset->name, w->column);
        chance_fail(p, &w->column_place, hint[0] ? hint : NULL, message);
    } else if (csv.row_count < least || csv.row_count > ROWS_MAX) {
        snprintf(message, sizeof message, "%.80s needs between %d and a million rows, found %lld",
                 asset->name, least, (long long)csv.row_count);
        chance_fail(p, &w->file_place, NULL, message);
    } else {
        values = GMC_NEW(p->c->scenario->arena, csv.row_count, double);
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

static bool read_unit(chance_parser *p, column_words *w)
{
    char unit[32], number[40];
    gmc_token place;
    if (!read_raw(p, unit, sizeof unit, &place)) return false;
    const char *end = NULL;
    snprintf(number, sizeof number, "1 %s", unit);
    if (gmc_units_read(number, &place.quantity, &end) != GMC_UNITS_OK || *end != 0)
        return chance_fail(p, &place, NULL, "unknown unit");
    if (!chance_check_dimension(p, &place, p->dimension)) return false;
    w->factor = place.quantity.value;
    w->has_unit = true;
    return true;
}

// file, column name, then `unit u` and, where it means something, `family f`.
static bool read_words(chance_parser *p, const char *usage, bool has_family, column_words *w)
{
    *w = (column_words){.factor = 1};
    if (!read_raw(p, w->file, sizeof w->file, &w->file_place)) return false;
    if (!gmc_token_take(&p->lexer, ","))
        return chance_fail(p, &p->lexer.token, usage, "expected a column");
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
        return chance_fail(p, &p->lexer.token, usage, "expected a family");
    return gmc_token_expect(&p->lexer, ")");
}

// The values of the column; `least` rows are needed.
static bool read_column(chance_parser *p, int least, column_words *w, gmc_distribution *d)
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

static bool settle_name(chance_parser *p, const column_words *w)
{
    return strcmp(w->name, w->file) == 0 || rewrite_file(p, &w->file_place, w->name);
}

// file, column name[, unit u]) with the opening bracket read already; `usage` is the hint.
static bool chance_samples_read(chance_parser *p, gmc_distribution *d, const char *usage)
{
    column_words w;
    if (!read_words(p, usage, false, &w) || !read_column(p, 1, &w, d)) return false;
    p->rows = w.name;
    return settle_name(p, &w);
}

// ---- fit --------------------------------------------------------------------------------------

static const gmc_fit_family *find_family(chance_parser *p, const column_words *w)
{
    const gmc_fit_family *family = gmc_fit_find(w->family);
    if (family) return family;
    char known[120] = "known:", message[120];
    size_t used = strlen(known);
    for (int i = 0; i < gmc_fit_family_count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s %s", i ? "," : "",
                                 gmc_fit_families[i].name);
    snprintf(message, sizeof message, "unknown family %.30s", w->family);
    chance_fail(p, &w->family_place, known, message);
    return NULL;
}

// file, column name[, unit u], family f) likewise.
static bool chance_fit_read(chance_parser *p, gmc_distribution *d, const char *usage)
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
    return chance_fail(p, &w.column_place, hint, message);
}

// ---- numbers ----------------------------------------------------------------------------------

// What may stand in any other place of a number, but not here.
static bool refuse_formula(chance_parser *p)
{
    static const char *const SIGNS[] = {"+", "-", "*", "/"};
    char message[200];
    for (int i = 0; i < GMC_COUNT(SIGNS); i++) {
        if (!gmc_token_is(&p->lexer, SIGNS[i])) continue;
        snprintf(message, sizeof message, "expected a number alone, found a formula (%s)",
                 SIGNS[i]);
        return chance_fail(p, &p->lexer.token,
                           "work it out; or write the formula where the number itself stands, "
                           "and  nominal + ...  here",
                           message);
    }
    return true;
}

// What +-10 deg and +/-10 deg may mean; NULL: that does not stand at `sign`.
static const char *hint_of_range(const gmc_token *sign, char *hint, size_t size)
{
    const char *at = sign->start;
    if (strncmp(at, "+-", 2) != 0 && strncmp(at, "+/-", 3) != 0) return NULL;
    const char *half = at + strspn(at, "+-/ ");
    int length = (int)strcspn(half, ",)[");
    if (length == 0 || length > 40) return gmc_token_lookalike("\xc2\xb1");
    snprintf(hint, size, "uniform(-%.*s, %.*s), about the nominal value  nominal + uniform(...)",
             length, half, length, half);
    return hint;
}

// [+-] number of the dimension.
static bool read_number(chance_parser *p, gmc_dimension dimension, double *value, gmc_token *place)
{
    gmc_token first = p->lexer.token;
    double sign = 1;
    if (gmc_token_take(&p->lexer, "-"))
        sign = -1;
    else
        (void)gmc_token_take(&p->lexer, "+");
    gmc_token token = p->lexer.token;
    if (token.type == GMC_TOKEN_NAME && !p->c->is_known) {
        p->lexer.has_failed = true; // that there is no such number was said
        return false;
    }
    if (token.type != GMC_TOKEN_NUMBER) {
        char found[64], message[200], hint[160];
        gmc_token_text(&token, found, sizeof found);
        snprintf(message, sizeof message, "expected a number, found %s", found);
        return chance_fail(p, &token, hint_of_range(&first, hint, sizeof hint), message);
    }
    if (!chance_check_dimension(p, &token, dimension)) return false;
    *value = sign * token.quantity.value;
    if (place) {
        *place = first;
        place->length = (size_t)(token.start + token.length - first.start);
    }
    gmc_token_next(&p->lexer);
    return !p->lexer.has_failed && refuse_formula(p);
}

// A list of numbers up to `stop` or `;`, in the arena.
static bool read_list(chance_parser *p, gmc_dimension dimension, const char *stop, double **values,
                      int *count)
{
    int capacity = 0;
    *count = 0;
    *values = NULL;
    do {
        if (*count == GMC_CHANCE_VALUES_MAX)
            return chance_fail(p, &p->lexer.token, "use samples(file.csv, column name)",
                               "too many values");
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            double *grown = GMC_NEW(p->c->scenario->arena, capacity, double);
            if (!grown) {
                p->status = GMC_E_ARENA_FULL;
                return false;
            }
            if (*count > 0) memcpy(grown, *values, (size_t)*count * sizeof *grown);
            *values = grown;
        }
        if (!read_number(p, dimension, &(*values)[*count], NULL)) return false;
        (*count)++;
    } while (gmc_token_take(&p->lexer, ","));
    if (gmc_token_is(&p->lexer, stop) || gmc_token_is(&p->lexer, ";")) return true;
    return gmc_token_expect(&p->lexer, stop);
}

// ---- forms ------------------------------------------------------------------------------------

static bool read_arguments(chance_parser *p, gmc_distribution *d, int count, const char *usage)
{
    for (int i = 0; i < count; i++) {
        char hint[120];
        bool is_open = p->lexer.token.type == GMC_TOKEN_NUMBER;
        snprintf(hint, sizeof hint, is_open ? "a comma between the numbers: %s" : "%s", usage);
        if (i > 0 && !gmc_token_take(&p->lexer, ","))
            return chance_fail(p, &p->lexer.token, hint, "too few numbers");
        bool is_pure = d->type == GMC_DISTRIBUTION_LOGNORMAL && i == 1;
        if (!read_number(p, is_pure ? GMC_DIM_NONE : p->dimension, &d->p[i], &p->arguments[i]))
            return false;
    }
    if (gmc_token_is(&p->lexer, ","))
        return chance_fail(p, &p->lexer.token, usage, "too many numbers");
    return gmc_token_expect(&p->lexer, ")");
}

static bool read_one_of(chance_parser *p, gmc_distribution *d, const char *usage)
{
    (void)usage; // any number of values is fine
    double *values = NULL, *weights = NULL;
    int weight_count = 0;
    p->arguments[GMC_ARGUMENT_VALUES] = p->lexer.token;
    if (!read_list(p, p->dimension, ")", &values, &d->value_count)) return false;
    d->values = values;
    if (gmc_token_take(&p->lexer, ";")) {
        p->arguments[GMC_ARGUMENT_WEIGHTS] = p->lexer.token;
        if (!gmc_token_expect(&p->lexer, "weights")) return false;
        if (!read_list(p, GMC_DIM_NONE, ")", &weights, &weight_count)) return false;
        d->weights = weights;
        if (weight_count != d->value_count) {
            char message[96];
            snprintf(message, sizeof message, "as many weights as values are needed: %d, found %d",
                     d->value_count, weight_count);
            return chance_fail(p, &p->arguments[GMC_ARGUMENT_WEIGHTS], NULL, message);
        }
    }
    return gmc_token_expect(&p->lexer, ")");
}

// One end of `in [lower, upper]`: a number, inf or -inf.
static bool read_end(chance_parser *p, double *value, gmc_token *place)
{
    gmc_token first = p->lexer.token;
    if (gmc_token_take(&p->lexer, "inf")) {
        *value = HUGE_VAL;
        *place = first;
        return true;
    }
    if (gmc_token_is(&p->lexer, "-") && strncmp(first.start, "-inf", 4) == 0) {
        gmc_token_next(&p->lexer);
        gmc_token_next(&p->lexer);
        *value = -HUGE_VAL;
        *place = first;
        return true;
    }
    return read_number(p, p->dimension, value, place);
}

static bool read_truncation(chance_parser *p, gmc_distribution *d)
{
    gmc_token token = p->lexer.token;
    if (!gmc_token_take(&p->lexer, "in")) return true;
    if (!gmc_distribution_laws[d->type].has_tails)
        return chance_fail(p, &token, "give the limits inside the brackets",
                           "only normal, lognormal and fit are cut with in [lower, upper]");
    d->is_truncated = true;
    return gmc_token_expect(&p->lexer, "[") &&
           read_end(p, &d->lower, &p->arguments[GMC_ARGUMENT_LOWER]) &&
           gmc_token_expect(&p->lexer, ",") &&
           read_end(p, &d->upper, &p->arguments[GMC_ARGUMENT_UPPER]) &&
           gmc_token_expect(&p->lexer, "]");
}

// ---- the forms --------------------------------------------------------------------------------

const gmc_uncertain_form gmc_uncertain_forms[] = {
    {"uniform", "uniform(lower, upper)", "every value between the two is as likely",
     GMC_DISTRIBUTION_UNIFORM, NULL},
    {"normal", "normal(mean, standard deviation)", "Gaussian; may end with `in [lower, upper]`",
     GMC_DISTRIBUTION_NORMAL, NULL},
    {"lognormal", "lognormal(median, coefficient of variation)",
     "never negative; may end with `in [lower, upper]`", GMC_DISTRIBUTION_LOGNORMAL, NULL},
    {"triangular", "triangular(lower, most likely, upper)",
     "straight lines up to the mode and down again", GMC_DISTRIBUTION_TRIANGULAR, NULL},
    {"one_of", "one_of(a, b, c; weights 1, 2, 1)",
     "one of the values; without weights all as likely", GMC_DISTRIBUTION_DISCRETE, read_one_of},
    {"samples", "samples(file.csv, column name, unit mm)",
     "one of the numbers of a column, all as likely; without unit in SI. Columns of one file are "
     "drawn together, row by row",
     GMC_DISTRIBUTION_EMPIRICAL, chance_samples_read},
    {"fit", "fit(file.csv, column name, unit mm, family lognormal)",
     "the next measurement after those of a column (three or more), which scatter by a law of the "
     "family `normal` or `lognormal` that nobody knows better: a Student law, wider than the "
     "measurements; may end with `in [lower, upper]`",
     GMC_DISTRIBUTION_STUDENT, chance_fit_read},
    {"interval", "interval(lower, upper)",
     "known only to lie between the two, by no law: the answer is the lowest and the highest "
     "success over it",
     GMC_DISTRIBUTION_UNIFORM, NULL},
    {"tripod", "tripod(disk radius)",
     "for `support.points` alone: three points, each uniform in a disk about the centre of mass, "
     "which is inside their triangle; a design "
     "that fills the space evenly places all six coordinates",
     GMC_DISTRIBUTION_TYPE_COUNT, NULL}, // no number: gmc_uncertain_tripod
};
const int gmc_uncertain_form_count = GMC_COUNT(gmc_uncertain_forms);

static bool unknown_form(chance_parser *p, const gmc_token *token)
{
    if (gmc_token_is(&p->lexer, "tripod") && !p->c->is_known) {
        p->lexer.has_failed = true; // that there are no such points was said
        return false;
    }
    if (gmc_token_is(&p->lexer, "tripod"))
        return chance_fail(p, token, "object.support.points: tripod(disk 15 mm)",
                           "a tripod is three points of a support, no number");
    char word[64], hint[200] = "known:", message[200];
    gmc_token_text(token, word, sizeof word);
    gmc_nearest nearest = gmc_nearest_start(word);
    size_t used = strlen(hint);
    for (int i = 0; i < gmc_uncertain_form_count; i++) {
        gmc_nearest_offer(&nearest, gmc_uncertain_forms[i].name);
        used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "",
                                 gmc_uncertain_forms[i].name);
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    snprintf(message, sizeof message, "unknown distribution %s", word);
    return chance_fail(p, token, hint, message);
}

// What gmc_distribution_check says, at the argument it is about.
static bool check_distribution(chance_parser *p, const gmc_distribution *d, const gmc_token *whole)
{
    gmc_distribution_argument argument = GMC_ARGUMENT_NONE;
    const char *complaint = gmc_distribution_check(d, &argument);
    if (!complaint) return true;
    gmc_token at = argument == GMC_ARGUMENT_NONE || !p->arguments[argument].start
                       ? *whole
                       : p->arguments[argument];
    const char *usage = NULL;
    for (int i = 0; i < gmc_uncertain_form_count; i++)
        if (strlen(gmc_uncertain_forms[i].name) == whole->length &&
            strncmp(gmc_uncertain_forms[i].name, whole->start, whole->length) == 0)
            usage = gmc_uncertain_forms[i].usage;
    if (argument == GMC_ARGUMENT_LOWER || argument == GMC_ARGUMENT_UPPER)
        usage = "... in [lower, upper]";
    char found[64], message[300];
    gmc_token_text(&at, found, sizeof found);
    snprintf(message, sizeof message, "%s, found %s", complaint, found);
    return chance_fail(p, &at, usage, message);
}

static bool read_distribution(chance_parser *p, gmc_distribution *d)
{
    gmc_token word = p->lexer.token;
    if (word.type != GMC_TOKEN_NAME) {
        d->type = GMC_DISTRIBUTION_CONSTANT;
        return read_number(p, p->dimension, &d->p[0], &p->arguments[0]);
    }
    const gmc_uncertain_form *form = gmc_uncertain_forms, *end = form + gmc_uncertain_form_count;
    while (form < end && !gmc_token_is(&p->lexer, form->name))
        form++;
    if (form == end || form->type == GMC_DISTRIBUTION_TYPE_COUNT) return unknown_form(p, &word);
    d->type = form->type;
    p->is_interval = gmc_token_is(&p->lexer, "interval");
    gmc_token_next(&p->lexer);
    const char *usage = p->usage = form->usage;
    if (!gmc_token_take(&p->lexer, "(")) {
        char found[64], message[200];
        gmc_token_text(&p->lexer.token, found, sizeof found);
        snprintf(message, sizeof message, "expected (, found %s", found);
        return chance_fail(p, &p->lexer.token, usage, message);
    }
    int count = gmc_distribution_laws[d->type].argument_count;
    bool is_read = form->read ? form->read(p, d, usage) : read_arguments(p, d, count, usage);
    return is_read && read_truncation(p, d) && check_distribution(p, d, &word);
}

static gmc_status status_of(const chance_parser *p, bool is_read)
{
    if (is_read && !p->lexer.has_failed) return GMC_OK;
    return p->status != GMC_OK ? p->status : GMC_E_INPUT;
}

// As in 0,4 kg.
static bool is_decimal_comma(const chance_parser *p)
{
    const char *at = p->lexer.token.start;
    return *at == ',' && at > p->node->text && at[-1] >= '0' && at[-1] <= '9' && at[1] >= '0' &&
           at[1] <= '9';
}

static bool expect_end(chance_parser *p)
{
    if (p->lexer.has_failed) return false;
    if (p->lexer.token.type == GMC_TOKEN_END) return true;
    char found[64], message[200];
    gmc_token_text(&p->lexer.token, found, sizeof found);
    snprintf(message, sizeof message, "expected the end, found %s", found);
    return chance_fail(p, &p->lexer.token,
                       is_decimal_comma(p)
                           ? "a decimal point, no comma: 0.4 kg"
                           : "one distribution a line: value, nominal + value or nominal * value",
                       message);
}

static chance_parser open_parser(const gmc_uncertain_context *context, gmc_node *node)
{
    return (chance_parser){.c = context,
                           .lexer = start_lexer(context, node),
                           .dimension = context->is_known ? context->dimension : ANYTHING,
                           .node = node};
}

gmc_status gmc_uncertain_tripod(const gmc_uncertain_context *context, gmc_node *node,
                                double *radius)
{
    chance_parser p = open_parser(context, node);
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token word = p.lexer.token, at = word;
    bool is_read = gmc_token_take(&p.lexer, "tripod");
    if (!is_read)
        (void)chance_fail(&p, &word, "or each coordinate by its own path, ...points.0.x",
                          "points of a support are drawn as tripod(disk 15 mm)");
    is_read = is_read && gmc_token_expect(&p.lexer, "(") && gmc_token_expect(&p.lexer, "disk") &&
              read_number(&p, GMC_DIM_LENGTH, radius, &at) && gmc_token_expect(&p.lexer, ")") &&
              expect_end(&p);
    if (is_read && !(*radius > 0 && *radius < HUGE_VAL))
        is_read = chance_fail(&p, &at, "tripod(disk 15 mm)", "the radius must be > 0");
    return status_of(&p, is_read);
}

gmc_status gmc_uncertain_line(const gmc_uncertain_context *context, gmc_node *node,
                              gmc_uncertain *line)
{
    chance_parser p = open_parser(context, node);
    if (p.lexer.has_failed) return GMC_E_INPUT;
    line->change = GMC_CHANGE_ABSOLUTE;
    if (gmc_token_take(&p.lexer, "nominal")) {
        gmc_token sign = p.lexer.token;
        if (gmc_token_take(&p.lexer, "+")) {
            line->change = GMC_CHANGE_ADD;
            if (sign.start[1] == '-' || sign.start[1] == '/') {
                chance_fail(&p, &sign, gmc_token_lookalike("\xc2\xb1"), "+- is no distribution");
                return GMC_E_INPUT;
            }
        } else if (gmc_token_take(&p.lexer, "*")) {
            line->change = GMC_CHANGE_MULTIPLY;
            p.dimension = GMC_DIM_NONE;
            p.is_factor = true;
        } else {
            chance_fail(&p, &sign, "nominal + value or nominal * value",
                        "expected + or * after nominal");
            return GMC_E_INPUT;
        }
    }
    line->distribution = (gmc_distribution){0};
    bool is_read = read_distribution(&p, &line->distribution) && expect_end(&p);
    line->rows = p.rows;
    line->is_interval = p.is_interval;
    return status_of(&p, is_read);
}

// ---- values of an axis ------------------------------------------------------------------------

static bool read_grid(chance_parser *p, double **values, int *count)
{
    gmc_token third;
    double from = 0, to = 0, step = 0;
    const char *usage = "grid(from, to, step s) or grid(from, to, count)";
    gmc_token_next(&p->lexer);
    if (!gmc_token_expect(&p->lexer, "(") || !read_number(p, p->dimension, &from, NULL))
        return false;
    if (!gmc_token_take(&p->lexer, ","))
        return chance_fail(p, &p->lexer.token, usage, "grid: expected a comma and the other end");
    if (!read_number(p, p->dimension, &to, NULL)) return false;
    if (!gmc_token_take(&p->lexer, ","))
        return chance_fail(p, &p->lexer.token, usage,
                           "grid: expected a comma and a step or a count");
    bool is_step = gmc_token_take(&p->lexer, "step");
    if (!read_number(p, is_step ? p->dimension : GMC_DIM_NONE, &step, &third)) return false;
    if (!gmc_token_expect(&p->lexer, ")")) return false;

    int64_t points = 0;
    if (is_step)
        points = gmc_grid_count(from, to, step, GMC_CHANCE_VALUES_MAX);
    else if (step >= 1 && step <= GMC_CHANCE_VALUES_MAX && floor(step) == step)
        points = step == 1 && from != to ? 0 : (int64_t)step;
    if (points < 0) return chance_fail(p, &third, NULL, "too many values");
    if (points == 0)
        return chance_fail(p, &third, usage,
                           is_step ? "grid: the step is 0, or leads away from the other end"
                                   : "grid: the count must be a whole number, at least 2");
    *count = (int)points;
    *values = GMC_NEW(p->c->scenario->arena, points, double);
    if (!*values) {
        p->status = GMC_E_ARENA_FULL;
        return false;
    }
    for (int i = 0; i < *count; i++) {
        double share = *count > 1 ? (double)i / (double)(*count - 1) : 0;
        (*values)[i] = is_step           ? gmc_grid_value(from, to, step, i)
                       : i == *count - 1 ? to
                                         : from + (to - from) * share;
    }
    return true;
}

static gmc_status read_entries(const gmc_uncertain_context *context, gmc_node *list, double *values)
{
    int i = 0;
    bool is_fine = true;
    for (gmc_node *n = list->first; n; n = n->next, i++) {
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) return GMC_E_INPUT;
        chance_parser p = {.c = context,
                           .lexer = start_lexer(context, n),
                           .dimension = context->is_known ? context->dimension : ANYTHING,
                           .node = n};
        is_fine = !p.lexer.has_failed && read_number(&p, p.dimension, &values[i], NULL) &&
                  expect_end(&p) && is_fine;
    }
    return is_fine ? GMC_OK : GMC_E_INPUT;
}

gmc_status gmc_uncertain_values(const gmc_uncertain_context *context, gmc_node *node,
                                double **values, int *count)
{
    if (node->kind == GMC_NODE_LIST) {
        *count = node->count;
        *values = GMC_NEW(context->scenario->arena, node->count, double);
        if (!*values) return GMC_E_ARENA_FULL;
        return read_entries(context, node, *values);
    }
    chance_parser p = open_parser(context, node);
    if (p.lexer.has_failed) return GMC_E_INPUT;
    bool is_read = false;
    if (gmc_token_is(&p.lexer, "grid")) {
        is_read = read_grid(&p, values, count);
    } else if (p.lexer.token.type == GMC_TOKEN_NAME) {
        is_read = chance_fail(&p, &p.lexer.token,
                              "[a, b, c], grid(a, b, step s), grid(a, b, count) or between(a, b)",
                              "an axis of a study is a list of values or a grid");
    } else {
        *count = 1;
        *values = GMC_NEW(context->scenario->arena, 1, double);
        if (!*values) return GMC_E_ARENA_FULL;
        is_read = read_number(&p, p.dimension, *values, NULL);
    }
    return status_of(&p, is_read && expect_end(&p));
}

bool gmc_uncertain_is_between(const gmc_node *node)
{
    static const char WORD[] = "between";
    return node && node->kind == GMC_NODE_SCALAR &&
           strncmp(node->text, WORD, sizeof WORD - 1) == 0 &&
           strchr(" \t(", node->text[sizeof WORD - 1]) != NULL;
}

gmc_status gmc_uncertain_between(const gmc_uncertain_context *context, gmc_node *node,
                                 double range[2])
{
    chance_parser p = open_parser(context, node);
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token second = p.lexer.token;
    gmc_token_next(&p.lexer);
    bool is_read =
        gmc_token_expect(&p.lexer, "(") && read_number(&p, p.dimension, &range[0], NULL) &&
        gmc_token_expect(&p.lexer, ",") && read_number(&p, p.dimension, &range[1], &second) &&
        gmc_token_expect(&p.lexer, ")") && expect_end(&p);
    if (is_read && !(range[0] < range[1]))
        is_read = chance_fail(&p, &second, "between(smaller, larger)",
                              "the second number must be larger");
    return status_of(&p, is_read);
}
