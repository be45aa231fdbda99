// Every system starts from impulses that lie on their facets and from the motion that they make,
// worked out anew, and looks for the rest alone: what rounding loses in a matrix whose stiff
// directions outweigh its masses 1e7 times is found by the next one. While no facet changes its
// factors are kept.
//
// Where facets change in turns without end the solution is come to along a line. With
// y = r - w/weight the problem is F(y) = w(P(y)) + weight (y - P(y)) = 0, linear as long as no y
// leaves the cell of its facet, and the way is F(y) = (1 - t) F(y_0) from t = 0 to 1. Its start is a
// solution by itself, for P(y_0) and weight (P(y_0) - y_0) fit each other whatever y_0 is. At each
// wall that it comes to one facet changes, to its neighbour, and t may go back for a while, as
// z_0 of lemke.h does. Measured on 60 trials of gear_map: Newton's steps alone solve 70 to 75 % of
// the problems, with smaller and larger weights fewer; with the way 99.9 % are solved.
//
// Rejected: the system of the impulses, J M⁻¹ Jᵀ, which is as large as there are contacts, three to
// six times the dofs of a hand with an object; steps that are cut short where |r - P(y)| grows,
// which stop at corners.
#include "engine/complementarity/facets.h"

#include <string.h>

/// Newton's steps before the way is gone: two in three problems need one, and what needs more than
/// three goes in circles. And those that polish what the way has found.
enum { STEPS_FIRST = 3, STEPS_LAST = 4 };
/// Walls on the way, for each contact and row: a few in all are usual.
enum { WALLS = 8 };
/// Share of the tolerance that is aimed at, which costs at most one step more.
static const double AIM = 1e-3;

/// Where an impulse lies, of a contact and of a box. CLOSING is not a facet: behind the wall of
/// what is open lies the corner that friction is drawn to.
enum { OPEN, STICK, CORNER, EDGE, CLOSING };
enum { AT_LOWER, FREE, AT_UPPER };

typedef struct facet {
    int kind, k;     ///< corner k, the edge from k to k + 1
    double slope[2]; ///< of a corner or edge: r_T for r_N = 1, without what goes along the edge
    double along[2]; ///< of an edge: its direction
} facet;

/// An impulse that is free, and how it acts: r += amount S where T · w = 0.
typedef struct force {
    int row, width; ///< first of its unit, and how many it has
    int column_count;
    const int *columns;
    const double *push, *see; ///< (column_count) Sᵀ J, Tᵀ J
    double S[3], T[3];
    double compliance; ///< ρ
} force;

/// The free impulses of a place, three at most, which have the same columns.
typedef struct place_forces {
    int count;
    bool is_symmetric; ///< S = T of each that anything is seen of
    force *first;
    double *values; ///< (2 column_count) of a contact: room for pushes that are no row's
} place_forces;

typedef struct search {
    const gmc_facets *of;
    gmc_facets_result *result;
    place_forces *forces; ///< (place_count) of `facets`
    double *r, *v, *w;
    facet *facets, *next; ///< of the system, and where the last answer lies
    gmc_mat K;
    bool is_symmetric;
    double *inverse_d, *row_weight, *rhs;
    int *last, *pivot;
    double *y, *off, *dr, *dy; ///< (row_count) of the way: y, F(y_0), d/dt of r and y
} search;

static int row_count(const gmc_facets *of) { return of->problem->row_count; }
static int first_box(const gmc_facets *of) { return 3 * of->unit_count; }
static int place_count(const gmc_facets *of)
{
    return of->unit_count + row_count(of) - first_box(of);
}

/// First row of a place: a unit, or behind the units a box.
static int row_of_place(const gmc_facets *of, int place)
{
    return place < of->unit_count ? 3 * place : first_box(of) + place - of->unit_count;
}

// ---- what does not change ----------------------------------------------------------------------

static bool factor_blocks(gmc_facets *of, double *x)
{
    const gmc_ncp *problem = of->problem;
    for (int b = 0; b < problem->block_count; b++) {
        int from = problem->block_start[b], width = problem->block_start[b + 1] - from;
        size_t stride;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        gmc_mat *A = &of->factors[b];
        *A = (gmc_mat){x, width, width, gmc_mat_stride(width)};
        for (int i = 0; i < width; i++) {
            memcpy(x + i * A->stride, M + (size_t)i * stride, (size_t)width * sizeof *x);
            of->block_of[from + i] = b;
        }
        if (!gmc_mat_ldlt_factor(*A, of->last + from, of->inverse_d + from)) return false;
        x += width * A->stride;
    }
    return true;
}

