#include "engine/complementarity/polyhedral.h"
#include "engine/math/elementary.h"
#include "engine/math/vec2.h"
#include "test/support/chance.h"
#include "test/support/near.h"

#include <string.h>

/// Bodies in the plane, each on points of known normal impulse, with walls beside them and joints.
enum { UNITS = 104, DOFS = 6, SIZE = 3 * UNITS };

typedef struct scene {
    gmc_dual dual;
    gmc_dual_unit units[UNITS];
    int start[UNITS + 1], other[UNITS * UNITS];
    double J[SIZE][DOFS], own[SIZE]; ///< W = J Jᵀ + own
    double W[9 * UNITS * UNITS], q[SIZE];
} scene;

static scene s;
static gmc_arena arena;

/// Whole LCPs of a hundred points take 20 MiB.
static int open_arena(void **state)
{
    (void)state;
    return gmc_arena_create(&arena, (size_t)32 << 20) == GMC_OK ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    gmc_arena_free(&arena);
    return 0;
}

/// Rows along the plane at p of a body, for mass 1 and the radius of gyration `gyration`.
static void add_point(int body, gmc_vec2 p, gmc_vec2 along, double gyration, double row[DOFS])
{
    row[3 * body] += along.x;
    row[3 * body + 1] += along.y;
    row[3 * body + 2] += (p.x * along.y - p.y * along.x) / gyration;
}

static void add_support(int body, gmc_vec2 p, double gyration, double load, double friction,
                        int facets)
{
    int c = s.dual.unit_count++;
    s.units[c] = (gmc_dual_unit){.friction = friction, .facet_count = facets};
    s.own[3 * c] = 1;
    s.q[3 * c] = -load;
    add_point(body, p, (gmc_vec2){1, 0}, gyration, s.J[3 * c + 1]);
    add_point(body, p, (gmc_vec2){0, 1}, gyration, s.J[3 * c + 2]);
}

/// A wall at p of a body with inward normal n, two friction directions.
static void add_wall(int body, gmc_vec2 p, gmc_vec2 n, double gyration, double friction)
{
    int c = s.dual.unit_count++;
    s.units[c] = (gmc_dual_unit){.friction = friction, .facet_count = 2};
    add_point(body, p, n, gyration, s.J[3 * c]);
    add_point(body, p, (gmc_vec2){-n.y, n.x}, gyration, s.J[3 * c + 1]);
}

/// q += J v, and W.
static void finish(const double v[DOFS])
{
    int units = s.dual.unit_count, blocks = 0;
    for (int i = 0; i < 3 * units; i++)
        for (int k = 0; k < DOFS; k++)
            s.q[i] += s.J[i][k] * v[k];
    for (int c = 0; c < units; c++) {
        s.start[c] = blocks;
        for (int d = 0; d < units; d++) {
            double *W = s.W + 9 * blocks;
            bool is_zero = c != d;
            for (int i = 0; i < 9; i++) {
                int row = 3 * c + i / 3, column = 3 * d + i % 3;
                W[i] = row == column ? s.own[row] : 0;
                for (int k = 0; k < DOFS; k++)
                    W[i] += s.J[row][k] * s.J[column][k];
                is_zero = is_zero && W[i] == 0;
            }
            if (!is_zero) s.other[blocks++] = d;
        }
    }
    s.start[units] = blocks;
    s.dual = (gmc_dual){units, s.units, s.start, s.other, s.W, s.q};
}

static gmc_vec2 point(gmc_chance *chance)
{
    return (gmc_vec2){gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1)};
}

/// @param speed  of what pushes and turns; below about 0.1 friction holds
static void draw(gmc_chance *chance, int bodies, int supports, int facets, double speed)
{
    double v[DOFS], gyration = gmc_chance_uniform(chance, 0.3, 3);
    memset(&s, 0, sizeof s);
    for (int i = 0; i < supports; i++)
        add_support(i % bodies, point(chance), gyration, 1.0 / supports,
                    gmc_chance_uniform(chance, 0.2, 0.6), facets);
    for (int body = 0; body < bodies; body++) {
        double a = gmc_chance_uniform(chance, 0, 2 * GMC_PI);
        add_wall(body, point(chance), (gmc_vec2){gmc_cos(a), gmc_sin(a)}, gyration, 0.3);
    }
    s.units[s.dual.unit_count] =
        (gmc_dual_unit){.is_box = true, .lower = {-0.1, -HUGE_VAL, 0}, .upper = {0.1, 0.05, 0.2}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 * bodies; k++)
            s.J[3 * s.dual.unit_count + i][k] = gmc_chance_uniform(chance, -0.5, 0.5);
    s.dual.unit_count++;
    for (int k = 0; k < DOFS; k++)
        v[k] = k < 3 * bodies ? speed * gmc_chance_uniform(chance, -1, 1) : 0;
    finish(v);
}

/// The whole LCP by pivoting. @return its defect
static double pivot(double *x, double *w)
{
    static double z[1200];
    size_t mark = gmc_arena_mark(&arena);
    gmc_lcp lcp;
    gmc_lemke_result result;
    assert_int_equal(gmc_polyhedral_lcp(&s.dual, &arena, &lcp), GMC_OK);
    assert_true(lcp.size <= GMC_COUNT(z));
    gmc_lemke_options options = gmc_lemke_defaults(lcp.size);
    options.residual_max = 1e-10;
    options.regularise = true;
    assert_int_equal(gmc_lemke_solve(&lcp, &options, z, &arena, &result), GMC_OK);
    gmc_polyhedral_impulses(&s.dual, z, x);
    gmc_arena_reset(&arena, mark);
    gmc_dual_answer(&s.dual, x, w);
    return gmc_dual_defect(&s.dual, x, w);
}

