// Subset simulation: which trials its levels ask for and where these are, and what they come to:
// decided again from the margins of the trials.
#include "sampling/build/margin.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/describe.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary.h"

#include <math.h>
#include <stdlib.h>

// --- which trials ---

static bool subset_is_asked(const gmc_scenario *s) { return s->subset.is_given; }

static bool subset_is_planned(const gmc_store_plan *plan) { return plan->subset != NULL; }

static gmc_status subset_describe(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_subset *subset = GMC_NEW(d->arena, 1, gmc_store_subset);
    if (!subset) return GMC_E_ARENA_FULL;
    *subset =
        (gmc_store_subset){.levels = gmc_rollouts_subset(s),
                           .margin = s->subset.code,
                           .is_derived = !s->subset.margin,
                           .text = s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED};
    d->plan->subset = subset;
    return GMC_OK;
}

/// The levels, and what their trials are judged by.
typedef struct subset_levels {
    gmc_subset *subset;
    const gmc_compiled_criterion *margin;
} subset_levels;

static gmc_status subset_put(void *context, const gmc_trial *trial)
{
    const subset_levels *levels = context;
    double margin = gmc_margin_value(levels->margin, trial->values, trial->samples, trial->outcome);
    gmc_subset_put(levels->subset, trial->trial, margin);
    return GMC_OK;
}

static gmc_status subset_next(void *context, const uint64_t **trials, uint64_t *count)
{
    const subset_levels *levels = context;
    gmc_subset_stage stage;
    GMC_TRY(gmc_subset_next(levels->subset, &stage));
    *trials = stage.trials;
    *count = stage.count;
    return GMC_OK;
}

static void subset_end(void *context)
{
    subset_levels *levels = context;
    gmc_subset_free(levels->subset);
    free(levels);
}

static gmc_status subset_rounds(const gmc_store_plan *plan, gmc_rounds_plan *rounds)
{
    subset_levels *levels = calloc(1, sizeof *levels);
    if (!levels) return GMC_E_MEMORY;
    levels->margin = plan->subset->margin;
    *rounds = (gmc_rounds_plan){
        .context = levels, .put = subset_put, .next = subset_next, .free = subset_end};
    GMC_TRY(gmc_subset_create(&plan->subset->levels, &levels->subset));
    rounds->points = gmc_rollouts_points_of(levels->subset);
    return GMC_OK;
}

// --- what they come to ---

static gmc_status subset_create(gmc_summary *s)
{
    return gmc_subset_create(&s->plan->subset->levels, &s->subset);
}

static void subset_clear(gmc_summary *s) { gmc_subset_free(s->subset); }

static gmc_store_share subset_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    (void)verdict; // the margin judges it
    if (trial->trial >= s->plan->total) return GMC_STORE_SHARE_ALL;
    double margin =
        gmc_margin_value(s->plan->subset->margin, trial->values, trial->samples, trial->outcome);
    gmc_subset_put(s->subset, trial->trial, margin);
    gmc_summary_margins *all = &s->margins;
    if (gmc_margin_differs(margin, trial->outcome) && all->differing++ == 0)
        all->first = trial->trial;
    if (isnan(margin)) return GMC_STORE_SHARE_ALL;
    all->least = all->count > 0 ? fmin(all->least, margin) : margin;
    all->largest = all->count > 0 ? fmax(all->largest, margin) : margin;
    all->count++;
    return GMC_STORE_SHARE_ALL;
}

static gmc_status subset_decide(gmc_summary *s) { return gmc_subset_decide(s->subset); }

gmc_summary_failure gmc_summary_failure_of(const gmc_summary *s)
{
    static const char *const REFUSED[] = {[GMC_SUMMARY_TOLD] = "",
                                          [GMC_SUMMARY_OTHER_MARGIN] = "margin",
                                          [GMC_SUMMARY_CONTRADICTED] = "contradicted"};
    if (!s->subset) return (gmc_summary_failure){0};
    gmc_summary_failure f = {.answer = gmc_subset_answer_of(s->subset, s->plan->level)};
    f.refusal = s->margins.differing > 0    ? GMC_SUMMARY_OTHER_MARGIN
                : f.answer.is_contradictory ? GMC_SUMMARY_CONTRADICTED
                                            : GMC_SUMMARY_TOLD;
    f.refused = REFUSED[f.refusal];
    return f;
}

