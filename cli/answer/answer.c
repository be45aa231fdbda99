// An answer as a whole: its trials go through all parts, which then speak, each in its order. Words
// and JSON have orders of their own: words begin with what was asked, and JSON with what every
// answer has.
#include "cli/answer/answer.h"

#include "cli/answer/surrogate_until.h"
#include "cli/process/terminal.h"
#include "sampling/store/method.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const gmc_answer_part by_surrogate, outcomes, unreachable, reasons, residual, studies,
    studies_ended;

#define PART(word) &gmc_answer_##word,
/// All of them, in the order of the JSON, in which they speak of a case, too.
static const gmc_answer_part *const PARTS[] = {
    &gmc_answer_success,    &gmc_answer_places,
    &by_surrogate,          &gmc_answer_measured,
    &gmc_answer_asked_rule, &gmc_answer_where,
    &gmc_answer_rescore,    &gmc_answer_range,
    &gmc_answer_rule,       &outcomes,
    &unreachable,           &reasons,
    &gmc_answer_overlaps,   GMC_STORE_METHODS(PART) & gmc_answer_early,
    &gmc_answer_step,       &gmc_answer_depths,
    &gmc_answer_energy,     &residual};

/// What the first lines say.
static const gmc_answer_part *const HEADLINES[] = {
    &gmc_answer_overlaps, &by_surrogate,      &gmc_answer_success, &gmc_answer_places,
    &gmc_answer_measured, &studies,           &gmc_answer_rule,    &gmc_answer_asked_rule,
    &gmc_answer_where,    &gmc_answer_rescore};

/// What stands below.
static const gmc_answer_part *const DETAILS[] = {
    &studies_ended, &gmc_answer_step,  &outcomes,          &unreachable,       &reasons,
    &studies,       &gmc_answer_early, &gmc_answer_depths, &gmc_answer_energy, &residual};

// --- collecting ---

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_answer *answer = context;
    if (trial->case_index >= (uint32_t)answer->plan->case_count) return GMC_E_INPUT;
    gmc_answer_trial taken = {.stored = trial, .judged = *trial, .truth = GMC_RESCORE_YES};
    gmc_decision cut_by = GMC_DECISION_END;
    if (answer->where) taken.truth = gmc_rescore_holds(answer->where, trial);
    if (answer->rescore) taken.judged.outcome = gmc_rescore_judge(answer->rescore, trial, &cut_by);
    taken.is_open = cut_by != GMC_DECISION_END;
    bool is_meant = taken.truth == GMC_RESCORE_YES;
    if (taken.is_open && is_meant) answer->not_known[cut_by]++;
    answer->seen++;
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->take) GMC_TRY(PARTS[i]->take(answer, &taken));
    if (is_meant)
        gmc_summary_add(&answer->summary, &taken.judged);
    else
        gmc_summary_pass(&answer->summary, &taken.judged);
    answer->trial_count += is_meant;
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

gmc_status gmc_answer_collect(gmc_result *result, const gmc_store_plan *plan,
                              const gmc_answer_how *how, const char *path, gmc_answer *answer)
{
    *answer = (gmc_answer){0};
    if (!gmc_answer_fits(gmc_result_about(result), plan)) return GMC_E_MISMATCH;
    *answer = (gmc_answer){.plan = plan,
                           .rescore = how->rescore,
                           .where = how->where,
                           .stored = gmc_result_about(result)->count,
                           .path = path};
    GMC_TRY(gmc_summary_create(plan, &answer->summary));
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->open) GMC_TRY(PARTS[i]->open(answer, how));
    answer->summary.is_other = how->rescore || how->where;
    GMC_TRY(gmc_result_trials(result, take_in, answer));
    GMC_TRY(gmc_summary_decide(&answer->summary));
    for (int i = 0; i < plan->histogram_count; i++)
        gmc_histogram_finish(&answer->summary.histograms[i]);
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->finish) GMC_TRY(PARTS[i]->finish(answer, how));
    return GMC_OK;
}

