// A hand that swings holds what it holds: where nothing slips, contacts are springs, and bodies
// stand after a swing as they stood before it. The oracle is that alone: no motion of the hand is
// in it.

#include "engine/contact/coulomb/coulomb.h"
#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "engine/contact/visco_elastic/song_pang_kumar.h"
#include "engine/grasp/measure.h"
#include "engine/math/elementary.h"
#include "engine/model/hull.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <stdlib.h>

/// How long hands swing; 0: as long as shows it [s].
static double asked;
/// Is energy asked for? The pads then close from a distance, so that impacts take what they bring.
static bool is_measured;
static const double STRUCK = 5e-3;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};

/// What is held between two pads of 24 x 36 mm, which close along x.
typedef struct held {
    const char *name;
    gmc_shape shape;
    double width, mass; ///< between the pads [m]; [kg]
    gmc_vec3 offset;    ///< of its middle from that of the pads [m]
    double force;       ///< of the pads [N]
    gmc_vec3 axis;      ///< the hand swings about it
    double amplitude, frequency;
} held;

#define DEGREE (GMC_PI / 180)
#define ROD(R, L)                                                                                  \
    {                                                                                              \
        .type = GMC_SHAPE_CAPSULE, .radius = R, .half_length = L                                   \
    }
#define CAN(R, L)                                                                                  \
    {                                                                                              \
        .type = GMC_SHAPE_CYLINDER, .radius = R, .half_length = L                                  \
    }
#define BOX(X, Y, Z)                                                                               \
    {                                                                                              \
        .type = GMC_SHAPE_BOX, .half = { X, Y, Z }                                                 \
    }
#define BALL(R)                                                                                    \
    {                                                                                              \
        .type = GMC_SHAPE_SPHERE, .radius = R                                                      \
    }

/// One pad stands in the hand, the other presses; gravity comes along -y once they hold.
static void grip(gmc_stage *s, const gmc_stepper *stepper, const held *grasp,
                 const gmc_surface_extra *extra, double h)
{
    enum { RAMP = 200 };
    gmc_dof finger = gmc_builder_default_dof();
    gmc_shape pad = gmc_stage_box(0.004, 0.012, 0.018);
    double x = grasp->width / 2 + 0.004 + (is_measured ? STRUCK : 0);
    finger.damping = 20;
    gmc_stage_open(s, 0.7);
    gmc_stage_hinge(s, "hand", NULL, grasp->axis, (gmc_vec3){0, 0, 0}, true);
    gmc_stage_slider(s, "left", "hand", (gmc_vec3){1, 0, 0}, (gmc_vec3){-x, 0, 0}, pad, 0.05,
                     finger, true);
    gmc_stage_slider(s, "right", "hand", (gmc_vec3){-1, 0, 0}, (gmc_vec3){x, 0, 0}, pad, 0.05,
                     finger, false);
    gmc_stage_free(s, "object", grasp->shape, grasp->mass, grasp->offset);
    s->stepper = stepper;
    gmc_stage_ready(s, 32);
    if (extra) gmc_stage_extra(s, extra);
    s->force[gmc_stage_dof(s, "right")] = grasp->force;
    s->model.gravity = (gmc_vec3){0, 0, 0};
    s->options.is_start = is_measured; // the balance begins there
    if (is_measured) assert_int_equal(gmc_stage_step(s, h), GMC_OK);
    s->options.is_start = false;
    assert_int_equal(gmc_stage_run(s, h, 0.2), GMC_OK);
    for (int i = 1; i <= RAMP; i++) {
        s->model.gravity.y = -9.81 * i / RAMP;
        assert_int_equal(gmc_stage_step(s, h), GMC_OK);
    }
    assert_int_equal(gmc_stage_run(s, h, 1.0), GMC_OK);
}

/// Of the object in the hand.
static gmc_pose place(const gmc_stage *s)
{
    return gmc_pose_relative(&s->world.kin.X_wb[gmc_stage_body(s, "hand")],
                             &s->world.kin.X_wb[gmc_stage_body(s, "object")]);
}

