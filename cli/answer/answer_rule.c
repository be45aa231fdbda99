// What a stopping rule says of the stored trials: the run's own, and one of --until or --decide
// that is put to a finished file.
#include "cli/answer/answer.h"
#include "cli/answer/surrogate_until.h"
#include "cli/process/terminal.h"
#include "sampling/campaign/prefix.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/store/method.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const WORDS[] = {"undecided", "yes", "no"}; // for programs, of gmc_stop_verdict

// --- what more draws cannot decide ---

// An unsolved trial may count either way, in whatever number: the
// share of them stays between what is known for success and for failure. A question whose answer
// lies in there stays open, and most often it is one case whose trials are all unsolved.

enum { CASES_SHOWN = 5 };

/// Remember why trials of a case are unsolved.
static gmc_status note_reason(gmc_answer *answer, const gmc_answer_trial *taken)
{
    const gmc_trial *trial = taken->stored;
    if (taken->truth != GMC_RESCORE_YES || trial->outcome != GMC_OUTCOME_UNSOLVED) return GMC_OK;
    size_t count = (size_t)answer->plan->case_count;
    if (!answer->case_reasons) answer->case_reasons = calloc(count, sizeof *answer->case_reasons);
    if (!answer->case_reasons) return GMC_E_MEMORY;
    answer->case_reasons[trial->case_index] |= UINT32_C(1) << trial->reason;
    return GMC_OK;
}

static void free_reasons(gmc_answer *answer)
{
    free(answer->case_reasons);
    answer->case_reasons = NULL;
}
static gmc_interval all_left_open(const gmc_answer *answer)
{
    gmc_tally all = {0};
    for (int c = 0; c < answer->plan->case_count; c++)
        gmc_tally_merge(&all, answer->summary.cases[c]);
    return gmc_answer_left_open(all);
}

/// Would the rule stay undecided if the trials that are there were all there are: with the interval
/// that unsolved ones alone leave open?
static bool is_stuck(const gmc_answer *answer, gmc_stop_rule rule)
{
    gmc_interval open = all_left_open(answer);
    return open.lower < open.upper && gmc_stop_judge(rule, open) == GMC_STOP_UNDECIDED;
}

/// "  case 2, top_3 of mug, cannot be decided: all 20 of its trials are unsolved, ..."
static void print_case(const gmc_answer *answer, int c, FILE *out)
{
    const gmc_store_case *of = &answer->plan->cases[c];
    uint64_t count = (uint64_t)gmc_tally_trials(answer->summary.cases[c]);
    gmc_terminal_print(out, "  case %d", c);
    if (of->grasp) gmc_terminal_print(out, ", %s of %s,", of->grasp, of->object);
    gmc_terminal_print(
        out, " cannot be decided by more draws: all %" PRIu64 " of its trials are unsolved", count);
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        if (answer->case_reasons && answer->case_reasons[c] >> r & 1U)
            gmc_terminal_print(out, ", %s (%s)", gmc_reason_name((gmc_reason)r),
                               gmc_reason_about((gmc_reason)r));
    fputc('\n', out);
}

void gmc_answer_print_stuck(const gmc_answer *answer,
                            bool (*is_meant)(const gmc_answer *answer, int case_index), FILE *out)
{
    int found = 0;
    for (int c = 0; c < answer->plan->case_count; c++)
        if (is_meant(answer, c) && found++ < CASES_SHOWN) print_case(answer, c, out);
    if (found > CASES_SHOWN)
        gmc_terminal_print(out, "  ... and %d cases more: graspmc show %s\n", found - CASES_SHOWN,
                           answer->path);
}

static bool is_case_never_solved(const gmc_answer *answer, int c)
{
    gmc_tally t = answer->summary.cases[c];
    return t.unsolved > 0 && t.unsolved == gmc_tally_trials(t);
}

/// Ends the line of an undecided rule: "; more draws (-n) may decide it", or that they cannot, and
/// a line for each case that is the reason.
static void print_open(const gmc_answer *answer, gmc_stop_rule rule, FILE *out)
{
    if (gmc_answer_is_undecided(answer)) {
        fputs("; all trials are unsolved: more draws would not help\n", out);
        return;
    }
    if (!is_stuck(answer, rule)) {
        fputs("; more draws (-n) may decide it\n", out);
        return;
    }
    bool has_case = false;
    for (int c = 0; c < answer->plan->case_count; c++)
        has_case = has_case || is_case_never_solved(answer, c);
    gmc_interval open = all_left_open(answer);
    fprintf(out, "; more draws %s it: unsolved trials alone leave success between %.3g and %.3g\n",
            has_case ? "cannot decide" : "will hardly decide", open.lower, open.upper);
    gmc_answer_print_stuck(answer, is_case_never_solved, out);
}

