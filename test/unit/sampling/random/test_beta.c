// Reference values: mpmath 1.2 with 50 digits (hypergeometric series, or quadrature for large
// parameters).
#include "engine/base/status.h"
#include "sampling/random/beta.h"
#include "test/support/near.h"

static void tails_agree_with_fifty_digits(void **state)
{
    (void)state;
    static const double CASES[][5] = {
        {0.5, 0.5, 0.25, 0.333333333333333333, 0.666666666666666667},
        {2, 3, 0.4, 0.524800000000000038, 0.475199999999999962},
        {5, 1000, 0.003, 0.1865064437519944, 0.8134935562480056},
        {1000, 5, 0.999, 0.996301685886459779, 0.0036983141135402213},
        {9340, 661, 0.934, 0.510356566894139212, 0.489643433105860788},
        {9340, 661, 0.95, 0.999999999999043246, 9.56753643086013496e-13},
        {1e6, 1e6, 0.5005, 0.921350422419075325, 0.0786495775809246746},
        {1e6, 1e6, 0.5, 0.5, 0.5},
        {0.5, 50, 0.02, 0.843756492133181893, 0.156243507866818107},
        {300, 1, 0.99, 0.0490408940712857239, 0.950959105928714276},
        {1, 300, 1e-05, 0.00299551945179404582, 0.997004480548205954},
        {9.5e8, 5e7, 0.95001, 0.926610156299988739, 0.0733898437000112614},
        {3, 1e9, 1e-09, 0.0803013973473037886, 0.919698602652696211},
        {40, 60, 1e-05, 8.24299435133092325e-173, 1.0},
        {100, 2, 0.01, 1.00000000000000208e-198, 1.0}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const double *c = CASES[i];
        gmc_beta_tails tails = gmc_beta_at(c[0], c[1], (gmc_beta_point){c[2], 1.0 - c[2]});
        double tolerance = c[0] + c[1] > 2e4 ? 1e-10 : 1e-12; // the header's promise
        ASSERT_NEAR_RELATIVE(tails.lower, c[3], tolerance);
        ASSERT_NEAR_RELATIVE(tails.upper, c[4], tolerance);
    }
}

static void ends_are_exact(void **state)
{
    (void)state;
    gmc_beta_tails zero = gmc_beta_at(2.0, 3.0, (gmc_beta_point){0.0, 1.0});
    gmc_beta_tails one = gmc_beta_at(2.0, 3.0, (gmc_beta_point){1.0, 0.0});
    assert_true(zero.lower == 0.0);
    assert_true(zero.upper == 1.0);
    assert_true(one.lower == 1.0);
    assert_true(one.upper == 0.0);
    for (int upper = 0; upper < 2; upper++) {
        gmc_beta_point start = gmc_beta_quantile(2.0, 3.0, upper ? 1.0 : 0.0, upper);
        gmc_beta_point end = gmc_beta_quantile(2.0, 3.0, upper ? 0.0 : 1.0, upper);
        assert_true(start.x == 0.0);
        assert_true(start.y == 1.0);
        assert_true(end.x == 1.0);
        assert_true(end.y == 0.0);
    }
}

static void quantiles_agree_with_fifty_digits(void **state)
{
    (void)state;
    static const double CASES[][6] = {
        {2, 3, 0.025, 0, 0.0675859864885429571, 0.932414013511457043},
        {0.5, 7.5, 0.05, 1, 0.232464781612855698, 0.767535218387144302},
        {1000, 1, 1e-8, 0, 0.981747943019984399, 0.0182520569800156006},
        {1, 1000, 1e-8, 1, 0.0182520569800156006, 0.981747943019984399},
        {934, 67, 0.025, 1, 0.947702163599954825, 0.0522978364000451747},
        {5, 5, 0.5, 0, 0.5, 0.5},
        {0.5, 50, 1e-6, 0, 1.57866984460959663e-14, 0.999999999999984213}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const double *c = CASES[i];
        gmc_beta_point at = gmc_beta_quantile(c[0], c[1], c[2], c[3] != 0.0);
        ASSERT_NEAR_RELATIVE(at.x, c[4], 1e-12); // as the tails
        ASSERT_NEAR_RELATIVE(at.y, c[5], 1e-12);
    }
}

static void quantile_inverts_the_tails(void **state)
{
    (void)state;
    static const double A[] = {0.5, 1.0, 3.0, 40.0, 1e3, 1e5}, P[] = {1e-12, 1e-3, 0.3, 0.5, 0.9};
    for (int i = 0; i < GMC_COUNT(A); i++)
        for (int j = 0; j < GMC_COUNT(A); j++)
            for (int k = 0; k < GMC_COUNT(P); k++) {
                gmc_beta_point low = gmc_beta_quantile(A[i], A[j], P[k], false);
                gmc_beta_point high = gmc_beta_quantile(A[i], A[j], P[k], true);
                // a point rounded by 2^-53 relative moves its tail by up to max(a, b) times as much
                double tolerance = 1e-12 + 4e-16 * fmax(A[i], A[j]);
                ASSERT_NEAR_RELATIVE(gmc_beta_at(A[i], A[j], low).lower, P[k], tolerance);
                ASSERT_NEAR_RELATIVE(gmc_beta_at(A[i], A[j], high).upper, P[k], tolerance);
            }
}

int test_beta(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_agree_with_fifty_digits),
        cmocka_unit_test(ends_are_exact),
        cmocka_unit_test(quantiles_agree_with_fifty_digits),
        cmocka_unit_test(quantile_inverts_the_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
