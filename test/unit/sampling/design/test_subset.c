#include "engine/base/status.h"
#include "sampling/design/subset.h"
#include "test/support/near.h"

#include <float.h>

enum { DIMENSIONS = 3 };

static const gmc_subset_plan PLAN = {
    .runs = 2, .levels = 6, .per_level = 200, .dimensions = DIMENSIONS, .seed = 5};

static double margin(const double *z) { return 4 - z[0] - 0.1 * z[1] * z[1]; }

/// All stages; trials of each are put in an order of their own.
static uint64_t run(gmc_subset *s, bool backwards)
{
    gmc_subset_stage stage;
    uint64_t count = 0;
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            double z[DIMENSIONS];
            uint64_t trial = stage.trials[backwards ? stage.count - 1 - i : i];
            assert_true(gmc_subset_point(s, trial, z));
            gmc_subset_put(s, trial, margin(z));
        }
        count += stage.count;
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    return count;
}

static void the_order_in_which_trials_end_changes_nothing(void **state)
{
    (void)state;
    gmc_subset *a, *b;
    assert_int_equal(gmc_subset_create(&PLAN, &a), GMC_OK);
    assert_int_equal(gmc_subset_create(&PLAN, &b), GMC_OK);
    assert_int_equal(run(a, false), run(b, true));
    for (int r = 0; r < PLAN.runs; r++) {
        gmc_subset_run x = gmc_subset_of_run(a, r), y = gmc_subset_of_run(b, r);
        assert_true(x.probability == y.probability);
        assert_true(x.levels == y.levels);
        assert_true(x.levels > 2);
    }
    assert_true(gmc_subset_of_run(a, 0).probability != gmc_subset_of_run(a, 1).probability);
    gmc_subset_free(a);
    gmc_subset_free(b);
}

static void margins_alone_lead_to_the_same_points_again(void **state)
{
    (void)state;
    gmc_subset *a, *b;
    gmc_subset_stage stage;
    assert_int_equal(gmc_subset_create(&PLAN, &a), GMC_OK);
    uint64_t count = run(a, false), found = 0;
    assert_int_equal(gmc_subset_create(&PLAN, &b), GMC_OK);
    gmc_subset *c;
    assert_int_equal(gmc_subset_create(&PLAN, &c), GMC_OK);
    // b knows all margins beforehand, c takes them in stage by stage: the same points in all
    assert_int_equal(gmc_subset_next(c, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            double z[DIMENSIONS];
            assert_true(gmc_subset_point(c, stage.trials[i], z));
            gmc_subset_put(b, stage.trials[i], margin(z));
            gmc_subset_put(c, stage.trials[i], margin(z));
            found++;
        }
        assert_int_equal(gmc_subset_next(c, &stage), GMC_OK);
    }
    assert_int_equal(found, count);
    assert_int_equal(gmc_subset_decide(b), GMC_OK);
    assert_true(gmc_subset_of_run(b, 1).probability == gmc_subset_of_run(a, 1).probability);
    double z[DIMENSIONS];
    assert_false(gmc_subset_point(b, 0, z)); // its stage is closed
    gmc_subset_free(a);
    gmc_subset_free(b);
    gmc_subset_free(c);
}

static void levels_are_nested_and_a_tenth_goes_on(void **state)
{
    (void)state;
    gmc_subset *s;
    assert_int_equal(gmc_subset_create(&PLAN, &s), GMC_OK);
    uint64_t count = run(s, false), sum = 0;
    for (int r = 0; r < PLAN.runs; r++) {
        gmc_subset_run run = gmc_subset_of_run(s, r);
        double p = 1, threshold = HUGE_VAL;
        for (int l = 0; l < run.levels; l++) {
            gmc_subset_level level = gmc_subset_of_level(s, r, l);
            sum += (uint64_t)level.trials;
            assert_int_equal(level.trials, l == 0 ? 200 : 180);
            if (l > 0) assert_true(level.threshold < threshold);
            threshold = level.threshold;
            // equal margins, of candidates that were not taken, go on together
            if (l + 1 < run.levels) assert_true(level.share >= 0.1 && level.share < 0.2);
            p *= level.share;
        }
        ASSERT_NEAR(run.probability, p, 1e-15);
        assert_false(run.is_short);
    }
    assert_int_equal(sum, count);
    gmc_subset_free(s);
}

