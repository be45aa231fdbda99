#include "engine/model/builder.h"
#include "engine/model/inertia.h"
#include "test/support/near.h"

#include <string.h>

typedef struct bench {
    gmc_diagnostics report;
    gmc_builder *builder;
    gmc_arena arena;
    gmc_model model;
} bench;

static const gmc_source NOWHERE = {0};
static const gmc_inertia BALL = {1, {0, 0, 0}, {{0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}}};
static const gmc_surface_law LAW = {false, 0.5, 1e6, 1e-3, 0.8, NULL};

static void bench_open(bench *b)
{
    *b = (bench){0};
    b->builder = gmc_builder_create(&b->report);
    assert_non_null(b->builder);
    assert_int_equal(gmc_arena_create(&b->arena, 1 << 16), GMC_OK);
}

static void bench_close(bench *b)
{
    gmc_builder_free(b->builder);
    gmc_diagnostics_free(&b->report);
    gmc_arena_free(&b->arena);
}

static gmc_joint_spec joint(gmc_joint_type type)
{
    return (gmc_joint_spec){.type = type,
                            .X_pj = {gmc_mat3_identity(), {0, 0, 1}},
                            .axis = {0, 0, 2},
                            .dof = gmc_builder_default_dof()};
}

static void add(bench *b, const char *name, const char *parent, gmc_joint_spec spec)
{
    gmc_builder_link(b->builder, NOWHERE, name, parent, &spec, &BALL);
}

static void ball_geom(bench *b, const char *link, gmc_shape shape)
{
    gmc_builder_geom(b->builder, &(gmc_geom_spec){.source = NOWHERE,
                                                  .link = link,
                                                  .name = "geom",
                                                  .X_lg = gmc_pose_identity(),
                                                  .shape = shape,
                                                  .surface = "steel",
                                                  .category = 1,
                                                  .mask = 1});
}

// Finishing reports exactly one mistake, which says this, and changes no model.
static void assert_mistake(bench *b, const char *says)
{
    gmc_model untouched = {.body_count = -7};
    b->model = untouched;
    assert_int_equal(gmc_builder_finish(b->builder, &b->arena, &b->model), GMC_E_INPUT);
    assert_int_equal(b->model.body_count, -7);
    if (b->report.error_count != 1 || !strstr(b->report.items[0].message, says)) {
        gmc_diagnostics_print(&b->report, stderr);
        fail_msg("expected one mistake that says '%s'", says);
    }
    assert_int_equal(b->report.items[0].status, GMC_E_INPUT);
    bench_close(b);
}

static void assert_warning(bench *b, const char *says)
{
    assert_int_equal(gmc_builder_finish(b->builder, &b->arena, &b->model), GMC_OK);
    assert_int_equal(b->report.error_count, 0);
    assert_int_equal(b->report.warning_count, 1);
    if (!strstr(b->report.items[0].message, says)) fail_msg("%s", b->report.items[0].message);
}

