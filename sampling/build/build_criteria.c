// Criteria as postfix programs over asked measures, and the columns that every trial fills. A
// measure in an `at_end` criterion is stored as it was at the end, one in an `always` criterion as
// the worst it ever was, so that other thresholds can be applied to a finished run. Each criterion
// reads the entry of its own kind: those of the end are evaluated once, at the end.
#include "sampling/build/build_internal.h"
#include "sampling/language/expression.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ASKED_MAX = 256
}; ///< measures of all criteria together; far beyond what a page of criteria holds

typedef struct asking {
    gmc_build *build;
    gmc_diagnostics *report;
    gmc_measure measures[ASKED_MAX];
    gmc_statistic statistics[ASKED_MAX];
    const gmc_expression *from[ASKED_MAX];
    int count;
} asking;

// Body of a measure's argument; GMC_BODY_HAND for the hand, -1 (reported) for what is not there.
static int body_of(const asking *ask, const gmc_expression *measure, const char *name)
{
    const gmc_build *build = ask->build;
    if (strcmp(name, "object") == 0) return build->object_body;
    for (int i = 0; i < build->scenario->object_count; i++)
        if (strcmp(name, build->scenario->objects[i].name) == 0) return build->object_body;
    for (int i = 0; i < build->scenario->scene_count; i++)
        if (strcmp(name, build->scenario->scene[i].name) == 0) return build->scene[i].body;
    if (strcmp(name, "hand") == 0 && build->base_body >= 0) return GMC_BODY_HAND;
    gmc_diagnostics_add(ask->report, GMC_E_INPUT, measure->source, NULL,
                        "there is no %s to measure", name);
    return -1;
}

static gmc_measure bind_measure(const asking *ask, const gmc_expression *expression)
{
    gmc_measure measure = {.kind = expression->measure,
                           .b = GMC_BODY_WORLD,
                           .of_a = expression->of_a,
                           .in_b = expression->in_b};
    measure.a = body_of(ask, expression, expression->bodies[0]);
    if (expression->bodies[1]) measure.b = body_of(ask, expression, expression->bodies[1]);
    return measure;
}

static bool is_same_vector(gmc_vec3 a, gmc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_same(const gmc_measure *a, const gmc_measure *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && is_same_vector(a->of_a, b->of_a) &&
           is_same_vector(a->in_b, b->in_b);
}

static int find_measure(const asking *ask, const gmc_measure *measure, bool is_at_end)
{
    for (int i = 0; i < ask->count; i++)
        if (is_same(&ask->measures[i], measure) &&
            (ask->statistics[i] == GMC_STAT_END) == is_at_end)
            return i;
    return 0; // too many measures, which was reported
}

static void add_measure(asking *ask, const gmc_expression *expression, gmc_statistic statistic)
{
    gmc_measure measure = bind_measure(ask, expression);
    for (int i = 0; i < ask->count; i++)
        if (is_same(&ask->measures[i], &measure) && ask->statistics[i] == statistic) return;
    if (ask->count == ASKED_MAX) {
        gmc_diagnostics_add(ask->report, GMC_E_LIMIT, expression->source, NULL,
                            "more than %d different measures in the criteria", ASKED_MAX);
        return;
    }
    ask->measures[ask->count] = measure;
    ask->statistics[ask->count] = statistic;
    ask->from[ask->count++] = expression;
}

/// Which way of a value endangers an `always` criterion.
typedef enum danger { DANGER_LARGE, DANGER_SMALL, DANGER_BOTH } danger;

static danger opposite(danger side)
{
    return side == DANGER_LARGE ? DANGER_SMALL : side == DANGER_SMALL ? DANGER_LARGE : DANGER_BOTH;
}

// Ask for every measure below an expression, with the statistic that tells how near it came to
// failing.
static void ask_always(asking *ask, const gmc_expression *e, danger side)
{
    switch (e->op) {
    case GMC_OP_NUMBER:
        return;
    case GMC_OP_MEASURE:
        if (side != DANGER_SMALL) add_measure(ask, e, GMC_STAT_MAX);
        if (side != DANGER_LARGE) add_measure(ask, e, GMC_STAT_MIN);
        return;
    case GMC_OP_ADD:
    case GMC_OP_AND:
    case GMC_OP_OR:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, side);
        return;
    case GMC_OP_SUBTRACT:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, opposite(side));
        return;
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE:
    case GMC_OP_MIN: // functions are the formulas'
    case GMC_OP_MAX:
        ask_always(ask, e->left, DANGER_BOTH);
        ask_always(ask, e->right, DANGER_BOTH);
        return;
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
        ask_always(ask, e->left, DANGER_BOTH);
        return;
    case GMC_OP_NEGATE:
    case GMC_OP_NOT:
        ask_always(ask, e->left, opposite(side));
        return;
    // a comparison is true or false; true is large, and its falling is the danger
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
        ask_always(ask, e->left, opposite(side));
        ask_always(ask, e->right, side);
        return;
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
        ask_always(ask, e->left, side);
        ask_always(ask, e->right, opposite(side));
        return;
    }
}

