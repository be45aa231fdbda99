// Does the interval hold the success at the limit of small steps? Studies of 1000 trials whose
// slack is drawn, not simulated, and moves with the step: by nearly the same in all trials (what
// slips), or by chance either way (what rocks). Chances of repetitions, sums and interval are the
// product's.
#include "engine/base/status.h"
#include "sampling/design/nearby.h"
#include "sampling/estimate/step_shift.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 2000, TRIALS = 1000 };

/// Where slack is even over [p - 1, p] at the limit of small steps, p of it above 0.
typedef struct law {
    double p;
    double shift;   ///< of slack at the step; at half the step it is half of that, on average
    double spread;  ///< of the shift, over it
    double rocking; ///< share of trials whose slack at any step is another, independent one,
    double within;  ///< from [-within, within]
    double longest; ///< bar: mean width over Wilson's
    bool is_much;   ///< may miss, for the interval says that it holds a part of the step only
    int idle; ///< criteria that the step does not touch, just within their limit in all trials
} law;

typedef struct drawn {
    gmc_nearby_trial trial;
    gmc_verdict verdict;
    gmc_step_look look; ///< of the repetition
} drawn;

static gmc_verdict verdict_of(double slack)
{
    return slack > 0 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
}

/// Trials that nearly turn are told apart beside idle criteria alone. Of what is cut short it is
/// not known; elsewhere they leave less of the step in the interval of success (p 0.5, shift -0.02:
/// it holds 0.923 with them and 0.937 without, `with part of the step`).
static gmc_step_look look_of(const law *l, double slack, double half)
{
    if (verdict_of(slack) != verdict_of(half)) return GMC_STEP_OTHER;
    bool is_nearly = l->idle > 0 && fabs(half - slack) > 0.5 * fabs(slack);
    return is_nearly ? GMC_STEP_NEARLY : GMC_STEP_SAME;
}

static drawn draw(const law *l, gmc_stream stream)
{
    double slack = gmc_stream_uniform(stream, 0) - (1 - l->p), half = slack;
    slack += l->shift * (1 + l->spread * gmc_normal_quantile(gmc_stream_uniform(stream, 1)));
    half += 0.5 * l->shift * (1 + l->spread * gmc_normal_quantile(gmc_stream_uniform(stream, 2)));
    if (gmc_stream_uniform(stream, 3) < l->rocking) {
        slack = l->within * (2 * gmc_stream_uniform(stream, 4) - 1);
        half = l->within * (2 * gmc_stream_uniform(stream, 5) - 1);
    }
    bool is_cut = slack <= 0 && l->rocking == 0 && l->idle == 0; // and ends a third of its way
    drawn d = {.trial = {.criteria = 1 + l->idle, .work = is_cut ? 30 : 100, .is_cut = is_cut},
               .verdict = verdict_of(slack),
               .look = look_of(l, slack, half)};
    d.trial.distance[0] = slack;
    for (int k = 0; k < l->idle; k++)
        d.trial.distance[1 + k] = 0.01 * gmc_stream_uniform(stream, 7 + (uint64_t)k);
    return d;
}

typedef struct found {
    gmc_estimate alone, with;
    gmc_step_shift shift;
    double work; ///< of repetitions over that of the trials
} found;

static found study(const law *l, uint64_t seed, uint64_t number)
{
    gmc_nearby_trial pilot[GMC_NEARBY_PILOT];
    gmc_nearby plan = {0};
    gmc_step_sums sums = {0};
    gmc_tally tally = {0};
    double all = 0, more = 0;
    for (int i = 0; i < TRIALS; i++) {
        gmc_stream stream = gmc_stream_open_hashed(seed, number * TRIALS + (uint64_t)i, 1);
        drawn d = draw(l, stream);
        gmc_tally_add(&tally, d.verdict);
        all += d.trial.work;
        if (i < GMC_NEARBY_PILOT) pilot[i] = d.trial;
        if (i < GMC_NEARBY_PILOT) continue;
        if (i == GMC_NEARBY_PILOT) plan = gmc_nearby_plan(pilot, GMC_NEARBY_PILOT, 0.01, 0.1);
        double chance = gmc_nearby_chance(&plan, &d.trial);
        bool is_chosen = gmc_stream_uniform(stream, 6) < chance;
        gmc_step_sums_add(&sums, d.verdict, chance, d.trial.is_cut,
                          is_chosen ? d.look : GMC_STEP_NONE);
        if (is_chosen) more += GMC_NEARBY_TWICE * d.trial.work;
    }
    found f = {.alone = gmc_estimate_of(tally, 0.95, GMC_METHOD_WILSON), .work = more / all};
    f.with = f.alone;
    f.shift = gmc_step_shift_of(&sums, &f.alone);
    gmc_step_shift_widen(&sums, &f.with);
    return f;
}

