// Rigid contact met at velocity level: what overlaps without bisection, what does not with it, and
// how drift is corrected. After [miller2003].

#include "engine/contact/rigid/anitescu_potra.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

static const double G = 9.81, SHELL = 1e-4;

static void open_floor(gmc_stage *s, double friction)
{
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
}

static void ready(gmc_stage *s, bool is_bisected, double gravity)
{
    s->stepper = &gmc_anitescu_potra_stepper;
    gmc_stage_ready(s, 32);
    s->options.own[GMC_RIGID_TIME_OF_CONTACT] = is_bisected ? 0 : 1;
    s->model.gravity = (gmc_vec3){0, 0, -gravity};
}

static void set_velocity(gmc_stage *s, const char *name, gmc_vec3 v, gmc_vec3 w)
{
    double *to = s->world.state.v + gmc_stage_dof(s, name);
    const double values[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < 6; i++)
        to[i] = values[i];
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

/// A block that arrives in the middle of a step sinks in by half of its way in it; after that it is
/// held.
static void without_bisection_overlap_is_of_order_h(void **state)
{
    (void)state;
    const double steps[] = {10e-3, 5e-3, 2.5e-3, 1.25e-3}, v = 1;
    for (int i = 0; i < 4; i++) {
        double h = steps[i], deepest = 0;
        gmc_stage s;
        open_floor(&s, 0.3);
        gmc_stage_free(&s, "block", gmc_stage_box(0.05, 0.05, 0.02), 0.4,
                       (gmc_vec3){0, 0, 0.02 + 4.5 * h * v});
        ready(&s, false, 0);
        set_velocity(&s, "block", (gmc_vec3){0, 0, -v}, (gmc_vec3){0, 0, 0});
        for (int k = 0; k < 12; k++) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            deepest = fmax(deepest, 0.02 - gmc_stage_place(&s, "block").z);
        }
        capability_within(65, deepest / (h * v / 2), 0.99, 1.01);
        ASSERT_NEAR_RELATIVE(deepest, h * v / 2, 1e-9);
        gmc_stage_close(&s);
    }
}

/// Smallest gap at the first step in which the body is pushed.
static double gap_at_first_contact(gmc_stage *s, double h, double span)
{
    for (double t = 0; t < span; t += h) {
        assert_int_equal(gmc_stage_step(s, h), GMC_OK);
        if (!(s->last.max_force > 0)) continue;
        double gap = HUGE_VAL;
        for (int c = 0; c < s->world.contacts.count; c++)
            gap = fmin(gap, s->world.contacts.contacts[c].point.gap);
        return gap;
    }
    fail_msg("nothing touched");
    return NAN;
}

/// [miller2003] §4, step 3: whatever falls, however it turns, at the first contact the gap is
/// between 0 and 0.1 mm.
static void bisection_ends_in_the_shell(void **state)
{
    (void)state;
    gmc_chance chance = {11};
    double nearest = HUGE_VAL, farthest = 0;
    for (int i = 0; i < 60; i++) {
        gmc_stage s;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
        open_floor(&s, 0.3);
        gmc_stage_free(&s, "thing", i % 3 == 0 ? ball : gmc_stage_box(0.03, 0.02, 0.01), 0.2,
                       (gmc_vec3){0, 0, gmc_chance_uniform(&chance, 0.06, 0.3)});
        ready(&s, true, G);
        set_velocity(
            &s, "thing",
            (gmc_vec3){gmc_chance_uniform(&chance, -1, 1), 0, gmc_chance_uniform(&chance, -3, 0)},
            (gmc_vec3){gmc_chance_uniform(&chance, -9, 9), 0, gmc_chance_uniform(&chance, -9, 9)});
        double gap = gap_at_first_contact(&s, i % 2 ? 2.5e-3 : 10e-3, 0.5);
        assert_true(gap > 0);
        assert_true(gap <= SHELL);
        nearest = fmin(nearest, gap);
        farthest = fmax(farthest, gap);
        gmc_stage_close(&s);
    }
    capability_at_least(16, nearest, 1e-12);
    capability_at_most(16, farthest, SHELL);
}

