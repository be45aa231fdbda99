// `show --surrogate`: success with a narrower interval, from the same trials and a function fitted
// to them (sampling/explain/surrogate.h), beside what the trials alone tell.
//
// Trials without a verdict are taken once as failures and once as successes, so that the answer is
// a range that holds both: its draws are not a sample of all.
#include "cli/answer/answer.h"
#include "cli/answer/surrogate_table.h"
#include "cli/commands/show.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char OPTION[] = "--surrogate";

enum { WAYS = GMC_SURROGATE_TABLE_WAYS };

/// What is said of one case, or of all together.
typedef struct gmc_surrogate_case {
    int64_t count;            ///< draws
    uint64_t unknown;         ///< trials
    gmc_estimate plain;       ///< what the trials alone tell
    bool is_range;            ///< it is `range`: some of them are open
    gmc_estimate_range range; ///< in place of `plain`
    gmc_surrogate_estimate found[WAYS];
} gmc_surrogate_case;

typedef struct gmc_showing_surrogate {
    const gmc_args *args;
    const gmc_store_plan *plan;
    const gmc_scenario *scenario;
    gmc_rescore *criteria; ///< of --success; NULL: the stored verdicts
    gmc_answer answer;     ///< what the trials alone tell
    gmc_surrogate_table table;
    gmc_surrogate_case *cases;       ///< (case_count), and behind them all together
    gmc_surrogate_case *together;    ///< NULL: there is one case, or each has draws of its own
    gmc_interval *alone;             ///< (case_count + 1) of one group
    gmc_surrogate_estimate *answers; ///< likewise
} gmc_showing_surrogate;

// ---- collecting -------------------------------------------------------------------------------

/// Is there one answer for all cases, by draws that they share?
static bool is_together(const gmc_store_plan *plan)
{
    return plan->case_count > 1 && !plan->is_independent;
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing_surrogate *s = context;
    gmc_decision cut_by;
    gmc_outcome outcome =
        s->criteria ? gmc_rescore_judge(s->criteria, trial, &cut_by) : trial->outcome;
    bool is_known = outcome != GMC_OUTCOME_UNSOLVED;
    double y[WAYS];
    y[GMC_SURROGATE_TABLE_FAILED] = outcome == GMC_OUTCOME_SUCCESS;
    y[GMC_SURROGATE_TABLE_WORKED] = is_known ? y[GMC_SURROGATE_TABLE_FAILED] : 1;
    s->cases[trial->case_index].unknown += is_known ? 0 : 1;
    if (s->together) s->together->unknown += is_known ? 0 : 1;
    gmc_surrogate_table_add(&s->table, trial, y);
    return GMC_OK;
}

static gmc_status check_draws(const gmc_showing_surrogate *s, gmc_stored *stored)
{
    GMC_TRY(gmc_surrogate_table_fits(stored, s->plan));
    if (s->args->where || s->args->by || s->args->rebins.count > 0 ||
        s->args->stop.kind != GMC_STOP_NEVER)
        return gmc_stored_refuse(
            stored, OPTION, NULL,
            "it answers for all trials, without --where, --by, --rebin, --until and --decide");
    return GMC_OK;
}

static gmc_status make_room(gmc_showing_surrogate *s, gmc_stored *stored)
{
    size_t answers = (size_t)s->plan->case_count + 1;
    s->cases = calloc(answers, sizeof *s->cases);
    s->alone = calloc(answers, sizeof *s->alone);
    s->answers = calloc(answers, sizeof *s->answers);
    if (!s->cases || !s->alone || !s->answers) return GMC_E_MEMORY;
    if (is_together(s->plan)) s->together = &s->cases[s->plan->case_count];
    uint64_t draws = stored->info->count / (uint64_t)s->plan->case_count + 1;
    GMC_TRY(gmc_surrogate_table_open(s->scenario, s->plan, draws, &s->table));
    if (s->table.inputs == 0)
        return gmc_stored_refuse(stored, OPTION, NULL, "nothing is uncertain");
    return GMC_OK;
}

