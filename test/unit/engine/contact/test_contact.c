#include "engine/contact/cone.h"
#include "engine/contact/contact.h"
#include "test/support/chance.h"
#include "test/support/near.h"

#include <stdbool.h>

enum { BODIES = 3, CAPACITY = 8 };

/// World, a hand part (body 1) and an object (body 2), one geom each; two surfaces.
typedef struct fixture {
    gmc_arena arena;
    gmc_model model;
    gmc_body bodies[BODIES];
    gmc_geom geoms[BODIES];
    gmc_surface_law laws[4];
    gmc_pose X_wb[BODIES];
    gmc_contact_set set;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    f.model = (gmc_model){.body_count = BODIES,
                          .geom_count = BODIES,
                          .surface_count = 2,
                          .bodies = f.bodies,
                          .geoms = f.geoms,
                          .laws = f.laws};
    for (int i = 0; i < BODIES; i++) {
        f.geoms[i].body = i;
        f.geoms[i].surface = i == 2;
        f.X_wb[i] = gmc_pose_identity();
        f.bodies[i].joint = i == 0 ? GMC_JOINT_FIXED : GMC_JOINT_FREE;
    }
    f.laws[1] = f.laws[2] = (gmc_surface_law){.is_given = true, .friction = 0.3};
    *state = &f;
    if (gmc_arena_create(&f.arena, 1 << 16) != GMC_OK) return -1;
    return gmc_contact_set_create(CAPACITY, &f.arena, &f.set) == GMC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    gmc_arena_free(&f->arena);
    return 0;
}

static gmc_contact_point point(int a, int b, uint64_t feature, gmc_vec3 n)
{
    return (gmc_contact_point){.geom_a = a, .geom_b = b, .feature = feature, .n = n};
}

static const gmc_vec3 UP = {0, 0, 1};

/// What a solved step leaves: an impulse that names the feature, and a deflection.
static void mark(gmc_contact_set *set)
{
    for (int i = 0; i < set->count; i++) {
        gmc_contact *c = &set->contacts[i];
        c->impulse[0] = (double)c->point.feature;
        c->impulse[1] = 0.1;
        c->deflection_a = (gmc_vec3){1e-5 * (double)c->point.feature, 0, 0};
    }
}

static void new_contacts_know_nothing(void **state)
{
    fixture *f = *state;
    gmc_contact_point points[] = {point(1, 2, 7, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, points, 1);
    const gmc_contact *c = &f->set.contacts[0];
    assert_int_equal(f->set.count, 1);
    assert_int_equal(c->body_a, 1);
    assert_int_equal(c->body_b, 2);
    assert_true(c->law.friction == 0.3);
    assert_true(c->impulse[0] == 0);
    assert_true(c->deflection[0] == 0);
    assert_true(c->mode == GMC_CONTACT_OPEN);
    assert_true(c->dir[0].z == 1);
    assert_true(gmc_vec3_dot(c->dir[1], c->dir[2]) == 0);
}

static void kept_ids_inherit_and_lost_ids_forget(void **state)
{
    fixture *f = *state;
    gmc_contact_point first[] = {point(0, 2, 1, UP), point(0, 2, 4, UP), point(1, 2, 1, UP),
                                 point(1, 2, 9, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 4);
    mark(&f->set);
    // (0,2,4) lost, (0,2,2) and (1,2,3) new
    gmc_contact_point second[] = {point(0, 2, 1, UP), point(0, 2, 2, UP), point(1, 2, 1, UP),
                                  point(1, 2, 3, UP), point(1, 2, 9, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, second, 5);
    const double impulse[] = {1, 0, 1, 0, 9};
    for (int i = 0; i < 5; i++) {
        const gmc_contact *c = &f->set.contacts[i];
        assert_true(c->impulse[0] == impulse[i]);
        ASSERT_NEAR(c->deflection[0], 1e-5 * impulse[i], 1e-20); // same plane: rounding
    }
    // gone for one step is gone: (0,2,4) comes back empty
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 4);
    assert_true(f->set.contacts[1].impulse[0] == 0);
    assert_true(f->set.contacts[1].deflection[0] == 0);
}

/// Of two geoms of one body the other one goes on where the first is no more, near it alone.
static void what_leaves_a_geom_is_taken_over_by_the_next(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < BODIES; i++)
        f->geoms[i].shape = (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1};
    const double near = 0.299, far = 0.301, leans = gmc_sin(0.5);
    const gmc_vec3 askew = {leans, 0, sqrt(1 - leans * leans)};
    for (int i = 0; i < 5; i++) {
        f->geoms[0].body = i == 3 ? 0 : 1; // two geoms of the hand's part, or of two parts
        f->geoms[0].surface = i == 4;
        f->laws[3] = f->laws[1];
        f->set.count = f->set.previous_count = 0;
        gmc_contact_point first[] = {point(0, 2, 5, UP)};
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 1);
        mark(&f->set);
        gmc_contact_point second[] = {point(1, 2, 8, UP), point(1, 2, 9, i == 2 ? askew : UP)};
        second[0].p.x = far;
        second[1].p.y = i == 1 ? far : near;
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, second, 2);
        assert_true(f->set.contacts[0].impulse[0] == 0);
        assert_true(f->set.contacts[0].is_new);
        const gmc_contact *c = &f->set.contacts[1];
        assert_true(c->impulse[0] == (i == 0 ? 5 : 0));
        assert_true(c->is_new == (i != 0));
        ASSERT_NEAR(c->deflection[0], i == 0 ? 5e-5 : 0, 1e-20);
    }
}

