// Do the numbers follow the laws they claim? Kolmogorov-Smirnov tests with fixed seeds. About 30
// are made, so each may miss by chance with probability 1e-5 only: together 3e-4. What a
// threshold this wide would not see (a generator slightly too even or uneven everywhere) is seen by
// the test of the test: among 1000 streams, as many must pass the 5 % and 20 % limits as should.
#include "engine/base/status.h"
#include "sampling/random/distribution.h"
#include "sampling/random/rotation.h"
#include "test/support/near.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000 };
static const double KS_MAX = 2.4705;    // √n D at p = 1e-5: √(−log(0.5e-5)/2)
static const double NORMAL_MAX = 4.417; // |z| at p = 1e-5

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// √n times the largest distance between the values' steps and the diagonal; sorts u
static double ks(double *u, int n)
{
    double worst = 0.0;
    qsort(u, (size_t)n, sizeof *u, compare);
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, (double)(i + 1) / n - u[i]);
        worst = fmax(worst, u[i] - (double)i / n);
    }
    return worst * sqrt((double)n);
}

static void uniform_along_every_part_of_the_address(void **state)
{
    (void)state;
    static double u[COUNT];
    static const char *const PARTS[] = {"index", "draw", "seed", "name", "case"};
    for (int part = 0; part < GMC_COUNT(PARTS); part++) {
        for (int i = 0; i < COUNT; i++) {
            uint64_t k = (uint64_t)i;
            char name[32] = "friction";
            if (part == 3) snprintf(name, sizeof name, "parameter.%d", i);
            gmc_stream s = gmc_stream_open(part == 2 ? k : 1, part == 1 ? k : 0, name);
            if (part == 4) s = gmc_stream_for_case(s, k);
            u[i] = gmc_stream_uniform(s, part == 0 ? k : 0);
        }
        double distance = ks(u, COUNT);
        if (!(distance < KS_MAX)) fail_msg("along %s: %g", PARTS[part], distance);
    }
}

static void limits_are_passed_as_often_as_they_should_be(void **state)
{
    (void)state;
    enum { STREAMS = 1000, LENGTH = 500 };
    // Stephens' form of the statistic for finite n [stephens1974], its limits at 20 % and 5 %
    static const double LIMIT[2] = {1.073, 1.358}, SHARE[2] = {0.2, 0.05};
    static double u[LENGTH];
    int over[2] = {0, 0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        for (uint64_t i = 0; i < LENGTH; i++)
            u[i] = gmc_stream_uniform(gmc_stream_open_hashed(seed, i, 99), 0);
        double root = sqrt((double)LENGTH);
        double distance = ks(u, LENGTH) / root * (root + 0.12 + 0.11 / root);
        for (int k = 0; k < 2; k++)
            over[k] += distance > LIMIT[k];
    }
    for (int k = 0; k < 2; k++)
        ASSERT_NEAR(over[k] / (double)STREAMS, SHARE[k],
                    3.0 * sqrt(SHARE[k] * (1.0 - SHARE[k]) / STREAMS));
}

static void names_draws_and_seeds_are_not_correlated(void **state)
{
    (void)state;
    // pairs of numbers one step apart in each part of the address: r √n is standard normal, 3.29 is
    // p = 0.001
    for (int part = 0; part < 5; part++) {
        double sum = 0.0;
        for (int i = 0; i < COUNT; i++) {
            gmc_stream a = gmc_stream_open(5, (uint64_t)i, "object.mass"), b = a;
            if (part == 1) b = gmc_stream_open(5, (uint64_t)i + 1, "object.mass");
            if (part == 2) b = gmc_stream_open(6, (uint64_t)i, "object.mass");
            if (part == 3) b = gmc_stream_open(5, (uint64_t)i, "object.mast");
            if (part == 4) b = gmc_stream_for_case(a, 0);
            double x = gmc_stream_uniform(a, 0), y = gmc_stream_uniform(b, part == 0);
            sum += 12.0 * (x - 0.5) * (y - 0.5);
        }
        double r = sum / sqrt((double)COUNT);
        if (!(fabs(r) < NORMAL_MAX)) fail_msg("part %d: %g", part, r);
    }
}

