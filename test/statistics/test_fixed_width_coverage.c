// `--until half_width<w` of one case: coverage and cost by the exact law of (n, successes) at the
// looks of a campaign, for every p; and through a campaign's own prefix what cannot be enumerated.
// A run and its mirror image (failures for successes) stop alike, so that p >= 1/2 is all.
#include "sampling/campaign/prefix.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/estimate/needed.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <math.h>

enum { MOST = 20000, NO_END = MOST };

/// What becomes of all runs together.
typedef struct law {
    double covered, draws;
} law;

static double mass[MOST + 2];

/// Successes with a mass worth following: all others together are below 1e-10.
typedef struct band {
    int low, high;
} band;

static void draw_once(double p, band *b)
{
    mass[b->high + 1] = 0;
    for (int k = b->high + 1; k > b->low; k--)
        mass[k] = mass[k] * (1 - p) + mass[k - 1] * p;
    mass[b->low] *= 1 - p;
    b->high++;
    while (b->low < b->high && mass[b->low] < 1e-15)
        mass[b->low++] = 0;
    while (b->high > b->low && mass[b->high] < 1e-15)
        mass[b->high--] = 0;
}

/// What a run stops by, and the interval that is held against p.
typedef struct stopping {
    double width, level; ///< at which it stops
    double shown;        ///< level of the interval
    bool is_sequence;    ///< it is the confidence sequence
} stopping;

static gmc_interval interval_of(gmc_tally t, const stopping *r)
{
    if (r->is_sequence) {
        gmc_anytime a = gmc_anytime_start(1, r->shown);
        a.tally = t;
        a.draws = gmc_tally_trials(t);
        return gmc_anytime_interval(&a);
    }
    gmc_estimate e = gmc_fixed_width_estimate(t, r->width, r->shown);
    return (gmc_interval){e.lower, e.upper};
}

/// Take the runs out that end with n draws, all of them at the last one.
static double take_out(int n, bool is_last, double p, const stopping *r, const band *b, law *sum)
{
    double left = 0;
    for (int k = b->low; k <= b->high; k++) {
        gmc_tally t = {.successes = k, .failures = n - k};
        if (mass[k] == 0) continue;
        if (is_last || gmc_fixed_width_is_reached(t, r->width, r->level)) {
            gmc_interval at = interval_of(t, r);
            if (at.lower <= p && p <= at.upper) sum->covered += mass[k];
            sum->draws += n * mass[k];
            mass[k] = 0;
        }
        left += mass[k];
    }
    return left;
}

/// @param most  the run has no more draws
static law enumerate_rule(double p, const stopping *r, int most)
{
    law sum = {0};
    band b = {0, 0};
    int64_t look = 1;
    double left = 1;
    mass[0] = 1;
    for (int n = 1; n <= most && left > 1e-9; n++) {
        draw_once(p, &b);
        if (n < look && n < most) continue;
        look = gmc_prefix_next_look(n);
        left = take_out(n, n == most, p, r, &b, &sum);
    }
    for (int k = b.low; k <= b.high; k++)
        mass[k] = 0;
    ASSERT_BELOW(left, 1e-9); // the run ends
    return sum;
}

static law enumerate(double p, double width, double level, int most)
{
    const stopping r = {.width = width, .level = level, .shown = level};
    return enumerate_rule(p, &r, most);
}

/// The least coverage over p, on a grid that is closer where p is near 1.
static double least_covered(double width, double level, int most, int grid)
{
    double least = 1;
    for (int i = 0; i < grid; i++)
        least = fmin(least, enumerate(0.5 + 0.5 * (i + 0.5) / grid, width, level, most).covered);
    for (double q = 0.5 / grid; q > 1e-6; q /= 1.25)
        least = fmin(least, enumerate(1 - q, width, level, most).covered);
    return least;
}

