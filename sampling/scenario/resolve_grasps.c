// From files of grasps to cases: each grasp that an object takes becomes a row of values for the
// parameters that its file decides, the target of the hand and the joints' starts, or what the
// columns of a table name. `object` and `grasp` are then one axis over all rows of all objects.
#include "engine/math/pose.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A start beyond a joint's limit by no more than this is the limit, written with few digits [m,
// rad]
static const double LIMIT_WITHIN = 1e-3;

// ---- values -----------------------------------------------------------------------------------

// Fixed-axis roll, pitch, yaw of a rotation. Roll is taken from what yaw and pitch leave over, so
// that near pitch = +-90 deg, where the two turn about the same axis, their sum is still exact.
static void put_rpy(const gmc_mat3 *R, double rpy[3])
{
    const double *m = R->m;
    double s = 0, c = 1;
    rpy[1] = gmc_atan2(-m[6], sqrt(m[0] * m[0] + m[3] * m[3]));
    rpy[2] = gmc_atan2(m[3], m[0]);
    gmc_sin_cos(rpy[2], &s, &c);
    rpy[0] = gmc_atan2(s * m[2] - c * m[5], c * m[4] - s * m[1]);
    for (int i = 0; i < 3; i++)
        rpy[i] += 0.0; // no negative zero, which prints as one
}

// x, y, z, roll, pitch, yaw of hand.frame in the object's frame.
static void put_target(const gmc_grasp_set *set, const gmc_grasp *grasp, double target[6])
{
    const double *o = set->object, *q = grasp->rotation, *p = grasp->position;
    gmc_pose X_of =
        gmc_pose_make(gmc_quat_from_rpy(o[3], o[4], o[5]), (gmc_vec3){o[0], o[1], o[2]});
    gmc_pose X_fg = gmc_pose_make((gmc_quat){q[0], q[1], q[2], q[3]}, (gmc_vec3){p[0], p[1], p[2]});
    gmc_pose X_og = gmc_pose_multiply(&X_of, &X_fg);
    gmc_pose X_ot = gmc_pose_multiply(&X_og, &set->X_gt);
    target[0] = X_ot.p.x, target[1] = X_ot.p.y, target[2] = X_ot.p.z;
    put_rpy(&X_ot.R, target + 3);
}

// The entry that says where a joint starts; NULL: none does.
static const gmc_grasp_entry *start_of(const gmc_grasp_set *set, const gmc_grasp *grasp, int joint)
{
    const gmc_grasp_entry *found = NULL;
    for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++) {
        const gmc_grasp_entry *entry = &set->grasps.entries[i];
        if (entry->kind == GMC_GRASP_PATH || set->name_joint[entry->name] != joint) continue;
        bool is_wanted = entry->kind == GMC_GRASP_OPEN ? set->joints == GMC_GRASP_JOINTS_OPEN
                                                       : set->joints == GMC_GRASP_JOINTS_CLOSED;
        bool is_substitute = entry->kind == GMC_GRASP_CLOSED && !found;
        if (is_wanted || (is_substitute && set->joints == GMC_GRASP_JOINTS_OPEN)) found = entry;
    }
    return found;
}

// A start within the joint's limits; reported if it is beyond by more than rounding.
static double limited(const gmc_resolver *r, const gmc_grasp_set *set,
                      const gmc_joint_setting *joint, const gmc_grasp_entry *entry)
{
    const gmc_parameter *table = r->scenario->parameters;
    double lower = joint->lower < 0 ? -HUGE_VAL : table[joint->lower].nominal;
    double upper = joint->upper < 0 ? HUGE_VAL : table[joint->upper].nominal;
    double within = fmin(fmax(entry->value, lower), upper);
    if (fabs(within - entry->value) <= LIMIT_WITHIN) return within;
    gmc_source source = {.file = set->asset_file, .line = entry->line, .column = entry->column};
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source,
                        "positions are in m and rad, as in the hand's URDF",
                        "joint %.80s moves between %.6g and %.6g, not to %.6g", joint->joint, lower,
                        upper, entry->value);
    return within;
}

