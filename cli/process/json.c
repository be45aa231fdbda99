#include "cli/process/json.h"

#include "engine/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *s = text; *s;) {
        unsigned code = 0;
        int length = gmc_printable_character(s, &code);
        if (length == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", out);
        else if (gmc_printable_acts(code))
            fprintf(out, "\\u%04x", code);
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

void gmc_json_reals(gmc_json *json, const char *name, const double *values, int count)
{
    gmc_json_open(json, name, '[');
    for (int i = 0; i < count; i++)
        gmc_json_real(json, NULL, values[i]);
    gmc_json_close(json, ']');
}
