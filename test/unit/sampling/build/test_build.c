// Words to models: every mistake that only shows when the model is built is reported where it is;
// and what a trial's numbers do to the model.
#include "engine/contact/visco_elastic/song_pang_kumar.h"
#include "sampling/build/build.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

// Lines of a scenario, each of which a test may replace.
enum { HAND, OBJECT, SCENE, FRICTION, PROGRAM, SUCCESS, REST, LINE_COUNT };
static const char *const LINES[LINE_COUNT] = {
    [HAND] = "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}",
    [OBJECT] = "object: {box: [40 mm, 50 mm, 60 mm], mass: 0.3 kg, surface: abs, placed: resting}",
    [SCENE] = "scene: {table: {plane: {}, surface: wood}}",
    [FRICTION] = "friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}",
    [PROGRAM] = "program: [{close: {force: 10 N, for: 0.1 s}}]",
    [SUCCESS] = "success: {at_end: [lift(object) >= -1 m]}",
    [REST] = "",
};

static const char *with(int line, const char *text)
{
    static char all[4096];
    int at = snprintf(all, sizeof all, "graspmc: 1\n");
    for (int i = 0; i < LINE_COUNT; i++)
        at += snprintf(all + at, sizeof all - (size_t)at, "%s\n", i == line ? text : LINES[i]);
    return all;
}

static const char *plain(void) { return with(REST, ""); }

// A box of 40 x 50 x 60 mm as a mesh in millimetres, with a corner at the origin.
static const char CUBE[] =
    "v 0 0 0\nv 40 0 0\nv 40 50 0\nv 0 50 0\nv 0 0 60\nv 40 0 60\nv 40 50 60\n"
    "v 0 50 60\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 "
    "8\n";

// ---- mistakes ----------------------------------------------------------------------------------

/// A scenario with one line changed, and what must be said about it, with its place.
typedef struct mistake {
    int line;
    const char *text;
    const char *said; ///< part of the report
    int said_line;    ///< line of the scenario; 0: the file as a whole
} mistake;

static void check_mistake(gmc_rolling *r, const mistake *m)
{
    char place[64];
    gmc_rolling_try(r, with(m->line, m->text), NULL);
    if (m->said_line > 0)
        snprintf(place, sizeof place, "scenario.yaml:%d:", m->said_line);
    else
        snprintf(place, sizeof place, "scenario.yaml: ");
    if (r->status != GMC_E_INPUT || !strstr(r->said, m->said) || !strstr(r->said, place)) {
        print_error("%s\nexpected %s ... %s\nsaid:\n%s\n", m->text, place, m->said, r->said);
        fail();
    }
    assert_int_equal(r->report.error_count, 1);
}

