#include "engine/math/saddle.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"

#include <string.h>

enum { NODES = 12, ROWS = 6 * NODES, DOFS = GMC_SADDLE_WIDTH * NODES };

/// A mechanism of numbers: bodies that rows tie to one before them, and its memory.
typedef struct mechanism {
    gmc_saddle_problem problem;
    int dof_start[NODES + 1], row_start[NODES + 1];
    double mass[DOFS * GMC_SADDLE_WIDTH];
    gmc_saddle_row rows[ROWS], softs[NODES];
    double soft[NODES], p[DOFS], e[ROWS];
} mechanism;

static double draw(gmc_chance *chance) { return gmc_chance_uniform(chance, -1, 1); }

static void draw_row(gmc_chance *chance, const mechanism *m, const int *nodes, int count,
                     gmc_saddle_row *row)
{
    *row = (gmc_saddle_row){.count = count};
    for (int k = 0; k < count; k++) {
        row->nodes[k] = nodes[k];
        for (int i = 0; i < m->dof_start[nodes[k] + 1] - m->dof_start[nodes[k]]; i++)
            row->J[k][i] = draw(chance);
    }
}

/// Positive definite, of the size `mass`.
static void draw_mass(gmc_chance *chance, double mass, int width, double *M)
{
    double A[GMC_SADDLE_WIDTH * GMC_SADDLE_WIDTH];
    for (int i = 0; i < width * width; i++)
        A[i] = draw(chance);
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) {
            double sum = i == j ? 0.2 : 0;
            for (int k = 0; k < width; k++)
                sum += A[i * width + k] * A[j * width + k];
            M[GMC_SADDLE_WIDTH * i + j] = mass * sum;
        }
}

/// Masses over four decades, up to five rows a body, a coupling to a third and fourth here and
/// there, and what is soft along the way that is left.
static void draw_mechanism(gmc_chance *chance, mechanism *m)
{
    memset(m, 0, sizeof *m);
    int count = 2 + gmc_chance_integer(chance, 0, NODES - 2), rows = 0;
    for (int k = 0; k < count; k++) {
        int width = k == 0 && draw(chance) > 0 ? 3 : GMC_SADDLE_WIDTH;
        m->dof_start[k + 1] = m->dof_start[k] + width;
        double mass = gmc_chance_log_uniform(chance, 1e-2, 1e2);
        draw_mass(chance, mass, width, m->mass + GMC_SADDLE_WIDTH * GMC_SADDLE_WIDTH * k);
        int own = k == 0 ? gmc_chance_integer(chance, 0, 2) : draw(chance) > 0 ? 5 : 3;
        int other = k == 0 ? 0 : gmc_chance_integer(chance, 0, k - 1);
        for (int i = 0; i < own; i++)
            draw_row(chance, m, (int[]){k, other}, k == 0 ? 1 : 2, &m->rows[rows++]);
        if (k > 2 && other != 1 && other != 0 && draw(chance) > 0.3)
            draw_row(chance, m, (int[]){k, other, 0, 1}, 4, &m->rows[rows++]);
        m->row_start[k + 1] = rows;
        if (k == 0) continue;
        draw_row(chance, m, (int[]){k, other}, 2, &m->softs[k - 1]);
        m->soft[k - 1] = gmc_chance_uniform(chance, 0, 10);
    }
    for (int i = 0; i < DOFS; i++)
        m->p[i] = draw(chance);
    for (int i = 0; i < ROWS; i++)
        m->e[i] = draw(chance);
    m->problem = (gmc_saddle_problem){.node_count = count,
                                      .dof_start = m->dof_start,
                                      .row_start = m->row_start,
                                      .mass = m->mass,
                                      .rows = m->rows,
                                      .soft_count = count - 1,
                                      .softs = m->softs,
                                      .soft = m->soft};
}

static double seen(const mechanism *m, const gmc_saddle_row *row, const double *v)
{
    double sum = 0;
    for (int k = 0; k < row->count; k++)
        for (int i = 0; i < GMC_SADDLE_WIDTH; i++)
            if (m->dof_start[row->nodes[k]] + i < m->dof_start[row->nodes[k] + 1])
                sum += row->J[k][i] * v[m->dof_start[row->nodes[k]] + i];
    return sum;
}

static void push(const mechanism *m, const gmc_saddle_row *row, double amount, double *y)
{
    for (int k = 0; k < row->count; k++)
        for (int i = 0; i < GMC_SADDLE_WIDTH; i++)
            if (m->dof_start[row->nodes[k]] + i < m->dof_start[row->nodes[k] + 1])
                y[m->dof_start[row->nodes[k]] + i] += amount * row->J[k][i];
}

/// What is left of both equations, over the largest term of either.
static double residual_of(const mechanism *m, const double *v, const double *c)
{
    double off[DOFS] = {0}, worst = 0, size_p = 1, size_e = 1;
    for (int k = 0; k < m->problem.node_count; k++) {
        int first = m->dof_start[k], width = m->dof_start[k + 1] - first;
        for (int i = 0; i < width; i++) {
            off[first + i] -= m->p[first + i];
            for (int j = 0; j < width; j++) {
                double term =
                    m->mass[GMC_SADDLE_WIDTH * (GMC_SADDLE_WIDTH * k + i) + j] * v[first + j];
                off[first + i] += term;
                size_p = fmax(size_p, fabs(term));
            }
        }
    }
    for (int i = 0; i < m->problem.soft_count; i++)
        push(m, &m->softs[i], m->soft[i] * seen(m, &m->softs[i], v), off);
    for (int i = 0; i < m->row_start[m->problem.node_count]; i++) {
        push(m, &m->rows[i], -c[i], off);
        size_p = fmax(size_p, fabs(c[i]));
        double e = seen(m, &m->rows[i], v) - m->e[i];
        worst = fmax(worst, fabs(e));
    }
    for (int i = 0; i < m->dof_start[m->problem.node_count]; i++) {
        worst = fmax(worst, fabs(off[i]) / size_p);
        size_e = fmax(size_e, fabs(v[i]));
    }
    return worst / size_e;
}

