// Files of grasps in every format: what is read, and what each kind of mistake is told, with its
// place. The files are ours.
#include "sampling/grasps/grasps.h"
#include "test/support/near.h"

#include <hdf5.h>

#include <stdint.h>
#include <string.h>

typedef struct taken {
    gmc_grasps grasps;
    gmc_diagnostics report;
    gmc_status status;
    char said[8192];
} taken;

static void take_bytes(taken *t, const char *file, const void *bytes, size_t size)
{
    *t = (taken){0};
    t->status = gmc_grasps_format_read(NULL, file, bytes, size, &t->report, &t->grasps);
    size_t used = 0;
    for (int i = 0; i < t->report.count && used < sizeof t->said - 400; i++) {
        const gmc_diagnostic *m = &t->report.items[i];
        used += (size_t)snprintf(t->said + used, sizeof t->said - used, "%s:%d:%d: %s\n",
                                 m->source.file, m->source.line, m->source.column, m->message);
    }
}

static void take(taken *t, const char *file, const char *text)
{
    take_bytes(t, file, text, strlen(text));
}

static void drop(taken *t)
{
    gmc_grasps_free(&t->grasps);
    gmc_diagnostics_free(&t->report);
}

static void expect_good(taken *t, const char *file, const char *text, int count)
{
    take(t, file, text);
    if (t->status != GMC_OK) print_error("%s", t->said);
    assert_int_equal(t->status, GMC_OK);
    assert_int_equal(t->report.count, 0);
    assert_int_equal(t->grasps.count, count);
}

/// A file, and a part of what must be said of it: "line:column: message".
typedef struct mistake {
    const char *file, *text, *said;
} mistake;

static void expect_mistakes(const mistake *list, int count)
{
    for (int i = 0; i < count; i++) {
        taken t;
        char place[400];
        take(&t, list[i].file, list[i].text);
        snprintf(place, sizeof place, "%s:%s", list[i].file, list[i].said);
        if (t.status != GMC_E_INPUT || !strstr(t.said, place)) {
            print_error("%s\nexpected %s\nsaid %s\n", list[i].text, place, t.said);
            fail();
        }
        drop(&t);
    }
}

// ---- isaac_grasp ------------------------------------------------------------------------------

#define HEAD  "format: isaac_grasp\nformat_version: 1.0\n"
#define POSE  "position: [0.1, -0.2, 3e-1], orientation: {w: 0.6, xyz: [0, 0.8, 0]}"
#define GRASP HEAD "grasps:\n  a: {" POSE "}\n"

static void both_dialects_of_isaac_grasp(void **state)
{
    (void)state;
    static const char *const FRAMES[] = {
        "object_frame: /World/mug\ngripper_frame: hand\n",
        "object_frame_link: /World/mug\ngripper_frame_link: hand\n",
        "object_frame: /World/mug\nobject_frame_link: /World/mug\ngripper_frame: hand\n",
    };
    for (int i = 0; i < GMC_COUNT(FRAMES); i++) {
        taken t;
        char text[1000];
        snprintf(text, sizeof text, HEAD "%s%s", FRAMES[i],
                 "created_with: {tool: [1, 2]}\nobject_scale: 0.5\n"
                 "grasps:\n  \"first one\":\n    confidence: 0.75\n    "
                 "position: [1, 2, 3]\n"
                 "    orientation: {xyz: [0, 0.8, 0], w: 0.6}\n"
                 "    cspace_position: {left: 0.01, right: 0.02}\n"
                 "    pregrasp_cspace_position: {left: 0.03}\n    bite_point: [0, 0]\n"
                 "  b: {" POSE "}\n");
        expect_good(&t, "g.yaml", text, 2);
        const gmc_grasp *g = t.grasps.list;
        assert_string_equal(t.grasps.format, "isaac_grasp");
        assert_string_equal(t.grasps.object_frame, "/World/mug");
        assert_string_equal(t.grasps.gripper_frame, "hand");
        assert_true(t.grasps.object_scale == 0.5);
        assert_true(t.grasps.has_poses);
        assert_string_equal(g[0].name, "first one");
        assert_true(g[0].confidence == 0.75);
        assert_true(isnan(g[1].confidence));
        assert_true(g[0].position[2] == 3);
        assert_true(g[1].position[0] == 0.1);
        assert_true(g[0].rotation[0] == 0.6);
        assert_true(g[0].rotation[2] == 0.8);
        assert_int_equal(g[0].entry_count, 3);
        assert_int_equal(g[1].entry_count, 0);
        const gmc_grasp_entry *e = t.grasps.entries;
        assert_true(e[0].kind == GMC_GRASP_CLOSED);
        assert_true(e[0].value == 0.01);
        assert_true(e[2].kind == GMC_GRASP_OPEN);
        assert_true(e[2].value == 0.03);
        assert_true(e[2].name == e[0].name);
        assert_string_equal(t.grasps.names[e[1].name].text, "right");
        drop(&t);
    }
}

