// `show --quantile`: quantiles of a number that trials measure, with intervals, and tolerance
// limits: "95 % of trials have at most 3.1 mm, 95 % sure" (sampling/findings/quantiles.h).
//
// A trial of which it is not known whether --where means it may have any number: that moves no end
// of an interval inwards, whether it is meant or not.
#include "cli/answer/answer.h"
#include "cli/commands/show.h"
#include "cli/process/terminal.h"
#include "sampling/findings/quantiles.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char OPTION[] = "--quantile";

typedef struct gmc_showing_quantile {
    const gmc_args *args;
    const gmc_store_plan *plan;
    gmc_rescore *number;
    gmc_rescore *where; ///< NULL: all trials
    gmc_quantiles *quantiles;
    uint64_t cut;      ///< trials that an early verdict cut short before the number was known
    uint64_t unsolved; ///< ... that are unsolved, and of which it is not known
    const char *unit;  ///< of the number, with a blank in front; "": of a formula, SI
} gmc_showing_quantile;

/// Of the cases one after the other, or all of them together.
typedef struct gmc_quantile_group {
    int case_index; ///< -1: all
    gmc_quantiles_group about;
    gmc_quantile found[GMC_ARGS_QUANTILES_MAX];
} gmc_quantile_group;

// ---- collecting -------------------------------------------------------------------------------

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing_quantile *s = context;
    if (trial->case_index >= (uint32_t)s->plan->case_count) return GMC_E_INPUT;
    gmc_rescore_truth truth = s->where ? gmc_rescore_holds(s->where, trial) : GMC_RESCORE_YES;
    gmc_interval range = gmc_rescore_range(s->number, trial);
    bool is_open =
        truth == GMC_RESCORE_OPEN || (truth == GMC_RESCORE_YES && range.lower < range.upper);
    s->cut += is_open && trial->outcome != GMC_OUTCOME_UNSOLVED;
    s->unsolved += is_open && trial->outcome == GMC_OUTCOME_UNSOLVED;
    if (truth == GMC_RESCORE_NO) range = (gmc_interval){(double)NAN, (double)NAN};
    if (truth == GMC_RESCORE_OPEN) range = (gmc_interval){-HUGE_VAL, HUGE_VAL};
    return gmc_quantiles_add(s->quantiles, trial, range);
}

static gmc_status check_options(const gmc_showing_quantile *s, gmc_stored *stored)
{
    const gmc_args *args = s->args;
    if (gmc_store_plan_is_sparse(s->plan)) return gmc_stored_refuse_chosen(stored, OPTION);
    if (args->success || args->by || args->rebins.count > 0 || args->sensitivity ||
        args->surrogate || args->stop.kind != GMC_STOP_NEVER)
        return gmc_stored_refuse(
            stored, OPTION, NULL,
            "it goes with --where, --level and --json, not with --success, --by, --rebin, "
            "--sensitivity, --surrogate, --until and --decide");
    return GMC_OK;
}

static void find_unit(gmc_showing_quantile *s)
{
    s->unit = NULL;
    for (int i = 0; i < s->plan->column_count; i++)
        if (strcmp(s->plan->columns[i].name, s->args->quantile_of) == 0)
            s->unit = s->plan->columns[i].unit;
    for (int i = 0; i < s->plan->parameter_count && !s->unit; i++)
        if (strcmp(s->plan->parameters[i].name, s->args->quantile_of) == 0)
            s->unit = s->plan->parameters[i].unit;
    if (!s->unit || strcmp(s->unit, "1") == 0) s->unit = "";
}

static gmc_status collect(gmc_showing_quantile *s, gmc_stored *stored)
{
    const char *path = s->args->input;
    GMC_TRY(check_options(s, stored));
    if (!gmc_answer_fits(stored->info, s->plan)) return GMC_E_MISMATCH;
    const gmc_rescore_names names = {.columns = s->plan->columns,
                                     .column_count = s->plan->column_count,
                                     .parameters = s->plan->parameters,
                                     .parameter_count = s->plan->parameter_count,
                                     .option = OPTION,
                                     .is_number = true};
    GMC_TRY(gmc_rescore_open_where(s->args->quantile_of, &names, &stored->messages, &s->number));
    if (s->args->where)
        GMC_TRY(gmc_answer_where_read(s->args->where, s->plan, path, &stored->messages, &s->where));
    find_unit(s);
    GMC_TRY(gmc_quantiles_create(s->plan, &s->quantiles));
    return gmc_result_trials(stored->result, take_in, s);
}

