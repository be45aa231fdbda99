// What is chosen, and how many trials that takes: axes and designs, grasps, optimise, rank, subset, levels.
#include "engine/math/pose.h"
#include "sampling/design/optimum.h"
#include "sampling/design/pairs.h"
#include "sampling/design/race.h"
#include "sampling/design/sieve.h"
#include "sampling/design/subset.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/random/stream.h"
#include "sampling/scenario/chance.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- designs ----------------------------------------------------------------------------------

// Designs: points of the box that axes `between` two numbers span. Each coordinate is addressed by
// (point, path), so that another axis, another seed or more designs move none. Points that a claim
// of `require` refuses are left out: design k is the k-th of the others.

enum {
    TRIES = 10000 // points looked at for one design: so rare a design is a mistake in the claims
};

// The key of designs; any number that is no one's habit as a seed.
static const uint64_t DESIGN_SEED = 0xd1b54a32d192ed03u;

typedef struct gmc_claims {
    gmc_compiled_criterion *list;
    int count;
    double *table; // values of all parameters
} gmc_claims;

// May the targets of an axis have these values? Says if not.
static void resolve_check_values(gmc_diagnostics *report, const gmc_scenario *scenario,
                                 const gmc_axis_spec *axis, const double *values, int count)
{
    for (int j = 0; j < axis->target_count; j++) {
        const gmc_parameter *p = &scenario->parameters[axis->targets[j]];
        for (int k = 0; k < count; k++) {
            if (values[k] >= p->lower && values[k] <= p->upper) continue;
            char text[GMC_UNITS_TEXT];
            gmc_units_print(values[k], text);
            gmc_diagnostics_add(report, GMC_E_INPUT, axis->node->source, NULL,
                                "%.120s cannot be %s %s", p->path, text,
                                gmc_units_name(p->dimension));
            return;
        }
    }
}

// An axis `between(a, b)`, whose targets are known: room for its values.
// @return GMC_OK (also reported), GMC_E_ARENA_FULL
static gmc_status resolve_between(const gmc_chance_context *context, gmc_axis_spec *axis)
{
    gmc_scenario *s = context->scenario;
    axis->is_between = true;
    axis->count = s->design_count > 0 ? s->design_count : 1;
    axis->values = GMC_NEW(s->arena, axis->count, double);
    if (!axis->values) return GMC_E_ARENA_FULL;
    if (gmc_chance_between(context, axis->node, axis->range) != GMC_OK) {
        axis->range[0] = axis->range[1] = 0;
        return GMC_OK; // reported
    }
    resolve_check_values(context->report, s, axis, axis->range, 2);
    for (int k = 0; k < axis->count; k++) // of the right size until designs are known
        axis->values[k] =
            s->optimise.is_given ? (axis->range[0] + axis->range[1]) / 2 : axis->range[0];
    if (s->design_count == 0 && !s->optimise.is_given)
        gmc_diagnostics_add(
            context->report, GMC_E_INPUT, axis->node->source, "add  designs: 200  under study",
            "study.vary.%.80s: between two numbers, but how many designs is not said", axis->path);
    return GMC_OK;
}

static gmc_expression_found find_own(void *context, const char *name, int *index,
                                     gmc_exponents *exponents)
{
    const gmc_scenario *s = context;
    *index = gmc_scenario_find(s, name);
    if (*index < 0) return GMC_EXPRESSION_UNKNOWN;
    *exponents = gmc_units_exponents(s->parameters[*index].dimension);
    return GMC_EXPRESSION_FOUND;
}

static const char *nearest_own(void *context, const char *name)
{
    return gmc_scenario_nearest(context, name);
}

static gmc_status read_claims(const gmc_resolver *r, gmc_claims *claims)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = gmc_node_find(gmc_node_find(s->tree, "study"), "require");
    const gmc_expression_names names = {
        .context = s, .find = find_own, .nearest = nearest_own, GMC_EXPRESSION_OF_PARAMETERS};
    int room = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    claims->list = GMC_NEW(s->arena, room + 1, gmc_compiled_criterion);
    claims->table = GMC_NEW(s->arena, s->parameter_count + 1, double);
    if (!claims->list || !claims->table) return GMC_E_ARENA_FULL;
    for (const gmc_node *n = room > 0 ? list->first : NULL; n; n = n->next) {
        const gmc_expression *root = NULL;
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) continue; // reported
        gmc_status status = gmc_expression_parse_claim(n, &names, s->arena, r->report, &root);
        if (status == GMC_E_ARENA_FULL) return status;
        if (status == GMC_OK)
            GMC_TRY(gmc_expression_compile(root, s->arena, &claims->list[claims->count++]));
    }
    return GMC_OK;
}

