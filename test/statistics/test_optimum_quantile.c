// Numbers chosen for a quantile, where it is known: how far from the best is what is chosen? The
// middle of what is measured, and how it scatters, have their best in different places, so that
// neither the mean nor a median would do.
#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/design/optimum.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <math.h>

static const double P = 0.95;

static double middle(const double *x)
{
    return 2 * (x[0] - 0.8) * (x[0] - 0.8) + 1.5 * (x[1] - 0.3) * (x[1] - 0.3);
}

static double scatter(const double *x) { return 0.1 + 0.5 * x[0] * x[0] + 0.1 * x[1]; }

static double quantile(const double *x) { return middle(x) + scatter(x) * gmc_normal_quantile(P); }

static double best_quantile(void)
{
    enum { STEPS = 400 };
    double best = HUGE_VAL;
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; j <= STEPS; j++)
            best = fmin(best, quantile((double[2]){(double)i / STEPS, (double)j / STEPS}));
    return best;
}

/// @param unknown  share of trials of which nothing is known
/// @return what the chosen design has
static double optimise(uint64_t seed, double unknown)
{
    const gmc_optimum_plan plan = {.numbers = 2, .budget = 6000};
    gmc_optimum *o;
    gmc_optimum_quantile *q;
    gmc_optimum_round round;
    assert_int_equal(gmc_optimum_create(&plan, &o), GMC_OK);
    assert_int_equal(gmc_optimum_quantile_create(P, &q), GMC_OK);
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    while (!round.is_last) {
        int first = gmc_optimum_count(o) - round.count;
        for (int i = 0; i < round.count; i++)
            for (int64_t d = 0; d < round.draws; d++) {
                gmc_stream u =
                    gmc_stream_open_hashed(seed, (uint64_t)(round.number * 100000 + d), 1);
                double z = gmc_normal_quantile(gmc_stream_uniform(u, 0) + 0x1p-54);
                const double *x = round.x + 2 * i;
                bool is_open = gmc_stream_uniform(u, 1) < unknown;
                double y = is_open ? HUGE_VAL : middle(x) + scatter(x) * z;
                assert_int_equal(gmc_optimum_quantile_add(q, first + i, y), GMC_OK);
            }
        double c;
        assert_int_equal(gmc_optimum_quantile_aim(q, o, &c), GMC_OK);
        assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    }
    double found = quantile(round.x);
    gmc_optimum_quantile_free(q);
    gmc_optimum_free(o);
    return found;
}

static void what_is_chosen_is_near_the_best(void **state)
{
    (void)state;
    enum { STUDIES = 12 };
    double best = best_quantile(), worst = quantile((double[2]){1, 1}), sum = 0, most = 0;
    for (uint64_t k = 0; k < STUDIES; k++) {
        double left = optimise(300 + k, 0) - best;
        sum += left / STUDIES;
        most = fmax(most, left);
    }
    printf("0.95 quantile, best %.4f, of a corner %.4f: left %.4f on average, %.4f at most of %d\n",
           best, worst, sum, most, STUDIES);
    assert_true(sum <= 0.01);
    assert_true(most <= 0.02);
}

static void trials_of_which_nothing_is_known_are_the_worst(void **state)
{
    (void)state;
    double best = best_quantile();
    double left = optimise(400, 0.02) - best; // every design has as many
    assert_true(left >= 0);
    assert_true(left <= 0.1);
    // none is known: nothing is preferred, and it ends
    assert_true(isfinite(optimise(401, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_chosen_is_near_the_best),
        cmocka_unit_test(trials_of_which_nothing_is_known_are_the_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
