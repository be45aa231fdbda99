#include "cli/answer/answer_asked.h"
#include "cli/answer/answer_checks.h"
#include "cli/answer/answer_internal.h"
#include "cli/answer/answer_intervals.h"
#include "cli/answer/answer_ladder.h"
#include "cli/answer/answer_measured.h"
#include "cli/answer/answer_overlaps.h"
#include "cli/answer/answer_race.h"
#include "cli/answer/answer_range.h"
#include "cli/answer/answer_rescore.h"
#include "cli/answer/answer_stuck.h"
#include "cli/answer/answer_subset.h"
#include "cli/answer/answer_weights.h"
#include "cli/answer/answer_where.h"
#include "cli/answer/surrogate_until.h"
#include "cli/process/terminal.h"
#include "sampling/estimate/fixed_width.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- collecting ---

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_answer *answer = context;
    if (trial->case_index >= (uint32_t)answer->plan->case_count) return GMC_E_INPUT;
    gmc_trial judged = *trial;
    gmc_rescore_truth truth =
        answer->where ? gmc_rescore_holds(answer->where, trial) : GMC_RESCORE_YES;
    gmc_decision cut_by = GMC_DECISION_END;
    if (answer->rescore) judged.outcome = gmc_rescore_judge(answer->rescore, trial, &cut_by);
    bool is_open = cut_by != GMC_DECISION_END;
    if (is_open && truth == GMC_RESCORE_YES) answer->not_known[cut_by]++;
    answer->seen++;
    if (answer->asked) GMC_TRY(gmc_answer_asked_take(answer->asked, &judged, is_open));
    if (answer->by_surrogate) GMC_TRY(gmc_surrogate_until_take(answer->by_surrogate, trial));
    gmc_answer_range_take(answer, &judged, truth, is_open);
    if (!gmc_answer_where_take(answer, &judged)) return GMC_OK;
    gmc_summary_add(&answer->summary, &judged);
    answer->trial_count++;
    if (answer->reasons[trial->reason]++ == 0)
        answer->first_of_reason[trial->reason] = trial->trial;
    GMC_TRY(gmc_answer_stuck_note(answer, trial));
    GMC_TRY(gmc_answer_overlaps_note(answer, trial));
    gmc_answer_checks_note(answer, trial);
    double residual = trial->values[GMC_COLUMN_MAX_RESIDUAL];
    if (residual > answer->max_residual) {
        answer->max_residual = residual;
        answer->max_residual_trial = trial->trial;
    }
    return GMC_OK;
}

bool gmc_answer_fits(const gmc_result_info *info, const gmc_store_plan *plan)
{
    if (info->column_count != plan->column_count) return false;
    for (int i = 0; i < plan->column_count; i++)
        if (strcmp(info->columns[i].name, plan->columns[i].name) != 0) return false;
    if (info->parameter_count != plan->parameter_count) return false;
    for (int i = 0; i < plan->parameter_count; i++)
        if (strcmp(info->parameters[i].name, plan->parameters[i].name) != 0) return false;
    return true;
}

/// What the run could stop by, told of the scenario's own criteria and of all trials.
static gmc_status open_surrogate(const gmc_answer_how *how, gmc_answer *answer)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->stop.kind != GMC_STOP_SURROGATE || how->rescore || how->where || !how->prepared ||
        gmc_surrogate_until_refused(plan))
        return GMC_OK;
    answer->by_surrogate = calloc(1, sizeof *answer->by_surrogate);
    if (!answer->by_surrogate) return GMC_E_MEMORY;
    return gmc_surrogate_until_open(&how->prepared->scenario, plan, answer->by_surrogate);
}

static gmc_status ask_surrogate(gmc_answer *answer)
{
    if (!answer->by_surrogate) return GMC_OK;
    gmc_stop_verdict verdict =
        gmc_surrogate_until_ask(answer->by_surrogate, (int64_t)answer->trial_count);
    (void)verdict; // it keeps it
    return answer->by_surrogate->status;
}

gmc_status gmc_answer_collect(gmc_result *result, const gmc_store_plan *plan,
                              const gmc_answer_how *how, const char *path, gmc_answer *answer)
{
    *answer = (gmc_answer){0};
    if (!gmc_answer_fits(gmc_result_about(result), plan)) return GMC_E_MISMATCH;
    *answer = (gmc_answer){.plan = plan,
                           .rescore = how->rescore,
                           .where = how->where,
                           .asked = how->asked,
                           .path = path};
    GMC_TRY(gmc_summary_create(plan, &answer->summary));
    GMC_TRY(gmc_answer_range_create(answer));
    GMC_TRY(open_surrogate(how, answer));
    answer->summary.is_other = how->rescore || how->where;
    GMC_TRY(gmc_result_trials(result, take_in, answer));
    GMC_TRY(gmc_summary_decide(&answer->summary));
    for (int i = 0; i < plan->histogram_count; i++)
        gmc_histogram_finish(&answer->summary.histograms[i]);
    GMC_TRY(gmc_answer_range_finish(answer));
    GMC_TRY(ask_surrogate(answer));
    return how->prepared ? gmc_answer_overlaps_look(answer, how->prepared) : GMC_OK;
}

