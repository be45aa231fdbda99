#include "sampling/estimate/histogram.h"

#include "engine/base/check.h"
#include "sampling/estimate/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gmc_histogram_edges(double lower, double upper, int bins, double *edges)
{
    if (!(lower < upper)) {
        double margin = lower == 0.0 ? 0.5 : 0.01 * fabs(lower);
        lower -= margin;
        upper = upper + margin;
    }
    for (int i = 0; i <= bins; i++) {
        double share = (double)i / bins;
        edges[i] = i == bins ? upper : lower * (1.0 - share) + upper * share;
    }
}

static gmc_status take_axis(gmc_histogram_axis *axis, int bins, const double *edges)
{
    if (bins < 1) return GMC_E_INPUT;
    if (bins > GMC_HISTOGRAM_BINS_MAX) return GMC_E_LIMIT;
    for (int i = 0; i <= bins; i++)
        if (!isfinite(edges[i]) || (i > 0 && !(edges[i - 1] < edges[i]))) return GMC_E_INPUT;
    size_t bytes = ((size_t)bins + 1) * sizeof *edges;
    axis->edges = malloc(bytes);
    if (!axis->edges) return GMC_E_MEMORY;
    memcpy(axis->edges, edges, bytes);
    axis->bins = bins;
    return GMC_OK;
}

