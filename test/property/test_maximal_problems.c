// Problems of joints, limits and contacts in the velocities of free bodies, drawn, solved as they
// are (mixed), with the joints eliminated (reduced), and by other solvers.

#include "engine/base/check.h"
#include "engine/complementarity/facets.h"
#include "engine/complementarity/solver.h"
#include "engine/math/saddle.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"

#include <string.h>

enum { WIDTH = GMC_SADDLE_WIDTH, NODES = 6, DOFS = WIDTH * NODES, TIES = 5 * NODES };
enum { CONTACTS = 6, LIMITS = 3, UNITS = CONTACTS + 1, ROWS = 3 * UNITS, PROBLEMS = 1000 };

/// Mh v = p + Gᵀ c + Hᵀ r, G v = e, w = H v + b; H: three rows for each contact, then the limits'.
typedef struct problem {
    gmc_saddle_problem tied;
    int dof_start[NODES + 1], row_start[NODES + 1];
    double mass[WIDTH * DOFS], p[DOFS], e[TIES], H[ROWS][DOFS], b[ROWS];
    gmc_saddle_row ties[TIES];
    int dof_count, tie_count, contact_count, limit_count, row_count;
    gmc_dual_unit contacts[CONTACTS];
} problem;

// ---- draws -------------------------------------------------------------------------------------

static double draw(gmc_chance *chance) { return gmc_chance_uniform(chance, -1, 1); }

static void draw_bodies(gmc_chance *chance, problem *x)
{
    int count = gmc_chance_integer(chance, 2, NODES);
    for (int k = 0; k < count; k++) {
        double A[WIDTH * WIDTH], size = gmc_chance_log_uniform(chance, 0.1, 10);
        for (int i = 0; i < WIDTH * WIDTH; i++)
            A[i] = draw(chance);
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j < WIDTH; j++) {
                double sum = i == j ? 0.5 : 0;
                for (int l = 0; l < WIDTH; l++)
                    sum += 0.3 * A[WIDTH * i + l] * A[WIDTH * j + l];
                x->mass[WIDTH * (WIDTH * k + i) + j] = size * sum;
            }
        int other = k == 0 ? -1 : gmc_chance_integer(chance, -1, k - 1);
        x->dof_start[k + 1] = WIDTH * (k + 1);
        for (int i = 0; i < (k == 0 ? 0 : 5); i++) {
            gmc_saddle_row *row = &x->ties[x->tie_count++];
            row->nodes[row->count++] = k;
            if (other >= 0) row->nodes[row->count++] = other;
            for (int l = 0; l < row->count; l++)
                for (int j = 0; j < WIDTH; j++)
                    row->J[l][j] = draw(chance);
        }
        x->row_start[k + 1] = x->tie_count;
    }
    x->dof_count = WIDTH * count;
    x->tied = (gmc_saddle_problem){.node_count = count,
                                   .dof_start = x->dof_start,
                                   .row_start = x->row_start,
                                   .mass = x->mass,
                                   .rows = x->ties};
}

/// A row that sees one body or two.
static void draw_row(gmc_chance *chance, const problem *x, int a, int b, double *row)
{
    for (int i = 0; i < WIDTH; i++)
        row[WIDTH * a + i] = draw(chance);
    for (int i = 0; i < WIDTH && b != a; i++)
        row[WIDTH * b + i] = draw(chance);
    GMC_ASSERT(WIDTH * a < x->dof_count && WIDTH * b < x->dof_count);
}

static void draw_problem(gmc_chance *chance, problem *x)
{
    memset(x, 0, sizeof *x);
    draw_bodies(chance, x);
    int ways = x->dof_count - x->tie_count, nodes = x->tied.node_count;
    x->contact_count = gmc_chance_integer(chance, 1, ways / 3 < CONTACTS ? ways / 3 : CONTACTS);
    x->limit_count = ways - 3 * x->contact_count < LIMITS ? ways - 3 * x->contact_count : LIMITS;
    for (int c = 0; c < x->contact_count; c++) {
        int a = gmc_chance_integer(chance, 0, nodes - 1),
            b = gmc_chance_integer(chance, 0, nodes - 1);
        for (int i = 0; i < 3; i++)
            draw_row(chance, x, a, b, x->H[3 * c + i]);
        x->contacts[c] =
            (gmc_dual_unit){.friction = gmc_chance_uniform(chance, 0, 0.3), .facet_count = 8};
    }
    for (int i = 0; i < x->limit_count; i++) {
        int a = gmc_chance_integer(chance, 0, nodes - 1);
        draw_row(chance, x, a, a, x->H[3 * x->contact_count + i]);
    }
    x->row_count = 3 * x->contact_count + x->limit_count;
    for (int i = 0; i < DOFS; i++)
        x->p[i] = draw(chance);
    for (int i = 0; i < TIES; i++)
        x->e[i] = 0.1 * draw(chance);
}

