// The ends come from whole summaries, so that every method of the plan has its range, in total, by
// case and by bin. Tried before: the share of the trials that are known, with its interval. They
// are a selected sample: of the demo under a slip of 20 mm it said 0.985 [0.977, 0.990] where the
// same draws run to the end say 0.771.
#include "cli/answer/answer_range.h"

#include "cli/answer/answer_internal.h"
#include "cli/answer/answer_rescore.h"

#include <math.h>

enum { LOWEST, HIGHEST };

gmc_status gmc_answer_range_create(gmc_answer *answer)
{
    answer->has_ends = answer->rescore || answer->where;
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++) {
        GMC_TRY(gmc_summary_create(answer->plan, &answer->ends[k]));
        gmc_summary_measured_drop(&answer->ends[k]); // the answer's own has open trials both ways
        answer->ends[k].is_other = true;             // no rule has seen these verdicts
    }
    return GMC_OK;
}

void gmc_answer_range_free(gmc_answer *answer)
{
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++)
        if (answer->ends[k].plan) gmc_summary_free(&answer->ends[k]);
}

void gmc_answer_range_take(gmc_answer *answer, const gmc_trial *judged, gmc_rescore_truth truth,
                           bool is_open)
{
    // of a trial that may be meant or not, each end takes what moves it its way
    bool may_be_meant = truth == GMC_RESCORE_OPEN;
    bool is_unknown = is_open || (may_be_meant && judged->outcome == GMC_OUTCOME_UNSOLVED);
    for (int k = 0; answer->has_ends && k < GMC_ANSWER_ENDS; k++) {
        gmc_trial as = *judged;
        if (is_unknown) as.outcome = k == LOWEST ? GMC_OUTCOME_MISSED : GMC_OUTCOME_SUCCESS;
        bool is_success = as.outcome == GMC_OUTCOME_SUCCESS;
        if (truth == GMC_RESCORE_YES || (may_be_meant && is_success == (k == HIGHEST)))
            gmc_summary_add(&answer->ends[k], &as);
        else
            gmc_summary_pass(&answer->ends[k], &as);
    }
}

gmc_status gmc_answer_range_finish(gmc_answer *answer)
{
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
        range->open =
            (int64_t)gmc_answer_rescore_open(answer) + gmc_tally_trials(answer->where_open);
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

void gmc_answer_range_put(gmc_json *json, const char *name, const gmc_estimate_range *range)
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
