#include "engine/complementarity/islands.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

#include <math.h>
#include <string.h>

// Bodies without geometry on a ground, and bonds between some of them: three contacts that press,
// that are open, or that are open at first and close.

enum { BODIES = 24, DOFS = 6 * BODIES, CONTACTS = 5 * BODIES, VALUES = DOFS + 3 * CONTACTS };

typedef struct heap {
    gmc_ncp ncp;
    double mass[DOFS * 6], momentum[DOFS];
    int start[BODIES + 1], columns[CONTACTS][12];
    double S[CONTACTS][36];
    gmc_ncp_contact contacts[CONTACTS];
    gmc_ncp_group groups[CONTACTS];
    double x[VALUES];
} heap;

typedef struct fixture {
    gmc_arena arena, kept;
    gmc_islands_memory *memory;
    heap a, b;
} fixture;

static fixture *fx;

static int set_up(void **state)
{
    (void)state;
    fx = test_calloc(1, sizeof *fx);
    return gmc_arena_create(&fx->arena, 1 << 24) == GMC_OK &&
                   gmc_arena_create(&fx->kept, 1 << 20) == GMC_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_arena_free(&fx->arena);
    gmc_arena_free(&fx->kept);
    test_free(fx);
    return 0;
}

/// Bodies that fall at up to 0.1 m/s.
static void open_heap(heap *h, gmc_chance *chance, int bodies)
{
    memset(h, 0, sizeof *h);
    h->ncp = (gmc_ncp){.dof_count = 6 * bodies,
                       .mass = h->mass,
                       .mass_width = 6,
                       .block_count = bodies,
                       .block_start = h->start,
                       .momentum = h->momentum,
                       .contacts = h->contacts,
                       .groups = h->groups};
    for (int i = 0; i < 6 * bodies; i++) {
        h->mass[7 * (i % 6) + 36 * (i / 6)] = i % 6 < 3 ? 0.05 : 1e-5;
        h->momentum[i] = (i % 6 < 3 ? 0.05 : 1e-5) * gmc_chance_uniform(chance, -0.1, 0.1);
    }
    for (int b = 0; b <= bodies; b++)
        h->start[b] = 6 * b;
}

/// `count` contacts of body `high` on body `low` (-1: the ground), gap each [m].
static void touch(heap *h, gmc_chance *chance, int low, int high, int count, double gap)
{
    int first = h->ncp.contact_count;
    double step = 2e-3, k = 1e6;
    gmc_ncp_group *group = &h->groups[h->ncp.group_count++];
    gmc_vec3 dir[3] = {gmc_chance_direction(chance)};
    gmc_vec3 apart = gmc_vec3_scale(0.04, gmc_chance_direction(chance)), none = {0, 0, 0};
    gmc_vec3_tangents(dir[0], &dir[1], &dir[2]);
    *group = (gmc_ncp_group){.contact_first = first,
                             .contact_count = count,
                             .columns = h->columns[first],
                             .S = h->S[first],
                             .sign = 1};
    for (int k6 = 0; k6 < 6 && low >= 0; k6++) {
        gmc_vec3 axis = {-(k6 % 3 == 0), -(k6 % 3 == 1), -(k6 % 3 == 2)};
        gmc_vec3 motion[2] = {k6 < 3 ? axis : gmc_vec3_cross(axis, apart), k6 < 3 ? none : axis};
        const double S[6] = {motion[0].x, motion[0].y, motion[0].z,
                             motion[1].x, motion[1].y, motion[1].z};
        memcpy(h->S[first] + 6 * group->general_count++, S, sizeof S);
        h->columns[first][group->column_count++] = 6 * low + k6;
    }
    for (int k6 = 0; k6 < 6; k6++)
        h->columns[first][group->column_count++] = 6 * high + k6;
    for (int c = first; c < first + count; c++) {
        gmc_vec3 arm = gmc_vec3_scale(0.02, gmc_chance_direction(chance));
        h->contacts[c] = (gmc_ncp_contact){.hints = {.is_rotation = true},
                                           .arm = {arm.x, arm.y, arm.z},
                                           .bias = {gap / step, 0, 0},
                                           .compliance_n = 1 / (step * step * k),
                                           .compliance_t = 1 / (0.8 * step * step * k),
                                           .friction = 0.3};
        for (int i = 0; i < 3; i++) {
            const double row[3] = {dir[i].x, dir[i].y, dir[i].z};
            memcpy(h->contacts[c].frame + 3 * i, row, sizeof row);
        }
    }
    h->ncp.contact_count += count;
}

