// What an answer says of subset simulation.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <math.h>

bool gmc_answer_subset_refused(const gmc_answer *answer)
{
    return gmc_summary_failure_of(&answer->summary).refusal != GMC_SUMMARY_TOLD;
}

/// What level 0 alone says, which are plain draws.
static void print_plain(const gmc_subset_answer *a, double level, FILE *out)
{
    fprintf(out,
            "plain draws of level 0: failure %.3g [%.3g, %.3g] %.10g %% Clopper-Pearson, "
            "%" PRId64 " of %" PRId64,
            (double)a->failing / (double)a->draws, a->plain.lower, a->plain.upper, 100 * level,
            a->failing, a->draws);
    if (a->open > 0) fprintf(out, "; %" PRId64 " unsolved, on either side", a->open);
    fputc('\n', out);
}

static void print_refusal(const gmc_answer *answer, const gmc_subset_answer *a, FILE *out)
{
    const gmc_summary_margins *m = &answer->summary.margins;
    double level = answer->plan->level;
    if (gmc_summary_failure_of(&answer->summary).refusal == GMC_SUMMARY_OTHER_MARGIN) {
        gmc_terminal_print(out,
                           "refused: the margin judges %" PRId64 " of %" PRIu64
                           " trials otherwise than success does, the first in trial %" PRIu64
                           "; without  sampling.subset.margin  it follows from success\n",
                           m->differing, answer->trial_count, m->first);
        return;
    }
    print_plain(a, level, out);
    gmc_terminal_print(out,
                       "refused: the levels say [%.3g, %.3g], which contradicts this: their chains "
                       "do not reach the failures; use a margin that falls steadily towards all of "
                       "them, or more points a level\n",
                       a->failure.interval.lower, a->failure.interval.upper);
}

/// "failure 1.2e-06 [8.9e-07, 1.6e-06] 95 % over 10 runs, ...", or "failure at most ..." where none
/// was found, and what the plain draws of level 0 say; or why nothing is told.
static void print_failure(const gmc_answer *answer, FILE *out)
{
    if (!answer->plan->subset) return;
    gmc_subset_answer a = gmc_summary_failure_of(&answer->summary).answer;
    const gmc_repeats_estimate *e = &a.failure;
    double level = 100 * answer->plan->level;
    int runs = answer->plan->subset->levels.runs;
    if (gmc_answer_subset_refused(answer)) {
        print_refusal(answer, &a, out);
        return;
    }
    if (a.is_aimed)
        fprintf(out,
                "failure %.3g [%.3g, %.3g] %.10g %% of %" PRId64
                " aimed draws, the last of %" PRId64 " trials",
                e->p, e->interval.lower, e->interval.upper, level, a.last.failing.draws, a.trials);
    else if (a.is_plain && e->p > 0)
        fprintf(out,
                "failure %.3g [%.3g, %.3g] %.10g %% of the %" PRId64
                " plain draws of level 0, of %" PRId64 " trials",
                e->p, e->interval.lower, e->interval.upper, level, a.draws, a.trials);
    else if (a.is_plain)
        fprintf(out,
                "failure at most %.3g, %.10g %%: none in the %" PRId64
                " plain draws of level 0, of %" PRId64 " trials",
                e->interval.upper, level, a.draws, a.trials);
    else if (e->p > 0)
        fprintf(out,
                "failure %.3g [%.3g, %.3g] %.10g %% over %d runs of %" PRId64 " trials together",
                e->p, e->interval.lower, e->interval.upper, level, runs, a.trials);
    else
        fprintf(out,
                "failure at most %.3g, %.10g %%: none in %d runs of %" PRId64 " trials together",
                e->interval.upper, level, runs, a.trials);
    if (a.is_joined)
        fprintf(out,
                "; the levels alone say at most %.3g, and it is joined with the plain draws of "
                "level 0 at %.10g %%",
                a.chains, 100 - (100 - level) / 2);
    if (e->variation > 0) fprintf(out, ", standard error %.2g %%", 100 * e->variation);
    fputc('\n', out);
    if (!a.is_plain) print_plain(&a, answer->plan->level, out);
}

/// How the draws behind the levels were aimed, and what they do not know of.
static void print_aimed(const gmc_answer *answer, const gmc_subset_answer *a, FILE *out)
{
    const gmc_subset_aim_round *last = &a->last;
    if (answer->plan->subset->levels.aimed == 0) return;
    if (a->round_count == 0) {
        gmc_terminal_print(out, "no draws were aimed: no trial failed, and the surrogate of the "
                                "margin predicts no failure\n");
        return;
    }
    gmc_terminal_print(out,
                       "aimed %s: %" PRId64 " of %" PRId64 " draws fail, worth %.0f of one "
                       "weight; the levels alone say %.3g\n",
                       last->is_fitted
                           ? "by a surrogate of the margin"
                           : "around trials that failed, of which no surrogate was made",
                       last->failing.hits, last->failing.draws, a->aimed.effective, a->levels.p);
    const char *instead = gmc_subset_about(answer->summary.subset)->runs > 1
                              ? "the levels"
                              : "the plain draws of level 0";
    if (a->aimed.effective < GMC_AIMED_LEAST)
        gmc_terminal_print(
            out, "fewer than %d effective draws give no interval: the answer is that of %s\n",
            GMC_AIMED_LEAST, instead);
    else if (!a->is_aimed)
        gmc_terminal_print(out,
                           "%.0f %% of their estimate comes from where no failure was known, so "
                           "more may be missed: the answer is that of %s\n",
                           100 * a->aimed.blind, instead);
    else
        gmc_terminal_print(out, "failures of a kind that no trial met are not in it: of these "
                                "the plain draws alone say how likely they may be\n");
}