static void unsolved_trials_go_no_further(void **state)
{
    (void)state;
    gmc_subset_plan plan = PLAN;
    plan.runs = 1;
    plan.levels = 2;
    gmc_subset *s;
    gmc_subset_stage stage;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    assert_int_equal(stage.count, 200);
    for (uint64_t i = 0; i < 150; i++)
        gmc_subset_put(s, stage.trials[i], i % 2 ? (double)NAN : 1);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_E_MISSING); // fifty have none yet
    for (uint64_t i = 150; i < 200; i++)
        gmc_subset_put(s, stage.trials[i], 1);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    assert_int_equal(gmc_subset_of_level(s, 0, 0).unsolved, 75);
    assert_int_equal(stage.count, 0); // a margin that is the same everywhere leads nowhere
    gmc_subset_run run = gmc_subset_of_run(s, 0);
    assert_true(run.is_stuck);
    assert_true(!run.is_short);
    assert_true(run.probability == 0);
    ASSERT_NEAR(run.reached, 1, 1e-15);
    ASSERT_NEAR(run.unsolved, 75 / 200.0, 1e-15);
    gmc_subset_free(s);
}

static void put_all(gmc_subset *s, const gmc_subset_stage *stage, double margin)
{
    for (uint64_t i = 0; i < stage->count; i++)
        gmc_subset_put(s, stage->trials[i], margin);
}

static void all_that_are_tied_go_on_alike(void **state)
{
    enum { RUNS = 64 };
    (void)state;
    gmc_subset_plan plan = PLAN;
    plan.runs = RUNS;
    gmc_subset *s;
    gmc_subset_stage stage;
    double sum = 0;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    for (uint64_t i = 0; i < stage.count; i++) { // of 200: 10 fail, 70 are tied, 120 are behind
        uint64_t place = stage.trials[i] % 200;
        gmc_subset_put(s, stage.trials[i], place < 10 ? -1 : place < 80 ? 0.5 : 2);
    }
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) { // no candidate is taken: the starts are all there is, ten times
        put_all(s, &stage, 3);
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    for (int r = 0; r < RUNS; r++) {
        gmc_subset_level first = gmc_subset_of_level(s, r, 0), last = gmc_subset_of_level(s, r, 1);
        assert_true(first.share == 0.4);
        assert_true(last.threshold == 0.5);
        assert_true(last.failing % 10 == 0);
        assert_true(gmc_subset_of_run(s, r).levels == 2);
        sum += last.failing / 10;
    }
    // 20 of 80 of which 10 fail: hypergeometric, 2.5 +- 1.29; four standard errors of 64. The
    // lowest would be 10
    assert_true(fabs(sum / RUNS - 2.5) < 4 * 1.29 / 8);
    gmc_subset_free(s);
}

static void more_than_half_end_the_run(void **state)
{
    (void)state;
    for (int tied = 100; tied <= 101; tied++) {
        gmc_subset_plan plan = PLAN;
        plan.runs = 1;
        gmc_subset *s;
        gmc_subset_stage stage;
        assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
        for (int i = 0; i < 200; i++)
            gmc_subset_put(s, stage.trials[i], i < 3 ? -1 : i < tied ? 0.5 : 2);
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
        assert_true((stage.count == 0) == (tied == 101));
        gmc_subset_run run = gmc_subset_of_run(s, 0);
        assert_true(run.is_stuck == (tied == 101));
        if (run.is_stuck) ASSERT_NEAR(run.probability, 3 / 200.0, 1e-15); // as of plain draws
        gmc_subset_free(s);
    }
}

/// Level 0 of each run: `failing` of 200 fail, as many more as make a tenth are near it. Half of
/// the candidates of level 1 get the one margin, half the other.
static gmc_subset *run_two_levels(int failing, double even, double odd)
{
    gmc_subset_plan plan = PLAN;
    plan.runs = 8;
    plan.levels = 2;
    gmc_subset *s;
    gmc_subset_stage stage;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    for (uint64_t i = 0; i < stage.count; i++) {
        uint64_t place = stage.trials[i] % 200;
        bool fails = place < (uint64_t)failing;
        gmc_subset_put(s, stage.trials[i], fails ? -1 : 0.01 * (double)place);
    }
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++)
            gmc_subset_put(s, stage.trials[i], stage.trials[i] % 2 ? odd : even);
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    return s;
}

