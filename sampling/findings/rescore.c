// A row that was cut short is judged by ranges: what a column says of the whole trial depends on
// what it measures and on the rule that ended the trial. Tried before: to count every row of the
// rules `broken` and `borne` as not known. Of the demo that leaves a quarter of the trials, most of
// the failures, out of any stricter threshold, and a share among the others that says nothing.
#include "sampling/findings/rescore.h"

#include "engine/base/lookup.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/token.h"
#include "sampling/store/extent.h"
#include "sampling/store/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct quantity {
    const char *name;
    gmc_exponents exponents;
    gmc_extent course;
    gmc_expression_sort sort;
} quantity;

/// Numbers of /trials that are no columns, behind them.
enum {
    OWN_TRIAL,
    OWN_CASE,
    OWN_DRAW,
    OWN_SUCCESS,
    OWN_PHASE,
    OWN_T_END,
    OWN_OUTCOME, ///< words; those behind it are of cases
    OWN_OBJECT,
    OWN_GRASP,
    OWN_COUNT
};

static const struct {
    const char *name, *unit;
    gmc_growth growth;
} OWN[OWN_COUNT] = {
    [OWN_TRIAL] = {"trial", "1", GMC_GROWTH_WHOLE},
    [OWN_CASE] = {"case", "1", GMC_GROWTH_WHOLE},
    [OWN_DRAW] = {"draw", "1", GMC_GROWTH_WHOLE},
    [OWN_SUCCESS] = {"success", "1", GMC_GROWTH_WHOLE},
    [OWN_PHASE] = {"phase", "1", GMC_GROWTH_SPENT},
    [OWN_T_END] = {"t_end", "s", GMC_GROWTH_SPENT},
    [OWN_OUTCOME] = {"outcome", "1", GMC_GROWTH_WHOLE},
    [OWN_OBJECT] = {"object", "1", GMC_GROWTH_WHOLE},
    [OWN_GRASP] = {"grasp", "1", GMC_GROWTH_WHOLE},
};

struct gmc_rescore {
    const char *text;
    gmc_arena arena;
    gmc_compiled_criterion criterion;
    const char *option;
    int column_count, parameter_count; ///< the columns; what was drawn, behind the others
    int own_count;                     ///< of the others, those that can be named
    int count;                         ///< columns, the others, parameters
    const struct gmc_store_case *cases;
    int case_count;        ///< 0: not to be named
    int *objects, *grasps; ///< (case_count) the first case with the object, the grasp of this one
    quantity *quantities;  ///< (count)
    double *values;        ///< (count)
    gmc_interval *ranges;  ///< (count)
    char *where;           ///< hint: all names
    gmc_ending_columns ending;
};

static quantity quantity_of(const gmc_column *column)
{
    gmc_extent course = gmc_extent_of(column->name);
    bool is_counted = column->kind != GMC_COLUMN_REAL || course.is_counted;
    return (quantity){.name = column->name,
                      .exponents = gmc_units_of(column->unit),
                      .course = course,
                      .sort = is_counted ? GMC_EXPRESSION_COUNTED : GMC_EXPRESSION_MEASURED};
}

// ---- names ------------------------------------------------------------------------------------

static size_t match(void *context, const char *text, int *index, gmc_exponents *exponents)
{
    const gmc_rescore *r = context;
    size_t best = 0;
    for (int i = 0; i < r->count; i++) {
        size_t length = gmc_token_column_at(text, r->quantities[i].name);
        if (length <= best) continue;
        best = length;
        *index = i;
        *exponents = r->quantities[i].exponents;
    }
    return best;
}

static gmc_expression_sort sort_of(void *context, int index)
{
    return ((const gmc_rescore *)context)->quantities[index].sort;
}

// The words of outcome, object and grasp are numbered by outcome and by their first case.
static const char *word_of(void *context, int index, int i)
{
    const gmc_rescore *r = context;
    int own = index - r->column_count;
    if (own == OWN_OUTCOME) return i < GMC_OUTCOME_COUNT ? gmc_outcome_name((gmc_outcome)i) : NULL;
    const int *first = own == OWN_OBJECT ? r->objects : r->grasps;
    for (int c = 0; c < r->case_count; c++)
        if (first[c] == c && i-- == 0)
            return own == OWN_OBJECT ? r->cases[c].object : r->cases[c].grasp;
    return NULL;
}

