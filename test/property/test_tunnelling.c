// Nothing goes through anything: small things thrown at 3 m/s against a plate of 2 mm, in steps of
// 4 ms, in which they fly 12 mm. The plate is fixed, or comes towards them at 1.5 m/s; they turn,
// the long ones at up to 50 rad/s. GMC_CASES sets how many are thrown.
#include "engine/math/elementary.h"
#include "test/support/chance.h"
#include "test/support/cmocka.h"
#include "test/support/hollows.h"
#include "test/support/solids.h"
#include "test/support/stage.h"

#include <stdlib.h>

enum { KINDS = 7, MODES = 3, STEPS = 30, PIECES_MAX = 8 };
static const double H = 4e-3, PLATE = 0.1, HALF_THICKNESS = 1e-3;

typedef struct throwing {
    support_hulls hulls;
    gmc_hull_pieces ell;
} throwing;

static throwing the;

static int open_all(void **unused)
{
    (void)unused;
    the.ell = gmc_hollow_pieces(GMC_HOLLOW_ELL);
    return support_hulls_create(&the.hulls) ? 0 : -1;
}

static int close_all(void **unused)
{
    (void)unused;
    support_hulls_free(&the.hulls);
    gmc_hull_pieces_free(&the.ell);
    return 0;
}

/// What is thrown, 2 to 6 mm thick, and how far it reaches from its frame.
static int make_shapes(gmc_chance *chance, int kind, gmc_shape shapes[PIECES_MAX], double *reach)
{
    double r = gmc_chance_uniform(chance, 0.002, 0.006);
    *reach = 3 * r;
    switch (kind) {
    case 0:
        shapes[0] = support_sphere(r);
        return 1;
    case 1:
        shapes[0] = support_box(r, 0.7 * r, 1.3 * r);
        return 1;
    case 2:
        shapes[0] = support_cylinder(r, 2 * r);
        return 1;
    case 3:
        shapes[0] = support_polytope(the.hulls.cloud, r);
        return 1;
    case 4:
        shapes[0] = support_capsule(r / 2, 0.05);
        *reach = 0.06;
        return 1;
    case 5:
        shapes[0] = support_box(r / 2, r / 2, 0.06);
        *reach = 0.065;
        return 1;
    default: // an L of 6 to 18 mm
        for (int i = 0; i < the.ell.count; i++)
            shapes[i] = support_polytope(the.ell.pieces[i], 50 * r);
        *reach = 6 * r;
        return the.ell.count;
    }
}

static gmc_quat any_turn(gmc_chance *chance)
{
    gmc_vec3 axis = gmc_chance_direction(chance);
    double half = gmc_chance_uniform(chance, 0, GMC_PI / 2), s = gmc_sin(half);
    return (gmc_quat){gmc_cos(half), s * axis.x, s * axis.y, s * axis.z};
}

/// A step as a rollout takes it: in halves where a body turns too far.
static gmc_status step(gmc_stage *stage, double h, int halvings)
{
    stage->options.turn_max = halvings > 0 ? 1 : HUGE_VAL;
    gmc_status status = gmc_stage_step(stage, h);
    if (status != GMC_E_NO_SOLUTION || halvings == 0) return status;
    GMC_TRY(step(stage, h / 2, halvings - 1));
    return step(stage, h / 2, halvings - 1);
}

static void set_motion(gmc_stage *stage, const char *name, gmc_vec3 v, gmc_vec3 w)
{
    double *to = stage->world.state.v + gmc_stage_dof(stage, name);
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
    to[3] = w.x, to[4] = w.y, to[5] = w.z;
    gmc_kinematics_update(stage->world.model, stage->world.state.q, stage->world.state.v,
                          &stage->world.kin);
}

typedef struct verdict {
    gmc_status status;
    bool is_through;
} verdict;

/// Watch until it leaves the plate over its rim.
static verdict watch(gmc_stage *stage, bool plate_moves)
{
    const gmc_world *world = &stage->world;
    int thing = gmc_stage_body(stage, "thing");
    for (int i = 0; i < STEPS; i++) {
        gmc_status status = step(stage, H, 3);
        if (status != GMC_OK) return (verdict){.status = status};
        gmc_pose X = gmc_pose_identity();
        if (plate_moves) X = world->kin.X_wb[gmc_stage_body(stage, "plate")];
        gmc_vec3 p = gmc_pose_apply_inverse(&X, world->kin.com_w[thing]);
        bool at_rim = fabs(p.x) > PLATE - 0.005 || fabs(p.y) > PLATE - 0.005;
        for (int c = 0; c < world->contacts.count; c++) {
            gmc_vec3 at = gmc_pose_apply_inverse(&X, world->contacts.contacts[c].point.p);
            at_rim = at_rim || fabs(at.x) > PLATE - 0.005 || fabs(at.y) > PLATE - 0.005;
        }
        if (at_rim) break;
        if (p.z < 0) return (verdict){.is_through = true};
    }
    return (verdict){.status = GMC_OK};
}

static verdict throw_one(int index)
{
    gmc_chance chance = {(uint64_t)index * 7919 + 13};
    int kind = index % KINDS, mode = index / KINDS % MODES;
    gmc_stage stage;
    gmc_shape shapes[PIECES_MAX], plate = gmc_stage_box(PLATE, PLATE, HALF_THICKNESS);
    gmc_stage_open(&stage, gmc_chance_uniform(&chance, 0, 0.8));
    if (mode == 1)
        gmc_stage_free(&stage, "plate", plate, 5, (gmc_vec3){0, 0, 0});
    else
        gmc_stage_fixed(&stage, "plate", plate, gmc_pose_identity());
    double reach;
    int count = make_shapes(&chance, kind, shapes, &reach);
    gmc_vec3 start = {gmc_chance_uniform(&chance, -0.03, 0.03),
                      gmc_chance_uniform(&chance, -0.03, 0.03),
                      reach + gmc_chance_uniform(&chance, 0.005, 0.06)};
    gmc_stage_compound(&stage, "thing", shapes, count, gmc_chance_uniform(&chance, 0.01, 0.3),
                       gmc_pose_make(any_turn(&chance), start));
    gmc_stage_ready(&stage, 64);
    gmc_vec3 way = {gmc_chance_uniform(&chance, -0.5, 0.5), gmc_chance_uniform(&chance, -0.5, 0.5),
                    -1};
    double spin =
        mode == 2 ? gmc_chance_uniform(&chance, 10, 50) : gmc_chance_uniform(&chance, 0, 10);
    set_motion(&stage, "thing", gmc_vec3_scale(3, gmc_vec3_unit(way)),
               gmc_vec3_scale(spin, gmc_chance_direction(&chance)));
    if (mode == 1) set_motion(&stage, "plate", (gmc_vec3){0, 0, 1.5}, (gmc_vec3){0, 0, 0});
    verdict found = watch(&stage, mode == 1);
    gmc_stage_close(&stage);
    return found;
}

static void nothing_goes_through_a_plate(void **unused)
{
    (void)unused;
    const char *cases = getenv("GMC_CASES");
    int count = cases ? (int)strtol(cases, NULL, 10) : 2100, wrong = 0;
    for (int i = 0; i < count; i++) {
        verdict found = throw_one(i);
        if (found.status == GMC_OK && !found.is_through) continue;
        fprintf(stderr, "throw %d (kind %d, mode %d): %s\n", i, i % KINDS, i / KINDS % MODES,
                found.is_through ? "through the plate" : gmc_status_name(found.status));
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_goes_through_a_plate)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
