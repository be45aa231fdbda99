// The list of mistakes grows with malloc, for it is used at set-up alone, and copies all that it is
// told. What found no memory is counted (`dropped`) and counts as a mistake. Printing sorts by
// place and reads each source line again from its file.
#include "engine/base/source.h"

#include "engine/base/file.h"
#include "engine/base/list.h"
#include "engine/base/printable.h"

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

#if defined(__GNUC__)
__attribute__((format(printf, 1, 0)))
#endif
static char *
format_text(const char *format, va_list arguments)
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
    free((void *)(size_t)item->source.file); // the list's own copies
    free((void *)(size_t)item->source.text);
    free(item->message);
    free(item->hint);
    free(item->subject);
}

static uint32_t hash_of(const gmc_diagnostic *item)
{
    uint32_t hash = gmc_lookup_hash(0, item->source.file ? item->source.file : "");
    hash = gmc_lookup_hash_whole(hash, (uint64_t)item->source.line);
    hash = gmc_lookup_hash_whole(hash, (uint64_t)item->source.column);
    return gmc_lookup_hash(hash, item->message);
}

static bool is_known(const gmc_diagnostics *list, const gmc_diagnostic *item, uint32_t hash)
{
    for (int at = 0, i; (i = gmc_lookup_next(&list->known, hash, &at)) >= 0;)
        if (list->items[i].severity == item->severity &&
            compare_place(list->items + i, item) == 0 &&
            strcmp(list->items[i].message, item->message) == 0)
            return true;
    return false;
}

static int diagnostics_make_room(gmc_diagnostics *list)
{
    gmc_diagnostic *items = gmc_list_room(list->items, list->count, &list->capacity, sizeof *items);
    if (items) list->items = items;
    return items != NULL;
}
// Append what has its message already, with copies of its other texts, unless it is known.
static void add(gmc_diagnostics *list, gmc_diagnostic item)
{
    const gmc_source source = item.source;
    const char *hint = item.hint, *subject = item.subject;
    item.source.file = source.file ? copy_text(source.file) : NULL;
    item.source.text = source.text ? copy_text(source.text) : NULL;
    item.hint = hint ? copy_text(hint) : NULL;
    item.subject = subject ? copy_text(subject) : NULL;
    bool is_whole = item.message && (item.source.file || !source.file) &&
                    (item.source.text || !source.text) && (item.hint || !hint) &&
                    (item.subject || !subject);
    uint32_t hash = is_whole ? hash_of(&item) : 0;
    bool is_new = is_whole && !is_known(list, &item, hash);
    if (is_new &&
        (!diagnostics_make_room(list) || gmc_lookup_add(&list->known, hash, list->count) != GMC_OK))
        is_whole = false;
    if (!is_whole) {
        list->dropped++;
        list->error_count++;
    }
    if (!is_whole || !is_new) {
        free_item(&item);
        return;
    }
    list->items[list->count++] = item;
    if (item.severity == GMC_ERROR)
        list->error_count++;
    else if (item.severity == GMC_WARNING)
        list->warning_count++;
}

// What its own message completes.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
static void
add_told(gmc_diagnostics *list, gmc_diagnostic item, const char *format, va_list arguments)
{
    item.message = format_text(format, arguments);
    add(list, item);
}

void gmc_diagnostics_add(gmc_diagnostics *list, gmc_status status, gmc_source source,
                         const char *hint, const char *format, ...)
{
    const gmc_diagnostic item = {.severity = status == GMC_OK ? GMC_WARNING : GMC_ERROR,
                                 .status = status,
                                 .source = source,
                                 .hint = (char *)(size_t)hint};
    va_list arguments;
    va_start(arguments, format);
    add_told(list, item, format, arguments);
    va_end(arguments);
}

void gmc_diagnostics_note(gmc_diagnostics *list, gmc_source source, const char *hint,
                          const char *format, ...)
{
    const gmc_diagnostic item = {
        .severity = GMC_NOTE, .status = GMC_OK, .source = source, .hint = (char *)(size_t)hint};
    va_list arguments;
    va_start(arguments, format);
    add_told(list, item, format, arguments);
    va_end(arguments);
}

