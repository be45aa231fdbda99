#include "engine/collision/manifold.h"
#include "test/support/near.h"
#include "test/support/solids.h"

#include <stdlib.h>

/// A query of size 1 whose candidates the test writes itself.
typedef struct scene {
    gmc_arena arena;
    support_pair query;
    gmc_pair_axes axes;
    gmc_manifold manifold;
} scene;

static void scene_open(scene *s)
{
    gmc_shape cube = support_box(0.6, 0.6, 0.52915026); // half diagonal 1
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 16), GMC_OK);
    assert_true(support_pair_open(&s->query, cube, gmc_pose_identity(), cube, gmc_pose_identity(),
                                  1, &s->arena));
    s->axes = (gmc_pair_axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
}

static void candidate(scene *s, double x, double y, double gap, uint64_t feature)
{
    gmc_pair_work *work = &s->query.work;
    work->candidates[work->candidate_count++] = (gmc_candidate){x, y, 0, gap, feature, 0, 0};
}

static void reduce(scene *s)
{
    gmc_manifold_reduce(&s->query.pair, &s->axes, &s->manifold);
    gmc_manifold_remember(&s->query.pair, &s->manifold);
    s->query.work.candidate_count = 0;
}

static bool has(const scene *s, uint64_t feature)
{
    for (int i = 0; i < s->manifold.count; i++)
        if (s->manifold.points[i].feature == feature) return true;
    return false;
}

static void few_candidates_all_stay_in_order(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    candidate(&s, 0, 0, 0.1, 7);
    candidate(&s, 1, 0, 0.2, 3);
    candidate(&s, 0, 1, 0.3, 5);
    reduce(&s);
    assert_int_equal(s.manifold.count, 3);
    assert_int_equal(s.manifold.points[0].feature, 3);
    assert_int_equal(s.manifold.points[1].feature, 5);
    assert_int_equal(s.manifold.points[2].feature, 7);
    ASSERT_NEAR(s.manifold.points[0].p.x, 1, 0);
    ASSERT_NEAR(s.manifold.points[0].gap, 0.2, 0);
    reduce(&s);
    assert_int_equal(s.manifold.count, 0);
    gmc_arena_free(&s.arena);
}

static void one_place_has_one_point(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    candidate(&s, 0, 0, 0, 9);
    candidate(&s, 0.5 * GMC_PAIR_MERGE, 0, 0, 4); // the same place, a smaller name
    candidate(&s, 1, 0, 0, 2);
    reduce(&s);
    assert_int_equal(s.manifold.count, 2);
    assert_true(has(&s, 4));
    assert_true(has(&s, 2));
    // the one kept before stays although its name is greater
    candidate(&s, 0, 0, 0, 3);
    candidate(&s, 0.5 * GMC_PAIR_MERGE, 0, 0, 4);
    candidate(&s, 1, 0, 0, 2);
    reduce(&s);
    assert_true(has(&s, 4));
    assert_true(!has(&s, 3));
    // of two above each other the lower one, whatever their names
    candidate(&s, 0, 0, 0.01, 4);
    candidate(&s, 0, 0, 0, 5);
    reduce(&s);
    assert_int_equal(s.manifold.count, 1);
    assert_true(has(&s, 5));
    gmc_arena_free(&s.arena);
}

/// Corners of a regular polygon with a bump of height on top; names from `first`.
static void ring(scene *s, int count, double turn, uint64_t first)
{
    for (int i = 0; i < count; i++) {
        double phi = turn + 2 * GMC_PI * i / count;
        candidate(s, gmc_cos(phi), gmc_sin(phi), 0, first + (uint64_t)i);
    }
}

/// Of the ring of the manifold's points about the origin.
static double area_of(const scene *s)
{
    double area = 0;
    for (int i = 0; i < s->manifold.count; i++) {
        gmc_vec3 p = s->manifold.points[i].p;
        double next = 2 * GMC_PI; // the smallest turn to another point
        gmc_vec3 q = p;
        for (int j = 0; j < s->manifold.count; j++) {
            gmc_vec3 other = s->manifold.points[j].p;
            double turn = gmc_atan2(p.x * other.y - p.y * other.x, p.x * other.x + p.y * other.y);
            if (turn < 0) turn += 2 * GMC_PI;
            if (j != i && turn < next) next = turn, q = other;
        }
        area += 0.5 * (p.x * q.y - p.y * q.x);
    }
    return area;
}

