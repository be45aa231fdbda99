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

enum { FINGER = 1, THING, TABLE, BODIES, CONTACTS = 4 };

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
};
enum { DOWN = 4, ACROSS, ACROSS_TABLE };
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
    s.contacts[1].body_a = s.contacts[1].body_a == FINGER ? TABLE : THING;
    s.contacts[1].body_b = s.contacts[1].body_b == FINGER ? TABLE : THING;
    assert_true(value(&s, DOWN) == 0); // one jaw turns it
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
        assert_true(!isnan(value(&s, i)));
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
        cmocka_unit_test(in_the_plane_two_contacts_close),
        cmocka_unit_test(the_largest_radius_is_that_of_the_shape),
        cmocka_unit_test(there_is_room_for_all_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
