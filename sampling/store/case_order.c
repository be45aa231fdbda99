#include "sampling/store/case_order.h"

#include "sampling/campaign/rollouts.h"

#include <math.h>
#include <stdlib.h>

/// A walk over the trials.
typedef struct collecting {
    const gmc_summary *summary;
    const gmc_case_order_asked *asked;
    gmc_duels *duels;
    uint64_t first; ///< draw of the file: those before take no room
} collecting;

/// What a trial says about its case in comparison with others; of a ladder that of the last level.
static gmc_status take_in(void *context, const gmc_trial *trial)
{
    const collecting *c = context;
    const gmc_ladder *ladder = c->summary->ladder;
    if (ladder) {
        uint64_t levels = (uint64_t)c->summary->plan->ladder->plan.level_count;
        if (trial->trial % levels != levels - 1 || gmc_ladder_is_audit(ladder, trial->trial))
            return GMC_OK;
    }
    return gmc_duels_add(c->duels, trial->case_index, trial->draw - c->first,
                         gmc_rollouts_verdict(trial));
}

static int compare_numbers(double x, double y) { return (x > y) - (x < y); }

/// The first of two rows comes before the second: < 0. 0 for the same row, or a tie.
static int compare_success(const gmc_case_order_row *x, const gmc_case_order_row *y)
{
    if (x->is_chosen != y->is_chosen) return x->is_chosen ? -1 : 1;
    int order = -compare_numbers(x->estimate.lower, y->estimate.lower);
    // a case without a verdict has no share
    double p = isnan(x->estimate.p) ? -1 : x->estimate.p;
    double q = isnan(y->estimate.p) ? -1 : y->estimate.p;
    return order != 0 ? order : -compare_numbers(p, q);
}

static int compare_rows(const void *a, const void *b)
{
    const gmc_case_order_row *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    int order = compare_success(x, y);
    return order != 0 ? order : (x->case_index > y->case_index) - (x->case_index < y->case_index);
}

void gmc_case_order_order(gmc_case_order_row *rows, int count)
{
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    int start = 0; // of the group
    for (int i = 0; i < count; i++) {
        gmc_case_order_row *row = &rows[i], *before = i > 0 ? row - 1 : NULL;
        if (!before || before->group != row->group) start = i;
        row->place = i - start + 1;
        if (i == start || compare_success(before, row) != 0) continue;
        row->place = before->place;
        row->is_tied = before->is_tied = true;
    }
}

/// Places of the cases of one group, whose rows are [from, to).
static gmc_status find_sets(const collecting *c, gmc_case_order *ranking, int from, int to)
{
    const gmc_store_plan *plan = c->summary->plan;
    int64_t best = c->asked->best;
    size_t count = (size_t)(to - from);
    int64_t *cases = malloc(count * sizeof *cases);
    gmc_ranks_set *sets = malloc(count * sizeof *sets);
    bool *may = calloc(count, sizeof *may);
    gmc_status status = cases && sets && may ? GMC_OK : GMC_E_MEMORY;
    for (int i = from; i < to && status == GMC_OK; i++)
        cases[i - from] = ranking->rows[i].case_index;
    const gmc_ranks_of of = {.count = to - from,
                             .cases = cases,
                             .is_anytime = plan->stop.kind != GMC_STOP_NEVER ||
                                           gmc_store_plan_is_sparse(plan),
                             .replica_count = plan->replicas,
                             .replicas = c->summary->replicas,
                             .level = 1 - (1 - ranking->level) / ranking->group_count};
    if (status == GMC_OK) status = gmc_ranks_find(c->duels, &of, sets);
    bool is_question = best < (int64_t)count;
    if (status == GMC_OK && is_question) status = gmc_ranks_best(c->duels, &of, best, may);
    for (int i = from; i < to && status == GMC_OK; i++) {
        ranking->rows[i].set = sets[i - from];
        ranking->rows[i].may_be_best = !is_question || may[i - from];
    }
    free(may);
    free(cases);
    free(sets);
    return status;
}

static gmc_status fill(const collecting *collected, gmc_case_order *ranking)
{
    const gmc_summary *summary = collected->summary;
    const int *groups = collected->asked->groups;
    gmc_method methods[2];
    gmc_summary_methods(summary->plan, methods);
    for (int c = 0; c < ranking->count; c++) {
        gmc_case_order_row *row = &ranking->rows[c];
        *row = (gmc_case_order_row){.case_index = c, .group = groups ? groups[c] : 0};
        row->estimate = gmc_summary_case(summary, c, methods[0]);
        row->is_chosen = summary->ranking && gmc_ranking_of_case(summary->ranking, c).is_best;
    }
    gmc_case_order_order(ranking->rows, ranking->count);
    for (int from = 0, to; from < ranking->count; from = to) {
        for (to = from; to < ranking->count; to++)
            if (ranking->rows[to].group != ranking->rows[from].group) break;
        GMC_TRY(find_sets(collected, ranking, from, to));
    }
    return GMC_OK;
}

static const char *method_of(const gmc_store_plan *plan)
{
    if (plan->replicas > 0) return "t over randomisations";
    bool is_anytime = plan->stop.kind != GMC_STOP_NEVER || gmc_store_plan_is_sparse(plan);
    return is_anytime ? "confidence sequences" : "exact sign tests";
}

gmc_status gmc_case_order_make(gmc_result *result, const gmc_summary *summary,
                               const gmc_case_order_asked *asked, gmc_diagnostics *messages,
                               gmc_case_order *ranking)
{
    const gmc_store_plan *plan = summary->plan;
    *ranking = (gmc_case_order){.count = plan->case_count,
                                .group_count = asked->group_count,
                                .level = plan->level,
                                .method = method_of(plan)};
    if (plan->weight_bound > 0) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){0},
                            "run the study without sampling.importance",
                            "trials with weights are not ranked: they are not equally likely");
        return GMC_E_INPUT;
    }
    if (plan->interval_places > 0) {
        gmc_diagnostics_add(
            messages, GMC_E_INPUT, (gmc_source){0},
            "run the study with the numbers fixed, or with distributions",
            "cases with intervals are not ranked: they have a range of success, not one");
        return GMC_E_INPUT;
    }
    uint64_t cases = (uint64_t)plan->case_count;
    collecting c = {
        .summary = summary, .asked = asked, .first = summary->ladder ? 0 : plan->first / cases};
    ranking->rows = calloc((size_t)plan->case_count, sizeof *ranking->rows);
    gmc_status status = ranking->rows ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_duels_create(plan->case_count, &c.duels);
    if (status == GMC_OK) status = gmc_result_trials(result, take_in, &c);
    if (status == GMC_OK) status = fill(&c, ranking);
    gmc_duels_free(c.duels);
    return status;
}

void gmc_case_order_free(gmc_case_order *ranking)
{
    free(ranking->rows);
    *ranking = (gmc_case_order){0};
}