static gmc_status group_of(const gmc_showing_quantile *s, int case_index, gmc_quantile_group *group)
{
    group->case_index = case_index;
    return gmc_quantiles_of(s->quantiles, case_index, s->args->quantile_p, s->args->quantile_count,
                            &group->about, group->found);
}

static bool is_by_ranks(const gmc_quantile_group *group)
{
    return group->about.method == GMC_METHOD_CLOPPER_PEARSON;
}

// ---- in words ---------------------------------------------------------------------------------

enum { NUMBER_BYTES = 32 };

static const char *number_text(double value, char *text)
{
    if (isfinite(value))
        snprintf(text, NUMBER_BYTES, "%.4g", value);
    else
        snprintf(text, NUMBER_BYTES, "open");
    return text;
}

/// "0.00131", "between 0.01 and 0.02", "at least 0.0103", "open"
static void print_value(const gmc_quantile *q, FILE *out)
{
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    number_text(q->lowest, low);
    number_text(q->highest, high);
    if (q->lowest == q->highest || (!isfinite(q->lowest) && !isfinite(q->highest)))
        fputs(low, out);
    else if (!isfinite(q->highest))
        fprintf(out, "at least %s", low);
    else if (!isfinite(q->lowest))
        fprintf(out, "at most %s", high);
    else
        fprintf(out, "between %s and %s", low, high);
}

/// "; 95 % have at most 0.0031 m, 95 % sure", or why nothing can be said.
static void print_limit(const gmc_showing_quantile *s, const gmc_quantile_group *group, int i,
                        FILE *out)
{
    double p = s->args->quantile_p[i], level = s->plan->level;
    if (p == 0.5) return;
    bool is_upper = p > 0.5;
    double limit = is_upper ? group->found[i].at_most : group->found[i].at_least;
    fprintf(out, "; %s%.6g %% have at %s", isfinite(limit) ? "" : "what ", 100 * fmax(p, 1 - p),
            is_upper ? "most" : "least");
    int64_t needed = gmc_quantiles_needed(p, level);
    if (isfinite(limit))
        fprintf(out, " %.4g%s%s, %.6g %% sure", limit, *s->unit ? " " : "", s->unit, 100 * level);
    else if (is_by_ranks(group) && group->about.trials < needed)
        fprintf(out, ": %" PRId64 " trials are needed", needed);
    else
        fprintf(out, ": %s", group->about.open > 0 ? "too many trials are open" : "too few trials");
}

static void print_method(const gmc_showing_quantile *s, const gmc_quantile_group *group, FILE *out)
{
    const gmc_quantiles_group *about = &group->about;
    if (group->case_index >= 0 && s->plan->case_count > 1)
        gmc_terminal_print(out, "case %d: ", group->case_index);
    gmc_terminal_print(out, "%s of %" PRId64 " trials", s->args->quantile_of, about->trials);
    if (about->open > 0) fprintf(out, ", %" PRId64 " of them open", about->open);
    if (about->absent > 0)
        fprintf(out, " (left out: %" PRId64 " %s)", about->absent,
                s->where ? "that --where does not pick, or without a value" : "without a value");
    if (about->trials == 0) {
        fputc('\n', out);
        return;
    }
    fprintf(out, "; intervals of %.6g %% by ", 100 * s->plan->level);
    if (is_by_ranks(group))
        fputs("order statistics", out);
    else if (about->method == GMC_METHOD_DRAWS)
        fprintf(out, "shares, Korn-Graubard over %" PRId64 " draws", about->draws);
    else
        fprintf(out, "shares, %s", gmc_estimate_method_name(about->method));
    fputc('\n', out);
}

static void print_group(const gmc_showing_quantile *s, const gmc_quantile_group *group, FILE *out)
{
    print_method(s, group, out);
    for (int i = 0; i < s->args->quantile_count && group->about.trials > 0; i++) {
        const gmc_quantile *q = &group->found[i];
        char low[NUMBER_BYTES], high[NUMBER_BYTES];
        fprintf(out, "  %-6.10g ", s->args->quantile_p[i]);
        print_value(q, out);
        gmc_terminal_print(out, " [%s, %s]%s%s", number_text(q->interval.lower, low),
                           number_text(q->interval.upper, high), *s->unit ? " " : "", s->unit);
        print_limit(s, group, i, out);
        fputc('\n', out);
    }
}