static void isaac_grasp_as_json(void **state)
{
    (void)state;
    taken t;
    expect_good(&t, "g.json",
                "{\"format\":\"isaac_grasp\",\"format_version\":\"1.0\",\"grasps\":{\"a\":"
                "{\"position\":[1,2,3],\"orientation\":{\"w\":1,\"xyz\":[0,0,0]}}}}",
                1);
    assert_string_equal(t.grasps.format, "isaac_grasp");
    drop(&t);
}

static void few_digits_of_a_quaternion_are_made_up_for(void **state)
{
    (void)state;
    taken t;
    expect_good(&t, "g.yaml",
                HEAD "grasps: {a: {position: [0, 0, 0], "
                     "orientation: {w: 0.7071, xyz: [0, 0, 0.7071]}}}",
                1);
    const double *q = t.grasps.list[0].rotation;
    ASSERT_NEAR(q[0] * q[0] + q[3] * q[3], 1, 1e-15); // rounding
    drop(&t);
}

static void mistakes_of_isaac_grasp(void **state)
{
    (void)state;
    static const mistake LIST[] = {
        {"g.yaml", "", "0:0: the file is empty"},
        {"g.yaml", "[1]", "1:1: file of grasps: expected keys with values, found a list"},
        {"g.yaml", "grasps: {a: {" POSE "}}", "1:0: the file does not say what format it has"},
        {"g.yaml", "grasps: {a: {" POSE "}}", "1:0: the file does not say which version it has"},
        {"g.yaml", "format: moveit\nformat_version: 1.0\ngrasps: {a: {" POSE "}}",
         "1:9: another format than isaac_grasp"},
        {"g.yaml", "format: isaac_grasp\nformat_version: 2.0\ngrasps: {a: {" POSE "}}",
         "2:17: a version of isaac_grasp that is not known here"},
        {"g.yaml", HEAD, "1:0: the key grasps is missing"},
        {"g.yaml", HEAD "object_scale: -1\ngrasps: {a: {" POSE "}}",
         "3:15: object_scale: must be a finite number > 0, found -1"},
        {"g.yaml", HEAD "grasps: {}", "0:0: no grasps in this file"},
        {"g.yaml", HEAD "grasps: [1, 2]", "3:9: grasps: expected keys with values, found a list"},
        {"g.yaml", HEAD "grasps:\n  a: 3", "4:6: a: expected keys with values, found text"},
        {"g.yaml", HEAD "grasps:\n  a: {position: [1, 2, 3]}",
         "4:3: a grasp needs position and orientation"},
        {"g.yaml", HEAD "grasps:\n  a: {position: [1, 2], orientation: {w: 1, xyz: [0, 0, 0]}}",
         "4:17: position: expected 3 numbers, found 2"},
        {"g.yaml",
         HEAD "grasps:\n  a: {position: [1, 2, .nan], orientation: {w: 1, xyz: [0, 0, 0]}}",
         "4:24: position: must be finite, found .nan"},
        {"g.yaml", HEAD "grasps:\n  a: {position: [1, 2, x], orientation: {w: 1, xyz: [0, 0, 0]}}",
         "4:24: position: must be a number, found x"},
        {"g.yaml",
         HEAD "grasps:\n  a: {position: [1, 2, 3], orientation: {w: 1, xyz: [0, 0, 0.1]}}",
         "4:41: the quaternion of a has length 1.00499, not 1"},
        {"g.yaml",
         HEAD "grasps:\n  a: {position: [1, 2, 3], orientation: {w: 1, x: 0, y: 0, z: 0}}",
         "4:41: orientation: w and xyz are needed"},
        {"g.yaml", HEAD "grasps:\n  a: {" POSE ", confidence: high}",
         "confidence: must be a number, found high"},
        {"g.yaml", HEAD "grasps:\n  a: {" POSE ", cspace_position: {j: [1, 2]}}",
         "cspace_position: expected text, found a list"},
        {"g.yaml", HEAD "grasps:\n  a: {" POSE ", cspace_position: {j: 1, j: 2}}",
         "this joint stands here a second time"},
        {"g.yaml", HEAD "grasps:\n  a: {" POSE ", position: [0, 0, 0]}",
         "this key stands here a second time"},
        {"g.yaml", GRASP "  a: {" POSE "}\n", "5:3: two grasps are called a; the first in line 4"},
        {"g.yaml", HEAD "object_frame: a\nobject_frame_link: b\ngrasps: {a: {" POSE "}}",
         "4:20: the file names two different frames"},
        {"g.yaml", HEAD "grasps: &x {a: *x}", "aliases (*name) are not read here"},
        {"g.yaml", HEAD "grasps: {a: !!map {" POSE "}}", "tags (!...) have no meaning here"},
        {"g.yaml", HEAD "grasps: {[a]: 1}", "a key must be a word"},
        {"g.yaml", GRASP "---\nformat: isaac_grasp\n", "a second YAML document starts here"},
        {"g.yaml", HEAD "grasps: {a: {position: [1, 2", "not YAML"},
        {"g.yaml", HEAD "x: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested too deeply"},
    };
    // the place is a part of the text where it matters; some messages are looked for anywhere
    for (int i = 0; i < GMC_COUNT(LIST); i++) {
        taken t;
        take(&t, LIST[i].file, LIST[i].text);
        if (t.status != GMC_E_INPUT || !strstr(t.said, LIST[i].said)) {
            print_error("%s\nexpected %s\nsaid %s\n", LIST[i].text, LIST[i].said, t.said);
            fail();
        }
        drop(&t);
    }
}