void gmc_answer_free(gmc_answer *answer)
{
    if (answer->plan) gmc_summary_free(&answer->summary);
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->free) PARTS[i]->free(answer);
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

/// Trials that ended so; those that are not known are none of them.
static uint64_t outcome_count(const gmc_answer *answer, int outcome)
{
    uint64_t open = outcome == GMC_OUTCOME_UNSOLVED ? gmc_answer_open_count(answer) : 0;
    return answer->summary.outcomes[outcome] - open;
}

bool gmc_answer_is_undecided(const gmc_answer *answer)
{
    return answer->trial_count > 0 && !answer->summary.method->is_of_cases &&
           outcome_count(answer, GMC_OUTCOME_UNSOLVED) == answer->trial_count;
}

// --- what a surrogate stopped the run by ---

/// Told of the scenario's own criteria and of all trials.
static gmc_status open_surrogate(gmc_answer *answer, const gmc_answer_how *how)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->stop.kind != GMC_STOP_SURROGATE || how->rescore || how->where || !how->prepared ||
        gmc_surrogate_until_refused(plan))
        return GMC_OK;
    answer->by_surrogate = calloc(1, sizeof *answer->by_surrogate);
    if (!answer->by_surrogate) return GMC_E_MEMORY;
    return gmc_surrogate_until_open(&how->prepared->scenario, plan, answer->by_surrogate);
}

static gmc_status take_surrogate(gmc_answer *answer, const gmc_answer_trial *trial)
{
    return answer->by_surrogate ? gmc_surrogate_until_take(answer->by_surrogate, trial->stored)
                                : GMC_OK;
}

static gmc_status ask_surrogate(gmc_answer *answer, const gmc_answer_how *how)
{
    (void)how;
    if (!answer->by_surrogate) return GMC_OK;
    gmc_stop_verdict verdict =
        gmc_surrogate_until_ask(answer->by_surrogate, (int64_t)answer->trial_count);
    (void)verdict; // it keeps it
    return answer->by_surrogate->status;
}

static void free_surrogate(gmc_answer *answer)
{
    if (answer->by_surrogate) gmc_surrogate_until_free(answer->by_surrogate);
    free(answer->by_surrogate);
    answer->by_surrogate = NULL;
}

/// Is the interval told that a surrogate stopped the run by? At the level of its looks alone.
static bool tells_surrogate(const gmc_answer *answer)
{
    return answer->by_surrogate && answer->plan->stop_level == answer->plan->level;
}

/// "success 0.708 [0.679, 0.737] 95 % surrogate, 201 draws, fixed-width sequential"
static void print_surrogate(const gmc_answer *answer, FILE *out)
{
    if (!tells_surrogate(answer)) return;
    const gmc_surrogate_told *told = &answer->by_surrogate->told;
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate e = {.p = told->p_upper, .lower = told->lower, .upper = told->upper};
    gmc_estimate_numbers(&e, text);
    fputs("success ", out);
    if (told->unknown > 0) fprintf(out, "between %.3g and ", told->p_lower);
    gmc_terminal_print(out, "%s %.6g %% %s, fixed-width sequential, %" PRId64 " draws", text,
                       100 * answer->plan->level, told->is_useful ? "surrogate" : "Clopper-Pearson",
                       told->draws);
    if (told->unknown > 0) fprintf(out, "; %" PRIu64 " without a verdict", told->unknown);
    fputs(told->is_useful ? "\n" : "; the surrogate does not narrow it\n", out);
}

static void put_surrogate(const gmc_answer *answer, gmc_json *json)
{
    if (!tells_surrogate(answer)) return;
    const gmc_surrogate_told *told = &answer->by_surrogate->told;
    gmc_json_open(json, "surrogate", '{');
    gmc_json_whole(json, "n", (uint64_t)told->draws);
    gmc_json_whole(json, "unknown", told->unknown);
    gmc_json_flag(json, "is_useful", told->is_useful);
    gmc_json_real(json, "p", told->unknown > 0 ? (double)NAN : told->p_lower);
    gmc_json_real(json, "p_lower", told->p_lower);
    gmc_json_real(json, "p_upper", told->p_upper);
    gmc_json_real(json, "lower", told->lower);
    gmc_json_real(json, "upper", told->upper);
    gmc_json_close(json, '}');
}