static void solve_block(const gmc_facets *of, int b, double *x)
{
    int from = of->problem->block_start[b];
    gmc_mat_ldlt_solve(of->factors[b], of->last + from, of->inverse_d + from, x + from);
}

/// J M⁻¹ Jᵀ + R of one row. @param x  (dof_count) zeros, in and out
static double row_weight(const gmc_facets *of, const gmc_ncp_row *row, double *x)
{
    double sum = row->compliance;
    int done = -1;
    for (int k = 0; k < row->column_count; k++)
        x[row->columns[k]] = row->J[k];
    for (int k = 0; k < row->column_count; k++) {
        int b = of->block_of[row->columns[k]];
        if (b != done) solve_block(of, b, x); // columns of a block follow each other
        done = b;
        sum += row->J[k] * x[row->columns[k]];
    }
    for (int k = 0; k < row->column_count; k++) {
        int b = of->block_of[row->columns[k]];
        for (int i = of->problem->block_start[b]; i < of->problem->block_start[b + 1]; i++)
            x[i] = 0;
    }
    return sum;
}

static double positive_or_one(double x) { return x > 0 && x < HUGE_VAL ? x : 1; }

static void weigh(gmc_facets *of, double *x)
{
    const gmc_ncp_row *rows = of->problem->rows;
    for (int c = 0; c < of->unit_count; c++) {
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += row_weight(of, &rows[3 * c + i], x);
        for (int i = 0; i < 3; i++)
            of->weight[3 * c + i] = positive_or_one(sum * (1.0 / 3));
    }
    for (int i = first_box(of); i < row_count(of); i++)
        of->weight[i] = positive_or_one(row_weight(of, &rows[i], x));
}

/// Share of the free motion's energy that belongs to the size: where impulses have nothing to do,
/// as of a jaw that runs at its speed, all that is left of w is rounding of that motion.
static const double MOTION_SHARE = 1e-6;

/// @param v, w  (dof_count), (row_count) without impulses
static void size_up(gmc_facets *of, const double *v, const double *w)
{
    const gmc_ncp_row *rows = of->problem->rows;
    double sum = 0;
    for (int i = 0; i < of->problem->dof_count; i++)
        sum += MOTION_SHARE * fabs(v[i] * of->problem->momentum[i]);
    for (int i = 0; i < row_count(of); i++) {
        double wanted = -w[i] / of->weight[i];
        if (i >= first_box(of))
            wanted = gmc_ncp_clamp(wanted, rows[i].lower, rows[i].upper);
        else if (i % 3 == 0)
            wanted = fmax(wanted, 0);
        sum += wanted * wanted * of->weight[i];
    }
    of->size = fmax(sqrt(sum), GMC_NCP_SMALLEST);
}

/// Corners of the pyramids with more than two, which are alike.
static gmc_status cut_polygon(gmc_facets *of, gmc_arena *room)
{
    int m = 0;
    for (int c = 0; c < of->unit_count; c++)
        if (of->units[c].facet_count > 2) m = of->units[c].facet_count;
    of->corners = GMC_ROOM(room, 2 * (m + 1), double);
    if (!of->corners) return GMC_E_ARENA_FULL;
    for (int k = 0; k <= m; k++)
        gmc_pyramid_corner(m > 0 ? k % m : 0, m > 0 ? m : 2, of->corners + 2 * k);
    if (m == 0) return GMC_OK;
    double x = of->corners[0] + of->corners[2], y = of->corners[1] + of->corners[3];
    of->apothem = sqrt(x * x + y * y) / 2;
    of->half = sqrt(fmax(1 - of->apothem * of->apothem, 0));
    return GMC_OK;
}

gmc_status gmc_facets_create(const gmc_ncp *problem, const gmc_dual_unit *units, int unit_count,
                             gmc_arena *room, gmc_facets *facets)
{
    size_t n = (size_t)problem->dof_count, entries = 0, rows = (size_t)problem->row_count;
    for (int b = 0; b < problem->block_count; b++) {
        int width = problem->block_start[b + 1] - problem->block_start[b];
        entries += (size_t)width * (size_t)gmc_mat_stride(width);
    }
    *facets = (gmc_facets){.problem = problem, .units = units, .unit_count = unit_count};
    facets->block_of = GMC_ROOM(room, 2 * n, int);
    facets->factors = GMC_ROOM(room, problem->block_count, gmc_mat);
    double *x = GMC_NEW(room, entries + 3 * n + 3 * rows, double);
    if (!facets->block_of || !facets->factors || !x) return GMC_E_ARENA_FULL;
    facets->last = facets->block_of + n;
    facets->inverse_d = x + entries;
    facets->weight = facets->inverse_d + n;
    double *v = facets->weight + rows, *none = v + 2 * n, *w = none + rows;
    GMC_TRY(cut_polygon(facets, room));
    if (!factor_blocks(facets, x)) return GMC_E_NO_SOLUTION;
    weigh(facets, v);
    gmc_facets_answer(facets, none, v, w);
    size_up(facets, v, w);
    return GMC_OK;
}

