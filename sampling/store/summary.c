// One pass: each trial is added to the sums of its case, to the histograms and to what the run's
// design asks for besides (method.h); none is kept whole. Parts come first, each with its sums, its
// estimates and its datasets; the whole, which puts them together, stands at the end.
#include "sampling/store/summary.h"

#include "engine/math/elementary.h"
#include "sampling/campaign/trial.h"
#include "sampling/estimate/estimate.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/estimate/histogram.h"
#include "sampling/estimate/measured.h"
#include "sampling/estimate/pooled.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/step_shift.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5.h"
#include "sampling/scenario/perturb.h"
#include "sampling/store/extent.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ==== the lowest and the highest of several estimates ===========================================

// The lowest and the highest of several success probabilities, from an estimate of each.
//
// All estimates hold together at `level` if each has the level^(1/count), independent as their
// trials are [sidak1967]. Then
//
//   min lower_i <= min p_i <= min upper_i        max lower_i <= max p_i <= max upper_i
//
// hold together too, whichever is the lowest. The estimates of the two are those of the places
// where they are most extreme, unsolved trials as failures for the lowest and as successes for the
// highest; they err outward, the intervals do not.

double gmc_ends_level(double level, int count) { return gmc_pow(level, 1.0 / count); }

/// Is a place more extreme than those before, or as extreme?
/// @param ahead  how far: > 0 more, 0 as much
static void take(gmc_end *end, double p, int place, double ahead)
{
    if (end->place >= 0 && ahead < 0) return;
    end->ties = end->place >= 0 && ahead == 0 ? end->ties + 1 : 0;
    if (end->ties > 0) return;
    end->p = p;
    end->place = place;
}

gmc_ends gmc_ends_of(const gmc_estimate *estimates, int count)
{
    gmc_end none = {.p = (double)NAN, .place = -1};
    gmc_ends ends = {none, none};
    ends.lowest.interval = (gmc_interval){1, 1};
    ends.highest.interval = (gmc_interval){0, 0};
    for (int i = 0; i < count; i++) {
        const gmc_estimate *e = &estimates[i];
        gmc_interval *low = &ends.lowest.interval, *high = &ends.highest.interval;
        *low = (gmc_interval){fmin(low->lower, e->lower), fmin(low->upper, e->upper)};
        *high = (gmc_interval){fmax(high->lower, e->lower), fmax(high->upper, e->upper)};
        if (gmc_tally_trials(e->tally) == 0) continue;
        take(&ends.lowest, e->unsolved_lower, i, ends.lowest.p - e->unsolved_lower);
        take(&ends.highest, e->unsolved_upper, i, e->unsolved_upper - ends.highest.p);
    }
    return ends;
}

/// Cases of a run up to which each has its own interval of what measurements leave open.
enum { GMC_SUMMARY_MEASURED_CASES = 100 };

// ==== histograms ================================================================================

// Histograms on their way into the file.

/// What is NULL has nothing to do; all have nothing to do where the plan does not ask for them.
typedef struct summary_part {
    gmc_status (*create)(gmc_summary *summary); ///< clear in every case
    void (*clear)(gmc_summary *summary);
    void (*take)(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);
    void (*close)(gmc_summary *summary); ///< after the last trial
    gmc_status (*write)(gmc_summary *summary, struct gmc_h5 *h5);
} summary_part;

enum { NAME_BYTES = 1024 };

/// One histogram on its way into the file.
typedef struct picture {
    gmc_h5 *h5;
    const gmc_histogram *h;
    char folder[NAME_BYTES];
    double *numbers; ///< (bin_count) scratch
} picture;

static uint64_t picture_columns(const picture *p)
{
    return p->h->dimensions > 1 ? (uint64_t)p->h->axis[1].bins : GMC_H5_VECTOR;
}

/// A whole array of doubles at once, shape as in gmc_h5_shape.
static gmc_status write_doubles(gmc_h5 *h5, const char *name, uint64_t rows, uint64_t columns,
                                const double *values)
{
    gmc_h5_field field = {.kind = GMC_H5_F64};
    gmc_h5_stream s;
    const gmc_h5_shape shape = {&field, 0, rows, columns};
    gmc_status status = gmc_h5_stream_open(h5, name, &shape, &s);
    if (status == GMC_OK && rows > 0) status = gmc_h5_stream_doubles(&s, values, rows);
    if (status != GMC_OK) gmc_h5_abandon(h5); // an unfilled dataset needs no complaint of its own
    gmc_status closed = gmc_h5_stream_close(&s);
    return status != GMC_OK ? status : closed;
}

