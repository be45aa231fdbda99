// Answers to another question than the run's: under other criteria (--success), about a part of the
// trials (--where), and what these leave open, because trials were cut short before it could be
// known. Beside the summary of what is known stand two more, as if all open trials had failed, had
// succeeded.
//
// The ends come from whole summaries, so that every method of the plan has its range, in total, by
// case and by bin. Tried before: the share of the trials that are known, with its interval. They
// are a selected sample: of the demo under a slip of 20 mm it said 0.985 [0.977, 0.990] where the
// same draws run to the end say 0.771.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"
#include "sampling/store/method.h"

#include <inttypes.h>
#include <math.h>

// --- other criteria ---

uint64_t gmc_answer_open_count(const gmc_answer *answer)
{
    uint64_t sum = 0;
    for (int d = 0; d < GMC_DECISION_COUNT; d++)
        sum += answer->not_known[d];
    return sum;
}

/// The criteria; if trials are not known, how many, and how to know.
static void print_rescore(const gmc_answer *answer, FILE *out)
{
    if (!answer->rescore) return;
    gmc_terminal_print(out, "criteria %s\n", gmc_rescore_text(answer->rescore));
    uint64_t open = gmc_answer_open_count(answer);
    if (open == 0) return;
    fprintf(out, "open %" PRIu64 ": early verdicts cut them short", open);
    const char *comma = " (";
    for (int d = 0; d < GMC_DECISION_COUNT; d++) {
        if (answer->not_known[d] == 0) continue;
        gmc_terminal_print(out, "%s%" PRIu64 " %s", comma, answer->not_known[d],
                           gmc_decision_name((gmc_decision)d));
        comma = ", ";
    }
    gmc_terminal_print(out, "); graspmc run --complete %s --success '%s' runs these to the end\n",
                       answer->path, gmc_rescore_text(answer->rescore));
}

static void put_rescore(const gmc_answer *answer, gmc_json *json)
{
    if (!answer->rescore) return;
    gmc_json_text(json, "criteria", gmc_rescore_text(answer->rescore));
    gmc_json_open(json, "not_known", '{');
    gmc_json_whole(json, "trials", gmc_answer_open_count(answer));
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        gmc_json_whole(json, gmc_decision_name((gmc_decision)d), answer->not_known[d]);
    gmc_json_close(json, '}');
}

gmc_status gmc_answer_rescore_read(const char *text, const gmc_store_plan *plan, const char *input,
                                   gmc_diagnostics *messages, gmc_rescore **rescore)
{
    *rescore = NULL;
    if (plan->subset) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = input},
                            "run it with another margin",
                            "--success: subset simulation sampled where its own margin is small: "
                            "its trials cannot be judged by other criteria");
        return GMC_E_INPUT;
    }
    if (gmc_store_plan_is_sparse(plan)) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = input},
                            "run the study with these criteria in its scenario",
                            "--success: the %s chose the trials to run by the scenario's "
                            "criteria; by others it would have run others",
                            gmc_store_method_of(plan)->picker);
        return GMC_E_INPUT;
    }
    const gmc_rescore_names names = {.columns = plan->columns,
                                     .column_count = plan->column_count,
                                     .parameters = plan->parameters,
                                     .parameter_count = plan->parameter_count,
                                     .option = "--success",
                                     .is_verdict = true};
    return gmc_rescore_open_where(text, &names, messages, rescore);
}

const gmc_answer_part gmc_answer_rescore = {.headline = print_rescore, .json = put_rescore};

// --- a part of the trials ---

static gmc_status refuse(gmc_diagnostics *messages, const char *input, const char *hint,
                         const char *what)
{
    gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = input}, hint, "--where: %s",
                        what);
    return GMC_E_INPUT;
}

/// Why parts of such a run have no estimate of their own. @return NULL: they have
static const char *why_whole(const gmc_store_plan *plan, const char **hint)
{
    *hint = NULL;
    if (gmc_store_plan_is_sparse(plan)) {
        *hint = "run it without  ladder, rank, subset or two_level";
        return "a ladder, a ranking, subset simulation or a pilot chose its trials by the results "
               "of earlier ones";
    }
    if (plan->weight_bound > 0) {
        *hint = "run without sampling.importance";
        return "the weights of importance sampling are valid for all trials together only";
    }
    if (plan->interval_places > 0) {
        *hint = "run with the number fixed, by --set";
        return "an input given as interval(...) has no distribution, so a part of the trials has "
               "no success of its own";
    }
    if (plan->stop.kind != GMC_STOP_NEVER && plan->case_count > 1) {
        *hint = "run without --until and --decide";
        return "the run could stop early, and its interval is valid for whole draws only";
    }
    return NULL;
}

bool gmc_answer_where_fits(const gmc_store_plan *plan)
{
    const char *hint;
    return !why_whole(plan, &hint);
}