/// A ball that would pass a thin plate within one step stops at it with bisection alone.
static void thin_plates_stop_what_is_bisected(void **state)
{
    (void)state;
    for (int is_bisected = 0; is_bisected < 2; is_bisected++) {
        gmc_stage s;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.005};
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "plate", gmc_stage_box(0.1, 0.1, 0.0005), gmc_pose_identity());
        gmc_stage_free(&s, "ball", ball, 0.05, (gmc_vec3){0, 0, 0.02});
        ready(&s, is_bisected, 0);
        set_velocity(&s, "ball", (gmc_vec3){0, 0, -4}, (gmc_vec3){0, 0, 0});
        assert_int_equal(gmc_stage_run(&s, 10e-3, 0.05), GMC_OK);
        double z = gmc_stage_place(&s, "ball").z;
        if (is_bisected) {
            assert_true(z > 0.0055);
            assert_true(z < 0.0055 + 2 * SHELL);
        } else
            ASSERT_NEAR(z, 0.02 - 4 * 0.05, 1e-12);
        gmc_stage_close(&s);
    }
}

/// [miller2003] eq 19 with γ = 0.2: what is missing to half the shell shrinks by a fifth every
/// step, without a bounce.
static void drift_is_corrected(void **state)
{
    (void)state;
    const double h = 2.5e-3;
    gmc_stage s;
    open_floor(&s, 0.3);
    gmc_stage_free(&s, "block", gmc_stage_box(0.05, 0.05, 0.02), 0.4,
                   (gmc_vec3){0, 0, 0.02 - 2e-4});
    ready(&s, true, G);
    double missing = SHELL / 2 + 2e-4, fastest = 0, most = 0, least = 1;
    for (int k = 0; k < 12; k++) {
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        double now = SHELL / 2 - (gmc_stage_place(&s, "block").z - 0.02);
        ASSERT_NEAR_RELATIVE(now, 0.8 * missing, 1e-6); // the residual
        most = fmax(most, now / missing);
        least = fmin(least, now / missing);
        fastest = fmax(fastest, gmc_stage_velocity(&s, "block").z / (0.2 * missing / h));
        missing = now;
    }
    capability_within(24, least, 0.76, 0.84);
    capability_within(24, most, 0.76, 0.84);
    capability_at_most(24, fastest, 1 + 1e-6); // the residual
    gmc_stage_close(&s);
}

/// Block on the floor, at rest at a gap, for 0.2 s.
typedef struct block {
    bool is_maximal, is_start; ///< formulation; is its first step that of a trial?
    double mass, half, gap;    ///< half: of its edges [kg, m]
    double pull;               ///< along the floor [m/s²]
} block;

/// Largest speed and way up, speeds along the floor and up at the end [m/s, m].
typedef struct course {
    double fastest, highest, along, up;
} course;

static const double FLOOR_FRICTION = 0.2;

static course course_of(const block *of, double h)
{
    course c = {0, 0, 0, 0};
    gmc_stage s;
    open_floor(&s, FLOOR_FRICTION);
    double z = of->half + of->gap;
    gmc_stage_free(&s, "block", gmc_stage_box(of->half, of->half, of->half), of->mass,
                   (gmc_vec3){0, 0, z});
    const gmc_stepper *stepper = &gmc_anitescu_potra_stepper;
    s.stepper = of->is_maximal ? stepper->maximal : stepper;
    gmc_stage_ready(&s, 32);
    s.model.gravity = (gmc_vec3){of->pull, 0, -G};
    s.options.is_start = of->is_start;
    for (int k = 0; k < (int)(0.2 / h + 0.5); k++) {
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        s.options.is_start = false;
        gmc_vec3 v = gmc_stage_velocity(&s, "block");
        c.fastest = fmax(c.fastest, v.z);
        c.highest = fmax(c.highest, gmc_stage_place(&s, "block").z - z);
        c.along = v.x;
        c.up = v.z;
    }
    gmc_stage_close(&s);
    return c;
}

static const double STEPS[] = {2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.1e-3};

