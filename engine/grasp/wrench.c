// Closure is asked for at every step, so it is no hull but a linear program in the dimension of
// wrenches: a tableau of 6 rows, as many columns as wrenches, some ten pivots. The hull is made
// where its facets are what is asked for.
//
// The programs are all of one form: the least Σ x with W x = b, x >= 0, by the two phases of the
// simplex method [dantzig1963]. Its columns are wrenches of about the size of 1, so that tolerances
// are plain numbers.
#include "engine/grasp/wrench.h"

#include "engine/math/dense.h"
#include "engine/math/elementary.h"
#include "engine/model/hull_space.h"

#include <math.h>
#include <string.h>

/// The wrenches of unit normal forces: edges of all contacts, a contact without friction has one.
typedef struct wrench_set {
    int dimension; // 6, or 3 in the plane
    int count;     // of wrenches
    int contact_count;
    const int *start;       // (contact_count + 1) where those of each contact begin
    const double *wrenches; // (count x dimension)
} wrench_set;

// ---- wrenches ----------------------------------------------------------------------------------

static const double WRENCH_PI = 3.14159265358979323846;

// Of a force at a contact. @return where the next one stands
static double *wrench_put(const gmc_wrench_grasp *grasp, gmc_vec3 arm, gmc_vec3 f, double *to)
{
    gmc_vec3 moment = gmc_vec3_scale(1 / grasp->radius, gmc_vec3_cross(arm, f));
    const double space[GMC_WRENCH_DIMENSION] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
    const double plane[3] = {f.x, f.y, moment.z};
    if (grasp->is_planar) {
        memcpy(to, plane, sizeof plane);
        return to + 3;
    }
    memcpy(to, space, sizeof space);
    return to + GMC_WRENCH_DIMENSION;
}

static int wrench_edges_of(const gmc_wrench_grasp *grasp, const gmc_wrench_contact *contact)
{
    if (!(contact->friction > 0)) return 1;
    return grasp->is_planar ? 2 : grasp->edges;
}

static double *wrench_put_edges(const gmc_wrench_grasp *grasp, const gmc_wrench_contact *contact,
                                double *to)
{
    int count = wrench_edges_of(grasp, contact);
    gmc_vec3 across = gmc_vec3_cross(contact->normal, contact->along);
    for (int k = 0; k < count; k++) {
        double sine = 0, cosine = 1, mu = count > 1 ? contact->friction : 0;
        gmc_sin_cos(2 * WRENCH_PI * k / count, &sine, &cosine);
        if (grasp->is_planar) {
            cosine = k == 0 ? 1 : -1;
            sine = 0;
        }
        gmc_vec3 f = gmc_vec3_add(contact->normal, gmc_vec3_scale(mu * cosine, contact->along));
        f = gmc_vec3_add(f, gmc_vec3_scale(mu * sine, across));
        to = wrench_put(grasp, contact->arm, f, to);
    }
    return to;
}

static gmc_status wrench_write(const gmc_wrench_grasp *grasp, gmc_arena *arena, wrench_set *set)
{
    int dimension = grasp->is_planar ? 3 : GMC_WRENCH_DIMENSION;
    int *start = GMC_ROOM(arena, grasp->count + 1, int);
    if (!start) return GMC_E_ARENA_FULL;
    start[0] = 0;
    for (int i = 0; i < grasp->count; i++)
        start[i + 1] = start[i] + wrench_edges_of(grasp, &grasp->contacts[i]);
    int count = start[grasp->count];
    double *wrenches = GMC_ROOM(arena, count * dimension, double), *to = wrenches;
    if (!wrenches) return GMC_E_ARENA_FULL;
    for (int i = 0; i < grasp->count; i++)
        to = wrench_put_edges(grasp, &grasp->contacts[i], to);
    *set = (wrench_set){dimension, count, grasp->count, start, wrenches};
    return GMC_OK;
}

