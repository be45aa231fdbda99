// What contacts hold along an axis (gmc_wrench_holds) where their places are a little off: two
// points of a ball or a cylinder by closed form, the eight of a box, and every vertex of the
// program written out again on grasps of two points.
#include "engine/grasp/wrench.h"
#include "engine/math/elementary.h"
#include "test/support/held.h"

#include <math.h>
#include <string.h>

/// What a place may be off, over the largest radius (wrench.c).
static const double OFF = 1e-6;

static const double PLACES[] = {0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 2e-8, 5e-8, 1e-7};
static const double RADII[] = {5e-3, 0.025, 0.4};
static const double FRICTIONS[] = {0.1, 0.4, 1.5};

static double holds(held *h, gmc_vec3 along)
{
    const double load[] = {along.x, along.y, along.z, 0, 0, 0};
    double share = NAN;
    assert_int_equal(gmc_wrench_holds(&h->grasp, load, &h->arena, &share), GMC_OK);
    return share;
}

// Two points on a line along y that passes the mass centre at a distance, along x.
static void pinch(held *h, double radius, double off, double friction)
{
    begin(h, false, radius);
    for (int side = -1; side <= 1; side += 2)
        touch(h, (gmc_vec3){off, side * radius, 0}, (gmc_vec3){0, -side, 0}, (gmc_vec3){0, 0, 1},
              friction);
}

// Along the offset mu as without it; along z the load has a moment about the line, of which places
// let pass OFF; along the line 1, while they let pass its moment about z.
static void two_points_hold_mu_and_let_go_steadily(void **state)
{
    held *h = *state;
    for (int r = 0; r < GMC_COUNT(RADII); r++)
        for (int f = 0; f < GMC_COUNT(FRICTIONS); f++)
            for (int p = 0; p < GMC_COUNT(PLACES); p++) {
                double mu = FRICTIONS[f], off = PLACES[p], pass = OFF * RADII[r];
                pinch(h, RADII[r], off, mu);
                for (int sign = -1; sign <= 1; sign += 2) {
                    double wanted = off > 0 ? fmin(mu, pass / off) : mu;
                    double x = holds(h, (gmc_vec3){sign, 0, 0}),
                           y = holds(h, (gmc_vec3){0, sign, 0}),
                           z = holds(h, (gmc_vec3){0, 0, sign});
                    // costs of up to 1 that the program leaves, 1e-8, and places of 1e-8 of OFF
                    assert_true(fabs(x / mu - 1) <= 1e-7);
                    assert_true(fabs(z / wanted - 1) <= 1e-7);
                    assert_true(y <= 1);
                    // beyond, friction of the other point brings the force back to the mass centre
                    double beyond = fmax(off - pass, 0) / (mu * RADII[r]);
                    assert_true(y >= 1 - 1e-7 - 2 * beyond);
                }
            }
}

// A body of that width between two faces, contacts at their corners, each of which is off.
static void faces_hold_as_if_nothing_were_off(void **state)
{
    held *h = *state;
    for (int r = 0; r < GMC_COUNT(RADII); r++)
        for (int f = 0; f < GMC_COUNT(FRICTIONS); f++)
            for (int p = 0; p < GMC_COUNT(PLACES); p++) {
                double a = RADII[r] / sqrt(3), mu = FRICTIONS[f], off = PLACES[p];
                begin(h, false, RADII[r]);
                for (int k = 0; k < 8; k++) {
                    int side = k < 4 ? -1 : 1;
                    gmc_vec3 place = {(k & 1 ? a : -a) + off * gmc_cos(k),
                                      side * a + off * gmc_sin(2 * k),
                                      (k & 2 ? a : -a) + off * gmc_sin(k)};
                    touch(h, place, (gmc_vec3){0, -side, 0}, (gmc_vec3){0, 0, 1}, mu);
                }
                for (int sign = -1; sign <= 1; sign += 2) {
                    // forces may gather at other corners: off / a of them at most, twice
                    double near = 1e-7 + 4 * off / a;
                    assert_true(fabs(holds(h, (gmc_vec3){sign, 0, 0}) / mu - 1) <= near);
                    assert_true(fabs(holds(h, (gmc_vec3){0, 0, sign}) / mu - 1) <= near);
                    assert_true(fabs(holds(h, (gmc_vec3){0, sign, 0}) - 1) <= near);
                }
            }
}

// ---- every vertex ------------------------------------------------------------------------------
// Unknowns: weights of 8 edges, u and v of three moments, the share; rows: 6 of the wrench, 3 of
// u + v = Σ x, Σ x = 1.

enum { EDGES = 4, WEIGHTS = 2 * EDGES, COLUMNS = WEIGHTS + 7, ROWS = 10 };