static void all_mistakes_at_once_but_no_more_than_fifty(void **state)
{
    (void)state;
    static char text[20000];
    taken t;
    take(&t, "g.yaml",
         HEAD "grasps:\n  a: {position: [1, 2], orientation: {w: 2, xyz: [0, 0, 0]}}\n"
              "  b: {position: [1, 2, 3]}\n");
    assert_non_null(strstr(t.said, "4:17: position: expected 3 numbers, found 2"));
    assert_non_null(strstr(t.said, "the quaternion of a has length 2"));
    assert_non_null(strstr(t.said, "5:3: a grasp needs position and orientation"));
    drop(&t);
    int used = snprintf(text, sizeof text, HEAD "grasps:\n");
    for (int i = 0; i < 200; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  g%d: {position: [1]}\n", i);
    take(&t, "g.yaml", text);
    assert_int_equal(t.status, GMC_E_INPUT);
    assert_int_equal(t.report.count, 51);
    assert_non_null(strstr(t.said, "more mistakes follow; the first 50 are shown"));
    drop(&t);
}

// ---- GraspGen ---------------------------------------------------------------------------------

#define QUARTER "[[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]"
#define UNIT    "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"

static void graspgen(void **state)
{
    (void)state;
    static const char *const MARKS[] = {"[true, false]", "[1, 0]", "[[1], [0]]",
                                        "[[true], [false]]"};
    for (int i = 0; i < GMC_COUNT(MARKS); i++) {
        taken t;
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"object\": {\"file\": \"mug.obj\", \"scale\": 0.01},\n \"grasps\": "
                 "{\"object_in_gripper\": %s,\n  \"transforms\": [" QUARTER ", " UNIT "]}}",
                 MARKS[i]);
        expect_good(&t, "mug.json", text, 2);
        assert_string_equal(t.grasps.format, "graspgen");
        assert_true(t.grasps.object_scale == 0.01);
        assert_true(t.grasps.has_poses);
        assert_true(t.grasps.list[0].confidence == 1);
        assert_true(t.grasps.list[1].confidence == 0);
        assert_string_equal(t.grasps.list[1].name, "grasp_1");
        const gmc_grasp *g = t.grasps.list;
        ASSERT_NEAR(g->rotation[0], sqrt(0.5), 1e-15); // rounding
        ASSERT_NEAR(g->rotation[3], sqrt(0.5), 1e-15);
        assert_true(g->position[0] == 0.1);
        assert_true(g->position[1] == 0.2);
        assert_true(g->position[2] == 0.3);
        drop(&t);
    }
}