// ---- estimates --------------------------------------------------------------------------------

/// The trials' own interval.
static gmc_interval alone_of(const gmc_surrogate_case *of)
{
    if (of->is_range) return (gmc_interval){of->range.lowest.lower, of->range.highest.upper};
    return (gmc_interval){of->plain.lower, of->plain.upper};
}

/// Of the group of `cases` cases that starts with this one, and of all together behind them.
static gmc_status estimate(gmc_showing_surrogate *s, int group, int cases)
{
    gmc_surrogate_case *first = &s->cases[group * cases];
    int answers = gmc_surrogate_answers(cases);
    uint64_t unknown = 0;
    for (int i = 0; i < answers; i++) {
        first[i].count = s->table.groups[group].count;
        unknown += first[i].unknown;
        s->alone[i] = alone_of(&first[i]);
    }
    for (int w = 0; w < WAYS; w++) {
        if (w == 0 || unknown > 0)
            GMC_TRY(
                gmc_surrogate_table_ask(&s->table, group, w, s->alone, s->plan->level, s->answers));
        for (int i = 0; i < answers; i++)
            first[i].found[w] = w > 0 && first[i].unknown == 0 ? first[i].found[0] : s->answers[i];
    }
    return GMC_OK;
}

static gmc_status collect(gmc_showing_surrogate *s, gmc_stored *stored)
{
    const char *path = s->args->input;
    GMC_TRY(check_draws(s, stored));
    if (!gmc_answer_fits(stored->info, s->plan)) return GMC_E_MISMATCH;
    if (s->args->success)
        GMC_TRY(gmc_answer_rescore_read(s->args->success, s->plan, path, &stored->messages,
                                        &s->criteria));
    gmc_answer_how how = {.rescore = s->criteria};
    GMC_TRY(gmc_answer_collect(stored->result, s->plan, &how, path, &s->answer));
    s->answer.is_step_apart = true;
    GMC_TRY(make_room(s, stored));
    GMC_TRY(gmc_result_trials(stored->result, take_in, s));
    gmc_surrogate_table_finish(&s->table);
    for (int c = 0; c < s->plan->case_count; c++) {
        s->cases[c].plain = gmc_answer_case_estimate(&s->answer, c);
        s->cases[c].is_range = gmc_answer_range_case(&s->answer, c, &s->cases[c].range);
    }
    if (s->together) {
        s->together->plain = gmc_answer_total_estimate(&s->answer);
        s->together->is_range = gmc_answer_range_total(&s->answer, &s->together->range);
    }
    for (int g = 0; g < s->table.group_count; g++)
        GMC_TRY(estimate(s, g, s->table.group_cases));
    return GMC_OK;
}

// ---- what both forms say ----------------------------------------------------------------------

typedef struct gmc_showing_success {
    bool is_useful;
    double p[WAYS], lower, upper, gain;
} gmc_showing_success;

/// With unknown trials a range, and no gain: more trials would not tell more of those. Its interval
/// holds both ways of taking them, as the trials' own does.
static gmc_showing_success success_of(const gmc_surrogate_case *of)
{
    const gmc_surrogate_estimate *low = &of->found[GMC_SURROGATE_TABLE_FAILED],
                                 *high = &of->found[GMC_SURROGATE_TABLE_WORKED];
    gmc_interval alone = alone_of(of);
    gmc_showing_success shown = {.p = {low->p, fmax(low->p, high->p)},
                                 .lower = low->interval.lower,
                                 .upper = fmax(low->interval.upper, high->interval.upper),
                                 .gain = of->unknown > 0 ? (double)NAN : low->gain};
    bool is_there = low->is_there && high->is_there;
    shown.is_useful = is_there && shown.upper - shown.lower < alone.upper - alone.lower;
    return shown;
}

