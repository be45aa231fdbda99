// `sampling.importance`: a second distribution for some lines of `uncertain`. What would make
// weights that no estimate survives is refused here, where the line still has a place.
#include "sampling/language/merge.h"
#include "sampling/language/nearest.h"
#include "sampling/random/density.h"
#include "sampling/scenario/resolve_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Largest weight without a share of true draws: one draw that counts for a thousand leaves no
/// interval of a run of usual length.
static const double WEIGHT_MAX = 1000;

static const char SHARE_HINT[] =
    "with  true_share: 10 %  a share of draws comes from the true distributions, and no weight is "
    "above 10";

static gmc_uncertain *find_line(const gmc_resolver *r, const gmc_node *node)
{
    gmc_scenario *s = r->scenario;
    gmc_nearest nearest = gmc_nearest_start(node->key);
    int found = gmc_resolve_line(s, node->key);
    if (found >= 0) return &s->uncertain[found];
    for (int i = 0; i < s->uncertain_count; i++)
        gmc_nearest_offer(&nearest, s->uncertain[i].path);
    char hint[200] = "write the path as the line under  uncertain  has it";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source, hint,
                        "sampling.importance: no line of  uncertain  is %.100s", node->key);
    return NULL;
}

static void refuse(const gmc_resolver *r, const gmc_node *node, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                        "sampling.importance.%.100s: %s", node->key, what);
}

// Does another line come from the same row of a file?
static bool shares_rows(const gmc_scenario *s, const gmc_uncertain *line)
{
    for (int i = 0; i < s->uncertain_count; i++)
        if (&s->uncertain[i] != line && s->uncertain[i].chance == line->chance) return true;
    return false;
}

// Two laws that can be weighed against each other.
static bool fits(const gmc_resolver *r, const gmc_node *node, const gmc_uncertain *line,
                 const gmc_uncertain *proposed)
{
    static const char *const FORMS[] = {[GMC_CHANGE_ABSOLUTE] = "write the distribution alone",
                                        [GMC_CHANGE_ADD] = "write nominal + ...",
                                        [GMC_CHANGE_MULTIPLY] = "write nominal * ..."};
    bool is_list = gmc_density_is_list(&line->distribution);
    if (line->relation != GMC_RELATION_NONE)
        refuse(r, node, NULL, "what a camera errs by is drawn as  believed  says");
    else if (line->mix_count > 0 || shares_rows(r->scenario, line))
        refuse(r, node, NULL,
               "it varies together with others, and has no distribution of its own to be weighed");
    else if (line->tripod > 0)
        refuse(r, node, NULL, "a tripod is drawn point by point, and has no other distribution");
    else if (line->is_interval || proposed->is_interval)
        refuse(r, node, NULL, "an interval is no distribution");
    else if (line->change != proposed->change)
        refuse(r, node, FORMS[line->change], "not written as the line of  uncertain  is");
    else if (line->distribution.type == GMC_DISTRIBUTION_CONSTANT)
        refuse(r, node, "leave it out", "the line of  uncertain  is a constant");
    else if (is_list != gmc_density_is_list(&proposed->distribution))
        refuse(r, node,
               is_list ? "one_of(the same values; weights ...)" : "a distribution with a density",
               "one draws from a list, the other from a range");
    else
        return true;
    return false;
}

static void check_bound(const gmc_resolver *r, const gmc_node *node, double bound)
{
    char what[160];
    if (bound <= WEIGHT_MAX || r->scenario->true_share > 0) return;
    if (bound == HUGE_VAL)
        snprintf(what, sizeof what,
                 "the true distribution reaches where this one does not: what happens there would "
                 "never be seen");
    else
        snprintf(what, sizeof what,
                 "the true distribution is up to %.3g times as dense as this one, more than %g: "
                 "single draws would count for all",
                 bound, WEIGHT_MAX);
    refuse(r, node, SHARE_HINT, what);
}

// Says if the line has a proposal by another of its names, further up.
static bool is_twin(const gmc_resolver *r, const gmc_node *map, const gmc_node *node, int line)
{
    for (const gmc_node *n = map->first; n != node; n = n->next) {
        if (gmc_resolve_line(r->scenario, n->key) != line) continue;
        char hint[GMC_MERGE_HINT_MAX];
        gmc_merge_hint_twin(n->key_source, node->key_source, n->key, hint);
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source, hint,
                            "sampling.importance: %.100s and %.100s are the same number", n->key,
                            node->key);
        return true;
    }
    return false;
}

static gmc_status read_proposal(const gmc_resolver *r, gmc_node *node, gmc_uncertain *line)
{
    gmc_chance_context context = {.scenario = r->scenario, .report = r->report, .path = line->path};
    context.is_known = gmc_resolve_dimension(r, line->path, line->source, line->targets,
                                             line->target_count, &context.dimension);
    gmc_uncertain proposed = {.path = line->path};
    gmc_status status = gmc_chance_line(&context, node, &proposed);
    if (status != GMC_OK || r->report->error_count > 0)
        return gmc_resolve_is_fatal(status) ? status : GMC_OK;
    if (!fits(r, node, line, &proposed)) return GMC_OK;
    line->proposal = proposed.distribution;
    line->has_proposal = true;
    double bound = gmc_density_bound(&line->distribution, &line->proposal);
    check_bound(r, node, bound);
    r->scenario->weight_bound *= bound;
    return GMC_OK;
}

static void check_design(const gmc_resolver *r, const gmc_node *node)
{
    const gmc_scenario *s = r->scenario;
    char what[200];
    if (s->design != GMC_DESIGN_RANDOM) {
        snprintf(what, sizeof what,
                 "sampling.importance: weights belong to independent draws, those of %s are not",
                 gmc_design_name(s->design));
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source, "design: random",
                            "%s", what);
    }
    if (s->level_count > 0 && s->pilot == 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source,
                            "leave  ladder  or  importance  out",
                            "sampling.importance: a ladder counts trials, and weighs none");
}

gmc_status gmc_resolve_importance(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(gmc_node_find(s->tree, "sampling"), "importance");
    if (!map || map->kind != GMC_NODE_MAP) return GMC_OK;
    check_design(r, map);
    if (map->count == 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, map->source,
                            "for example  friction.rubber/abs: uniform(0.08, 0.15)",
                            "sampling.importance: no proposal");
    for (gmc_node *n = map->first; n; n = n->next) {
        gmc_uncertain *line = n->kind == GMC_NODE_SCALAR && !n->is_bad ? find_line(r, n) : NULL;
        if (line && !is_twin(r, map, n, (int)(line - s->uncertain)))
            GMC_TRY(read_proposal(r, n, line));
    }
    if (s->true_share > 0) s->weight_bound = fmin(s->weight_bound, 1 / s->true_share);
    return GMC_OK;
}
