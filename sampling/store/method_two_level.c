// Two levels or more: which trials their pilot asks for, and what they come to: counted again from
// the trials.
#include "sampling/hdf5/h5.h"
#include "sampling/store/describe.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary.h"

// --- which trials ---

static bool two_level_is_planned(const gmc_store_plan *plan)
{
    return plan->owner == &gmc_store_method_two_level;
}

static const gmc_store_pairs *two_level_plan(const gmc_store_plan *plan) { return plan->own; }

static bool two_level_is_asked(const gmc_scenario *s) { return s->pilot > 0; }

static gmc_status two_level_describe(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_pairs *pairs = GMC_NEW(d->arena, 1, gmc_store_pairs);
    if (!pairs) return GMC_E_ARENA_FULL;
    pairs->plan = (gmc_pairs_plan){
        .draws = (uint64_t)s->draws, .pilot = (uint64_t)s->pilot, .levels = s->level_count};
    GMC_TRY(gmc_describe_levels(d, pairs->levels, &pairs->names));
    d->plan->owner = &gmc_store_method_two_level;
    d->plan->own = pairs;
    return GMC_OK;
}

/// The work of a trial is its steps.
static gmc_status two_level_put(void *context, const gmc_trial *trial)
{
    gmc_pairs_put(context, trial->trial, gmc_trial_verdict(trial->outcome),
                  trial->values[GMC_COLUMN_STEPS]);
    return GMC_OK;
}

static gmc_status two_level_next(void *context, const uint64_t **trials, uint64_t *count)
{
    return gmc_pairs_next(context, trials, count);
}

static void two_level_end(void *context) { gmc_pairs_free(context); }

static gmc_status two_level_rounds(const gmc_store_plan *plan, gmc_rounds_plan *rounds)
{
    gmc_pairs *pairs;
    GMC_TRY(gmc_pairs_create(&two_level_plan(plan)->plan, &pairs));
    *rounds = (gmc_rounds_plan){
        .context = pairs, .put = two_level_put, .next = two_level_next, .free = two_level_end};
    return GMC_OK;
}

// --- what they come to ---

static gmc_status two_level_create(gmc_summary *s)
{
    gmc_pairs *pairs;
    gmc_status status = gmc_pairs_create(&two_level_plan(s->plan)->plan, &pairs);
    s->own = pairs;
    return status;
}

static void two_level_clear(gmc_summary *s) { gmc_pairs_free(s->own); }

static gmc_store_share two_level_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    if (trial->trial < s->plan->total)
        gmc_pairs_put(s->own, trial->trial, verdict, trial->values[GMC_COLUMN_STEPS]);
    return GMC_STORE_SHARE_CASE;
}

static gmc_status two_level_decide(gmc_summary *s)
{
    const uint64_t *trials;
    uint64_t count = 1;
    while (count > 0)
        GMC_TRY(gmc_pairs_next(s->own, &trials, &count));
    return GMC_OK;
}

static int64_t pairs_of(const gmc_two_level_counts *k, int level)
{
    return level > k->between ? k->pairs
                              : k->rises[level - 1][0].pairs + k->rises[level - 1][1].pairs;
}

static gmc_summary_rise rise_of(const gmc_summary *s, const gmc_summary_two_level *found, int level)
{
    const gmc_two_level_counts *k = &found->counts;
    gmc_summary_rise rise = {.draws = level == 1 ? k->cheap : pairs_of(k, level - 1),
                             .works = gmc_pairs_works(s->own, level - 1),
                             .pairs = pairs_of(k, level),
                             .lost = k->lost,
                             .gained = k->gained,
                             .open = k->open};
    if (level > k->between) return rise;
    const gmc_two_level_half *halves = k->rises[level - 1];
    rise.lost = halves[0].lost + halves[1].lost;
    rise.gained = halves[0].gained + halves[1].gained;
    rise.open = 0;
    return rise;
}

gmc_summary_two_level gmc_summary_pairs(const gmc_summary *s)
{
    gmc_summary_two_level found = {.counts = gmc_pairs_counts(s->own)};
    for (int i = 0; i < two_level_plan(s->plan)->plan.levels; i++)
        found.steps[i] = gmc_pairs_work(s->own, i);
    found.gain = gmc_two_level_gain(&found.counts, s->plan->level, found.steps);
    for (int i = 1; i < two_level_plan(s->plan)->plan.levels; i++)
        found.rises[i] = rise_of(s, &found, i);
    return found;
}

static gmc_estimate two_level_total(const gmc_summary *s)
{
    gmc_two_level_counts k = gmc_pairs_counts(s->own);
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

// --- what is stored ---

static gmc_status two_level_write_root(gmc_h5 *h5, const gmc_store_plan *plan)
{
    return gmc_h5_text(h5, "/", "two_level", two_level_plan(plan)->names);
}

static gmc_status two_level_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"draws", GMC_H5_I64, 0},      {"cheap_successes", GMC_H5_I64, 0},
        {"pilot", GMC_H5_I64, 0},      {"pairs", GMC_H5_I64, 0},
        {"lost", GMC_H5_I64, 0},       {"gained", GMC_H5_I64, 0},
        {"unsolved", GMC_H5_I64, 0},   {"cheap_steps", GMC_H5_F64, 0},
        {"full_steps", GMC_H5_F64, 0}, {"gain", GMC_H5_F64, 0}};
    unsigned char bytes[(GMC_PAIRS_LEVELS_MOST - 1) * GMC_COUNT(fields) * 8];
    gmc_layout_row row = {.bytes = bytes};
    gmc_summary_two_level found = gmc_summary_pairs(s);
    int levels = two_level_plan(s->plan)->plan.levels;
    for (int level = 1; level < levels; level++) {
        gmc_summary_rise rise = found.rises[level];
        gmc_layout_put_u64(&row, (uint64_t)rise.draws);
        gmc_layout_put_u64(&row, (uint64_t)rise.works);
        gmc_layout_put_u64(&row, two_level_plan(s->plan)->plan.pilot);
        gmc_layout_put_u64(&row, (uint64_t)rise.pairs);
        gmc_layout_put_u64(&row, (uint64_t)rise.lost);
        gmc_layout_put_u64(&row, (uint64_t)rise.gained);
        gmc_layout_put_u64(&row, (uint64_t)rise.open);
        gmc_layout_put_f64(&row, found.steps[level - 1]);
        gmc_layout_put_f64(&row, found.steps[level]);
        gmc_layout_put_f64(&row, found.gain);
    }
    return gmc_h5_stream_table(h5, "/summary/two_level", fields, GMC_COUNT(fields),
                               (uint64_t)levels - 1, bytes);
}

const gmc_store_method gmc_store_method_two_level = {
    .word = "two_level",
    .chooser = "run at two levels",
    .picker = "pilot of two levels",
    .key = "sampling.two_level",
    .attribute = "two_level",
    .asker = "pilot",
    .undivided = "this estimate of two levels",
    .runs_whole = true,
    .against_bins = "with sampling.two_level trials do not count alike",
    .is_asked = two_level_is_asked,
    .is_planned = two_level_is_planned,
    .describe = two_level_describe,
    .rounds = two_level_rounds,
    .create = two_level_create,
    .clear = two_level_clear,
    .take = two_level_take,
    .decide = two_level_decide,
    .total = two_level_total,
    .interval = GMC_METHOD_TWO_LEVEL,
    .write_root = two_level_write_root,
    .write = two_level_write};