static gmc_status write_numbers(const picture *p, const char *name)
{
    char path[NAME_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return write_doubles(p->h5, path, (uint64_t)p->h->axis[0].bins, picture_columns(p), p->numbers);
}

/// One count per bin, or per bin and outcome class.
static gmc_status write_counts(const picture *p, const char *name, uint64_t columns,
                               int64_t (*get)(const gmc_histogram *h, int bin, int column))
{
    char path[NAME_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    gmc_h5_field element = {.kind = GMC_H5_I64};
    gmc_h5_stream stream;
    const gmc_h5_shape shape = {&element, 0, (uint64_t)p->h->axis[0].bins, columns};
    gmc_status status = gmc_h5_stream_open(p->h5, path, &shape, &stream);
    int per_row = columns == GMC_H5_VECTOR ? 1 : (int)columns;
    unsigned char *row = malloc(8 * (size_t)per_row);
    if (!row) status = GMC_E_MEMORY;
    for (int i = 0; i < p->h->axis[0].bins && status == GMC_OK; i++) {
        for (int k = 0; k < per_row; k++)
            gmc_bytes_put_u64(row + 8 * k, (uint64_t)get(p->h, i, k));
        status = gmc_h5_stream_put(&stream, row, 1);
    }
    free(row);
    if (status != GMC_OK) gmc_h5_abandon(p->h5);
    gmc_status closed = gmc_h5_stream_close(&stream);
    return status != GMC_OK ? status : closed;
}

static int bin_of(const gmc_histogram *h, int i, int k)
{
    return h->dimensions > 1 ? i * h->axis[1].bins + k : i;
}

static int64_t trials_at(const gmc_histogram *h, int i, int k)
{
    int64_t sum = 0;
    for (int c = 0; c < h->class_count; c++)
        sum += gmc_histogram_class(h, bin_of(h, i, k), c);
    return sum;
}

static int64_t successes_at(const gmc_histogram *h, int i, int k)
{
    return gmc_histogram_class(h, bin_of(h, i, k), GMC_OUTCOME_SUCCESS);
}

static int64_t unsolved_at(const gmc_histogram *h, int i, int k)
{
    return gmc_histogram_class(h, bin_of(h, i, k), GMC_OUTCOME_UNSOLVED);
}

static int64_t class_at(const gmc_histogram *h, int i, int k)
{
    return gmc_histogram_class(h, i, k);
}

static gmc_status write_probabilities(const picture *p, const gmc_store_plan *plan)
{
    double level = plan->level;
    gmc_method methods[2];
    gmc_summary_methods(plan, methods);
    int bins = p->h->bin_count;
    gmc_method method = gmc_histogram_estimate(p->h, 0, level, methods[0]).method;
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level, methods[0]).p;
    GMC_TRY(write_numbers(p, "p"));
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level, methods[0]).lower;
    GMC_TRY(write_numbers(p, "lo"));
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level, methods[0]).upper;
    GMC_TRY(write_numbers(p, "hi"));
    GMC_TRY(gmc_h5_text(p->h5, p->folder, "method", gmc_histogram_method_name(method)));
    return gmc_h5_f64(p->h5, p->folder, "level", level);
}

static gmc_status write_axis(const picture *p, const gmc_store_plan *plan,
                             const gmc_store_histogram *spec, int k)
{
    char path[NAME_BYTES + 32];
    if (spec->dimensions > 1)
        snprintf(path, sizeof path, "%s/edges_%d", p->folder, k);
    else
        snprintf(path, sizeof path, "%s/edges", p->folder);
    const gmc_histogram_axis *axis = &p->h->axis[k];
    const char *name = spec->is_measure ? plan->columns[spec->index[k]].name
                                        : plan->parameters[spec->index[k]].name;
    const char *unit = spec->is_measure ? plan->columns[spec->index[k]].unit
                                        : plan->parameters[spec->index[k]].unit;
    GMC_TRY(write_doubles(p->h5, path, (uint64_t)axis->bins + 1, GMC_H5_VECTOR, axis->edges));
    GMC_TRY(gmc_h5_text(p->h5, path, "name", name));
    GMC_TRY(gmc_h5_text(p->h5, path, "units", unit));
    GMC_TRY(gmc_h5_u64(p->h5, path, "below", (uint64_t)axis->below));
    GMC_TRY(gmc_h5_u64(p->h5, path, "above", (uint64_t)axis->above));
    return gmc_h5_u64(p->h5, path, "absent", (uint64_t)axis->absent);
}

static gmc_status write_picture(picture *p, const gmc_store_plan *plan,
                                const gmc_store_histogram *spec)
{
    GMC_TRY(gmc_h5_group(p->h5, p->folder));
    for (int k = 0; k < spec->dimensions; k++)
        GMC_TRY(write_axis(p, plan, spec, k));
    if (spec->is_measure) {
        const char *names[GMC_OUTCOME_COUNT];
        for (int i = 0; i < GMC_OUTCOME_COUNT; i++)
            names[i] = gmc_outcome_name((gmc_outcome)i);
        GMC_TRY(write_counts(p, "count", GMC_OUTCOME_COUNT, class_at));
        return gmc_h5_texts(p->h5, p->folder, "outcomes", names, GMC_OUTCOME_COUNT);
    }
    GMC_TRY(write_counts(p, "trials", picture_columns(p), trials_at));
    GMC_TRY(write_counts(p, "successes", picture_columns(p), successes_at));
    GMC_TRY(write_counts(p, "unsolved", picture_columns(p), unsolved_at));
    return write_probabilities(p, plan);
}

/// "/histograms/by/object.pose.x,friction.rubber/abs": names as in the scenario.
static bool picture_name(const gmc_store_plan *plan, const gmc_store_histogram *spec, char *folder)
{
    char name[NAME_BYTES];
    const char *first = spec->is_measure ? plan->columns[spec->index[0]].name
                                         : plan->parameters[spec->index[0]].name;
    int bytes = spec->dimensions > 1 ? snprintf(name, sizeof name, "%s,%s", first,
                                                plan->parameters[spec->index[1]].name)
                                     : snprintf(name, sizeof name, "%s", first);
    return bytes < (int)sizeof name &&
           gmc_h5_link(spec->is_measure ? "/histograms/measure" : "/histograms/by", name, folder,
                       NAME_BYTES);
}

