// Problems in a plane, drawn at random: a body on three spots between fingers that slide. What
// gmc_inplane_solve says of them is held against the solvers and the judge of three dimensions.
#include "engine/complementarity/inplane.h"
#include "engine/complementarity/newton.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

enum { BODY = 3, FINGERS_MAX = 4, EDGES = 2, SPOTS = 3, DOFS_MAX = BODY + FINGERS_MAX };

typedef struct drawn {
    gmc_ncp ncp;
    int finger_count;
    double mass[DOFS_MAX * DOFS_MAX], momentum[DOFS_MAX];
    int block_start[DOFS_MAX + 1];
    gmc_ncp_contact contacts[EDGES * FINGERS_MAX + SPOTS];
    gmc_ncp_group groups[FINGERS_MAX + 1];
    int columns[FINGERS_MAX + 1][BODY + 1];
    double S[FINGERS_MAX + 1][6 * (BODY + 1)];
    gmc_ncp_row rows[FINGERS_MAX];
    int row_columns[FINGERS_MAX];
    double v[DOFS_MAX], r[3 * (EDGES * FINGERS_MAX + SPOTS)], s[FINGERS_MAX];
} drawn;

static drawn now;
static const double ONE = 1;

static gmc_ncp_solution start_of(drawn *d) { return (gmc_ncp_solution){d->v, d->r, d->s}; }

static void draw_dofs(gmc_chance *chance, drawn *d)
{
    int n = BODY + d->finger_count;
    double size = gmc_chance_uniform(chance, 5e-3, 0.05);
    for (int i = 0; i < n; i++) {
        double mass = gmc_chance_uniform(chance, 0.02, 0.5);
        d->mass[i * n + i] = i == 2 ? mass * size * size : mass;
        d->momentum[i] = d->mass[i * n + i] * gmc_chance_uniform(chance, -0.3, 0.3);
        d->block_start[i] = i;
    }
    d->block_start[n] = n;
    d->ncp.dof_count = d->ncp.block_count = n;
}

/// Of finger `f` against the body: it slides along a direction of its own, and touches where two
/// points of one edge or of two are.
static void draw_finger(gmc_chance *chance, int f, drawn *d)
{
    double way = gmc_chance_uniform(chance, 0, 6.3), normal = way;
    gmc_ncp_group *group = &d->groups[f];
    *group = (gmc_ncp_group){.contact_first = EDGES * f,
                             .contact_count = EDGES,
                             .column_count = BODY + 1,
                             .general_count = BODY + 1,
                             .hints = {.slide_count = 1},
                             .columns = d->columns[f],
                             .S = d->S[f],
                             .sign = 1};
    d->columns[f][0] = BODY + f;
    d->S[f][0] = -cos(way);
    d->S[f][1] = -sin(way);
    for (int k = 0; k < BODY; k++) {
        d->columns[f][1 + k] = k;
        d->S[f][6 * (1 + k) + (k < 2 ? k : 5)] = 1;
    }
    for (int k = 0; k < EDGES; k++) {
        if (k == 0 || gmc_chance_uniform(chance, 0, 1) < 0.3)
            normal = way + gmc_chance_uniform(chance, -0.5, 0.5);
        double c = cos(normal), s = sin(normal), R = gmc_chance_uniform(chance, 1e-3, 1e-1);
        d->contacts[EDGES * f + k] =
            (gmc_ncp_contact){.hints = {.is_rotation = true},
                              .frame = {c, s, 0, -s, c, 0, 0, 0, 1},
                              .arm = {-0.02 * cos(way) + gmc_chance_uniform(chance, -5e-3, 5e-3),
                                      -0.02 * sin(way) + gmc_chance_uniform(chance, -5e-3, 5e-3)},
                              .bias = {gmc_chance_uniform(chance, -0.05, 0.05),
                                       gmc_chance_uniform(chance, -0.01, 0.01), 0},
                              .compliance_n = R,
                              .compliance_t = R * gmc_chance_uniform(chance, 1, 2),
                              .friction = k == 1 && f == 1 ? 0 : gmc_chance_uniform(chance, 0, 1)};
    }
}