static const gmc_answer_part by_surrogate = {.open = open_surrogate,
                                             .take = take_surrogate,
                                             .finish = ask_surrogate,
                                             .free = free_surrogate,
                                             .headline = print_surrogate,
                                             .json = put_surrogate};

// --- success ---

void gmc_answer_put_tally(gmc_json *json, const gmc_tally *tally)
{
    gmc_json_whole(json, "successes", (uint64_t)tally->successes);
    gmc_json_whole(json, "failures", (uint64_t)tally->failures);
    gmc_json_whole(json, "unsolved", (uint64_t)tally->unsolved);
}
void gmc_answer_put_case(gmc_json *json, const gmc_store_plan *plan, int case_index)
{
    const gmc_store_case *of = &plan->cases[case_index];
    gmc_json_whole(json, "case", (uint64_t)case_index);
    gmc_json_text(json, "object", of->object);
    if (of->grasp) {
        gmc_json_text(json, "grasp", of->grasp);
        gmc_json_text(json, "file", of->grasp_file);
        gmc_json_whole(json, "row", (uint64_t)of->grasp_row);
        gmc_json_real(json, "confidence", of->grasp_confidence);
    }
    gmc_answer_put_chosen(json, plan, case_index);
}

void gmc_answer_put_estimate(gmc_json *json, const char *name, const gmc_estimate *e)
{
    gmc_json_open(json, name, '{');
    gmc_json_real(json, "p", e->p);
    gmc_json_real(json, "lower", e->lower);
    gmc_json_real(json, "upper", e->upper);
    gmc_interval alone = gmc_estimate_sampling(e);
    gmc_json_real(json, "sampling_lower", alone.lower);
    gmc_json_real(json, "sampling_upper", alone.upper);
    gmc_json_real(json, "level", e->level);
    gmc_json_text(json, "method", gmc_estimate_method_name(e->method));
    gmc_answer_put_tally(json, &e->tally);
    gmc_json_real(json, "unsolved_lower", e->unsolved_lower);
    gmc_json_real(json, "unsolved_upper", e->unsolved_upper);
    if (e->method == GMC_METHOD_WEIGHTED) gmc_json_real(json, "effective", e->effective);
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_json_text(json, "text", gmc_estimate_text(e, text));
    gmc_json_close(json, '}');
}

static void print_estimate(const gmc_estimate_range *range, const gmc_estimate *estimate, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_terminal_print(out, "%s",
                       range ? gmc_estimate_range_text(range, text)
                             : gmc_estimate_text(estimate, text));
}

static void print_success(const gmc_answer *answer, FILE *out)
{
    if (answer->summary.method->is_of_cases || answer->plan->interval_places > 0) return;
    gmc_estimate total = gmc_answer_headline(answer);
    gmc_estimate_range range;
    bool is_range = gmc_answer_range_total(answer, &range);
    fputs(tells_surrogate(answer) ? "  the trials alone: " : "success ", out);
    print_estimate(is_range ? &range : NULL, &total, out);
    fputc('\n', out);
}

static void put_success(const gmc_answer *answer, gmc_json *json)
{
    gmc_estimate total = gmc_answer_headline(answer);
    gmc_estimate_range range;
    if (answer->plan->interval_places > 0) return;
    if (gmc_answer_range_total(answer, &range))
        gmc_answer_put_range(json, "success", &range);
    else if (!answer->summary.method->is_of_cases)
        gmc_answer_put_estimate(json, "success", &total);
}

