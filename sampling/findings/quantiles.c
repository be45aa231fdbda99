// Only shares of trials are asked for, so that all that is known of designs stays where it is
// (summary.h). Of independent trials they are read off the sorted numbers; else all trials are
// counted again for each of the few dozen thresholds that a bisection takes. The ends of an
// interval of a share rise with the threshold but for what a variance over draws makes of few of
// them.
#include "sampling/findings/quantiles.h"

#include "sampling/build/build.h"
#include "sampling/estimate/rising.h"
#include "sampling/store/summary.h"

#include <math.h>
#include <stdlib.h>

typedef struct row {
    gmc_interval range;
    uint64_t draw;
    double weight; ///< 1 without weights
    uint32_t case_index;
    bool is_absent;
} row;

struct gmc_quantiles {
    const gmc_store_plan *plan;
    row *rows;
    size_t count, room;
    int weight_column; ///< -1: trials have no weights
};

/// Trials whose quantiles are asked for.
typedef struct group {
    const gmc_quantiles *of;
    int case_index; ///< -1: all
    gmc_store_plan plan;
    bool is_counted; ///< they are independent, and shares are read off the sorted numbers
    double *lows;    ///< (count) sorted: the least that a number may be
    double *highs;   ///< (count) sorted: the largest
    int64_t count;
    gmc_status status; ///< of memory
} group;

gmc_status gmc_quantiles_create(const gmc_store_plan *plan, gmc_quantiles **quantiles)
{
    *quantiles = calloc(1, sizeof **quantiles);
    if (!*quantiles) return GMC_E_MEMORY;
    (*quantiles)->plan = plan;
    (*quantiles)->weight_column =
        gmc_column_find(plan->columns, plan->column_count, gmc_build_weight_column.name);
    return GMC_OK;
}

void gmc_quantiles_free(gmc_quantiles *q)
{
    if (q) free(q->rows);
    free(q);
}

gmc_status gmc_quantiles_add(gmc_quantiles *q, const gmc_trial *trial, gmc_interval range)
{
    if (q->count == q->room) {
        size_t room = q->room > 0 ? 2 * q->room : 256;
        row *grown = realloc(q->rows, room * sizeof *grown);
        if (!grown) return GMC_E_MEMORY;
        q->rows = grown;
        q->room = room;
    }
    const gmc_store_plan *plan = q->plan;
    bool is_weighted = q->weight_column >= 0, is_absent = isnan(range.lower);
    // draws with weights, and those of a confidence sequence, are whole: the number may be
    // anything, which moves no end inwards
    bool is_whole = is_weighted || (plan->stop.kind != GMC_STOP_NEVER && plan->case_count > 1);
    if (is_absent && is_whole) range = (gmc_interval){-HUGE_VAL, HUGE_VAL};
    q->rows[q->count++] = (row){.range = range,
                                .draw = trial->draw,
                                .weight = is_weighted ? trial->values[q->weight_column] : 1,
                                .case_index = trial->case_index,
                                .is_absent = is_absent && !is_whole};
    return GMC_OK;
}

// ---- shares -----------------------------------------------------------------------------------

static bool is_member(const group *g, const row *r)
{
    return g->case_index < 0 || r->case_index == (uint32_t)g->case_index;
}

/// The share of trials with a number of at most x, by all that the run's design is.
static gmc_estimate counted_again(group *g, double x)
{
    gmc_summary summary;
    gmc_method methods[2];
    double weight = 1;
    gmc_status status = gmc_summary_create(&g->plan, &summary);
    summary.is_other = true; // a stopping rule looked at success
    for (size_t i = 0; i < g->of->count && status == GMC_OK; i++) {
        const row *r = &g->of->rows[i];
        if (!is_member(g, r)) continue;
        gmc_trial trial = {.case_index = g->case_index < 0 ? r->case_index : 0,
                           .draw = r->draw,
                           .outcome = r->range.upper <= x  ? GMC_OUTCOME_SUCCESS
                                      : r->range.lower > x ? GMC_OUTCOME_MISSED
                                                           : GMC_OUTCOME_UNSOLVED,
                           .values = &weight};
        weight = r->weight;
        if (r->is_absent)
            gmc_summary_pass(&summary, &trial);
        else
            gmc_summary_add(&summary, &trial);
    }
    if (status == GMC_OK) status = gmc_summary_decide(&summary);
    gmc_summary_methods(&g->plan, methods);
    bool is_plain = methods[0] == GMC_METHOD_WILSON;
    gmc_estimate e = {.upper = 1};
    if (status == GMC_OK)
        e = gmc_summary_total(&summary, is_plain ? GMC_METHOD_CLOPPER_PEARSON : methods[0]);
    gmc_summary_free(&summary);
    if (g->status == GMC_OK) g->status = status;
    return e;
}

