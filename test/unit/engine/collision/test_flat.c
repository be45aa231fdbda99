// Areas of flat contacts: their rectangles, and whether they are filled.

#include "engine/collision/flat.h"
#include "test/support/chance.h"
#include "test/support/near.h"

static const gmc_pair_axes AXES = {.n = {0, 0, 1}, .t1 = {1, 0, 0}, .t2 = {0, 1, 0}};
static const gmc_vec3 ORIGIN = {10, 20, 30};

static gmc_flat_area area_of(const gmc_flat *flat, const double *x, const double *y, int count)
{
    return gmc_flat_area_of(flat, &AXES, ORIGIN, x, y, count);
}

static void add_points(gmc_flat *flat, const double *x, const double *y, int count)
{
    gmc_shape box = {.type = GMC_SHAPE_BOX};
    gmc_pair pair = {.a = {.shape = &box}, .b = {.shape = &box}};
    gmc_manifold manifold = {.n = {0, 0, 1}, .count = count};
    for (int i = 0; i < count; i++)
        manifold.points[i].p = (gmc_vec3){x[i], y[i], 0.3};
    gmc_flat_add(flat, &pair, &manifold, &AXES, (gmc_vec3){0, 0, 0});
}

/// Corners of a rectangle, turned and shifted, in no order.
static void draw_rectangle(gmc_chance *chance, double a, double b, double angle, double x[4],
                           double y[4])
{
    double at_x = gmc_chance_uniform(chance, -1, 1), at_y = gmc_chance_uniform(chance, -1, 1);
    int first = gmc_chance_integer(chance, 0, 3), stride = gmc_chance_integer(chance, 0, 1) ? 3 : 1;
    for (int i = 0; i < 4; i++) {
        int k = (first + stride * i) % 4;
        double u = k == 0 || k == 3 ? a : -a, v = k < 2 ? b : -b;
        x[i] = at_x + cos(angle) * u - sin(angle) * v;
        y[i] = at_y + sin(angle) * u + cos(angle) * v;
    }
    double swap_x = x[1], swap_y = y[1]; // across, too
    if (gmc_chance_integer(chance, 0, 1)) x[1] = x[2], y[1] = y[2], x[2] = swap_x, y[2] = swap_y;
}

static void rectangles_are_themselves(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    for (int i = 0; i < 100; i++) {
        gmc_flat flat = {0};
        double a = gmc_chance_uniform(&chance, 0.01, 0.3), x[4], y[4];
        double b = a * gmc_chance_uniform(&chance, 0.02, 0.98);
        double angle = gmc_chance_uniform(&chance, 0, 6);
        draw_rectangle(&chance, a, b, angle, x, y);
        add_points(&flat, x, y, 4);
        ASSERT_NEAR_RELATIVE(flat.area, 4 * a * b, 1e-12);
        gmc_flat_area area = area_of(&flat, x, y, 4);
        // second moments about a centroid up to 1 away lose (1 / b)^2 of their digits
        ASSERT_NEAR_RELATIVE(area.half[0], a, 1e-9);
        ASSERT_NEAR_RELATIVE(area.half[1], b, 1e-7);
        ASSERT_NEAR(fabs(cos(angle) * area.along.x + sin(angle) * area.along.y), 1, 1e-9);
        ASSERT_NEAR(area.p.x - ORIGIN.x, (x[0] + x[1] + x[2] + x[3]) / 4, 1e-12);
        ASSERT_NEAR(area.p.y - ORIGIN.y, (y[0] + y[1] + y[2] + y[3]) / 4, 1e-12);
        assert_true(area.feet == 0);
    }
}

/// Any axis is a square's own: what is told is a unit vector.
static void squares_have_an_axis(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    for (int i = 0; i < 20; i++) {
        gmc_flat flat = {0};
        double x[4], y[4];
        draw_rectangle(&chance, 0.1, 0.1, 0.3 * i, x, y);
        add_points(&flat, x, y, 4);
        gmc_flat_area area = area_of(&flat, x, y, 4);
        ASSERT_NEAR(gmc_vec3_norm(area.along), 1, 1e-15);
        ASSERT_NEAR_RELATIVE(area.half[0], 0.1, 1e-7);
        ASSERT_NEAR_RELATIVE(area.half[1], 0.1, 1e-7);
    }
}