/// The case in each bin of a map over two decisions; NULL: it is none, or a bin has several cases.
static int *cases_of_bins(const gmc_showing_surrogate *s, int index)
{
    const gmc_store_plan *plan = s->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &s->answer.summary.histograms[index];
    if (h->is_measure || h->dimensions != 2 || !plan->parameters[h->index[0]].is_studied ||
        !plan->parameters[h->index[1]].is_studied)
        return NULL;
    int *cases = calloc((size_t)found->bin_count, sizeof *cases);
    for (int bin = 0; cases && bin < found->bin_count; bin++)
        cases[bin] = -1;
    for (int c = 0; cases && c < plan->case_count; c++) {
        int at[2];
        for (int k = 0; k < 2; k++)
            at[k] = gmc_histogram_bin(&found->axis[k], plan->cases[c].values[h->index[k]]);
        if (at[0] < 0 || at[0] >= found->axis[0].bins || at[1] < 0 || at[1] >= found->axis[1].bins)
            continue;
        int *bin = &cases[at[0] * found->axis[1].bins + at[1]];
        if (*bin >= 0) {
            free(cases);
            return NULL;
        }
        *bin = c;
    }
    return cases;
}

// ---- in words ---------------------------------------------------------------------------------

/// x > 0, rounded to two digits: more would claim too much.
static double two_digits(double x)
{
    double unit = 1;
    while (x / unit >= 100)
        unit *= 10;
    return round(x / unit) * unit;
}

static char *alone_text(const gmc_surrogate_case *of, char *text)
{
    return of->is_range ? gmc_estimate_range_text(&of->range, text)
                        : gmc_estimate_text(&of->plain, text);
}

static void print_useless(const gmc_showing_surrogate *s, const char *name,
                          const gmc_surrogate_case *of, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_terminal_print(out, "%s %s; ", name, alone_text(of, text));
    if (s->table.group_cases > 1 && of->count < GMC_SURROGATE_LEAST_DRAWS)
        fprintf(out, "a surrogate needs %d draws\n", GMC_SURROGATE_LEAST_DRAWS);
    else if (s->table.group_cases == 1 && of->count < GMC_SURROGATE_LEAST)
        fprintf(out, "a surrogate needs %d trials\n", GMC_SURROGATE_LEAST);
    else
        fputs("the surrogate does not narrow it\n", out);
}

static void print_success(const gmc_showing_surrogate *s, const char *name,
                          const gmc_surrogate_case *of, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX], numbers[GMC_ESTIMATE_TEXT_MAX];
    gmc_showing_success shown = success_of(of);
    const char *rows = of == s->together ? "draws" : "trials";
    if (!shown.is_useful) {
        print_useless(s, name, of, out);
        return;
    }
    gmc_estimate e = of->plain;
    e.p = shown.p[GMC_SURROGATE_TABLE_WORKED];
    e.lower = shown.lower;
    e.upper = shown.upper;
    gmc_estimate_numbers(&e, numbers);
    if (of->unknown > 0)
        gmc_terminal_print(out, "%s between %.3g and %s", name, shown.p[GMC_SURROGATE_TABLE_FAILED],
                           numbers);
    else
        gmc_terminal_print(out, "%s %s", name, numbers);
    gmc_terminal_print(out, " %.6g %% surrogate, %" PRId64 " %s", 100 * s->plan->level, of->count,
                       rows);
    if (of->unknown > 0)
        fprintf(out, "; %" PRIu64 " trials without a verdict", of->unknown);
    else
        fprintf(out, " tell as much as %.0f", two_digits(shown.gain * (double)of->count));
    gmc_terminal_print(out, "\n  the trials alone: %s\n", alone_text(of, text));
}

