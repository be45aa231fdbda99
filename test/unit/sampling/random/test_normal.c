// Reference values: mpmath 1.2 with 40 to 60 digits.
#include "engine/base/status.h"
#include "sampling/random/normal.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

static void quantile_agrees_with_forty_digits(void **state)
{
    (void)state;
    static const double CASES[][2] = {
        {0.25, -0.6744897501960817432},   {0.075, -1.4395314709384559349},
        {0.925, 1.4395314709384562291},   {0.975, 1.9599639845400538556},
        {1e-3, -3.0902323061678135354},   {0.999, 3.0902323061678132778},
        {1e-5, -4.2648907939228246102},   {1e-10, -6.3613409024040561991},
        {1e-11, -6.7060231554951362961},  {1.4e-11, -6.6567230915181836356},
        {1e-20, -9.2623400897984075796},  {1e-100, -21.273453560965324294},
        {1e-300, -37.047096299361199237}, {0x1p-54, -8.2923610758135955382},
        {0.51, 0.025068908258711058033},  {0.5000001, 2.5066282733116483012e-7}};
    assert_true(gmc_normal_quantile(0.5) == 0.0);
    for (int i = 0; i < GMC_COUNT(CASES); i++) // 1e-15 is the header's promise
        ASSERT_NEAR_RELATIVE(gmc_normal_quantile(CASES[i][0]), CASES[i][1], 1e-15);
    assert_true(gmc_normal_quantile(0.0) == -HUGE_VAL);
    assert_true(gmc_normal_quantile(1.0) == HUGE_VAL);
    assert_true(isnan(gmc_normal_quantile(NAN)));
}

static void centred_quantile_is_exact_near_the_mean(void **state)
{
    (void)state;
    ASSERT_NEAR_RELATIVE(gmc_normal_quantile_centred(1e-18), 2.5066282746310002e-18, 1e-15);
    ASSERT_NEAR_RELATIVE(gmc_normal_quantile_centred(-0.475), -1.9599639845400542, 1e-15);
    assert_true(gmc_normal_quantile_centred(0.5) == HUGE_VAL);
    assert_true(isnan(gmc_normal_quantile_centred(NAN)));
}

static void mills_ratio_agrees_with_forty_digits(void **state)
{
    (void)state;
    static const double CASES[][2] = {
        {0.0, 1.2533141373155002512},    {0.5, 0.87636445645369234673},
        {1.0, 0.65567954241879847154},   {3.0, 0.30459029871010329573},
        {3.999, 0.23670578492956482034}, {4.0, 0.23665238291356067062},
        {4.001, 0.23659900398806699406}, {6.0, 0.16237766089686746182},
        {10.0, 0.099028596471731921395}, {40.0, 0.024984404205720571147},
        {1e3, 0.000999999000002999985},  {1e6, 9.99999999999e-7}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) // x²/2 rounding errors of exp below x = 4
        ASSERT_NEAR_RELATIVE(gmc_normal_mills(CASES[i][0]), CASES[i][1], 3e-15);
}

static void tail_step_inverts_the_ratio(void **state)
{
    (void)state;
    for (double a = 0.0; a < 2000.0; a = 1.7 * a + 0.1)
        for (double ratio = -1e-6; ratio > -500.0; ratio *= 3.0) {
            double d = gmc_normal_tail_step(a, ratio);
            // log R(a+d)/R(a) has an absolute error of one rounding, so 1e-6 keeps 1e-9
            ASSERT_NEAR_RELATIVE(gmc_normal_tail_log_ratio(a, d), ratio, 1e-9);
        }
    assert_true(gmc_normal_tail_step(3.0, 0.0) == 0.0);
    assert_true(gmc_normal_tail_step(3.0, -HUGE_VAL) == HUGE_VAL);
    assert_true(gmc_normal_tail_log_ratio(3.0, HUGE_VAL) == -HUGE_VAL);
}

static const double TRUNCATED[][4] = {
    {5, 6, 0.5, 5.1313717632839191851},           {8, HUGE_VAL, 0.25, 8.0353470359548300288},
    {40, 41, 0.5, 40.017314126764651106},         {40, 41, 0.999, 40.172215882479076269},
    {-1, 2, 0.3, -0.24240381788922682623},        {-1, 2, 0.99, 1.8672107987812514033},
    {-0.5, 0.25, 0.125, -0.39937450833790227351}, {-9, -8, 0.75, -8.0353396219050171815},
    {-1e-6, 2e-6, 0.5, 4.9999999999943747737e-7}, {1000, HUGE_VAL, 0.5, 1000.0006931462471895},
    {-3, 50, 0.9999, 3.7193577161532163115},      {0, 1, 0.5, 0.44177054668658128752},
    {0, HUGE_VAL, 0.5, 0.6744897501960817432},    {-40, 1, 0.125, -1.252641549749693913},
    {37, 39, 0.0625, 37.001742972013105874}};

static void truncated_quantile_agrees_with_sixty_digits(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(TRUNCATED); i++) {
        const double *c = TRUNCATED[i];
        double x = gmc_normal_truncated_quantile(c[0], c[1], c[2]);
        // 4e-15: 1 − u and log1p(−u share) lose up to four digits of 1 − u at u = 0.9999
        ASSERT_NEAR_RELATIVE(x, c[3], c[2] > 0.9 ? 1e-13 : 4e-15);
        // seen from the end of the interval, which is what makes a tail's values differ
        ASSERT_NEAR_RELATIVE(x - c[0], c[3] - c[0], 1e-11);
    }
}

static void truncated_cdf_inverts_the_quantile(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(TRUNCATED); i++) {
        const double *c = TRUNCATED[i];
        double x = gmc_normal_truncated_quantile(c[0], c[1], c[2]);
        // x has 2^-52 |x| of room; its density in the interval is at most ~|x| in a tail:
        // 1e6 · 2e-16
        ASSERT_NEAR(gmc_normal_truncated_cdf(c[0], c[1], x), c[2], 1e-9);
    }
    assert_true(gmc_normal_truncated_cdf(-1.0, 2.0, -1.5) == 0.0);
    assert_true(gmc_normal_truncated_cdf(-1.0, 2.0, 2.5) == 1.0);
}

static void truncated_quantile_is_monotone_and_inside(void **state)
{
    (void)state;
    static const double LIMITS[][2] = {
        {-1.0, 2.0}, {3.0, 3.0 + 1e-9}, {-HUGE_VAL, -12.0}, {1e5, 1e5 + 1.0}, {-1e-12, 1e-12}};
    for (int i = 0; i < GMC_COUNT(LIMITS); i++) {
        double a = LIMITS[i][0], b = LIMITS[i][1];
        double before = a;
        for (int k = 1; k < 1000; k++) {
            double x = gmc_normal_truncated_quantile(a, b, k / 1000.0);
            assert_true(x >= a);
            assert_true(x <= b);
            assert_true(isfinite(x));
            assert_true(x >= before);
            before = x;
        }
        assert_true(gmc_normal_truncated_quantile(a, b, 0.0) == a);
        assert_true(gmc_normal_truncated_quantile(a, b, 1.0) == b);
    }
}

int test_normal(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_agrees_with_forty_digits),
        cmocka_unit_test(centred_quantile_is_exact_near_the_mean),
        cmocka_unit_test(mills_ratio_agrees_with_forty_digits),
        cmocka_unit_test(tail_step_inverts_the_ratio),
        cmocka_unit_test(truncated_quantile_agrees_with_sixty_digits),
        cmocka_unit_test(truncated_cdf_inverts_the_quantile),
        cmocka_unit_test(truncated_quantile_is_monotone_and_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
