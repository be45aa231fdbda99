// Both styles are written number by number in the shortest form that reads back to the same double,
// so that a file that is read and written again changes nothing.
#include "sampling/writing/write_grasps.h"

#include "engine/math/quat.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the writing of one file shares.
typedef struct gmc_writing {
    const gmc_scenario *scenario;
    int object;
    double *values; // (parameter_count) of the case at hand
    gmc_text text;
} gmc_writing;

gmc_grasps_style gmc_grasps_style_of(const char *file)
{
    size_t length = strlen(file);
    bool is_csv = length > 4 && strcmp(file + length - 4, ".csv") == 0;
    return is_csv ? GMC_GRASPS_CSV : GMC_GRASPS_ISAAC;
}

gmc_status gmc_write_grasps_file(const gmc_scenario *scenario, int object, const char *file,
                                 char **name)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    if (!dot || (slash && dot < slash)) dot = file + strlen(file);
    gmc_text text = {0};
    gmc_text_add_bytes(&text, file, (size_t)(dot - file));
    if (scenario->object_count > 1) gmc_text_add(&text, ".%s", scenario->objects[object].name);
    gmc_text_add(&text, "%s", dot);
    return gmc_text_take(&text, name);
}

// ---- isaac_grasp ------------------------------------------------------------------------------

static void add_numbers(gmc_text *text, const double *values, int count)
{
    gmc_text_add(text, "[");
    for (int i = 0; i < count; i++) {
        gmc_text_add(text, i > 0 ? ", " : "");
        gmc_text_add_number(text, values[i], false);
    }
    gmc_text_add(text, "]");
}

static void add_pose(gmc_text *text, const double position[3], const double rotation[4])
{
    gmc_text_add(text, "    position: ");
    add_numbers(text, position, 3);
    gmc_text_add(text, "\n    orientation: {w: ");
    gmc_text_add_number(text, rotation[0], false);
    gmc_text_add(text, ", xyz: ");
    add_numbers(text, rotation + 1, 3);
    gmc_text_add(text, "}\n");
}

// "key: {joint: value}" of one kind of a grasp's entries, if there are some.
static void add_entries(gmc_text *text, const gmc_grasps *grasps, const gmc_grasp *grasp,
                        gmc_grasp_entry_kind kind, const char *key)
{
    bool is_first = true;
    for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++) {
        const gmc_grasp_entry *entry = &grasps->entries[i];
        if (entry->kind != kind) continue;
        if (is_first) gmc_text_add(text, "    %s:\n", key);
        is_first = false;
        gmc_text_add(text, "      ");
        gmc_text_add_json(text, grasps->names[entry->name].text);
        gmc_text_add(text, ": ");
        gmc_text_add_number(text, entry->value, false);
        gmc_text_add(text, "\n");
    }
}

// Where the decisions of the case put the hand, and how far open.
static void add_decided(gmc_writing *w)
{
    const gmc_robot_spec *hand = &w->scenario->hand;
    const gmc_param target[6] = {hand->target.x,    hand->target.y,     hand->target.z,
                                 hand->target.roll, hand->target.pitch, hand->target.yaw};
    double v[6];
    for (int i = 0; i < 6; i++)
        v[i] = target[i] < 0 ? 0 : w->values[target[i]];
    gmc_quat q = gmc_quat_from_rpy(v[3], v[4], v[5]);
    add_pose(&w->text, v, (const double[]){q.w, q.x, q.y, q.z});
    bool is_first = true;
    for (int i = 0; i < hand->joint_count; i++) {
        if (hand->joints[i].start < 0) continue;
        gmc_text_add(&w->text, is_first ? "    pregrasp_cspace_position:\n" : "");
        is_first = false;
        gmc_text_add(&w->text, "      ");
        gmc_text_add_json(&w->text, hand->joints[i].joint);
        gmc_text_add(&w->text, ": ");
        gmc_text_add_number(&w->text, w->values[hand->joints[i].start], false);
        gmc_text_add(&w->text, "\n");
    }
}

