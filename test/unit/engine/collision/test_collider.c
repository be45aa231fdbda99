#include "engine/collision/collider.h"
#include "test/support/colliding.h"
#include "test/support/places.h"

#include <string.h>

static int open_seeded(void **state)
{
    the.random.state = 3;
    return open_colliding(state);
}

static void three_spheres(void)
{
    support_geoms_clear(the.geoms);
    for (int i = 0; i < 3; i++)
        support_geoms_add(the.geoms, support_sphere(0.01), at(0.015 * i, 0, 0));
    support_geoms_add(the.geoms, support_plane(), at(0, 0, -0.009));
}

/// Do geoms a and b touch in what was found?
static bool touches(int a, int b)
{
    for (int i = 0; i < the.count; i++)
        if (the.points[i].geom_a == a && the.points[i].geom_b == b) return true;
    return false;
}

static void masks_bodies_and_statics_decide_who_may_touch(void **unused)
{
    (void)unused;
    three_spheres();
    create();
    find(NULL, 0, 1e-3);
    assert_true(touches(0, 1));
    assert_true(touches(1, 2));
    assert_true(touches(0, 3));
    assert_true(touches(1, 3));
    assert_true(touches(2, 3));
    assert_int_equal(the.count, 5);

    three_spheres();
    the.geoms->geoms[0].category = 2; // others' masks do not name it
    create();
    find(NULL, 0, 1e-3);
    assert_true(!touches(0, 1));
    assert_true(touches(1, 2));
    assert_true(!touches(0, 3));

    three_spheres();
    the.geoms->geoms[1].mask = 4; // it names none of the others
    create();
    find(NULL, 0, 1e-3);
    assert_true(!touches(0, 1));
    assert_true(!touches(1, 2));
    assert_true(touches(0, 3));
    assert_true(!touches(1, 3));

    three_spheres();
    the.geoms->geoms[1].body = the.geoms->geoms[0].body;
    the.geoms->geoms[1].X_bg = at(0.015, 0, 0);
    create();
    find(NULL, 0, 1e-3);
    assert_true(!touches(0, 1));
    assert_true(touches(1, 2));
    assert_true(touches(1, 3));

    three_spheres();
    the.geoms->bodies[the.geoms->geoms[2].body].joint = GMC_JOINT_FIXED;
    create();
    find(NULL, 0, 1e-3);
    assert_true(touches(1, 2));
    assert_true(!touches(2, 3));
}

static void points_are_ordered(void **unused)
{
    (void)unused;
    support_geoms_clear(the.geoms);
    for (int i = 0; i < 40; i++) {
        gmc_shape_type types[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                  GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};
        gmc_shape shape = support_shape(&the.random, types[i % 5], &the.hulls);
        gmc_pose X = gmc_pose_make(support_rotation(&the.random),
                                   gmc_vec3_scale(0.1, support_direction(&the.random)));
        support_geoms_add(the.geoms, shape, X);
    }
    create();
    find(NULL, 0, 1e-3);
    assert_true(the.count > 40);
    for (int i = 1; i < the.count; i++) {
        const gmc_contact_point *p = &the.points[i - 1], *q = &the.points[i];
        assert_true(p->geom_a < p->geom_b);
        bool is_same = p->geom_a == q->geom_a && p->geom_b == q->geom_b;
        assert_true(p->geom_a < q->geom_a || (p->geom_a == q->geom_a && p->geom_b < q->geom_b) ||
                    (is_same && p->feature < q->feature));
    }
}

// A ball above a plane: within reach, or within what its approach adds, but no farther.
static void margin_is_reach_and_approach(void **unused)
{
    (void)unused;
    const double radius = 0.01, gap = 0.004, h = 2e-3;
    support_geoms_clear(the.geoms);
    support_geoms_add(the.geoms, support_sphere(radius), at(0, 0, radius + gap));
    support_geoms_add(the.geoms, support_plane(), at(0, 0, 0));
    support_geoms_add(the.geoms, support_sphere(radius), at(0, 0, 3 * radius + 2 * gap));
    create();
    find(NULL, h, gap * 0.999);
    assert_int_equal(the.count, 0);
    find(NULL, h, gap * 1.001);
    assert_int_equal(the.count, 2);
    ASSERT_NEAR(the.points[0].gap, gap, 1e-17);
    ASSERT_NEAR(the.points[0].p.z, 0.5 * gap, 1e-17);
    ASSERT_NEAR(the.points[0].n.z, -1, 0);

    gmc_twist *V = the.geoms->V;
    V[1].v = (gmc_vec3){0, 0, -1.0}; // 2 mm in a step
    find(V, h, 1e-3);
    assert_int_equal(the.count, 0);
    find(V, h, 2.001e-3);
    assert_true(touches(0, 1));
    // both on the way: their relative motion counts, for one another and not for the plane
    V[2].v = (gmc_vec3){0, 0, -2.5};
    find(V, h, 1.001e-3);
    assert_true(touches(0, 2));
    assert_true(!touches(0, 1));
    V[1].v = V[2].v;
    find(V, h, 1e-3);
    assert_true(!touches(0, 2));
    assert_true(touches(0, 1));
}