static void unsolved_trials_count_by_their_level(void **state)
{
    (void)state;
    gmc_subset *s = run_two_levels(0, 0.001, (double)NAN);
    gmc_subset_run run = gmc_subset_of_run(s, 3);
    // a tenth is at level 1, of whose candidates as many are unsolved as are taken
    ASSERT_NEAR(run.reached, 0.1, 1e-15);
    ASSERT_NEAR(run.unsolved, 0.1, 1e-12);
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    assert_true(a.failure.p == 0);
    assert_true(a.failure.interval.lower == 0);
    ASSERT_NEAR(a.unsolved, 0.1, 1e-12);
    assert_int_equal(a.open, 0);
    assert_int_equal(a.open_trials, 8 * 90);
    // none of 1600 draws, 1 - 0.025^(1/1600); of the last set, 0.1 (1 - 0.025^(1/200)); and the
    // rest
    double plain = 1 - pow(0.025, 1 / 1600.0), last = 0.1 * (1 - pow(0.025, 1 / 200.0));
    assert_true(last < plain);
    ASSERT_NEAR(a.chains, plain + 0.1, 1e-12);
    // of which the plain draws met nothing, failing or unsolved: at 97.5 %
    assert_true(a.is_joined);
    ASSERT_NEAR(a.failure.interval.upper, 1 - pow(0.0125, 1 / 1600.0), 1e-12);
    gmc_subset_free(s);
}

static void nothing_found_is_bounded_by_plain_draws(void **state)
{
    (void)state;
    gmc_subset *s = run_two_levels(0, 0.001, 0.002);
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    assert_int_equal(a.draws, 1600);
    assert_int_equal(a.failing, 0);
    assert_int_equal(a.shorts, 8);
    assert_int_equal(a.trials, 8 * (200 + 180));
    assert_true(a.failure.p == 0);
    assert_true(a.failure.is_widened);
    assert_true(!a.is_contradictory);
    ASSERT_NEAR(a.failure.interval.upper, 1 - pow(0.025, 1 / 1600.0), 1e-12);
    ASSERT_NEAR(a.plain.upper, a.failure.interval.upper, 1e-15);
    assert_false(a.is_joined);
    gmc_subset_free(s);
}

static void flat_margins_are_bounded_by_plain_draws(void **state)
{
    (void)state;
    // 80 of 200 are on one margin: the next level is 0.4 of all, of whose 200 points none fails
    gmc_subset *s;
    gmc_subset_plan plan = PLAN;
    plan.runs = 8;
    plan.levels = 2;
    gmc_subset_stage stage;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++)
            gmc_subset_put(s, stage.trials[i], stage.trials[i] % 5 < 2 ? 0.5 : 1);
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    assert_true(a.failure.p == 0);
    assert_true(a.most == 2);
    assert_true(a.is_joined);
    assert_true(!a.is_contradictory);
    ASSERT_NEAR(a.chains, 0.4 * (1 - pow(0.025, 1 / 200.0)), 1e-12);
    ASSERT_NEAR(a.failure.interval.upper, 1 - pow(0.0125, 1 / 1600.0), 1e-12);
    assert_true(a.failure.interval.upper > a.plain.upper);
    gmc_subset_free(s);
}

static void levels_that_contradict_plain_draws_are_told(void **state)
{
    (void)state;
    // 15 of 200 fail, and chains lead away from them: 0.1 * 0.075 for 0.075
    gmc_subset *s = run_two_levels(15, 0.01, 0.01);
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    assert_int_equal(a.failing, 8 * 15);
    assert_true(a.failure.p < 0.02);
    assert_true(a.failure.interval.upper < a.plain.lower);
    assert_true(a.is_contradictory);
    gmc_subset_free(s);
    s = run_two_levels(30, 1, 1); // one level: the same trials, the same share
    a = gmc_subset_answer_of(s, 0.95);
    ASSERT_NEAR(a.failure.p, 0.15, 1e-12);
    assert_false(a.is_contradictory);
    gmc_subset_free(s);
}

static void often_failing_needs_one_level(void **state)
{
    (void)state;
    gmc_subset_plan plan = PLAN;
    gmc_subset *s;
    gmc_subset_stage stage;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    for (uint64_t i = 0; i < stage.count; i++)
        gmc_subset_put(s, stage.trials[i], i % 4 ? 1 : -1);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    assert_int_equal(stage.count, 0);
    ASSERT_NEAR(gmc_subset_of_run(s, 1).probability, 0.25, 1e-15);
    gmc_subset_free(s);
}

