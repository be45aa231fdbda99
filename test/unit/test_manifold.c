// Which of many candidates become contact points.
#include "test/support/near.h"
#include "test/support/solids.h"

enum { SIDES = 48 };

static const double RADIUS = 0.02, STEP = 2e-3, REACH = 1e-3;

typedef struct scene {
    support_hulls hulls;
    gmc_arena arena;
    support_geoms geoms;
    gmc_collider *collider;
    gmc_contact_point points[8];
    int count;
} scene;

/// A can of 48 sides on the plane z = 0, tilted about x so that the edge at its -y end is lowest;
/// that edge is `gap` above the plane.
static void place_can(scene *s, double tilt, double gap)
{
    // turned by half a side, so that an edge of the cap, not a vertex, is at its end
    gmc_quat half = gmc_quat_exp((gmc_vec3){0, 0, GMC_PI / SIDES});
    gmc_quat q = gmc_quat_multiply(gmc_quat_exp((gmc_vec3){tilt, 0, 0}), half);
    gmc_pose X = gmc_pose_make(q, (gmc_vec3){0, 0, 0});
    gmc_vec3 low = support_farthest(&s->geoms.geoms[0].shape, &X, (gmc_vec3){0, 0, -1});
    X.p.z = gap - low.z;
    support_geoms_place(&s->geoms, 0, X);
}

static void find(scene *s)
{
    assert_int_equal(gmc_collider_find(s->collider, &s->geoms.model, s->geoms.X_wb, s->geoms.V,
                                       STEP, REACH, s->points, GMC_COUNT(s->points), &s->count),
                     GMC_OK);
}

/// Two geoms on bodies of their own (planes: on the world), caches empty.
static void stage(scene *s, gmc_shape a, gmc_shape b)
{
    gmc_arena_reset(&s->arena, 0);
    support_geoms_clear(&s->geoms);
    support_geoms_add(&s->geoms, a, gmc_pose_identity());
    support_geoms_add(&s->geoms, b, gmc_pose_identity());
    assert_int_equal(gmc_collider_create(&s->geoms.model, &s->arena, &s->collider), GMC_OK);
}

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    if (!s || !support_hulls_create(&s->hulls)) return -1;
    *state = s;
    return gmc_arena_create(&s->arena, 1 << 20) == GMC_OK ? 0 : -1;
}

static int close_scene(void **state)
{
    scene *s = *state;
    support_hulls_free(&s->hulls);
    gmc_arena_free(&s->arena);
    free(s);
    return 0;
}

static int count_below(const scene *s, double gap)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += s->points[i].gap < gap;
    return count;
}