static void mistakes_of_graspgen(void **state)
{
    (void)state;
    static const mistake LIST[] = {
        {"g.json", "{}", "1:0: no grasps.transforms: this is not GraspGen's JSON"},
        {"g.json", "[1]", "1:1: file of grasps: expected keys with values, found a list"},
        {"g.json", "{\"grasps\": {\"transforms\": []}}", "0:0: no grasps in this file"},
        {"g.json", "{\"grasps\": {\"transforms\": [" UNIT "],\n\"object_in_gripper\": [1, 0]}}",
         "2:22: object_in_gripper has 2 values, transforms has 1"},
        {"g.json", "{\"grasps\": {\"transforms\": [[1, 2, 3]]}}",
         "1:28: transforms[0]: expected 16 numbers, found 3"},
        {"g.json",
         "{\"grasps\": {\"transforms\": [[[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, "
         "1]]]}}",
         "1:28: the matrix of grasp_0 is no rotation"},
        {"g.json",
         "{\"grasps\": {\"transforms\": [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, "
         "1]]]}}",
         "1:28: the matrix of grasp_0 is a mirror image"},
        {"g.json",
         "{\"grasps\": {\"transforms\": [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, "
         "1]]]}}",
         "1:28: the matrix of grasp_0 does not end with the row 0 0 0 1"},
        {"g.json",
         "{\"grasps\": {\"transforms\": [[[NaN, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, "
         "1]]]}}",
         "1:30: transforms[0]: must be finite, found NaN"},
        {"g.json", "{\"grasps\": {\"transforms\": [" UNIT "], \"transforms\": [" UNIT "]}}",
         "1:87: this key stands here a second time"},
        {"g.json", "{\"grasps\": {\"transforms\": [" UNIT "], \"object_in_gripper\": [\"x\"]}}",
         "1:109: object_in_gripper: must be a number, found x"},
        {"g.json", "{\"object\": {\"scale\": 0},\n\"grasps\": {\"transforms\": [" UNIT "]}}",
         "1:22: object.scale: must be a finite number > 0, found 0"},
        {"g.json", "{\"object\": {\"scale\": -0.5},\n\"grasps\": {\"transforms\": [" UNIT "]}}",
         "1:22: object.scale: must be a finite number > 0, found -0.5"},
        {"g.json", "{\"object\": {\"scale\": NaN},\n\"grasps\": {\"transforms\": [" UNIT "]}}",
         "1:22: object.scale: must be a finite number > 0, found NaN"},
        {"g.json", "{\"object\": {\"scale\": 1e999},\n\"grasps\": {\"transforms\": [" UNIT "]}}",
         "1:22: object.scale: must be a finite number > 0, found 1e999"},
    };
    expect_mistakes(LIST, GMC_COUNT(LIST));
}

