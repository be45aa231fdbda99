// What the levels of subset simulation come to: decided again from the margins of the trials.
#include "sampling/build/margin.h"
#include "sampling/hdf5/h5.h"
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
    double margin =
        gmc_margin_value(s->plan->subset->margin, trial->values, trial->samples, trial->outcome);
    gmc_subset_put(s->subset, trial->trial, margin);
    gmc_summary_margins *all = &s->margins;
    if (gmc_margin_differs(margin, trial->outcome) && all->differing++ == 0)
        all->first = trial->trial;
    if (isnan(margin)) return;
    all->least = all->count > 0 ? fmin(all->least, margin) : margin;
    all->largest = all->count > 0 ? fmax(all->largest, margin) : margin;
    all->count++;
}

gmc_subset_answer gmc_summary_failure(const gmc_summary *s)
{
    return gmc_subset_answer_of(s->subset, s->plan->level);
}

gmc_summary_refusal gmc_summary_refused(const gmc_summary *s)
{
    if (!s->subset) return GMC_SUMMARY_TOLD;
    if (s->margins.differing > 0) return GMC_SUMMARY_OTHER_MARGIN;
    return gmc_summary_failure(s).is_contradictory ? GMC_SUMMARY_CONTRADICTED : GMC_SUMMARY_TOLD;
}

const char *gmc_summary_refusal_name(gmc_summary_refusal refusal)
{
    switch (refusal) {
    case GMC_SUMMARY_TOLD:
        return "";
    case GMC_SUMMARY_OTHER_MARGIN:
        return "margin";
    case GMC_SUMMARY_CONTRADICTED:
        return "contradicted";
    }
    return "";
}

gmc_estimate gmc_summary_subset_total(const gmc_summary *s)
{
    gmc_subset_answer found = gmc_summary_failure(s);
    gmc_repeats_estimate failure = found.failure;
    bool is_refused = gmc_summary_refused(s) != GMC_SUMMARY_TOLD;
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

static gmc_status write_runs(const gmc_summary *s, gmc_h5 *h5)
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

static gmc_status write_aimed(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"round", GMC_H5_U32, 0},      {"draws", GMC_H5_I64, 0},    {"failing", GMC_H5_I64, 0},
        {"unsolved", GMC_H5_I64, 0},   {"p", GMC_H5_F64, 0},        {"effective", GMC_H5_F64, 0},
        {"components", GMC_H5_U32, 0}, {"is_fitted", GMC_H5_U8, 0}, {"missed", GMC_H5_F64, 0},
        {"blind", GMC_H5_F64, 0}};
    const gmc_subset_aim *aim = gmc_subset_aimed(s->subset);
    int rounds = aim ? gmc_subset_aim_rounds(aim) : 0;
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), GMC_SUBSET_AIM_ROUNDS, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < rounds; i++) {
        gmc_subset_aim_round r = gmc_subset_aim_of_round(aim, i);
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

gmc_status gmc_summary_subset_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/subset";
    if (!s->subset) return GMC_OK;
    gmc_summary_refusal refusal = gmc_summary_refused(s);
    gmc_subset_answer found = gmc_summary_failure(s);
    gmc_repeats_estimate failure = found.failure;
    if (refusal != GMC_SUMMARY_TOLD)
        failure = (gmc_repeats_estimate){(double)NAN, (double)NAN, {0, 1}, false};
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_text(h5, group, "refused", gmc_summary_refusal_name(refusal)));
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
    GMC_TRY(write_runs(s, h5));
    GMC_TRY(write_levels(s, h5));
    return write_aimed(s, h5);
}
