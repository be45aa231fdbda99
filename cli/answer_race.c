#include "cli/answer_race.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t count_open(const gmc_race *race)
{
    int64_t open = 0;
    for (int64_t c = 0; c < gmc_race_about(race)->case_count; c++)
        open += gmc_race_of_case(race, c).is_open;
    return open;
}

static void print_end(const gmc_race *race, FILE *out)
{
    switch (gmc_race_ended(race)) {
    case GMC_RACE_BUDGET:
        fprintf(out, ": the budget is used up, %" PRId64 " cases are open\n", count_open(race));
        return;
    case GMC_RACE_DRAWS:
        fprintf(out, ": %" PRId64 " cases are open, with all of their draws (study.draws)\n",
                count_open(race));
        return;
    case GMC_RACE_REACHED:
    case GMC_RACE_OPEN:
    case GMC_RACE_END_COUNT:
        break;
    }
    fputc('\n', out);
}

void gmc_answer_race_print(const gmc_answer *answer, FILE *out)
{
    enum { SHOWN = 20 };
    const gmc_race *race = answer->summary.race;
    if (!race) return;
    const gmc_race_plan *plan = gmc_race_about(race);
    fprintf(out,
            "%s: the best %" PRId64 " of %" PRId64 " cases%s within %.10g at %.10g %%, after "
            "%" PRIu64 " of at most %" PRIu64 " trials in %d rounds",
            gmc_race_ended(race) == GMC_RACE_REACHED ? "reached" : "undecided", plan->best,
            plan->case_count, plan->group_count > 1 ? ", of each object," : "", plan->within,
            100 * plan->level, gmc_race_trials(race), plan->budget, gmc_race_rounds(race));
    print_end(race, out);
    fputs("best cases", out);
    int shown = 0;
    for (int64_t c = 0; c < plan->case_count; c++) {
        if (!gmc_race_of_case(race, c).is_best) continue;
        if (shown++ < SHOWN) fprintf(out, " %" PRId64, c);
    }
    fprintf(out, "%s: graspmc rank %s\n", shown > SHOWN ? " ..." : "", answer->path);
}

char *gmc_answer_race_verdict(const gmc_answer *answer, int case_index, char *text)
{
    gmc_race_case found = gmc_race_of_case(answer->summary.race, case_index);
    if (found.is_best)
        snprintf(text, GMC_ANSWER_RACE_TEXT, "best%s", found.is_open ? ", open" : "");
    else if (found.is_open)
        snprintf(text, GMC_ANSWER_RACE_TEXT, "open");
    else
        snprintf(text, GMC_ANSWER_RACE_TEXT, "out after round %d", found.round);
    return text;
}

void gmc_answer_race_json(const gmc_answer *answer, gmc_json *json)
{
    const gmc_race *race = answer->summary.race;
    if (!race) return;
    const gmc_race_plan *plan = gmc_race_about(race);
    gmc_json_open(json, "rank", '{');
    gmc_json_whole(json, "best", (uint64_t)plan->best);
    gmc_json_real(json, "within", plan->within);
    gmc_json_real(json, "level", plan->level);
    gmc_json_whole(json, "budget", plan->budget);
    gmc_json_whole(json, "groups", (uint64_t)plan->group_count);
    gmc_json_text(json, "end", gmc_race_end_name(gmc_race_ended(race)));
    gmc_json_whole(json, "rounds", (uint64_t)gmc_race_rounds(race));
    gmc_json_whole(json, "trials", gmc_race_trials(race));
    gmc_json_open(json, "cases", '[');
    for (int64_t c = 0; c < plan->case_count; c++)
        if (gmc_race_of_case(race, c).is_best) gmc_json_whole(json, NULL, (uint64_t)c);
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

void gmc_answer_race_case_json(const gmc_answer *answer, int case_index, gmc_json *json)
{
    if (!answer->summary.race) return;
    gmc_race_case found = gmc_race_of_case(answer->summary.race, case_index);
    gmc_json_flag(json, "best", found.is_best);
    gmc_json_flag(json, "open", found.is_open);
    gmc_json_whole(json, "round", (uint64_t)found.round);
    gmc_json_whole(json, "draws", found.draws);
}