void gmc_answer_free(gmc_answer *answer)
{
    if (answer->plan) gmc_summary_free(&answer->summary);
    gmc_answer_range_free(answer);
    gmc_answer_stuck_free(answer);
    if (answer->by_surrogate) gmc_surrogate_until_free(answer->by_surrogate);
    free(answer->by_surrogate);
    gmc_answer_overlaps_free(answer);
    *answer = (gmc_answer){0};
}

gmc_estimate gmc_answer_total_estimate(const gmc_answer *answer)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_summary_total(&answer->summary, methods[0]);
}

gmc_estimate gmc_answer_headline(const gmc_answer *answer)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_summary_headline(&answer->summary, methods[0]);
}

double gmc_answer_lower(const gmc_answer *answer)
{
    return answer->plan->interval_places > 0 ? gmc_answer_intervals_lower(answer)
                                             : gmc_answer_headline(answer).lower;
}

gmc_estimate gmc_answer_case_estimate(const gmc_answer *answer, int index)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_summary_case(&answer->summary, index, methods[0]);
}

gmc_estimate gmc_answer_bin_estimate(const gmc_answer *answer, const gmc_histogram *found, int bin)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_histogram_estimate(found, bin, answer->plan->level, methods[0]);
}

gmc_stop_verdict gmc_answer_verdict(const gmc_answer *answer)
{
    if (answer->summary.race)
        return gmc_race_ended(answer->summary.race) == GMC_RACE_REACHED ? GMC_STOP_YES
                                                                        : GMC_STOP_UNDECIDED;
    const gmc_store_plan *plan = answer->plan;
    gmc_estimate total = gmc_answer_total_estimate(answer);
    if (gmc_fixed_width_is_used(plan->stop, plan->case_count, plan->stop_level))
        return gmc_fixed_width_is_reached(total.tally, plan->stop.threshold, plan->stop_level)
                   ? GMC_STOP_YES
                   : GMC_STOP_UNDECIDED;
    if (plan->stop.kind == GMC_STOP_SURROGATE)
        return answer->by_surrogate ? answer->by_surrogate->verdict : GMC_STOP_UNDECIDED;
    return gmc_stop_judge(plan->stop, (gmc_interval){.lower = total.lower, .upper = total.upper});
}

bool gmc_answer_is_undecided(const gmc_answer *answer)
{
    const gmc_store_plan *plan = answer->plan;
    return answer->trial_count > 0 && !plan->ladder && !plan->race &&
           gmc_answer_outcome_count(answer, GMC_OUTCOME_UNSOLVED) == answer->trial_count;
}

// --- in words ---

void gmc_answer_print_verdict(gmc_stop_rule rule, gmc_stop_verdict verdict, FILE *out)
{
    static const char *const TRUTHS[] = {
        [GMC_STOP_UNDECIDED] = "", [GMC_STOP_YES] = " is true", [GMC_STOP_NO] = " is false"};
    bool is_width = gmc_stop_is_width(rule.kind);
    const char *word = verdict == GMC_STOP_UNDECIDED ? "undecided"
                       : is_width                    ? "reached"
                                                     : "decided";
    char text[GMC_STOP_TEXT_MAX];
    gmc_terminal_print(out, "%s: %s%s", word, gmc_stop_text(rule, text),
                       is_width ? "" : TRUTHS[verdict]);
}

static void print_verdict(const gmc_answer *answer, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->stop.kind == GMC_STOP_NEVER || answer->rescore || answer->where) return;
    gmc_stop_verdict verdict = gmc_answer_verdict(answer);
    uint64_t cases = (uint64_t)plan->case_count;
    gmc_answer_print_verdict(plan->stop, verdict, out);
    if (verdict == GMC_STOP_UNDECIDED && plan->count < plan->total)
        fprintf(out, " after the %" PRIu64 " draws that are here\n", plan->count / cases);
    else if (verdict == GMC_STOP_UNDECIDED) {
        fprintf(out, " after all %" PRIu64 " draws", plan->count / cases);
        gmc_answer_stuck_print(answer, plan->stop, out);
    } else
        fprintf(out, ", after %" PRIu64 " of at most %" PRIu64 " draws\n", plan->count / cases,
                plan->total / cases);
    bool is_by_width = gmc_fixed_width_is_used(plan->stop, plan->case_count, plan->stop_level) ||
                       plan->stop.kind == GMC_STOP_SURROGATE;
    if (is_by_width && plan->stop_level != plan->level)
        fprintf(out, "  the run looked at %.10g %% intervals; at %.10g %% the sequence holds\n",
                100 * plan->stop_level, 100 * plan->level);
}