static gmc_status write_histogram(gmc_summary *s, int i, gmc_h5 *h5)
{
    gmc_histogram *h = &s->histograms[i];
    gmc_histogram_finish(h);
    picture p = {.h5 = h5, .h = h};
    if (!picture_name(s->plan, &s->plan->histograms[i], p.folder)) return GMC_E_LIMIT;
    p.numbers = malloc((size_t)h->bin_count * sizeof(double));
    if (!p.numbers) return GMC_E_MEMORY;
    gmc_status status = write_picture(&p, s->plan, &s->plan->histograms[i]);
    free(p.numbers);
    return status;
}

static gmc_status histograms_write(gmc_summary *s, gmc_h5 *h5)
{
    GMC_TRY(gmc_h5_group(h5, "/histograms"));
    GMC_TRY(gmc_h5_group(h5, "/histograms/by"));
    GMC_TRY(gmc_h5_group(h5, "/histograms/measure"));
    for (int i = 0; i < s->plan->histogram_count; i++)
        GMC_TRY(write_histogram(s, i, h5));
    return GMC_OK;
}

static const summary_part histograms_part = {.write = histograms_write};

// ==== inputs in intervals =======================================================================

// Success at each place of inputs that are known only to lie in an interval: of each case, and of
// all cases of a draw. There is no success over all places, which stand for no law.

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

enum { INPUT_BYTES = 120, INTERVALS_METHOD_BYTES = 16 };

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
    gmc_layout_put_text(row, gmc_estimate_method_name(e->method), INTERVALS_METHOD_BYTES);
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
                                          {"method", GMC_H5_TEXT, INTERVALS_METHOD_BYTES},
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

static const summary_part intervals_part = {.create = intervals_create,
                                            .clear = intervals_clear,
                                            .take = intervals_take,
                                            .write = intervals_write};

// ==== inputs known from measurements ============================================================

// What measurements behind inputs leave open: of each case, and of all cases of a draw. Which row a
// draw took, and which number of a fit, follows from its number: nothing more than it is stored.

struct gmc_summary_measured {
    gmc_measured *laws;
    double *at;               ///< (inputs) of the open draw
    const double *weights;    ///< of it
    uint64_t draw;            ///< its number
    gmc_tally open;           ///< its trials
    gmc_measured_sums total;  ///< of draws that are whole
    gmc_measured_sums *cases; ///< (case_count); NULL: one case, or too many
};

typedef struct gmc_summary_measured gmc_summary_measured_state;

static bool is_told(const gmc_store_plan *plan)
{
    return plan->measured && !plan->measured->untold;
}

static gmc_status create_laws(const gmc_store_measured *from, gmc_measured **laws)
{
    gmc_measured_input *inputs = calloc((size_t)from->count, sizeof *inputs);
    if (!inputs) return GMC_E_MEMORY;
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        inputs[i] = (gmc_measured_input){&line->distribution, line->name_hash};
    }
    gmc_status status = gmc_measured_create(inputs, from->count, laws);
    free(inputs);
    return status;
}

static gmc_status measured_create(gmc_summary *s)
{
    const gmc_store_plan *plan = s->plan;
    if (!is_told(plan)) return GMC_OK;
    gmc_summary_measured_state *m = s->measured = calloc(1, sizeof *m);
    if (!m) return GMC_E_MEMORY;
    m->at = calloc((size_t)plan->measured->count, sizeof *m->at);
    if (!m->at) return GMC_E_MEMORY;
    GMC_TRY(create_laws(plan->measured, &m->laws));
    GMC_TRY(gmc_measured_sums_create(&m->total));
    if (plan->case_count < 2 || plan->case_count > GMC_SUMMARY_MEASURED_CASES) return GMC_OK;
    m->cases = calloc((size_t)plan->case_count, sizeof *m->cases);
    if (!m->cases) return GMC_E_MEMORY;
    for (int c = 0; c < plan->case_count; c++)
        GMC_TRY(gmc_measured_sums_create(&m->cases[c]));
    return GMC_OK;
}

void gmc_summary_measured_drop(gmc_summary *s)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    for (int c = 0; m->cases && c < s->plan->case_count; c++)
        gmc_measured_sums_free(&m->cases[c]);
    gmc_measured_sums_free(&m->total);
    gmc_measured_free(m->laws);
    free(m->cases);
    free(m->at);
    free(m);
    s->measured = NULL;
}

static gmc_measured_trials shares(gmc_tally of)
{
    double n = (double)gmc_tally_trials(of);
    return (gmc_measured_trials){(double)of.failures / n, (double)of.unsolved / n};
}

/// Trials behind one weight: those of a draw, or each where cases have draws of their own.
static int64_t trials_of_draw(const gmc_store_plan *plan)
{
    return plan->is_independent ? 1 : plan->case_count;
}

static void measured_close(gmc_summary *s)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    int64_t trials = gmc_tally_trials(m->open);
    if (trials > 0 && trials == trials_of_draw(s->plan))
        gmc_measured_add(&m->total, m->weights, shares(m->open), 1);
    m->open = (gmc_tally){0};
}

static void weigh(gmc_summary_measured_state *m, const gmc_store_measured *from,
                  const gmc_trial *trial)
{
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        m->at[i] =
            gmc_perturb_measured(from->scenario, line, (int64_t)trial->case_index, trial->draw);
    }
    m->weights = gmc_measured_weigh(m->laws, m->at);
    m->draw = trial->draw;
}

static void measured_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    bool is_next = gmc_tally_trials(m->open) == 0 || trial->draw != m->draw;
    if (is_next || s->plan->is_independent) {
        measured_close(s);
        weigh(m, s->plan->measured, trial);
    }
    gmc_tally one = {0};
    gmc_tally_add(&one, verdict);
    gmc_tally_merge(&m->open, one);
    if (m->cases) gmc_measured_add(&m->cases[trial->case_index], m->weights, shares(one), 1);
}

