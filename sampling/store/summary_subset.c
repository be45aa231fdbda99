// What the levels of subset simulation come to: decided again from the margins of the trials.
#include "sampling/scenario/margin.h"
#include "sampling/store/h5.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

#include <math.h>

gmc_status gmc_summary_subset_create(gmc_summary *s)
{
    const gmc_store_subset *subset = s->plan->subset;
    return subset ? gmc_subset_create(&subset->levels, &s->subset) : GMC_OK;
}

void gmc_summary_subset_add(gmc_summary *s, const gmc_trial *trial)
{
    if (!s->subset || trial->trial >= s->plan->total) return;
    const gmc_compiled_criterion *margin = s->plan->subset->margin;
    gmc_subset_put(s->subset, trial->trial,
                   gmc_margin_value(margin, trial->values, trial->outcome));
}

gmc_repeats_estimate gmc_summary_failure(const gmc_summary *s)
{
    enum { RUNS_MAX = 64 }; // schema_rows.c
    double values[RUNS_MAX];
    int runs = s->plan->subset->levels.runs;
    for (int r = 0; r < runs && r < RUNS_MAX; r++)
        values[r] = gmc_subset_of_run(s->subset, r).probability;
    return gmc_repeats_estimate_of(values, runs < RUNS_MAX ? runs : RUNS_MAX, s->plan->level);
}

/// Trials of level 0 without a margin: those are plain draws.
static double unsolved_share(const gmc_summary *s)
{
    int64_t unsolved = 0, trials = 0;
    for (int r = 0; r < s->plan->subset->levels.runs; r++) {
        gmc_subset_level level = gmc_subset_of_level(s->subset, r, 0);
        unsolved += level.unsolved;
        trials += level.trials;
    }
    return trials > 0 ? (double)unsolved / (double)trials : 0;
}

gmc_estimate gmc_summary_subset_total(const gmc_summary *s)
{
    gmc_repeats_estimate failure = gmc_summary_failure(s);
    double open = unsolved_share(s);
    return (gmc_estimate){.p = 1 - failure.p,
                          .lower = fmax(1 - failure.interval.upper - open, 0),
                          .upper = 1 - failure.interval.lower,
                          .level = s->plan->level,
                          .method = GMC_METHOD_SUBSET,
                          .tally = s->cases[0],
                          .unsolved_lower = fmax(1 - failure.p - open, 0),
                          .unsolved_upper = 1 - failure.p,
                          .draws = s->plan->subset->levels.runs,
                          .is_widened = failure.is_widened};
}

static gmc_status write_runs(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"run", GMC_H5_U32, 0},
                                          {"levels", GMC_H5_U32, 0},
                                          {"p", GMC_H5_F64, 0},
                                          {"is_short", GMC_H5_U8, 0}};
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
    }
    return gmc_layout_table_write(&table, h5, "/subset/runs");
}

static gmc_status write_levels(const gmc_summary *s, gmc_h5 *h5)
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

gmc_status gmc_summary_subset_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/subset";
    if (!s->subset) return GMC_OK;
    gmc_repeats_estimate failure = gmc_summary_failure(s);
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_u64(h5, group, "per_level", (uint64_t)s->plan->subset->levels.per_level));
    GMC_TRY(gmc_h5_u64(h5, group, "levels", (uint64_t)s->plan->subset->levels.levels));
    GMC_TRY(gmc_h5_f64(h5, group, "failure", failure.p));
    GMC_TRY(gmc_h5_f64(h5, group, "failure_lo", failure.interval.lower));
    GMC_TRY(gmc_h5_f64(h5, group, "failure_hi", failure.interval.upper));
    GMC_TRY(gmc_h5_f64(h5, group, "variation", failure.variation));
    GMC_TRY(write_runs(s, h5));
    return write_levels(s, h5);
}
