#include "engine/collision/broadphase.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

enum { BOXES_MAX = 160, PAIRS_MAX = BOXES_MAX * BOXES_MAX / 2, SCENES = 1000, FRAMES = 4 };

static gmc_aabb boxes[BOXES_MAX * 64];
static unsigned char allowed[BOXES_MAX][BOXES_MAX];
static int found[PAIRS_MAX][2], expected[PAIRS_MAX][2];

static bool overlap(const gmc_aabb *a, const gmc_aabb *b)
{
    for (int k = 0; k < 3; k++)
        if (gmc_vec3_get(a->lo, k) > gmc_vec3_get(b->hi, k) ||
            gmc_vec3_get(b->lo, k) > gmc_vec3_get(a->hi, k))
            return false;
    return true;
}

static int expected_pairs(int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (allowed[i][j] && overlap(&boxes[i], &boxes[j])) {
                expected[n][0] = i;
                expected[n++][1] = j;
            }
    return n;
}

static gmc_aabb random_box(support_random *r, double extent)
{
    double s[3], c[3];
    for (int k = 0; k < 3; k++) {
        s[k] = support_uniform(r, 0, 0.3);
        // some ends on a grid, so that equal values are met
        c[k] = support_uniform(r, 0, extent);
        if (support_index(r, 4) == 0) c[k] = floor(4 * c[k]) / 4, s[k] = 0.25;
    }
    gmc_aabb box = {{c[0] - s[0], c[1] - s[1], c[2] - s[2]},
                    {c[0] + s[0], c[1] + s[1], c[2] + s[2]}};
    if (support_index(r, 30) == 0) box.lo = (gmc_vec3){-INFINITY, -INFINITY, -INFINITY};
    if (support_index(r, 60) == 0) box.hi = (gmc_vec3){INFINITY, INFINITY, INFINITY};
    return box;
}

static void move_box(support_random *r, gmc_aabb *box, double far)
{
    gmc_vec3 d = gmc_vec3_scale(support_uniform(r, 0, far), support_direction(r));
    box->lo = gmc_vec3_add(box->lo, d);
    box->hi = gmc_vec3_add(box->hi, d);
}

// The same pairs in the same order as testing all, for sorted ends and for the list, from frame to
// frame.
static void pairs_are_those_of_all_tests(void **unused)
{
    (void)unused;
    support_random r = {5};
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    int wrong = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        int count = support_index(&r, scene % 10 ? 30 : BOXES_MAX), n = 0, of_all;
        double extent = support_uniform(&r, 0.2, 4), far = support_index(&r, 2) ? 0.02 : 1;
        gmc_broadphase b;
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_broadphase_create(count, &arena, &b), GMC_OK);
        memset(allowed, 0, sizeof allowed);
        long long allowed_count = 0;
        for (int i = 0; i < count; i++) {
            boxes[i] = random_box(&r, extent);
            for (int j = i + 1; j < count; j++) {
                allowed[i][j] = support_index(&r, 4) > 0;
                if (!allowed[i][j]) continue;
                bool is_turned = support_index(&r, 2);
                gmc_broadphase_allow(&b, is_turned ? j : i, is_turned ? i : j);
                allowed_count++;
            }
        }
        assert_int_equal(gmc_broadphase_finish(&b, scene % 3 ? 0 : 96, &arena), GMC_OK);
        assert_int_equal(b.allowed_count, allowed_count);
        for (int frame = 0; frame < FRAMES; frame++) {
            if (frame == FRAMES - 1 && support_index(&r, 2)) b.is_sorted = false;
            of_all = expected_pairs(count);
            assert_int_equal(gmc_broadphase_update(&b, boxes, found, PAIRS_MAX, &n), GMC_OK);
            bool is_same = n == of_all && memcmp(found, expected, (size_t)n * sizeof found[0]) == 0;
            wrong += !is_same;
            for (int i = 0; i < count; i++)
                move_box(&r, &boxes[i], far);
        }
    }
    gmc_arena_free(&arena);
    capability_at_most(43, wrong, 0);
}

