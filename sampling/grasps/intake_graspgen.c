// GraspGen's JSON, read as the YAML that JSON is. Matrices and marks stand in two lists, which may
// come in either order; marks are kept until both are known. Marks may be true and false, numbers,
// or lists of one of these (N x 1).
#include "engine/base/list.h"
#include "sampling/grasps/intake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gmc_graspgen {
    gmc_intake r;
    bool has_transforms, has_marks;
    gmc_source transforms, mark_source;
    double *marks;
    int mark_count, mark_capacity;
} gmc_graspgen;

// The same, also true (1) and false (0).
static gmc_status mark_of(const gmc_intake *r, const gmc_yaml_scan_item *item, const char *what,
                          double *value, bool *is_good)
{
    bool is_word_true = item->kind == GMC_YAML_SCAN_TEXT && strcmp(item->text, "true") == 0;
    bool is_word_false = item->kind == GMC_YAML_SCAN_TEXT && strcmp(item->text, "false") == 0;
    if (!is_word_true && !is_word_false) return gmc_intake_number(r, item, what, value, is_good);
    *value = is_word_true;
    return GMC_OK;
}

static gmc_status read_transforms(gmc_graspgen *f, const gmc_yaml_scan_item *list)
{
    const gmc_intake *r = &f->r;
    f->has_transforms = true;
    f->transforms = list->source;
    bool is_list = false;
    GMC_TRY(gmc_intake_expect(r, list, GMC_YAML_SCAN_LIST, "transforms", &is_list));
    while (is_list && !gmc_intake_is_full(r)) {
        gmc_yaml_scan_item item;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
        if (item.kind == GMC_YAML_SCAN_CLOSE) break;
        gmc_status status = gmc_grasps_begin(r->grasps, NULL, item.source.line, item.source.column);
        GMC_TRY(gmc_intake_limit(r, item.source, status));
        char what[40];
        double m[16] = {0};
        bool is_good = true;
        snprintf(what, sizeof what, "transforms[%d]", r->grasps->count - 1);
        GMC_TRY(gmc_intake_numbers(r, &item, &(gmc_intake_list){what, 16, true}, m, &is_good));
        if (is_good) (void)gmc_grasps_matrix(r->grasps, m, item.source, r->report);
    }
    return GMC_OK;
}

static gmc_status add_mark(gmc_graspgen *f, double value)
{
    double *marks = gmc_list_room(f->marks, f->mark_count, &f->mark_capacity, sizeof *marks);
    if (!marks) return GMC_E_MEMORY;
    f->marks = marks;
    f->marks[f->mark_count++] = value;
    return GMC_OK;
}

static gmc_status read_marks(gmc_graspgen *f, const gmc_yaml_scan_item *list)
{
    const gmc_intake *r = &f->r;
    f->has_marks = true;
    f->mark_source = list->source;
    bool is_list = false;
    GMC_TRY(gmc_intake_expect(r, list, GMC_YAML_SCAN_LIST, "object_in_gripper", &is_list));
    int open = is_list;
    while (open > 0 && !gmc_intake_is_full(r)) {
        gmc_yaml_scan_item item;
        double value = 0;
        bool is_good = true;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
        if (item.kind == GMC_YAML_SCAN_CLOSE) {
            open--;
        } else if (item.kind == GMC_YAML_SCAN_LIST) {
            open++;
        } else if (f->mark_count == GMC_GRASPS_MAX) {
            return gmc_intake_limit(r, item.source, GMC_E_LIMIT);
        } else {
            GMC_TRY(mark_of(r, &item, "object_in_gripper", &value, &is_good));
            GMC_TRY(add_mark(f, value));
        }
    }
    return GMC_OK;
}

