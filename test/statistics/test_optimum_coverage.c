// Numbers chosen for success, on surfaces that are known: how far from the best is what is chosen,
// does the interval of its own trials cover what it truly has, and how many trials would a grid
// take?
#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/design/optimum.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <math.h>
#include <stdlib.h>

enum { STUDIES = 200, WIDE = 2000 };
static const double LEVEL = 0.95, NEAR_BEST = 0.01;
static const double COMMON = 0.5; // share of a trial's chance that all designs of a draw have

/// A success probability over numbers in [0, 1], as the mean of the normal margin that gives it.
typedef struct problem {
    const char *name;
    int numbers;
    int64_t budget;
    double (*margin)(const double *x);
    double best; ///< success at the best x
} problem;

/// Force and height: too little lets go, too much crushes, and how much is too much depends on the
/// height.
static double window(const double *x)
{
    double lets_go = gmc_normal_cdf((x[0] - 0.3 - 0.2 * x[1]) / 0.1);
    double crushes = gmc_normal_cdf((0.62 - x[0] + 0.35 * x[1]) / 0.12);
    double misses = gmc_normal_cdf((0.8 - x[1]) / 0.1);
    return gmc_normal_quantile(lets_go * crushes * misses);
}

/// Two hills, the lower one broad.
static double hills(const double *x)
{
    static const double HIGH[4] = {0.25, 0.7, 0.6, 0.35}, LOW[4] = {0.75, 0.3, 0.4, 0.7};
    double a = 0, b = 0;
    for (int j = 0; j < 4; j++) {
        a += (x[j] - HIGH[j]) * (x[j] - HIGH[j]);
        b += (x[j] - LOW[j]) * (x[j] - LOW[j]);
    }
    return gmc_max(1.3 - 8 * a, 0.8 - 3 * b);
}

/// Eight numbers, some of which matter sixteen times as much as others, and not one by one.
static double bowl(const double *x)
{
    static const double BEST[8] = {0.3, 0.6, 0.45, 0.8, 0.35, 0.55, 0.7, 0.4};
    static const double WEIGHT[8] = {8, 8, 4, 4, 2, 2, 0.5, 0.5};
    double sum = 0, d[8];
    for (int j = 0; j < 8; j++)
        d[j] = x[j] - BEST[j];
    for (int j = 0; j < 8; j++) {
        double e = d[j] + 0.4 * d[(j + 1) % 8];
        sum += WEIGHT[j] * e * e;
    }
    return 1.6 - sum;
}

static double success(const problem *p, const double *x) { return gmc_normal_cdf(p->margin(x)); }

/// Verdicts of a design in a round: the margin and normal chance, half of it common to a draw.
static gmc_tally run(const problem *p, uint64_t seed, int round, int design, int64_t draws,
                     const double *x)
{
    gmc_tally tally = {0};
    double margin = p->margin(x), common = sqrt(COMMON), own = sqrt(1 - COMMON);
    gmc_stream shared = gmc_stream_open_hashed(seed, (uint64_t)round, 1);
    gmc_stream apart = gmc_stream_open_hashed(seed, (uint64_t)round, 2 + (uint64_t)design);
    for (int64_t d = 0; d < draws; d++) {
        double a = gmc_normal_quantile(gmc_stream_uniform(shared, (uint64_t)d) + 0x1p-54);
        double b = gmc_normal_quantile(gmc_stream_uniform(apart, (uint64_t)d) + 0x1p-54);
        gmc_tally_add(&tally, margin + common * a + own * b > 0 ? GMC_VERDICT_SUCCESS
                                                                : GMC_VERDICT_FAILURE);
    }
    return tally;
}

static void optimise(const problem *p, uint64_t seed, bool is_cautious, gmc_optimum_answer *answer)
{
    gmc_optimum_plan plan = {
        .numbers = p->numbers, .budget = p->budget, .is_cautious = is_cautious};
    gmc_optimum *o;
    assert_true(p->budget >= gmc_optimum_least(p->numbers));
    assert_int_equal(gmc_optimum_create(&plan, &o), GMC_OK);
    gmc_optimum_round round;
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    while (round.count > 0) {
        for (int i = 0; i < round.count; i++)
            gmc_optimum_put(o, i,
                            run(p, seed, round.number, i, round.draws,
                                round.x + (size_t)i * (size_t)p->numbers));
        assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    }
    assert_int_equal(gmc_optimum_conclude(o, answer), GMC_OK);
    assert_true(answer->trials <= p->budget);
    gmc_optimum_free(o);
}