static void it_covers_as_often_as_it_says_for_every_p(void **state)
{
    (void)state;
    static const struct {
        double level, width;
        int grid;
    } CASES[] = {{0.95, 0.05, 400}, {0.95, 0.01, 40},  {0.95, 0.02, 150}, {0.95, 0.1, 400},
                 {0.95, 0.2, 400},  {0.95, 0.3, 400},  {0.9, 0.05, 300},  {0.9, 0.1, 300},
                 {0.9, 0.2, 300},   {0.99, 0.05, 200}, {0.99, 0.1, 300},  {0.99, 0.3, 300}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        double least = least_covered(CASES[i].width, CASES[i].level, NO_END, CASES[i].grid);
        printf("level %g, half width %g: covers in %.3f %% of runs at least\n", CASES[i].level,
               CASES[i].width, 100 * least);
        assert_true(least >= CASES[i].level);
        assert_true(least < CASES[i].level + 0.02); // and gives nothing away
    }
}

static void it_takes_hardly_more_than_a_number_fixed_beforehand(void **state)
{
    (void)state;
    static const double P[] = {0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.93, 0.96, 0.98, 0.99};
    static const double WIDTHS[] = {0.05, 0.01};
    for (int w = 0; w < 2; w++)
        for (int i = 0; i < GMC_COUNT(P); i++) {
            gmc_needed guess = {.p = P[i], .case_count = 1};
            double fixed = (double)gmc_needed_fixed(&guess, WIDTHS[w], 0.95);
            double times = enumerate(P[i], WIDTHS[w], 0.95, NO_END).draws / fixed;
            printf("half width %g, p %g: %.3f times the %.0f of Wilson's\n", WIDTHS[w], P[i], times,
                   fixed);
            assert_true(times <= (P[i] <= 0.9 ? 1.15 : 1.5));
        }
}

/// A run with fewer draws than the width takes says what it has, in another interval.
static void it_covers_where_draws_run_out(void **state)
{
    (void)state;
    static const int MOSTS[] = {5, 10, 20, 40, 57, 80, 150, 300, 390};
    for (int i = 0; i < GMC_COUNT(MOSTS); i++) {
        double least = least_covered(0.05, 0.95, MOSTS[i], 300);
        printf("half width 0.05, at most %d draws: covers in %.3f %% of runs at least\n", MOSTS[i],
               100 * least);
        assert_true(least >= 0.95);
    }
    assert_true(least_covered(0.02, 0.95, 700, 60) >= 0.95);
}

/// `show --level` of a run that looked at another level: the rule's interval would not hold, and
/// where the level is higher would not even be the rule's; the sequence holds after any stop.
static void shown_at_another_level_the_sequence_holds(void **state)
{
    (void)state;
    static const struct {
        double stopped, shown, width;
    } CASES[] = {{0.9, 0.95, 0.05}, {0.8, 0.95, 0.05},  {0.8, 0.95, 0.2}, {0.99, 0.95, 0.1},
                 {0.95, 0.8, 0.1},  {0.95, 0.99, 0.05}, {0.5, 0.95, 0.1}};
    enum { GRID = 25 };
    double least_of_rule = 1;
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        double least[2] = {1, 1};
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < GRID; j++) {
                double p = 0.5 + 0.5 * (j + 0.5) / GRID;
                const stopping r = {.width = CASES[i].width,
                                    .level = CASES[i].stopped,
                                    .shown = CASES[i].shown,
                                    .is_sequence = k == 1};
                least[k] = fmin(least[k], enumerate_rule(p, &r, NO_END).covered);
            }
        printf("stopped at %g, half width %g, shown at %g: the rule's interval covers in %.2f %% "
               "at least, the sequence in %.2f %%\n",
               CASES[i].stopped, CASES[i].width, CASES[i].shown, 100 * least[0], 100 * least[1]);
        assert_true(least[1] >= CASES[i].shown);
        least_of_rule = fmin(least_of_rule, least[0] - CASES[i].shown);
    }
    assert_true(least_of_rule < 0); // the test can tell
}

// ---- through a campaign's prefix ----

static gmc_estimate run(gmc_prefix *p, uint64_t seed, uint64_t study, double success, double open)
{
    gmc_stream s = gmc_stream_open_hashed(seed, study, 0);
    for (uint64_t i = 0; p->verdict == GMC_STOP_UNDECIDED; i++) {
        double u = gmc_stream_uniform(s, i);
        gmc_verdict v = u < success          ? GMC_VERDICT_SUCCESS
                        : u < success + open ? GMC_VERDICT_UNSOLVED
                                             : GMC_VERDICT_FAILURE;
        assert_int_equal(gmc_prefix_add(p, i, v), GMC_OK);
    }
    gmc_estimate e =
        gmc_fixed_width_estimate(p->anytime.tally, p->rule.threshold, p->anytime.level);
    assert_int_equal(e.method, GMC_METHOD_FIXED_WIDTH);
    assert_true(0.5 * (e.upper - e.lower) < p->rule.threshold);
    return e;
}