gmc_measured_answer gmc_summary_measured(const gmc_summary *s, int case_index,
                                         const gmc_estimate *alone)
{
    const gmc_summary_measured_state *m = s->measured;
    gmc_measured_answer answer = {.interval = {0, 1}};
    if (!m) return answer;
    const gmc_measured_sums *of = &m->total;
    if (case_index >= 0 && s->plan->case_count > 1) of = m->cases ? &m->cases[case_index] : NULL;
    if (of) answer = gmc_measured_interval(m->laws, of, s->plan->level);
    answer.interval.lower = fmin(answer.interval.lower, alone->lower);
    answer.interval.upper = fmax(answer.interval.upper, alone->upper);
    return answer;
}

// ---- file -------------------------------------------------------------------------------------

enum { MEASURED_INPUT_BYTES = 120, FORM_BYTES = 16 };

static gmc_status measured_write_inputs(const gmc_store_measured *from, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"input", GMC_H5_TEXT, MEASURED_INPUT_BYTES},
                                          {"form", GMC_H5_TEXT, FORM_BYTES},
                                          {"measurements", GMC_H5_I64, 0}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)from->count, &table));
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        gmc_layout_put_text(&table.rows, line->rows ? line->rows : line->path,
                            MEASURED_INPUT_BYTES);
        gmc_layout_put_text(&table.rows, line->rows ? "samples" : "fit", FORM_BYTES);
        gmc_layout_put_u64(&table.rows, (uint64_t)gmc_measured_count(&line->distribution));
    }
    return gmc_layout_table_write(&table, h5, "/measurements/inputs");
}

static void put_answer(const gmc_summary *s, int case_index, gmc_layout_row *row)
{
    gmc_method methods[2];
    (void)gmc_summary_methods(s->plan, methods);
    gmc_estimate alone = case_index < 0 ? gmc_summary_total(s, methods[0])
                                        : gmc_summary_case(s, case_index, methods[0]);
    gmc_measured_answer answer = gmc_summary_measured(s, case_index, &alone);
    gmc_layout_put_u64(row, (uint64_t)(int64_t)case_index);
    gmc_layout_put_f64(row, s->plan->level);
    gmc_layout_put_f64(row, answer.interval.lower);
    gmc_layout_put_f64(row, answer.interval.upper);
    gmc_layout_put_f64(row, answer.effective);
}

static gmc_status measured_write(gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"case", GMC_H5_I64, 0},
                                          {"level", GMC_H5_F64, 0},
                                          {"lo", GMC_H5_F64, 0},
                                          {"hi", GMC_H5_F64, 0},
                                          {"effective", GMC_H5_F64, 0}};
    const gmc_store_measured *from = s->plan->measured;
    if (!from) return GMC_OK;
    GMC_TRY(gmc_h5_group(h5, "/measurements"));
    GMC_TRY(gmc_h5_text(h5, "/measurements", "untold", from->untold ? from->untold : ""));
    GMC_TRY(measured_write_inputs(from, h5));
    gmc_layout_table table;
    int cases = s->measured && s->measured->cases ? s->plan->case_count : 0;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)cases + 1, &table));
    for (int c = -1; s->measured && c < cases; c++)
        put_answer(s, c, &table.rows);
    return gmc_layout_table_write(&table, h5, "/measurements/success");
}

static const summary_part measured_part = {.create = measured_create,
                                           .clear = gmc_summary_measured_drop,
                                           .take = measured_take,
                                           .close = measured_close,
                                           .write = measured_write};

// ==== the whole =================================================================================

enum { METHOD_BYTES = 16 };

static const summary_part *const PARTS[] = {&measured_part, &intervals_part, &histograms_part};

static int find_column(const gmc_store_plan *plan, gmc_fixed_column column)
{
    return gmc_column_find(plan->columns, plan->column_count, gmc_fixed_columns[column].name);
}

/// Draws that depend on each other are one unit of an estimate: a block of the design.
static uint64_t draws_of_unit(const gmc_store_plan *plan)
{
    return plan->block > 1 ? (uint64_t)plan->block : 1;
}

static int64_t trials_of_unit(const gmc_store_plan *plan)
{
    return plan->case_count * (int64_t)draws_of_unit(plan);
}

