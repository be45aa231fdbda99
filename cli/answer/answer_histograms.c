// Success or a measure bin by bin: in words a line per bin, or a map of two parameters.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"
#include "sampling/language/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// What axis k of a histogram is over: a column's or a parameter's name and unit, the plan's.
static const char *axis_name(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    return h->is_measure ? plan->columns[h->index[k]].name : plan->parameters[h->index[k]].name;
}

static const char *axis_unit(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    return h->is_measure ? plan->columns[h->index[k]].unit : plan->parameters[h->index[k]].unit;
}

/// A unit in which edges are printed.
typedef struct shown_unit {
    char name[24];
    double si; ///< of one
} shown_unit;

/// Does a law change what stands there by a factor: is its unit none of the quantity's?
static bool is_factor(const char *law)
{
    const char *word = "nominal";
    if (strncmp(law, word, strlen(word)) != 0) return false;
    law += strlen(word);
    return law[strspn(law, " ")] == '*';
}

/// The first unit in a text that measures the same as `si`; false: there is none. Of numbers
/// without a dimension the first alone has it: the second of "lognormal(0.45, 20 %)" is a share.
static bool find_unit(const char *text, const char *si, shown_unit *unit)
{
    bool is_plain = strcmp(si, "1") == 0;
    if (is_plain && is_factor(text)) return false;
    for (const char *p = text; *p; p++) {
        gmc_quantity q, one;
        const char *end, *tail;
        bool starts = isdigit((unsigned char)*p) && (p == text || !isalnum((unsigned char)p[-1]));
        if (!starts || gmc_units_read(p, &q, &end) != GMC_UNITS_OK) continue;
        if (is_plain && !q.has_unit) return false;
        char *name;
        (void)strtod(p, &name);
        name += strspn(name, " ");
        p = end - 1;
        size_t length = end > name ? (size_t)(end - name) : 0;
        if (!q.has_unit || length >= sizeof unit->name ||
            !gmc_units_equal(q.exponents, gmc_units_of(si)))
            continue;
        char text_of_one[sizeof unit->name + 2];
        snprintf(unit->name, sizeof unit->name, "%.*s", (int)length, name);
        snprintf(text_of_one, sizeof text_of_one, "1 %s", unit->name);
        if (gmc_units_read(text_of_one, &one, &tail) != GMC_UNITS_OK || !(one.value > 0)) continue;
        unit->si = one.value;
        return true;
    }
    return false;
}

/// The unit that the scenario writes the parameter's distribution in; SI's of all else.
static shown_unit unit_of(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    const char *si = axis_unit(plan, h, k);
    shown_unit unit = {.si = 1};
    if (!h->is_measure && find_unit(plan->parameters[h->index[k]].distribution, si, &unit))
        return unit;
    snprintf(unit.name, sizeof unit.name, "%s", si);
    unit.si = 1;
    return unit;
}

/// "      -15.45 ... -13.91     "
static void print_bin(const gmc_histogram_axis *axis, int i, double si, FILE *out)
{
    fprintf(out, "  %11.4g ... %-11.4g", axis->edges[i] / si, axis->edges[i + 1] / si);
}

/// A line of # for a share, from there on of - for what it may be.
static void put_bar(double share, double most, FILE *out)
{
    enum { CELLS = 24 };
    fputs("  |", out);
    for (int i = 0; i < CELLS; i++)
        fputc(share * CELLS > i + 0.5 ? '#' : most * CELLS > i + 0.5 ? '-' : ' ', out);
    fputc('|', out);
}

static void print_outside(const gmc_histogram_axis *axis, bool is_measure, FILE *out)
{
    if (axis->below + axis->above + axis->absent == 0) return;
    fprintf(out, "  outside: %" PRId64 " below, %" PRId64 " above, %" PRId64 " without a value%s\n",
            axis->below, axis->above, axis->absent, is_measure ? " or cut short" : "");
}

static void print_line_histogram(const gmc_answer *answer, int index, FILE *out)
{
    const gmc_store_histogram *h = &answer->plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    const gmc_histogram_axis *axis = &found->axis[0];
    double si = unit_of(answer->plan, h, 0).si;
    int64_t most = 1;
    for (int i = 0; i < axis->bins && h->is_measure; i++) {
        int64_t trials = 0;
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            trials += gmc_histogram_class(found, i, k);
        if (trials > most) most = trials;
    }
    for (int i = 0; i < axis->bins; i++) {
        print_bin(axis, i, si, out);
        if (h->is_measure) {
            int64_t trials = 0;
            for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
                trials += gmc_histogram_class(found, i, k);
            put_bar((double)trials / (double)most, 0, out);
            fprintf(out, "  %" PRId64 "\n", trials);
            continue;
        }
        gmc_estimate_range range;
        if (gmc_answer_range_bin(answer, index, i, &range)) {
            put_bar(range.lowest.p, range.highest.p, out);
            fprintf(out, "  %.3f to %.3f [%.3f, %.3f] of %" PRId64, range.lowest.p, range.highest.p,
                    range.lowest.lower, range.highest.upper,
                    gmc_tally_decided(range.highest.tally));
            if (range.open > 0) fprintf(out, ", %" PRId64 " open", range.open);
            if (range.lowest.tally.unsolved > 0)
                fprintf(out, "; %" PRId64 " unsolved", range.lowest.tally.unsolved);
            fputc('\n', out);
            continue;
        }
        gmc_estimate estimate = gmc_answer_bin_estimate(answer, found, i);
        int64_t decided = gmc_tally_decided(estimate.tally);
        put_bar(decided > 0 ? estimate.p : 0, 0, out);
        if (decided > 0)
            fprintf(out, "  %.3f [%.3f, %.3f] of %" PRId64, estimate.p, estimate.lower,
                    estimate.upper, decided);
        if (estimate.tally.unsolved > 0)
            fprintf(out, "; %" PRId64 " unsolved", estimate.tally.unsolved);
        fputc('\n', out);
    }
    print_outside(axis, h->is_measure, out);
}

