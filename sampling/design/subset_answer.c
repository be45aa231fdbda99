#include "sampling/design/subset_answer.h"

#include "engine/base/check.h"

#include <math.h>

static void count_levels(const gmc_subset *subset, int r, gmc_subset_answer *a)
{
    gmc_subset_run run = gmc_subset_of_run(subset, r);
    gmc_subset_level first = gmc_subset_of_level(subset, r, 0);
    a->draws += first.trials;
    a->failing += first.failing;
    a->open += first.unsolved;
    a->fewest = run.levels < a->fewest ? run.levels : a->fewest;
    a->most = run.levels > a->most ? run.levels : a->most;
    a->shorts += run.is_short;
    a->stucks += run.is_stuck;
    for (int l = 0; l < run.levels; l++) {
        gmc_subset_level level = gmc_subset_of_level(subset, r, l);
        a->trials += level.trials;
        a->open_trials += level.unsolved;
    }
}

/// Clopper's and Pearson's of the plain draws, the unsolved on either side.
static gmc_interval plain_interval(const gmc_subset_answer *a, double level)
{
    int64_t most = a->failing + a->open;
    return (gmc_interval){gmc_proportion_clopper_pearson(a->failing, a->draws, level).lower,
                          gmc_proportion_clopper_pearson(most, a->draws, level).upper};
}

/// Upper end of the probability of what is unsolved.
static double most_unsolved(const double *unsolved, int runs, const gmc_subset_answer *a,
                            double level)
{
    const gmc_repeats_draws draws = {.hits = a->open, .draws = a->draws};
    if (a->open_trials == 0) return 0;
    // the spread of few runs says little: level 0 alone
    if (runs < GMC_SUBSET_RUNS_LEAST)
        return gmc_proportion_clopper_pearson(a->open, a->draws, level).upper;
    gmc_repeats_estimate e = a->open > 0 ? gmc_repeats_bounded(unsolved, runs, &draws, level)
                                         : gmc_repeats_estimate_of(unsolved, runs, level);
    return e.interval.upper;
}

/// What the aimed draws say, if they are any.
static void take_aimed(const gmc_subset *subset, double level, gmc_subset_answer *a)
{
    const gmc_subset_aim *aim = gmc_subset_aimed(subset);
    int rounds = aim ? gmc_subset_aim_rounds(aim) : 0;
    bool is_all_failing = a->failing == a->draws;
    for (int i = 0; i < rounds; i++) {
        gmc_subset_aim_round round = gmc_subset_aim_of_round(aim, i);
        a->trials += round.failing.draws;
        is_all_failing = is_all_failing && round.failing.hits == round.failing.draws;
        a->open_trials += round.worst.hits - round.failing.hits;
        a->last = round;
    }
    a->aimed = gmc_aimed_estimate_of(&a->last.failing, level);
    a->is_aimed = a->aimed.is_told;
    if (!a->is_aimed) {
        if (gmc_subset_about(subset)->runs > 1) return;
        a->is_plain = true; // of one run there is no spread
        a->failure = (gmc_repeats_estimate){.p = (double)a->failing / (double)a->draws,
                                            .variation = (double)NAN,
                                            .interval = plain_interval(a, level)};
        return;
    }
    gmc_aimed_estimate worst = gmc_aimed_estimate_of(&a->last.worst, level);
    a->failure = (gmc_repeats_estimate){
        .p = is_all_failing ? 1 : a->aimed.p, // whatever the weights come to by chance
        .variation = a->aimed.variation,
        .interval = {a->aimed.interval.lower, fmax(a->aimed.interval.upper, worst.interval.upper)}};
}

/// Runs that ended at level 0 are plain draws: if all did, their count says more than their spread,
/// which is none where all of them fail; if some did, neither is to be contradicted.
static void heed_plain(gmc_subset_answer *a)
{
    gmc_interval *found = &a->failure.interval;
    if (a->fewest > 1 || a->is_aimed) return;
    bool is_all = a->most == 1;
    found->lower = is_all ? a->plain.lower : fmin(found->lower, a->plain.lower);
    found->upper = is_all ? a->plain.upper : fmax(found->upper, a->plain.upper);
}

/// The level of each of two intervals that hold together.
static double shared_level(double level) { return 1 - (1 - level) / 2; }

/// Where there is only a bound: that of the plain draws, too.
static void join_plain(gmc_subset_answer *a, double level)
{
    gmc_interval *found = &a->failure.interval;
    double bound = plain_interval(a, shared_level(level)).upper;
    a->chains = found->upper;
    bool is_of_levels = !a->is_aimed && !a->is_plain;
    a->is_joined = is_of_levels && !(a->failure.p > 0) && found->upper > bound;
    if (a->is_joined) found->upper = bound;
}

gmc_subset_answer gmc_subset_answer_of(const gmc_subset *subset, double level)
{
    static const double CONTRADICTED = 0.999;
    const gmc_subset_plan *plan = gmc_subset_about(subset);
    double failing[GMC_SUBSET_RUNS_MAX], unsolved[GMC_SUBSET_RUNS_MAX];
    gmc_subset_answer a = {.fewest = INT32_MAX};
    gmc_repeats_draws draws = {.points = plan->per_level};
    GMC_ASSERT(plan->runs <= GMC_SUBSET_RUNS_MAX);
    for (int r = 0; r < plan->runs; r++) {
        gmc_subset_run run = gmc_subset_of_run(subset, r);
        failing[r] = run.probability;
        unsolved[r] = run.unsolved;
        a.unsolved += run.unsolved / plan->runs;
        if (run.levels > 1) draws.reached += run.reached / plan->runs; // level 0: plain draws
        count_levels(subset, r, &a);
    }
    draws.draws = a.draws;
    draws.hits = a.failing;
    a.failure = a.levels = gmc_repeats_bounded(failing, plan->runs, &draws, level);
    take_aimed(subset, level, &a);
    gmc_interval *found = &a.failure.interval;
    found->upper = fmin(found->upper + most_unsolved(unsolved, plan->runs, &a, level), 1);
    a.plain = plain_interval(&a, level);
    heed_plain(&a);
    join_plain(&a, level);
    gmc_interval sure = plain_interval(&a, fmax(level, CONTRADICTED));
    a.is_contradictory = found->upper < sure.lower || found->lower > sure.upper;
    return a;
}
