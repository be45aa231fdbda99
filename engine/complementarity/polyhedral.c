#include "engine/complementarity/polyhedral.h"

#include "engine/base/check.h"
#include "engine/complementarity/pyramid.h"

#include <string.h>

// Every unknown is one of two kinds: an amount of impulse, r_c += amount * direction, or a
// multiplier, which adds to the w of some amounts. The matrix is then
//
//   amounts      [ Sᵀ W S   E ]      S: directions of all amounts, E: what multipliers add
//   multipliers  [  F       0 ]      F: the bounds

typedef struct unknown {
    int unit;
    bool is_multiplier;
    double direction[3]; ///< of an amount
    double adds;         ///< what the unit's multiplier adds to this amount's w; 0: nothing
} unknown;

enum { UNKNOWNS_OF_BOX_ROW = 2 };

static int unknowns_of_row(double lower, double upper)
{
    bool has_lower = lower > -HUGE_VAL, has_upper = upper < HUGE_VAL;
    return has_lower == has_upper ? 2 : 1;
}

static int unknowns_of(const gmc_dual_unit *unit)
{
    int count = 0;
    if (!unit->is_box) return 2 + unit->facet_count;
    for (int i = 0; i < 3; i++)
        count += unknowns_of_row(unit->lower[i], unit->upper[i]);
    return count;
}

int gmc_polyhedral_size(const gmc_dual *problem)
{
    int size = 0;
    for (int c = 0; c < problem->unit_count; c++)
        size += unknowns_of(&problem->units[c]);
    return size;
}

size_t gmc_polyhedral_bytes(const gmc_dual *problem)
{
    size_t n = (size_t)gmc_polyhedral_size(problem);
    size_t units = (size_t)problem->unit_count;
    return (n * n + n + 3 * units) * sizeof(double) + n * sizeof(unknown) +
           (units + 1) * sizeof(int) + (size_t)5 * 64;
}

/// Unknowns of a contact: r_N, m directions, λ.
static int list_contact(int unit, int directions, unknown *u)
{
    u[0] = (unknown){.unit = unit, .direction = {1, 0, 0}};
    for (int k = 0; k < directions; k++) {
        u[1 + k] = (unknown){.unit = unit, .adds = 1};
        gmc_pyramid_corner(k, directions, u[1 + k].direction + 1);
    }
    u[1 + directions] = (unknown){.unit = unit, .is_multiplier = true};
    return 2 + directions;
}

/// Unknowns of one row of a box.
static int list_row(int unit, int i, double lower, double upper, unknown *u)
{
    bool has_lower = lower > -HUGE_VAL, has_upper = upper < HUGE_VAL;
    u[0] = (unknown){.unit = unit};
    u[0].direction[i] = has_upper && !has_lower ? -1 : 1;
    if (has_lower != has_upper) return 1;
    u[1] = (unknown){.unit = unit, .is_multiplier = has_lower};
    if (has_lower)
        u[0].adds = 1;
    else
        u[1].direction[i] = -1;
    return 2;
}

static int list_unit(const gmc_dual_unit *unit, int index, unknown *u)
{
    int count = 0;
    if (!unit->is_box) return list_contact(index, unit->facet_count, u);
    for (int i = 0; i < 3; i++)
        count += list_row(index, i, unit->lower[i], unit->upper[i], u + count);
    return count;
}

/// The impulse with all amounts zero.
static void rest_impulse(const gmc_dual_unit *unit, double r[3])
{
    for (int i = 0; i < 3; i++) {
        bool has_lower = unit->lower[i] > -HUGE_VAL, has_upper = unit->upper[i] < HUGE_VAL;
        r[i] = !unit->is_box ? 0 : has_lower ? unit->lower[i] : has_upper ? unit->upper[i] : 0;
    }
}

/// Sᵀ W S of two units.
static void add_block(const unknown *u, const int *first, int c, int d, const double W[9], int n,
                      double *M)
{
    for (int i = first[c]; i < first[c + 1]; i++) {
        const double *a = u[i].direction;
        if (u[i].is_multiplier) continue;
        double aW[3] = {a[0] * W[0] + a[1] * W[3] + a[2] * W[6],
                        a[0] * W[1] + a[1] * W[4] + a[2] * W[7],
                        a[0] * W[2] + a[1] * W[5] + a[2] * W[8]};
        for (int j = first[d]; j < first[d + 1]; j++) {
            const double *b = u[j].direction;
            if (u[j].is_multiplier) continue;
            M[(size_t)i * (size_t)n + (size_t)j] = aW[0] * b[0] + aW[1] * b[1] + aW[2] * b[2];
        }
    }
}

