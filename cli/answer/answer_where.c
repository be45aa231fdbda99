#include "cli/answer/answer_where.h"

#include "cli/answer/answer_rescore.h"
#include "cli/process/terminal.h"

#include <inttypes.h>

static gmc_status refuse(gmc_diagnostics *messages, const char *input, const char *hint,
                         const char *what)
{
    gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = input}, hint,
                        "--where: %s", what);
    return GMC_E_INPUT;
}

/// Why parts of such a run have no estimate of their own. @return NULL: they have
static const char *why_whole(const gmc_store_plan *plan, const char **hint)
{
    *hint = NULL;
    if (gmc_store_plan_is_sparse(plan)) {
        *hint = "run it without  ladder, rank, subset or two_level";
        return "a ladder, a ranking, subset simulation or a pilot chose its trials by what others "
               "showed";
    }
    if (plan->race) {
        *hint = "run the study without its rank";
        return "a ranking chose its trials by what others showed";
    }
    if (plan->weight_bound > 0) {
        *hint = "run without sampling.importance";
        return "the weights of importance sampling hold for all trials together";
    }
    if (plan->interval_places > 0) {
        *hint = "run with the number fixed, by --set";
        return "over an interval there is no one success, and its places stand for no law";
    }
    if (plan->stop.kind != GMC_STOP_NEVER && plan->case_count > 1) {
        *hint = "run without --until and --decide";
        return "the run could stop, and its interval holds for whole draws alone";
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

bool gmc_answer_where_take(gmc_answer *answer, const gmc_trial *judged)
{
    if (!answer->where) return true;
    gmc_rescore_truth truth = gmc_rescore_holds(answer->where, judged);
    if (truth == GMC_RESCORE_YES) {
        if (answer->trial_count < GMC_ANSWER_LISTED)
            answer->listed[answer->trial_count] = judged->trial;
        return true;
    }
    if (truth == GMC_RESCORE_OPEN)
        gmc_tally_add(&answer->where_open, gmc_trial_verdict(judged->outcome));
    gmc_summary_pass(&answer->summary, judged);
    return false;
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

static const char CHOSEN[] =
    "chosen by what was measured: a share of such trials, not what a grasp "
    "that is chosen beforehand would give";

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

void gmc_answer_where_print(const gmc_answer *answer, FILE *out)
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
            "not known of %" PRId64 " trials, cut short or unsolved: with them %.3f ... %.3f\n",
            open, b.lower, b.upper);
}

void gmc_answer_where_json(const gmc_answer *answer, gmc_json *json)
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
