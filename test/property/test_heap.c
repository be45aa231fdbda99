// Heaps of many bodies in a bin: they come to rest without a step unsolved, the work of a step
// grows hardly faster than their number, and what is kept between steps moves no bits.
#include "engine/complementarity/islands.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/math/elementary.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

enum { BODIES_MAX = 96 };
static const double STEP = 2e-3;

/// Balls, boxes and cylinders of some 25 mm in three layers over a floor that grows with their
/// number, walls around.
static void open_heap(gmc_stage *stage, int count)
{
    gmc_chance chance = {11};
    int side = 1;
    while (3 * side * side < count)
        side++;
    double pitch = 0.042, half = 0.5 * pitch * side;
    gmc_stage_open(stage, 0.4);
    gmc_stage_fixed(stage, "floor", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < 4; i++) {
        double sign = i % 2 ? 1 : -1, at = sign * (half + 0.01);
        bool is_x = i < 2;
        gmc_pose X = {gmc_mat3_identity(), {is_x ? at : 0, is_x ? 0 : at, 0.1}};
        gmc_shape wall = is_x ? gmc_stage_box(0.01, half, 0.1) : gmc_stage_box(half, 0.01, 0.1);
        static const char *const NAMES[] = {"west", "east", "south", "north"};
        gmc_stage_fixed(stage, NAMES[i], wall, X);
    }
    for (int i = 0; i < count; i++) {
        gmc_shape shapes[] = {gmc_stage_box(0.012, 0.014, 0.01),
                              {.type = GMC_SHAPE_SPHERE, .radius = 0.012},
                              {.type = GMC_SHAPE_CYLINDER, .radius = 0.01, .half_length = 0.012}};
        char name[16];
        int layer = i / (side * side), cell = i % (side * side);
        gmc_vec3 p = {(cell % side + 0.5) * pitch - half + gmc_chance_uniform(&chance, -1e-3, 1e-3),
                      (cell / side + 0.5) * pitch - half + gmc_chance_uniform(&chance, -1e-3, 1e-3),
                      0.03 + layer * pitch};
        snprintf(name, sizeof name, "b%d", i);
        gmc_stage_free(stage, name, shapes[i % 3], 0.02, p);
    }
    gmc_stage_ready(stage, 16 * count + 64);
}

static gmc_islands_counts islands_of(const gmc_stage *stage)
{
    const gmc_coulomb_memory *memory = stage->world.stepper_memory;
    return gmc_islands_counted(memory->mechanism->islands);
}

/// Counted work of one step on average, each kind in units of about a nanosecond: what costs more
/// or less than stated shifts the sum, hardly its growth.
typedef struct work {
    double broad, narrow, contacts, factor, sum;
} work;

/// Boxes lie still and nothing is pushed in. Deepest: a fall of 0.1 m stops on a contact point's
/// spring within v √(m/k) = 0.2 mm; twice that for those that turn as they land.
static void expect_rest(const gmc_stage *stage, int count)
{
    assert_int_equal(stage->unsolved, 0);
    assert_true(stage->max_penetration < 4e-4);
    for (int i = 0; i < count; i += 3) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        gmc_vec3 p = gmc_stage_place(stage, name);
        ASSERT_BELOW(gmc_vec3_norm(gmc_stage_velocity(stage, name)), 1e-3);
        assert_true(p.z > 0.01 - 1e-4);
        assert_true(p.z < 0.1);
    }
}

static work measure(int count)
{
    gmc_stage stage;
    open_heap(&stage, count);
    assert_int_equal(gmc_stage_run(&stage, STEP, 2.0), GMC_OK);
    gmc_collider_counts c = gmc_collider_counted(stage.world.collider);
    gmc_islands_counts n = islands_of(&stage);
    double steps = (double)stage.steps;
    work w = {.broad = (double)c.broad_tests / steps,
              .narrow = 1000 * (double)c.narrow_tests / steps,
              .contacts = 300 * (double)n.contacts / steps,
              .factor = (double)n.flops / steps};
    w.sum = w.broad + w.narrow + w.contacts + w.factor;
    print_message(
        "%3d bodies: broad %.3g narrow %.3g contacts %.3g factor %.3g | %.2f iterations a "
        "step, %.1f contacts, %.1f islands, joined %.3f, plans %.3f a step, deepest %.2g m\n",
        count, w.broad, w.narrow, w.contacts, w.factor, (double)stage.iterations / steps,
        (double)stage.contacts / steps, (double)n.islands / steps, (double)n.merged / steps,
        (double)n.plans / steps, stage.max_penetration);
    expect_rest(&stage, count);
    // most steps have the contact graph of the one before
    assert_true((double)n.plans < 0.3 * steps);
    gmc_stage_close(&stage);
    return w;
}

static double exponent(double a, double b, int from, int to)
{
    return gmc_log(b / a) / gmc_log((double)to / from);
}

static void work_grows_with_the_number_of_bodies(void **state)
{
    (void)state;
    work few = measure(12), many = measure(BODIES_MAX);
    print_message("exponents: broad %.2f narrow %.2f contacts %.2f factor %.2f all %.2f\n",
                  exponent(few.broad, many.broad, 12, BODIES_MAX),
                  exponent(few.narrow, many.narrow, 12, BODIES_MAX),
                  exponent(few.contacts, many.contacts, 12, BODIES_MAX),
                  exponent(few.factor, many.factor, 12, BODIES_MAX),
                  exponent(few.sum, many.sum, 12, BODIES_MAX));
    assert_true(exponent(few.sum, many.sum, 12, BODIES_MAX) <= 1.2); // the bar
}

// the same heap with the plans kept, and with every system planned anew
static void what_is_kept_moves_no_bits(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    gmc_stage kept, anew;
    open_heap(&kept, COUNT);
    open_heap(&anew, COUNT);
    // a memory that has room for no plan
    gmc_coulomb_memory *memory = anew.world.stepper_memory;
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_islands_memory_create(1, &arena, &memory->mechanism->islands), GMC_OK);
    assert_int_equal(gmc_stage_run(&kept, STEP, 0.5), GMC_OK);
    assert_int_equal(gmc_stage_run(&anew, STEP, 0.5), GMC_OK);
    assert_memory_equal(kept.world.state.q, anew.world.state.q,
                        (size_t)kept.model.q_count * sizeof(double));
    assert_memory_equal(kept.world.state.v, anew.world.state.v,
                        (size_t)kept.model.dof_count * sizeof(double));
    print_message("plans: %lld kept, %lld anew\n", islands_of(&kept).plans,
                  islands_of(&anew).plans);
    assert_true(islands_of(&anew).plans > 2 * islands_of(&kept).plans);
    gmc_stage_close(&kept);
    gmc_stage_close(&anew);
    gmc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_moves_no_bits),
        cmocka_unit_test(work_grows_with_the_number_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
