// MJCF from text in memory, and the Shadow hand where it is: what is read, what is refused and where.
#include "engine/model/mjcf.h"
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

static opened open_files(memory_file *files)
{
    opened o = {0};
    gmc_file_source source = {.context = files, .load = memory_file_load};
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &source;
    o.status = gmc_mjcf_open(files[0].path, &options, &o.report, &o.urdf);
    if (o.status != GMC_OK) assert_null(o.urdf.links);
    return o;
}

static opened open_text(const char *text)
{
    memory_file files[] = {{"d/r.xml", text}, {NULL, NULL}};
    return open_files(files);
}

static opened open_good(const char *text)
{
    opened o = open_text(text);
    if (o.status != GMC_OK) gmc_diagnostics_print(&o.report, stderr);
    assert_int_equal(o.status, GMC_OK);
    return o;
}

static void release(opened *o)
{
    gmc_urdf_close(&o->urdf);
    gmc_diagnostics_free(&o->report);
}

static const gmc_urdf_link *link_of(const opened *o, const char *name)
{
    int i = gmc_urdf_find_link(&o->urdf, name);
    if (i < 0) fprintf(stderr, "no link %s\n", name);
    assert_true(i >= 0);
    return &o->urdf.links[i];
}

static const gmc_urdf_joint *joint_of(const opened *o, const char *name)
{
    int i = gmc_urdf_find_joint(&o->urdf, name);
    if (i < 0) fprintf(stderr, "no joint %s\n", name);
    assert_true(i >= 0);
    return &o->urdf.joints[i];
}

static void assert_pose(gmc_pose X, gmc_quat q, gmc_vec3 p)
{
    gmc_pose Y = gmc_pose_make(gmc_quat_normalise(q), p);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(X.R.m[i], Y.R.m[i], 1e-15 * 8); // a few roundings of numbers <= 1
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(X.p, Y.p)), 0, 1e-15);
}

#define FILE_OF(inside)    "<mujoco>\n" inside "</mujoco>\n"
#define WORLD(inside)      "<worldbody>\n" inside "</worldbody>\n"
#define SOLID              "<inertial pos='0 0 0' mass='1' diaginertia='1e-3 1e-3 1e-3'/>"
#define BODY(name, inside) "<body name='" name "'>" SOLID inside "</body>\n"

// ---- poses -------------------------------------------------------------------------------------

static void orientations(void **state)
{
    (void)state;
    const double h = sqrt(0.5);
    const struct {
        const char *compiler, *word;
        gmc_quat q;
    } cases[] = {
        {"", "quat='2 0 0 2'", {h, 0, 0, h}},
        {"", "axisangle='0 3 0 90'", {h, 0, h, 0}},
        {"<compiler angle='radian'/>", "axisangle='1 0 0 1.5707963267948966'", {h, h, 0, 0}},
        // turning along: x by 90, then what has become of z by 90
        {"", "euler='90 0 90'", {0.5, 0.5, -0.5, 0.5}},
        // about axes that stay: x by 90, then z by 90
        {"<compiler eulerseq='XYZ'/>", "euler='90 0 90'", {0.5, 0.5, 0.5, 0.5}},
        {"<compiler eulerseq='zxy'/>", "euler='90 90 0'", {0.5, 0.5, 0.5, 0.5}},
        {"", "xyaxes='0 2 0 -1 1 0'", {h, 0, 0, h}},
        {"", "zaxis='1 0 0'", {h, 0, h, 0}},
        {"", "zaxis='0 0 -1'", {0, 1, 0, 0}},
        {"", "zaxis='0 0 3'", {1, 0, 0, 0}},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 FILE_OF("%s" WORLD("<body name='a' pos='1 2 3' %s>" SOLID "</body>")),
                 cases[i].compiler, cases[i].word);
        opened o = open_good(text);
        assert_pose(joint_of(&o, "a:weld")->X_pj, cases[i].q, (gmc_vec3){1, 2, 3});
        release(&o);
    }
}

static void frames_and_sites(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(WORLD(
        "<frame pos='1 0 0' euler='0 0 90'><body name='a' pos='0 2 0'>" SOLID
        "<site name='tip' pos='0 0 3' zaxis='1 0 0'/><site name='a'/><site/></body></frame>")));
    const double h = sqrt(0.5);
    assert_pose(joint_of(&o, "a:weld")->X_pj, (gmc_quat){h, 0, 0, h}, (gmc_vec3){-1, 0, 0});
    assert_pose(joint_of(&o, "tip:weld")->X_pj, (gmc_quat){h, 0, h, 0}, (gmc_vec3){0, 0, 3});
    (void)link_of(&o, "site:a"); // a body has that name
    assert_int_equal(o.urdf.link_count, 4);
    release(&o);
}