static void draw_spots(gmc_chance *chance, drawn *d)
{
    int f = d->finger_count, first = EDGES * f;
    d->groups[f] = (gmc_ncp_group){.contact_first = first,
                                   .contact_count = SPOTS,
                                   .column_count = BODY,
                                   .general_count = BODY,
                                   .columns = d->columns[f],
                                   .S = d->S[f],
                                   .sign = 1};
    for (int k = 0; k < BODY; k++) {
        d->columns[f][k] = k;
        d->S[f][6 * k + (k < 2 ? k : 5)] = 1;
    }
    for (int k = 0; k < SPOTS; k++) {
        double R = gmc_chance_uniform(chance, 1e-3, 1e-1);
        double normal = k == 2 ? 0 : gmc_chance_uniform(chance, 0, 5e-3);
        d->contacts[first + k] =
            (gmc_ncp_contact){.hints = {.is_rotation = true},
                              .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                              .arm = {gmc_chance_uniform(chance, -0.01, 0.01),
                                      gmc_chance_uniform(chance, -0.01, 0.01)},
                              .bias = {-1e-6 * R * normal, gmc_chance_uniform(chance, -0.01, 0.01),
                                       gmc_chance_uniform(chance, -0.01, 0.01)},
                              .compliance_n = 1e-6 * R,
                              .compliance_t = R,
                              .friction = gmc_chance_uniform(chance, 0.1, 1)};
        d->r[3 * (first + k)] = normal;
    }
}

static void draw(gmc_chance *chance)
{
    drawn *d = &now;
    memset(d, 0, sizeof *d);
    d->finger_count = 1 + (int)gmc_chance_uniform(chance, 0, FINGERS_MAX - 1e-9);
    draw_dofs(chance, d);
    for (int f = 0; f < d->finger_count; f++) {
        draw_finger(chance, f, d);
        d->row_columns[f] = BODY + f;
        double limit = gmc_chance_uniform(chance, 1e-3, 2e-2);
        d->rows[f] = (gmc_ncp_row){.column_count = 1,
                                   .columns = &d->row_columns[f],
                                   .J = &ONE,
                                   .bias = gmc_chance_uniform(chance, -0.3, 0.3),
                                   .compliance = gmc_chance_uniform(chance, 1e-3, 1),
                                   .lower = -limit,
                                   .upper = limit};
    }
    draw_spots(chance, d);
    d->ncp.mass = d->mass;
    d->ncp.momentum = d->momentum;
    d->ncp.block_start = d->block_start;
    d->ncp.contacts = d->contacts;
    d->ncp.contact_count = EDGES * d->finger_count + SPOTS;
    d->ncp.groups = d->groups;
    d->ncp.group_count = d->finger_count + 1;
    d->ncp.rows = d->rows;
    d->ncp.row_count = d->finger_count;
    d->ncp.hints.is_inplane = true;
}

static gmc_status solve(gmc_inplane_result *result)
{
    const gmc_inplane_options options = {25, 1e-11, 1e-8};
    gmc_ncp_solution x = start_of(&now);
    return gmc_inplane_solve(&now.ncp, &options, &x, &arena, result);
}

