// Measures of constructed motions: bodies are put where the test wants them, contacts are written
// by hand, and every measure must say what it is defined to say.
#include "engine/grasp/measure.h"
#include "engine/model/builder.h"
#include "test/support/near.h"

#include <string.h>

enum { PALM = 1, LEFT, RIGHT, THING, SHELF, BODIES };

/// A hand of three bodies with its tool 0.1 m below the palm, a thing whose mass centre is off its
/// frame, a shelf.
typedef struct scene {
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_model model;
    gmc_world world;
    bool is_hand[BODIES];
    gmc_measure_plan plan;
    gmc_measure_state state;
    gmc_contact contacts[8];
} scene;

static const gmc_vec3 COM = {0.01, 0.02, 0.03};

static void add(gmc_builder *b, const char *name, gmc_joint_type type, gmc_vec3 com,
                const char *surface)
{
    const gmc_source nowhere = {0};
    gmc_joint_spec joint = {
        .type = type, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    gmc_inertia inertia = {.mass = 1, .com = com, .I = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.01};
    gmc_builder_link(b, nowhere, name, NULL, &joint, &inertia);
    gmc_builder_geom(b, &(gmc_geom_spec){.source = nowhere,
                                         .link = name,
                                         .X_lg = gmc_pose_identity(),
                                         .shape = ball,
                                         .surface = surface,
                                         .category = 1,
                                         .mask = 1});
}

static void open_scene(scene *s)
{
    *s = (scene){.is_hand = {[PALM] = true, [LEFT] = true, [RIGHT] = true}};
    const gmc_source nowhere = {0};
    const gmc_vec3 zero = {0, 0, 0};
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 20), GMC_OK);
    gmc_builder *b = gmc_builder_create(&s->report);
    assert_non_null(b);
    add(b, "palm", GMC_JOINT_FREE, zero, "rubber");
    add(b, "left", GMC_JOINT_FREE, zero, "rubber");
    add(b, "right", GMC_JOINT_FREE, zero, "rubber");
    add(b, "thing", GMC_JOINT_FREE, COM, "abs");
    add(b, "shelf", GMC_JOINT_FIXED, zero, "wood");
    gmc_joint_spec tool = {.type = GMC_JOINT_FIXED,
                           .X_pj = {gmc_mat3_identity(), {0, 0, -0.1}},
                           .dof = gmc_builder_default_dof()};
    gmc_builder_link(b, nowhere, "tool", "palm", &tool, NULL);
    assert_int_equal(gmc_builder_finish(b, &s->arena, &s->model), GMC_OK);
    gmc_builder_free(b);
    static const int pairs[2][2] = {{0, 1}, {2, 1}}; // rubber/abs, wood/abs
    assert_string_equal(s->model.surfaces[0], "rubber");
    assert_string_equal(s->model.surfaces[1], "abs");
    assert_string_equal(s->model.surfaces[2], "wood");
    assert_string_equal(s->model.bodies[SHELF].name, "shelf");
    s->world.model = &s->model;
    s->world.contacts.contacts = s->contacts;
    assert_int_equal(gmc_state_create(&s->model, &s->arena, &s->world.state), GMC_OK);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->world.kin), GMC_OK);
    s->plan = (gmc_measure_plan){.object_body = THING,
                                 .hand_body = PALM,
                                 .is_hand = s->is_hand,
                                 .tool_frame = gmc_model_find_frame(&s->model, "tool"),
                                 .pair_count = 2,
                                 .pairs = pairs,
                                 .column_count = GMC_COLUMN_FIXED_COUNT + 4,
                                 .columns = gmc_fixed_columns};
    assert_true(s->plan.tool_frame >= 0);
}

static void close_scene(scene *s)
{
    gmc_diagnostics_free(&s->report);
    gmc_arena_free(&s->arena);
}

static void place(scene *s, int body, gmc_quat rotation, gmc_vec3 p)
{
    gmc_pose X = gmc_pose_make(rotation, p);
    s->world.kin.X_wb[body] = X;
    s->world.kin.com_w[body] = gmc_pose_apply(&X, s->model.bodies[body].inertia.com);
}

static void start(scene *s)
{
    assert_int_equal(gmc_measure_create(&s->plan, &s->world, &s->arena, &s->state), GMC_OK);
    for (int b = 1; b < BODIES; b++)
        place(s, b, gmc_quat_identity(), (gmc_vec3){0.1 * b, 0, 0.5});
    gmc_measure_start(&s->plan, &s->world, &s->state);
}