static gmc_ncp_solution solution_of(heap *h)
{
    return (gmc_ncp_solution){h->x, h->x + DOFS, h->x + DOFS + 3 * CONTACTS};
}

static double judge(heap *h)
{
    gmc_ncp_scales scales;
    gmc_ncp_solution x = solution_of(h);
    assert_int_equal(gmc_ncp_scale(&h->ncp, &fx->arena, &scales), GMC_OK);
    double residual = gmc_ncp_judge_scaled(&h->ncp, &scales, x.v, x.r, x.s);
    gmc_arena_reset(&fx->arena, 0);
    return residual;
}

static gmc_status solve(heap *h, gmc_islands_memory *memory, gmc_rungs_report *report)
{
    gmc_rungs_options options = gmc_rungs_defaults();
    gmc_ncp_solution x = solution_of(h);
    gmc_status status = gmc_islands_solve(&h->ncp, memory, &options, &x, &fx->arena, report);
    assert_int_equal(fx->arena.used, 0);
    return status;
}

/// A body that rests on the ground beside others moves as if it were alone: the same bits.
static void beside_others_as_alone(void **state)
{
    (void)state;
    gmc_rungs_report report;
    for (int seed = 1; seed <= 50; seed++) {
        gmc_chance chance = {(uint64_t)seed};
        open_heap(&fx->a, &chance, 6);
        touch(&fx->a, &chance, 1, 4, 3, -1e-5);
        touch(&fx->a, &chance, 2, 3, 2, 5e-3); // never meets: 2.5 m/s
        gmc_chance own = {(uint64_t)seed + 1000}, same = own;
        double *p = fx->a.momentum + 6 * 3;
        touch(&fx->a, &own, -1, 3, 3, -1e-5);
        touch(&fx->a, &chance, -1, 4, 3, -1e-5);
        assert_int_equal(solve(&fx->a, NULL, &report), GMC_OK);
        assert_true(report.rung >= 1);
        ASSERT_BELOW(report.residual, 1e-8);
        ASSERT_BELOW(judge(&fx->a), 1e-8);

        gmc_chance any = {7};
        open_heap(&fx->b, &any, 1);
        memcpy(fx->b.momentum, p, 6 * sizeof *p);
        touch(&fx->b, &same, -1, 0, 3, -1e-5);
        gmc_rungs_options options = gmc_rungs_defaults();
        gmc_ncp_solution x = solution_of(&fx->b);
        assert_int_equal(gmc_rungs_solve(&fx->b.ncp, &options, &x, &fx->arena, &report), GMC_OK);
        assert_memory_equal(fx->a.x + 6 * 3, fx->b.x, 6 * sizeof *p);
        assert_memory_equal(fx->a.x + DOFS + 3 * 5, fx->b.x + DOFS, 9 * sizeof *p);
        for (int i = 9; i < 15; i++)
            assert_true(fx->a.x[DOFS + i] == 0); // the bond that stays open
    }
}

/// Bonds that look open at the start and close: found, joined and solved as one.
static void a_wrong_guess_is_mended(void **state)
{
    (void)state;
    gmc_rungs_report report;
    gmc_arena_reset(&fx->kept, 0);
    assert_int_equal(gmc_islands_memory_create(BODIES, &fx->kept, &fx->memory), GMC_OK);
    int closed = 0;
    for (int seed = 1; seed <= 100; seed++) {
        gmc_chance chance = {(uint64_t)seed + 2000};
        open_heap(&fx->a, &chance, 8);
        // v = 0 at the start, so any gap seems to stay; 1e-4 m close at 0.05 m/s
        for (int b = 1; b < 8; b++)
            touch(&fx->a, &chance, b - 1, b, 1, gmc_chance_uniform(&chance, 1e-6, 2e-4));
        touch(&fx->a, &chance, -1, 0, 3, -1e-5);
        assert_int_equal(solve(&fx->a, fx->memory, &report), GMC_OK);
        ASSERT_BELOW(judge(&fx->a), 1e-8);
        for (int c = 0; c < 7; c++)
            closed += fx->a.x[DOFS + 3 * c] > 0;
    }
    gmc_islands_counts counts = gmc_islands_counted(fx->memory);
    print_message("%d of 700 closed, %lld rounds of joining, %lld islands\n", closed, counts.merged,
                  counts.islands);
    assert_true(closed > 70);
    assert_true(counts.merged > 50);
}