static bool code_of(void *context, int index, const char *word, double *code)
{
    const gmc_rescore *r = context;
    int own = index - r->column_count;
    for (int i = 0; own == OWN_OUTCOME && i < GMC_OUTCOME_COUNT; i++)
        if (strcmp(gmc_outcome_name((gmc_outcome)i), word) == 0) return *code = i, true;
    for (int c = 0; own != OWN_OUTCOME && c < r->case_count; c++) {
        const char *name = own == OWN_OBJECT ? r->cases[c].object : r->cases[c].grasp;
        if (name && strcmp(name, word) == 0) return *code = c, true;
    }
    return false;
}

// A criterion of a scenario is written without the max(...) that its column has.
static const char *nearest(void *context, const char *word)
{
    const gmc_rescore *r = context;
    gmc_nearest best = gmc_nearest_start(word);
    for (int i = 0; i < r->count; i++) {
        const char *name = r->quantities[i].name;
        gmc_nearest_offer(&best, name);
        if (strncmp(name, "max(", 4) != 0 && strncmp(name, "min(", 4) != 0) continue;
        char within[256];
        snprintf(within, sizeof within, "%.*s", (int)(strlen(name) - strlen("max()")),
                 name + strlen("max("));
        int distance = gmc_nearest_distance(word, within);
        if (distance >= best.distance) continue;
        best.distance = distance;
        best.best = name;
    }
    return best.best;
}

// ---- reading ----------------------------------------------------------------------------------

static gmc_status list_names(gmc_rescore *r)
{
    static const char START[] = "names: ";
    size_t bytes = sizeof START;
    for (int i = 0; i < r->count; i++)
        bytes += strlen(r->quantities[i].name) + 2;
    r->where = gmc_arena_take(&r->arena, bytes, 1);
    if (!r->where) return GMC_E_ARENA_FULL;
    size_t used = (size_t)snprintf(r->where, bytes, "%s", START);
    for (int i = 0; i < r->count; i++)
        used += (size_t)snprintf(r->where + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                                 r->quantities[i].name);
    return GMC_OK;
}

static int same_name(gmc_lookup *lookup, const gmc_rescore *r, const char *name, int c,
                     bool is_grasp)
{
    uint32_t hash = gmc_lookup_hash(0, name);
    for (int at = 0, i; (i = gmc_lookup_next(lookup, hash, &at)) >= 0;)
        if (strcmp(is_grasp ? r->cases[i].grasp : r->cases[i].object, name) == 0) return i;
    return gmc_lookup_add(lookup, hash, c) == GMC_OK ? c : -1;
}

// The first case of the same object, of the same grasp.
static gmc_status list_words(gmc_rescore *r)
{
    if (r->case_count == 0) return GMC_OK;
    r->objects = GMC_NEW(&r->arena, r->case_count, int);
    r->grasps = GMC_NEW(&r->arena, r->case_count, int);
    if (!r->objects || !r->grasps) return GMC_E_ARENA_FULL;
    gmc_lookup objects = {0}, grasps = {0};
    bool is_full = false;
    for (int c = 0; c < r->case_count; c++) {
        const char *grasp = r->cases[c].grasp;
        r->objects[c] = same_name(&objects, r, r->cases[c].object, c, false);
        r->grasps[c] = grasp ? same_name(&grasps, r, grasp, c, true) : c;
        is_full = is_full || r->objects[c] < 0 || r->grasps[c] < 0;
    }
    gmc_lookup_free(&objects);
    gmc_lookup_free(&grasps);
    return is_full ? GMC_E_MEMORY : GMC_OK;
}