bool gmc_answer_tells_surrogate(const gmc_answer *answer)
{
    return answer->by_surrogate && answer->plan->stop_level == answer->plan->level;
}

void gmc_answer_print_estimate(const gmc_answer *answer, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX];
    if (gmc_answer_race_part(answer, out)) return; // its cases are not those of all
    if (gmc_answer_ladder_headline(answer, out))
        return; // a share of what it asked for is of nothing
    gmc_estimate total = gmc_answer_headline(answer);
    gmc_answer_overlaps_print_why(answer, out);
    gmc_estimate_range range;
    bool is_range = gmc_answer_range_total(answer, &range);
    // a ranking's answer is its ranking: success over all its cases is nobody's question
    bool by_surrogate = gmc_answer_tells_surrogate(answer);
    if (by_surrogate) gmc_surrogate_until_print(&answer->by_surrogate->told, answer->plan, out);
    if (!answer->summary.race && !gmc_answer_intervals_print(answer, out))
        gmc_terminal_print(out, "%s %s\n", by_surrogate ? "  the trials alone:" : "success",
                           is_range ? gmc_estimate_range_text(&range, text)
                                    : gmc_estimate_text(&total, text));
    gmc_answer_measured_print(answer, out);
    gmc_answer_subset_failure(answer, out);
    print_verdict(answer, out);
    if (answer->asked) gmc_answer_asked_print(answer, out);
    gmc_answer_where_print(answer, out);
    gmc_answer_race_print(answer, out);
    gmc_answer_race_best(answer, out);
    gmc_answer_rescore_print(answer, out);
}

static void print_reasons(const gmc_answer *answer, FILE *out)
{
    uint64_t unsolved = 0;
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        unsolved += answer->reasons[r];
    if (answer->plan->ladder && unsolved > 0) // the last level's outcomes stand above
        fprintf(out, "  unsolved at any level %" PRIu64 "\n", unsolved);
    for (int r = 1; r < GMC_REASON_COUNT; r++) {
        if (answer->reasons[r] == 0) continue;
        gmc_terminal_print(out, "    %-11s %6" PRIu64 "   %s (first: trial %" PRIu64 ")\n",
                           gmc_reason_name((gmc_reason)r), answer->reasons[r],
                           gmc_reason_about((gmc_reason)r), answer->first_of_reason[r]);
        if (r == GMC_REASON_DEEP_START) gmc_answer_overlaps_print(answer, out);
    }
}

uint64_t gmc_answer_outcome_count(const gmc_answer *answer, int outcome)
{
    uint64_t open = outcome == GMC_OUTCOME_UNSOLVED ? gmc_answer_rescore_open(answer) : 0;
    return answer->summary.outcomes[outcome] - open;
}

static void print_ends(const gmc_answer *answer, FILE *out)
{
    if (answer->rescore || answer->where)
        gmc_answer_checks_print_untaken(answer, out);
    else
        gmc_answer_checks_print_parts(answer, out);
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++) {
        uint64_t count = gmc_answer_outcome_count(answer, i);
        if (count == 0 && i != GMC_OUTCOME_UNSOLVED) continue;
        gmc_terminal_print(out, "  %-9s %10" PRIu64, gmc_outcome_name((gmc_outcome)i), count);
        if (count > 0) gmc_terminal_print(out, "   %s", gmc_outcome_about((gmc_outcome)i));
        fputc('\n', out);
    }
}

void gmc_answer_print_outcomes(const gmc_answer *answer, FILE *out)
{
    // what a level says is of that level: one that moves nothing sees no success
    if (answer->plan->ladder)
        gmc_answer_ladder_print(answer, out);
    else
        print_ends(answer, out);
    print_reasons(answer, out);
    gmc_answer_weights_print(answer, out);
    gmc_answer_subset_print(answer, out);
    if (!answer->rescore && !answer->where) gmc_answer_checks_print(answer, out);
    gmc_answer_checks_print_depths(answer, out);
    gmc_answer_checks_print_energy(answer, out);
    if (answer->max_residual > 0)
        fprintf(out, "worst residual %.2g in trial %" PRIu64 "\n", answer->max_residual,
                answer->max_residual_trial);
    gmc_terminal_print(out, "output %s\n", answer->path);
}

bool gmc_answer_is_listed(const gmc_store_parameter *parameter)
{
    return parameter->is_studied &&
           strncmp(parameter->distribution, GMC_STORE_GRASPS, strlen(GMC_STORE_GRASPS)) != 0;
}