void gmc_facets_answer(const gmc_facets *of, const double *r, double *v, double *w)
{
    const gmc_ncp *problem = of->problem;
    memcpy(v, problem->momentum, (size_t)problem->dof_count * sizeof *v);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        for (int k = 0; k < row->column_count && r[i] != 0; k++)
            v[row->columns[k]] += row->J[k] * r[i];
    }
    for (int b = 0; b < problem->block_count; b++)
        solve_block(of, b, v);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        w[i] = gmc_ncp_row_velocity(row, v) + row->bias + row->compliance * r[i];
    }
}

// ---- where impulses lie ------------------------------------------------------------------------

static bool is_pyramid(const gmc_dual_unit *unit)
{
    return unit->facet_count > 2 && unit->friction > 0;
}

/// Of a polygon with more than two corners the middle of edge k, as a unit vector.
static void edge_middle(const gmc_facets *of, int k, double n[2])
{
    const double *a = of->corners + 2 * k;
    n[0] = (a[0] + a[2]) / (2 * of->apothem);
    n[1] = (a[1] + a[3]) / (2 * of->apothem);
}

static facet corner_at(const gmc_facets *of, const gmc_dual_unit *unit, int k)
{
    static const double ENDS[] = {1, 0, -1, 0};
    const double *d = (is_pyramid(unit) ? of->corners : ENDS) + 2 * k;
    return (facet){.kind = CORNER, .k = k, .slope = {unit->friction * d[0], unit->friction * d[1]}};
}

static facet edge_at(const gmc_facets *of, const gmc_dual_unit *unit, int k)
{
    double n[2], slope = unit->friction * of->apothem;
    edge_middle(of, k, n);
    return (facet){
        .kind = EDGE, .k = k, .slope = {slope * n[0], slope * n[1]}, .along = {-n[1], n[0]}};
}

/// With two facets, or without friction. @param p  out: the nearest point
static facet find_on_line(const gmc_facets *of, const gmc_dual_unit *unit, const double y[3],
                          double p[3])
{
    double radius = unit->friction * y[0];
    p[1] = gmc_ncp_clamp(y[1], -radius, radius);
    if (fabs(y[1]) < radius) return (facet){.kind = STICK};
    return corner_at(of, unit, y[1] > 0 ? 0 : 1);
}

/// The edge that t points at.
static int farthest_edge(const gmc_facets *of, int m, const double t[2])
{
    double most = -HUGE_VAL;
    int edge = 0;
    for (int k = 0; k < m; k++) {
        const double *a = of->corners + 2 * k;
        double distance = (a[0] + a[2]) * t[0] + (a[1] + a[3]) * t[1];
        if (!(distance > most)) continue;
        most = distance;
        edge = k;
    }
    return edge;
}

static facet find_on_polygon(const gmc_facets *of, const gmc_dual_unit *unit, const double y[3],
                             double p[3])
{
    int m = unit->facet_count, edge = farthest_edge(of, m, y + 1);
    double n[2], radius = unit->friction * y[0];
    edge_middle(of, edge, n);
    double apothem = radius * of->apothem, half = radius * of->half;
    double out = n[0] * y[1] + n[1] * y[2], along = n[0] * y[2] - n[1] * y[1];
    if (out < apothem) {
        p[1] = y[1];
        p[2] = y[2];
        return (facet){.kind = STICK};
    }
    double at = gmc_ncp_clamp(along, -half, half);
    p[1] = apothem * n[0] - at * n[1];
    p[2] = apothem * n[1] + at * n[0];
    if (fabs(along) < half) return edge_at(of, unit, edge);
    return corner_at(of, unit, along > 0 ? (edge + 1) % m : edge);
}

/// The facet on which the point lies that is nearest to y. @param p  out: the point, P(y)
static facet find_facet(const gmc_facets *of, const gmc_dual_unit *unit, const double y[3],
                        double p[3])
{
    p[0] = p[1] = p[2] = 0;
    if (!(y[0] > 0)) return (facet){.kind = OPEN};
    p[0] = y[0];
    return is_pyramid(unit) ? find_on_polygon(of, unit, y, p) : find_on_line(of, unit, y, p);
}

static facet find_in_box(const gmc_ncp_row *row, double y, double *p)
{
    *p = gmc_ncp_clamp(y, row->lower, row->upper);
    return (facet){.kind = y <= row->lower ? AT_LOWER : y >= row->upper ? AT_UPPER : FREE};
}

