#include "engine/math/dense.h"
#include "engine/math/sparse.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

#include <string.h>

enum { NODES = 14, UNKNOWNS_MAX = 7 * NODES, EDGES_MAX = NODES * (NODES - 1) / 2 };

/// A block matrix with a dense copy.
typedef struct fixture {
    gmc_arena arena;
    int start[NODES + 1], edges[EDGES_MAX][2], edge_count;
    gmc_sparse_graph graph;
    gmc_sparse_plan plan;
    gmc_sparse matrix;
    int n;
    double dense[UNKNOWNS_MAX][UNKNOWNS_MAX + 1];
} fixture;

static fixture fx;

static int set_up(void **state)
{
    (void)state;
    return gmc_arena_create(&fx.arena, 1 << 21) == GMC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_arena_free(&fx.arena);
    return 0;
}

static bool couples(int a, int b)
{
    for (int e = 0; e < fx.edge_count; e++)
        if (fx.edges[e][0] == a && fx.edges[e][1] == b) return true;
    return a == b;
}

/// Widths 1 to 7 and mostly 6; `share` of all pairs couple.
static void draw_graph(gmc_chance *chance, double share)
{
    gmc_arena_reset(&fx.arena, 0);
    fx.edge_count = fx.start[0] = 0;
    for (int a = 0; a < NODES; a++) {
        bool is_body = gmc_chance_uniform(chance, 0, 1) < 0.7;
        fx.start[a + 1] = fx.start[a] + (is_body ? 6 : gmc_chance_integer(chance, 1, 7));
        for (int b = a + 1; b < NODES; b++) {
            if (gmc_chance_uniform(chance, 0, 1) >= share) continue;
            fx.edges[fx.edge_count][0] = a;
            fx.edges[fx.edge_count++][1] = b;
        }
    }
    fx.n = fx.start[NODES];
    fx.graph = (gmc_sparse_graph){NODES, fx.start, fx.edge_count, (const int(*)[2])fx.edges};
    assert_int_equal(gmc_sparse_plan_make(&fx.graph, &fx.arena, &fx.arena, &fx.plan), GMC_OK);
    assert_int_equal(gmc_sparse_create(&fx.plan, &fx.arena, &fx.matrix), GMC_OK);
}

/// One entry of the matrix, from the meaning of the panels in sparse.h.
static void put(int a, int b, int i, int j, double value)
{
    int ta = fx.plan.turn[a], tb = fx.plan.turn[b], early = ta <= tb ? ta : tb;
    int offset = gmc_sparse_plan_offset(&fx.plan, early, ta <= tb ? tb : ta);
    int row = ta <= tb ? i : j, column = ta <= tb ? j : i;
    double *panel = (ta <= tb ? fx.matrix.upper : fx.matrix.lower) + fx.plan.panel[early];
    assert_true(offset >= 0);
    panel[row * fx.plan.span[early] + offset + column] = value;
}

static void load(void)
{
    gmc_sparse_clear(&fx.matrix);
    for (int a = 0; a < NODES; a++)
        for (int b = 0; b < NODES; b++) {
            if (!couples(a < b ? a : b, a < b ? b : a)) continue;
            for (int i = fx.start[a]; i < fx.start[a + 1]; i++)
                for (int j = fx.start[b]; j < fx.start[b + 1]; j++)
                    put(a, b, i - fx.start[a], j - fx.start[b], fx.dense[i][j]);
        }
}

/// Entries of size 1 and a diagonal that outweighs them by `weight`.
static void draw_values(gmc_chance *chance, bool is_symmetric, double weight)
{
    memset(fx.dense, 0, sizeof fx.dense);
    for (int a = 0; a < NODES; a++)
        for (int b = 0; b < NODES; b++) {
            if (!couples(a < b ? a : b, a < b ? b : a)) continue;
            for (int i = fx.start[a]; i < fx.start[a + 1]; i++)
                for (int j = fx.start[b]; j < fx.start[b + 1]; j++)
                    fx.dense[i][j] = gmc_chance_uniform(chance, -1, 1);
        }
    for (int i = 0; i < fx.n; i++) {
        for (int j = 0; is_symmetric && j < i; j++)
            fx.dense[i][j] = fx.dense[j][i];
        fx.dense[i][i] = weight * fx.n + 1;
    }
    load();
}