/// Biases with which some motion that keeps to the joints parts all contacts at once and leaves all
/// limits, so that there is a solution whatever the friction [acary2018].
static void draw_biases(gmc_chance *chance, const gmc_saddle *saddle, problem *x)
{
    double v[DOFS], c[TIES];
    for (int i = 0; i < DOFS; i++)
        v[i] = draw(chance);
    memcpy(c, x->e, sizeof c);
    assert_int_equal(gmc_saddle_solve(saddle, v, c), GMC_OK);
    for (int i = 0; i < x->row_count; i++) {
        bool is_tangent = i < 3 * x->contact_count && i % 3 > 0;
        x->b[i] = is_tangent ? 0 : gmc_chance_uniform(chance, 0, 0.1);
        for (int n = 0; n < x->dof_count; n++)
            x->b[i] -= x->H[i][n] * v[n];
    }
}

// ---- dense dual problems -----------------------------------------------------------------------

enum { DENSE_UNITS = UNITS + (TIES + 2) / 3, DENSE = 3 * DENSE_UNITS };

/// w = W r + q over the rows of contacts and limits, and of joints if they are not eliminated.
typedef struct dense {
    gmc_dual dual;
    gmc_dual_unit units[DENSE_UNITS];
    int start[DENSE_UNITS + 1], other[DENSE_UNITS * DENSE_UNITS];
    double W[9 * DENSE_UNITS * DENSE_UNITS], q[DENSE];
    double v_free[DOFS], response[DENSE][DOFS]; ///< v = v_free + Σ r_i response_i
} dense;

/// @param rows  J of each component, NULL: it only fills a unit up
static void make_dual(const problem *x, int unit_count, double *const *rows, const double *bias,
                      dense *d)
{
    d->dual = (gmc_dual){unit_count, d->units, d->start, d->other, d->W, d->q};
    for (int c = 0; c < unit_count; c++) {
        d->start[c + 1] = d->start[c] + unit_count;
        for (int k = 0; k < unit_count; k++) {
            d->other[d->start[c] + k] = k;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    const double *row = rows[3 * c + i], *answer = d->response[3 * k + j];
                    double sum = !row && c == k && i == j ? 1 : 0;
                    for (int n = 0; row && rows[3 * k + j] && n < x->dof_count; n++)
                        sum += row[n] * answer[n];
                    d->W[9 * (d->start[c] + k) + 3 * i + j] = sum;
                }
        }
        for (int i = 0; i < 3; i++) {
            d->q[3 * c + i] = bias[3 * c + i];
            for (int n = 0; rows[3 * c + i] && n < x->dof_count; n++)
                d->q[3 * c + i] += rows[3 * c + i][n] * d->v_free[n];
        }
    }
}

/// Laws of contacts and limits. @return units
static int write_units(const problem *x, dense *d)
{
    int count = x->contact_count;
    memcpy(d->units, x->contacts, sizeof x->contacts);
    if (x->limit_count == 0) return count;
    d->units[count] = (gmc_dual_unit){.is_box = true};
    for (int i = 0; i < x->limit_count; i++)
        d->units[count].upper[i] = HUGE_VAL;
    return count + 1;
}

static int list_rows(problem *x, double **rows, double *bias)
{
    int count = 3 * (x->contact_count + (x->limit_count > 0 ? 1 : 0));
    for (int i = 0; i < count; i++) {
        rows[i] = i < x->row_count ? x->H[i] : NULL;
        bias[i] = i < x->row_count ? x->b[i] : 0;
    }
    return count;
}

/// M⁻¹ of bodies, one by one, through a saddle problem without rows.
static void free_solve(const problem *x, const double *y, double *v)
{
    for (int k = 0; k < x->tied.node_count; k++) {
        double A[WIDTH][WIDTH + 1];
        const double *M = x->mass + WIDTH * WIDTH * k;
        for (int i = 0; i < WIDTH; i++) {
            memcpy(A[i], M + WIDTH * i, WIDTH * sizeof(double));
            A[i][WIDTH] = y[WIDTH * k + i];
        }
        for (int p = 0; p < WIDTH; p++) // positive definite: pivots as they come
            for (int i = 0; i < WIDTH; i++) {
                double factor = i == p ? 0 : A[i][p] / A[p][p];
                for (int j = p; j <= WIDTH; j++)
                    A[i][j] -= factor * A[p][j];
            }
        for (int i = 0; i < WIDTH; i++)
            v[WIDTH * k + i] = A[i][WIDTH] / A[i][i];
    }
}

