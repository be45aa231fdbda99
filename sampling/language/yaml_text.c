// libyaml counts columns in characters and treats CR, NEL, LS and PS as line ends; messages want
// bytes and the lines an editor shows. The text is therefore searched for the exotic line ends
// first, and columns are converted with the start of each line.
#include "sampling/language/yaml_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- places -----------------------------------------------------------------------------------

static bool find_lines(gmc_yaml_text *t)
{
    size_t count = 1;
    for (size_t i = 0; i < t->bytes; i++)
        count += t->text[i] == '\n';
    t->line_start = malloc((count + 1) * sizeof *t->line_start);
    if (!t->line_start) return false;
    t->line_start[0] = 0;
    t->line_count = 1;
    for (size_t i = 0; i < t->bytes; i++)
        if (t->text[i] == '\n') t->line_start[t->line_count++] = i + 1;
    t->line_start[t->line_count] = t->bytes;
    return true;
}

// Offset in bytes of a place given as line and character. Places are asked for from left to right,
// so that the walk goes on where it ended: a megabyte on one line is walked once, not once for each
// value.
static size_t offset_of(gmc_yaml_text *t, size_t line, size_t column)
{
    if (line >= t->line_count) return t->bytes;
    size_t at = t->line_start[line], end = t->line_start[line + 1], passed = 0;
    if (t->walked_line == line && t->walked_column <= column && t->walked_at > at) {
        at = t->walked_at;
        passed = t->walked_column;
    }
    for (; passed < column && at < end; passed++) {
        at++;
        while (at < end && ((unsigned char)t->text[at] & 0xc0) == 0x80)
            at++;
    }
    t->walked_line = line;
    t->walked_column = column;
    t->walked_at = at;
    return at;
}

static gmc_source place(gmc_yaml_text *t, const yaml_mark_t *start, const yaml_mark_t *end)
{
    size_t from = offset_of(t, start->line, start->column);
    size_t line = start->line < t->line_count ? start->line : t->line_count - 1;
    size_t to = offset_of(t, end->line, end->column);
    if (end->line != start->line) {
        to = t->line_start[line + 1];
        while (to > from && (t->text[to - 1] == '\n' || t->text[to - 1] == '\r'))
            to--;
    }
    size_t shift = line == 0 ? t->mark_bytes : 0;
    return (gmc_source){.file = t->file,
                        .line = (int)line + 1,
                        .column = (int)(from - t->line_start[line] + shift) + 1,
                        .length = to > from ? (int)(to - from) : 1};
}

static gmc_source place_of_byte(const gmc_yaml_text *t, size_t offset)
{
    size_t line = 0;
    while (line + 1 < t->line_count && t->line_start[line + 1] <= offset)
        line++;
    size_t shift = line == 0 ? t->mark_bytes : 0;
    return (gmc_source){.file = t->file,
                        .line = (int)line + 1,
                        .column = (int)(offset - t->line_start[line] + shift) + 1,
                        .length = 1};
}

static const char *hint_for_problem(const yaml_parser_t *parser, const gmc_yaml_text *t,
                                    size_t offset)
{
    const char *problem = parser->problem ? parser->problem : "";
    if (offset < t->bytes && t->text[offset] == '\t') return "indent with spaces, not tabs";
    if (strstr(problem, "cannot start any token"))
        return "put text with special characters into \"quotes\"";
    if (strstr(problem, "mapping values are not allowed"))
        return "a colon inside a value needs \"quotes\" around the value";
    if (strstr(problem, "expected ',' or"))
        return "a bracket is not closed, or text inside brackets that holds a comma needs "
               "\"quotes\"";
    if (strstr(problem, "did not find expected key") || strstr(problem, "could not find expected"))
        return "check the indentation and that every key ends with a colon and a space";
    return NULL;
}

/// What the first bytes, of a mark or of a letter, say of a file that is no UTF-8; NULL: nothing.
static const char *wide_name(const char *text, size_t bytes)
{
    unsigned char b[4] = {1, 1, 1, 1};
    memcpy(b, text, bytes < sizeof b ? bytes : sizeof b);
    bool is_little = (b[0] == 0xff && b[1] == 0xfe) || (b[0] > 0 && b[0] < 0x80 && b[1] == 0);
    bool is_big = (b[0] == 0xfe && b[1] == 0xff) || (b[0] == 0 && b[1] > 0);
    if ((is_little && b[2] == 0 && b[3] == 0) || (b[0] == 0 && b[1] == 0)) return "UTF-32";
    return is_little || is_big ? "UTF-16" : NULL;
}

gmc_status gmc_yaml_text_problem(gmc_yaml_text *t, const yaml_parser_t *parser,
                                 gmc_diagnostics *report)
{
    if (parser->error == YAML_MEMORY_ERROR) return GMC_E_MEMORY;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR) {
        size_t offset = parser->problem_offset < t->bytes ? parser->problem_offset : t->bytes;
        const char *wide = wide_name(t->text, t->bytes);
        if (wide)
            gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, place_of_byte(t, 0),
                                "save the file as UTF-8 text", "the file is %s", wide);
        if (wide) return GMC_E_INPUT;
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, place_of_byte(t, offset),
                            "save the file as UTF-8 text", "not text: %s", problem);
        return GMC_E_INPUT;
    }
    gmc_source source = place(t, &parser->problem_mark, &parser->problem_mark);
    size_t offset = offset_of(t, parser->problem_mark.line, parser->problem_mark.column);
    const char *hint = hint_for_problem(parser, t, offset);
    if (parser->context)
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, source, hint,
                            "not YAML: %s (%s that starts in line %d)", problem, parser->context,
                            (int)parser->context_mark.line + 1);
    else
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, source, hint, "not YAML: %s", problem);
    return GMC_E_INPUT;
}

// Line ends that an editor and libyaml count differently.
static gmc_status refuse_odd_line_ends(const gmc_yaml_text *t, gmc_diagnostics *report)
{
    for (size_t i = 0; i < t->bytes; i++) {
        const unsigned char *p = (const unsigned char *)t->text + i;
        size_t rest = t->bytes - i;
        bool is_lone = p[0] == '\r' && !(rest > 1 && p[1] == '\n');
        bool is_next_line = p[0] == 0xc2 && rest > 1 && p[1] == 0x85;
        bool is_separator =
            p[0] == 0xe2 && rest > 2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9);
        if (!is_lone && !is_next_line && !is_separator) continue;
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, place_of_byte(t, i),
                            "end lines with LF or CRLF",
                            "an unusual line end (lone CR, NEL, LS or PS)");
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

gmc_source gmc_yaml_text_place(gmc_yaml_text *t, const yaml_event_t *event)
{
    return place(t, &event->start_mark, &event->end_mark);
}

gmc_status gmc_yaml_text_open(const char *text, size_t bytes, const char *file,
                              gmc_diagnostics *report, gmc_yaml_text *t)
{
    *t = (gmc_yaml_text){.file = file};
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) t->mark_bytes = 3;
    t->text = text + t->mark_bytes;
    t->bytes = bytes - t->mark_bytes;
    if (!find_lines(t)) return GMC_E_MEMORY;
    return refuse_odd_line_ends(t, report);
}

gmc_status gmc_yaml_text_start(const gmc_yaml_text *t, yaml_parser_t *parser)
{
    if (!yaml_parser_initialize(parser)) return GMC_E_MEMORY;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)t->text, t->bytes);
    return GMC_OK;
}

void gmc_yaml_text_close(gmc_yaml_text *t) { free(t->line_start); }
