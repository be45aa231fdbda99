// Do first orders with the help of a surrogate hold the truth, whatever it is worth? On successes
// whose indices are known in closed form, with functions that are right, blurred, wrong, and
// fitted.
#include "engine/base/status.h"
#include "sampling/explain/given.h"
#include "sampling/explain/surrogate.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <stdlib.h>

enum { INPUTS = 3, DRAWS_MAX = 4096, BINS = 4096, FRESH = 40000, INFLUENTIAL = 2 };
static int repetitions = 100;

/// A grasp works where both inputs are above their edges, but for a share that is turned; the third
/// input does nothing.
typedef struct law {
    double edge[INFLUENTIAL], turned;
    int draws;
} law;

// With a_j = 1 - edge_j and p = a_0 a_1: E(works | u_j) is p/a_j beyond the edge and 0 before, of
// variance p² (1 − a_j)/a_j; a turned share t takes (1 − 2t)² of it
static double truth_of(const law *l, int input)
{
    double a = 1 - l->edge[0], b = 1 - l->edge[1], p = a * b, turn = 1 - 2 * l->turned;
    double success = l->turned + turn * p, all = success * (1 - success);
    if (input == 2) return 0;
    double own = input == 0 ? a : b;
    return turn * turn * p * p * (1 - own) / own / all;
}

static double margin(const law *l, const double *u)
{
    return fmin(u[0] - l->edge[0], u[1] - l->edge[1]);
}

typedef enum guess { RIGHT, STEEP, BLURRED, FLAT, SHIFTED, MEAN, WRONG, GUESSES } guess;
static const char *const NAMES[GUESSES] = {"right",   "steep", "blurred",  "flat",
                                           "shifted", "mean",  "wrong way"};

static double guessed(const law *l, guess by, const double *u)
{
    static const double WIDTH[] = {[STEEP] = 0.01, [BLURRED] = 0.05, [FLAT] = 0.3};
    double m = margin(l, u), works = m > 0 ? 1 - l->turned : l->turned;
    switch (by) {
    case RIGHT:
        return works;
    case STEEP:
    case BLURRED:
    case FLAT:
        return fmin(fmax(0.5 + m / WIDTH[by], 0), 1);
    case SHIFTED:
        return m > 0.02 * (1 + u[2]) ? 1 : 0;
    case MEAN:
        return 0.5;
    case WRONG:
    case GUESSES:
        break;
    }
    return 1 - works;
}

static void draw(uint64_t seed, uint64_t index, double *u)
{
    gmc_stream s = gmc_stream_open_hashed(seed, index, 7);
    for (uint64_t j = 0; j < INPUTS + 1; j++)
        u[j] = gmc_stream_uniform(s, j);
}

static double trial(const law *l, const double *u)
{
    return (margin(l, u) > 0) != (u[INPUTS] < l->turned);
}

// ---- one study --------------------------------------------------------------------------------

static double inputs[DRAWS_MAX][INPUTS + 1], outcomes[DRAWS_MAX], fresh[FRESH][INPUTS + 1];
static gmc_given_row rows[2 * BINS];
static int64_t rarer;

static void run_trials(const law *l, uint64_t seed)
{
    rarer = 0;
    for (int i = 0; i < l->draws; i++) {
        draw(seed, (uint64_t)i, inputs[i]);
        outcomes[i] = trial(l, inputs[i]);
        rarer += outcomes[i] > 0;
    }
    if (rarer > l->draws / 2) rarer = l->draws - rarer;
    for (int i = 0; i < FRESH; i++)
        draw(seed, ((uint64_t)1 << 40) + (uint64_t)i, fresh[i]);
}

static gmc_index plain_of(const law *l, int input)
{
    for (int i = 0; i < l->draws; i++)
        rows[i] = (gmc_given_row){inputs[i][input], outcomes[i], i};
    return gmc_given_first(rows, l->draws, 0.95);
}

static gmc_given_bins open_bins(int input)
{
    gmc_given_bins bins;
    for (int i = 0; i < 2 * BINS; i++)
        rows[i] = (gmc_given_row){fresh[i][input], 0, i};
    assert_int_equal(gmc_given_bins_create(&bins, rows, 2 * BINS, BINS), GMC_OK);
    return bins;
}

static gmc_index helped_of(const law *l, guess by, int input)
{
    gmc_given_bins bins = open_bins(input);
    gmc_index index;
    for (int i = 0; i < FRESH; i++)
        gmc_given_bins_add(&bins, fresh[i][input], guessed(l, by, fresh[i]));
    for (int i = 0; i < l->draws; i++)
        rows[i] = (gmc_given_row){inputs[i][input], outcomes[i] - guessed(l, by, inputs[i]), i};
    assert_int_equal(gmc_given_surrogate_first(rows, l->draws, &bins, rarer, 0.95, &index), GMC_OK);
    gmc_given_bins_free(&bins);
    return index;
}

typedef struct tally {
    int held, helped;
    double width, alone;
} tally;

static void note(tally *t, gmc_index plain, gmc_index helped, double truth)
{
    bool is_better = gmc_given_surrogate_is_better(plain, helped);
    gmc_interval taken = is_better ? helped.interval : plain.interval;
    t->held += taken.lower <= truth + 1e-12 && truth - 1e-12 <= taken.upper; // of rounding
    t->helped += is_better;
    t->width += taken.upper - taken.lower;
    t->alone += plain.interval.upper - plain.interval.lower;
    assert_true(0 <= taken.lower);
    assert_true(taken.lower <= taken.upper);
    assert_true(taken.upper <= 1);
    assert_true(taken.upper - taken.lower <= plain.interval.upper - plain.interval.lower);
}

