// A hundred cases made by hand: fifty in which there is a way, which the planner finds, and fifty in
// which there is none, in which it finds none with the same number of nodes. Every way that it finds
// is walked in small steps and looked at by the collider. The same question twice has the same
// answer to the bit. GRASPMC_LONG=1 gives it more nodes to look in vain with.
#include "engine/model/builder.h"
#include "engine/motion/around.h"
#include "test/support/capability.h"
#include "test/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the ways that there are take up to 2176 nodes
enum { NODES = 3000, NODES_LONG = 8000, KNOTS = 2000, OF_A_KIND = 10 };

static const gmc_source NOWHERE = {0};
enum { MOVES = 1, STANDS = 2 };

typedef struct scene {
    gmc_arena arena, scratch;
    gmc_diagnostics report;
    gmc_builder *builder;
    gmc_model model;
    gmc_arm arm;
    gmc_around around;
    int walls;
    double start[7], goal[7], knots[KNOTS * 7];
} scene;

static void scene_open(scene *s)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 24), GMC_OK);
    assert_int_equal(gmc_arena_create(&s->scratch, 1 << 24), GMC_OK);
    s->builder = gmc_builder_create(&s->report);
}

static void scene_close(scene *s)
{
    gmc_builder_free(s->builder);
    gmc_arena_free(&s->arena);
    gmc_arena_free(&s->scratch);
}

static void geom(scene *s, const char *link, const char *name, gmc_pose X, gmc_shape shape)
{
    bool stands = link == NULL;
    gmc_geom_spec spec = {.link = link,
                          .name = name,
                          .X_lg = X,
                          .shape = shape,
                          .surface = "any",
                          .category = stands ? STANDS : MOVES,
                          .mask = stands ? MOVES : STANDS};
    gmc_builder_geom(s->builder, &spec);
}

static gmc_pose at(double x, double y, double z)
{
    return (gmc_pose){gmc_mat3_identity(), {x, y, z}};
}

static gmc_shape box_of(double x, double y, double z)
{
    return (gmc_shape){.type = GMC_SHAPE_BOX, .half = {x / 2, y / 2, z / 2}, .scale = 1};
}

// A wall from one corner to the other.
static void wall(scene *s, gmc_vec3 lo, gmc_vec3 hi)
{
    char name[16];
    if (!(hi.x > lo.x && hi.y > lo.y && hi.z > lo.z)) return;
    snprintf(name, sizeof name, "wall%d", s->walls++);
    geom(s, NULL, name, at((lo.x + hi.x) / 2, (lo.y + hi.y) / 2, (lo.z + hi.z) / 2),
         box_of(hi.x - lo.x, hi.y - lo.y, hi.z - lo.z));
}

// A closed room about the origin with a hole in the middle of its wall towards +x.
static void room(scene *s, double side, double hole_y, double hole_z)
{
    const double T = 0.02;
    double a = side / 2, b = a + T, y = hole_y / 2, z = hole_z / 2;
    wall(s, (gmc_vec3){-b, -b, -b}, (gmc_vec3){-a, b, b});
    wall(s, (gmc_vec3){-a, -b, -b}, (gmc_vec3){a, -a, b});
    wall(s, (gmc_vec3){-a, a, -b}, (gmc_vec3){a, b, b});
    wall(s, (gmc_vec3){-a, -a, -b}, (gmc_vec3){a, a, -a});
    wall(s, (gmc_vec3){-a, -a, a}, (gmc_vec3){a, a, b});
    wall(s, (gmc_vec3){a, -b, -b}, (gmc_vec3){b, b, -z});
    wall(s, (gmc_vec3){a, -b, z}, (gmc_vec3){b, b, b});
    wall(s, (gmc_vec3){a, -b, -z}, (gmc_vec3){b, -y, z});
    wall(s, (gmc_vec3){a, y, -z}, (gmc_vec3){b, b, z});
}

static void finish(scene *s)
{
    gmc_surface_law law = {.is_given = true, .friction = 0.5, .stiffness = 1e6};
    law.relaxation = 1e-3, law.tangential_ratio = 0.8;
    gmc_builder_law(s->builder, NOWHERE, "any", "any", law);
    assert_int_equal(gmc_builder_finish(s->builder, &s->arena, &s->model), GMC_OK);
}

