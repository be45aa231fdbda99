#include "sampling/language/text.h"

#include "engine/base/printable.h"
#include "sampling/language/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Room for `more` bytes and a zero.
static bool make_room(gmc_text *text, size_t more)
{
    if (text->has_failed) return false;
    if (text->size + more + 1 <= text->capacity) return true;
    size_t capacity = 2 * (text->capacity + more) + 64;
    char *grown = realloc(text->bytes, capacity);
    if (!grown) {
        text->has_failed = true;
        return false;
    }
    text->bytes = grown;
    text->capacity = capacity;
    return true;
}

void gmc_text_add_bytes(gmc_text *text, const char *bytes, size_t size)
{
    if (!make_room(text, size)) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
}

void gmc_text_add(gmc_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void gmc_text_add_json(gmc_text *text, const char *value)
{
    gmc_text_add(text, "\"");
    for (const char *p = value; *p;) {
        unsigned code = 0;
        int length = gmc_printable_character(p, &code);
        if (length == 0) {
            gmc_text_add(text, "\\ufffd");
            p++;
            continue;
        }
        if (code == '"' || code == '\\')
            gmc_text_add(text, "\\%c", (char)code);
        else if (gmc_printable_acts(code))
            gmc_text_add(text, "\\u%04x", code);
        else
            gmc_text_add_bytes(text, p, (size_t)length);
        p += length;
    }
    gmc_text_add(text, "\"");
}

void gmc_text_add_number(gmc_text *text, double value, bool is_json)
{
    char number[GMC_UNITS_TEXT];
    gmc_units_print(value, number);
    gmc_text_add(text, "%s", is_json && !isfinite(value) ? "null" : number);
}

gmc_status gmc_text_take(gmc_text *text, char **bytes)
{
    *bytes = NULL;
    if (!text->bytes) gmc_text_add_bytes(text, "", 0);
    if (text->has_failed) {
        gmc_text_free(text);
        return GMC_E_MEMORY;
    }
    *bytes = text->bytes;
    *text = (gmc_text){0};
    return GMC_OK;
}

void gmc_text_free(gmc_text *text)
{
    free(text->bytes);
    *text = (gmc_text){0};
}