/// "stuck": {"lower", "upper", "cases": [...]}, if so.
static void put_stuck(const gmc_answer *answer, gmc_stop_rule rule, gmc_json *json)
{
    if (!is_stuck(answer, rule)) return;
    gmc_interval open = all_left_open(answer);
    gmc_json_open(json, "stuck", '{');
    gmc_json_real(json, "lower", open.lower);
    gmc_json_real(json, "upper", open.upper);
    gmc_json_open(json, "cases", '[');
    for (int c = 0; c < answer->plan->case_count; c++)
        if (is_case_never_solved(answer, c)) gmc_json_whole(json, NULL, (uint64_t)c);
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

// --- the run's own ---

static gmc_stop_verdict verdict_of_run(const gmc_answer *answer)
{
    const gmc_store_method *method = answer->summary.method;
    if (method->verdict) return method->verdict(&answer->summary);
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

/// "decided: success >= 0.9 is true", "reached: half_width<0.01", "undecided: ..."; no line end.
static void print_verdict(gmc_stop_rule rule, gmc_stop_verdict verdict, FILE *out)
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

static void print_rule(const gmc_answer *answer, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    if (plan->stop.kind == GMC_STOP_NEVER || answer->rescore || answer->where) return;
    gmc_stop_verdict verdict = verdict_of_run(answer);
    uint64_t cases = (uint64_t)plan->case_count;
    print_verdict(plan->stop, verdict, out);
    if (verdict == GMC_STOP_UNDECIDED && plan->count < plan->total)
        fprintf(out, " after the %" PRIu64 " draws of this file\n", plan->count / cases);
    else if (verdict == GMC_STOP_UNDECIDED) {
        fprintf(out, " after all %" PRIu64 " draws", plan->count / cases);
        print_open(answer, plan->stop, out);
    } else
        fprintf(out, ", after %" PRIu64 " of at most %" PRIu64 " draws\n", plan->count / cases,
                plan->total / cases);
    bool is_by_width = gmc_fixed_width_is_used(plan->stop, plan->case_count, plan->stop_level) ||
                       plan->stop.kind == GMC_STOP_SURROGATE;
    if (is_by_width && plan->stop_level != plan->level)
        fprintf(out,
                "  the run stopped by intervals of %.10g %%; at %.10g %% the confidence sequence "
                "is shown\n",
                100 * plan->stop_level, 100 * plan->level);
}

static void put_rule(const gmc_answer *answer, gmc_json *json)
{
    gmc_stop_rule stop = answer->plan->stop;
    if (stop.kind == GMC_STOP_NEVER || answer->rescore || answer->where) return;
    gmc_stop_verdict verdict = verdict_of_run(answer);
    char rule[GMC_STOP_TEXT_MAX];
    gmc_json_text(json, "stop_rule", gmc_stop_text(stop, rule));
    gmc_json_real(json, "stop_level", answer->plan->stop_level);
    gmc_json_text(json, "verdict", WORDS[verdict]);
    if (verdict == GMC_STOP_UNDECIDED) put_stuck(answer, stop, json);
}

const gmc_answer_part gmc_answer_rule = {
    .take = note_reason, .free = free_reasons, .headline = print_rule, .json = put_rule};

// --- one that is asked ---

// --until and --decide applied to a finished file (show, merge): where a run with that rule would
// have stopped, and what it would have known there. Trials are looked at from the first on, as
// `run` does, and with its interval (stop.h). Questions may be asked again and again, of any
// threshold: the confidence sequence holds for all of them together. A width of one case may not:
// each interval holds on its own.

bool gmc_answer_rule_fits(const gmc_store_plan *plan, uint64_t first, const gmc_args *args,
                          const char *input)
{
    const char *why =
        args->stop.kind == GMC_STOP_SURROGATE
            ? "`by surrogate` stops a run; for a finished file use show --surrogate"
        : args->where ? "the rule needs all trials, but --where picks some of them"
        : first > 0 ? "stopping is decided for the whole run, and this is a part of it: merge the "
                      "parts first"
        : gmc_store_plan_is_sparse(plan)
            ? "a ladder, a ranking or subset simulation decided itself which trials were run"
        : plan->weight_bound > 0
            ? "weights of importance sampling are valid for all trials together only"
        : plan->interval_places > 0
            ? "an input given as interval(...) has a range of success, not one"
        : plan->replicas > 0 || plan->block > 1
            ? "the draws of this design are only valid as a complete set"
            : NULL;
    if (why)
        gmc_terminal_print(stderr, "graspmc %s: --until, --decide: %s: %s\n", args->command->name,
                           input, why);
    return !why;
}

typedef struct gmc_answer_asked {
    gmc_prefix prefix;
    int64_t draws; ///< of the file
    int64_t open;  ///< trials up to the verdict that other criteria leave open
} gmc_answer_asked;

static gmc_status start_asked(gmc_answer *answer, const gmc_answer_how *how)
{
    const gmc_store_plan *plan = answer->plan;
    if (how->asked.kind == GMC_STOP_NEVER) return GMC_OK;
    gmc_answer_asked *asked = answer->asked = calloc(1, sizeof *asked);
    if (!asked) return GMC_E_MEMORY;
    uint64_t cases = (uint64_t)plan->case_count, draws = answer->stored / cases;
    asked->draws = (int64_t)draws;
    return gmc_prefix_create(&asked->prefix, how->asked, draws * cases, plan->case_count,
                             plan->level);
}

static void free_asked(gmc_answer *answer)
{
    if (answer->asked) gmc_prefix_free(&answer->asked->prefix);
    free(answer->asked);
    answer->asked = NULL;
}

/// Trials are looked at from the first on, as `run` does.
static gmc_status take_asked(gmc_answer *answer, const gmc_answer_trial *trial)
{
    gmc_answer_asked *asked = answer->asked;
    if (!asked || trial->stored->trial >= asked->prefix.count) return GMC_OK;
    if (trial->is_open && asked->prefix.verdict == GMC_STOP_UNDECIDED) asked->open++;
    return gmc_prefix_add(&asked->prefix, trial->stored->trial,
                          gmc_trial_verdict(trial->judged.outcome));
}

static gmc_stop_verdict verdict_of_asked(const gmc_answer_asked *asked)
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

/// "decided: success >= 0.9 is true, after 812 of 5000 draws: 0.934 [0.901, 0.958] ..."; undecided
/// ones with what would decide them.
static void print_asked(const gmc_answer *answer, FILE *out)
{
    const gmc_answer_asked *asked = answer->asked;
    if (!asked) return;
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_stop_verdict verdict = verdict_of_asked(asked);
    gmc_estimate e = estimate_of(asked);
    print_verdict(asked->prefix.rule, verdict, out);
    // what a filter or other criteria leave out is not for more draws to tell
    bool is_whole =
        !answer->where && !answer->rescore && answer->plan->count == answer->plan->total;
    if (verdict == GMC_STOP_UNDECIDED)
        fprintf(out, " after all %" PRId64 " draws", asked->draws);
    else
        fprintf(out, ", after %" PRId64 " of %" PRId64 " draws", asked->prefix.anytime.draws,
                asked->draws);
    if (verdict == GMC_STOP_UNDECIDED && is_whole)
        print_open(answer, asked->prefix.rule, out);
    else
        fputc('\n', out);
    gmc_estimate_range range;
    bool is_range = range_of(asked, &range);
    gmc_terminal_print(out, "  then %s\n",
                       is_range ? gmc_estimate_range_text(&range, text)
                                : gmc_estimate_text(&e, text));
}

static void put_asked(const gmc_answer *answer, gmc_json *json)
{
    const gmc_answer_asked *asked = answer->asked;
    if (!asked) return;
    char rule[GMC_STOP_TEXT_MAX];
    gmc_estimate e = estimate_of(asked);
    gmc_json_open(json, "asked", '{');
    gmc_json_text(json, "rule", gmc_stop_text(asked->prefix.rule, rule));
    gmc_json_text(json, "verdict", WORDS[verdict_of_asked(asked)]);
    gmc_json_whole(json, "draws", (uint64_t)asked->prefix.anytime.draws);
    gmc_json_whole(json, "of", (uint64_t)asked->draws);
    gmc_estimate_range range;
    if (range_of(asked, &range))
        gmc_answer_put_range(json, "success", &range);
    else
        gmc_answer_put_estimate(json, "success", &e);
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_asked_rule = {.open = start_asked,
                                               .take = take_asked,
                                               .free = free_asked,
                                               .headline = print_asked,
                                               .json = put_asked};

gmc_stop_verdict gmc_answer_verdict(const gmc_answer *answer)
{
    return answer->asked ? verdict_of_asked(answer->asked) : verdict_of_run(answer);
}