gmc_status gmc_summary_create(const gmc_store_plan *plan, gmc_summary *s)
{
    *s = (gmc_summary){
        .plan = plan,
        .method = gmc_store_method_of(plan),
        .pooled = gmc_pooled_start(trials_of_unit(plan), plan->is_independent && plan->block <= 1),
        .decided_by = find_column(plan, GMC_COLUMN_DECIDED_BY),
        .audit = find_column(plan, GMC_COLUMN_AUDIT),
        .half_step = find_column(plan, GMC_COLUMN_HALF_STEP),
        .half_step_chance = find_column(plan, GMC_COLUMN_HALF_STEP_CHANCE),
        .is_whole = find_column(plan, GMC_COLUMN_IS_WHOLE),
        .step_column = find_column(plan, GMC_COLUMN_STEPS)};
    if (s->method->create) GMC_TRY(s->method->create(s));
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->create) GMC_TRY(PARTS[i]->create(s));
    if (plan->stop.kind != GMC_STOP_NEVER) gmc_pooled_watch(&s->pooled, plan->level);
    if (plan->replicas > 0) gmc_pooled_replicate(&s->pooled, plan->replicas);
    s->cases = calloc((size_t)plan->case_count, sizeof *s->cases);
    s->replicas =
        calloc((size_t)plan->case_count * (size_t)plan->replicas + 1, sizeof *s->replicas);
    s->histograms = calloc((size_t)plan->histogram_count + 1, sizeof *s->histograms);
    s->courses = calloc((size_t)plan->histogram_count + 1, sizeof *s->courses);
    if (!s->cases || !s->histograms || !s->courses || !s->replicas) return GMC_E_MEMORY;
    for (int i = 0; i < plan->histogram_count; i++) {
        const gmc_store_histogram *h = &plan->histograms[i];
        if (h->is_measure) s->courses[i] = gmc_extent_of(plan->columns[h->index[0]].name);
        const gmc_histogram_shape shape = {.dimensions = h->dimensions,
                                           .bins = {h->bins[0], h->bins[1]},
                                           .edges = {h->edges[0], h->edges[1]},
                                           .class_count = GMC_OUTCOME_COUNT,
                                           .case_count = trials_of_unit(plan),
                                           .is_independent =
                                               plan->is_independent && plan->block <= 1,
                                           .replica_count = plan->replicas};
        GMC_TRY(gmc_histogram_create(&s->histograms[i], &shape));
    }
    return GMC_OK;
}

void gmc_summary_free(gmc_summary *s)
{
    for (int i = 0; s->histograms && i < s->plan->histogram_count; i++)
        gmc_histogram_free(&s->histograms[i]);
    if (s->method && s->method->clear) s->method->clear(s);
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->clear) PARTS[i]->clear(s);
    free(s->histograms);
    free(s->courses);
    free(s->cases);
    free(s->replicas);
    *s = (gmc_summary){0};
}

static void count_looks(double found, int64_t *looked, int64_t *wrong)
{
    if (found == GMC_AUDIT_RIGHT || found == GMC_AUDIT_WRONG) ++*looked;
    if (found == GMC_AUDIT_WRONG) ++*wrong;
}

static gmc_step_look look_of(double found)
{
    return found == GMC_AUDIT_RIGHT    ? GMC_STEP_SAME
           : found == GMC_AUDIT_NEARLY ? GMC_STEP_NEARLY
           : found == GMC_AUDIT_WRONG  ? GMC_STEP_OTHER
           : found == GMC_AUDIT_OPEN   ? GMC_STEP_OPEN
                                       : GMC_STEP_NONE;
}

static void add_checks(gmc_summary *s, const gmc_trial *trial)
{
    const double *values = trial->values;
    gmc_summary_checks *checks = &s->checks;
    for (int d = 0; s->decided_by >= 0 && d < GMC_DECISION_COUNT; d++)
        if (values[s->decided_by] == d) checks->decided[d]++;
    if (s->audit >= 0) count_looks(values[s->audit], &checks->audited, &checks->wrong);
    if (s->half_step < 0) return;
    gmc_step_look look = look_of(values[s->half_step]);
    checks->repeated += look != GMC_STEP_NONE;
    checks->differing += look == GMC_STEP_OTHER;
    checks->nearly += look == GMC_STEP_NEARLY;
    bool is_cut =
        trial->outcome == GMC_OUTCOME_LOST || (s->is_whole >= 0 && values[s->is_whole] == 0);
    if (s->half_step_chance >= 0)
        gmc_step_sums_add(&checks->step, gmc_trial_verdict(trial->outcome),
                          values[s->half_step_chance], is_cut, look);
}

/// Was the trial cut short as a failure, before the column was the whole trial's? Such values are
/// not to be mixed with others. What `borne` leaves of a shake, and what `rest` spares of steps,
/// is.
static bool is_cut_short(gmc_extent course, gmc_decision rule)
{
    bool is_failure = rule == GMC_DECISION_BROKEN || rule == GMC_DECISION_FALLING;
    return is_failure && course.growth != GMC_GROWTH_WHOLE;
}

void gmc_summary_add(gmc_summary *s, const gmc_trial *trial)
{
    add_checks(s, trial);
    const gmc_ending_columns columns = {s->decided_by, s->audit, .slip_angle = -1};
    gmc_decision rule = gmc_extent_ending(trial->values, columns).rule;
    gmc_verdict verdict = gmc_trial_verdict(trial->outcome);
    gmc_store_share share =
        s->method->take ? s->method->take(s, trial, verdict) : GMC_STORE_SHARE_ALL;
    if (share == GMC_STORE_SHARE_NONE) return;
    s->outcomes[trial->outcome]++;
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->take) PARTS[i]->take(s, trial, verdict);
    uint64_t unit = trial->draw / draws_of_unit(s->plan);
    if (share == GMC_STORE_SHARE_LEFT_OUT) s->pooled.left_out++;
    if (share == GMC_STORE_SHARE_ALL) gmc_pooled_add(&s->pooled, unit, verdict);
    gmc_tally_add(&s->cases[trial->case_index], verdict);
    uint64_t replicas = (uint64_t)s->plan->replicas;
    if (replicas > 0)
        gmc_tally_add(&s->replicas[trial->case_index * replicas + unit % replicas], verdict);
    for (int i = 0; i < s->plan->histogram_count; i++) {
        const gmc_store_histogram *h = &s->plan->histograms[i];
        const double *from = h->is_measure ? trial->values : trial->samples;
        double value[2] = {from[h->index[0]], h->dimensions > 1 ? from[h->index[1]] : 0.0};
        // what a trial that was cut short had measured by then would be taken for a peak
        bool is_cut = h->is_measure && is_cut_short(s->courses[i], rule);
        if (is_cut) value[0] = (double)NAN;
        gmc_histogram_add(&s->histograms[i], unit, value, (int)trial->outcome, verdict);
    }
}

