// Trials without a verdict are left out, and for success the indices are worked out twice more, as
// if all of them had failed and as if all had succeeded: how far they could move the values.
#include "cli/show_sensitivity.h"

#include "cli/answer.h"
#include "cli/answer_rescore.h"
#include "cli/terminal.h"
#include "sampling/estimate/given.h"
#include "sampling/store/sensitivity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// How an outcome that is not known is taken.
enum { LEFT_OUT, AS_FAILURE, AS_SUCCESS, WAYS };

typedef struct gmc_showing {
    const gmc_args *args;
    const gmc_store_plan *plan;
    gmc_rescore *criteria; ///< of --success; NULL: the stored verdicts
    gmc_rescore *number;   ///< NULL: the outcome is success
    gmc_sensitivity *ways[WAYS];
    int way_count;
    uint64_t trials, unknown;
    uint64_t cut; ///< numbers of trials that an early verdict cut short
} gmc_showing;

// ---- collecting -------------------------------------------------------------------------------

static double outcome_of(gmc_showing *s, const gmc_trial *trial)
{
    if (s->number) {
        bool is_cut;
        double value = gmc_rescore_number(s->number, trial, &is_cut);
        s->cut += is_cut ? 1 : 0;
        return value;
    }
    gmc_decision cut_by;
    gmc_outcome outcome =
        s->criteria ? gmc_rescore_judge(s->criteria, trial, &cut_by) : trial->outcome;
    if (outcome == GMC_OUTCOME_UNSOLVED) return (double)NAN;
    return outcome == GMC_OUTCOME_SUCCESS ? 1 : 0;
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing *s = context;
    if (trial->case_index >= (uint32_t)s->plan->case_count) return GMC_E_INPUT;
    double outcome = outcome_of(s, trial);
    s->trials++;
    s->unknown += isfinite(outcome) ? 0 : 1;
    for (int w = 0; w < s->way_count; w++) {
        double taken = isnan(outcome) && w != LEFT_OUT ? (double)(w == AS_SUCCESS) : outcome;
        GMC_TRY(gmc_sensitivity_add(s->ways[w], trial, taken));
    }
    return GMC_OK;
}

static gmc_status read_number(gmc_showing *s, gmc_stored *stored)
{
    if (strcmp(s->args->sensitivity, "success") == 0) return GMC_OK;
    const gmc_rescore_names names = {.columns = s->plan->columns,
                                     .column_count = s->plan->column_count,
                                     .option = "--sensitivity",
                                     .is_number = true};
    return gmc_rescore_open_where(s->args->sensitivity, &names, &stored->messages, &s->number);
}

static gmc_status refuse(gmc_stored *stored, const char *path, const char *hint,
                         const char *message)
{
    gmc_diagnostics_add(&stored->messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = path}, hint,
                        "--sensitivity: %s", message);
    return GMC_E_INPUT;
}

static gmc_status collect(gmc_showing *s, gmc_stored *stored)
{
    const char *path = s->args->input;
    if (gmc_store_plan_is_sparse(s->plan))
        return refuse(stored, path, "run it without  ladder, rank, subset or two_level",
                      "the run chose its trials by what others had found");
    if (s->args->where || s->args->stop.kind != GMC_STOP_NEVER)
        return refuse(stored, path, NULL, "indices are of all trials, without --where and --until");
    if (stored->prepared.scenario.is_weighted)
        return refuse(stored, path, "run it without  importance",
                      "the draws come from other distributions than those that are asked about");
    if (!gmc_answer_fits(stored->info, s->plan)) return GMC_E_MISMATCH;
    GMC_TRY(read_number(s, stored));
    if (s->args->success && s->number)
        return refuse(stored, path, "--sensitivity success",
                      "--success judges anew what success is, a number has no criteria");
    if (s->args->success)
        GMC_TRY(gmc_answer_rescore_read(s->args->success, s->plan, path, &stored->messages,
                                        &s->criteria));
    s->way_count = s->number ? 1 : WAYS;
    for (int w = 0; w < s->way_count; w++)
        GMC_TRY(
            gmc_sensitivity_create(&stored->prepared.scenario, s->plan, !s->number, &s->ways[w]));
    if (gmc_sensitivity_inputs(s->ways[LEFT_OUT]) == 0)
        return refuse(stored, path, NULL, "nothing is uncertain");
    GMC_TRY(gmc_result_trials(stored->result, take_in, s));
    for (int w = 0; w < s->way_count; w++)
        GMC_TRY(gmc_sensitivity_finish(s->ways[w]));
    return GMC_OK;
}

