#include "engine/pivoting/lemke.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

enum { SIZE_MAX_HERE = 12 };

static gmc_lemke_result solve(int size, const double *M, const double *q, double *z,
                              gmc_status expected)
{
    const gmc_lcp problem = {size, M, q};
    gmc_lemke_options options = gmc_lemke_defaults(size);
    gmc_lemke_result result;
    gmc_status status = gmc_lemke_solve(&problem, &options, z, &arena, &result);
    assert_int_equal(status, expected);
    assert_int_equal(arena.used, 0);
    return result;
}

// ---- the same method without the lexicographic rule -------------------------------------------

/// Ties go to the first row. The tableaus below are fractions of small integers, so that 1e-9 tells
/// equal from different. @return pivots if it ends, -1 if a basis comes back.
static int plain_lemke(int n, const double *M, const double *q)
{
    enum { PIVOTS = 64, WIDTH = 2 * SIZE_MAX_HERE + 2 };
    double t[SIZE_MAX_HERE][WIDTH] = {{0}};
    int basis[SIZE_MAX_HERE], columns = 2 * n + 2, row = 0, column = 2 * n;
    unsigned long seen[PIVOTS];
    for (int i = 0; i < n; i++) {
        t[i][i] = 1;
        for (int j = 0; j < n; j++)
            t[i][n + j] = -M[i * n + j];
        t[i][2 * n] = -1;
        t[i][2 * n + 1] = q[i];
        basis[i] = i;
        if (q[i] < q[row]) row = i;
    }
    for (int count = 0; count < PIVOTS; count++) {
        double pivot = t[row][column];
        int leaves = basis[row];
        for (int j = 0; j < columns; j++)
            t[row][j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = t[i][column];
            for (int j = 0; j < columns && i != row; j++)
                t[i][j] -= factor * t[row][j];
        }
        basis[row] = column;
        if (leaves == 2 * n) return count + 1;
        column = leaves < n ? leaves + n : leaves - n;
        unsigned long set = 1ul << (32 + column);
        for (int i = 0; i < n; i++)
            set |= 1ul << basis[i];
        for (int k = 0; k < count; k++)
            if (seen[k] == set) return -1;
        seen[count] = set;
        row = -1;
        for (int i = 0; i < n; i++) {
            if (!(t[i][column] > 1e-9)) continue;
            double ratio = t[i][2 * n + 1] / t[i][column];
            double best = row < 0 ? HUGE_VAL : t[row][2 * n + 1] / t[row][column];
            if (ratio < best - 1e-9) row = i;
        }
        for (int i = 0; i < n && row >= 0; i++) // z_0 leaves if it may
            if (basis[i] == 2 * n && t[i][column] > 1e-9 &&
                t[i][2 * n + 1] / t[i][column] <= t[row][2 * n + 1] / t[row][column] + 1e-9)
                row = i;
        if (row < 0) return count + 1;
    }
    return -1;
}

/// Problems with one solution each on which ties in row order run in circles. The first is that of
/// [kostreva1979]; in the second M + Mᵀ = 2; the others were found by search.
static void ties_do_not_make_it_cycle(void **state)
{
    (void)state;
    static const struct {
        int size;
        double M[25], q[5];
    } cases[] = {
        {3, {1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1}},
        {5,
         {1, 2, 2, 0, -2, -2, 1, 2, -1, -2, -2, -2, 1, 2, 2, 0, 1, -2, 1, 2, 2, 2, -2, -2, 1},
         {-1, 0, -1, 0, -1}},
        {5,
         {1, 2, -2, -1, -1, -2, 1, 2, 0, 0, 2, -2, 1, -1, 0, 1, 0, 1, 1, -2, 1, 0, 0, 2, 1},
         {-1, -1, -1, 1, 1}},
        {4, {1, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1, 1, 0, 1, 2, 1}, {-1, -1, 0, -1}},
        {5,
         {1, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 2, 0, 1, 2, 1, 1, 2, 0, 2, 1, 2, 1},
         {-1, -1, -1, -1, -1}},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        double z[5];
        assert_int_equal(plain_lemke(cases[i].size, cases[i].M, cases[i].q), -1);
        gmc_lemke_result result = solve(cases[i].size, cases[i].M, cases[i].q, z, GMC_OK);
        assert_true(result.end == GMC_LEMKE_SOLVED);
        assert_true(result.regularisation == 0);
        ASSERT_BELOW(result.residual, 1e-14);
        assert_true(result.pivots < 20);
        for (int k = 0; k < 3 && i == 0; k++)
            ASSERT_NEAR(z[k], 1.0 / 3, 1e-15); // rounding
        for (int k = 0; k < 3 && i == 0; k++)
            capability_at_most(27, fabs(z[k] - 1.0 / 3), 1e-12);
    }
}

