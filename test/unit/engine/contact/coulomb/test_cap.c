// Caps of balls on faces with edges, against closed forms and columns counted one by one.

#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/math/elementary.h"
#include "test/support/near.h"

#include <math.h>

enum { CORNERS = 4, FACES = 12 };

/// Rectangles, turned by an angle about a place.
typedef struct floor_of {
    double x[FACES][CORNERS], y[FACES][CORNERS];
    gmc_cap_face faces[FACES];
    int count;
} floor_of;

/// @param x0, x1, y0, y1  before it is turned by `angle` about (0, 0) and moved by (dx, dy)
static void add_rectangle(floor_of *f, double x0, double x1, double y0, double y1, double angle,
                          double dx, double dy)
{
    const double xs[CORNERS] = {x0, x1, x1, x0}, ys[CORNERS] = {y0, y0, y1, y1};
    double c = cos(angle), s = sin(angle);
    int n = f->count++;
    for (int i = 0; i < CORNERS; i++) {
        f->x[n][i] = c * xs[i] - s * ys[i] + dx;
        f->y[n][i] = s * xs[i] + c * ys[i] + dy;
    }
    f->faces[n] = (gmc_cap_face){CORNERS, f->x[n], f->y[n]};
}

static gmc_cap_share share_of(const floor_of *f, double R, double depth)
{
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    gmc_cap_share share;
    gmc_cap_near near = gmc_coulomb_cap_nearest(f->faces, f->count);
    const gmc_cap cap = {f->faces, f->count, R, near};
    assert_int_equal(gmc_coulomb_cap_integrate(&cap, depth, &arena, &share), GMC_OK);
    gmc_arena_free(&arena);
    return share;
}

/// Energy over k.
static double energy_of(const floor_of *f, double R, double depth)
{
    return share_of(f, R, depth).stored * GMC_PI * R * depth * depth * depth / 3;
}

/// Half of a cap: with a = √(2 R d) its force is π k R d²/2 down and 4 k a³ d/(15 R) aside.
static void half_a_cap(void **state)
{
    (void)state;
    const double sizes[] = {0.002, 0.02, 0.3};
    for (int i = 0; i < 30; i++) {
        double R = sizes[i % 3], d = R * (i % 2 ? 1e-3 : 0.1), angle = 0.21 * i;
        floor_of f = {.count = 0};
        add_rectangle(&f, -9 * R, 0, -9 * R, 9 * R, angle, 0, 0);
        gmc_cap_share share = share_of(&f, R, d);
        double a = sqrt(2 * R * d), down = GMC_PI * R * d * d / 2,
               side = 4 * a * a * a * d / 15 / R;
        ASSERT_NEAR_RELATIVE(share.force, sqrt(down * down + side * side) / (2 * down), 1e-11);
        ASSERT_NEAR_RELATIVE(share.stored, 0.5, 1e-11);
        ASSERT_NEAR(share.lean_x, side / down * cos(angle), 1e-11);
        ASSERT_NEAR(share.lean_y, side / down * sin(angle), 1e-11);
        double stretch2 = 1 + side * side / down / down;
        ASSERT_NEAR_RELATIVE(share.slope, 0.5 * stretch2, 1e-11);
    }
}

/// Strips side by side, some of them over each other, are one face.
static void strips_are_one_face(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        double R = 0.015, d = 1e-3, angle = 0.37 * i, over = i % 2 ? 0 : 3e-4;
        floor_of f = {.count = 0};
        for (int k = -6; k < 6; k++)
            add_rectangle(&f, 2e-3 * k - over, 2e-3 * (k + 1), -0.05, 0.05, angle, 1e-4 * i, 0);
        gmc_cap_share share = share_of(&f, R, d);
        ASSERT_NEAR(share.force, 1, 1e-9); // of the rule
        ASSERT_NEAR(share.slope, 1, 1e-9);
        ASSERT_NEAR(share.stored, 1, 1e-9);
        ASSERT_NEAR(share.lean_x, 0, 1e-9);
        ASSERT_NEAR(share.lean_y, 0, 1e-9);
    }
}

/// The middles of columns, counted over a square about the cap.
static gmc_cap_share count_columns(const floor_of *f, double R, double depth)
{
    enum { N = 1200 };
    gmc_cap_near near = gmc_coulomb_cap_nearest(f->faces, f->count);
    double e = near.away, rho = sqrt(R * R - e * e);
    double top = depth + e * e / (2 * rho), a = sqrt(2 * rho * top), more = 0;
    double cell = 2 * a / N, area = 0, force = 0, stored = 0, x_sum = 0, y_sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double x = (i + 0.5) * cell - a, y = (k + 0.5) * cell - a;
            double d = top - (x * x + y * y) / (2 * rho);
            bool is_on = false;
            for (int n = 0; n < f->count && d > 0; n++) {
                bool is_in = true;
                for (int c = 0; c < CORNERS; c++) {
                    int next = (c + 1) % CORNERS;
                    double ex = f->x[n][next] - f->x[n][c], ey = f->y[n][next] - f->y[n][c];
                    if (ex * (y - f->y[n][c]) - ey * (x - f->x[n][c]) < 0) is_in = false;
                }
                is_on |= is_in;
            }
            if (!is_on) continue;
            area += cell * cell;
            force += cell * cell * d;
            stored += cell * cell * d * d / 2;
            x_sum += cell * cell * d * x;
            y_sum += cell * cell * d * y;
            more += cell * cell * d * (x * x + y * y - e * e) * e / (2 * rho * rho * rho);
        }
    double x = (more * near.x - x_sum / rho) / force, y = (more * near.y - y_sum / rho) / force,
           stretch2 = 1 + x * x + y * y;
    return (gmc_cap_share){.force = sqrt(stretch2) * force / (GMC_PI * R * depth * depth),
                           .slope = stretch2 * area / (2 * GMC_PI * R * depth),
                           .stored = stored / (GMC_PI * R * depth * depth * depth / 3),
                           .lean_x = x,
                           .lean_y = y};
}