static void every_mistake_is_located(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {FRICTION, "friction: {rubber/abs: 0.5, abs/wood: 0.4}",
         "rubber and wood can touch (base, table), but friction does not say how", 5},
        {HAND, "hand: {urdf: jaw.urdf, frame: tpc, surface: rubber}", "the hand has no link tpc",
         2},
        {HAND, "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, fingers: [left, rigth]}",
         "there is no joint rigth", 2},
        {HAND, "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, joints: {lef: {kp: 1}}}",
         "the hand has no joint lef", 2},
        {HAND,
         "hand: {urdf: coupled.urdf, frame: tcp, surface: rubber, joints: {right: {damping: 1}}}",
         "joint right cannot be set: by the file it follows another", 2},
        {HAND, "hand: {urdf: jaw.urdf, frame: tcp, surface: {pad: rubber, rest: rubber}}",
         "the hand has no link pad", 2},
        {HAND, "hand: {urdf: stump.urdf, surface: rubber}", "the hand has no fingers to move", 6},
        {HAND, "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, self_collision: true}",
         "rubber and rubber can touch", 5},
        {SCENE, "scene: {table: {plane: {}, surface: wood, free: true, mass: 1 kg}}",
         "a plane cannot move", 4},
        {PROGRAM, "program: [{move: {joint: wrist, by: 1 mm, in: 1 s}}]",
         "the hand has no joint wrist to move", 6},
        {PROGRAM, "program: [{set: {object.pose.x: 1 m}}]",
         "object.pose.x cannot change while the trial runs", 6},
        {SUCCESS, "success: {at_end: ['slip(object, cup) <= 1 mm']}", "cup", 7},
        {REST, "simulation: {solver: lemke}",
         "simulation.solver: lemke does not fit the law of coulomb", 8},
        {REST, "simulation: {solver: lemke}", "these do: newton, nsgs, prox, admm", 8},
        {REST, "simulation: {solver: prx}",
         "expected one of newton, nsgs, prox, admm, lemke, cvode, found prx", 8},
        {REST, "simulation: {stepper: stewart_trinkle, solver: newton}",
         "simulation.solver: newton does not fit the law of stewart_trinkle", 8},
        {REST, "simulation: {friction_directions: 8}",
         "simulation.friction_directions: it belongs to friction pyramids of rigid steppers; "
         "coulomb "
         "has none",
         8},
        {FRICTION,
         "friction: {rubber/abs: {static: 0.5, restitution: 0.2}, abs/wood: 0.4, rubber/wood: "
         "0.5}\n"
         "simulation: {motion: quasi_static}",
         "nothing bounces where simulation.motion is quasi_static", 5},
        {REST, "simulation: {stepper: stewart_trinkle, time_of_contact: none}",
         "simulation.time_of_contact: it belongs to the stepper anitescu_potra", 8},
        {REST, "simulation: {formulation: maximal}",
         "simulation.formulation: it belongs to rigid steppers; coulomb has none", 8},
        {REST, "simulation: {stepper: anitescu_potra, formulation: minimal}",
         "simulation.formulation: expected one of generalised, maximal, found minimal", 8},
        {REST, "simulation: {stepper: stewart_trinkle, formulation: maximal, motion: first_order}",
         "simulation.formulation: maximal is for motion: dynamic alone", 8},
        {REST, "simulation: {drift_correction: 0.5}",
         "simulation.drift_correction: it belongs to the stepper anitescu_potra, and to rigid "
         "steppers with formulation: maximal; coulomb has none",
         8},
        {REST, "simulation: {stepper: stewart_trinkle, drift_correction: 0.5}",
         "simulation.drift_correction: with this stepper it is for formulation: maximal alone", 8},
        {REST, "simulation: {stepper: stewart_trinkle, formulation: maximal, drift_correction: 2}",
         "simulation.drift_correction: must be <= 1, found 2", 8},
        {REST, "simulation: {stepper: stewart_trinkle, friction_directions: 7}",
         "simulation.friction_directions: the number must be even", 8},
        {REST,
         "simulation: {stepper: stewart_trinkle}\n"
         "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa}}}",
         "stewart_trinkle does not know pads", 9},
        {FRICTION,
         "friction: {rubber/abs: {static: 0.5, restitution: 0.2}, abs/wood: 0.4, rubber/wood: "
         "0.5}\n"
         "simulation: {stepper: stewart_trinkle}",
         "stewart_trinkle does not know restitution", 5},
        {FRICTION, // torsion it does
         "friction: {rubber/abs: {static: 0.5, torsion: 2 mm, rolling: 1 mm}, abs/wood: 0.4, "
         "rubber/wood: 0.5}\n"
         "simulation: {stepper: stewart_trinkle}",
         "stewart_trinkle does not know rolling friction", 5},
        {REST, "simulation: {stepper: song_pang_kumar, motion: quasi_static}",
         "simulation.motion: song_pang_kumar does not know quasi_static", 8},
        {REST, "simulation: {stepper: song_pang_kumar, motion: first_order}",
         "steppers that do: coulomb, stewart_trinkle, anitescu_potra", 8},
        {REST, "simulation: {stepper: song_pang_kumar, solver: lemke}",
         "simulation.solver: lemke does not fit the law of song_pang_kumar", 8},
        {REST, "simulation: {stepper: song_pang_kumar, friction_directions: 8}",
         "song_pang_kumar has none", 8},
        {REST, "simulation: {patch_points: 4}",
         "simulation.patch_points: it belongs to the stepper song_pang_kumar; coulomb has none", 8},
        {REST, "simulation: {stepper: anitescu_potra, absolute_tolerance: 1e-9 m}",
         "simulation.absolute_tolerance: it belongs to the stepper song_pang_kumar", 8},
        {REST, "simulation: {stepper: song_pang_kumar, patch_points: 17}",
         "simulation.patch_points: must be <= 16, found 17", 8},
        {REST, "simulation: {stepper: song_pang_kumar, relative_tolerance: 1}",
         "simulation.relative_tolerance: must be", 8},
        {REST,
         "simulation: {stepper: song_pang_kumar}\n"
         "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa}}}",
         "song_pang_kumar does not know pads", 9},
        {FRICTION,
         "friction: {rubber/abs: {static: 0.5, restitution: 0.2}, abs/wood: 0.4, rubber/wood: "
         "0.5}\n"
         "simulation: {stepper: song_pang_kumar}",
         "damping_ratio: zeta gives", 5},
        {FRICTION,
         "friction: {rubber/abs: {static: 0.5, kinetic: 0.2}, abs/wood: 0.4, rubber/wood: 0.5}\n"
         "simulation: {stepper: song_pang_kumar}",
         "song_pang_kumar does not know kinetic friction", 5},
        {FRICTION,
         "friction: {rubber/abs: {static: 0.5, damping_ratio: -0.1}, abs/wood: 0.4, rubber/wood: "
         "0.5}\n"
         "simulation: {stepper: song_pang_kumar}",
         "damping_ratio: must be", 5},
    };
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(mistakes); i++)
        check_mistake(&r, &mistakes[i]);
    gmc_rolling_close(&r);
}