/// Points of the coarsest regular grid, ends included, that has one within reach of the best.
static double grid_points(const problem *p, double best)
{
    for (int k = 2;; k++) {
        int at[8] = {0};
        double highest = 0, points = 1;
        for (int j = 0; j < p->numbers; j++)
            points *= k;
        for (int j = 0; j < p->numbers;) {
            double x[8];
            for (int i = 0; i < p->numbers; i++)
                x[i] = (double)at[i] / (k - 1);
            highest = gmc_max(highest, success(p, x));
            if (highest >= best - NEAR_BEST) return points;
            for (j = 0; j < p->numbers && ++at[j] == k; j++)
                at[j] = 0;
        }
    }
}

static double best_of_window(const problem *p)
{
    double best = 0;
    for (int i = 0; i <= WIDE; i++)
        for (int j = 0; j <= WIDE; j++)
            best = gmc_max(best, success(p, (double[2]){(double)i / WIDE, (double)j / WIDE}));
    return best;
}

/// Covered at least so often: 94 % less what chance alone takes at 99 %.
static int least_covered(void)
{
    for (int k = STUDIES; k > 0; k--)
        if (gmc_proportion_upper(k, STUDIES, 0.99) < 0.94) return k + 1;
    return 1;
}

static void judge(problem p, bool is_cautious)
{
    if (p.best <= 0) p.best = best_of_window(&p);
    int covered = 0, near = 0, told = 0;
    double regret = 0, worst = 0, width = 0, bound = 0;
    int64_t last = 0;
    for (uint64_t k = 0; k < STUDIES; k++) {
        gmc_optimum_answer answer;
        optimise(&p, 20000 + k, is_cautious, &answer);
        int64_t n = gmc_tally_trials(answer.tally);
        gmc_interval interval = gmc_proportion_wilson(answer.tally.successes, n, LEVEL);
        double truth = success(&p, answer.x), left = p.best - truth;
        covered += interval.lower <= truth;
        near += left <= NEAR_BEST;
        told += left <= answer.most - interval.lower;
        regret += left / STUDIES;
        worst = gmc_max(worst, left);
        bound += gmc_max(0, answer.most - interval.lower) / STUDIES;
        width += (interval.upper - interval.lower) / STUDIES;
        last = n;
    }
    double points = grid_points(&p, p.best), grid = points * (double)last;
    printf("%s%s: %d numbers, best %.4f; %d trials, %.0f of a grid of %.0f points; left %.4f on "
           "average, "
           "%.4f at most, within 0.01 in %d of %d; lower end covers in %d, width %.3f; left is at "
           "most what is told "
           "in %d, told %.3f\n",
           p.name, is_cautious ? " cautiously" : "", p.numbers, p.best, (int)p.budget, grid, points,
           regret, worst, near, STUDIES, covered, width, told, bound);
    assert_true(10 * (double)p.budget <= grid);
    assert_true(regret <= NEAR_BEST);
    assert_true(covered >= least_covered());
}

static const problem WINDOW = {"window", 2, 6000, window, 0};
static const problem HILLS = {"hills", 4, 20000, hills, 0.903199515414390};
static const problem BOWL = {"bowl", 8, 60000, bowl, 0.945200708300442};

static void finds_the_best_of_two(void **state)
{
    (void)state;
    judge(WINDOW, false);
    judge(WINDOW, true);
}

static void finds_the_best_of_four(void **state)
{
    (void)state;
    judge(HILLS, false);
}

static void finds_the_best_of_eight(void **state)
{
    (void)state;
    judge(BOWL, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_best_of_two),
        cmocka_unit_test(finds_the_best_of_four),
        cmocka_unit_test(finds_the_best_of_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
