// Success at each place of inputs that are known only to lie in an interval: of each case, and of
// all cases of a draw. There is no success over all places, which stand for no law.
#include "sampling/hdf5/h5.h"
#include "sampling/scenario/perturb.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

#include <stdlib.h>

struct gmc_summary_intervals {
    gmc_pooled *total; ///< (places)
    gmc_tally *cases;  ///< (case_count, places)
};

static gmc_status intervals_create(gmc_summary *s)
{
    const gmc_store_plan *plan = s->plan;
    int places = plan->interval_places;
    if (places == 0) return GMC_OK;
    s->intervals = calloc(1, sizeof *s->intervals);
    if (!s->intervals) return GMC_E_MEMORY;
    s->intervals->total = calloc((size_t)places, sizeof *s->intervals->total);
    s->intervals->cases =
        calloc((size_t)places * (size_t)plan->case_count, sizeof *s->intervals->cases);
    if (!s->intervals->total || !s->intervals->cases) return GMC_E_MEMORY;
    for (int i = 0; i < places; i++)
        s->intervals->total[i] = gmc_pooled_start(plan->case_count, plan->is_independent);
    return GMC_OK;
}

static void intervals_clear(gmc_summary *s)
{
    if (s->intervals) {
        free(s->intervals->total);
        free(s->intervals->cases);
    }
    free(s->intervals);
    s->intervals = NULL;
}

static void intervals_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    if (!s->intervals) return;
    int place = gmc_perturb_place(s->plan->scenario, (int64_t)trial->case_index, trial->draw);
    size_t row = (size_t)trial->case_index * (size_t)s->plan->interval_places;
    gmc_pooled_add(&s->intervals->total[place], trial->draw, verdict);
    gmc_tally_add(&s->intervals->cases[row + (size_t)place], verdict);
}

gmc_ends gmc_summary_places(const gmc_summary *s, int case_index, gmc_estimate *estimates)
{
    int places = s->plan->interval_places;
    double level = gmc_ends_level(s->plan->level, places);
    for (int i = 0; i < places; i++)
        estimates[i] =
            case_index < 0
                ? gmc_pooled_estimate(&s->intervals->total[i], level, GMC_METHOD_CLOPPER_PEARSON)
                : gmc_estimate_of(
                      s->intervals->cases[(size_t)case_index * (size_t)places + (size_t)i], level,
                      GMC_METHOD_CLOPPER_PEARSON);
    return gmc_ends_of(estimates, places);
}

// ---- file -------------------------------------------------------------------------------------

enum { INPUT_BYTES = 120, METHOD_BYTES = 16 };

static gmc_status write_inputs(const gmc_scenario *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"input", GMC_H5_TEXT, INPUT_BYTES},
                                          {"lower", GMC_H5_F64, 0},
                                          {"upper", GMC_H5_F64, 0},
                                          {"places", GMC_H5_I64, 0}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)s->uncertain_count, &table));
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (!line->is_interval) continue;
        gmc_layout_put_text(&table.rows, line->path, INPUT_BYTES);
        gmc_layout_put_f64(&table.rows, line->distribution.p[0]);
        gmc_layout_put_f64(&table.rows, line->distribution.p[1]);
        gmc_layout_put_u64(&table.rows, (uint64_t)line->distribution.value_count);
    }
    return gmc_layout_table_write(&table, h5, "/intervals/inputs");
}

static void put_end(gmc_layout_row *row, const gmc_end *end)
{
    gmc_layout_put_f64(row, end->p);
    gmc_layout_put_f64(row, end->interval.lower);
    gmc_layout_put_f64(row, end->interval.upper);
    gmc_layout_put_u64(row, (uint64_t)(int64_t)end->place);
}