/// Is the column one of those that say how a trial ended?
static void find_ending(const gmc_column *column, int index, gmc_ending_columns *ending)
{
    const struct {
        gmc_fixed_column column;
        int *index;
    } TOLD[] = {{GMC_COLUMN_DECIDED_BY, &ending->decided_by},
                {GMC_COLUMN_AUDIT, &ending->audit},
                {GMC_COLUMN_SLIP_ANGLE, &ending->slip_angle}};
    for (int i = 0; i < GMC_COUNT(TOLD); i++)
        if (strcmp(column->name, gmc_fixed_columns[TOLD[i].column].name) == 0)
            *TOLD[i].index = index;
}

static gmc_status list_quantities(const gmc_rescore_names *names, gmc_rescore *r)
{
    const gmc_column *columns = names->columns;
    int count = r->count;
    r->quantities = GMC_NEW(&r->arena, count, quantity);
    r->values = GMC_NEW(&r->arena, count, double);
    r->ranges = GMC_NEW(&r->arena, count, gmc_interval);
    if (!r->quantities || !r->values || !r->ranges) return GMC_E_ARENA_FULL;
    for (int i = 0; i < r->column_count; i++) {
        r->quantities[i] = quantity_of(&columns[i]);
        find_ending(&columns[i], i, &r->ending);
    }
    for (int i = 0; i < r->own_count; i++)
        r->quantities[r->column_count + i] =
            (quantity){.name = OWN[i].name,
                       .exponents = gmc_units_of(OWN[i].unit),
                       .course = {.growth = OWN[i].growth},
                       .sort = i >= OWN_OUTCOME ? GMC_EXPRESSION_WORDS
                               : i == OWN_T_END ? GMC_EXPRESSION_MEASURED
                                                : GMC_EXPRESSION_COUNTED};
    GMC_TRY(list_words(r));
    for (int i = 0; i < r->parameter_count; i++)
        r->quantities[r->column_count + r->own_count + i] =
            (quantity){.name = names->parameters[i].name,
                       .exponents = gmc_units_of(names->parameters[i].unit),
                       .course = {.growth = GMC_GROWTH_WHOLE}};
    return list_names(r);
}