void gmc_diagnostics_copy(gmc_diagnostics *list, const gmc_diagnostic *item, gmc_source source)
{
    add(list, (gmc_diagnostic){.severity = item->severity,
                               .status = item->status,
                               .source = source,
                               .hint = item->hint,
                               .message = copy_text(item->message)});
}

void gmc_diagnostics_warn(gmc_diagnostics *list, gmc_source source, gmc_diagnostic_subject subject,
                          const char *hint, const char *format, ...)
{
    const gmc_diagnostic item = {.severity = GMC_WARNING,
                                 .status = GMC_OK,
                                 .source = source,
                                 .hint = (char *)(size_t)hint,
                                 .kind = subject.kind,
                                 .subject = (char *)(size_t)subject.name};
    va_list arguments;
    va_start(arguments, format);
    add_told(list, item, format, arguments);
    va_end(arguments);
}

void gmc_diagnostics_take(gmc_diagnostics *list, const gmc_diagnostics *others,
                          bool (*follows)(const void *context, const gmc_diagnostic *item),
                          const void *context)
{
    int own = list->count;
    for (int i = 0; i < others->count; i++) {
        bool is_told = others->items[i].severity != GMC_ERROR ||
                       (follows && follows(context, &others->items[i]));
        for (int k = 0; k < own && !is_told; k++)
            is_told = list->items[k].severity == GMC_ERROR &&
                      compare_place(list->items + k, others->items + i) == 0;
        if (is_told) continue;
        gmc_diagnostic item = others->items[i];
        if (item.message) item.message = copy_text(item.message);
        add(list, item);
    }
    list->dropped += others->dropped;
    list->error_count += others->dropped;
}

void gmc_diagnostics_hush(gmc_diagnostics *list)
{
    int kept = 0;
    gmc_lookup_free(&list->known); // items move
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].severity != GMC_ERROR) {
            free_item(list->items + i);
            continue;
        }
        list->items[kept] = list->items[i];
        // without memory a report may come twice: better than not at all
        (void)!gmc_lookup_add(&list->known, hash_of(list->items + kept), kept);
        kept++;
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

// ---- printing ----------------------------------------------------------------------------------

// What is seen of a line: files that a program wrote may have but one.
enum { SHOWN = 120, BEFORE = 60 };

// The file whose lines are being shown. Reports come in order of their lines, so that it is read
// once; a line that is shown again is gone back to.
typedef struct reading {
    const char *name;
    FILE *in;
    int line;   // the one that starts at `start`, from 1
    long start; // -1: the file cannot go back
} reading;

static void stop_reading(reading *r)
{
    if (r->in) fclose(r->in);
    *r = (reading){0};
}

// Go to the start of a line. @return false: there is none
static bool go_to(reading *r, const char *file, int line)
{
    if (!r->name || strcmp(r->name, file) != 0 || line < r->line) {
        stop_reading(r);
        *r = (reading){.name = file, .in = gmc_file_open(file), .line = 1};
    } else if (r->in && (r->start < 0 || fseek(r->in, r->start, SEEK_SET) != 0)) {
        return false;
    }
    if (!r->in) return false;
    while (r->line < line) {
        int c = getc(r->in);
        if (c == EOF) return false;
        if (c != '\n') continue;
        r->line++;
        r->start = ftell(r->in);
    }
    return true;
}

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; } // of UTF-8

// SHOWN bytes from the `from`-th on, less parts of characters.
// @return bytes of the line up to the end of what is shown; -1 without such a line
static int take_line(FILE *in, int from, char line[SHOWN + 1], bool *is_cut)
{
    int c = 0, seen = 0, kept = 0;
    for (; kept < SHOWN && (c = getc(in)) != EOF && c != '\n'; seen++)
        if (seen >= from) line[kept++] = (char)(c == '\t' || c == '\r' || c == 0 ? ' ' : c);
    bool is_there = seen > 0 || c == '\n';
    int next = c == EOF || c == '\n' ? c : getc(in);
    *is_cut = next != EOF && next != '\n' && next != '\r';
    while (*is_cut && kept > 0 && is_inside_character((char)next))
        next = (unsigned char)line[--kept];
    line[kept] = 0;
    return is_there ? seen : -1;
}

