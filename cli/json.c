#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/// Length of the UTF-8 sequence at `s` (1 to 4), 0 if it is none: overlong forms, surrogates and
/// numbers beyond U+10FFFF are none (RFC 3629 §4).
static int sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0; // also stops at the end of the text
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int length = sequence_length(s);
        if (length == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", out);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)length, out);
        s += length;
    }
    fputc('"', out);
}

static void start(gmc_json *json, const char *name)
{
    if (json->has_before) fputs(", ", json->out);
    json->has_before = true;
    if (!name) return;
    put_text(json->out, name);
    fputs(": ", json->out);
}

void gmc_json_open(gmc_json *json, const char *name, char bracket)
{
    start(json, name);
    fputc(bracket, json->out);
    json->has_before = false;
}

void gmc_json_close(gmc_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->has_before = true;
}

void gmc_json_text(gmc_json *json, const char *name, const char *value)
{
    start(json, name);
    if (value)
        put_text(json->out, value);
    else
        fputs("null", json->out);
}

void gmc_json_real(gmc_json *json, const char *name, double value)
{
    start(json, name);
    if (!isfinite(value)) {
        fputs("null", json->out);
        return;
    }
    char text[32];
    for (int digits = 15; digits <= 17; digits++) { // 17 always do
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, json->out);
}

void gmc_json_whole(gmc_json *json, const char *name, uint64_t value)
{
    start(json, name);
    fprintf(json->out, "%" PRIu64, value);
}

void gmc_json_flag(gmc_json *json, const char *name, bool value)
{
    start(json, name);
    fputs(value ? "true" : "false", json->out);
}