// ---- what both forms say ----------------------------------------------------------------------

typedef struct gmc_showing_number {
    const char *name;
    gmc_index index;
    double from, to; ///< values had all unknown trials failed, succeeded: in order; NaN: not asked
} gmc_showing_number;

enum { NUMBERS_MAX = 3 };

static int numbers_of(const gmc_sensitivity_input *input, gmc_sensitivity_kind kind,
                      gmc_showing_number *numbers)
{
    const gmc_showing_number of[][NUMBERS_MAX] = {
        [GMC_SENSITIVITY_GIVEN] = {{.name = "first", .index = input->first}},
        [GMC_SENSITIVITY_SOBOL] = {{.name = "total", .index = input->total},
                                   {.name = "first", .index = input->first}},
        [GMC_SENSITIVITY_MORRIS] = {{.name = "mu_star", .index = input->effects.size},
                                    {.name = "sigma", .index = input->effects.spread},
                                    {.name = "mu", .index = input->effects.mean}}};
    static const int COUNTS[] = {
        [GMC_SENSITIVITY_GIVEN] = 1, [GMC_SENSITIVITY_SOBOL] = 2, [GMC_SENSITIVITY_MORRIS] = 3};
    memcpy(numbers, of[kind], sizeof of[kind]);
    return COUNTS[kind];
}

static const gmc_sensitivity_input *find(const gmc_sensitivity *s, int case_index, int input)
{
    const gmc_sensitivity_case *found = gmc_sensitivity_at(s, case_index);
    for (int i = 0; i < gmc_sensitivity_inputs(s); i++)
        if (found->inputs[i].input == input) return &found->inputs[i];
    return NULL;
}

/// The numbers of the `rank`-th input of a case.
static int numbers_at(const gmc_showing *s, int case_index, int rank, gmc_showing_number *numbers)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    gmc_sensitivity_kind kind = gmc_sensitivity_of(known);
    const gmc_sensitivity_case *found = gmc_sensitivity_at(known, case_index);
    int input = found->inputs[rank].input, count = numbers_of(&found->inputs[rank], kind, numbers);
    for (int k = 0; k < count; k++)
        numbers[k].from = numbers[k].to = (double)NAN;
    for (int w = AS_FAILURE; w < s->way_count && found->unknown > 0; w++) {
        gmc_showing_number other[NUMBERS_MAX];
        (void)numbers_of(find(s->ways[w], case_index, input), kind, other);
        for (int k = 0; k < count; k++) {
            numbers[k].from = fmin(numbers[k].from, other[k].index.value); // passes NaN over
            numbers[k].to = fmax(numbers[k].to, other[k].index.value);
        }
    }
    return count;
}

// ---- in words ---------------------------------------------------------------------------------