static void ask_end(asking *ask, const gmc_expression *e)
{
    if (!e) return;
    if (e->op == GMC_OP_MEASURE) add_measure(ask, e, GMC_STAT_END);
    ask_end(ask, e->left);
    ask_end(ask, e->right);
}

// The column of a measure of a criterion: as it was at the end, or the largest or smallest it ever
// was, as its criterion asks for.
static int column_of(gmc_build *build, const gmc_expression *e, gmc_statistic statistic)
{
    const asking ask = {.build = build, .report = build->report};
    const gmc_measure_plan *plan = &build->plan;
    gmc_measure measure = bind_measure(&ask, e);
    for (int i = 0; i < plan->asked_count; i++)
        if (is_same(&plan->asked[i], &measure) && plan->statistics[i] == statistic)
            return GMC_COLUMN_FIXED_COUNT + i;
    return 0; // too many measures, which was reported
}

static int count_nodes(const gmc_expression *e)
{
    return e ? 1 + count_nodes(e->left) + count_nodes(e->right) : 0;
}

static gmc_criterion_node *emit(const asking *ask, const gmc_expression *e, bool is_at_end,
                                gmc_criterion_node *node)
{
    if (e->left) node = emit(ask, e->left, is_at_end, node);
    if (e->right) node = emit(ask, e->right, is_at_end, node);
    *node = (gmc_criterion_node){.op = e->op, .number = e->number};
    if (e->op == GMC_OP_MEASURE) {
        gmc_measure measure = bind_measure(ask, e);
        node->measure = find_measure(ask, &measure, is_at_end);
    }
    return node + 1;
}

static gmc_status compile_list(const asking *ask, const gmc_criterion *list, int count,
                               bool is_at_end, const gmc_compiled_criterion **made)
{
    gmc_arena *arena = &ask->build->arena;
    gmc_compiled_criterion *compiled = GMC_NEW(arena, count, gmc_compiled_criterion);
    if (!compiled) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++) {
        int nodes = count_nodes(list[i].expression);
        gmc_criterion_node *node = GMC_NEW(arena, nodes, gmc_criterion_node);
        if (!node) return GMC_E_ARENA_FULL;
        emit(ask, list[i].expression, is_at_end, node);
        compiled[i] = (gmc_compiled_criterion){node, nodes};
    }
    *made = compiled;
    return GMC_OK;
}

// "max(slip(object, hand))", "distance(object, [300 mm, 0 mm, 25 mm])": as a criterion writes it.
static const char *column_name(const asking *ask, int i)
{
    const gmc_expression *e = ask->from[i];
    const char *measure = gmc_measure_infos[e->measure].name;
    const char *open = ask->statistics[i] == GMC_STAT_MAX   ? "max("
                       : ask->statistics[i] == GMC_STAT_MIN ? "min("
                                                            : "";
    gmc_text name = {0};
    gmc_text_add(&name, "%s%s(", open, measure);
    for (int k = 0; k < GMC_MEASURE_ARGUMENTS && e->arguments[k]; k++)
        gmc_text_add(&name, "%s%s", k > 0 ? ", " : "", e->arguments[k]);
    gmc_text_add(&name, "%s", *open ? "))" : ")");
    const char *kept = name.has_failed ? NULL : gmc_arena_text(&ask->build->arena, name.bytes);
    gmc_text_free(&name);
    return kept;
}