static void the_nearest_rotation_is_taken(void **state)
{
    (void)state;
    // a turn of 0.3 rad about z times a symmetric matrix 1 + E: its polar factor is the turn
    double c = cos(0.3), s = sin(0.3),
           E[9] = {3e-4, 1e-4, -2e-4, 1e-4, -4e-4, 2e-4, -2e-4, 2e-4, 0};
    double R[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, m[16] = {[15] = 1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                m[4 * i + k] += R[3 * i + j] * ((j == k) + E[3 * j + k]);
    gmc_grasps grasps = {0};
    gmc_diagnostics report = {0};
    assert_int_equal(gmc_grasps_begin(&grasps, "a", 0, 0), GMC_OK);
    assert_true(gmc_grasps_matrix(&grasps, m, (gmc_source){0}, &report));
    const double *q = grasps.list[0].rotation;
    ASSERT_NEAR(q[0], cos(0.15), 1e-15); // rounding
    ASSERT_NEAR(q[1], 0, 1e-15);
    ASSERT_NEAR(q[2], 0, 1e-15);
    ASSERT_NEAR(q[3], sin(0.15), 1e-15);
    gmc_grasps_free(&grasps);
}

// ---- CSV --------------------------------------------------------------------------------------

static void tables(void **state)
{
    (void)state;
    taken t;
    expect_good(&t, "g.csv", "hand.target.x [mm],confidence,object.mass\n1,0.5,0.2\n2,0.6,0.3\n",
                2);
    assert_string_equal(t.grasps.format, "csv");
    assert_false(t.grasps.has_poses);
    assert_true(t.grasps.list[1].confidence == 0.6);
    assert_int_equal(t.grasps.list[1].line, 3);
    assert_int_equal(t.grasps.name_count, 2);
    assert_string_equal(t.grasps.names[0].text, "hand.target.x [mm]");
    assert_int_equal(t.grasps.names[1].column, 31);
    const gmc_grasp_entry *e = t.grasps.entries + t.grasps.list[1].entry;
    assert_true(e[0].value == 2);
    assert_true(e[1].value == 0.3);
    assert_true(e[0].kind == GMC_GRASP_PATH);
    drop(&t);
    expect_good(&t, "g.csv", "hand.target.x,name\n1,\"a, \"\"b\"\"\"\n2, 17 \n", 2);
    assert_string_equal(t.grasps.list[0].name, "a, \"b\"");
    assert_string_equal(t.grasps.list[1].name, "17");
    assert_int_equal(t.grasps.name_count, 1);
    drop(&t);
    static const mistake LIST[] = {
        {"g.csv", "hand.target.x,name\n1,a\n2,b\n3,a\n", "4:0: the name `a` stands in line 2 too"},
        {"g.csv", "hand.target.x,name\n1,\n", "2:3: `name` has no value here"},
        {"g.csv", "hand.target.x\n", "2:1: the header is followed by no row"},
        {"g.csv", "hand.target.x\nnan\n", "2:1: `hand.target.x` must be finite, found nan"},
        {"g.csv", "hand.target.x,hand.target.x\n1,2\n",
         "1:15: the column `hand.target.x` appears twice"},
        {"g.csv", "hand.target.x\n1,2\n", "2:3: this row has 2 values, the header has 1 names"},
    };
    expect_mistakes(LIST, GMC_COUNT(LIST));
}

// ---- HDF5 -------------------------------------------------------------------------------------

/// What is written into an image of a file.
typedef struct made {
    int rank;
    hsize_t sizes[3];
    const double *transforms;
    int mark_count; // -1: none
    bool are_truths;
    const char *path; // of the matrices
    double scale;     // of the object, times 4
    hsize_t before;   // bytes of a user block
} made;

static void put(hid_t file, const char *path, int rank, const hsize_t *sizes, hid_t kind, hid_t in,
                const void *values)
{
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    assert_true(H5Pset_create_intermediate_group(list, 1) >= 0);
    hid_t space = H5Screate_simple(rank, sizes, NULL);
    hid_t set = H5Dcreate2(file, path, kind, space, list, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, in, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
}

static void put_marks(hid_t file, const made *m)
{
    static const int64_t NUMBERS[] = {1, 0, 1, 0};
    static const signed char TRUTHS[] = {1, 0, 1, 0};
    static const char *const WORDS[] = {"FALSE", "TRUE"};
    hsize_t size = (hsize_t)m->mark_count;
    const char *path = "grasps/qualities/flex/object_in_gripper";
    if (!m->are_truths) {
        put(file, path, 1, &size, H5T_STD_I64LE, H5T_NATIVE_INT64, NUMBERS);
        return;
    }
    hid_t truth = H5Tenum_create(H5T_NATIVE_INT8); // as h5py writes bool
    for (signed char i = 0; i < 2; i++)
        assert_true(H5Tenum_insert(truth, WORDS[i], &i) >= 0);
    put(file, path, 1, &size, truth, truth, TRUTHS);
    H5Tclose(truth);
}

static void take_made(taken *t, const made *m)
{
    static unsigned char image[1 << 16];
    const double scale = 0.25 * m->scale;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), list = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_userblock(list, m->before) >= 0);
    assert_true(H5Pset_fapl_core(access, 4096, 0) >= 0);
    hid_t file = H5Fcreate("made_grasps", H5F_ACC_TRUNC, list, access);
    assert_true(file >= 0);
    put(file, m->path ? m->path : "grasps/transforms", m->rank, m->sizes, H5T_IEEE_F64LE,
        H5T_NATIVE_DOUBLE, m->transforms);
    if (m->mark_count >= 0) put_marks(file, m);
    put(file, "object/scale", 0, NULL, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &scale);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    memset(image, '#', (size_t)m->before); // the image is without the user block
    ssize_t size = H5Fget_file_image(file, image + m->before, sizeof image - m->before);
    assert_true(size > 0);
    H5Fclose(file);
    H5Pclose(list);
    H5Pclose(access);
    take_bytes(t, "mug.h5", image, (size_t)m->before + (size_t)size);
}

static const double MATRICES[32] = {0, -1, 0, 0.1, 1, 0, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1,
                                    1, 0,  0, 0,   0, 1, 0, 0,   0, 0, 1, 0,   0, 0, 0, 1};

static void acronym(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        taken t;
        const made m = {.rank = 3,
                        .sizes = {2, 4, 4},
                        .transforms = MATRICES,
                        .mark_count = i == 2 ? -1 : 2,
                        .are_truths = i == 1,
                        .scale = 1};
        take_made(&t, &m);
        if (t.status != GMC_OK) print_error("%s", t.said);
        assert_int_equal(t.status, GMC_OK);
        assert_string_equal(t.grasps.format, "acronym");
        assert_int_equal(t.grasps.count, 2);
        assert_true(t.grasps.object_scale == 0.25);
        assert_true(t.grasps.has_poses);
        assert_true(t.grasps.list[0].position[2] == 0.3);
        ASSERT_NEAR(t.grasps.list[0].rotation[3], sqrt(0.5), 1e-15); // rounding
        if (i < 2) assert_true(t.grasps.list[0].confidence == 1);
        if (i < 2) assert_true(t.grasps.list[1].confidence == 0);
        if (i == 2) assert_true(isnan(t.grasps.list[0].confidence));
        drop(&t);
    }
}