// Grasps of a mesh at another size miss it, or meet it by accident.
static void compare_scale(const gmc_resolver *r, const gmc_item_spec *object)
{
    const double SAME = 1e-6; // files keep seven digits, if single precision
    double of_file = object->grasps->grasps.object_scale;
    if (object->kind != GMC_KIND_MESH || object->scale < 0 || !isfinite(of_file)) return;
    double scale = r->scenario->parameters[object->scale].nominal;
    if (fabs(scale / of_file - 1) <= SAME) return;
    gmc_diagnostics_add(r->report, GMC_WARNING, GMC_OK, object->grasps->source,
                        "the same mesh file wants the same scale",
                        "%.120s were made for a mesh scaled by %.6g, %.120s.scale is %.6g m",
                        object->grasps->path, of_file, object->path, scale);
}

// ---- which parameters -------------------------------------------------------------------------

static gmc_status make_room(gmc_scenario *s, gmc_grasp_set *set, int targets)
{
    set->targets = gmc_arena_take(s->arena, (size_t)targets + 1, sizeof *set->targets);
    set->paths = gmc_arena_take(s->arena, (size_t)targets + 1, sizeof *set->paths);
    return set->targets && set->paths ? GMC_OK : GMC_E_ARENA_FULL;
}

static void add_target(gmc_scenario *s, gmc_grasp_set *set, gmc_param target, const char *path)
{
    set->targets[set->target_count] = target;
    set->paths[set->target_count++] = path ? path : s->parameters[target].path;
}

static bool make_values(const gmc_resolver *r, gmc_grasp_set *set)
{
    size_t numbers = (size_t)set->count * (size_t)set->target_count;
    set->values = malloc((numbers + 1) * sizeof *set->values);
    if (!set->values)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_MEMORY, set->source, NULL, "no memory");
    return set->values != NULL;
}

static gmc_status resolve_poses(const gmc_resolver *r, gmc_grasp_set *set)
{
    gmc_scenario *s = r->scenario;
    const gmc_hand_spec *hand = &s->hand;
    const gmc_param target[6] = {hand->target.x,    hand->target.y,     hand->target.z,
                                 hand->target.roll, hand->target.pitch, hand->target.yaw};
    GMC_TRY(make_room(s, set, 6 + hand->joint_count));
    for (int i = 0; i < 6; i++)
        add_target(s, set, target[i], NULL);
    bool *is_set = gmc_arena_take(s->arena, (size_t)hand->joint_count + 1, sizeof *is_set);
    if (!is_set) return GMC_E_ARENA_FULL;
    for (int g = 0; g < set->count && set->name_joint; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++) {
            int joint = set->name_joint[set->grasps.entries[i].name];
            if (joint >= 0 && start_of(set, grasp, joint)) is_set[joint] = true;
        }
    }
    for (int j = 0; j < hand->joint_count; j++)
        if (is_set[j] && hand->joints[j].start >= 0)
            add_target(s, set, hand->joints[j].start, NULL);
    if (!make_values(r, set)) return GMC_OK;
    for (int g = 0; g < set->count; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        double *row = set->values + (size_t)g * (size_t)set->target_count;
        int next = 6;
        put_target(set, grasp, row);
        for (int j = 0; j < hand->joint_count; j++) {
            if (!is_set[j] || hand->joints[j].start < 0) continue;
            const gmc_grasp_entry *entry = start_of(set, grasp, j);
            row[next++] = entry ? limited(r, set, &hand->joints[j], entry)
                                : s->parameters[hand->joints[j].start].nominal;
        }
    }
    return GMC_OK;
}