static void what_cannot_move_the_hand_says_so(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char MOUNTED[] =
        "graspmc: 1\nhand: {urdf: jaw.urdf, surface: rubber, mount: fixed}\n"
        "object: {sphere: {radius: 1 cm}, mass: 1 kg, surface: abs}\nfriction: {rubber/abs: 1}\n"
        "program: [{lift: {by: 1 mm, in: 1 s}}, {turn: {axis: x, by: 1 rad, in: 1 s}}]\n"
        "success: {at_end: [lift(object) >= -1 m]}\n";
    gmc_rolling_try(&r, MOUNTED, NULL);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_int_equal(r.report.error_count, 2);
    assert_non_null(strstr(r.said, "lift moves the base, which is mounted"));
    assert_non_null(strstr(r.said, "turn moves the base, which is mounted"));
    gmc_rolling_close(&r);
}

// A hand of more links with shapes than there are bits for them.
static void self_collision_has_a_limit(void **state)
{
    (void)state;
    enum { LINKS = 30 };
    static char urdf[32768];
    int at = snprintf(urdf, sizeof urdf, "<robot name='worm'><link name='l0'/>");
    for (int i = 1; i <= LINKS; i++)
        at += snprintf(urdf + at, sizeof urdf - (size_t)at,
                       "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                       "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere "
                       "radius='0.01'/></geometry></collision></link><joint name='j%d' "
                       "type='prismatic'><parent link='l%d'/><child link='l%d'/><origin xyz='0.1 0 "
                       "0'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' "
                       "velocity='1'/></joint>",
                       i, i, i - 1, i);
    snprintf(urdf + at, sizeof urdf - (size_t)at, "</robot>");
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "worm.urdf", urdf);
    const mistake m = {
        HAND, "hand: {urdf: worm.urdf, surface: {rest: rubber}, self_collision: true}",
        "self-collision is limited to 29 groups of shapes that meet the same others, "
        "the hand has 30",
        2};
    check_mistake(&r, &m);
    gmc_rolling_close(&r);
}

static void forces_beyond_the_drive_are_warned_of(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_try(&r, with(PROGRAM, "program: [{close: {force: 150 N, for: 0.1 s}}]"), NULL);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.report.warning_count, 2); // both fingers
    assert_non_null(
        strstr(r.said, "more than the drive of joint left gives: 150 N, and it has 100 N"));
    gmc_rolling_close(&r);
}

static void programs_beyond_the_time_limit_are_warned_of(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_try(&r, with(REST, "simulation: {time_limit: 50 ms}"), NULL);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.report.warning_count, 1);
    assert_non_null(strstr(r.said, "simulation.time_limit"));
    gmc_rolling_close(&r);
}

static void given_inertias_that_contradict_the_shape_are_warned_of(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    // kg·m² of a box of 0.3 kg and 40 x 50 x 60 mm are some 1e-4
    gmc_rolling_try(&r,
                    with(OBJECT, "object: {box: [40 mm, 50 mm, 60 mm], mass: 0.3 kg, surface: abs, "
                                 "inertia: [0.1, 0.1, 0.1, 0, 0, 0]}"),
                    NULL);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.report.warning_count, 1);
    assert_non_null(strstr(r.said, "scenario.yaml:3:"));
    // a mesh is compared at its scale: the right inertia of the cube in millimetres
    gmc_scratch_text(&r.scratch, "cube.obj", CUBE);
    gmc_rolling_try(&r,
                    with(OBJECT, "object: {mesh: cube.obj, scale: 1 mm, mass: 0.12 kg, surface: "
                                 "abs, inertia: [6.1e-5, 5.2e-5, 4.1e-5, 0, 0, 0]}"),
                    NULL);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.report.warning_count, 0);
    // a driver whose blade has a share of the mass; tenfold is beyond any share
    static const char *const INERTIA[] = {"[6e-4, 6e-4, 5e-5, 0, 0, 0]",
                                          "[6e-3, 6e-3, 5e-4, 0, 0, 0]"};
    for (int i = 0; i < 2; i++) {
        char driver[512];
        snprintf(driver, sizeof driver,
                 "object: {capsule: {radius: 15 mm, length: 80 mm}, parts: {blade: {box: [6 mm, "
                 "6 mm, 80 mm], pose: {z: 90 mm}}}, mass: 0.3 kg, surface: abs, com: [0 mm, 0 mm, "
                 "0 mm], inertia: %s}",
                 INERTIA[i]);
        gmc_rolling_try(&r, with(OBJECT, driver), NULL);
        assert_int_equal(r.status, GMC_OK);
        assert_int_equal(r.report.warning_count, i);
    }
    gmc_rolling_close(&r);
}

// ---- numbers -----------------------------------------------------------------------------------

static const gmc_body *object_of(const gmc_rolling *r)
{
    return &r->input.model->bodies[gmc_model_find_body(r->input.model, "object")];
}