void gmc_summary_pass(gmc_summary *s, const gmc_trial *trial)
{
    uint64_t unit = trial->draw / draws_of_unit(s->plan);
    gmc_pooled_pass(&s->pooled, unit);
    for (int i = 0; i < s->plan->histogram_count; i++)
        gmc_histogram_pass(&s->histograms[i], unit);
}

gmc_status gmc_summary_decide(gmc_summary *s)
{
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->close) PARTS[i]->close(s);
    return s->method->decide ? s->method->decide(s) : GMC_OK;
}

/// Of one case: short as the rule wants it. Verdicts that the rule did not see have the confidence
/// sequence, which holds whatever made the run stop, and so has another level: for one that stopped
/// at 80 % the rule's interval at 95 % holds in 93.75 % of runs at some p (w = 0.2).
static gmc_estimate fixed_width(const gmc_summary *s)
{
    double level = s->plan->level;
    gmc_estimate all = gmc_pooled_estimate(&s->pooled, level, GMC_METHOD_ANYTIME);
    if (s->is_other || s->plan->stop_level != level) return all;
    return gmc_fixed_width_estimate(all.tally, s->plan->stop.threshold, level);
}

gmc_estimate gmc_summary_total(const gmc_summary *s, gmc_method method)
{
    if (method == GMC_METHOD_FIXED_WIDTH) return fixed_width(s);
    if (s->method->total) return s->method->total(s);
    return gmc_pooled_estimate(&s->pooled, s->plan->level, method); // of a ladder of no trial
}

gmc_estimate gmc_summary_case(const gmc_summary *s, int case_index, gmc_method method)
{
    if (method == GMC_METHOD_FIXED_WIDTH) return fixed_width(s);
    if (s->method->of_case) return s->method->of_case(s, case_index);
    if (s->method->total && s->plan->case_count == 1) return s->method->total(s);
    double level = s->plan->level;
    gmc_tally all = s->cases[case_index];
    if (method != GMC_METHOD_REPLICAS) return gmc_estimate_of(all, level, method);
    int64_t block = (int64_t)draws_of_unit(s->plan);
    gmc_estimate plain = gmc_cluster_of_replicas_plain(all, block, level);
    int replicas = s->plan->replicas;
    return gmc_cluster_of_replicas(s->replicas + (size_t)case_index * (size_t)replicas, replicas,
                                   gmc_tally_trials(all) / block, &plain);
}

static int64_t decided_of(const gmc_summary_checks *checks)
{
    int64_t sum = 0;
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        sum += checks->decided[d];
    return sum;
}

static double wrong_of(const gmc_summary_checks *checks, double level)
{
    return gmc_proportion_upper(checks->wrong, checks->audited, level);
}

static bool has_parts(const gmc_summary *s)
{
    return s->plan->case_count == 1 && s->plan->block <= 1 &&
           s->plan->stop.kind == GMC_STOP_NEVER && !s->is_other &&
           s->method == &gmc_store_method_plain && !s->intervals;
}

static gmc_estimate alone_of(const gmc_summary *s)
{
    gmc_method methods[2];
    gmc_summary_methods(s->plan, methods);
    return gmc_summary_total(s, methods[0]);
}

static double early_of(const gmc_summary *s, const gmc_estimate *alone)
{
    static const double QUARTER = 0.25;
    const gmc_summary_checks *c = &s->checks;
    int64_t trials = gmc_tally_trials(alone->tally), open = decided_of(c) - c->audited;
    if (!has_parts(s) || c->audited == 0 || trials == 0) return -1;
    double most = wrong_of(c, alone->level) * (double)open / (double)trials;
    gmc_interval sampling = gmc_estimate_sampling(alone);
    bool is_small = most <= QUARTER * 0.5 * (sampling.upper - sampling.lower);
    return c->wrong > 0 || is_small ? fmax(0, most) : -1;
}

gmc_summary_trust gmc_summary_trust_of(const gmc_summary *s)
{
    gmc_estimate alone = alone_of(s);
    gmc_summary_trust trust = {.has_parts = has_parts(s),
                               .decided = decided_of(&s->checks),
                               .wrong = wrong_of(&s->checks, s->plan->level),
                               .early = early_of(s, &alone)};
    if (trust.has_parts) trust.step = gmc_step_shift_of(&s->checks.step, &alone);
    return trust;
}

static double root_of(double a, double b) { return sqrt(a * a + b * b); }

gmc_estimate gmc_summary_headline(const gmc_summary *s, gmc_method method)
{
    gmc_estimate alone = gmc_summary_total(s, method), e = alone;
    if (!has_parts(s) || isnan(e.p)) return e;
    gmc_interval sampling = gmc_estimate_sampling(&alone);
    gmc_step_shift_widen(&s->checks.step, &e);
    double early = early_of(s, &alone);
    if (!(early > 0)) return e;
    e.lower = fmax(0, e.p - root_of(e.p - e.lower, early));
    e.upper = fmin(1, e.p + root_of(e.upper - e.p, early));
    e.sampling_lower = sampling.lower;
    e.sampling_upper = sampling.upper;
    e.has_early = true;
    return e;
}

// ---- estimates ---------------------------------------------------------------------------------

enum { RANK_FIELDS = 3 };

