// Candidate grasps of a scenario: where the hand is put, which cases there are, what mistakes are
// told, and that what is written is read back as the same.
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/writing/write_grasps.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <stdlib.h>
#include <string.h>

#define REST                                                                                       \
    "hand: {urdf: coupled.urdf, frame: tcp, surface: rubber}\n"                                    \
    "friction: {rubber/abs: 0.5}\n"                                                                \
    "program: [{close: {force: 10 N, for: 0.1 s}}]\n"                                              \
    "success: {at_end: [lift(object) >= -1 m]}\n"
#define OBJECT "{box: [40 mm, 40 mm, 40 mm], mass: 0.3 kg, surface: abs, pose: {z: 1 m}"

static const char ISAAC[] =
    "format: isaac_grasp\nformat_version: 1.0\nobject_frame: box\ngripper_frame: base\ngrasps:\n"
    "  above:\n    confidence: 0.5\n    position: [0, 0, 0.065]\n"
    "    orientation: {w: 1, xyz: [0, 0, 0]}\n"
    "    cspace_position: {left: 0.02, right: 0.02}\n"
    "    pregrasp_cspace_position: {left: 0.01, right: 0.01}\n"
    "  beside:\n    confidence: 0.25\n    position: [-0.045, 0, 0.01]\n"
    "    orientation: {w: 0.7071067811865476, xyz: [0, -0.7071067811865476, 0]}\n"
    "  far:\n    position: [0, 0, 0.5]\n    orientation: {w: 0, xyz: [0.6, 0.8, 0]}\n"
    "    cspace_position: {left: 0.03}\n";

static const char TABLE[] = "hand.target.x [mm],object.mass,confidence\n1,0.2,0.9\n2,0.4,0.8\n";

static void open_with_files(gmc_rolling *r)
{
    gmc_rolling_open(r);
    gmc_scratch_text(&r->scratch, "box.yaml", ISAAC);
    gmc_scratch_text(&r->scratch, "box.csv", TABLE);
}

static double value_of(const gmc_scenario *s, const double *values, const char *path)
{
    gmc_param param = gmc_scenario_find(s, path);
    assert_true(param >= 0);
    return values[param];
}

// ---- where the hand is ------------------------------------------------------------------------

// Pose of hand.frame in the object's frame for a case.
static gmc_pose target_of(const gmc_scenario *s, int64_t c)
{
    double values[1000];
    assert_true(s->parameter_count < 1000);
    gmc_perturb_believed(s, c, values);
    gmc_vec3 p = {value_of(s, values, "hand.target.x"), value_of(s, values, "hand.target.y"),
                  value_of(s, values, "hand.target.z")};
    return gmc_pose_make(gmc_quat_from_rpy(value_of(s, values, "hand.target.roll"),
                                           value_of(s, values, "hand.target.pitch"),
                                           value_of(s, values, "hand.target.yaw")),
                         p);
}

static void assert_pose(gmc_pose found, gmc_quat q, gmc_vec3 p)
{
    gmc_pose expected = gmc_pose_make(q, p);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(found.R.m[i], expected.R.m[i], 1e-15); // rounding of a dozen products
    ASSERT_NEAR(found.p.x, expected.p.x, 1e-15);
    ASSERT_NEAR(found.p.y, expected.p.y, 1e-15);
    ASSERT_NEAR(found.p.z, expected.p.z, 1e-15);
}

static void a_file_places_the_link_that_is_named(void **state)
{
    (void)state;
    gmc_rolling r;
    open_with_files(&r);
    const char *text = "graspmc: 1\nobject: " OBJECT ", grasps: {file: box.yaml, frame: base}}\n"
                       "study: {vary: [grasp], draws: 2}\n" REST;
    gmc_rolling_prepare(&r, text, NULL);
    const gmc_scenario *s = &r.prepared.scenario;
    assert_int_equal(s->case_count, 3);
    // coupled.urdf has tcp 45 mm below its base
    gmc_quat q = {0.7071067811865476, 0, -0.7071067811865476, 0};
    assert_pose(target_of(s, 0), gmc_quat_identity(), (gmc_vec3){0, 0, 0.02});
    assert_pose(target_of(s, 1), q, (gmc_vec3){0, 0, 0.01}); // base's -z is the object's +x
    assert_pose(target_of(s, 2), (gmc_quat){0, 0.6, 0.8, 0}, (gmc_vec3){0, 0, 0.545});
    gmc_rolling_close(&r);
}

