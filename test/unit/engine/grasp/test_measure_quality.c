// Measures of what contacts can hold, of contacts written by hand: which of them count, each with
// its own friction, and the largest radius of bodies of every shape. Volumes are in moments over
// that radius, three of six dimensions: volume times radius³ is the contacts' own.
#include "engine/grasp/measure.h"
#include "engine/grasp/wrench.h"
#include "engine/math/elementary.h"
#include "engine/model/builder.h"
#include "engine/model/hull.h"
#include "test/support/near.h"

#include <math.h>
#include <string.h>

enum { FINGER = 1, THING, TABLE, BODIES, CONTACTS = 8 };

static const gmc_vec3 COM = {0.01, -0.02, 0.03};

typedef struct scene {
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_model model;
    gmc_world world;
    bool is_hand[BODIES];
    gmc_measure_plan plan;
    gmc_measure_state state;
    gmc_contact contacts[CONTACTS];
} scene;

static const gmc_measure ASKED[] = {
    {.kind = GMC_MEASURE_CLOSURE, .a = THING},
    {.kind = GMC_MEASURE_EPSILON, .a = THING},
    {.kind = GMC_MEASURE_VOLUME, .a = THING},
    {.kind = GMC_MEASURE_CLOSING, .a = THING},
    {.kind = GMC_MEASURE_HOLDS, .a = THING, .of_a = {0, 0, -1}},
    {.kind = GMC_MEASURE_HOLDS, .a = THING, .of_a = {1, 0, 0}},
    {.kind = GMC_MEASURE_HOLDS, .a = THING, .b = TABLE, .of_a = {1, 0, 0}},
    {.kind = GMC_MEASURE_EPSILON_EACH, .a = THING},
    {.kind = GMC_MEASURE_VOLUME_EACH, .a = THING},
    {.kind = GMC_MEASURE_HOLDS_MOMENT, .a = THING, .of_a = {1, 0, 0}},
    {.kind = GMC_MEASURE_HOLDS_MOMENT, .a = THING, .of_a = {0, -1, 0}},
    {.kind = GMC_MEASURE_HOLDS_MOMENT, .a = THING, .of_a = {0, 0, 1}},
    {.kind = GMC_MEASURE_HOLDS_MOMENT, .a = THING, .b = TABLE, .of_a = {1, 0, 0}},
};
enum { DOWN = 4, ACROSS, ACROSS_TABLE, EACH, VOLUME_EACH, ABOUT_X, ABOUT_Y, ABOUT_Z, ABOUT_TABLE };
static const gmc_statistic AT_END[GMC_COUNT(ASKED)];

static void add(gmc_builder *b, const char *name)
{
    const gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.01};
    const gmc_source nowhere = {0};
    gmc_joint_spec joint = {
        .type = GMC_JOINT_FREE, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    gmc_inertia inertia = {.mass = 1, .com = COM, .I = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    gmc_builder_link(b, nowhere, name, NULL, &joint, &inertia);
    gmc_builder_geom(b, &(gmc_geom_spec){.source = nowhere,
                                         .link = name,
                                         .X_lg = gmc_pose_identity(),
                                         .shape = ball,
                                         .surface = "abs",
                                         .category = 1,
                                         .mask = 1});
}

// The thing's mass centre stands in the world's origin; contacts on a ring about it.
static void open_scene(scene *s, const gmc_shape *shape, gmc_pose X, bool is_flat)
{
    *s = (scene){.is_hand = {[FINGER] = true}};
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 20), GMC_OK);
    gmc_builder *b = gmc_builder_create(&s->report);
    assert_non_null(b);
    add(b, "finger");
    add(b, "thing");
    add(b, "table");
    assert_int_equal(gmc_builder_finish(b, &s->arena, &s->model), GMC_OK);
    gmc_builder_free(b);
    gmc_geom *geoms = GMC_NEW(&s->arena, s->model.geom_count, gmc_geom);
    assert_non_null(geoms);
    memcpy(geoms, s->model.geoms, (size_t)s->model.geom_count * sizeof *geoms);
    for (int i = 0; i < s->model.geom_count; i++)
        if (geoms[i].body == THING) geoms[i].shape = *shape, geoms[i].X_bg = X;
    s->model.geoms = geoms; // of any shape: planar ones, too, which the builder wants in a plane
    s->world.model = &s->model;
    s->world.contacts = (gmc_contact_set){.contacts = s->contacts, .capacity = CONTACTS};
    assert_int_equal(gmc_state_create(&s->model, &s->arena, &s->world.state), GMC_OK);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->world.kin), GMC_OK);
    s->plan = (gmc_measure_plan){.object_body = THING,
                                 .hand_body = FINGER,
                                 .is_hand = s->is_hand,
                                 .tool_frame = -1,
                                 .is_flat = is_flat,
                                 .asked_count = GMC_COUNT(ASKED),
                                 .asked = ASKED,
                                 .statistics = AT_END};
    assert_int_equal(gmc_measure_create(&s->plan, &s->world, &s->arena, &s->state), GMC_OK);
    s->world.kin.X_wb[THING] = (gmc_pose){gmc_mat3_identity(), gmc_vec3_neg(COM)};
}

