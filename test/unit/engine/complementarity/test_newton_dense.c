#include "engine/complementarity/newton_internal.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

#include <string.h>

enum { MOST = 14, COLUMNS = 4 };

typedef struct fixture {
    double mass[MOST * MOST], S[6 * COLUMNS], J[2];
    int columns[COLUMNS + 6], row_columns[2], block_start[2];
    gmc_ncp_group group;
    gmc_ncp_row row;
    gmc_ncp ncp;
    gmc_newton_stiffness stiffness;
    gmc_newton_clamp clamp;
} fixture;

static double value(gmc_chance *chance) { return gmc_chance_uniform(chance, -1, 1); }

/// A Aᵀ + 1, and a part that is not symmetric.
static void draw_positive(gmc_chance *chance, int n, double skew, double *K)
{
    double A[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        A[i] = value(chance);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = (i == j) + (i < j ? skew : -skew) * (i != j);
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * A[j * n + k];
            K[i * n + j] = sum;
        }
}

/// One group of general columns, some of which only slide, in any order before and behind the six
/// that are its motion; now and then without those.
static void draw(gmc_chance *chance, bool is_symmetric, fixture *fx)
{
    int n = gmc_chance_integer(chance, 7, MOST), unit = gmc_chance_integer(chance, 0, n - 6);
    int general = n - 6 < COLUMNS ? n - 6 : COLUMNS, count = 0;
    memset(fx, 0, sizeof *fx);
    draw_positive(chance, n, 0, fx->mass);
    for (int k = n - 1; k >= 0 && count < general; k--) // backwards: order means nothing
        if (k < unit || k >= unit + 6) fx->columns[count++] = k;
    for (int k = 0; k < 6; k++)
        fx->columns[general + k] = unit + k;
    int slides = gmc_chance_integer(chance, 0, general);
    for (int k = 0; k < 6 * general; k++)
        fx->S[k] = k < 6 * slides && k % 6 > 2 ? 0 : value(chance);
    fx->group = (gmc_ncp_group){.column_count = general + (value(chance) < 0.8 ? 6 : 0),
                                .general_count = general,
                                .hints = {.slide_count = slides},
                                .columns = fx->columns,
                                .S = fx->S,
                                .sign = value(chance) < 0 ? -1 : 1};
    fx->row_columns[1] = n - 1;
    fx->J[0] = value(chance);
    fx->J[1] = value(chance);
    fx->row = (gmc_ncp_row){.column_count = 2, .columns = fx->row_columns, .J = fx->J};
    fx->clamp.g = 1;
    fx->stiffness.is_pressed = true;
    draw_positive(chance, 6, is_symmetric ? 0 : 0.5, fx->stiffness.K);
    fx->block_start[1] = n;
    fx->ncp = (gmc_ncp){.dof_count = n,
                        .mass = fx->mass,
                        .block_count = 1,
                        .block_start = fx->block_start,
                        .group_count = 1,
                        .groups = &fx->group,
                        .row_count = 1,
                        .rows = &fx->row};
}

/// (M + Sᵀ K S + g jᵀ j) v, entry by entry.
static void plain_product(const fixture *fx, const double *v, double *p)
{
    const gmc_ncp_group *group = &fx->group;
    int n = fx->ncp.dof_count;
    double u = 0;
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        for (int j = 0; j < n; j++)
            p[i] += fx->mass[i * n + j] * v[j];
    }
    for (int k = 0; k < group->column_count; k++)
        for (int l = 0; l < group->column_count; l++) {
            double S_k[6], S_l[6];
            gmc_ncp_group_column(group, k, S_k);
            gmc_ncp_group_column(group, l, S_l);
            for (int i = 0; i < 36; i++)
                p[group->columns[k]] +=
                    S_k[i / 6] * fx->stiffness.K[i] * S_l[i % 6] * v[group->columns[l]];
        }
    for (int k = 0; k < 2; k++)
        u += fx->J[k] * v[fx->row_columns[k]];
    for (int k = 0; k < 2; k++)
        p[fx->row_columns[k]] += fx->clamp.g * fx->J[k] * u;
}

static void the_system_is_the_plain_one(void **state)
{
    (void)state;
    gmc_chance chance = {1};
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, (size_t)1 << 20), GMC_OK);
    for (int i = 0; i < 400; i++) {
        static fixture fx;
        gmc_newton_dense system;
        double v[MOST], p[MOST], again[MOST], weight[MOST];
        draw(&chance, i % 2, &fx);
        for (int k = 0; k < fx.ncp.dof_count; k++) {
            v[k] = p[k] = value(&chance);
            weight[k] = 1;
        }
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_newton_dense_create(&fx.ncp, &arena, &system), GMC_OK);
        const gmc_newton_lines lines = {&fx.stiffness, NULL, &fx.clamp, weight, i % 2};
        assert_int_equal(gmc_newton_dense_solve(&system, &lines, v), GMC_OK);
        plain_product(&fx, v, again);
        for (int k = 0; k < fx.ncp.dof_count; k++)
            ASSERT_BELOW(fabs(again[k] - p[k]), 1e-11); // rounding times a condition of some 1e3
    }
    gmc_arena_free(&arena);
}

/// Would elimination without a search for pivots end in the system, formed entry by entry?
static bool can_be_eliminated(const fixture *fx)
{
    double H[MOST * MOST], x[MOST] = {0};
    int n = fx->ncp.dof_count, stride = gmc_mat_stride(n);
    memset(H, 0, sizeof H);
    for (int j = 0; j < n; j++) {
        double unit[MOST] = {0}, column[MOST];
        unit[j] = 1;
        plain_product(fx, unit, column);
        for (int i = 0; i < n; i++)
            H[i * stride + j] = column[i];
    }
    return gmc_mat_eliminate((gmc_mat){H, n, n, stride}, x);
}

/// A slope that pulls leaves pivots below zero: what elimination has begun is undone, and LU solves
/// the system that was.
static void what_cannot_be_eliminated_is_solved_all_the_same(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    gmc_arena arena;
    int failures = 0;
    assert_int_equal(gmc_arena_create(&arena, (size_t)1 << 20), GMC_OK);
    for (int i = 0; i < 200; i++) {
        static fixture fx;
        gmc_newton_dense system;
        double v[MOST], p[MOST], again[MOST], weight[MOST];
        draw(&chance, false, &fx);
        for (int k = 0; k < 6; k++)
            fx.stiffness.K[7 * k] -= 20 + k;
        failures += !can_be_eliminated(&fx);
        for (int k = 0; k < fx.ncp.dof_count; k++) {
            v[k] = p[k] = value(&chance);
            weight[k] = 1;
        }
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_newton_dense_create(&fx.ncp, &arena, &system), GMC_OK);
        const gmc_newton_lines lines = {&fx.stiffness, NULL, &fx.clamp, weight, false};
        assert_int_equal(gmc_newton_dense_solve(&system, &lines, v), GMC_OK);
        plain_product(&fx, v, again);
        for (int k = 0; k < fx.ncp.dof_count; k++)
            ASSERT_BELOW(fabs(again[k] - p[k]), 1e-9); // as above, of some 1e5
    }
    assert_true(failures > 100);
    gmc_arena_free(&arena);
}

int test_newton_dense(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_is_the_plain_one),
        cmocka_unit_test(what_cannot_be_eliminated_is_solved_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