void gmc_answer_print_cases(const gmc_answer *answer, int limit, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->case_count < 2) return;
    bool has_objects = false;
    for (int c = 1; c < plan->case_count; c++)
        has_objects = has_objects || strcmp(plan->cases[c].object, plan->cases[0].object) != 0;

    bool has_grasps = plan->cases[0].grasp != NULL;
    gmc_terminal_print(out, "\n%6s", "case");
    if (has_objects) gmc_terminal_print(out, "  %-12s", "object");
    if (has_grasps) gmc_terminal_print(out, "  %-16s", "grasp");
    for (int i = 0; i < plan->parameter_count; i++)
        if (gmc_answer_is_listed(&plan->parameters[i]))
            gmc_terminal_print(out, "  %s [%s]", plan->parameters[i].name,
                               plan->parameters[i].unit);
    fprintf(out, "  success\n");
    for (int c = 0; c < plan->case_count && (limit == 0 || c < limit); c++) {
        char text[GMC_ESTIMATE_TEXT_MAX];
        gmc_estimate estimate = gmc_answer_case_estimate(answer, c);
        fprintf(out, "%6d", c);
        if (has_objects) gmc_terminal_print(out, "  %-12s", plan->cases[c].object);
        if (has_grasps) gmc_terminal_print(out, "  %-16s", plan->cases[c].grasp);
        for (int i = 0; i < plan->parameter_count; i++)
            if (gmc_answer_is_listed(&plan->parameters[i]))
                fprintf(out, "  %*.6g",
                        (int)(strlen(plan->parameters[i].name) + strlen(plan->parameters[i].unit)) +
                            3,
                        plan->cases[c].values[i]);
        gmc_estimate_range range;
        bool is_range = gmc_answer_range_case(answer, c, &range);
        fputs("  ", out);
        if (!gmc_answer_intervals_case(answer, c, out))
            gmc_terminal_print(out, "%s",
                               is_range ? gmc_estimate_range_text(&range, text)
                                        : gmc_estimate_text(&estimate, text));
        char verdict[GMC_ANSWER_LADDER_TEXT];
        if (plan->ladder)
            gmc_terminal_print(out, "; %s", gmc_answer_ladder_verdict(answer, c, verdict));
        if (answer->summary.race)
            gmc_terminal_print(out, "; %s", gmc_answer_race_verdict(answer, c, verdict));
        fputc('\n', out);
    }
    if (limit > 0 && plan->case_count > limit)
        gmc_terminal_print(out, "  ... %d cases more: graspmc show %s\n", plan->case_count - limit,
                           answer->path);
}

// --- of a file ---

gmc_status gmc_answer_file(const char *path, const gmc_store_plan *plan,
                           const gmc_prepared *prepared, const gmc_args *args,
                           gmc_diagnostics *messages, gmc_answer_end *end)
{
    enum { CASES_SHOWN = 20 };
    gmc_result *result = NULL;
    gmc_answer answer = {0};
    gmc_answer_asked asked = {0};
    gmc_answer_how how = {.prepared = prepared};
    gmc_store_plan here = *plan;
    gmc_status status = gmc_result_open(path, messages, &result);
    // of a finished file, that is resumed, the rule says how many it has
    if (status == GMC_OK && plan->stop.kind != GMC_STOP_NEVER)
        here.count = gmc_result_about(result)->count;
    if (status == GMC_OK && plan->stop.kind == GMC_STOP_NEVER &&
        args->stop.kind != GMC_STOP_NEVER) {
        how.asked = &asked;
        status = gmc_answer_asked_start(plan, args->stop, gmc_result_about(result)->count, &asked);
    }
    if (status == GMC_OK && args->success)
        status = gmc_answer_rescore_read(args->success, plan, path, messages, &how.rescore);
    if (status == GMC_OK) status = gmc_answer_collect(result, &here, &how, path, &answer);
    if (status == GMC_OK && args->json) {
        gmc_answer_print_json(&answer, false, stdout);
    } else if (status == GMC_OK) {
        gmc_answer_print_estimate(&answer, stdout);
        if (!args->quiet) {
            gmc_answer_print_outcomes(&answer, stdout);
            gmc_answer_print_cases(&answer, CASES_SHOWN, stdout);
        } else if (!args->no_warnings) {
            gmc_answer_checks_print_depths(&answer, stderr);
            gmc_answer_checks_print_energy(&answer, stderr);
        }
    }
    if (status == GMC_OK)
        *end = (gmc_answer_end){
            .verdict = how.asked ? gmc_answer_asked_verdict(&asked) : gmc_answer_verdict(&answer),
            .is_undecided = gmc_answer_is_undecided(&answer) || gmc_answer_subset_refused(&answer)};
    gmc_answer_asked_free(&asked);
    gmc_answer_free(&answer);
    gmc_rescore_close(how.rescore);
    gmc_result_close(result);
    return status;
}
