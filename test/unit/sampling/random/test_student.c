#include "engine/base/status.h"
#include "sampling/random/student.h"
#include "test/support/near.h"

static void quantiles_agree_with_the_reference(void **state)
{
    (void)state;
    // mpmath 1.2, 50 digits; the last two: scipy 1.10, stats.t.isf
    static const double CASES[][3] = {
        {1, 0.025, 12.7062047361747039},         {2, 0.025, 4.30265272974946372},
        {5, 0.005, 4.03214298355522806},         {15, 0.025, 2.13144954555977565},
        {99, 0.025, 1.98421695158641747},        {99, 1e-06, 5.05197399825251599},
        {1, 1e-10, 3183098861.8379066},          {1000, 0.05, 1.64637881728546469},
        {30, 0.4999999, 2.52760022619606946e-7}, {0.5, 0.1, 10.270324410234505},
        {12345, 0.025, 1.96015616760056721},     {2e6, 0.025, 1.959965170676375},
        {1e7, 1e-09, 5.997812559038371}};
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        ASSERT_NEAR_RELATIVE(gmc_student_quantile(CASES[i][0], CASES[i][1]), CASES[i][2], 1e-11);
    assert_true(gmc_student_quantile(7.0, 0.5) == 0.0);
}

static void the_expansion_meets_the_exact_form(void **state)
{
    (void)state;
    // at 1e6 degrees of freedom the two forms change hands; a step of 1e-9 in ν moves t by 1e-15
    for (double tail = 0.4; tail > 1e-12; tail *= 0.1) {
        double exact = gmc_student_quantile(1e6, tail);
        ASSERT_NEAR_RELATIVE(gmc_student_quantile(1e6 * (1 + 1e-9), tail), exact, 1e-11);
    }
}

static void tails_agree_with_the_reference(void **state)
{
    (void)state;
    // mpmath 1.3, 30 digits
    static const double CASES[][3] = {
        {2, 0.3, 0.396242830420088805},      {2, -4.5, 0.97699904600286199},
        {13, 2.5, 0.013294391405428739},     {13, -0.01, 0.503913439578691971},
        {1, 1e8, 3.18309886183790661e-9},    {99, 30, 8.50424955864108962e-52},
        {1e5, 4.2, 0.0000133572890148398771}};
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        ASSERT_NEAR_RELATIVE(gmc_student_tail(CASES[i][0], CASES[i][1]), CASES[i][2], 1e-11);
    assert_true(gmc_student_tail(3, 0) == 0.5);
    assert_true(gmc_student_tail(3, HUGE_VAL) == 0);
    assert_true(gmc_student_tail(3, -HUGE_VAL) == 1);
}

static void tails_and_quantiles_belong_together(void **state)
{
    (void)state;
    static const double FREEDOMS[] = {1, 2, 13, 400};
    for (int i = 0; i < GMC_COUNT(FREEDOMS); i++)
        for (double tail = 0x1p-54; tail <= 0.5; tail *= 2) {
            double t = gmc_student_quantile(FREEDOMS[i], tail);
            ASSERT_NEAR_RELATIVE(gmc_student_tail(FREEDOMS[i], t), tail, 1e-10); // both headers'
        }
}

int test_student(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_agree_with_the_reference),
        cmocka_unit_test(the_expansion_meets_the_exact_form),
        cmocka_unit_test(tails_agree_with_the_reference),
        cmocka_unit_test(tails_and_quantiles_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