/// A verdict is of the trial run to its end, where such columns have other values.
static gmc_status refuse_columns_of_run(const gmc_rescore *r, const gmc_source *text,
                                        gmc_diagnostics *report)
{
    for (int i = 0; i < r->criterion.node_count; i++) {
        const gmc_criterion_node *code = &r->criterion.nodes[i];
        if (code->op != GMC_OP_MEASURE || code->measure >= r->column_count) continue;
        const char *name = r->quantities[code->measure].name;
        if (!r->quantities[code->measure].course.is_of_run) continue;
        const char *at = strstr(r->text, name);
        gmc_source place = *text;
        if (at) place.column += (int)(at - r->text);
        if (at) place.length = (int)strlen(name);
        gmc_diagnostics_add(
            report, GMC_E_INPUT, place,
            "--where picks trials by it: graspmc show OUT.h5 --where 'is_whole == 1'",
            "%s is about how the trial was run, and would be another had it gone on "
            "to its end, of which criteria judge",
            name);
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

static gmc_status read_text(const gmc_rescore_names *named, gmc_diagnostics *report, gmc_rescore *r)
{
    GMC_TRY(list_quantities(named, r));
    const gmc_node node = {.kind = GMC_NODE_SCALAR,
                           .text = r->text,
                           .is_plain = true,
                           .source = {.file = named->option,
                                      .line = 1,
                                      .column = 1,
                                      .length = (int)strlen(r->text),
                                      .text = r->text}};
    const gmc_expression_names names = {.context = r,
                                        .match = match,
                                        .nearest = nearest,
                                        .sort = sort_of,
                                        .code = code_of,
                                        .word = word_of,
                                        .noun = "column",
                                        .example = named->is_number
                                                       ? "for example slip or max_force / 2"
                                                       : "for example slip <= 5 mm and lift >= "
                                                         "60 mm",
                                        .where = r->where};
    const gmc_expression *root = NULL;
    GMC_TRY((named->is_number ? gmc_expression_parse_formula : gmc_expression_parse_claim)(
        &node, &names, &r->arena, report, &root));
    GMC_TRY(gmc_expression_compile(root, &r->arena, &r->criterion));
    return named->is_verdict ? refuse_columns_of_run(r, &node.source, report) : GMC_OK;
}

gmc_status gmc_rescore_open_where(const char *text, const gmc_rescore_names *names,
                                  gmc_diagnostics *report, gmc_rescore **rescore)
{
    // a letter makes at most a node, the claim and its zero, each twice: as tree and as code
    enum { BYTES_A_LETTER = 6 * 256, BYTES_A_NAME = 512, BYTES_MORE = 1 << 14 };
    *rescore = NULL;
    gmc_rescore *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    bool has_grasps = names->case_count > 0 && names->cases[0].grasp;
    int own_count = has_grasps ? OWN_COUNT : names->case_count > 0 ? OWN_GRASP : OWN_OBJECT;
    *r = (gmc_rescore){.text = text,
                       .own_count = own_count,
                       .cases = names->cases,
                       .case_count = names->case_count,
                       .option = names->option,
                       .column_count = names->column_count,
                       .parameter_count = names->parameter_count,
                       .count = names->column_count + own_count + names->parameter_count,
                       .ending = {-1, -1, -1}};
    gmc_status status = gmc_arena_create(&r->arena, BYTES_MORE + strlen(text) * BYTES_A_LETTER +
                                                        (size_t)r->count * BYTES_A_NAME +
                                                        (size_t)r->case_count * 2 * sizeof(int));
    if (status == GMC_OK) status = read_text(names, report, r);
    if (status == GMC_OK)
        *rescore = r;
    else
        gmc_rescore_close(r);
    return status == GMC_E_ARENA_FULL ? GMC_E_MEMORY : status;
}

gmc_status gmc_rescore_open(const char *text, const gmc_column *columns, int column_count,
                            gmc_diagnostics *report, gmc_rescore **rescore)
{
    const gmc_rescore_names names = {.columns = columns,
                                     .column_count = column_count,
                                     .option = "--success",
                                     .is_verdict = true};
    return gmc_rescore_open_where(text, &names, report, rescore);
}

void gmc_rescore_close(gmc_rescore *r)
{
    if (r) gmc_arena_free(&r->arena);
    free(r);
}

const char *gmc_rescore_text(const gmc_rescore *r) { return r->text; }

// ---- judging ----------------------------------------------------------------------------------

static void fill_values(gmc_rescore *r, const gmc_trial *trial)
{
    double *own = r->values + r->column_count;
    memcpy(r->values, trial->values, (size_t)r->column_count * sizeof *r->values);
    own[OWN_TRIAL] = (double)trial->trial;
    own[OWN_CASE] = trial->case_index;
    own[OWN_DRAW] = (double)trial->draw;
    own[OWN_SUCCESS] = trial->outcome == GMC_OUTCOME_SUCCESS;
    own[OWN_PHASE] = trial->phase;
    own[OWN_T_END] = trial->t_end;
    own[OWN_OUTCOME] = (double)trial->outcome;
    bool is_known = (int)trial->case_index < r->case_count;
    if (r->own_count > OWN_OBJECT)
        own[OWN_OBJECT] = is_known ? r->objects[trial->case_index] : (double)NAN;
    if (r->own_count > OWN_GRASP)
        own[OWN_GRASP] = is_known ? r->grasps[trial->case_index] : (double)NAN;
    if (r->parameter_count > 0)
        memcpy(own + r->own_count, trial->samples, (size_t)r->parameter_count * sizeof *own);
}

static gmc_ending ending_of(const gmc_rescore *r, const gmc_trial *trial)
{
    return gmc_extent_ending(trial->values, r->ending);
}

/// What the trial whose values are filled in says of the number, if it ended so.
static gmc_interval range_of(gmc_rescore *r, gmc_ending ending)
{
    for (int i = 0; i < r->count; i++)
        r->ranges[i] = gmc_extent_range(r->quantities[i].course, ending, r->values[i]);
    return gmc_extent_of_criterion(&r->criterion, r->ranges);
}

/// Does the expression hold for the whole trial whose values are filled in, if it ended so?
static gmc_rescore_truth truth_of(gmc_rescore *r, gmc_ending ending)
{
    if (ending.rule == GMC_DECISION_END)
        return gmc_criteria_hold(&r->criterion, 1, r->values) ? GMC_RESCORE_YES : GMC_RESCORE_NO;
    gmc_interval truth = range_of(r, ending);
    return truth.lower > 0      ? GMC_RESCORE_YES
           : !(truth.upper > 0) ? GMC_RESCORE_NO
                                : GMC_RESCORE_OPEN;
}

gmc_outcome gmc_rescore_judge(gmc_rescore *r, const gmc_trial *trial, gmc_decision *cut_by)
{
    *cut_by = GMC_DECISION_END;
    if (trial->outcome == GMC_OUTCOME_UNSOLVED || trial->outcome == GMC_OUTCOME_LOST)
        return trial->outcome;
    fill_values(r, trial);
    gmc_ending ending = ending_of(r, trial);
    gmc_decision rule = ending.rule;
    gmc_rescore_truth truth = truth_of(r, ending);
    // what was broken may leave the workspace yet, and is lost then
    bool may_be_lost = rule == GMC_DECISION_BROKEN || rule == GMC_DECISION_FALLING;
    if (truth == GMC_RESCORE_YES && !may_be_lost) return GMC_OUTCOME_SUCCESS;
    if (truth == GMC_RESCORE_NO) return GMC_OUTCOME_MISSED;
    *cut_by = rule;
    return GMC_OUTCOME_UNSOLVED;
}

gmc_rescore_truth gmc_rescore_holds(gmc_rescore *r, const gmc_trial *trial)
{
    fill_values(r, trial);
    // what an unsolved trial measured is that of a trial cut short
    bool is_cut = trial->outcome == GMC_OUTCOME_UNSOLVED;
    return truth_of(r, is_cut ? (gmc_ending){.rule = GMC_DECISION_BROKEN} : ending_of(r, trial));
}

double gmc_rescore_number(gmc_rescore *r, const gmc_trial *trial, bool *is_cut)
{
    *is_cut = false;
    if (trial->outcome == GMC_OUTCOME_UNSOLVED) return (double)NAN;
    fill_values(r, trial);
    gmc_ending ending = ending_of(r, trial);
    gmc_decision rule = ending.rule;
    gmc_interval whole = range_of(r, ending);
    *is_cut = rule != GMC_DECISION_END && !(whole.lower == whole.upper);
    bool is_failure = rule == GMC_DECISION_BROKEN || rule == GMC_DECISION_FALLING;
    if (*is_cut && is_failure) return (double)NAN; // of its beginning: no number among others
    return gmc_criteria_value(&r->criterion, r->values);
}

/// Is it a number that was there before the trial began: a count of it, a word of its case, what
/// was drawn?
static bool is_given(const gmc_rescore *r, int index)
{
    int own = index - r->column_count;
    return own == OWN_TRIAL || own == OWN_CASE || own == OWN_DRAW || own >= r->own_count ||
           own == OWN_OBJECT || own == OWN_GRASP;
}

/// Of an unsolved trial: what it measured may be what went wrong, what it began with is known.
static gmc_interval range_of_unsolved(gmc_rescore *r)
{
    for (int i = 0; i < r->count; i++)
        r->ranges[i] = is_given(r, i) && !isnan(r->values[i])
                           ? (gmc_interval){r->values[i], r->values[i]}
                           : gmc_extent_any();
    return gmc_extent_of_criterion(&r->criterion, r->ranges);
}

gmc_interval gmc_rescore_range(gmc_rescore *r, const gmc_trial *trial)
{
    fill_values(r, trial);
    if (trial->outcome == GMC_OUTCOME_UNSOLVED) return range_of_unsolved(r);
    gmc_ending ending = ending_of(r, trial);
    if (ending.rule != GMC_DECISION_END) return range_of(r, ending);
    double value = gmc_criteria_value(&r->criterion, r->values);
    return (gmc_interval){value, value};
}

bool gmc_rescore_is_of_measures(const gmc_rescore *r)
{
    for (int i = 0; i < r->criterion.node_count; i++) {
        const gmc_criterion_node *code = &r->criterion.nodes[i];
        if (code->op == GMC_OP_MEASURE && !is_given(r, code->measure)) return true;
    }
    return false;
}