static void multiply(const double *x, double *y)
{
    for (int i = 0; i < fx.n; i++) {
        y[i] = 0;
        for (int j = 0; j < fx.n; j++)
            y[i] += fx.dense[i][j] * x[j];
    }
}

/// Solve for a known x; returns the largest error.
static double error_of(gmc_chance *chance, gmc_status (*solve)(double *b))
{
    double x[UNKNOWNS_MAX], b[UNKNOWNS_MAX], worst = 0;
    for (int i = 0; i < fx.n; i++)
        x[i] = gmc_chance_uniform(chance, -1, 1);
    multiply(x, b);
    assert_int_equal(solve(b), GMC_OK);
    for (int i = 0; i < fx.n; i++)
        worst = fmax(worst, fabs(b[i] - x[i]));
    return worst;
}

static double ones[UNKNOWNS_MAX];

static gmc_status solve_ldlt(double *b)
{
    if (!gmc_sparse_factor(&fx.matrix, NULL)) return GMC_E_NO_SOLUTION;
    gmc_sparse_solve(&fx.matrix, b);
    return GMC_OK;
}

static gmc_status solve_lu(double *b)
{
    if (!gmc_sparse_factor(&fx.matrix, ones)) return GMC_E_NO_SOLUTION;
    gmc_sparse_solve(&fx.matrix, b);
    return GMC_OK;
}

static gmc_status solve_klu(double *b) { return gmc_sparse_klu_solve(&fx.matrix, b, &fx.arena); }

// 1e-12: condition below 10 (diagonal dominance) times 100 unknowns times 1e-16, and some room
static void solves_symmetric_and_unsymmetric_systems(void **state)
{
    (void)state;
    gmc_chance chance = {1};
    for (int k = 0; k < 200; k++) {
        draw_graph(&chance, gmc_chance_uniform(&chance, 0, 0.6));
        draw_values(&chance, true, 0.5);
        ASSERT_BELOW(error_of(&chance, solve_ldlt), 1e-12);
        draw_values(&chance, false, 0.5);
        ASSERT_BELOW(error_of(&chance, solve_lu), 1e-12);
        load();
        ASSERT_BELOW(error_of(&chance, solve_klu), 1e-12);
    }
}

// without weight on the diagonal only the exchange of rows inside the blocks keeps the pivots up;
// 1e-6: conditions of 1e4, growth of 1e4 without free pivoting, rounding 1e-16, and some room
static void exchanges_rows_inside_a_block(void **state)
{
    (void)state;
    gmc_chance chance = {2};
    int good = 0;
    for (int k = 0; k < 50; k++) {
        draw_graph(&chance, 0.15);
        draw_values(&chance, false, 0);
        for (int i = 0; i < fx.n; i++)
            fx.dense[i][i] = 0;
        for (int a = 0; a < NODES; a++) // a block is regular only with its rows exchanged
            for (int i = fx.start[a], w = fx.start[a + 1] - i; w > 1 && i < fx.start[a + 1]; i++)
                fx.dense[i][fx.start[a] + (i - fx.start[a] + 1) % w] = 3.0 * fx.n;
        for (int a = 0; a < NODES; a++)
            if (fx.start[a + 1] - fx.start[a] == 1) // one row has nobody to exchange with
                fx.dense[fx.start[a]][fx.start[a]] = 3.0 * fx.n;
        load();
        if (error_of(&chance, solve_lu) < 1e-6) good++;
    }
    assert_int_equal(good, 50);
}