static gmc_estimate subset_total(const gmc_summary *s)
{
    gmc_summary_failure all = gmc_summary_failure_of(s);
    gmc_subset_answer found = all.answer;
    gmc_repeats_estimate failure = found.failure;
    bool is_refused = all.refusal != GMC_SUMMARY_TOLD;
    gmc_estimate e = {.p = 1 - failure.p,
                      .lower = 1 - failure.interval.upper,
                      .upper = 1 - failure.interval.lower,
                      .level = s->plan->level,
                      .method = found.is_aimed   ? GMC_METHOD_AIMED
                                : found.is_plain ? GMC_METHOD_CLOPPER_PEARSON
                                                 : GMC_METHOD_SUBSET,
                      .tally = s->cases[0],
                      .draws = found.is_aimed   ? found.last.failing.draws
                               : found.is_plain ? found.draws
                                                : s->plan->subset->levels.runs,
                      .is_widened = failure.is_widened};
    if (found.is_plain)
        e.tally = (gmc_tally){.successes = found.draws - found.failing - found.open,
                              .failures = found.failing,
                              .unsolved = found.open};
    // with the sampling error of what is unsolved
    e.unsolved_lower = found.open_trials > 0 ? e.lower : e.p;
    e.unsolved_upper = e.p;
    if (!is_refused) return e;
    e.p = (double)NAN;
    e.lower = e.unsolved_lower = 0;
    e.upper = e.unsolved_upper = 1;
    return e;
}

static int subset_intervals(const gmc_store_plan *plan, gmc_method methods[2])
{
    bool is_aimed = plan->subset->levels.aimed > 0;
    methods[0] = GMC_METHOD_SUBSET;
    methods[1] = GMC_METHOD_AIMED;
    return is_aimed ? 2 : 1;
}

// --- what is stored ---

static gmc_status subset_write_root(gmc_h5 *h5, const gmc_store_plan *plan)
{
    return gmc_h5_text(h5, "/", "margin", plan->subset->text);
}

static gmc_status subset_write_runs(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"run", GMC_H5_U32, 0},     {"levels", GMC_H5_U32, 0},
                                          {"p", GMC_H5_F64, 0},       {"is_short", GMC_H5_U8, 0},
                                          {"is_stuck", GMC_H5_U8, 0}, {"unsolved", GMC_H5_F64, 0}};
    int runs = s->plan->subset->levels.runs;
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)runs, &table));
    gmc_layout_row *row = &table.rows;
    for (int r = 0; r < runs; r++) {
        gmc_subset_run found = gmc_subset_of_run(s->subset, r);
        gmc_layout_put_u32(row, (uint32_t)r);
        gmc_layout_put_u32(row, (uint32_t)found.levels);
        gmc_layout_put_f64(row, found.probability);
        gmc_layout_put_u8(row, found.is_short);
        gmc_layout_put_u8(row, found.is_stuck);
        gmc_layout_put_f64(row, found.unsolved);
    }
    return gmc_layout_table_write(&table, h5, "/subset/runs");
}

static gmc_status subset_write_levels(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"run", GMC_H5_U32, 0},      {"level", GMC_H5_U32, 0},   {"threshold", GMC_H5_F64, 0},
        {"share", GMC_H5_F64, 0},    {"failing", GMC_H5_I64, 0}, {"trials", GMC_H5_I64, 0},
        {"unsolved", GMC_H5_I64, 0}, {"accepted", GMC_H5_F64, 0}};
    const gmc_subset_plan *plan = &s->plan->subset->levels;
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields),
                                   (uint64_t)plan->runs * (uint64_t)plan->levels, &table));
    gmc_layout_row *row = &table.rows;
    for (int r = 0; r < plan->runs; r++)
        for (int l = 0; l < gmc_subset_of_run(s->subset, r).levels; l++) {
            gmc_subset_level found = gmc_subset_of_level(s->subset, r, l);
            gmc_layout_put_u32(row, (uint32_t)r);
            gmc_layout_put_u32(row, (uint32_t)l);
            gmc_layout_put_f64(row, found.threshold);
            gmc_layout_put_f64(row, found.share);
            gmc_layout_put_u64(row, (uint64_t)found.failing);
            gmc_layout_put_u64(row, (uint64_t)found.trials);
            gmc_layout_put_u64(row, (uint64_t)found.unsolved);
            gmc_layout_put_f64(row, found.accepted);
        }
    return gmc_layout_table_write(&table, h5, "/subset/levels");
}