static void place_point(gmc_scenario *s, int design, uint64_t point)
{
    for (int i = 0; i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_between) continue;
        double u = gmc_stream_uniform(gmc_stream_open(DESIGN_SEED, point, axis->path), 0);
        axis->values[design] = axis->range[0] + u * (axis->range[1] - axis->range[0]);
    }
}

// A case of this design, the first value of all other axes.
static int64_t case_of(const gmc_scenario *s, int design)
{
    int64_t stride = 1;
    int first = 0;
    while (!s->axes[first].is_between)
        first++;
    for (int i = s->axis_count - 1; i > first; i--)
        stride *= gmc_study_leader(s, i) == i ? s->axes[i].count : 1;
    return stride * design;
}

// The values of all such axes, design by design; `is_designed`: there are some.
static gmc_status resolve_designs(const gmc_resolver *r, bool is_designed)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *node = gmc_node_find(gmc_node_find(s->tree, "study"), "designs");
    gmc_claims claims = {0};
    if (!is_designed && s->design_count > 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source,
                            "for example  vary: {chute.width: \"between(22 mm, 34 mm)\"}",
                            "study.designs: no axis is between two numbers");
    if (!is_designed || s->design_count == 0) return GMC_OK;
    GMC_TRY(read_claims(r, &claims));
    if (r->report->error_count > 0) return GMC_OK; // numbers that nobody will see
    GMC_TRY(gmc_resolve_derived(s));
    uint64_t point = 0;
    for (int design = 0; design < s->design_count; design++) {
        bool is_good = false;
        for (uint64_t last = point + TRIES; point < last && !is_good; point++) {
            place_point(s, design, point);
            if (claims.count > 0) gmc_perturb_believed(s, case_of(s, design), claims.table);
            is_good = gmc_criteria_hold(claims.list, claims.count, claims.table);
        }
        if (is_good) continue;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, "loosen study.require",
                            "study.designs: of %d points in turn none fulfils what is required",
                            TRIES);
        return GMC_OK;
    }
    return GMC_OK;
}

// ---- grasps -----------------------------------------------------------------------------------

// From files of grasps to cases: each grasp that an object takes becomes a row of values for the
// parameters that its file decides, the target of the hand and the joints' starts, or what the
// columns of a table name. `object` and `grasp` are then one axis over all rows of all objects.

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
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source,
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
    gmc_diagnostics_add(r->report, GMC_OK, object->grasps->source,
                        "the same mesh file wants the same scale",
                        "%.120s were made for a mesh scaled by %.6g, %.120s.scale is %.6g m",
                        object->grasps->path, of_file, object->path, scale);
}

// ---- which parameters -------------------------------------------------------------------------

static gmc_status take_targets(gmc_scenario *s, gmc_grasp_set *set, int targets)
{
    set->targets = GMC_NEW(s->arena, targets + 1, gmc_param);
    set->paths = GMC_NEW(s->arena, targets + 1, const char *);
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
    if (!set->values) gmc_diagnostics_add(r->report, GMC_E_MEMORY, set->source, NULL, "no memory");
    return set->values != NULL;
}

static gmc_status resolve_poses(const gmc_resolver *r, gmc_grasp_set *set)
{
    gmc_scenario *s = r->scenario;
    const gmc_hand_spec *hand = &s->hand;
    const gmc_param target[6] = {hand->target.x,    hand->target.y,     hand->target.z,
                                 hand->target.roll, hand->target.pitch, hand->target.yaw};
    GMC_TRY(take_targets(s, set, 6 + hand->joint_count));
    for (int i = 0; i < 6; i++)
        add_target(s, set, target[i], NULL);
    bool *is_set = GMC_NEW(s->arena, hand->joint_count + 1, bool);
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
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "unknown column %.80s", path);
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
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, NULL, "%.120s %s", name->text, mistake);
    add_target(s, set, targets[0], path);
    return GMC_OK;
}