static void many_are_reduced_to_a_wide_few(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    for (int count = 5; count <= 12; count++) {
        gmc_pair_cache none = {0};
        s.query.cache = none;
        ring(&s, count, 0.1 * count, 10);
        reduce(&s);
        assert_int_equal(s.manifold.count, count < 6 ? count : 6);
        // the largest hexagon of a circle is 2.60; a pentagon is 2.38, six corners of seven 2.35
        assert_true(area_of(&s) > 2.3);
    }
    // eight candidates at four places
    ring(&s, 4, 0.3, 0);
    ring(&s, 4, 0.3, 100);
    gmc_pair_cache none = {0};
    s.query.cache = none;
    reduce(&s);
    assert_int_equal(s.manifold.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(has(&s, i));
    // on a line: its ends
    s.query.cache = none;
    for (uint32_t i = 0; i < 7; i++)
        candidate(&s, 0.1 * i, 0.05 * i, 0, 20 + i);
    reduce(&s);
    assert_int_equal(s.manifold.count, 2);
    assert_true(has(&s, 20));
    assert_true(has(&s, 26));
    gmc_arena_free(&s.arena);
}

static void the_deepest_is_always_there(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    for (int k = 0; k < 8; k++) {
        gmc_pair_cache none = {0};
        s.query.cache = none;
        ring(&s, 8, 0, 0);
        s.query.work.candidates[k].gap = -3 * GMC_PAIR_DEEPEST;
        reduce(&s);
        assert_int_equal(s.manifold.count, 6);
        assert_true(has(&s, (uint64_t)k));
    }
    gmc_arena_free(&s.arena);
}

static void the_same_points_are_kept_while_they_serve(void **unused)
{
    (void)unused;
    scene s;
    support_random r = {4};
    scene_open(&s);
    ring(&s, 8, 0, 0);
    reduce(&s);
    gmc_manifold first = s.manifold;
    // the octagon turns a little, its corners move by less than a tenth, noise tilts it
    for (int k = 0; k < 200; k++) {
        ring(&s, 8, 0.003 * k, 0);
        for (int c = 0; c < 8; c++)
            s.query.work.candidates[c].gap = support_uniform(&r, -1, 1) * GMC_PAIR_DEEPEST;
        reduce(&s);
        for (int i = 0; i < 4; i++)
            assert_int_equal(s.manifold.points[i].feature, first.points[i].feature);
    }
    // one of them goes: the others stay
    ring(&s, 8, 0.6, 0);
    for (int c = 0; c < 8; c++)
        if (s.query.work.candidates[c].feature == first.points[1].feature)
            s.query.work.candidates[c].feature = 99;
    reduce(&s);
    int stayed = 0;
    for (int i = 0; i < 4; i++)
        stayed += has(&s, first.points[i].feature);
    assert_int_equal(stayed, 3);
    gmc_arena_free(&s.arena);
}

// Two corners of an octagon touch, their neighbours rise as it rocks away from them, the far side
// is wide but high. When the rocking turns round the neighbours come next, so they are taken.
static void what_rocks_back_comes_before_what_is_wide(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    ring(&s, 8, 0, 0);
    const double slope = 1e-3;
    for (int c = 0; c < 8; c++) {
        gmc_candidate *p = &s.query.work.candidates[c];
        p->gap = p->x > 0.9 ? 0 : slope * (1 - p->x); // the corner at x = 1 is lowest
    }
    s.query.pair.move.w.y = -0.5 * slope; // b rises by slope x / 2, falls beyond x = 0
    s.query.pair.move.v.z = 0;
    reduce(&s);
    int beside = 0;
    for (int i = 0; i < s.manifold.count; i++)
        beside += s.manifold.points[i].p.x > 0.5;
    assert_int_equal(s.manifold.count, 4);
    assert_true(has(&s, 0));
    assert_int_equal(beside, 3);
    gmc_arena_free(&s.arena);
}

/// Corners of faces that are flush: each has a vertex of either solid and a crossing, within noise
/// of each other.
static void flush_corners(scene *s, support_random *r, const double *x, const double *y,
                          double deeper)
{
    for (int k = 0; k < 8; k++)
        candidate(s, x[k % 4] + support_uniform(r, -1e-7, 1e-7),
                  y[k % 4] + support_uniform(r, -1e-7, 1e-7),
                  support_uniform(r, -1e-6, 0) - (k == 5 ? deeper : 0), (uint64_t)(10 + k));
}

// The four that were chosen first stay whatever the noise does, as long as they are four corners
// and no twin is clearly deeper than all of them.
static void flush_corners_keep_their_names(void **unused)
{
    (void)unused;
    scene s;
    support_random r = {5};
    const double x[4] = {0.4, -0.4, -0.4, 0.4}, y[4] = {0.3, 0.3, -0.3, -0.3};
    const double x_in[4] = {0.4, -0.4, -0.4, -0.2}, y_in[4] = {0.3, 0.3, -0.3, 0.1};
    uint64_t first[4] = {0};
    scene_open(&s);
    for (int call = 0; call < 1000; call++) {
        flush_corners(&s, &r, x, y, 0);
        reduce(&s);
        assert_int_equal(s.manifold.count, 4);
        for (int i = 0; i < 4; i++) {
            if (call == 0) first[i] = s.manifold.points[i].feature;
            assert_int_equal(s.manifold.points[i].feature, first[i]);
        }
    }
    // the twin of one of them, deeper by more than what is kept may lack
    flush_corners(&s, &r, x, y, 1.5 * GMC_PAIR_DEEPEST_KEEP);
    reduce(&s);
    assert_int_equal(s.manifold.count, 4);
    assert_true(has(&s, 15));
    // one of the four has moved inside the triangle of the others: it is no corner any more
    flush_corners(&s, &r, x_in, y_in, 0);
    reduce(&s);
    assert_int_equal(s.manifold.count, 3);
    assert_false(has(&s, 13) || has(&s, 17));
    gmc_arena_free(&s.arena);
}

static void little_room_is_reported(void **unused)
{
    (void)unused;
    int refused = 0;
    for (size_t room = 64; room < 4096; room += 64) {
        gmc_arena arena;
        gmc_pair_work work;
        assert_int_equal(gmc_arena_create(&arena, room), GMC_OK);
        gmc_status status = gmc_manifold_work(12, 100, &arena, &work);
        assert_true(status == GMC_OK || status == GMC_E_ARENA_FULL);
        refused += status == GMC_E_ARENA_FULL;
        if (status == GMC_OK) assert_true(work.candidate_max >= 100 && work.polygon_max == 12);
        gmc_arena_free(&arena);
    }
    assert_true(refused > 10);
}

// The same through the collider: cans, capsules and cylinders that rest, tilt and roll.

enum { SIDES = 48 };

static const double RADIUS = 0.02, STEP = 2e-3, REACH = 1e-3;

typedef struct can_scene {
    support_hulls hulls;
    gmc_arena arena;
    support_geoms geoms;
    gmc_collider *collider;
    gmc_contact_point points[8];
    int count;
} can_scene;

/// A can of 48 sides on the plane z = 0, tilted about x so that the edge at its -y end is lowest;
/// that edge is `gap` above the plane.
static void place_can(can_scene *s, double tilt, double gap)
{
    // turned by half a side, so that an edge of the cap, not a vertex, is at its end
    gmc_quat half = gmc_quat_exp((gmc_vec3){0, 0, GMC_PI / SIDES});
    gmc_quat q = gmc_quat_multiply(gmc_quat_exp((gmc_vec3){tilt, 0, 0}), half);
    gmc_pose X = gmc_pose_make(q, (gmc_vec3){0, 0, 0});
    gmc_vec3 low = support_farthest(&s->geoms.geoms[0].shape, &X, (gmc_vec3){0, 0, -1});
    X.p.z = gap - low.z;
    support_geoms_place(&s->geoms, 0, X);
}

static void find_can(can_scene *s)
{
    assert_int_equal(gmc_collider_find(s->collider,
                                       &(gmc_collider_scene){.model = &s->geoms.model,
                                                             .X_wb = s->geoms.X_wb,
                                                             .V = s->geoms.V,
                                                             .h = STEP,
                                                             .reach = REACH},
                                       s->points, GMC_COUNT(s->points), &s->count),
                     GMC_OK);
}

/// Two geoms on bodies of their own (planes: on the world), caches empty.
static void stage(can_scene *s, gmc_shape a, gmc_shape b)
{
    gmc_arena_reset(&s->arena, 0);
    support_geoms_clear(&s->geoms);
    support_geoms_add(&s->geoms, a, gmc_pose_identity());
    support_geoms_add(&s->geoms, b, gmc_pose_identity());
    assert_int_equal(gmc_collider_create(&s->geoms.model, &s->arena, &s->collider), GMC_OK);
}

static int open_can(void **state)
{
    can_scene *s = calloc(1, sizeof *s);
    if (!s || !support_hulls_create(&s->hulls)) return -1;
    *state = s;
    return gmc_arena_create(&s->arena, 1 << 20) == GMC_OK ? 0 : -1;
}

static int close_can(void **state)
{
    can_scene *s = *state;
    support_hulls_free(&s->hulls);
    gmc_arena_free(&s->arena);
    free(s);
    return 0;
}

static int count_below(const can_scene *s, double gap)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += s->points[i].gap < gap;
    return count;
}

