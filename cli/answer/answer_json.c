// An answer as one JSON object: the same numbers as in words, all digits of them.
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

void gmc_answer_put_tally(gmc_json *json, const gmc_tally *tally)
{
    gmc_json_whole(json, "successes", (uint64_t)tally->successes);
    gmc_json_whole(json, "failures", (uint64_t)tally->failures);
    gmc_json_whole(json, "unsolved", (uint64_t)tally->unsolved);
}

void gmc_answer_put_chosen(gmc_json *json, const gmc_store_plan *plan, int case_index)
{
    for (int i = 0; i < plan->parameter_count; i++)
        if (plan->parameters[i].is_studied)
            gmc_json_real(json, plan->parameters[i].name, plan->cases[case_index].values[i]);
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

static void put_cases(gmc_json *json, const gmc_answer *answer)
{
    const gmc_store_plan *plan = answer->plan;
    gmc_json_open(json, "cases", '[');
    for (int c = 0; c < plan->case_count; c++) {
        gmc_json_open(json, NULL, '{');
        gmc_answer_put_case(json, plan, c);
        bool is_all = plan->case_count == 1 && !plan->ladder && !plan->race;
        gmc_estimate estimate =
            is_all ? gmc_answer_headline(answer) : gmc_answer_case_estimate(answer, c);
        gmc_estimate_range range;
        bool is_between = gmc_answer_intervals_json(answer, c, json);
        if (!is_between && gmc_answer_range_case(answer, c, &range))
            gmc_answer_range_put(json, "success", &range);
        else if (!is_between)
            gmc_answer_put_estimate(json, "success", &estimate);
        gmc_answer_measured_case_json(answer, c, json);
        gmc_answer_ladder_case_json(answer, c, json);
        gmc_answer_race_case_json(answer, c, json);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

void gmc_answer_put_axes(gmc_json *json, const gmc_answer *answer, int index)
{
    const gmc_store_plan *plan = answer->plan;
    const gmc_store_histogram *h = &plan->histograms[index];
    const gmc_histogram *found = &answer->summary.histograms[index];
    gmc_json_open(json, "axes", '[');
    for (int k = 0; k < h->dimensions; k++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", gmc_answer_axis_name(plan, h, k));
        gmc_json_text(json, "unit", gmc_answer_axis_unit(plan, h, k));
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
            gmc_answer_range_put(json, "success", &range);
        else
            gmc_answer_put_estimate(json, "success", &estimate);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

/// Those of a ladder stand in its levels.
static void put_outcomes(gmc_json *json, const gmc_answer *answer)
{
    gmc_json_open(json, "outcomes", '{');
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++)
        gmc_json_whole(json, gmc_outcome_name((gmc_outcome)i), gmc_answer_outcome_count(answer, i));
    gmc_json_close(json, '}');
}

void gmc_answer_put_success(const gmc_answer *answer, gmc_json *json)
{
    gmc_estimate total = gmc_answer_headline(answer);
    gmc_estimate_range range;
    if (gmc_answer_intervals_json(answer, -1, json)) return;
    if (gmc_answer_range_total(answer, &range))
        gmc_answer_range_put(json, "success", &range);
    else if (!answer->plan->ladder && !answer->plan->race)
        gmc_answer_put_estimate(json, "success", &total);
}

void gmc_answer_print_json(const gmc_answer *answer, bool with_details, FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", answer->path);
    gmc_json_whole(&json, "trials", answer->trial_count);
    gmc_answer_put_success(answer, &json);
    if (gmc_answer_tells_surrogate(answer))
        gmc_surrogate_until_json(&answer->by_surrogate->told, &json);
    gmc_answer_measured_json(answer, &json);
    if (answer->asked) gmc_answer_asked_json(answer->asked, &json);
    gmc_answer_where_json(answer, &json);
    gmc_answer_rescore_json(answer, &json);
    if (answer->plan->stop.kind != GMC_STOP_NEVER && !answer->rescore && !answer->where) {
        static const char *const WORDS[] = {"undecided", "yes", "no"};
        char rule[GMC_STOP_TEXT_MAX];
        gmc_json_text(&json, "stop_rule", gmc_stop_text(answer->plan->stop, rule));
        gmc_json_real(&json, "stop_level", answer->plan->stop_level);
        gmc_json_text(&json, "verdict", WORDS[gmc_answer_verdict(answer)]);
        if (gmc_answer_verdict(answer) == GMC_STOP_UNDECIDED)
            gmc_answer_stuck_json(answer, answer->plan->stop, &json);
    }
    if (!answer->plan->ladder) put_outcomes(&json, answer);
    gmc_json_open(&json, "reasons", '{');
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        if (answer->reasons[r] > 0)
            gmc_json_whole(&json, gmc_reason_name((gmc_reason)r), answer->reasons[r]);
    gmc_json_close(&json, '}');
    gmc_answer_overlaps_json(answer, &json);
    gmc_answer_ladder_json(answer, &json);
    gmc_answer_weights_json(answer, &json);
    gmc_answer_race_json(answer, &json);
    gmc_answer_subset_json(answer, &json);
    if (answer->rescore || answer->where)
        gmc_answer_checks_json_untaken(answer, &json);
    else
        gmc_answer_checks_json(answer, &json);
    gmc_answer_checks_json_depths(answer, &json);
    gmc_answer_checks_json_energy(answer, &json);
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