// The keys of `object` or `grasps`.
static gmc_status read_part(gmc_graspgen *f, const gmc_yaml_scan_item *map, const char *part)
{
    const gmc_intake *r = &f->r;
    bool is_map = false, is_object = strcmp(part, "object") == 0;
    GMC_TRY(gmc_intake_expect(r, map, GMC_YAML_SCAN_MAP, part, &is_map));
    while (is_map && !gmc_intake_is_full(r)) {
        gmc_yaml_scan_item key, value;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &key));
        if (key.kind == GMC_YAML_SCAN_CLOSE) break;
        bool is_scale = is_object && strcmp(key.text, "scale") == 0;
        bool is_list = !is_object && strcmp(key.text, "transforms") == 0;
        bool is_mark = !is_object && strcmp(key.text, "object_in_gripper") == 0;
        bool is_second = (is_list && f->has_transforms) || (is_mark && f->has_marks);
        if (is_second)
            GMC_TRY(gmc_intake_complain(r, key.source, "remove one of the two",
                                        "this key stands here a second time"));
        GMC_TRY(gmc_yaml_scan_next(r->scan, &value));
        if (is_scale)
            GMC_TRY(gmc_intake_scale(r, &value, "object.scale", &r->grasps->object_scale));
        else if (is_list && !is_second)
            GMC_TRY(read_transforms(f, &value));
        else if (is_mark && !is_second)
            GMC_TRY(read_marks(f, &value));
        else
            GMC_TRY(gmc_yaml_scan_skip(r->scan, &value));
    }
    return GMC_OK;
}

static gmc_status match_marks(const gmc_graspgen *f)
{
    if (!f->has_marks || gmc_intake_is_full(&f->r)) return GMC_OK;
    if (f->mark_count != f->r.grasps->count) {
        char what[100];
        snprintf(what, sizeof what, "object_in_gripper has %d values, transforms has %d",
                 f->mark_count, f->r.grasps->count);
        return gmc_intake_complain(&f->r, f->mark_source, NULL, what);
    }
    for (int i = 0; i < f->mark_count; i++)
        f->r.grasps->list[i].confidence = f->marks[i];
    return GMC_OK;
}

static gmc_status read_file(gmc_graspgen *f)
{
    const gmc_intake *r = &f->r;
    gmc_yaml_scan_item item;
    bool is_map = false;
    GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
    gmc_source start = {.file = r->file, .line = item.source.line};
    GMC_TRY(gmc_intake_expect(r, &item, GMC_YAML_SCAN_MAP, "file of grasps", &is_map));
    if (!is_map) return GMC_OK;
    while (!gmc_intake_is_full(r)) {
        gmc_yaml_scan_item value;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
        if (item.kind != GMC_YAML_SCAN_TEXT) break;
        bool is_object = strcmp(item.text, "object") == 0;
        bool is_grasps = strcmp(item.text, "grasps") == 0;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &value));
        if (is_object || is_grasps)
            GMC_TRY(read_part(f, &value, is_object ? "object" : "grasps"));
        else
            GMC_TRY(gmc_yaml_scan_skip(r->scan, &value));
    }
    if (gmc_intake_is_full(r)) return GMC_OK;
    if (item.kind == GMC_YAML_SCAN_CLOSE) GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
    if (!f->has_transforms)
        return gmc_intake_complain(r, start,
                                   "{\"grasps\": {\"transforms\": [...], \"object_in_gripper\": "
                                   "[...]}}, or  format: isaac_grasp",
                                   "no grasps.transforms: this is not GraspGen's JSON");
    return match_marks(f);
}

static bool fits_json(const char *file, const unsigned char *bytes, size_t size)
{
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", bytes[first]) && bytes[first] != 0)
        first++;
    return gmc_intake_ends_with(file, ".json") || (first < size && bytes[first] == '{');
}

static gmc_status read_graspgen(const char *file, const unsigned char *bytes, size_t size,
                                gmc_diagnostics *report, gmc_grasps *grasps)
{
    gmc_graspgen f = {0};
    GMC_TRY(gmc_intake_open(file, bytes, size, report, grasps, &f.r));
    grasps->has_poses = true;
    gmc_status status = read_file(&f);
    free(f.marks);
    return gmc_intake_close(&f.r, status);
}

const gmc_grasps_format gmc_intake_graspgen = {
    .name = "graspgen",
    .about =
        "JSON of GraspGen: grasps.transforms, 4 x 4 each; grasps.object_in_gripper as confidence; "
        "object.scale",
    .fits = fits_json,
    .read = read_graspgen,
};