static double bundle(double *x, double *w)
{
    gmc_lemke_result result;
    assert_int_equal(gmc_polyhedral_bundle(&s.dual, 1e-10, x, &arena, &result), GMC_OK);
    assert_int_equal(arena.used, 0);
    gmc_dual_answer(&s.dual, x, w);
    ASSERT_NEAR(result.residual, gmc_dual_defect(&s.dual, x, w), 1e-15);
    return result.residual;
}

/// Velocities are those of the whole LCP; impulses of dozens of points are not unique.
static void the_same_as_pivoting(void **state)
{
    (void)state;
    static const struct {
        int bodies, supports, facets, draws;
        double speed;
    } cases[] = {{1, 16, 8, 20, 0.05}, {1, 16, 8, 20, 1},  {1, 16, 4, 10, 0.5}, {2, 32, 8, 4, 0.7},
                 {1, 16, 16, 10, 0.7}, {1, 64, 8, 2, 0.1}, {1, 64, 8, 2, 1},    {1, 100, 4, 1, 1}};
    gmc_chance chance = {81};
    for (int i = 0; i < GMC_COUNT(cases); i++)
        for (int k = 0; k < cases[i].draws; k++) {
            static double x[SIZE], w[SIZE], expected[SIZE], expected_w[SIZE];
            draw(&chance, cases[i].bodies, cases[i].supports, cases[i].facets, cases[i].speed);
            memset(x, 0, sizeof x);
            ASSERT_BELOW(pivot(expected, expected_w), 1e-9);
            ASSERT_BELOW(bundle(x, w), 1e-10);
            // residuals times what pivots of small bodies' rows amplify them by, up to 10
            for (int j = 0; j < 3 * s.dual.unit_count; j++)
                ASSERT_NEAR(w[j], expected_w[j], 1e-8);
            // and from the solution it is the solution
            ASSERT_BELOW(bundle(x, w), 1e-10);
            for (int j = 0; j < 3 * s.dual.unit_count; j++)
                ASSERT_NEAR(w[j], expected_w[j], 1e-8);
        }
}

/// Pushed along a corner, points all around its centre: it stops, or keeps what is beyond mu N.
/// Sizes and loads over three decades.
static void sliding_and_holding(void **state)
{
    (void)state;
    static const double loads[] = {1e-2, 1, 10}, gyrations[] = {0.01, 1, 10};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int holds = 0; holds < 2; holds++) {
                enum { POINTS = 64 };
                static double x[SIZE], w[SIZE];
                double friction = 0.4, all = friction * loads[i], v = (holds ? 0.9 : 1.1) * all;
                memset(&s, 0, sizeof s);
                memset(x, 0, sizeof x);
                for (int c = 0; c < POINTS; c++) {
                    gmc_vec2 p = {gmc_cos(2 * GMC_PI * c / POINTS),
                                  gmc_sin(2 * GMC_PI * c / POINTS)};
                    add_support(0, p, gyrations[k], loads[i] / POINTS, friction, 8);
                }
                finish((double[DOFS]){v});
                (void)bundle(x, w);
                for (int c = 0; c < POINTS; c++) {
                    ASSERT_NEAR(x[3 * c], loads[i] / POINTS, 1e-15 * loads[i]);
                    ASSERT_NEAR(w[3 * c + 1], holds ? 0 : v - all, 1e-12 * loads[i] + 1e-10);
                    ASSERT_NEAR(w[3 * c + 2], 0, 1e-10);
                }
            }
}

static void what_it_leaves_to_others(void **state)
{
    (void)state;
    static double x[SIZE];
    gmc_lemke_result result;
    gmc_chance chance = {82};
    draw(&chance, 1, 7, 8, 1);
    assert_int_equal(gmc_polyhedral_bundle(&s.dual, 1e-10, x, &arena, &result), GMC_E_NO_SOLUTION);
    draw(&chance, 1, 8, 8, 1);
    s.q[4] = NAN;
    assert_int_equal(gmc_polyhedral_bundle(&s.dual, 1e-10, x, &arena, &result), GMC_E_NO_SOLUTION);
    assert_int_equal(arena.used, 0);
}

static void room(void **state)
{
    (void)state;
    static double x[SIZE];
    gmc_arena small;
    gmc_lemke_result result;
    gmc_chance chance = {83};
    draw(&chance, 2, 40, 8, 1);
    memset(x, 0, sizeof x);
    assert_int_equal(gmc_arena_create(&small, 4096), GMC_OK);
    assert_int_equal(gmc_polyhedral_bundle(&s.dual, 1e-10, x, &small, &result), GMC_E_ARENA_FULL);
    assert_int_equal(small.used, 0);
    gmc_arena_free(&small);
}

int test_bundle(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_pivoting),
        cmocka_unit_test(sliding_and_holding),
        cmocka_unit_test(what_it_leaves_to_others),
        cmocka_unit_test(room),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