/// Whole swings, which begin and end gently, and a rest of 0.5 s.
/// @param energy  in, out: of the steps of the swing; NULL: not asked for
static void swing(gmc_stage *s, const held *grasp, double h, double span,
                  gmc_measure_energy *energy)
{
    int v = gmc_stage_dof(s, "hand"), q = s->model.bodies[gmc_stage_body(s, "hand")].q;
    long count = (long)(span / h + 0.5);
    double angle = 0, ramp = 0.5;
    for (long k = 1; k <= count; k++) {
        double t = (double)k * h, left = (double)(count - k) * h;
        double share = fmin(fmin(t, left) / ramp, 1);
        double swell = share * share * (3 - 2 * share);
        double next = swell * grasp->amplitude * gmc_sin(2 * GMC_PI * grasp->frequency * t);
        s->v_driven[v] = (next - angle) / h;
        s->q_driven[q] = angle = next;
        assert_int_equal(gmc_stage_step(s, h), GMC_OK);
        if (energy) gmc_measure_energy_step(&s->last.energy, energy);
    }
    s->v_driven[v] = 0;
    assert_int_equal(gmc_stage_run(s, h, 0.5), GMC_OK);
}

typedef struct change {
    double moved, turned; ///< [m, rad]
} change;

static change between(const gmc_pose *before, const gmc_pose *after)
{
    gmc_pose by = gmc_pose_relative(before, after);
    return (change){gmc_vec3_norm(gmc_vec3_sub(after->p, before->p)),
                    gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&by.R)))};
}

static change swung(const gmc_stepper *stepper, const held *grasp, const gmc_surface_extra *extra,
                    double h, double span)
{
    gmc_stage s;
    grip(&s, stepper, grasp, extra, h);
    gmc_pose before = place(&s);
    swing(&s, grasp, h, span, NULL);
    gmc_pose after = place(&s);
    assert_int_equal(s.unsolved, 0);
    gmc_stage_close(&s);
    return between(&before, &after);
}

/// Of whole bodies: none of these slips.
static held HELD[] = {
    {"hammer", ROD(0.010, 0.090), 0.020, 0.4, {0, 0, 0.06}, 30, {0, 0, 1}, 20 * DEGREE, 4},
    {"pin", ROD(0.004, 0.030), 0.008, 0.045, {0, 0, 0.01}, 12, {0, 0, 1}, 20 * DEGREE, 4},
    {"pin askew", ROD(0.004, 0.030), 0.008, 0.045, {0, 0, 0.01}, 12, {1, 1, 1}, 10 * DEGREE, 3},
    {"can", CAN(0.025, 0.060), 0.050, 1.5, {0, 0, 0.03}, 90, {1, 0, 1}, 10 * DEGREE, 3},
    {"brick", BOX(0.03, 0.05, 0.04), 0.06, 0.6, {0, 0, 0.02}, 60, {1, 1, 1}, 10 * DEGREE, 3},
    {"wedge",
     {.type = GMC_SHAPE_POLYTOPE, .scale = 1},
     0.03,
     0.1,
     {0, 0, 0},
     12,
     {1, 1, 1},
     10 * DEGREE,
     3},
    {"ball", BALL(0.02), 0.04, 0.1, {0, 0, 0.0}, 20, {1, 1, 1}, 10 * DEGREE, 3},
};

/// Into the HELD that is one: 30 mm thick, 40 mm long and high, of 2 degrees.
static gmc_polytope *make_wedge(void)
{
    gmc_vec3 corners[8];
    gmc_polytope *wedge = NULL;
    gmc_diagnostics report = {0};
    for (int i = 0; i < 8; i++) {
        double y = i & 1 ? 0.02 : -0.02, z = i & 2 ? 0.02 : -0.02, x = i & 1 ? 0.0136 : 0.015;
        corners[i] = (gmc_vec3){i & 4 ? x : -x, y, z};
    }
    if (gmc_hull_create(corners, 8, "wedge", (gmc_source){0}, &report, &wedge) != GMC_OK) abort();
    for (int i = 0; i < GMC_COUNT(HELD); i++)
        if (HELD[i].shape.type == GMC_SHAPE_POLYTOPE) HELD[i].shape.polytope = wedge;
    return wedge;
}