/// Where all impulses lie with these velocities, into `next`. @return gmc_dual_judge_scaled
static double look(search *s)
{
    const gmc_facets *of = s->of;
    double sum = 0;
    for (int c = 0; c < of->unit_count; c++) {
        const double *r = s->r + 3 * c, *w = s->w + 3 * c;
        double weight = of->weight[3 * c], y[3], p[3];
        for (int i = 0; i < 3; i++)
            y[i] = r[i] - w[i] / weight;
        s->next[c] = find_facet(of, &of->units[c], y, p);
        for (int i = 0; i < 3; i++)
            sum += (r[i] - p[i]) * (r[i] - p[i]) * weight + 0 * y[i]; // NaN shows
    }
    for (int i = first_box(of), k = of->unit_count; i < row_count(of); i++, k++) {
        double y = s->r[i] - s->w[i] / of->weight[i], p;
        s->next[k] = find_in_box(&of->problem->rows[i], y, &p);
        sum += (s->r[i] - p) * (s->r[i] - p) * of->weight[i] + 0 * y;
    }
    return sqrt(sum) / of->size;
}

/// Impulses onto their facets.
static void lay_down(search *s)
{
    const gmc_facets *of = s->of;
    for (int c = 0; c < of->unit_count; c++) {
        const facet *at = &s->facets[c];
        double *r = s->r + 3 * c;
        if (at->kind == OPEN) r[0] = r[1] = r[2] = 0;
        if (at->kind != CORNER && at->kind != EDGE) continue;
        double along = at->along[0] * r[1] + at->along[1] * r[2];
        for (int i = 0; i < 2; i++)
            r[1 + i] = at->slope[i] * r[0] + along * at->along[i];
    }
    for (int i = first_box(of), k = of->unit_count; i < row_count(of); i++, k++) {
        const gmc_ncp_row *row = &of->problem->rows[i];
        if (s->facets[k].kind == AT_LOWER) s->r[i] = row->lower;
        if (s->facets[k].kind == AT_UPPER) s->r[i] = row->upper;
    }
}

// ---- the system --------------------------------------------------------------------------------

/// Of one row alone.
static force *add_row_force(search *s, int place, int width, int i)
{
    place_forces *of_place = &s->forces[place];
    int row = row_of_place(s->of, place);
    const gmc_ncp_row *of = s->of->problem->rows + row + i;
    force *made = &of_place->first[of_place->count++];
    *made = (force){.row = row,
                    .width = width,
                    .column_count = of->column_count,
                    .columns = of->columns,
                    .push = of->J,
                    .see = of->J,
                    .compliance = of->compliance};
    made->S[i] = made->T[i] = 1;
    return made;
}

/// Sᵀ J of a contact. @param push  (column_count) out
static const double *push_of(const search *s, int c, const double S[3], double *push)
{
    const gmc_ncp_row *rows = s->of->problem->rows + 3 * c;
    for (int k = 0; k < rows->column_count; k++)
        push[k] = S[0] * rows[0].J[k] + S[1] * rows[1].J[k] + S[2] * rows[2].J[k];
    return push;
}

static bool is_blind(const force *a)
{
    for (int k = 0; k < a->column_count; k++)
        if (a->see[k] != 0) return false;
    return true;
}

/// Of a corner or edge: the normal takes its friction along, and what goes along the edge is free.
static void add_sliding_forces(search *s, int c)
{
    const facet *at = &s->facets[c];
    place_forces *of_place = &s->forces[c];
    force *normal = add_row_force(s, c, 3, 0);
    normal->S[1] = at->slope[0];
    normal->S[2] = at->slope[1];
    if (at->slope[0] != 0 || at->slope[1] != 0) {
        normal->push = push_of(s, c, normal->S, of_place->values);
        of_place->is_symmetric = is_blind(normal);
    }
    if (at->kind != EDGE) return;
    force *along = add_row_force(s, c, 3, 1);
    for (int i = 0; i < 2; i++)
        along->S[1 + i] = along->T[1 + i] = at->along[i];
    along->push = along->see = push_of(s, c, along->S, of_place->values + along->column_count);
}

/// The free impulses of a place, by its facet.
static void list_forces(search *s, int place)
{
    const gmc_facets *of = s->of;
    int kind = s->facets[place].kind;
    s->forces[place].count = 0;
    s->forces[place].is_symmetric = true;
    if (place >= of->unit_count) {
        if (kind == FREE) (void)add_row_force(s, place, 1, 0);
        return;
    }
    int tangents = of->units[place].facet_count > 2 ? 2 : 1;
    if (kind == CORNER || kind == EDGE) add_sliding_forces(s, place);
    for (int i = 0; kind == STICK && i <= tangents; i++)
        (void)add_row_force(s, place, 3, i);
}

