// Importance sampling: what weighted draws say together, of each case, and of all cases of a draw.
#include "sampling/build/build.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/describe.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary.h"

#include <stdlib.h>

static bool importance_is_asked(const gmc_scenario *s) { return s->is_weighted; }

static bool importance_is_planned(const gmc_store_plan *plan) { return plan->weight_bound > 0; }

static gmc_status importance_describe(const gmc_describing *d)
{
    d->plan->weight_bound = d->scenario->weight_bound;
    d->plan->is_covered = d->scenario->is_covered;
    return GMC_OK;
}

// --- what the draws come to ---

typedef struct importance {
    gmc_weighted *weighted; ///< (case_count + 1) each case, and all
    gmc_tally open;         ///< trials of the draw that is not complete,
    uint64_t open_draw;     ///< its number
    double open_weight;     ///< and weight
    int64_t left_out;       ///< trials of draws that stayed incomplete
    int column;             ///< of the plan: where the weight stands
} importance;

static void importance_clear(gmc_summary *s)
{
    importance *own = s->own;
    if (own) free(own->weighted);
    free(own);
}

static gmc_status importance_create(gmc_summary *s)
{
    const gmc_store_plan *plan = s->plan;
    importance *own = s->own = calloc(1, sizeof *own);
    if (!own) return GMC_E_MEMORY;
    own->weighted = calloc((size_t)plan->case_count + 1, sizeof *own->weighted);
    if (!own->weighted) return GMC_E_MEMORY;
    for (int i = 0; i <= plan->case_count; i++)
        own->weighted[i] = gmc_weighted_start(plan->weight_bound, plan->is_covered);
    own->column = gmc_column_find(plan->columns, plan->column_count, gmc_build_weight_column.name);
    return own->column >= 0 ? GMC_OK : GMC_E_INPUT;
}

/// Take the draw that is open in, if all its cases are there.
static void close_draw(importance *own, int64_t cases)
{
    int64_t trials = gmc_tally_trials(own->open);
    if (trials > 0 && trials == cases)
        gmc_weighted_add(&own->weighted[cases], own->open_draw, own->open_weight, own->open);
    else
        own->left_out += trials;
    own->open = (gmc_tally){0};
}

static gmc_store_share importance_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    importance *own = s->own;
    int cases = s->plan->case_count;
    double weight = trial->values[own->column];
    gmc_tally one = {0};
    gmc_tally_add(&one, verdict);
    gmc_weighted_add(&own->weighted[trial->case_index], trial->draw, weight, one);
    if (s->plan->is_independent || cases == 1) {
        gmc_weighted_add(&own->weighted[cases], trial->draw, weight, one);
        return GMC_STORE_SHARE_ALL;
    }
    if (trial->draw != own->open_draw) close_draw(own, cases);
    own->open_draw = trial->draw;
    own->open_weight = weight;
    gmc_tally_merge(&own->open, one);
    return GMC_STORE_SHARE_ALL;
}

/// The sums of all draws, the last one too.
/// @return trials left out
static int64_t sum_up(const gmc_summary *s, gmc_weighted *all)
{
    const importance *own = s->own;
    int cases = s->plan->case_count;
    int64_t open = gmc_tally_trials(own->open);
    *all = own->weighted[cases];
    if (open < cases || open == 0) return own->left_out + open;
    gmc_weighted_add(all, own->open_draw, own->open_weight, own->open);
    return own->left_out;
}

bool gmc_summary_weights(const gmc_summary *s, gmc_weighted *all)
{
    bool is_there = s->method == &gmc_store_method_importance;
    if (is_there) (void)sum_up(s, all);
    return is_there;
}

static gmc_estimate importance_total(const gmc_summary *s)
{
    gmc_weighted all;
    int64_t left_out = sum_up(s, &all);
    gmc_estimate e = gmc_weighted_estimate(&all, s->plan->level);
    e.left_out = left_out;
    return e;
}

static gmc_estimate importance_of_case(const gmc_summary *s, int case_index)
{
    const importance *own = s->own;
    return gmc_weighted_estimate(&own->weighted[case_index], s->plan->level);
}

// --- what is stored ---

static gmc_status importance_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"draws", GMC_H5_I64, 0},
                                          {"effective", GMC_H5_F64, 0},
                                          {"effective_failing", GMC_H5_F64, 0},
                                          {"mean", GMC_H5_F64, 0},
                                          {"largest", GMC_H5_F64, 0},
                                          {"bound", GMC_H5_F64, 0},
                                          {"unseen", GMC_H5_F64, 0}};
    unsigned char bytes[7 * 8];
    gmc_layout_row row = {.bytes = bytes};
    gmc_weighted all;
    (void)sum_up(s, &all);
    gmc_layout_put_u64(&row, (uint64_t)(all.units[0] + all.units[1]));
    gmc_layout_put_f64(&row, gmc_weighted_effective(&all));
    gmc_layout_put_f64(&row, gmc_weighted_effective_failing(&all));
    gmc_layout_put_f64(&row, gmc_weighted_mean(&all));
    gmc_layout_put_f64(&row, all.largest);
    gmc_layout_put_f64(&row, all.bound);
    gmc_layout_put_f64(&row, gmc_weighted_unseen(&all, true, s->plan->level));
    return gmc_h5_stream_table(h5, "/summary/weights", fields, GMC_COUNT(fields), 1, bytes);
}

const gmc_store_method gmc_store_method_importance = {
    .word = "importance",
    .against_bins = "importance sampling draws from other distributions than the scenario\'s",
    .is_asked = importance_is_asked,
    .is_planned = importance_is_planned,
    .describe = importance_describe,
    .create = importance_create,
    .clear = importance_clear,
    .take = importance_take,
    .total = importance_total,
    .of_case = importance_of_case,
    .interval = GMC_METHOD_WEIGHTED,
    .write = importance_write};