static void indices_are_given_in_order(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec base = joint(GMC_JOINT_FREE), finger = joint(GMC_JOINT_PRISMATIC),
                   mimic = finger;
    base.is_driven = true;
    finger.name = "drive";
    mimic.mimic_joint = "drive";
    mimic.ratio = -1;
    mimic.offset = 0.5;
    add(&b, "palm", NULL, base);
    add(&b, "left", "palm", mimic); // its leader comes later
    add(&b, "right", "palm", finger);
    add(&b, "cube", NULL, joint(GMC_JOINT_FREE));
    add(&b, "ball", "right", joint(GMC_JOINT_SPHERICAL));
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    const gmc_model *m = &b.model;
    assert_int_equal(m->body_count, 6);
    assert_int_equal(m->free_count, 1 + 6 + 3);
    assert_int_equal(m->dof_count, 16);
    assert_int_equal(m->q_count, 7 + 1 + 7 + 4);
    assert_int_equal(m->bodies[1].v, 10); // driven ones behind
    assert_int_equal(m->bodies[3].v, 0);
    assert_int_equal(m->bodies[4].v, 1);
    assert_int_equal(m->bodies[5].v, 7);
    assert_int_equal(m->bodies[2].v, m->bodies[3].v);
    assert_int_equal(m->bodies[2].q, m->bodies[3].q);
    assert_true(m->bodies[2].is_mimic);
    assert_true(!m->bodies[3].is_mimic);
    ASSERT_NEAR(m->bodies[2].ratio, -1, 0);
    ASSERT_NEAR(m->bodies[2].offset, 0.5, 0);
    ASSERT_NEAR(m->bodies[3].axis.z, 1, 0);
    assert_true(m->bodies[4].is_isolated);
    assert_true(!m->bodies[1].is_isolated);
    assert_int_equal(gmc_model_find_dof(m, "drive"), 0);
    assert_int_equal(gmc_model_find_dof(m, "left"), -1);
    ASSERT_NEAR(m->q_start[m->bodies[4].q + 3], 1, 0);
    ASSERT_NEAR(m->q_start[m->bodies[5].q], 1, 0);
    ASSERT_NEAR(m->gravity.z, -9.81, 0);
    bench_close(&b);
}

static void driven_mimic_follows_its_leader(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec leader = joint(GMC_JOINT_REVOLUTE), mimic = leader;
    leader.is_driven = true;
    mimic.mimic_joint = "a";
    mimic.ratio = 2;
    add(&b, "a", NULL, leader);
    add(&b, "b", NULL, mimic);
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    assert_int_equal(b.model.free_count, 0);
    assert_int_equal(b.model.dof_count, 1);
    assert_true(b.model.bodies[2].is_driven);
    bench_close(&b);
}

static void mimics_act_on_their_leader(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec leader = joint(GMC_JOINT_REVOLUTE), mimic = leader;
    leader.dof.lower = 0;
    leader.dof.upper = 2;
    leader.dof.damping = 1;
    mimic.mimic_joint = "a";
    mimic.ratio = -2;
    mimic.offset = 1;
    mimic.dof.lower = -1; // leader <= 1
    mimic.dof.upper = 2;  // leader >= -0.5
    mimic.dof.damping = 0.5;
    mimic.dof.friction = 0.25;
    mimic.dof.armature = 0.125;
    add(&b, "a", NULL, leader);
    add(&b, "b", NULL, mimic);
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    const gmc_dof *dof = b.model.dofs;
    ASSERT_NEAR(dof->lower, 0, 0);
    ASSERT_NEAR(dof->upper, 1, 0);
    ASSERT_NEAR(dof->damping, 3, 0);
    ASSERT_NEAR(dof->friction, 0.5, 0);
    ASSERT_NEAR(dof->armature, 0.5, 0);
    bench_close(&b);
}

static void fixed_links_merge(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec swing = joint(GMC_JOINT_REVOLUTE), weld = joint(GMC_JOINT_FIXED), tip = swing;
    add(&b, "arm", NULL, swing);
    add(&b, "hand", "arm", weld);
    add(&b, "pad", "hand", weld);
    add(&b, "finger", "pad", tip);
    ball_geom(&b, "pad", (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1});
    weld.X_pj.p = (gmc_vec3){1, 0, 0};
    gmc_builder_link(b.builder, NOWHERE, "tcp", "hand", &weld, NULL);
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    const gmc_model *m = &b.model;
    assert_int_equal(m->body_count, 3);
    ASSERT_NEAR(m->bodies[1].inertia.mass, 3, 0);
    ASSERT_NEAR(m->bodies[1].inertia.com.z, 1, 1e-15);
    ASSERT_NEAR(m->bodies[1].inertia.I.m[0], 0.3 + 2, 1e-15);
    ASSERT_NEAR(m->bodies[2].X_pj.p.z, 3, 0);
    assert_int_equal(m->frame_count, 5);
    int pad = gmc_model_find_frame(m, "pad"), tcp = gmc_model_find_frame(m, "tcp");
    assert_int_equal(m->frames[pad].body, 1);
    ASSERT_NEAR(m->frames[pad].X_bf.p.z, 2, 0);
    ASSERT_NEAR(m->frames[tcp].X_bf.p.x, 1, 0);
    ASSERT_NEAR(m->frames[tcp].X_bf.p.z, 1, 0);
    assert_int_equal(m->geoms[0].body, 1);
    assert_int_equal(m->geoms[0].frame, pad);
    ASSERT_NEAR(m->geoms[0].X_bg.p.z, 2, 0);
    bench_close(&b);
}

