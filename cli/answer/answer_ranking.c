// What a ranking found.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <inttypes.h>

static int64_t count_open(const gmc_ranking *ranking)
{
    int64_t open = 0;
    for (int64_t c = 0; c < gmc_ranking_about(ranking)->case_count; c++)
        open += gmc_ranking_of_case(ranking, c).is_open;
    return open;
}

static void print_end(const gmc_ranking *ranking, FILE *out)
{
    switch (gmc_ranking_ended(ranking)) {
    case GMC_RANKING_BUDGET:
        fprintf(out, ": the budget is used up, %" PRId64 " cases are open\n", count_open(ranking));
        return;
    case GMC_RANKING_DRAWS:
        fprintf(out, ": %" PRId64 " cases are open, with all of their draws: raise study.draws\n",
                count_open(ranking));
        return;
    case GMC_RANKING_OPEN:
        fprintf(out, ": %" PRId64 " cases are open\n", count_open(ranking));
        return;
    case GMC_RANKING_REACHED:
    case GMC_RANKING_END_COUNT:
        break;
    }
    fputc('\n', out);
}

/// What is to be run before anybody knows more.
static void print_next(const gmc_answer *answer, FILE *out)
{
    gmc_ranking_round open = gmc_ranking_open(answer->summary.ranking);
    if (open.count == 0) return;
    gmc_terminal_print(out,
                       "round %d is next, %" PRIu64
                       " trials: graspmc run SCENARIO --after %s --shard I/N, "
                       "then graspmc merge %s and the parts\n",
                       open.round, open.count, answer->path, answer->path);
}

/// Of a part of a round: what it is.
static bool print_part(const gmc_answer *answer, FILE *out)
{
    const gmc_store_plan *plan = answer->plan;
    if (!gmc_store_plan_is_part(plan)) return false;
    gmc_terminal_print(
        out,
        "a part of round %" PRIu64 " of a ranking, %" PRIu64 " trial%s: graspmc merge puts all "
        "parts together\n",
        plan->round.number, answer->trial_count, answer->trial_count == 1 ? "" : "s");
    return true;
}

/// Could the case change places with one of its group, if each had success as often as it is left
/// open? It could in any number of draws.
static bool is_case_stuck(const gmc_answer *answer, int c)
{
    const gmc_ranking *ranking = answer->summary.ranking;
    const gmc_ranking_plan *plan = gmc_ranking_about(ranking);
    gmc_ranking_case of = gmc_ranking_of_case(ranking, c);
    if (!of.is_open || of.tally.unsolved == 0 || of.tally.unsolved < gmc_tally_trials(of.tally))
        return false;
    for (int64_t k = 0; k < plan->case_count; k++) {
        gmc_ranking_case other = gmc_ranking_of_case(ranking, k);
        bool is_rival = !plan->groups || plan->groups[k] == plan->groups[c];
        if (!is_rival || other.is_best == of.is_best) continue;
        gmc_interval high = gmc_answer_left_open(of.is_best ? other.tally : of.tally);
        gmc_interval low = gmc_answer_left_open(of.is_best ? of.tally : other.tally);
        if (high.upper > low.lower + plan->within) return true;
    }
    return false;
}

void gmc_answer_ranking_print(const gmc_answer *answer, FILE *out)
{
    const gmc_ranking *ranking = answer->summary.ranking;
    if (!ranking) return;
    const gmc_ranking_plan *plan = gmc_ranking_about(ranking);
    gmc_ranking_round open = gmc_ranking_open(ranking);
    int rounds = gmc_ranking_rounds(ranking) - (open.count > 0);
    gmc_terminal_print(
        out,
        "%s: the best %" PRId64 " of %" PRId64 " cases%s within %.10g at %.10g %%, after "
        "%" PRIu64 " of at most %" PRIu64 " trials in %d round%s",
        gmc_ranking_ended(ranking) == GMC_RANKING_REACHED ? "reached" : "undecided", plan->best,
        plan->case_count, plan->group_count > 1 ? ", of each object," : "", plan->within,
        100 * plan->level, gmc_ranking_trials(ranking) - open.count, plan->budget, rounds,
        rounds == 1 ? "" : "s");
    print_end(ranking, out);
    if (gmc_ranking_ended(ranking) != GMC_RANKING_REACHED)
        gmc_answer_print_stuck(answer, is_case_stuck, out);
    print_next(answer, out);
}

