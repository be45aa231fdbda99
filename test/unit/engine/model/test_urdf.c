// URDF from text in memory, and the two hands of the scenarios: what is read, what is refused and
// where, and the model it becomes.
#include "engine/model/urdf.h"
#include "test/support/cmocka.h"
#include "test/support/memory_files.h"
#include "test/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- files in memory ---------------------------------------------------------------------------

typedef struct opened {
    gmc_urdf urdf;
    gmc_diagnostics report;
    gmc_status status;
} opened;

static opened open_files(memory_file *files, gmc_urdf_inertials inertials,
                         const char *const *packages)
{
    opened o = {0};
    gmc_file_source source = {.context = files, .load = memory_file_load};
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &source;
    options.inertials = inertials;
    options.package_path = packages;
    o.status = gmc_urdf_open(files[0].path, &options, &o.report, &o.urdf);
    if (o.status != GMC_OK) assert_null(o.urdf.links);
    return o;
}

static opened open_text(const char *text)
{
    memory_file files[] = {{"r.urdf", text}, {NULL, NULL}};
    return open_files(files, GMC_URDF_AS_GIVEN, NULL);
}

static void release(opened *o)
{
    gmc_urdf_close(&o->urdf);
    gmc_diagnostics_free(&o->report);
}

static const gmc_diagnostic *find(const opened *o, gmc_severity severity, int line,
                                  const char *part)
{
    for (int i = 0; i < o->report.count; i++)
        if (o->report.items[i].severity == severity && o->report.items[i].source.line == line &&
            strstr(o->report.items[i].message, part))
            return o->report.items + i;
    gmc_diagnostics_print(&o->report, stderr);
    return NULL;
}

static void assert_error(const opened *o, int line, const char *part)
{
    assert_non_null(find(o, GMC_ERROR, line, part));
}

static void assert_warning(const opened *o, int line, const char *part)
{
    assert_non_null(find(o, GMC_WARNING, line, part));
}

#define SOLID "<inertial><mass value='0.1'/><inertia ixx='1e-5' iyy='1e-5' izz='1e-5'/></inertial>"
#define JOINT(name, type, parent, child, rest)                                                     \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/>" rest "</joint>\n"
#define LINK(name, rest) "<link name='" name "'>" rest "</link>\n"
#define AXIS             "<axis xyz='0 0 2'/>"
#define LIMIT            "<limit lower='-1' upper='2' effort='3' velocity='4'/>"

// ---- reading -----------------------------------------------------------------------------------

