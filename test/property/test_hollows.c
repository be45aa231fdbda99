// Objects that are not convex behave as the whole: dropped they come to rest under their weight, a
// ball falls into the cup, a peg stands in the channel, the mug is held by its handle.
#include "test/support/cmocka.h"
#include "test/support/dropping.h"
#include "test/support/hollows.h"
#include "test/support/near.h"
#include "test/support/places.h"

#include <stdlib.h>

enum { SHAPES_MAX = 128 };

typedef struct thing {
    gmc_hull_pieces pieces;
    gmc_shape shapes[SHAPES_MAX];
} thing;

static thing things[GMC_HOLLOW_COUNT];

static int open_all(void **unused)
{
    (void)unused;
    for (gmc_hollow which = 0; which < GMC_HOLLOW_COUNT; which++) {
        thing *t = &things[which];
        t->pieces = gmc_hollow_pieces(which);
        for (int i = 0; i < t->pieces.count; i++)
            t->shapes[i] = (gmc_shape){
                .type = GMC_SHAPE_POLYTOPE, .polytope = t->pieces.pieces[i], .scale = 1};
    }
    return 0;
}

static int close_all(void **unused)
{
    (void)unused;
    for (gmc_hollow which = 0; which < GMC_HOLLOW_COUNT; which++)
        gmc_hull_pieces_free(&things[which].pieces);
    return 0;
}

static void dropped_they_come_to_rest(void **unused)
{
    (void)unused;
    for (gmc_hollow which = 0; which < GMC_HOLLOW_COUNT; which++)
        for (int k = 0; k < 3; k++) {
            gmc_chance chance = {10 * (uint64_t)which + (uint64_t)k};
            gmc_pose X = gmc_pose_make(gmc_dropping_turn(&chance), (gmc_vec3){0, 0, 0.12});
            gmc_dropping found =
                gmc_dropping_fall(things[which].shapes, things[which].pieces.count, X, 0.5, 4);
            assert_int_equal(found.status, GMC_OK);
            if (!(found.speed < 1e-9 && found.jump < 1.01))
                fprintf(stderr, "%s %d: speed %g, jump %g\n", gmc_hollow_name(which), k,
                        found.speed, found.jump);
            // at rest for good, forces steady, and they carry the weight: the residual is 1e-8
            ASSERT_BELOW(found.speed, 1e-9);
            assert_true(found.jump < 1.01);
            ASSERT_NEAR_RELATIVE(found.force, 0.2 * 9.81, 1e-6);
        }
}

/// A world with the thing standing on a table as it is drawn, and another body above it.
static void stand(gmc_stage *stage, gmc_hollow which, gmc_shape other, gmc_vec3 p)
{
    gmc_stage_open(stage, 0.3);
    gmc_stage_fixed(stage, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_compound(stage, "thing", things[which].shapes, things[which].pieces.count, 0.2,
                       at(0, 0, 0));
    gmc_stage_free(stage, "other", other, 0.03, p);
    gmc_stage_ready(stage, 256);
}

static void a_ball_falls_into_the_cup(void **unused)
{
    (void)unused;
    gmc_stage stage;
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.012};
    for (gmc_hollow which = GMC_HOLLOW_CUP; which <= GMC_HOLLOW_MUG; which++) {
        stand(&stage, which, ball, (gmc_vec3){0.006, 0.004, 0.15});
        assert_int_equal(gmc_stage_run(&stage, 2e-3, 2), GMC_OK);
        gmc_vec3 p = gmc_stage_place(&stage, "other");
        // on the floor of 5 mm: sunk in by m g / k, 0.3 um
        ASSERT_NEAR(p.z, 0.005 + 0.012, 1e-6);
        assert_true(sqrt(p.x * p.x + p.y * p.y) < 0.035 - 0.012);
        ASSERT_BELOW(gmc_vec3_norm(gmc_stage_place(&stage, "thing")), 1e-4);
        gmc_stage_close(&stage);
    }
}

static void a_peg_stands_in_the_channel(void **unused)
{
    (void)unused;
    gmc_stage stage;
    // half a millimetre of play on both sides, taller than the walls
    stand(&stage, GMC_HOLLOW_CHANNEL, gmc_stage_box(0.0195, 0.01, 0.03), (gmc_vec3){0, 0.01, 0.06});
    assert_int_equal(gmc_stage_run(&stage, 2e-3, 2), GMC_OK);
    gmc_vec3 p = gmc_stage_place(&stage, "other");
    ASSERT_NEAR(p.z, 0.01 + 0.03, 1e-6); // m g / k
    ASSERT_NEAR(p.x, 0, 0.5e-3);
    ASSERT_NEAR(p.y, 0.01, 0.5e-3);
    ASSERT_BELOW(gmc_vec3_norm(gmc_stage_velocity(&stage, "other")), 1e-9); // rest
    gmc_stage_close(&stage);
}

/// The fingers of the pinch scene close along x at a height of 25 mm: the mug lies on its side
/// there, its handle up between them, and hangs by it.
static void the_mug_is_lifted_by_its_handle(void **unused)
{
    (void)unused;
    const thing *mug = &things[GMC_HOLLOW_MUG];
    // the handle towards +y: its flat sides, 12 mm apart, face the fingers
    gmc_mat3 R = {{0, -1, 0, 1, 0, 0, 0, 0, 1}};
    gmc_stage stage;
    gmc_pose X = {R, {0, -0.062, 0}};
    gmc_stage_pinch_compound(&stage, 0.6, mug->shapes, mug->pieces.count, 0.1, X);
    gmc_status status = GMC_OK;
    for (int i = 0; i < 1000 && status == GMC_OK; i++) {
        gmc_stage_pinch_control(&stage, stage.world.state.t + 2e-3, 25, false);
        status = gmc_stage_step(&stage, 2e-3);
    }
    assert_int_equal(status, GMC_OK);
    gmc_vec3 p = gmc_stage_place(&stage, "obj");
    const gmc_mat3 *turned = &stage.world.kin.X_wb[gmc_stage_body(&stage, "obj")].R;
    // it was lifted by 100 mm, and between the fingers is the handle, not its hull: 12 mm
    double left = gmc_stage_place(&stage, "fl").x, right = gmc_stage_place(&stage, "fr").x;
    ASSERT_NEAR(right - left, 0.012 + 2 * 0.005, 1e-3);
    assert_true(p.z > 0.03);
    assert_true(turned->m[8] > 0.5);
    gmc_stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_they_come_to_rest),
        cmocka_unit_test(a_ball_falls_into_the_cup),
        cmocka_unit_test(a_peg_stands_in_the_channel),
        cmocka_unit_test(the_mug_is_lifted_by_its_handle),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
