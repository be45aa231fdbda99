// What is drawn together must go together as stated, in every design, and keep its own laws. Fixed
// seeds; limits of five standard errors (5e-7 each, some forty are looked at) unless said.
#include "sampling/scenario/perturb.h"
#include "test/support/cmocka.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 8192, PATHS = 8 };

static double column[PATHS][DRAWS];

// All draws of the named parameters of the demo with `fresh` behind it.
static void draw(const char *fresh, const char *const *paths, int count)
{
    static double values[512];
    gmc_reading_demo_with(&reading, NULL, fresh);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    const gmc_scenario *s = &reading.scenario;
    assert_true(s->parameter_count < GMC_COUNT(values));
    assert_true(count <= PATHS);
    for (uint64_t d = 0; d < DRAWS; d++) {
        assert_int_equal(gmc_perturb_values(s, 0, d, values, NULL), GMC_OK);
        for (int i = 0; i < count; i++)
            column[i][d] = values[gmc_scenario_find(s, paths[i])];
    }
}

static void moments(const double *x, double *mean, double *sd)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += x[i];
    *mean = sum / DRAWS;
    for (int i = 0; i < DRAWS; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *sd = sqrt(squares / (DRAWS - 1));
}

static double pearson(const double *x, const double *y)
{
    double mx, my, sx, sy, sum = 0;
    moments(x, &mx, &sx);
    moments(y, &my, &sy);
    for (int i = 0; i < DRAWS; i++)
        sum += (x[i] - mx) * (y[i] - my);
    return sum / (DRAWS - 1) / (sx * sy);
}

static const double *ranked;

static int by_value(const void *a, const void *b)
{
    double x = ranked[*(const int *)a], y = ranked[*(const int *)b];
    return (x > y) - (x < y);
}

static void rank(const double *x, double *ranks)
{
    static int order[DRAWS];
    for (int i = 0; i < DRAWS; i++)
        order[i] = i;
    ranked = x;
    qsort(order, DRAWS, sizeof *order, by_value);
    for (int i = 0; i < DRAWS; i++)
        ranks[order[i]] = i;
}

static double spearman(const double *x, const double *y)
{
    static double a[DRAWS], b[DRAWS];
    rank(x, a);
    rank(y, b);
    return pearson(a, b);
}

// Standard error of a correlation coefficient of normal numbers: (1 - r^2) over the root of n.
static double error_of(double r) { return (1 - r * r) / sqrt((double)DRAWS); }

static void expect_near(const char *what, double found, double expected, double limit)
{
    if (!(fabs(found - expected) <= limit))
        fail_msg("%s: %.5f, expected %.5f +- %.5f", what, found, expected, limit);
}

static const char *const DESIGNS[] = {"", "sampling: {design: sobol, draws: 8192}\n",
                                      "sampling: {design: latin_hypercube, draws: 8192}\n"};

static void normal_numbers_have_the_stated_coefficients(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"believed.object.pose.x",     "believed.object.pose.y",
                                        "believed.object.pose.z",     "believed.object.pose.roll",
                                        "believed.object.pose.pitch", "believed.object.pose.yaw"};
    const double sd[6] = {0.0012, 0.0012, 0.004, 0.04, 0.04, 0.02};
    for (int d = 0; d < GMC_COUNT(DESIGNS); d++) {
        char text[512];
        snprintf(text, sizeof text,
                 "believed: {object.pose: {sd: {x: 1.2 mm, y: 1.2 mm, z: 4 mm, roll: 40 mrad, "
                 "pitch: 40 mrad, yaw: 20 mrad}, correlation: {z/pitch: 0.6, x/yaw: -0.3}}}\n%s",
                 DESIGNS[d]);
        draw(text, NAMES, 6);
        for (int i = 0; i < 6; i++) {
            double mean, scatter;
            moments(column[i], &mean, &scatter);
            expect_near(NAMES[i], mean / sd[i], 0, 5 / sqrt((double)DRAWS));
            expect_near(NAMES[i], scatter / sd[i], 1, 5 / sqrt(2.0 * DRAWS));
            for (int j = 0; j < i; j++) {
                double r = i == 4 && j == 2 ? 0.6 : i == 5 && j == 0 ? -0.3 : 0;
                expect_near(NAMES[i], pearson(column[i], column[j]), r, 5 * error_of(r));
            }
        }
    }
}

