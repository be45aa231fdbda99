// Every pair of shapes, dropped and pinched (test/support/shape_pairs.h): every step is solved,
// what came to rest does not drift, nothing moves for ever that does not roll, and nobody is faster
// than the work done on him allows. A cube given as a mesh fares like the box.
//
// Without arguments a sample of a few seconds; `--whole` is the study: 1000 trials a pair.
#include "engine/model/hull.h"
#include "test/support/near.h"
#include "test/support/shape_pairs.h"

#include <stdio.h>
#include <string.h>

static const gmc_shape_type SOLIDS[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                        GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};
/// The share of random numbers that the sample takes: always the first ones.
static int drops = 2, pinches = 2, cubes = 20;

/// Asked of the product: 1e-9 m in 10 s.
static const double DRIFT_MAX = 1e-9;
/// The kinetic energy never exceeds the work: rounding of both.
static const double GAIN_MAX = 1e-9;

static gmc_shape_pairs_hulls hulls;

static int open_hulls(void **state)
{
    (void)state;
    gmc_shape_pairs_hulls_create(&hulls);
    return 0;
}

static int close_hulls(void **state)
{
    (void)state;
    gmc_shape_pairs_hulls_free(&hulls);
    return 0;
}

typedef struct tally {
    int ends[GMC_PAIRS_END_COUNT], wrong;
    double drift;
} tally;

static void count(tally *t, const char *kind, int object, int other, int index,
                  const gmc_shape_pairs_outcome *o)
{
    t->ends[o->end]++;
    if (o->end == GMC_PAIRS_REST && !(o->drift <= t->drift)) t->drift = o->drift;
    bool is_right = o->end != GMC_PAIRS_UNSOLVED && o->end != GMC_PAIRS_RESTLESS &&
                    (o->end != GMC_PAIRS_REST || o->drift <= DRIFT_MAX) && o->gain <= GAIN_MAX;
    if (is_right) return;
    t->wrong++;
    print_error("bench_shapes one %s,%s,%s %d: %s (%s), drift %g m, gain %g\n", kind,
                gmc_shape_pairs_shape_name(object), gmc_shape_pairs_shape_name(other), index,
                gmc_shape_pairs_end_name(o->end), gmc_status_name(o->status), o->drift, o->gain);
}

static void judge(const char *kind, const tally *t)
{
    print_message("%s: %d at rest (drift %.1e m), %d rolling, %d lost, %d unsolved\n", kind,
                  t->ends[GMC_PAIRS_REST], t->drift, t->ends[GMC_PAIRS_ROLLING],
                  t->ends[GMC_PAIRS_GONE], t->ends[GMC_PAIRS_UNSOLVED]);
    assert_int_equal(t->wrong, 0);
    assert_true(t->ends[GMC_PAIRS_REST] > 0); // else nothing was asked
}

static void dropped_shapes_rest_or_roll(void **state)
{
    (void)state;
    tally t = {0};
    for (int i = 0; i < GMC_COUNT(SOLIDS); i++)
        for (int s = 0; s < GMC_PAIRS_SUPPORT_COUNT; s++)
            for (int k = 0; k < drops; k++) {
                gmc_shape_pairs_outcome o = gmc_shape_pairs_drop(SOLIDS[i], s, k, &hulls, NULL);
                count(&t, "drop", (int)SOLIDS[i], s, k, &o);
            }
    judge("drops", &t);
}

static void pinched_shapes_are_held_or_lost(void **state)
{
    (void)state;
    tally t = {0};
    for (int i = 0; i < GMC_COUNT(SOLIDS); i++)
        for (int f = 0; f < GMC_COUNT(SOLIDS); f++)
            for (int k = 0; k < pinches; k++) {
                gmc_shape_pairs_outcome o =
                    gmc_shape_pairs_pinch(SOLIDS[i], SOLIDS[f], k, &hulls, NULL);
                count(&t, "pinch", (int)SOLIDS[i], (int)SOLIDS[f], k, &o);
            }
    judge("pinches", &t);
}

static void cube_as_mesh_fares_like_the_box(void **state)
{
    (void)state;
    gmc_polytope *cube = gmc_shape_pairs_hull_of_obj(GMC_PAIRS_CUBE_OBJ);
    int success = 0;
    double lift = 0, slip = 0;
    for (int i = 0; i < cubes; i++) {
        gmc_shape_pairs_lift box = gmc_shape_pairs_cube(i, NULL),
                             mesh = gmc_shape_pairs_cube(i, cube);
        assert_int_equal(box.status, GMC_OK);
        assert_int_equal(mesh.status, GMC_OK);
        assert_int_equal(box.is_success, mesh.is_success);
        success += box.is_success;
        if (!box.is_success) continue; // one that is lost tumbles: chaos cannot agree
        lift = fmax(lift, fabs(box.lift - mesh.lift));
        slip = fmax(slip, fabs(box.slip - mesh.slip));
    }
    print_message("cube: %d of %d held, lift differs by %.1e m, slip by %.1e m\n", success, cubes,
                  lift, slip);
    assert_in_range(success, 1, cubes - 1);
    gmc_hull_free(cube);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--whole") == 0) drops = pinches = 1000, cubes = 2000;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_shapes_rest_or_roll),
        cmocka_unit_test(pinched_shapes_are_held_or_lost),
        cmocka_unit_test(cube_as_mesh_fares_like_the_box),
    };
    return cmocka_run_group_tests(tests, open_hulls, close_hulls);
}