static void links_on_the_world_stay_bodies(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    add(&b, "table", NULL, joint(GMC_JOINT_FIXED));
    add(&b, "shelf", "table", joint(GMC_JOINT_FIXED));
    add(&b, "cup", "shelf", joint(GMC_JOINT_FREE));
    gmc_builder_link(b.builder, NOWHERE, "wall", NULL, NULL, NULL);
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    assert_int_equal(b.model.body_count, 4);
    assert_int_equal(b.model.bodies[2].parent, 1);
    ASSERT_NEAR(b.model.bodies[2].X_pj.p.z, 2, 0);
    assert_true(b.model.bodies[2].is_isolated);
    assert_true(gmc_model_is_static(&b.model, 3));
    bench_close(&b);
}

static void laws_are_symmetric(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_builder_law(b.builder, NOWHERE, "rubber", "wood", LAW);
    ball_geom(&b, NULL, (gmc_shape){.type = GMC_SHAPE_PLANE});
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    assert_int_equal(b.model.surface_count, 3);
    assert_string_equal(b.model.surfaces[2], "steel");
    assert_true(gmc_model_law(&b.model, 0, 1)->is_given);
    assert_true(gmc_model_law(&b.model, 1, 0)->is_given);
    ASSERT_NEAR(gmc_model_law(&b.model, 1, 0)->friction, 0.5, 0);
    assert_false(gmc_model_law(&b.model, 0, 2)->is_given);
    bench_close(&b);
}

static void finishing_again_gives_the_same(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 64), GMC_OK);
    add(&b, "one", NULL, joint(GMC_JOINT_REVOLUTE));
    add(&b, "two", "one", joint(GMC_JOINT_PRISMATIC));
    ball_geom(&b, "two", (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1});
    // every size that is too small is told, and leaves the arena as it was
    int refused = 0;
    for (size_t bytes = 64; bytes < b.arena.capacity; bytes += 64) {
        gmc_arena_free(&small);
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        gmc_status status = gmc_builder_finish(b.builder, &small, &b.model);
        if (status == GMC_OK) break;
        assert_int_equal(status, GMC_E_ARENA_FULL);
        assert_int_equal(gmc_arena_mark(&small), 0);
        refused++;
    }
    assert_true(refused > 10);
    assert_int_equal(b.model.body_count, 3);
    assert_int_equal(b.report.error_count, 0);
    gmc_arena_free(&small);
    bench_close(&b);
}

static void mistakes_are_counted_again_when_finishing_again(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    add(&b, "one", "nobody", joint(GMC_JOINT_REVOLUTE));
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_E_INPUT);
    assert_mistake(&b, "the parent 'nobody' of link 'one' does not exist");
}

static void names_and_parents(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    add(&b, "one", NULL, joint(GMC_JOINT_REVOLUTE));
    add(&b, "one", NULL, joint(GMC_JOINT_REVOLUTE));
    assert_mistake(&b, "link name 'one' is used twice");

    bench_open(&b);
    gmc_joint_spec named = joint(GMC_JOINT_REVOLUTE);
    named.name = "j";
    add(&b, "one", NULL, named);
    add(&b, "two", NULL, named);
    assert_mistake(&b, "joint name 'j' is used twice, by links 'one' and 'two'");

    bench_open(&b);
    add(&b, "", NULL, joint(GMC_JOINT_REVOLUTE));
    assert_mistake(&b, "a link needs a name");

    bench_open(&b);
    add(&b, "one", "two", joint(GMC_JOINT_REVOLUTE));
    add(&b, "two", NULL, joint(GMC_JOINT_REVOLUTE));
    assert_mistake(&b, "comes after it");

    bench_open(&b);
    ball_geom(&b, "ghost", (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1});
    assert_mistake(&b, "the link 'ghost' of shape 'geom' does not exist");
}