/// Of two bodies that never move likewise, in the frame of the other: as a of the pair, and as b.
static void fixed_bodies_are_one(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < BODIES; i++)
        f->geoms[i].shape = (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1};
    for (int i = 0; i < 2; i++) {
        int still = i == 0 ? 1 : 2, before = i == 0 ? 0 : 1; // the two are 0, 1 of 2; 1, 2 of 0
        int other = i == 0 ? 2 : 0, a = i == 0 ? before : other, b = i == 0 ? other : before;
        for (int k = 0; k < BODIES; k++) {
            f->bodies[k].joint = k == other ? GMC_JOINT_FREE : GMC_JOINT_FIXED;
            f->geoms[k].surface = k == other;
            f->X_wb[k] = gmc_pose_identity();
        }
        f->X_wb[still] = gmc_pose_make(gmc_quat_from_rpy(0.3, -0.4, 1.1), (gmc_vec3){0.4, -2, 0.7});
        f->set.count = f->set.previous_count = 0;
        gmc_contact_point first[] = {point(a, b, 5, UP)};
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 1);
        mark(&f->set);
        gmc_contact_point second[] = {i == 0 ? point(still, other, 8, UP)
                                             : point(other, still, 8, UP)};
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, second, 1);
        const gmc_contact *c = &f->set.contacts[0];
        assert_true(c->impulse[0] == 5);
        assert_true(!c->is_new);
        ASSERT_NEAR(c->deflection[0], 5e-5, 1e-19); // as in the world; of two turns
        gmc_vec3 world = gmc_mat3_apply(&f->X_wb[c->body_a].R, c->deflection_a);
        ASSERT_NEAR(gmc_vec3_dot(world, c->dir[1]), 5e-5, 1e-19);
        gmc_vec3 place = gmc_pose_apply(&f->X_wb[c->body_b], c->place_b);
        ASSERT_NEAR(gmc_vec3_norm(place), 0, 1e-14); // where it was
    }
}

/// It is taken over once, by the nearest; and not while it is there.
static void what_is_taken_over_is_so_once(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < BODIES; i++)
        f->geoms[i].shape = (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 1};
    f->geoms[0].body = 1;
    gmc_contact_point first[] = {point(0, 2, 5, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 1);
    mark(&f->set);
    gmc_contact_point both[] = {point(0, 2, 5, UP), point(1, 2, 8, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, both, 2);
    assert_true(f->set.contacts[0].impulse[0] == 5);
    assert_true(f->set.contacts[1].impulse[0] == 0);
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 1);
    gmc_contact_point second[] = {point(1, 2, 8, UP), point(1, 2, 9, UP)};
    second[0].p.x = 0.05;
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, second, 2);
    assert_true(f->set.contacts[0].impulse[0] == 0);
    assert_true(f->set.contacts[1].impulse[0] == 5);
}