static void close_scene(scene *s)
{
    gmc_diagnostics_free(&s->report);
    gmc_arena_free(&s->arena);
}

// The thing is the second body of even contacts, the first of odd ones.
static void touch(scene *s, double angle, double size, double friction)
{
    int i = s->world.contacts.count++;
    gmc_vec3 out = {gmc_cos(angle), gmc_sin(angle), 0}, t = {-out.y, out.x, 0};
    bool is_first = i % 2;
    gmc_vec3 n = is_first ? out : gmc_vec3_neg(out);
    s->contacts[i] = (gmc_contact){.body_a = is_first ? THING : FINGER,
                                   .body_b = is_first ? FINGER : THING,
                                   .point = {.p = gmc_vec3_scale(size, out)},
                                   .dir = {n, t, gmc_vec3_cross(n, t)},
                                   .law = {.friction = friction},
                                   .impulse = {1e-3 * (i + 1), 0, 0}};
}

static double value(scene *s, int asked)
{
    return gmc_measure_value(&ASKED[asked], &s->plan, &s->world, &s->state);
}

static const double THIRD = 2.09439510239319549231;

static const gmc_shape BALL = {.type = GMC_SHAPE_SPHERE, .radius = 0.05};

// A ball about its mass centre, three contacts at its equator: the table of test_quality.
static void contacts_of_the_hand_make_the_grasp(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
    for (int i = 0; i < 3; i++)
        touch(&s, i * THIRD, 0.05, 0.5);
    assert_true(value(&s, 0) == 1);
    assert_true(fabs(value(&s, 1) - 0.2759251557) <= 1e-8);
    assert_true(fabs(value(&s, 2) / 0.0788798352 - 1) <= 1e-7);
    assert_true(value(&s, 3) == 0);
    s.contacts[1].impulse[0] = 0; // it is near and does not press
    assert_true(value(&s, 0) == 0 && value(&s, 1) == -1 && value(&s, 2) == 0);
    assert_true(isinf(value(&s, 3)));
    s.contacts[1].impulse[0] = 1e-9; // how hard it presses plays no part
    assert_true(fabs(value(&s, 1) - 0.2759251557) <= 1e-8);
    s.contacts[1].body_b = TABLE;
    assert_true(value(&s, 0) == 0 && value(&s, 1) == -1);
    close_scene(&s);
}

static void each_contact_has_its_own_friction(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
    double before = 1;
    for (int k = 3; k >= 0; k--) {
        s.world.contacts.count = 0;
        for (int i = 0; i < 3; i++)
            touch(&s, i * THIRD, 0.05, i < k ? 0.5 : 0.2);
        double epsilon = value(&s, 1);
        assert_true(epsilon > 0 && epsilon < before);
        before = epsilon;
    }
    close_scene(&s);
}

// Two jaws hold as much across as they press with, mu of it along; with 1 N together. Of a frame that
// is turned its own axis counts; contacts of a table do not.
static void two_jaws_hold_what_they_press_or_mu_of_it(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
    assert_true(value(&s, DOWN) == 0);
    touch(&s, 0, 0.05, 0.3);
    touch(&s, 1.5 * THIRD, 0.05, 0.3); // half round
    assert_true(value(&s, 0) == 0);    // two points never close
    ASSERT_NEAR(value(&s, DOWN), 0.3, 1e-9);
    ASSERT_NEAR(value(&s, ACROSS), 1, 1e-9);
    s.world.kin.X_wb[TABLE] = gmc_pose_identity();
    ASSERT_NEAR(value(&s, ACROSS_TABLE), 1, 1e-9);
    // the table's x is the world's z: an edge of the pyramids, as z is
    s.world.kin.X_wb[TABLE].R = gmc_quat_matrix(gmc_quat_exp((gmc_vec3){0, 0.75 * THIRD, 0}));
    ASSERT_NEAR(value(&s, ACROSS_TABLE), 0.3, 1e-9);
    // it has gone on since its contacts were looked for, beside the line between them
    s.world.kin.com_w[THING].y = 2e-4;
    assert_true(value(&s, DOWN) < 1e-3);
    s.world.kin.V[THING] = (gmc_twist){{0, 0, 0}, {0, 0.2, 0}};
    s.state.lag = 1e-3;
    ASSERT_NEAR(value(&s, DOWN), 0.3, 1e-9);
    s.world.kin.com_w[THING].y = s.state.lag = 0;
    s.contacts[1].body_a = s.contacts[1].body_a == FINGER ? TABLE : THING;
    s.contacts[1].body_b = s.contacts[1].body_b == FINGER ? TABLE : THING;
    assert_true(value(&s, DOWN) == 0); // one jaw turns it
    close_scene(&s);
}

