#include "engine/complementarity/dual_system.h"
#include "test/support/duals.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

static gmc_duals p;

static void join(int units, int a, int b)
{
    p.dense[3 * a * 3 * units + 3 * b] = p.dense[3 * b * 3 * units + 3 * a] = 0.1;
}

static void start(int units)
{
    memset(&p, 0, sizeof p);
    for (int i = 0; i < 3 * units; i++)
        p.dense[i * 3 * units + i] = 1;
}

/// Blocks that elimination in this order adds to those of W.
static int fill_of(int units, const int *order)
{
    bool is_joined[GMC_DUALS_UNITS][GMC_DUALS_UNITS] = {{false}},
         is_gone[GMC_DUALS_UNITS] = {false};
    int fill = 0;
    for (int c = 0; c < units; c++)
        for (int k = p.start[c]; k < p.start[c + 1]; k++)
            is_joined[c][p.other[k]] = true;
    for (int i = 0; i < units; i++) {
        is_gone[order[i]] = true;
        for (int a = 0; a < units; a++)
            for (int b = 0; b < units; b++) {
                if (is_gone[a] || is_gone[b] || a == b || is_joined[a][b]) continue;
                if (!is_joined[order[i]][a] || !is_joined[order[i]][b]) continue;
                is_joined[a][b] = true;
                fill++;
            }
    }
    return fill;
}

static void order_of(int units, int *order)
{
    int seen[GMC_DUALS_UNITS] = {0};
    gmc_duals_bind(&p, units);
    assert_int_equal(gmc_dual_factor_order(&p.dual, order, &arena), GMC_OK);
    assert_int_equal(arena.used, 0);
    for (int i = 0; i < units; i++) {
        assert_in_range(order[i], 0, units - 1);
        assert_int_equal(seen[order[i]]++, 0);
    }
}

/// Trees have orders without fill: a star with its centre first, a chain, a comb.
static void trees_do_not_fill(void **state)
{
    (void)state;
    int order[GMC_DUALS_UNITS], in_turn[GMC_DUALS_UNITS];
    for (int i = 0; i < GMC_DUALS_UNITS; i++)
        in_turn[i] = i;
    start(12);
    for (int i = 1; i < 12; i++)
        join(12, 0, i);
    order_of(12, order);
    assert_int_equal(fill_of(12, order), 0);
    assert_true(fill_of(12, in_turn) > 100); // what it is good for
    start(12);
    for (int i = 0; i < 12; i++)
        if (i + 1 < 12) join(12, (5 * i) % 12, (5 * (i + 1)) % 12);
    order_of(12, order);
    assert_int_equal(fill_of(12, order), 0);
    start(14);
    for (int i = 0; i < 7; i++) {
        join(14, i, 7 + i);
        if (i > 0) join(14, i - 1, i);
    }
    order_of(14, order);
    assert_int_equal(fill_of(14, order), 0);
}

static void full_keeps_its_order(void **state)
{
    (void)state;
    int order[GMC_DUALS_UNITS];
    start(8);
    for (int a = 0; a < 8; a++)
        for (int b = a + 1; b < 8; b++)
            join(8, a, b);
    order_of(8, order);
    for (int i = 0; i < 8; i++)
        assert_int_equal(order[i], i);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    int order[GMC_DUALS_UNITS];
    gmc_arena small;
    start(8);
    gmc_duals_bind(&p, 8);
    assert_int_equal(gmc_arena_create(&small, 16), GMC_OK);
    assert_int_equal(gmc_dual_factor_order(&p.dual, order, &small), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_do_not_fill),
        cmocka_unit_test(full_keeps_its_order),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
