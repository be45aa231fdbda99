// The tree over the pieces of a body: finds every piece that is near, each once, and few others.
#include "engine/collision/compound.h"
#include "test/support/colliding.h"

#include <string.h>

enum { PIECES = 40, TRIALS = 2000 };

static gmc_hull_table tables[2 * PIECES + 1];
static gmc_compounds compounds;

static int open_seeded(void **state)
{
    the.random.state = 5;
    return open_colliding(state);
}

static gmc_vec3 within(double r)
{
    return (gmc_vec3){support_uniform(&the.random, -r, r), support_uniform(&the.random, -r, r),
                      support_uniform(&the.random, -r, r)};
}

static gmc_pose anywhere(double r)
{
    return gmc_pose_make(support_rotation(&the.random), within(r));
}

/// Two bodies of turned pieces of 5 to 20 mm in a ball of 0.1 m, and a single sphere between them.
static void two_heaps(void)
{
    support_geoms_clear(the.geoms);
    gmc_arena_reset(&the.arena, 0);
    for (int body = 0; body < 2; body++) {
        for (int i = 0; i < PIECES; i++) {
            double size = support_uniform(&the.random, 0.005, 0.02);
            support_geoms_add(the.geoms, support_polytope(the.hulls.prism, size),
                              gmc_pose_identity());
            gmc_geom *g = &the.geoms->geoms[the.geoms->model.geom_count - 1];
            g->X_bg = anywhere(0.1);
            g->body = body + 1;
        }
        if (body == 0) support_geoms_add(the.geoms, support_sphere(0.01), gmc_pose_identity());
    }
    for (int g = 0; g < the.geoms->model.geom_count; g++)
        if (the.geoms->geoms[g].shape.type == GMC_SHAPE_POLYTOPE)
            assert_int_equal(
                gmc_shape_table(the.geoms->geoms[g].shape.polytope, &the.arena, &tables[g]),
                GMC_OK);
    assert_int_equal(gmc_compounds_create(&the.geoms->model, tables, &the.arena, &compounds),
                     GMC_OK);
}

static void pieces_of_a_body_are_one_entry(void **unused)
{
    (void)unused;
    two_heaps();
    const gmc_compounds *all = &compounds;
    assert_int_equal(all->entry_count, 3);
    assert_int_equal(all->count, 2);
    assert_int_equal(all->entry_geom[1], PIECES);
    assert_int_equal(all->entry_geom[2], PIECES + 1);
    assert_int_equal(all->entry_compound[0], 0);
    assert_int_equal(all->entry_compound[1], -1);
    assert_int_equal(all->entry_compound[2], 1);
    assert_int_equal(all->geom_entry[PIECES - 1], 0);
    assert_int_equal(all->geom_entry[2 * PIECES], 2);
    // pieces that may touch different things are different entries
    the.geoms->geoms[3].mask = 2;
    assert_int_equal(gmc_compounds_create(&the.geoms->model, tables, &the.arena, &compounds),
                     GMC_OK);
    assert_int_equal(all->entry_count, 5);
    assert_int_equal(all->entry_compound[1], -1);
}

static double gap(double between, double half) { return fabs(between) - half; }

/// How far apart box and probe are along the axes of the body: at most their distance.
static double apart(gmc_aabb box, const gmc_compound_probe *probe)
{
    gmc_vec3 centre = gmc_vec3_scale(0.5, gmc_vec3_add(box.lo, box.hi));
    gmc_vec3 half = gmc_vec3_scale(0.5, gmc_vec3_sub(box.hi, box.lo));
    if (probe->is_plane) {
        double lowest = HUGE_VAL;
        for (int c = 0; c < 8; c++) {
            gmc_vec3 p = {c & 1 ? box.hi.x : box.lo.x, c & 2 ? box.hi.y : box.lo.y,
                          c & 4 ? box.hi.z : box.lo.z};
            lowest = fmin(lowest, gmc_vec3_dot(probe->n, p));
        }
        return lowest - probe->offset;
    }
    gmc_vec3 d = gmc_vec3_sub(centre, probe->centre), sum = gmc_vec3_add(half, probe->half);
    return fmax(gap(d.x, sum.x), fmax(gap(d.y, sum.y), gap(d.z, sum.z)));
}