// ---- known solutions --------------------------------------------------------------------------

static void nothing_to_do(void **state)
{
    (void)state;
    const double M[] = {1, 0, 0, 1}, q[] = {0, 2};
    double z[2] = {7, 7};
    gmc_lemke_result result = solve(2, M, q, z, GMC_OK);
    assert_true(z[0] == 0);
    assert_true(z[1] == 0);
    assert_true(result.pivots == 0);
}

/// The quadratic programme min x² + y² + xy - 4x - 5y, x + y <= 2, x, y >= 0: x = 1/2, y = 3/2 and
/// the multiplier 3/2, by hand.
static void quadratic_programme(void **state)
{
    (void)state;
    const double M[] = {2, 1, 1, 1, 2, 1, -1, -1, 0}, q[] = {-4, -5, 2};
    double z[3];
    solve(3, M, q, z, GMC_OK);
    ASSERT_NEAR(z[0], 0.5, 1e-14);
    ASSERT_NEAR(z[1], 1.5, 1e-14);
    ASSERT_NEAR(z[2], 1.5, 1e-14);
    capability_at_most(27, fmax(fabs(z[0] - 0.5), fmax(fabs(z[1] - 1.5), fabs(z[2] - 1.5))), 1e-12);
}

/// Positive definite but not symmetric: one solution, which trying all 2^n bases finds as well.
static void agrees_with_trying_all_bases(void **state)
{
    (void)state;
    enum { N = 5 };
    gmc_chance chance = {8};
    for (int i = 0; i < 300; i++) {
        double M[N * N], q[N], z[N];
        for (int k = 0; k < N; k++)
            for (int j = k; j < N; j++) {
                double skew = gmc_chance_uniform(&chance, -2, 2);
                M[N * k + j] = skew;
                M[N * j + k] = k == j ? gmc_chance_uniform(&chance, 0.3, 1) : -skew;
            }
        for (int k = 0; k < N; k++)
            q[k] = gmc_chance_uniform(&chance, -1, 0.3);
        assert_true(solve(N, M, q, z, GMC_OK).pivots <= 25 * N);

        int solutions = 0;
        for (int set = 0; set < 1 << N; set++) {
            double a[N][N + 1], x[N] = {0};
            for (int r = 0; r < N; r++) {
                for (int j = 0; j < N; j++)
                    a[r][j] = set >> r & 1 ? (set >> j & 1 ? M[N * r + j] : 0) : r == j;
                a[r][N] = set >> r & 1 ? -q[r] : 0;
            }
            for (int p = 0; p < N; p++) // pivots of a matrix with positive definite part are not 0
                for (int r = 0; r < N; r++) {
                    double factor = a[r][p] / a[p][p];
                    for (int j = p; j <= N && r != p; j++)
                        a[r][j] -= factor * a[p][j];
                }
            bool is_solution = true;
            for (int r = 0; r < N; r++)
                x[r] = a[r][N] / a[r][r];
            for (int r = 0; r < N; r++) {
                const gmc_lcp problem = {N, M, q};
                double w = gmc_lcp_answer(&problem, x, r);
                if (set >> r & 1 ? x[r] < 0 : w < 0) is_solution = false;
            }
            if (!is_solution) continue;
            solutions++;
            for (int r = 0; r < N; r++)
                ASSERT_NEAR(z[r], x[r], 1e-11); // condition times rounding
        }
        assert_int_equal(solutions, 1);
    }
}

/// Sizes up to 48: matrices whose principal minors are all positive (a positive definite part and any
/// skew one), and strictly copositive ones (no negative entry, a positive diagonal), most of which
/// are indefinite. Of both Lemke's method solves every problem [lemke1965].
static void kinds_that_are_always_solvable_are_solved(void **state)
{
    (void)state;
    enum { MOST = 48, PROBLEMS = 1000 };
    static double M[MOST * MOST], q[MOST], z[MOST];
    gmc_chance chance = {27};
    int unsolved = 0;
    double pivots = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        int n = 2 + i % (MOST - 1);
        for (int k = 0; k < n; k++) {
            q[k] = gmc_chance_uniform(&chance, -1, 0.3);
            for (int j = 0; j <= k; j++) {
                double x = gmc_chance_uniform(&chance, 0, 1), y = gmc_chance_uniform(&chance, 0, 1);
                bool is_copositive = i % 2;
                M[n * k + j] = is_copositive ? x : 4 * x - 2;
                M[n * j + k] = is_copositive ? y : k == j ? 0.3 + 0.7 * y : 2 - 4 * x;
                if (is_copositive && k == j) M[n * k + k] = 0.05 + x;
            }
        }
        const gmc_lcp problem = {n, M, q};
        gmc_lemke_options options = gmc_lemke_defaults(n);
        gmc_lemke_result result;
        gmc_status status = gmc_lemke_solve(&problem, &options, z, &arena, &result);
        unsolved += status != GMC_OK || !(result.residual <= 1e-8) || result.regularisation > 0;
        pivots = fmax(pivots, result.pivots / (double)n);
    }
    capability_at_most(27, unsolved, 0);
    capability_at_most(27, pivots, 25);
}