// ---- the linear program ------------------------------------------------------------------------
// A row for each dimension and one of reduced costs; a column for each wrench and the right-hand
// side. In the first phase every row has an artificial variable whose column is not kept: once it
// has left it does not come back.

typedef struct program {
    int rows, columns;
    double *tableau; // (rows + 1) x (columns + 1); costs in the last row, right-hand side last
    int basis[GMC_WRENCH_ROWS]; // column; -1: artificial
} program;

/// Smaller pivots are rounding, and so are smaller reduced costs and sums of artificial variables:
/// in the first phase a cost is the sum of at most nine entries, of which one is then a pivot.
static const double PROGRAM_TOLERANCE = 1e-9, PROGRAM_STEEP = 1e-8;

/// Pivots a row after which ties and cycles are broken by the smallest index [bland1977], and after
/// which the program is given up.
enum { PROGRAM_PATIENCE = 20, PROGRAM_PIVOTS = 200 };

static double *program_row(const program *p, int row)
{
    return p->tableau + (size_t)row * (size_t)(p->columns + 1);
}

static void program_pivot(program *p, int row, int column)
{
    double *leaving = program_row(p, row), inverse = 1 / leaving[column];
    for (int j = 0; j <= p->columns; j++)
        leaving[j] *= inverse;
    leaving[column] = 1;
    for (int i = 0; i <= p->rows; i++) {
        double *other = program_row(p, i), factor = other[column];
        if (i == row || factor == 0) continue;
        for (int j = 0; j <= p->columns; j++)
            other[j] -= factor * leaving[j];
        other[column] = 0;
    }
    p->basis[row] = column;
}

// Which column comes in: the steepest, or the first that descends; -1: none does.
static int program_enters(const program *p, bool is_first)
{
    const double *costs = program_row(p, p->rows);
    double least = -PROGRAM_STEEP;
    int enters = -1;
    for (int j = 0; j < p->columns; j++) {
        if (!(costs[j] < least)) continue;
        enters = j;
        least = costs[j];
        if (is_first) break;
    }
    return enters;
}

// Which row leaves: the smallest ratio, of ties the largest pivot or the smallest variable.
static int program_leaves(const program *p, int column, bool is_first)
{
    double best = HUGE_VAL;
    int leaves = -1;
    for (int i = 0; i < p->rows; i++) {
        const double *row = program_row(p, i);
        if (!(row[column] > PROGRAM_TOLERANCE)) continue;
        double ratio = row[p->columns] > 0 ? row[p->columns] / row[column] : 0;
        bool is_tied = ratio == best;
        if (is_tied && leaves >= 0)
            is_tied = is_first ? p->basis[i] < p->basis[leaves]
                               : row[column] > program_row(p, leaves)[column];
        if (ratio < best || is_tied) {
            best = ratio;
            leaves = i;
        }
    }
    return leaves;
}

static gmc_status program_descend(program *p)
{
    for (int pivot = 0; pivot < PROGRAM_PIVOTS * p->rows; pivot++) {
        bool is_first = pivot >= PROGRAM_PATIENCE * p->rows;
        int enters = program_enters(p, is_first);
        if (enters < 0) return GMC_OK;
        int leaves = program_leaves(p, enters, is_first);
        if (leaves < 0) return GMC_OK; // sums of what is >= 0 have a least: the cost is rounding
        program_pivot(p, leaves, enters);
    }
    return GMC_E_NO_SOLUTION;
}

// First phase: least sum of artificial variables. W x = b with b >= 0, by the sign of its rows.
// @param lengths  by which the wrenches are divided first; NULL: they stay as they are
static gmc_status program_open(const wrench_set *set, const double *lengths, const double *b,
                               gmc_arena *scratch, program *p)
{
    *p = (program){.rows = set->dimension, .columns = set->count};
    p->tableau = GMC_ROOM(scratch, (p->rows + 1) * (p->columns + 1), double);
    if (!p->tableau) return GMC_E_ARENA_FULL;
    double *costs = program_row(p, p->rows);
    memset(costs, 0, (size_t)(p->columns + 1) * sizeof *costs);
    for (int i = 0; i < p->rows; i++) {
        double *row = program_row(p, i), sign = b[i] < 0 ? -1 : 1;
        for (int j = 0; j < p->columns; j++)
            row[j] = sign * set->wrenches[j * set->dimension + i] / (lengths ? lengths[j] : 1);
        row[p->columns] = sign * b[i];
        for (int j = 0; j <= p->columns; j++)
            costs[j] -= row[j];
        p->basis[i] = -1;
    }
    return program_descend(p);
}