static void step(scene *s, double h)
{
    gmc_step_report report = {.rung = 1, .iterations = 3, .span = h};
    s->world.state.t += h;
    gmc_measure_step(&s->plan, &s->world, &report, h, &s->state);
}

static double value(const scene *s, gmc_measure_kind kind, int a, int b)
{
    const gmc_measure measure = {.kind = kind, .a = a, .b = b};
    return gmc_measure_value(&measure, &s->plan, &s->world, &s->state);
}

static void touch(scene *s, int a, int b, double n, double t1, double t2, gmc_contact_mode mode)
{
    gmc_contact *c = &s->contacts[s->world.contacts.count++];
    *c = (gmc_contact){.body_a = a, .body_b = b, .impulse = {n, t1, t2}, .mode = mode};
    for (int g = 0; g < s->model.geom_count; g++) {
        if (s->model.geoms[g].body == a) c->point.geom_a = g;
        if (s->model.geoms[g].body == b) c->point.geom_b = g;
    }
}

// Rounding of the poses used here.
static const double EPS = 1e-15;

// Distance from a place in b's frame.
static double from_place(const scene *s, gmc_vec3 p, int b)
{
    const gmc_measure measure = {.kind = GMC_MEASURE_PLACE, .a = THING, .b = b, .in_b = p};
    return gmc_measure_value(&measure, &s->plan, &s->world, &s->state);
}

static double angle(const scene *s, gmc_vec3 of_a, gmc_vec3 in_b, int b)
{
    const gmc_measure measure = {
        .kind = GMC_MEASURE_ANGLE, .a = THING, .b = b, .of_a = of_a, .in_b = in_b};
    return gmc_measure_value(&measure, &s->plan, &s->world, &s->state);
}

static void where_a_body_is_and_points(void **state)
{
    (void)state;
    const gmc_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, down = {0, 0, -1};
    scene s;
    open_scene(&s);
    start(&s);
    place(&s, GMC_BODY_WORLD, gmc_quat_identity(), (gmc_vec3){0, 0, 0});
    place(&s, THING, gmc_quat_from_rpy(0.3, 0, 0), (gmc_vec3){0.4, 0.1, 0.5});
    place(&s, SHELF, gmc_quat_from_rpy(0, 0, GMC_PI / 2), (gmc_vec3){0.1, 0, 0.5});
    step(&s, 1e-3);
    // of the frame, wherever the centre of mass is: 3, 4 and 12 cm off
    ASSERT_NEAR(from_place(&s, (gmc_vec3){0.37, 0.14, 0.62}, GMC_BODY_WORLD), 0.13, EPS);
    // the shelf's x axis is the world's y: (0.4, 0.1) is at (0.1, -0.3) in its frame
    ASSERT_NEAR(from_place(&s, (gmc_vec3){0.1, -0.3, 0.02}, SHELF), 0.02, EPS);
    ASSERT_NEAR(angle(&s, z, z, GMC_BODY_WORLD), 0.3, EPS);
    ASSERT_NEAR(angle(&s, z, down, GMC_BODY_WORLD), GMC_PI - 0.3, EPS);
    ASSERT_NEAR(angle(&s, x, x, GMC_BODY_WORLD), 0, EPS);
    ASSERT_NEAR(angle(&s, x, y, SHELF), GMC_PI, EPS);
    ASSERT_NEAR(angle(&s, y, x, SHELF), 0.3, EPS);
    // in the hand: its frame is that of the tool point
    gmc_vec3 at = gmc_pose_apply_inverse(&s.state.X_hand, (gmc_vec3){0.4, 0.1, 0.5});
    ASSERT_NEAR(from_place(&s, at, GMC_BODY_HAND), 0, EPS);
    close_scene(&s);
}