static void check_grasp_value(const gmc_resolver *r, const gmc_grasp_set *set, int target,
                              double value, int line)
{
    const gmc_parameter *p = &r->scenario->parameters[set->targets[target]];
    if (value >= p->lower && value <= p->upper) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, (gmc_source){.file = set->asset_file, .line = line},
                        NULL, "%.120s cannot be %.17g", set->paths[target], value);
}

static gmc_status resolve_table(const gmc_resolver *r, const gmc_item_spec *object)
{
    gmc_scenario *s = r->scenario;
    gmc_grasp_set *set = object->grasps;
    int columns = set->grasps.name_count, errors_before = r->report->error_count;
    GMC_TRY(take_targets(s, set, columns));
    double *units = GMC_NEW(s->arena, columns + 1, double);
    if (!units) return GMC_E_ARENA_FULL;
    for (int c = 0; c < columns; c++)
        GMC_TRY(resolve_column(r, object, c, &units[c]));
    if (columns == 0)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, (gmc_source){.file = set->asset_file, .line = 1},
            "columns are paths such as hand.target.x", "this table decides nothing");
    if (r->report->error_count > errors_before || !make_values(r, set)) return GMC_OK;
    for (int g = 0; g < set->count; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        for (int c = 0; c < columns; c++) {
            double value = set->grasps.entries[grasp->entry + c].value * units[c];
            check_grasp_value(r, set, c, value, grasp->line);
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
    axis->targets = GMC_NEW(s->arena, s->parameter_count + 1, gmc_param);
    bool *is_target = GMC_NEW(s->arena, s->parameter_count + 1, bool);
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
                    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->axes[i].source,
                                        "write under uncertain what is added to it: nominal + ...",
                                        "%.120s is varied here and decided by the grasps too",
                                        s->parameters[axis->targets[k]].path);
}

// One row for each grasp of each of the objects, object by object.
static gmc_status join_axes(const gmc_resolver *r, gmc_axis_spec *grasp, gmc_axis_spec *object)
{
    gmc_scenario *s = r->scenario;
    const int first[1] = {0};
    const int *objects = object ? object->objects : first;
    int object_count = object ? object->count : 1;
    int64_t total = 0;
    for (int i = 0; i < object_count; i++) {
        const gmc_item_spec *item = &s->objects[objects[i]];
        if (!item->grasps)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source, "add  grasps: FILE",
                                "%.120s has no grasps to vary", item->path);
        if (!item->grasps || !item->grasps->values) return GMC_OK;
        total += item->grasps->count;
    }
    if (total > GMC_STUDY_CASES_MAX) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, grasp->source, NULL, "more than %d cases",
                            GMC_STUDY_CASES_MAX);
        return GMC_OK;
    }
    grasp->objects = GMC_NEW(s->arena, total + 1, int);
    grasp->grasps = GMC_NEW(s->arena, total + 1, int);
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

// The axis `grasp`, before files of grasps are looked at.
static gmc_status resolve_grasp_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    axis->count = 1;
    bool is_all = !axis->node ||
                  (axis->node->kind == GMC_NODE_SCALAR && strcmp(axis->node->text, "all") == 0);
    if (!is_all)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->node->source,
                            "`where` and `first` under `grasps` of an object choose from its file",
                            "study.vary.grasp: expected all");
    return GMC_OK;
}

// What the grasps of all objects set, and the axis over them, once all other axes are known. Of
// mistakes that are reported, the axis is left with one value.
static gmc_status resolve_grasps(const gmc_resolver *r)
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
            gmc_diagnostics_add(r->report, GMC_E_INPUT, set->source,
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
    return join_axes(r, grasp, object);
}

// ---- optimise ---------------------------------------------------------------------------------

// What `study.optimise` and `study.together` must fit, all of it told at once.

// Do the axes of study.together have as many values each? Says if not.
static void resolve_together(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_axis_spec *first = s->axes;
    for (int i = 0; s->is_together && i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_together)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "leave  together  out, or list values:  path: [a, b, c]",
                                "study.together: %.120s is no list of values", axis->path);
        else if (axis->count != first->count)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "case k has the k-th value of each axis",
                                "study.together: %.120s has %d values, %.120s has %d", axis->path,
                                axis->count, first->path, first->count);
        else
            continue;
        axis->count = first->count; // cases can be counted
    }
}