static gmc_status solve(const mechanism *m, double *v, double *c, bool *is_factored)
{
    gmc_arena arena;
    gmc_sparse_plan plan;
    gmc_saddle saddle;
    assert_int_equal(gmc_arena_create(&arena, 1 << 21), GMC_OK);
    assert_int_equal(gmc_saddle_plan(&m->problem, &arena, &plan), GMC_OK);
    assert_int_equal(gmc_saddle_factor(&m->problem, &plan, &arena, &saddle), GMC_OK);
    memcpy(v, m->p, sizeof m->p);
    memcpy(c, m->e, sizeof m->e);
    gmc_status status = gmc_saddle_solve(&saddle, v, c);
    *is_factored = saddle.is_factored;
    gmc_arena_free(&arena);
    return status;
}

// Rounding of systems of up to 130 unknowns, over masses of four decades.
static void both_equations_hold(void **unused)
{
    (void)unused;
    gmc_chance chance = {17};
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        mechanism m;
        double v[DOFS], c[ROWS];
        bool is_factored;
        draw_mechanism(&chance, &m);
        assert_int_equal(solve(&m, v, c, &is_factored), GMC_OK);
        worst = fmax(worst, residual_of(&m, v, c));
    }
    capability_at_most(22, worst, 1e-10);
}

/// Two bodies and a link between them that has no mass: three rows to each of them. Its own block
/// is singular, the whole is not.
static void draw_massless(gmc_chance *chance, int own, int others, mechanism *m)
{
    memset(m, 0, sizeof *m);
    for (int k = 0; k < 2; k++)
        m->dof_start[k + 1] = GMC_SADDLE_WIDTH * (k + 1);
    draw_mass(chance, 1, GMC_SADDLE_WIDTH, m->mass + GMC_SADDLE_WIDTH * GMC_SADDLE_WIDTH);
    for (int i = 0; i < own; i++)
        draw_row(chance, m, (int[]){0}, 1, &m->rows[i]);
    m->row_start[1] = own;
    for (int i = 0; i < others; i++)
        draw_row(chance, m, (int[]){0, 1}, 2, &m->rows[own + i]);
    m->row_start[2] = own + others;
    for (int i = 0; i < DOFS; i++)
        m->p[i] = draw(chance);
    for (int i = 0; i < ROWS; i++)
        m->e[i] = draw(chance);
    m->problem = (gmc_saddle_problem){.node_count = 2,
                                      .dof_start = m->dof_start,
                                      .row_start = m->row_start,
                                      .mass = m->mass,
                                      .rows = m->rows,
                                      .softs = m->softs,
                                      .soft = m->soft};
}

static void a_link_without_mass_is_carried_by_others(void **unused)
{
    (void)unused;
    gmc_chance chance = {3};
    int pivoted = 0;
    for (int i = 0; i < 200; i++) {
        mechanism m;
        double v[DOFS], c[ROWS];
        bool is_factored;
        draw_massless(&chance, 3, 4, &m);
        assert_int_equal(solve(&m, v, c, &is_factored), GMC_OK);
        ASSERT_BELOW(residual_of(&m, v, c), 1e-9); // rounding, of draws that are nearly singular
        pivoted += !is_factored;
    }
    assert_true(pivoted > 0); // KLU was asked
}

static void what_nothing_holds_is_told(void **unused)
{
    (void)unused;
    gmc_chance chance = {4};
    mechanism m;
    double v[DOFS], c[ROWS];
    bool is_factored;
    // six ways to go, five rows
    draw_massless(&chance, 3, 2, &m);
    assert_int_equal(solve(&m, v, c, &is_factored), GMC_E_NO_SOLUTION);
    assert_memory_equal(v, m.p, sizeof m.p);
    assert_memory_equal(c, m.e, sizeof m.e);
    // a row that is there twice
    draw_massless(&chance, 3, 4, &m);
    m.rows[1] = m.rows[0];
    assert_int_equal(solve(&m, v, c, &is_factored), GMC_E_NO_SOLUTION);
}

static void a_small_arena_is_told(void **unused)
{
    (void)unused;
    gmc_chance chance = {5};
    mechanism m;
    gmc_status planned = GMC_E_ARENA_FULL, factored = GMC_E_ARENA_FULL;
    draw_mechanism(&chance, &m);
    for (size_t size = 64; factored == GMC_E_ARENA_FULL; size += 64) {
        gmc_arena arena;
        gmc_sparse_plan plan;
        gmc_saddle saddle;
        assert_int_equal(gmc_arena_create(&arena, size), GMC_OK);
        planned = gmc_saddle_plan(&m.problem, &arena, &plan);
        if (planned == GMC_OK) factored = gmc_saddle_factor(&m.problem, &plan, &arena, &saddle);
        gmc_arena_free(&arena);
        assert_true(size < 1 << 21);
    }
    assert_int_equal(planned, GMC_OK);
    assert_int_equal(factored, GMC_OK);
}

int test_saddle(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_equations_hold),
        cmocka_unit_test(a_link_without_mass_is_carried_by_others),
        cmocka_unit_test(what_nothing_holds_is_told),
        cmocka_unit_test(a_small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