static bool holds(const gmc_estimate *e, double truth)
{
    return e->lower <= truth && truth <= e->upper;
}

static void check(const law *l, uint64_t seed)
{
    int held = 0, alone = 0, whole = 0, whole_held = 0, changes = 0;
    double width = 0, work = 0, truth = l->p * (1 - l->rocking) + 0.5 * l->rocking;
    for (uint64_t i = 0; i < STUDIES; i++) {
        found f = study(l, seed, i);
        gmc_tally t = f.alone.tally;
        gmc_interval wilson = gmc_proportion_wilson(t.successes, TRIALS, 0.95);
        held += holds(&f.with, truth);
        alone += holds(&f.alone, truth);
        if (!f.with.is_step_cut) whole++, whole_held += holds(&f.with, truth);
        double change = l->rocking > 0 ? 0 : -0.5 * l->shift;
        changes += f.shift.interval.lower <= change && change <= f.shift.interval.upper;
        width += (f.with.upper - f.with.lower) / (wilson.upper - wilson.lower) / STUDIES;
        work += f.work / STUDIES;
    }
    print_message("p %g, shift %g, rocking %g: held %.4f, by the trials alone %.4f; width %.3f, "
                  "work %.3f; %d with all of the step, %d of these held; D held %.4f\n",
                  l->p, l->shift, l->rocking, held / (double)STUDIES, alone / (double)STUDIES,
                  width, work, whole, whole_held, changes / (double)STUDIES);
    // not below 94 % at the one-sided 99 % bound
    assert_true(l->is_much || gmc_proportion_upper(held, STUDIES, 0.99) >= 0.94);
    assert_true(!l->is_much || whole <= STUDIES / 100);
    assert_true(gmc_proportion_upper(changes, STUDIES, 0.99) >= 0.94);
    assert_true(width <= l->longest);
    assert_true(work <= 0.11);
}

static void it_holds_what_slips(void **state)
{
    (void)state;
    static const law LAWS[] = {
        {0.72, 0, 0, 0, 0, 1.3, false, 0},        {0.72, 0.005, 0.3, 0, 0, 1.3, false, 0},
        {0.72, 0.01, 0.3, 0, 0, 1.3, false, 0},   {0.72, 0.02, 0.3, 0, 0, 1.3, false, 0},
        {0.95, 0.0025, 0.3, 0, 0, 1.3, false, 0}, {0.95, 0.005, 0.3, 0, 0, 1.3, false, 0}};
    for (int i = 0; i < GMC_COUNT(LAWS); i++)
        check(&LAWS[i], 100 + (uint64_t)i);
}

/// Failures at the step that are successes at the limit: they were cut short, and say nothing of
/// how near they are.
static void it_holds_what_the_step_makes_fail(void **state)
{
    (void)state;
    static const law LAWS[] = {
        {0.72, -0.005, 0.3, 0, 0, 1.3, false, 0}, {0.72, -0.01, 0.3, 0, 0, 1.3, false, 0},
        {0.72, -0.02, 0.3, 0, 0, 1.3, false, 0},  {0.72, -0.04, 0.3, 0, 0, 1.35, true, 0},
        {0.95, -0.01, 0.3, 0, 0, 1.3, false, 0},  {0.95, -0.02, 0.3, 0, 0, 1.3, false, 0},
        {0.5, -0.02, 0.3, 0, 0, 1.3, false, 0},   {0.5, -0.04, 0.3, 0, 0, 1.35, true, 0}};
    for (int i = 0; i < GMC_COUNT(LAWS); i++)
        check(&LAWS[i], 300 + (uint64_t)i);
}

static void it_holds_what_rocks(void **state)
{
    (void)state;
    static const law LAWS[] = {{0.72, 0, 0, 0.02, 0.3, 1.3, false, 0},
                               {0.95, 0, 0, 0.01, 0.3, 1.3, false, 0}};
    for (int i = 0; i < GMC_COUNT(LAWS); i++)
        check(&LAWS[i], 200 + (uint64_t)i);
}