static void a_user_block_before_hdf5_is_passed_over(void **state)
{
    (void)state;
    for (hsize_t before = 512; before <= 4096; before *= 2) {
        taken t;
        const made m = {3, {2, 4, 4}, MATRICES, 2, true, NULL, 1, before};
        take_made(&t, &m);
        if (t.status != GMC_OK) print_error("%s", t.said);
        assert_int_equal(t.status, GMC_OK);
        assert_string_equal(t.grasps.format, "acronym");
        assert_true(t.grasps.list[0].position[2] == 0.3);
        assert_true(t.grasps.list[0].confidence == 1);
        drop(&t);
    }
    // the signature counts where HDF5 looks for it alone, and cut off it is none
    unsigned char text[1032];
    memset(text, 'a', sizeof text);
    memcpy(text + 1000, "\x89HDF\r\n\x1a\n", 8);
    assert_false(gmc_grasps_format_is_hdf5(text, sizeof text));
    memcpy(text + 1024, "\x89HDF\r\n\x1a\n", 8);
    assert_true(gmc_grasps_format_is_hdf5(text, sizeof text));
    assert_false(gmc_grasps_format_is_hdf5(text, sizeof text - 1));
    assert_false(gmc_grasps_format_is_hdf5(text, 0));
}

static void mistakes_of_acronym(void **state)
{
    (void)state;
    static double bad[32];
    memcpy(bad, MATRICES, sizeof bad);
    bad[5] = NAN;
    bad[16] = 2;
    const struct {
        made m;
        const char *said;
    } LIST[] = {
        {{3, {2, 4, 4}, bad, -1, false, NULL, 1, 0}, "grasps/transforms[0]: must be finite"},
        {{3, {2, 4, 4}, bad, -1, false, NULL, 1, 0}, "the matrix of grasp_1 is no rotation"},
        {{3, {4, 4, 2}, MATRICES, -1, false, NULL, 1, 0},
         "grasps/transforms: has another shape or type"},
        {{2, {2, 16, 0}, MATRICES, -1, false, NULL, 1, 0},
         "grasps/transforms: has another shape or type"},
        {{3, {2, 4, 4}, MATRICES, 3, false, NULL, 1, 0},
         "object_in_gripper: has another shape or type"},
        {{3, {2, 4, 4}, MATRICES, -1, false, "poses", 1, 0}, "grasps/transforms: is not there"},
        {{3, {0, 4, 4}, MATRICES, -1, false, NULL, 1, 0}, "no grasps in this file"},
        {{3, {2, 4, 4}, MATRICES, 2, false, NULL, 0, 0},
         "object/scale: must be a finite number > 0, found 0"},
        {{3, {2, 4, 4}, MATRICES, 2, false, NULL, -4, 0},
         "object/scale: must be a finite number > 0, found -1"},
        {{3, {2, 4, 4}, MATRICES, -1, false, NULL, INFINITY, 0},
         "object/scale: must be a finite number > 0, found inf"},
        {{3, {2, 4, 4}, MATRICES, -1, false, NULL, NAN, 0},
         "object/scale: must be a finite number > 0, found "},
        {{3, {2, 4, 4}, bad, -1, false, NULL, 0, 0}, "object/scale: must be a finite"}, // as well
    };
    for (int i = 0; i < GMC_COUNT(LIST); i++) {
        taken t;
        take_made(&t, &LIST[i].m);
        if (t.status != GMC_E_INPUT || !strstr(t.said, LIST[i].said)) {
            print_error("expected %s\nsaid %s\n", LIST[i].said, t.said);
            fail();
        }
        drop(&t);
    }
    taken t;
    take_bytes(&t, "mug.h5", "\x89HDF\r\n\x1a\n and nothing behind it", 30);
    assert_int_equal(t.status, GMC_E_INPUT);
    assert_non_null(strstr(t.said, "this is not a whole HDF5 file"));
    drop(&t);
}