/// What a minute may take is 1e-9 m, and as much at 0.1 m for its turn: here the share of a span.
static void assert_held(const change *by, double span)
{
    assert_true(by->moved <= 1e-9 * span / 60);
    assert_true(by->turned <= 1e-8 * span / 60);
}

/// Spin against the normal of each step's start alone wound the hammer's turn up by 2e-7 m in 5 s
/// at 2 ms, in proportion to the step; spins added up, by what it rocks and turns in turns, at any
/// step.
static void test_d05_torsion_does_not_wind_up(void **state)
{
    (void)state;
    double span = asked > 0 ? asked : 1;
    const gmc_surface_extra extra = {.torsion = 5e-3};
    for (int i = 0; i < GMC_COUNT(HELD); i++)
        for (int k = 0; k < GMC_COUNT(STEPS); k++) {
            change by = swung(&gmc_coulomb_stepper, &HELD[i], &extra, STEPS[k], span);
            print_message("%-10s at %.1f ms: %.1e m, %.1e rad\n", HELD[i].name, 1e3 * STEPS[k],
                          by.moved, by.turned);
            assert_held(&by, span);
        }
}

/// Without torsion: deflections summed point by point, or laid into planes that tilt, crept by
/// 3e-10 m (can), and at 4 ms by 8e-11 m (pin askew) in 5 s. A ball is free to turn about the
/// closing axis.
static void test_d05_deflections_do_not_wind_up(void **state)
{
    (void)state;
    double span = asked > 0 ? asked : 1;
    for (int i = 0; i < GMC_COUNT(HELD); i++)
        for (int k = 0; k < GMC_COUNT(STEPS); k++) {
            change by = swung(&gmc_coulomb_stepper, &HELD[i], NULL, STEPS[k], span);
            print_message("%-10s at %.1f ms: %.1e m, %.1e rad\n", HELD[i].name, 1e3 * STEPS[k],
                          by.moved, by.turned);
            if (HELD[i].shape.type == GMC_SHAPE_SPHERE) by.turned = 0;
            assert_held(&by, span);
        }
}

/// On pads points move with the region that is pressed, and took their deflections along: wedges
/// crept by 1e-8 m in 5 s at 4 ms, a hammer with torsion by 9e-5 m. What rocked by more than 5 mrad
/// on its pads was taken to roll: a can crept by 1e-6 m in 5 s.
static void test_d05_pads_do_not_wind_up(void **state)
{
    (void)state;
    double span = asked > 0 ? asked : 1;
    const gmc_surface_extra pad = {
        .torsion = 5e-3, .pad = 2e6 / 5e-3, .pad_shear = 0.5, .pad_edge = 5e-3};
    for (int i = 0; i < GMC_COUNT(HELD); i++)
        for (int k = 0; k < GMC_COUNT(STEPS); k++) {
            change by = swung(&gmc_coulomb_stepper, &HELD[i], &pad, STEPS[k], span);
            print_message("%-10s at %.1f ms: %.1e m, %.1e rad\n", HELD[i].name, 1e3 * STEPS[k],
                          by.moved, by.turned);
            assert_held(&by, span);
        }
}

