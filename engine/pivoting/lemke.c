// The tableau keeps the nonbasic columns only (size + 1 of them: one of each pair w_i, z_i but for
// the pair that z_0 has split) and the right-hand side. Variables are numbered w: 0..n-1,
// z: n..2n-1, z_0: 2n.
//
// Lexicographic rule: of rows that tie in the ratio test the one whose row of [q, B⁻¹]/pivot is
// smallest leaves. B⁻¹ is at hand: its j-th column is that of w_j, a unit vector while w_j is
// basic. Ties are looked for with a small tolerance, since rounding hides exact ones.
#include "engine/pivoting/lemke.h"

#include "engine/base/check.h"
#include "engine/math/dense.h"

#include <math.h>
#include <string.h>

/// What counts as rounding: pivots smaller than this, relative to the largest of M, and differences
/// of ratios within this relative width. The first suits well-posed problems; singular ones (rigid,
/// over-constrained contact) lose digits in every pivot on noise, and are tried again with coarser
/// ones. Measured on 53 steps of a rigid pinch that the first fails on, the second solves 48, the
/// third 5 of the rest.
static const struct {
    double pivot, tie;
} ROUNDING[] = {{1e-11, 1e-12}, {1e-8, 1e-8}, {1e-8, 1e-10}};
/// Pivots per unknown after which another rounding is tried: one to two are usual.
enum { PATIENCE = 5 };
static const double SOFTEST = 1e-4, HARDEST = 1e-12; ///< ε of the retries
/// The first ε of the proximal steps, and how many there are of each. Measured on 368 problems of
/// light boxes in jaws and on tables that softening alone left at 1e-8 to 3e-7: from 1e-7 on all
/// are solved, from 1e-6 or 1e-8 on all but two.
static const double PROXIMAL_FIRST = 1e-7;
enum { PROXIMAL_STEPS = 20 };
static const double NOTHING = 1e-13; ///< share of its first value at which z_0 counts as zero

typedef struct tableau {
    const gmc_lcp *problem;
    int n, columns;   ///< size; size + 2: nonbasic columns, then the right-hand side
    double scale;     ///< largest |M_ij|
    double softness;  ///< added to the diagonal of M
    double *from;     ///< (n) where what it adds is zero
    double tolerance; ///< smallest pivot
    double tie;       ///< relative width within which ratios count as equal
    double *a;        ///< (n x columns)
    int *basic;       ///< (n) variable of each row
    int *nonbasic;    ///< (n + 1) variable of each column
    int *place;       ///< (2n + 1) row of a basic variable, ~column of a nonbasic one
} tableau;

// ---- the tableau -------------------------------------------------------------------------------

static double *row_of(const tableau *t, int row) { return t->a + (size_t)row * (size_t)t->columns; }

/// q with what the softness adds at zero.
static double soft_q(const tableau *t, int i)
{
    return t->problem->q[i] - t->softness * t->from[i];
}

/// w - (M + ε) z - z_0 = q - ε z' with all w basic.
static void fill(tableau *t)
{
    int n = t->n;
    for (int i = 0; i < n; i++) {
        double *row = row_of(t, i);
        for (int j = 0; j < n; j++)
            row[j] = -t->problem->M[(size_t)i * (size_t)n + (size_t)j];
        row[i] -= t->softness;
        row[n] = -1;
        row[n + 1] = soft_q(t, i);
        t->basic[i] = i;
        t->nonbasic[i] = n + i;
        t->place[i] = i;
        t->place[n + i] = ~i;
    }
    t->nonbasic[n] = 2 * n;
    t->place[2 * n] = ~n;
}

/// Exchange the basic variable of `row` with the nonbasic one of `column`.
static void pivot(tableau *t, int row, int column)
{
    double *p = row_of(t, row), inverse = 1 / p[column];
    for (int j = 0; j < t->columns; j++)
        p[j] *= inverse;
    p[column] = inverse; // the column of the variable that leaves
    for (int i = 0; i < t->n; i++) {
        double *a = row_of(t, i), factor = a[column];
        if (i == row || factor == 0) continue;
        a[column] = 0;
        for (int j = 0; j < t->columns; j++)
            a[j] -= factor * p[j];
    }
    int enters = t->nonbasic[column], leaves = t->basic[row];
    t->nonbasic[column] = leaves;
    t->basic[row] = enters;
    t->place[enters] = row;
    t->place[leaves] = ~column;
}

/// Entry of the row's [q, B⁻¹] at position k: 0 is q, k > 0 the column of w_{k-1}.
static double lexical_entry(const tableau *t, int row, int k)
{
    if (k == 0) return row_of(t, row)[t->n + 1];
    int place = t->place[k - 1];
    return place >= 0 ? (place == row ? 1 : 0) : row_of(t, row)[~place];
}