/// Eq 18 with momentum eliminated: joints are rows that may push and pull.
static void make_mixed(problem *x, dense *d)
{
    static double G[TIES][DOFS];
    double *rows[DENSE], bias[DENSE];
    int count = list_rows(x, rows, bias), units = write_units(x, d);
    for (int i = 0; i < x->tie_count; i++) {
        const gmc_saddle_row *tie = &x->ties[i];
        memset(G[i], 0, sizeof G[i]);
        for (int k = 0; k < tie->count; k++)
            memcpy(G[i] + WIDTH * tie->nodes[k], tie->J[k], sizeof tie->J[k]);
        if (i % 3 == 0) d->units[units++] = (gmc_dual_unit){.is_box = true};
        d->units[units - 1].lower[i % 3] = -HUGE_VAL;
        d->units[units - 1].upper[i % 3] = HUGE_VAL;
        rows[count] = G[i];
        bias[count++] = -x->e[i];
    }
    for (; count < 3 * units; count++) {
        rows[count] = NULL;
        bias[count] = 0;
    }
    free_solve(x, x->p, d->v_free);
    for (int i = 0; i < count; i++)
        if (rows[i]) free_solve(x, rows[i], d->response[i]);
    make_dual(x, units, rows, bias, d);
}

/// Eq 21.
static void make_reduced(problem *x, const gmc_saddle *saddle, dense *d)
{
    double *rows[DENSE], bias[DENSE], c[TIES];
    int count = list_rows(x, rows, bias), units = write_units(x, d);
    memcpy(d->v_free, x->p, sizeof x->p);
    memcpy(c, x->e, sizeof c);
    assert_int_equal(gmc_saddle_solve(saddle, d->v_free, c), GMC_OK);
    for (int i = 0; i < count; i++) {
        if (!rows[i]) continue;
        memcpy(d->response[i], rows[i], sizeof d->response[i]);
        memset(c, 0, sizeof c);
        assert_int_equal(gmc_saddle_solve(saddle, d->response[i], c), GMC_OK);
    }
    make_dual(x, units, rows, bias, d);
}

// ---- solutions ---------------------------------------------------------------------------------

/// Asked for: what is left is rounding, so that solutions can be held against each other.
static const double TOLERANCE = 1e-12;

/// By pivoting. @return GMC_OK or what the solver says
static gmc_status pivot(const dense *d, gmc_arena *arena, double *v)
{
    double r[DENSE] = {0};
    gmc_solver_report report;
    gmc_status status =
        gmc_solver_solve(gmc_solver_find("lemke"), &d->dual, TOLERANCE, r, arena, &report);
    memcpy(v, d->v_free, sizeof d->v_free);
    for (int i = 0; i < 3 * d->dual.unit_count; i++)
        for (int n = 0; n < DOFS; n++)
            v[n] += r[i] * d->response[i][n];
    return report.residual <= 1e-8 ? GMC_OK : status;
}