static void joints(void **unused)
{
    (void)unused;
    bench b;
    gmc_joint_spec spec;

    bench_open(&b);
    spec = joint(GMC_JOINT_REVOLUTE);
    spec.axis = (gmc_vec3){0, 0, 0};
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "the axis of joint 'one'");

    bench_open(&b);
    spec = joint(GMC_JOINT_PRISMATIC);
    spec.dof.lower = 1;
    spec.dof.upper = -1;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "crossed: lower 1, upper -1");

    bench_open(&b);
    spec = joint(GMC_JOINT_PRISMATIC);
    spec.q_start = NAN;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "the start of joint 'one' must be finite");

    bench_open(&b);
    spec = joint(GMC_JOINT_SPHERICAL);
    spec.dof.lower = 0;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "limits and friction are for");

    bench_open(&b);
    spec = joint(GMC_JOINT_FREE);
    spec.dof.armature = 1;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "armature belongs to a motor");

    bench_open(&b);
    add(&b, "one", NULL, joint(GMC_JOINT_REVOLUTE));
    add(&b, "two", "one", joint(GMC_JOINT_FREE));
    assert_mistake(&b, "its parent 'one' must not move");

    bench_open(&b);
    spec = joint(GMC_JOINT_FIXED);
    spec.is_driven = true;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "fixed and cannot be driven");

    bench_open(&b);
    add(&b, "one", NULL, joint(GMC_JOINT_COUNT));
    assert_mistake(&b, "no known type");

    bench_open(&b);
    spec = joint(GMC_JOINT_REVOLUTE);
    spec.X_pj.R.m[0] = 1.01;
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "the pose of joint 'one'");

    bench_open(&b);
    spec = joint(GMC_JOINT_REVOLUTE);
    spec.X_pj.R.m[0] = -1; // a mirror
    add(&b, "one", NULL, spec);
    assert_mistake(&b, "the pose of joint 'one'");

    bench_open(&b);
    gmc_builder_gravity(b.builder, (gmc_vec3){0, NAN, 0});
    assert_mistake(&b, "gravity must be finite");
}

static void joint_properties(void **unused)
{
    (void)unused;
    const char *says[] = {"armature",      "damping",       "friction", "limit stiffness",
                          "largest force", "largest speed", "damping"};
    for (int i = 0; i < GMC_COUNT(says); i++) {
        bench b;
        bench_open(&b);
        gmc_joint_spec spec = joint(GMC_JOINT_REVOLUTE);
        double *property[] = {&spec.dof.armature,        &spec.dof.damping,   &spec.dof.friction,
                              &spec.dof.limit_stiffness, &spec.dof.max_force, &spec.dof.max_speed,
                              &spec.dof.damping};
        *property[i] = i == 6 ? NAN : i == 3 ? 0 : -1;
        add(&b, "one", NULL, spec);
        assert_mistake(&b, says[i]);
    }
}

static void mimics(void **unused)
{
    (void)unused;
    bench b;
    gmc_joint_spec leader = joint(GMC_JOINT_REVOLUTE), mimic = leader;
    mimic.ratio = 1;

    bench_open(&b);
    mimic.mimic_joint = "nobody";
    add(&b, "one", NULL, mimic);
    assert_mistake(&b, "mimics 'nobody', which does not exist");

    bench_open(&b);
    mimic.mimic_joint = "one";
    add(&b, "one", NULL, mimic);
    assert_mistake(&b, "mimics itself");

    bench_open(&b);
    add(&b, "one", NULL, leader);
    add(&b, "two", NULL, mimic);
    gmc_joint_spec second = mimic;
    second.mimic_joint = "two";
    add(&b, "three", NULL, second);
    assert_mistake(&b, "mimics 'two', which is a mimic itself, of 'one'");

    bench_open(&b);
    add(&b, "one", NULL, joint(GMC_JOINT_SPHERICAL));
    add(&b, "two", NULL, mimic);
    assert_mistake(&b, "must be revolute or prismatic");

    bench_open(&b);
    mimic.ratio = 0;
    add(&b, "one", NULL, leader);
    add(&b, "two", NULL, mimic);
    assert_mistake(&b, "needs a finite ratio other than 0");
}

