#include "sampling/store/summary.h"

#include "sampling/store/bytes.h"
#include "sampling/store/h5.h"
#include "sampling/store/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHOD_BYTES = 16, NAME_BYTES = 1024 };

gmc_verdict gmc_summary_verdict(gmc_outcome outcome)
{
    switch (outcome) {
    case GMC_OUTCOME_SUCCESS:
        return GMC_VERDICT_SUCCESS;
    case GMC_OUTCOME_MISSED:
    case GMC_OUTCOME_VIOLATED:
    case GMC_OUTCOME_LOST:
        return GMC_VERDICT_FAILURE;
    case GMC_OUTCOME_UNSOLVED:
    case GMC_OUTCOME_COUNT:
        break;
    }
    return GMC_VERDICT_UNSOLVED;
}

gmc_status gmc_summary_create(const gmc_store_plan *plan, gmc_summary *s)
{
    *s = (gmc_summary){.plan = plan,
                       .pooled = gmc_pooled_start(plan->case_count, plan->is_independent)};
    s->cases = calloc((size_t)plan->case_count, sizeof *s->cases);
    s->histograms = calloc((size_t)plan->histogram_count + 1, sizeof *s->histograms);
    if (!s->cases || !s->histograms) return GMC_E_MEMORY;
    for (int i = 0; i < plan->histogram_count; i++) {
        const gmc_store_histogram *h = &plan->histograms[i];
        GMC_TRY(gmc_histogram_create(&s->histograms[i], h->dimensions, h->bins, h->edges,
                                     GMC_OUTCOME_COUNT, plan->case_count, plan->is_independent));
    }
    return GMC_OK;
}

void gmc_summary_free(gmc_summary *s)
{
    for (int i = 0; s->histograms && i < s->plan->histogram_count; i++)
        gmc_histogram_free(&s->histograms[i]);
    free(s->histograms);
    free(s->cases);
    *s = (gmc_summary){0};
}

void gmc_summary_add(gmc_summary *s, const gmc_trial *trial)
{
    gmc_verdict verdict = gmc_summary_verdict(trial->outcome);
    gmc_pooled_add(&s->pooled, trial->draw, verdict);
    gmc_tally_add(&s->cases[trial->case_index], verdict);
    s->outcomes[trial->outcome]++;
    for (int i = 0; i < s->plan->histogram_count; i++) {
        const gmc_store_histogram *h = &s->plan->histograms[i];
        const double *from = h->is_measure ? trial->values : trial->samples;
        double value[2] = {from[h->index[0]], h->dimensions > 1 ? from[h->index[1]] : 0.0};
        gmc_histogram_add(&s->histograms[i], trial->draw, value, (int)trial->outcome, verdict);
    }
}

// ---- estimates ----

enum { ESTIMATE_FIELDS = 14, CASE_FIELDS = 15 };

/// Fields of /summary/estimates from the second on; of /summary/by_case from the second on.
#define ESTIMATE_COMMON                                                                            \
    {"method", GMC_H5_TEXT, METHOD_BYTES}, {"level", GMC_H5_F64, 0}, {"p", GMC_H5_F64, 0},         \
        {"lo", GMC_H5_F64, 0}, {"hi", GMC_H5_F64, 0}, {"n", GMC_H5_I64, 0},                        \
        {"successes", GMC_H5_I64, 0}, {"failures", GMC_H5_I64, 0}, {"unsolved", GMC_H5_I64, 0},    \
        {"unsolved_lo", GMC_H5_F64, 0}, {"unsolved_hi", GMC_H5_F64, 0}, {"draws", GMC_H5_I64, 0},  \
    {                                                                                              \
        "left_out", GMC_H5_I64, 0                                                                  \
    }

static const gmc_h5_field estimate_fields[] = {
    {"name", GMC_H5_TEXT, METHOD_BYTES}, ESTIMATE_COMMON, {"is_widened", GMC_H5_U8, 0}};
static const gmc_h5_field case_fields[] = {
    {"case", GMC_H5_U32, 0}, ESTIMATE_COMMON, {"is_widened", GMC_H5_U8, 0}};

static size_t row_bytes(const gmc_h5_field *fields, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += gmc_h5_type_bytes(&fields[i]);
    return bytes;
}

