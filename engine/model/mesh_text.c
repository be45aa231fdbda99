// Lines, words and numbers of the text formats.
#include "engine/base/number.h"
#include "engine/model/mesh_internal.h"

#include <string.h>

// Coordinates beyond this (in file units: 1 000 km in millimetres) are junk, and their cubes would
// soon leave the range of a double.
#define GMC_MESH_COORDINATE_MAX 1e9

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

bool gmc_mesh_text_line(gmc_mesh_text *text)
{
    if (text->at >= text->end) return false;
    text->line++;
    text->start = text->word_at = text->at;
    const char *c = text->at;
    while (c < text->end && *c != '\n' && *c != '\r')
        c++;
    text->stop = c;
    if (c < text->end) c += c[0] == '\r' && c + 1 < text->end && c[1] == '\n' ? 2 : 1;
    text->at = c;
    return true;
}

bool gmc_mesh_text_word(gmc_mesh_text *text, const char **word, size_t *length)
{
    const char *c = text->word_at;
    for (;;) {
        while (c < text->stop && is_blank(*c))
            c++;
        // a backslash that ends the line joins the next one to it
        if (c + 1 != text->stop || *c != '\\' || text->at >= text->end) break;
        gmc_mesh_text_line(text);
        c = text->start;
    }
    *word = c;
    while (c < text->stop && !is_blank(*c))
        c++;
    *length = (size_t)(c - *word);
    text->word_at = c;
    return *length > 0;
}

int gmc_mesh_text_shown(size_t length) { return length > 32 ? 32 : (int)length; }

bool gmc_mesh_text_is(const char *word, size_t length, const char *expected)
{
    if (length != strlen(expected)) return false;
    for (size_t i = 0; i < length; i++) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (c != expected[i]) return false;
    }
    return true;
}

bool gmc_mesh_text_number(gmc_mesh_draft *draft, gmc_mesh_text *text, const char *what,
                          double *value)
{
    const char *word;
    size_t length;
    bool is_there = gmc_mesh_text_word(text, &word, &length);
    int column = (int)(word - text->start) + 1;
    if (!is_there) {
        gmc_mesh_draft_error(draft, text->line, column, NULL,
                             "expected %s, found the end of the line", what);
        return false;
    }
    gmc_status status = gmc_number_parse(word, length, value);
    if (status == GMC_OK && fabs(*value) <= GMC_MESH_COORDINATE_MAX) return true;
    if (status == GMC_E_INPUT) {
        const char *hint = memchr(word, ',', length) ? "numbers have a decimal point" : NULL;
        gmc_mesh_draft_error(draft, text->line, column, hint,
                             "expected %s, found `%.*s`, which is not a finite number", what,
                             gmc_mesh_text_shown(length), word);
    } else {
        gmc_mesh_draft_error(draft, text->line, column, NULL, "%s `%.*s` is beyond 1e9", what,
                             gmc_mesh_text_shown(length), word);
    }
    return false;
}
