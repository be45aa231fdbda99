#include "engine/base/source.h"

#include "engine/base/list.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

static int compare_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int compare_place(const gmc_diagnostic *a, const gmc_diagnostic *b)
{
    int files = compare_text(a->source.file, b->source.file);
    if (files != 0) return files;
    if (a->source.line != b->source.line) return a->source.line < b->source.line ? -1 : 1;
    if (a->source.column != b->source.column) return a->source.column < b->source.column ? -1 : 1;
    return 0;
}

static void free_item(gmc_diagnostic *item)
{
    free((void *)(size_t)item->source.file); // the list's own copy
    free(item->message);
    free(item->hint);
    free(item->subject);
}

static int is_known(const gmc_diagnostics *list, const gmc_diagnostic *item)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].severity == item->severity &&
            compare_place(list->items + i, item) == 0 &&
            strcmp(list->items[i].message, item->message) == 0)
            return 1;
    return 0;
}

static int make_room(gmc_diagnostics *list)
{
    gmc_diagnostic *items = gmc_list_room(list->items, list->count, &list->capacity, sizeof *items);
    if (items) list->items = items;
    return items != NULL;
}

const char *gmc_severity_name(gmc_severity severity)
{
    switch (severity) {
    case GMC_ERROR:
        return "error";
    case GMC_WARNING:
        return "warning";
    case GMC_NOTE:
        break;
    }
    return "note";
}

// Append what has its message already, with copies of its other texts, unless it is known.
static void add(gmc_diagnostics *list, gmc_diagnostic item)
{
    const char *file = item.source.file, *hint = item.hint, *subject = item.subject;
    item.source.file = file ? copy_text(file) : NULL;
    item.hint = hint ? copy_text(hint) : NULL;
    item.subject = subject ? copy_text(subject) : NULL;

    if (!item.message || (file && !item.source.file) || (hint && !item.hint) ||
        (subject && !item.subject) || !make_room(list)) {
        free_item(&item);
        list->dropped++;
        list->error_count++;
        return;
    }
    if (is_known(list, &item)) {
        free_item(&item);
        return;
    }
    list->items[list->count++] = item;
    if (item.severity == GMC_ERROR)
        list->error_count++;
    else if (item.severity == GMC_WARNING)
        list->warning_count++;
}

void gmc_diagnostics_add(gmc_diagnostics *list, gmc_severity severity, gmc_status status,
                         gmc_source source, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = format_text(format, arguments);
    va_end(arguments);
    add(list, (gmc_diagnostic){.severity = severity,
                               .status = status,
                               .source = source,
                               .message = message,
                               .hint = (char *)(size_t)hint});
}

void gmc_diagnostics_warn(gmc_diagnostics *list, gmc_source source, const gmc_diagnostic_kind *kind,
                          const char *subject, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = format_text(format, arguments);
    va_end(arguments);
    add(list, (gmc_diagnostic){.severity = GMC_WARNING,
                               .status = GMC_OK,
                               .source = source,
                               .message = message,
                               .hint = (char *)(size_t)hint,
                               .kind = kind,
                               .subject = (char *)(size_t)subject});
}

void gmc_diagnostics_hush(gmc_diagnostics *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].severity == GMC_ERROR)
            list->items[kept++] = list->items[i];
        else
            free_item(list->items + i);
    }
    list->count = kept;
    list->warning_count = 0;
}

gmc_status gmc_diagnostics_status(const gmc_diagnostics *list)
{
    if (list->dropped > 0) return GMC_E_MEMORY;
    gmc_status first = GMC_OK;
    int all_missing = 1;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].severity != GMC_ERROR) continue;
        if (list->items[i].status == GMC_E_MEMORY) return GMC_E_MEMORY;
        if (first == GMC_OK) first = list->items[i].status;
        if (list->items[i].status != GMC_E_MISSING) all_missing = 0;
    }
    if (first == GMC_E_MISSING && !all_missing) return GMC_E_INPUT;
    return first;
}

// What is seen of a line: files that a program wrote may have but one.
enum { SHOWN = 120, BEFORE = 60 };

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; } // of UTF-8

// SHOWN bytes of the `wanted`-th line of a file from the `from`-th on, less parts of characters.
// @return bytes of the line up to the end of what is shown; -1 without such a line
static int read_line(const char *file, int wanted, int from, char line[SHOWN + 1], bool *is_cut)
{
    FILE *in = fopen(file, "rb");
    if (!in) return -1;
    int c = 0, seen = 0, kept = 0;
    for (int number = 1; number < wanted && c != EOF; number++)
        while ((c = getc(in)) != EOF && c != '\n') {
        }
    for (; c != EOF && kept < SHOWN && (c = getc(in)) != EOF && c != '\n'; seen++)
        if (seen >= from) line[kept++] = (char)(c == '\t' || c == '\r' ? ' ' : c);
    bool is_there = seen > 0 || c == '\n';
    int next = c == EOF || c == '\n' ? c : getc(in);
    *is_cut = next != EOF && next != '\n' && next != '\r';
    while (*is_cut && kept > 0 && is_inside_character((char)next))
        next = (unsigned char)line[--kept];
    line[kept] = 0;
    fclose(in);
    return is_there ? seen : -1;
}

