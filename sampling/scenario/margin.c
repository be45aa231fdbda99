#include "sampling/scenario/margin.h"

#include "sampling/scenario/column_name.h"
#include "sampling/scenario/expression.h"
#include "sampling/scenario/nearest.h"

#include <math.h>

static size_t match(void *context, const char *text, int *index, gmc_exponents *exponents)
{
    const gmc_measure_plan *measures = context;
    size_t best = 0;
    for (int i = 0; i < measures->column_count; i++) {
        size_t length = gmc_column_name_at(text, measures->columns[i].name);
        if (length <= best) continue;
        best = length;
        *index = i;
        *exponents = gmc_units_of(measures->columns[i].unit);
    }
    return best;
}

static const char *nearest(void *context, const char *word)
{
    const gmc_measure_plan *measures = context;
    gmc_nearest best = gmc_nearest_start(word);
    for (int i = 0; i < measures->column_count; i++)
        gmc_nearest_offer(&best, measures->columns[i].name);
    return best.best;
}

gmc_status gmc_margin_read(gmc_scenario *s, const gmc_measure_plan *measures,
                           gmc_diagnostics *report)
{
    if (!s->subset.margin) return GMC_OK;
    gmc_measure_plan plan = *measures;
    const gmc_expression_names names = {
        .context = &plan,
        .match = match,
        .nearest = nearest,
        .noun = "column",
        .example = "for example 10 mm - max(slip(object, hand))",
        .where = "columns are those of /trials: lift, slip, max_force, and those of the criteria"};
    const gmc_expression *root = NULL;
    GMC_TRY(gmc_expression_parse_formula(s->subset.margin, &names, s->arena, report, &root));
    gmc_compiled_criterion *code = gmc_arena_take(s->arena, 1, sizeof *code);
    if (!code) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_expression_compile(root, s->arena, code));
    s->subset.code = code;
    return GMC_OK;
}

double gmc_margin_value(const gmc_compiled_criterion *code, const double *values,
                        gmc_outcome outcome)
{
    if (outcome == GMC_OUTCOME_UNSOLVED) return (double)NAN;
    if (outcome == GMC_OUTCOME_LOST) return -HUGE_VAL;
    return gmc_criteria_value(code, values);
}