static void resting_cap_stands_on_six_wide_points(void **state)
{
    can_scene *s = *state;
    stage(s, support_polytope(s->hulls.can, RADIUS), support_plane());
    place_can(s, 0, -1e-7);
    find_can(s);
    assert_int_equal(s->count, 6);
    // well apart: neighbours of a regular hexagon are a radius from each other
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            assert_true(gmc_vec3_norm(gmc_vec3_sub(s->points[i].p, s->points[j].p)) > 0.7 * RADIUS);
    // and on the same six while it tilts by rounding and elastic sinking
    uint64_t before[6];
    for (int i = 0; i < 6; i++)
        before[i] = s->points[i].feature;
    for (int k = 0; k < 20; k++) {
        place_can(s, 1e-9 * (k % 7 - 3), -1e-7);
        find_can(s);
        assert_int_equal(s->count, 6);
        for (int i = 0; i < 6; i++)
            assert_int_equal(s->points[i].feature, before[i]);
    }
}

/// Both ends of the edge that it stands on, although wider points are within reach.
static void touching_points_come_first(void **state)
{
    can_scene *s = *state;
    stage(s, support_polytope(s->hulls.can, RADIUS), support_plane());
    place_can(s, 5e-3, -2e-7);
    find_can(s);
    assert_int_equal(s->count, 4);
    assert_int_equal(count_below(s, 0), 2);
}