// A plane on a driven body moves and turns; it is everywhere, whatever its bounds were.
static void a_moving_plane_is_found(void **unused)
{
    (void)unused;
    support_geoms_clear(the.geoms);
    support_geoms_add(the.geoms, support_sphere(0.01), at(0.5, 0, 0));
    support_geoms_add(the.geoms, support_box(0.01, 0.01, 0.01), at(5, 5, 5));
    support_geoms_add(the.geoms, support_plane(), at(0, 0, 0));
    the.geoms->bodies[2].is_driven = true; // the plane rides on the box
    the.geoms->geoms[2].body = 2;
    the.geoms->geoms[2].X_bg = at(-5, -5, -5.0095);
    the.geoms->V[2].w = (gmc_vec3){0, 1, 0};
    create();
    find(the.geoms->V, 1e-3, 1e-4);
    assert_true(touches(0, 2));
}

// What was asked before a reset leaves no trace.
static void reset_forgets_everything(void **unused)
{
    (void)unused;
    enum { FRAMES = 30 };
    static gmc_contact_point first[FRAMES][POINTS_MAX];
    static gmc_pose path[FRAMES][SUPPORT_GEOMS_MAX + 1];
    int counts[FRAMES];
    for (int many = 0; many < 2; many++) {
        int geom_count = many ? 60 : 8; // sorted ends, and the list
        support_geoms_clear(the.geoms);
        for (int i = 0; i < geom_count; i++) {
            gmc_shape_type types[] = {GMC_SHAPE_BOX, GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE,
                                      GMC_SHAPE_CAPSULE};
            support_geoms_add(
                the.geoms, support_shape(&the.random, types[i % 4], &the.hulls),
                gmc_pose_make(support_rotation(&the.random),
                              gmc_vec3_scale(many ? 0.2 : 0.06, support_direction(&the.random))));
        }
        for (int f = 0; f < FRAMES; f++)
            for (int b = 0; b < the.geoms->model.body_count; b++) {
                path[f][b] = f ? path[f - 1][b] : the.geoms->X_wb[b];
                path[f][b].p =
                    gmc_vec3_add_scaled(path[f][b].p, 1e-3, support_direction(&the.random));
            }
        create();
        for (int round = 0; round < 3; round++) {
            if (round == 2) // leave something behind
                for (int f = FRAMES - 1; f >= 0; f--) {
                    memcpy(the.geoms->X_wb, path[f], sizeof path[f]);
                    find(NULL, 0, 5e-3);
                }
            gmc_collider_reset(the.collider);
            int total = 0;
            for (int f = 0; f < FRAMES; f++) {
                memcpy(the.geoms->X_wb, path[f], sizeof path[f]);
                find(NULL, 0, 1e-3);
                if (round == 0) {
                    counts[f] = the.count;
                    memcpy(first[f], the.points, sizeof the.points);
                }
                assert_int_equal(the.count, counts[f]);
                for (int i = 0; i < the.count; i++) {
                    const gmc_contact_point *p = &first[f][i], *q = &the.points[i];
                    assert_true(p->feature == q->feature);
                    assert_true(p->gap == q->gap);
                    assert_true(p->p.x == q->p.x);
                    assert_true(p->p.y == q->p.y);
                    assert_true(p->p.z == q->p.z);
                    assert_true(p->n.x == q->n.x);
                    assert_true(p->n.y == q->n.y);
                    assert_true(p->n.z == q->n.z);
                }
                total += the.count;
            }
            assert_true(total > FRAMES);
        }
    }
}

static void too_many_points_are_reported(void **unused)
{
    (void)unused;
    three_spheres();
    create();
    for (int capacity = 0; capacity <= 5; capacity++) {
        gmc_contact_point points[5];
        int count = -1;
        gmc_status status = gmc_collider_find(the.collider,
                                              &(gmc_collider_scene){.model = &the.geoms->model,
                                                                    .X_wb = the.geoms->X_wb,
                                                                    .reach = 1e-3},
                                              points, capacity, &count);
        assert_int_equal(status, capacity < 5 ? GMC_E_LIMIT : GMC_OK);
        assert_int_equal(count, capacity);
    }
}