static void motion_against_the_start(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    // up by 30 mm and aside by 40 mm while turning by 90 degrees about z: the frame's origin makes
    // up for what the turn does to the mass centre
    gmc_quat turn = gmc_quat_from_rpy(0, 0, GMC_PI / 2);
    gmc_vec3 com = gmc_vec3_add(COM, (gmc_vec3){0.4, 0.04, 0.53});
    place(&s, THING, turn, gmc_vec3_sub(com, gmc_quat_rotate(turn, COM)));
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_LIFT, THING, 0), 0.03, EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_MOVED, THING, 0), 0.05, EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_TURNED, THING, 0), GMC_PI / 2, 2 * EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_TILTED, THING, 0), 0, EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_HEIGHT, THING, 0), 0.56, EPS);
    place(&s, THING, gmc_quat_from_rpy(0.3, 0, 1), (gmc_vec3){0.4, 0, 0.5});
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_TILTED, THING, 0), 0.3, EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_LEANS, THING, 0), 0.3, EPS);
    s.plan.is_flat =
        true; // up is the y axis, which the turn about z took 1 rad away, and that about x 0.3
    ASSERT_NEAR(value(&s, GMC_MEASURE_LEANS, THING, 0), acos(cos(1) * cos(0.3)), EPS);
    s.plan.is_flat = false;
    place(&s, THING, gmc_quat_from_rpy(GMC_PI, 0, 0), (gmc_vec3){0.4, 0, 0.5});
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_TILTED, THING, 0), GMC_PI, 2 * EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_TURNED, THING, 0), GMC_PI, 2 * EPS);
    close_scene(&s);
}

static void slip_counts_from_the_end_of_closing(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    place(&s, THING, gmc_quat_identity(), (gmc_vec3){0.5, 0, 0.5}); // before closing: no slip
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP, THING, GMC_BODY_HAND), 0, 0);
    gmc_measure_phases(&s.plan, &s.world, 1, true, &s.state);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP, THING, GMC_BODY_HAND), 0, 0);

    // the hand carries the thing about: nothing slips
    gmc_pose X_ht = gmc_pose_relative(&s.world.kin.X_wb[PALM], &s.world.kin.X_wb[THING]);
    gmc_pose carried = gmc_pose_make(gmc_quat_from_rpy(0.4, -0.7, 2), (gmc_vec3){1, -2, 0.3});
    gmc_pose X_wt = gmc_pose_multiply(&carried, &X_ht);
    place(&s, PALM, gmc_quat_from_rpy(0.4, -0.7, 2), carried.p);
    place(&s, THING, gmc_quat_from_matrix(&X_wt.R), X_wt.p);
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP, THING, GMC_BODY_HAND), 0, 4 * EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP_ANGLE, THING, GMC_BODY_HAND), 0, 4 * EPS);

    // 12 mm in the hand's frame, and a turn of 0.2 rad about the mass centre
    gmc_quat turn = gmc_quat_from_rpy(0, 0.2, 0);
    gmc_pose moved = X_ht;
    moved.p = gmc_vec3_add(moved.p, (gmc_vec3){0, 0.012, 0});
    moved.p = gmc_vec3_add(moved.p, gmc_vec3_sub(COM, gmc_quat_rotate(turn, COM)));
    moved.R = gmc_quat_matrix(turn);
    X_wt = gmc_pose_multiply(&carried, &moved);
    place(&s, THING, gmc_quat_from_matrix(&X_wt.R), X_wt.p);
    step(&s, 1e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP, THING, GMC_BODY_HAND), 0.012, 4 * EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP_ANGLE, THING, GMC_BODY_HAND), 0.2, 8 * EPS);

    // back again: the fixed columns keep the worst and the end
    X_wt = gmc_pose_multiply(&carried, &X_ht);
    place(&s, THING, gmc_quat_from_matrix(&X_wt.R), X_wt.p);
    step(&s, 1e-3);
    double values[GMC_COLUMN_FIXED_COUNT + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    ASSERT_NEAR(values[GMC_COLUMN_SLIP], 0.012, 4 * EPS);
    ASSERT_NEAR(values[GMC_COLUMN_SLIP_END], 0, 4 * EPS);
    // an angle from a distance of matrices: rounding of the entries
    ASSERT_NEAR(values[GMC_COLUMN_SLIP_ANGLE], 0.2, 8 * EPS);
    ASSERT_NEAR(values[GMC_COLUMN_T_CLOSED], 1e-3, 0);
    assert_true(isnan(values[GMC_COLUMN_T_VIOLATED]));
    close_scene(&s);
}