/// E and F of one unit, and the right-hand side of its multipliers.
static void add_bounds(const gmc_dual_unit *unit, const unknown *u, int from, int to, int n,
                       double *M, double *q)
{
    int amount = from; // a row's multiplier stands right behind its amount, λ behind all of them
    for (int i = from; i < to; i++) {
        if (!u[i].is_multiplier) {
            if (unit->is_box) amount = i;
            continue;
        }
        double *row = M + (size_t)i * (size_t)n;
        for (int j = amount; j < i; j++) {
            if (u[j].adds == 0) continue;
            M[(size_t)j * (size_t)n + (size_t)i] = u[j].adds;
            row[j] = -1;
        }
        if (!unit->is_box) {
            row[from] = unit->friction;
            continue;
        }
        for (int k = 0; k < 3; k++)
            if (u[amount].direction[k] != 0) q[i] = unit->upper[k] - unit->lower[k];
    }
}

gmc_status gmc_polyhedral_lcp(const gmc_dual *problem, gmc_arena *room, gmc_lcp *lcp)
{
    for (int c = 0; c < problem->unit_count; c++)
        GMC_ASSERT(problem->units[c].is_box ||
                   (problem->units[c].facet_count >= 2 && problem->units[c].facet_count % 2 == 0));
    int n = gmc_polyhedral_size(problem), units = problem->unit_count;
    double *M = gmc_arena_doubles(room, (size_t)n * (size_t)n);
    double *q = gmc_arena_doubles(room, (size_t)n);
    size_t mark = gmc_arena_mark(room);
    unknown *u = gmc_arena_take(room, (size_t)n, sizeof *u);
    int *first = gmc_arena_take(room, (size_t)units + 1, sizeof *first);
    double *r = gmc_arena_doubles(room, 3 * (size_t)units);
    if (!M || !q || !u || !first || !r) return GMC_E_ARENA_FULL;

    for (int c = 0; c < units; c++) {
        first[c + 1] = first[c] + list_unit(&problem->units[c], c, u + first[c]);
        rest_impulse(&problem->units[c], r + 3 * c);
    }
    for (int c = 0; c < units; c++) {
        double w[3] = {problem->q[3 * c], problem->q[3 * c + 1], problem->q[3 * c + 2]};
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++) {
            const double *W = problem->W + 9 * (size_t)k, *x = r + 3 * problem->other[k];
            add_block(u, first, c, problem->other[k], W, n, M);
            for (int i = 0; i < 3; i++)
                w[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        for (int i = first[c]; i < first[c + 1]; i++) {
            const double *a = u[i].direction;
            if (!u[i].is_multiplier) q[i] = a[0] * w[0] + a[1] * w[1] + a[2] * w[2];
        }
        add_bounds(&problem->units[c], u, first[c], first[c + 1], n, M, q);
    }
    gmc_arena_reset(room, mark);
    *lcp = (gmc_lcp){n, M, q};
    return GMC_OK;
}

void gmc_polyhedral_impulses(const gmc_dual *problem, const double *z, double *r)
{
    for (int c = 0; c < problem->unit_count; c++) {
        const gmc_dual_unit *unit = &problem->units[c];
        double *rc = r + 3 * c;
        rest_impulse(unit, rc);
        if (!unit->is_box) {
            rc[0] = z[0];
            for (int k = 0; k < unit->facet_count; k++) {
                double d[2];
                gmc_pyramid_corner(k, unit->facet_count, d);
                rc[1] += z[1 + k] * d[0];
                rc[2] += z[1 + k] * d[1];
            }
            z += 2 + unit->facet_count;
            continue;
        }
        for (int i = 0; i < 3; i++) {
            unknown u[UNKNOWNS_OF_BOX_ROW];
            int count = list_row(c, i, unit->lower[i], unit->upper[i], u);
            for (int k = 0; k < count; k++, z++)
                if (!u[k].is_multiplier) rc[i] += u[k].direction[i] * *z;
        }
    }
}