// ---- joints ------------------------------------------------------------------------------------

static void joints_of_one_body(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(WORLD(
        "<body name='a' pos='0 0 1'>" SOLID
        "<joint name='x' axis='2 0 0' range='-10 20' damping='3' frictionloss='4' armature='5'/>"
        "<joint name='y' type='slide' axis='0 1 0' pos='0.1 0 0' range='-1 2' ref='0.5'/>"
        "<body name='b'>" SOLID "<joint axis='0 0 1' ref='90'/></body></body>\n")));
    // the root, a massless link for x and one for y, which is off the body's origin, a and b
    assert_int_equal(o.urdf.link_count, 5);
    assert_string_equal(o.urdf.links[0].name, "mjcf_root");
    const gmc_urdf_joint *x = joint_of(&o, "x"), *y = joint_of(&o, "y");
    assert_string_equal(o.urdf.links[x->child].name, "a:x");
    assert_string_equal(o.urdf.links[y->child].name, "a:y");
    assert_int_equal(x->kind, GMC_URDF_REVOLUTE);
    assert_int_equal(y->kind, GMC_URDF_PRISMATIC);
    ASSERT_NEAR(x->lower, -10 * GMC_PI / 180, 1e-16);
    ASSERT_NEAR(x->upper, 20 * GMC_PI / 180, 1e-16);
    assert_true(y->lower == -1 && y->upper == 2);
    assert_true(x->damping == 3 && x->friction == 4 && x->armature == 5);
    assert_true(x->axis.x == 1 && isinf(x->effort) && isnan(x->stiffness));
    assert_pose(x->X_pj, gmc_quat_identity(), (gmc_vec3){0, 0, 1});
    // at q = ref = 0.5 it is where the file draws it
    assert_pose(y->X_pj, gmc_quat_identity(), (gmc_vec3){0.1, -0.5, 0});
    assert_pose(joint_of(&o, "a:weld")->X_pj, gmc_quat_identity(), (gmc_vec3){-0.1, 0, 0});
    const gmc_urdf_joint *b = joint_of(&o, "b");
    assert_int_equal(b->kind, GMC_URDF_CONTINUOUS);
    assert_pose(b->X_pj, (gmc_quat){1, 0, 0, -1}, (gmc_vec3){0, 0, 0});
    assert_int_equal(link_of(&o, "a:x")->has_inertial, 0);
    assert_true(link_of(&o, "a")->inertia.mass == 1);
    release(&o);
}

static void limits_as_autolimits_says(void **state)
{
    (void)state;
    const struct {
        const char *compiler, *joint;
        bool has_limits;
    } cases[] = {
        {"", "range='-1 1'", true},
        {"", "range='-1 1' limited='auto'", true},
        {"", "range='-1 1' limited='false'", false},
        {"<compiler autolimits='false'/>", "range='-1 1'", false},
        {"<compiler autolimits='false'/>", "range='-1 1' limited='true'", true},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text, FILE_OF("%s" WORLD(BODY("a", "<joint %s/>"))),
                 cases[i].compiler, cases[i].joint);
        opened o = open_good(text);
        assert_int_equal(joint_of(&o, "a")->has_limits, cases[i].has_limits);
        release(&o);
    }
}

static void free_joint_is_the_scenarios(void **state)
{
    (void)state;
    const char *joints[] = {"<freejoint/>", "<joint type='free'/>"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, FILE_OF(WORLD("<body name='a'>" SOLID "%s</body>")), joints[i]);
        opened o = open_good(text);
        assert_int_equal(joint_of(&o, "a:weld")->kind, GMC_URDF_FIXED);
        assert_int_equal(o.report.warning_count, 1);
        release(&o);
    }
}

// ---- defaults ----------------------------------------------------------------------------------

static void classes_of_classes(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(
        "<default><joint damping='1' armature='9'/>"
        "<default class='f'><joint damping='2' axis='1 0 0'/>"
        "<default class='t'><joint damping='3'/></default></default></default>\n" WORLD(
            BODY("a",
                 "<joint name='main'/>") "<body name='b' childclass='f'>" SOLID
                                         "<joint name='child'/>" BODY("c", "<joint name='deeper'/>")
                                             BODY("d", "<joint name='own' class='t'/>") BODY(
                                                 "e", "<joint name='said' class='t' damping='4' "
                                                      "axis='0 1 0'/>") "</body>")));
    const struct {
        const char *joint;
        double damping;
        int axis;
    } cases[] = {{"main", 1, 2}, {"child", 2, 0}, {"deeper", 2, 0}, {"own", 3, 0}, {"said", 4, 1}};
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        const gmc_urdf_joint *j = joint_of(&o, cases[i].joint);
        assert_true(j->damping == cases[i].damping && j->armature == 9);
        assert_true(gmc_vec3_get(j->axis, cases[i].axis) == 1);
    }
    release(&o);
}

