// What every solver of the table promises: parametrised over the table.
#include "engine/complementarity/solver.h"
#include "test/support/near.h"
#include "test/support/one_solving.h"
#include "test/support/problem.h"

static void set_cones(const gmc_solver *solver)
{
    for (int c = 0; c < s.problem.dual.unit_count; c++)
        s.problem.units[c].facet_count = solver->is_polyhedral ? 8 : 0;
}

static gmc_status solve(const gmc_solver *solver, double tolerance, double *r,
                        gmc_solver_report *report)
{
    gmc_arena_reset(&s.arena, 0);
    gmc_status status = gmc_solver_solve(solver, &s.problem.dual, tolerance, r, &s.arena, report);
    assert_int_equal(s.arena.used, 0);
    return status;
}

static void names_are_found(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        assert_ptr_equal(gmc_solver_find(gmc_solvers[i]->name), gmc_solvers[i]);
        assert_true(strlen(gmc_solvers[i]->about) > 10);
    }
    static const char *const wanted[] = {"newton", "nsgs", "admm", "prox", "lemke", "rungs"};
    for (int i = 0; i < GMC_COUNT(wanted); i++)
        assert_non_null(gmc_solver_find(wanted[i]));
    assert_null(gmc_solver_find("none such"));
    assert_null(gmc_solver_find(""));
}

static void cones_decide_who_fits(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        gmc_duals_draw(&(gmc_chance){3}, 3, 6, 1, 0, 1, &s.problem);
        set_cones(gmc_solvers[i]);
        assert_true(gmc_solver_fits(gmc_solvers[i], &s.problem.dual));
        s.problem.units[1].is_box = true; // boxes fit all
        assert_true(gmc_solver_fits(gmc_solvers[i], &s.problem.dual));
        s.problem.units[2].facet_count = gmc_solvers[i]->is_polyhedral ? 0 : 8;
        assert_false(gmc_solver_fits(gmc_solvers[i], &s.problem.dual));
    }
}

/// Regular W and friction up to 0.3: one solution, so that impulses agree as well, to a residual of
/// 1e-8 times a condition of 1e3 or so. lemke solves another problem, with pyramids.
static void all_find_the_same_impulses(void **state)
{
    (void)state;
    enum { CASES = 100 };
    gmc_chance chance = {63};
    int solved[16] = {0};
    double apart = 0;
    for (int k = 0; k < CASES; k++) {
        double first[GMC_DUALS_SIZE] = {0};
        gmc_duals_draw(&chance, 1 + k % 8, 8, 1, 0.5, 0.3, &s.problem);
        int size = 3 * s.problem.dual.unit_count;
        for (int i = 0; gmc_solvers[i]; i++) {
            double r[GMC_DUALS_SIZE] = {0}, largest = 0, off = 0;
            gmc_solver_report report;
            set_cones(gmc_solvers[i]);
            gmc_status status = solve(gmc_solvers[i], 1e-8, r, &report);
            assert_true((status == GMC_OK) == (report.rung > 0));
            if (status != GMC_OK) continue;
            ASSERT_BELOW(report.residual, 1e-8);
            solved[i]++;
            if (i == 0) memcpy(first, r, sizeof first);
            for (int j = 0; j < size; j++) {
                largest = fmax(largest, fabs(first[j]));
                off = fmax(off, fabs(r[j] - first[j]));
            }
            if (!gmc_solvers[i]->is_polyhedral) apart = fmax(apart, off / fmax(largest, 1e-3));
        }
    }
    for (int i = 0; gmc_solvers[i]; i++) {
        print_message("%-9s %d of %d\n", gmc_solvers[i]->name, solved[i], CASES);
        // interior ends between 1e-6 and 1e-9 by itself; all others reach what they are asked
        assert_true(solved[i] >= (strcmp(gmc_solvers[i]->name, "interior") == 0 ? 30 : 98));
    }
    assert_int_equal(solved[0], CASES);
    print_message("impulses differ by %.1e at most\n", apart);
    ASSERT_BELOW(apart, 1e-5);
}

