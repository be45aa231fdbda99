#include "sampling/random/correlation.h"
#include "test/support/near.h"

enum { MAX = 8 };

static double L[MAX * MAX], scratch[2 * MAX * MAX];
static gmc_correlation_fault fault;

static void factor(int n, const double *R)
{
    assert_int_equal(gmc_correlation_factor(n, R, L, scratch, &fault), GMC_OK);
}

static void expect_product(int n, const double *R, double tolerance)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += L[i * n + k] * L[j * n + k];
            ASSERT_NEAR(sum, R[i * n + j], tolerance);
            if (j > i) assert_true(L[i * n + j] == 0);
        }
}

static void factors_multiply_to_the_matrix(void **state)
{
    (void)state;
    const double R[9] = {1, 0.6, -0.3, 0.6, 1, 0.2, -0.3, 0.2, 1};
    factor(3, R);
    expect_product(3, R, 1e-15);
    ASSERT_NEAR(L[0], 1, 0);
    ASSERT_NEAR(L[3], 0.6, 1e-15);
    ASSERT_NEAR(L[4], 0.8, 1e-15);
}

static void matrices_of_low_rank_have_factors_too(void **state)
{
    (void)state;
    const double same[9] = {1, 1, -1, 1, 1, -1, -1, -1, 1};
    factor(3, same);
    expect_product(3, same, 1e-15);
    assert_true(L[4] == 0);
    assert_true(L[8] == 0); // one number for all three
    // three numbers in a plane, rounded to six digits: eigenvalue 0 but for that
    const double flat[9] = {1, -0.5, -0.5, -0.5, 1, -0.499999, -0.5, -0.499999, 1};
    factor(3, flat);
    expect_product(3, flat, 2e-6);
}

static void impossible_ones_are_refused_with_what_is_to_blame(void **state)
{
    (void)state;
    // first and third go along with the second, but against each other; fourth stays out of it
    const double R[16] = {1, 0.9, -0.9, 0, 0.9, 1, 0.9, 0.1, -0.9, 0.9, 1, 0, 0, 0.1, 0, 1};
    assert_int_equal(gmc_correlation_factor(4, R, L, scratch, &fault), GMC_E_INPUT);
    ASSERT_NEAR(fault.least, -0.80185248, 1e-8); // numpy 1.24: linalg.eigvalsh
    assert_true(fault.a < 3);
    assert_true(fault.b < 3);
    assert_true(fault.a < fault.b);
    const double one[4] = {1, 1.1, 1.1, 1};
    assert_int_equal(gmc_correlation_factor(2, one, L, scratch, &fault), GMC_E_INPUT);
    ASSERT_NEAR(fault.least, -0.1, 1e-14);
    assert_true(fault.a == 0);
    assert_true(fault.b == 1);
}

static void one_number_alone_is_itself(void **state)
{
    (void)state;
    const double R[1] = {1};
    factor(1, R);
    assert_true(L[0] == 1);
}

int test_correlation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_multiply_to_the_matrix),
        cmocka_unit_test(matrices_of_low_rank_have_factors_too),
        cmocka_unit_test(impossible_ones_are_refused_with_what_is_to_blame),
        cmocka_unit_test(one_number_alone_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