static void refuse_optimise(const gmc_resolver *r, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, r->scenario->optimise.source, hint,
                        "study.optimise: %s", what);
}

/// How draws are made: every round takes as many as it needs, each standing alone.
static void check_optimise_sampling(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_RANDOM)
        refuse_optimise(r, "leave  design  out",
                        "every round takes draws of its own; design is random");
    if (s->is_weighted)
        refuse_optimise(r, "leave  importance  or  optimise  out",
                        "it counts trials, those of sampling.importance are weighted");
    if (s->subset.is_given)
        refuse_optimise(r, "leave  subset  or  optimise  out",
                        "subset simulation decides itself which trials are run");
    if (s->pilot > 0)
        refuse_optimise(r, "leave  two_level  or  optimise  out",
                        "two levels decide themselves which trials are run");
    if (s->is_independent)
        refuse_optimise(r, "leave  independent  out", "designs of a round meet the same chance");
    const gmc_node *sampling = gmc_node_find(s->tree, "sampling"),
                   *draws = gmc_node_find(sampling, "draws");
    if (!draws || draws->is_default)
        draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws && !draws->is_default)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, draws->source, "leave  draws  out",
                            "study.optimise: the budget says how many trials");
    if (s->design_count > 0)
        refuse_optimise(r, "leave  designs  out", "it chooses the designs itself");
}

/// Does a line of `uncertain` change what an axis chooses?
static bool is_uncertain(const gmc_scenario *s, const gmc_axis_spec *axis)
{
    for (int i = 0; i < s->uncertain_count; i++)
        for (int j = 0; j < s->uncertain[i].target_count; j++)
            for (int k = 0; k < axis->target_count; k++)
                if (s->uncertain[i].targets[j] == axis->targets[k] &&
                    s->uncertain[i].change == GMC_CHANGE_ABSOLUTE)
                    return true;
    return false;
}

/// Draws of which BEYOND is expected beyond a quantile. With a quarter designs mostly differ in
/// nothing, and one far from the best is chosen; with a half most are near it, with one all were.
static int64_t needed_draws(double p)
{
    static const double BEYOND = 0.75, MOST = 1e12; // more than any budget gives
    double beyond = fmin(p, 1 - p), rounding = 1e-9;
    return (int64_t)fmin(ceil(BEYOND / beyond - rounding), MOST);
}

static void check_quantile(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const gmc_optimise_spec *o = &s->optimise;
    if (!o->quantile_of) return;
    int64_t draws = gmc_optimum_draws(s->axis_count, o->budget),
            needed = needed_draws(o->quantile_p);
    if (draws >= needed) return;
    char hint[96];
    snprintf(hint, sizeof hint, "budget: %" PRId64 ", or a quantile nearer to 0.5",
             gmc_optimum_budget(s->axis_count, needed));
    gmc_diagnostics_add(r->report, GMC_E_INPUT, o->goal_source, hint,
                        "study.optimise.goal: a budget of %" PRId64 " gives a design %" PRId64
                        " draws, too few to tell its %.6g quantile: %" PRId64 " are needed",
                        o->budget, draws, o->quantile_p, needed);
}

// What study.optimise must fit: axes, budget, sampling.
static void resolve_optimise(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->optimise.is_given) return;
    check_optimise_sampling(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_between)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source, "path: between(a, b)",
                                "study.optimise: %.120s is not between two numbers", axis->path);
        if (is_uncertain(s, axis))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "leave one of the two out, or say  nominal + normal(...)",
                                "study.optimise: %.120s is chosen here, and uncertain puts "
                                "another number in its place",
                                axis->path);
    }
    char text[96];
    if (s->axis_count > GMC_SURFACE_INPUTS_MAX) {
        snprintf(text, sizeof text, "%d numbers are too many; at most %d", s->axis_count,
                 GMC_SURFACE_INPUTS_MAX);
        refuse_optimise(r, "leave out those that matter least", text);
    } else if (s->axis_count > 0 && s->optimise.budget < gmc_optimum_least(s->axis_count)) {
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, s->optimise.budget_source, "a larger budget, or fewer numbers",
            "study.optimise.budget: %" PRId64 " trials are too few for %d number%s: "
            "at least %" PRId64,
            s->optimise.budget, s->axis_count, s->axis_count == 1 ? "" : "s",
            gmc_optimum_least(s->axis_count));
    } else if (s->axis_count > 0) {
        check_quantile(r);
    }
}