static void a_probe_finds_what_is_near(void **unused)
{
    (void)unused;
    int hits[PIECES], seen[2 * PIECES + 1];
    long looked = 0, found = 0;
    two_heaps();
    const gmc_compound *compound = &compounds.compounds[1];
    for (int trial = 0; trial < TRIALS; trial++) {
        gmc_compound_probe probe = {.is_plane = trial % 2 == 0, .centre = within(0.15)};
        double small = support_uniform(&the.random, 0, 0.02);
        probe.half = (gmc_vec3){small, 0.5 * small, 0.3 * small};
        probe.n = support_direction(&the.random);
        probe.offset = support_uniform(&the.random, -0.15, 0.05);
        double growth = support_uniform(&the.random, 0, 0.005);
        int count = gmc_compound_meet(compound, &probe, growth, hits);
        for (int g = 0; g < 2 * PIECES + 1; g++)
            seen[g] = 0;
        for (int k = 0; k < count; k++)
            seen[hits[k]]++;
        for (int g = compound->geom; g < compound->geom + PIECES; g++) {
            const gmc_geom *geom = &the.geoms->geoms[g];
            double distance = apart(gmc_shape_aabb(&geom->shape, &tables[g], &geom->X_bg), &probe);
            assert_true(seen[g] <= 1);
            if (fabs(distance - growth) < 1e-12) continue; // rounding decides
            if (distance < growth) assert_int_equal(seen[g], 1);
            looked += distance >= growth;
            found += distance >= growth && seen[g];
        }
    }
    assert_true(looked > TRIALS);
    assert_true(found < looked / 10); // leaves hold two: few come along unasked
}

static void two_trees_find_what_is_near(void **unused)
{
    (void)unused;
    static int pairs[PIECES * PIECES][2];
    static bool seen[2 * PIECES + 1][2 * PIECES + 1];
    two_heaps();
    const gmc_compound *a = &compounds.compounds[0], *b = &compounds.compounds[1];
    for (int trial = 0; trial < TRIALS / 20; trial++) {
        gmc_pose X_ab = anywhere(0.2);
        int count = gmc_compound_meet_compound(a, b, &X_ab, 1e-3, pairs, PIECES * PIECES);
        assert_true(count <= PIECES * PIECES);
        memset(seen, 0, sizeof seen);
        for (int k = 0; k < count; k++) {
            assert_false(seen[pairs[k][0]][pairs[k][1]]);
            seen[pairs[k][0]][pairs[k][1]] = true;
        }
        for (int i = a->geom; i < a->geom + PIECES; i++)
            for (int j = b->geom; j < b->geom + PIECES; j++) {
                const gmc_geom *gi = &the.geoms->geoms[i], *gj = &the.geoms->geoms[j];
                gmc_pose X_j = gmc_pose_multiply(&X_ab, &gj->X_bg);
                // balls inside both: pieces that truly touch
                double between = gmc_vec3_norm(gmc_vec3_sub(gi->X_bg.p, X_j.p));
                if (between < 0.85 * (gi->shape.scale + gj->shape.scale)) assert_true(seen[i][j]);
            }
        int few = gmc_compound_meet_compound(a, b, &X_ab, 1e-3, pairs, 1);
        assert_int_equal(few, count); // counts on when there is no room
    }
}

static void boxes_follow_sizes(void **unused)
{
    (void)unused;
    int hits[PIECES];
    two_heaps();
    gmc_compound *compound = &compounds.compounds[0];
    gmc_compound_probe far = {.centre = {0.3, 0, 0}};
    assert_int_equal(gmc_compound_meet(compound, &far, 1e-3, hits), 0);
    the.geoms->geoms[7].shape.scale = 0.5;
    gmc_compound_refit(compound, &the.geoms->model, tables);
    assert_true(gmc_compound_meet(compound, &far, 1e-3, hits) > 0);
    assert_true(compound->radius > 0.5);
}

int test_compound(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_body_are_one_entry),
        cmocka_unit_test(a_probe_finds_what_is_near),
        cmocka_unit_test(two_trees_find_what_is_near),
        cmocka_unit_test(boxes_follow_sizes),
    };
    return cmocka_run_group_tests(tests, open_seeded, close_colliding);
}
