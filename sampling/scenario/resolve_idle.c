// What is asked for and changes nothing. A value on the command line that no trial ever takes is a
// mistake: a sweep over it would compute one thing many times. What stands in a file without effect
// is worth a word: it may have been left there on purpose.
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>
#include <string.h>

// ---- derived ----------------------------------------------------------------------------------

// Parameters that follow from others by a formula. What a study or a CSV design sets is set: there
// the formula has no say.

static bool is_among(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static bool is_set(const gmc_scenario *s, gmc_param param)
{
    for (int i = 0; i < s->axis_count; i++)
        if (s->axes[i].values && is_among(s->axes[i].targets, s->axes[i].target_count, param))
            return true;
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        if (column->target == param || is_among(column->by_object, s->object_count, param))
            return true;
    }
    return false;
}

// Which parameters follow from others, in the order in which to work them out.
gmc_status gmc_resolve_derived(gmc_scenario *s)
{
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++)
        count += s->parameters[i].formula != NULL;
    s->derived = GMC_NEW(s->arena, count, gmc_param);
    if (!s->derived) return GMC_E_ARENA_FULL;
    s->derived_count = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        if (is_set(s, i)) s->parameters[i].formula = NULL;
        if (!s->parameters[i].formula) continue;
        // by rank; those of the user's own come first in the table, and all others refer to them
        int at = s->derived_count++;
        int rank = s->parameters[i].formula->rank;
        for (; at > 0 && s->parameters[s->derived[at - 1]].formula->rank > rank; at--)
            s->derived[at] = s->derived[at - 1];
        s->derived[at] = i;
    }
    return GMC_OK;
}

// ---- idle -------------------------------------------------------------------------------------
//
// What is asked for and changes nothing. A value on the command line that no trial ever takes is a
// mistake: a sweep over it would compute one thing many times. What stands in a file without effect
// is worth a word: it may have been left there on purpose.

/// Who has the last word about a parameter in every trial.
typedef struct decider {
    const char *block; ///< "uncertain", "study.vary"; NULL: its own value counts
    const char *path;  ///< as the block has it
} decider;

static void decide(decider *by, const gmc_param *targets, int count, const char *block,
                   const char *path)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] >= 0) by[targets[i]] = (decider){block, path};
}

static bool is_absolute(const gmc_uncertain *line)
{
    bool is_law = line->relation == GMC_RELATION_NONE && line->targets;
    return is_law && line->change == GMC_CHANGE_ABSOLUTE;
}

static void decide_by_lines(const gmc_scenario *s, decider *by)
{
    for (int patterns = 0; patterns < 2; patterns++) // those with a star come after all others
        for (int i = 0; i < s->uncertain_count; i++) {
            const gmc_uncertain *line = &s->uncertain[i];
            if (line->is_pattern == (patterns == 1) && is_absolute(line))
                decide(by, line->targets, line->target_count, "uncertain", line->path);
        }
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        decide(by, &column->target, 1, "sampling.design", column->path);
        decide(by, column->by_object, s->object_count, "sampling.design", column->path);
    }
}

static const gmc_item_spec *resting_height(const gmc_scenario *s, gmc_param param)
{
    for (int i = 0; i < s->object_count; i++)
        if (s->objects[i].placed_resting && s->objects[i].pose.z == param) return &s->objects[i];
    for (int i = 0; i < s->scene_count; i++)
        if (s->scene[i].placed_resting && s->scene[i].pose.z == param) return &s->scene[i];
    return NULL;
}

static const char HEIGHT_HINT[] = "with  placed: as_given  the height counts";
static const char HEIGHT[] = "what is placed resting is put on what is below it";
static const char HEIGHT_WHY[] =
    "makes no difference: what is placed resting is put on what is below it";

static void warn(const gmc_resolver *r, gmc_source source, const char *hint, const char *block,
                 const char *path, const char *why)
{
    gmc_diagnostics_add(r->report, GMC_OK, source, hint, "%s: %.120s %s", block, path, why);
}

// A pair's first coefficient is what those below it are scaled from.
static bool carries_others(const gmc_scenario *s, const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < s->parameter_count; i++)
        if (strncmp(s->parameters[i].path, path, length) == 0 &&
            s->parameters[i].path[length] == '.')
            return true;
    return false;
}