// ---- rank -------------------------------------------------------------------------------------

// What `study.rank` must fit: the cases, which are counted now.

/// Numbers of trials that a race may use if nobody says how many draws a case may have: an eighth
/// of a gigabyte in a journal, and 16 000 draws for the best of a thousand.
enum { ADDRESSES = 1 << 24 };

/// Cases of the object that has the fewest; all of them if objects are not ranked apart.
static int64_t least_cases(const gmc_scenario *s)
{
    if (!s->rank.is_per_object) return s->case_count;
    int64_t least = s->case_count;
    for (int o = 0; o < s->object_count; o++) {
        int64_t count = 0;
        for (int64_t c = 0; c < s->case_count; c++)
            count += gmc_study_object(s, c) == o;
        if (count > 0 && count < least) least = count;
    }
    return least;
}

// study.rank: the most draws of a case, if nothing is said.
static int64_t resolve_rank_draws(const gmc_scenario *s)
{
    int64_t draws = s->case_count < ADDRESSES ? ADDRESSES / s->case_count : 1;
    if (draws > s->rank.budget) draws = s->rank.budget;
    if (s->csv_rows > 0 && draws > s->csv_rows) draws = s->csv_rows;
    return draws > 0 ? draws : 1;
}

static void complain_of_rank(const gmc_resolver *r, gmc_source source, const char *hint,
                             const char *what, int64_t given, int64_t limit)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint,
                        "study.rank: %s (%" PRId64 ", %" PRId64 ")", what, given, limit);
}

// Does it fit cases, draws and design? Says if not.
static void resolve_rank(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->rank.is_given || !r->is_whole) return;
    int64_t cases = least_cases(s);
    int64_t first = s->first_draws < s->draws ? s->first_draws : s->draws;
    if (s->rank.best >= cases)
        complain_of_rank(r, s->rank.best_source, "fewer, or more cases",
                         s->rank.is_per_object
                             ? "not more cases of an object than the best to be found"
                             : "not more cases than the best to be found",
                         s->rank.best, cases);
    else if ((double)s->rank.budget < (double)s->case_count * (double)first)
        complain_of_rank(r, s->rank.budget_source,
                         "a larger budget, or fewer draws first:  draws: {first: 2, last: 1000}",
                         "the budget does not last for the first round", s->rank.budget,
                         s->case_count * first);
    if ((double)s->case_count * (double)s->draws > GMC_RACE_TRIALS_MAX)
        complain_of_rank(r, s->rank.source, "fewer study.draws: the most of one case",
                         "too many cases times draws", s->draws, GMC_RACE_TRIALS_MAX);
    if (s->is_weighted)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->rank.source,
                            "leave  importance  or  rank  out",
                            "study.rank: it counts trials, those of sampling.importance are "
                            "weighted");
    if (s->replicas > 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->rank.source, "leave  design  or  rank  out",
                            "study.rank: it takes draws one by one, those of %s belong together",
                            gmc_design_name(s->design));
}

// ---- subset -----------------------------------------------------------------------------------

// Subset simulation moves in the space of all that is uncertain, from trial to trial: what is not
// one number of a line, and what chooses trials by other rules, does not go with it.

static void refuse_subset(const gmc_resolver *r, gmc_source source, const char *hint,
                          const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "sampling.subset: %s", what);
}

static void check_subset_lines(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->uncertain_count == 0)
        refuse_subset(r, s->subset.source, "add  uncertain", "nothing is uncertain");
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->tripod > 0)
            refuse_subset(
                r, line->source, "give each coordinate a line of its own, ...points.0.x",
                "a tripod is more than one number, and no way leads from one to the next");
    }
}

/// Does a law choose among so few values that what lies beside one in standard normal space is no
/// more like it than what lies far?
static bool has_few_values(const gmc_distribution *d)
{
    enum { FEW = 50 };
    bool is_list = d->type == GMC_DISTRIBUTION_DISCRETE || d->type == GMC_DISTRIBUTION_EMPIRICAL;
    return is_list && d->value_count <= FEW;
}

