// Inputs known from few measurements: 2000 times fresh measurements of a law that is known, from
// each the law of a scenario, trials of it, and the interval of what the measurements leave open.
// Does it hold the success that the true law has? The trials' own interval does not: it is asked
// beside it.
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/fit.h"
#include "sampling/estimate/measured.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 2000, ROWS_MAX = 50 };
static const double LEVEL = 0.95;

/// Friction scatters as lognormal(0.3, 10 %), and a grasp holds with a probability of friction.
static const double MEDIAN = 0.3, VARIATION = 0.1;

typedef struct study {
    const char *family; ///< "samples", or of a fit
    int rows, trials;
    double edge;   ///< friction from which on it holds
    double blur;   ///< of the edge, a standard deviation; 0: there it is certain
    double beyond; ///< friction from which on it does not; 0: it always does
} study;

static double holds(const study *s, double x)
{
    if (s->beyond > 0 && x > s->beyond) return 0;
    if (!(s->blur > 0)) return x >= s->edge ? 1 : 0;
    return gmc_normal_cdf((x - s->edge) / s->blur);
}

static gmc_distribution true_law(void)
{
    return (gmc_distribution){.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {MEDIAN, VARIATION}};
}

static double truth_of(const study *s)
{
    enum { PARTS = 200000 };
    gmc_distribution law = true_law();
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += holds(s, gmc_distribution_quantile(&law, (i + 0.5) / PARTS));
    return sum / PARTS;
}

typedef struct found {
    gmc_measured_answer open;
    gmc_interval trials, rows; ///< of the trials alone; of the share of rows that hold
} found;

static gmc_measured_trials verdict(bool is_kept)
{
    return (gmc_measured_trials){.failing = is_kept ? 0 : 1};
}

static found ask(const study *s, uint64_t number)
{
    double values[ROWS_MAX];
    gmc_distribution from = true_law(), law = {.type = GMC_DISTRIBUTION_EMPIRICAL};
    gmc_stream data = gmc_stream_open_hashed(2026, number, 1);
    int64_t held = 0;
    for (int i = 0; i < s->rows; i++) {
        values[i] = gmc_distribution_draw(&from, data, (uint64_t)i);
        held += holds(s, values[i]) > 0.5;
    }
    law.values = values;
    law.value_count = s->rows;
    const gmc_fit_family *family = gmc_fit_find(s->family);
    const char *hint;
    if (family) assert_null(family->fit(values, s->rows, &law, &hint));

    gmc_measured_input input = {&law, 7 + number};
    gmc_measured *laws;
    gmc_measured_sums sums;
    assert_int_equal(gmc_measured_create(&input, 1, &laws), GMC_OK);
    assert_int_equal(gmc_measured_sums_create(&sums), GMC_OK);
    gmc_stream chance = gmc_stream_open_hashed(2026, number, 2);
    int64_t works = 0, taken[ROWS_MAX] = {0}, kept[ROWS_MAX] = {0};
    for (uint64_t i = 0; i < (uint64_t)s->trials; i++) {
        double u = gmc_stream_uniform(chance, 2 * i), x = gmc_distribution_quantile(&law, u);
        int row = (int)floor(u * s->rows);
        bool is_kept = gmc_stream_uniform(chance, 2 * i + 1) < holds(s, x);
        works += is_kept;
        taken[row]++;
        kept[row] += is_kept;
        if (family) gmc_measured_add(&sums, gmc_measured_weigh(laws, &x), verdict(is_kept), 1);
    }
    for (int r = 0; r < s->rows && !family; r++) { // trials of a row weigh the same
        double at = r;
        const double *weights = gmc_measured_weigh(laws, &at);
        gmc_measured_add(&sums, weights, verdict(true), kept[r]);
        gmc_measured_add(&sums, weights, verdict(false), taken[r] - kept[r]);
    }
    found f = {.open = gmc_measured_interval(laws, &sums, LEVEL),
               .trials = gmc_proportion_either(works, s->trials, LEVEL),
               .rows = gmc_proportion_clopper_pearson(held, s->rows, LEVEL)};
    gmc_measured_sums_free(&sums);
    gmc_measured_free(laws);
    return f;
}

static bool is_in(gmc_interval i, double x) { return i.lower <= x && x <= i.upper; }

/// Covered at least so often of STUDIES: 90 % less what chance alone takes at 99 %.
static int least_covered(void)
{
    for (int k = STUDIES; k > 0; k--)
        if (gmc_proportion_upper(k, STUDIES, 0.99) < 0.90) return k + 1;
    return 1;
}

static void intervals_hold_the_success_of_the_true_law(void **state)
{
    (void)state;
    static const study S[] = {
        {"samples", 14, 4000, 0.27, 0, 0},     {"samples", 50, 4000, 0.27, 0, 0},
        {"samples", 14, 200, 0.27, 0.02, 0},   {"samples", 50, 4000, 0.27, 0.02, 0},
        {"samples", 14, 4000, 0.24, 0, 0},     {"samples", 50, 60, 0.27, 0, 0},
        {"lognormal", 14, 200, 0.27, 0, 0},    {"lognormal", 50, 200, 0.27, 0, 0},
        {"lognormal", 14, 200, 0.27, 0, 0.33}, {"lognormal", 14, 200, 0.24, 0, 0},
    };
    for (int i = 0; i < GMC_COUNT(S); i++) {
        const study *s = &S[i];
        double truth = truth_of(s), width = 0, rows = 0;
        int covered = 0, trials = 0;
        for (uint64_t k = 0; k < STUDIES; k++) {
            found f = ask(s, k);
            covered += is_in(f.open.interval, truth);
            trials += is_in(f.trials, truth);
            width += (f.open.interval.upper - f.open.interval.lower) / STUDIES;
            rows += (f.rows.upper - f.rows.lower) / STUDIES;
        }
        printf(
            "%s of %d, %d trials, edge %.2f +- %.2f ... %.2f, success %.4f: covers %d of %d, the "
            "trials' own %d; width %.4f, %.2f of that of the share of rows\n",
            s->family, s->rows, s->trials, s->edge, s->blur, s->beyond, truth, covered, STUDIES,
            trials, width, width / rows);
        assert_true(covered >= least_covered());
        if (s->rows == 50) assert_true(width <= 1.5 * rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_success_of_the_true_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