/// It rolls over that edge on to the next: the vertex that will touch in this step is there.
static void points_that_will_touch_come_first(void **state)
{
    can_scene *s = *state;
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
    find_can(s);
    assert_int_equal(s->count, 4);
    assert_int_equal(count_below(s, 0), 2);
    assert_int_equal(count_below(s, next), 3);
    // turning the other way it is the vertex at the other end
    V->w.y = -V->w.y;
    end.x = -end.x;
    V->v = gmc_vec3_neg(gmc_vec3_cross(V->w, end));
    find_can(s);
    assert_int_equal(count_below(s, next), 3);
    double x = 0;
    for (int i = 0; i < s->count; i++)
        if (s->points[i].gap > 0 && s->points[i].gap < next) x = s->points[i].p.x;
    assert_true(x < -side);
}

/// Two bodies above each other; the upper one tilted about x by `tilt` and turning back by `turn`
/// within the step, about the middle of the lower one's top. How many points?
static int tilted_pair(can_scene *s, gmc_shape upper, gmc_shape lower, gmc_quat across, double tilt,
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
    find_can(s);
    return s->count;
}

/// A line that touches with one end and turns on to the other needs both, or it flips from one to
/// the other for ever; one that stays tilted touches in one point.
static void ends_of_a_line_that_turns_level(void **state)
{
    can_scene *s = *state;
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

int test_manifold(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_candidates_all_stay_in_order),
        cmocka_unit_test(one_place_has_one_point),
        cmocka_unit_test(many_are_reduced_to_a_wide_few),
        cmocka_unit_test(the_deepest_is_always_there),
        cmocka_unit_test(the_same_points_are_kept_while_they_serve),
        cmocka_unit_test(what_rocks_back_comes_before_what_is_wide),
        cmocka_unit_test(flush_corners_keep_their_names),
        cmocka_unit_test(little_room_is_reported),
        cmocka_unit_test_setup_teardown(resting_cap_stands_on_six_wide_points, open_can, close_can),
        cmocka_unit_test_setup_teardown(touching_points_come_first, open_can, close_can),
        cmocka_unit_test_setup_teardown(points_that_will_touch_come_first, open_can, close_can),
        cmocka_unit_test_setup_teardown(ends_of_a_line_that_turns_level, open_can, close_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