// Is W x = b to be had? The sum of the artificial variables stands, negated, in the corner.
static bool program_is_feasible(const program *p)
{
    return -program_row(p, p->rows)[p->columns] <= PROGRAM_STEEP;
}

// Artificial variables that are left stand at zero, or at what rounding left of it, which a small
// pivot would make a large weight of another column: any column takes their place at zero.
// @return do the wrenches span the space?
static bool program_drive_out(program *p)
{
    bool is_spanned = true;
    for (int i = 0; i < p->rows; i++) {
        if (p->basis[i] >= 0) continue;
        double *row = program_row(p, i);
        row[p->columns] = 0;
        int largest = 0;
        for (int j = 1; j < p->columns; j++)
            if (fabs(row[j]) > fabs(row[largest])) largest = j;
        if (fabs(row[largest]) > PROGRAM_TOLERANCE)
            program_pivot(p, i, largest);
        else
            is_spanned = false;
    }
    return is_spanned;
}

// Second phase: the least Σ x.
static gmc_status program_least(program *p, double *sum)
{
    double *costs = program_row(p, p->rows);
    for (int j = 0; j < p->columns; j++)
        costs[j] = 1;
    costs[p->columns] = 0;
    for (int i = 0; i < p->rows; i++) {
        const double *row = program_row(p, i);
        if (p->basis[i] < 0) continue;
        for (int j = 0; j <= p->columns; j++)
            costs[j] -= row[j];
    }
    GMC_TRY(program_descend(p));
    *sum = -costs[p->columns];
    return GMC_OK;
}

// ---- closure -----------------------------------------------------------------------------------
// 0 is strictly inside the hull if the wrenches span the space and some sum of them, every one with
// a positive weight, is 0. Take weights g > 0 at will: if - W g is a sum of wrenches, W x = -W g
// with x >= 0, then g + x are such weights; if it is none, a hyperplane is between. Even weights
// would make -W g zero of a symmetric grasp, and every ratio of the simplex method a tie: they are
// spread by the golden ratio. Lengths of wrenches play no part: they are made 1, which friction of
// 1000 needs.

static gmc_status wrench_closes(const wrench_set *set, gmc_arena *scratch, bool *closes)
{
    const double golden = 0.61803398874989485;
    double b[GMC_WRENCH_DIMENSION] = {0};
    double *lengths = GMC_ROOM(scratch, set->count, double);
    program p;
    if (!lengths) return GMC_E_ARENA_FULL;
    if (set->count <= set->dimension) { // a simplex about 0 has one more
        *closes = false;
        return GMC_OK;
    }
    for (int j = 0; j < set->count; j++) {
        const double *wrench = set->wrenches + j * set->dimension;
        double part = golden * j, weight = (0.5 + part - floor(part)) / set->count;
        lengths[j] = sqrt(gmc_dense_dot(wrench, wrench, set->dimension));
        for (int i = 0; i < set->dimension; i++)
            b[i] -= weight * wrench[i] / lengths[j];
    }
    GMC_TRY(program_open(set, lengths, b, scratch, &p));
    *closes = program_is_feasible(&p) && program_drive_out(&p);
    return GMC_OK;
}

gmc_status gmc_wrench_closes(const gmc_wrench_grasp *grasp, gmc_arena *scratch, bool *closes)
{
    size_t mark = gmc_arena_mark(scratch);
    wrench_set set;
    gmc_status status = wrench_write(grasp, scratch, &set);
    if (status == GMC_OK) status = wrench_closes(&set, scratch, closes);
    gmc_arena_reset(scratch, mark);
    return status;
}

