#include "cli/commands/check_chance.h"

#include "cli/answer/answer.h"
#include "cli/process/terminal.h"
#include "sampling/build/margin.h"
#include "sampling/language/node.h"

static void print_importance(const gmc_scenario *s, FILE *out)
{
    const gmc_node *map = gmc_node_find(gmc_node_find(s->tree, "sampling"), "importance");
    if (!s->is_weighted || !map || map->kind != GMC_NODE_MAP) return;
    const char *head = "proposed";
    for (const gmc_node *n = map->first; n; n = n->next, head = "")
        gmc_terminal_print(out, "%-10s%-24s %s\n", head, n->key, n->text ? n->text : "");
    gmc_terminal_print(
        out, "%-10s%.4g %% of the draws from the true distributions; no weight above %.4g\n", head,
        100 * s->true_share, s->weight_bound);
}

static void print_cheap_level(const gmc_scenario *s, FILE *out)
{
    if (s->pilot == 0) return;
    for (int i = 0; i + 1 < s->level_count; i++) {
        const gmc_level_spec *cheap = &s->levels[i];
        double step = cheap->step > 0 ? cheap->step : s->parameters[s->step].nominal;
        const char *motion = cheap->motion ? cheap->motion : s->motion;
        gmc_terminal_print(out, "%-10s%s with %s, %s, %.4g ms", i == 0 ? "cheap" : "",
                           i == 0 ? "every draw" : "as many as pay",
                           cheap->stepper ? cheap->stepper : s->stepper,
                           motion ? motion : "dynamic", 1000 * step);
        if (i + 2 < s->level_count) fputc('\n', out);
    }
    gmc_terminal_print(out, "; %d also as simulation says, then as many as pay\n", s->pilot);
}

void gmc_check_chance_print(const gmc_scenario *s, FILE *out)
{
    print_importance(s, out);
    if (s->subset.is_given)
        gmc_terminal_print(
            out, "subset    %d run%s of at most %d levels, %d points each; margin %s\n",
            s->subset.runs, s->subset.runs == 1 ? "" : "s", s->subset.levels, s->subset.per_level,
            s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED);
    if (s->subset.aimed > 0)
        gmc_terminal_print(out,
                           "          %d draws behind them, aimed by a surrogate of the margin\n",
                           s->subset.aimed);
    if (s->subset.is_given && s->subset.aimed == 0 && s->subset.per_level < GMC_SUBSET_POINTS_FEW)
        gmc_terminal_print(out, "          %d points a level: %s\n", s->subset.per_level,
                           GMC_ANSWER_SUBSET_FEW);
    print_cheap_level(s, out);
}
