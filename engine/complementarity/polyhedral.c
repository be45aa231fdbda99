// Every unknown is one of two kinds: an amount of impulse, r_c += amount * direction, or a
// multiplier, which adds to the w of some amounts. The matrix is then
//
//   amounts      [ Sᵀ W S   E ]      S: directions of all amounts, E: what multipliers add
//   multipliers  [  F       0 ]      F: the bounds
#include "engine/complementarity/polyhedral.h"

#include "engine/base/check.h"
#include "engine/complementarity/pyramid.h"
#include "engine/complementarity/solver.h"
#include "engine/math/dense.h"

#include <string.h>

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

/// What velocities add to w of the unknowns. (3 * unit_count) in, (size) out.
static void velocities_along(const gmc_dual *problem, const double *w, double *along)
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

// ---- many pyramids of one body -----------------------------------------------------------------
// Friction pyramids whose normal impulse is known, by the dozen: what a body stands on in the
// plane. An LCP has ten unknowns of each, and pivoting goes through all of them. But what they do
// together is friction of one body, and few of their corners are needed to say it.
//
// Known contacts that feel each other are a group. Its friction is one convex set F: of every
// contact a point of its polygon, of radius ρ_c = mu r_N. The law of all its contacts together is
//
//   r_T = Σ a_k g_k,   0 <= a_k ⊥ g_k · w_T + λ >= 0,   0 <= λ ⊥ R - Σ a_k >= 0,   R = Σ ρ_c
//
// over all points R g_k of F, or all its vertices. A small LCP has those that are known so far and
// everything else as it is; where its solution slides, the farthest vertex against the slip (of
// every contact its best corner) comes in. When that one is there already, or nothing is left to
// gain, every contact has its best corners, and the solution is that of the whole LCP: no residual
// is left but rounding. Each vertex comes in once, so it ends; where it takes too long the caller
// turns to the whole LCP.
//
// Sources: [kelley1960] for cuts where a convex function was evaluated; [stewart1996] for the law.

/// Contacts of known normal impulse from which on they are bundled.
enum { KNOWN_MIN = 8 };
/// Small problems in one solve, and columns of one: several times what slow turns of a hundred
/// points take.
enum { ROUNDS = 200, COLUMNS = 64 };
/// What exact vertices leave, as a share of the residual asked for: no further round does better.
static const double SHARP = 1e-3;

/// Of units that are in no group: not known; known without friction; not yet looked at.
enum { GROUP_NONE = -1, GROUP_SMOOTH = -2, GROUP_OPEN = -3 };

typedef struct bundle {
    const gmc_dual *normal;
    gmc_dual rest; ///< units that are not known
    int *of;       ///< (rest.unit_count) their places in normal
    int *group;    ///< (unit_count) of known units; < 0: none, and why
    int group_count;
    double *reach; ///< (group_count) R
    double *x, *w; ///< (3 per unit) impulses and what answers them
    double *from;  ///< (3 per unit) w with all amounts zero
    double *some;  ///< (3 per unit) scratch: impulses or velocities of rest
    double *field; ///< (3 per unit) scratch

    gmc_lcp first; ///< of rest
    int count;     ///< of columns
    int *of_group; ///< (COLUMNS)
    double *g;     ///< (COLUMNS x 3 per unit)
    double *Wg;    ///< (COLUMNS x 3 per unit)
    double *along; ///< (COLUMNS x first.size) W g along the unknowns of rest
    double *M, *q, *z;
} bundle;

// ---- the bundle: what is known -----------------------------------------------------------------

/// Does the unit's normal impulse depend on no other impulse, nor they on it?
static bool is_known(const gmc_dual *problem, int unit)
{
    if (problem->units[unit].is_box) return false;
    for (int k = problem->start[unit]; k < problem->start[unit + 1]; k++) {
        const double *W = problem->W + 9 * (size_t)k;
        if ((W[0] != 0) != (problem->other[k] == unit) || W[1] != 0 || W[2] != 0) return false;
    }
    return true;
}

// ---- the bundle: room --------------------------------------------------------------------------

typedef struct rest_room {
    gmc_dual_unit *units;
    int *start, *other, *place;
    double *W, *q;
} rest_room;