/// The facets of the last answer become those of the system. @return was there another one?
static bool take_facets(search *s)
{
    bool is_new = false;
    for (int k = 0; k < place_count(s->of); k++) {
        if (s->facets[k].kind == s->next[k].kind && s->facets[k].k == s->next[k].k) continue;
        s->facets[k] = s->next[k];
        list_forces(s, k);
        is_new = true;
    }
    return is_new;
}

static void put_masses(search *s)
{
    const gmc_ncp *problem = s->of->problem;
    for (int b = 0; b < problem->block_count; b++) {
        int from = problem->block_start[b], width = problem->block_start[b + 1] - from;
        size_t across;
        const double *M = gmc_ncp_mass_block(problem, b, &across);
        for (int i = 0; i < width; i++) {
            memcpy(s->K.x + (from + i) * s->K.stride + from, M + (size_t)i * across,
                   (size_t)width * sizeof *M);
            s->row_weight[from + i] = 1 / M[(size_t)i * across + (size_t)i];
        }
    }
}

/// Columns of a place that follow each other, up to `end` from the start on.
static inline int end_of_run(const int *columns, int from, int end)
{
    int to = from + 1;
    while (to < end && columns[to] == columns[to - 1] + 1)
        to++;
    return to;
}

/// y += Σ push_f see_f, one after the other
static inline void add_three(double *restrict y, const double push[3], const double *const see[3],
                             int from, int to)
{
    const double *restrict a = see[0], *restrict b = see[1], *restrict c = see[2];
    double p = push[0], q = push[1], r = push[2];
    for (int j = from; j < to; j++)
        y[j - from] = y[j - from] + p * a[j] + q * b[j] + r * c[j];
}

/// Σ Sᵀ T/ρ of one place, added to K in one go.
static void put_place(search *s, const place_forces *of_place)
{
    const force *first = of_place->first;
    const int *columns = first->columns;
    int count = first->column_count, forces = of_place->count;
    const double *see[3] = {first->see, first->see, first->see};
    double stiffness[3];
    for (int f = 0; f < forces; f++) {
        see[f] = first[f].see;
        stiffness[f] = 1 / first[f].compliance;
    }
    for (int from = 0, to; from < count; from = to) {
        to = end_of_run(columns, from, count);
        for (int i = 0; i < count; i++) {
            double push[3] = {0}, *y = s->K.x + columns[i] * s->K.stride + columns[from];
            for (int f = 0; f < forces; f++)
                push[f] = first[f].push[i] * stiffness[f];
            add_three(y, push, see, from, to);
        }
    }
}

/// K = M + Σ Sᵀ T/ρ and its factors. @return false: it is singular
static bool factor_system(search *s)
{
    int n = s->of->problem->dof_count;
    s->result->systems++;
    s->K.rows = s->K.columns = n;
    s->K.stride = gmc_mat_stride(n);
    memset(s->K.x, 0, (size_t)n * (size_t)s->K.stride * sizeof *s->K.x);
    put_masses(s);
    s->is_symmetric = true;
    for (int k = 0; k < place_count(s->of); k++) {
        s->is_symmetric = s->is_symmetric && s->forces[k].is_symmetric;
        if (s->forces[k].count > 0) put_place(s, &s->forces[k]);
    }
    if (s->is_symmetric) return gmc_mat_ldlt_factor(s->K, s->last, s->inverse_d);
    return gmc_mat_lu_factor(s->K, s->row_weight, s->pivot, s->last, s->inverse_d);
}

static double seen_by(const force *a, const double *w)
{
    double sum = 0;
    for (int i = 0; i < a->width; i++)
        sum += a->T[i] * w[a->row + i];
    return sum;
}

/// What moves the mechanism of what a force sees of w.
static void push_back(search *s, const force *a, const double *w)
{
    double alone = -seen_by(a, w) / a->compliance;
    for (int k = 0; k < a->column_count; k++)
        s->rhs[a->columns[k]] += a->push[k] * alone;
}

/// What a force becomes by w and the motion of rhs, into r.
static void answer_force(const search *s, const force *a, const double *w, double *r)
{
    double u = seen_by(a, w);
    for (int k = 0; k < a->column_count; k++)
        u += a->see[k] * s->rhs[a->columns[k]];
    for (int i = 0; i < a->width; i++)
        r[a->row + i] -= u / a->compliance * a->S[i];
}

