#include "cli/answer.h"

#include "cli/answer_asked.h"
#include "cli/answer_checks.h"
#include "cli/answer_ladder.h"
#include "cli/answer_race.h"
#include "cli/answer_rescore.h"
#include "cli/answer_subset.h"
#include "cli/answer_weights.h"
#include "cli/answer_where.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// --- collecting ---

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_answer *answer = context;
    if (trial->case_index >= (uint32_t)answer->plan->case_count) return GMC_E_INPUT;
    gmc_trial judged = *trial;
    bool is_meant = !answer->where || gmc_rescore_holds(answer->where, trial) == GMC_RESCORE_YES;
    if (answer->rescore) {
        gmc_decision cut_by;
        judged.outcome = gmc_rescore_judge(answer->rescore, trial, &cut_by);
        if (cut_by != GMC_DECISION_END && is_meant) answer->not_known[cut_by]++;
    }
    answer->seen++;
    if (answer->asked) gmc_answer_asked_take(answer->asked, &judged);
    if (!gmc_answer_where_take(answer, &judged)) return GMC_OK;
    gmc_summary_add(&answer->summary, &judged);
    answer->trial_count++;
    if (answer->reasons[trial->reason]++ == 0)
        answer->first_of_reason[trial->reason] = trial->trial;
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
                           .asked = how->asked,
                           .path = path};
    GMC_TRY(gmc_summary_create(plan, &answer->summary));
    GMC_TRY(gmc_result_trials(result, take_in, answer));
    GMC_TRY(gmc_summary_decide(&answer->summary));
    for (int i = 0; i < plan->histogram_count; i++)
        gmc_histogram_finish(&answer->summary.histograms[i]);
    return GMC_OK;
}

void gmc_answer_free(gmc_answer *answer)
{
    if (answer->plan) gmc_summary_free(&answer->summary);
    *answer = (gmc_answer){0};
}

static gmc_estimate total_estimate(const gmc_answer *answer)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_summary_total(&answer->summary, methods[0]);
}

static gmc_estimate case_estimate(const gmc_answer *answer, int index)
{
    gmc_method methods[2];
    gmc_summary_methods(answer->plan, methods);
    return gmc_summary_case(&answer->summary, index, methods[0]);
}

static gmc_estimate bin_estimate(const gmc_answer *answer, const gmc_histogram *found, int bin)
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
    gmc_estimate total = total_estimate(answer);
    return gmc_stop_judge(answer->plan->stop,
                          (gmc_interval){.lower = total.lower, .upper = total.upper});
}

// --- in words ---

static void print_verdict(const gmc_answer *answer, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->stop.kind == GMC_STOP_NEVER || answer->rescore || answer->where) return;
    char rule[GMC_STOP_TEXT_MAX];
    gmc_stop_text(plan->stop, rule);
    gmc_stop_verdict verdict = gmc_answer_verdict(answer);
    bool is_width = plan->stop.kind == GMC_STOP_HALF_WIDTH;
    uint64_t cases = (uint64_t)plan->case_count;
    if (verdict == GMC_STOP_UNDECIDED)
        fprintf(out, "undecided: %s after all %" PRIu64 " draws; more (-n) may tell\n", rule,
                plan->total / cases);
    else
        fprintf(out, "%s: %s%s, after %" PRIu64 " of at most %" PRIu64 " draws\n",
                is_width ? "reached" : "decided", rule,
                is_width                  ? ""
                : verdict == GMC_STOP_YES ? " is true"
                                          : " is false",
                plan->count / cases, plan->total / cases);
}

void gmc_answer_print_estimate(const gmc_answer *answer, FILE *out)
{
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate total = total_estimate(answer);
    fprintf(out, "success %s\n", gmc_estimate_text(&total, text));
    gmc_answer_subset_failure(answer, out);
    print_verdict(answer, out);
    if (answer->asked) gmc_answer_asked_print(answer->asked, out);
    gmc_answer_where_print(answer, out);
    gmc_answer_race_print(answer, out);
    gmc_answer_rescore_print(answer, out);
}