/// Which the best are, and the command that puts all in order.
static void print_best(const gmc_answer *answer, FILE *out)
{
    enum { SHOWN = 20 };
    const gmc_ranking *ranking = answer->summary.ranking;
    if (!ranking) return;
    fputs("best cases", out);
    int shown = 0;
    for (int64_t c = 0; c < gmc_ranking_about(ranking)->case_count; c++) {
        if (!gmc_ranking_of_case(ranking, c).is_best) continue;
        if (shown++ < SHOWN) fprintf(out, " %" PRId64, c);
    }
    gmc_terminal_print(out, "%s: graspmc rank %s\n", shown > SHOWN ? " ..." : "", answer->path);
}

char *gmc_answer_ranking_verdict(const gmc_answer *answer, int case_index, char *text)
{
    gmc_ranking_case found = gmc_ranking_of_case(answer->summary.ranking, case_index);
    if (found.is_best)
        snprintf(text, GMC_ANSWER_RANKING_TEXT, "best%s", found.is_open ? ", open" : "");
    else if (found.is_open)
        snprintf(text, GMC_ANSWER_RANKING_TEXT, "open");
    else
        snprintf(text, GMC_ANSWER_RANKING_TEXT, "out after round %d", found.round);
    return text;
}

static void put_rank(const gmc_answer *answer, gmc_json *json)
{
    if (gmc_store_plan_is_part(answer->plan))
        gmc_json_whole(json, "round", answer->plan->round.number);
    const gmc_ranking *ranking = answer->summary.ranking;
    if (!ranking) return;
    const gmc_ranking_plan *plan = gmc_ranking_about(ranking);
    gmc_json_open(json, "rank", '{');
    gmc_json_whole(json, "best", (uint64_t)plan->best);
    gmc_json_real(json, "within", plan->within);
    gmc_json_real(json, "level", plan->level);
    gmc_json_whole(json, "budget", plan->budget);
    gmc_json_whole(json, "groups", (uint64_t)plan->group_count);
    gmc_json_text(json, "end", gmc_ranking_end_name(gmc_ranking_ended(ranking)));
    gmc_ranking_round open = gmc_ranking_open(ranking);
    gmc_json_whole(json, "rounds", (uint64_t)(gmc_ranking_rounds(ranking) - (open.count > 0)));
    gmc_json_whole(json, "trials", gmc_ranking_trials(ranking) - open.count);
    if (open.count > 0) gmc_json_whole(json, "next_trials", open.count);
    gmc_json_open(json, "cases", '[');
    for (int64_t c = 0; c < plan->case_count; c++)
        if (gmc_ranking_of_case(ranking, c).is_best) gmc_json_whole(json, NULL, (uint64_t)c);
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void put_case(const gmc_answer *answer, int case_index, gmc_json *json)
{
    if (!answer->summary.ranking) return;
    gmc_ranking_case found = gmc_ranking_of_case(answer->summary.ranking, case_index);
    gmc_json_flag(json, "best", found.is_best);
    gmc_json_flag(json, "open", found.is_open);
    gmc_json_whole(json, "round", (uint64_t)found.round);
    gmc_json_whole(json, "draws", found.draws);
}

static void print_headline(const gmc_answer *answer, FILE *out)
{
    gmc_answer_ranking_print(answer, out);
    print_best(answer, out);
}

static void print_case(const gmc_answer *answer, int case_index, FILE *out)
{
    char text[GMC_ANSWER_RANKING_TEXT];
    if (answer->summary.ranking)
        fprintf(out, "; %s", gmc_answer_ranking_verdict(answer, case_index, text));
}

const gmc_answer_part gmc_answer_rank = {.instead = print_part,
                                         .headline = print_headline,
                                         .json = put_rank,
                                         .of_case = print_case,
                                         .of_case_json = put_case};
