// Histograms on their way into the file.
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/summary_internal.h"

#include <stdio.h>
#include <stdlib.h>

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

const gmc_summary_part gmc_summary_histograms_part = {.write = histograms_write};