static void slip_may_count_from_the_start(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    gmc_measure_count_slip(&s.plan, &s.world, &s.state);
    place(&s, THING, gmc_quat_from_rpy(0.1, 0, 0), (gmc_vec3){0.5, 0, 0.5});
    step(&s, 1e-3);
    gmc_vec3 com = gmc_vec3_sub(s.world.kin.com_w[THING], s.state.com_start[THING]);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP, THING, SHELF), gmc_vec3_norm(com), EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_SLIP_ANGLE, THING, SHELF), 0.1, EPS);
    double values[GMC_COLUMN_FIXED_COUNT + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    ASSERT_NEAR(values[GMC_COLUMN_SLIP], gmc_vec3_norm(com), EPS);
    ASSERT_NEAR(values[GMC_COLUMN_SLIP_END], gmc_vec3_norm(com), EPS);
    ASSERT_NEAR(values[GMC_COLUMN_SLIP_ANGLE], 0.1, 4 * EPS);
    assert_true(isnan(values[GMC_COLUMN_T_CLOSED]));
    close_scene(&s);
}

static void a_turn_beyond_half_counts_by_the_shorter_way(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    gmc_measure_phases(&s.plan, &s.world, 1, true, &s.state);
    const double angles[] = {1e-9, 1e-4, 3.0, GMC_PI, 3.5};
    double worst = 0, values[GMC_COLUMN_FIXED_COUNT + 4];
    for (int i = 0; i < GMC_COUNT(angles); i++) {
        place(&s, THING, gmc_quat_from_rpy(angles[i], 0, 0), (gmc_vec3){0.4, 0, 0.5});
        step(&s, 1e-3);
        worst = fmax(worst, fmin(angles[i], 2 * GMC_PI - angles[i]));
        gmc_measure_finish(&s.plan, &s.world, &s.state, values);
        // near half a turn the sine of the half angle is flat: sqrt of rounding
        ASSERT_NEAR(values[GMC_COLUMN_SLIP_ANGLE], worst, worst > 3.1 ? 1e-7 : 4 * EPS);
    }
    close_scene(&s);
}

static void contacts_are_counted_and_summed(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    touch(&s, LEFT, THING, 0.02, 0, 0, GMC_CONTACT_STICK);
    touch(&s, LEFT, THING, 0.01, 0, 0, GMC_CONTACT_STICK); // the same link again
    touch(&s, THING, RIGHT, 0.03, 0, 0, GMC_CONTACT_STICK);
    touch(&s, PALM, THING, 0, 0, 0, GMC_CONTACT_OPEN); // near, but without force
    touch(&s, THING, SHELF, 0.004, 0, 0, GMC_CONTACT_STICK);
    step(&s, 2e-3);
    ASSERT_NEAR(value(&s, GMC_MEASURE_HELD_BY, THING, 0), 2, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_HELD_BY, SHELF, 0), 0, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_CONTACT, THING, GMC_BODY_HAND), 1, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_CONTACT, GMC_BODY_HAND, THING), 1, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_CONTACT, SHELF, GMC_BODY_HAND), 0, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_FORCE, THING, GMC_BODY_HAND), 30, 1e-14);
    ASSERT_NEAR(value(&s, GMC_MEASURE_FORCE, SHELF, THING), 2, 1e-15);
    close_scene(&s);
}

