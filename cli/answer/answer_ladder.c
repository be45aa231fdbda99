// What a ladder found.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <math.h>

static const char *level_name(const gmc_answer *answer, int level)
{
    return answer->plan->ladder->levels[level].name;
}

static void count_fates(const gmc_answer *answer, uint64_t counts[GMC_FATE_COUNT])
{
    for (int64_t c = 0; c < answer->plan->case_count; c++)
        counts[gmc_ladder_of_case(answer->summary.ladder, c).fate]++;
}

static void print_fates(const gmc_answer *answer, FILE *out)
{
    const gmc_ladder_plan *plan = &answer->plan->ladder->plan;
    uint64_t counts[GMC_FATE_COUNT] = {0};
    count_fates(answer, counts);
    fprintf(out, "designs %" PRId64 ":", plan->case_count);
    const char *comma = " ";
    for (int f = 0; f < GMC_FATE_COUNT; f++) {
        if (counts[f] == 0) continue;
        gmc_terminal_print(out, "%s%" PRIu64 " %s", comma, counts[f],
                           gmc_ladder_fate_name((gmc_fate)f));
        comma = ", ";
    }
    fprintf(out, "; up to %" PRIu64 " draws each in %d rounds from %" PRIu64 "\n", plan->last,
            gmc_ladder_rounds(plan), plan->first);
}

/// What the audit says of the trials that a level spared.
static void print_spared(const gmc_answer *answer, int level, FILE *out)
{
    gmc_ladder_level found = gmc_ladder_of_level(answer->summary.ladder, level);
    if (found.spared == 0) return;
    fprintf(out, "; spared %" PRIu64 ", ", found.spared);
    if (found.audited == 0) {
        fputs("none audited", out);
        return;
    }
    gmc_audit_estimate share = gmc_summary_spared(&answer->summary, level);
    if (isnan(share.p))
        fprintf(out, "would have succeeded [%.3g, %.3g]", share.interval.lower,
                share.interval.upper);
    else
        fprintf(out, "of which would have succeeded %.3g [%.3g, %.3g]", share.p,
                share.interval.lower, share.interval.upper);
    fprintf(out, " %.10g %% audit, %" PRIu64 " of %" PRIu64, 100 * answer->plan->level,
            found.audit_works, found.audited - found.audit_open);
    if (found.audit_open > 0) fprintf(out, ", %" PRIu64 " unsolved", found.audit_open);
}

/// A level that moves nothing has no successes: it says which trials can start.
static const char *ended_name(const gmc_answer *answer, int level, int outcome)
{
    bool is_start = answer->plan->ladder->levels[level].step_s == 0;
    return is_start && outcome == GMC_OUTCOME_SUCCESS ? "can_start"
                                                      : gmc_outcome_name((gmc_outcome)outcome);
}

/// How the trials of a level ended, the audit's included.
static void print_ended(const gmc_answer *answer, int level, FILE *out)
{
    const uint64_t *ended = answer->summary.ended[level];
    const char *before = "    ";
    for (int k = 0; k < GMC_OUTCOME_COUNT; k++) {
        if (ended[k] == 0) continue;
        gmc_terminal_print(out, "%s%s %" PRIu64, before, ended_name(answer, level, k), ended[k]);
        before = ", ";
    }
    uint64_t audited = 0;
    int count = answer->plan->ladder->plan.level_count;
    for (int i = 0; level == count - 1 && i < level; i++)
        audited += gmc_ladder_of_level(answer->summary.ladder, i).audited;
    if (audited > 0) fprintf(out, "; with %" PRIu64 " of the audit", audited);
    fputc('\n', out);
}

/// The headline: how many designs came to which end.
static bool print_instead(const gmc_answer *answer, FILE *out)
{
    if (!answer->plan->ladder) return false;
    print_fates(answer, out);
    return true;
}

/// What each level did and cost.
static void print_levels(const gmc_answer *answer, FILE *out)
{
    const gmc_store_ladder *ladder = answer->plan->ladder;
    if (!ladder) return;
    for (int i = 0; i < ladder->plan.level_count; i++) {
        gmc_ladder_level found = gmc_ladder_of_level(answer->summary.ladder, i);
        gmc_terminal_print(out, "  %-14s %8" PRIu64 " trials, %.0f steps, rejects %" PRIu64,
                           ladder->levels[i].name, found.trials, answer->summary.steps[i],
                           found.rejected);
        print_spared(answer, i, out);
        fputc('\n', out);
        print_ended(answer, i, out);
    }
}

