// One contact problem of mechanics after the other, by every solver of the table, against its
// closed form: what the solvers promise each other is in
// test/unit/engine/complementarity/test_solver.c.
#include "engine/complementarity/dual_ncp.h"
#include "engine/complementarity/solver.h"
#include "engine/math/elementary.h"
#include "test/support/duals.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

/// Impulses of a problem from nothing, to 1e-9. Facets for who needs them.
static void solve(const gmc_solver *solver, int facets, gmc_duals *p, double *r)
{
    gmc_solver_report report;
    memset(r, 0, 3 * (size_t)p->dual.unit_count * sizeof(double));
    for (int c = 0; c < p->dual.unit_count; c++)
        p->units[c].facet_count = solver->is_polyhedral ? facets : 0;
    gmc_status status = gmc_solver_solve(solver, &p->dual, 1e-9, r, &arena, &report);
    if (status != GMC_OK) fail_msg("%s: %s", solver->name, gmc_status_name(status));
}

/// The interior point method by itself ends between 1e-6 and 1e-9 on degenerate problems.
static bool is_sure(const gmc_solver *solver) { return strcmp(solver->name, "interior") != 0; }

/// A block of mass m on an incline, one step h from rest: it stays where tan α <= mu, and leaves
/// with h g (sin α - mu cos α) where not, in any direction of the plane. Pyramids: along a corner.
static void block_on_an_incline(void **state)
{
    (void)state;
    const double m = 0.2, g = 9.81, h = 2e-3, mu = 0.5;
    for (int i = 0; gmc_solvers[i]; i++)
        for (int k = 0; k < 48; k++) {
            gmc_duals p;
            double r[3], tangent = (k % 6 + 0.5) / 6, cosine = 1 / sqrt(1 + tangent * tangent);
            double sine = tangent * cosine, along = 2 * GMC_PI * (k / 6) / 8;
            double push = h * g * sine;
            gmc_duals_block(m, mu, h * g * cosine, push * gmc_cos(along), push * gmc_sin(along),
                            &p);
            solve(gmc_solvers[i], 8, &p, r);
            double friction = m * h * g * fmin(sine, mu * cosine);
            ASSERT_NEAR_RELATIVE(r[0], m * h * g * cosine, 1e-8);
            ASSERT_NEAR(r[1], -friction * gmc_cos(along), 1e-8 * m * h * g);
            ASSERT_NEAR(r[2], -friction * gmc_sin(along), 1e-8 * m * h * g);
        }
}

/// Contacts of a rigid body at p_c with frames (n, t1, t2): W = J M⁻¹ Jᵀ, q = J v.
typedef struct body {
    double mass, inertia; ///< a ball's: the same about all axes
    gmc_vec3 v, w;
    int contact_count;
    gmc_vec3 arm[8], dir[8][3];
    double compliance;
} body;

static void contacts_of(const body *b, double friction, gmc_duals *p)
{
    int n = 3 * b->contact_count;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < n; i++) {
        gmc_vec3 turn = gmc_vec3_cross(b->arm[i / 3], b->dir[i / 3][i % 3]);
        p->q[i] = gmc_vec3_dot(b->dir[i / 3][i % 3], b->v) + gmc_vec3_dot(turn, b->w);
        for (int j = 0; j < n; j++) {
            gmc_vec3 other = gmc_vec3_cross(b->arm[j / 3], b->dir[j / 3][j % 3]);
            p->dense[i * n + j] =
                gmc_vec3_dot(b->dir[i / 3][i % 3], b->dir[j / 3][j % 3]) / b->mass +
                gmc_vec3_dot(turn, other) / b->inertia;
        }
        p->dense[i * n + i] += b->compliance;
    }
    for (int c = 0; c < b->contact_count; c++)
        p->units[c].friction = friction;
    gmc_duals_bind(p, b->contact_count);
}

static void place(body *b, gmc_vec3 arm, gmc_vec3 n)
{
    int c = b->contact_count++;
    b->arm[c] = arm;
    b->dir[c][0] = n;
    gmc_vec3_tangents(n, &b->dir[c][1], &b->dir[c][2]);
}

/// Velocity of the body's centre after the impulses.
static gmc_vec3 moved(const body *b, const double *r)
{
    gmc_vec3 v = b->v;
    for (int i = 0; i < 3 * b->contact_count; i++)
        v = gmc_vec3_add_scaled(v, r[i] / b->mass, b->dir[i / 3][i % 3]);
    return v;
}

