#include "engine/base/status.h"
#include "engine/pivoting/lcp.h"
#include "test/support/near.h"

static const double M[] = {2, 1, 0, 4};
static const double Q[] = {-3, -8};
static const gmc_lcp PROBLEM = {2, M, Q};

static void solution_has_no_residual(void **state)
{
    (void)state;
    const double z[] = {0.5, 2};
    assert_true(gmc_lcp_answer(&PROBLEM, z, 0) == 0);
    assert_true(gmc_lcp_answer(&PROBLEM, z, 1) == 0);
    assert_true(gmc_lcp_residual(&PROBLEM, gmc_lcp_scale(&PROBLEM), z) == 0);
    const double zero[] = {0, 0};
    const gmc_lcp still = {2, M, zero};
    assert_true(gmc_lcp_residual(&still, gmc_lcp_scale(&still), zero) == 0);
    assert_true(gmc_lcp_scale(&PROBLEM) == 4);
}

/// max |min(4 z_i, w_i)| / 8, each way of being wrong by itself.
static void every_violation_counts(void **state)
{
    (void)state;
    const struct {
        double z[2], residual;
    } cases[] = {
        {{0, 0}, 1},         // w_2 = -8
        {{-0.5, 2.5}, 0.25}, // z_1 = -0.5, w_1 = -1.5, w_2 = 2: min(-2, -1.5) = -2
        {{1, 2}, 0.125},     // w_1 = 1 with z_1 = 1
        {{0.5, 3}, 0.5},     // w_1 = 1 and w_2 = 4 with z_2 = 3
    };
    for (int i = 0; i < GMC_COUNT(cases); i++)
        ASSERT_NEAR(gmc_lcp_residual(&PROBLEM, gmc_lcp_scale(&PROBLEM), cases[i].z),
                    cases[i].residual, 1e-15); // rounding
}

static void scaling_changes_nothing(void **state)
{
    (void)state;
    const double z[] = {1, 2.5}, more_z[] = {1024, 2560}, more_q[] = {-3072, -8192};
    const double more_M[] = {2048, 1024, 0, 4096};
    const gmc_lcp grown = {2, M, more_q}, heavier = {2, more_M, more_q};
    double residual = gmc_lcp_residual(&PROBLEM, gmc_lcp_scale(&PROBLEM), z);
    assert_true(gmc_lcp_residual(&grown, gmc_lcp_scale(&grown), more_z) == residual);
    assert_true(gmc_lcp_residual(&heavier, gmc_lcp_scale(&heavier), z) == residual);
}

static void what_is_not_finite_shows(void **state)
{
    (void)state;
    const double nan_z[] = {NAN, 0}, infinite[] = {HUGE_VAL, 0};
    assert_true(isnan(gmc_lcp_residual(&PROBLEM, gmc_lcp_scale(&PROBLEM), nan_z)));
    assert_true(isnan(gmc_lcp_residual(&PROBLEM, gmc_lcp_scale(&PROBLEM), infinite)));
}

int test_lcp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_has_no_residual),
        cmocka_unit_test(every_violation_counts),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(what_is_not_finite_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