// ---- ends -------------------------------------------------------------------------------------

/// Copositive-plus and infeasible: the ray proves that nothing solves it, and softening the matrix
/// must not make up a solution.
static void infeasible_ends_on_a_ray(void **state)
{
    (void)state;
    const double M[] = {0, 0, 0, 1}, q[] = {-1, -1};
    const gmc_lcp problem = {2, M, q};
    double z[2];
    gmc_lemke_options options = gmc_lemke_defaults(2);
    gmc_lemke_result result = solve(2, M, q, z, GMC_E_NO_SOLUTION);
    assert_int_equal(result.end, GMC_LEMKE_RAY);
    options.regularise = true;
    assert_int_not_equal(gmc_lemke_solve(&problem, &options, z, &arena, &result), GMC_OK);
    assert_true(result.regularisation == 0);
    assert_true(result.residual > 0.1);
}

/// M is not copositive-plus, and the walk meets a ray although z = (2, 0) solves the problem; a
/// little on the diagonal leads around it, and is reported.
static void regularised_retry_is_reported(void **state)
{
    (void)state;
    const double M[] = {1, -2, 2, -2}, q[] = {-2, -2};
    const gmc_lcp problem = {2, M, q};
    double z[2];
    gmc_lemke_result result = solve(2, M, q, z, GMC_E_NO_SOLUTION);
    assert_int_equal(result.end, GMC_LEMKE_RAY);
    int pivots = result.pivots;
    gmc_lemke_options options = gmc_lemke_defaults(2);
    options.regularise = true;
    assert_int_equal(gmc_lemke_solve(&problem, &options, z, &arena, &result), GMC_OK);
    assert_int_equal(result.end, GMC_LEMKE_SOLVED);
    assert_true(result.regularisation >= 1e-12);
    ASSERT_BELOW(result.regularisation, 1e-4);
    assert_true(result.pivots > pivots);
    ASSERT_BELOW(result.residual, 1e-8);
    ASSERT_NEAR(z[0], 2, 1e-7); // what ε = 1e-8 may change
    ASSERT_NEAR(z[1], 0, 1e-7);
}

static void pivots_are_limited(void **state)
{
    (void)state;
    const double M[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, q[] = {-1, -1, -1};
    const gmc_lcp problem = {3, M, q};
    double z[3];
    gmc_lemke_options options = gmc_lemke_defaults(3);
    gmc_lemke_result result;
    options.pivot_max = 2;
    assert_int_equal(gmc_lemke_solve(&problem, &options, z, &arena, &result), GMC_E_NO_SOLUTION);
    assert_int_equal(result.end, GMC_LEMKE_PIVOTS);
    assert_int_equal(result.pivots, 2);
}

static void residual_is_believed(void **state)
{
    (void)state;
    const double M[] = {3, 1, 1, 7}, q[] = {-1, -1.0 / 3};
    const gmc_lcp problem = {2, M, q};
    double z[2];
    gmc_lemke_options options = gmc_lemke_defaults(2);
    gmc_lemke_result result;
    options.residual_max = -1; // not even rounding
    assert_int_equal(gmc_lemke_solve(&problem, &options, z, &arena, &result), GMC_E_RESIDUAL);
    assert_int_equal(result.end, GMC_LEMKE_RESIDUAL);
    ASSERT_BELOW(result.residual, 1e-15);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    const double M[] = {1, 0, 0, 1}, q[] = {-1, -1};
    const gmc_lcp problem = {2, M, q};
    double z[2];
    gmc_lemke_options options = gmc_lemke_defaults(2);
    gmc_lemke_result result;
    gmc_arena small;
    gmc_status status = GMC_E_ARENA_FULL;
    for (size_t bytes = 64; status == GMC_E_ARENA_FULL; bytes += 64) {
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        status = gmc_lemke_solve(&problem, &options, z, &small, &result);
        assert_true(status == GMC_E_ARENA_FULL || status == GMC_OK);
        assert_int_equal(small.used, 0);
        gmc_arena_free(&small);
    }
}

int test_lemke(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_do_not_make_it_cycle),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(quadratic_programme),
        cmocka_unit_test(agrees_with_trying_all_bases),
        cmocka_unit_test(kinds_that_are_always_solvable_are_solved),
        cmocka_unit_test(infeasible_ends_on_a_ray),
        cmocka_unit_test(regularised_retry_is_reported),
        cmocka_unit_test(pivots_are_limited),
        cmocka_unit_test(residual_is_believed),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