static gmc_status find_discrete(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    size_t count = (size_t)s->uncertain_count;
    bool *is_discrete = count > 0 ? GMC_NEW(s->arena, count, bool) : NULL;
    if (count > 0 && !is_discrete) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++)
        is_discrete[i] = false;
    for (size_t i = 0; i < count; i++)
        if (has_few_values(&s->uncertain[i].distribution))
            is_discrete[s->uncertain[i].chance] = true;
    s->subset.is_discrete = is_discrete;
    return GMC_OK;
}

gmc_status gmc_resolve_subset(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (!s->subset.is_given) return GMC_OK;
    gmc_source at = s->subset.source;
    const gmc_node *draws = gmc_node_find(gmc_node_find(s->tree, "sampling"), "draws");
    if (!draws) draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws)
        refuse_subset(r, draws->key_source,
                      "leave it out;  draws: ~  takes away what  use  brought",
                      "runs, per_level and levels say how many trials, not draws");
    if (s->design != GMC_DESIGN_RANDOM)
        refuse_subset(r, at, "design: random", "it is a design itself");
    if (s->is_weighted) refuse_subset(r, at, "keep one of the two", "does not go with importance");
    if (s->level_count > 0 && s->pilot == 0)
        refuse_subset(r, at, "leave  ladder  out", "does not go with a ladder");
    if (s->case_count > 1)
        refuse_subset(r, at, "one run for each case, with --set",
                      "the way to failure is that of one case, and the study has more");
    if (s->subset.runs < GMC_SUBSET_RUNS_LEAST && s->subset.aimed == 0)
        refuse_subset(
            r, at, "runs: 8, or  aimed: 1000",
            "the interval is the spread of the runs, and fewer than 8 show too little of it");
    double total =
        (double)s->subset.runs * s->subset.levels * s->subset.per_level + s->subset.aimed;
    if (total > GMC_SUBSET_TRIALS_MAX)
        refuse_subset(r, at, "fewer points or levels",
                      "runs x levels x per_level + aimed are too many trials");
    check_subset_lines(r);
    s->draws = (int64_t)total;
    // a margin must be that of the whole trial
    s->ends_broken = s->ends_falling = s->ends_at_rest = s->ends_borne = false;
    return find_discrete(r);
}

/// What a level says of step, stepper and motion, or `simulation` where it is silent.
static gmc_level_spec whole_of(const gmc_scenario *s, const gmc_level_spec *level)
{
    gmc_level_spec whole = *level;
    bool is_own = !whole.stepper || strcmp(whole.stepper, s->stepper) == 0;
    if (!whole.stepper) whole.stepper = s->stepper;
    if (!whole.motion) whole.motion = is_own && s->motion ? s->motion : "dynamic";
    if (whole.step == 0) whole.step = s->parameters[s->step].nominal;
    return whole;
}

static bool is_same_level(const gmc_scenario *s, int first, int second)
{
    gmc_level_spec a = whole_of(s, &s->levels[first]), b = whole_of(s, &s->levels[second]);
    return fabs(a.step - b.step) <= 1e-12 * b.step && strcmp(a.stepper, b.stepper) == 0 &&
           strcmp(a.motion, b.motion) == 0;
}

// What is wrong with the levels themselves; NULL: nothing.
static const char *wrong_levels(const gmc_scenario *s)
{
    const gmc_level_spec *cheap = &s->levels[s->level_count - 2];
    bool is_said = cheap->step == 0 && !cheap->stepper && !cheap->motion; // by the reader
    if (s->level_count > GMC_PAIRS_LEVELS_MOST) return "coarser has two levels at most";
    for (int i = 0; i < s->level_count; i++)
        if (s->levels[i].is_geometric) return "nothing moves at a geometric level";
    for (int i = 0; i + 2 < s->level_count; i++) {
        const char *name = s->levels[i].name;
        if (s->levels[i].tolerate > 0) return "levels of coarser overlook nothing: no tolerate";
        if (strcmp(name, "cheap") == 0 || strcmp(name, "full") == 0)
            return "a level of coarser needs another name, cheap and full are those above";
        if (is_same_level(s, i, i + 1) || (is_same_level(s, i, s->level_count - 1) && !is_said))
            return "a level of coarser is the one above it, or the full one";
    }
    if (!is_said && is_same_level(s, s->level_count - 2, s->level_count - 1))
        return "the cheap level is the full one: nothing makes it cheaper";
    return NULL;
}