static gmc_status subset_write_aimed(const gmc_summary *s, const gmc_subset_answer *a, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"round", GMC_H5_U32, 0},      {"draws", GMC_H5_I64, 0},    {"failing", GMC_H5_I64, 0},
        {"unsolved", GMC_H5_I64, 0},   {"p", GMC_H5_F64, 0},        {"effective", GMC_H5_F64, 0},
        {"components", GMC_H5_U32, 0}, {"is_fitted", GMC_H5_U8, 0}, {"missed", GMC_H5_F64, 0},
        {"blind", GMC_H5_F64, 0}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), GMC_SUBSET_AIM_ROUNDS, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < a->round_count; i++) {
        gmc_subset_aim_round r = a->rounds[i];
        gmc_aimed_estimate found = gmc_aimed_estimate_of(&r.failing, s->plan->level);
        gmc_layout_put_u32(row, (uint32_t)i);
        gmc_layout_put_u64(row, (uint64_t)r.failing.draws);
        gmc_layout_put_u64(row, (uint64_t)r.failing.hits);
        gmc_layout_put_u64(row, (uint64_t)(r.worst.hits - r.failing.hits));
        gmc_layout_put_f64(row, found.p);
        gmc_layout_put_f64(row, found.effective);
        gmc_layout_put_u32(row, (uint32_t)r.components);
        gmc_layout_put_u8(row, r.is_fitted);
        gmc_layout_put_f64(row, r.missed);
        gmc_layout_put_f64(row, found.blind);
    }
    return gmc_layout_table_write(&table, h5, "/subset/aimed");
}

static gmc_status subset_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/subset";
    gmc_summary_failure all = gmc_summary_failure_of(s);
    gmc_subset_answer found = all.answer;
    gmc_repeats_estimate failure = found.failure;
    if (all.refusal != GMC_SUMMARY_TOLD)
        failure = (gmc_repeats_estimate){(double)NAN, (double)NAN, {0, 1}, false};
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_text(h5, group, "refused", all.refused));
    GMC_TRY(gmc_h5_u64(h5, group, "differing", (uint64_t)s->margins.differing));
    GMC_TRY(gmc_h5_f64(h5, group, "plain_lo", found.plain.lower));
    GMC_TRY(gmc_h5_f64(h5, group, "plain_hi", found.plain.upper));
    GMC_TRY(gmc_h5_f64(h5, group, "unsolved", found.unsolved));
    GMC_TRY(gmc_h5_u64(h5, group, "per_level", (uint64_t)s->plan->subset->levels.per_level));
    GMC_TRY(gmc_h5_u64(h5, group, "levels", (uint64_t)s->plan->subset->levels.levels));
    GMC_TRY(gmc_h5_f64(h5, group, "failure", failure.p));
    GMC_TRY(gmc_h5_f64(h5, group, "failure_lo", failure.interval.lower));
    GMC_TRY(gmc_h5_f64(h5, group, "failure_hi", failure.interval.upper));
    GMC_TRY(gmc_h5_f64(h5, group, "variation", failure.variation));
    GMC_TRY(gmc_h5_u64(h5, group, "aimed", (uint64_t)s->plan->subset->levels.aimed));
    GMC_TRY(gmc_h5_f64(h5, group, "levels_failure", found.levels.p));
    GMC_TRY(subset_write_runs(s, h5));
    GMC_TRY(subset_write_levels(s, h5));
    return subset_write_aimed(s, &found, h5);
}

const gmc_store_method gmc_store_method_subset = {
    .word = "subset",
    .chooser = "subset simulation",
    .picker = "levels of subset simulation",
    .key = "sampling.subset",
    .attribute = "margin",
    .asker = "subset simulation",
    .undivided = "this subset simulation",
    .runs_whole = true,
    .against_bins = "subset simulation chose its trials by the results of earlier ones",
    .is_asked = subset_is_asked,
    .is_planned = subset_is_planned,
    .describe = subset_describe,
    .rounds = subset_rounds,
    .create = subset_create,
    .clear = subset_clear,
    .take = subset_take,
    .decide = subset_decide,
    .total = subset_total,
    .intervals = subset_intervals,
    .write_root = subset_write_root,
    .write = subset_write};