/// Rigid and hyperstatic: impulses are not unique, but what they do is: w agrees, for little
/// friction.
static void all_find_the_same_motion_of_rigid_contacts(void **state)
{
    (void)state;
    enum { CASES = 60 };
    gmc_chance chance = {64};
    int compared = 0, ambiguous = 0;
    for (int k = 0; k < CASES; k++) {
        double w[GMC_DUALS_SIZE], first[GMC_DUALS_SIZE], largest = 0;
        gmc_duals_draw(&chance, 6, 6, 1, 0, 0.2, &s.problem);
        for (int i = 0; gmc_solvers[i]; i++) {
            double r[GMC_DUALS_SIZE] = {0};
            gmc_solver_report report;
            if (gmc_solvers[i]->is_polyhedral) continue;
            if (solve(gmc_solvers[i], 1e-9, r, &report) != GMC_OK) {
                assert_true(i > 0); // one of the rungs solves all
                continue;
            }
            gmc_dual_answer(&s.problem.dual, r, w);
            if (i == 0) memcpy(first, w, sizeof first);
            double off = 0;
            for (int j = 0; j < 18; j++) {
                largest = fmax(largest, fabs(s.problem.q[j]));
                off = fmax(off, fabs(w[j] - first[j]));
            }
            if (i > 0) compared++;
            if (i > 0 && !(off < 1e-5 * largest)) ambiguous++;
        }
    }
    print_message("%d comparisons, %d with another motion\n", compared, ambiguous);
    assert_true(compared > 3 * CASES);
    assert_true(ambiguous <= compared / 20);
}

/// The same problem twice: the same bits.
static void the_same_bits_twice(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        double a[GMC_DUALS_SIZE] = {0}, b[GMC_DUALS_SIZE] = {0};
        gmc_solver_report report;
        gmc_duals_draw(&(gmc_chance){65}, 5, 7, 1, 0, 0.5, &s.problem);
        set_cones(gmc_solvers[i]);
        gmc_status status = solve(gmc_solvers[i], 1e-8, a, &report);
        memset(s.arena.memory, 0xA5, 1 << 16); // what was left there must not matter
        assert_int_equal(solve(gmc_solvers[i], 1e-8, b, &report), status);
        assert_memory_equal(a, b, sizeof a);
    }
}

/// Bytes that a solver takes of s.problem.
static size_t need_of(const gmc_solver *solver)
{
    double r[GMC_DUALS_SIZE] = {0};
    gmc_solver_report report;
    gmc_arena wide;
    assert_int_equal(gmc_arena_create(&wide, (size_t)8 << 20), GMC_OK);
    assert_int_equal(gmc_solver_solve(solver, &s.problem.dual, 1e-4, r, &wide, &report), GMC_OK);
    size_t bytes = wide.high_water;
    gmc_arena_free(&wide);
    return bytes;
}

/// An arena of any size short of what is needed is refused or does, and is given back.
static void small_arenas_are_told(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        gmc_duals_draw(&(gmc_chance){66}, 4, 12, 1, 0.5, 0.5, &s.problem);
        set_cones(gmc_solvers[i]);
        size_t bytes = need_of(gmc_solvers[i]);
        int refused = 0;
        for (int part = 1; part <= 16; part++) {
            double r[GMC_DUALS_SIZE] = {0};
            gmc_solver_report report;
            gmc_arena small;
            assert_int_equal(gmc_arena_create(&small, bytes * (size_t)part / 16), GMC_OK);
            gmc_status status =
                gmc_solver_solve(gmc_solvers[i], &s.problem.dual, 1e-4, r, &small, &report);
            refused += status == GMC_E_ARENA_FULL;
            assert_int_equal(small.used, 0);
            if (part == 16) assert_int_equal(status, GMC_OK);
            gmc_arena_free(&small);
        }
        assert_true(refused >= 4);
    }
}

static void nothing_is_solved_at_once(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        double r[3] = {0};
        gmc_solver_report report;
        gmc_duals_block(1, 0.5, -1, 0.5, 0, &s.problem); // moving apart
        set_cones(gmc_solvers[i]);
        assert_int_equal(solve(gmc_solvers[i], 1e-8, r, &report), GMC_OK);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(r[k], 0, 1e-8);
    }
}

/// Rows over the motion of a box and of the joint that drives two jaws.
typedef struct light_box {
    double J[GMC_DUALS_SIZE][7], R[GMC_DUALS_SIZE];
    double inverse[7], v[7]; ///< inverse masses; velocities that nothing acts on
    int rows;
} light_box;