/// Two halves that are one flat contact have the integrals of the whole, and its rectangle.
static void halves_make_the_whole(void **state)
{
    (void)state;
    const double a = 0.2, b = 0.11, x[4] = {a, -a, -a, a}, y[4] = {b, b, -b, -b};
    gmc_flat whole = {0}, halves = {0};
    add_points(&whole, x, y, 4);
    for (int k = 0; k < 2; k++) {
        double lo = k ? 0.03 : -a, hi = k ? a : 0.03;
        const double part[4] = {hi, lo, lo, hi};
        add_points(&halves, part, y, 4);
    }
    const double sums[6] = {halves.area, halves.x, halves.y, halves.xx, halves.xy, halves.yy};
    const double all[6] = {whole.area, whole.x, whole.y, whole.xx, whole.xy, whole.yy};
    for (int i = 0; i < 6; i++)
        ASSERT_NEAR(sums[i], all[i], 1e-15); // rounding of terms below 0.1
    gmc_flat_area of_halves = area_of(&halves, x, y, 4), of_whole = area_of(&whole, x, y, 4);
    for (int i = 0; i < 2; i++)
        ASSERT_NEAR(of_halves.half[i], of_whole.half[i], 1e-13);
}

static void a_cap_is_a_disc(void **state)
{
    (void)state;
    gmc_shape can = {.type = GMC_SHAPE_CYLINDER, .radius = 0.04, .half_length = 0.1};
    gmc_shape box = {.type = GMC_SHAPE_BOX};
    gmc_pair pair = {.a = {.shape = &box}, .b = {.shape = &can}};
    pair.b.X = (gmc_pose){.R = gmc_mat3_identity(), .p = {0.3, -0.1, 0.1}};
    gmc_manifold manifold = {.n = {0, 0, 1}, .count = 4};
    double x[4], y[4];
    for (int i = 0; i < 4; i++) {
        x[i] = 0.3 + (i % 2 ? 0 : i ? -0.04 : 0.04);
        y[i] = -0.1 + (i % 2 ? i > 2 ? -0.04 : 0.04 : 0);
        manifold.points[i].p = (gmc_vec3){x[i], y[i], 0};
    }
    gmc_flat flat = {0};
    gmc_flat_add(&flat, &pair, &manifold, &AXES, (gmc_vec3){0, 0, 0});
    ASSERT_NEAR_RELATIVE(flat.area, 3.14159265358979 * 0.04 * 0.04, 1e-13);
    // the square of the same mean distance, 2 R / 3: 0.765196 of its half side; flat.c
    gmc_flat_area area = area_of(&flat, x, y, 4);
    for (int i = 0; i < 2; i++)
        ASSERT_NEAR_RELATIVE(area.half[i], 2 * 0.04 / 3 / 0.765195716, 1e-3);
    assert_true(area.feet == 0);
    // lapping over an edge: the polygon of its points
    manifold.points[0].p.x -= 0.01;
    flat = (gmc_flat){0};
    gmc_flat_add(&flat, &pair, &manifold, &AXES, (gmc_vec3){0, 0, 0});
    ASSERT_NEAR_RELATIVE(flat.area, 0.04 * (0.04 + 0.03), 1e-13);
}

static void lines_points_and_feet(void **state)
{
    (void)state;
    const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1}, line_y[2] = {0.2, 0.2};
    gmc_flat line = {0}, feet = {0}, none = {0};
    add_points(&line, x, line_y, 2);
    gmc_flat_area area = area_of(&line, x, line_y, 2);
    ASSERT_NEAR(area.half[0], 1, 1e-15);
    ASSERT_NEAR(fabs(area.along.x), 1, 1e-15);
    assert_true(area.half[1] == 0);
    assert_true(area.feet == 0);
    assert_true(area_of(&none, x, y, 1).half[0] == 0);
    for (int i = 0; i < 4; i++) {
        double fx[4], fy[4];
        for (int k = 0; k < 4; k++) {
            fx[k] = x[i] + 0.01 * x[k];
            fy[k] = y[i] + 0.01 * y[k];
        }
        add_points(&feet, fx, fy, 4);
    }
    area = area_of(&feet, x, y, 4);
    ASSERT_NEAR(area.feet, 1, 1e-3);
    ASSERT_NEAR(area.feet_arm, 1, 1e-3);
    const double same[2] = {1, 1}; // two points in one place
    assert_true(area_of(&none, same, same, 2).half[0] == 0);
}