/// Share of runs whose interval holds success with the unsolved trials on either side.
static double covered_runs(double width, double success, double open, int runs)
{
    int covered = 0;
    for (uint64_t i = 0; i < (uint64_t)runs; i++) {
        gmc_prefix p;
        gmc_stop_rule rule = {GMC_STOP_HALF_WIDTH, width};
        assert_int_equal(gmc_prefix_create(&p, rule, 1000000, 1, 0.95), GMC_OK);
        gmc_estimate e = run(&p, 41, i, success, open);
        covered += e.lower <= success && success + open <= e.upper;
        gmc_prefix_free(&p);
    }
    return covered / (double)runs;
}

static void a_campaign_stops_as_enumerated(void **state)
{
    (void)state;
    enum { RUNS = 4000 };
    static const double P[] = {0.6, 0.9, 0.985};
    for (int i = 0; i < GMC_COUNT(P); i++) {
        double found = covered_runs(0.05, P[i], 0, RUNS);
        double exact = enumerate(P[i], 0.05, 0.95, NO_END).covered;
        ASSERT_NEAR(found, exact, 4 * sqrt(exact * (1 - exact) / RUNS));
    }
    double narrow = covered_runs(0.01, 0.95, 0, RUNS);
    printf("half width 0.01, p 0.95: covers in %.2f %% of %d runs\n", 100 * narrow, RUNS);
    assert_true(narrow >= 0.945);
}

static void unsolved_trials_are_on_the_bad_side_of_either_end(void **state)
{
    (void)state;
    enum { RUNS = 4000 };
    static const double OPEN[] = {0.005, 0.02, 0.06};
    for (int i = 0; i < GMC_COUNT(OPEN); i++) {
        double found = covered_runs(0.05, 0.8, OPEN[i], RUNS);
        printf("%g unsolved: both ends hold in %.2f %% of %d runs\n", OPEN[i], 100 * found, RUNS);
        assert_true(found >= 0.945);
    }
}

/// Several cases stop by the confidence sequence: ten that fail together, two of three draws.
static void several_cases_keep_the_sequence(void **state)
{
    (void)state;
    enum { CASES = 10, RUNS = 300 };
    gmc_stop_rule rule = {GMC_STOP_HALF_WIDTH, 0.1};
    int covered = 0;
    assert_false(gmc_fixed_width_is_used(rule, CASES, 0.95));
    for (uint64_t r = 0; r < RUNS; r++) {
        gmc_prefix p;
        gmc_stream s = gmc_stream_open_hashed(43, r, 0);
        assert_int_equal(gmc_prefix_create(&p, rule, 1000000, CASES, 0.95), GMC_OK);
        for (uint64_t i = 0; p.verdict == GMC_STOP_UNDECIDED; i++) {
            double hard = gmc_stream_uniform(s, i / CASES), limit = (double)(i % CASES) / CASES;
            gmc_verdict v = hard < 0.25 + 0.5 * limit ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
            assert_int_equal(gmc_prefix_add(&p, i, v), GMC_OK);
        }
        gmc_interval at = gmc_anytime_interval(&p.anytime);
        assert_true(0.5 * (at.upper - at.lower) < 0.1);
        covered += at.lower <= 0.475 && 0.475 <= at.upper;
        gmc_prefix_free(&p);
    }
    printf("ten cases: covers in %d of %d runs\n", covered, RUNS);
    assert_true(covered >= 0.95 * RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_covers_as_often_as_it_says_for_every_p),
        cmocka_unit_test(it_takes_hardly_more_than_a_number_fixed_beforehand),
        cmocka_unit_test(it_covers_where_draws_run_out),
        cmocka_unit_test(shown_at_another_level_the_sequence_holds),
        cmocka_unit_test(a_campaign_stops_as_enumerated),
        cmocka_unit_test(unsolved_trials_are_on_the_bad_side_of_either_end),
        cmocka_unit_test(several_cases_keep_the_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