static void print_method(const gmc_showing *s, FILE *out)
{
    const gmc_store_plan *plan = s->plan;
    gmc_terminal_print(out, "sensitivity of %s", s->args->sensitivity);
    if (s->criteria) gmc_terminal_print(out, " (%s)", s->args->success);
    fprintf(out, ", %.6g %% intervals, %" PRIu64 " trials", 100 * plan->level, s->trials);
    switch (gmc_sensitivity_of(s->ways[LEFT_OUT])) {
    case GMC_SENSITIVITY_SOBOL:
        fprintf(out, "\nSobol' indices (shares of the variance), t over %d randomisations\n",
                plan->replicas);
        return;
    case GMC_SENSITIVITY_MORRIS:
        fprintf(out, "\nelementary effects of half of an input's probability, over 1/2\n");
        return;
    case GMC_SENSITIVITY_GIVEN:
        break;
    }
    fprintf(out, "\nSobol' indices (shares of the variance) of first order, from draws as given; "
                 "total order needs  --design sensitivity\n");
    if (plan->replicas > 0)
        fprintf(out, "pairs of draws of different randomisations tell, t over %d of them\n",
                plan->replicas);
    if (strcmp(plan->design, "csv") == 0)
        fprintf(out, "rows of a file are taken for independent draws; where columns depend on each "
                     "other each has what it shares with others\n");
    if (plan->stop.kind != GMC_STOP_NEVER)
        fprintf(out, "the run could stop because of what it saw: intervals are of a run of this "
                     "length\n");
}

static void print_number(const gmc_showing_number *n, FILE *out)
{
    char text[64] = "        -", marks[2] = "";
    if (!isnan(n->index.value))
        snprintf(text, sizeof text, "%7.3g [%.3g, %.3g]", n->index.value, n->index.interval.lower,
                 n->index.interval.upper);
    if (n->index.is_widened) marks[0] = '*';
    gmc_terminal_print(out, "  %-26s%1s", text, marks);
}

static void print_bar(double value, double most, FILE *out)
{
    enum { CELLS = 20 };
    fputs(" |", out);
    for (int i = 0; i < CELLS; i++)
        fputc(most > 0 && value / most * CELLS > i + 0.5 ? '#' : ' ', out);
    fputc('|', out);
}

static void print_case(const gmc_showing *s, int case_index, int width, FILE *out)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    const gmc_sensitivity_case *found = gmc_sensitivity_at(known, case_index);
    gmc_showing_number numbers[NUMBERS_MAX];
    bool is_widened = false;
    double most = gmc_sensitivity_of(known) == GMC_SENSITIVITY_MORRIS ? 0 : 1;
    if (s->plan->case_count > 1) fprintf(out, "\ncase %d\n", case_index);
    gmc_terminal_print(out, "  %-*s", width, "input");
    for (int k = 0, count = numbers_at(s, case_index, 0, numbers); k < count; k++) {
        gmc_terminal_print(out, "  %7s%-20s",
                           strcmp(numbers[k].name, "mu_star") == 0 ? "mu*" : numbers[k].name, "");
        if (k == 0 && most == 0) most = numbers[k].index.value;
    }
    fputc('\n', out);
    for (int i = 0; i < gmc_sensitivity_inputs(known); i++) {
        int count = numbers_at(s, case_index, i, numbers);
        gmc_terminal_print(out, "  %-*s", width,
                           gmc_sensitivity_name(known, found->inputs[i].input));
        for (int k = 0; k < count; k++) {
            print_number(&numbers[k], out);
            is_widened = is_widened || numbers[k].index.is_widened;
        }
        print_bar(numbers[0].index.value, most, out);
        if (numbers[0].from <= numbers[0].to)
            fprintf(out, "  unsolved: %.3g ... %.3g", numbers[0].from, numbers[0].to);
        fputc('\n', out);
    }
    if (is_widened)
        fprintf(out, "  * the outcome hardly ever changed with it: the end is a bound\n");
    if (found->is_thin)
        fprintf(out, "  the outcome varies in few blocks of a randomisation: intervals may be too "
                     "short, more draws mend that\n");
    if (found->trials - found->unknown < GMC_GIVEN_LEAST)
        fprintf(out, "  too few trials for an answer\n");
}

static void print_left_out(const gmc_showing *s, FILE *out)
{
    if (s->unknown > 0)
        gmc_terminal_print(out, "left out: %" PRIu64 " trials %s\n", s->unknown,
                           s->number ? "that are unsolved or have no such number"
                                     : "without a verdict");
    if (s->cut > 0)
        fprintf(out,
                "%" PRIu64
                " trials were decided early: their numbers are those of that moment; for "
                "whole trials run again with --set simulation.early.RULE=false\n",
                s->cut);
}