static gmc_status print_words(const gmc_showing_quantile *s, FILE *out)
{
    enum { CASES_SHOWN = 20 };
    int cases = s->plan->case_count;
    gmc_quantile_group group;
    GMC_TRY(group_of(s, -1, &group));
    print_group(s, &group, out);
    for (int c = 0; c < cases && c < CASES_SHOWN && cases > 1; c++) {
        GMC_TRY(group_of(s, c, &group));
        print_group(s, &group, out);
    }
    if (cases > CASES_SHOWN)
        fprintf(out, "... %d cases more: --json has all\n", cases - CASES_SHOWN);
    if (s->where) gmc_terminal_print(out, "where %s\n", s->args->where);
    if (s->cut > 0)
        gmc_terminal_print(out,
                           "open: %" PRIu64
                           " trials were cut short, and may have anything from their value on; "
                           "graspmc run --complete %s  runs them to their end\n",
                           s->cut, s->args->input);
    if (s->unsolved > 0)
        gmc_terminal_print(out,
                           "open: %" PRIu64 " trial%s unsolved, and may have anything; the others "
                           "alone, a sample that was selected: --where 'outcome != unsolved'\n",
                           s->unsolved, s->unsolved == 1 ? " is" : "s are");
    return GMC_OK;
}

// ---- as JSON ----------------------------------------------------------------------------------

static void put_group(gmc_json *json, const char *name, const gmc_showing_quantile *s,
                      const gmc_quantile_group *group)
{
    const gmc_quantiles_group *about = &group->about;
    gmc_json_open(json, name, '{');
    if (group->case_index >= 0) gmc_json_whole(json, "case", (uint64_t)group->case_index);
    gmc_json_whole(json, "trials", (uint64_t)about->trials);
    gmc_json_whole(json, "open", (uint64_t)about->open);
    gmc_json_whole(json, "absent", (uint64_t)about->absent);
    gmc_json_text(json, "method",
                  is_by_ranks(group) ? "order statistics"
                                     : gmc_estimate_method_name(about->method));
    gmc_json_open(json, "quantiles", '[');
    for (int i = 0; i < s->args->quantile_count; i++) {
        const gmc_quantile *q = &group->found[i];
        bool is_known = q->lowest == q->highest;
        gmc_json_open(json, NULL, '{');
        gmc_json_real(json, "p", s->args->quantile_p[i]);
        gmc_json_real(json, "value", is_known ? q->lowest : (double)NAN);
        gmc_json_real(json, "lowest", q->lowest);
        gmc_json_real(json, "highest", q->highest);
        gmc_json_real(json, "lower", q->interval.lower);
        gmc_json_real(json, "upper", q->interval.upper);
        gmc_json_real(json, "at_least", q->at_least);
        gmc_json_real(json, "at_most", q->at_most);
        gmc_json_whole(json, "needed",
                       (uint64_t)gmc_quantiles_needed(s->args->quantile_p[i], s->plan->level));
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static gmc_status print_json(const gmc_showing_quantile *s, FILE *out)
{
    gmc_quantile_group group;
    gmc_json json = {.out = out};
    GMC_TRY(group_of(s, -1, &group));
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", s->args->input);
    gmc_json_text(&json, "of", s->args->quantile_of);
    gmc_json_text(&json, "unit", s->unit);
    gmc_json_real(&json, "level", s->plan->level);
    gmc_json_whole(&json, "cut_short", s->cut);
    gmc_json_whole(&json, "unsolved", s->unsolved);
    put_group(&json, "all", s, &group);
    gmc_status status = GMC_OK;
    gmc_json_open(&json, "cases", '[');
    for (int c = 0; c < s->plan->case_count && status == GMC_OK; c++) {
        status = group_of(s, c, &group);
        if (status == GMC_OK) put_group(&json, NULL, s, &group);
    }
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    fputc('\n', out);
    return status;
}

// ---- begin and end ----------------------------------------------------------------------------

gmc_status gmc_show_quantile(const gmc_args *args, gmc_stored *stored, const gmc_store_plan *plan)
{
    gmc_showing_quantile s = {.args = args, .plan = plan};
    gmc_status status = collect(&s, stored);
    if (status == GMC_OK) status = args->json ? print_json(&s, stdout) : print_words(&s, stdout);
    gmc_quantiles_free(s.quantiles);
    gmc_rescore_close(s.number);
    gmc_rescore_close(s.where);
    return status;
}