static void frames_between_are_taken_into_account(void **state)
{
    (void)state;
    gmc_rolling r;
    open_with_files(&r);
    const char *text = "graspmc: 1\nobject: " OBJECT
                       ", grasps: {file: box.yaml, gripper: {z: 10 mm, yaw: 90 deg}, "
                       "object: {x: 5 mm, yaw: 180 deg}}}\nstudy: {vary: [grasp]}\n" REST;
    gmc_rolling_prepare(&r, text, NULL);
    // turned by 180 deg and back by 90 deg about z; 10 mm below where the file says, 5 mm beside
    gmc_quat half = gmc_quat_from_rpy(0, 0, GMC_PI / 2);
    assert_pose(target_of(&r.prepared.scenario, 0), half, (gmc_vec3){0.005, 0, 0.055});
    gmc_rolling_close(&r);
}

static void joints_start_as_the_file_says(void **state)
{
    (void)state;
    static const struct {
        const char *joints;
        double start[3];
    } WAYS[] = {{"open", {0.01, 0, 0.03}}, {"closed", {0.02, 0, 0.03}}, {"none", {0, 0, 0}}};
    for (int i = 0; i < GMC_COUNT(WAYS); i++) {
        gmc_rolling r;
        char text[2000];
        double values[1000];
        open_with_files(&r);
        snprintf(text, sizeof text,
                 "graspmc: 1\nobject: " OBJECT
                 ", grasps: {file: box.yaml, frame: base, joints: %s}}\n"
                 "study: {vary: [grasp]}\n" REST,
                 WAYS[i].joints);
        gmc_rolling_prepare(&r, text, NULL);
        for (int c = 0; c < 3; c++) {
            gmc_perturb_believed(&r.prepared.scenario, c, values);
            assert_true(value_of(&r.prepared.scenario, values, "hand.left.start") ==
                        WAYS[i].start[c]);
        }
        gmc_rolling_close(&r);
    }
}

// ---- cases ------------------------------------------------------------------------------------

static const char SEVERAL[] =
    "graspmc: 1\nobjects:\n"
    "  a: " OBJECT ", grasps: {file: box.yaml, frame: base, where: confidence > 0.3}}\n"
    "  b: " OBJECT ", grasps: box.csv}\n"
    "  c: " OBJECT ", grasps: {file: box.yaml, frame: base, first: 2}}\n"
    "study: {vary: {object: [c, a, b], friction.rubber/abs: [0.3, 0.6], grasp: all}, draws: 4}\n"
    "uncertain: {hand.target.y: \"nominal + uniform(0 mm, 1 mm)\"}\n" REST;

static void cases_are_a_table_of_all_grasps(void **state)
{
    (void)state;
    gmc_rolling r;
    open_with_files(&r);
    gmc_rolling_prepare(&r, SEVERAL, NULL);
    const gmc_scenario *s = &r.prepared.scenario;
    static const int OBJECTS[] = {2, 2, 0, 1, 1}, GRASPS[] = {0, 1, 0, 0, 1};
    assert_int_equal(s->case_count, 10);
    for (int c = 0; c < 10; c++) {
        double values[1000];
        int index = -1;
        const gmc_grasp_set *set = gmc_study_grasp_set(s, c, &index);
        assert_int_equal(gmc_study_object(s, c), OBJECTS[c / 2]);
        assert_int_equal(index, GRASPS[c / 2]);
        assert_ptr_equal(set, s->objects[OBJECTS[c / 2]].grasps);
        gmc_perturb_believed(s, c, values);
        assert_true(value_of(s, values, "friction.rubber/abs") == (c % 2 ? 0.6 : 0.3));
        // what the grasps of one object set is nominal for the others
        assert_true(value_of(s, values, "objects.b.mass") == (c < 6 ? 0.3 : c < 8 ? 0.2 : 0.4));
        assert_true(value_of(s, values, "objects.a.mass") == 0.3);
        if (c >= 6) assert_true(value_of(s, values, "hand.target.x") == (c < 8 ? 0.001 : 0.002));
        if (c >= 6) assert_true(value_of(s, values, "hand.left.start") == 0);
        if (c < 2) assert_true(value_of(s, values, "hand.left.start") == 0.01);
    }
    gmc_rolling_close(&r);
}

static void uncertainty_comes_on_top(void **state)
{
    (void)state;
    gmc_rolling r;
    double believed[1000], values[1000];
    open_with_files(&r);
    gmc_rolling_prepare(&r, SEVERAL, NULL);
    const gmc_scenario *s = &r.prepared.scenario;
    for (int c = 0; c < 10; c++) {
        gmc_perturb_believed(s, c, believed);
        assert_int_equal(gmc_perturb_values(s, c, 3, values, NULL), GMC_OK);
        double more = value_of(s, values, "hand.target.y") - value_of(s, believed, "hand.target.y");
        assert_true(more >= 0);
        assert_true(more <= 1e-3 + 1e-17);
        assert_true(value_of(s, values, "hand.target.z") == value_of(s, believed, "hand.target.z"));
    }
    gmc_rolling_close(&r);
}