/// A block that a trial finds at rest within half the shell stays there, but for 20 of what is
/// missing a second, whatever the step; pushed along, it goes as by closed form but for what rises
/// yet: friction has stopped mu m v_z less.
static void what_rests_at_the_start_hardly_moves(void **state)
{
    (void)state;
    const double masses[] = {0.01, 1, 30}, halves[] = {0.005, 0.02, 0.2};
    double most = 0;
    for (int i = 0; i < 2 * 3 * 2 * 5; i++) {
        const block of = {.is_maximal = i % 2 == 1,
                          .is_start = true,
                          .mass = masses[i / 2 % 3],
                          .half = halves[i / 2 % 3],
                          .gap = i / 6 % 2 ? 0.2 * SHELL : 0,
                          .pull = 3};
        course c = course_of(&of, STEPS[i / 12]);
        double missing = SHELL / 2 - of.gap, exact = 0.2 * (of.pull - FLOOR_FRICTION * G);
        most = fmax(most, c.fastest / (GMC_CONTACT_FLOAT_RATE * missing));
        assert_true(c.highest <= missing);
        ASSERT_NEAR(c.along, exact - FLOOR_FRICTION * c.up, 1e-6 * exact); // the residual
        ASSERT_BELOW(c.up, 0.05 * GMC_CONTACT_FLOAT_RATE * missing);       // exp(-20 * 0.2) = 0.02
    }
    print_message("fastest %.3f of 20/s\n", most);
    assert_true(most < 1);
}

/// What is missing, overlap of 2 mm too, is given back at its share each step of 2 ms or more, at
/// no more than that by time in shorter ones, and at 40 mm/s at most.
static void correction_is_bounded_at_any_step(void **state)
{
    (void)state;
    const double gaps[] = {0, -0.2e-3, -2e-3}, masses[] = {0.02, 5};
    for (int i = 0; i < 2 * 2 * 3 * 5; i++) {
        const block of = {.is_maximal = i % 2 == 1,
                          .mass = masses[i / 2 % 2],
                          .half = 0.02,
                          .gap = gaps[i / 4 % 3]};
        course c = course_of(&of, STEPS[i / 12]);
        double bound = fmin(0.2 * (SHELL / 2 - of.gap) / 2e-3, 40e-3);
        ASSERT_NEAR_RELATIVE(c.fastest, bound, 1e-6); // the residual
    }
}

/// [miller2003] eq 13: between atan mu_k and atan mu_s what is slow stays, what is fast goes on.
static void static_friction_is_for_slow_ones(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.kinetic_loss = 0.4, .threshold = 1e-3};
    const double slope = 0.4, speeds[] = {0.5e-3, 2e-3};
    for (int i = 0; i < 2; i++) {
        gmc_stage s;
        open_floor(&s, 1.2 * gmc_tan(slope)); // kinetic: 0.72 of it
        // within the shell, or the correction would press it on the floor for some steps
        gmc_stage_free(&s, "block", gmc_stage_box(0.05, 0.05, 0.02), 0.4,
                       (gmc_vec3){0, 0, 0.02 + 0.6 * SHELL});
        ready(&s, true, 0);
        gmc_stage_extra(&s, &extra);
        s.model.gravity = (gmc_vec3){G * gmc_sin(slope), 0, -G * gmc_cos(slope)};
        set_velocity(&s, "block", (gmc_vec3){speeds[i], 0, 0}, (gmc_vec3){0, 0, 0});
        assert_int_equal(gmc_stage_run(&s, 1e-3, 0.2), GMC_OK);
        double v = gmc_stage_velocity(&s, "block").x;
        if (i == 0)
            capability_at_most(14, fabs(v), 1e-8); // the residual
        else
            capability_within(14, v / (speeds[i] + 0.2 * 0.28 * G * gmc_sin(slope)), 1 - 1e-6,
                              1 + 1e-6);
        gmc_stage_close(&s);
    }
}

/// Without correction energy never grows; with it by what the correction's speed carries.
static void energy_grows_by_the_correction_alone(void **state)
{
    (void)state;
    for (int is_corrected = 0; is_corrected < 2; is_corrected++) {
        const double h = 2e-3, mass = 0.2;
        double most = 0, before;
        gmc_stage s;
        open_floor(&s, 0.3);
        for (int k = 0; k < 2; k++)
            gmc_stage_free(&s, k ? "b" : "a", gmc_stage_box(0.03, 0.03, 0.01), mass,
                           (gmc_vec3){0, 0, 0.015 + 0.03 * k});
        ready(&s, true, G);
        s.options.own[GMC_RIGID_CORRECTION] = is_corrected ? 0.2 : 0;
        set_velocity(&s, "a", (gmc_vec3){0.3, 0, 0}, (gmc_vec3){0, 0, 0});
        before = gmc_stage_energy(&s);
        for (double t = 0; t < 1; t += h) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            most = fmax(most, gmc_stage_energy(&s) - before);
            before = gmc_stage_energy(&s);
        }
        print_message("correction %.1f: energy grows by at most %.2e J a step\n",
                      s.options.own[GMC_RIGID_CORRECTION], most);
        double v = 0.2 * SHELL / 2 / h; // of both bodies at once, and lifted by it for a step
        assert_true(most <= (is_corrected ? 2 * mass * (v * v / 2 + 2 * G * h * v) : 1e-9));
        ASSERT_BELOW(s.max_residual, 1e-8);
        gmc_stage_close(&s);
    }
}

