// Histograms of a run: what they are over, and their edges.
#include "sampling/estimate/histogram.h"
#include "sampling/estimate/rising.h"
#include "sampling/language/nearest.h"
#include "sampling/store/describe_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One bin per value of a studied parameter.
static gmc_status value_edges(const gmc_describing *d, const gmc_axis_spec *axis,
                              const double **edges, int *bins)
{
    double *sorted = gmc_arena_doubles(d->arena, (size_t)axis->count);
    double *found = gmc_arena_doubles(d->arena, (size_t)axis->count + 1);
    if (!sorted || !found) return GMC_E_ARENA_FULL;
    memcpy(sorted, axis->values, (size_t)axis->count * sizeof *sorted);
    gmc_rising_sort(sorted, axis->count);
    int count = 1;
    for (int i = 1; i < axis->count; i++)
        if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
    *edges = found;
    *bins = count;
    if (count == 1) {
        gmc_histogram_edges(sorted[0], sorted[0], 1, found);
        return GMC_OK;
    }
    for (int i = 1; i < count; i++)
        found[i] = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;
    found[0] = sorted[0] - (found[1] - sorted[0]);
    found[count] = sorted[count - 1] + (sorted[count - 1] - found[count - 1]);
    return GMC_OK;
}

/// Where a measure's values usually lie; what lies outside is counted apart.
static gmc_interval measure_interval(const gmc_describing *d, const gmc_column *column)
{
    static const struct {
        const char *unit;
        double lower, upper;
    } USUAL[] = {
        {"m", 0, 0.1},    // a hand's breadth
        {"rad", 0, 3.15}, // half a turn
        {"m/s", 0, 1},    // beyond it nothing is held
        {"rad/s", 0, 10}, // the same at a hand's breadth
        {"N", 0, 100},    // what grippers press
    };
    if (column->kind == GMC_COLUMN_FLAG) return (gmc_interval){-0.5, 1.5};
    for (int i = 0; i < GMC_COUNT(USUAL); i++)
        if (strcmp(column->unit, USUAL[i].unit) == 0)
            return (gmc_interval){USUAL[i].lower, USUAL[i].upper};
    if (strcmp(column->unit, "s") == 0) {
        gmc_param limit = d->scenario->time_limit;
        return (gmc_interval){0, d->scenario->parameters[limit].nominal};
    }
    return (gmc_interval){0, column->kind == GMC_COLUMN_INTEGER ? 20 : 2};
}

static int find_sampled(const gmc_scenario *s, const char *name)
{
    gmc_param wanted = gmc_scenario_find(s, name);
    for (int i = 0; i < s->sampled_count; i++)
        if (strcmp(s->sampled[i].path, name) == 0 ||
            (wanted >= 0 && s->sampled[i].target == wanted))
            return i;
    return -1;
}

/// Edges of one axis: as asked for, one bin per studied value, or from where its values lie.
static gmc_status axis_edges(const gmc_describing *d, const gmc_histogram_spec *spec, int k,
                             gmc_store_histogram *h)
{
    const gmc_scenario *s = d->scenario;
    h->bins[k] = spec->bins[k];
    h->edges[k] = spec->edges[k];
    if (h->edges[k]) return GMC_OK;
    gmc_interval range = {spec->lower[k], spec->upper[k]};
    bool is_asked = range.lower < range.upper; // false for NaN
    if (!is_asked && !h->is_measure) {
        const gmc_sampled *column = &s->sampled[h->index[k]];
        bool is_pure_study =
            column->axis_index >= 0 && column->uncertain_index < 0 && column->csv_column < 0;
        if (is_pure_study && !spec->has_bins[k])
            return value_edges(d, &s->axes[column->axis_index], &h->edges[k], &h->bins[k]);
        range = gmc_describe_interval(s, column, false);
    }
    if (!is_asked && h->is_measure) {
        const gmc_column *column = &d->plan->columns[h->index[k]];
        range = measure_interval(d, column);
        if (column->kind == GMC_COLUMN_FLAG && !spec->has_bins[k]) h->bins[k] = 2;
    }
    double *edges = gmc_arena_doubles(d->arena, (size_t)h->bins[k] + 1);
    if (!edges) return GMC_E_ARENA_FULL;
    gmc_histogram_edges(range.lower, range.upper, h->bins[k], edges);
    h->edges[k] = edges;
    return GMC_OK;
}