static void print_source_line(const gmc_source *source, FILE *out)
{
    char line[SHOWN + 1];
    bool is_cut = false;
    if (!source->file || source->line <= 0) return;
    int from = source->column > SHOWN * 3 / 4 ? source->column - BEFORE : 0;
    if (read_line(source->file, source->line, from, line, &is_cut) < 0) return;
    const char *shown = line, *dots = from > 0 ? "..." : "";
    while (from > 0 && is_inside_character(*shown)) {
        shown++;
        from++;
    }
    fprintf(out, "%5d | %s%s%s\n", source->line, dots, shown, is_cut ? "..." : "");
    int column = source->column - from, length = (int)strlen(shown);
    if (source->column <= 0 || column > length + 1) return;
    fprintf(out, "      | %*s^", (int)strlen(dots) + column - 1, "");
    for (int i = 1; i < source->length && i <= length - column; i++)
        putc('~', out);
    putc('\n', out);
}

static void print_place(const gmc_source *source, FILE *out)
{
    if (!source->file) return;
    fputs(source->file, out);
    if (source->line > 0) fprintf(out, ":%d", source->line);
    if (source->line > 0 && source->column > 0) fprintf(out, ":%d", source->column);
    fputs(": ", out);
}

static void print_item(const gmc_diagnostic *item, FILE *out)
{
    print_place(&item->source, out);
    fprintf(out, "%s: %s\n", gmc_severity_name(item->severity), item->message);
    print_source_line(&item->source, out);
    if (item->hint) fprintf(out, "hint: %s\n", item->hint);
}

static void print_line(const gmc_diagnostic *item, FILE *out)
{
    print_place(&item->source, out);
    fprintf(out, "%s: %s", gmc_severity_name(item->severity), item->message);
    if (item->hint) fprintf(out, "; %s", item->hint);
    putc('\n', out);
}

static bool is_same_kind(const gmc_diagnostic *a, const gmc_diagnostic *b)
{
    return a->kind == b->kind && compare_text(a->source.file, b->source.file) == 0;
}

// One line for all that a file has of a kind, where the first of them stands in the list.
static void print_kind(const gmc_diagnostics *list, int first, FILE *out)
{
    enum { NAMED = 3 };
    const gmc_diagnostic *item = list->items + first;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        if (!is_same_kind(list->items + i, item)) continue;
        if (i < first) return; // told already
        count++;
    }
    if (count == 1) {
        print_line(item, out);
        return;
    }
    fprintf(out, "%s%s%s: %s %d %s (", item->source.file ? item->source.file : "",
            item->source.file ? ": " : "", gmc_severity_name(item->severity), item->kind->what,
            count, item->kind->noun);
    for (int i = first, named = 0; i < list->count && named < NAMED; i++)
        if (is_same_kind(list->items + i, item))
            fprintf(out, "%s%s", named++ > 0 ? ", " : "", list->items[i].subject);
    fprintf(out, "%s)%s%s\n", count > NAMED ? ", ..." : "", item->hint ? "; " : "",
            item->hint ? item->hint : "");
}

void gmc_diagnostics_print(const gmc_diagnostics *list, FILE *out)
{
    // stable order by place: repeated selection of the smallest not yet printed; lists are short
    for (int printed = 0, last = -1; printed < list->count; printed++) {
        int best = -1;
        for (int i = 0; i < list->count; i++) {
            int after = last < 0 ? 1 : compare_place(list->items + i, list->items + last);
            if (after < 0 || (after == 0 && i <= last)) continue;
            if (best < 0 || compare_place(list->items + i, list->items + best) < 0) best = i;
        }
        if (best < 0) break;
        if (list->items[best].kind)
            print_kind(list, best, out);
        else
            print_item(list->items + best, out);
        last = best;
    }
    if (list->dropped > 0) fprintf(out, "error: %d more, lost for want of memory\n", list->dropped);
}

void gmc_diagnostics_print_kinds(const gmc_diagnostics *list, FILE *out)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].kind) print_line(list->items + i, out);
}

void gmc_diagnostics_free(gmc_diagnostics *list)
{
    for (int i = 0; i < list->count; i++)
        free_item(list->items + i);
    free(list->items);
    *list = (gmc_diagnostics){0};
}
