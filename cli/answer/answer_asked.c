#include "cli/answer/answer_asked.h"

#include "cli/answer/answer_range.h"
#include "cli/answer/answer_stuck.h"
#include "cli/process/terminal.h"
#include "sampling/estimate/fixed_width.h"

#include <inttypes.h>

bool gmc_answer_asked_fits(const gmc_store_plan *plan, uint64_t first, const gmc_args *args,
                           const char *input)
{
    const char *why =
        args->stop.kind == GMC_STOP_SURROGATE
            ? "a run stops by a surrogate; trials that are there: show --surrogate"
        : args->where ? "a rule is put to all trials, --where picks some"
        : first > 0
            ? "whether to stop is a question to the whole run, and this is a part of it: merge"
        : gmc_store_plan_is_sparse(plan)
            ? "a ladder, a ranking or subset simulation decided itself which trials were run"
        : plan->weight_bound > 0    ? "weights of importance sampling hold for all trials together"
        : plan->interval_places > 0 ? "over an interval there is no one success"
        : plan->replicas > 0 || plan->block > 1
            ? "the draws of this design say something together only"
            : NULL;
    if (why)
        gmc_terminal_print(stderr, "graspmc %s: --until, --decide: %s: %s\n", args->command->name,
                           input, why);
    return !why;
}

gmc_status gmc_answer_asked_start(const gmc_store_plan *plan, gmc_stop_rule rule, uint64_t count,
                                  gmc_answer_asked *asked)
{
    uint64_t cases = (uint64_t)plan->case_count, draws = count / cases;
    *asked = (gmc_answer_asked){.draws = (int64_t)draws};
    return gmc_prefix_create(&asked->prefix, rule, draws * cases, plan->case_count, plan->level);
}

void gmc_answer_asked_free(gmc_answer_asked *asked) { gmc_prefix_free(&asked->prefix); }

gmc_status gmc_answer_asked_take(gmc_answer_asked *asked, const gmc_trial *judged, bool is_open)
{
    if (judged->trial >= asked->prefix.count) return GMC_OK;
    if (is_open && asked->prefix.verdict == GMC_STOP_UNDECIDED) asked->open++;
    return gmc_prefix_add(&asked->prefix, judged->trial, gmc_trial_verdict(judged->outcome));
}

gmc_stop_verdict gmc_answer_asked_verdict(const gmc_answer_asked *asked)
{
    const gmc_prefix *p = &asked->prefix;
    if (p->verdict != GMC_STOP_UNDECIDED) return p->verdict;
    return gmc_prefix_judge(p); // the last look
}

static gmc_estimate estimate_of(const gmc_answer_asked *asked)
{
    const gmc_anytime *a = &asked->prefix.anytime;
    gmc_stop_rule rule = asked->prefix.rule;
    if (gmc_fixed_width_is_used(rule, a->case_count, a->level))
        return gmc_fixed_width_estimate(a->tally, rule.threshold, a->level);
    gmc_interval interval = gmc_anytime_interval(a);
    gmc_estimate e = gmc_estimate_of(a->tally, a->level, GMC_METHOD_WILSON);
    e.method = GMC_METHOD_ANYTIME;
    e.lower = interval.lower;
    e.upper = interval.upper;
    e.sampling_lower = e.sampling_upper = 0; // it counts the unsolved in by itself
    e.draws = a->case_count > 1 ? a->draws : 0;
    return e;
}

/// Its interval holds whatever the open trials are; the share among the others says nothing.
static bool range_of(const gmc_answer_asked *asked, gmc_estimate_range *range)
{
    gmc_tally failed = asked->prefix.anytime.tally, succeeded = failed;
    failed.unsolved -= asked->open;
    failed.failures += asked->open;
    succeeded.unsolved -= asked->open;
    succeeded.successes += asked->open;
    gmc_estimate e = estimate_of(asked);
    range->open = asked->open;
    range->lowest = gmc_estimate_of(failed, e.level, GMC_METHOD_WILSON);
    range->highest = gmc_estimate_of(succeeded, e.level, GMC_METHOD_WILSON);
    range->lowest.method = range->highest.method = GMC_METHOD_ANYTIME;
    range->lowest.lower = e.lower;
    range->highest.upper = e.upper;
    return asked->open > 0;
}

void gmc_answer_asked_print(const gmc_answer *answer, FILE *out)
{
    const gmc_answer_asked *asked = answer->asked;
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_stop_verdict verdict = gmc_answer_asked_verdict(asked);
    gmc_estimate e = estimate_of(asked);
    gmc_answer_print_verdict(asked->prefix.rule, verdict, out);
    // what a filter or other criteria leave out is not for more draws to tell
    bool is_whole =
        !answer->where && !answer->rescore && answer->plan->count == answer->plan->total;
    if (verdict == GMC_STOP_UNDECIDED)
        fprintf(out, " after all %" PRId64 " draws", asked->draws);
    else
        fprintf(out, ", after %" PRId64 " of %" PRId64 " draws", asked->prefix.anytime.draws,
                asked->draws);
    if (verdict == GMC_STOP_UNDECIDED && is_whole)
        gmc_answer_stuck_print(answer, asked->prefix.rule, out);
    else
        fputc('\n', out);
    gmc_estimate_range range;
    bool is_range = range_of(asked, &range);
    gmc_terminal_print(out, "  then %s\n",
                       is_range ? gmc_estimate_range_text(&range, text)
                                : gmc_estimate_text(&e, text));
}

void gmc_answer_asked_json(const gmc_answer_asked *asked, gmc_json *json)
{
    static const char *const WORDS[] = {"undecided", "yes", "no"};
    char rule[GMC_STOP_TEXT_MAX];
    gmc_estimate e = estimate_of(asked);
    gmc_json_open(json, "asked", '{');
    gmc_json_text(json, "rule", gmc_stop_text(asked->prefix.rule, rule));
    gmc_json_text(json, "verdict", WORDS[gmc_answer_asked_verdict(asked)]);
    gmc_json_whole(json, "draws", (uint64_t)asked->prefix.anytime.draws);
    gmc_json_whole(json, "of", (uint64_t)asked->draws);
    gmc_estimate_range range;
    if (range_of(asked, &range))
        gmc_answer_range_put(json, "success", &range);
    else
        gmc_answer_put_estimate(json, "success", &e);
    gmc_json_close(json, '}');
}