static void judge(const char *what, const law *l, const tally *t, int told)
{
    printf("  %-10s", what);
    for (int j = 0; j < INPUTS; j++) {
        printf(" | %.3f: %5.1f %%, width %.4f of %.4f", truth_of(l, j), 100.0 * t[j].held / told,
               t[j].width / told, t[j].alone / told);
        // Clopper and Pearson's bound at 99 %, as in test_sensitivity_success.c
        assert_true(gmc_proportion_upper(t[j].held, told, 0.99) >= 0.93);
    }
    printf("\n");
}

static const law LAWS[] = {{{0.1, 0.2}, 0, 1000},    {{0.28, 0}, 0, 1000},
                           {{0.02, 0.02}, 0, 1000},  {{0.1, 0.2}, 0.05, 1000},
                           {{0.28, 0}, 0, 4096},     {{0.005, 0.005}, 0, 4096},
                           {{0.2, 0.0}, 0.02, 2000}, {{0.002, 0}, 0, 4096}};

static void holds_whatever_the_function_is(void **state)
{
    (void)state;
    for (int k = 0; k < GMC_COUNT(LAWS); k++) {
        const law *l = &LAWS[k];
        tally tallies[GUESSES][INPUTS] = {{{0}}};
        int told = 0;
        for (int r = 0; r < repetitions; r++) {
            run_trials(l, (uint64_t)r);
            told += rarer >= GMC_GIVEN_RARE;
            for (int j = 0; j < INPUTS && rarer >= GMC_GIVEN_RARE; j++) {
                gmc_index plain = plain_of(l, j);
                for (guess by = 0; by < GUESSES; by++)
                    note(&tallies[by][j], plain, helped_of(l, by, j), truth_of(l, j));
            }
        }
        printf("edges %g, %g, turned %g, %d draws, told in %d of %d:\n", l->edge[0], l->edge[1],
               l->turned, l->draws, told, repetitions);
        for (guess by = 0; by < GUESSES && told > 0; by++)
            judge(NAMES[by], l, tallies[by], told);
        // a right function is worth four times the draws, where inputs do not decide by themselves
        if (k == 0) assert_true(tallies[RIGHT][0].width < 0.5 * tallies[RIGHT][0].alone);
    }
}

// ---- fitted -----------------------------------------------------------------------------------

static void draw_fresh(void *context, int64_t index, double *x)
{
    double u[INPUTS + 1];
    draw(*(const uint64_t *)context, ((uint64_t)1 << 40) + (uint64_t)index, u);
    for (int j = 0; j < INPUTS; j++)
        x[j] = u[j];
}

static void take_fresh(void *context, const double *x, const double *m)
{
    gmc_given_bins *bins = context;
    for (int j = 0; j < INPUTS; j++)
        gmc_given_bins_add(&bins[j], x[j], m[0]);
}

static void note_fitted(const law *l, uint64_t seed, tally *tallies)
{
    static double x[DRAWS_MAX * INPUTS], residuals[DRAWS_MAX];
    gmc_given_bins bins[INPUTS];
    bool is_there;
    for (int i = 0; i < l->draws; i++)
        for (int j = 0; j < INPUTS; j++)
            x[i * INPUTS + j] = inputs[i][j];
    for (int j = 0; j < INPUTS; j++)
        bins[j] = open_bins(j);
    gmc_surrogate_rows of = {
        .count = l->draws, .cases = 1, .inputs = INPUTS, .x = x, .y = outcomes};
    gmc_surrogate_fresh more = {.count = FRESH, .draw = draw_fresh, .context = &seed};
    gmc_surrogate_watch watch = {.take = take_fresh, .context = bins};
    assert_int_equal(gmc_surrogate_residuals(&of, &more, &watch, residuals, &is_there), GMC_OK);
    assert_true(is_there);
    for (int j = 0; j < INPUTS; j++) {
        gmc_index plain = plain_of(l, j), helped;
        for (int i = 0; i < l->draws; i++)
            rows[i] = (gmc_given_row){inputs[i][j], residuals[i], i};
        assert_int_equal(gmc_given_surrogate_first(rows, l->draws, &bins[j], rarer, 0.95, &helped),
                         GMC_OK);
        note(&tallies[j], plain, helped, truth_of(l, j));
        gmc_given_bins_free(&bins[j]);
    }
}

static void holds_with_a_fitted_function(void **state)
{
    (void)state;
    for (int k = 0; k < INFLUENTIAL; k++) {
        tally tallies[INPUTS] = {{0}};
        for (int r = 0; r < repetitions; r++) {
            run_trials(&LAWS[k], (uint64_t)r);
            note_fitted(&LAWS[k], (uint64_t)r, tallies);
        }
        judge("fitted", &LAWS[k], tallies, repetitions);
    }
}

static void tells_nothing_of_too_few(void **state)
{
    (void)state;
    const law few = {{0.02, 0}, 0, 400};
    run_trials(&few, 1);
    assert_true(rarer < GMC_GIVEN_RARE);
    gmc_index index = helped_of(&few, RIGHT, 0);
    assert_true(isnan(index.value));
    assert_true(index.interval.lower == 0);
    assert_true(index.interval.upper == 1);
    assert_false(gmc_given_surrogate_is_better(plain_of(&few, 0), index));
}

int main(int argc, char **argv)
{
    if (argc > 1) repetitions = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_whatever_the_function_is),
        cmocka_unit_test(holds_with_a_fitted_function),
        cmocka_unit_test(tells_nothing_of_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