static void runs_of_one_level_are_plain_draws(void **state)
{
    (void)state;
    gmc_subset *s = run_two_levels(200, 1, 1); // all fail: the runs do not differ
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    assert_true(a.failure.p == 1);
    assert_true(a.most == 1);
    assert_true(a.failure.interval.upper == 1);
    ASSERT_NEAR(a.failure.interval.lower, pow(0.025, 1 / 1600.0), 1e-12);
    gmc_subset_free(s);
    s = run_two_levels(30, 1, 1);
    a = gmc_subset_answer_of(s, 0.95);
    gmc_interval plain = gmc_proportion_clopper_pearson(240, 1600, 0.95);
    ASSERT_NEAR(a.failure.interval.lower, plain.lower, 1e-15);
    ASSERT_NEAR(a.failure.interval.upper, plain.upper, 1e-15);
    gmc_subset_free(s);
}

static void too_many_trials_are_refused(void **state)
{
    (void)state;
    gmc_subset_plan plan = {.runs = 64, .levels = 30, .per_level = 1000000, .dimensions = 1};
    gmc_subset *s;
    assert_int_equal(gmc_subset_total(&plan), 0);
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_E_LIMIT);
    assert_null(s);
}

static void repeats_are_a_lognormal_mean(void **state)
{
    (void)state;
    const double values[] = {1e-6, 2e-6, 1e-6, 2e-6};
    gmc_repeats_estimate e = gmc_repeats_estimate_of(values, 4, 0.95);
    ASSERT_NEAR(e.p * 1e6, 1.5, 1e-12);
    // s² = (log 2)²/3, t_3 = 3.182446
    double s2 = 0.4804530139 / 3, half = 3.18244630528 * sqrt(s2 / 4 + s2 * s2 / 6);
    ASSERT_NEAR(e.interval.lower / 1.5e-6, exp(-half), 1e-9);
    ASSERT_NEAR(e.interval.upper / 1.5e-6, exp(half), 1e-9);
    assert_false(e.is_widened);
    const double none[] = {0, 2e-6};
    e = gmc_repeats_estimate_of(none, 2, 0.95);
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper > 1e-6);
    assert_true(e.is_widened);
    // plain draws bound it from above where a run found nothing, and only there
    const gmc_repeats_draws draws = {.hits = 3, .draws = 1000, .reached = 0.5, .points = 100};
    e = gmc_repeats_estimate_bounded(none, 2, &draws, 0.95);
    ASSERT_NEAR(e.interval.upper, gmc_proportion_clopper_pearson(3, 1000, 0.95).upper, 1e-15);
    const double nothing[] = {0, 0};
    e = gmc_repeats_estimate_bounded(nothing, 2, &draws, 0.95);
    ASSERT_NEAR(e.interval.upper, 0.5 * (1 - pow(0.025, 0.01)), 1e-12);
    e = gmc_repeats_estimate_bounded(values, 4, &draws, 0.95);
    ASSERT_NEAR(e.interval.upper / 1.5e-6, exp(half), 1e-9);
    e = gmc_repeats_estimate_of(values, 1, 0.95);
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
}

static const gmc_subset_plan AIMED = {
    .runs = 1, .levels = 6, .per_level = 200, .dimensions = DIMENSIONS, .seed = 5, .aimed = 300};
static const double RARE = 6.406521131670281e-05; // P(margin < 0), by quadrature over z1

static void aimed_draws_follow_from_the_margins_alone(void **state)
{
    (void)state;
    gmc_subset *a, *b, *c;
    gmc_subset_stage x, y;
    assert_int_equal(gmc_subset_create(&AIMED, &a), GMC_OK);
    assert_int_equal(gmc_subset_create(&AIMED, &b), GMC_OK);
    assert_int_equal(gmc_subset_create(&AIMED, &c), GMC_OK);
    run(a, false);
    assert_int_equal(gmc_subset_next(b, &x), GMC_OK);
    assert_int_equal(gmc_subset_next(c, &y), GMC_OK);
    uint64_t count = 0, levels = gmc_subset_total(&AIMED) - 300;
    while (x.count > 0) {
        assert_int_equal(x.count, y.count);
        for (uint64_t i = 0; i < x.count; i++) {
            double p[DIMENSIONS], q[DIMENSIONS];
            uint64_t backwards = x.trials[x.count - 1 - i];
            assert_true(x.trials[i] == y.trials[i]);
            assert_true(gmc_subset_point(b, x.trials[i], p));
            assert_true(gmc_subset_point(c, x.trials[i], q));
            assert_memory_equal(p, q, sizeof p);
            assert_true(gmc_subset_point(c, backwards, q));
            gmc_subset_put(b, x.trials[i], margin(p));
            gmc_subset_put(c, backwards, margin(q));
            count += x.trials[i] >= levels;
        }
        assert_int_equal(gmc_subset_next(b, &x), GMC_OK);
        assert_int_equal(gmc_subset_next(c, &y), GMC_OK);
    }
    assert_int_equal(y.count, 0);
    assert_int_equal(count, 300);
    gmc_subset_answer p = gmc_subset_answer_of(a, 0.95), q = gmc_subset_answer_of(b, 0.95);
    assert_true(p.is_aimed);
    assert_true(p.last.is_fitted);
    assert_true(p.failure.p == q.failure.p);
    assert_int_equal(p.last.failing.draws, 300 - 3 * (300 / 8));
    assert_int_equal(p.trials, 300 + 200 + (p.most - 1) * 180);
    assert_true(p.failure.interval.lower < RARE);
    assert_true(p.failure.interval.upper > RARE);
    gmc_subset_free(a);
    gmc_subset_free(b);
    gmc_subset_free(c);
}