/// The judge of three dimensions says of a solution what the run says, and Newton in three
/// dimensions finds the same; from a start that moves, from the solution, and from one beside it.
static void test_same_as_in_space(void **state)
{
    (void)state;
    enum { DRAWS = 3000 };
    gmc_chance chance = {11};
    int solved = 0, at_once = 0, sliding = 0;
    for (int i = 0; i < DRAWS; i++) {
        gmc_inplane_result result;
        gmc_ncp_scales scales;
        gmc_arena_reset(&arena, 0);
        draw(&chance);
        drawn before = now;
        assert_true(gmc_inplane_fits(&now.ncp));
        if (solve(&result) != GMC_OK) {
            // untouched, and as hard for the other: what there are other rungs for
            assert_memory_equal(now.v, before.v, sizeof now.v);
            assert_memory_equal(now.r, before.r, sizeof now.r);
            continue;
        }
        solved++;
        assert_int_equal(gmc_ncp_scale(&now.ncp, &arena, &scales), GMC_OK);
        double judged = gmc_ncp_judge_scaled(&now.ncp, &scales, now.v, now.r, now.s);
        // both are rounding of the same sums where Newton ends: 1e-15 times a condition of 1e4
        ASSERT_NEAR(judged, result.residual, 1e-11);
        for (int c = 0; c < EDGES * now.finger_count; c++) {
            const double *r = now.r + 3 * c;
            assert_true(r[0] >= 0);
            assert_true(r[2] == 0);
            assert_true(fabs(r[1]) <= now.contacts[c].friction * r[0] * (1 + 1e-12));
            sliding += r[0] > 0 && fabs(r[1]) > 0.999999 * now.contacts[c].friction * r[0];
        }

        gmc_ncp_solution other = {before.v, before.r, before.s};
        gmc_newton_options options = {GMC_NEWTON_PRIMAL_DUAL, 25, 1e-11, NULL};
        gmc_newton_result newton;
        gmc_status status = gmc_newton_solve(&now.ncp, &scales, &options, &other, &arena, &newton);
        // the same iteration but for rounding: a search that ends on its edge may part them
        if (status == GMC_OK && newton.iterations == result.iterations)
            for (int k = 0; k < now.ncp.dof_count; k++)
                ASSERT_NEAR(now.v[k], other.v[k], 1e-9);

        int taken = result.iterations;
        assert_int_equal(solve(&result), GMC_OK);
        assert_true(result.iterations <= taken);
        assert_true(result.iterations <= 1);
        at_once += result.iterations == 0;
    }
    assert_true(solved > DRAWS * 97 / 100);
    assert_true(at_once > solved / 2);
    assert_true(sliding > solved / 4);
}

static void test_what_fits(void **state)
{
    (void)state;
    gmc_ncp problem = {.dof_count = GMC_MAT_SMALL, .hints = {.is_inplane = true}};
    assert_true(gmc_inplane_fits(&problem));
    problem.dof_count++;
    assert_false(gmc_inplane_fits(&problem));
    problem = (gmc_ncp){.dof_count = 3};
    assert_false(gmc_inplane_fits(&problem));
}

static void test_no_solution_and_no_room(void **state)
{
    (void)state;
    gmc_chance chance = {12};
    gmc_inplane_result result;
    gmc_arena_reset(&arena, 0);
    draw(&chance);
    drawn before = now;
    now.momentum[0] = NAN;
    assert_int_equal(solve(&result), GMC_E_NO_SOLUTION);
    assert_true(isnan(result.residual));
    assert_memory_equal(now.v, before.v, sizeof now.v);
    now = before;
    now.ncp.mass = now.mass; // the copy points at its own
    now.mass[0] = -1;
    assert_int_equal(solve(&result), GMC_E_NO_SOLUTION);

    gmc_arena small;
    const gmc_inplane_options options = {25, 1e-11, 1e-8};
    gmc_ncp_solution x = start_of(&now);
    now.mass[0] = before.mass[0];
    assert_int_equal(gmc_arena_create(&small, 256), GMC_OK);
    assert_int_equal(gmc_inplane_solve(&now.ncp, &options, &x, &small, &result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
    assert_int_equal(gmc_arena_create(&small, (size_t)1 << 20), GMC_OK);
    assert_int_equal(gmc_inplane_solve(&now.ncp, &options, &x, &small, &result), GMC_OK);
    assert_int_equal(gmc_arena_mark(&small), 0); // given back
    gmc_arena_free(&small);
}

int test_inplane(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_in_space),
        cmocka_unit_test(test_what_fits),
        cmocka_unit_test(test_no_solution_and_no_room),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