static void play(gmc_rolling *r, const char *text, const char *set)
{
    gmc_rolling_play(r, text, (const char *[]){set, NULL});
}

static void mass_size_and_density_make_the_inertia(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r, plain(), NULL);
    // box: m (b² + c²) / 12
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[0], 0.3 * (0.05 * 0.05 + 0.06 * 0.06) / 12,
                         1e-15);
    play(&r, plain(), "object.mass=0.6 kg");
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.mass, 0.6, 1e-15);
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[0], 0.6 * (0.05 * 0.05 + 0.06 * 0.06) / 12,
                         1e-15);
    play(&r, plain(), "uncertain.object.box.z=nominal * uniform(2, 2.0000000001)");
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.mass, 0.3, 1e-15); // a given mass stays
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[0], 0.3 * (0.05 * 0.05 + 0.12 * 0.12) / 12,
                         1e-9);
    gmc_pose X = gmc_rolling_pose(&r, 0, gmc_rolling_body(&r, "object"));
    ASSERT_NEAR(X.p.z, 0.06, 1e-11); // and it rests on its new bottom
    play(&r,
         with(OBJECT, "object: {cylinder: {radius: 20 mm, length: 80 mm}, density: 500, surface: "
                      "abs, placed: resting}"),
         NULL);
    double m = 500 * GMC_PI * 0.02 * 0.02 * 0.08;
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.mass, m, 1e-15);
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[8], m * 0.02 * 0.02 / 2, 1e-15);
    gmc_rolling_close(&r);
}

static void a_mesh_is_weighed_and_scaled(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "cube.obj", CUBE);
    static const char MESH[] =
        "object: {mesh: cube.obj, scale: 1 mm, density: 1000, surface: abs, placed: resting}";
    play(&r, with(OBJECT, MESH), NULL);
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.mass, 0.12, 1e-13);
    ASSERT_NEAR(object_of(&r)->inertia.com.z, 0.03, 1e-16);
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[0], 0.12 * (0.05 * 0.05 + 0.06 * 0.06) / 12,
                         1e-13);
    play(&r, with(OBJECT, MESH), "object.scale=2 mm");
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.mass, 8 * 0.12, 1e-13);
    ASSERT_NEAR_RELATIVE(object_of(&r)->inertia.I.m[0],
                         32 * 0.12 * (0.05 * 0.05 + 0.06 * 0.06) / 12, 1e-13);
    ASSERT_NEAR(object_of(&r)->inertia.com.y, 0.05, 1e-16);
    gmc_rolling_close(&r);
}

static void two_default_surfaces_make_the_law_of_the_stepper(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int listed = 0; listed < 2; listed++) {
        play(&r, with(REST, listed ? "surfaces: {rubber: {}, abs: {}}" : ""), NULL);
        const gmc_surface_law *law = gmc_model_law(r.input.model, 0, 1);
        ASSERT_NEAR_RELATIVE(law->stiffness, 1e6, 1e-15);
        ASSERT_NEAR_RELATIVE(law->relaxation, 1e-3, 1e-15);
        ASSERT_NEAR_RELATIVE(law->tangential_ratio, 2 * 0.7 / 1.7, 1e-15);
    }
    // compliances in series, relaxation weighted by them
    play(&r, with(REST, "surfaces: {rubber: {stiffness: 1e5, relaxation: 4 ms}}"), NULL);
    const gmc_surface_law *law = gmc_model_law(r.input.model, 0, 1);
    ASSERT_NEAR_RELATIVE(law->stiffness, 1 / (1e-5 + 0.5e-6), 1e-14);
    ASSERT_NEAR_RELATIVE(law->relaxation, (1e-5 * 4e-3 + 0.5e-6 * 1e-3) / 1.05e-5, 1e-14);
    gmc_rolling_close(&r);
}

static const gmc_surface_law *law_of(const gmc_model *model, const char *a, const char *b)
{
    int index[2] = {0, 0};
    for (int i = 0; i < model->surface_count; i++) {
        if (strcmp(model->surfaces[i], a) == 0) index[0] = i;
        if (strcmp(model->surfaces[i], b) == 0) index[1] = i;
    }
    return gmc_model_law(model, index[0], index[1]);
}