/// The grain turns with the body that has it, and friction is scaled to the larger of the two.
static void grain_directions_follow_their_body(void **state)
{
    fixture *f = *state;
    const gmc_vec3 grain = {0, 1, 0};
    for (int i = 0; i < 2; i++) {
        double ratio = i == 0 ? 0.5 : 4;
        const gmc_surface_extra extra = {
            .has_grain = true, .grain_surface = 1, .grain = grain, .across_ratio = ratio};
        f->laws[1].extra = f->laws[2].extra = &extra;
        f->geoms[2].frame = -1;
        f->X_wb[2] = gmc_pose_make(gmc_quat_exp((gmc_vec3){0.1, 0, 0.7}), UP);
        gmc_contact_point points[] = {point(1, 2, 7, UP)};
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, points, 1);
        const gmc_contact *c = &f->set.contacts[0];
        gmc_vec3 seen = gmc_mat3_apply(&f->X_wb[2].R, grain);
        seen.z = 0; // as the surface has it
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_cross(seen, c->dir[1])), 0, 1e-15);
        assert_true(gmc_vec3_dot(seen, c->dir[1]) > 0.9);
        ASSERT_NEAR(gmc_vec3_dot(gmc_vec3_cross(c->dir[1], c->dir[2]), UP), 1, 1e-15);
        ASSERT_NEAR(c->law.friction * c->extra->scale[0], 0.3, 1e-16);
        ASSERT_NEAR(c->law.friction * c->extra->scale[1], 0.3 * ratio, 1e-15);
        assert_true(c->extra->scale[0] <= 1);
        assert_true(c->extra->scale[1] <= 1);
    }
    // a grain that stands on the surface has no direction in it
    const gmc_surface_extra standing = {
        .has_grain = true, .grain_surface = 0, .grain = UP, .across_ratio = 0.5};
    f->laws[1].extra = f->laws[2].extra = &standing;
    f->geoms[1].frame = -1;
    gmc_contact_point points[] = {point(1, 2, 7, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, points, 1);
    const gmc_contact *c = &f->set.contacts[0];
    assert_true(c->law.friction == 0.3);
    assert_true(c->extra->scale[0] == 1);
    assert_true(c->extra->scale[1] == 1);
}

/// An impulse across the grain needs more friction than the same along it.
static void needed_friction_is_told_along_the_grain(void **state)
{
    fixture *f = *state;
    const gmc_surface_extra extra = {
        .has_grain = true, .grain_surface = 0, .grain = {1, 0, 0}, .across_ratio = 2};
    f->laws[1].extra = f->laws[2].extra = &extra;
    f->geoms[1].frame = -1;
    gmc_contact_point points[] = {point(1, 2, 7, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, points, 1);
    gmc_contact *c = &f->set.contacts[0];
    c->impulse[1] = 3;
    c->impulse[2] = 8; // mu across is twice that along: 4
    ASSERT_NEAR(gmc_contact_along_grain2(c), 25, 1e-14);
}

static void restore_undoes_one_match(void **state)
{
    fixture *f = *state;
    gmc_contact_point first[] = {point(0, 2, 1, UP), point(1, 2, 5, UP)};
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 2);
    mark(&f->set);
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first + 1, 1);
    f->set.contacts[0].impulse[0] = -1; // a step that failed
    gmc_contact_set_restore(&f->set);
    assert_int_equal(f->set.count, 2);
    assert_true(f->set.contacts[0].impulse[0] == 1);
    assert_true(f->set.contacts[1].impulse[0] == 5);
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 2);
    assert_true(f->set.contacts[1].impulse[0] == 5);
    f->set.count = f->set.previous_count = 0;
    assert_int_equal(f->set.count, 0);
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, first, 2);
    assert_true(f->set.contacts[1].impulse[0] == 0);
}

