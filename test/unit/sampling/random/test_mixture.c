#include "sampling/random/mixture.h"
#include "test/support/near.h"

enum { DRAWS = 20000, PARTS = 2, D = 2 };

static const double MEANS[PARTS][D] = {{2, 0}, {-1, 3}};
static const double COVARIANCES[PARTS][D * D] = {{1, 0, 0.6, 0.5}, {0.25, 0, 0, 2}};

static gmc_mixture made(void)
{
    gmc_mixture m;
    assert_int_equal(gmc_mixture_create(D, PARTS, &m), GMC_OK);
    assert_true(gmc_mixture_add(&m, 0.7, MEANS[0], COVARIANCES[0]));
    assert_true(gmc_mixture_add(&m, 0.3, MEANS[1], COVARIANCES[1]));
    return m;
}

/// Density of one component over the standard normal one, by the inverse of its covariance.
static double ratio(int k, const double *z)
{
    const double *S = COVARIANCES[k];
    double a = S[0], b = S[2], c = S[3], det = a * c - b * b;
    double x = z[0] - MEANS[k][0], y = z[1] - MEANS[k][1];
    double square = (c * x * x - 2 * b * x * y + a * y * y) / det;
    return exp(-0.5 * square + 0.5 * (z[0] * z[0] + z[1] * z[1])) / sqrt(det);
}

static void the_ratio_is_that_of_the_densities(void **state)
{
    (void)state;
    gmc_mixture m = made();
    double room[PARTS + D];
    for (int i = 0; i < 20; i++) {
        const double z[D] = {sin(i) * 4, cos(3 * i) * 4};
        double first = 0.7 * ratio(0, z), second = 0.3 * ratio(1, z);
        double found = gmc_mixture_log_ratio(&m, z, room);
        ASSERT_BELOW(fabs(found - log(first + second)), 1e-12);
        ASSERT_BELOW(fabs(room[0] - first / (first + second)), 1e-12);
    }
    gmc_mixture_free(&m);
}

static void draws_have_its_moments_and_weights_the_mean_one(void **state)
{
    (void)state;
    gmc_mixture m = made();
    double z[D], room[PARTS + D], sum[D] = {0}, weights = 0;
    for (int i = 0; i < DRAWS; i++) {
        gmc_mixture_draw(&m, gmc_stream_open(3, (uint64_t)i, "test"), z);
        sum[0] += z[0];
        sum[1] += z[1];
        weights += exp(gmc_mixture_log_ratio(&m, z, room)) > 1;
    }
    // five standard errors: standard deviations are 1.6 and 1.7
    assert_true(fabs(sum[0] / DRAWS - (0.7 * 2 - 0.3)) < 5 * 1.7 / sqrt(DRAWS));
    assert_true(fabs(sum[1] / DRAWS - 0.9) < 5 * 1.7 / sqrt(DRAWS));
    assert_true(weights > 0.6 * DRAWS);
    gmc_mixture_scale(&m, 1, 2);
    sum[0] = 0;
    for (int i = 0; i < DRAWS; i++) {
        gmc_mixture_draw(&m, gmc_stream_open(4, (uint64_t)i, "test"), z);
        sum[0] += exp(-gmc_mixture_log_ratio(&m, z, room));
    }
    // φ/q of a mixture wider than φ in every direction that matters
    assert_true(fabs(sum[0] / DRAWS - 1) < 0.1);
    gmc_mixture_free(&m);
}

static void a_covariance_that_is_none_is_refused(void **state)
{
    (void)state;
    gmc_mixture m;
    const double flat[D * D] = {1, 0, 1, 1};
    assert_int_equal(gmc_mixture_create(D, 1, &m), GMC_OK);
    assert_false(gmc_mixture_add(&m, 1, MEANS[0], flat));
    assert_int_equal(m.count, 0);
    gmc_mixture_free(&m);
}

static void a_fit_goes_where_the_weight_is(void **state)
{
    (void)state;
    enum { N = 4000 };
    static double points[N * D], rooms[N * (1 + D)], weights[N];
    const double unit[D * D] = {1, 0, 0, 1}, middle[D] = {0, 0};
    double room[D + D * D];
    gmc_mixture from, to;
    assert_int_equal(gmc_mixture_create(D, 1, &from), GMC_OK);
    assert_true(gmc_mixture_add(&from, 1, middle, unit));
    for (int i = 0; i < N; i++) {
        gmc_mixture_draw(&from, gmc_stream_open(9, (uint64_t)i, "test"), points + i * D);
        (void)gmc_mixture_log_ratio(&from, points + i * D, rooms + i * (1 + D));
        weights[i] = points[i * D] > 1;
    }
    gmc_mixture_draws draws = {N, points, rooms, weights};
    assert_int_equal(gmc_mixture_create(D, 1, &to), GMC_OK);
    gmc_mixture_fit(&from, &draws, room, &to);
    assert_int_equal(to.count, 1);
    // the standard normal law above 1 has the mean 1.525; five standard errors of 630 draws
    double sum = 0, off = 0;
    for (int i = 0; i < N; i++) {
        double z[D];
        gmc_mixture_draw(&to, gmc_stream_open(10, (uint64_t)i, "test"), z);
        sum += z[0] / N;
        off += z[1] / N;
    }
    assert_true(fabs(sum - 1.5251) < 5 * 0.45 / sqrt(600));
    assert_true(fabs(off) < 5 / sqrt(600));
    gmc_mixture_free(&to);
    for (int i = 0; i < N; i++)
        weights[i] = 0;
    assert_int_equal(gmc_mixture_create(D, 1, &to), GMC_OK);
    gmc_mixture_fit(&from, &draws, room, &to);
    assert_int_equal(to.count, 0);
    gmc_mixture_free(&to);
    gmc_mixture_free(&from);
}

int test_mixture(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_is_that_of_the_densities),
        cmocka_unit_test(draws_have_its_moments_and_weights_the_mean_one),
        cmocka_unit_test(a_covariance_that_is_none_is_refused),
        cmocka_unit_test(a_fit_goes_where_the_weight_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