static gmc_status pair_columns(gmc_build *build, int i, gmc_column *column)
{
    const gmc_friction_spec *pair = &build->scenario->frictions[i];
    char name[256];
    snprintf(name, sizeof name, "friction_needed(%s/%s)", pair->a, pair->b);
    column[0] = (gmc_column){
        .name = gmc_arena_text(&build->arena, name),
        .unit = "1",
        .about = "largest ratio of tangential to normal impulse over 8 ms that two bodies used",
        .kind = GMC_COLUMN_REAL};
    snprintf(name, sizeof name, "slipped(%s/%s)", pair->a, pair->b);
    column[1] = (gmc_column){.name = gmc_arena_text(&build->arena, name),
                             .unit = "1",
                             .about = "most of what two bodies pressed with slid, over 8 ms",
                             .kind = GMC_COLUMN_FLAG};
    return column[0].name && column[1].name ? GMC_OK : GMC_E_ARENA_FULL;
}

/// What a column holds: the measure, and at which of its times. NULL: the arena is full.
static const char *about_of(const asking *ask, int index)
{
    static const char *const WHEN[] = {[GMC_STAT_END] = "at the end",
                                       [GMC_STAT_MAX] = "the largest of all times",
                                       [GMC_STAT_MIN] = "the smallest of all times"};
    char text[400];
    snprintf(text, sizeof text, "%s: %s", gmc_measure_infos[ask->measures[index].kind].about,
             WHEN[ask->statistics[index]]);
    return gmc_arena_text(&ask->build->arena, text);
}

const gmc_column gmc_build_weight_column = {
    .name = "weight",
    .unit = "1",
    .about = "true density of the draw over that which it came from",
    .kind = GMC_COLUMN_REAL};

static gmc_status make_columns(const asking *ask)
{
    gmc_build *build = ask->build;
    gmc_measure_plan *plan = &build->plan;
    bool is_weighted = build->scenario->is_weighted;
    int count = GMC_COLUMN_FIXED_COUNT + ask->count + 2 * plan->pair_count + is_weighted;
    gmc_column *columns = GMC_NEW(&build->arena, count, gmc_column);
    if (!columns) return GMC_E_ARENA_FULL;
    memcpy(columns, gmc_fixed_columns, sizeof gmc_fixed_columns);
    gmc_column *next = columns + GMC_COLUMN_FIXED_COUNT;
    for (int i = 0; i < ask->count; i++) {
        const gmc_measure_info *info = &gmc_measure_infos[ask->measures[i].kind];
        *next = (gmc_column){.name = column_name(ask, i),
                             .unit = info->unit,
                             .about = about_of(ask, i),
                             .kind = GMC_COLUMN_REAL};
        if (!next->name || !next->about) return GMC_E_ARENA_FULL;
        next++;
    }
    for (int i = 0; i < plan->pair_count; i++, next += 2)
        GMC_TRY(pair_columns(build, i, next));
    if (is_weighted) *next = gmc_build_weight_column;
    plan->columns = columns;
    plan->column_count = count;
    return GMC_OK;
}

static gmc_status keep_asked(const asking *ask)
{
    gmc_arena *arena = &ask->build->arena;
    gmc_measure_plan *plan = &ask->build->plan;
    size_t count = (size_t)ask->count;
    gmc_measure *measures = GMC_NEW(arena, count, gmc_measure);
    gmc_statistic *statistics = GMC_NEW(arena, count, gmc_statistic);
    if (!measures || !statistics) return GMC_E_ARENA_FULL;
    memcpy(measures, ask->measures, count * sizeof *measures);
    memcpy(statistics, ask->statistics, count * sizeof *statistics);
    plan->asked = measures;
    plan->statistics = statistics;
    plan->asked_count = ask->count;
    return GMC_OK;
}

// ---- margin -----------------------------------------------------------------------------------

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
    if (e->op == GMC_OP_MEASURE) d->node->measure = column_of(d->build, e, statistic);
    d->node++;
}