// Jaws at a distance r, 1 N together: friction in opposite directions turns with mu r about what is
// across their line, and with nothing about the line; how large the thing is plays no part.
static void two_jaws_hold_a_moment_of_friction_times_arm(void **state)
{
    (void)state;
    static const double SIZES[] = {1, 1.7, 30}, ARMS[] = {0.002, 0.05, 0.4};
    for (int i = 0; i < 3; i++) {
        scene s;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = SIZES[i] * ARMS[i]};
        open_scene(&s, &ball, (gmc_pose){gmc_mat3_identity(), COM}, false);
        // each point may lie 1e-6 of the largest radius off (gmc_wrench_holds)
        double mu = 0.2 + 0.3 * i, most = mu * ARMS[i] + 1e-6 * SIZES[i] * ARMS[i];
        touch(&s, 0, ARMS[i], mu);
        assert_true(value(&s, ABOUT_Z) == 0);
        touch(&s, 1.5 * THIRD, ARMS[i], mu);
        // wrenches to 1e-9 of about 1, of the moment to 1e-9 of the largest radius
        ASSERT_NEAR(value(&s, ABOUT_Z) / most, 1, 1e-8 * SIZES[i] / mu);
        ASSERT_NEAR(value(&s, ABOUT_Y) / most, 1, 1e-8 * SIZES[i] / mu);
        double least = 1e-6 * SIZES[i] * ARMS[i]; // what exact places do not hold at all
        ASSERT_NEAR(value(&s, ABOUT_X) / most, least / most, 1e-8 * SIZES[i] / mu);
        s.world.kin.X_wb[TABLE] = gmc_pose_identity();
        ASSERT_NEAR(value(&s, ABOUT_TABLE) / most, least / most, 1e-8 * SIZES[i] / mu);
        s.world.kin.X_wb[TABLE].R = gmc_quat_matrix(gmc_quat_exp((gmc_vec3){0, 0.75 * THIRD, 0}));
        ASSERT_NEAR(value(&s, ABOUT_TABLE) / most, 1, 1e-8 * SIZES[i] / mu);
        close_scene(&s);
    }
}

// How far the loads reach along u, moments over the radius: each contact presses by 0 or by 1 N.
static double reach_of(const scene *s, double radius, const double u[3])
{
    double sum = 0;
    for (int i = 0; i < s->world.contacts.count; i++) {
        const gmc_contact *c = &s->contacts[i];
        double most = 0, mu = c->law.friction;
        gmc_vec3 n = c->body_b == THING ? c->dir[0] : gmc_vec3_neg(c->dir[0]), p = c->point.p;
        for (int edge = -1; edge <= 1; edge += 2) {
            gmc_vec3 f = gmc_vec3_add(n, gmc_vec3_scale(edge * mu, c->dir[1]));
            most = fmax(most, u[0] * f.x + u[1] * f.y + u[2] * (p.x * f.y - p.y * f.x) / radius);
        }
        sum += most;
    }
    return sum;
}

/// The least reach over a grid of directions, `step` apart at most [rad].
static double least_reach(const scene *s, double radius, double step)
{
    double least = HUGE_VAL;
    int rings = (int)ceil(1.5 * THIRD / step);
    for (int i = 0; i <= rings; i++)
        for (int k = 0; k < 2 * rings; k++) {
            double up = 1.5 * THIRD * i / rings, round = 1.5 * THIRD * k / rings;
            const double u[] = {gmc_sin(up) * gmc_cos(round), gmc_sin(up) * gmc_sin(round),
                                gmc_cos(up)};
            least = fmin(least, reach_of(s, radius, u));
        }
    return least;
}