static void leaves_a_block_without_pivot_to_klu(void **state)
{
    (void)state;
    // [0 1; 1 0] over two nodes: regular, but no block has a pivot
    static const int START[] = {0, 1, 2}, EDGES[][2] = {{0, 1}};
    gmc_arena_reset(&fx.arena, 0);
    gmc_sparse_graph graph = {2, START, 1, EDGES};
    gmc_sparse_plan plan;
    gmc_sparse matrix;
    assert_int_equal(gmc_sparse_plan_make(&graph, &fx.arena, &fx.arena, &plan), GMC_OK);
    assert_int_equal(gmc_sparse_create(&plan, &fx.arena, &matrix), GMC_OK);
    matrix.upper[plan.panel[0] + 1] = matrix.lower[plan.panel[0] + 1] = 1;
    double x[] = {2, 3};
    assert_int_equal(gmc_sparse_klu_solve(&matrix, x, &fx.arena), GMC_OK);
    assert_true(x[0] == 3);
    assert_true(x[1] == 2);
    assert_false(gmc_sparse_factor(&matrix, ones));
    gmc_sparse_clear(&matrix);
    assert_false(gmc_sparse_factor(&matrix, NULL));
    gmc_sparse_clear(&matrix);
    assert_int_equal(gmc_sparse_klu_solve(&matrix, x, &fx.arena), GMC_E_NO_SOLUTION);
}

static void plans_are_a_function_of_the_graph(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    for (int k = 0; k < 50; k++) {
        draw_graph(&chance, 0.3);
        gmc_sparse_plan again;
        bool seen[NODES] = {false};
        assert_int_equal(gmc_sparse_plan_make(&fx.graph, &fx.arena, &fx.arena, &again), GMC_OK);
        int fill = fx.plan.later_start[NODES];
        assert_memory_equal(fx.plan.turn, again.turn, NODES * sizeof(int));
        assert_int_equal(fill, again.later_start[NODES]);
        if (fill > 0) assert_memory_equal(fx.plan.later, again.later, (size_t)fill * sizeof(int));
        for (int a = 0; a < NODES; a++)
            seen[fx.plan.turn[a]] = true;
        for (int a = 0; a < NODES; a++)
            assert_true(seen[a]);
        // the plan fits into what gmc_sparse_plan_bytes says
        gmc_arena tight;
        assert_int_equal(gmc_arena_create(&tight, gmc_sparse_plan_bytes(NODES, fill)), GMC_OK);
        assert_int_equal(gmc_sparse_plan_make(&fx.graph, &tight, &fx.arena, &again), GMC_OK);
        gmc_arena_free(&tight);
    }
}

// a chain has factors without fill whatever its numbering: what an ordering is for
static void a_chain_in_any_order_fills_nothing(void **state)
{
    (void)state;
    int start[41], edges[39][2];
    for (int i = 0; i <= 40; i++)
        start[i] = 6 * i;
    for (int i = 0; i < 39; i++) { // 0-20-1-21-2-...
        edges[i][0] = (i + 1) / 2;
        edges[i][1] = 20 + i / 2;
    }
    gmc_sparse_graph graph = {40, start, 39, (const int(*)[2])edges};
    gmc_sparse_plan plan;
    gmc_arena_reset(&fx.arena, 0);
    assert_int_equal(gmc_sparse_plan_make(&graph, &fx.arena, &fx.arena, &plan), GMC_OK);
    assert_int_equal(plan.later_start[40], 39);
}

static void says_when_an_arena_is_full(void **state)
{
    (void)state;
    gmc_chance chance = {4};
    draw_graph(&chance, 0.3);
    size_t used = fx.arena.used;
    for (size_t room = 0; room < used; room += 64) {
        gmc_arena small;
        gmc_sparse_plan plan;
        gmc_sparse matrix;
        assert_int_equal(gmc_arena_create(&small, room > 0 ? room : 1), GMC_OK);
        gmc_status status = gmc_sparse_plan_make(&fx.graph, &small, &small, &plan);
        if (status == GMC_OK) status = gmc_sparse_create(&plan, &small, &matrix);
        assert_int_equal(status, GMC_E_ARENA_FULL);
        gmc_arena_free(&small);
    }
}

int test_sparse(void)
{
    for (int i = 0; i < UNKNOWNS_MAX; i++)
        ones[i] = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_symmetric_and_unsymmetric_systems),
        cmocka_unit_test(exchanges_rows_inside_a_block),
        cmocka_unit_test(leaves_a_block_without_pivot_to_klu),
        cmocka_unit_test(plans_are_a_function_of_the_graph),
        cmocka_unit_test(a_chain_in_any_order_fills_nothing),
        cmocka_unit_test(says_when_an_arena_is_full),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