// What was meant by a name that has no histogram: the nearest, or what there is.
static void report_name(const gmc_describing *d, const gmc_histogram_spec *spec, const char *name)
{
    const gmc_scenario *s = d->scenario;
    gmc_nearest nearest = gmc_nearest_start(name);
    const char *tail = NULL;
    char hint[400] = "parameters that vary:";
    size_t used = strlen(hint);
    for (int i = 0; i < s->sampled_count; i++) {
        const char *path = s->sampled[i].path, *last = strchr(path, '.');
        gmc_nearest_offer(&nearest, path);
        // "frction" for "friction.rubber/abs", "mass" for "object.mass"
        gmc_nearest part = gmc_nearest_start(name);
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(path, "."), path);
        gmc_nearest_offer(&part, word);
        if (last) gmc_nearest_offer(&part, last + 1);
        if (part.best && !tail) tail = path;
        if (used + strlen(path) + 80 < sizeof hint)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "", path);
    }
    for (int i = 0; i < d->plan->column_count; i++)
        gmc_nearest_offer(&nearest, d->plan->columns[i].name);
    snprintf(hint + used, sizeof hint - used, "; a measure goes alone, by the name of its column");
    if (!nearest.best) nearest.best = tail;
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.300s?", nearest.best);
    gmc_diagnostics_add(d->report, GMC_ERROR, GMC_E_INPUT, spec->source, hint,
                        "no histogram of %.160s can be made", name);
}

/// Why what varies, or is measured, has no histogram all the same. NULL: it is not there.
static const char *reason_against(const gmc_describing *d, const gmc_histogram_spec *spec,
                                  const char *name)
{
    const gmc_scenario *s = d->scenario;
    if (find_sampled(s, name) >= 0)
        return s->rank.is_given ? "with rank each case has other draws"
               : s->pilot > 0   ? "with sampling.two_level trials do not count alike"
                                : "a ladder spares most trials of the designs that it rejects";
    return spec->name[1] && gmc_column_find(d->plan->columns, d->plan->column_count, name) >= 0
               ? "a measure goes alone"
               : NULL;
}

static void report_axis(const gmc_describing *d, const gmc_histogram_spec *spec, const char *name)
{
    const char *reason = reason_against(d, spec, name);
    if (!reason) {
        report_name(d, spec, name);
        return;
    }
    const char *hint = d->scenario->pilot > 0
                           ? NULL
                           : "a histogram of a measure can be had, by the name of its column";
    gmc_diagnostics_add(d->report, GMC_ERROR, GMC_E_INPUT, spec->source, hint,
                        "no histogram of %.160s: %s", name, reason);
}

static gmc_status describe_histogram(const gmc_describing *d, const gmc_histogram_spec *spec,
                                     gmc_store_histogram *h)
{
    *h = (gmc_store_histogram){.dimensions = spec->name[1] ? 2 : 1};
    for (int k = 0; k < h->dimensions; k++) {
        h->index[k] = d->scenario->level_count > 0 || d->scenario->rank.is_given
                          ? -1
                          : find_sampled(d->scenario, spec->name[k]);
        if (h->index[k] < 0 && h->dimensions == 1) {
            h->index[k] = gmc_column_find(d->plan->columns, d->plan->column_count, spec->name[k]);
            h->is_measure = h->index[k] >= 0;
        }
        if (h->index[k] < 0) {
            report_axis(d, spec, spec->name[k]);
            return GMC_E_INPUT;
        }
        GMC_TRY(axis_edges(d, spec, k, h));
    }
    return GMC_OK;
}

gmc_status gmc_describe_histograms(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_histogram *all =
        gmc_arena_take(d->arena, (size_t)s->histogram_count + 1, sizeof *all);
    if (!all) return GMC_E_ARENA_FULL;
    gmc_status first = GMC_OK;
    for (int i = 0; i < s->histogram_count; i++) {
        gmc_status status = describe_histogram(d, &s->histograms[i], &all[i]);
        if (status == GMC_E_ARENA_FULL) return status;
        if (first == GMC_OK) first = status;
    }
    d->plan->histograms = all;
    d->plan->histogram_count = s->histogram_count;
    return first;
}
