#include "engine/base/status.h"
#include "sampling/random/distribution.h"
#include "sampling/random/normal.h"
#include "test/support/near.h"

static gmc_distribution law(gmc_distribution_type type, double a, double b, double c)
{
    return (gmc_distribution){.type = type, .p = {a, b, c}};
}

static gmc_distribution cut(gmc_distribution d, double lower, double upper)
{
    d.is_truncated = true;
    d.lower = lower;
    d.upper = upper;
    return d;
}

static void density_is_the_slope_of_the_distribution_function(void **state)
{
    (void)state;
    const gmc_distribution laws[] = {
        law(GMC_DISTRIBUTION_UNIFORM, -1, 3, 0),
        law(GMC_DISTRIBUTION_NORMAL, 2, 0.5, 0),
        law(GMC_DISTRIBUTION_LOGNORMAL, 2, 0.4, 0),
        law(GMC_DISTRIBUTION_TRIANGULAR, 1, 2, 5),
        law(GMC_DISTRIBUTION_TRIANGULAR, 1, 1, 5),
        law(GMC_DISTRIBUTION_STUDENT, 2, 0.5, 4),
        law(GMC_DISTRIBUTION_LOG_STUDENT, 2, 0.4, 13),
        cut(law(GMC_DISTRIBUTION_STUDENT, 0, 1, 3), 0.5, 2),
        cut(law(GMC_DISTRIBUTION_LOG_STUDENT, 1, 0.3, 5), 0.5, 1.5),
        cut(law(GMC_DISTRIBUTION_NORMAL, 0, 1, 0), 0.5, 2),
        cut(law(GMC_DISTRIBUTION_NORMAL, 0, 1, 0), 5, INFINITY),
        cut(law(GMC_DISTRIBUTION_LOGNORMAL, 1, 0.3, 0), 0.5, 1.5),
    };
    for (int i = 0; i < GMC_COUNT(laws); i++)
        for (int k = 1; k < 50; k++) {
            double x = gmc_distribution_quantile(&laws[i], (k + 0.31) / 51), h = 1e-5;
            double slope =
                (gmc_distribution_cdf(&laws[i], x + h) - gmc_distribution_cdf(&laws[i], x - h)) /
                (2 * h);
            // h² times a third derivative of up to some hundred; the tail of the sixth law is steep
            ASSERT_NEAR(gmc_distribution_density(&laws[i], x), slope, 1e-6 * fmax(slope, 1));
        }
}

static void there_is_none_outside_and_ends_belong(void **state)
{
    (void)state;
    gmc_distribution u = law(GMC_DISTRIBUTION_UNIFORM, 1, 3, 0);
    assert_true(gmc_distribution_density(&u, 1) == 0.5);
    assert_true(gmc_distribution_density(&u, 3) == 0.5);
    assert_true(gmc_distribution_density(&u, 0.999) == 0);
    assert_true(gmc_distribution_density(&u, 3.001) == 0);
    gmc_distribution n = cut(law(GMC_DISTRIBUTION_NORMAL, 0, 1, 0), -1, 1);
    assert_true(gmc_distribution_density(&n, 1) > 0);
    assert_true(gmc_distribution_density(&n, 1.001) == 0);
    gmc_distribution l = law(GMC_DISTRIBUTION_LOGNORMAL, 2, 0.4, 0);
    assert_true(gmc_distribution_density(&l, 0) == 0);
    assert_true(gmc_distribution_density(&l, -1) == 0);
    gmc_distribution t = law(GMC_DISTRIBUTION_TRIANGULAR, 1, 2, 5);
    assert_true(gmc_distribution_density(&t, 1) == 0);
    assert_true(gmc_distribution_density(&t, 5) == 0);
    ASSERT_NEAR(gmc_distribution_density(&t, 2), 0.5, 1e-15);
}

static void lists_have_probabilities(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 1, 4}, weights[] = {1, 2, 3, 4};
    gmc_distribution one_of = {
        .type = GMC_DISTRIBUTION_DISCRETE, .values = values, .weights = weights, .value_count = 4};
    gmc_distribution samples = {
        .type = GMC_DISTRIBUTION_EMPIRICAL, .values = values, .value_count = 4};
    ASSERT_NEAR(gmc_distribution_density(&one_of, 1), 0.4, 1e-15);
    ASSERT_NEAR(gmc_distribution_density(&samples, 1), 0.5, 1e-15);
    assert_true(gmc_distribution_density(&one_of, 3) == 0);
    assert_true(gmc_distribution_is_list(&one_of));
    assert_true(gmc_distribution_is_list(&samples));
    ASSERT_NEAR(gmc_distribution_density_bound(&samples, &one_of), 0.25 / 0.2, 1e-12);
    gmc_distribution fewer = {
        .type = GMC_DISTRIBUTION_EMPIRICAL, .values = values, .value_count = 2};
    assert_true(gmc_distribution_density_bound(&samples, &fewer) == HUGE_VAL);
}

static void bounds_are_those_on_paper(void **state)
{
    (void)state;
    gmc_distribution wide = law(GMC_DISTRIBUTION_UNIFORM, 0, 4, 0);
    gmc_distribution narrow = law(GMC_DISTRIBUTION_UNIFORM, 1, 2, 0);
    ASSERT_NEAR(gmc_distribution_density_bound(&narrow, &wide), 4, 1e-12);
    assert_true(gmc_distribution_density_bound(&wide, &narrow) == HUGE_VAL);
    // normal (0, 1) against (0, 2): largest in the middle, 2; grid of 4096: 1e-6
    gmc_distribution truth = law(GMC_DISTRIBUTION_NORMAL, 0, 1, 0);
    gmc_distribution wider = law(GMC_DISTRIBUTION_NORMAL, 0, 2, 0);
    ASSERT_NEAR(gmc_distribution_density_bound(&truth, &wider), 2, 1e-6);
    // moved by 1: exp(1/2 − x), at the cut of the lower tail
    gmc_distribution moved = law(GMC_DISTRIBUTION_NORMAL, 1, 1, 0);
    double end = gmc_distribution_quantile(&truth, 0);
    ASSERT_NEAR(gmc_distribution_density_bound(&truth, &moved) / exp(0.5 - end), 1, 1e-10);
    // a proposal that vanishes at an end where the truth does not
    gmc_distribution tent = law(GMC_DISTRIBUTION_TRIANGULAR, 1, 1.5, 2);
    assert_true(gmc_distribution_density_bound(&narrow, &tent) == HUGE_VAL);
    ASSERT_NEAR(gmc_distribution_density_bound(&tent, &narrow), 2, 1e-3); // grid of 4096
}

int test_density(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_is_the_slope_of_the_distribution_function),
        cmocka_unit_test(there_is_none_outside_and_ends_belong),
        cmocka_unit_test(lists_have_probabilities),
        cmocka_unit_test(bounds_are_those_on_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