/// What all stages of AIMED come to with such margins.
static gmc_subset_answer answer_to(double (*of)(const double *z))
{
    gmc_subset *s;
    gmc_subset_stage stage;
    double z[DIMENSIONS];
    assert_int_equal(gmc_subset_create(&AIMED, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            assert_true(gmc_subset_point(s, stage.trials[i], z));
            gmc_subset_put(s, stage.trials[i], of(z));
        }
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    gmc_subset_answer a = gmc_subset_answer_of(s, 0.95);
    gmc_subset_free(s);
    return a;
}

static double equal(const double *z)
{
    (void)z;
    return 1;
}

static double unknown(const double *z)
{
    (void)z;
    return (double)NAN;
}

/// Lost beyond 3.5 (one of 4300); before that nothing tells how near it is.
static double lost(const double *z) { return z[0] > 3.5 ? -DBL_MAX : 0.2; }

static void what_cannot_be_aimed_at_is_the_plain_draws(void **state)
{
    (void)state;
    double (*const kinds[])(const double *z) = {equal, unknown, lost};
    for (int i = 0; i < GMC_COUNT(kinds); i++) {
        gmc_subset_answer a = answer_to(kinds[i]);
        assert_false(a.is_aimed);
        assert_true(a.failure.interval.lower == a.plain.lower);
        assert_true(a.failure.interval.upper >= a.plain.upper);
        assert_true(a.failure.p <= a.failure.interval.upper);
        assert_int_equal(a.trials, 200);
    }
}

/// Nothing is told beyond 4.5, where all would fail.
static double open_beyond(const double *z) { return z[0] > 4.5 ? (double)NAN : margin(z); }

static void unsolved_aimed_draws_are_in_the_upper_end(void **state)
{
    (void)state;
    gmc_subset_answer a = answer_to(open_beyond);
    assert_true(a.is_aimed);
    assert_true(a.last.worst.hits > a.last.failing.hits);
    assert_true(a.failure.interval.lower < RARE - 3.4e-6);
    assert_true(a.failure.interval.upper > RARE);
}

int test_subset(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_in_which_trials_end_changes_nothing),
        cmocka_unit_test(margins_alone_lead_to_the_same_points_again),
        cmocka_unit_test(levels_are_nested_and_a_tenth_goes_on),
        cmocka_unit_test(unsolved_trials_go_no_further),
        cmocka_unit_test(all_that_are_tied_go_on_alike),
        cmocka_unit_test(more_than_half_end_the_run),
        cmocka_unit_test(unsolved_trials_count_by_their_level),
        cmocka_unit_test(nothing_found_is_bounded_by_plain_draws),
        cmocka_unit_test(flat_margins_are_bounded_by_plain_draws),
        cmocka_unit_test(levels_that_contradict_plain_draws_are_told),
        cmocka_unit_test(often_failing_needs_one_level),
        cmocka_unit_test(runs_of_one_level_are_plain_draws),
        cmocka_unit_test(too_many_trials_are_refused),
        cmocka_unit_test(repeats_are_a_lognormal_mean),
        cmocka_unit_test(aimed_draws_follow_from_the_margins_alone),
        cmocka_unit_test(what_cannot_be_aimed_at_is_the_plain_draws),
        cmocka_unit_test(unsolved_aimed_draws_are_in_the_upper_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