static void put_place(gmc_layout_row *row, int case_index, int place, const gmc_estimate *e)
{
    gmc_layout_put_u64(row, (uint64_t)(int64_t)case_index);
    gmc_layout_put_u64(row, (uint64_t)place);
    gmc_layout_put_text(row, gmc_estimate_method_name(e->method), METHOD_BYTES);
    gmc_layout_put_f64(row, e->level);
    gmc_layout_put_f64(row, e->p);
    gmc_layout_put_f64(row, e->lower);
    gmc_layout_put_f64(row, e->upper);
    gmc_layout_put_u64(row, (uint64_t)e->tally.successes);
    gmc_layout_put_u64(row, (uint64_t)e->tally.failures);
    gmc_layout_put_u64(row, (uint64_t)e->tally.unsolved);
}

static gmc_status write_success(const gmc_summary *s, gmc_estimate *estimates, gmc_h5 *h5)
{
    static const gmc_h5_field success[] = {
        {"case", GMC_H5_I64, 0},       {"level", GMC_H5_F64, 0},
        {"lowest", GMC_H5_F64, 0},     {"lowest_lo", GMC_H5_F64, 0},
        {"lowest_hi", GMC_H5_F64, 0},  {"lowest_place", GMC_H5_I64, 0},
        {"highest", GMC_H5_F64, 0},    {"highest_lo", GMC_H5_F64, 0},
        {"highest_hi", GMC_H5_F64, 0}, {"highest_place", GMC_H5_I64, 0}};
    static const gmc_h5_field places[] = {{"case", GMC_H5_I64, 0},
                                          {"place", GMC_H5_I64, 0},
                                          {"method", GMC_H5_TEXT, METHOD_BYTES},
                                          {"level", GMC_H5_F64, 0},
                                          {"p", GMC_H5_F64, 0},
                                          {"lo", GMC_H5_F64, 0},
                                          {"hi", GMC_H5_F64, 0},
                                          {"successes", GMC_H5_I64, 0},
                                          {"failures", GMC_H5_I64, 0},
                                          {"unsolved", GMC_H5_I64, 0}};
    gmc_layout_table ends, all;
    uint64_t rows = (uint64_t)s->plan->case_count + 1, each = (uint64_t)s->plan->interval_places;
    GMC_TRY(gmc_layout_table_start(success, GMC_COUNT(success), rows, &ends));
    gmc_status status = gmc_layout_table_start(places, GMC_COUNT(places), rows * each, &all);
    if (status != GMC_OK) {
        gmc_layout_table_free(&ends);
        return status;
    }
    for (int c = -1; c < s->plan->case_count; c++) {
        gmc_ends found = gmc_summary_places(s, c, estimates);
        gmc_layout_put_u64(&ends.rows, (uint64_t)(int64_t)c);
        gmc_layout_put_f64(&ends.rows, s->plan->level);
        put_end(&ends.rows, &found.lowest);
        put_end(&ends.rows, &found.highest);
        for (int i = 0; i < s->plan->interval_places; i++)
            put_place(&all.rows, c, i, &estimates[i]);
    }
    status = gmc_layout_table_write(&ends, h5, "/intervals/success");
    gmc_status second = gmc_layout_table_write(&all, h5, "/intervals/places");
    return status != GMC_OK ? status : second;
}

static gmc_status intervals_write(gmc_summary *s, gmc_h5 *h5)
{
    if (!s->intervals) return GMC_OK;
    gmc_estimate *estimates = calloc((size_t)s->plan->interval_places, sizeof *estimates);
    if (!estimates) return GMC_E_MEMORY;
    gmc_status status = gmc_h5_group(h5, "/intervals");
    if (status == GMC_OK) status = write_inputs(s->plan->scenario, h5);
    if (status == GMC_OK) status = write_success(s, estimates, h5);
    free(estimates);
    return status;
}

const gmc_summary_part gmc_summary_intervals_part = {.create = intervals_create,
                                                     .clear = intervals_clear,
                                                     .take = intervals_take,
                                                     .write = intervals_write};