static void print_words(const gmc_showing *s, FILE *out)
{
    enum { CASES_SHOWN = 20 };
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    int width = 12;
    for (int i = 0; i < gmc_sensitivity_inputs(known); i++) {
        int length = (int)strlen(gmc_sensitivity_name(known, i));
        if (length > width) width = length;
    }
    print_method(s, out);
    for (int c = 0; c < s->plan->case_count && c < CASES_SHOWN; c++)
        print_case(s, c, width, out);
    if (s->plan->case_count > CASES_SHOWN)
        fprintf(out, "\n... %d cases more: --json has all\n", s->plan->case_count - CASES_SHOWN);
    print_left_out(s, out);
}

// ---- as JSON ----------------------------------------------------------------------------------

static void put_number(gmc_json *json, const gmc_showing_number *n)
{
    gmc_json_open(json, n->name, '{');
    gmc_json_real(json, "value", n->index.value);
    gmc_json_real(json, "lower", n->index.interval.lower);
    gmc_json_real(json, "upper", n->index.interval.upper);
    gmc_json_flag(json, "is_widened", n->index.is_widened);
    gmc_json_real(json, "unsolved_lower", n->from);
    gmc_json_real(json, "unsolved_upper", n->to);
    gmc_json_close(json, '}');
}

static void put_case(gmc_json *json, const gmc_showing *s, int case_index)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    const gmc_sensitivity_case *found = gmc_sensitivity_at(known, case_index);
    gmc_json_open(json, NULL, '{');
    gmc_json_whole(json, "case", (uint64_t)case_index);
    gmc_json_whole(json, "trials", (uint64_t)found->trials);
    gmc_json_whole(json, "left_out", (uint64_t)found->unknown);
    gmc_json_flag(json, "is_thin", found->is_thin);
    gmc_json_open(json, "inputs", '[');
    for (int i = 0; i < gmc_sensitivity_inputs(known); i++) {
        gmc_showing_number numbers[NUMBERS_MAX];
        int count = numbers_at(s, case_index, i, numbers);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "input", gmc_sensitivity_name(known, found->inputs[i].input));
        gmc_json_whole(json, "n", (uint64_t)found->inputs[i].count);
        for (int k = 0; k < count; k++)
            put_number(json, &numbers[k]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void print_json(const gmc_showing *s, FILE *out)
{
    static const char *const KINDS[] = {[GMC_SENSITIVITY_GIVEN] = "given data",
                                        [GMC_SENSITIVITY_SOBOL] = "sobol",
                                        [GMC_SENSITIVITY_MORRIS] = "morris"};
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", s->args->input);
    gmc_json_text(&json, "of", s->args->sensitivity);
    if (s->criteria) gmc_json_text(&json, "criteria", s->args->success);
    gmc_json_text(&json, "method", KINDS[gmc_sensitivity_of(s->ways[LEFT_OUT])]);
    gmc_json_text(&json, "design", s->plan->design);
    gmc_json_real(&json, "level", s->plan->level);
    gmc_json_whole(&json, "trials", s->trials);
    gmc_json_whole(&json, "left_out", s->unknown);
    gmc_json_whole(&json, "decided_early", s->cut);
    gmc_json_open(&json, "cases", '[');
    for (int c = 0; c < s->plan->case_count; c++)
        put_case(&json, s, c);
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

gmc_status gmc_show_sensitivity(const gmc_args *args, gmc_stored *stored,
                                const gmc_store_plan *plan)
{
    gmc_showing s = {.args = args, .plan = plan};
    gmc_status status = collect(&s, stored);
    if (status == GMC_OK && args->json)
        print_json(&s, stdout);
    else if (status == GMC_OK)
        print_words(&s, stdout);
    for (int w = 0; w < WAYS; w++)
        gmc_sensitivity_free(s.ways[w]);
    gmc_rescore_close(s.number);
    gmc_rescore_close(s.criteria);
    return status;
}