// --set PATH=VALUE, where every trial takes another value.
static void check_options(const gmc_resolver *r, const decider *by)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->parameter_count; i++) {
        const gmc_parameter *p = &s->parameters[i];
        char hint[400];
        if (!p->is_option) continue;
        if (resting_height(s, i))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source, HEIGHT_HINT,
                                "%.120s has no effect: %s", p->path, HEIGHT);
        if (!by[i].block || carries_others(s, p->path)) continue;
        snprintf(hint, sizeof hint, "--set '%.100s.%.120s=...' changes that%s", by[i].block,
                 by[i].path,
                 strcmp(by[i].block, "uncertain") == 0
                     ? "; nominal + ... or nominal * ... there would build on the value"
                     : "");
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source,
                            strcmp(by[i].block, "sampling.design") == 0 ? NULL : hint,
                            "%.120s has no effect: %s: %.120s decides it in every trial", p->path,
                            by[i].block, by[i].path);
    }
}

// Axes and lines of single parameters that a later word hides; heights of what rests.
static void check_hidden(const gmc_resolver *r, const decider *by)
{
    const gmc_scenario *s = r->scenario;
    char why[240];
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        gmc_param first = axis->target_count > 0 ? axis->targets[0] : -1;
        if (first < 0 || axis->grasps || (!by[first].block && !resting_height(s, first))) continue;
        snprintf(why, sizeof why, "makes no difference: %.40s: %.120s decides it in every trial",
                 by[first].block ? by[first].block : "", by[first].block ? by[first].path : "");
        if (by[first].block)
            warn(r, axis->source, "nominal + ... or nominal * ... there would build on the cases",
                 "study.vary", axis->path, why);
        else
            warn(r, axis->source, HEIGHT_HINT, "study.vary", axis->path, HEIGHT_WHY);
    }
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        gmc_param first = line->target_count > 0 ? line->targets[0] : -1;
        if (first < 0 || line->is_pattern || line->relation != GMC_RELATION_NONE) continue;
        const char *path = by[first].path;
        if (path && strcmp(by[first].block, "uncertain") == 0 && strchr(path, '*')) {
            snprintf(why, sizeof why, "makes no difference: %.120s comes after it", path);
            warn(r, line->source, "nominal * ... there would build on this line", "uncertain",
                 line->path, why);
        } else if (resting_height(s, first)) {
            warn(r, line->source, HEIGHT_HINT, "uncertain", line->path, HEIGHT_WHY);
        }
    }
}

// Does a claim of study.require have this path in its text?
static bool is_required(const gmc_scenario *s, const char *path)
{
    const gmc_node *claims = gmc_node_find(gmc_node_find(s->tree, "study"), "require");
    if (!claims || claims->kind != GMC_NODE_LIST) return false;
    for (const gmc_node *n = claims->first; n; n = n->next)
        if (n->text && strstr(n->text, path)) return true;
    return false;
}

// Does a formula, or such a claim, have it?
static bool is_named(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->parameter_count; i++) {
        const char *text = s->parameters[i].formula_text;
        if (text && strstr(text, path)) return true;
    }
    return is_required(s, path);
}