/// Fields of /summary/estimates from the second on; of /summary/by_case from the second on.
#define ESTIMATE_COMMON                                                                            \
    {"method", GMC_H5_TEXT, METHOD_BYTES}, {"level", GMC_H5_F64, 0}, {"p", GMC_H5_F64, 0},         \
        {"lo", GMC_H5_F64, 0}, {"hi", GMC_H5_F64, 0}, {"sampling_lo", GMC_H5_F64, 0},              \
        {"sampling_hi", GMC_H5_F64, 0}, {"n", GMC_H5_I64, 0}, {"successes", GMC_H5_I64, 0},        \
        {"failures", GMC_H5_I64, 0}, {"unsolved", GMC_H5_I64, 0}, {"unsolved_lo", GMC_H5_F64, 0},  \
        {"unsolved_hi", GMC_H5_F64, 0}, {"draws", GMC_H5_I64, 0},                                  \
    {                                                                                              \
        "left_out", GMC_H5_I64, 0                                                                  \
    }

static const gmc_h5_field estimate_fields[] = {
    {"name", GMC_H5_TEXT, METHOD_BYTES}, ESTIMATE_COMMON, {"is_widened", GMC_H5_U8, 0}};
// the last RANK_FIELDS of a ranking only
static const gmc_h5_field case_fields[] = {
    {"case", GMC_H5_U32, 0},      ESTIMATE_COMMON,
    {"is_widened", GMC_H5_U8, 0}, {"rank", GMC_H5_U64, 0},
    {"rank_lo", GMC_H5_U64, 0},   {"rank_hi", GMC_H5_U64, 0}};

int gmc_summary_methods(const gmc_store_plan *plan, gmc_method methods[2])
{
    bool is_fixed = gmc_fixed_width_is_used(plan->stop, plan->case_count, plan->stop_level);
    const gmc_store_method *method = gmc_store_method_of(plan);
    methods[1] = GMC_METHOD_CLOPPER_PEARSON;
    methods[0] = is_fixed                            ? GMC_METHOD_FIXED_WIDTH
                 : plan->stop.kind != GMC_STOP_NEVER ? GMC_METHOD_ANYTIME
                 : plan->replicas > 0                ? GMC_METHOD_REPLICAS
                                                     : GMC_METHOD_WILSON;
    if (methods[0] != GMC_METHOD_WILSON) return 1;
    if (method->intervals) return method->intervals(plan, methods);
    methods[0] = method->interval;
    return methods[0] == GMC_METHOD_WILSON ? 2 : 1;
}

static void put_estimate(gmc_layout_row *row, const gmc_estimate *e)
{
    gmc_interval alone = gmc_estimate_sampling(e);
    gmc_layout_put_text(row, gmc_estimate_method_name(e->method), METHOD_BYTES);
    gmc_layout_put_f64(row, e->level);
    gmc_layout_put_f64(row, e->p);
    gmc_layout_put_f64(row, e->lower);
    gmc_layout_put_f64(row, e->upper);
    gmc_layout_put_f64(row, alone.lower);
    gmc_layout_put_f64(row, alone.upper);
    gmc_layout_put_u64(row, (uint64_t)gmc_tally_decided(e->tally));
    gmc_layout_put_u64(row, (uint64_t)e->tally.successes);
    gmc_layout_put_u64(row, (uint64_t)e->tally.failures);
    gmc_layout_put_u64(row, (uint64_t)e->tally.unsolved);
    gmc_layout_put_f64(row, e->unsolved_lower);
    gmc_layout_put_f64(row, e->unsolved_upper);
    gmc_layout_put_u64(row, (uint64_t)e->draws);
    gmc_layout_put_u64(row, (uint64_t)e->left_out);
    gmc_layout_put_u8(row, e->is_widened);
}

static void put_rank(gmc_layout_row *row, const gmc_summary_rank *rank)
{
    gmc_layout_put_u64(row, (uint64_t)rank->place);
    gmc_layout_put_u64(row, (uint64_t)rank->set.lower);
    gmc_layout_put_u64(row, (uint64_t)rank->set.upper);
}

static gmc_status write_estimates(const gmc_summary *s, gmc_h5 *h5)
{
    unsigned char bytes[2 * 256];
    gmc_layout_row rows = {.bytes = bytes};
    gmc_method methods[2];
    int method_count = gmc_summary_methods(s->plan, methods);
    uint64_t count = 0;
    // a share of trials that a rule asked for is of nothing; over an interval there is no one
    // success
    if (s->method->has_no_total || s->intervals) method_count = 0;
    for (int i = 0; i < method_count; i++) {
        gmc_estimate e = gmc_summary_headline(s, methods[i]);
        if (i > 0 && e.method == GMC_METHOD_DRAWS) continue; // the same again
        gmc_layout_put_text(&rows, "success", METHOD_BYTES);
        put_estimate(&rows, &e);
        count++;
    }
    return gmc_h5_stream_table(h5, "/summary/estimates", estimate_fields,
                               GMC_COUNT(estimate_fields), count, bytes);
}