/// Newton, newton metre, pascal, joule: what has kg in it.
static bool is_force(const gmc_expression *comparison)
{
    return comparison->left->exponents.kg == 1 && comparison->left->exponents.s == -2;
}

static void emit_margin(deriving *d, const gmc_expression *e, bool is_meant)
{
    if (gmc_criteria_is_comparison(e->op)) {
        gmc_statistic statistic = d->is_at_end ? GMC_STAT_END : worst_of(e, is_meant);
        emit_side(d, e->left, statistic);
        emit_side(d, e->right, statistic);
        *d->node++ =
            (gmc_criterion_node){.op = e->op, .number = size_of(e), .is_force = is_force(e)};
        return;
    }
    emit_margin(d, e->left, e->op == GMC_OP_NOT ? !is_meant : is_meant);
    if (e->right) emit_margin(d, e->right, is_meant);
    *d->node++ = (gmc_criterion_node){.op = e->op};
}

static int count_margin_nodes(const gmc_expression *e)
{
    return e ? 1 + count_margin_nodes(e->left) + count_margin_nodes(e->right) : 0;
}

static void warn_of_counts(const gmc_build *build, const gmc_expression *e)
{
    if (!e || !gmc_criteria_is_comparison(e->op)) {
        if (e && e->left) warn_of_counts(build, e->left);
        if (e && e->right) warn_of_counts(build, e->right);
        return;
    }
    if (is_counted(e))
        gmc_diagnostics_add(build->report, GMC_OK, e->source,
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
        emit_margin(d, list[i].expression, true);
        if (before + i > 0) *d->node++ = (gmc_criterion_node){.op = GMC_OP_AND};
    }
}

// The slack of the build from the criteria, once these have their columns; it is the margin of
// sampling.subset, too, if one is asked for and none is written.
static gmc_status derive_margin(gmc_build *build)
{
    gmc_scenario *s = build->scenario;
    int nodes = s->at_end_count + s->always_count;
    bool is_bad = false;
    for (int i = 0; i < s->at_end_count; i++)
        nodes += count_margin_nodes(s->at_end[i].expression);
    for (int i = 0; i < s->always_count; i++) {
        nodes += count_margin_nodes(s->always[i].expression);
        if (is_told(s->always[i].expression, true)) continue;
        is_bad = true;
        if (!is_asked_for(s)) continue;
        gmc_diagnostics_add(build->report, GMC_E_INPUT, s->always[i].source,
                            "write  sampling.subset.margin",
                            "no margin follows from this: whether it was ever broken is not told "
                            "by the worst of each measure alone");
    }
    gmc_compiled_criterion *code = GMC_NEW(&build->arena, 1, gmc_compiled_criterion);
    deriving d = {.build = build,
                  .node = GMC_NEW(&build->arena, nodes, gmc_criterion_node),
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

gmc_status gmc_build_criteria(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    asking ask = {.build = build, .report = build->report};
    for (int i = 0; i < scenario->at_end_count; i++)
        ask_end(&ask, scenario->at_end[i].expression);
    for (int i = 0; i < scenario->always_count; i++)
        ask_always(&ask, scenario->always[i].expression, DANGER_SMALL);

    build->plan = (gmc_measure_plan){.object_body = build->object_body,
                                     .hand_body = build->base_body,
                                     .is_hand = build->is_hand,
                                     .tool_frame = build->tool_frame,
                                     .is_planar = scenario->world == GMC_WORLD_PLANAR,
                                     .is_flat = scenario->world != GMC_WORLD_SPATIAL,
                                     .pair_count = scenario->friction_count,
                                     .pairs = (const int(*)[2])build->friction_pair};
    GMC_TRY(keep_asked(&ask));
    GMC_TRY(make_columns(&ask));
    GMC_TRY(compile_list(&ask, scenario->at_end, scenario->at_end_count, true,
                         &build->criteria.at_end));
    GMC_TRY(compile_list(&ask, scenario->always, scenario->always_count, false,
                         &build->criteria.always));
    build->criteria.at_end_count = scenario->at_end_count;
    build->criteria.always_count = scenario->always_count;
    return derive_margin(build);
}