/// What takes `w` away from where forces are free, added to r; rhs becomes the motion of that.
static void respond(search *s, const double *w, double *r)
{
    int places = place_count(s->of);
    memset(s->rhs, 0, (size_t)s->of->problem->dof_count * sizeof *s->rhs);
    for (int k = 0; k < places; k++)
        for (int f = 0; f < s->forces[k].count; f++)
            push_back(s, &s->forces[k].first[f], w);
    if (s->is_symmetric)
        gmc_mat_ldlt_solve(s->K, s->last, s->inverse_d, s->rhs);
    else
        gmc_mat_lu_solve(s->K, s->pivot, s->last, s->inverse_d, s->rhs);
    for (int k = 0; k < places; k++)
        for (int f = 0; f < s->forces[k].count; f++)
            answer_force(s, &s->forces[k].first[f], w, r);
}

// ---- Newton's steps ----------------------------------------------------------------------------

/// From r on. @return the residual that it ends with
static double go_on(search *s, double aim, int most)
{
    gmc_facets_answer(s->of, s->r, s->v, s->w);
    double residual = look(s);
    for (int k = 0; k < place_count(s->of); k++)
        s->facets[k].kind = -1;
    for (int i = 0; residual > aim && i < most; i++) {
        double before = residual;
        bool is_new = take_facets(s);
        if (is_new) {
            if (!factor_system(s)) return HUGE_VAL;
            lay_down(s);
            gmc_facets_answer(s->of, s->r, s->v, s->w);
        }
        respond(s, s->w, s->r);
        gmc_facets_answer(s->of, s->r, s->v, s->w);
        residual = look(s);
        if (!is_new && !(residual < before / 2)) break;
    }
    return residual;
}

// ---- the way -----------------------------------------------------------------------------------

/// Where a cell ends: normal · y = level, of the place's three rows or its one. Inside it is less.
typedef struct wall {
    int place;
    int kind, k; ///< of the facet behind it
    double normal[3], level;
} wall;

typedef struct way {
    double t, sign; ///< +1: t grows
    double far;     ///< to the next wall, or to an end
    wall next;      ///< place -1: the end
} way;

static double along_normal(const search *s, const wall *a, const double *x)
{
    int i = row_of_place(s->of, a->place);
    double sum = a->normal[0] * x[i];
    if (a->place >= s->of->unit_count) return sum;
    return sum + a->normal[1] * x[i + 1] + a->normal[2] * x[i + 2];
}

/// Is the wall the next one?
static void try_wall(const search *s, const wall *a, way *on)
{
    double rate = on->sign * along_normal(s, a, s->dy);
    if (!(rate > 0)) return;
    double far = fmax(a->level - along_normal(s, a, s->y), 0) / rate;
    if (!(far < on->far)) return;
    on->far = far;
    on->next = *a;
}

static void try_walls_on_line(const search *s, int c, way *on)
{
    const gmc_dual_unit *unit = &s->of->units[c];
    const facet *at = &s->facets[c];
    for (int k = 0; k < 2 && unit->friction > 0; k++) {
        double d = k == 0 ? 1 : -1, mu = unit->friction;
        if (at->kind == STICK)
            try_wall(s, &(wall){c, CORNER, k, {-mu, d, 0}, 0}, on);
        else if (at->k == k)
            try_wall(s, &(wall){c, STICK, 0, {mu, -d, 0}, 0}, on);
    }
}

static void try_walls_of_edge(const search *s, int c, way *on)
{
    const gmc_facets *of = s->of;
    const gmc_dual_unit *unit = &of->units[c];
    int k = s->facets[c].k, next = (k + 1) % unit->facet_count;
    double n[2], apothem = unit->friction * of->apothem, half = unit->friction * of->half;
    edge_middle(of, k, n);
    try_wall(s, &(wall){c, STICK, 0, {apothem, -n[0], -n[1]}, 0}, on);
    try_wall(s, &(wall){c, CORNER, next, {-half, -n[1], n[0]}, 0}, on);
    try_wall(s, &(wall){c, CORNER, k, {-half, n[1], -n[0]}, 0}, on);
}

/// Towards the two edges of a corner.
static void try_walls_of_corner(const search *s, int c, way *on)
{
    const gmc_facets *of = s->of;
    const gmc_dual_unit *unit = &of->units[c];
    int k = s->facets[c].k, m = unit->facet_count;
    for (int side = 1; side >= -1; side -= 2) {
        int edge = side > 0 ? k : (k + m - 1) % m;
        double n[2];
        edge_middle(of, edge, n);
        wall a = {c, EDGE, edge, {0, -side * n[1], side * n[0]}, 0};
        a.normal[0] = unit->friction * of->half;
        try_wall(s, &a, on);
    }
}