static void masses(void **unused)
{
    (void)unused;
    bench b;
    gmc_joint_spec turn = joint(GMC_JOINT_REVOLUTE), ball = joint(GMC_JOINT_SPHERICAL);
    gmc_joint_spec slide = joint(GMC_JOINT_PRISMATIC), loose = joint(GMC_JOINT_FREE);
    gmc_inertia bad = BALL, speck = {1, {0, 0, 10}, gmc_mat3_diagonal(1e-11, 1e-11, 1e-11)};
    bad.I.m[0] = 0.5;

    bench_open(&b);
    gmc_builder_link(b.builder, NOWHERE, "one", NULL, &turn, &bad);
    assert_mistake(&b, "the inertia of link 'one': no body has principal moments 0.1, 0.1, 0.5");

    const gmc_joint_spec *moving[] = {&turn, &ball, &slide, &loose};
    for (int i = 0; i < GMC_COUNT(moving); i++) {
        bench_open(&b);
        gmc_builder_link(b.builder, NOWHERE, "one", NULL, moving[i], NULL);
        assert_mistake(&b, "joint 'one' of link 'one' moves no mass");
    }

    bench_open(&b); // far along the axis and no wider than rounding: nothing turns
    gmc_builder_link(b.builder, NOWHERE, "one", NULL, &turn, &speck);
    assert_mistake(&b, "moves no mass");

    bench_open(&b); // what hangs on a massless link counts, an armature too, and a mimic's mass
    gmc_joint_spec motor = turn, mimic = turn;
    motor.dof.armature = 1e-3;
    mimic.mimic_joint = "c";
    mimic.ratio = 1;
    gmc_builder_link(b.builder, NOWHERE, "a", NULL, &turn, NULL);
    add(&b, "b", "a", turn);
    gmc_builder_link(b.builder, NOWHERE, "c", NULL, &turn, NULL);
    add(&b, "d", NULL, mimic);
    gmc_builder_link(b.builder, NOWHERE, "e", NULL, &motor, NULL);
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    bench_close(&b);
}

static void shapes(void **unused)
{
    (void)unused;
    const struct {
        gmc_shape shape;
        const char *says;
    } cases[] = {
        {{.type = GMC_SHAPE_SPHERE}, "needs a radius > 0"},
        {{.type = GMC_SHAPE_SPHERE, .radius = INFINITY}, "needs a radius > 0"},
        {{.type = GMC_SHAPE_CAPSULE, .radius = 1}, "a length > 0"},
        {{.type = GMC_SHAPE_CYLINDER, .half_length = 1}, "a radius > 0"},
        {{.type = GMC_SHAPE_BOX, .half = {1, 1, -1}}, "needs three sizes > 0"},
        {{.type = GMC_SHAPE_POLYTOPE, .scale = 1}, "needs a polytope"},
        {{.type = GMC_SHAPE_POLYGON, .scale = 1, .half_length = 1}, "needs a polygon"},
        {{.type = GMC_SHAPE_CIRCLE, .radius = 1}, "a thickness > 0"},
        {{.type = GMC_SHAPE_SUPER_ELLIPSE, .half = {1, 1, 0}, .exponent = 1, .half_length = 1},
         "an exponent > 1"},
        {{.type = GMC_SHAPE_COUNT}, "has no known type"},
        {{.type = GMC_SHAPE_PLANE}, "must not move freely"},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        bench b;
        bench_open(&b);
        add(&b, "one", NULL, joint(GMC_JOINT_FREE));
        ball_geom(&b, "one", cases[i].shape);
        assert_mistake(&b, cases[i].says);
    }
    bench b;
    bench_open(&b); // a driven plane moves, but not freely
    gmc_joint_spec driven = joint(GMC_JOINT_PRISMATIC);
    driven.is_driven = true;
    add(&b, "belt", NULL, driven);
    ball_geom(&b, "belt", (gmc_shape){.type = GMC_SHAPE_PLANE});
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_OK);
    bench_close(&b);
}