// A free body with one shape; it goes from the origin to x.
static void free_body(scene *s, gmc_shape shape, double x)
{
    gmc_inertia inertia = {1, {0, 0, 0}, gmc_mat3_diagonal(1e-2, 1e-2, 1e-2)};
    gmc_joint_spec joint = {
        .type = GMC_JOINT_FREE, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    gmc_builder_link(s->builder, NOWHERE, "thing", NULL, &joint, &inertia);
    geom(s, "thing", "thing", gmc_pose_identity(), shape);
    finish(s);
    int body = gmc_model_find_body(&s->model, "thing");
    assert_int_equal(gmc_around_create(&s->model, NULL, body, &s->arena, &s->around), GMC_OK);
    s->start[3] = s->goal[3] = 1;
    s->goal[0] = x;
}

// 0: a ball leaves a room by a hole, or the hole is too small for it.
static void ball_and_hole(scene *s, int k, bool is_way)
{
    double r = 0.02 + 0.004 * k, hole = 2 * r * (is_way ? 1.5 + 0.1 * k : 0.5 + 0.049 * k);
    room(s, 0.4, hole, hole);
    free_body(s, (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = r, .scale = 1}, 0.4);
}

// 1: a bar that stands across must turn to leave by a slot, or no turn fits it.
static void bar_and_slot(scene *s, int k, bool is_way)
{
    double thick = 0.03 + 0.002 * k, slot = thick * (is_way ? 4.5 + 0.15 * k : 0.6 + 0.039 * k);
    room(s, 0.4, slot, is_way ? 0.3 : slot);
    free_body(s, box_of(thick, 0.22, thick), 0.45);
    s->start[3] = gmc_cos(0.3), s->start[6] = gmc_sin(0.3);
}

// An arm of links of these lengths that lies in the plane z = 0.
static void flat_arm(scene *s, int count, double length, double limit)
{
    int dofs[4];
    char name[8], joint_name[8];
    for (int i = 0; i < count; i++) {
        gmc_inertia inertia = {1, {length / 2, 0, 0}, gmc_mat3_diagonal(1e-2, 1e-2, 1e-2)};
        snprintf(name, sizeof name, "l%d", i);
        snprintf(joint_name, sizeof joint_name, "j%d", i);
        char parent[8];
        snprintf(parent, sizeof parent, "l%d", i - 1);
        gmc_joint_spec joint = {.name = joint_name,
                                .type = GMC_JOINT_REVOLUTE,
                                .X_pj = at(i > 0 ? length : 0, 0, 0),
                                .axis = {0, 0, 1},
                                .dof = gmc_builder_default_dof()};
        joint.dof.lower = i == 0 ? -2.8 : -limit;
        joint.dof.upper = i == 0 ? 2.8 : limit;
        gmc_builder_link(s->builder, NOWHERE, name, i > 0 ? parent : NULL, &joint, &inertia);
        geom(s, name, name, at(length / 2, 0, 0), box_of(length, 0.03, 0.03));
        dofs[i] = i;
    }
    finish(s);
    gmc_arm_spec spec = {.model = &s->model,
                         .dofs = dofs,
                         .count = count,
                         .tool_body = s->model.body_count - 1,
                         .X_bt = at(length, 0, 0)};
    assert_int_equal(gmc_arm_create(&spec, &s->arena, &s->arm), GMC_OK);
    assert_int_equal(gmc_around_create(&s->model, &s->arm, -1, &s->arena, &s->around), GMC_OK);
}

// 2: a post stands within reach: an arm that folds gets past it, one that cannot fold does not, for
// it cannot turn the other way round either.
static void arm_and_post(scene *s, int k, bool is_way)
{
    double post = is_way ? 0.30 + 0.01 * k : 0.1 + 0.02 * k;
    wall(s, (gmc_vec3){post, -0.02, -0.2}, (gmc_vec3){post + 0.04, 0.02, 0.2});
    flat_arm(s, 3, 0.2, is_way ? 2.6 : 0.2);
    s->start[0] = -0.9, s->goal[0] = 0.9;
}

// 3: an arm in a plane before a wall with a door, or a wall from its foot outwards to the end of its
// reach, or only to where the folded arm cannot pass.
static void arm_and_wall(scene *s, int k, bool is_way)
{
    double from = is_way ? 0.34 - 0.008 * k : 0.05 + 0.008 * k;
    wall(s, (gmc_vec3){from, -0.01, -0.3}, (gmc_vec3){1, 0.01, 0.3});
    flat_arm(s, 3, 0.2, 2.6);
    s->start[0] = -0.9, s->goal[0] = 0.9;
}

// 4: discs in a ring about a disc of the plane leave a gap that is wide enough, or not.
static void disc_and_ring(scene *s, int k, bool is_way)
{
    enum { POSTS = 16 };
    const double RING = 0.2, r = 0.015 + 0.002 * k;
    double post = 0.045, angle = 2 * GMC_PI / POSTS; // discs overlap by 11 mm
    double open = 2 * (r + post) * (is_way ? 1.2 + 0.05 * k : 0.7 + 0.029 * k);
    double half = gmc_asin(open / 2 / RING);
    gmc_inertia inertia = {1, {0, 0, 0}, gmc_mat3_diagonal(1, 1, 1e-3)};
    gmc_joint_spec joint = {
        .type = GMC_JOINT_PLANAR, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    gmc_builder_link(s->builder, NOWHERE, "disc", NULL, &joint, &inertia);
    geom(s, "disc", "disc", gmc_pose_identity(),
         (gmc_shape){.type = GMC_SHAPE_CIRCLE, .radius = r, .half_length = 0.01, .scale = 1});
    for (int i = 0; i < POSTS; i++) {
        // from one side of the gap, in the direction of +x, round to the other
        double a = half + i * fmin(angle, (2 * GMC_PI - 2 * half) / (POSTS - 1));
        if (i == POSTS - 1) a = 2 * GMC_PI - half;
        char name[16];
        snprintf(name, sizeof name, "post%d", i);
        geom(
            s, NULL, name, at(RING * gmc_cos(a), RING * gmc_sin(a), 0),
            (gmc_shape){.type = GMC_SHAPE_CIRCLE, .radius = post, .half_length = 0.01, .scale = 1});
    }
    finish(s);
    int body = gmc_model_find_body(&s->model, "disc");
    assert_int_equal(gmc_around_create(&s->model, NULL, body, &s->arena, &s->around), GMC_OK);
    s->goal[0] = 0.4;
}

typedef void make(scene *s, int k, bool is_way);
static make *const KINDS[] = {ball_and_hole, bar_and_slot, arm_and_post, arm_and_wall,
                              disc_and_ring};
static const char *const NAMES[] = {"ball and hole", "bar and slot", "arm and post", "arm and wall",
                                    "disc and ring"};

static gmc_plan find(scene *s)
{
    gmc_plan_space space = gmc_around_space(&s->around);
    gmc_plan_options options = gmc_plan_defaults();
    options.node_max = getenv("GRASPMC_LONG") ? NODES_LONG : NODES;
    gmc_plan plan = {
        .start = s->start, .goals = s->goal, .goal_count = 1, .knot_max = KNOTS, .knots = s->knots};
    assert_int_equal(gmc_plan_find(&space, &options, &s->scratch, &plan), GMC_OK);
    return plan;
}

// Walked in steps of half a millimetre, nothing touches.
static void assert_clear(scene *s, const gmc_plan *plan)
{
    gmc_plan_space space = gmc_around_space(&s->around);
    for (int k = 0; k + 1 < plan->knot_count; k++) {
        const double *a = plan->knots + k * space.size, *b = a + space.size;
        int steps = 1 + (int)(space.apart(space.context, a, b) / 5e-4);
        for (int i = 0; i <= steps; i++) {
            double x[7];
            bool is_clear = false;
            space.between(space.context, a, b, (double)i / steps, x);
            assert_int_equal(space.clear(space.context, x, 0, &is_clear), GMC_OK);
            assert_true(is_clear);
        }
    }
}

static int found_in(int kind, bool is_way)
{
    int found = 0;
    for (int k = 0; k < OF_A_KIND; k++) {
        scene *s = calloc(1, sizeof *s);
        scene_open(s);
        KINDS[kind](s, k, is_way);
        gmc_plan plan = find(s);
        if (plan.knot_count > 0) {
            found++;
            assert_clear(s, &plan);
            assert_memory_equal(plan.knots, s->start, (size_t)gmc_around_size(&s->around) * 8);
        }
        if ((plan.knot_count > 0) != is_way)
            printf("%s %d: %d nodes\n", NAMES[kind], k, plan.node_count);
        scene_close(s);
        free(s);
    }
    return found;
}

static void ways_are_found_where_there_are_some(void **unused)
{
    (void)unused;
    int found = 0;
    for (int kind = 0; kind < GMC_COUNT(KINDS); kind++)
        found += found_in(kind, true);
    capability_at_most(80, GMC_COUNT(KINDS) * OF_A_KIND - found, 0);
}

static void none_is_found_where_there_is_none(void **unused)
{
    (void)unused;
    int found = 0;
    for (int kind = 0; kind < GMC_COUNT(KINDS); kind++)
        found += found_in(kind, false);
    capability_at_most(80, found, 0);
}

static void the_same_question_has_the_same_answer(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < GMC_COUNT(KINDS); kind++) {
        scene *s = calloc(2, sizeof *s);
        gmc_plan plans[2];
        for (int i = 0; i < 2; i++) {
            scene_open(&s[i]);
            KINDS[kind](&s[i], 5, true);
            if (i == 1) (void)find(&s[i]); // what was asked before changes nothing
            plans[i] = find(&s[i]);
        }
        assert_int_equal(plans[0].knot_count, plans[1].knot_count);
        assert_int_equal(plans[0].node_count, plans[1].node_count);
        assert_memory_equal(s[0].knots, s[1].knots, sizeof s[0].knots);
        scene_close(&s[0]);
        scene_close(&s[1]);
        free(s);
    }
}

// The bound on how far points go is one: no vertex of a shape goes farther.
static void nothing_goes_farther_than_the_bound(void **unused)
{
    (void)unused;
    scene *s = calloc(1, sizeof *s);
    scene_open(s);
    arm_and_wall(s, 0, true);
    gmc_plan_space space = gmc_around_space(&s->around);
    uint64_t index = 0;
    for (int trial = 0; trial < 200; trial++) {
        double a[3], b[3], u[3];
        gmc_pose X[2][8];
        for (int side = 0; side < 2; side++) {
            double *x = side == 0 ? a : b;
            for (int i = 0; i < 3; i++)
                u[i] = (double)(index++ * 2654435761u % 1000003) / 1000003;
            space.draw(space.context, u, x);
            gmc_arm_place(&s->arm, x);
            memcpy(X[side], s->arm.kin.X_wb, (size_t)s->model.body_count * sizeof X[0][0]);
        }
        double most = 0;
        for (int g = 0; g < s->model.geom_count; g++) {
            const gmc_geom *shape = &s->model.geoms[g];
            if (shape->category != MOVES) continue;
            for (int corner = 0; corner < 8; corner++) {
                gmc_vec3 p = {(corner & 1 ? 1 : -1) * shape->shape.half.x,
                              (corner & 2 ? 1 : -1) * shape->shape.half.y,
                              (corner & 4 ? 1 : -1) * shape->shape.half.z};
                p = gmc_pose_apply(&shape->X_bg, p);
                gmc_vec3 went = gmc_vec3_sub(gmc_pose_apply(&X[1][shape->body], p),
                                             gmc_pose_apply(&X[0][shape->body], p));
                most = fmax(most, gmc_vec3_norm(went));
            }
        }
        assert_true(most <= space.apart(space.context, a, b) * (1 + 1e-12));
    }
    scene_close(s);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_goes_farther_than_the_bound),
        cmocka_unit_test(ways_are_found_where_there_are_some),
        cmocka_unit_test(none_is_found_where_there_is_none),
        cmocka_unit_test(the_same_question_has_the_same_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