static gmc_status write_cases(const gmc_summary *s, gmc_h5 *h5)
{
    gmc_method methods[2];
    int method_count = gmc_summary_methods(s->plan, methods);
    if (s->method->has_no_total) method_count = 1; // they have one interval
    if (s->intervals) method_count = 0;
    uint64_t count = (uint64_t)s->plan->case_count * (uint64_t)method_count;
    gmc_layout_table table;
    gmc_summary_rank *ranks = NULL;
    if (s->method->ranks) GMC_TRY(s->method->ranks(s, &ranks));
    int field_count = GMC_COUNT(case_fields) - (ranks ? 0 : RANK_FIELDS);
    gmc_status status = gmc_layout_table_start(case_fields, field_count, count, &table);
    for (int c = 0; c < s->plan->case_count && status == GMC_OK; c++) {
        for (int i = 0; i < method_count; i++) {
            gmc_estimate e = s->plan->case_count == 1 && !s->method->has_no_total
                                 ? gmc_summary_headline(s, methods[i])
                                 : gmc_summary_case(s, c, methods[i]);
            gmc_layout_put_u32(&table.rows, (uint32_t)c);
            put_estimate(&table.rows, &e);
            if (ranks) put_rank(&table.rows, &ranks[c]);
        }
    }
    if (status == GMC_OK) status = gmc_layout_table_write(&table, h5, "/summary/by_case");
    free(ranks);
    return status;
}

static gmc_status write_outcomes(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"outcome", GMC_H5_OUTCOME, 0}, {"count", GMC_H5_U64, 0}};
    unsigned char bytes[9 * GMC_OUTCOME_COUNT];
    gmc_layout_row rows = {.bytes = bytes};
    for (unsigned i = 0; i < GMC_OUTCOME_COUNT; i++) {
        gmc_layout_put_u8(&rows, i);
        gmc_layout_put_u64(&rows, s->outcomes[i]);
    }
    return gmc_h5_stream_table(h5, "/summary/outcomes", fields, GMC_COUNT(fields),
                               GMC_OUTCOME_COUNT, bytes);
}

// ---- checks ------------------------------------------------------------------------------------

/// A row of /summary/checks.
typedef struct gmc_check_row {
    const char *name, *method;
    int64_t n, found;
    double p;
    gmc_interval interval;
    bool is_in_interval; ///< the headline's
} gmc_check_row;

static void put_check(gmc_layout_row *row, double level, const gmc_check_row *check)
{
    gmc_interval interval = check->interval;
    gmc_layout_put_text(row, check->name, METHOD_BYTES);
    gmc_layout_put_text(row, check->method, METHOD_BYTES);
    gmc_layout_put_f64(row, level);
    gmc_layout_put_u64(row, (uint64_t)check->n);
    gmc_layout_put_u64(row, (uint64_t)check->found);
    gmc_layout_put_f64(row, check->p);
    gmc_layout_put_f64(row, interval.lower);
    gmc_layout_put_f64(row, interval.upper);
    gmc_layout_put_u8(row, check->is_in_interval);
}

static gmc_status write_checks(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, METHOD_BYTES},
                                          {"method", GMC_H5_TEXT, METHOD_BYTES},
                                          {"level", GMC_H5_F64, 0},
                                          {"n", GMC_H5_I64, 0},
                                          {"differ", GMC_H5_I64, 0},
                                          {"p", GMC_H5_F64, 0},
                                          {"lo", GMC_H5_F64, 0},
                                          {"hi", GMC_H5_F64, 0},
                                          {"is_in_interval", GMC_H5_U8, 0}};
    unsigned char bytes[2 * (2 * METHOD_BYTES + 49)];
    gmc_layout_row rows = {.bytes = bytes};
    const gmc_summary_checks *c = &s->checks;
    double level = s->plan->level, unknown = (double)NAN;
    gmc_summary_trust trust = gmc_summary_trust_of(s);
    gmc_step_shift step = trust.step;
    put_check(
        &rows, level,
        &(gmc_check_row){.name = "early",
                         .method = gmc_estimate_method_name(GMC_METHOD_CLOPPER_PEARSON),
                         .n = c->audited,
                         .found = c->wrong,
                         .p = c->audited > 0 ? (double)c->wrong / (double)c->audited : unknown,
                         .interval = {.lower = 0, .upper = trust.wrong},
                         .is_in_interval = trust.early >= 0});
    put_check(&rows, level,
              &(gmc_check_row){.name = "half_step",
                               .method = "weighted",
                               .n = c->repeated,
                               .found = c->differing,
                               .p = step.is_told ? step.change : unknown,
                               .interval =
                                   step.is_told ? step.interval : (gmc_interval){unknown, unknown},
                               .is_in_interval = step.is_told});
    return gmc_h5_stream_table(h5, "/summary/checks", fields, GMC_COUNT(fields), 2, bytes);
}

static gmc_status write_decided(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"by", GMC_H5_TEXT, METHOD_BYTES},
                                          {"count", GMC_H5_U64, 0}};
    unsigned char bytes[(METHOD_BYTES + 8) * GMC_DECISION_COUNT];
    gmc_layout_row rows = {.bytes = bytes};
    for (int d = 0; d < GMC_DECISION_COUNT; d++) {
        gmc_layout_put_text(&rows, gmc_decision_name((gmc_decision)d), METHOD_BYTES);
        gmc_layout_put_u64(&rows, (uint64_t)s->checks.decided[d]);
    }
    return gmc_h5_stream_table(h5, "/summary/decided", fields, GMC_COUNT(fields),
                               GMC_DECISION_COUNT, bytes);
}

gmc_status gmc_summary_write(gmc_summary *s, gmc_h5 *h5)
{
    GMC_TRY(gmc_summary_decide(s));
    GMC_TRY(gmc_h5_group(h5, "/summary"));
    GMC_TRY(write_estimates(s, h5));
    GMC_TRY(write_cases(s, h5));
    GMC_TRY(write_outcomes(s, h5));
    GMC_TRY(write_checks(s, h5));
    GMC_TRY(write_decided(s, h5));
    if (s->method->write) GMC_TRY(s->method->write(s, h5));
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        GMC_TRY(PARTS[i]->write(s, h5));
    return GMC_OK;
}