static void write_rows(const held *h, gmc_vec3 along, double A[ROWS][COLUMNS])
{
    const double load[3] = {along.x, along.y, along.z};
    memset(A, 0, sizeof(double[ROWS][COLUMNS]));
    for (int j = 0; j < WEIGHTS; j++) {
        const gmc_wrench_contact *c = &h->grasp.contacts[j / EDGES];
        double sine, cosine;
        gmc_sin_cos(1.57079632679489661923 * (j % EDGES), &sine, &cosine);
        gmc_vec3 t2 = gmc_vec3_cross(c->normal, c->along);
        gmc_vec3 t = gmc_vec3_add(gmc_vec3_scale(cosine, c->along), gmc_vec3_scale(sine, t2));
        gmc_vec3 force = gmc_vec3_add(c->normal, gmc_vec3_scale(c->friction, t));
        gmc_vec3 moment = gmc_vec3_scale(1 / h->grasp.radius, gmc_vec3_cross(c->arm, force));
        for (int i = 0; i < 3; i++) {
            A[i][j] = gmc_vec3_get(force, i);
            A[3 + i][j] = gmc_vec3_get(moment, i);
            A[6 + i][j] = 1;
        }
        A[9][j] = 1;
    }
    for (int k = 0; k < 3; k++) {
        A[3 + k][WEIGHTS + 2 * k] = OFF;
        A[3 + k][WEIGHTS + 2 * k + 1] = -OFF;
        A[6 + k][WEIGHTS + 2 * k] = A[6 + k][WEIGHTS + 2 * k + 1] = -1;
        A[k][COLUMNS - 1] = load[k];
    }
}

// Share of the vertex with these columns; -1: it is none.
static double share_of(double A[ROWS][COLUMNS], const int *columns)
{
    double M[ROWS][ROWS + 1];
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++)
            M[i][j] = A[i][columns[j]] * (i >= 3 && i < 6 ? 1 / OFF : 1);
        M[i][ROWS] = i == ROWS - 1;
    }
    for (int k = 0; k < ROWS; k++) {
        int best = k;
        for (int i = k; i < ROWS; i++)
            if (fabs(M[i][k]) > fabs(M[best][k])) best = i;
        if (fabs(M[best][k]) < 1e-9) return -1;
        for (int j = 0; j <= ROWS; j++) {
            double other = M[k][j];
            M[k][j] = M[best][j];
            M[best][j] = other;
        }
        for (int i = 0; i < ROWS; i++) {
            double factor = i == k ? 0 : M[i][k] / M[k][k];
            for (int j = k; j <= ROWS; j++)
                M[i][j] -= factor * M[k][j];
        }
    }
    for (int k = 0; k < ROWS; k++)
        if (M[k][ROWS] / M[k][k] < -1e-10) return -1;
    return M[ROWS - 1][ROWS] / M[ROWS - 1][ROWS - 1];
}

// The largest share; the last column is always in.
static double best_vertex(const held *h, gmc_vec3 along)
{
    double A[ROWS][COLUMNS], best = 0;
    write_rows(h, along, A);
    for (int mask = 0; mask < 1 << (COLUMNS - 1); mask++) {
        int columns[COLUMNS], count = 0;
        for (int j = 0; j < COLUMNS - 1; j++)
            if (mask >> j & 1) columns[count++] = j;
        if (count != ROWS - 1) continue;
        columns[ROWS - 1] = COLUMNS - 1;
        best = fmax(best, share_of(A, columns));
    }
    return best;
}

static void the_program_finds_the_best_vertex(void **state)
{
    held *h = *state;
    gmc_chance chance = {11};
    int held_some = 0;
    for (int n = 0; n < 60; n++) {
        double size = 1e-12;
        for (int k = n % 6; k > 0; k--)
            size *= 10; // 1e-12 ... 1e-7
        begin(h, false, 0.025);
        h->grasp.edges = EDGES;
        for (int side = -1; side <= 1; side += 2) {
            gmc_vec3 off = {gmc_chance_uniform(&chance, -size, size), 0,
                            gmc_chance_uniform(&chance, -size, size)};
            gmc_vec3 place = gmc_vec3_add((gmc_vec3){0, side * 0.025, 0}, off);
            touch(h, place, (gmc_vec3){0, -side, 0}, (gmc_vec3){0, 0, 1},
                  gmc_chance_uniform(&chance, 0.05, 1.2));
        }
        for (int axis = 0; axis < 6; axis++) {
            gmc_vec3 along = {axis / 2 == 0, axis / 2 == 1, axis / 2 == 2};
            if (axis % 2) along = gmc_vec3_neg(along);
            double share = holds(h, along), best = best_vertex(h, along);
            // the program's 1e-8, in units of OFF
            assert_true(fabs(share - best) <= 1e-2 * best + 1e-7);
            held_some += best > 0.01;
        }
    }
    assert_true(held_some > 300);
}

int test_quality_places(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_points_hold_mu_and_let_go_steadily),
        cmocka_unit_test(faces_hold_as_if_nothing_were_off),
        cmocka_unit_test(the_program_finds_the_best_vertex),
    };
    return cmocka_run_group_tests(tests, open_held, close_held);
}