static void laws(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_builder_law(b.builder, NOWHERE, "a", "b", LAW);
    gmc_builder_law(b.builder, NOWHERE, "b", "a", LAW);
    assert_mistake(&b, "the law of surfaces 'b' and 'a' is given twice");
    for (int i = 0; i < 5; i++) {
        gmc_surface_law law = LAW;
        double *value[] = {&law.friction, &law.stiffness, &law.relaxation, &law.tangential_ratio,
                           &law.friction};
        *value[i] = i == 4 ? NAN : -1;
        bench_open(&b);
        gmc_builder_law(b.builder, NOWHERE, "a", "b", law);
        assert_mistake(&b, "surfaces 'a' and 'b' need friction >= 0");
    }
}

static void warnings(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec spec = joint(GMC_JOINT_REVOLUTE);
    spec.dof.lower = -2;
    spec.dof.upper = -1;
    add(&b, "one", NULL, spec);
    assert_warning(&b, "the start 0 of joint 'one' lies outside");
    ASSERT_NEAR(b.model.q_start[0], -1, 0);
    bench_close(&b);

    bench_open(&b);
    spec = joint(GMC_JOINT_REVOLUTE);
    spec.dof.lower = 0;
    spec.dof.upper = 1;
    gmc_joint_spec mimic = spec;
    mimic.mimic_joint = "one";
    mimic.ratio = -1;
    add(&b, "one", NULL, spec);
    add(&b, "two", NULL, mimic);
    assert_warning(&b, "leave its leader 'one' no room to move");
    ASSERT_NEAR(b.model.dofs[0].upper, 1, 0);
    bench_close(&b);
}

static void all_mistakes_in_one_pass(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b);
    gmc_joint_spec spec = joint(GMC_JOINT_REVOLUTE);
    spec.axis = (gmc_vec3){0, 0, 0};
    spec.dof.damping = -1;
    spec.mimic_joint = "ghost";
    gmc_source place = {"model.urdf", 12, 3, 4, NULL};
    gmc_builder_link(b.builder, place, "one", "nobody", &spec, &BALL);
    ball_geom(&b, "one", (gmc_shape){.type = GMC_SHAPE_BOX});
    assert_int_equal(gmc_builder_finish(b.builder, &b.arena, &b.model), GMC_E_INPUT);
    assert_int_equal(b.report.error_count, 5);
    assert_string_equal(b.report.items[0].source.file, "model.urdf");
    assert_int_equal(b.report.items[0].source.line, 12);
    bench_close(&b);
}

int test_builder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_given_in_order),
        cmocka_unit_test(driven_mimic_follows_its_leader),
        cmocka_unit_test(mimics_act_on_their_leader),
        cmocka_unit_test(fixed_links_merge),
        cmocka_unit_test(links_on_the_world_stay_bodies),
        cmocka_unit_test(laws_are_symmetric),
        cmocka_unit_test(finishing_again_gives_the_same),
        cmocka_unit_test(mistakes_are_counted_again_when_finishing_again),
        cmocka_unit_test(names_and_parents),
        cmocka_unit_test(joints),
        cmocka_unit_test(joint_properties),
        cmocka_unit_test(mimics),
        cmocka_unit_test(masses),
        cmocka_unit_test(shapes),
        cmocka_unit_test(laws),
        cmocka_unit_test(warnings),
        cmocka_unit_test(all_mistakes_in_one_pass),
    };
    return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