/// A row along `dir` at `arm` from the box's centre; the joint moves what it touches by `jaw`.
static void add_row(light_box *b, gmc_vec3 arm, gmc_vec3 dir, double jaw)
{
    gmc_vec3 turn = gmc_vec3_cross(arm, dir);
    double *row = b->J[b->rows++];
    row[0] = dir.x, row[1] = dir.y, row[2] = dir.z;
    row[3] = turn.x, row[4] = turn.y, row[5] = turn.z;
    row[6] = jaw;
}

/// Four contacts at the corners of the side that looks along -n, with the compliance that the rigid
/// steppers give normals: 1e-7 of their inverse mass.
static void add_side(light_box *b, gmc_vec3 half, gmc_vec3 n, double jaw)
{
    gmc_vec3 t1 = {n.y, n.z, n.x}, t2 = gmc_vec3_cross(n, t1);
    for (int k = 0; k < 4; k++) {
        gmc_vec3 at = gmc_vec3_scale(-1, n);
        at = gmc_vec3_add_scaled(at, k & 1 ? 1 : -1, t1);
        at = gmc_vec3_add_scaled(at, k & 2 ? 1 : -1, t2);
        gmc_vec3 arm = {half.x * at.x, half.y * at.y, half.z * at.z};
        double sum = 0;
        for (int i = 0; i < 3; i++)
            add_row(b, arm, i == 0 ? n : i == 1 ? t1 : t2, i == 0 ? jaw : 0);
        for (int i = 0; i < 7; i++)
            sum += b->J[b->rows - 3][i] * b->J[b->rows - 3][i] * b->inverse[i];
        b->R[b->rows - 3] = 1e-7 * sum;
    }
}

static void draw_light_box(gmc_chance *chance, bool is_gripped, gmc_duals *problem)
{
    double m = gmc_chance_uniform(chance, 1e-3, 5e-3), h = gmc_chance_uniform(chance, 0.5e-3, 4e-3);
    gmc_vec3 half = {gmc_chance_uniform(chance, 5e-3, 20e-3),
                     gmc_chance_uniform(chance, 5e-3, 20e-3),
                     gmc_chance_uniform(chance, 5e-3, 20e-3)};
    double x2 = half.x * half.x, y2 = half.y * half.y, z2 = half.z * half.z;
    double friction = 0.35 * gmc_chance_integer(chance, 0, 2);
    light_box b = {.inverse = {1 / m, 1 / m, 1 / m, 3 / (m * (y2 + z2)), 3 / (m * (z2 + x2)),
                               3 / (m * (x2 + y2)), 1 / 0.165}};
    for (int i = 0; i < 6; i++) // all but rest
        b.v[i] = 1e-9 * gmc_chance_uniform(chance, -1, 1);
    b.v[2] -= 9.81 * h;
    if (is_gripped) {
        add_side(&b, half, (gmc_vec3){0, 1, 0}, -1);
        add_side(&b, half, (gmc_vec3){0, -1, 0}, -1);
    } else
        add_side(&b, half, (gmc_vec3){0, 0, 1}, 0);
    int contacts = b.rows / 3, n = b.rows + 3;
    for (int i = 0; i < 3; i++)
        add_row(&b, (gmc_vec3){0}, (gmc_vec3){0}, 1);
    *problem = (gmc_duals){0};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 7; k++) {
            for (int j = 0; j < n; j++)
                problem->dense[i * n + j] += b.J[i][k] * b.inverse[k] * b.J[j][k];
            problem->q[i] += b.J[i][k] * b.v[k];
        }
    for (int i = 0; i < n; i++)
        problem->dense[i * n + i] += b.R[i];
    for (int c = 0; c < contacts; c++)
        problem->units[c] = (gmc_dual_unit){.friction = friction, .facet_count = 8};
    // its drive, a limit that is 50 mm away, and its friction
    double force = gmc_chance_log_uniform(chance, 0.5, 30);
    problem->q[n - 3] = is_gripped ? -0.1 : -0.003;
    problem->q[n - 2] = 0.05 / h;
    problem->units[contacts] = (gmc_dual_unit){.is_box = true,
                                               .lower = {-force * h, 0, -0.5 * h},
                                               .upper = {force * h, HUGE_VAL, 0.5 * h}};
    gmc_duals_bind(problem, contacts + 1);
}