static void try_walls_of_contact(const search *s, int c, way *on)
{
    const gmc_facets *of = s->of;
    const gmc_dual_unit *unit = &of->units[c];
    int kind = s->facets[c].kind;
    if (kind == OPEN) {
        try_wall(s, &(wall){c, CLOSING, 0, {1, 0, 0}, 0}, on);
        return;
    }
    try_wall(s, &(wall){c, OPEN, 0, {-1, 0, 0}, 0}, on);
    if (!is_pyramid(unit)) {
        try_walls_on_line(s, c, on);
        return;
    }
    if (kind == EDGE) try_walls_of_edge(s, c, on);
    if (kind == CORNER) try_walls_of_corner(s, c, on);
    for (int k = 0; kind == STICK && k < unit->facet_count; k++) {
        double n[2];
        edge_middle(of, k, n);
        wall a = {c, EDGE, k, {-unit->friction * of->apothem, n[0], n[1]}, 0};
        try_wall(s, &a, on);
    }
}

static void try_walls_of_box(const search *s, int place, way *on)
{
    const gmc_ncp_row *row = &s->of->problem->rows[row_of_place(s->of, place)];
    int kind = s->facets[place].kind;
    if (kind == AT_LOWER) try_wall(s, &(wall){place, FREE, 0, {1}, row->lower}, on);
    if (kind == AT_UPPER) try_wall(s, &(wall){place, FREE, 0, {-1}, -row->upper}, on);
    if (kind != FREE) return;
    try_wall(s, &(wall){place, AT_LOWER, 0, {-1}, -row->lower}, on);
    try_wall(s, &(wall){place, AT_UPPER, 0, {1}, row->upper}, on);
}

/// y, F(y) and the facets where the way begins, r = P(y).
static void begin_way(search *s)
{
    const gmc_facets *of = s->of;
    gmc_facets_answer(of, s->r, s->v, s->w);
    for (int i = 0; i < row_count(of); i++)
        s->y[i] = s->r[i] - s->w[i] / of->weight[i];
    for (int c = 0; c < of->unit_count; c++)
        s->facets[c] = find_facet(of, &of->units[c], s->y + 3 * c, s->r + 3 * c);
    for (int i = first_box(of), k = of->unit_count; i < row_count(of); i++, k++)
        s->facets[k] = find_in_box(&of->problem->rows[i], s->y[i], &s->r[i]);
    for (int k = 0; k < place_count(of); k++)
        list_forces(s, k);
    gmc_facets_answer(of, s->r, s->v, s->w);
    for (int i = 0; i < row_count(of); i++)
        s->off[i] = s->w[i] + of->weight[i] * (s->y[i] - s->r[i]);
}

/// d/dt of r and y on these facets. @return false: their system is singular
static bool find_direction(search *s)
{
    const gmc_facets *of = s->of;
    if (!factor_system(s)) return false;
    memset(s->dr, 0, (size_t)row_count(of) * sizeof *s->dr);
    respond(s, s->off, s->dr);
    for (int i = 0; i < row_count(of); i++) {
        const gmc_ncp_row *row = &of->problem->rows[i];
        double dw = gmc_ncp_row_velocity(row, s->rhs) + row->compliance * s->dr[i];
        s->dy[i] = s->dr[i] - (s->off[i] + dw) / of->weight[i];
    }
    return true;
}

/// The corner of what closes: that of its polygon, however small, which is nearest to y.
static facet closing(const search *s, int c)
{
    const gmc_facets *of = s->of;
    const gmc_dual_unit *unit = &of->units[c];
    const double *y = s->y + 3 * c;
    double n[2];
    if (!is_pyramid(unit)) return corner_at(of, unit, y[1] > 0 ? 0 : 1);
    int edge = farthest_edge(of, unit->facet_count, y + 1);
    edge_middle(of, edge, n);
    bool is_next = n[0] * y[2] - n[1] * y[1] > 0;
    return corner_at(of, unit, is_next ? (edge + 1) % unit->facet_count : edge);
}

/// The facet behind the wall.
static facet behind(const search *s, const wall *a)
{
    const gmc_facets *of = s->of;
    bool is_contact = a->place < of->unit_count;
    if (is_contact && a->kind == CLOSING) return closing(s, a->place);
    if (is_contact && a->kind == CORNER) return corner_at(of, &of->units[a->place], a->k);
    if (is_contact && a->kind == EDGE) return edge_at(of, &of->units[a->place], a->k);
    return (facet){.kind = a->kind};
}

static void go_to_wall(search *s, way *on)
{
    on->far = on->sign > 0 ? 1 - on->t : on->t;
    on->next.place = -1;
    for (int c = 0; c < s->of->unit_count; c++)
        try_walls_of_contact(s, c, on);
    for (int k = s->of->unit_count; k < place_count(s->of); k++)
        try_walls_of_box(s, k, on);
    double far = on->sign * on->far;
    for (int i = 0; i < row_count(s->of); i++) {
        s->y[i] += far * s->dy[i];
        s->r[i] += far * s->dr[i];
    }
    on->t += far;
}

