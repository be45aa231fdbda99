// What an answer says of draws on two levels and more.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <inttypes.h>

static bool is_two_level(const gmc_answer *answer)
{
    return answer->summary.method == &gmc_store_method_two_level;
}

static const gmc_store_pairs *plan_of(const gmc_answer *answer) { return answer->plan->own; }

static void print_rise(const gmc_answer *answer, const gmc_summary_two_level *t, int level,
                       FILE *out)
{
    const gmc_store_pairs *plan = plan_of(answer);
    const gmc_store_level *below = &plan->levels[level - 1];
    gmc_summary_rise rise = t->rises[level];
    bool is_full = level == plan->plan.levels - 1;
    gmc_terminal_print(out,
                       "%s level (%s, %s, %.4g ms): %" PRId64 " of %" PRId64
                       " draws succeed; of %" PRId64 " pairs (%" PRIu64
                       " of them the pilot) the %s level loses %" PRId64 " and gains %" PRId64 "\n",
                       below->name, below->stepper, below->motion, 1000 * below->step_s, rise.works,
                       rise.draws, rise.pairs, plan->plan.pilot, is_full ? "full" : "next",
                       rise.lost, rise.gained);
}

static void print_levels(const gmc_answer *answer, FILE *out)
{
    if (!is_two_level(answer)) return;
    int levels = plan_of(answer)->plan.levels;
    gmc_summary_two_level t = gmc_summary_pairs(&answer->summary);
    for (int level = 1; level < levels; level++)
        print_rise(answer, &t, level, out);
    fprintf(out, "%.3g times %s work than full trials alone for this width (%.0f against ",
            t.gain >= 1 ? t.gain : 1 / t.gain, t.gain >= 1 ? "less" : "more", t.steps[0]);
    for (int level = 1; level < levels - 1; level++)
        fprintf(out, "%.0f and ", t.steps[level]);
    fprintf(out, "%.0f steps a trial, the pilot included)\n", t.steps[levels - 1]);
}

/// Levels below the cheap one, the cheapest first.
static void put_coarser(const gmc_answer *answer, const gmc_summary_two_level *t, gmc_json *json)
{
    gmc_json_open(json, "coarser", '[');
    for (int level = 1; level < plan_of(answer)->plan.levels - 1; level++) {
        gmc_summary_rise rise = t->rises[level];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", plan_of(answer)->levels[level - 1].name);
        gmc_json_whole(json, "draws", (uint64_t)rise.draws);
        gmc_json_whole(json, "successes", (uint64_t)rise.works);
        gmc_json_whole(json, "pairs", (uint64_t)rise.pairs);
        gmc_json_whole(json, "lost", (uint64_t)rise.lost);
        gmc_json_whole(json, "gained", (uint64_t)rise.gained);
        gmc_json_real(json, "steps", t->steps[level - 1]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_levels(const gmc_answer *answer, gmc_json *json)
{
    if (!is_two_level(answer)) return;
    gmc_summary_two_level t = gmc_summary_pairs(&answer->summary);
    int levels = plan_of(answer)->plan.levels;
    gmc_summary_rise last = t.rises[levels - 1];
    gmc_json_open(json, "two_level", '{');
    gmc_json_whole(json, "draws", (uint64_t)last.draws);
    gmc_json_whole(json, "cheap_successes", (uint64_t)last.works);
    gmc_json_whole(json, "pilot", plan_of(answer)->plan.pilot);
    gmc_json_whole(json, "pairs", (uint64_t)t.counts.pairs);
    gmc_json_whole(json, "lost", (uint64_t)t.counts.lost);
    gmc_json_whole(json, "gained", (uint64_t)t.counts.gained);
    gmc_json_real(json, "cheap_steps", t.steps[levels - 2]);
    gmc_json_real(json, "full_steps", t.steps[levels - 1]);
    gmc_json_real(json, "gain", t.gain);
    if (levels > 2) put_coarser(answer, &t, json);
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_two_level = {.details = print_levels, .json = put_levels};