// ---- masses and shapes -------------------------------------------------------------------------

static void masses_of_geoms(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF("<compiler inertiagrouprange='0 2'/>\n" WORLD(
        "<body name='a'>"
        "<geom type='box' size='.1 .2 .3' pos='1 0 0' mass='2'/>"
        "<geom type='sphere' size='.1' pos='-1 0 0' density='3000' contype='0' conaffinity='0'/>"
        "<geom type='ellipsoid' size='.1 .2 .3' mass='1' contype='0' conaffinity='0'/>"
        "<geom type='sphere' size='.1' group='3'/></body>\n"
        "<body name='b'>" SOLID "<geom size='0.1'/></body>\n")));
    const gmc_urdf_link *a = link_of(&o, "a");
    double ball = 3000 * 4 * GMC_PI / 3 * 1e-3, mass = 2 + ball + 1, x = (2 - ball) / mass;
    ASSERT_NEAR_RELATIVE(a->inertia.mass, mass, 1e-15);
    ASSERT_NEAR(a->inertia.com.x, x, 1e-14);
    // about x nothing is moved: boxes m/3 (b² + c²), balls 2/5 m r², ellipsoids m/5 (b² + c²)
    ASSERT_NEAR_RELATIVE(a->inertia.I.m[0], 2.0 / 3 * 0.13 + 0.4 * ball * 0.01 + 0.13 / 5, 1e-14);
    assert_int_equal(a->shape_count, 2); // of those that touch
    assert_int_equal(a->weighed, GMC_URDF_BY_SHAPES_AT_DENSITY);
    assert_true(link_of(&o, "b")->inertia.mass == 1);
    release(&o);
}

static void moments(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(
        WORLD("<body name='a'><inertial pos='0 0 1' mass='2' euler='90 0 0' diaginertia='3 4 5'/>"
              "<joint/></body>\n"
              "<body name='b'><inertial pos='0 0 0' mass='2' fullinertia='3 4 5 .1 .2 .3'/><joint/>"
              "</body>\n")));
    const double *I = link_of(&o, "a")->inertia.I.m, *F = link_of(&o, "b")->inertia.I.m;
    ASSERT_NEAR(I[0], 3, 1e-14);
    ASSERT_NEAR(I[4], 5, 1e-14);
    ASSERT_NEAR(I[8], 4, 1e-14);
    assert_true(link_of(&o, "a")->inertia.com.z == 1);
    assert_true(F[0] == 3 && F[4] == 4 && F[8] == 5 && F[1] == .1 && F[2] == .2 && F[5] == .3);
    release(&o);
}

static void shapes(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(
        WORLD(BODY("a", "<geom size='.1'/><geom type='capsule' fromto='0 0 0 0 0 2' size='.1'/>"
                        "<geom type='cylinder' size='.1 .2' contype='0' conaffinity='2'/>"
                        "<geom type='box' size='.1 .2 .3'/>"
                        "<geom type='box' fromto='1 0 0 3 0 0' size='.1'/>"))));
    const gmc_urdf_shape *s = link_of(&o, "a")->shapes;
    assert_int_equal(link_of(&o, "a")->shape_count, 5);
    assert_int_equal(s[0].shape.type, GMC_SHAPE_SPHERE);
    assert_int_equal(s[1].shape.type, GMC_SHAPE_CAPSULE);
    assert_true(s[1].shape.half_length == 1 && s[1].X_lg.p.z == 1);
    assert_int_equal(s[2].shape.type, GMC_SHAPE_CYLINDER);
    assert_true(s[2].contype == 0 && s[2].conaffinity == 2 && s[2].shape.half_length == .2);
    assert_true(s[3].shape.half.z == .3);
    assert_true(s[4].shape.half.z == 1 && s[4].shape.half.y == .1 && s[4].X_lg.p.x == 2);
    ASSERT_NEAR(fabs(s[4].X_lg.R.m[2]), 1, 1e-15); // its z is the file's x
    release(&o);
}