// Does a formula have the path as a word of its own?
static bool names(const char *formula, const char *path)
{
    static const char PART[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    size_t length = strlen(path);
    for (const char *at = formula; at && (at = strstr(at, path)); at++) {
        bool is_start = at == formula || !strchr(PART, at[-1]);
        if (is_start && (!at[length] || !strchr(PART, at[length]))) return true;
    }
    return false;
}

// Does a number of the user's own come to count in some trial? One that stands alone counts, one
// that a formula names if what the formula gives does and nothing else decides that.
static void find_counting(const gmc_scenario *s, const decider *by, bool *counts)
{
    for (int i = 0; i < s->parameter_count; i++)
        counts[i] = !gmc_resolve_is_own(s, s->parameters[i].path);
    for (int k = s->derived_count - 1; k >= 0; k--) { // what a formula names comes before it
        gmc_param param = s->derived[k];
        const gmc_compiled_criterion *code = &s->parameters[param].formula->code;
        if (!counts[param] || by[param].block) continue;
        for (int n = 0; n < code->node_count; n++)
            if (code->nodes[n].op == GMC_OP_MEASURE) counts[code->nodes[n].measure] = true;
    }
}

// Who decides what follows from a number that does not count; NULL: nothing follows from it.
static const decider *decider_of(const gmc_scenario *s, const decider *by, gmc_param param)
{
    for (int steps = 0; steps < s->parameter_count; steps++) {
        gmc_param next = -1;
        for (int i = 0; i < s->parameter_count; i++) {
            if (i == param || !s->parameters[i].formula_text ||
                !names(s->parameters[i].formula_text, s->parameters[param].path))
                continue;
            if (by[i].block) return &by[i];
            next = i;
        }
        if (next < 0) return NULL;
        param = next;
    }
    return NULL;
}

// A line or an axis, and the numbers that it sets.
typedef struct setter {
    decider what;
    gmc_source source;
    const gmc_param *targets; // (count)
    int count;
} setter;

static void warn_of_formula(const gmc_resolver *r, const decider *by, const bool *counts,
                            const setter *from)
{
    const gmc_param *targets = from->targets;
    const gmc_scenario *s = r->scenario;
    char why[240];
    for (int i = 0; i < from->count; i++)
        if (counts[targets[i]] || is_required(s, s->parameters[targets[i]].path)) return;
    const decider *cause = from->count > 0 ? decider_of(s, by, targets[0]) : NULL;
    if (!cause) return; // said of the number itself
    snprintf(why, sizeof why,
             "makes no difference: %.40s: %.120s decides in every trial what follows from it",
             cause->block, cause->path);
    bool is_line = strcmp(cause->block, "uncertain") == 0;
    warn(r, from->source,
         is_line ? "nominal + ... or nominal * ... there would build on the formula" : NULL,
         from->what.block, from->what.path, why);
}

// Lines and axes of numbers that only formulas take, of which none has a say.
static void check_formulas(const gmc_resolver *r, const decider *by, const bool *counts)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->relation == GMC_RELATION_NONE && line->targets)
            warn_of_formula(
                r, by, counts,
                &(setter){
                    {"uncertain", line->path}, line->source, line->targets, line->target_count});
    }
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (axis->values)
            warn_of_formula(
                r, by, counts,
                &(setter){
                    {"study.vary", axis->path}, axis->source, axis->targets, axis->target_count});
    }
}

// Entries of maps by name that nothing names.
static void check_unnamed(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const gmc_node *own = gmc_node_find(s->tree, "parameters");
    for (const gmc_node *n = own && own->kind == GMC_NODE_MAP ? own->first : NULL; n; n = n->next)
        if (!is_named(s, n->key))
            warn(r, n->key_source, "name it in a formula, or take it out", "parameters", n->key,
                 "has no effect: nothing follows from it");
    for (int i = 0; i < s->camera_count; i++)
        if (!s->sight.is_given || s->sight.camera != i)
            warn(r, s->cameras[i].source, "believed: {object.pose: {seen_by: ...}} names one",
                 "cameras", s->cameras[i].name, "has no effect: nothing is seen by it");
}

gmc_status gmc_resolve_idle(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    GMC_TRY(gmc_resolve_derived(r->scenario));
    decider *by = GMC_NEW(s->arena, s->parameter_count + 1, decider);
    bool *counts = GMC_NEW(s->arena, s->parameter_count + 1, bool);
    if (!by || !counts) return GMC_E_ARENA_FULL;
    if (r->report->error_count > 0) return GMC_OK; // what decides may be missing for another reason
    decide_by_lines(s, by);
    check_hidden(r, by);
    check_unnamed(r);
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; s->axes[i].values && j < s->axes[i].target_count; j++)
            if (!by[s->axes[i].targets[j]].block)
                by[s->axes[i].targets[j]] = (decider){"study.vary", s->axes[i].path};
    find_counting(s, by, counts);
    check_formulas(r, by, counts);
    check_options(r, by);
    return GMC_OK;
}
