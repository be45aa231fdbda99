#include "engine/base/status.h"
#include "sampling/estimate/fit.h"
#include "test/support/near.h"

#include <string.h>

// tilts at which a block began to slide, as friction
static const double TILTS[] = {0.41, 0.46, 0.39, 0.44, 0.52, 0.43, 0.40,
                               0.47, 0.45, 0.42, 0.48, 0.44, 0.38, 0.45};

static gmc_distribution fit(const char *family, const double *values, int count)
{
    gmc_distribution d;
    const char *hint = NULL;
    assert_null(gmc_fit_find(family)->fit(values, count, &d, &hint));
    assert_null(gmc_distribution_check(&d, NULL));
    return d;
}

static void laws_agree_with_the_reference(void **state)
{
    (void)state;
    // numpy 1.24: mean, std(ddof=1) sqrt(1 + 1/n), of the values and of their logarithms
    gmc_distribution d = fit("normal", TILTS, GMC_COUNT(TILTS));
    assert_int_equal(d.type, GMC_DISTRIBUTION_STUDENT);
    ASSERT_NEAR_RELATIVE(d.p[0], 0.43857142857142867, 1e-15);
    ASSERT_NEAR_RELATIVE(d.p[1], 0.03912303982179758, 1e-13);
    assert_true(d.p[2] == 13);
    d = fit("lognormal", TILTS, GMC_COUNT(TILTS));
    assert_int_equal(d.type, GMC_DISTRIBUTION_LOG_STUDENT);
    ASSERT_NEAR_RELATIVE(d.p[0], 0.43707909186727245, 1e-15);
    ASSERT_NEAR_RELATIVE(d.p[1], 0.08848571610246575, 1e-13);
    // scipy 1.10: exp(stats.t(13, loc, scale).ppf(u))
    static const double QUANTILES[][2] = {{0.001, 0.3108370272449458},
                                          {0.025, 0.36102687421160745},
                                          {0.975, 0.5291521108080919},
                                          {0.999, 0.6145925864777291}};
    for (int i = 0; i < GMC_COUNT(QUANTILES); i++)
        ASSERT_NEAR_RELATIVE(gmc_distribution_quantile(&d, QUANTILES[i][0]), QUANTILES[i][1],
                             1e-12);
}

static void small_scatter_on_large_numbers_is_kept(void **state)
{
    (void)state;
    const double values[3] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    gmc_distribution d = fit("normal", values, 3);
    assert_true(d.p[0] == 1e9 + 2);
    ASSERT_NEAR_RELATIVE(d.p[1], 1.1547005383792515, 1e-15); // √(4/3)
}

static void values_that_tell_nothing_are_refused(void **state)
{
    (void)state;
    const double same[4] = {0.3, 0.3, 0.3, 0.3}, negative[3] = {0.1, -0.1, 0.2};
    gmc_distribution d;
    const char *hint = NULL;
    assert_non_null(strstr(gmc_fit_find("normal")->fit(same, 4, &d, &hint), "are the same"));
    assert_non_null(strstr(gmc_fit_find("lognormal")->fit(same, 4, &d, &hint), "are the same"));
    assert_non_null(strstr(hint, "write the value itself"));
    assert_non_null(strstr(gmc_fit_find("lognormal")->fit(negative, 3, &d, &hint), "> 0"));
    assert_non_null(strstr(hint, "normal"));
    assert_null(gmc_fit_find("gauss"));
}

int test_fit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_agree_with_the_reference),
        cmocka_unit_test(small_scatter_on_large_numbers_is_kept),
        cmocka_unit_test(values_that_tell_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