static void impact_is_inelastic_and_keeps_momentum(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
    gmc_stage_open(&s, 0.3);
    gmc_stage_free(&s, "a", ball, 0.3, (gmc_vec3){0, 0, 0});
    gmc_stage_free(&s, "b", ball, 0.1, (gmc_vec3){0.09, 0, 0});
    ready(&s, true, 0);
    s.options.own[GMC_RIGID_CORRECTION] = 0;
    set_velocity(&s, "a", (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0});
    set_velocity(&s, "b", (gmc_vec3){-0.5, 0, 0}, (gmc_vec3){0, 0, 0});
    for (int i = 0; i < 50; i++) {
        assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_OK);
        double p = 0.3 * gmc_stage_velocity(&s, "a").x + 0.1 * gmc_stage_velocity(&s, "b").x;
        ASSERT_NEAR(p, 0.25, 1e-14);
    }
    ASSERT_NEAR(gmc_stage_velocity(&s, "a").x, 0.625, 1e-7); // normals' compliance: 1e-7 of it
    gmc_stage_close(&s);
}

/// What runs out of room in any part of a step leaves the world as it was, to the bit.
static void failed_steps_change_nothing(void **state)
{
    (void)state;
    gmc_stage s;
    open_floor(&s, 0.3);
    gmc_stage_free(&s, "block", gmc_stage_box(0.05, 0.05, 0.02), 0.4, (gmc_vec3){0, 0, 0.024});
    ready(&s, true, G);
    set_velocity(&s, "block", (gmc_vec3){0.2, 0, -1}, (gmc_vec3){0, 2, 0});
    size_t capacity = s.scratch.capacity;
    int failures = 0;
    gmc_status status = GMC_E_ARENA_FULL;
    double q[7], v[6];
    for (s.scratch.capacity = 500; status != GMC_OK; s.scratch.capacity += 500) {
        assert_true(s.scratch.capacity < capacity);
        memcpy(q, s.world.state.q, sizeof q);
        memcpy(v, s.world.state.v, sizeof v);
        int contacts = s.world.contacts.count;
        status = gmc_stage_step(&s, 8e-3);
        if (status == GMC_OK) break;
        assert_int_equal(status, GMC_E_ARENA_FULL);
        assert_memory_equal(q, s.world.state.q, sizeof q);
        assert_memory_equal(v, s.world.state.v, sizeof v);
        assert_true(s.world.state.t == 0);
        assert_true(s.world.contacts.count == contacts);
        failures++;
    }
    assert_true(failures > 10);
    ASSERT_NEAR(s.world.state.t, 8e-3, 1e-15);
    s.scratch.capacity = capacity;
    gmc_stage_close(&s);
}

/// The pinch of the benches: lifted and shaken without a slip.
static void held_cube_follows_the_hand(void **state)
{
    (void)state;
    gmc_stage s;
    double moved = gmc_stage_pinch_held(&s, &gmc_anitescu_potra_stepper, 2);
    print_message("held for 2 s: moved %.2e m, residual %.2e\n", moved, s.max_residual);
    ASSERT_BELOW(moved, 1e-9);
    ASSERT_BELOW(s.max_residual, 1e-8);
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_bisection_overlap_is_of_order_h),
        cmocka_unit_test(bisection_ends_in_the_shell),
        cmocka_unit_test(thin_plates_stop_what_is_bisected),
        cmocka_unit_test(drift_is_corrected),
        cmocka_unit_test(what_rests_at_the_start_hardly_moves),
        cmocka_unit_test(correction_is_bounded_at_any_step),
        cmocka_unit_test(static_friction_is_for_slow_ones),
        cmocka_unit_test(energy_grows_by_the_correction_alone),
        cmocka_unit_test(impact_is_inelastic_and_keeps_momentum),
        cmocka_unit_test(failed_steps_change_nothing),
        cmocka_unit_test(held_cube_follows_the_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