// Where each contact presses with up to 1 N: the closed form of a disk between two, and of two to
// seven contacts the least reach over all directions, which the hull does not look at.
static void in_the_plane_each_presses_with_its_own_force(void **state)
{
    (void)state;
    const double step = 0.01, size = 0.05;
    const gmc_shape disk = {.type = GMC_SHAPE_CIRCLE, .radius = 0.05, .half_length = 0.01};
    for (int count = 2; count <= 7; count++)
        for (int f = 0; f < 2; f++) {
            double mu = 0.3 + 0.5 * f;
            scene s;
            open_scene(&s, &disk, (gmc_pose){gmc_mat3_identity(), COM}, true);
            for (int i = 0; i < count; i++)
                touch(&s, 3 * THIRD * i / count + 0.2 * (i == 2), size, mu);
            double each = value(&s, EACH), least = least_reach(&s, size, step);
            if (count == 2) {
                ASSERT_NEAR(each, sqrt(2) * mu / sqrt(1 + 2 * mu * mu), 1e-8);
                ASSERT_NEAR(value(&s, VOLUME_EACH) / (8 * mu * mu), 1, 1e-6);
            }
            // a wrench is of at most 1.5 + mu; from the nearest direction of the grid it is `step`
            assert_true(each <= least + 1e-9 && least <= each + count * (1.5 + mu) * step);
            assert_true(each > 0);
            close_scene(&s);
        }
}

// In space: the set lies between those of all together with 1 N and with as many as there are
// contacts. A fifth contact with friction is one too many, a few without are not.
static void in_space_up_to_four_contacts_press_with_their_own_force(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
    for (int i = 0; i < 3; i++)
        touch(&s, i * THIRD, 0.05, 0.5);
    double one = value(&s, 1), each = value(&s, EACH), volume = value(&s, 2);
    double whole = value(&s, VOLUME_EACH);
    assert_true(one < each && each <= 3 * one);
    assert_true(volume < whole && whole < 729 * volume); // 3 to the sixth
    for (int i = 3; i < 5; i++)
        touch(&s, (i - 2.5) * THIRD, 0.05, 0);
    s.contacts[0].law.friction = 0;
    assert_true(!isnan(value(&s, EACH))); // 9² 2³ points
    for (int i = 0; i < 5; i++)
        s.contacts[i].law.friction = 0.5;
    assert_true(isnan(value(&s, EACH)) && isnan(value(&s, VOLUME_EACH)));
    assert_true(value(&s, 1) > one); // all together still has its answer
    s.world.contacts.count = 1;
    assert_true(value(&s, EACH) == -1 && value(&s, VOLUME_EACH) == 0);
    close_scene(&s);
}

static void in_the_plane_jaws_hold_likewise(void **state)
{
    (void)state;
    scene s;
    const gmc_shape disk = {.type = GMC_SHAPE_CIRCLE, .radius = 0.05, .half_length = 0.01};
    open_scene(&s, &disk, (gmc_pose){gmc_mat3_identity(), COM}, true);
    touch(&s, 0.75 * THIRD, 0.05, 0.3); // above and below
    touch(&s, -0.75 * THIRD, 0.05, 0.3);
    ASSERT_NEAR(value(&s, ACROSS), 0.3, 1e-9);
    ASSERT_NEAR(value(&s, ABOUT_Z), (0.3 + 1e-6) * 0.05, 1e-9); // places to 1e-6 of the radius
    close_scene(&s);
}

// In the plane z = 0 wrenches have three numbers: two contacts close there.
static void in_the_plane_two_contacts_close(void **state)
{
    (void)state;
    scene s;
    const gmc_shape disk = {.type = GMC_SHAPE_CIRCLE, .radius = 0.05, .half_length = 0.01};
    open_scene(&s, &disk, (gmc_pose){gmc_mat3_identity(), COM}, true);
    touch(&s, 0.4, 0.05, 0.5);
    touch(&s, 0.4 + 1.5 * THIRD, 0.05, 0.5);
    assert_true(value(&s, 0) == 1);
    assert_true(fabs(value(&s, 1) - 1.0 / 3) <= 1e-8); // mu / √(2 + mu²)
    assert_true(fabs(value(&s, 2) - 8 * 0.25 / 3) <= 1e-7);
    close_scene(&s);
}

