#include "engine/complementarity/newton_internal.h"
#include "engine/complementarity/rungs.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"

#include <string.h>

// Heaps without geometry: bodies in rows of four, each touching some of its neighbours and the
// ground, and a tree of three joints that touches one of them.

enum {
    BODIES = 16,
    DOFS = 6 * BODIES + 3,
    CONTACTS = 200,
    ROWS = 3,
    VALUES = DOFS + 3 * CONTACTS + ROWS
};

typedef struct heap {
    gmc_ncp ncp;
    double mass[DOFS * DOFS], packed[DOFS * 6], v_free[DOFS], momentum[DOFS];
    int start[BODIES + 2], one[2];
    int columns[CONTACTS][12];
    double S[CONTACTS][36];
    gmc_ncp_contact contacts[CONTACTS];
    gmc_ncp_group groups[CONTACTS];
    gmc_ncp_row rows[ROWS];
    int row_columns[ROWS];
} heap;

typedef struct fixture {
    gmc_arena arena, kept;
    heap h;
    double sparse[VALUES], dense[VALUES];
} fixture;

static fixture *fx;
static const double ONE = 1;

static int set_up(void **state)
{
    (void)state;
    fx = test_calloc(1, sizeof *fx);
    return gmc_arena_create(&fx->arena, 1 << 23) == GMC_OK &&
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

static void add_column(gmc_ncp_group *group, int dof, gmc_vec3 velocity, gmc_vec3 spin)
{
    const double S[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    memcpy(fx->h.S[group->contact_first] + 6 * group->general_count, S, sizeof S);
    fx->h.columns[group->contact_first][group->column_count++] = dof;
    group->general_count++;
}

/// Up to three contacts of body a with body b, the ground (-1) or the tree (BODIES).
static void add_contacts(gmc_chance *chance, int a, int b, double friction)
{
    int count = gmc_chance_integer(chance, 1, 3), first = fx->h.ncp.contact_count;
    gmc_ncp_group *group = &fx->h.groups[fx->h.ncp.group_count++];
    gmc_vec3 dir[3] = {gmc_chance_direction(chance)}, none = {0, 0, 0};
    gmc_vec3 apart = gmc_vec3_scale(0.05, gmc_chance_direction(chance));
    gmc_vec3_tangents(dir[0], &dir[1], &dir[2]);
    *group = (gmc_ncp_group){.contact_first = first,
                             .contact_count = count,
                             .columns = fx->h.columns[first],
                             .S = fx->h.S[first],
                             .sign = 1};
    for (int k = 0; b >= 0 && b < BODIES && k < 6; k++) {
        gmc_vec3 axis = {-(k % 3 == 0), -(k % 3 == 1), -(k % 3 == 2)};
        add_column(group, 6 * b + k, k < 3 ? axis : gmc_vec3_cross(axis, apart),
                   k < 3 ? none : axis);
    }
    for (int k = 0; b == BODIES && k < 3; k++)
        add_column(group, 6 * BODIES + k, gmc_chance_direction(chance),
                   gmc_vec3_scale(10, gmc_chance_direction(chance)));
    for (int k = 0; k < 6; k++)
        fx->h.columns[first][group->column_count++] = 6 * a + k;
    for (int c = first; c < first + count; c++) {
        gmc_vec3 arm = gmc_vec3_scale(0.03, gmc_chance_direction(chance));
        fx->h.contacts[c] = (gmc_ncp_contact){.hints = {.is_rotation = true},
                                              .arm = {arm.x, arm.y, arm.z},
                                              .compliance_n = 0.25,
                                              .compliance_t = 0.3,
                                              .friction = friction};
        for (int i = 0; i < 3; i++) {
            const double row[3] = {dir[i].x, dir[i].y, dir[i].z};
            memcpy(fx->h.contacts[c].frame + 3 * i, row, sizeof row);
            fx->h.contacts[c].bias[i] = gmc_chance_uniform(chance, -0.02, i == 0 ? 0.005 : 0.02);
        }
    }
    fx->h.ncp.contact_count += count;
}

static void draw_mass(gmc_chance *chance)
{
    memset(fx->h.mass, 0, sizeof fx->h.mass);
    memset(fx->h.packed, 0, sizeof fx->h.packed);
    for (int b = 0; b <= BODIES; b++) {
        int from = 6 * b, to = b < BODIES ? from + 6 : DOFS;
        double m = gmc_chance_log_uniform(chance, 0.03, 0.3);
        for (int i = from; i < to; i++)
            for (int j = from; j <= i; j++) {
                double turning = i - from >= 3 ? 4e-4 : 1, value = m * turning;
                if (i != j) value = j - from >= 3 ? 0.2 * value : 0;
                fx->h.mass[i * DOFS + j] = fx->h.mass[j * DOFS + i] = value;
                fx->h.packed[i * 6 + j - from] = fx->h.packed[j * 6 + i - from] = value;
            }
    }
}

/// @param friction_max  0: every system is symmetric
static void draw(gmc_chance *chance, double friction_max)
{
    heap *h = &fx->h;
    h->ncp = (gmc_ncp){.dof_count = DOFS,
                       .mass = h->packed,
                       .mass_width = 6,
                       .block_count = BODIES + 1,
                       .block_start = h->start,
                       .momentum = h->momentum,
                       .contacts = h->contacts,
                       .groups = h->groups,
                       .row_count = ROWS,
                       .rows = h->rows};
    for (int b = 0; b <= BODIES + 1; b++)
        h->start[b] = b <= BODIES ? 6 * b : DOFS;
    draw_mass(chance);
    for (int i = 0; i < DOFS; i++)
        h->v_free[i] = gmc_chance_uniform(chance, -0.05, 0.05);
    for (int i = 0; i < DOFS; i++) {
        h->momentum[i] = 0;
        for (int j = 0; j < DOFS; j++)
            h->momentum[i] += h->mass[i * DOFS + j] * h->v_free[j];
    }
    for (int a = 0; a < BODIES; a++) {
        double mu = gmc_chance_uniform(chance, 0, friction_max);
        if (a % 4 < 3 && gmc_chance_uniform(chance, 0, 1) < 0.7) add_contacts(chance, a, a + 1, mu);
        if (a + 4 < BODIES && gmc_chance_uniform(chance, 0, 1) < 0.7)
            add_contacts(chance, a, a + 4, mu);
        if (a < 4 || a == 9) add_contacts(chance, a, a == 9 ? BODIES : -1, mu);
    }
    for (int i = 0; i < ROWS; i++) {
        h->row_columns[i] = 6 * BODIES + i;
        h->rows[i] = (gmc_ncp_row){1, &h->row_columns[i], &ONE, 0.01, 0.1, -0.01, 0.01};
    }
}

static gmc_ncp_solution solution_in(double *x)
{
    memset(x, 0, VALUES * sizeof *x);
    return (gmc_ncp_solution){x, x + DOFS, x + DOFS + 3 * CONTACTS};
}

/// The same numbers as one tree: the dense path.
static gmc_ncp dense_of(const gmc_ncp *sparse)
{
    gmc_ncp dense = *sparse;
    fx->h.one[1] = DOFS;
    dense.mass = fx->h.mass;
    dense.mass_width = 0;
    dense.block_count = 1;
    dense.block_start = fx->h.one;
    dense.hints.memory = NULL;
    return dense;
}

static gmc_newton_result newton(const gmc_ncp *problem, int iteration_max, double *x)
{
    gmc_ncp_scales scales;
    gmc_newton_options options = {GMC_NEWTON_PRIMAL_DUAL, iteration_max, 1e-11, NULL};
    gmc_newton_result result;
    gmc_ncp_solution solution = solution_in(x);
    gmc_arena_reset(&fx->arena, 0);
    assert_int_equal(gmc_ncp_scale(problem, &fx->arena, &scales), GMC_OK);
    gmc_status status =
        gmc_newton_solve(problem, &scales, &options, &solution, &fx->arena, &result);
    assert_true(status == GMC_OK || status == GMC_E_NO_SOLUTION);
    return result;
}

static void expect_same_solution(double tolerance)
{
    double size = 0, worst = 0;
    for (int i = 0; i < VALUES; i++) {
        size = fmax(size, fabs(fx->dense[i]));
        worst = fmax(worst, fabs(fx->dense[i] - fx->sparse[i]));
    }
    if (!(worst <= tolerance * size)) fail_msg("dense and sparse differ by %g of %g", worst, size);
}

// one linear system each, symmetric (nothing slides in the first iteration from rest without
// friction) and not: 1e-9 is what the issue asks, conditions are below 1e5
static void dense_and_sparse_agree(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    for (int k = 0; k < 200; k++) {
        draw(&chance, k % 2 ? 1.0 : 0);
        gmc_ncp dense = dense_of(&fx->h.ncp);
        assert_true(gmc_newton_sparse_fits(&fx->h.ncp));
        assert_true(!gmc_newton_sparse_fits(&dense));
        for (int iterations = 1; iterations <= 3; iterations++) {
            (void)newton(&fx->h.ncp, iterations, fx->sparse);
            (void)newton(&dense, iterations, fx->dense);
            expect_same_solution(1e-9);
        }
    }
}

// all rungs: both solve, to the same point where Newton does it
static void the_rungs_solve_both(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    gmc_rungs_options options = gmc_rungs_defaults();
    for (int k = 0; k < 100; k++) {
        draw(&chance, 1.0);
        gmc_ncp dense = dense_of(&fx->h.ncp);
        const gmc_ncp *problems[] = {&fx->h.ncp, &dense};
        double *found[] = {fx->sparse, fx->dense};
        for (int i = 0; i < 2; i++) {
            gmc_rungs_report report;
            gmc_ncp_solution x = solution_in(found[i]);
            gmc_arena_reset(&fx->arena, 0);
            assert_int_equal(gmc_rungs_solve(problems[i], &options, &x, &fx->arena, &report),
                             GMC_OK);
        }
        // both within 1e-8 of the problem's size in root energy; compliance bounds v by that
        expect_same_solution(1e-5);
    }
}

// a memory that has seen other graphs, a fresh one and none give the same bits
static void a_kept_plan_moves_no_bits(void **state)
{
    (void)state;
    gmc_chance chance = {7};
    gmc_newton_sparse_memory *memory;
    gmc_arena_reset(&fx->kept, 0);
    assert_int_equal(gmc_newton_sparse_memory_create(BODIES + 1, &fx->kept, &memory), GMC_OK);
    for (int k = 0; k < 50; k++) {
        draw(&chance, 1.0);
        fx->h.ncp.hints.memory = NULL;
        (void)newton(&fx->h.ncp, 4, fx->dense);
        fx->h.ncp.hints.memory = memory;
        for (int i = 0; i < 3; i++) {
            long long plans = gmc_newton_sparse_counted(memory).plans;
            (void)newton(&fx->h.ncp, 4, fx->sparse);
            assert_memory_equal(fx->sparse, fx->dense, sizeof fx->sparse);
            assert_int_equal(gmc_newton_sparse_counted(memory).plans, plans + (i == 0));
        }
    }
    assert_true(gmc_newton_sparse_counted(memory).systems >= 150);
}

// the size of the graph a memory was made for does not matter to the result either
static void a_memory_too_small_moves_no_bits(void **state)
{
    (void)state;
    gmc_chance chance = {8};
    gmc_newton_sparse_memory *memory;
    gmc_arena_reset(&fx->kept, 0);
    assert_int_equal(gmc_newton_sparse_memory_create(3, &fx->kept, &memory), GMC_OK);
    draw(&chance, 1.0);
    (void)newton(&fx->h.ncp, 4, fx->dense);
    fx->h.ncp.hints.memory = memory;
    for (int i = 0; i < 2; i++) {
        (void)newton(&fx->h.ncp, 4, fx->sparse);
        assert_memory_equal(fx->sparse, fx->dense, sizeof fx->sparse);
    }
    assert_int_equal(gmc_newton_sparse_counted(memory).plans, 2);
}

static void says_when_the_arena_is_full(void **state)
{
    (void)state;
    gmc_chance chance = {9};
    gmc_newton_options options = {GMC_NEWTON_PRIMAL_DUAL, 1, 1e-11, NULL};
    gmc_newton_result result;
    gmc_ncp_scales scales;
    draw(&chance, 1.0);
    gmc_arena_reset(&fx->arena, 0);
    assert_int_equal(gmc_ncp_scale(&fx->h.ncp, &fx->arena, &scales), GMC_OK);
    gmc_status status = GMC_E_ARENA_FULL;
    for (size_t room = 1024; status == GMC_E_ARENA_FULL; room += 16384) {
        gmc_arena small;
        gmc_ncp_solution x = solution_in(fx->sparse);
        assert_int_equal(gmc_arena_create(&small, room), GMC_OK);
        status = gmc_newton_solve(&fx->h.ncp, &scales, &options, &x, &small, &result);
        assert_int_equal(small.used, 0);
        gmc_arena_free(&small);
        assert_true(room < 1 << 22);
        if (room == 1024) assert_int_equal(status, GMC_E_ARENA_FULL);
    }
}

int test_newton_sparse(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse_agree),
        cmocka_unit_test(the_rungs_solve_both),
        cmocka_unit_test(a_kept_plan_moves_no_bits),
        cmocka_unit_test(a_memory_too_small_moves_no_bits),
        cmocka_unit_test(says_when_the_arena_is_full),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
