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

/// Have two units the same unknowns? Asked of contacts alone: their corners cost a sine each.
static bool is_same_list(const gmc_dual_unit *a, const gmc_dual_unit *b)
{
    return !a->is_box && !b->is_box && a->facet_count == b->facet_count;
}

/// Those of the unit before, `count` of them, for this one.
static int list_again(int index, int count, unknown *u)
{
    for (int i = 0; i < count; i++) {
        u[i] = u[i - count];
        u[i].unit = index;
    }
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

/// An LCP in the making.
typedef struct making {
    const unknown *unknowns; ///< (n)
    const int *first;        ///< (unit_count + 1) the first of each unit
    int n;
    double *M, *q;
} making;

/// Sᵀ W S of units c and d.
static void add_block(const making *to, int c, int d, const double W[9])
{
    const unknown *u = to->unknowns;
    const int *first = to->first, n = to->n;
    double *M = to->M;
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
static void add_bounds(const making *all, const gmc_dual_unit *unit, int from, int to)
{
    const unknown *u = all->unknowns;
    int n = all->n;
    double *M = all->M, *q = all->q;
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
    double *M = GMC_NEW(room, (size_t)n * (size_t)n, double);
    double *q = GMC_NEW(room, n, double);
    size_t mark = gmc_arena_mark(room);
    unknown *u = GMC_NEW(room, n, unknown);
    int *first = GMC_NEW(room, units + 1, int);
    double *r = GMC_NEW(room, 3 * units, double);
    if (!M || !q || !u || !first || !r) return GMC_E_ARENA_FULL;

    for (int c = 0; c < units; c++) {
        bool is_again = c > 0 && is_same_list(&problem->units[c - 1], &problem->units[c]);
        first[c + 1] = first[c] + (is_again ? list_again(c, first[c] - first[c - 1], u + first[c])
                                            : list_unit(&problem->units[c], c, u + first[c]));
        rest_impulse(&problem->units[c], r + 3 * c);
    }
    const making made = {u, first, n, M, q};
    for (int c = 0; c < units; c++) {
        double w[3] = {problem->q[3 * c], problem->q[3 * c + 1], problem->q[3 * c + 2]};
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++) {
            const double *W = problem->W + 9 * (size_t)k, *x = r + 3 * problem->other[k];
            add_block(&made, c, problem->other[k], W);
            for (int i = 0; i < 3; i++)
                w[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        for (int i = first[c]; i < first[c + 1]; i++) {
            const double *a = u[i].direction;
            if (!u[i].is_multiplier) q[i] = a[0] * w[0] + a[1] * w[1] + a[2] * w[2];
        }
        add_bounds(&made, &problem->units[c], first[c], first[c + 1]);
    }
    gmc_arena_reset(room, mark);
    *lcp = (gmc_lcp){n, M, q};
    return GMC_OK;
}

/// A share of an impulse that is rounding where it ought to be zero.
static const double ROUNDING = 1e-9;

/// Corner of m nearest to the direction of t. @param d  out: it
static int nearest_corner(const double t[2], int m, double d[2])
{
    double most = -HUGE_VAL;
    int best = 0;
    gmc_pyramid_corner(0, m, d); // of NaN
    for (int k = 0; k < m; k++) {
        double e[2];
        gmc_pyramid_corner(k, m, e);
        double along = e[0] * t[0] + e[1] * t[1];
        if (!(along > most)) continue;
        most = along;
        best = k;
        d[0] = e[0];
        d[1] = e[1];
    }
    return best;
}

/// Amounts along the two corners between which r_T lies, and λ where they reach the rim. Where
/// nothing presses λ is what the slip takes at its corner, whose amount of zero is in the basis for
/// it.
static void guess_contact(const gmc_dual_unit *unit, const double r[3], const double w[3],
                          bool *is_basic)
{
    int m = unit->facet_count;
    double near[2], next[2];
    for (int i = 0; i < 2 + m; i++)
        is_basic[i] = false;
    is_basic[0] = r[0] > 0;
    if (!is_basic[0]) {
        const double against[2] = {-w[1], -w[2]};
        if (w[1] == 0 && w[2] == 0) return;
        is_basic[1 + nearest_corner(against, m, near)] = is_basic[1 + m] = true;
        return;
    }
    if (r[1] == 0 && r[2] == 0) return;
    // r_T = a d_best + b d_next, d_next on the side where it is
    int best = nearest_corner(r + 1, m, near);
    double along = near[0] * r[1] + near[1] * r[2], aside = near[0] * r[2] - near[1] * r[1];
    double a = along, b = 0;
    is_basic[1 + best] = true;
    if (m > 2 && fabs(aside) > ROUNDING * along) {
        int k = (best + (aside > 0 ? 1 : m - 1)) % m;
        gmc_pyramid_corner(k, m, next);
        b = aside / (near[0] * next[1] - near[1] * next[0]);
        a = along - b * (near[0] * next[0] + near[1] * next[1]);
        is_basic[1 + k] = true;
    }
    is_basic[1 + m] = a + b >= (1 - ROUNDING) * unit->friction * r[0];
}

static void guess_row(double lower, double upper, double r, bool *is_basic)
{
    bool has_lower = lower > -HUGE_VAL, has_upper = upper < HUGE_VAL;
    if (has_lower != has_upper) {
        is_basic[0] = has_lower ? r > lower : r < upper;
        return;
    }
    is_basic[0] = has_lower ? r > lower : r >= 0;
    is_basic[1] = has_lower ? r > lower && r >= upper : r < 0;
}

void gmc_polyhedral_guess(const gmc_dual *problem, const double *r, const double *w, bool *is_basic)
{
    for (int c = 0; c < problem->unit_count; c++, r += 3, w += 3) {
        const gmc_dual_unit *unit = &problem->units[c];
        if (!unit->is_box) {
            guess_contact(unit, r, w, is_basic);
            is_basic += unknowns_of(unit);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            guess_row(unit->lower[i], unit->upper[i], r[i], is_basic);
            is_basic += unknowns_of_row(unit->lower[i], unit->upper[i]);
        }
    }
}

void gmc_polyhedral_along(const gmc_dual *problem, const double *w, double *along)
{
    for (int c = 0; c < problem->unit_count; c++, w += 3) {
        const gmc_dual_unit *unit = &problem->units[c];
        if (!unit->is_box) {
            int m = unit->facet_count;
            *along++ = w[0];
            for (int k = 0; k < m; k++) {
                double d[2];
                gmc_pyramid_corner(k, m, d);
                *along++ = d[0] * w[1] + d[1] * w[2];
            }
            *along++ = 0;
            continue;
        }
        for (int i = 0; i < 3; i++) {
            unknown u[UNKNOWNS_OF_BOX_ROW];
            int count = list_row(c, i, unit->lower[i], unit->upper[i], u);
            for (int k = 0; k < count; k++)
                *along++ = u[k].is_multiplier ? 0 : u[k].direction[i] * w[i];
        }
    }
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
                if (z[1 + k] == 0) continue;
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
