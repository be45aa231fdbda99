#include "engine/math/dense.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

#include <string.h>

enum { MOST = 61, STRIDE = 62 };

typedef struct system {
    int n;
    double A[MOST * STRIDE], x[MOST], b[MOST];
} system_type;

/// Entries of a band of random width (n: full), symmetric positive definite if asked for.
static void draw(gmc_chance *chance, int n, int width, int symmetric, system_type *s)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i - j > width || j - i > width || (symmetric && j < i)) continue;
            s->A[i * STRIDE + j] = gmc_chance_uniform(chance, -1, 1);
            if (symmetric) s->A[j * STRIDE + i] = s->A[i * STRIDE + j];
        }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(s->A[i * STRIDE + j]);
        if (symmetric) s->A[i * STRIDE + i] = sum + 0.1;
        s->x[i] = gmc_chance_uniform(chance, -1, 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->b[i] += s->A[i * STRIDE + j] * s->x[j];
}

/// |A y - b| / (|A| |y| + |b|), with a plain loop: the backward error.
static double backward_error(const system_type *s, const double *y)
{
    double worst = 0;
    for (int i = 0; i < s->n; i++) {
        double sum = -s->b[i], size = fabs(s->b[i]);
        for (int j = 0; j < s->n; j++) {
            sum += s->A[i * STRIDE + j] * y[j];
            size += fabs(s->A[i * STRIDE + j] * y[j]);
        }
        worst = fmax(worst, size > 0 ? fabs(sum) / size : 0);
    }
    return worst;
}

static void ldlt_solves_full_and_banded(void **state)
{
    (void)state;
    gmc_chance chance = {1};
    for (int i = 0; i < 400; i++) {
        static system_type s, f;
        int n = gmc_chance_integer(&chance, 1, MOST), width = gmc_chance_integer(&chance, 0, n);
        double y[MOST], inverse_d[MOST];
        int last[MOST];
        draw(&chance, n, width, 1, &s);
        f = s;
        memcpy(y, s.b, sizeof y);
        gmc_mat A = {f.A, n, n, STRIDE};
        assert_true(gmc_mat_ldlt_factor(A, last, inverse_d));
        gmc_mat_ldlt_solve(A, last, inverse_d, y);
        // rounding of n products, n <= 61, with room for growth
        assert_true(backward_error(&s, y) < 100 * 61 * 1.1e-16);
    }
}

/// Rows that follow each other are those of sizes that the compiler knows; a wide stride takes the
/// plain loops. The same bits.
static void ldlt_of_close_rows_is_the_plain_one(void **state)
{
    (void)state;
    gmc_chance chance = {4};
    for (int i = 0; i < 200; i++) {
        static system_type s, f;
        int n = 1 + i % (GMC_MAT_SMALL + 2), stride = gmc_mat_stride(n), last[MOST];
        double close[(GMC_MAT_SMALL + 2) * (GMC_MAT_SMALL + 2)] = {0};
        double y[2][MOST], inverse_d[2][MOST];
        draw(&chance, n, n, 1, &s);
        f = s;
        for (int k = 0; k < n; k++)
            memcpy(close + k * stride, s.A + k * STRIDE, (size_t)n * sizeof(double));
        const gmc_mat A[2] = {{f.A, n, n, STRIDE}, {close, n, n, stride}};
        for (int k = 0; k < 2; k++) {
            memcpy(y[k], s.b, sizeof y[k]);
            assert_true(gmc_mat_ldlt_factor(A[k], last, inverse_d[k]));
            gmc_mat_ldlt_solve(A[k], last, inverse_d[k], y[k]);
        }
        assert_memory_equal(y[0], y[1], (size_t)n * sizeof(double));
        assert_memory_equal(inverse_d[0], inverse_d[1], (size_t)n * sizeof(double));
        assert_true(backward_error(&s, y[1]) < 100 * 18 * 1.1e-16); // as above
        if (n == 1) continue;
        int k = i % n; // a pivot that is none
        for (int j = 0; j < n; j++)
            memcpy(close + j * stride, s.A + j * STRIDE, (size_t)n * sizeof(double));
        close[k * (stride + 1)] = i % 2 ? NAN : -1;
        assert_false(gmc_mat_ldlt_factor(A[1], last, inverse_d[1]));
    }
}

static void lu_solves_full_and_banded(void **state)
{
    (void)state;
    gmc_chance chance = {2};
    for (int i = 0; i < 400; i++) {
        static system_type s, f;
        int n = gmc_chance_integer(&chance, 1, MOST), width = gmc_chance_integer(&chance, 1, n);
        double y[MOST], weight[MOST], inverse_d[MOST];
        int last[MOST], pivot[MOST];
        draw(&chance, n, width, 0, &s);
        for (int k = 0; k < n; k++)
            weight[k] = gmc_chance_uniform(&chance, 0.5, 2);
        f = s;
        memcpy(y, s.b, sizeof y);
        gmc_mat A = {f.A, n, n, STRIDE};
        assert_true(gmc_mat_lu_factor(A, weight, pivot, last, inverse_d));
        gmc_mat_lu_solve(A, pivot, last, inverse_d, y);
        // partial pivoting with weights up to 4 apart: growth stays moderate
        ASSERT_BELOW(backward_error(&s, y), 1e-11);
    }
}

