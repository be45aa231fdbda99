// Where the values of a parameter lie, in the order in which perturb.h makes them: nominal, study,
// lines, patterns.
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/study.h"
#include "sampling/store/describe_internal.h"

#include <math.h>

/// Values that a law can give: everywhere (is_support) or where most of it lies.
static gmc_interval law_interval(const gmc_distribution *d, bool is_support)
{
    gmc_interval i;
    gmc_distribution_range(d, &i.lower, &i.upper);
    if (!is_support || !gmc_distribution_laws[d->type].has_tails) return i;
    i = (gmc_interval){-(double)INFINITY, (double)INFINITY};
    if (d->is_truncated) i = (gmc_interval){d->lower, d->upper};
    if (gmc_distribution_laws[d->type].is_positive) i.lower = fmax(i.lower, 0);
    return i;
}

/// Product of two numbers of which one may be infinite: 0 times anything stays 0.
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static gmc_interval changed(gmc_interval before, gmc_change change, gmc_interval law)
{
    switch (change) {
    case GMC_CHANGE_ABSOLUTE:
        return law;
    case GMC_CHANGE_ADD:
        return (gmc_interval){before.lower + law.lower, before.upper + law.upper};
    case GMC_CHANGE_MULTIPLY: {
        double ends[4] = {product(before.lower, law.lower), product(before.lower, law.upper),
                          product(before.upper, law.lower), product(before.upper, law.upper)};
        gmc_interval i = {ends[0], ends[0]};
        for (int k = 1; k < 4; k++) {
            i.lower = fmin(i.lower, ends[k]);
            i.upper = fmax(i.upper, ends[k]);
        }
        return i;
    }
    }
    return before;
}

bool gmc_describe_is_among(gmc_param wanted, const gmc_param *targets, int count)
{
    for (int i = 0; i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static gmc_interval parameter_interval(const gmc_scenario *s, gmc_param parameter, bool is_support);

/// Values that a line draws, as its relation makes it.
static gmc_interval line_interval(const gmc_scenario *s, const gmc_uncertain *line, bool is_support)
{
    gmc_interval law = law_interval(&line->distribution, is_support);
    switch (line->relation) {
    case GMC_RELATION_SCALED:
        return changed(parameter_interval(s, line->by, is_support), GMC_CHANGE_MULTIPLY, law);
    case GMC_RELATION_BELOW:
        return (gmc_interval){0, 1};
    case GMC_RELATION_NONE:
        break;
    }
    return law;
}

/// Values of one entry of the table over all trials, in the order of perturb.h: nominal, study,
/// lines, patterns.
static gmc_interval parameter_interval(const gmc_scenario *s, gmc_param parameter, bool is_support)
{
    double nominal = s->parameters[parameter].nominal;
    gmc_interval i = {nominal, nominal};
    for (int a = 0; a < s->axis_count; a++) {
        const gmc_axis_spec *axis = &s->axes[a];
        if (!gmc_describe_is_among(parameter, axis->targets, axis->target_count)) continue;
        if (axis->grasps) gmc_study_grasp_range(s, axis, parameter, &i.lower, &i.upper);
        if (!axis->values) continue;
        i = (gmc_interval){axis->values[0], axis->values[0]};
        for (int k = 1; k < axis->count; k++) {
            i.lower = fmin(i.lower, axis->values[k]);
            i.upper = fmax(i.upper, axis->values[k]);
        }
    }
    for (int pass = 0; pass < 2; pass++)
        for (int u = 0; u < s->uncertain_count; u++) {
            const gmc_uncertain *line = &s->uncertain[u];
            if (line->is_pattern != (pass == 1) ||
                !gmc_describe_is_among(parameter, line->targets, line->target_count))
                continue;
            i = changed(i, line->change, line_interval(s, line, is_support));
        }
    return i;
}

gmc_interval gmc_describe_interval(const gmc_scenario *s, const gmc_sampled *column,
                                   bool is_support)
{
    if (column->csv_column >= 0 && s->csv_rows > 0) {
        gmc_interval i = {(double)INFINITY, -(double)INFINITY};
        for (int64_t row = 0; row < s->csv_rows; row++) {
            double value = s->csv_values[row * s->csv_columns + column->csv_column];
            i.lower = fmin(i.lower, value);
            i.upper = fmax(i.upper, value);
        }
        return i;
    }
    if (!column->by_object) return parameter_interval(s, column->target, is_support);
    gmc_interval all = {(double)INFINITY, -(double)INFINITY};
    for (int o = 0; o < s->object_count; o++) {
        if (column->by_object[o] < 0) continue;
        gmc_interval i = parameter_interval(s, column->by_object[o], is_support);
        all.lower = fmin(all.lower, i.lower);
        all.upper = fmax(all.upper, i.upper);
    }
    return all;
}
