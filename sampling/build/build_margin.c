// The margin of a trial, made of the scenario's own criteria: each comparison becomes
// what is left until its two sides are equal, over the size of what it compares with, so that
// millimetres and newtons can be held against each other; `and` becomes the least of these, `or`
// the largest, `not` the opposite. Its sign is the verdict, by construction.
//
// What is counted (`held_by(object) >= 2`, `contact(a, b)`) holds or does not, and says nothing of
// how near it is to the other: where it holds it leaves the margin to the criteria beside it. (Its
// slack would be 0 in most successes, and the margin the same in all of these.) Failures that such
// a criterion alone tells of, apart from all others, are met by plain draws only, which is warned
// of.
//
// An `always` criterion was judged after every step, and the columns hold the worst of each measure
// alone. Of a comparison of one measure that is the same; where a criterion needs several at one
// time ("a or b", "a + b < c") it is not, and the margin of subset simulation must be written.
// Repetitions at half the step (nearby.h) do without it then.
#include "sampling/build/build_internal.h"
#include "sampling/language/expression.h"
#include "sampling/language/units.h"

#include <math.h>

/// Sizes of what is compared with 0, and of what is compared with another measure: of a grasp. Any
/// would do for one criterion; they say how much of one is as bad as how much of another.
static const struct {
    gmc_exponents of;
    double size; ///< SI
} SIZES[] = {
    {{1, 0, 0, 0}, 0.01},  // 10 mm
    {{0, 0, 0, 1}, 0.1},   // 6 deg
    {{1, 0, -1, 0}, 0.1},  // 0.1 m/s
    {{1, 1, -2, 0}, 10.0}, // 10 N
};

typedef struct deriving {
    gmc_build *build;
    gmc_criterion_node *node; ///< the next to be written
    bool is_at_end;
} deriving;

static int count_measures(const gmc_expression *e)
{
    if (!e) return 0;
    return (e->op == GMC_OP_MEASURE) + count_measures(e->left) + count_measures(e->right);
}

/// Value of what is made of numbers alone.
static double value_of(const gmc_expression *e)
{
    if (e->op == GMC_OP_NUMBER) return e->number;
    return gmc_criteria_apply(e->op, value_of(e->left), e->right ? value_of(e->right) : 0);
}

/// Are all measures in it counted?
static bool is_counted(const gmc_expression *e)
{
    if (!e) return true;
    if (e->op == GMC_OP_MEASURE) return e->is_count;
    return is_counted(e->left) && is_counted(e->right);
}

/// @return 0: it is counted
static double size_of(const gmc_expression *comparison)
{
    if (is_counted(comparison)) return 0;
    const gmc_expression *sides[] = {comparison->left, comparison->right};
    for (int i = 0; i < 2; i++) {
        if (count_measures(sides[i]) > 0) continue;
        double size = fabs(value_of(sides[i]));
        if (size > 0 && isfinite(size)) return size;
    }
    for (int i = 0; i < GMC_COUNT(SIZES); i++)
        if (gmc_units_equal(comparison->left->exponents, SIZES[i].of)) return SIZES[i].size;
    return 1;
}

/// Is it above 0 times the measure in it, or below: does it rise or fall with it?
/// @return false: neither can be told
static bool rises(const gmc_expression *e, bool *is_rising)
{
    bool is_left = count_measures(e->left) > 0;
    if (e->op == GMC_OP_MEASURE) return *is_rising = true;
    const gmc_expression *of = is_left ? e->left : e->right;
    if (!of || !rises(of, is_rising)) return false;
    switch (e->op) {
    case GMC_OP_ADD:
        return true;
    case GMC_OP_SUBTRACT:
        *is_rising = *is_rising == is_left;
        return true;
    case GMC_OP_NEGATE:
        *is_rising = !*is_rising;
        return true;
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE: {
        if (e->op == GMC_OP_DIVIDE && !is_left) return false;
        double factor = value_of(is_left ? e->right : e->left);
        *is_rising = *is_rising == (factor > 0);
        return factor > 0 || factor < 0;
    }
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
    case GMC_OP_AND:
    case GMC_OP_OR:
    case GMC_OP_NOT:
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        break;
    }
    return false;
}

/// Does the worst of each measure alone say whether an `always` criterion was ever broken?
/// @param is_meant  it shall hold; false: it stands under a `not`
static bool is_told(const gmc_expression *e, bool is_meant)
{
    bool is_rising;
    if (e->op == GMC_OP_NOT) return is_told(e->left, !is_meant);
    if (e->op == (is_meant ? GMC_OP_AND : GMC_OP_OR))
        return is_told(e->left, is_meant) && is_told(e->right, is_meant);
    int count =
        gmc_criteria_is_comparison(e->op) ? count_measures(e->left) + count_measures(e->right) : 2;
    if (count != 1) return count == 0;
    return rises(count_measures(e->left) > 0 ? e->left : e->right, &is_rising);
}

