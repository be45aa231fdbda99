// The 90 % band of where a pushed block ends, for all that is not known of 300 measured pushes,
// against where it was found ([zhou2016]).
//
// A band from contact friction 0.3 to 0.7, support friction ±10 % and points of the support ±2 mm
// was expected, by a guess, to cover 60 % of the poses. It covers 38 %: x 40 %, y 39 %, angle 35 %.
// What is missing is in the data and can be read from them without any mechanics: at the end of a
// push the tip touches the block, so its centre should be measured a tip's radius from it, 1 mm. It
// is 0.07 mm, and ±0.75 mm from push to push: the radius, "about 1 mm", and the place of the tip
// against the block are not known better than that. That is as much as the band is wide (±0.4 mm).
// A model that keeps the two bodies apart must err by it.
//
// With both of them in the band, a radius of 0 to 2 mm and a normal error of 0.75 mm of the tip's
// place in x and y, it covers 62 %.

#include "engine/math/elementary.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/pushes.h"

#include <string.h>

enum { DRAWS = 100 };

/// How far a point is from the block whose frame is at (x, y, angle); inside negative.
static double distance_to_block(gmc_vec3 at, gmc_vec2 point)
{
    double s, c, least = INFINITY, worst = -INFINITY;
    gmc_sin_cos(at.z, &s, &c);
    gmc_vec2 d = {point.x - at.x, point.y - at.y}, p = {c * d.x + s * d.y, c * d.y - s * d.x};
    for (int i = 0; i < 3; i++) {
        gmc_vec2 a = GMC_PUSHED_BLOCK[i], edge = gmc_vec2_sub(GMC_PUSHED_BLOCK[(i + 1) % 3], a);
        gmc_vec2 to = gmc_vec2_sub(p, a);
        double length = gmc_vec2_norm(edge), along = gmc_vec2_dot(to, edge) / (length * length);
        gmc_vec2 nearest = gmc_vec2_add_scaled(a, fmin(fmax(along, 0), 1), edge);
        least = fmin(least, gmc_vec2_norm(gmc_vec2_sub(p, nearest)));
        worst = fmax(worst, -gmc_vec2_dot(to, gmc_vec2_left(edge)) / length); // outside: positive
    }
    return worst > 0 ? least : -least;
}

static void tips_are_found_off_the_blocks_they_touch(void **state)
{
    (void)state;
    gmc_measured_push push;
    double sum = 0, squares = 0;
    FILE *file = gmc_pushes_open();
    assert_non_null(file);
    while (gmc_pushes_next(file, &push)) {
        double gap = 1e3 * distance_to_block(push.after, push.to);
        sum += gap;
        squares += gap * gap;
    }
    (void)fclose(file);
    double mean = sum / GMC_PUSH_COUNT, deviation = sqrt(squares / GMC_PUSH_COUNT - mean * mean);
    print_message("centre of the tip off the block: %.3f mm, ±%.3f mm\n", mean, deviation);
    ASSERT_NEAR(mean, 0.08, 0.13);      // three standard errors
    ASSERT_NEAR(deviation, 0.74, 0.09); // three standard errors
}

/// What is not known.
typedef struct ranges {
    double radius[2], tip; ///< of the tip; standard deviation of its place [m]
} ranges;

static gmc_push_guess draw(const gmc_measured_push *push, const ranges *r, gmc_chance *chance)
{
    gmc_push_guess guess = {.friction = gmc_chance_uniform(chance, 0.3, 0.7)};
    memcpy(guess.points, push->points, sizeof guess.points);
    for (int i = 0; i < 3; i++) {
        guess.points[i].friction *= gmc_chance_uniform(chance, 0.9, 1.1);
        guess.points[i].p.x += gmc_chance_uniform(chance, -2e-3, 2e-3);
        guess.points[i].p.y += gmc_chance_uniform(chance, -2e-3, 2e-3);
    }
    guess.tip_radius = gmc_chance_uniform(chance, r->radius[0], r->radius[1]);
    for (int k = 0; k < 12; k++) { // sums of twelve: all but normal
        guess.tip_off.x += r->tip * gmc_chance_uniform(chance, -0.5, 0.5);
        guess.tip_off.y += r->tip * gmc_chance_uniform(chance, -0.5, 0.5);
    }
    return guess;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// Is zero between the 5 % and the 95 % quantile?
static bool is_covered(double *off)
{
    qsort(off, DRAWS, sizeof *off, compare);
    return off[DRAWS / 20] <= 0 && off[DRAWS - 1 - DRAWS / 20] >= 0;
}

/// Share of measured x, y and angles in their bands.
static double coverage(const ranges *r, FILE *file)
{
    gmc_measured_push push;
    gmc_chance chance = {5};
    int covered[3] = {0};
    while (gmc_pushes_next(file, &push)) {
        static double off[3][DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            gmc_push_guess guess = draw(&push, r, &chance);
            gmc_vec3 end = gmc_push_simulate(&push, &guess, GMC_MOTION_DYNAMIC, 0.05);
            off[0][i] = end.x - push.after.x;
            off[1][i] = end.y - push.after.y;
            off[2][i] = gmc_push_turn_between(end.z, push.after.z);
        }
        for (int k = 0; k < 3; k++)
            covered[k] += is_covered(off[k]);
    }
    print_message("covered: x %.3f, y %.3f, angle %.3f\n", covered[0] / (double)GMC_PUSH_COUNT,
                  covered[1] / (double)GMC_PUSH_COUNT, covered[2] / (double)GMC_PUSH_COUNT);
    return (covered[0] + covered[1] + covered[2]) / (3.0 * GMC_PUSH_COUNT);
}

static void band_covers_what_was_measured(void **state)
{
    (void)state;
    const ranges stated = {{1e-3, 1e-3}, 0}, all = {{0.05e-3, 2e-3}, 0.75e-3};
    const ranges *both[] = {&stated, &all};
    double share[2];
    for (int k = 0; k < 2; k++) {
        FILE *file = gmc_pushes_open();
        assert_non_null(file);
        share[k] = coverage(both[k], file);
        (void)fclose(file);
    }
    assert_true(share[1] >= 0.6);      // 0.62, the top of the page
    ASSERT_NEAR(share[0], 0.38, 0.04); // as well; two standard errors
    capability_missed_at_least(82, share[0], 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tips_are_found_off_the_blocks_they_touch),
        cmocka_unit_test(band_covers_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