static gmc_status bundle_make_room(bundle *b, rest_room *rest, gmc_arena *scratch)
{
    int n = b->normal->unit_count, blocks = b->normal->start[n];
    int *ints = GMC_ROOM(scratch, 4 * n + 1 + blocks + COLUMNS, int);
    double *x = GMC_NEW(scratch, 19 * n + 9 * blocks, double);
    rest->units = GMC_ROOM(scratch, n, gmc_dual_unit);
    if (!ints || !x || !rest->units) return GMC_E_ARENA_FULL;
    b->of = ints;
    b->group = b->of + n;
    rest->place = b->group + n;
    rest->start = rest->place + n;
    rest->other = rest->start + n + 1;
    b->of_group = rest->other + blocks;
    double **vectors[] = {&b->x, &b->w, &b->from, &b->some, &b->field, &rest->q};
    for (int i = 0; i < GMC_COUNT(vectors); i++, x += 3 * n)
        *vectors[i] = x;
    b->reach = x;
    rest->W = x + n;
    return GMC_OK;
}

/// That of columns and the small problem, once the rest is written down.
static gmc_status make_room_of_columns(bundle *b, gmc_arena *scratch)
{
    size_t size = 3 * (size_t)b->normal->unit_count, base = (size_t)b->first.size;
    size_t all = base + (size_t)b->group_count + COLUMNS;
    b->g = GMC_ROOM(scratch, COLUMNS * (2 * size + base), double);
    b->M = GMC_ROOM(scratch, all * all + 2 * all, double);
    if (!b->g || !b->M) return GMC_E_ARENA_FULL;
    b->Wg = b->g + COLUMNS * size;
    b->along = b->Wg + COLUMNS * size;
    b->q = b->M + all * all;
    b->z = b->q + all;
    return GMC_OK;
}

// ---- the bundle: what stands -------------------------------------------------------------------

static double radius_of(const bundle *b, int unit)
{
    return b->normal->units[unit].friction * b->x[3 * unit];
}

/// Known units that feel `unit`, and those that feel these, into its group.
static void spread_group(bundle *b, int unit, int *stack)
{
    int count = 1;
    stack[0] = unit;
    b->group[unit] = b->group_count;
    while (count > 0) {
        int c = stack[--count];
        b->reach[b->group_count] += radius_of(b, c);
        for (int k = b->normal->start[c]; k < b->normal->start[c + 1]; k++) {
            int d = b->normal->other[k];
            if (b->group[d] != GROUP_OPEN) continue;
            b->group[d] = b->group_count;
            stack[count++] = d;
        }
    }
}

/// Normal impulses and groups of what is known; no friction is no group.
static void write_groups(bundle *b, int *stack)
{
    const gmc_dual *p = b->normal;
    for (int c = 0; c < p->unit_count; c++) {
        b->group[c] = is_known(p, c) ? GROUP_OPEN : GROUP_NONE;
        if (b->group[c] == GROUP_NONE) continue;
        for (int k = p->start[c]; k < p->start[c + 1]; k++)
            if (p->other[k] == c) b->x[3 * c] = fmax(-p->q[3 * c] / p->W[9 * (size_t)k], 0);
        if (!(radius_of(b, c) > 0)) b->group[c] = GROUP_SMOOTH;
    }
    for (int c = 0; c < p->unit_count; c++)
        if (b->group[c] == GROUP_OPEN) {
            spread_group(b, c, stack);
            b->group_count++;
        }
}

/// The problem without what is known, which is constant or comes by columns.
static void write_rest(bundle *b, const rest_room *rest)
{
    const gmc_dual *p = b->normal;
    int count = 0, block = 0;
    for (int c = 0; c < p->unit_count; c++) {
        rest->place[c] = count;
        if (b->group[c] == GROUP_NONE) b->of[count++] = c;
    }
    for (int i = 0; i < count; i++) {
        int c = b->of[i];
        rest->units[i] = p->units[c];
        rest->start[i] = block;
        memcpy(rest->q + 3 * (size_t)i, p->q + 3 * (size_t)c, 3 * sizeof *p->q);
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            if (b->group[p->other[k]] != GROUP_NONE) continue;
            rest->other[block] = rest->place[p->other[k]];
            memcpy(rest->W + 9 * (size_t)block++, p->W + 9 * (size_t)k, 9 * sizeof *p->W);
        }
    }
    rest->start[count] = block;
    b->rest = (gmc_dual){count, rest->units, rest->start, rest->other, rest->W, rest->q};
}