// One column of a table: the parameter that it means for this object, and its unit.
static gmc_status resolve_column(const gmc_resolver *r, const gmc_item_spec *object, int column,
                                 double *unit)
{
    gmc_scenario *s = r->scenario;
    gmc_grasp_set *set = object->grasps;
    const gmc_grasp_name *name = &set->grasps.names[column];
    gmc_source source = {.file = set->asset_file, .line = name->line, .column = name->column};
    char *path = gmc_arena_text(s->arena, name->text), full[GMC_VALIDATE_PATH];
    gmc_quantity quantity;
    if (!path) return GMC_E_ARENA_FULL;
    if (!gmc_resolve_split_header(r, path, source, &quantity)) return GMC_OK;
    *unit = quantity.value;
    bool is_each = gmc_resolve_is_each(s, path);
    snprintf(full, sizeof full, is_each ? "%s.%s" : "%.0s%s", object->path,
             path + (is_each ? 7 : 0));
    gmc_param *targets = NULL;
    int count = 0;
    gmc_nearest nearest = gmc_nearest_start(path); // columns that are no paths
    gmc_nearest_offer(&nearest, "confidence");
    gmc_nearest_offer(&nearest, "name");
    if (nearest.best && gmc_scenario_find(s, full) < 0) {
        char hint[40];
        snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint, "unknown column %.80s",
                            path);
        return GMC_OK;
    }
    GMC_TRY(gmc_resolve_path(r, full, source, &targets, &count));
    if (count == 0) return GMC_OK; // reported
    const char *mistake = NULL;
    char wanted[80] = "";
    if (count > 1) mistake = "means several parameters";
    for (int j = 0; j < set->target_count; j++)
        if (set->targets[j] == targets[0]) mistake = "is decided by another column too";
    if (quantity.has_unit &&
        !gmc_units_fits(s->parameters[targets[0]].dimension, quantity.exponents, NULL))
        snprintf(wanted, sizeof wanted, "does not measure that: %.40s is expected",
                 gmc_units_noun(s->parameters[targets[0]].dimension));
    if (wanted[0]) mistake = wanted;
    if (mistake)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, NULL, "%.120s %s",
                            name->text, mistake);
    add_target(s, set, targets[0], path);
    return GMC_OK;
}

static void check_value(const gmc_resolver *r, const gmc_grasp_set *set, int target, double value,
                        int line)
{
    const gmc_parameter *p = &r->scenario->parameters[set->targets[target]];
    if (value >= p->lower && value <= p->upper) return;
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT,
                        (gmc_source){.file = set->asset_file, .line = line}, NULL,
                        "%.120s cannot be %.17g", set->paths[target], value);
}

static gmc_status resolve_table(const gmc_resolver *r, const gmc_item_spec *object)
{
    gmc_scenario *s = r->scenario;
    gmc_grasp_set *set = object->grasps;
    int columns = set->grasps.name_count, errors_before = r->report->error_count;
    GMC_TRY(make_room(s, set, columns));
    double *units = gmc_arena_doubles(s->arena, (size_t)columns + 1);
    if (!units) return GMC_E_ARENA_FULL;
    for (int c = 0; c < columns; c++)
        GMC_TRY(resolve_column(r, object, c, &units[c]));
    if (columns == 0)
        gmc_diagnostics_add(
            r->report, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = set->asset_file, .line = 1},
            "columns are paths such as hand.target.x", "this table decides nothing");
    if (r->report->error_count > errors_before || !make_values(r, set)) return GMC_OK;
    for (int g = 0; g < set->count; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        for (int c = 0; c < columns; c++) {
            double value = set->grasps.entries[grasp->entry + c].value * units[c];
            check_value(r, set, c, value, grasp->line);
            set->values[g * columns + c] = value;
        }
    }
    return GMC_OK;
}

// ---- the axis ---------------------------------------------------------------------------------

static gmc_axis_spec *find_axis(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->axis_count; i++)
        if (strcmp(s->axes[i].path, path) == 0) return &s->axes[i];
    return NULL;
}

// All parameters that some grasp of the axis sets, for what asks which axis decides a parameter.
static gmc_status collect_targets(gmc_scenario *s, gmc_axis_spec *axis)
{
    axis->targets = gmc_arena_take(s->arena, (size_t)s->parameter_count + 1, sizeof(gmc_param));
    bool *is_target = gmc_arena_take(s->arena, (size_t)s->parameter_count + 1, sizeof *is_target);
    if (!axis->targets || !is_target) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->object_count; i++)
        for (int j = 0; s->objects[i].grasps && j < s->objects[i].grasps->target_count; j++)
            is_target[s->objects[i].grasps->targets[j]] = true;
    axis->target_count = 0;
    for (int p = 0; p < s->parameter_count; p++)
        if (is_target[p]) axis->targets[axis->target_count++] = p;
    return GMC_OK;
}