static void small_arenas_are_reported(void **unused)
{
    (void)unused;
    support_geoms_clear(the.geoms);
    support_geoms_add(the.geoms, support_polytope(the.hulls.cloud, 0.01), at(0, 0, 0));
    support_geoms_add(the.geoms, support_polytope(the.hulls.can, 0.01), at(0, 0, 0));
    support_geoms_add(the.geoms, support_polytope(the.hulls.can, 0.02), at(0, 0, 0));
    create();
    size_t enough = the.arena.high_water;
    gmc_collider *collider;
    int refused = 0;
    for (size_t room = 64; room < 32768; room += 64) {
        gmc_arena small;
        assert_int_equal(gmc_arena_create(&small, room), GMC_OK);
        gmc_status status = gmc_collider_create(&the.geoms->model, &small, &collider);
        assert_int_equal(status, room < small.high_water ? GMC_E_ARENA_FULL : GMC_OK);
        refused += status != GMC_OK;
        gmc_arena_free(&small);
    }
    assert_true(refused > 100);
    assert_true(enough > 0);
}

static void work_is_counted(void **unused)
{
    (void)unused;
    three_spheres();
    create();
    find(NULL, 0, 1e-3);
    gmc_collider_counts counts = gmc_collider_counted(the.collider);
    assert_int_equal(counts.broad_tests, 6);
    assert_int_equal(counts.narrow_tests, 5);
}

/// The same points by each broad phase, and each does its own work.
static void broad_phases_find_the_same(void **unused)
{
    (void)unused;
    enum { SPHERES = 30, FINDS = 20 };
    gmc_contact_point first[SPHERES];
    long long tests[3];
    for (int kind = GMC_BROAD_PHASE_AUTOMATIC; kind <= GMC_BROAD_PHASE_SWEEP; kind++) {
        support_geoms_clear(the.geoms);
        for (int i = 0; i < SPHERES; i++)
            support_geoms_add(the.geoms, support_sphere(0.01), at(0.0195 * i, 0, 0));
        the.geoms->model.broad_phase = (gmc_broad_phase)kind;
        create();
        for (int i = 0; i < FINDS; i++)
            find(NULL, 0, 1e-3);
        assert_int_equal(the.count, SPHERES - 1);
        if (kind == GMC_BROAD_PHASE_AUTOMATIC)
            memcpy(first, the.points, sizeof first[0] * (SPHERES - 1));
        assert_memory_equal(the.points, first, sizeof first[0] * (SPHERES - 1));
        tests[kind] = (long long)gmc_collider_counted(the.collider).broad_tests;
    }
    the.geoms->model.broad_phase = GMC_BROAD_PHASE_AUTOMATIC;
    assert_int_equal(tests[GMC_BROAD_PHASE_PAIRS], FINDS * SPHERES * (SPHERES - 1) / 2);
    assert_true(tests[GMC_BROAD_PHASE_SWEEP] < tests[GMC_BROAD_PHASE_PAIRS]);
    assert_true(tests[GMC_BROAD_PHASE_AUTOMATIC] == tests[GMC_BROAD_PHASE_SWEEP]);

    // three pairs are few
    for (int kind = GMC_BROAD_PHASE_AUTOMATIC; kind <= GMC_BROAD_PHASE_SWEEP; kind++) {
        three_spheres();
        the.geoms->model.broad_phase = (gmc_broad_phase)kind;
        create();
        find(NULL, 0, 1e-3);
        assert_int_equal(the.count, 5);
        tests[kind] = (long long)gmc_collider_counted(the.collider).broad_tests;
    }
    the.geoms->model.broad_phase = GMC_BROAD_PHASE_AUTOMATIC;
    assert_true(tests[GMC_BROAD_PHASE_AUTOMATIC] == tests[GMC_BROAD_PHASE_PAIRS]);
    assert_true(tests[GMC_BROAD_PHASE_AUTOMATIC] != tests[GMC_BROAD_PHASE_SWEEP]);
}

int test_collider(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_bodies_and_statics_decide_who_may_touch),
        cmocka_unit_test(points_are_ordered),
        cmocka_unit_test(margin_is_reach_and_approach),
        cmocka_unit_test(a_moving_plane_is_found),
        cmocka_unit_test(reset_forgets_everything),
        cmocka_unit_test(too_many_points_are_reported),
        cmocka_unit_test(small_arenas_are_reported),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(broad_phases_find_the_same),
    };
    return cmocka_run_group_tests(tests, open_seeded, close_colliding);
}