static int compare_gains(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// In how many cases it tells more, and how much in the middle one of these.
static void print_gains(const gmc_showing_surrogate *s, FILE *out)
{
    double *gains = calloc((size_t)s->plan->case_count, sizeof *gains);
    int64_t draws = s->together->count;
    int useful = 0;
    for (int c = 0; gains && c < s->plan->case_count; c++) {
        gmc_showing_success shown = success_of(&s->cases[c]);
        if (shown.is_useful && isfinite(shown.gain)) gains[useful++] = shown.gain;
    }
    if (useful > 0) {
        qsort(gains, (size_t)useful, sizeof *gains, compare_gains);
        fprintf(out,
                "the surrogate narrows %d of %d cases: in the median one of these %" PRId64
                " draws are worth %.0f\n",
                useful, s->plan->case_count, draws, two_digits(gains[useful / 2] * (double)draws));
    }
    free(gains);
}

/// The number that stands for a case in a map; below 0: the trials' own does.
static int percent_of(const gmc_surrogate_case *of)
{
    gmc_showing_success shown = success_of(of);
    bool is_told = shown.is_useful && of->unknown == 0;
    return is_told ? (int)lround(100 * shown.p[GMC_SURROGATE_TABLE_WORKED]) : -1;
}

static void print_maps(const gmc_showing_surrogate *s, FILE *out)
{
    for (int h = 0; h < s->plan->histogram_count; h++) {
        int *cases = cases_of_bins(s, h);
        for (int bin = 0; cases && bin < s->answer.summary.histograms[h].bin_count; bin++)
            cases[bin] = cases[bin] < 0 ? -1 : percent_of(&s->cases[cases[bin]]);
        if (cases) gmc_answer_print_map(&s->answer, h, cases, out);
        free(cases);
    }
}

/// Is the surrogate's interval told of anything? That of the trials alone is made for any stop.
static bool is_any_useful(const gmc_showing_surrogate *s)
{
    bool is_any = s->together && success_of(s->together).is_useful;
    for (int c = 0; c < s->plan->case_count; c++)
        is_any = is_any || success_of(&s->cases[c]).is_useful;
    return is_any;
}

static void print_words(const gmc_showing_surrogate *s, FILE *out)
{
    enum { CASES_SHOWN = 20 };
    const gmc_store_plan *plan = s->plan;
    if (s->together) print_success(s, "success", s->together, out);
    if (s->together) print_gains(s, out);
    for (int c = 0; c < plan->case_count && c < CASES_SHOWN; c++) {
        char name[64] = "success";
        if (plan->case_count > 1) snprintf(name, sizeof name, "case %d: success", c);
        print_success(s, name, &s->cases[c], out);
    }
    if (plan->case_count > CASES_SHOWN)
        fprintf(out, "... %d cases more: --json has all\n", plan->case_count - CASES_SHOWN);
    gmc_answer_step.details(&s->answer, out);
    gmc_answer_measured.headline(&s->answer, out);
    if (s->criteria) gmc_terminal_print(out, "judged anew: %s\n", s->args->success);
    if (plan->stop.kind != GMC_STOP_NEVER && is_any_useful(s))
        fprintf(out, "the run could stop early: a surrogate's intervals are those of a run of this "
                     "fixed length\n");
    if (s->together) print_maps(s, out);
}

// ---- as JSON ----------------------------------------------------------------------------------

/// Members of an open object.
static void put_numbers(gmc_json *json, const gmc_surrogate_case *of)
{
    gmc_showing_success shown = success_of(of);
    bool is_range = of->unknown > 0;
    gmc_interval alone = alone_of(of);
    double low = of->is_range ? of->range.lowest.unsolved_lower : of->plain.unsolved_lower;
    double high = of->is_range ? of->range.highest.unsolved_upper : of->plain.unsolved_upper;
    gmc_json_whole(json, "n", (uint64_t)of->count);
    gmc_json_whole(json, "unknown", of->unknown);
    gmc_json_flag(json, "is_useful", shown.is_useful);
    double p = shown.is_useful ? shown.p[GMC_SURROGATE_TABLE_FAILED] : of->plain.p;
    gmc_json_real(json, "p", is_range ? (double)NAN : p);
    gmc_json_real(json, "p_lower", shown.is_useful ? shown.p[GMC_SURROGATE_TABLE_FAILED] : low);
    gmc_json_real(json, "p_upper", shown.is_useful ? shown.p[GMC_SURROGATE_TABLE_WORKED] : high);
    gmc_json_real(json, "lower", shown.is_useful ? shown.lower : alone.lower);
    gmc_json_real(json, "upper", shown.is_useful ? shown.upper : alone.upper);
    gmc_json_real(json, "gain", shown.is_useful ? shown.gain : 1);
    if (of->is_range)
        gmc_answer_put_range(json, "plain", &of->range);
    else
        gmc_answer_put_estimate(json, "plain", &of->plain);
}

static void put_success(gmc_json *json, const gmc_surrogate_case *of)
{
    gmc_json_open(json, "success", '{');
    put_numbers(json, of);
    gmc_json_close(json, '}');
}

static void put_cases(const gmc_showing_surrogate *s, gmc_json *json)
{
    gmc_json_open(json, "cases", '[');
    for (int c = 0; c < s->plan->case_count; c++) {
        gmc_json_open(json, NULL, '{');
        if (s->plan->case_count > 1) gmc_answer_put_case(json, s->plan, c);
        put_numbers(json, &s->cases[c]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_maps(const gmc_showing_surrogate *s, gmc_json *json)
{
    gmc_json_open(json, "histograms", '[');
    for (int h = 0; h < s->plan->histogram_count; h++) {
        int *cases = cases_of_bins(s, h);
        if (!cases) continue;
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "of", "success");
        gmc_answer_put_axes(json, &s->answer, h);
        gmc_json_open(json, "bins", '[');
        for (int bin = 0; bin < s->answer.summary.histograms[h].bin_count; bin++) {
            gmc_json_open(json, NULL, '{');
            if (cases[bin] < 0)
                gmc_json_text(json, "success", NULL);
            else
                put_success(json, &s->cases[cases[bin]]);
            gmc_json_close(json, '}');
        }
        gmc_json_close(json, ']');
        gmc_json_close(json, '}');
        free(cases);
    }
    gmc_json_close(json, ']');
}

static void print_json(const gmc_showing_surrogate *s, FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", s->args->input);
    if (s->criteria) gmc_json_text(&json, "criteria", s->args->success);
    gmc_json_real(&json, "level", s->plan->level);
    if (s->plan->stop.kind != GMC_STOP_NEVER) {
        char rule[GMC_STOP_TEXT_MAX];
        gmc_json_text(&json, "stop_rule", gmc_stop_text(s->plan->stop, rule));
    }
    if (s->together) put_success(&json, s->together);
    if (s->plan->case_count == 1) put_success(&json, &s->cases[0]);
    gmc_answer_step.json(&s->answer, &json);
    gmc_answer_measured.json(&s->answer, &json);
    put_cases(s, &json);
    if (s->together) put_maps(s, &json);
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

// ---- begin and end ----------------------------------------------------------------------------

gmc_status gmc_show_surrogate(const gmc_args *args, gmc_stored *stored, const gmc_store_plan *plan)
{
    gmc_showing_surrogate s = {.args = args, .plan = plan, .scenario = &stored->prepared.scenario};
    gmc_status status = collect(&s, stored);
    if (status == GMC_OK && args->json)
        print_json(&s, stdout);
    else if (status == GMC_OK)
        print_words(&s, stdout);
    gmc_surrogate_table_free(&s.table);
    free(s.cases);
    free(s.alone);
    free(s.answers);
    gmc_answer_free(&s.answer);
    gmc_rescore_close(s.criteria);
    return status;
}