// ---- what is held against a load ---------------------------------------------------------------
// Two points on opposite sides of a ball hold no moment about the line between them. Places of
// contacts are known to some nm, so its mass centre lies off that line by as much, a force there
// has a moment about it, and the program of exact places says that nothing holds. So moments are
// those of contacts that may lie WRENCH_PLACE off in each direction: a moment's row may miss by that
// much per newton of normal force,
//
//   F x = -f,   M_k x + δ (u_k - v_k) = -m_k,   u_k + v_k = Σ x,   x, u, v >= 0   for every moment k
//
// once more a least sum with W x = b: of x, u and v together (1 + moments) Σ x. What is held is then
// continuous in the places: of mu by two points whose line passes the mass centre at a distance d
// min(mu, δ ρ / d), where exact places hold mu at d = 0 and nothing beside.

/// What a contact's place may be off, over ρ [-]. Ten times what the two points of balls and
/// cylinders between jaws lie off a line through the mass centre (25 mm: 0.3 to 2 nm, 1e-7 of it),
/// a thousandth of the thickness in which surfaces of 1 um of roughness meet.
static const double WRENCH_PLACE = 1e-6;

static int moments_of(const wrench_set *set) { return set->dimension == 3 ? 1 : 3; }

// The wrenches with a one in the row of each moment's u + v = Σ x, and the columns of u and v.
static gmc_status wrench_relax(const wrench_set *set, gmc_arena *scratch, wrench_set *relaxed)
{
    int moments = moments_of(set), first = set->dimension - moments;
    *relaxed =
        (wrench_set){.dimension = set->dimension + moments, .count = set->count + 2 * moments};
    double *to = GMC_NEW(scratch, relaxed->count * relaxed->dimension, double);
    if (!to) return GMC_E_ARENA_FULL;
    relaxed->wrenches = to;
    for (int j = 0; j < set->count; j++, to += relaxed->dimension) {
        memcpy(to, set->wrenches + j * set->dimension, (size_t)set->dimension * sizeof *to);
        for (int k = 0; k < moments; k++)
            to[set->dimension + k] = 1;
    }
    for (int k = 0; k < moments; k++)
        for (int side = -1; side <= 1; side += 2, to += relaxed->dimension) {
            to[first + k] = side * WRENCH_PLACE;
            to[set->dimension + k] = -1;
        }
    return GMC_OK;
}

// No sum of weights 1 reaches further along a load than the wrench that reaches furthest does.
static double furthest_against(const wrench_set *set, const double *load)
{
    int moments = moments_of(set), d = set->dimension;
    double most = -HUGE_VAL, off = 0;
    for (int j = 0; j < set->count; j++)
        most = gmc_max(most, -gmc_dense_dot(set->wrenches + j * d, load, d));
    for (int k = d - moments; k < d; k++)
        off += WRENCH_PLACE * fabs(load[k]);
    return gmc_max(0, (most + off) / gmc_dense_dot(load, load, d));
}

static gmc_status wrench_holds(const wrench_set *set, const double *wrench, gmc_arena *scratch,
                               double *share)
{
    double b[GMC_WRENCH_ROWS] = {0}, load[GMC_WRENCH_DIMENSION], size = 0, sum = 0;
    wrench_set relaxed;
    program p;
    for (int i = 0; i < set->dimension; i++)
        size = gmc_max(size, fabs(wrench[i]));
    for (int i = 0; i < set->dimension; i++) {
        load[i] = wrench[i] / size;
        b[i] = -load[i];
    }
    GMC_TRY(wrench_relax(set, scratch, &relaxed));
    GMC_TRY(program_open(&relaxed, NULL, b, scratch, &p));
    if (set->count == 0 || !program_is_feasible(&p)) {
        *share = 0;
        return GMC_OK;
    }
    program_drive_out(&p);
    GMC_TRY(program_least(&p, &sum));
    double held = (1 + moments_of(set)) / sum; // of the load of size 1
    *share = gmc_min(held, furthest_against(set, load)) / size;
    return GMC_OK;
}