// The name of a grasp, with its case where that alone tells it apart.
static void put_name(gmc_text *full, const char *name, int64_t case_index, bool is_whole)
{
    if (name) gmc_text_add(full, "%s", name);
    if (!name || !is_whole)
        gmc_text_add(full, name ? "_case_%" PRId64 : "case_%" PRId64, case_index);
}

static void add_name(gmc_text *text, const char *name, int64_t case_index, bool is_whole)
{
    gmc_text full = {0};
    put_name(&full, name, case_index, is_whole);
    gmc_text_add(text, "  ");
    if (full.bytes)
        gmc_text_add_json(text, full.bytes);
    else
        text->has_failed = true;
    gmc_text_add(text, ":\n");
    gmc_text_free(&full);
}

// The file of a case's grasp, if that gave a pose.
static const gmc_grasp_set *posed_set(const gmc_scenario *s, int64_t case_index, int *index)
{
    const gmc_grasp_set *set = gmc_study_grasp_set(s, case_index, index);
    return set && set->grasps.has_poses ? set : NULL;
}

// Is a case told by its object and its grasp alone?
static bool is_grasp_alone(const gmc_scenario *s)
{
    for (int i = 0; i < s->axis_count; i++)
        if (!s->axes[i].objects) return false;
    return true;
}

static void add_isaac(gmc_writing *w, const gmc_grasps_choice *choice)
{
    int index = -1;
    const gmc_grasp_set *set = posed_set(w->scenario, choice->case_index, &index);
    const gmc_grasp *grasp = set ? &set->grasps.list[set->rows[index]] : NULL;
    const gmc_grasp_set *named = gmc_study_grasp_set(w->scenario, choice->case_index, &index);
    add_name(&w->text, named ? named->grasps.list[named->rows[index]].name : NULL,
             choice->case_index, is_grasp_alone(w->scenario));
    if (isfinite(choice->confidence)) {
        gmc_text_add(&w->text, "    confidence: ");
        gmc_text_add_number(&w->text, choice->confidence, false);
        gmc_text_add(&w->text, "\n");
    }
    if (!grasp) {
        gmc_perturb_believed(w->scenario, choice->case_index, w->values);
        add_decided(w);
        return;
    }
    add_pose(&w->text, grasp->position, grasp->rotation);
    add_entries(&w->text, &set->grasps, grasp, GMC_GRASP_CLOSED, "cspace_position");
    add_entries(&w->text, &set->grasps, grasp, GMC_GRASP_OPEN, "pregrasp_cspace_position");
}

static void add_header(gmc_writing *w, int64_t case_index)
{
    const gmc_item_spec *object = &w->scenario->objects[w->object];
    const gmc_grasp_set *set = posed_set(w->scenario, case_index, NULL);
    const char *of_object = set ? set->grasps.object_frame : NULL;
    const char *of_gripper = set ? set->grasps.gripper_frame : NULL;
    if (!of_gripper && set) of_gripper = set->frame;
    if (!of_gripper) of_gripper = w->scenario->hand.frame;
    const char *object_key = set ? set->grasps.object_key : NULL;
    const char *gripper_key = set ? set->grasps.gripper_key : NULL;
    gmc_text_add(&w->text, "format: isaac_grasp\nformat_version: 1.0\n\n%s: ",
                 object_key ? object_key : "object_frame");
    gmc_text_add_json(&w->text, of_object ? of_object : object->name);
    gmc_text_add(&w->text, "\n%s: ", gripper_key ? gripper_key : "gripper_frame");
    gmc_text_add_json(&w->text, of_gripper ? of_gripper : "base");
    gmc_text_add(&w->text, "\n\ngrasps:\n");
}

// ---- CSV --------------------------------------------------------------------------------------

// Does the study decide this column for the object?
static bool is_decided(const gmc_writing *w, const gmc_sampled *column)
{
    return column->axis_index >= 0 && (!column->by_object || column->by_object[w->object] >= 0);
}

// Does isaac_grasp have a place for it?
static bool is_start_of_hand(const gmc_robot_spec *hand, gmc_param param)
{
    const gmc_pose_spec *t = &hand->target;
    bool is_start = param == t->x || param == t->y || param == t->z || param == t->roll ||
                    param == t->pitch || param == t->yaw;
    for (int i = 0; i < hand->joint_count; i++)
        is_start = is_start || hand->joints[i].start == param;
    return is_start;
}

