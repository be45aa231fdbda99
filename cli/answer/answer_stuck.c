#include "cli/answer/answer_stuck.h"

#include "cli/answer/answer_internal.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CASES_SHOWN = 5 };

gmc_status gmc_answer_stuck_note(gmc_answer *answer, const gmc_trial *trial)
{
    if (trial->outcome != GMC_OUTCOME_UNSOLVED) return GMC_OK;
    size_t count = (size_t)answer->plan->case_count;
    if (!answer->case_reasons) answer->case_reasons = calloc(count, sizeof *answer->case_reasons);
    if (!answer->case_reasons) return GMC_E_MEMORY;
    answer->case_reasons[trial->case_index] |= UINT32_C(1) << trial->reason;
    return GMC_OK;
}

void gmc_answer_stuck_free(gmc_answer *answer)
{
    free(answer->case_reasons);
    answer->case_reasons = NULL;
}

/// All successes there are, and all there might be.
static gmc_interval left_open(gmc_tally t)
{
    double all = (double)gmc_tally_trials(t);
    if (all == 0) return (gmc_interval){.lower = 0, .upper = 1};
    return (gmc_interval){.lower = (double)t.successes / all,
                          .upper = (double)(t.successes + t.unsolved) / all};
}

static gmc_interval all_left_open(const gmc_answer *answer)
{
    gmc_tally all = {0};
    for (int c = 0; c < answer->plan->case_count; c++)
        gmc_tally_merge(&all, answer->summary.cases[c]);
    return left_open(all);
}

static bool is_never_solved(gmc_tally t)
{
    return t.unsolved > 0 && t.unsolved == gmc_tally_trials(t);
}

bool gmc_answer_stuck_holds(const gmc_answer *answer, gmc_stop_rule rule)
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
        out, " cannot be decided by more: all %" PRIu64 " of its trials are unsolved", count);
    for (int r = 1; r < GMC_REASON_COUNT; r++)
        if (answer->case_reasons && answer->case_reasons[c] >> r & 1U)
            gmc_terminal_print(out, ", %s (%s)", gmc_reason_name((gmc_reason)r),
                               gmc_reason_about((gmc_reason)r));
    fputc('\n', out);
}

/// Those that `is_meant` picks, the first few of them.
static void print_cases(const gmc_answer *answer,
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
    return is_never_solved(answer->summary.cases[c]);
}

void gmc_answer_stuck_print(const gmc_answer *answer, gmc_stop_rule rule, FILE *out)
{
    if (gmc_answer_is_undecided(answer)) {
        fputs("; all are unsolved, which more draws do not mend\n", out);
        return;
    }
    if (!gmc_answer_stuck_holds(answer, rule)) {
        fputs("; more (-n) may tell\n", out);
        return;
    }
    bool has_case = false;
    for (int c = 0; c < answer->plan->case_count; c++)
        has_case = has_case || is_case_never_solved(answer, c);
    gmc_interval open = all_left_open(answer);
    fprintf(out, "; more draws %s: unsolved trials alone leave %.3g ... %.3g open\n",
            has_case ? "cannot tell" : "will hardly tell", open.lower, open.upper);
    print_cases(answer, is_case_never_solved, out);
}

// --- rankings ---

/// Could the case change places with one of its group, if each had success as often as it is left
/// open? It could in any number of draws.
static bool is_case_stuck(const gmc_answer *answer, int c)
{
    const gmc_race *race = answer->summary.race;
    const gmc_race_plan *plan = gmc_race_about(race);
    gmc_race_case of = gmc_race_of_case(race, c);
    if (!of.is_open || !is_never_solved(of.tally)) return false;
    for (int64_t k = 0; k < plan->case_count; k++) {
        gmc_race_case other = gmc_race_of_case(race, k);
        bool is_rival = !plan->groups || plan->groups[k] == plan->groups[c];
        if (!is_rival || other.is_best == of.is_best) continue;
        gmc_interval high = left_open(of.is_best ? other.tally : of.tally);
        gmc_interval low = left_open(of.is_best ? of.tally : other.tally);
        if (high.upper > low.lower + plan->within) return true;
    }
    return false;
}

void gmc_answer_stuck_print_race(const gmc_answer *answer, FILE *out)
{
    if (gmc_race_ended(answer->summary.race) == GMC_RACE_REACHED) return;
    print_cases(answer, is_case_stuck, out);
}

// --- for programs ---

void gmc_answer_stuck_json(const gmc_answer *answer, gmc_stop_rule rule, gmc_json *json)
{
    if (!gmc_answer_stuck_holds(answer, rule)) return;
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