/// Impulses of the small problem's amounts: x of the rest, and columns on what is known.
static void bundle_spread(bundle *b, const double *z)
{
    size_t size = 3 * (size_t)b->normal->unit_count;
    const double *amount = z + b->first.size + b->group_count;
    gmc_polyhedral_impulses(&b->rest, z, b->some);
    for (int i = 0; i < b->rest.unit_count; i++)
        memcpy(b->x + 3 * (size_t)b->of[i], b->some + 3 * (size_t)i, 3 * sizeof *b->x);
    for (size_t c = 0; c < size; c += 3)
        if (b->group[c / 3] >= 0) b->x[c + 1] = b->x[c + 2] = 0;
    for (int k = 0; k < b->count; k++) {
        const double *g = b->g + (size_t)k * size;
        for (size_t i = 0; amount[k] > 0 && i < size; i++)
            b->x[i] += amount[k] * g[i];
    }
}

// ---- the bundle: columns -----------------------------------------------------------------------

/// What `field` holds of a group, unless there is such a column. @return whether it is a new one
static bool add_column(bundle *b, int group)
{
    const gmc_dual *p = b->normal;
    size_t size = 3 * (size_t)p->unit_count;
    for (int k = 0; k < b->count; k++)
        if (b->of_group[k] == group &&
            memcmp(b->g + (size_t)k * size, b->field, size * sizeof *b->field) == 0)
            return false;
    if (b->count == COLUMNS) return false;
    int at = b->count++;
    double *Wg = b->Wg + (size_t)at * size;
    b->of_group[at] = group;
    memcpy(b->g + (size_t)at * size, b->field, size * sizeof *b->field);
    for (int c = 0; c < p->unit_count; c++) {
        double sum[3] = {0, 0, 0};
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            const double *W = p->W + 9 * (size_t)k, *f = b->field + 3 * (size_t)p->other[k];
            if (b->group[p->other[k]] != group) continue;
            for (int i = 0; i < 3; i++)
                sum[i] += W[3 * i + 1] * f[1] + W[3 * i + 2] * f[2];
        }
        memcpy(Wg + 3 * (size_t)c, sum, sizeof sum);
    }
    for (int i = 0; i < b->rest.unit_count; i++)
        memcpy(b->some + 3 * (size_t)i, Wg + 3 * (size_t)b->of[i], 3 * sizeof *Wg);
    velocities_along(&b->rest, b->some, b->along + (size_t)at * (size_t)b->first.size);
    return true;
}

/// Of every point of a group the corner that takes most from its slip.
static void farthest(const bundle *b, int group, const double *w)
{
    for (int c = 0; c < b->normal->unit_count; c++) {
        double *f = b->field + 3 * (size_t)c, best = -HUGE_VAL;
        f[0] = f[1] = f[2] = 0;
        for (int k = 0; b->group[c] == group && k < b->normal->units[c].facet_count; k++) {
            double d[2], share = radius_of(b, c) / b->reach[group];
            gmc_pyramid_corner(k, b->normal->units[c].facet_count, d);
            double along = -(d[0] * w[3 * c + 1] + d[1] * w[3 * c + 2]);
            if (!(along > best)) continue;
            best = along;
            f[1] = share * d[0];
            f[2] = share * d[1];
        }
    }
}

/// Friction of a group as it starts, one point of F like any other.
static bool is_started(const bundle *b, int group, const double *x)
{
    bool is_any = false;
    for (int c = 0; c < b->normal->unit_count; c++) {
        double *f = b->field + 3 * (size_t)c;
        f[0] = f[1] = f[2] = 0;
        if (b->group[c] != group) continue;
        gmc_pyramid_project(x + 3 * c + 1, radius_of(b, c), b->normal->units[c].facet_count, f + 1);
        f[1] /= b->reach[group];
        f[2] /= b->reach[group];
        is_any = is_any || f[1] != 0 || f[2] != 0;
    }
    return is_any;
}

