#include "engine/base/status.h"
#include "engine/complementarity/pyramid.h"
#include "engine/math/elementary.h"
#include "test/support/chance.h"
#include "test/support/near.h"

static const int FACETS[] = {3, 4, 6, 8, 16};

static void corners_are_on_the_circle(void **state)
{
    (void)state;
    for (int f = 0; f < GMC_COUNT(FACETS); f++)
        for (int k = 0; k < FACETS[f]; k++) {
            double d[2];
            gmc_pyramid_corner(k, FACETS[f], d);
            ASSERT_NEAR(d[0] * d[0] + d[1] * d[1], 1, 1e-15); // rounding
            if (k == 0) assert_true(d[0] == 1 && d[1] == 0);
        }
}

/// Distance of t to the polygon, from its corners alone: the nearest of 2000 points of every edge.
static double brute_distance(const double t[2], double radius, int facets)
{
    double least = HUGE_VAL;
    for (int k = 0; k < facets; k++) {
        double a[2], b[2];
        gmc_pyramid_corner(k, facets, a);
        gmc_pyramid_corner(k + 1, facets, b);
        for (int i = 0; i <= 2000; i++) {
            double s = i / 2000.0;
            double x = radius * (a[0] + s * (b[0] - a[0])) - t[0];
            double y = radius * (a[1] + s * (b[1] - a[1])) - t[1];
            least = fmin(least, sqrt(x * x + y * y));
        }
    }
    return least;
}

static void nearest_point_is_nearest(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    int inside = 0, outside = 0;
    for (int i = 0; i < 2000; i++) {
        int facets = FACETS[i % GMC_COUNT(FACETS)];
        double radius = gmc_chance_uniform(&chance, 0.1, 2), p[2], again[2];
        double t[2] = {gmc_chance_uniform(&chance, -3, 3), gmc_chance_uniform(&chance, -3, 3)};
        gmc_pyramid_project(t, radius, facets, p);
        gmc_pyramid_project(p, radius, facets, again);
        ASSERT_NEAR(again[0], p[0], 1e-14); // rounding
        ASSERT_NEAR(again[1], p[1], 1e-14);
        ASSERT_NEAR(gmc_pyramid_radius(p, facets), fmin(gmc_pyramid_radius(t, facets), radius),
                    1e-14);
        double x = t[0] - p[0], y = t[1] - p[1], distance = sqrt(x * x + y * y);
        if (gmc_pyramid_radius(t, facets) <= radius) {
            assert_true(distance == 0);
            inside++;
        } else {
            // an edge of at most 2 * 1.8 in 2000 points: half a gap of 1.8e-3, squared over 2 d
            ASSERT_NEAR(distance, brute_distance(t, radius, facets), 1e-3);
            assert_true(distance <= brute_distance(t, radius, facets) + 1e-14);
            outside++;
        }
    }
    assert_true(inside > 100);
    assert_true(outside > 100);
}

/// reach(w) = max d · w over the polygon, attained by projecting a point far out along w.
static void reach_is_attained(void **state)
{
    (void)state;
    gmc_chance chance = {4};
    for (int i = 0; i < 500; i++) {
        int facets = FACETS[i % GMC_COUNT(FACETS)];
        double w[2] = {gmc_chance_uniform(&chance, -1, 1), gmc_chance_uniform(&chance, -1, 1)};
        double far[2] = {1e6 * w[0], 1e6 * w[1]}, p[2];
        gmc_pyramid_project(far, 1, facets, p);
        ASSERT_NEAR(p[0] * w[0] + p[1] * w[1], gmc_pyramid_reach(w, facets), 1e-9); // 1e6 eps
        double size = sqrt(w[0] * w[0] + w[1] * w[1]);
        assert_true(gmc_pyramid_reach(w, facets) <= size * (1 + 1e-15));
        assert_true(gmc_pyramid_reach(w, facets) >= size * gmc_cos(GMC_PI / facets) - 1e-15);
    }
}

static void no_radius_is_the_origin(void **state)
{
    (void)state;
    const double t[2] = {0.3, -2}, origin[2] = {0, 0};
    double p[2];
    gmc_pyramid_project(t, 0, 8, p);
    assert_true(p[0] == 0);
    assert_true(p[1] == 0);
    gmc_pyramid_project(origin, 0, 8, p);
    assert_true(p[0] == 0);
    assert_true(p[1] == 0);
    assert_true(gmc_pyramid_radius(origin, 4) == 0);
    assert_true(gmc_pyramid_reach(origin, 4) == 0);
}

/// Where t2 does not exist: Coulomb's law in the plane, exactly.
static void two_facets_are_a_segment(void **state)
{
    (void)state;
    const double t[2] = {-3, 0}, inside[2] = {0.5, 0}, across[2] = {0.5, 1e-9};
    double p[2];
    gmc_pyramid_project(t, 2, 2, p);
    assert_true(p[0] == -2);
    assert_true(p[1] == 0);
    gmc_pyramid_project(across, 2, 2, p);
    assert_true(p[0] == 0.5);
    assert_true(p[1] == 0);
    assert_true(gmc_pyramid_reach(t, 2) == 3);
    assert_true(gmc_pyramid_radius(inside, 2) == 0.5);
    assert_true(gmc_pyramid_radius(across, 2) == HUGE_VAL);
    gmc_pyramid_corner(1, 2, p);
    assert_true(p[0] == -1);
    assert_true(p[1] == 0);
}

int test_pyramid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_on_the_circle), cmocka_unit_test(nearest_point_is_nearest),
        cmocka_unit_test(two_facets_are_a_segment),  cmocka_unit_test(reach_is_attained),
        cmocka_unit_test(no_radius_is_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