/// From r to where t = 1. @return false: the way leads back, or is too long
static bool go_the_way(search *s)
{
    way on = {.sign = 1, .next = {.place = -1}};
    begin_way(s);
    for (int walls = 0; walls < WALLS * place_count(s->of); walls++) {
        if (!find_direction(s)) return false;
        if (walls > 0) { // on into the new cell, whether t grows that way or not
            double rate = along_normal(s, &on.next, s->dy);
            if (!(rate != 0)) return false;
            on.sign = rate > 0 ? 1 : -1;
        }
        go_to_wall(s, &on);
        if (on.next.place < 0) return on.sign > 0;
        s->facets[on.next.place] = behind(s, &on.next);
        list_forces(s, on.next.place);
    }
    return false;
}

// ---- all of it ---------------------------------------------------------------------------------

/// Which of the forces and values are a place's.
static void share_out(search *s, force *forces, double *values)
{
    for (int k = 0; k < place_count(s->of); k++) {
        int row = row_of_place(s->of, k);
        s->forces[k] = (place_forces){.first = forces + row, .values = values};
        if (k < s->of->unit_count) values += 2 * s->of->problem->rows[row].column_count;
    }
}

static gmc_status facets_make_room(search *s, gmc_arena *scratch)
{
    const gmc_ncp *problem = s->of->problem;
    size_t n = (size_t)problem->dof_count, rows = (size_t)problem->row_count, values = 0;
    size_t places = (size_t)place_count(s->of), stride = (size_t)gmc_mat_stride(problem->dof_count);
    for (int c = 0; c < s->of->unit_count; c++)
        values += 2 * (size_t)problem->rows[3 * c].column_count;
    double *x = GMC_ROOM(scratch, n * stride + 4 * n + 6 * rows + values, double);
    int *k = GMC_ROOM(scratch, 2 * n, int);
    force *forces = GMC_ROOM(scratch, rows, force);
    s->facets = GMC_ROOM(scratch, 2 * places, facet);
    s->forces = GMC_ROOM(scratch, places, place_forces);
    if (!x || !k || !forces || !s->facets || !s->forces) return GMC_E_ARENA_FULL;
    s->next = s->facets + places;
    s->last = k;
    s->pivot = k + n;
    s->K.x = x;
    x += n * stride;
    double **of_dofs[] = {&s->inverse_d, &s->row_weight, &s->rhs, &s->v};
    for (int i = 0; i < GMC_COUNT(of_dofs); i++, x += n)
        *of_dofs[i] = x;
    double **of_rows[] = {&s->r, &s->w, &s->y, &s->off, &s->dr, &s->dy};
    for (int i = 0; i < GMC_COUNT(of_rows); i++, x += rows)
        *of_rows[i] = x;
    share_out(s, forces, x);
    return GMC_OK;
}

/// From these impulses, from none (NULL).
static double search_from(search *s, double tolerance, const double *r)
{
    size_t size = (size_t)row_count(s->of) * sizeof *s->r;
    if (r) {
        memcpy(s->r, r, size);
        double residual = go_on(s, AIM * tolerance, STEPS_FIRST);
        if (residual <= AIM * tolerance) return residual;
        memcpy(s->r, r, size);
    } else
        memset(s->r, 0, size);
    return go_the_way(s) ? go_on(s, AIM * tolerance, STEPS_LAST) : HUGE_VAL;
}

gmc_status gmc_facets_solve(const gmc_facets *facets, double tolerance,
                            const gmc_facets_solution *solution, gmc_arena *scratch,
                            gmc_facets_result *result)
{
    size_t mark = gmc_arena_mark(scratch), n = (size_t)facets->problem->dof_count;
    size_t rows = (size_t)facets->problem->row_count;
    search s = {.of = facets, .result = result};
    *result = (gmc_facets_result){.residual = NAN};
    gmc_status status = facets_make_room(&s, scratch);
    if (status == GMC_OK) {
        result->residual = search_from(&s, tolerance, solution->r);
        if (!(result->residual <= tolerance)) result->residual = search_from(&s, tolerance, NULL);
        if (!(result->residual <= tolerance)) status = GMC_E_NO_SOLUTION;
    }
    if (status == GMC_OK) {
        memcpy(solution->r, s.r, rows * sizeof *s.r);
        memcpy(solution->v, s.v, n * sizeof *s.v);
        memcpy(solution->w, s.w, rows * sizeof *s.w);
    }
    gmc_arena_reset(scratch, mark);
    return status;
}
