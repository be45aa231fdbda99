// Where cases share their draws the outcome of a draw is the share of its cases that succeed, and
// its inputs are those of case 0: any description of the draw will do, for the estimate is unbiased
// whatever the surrogate is worth.
//
// Trials without a verdict are taken once as failures and once as successes, so that the answer is
// a range that holds both: its draws are not a sample of all.
#include "cli/show_surrogate.h"

#include "cli/answer.h"
#include "cli/answer_internal.h"
#include "cli/answer_measured.h"
#include "cli/answer_range.h"
#include "cli/answer_rescore.h"
#include "cli/terminal.h"
#include "sampling/estimate/surrogate.h"
#include "sampling/scenario/perturb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// How an outcome that is not known is taken.
enum { AS_FAILURE, AS_SUCCESS, WAYS };

/// Rows of one case, or of the draws of all cases together.
typedef struct gmc_surrogate_case {
    int64_t count;
    double *x;                ///< (count, inputs)
    double *y[WAYS];          ///< (count)
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
    int inputs;
    int *columns;                ///< (inputs) of a trial's samples
    gmc_surrogate_case *cases;   ///< (case_count)
    gmc_surrogate_case together; ///< by draw, where cases share their draws
    int of_draw;                 ///< cases of the open draw that have been taken in
    double *values, *samples;    ///< of a fresh draw
    int fresh_case;
} gmc_showing_surrogate;

// ---- collecting -------------------------------------------------------------------------------

/// Is there one answer for all cases, by draws that they share?
static bool is_together(const gmc_store_plan *plan)
{
    return plan->case_count > 1 && !plan->is_independent;
}

static void add_row(const gmc_showing_surrogate *s, const gmc_trial *trial, const double y[WAYS],
                    gmc_surrogate_case *to)
{
    double *x = to->x + to->count * s->inputs;
    for (int j = 0; j < s->inputs; j++) {
        double value = trial->samples[s->columns[j]];
        x[j] = isfinite(value) ? value : 0; // an object may lack it
    }
    for (int w = 0; w < WAYS; w++)
        to->y[w][to->count] = y[w];
    to->count++;
}

static void add_to_draw(gmc_showing_surrogate *s, const gmc_trial *trial, const double y[WAYS])
{
    gmc_surrogate_case *to = &s->together;
    const double share = 1.0 / s->plan->case_count, none[WAYS] = {0, 0};
    if (trial->case_index != (uint32_t)s->of_draw) return; // the rest of a draw that began outside
    if (s->of_draw == 0) add_row(s, trial, none, to);
    for (int w = 0; w < WAYS; w++)
        to->y[w][to->count - 1] += share * y[w];
    s->of_draw = (s->of_draw + 1) % s->plan->case_count;
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing_surrogate *s = context;
    gmc_decision cut_by;
    gmc_outcome outcome =
        s->criteria ? gmc_rescore_judge(s->criteria, trial, &cut_by) : trial->outcome;
    bool is_known = outcome != GMC_OUTCOME_UNSOLVED;
    double y[WAYS];
    y[AS_FAILURE] = outcome == GMC_OUTCOME_SUCCESS;
    y[AS_SUCCESS] = is_known ? y[AS_FAILURE] : 1;
    gmc_surrogate_case *own = &s->cases[trial->case_index];
    own->unknown += is_known ? 0 : 1;
    s->together.unknown += is_known ? 0 : 1;
    add_row(s, trial, y, own);
    if (is_together(s->plan)) add_to_draw(s, trial, y);
    return GMC_OK;
}

static gmc_status make_room(const gmc_showing_surrogate *s, uint64_t count, gmc_surrogate_case *of)
{
    of->x = calloc(count * (uint64_t)s->inputs + 1, sizeof *of->x);
    for (int w = 0; w < WAYS; w++)
        of->y[w] = calloc(count + 1, sizeof *of->y[w]);
    return of->x && of->y[AS_FAILURE] && of->y[AS_SUCCESS] ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status refuse(gmc_stored *stored, const char *path, const char *hint,
                         const char *message)
{
    gmc_diagnostics_add(&stored->messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = path}, hint,
                        "--surrogate: %s", message);
    return GMC_E_INPUT;
}

/// Are the trials independent draws of the scenario's own chance?
static gmc_status check_draws(const gmc_showing_surrogate *s, gmc_stored *stored)
{
    const char *path = s->args->input;
    if (gmc_store_plan_is_sparse(s->plan))
        return refuse(stored, path, "run it without  ladder, rank, subset or two_level",
                      "the run chose its trials by what others had found");
    if (s->scenario->is_weighted)
        return refuse(stored, path, "run it without  importance",
                      "the draws come from other distributions than those that are asked about");
    gmc_stop_kind stop = s->plan->stop.kind;
    if (stop == GMC_STOP_AT_LEAST || stop == GMC_STOP_AT_MOST)
        return refuse(stored, path, "run it without  --decide",
                      "the run stopped because of the success that it saw");
    if (s->plan->interval_places > 0)
        return refuse(stored, path, "run with the number fixed, or with a law",
                      "over an interval there is no one success");
    if (strcmp(s->plan->design, "random") != 0)
        return refuse(stored, path, "run it with  sampling.design: random",
                      "draws of a design depend on each other, and its own interval is narrow");
    if (s->args->where || s->args->by || s->args->rebin_count > 0 || s->args->sensitivity ||
        s->args->stop.kind != GMC_STOP_NEVER)
        return refuse(stored, path, NULL,
                      "it answers for all trials, without --where, --by, --rebin, --sensitivity, "
                      "--until and --decide");
    return GMC_OK;
}

