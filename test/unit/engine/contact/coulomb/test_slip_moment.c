// Moments at which areas and points slip beside a force, against closed forms and sums over cells.

#include "engine/base/status.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/math/elementary.h"
#include "test/support/chance.h"
#include "test/support/near.h"

/// The search ends at a slope of 3e-5, which leaves its square over twice the curvature: 0.0025
/// along a line through both points where it is flattest here.
static const double ENDS = 2e-7;

static const double NONE[2] = {0, 0};

/// Of a line of half length 1: (1 - f^2) / 2 beside a force across it; along it
/// f = asinh(k) / k and m = (sqrt(1 + k^2) - asinh(k) / k) / (2 k), k: speed of the ends over that
/// of the middle. It is taken 1 % wide, which adds 1.5e-4 (coulomb_flat.c).
static void of_a_line(void **unused)
{
    (void)unused;
    const double half[2] = {1, 0};
    double centre[2];
    for (int i = 0; i < 20; i++) {
        double f = 0.05 * i, k = 0.3 * (i + 1), s = gmc_log(k + sqrt(1 + k * k)) / k;
        const double across[2] = {0, f}, along[2] = {-s, 0};
        ASSERT_NEAR(gmc_coulomb_slip_of_rectangle(half, across, centre), (1 - f * f) / 2, 3e-4);
        ASSERT_NEAR(gmc_coulomb_slip_of_rectangle(half, along, centre),
                    (sqrt(1 + k * k) - s) / (2 * k), 3e-4);
    }
}

/// Mean distance in a square of half side 1: (sqrt 2 + log(1 + sqrt 2)) / 3.
static void of_a_square_alone(void **unused)
{
    (void)unused;
    const double sizes[] = {1e-4, 1, 300};
    for (int i = 0; i < 3; i++) {
        const double half[2] = {sizes[i], sizes[i]};
        double centre[2], mean = (sqrt(2.0) + gmc_log(1 + sqrt(2.0))) / 3;
        ASSERT_NEAR_RELATIVE(gmc_coulomb_slip_of_rectangle(half, NONE, centre), mean * sizes[i],
                             1e-13);
    }
}

/// E|x - q| - f x q of cells.
static double of_cells(const double half[2], const double force[2], double qx, double qy)
{
    enum { CELLS = 100 };
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double x = half[0] * ((2 * i + 1.0) / CELLS - 1) - qx;
            double y = half[1] * ((2 * j + 1.0) / CELLS - 1) - qy;
            sum += sqrt(x * x + y * y);
        }
    return sum / (CELLS * CELLS) - force[0] * qy + force[1] * qx;
}

/// No motion about a place near the one found, or far from it, takes less; cells of 1 % of a side
/// have the mean distance to 2e-4.
static void nothing_near_takes_less(void **unused)
{
    (void)unused;
    gmc_chance chance = {11};
    for (int i = 0; i < 40; i++) {
        const double half[2] = {1, gmc_chance_uniform(&chance, 0.05, 3)};
        double f = gmc_chance_uniform(&chance, 0, 0.99), turn = gmc_chance_uniform(&chance, 0, 6.3);
        const double force[2] = {f * gmc_cos(turn), f * gmc_sin(turn)};
        double q[2], m = gmc_coulomb_slip_of_rectangle(half, force, q);
        assert_true(m > 0);
        ASSERT_NEAR(m, of_cells(half, force, q[0], q[1]), 2e-4 * (1 + m));
        for (int k = 0; k < 8; k++) {
            double away = k < 4 ? 0.1 : 1, a = GMC_PI / 2 * k;
            double there =
                of_cells(half, force, q[0] + away * gmc_cos(a), q[1] + away * gmc_sin(a));
            assert_true(there > m - 2e-4);
        }
    }
}

