// Designs: points of the box that axes `between` two numbers span. Each coordinate is addressed by
// (point, path), so that another axis, another seed or more designs move none. Points that a claim
// of `require` refuses are left out: design k is the k-th of the others.
#include "sampling/language/expression.h"
#include "sampling/language/units.h"
#include "sampling/random/stream.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <stdio.h>
#include <string.h>

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

void gmc_resolve_check_values(gmc_diagnostics *report, const gmc_scenario *scenario,
                              const gmc_axis_spec *axis, const double *values, int count)
{
    for (int j = 0; j < axis->target_count; j++) {
        const gmc_parameter *p = &scenario->parameters[axis->targets[j]];
        for (int k = 0; k < count; k++) {
            if (values[k] >= p->lower && values[k] <= p->upper) continue;
            char text[GMC_UNITS_TEXT];
            gmc_units_print(values[k], text);
            gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, axis->node->source, NULL,
                                "%.120s cannot be %s %s", p->path, text,
                                gmc_units_name(p->dimension));
            return;
        }
    }
}

gmc_status gmc_resolve_between(const gmc_chance_context *context, gmc_axis_spec *axis)
{
    gmc_scenario *s = context->scenario;
    axis->is_between = true;
    axis->count = s->design_count > 0 ? s->design_count : 1;
    axis->values = gmc_arena_doubles(s->arena, (size_t)axis->count);
    if (!axis->values) return GMC_E_ARENA_FULL;
    if (gmc_chance_between(context, axis->node, axis->range) != GMC_OK) {
        axis->range[0] = axis->range[1] = 0;
        return GMC_OK; // reported
    }
    gmc_resolve_check_values(context->report, s, axis, axis->range, 2);
    for (int k = 0; k < axis->count; k++) // of the right size until designs are known
        axis->values[k] =
            s->optimise.is_given ? (axis->range[0] + axis->range[1]) / 2 : axis->range[0];
    if (s->design_count == 0 && !s->optimise.is_given)
        gmc_diagnostics_add(
            context->report, GMC_ERROR, GMC_E_INPUT, axis->node->source,
            "add  designs: 200  under study",
            "study.vary.%.80s: between two numbers, but how many designs is not said", axis->path);
    return GMC_OK;
}

static gmc_expression_found find(void *context, const char *name, int *index,
                                 gmc_exponents *exponents)
{
    const gmc_scenario *s = context;
    *index = gmc_scenario_find(s, name);
    if (*index < 0) return GMC_EXPRESSION_UNKNOWN;
    *exponents = gmc_units_exponents(s->parameters[*index].dimension);
    return GMC_EXPRESSION_FOUND;
}

static const char *nearest(void *context, const char *name)
{
    return gmc_scenario_nearest(context, name);
}

static gmc_status read_claims(const gmc_resolver *r, gmc_claims *claims)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = gmc_node_find(gmc_node_find(s->tree, "study"), "require");
    const gmc_expression_names names = {
        .context = s, .find = find, .nearest = nearest, GMC_EXPRESSION_OF_PARAMETERS};
    int room = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    claims->list = gmc_arena_take(s->arena, (size_t)room + 1, sizeof *claims->list);
    claims->table = gmc_arena_doubles(s->arena, (size_t)s->parameter_count + 1);
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

gmc_status gmc_resolve_designs(const gmc_resolver *r, bool is_designed)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *node = gmc_node_find(gmc_node_find(s->tree, "study"), "designs");
    gmc_claims claims = {0};
    if (!is_designed && s->design_count > 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->source,
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
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->source, "loosen study.require",
                            "study.designs: of %d points in turn none fulfils what is required",
                            TRIES);
        return GMC_OK;
    }
    return GMC_OK;
}