static bool add_farthest(bundle *b, const double *w)
{
    bool is_any = false;
    for (int group = 0; group < b->group_count; group++) {
        farthest(b, group, w);
        is_any = add_column(b, group) || is_any;
    }
    return is_any;
}

/// Columns that bear nothing go, where there is no room for one more of each group.
static void drop_columns(bundle *b)
{
    size_t size = 3 * (size_t)b->normal->unit_count, base = (size_t)b->first.size;
    const double *amount = b->z + base + b->group_count;
    int kept = 0;
    if (b->count + b->group_count <= COLUMNS) return;
    for (int k = 0; k < b->count; k++) {
        if (!(amount[k] > 0)) continue;
        size_t from = (size_t)k, to = (size_t)kept++;
        b->of_group[to] = b->of_group[from];
        memmove(b->g + to * size, b->g + from * size, size * sizeof *b->g);
        memmove(b->Wg + to * size, b->Wg + from * size, size * sizeof *b->g);
        memmove(b->along + to * base, b->along + from * base, base * sizeof *b->g);
    }
    b->count = kept;
}

// ---- the bundle: the small problem -------------------------------------------------------------

/// The unknowns of rest, λ of every group, amounts of columns.
static gmc_lcp write_small(bundle *b)
{
    size_t size = 3 * (size_t)b->normal->unit_count, base = (size_t)b->first.size;
    size_t first = base + (size_t)b->group_count, all = first + (size_t)b->count;
    memset(b->M, 0, all * all * sizeof *b->M);
    for (size_t i = 0; i < base; i++) {
        memcpy(b->M + i * all, b->first.M + i * base, base * sizeof *b->M);
        b->q[i] = b->first.q[i];
    }
    for (int group = 0; group < b->group_count; group++)
        b->q[base + (size_t)group] = b->reach[group];
    for (size_t k = 0; k < (size_t)b->count; k++) {
        size_t row = first + k, lambda = base + (size_t)b->of_group[k];
        b->q[row] = gmc_dense_dot(b->g + k * size, b->from, (int)size);
        b->M[row * all + lambda] = 1;
        b->M[lambda * all + row] = -1;
        for (size_t i = 0; i < base; i++)
            b->M[row * all + i] = b->M[i * all + row] = b->along[k * base + i];
        for (size_t j = 0; j < (size_t)b->count; j++)
            b->M[row * all + first + j] =
                gmc_dense_dot(b->g + k * size, b->Wg + j * size, (int)size);
    }
    return (gmc_lcp){(int)all, b->M, b->q};
}

static gmc_status solve_small(bundle *b, double residual_max, gmc_arena *scratch,
                              gmc_lemke_result *result)
{
    gmc_lcp small = write_small(b);
    gmc_lemke_options options = gmc_lemke_defaults(small.size);
    gmc_lemke_result run;
    options.residual_max = residual_max;
    options.regularise = true;
    gmc_status status = gmc_lemke_solve(&small, &options, b->z, scratch, &run);
    result->end = run.end;
    result->pivots += run.pivots;
    result->regularisation = fmax(result->regularisation, run.regularisation);
    return status;
}

static gmc_status go_on(bundle *b, double residual_max, gmc_arena *scratch,
                        gmc_lemke_result *result)
{
    for (int round = 0; round < ROUNDS; round++) {
        GMC_TRY(solve_small(b, residual_max, scratch, result));
        bundle_spread(b, b->z);
        gmc_dual_answer(b->normal, b->x, b->w);
        result->residual = gmc_dual_defect(b->normal, b->x, b->w);
        if (result->residual <= SHARP * residual_max) return GMC_OK;
        drop_columns(b);
        if (!add_farthest(b, b->w)) break;
    }
    return result->residual <= residual_max ? GMC_OK : GMC_E_NO_SOLUTION;
}

/// The start's friction, and what its slip would have.
static void start_bundle(bundle *b, const double *x)
{
    for (int group = 0; group < b->group_count; group++)
        if (is_started(b, group, x)) (void)add_column(b, group);
    gmc_dual_answer(b->normal, x, b->w);
    if (b->count > 0) (void)add_farthest(b, b->w);
}