/// Is [q, B⁻¹]_i / a_i lexicographically before that of row k? `sign` -1 for the first pivot, whose
/// column is -1 everywhere.
static bool comes_before(const tableau *t, int i, int k, int column, double sign)
{
    double a_i = sign * row_of(t, i)[column], a_k = sign * row_of(t, k)[column];
    for (int entry = 0; entry <= t->n; entry++) {
        double left = sign * lexical_entry(t, i, entry) / a_i;
        double right = sign * lexical_entry(t, k, entry) / a_k;
        double a = fabs(left), b = fabs(right), width = t->tie * (a > b ? a : b);
        if (left < right - width) return true;
        if (left > right + width) return false;
    }
    return false;
}

/// Row that leaves when `column` grows; -1: none does (a ray). z_0 leaves whenever it may.
static int ratio_test(const tableau *t, int column)
{
    int best = -1, artificial = t->place[2 * t->n];
    for (int i = 0; i < t->n; i++) {
        if (!(row_of(t, i)[column] > t->tolerance)) continue;
        if (best < 0 || comes_before(t, i, best, column, 1)) best = i;
    }
    if (best >= 0 && artificial >= 0 && best != artificial) {
        double a = row_of(t, artificial)[column];
        if (a > t->tolerance) {
            double own = row_of(t, artificial)[t->n + 1] / a;
            double least = row_of(t, best)[t->n + 1] / row_of(t, best)[column];
            if (own <= least + t->tie * fabs(least)) return artificial;
        }
    }
    return best;
}

/// The row of the most negative q: makes all others positive with z_0 basic. -1: q >= 0.
static int first_row(const tableau *t)
{
    int best = -1;
    bool is_needed = false;
    for (int i = 0; i < t->n; i++) {
        if (soft_q(t, i) < 0) is_needed = true;
        if (best < 0 || comes_before(t, best, i, t->n, -1)) best = i;
    }
    return is_needed ? best : -1;
}

static int complement(const tableau *t, int variable)
{
    return variable < t->n ? variable + t->n : variable - t->n;
}

// ---- one attempt -------------------------------------------------------------------------------

static gmc_lemke_end follow(tableau *t, int pivot_max, int *pivots)
{
    fill(t);
    int row = first_row(t), column = t->n;
    double z_0_first = 0;
    if (row < 0) return GMC_LEMKE_SOLVED;
    for (int count = 1;; count++) {
        int leaves = t->basic[row];
        pivot(t, row, column);
        (*pivots)++;
        if (leaves == 2 * t->n) return GMC_LEMKE_SOLVED;
        // where many bases share the solution rounding may keep z_0 in at 1e-17 for ever, or until
        // what is left of its edge looks like a ray
        double z_0 = row_of(t, t->place[2 * t->n])[t->n + 1];
        if (count == 1) z_0_first = z_0;
        if (z_0 <= NOTHING * z_0_first) return GMC_LEMKE_SOLVED;
        if (count >= pivot_max) return GMC_LEMKE_PIVOTS;
        column = ~t->place[complement(t, leaves)];
        row = ratio_test(t, column);
        if (row < 0) return GMC_LEMKE_RAY;
    }
}

static void read_basis(const tableau *t, double *z)
{
    for (int j = 0; j < t->n; j++) {
        int place = t->place[t->n + j];
        z[j] = place >= 0 ? fmax(row_of(t, place)[t->n + 1], 0) : 0;
    }
}

typedef struct refining {
    double *A, *x, *inverse_d, *weight, *refined, *found;
    int *last, *pivot;
} refining;

/// Solve the final basis again from M and q; z keeps its value if that does not make it better.
static void lemke_refine(const tableau *t, const refining *room, double *z)
{
    int m = 0, n = t->n;
    for (int j = 0; j < n; j++)
        if (t->place[n + j] >= 0) m++;
    gmc_mat A = {room->A, m, m, gmc_mat_stride(m)};
    for (int i = 0, row = 0; i < n; i++) {
        if (t->place[n + i] < 0) continue;
        for (int j = 0, column = 0; j < n; j++)
            if (t->place[n + j] >= 0)
                A.x[row * A.stride + column++] =
                    t->problem->M[(size_t)i * (size_t)n + (size_t)j] + (i == j ? t->softness : 0);
        room->weight[row] = 1;
        room->x[row++] = -soft_q(t, i);
    }
    if (!gmc_mat_lu_factor(A, room->weight, room->pivot, room->last, room->inverse_d)) return;
    gmc_mat_lu_solve(A, room->pivot, room->last, room->inverse_d, room->x);
    for (int j = 0, row = 0; j < n; j++)
        room->refined[j] = t->place[n + j] >= 0 ? fmax(room->x[row++], 0) : 0;
    if (gmc_lcp_residual(t->problem, t->scale, room->refined) <
        gmc_lcp_residual(t->problem, t->scale, z))
        memcpy(z, room->refined, (size_t)n * sizeof(double));
}