static gmc_estimate share_of(group *g, double x)
{
    if (!g->is_counted) return counted_again(g, x);
    gmc_tally tally = {.successes = gmc_rising_to(g->highs, g->count, x),
                       .failures = g->count - gmc_rising_to(g->lows, g->count, x)};
    tally.unsolved = g->count - tally.successes - tally.failures;
    return gmc_estimate_of(tally, g->plan.level, GMC_METHOD_CLOPPER_PEARSON);
}

// ---- quantiles --------------------------------------------------------------------------------

/// What is compared with p.
typedef enum side {
    LOWEST,  ///< the share itself, open trials taken in
    HIGHEST, ///< ... left out
    UPPER,   ///< upper end of the interval
    LOWER    ///< lower end
} side;

static bool reaches(group *g, double x, side of, double p)
{
    if (x == HUGE_VAL) return true;
    gmc_estimate e = share_of(g, x);
    switch (of) {
    case LOWEST:
        return e.unsolved_upper >= p;
    case HIGHEST:
        return e.unsolved_lower >= p;
    case UPPER:
        return e.upper >= p;
    case LOWER:
        return e.lower > p;
    }
    return false;
}

/// The least number whose share reaches p; the share of none is that below all numbers.
static double least(group *g, side of, double p)
{
    const double *sorted = of == LOWEST || of == UPPER ? g->lows : g->highs;
    int64_t from = 0, to = g->count;
    if (of == UPPER && reaches(g, -HUGE_VAL, of, p)) return -HUGE_VAL;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (reaches(g, sorted[middle], of, p))
            to = middle;
        else
            from = middle + 1;
    }
    return from < g->count ? sorted[from] : HUGE_VAL;
}

static gmc_interval ends(group *g, double level, double p)
{
    g->plan.level = level;
    return (gmc_interval){least(g, UPPER, p), least(g, LOWER, p)};
}

static gmc_quantile quantile(group *g, double p)
{
    const double level = g->of->plan->level, LEAST_LEVEL = 1e-6;
    const double none = (double)NAN;
    if (g->count == 0) return (gmc_quantile){none, none, {none, none}, none, none};
    gmc_quantile found = {.lowest = least(g, LOWEST, p), .highest = least(g, HIGHEST, p)};
    found.interval = ends(g, level, p);
    gmc_interval one_sided = ends(g, fmax(2 * level - 1, LEAST_LEVEL), p);
    found.at_least = one_sided.lower;
    found.at_most = one_sided.upper;
    return found;
}

static void plan_group(group *g)
{
    gmc_method methods[2];
    g->plan = *g->of->plan;
    g->plan.histogram_count = 0;
    // of the columns the weight alone is asked for
    bool is_weighted = g->of->weight_column >= 0;
    if (is_weighted) g->plan.columns += g->of->weight_column;
    g->plan.column_count = is_weighted ? 1 : 0;
    if (g->case_index >= 0) g->plan.case_count = 1;
    gmc_summary_methods(&g->plan, methods);
    g->is_counted = methods[0] == GMC_METHOD_WILSON && g->plan.block <= 1 &&
                    (g->plan.case_count == 1 || g->plan.is_independent);
}

static gmc_status fill_group(group *g, gmc_quantiles_group *about)
{
    g->lows = malloc((g->of->count + 1) * sizeof *g->lows);
    g->highs = malloc((g->of->count + 1) * sizeof *g->highs);
    if (!g->lows || !g->highs) return GMC_E_MEMORY;
    for (size_t i = 0; i < g->of->count; i++) {
        const row *r = &g->of->rows[i];
        if (!is_member(g, r)) continue;
        about->absent += r->is_absent;
        if (r->is_absent) continue;
        about->open += r->range.lower < r->range.upper;
        g->lows[g->count] = r->range.lower;
        g->highs[g->count++] = r->range.upper;
    }
    gmc_rising_sort(g->lows, g->count);
    gmc_rising_sort(g->highs, g->count);
    about->trials = g->count;
    return GMC_OK;
}

gmc_status gmc_quantiles_of(const gmc_quantiles *q, int case_index, const double *p, int count,
                            gmc_quantiles_group *about, gmc_quantile *found)
{
    group g = {.of = q, .case_index = case_index};
    *about = (gmc_quantiles_group){.method = GMC_METHOD_CLOPPER_PEARSON};
    plan_group(&g);
    gmc_status status = fill_group(&g, about);
    for (int i = 0; i < count && status == GMC_OK; i++)
        found[i] = quantile(&g, p[i]);
    if (status == GMC_OK && g.count > 0) {
        gmc_estimate e = share_of(&g, g.lows[g.count / 2]);
        about->method = e.method;
        about->draws = e.draws;
    }
    free(g.lows);
    free(g.highs);
    return status == GMC_OK ? g.status : status;
}