static gmc_status open_bundle(bundle *b, gmc_arena *scratch)
{
    rest_room rest;
    GMC_TRY(bundle_make_room(b, &rest, scratch));
    write_groups(b, rest.place);
    write_rest(b, &rest);
    GMC_TRY(gmc_polyhedral_lcp(&b->rest, scratch, &b->first));
    GMC_TRY(make_room_of_columns(b, scratch));
    memset(b->z, 0, ((size_t)b->first.size + (size_t)b->group_count) * sizeof *b->z);
    bundle_spread(b, b->z);
    gmc_dual_answer(b->normal, b->x, b->from);
    return b->group_count <= COLUMNS / 4 ? GMC_OK : GMC_E_NO_SOLUTION;
}

gmc_status gmc_polyhedral_bundle(const gmc_dual *normal, double residual_max, double *x,
                                 gmc_arena *scratch, gmc_lemke_result *result)
{
    size_t mark = gmc_arena_mark(scratch), size = 3 * (size_t)normal->unit_count;
    bundle b = {.normal = normal};
    int known = 0;
    *result = (gmc_lemke_result){.residual = NAN};
    for (int c = 0; c < normal->unit_count; c++)
        known += is_known(normal, c);
    if (known < KNOWN_MIN) return GMC_E_NO_SOLUTION;
    gmc_status status = open_bundle(&b, scratch);
    if (status == GMC_OK) {
        start_bundle(&b, x);
        status = go_on(&b, residual_max, scratch, result);
    }
    if (status == GMC_OK) memcpy(x, b.x, size * sizeof *x);
    gmc_arena_reset(scratch, mark);
    return status == GMC_E_RESIDUAL ? GMC_E_NO_SOLUTION : status;
}

// ---- the solver --------------------------------------------------------------------------------

/// The largest defect of the LCP that is aimed at, as a share of the tolerance: the problem's own
/// residual sums over all components.
static const double LEMKE_SHARE = 0.1;

static void write_report(const gmc_lemke_result *result, bool is_second, gmc_solver_report *report)
{
    *report = (gmc_solver_report){.rung = is_second ? 2 : 1,
                                  .iterations = result->pivots,
                                  .residual = result->residual,
                                  .regularisation = result->regularisation};
}

/// The pyramids as an LCP, by pivoting from nothing.
static gmc_status run_pivots(const gmc_dual *normal, double tolerance, double *x,
                             gmc_arena *scratch, gmc_solver_report *report)
{
    gmc_lcp lcp;
    gmc_lemke_result result;
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = gmc_polyhedral_lcp(normal, scratch, &lcp);
    double *z = status == GMC_OK ? GMC_NEW(scratch, lcp.size, double) : NULL;
    if (!z) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    gmc_lemke_options options = gmc_lemke_defaults(lcp.size);
    options.residual_max = LEMKE_SHARE * tolerance;
    options.regularise = true;
    status = gmc_lemke_solve(&lcp, &options, z, scratch, &result);
    if (status == GMC_E_ARENA_FULL) {
        gmc_arena_reset(scratch, mark);
        return status;
    }
    gmc_polyhedral_impulses(normal, z, x);
    gmc_arena_reset(scratch, mark);
    write_report(&result, result.regularisation > 0 || status != GMC_OK, report);
    return status == GMC_E_RESIDUAL ? GMC_E_NO_SOLUTION : status;
}

/// Supports by the dozen as what they do to their body; all pyramids one by one else.
static gmc_status run_lemke(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                            gmc_solver_report *report)
{
    gmc_lemke_result result;
    gmc_status status = gmc_polyhedral_bundle(normal, LEMKE_SHARE * tolerance, x, scratch, &result);
    if (status == GMC_E_NO_SOLUTION) return run_pivots(normal, tolerance, x, scratch, report);
    if (status != GMC_OK) return status;
    write_report(&result, result.regularisation > 0, report);
    return GMC_OK;
}

const gmc_solver gmc_polyhedral_solver = {
    .name = "lemke",
    .about = "lexicographic pivoting: friction pyramids",
    .is_polyhedral = true,
    .run = run_lemke,
};
