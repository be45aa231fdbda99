// Small steps of the readers. Every one of them takes a whole value, good or bad, so that a mistake
// leaves the next value where it is expected and all mistakes of a file are told at once.
#include "engine/base/number.h"
#include "sampling/grasps/intake_internal.h"

#include <stdio.h>
#include <string.h>

enum { MISTAKES = 50 }; // a wrong file has one in every grasp

gmc_status gmc_intake_open(const char *file, const unsigned char *bytes, size_t size,
                           gmc_diagnostics *report, gmc_grasps *grasps, gmc_intake *r)
{
    *r = (gmc_intake){
        .file = file, .grasps = grasps, .report = report, .errors_before = report->error_count};
    return gmc_yaml_scan_open((const char *)bytes, size, file, report, &r->scan);
}

gmc_status gmc_intake_close(gmc_intake *r, gmc_status status)
{
    gmc_yaml_scan_close(r->scan);
    if (status == GMC_OK && r->report->error_count > r->errors_before) return GMC_E_INPUT;
    return status;
}

bool gmc_intake_is_full(const gmc_intake *r)
{
    return r->report->error_count - r->errors_before > MISTAKES;
}

gmc_status gmc_intake_complain(const gmc_intake *r, gmc_source source, const char *hint,
                               const char *what)
{
    bool is_last = r->report->error_count - r->errors_before == MISTAKES;
    if (gmc_intake_is_full(r)) return GMC_OK;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, is_last ? NULL : hint, "%s",
                        is_last ? "more mistakes follow; the first 50 are shown" : what);
    return GMC_OK;
}

gmc_status gmc_intake_limit(const gmc_intake *r, gmc_source source, gmc_status status)
{
    if (status != GMC_E_LIMIT) return status;
    char what[100];
    snprintf(what, sizeof what, "more than %d grasps, or %d names of joints", GMC_GRASPS_MAX,
             GMC_GRASPS_NAMES_MAX);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, NULL, "%s", what);
    return GMC_E_INPUT;
}

static const char *kind_name(const gmc_yaml_scan_item *item)
{
    switch (item->kind) {
    case GMC_YAML_SCAN_TEXT:
        return item->text[0] ? "text" : "nothing";
    case GMC_YAML_SCAN_LIST:
        return "a list";
    case GMC_YAML_SCAN_MAP:
        return "keys with values";
    case GMC_YAML_SCAN_CLOSE:
    case GMC_YAML_SCAN_END:
        break;
    }
    return "the end";
}

gmc_status gmc_intake_expect(const gmc_intake *r, const gmc_yaml_scan_item *item,
                             gmc_yaml_scan_kind kind, const char *what, bool *is_good)
{
    *is_good = item->kind == kind;
    if (*is_good) return GMC_OK;
    char message[160];
    snprintf(message, sizeof message, "%.80s: expected %s, found %s", what,
             kind == GMC_YAML_SCAN_LIST  ? "a list"
             : kind == GMC_YAML_SCAN_MAP ? "keys with values"
                                         : "text",
             kind_name(item));
    GMC_TRY(gmc_intake_complain(r, item->source, NULL, message));
    return gmc_yaml_scan_skip(r->scan, item);
}

static bool is_word(const char *text, const char *word)
{
    if (*text == '+' || *text == '-' || *text == '.') text++;
    if (*text == '.') text++;
    for (; *word; text++, word++)
        if ((*text | 0x20) != *word) return false;
    return *text == 0;
}

gmc_status gmc_intake_number(const gmc_intake *r, const gmc_yaml_scan_item *item, const char *what,
                             double *value, bool *is_good)
{
    bool is_text = false;
    GMC_TRY(gmc_intake_expect(r, item, GMC_YAML_SCAN_TEXT, what, &is_text));
    *is_good = *is_good && is_text;
    if (!is_text) return GMC_OK;
    gmc_status status = gmc_number_parse(item->text, strlen(item->text), value);
    if (status == GMC_OK && item->is_plain) return GMC_OK;
    *is_good = false;
    bool is_infinite = is_word(item->text, "nan") || is_word(item->text, "inf") ||
                       is_word(item->text, "infinity") || status == GMC_E_LIMIT;
    char message[160];
    snprintf(message, sizeof message, "%.60s: must be %s, found %.40s", what,
             is_infinite ? "finite" : "a number", item->text[0] ? item->text : "nothing");
    return gmc_intake_complain(r, item->source, is_infinite ? "leave the grasp out" : NULL,
                               message);
}

const char gmc_intake_scale_hint[] = "1 where the mesh is as it is; or leave it out";

gmc_status gmc_intake_scale(const gmc_intake *r, const gmc_yaml_scan_item *item, const char *what,
                            double *scale)
{
    bool is_text = false;
    GMC_TRY(gmc_intake_expect(r, item, GMC_YAML_SCAN_TEXT, what, &is_text));
    if (!is_text) return GMC_OK;
    gmc_status status = gmc_number_parse(item->text, strlen(item->text), scale);
    if (status == GMC_OK && item->is_plain && *scale > 0) return GMC_OK;
    char message[160];
    snprintf(message, sizeof message, "%.60s: must be a finite number > 0, found %.40s", what,
             item->text[0] ? item->text : "nothing");
    return gmc_intake_complain(r, item->source, gmc_intake_scale_hint, message);
}

gmc_status gmc_intake_numbers(const gmc_intake *r, const gmc_yaml_scan_item *item,
                              const gmc_intake_list *list, double *values, bool *is_good)
{
    bool is_list = false;
    GMC_TRY(gmc_intake_expect(r, item, GMC_YAML_SCAN_LIST, list->what, &is_list));
    *is_good = *is_good && is_list;
    if (!is_list) return GMC_OK;
    int found = 0, open = 1;
    while (open > 0) {
        gmc_yaml_scan_item next;
        double value = 0;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &next));
        if (next.kind == GMC_YAML_SCAN_CLOSE) {
            open--;
        } else if (next.kind == GMC_YAML_SCAN_LIST && list->is_nested) {
            open++;
        } else {
            GMC_TRY(gmc_intake_number(r, &next, list->what, &value, is_good));
            if (found < list->count) values[found] = value;
            found++;
        }
    }
    if (found == list->count) return GMC_OK;
    *is_good = false;
    char message[120];
    snprintf(message, sizeof message, "%.60s: expected %d numbers, found %d", list->what,
             list->count, found);
    return gmc_intake_complain(r, item->source, NULL, message);
}

bool gmc_intake_ends_with(const char *file, const char *ending)
{
    size_t length = strlen(file), tail = strlen(ending);
    return length >= tail && strcmp(file + length - tail, ending) == 0;
}
