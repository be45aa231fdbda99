// Pushes that were measured ([zhou2016]), nothing fitted. An independent quasi-static simulation of
// minimum power ([peshkin1989]) misses the same 300 ends by 1.37 mm of 7.38 mm and 1.32 degrees of
// 6.38 in the mean.

#include "engine/math/elementary.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/pushes.h"

typedef struct miss {
    double way, angle; ///< [mm, degrees]
} miss;

static miss miss_of(gmc_vec3 a, gmc_vec3 b)
{
    return (miss){1e3 * gmc_vec2_norm((gmc_vec2){a.x - b.x, a.y - b.y}),
                  180 / GMC_PI * fabs(gmc_push_turn_between(a.z, b.z))};
}

static void check_mean(const char *motion, const miss *sum)
{
    double way = sum->way / GMC_PUSH_COUNT, angle = sum->angle / GMC_PUSH_COUNT;
    print_message("%s: mean error %.3f mm, %.3f degrees\n", motion, way, angle);
    capability_at_most(71, way, 1.40);   // 1.37 above, and little more
    capability_at_most(71, angle, 1.35); // 1.32 above
}

/// The block's ends against the measured ones; and, as slow as these pushes are, inertia is
/// nothing.
static void measured_pushes_are_met(void **state)
{
    (void)state;
    gmc_measured_push push;
    miss sum[2] = {{0}}, most = {0};
    int count = 0;
    FILE *file = gmc_pushes_open();
    assert_non_null(file);
    while (gmc_pushes_next(file, &push)) {
        gmc_push_guess guess = gmc_push_nominal(&push);
        const gmc_motion motions[] = {GMC_MOTION_DYNAMIC, GMC_MOTION_QUASI_STATIC};
        gmc_vec3 end[2];
        for (int k = 0; k < 2; k++) {
            end[k] = gmc_push_simulate(&push, &guess, motions[k], 0.01);
            miss m = miss_of(end[k], push.after);
            sum[k].way += m.way;
            sum[k].angle += m.angle;
        }
        miss m = miss_of(end[0], end[1]);
        most = (miss){fmax(most.way, m.way), fmax(most.angle, m.angle)};
        count++;
    }
    (void)fclose(file);
    assert_int_equal(count, GMC_PUSH_COUNT);
    check_mean("dynamic", &sum[0]);
    check_mean("quasi-static", &sum[1]);
    print_message("one against the other: at most %.4f mm, %.4f degrees\n", most.way, most.angle);
    assert_true(most.way <= 0.1 * near_scale());   // the bar
    assert_true(most.angle <= 0.1 * near_scale()); // the bar
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_pushes_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