static void meshes(void **state)
{
    (void)state;
    static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n"
                               "v 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
                               "f 4 1 5 8\n";
    static const char text[] =
        FILE_OF("<compiler meshdir='m'/><default><mesh scale='.1 .1 .1'/></default>\n"
                "<asset><mesh file='c.obj'/><mesh name='long' file='c.obj' scale='.1 .1 "
                ".2'/></asset>\n" WORLD(
                    "<body name='a'><geom type='mesh' mesh='c'/>"
                    "<geom type='mesh' mesh='long' contype='0' conaffinity='0'/></body>"));
    memory_file files[] = {{"d/r.xml", text}, {"d/m/c.obj", cube}, {NULL, NULL}};
    opened o = open_files(files);
    assert_int_equal(o.status, GMC_OK);
    const gmc_urdf_link *a = link_of(&o, "a");
    assert_int_equal(a->shape_count, 1);
    ASSERT_NEAR_RELATIVE(a->inertia.mass, 3.0, 1e-14);
    ASSERT_NEAR_RELATIVE(a->inertia.com.z, (1 * 0.05 + 2 * 0.1) / 3, 1e-14);
    release(&o);
}

// ---- couplings and drives ----------------------------------------------------------------------

#define FINGERS                                                                                    \
    WORLD(BODY("a", "<joint name='p' ref='10'/>") BODY("b", "<joint name='q' ref='20'/>")          \
              BODY("c", "<joint name='r'/>"))

static void couplings(void **state)
{
    (void)state;
    const double deg = GMC_PI / 180;
    opened o =
        open_good(FILE_OF(FINGERS "<equality><joint joint1='q' joint2='p' polycoef='0.1 2 0 0 0'/>"
                                  "<joint joint1='p' joint2='q' active='false'/></equality>\n"));
    const gmc_urdf_joint *q = joint_of(&o, "q");
    assert_int_equal(q->leader, gmc_urdf_find_joint(&o.urdf, "p"));
    // q - 20 deg = 0.1 + 2 (p - 10 deg)
    assert_true(q->ratio == 2);
    ASSERT_NEAR(q->offset, 20 * deg + 0.1 - 2 * 10 * deg, 1e-16);
    release(&o);
    // 2 p + 4 q stays what it is drawn at, which is 100 deg
    o = open_good(FILE_OF(FINGERS
                          "<tendon><fixed name='t'><joint joint='p' coef='2'/><joint joint='q' "
                          "coef='4'/></fixed></tendon><equality><tendon tendon1='t'/></equality>"));
    q = joint_of(&o, "q");
    ASSERT_NEAR(q->ratio, -0.5, 0);
    ASSERT_NEAR(q->offset, 25 * deg, 1e-16);
    assert_int_equal(o.urdf.tendon_count, 1);
    assert_false(o.urdf.tendons[0].is_driven);
    release(&o);
}

static void actuators(void **state)
{
    (void)state;
    const struct {
        const char *actuators;
        double stiffness, damping, effort;
    } cases[] = {
        {"<position joint='p'/>", 1, 0, INFINITY},
        {"<position joint='p' kp='5' kv='0.5' forcerange='-3 3'/>", 5, 0.5, 3},
        {"<position joint='p' kp='5' gear='2' forcerange='-3 3'/>", 20, 0, 6},
        {"<position joint='p' kp='5'/><velocity joint='p' kv='2'/>", 5, 2, INFINITY},
        {"<velocity joint='p' kv='2'/><position joint='p' kp='5'/>", 5, 2, INFINITY},
        {"<motor joint='p' gear='4' ctrlrange='-2 2'/>", NAN, NAN, 8},
        {"<general joint='p' gainprm='3' gear='4' ctrlrange='-2 2'/>", NAN, NAN, 24},
        {"<general joint='p' gainprm='0.02' biastype='affine' biasprm='0 -7 -3'/>", 7, 3, INFINITY},
        {"<general joint='p' forcerange='-2 2'/>", NAN, NAN, 2},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, FILE_OF(FINGERS "<actuator>%s</actuator>"), cases[i].actuators);
        opened o = open_good(text);
        const gmc_urdf_joint *p = joint_of(&o, "p");
        assert_true(p->stiffness == cases[i].stiffness ||
                    (isnan(p->stiffness) && isnan(cases[i].stiffness)));
        assert_true(p->servo_damping == cases[i].damping ||
                    (isnan(p->servo_damping) && isnan(cases[i].damping)));
        assert_true(p->effort == cases[i].effort);
        release(&o);
    }
    opened o = open_good(FILE_OF(
        "<default><general forcerange='-2 2'/><position kp='3'/></default>" FINGERS
        "<tendon><fixed name='t'><joint joint='p'/><joint joint='q' coef='0.5'/></fixed></tendon>"
        "<contact><exclude body1='a' body2='c'/></contact>"
        "<actuator><position tendon='t'/></actuator>"));
    const gmc_urdf_tendon *t = &o.urdf.tendons[0];
    assert_int_equal(t->term_count, 2);
    assert_true(t->terms[1].coefficient == 0.5 && t->stiffness == 3 && t->is_driven);
    assert_int_equal(o.urdf.exclude_count, 1);
    assert_int_equal(o.urdf.excludes[0][1], gmc_urdf_find_link(&o.urdf, "c"));
    release(&o);
}