static void resting_cap_stands_on_four_wide_points(void **state)
{
    scene *s = *state;
    stage(s, support_polytope(s->hulls.can, RADIUS), support_plane());
    place_can(s, 0, -1e-7);
    find(s);
    assert_int_equal(s->count, 4);
    // a square: from each the farthest is opposite, the others are on either side
    for (int i = 0; i < 4; i++) {
        int opposite = 0, beside = 0;
        for (int j = 0; j < 4; j++) {
            double d = gmc_vec3_norm(gmc_vec3_sub(s->points[i].p, s->points[j].p)) / RADIUS;
            opposite += d > 1.9;
            beside += d > 1.2 && d < 1.6;
        }
        assert_true(opposite == 1 && beside == 2);
    }
    // and on the same four while it tilts by rounding and elastic sinking
    uint32_t before[4];
    for (int i = 0; i < 4; i++)
        before[i] = s->points[i].feature;
    for (int k = 0; k < 20; k++) {
        place_can(s, 1e-9 * (k % 7 - 3), -1e-7);
        find(s);
        assert_int_equal(s->count, 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(s->points[i].feature, before[i]);
    }
}

/// Both ends of the edge that it stands on, although wider points are within reach.
static void touching_points_come_first(void **state)
{
    scene *s = *state;
    stage(s, support_polytope(s->hulls.can, RADIUS), support_plane());
    place_can(s, 5e-3, -2e-7);
    find(s);
    assert_int_equal(s->count, 4);
    assert_int_equal(count_below(s, 0), 2);
}

/// It rolls over that edge on to the next: the vertex that will touch in this step is there.
static void points_that_will_touch_come_first(void **state)
{
    scene *s = *state;
    stage(s, support_polytope(s->hulls.can, RADIUS), support_plane());
    const double tilt = 5e-3;
    place_can(s, tilt, -2e-7);
    double side = 2 * RADIUS * gmc_sin(GMC_PI / SIDES);
    // height of the next vertex, and the turn about y that brings it down in one step
    double next = RADIUS * tilt * (gmc_cos(GMC_PI / SIDES) - gmc_cos(3 * GMC_PI / SIDES));
    gmc_twist *V = &s->geoms.V[s->geoms.geoms[0].body];
    V->w = (gmc_vec3){0, 1.2 * next / side / STEP, 0};
    gmc_vec3 end = {0.5 * side, -RADIUS, 0}; // of the edge: it stays where it is
    V->v = gmc_vec3_neg(gmc_vec3_cross(V->w, end));
    find(s);
    assert_int_equal(s->count, 4);
    assert_int_equal(count_below(s, 0), 2);
    assert_int_equal(count_below(s, next), 3);
    // turning the other way it is the vertex at the other end
    V->w.y = -V->w.y;
    end.x = -end.x;
    V->v = gmc_vec3_neg(gmc_vec3_cross(V->w, end));
    find(s);
    assert_int_equal(count_below(s, next), 3);
    double x = 0;
    for (int i = 0; i < s->count; i++)
        if (s->points[i].gap > 0 && s->points[i].gap < next) x = s->points[i].p.x;
    assert_true(x < -side);
}

/// Two bodies above each other; the upper one tilted about x by `tilt` and turning back by `turn`
/// within the step, about the middle of the lower one's top. How many points?
static int tilted_pair(scene *s, gmc_shape upper, gmc_shape lower, gmc_quat across, double tilt,
                       double turn)
{
    stage(s, upper, lower);
    gmc_quat q = gmc_quat_multiply(gmc_quat_exp((gmc_vec3){tilt, 0, 0}), across);
    gmc_pose X = gmc_pose_make(q, (gmc_vec3){0, 0, 0}), below = gmc_pose_make(across, X.p);
    below.p.z = -support_farthest(&lower, &below, (gmc_vec3){0, 0, 1}).z;
    support_geoms_place(&s->geoms, 1, below);
    double separation = support_separation(&lower, &below, &upper, &X, (gmc_vec3){0, 0, 1});
    // the lower one is half as long: it is reached half as deep as the tilted end is low
    X.p.z = -separation - 0.5 * support_farthest(&upper, &X, (gmc_vec3){0, 1, 0}).y * tilt;
    support_geoms_place(&s->geoms, 0, X);
    s->geoms.V[s->geoms.geoms[0].body].w = (gmc_vec3){-turn / STEP, 0, 0};
    find(s);
    return s->count;
}

/// A line that touches with one end and turns on to the other needs both, or it flips from one to
/// the other for ever; one that stays tilted touches in one point.
static void ends_of_a_line_that_turns_level(void **state)
{
    scene *s = *state;
    gmc_quat lying = gmc_quat_exp((gmc_vec3){-GMC_PI / 2, 0, 0}); // z along y
    gmc_shape capsule = support_capsule(0.004, 0.016), finger = support_box(0.01, 0.005, 0.008);
    assert_int_equal(tilted_pair(s, capsule, finger, lying, 0.03, 0), 1);
    assert_int_equal(tilted_pair(s, capsule, finger, lying, 0.03, 0.06), 2);
    gmc_shape rod = support_cylinder(0.004, 0.016), roll = support_cylinder(0.006, 0.008);
    assert_int_equal(tilted_pair(s, rod, roll, lying, 0.03, 0), 1);
    assert_int_equal(tilted_pair(s, rod, roll, lying, 0.03, 0.06), 2);
    roll.type = rod.type = GMC_SHAPE_CAPSULE;
    assert_int_equal(tilted_pair(s, rod, roll, lying, 0.03, 0), 1);
    assert_int_equal(tilted_pair(s, rod, roll, lying, 0.03, 0.06), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resting_cap_stands_on_four_wide_points, open_scene,
                                        close_scene),
        cmocka_unit_test_setup_teardown(touching_points_come_first, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(points_that_will_touch_come_first, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(ends_of_a_line_that_turns_level, open_scene, close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