static void print_success_of_case(const gmc_answer *answer, int case_index, FILE *out)
{
    if (answer->plan->interval_places > 0) return;
    gmc_estimate estimate = gmc_answer_case_estimate(answer, case_index);
    gmc_estimate_range range;
    bool is_range = gmc_answer_range_case(answer, case_index, &range);
    print_estimate(is_range ? &range : NULL, &estimate, out);
}

static void put_success_of_case(const gmc_answer *answer, int case_index, gmc_json *json)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->interval_places > 0) return;
    bool is_all = plan->case_count == 1 && !answer->summary.method->is_of_cases;
    gmc_estimate estimate =
        is_all ? gmc_answer_headline(answer) : gmc_answer_case_estimate(answer, case_index);
    gmc_estimate_range range;
    if (gmc_answer_range_case(answer, case_index, &range))
        gmc_answer_put_range(json, "success", &range);
    else
        gmc_answer_put_estimate(json, "success", &estimate);
}

const gmc_answer_part gmc_answer_success = {.headline = print_success,
                                            .json = put_success,
                                            .of_case = print_success_of_case,
                                            .of_case_json = put_success_of_case};

// --- study methods, of which a plan has one at most ---

static const gmc_answer_part *const STUDIES[] = {GMC_STORE_METHODS(PART)};
#undef PART

static void print_study(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_COUNT(STUDIES); i++)
        if (STUDIES[i]->headline) STUDIES[i]->headline(answer, out);
}

static void print_study_ended(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_COUNT(STUDIES); i++)
        if (STUDIES[i]->ended) STUDIES[i]->ended(answer, out);
}

static void print_study_details(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_COUNT(STUDIES); i++)
        if (STUDIES[i]->details) STUDIES[i]->details(answer, out);
}

static const gmc_answer_part studies = {.headline = print_study, .details = print_study_details};
static const gmc_answer_part studies_ended = {.details = print_study_ended};

// --- how trials ended ---

/// Those of a ladder stand in its levels: one that moves nothing sees no success.
static void print_outcomes(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_OUTCOME_COUNT && !answer->plan->ladder; i++) {
        uint64_t count = outcome_count(answer, i);
        if (count == 0 && i != GMC_OUTCOME_UNSOLVED) continue;
        const char *name = gmc_outcome_name((gmc_outcome)i);
        int longer = (int)strlen(name) - 9; // the numbers stay below each other
        gmc_terminal_print(out, "  %-9s %*" PRIu64, name, longer > 0 ? 10 - longer : 10, count);
        if (count > 0) gmc_terminal_print(out, "   %s", gmc_outcome_about((gmc_outcome)i));
        fputc('\n', out);
    }
}

static void put_outcomes(const gmc_answer *answer, gmc_json *json)
{
    if (answer->plan->ladder) return;
    gmc_json_open(json, "outcomes", '{');
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++)
        gmc_json_whole(json, gmc_outcome_name((gmc_outcome)i), outcome_count(answer, i));
    gmc_json_close(json, '}');
}

static const gmc_answer_part outcomes = {.details = print_outcomes, .json = put_outcomes};

/// Of a level `geometric` that rejects there is no phase to tell.
static gmc_status take_unreachable(gmc_answer *answer, const gmc_answer_trial *taken)
{
    const gmc_trial *trial = taken->stored;
    size_t phases = (size_t)answer->plan->phase_count;
    if (taken->truth != GMC_RESCORE_YES || trial->outcome != GMC_OUTCOME_UNREACHABLE ||
        trial->reason == GMC_REASON_NO_WAY || trial->phase < 0 || (size_t)trial->phase >= phases)
        return GMC_OK;
    if (!answer->unreachable)
        answer->unreachable = calloc(phases * GMC_REASON_COUNT, sizeof *answer->unreachable);
    if (!answer->unreachable) return GMC_E_MEMORY;
    gmc_answer_unreachable *of =
        &answer->unreachable[trial->phase * GMC_REASON_COUNT + (int)trial->reason];
    if (of->trials++ == 0) of->first = trial->trial;
    return GMC_OK;
}