static void refuse_overlap(const gmc_resolver *r, const gmc_axis_spec *axis)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; &s->axes[i] != axis && j < s->axes[i].target_count; j++)
            for (int k = 0; k < axis->target_count; k++)
                if (axis->targets[k] == s->axes[i].targets[j])
                    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->axes[i].source,
                                        "write under uncertain what is added to it: nominal + ...",
                                        "%.120s is varied here and decided by the grasps too",
                                        s->parameters[axis->targets[k]].path);
}

// One row for each grasp of each of the objects, object by object.
static gmc_status join(const gmc_resolver *r, gmc_axis_spec *grasp, gmc_axis_spec *object)
{
    gmc_scenario *s = r->scenario;
    const int first[1] = {0};
    const int *objects = object ? object->objects : first;
    int object_count = object ? object->count : 1;
    int64_t total = 0;
    for (int i = 0; i < object_count; i++) {
        const gmc_item_spec *item = &s->objects[objects[i]];
        if (!item->grasps)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, item->source,
                                "add  grasps: FILE", "%.120s has no grasps to vary", item->path);
        if (!item->grasps || !item->grasps->values) return GMC_OK;
        total += item->grasps->count;
    }
    if (total > GMC_STUDY_CASES_MAX) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, grasp->source, NULL,
                            "more than %d cases", GMC_STUDY_CASES_MAX);
        return GMC_OK;
    }
    grasp->objects = gmc_arena_take(s->arena, (size_t)total + 1, sizeof *grasp->objects);
    grasp->grasps = gmc_arena_take(s->arena, (size_t)total + 1, sizeof *grasp->grasps);
    if (!grasp->objects || !grasp->grasps) return GMC_E_ARENA_FULL;
    grasp->count = 0;
    for (int i = 0; i < object_count; i++)
        for (int g = 0; g < s->objects[objects[i]].grasps->count; g++) {
            grasp->objects[grasp->count] = objects[i];
            grasp->grasps[grasp->count++] = g;
        }
    if (!object) return GMC_OK;
    grasp->is_joined = object->is_joined = true;
    object->objects = grasp->objects;
    object->count = grasp->count;
    return GMC_OK;
}

gmc_status gmc_resolve_grasp_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    axis->count = 1;
    bool is_all = !axis->node ||
                  (axis->node->kind == GMC_NODE_SCALAR && strcmp(axis->node->text, "all") == 0);
    if (!is_all)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->node->source,
                            "`where` and `first` under `grasps` of an object choose from its file",
                            "study.vary.grasp: expected all");
    return GMC_OK;
}

gmc_status gmc_resolve_grasps(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    gmc_axis_spec *grasp = find_axis(s, "grasp"), *object = find_axis(s, "object");
    if (!r->is_whole && !s->hand.is_declared) return GMC_OK; // joints may be missing
    int errors_before = r->report->error_count;
    bool is_known = true; // are all files read, and grasps of each chosen?
    for (int i = 0; i < s->object_count; i++) {
        gmc_grasp_set *set = s->objects[i].grasps;
        if (!set) continue;
        if (!grasp)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, set->source,
                                s->object_count > 1 ? "add  study: {vary: [object, grasp]}"
                                                    : "add  study: {vary: [grasp]}",
                                "%.120s: which of the grasps a trial tries is not said", set->path);
        is_known = is_known && set->count > 0;
        if (set->count == 0) continue; // reported
        if (set->grasps.has_poses) compare_scale(r, &s->objects[i]);
        if (set->grasps.has_poses)
            GMC_TRY(resolve_poses(r, set));
        else
            GMC_TRY(resolve_table(r, &s->objects[i]));
    }
    if (!grasp || !is_known || r->report->error_count > errors_before) return GMC_OK;
    GMC_TRY(collect_targets(s, grasp));
    refuse_overlap(r, grasp);
    return join(r, grasp, object);
}