/// A heap in which islands of all sizes stand side by side.
static void open_many(heap *h, uint64_t seed)
{
    gmc_chance chance = {seed};
    open_heap(h, &chance, BODIES);
    for (int b = 0; b < BODIES; b++) {
        touch(h, &chance, -1, b, 2, -1e-5);
        if (b > 0 && b < 16) touch(h, &chance, b - 1, b, 2, -2e-5); // 16 bodies: sparse
    }
    touch(h, &chance, 17, 20, 1, -1e-5);
    touch(h, &chance, 18, 22, 1, 5e-3);
}

static void what_is_kept_moves_no_bits(void **state)
{
    (void)state;
    gmc_rungs_report report;
    gmc_arena_reset(&fx->kept, 0);
    assert_int_equal(gmc_islands_memory_create(BODIES, &fx->kept, &fx->memory), GMC_OK);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        open_many(&fx->a, seed);
        open_many(&fx->b, seed);
        assert_int_equal(solve(&fx->a, fx->memory, &report), GMC_OK);
        assert_int_equal(solve(&fx->b, NULL, &report), GMC_OK);
        assert_memory_equal(fx->a.x, fx->b.x, sizeof fx->a.x);
        ASSERT_BELOW(judge(&fx->a), 1e-8);
    }
    gmc_islands_counts counts = gmc_islands_counted(fx->memory);
    assert_int_equal(counts.plans, 1); // ten heaps of one graph
    assert_int_equal(counts.islands, 10 * (24 - 15 - 1));
}

/// Against all bodies as one problem: the same motion to within the accuracy of either.
static void islands_agree_with_the_whole(void **state)
{
    (void)state;
    gmc_rungs_options options = gmc_rungs_defaults();
    gmc_rungs_report report;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        open_many(&fx->a, seed + 100);
        open_many(&fx->b, seed + 100);
        gmc_ncp_solution x = solution_of(&fx->b);
        assert_int_equal(solve(&fx->a, NULL, &report), GMC_OK);
        assert_int_equal(gmc_rungs_solve(&fx->b.ncp, &options, &x, &fx->arena, &report), GMC_OK);
        // residual 1e-11 of momenta of 5e-3 N s, times 1/m = 20 /kg, times the condition
        for (int i = 0; i < DOFS; i++)
            ASSERT_BELOW(fabs(fx->a.x[i] - fx->b.x[i]), 1e-8);
    }
}

static void failure_leaves_the_start(void **state)
{
    (void)state;
    gmc_rungs_report report;
    open_many(&fx->a, 1);
    fx->a.momentum[6 * 23] = NAN;
    fx->a.x[3] = 0.25;
    memcpy(fx->b.x, fx->a.x, sizeof fx->a.x);
    assert_int_equal(solve(&fx->a, NULL, &report), GMC_E_NO_SOLUTION);
    assert_int_equal(report.rung, 0);
    assert_memory_equal(fx->a.x, fx->b.x, sizeof fx->a.x);

    gmc_arena small;
    gmc_rungs_options options = gmc_rungs_defaults();
    gmc_ncp_solution x = solution_of(&fx->a);
    for (size_t bytes = 512; bytes < 100000; bytes *= 4) {
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        assert_int_equal(gmc_islands_solve(&fx->a.ncp, NULL, &options, &x, &small, &report),
                         GMC_E_ARENA_FULL);
        assert_int_equal(small.used, 0);
        gmc_arena_free(&small);
    }
    assert_memory_equal(fx->a.x, fx->b.x, sizeof fx->a.x);
}

int test_islands(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_others_as_alone),
        cmocka_unit_test(a_wrong_guess_is_mended),
        cmocka_unit_test(what_is_kept_moves_no_bits),
        cmocka_unit_test(islands_agree_with_the_whole),
        cmocka_unit_test(failure_leaves_the_start),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
