// A table is split into fields first (a field knows its place), and fields become names or numbers
// next. Rows are converted as they come: the text is the only other copy.
#include "sampling/design/csv.h"

#include "engine/base/check.h"
#include "engine/base/number.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPORT_MAX = 50,   // mistakes shown; a wrong file has one in every row
    COLUMN_MAX = 10000 // a binary file taken for a table should not fill the memory
};

typedef struct field {
    const char *start;
    size_t length; // of the content, quotes and surrounding blanks left out; "" not yet undone
    int line, column;
    bool is_quoted;
    bool ends_row, ends_file;
} field;

typedef struct reader {
    const char *file;
    const char *at, *end, *line_start;
    int line;
    gmc_csv *csv;
    gmc_diagnostics *errors;
    int reported;
    bool is_full; // memory has run out
    int64_t row_capacity;
    const char *only; // column that numbers are asked of; NULL: of all
    int only_column;  // -1: there is none of that name
    int64_t bad_rows; // of it, without a number
    field first_bad;
    char tail[64]; // behind what is said of a number
} reader;

static bool may_report(reader *r)
{
    r->reported++;
    if (r->reported == REPORT_MAX + 1)
        gmc_diagnostics_add(r->errors, GMC_E_INPUT, (gmc_source){.file = r->file, .line = r->line},
                            NULL, "more mistakes follow; the first %d are shown", REPORT_MAX);
    return r->reported <= REPORT_MAX;
}

static gmc_source place(const reader *r, const field *f)
{
    return (gmc_source){.file = r->file,
                        .line = f->line,
                        .column = f->column,
                        .length = f->length > 80 ? 80 : (int)f->length};
}

#define REPORT(r, f, hint, ...)                                                                    \
    do {                                                                                           \
        if (may_report(r))                                                                         \
            gmc_diagnostics_add((r)->errors, GMC_E_INPUT, place(r, f), hint, __VA_ARGS__);         \
    } while (0)

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_line_end(const reader *r) { return *r->at == '\n' || *r->at == '\r'; }

static int column_here(const reader *r)
{
    ptrdiff_t column = r->at - r->line_start + 1;
    return column < INT_MAX ? (int)column : INT_MAX;
}