// What `sampling.two_level` goes with.
static void resolve_two_level(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const char *what = NULL;
    if (s->pilot == 0) return;
    if (s->design != GMC_DESIGN_RANDOM)
        what = "pairs are a part of the draws, and only random ones can be parted";
    else if (s->is_weighted || s->subset.is_given || s->rank.is_given)
        what = "does not go with importance, subset or rank";
    else if (s->case_count > 1)
        what = "one case a run: the pairs of one say nothing of another";
    else if (wrong_levels(s))
        what = wrong_levels(s);
    else if (s->draws < s->pilot + GMC_PAIRS_LEAST)
        what = "more draws than pilot + 20 are needed";
    else if (s->draws > GMC_PAIRS_DRAWS_MAX)
        what = "too many draws";
    if (what)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->two_level_source, NULL,
                            "sampling.two_level: %s", what);
}

// ---- study ------------------------------------------------------------------------------------

// What is chosen: axes of the study and their designs, levels, rankings, how many draws.

static void refuse_half_step(const gmc_resolver *r, const char *block, const char *path,
                             gmc_source source)
{
    gmc_diagnostics_add(
        r->report, GMC_E_INPUT, source,
        "one number under  simulation, or --set simulation.half_step=... run by run",
        "%s: %.120s is the share of all trials of a run, and does not vary", block, path);
}

static bool is_among(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

// Which trials are repeated is asked of the run as a whole: its share does not vary. After what
// follows by formulas.
static void resolve_half_step(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->half_step < 0) return;
    const gmc_parameter *share = &s->parameters[s->half_step];
    for (int i = 0; i < s->uncertain_count; i++)
        if (is_among(s->uncertain[i].targets, s->uncertain[i].target_count, s->half_step))
            refuse_half_step(r, "uncertain", s->uncertain[i].path, s->uncertain[i].source);
    for (int i = 0; i < s->axis_count; i++)
        if (is_among(s->axes[i].targets, s->axes[i].target_count, s->half_step))
            refuse_half_step(r, "study.vary", s->axes[i].path, s->axes[i].source);
    for (int i = 0; i < s->csv_columns; i++)
        if (s->sampled[s->csv_sampled[i]].target == s->half_step)
            refuse_half_step(r, "sampling.design", share->path, share->source);
    if (share->formula) refuse_half_step(r, "a formula", share->path, share->source);
}

// ---- axes -------------------------------------------------------------------------------------

static gmc_status resolve_object_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = axis->node;
    if (list && list->kind == GMC_NODE_SCALAR && strcmp(list->text, "all") == 0) list = NULL;
    int count = list ? list->count : s->object_count;
    if (list && list->kind != GMC_NODE_LIST) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, list->source,
                            "object: [mug, drill], or  object: all", "expected a list of objects");
        return GMC_OK;
    }
    axis->objects = GMC_NEW(s->arena, count + 1, int);
    if (!axis->objects) return GMC_E_ARENA_FULL;
    if (!list)
        for (int i = 0; i < count; i++)
            axis->objects[i] = i;
    const gmc_node *n = list ? list->first : NULL;
    for (int i = 0; n; n = n->next, i++) {
        const char *name = n->kind == GMC_NODE_SCALAR ? n->text : "";
        gmc_nearest nearest = gmc_nearest_start(name);
        int found = -1;
        for (int j = 0; j < s->object_count; j++) {
            if (strcmp(s->objects[j].name, name) == 0) found = j;
            gmc_nearest_offer(&nearest, s->objects[j].name);
        }
        char hint[100];
        snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
        if (found < 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, n->source, nearest.best ? hint : NULL,
                                "unknown object %.80s", name);
        axis->objects[i] = found < 0 ? 0 : found;
    }
    axis->count = count > 0 ? count : 1; // none is a mistake said elsewhere
    return GMC_OK;
}