/// A cube on its four corners, rigid: 12 impulses for 6 velocities, so that they are not unique. It
/// slides on with v - mu g h where it was pushed, and what the corners carry adds up to its weight.
/// The same on four springs.
static void sliding_cube_on_four_corners(void **state)
{
    (void)state;
    const double m = 0.3, a = 0.025, g = 9.81, h = 2e-3, mu = 0.3;
    for (int i = 0; gmc_solvers[i]; i++)
        for (int compliant = 0; compliant < 2; compliant++) {
            gmc_duals p;
            double r[12], sum = 0;
            body b = {.mass = m,
                      .inertia = 2 * m * a * a / 3,
                      .v = {1, 0, -h * g},
                      .compliance = compliant ? 1 / (h * h * 1e6) : 0};
            if (!compliant && !is_sure(gmc_solvers[i])) continue;
            for (int c = 0; c < 4; c++)
                place(&b, (gmc_vec3){c & 1 ? a : -a, c & 2 ? a : -a, -a}, (gmc_vec3){0, 0, 1});
            contacts_of(&b, mu, &p);
            solve(gmc_solvers[i], 8, &p, r);
            for (int c = 0; c < 4; c++)
                sum += r[3 * c];
            // four springs in parallel: m v_z = sum - m g h, v_z = -R sum/4
            double expected = m * g * h / (1 + m * b.compliance / 4);
            ASSERT_NEAR_RELATIVE(sum, expected, 1e-7);
            ASSERT_NEAR(moved(&b, r).x, 1 - mu * expected / m, 1e-8);
            ASSERT_NEAR(moved(&b, r).z, expected / m - g * h, 1e-8);
        }
}

/// A ball rolls off: thrown along x with v and no spin, it slides with mu g; with enough friction
/// in one step it rolls at 5/7 v.
static void ball_begins_to_roll(void **state)
{
    (void)state;
    const double m = 0.1, radius = 0.02, v = 0.5, press = 1;
    for (int i = 0; gmc_solvers[i]; i++)
        for (int rolls = 0; rolls < 2; rolls++) {
            gmc_duals p;
            double r[3], mu = rolls ? 0.5 : 0.05;
            body b = {.mass = m, .inertia = 0.4 * m * radius * radius, .v = {v, 0, -press}};
            place(&b, (gmc_vec3){0, 0, -radius}, (gmc_vec3){0, 0, 1});
            contacts_of(&b, mu, &p);
            // along x lies a corner of the pyramids, as t1 or t2 of 8 facets
            solve(gmc_solvers[i], 8, &p, r);
            ASSERT_NEAR(moved(&b, r).x, rolls ? 5 * v / 7 : v - mu * press, 1e-7);
            ASSERT_NEAR(moved(&b, r).z, 0, 1e-7);
        }
}

/// Two fingers press a ball with F each; gravity pulls. What holds it is friction at both: held if
/// 2 mu F >= m g, else it falls with g - 2 mu F/m. The fingers are compliant and prescribed: each
/// contact's normal is a spring under F.
static void pinched_ball_holds_or_falls(void **state)
{
    (void)state;
    const double m = 0.2, radius = 0.02, g = 9.81, h = 2e-3, force = 10, k = 1e6;
    for (int i = 0; gmc_solvers[i]; i++)
        for (int holds = 0; holds < 2; holds++) {
            gmc_duals p;
            double r[6], mu = (holds ? 1.01 : 0.9) * m * g / (2 * force);
            body b = {.mass = m,
                      .inertia = 0.4 * m * radius * radius,
                      .v = {0, 0, -h * g},
                      .compliance = 1 / (h * h * k)};
            place(&b, (gmc_vec3){-radius, 0, 0}, (gmc_vec3){1, 0, 0});
            place(&b, (gmc_vec3){radius, 0, 0}, (gmc_vec3){-1, 0, 0});
            contacts_of(&b, mu, &p);
            for (int c = 0; c < 2; c++)
                p.q[3 * c] -= b.compliance * force * h;
            solve(gmc_solvers[i], 8, &p, r);
            ASSERT_NEAR_RELATIVE(r[0], force * h, 1e-7);
            ASSERT_NEAR_RELATIVE(r[3], force * h, 1e-7);
            // holding, the tangential springs give way by R m g h/2 in the first step
            double expected = holds ? -b.compliance * m * g * h / 2 / (1 + b.compliance * m / 2)
                                    : -h * (g - 2 * mu * force / m);
            ASSERT_NEAR(moved(&b, r).z, expected, 1e-8);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_an_incline),
        cmocka_unit_test(sliding_cube_on_four_corners),
        cmocka_unit_test(ball_begins_to_roll),
        cmocka_unit_test(pinched_ball_holds_or_falls),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
