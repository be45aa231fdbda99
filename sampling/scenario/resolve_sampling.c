// Designs whose draws belong together: what a block of them is, and which numbers of draws are
// whole ones.
#include "sampling/design/exchange.h"
#include "sampling/design/morris.h"
#include "sampling/scenario/resolve_internal.h"

#include <inttypes.h>
#include <stdio.h>

static gmc_source place_of(const gmc_scenario *s, const char *key)
{
    const gmc_node *node = gmc_node_find(gmc_node_find(s->tree, "sampling"), key);
    return node ? node->source : (gmc_source){.file = s->file};
}

// Lines a and b belong to one input.
static void join(gmc_scenario *s, int a, int b)
{
    int old = s->uncertain[a].input, kept = s->uncertain[b].input;
    if (old < kept) join(s, b, a);
    for (int i = 0; i < s->uncertain_count && old > kept; i++)
        if (s->uncertain[i].input == old) s->uncertain[i].input = kept;
}

// Each line is an input of its own, but those that vary together are one: an index of one of them
// alone would depend on which of them comes first.
static void number_inputs(gmc_scenario *s)
{
    s->input_count = 0;
    for (int i = 0; i < s->uncertain_count; i++)
        s->uncertain[i].input = i;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        join(s, i, line->chance);
        for (int k = 0; k < line->mix_count; k++)
            join(s, i, line->mix[k].line);
    }
    for (int i = 0; i < s->uncertain_count; i++) { // without gaps, in the order of first lines
        gmc_uncertain *line = &s->uncertain[i];
        line->input = line->input == i ? s->input_count++ : s->uncertain[line->input].input;
    }
}

static void check_lines(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_SENSITIVITY && s->design != GMC_DESIGN_MORRIS) return;
    if (s->uncertain_count == 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, place_of(s, "design"),
                            "add  uncertain", "sampling.design: nothing is uncertain");
    if (s->design == GMC_DESIGN_SENSITIVITY && s->uncertain_count > GMC_EXCHANGE_LINES)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, place_of(s, "design"),
                            "design: morris takes any number: it finds those to keep",
                            "sampling.design: sensitivity takes %d lines, %d are uncertain",
                            GMC_EXCHANGE_LINES, s->uncertain_count);
    for (int i = 0; i < s->uncertain_count; i++)
        if (s->design == GMC_DESIGN_MORRIS && s->uncertain[i].tripod > 0)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->uncertain[i].source,
                                "design: sensitivity takes it as one input",
                                "sampling.design: morris moves inputs by half of their "
                                "probability, a tripod has no half");
}

/// Numbers of draws that are whole: R times a power of two (sobol, sensitivity) or R times any
/// number (latin_hypercube, morris), of blocks.
static void check_draws(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    int64_t least = (int64_t)s->replicas * s->block, below = least, above;
    bool is_doubled = s->design == GMC_DESIGN_SOBOL || s->design == GMC_DESIGN_SENSITIVITY;
    if (is_doubled)
        while (2 * below <= s->draws)
            below *= 2;
    else if (s->draws > least)
        below = s->draws - s->draws % least;
    above = is_doubled ? 2 * below : below + least;
    if (s->draws == below) return;
    char hint[96], blocks[64] = "";
    if (s->draws < below)
        snprintf(hint, sizeof hint, "%" PRId64 " is the least", below);
    else
        snprintf(hint, sizeof hint, "%" PRId64 " or %" PRId64, below, above);
    if (s->block > 1) snprintf(blocks, sizeof blocks, ", in blocks of %d", s->block);
    const gmc_node *study = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT,
                        study ? study->source : place_of(s, "draws"), hint,
                        "%" PRId64 " draws are not %d randomisations %s%s", s->draws, s->replicas,
                        is_doubled ? "of a power of two" : "of equal size", blocks);
}

void gmc_resolve_sampling(const gmc_resolver *r)
{
    // a screening of few trajectories ranks inputs already; indices need more
    enum { POINTS = 64, TRAJECTORIES = 4 };
    gmc_scenario *s = r->scenario;
    s->block = 1;
    number_inputs(s);
    if (s->design == GMC_DESIGN_SENSITIVITY) s->block = gmc_exchange_rows(s->input_count);
    if (s->design == GMC_DESIGN_MORRIS) s->block = gmc_morris_rows(s->input_count);
    check_lines(r);
    if (s->replicas == 0) return;
    int64_t points = s->design == GMC_DESIGN_MORRIS ? TRAJECTORIES : POINTS;
    if (s->draws == 0) s->draws = points * s->replicas * s->block;
    check_draws(r);
}

static void refuse_half_step(const gmc_resolver *r, const char *block, const char *path,
                             gmc_source source)
{
    gmc_diagnostics_add(
        r->report, GMC_ERROR, GMC_E_INPUT, source,
        "one number under  simulation, or --set simulation.half_step=... run by run",
        "%s: %.120s is the share of all trials of a run, and does not vary", block, path);
}

static bool is_among(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

void gmc_resolve_half_step(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->half_step < 0) return;
    const gmc_parameter *share = &s->parameters[s->half_step];
    for (int i = 0; i < s->uncertain_count; i++)
        if (is_among(s->uncertain[i].targets, s->uncertain[i].target_count, s->half_step))
            refuse_half_step(r, "uncertain", s->uncertain[i].path, s->uncertain[i].source);
    for (int i = 0; i < s->axis_count; i++)
        if (is_among(s->axes[i].targets, s->axes[i].target_count, s->half_step))
            refuse_half_step(r, "study.vary", s->axes[i].path, s->axes[i].source);
    for (int i = 0; i < s->csv_columns; i++)
        if (s->sampled[s->csv_sampled[i]].target == s->half_step)
            refuse_half_step(r, "sampling.design", share->path, share->source);
    if (share->formula) refuse_half_step(r, "a formula", share->path, share->source);
}
