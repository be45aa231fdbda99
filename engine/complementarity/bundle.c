#include "engine/complementarity/bundle.h"

#include "engine/complementarity/polyhedral.h"

#include <string.h>

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

// ---- what is known ----------------------------------------------------------------------------

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

// ---- room -------------------------------------------------------------------------------------

typedef struct rest_room {
    gmc_dual_unit *units;
    int *start, *other, *place;
    double *W, *q;
} rest_room;

static gmc_status make_room(bundle *b, rest_room *rest, gmc_arena *scratch)
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

// ---- what stands ------------------------------------------------------------------------------

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
static void spread(bundle *b, const double *z)
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

// ---- columns ----------------------------------------------------------------------------------

static double dot(const double *a, const double *c, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * c[i];
    return sum;
}

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
    gmc_polyhedral_along(&b->rest, b->some, b->along + (size_t)at * (size_t)b->first.size);
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

// ---- the small problem ------------------------------------------------------------------------

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
        b->q[row] = dot(b->g + k * size, b->from, size);
        b->M[row * all + lambda] = 1;
        b->M[lambda * all + row] = -1;
        for (size_t i = 0; i < base; i++)
            b->M[row * all + i] = b->M[i * all + row] = b->along[k * base + i];
        for (size_t j = 0; j < (size_t)b->count; j++)
            b->M[row * all + first + j] = dot(b->g + k * size, b->Wg + j * size, size);
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
        spread(b, b->z);
        gmc_dual_answer(b->normal, b->x, b->w);
        result->residual = gmc_dual_defect(b->normal, b->x, b->w);
        if (result->residual <= SHARP * residual_max) return GMC_OK;
        drop_columns(b);
        if (!add_farthest(b, b->w)) break;
    }
    return result->residual <= residual_max ? GMC_OK : GMC_E_NO_SOLUTION;
}

/// The start's friction, and what its slip would have.
static void start(bundle *b, const double *x)
{
    for (int group = 0; group < b->group_count; group++)
        if (is_started(b, group, x)) (void)add_column(b, group);
    gmc_dual_answer(b->normal, x, b->w);
    if (b->count > 0) (void)add_farthest(b, b->w);
}

static gmc_status open_bundle(bundle *b, gmc_arena *scratch)
{
    rest_room rest;
    GMC_TRY(make_room(b, &rest, scratch));
    write_groups(b, rest.place);
    write_rest(b, &rest);
    GMC_TRY(gmc_polyhedral_lcp(&b->rest, scratch, &b->first));
    GMC_TRY(make_room_of_columns(b, scratch));
    memset(b->z, 0, ((size_t)b->first.size + (size_t)b->group_count) * sizeof *b->z);
    spread(b, b->z);
    gmc_dual_answer(b->normal, b->x, b->from);
    return b->group_count <= COLUMNS / 4 ? GMC_OK : GMC_E_NO_SOLUTION;
}

gmc_status gmc_bundle_solve(const gmc_dual *normal, double residual_max, double *x,
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
        start(&b, x);
        status = go_on(&b, residual_max, scratch, result);
    }
    if (status == GMC_OK) memcpy(x, b.x, size * sizeof *x);
    gmc_arena_reset(scratch, mark);
    return status == GMC_E_RESIDUAL ? GMC_E_NO_SOLUTION : status;
}