typedef struct printer {
    FILE *out;
    bool is_painted;
    reading file;
} printer;

static const char *const OFF = "0", *const BOLD = "1", *const GREEN = "1;32";

static void paint(const printer *p, const char *colour)
{
    if (p->is_painted) fprintf(p->out, "\x1b[%sm", colour);
}

static const char *colour_of(gmc_severity severity)
{
    switch (severity) {
    case GMC_ERROR:
        return "1;31"; // red
    case GMC_WARNING:
        return "1;35"; // magenta
    case GMC_NOTE:
        break;
    }
    return "1;36"; // cyan
}

// Places on the screen of the first `bytes` bytes of a line.
static int width_of(const char *line, int bytes)
{
    char shown[GMC_PRINTABLE_ROOM];
    int width = 0, used = 0;
    for (int i = 0; i < bytes && line[i]; i += used)
        width += gmc_printable_next(line + i, shown, &used);
    return width;
}

static void print_caret(const printer *p, const char *line, int indent, int column, int length)
{
    int bytes = (int)strlen(line), marked = 0;
    if (column <= 0 || column > bytes + 1) return;
    indent += width_of(line, column - 1);
    if (length > 0) marked = width_of(line + column - 1, length);
    fprintf(p->out, "      | %*s", indent, "");
    paint(p, GREEN);
    putc('^', p->out);
    for (int i = 1; i < marked; i++)
        putc('~', p->out);
    paint(p, OFF);
    putc('\n', p->out);
}

/// A whole text as a terminal may have it. NULL is empty.
static void put_text(const char *text, FILE *out)
{
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    for (const char *p = text; p && *p; p += used) {
        gmc_printable_next(p, shown, &used);
        fputs(shown, out);
    }
}

// A line that stands in no file is shown whole: its writer typed it.
static void print_text(const printer *p, const gmc_source *source)
{
    fputs("      | ", p->out);
    put_text(source->text, p->out);
    putc('\n', p->out);
    print_caret(p, source->text, 0, source->column, source->length);
}

static void print_source_line(printer *p, const gmc_source *source)
{
    char line[SHOWN + 1];
    bool is_cut = false;
    if (!source->file || source->line <= 0 || !go_to(&p->file, source->file, source->line)) return;
    int from = source->column > SHOWN * 3 / 4 ? source->column - BEFORE : 0;
    if (take_line(p->file.in, from, line, &is_cut) < 0) return;
    const char *shown = line, *dots = from > 0 ? "..." : "";
    while (from > 0 && is_inside_character(*shown)) {
        shown++;
        from++;
    }
    fprintf(p->out, "%5d | %s", source->line, dots);
    put_text(shown, p->out);
    fputs(is_cut ? "...\n" : "\n", p->out);
    if (source->column > 0)
        print_caret(p, shown, (int)strlen(dots), source->column - from, source->length);
}

// A place, how bad it is, and a message, which the caller ends.
static void print_head(const printer *p, const gmc_source *source, gmc_severity severity)
{
    FILE *out = p->out;
    paint(p, BOLD);
    if (source->file) {
        put_text(source->file, out);
        if (source->line > 0) fprintf(out, ":%d", source->line);
        if (source->line > 0 && source->column > 0) fprintf(out, ":%d", source->column);
        fputs(": ", out);
    }
    paint(p, OFF);
    paint(p, colour_of(severity));
    fprintf(out, "%s:", gmc_severity_name(severity));
    paint(p, OFF);
    putc(' ', out);
}

static void print_item(printer *p, const gmc_diagnostic *item)
{
    const gmc_source *source = &item->source;
    FILE *out = p->out;
    print_head(p, source, item->severity);
    paint(p, BOLD);
    put_text(item->message, out);
    paint(p, OFF);
    putc('\n', out);
    if (source->text)
        print_text(p, source);
    else
        print_source_line(p, source);
    if (!item->hint) return;
    paint(p, GREEN);
    fputs("hint:", out);
    paint(p, OFF);
    putc(' ', out);
    put_text(item->hint, out);
    putc('\n', out);
}

