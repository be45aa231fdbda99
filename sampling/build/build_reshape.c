// Phases that change sizes while a trial runs: the trial's table of values is kept, a change goes
// into it with all that follows from it by formulas, and the fixed bodies of the scene are made
// anew from it. Bodies that move keep their shape, because their mass and its place would change
// under the contact law; polygons keep their vertices, because a cut that fails half way has no
// verdict.
#include "engine/base/check.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/node.h"

#include <math.h>
#include <string.h>

/// Of one trial.
typedef struct reshaping {
    const gmc_build *build;
    double *values;    ///< (parameter_count)
    bool *is_changed;  ///< (parameter_count) scratch
    gmc_arena scratch; ///< of shapes, in a block of the trial's arena
} reshaping;

static bool is_standing(const gmc_build *build, int item)
{
    const gmc_item_spec *spec = &build->scenario->scene[item];
    return spec->is_fixed && !spec->course;
}

static bool is_size_of(const gmc_item_spec *spec, gmc_param param)
{
    const gmc_pose_spec *X = &spec->pose;
    for (int i = 0; i < 3; i++)
        if (spec->kind != GMC_KIND_POLYGON && spec->kind != GMC_KIND_MESH && spec->size[i] == param)
            return true;
    for (int i = 0; i < spec->part_count; i++)
        if (is_size_of(&spec->parts[i], param)) return true;
    // of parts: where they are on the body is a matter of shape
    bool is_part = strstr(spec->path, ".parts.") != NULL;
    return is_part && (X->x == param || X->y == param || X->z == param || X->roll == param ||
                       X->pitch == param || X->yaw == param);
}

static bool is_size(const gmc_build *build, gmc_param param)
{
    for (int i = 0; i < build->scenario->scene_count; i++)
        if (is_standing(build, i) && is_size_of(&build->scenario->scene[i], param)) return true;
    return false;
}

static bool is_own(const gmc_scenario *scenario, gmc_param param)
{
    const gmc_node *own = gmc_node_find(scenario->tree, "parameters");
    return own && gmc_node_find(own, scenario->parameters[param].path);
}

static bool is_uncertain(const gmc_scenario *scenario, gmc_param param)
{
    for (int i = 0; i < scenario->uncertain_count; i++)
        for (int k = 0; k < scenario->uncertain[i].target_count; k++)
            if (scenario->uncertain[i].targets[k] == param) return true;
    return false;
}

static bool names_changed(const gmc_compiled_criterion *code, const bool *is_changed)
{
    for (int i = 0; i < code->node_count; i++)
        if (code->nodes[i].op == GMC_OP_MEASURE && is_changed[code->nodes[i].measure]) return true;
    return false;
}

// Mark a parameter and all that follows from it; formulas stand behind what they name.
static void mark(const gmc_scenario *s, gmc_param target, bool *is_changed)
{
    memset(is_changed, 0, (size_t)s->parameter_count * sizeof *is_changed);
    is_changed[target] = true;
    for (int i = 0; i < s->derived_count; i++)
        if (names_changed(&s->parameters[s->derived[i]].formula->code, is_changed))
            is_changed[s->derived[i]] = true;
}

bool gmc_build_can_reshape(const gmc_build *build, gmc_param target)
{
    const gmc_scenario *s = build->scenario;
    size_t before = gmc_arena_mark(s->arena);
    bool *is_changed = GMC_NEW(s->arena, s->parameter_count, bool);
    if (!is_changed) return false;
    mark(s, target, is_changed);
    bool is_good = true, is_any = false;
    for (int i = 0; i < s->parameter_count; i++) {
        if (!is_changed[i]) continue;
        bool is_one = is_size(build, i);
        // chance upon a formula would be lost when it is worked out again
        bool is_lost = i != target && is_uncertain(s, i);
        is_good = is_good && (is_one || is_own(s, i)) && !is_lost;
        is_any = is_any || is_one;
    }
    gmc_arena_reset(s->arena, before);
    return is_good && is_any;
}

static double bounded(const gmc_parameter *p, double value)
{
    return fmin(fmax(value, p->lower), p->upper);
}