gmc_status gmc_answer_where_read(const char *text, const gmc_store_plan *plan, const char *input,
                                 gmc_diagnostics *messages, gmc_rescore **where)
{
    *where = NULL;
    const char *hint, *why = why_whole(plan, &hint);
    if (why) return refuse(messages, input, hint, why);
    const gmc_rescore_names names = {.columns = plan->columns,
                                     .column_count = plan->column_count,
                                     .parameters = plan->parameters,
                                     .parameter_count = plan->parameter_count,
                                     .cases = plan->cases,
                                     .case_count = plan->case_count,
                                     .option = "--where"};
    return gmc_rescore_open_where(text, &names, messages, where);
}

static gmc_status take_where(gmc_answer *answer, const gmc_answer_trial *trial)
{
    if (!answer->where) return GMC_OK;
    if (trial->truth == GMC_RESCORE_YES && answer->trial_count < GMC_ANSWER_LISTED)
        answer->listed[answer->trial_count] = trial->stored->trial;
    if (trial->truth == GMC_RESCORE_OPEN)
        gmc_tally_add(&answer->where_open, gmc_trial_verdict(trial->judged.outcome));
    return GMC_OK;
}

/// Where the share would lie had only the failures, only the successes of the open trials been
/// meant.
static gmc_interval bounds(const gmc_answer *answer)
{
    gmc_tally t = answer->summary.pooled.cluster.tally, open = answer->where_open;
    gmc_tally_merge(&t, answer->summary.pooled.current); // of the draw that came last
    double s = (double)t.successes, n = (double)gmc_tally_decided(t);
    double worst = n + (double)open.failures + (double)open.unsolved;
    double best = n + (double)open.successes + (double)open.unsolved;
    return (gmc_interval){worst > 0 ? s / worst : 0,
                          best > 0 ? (s + (double)open.successes + (double)open.unsolved) / best
                                   : 1};
}

static const char CHOSEN[] = "the condition uses measured values: a share of trials selected "
                             "afterwards, not the success of a grasp chosen beforehand";

static int listed_count(const gmc_answer *answer)
{
    uint64_t count = answer->trial_count;
    return count < GMC_ANSWER_LISTED ? (int)count : GMC_ANSWER_LISTED;
}

/// Which they are, if they are few.
static void print_list(const gmc_answer *answer, FILE *out)
{
    if (answer->trial_count == 0 || answer->trial_count > GMC_ANSWER_LISTED) return;
    fprintf(out, "trial%s", answer->trial_count > 1 ? "s" : "");
    for (int i = 0; i < listed_count(answer); i++)
        fprintf(out, " %" PRIu64, answer->listed[i]);
    fputc('\n', out);
}

/// "where slip < 1 mm: 58 of 1000 trials", which they are if they are few, and how far trials of
/// which it is not known could move the share.
static void print_where(const gmc_answer *answer, FILE *out)
{
    if (!answer->where) return;
    gmc_terminal_print(out, "where %s: %" PRIu64 " of %" PRIu64 " trials\n",
                       gmc_rescore_text(answer->where), answer->trial_count, answer->seen);
    print_list(answer, out);
    if (gmc_rescore_is_of_measures(answer->where)) gmc_terminal_print(out, "%s\n", CHOSEN);
    int64_t open = gmc_tally_trials(answer->where_open);
    if (open == 0) return;
    gmc_interval b = bounds(answer);
    fprintf(out,
            "%" PRId64
            " trials, cut short or unsolved, may meet the condition: with them %.3f ... %.3f\n",
            open, b.lower, b.upper);
}

static void put_where(const gmc_answer *answer, gmc_json *json)
{
    if (!answer->where) return;
    gmc_interval b = bounds(answer);
    gmc_json_open(json, "where", '{');
    gmc_json_text(json, "claim", gmc_rescore_text(answer->where));
    gmc_json_whole(json, "trials", answer->trial_count);
    gmc_json_whole(json, "of", answer->seen);
    gmc_json_open(json, "first", '[');
    for (int i = 0; i < listed_count(answer); i++)
        gmc_json_whole(json, NULL, answer->listed[i]);
    gmc_json_close(json, ']');
    gmc_json_flag(json, "by_measures", gmc_rescore_is_of_measures(answer->where));
    gmc_json_whole(json, "not_known", (uint64_t)gmc_tally_trials(answer->where_open));
    gmc_json_real(json, "not_known_lower", b.lower);
    gmc_json_real(json, "not_known_upper", b.upper);
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_where = {
    .take = take_where, .headline = print_where, .json = put_where};

// --- between which ends ---

enum { LOWEST, HIGHEST };

static gmc_status open_ends(gmc_answer *answer, const gmc_answer_how *how)
{
    (void)how;
    answer->has_ends = answer->rescore || answer->where;
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++) {
        GMC_TRY(gmc_summary_create(answer->plan, &answer->ends[k]));
        gmc_summary_measured_drop(&answer->ends[k]); // the answer's own has open trials both ways
        answer->ends[k].is_other = true;             // no rule has seen these verdicts
    }
    return GMC_OK;
}