static void pass_line_end(reader *r)
{
    if (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n') r->at++;
    r->at++;
    r->line++;
    r->line_start = r->at;
}

// A line of nothing but blanks; if it is none, nothing is passed.
static bool pass_empty_line(reader *r)
{
    const char *p = r->at;
    while (p < r->end && is_blank(*p))
        p++;
    if (p < r->end && *p != '\n' && *p != '\r') return false;
    r->at = p;
    if (p < r->end) pass_line_end(r);
    return true;
}

// content between quotes; stands behind the closing quote afterwards
static void read_quoted(reader *r, field *f)
{
    f->is_quoted = true;
    f->start = ++r->at;
    while (r->at < r->end) {
        if (*r->at == '"') {
            if (r->at + 1 >= r->end || r->at[1] != '"') break;
            r->at += 2;
        } else if (is_line_end(r)) {
            pass_line_end(r);
        } else {
            r->at++;
        }
    }
    f->length = (size_t)(r->at - f->start);
    if (r->at >= r->end) {
        REPORT(r, f, "close it with \" before the line ends", "a quoted field is never closed");
        return;
    }
    r->at++;
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    if (r->at < r->end && *r->at != ',' && !is_line_end(r)) {
        REPORT(r, f, "a quote inside a quoted field is written \"\"",
               "text follows the closing quote of a field");
        while (r->at < r->end && *r->at != ',' && !is_line_end(r))
            r->at++;
    }
}

static void read_plain(reader *r, field *f)
{
    f->start = r->at;
    while (r->at < r->end && *r->at != ',' && !is_line_end(r))
        r->at++;
    const char *stop = r->at;
    while (stop > f->start && is_blank(stop[-1]))
        stop--;
    f->length = (size_t)(stop - f->start);
}

// One field and the comma or line end behind it.
static field read_field(reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    field f = {.line = r->line, .column = column_here(r)};
    if (r->at < r->end && *r->at == '"')
        read_quoted(r, &f);
    else
        read_plain(r, &f);

    if (r->at >= r->end) {
        f.ends_row = f.ends_file = true;
    } else if (*r->at == ',') {
        r->at++;
    } else {
        f.ends_row = true;
        pass_line_end(r);
        f.ends_file = r->at >= r->end;
    }
    return f;
}

// --- header ---

static char *field_text(const field *f)
{
    char *text = malloc(f->length + 1);
    if (!text) return NULL;
    size_t length = 0;
    for (size_t i = 0; i < f->length; i++) {
        text[length++] = f->start[i];
        if (f->is_quoted && f->start[i] == '"') i++; // "" stands for one
    }
    text[length] = 0;
    return text;
}

static void add_name(reader *r, const field *f)
{
    gmc_csv *csv = r->csv;
    int count = csv->column_count;
    if ((count & (count - 1)) == 0) { // room for the next power of two
        size_t room = count ? 2 * (size_t)count : 1;
        char **names = realloc(csv->names, room * sizeof *names);
        if (names) csv->names = names;
        int *columns = realloc(csv->name_column, room * sizeof *columns);
        if (columns) csv->name_column = columns;
        if (!names || !columns) {
            r->is_full = true;
            return;
        }
    }
    char *name = field_text(f);
    if (!name) {
        r->is_full = true;
        return;
    }
    bool is_asked = !r->only || strcmp(name, r->only) == 0;
    if (is_asked && name[0] == 0)
        REPORT(r, f, "each column is headed by the path of a parameter", "column %d has no name",
               count + 1);
    else if (is_asked && gmc_csv_column(csv, name) >= 0)
        REPORT(r, f, NULL, "the column `%s` appears twice", name);
    csv->names[count] = name;
    csv->name_column[count] = f->column;
    csv->column_count = count + 1;
}

// Names up to the end of the first line that is not empty.
static bool read_header(reader *r)
{
    while (r->at < r->end && pass_empty_line(r)) {
    }
    r->csv->header_line = r->line;
    if (r->at >= r->end) {
        field nothing = {.line = r->line, .column = 1};
        REPORT(r, &nothing, "the first line names the columns", "the file is empty");
        return false;
    }
    field f = {0};
    do {
        f = read_field(r);
        if (r->csv->column_count >= COLUMN_MAX) {
            REPORT(r, &f, NULL, "more than %d columns", COLUMN_MAX);
            return false;
        }
        add_name(r, &f);
    } while (!f.ends_row && !r->is_full);
    if (!r->is_full && r->csv->column_count == 1 && strchr(r->csv->names[0], ';'))
        REPORT(r, &f, "separate the columns with commas and write numbers with a decimal point",
               "one column, with semicolons in its name");
    return !r->is_full;
}

// --- numbers ---

static bool is_word(const field *f, const char *word)
{
    size_t length = strlen(word);
    const char *p = f->start;
    size_t rest = f->length;
    if (rest > 0 && (*p == '+' || *p == '-')) p++, rest--;
    if (rest != length) return false;
    for (size_t i = 0; i < length; i++)
        if ((p[i] | 0x20) != word[i]) return false;
    return true;
}

// The head of a column may give its unit: "hand.target.x [mm]".
static void report_no_number(reader *r, const field *f, const char *name)
{
    int shown = f->length > 40 ? 40 : (int)f->length;
    const char *unit = strrchr(name, '[');
    int length = unit ? (int)strcspn(unit + 1, "]") : 0;
    char hint[120] = "a number in SI units, without a unit, such as 0.05 or 5e-2";
    if (length > 0 && length <= 40)
        snprintf(hint, sizeof hint, "a number alone: its unit is that of the column, %.*s", length,
                 unit + 1);
    REPORT(r, f, hint, "`%s` must be a number, found `%.*s`%s", name, shown, f->start, r->tail);
}

static double read_number(reader *r, const field *f, const char *name)
{
    const char *tail = r->tail;
    int shown = f->length > 40 ? 40 : (int)f->length;
    double value = 0.0;
    if (f->length == 0) {
        REPORT(r, f, NULL, "`%s` has no value here%s", name, tail);
        return value;
    }
    switch ((int)gmc_number_parse(f->start, f->length, &value)) {
    case GMC_OK:
        break;
    case GMC_E_LIMIT:
        REPORT(r, f, NULL, "`%s` is too large: %.*s%s", name, shown, f->start, tail);
        break;
    default:
        if (is_word(f, "nan") || is_word(f, "inf") || is_word(f, "infinity"))
            REPORT(r, f, "leave the row out", "`%s` must be finite, found %.*s%s", name, shown,
                   f->start, tail);
        else
            report_no_number(r, f, name);
    }
    return value;
}

// Of the one column that numbers are asked of; what is none is told at the end.
static double read_asked(reader *r, const field *f)
{
    double value = 0;
    if (f->length > 0 && gmc_number_parse(f->start, f->length, &value) == GMC_OK) return value;
    if (r->bad_rows++ == 0) r->first_bad = *f;
    return 0;
}

static void report_bad_rows(reader *r)
{
    if (r->bad_rows == 0) return;
    if (r->bad_rows > 1)
        snprintf(r->tail, sizeof r->tail, ", the first of %lld such rows", (long long)r->bad_rows);
    (void)read_number(r, &r->first_bad, r->only);
}

// A text in the column of texts; its number is 0.
static double read_text(reader *r, const field *f, const char *name)
{
    gmc_csv *csv = r->csv;
    if (f->length == 0) REPORT(r, f, NULL, "`%s` has no value here", name);
    csv->texts[csv->row_count] = field_text(f);
    r->is_full = r->is_full || !csv->texts[csv->row_count];
    return 0;
}

static bool make_row(reader *r)
{
    gmc_csv *csv = r->csv;
    if (csv->row_count < r->row_capacity) return true;
    int64_t capacity = r->row_capacity ? 2 * r->row_capacity : 64;
    size_t width = (size_t)csv->column_count * sizeof *csv->values;
    if ((uint64_t)capacity > SIZE_MAX / 2 / width) return false;
    double *values = realloc(csv->values, (size_t)capacity * width);
    if (values) csv->values = values;
    int *lines = realloc(csv->lines, (size_t)capacity * sizeof *lines);
    if (lines) csv->lines = lines;
    if (!values || !lines) return false;
    if (csv->text_column >= 0) {
        char **texts = realloc(csv->texts, (size_t)capacity * sizeof *texts);
        if (!texts) return false;
        csv->texts = texts;
    }
    r->row_capacity = capacity;
    return true;
}

static void read_row(reader *r)
{
    gmc_csv *csv = r->csv;
    if (!make_row(r)) {
        r->is_full = true;
        return;
    }
    double *values = csv->values + csv->row_count * csv->column_count;
    csv->lines[csv->row_count] = r->line;
    if (csv->text_column >= 0) csv->texts[csv->row_count] = NULL;
    field f = {0};
    int count = 0;
    do {
        f = read_field(r);
        if (r->only && count < csv->column_count)
            values[count] = count == r->only_column ? read_asked(r, &f) : 0;
        else if (count < csv->column_count)
            values[count] = count == csv->text_column ? read_text(r, &f, csv->names[count])
                                                      : read_number(r, &f, csv->names[count]);
        count++;
    } while (!f.ends_row);
    if (count != csv->column_count)
        REPORT(r, &f, NULL, "this row has %d values, the header has %d names", count,
               csv->column_count);
    csv->row_count++;
}

// --- the whole ---

static bool is_text(reader *r, const char *text, size_t bytes)
{
    const unsigned char *u = (const unsigned char *)text;
    field start = {.line = 1, .column = 1};
    if (bytes >= 2 && ((u[0] == 0xff && u[1] == 0xfe) || (u[0] == 0xfe && u[1] == 0xff))) {
        REPORT(r, &start, "save it as UTF-8", "the file is UTF-16");
        return false;
    }
    const char *zero = bytes ? memchr(text, 0, bytes) : NULL;
    if (zero) {
        for (const char *p = text; p < zero; p++)
            if (*p == '\n') {
                start.line++;
                start.column = 1;
            } else if (start.column < INT_MAX - 1) {
                start.column++;
            }
        REPORT(r, &start, NULL, "the file is not text: it has a zero byte");
        return false;
    }
    return true;
}

gmc_status gmc_csv_parse(const char *file, const char *text, size_t bytes, gmc_csv *csv,
                         gmc_diagnostics *errors)
{
    return gmc_csv_parse_as(file, text, bytes, &(gmc_csv_wanted){0}, csv, errors);
}

/// @param asked  the file, where its table and mistakes go, and what is asked of it
static gmc_status parse(const reader *asked, const char *text, size_t bytes,
                        const char *text_column)
{
    reader r = *asked;
    gmc_csv *csv = r.csv;
    *csv = (gmc_csv){.text_column = -1};
    r.line = 1;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // byte order mark
        text += 3;
        bytes -= 3;
    }
    r.at = r.line_start = text;
    r.end = text + bytes;

    if (is_text(&r, text, bytes) && read_header(&r)) {
        if (text_column) csv->text_column = gmc_csv_column(csv, text_column);
        if (r.only) r.only_column = gmc_csv_column(csv, r.only);
        while (r.at < r.end && !r.is_full && r.reported <= REPORT_MAX) {
            if (!pass_empty_line(&r)) read_row(&r);
        }
        if (!r.is_full) report_bad_rows(&r);
        if (csv->row_count == 0 && r.reported == 0 && !r.is_full) {
            field end = {.line = r.line, .column = 1};
            REPORT(&r, &end, NULL, "the header is followed by no row");
        }
    }
    if (r.reported == 0 && !r.is_full) return GMC_OK;
    gmc_csv_free(csv);
    return r.is_full ? GMC_E_MEMORY : GMC_E_INPUT;
}

gmc_status gmc_csv_parse_as(const char *file, const char *text, size_t bytes,
                            const gmc_csv_wanted *wanted, gmc_csv *csv, gmc_diagnostics *errors)
{
    reader r = {.file = file, .csv = csv, .errors = errors, .only = wanted->only};
    return parse(&r, text, bytes, wanted->texts);
}

int gmc_csv_column(const gmc_csv *csv, const char *name)
{
    for (int i = 0; i < csv->column_count; i++)
        if (strcmp(csv->names[i], name) == 0) return i;
    return -1;
}

double gmc_csv_value(const gmc_csv *csv, int64_t row, int column)
{
    GMC_ASSERT(row >= 0 && row < csv->row_count && column >= 0 && column < csv->column_count);
    return csv->values[row * csv->column_count + column];
}

void gmc_csv_free(gmc_csv *csv)
{
    for (int i = 0; i < csv->column_count; i++)
        free(csv->names[i]);
    for (int64_t i = 0; csv->texts && i < csv->row_count; i++)
        free(csv->texts[i]);
    free(csv->texts);
    free(csv->names);
    free(csv->name_column);
    free(csv->values);
    free(csv->lines);
    *csv = (gmc_csv){0};
}