static gmc_status lemke_make_room(tableau *t, refining *room, gmc_arena *scratch)
{
    size_t n = (size_t)t->n, stride = (size_t)gmc_mat_stride(t->n);
    t->a = GMC_NEW(scratch, n * (n + 2), double);
    t->basic = GMC_NEW(scratch, n, int);
    t->nonbasic = GMC_NEW(scratch, n + 1, int);
    t->place = GMC_NEW(scratch, 2 * n + 1, int);
    double *x = GMC_NEW(scratch, n * stride + 6 * n, double);
    room->last = GMC_NEW(scratch, 2 * n, int);
    if (!t->a || !t->basic || !t->nonbasic || !t->place || !x || !room->last)
        return GMC_E_ARENA_FULL;
    room->pivot = room->last + n;
    room->A = x;
    room->x = x + n * stride;
    room->inverse_d = room->x + n;
    room->weight = room->inverse_d + n;
    room->refined = room->weight + n;
    room->found = room->refined + n;
    t->from = room->found + n;
    return GMC_OK;
}

/// z becomes what the attempt found if nothing before it was better.
static void attempt(tableau *t, const refining *room, double residual_max, int pivot_max, double *z,
                    gmc_lemke_result *result)
{
    result->end = follow(t, pivot_max, &result->pivots);
    read_basis(t, room->found);
    lemke_refine(t, room, room->found);
    double residual = gmc_lcp_residual(t->problem, t->scale, room->found);
    // with z_0 at rounding an edge may look like a ray: believe the residual, both ways
    if (residual <= residual_max)
        result->end = GMC_LEMKE_SOLVED;
    else if (result->end == GMC_LEMKE_SOLVED)
        result->end = GMC_LEMKE_RESIDUAL;
    if (!isnan(result->residual) && !(residual < result->residual)) return;
    result->residual = residual;
    memcpy(z, room->found, (size_t)t->n * sizeof(double));
}

/// The problem as it stands, or softened, with one rounding after the other.
static void attempt_all(tableau *t, const refining *room, const gmc_lemke_options *options,
                        double *z, gmc_lemke_result *result)
{
    double scale = fmax(t->scale, 1);
    int left = options->pivot_max, last = GMC_COUNT(ROUNDING) - 1;
    for (int i = 0; i <= last && left > 0; i++) {
        int before = result->pivots, patience = PATIENCE * (t->n + 1);
        t->tolerance = ROUNDING[i].pivot * scale;
        t->tie = ROUNDING[i].tie;
        attempt(t, room, options->residual_max, i < last && patience < left ? patience : left, z,
                result);
        if (result->end == GMC_LEMKE_SOLVED) return;
        left -= result->pivots - before;
    }
}

/// The softened problem again, softened about the best solution so far: proximal steps, which take
/// the softness out of the result. Where M is singular its own bases end in rounding.
static void soften_again(tableau *t, const refining *room, const gmc_lemke_options *options,
                         double *z, gmc_lemke_result *result)
{
    for (int i = 0; i < PROXIMAL_STEPS && result->end != GMC_LEMKE_SOLVED; i++) {
        double before = result->residual;
        memcpy(t->from, z, (size_t)t->n * sizeof(double));
        attempt_all(t, room, options, z, result);
        if (!(result->residual < 0.9 * before)) break;
    }
}

gmc_status gmc_lemke_solve(const gmc_lcp *problem, const gmc_lemke_options *options, double *z,
                           gmc_arena *scratch, gmc_lemke_result *result)
{
    GMC_ASSERT(options->pivot_max > 0 && problem->size >= 0);
    size_t mark = gmc_arena_mark(scratch);
    tableau t = {.problem = problem, .n = problem->size, .columns = problem->size + 2};
    refining room;
    *result = (gmc_lemke_result){.residual = NAN};
    if (lemke_make_room(&t, &room, scratch) != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    t.scale = gmc_lcp_scale(problem);
    attempt_all(&t, &room, options, z, result);
    for (double softness = HARDEST;
         options->regularise && result->end != GMC_LEMKE_SOLVED && softness < 2 * SOFTEST;
         softness *= 10) {
        t.softness = softness * t.scale;
        attempt_all(&t, &room, options, z, result);
        if (result->end == GMC_LEMKE_SOLVED) result->regularisation = softness;
    }
    for (double softness = PROXIMAL_FIRST;
         options->regularise && result->end != GMC_LEMKE_SOLVED && softness < 2 * SOFTEST;
         softness *= 10) {
        t.softness = softness * t.scale;
        soften_again(&t, &room, options, z, result);
        if (result->end == GMC_LEMKE_SOLVED) result->regularisation = softness;
    }
    gmc_arena_reset(scratch, mark);
    switch (result->end) {
    case GMC_LEMKE_SOLVED:
        return GMC_OK;
    case GMC_LEMKE_RESIDUAL:
        return GMC_E_RESIDUAL;
    case GMC_LEMKE_RAY:
    case GMC_LEMKE_PIVOTS:
        break;
    }
    return GMC_E_NO_SOLUTION;
}
