#include "sampling/explain/spline.h"
#include "test/support/near.h"

enum { COUNT = 30, INPUTS = 3 };

/// Places that lie on no plane.
static void places(double *x)
{
    for (int i = 0; i < COUNT * INPUTS; i++)
        x[i] = sin(1.0 + 0.37 * i * i) * 3;
}

static double plane(const double *x) { return 2 - x[0] + 0.5 * x[1] + 3 * x[2]; }

static void a_plane_is_met_everywhere(void **state)
{
    (void)state;
    double x[COUNT * INPUTS], y[COUNT];
    const double far[INPUTS] = {40, -30, 20};
    gmc_spline s;
    places(x);
    for (int i = 0; i < COUNT; i++)
        y[i] = plane(x + i * INPUTS);
    const gmc_spline_rows rows = {COUNT, INPUTS, x, y};
    for (int r = 0; r < 2; r++) { // with a ridge, too: it does not bend
        assert_int_equal(gmc_spline_fit(&rows, r, &s), GMC_OK);
        ASSERT_BELOW(fabs(gmc_spline_at(&s, far) - plane(far)), 1e-7); // rounding of cubes of 60
        gmc_spline_free(&s);
    }
}

static void values_are_met_and_a_ridge_misses_them_by_its_weights(void **state)
{
    (void)state;
    double x[COUNT * INPUTS], y[COUNT], sum = 0, moment = 0;
    gmc_spline s;
    places(x);
    for (int i = 0; i < COUNT; i++)
        y[i] = i % 3 - 0.5 * (i % 2);
    const gmc_spline_rows rows = {COUNT, INPUTS, x, y};
    assert_int_equal(gmc_spline_fit(&rows, 0, &s), GMC_OK);
    for (int i = 0; i < COUNT; i++)
        ASSERT_BELOW(fabs(gmc_spline_at(&s, x + i * INPUTS) - y[i]), 1e-10);
    gmc_spline_free(&s);
    assert_int_equal(gmc_spline_fit(&rows, 2.5, &s), GMC_OK);
    const double *w = s.numbers + COUNT * INPUTS;
    for (int i = 0; i < COUNT; i++) {
        ASSERT_BELOW(fabs(gmc_spline_at(&s, x + i * INPUTS) + 2.5 * w[i] - y[i]), 1e-10);
        sum += w[i];
        moment += w[i] * x[i * INPUTS + 1];
    }
    ASSERT_BELOW(fabs(sum), 1e-12);
    ASSERT_BELOW(fabs(moment), 1e-12);
    gmc_spline_free(&s);
}

static void too_few_places_and_places_in_a_plane_make_none(void **state)
{
    (void)state;
    double x[COUNT * INPUTS], y[COUNT] = {0};
    gmc_spline s;
    places(x);
    gmc_spline_rows rows = {gmc_spline_least(INPUTS) - 1, INPUTS, x, y};
    assert_int_equal(gmc_spline_fit(&rows, 0, &s), GMC_E_NO_SOLUTION);
    assert_null(s.numbers);
    for (int i = 0; i < COUNT; i++)
        x[i * INPUTS + 2] = 0;
    rows.count = COUNT;
    assert_int_equal(gmc_spline_fit(&rows, 0, &s), GMC_E_NO_SOLUTION);
}

int test_spline(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_met_everywhere),
        cmocka_unit_test(values_are_met_and_a_ridge_misses_them_by_its_weights),
        cmocka_unit_test(too_few_places_and_places_in_a_plane_make_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