static void print_reasons(const gmc_answer *answer, FILE *out)
{
    for (int r = 1; r < GMC_REASON_COUNT; r++) {
        if (answer->reasons[r] == 0) continue;
        fprintf(out, "    %-11s %6" PRIu64 "   %s (first: trial %" PRIu64 ")\n",
                gmc_reason_name((gmc_reason)r), answer->reasons[r], gmc_reason_about((gmc_reason)r),
                answer->first_of_reason[r]);
    }
}

/// Trials that ended so; those that are not known are none of them.
static uint64_t outcome_count(const gmc_answer *answer, int outcome)
{
    uint64_t open = outcome == GMC_OUTCOME_UNSOLVED ? gmc_answer_rescore_open(answer) : 0;
    return answer->summary.outcomes[outcome] - open;
}

void gmc_answer_print_outcomes(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++) {
        uint64_t count = outcome_count(answer, i);
        if (count == 0 && i != GMC_OUTCOME_UNSOLVED) continue;
        fprintf(out, "  %-9s %10" PRIu64, gmc_outcome_name((gmc_outcome)i), count);
        if (count > 0) fprintf(out, "   %s", gmc_outcome_about((gmc_outcome)i));
        fputc('\n', out);
    }
    print_reasons(answer, out);
    gmc_answer_ladder_print(answer, out);
    gmc_answer_weights_print(answer, out);
    gmc_answer_subset_print(answer, out);
    if (!answer->rescore && !answer->where) gmc_answer_checks_print(answer, out);
    if (answer->max_residual > 0)
        fprintf(out, "worst residual %.2g in trial %" PRIu64 "\n", answer->max_residual,
                answer->max_residual_trial);
    fprintf(out, "output %s\n", answer->path);
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
    fprintf(out, "\n%6s", "case");
    if (has_objects) fprintf(out, "  %-12s", "object");
    if (has_grasps) fprintf(out, "  %-16s", "grasp");
    for (int i = 0; i < plan->parameter_count; i++)
        if (gmc_answer_is_listed(&plan->parameters[i]))
            fprintf(out, "  %s [%s]", plan->parameters[i].name, plan->parameters[i].unit);
    fprintf(out, "  success\n");
    for (int c = 0; c < plan->case_count && (limit == 0 || c < limit); c++) {
        char text[GMC_ESTIMATE_TEXT_MAX];
        gmc_estimate estimate = case_estimate(answer, c);
        fprintf(out, "%6d", c);
        if (has_objects) fprintf(out, "  %-12s", plan->cases[c].object);
        if (has_grasps) fprintf(out, "  %-16s", plan->cases[c].grasp);
        for (int i = 0; i < plan->parameter_count; i++)
            if (gmc_answer_is_listed(&plan->parameters[i]))
                fprintf(out, "  %*.6g",
                        (int)(strlen(plan->parameters[i].name) + strlen(plan->parameters[i].unit)) +
                            3,
                        plan->cases[c].values[i]);
        fprintf(out, "  %s", gmc_estimate_text(&estimate, text));
        char verdict[GMC_ANSWER_LADDER_TEXT];
        if (plan->ladder) fprintf(out, "; %s", gmc_answer_ladder_verdict(answer, c, verdict));
        if (plan->race) fprintf(out, "; %s", gmc_answer_race_verdict(answer, c, verdict));
        fputc('\n', out);
    }
    if (limit > 0 && plan->case_count > limit)
        fprintf(out, "  ... %d cases more: graspmc show %s\n", plan->case_count - limit,
                answer->path);
}