/// gain, bias and limit as they stand in the model that MuJoCo 2.2.2 compiles of the same file:
/// stiffness and damping are -biasprm[1] and -biasprm[2] times gear², 0 without a bias.
static void defaults_of_actuators(void **state)
{
    (void)state;
    static const char *const of_class =
        "<default><position kp='30' forcerange='-1 1'/><general biasprm='0 -7'/>"
        "<default class='a'><velocity kv='3'/><position/></default>"
        "<default class='b'><motor gear='5'/><general gainprm='4'/></default>"
        "<default class='c'><default class='cc'><position gear='3'/></default>"
        "<general gainprm='9' biastype='affine' biasprm='0.5 -1 -2'/></default>"
        "<default class='d'><general forcelimited='false'/></default></default>";
    static const char *const general =
        "<default><general gainprm='8' biastype='affine' biasprm='0 -8 -0.3' forcerange='-1 1' "
        "gear='2' ctrlrange='-1 1'/>"
        "<default class='p'><position kp='30'/></default>"
        "<default class='v'><velocity kv='3'/></default>"
        "<default class='mo'><motor gear='5' forcerange='-3 3'/></default></default>";
    static const char *const fingers =
        "<default><default class='f'><general forcerange='-2 2' ctrlrange='0 1'/>"
        "<position kp='2000'/></default></default>";
    const struct {
        const char *defaults, *actuator;
        double stiffness, damping, effort;
    } cases[] = {
        {fingers, "<position joint='p' class='f'/>", 2000, 0, 2},
        {general, "<position joint='p'/>", 8 * 4, 0, 2},
        {general, "<position joint='p' kp='5'/>", 5 * 4, 0, 2},
        {general, "<position joint='p' class='p'/>", 30 * 4, 0, 2},
        {general, "<general joint='p' class='p'/>", 30 * 4, 0, 2},
        {general, "<general joint='p'/>", 8 * 4, 0.3 * 4, 2},
        {general, "<general joint='p' biasprm='0 -6'/>", 6 * 4, 0.3 * 4, 2},
        {general, "<velocity joint='p' class='v'/>", NAN, 3 * 4, INFINITY},
        {general, "<motor joint='p'/>", NAN, NAN, 2},
        {general, "<general joint='p' class='mo'/>", NAN, NAN, 5},
        {of_class, "<position joint='p'/>", 30, 0, 1},
        {of_class, "<general joint='p'/>", 7, 0, 1},
        {of_class, "<motor joint='p'/>", NAN, NAN, 1},
        {of_class, "<velocity joint='p'/>", NAN, 30, INFINITY},
        {of_class, "<position joint='p' class='a'/>", 3, 0, 1},
        {of_class, "<general joint='p' class='a'/>", 3, 0, 1},
        {of_class, "<position joint='p' class='b'/>", 4 * 25, 0, 5},
        {of_class, "<general joint='p' class='b' ctrlrange='-0.1 0.1'/>", NAN, NAN, 2},
        {of_class, "<position joint='p' class='cc'/>", 9 * 9, 0, 3},
        {of_class, "<general joint='p' class='cc'/>", 9 * 9, 0, 3},
        {of_class, "<velocity joint='p' class='cc'/>", NAN, 9 * 9, INFINITY},
        {of_class, "<position joint='p' class='d'/>", 30, 0, INFINITY},
        // a word of newer versions: the damping stays in the class, as there
        {"<default><position kp='30' kv='2'/></default>", "<position joint='p'/>", 30, 2, INFINITY},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char text[4096];
        snprintf(text, sizeof text, FILE_OF("%s" FINGERS "<actuator>%s</actuator>"),
                 cases[i].defaults, cases[i].actuator);
        opened o = open_good(text);
        const gmc_urdf_joint *p = joint_of(&o, "p");
        bool is_same = (p->stiffness == cases[i].stiffness ||
                        (isnan(p->stiffness) && isnan(cases[i].stiffness))) &&
                       (p->servo_damping == cases[i].damping ||
                        (isnan(p->servo_damping) && isnan(cases[i].damping))) &&
                       p->effort == cases[i].effort;
        if (!is_same)
            fprintf(stderr, "%s with %s: %g %g %g\n", cases[i].actuator, cases[i].defaults,
                    p->stiffness, p->servo_damping, p->effort);
        assert_true(is_same);
        release(&o);
    }
}