static gmc_status choose_inputs(gmc_showing_surrogate *s, gmc_stored *stored)
{
    const gmc_store_plan *plan = s->plan;
    s->columns = calloc((size_t)plan->parameter_count + 1, sizeof *s->columns);
    s->samples = calloc((size_t)plan->parameter_count + 1, sizeof *s->samples);
    s->values = calloc((size_t)s->scenario->parameter_count + 1, sizeof *s->values);
    s->cases = calloc((size_t)plan->case_count, sizeof *s->cases);
    if (!s->columns || !s->samples || !s->values || !s->cases) return GMC_E_MEMORY;
    for (int i = 0; i < plan->parameter_count; i++)
        if (!plan->parameters[i].is_studied) s->columns[s->inputs++] = i;
    if (s->inputs == 0) return refuse(stored, s->args->input, NULL, "nothing is uncertain");
    uint64_t draws = stored->info->count / (uint64_t)plan->case_count + 1;
    for (int c = 0; c < plan->case_count; c++)
        GMC_TRY(make_room(s, draws, &s->cases[c]));
    return is_together(plan) ? make_room(s, draws, &s->together) : GMC_OK;
}

// ---- estimates --------------------------------------------------------------------------------

/// Number of the first fresh draw: no run gets there.
static const uint64_t FRESH_FIRST = (uint64_t)1 << 62;

static void draw_fresh(void *context, int64_t index, double *x)
{
    gmc_showing_surrogate *s = context;
    // a value that is not allowed makes an unsolved trial; the function may be asked all the same
    gmc_status status = gmc_perturb_values(s->scenario, s->fresh_case,
                                           FRESH_FIRST + (uint64_t)index, s->values, NULL);
    (void)status;
    gmc_perturb_samples(s->scenario, s->fresh_case, s->values, s->samples);
    for (int j = 0; j < s->inputs; j++) {
        double value = s->samples[s->columns[j]];
        x[j] = isfinite(value) ? value : 0;
    }
}

/// So many fresh draws that their chance adds a hundredth to what the trials leave.
static int64_t fresh_count(int64_t rows)
{
    enum { EACH = 100, MOST = 1000000 };
    return rows < MOST / EACH ? rows * EACH : MOST;
}

/// The trials' own interval.
static gmc_interval alone_of(const gmc_surrogate_case *of)
{
    if (of->is_range) return (gmc_interval){of->range.lowest.lower, of->range.highest.upper};
    return (gmc_interval){of->plain.lower, of->plain.upper};
}