/// The column that a comparison reads of the measure in one of its sides.
/// @param is_meant  as in is_told
static gmc_statistic worst_of(const gmc_expression *comparison, bool is_meant)
{
    bool is_left = count_measures(comparison->left) > 0, is_rising = true;
    bool is_below = comparison->op == GMC_OP_LESS || comparison->op == GMC_OP_LESS_EQUAL;
    (void)rises(is_left ? comparison->left : comparison->right, &is_rising);
    bool is_large = (is_below == is_left) == (is_rising == is_meant);
    return is_large ? GMC_STAT_MAX : GMC_STAT_MIN;
}

static void emit_side(deriving *d, const gmc_expression *e, gmc_statistic statistic)
{
    if (e->left) emit_side(d, e->left, statistic);
    if (e->right) emit_side(d, e->right, statistic);
    *d->node = (gmc_criterion_node){.op = e->op, .number = e->number};
    if (e->op == GMC_OP_MEASURE) d->node->measure = gmc_build_column(d->build, e, statistic);
    d->node++;
}

/// Newton, newton metre, pascal, joule: what has kg in it.
static bool is_force(const gmc_expression *comparison)
{
    return comparison->left->exponents.kg == 1 && comparison->left->exponents.s == -2;
}

static void emit(deriving *d, const gmc_expression *e, bool is_meant)
{
    if (gmc_criteria_is_comparison(e->op)) {
        gmc_statistic statistic = d->is_at_end ? GMC_STAT_END : worst_of(e, is_meant);
        emit_side(d, e->left, statistic);
        emit_side(d, e->right, statistic);
        *d->node++ =
            (gmc_criterion_node){.op = e->op, .number = size_of(e), .is_force = is_force(e)};
        return;
    }
    emit(d, e->left, e->op == GMC_OP_NOT ? !is_meant : is_meant);
    if (e->right) emit(d, e->right, is_meant);
    *d->node++ = (gmc_criterion_node){.op = e->op};
}

static int count_nodes(const gmc_expression *e)
{
    return e ? 1 + count_nodes(e->left) + count_nodes(e->right) : 0;
}

static void warn_of_counts(const gmc_build *build, const gmc_expression *e)
{
    if (!e || !gmc_criteria_is_comparison(e->op)) {
        if (e && e->left) warn_of_counts(build, e->left);
        if (e && e->right) warn_of_counts(build, e->right);
        return;
    }
    if (is_counted(e))
        gmc_diagnostics_add(build->report, GMC_WARNING, GMC_OK, e->source,
                            "write  sampling.subset.margin  if a measure does",
                            "sampling.subset: a count does not tell how near it is to failing; "
                            "rare failures of it alone may not be found");
}

/// Does subset simulation need it?
static bool is_asked_for(const gmc_scenario *s) { return s->subset.is_given && !s->subset.margin; }

/// Criteria one after the other, all of which are to hold.
static void emit_list(deriving *d, const gmc_criterion *list, int count, int before)
{
    for (int i = 0; i < count; i++) {
        if (is_asked_for(d->build->scenario)) warn_of_counts(d->build, list[i].expression);
        emit(d, list[i].expression, true);
        if (before + i > 0) *d->node++ = (gmc_criterion_node){.op = GMC_OP_AND};
    }
}

gmc_status gmc_build_margin(gmc_build *build)
{
    gmc_scenario *s = build->scenario;
    int nodes = s->at_end_count + s->always_count;
    bool is_bad = false;
    for (int i = 0; i < s->at_end_count; i++)
        nodes += count_nodes(s->at_end[i].expression);
    for (int i = 0; i < s->always_count; i++) {
        nodes += count_nodes(s->always[i].expression);
        if (is_told(s->always[i].expression, true)) continue;
        is_bad = true;
        if (!is_asked_for(s)) continue;
        gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, s->always[i].source,
                            "write  sampling.subset.margin",
                            "no margin follows from this: whether it was ever broken is not told "
                            "by the worst of each measure alone");
    }
    gmc_compiled_criterion *code = gmc_arena_take(&build->arena, 1, sizeof *code);
    deriving d = {.build = build,
                  .node = gmc_arena_take(&build->arena, (size_t)nodes, sizeof *d.node),
                  .is_at_end = true};
    if (!code || !d.node) return GMC_E_ARENA_FULL;
    if (is_bad || nodes == 0) return GMC_OK; // reported, as other mistakes of the set-up
    const gmc_criterion_node *first = d.node;
    emit_list(&d, s->at_end, s->at_end_count, 0);
    d.is_at_end = false;
    emit_list(&d, s->always, s->always_count, s->at_end_count);
    *code = (gmc_compiled_criterion){.nodes = first, .node_count = (int)(d.node - first)};
    build->slack = code;
    if (is_asked_for(s)) s->subset.code = code;
    return GMC_OK;
}