static void other_laws_keep_themselves_and_have_the_rank_correlation(void **state)
{
    (void)state;
    // uniform masses and frictions; the rank correlation that goes with 0.7 [kruskal1958]
    static const char *const NAMES[] = {"object.mass", "friction.rubber/abs", "object.pose.yaw"};
    double ranks = 6 / acos(-1.0) * asin(0.35), error = 1 / sqrt((double)DRAWS); // at r = 0, larger
    for (int d = 0; d < GMC_COUNT(DESIGNS); d++) {
        char text[256];
        snprintf(text, sizeof text, "correlated: {object.mass / friction.rubber/abs: 0.7}\n%s",
                 DESIGNS[d]);
        draw(text, NAMES, 3);
        expect_near("ranks", spearman(column[0], column[1]), ranks, 5 * error);
        expect_near("others", spearman(column[0], column[2]), 0, 5 * error);
        expect_near("others", spearman(column[1], column[2]), 0, 5 * error);
        // Kolmogorov and Smirnov at p = 1e-5, against the uniform law
        const double ends[2][2] = {{0.1, 0.3}, {0.08, 0.30}};
        for (int i = 0; i < 2; i++) {
            static double r[DRAWS];
            double worst = 0;
            rank(column[i], r);
            for (int k = 0; k < DRAWS; k++) {
                double u = (column[i][k] - ends[i][0]) / (ends[i][1] - ends[i][0]);
                worst = fmax(worst, fabs(u - (r[k] + 0.5) / DRAWS));
            }
            assert_true(worst * sqrt((double)DRAWS) < 2.4705);
        }
    }
}

static void outliers_come_as_often_as_stated(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"believed.object.pose.outlier", "believed.object.pose.x"};
    draw("believed: {object.pose: {sd: {x: 1 mm}, outliers: {share: 2 %}}}\n", NAMES, 2);
    double count = 0;
    for (int i = 0; i < DRAWS; i++) {
        assert_true(column[0][i] == 0 || column[0][i] == 1);
        count += column[0][i];
    }
    expect_near("share", count / DRAWS, 0.02, 5 * sqrt(0.02 * 0.98 / DRAWS)); // binomial
    expect_near("with the error", pearson(column[0], column[1]), 0, 5 / sqrt((double)DRAWS));
}

static void measured_errors_keep_what_they_have_in_common(void **state)
{
    (void)state;
    // a parabola: no correlation at all, and yet one tells the other
    static const char *const NAMES[] = {"believed.object.pose.x", "believed.object.pose.z"};
    char rows[4096] = "x,z\n";
    size_t used = strlen(rows);
    for (int i = -50; i <= 50; i++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%d,%d\n", i, i * i);
    gmc_scratch_text(&reading.scratch, "rows.csv", rows);
    for (int d = 0; d < GMC_COUNT(DESIGNS); d++) {
        char text[256];
        snprintf(text, sizeof text, "believed: {object.pose: {samples: rows.csv}}\n%s", DESIGNS[d]);
        draw(text, NAMES, 2);
        int seen[101] = {0}, missing = 0;
        for (int i = 0; i < DRAWS; i++) {
            assert_true(column[1][i] == column[0][i] * column[0][i]);
            seen[(int)column[0][i] + 50]++;
        }
        for (int i = 0; i <= 100; i++)
            missing += fabs(seen[i] - DRAWS / 101.0) > 5 * sqrt(DRAWS / 101.0);
        assert_int_equal(missing, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_numbers_have_the_stated_coefficients),
        cmocka_unit_test(other_laws_keep_themselves_and_have_the_rank_correlation),
        cmocka_unit_test(outliers_come_as_often_as_stated),
        cmocka_unit_test(measured_errors_keep_what_they_have_in_common),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}