static gmc_status take_memory(gmc_histogram *h)
{
    size_t count = (size_t)h->bin_count;
    h->classes = calloc(count * (size_t)h->class_count, sizeof *h->classes);
    h->bins = calloc(count, sizeof *h->bins);
    if (!h->classes || !h->bins) return GMC_E_MEMORY;
    if (!h->is_shared) return GMC_OK;
    // no draw can touch more bins than it has trials, nor more than there are
    int64_t touched = h->case_count < h->bin_count ? h->case_count : h->bin_count;
    h->pending = calloc(count, sizeof *h->pending);
    h->touched = calloc((size_t)touched, sizeof *h->touched);
    return h->pending && h->touched ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status create(gmc_histogram *h, const gmc_histogram_shape *shape)
{
    const int *bins = shape->bins;
    h->bin_count = 1;
    for (int k = 0; k < h->dimensions; k++) {
        GMC_TRY(take_axis(h->axis + k, bins[k], shape->edges[k]));
        if (bins[k] > GMC_HISTOGRAM_BINS_MAX / h->bin_count) return GMC_E_LIMIT;
        h->bin_count *= bins[k];
    }
    GMC_TRY(take_memory(h));
    h->replica_count = shape->replica_count;
    if (h->replica_count == 0) return GMC_OK;
    h->replicas = calloc((size_t)h->bin_count * (size_t)h->replica_count, sizeof *h->replicas);
    return h->replicas ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_histogram_create(gmc_histogram *h, const gmc_histogram_shape *shape)
{
    GMC_ASSERT((shape->dimensions == 1 || shape->dimensions == 2) && shape->class_count >= 1 &&
               shape->case_count >= 1);
    *h = (gmc_histogram){.dimensions = shape->dimensions,
                         .class_count = shape->class_count,
                         .case_count = shape->case_count,
                         .is_shared = shape->case_count > 1 && !shape->is_independent};
    gmc_status status = create(h, shape);
    if (status != GMC_OK) gmc_histogram_free(h);
    return status;
}

int gmc_histogram_bin(const gmc_histogram_axis *axis, double value)
{
    if (isnan(value)) return -2;
    if (value < axis->edges[0]) return -1;
    if (value > axis->edges[axis->bins]) return axis->bins;
    int low = 0, high = axis->bins; // edges[low] <= value, and value < edges[high] or high is last
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (value >= axis->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Bin of the histogram, −1 if the trial is outside on any axis; counts it there.
static int find_bin(gmc_histogram *h, const double *value)
{
    int bin = 0;
    bool is_inside = true;
    for (int k = 0; k < h->dimensions; k++) {
        gmc_histogram_axis *axis = h->axis + k;
        int i = gmc_histogram_bin(axis, value[k]);
        axis->absent += i == -2;
        axis->below += i == -1;
        axis->above += i == axis->bins;
        is_inside = is_inside && i >= 0 && i < axis->bins;
        bin = bin * axis->bins + i;
    }
    return is_inside ? bin : -1;
}

static void add_replica(gmc_histogram *h, int bin, gmc_tally tally)
{
    if (!h->replicas) return;
    size_t replica = (size_t)(h->draw % (uint64_t)h->replica_count);
    gmc_tally_merge(&h->replicas[(size_t)bin * (size_t)h->replica_count + replica], tally);
}

// A draw has all its trials now: what it said in each bin becomes one unit of the bin's estimate.
static void close_draw(gmc_histogram *h)
{
    bool is_complete = h->draw_trials == h->case_count;
    GMC_ASSERT(h->draw_trials <= h->case_count);
    for (int i = 0; i < h->touched_count; i++) {
        gmc_tally *pending = h->pending + h->touched[i];
        if (is_complete) gmc_cluster_add(h->bins + h->touched[i], *pending);
        if (is_complete) add_replica(h, h->touched[i], *pending);
        *pending = (gmc_tally){0};
    }
    if (!is_complete) h->left_out += h->draw_trials;
    h->touched_count = 0;
    h->draw_trials = 0;
}

void gmc_histogram_pass(gmc_histogram *h, uint64_t draw)
{
    if (h->is_shared && draw != h->draw) close_draw(h);
    h->draw = draw;
    h->draw_trials++;
}

void gmc_histogram_add(gmc_histogram *h, uint64_t draw, const double *value, int class_index,
                       gmc_verdict verdict)
{
    GMC_ASSERT(class_index >= 0 && class_index < h->class_count);
    gmc_histogram_pass(h, draw);
    h->trial_count++;

    int bin = find_bin(h, value);
    if (bin < 0) return;
    h->classes[(size_t)bin * (size_t)h->class_count + (size_t)class_index]++;
    if (!h->is_shared) {
        gmc_tally one = {0};
        gmc_tally_add(&one, verdict);
        gmc_tally_merge(&h->bins[bin].tally, one);
        add_replica(h, bin, one);
        return;
    }
    if (gmc_tally_trials(h->pending[bin]) == 0) h->touched[h->touched_count++] = bin;
    gmc_tally_add(h->pending + bin, verdict);
}

void gmc_histogram_finish(gmc_histogram *h)
{
    if (h->is_shared) close_draw(h);
}

gmc_estimate gmc_histogram_estimate(const gmc_histogram *h, int bin, double level,
                                    gmc_method method)
{
    GMC_ASSERT(bin >= 0 && bin < h->bin_count);
    bool is_replicated = method == GMC_METHOD_REPLICAS;
    if (is_replicated) method = GMC_METHOD_WILSON;
    if (method == GMC_METHOD_FIXED_WIDTH) method = GMC_METHOD_ANYTIME; // the rule saw no bins
    gmc_estimate e = h->is_shared ? gmc_cluster_estimate(h->bins + bin, level)
                                  : gmc_estimate_of(h->bins[bin].tally, level, method);
    if (!is_replicated) return e;
    const gmc_tally *replicas = h->replicas + (size_t)bin * (size_t)h->replica_count;
    int64_t units = h->is_shared ? h->bins[bin].sums[GMC_CLUSTER_BAD].draws
                                 : gmc_tally_trials(h->bins[bin].tally);
    return gmc_cluster_of_replicas(replicas, h->replica_count, units, &e);
}

const char *gmc_histogram_method_name(gmc_method method)
{
    bool is_either = method == GMC_METHOD_WILSON || method == GMC_METHOD_CLOPPER_PEARSON;
    return is_either ? "Wilson or exact" : gmc_estimate_method_name(method);
}

int64_t gmc_histogram_class(const gmc_histogram *h, int bin, int class_index)
{
    GMC_ASSERT(bin >= 0 && bin < h->bin_count && class_index >= 0 && class_index < h->class_count);
    return h->classes[(size_t)bin * (size_t)h->class_count + (size_t)class_index];
}

void gmc_histogram_free(gmc_histogram *h)
{
    free(h->replicas);
    for (int k = 0; k < 2; k++)
        free(h->axis[k].edges);
    free(h->classes);
    free(h->bins);
    free(h->pending);
    free(h->touched);
    *h = (gmc_histogram){0};
}