static void free_unreachable(gmc_answer *answer)
{
    free(answer->unreachable);
    answer->unreachable = NULL;
}

/// A file of an earlier version knows no reason.
static void print_unreachable(const gmc_answer *answer, FILE *out)
{
    int count = answer->unreachable ? answer->plan->phase_count * GMC_REASON_COUNT : 0;
    for (int i = 0; i < count; i++) {
        const gmc_answer_unreachable *of = &answer->unreachable[i];
        gmc_reason reason = (gmc_reason)(i % GMC_REASON_COUNT);
        if (of->trials == 0 || reason == GMC_REASON_NONE) continue;
        gmc_terminal_print(
            out, "    %-12s %5" PRIu64 "   phase %s: %s (first: trial %" PRIu64 ")\n",
            gmc_reason_name(reason), of->trials, answer->plan->phases[i / GMC_REASON_COUNT],
            gmc_reason_about(reason), of->first);
    }
}

static void put_unreachable(const gmc_answer *answer, gmc_json *json)
{
    int count = answer->unreachable ? answer->plan->phase_count * GMC_REASON_COUNT : 0;
    if (count == 0) return;
    gmc_json_open(json, "unreachable", '[');
    for (int i = 0; i < count; i++) {
        const gmc_answer_unreachable *of = &answer->unreachable[i];
        if (of->trials == 0) continue;
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "phase", answer->plan->phases[i / GMC_REASON_COUNT]);
        gmc_json_text(json, "reason", gmc_reason_name((gmc_reason)(i % GMC_REASON_COUNT)));
        gmc_json_whole(json, "trials", of->trials);
        gmc_json_whole(json, "first_trial", of->first);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static const gmc_answer_part unreachable = {.take = take_unreachable,
                                            .free = free_unreachable,
                                            .details = print_unreachable,
                                            .json = put_unreachable};

static gmc_status take_reason(gmc_answer *answer, const gmc_answer_trial *trial)
{
    gmc_reason reason = trial->stored->reason;
    bool is_meant = trial->stored->outcome != GMC_OUTCOME_UNREACHABLE;
    if (is_meant && trial->truth == GMC_RESCORE_YES && answer->reasons[reason]++ == 0)
        answer->first_of_reason[reason] = trial->stored->trial;
    return GMC_OK;
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
        if (r == GMC_REASON_DEEP_START) gmc_answer_overlaps.details(answer, out);
    }
}

static void put_reasons(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_open(json, "reasons", '{');
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        if (answer->reasons[r] > 0)
            gmc_json_whole(json, gmc_reason_name((gmc_reason)r), answer->reasons[r]);
    gmc_json_close(json, '}');
}

static const gmc_answer_part reasons = {
    .take = take_reason, .details = print_reasons, .json = put_reasons};

static gmc_status take_residual(gmc_answer *answer, const gmc_answer_trial *trial)
{
    double worst = trial->stored->values[GMC_COLUMN_MAX_RESIDUAL];
    if (trial->truth != GMC_RESCORE_YES || !(worst > answer->max_residual)) return GMC_OK;
    answer->max_residual = worst;
    answer->max_residual_trial = trial->stored->trial;
    return GMC_OK;
}

static void print_residual(const gmc_answer *answer, FILE *out)
{
    if (answer->max_residual > 0)
        fprintf(out, "worst residual %.2g in trial %" PRIu64 "\n", answer->max_residual,
                answer->max_residual_trial);
}

static void put_residual(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_real(json, "max_residual", answer->max_residual);
    gmc_json_whole(json, "max_residual_trial", answer->max_residual_trial);
}

static const gmc_answer_part residual = {
    .take = take_residual, .details = print_residual, .json = put_residual};

// --- all of it ---

void gmc_answer_print_estimate(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->instead && PARTS[i]->instead(answer, out)) return;
    for (int i = 0; i < GMC_COUNT(HEADLINES); i++)
        HEADLINES[i]->headline(answer, out);
}