/// The margin, and how the levels went.
static void print_levels(const gmc_answer *answer, FILE *out)
{
    const gmc_store_subset *subset = answer->plan->subset;
    if (!subset) return;
    gmc_subset_answer a = gmc_summary_failure_of(&answer->summary).answer;
    const gmc_summary_margins *m = &answer->summary.margins;
    gmc_terminal_print(out, "margin %s, a failure where it is below 0; %d", subset->text, a.fewest);
    if (a.most != a.fewest) fprintf(out, " to %d", a.most);
    fprintf(out, " levels in each run, %d points in each level\n", subset->levels.per_level);
    if (m->count > 1 && !(m->least < m->largest))
        fprintf(out, "the margin is %.6g in every trial: it does not distinguish them\n", m->least);
    else if (a.stucks > 0)
        fprintf(out,
                "%d of %d runs ended early: too many trials of a level have the same margin to set "
                "another one\n",
                a.stucks, subset->levels.runs);
    if (a.shorts > 0)
        fprintf(out,
                "%d of %d runs ended at their last level where fewer than a tenth fail: allow more "
                "levels, or use a margin that distinguishes trials\n",
                a.shorts, subset->levels.runs);
    if (a.open_trials > 0)
        fprintf(out,
                "%" PRId64 " unsolved trials have no margin and were not continued; their share of "
                "the probability, about %.3g, is added to the upper end of failure\n",
                a.open_trials, a.unsolved);
    print_aimed(answer, &a, out);
    if (!a.is_aimed && !a.is_plain && subset->levels.per_level < GMC_SUBSET_POINTS_FEW)
        gmc_terminal_print(out, "%d points a level: %s\n", subset->levels.per_level,
                           GMC_ANSWER_SUBSET_FEW);
}

static void put_aimed(const gmc_answer *answer, const gmc_subset_answer *a, gmc_json *json)
{
    if (answer->plan->subset->levels.aimed == 0) return;
    gmc_json_open(json, "aimed", '{');
    gmc_json_flag(json, "is_used", a->is_aimed);
    gmc_json_whole(json, "rounds", (uint64_t)a->round_count);
    gmc_json_flag(json, "is_fitted", a->last.is_fitted);
    gmc_json_whole(json, "draws", (uint64_t)a->last.failing.draws);
    gmc_json_whole(json, "failures", (uint64_t)a->last.failing.hits);
    gmc_json_whole(json, "unsolved", (uint64_t)(a->last.worst.hits - a->last.failing.hits));
    gmc_json_real(json, "effective", a->aimed.effective);
    gmc_json_real(json, "blind", a->last.failing.hits > 0 ? a->aimed.blind : (double)NAN);
    gmc_json_real(json, "levels_failure", a->levels.p);
    gmc_json_close(json, '}');
}

static void put_subset(const gmc_answer *answer, gmc_json *json)
{
    const gmc_store_subset *subset = answer->plan->subset;
    if (!subset) return;
    gmc_summary_failure found = gmc_summary_failure_of(&answer->summary);
    gmc_subset_answer a = found.answer;
    bool is_told = found.refusal == GMC_SUMMARY_TOLD;
    gmc_json_open(json, "subset", '{');
    gmc_json_text(json, "margin", subset->text);
    gmc_json_text(json, "refused", is_told ? NULL : found.refused);
    gmc_json_whole(json, "judged_otherwise", (uint64_t)answer->summary.margins.differing);
    gmc_json_real(json, "failure", is_told ? a.failure.p : (double)NAN);
    gmc_json_real(json, "lower", is_told ? a.failure.interval.lower : 0);
    gmc_json_real(json, "upper", is_told ? a.failure.interval.upper : 1);
    gmc_json_flag(json, "is_joined", is_told && a.is_joined);
    gmc_json_real(json, "variation", is_told ? a.failure.variation : (double)NAN);
    gmc_json_whole(json, "trials", (uint64_t)a.trials);
    gmc_json_whole(json, "unsolved", (uint64_t)a.open_trials);
    gmc_json_real(json, "unsolved_share", a.unsolved);
    gmc_json_whole(json, "short_runs", (uint64_t)a.shorts);
    gmc_json_whole(json, "stuck_runs", (uint64_t)a.stucks);
    put_aimed(answer, &a, json);
    gmc_json_open(json, "plain", '{');
    gmc_json_whole(json, "draws", (uint64_t)a.draws);
    gmc_json_whole(json, "failures", (uint64_t)a.failing);
    gmc_json_whole(json, "unsolved", (uint64_t)a.open);
    gmc_json_real(json, "lower", a.plain.lower);
    gmc_json_real(json, "upper", a.plain.upper);
    gmc_json_close(json, '}');
    gmc_json_open(json, "runs", '[');
    for (int r = 0; r < subset->levels.runs; r++)
        gmc_json_real(json, NULL, gmc_subset_of_run(answer->summary.subset, r).probability);
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_subset = {
    .headline = print_failure, .details = print_levels, .json = put_subset};