/// "; rejected by rigid, trial 417", "; works"; with what an audit saw of it.
static void print_case(const gmc_answer *answer, int case_index, FILE *out)
{
    if (!answer->plan->ladder) return;
    gmc_ladder_case found = gmc_ladder_of_case(answer->summary.ladder, case_index);
    uint64_t known = found.audited - found.audit_open;
    gmc_terminal_print(out, "; %s", gmc_ladder_fate_name(found.fate));
    if (found.level >= 0) gmc_terminal_print(out, " by %.64s", level_name(answer, found.level));
    if (found.trial != GMC_LADDER_NO_TRIAL) fprintf(out, ", trial %" PRIu64, found.trial);
    if (known > 0)
        fprintf(out, ", audit: %" PRIu64 " of %" PRIu64 " succeed", found.audit_works, known);
    if (found.audit_open > 0)
        fprintf(out, "%s%" PRIu64 " unsolved", known > 0 ? ", " : ", audit: ", found.audit_open);
}

static void put_levels(const gmc_answer *answer, gmc_json *json)
{
    const gmc_store_ladder *ladder = answer->plan->ladder;
    if (!ladder) return;
    gmc_json_open(json, "ladder", '{');
    uint64_t counts[GMC_FATE_COUNT] = {0};
    count_fates(answer, counts);
    gmc_json_open(json, "designs", '{');
    for (int f = 0; f < GMC_FATE_COUNT; f++)
        gmc_json_whole(json, gmc_ladder_fate_name((gmc_fate)f), counts[f]);
    gmc_json_close(json, '}');
    gmc_json_text(json, "goal", ladder->plan.goal == GMC_GOAL_BEST ? "best" : "works");
    gmc_json_whole(json, "first", ladder->plan.first);
    gmc_json_whole(json, "last", ladder->plan.last);
    gmc_json_whole(json, "rounds", (uint64_t)gmc_ladder_rounds(&ladder->plan));
    gmc_json_real(json, "audit", ladder->plan.audit);
    gmc_json_open(json, "levels", '[');
    for (int i = 0; i < ladder->plan.level_count; i++) {
        const gmc_store_level *level = &ladder->levels[i];
        gmc_ladder_level found = gmc_ladder_of_level(answer->summary.ladder, i);
        gmc_audit_estimate spared = gmc_summary_spared(&answer->summary, i);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", level->name);
        gmc_json_text(json, "stepper", level->stepper);
        gmc_json_text(json, "motion", level->motion);
        gmc_json_real(json, "step_s", level->step_s);
        gmc_json_whole(json, "trials", found.trials);
        gmc_json_real(json, "steps", answer->summary.steps[i]);
        gmc_json_whole(json, "rejected", found.rejected);
        gmc_json_whole(json, "spared", found.spared);
        gmc_json_whole(json, "audited", found.audited);
        gmc_json_whole(json, "audit_works", found.audit_works);
        gmc_json_whole(json, "audit_open", found.audit_open);
        gmc_json_real(json, "p", spared.p);
        gmc_json_real(json, "lower", spared.interval.lower);
        gmc_json_real(json, "upper", spared.interval.upper);
        gmc_json_open(json, "outcomes", '{');
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            gmc_json_whole(json, ended_name(answer, i, k), answer->summary.ended[i][k]);
        gmc_json_close(json, '}');
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void put_case(const gmc_answer *answer, int case_index, gmc_json *json)
{
    if (!answer->plan->ladder) return;
    gmc_ladder_case found = gmc_ladder_of_case(answer->summary.ladder, case_index);
    gmc_json_text(json, "verdict", gmc_ladder_fate_name(found.fate));
    gmc_json_text(json, "rejected_by", found.level >= 0 ? level_name(answer, found.level) : NULL);
    if (found.trial != GMC_LADDER_NO_TRIAL) gmc_json_whole(json, "counterexample", found.trial);
    gmc_json_whole(json, "round", (uint64_t)found.round);
    gmc_json_whole(json, "draws", found.draws);
    gmc_json_whole(json, "audited", found.audited);
    gmc_json_whole(json, "audit_works", found.audit_works);
    gmc_json_whole(json, "audit_open", found.audit_open);
}

const gmc_answer_part gmc_answer_ladder = {.instead = print_instead,
                                           .ended = print_levels,
                                           .json = put_levels,
                                           .of_case = print_case,
                                           .of_case_json = put_case};