gmc_status gmc_wrench_holds(const gmc_wrench_grasp *grasp, const double *wrench, gmc_arena *scratch,
                            double *share)
{
    size_t mark = gmc_arena_mark(scratch);
    wrench_set set;
    gmc_status status = wrench_write(grasp, scratch, &set);
    if (status == GMC_OK) status = wrench_holds(&set, wrench, scratch, share);
    gmc_arena_reset(scratch, mark);
    return status;
}

// ---- the least friction ------------------------------------------------------------------------
// Pyramids of more friction contain those of less, so closure comes with one coefficient and stays.

/// Where a grasp closes with any friction, the program's tolerance decides below this [-].
static const double WRENCH_NEXT_TO_NONE = 1e-8;

static gmc_status wrench_closes_with(const gmc_wrench_grasp *grasp, double friction,
                                     gmc_arena *scratch, bool *closes)
{
    size_t mark = gmc_arena_mark(scratch);
    gmc_wrench_grasp other = *grasp;
    gmc_wrench_contact *contacts = GMC_ROOM(scratch, grasp->count, gmc_wrench_contact);
    if (!contacts) return GMC_E_ARENA_FULL;
    for (int i = 0; i < grasp->count; i++) {
        contacts[i] = grasp->contacts[i];
        contacts[i].friction = friction;
    }
    other.contacts = contacts;
    gmc_status status = gmc_wrench_closes(&other, scratch, closes);
    gmc_arena_reset(scratch, mark);
    return status;
}

gmc_status gmc_wrench_least_friction(const gmc_wrench_grasp *grasp, gmc_arena *scratch,
                                     double *friction)
{
    double low = 0, high = GMC_WRENCH_FRICTION_MAX;
    bool closes = false;
    GMC_TRY(wrench_closes_with(grasp, high, scratch, &closes));
    if (!closes) {
        *friction = HUGE_VAL;
        return GMC_OK;
    }
    GMC_TRY(wrench_closes_with(grasp, low, scratch, &closes));
    if (closes) {
        *friction = 0;
        return GMC_OK;
    }
    while (high - low > 1e-9 * high && high > WRENCH_NEXT_TO_NONE) {
        // halves of the exponent while they are far apart
        double middle = low > 0 && high > 2 * low ? sqrt(low * high) : (low + high) / 2;
        GMC_TRY(wrench_closes_with(grasp, middle, scratch, &closes));
        *(closes ? &high : &low) = middle;
    }
    *friction = high > WRENCH_NEXT_TO_NONE ? high : 0;
    return GMC_OK;
}

// ---- the hull ----------------------------------------------------------------------------------

typedef struct measuring {
    int dimension, facets;
    const double *task;
    double nearest; // smallest offset of a facet
    double task_share;
} measuring;

static void see_facet(void *context, const double *normal, double offset)
{
    measuring *m = context;
    double reach2 = 0;
    m->facets++;
    m->nearest = gmc_min(m->nearest, offset);
    if (!m->task) return;
    for (int i = 0; i < m->dimension; i++)
        reach2 += m->task[i] * m->task[i] * normal[i] * normal[i];
    m->task_share = gmc_min(m->task_share, offset / sqrt(reach2));
}