/// Middle of what presses in evenly, less that of the area.
static gmc_vec2 middle_off(const gmc_flat *flat, const double *x, const double *y, int count,
                           double *excess)
{
    gmc_vec2 off = {-flat->whole_x / flat->whole, -flat->whole_y / flat->whole};
    double sum = 0;
    gmc_flat_stiffen(flat, x, y, count, excess);
    for (int i = 0; i < count; i++) {
        assert_true(excess[i] >= GMC_FLAT_SOFTEST - 1 - 1e-15);
        sum += excess[i];
        off.x += (1 + excess[i]) * x[i] / count;
        off.y += (1 + excess[i]) * y[i] / count;
    }
    ASSERT_NEAR(sum, 0, 1e-12); // rounding of places over the width
    return off;
}

/// Polygons with corners on an ellipse, at least 20 degrees apart.
static void points_press_at_the_centroid(void **state)
{
    (void)state;
    gmc_chance chance = {7};
    for (int i = 0; i < 300; i++) {
        int count = gmc_chance_integer(&chance, 3, 6);
        double x[6], y[6], moved[6], excess[6], after[6], angle = 0;
        double b = gmc_chance_uniform(&chance, 0.05, 1);
        for (int k = 0; k < count; k++) {
            angle += gmc_chance_uniform(&chance, 0.35, 6.2 / count);
            x[k] = moved[k] = 3 + cos(angle);
            y[k] = b * sin(angle) - 2;
        }
        gmc_flat flat = {0}, beside = {0};
        add_points(&flat, x, y, count);
        gmc_vec2 off = middle_off(&flat, x, y, count, excess);
        // middles less than 1e-6 apart are taken for one (flat.c)
        ASSERT_NEAR(off.x, 0, 2e-6);
        ASSERT_NEAR(off.y, 0, 2e-6);
        moved[0] += 1e-7;
        add_points(&beside, moved, y, count);
        middle_off(&beside, moved, y, count, after);
        for (int k = 0; k < count; k++)
            ASSERT_NEAR(after[k], excess[k], 1e-5);
    }
}

/// Nothing is said of rectangles and lines. A centroid near one of four points, as that of one foot
/// that is larger than the others, is gone towards as far as the softest point allows.
static void even_ones_and_what_cannot_be(void **state)
{
    (void)state;
    const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1}, foot_x[4] = {1, 0.8, 0.8, 1};
    const double foot_y[4] = {1, 1, 0.8, 0.8}, line_y[2] = {0.2, 0.2};
    gmc_flat square = {0}, foot = {0}, line = {0};
    double excess[4];
    add_points(&square, x, y, 4);
    gmc_flat_stiffen(&square, x, y, 4, excess);
    for (int i = 0; i < 4; i++)
        assert_true(excess[i] == 0);
    add_points(&line, x, line_y, 2);
    gmc_flat_stiffen(&line, x, line_y, 2, excess);
    assert_true(excess[0] == 0);
    assert_true(excess[1] == 0);
    add_points(&foot, foot_x, foot_y, 4);
    gmc_vec2 off = middle_off(&foot, x, y, 4, excess);
    ASSERT_NEAR(excess[2], GMC_FLAT_SOFTEST - 1, 1e-15); // (-1, -1), rounding
    ASSERT_NEAR(off.x, 0.45 - 0.9, 1e-6);                // (1 + 0.9) / 4 - 0.1 / 4
    ASSERT_NEAR(off.y, off.x, 1e-12);
}

int test_flat(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_are_themselves),
        cmocka_unit_test(squares_have_an_axis),
        cmocka_unit_test(halves_make_the_whole),
        cmocka_unit_test(a_cap_is_a_disc),
        cmocka_unit_test(lines_points_and_feet),
        cmocka_unit_test(points_press_at_the_centroid),
        cmocka_unit_test(even_ones_and_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