static const char *name_method(gmc_method method)
{
    return method == GMC_METHOD_DRAWS      ? "Korn-Graubard over draws"
           : method == GMC_METHOD_REPLICAS ? "Korn-Graubard over randomisations"
           : method == GMC_METHOD_ANYTIME  ? "confidence sequence"
                                           : gmc_histogram_method_name(method);
}

static void put_cell(const gmc_answer *answer, int index, int bin, FILE *out)
{
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_estimate e = gmc_answer_bin_estimate(answer, found, bin);
    gmc_estimate_range range;
    if (gmc_answer_range_bin(answer, index, bin, &range))
        fputs("   ?", out);
    else if (gmc_tally_decided(e.tally) > 0)
        fprintf(out, " %3.0f", 100 * e.p);
    else
        fputs("   .", out);
}

static void print_title(const gmc_answer *answer, int index, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_terminal_print(out, "\n%s %s [%s]", h->is_measure ? "trials by" : "success by",
                       axis_name(plan, h, 0), unit_of(plan, h, 0).name);
    if (h->dimensions > 1)
        gmc_terminal_print(out, " and %s [%s]", axis_name(plan, h, 1), unit_of(plan, h, 1).name);
    else if (!h->is_measure)
        gmc_terminal_print(out, ", %.6g %% %s per bin", 100 * plan->level,
                           name_method(gmc_answer_bin_estimate(answer, found, 0).method));
    fputc('\n', out);
}

void gmc_answer_print_map(const gmc_answer *answer, int index, const int *percent, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    const gmc_histogram_axis *rows = &found->axis[0], *columns = &found->axis[1];
    double down = unit_of(plan, h, 0).si;
    shown_unit across = unit_of(plan, h, 1);
    gmc_estimate_range range;
    print_title(answer, index, out);
    gmc_terminal_print(
        out, "  success in %%; down: %s, across: %s from %.4g to %.4g%s%s; . no trial%s\n",
        axis_name(plan, h, 0), axis_name(plan, h, 1), columns->edges[0] / across.si,
        columns->edges[columns->bins] / across.si, strcmp(across.name, "1") == 0 ? "" : " ",
        strcmp(across.name, "1") == 0 ? "" : across.name,
        gmc_answer_range_total(answer, &range) ? ", ? open" : "");
    for (int i = 0; i < rows->bins; i++) {
        print_bin(rows, i, down, out);
        for (int j = 0; j < columns->bins; j++) {
            int bin = i * columns->bins + j;
            if (percent && percent[bin] >= 0)
                fprintf(out, " %3d", percent[bin]);
            else
                put_cell(answer, index, bin, out);
        }
        fputc('\n', out);
    }
    print_outside(rows, false, out);
    print_outside(columns, false, out);
}

static void print_histograms(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < answer->plan->histogram_count; i++) {
        if (answer->plan->histograms[i].dimensions > 1) {
            gmc_answer_print_map(answer, i, NULL, out);
            continue;
        }
        print_title(answer, i, out);
        print_line_histogram(answer, i, out);
    }
}

void gmc_answer_put_axes(gmc_json *json, const gmc_answer *answer, int index)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_json_open(json, "axes", '[');
    for (int k = 0; k < h->dimensions; k++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", axis_name(plan, h, k));
        gmc_json_text(json, "unit", axis_unit(plan, h, k));
        gmc_json_reals(json, "edges", found->axis[k].edges, found->axis[k].bins + 1);
        gmc_json_whole(json, "below", (uint64_t)found->axis[k].below);
        gmc_json_whole(json, "above", (uint64_t)found->axis[k].above);
        gmc_json_whole(json, "absent", (uint64_t)found->axis[k].absent);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_histogram(gmc_json *json, const gmc_answer *answer, int index)
{
    const gmc_store_histogram *h = &answer->plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_json_open(json, NULL, '{');
    gmc_json_text(json, "of", h->is_measure ? "measure" : "success");
    gmc_answer_put_axes(json, answer, index);
    gmc_json_open(json, "bins", '[');
    for (int bin = 0; bin < found->bin_count; bin++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_open(json, "outcomes", '{');
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            gmc_json_whole(json, gmc_outcome_name((gmc_outcome)k),
                           (uint64_t)gmc_histogram_class(found, bin, k));
        gmc_json_close(json, '}');
        gmc_estimate estimate = gmc_answer_bin_estimate(answer, found, bin);
        gmc_estimate_range range;
        if (gmc_answer_range_bin(answer, index, bin, &range))
            gmc_answer_put_range(json, "success", &range);
        else
            gmc_answer_put_estimate(json, "success", &estimate);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void put_histograms(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_open(json, "histograms", '[');
    for (int i = 0; i < answer->plan->histogram_count; i++)
        put_histogram(json, answer, i);
    gmc_json_close(json, ']');
}

const gmc_answer_part gmc_answer_histograms = {.details = print_histograms, .json = put_histograms};