// ---- include -----------------------------------------------------------------------------------

static void includes(void **state)
{
    (void)state;
    memory_file files[] = {
        {"d/r.xml", "<mujoco><include file='w.xml'/>\n<worldbody><body name='a'>" SOLID
                    "<include file='s/b.xml'/></body></worldbody></mujoco>"},
        {"d/w.xml",
         "<mujocoinclude><compiler angle='radian'/><include file='x.xml'/></mujocoinclude>"},
        {"d/x.xml", "<mujoco><default><joint damping='7'/></default></mujoco>"},
        {"d/s/b.xml", "<mujocoinclude><joint axis='1 0 0'/>" BODY("b", "") "</mujocoinclude>"},
        {NULL, NULL}};
    opened o = open_files(files);
    assert_int_equal(o.status, GMC_OK);
    assert_true(joint_of(&o, "a")->damping == 7);
    assert_int_equal(link_of(&o, "b")->joint, gmc_urdf_find_joint(&o.urdf, "b:weld"));
    release(&o);
}

// ---- mistakes ----------------------------------------------------------------------------------

static void mistakes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int line;
        const char *part;
    } cases[] = {
        {"<robot name='r'/>", 1, "expected <mujoco>"},
        {FILE_OF(""), 1, "needs a <worldbody>"},
        {FILE_OF(WORLD(BODY("a", "<joint dampin='1'/>"))), 3, "`dampin` is not known"},
        {FILE_OF(WORLD("<bodi/>")), 3, "<bodi> is not known"},
        {FILE_OF(WORLD(BODY("a", "<joint stiffness='1'/>"))), 3, "`stiffness` is not supported"},
        {FILE_OF(WORLD(BODY("a", "<joint class='x'/>"))), 3, "no class `x`"},
        {FILE_OF(WORLD(BODY("a", "<joint type='screw'/>"))), 3, "`screw` is not known"},
        {FILE_OF(WORLD(BODY("a", "<joint axis='0 0 0'/>"))), 3, "no direction"},
        {FILE_OF(WORLD(BODY("a", "<joint axis='1 0'/>"))), 3, "expected 3 numbers, found 2"},
        {FILE_OF(WORLD(BODY("a", "<joint axis='1 0 x'/>"))), 3, "found `x`"},
        {FILE_OF(WORLD(BODY("a", "<joint type='ball' range='0 1'/>"))), 3, "limits of ball joints"},
        {FILE_OF(WORLD(BODY("a", "<joint range='2 1'/>"))), 3, "lower 2 is above upper 1"},
        {FILE_OF(WORLD(BODY("a", "") BODY("a", ""))), 4, "a second body `a`"},
        {FILE_OF(WORLD(BODY("a", "<joint name='j'/><joint name='j'/>"))), 3, "a second joint `j`"},
        {FILE_OF(WORLD(BODY("a", "<geom type='ellipsoid' size='1 1 1'/>"))), 3, "ellipsoids"},
        {FILE_OF(WORLD(BODY("a", "<geom type='box' size='1 1'/>"))), 3, "expected 3 numbers"},
        {FILE_OF(WORLD(BODY("a", "<geom size='-1'/>"))), 3, "sizes must be > 0"},
        {FILE_OF(WORLD(BODY("a", "<geom type='mesh' mesh='m'/>"))), 3, "no mesh `m`"},
        {FILE_OF(WORLD(BODY("a", "<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"))), 3, "twice"},
        {FILE_OF(WORLD("<body name='a'><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/><joint/>"
                       "</body>")),
         3, "link `a`"},
        {FILE_OF(WORLD("<body name='a'>" BODY("b", "<freejoint/>") "</body>")), 3, "below the top"},
        {FILE_OF(WORLD("<body gravcomp='1'/>")), 3, "`gravcomp`"},
        {FILE_OF("<compiler coordinate='global'/>\n" WORLD(BODY("a", ""))), 2, "`coordinate`"},
        {FILE_OF("<option viscosity='1'/>\n" WORLD(BODY("a", ""))), 2, "`viscosity`"},
        {FILE_OF(FINGERS "<tendon><spatial/></tendon>"), 7, "along sites"},
        {FILE_OF(FINGERS "<tendon><fixed stiffness='1'><joint joint='p'/></fixed></tendon>"), 7,
         "`stiffness`"},
        {FILE_OF(FINGERS "<equality><weld body1='a'/></equality>"), 7, "<weld> is not supported"},
        {FILE_OF(FINGERS
                 "<equality><joint joint1='q' joint2='p' polycoef='0 1 1 0 0'/></equality>"),
         7, "couplings are linear"},
        {FILE_OF(FINGERS "<equality><joint joint1='q' joint2='p'/><joint joint1='p' joint2='q'/>"
                         "</equality>"),
         3, "in the end follows it"},
        {FILE_OF(FINGERS "<actuator><muscle joint='p'/></actuator>"), 7, "<muscle>"},
        {FILE_OF(FINGERS "<actuator><position joint='pp'/></actuator>"), 7, "no joint `pp`"},
        {FILE_OF(FINGERS "<actuator><position joint='p' forcerange='0 1'/></actuator>"), 7,
         "0 ... 1"},
        {FILE_OF(FINGERS "<actuator><position joint='p'/><position joint='p'/></actuator>"), 7,
         "a second actuator"},
        {FILE_OF(FINGERS
                 "<actuator><general joint='p' biastype='affine' biasprm='0 8'/></actuator>"),
         7, "`biasprm` pushes away"},
        {FILE_OF(FINGERS "<actuator><general joint='p' gainprm='0'/></actuator>"), 7,
         "gain 0 moves nothing"},
        {FILE_OF(FINGERS "<actuator><general joint='p' dyntype='filter'/></actuator>"), 7,
         "`dyntype` filter"},
        {FILE_OF(FINGERS "\n<default><muscle/></default><actuator><motor joint='p'/></actuator>"),
         8, "<muscle> changes the defaults"},
        {FILE_OF(FINGERS
                 "<actuator><general joint='p' biastype='affine' biasprm='1 -8'/></actuator>"),
         7, "the constant term b0 = 1 of `biasprm`"},
        {FILE_OF(FINGERS "<actuator><general joint='p' gainprm='0' biastype='affine' "
                         "biasprm='0 -8'/></actuator>"),
         7, "is a spring"},
        {FILE_OF(FINGERS
                 "\n<default><general biastype='affine' biasprm='1 -8'/></default><actuator>"
                 "<general joint='p' gainprm='8'/></actuator>"),
         8, "the constant term b0 = 1"},
        {FILE_OF(FINGERS "<contact><pair/></contact>"), 7, "<pair>"},
        {"<mujoco>\n<include file='r.xml'/></mujoco>", 2, "included twice"},
        {"<mujoco>\n<include file='none.xml'/></mujoco>", 2, "cannot be read"},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        opened o = open_text(cases[i].text);
        bool is_told = false;
        for (int k = 0; k < o.report.count; k++)
            is_told = is_told || (o.report.items[k].severity == GMC_ERROR &&
                                  o.report.items[k].source.line == cases[i].line &&
                                  strstr(o.report.items[k].message, cases[i].part));
        if (!is_told || o.status == GMC_OK) {
            fprintf(stderr, "not told in line %d: %s\n%s", cases[i].line, cases[i].part,
                    cases[i].text);
            gmc_diagnostics_print(&o.report, stderr);
        }
        assert_true(is_told && o.status != GMC_OK);
        release(&o);
    }
}

