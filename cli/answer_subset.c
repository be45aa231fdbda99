#include "cli/answer_subset.h"

#include "cli/terminal.h"

#include <inttypes.h>
#include <math.h>

typedef struct runs {
    int fewest, most, shorts; ///< levels; runs that found too few failures at their last level
    int64_t trials, unsolved;
} runs;

static runs sum_up(const gmc_answer *answer)
{
    runs all = {.fewest = INT32_MAX};
    for (int r = 0; r < answer->plan->subset->levels.runs; r++) {
        gmc_subset_run run = gmc_subset_of_run(answer->summary.subset, r);
        all.fewest = run.levels < all.fewest ? run.levels : all.fewest;
        all.most = run.levels > all.most ? run.levels : all.most;
        all.shorts += run.is_short;
        for (int l = 0; l < run.levels; l++) {
            gmc_subset_level level = gmc_subset_of_level(answer->summary.subset, r, l);
            all.trials += level.trials;
            all.unsolved += level.unsolved;
        }
    }
    return all;
}

void gmc_answer_subset_failure(const gmc_answer *answer, FILE *out)
{
    if (!answer->plan->subset) return;
    gmc_repeats_estimate e = gmc_summary_failure(&answer->summary);
    runs all = sum_up(answer);
    fprintf(out, "failure %.3g [%.3g, %.3g] %.10g %% over %d runs of %" PRId64 " trials together",
            e.p, e.interval.lower, e.interval.upper, 100 * answer->plan->level,
            answer->plan->subset->levels.runs, all.trials);
    if (!isnan(e.variation)) fprintf(out, ", standard error %.2g %%", 100 * e.variation);
    fputc('\n', out);
}

static void print_pairs(const gmc_answer *answer, FILE *out)
{
    const gmc_store_pairs *plan = answer->plan->pairs;
    gmc_summary_two_level t = gmc_summary_pairs(&answer->summary);
    gmc_terminal_print(out,
                       "cheap level (%s, %s, %.4g ms): %" PRId64 " of %" PRId64
                       " draws succeed; of %" PRId64 " pairs behind a pilot of %" PRIu64
                       " the full level loses %" PRId64 " and gains %" PRId64 "\n",
                       plan->levels[0].stepper, plan->levels[0].motion,
                       1000 * plan->levels[0].step_s, t.counts.cheap_works, t.counts.cheap,
                       t.counts.pairs, plan->plan.pilot, t.counts.lost, t.counts.gained);
    gmc_terminal_print(
        out,
        "%.3g times %s work than full trials alone for this width (%.0f against %.0f steps a "
        "trial, the pilot included)\n",
        t.gain >= 1 ? t.gain : 1 / t.gain, t.gain >= 1 ? "less" : "more", t.cheap_steps,
        t.full_steps);
}

void gmc_answer_subset_print(const gmc_answer *answer, FILE *out)
{
    const gmc_store_subset *subset = answer->plan->subset;
    if (answer->plan->pairs) print_pairs(answer, out);
    if (!subset) return;
    runs all = sum_up(answer);
    gmc_terminal_print(out, "margin %s, below 0 a failure: %d to %d levels of %d points a run\n",
                       subset->text, all.fewest, all.most, subset->levels.per_level);
    if (all.shorts > 0)
        fprintf(out,
                "%d of %d runs ended at their last level with fewer failures than a tenth: more "
                "levels, or a margin that tells trials apart\n",
                all.shorts, subset->levels.runs);
    if (all.unsolved > 0)
        fprintf(out, "%" PRId64 " unsolved trials have no margin and went no further\n",
                all.unsolved);
}

static void pairs_json(const gmc_answer *answer, gmc_json *json)
{
    gmc_summary_two_level t = gmc_summary_pairs(&answer->summary);
    gmc_json_open(json, "two_level", '{');
    gmc_json_whole(json, "draws", (uint64_t)t.counts.cheap);
    gmc_json_whole(json, "cheap_successes", (uint64_t)t.counts.cheap_works);
    gmc_json_whole(json, "pilot", answer->plan->pairs->plan.pilot);
    gmc_json_whole(json, "pairs", (uint64_t)t.counts.pairs);
    gmc_json_whole(json, "lost", (uint64_t)t.counts.lost);
    gmc_json_whole(json, "gained", (uint64_t)t.counts.gained);
    gmc_json_real(json, "cheap_steps", t.cheap_steps);
    gmc_json_real(json, "full_steps", t.full_steps);
    gmc_json_real(json, "gain", t.gain);
    gmc_json_close(json, '}');
}

void gmc_answer_subset_json(const gmc_answer *answer, gmc_json *json)
{
    const gmc_store_subset *subset = answer->plan->subset;
    if (answer->plan->pairs) pairs_json(answer, json);
    if (!subset) return;
    gmc_repeats_estimate e = gmc_summary_failure(&answer->summary);
    runs all = sum_up(answer);
    gmc_json_open(json, "subset", '{');
    gmc_json_text(json, "margin", subset->text);
    gmc_json_real(json, "failure", e.p);
    gmc_json_real(json, "lower", e.interval.lower);
    gmc_json_real(json, "upper", e.interval.upper);
    gmc_json_real(json, "variation", e.variation);
    gmc_json_whole(json, "trials", (uint64_t)all.trials);
    gmc_json_whole(json, "unsolved", (uint64_t)all.unsolved);
    gmc_json_whole(json, "short_runs", (uint64_t)all.shorts);
    gmc_json_open(json, "runs", '[');
    for (int r = 0; r < subset->levels.runs; r++)
        gmc_json_real(json, NULL, gmc_subset_of_run(answer->summary.subset, r).probability);
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}