static const char *axis_name(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
{
    return h->is_measure ? plan->columns[h->index[k]].name : plan->parameters[h->index[k]].name;
}

static const char *axis_unit(const gmc_store_plan *plan, const gmc_store_histogram *h, int k)
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
        gmc_estimate estimate = bin_estimate(answer, found, i);
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
    fprintf(out, "  success in %%; down: %s, across: %s from %.4g to %.4g %s; . no trial\n",
            axis_name(plan, h, 0), axis_name(plan, h, 1), columns->edges[0],
            columns->edges[columns->bins], axis_unit(plan, h, 1));
    for (int i = 0; i < rows->bins; i++) {
        fprintf(out, "  %11.4g ... %-11.4g", rows->edges[i], rows->edges[i + 1]);
        for (int j = 0; j < columns->bins; j++) {
            gmc_estimate e = bin_estimate(answer, found, i * columns->bins + j);
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

void gmc_answer_print_histogram(const gmc_answer *answer, int index, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    fprintf(out, "\n%s %s [%s]", h->is_measure ? "trials by" : "success by", axis_name(plan, h, 0),
            axis_unit(plan, h, 0));
    if (h->dimensions > 1)
        fprintf(out, " and %s [%s]", axis_name(plan, h, 1), axis_unit(plan, h, 1));
    else if (!h->is_measure)
        fprintf(out, ", %.6g %% %s per bin", 100 * plan->level,
                plan->case_count > 1 && !plan->is_independent ? "over draws" : "Wilson");
    fputc('\n', out);
    if (h->dimensions > 1)
        print_map_histogram(answer, h, found, out);
    else
        print_line_histogram(answer, h, found, out);
}

// --- as JSON ---

void gmc_answer_put_estimate(gmc_json *json, const char *name, const gmc_estimate *e)
{
    gmc_json_open(json, name, '{');
    gmc_json_real(json, "p", e->p);
    gmc_json_real(json, "lower", e->lower);
    gmc_json_real(json, "upper", e->upper);
    gmc_json_real(json, "level", e->level);
    gmc_json_text(json, "method", gmc_estimate_method_name(e->method));
    gmc_json_whole(json, "successes", (uint64_t)e->tally.successes);
    gmc_json_whole(json, "failures", (uint64_t)e->tally.failures);
    gmc_json_whole(json, "unsolved", (uint64_t)e->tally.unsolved);
    gmc_json_real(json, "unsolved_lower", e->unsolved_lower);
    gmc_json_real(json, "unsolved_upper", e->unsolved_upper);
    if (e->method == GMC_METHOD_WEIGHTED) gmc_json_real(json, "effective", e->effective);
    gmc_json_close(json, '}');
}

static void put_cases(gmc_json *json, const gmc_answer *answer)
{
    const gmc_store_plan *plan = answer->plan;
    gmc_json_open(json, "cases", '[');
    for (int c = 0; c < plan->case_count; c++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)c);
        gmc_json_text(json, "object", plan->cases[c].object);
        if (plan->cases[c].grasp) {
            gmc_json_text(json, "grasp", plan->cases[c].grasp);
            gmc_json_text(json, "file", plan->cases[c].grasp_file);
            gmc_json_whole(json, "row", (uint64_t)plan->cases[c].grasp_row);
            gmc_json_real(json, "confidence", plan->cases[c].grasp_confidence);
        }
        for (int i = 0; i < plan->parameter_count; i++)
            if (plan->parameters[i].is_studied)
                gmc_json_real(json, plan->parameters[i].name, plan->cases[c].values[i]);
        gmc_estimate estimate = case_estimate(answer, c);
        gmc_answer_put_estimate(json, "success", &estimate);
        gmc_answer_ladder_case_json(answer, c, json);
        gmc_answer_race_case_json(answer, c, json);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_axes(gmc_json *json, const gmc_store_plan *plan, const gmc_store_histogram *h,
                     const gmc_histogram *found)
{
    gmc_json_open(json, "axes", '[');
    for (int k = 0; k < h->dimensions; k++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", axis_name(plan, h, k));
        gmc_json_text(json, "unit", axis_unit(plan, h, k));
        gmc_json_open(json, "edges", '[');
        for (int i = 0; i <= found->axis[k].bins; i++)
            gmc_json_real(json, NULL, found->axis[k].edges[i]);
        gmc_json_close(json, ']');
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
    put_axes(json, answer->plan, h, found);
    gmc_json_open(json, "bins", '[');
    for (int bin = 0; bin < found->bin_count; bin++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_open(json, "outcomes", '{');
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            gmc_json_whole(json, gmc_outcome_name((gmc_outcome)k),
                           (uint64_t)gmc_histogram_class(found, bin, k));
        gmc_json_close(json, '}');
        gmc_estimate estimate = bin_estimate(answer, found, bin);
        gmc_answer_put_estimate(json, "success", &estimate);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

void gmc_answer_print_json(const gmc_answer *answer, bool with_details, FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", answer->path);
    gmc_json_whole(&json, "trials", answer->trial_count);
    gmc_estimate total = total_estimate(answer);
    gmc_answer_put_estimate(&json, "success", &total);
    if (answer->asked) gmc_answer_asked_json(answer->asked, &json);
    gmc_answer_where_json(answer, &json);
    gmc_answer_rescore_json(answer, &json);
    if (answer->plan->stop.kind != GMC_STOP_NEVER && !answer->rescore && !answer->where) {
        static const char *const WORDS[] = {"undecided", "yes", "no"};
        char rule[GMC_STOP_TEXT_MAX];
        gmc_json_text(&json, "stop_rule", gmc_stop_text(answer->plan->stop, rule));
        gmc_json_text(&json, "verdict", WORDS[gmc_answer_verdict(answer)]);
    }
    gmc_json_open(&json, "outcomes", '{');
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++)
        gmc_json_whole(&json, gmc_outcome_name((gmc_outcome)i), outcome_count(answer, i));
    gmc_json_close(&json, '}');
    gmc_json_open(&json, "reasons", '{');
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        if (answer->reasons[r] > 0)
            gmc_json_whole(&json, gmc_reason_name((gmc_reason)r), answer->reasons[r]);
    gmc_json_close(&json, '}');
    gmc_answer_ladder_json(answer, &json);
    gmc_answer_weights_json(answer, &json);
    gmc_answer_race_json(answer, &json);
    gmc_answer_subset_json(answer, &json);
    if (!answer->rescore && !answer->where) gmc_answer_checks_json(answer, &json);
    gmc_json_real(&json, "max_residual", answer->max_residual);
    gmc_json_whole(&json, "max_residual_trial", answer->max_residual_trial);
    if (with_details) {
        put_cases(&json, answer);
        gmc_json_open(&json, "histograms", '[');
        for (int i = 0; i < answer->plan->histogram_count; i++)
            put_histogram(&json, answer, i);
        gmc_json_close(&json, ']');
    }
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

// --- of a file ---

gmc_status gmc_answer_file(const char *path, const gmc_store_plan *plan, const gmc_args *args,
                           gmc_diagnostics *messages, gmc_stop_verdict *verdict)
{
    enum { CASES_SHOWN = 20 };
    gmc_result *result = NULL;
    gmc_answer answer = {0};
    gmc_answer_asked asked = {0};
    gmc_answer_how how = {0};
    gmc_status status = gmc_result_open(path, messages, &result);
    if (status == GMC_OK && plan->stop.kind == GMC_STOP_NEVER &&
        args->stop.kind != GMC_STOP_NEVER) {
        how.asked = &asked;
        status = gmc_answer_asked_start(plan, args->stop, gmc_result_about(result)->count, &asked);
    }
    if (status == GMC_OK) status = gmc_answer_collect(result, plan, &how, path, &answer);
    if (status == GMC_OK && args->json) {
        gmc_answer_print_json(&answer, false, stdout);
    } else if (status == GMC_OK) {
        gmc_answer_print_estimate(&answer, stdout);
        if (!args->quiet) {
            gmc_answer_print_outcomes(&answer, stdout);
            gmc_answer_print_cases(&answer, CASES_SHOWN, stdout);
        }
    }
    if (status == GMC_OK && verdict)
        *verdict = how.asked ? gmc_answer_asked_verdict(&asked) : gmc_answer_verdict(&answer);
    gmc_answer_asked_free(&asked);
    gmc_answer_free(&answer);
    gmc_result_close(result);
    return status;
}
