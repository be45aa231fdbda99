#include "sampling/build/margin.h"

#include "engine/base/check.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/token.h"

#include <float.h>
#include <math.h>

/// What a margin may name.
typedef struct naming {
    const gmc_measure_plan *measures;
    const gmc_scenario *scenario; ///< its sampled numbers
} naming;

/// What was drawn, the i-th sampled number, stands below the columns in the code, and is so told
/// from them.
static int index_of_sample(int i) { return -1 - i; }

static size_t match(void *context, const char *text, int *index, gmc_exponents *exponents)
{
    const naming *n = context;
    const gmc_measure_plan *measures = n->measures;
    size_t best = 0;
    for (int i = 0; i < measures->column_count; i++) {
        size_t length = gmc_token_column_at(text, measures->columns[i].name);
        if (length <= best) continue;
        best = length;
        *index = i;
        *exponents = gmc_units_of(measures->columns[i].unit);
    }
    for (int i = 0; i < n->scenario->sampled_count; i++) {
        const gmc_sampled *sample = &n->scenario->sampled[i];
        size_t length = gmc_token_column_at(text, sample->path);
        if (length <= best) continue;
        best = length;
        *index = index_of_sample(i);
        *exponents = gmc_units_exponents(sample->dimension);
    }
    return best;
}

static const char *nearest(void *context, const char *word)
{
    const naming *n = context;
    gmc_nearest best = gmc_nearest_start(word);
    for (int i = 0; i < n->measures->column_count; i++)
        gmc_nearest_offer(&best, n->measures->columns[i].name);
    for (int i = 0; i < n->scenario->sampled_count; i++)
        gmc_nearest_offer(&best, n->scenario->sampled[i].path);
    return best.best;
}

gmc_status gmc_margin_read(gmc_scenario *s, const gmc_measure_plan *measures,
                           gmc_diagnostics *report)
{
    if (!s->subset.margin) return GMC_OK;
    naming named = {.measures = measures, .scenario = s};
    const gmc_expression_names names = {
        .context = &named,
        .match = match,
        .nearest = nearest,
        .noun = "column",
        .example = "for example 10 mm - max(slip(object, hand))",
        .where = "columns are those of /trials: lift, slip, max_force, and those of the criteria; "
                 "what is uncertain has its own name"};
    const gmc_expression *root = NULL;
    GMC_TRY(gmc_expression_parse_formula(s->subset.margin, &names, s->arena, report, &root));
    gmc_compiled_criterion *code = GMC_NEW(s->arena, 1, gmc_compiled_criterion);
    if (!code) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_expression_compile(root, s->arena, code));
    s->subset.code = code;
    for (int i = 0; i < code->node_count; i++)
        if (code->nodes[i].op == GMC_OP_MEASURE) return GMC_OK;
    gmc_diagnostics_add(report, GMC_E_INPUT, s->subset.margin->source,
                        "leave it out, and it follows from success",
                        "the margin is the same number in every trial: it names no column and "
                        "nothing that is uncertain");
    return GMC_E_INPUT;
}

/// What is left until two sides are equal, over a size; never 0.
static double slack(const gmc_criterion_node *node, double a, double b)
{
    bool is_below = node->op == GMC_OP_LESS || node->op == GMC_OP_LESS_EQUAL;
    bool is_strict = node->op == GMC_OP_LESS || node->op == GMC_OP_GREATER;
    double left = is_below ? b - a : a - b;
    if (isnan(a) || isnan(b)) return -DBL_MAX; // a comparison with NaN is false
    if (node->number == 0) return gmc_criteria_apply(node->op, a, b) > 0 ? DBL_MAX : -DBL_MAX;
    if (a == b) return is_strict ? -DBL_TRUE_MIN : DBL_TRUE_MIN;
    double scaled = left / node->number;
    return scaled == 0 ? copysign(DBL_TRUE_MIN, left) : scaled;
}