/// Over corners and strips, beside them, and on two that are over each other. Columns on edges are
/// counted or not: 2/1200 of the cap's width.
static void integrals_are_those_of_columns(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++) {
        double R = 0.01, d = i % 2 ? 2e-4 : 1.5e-3, angle = 0.41 * i, dx = 4e-4 * (i % 7) - 2e-3;
        floor_of f = {.count = 0};
        add_rectangle(&f, -3e-3, 1e-3, -2e-3, 2e-3, angle, dx, 5e-4);
        if (i % 3 == 1) add_rectangle(&f, 1e-3, 2.5e-3, -1e-3, 3e-3, angle, dx, 5e-4);
        if (i % 3 == 2) add_rectangle(&f, 0.5e-3, 2.5e-3, -1e-3, 3e-3, angle, dx, 5e-4);
        gmc_cap_share share = share_of(&f, R, d), want = count_columns(&f, R, d);
        ASSERT_NEAR(share.force, want.force, 4e-3);
        ASSERT_NEAR(share.slope, want.slope, 8e-3);
        ASSERT_NEAR(share.stored, want.stored, 4e-3);
        ASSERT_NEAR(share.lean_x, want.lean_x, 2e-3);
        ASSERT_NEAR(share.lean_y, want.lean_y, 2e-3);
    }
}

/// Force is the derivative of the energy as the ball goes, down and aside, over the face and beside
/// it, by an edge and by a corner.
static void force_is_the_slope_of_energy(void **state)
{
    (void)state;
    const double R = 0.012, step = 1e-7;
    int beside = 0;
    for (int i = 0; i < 60; i++) {
        double shift = 3e-4 * (i % 20) - 2e-3, e[3][2];
        floor_of f = {.count = 0};
        add_rectangle(&f, -4e-3, 0, i < 40 ? -1.5e-3 : 1e-3, 9e-3, 0.3, -shift, 0);
        double away = gmc_coulomb_cap_nearest(f.faces, 1).away;
        double deep = i % 2 ? 1e-4 : 1.2e-3, height = sqrt(R * R - away * away) - deep;
        gmc_cap_share share = share_of(&f, R, deep);
        beside += away > 0;
        for (int n = 0; n < 6; n++) {
            double by = (n % 2 ? 1 : -1) * step, x = n / 2 == 0 ? by : 0, y = n / 2 == 1 ? by : 0;
            floor_of there = {.count = 0}; // the ball goes by (x, y): the face by the opposite
            add_rectangle(&there, -4e-3, 0, i < 40 ? -1.5e-3 : 1e-3, 9e-3, 0.3, -shift - x, -y);
            double off = gmc_coulomb_cap_nearest(there.faces, 1).away;
            double z = height - (n / 2 == 2 ? by : 0);
            e[n / 2][n % 2] = energy_of(&there, R, sqrt(R * R - off * off) - z);
        }
        double force = share.force * GMC_PI * R * deep * deep, tolerance = 1e-5 * force;
        double down = force / sqrt(1 + share.lean_x * share.lean_x + share.lean_y * share.lean_y);
        // of the difference: step/deep, squared, and rounding over the step
        ASSERT_NEAR((e[2][1] - e[2][0]) / (2 * step), down, tolerance);
        ASSERT_NEAR((e[0][0] - e[0][1]) / (2 * step), down * share.lean_x, tolerance);
        ASSERT_NEAR((e[1][0] - e[1][1]) / (2 * step), down * share.lean_y, tolerance);
    }
    assert_true(beside > 20);
}

static void whole_and_away(void **state)
{
    (void)state;
    floor_of f = {.count = 0};
    add_rectangle(&f, -3, 1, -2, 2, 0, 0, 0);
    assert_true(gmc_coulomb_cap_is_whole(&f.faces[0], 1));
    assert_false(gmc_coulomb_cap_is_whole(&f.faces[0], 1.0001));
    assert_true(gmc_coulomb_cap_nearest(f.faces, 1).away == 0);
    f.count = 0;
    add_rectangle(&f, 3, 5, 4, 6, 0, 0, 0);
    gmc_cap_near near = gmc_coulomb_cap_nearest(f.faces, 1);
    ASSERT_NEAR(near.away, 5, 1e-15);
    ASSERT_NEAR(near.x, -0.6, 1e-15);
    ASSERT_NEAR(near.y, -0.8, 1e-15);
    assert_false(gmc_coulomb_cap_is_whole(&f.faces[0], 1));
}

int test_cap(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_cap),
        cmocka_unit_test(strips_are_one_face),
        cmocka_unit_test(integrals_are_those_of_columns),
        cmocka_unit_test(force_is_the_slope_of_energy),
        cmocka_unit_test(whole_and_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