static void unread_words_are_one_warning(void **state)
{
    (void)state;
    opened o = open_good(FILE_OF(
        "<option iterations='1' cone='elliptic'><flag eulerdamp='disable'/></option>\n" WORLD(BODY(
            "a", "<geom size='0.05' condim='4' friction='1 0 0' solref='0.02 1'/>")) "<sensor/>"));
    char said[512] = "";
    FILE *out = tmpfile();
    assert_non_null(out);
    gmc_diagnostics_print(&o.report, out);
    rewind(out);
    said[fread(said, 1, sizeof said - 1, out)] = 0;
    fclose(out);
    assert_int_equal(o.report.warning_count, 7);
    assert_string_equal(said,
                        "d/r.xml: warning: not read: 7 words (sensor, iterations, cone, ...); "
                        "check --model tells each\n");
    release(&o);
}

// ---- the Shadow hand ---------------------------------------------------------------------------

#define SHADOW "../shared/models/shadow_hand/right_hand.xml"

static void count_shadow(const opened *o, int hinges_wanted, int tendons_wanted)
{
    int hinges = 0, driven = 0;
    double effort = 0, stiffness = 0;
    for (int i = 0; i < o->urdf.joint_count; i++) {
        const gmc_urdf_joint *j = &o->urdf.joints[i];
        hinges += j->kind == GMC_URDF_REVOLUTE;
        driven += j->stiffness > 0;
        if (j->stiffness > 0) stiffness += j->stiffness, effort += j->effort;
    }
    assert_int_equal(hinges, hinges_wanted);
    assert_int_equal(o->urdf.tendon_count, tendons_wanted);
    assert_int_equal(driven, 24);
    // kp 10, 8, 0.4, 1, 0.5, 1.5, 1 of wrist and thumb, then 1 + 1 + 2 x 0.5 of each finger, 1 of LFJ5
    ASSERT_NEAR(stiffness, 10 + 8 + 0.4 + 1 + 0.5 + 1.5 + 1 + 4 * 3 + 1, 1e-12);
    ASSERT_NEAR(effort, 10 + 5 + 3 + 2 + 17 + 3, 1e-12);
    assert_int_equal(o->urdf.exclude_count, 2);
}