static void print_details(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_COUNT(DETAILS); i++)
        DETAILS[i]->details(answer, out);
    gmc_terminal_print(out, "output %s\n", answer->path);
}
static void print_cases(const gmc_answer *answer, int limit, FILE *out)
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
        fprintf(out, "%6d", c);
        if (has_objects) gmc_terminal_print(out, "  %-12s", plan->cases[c].object);
        if (has_grasps) gmc_terminal_print(out, "  %-16s", plan->cases[c].grasp);
        for (int i = 0; i < plan->parameter_count; i++)
            if (gmc_answer_is_listed(&plan->parameters[i]))
                fprintf(out, "  %*.6g",
                        (int)(strlen(plan->parameters[i].name) + strlen(plan->parameters[i].unit)) +
                            3,
                        plan->cases[c].values[i]);
        fputs("  ", out);
        for (int i = 0; i < GMC_COUNT(PARTS); i++)
            if (PARTS[i]->of_case) PARTS[i]->of_case(answer, c, out);
        fputc('\n', out);
    }
    if (limit > 0 && plan->case_count > limit)
        gmc_terminal_print(out, "  ... %d cases more: graspmc show %s\n", plan->case_count - limit,
                           answer->path);
}

void gmc_answer_print(const gmc_answer *answer, int limit, FILE *out)
{
    gmc_answer_print_estimate(answer, out);
    print_details(answer, out);
    print_cases(answer, limit, out);
}

static void put_cases(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_open(json, "cases", '[');
    for (int c = 0; c < answer->plan->case_count; c++) {
        gmc_json_open(json, NULL, '{');
        gmc_answer_put_case(json, answer->plan, c);
        for (int i = 0; i < GMC_COUNT(PARTS); i++)
            if (PARTS[i]->of_case_json) PARTS[i]->of_case_json(answer, c, json);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

void gmc_answer_print_json(const gmc_answer *answer, bool with_details, FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", answer->path);
    gmc_json_whole(&json, "trials", answer->trial_count);
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->json) PARTS[i]->json(answer, &json);
    if (with_details) {
        put_cases(answer, &json);
        gmc_answer_histograms.json(answer, &json);
    }
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

gmc_status gmc_answer_file(const char *path, const gmc_store_plan *plan,
                           const gmc_prepared *prepared, const gmc_args *args,
                           gmc_diagnostics *messages, gmc_answer_end *end)
{
    enum { CASES_SHOWN = 20 };
    gmc_result *result = NULL;
    gmc_answer answer = {0};
    gmc_answer_how how = {.prepared = prepared};
    gmc_store_plan here = *plan;
    gmc_status status = gmc_result_open(path, messages, &result);
    // of a finished file, that is resumed, the rule says how many it has
    if (status == GMC_OK && plan->stop.kind != GMC_STOP_NEVER)
        here.count = gmc_result_about(result)->count;
    if (plan->stop.kind == GMC_STOP_NEVER) how.asked = args->stop;
    if (status == GMC_OK && args->success)
        status = gmc_answer_rescore_read(args->success, plan, path, messages, &how.rescore);
    if (status == GMC_OK) status = gmc_answer_collect(result, &here, &how, path, &answer);
    if (status == GMC_OK && args->json) {
        gmc_answer_print_json(&answer, false, stdout);
    } else if (status == GMC_OK && !args->quiet) {
        gmc_answer_print(&answer, CASES_SHOWN, stdout);
    } else if (status == GMC_OK) {
        gmc_answer_print_estimate(&answer, stdout);
        if (!args->no_warnings) {
            gmc_answer_depths.details(&answer, stderr);
            gmc_answer_energy.details(&answer, stderr);
        }
    }
    if (status == GMC_OK)
        *end = (gmc_answer_end){.verdict = gmc_answer_verdict(&answer),
                                .is_undecided = gmc_answer_is_undecided(&answer) ||
                                                gmc_answer_subset_refused(&answer)};
    gmc_answer_free(&answer);
    gmc_rescore_close(how.rescore);
    gmc_result_close(result);
    return status;
}