gmc_status gmc_write_grasps_lost(const gmc_scenario *scenario, int object, char **paths)
{
    const gmc_writing w = {.scenario = scenario, .object = object};
    gmc_text text = {0};
    gmc_text_add(&text, "%s", "");
    for (int i = 0; i < scenario->sampled_count; i++) {
        const gmc_sampled *column = &scenario->sampled[i];
        if (!is_decided(&w, column)) continue;
        gmc_param param = column->by_object ? column->by_object[object] : column->target;
        if (is_start_of_hand(&scenario->hand, param)) continue;
        gmc_text_add(&text, text.size > 0 ? ", %s" : "%s", column->path);
    }
    return gmc_text_take(&text, paths);
}

// A field in quotes, so that any text is one.
static void add_csv_name(gmc_text *text, const char *name, int64_t case_index, bool is_whole)
{
    gmc_text full = {0};
    put_name(&full, name, case_index, is_whole);
    text->has_failed = text->has_failed || !full.bytes;
    gmc_text_add(text, "\"");
    for (const char *p = full.bytes; p && *p; p++)
        gmc_text_add(text, *p == '"' ? "\"%c" : "%c", *p);
    gmc_text_add(text, "\"");
    gmc_text_free(&full);
}

static void add_csv_header(gmc_writing *w, bool has_names)
{
    gmc_text_add(&w->text, has_names ? "name,confidence" : "confidence");
    for (int i = 0; i < w->scenario->sampled_count; i++) {
        const gmc_sampled *column = &w->scenario->sampled[i];
        if (!is_decided(w, column)) continue;
        const char *unit = gmc_units_name(column->dimension);
        gmc_text_add(&w->text, strcmp(unit, "1") == 0 ? ",%s" : ",%s [%s]", column->path, unit);
    }
    gmc_text_add(&w->text, "\n");
}

static void add_csv(gmc_writing *w, const gmc_grasps_choice *choice)
{
    int index = -1;
    const gmc_grasp_set *set = gmc_study_grasp_set(w->scenario, choice->case_index, &index);
    gmc_perturb_believed(w->scenario, choice->case_index, w->values);
    if (set) {
        add_csv_name(&w->text, set->grasps.list[set->rows[index]].name, choice->case_index,
                     is_grasp_alone(w->scenario));
        gmc_text_add(&w->text, ",");
    }
    gmc_text_add_number(&w->text, isfinite(choice->confidence) ? choice->confidence : 0, false);
    for (int i = 0; i < w->scenario->sampled_count; i++) {
        const gmc_sampled *column = &w->scenario->sampled[i];
        if (!is_decided(w, column)) continue;
        gmc_text_add(&w->text, ",");
        gmc_param param = column->by_object ? column->by_object[w->object] : column->target;
        gmc_text_add_number(&w->text, w->values[param], false);
    }
    gmc_text_add(&w->text, "\n");
}

gmc_status gmc_write_grasps(const gmc_scenario *scenario, const gmc_grasps_choice *choices,
                            int count, int object, gmc_grasps_style style, char **text)
{
    gmc_writing w = {.scenario = scenario, .object = object};
    *text = NULL;
    w.values = calloc((size_t)scenario->parameter_count + 1, sizeof *w.values);
    if (!w.values) return GMC_E_MEMORY;
    int written = 0;
    for (int i = 0; i < count; i++) {
        if (gmc_study_object(scenario, choices[i].case_index) != object) continue;
        bool is_csv = style == GMC_GRASPS_CSV;
        if (written++ == 0 && is_csv)
            add_csv_header(&w, gmc_study_grasp_set(scenario, choices[i].case_index, NULL));
        else if (written == 1)
            add_header(&w, choices[i].case_index);
        if (is_csv)
            add_csv(&w, &choices[i]);
        else
            add_isaac(&w, &choices[i]);
    }
    free(w.values);
    if (written > 0) return gmc_text_take(&w.text, text);
    gmc_text_free(&w.text);
    return GMC_E_MISSING;
}