static void shadow_hand(void **state)
{
    (void)state;
    gmc_file bytes = {0};
    gmc_urdf_options options = gmc_urdf_defaults();
    opened o = {0};
    if (gmc_file_read(SHADOW, &bytes) != GMC_OK) skip();
    o.status = gmc_mjcf_open(SHADOW, &options, &o.report, &o.urdf);
    if (o.status != GMC_OK) gmc_diagnostics_print(&o.report, stderr);
    assert_int_equal(o.status, GMC_OK);
    count_shadow(&o, 24, 0);
    release(&o);
    gmc_file_free(&bytes);
}

/// The file with its tendons, whose comment marks are blanked, in the place of the one on the disk.
typedef struct changed_file {
    const char *path;
    gmc_file bytes;
} changed_file;

static gmc_status load_changed(void *context, const char *path, gmc_file *file)
{
    const changed_file *changed = context;
    if (strcmp(path, changed->path) != 0) return gmc_file_read(path, file);
    file->bytes = malloc(changed->bytes.size + 1);
    if (!file->bytes) return GMC_E_MEMORY;
    memcpy(file->bytes, changed->bytes.bytes, changed->bytes.size + 1);
    file->size = changed->bytes.size;
    return GMC_OK;
}

static void shadow_hand_with_tendons(void **state)
{
    (void)state;
    changed_file changed = {.path = SHADOW};
    gmc_file_source source = {&changed, load_changed};
    gmc_urdf_options options = gmc_urdf_defaults();
    opened o = {0};
    if (gmc_file_read(SHADOW, &changed.bytes) != GMC_OK) skip();
    char *text = (char *)changed.bytes.bytes, *open = strstr(text, "<!-- <tendon>"),
         *close = strstr(text, "</tendon> -->");
    assert_true(open && close);
    memset(open, ' ', 4);
    memset(close + 9, ' ', 4);
    options.files = &source;
    o.status = gmc_mjcf_open(SHADOW, &options, &o.report, &o.urdf);
    assert_int_equal(o.status, GMC_OK);
    count_shadow(&o, 24, 4);
    for (int i = 0; i < 4; i++) {
        const gmc_urdf_tendon *t = &o.urdf.tendons[i];
        assert_true(t->term_count == 2 && t->terms[0].coefficient == 1 &&
                    t->terms[1].coefficient == 1 && !t->is_driven);
    }
    release(&o);
    gmc_file_free(&changed.bytes);
}

int test_mjcf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations),
        cmocka_unit_test(frames_and_sites),
        cmocka_unit_test(joints_of_one_body),
        cmocka_unit_test(limits_as_autolimits_says),
        cmocka_unit_test(free_joint_is_the_scenarios),
        cmocka_unit_test(classes_of_classes),
        cmocka_unit_test(masses_of_geoms),
        cmocka_unit_test(moments),
        cmocka_unit_test(shapes),
        cmocka_unit_test(meshes),
        cmocka_unit_test(couplings),
        cmocka_unit_test(actuators),
        cmocka_unit_test(defaults_of_actuators),
        cmocka_unit_test(includes),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(unread_words_are_one_warning),
        cmocka_unit_test(shadow_hand),
        cmocka_unit_test(shadow_hand_with_tendons),
    };
    return cmocka_run_group_tests_name("mjcf", tests, NULL, NULL);
}