static gmc_status resolve_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    gmc_scenario *s = r->scenario;
    axis->count = 1;
    if (strcmp(axis->path, "object") == 0) return resolve_object_axis(r, axis);
    if (strcmp(axis->path, "grasp") == 0) return resolve_grasp_axis(r, axis);
    if (!axis->node) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                            "only object and grasp can stand in a list; else path: [a, b, c]",
                            "study.vary: no values for %.80s", axis->path);
        return GMC_OK;
    }
    GMC_TRY(gmc_resolve_path(r, axis->path, axis->source, &axis->targets, &axis->target_count));
    gmc_chance_context context = {.scenario = s, .report = r->report, .path = axis->path};
    context.is_known = gmc_resolve_dimension(r, axis->path, axis->source, axis->targets,
                                             axis->target_count, &context.dimension);
    if (axis->target_count == 1) axis->target = axis->targets[0];
    if (gmc_chance_is_between(axis->node)) return resolve_between(&context, axis);
    gmc_status status = gmc_chance_values(&context, axis->node, &axis->values, &axis->count);
    if (gmc_resolve_is_fatal(status)) return status;
    axis->is_together = s->is_together;
    if (status != GMC_OK || axis->count < 1)
        axis->count = 1;
    else
        resolve_check_values(r->report, s, axis, axis->values, axis->count);
    return GMC_OK;
}

gmc_status gmc_resolve_study(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    s->case_count = 1;
    bool is_object_varied = false, is_designed = false;
    for (int i = 0; i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        is_object_varied = is_object_varied || strcmp(axis->path, "object") == 0;
        GMC_TRY(resolve_axis(r, axis));
        is_designed = is_designed || axis->is_between;
    }
    GMC_TRY(resolve_grasps(r));
    resolve_together(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (gmc_study_leader(s, i) != i) continue; // counted with the first of them
        if (s->case_count > GMC_STUDY_CASES_MAX / axis->count) {
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source, NULL, "more than %d cases",
                                GMC_STUDY_CASES_MAX);
            s->case_count = 1;
            return GMC_OK;
        }
        s->case_count *= axis->count;
    }
    GMC_TRY(resolve_designs(r, is_designed));
    const gmc_node *objects = gmc_node_find(s->tree, "objects");
    if (objects && s->object_count > 1 && !is_object_varied)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, objects->key_source,
                            "add  study: {vary: [object]}",
                            "several objects, and nothing says which one is grasped");
    return GMC_OK;
}

/// A ladder's numbers must fit into memory (design/sieve.h).
static void check_ladder(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    double total = (double)s->case_count * (double)s->draws * s->level_count;
    if (total <= GMC_SIEVE_TRIALS_MAX || s->pilot > 0) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->levels[0].source,
                        "fewer draws in the last round, or fewer designs",
                        "%.3g trials at most (designs x draws x levels), a ladder is limited to %d",
                        total, GMC_SIEVE_TRIALS_MAX);
}

// The number of draws is known now; the expanded text states it.
static gmc_status settle_draws(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    gmc_node *sampling = gmc_node_find(s->tree, "sampling");
    if (s->draws == 0 && s->rank.is_given) s->draws = resolve_rank_draws(s);
    if (s->optimise.is_given) s->draws = s->optimise.budget;
    if (s->draws == 0) s->draws = s->csv_rows > 0 ? s->csv_rows : 1;
    if (s->csv_values && s->draws > s->csv_rows)
        gmc_diagnostics_add(r->report, GMC_E_INPUT,
                            sampling ? sampling->key_source : (gmc_source){.file = s->file}, NULL,
                            "%lld draws, but %.120s has only %lld rows", (long long)s->draws,
                            s->csv_file, (long long)s->csv_rows);
    if (gmc_node_find(gmc_node_find(s->tree, "study"), "draws") ||
        gmc_node_find(sampling, "draws") || !sampling || sampling->kind != GMC_NODE_MAP ||
        s->subset.is_given)
        return GMC_OK;
    gmc_node *node = gmc_node_create(s->arena, GMC_NODE_SCALAR, sampling->source);
    if (!node) return GMC_E_ARENA_FULL;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)s->draws);
    node->text = gmc_arena_text(s->arena, text);
    if (!node->text) return GMC_E_ARENA_FULL;
    node->is_plain = true;
    node->is_default = true;
    node->is_number = true;
    node->number = (double)s->draws;
    node->row = gmc_schema_find(GMC_SCHEMA_SAMPLING, "draws");
    gmc_node_append(sampling, "draws", sampling->key_source, node);
    return GMC_OK;
}

gmc_status gmc_resolve_limits(const gmc_resolver *r)
{
    resolve_half_step(r);
    GMC_TRY(settle_draws(r));
    check_ladder(r);
    resolve_two_level(r);
    gmc_resolve_swings(r);
    resolve_rank(r);
    resolve_optimise(r);
    return GMC_OK;
}
