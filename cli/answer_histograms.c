// Success or a measure bin by bin, in words: a line per bin, or a map of two parameters.
#include "cli/answer_internal.h"
#include "cli/terminal.h"

#include <inttypes.h>

const char *gmc_answer_axis_name(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    return h->is_measure ? plan->columns[h->index[k]].name : plan->parameters[h->index[k]].name;
}

const char *gmc_answer_axis_unit(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    return h->is_measure ? plan->columns[h->index[k]].unit : plan->parameters[h->index[k]].unit;
}

/// A line of # for a share.
static void put_bar(double share, FILE *out)
{
    enum { CELLS = 24 };
    fputs("  |", out);
    for (int i = 0; i < CELLS; i++)
        fputc(share * CELLS > i + 0.5 ? '#' : ' ', out);
    fputc('|', out);
}

static void print_outside(const gmc_histogram_axis *axis, FILE *out)
{
    if (axis->below + axis->above + axis->absent == 0) return;
    fprintf(out, "  outside: %" PRId64 " below, %" PRId64 " above, %" PRId64 " without a value\n",
            axis->below, axis->above, axis->absent);
}

static void print_line_histogram(const gmc_answer *answer, const gmc_store_histogram *h,
                                 const gmc_histogram *found, FILE *out)
{
    const gmc_histogram_axis *axis = &found->axis[0];
    int64_t most = 1;
    for (int i = 0; i < axis->bins && h->is_measure; i++) {
        int64_t trials = 0;
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            trials += gmc_histogram_class(found, i, k);
        if (trials > most) most = trials;
    }
    for (int i = 0; i < axis->bins; i++) {
        fprintf(out, "  %11.4g ... %-11.4g", axis->edges[i], axis->edges[i + 1]);
        if (h->is_measure) {
            int64_t trials = 0;
            for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
                trials += gmc_histogram_class(found, i, k);
            put_bar((double)trials / (double)most, out);
            fprintf(out, "  %" PRId64 "\n", trials);
            continue;
        }
        gmc_estimate estimate = gmc_answer_bin_estimate(answer, found, i);
        int64_t decided = gmc_tally_decided(estimate.tally);
        put_bar(decided > 0 ? estimate.p : 0, out);
        if (decided > 0)
            fprintf(out, "  %.3f [%.3f, %.3f] of %" PRId64, estimate.p, estimate.lower,
                    estimate.upper, decided);
        if (estimate.tally.unsolved > 0)
            fprintf(out, "; %" PRId64 " unsolved", estimate.tally.unsolved);
        fputc('\n', out);
    }
    print_outside(axis, out);
}

/// A map: one row per bin of the first parameter, p in hundredths, so that 30 columns fit a screen.
static void print_map_histogram(const gmc_answer *answer, const gmc_store_histogram *h,
                                const gmc_histogram *found, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_histogram_axis *rows = &found->axis[0], *columns = &found->axis[1];
    gmc_terminal_print(
        out, "  success in %%; down: %s, across: %s from %.4g to %.4g %s; . no trial\n",
        gmc_answer_axis_name(plan, h, 0), gmc_answer_axis_name(plan, h, 1), columns->edges[0],
        columns->edges[columns->bins], gmc_answer_axis_unit(plan, h, 1));
    for (int i = 0; i < rows->bins; i++) {
        fprintf(out, "  %11.4g ... %-11.4g", rows->edges[i], rows->edges[i + 1]);
        for (int j = 0; j < columns->bins; j++) {
            gmc_estimate e = gmc_answer_bin_estimate(answer, found, i * columns->bins + j);
            if (gmc_tally_decided(e.tally) > 0)
                fprintf(out, " %3.0f", 100 * e.p);
            else
                fputs("   .", out);
        }
        fputc('\n', out);
    }
    print_outside(rows, out);
    print_outside(columns, out);
}

static const char *name_method(gmc_method method)
{
    return method == GMC_METHOD_DRAWS      ? "over draws"
           : method == GMC_METHOD_REPLICAS ? "t over randomisations"
           : method == GMC_METHOD_ANYTIME  ? "confidence sequence"
                                           : gmc_estimate_method_name(method);
}

void gmc_answer_print_histogram(const gmc_answer *answer, int index, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_terminal_print(out, "\n%s %s [%s]", h->is_measure ? "trials by" : "success by",
                       gmc_answer_axis_name(plan, h, 0), gmc_answer_axis_unit(plan, h, 0));
    if (h->dimensions > 1)
        gmc_terminal_print(out, " and %s [%s]", gmc_answer_axis_name(plan, h, 1),
                           gmc_answer_axis_unit(plan, h, 1));
    else if (!h->is_measure)
        gmc_terminal_print(out, ", %.6g %% %s per bin", 100 * plan->level,
                           name_method(gmc_answer_bin_estimate(answer, found, 0).method));
    fputc('\n', out);
    if (h->dimensions > 1)
        print_map_histogram(answer, h, found, out);
    else
        print_line_histogram(answer, h, found, out);
}