// Do the points span the space, their differences that is? By elimination with full pivoting.
static gmc_status spans(const double *points, int count, int dimension, gmc_arena *scratch,
                        bool *is_spanned)
{
    double *A = GMC_ROOM(scratch, count * dimension, double);
    if (!A) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < dimension; k++)
            A[i * dimension + k] = points[i * dimension + k] - points[k];
    *is_spanned = false;
    for (int rank = 0; rank < dimension; rank++) {
        int row = -1, column = 0;
        double largest = PROGRAM_TOLERANCE;
        for (int i = rank; i < count; i++)
            for (int k = 0; k < dimension; k++)
                if (fabs(A[i * dimension + k]) > largest) {
                    largest = fabs(A[i * dimension + k]);
                    row = i;
                    column = k;
                }
        if (row < 0) return GMC_OK;
        for (int k = 0; k < dimension; k++) {
            double swapped = A[row * dimension + k];
            A[row * dimension + k] = A[rank * dimension + k];
            A[rank * dimension + k] = swapped;
        }
        for (int i = rank + 1; i < count; i++) {
            double factor = A[i * dimension + column] / A[rank * dimension + column];
            for (int k = 0; k < dimension; k++)
                A[i * dimension + k] -= factor * A[rank * dimension + k];
            A[i * dimension + column] = 0;
        }
    }
    *is_spanned = true;
    return GMC_OK;
}

// How many sums of one wrench, or none, of each contact there are; no more than INT_MAX.
static int count_sums(const wrench_set *set)
{
    double count = 1;
    for (int i = 0; i < set->contact_count; i++)
        count *= set->start[i + 1] - set->start[i] + 1;
    return count < 2147483647.0 ? (int)count : 2147483647;
}

static void write_sums(const wrench_set *set, double *points)
{
    int d = set->dimension, made = 1;
    memset(points, 0, (size_t)d * sizeof *points);
    for (int c = 0; c < set->contact_count; c++) {
        int before = made;
        for (int j = set->start[c]; j < set->start[c + 1]; j++)
            for (int q = 0; q < before; q++, made++)
                for (int i = 0; i < d; i++)
                    points[made * d + i] = points[q * d + i] + set->wrenches[j * d + i];
    }
}

static gmc_status wrench_measure(const wrench_set *set, const double *points, gmc_arena *scratch,
                                 measuring *m, gmc_wrench_quality *quality)
{
    gmc_hull_space space = {.dimension = set->dimension,
                            .count = quality->points,
                            .points = points,
                            .context = m,
                            .facet = see_facet};
    bool closes = false, is_spanned = false;
    quality->epsilon = -1;
    if (space.count <= space.dimension) return GMC_OK;
    GMC_TRY(spans(points, space.count, space.dimension, scratch, &is_spanned));
    if (!is_spanned) return GMC_OK;
    GMC_TRY(wrench_closes(set, scratch, &closes));
    GMC_TRY(gmc_hull_space_make(&space, &quality->volume));
    quality->facets = m->facets;
    quality->nearest = m->nearest;
    if (!closes || !(m->nearest > 0)) return GMC_OK;
    quality->epsilon = m->nearest;
    quality->task = m->task ? m->task_share : 0;
    return GMC_OK;
}

// The sums of the L∞ set in place of the wrenches. @return also GMC_E_LIMIT
static gmc_status make_sums(const wrench_set *set, gmc_arena *scratch, const double **points,
                            int *count)
{
    *count = count_sums(set);
    if (*count > GMC_WRENCH_SUM_MAX) return GMC_E_LIMIT;
    double *sums = GMC_ROOM(scratch, *count * set->dimension, double);
    if (!sums) return GMC_E_ARENA_FULL;
    write_sums(set, sums);
    *points = sums;
    return GMC_OK;
}

gmc_status gmc_wrench_measure(const gmc_wrench_grasp *grasp, gmc_wrench_norm norm,
                              const double *task, gmc_arena *scratch, gmc_wrench_quality *quality)
{
    size_t mark = gmc_arena_mark(scratch);
    wrench_set set;
    *quality = (gmc_wrench_quality){0};
    gmc_status status = wrench_write(grasp, scratch, &set);
    if (status == GMC_OK) {
        measuring m = {set.dimension, 0, task, HUGE_VAL, HUGE_VAL};
        const double *points = set.wrenches;
        quality->points = set.count;
        if (norm == GMC_WRENCH_LINF) status = make_sums(&set, scratch, &points, &quality->points);
        if (status == GMC_OK) status = wrench_measure(&set, points, scratch, &m, quality);
    }
    gmc_arena_reset(scratch, mark);
    return status;
}