static gmc_status estimate(gmc_showing_surrogate *s, int case_index, gmc_surrogate_case *of)
{
    s->fresh_case = case_index;
    gmc_surrogate_fresh fresh = {.count = fresh_count(of->count), .draw = draw_fresh, .context = s};
    gmc_interval alone = alone_of(of);
    for (int w = 0; w < WAYS; w++) {
        gmc_surrogate_rows rows = {
            .count = of->count, .inputs = s->inputs, .x = of->x, .y = of->y[w]};
        if (w > 0 && of->unknown == 0) {
            of->found[w] = of->found[0];
            continue;
        }
        GMC_TRY(gmc_surrogate_of(&rows, &fresh, alone, s->plan->level, &of->found[w]));
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
    GMC_TRY(choose_inputs(s, stored));
    GMC_TRY(gmc_result_trials(stored->result, take_in, s));
    if (s->of_draw != 0) s->together.count--; // the last draw is not whole
    for (int c = 0; c < s->plan->case_count; c++) {
        gmc_surrogate_case *of = &s->cases[c];
        of->plain = gmc_answer_case_estimate(&s->answer, c);
        of->is_range = gmc_answer_range_case(&s->answer, c, &of->range);
        GMC_TRY(estimate(s, c, of));
    }
    if (!is_together(s->plan)) return GMC_OK;
    s->together.plain = gmc_answer_total_estimate(&s->answer);
    s->together.is_range = gmc_answer_range_total(&s->answer, &s->together.range);
    return estimate(s, 0, &s->together);
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
    const gmc_surrogate_estimate *low = &of->found[AS_FAILURE], *high = &of->found[AS_SUCCESS];
    gmc_interval alone = alone_of(of);
    gmc_showing_success shown = {.p = {low->p, fmax(low->p, high->p)},
                                 .lower = low->interval.lower,
                                 .upper = fmax(low->interval.upper, high->interval.upper),
                                 .gain = of->unknown > 0 ? (double)NAN : low->gain};
    bool is_there = low->is_there && high->is_there;
    shown.is_useful = is_there && shown.upper - shown.lower < alone.upper - alone.lower;
    return shown;
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

static void print_useless(const char *name, const gmc_surrogate_case *of, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_terminal_print(out, "%s %s; ", name, alone_text(of, text));
    if (of->count < GMC_SURROGATE_LEAST)
        fprintf(out, "a surrogate needs %d trials\n", GMC_SURROGATE_LEAST);
    else
        fputs("a surrogate tells no more\n", out);
}

static void print_success(const gmc_showing_surrogate *s, const char *name,
                          const gmc_surrogate_case *of, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX], numbers[GMC_ESTIMATE_TEXT_MAX];
    gmc_showing_success shown = success_of(of);
    const char *rows = of == &s->together ? "draws" : "trials";
    if (!shown.is_useful) {
        print_useless(name, of, out);
        return;
    }
    gmc_estimate e = of->plain;
    e.p = shown.p[AS_SUCCESS];
    e.lower = shown.lower;
    e.upper = shown.upper;
    gmc_estimate_numbers(&e, numbers);
    if (of->unknown > 0)
        gmc_terminal_print(out, "%s between %.3g and %s", name, shown.p[AS_FAILURE], numbers);
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

static void print_words(const gmc_showing_surrogate *s, FILE *out)
{
    enum { CASES_SHOWN = 20 };
    const gmc_store_plan *plan = s->plan;
    if (is_together(plan)) print_success(s, "success", &s->together, out);
    for (int c = 0; c < plan->case_count && c < CASES_SHOWN; c++) {
        char name[64] = "success";
        if (plan->case_count > 1) snprintf(name, sizeof name, "case %d: success", c);
        print_success(s, name, &s->cases[c], out);
    }
    if (plan->case_count > CASES_SHOWN)
        fprintf(out, "... %d cases more: --json has all\n", plan->case_count - CASES_SHOWN);
    gmc_answer_measured_print(&s->answer, out);
    if (s->criteria) gmc_terminal_print(out, "judged anew: %s\n", s->args->success);
    if (plan->stop.kind != GMC_STOP_NEVER)
        fprintf(out, "the run could stop because of what it saw: intervals are of a run of this "
                     "length\n");
}

// ---- as JSON ----------------------------------------------------------------------------------

static void put_success(gmc_json *json, const char *name, const gmc_surrogate_case *of)
{
    gmc_showing_success shown = success_of(of);
    bool is_range = of->unknown > 0;
    gmc_interval alone = alone_of(of);
    double low = of->is_range ? of->range.lowest.unsolved_lower : of->plain.unsolved_lower;
    double high = of->is_range ? of->range.highest.unsolved_upper : of->plain.unsolved_upper;
    gmc_json_open(json, name, '{');
    gmc_json_whole(json, "n", (uint64_t)of->count);
    gmc_json_whole(json, "unknown", of->unknown);
    gmc_json_flag(json, "is_useful", shown.is_useful);
    double p = shown.is_useful ? shown.p[AS_FAILURE] : of->plain.p;
    gmc_json_real(json, "p", is_range ? (double)NAN : p);
    gmc_json_real(json, "p_lower", shown.is_useful ? shown.p[AS_FAILURE] : low);
    gmc_json_real(json, "p_upper", shown.is_useful ? shown.p[AS_SUCCESS] : high);
    gmc_json_real(json, "lower", shown.is_useful ? shown.lower : alone.lower);
    gmc_json_real(json, "upper", shown.is_useful ? shown.upper : alone.upper);
    gmc_json_real(json, "gain", shown.is_useful ? shown.gain : 1);
    if (of->is_range)
        gmc_answer_range_put(json, "plain", &of->range);
    else
        gmc_answer_put_estimate(json, "plain", &of->plain);
    gmc_json_close(json, '}');
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
    if (is_together(s->plan)) put_success(&json, "success", &s->together);
    if (s->plan->case_count == 1) put_success(&json, "success", &s->cases[0]);
    gmc_answer_measured_json(&s->answer, &json);
    gmc_json_open(&json, "cases", '[');
    for (int c = 0; c < s->plan->case_count; c++)
        put_success(&json, NULL, &s->cases[c]);
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

// ---- begin and end ----------------------------------------------------------------------------

static void free_rows(gmc_surrogate_case *of)
{
    free(of->x);
    for (int w = 0; w < WAYS; w++)
        free(of->y[w]);
}

gmc_status gmc_show_surrogate(const gmc_args *args, gmc_stored *stored, const gmc_store_plan *plan)
{
    gmc_showing_surrogate s = {.args = args, .plan = plan, .scenario = &stored->prepared.scenario};
    gmc_status status = collect(&s, stored);
    if (status == GMC_OK && args->json)
        print_json(&s, stdout);
    else if (status == GMC_OK)
        print_words(&s, stdout);
    for (int c = 0; s.cases && c < plan->case_count; c++)
        free_rows(&s.cases[c]);
    free_rows(&s.together);
    free(s.cases);
    free(s.columns);
    free(s.samples);
    free(s.values);
    gmc_answer_free(&s.answer);
    gmc_rescore_close(s.criteria);
    return status;
}