// Largest radii by hand: the farthest point of each shape from the mass centre.
static void the_largest_radius_is_that_of_the_shape(void **state)
{
    (void)state;
    static const gmc_vec3 corners[] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    static const gmc_vec2 square[] = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}};
    const gmc_source nowhere = {0};
    const gmc_polygon_piece piece = {.count = 4, .vertices = square};
    gmc_diagnostics report = {0};
    gmc_polytope *hull;
    assert_int_equal(gmc_hull_create(corners, 4, "corners", nowhere, &report, &hull), GMC_OK);
    const double x = COM.x, y = COM.y, z = COM.z, across = sqrt(x * x + y * y);
    const struct {
        gmc_shape shape;
        double radius;
    } CASES[] = {
        {{.type = GMC_SHAPE_SPHERE, .radius = 0.07}, sqrt(x * x + y * y + z * z) + 0.07},
        {{.type = GMC_SHAPE_CAPSULE, .radius = 0.02, .half_length = 0.1},
         sqrt(across * across + (z + 0.1) * (z + 0.1)) + 0.02},
        {{.type = GMC_SHAPE_BOX, .half = {0.1, 0.2, 0.3}},
         sqrt(0.11 * 0.11 + 0.22 * 0.22 + 0.33 * 0.33)},
        {{.type = GMC_SHAPE_CYLINDER, .radius = 0.04, .half_length = 0.1},
         sqrt((across + 0.04) * (across + 0.04) + (z + 0.1) * (z + 0.1))},
        {{.type = GMC_SHAPE_POLYTOPE, .polytope = hull, .scale = 2},
         sqrt(x * x + (0.2 + 0.02) * (0.2 + 0.02) + z * z)},
        {{.type = GMC_SHAPE_POLYGON, .polygon = &piece, .scale = 2, .half_length = 0.01},
         sqrt(0.21 * 0.21 + 0.22 * 0.22)},
        {{.type = GMC_SHAPE_CIRCLE, .radius = 0.07, .half_length = 0.01}, across + 0.07},
        {{.type = GMC_SHAPE_SUPER_ELLIPSE,
          .half = {0.07, 0.07, 0},
          .exponent = 2,
          .half_length = 0.01},
         across + 0.07},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        scene s, unit;
        open_scene(&s, &CASES[i].shape, gmc_pose_identity(), false);
        open_scene(&unit, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
        for (int k = 0; k < 3; k++) {
            touch(&s, k * THIRD, 0.05, 0.5);
            touch(&unit, k * THIRD, 0.05, 0.5);
        }
        double radius = 0.05 * gmc_pow(value(&unit, 2) / value(&s, 2), 1.0 / 3);
        // hulls are right to 1e-9; the super-ellipse is sampled: 2e-4
        double tolerance = CASES[i].shape.type == GMC_SHAPE_SUPER_ELLIPSE ? 2e-4 : 1e-7;
        assert_true(fabs(radius / CASES[i].radius - 1) <= tolerance);
        close_scene(&s);
        close_scene(&unit);
    }
    gmc_hull_free(hull);
    gmc_diagnostics_free(&report);
}

// The room that is taken at the start is enough for as many contacts as there may be.
static void there_is_room_for_all_contacts(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, &BALL, (gmc_pose){gmc_mat3_identity(), COM}, false);
    for (int i = 0; i < CONTACTS; i++)
        touch(&s, 0.3 + i * 0.75 * THIRD, 0.05, 0.5);
    for (int i = 0; i < GMC_COUNT(ASKED); i++)
        assert_true(isnan(value(&s, i)) == (i == EACH || i == VOLUME_EACH)); // too many for a sum
    s.world.contacts.count = 4; // as many sums as there may be, of what does not close
    for (int i = 0; i < 4; i++) {
        s.contacts[i].dir[0] = (gmc_vec3){0, 0, 1};
        s.contacts[i].dir[1] = (gmc_vec3){1, 0, 0};
        s.contacts[i].point.p = (gmc_vec3){0, 0, -0.05};
    }
    assert_true(value(&s, EACH) == -1 && value(&s, VOLUME_EACH) == 0);
    assert_true(s.state.work->high_water <= s.state.work->capacity);
    assert_true(s.state.work->used == 0);
    close_scene(&s);
}

int test_measure_quality(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_the_hand_make_the_grasp),
        cmocka_unit_test(each_contact_has_its_own_friction),
        cmocka_unit_test(two_jaws_hold_what_they_press_or_mu_of_it),
        cmocka_unit_test(in_the_plane_jaws_hold_likewise),
        cmocka_unit_test(two_jaws_hold_a_moment_of_friction_times_arm),
        cmocka_unit_test(in_the_plane_each_presses_with_its_own_force),
        cmocka_unit_test(in_space_up_to_four_contacts_press_with_their_own_force),
        cmocka_unit_test(in_the_plane_two_contacts_close),
        cmocka_unit_test(the_largest_radius_is_that_of_the_shape),
        cmocka_unit_test(there_is_room_for_all_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