// ---- all --------------------------------------------------------------------------------------

static void every_prefix_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const FILES[][2] = {
        {"g.yaml",
         HEAD "object_frame: a\ngrasps:\n  a:\n    confidence: 1\n    position: [1, 2, 3]\n"
              "    orientation: {w: 1, xyz: [0, 0, 0]}\n    cspace_position: {j: 1}\n"},
        {"g.json", "{\"grasps\": {\"transforms\": [" UNIT "], \"object_in_gripper\": [true]}}"},
        {"g.csv", "hand.target.x [mm],confidence,name\n1,0.5,a\n\"2\",3,b\n"},
    };
    for (int i = 0; i < GMC_COUNT(FILES); i++)
        for (size_t size = 0; size < strlen(FILES[i][1]); size++) {
            taken t;
            take_bytes(&t, FILES[i][0], FILES[i][1], size);
            // what is refused is also reported
            assert_true(t.status == GMC_OK ? t.grasps.count > 0 : t.report.error_count > 0);
            drop(&t);
        }
}

static void every_format_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < gmc_grasps_format_count; i++)
        assert_ptr_equal(gmc_grasps_format_find(gmc_grasps_formats[i]->name),
                         gmc_grasps_formats[i]);
    assert_null(gmc_grasps_format_find("moveit"));
    taken t = {0};
    t.status = gmc_grasps_format_read(gmc_grasps_format_find("csv"), "g.yaml",
                                      (const unsigned char *)"a\n1\n", 4, &t.report, &t.grasps);
    assert_int_equal(t.status, GMC_OK);
    assert_string_equal(t.grasps.format, "csv");
    drop(&t);
}

int test_intake(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_dialects_of_isaac_grasp),
        cmocka_unit_test(isaac_grasp_as_json),
        cmocka_unit_test(few_digits_of_a_quaternion_are_made_up_for),
        cmocka_unit_test(mistakes_of_isaac_grasp),
        cmocka_unit_test(all_mistakes_at_once_but_no_more_than_fifty),
        cmocka_unit_test(graspgen),
        cmocka_unit_test(mistakes_of_graspgen),
        cmocka_unit_test(the_nearest_rotation_is_taken),
        cmocka_unit_test(tables),
        cmocka_unit_test(acronym),
        cmocka_unit_test(a_user_block_before_hdf5_is_passed_over),
        cmocka_unit_test(mistakes_of_acronym),
        cmocka_unit_test(every_prefix_of_a_file_is_read_or_refused),
        cmocka_unit_test(every_format_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