/// The pair's path scales all its coefficients, the path of one changes that one.
static void coefficients_of_a_pair_reach_the_law(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double friction, loss, ratio;
    } CASES[] = {
        {"", 0.5, 0.2, 0.6},
        {"  friction.rubber/abs: 0.25", 0.25, 0.2, 0.6},
        {"  friction.abs/rubber.kinetic: 0.25", 0.5, 0.5, 0.6},
        {"  friction.rubber/abs.across: 1", 0.5, 0.2, 2},
        {"  friction.*: nominal * 2", 1, 0.2, 0.6},
    };
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "friction: {rubber/abs: {static: 0.5, kinetic: 0.4, threshold: 2 mm/s, across: "
                 "0.3, restitution: 0.7, torsion: 2 mm, rolling: 1 mm}, abs/wood: 0.4, "
                 "rubber/wood: 0.5}\n"
                 "surfaces: {abs: {grain: [0, 3, 4]}}\n%s%s",
                 CASES[i].line[0] ? "uncertain:\n" : "", CASES[i].line);
        play(&r, with(FRICTION, text), NULL);
        const gmc_surface_law *law = law_of(r.input.model, "rubber", "abs");
        assert_non_null(law->extra);
        ASSERT_NEAR(law->friction, CASES[i].friction, 1e-16);
        ASSERT_NEAR(law->extra->kinetic_loss, CASES[i].loss, 1e-15);
        ASSERT_NEAR(law->extra->across_ratio, CASES[i].ratio, 1e-15);
        assert_true(law->extra->threshold == 2e-3);
        assert_true(law->extra->has_grain);
        assert_true(law->extra->torsion == 2e-3);
        assert_true(law->extra->rolling == 1e-3);
        assert_true(law->extra->restitution == 0.7);
        assert_true(law->extra->bounce_speed == 0.01);
        assert_string_equal(r.input.model->surfaces[law->extra->grain_surface], "abs");
        ASSERT_NEAR(law->extra->grain.z, 0.8, 1e-16);
        assert_null(law_of(r.input.model, "abs", "wood")->extra);
    }
    gmc_rolling_close(&r);
}

/// Damping of a pair, and what else song_pang_kumar is told.
static void visco_elastic_settings_reach_the_stepper(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         with(FRICTION, "friction: {rubber/abs: {static: 0.5, damping_ratio: 0.4}, abs/wood: 0.4, "
                        "rubber/wood: 0.5}\n"
                        "uncertain:\n  friction.rubber/abs.damping_ratio: nominal * 2\n"
                        "simulation: {stepper: song_pang_kumar, patch_points: 4, patch_radius: 2 "
                        "mm, relative_tolerance: 1e-5}"),
         NULL);
    const gmc_surface_law *law = law_of(r.input.model, "rubber", "abs");
    assert_true(law->extra);
    assert_true(law->extra->has_damping_ratio);
    ASSERT_NEAR(law->extra->damping_ratio, 0.8, 1e-15);
    assert_null(law_of(r.input.model, "abs", "wood")->extra);
    const gmc_step_options *options = &r.input.options.step_options;
    assert_true(options->own[GMC_SONG_PANG_KUMAR_PATCH_POINTS] == 4);
    assert_true(options->own[GMC_SONG_PANG_KUMAR_PATCH_RADIUS] == 2e-3);
    assert_true(options->own[GMC_SONG_PANG_KUMAR_RELATIVE] == 1e-5);
    assert_true(options->own[GMC_SONG_PANG_KUMAR_ABSOLUTE] == 1e-9);
    gmc_rolling_close(&r);
}

/// Layers in series, one formula for all Poisson ratios; pairs without a pad keep their points.
static void pads_reach_the_law(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         with(REST,
              "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa}, relaxation: 4 ms}, "
              "abs: {pad: {thickness: 1 mm, modulus: 2 MPa, poisson: 0.3}}}"),
         NULL);
    const gmc_surface_law *law = law_of(r.input.model, "rubber", "abs");
    double a = 3e-9, b = 1e-3 / 2e6 * 1.3 * 0.4 / 0.7, shear = 2 * 3e-9 + 2.6 * 0.5e-9;
    ASSERT_NEAR_RELATIVE(law->extra->pad, 1 / (a + b), 1e-14);
    ASSERT_NEAR_RELATIVE(law->extra->pad_shear, (a + b) / shear, 1e-14);
    ASSERT_NEAR_RELATIVE(law->extra->pad_edge, 4e-3, 1e-14);
    // 3 mm of rubber are at their bottom under 0.8 MPa, the other layer under 2.2
    ASSERT_NEAR_RELATIVE(law->extra->pad_soft, 3e-3 * (a + b) / a, 1e-14);
    ASSERT_NEAR_RELATIVE(law->extra->pad_firm, 1 / b - 1 / (a + b), 1e-13);
    ASSERT_NEAR_RELATIVE(law->extra->pad_firm_at, 0.8e6 * (a + b), 1e-14);
    ASSERT_NEAR_RELATIVE(law->relaxation, (a * 4e-3 + b * 1e-3) / (a + b), 1e-14);
    assert_string_equal(r.input.model->surfaces[law->extra->pad_surface], "rubber"); // the softer
    law = law_of(r.input.model, "rubber", "wood");
    assert_string_equal(r.input.model->surfaces[law->extra->pad_surface], "rubber");
    ASSERT_NEAR_RELATIVE(law->extra->pad, 1 / a, 1e-14);
    assert_true(law->extra->pad_soft == 0);
    assert_true(law->extra->pad_firm == 0); // one layer
    play(&r, plain(), NULL);
    assert_null(law_of(r.input.model, "rubber", "abs")->extra);
    gmc_rolling_close(&r);
}