/// Does the interval of the change hold it?
static void check_change(const law *l, uint64_t seed)
{
    int held = 0, told = 0;
    double width = 0, work = 0, change = l->rocking > 0 ? 0 : -0.5 * l->shift;
    for (uint64_t i = 0; i < STUDIES; i++) {
        found f = study(l, seed, i);
        work += f.work / STUDIES;
        if (!f.shift.is_told) continue;
        gmc_interval of = f.shift.interval;
        told++;
        held += of.lower <= change && change <= of.upper;
        width += of.upper - of.lower;
    }
    print_message(
        "p %g, change %g, rocking %g, %d idle: D held %.4f of %d, width %.4f, work %.3f\n", l->p,
        change, l->rocking, l->idle, held / (double)told, told, width / told, work);
    assert_true(told >= 0.95 * STUDIES);
    assert_true(gmc_proportion_upper(held, told, 0.99) >= 0.94);
    assert_true(work <= 0.11);
}

/// Beside criteria that are idle within a hundredth of what the one that decides is spread over.
/// (Ranked by the least distance of each trial it held 0.61 to 1, up to four times as long.)
static void it_holds_the_change_beside_idle_criteria(void **state)
{
    (void)state;
    static const law LAWS[] = {
        {.p = 0.72, .idle = 1},
        {.p = 0.72, .shift = 0.02, .spread = 0.3, .idle = 1},
        {.p = 0.44, .shift = -0.02, .spread = 0.3, .idle = 1},
        {.p = 0.44, .shift = -0.1, .spread = 0.3, .idle = 1},
        {.p = 0.99, .shift = 0.005, .spread = 0.3, .idle = 1},
        {.p = 0.95, .shift = 0.02, .spread = 0.3, .idle = 4},
        {.p = 0.72, .rocking = 0.02, .within = 0.3, .idle = 1},
    };
    for (int i = 0; i < GMC_COUNT(LAWS); i++)
        check_change(&LAWS[i], 500 + (uint64_t)i);
}

/// Every trial has the same chance (`half_step: 5 %` and more, or criteria of counts alone).
typedef struct flat {
    double share;
    int trials;
    double lost; ///< chance that a verdict turns: the change is -lost
} flat;

/// Does the interval of the change hold it? It is told of 20 repetitions and more.
static void check_flat(const flat *f, uint64_t seed)
{
    int told = 0, held = 0, none = 0;
    for (uint64_t i = 0; i < STUDIES; i++) {
        gmc_step_sums sums = {0};
        for (int k = 0; k < f->trials; k++) {
            gmc_stream stream =
                gmc_stream_open_hashed(seed, i * (uint64_t)f->trials + (uint64_t)k, 1);
            bool is_chosen = gmc_stream_uniform(stream, 0) < f->share;
            bool is_other = gmc_stream_uniform(stream, 1) < f->lost;
            gmc_step_sums_add(&sums, GMC_VERDICT_SUCCESS, f->share, false,
                              !is_chosen ? GMC_STEP_NONE
                              : is_other ? GMC_STEP_OTHER
                                         : GMC_STEP_SAME);
        }
        const gmc_tally tally = {.successes = f->trials};
        gmc_estimate alone = gmc_estimate_of(tally, 0.95, GMC_METHOD_WILSON);
        gmc_step_shift shift = gmc_step_shift_of(&sums, &alone);
        if (!shift.is_told) continue;
        told++;
        none += sums.lost == 0;
        held += shift.interval.lower <= -f->lost && -f->lost <= shift.interval.upper;
    }
    print_message("share %g of %d, change %g: D held %.4f of %d, none turned in %d\n", f->share,
                  f->trials, -f->lost, held / (double)told, told, none);
    assert_true(told > STUDIES / 2);
    assert_true(gmc_proportion_upper(held, told, 0.99) >= 0.94);
}

static void it_holds_the_change_of_a_flat_share(void **state)
{
    (void)state;
    static const flat FLATS[] = {{0.1, 300, 0.005},  {0.1, 300, 0.02},   {0.1, 300, 0.05},
                                 {0.05, 1000, 0.01}, {0.05, 1000, 0.03}, {0.1, 1000, 0.005},
                                 {0.1, 1000, 0.02},  {0.01, 3000, 0.01}, {0.01, 3000, 0.05}};
    for (int i = 0; i < GMC_COUNT(FLATS); i++)
        check_flat(&FLATS[i], 400 + (uint64_t)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_slips),
        cmocka_unit_test(it_holds_what_the_step_makes_fail),
        cmocka_unit_test(it_holds_what_rocks),
        cmocka_unit_test(it_holds_the_change_beside_idle_criteria),
        cmocka_unit_test(it_holds_the_change_of_a_flat_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