// ---- mistakes ---------------------------------------------------------------------------------

#define ONE(grasps)                                                                                \
    "graspmc: 1\nobject: " OBJECT ", grasps: " grasps "}\nstudy: {vary: [grasp]}\n" REST

static void mistakes_are_told_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } LIST[] = {
        {ONE("no.yaml"), "scenario.yaml:2:"},
        {ONE("{file: box.yaml, frame: bsae}"), "the hand has no link bsae"},
        {ONE("{file: box.yaml, frame: left_finger}"), "left_finger moves against hand.frame (tcp)"},
        {ONE("{file: box.yaml, where: confidence > 2}"), "none of 3 grasps fulfils this"},
        {ONE("{file: box.yaml, where: quality > 2}"), "quality"},
        {ONE("{file: box.yaml, where: x > 2 s}"), "x"},
        {ONE("{file: joint.yaml}"), "joint.yaml:7:23: error: the hand has no joint thumb"},
        {ONE("{file: fixed.yaml}"),
         "fixed.yaml:7:23: error: joint tcp_mount has no start: it does not move"},
        {ONE("{file: limit.yaml}"),
         "limit.yaml:7:29: error: joint left moves between 0 and 0.04, not to 4"},
        {ONE("{file: box.yaml, format: graspgen}"), "this is not GraspGen's JSON"},
        {ONE("path.csv"), "path.csv:1:15: error: unknown parameter object.nose"},
        {ONE("twice.csv"),
         "twice.csv:1:21: error: friction.abs/rubber is decided by another column"},
        {ONE("unit.csv"),
         "unit.csv:1:1: error: hand.target.x [kg] has a wrong unit: a length is expected"},
        {ONE("range.csv"), "range.csv:3: error: object.mass cannot be -1"},
        {ONE("only.csv"), "only.csv:1: error: this table decides nothing"},
        {"graspmc: 1\nobject: " OBJECT ", grasps: box.csv}\n" REST,
         "object.grasps: which of the grasps a trial tries is not said"},
        {"graspmc: 1\nobject: " OBJECT "}\nstudy: {vary: [grasp]}\n" REST,
         "object has no grasps to vary"},
        {"graspmc: 1\nobject: " OBJECT ", grasps: box.csv}\n"
         "study: {vary: {grasp: all, hand.target.x: [1 mm]}}\n" REST,
         "hand.target.x is varied here and decided by the grasps too"},
        {"graspmc: 1\nobject: " OBJECT ", grasps: box.csv}\nstudy: {vary: {grasp: [1, 2]}}\n" REST,
         "study.vary.grasp: expected all"},
        {"graspmc: 1\nobject: " OBJECT "}\nscene: {table: {box: [1 m, 1 m, 1 m], surface: abs, "
         "grasps: box.csv}}\n" REST,
         "scene.table.grasps: only objects are grasped"},
    };
#define HEADED                                                                                     \
    "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a:\n    position: [0, 0, 0]\n"           \
    "    orientation: {w: 1, xyz: [0, 0, 0]}\n"
    gmc_rolling r;
    open_with_files(&r);
    gmc_scratch_text(&r.scratch, "joint.yaml", HEADED "    cspace_position: {thumb: 1}\n");
    gmc_scratch_text(&r.scratch, "fixed.yaml", HEADED "    cspace_position: {tcp_mount: 1}\n");
    gmc_scratch_text(&r.scratch, "limit.yaml", HEADED "    cspace_position: {left: 4}\n");
    gmc_scratch_text(&r.scratch, "path.csv", "hand.target.x,object.nose\n1,2\n");
    gmc_scratch_text(&r.scratch, "twice.csv", "friction.rubber/abs,friction.abs/rubber\n0.1,0.2\n");
    gmc_scratch_text(&r.scratch, "unit.csv", "hand.target.x [kg]\n1\n");
    gmc_scratch_text(&r.scratch, "range.csv", "object.mass\n1\n-1\n");
    gmc_scratch_text(&r.scratch, "only.csv", "confidence\n1\n");
    for (int i = 0; i < GMC_COUNT(LIST); i++) {
        gmc_rolling_try(&r, LIST[i].text, NULL);
        if (r.status == GMC_OK || !strstr(r.said, LIST[i].said)) {
            print_error("%s\nexpected %s\nsaid %s\n", LIST[i].text, LIST[i].said, r.said);
            fail();
        }
    }
    gmc_rolling_close(&r);
}