// ---- where things start ------------------------------------------------------------------------

static gmc_pose start_of(const gmc_rolling *r, const char *name)
{
    return gmc_rolling_pose(r, 0, gmc_rolling_body(r, name));
}

static gmc_vec3 tool_start(const gmc_rolling *r)
{
    gmc_pose X = start_of(r, "hand");
    return gmc_pose_apply(&X, (gmc_vec3){0, 0, -0.045});
}

// The hand goes to where the object is believed to be, which chance does not tell and a decision
// does.
static void the_hand_goes_to_the_believed_pose(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r, with(REST, "uncertain:\n  object.pose.x: nominal + uniform(5 mm, 6 mm)"), NULL);
    assert_in_range((long)(1e6 * start_of(&r, "object").p.x), 5000, 6000);
    ASSERT_NEAR(tool_start(&r).x, 0, 1e-17);
    ASSERT_NEAR(tool_start(&r).z, 0.03, 1e-16);

    play(&r, with(REST, "study: {vary: {object.pose.x: [0.02, 0.04]}}"), NULL);
    gmc_rolling_run(&r, 1);
    ASSERT_NEAR(start_of(&r, "object").p.x, 0.04, 1e-17);
    ASSERT_NEAR(tool_start(&r).x, 0.04, 1e-16);

    // a target turned and shifted in the object's frame, itself turned
    play(&r,
         with(REST, "uncertain:\n  object.box.z: uniform(70 mm, 72 mm)\n  hand.target.y: nominal + "
                    "uniform(1 mm, 2 mm)"),
         "object.pose.yaw=90 deg");
    gmc_vec3 tool = tool_start(&r);
    ASSERT_NEAR(tool.z, 0.03, 1e-16);                   // the believed size, not the true one
    assert_in_range((long)(-1e6 * tool.x), 1000, 2000); // chance in the hand's target is real
    ASSERT_NEAR(start_of(&r, "hand").R.m[0], 0, 1e-15);
    gmc_rolling_close(&r);
}

// A mounted hand goes to the same place, and is a part of the world there.
static void a_mounted_hand_never_moves(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char DRIVEN[] = "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, target: "
                                 "{x: 3 mm, roll: 170 deg}}";
    static const char MOUNTED[] = "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, target: "
                                  "{x: 3 mm, roll: 170 deg}, mount: fixed}";
    play(&r, with(HAND, DRIVEN), "object.pose.yaw=30 deg");
    gmc_pose driven = start_of(&r, "hand");
    assert_int_equal(r.input.model->dof_count - r.input.model->free_count, 6);
    play(&r, with(HAND, MOUNTED), "object.pose.yaw=30 deg");
    gmc_pose start = start_of(&r, "hand"),
             end = gmc_rolling_pose(&r, r.trajectory.row_count - 1, gmc_rolling_body(&r, "hand"));
    for (int i = 0; i < 9; i++) { // rounding of the quaternions that are recorded
        ASSERT_NEAR(start.R.m[i], driven.R.m[i], 1e-15);
        ASSERT_NEAR(end.R.m[i], start.R.m[i], 0);
    }
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(start.p, driven.p)), 0, 1e-16);
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(end.p, start.p)), 0, 0);
    assert_int_equal(r.input.model->dof_count, r.input.model->free_count);
    assert_int_equal(r.input.program->base_body, -1);
    gmc_rolling_close(&r);
}

// Of what is set down with a height the topmost surface at or below that counts, not one above.
static void things_rest_on_the_board_below_their_height(void **state)
{
    (void)state;
    static const struct {
        const char *height; // in the pose
        double rests;
    } CASES[] = {{"", 0.93}, // the topmost
                 {", z: 2", 0.93},
                 {", z: 0.91", 0.93}, // at the surface
                 {", z: 0.9099", 0.53},
                 {", z: 0.56", 0.53}, // in between: with 30 mm above the board, and with less
                 {", z: 0.51", 0.53},
                 {", z: 0.5099", 0.02}, // nothing at or below: height 0
                 {", z: -1", 0.02}};
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        for (int way = 0; way < 3; way++) { // the file, --set, chance
            char text[1024], set[64] = "";
            const char *z = way == 0 ? CASES[i].height : "";
            double height = CASES[i].height[0] ? atof(CASES[i].height + 5) : 0;
            snprintf(text, sizeof text,
                     "graspmc: 1\nobject: {sphere: {radius: 2 cm}, mass: 0.1 kg, surface: s,\n"
                     "         placed: resting, pose: {x: 0.2%s}}\n"
                     "scene:\n  shelf: {box: [1 m, 1 m, 2 cm], surface: s, pose: {z: 0.5},\n"
                     "          parts: {top: {box: [1 m, 1 m, 2 cm], pose: {z: 0.4}}}}\n"
                     "friction: {s/s: 2}\nprogram: [{hold: {for: 2 ms}}]\n"
                     "success: {at_end: ['moved(object) <= 1 m']}\n%s%.6g%s",
                     z, way == 2 && CASES[i].height[0] ? "uncertain:\n  object.pose.z: " : "# ",
                     height, " m\n");
            snprintf(set, sizeof set, "object.pose.z=%.6g m", height);
            bool is_set = way == 1 && CASES[i].height[0];
            gmc_rolling_play(&r, text, is_set ? (const char *[]){set, NULL} : NULL);
            double found = start_of(&r, "object").p.z;
            if (fabs(found - CASES[i].rests) > 1e-15)
                fail_msg("%s by way %d: %.17g", CASES[i].height, way, found);
        }
    gmc_rolling_close(&r);
}