static double apply(const gmc_criterion_node *node, double a, double b)
{
    switch (node->op) {
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
        return slack(node, a, b);
    case GMC_OP_AND:
        return fmin(a, b);
    case GMC_OP_OR:
        return fmax(a, b);
    case GMC_OP_NOT:
        return -a;
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
    case GMC_OP_ADD:
    case GMC_OP_SUBTRACT:
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE:
    case GMC_OP_NEGATE:
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        break;
    }
    return gmc_criteria_apply(node->op, a, b);
}

/// Values of comparisons, in the order of their nodes.
typedef struct comparisons {
    double *each; ///< (most); from the last on, the least of all that follow
    int most, count;
} comparisons;

static void put(comparisons *c, double value)
{
    int last = c->most - 1;
    if (c->count <= last)
        c->each[c->count++] = value;
    else
        c->each[last] = fmin(c->each[last], value);
}

static double leaf(const gmc_criterion_node *node, const double *values, const double *samples)
{
    return node->measure >= 0 ? values[node->measure] : samples[index_of_sample(node->measure)];
}

/// @param samples  NULL: the code names none
/// @param found    out: of the comparisons; NULL: not wanted
static double value_of(const gmc_compiled_criterion *code, const double *values,
                       const double *samples, comparisons *found)
{
    double stack[GMC_CRITERION_DEPTH + 2] = {0}; // criteria are joined: one more, and a b of none
    int top = 0;
    for (int i = 0; i < code->node_count; i++) {
        const gmc_criterion_node *node = &code->nodes[i];
        int operands = gmc_criteria_operands(node->op);
        GMC_ASSERT(top >= operands && top - operands <= GMC_CRITERION_DEPTH);
        top += 1 - operands;
        double *at = &stack[top - 1];
        *at = node->op == GMC_OP_NUMBER    ? node->number
              : node->op == GMC_OP_MEASURE ? leaf(node, values, samples)
                                           : apply(node, at[0], operands == 2 ? at[1] : 0);
        if (found && gmc_criteria_is_comparison(node->op)) put(found, *at);
    }
    GMC_ASSERT(top == 1);
    return stack[0];
}

double gmc_margin_value(const gmc_compiled_criterion *code, const double *values,
                        const double *samples, gmc_outcome outcome)
{
    if (outcome == GMC_OUTCOME_UNSOLVED) return (double)NAN;
    if (outcome == GMC_OUTCOME_LOST) return -HUGE_VAL;
    double value = value_of(code, values, samples, NULL);
    return isnan(value) ? value : fmin(value, DBL_MAX);
}

int gmc_margin_distances(const gmc_compiled_criterion *code, const double *values, double *each,
                         int most)
{
    comparisons found = {.each = each, .most = most};
    (void)value_of(code, values, NULL, &found);
    return found.count;
}

uint32_t gmc_margin_forces(const gmc_compiled_criterion *code, int most)
{
    uint32_t forces = 0;
    int count = 0;
    for (int i = 0; i < code->node_count; i++) {
        if (!gmc_criteria_is_comparison(code->nodes[i].op)) continue;
        int k = count < most ? count++ : most - 1;
        if (code->nodes[i].is_force) forces |= (uint32_t)1 << k;
    }
    return forces;
}

bool gmc_margin_has_moved(const gmc_compiled_criterion *code, const double *values,
                          const double *others)
{
    enum { MOST = 64 };
    double here[MOST], there[MOST];
    int count = gmc_margin_distances(code, values, here, MOST), broken = 0, moved = 0;
    (void)gmc_margin_distances(code, others, there, MOST);
    bool is_any = false;
    for (int i = 0; i < count; i++) {
        double distance = fabs(here[i]);
        bool has_moved = here[i] != there[i] && distance < DBL_MAX &&
                         !(fabs(here[i] - there[i]) <= 0.5 * distance);
        is_any = is_any || has_moved;
        broken += here[i] < 0;
        moved += here[i] < 0 && has_moved;
    }
    return broken > 0 ? moved == broken : is_any;
}