/// The world turned as a whole: in the turned frame nothing changed, whatever tangents the frame
/// has.
static void deflection_and_impulse_turn_with_the_bodies(void **state)
{
    fixture *f = *state;
    gmc_chance chance = {3};
    for (int i = 0; i < 1000; i++) {
        f->set.count = f->set.previous_count = 0;
        gmc_vec3 n = gmc_chance_direction(&chance), axis = gmc_chance_direction(&chance);
        gmc_quat q = gmc_quat_exp(gmc_vec3_scale(gmc_chance_uniform(&chance, 0, 3), axis));
        gmc_contact_point start = point(1, 2, 1, n);
        f->X_wb[1] = gmc_pose_make(gmc_quat_exp(gmc_chance_direction(&chance)), UP);
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, &start, 1);
        gmc_contact *c = &f->set.contacts[0];
        gmc_vec3 d = gmc_vec3_scale(2e-5, c->dir[1]), r = gmc_vec3_scale(0.3, c->dir[2]);
        c->deflection_a = gmc_mat3_apply_transposed(&f->X_wb[1].R, d);
        c->impulse[2] = 0.3;

        gmc_mat3 turn = gmc_quat_matrix(q);
        f->X_wb[1].R = gmc_mat3_multiply(&turn, &f->X_wb[1].R);
        gmc_contact_point end = point(1, 2, 1, gmc_quat_rotate(q, n));
        gmc_contact_set_match(&f->set, &f->model, f->X_wb, &end, 1);
        c = &f->set.contacts[0];
        gmc_vec3 d_turned = gmc_quat_rotate(q, d);
        for (int k = 0; k < 2; k++)
            ASSERT_NEAR(c->deflection[k], gmc_vec3_dot(d_turned, c->dir[k + 1]), 1e-19);
        // impulses are a guess for the solver: they stay in the world's frame
        for (int k = 1; k < 3; k++)
            ASSERT_NEAR(c->impulse[k], gmc_vec3_dot(r, c->dir[k]), 1e-15);
    }
}

static void tilted_normal_keeps_the_length(void **state)
{
    fixture *f = *state;
    gmc_contact_point start = point(1, 2, 1, UP);
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, &start, 1);
    f->set.contacts[0].deflection_a = (gmc_vec3){3e-5, 4e-5, 0};
    gmc_contact_point end = point(1, 2, 1, gmc_vec3_unit((gmc_vec3){0.3, 0, 1}));
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, &end, 1);
    const double *d = f->set.contacts[0].deflection;
    ASSERT_NEAR(sqrt(d[0] * d[0] + d[1] * d[1]), 5e-5, 1e-19);
    // a normal along the deflection leaves nothing tangential
    f->set.contacts[0].deflection_a = (gmc_vec3){1e-5, 0, 0};
    end = point(1, 2, 1, (gmc_vec3){1, 0, 0});
    gmc_contact_set_match(&f->set, &f->model, f->X_wb, &end, 1);
    assert_true(f->set.contacts[0].deflection[0] == 0);
    assert_true(f->set.contacts[0].deflection[1] == 0);
}

static void cone_tells_modes(void **state)
{
    (void)state;
    assert_int_equal(gmc_cone_mode((double[]){0, 0, 0}, 0.5), GMC_CONTACT_OPEN);
    assert_int_equal(gmc_cone_mode((double[]){1, 0.3, 0.3}, 0.5), GMC_CONTACT_STICK);
    assert_int_equal(gmc_cone_mode((double[]){1, 0.3, 0.4}, 0.5), GMC_CONTACT_SLIP);
    assert_int_equal(gmc_cone_mode((double[]){1, 0, 0}, 0), GMC_CONTACT_SLIP);
    assert_true(gmc_cone_needed((double[]){2, 0.3, 0.4}) == 0.25);
    assert_true(gmc_cone_needed((double[]){0, 0, 0}) == 0);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_arena arena;
    gmc_contact_set set;
    assert_int_equal(gmc_arena_create(&arena, sizeof(gmc_contact)), GMC_OK);
    assert_int_equal(gmc_contact_set_create(CAPACITY, &arena, &set), GMC_E_ARENA_FULL);
    gmc_arena_free(&arena);
}

int test_contact(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(new_contacts_know_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kept_ids_inherit_and_lost_ids_forget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_leaves_a_geom_is_taken_over_by_the_next, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(fixed_bodies_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_taken_over_is_so_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(grain_directions_follow_their_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(needed_friction_is_told_along_the_grain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(restore_undoes_one_match, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deflection_and_impulse_turn_with_the_bodies, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tilted_normal_keeps_the_length, set_up, tear_down),
        cmocka_unit_test(cone_tells_modes),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