static double rest_height(gmc_rolling *r, const char *object, const char *scene)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "graspmc: 1\nobject: {%s, mass: 0.1 kg, surface: s, placed: resting}\nscene: {%s}\n"
             "friction: {s/s: 2}\nprogram: [{hold: {for: 50 ms}}]\n"
             "success: {at_end: ['moved(object) <= 10 um']}\n",
             object, scene);
    gmc_rolling_play(r, text, NULL);
    return start_of(r, "object").p.z;
}

// Where it is placed it stays: nothing falls, nothing jumps.
static void assert_stays(const gmc_rolling *r)
{
    assert_int_equal(r->result.outcome, GMC_OUTCOME_SUCCESS);
}

static void things_rest_on_what_is_below(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "cube.obj", CUBE);
    static const char TABLE[] = "t: {plane: {height: 20 mm}, surface: s, pose: {z: 30 mm}}";
    ASSERT_NEAR(rest_height(&r, "box: [4 cm, 4 cm, 6 cm]", TABLE), 0.08, 1e-16);
    assert_stays(&r);
    ASSERT_NEAR(rest_height(&r, "sphere: {radius: 1 cm}", TABLE), 0.06, 1e-16);
    assert_stays(&r);
    ASSERT_NEAR(rest_height(&r, "mesh: cube.obj, scale: 1 mm, pose: {x: 1}", TABLE), 0.05, 1e-16);
    assert_stays(&r);
    // lying on its side
    ASSERT_NEAR(
        rest_height(&r, "capsule: {radius: 1 cm, length: 5 cm}, pose: {pitch: 90 deg}", TABLE),
        0.06, 1e-16);
    assert_stays(&r);
    // turned about two axes: on a corner, which does not stay
    double half = 0.02 * sqrt(3.0);
    ASSERT_NEAR(
        rest_height(&r, "box: [4 cm, 4 cm, 4 cm], pose: {roll: 45 deg, pitch: 0.6154797086703873}",
                    TABLE),
        0.05 + half, 1e-15);
    // on a box of the scene, over the table beside it; a box turned about z counts where it is
    static const char BLOCK[] =
        "t: {plane: {}, surface: s}, b: {box: [10 cm, 10 cm, 8 cm], surface: s, pose: {z: 4 cm, "
        "yaw: 45 deg}}";
    ASSERT_NEAR(rest_height(&r, "sphere: {radius: 1 cm}, pose: {x: 4 cm}", BLOCK), 0.09, 1e-16);
    assert_stays(&r);
    ASSERT_NEAR(rest_height(&r, "sphere: {radius: 1 cm}, pose: {x: 6 cm, y: 6 cm}", BLOCK), 0.01,
                1e-16);
    assert_stays(&r);
    // on a mesh, on a lying cylinder, without anything
    ASSERT_NEAR(rest_height(&r, "sphere: {radius: 1 cm}, pose: {x: 2 cm, y: 2 cm}",
                            "m: {mesh: cube.obj, scale: 1 mm, surface: s}"),
                0.07, 1e-16);
    assert_stays(&r);
    ASSERT_NEAR(
        rest_height(
            &r, "box: [1 cm, 1 cm, 1 cm]",
            "c: {cylinder: {radius: 3 cm, length: 1 m}, surface: s, pose: {pitch: 90 deg}}"),
        0.035, 1e-16);
    assert_stays(&r);
    ASSERT_NEAR(rest_height(&r, "sphere: {radius: 1 cm}, pose: {z: 1 m}",
                            "c: {capsule: {radius: 3 cm, length: 10 cm}, surface: s}"),
                0.09, 1e-15);
    assert_stays(&r);
    gmc_rolling_close(&r);
}

// A box with the slope of its ramp touches all of it: the friction of 2 holds it there.
static void things_rest_on_slopes(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    const char *const ramps[] = {
        "t: {plane: {}, surface: s, pose: {pitch: 0.3 rad}}",
        "t: {box: [1 m, 1 m, 10 cm], surface: s, pose: {x: -14.776010333066977 mm, z: "
        "-47.76682445628030 mm, pitch: 0.3 rad}}"};
    for (int i = 0; i < 2; i++) {
        double z =
            rest_height(&r, "box: [4 cm, 4 cm, 2 cm], pose: {x: 5 cm, pitch: 0.3 rad}", ramps[i]);
        // the plane through the origin with the normal (sin, 0, cos): 10 mm above it
        ASSERT_NEAR(z, (0.01 - 0.05 * sin(0.3)) / cos(0.3), 1e-15);
        assert_stays(&r);
    }
    gmc_rolling_close(&r);
}