// Of several contacts of two bodies the sums count, of several pairs of bodies the largest ratio.
static void friction_needed_is_the_largest_ratio(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    touch(&s, LEFT, THING, 0.02, 0.006, 0.008, GMC_CONTACT_SLIP); // 0.5, but with the next
    touch(&s, LEFT, THING, 0.03, 0, 0.0025, GMC_CONTACT_STICK);   // 0.25
    touch(&s, THING, RIGHT, 0.05, 0, -0.01, GMC_CONTACT_STICK);   // 0.2
    touch(&s, THING, SHELF, 1e-9, 3e-10, 0, GMC_CONTACT_SLIP);    // all that ever pressed
    step(&s, 2e-3);
    s.world.contacts.count = 0;
    touch(&s, LEFT, THING, 0, 0.5, 0, GMC_CONTACT_OPEN); // no normal force: no ratio
    step(&s, 2e-3);
    double values[GMC_COLUMN_FIXED_COUNT + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    const double *pair = values + GMC_COLUMN_FIXED_COUNT;
    ASSERT_NEAR(pair[0], 0.25, EPS);
    ASSERT_NEAR(pair[1], 0, 0); // less than half of it slid
    ASSERT_NEAR(pair[2], 0.3, EPS);
    ASSERT_NEAR(pair[3], 1, 0);
    close_scene(&s);
}

// 1 N for a while, then a hundredth of it that slides, for 8 ms and more: a 25th of what the
// surfaces can bear; but a touch that never bore more is judged by what it bears.
static void a_load_that_fades_weighs_less(void **state)
{
    (void)state;
    for (int is_fading = 0; is_fading < 2; is_fading++) {
        scene s;
        open_scene(&s);
        start(&s);
        const double h = 1e-3, faded = 0.01 * h;
        for (int i = 0; i < 2000 + 20; i++) {
            s.world.contacts.count = 0;
            if (i >= 2000)
                touch(&s, THING, SHELF, faded, 0.5 * faded, 0, GMC_CONTACT_SLIP);
            else if (is_fading)
                touch(&s, THING, SHELF, h, 0, 0, GMC_CONTACT_STICK);
            step(&s, h);
        }
        double values[GMC_COLUMN_FIXED_COUNT + 4];
        gmc_measure_finish(&s.plan, &s.world, &s.state, values);
        const double *pair = values + GMC_COLUMN_FIXED_COUNT;
        double mean = (2000 + 20 * 0.01) / 2020; // at the last step; 0.5 % more at the first ones
        if (is_fading)
            ASSERT_NEAR(pair[2], 0.5 * 0.01 / (0.25 * mean), 0.01 * pair[2]);
        else
            ASSERT_NEAR(pair[2], 0.5, 8 * EPS);
        ASSERT_NEAR(pair[3], !is_fading, 0);
        close_scene(&s);
    }
}

// A blow of two steps, in which bodies bear something as well, or at the ends of a pause: itself.
static void a_blow_is_judged_alone(void **state)
{
    (void)state;
    for (int is_resting = 0; is_resting < 2; is_resting++)
        for (double h = 0.25e-3; h < 5e-3; h *= 2) {
            scene s;
            open_scene(&s);
            start(&s);
            for (double t = 0; t < 0.1; t += h) {
                bool is_first = t <= 0.05 && 0.05 < t + h, is_second = t - h <= 0.05 && 0.05 < t;
                s.world.contacts.count = 0;
                if (is_resting) touch(&s, THING, SHELF, h, 0.1 * h, 0, GMC_CONTACT_STICK);
                if (is_first) touch(&s, THING, SHELF, 0.01, 0.004, 0, GMC_CONTACT_SLIP);
                if (is_second) touch(&s, THING, SHELF, 0.03, 0.004, 0, GMC_CONTACT_STICK);
                for (int c = is_resting; c < s.world.contacts.count; c++)
                    s.contacts[c].is_impact = true;
                step(&s, h);
            }
            double values[GMC_COLUMN_FIXED_COUNT + 4];
            gmc_measure_finish(&s.plan, &s.world, &s.state, values);
            const double *pair = values + GMC_COLUMN_FIXED_COUNT;
            ASSERT_NEAR(pair[2], 0.2, 8 * EPS);
            ASSERT_NEAR(pair[3], 0, 0); // a quarter of it
            close_scene(&s);
        }
}

/// 5 ms, in the second half of which friction is all there is, cut into steps.
static double short_touch(int steps)
{
    scene s;
    open_scene(&s);
    start(&s);
    const double h = 5e-3 / steps;
    for (int i = 0; i < steps + 20; i++) {
        s.world.contacts.count = 0;
        double along = 2 * i >= steps ? 0.4e-3 / steps : 0;
        if (i < steps) touch(&s, THING, SHELF, 1e-3 / steps, along, 0, GMC_CONTACT_STICK);
        step(&s, i < steps ? h : 1.7e-3);
    }
    double values[GMC_COLUMN_FIXED_COUNT + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    close_scene(&s);
    return values[GMC_COLUMN_FIXED_COUNT + 2];
}

static void a_short_touch_is_seen_whole(void **state)
{
    (void)state;
    for (int steps = 2; steps <= 20; steps += 2)
        ASSERT_NEAR(short_touch(steps), 0.2, 16 * EPS);
}

static void extremes_begin_with_the_first_step(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    const gmc_measure asked[] = {{.kind = GMC_MEASURE_FORCE, .a = THING, .b = SHELF},
                                 {.kind = GMC_MEASURE_FORCE, .a = THING, .b = SHELF},
                                 {.kind = GMC_MEASURE_FORCE, .a = THING, .b = SHELF}};
    const gmc_statistic statistics[] = {GMC_STAT_MIN, GMC_STAT_MAX, GMC_STAT_END};
    s.plan.asked = asked;
    s.plan.statistics = statistics;
    s.plan.asked_count = 3;
    start(&s);
    const double impulses[] = {4e-3, 9e-3, 2e-3, 6e-3};
    double sum = 0;
    for (int i = 0; i < GMC_COUNT(impulses); i++) {
        s.world.contacts.count = 0;
        touch(&s, THING, SHELF, impulses[i], 0, 0, GMC_CONTACT_STICK);
        step(&s, 1e-3);
        sum += impulses[i];
        ASSERT_NEAR(s.state.current[0], sum / (1e-3 * (i + 1)), 1e-14); // since the start
    }
    double values[GMC_COLUMN_FIXED_COUNT + 3 + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    ASSERT_NEAR(values[GMC_COLUMN_FIXED_COUNT], 4, 1e-15);
    ASSERT_NEAR(values[GMC_COLUMN_FIXED_COUNT + 1], 6.5, 2e-15);
    ASSERT_NEAR(values[GMC_COLUMN_FIXED_COUNT + 2], 5.25, 1e-15);
    ASSERT_NEAR(s.state.current[2], 5.25, 1e-15);
    ASSERT_NEAR(values[GMC_COLUMN_STEPS], 4, 0);
    ASSERT_NEAR(values[GMC_COLUMN_ITERATIONS], 12, 0);
    close_scene(&s);
}

/// Of `step(s)` with that impulse between thing and shelf.
static double force_after(scene *s, double length, double impulse)
{
    const gmc_measure force = {.kind = GMC_MEASURE_FORCE, .a = THING, .b = SHELF};
    s->world.contacts.count = 0;
    if (impulse > 0) touch(s, THING, SHELF, impulse, 0, 0, GMC_CONTACT_STICK);
    step(s, length);
    return gmc_measure_value(&force, &s->plan, &s->world, &s->state);
}

static void forces_are_impulses_over_eight_milliseconds(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    // of the oldest step what the window reaches into
    force_after(&s, 3e-3, 0.3);
    force_after(&s, 3e-3, 0.06);
    ASSERT_NEAR(force_after(&s, 3e-3, 0.012), (0.3 * 2 / 3 + 0.06 + 0.012) / 8e-3, 1e-13);
    ASSERT_NEAR(s.state.fixed[GMC_COLUMN_MAX_FORCE], 0.3 / 3e-3, 1e-13); // when that was all
    ASSERT_NEAR(force_after(&s, 3e-3, 0), (0.06 * 2 / 3 + 0.012) / 8e-3, 1e-13);
    force_after(&s, 3e-3, 0);
    force_after(&s, 3e-3, 0);
    ASSERT_NEAR(force_after(&s, 3e-3, 0), 0, 0);
    // a step that is longer stands for itself
    ASSERT_NEAR(force_after(&s, 20e-3, 0.5), 0.5 / 20e-3, 1e-13);
    // a blow cut into many short steps, and the same in one
    force_after(&s, 20e-3, 0);
    double cut = 0;
    for (int i = 0; i < 200; i++)
        cut = force_after(&s, 1e-5, 1e-3);
    force_after(&s, 20e-3, 0);
    ASSERT_NEAR(cut, force_after(&s, 2e-3, 0.2), 1e-11);
    // what is steady is itself, however long the steps
    for (int i = 0; i < 500; i++) {
        double length = 1e-5 * (1 + i * 37 % 400);
        double force = force_after(&s, length, 7 * length);
        if (i > 400) ASSERT_NEAR(force, 7, 1e-13);
    }
    close_scene(&s);
}

static void it_settles_when_it_last_moved_in_the_hand(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    start(&s);
    const double speeds[] = {0, 0.5, 1.1e-3, 0.9e-3, 0};
    double x = 0.4;
    for (int i = 0; i < GMC_COUNT(speeds); i++) {
        x += speeds[i] * 2e-3;
        place(&s, THING, gmc_quat_identity(), (gmc_vec3){x, 0, 0.5});
        s.world.kin.V[THING].v = (gmc_vec3){speeds[i], 0, 0};
        step(&s, 2e-3);
    }
    double values[GMC_COLUMN_FIXED_COUNT + 4];
    gmc_measure_finish(&s.plan, &s.world, &s.state, values);
    ASSERT_NEAR(values[GMC_COLUMN_T_SETTLED], 6e-3, 1e-17);
    ASSERT_NEAR(values[GMC_COLUMN_MAX_SPEED], 0.5, 0);
    close_scene(&s);
}

static void a_trial_without_a_start_has_no_numbers(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    double values[GMC_COLUMN_FIXED_COUNT];
    s.plan.column_count = GMC_COLUMN_FIXED_COUNT;
    gmc_measure_nothing(&s.plan, values);
    assert_true(isnan(values[GMC_COLUMN_LIFT]));
    assert_true(isnan(values[GMC_COLUMN_T_VIOLATED]));
    assert_true(values[GMC_COLUMN_STEPS] == 0);
    assert_true(values[GMC_COLUMN_HELD_BY] == 0);
    close_scene(&s);
}

/// To the bit, over windows that are full or not, with steps of changing lengths.
static void three_sums_at_once_are_those_one_by_one(void **state)
{
    (void)state;
    gmc_measure_window window = {.kept = 0};
    double impulses[3][GMC_MEASURE_WINDOW_STEPS] = {{0}}, none[3], time = 1;
    const double *const all[3] = {impulses[0], impulses[1], impulses[2]};
    gmc_measure_window_sums(&window, all, 0, none, &time);
    assert_true(time == 0);
    assert_true(none[0] == 0);
    assert_true(none[1] == 0);
    assert_true(none[2] == 0);
    for (int i = 0; i < 200; i++) {
        double span = i % 50 < 40 ? 3e-4 * (1 + i % 3) : 12e-3;
        (void)gmc_measure_window_open(span, &window);
        for (int k = 0; k < 3; k++)
            impulses[k][window.at] = 1.0 / (1 + (7 * i + 3 * k) % 11);
        double ago = 0.5 * span, sums[3], together, alone;
        gmc_measure_window_sums(&window, all, i % 2 ? ago : 0, sums, &together);
        for (int k = 0; k < 3; k++) {
            double sum = gmc_measure_window_sum(&window, all[k], i % 2 ? ago : 0, &alone);
            assert_true(sum == sums[k]);
            assert_true(alone == together);
        }
    }
}

static void a_full_arena_is_said(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    for (size_t bytes = 64; bytes < 4096; bytes += 64) {
        gmc_arena small;
        gmc_measure_state made;
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        gmc_status status = gmc_measure_create(&s.plan, &s.world, &small, &made);
        size_t wanted = small.high_water;
        gmc_arena_free(&small);
        assert_int_equal(status, wanted > bytes ? GMC_E_ARENA_FULL : GMC_OK);
    }
    close_scene(&s);
}

static void every_measure_and_column_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        const gmc_measure_info *info = &gmc_measure_infos[i];
        assert_true(info->name);
        assert_true(info->unit);
        assert_true(info->about);
        assert_int_equal(info->takes[0], GMC_TAKES_BODY);
        assert_in_range(strlen(info->takes), 1, GMC_MEASURE_ARGUMENTS);
        for (int k = 0; k < i; k++) // what is called the same is written otherwise
            if (strcmp(info->name, gmc_measure_infos[k].name) == 0)
                assert_int_not_equal(info->takes[1], gmc_measure_infos[k].takes[1]);
    }
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++) {
        assert_true(gmc_fixed_columns[i].name);
        assert_true(gmc_fixed_columns[i].unit);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(gmc_fixed_columns[i].name, gmc_fixed_columns[k].name);
    }
}