/// Two points at -1 and 1: 1 - f beside a force across their line, sqrt(1 - f^2) along it.
static void of_two_points(void **unused)
{
    (void)unused;
    const gmc_slip_point two[2] = {{1, 0, 0.5}, {-1, 0, 0.5}};
    for (int i = 0; i < 20; i++) {
        double f = 0.05 * i;
        const double across[2] = {0, -f}, along[2] = {f, 0};
        for (int k = 0; k < 4; k++) { // whatever the guess
            const double guess[2] = {0.7 * k, 2.0 - k};
            ASSERT_NEAR(gmc_coulomb_slip_of_points(two, 2, across, guess), 1 - f, ENDS);
            ASSERT_NEAR(gmc_coulomb_slip_of_points(two, 2, along, guess), sqrt(1 - f * f), ENDS);
        }
    }
}

/// Points spread over an area like cells bear what the area bears.
static void many_points_are_an_area(void **unused)
{
    (void)unused;
    enum { SIDE = 16 };
    static gmc_slip_point points[SIDE * SIDE];
    const double half[2] = {1, 0.4};
    for (int i = 0; i < SIDE * SIDE; i++)
        points[i] =
            (gmc_slip_point){half[0] * ((2 * (i % SIDE) + 1.0) / SIDE - 1),
                             half[1] * ((2 * (i / SIDE) + 1.0) / SIDE - 1), 1.0 / (SIDE * SIDE)};
    for (int i = 0; i < 30; i++) {
        double f = 0.033 * i, turn = 0.7 * i;
        const double force[2] = {f * gmc_cos(turn), f * gmc_sin(turn)};
        double centre[2], area = gmc_coulomb_slip_of_rectangle(half, force, centre);
        // cells have a second moment that is 1 / SIDE^2 too small
        ASSERT_NEAR(gmc_coulomb_slip_of_points(points, SIDE * SIDE, force, centre), area, 4e-3);
    }
}

/// Beside a force f a rectangle bears at least 1 - f^2 of the moment that it bears alone, which is
/// what coulomb_flat.c takes for well below the limit.
static void at_least_what_a_line_bears_across(void **unused)
{
    (void)unused;
    enum { DIRECTIONS = 12, FORCES = 20 };
    const double widths[] = {0.01, 0.1, 0.3, 0.6, 0.9, 1};
    for (int w = 0; w < GMC_COUNT(widths); w++) {
        const double half[2] = {1, widths[w]};
        double centre[2], alone = gmc_coulomb_slip_of_rectangle(half, NONE, centre);
        for (int i = 0; i <= DIRECTIONS; i++)
            for (int k = 1; k < FORCES; k++) {
                double angle = GMC_PI / 2 * i / DIRECTIONS, f = (double)k / FORCES;
                const double force[2] = {f * gmc_cos(angle), f * gmc_sin(angle)};
                double beside = gmc_coulomb_slip_of_rectangle(half, force, centre);
                assert_true(beside > 0.9999 * (1 - f * f) * alone);
            }
    }
}

/// What bears its whole friction as a force has nothing left, and no number that is none.
static void at_the_whole_force(void **unused)
{
    (void)unused;
    const double half[2] = {1, 0.5}, force[2] = {1, 0};
    const gmc_slip_point four[4] = {{1, 1, 0.25}, {-1, 1, 0.25}, {-1, -1, 0.25}, {1, -1, 0.25}};
    double centre[2], most = sqrt(1 - GMC_SLIP_FORCE_MAX * GMC_SLIP_FORCE_MAX);
    double area = gmc_coulomb_slip_of_rectangle(half, force, centre);
    assert_true(area > 0);
    assert_true(area < most);
    double points = gmc_coulomb_slip_of_points(four, 4, force, centre);
    assert_true(points > 0);
    assert_true(points < 2 * most);
    const gmc_slip_point one = {0, 0, 1};
    ASSERT_NEAR(gmc_coulomb_slip_of_points(&one, 1, force, centre), 0, 1e-15);
}

int test_slip_moment(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_line),
        cmocka_unit_test(of_a_square_alone),
        cmocka_unit_test(nothing_near_takes_less),
        cmocka_unit_test(of_two_points),
        cmocka_unit_test(many_points_are_an_area),
        cmocka_unit_test(at_least_what_a_line_bears_across),
        cmocka_unit_test(at_the_whole_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