/// What is far from its limit makes numbers large that decide nothing; the four corners of a side
/// share its forces in many ways.
static void light_boxes_are_held(void **state)
{
    (void)state;
    enum { CASES = 400 };
    gmc_chance chance = {65};
    const gmc_solver *lemke = gmc_solver_find("lemke");
    int unsolved = 0;
    for (int k = 0; k < CASES; k++) {
        double r[GMC_DUALS_SIZE] = {0};
        gmc_solver_report report;
        draw_light_box(&chance, k % 2, &s.problem);
        unsolved += solve(lemke, 1e-8, r, &report) != GMC_OK;
    }
    print_message("%d of %d not solved\n", unsolved, CASES);
    assert_int_equal(unsolved, 0);
}

/// NaN in, no solution out, and nobody hangs.
static void what_is_not_finite_is_not_solved(void **state)
{
    (void)state;
    for (int i = 0; gmc_solvers[i]; i++) {
        double r[GMC_DUALS_SIZE] = {0};
        gmc_solver_report report;
        gmc_duals_draw(&(gmc_chance){67}, 5, 7, 1, 0, 0.5, &s.problem);
        set_cones(gmc_solvers[i]);
        s.problem.q[4] = NAN;
        assert_int_equal(solve(gmc_solvers[i], 1e-8, r, &report), GMC_E_NO_SOLUTION);
        assert_int_equal(report.rung, 0);
    }
}

/// A step's problem, in velocities: all solvers of the exact cone agree with each other's v.
static void steps_are_solved_alike(void **state)
{
    (void)state;
    enum { CASES = 40 };
    gmc_problem_kind kind = gmc_problem_default_kind();
    kind.friction_max = 0.3;
    kind.stiffness_max = 1e6;
    int solved = 0, tried = 0;
    for (int k = 0; k < CASES; k++) {
        static gmc_problem p;
        double first[GMC_PROBLEM_DOFS] = {0};
        for (int i = 0; gmc_solvers[i]; i++) {
            gmc_chance chance = {(uint64_t)k + 70};
            gmc_ncp_scales scales;
            gmc_solver_report report;
            if (gmc_solvers[i]->is_polyhedral) continue;
            gmc_problem_grasp(&chance, &kind, &p);
            gmc_ncp_solution x = gmc_problem_solution(&p);
            gmc_arena_reset(&s.arena, 0);
            assert_int_equal(gmc_ncp_scale(&p.ncp, &s.arena, &scales), GMC_OK);
            size_t mark = gmc_arena_mark(&s.arena);
            const gmc_solver_options options = {gmc_solvers[i], 1e-8};
            gmc_status status =
                gmc_solver_solve_ncp(&options, &p.ncp, &scales, &x, &s.arena, &report);
            assert_int_equal(s.arena.used, mark);
            tried++;
            if (status != GMC_OK) continue;
            solved++;
            ASSERT_BELOW(gmc_ncp_judge_scaled(&p.ncp, &scales, p.v, p.r, p.s), 1e-8);
            double off = 0, size = 0;
            if (i == 0) memcpy(first, p.v, sizeof first);
            for (int j = 0; j < p.ncp.dof_count; j++) {
                double m = p.mass[j * (p.ncp.dof_count + 1)], d = p.v[j] - first[j];
                off += m * d * d;
                size += m * p.v_free[j] * p.v_free[j];
            }
            ASSERT_BELOW(sqrt(off / size), 1e-6); // as in test/property/test_rungs.c
        }
    }
    print_message("%d of %d\n", solved, tried);
    assert_true(solved > 0.8 * tried);
}

int test_solver(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(cones_decide_who_fits),
        cmocka_unit_test(all_find_the_same_impulses),
        cmocka_unit_test(all_find_the_same_motion_of_rigid_contacts),
        cmocka_unit_test(the_same_bits_twice),
        cmocka_unit_test(small_arenas_are_told),
        cmocka_unit_test(nothing_is_solved_at_once),
        cmocka_unit_test(light_boxes_are_held),
        cmocka_unit_test(what_is_not_finite_is_not_solved),
        cmocka_unit_test(steps_are_solved_alike),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}