static void end_line(const printer *p, const char *hint)
{
    if (hint) fputs("; ", p->out);
    put_text(hint, p->out);
    putc('\n', p->out);
}

static void print_line(const printer *p, const gmc_diagnostic *item)
{
    print_head(p, &item->source, item->severity);
    put_text(item->message, p->out);
    end_line(p, item->hint);
}

static bool is_same_kind(const gmc_diagnostic *a, const gmc_diagnostic *b)
{
    return a->kind == b->kind && compare_text(a->source.file, b->source.file) == 0;
}

// One line for all that a file has of a kind, where the first of them stands in the list.
static void print_kind(const printer *p, const gmc_diagnostics *list, const gmc_diagnostic *item)
{
    enum { NAMED = 3 };
    const gmc_diagnostic *end = list->items + list->count;
    int count = 0;
    for (const gmc_diagnostic *i = list->items; i < end; i++) {
        if (!is_same_kind(i, item)) continue;
        if (i < item) return; // told already
        count++;
    }
    if (count == 1) {
        print_line(p, item);
        return;
    }
    print_head(p, &(gmc_source){.file = item->source.file}, item->severity);
    fprintf(p->out, "%s %d %s (", item->kind->what, count, item->kind->noun);
    int named = 0;
    for (const gmc_diagnostic *i = item; i < end && named < NAMED; i++) {
        if (!is_same_kind(i, item)) continue;
        if (named++ > 0) fputs(", ", p->out);
        put_text(i->subject, p->out);
    }
    fputs(count > NAMED ? ", ...)" : ")", p->out);
    if (item->hint) fputs("; ", p->out);
    put_text(item->hint, p->out);
    end_line(p, "check --model tells each");
}

// By place; what was reported first comes first.
static int compare_items(const void *a, const void *b)
{
    const gmc_diagnostic *const *first = a, *const *second = b;
    int places = compare_place(*first, *second);
    return places != 0 ? places : (*first > *second) - (*first < *second);
}

static void print_all(const gmc_diagnostics *list, printer *p)
{
    static const char *const MORE[] = {
        [GMC_ERROR] = "mistakes", [GMC_WARNING] = "warnings", [GMC_NOTE] = "notes"};
    int printed[] = {0, 0, 0};
    size_t count = (size_t)list->count;
    const gmc_diagnostic **items = malloc((count + 1) * sizeof *items);
    for (size_t i = 0; items && i < count; i++)
        items[i] = list->items + i;
    if (items) qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 0; i < count; i++) {
        const gmc_diagnostic *item = items ? items[i] : list->items + i;
        if (item->kind)
            print_kind(p, list, item);
        else if (++printed[item->severity] <= GMC_DIAGNOSTICS_SHOWN)
            print_item(p, item);
    }
    free(items);
    for (int k = 0; k < GMC_COUNT(MORE); k++)
        if (printed[k] > GMC_DIAGNOSTICS_SHOWN)
            fprintf(p->out, "and %s%d more %s\n", k == GMC_ERROR && list->is_cut ? "at least " : "",
                    printed[k] - GMC_DIAGNOSTICS_SHOWN, MORE[k]);
    if (list->dropped > 0)
        fprintf(p->out, "error: %d more, lost for want of memory\n", list->dropped);
    stop_reading(&p->file);
}

void gmc_diagnostics_print(const gmc_diagnostics *list, FILE *out)
{
    print_all(list, &(printer){.out = out});
}

void gmc_diagnostics_paint(const gmc_diagnostics *list, FILE *out)
{
    print_all(list, &(printer){.out = out, .is_painted = true});
}

void gmc_diagnostics_print_kinds(const gmc_diagnostics *list, FILE *out)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].kind) print_line(&(printer){.out = out}, list->items + i);
}

void gmc_diagnostics_free(gmc_diagnostics *list)
{
    for (int i = 0; i < list->count; i++)
        free_item(list->items + i);
    free(list->items);
    gmc_lookup_free(&list->known);
    *list = (gmc_diagnostics){0};
}
