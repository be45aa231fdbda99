#define _POSIX_C_SOURCE 200809L
#include "cli/process/terminal.h"

#include "engine/base/printable.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gmc_terminal gmc_terminal_of(FILE *out)
{
    int file = fileno(out); // -1: memory
    if (file < 0 || !isatty(file)) return GMC_TERMINAL_NONE;
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    if (!term || strcmp(term, "dumb") == 0) return GMC_TERMINAL_LINES;
    return no_color && *no_color ? GMC_TERMINAL_PLAIN : GMC_TERMINAL_COLOURS;
}

// Characters of `text` from the front (or the back) that are line ends.
static size_t line_ends(const char *text, size_t length, bool at_end)
{
    size_t count = 0;
    while (count < length && text[at_end ? length - 1 - count : count] == '\n')
        count++;
    return count;
}

// Where line ends may stand in what a format of `first` and `last` line ends makes.
static void put(FILE *out, char *text, size_t length, size_t first, size_t last, bool are_kept)
{
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    for (char *p = text; *p; p += used) {
        size_t plain = 0; // most of what is printed
        while (p[plain] >= ' ' && p[plain] <= '~')
            plain++;
        fwrite(p, 1, plain, out);
        p += plain;
        if (!*p) return;
        size_t at = (size_t)(p - text);
        bool is_kept = *p == '\n' && (are_kept || at < first || at + last >= length);
        gmc_printable_next(p, shown, &used);
        fputs(is_kept ? "\n" : shown, out);
    }
}

void gmc_terminal_print(FILE *out, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char room[1024]; // "out of memory" has to be said without any
    int length = vsnprintf(room, sizeof room, format, arguments);
    char *longer = length < (int)sizeof room ? NULL : malloc((size_t)length + 1);
    char *text = longer ? longer : room;
    size_t bytes = strlen(format), first = line_ends(format, bytes, false);
    size_t last = line_ends(format + first, bytes - first, true);
    bool has_more = memchr(format + first, '\n', bytes - first - last) != NULL;
    if (longer) vsnprintf(longer, (size_t)length + 1, format, again);
    if (length >= 0) put(out, text, strlen(text), first, last, has_more);
    va_end(again);
    va_end(arguments);
    free(longer);
}

void gmc_terminal_lines(FILE *out, int indent, const char *text)
{
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    for (const char *p = text; p < text + length; p += used) {
        gmc_printable_next(p, shown, &used);
        if (*p == '\n')
            fprintf(out, "\n%*s", indent, "");
        else
            fputs(shown, out);
    }
    fputc('\n', out);
}

void gmc_terminal_messages(const gmc_diagnostics *messages)
{
    if (gmc_terminal_of(stderr) == GMC_TERMINAL_COLOURS)
        gmc_diagnostics_paint(messages, stderr);
    else
        gmc_diagnostics_print(messages, stderr);
}