static void free_ends(gmc_answer *answer)
{
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++)
        if (answer->ends[k].plan) gmc_summary_free(&answer->ends[k]);
}

static gmc_status take_ends(gmc_answer *answer, const gmc_answer_trial *trial)
{
    const gmc_trial *judged = &trial->judged;
    // of a trial that may be meant or not, each end takes what moves it its way
    bool may_be_meant = trial->truth == GMC_RESCORE_OPEN;
    bool is_unknown = trial->is_open || (may_be_meant && judged->outcome == GMC_OUTCOME_UNSOLVED);
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++) {
        gmc_trial as = *judged;
        if (is_unknown) as.outcome = k == LOWEST ? GMC_OUTCOME_MISSED : GMC_OUTCOME_SUCCESS;
        bool is_success = as.outcome == GMC_OUTCOME_SUCCESS;
        if (trial->truth == GMC_RESCORE_YES || (may_be_meant && is_success == (k == HIGHEST)))
            gmc_summary_add(&answer->ends[k], &as);
        else
            gmc_summary_pass(&answer->ends[k], &as);
    }
    return GMC_OK;
}

static gmc_status finish_ends(gmc_answer *answer, const gmc_answer_how *how)
{
    (void)how;
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++) {
        GMC_TRY(gmc_summary_decide(&answer->ends[k]));
        for (int i = 0; i < answer->plan->histogram_count; i++)
            gmc_histogram_finish(&answer->ends[k].histograms[i]);
    }
    return GMC_OK;
}

static gmc_method method_of(const gmc_answer *answer)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return methods[0];
}

/// Do the ends differ? `range` has them.
static bool differ(const gmc_answer *answer, gmc_estimate_range *range)
{
    gmc_estimate *low = &range->lowest, *high = &range->highest;
    range->open = high->tally.successes - low->tally.successes;
    bool is_same = range->open == 0 && high->tally.failures == low->tally.failures;
    if (is_same) return false;
    if (answer->where) range->open = 0; // more may be: who is meant is open too
    if (isnan(low->p)) low->p = 0;      // perhaps none is meant
    if (isnan(high->p)) high->p = 1;
    return true;
}

bool gmc_answer_range_total(const gmc_answer *answer, gmc_estimate_range *range)
{
    if (!answer->has_ends) return false;
    gmc_method method = method_of(answer);
    *range = (gmc_estimate_range){.lowest = gmc_summary_total(&answer->ends[LOWEST], method),
                                  .highest = gmc_summary_total(&answer->ends[HIGHEST], method)};
    if (!differ(answer, range)) return false;
    if (answer->where)
        range->open = (int64_t)gmc_answer_open_count(answer) + gmc_tally_trials(answer->where_open);
    return true;
}

bool gmc_answer_range_case(const gmc_answer *answer, int case_index, gmc_estimate_range *range)
{
    if (!answer->has_ends) return false;
    gmc_method method = method_of(answer);
    const gmc_summary *ends = answer->ends;
    *range = (gmc_estimate_range){.lowest = gmc_summary_case(&ends[LOWEST], case_index, method),
                                  .highest = gmc_summary_case(&ends[HIGHEST], case_index, method)};
    return differ(answer, range);
}

bool gmc_answer_range_bin(const gmc_answer *answer, int index, int bin, gmc_estimate_range *range)
{
    if (!answer->has_ends) return false;
    const gmc_summary *ends = answer->ends;
    *range = (gmc_estimate_range){
        .lowest = gmc_answer_bin_estimate(answer, &ends[LOWEST].histograms[index], bin),
        .highest = gmc_answer_bin_estimate(answer, &ends[HIGHEST].histograms[index], bin)};
    return differ(answer, range);
}

void gmc_answer_put_range(gmc_json *json, const char *name, const gmc_estimate_range *range)
{
    const gmc_estimate *low = &range->lowest, *high = &range->highest;
    gmc_json_open(json, name, '{');
    gmc_json_real(json, "lowest", low->p);
    gmc_json_real(json, "highest", high->p);
    gmc_json_real(json, "lower", low->lower);
    gmc_json_real(json, "upper", high->upper);
    gmc_json_real(json, "level", low->level);
    gmc_json_text(json, "method", gmc_estimate_method_name(low->method));
    const gmc_tally known = {.successes = low->tally.successes,
                             .failures = high->tally.failures,
                             .unsolved = low->tally.unsolved};
    gmc_answer_put_tally(json, &known);
    if (range->open > 0) gmc_json_whole(json, "open", (uint64_t)range->open);
    gmc_json_real(json, "unsolved_lower", low->unsolved_lower);
    gmc_json_real(json, "unsolved_upper", high->unsolved_upper);
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_json_text(json, "text", gmc_estimate_range_text(range, text));
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_range = {
    .open = open_ends, .take = take_ends, .finish = finish_ends, .free = free_ends};