static void plane_heights_do_not_move_the_body(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r, with(SCENE, "scene: {table: {plane: {height: 70 mm}, surface: wood}}"), NULL);
    ASSERT_NEAR(start_of(&r, "table").p.z, 0, 0);
    ASSERT_NEAR(start_of(&r, "object").p.z, 0.1, 1e-16);
    gmc_rolling_close(&r);
}

// A part has a shape and a place of its own, moves nothing else, and carries the body.
static void parts_belong_to_the_body_without_mass(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char FEET[] =
        "object: {box: [40 mm, 50 mm, 60 mm], mass: 0.3 kg, surface: abs, placed: resting, parts: "
        "{ball: {sphere: {radius: 2 mm}, pose: {x: 5 mm, z: -31 mm}}}}";
    // lengths of centimetres: 1e-15 is a few of their roundings
    static const char *const SETS[] = {"object.parts.ball.sphere.radius=4 mm",
                                       "object.parts.ball.pose.x=6 mm", NULL};
    gmc_rolling_play(&r, plain(), NULL);
    gmc_inertia alone = object_of(&r)->inertia;
    for (int changed = 0; changed < 2; changed++) {
        gmc_rolling_play(&r, with(OBJECT, FEET), changed ? SETS : NULL);
        const gmc_body *body = object_of(&r);
        assert_memory_equal(&body->inertia, &alone, sizeof alone);
        const gmc_geom *ball = NULL;
        for (int g = 0; g < r.input.model->geom_count; g++)
            if (strcmp(r.input.model->geoms[g].name, "object#1") == 0)
                ball = &r.input.model->geoms[g];
        assert_non_null(ball);
        assert_int_equal(ball->shape.type, GMC_SHAPE_SPHERE);
        double radius = changed ? 4e-3 : 2e-3;
        ASSERT_NEAR(ball->shape.radius, radius, 1e-15);
        ASSERT_NEAR(ball->X_bg.p.x, changed ? 6e-3 : 5e-3, 1e-15);
        ASSERT_NEAR(ball->X_bg.p.z, -31e-3, 1e-15);
        ASSERT_NEAR(r.input.model->q_start[body->q + 2], 31e-3 + radius, 1e-15); // on the ball
    }
    gmc_rolling_close(&r);
}

static void a_finger_gives_its_share(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char *const SETS[] = {"hand.left.share=0.5", NULL};
    static const char HALF[] = "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, joints: "
                               "{left: {share: 0.25}}}";
    gmc_rolling_play(&r, plain(), NULL);
    assert_int_equal(r.input.program->finger_count, 2);
    double left = r.input.program->fingers[0].drive, right = r.input.program->fingers[1].drive;
    gmc_rolling_play(&r, with(HAND, HALF), NULL);
    ASSERT_NEAR(r.input.program->fingers[0].drive, 0.25 * left, 0);
    ASSERT_NEAR(r.input.program->fingers[1].drive, right, 0);
    gmc_rolling_play(&r, with(HAND, HALF), SETS);
    ASSERT_NEAR(r.input.program->fingers[0].drive, 0.5 * left, 0);
    gmc_rolling_close(&r);
}

int test_build(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_located),
        cmocka_unit_test(what_cannot_move_the_hand_says_so),
        cmocka_unit_test(self_collision_has_a_limit),
        cmocka_unit_test(forces_beyond_the_drive_are_warned_of),
        cmocka_unit_test(programs_beyond_the_time_limit_are_warned_of),
        cmocka_unit_test(given_inertias_that_contradict_the_shape_are_warned_of),
        cmocka_unit_test(mass_size_and_density_make_the_inertia),
        cmocka_unit_test(a_mesh_is_weighed_and_scaled),
        cmocka_unit_test(two_default_surfaces_make_the_law_of_the_stepper),
        cmocka_unit_test(coefficients_of_a_pair_reach_the_law),
        cmocka_unit_test(visco_elastic_settings_reach_the_stepper),
        cmocka_unit_test(pads_reach_the_law),
        cmocka_unit_test(the_hand_goes_to_the_believed_pose),
        cmocka_unit_test(a_mounted_hand_never_moves),
        cmocka_unit_test(things_rest_on_what_is_below),
        cmocka_unit_test(things_rest_on_the_board_below_their_height),
        cmocka_unit_test(things_rest_on_slopes),
        cmocka_unit_test(plane_heights_do_not_move_the_body),
        cmocka_unit_test(parts_belong_to_the_body_without_mass),
        cmocka_unit_test(a_finger_gives_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