static void drawn_values_follow_their_laws(void **state)
{
    (void)state;
    static const gmc_distribution LAWS[] = {
        {.type = GMC_DISTRIBUTION_UNIFORM, .p = {-0.26, 0.26}},
        {.type = GMC_DISTRIBUTION_NORMAL, .p = {0.01, 0.004}},
        {.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {0.3, 0.4}},
        {.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {0.1, 0.2, 0.5}},
        {.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {0.1, 0.1, 0.5}},
        {.type = GMC_DISTRIBUTION_NORMAL,
         .p = {0, 1},
         .is_truncated = true,
         .lower = -1,
         .upper = 2},
        {.type = GMC_DISTRIBUTION_NORMAL,
         .p = {0, 1},
         .is_truncated = true,
         .lower = 9,
         .upper = 10},
        {.type = GMC_DISTRIBUTION_NORMAL,
         .p = {0.2, 0.1},
         .is_truncated = true,
         .lower = 0,
         .upper = HUGE_VAL},
        {.type = GMC_DISTRIBUTION_LOGNORMAL,
         .p = {1, 0.5},
         .is_truncated = true,
         .lower = 0.5,
         .upper = 1.5},
        {.type = GMC_DISTRIBUTION_STUDENT, .p = {0.42, 0.031, 13}},
        {.type = GMC_DISTRIBUTION_LOG_STUDENT, .p = {0.42, 0.09, 2}},
    };
    static double u[COUNT];
    for (int law = 0; law < GMC_COUNT(LAWS); law++) {
        for (int i = 0; i < COUNT; i++) {
            gmc_stream s = gmc_stream_open(2, (uint64_t)i, gmc_distribution_name(LAWS[law].type));
            u[i] = gmc_distribution_cdf(LAWS + law, gmc_distribution_draw(LAWS + law, s, 0));
        }
        double distance = ks(u, COUNT);
        if (!(distance < KS_MAX)) fail_msg("law %d: %g", law, distance);
    }
}

static void listed_values_come_as_often_as_weighted(void **state)
{
    (void)state;
    static const double VALUES[4] = {3.0, -1.0, 2.0, 10.0}, WEIGHTS[4] = {1.0, 2.0, 4.0, 1.0};
    gmc_distribution d = {
        .type = GMC_DISTRIBUTION_DISCRETE, .values = VALUES, .weights = WEIGHTS, .value_count = 4};
    double seen[4] = {0}, chi2 = 0.0;
    for (int i = 0; i < COUNT; i++) {
        double x = gmc_distribution_draw(&d, gmc_stream_open(3, (uint64_t)i, "object"), 0);
        for (int k = 0; k < 4; k++)
            seen[k] += x == VALUES[k];
    }
    for (int k = 0; k < 4; k++) {
        double expected = COUNT * WEIGHTS[k] / 8.0;
        chi2 += (seen[k] - expected) * (seen[k] - expected) / expected;
    }
    assert_true(chi2 < 25.90); // χ² with 3 degrees of freedom at p = 1e-5
}

static void rotations_turn_a_vector_everywhere(void **state)
{
    (void)state;
    // under a uniform rotation each coordinate of a turned axis is uniform on [−1, 1] (Archimedes),
    // and the angle θ has P(angle <= θ) = (θ − sin θ)/π
    static double u[4][COUNT];
    for (int i = 0; i < COUNT; i++) {
        gmc_stream s = gmc_stream_open(4, (uint64_t)i, "object.orientation");
        double q[4], w, x, y, z;
        gmc_rotation_uniform(gmc_stream_uniform(s, 0), gmc_stream_uniform(s, 1),
                             gmc_stream_uniform(s, 2), q);
        w = q[0], x = q[1], y = q[2], z = q[3];
        ASSERT_NEAR(w * w + x * x + y * y + z * z, 1.0, 1e-15);
        u[0][i] = 0.5 + (x * z + w * y); // turned z axis
        u[1][i] = 0.5 + (y * z - w * x);
        u[2][i] = 0.5 + 0.5 * (1.0 - 2.0 * (x * x + y * y));
        double angle = 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
        u[3][i] = (angle - sin(angle)) / 3.14159265358979323846;
    }
    for (int k = 0; k < 4; k++) {
        double distance = ks(u[k], COUNT);
        if (!(distance < KS_MAX)) fail_msg("coordinate %d: %g", k, distance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_along_every_part_of_the_address),
        cmocka_unit_test(limits_are_passed_as_often_as_they_should_be),
        cmocka_unit_test(names_draws_and_seeds_are_not_correlated),
        cmocka_unit_test(drawn_values_follow_their_laws),
        cmocka_unit_test(listed_values_come_as_often_as_weighted),
        cmocka_unit_test(rotations_turn_a_vector_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