/// Symmetric and dominated by its diagonal, then a part that is not symmetric: up to half of it.
static void elimination_solves_what_is_near_positive_definite(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    for (int i = 0; i < 400; i++) {
        static system_type s;
        double A[GMC_MAT_SMALL * GMC_MAT_SMALL], y[MOST];
        int n = 1 + i % GMC_MAT_SMALL, stride = gmc_mat_stride(n);
        draw(&chance, n, n, 1, &s);
        memset(A, 0, sizeof A);
        memset(s.b, 0, sizeof s.b);
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                if (k != l) s.A[k * STRIDE + l] += gmc_chance_uniform(&chance, -0.5, 0.5);
                A[k * stride + l] = s.A[k * STRIDE + l];
                s.b[k] += s.A[k * STRIDE + l] * s.x[l];
            }
        memcpy(y, s.b, sizeof y);
        assert_true(gmc_mat_eliminate((gmc_mat){A, n, n, stride}, y));
        // rounding of n products, n <= 16, with room for growth
        assert_true(backward_error(&s, y) < 100 * 16 * 1.1e-16);
    }
}

static void elimination_refuses_what_needs_pivots(void **state)
{
    (void)state;
    double zero[4] = {0, 1, 1, 0}, small[4] = {1e-3, 1, -1, 1}, nan[4] = {1, NAN, 1, 1};
    double singular[4] = {1, 2, 2, 4}, last[12] = {1, 0, 1, 0, 0, 1, 0, 0, 9, 0, 1, 0},
           x[3] = {1, 1, 1};
    assert_false(gmc_mat_eliminate((gmc_mat){zero, 2, 2, 2}, x));
    assert_false(gmc_mat_eliminate((gmc_mat){small, 2, 2, 2}, x)); // 1 becomes 1001
    assert_false(gmc_mat_eliminate((gmc_mat){nan, 2, 2, 2}, x));
    assert_false(gmc_mat_eliminate((gmc_mat){singular, 2, 2, 2}, x));
    assert_false(gmc_mat_eliminate((gmc_mat){last, 3, 3, 4}, x)); // 1 becomes -8
}

static void ldlt_refuses_what_is_not_positive_definite(void **state)
{
    (void)state;
    double inverse_d[2];
    int last[2];
    double indefinite[4] = {1, 2, 2, 1}, zero[4] = {0}, nan[4] = {1, NAN, NAN, 1};
    assert_true(!gmc_mat_ldlt_factor((gmc_mat){indefinite, 2, 2, 2}, last, inverse_d));
    assert_true(!gmc_mat_ldlt_factor((gmc_mat){zero, 2, 2, 2}, last, inverse_d));
    assert_true(!gmc_mat_ldlt_factor((gmc_mat){nan, 2, 2, 2}, last, inverse_d));
}

static void lu_refuses_singular_and_not_finite(void **state)
{
    (void)state;
    double inverse_d[2], weight[2] = {1, 1};
    int last[2], pivot[2];
    double singular[4] = {1, 2, 2, 4}, nan[4] = {NAN, 1, 1, 1};
    double regular[4] = {0, 1, 1, 0}, x[2] = {3, 5};
    assert_true(!gmc_mat_lu_factor((gmc_mat){singular, 2, 2, 2}, weight, pivot, last, inverse_d));
    assert_true(!gmc_mat_lu_factor((gmc_mat){nan, 2, 2, 2}, weight, pivot, last, inverse_d));
    assert_true(gmc_mat_lu_factor((gmc_mat){regular, 2, 2, 2}, weight, pivot, last, inverse_d));
    gmc_mat_lu_solve((gmc_mat){regular, 2, 2, 2}, pivot, last, inverse_d, x);
    assert_true(x[0] == 5);
    assert_true(x[1] == 3);
}

static void weights_choose_the_pivot(void **state)
{
    (void)state;
    double A[4] = {1, 1, 2, 1}, weight[2] = {1, 0.1}, inverse_d[2];
    int last[2], pivot[2];
    assert_true(gmc_mat_lu_factor((gmc_mat){A, 2, 2, 2}, weight, pivot, last, inverse_d));
    assert_int_equal(pivot[0], 0); // 1 * 1 beats 2 * 0.1
}

int test_dense(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ldlt_solves_full_and_banded),
        cmocka_unit_test(ldlt_of_close_rows_is_the_plain_one),
        cmocka_unit_test(lu_solves_full_and_banded),
        cmocka_unit_test(elimination_solves_what_is_near_positive_definite),
        cmocka_unit_test(elimination_refuses_what_needs_pivots),
        cmocka_unit_test(ldlt_refuses_what_is_not_positive_definite),
        cmocka_unit_test(lu_refuses_singular_and_not_finite),
        cmocka_unit_test(weights_choose_the_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