static void reads_links_and_joints(void **state)
{
    (void)state;
    // children before parents, in the file
    opened o = open_text("<robot name='r'>\n" JOINT("j2", "prismatic", "b", "c",
                                                    AXIS "<limit upper='0.1'/>"
                                                         "<dynamics damping='5' friction='0.5'/>")
                             JOINT("j1", "revolute", "a", "b",
                                   "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>" AXIS LIMIT)
                                 LINK("c", SOLID) LINK("b", SOLID) LINK("a", "") "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_int_equal(o.report.count, 0);
    assert_string_equal(o.urdf.name, "r");
    assert_string_equal(o.urdf.links[0].name, "a");
    assert_string_equal(o.urdf.links[1].name, "b");
    assert_string_equal(o.urdf.links[2].name, "c");
    assert_int_equal(o.urdf.links[0].joint, -1);

    const gmc_urdf_joint *j = o.urdf.joints + gmc_urdf_find_joint(&o.urdf, "j1");
    assert_int_equal(j->parent, 0);
    assert_int_equal(j->child, 1);
    assert_true(j->axis.z == 1);
    assert_true(j->lower == -1);
    assert_true(j->upper == 2);
    assert_true(j->effort == 3);
    assert_true(j->velocity == 4);
    assert_true(j->X_pj.p.x == 1);
    assert_true(j->X_pj.p.y == 2);
    assert_true(j->X_pj.p.z == 3);
    ASSERT_NEAR(j->X_pj.R.m[3], 1, 1e-15); // x becomes y
    j = o.urdf.joints + gmc_urdf_find_joint(&o.urdf, "j2");
    assert_true(j->lower == 0);
    assert_true(j->upper == 0.1);
    assert_true(j->damping == 5);
    assert_true(j->friction == 0.5);
    assert_true(j->effort == (double)INFINITY);
    assert_true(j->velocity == (double)INFINITY);
    assert_int_equal(gmc_urdf_find_joint(&o.urdf, "j3"), -1);
    release(&o);
}

static void reads_masses(void **state)
{
    (void)state;
    opened o =
        open_text("<robot name='r'><link name='a'><inertial>"
                  "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                  "<inertia ixx='1' ixy='0.1' iyy='2' izz='2.5'/></inertial></link></robot>");
    assert_int_equal(o.status, GMC_OK);
    const gmc_inertia *inertia = &o.urdf.links[0].inertia;
    assert_true(inertia->mass == 2);
    assert_true(inertia->com.x == 1);
    // a quarter turn swaps x and y and turns the sign of xy; three products of rounded cosines
    ASSERT_NEAR(inertia->I.m[0], 2, 1e-15);
    ASSERT_NEAR(inertia->I.m[4], 1, 1e-15);
    ASSERT_NEAR(inertia->I.m[1], -0.1, 1e-15);
    release(&o);
}

static void reads_shapes(void **state)
{
    (void)state;
    opened o = open_text(
        "<robot name='r'><link name='a'><visual><geometry><mesh "
        "filename='no.dae'/></geometry></visual>"
        "<collision><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry></collision>"
        "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
        "<collision name='x'><geometry><cylinder radius='1' length='3'/></geometry></collision>"
        "<collision><geometry><capsule radius='1' length='4'/></geometry></collision>"
        "</link></robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_int_equal(o.report.count, 0);
    const gmc_urdf_shape *s = o.urdf.links[0].shapes;
    assert_int_equal(o.urdf.links[0].shape_count, 4);
    assert_int_equal(s[0].shape.type, GMC_SHAPE_BOX);
    assert_true(s[0].shape.half.x == 1);
    assert_true(s[0].shape.half.y == 2);
    assert_true(s[0].shape.half.z == 3);
    assert_true(s[0].X_lg.p.z == 1);
    assert_true(s[1].shape.type == GMC_SHAPE_SPHERE);
    assert_true(s[1].shape.radius == 0.5);
    assert_true(s[2].shape.type == GMC_SHAPE_CYLINDER);
    assert_true(s[2].shape.half_length == 1.5);
    assert_true(s[3].shape.type == GMC_SHAPE_CAPSULE);
    assert_true(s[3].shape.half_length == 2);
    release(&o);
}

static const char cube[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static char *with_mesh(const char *filename, const char *attributes)
{
    static char text[512];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>\n<collision><geometry><mesh filename='%s' %s/>"
             "</geometry></collision></link></robot>",
             filename, attributes);
    return text;
}

static void finds_meshes(void **state)
{
    (void)state;
    static const char *const packages[] = {"/else", "/pk", NULL};
    static const struct {
        const char *urdf, *named, *at;
    } cases[] = {
        {"d/r.urdf", "m/c.obj", "d/m/c.obj"},
        {"r.urdf", "c.obj", "c.obj"},
        {"d/r.urdf", "file:///x/c.obj", "/x/c.obj"},
        {"d/r.urdf", "/x/c.obj", "/x/c.obj"},
        {"r.urdf", "package://hand/m/c.obj", "/pk/hand/m/c.obj"},
        {"r.urdf", "package://pk/m/c.obj", "/pk/m/c.obj"},
        {"r.urdf", "model://hand/c.obj", "/else/hand/c.obj"},
        {"/w/src/hand/urdf/r.urdf", "package://hand/m/c.obj", "/w/src/hand/m/c.obj"},
        {"/w/src/hand/urdf/r.urdf", "package://other/c.obj", "/w/src/other/c.obj"},
        {"urdf/r.urdf", "package://other/c.obj", "../other/c.obj"},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        memory_file files[] = {{cases[i].urdf, with_mesh(cases[i].named, "scale='2 1 -1'")},
                               {cases[i].at, cube},
                               {NULL, NULL}};
        opened o = open_files(files, GMC_URDF_AS_GIVEN, packages);
        if (o.status != GMC_OK) gmc_diagnostics_print(&o.report, stderr);
        assert_int_equal(o.status, GMC_OK);
        assert_int_equal(o.report.count, 0);
        const gmc_shape *shape = &o.urdf.links[0].shapes[0].shape;
        assert_int_equal(shape->type, GMC_SHAPE_POLYTOPE);
        assert_int_equal(shape->polytope->face_count, 6);
        assert_true(shape->polytope->centre.x == 1);
        assert_true(shape->polytope->centre.z == -0.5);
        release(&o);
    }
}

static void refuses_meshes(void **state)
{
    (void)state;
    memory_file files[] = {{"r.urdf", with_mesh("c.obj", "")}, {NULL, NULL}, {NULL, NULL}};
    opened o = open_files(files, GMC_URDF_AS_GIVEN, NULL);
    assert_int_equal(o.status, GMC_E_MISSING); // nothing is wrong but a file that is not there
    assert_error(&o, 2, "mesh c.obj cannot be read");
    release(&o);

    files[1] = (memory_file){"c.obj", "v 0 0 0\nf 1 2 3\n"};
    o = open_files(files, GMC_URDF_AS_GIVEN, NULL);
    assert_int_equal(o.status, GMC_E_INPUT);
    assert_string_equal(o.report.items[0].source.file, "c.obj");
    release(&o);

    files[0].text = with_mesh("c.dae", "");
    o = open_files(files, GMC_URDF_AS_GIVEN, NULL);
    assert_int_equal(o.status, GMC_E_INPUT);
    assert_error(&o, 2, "meshes of format `.dae` are not read");
    release(&o);

    files[0].text = with_mesh("c.obj", "scale='1 0 1'");
    o = open_files(files, GMC_URDF_AS_GIVEN, NULL);
    assert_error(&o, 2, "a scale must not be 0");
    release(&o);
}

static void follows_chains_of_mimics(void **state)
{
    (void)state;
    opened o =
        open_text("<robot name='r'>" LINK("a", SOLID) LINK("b", SOLID) LINK("c", SOLID)
                      LINK("d", SOLID) JOINT("j3", "continuous", "a", "d",
                                             AXIS "<mimic joint='j2' multiplier='2' offset='1'/>")
                          JOINT("j2", "continuous", "a", "c",
                                AXIS "<mimic joint='j1' multiplier='-3' offset='5'/>")
                              JOINT("j1", "continuous", "a", "b", AXIS) "</robot>");
    assert_int_equal(o.status, GMC_OK);
    const gmc_urdf_joint *j = o.urdf.joints;
    assert_int_equal(j[0].leader, 2);
    assert_true(j[0].ratio == -6);
    assert_true(j[0].offset == 11); // 2 (-3 q + 5) + 1
    assert_true(j[1].leader == 2);
    assert_true(j[1].ratio == -3);
    assert_true(j[2].leader == -1);
    release(&o);
}

// ---- mistakes ----------------------------------------------------------------------------------

static void tells_all_mistakes_at_once(void **state)
{
    (void)state;
    opened o =
        open_text("<robot name='r'>\n"                  // 1
                  "<link name='a'><colision/></link>\n" // 2
                  "<link name='b'><inertial><mass value='x'/><inertia/></inertial></link>\n"
                  "<link name='a'/>\n"                                           // 4
                  "<link/>\n"                                                    // 5
                  "<joint name='j' type='revolute'><parent link='a'/></joint>\n" // 6
                  "<joint name='j' type='revolut'><parent link='a'/><child link='bb'/></joint>\n"
                  "<joint name='k' type='planar'><parent link='a'/><child link='b'/></joint>\n"
                  "<joint name='l' type='prismatic'><parent link='a'/><child link='b'/>"
                  "<axis xyz='0 0 0'/><limit lower='1' upper='-1' effort='-2'/>"
                  "<mimic joint='q'/></joint>\n" // 9
                  "<joint name='m' type='continuous'><parent link='a'/><child link='b'/>"
                  "<origin xyz='0 0' rpy='0 nan 0'/><axis/></joint>\n" // 10
                  "<link name='c'><collision><geometry><box size='1 1 -1'/></geometry></collision>"
                  "<collision/><collision><geometry><cone/></geometry></collision></link>\n"
                  "</robot>");
    assert_int_equal(o.status, GMC_E_INPUT);
    assert_error(&o, 2, "<colision> is not known in <link>");
    assert_error(&o, 3, "`value` of <mass>: expected a finite number, found `x`");
    assert_error(&o, 3, "<inertia> needs `ixx`");
    assert_error(&o, 3, "<inertia> needs `izz`");
    assert_error(&o, 4, "a second link `a`; the first stands in line 2");
    assert_error(&o, 5, "<link> needs `name`");
    assert_error(&o, 6, "<joint> needs <child");
    assert_error(&o, 6, "joint `j` needs <limit");
    assert_error(&o, 7, "a second joint `j`");
    assert_error(&o, 7, "there is no link `bb`");
    assert_error(&o, 7, "the joint type `revolut` is not known");
    assert_error(&o, 8, "type planar are not supported");
    assert_error(&o, 9, "the axis of joint `l` has no direction");
    assert_error(&o, 9, "lower 1 is above upper -1");
    assert_error(&o, 9, "`effort` of <limit> must lie between");
    assert_error(&o, 9, "there is no joint `q` to follow");
    assert_error(&o, 9, "link `b` hangs on joint `l` and on joint `k` (line 8)");
    assert_error(&o, 10, "link `b` hangs on joint `m` and on joint `k` (line 8)");
    assert_error(&o, 10, "`xyz` of <origin>: expected 3 numbers, found 2");
    assert_error(&o, 10, "expected a finite number, found `nan`");
    assert_warning(&o, 10, "joint `m` has no axis");
    assert_error(&o, 11, "sizes of a <box> must be > 0");
    assert_error(&o, 11, "<collision> needs <geometry>");
    assert_error(&o, 11, "the shape <cone> is not supported");
    const gmc_diagnostic *typo = find(&o, GMC_ERROR, 2, "colision");
    assert_string_equal(typo->hint, "did you mean <collision>?");
    assert_int_equal(typo->source.column, 16);
    const gmc_diagnostic *number = find(&o, GMC_ERROR, 10, "found `nan`");
    assert_int_equal(number->source.column, 95);
    assert_int_equal(number->source.length, 3);
    release(&o);
}

static void refuses_what_is_no_tree(void **state)
{
    (void)state;
    opened o = open_text("<robot name='r'>\n" LINK("a", "") LINK("b", "") LINK("c", "")
                             JOINT("j", "fixed", "a", "b", "") "</robot>");
    assert_error(&o, 4, "link `c` hangs on no joint, and neither does `a` (line 2)");
    release(&o);

    o = open_text("<robot name='r'>\n" LINK("a", "") LINK("b", "") JOINT("j", "fixed", "a", "b", "")
                      JOINT("k", "fixed", "b", "a", "") "</robot>");
    assert_error(&o, 4, "the joints close a ring");
    release(&o);

    o = open_text("<robot name='r'>\n" LINK("a", "") LINK("b", "") LINK("c", "") JOINT(
        "j", "fixed", "c", "b", "") JOINT("k", "fixed", "b", "c", "") "</robot>");
    assert_int_equal(o.status, GMC_E_INPUT);
    assert_true(find(&o, GMC_ERROR, 5, "closes a ring") || find(&o, GMC_ERROR, 6, "closes a ring"));
    release(&o);

    o = open_text("<robot name='r'>\n" LINK("a", "") JOINT("j", "fixed", "a", "a", "") "</robot>");
    assert_error(&o, 3, "joins link `a` to itself");
    release(&o);

    o = open_text("<robot name='r'>\n" LINK("a", SOLID) LINK("b", SOLID) LINK("c", SOLID)
                      JOINT("j", "continuous", "a", "b", AXIS "<mimic joint='k'/>")
                          JOINT("k", "continuous", "a", "c", AXIS "<mimic joint='j'/>") "</robot>");
    assert_error(&o, 5, "which in the end follows it");
    release(&o);
}

static void refuses_other_files(void **state)
{
    (void)state;
    opened o = open_text("<mujoco/>");
    assert_error(&o, 1, "expected <robot>, found <mujoco>");
    release(&o);
    o = open_text("<robot/>");
    assert_error(&o, 1, "a robot needs a <link>");
    release(&o);
    o = open_text("<robot xmlns:xacro='x'><xacro:include filename='y'/><link name='a'/></robot>");
    assert_error(&o, 1, "this is xacro");
    release(&o);
    memory_file files[] = {{NULL, NULL}};
    gmc_file_source source = {.context = files, .load = memory_file_load};
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &source;
    options.from = (gmc_source){.file = "s.yaml", .line = 3};
    o = (opened){0};
    assert_int_equal(gmc_urdf_open("none.urdf", &options, &o.report, &o.urdf), GMC_E_MISSING);
    assert_int_equal(o.report.items[0].source.line, 3);
    release(&o);
}

static void names_what_is_not_read(void **state)
{
    (void)state;
    opened o = open_text("<robot name='r'><material name='m'/>\n" LINK(
        "a", "") "<transmission/>\n"
                 "<gazebo/><gazebo/>\n<transmission/></robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_int_equal(o.report.warning_count, 2);
    assert_warning(&o, 3, "<transmission> is not read");
    assert_warning(&o, 4, "<gazebo> is not read");
    release(&o);
}

static void warns_of_limits(void **state)
{
    (void)state;
    opened o = open_text("<robot name='r'>\n" LINK("a", "") LINK("b", SOLID) LINK("c", SOLID) JOINT(
        "j", "revolute", "a", "b", AXIS "<limit lower='1' upper='1' effort='0' velocity='0'/>")
                             JOINT("k", "continuous", "a", "c",
                                   AXIS "<limit lower='0' effort='0' velocity='1'/>") "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_warning(&o, 5, "the effort limit of joint `j` is 0");
    assert_true(isinf(o.urdf.joints[0].velocity)); // whoever builds says so
    assert_warning(&o, 5, "joint `j` cannot move");
    assert_warning(&o, 6, "is continuous: its lower and upper are not used");
    assert_true(o.urdf.joints[0].effort == (double)INFINITY);
    assert_true(o.urdf.joints[1].lower == -(double)INFINITY);
    release(&o);
}

#define BOX          "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
#define FINGER(rest) LINK("a", "") LINK("b", rest) JOINT("j", "continuous", "a", "b", AXIS)

/// What becomes of the inertia of a link of 1 kg, a cube of 0.1 m or without shapes, of which
/// m a² / 6 is 0.00166667.
typedef struct impossible {
    const char *inertial;
    bool has_shape;
    const char *told;  // of the error, and of the warning
    const char *hint;  // of the error; NULL: nothing mends it
    const char *taken; // of the warning
    double moments[3]; // mended [kg·m²]
    gmc_urdf_weighed by;
} impossible;

#define INERTIA(mass, xx, yy, zz)                                                                  \
    "<inertial><mass value='" mass "'/><inertia ixx='" xx "' iyy='" yy "' izz='" zz "'/></"        \
    "inertial>"

static void check_mended(const impossible *c, gmc_urdf_inertials inertials)
{
    char text[1024];
    snprintf(text, sizeof text, "<robot name='r'>\n" FINGER("%s%s") "</robot>", c->inertial,
             c->has_shape ? BOX : "");
    memory_file files[] = {{"r.urdf", text}, {NULL, NULL}};
    opened o = open_files(files, inertials, NULL);
    if (inertials == GMC_URDF_AS_GIVEN || !c->hint) {
        assert_int_equal(o.status, GMC_E_INPUT);
        assert_int_equal(o.report.error_count, 1);
        assert_error(&o, 3, c->told);
        const char *hint = find(&o, GMC_ERROR, 3, "link")->hint;
        assert_true(c->hint ? hint && strstr(hint, c->hint) : !hint || !hint[0]);
        release(&o);
        return;
    }
    assert_int_equal(o.status, GMC_OK);
    assert_warning(&o, 3, c->told);
    const gmc_urdf_link *link = &o.urdf.links[1];
    bool is_computed = inertials == GMC_URDF_REPLACED && c->has_shape;
    if (!is_computed) assert_warning(&o, 3, c->taken);
    assert_true(link->weighed == (is_computed ? GMC_URDF_BY_SHAPES_AT_MASS : c->by));
    for (int i = 0; i < 3; i++)
        ASSERT_NEAR_RELATIVE(link->inertia.I.m[4 * i], is_computed ? 1e-2 / 6 : c->moments[i],
                             1e-14);
    release(&o);
}

static void judges_masses(void **state)
{
    (void)state;
    const double solid = 1e-2 / 6, least = 1e-4 * 3e-3;
    // a ball of 1 kg at 1000 kg/m³: r³ = 3e-3 / (4 pi)
    const double r = gmc_pow(3e-3 / (4 * GMC_PI), 1.0 / 3), ball = 0.4 * r * r;
    const impossible cases[] = {
        // second moments 1.5e-3, 1.5e-3, -0.5e-3: within a factor of two of the cube's
        {INERTIA("1", "1e-3", "1e-3", "3e-3"),
         true,
         "no body has principal moments 0.001, 0.001, 0.003",
         "the nearest possible: <origin xyz=\"0 0 0\"/> <inertia ixx=\"0.0015003\" ixy=\"0\"",
         "the nearest possible is taken",
         {1.5e-3 + least, 1.5e-3 + least, 3e-3},
         GMC_URDF_BY_FILE_MENDED},
        {INERTIA("1", "1e-3", "1e-3", "3e-3"),
         false,
         "no body has principal moments",
         "the nearest possible: ",
         "the nearest possible is taken",
         {1.5e-3 + least, 1.5e-3 + least, 3e-3},
         GMC_URDF_BY_FILE_MENDED},
        // nearest: 0.05, 0.05, 0.1, which no cube has
        {INERTIA("1", "1e-2", "1e-2", "1e-1"),
         true,
         "no body has principal moments",
         "that of its shapes: <origin xyz=\"0 0 0\"/> <inertia ixx=\"0.00166667\" ixy=\"0\"",
         "that of its shapes is taken",
         {solid, solid, solid},
         GMC_URDF_BY_SHAPES_AT_MASS},
        {INERTIA("1", "1e-3", "-1e-3", "1e-3"),
         true,
         "positive definite",
         "that of its shapes: ",
         "that of its shapes is taken",
         {solid, solid, solid},
         GMC_URDF_BY_SHAPES_AT_MASS},
        {INERTIA("1", "0", "0", "0"),
         false,
         "positive definite",
         "that of a ball of its mass: ",
         "that of a ball of its mass is taken",
         {ball, ball, ball},
         GMC_URDF_BY_BALL},
        // a mass is needed all the same
        {INERTIA("0", "1e-3", "1e-3", "1e-3"),
         true,
         "the mass must be > 0",
         NULL,
         NULL,
         {0, 0, 0},
         GMC_URDF_BY_FILE},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        check_mended(&cases[i], GMC_URDF_AS_GIVEN);
        check_mended(&cases[i], GMC_URDF_MENDED);
        check_mended(&cases[i], GMC_URDF_REPLACED);
    }
    // computed: also what is possible
    memory_file files[] = {{"r.urdf", "<robot name='r'>\n" FINGER(
                                          INERTIA("1", "2e-3", "2e-3", "2e-3") BOX) "</robot>"},
                           {NULL, NULL}};
    opened o = open_files(files, GMC_URDF_REPLACED, NULL);
    assert_int_equal(o.status, GMC_OK);
    ASSERT_NEAR_RELATIVE(o.urdf.links[1].inertia.I.m[4], solid, 1e-14);
    release(&o);
}

static void completes_masses(void **state)
{
    (void)state;
    opened o = open_text("<robot name='r'>\n" FINGER(BOX) "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_warning(&o, 3, "moves but has no <inertial>: its shapes at 1000 kg/m3 are taken, 1 kg");
    ASSERT_NEAR_RELATIVE(o.urdf.links[1].inertia.mass, 1.0, 1e-14);
    release(&o);

    // a part without inertial on a part with one weighs nothing, as URDF says
    o = open_text("<robot name='r'>\n" FINGER(SOLID) LINK("tip", BOX)
                      JOINT("t", "fixed", "b", "tip", "") "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_int_equal(o.report.count, 0);
    assert_true(o.urdf.links[2].inertia.mass == 0);
    release(&o);

    // a frame with a mass of nothing
    o = open_text("<robot name='r'>\n" LINK("a",
                                            "<inertial><mass value='0'/><inertia ixx='0' iyy='0' "
                                            "izz='0'/></inertial>") "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_int_equal(o.report.count, 0);
    release(&o);

    // the mass of one finger far outside of it
    o = open_text("<robot name='r'>\n" FINGER(
        "<inertial><origin xyz='0.3 0 0'/><mass value='1'/>"
        "<inertia ixx='1.6e-3' iyy='1.6e-3' izz='1.6e-3'/></inertial>" BOX) "</robot>");
    assert_int_equal(o.status, GMC_OK);
    assert_warning(&o, 3,
                   "the given centre of mass (0.3, 0, 0) m lies 0.3 m from that of the geometry");
    release(&o);
}

// ---- building ----------------------------------------------------------------------------------

typedef struct changes {
    int joint_calls, surface_calls;
} changes;

static const char *surface_of(void *context, const gmc_urdf_link *link)
{
    ((changes *)context)->surface_calls++;
    return strstr(link->name, "finger") || strstr(link->name, "pad") ? "rubber" : "steel";
}

static void change_joint(void *context, const gmc_urdf_joint *joint, gmc_joint_spec *spec)
{
    ((changes *)context)->joint_calls++;
    if (strcmp(joint->name, "left") == 0) spec->dof.armature = 0.25;
}

static gmc_status build(const gmc_urdf *urdf, changes *count, gmc_diagnostics *report,
                        gmc_arena *arena, gmc_model *model)
{
    gmc_urdf_placing placing = {.prefix = "hand.",
                                .base = {.name = "hand.base",
                                         .type = GMC_JOINT_FREE,
                                         .is_driven = true,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .category = 2,
                                .mask = 5,
                                .context = count,
                                .surface = surface_of,
                                .joint = change_joint};
    gmc_builder *builder = gmc_builder_create(report);
    assert_non_null(builder);
    gmc_status status = gmc_urdf_build(urdf, &placing, builder);
    if (status == GMC_OK) status = gmc_builder_finish(builder, arena, model);
    gmc_builder_free(builder);
    return status;
}

static gmc_vec3 frame_point(const gmc_model *m, const char *name)
{
    int i = gmc_model_find_frame(m, name);
    assert_true(i >= 0);
    // at q = 0 a body's frame is its joint frame
    gmc_pose X = m->frames[i].X_bf;
    for (int b = m->frames[i].body; b > 0; b = m->bodies[b].parent)
        X = gmc_pose_multiply(&m->bodies[b].X_pj, &X);
    return X.p;
}

static void assert_point(gmc_vec3 p, double x, double y, double z)
{
    ASSERT_NEAR(p.x, x, 1e-15); // sums of two rounded decimals
    ASSERT_NEAR(p.y, y, 1e-15);
    ASSERT_NEAR(p.z, z, 1e-15);
}

typedef struct built {
    gmc_urdf urdf;
    gmc_diagnostics report;
    gmc_arena arena;
    gmc_model model;
    changes count;
} built;

static built build_file(const char *file)
{
    built b = {0};
    gmc_urdf_options options = gmc_urdf_defaults();
    assert_int_equal(gmc_urdf_open(file, &options, &b.report, &b.urdf), GMC_OK);
    assert_int_equal(gmc_arena_create(&b.arena, 1 << 20), GMC_OK);
    assert_int_equal(build(&b.urdf, &b.count, &b.report, &b.arena, &b.model), GMC_OK);
    if (b.report.count > 0) gmc_diagnostics_print(&b.report, stderr);
    assert_int_equal(b.report.count, 0);
    return b;
}

static void release_built(built *b)
{
    gmc_arena_free(&b->arena);
    gmc_urdf_close(&b->urdf);
    gmc_diagnostics_free(&b->report);
}

static void builds_the_parallel_jaw(void **state)
{
    (void)state;
    built b = build_file("scenarios/models/parallel_jaw.urdf");
    const gmc_model *m = &b.model;
    assert_int_equal(b.count.joint_calls, 3);
    assert_int_equal(b.count.surface_calls, 3); // once for each link with shapes
    assert_int_equal(m->body_count, 4);
    assert_int_equal(m->free_count, 2);
    assert_int_equal(m->dof_count, 8);
    assert_int_equal(m->geom_count, 5);
    const gmc_dof *left = m->dofs + gmc_model_find_dof(m, "hand.left");
    assert_true(left->armature == 0.25);
    assert_true(left->damping == 20);
    assert_true(left->max_force == 100);
    assert_true(left->lower == 0);
    assert_true(left->upper == 0.04);

    // 80 mm between the pads' faces (each pad 10 mm thick), tcp midway, pads ±15 mm about it
    assert_point(frame_point(m, "hand.tcp"), 0, 0, -0.045);
    assert_point(frame_point(m, "hand.left_finger"), 0, 0.045, -0.045);
    assert_point(frame_point(m, "hand.right_finger"), 0, -0.045, -0.045);
    int finger = m->frames[gmc_model_find_frame(m, "hand.left_finger")].body;
    assert_true(m->bodies[finger].axis.y == -1);
    assert_true(m->bodies[finger].inertia.mass == 0.05);
    for (int i = 0; i < m->geom_count; i++) {
        assert_int_equal(m->geoms[i].category, 2);
        assert_int_equal(m->geoms[i].mask, 5);
        const char *surface = m->surfaces[m->geoms[i].surface];
        assert_string_equal(surface, m->geoms[i].body == m->frames[0].body ? "steel" : "rubber");
    }
    release_built(&b);
}

static void builds_the_pick_jaw(void **state)
{
    (void)state;
    built b = build_file("scenarios/models/pick_jaw.urdf");
    const gmc_model *m = &b.model;
    assert_int_equal(m->body_count, 4); // pads and rail are merged
    assert_int_equal(m->free_count, 1); // the right jaw follows the left
    assert_int_equal(m->frame_count, 7);
    assert_point(frame_point(m, "hand.left_pad"), 0, 0.064, -0.052);
    assert_point(frame_point(m, "hand.tcp"), 0, 0, -0.052);
    int left = m->frames[gmc_model_find_frame(m, "hand.left_pad")].body;
    int right = m->frames[gmc_model_find_frame(m, "hand.right_pad")].body;
    assert_int_equal(m->bodies[left].v, m->bodies[right].v);
    ASSERT_NEAR_RELATIVE(m->bodies[left].inertia.mass, 0.08, 1e-15);
    assert_true(m->dofs[m->bodies[left].v].damping == 10);
    assert_true(m->dofs[m->bodies[left].v].upper == 0.06);
    release_built(&b);
}

int test_urdf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_links_and_joints),
        cmocka_unit_test(reads_masses),
        cmocka_unit_test(reads_shapes),
        cmocka_unit_test(finds_meshes),
        cmocka_unit_test(refuses_meshes),
        cmocka_unit_test(follows_chains_of_mimics),
        cmocka_unit_test(tells_all_mistakes_at_once),
        cmocka_unit_test(refuses_what_is_no_tree),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(names_what_is_not_read),
        cmocka_unit_test(warns_of_limits),
        cmocka_unit_test(judges_masses),
        cmocka_unit_test(completes_masses),
        cmocka_unit_test(builds_the_parallel_jaw),
        cmocka_unit_test(builds_the_pick_jaw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