static double apart(const problem *x, const double *a, const double *b)
{
    double most = 0, size = 1;
    for (int i = 0; i < x->dof_count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return most / size;
}

/// From a guess of facets, in velocities: [J P C] and C as maximal.c has them.
static gmc_status guess_facets(const problem *x, const dense *reduced, gmc_arena *arena, double *v)
{
    static double C[DOFS * DOFS];
    size_t n = (size_t)x->dof_count;
    int columns[DOFS], block_start[2] = {0, x->dof_count}, count = 3 * reduced->dual.unit_count;
    double J[DENSE][DOFS], r[DENSE] = {0}, w[DENSE], p[DOFS];
    gmc_ncp_row rows[DENSE];
    memset(C, 0, sizeof C);
    for (int k = 0; k < x->tied.node_count; k++)
        for (int i = 0; i < WIDTH; i++)
            memcpy(C + (size_t)(WIDTH * k + i) * n + WIDTH * k, x->mass + WIDTH * (WIDTH * k + i),
                   WIDTH * sizeof(double));
    for (int t = 0; t < x->tie_count; t++) {
        double g[DOFS] = {0};
        for (int k = 0; k < x->ties[t].count; k++)
            memcpy(g + WIDTH * x->ties[t].nodes[k], x->ties[t].J[k], sizeof x->ties[t].J[k]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                C[i * n + j] += g[i] * g[j];
    }
    for (int i = 0; i < count; i++) {
        const gmc_dual_unit *unit = &reduced->units[i / 3];
        memset(J[i], 0, sizeof J[i]);
        double bias = reduced->q[i];
        for (size_t a = 0; a < n; a++) {
            for (size_t b = 0; b < n; b++)
                J[i][a] += C[a * n + b] * reduced->response[i][b];
            bias -= J[i][a] * reduced->v_free[a];
        }
        // a little gives, as contacts do in rigid.c: 1e-12 of what else answers
        rows[i] = (gmc_ncp_row){.column_count = x->dof_count,
                                .columns = columns,
                                .J = J[i],
                                .bias = bias,
                                .compliance = 1e-12,
                                .lower = unit->lower[i % 3],
                                .upper = unit->upper[i % 3]};
    }
    for (size_t a = 0; a < n; a++) {
        columns[a] = (int)a;
        p[a] = 0;
        for (size_t b = 0; b < n; b++)
            p[a] += C[a * n + b] * reduced->v_free[b];
    }
    const gmc_ncp ncp = {.dof_count = x->dof_count,
                         .mass = C,
                         .block_count = 1,
                         .block_start = block_start,
                         .momentum = p,
                         .row_count = count,
                         .rows = rows};
    gmc_facets facets;
    gmc_facets_result result;
    GMC_TRY(gmc_facets_create(&ncp, reduced->units, x->contact_count, arena, &facets));
    return gmc_facets_solve(&facets, 1e-9, &(gmc_facets_solution){r, v, w}, arena, &result);
}

/// By projected sweeps, for what the facets, which promise nothing, leave.
static gmc_status sweep(const problem *x, const dense *reduced, double *v)
{
    double r[DENSE] = {0}, w[DENSE], change = 1;
    int units = reduced->dual.unit_count;
    for (int round = 0; round < 1000000 && change > 1e-12; round++) {
        change = 0;
        for (int c = 0; c < units; c++) {
            const double *own = reduced->W + 9 * (reduced->start[c] + c);
            double y[3], p[3], rate = 1 / (own[0] + own[4] + own[8]);
            for (int i = 0; i < 3; i++) {
                w[i] = reduced->q[3 * c + i];
                for (int k = 0; k < units; k++)
                    for (int j = 0; j < 3; j++)
                        w[i] += reduced->W[9 * (reduced->start[c] + k) + 3 * i + j] * r[3 * k + j];
                y[i] = r[3 * c + i] - rate * w[i];
            }
            gmc_dual_project(&reduced->units[c], y, p);
            for (int i = 0; i < 3; i++) {
                change = fmax(change, fabs(p[i] - r[3 * c + i]));
                r[3 * c + i] = p[i];
            }
        }
    }
    memcpy(v, reduced->v_free, (size_t)x->dof_count * sizeof *v);
    for (int i = 0; i < 3 * units; i++)
        for (int n = 0; n < x->dof_count; n++)
            v[n] += r[i] * reduced->response[i][n];
    return change <= 1e-12 ? GMC_OK : GMC_E_NO_SOLUTION;
}

static void eliminating_joints_changes_nothing(void **unused)
{
    (void)unused;
    gmc_chance chance = {2003};
    gmc_arena arena;
    double worst = 0, worst_other = 0;
    int unsolved = 0, unsolved_other = 0;
    assert_int_equal(gmc_arena_create(&arena, 1 << 23), GMC_OK);
    for (int k = 0; k < PROBLEMS; k++) {
        static problem x;
        static dense mixed, reduced;
        gmc_sparse_plan plan;
        gmc_saddle saddle;
        double a[DOFS], b[DOFS], c[DOFS];
        draw_problem(&chance, &x);
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_saddle_plan(&x.tied, &arena, &plan), GMC_OK);
        assert_int_equal(gmc_saddle_factor(&x.tied, &plan, &arena, &saddle), GMC_OK);
        draw_biases(&chance, &saddle, &x);
        memset(&mixed, 0, sizeof mixed);
        memset(&reduced, 0, sizeof reduced);
        make_mixed(&x, &mixed);
        make_reduced(&x, &saddle, &reduced);
        unsolved += pivot(&mixed, &arena, a) != GMC_OK;
        unsolved += pivot(&reduced, &arena, b) != GMC_OK;
        unsolved_other +=
            guess_facets(&x, &reduced, &arena, c) != GMC_OK && sweep(&x, &reduced, c) != GMC_OK;
        if (apart(&x, a, b) > 1e-9 || apart(&x, b, c) > 1e-6)
            printf("%d: %d contacts %d limits %d ties: %.3g %.3g\n", k, x.contact_count,
                   x.limit_count, x.tie_count, apart(&x, a, b), apart(&x, b, c));
        worst = fmax(worst, apart(&x, a, b));
        worst_other = fmax(worst_other, apart(&x, b, c));
    }
    gmc_arena_free(&arena);
    printf("unsolved %d, %d\n", unsolved, unsolved_other);
    assert_int_equal(unsolved + unsolved_other, 0);
    capability_at_most(26, worst, 1e-9);
    capability_at_most(25, worst_other, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eliminating_joints_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