// A link of the hand that presses on the thing, a ball of 10 mm, so far inside of its surface in the
// direction `out` from its middle.
static void press(scene *s, int link, gmc_vec3 out, double inside, double overlap)
{
    const bool is_first = link < THING; // bodies of a contact stand in either order
    touch(s, is_first ? link : THING, is_first ? THING : link, 0.01, 0, 0, GMC_CONTACT_STICK);
    gmc_contact *c = &s->contacts[s->world.contacts.count - 1];
    gmc_vec3 middle = s->world.kin.X_wb[THING].p;
    c->point.p = gmc_vec3_add(middle, gmc_vec3_scale(0.01 - inside - overlap / 2, out));
    c->point.gap = -overlap;
    c->dir[0] = is_first ? gmc_vec3_neg(out) : out;
}

static void where_the_hand_presses(void **state)
{
    (void)state;
    const gmc_vec3 x = {1, 0, 0}, back = {-1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const gmc_vec3 slant = {0.6, 0.8, 0};
    scene s;
    open_scene(&s);
    start(&s);
    place(&s, THING, gmc_quat_from_rpy(0.3, -0.4, 0.5), (gmc_vec3){0.4, 0.1, 0.5});
    ASSERT_NEAR(value(&s, GMC_MEASURE_OPPOSED, THING, 0), 0, 0);
    assert_true(isinf(value(&s, GMC_MEASURE_RECESS, THING, 0)));
    // on its surface, however deep the two overlap, nothing of it reaches beyond
    press(&s, LEFT, x, 0, 2e-4);
    press(&s, RIGHT, slant, 0, 0);
    ASSERT_NEAR(value(&s, GMC_MEASURE_RECESS, THING, 0), 0, EPS);
    // where the shelf touches it, or nothing presses, does not count
    press(&s, SHELF, z, 4e-3, 0);
    press(&s, PALM, y, 5e-3, 0);
    s.contacts[3].impulse[0] = 0;
    ASSERT_NEAR(value(&s, GMC_MEASURE_RECESS, THING, 0), 0, EPS);
    s.contacts[3].impulse[0] = 0.01;
    ASSERT_NEAR(value(&s, GMC_MEASURE_RECESS, THING, 0), 5e-3, EPS);
    // seen from the mass centre, of three points the two that are farthest apart
    s.world.contacts.count = 0;
    press(&s, LEFT, x, 0, 0);
    press(&s, RIGHT, back, 0, 0);
    press(&s, PALM, y, 0, 0);
    s.contacts[0].point.p = gmc_vec3_add(s.world.kin.com_w[THING], x);
    s.contacts[2].point.p = gmc_vec3_add(s.world.kin.com_w[THING], y);
    s.contacts[1].point.p = gmc_vec3_add(s.world.kin.com_w[THING], (gmc_vec3){-1, 1, 0});
    ASSERT_NEAR(value(&s, GMC_MEASURE_OPPOSED, THING, 0), 0.75 * GMC_PI, 4 * EPS);
    ASSERT_NEAR(value(&s, GMC_MEASURE_OPPOSED, SHELF, 0), 0, 0);
    close_scene(&s);
}

static void how_measures_are_written(void **state)
{
    (void)state;
    char text[GMC_MEASURE_USAGE_MAX];
    assert_string_equal(gmc_measure_usage(&gmc_measure_infos[GMC_MEASURE_LIFT], "a", "b", text),
                        "lift(a)");
    assert_string_equal(gmc_measure_usage(&gmc_measure_infos[GMC_MEASURE_SLIP], "a", "b", text),
                        "slip(a, b)");
    assert_string_equal(gmc_measure_usage(&gmc_measure_infos[GMC_MEASURE_PLACE], "a", "b", text),
                        "distance(a, [x, y, z], b)");
    assert_string_equal(gmc_measure_usage(&gmc_measure_infos[GMC_MEASURE_ANGLE], "a", "b", text),
                        "angle(a, axis, axis, b)");
}

int test_measure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_against_the_start),
        cmocka_unit_test(slip_counts_from_the_end_of_closing),
        cmocka_unit_test(slip_may_count_from_the_start),
        cmocka_unit_test(a_turn_beyond_half_counts_by_the_shorter_way),
        cmocka_unit_test(contacts_are_counted_and_summed),
        cmocka_unit_test(where_the_hand_presses),
        cmocka_unit_test(friction_needed_is_the_largest_ratio),
        cmocka_unit_test(a_blow_is_judged_alone),
        cmocka_unit_test(a_short_touch_is_seen_whole),
        cmocka_unit_test(a_load_that_fades_weighs_less),
        cmocka_unit_test(extremes_begin_with_the_first_step),
        cmocka_unit_test(forces_are_impulses_over_eight_milliseconds),
        cmocka_unit_test(it_settles_when_it_last_moved_in_the_hand),
        cmocka_unit_test(a_trial_without_a_start_has_no_numbers),
        cmocka_unit_test(three_sums_at_once_are_those_one_by_one),
        cmocka_unit_test(a_full_arena_is_said),
        cmocka_unit_test(every_measure_and_column_is_named),
        cmocka_unit_test(how_measures_are_written),
        cmocka_unit_test(where_a_body_is_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