static void put_estimate(gmc_layout_row *row, const gmc_estimate *e)
{
    gmc_layout_put_text(row, gmc_estimate_method_name(e->method), METHOD_BYTES);
    gmc_layout_put_f64(row, e->level);
    gmc_layout_put_f64(row, e->p);
    gmc_layout_put_f64(row, e->lower);
    gmc_layout_put_f64(row, e->upper);
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

static gmc_status write_estimates(const gmc_summary *s, gmc_h5 *h5)
{
    unsigned char bytes[2 * 256];
    gmc_layout_row rows = {.bytes = bytes};
    const gmc_method methods[] = {GMC_METHOD_WILSON, GMC_METHOD_CLOPPER_PEARSON};
    uint64_t count = 0;
    for (int i = 0; i < GMC_COUNT(methods); i++) {
        gmc_estimate e = gmc_pooled_estimate(&s->pooled, s->plan->level, methods[i]);
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
    const gmc_method methods[] = {GMC_METHOD_WILSON, GMC_METHOD_CLOPPER_PEARSON};
    size_t count = (size_t)s->plan->case_count * GMC_COUNT(methods);
    gmc_layout_row rows = {.bytes = malloc(count * row_bytes(case_fields, GMC_COUNT(case_fields)))};
    if (!rows.bytes) return GMC_E_MEMORY;
    for (int c = 0; c < s->plan->case_count; c++) {
        for (int i = 0; i < GMC_COUNT(methods); i++) {
            gmc_estimate e = gmc_estimate_of(s->cases[c], s->plan->level, methods[i]);
            gmc_layout_put_u32(&rows, (uint32_t)c);
            put_estimate(&rows, &e);
        }
    }
    gmc_status status = gmc_h5_stream_table(h5, "/summary/by_case", case_fields,
                                            GMC_COUNT(case_fields), count, rows.bytes);
    free(rows.bytes);
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

// ---- histograms ----

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

static gmc_status write_numbers(const picture *p, const char *name)
{
    char path[NAME_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return gmc_h5_stream_all_doubles(p->h5, path, (uint64_t)p->h->axis[0].bins, picture_columns(p),
                                     p->numbers);
}

/// One count per bin, or per bin and outcome class.
static gmc_status write_counts(const picture *p, const char *name, uint64_t columns,
                               int64_t (*get)(const gmc_histogram *h, int bin, int column))
{
    char path[NAME_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    gmc_h5_field element = {.kind = GMC_H5_I64};
    gmc_h5_stream stream;
    gmc_status status = gmc_h5_stream_open(p->h5, path, &element, 0, (uint64_t)p->h->axis[0].bins,
                                           columns, &stream);
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

static gmc_status write_probabilities(const picture *p, double level)
{
    int bins = p->h->bin_count;
    gmc_method method = gmc_histogram_estimate(p->h, 0, level).method;
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level).p;
    GMC_TRY(write_numbers(p, "p"));
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level).lower;
    GMC_TRY(write_numbers(p, "lo"));
    for (int i = 0; i < bins; i++)
        p->numbers[i] = gmc_histogram_estimate(p->h, i, level).upper;
    GMC_TRY(write_numbers(p, "hi"));
    GMC_TRY(gmc_h5_text(p->h5, p->folder, "method", gmc_estimate_method_name(method)));
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
    GMC_TRY(gmc_h5_stream_all_doubles(p->h5, path, (uint64_t)axis->bins + 1, GMC_H5_VECTOR,
                                      axis->edges));
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
    return write_probabilities(p, plan->level);
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

gmc_status gmc_summary_write(gmc_summary *s, gmc_h5 *h5)
{
    GMC_TRY(gmc_h5_group(h5, "/summary"));
    GMC_TRY(write_estimates(s, h5));
    GMC_TRY(write_cases(s, h5));
    GMC_TRY(write_outcomes(s, h5));
    GMC_TRY(gmc_h5_group(h5, "/histograms"));
    GMC_TRY(gmc_h5_group(h5, "/histograms/by"));
    GMC_TRY(gmc_h5_group(h5, "/histograms/measure"));
    for (int i = 0; i < s->plan->histogram_count; i++)
        GMC_TRY(write_histogram(s, i, h5));
    return GMC_OK;
}
