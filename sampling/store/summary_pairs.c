// What two levels come to: counted again from the trials.
#include "sampling/store/h5.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

gmc_status gmc_summary_pairs_create(gmc_summary *s)
{
    const gmc_store_pairs *pairs = s->plan->pairs;
    return pairs ? gmc_pairs_create(&pairs->plan, &s->pairs) : GMC_OK;
}

void gmc_summary_pairs_add(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    if (!s->pairs || trial->trial >= s->plan->total) return;
    gmc_pairs_put(s->pairs, trial->trial, verdict, trial->values[GMC_COLUMN_STEPS]);
}

gmc_status gmc_summary_pairs_decide(gmc_summary *s)
{
    const uint64_t *trials;
    uint64_t count = 1;
    while (count > 0)
        GMC_TRY(gmc_pairs_next(s->pairs, &trials, &count));
    return GMC_OK;
}

gmc_summary_two_level gmc_summary_pairs(const gmc_summary *s)
{
    gmc_summary_two_level found = {.counts = gmc_pairs_counts(s->pairs),
                                   .cheap_steps = gmc_pairs_work(s->pairs, 0),
                                   .full_steps = gmc_pairs_work(s->pairs, 1)};
    found.gain =
        gmc_two_level_gain(&found.counts, s->plan->level, found.cheap_steps, found.full_steps);
    return found;
}

gmc_estimate gmc_summary_pairs_total(const gmc_summary *s)
{
    gmc_two_level_counts k = gmc_pairs_counts(s->pairs);
    gmc_two_level_estimate e = gmc_two_level_estimate_of(&k, s->plan->level);
    int64_t works = k.both + k.gained;
    return (gmc_estimate){
        .p = e.p,
        .lower = e.interval.lower,
        .upper = e.interval.upper,
        .level = s->plan->level,
        .method = GMC_METHOD_TWO_LEVEL,
        .tally = {.successes = works, .failures = k.pairs - works - k.open, .unsolved = k.open},
        .unsolved_lower = e.unsolved_lower,
        .unsolved_upper = e.unsolved_upper,
        .draws = k.cheap};
}

gmc_status gmc_summary_pairs_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"draws", GMC_H5_I64, 0},      {"cheap_successes", GMC_H5_I64, 0},
        {"pilot", GMC_H5_I64, 0},      {"pairs", GMC_H5_I64, 0},
        {"lost", GMC_H5_I64, 0},       {"gained", GMC_H5_I64, 0},
        {"unsolved", GMC_H5_I64, 0},   {"cheap_steps", GMC_H5_F64, 0},
        {"full_steps", GMC_H5_F64, 0}, {"gain", GMC_H5_F64, 0}};
    unsigned char bytes[10 * 8];
    gmc_layout_row row = {.bytes = bytes};
    if (!s->pairs) return GMC_OK;
    gmc_summary_two_level found = gmc_summary_pairs(s);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.cheap);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.cheap_works);
    gmc_layout_put_u64(&row, s->plan->pairs->plan.pilot);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.pairs);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.lost);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.gained);
    gmc_layout_put_u64(&row, (uint64_t)found.counts.open);
    gmc_layout_put_f64(&row, found.cheap_steps);
    gmc_layout_put_f64(&row, found.full_steps);
    gmc_layout_put_f64(&row, found.gain);
    return gmc_h5_stream_table(h5, "/summary/two_level", fields, GMC_COUNT(fields), 1, bytes);
}
