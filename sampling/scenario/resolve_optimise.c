// What `study.optimise` and `study.together` must fit, all of it told at once.
#include "sampling/design/optimum.h"
#include "sampling/scenario/resolve_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void gmc_resolve_together(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_axis_spec *first = s->axes;
    for (int i = 0; s->is_together && i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_together)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source,
                                "leave  together  out, or list values:  path: [a, b, c]",
                                "study.together: %.120s is no list of values", axis->path);
        else if (axis->count != first->count)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source,
                                "case k has the k-th value of each axis",
                                "study.together: %.120s has %d values, %.120s has %d", axis->path,
                                axis->count, first->path, first->count);
        else
            continue;
        axis->count = first->count; // cases can be counted
    }
}

static void refuse(const gmc_resolver *r, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, r->scenario->optimise.source, hint,
                        "study.optimise: %s", what);
}

/// How draws are made: every round takes as many as it needs, each standing alone.
static void check_sampling(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_RANDOM)
        refuse(r, "leave  design  out", "every round takes draws of its own; design is random");
    if (s->is_weighted)
        refuse(r, "leave  importance  or  optimise  out",
               "it counts trials, those of sampling.importance are weighted");
    if (s->subset.is_given)
        refuse(r, "leave  subset  or  optimise  out",
               "subset simulation decides itself which trials are run");
    if (s->pilot > 0)
        refuse(r, "leave  two_level  or  optimise  out",
               "two levels decide themselves which trials are run");
    if (s->is_independent)
        refuse(r, "leave  independent  out", "designs of a round meet the same chance");
    const gmc_node *sampling = gmc_node_find(s->tree, "sampling"),
                   *draws = gmc_node_find(sampling, "draws");
    if (!draws || draws->is_default)
        draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws && !draws->is_default)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, draws->source, "leave  draws  out",
                            "study.optimise: the budget says how many trials");
    if (s->design_count > 0) refuse(r, "leave  designs  out", "it chooses the designs itself");
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
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, o->goal_source, hint,
                        "study.optimise.goal: a budget of %" PRId64 " gives a design %" PRId64
                        " draws, too few to tell its %.6g quantile: %" PRId64 " are needed",
                        o->budget, draws, o->quantile_p, needed);
}

void gmc_resolve_optimise(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->optimise.is_given) return;
    check_sampling(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_between)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source,
                                "path: between(a, b)",
                                "study.optimise: %.120s is not between two numbers", axis->path);
        if (is_uncertain(s, axis))
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source,
                                "leave one of the two out, or say  nominal + normal(...)",
                                "study.optimise: %.120s is chosen here, and uncertain puts "
                                "another number in its place",
                                axis->path);
    }
    char text[96];
    if (s->axis_count > GMC_SURFACE_INPUTS_MAX) {
        snprintf(text, sizeof text, "%d numbers are too many; at most %d", s->axis_count,
                 GMC_SURFACE_INPUTS_MAX);
        refuse(r, "leave out those that matter least", text);
    } else if (s->axis_count > 0 && s->optimise.budget < gmc_optimum_least(s->axis_count)) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->optimise.budget_source,
                            "a larger budget, or fewer numbers",
                            "study.optimise.budget: %" PRId64
                            " trials are too few for %d number%s: "
                            "at least %" PRId64,
                            s->optimise.budget, s->axis_count, s->axis_count == 1 ? "" : "s",
                            gmc_optimum_least(s->axis_count));
    } else if (s->axis_count > 0) {
        check_quantile(r);
    }
}