/// Comparisons of one frame of `count` boxes at constant density, some frames after the first.
static double comparisons(int count)
{
    support_random r = {9};
    gmc_arena arena;
    gmc_broadphase b;
    static int pairs[1 << 16][2];
    int n;
    assert_int_equal(gmc_arena_create(&arena, 1 << 26), GMC_OK);
    assert_int_equal(gmc_broadphase_create(count, &arena, &b), GMC_OK);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            gmc_broadphase_allow(&b, i, j);
    assert_int_equal(gmc_broadphase_finish(&b, 96, &arena), GMC_OK);
    double side = cbrt((double)count);
    for (int i = 0; i < count; i++) {
        gmc_vec3 c = {support_uniform(&r, 0, side), support_uniform(&r, 0, side),
                      support_uniform(&r, 0, side)};
        gmc_vec3 half = {0.3, 0.3, 0.3};
        boxes[i] = (gmc_aabb){gmc_vec3_sub(c, half), gmc_vec3_add(c, half)};
    }
    long long before = 0;
    const int frames = 20;
    for (int frame = 0; frame <= frames; frame++) {
        assert_int_equal(gmc_broadphase_update(&b, boxes, pairs, GMC_COUNT(pairs), &n), GMC_OK);
        if (frame == 0) before = b.tests;
        // 1 mm in a world of metres: a step of 2 ms at 0.5 m/s
        for (int i = 0; i < count; i++)
            move_box(&r, &boxes[i], 1e-3);
    }
    gmc_arena_free(&arena);
    return (double)(b.tests - before) / frames;
}

static void work_grows_with_the_number_of_boxes(void **unused)
{
    (void)unused;
    double few = comparisons(256), many = comparisons(10000);
    double exponent = gmc_log(many / few) / gmc_log(10000.0 / 256.0);
    print_message("comparisons per frame: 256 boxes %.0f, 10000 boxes %.0f\n", few, many);
    capability_at_most(43, exponent, 1.2);
    // 6 comparisons per box are what it takes to see that nothing changed
    assert_true(few < 10 * 256);
}

static void limits_are_reported(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_broadphase b;
    int pairs[1][2], n;
    assert_int_equal(gmc_arena_create(&arena, 1 << 14), GMC_OK);
    for (int list_max = 0; list_max <= 96; list_max += 96) {
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_broadphase_create(3, &arena, &b), GMC_OK);
        gmc_broadphase_allow(&b, 0, 1);
        gmc_broadphase_allow(&b, 2, 1);
        assert_int_equal(gmc_broadphase_finish(&b, list_max, &arena), GMC_OK);
        for (int i = 0; i < 3; i++)
            boxes[i] = (gmc_aabb){{0, 0, 0}, {1, 1, 1}};
        assert_int_equal(gmc_broadphase_update(&b, boxes, pairs, 1, &n), GMC_E_LIMIT);
        assert_int_equal(n, 2);
        assert_int_equal(pairs[0][0], 0);
        assert_int_equal(pairs[0][1], 1);
        boxes[2] = (gmc_aabb){{2, 2, 2}, {3, 3, 3}};
        assert_int_equal(gmc_broadphase_update(&b, boxes, pairs, 1, &n), GMC_OK);
        assert_int_equal(n, 1);
    }
    gmc_arena_free(&arena);
    // every allocation refused in turn
    int refused = 0;
    for (size_t room = 64; room < 4096; room += 64) {
        assert_int_equal(gmc_arena_create(&arena, room), GMC_OK);
        gmc_status status = gmc_broadphase_create(8, &arena, &b);
        if (status == GMC_OK) status = gmc_broadphase_finish(&b, 96, &arena);
        assert_true(status == GMC_OK || status == GMC_E_ARENA_FULL);
        refused += status == GMC_E_ARENA_FULL;
        gmc_arena_free(&arena);
    }
    assert_true(refused >= 7);
}

static void nothing_is_no_pair(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_broadphase b;
    int n = 7;
    assert_int_equal(gmc_arena_create(&arena, 4096), GMC_OK);
    for (int count = 0; count < 2; count++) {
        gmc_arena_reset(&arena, 0);
        boxes[0] = (gmc_aabb){{0, 0, 0}, {1, 1, 1}};
        assert_int_equal(gmc_broadphase_create(count, &arena, &b), GMC_OK);
        assert_int_equal(gmc_broadphase_finish(&b, -1, &arena), GMC_OK);
        assert_int_equal(gmc_broadphase_update(&b, boxes, found, PAIRS_MAX, &n), GMC_OK);
        assert_int_equal(n, 0);
    }
    gmc_arena_free(&arena);
}

int test_broadphase(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_all_tests),
        cmocka_unit_test(work_grows_with_the_number_of_boxes),
        cmocka_unit_test(limits_are_reported),
        cmocka_unit_test(nothing_is_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