// The change with what follows from it; false if a value is not allowed, which is then bounded.
static bool work_out(reshaping *r, gmc_param target, double value)
{
    const gmc_scenario *s = r->build->scenario;
    bool is_allowed = true;
    mark(s, target, r->is_changed);
    for (int i = -1; i < s->derived_count; i++) {
        gmc_param param = i < 0 ? target : s->derived[i];
        if (!r->is_changed[param]) continue;
        const gmc_parameter *p = &s->parameters[param];
        double fresh = i < 0 ? value : gmc_criteria_value(&p->formula->code, r->values);
        is_allowed = is_allowed && fresh >= p->lower && fresh <= p->upper; // false for NaN
        r->values[param] = bounded(p, fresh);
    }
    return is_allowed;
}

static double get(const void *context, int number)
{
    const reshaping *r = context;
    return r->values[number];
}

static void put(void *context, int number, double value, gmc_model *model)
{
    reshaping *r = context;
    (void)work_out(r, number, value);
    gmc_arena_reset(&r->scratch, 0);
    for (int i = 0; i < r->build->scenario->scene_count; i++) {
        if (!is_standing(r->build, i)) continue;
        // there is room, and polygons are those of the trial
        gmc_status status = gmc_build_put_item(&r->build->scene[i], r->values, &r->scratch, model);
        GMC_ASSERT(status == GMC_OK);
    }
}

static size_t room_for(const gmc_item_spec *spec)
{
    enum { RECTANGLE = 1024 };
    size_t bytes = RECTANGLE;
    if (spec->kind == GMC_KIND_POLYGON)
        bytes += gmc_polygon_split_bytes(spec->vertex_count) +
                 (size_t)spec->vertex_count * sizeof(gmc_vec2) + GMC_ARENA_ALIGNMENT;
    for (int i = 0; i < spec->part_count; i++)
        bytes += room_for(&spec->parts[i]);
    return bytes;
}

// Do the sets lead to sizes that can be? Tried on the table, which is then as it was.
static gmc_status check_ends(reshaping *r, const double *values, const gmc_set *sets, int count)
{
    bool are_allowed = true;
    for (int i = 0; i < count; i++)
        if (sets[i].kind == GMC_SET_SHAPE)
            are_allowed = work_out(r, sets[i].a, sets[i].value) && are_allowed;
    memcpy(r->values, values, (size_t)r->build->scenario->parameter_count * sizeof *values);
    return are_allowed ? GMC_OK : GMC_E_INPUT;
}

gmc_status gmc_build_reshaper(const gmc_build *build, const double *values, gmc_arena *arena,
                              gmc_set *sets, int set_count)
{
    const gmc_scenario *s = build->scenario;
    bool is_needed = false;
    for (int i = 0; i < set_count; i++)
        is_needed = is_needed || sets[i].kind == GMC_SET_SHAPE;
    if (!is_needed) return GMC_OK;
    size_t bytes = 0;
    for (int i = 0; i < s->scene_count; i++)
        bytes += room_for(&s->scene[i]);
    reshaping *r = GMC_NEW(arena, 1, reshaping);
    gmc_reshaper *reshaper = GMC_NEW(arena, 1, gmc_reshaper);
    unsigned char *block = gmc_arena_take(arena, bytes, 1);
    if (!r || !reshaper || !block) return GMC_E_ARENA_FULL;
    *r = (reshaping){.build = build, .scratch = {.memory = block, .capacity = bytes}};
    r->values = GMC_NEW(arena, s->parameter_count, double);
    r->is_changed = GMC_NEW(arena, s->parameter_count, bool);
    if (!r->values || !r->is_changed) return GMC_E_ARENA_FULL;
    memcpy(r->values, values, (size_t)s->parameter_count * sizeof *values);
    *reshaper = (gmc_reshaper){.context = r, .get = get, .put = put};
    for (int i = 0; i < set_count; i++)
        if (sets[i].kind == GMC_SET_SHAPE) sets[i].reshaper = reshaper;
    return check_ends(r, values, sets, set_count);
}