/// What swings with a hand takes and gives energy at each turn, and loses next to none. Bodies go
/// along chords within a step and the dampers of contacts pull them back onto the arc: that is no
/// loss, for the bodies do not part. Taken for one, 9e-3 of the pin's energy was missing. 1e-3 is
/// what the balance is promised to at 1 ms.
static void energy_of_what_swings_balances(void **state)
{
    (void)state;
    const double span = 3, h = 1e-3;
    const gmc_surface_extra pad = {
        .torsion = 5e-3, .pad = 2e6 / 5e-3, .pad_shear = 0.5, .pad_edge = 5e-3};
    for (int i = 0; i < GMC_COUNT(HELD); i++)
        for (int k = 0; k < 2; k++) {
            gmc_measure_energy sum = {0};
            double balance, scheme, size;
            gmc_stage s;
            is_measured = true;
            grip(&s, &gmc_coulomb_stepper, &HELD[i], k ? &pad : NULL, h);
            is_measured = false;
            swing(&s, &HELD[i], h, span, &sum);
            gmc_measure_energy_finish(&sum, &balance, &scheme, &size);
            print_message("%-10s %s: %+.1e of %.1e J\n", HELD[i].name, k ? "pad " : "hard", balance,
                          size);
            ASSERT_BELOW(fabs(balance), 1e-3); // NaN fails
            gmc_stage_close(&s);
        }
}

/// Bodies that stick go on along chords, and part by h² w² d/2 a step: without anchors the brick
/// left by 0.1 to 0.8 mm a second. 1e-9 m a minute: here its share of a second. A ball without
/// torsion is free to turn about the closing axis.
static void test_d06_rigid_steppers_do_not_creep(void **state)
{
    (void)state;
    double span = asked > 0 ? asked : 1;
    static const gmc_stepper *const RIGID[] = {&gmc_stewart_trinkle_stepper,
                                               &gmc_anitescu_potra_stepper};
    for (int n = 0; n < GMC_COUNT(RIGID); n++)
        for (int i = 0; i < GMC_COUNT(HELD); i++)
            for (int k = 1; k < GMC_COUNT(STEPS); k++) {
                // on its four points an LCP of a minute's has a second solution, which lets it go
                if (asked > 0 && HELD[i].shape.type == GMC_SHAPE_POLYTOPE) continue;
                change by = swung(RIGID[n], &HELD[i], NULL, STEPS[k], span);
                print_message("%s, %-10s at %.1f ms: %.1e m, %.1e rad\n", RIGID[n]->name,
                              HELD[i].name, 1e3 * STEPS[k], by.moved, by.turned);
                if (HELD[i].shape.type == GMC_SHAPE_SPHERE) by.turned = 0;
                assert_held(&by, span);
            }
}

/// FORMAT.md says 0.1 um and 5 urad a second, with the integrator's tolerances as they come.
static void test_d06_visco_elastic_patches_creep_as_told(void **state)
{
    (void)state;
    double span = asked > 0 ? asked : 1;
    for (int i = 2; i < GMC_COUNT(HELD); i++)
        for (int k = asked > 0 ? 1 : 3; k < GMC_COUNT(STEPS); k++) {
            change by = swung(&gmc_song_pang_kumar_stepper, &HELD[i], NULL, STEPS[k], span);
            print_message("%-10s at %.1f ms: %.1e m, %.1e rad\n", HELD[i].name, 1e3 * STEPS[k],
                          by.moved, by.turned);
            if (HELD[i].shape.type == GMC_SHAPE_SPHERE) by.turned = 0;
            assert_true(by.moved <= 1e-7 * span);
            assert_true(by.turned <= 5e-6 * span);
        }
}

/// [SPAN]  of each swing [s]
int main(int argc, char **argv)
{
    gmc_polytope *wedge = make_wedge();
    if (argc > 1) asked = strtod(argv[1], NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d05_torsion_does_not_wind_up),
        cmocka_unit_test(test_d05_deflections_do_not_wind_up),
        cmocka_unit_test(test_d05_pads_do_not_wind_up),
        cmocka_unit_test(energy_of_what_swings_balances),
        cmocka_unit_test(test_d06_rigid_steppers_do_not_creep),
        cmocka_unit_test(test_d06_visco_elastic_patches_creep_as_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gmc_hull_free(wedge);
    return failed;
}