// ---- writing ----------------------------------------------------------------------------------

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    gmc_rolling first, again;
    open_with_files(&first);
    char *written = NULL;
    gmc_rolling_prepare(&first, ONE("{file: box.yaml, frame: base}"), NULL);
    const gmc_scenario *s = &first.prepared.scenario;
    const gmc_grasps_choice choices[] = {{2, 0.875}, {0, 0.1}, {1, NAN}};
    assert_int_equal(gmc_write_grasps(s, choices, 3, 0, GMC_GRASPS_ISAAC, &written), GMC_OK);

    open_with_files(&again);
    gmc_scratch_text(&again.scratch, "best.yaml", written);
    gmc_rolling_prepare(&again, ONE("{file: best.yaml, frame: base}"), NULL);
    const gmc_scenario *t = &again.prepared.scenario;
    const gmc_grasp_set *set = t->objects[0].grasps;
    assert_int_equal(t->case_count, 3);
    assert_string_equal(set->grasps.object_frame, "box");
    assert_string_equal(set->grasps.gripper_frame, "base");
    for (int i = 0; i < 3; i++) {
        double a[1000], b[1000];
        gmc_perturb_believed(s, choices[i].case_index, a);
        gmc_perturb_believed(t, i, b);
        assert_memory_equal(a, b, (size_t)s->parameter_count * sizeof *a);
        const gmc_grasp *grasp = &set->grasps.list[i];
        assert_string_equal(grasp->name,
                            s->objects[0].grasps->grasps.list[choices[i].case_index].name);
        assert_true(i == 2 ? isnan(grasp->confidence) : grasp->confidence == choices[i].confidence);
    }
    free(written);
    gmc_rolling_close(&again);

    // as a table of paths it needs no frame, for its target is that of hand.frame
    assert_int_equal(gmc_write_grasps(s, choices, 3, 0, GMC_GRASPS_CSV, &written), GMC_OK);
    open_with_files(&again);
    gmc_scratch_text(&again.scratch, "best.csv", written);
    gmc_rolling_prepare(&again, ONE("best.csv"), NULL);
    for (int i = 0; i < 3; i++) {
        double a[1000], b[1000];
        gmc_perturb_believed(s, choices[i].case_index, a);
        gmc_perturb_believed(&again.prepared.scenario, i, b);
        assert_memory_equal(a, b, (size_t)s->parameter_count * sizeof *a);
    }
    free(written);
    gmc_rolling_close(&again);
    gmc_rolling_close(&first);
}

static void each_object_has_its_file(void **state)
{
    (void)state;
    gmc_rolling r;
    char *text = NULL, *name = NULL;
    open_with_files(&r);
    gmc_rolling_prepare(&r, SEVERAL, NULL);
    const gmc_scenario *s = &r.prepared.scenario;
    const gmc_grasps_choice choices[] = {{9, 0.5}, {1, 0.25}, {0, 0.125}};
    assert_int_equal(gmc_write_grasps(s, choices, 3, 2, GMC_GRASPS_ISAAC, &text), GMC_OK);
    assert_non_null(strstr(text, "\"above_case_1\":\n    confidence: 0.25\n"));
    assert_non_null(strstr(text, "\"above_case_0\":\n    confidence: 0.125\n"));
    assert_null(strstr(text, "case_9"));
    free(text);
    // a case that is no pose of a file is written as the pose of hand.frame, by its name in the
    // table
    assert_int_equal(gmc_write_grasps(s, choices, 3, 1, GMC_GRASPS_ISAAC, &text), GMC_OK);
    assert_non_null(strstr(text, "gripper_frame: \"tcp\"\n"));
    assert_non_null(
        strstr(text, "\"grasp_1_case_9\":\n    confidence: 0.5\n    position: [0.002, 0, 0]\n"));
    assert_non_null(strstr(text, "    pregrasp_cspace_position:\n      \"left\": 0\n"));
    free(text);
    assert_int_equal(gmc_write_grasps(s, choices, 3, 0, GMC_GRASPS_ISAAC, &text), GMC_E_MISSING);
    assert_null(text);
    assert_int_equal(gmc_write_grasps_file(s, 1, "out/best.yaml", &name), GMC_OK);
    assert_string_equal(name, "out/best.b.yaml");
    free(name);
    assert_int_equal(gmc_grasps_style_of("a.csv"), GMC_GRASPS_CSV);
    assert_int_equal(gmc_grasps_style_of("a.yaml"), GMC_GRASPS_ISAAC);
    gmc_rolling_close(&r);
}

int test_grasp_set(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_places_the_link_that_is_named),
        cmocka_unit_test(frames_between_are_taken_into_account),
        cmocka_unit_test(joints_start_as_the_file_says),
        cmocka_unit_test(cases_are_a_table_of_all_grasps),
        cmocka_unit_test(uncertainty_comes_on_top),
        cmocka_unit_test(mistakes_are_told_where_they_are),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(each_object_has_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
