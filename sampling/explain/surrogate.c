// Folds are of draws: what cases of one draw have in common is never seen by the function that is
// held against them. One function for all cases, five times over, costs little more than one for
// each would for a single case, and in a map of 247 cells with 40 draws each it has 7904 trials to
// learn from, not 32.
#include "sampling/explain/surrogate.h"

#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/math/dense.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/effective.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ==== a smooth function of the inputs ====

// A smooth function of a draw's inputs and of a case's decisions, fitted to the outcomes of
// trials: kernel ridge regression [rasmussen2006, §2.2, §8.3.4] on up to 200 of them, with a
// length for every input and decision, cut at 0 and 1:
//
//   m(x, a) = ȳ + Σ_l w_l exp(−Σ_j r_j (x_j − x_lj)² − Σ_k s_k (a_k − a_lk)²)
//
// Rates r, s (0: it does not matter) and the ridge are those with the least mean square of what
// trials are missed by that are left out of the fit, a fifth of the draws at a time, found
// coordinate by coordinate on some of the trials.
// What the search tries is one rate at a time, so squared distances are kept for each input and a
// trial costs one exponential and its share of the normal equations. These are kept by fifths of
// the draws: those of the others are the whole less a fifth. Fifths of draws, not single trials:
// cases that share a draw tell each other its outcome, and a fit that is judged by trials left out
// alone would learn draws by heart.
//
// Landmarks are the first trials of a walk that goes from draw to draw and jumps among the cases by
// the golden section, so that few of them are spread over both.
//
// In a map of 247 cells with 32 draws each (a synthetic one of pinch_map's shape) searches of 400,
// 1600 trials with 50, 100 landmarks leave 55, 46 % of the middle's variance; 3000 with 200, and
// four times the landmarks in the end, leave 39 % and cost ten times as much.
//
// Measured on 1000 draws of pinch_cube and pick_box: one length for all inputs explains enough for
// 5 to 6 times fewer trials, a length for each, 10 times. Regression on a measure (slip) in place
// of the verdict would explain more where all trials are whole; early verdicts cut most of them.

enum { LANDMARKS = 200, FIT_ROWS = 20000, PARTS = 5, SWEEPS = 4 };

/// What the search is held to.
typedef struct effort {
    int rows, landmarks;
} effort;

/// A trial of a case on common draws tells less than one of its own draw, and there are more
/// dimensions to tell apart: of many such trials more are looked at.
static effort effort_of(const gmc_smooth_rows *rows)
{
    enum { ROWS = 400, LEAST = 50, MOST = 100, EACH = 16 };
    int64_t all = rows->draws * rows->cases, landmarks = all / EACH;
    if (rows->cases == 1 || landmarks < LEAST) landmarks = LEAST;
    if (landmarks > MOST) landmarks = MOST;
    int64_t most = rows->cases == 1 ? ROWS : landmarks * EACH;
    return (effort){.rows = (int)(all < most ? all : most),
                    .landmarks = (int)(all < landmarks ? all : landmarks)};
}

/// Squared distances, features and sums of the search's trials.
typedef struct hunt {
    int rows, landmarks;
    double *square;   ///< (inputs + decisions, rows, landmarks) of each trial from each landmark
    double *sum;      ///< (rows, landmarks) Σ_j r_j square_j
    double *features; ///< (rows, landmarks)
    double *y;        ///< (rows) less the mean
    int *part;        ///< (rows) of the draws
    double *normal;   ///< (PARTS, landmarks, landmarks) upper triangles
    double *moment;   ///< (PARTS, landmarks)
    double missed;    ///< mean square, of the best so far
} hunt;

struct gmc_smooth {
    gmc_smooth_rows shape;
    int dimensions; ///< inputs + decisions
    int landmarks;  ///< 0: the mean
    double mean, ridge;
    double *rate;  ///< (dimensions)
    double *place; ///< (LANDMARKS, inputs)
    int *at;       ///< (LANDMARKS) case
    double *w;     ///< (LANDMARKS)
    double *alike; ///< (cases, LANDMARKS) the decisions' factor of the features
    double *near;  ///< (LANDMARKS) the inputs' factor of one draw's
    double *row;   ///< (LANDMARKS)
    gmc_mat A;     ///< (LANDMARKS, LANDMARKS)
    int *last;     ///< (LANDMARKS)
    double *inverse_d;
    hunt hunt;
};

static const double TRACE = 1e-8; // keeps equal landmarks apart

// ---- one trial after the other ------------------------------------------------------------------

static int64_t draw_of(const gmc_smooth_rows *rows, int64_t step) { return step % rows->draws; }

static int case_of(const gmc_smooth_rows *rows, int64_t step)
{
    static const double GOLDEN = 0.6180339887498949;
    double turn = (double)step * GOLDEN;
    return (int)((turn - floor(turn)) * rows->cases);
}

static int64_t steps_of(const gmc_smooth_rows *rows, int64_t most)
{
    int64_t all = rows->draws * rows->cases;
    return all < most ? all : most;
}

static const double *inputs_of(const gmc_smooth_rows *rows, int64_t draw)
{
    return rows->x + draw * rows->inputs;
}

static const double *decisions_of(const gmc_smooth_rows *rows, int64_t index)
{
    return rows->a + index * rows->decisions;
}

// ---- search -------------------------------------------------------------------------------------

static void square_distances(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    hunt *h = &s->hunt;
    double *to = h->square;
    for (int j = 0; j < s->dimensions; j++) {
        bool is_input = j < rows->inputs;
        for (int i = 0; i < h->rows; i++) {
            for (int l = 0; l < h->landmarks; l++) {
                double d = is_input ? inputs_of(rows, draw_of(rows, i))[j] -
                                          inputs_of(rows, draw_of(rows, l))[j]
                                    : decisions_of(rows, case_of(rows, i))[j - rows->inputs] -
                                          decisions_of(rows, case_of(rows, l))[j - rows->inputs];
                *to++ = d * d;
            }
        }
    }
}

static void start_hunt(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    hunt *h = &s->hunt;
    effort own = effort_of(rows);
    h->rows = own.rows;
    h->landmarks = own.landmarks;
    for (int i = 0; i < h->rows; i++) {
        int64_t draw = draw_of(rows, i);
        h->y[i] = rows->y[draw * rows->cases + case_of(rows, i)] - s->mean;
        h->part[i] = (int)(draw % PARTS);
    }
    square_distances(s, rows);
    int all = h->rows * h->landmarks;
    for (int k = 0; k < all; k++)
        h->sum[k] = 0;
    for (int j = 0; j < s->dimensions; j++)
        for (int k = 0; k < all; k++)
            h->sum[k] += s->rate[j] * h->square[(size_t)j * (size_t)all + (size_t)k];
}

/// Features with the rate of dimension j changed by so much, and sums of their products.
static void add_up(hunt *h, int j, double change)
{
    int n = h->landmarks, all = h->rows * n;
    const double *square = h->square + (size_t)j * (size_t)all;
    for (int k = 0; k < all; k++)
        h->features[k] = gmc_exp(-(h->sum[k] + change * square[k]));
    memset(h->normal, 0, (size_t)(PARTS * n * n) * sizeof *h->normal);
    memset(h->moment, 0, (size_t)(PARTS * n) * sizeof *h->moment);
    for (int i = 0; i < h->rows; i++) {
        const double *f = h->features + (size_t)i * (size_t)n;
        double *A = h->normal + (size_t)h->part[i] * (size_t)n * (size_t)n;
        double *b = h->moment + (size_t)h->part[i] * (size_t)n;
        for (int l = 0; l < n; l++) {
            for (int k = l; k < n; k++)
                A[l * n + k] += f[l] * f[k];
            b[l] += f[l] * h->y[i];
        }
    }
}

/// w of all parts but one.
static bool solve_without(gmc_smooth *s, int part, double ridge)
{
    hunt *h = &s->hunt;
    int n = h->landmarks;
    gmc_mat A = s->A;
    A.rows = A.columns = n;
    for (int l = 0; l < n; l++) {
        double *row = A.x + (size_t)l * (size_t)A.stride;
        // the first trials are the landmarks
        for (int k = l; k < n; k++)
            row[k] = ridge * h->features[l * n + k];
        row[l] += TRACE;
        s->w[l] = 0;
        for (int p = 0; p < PARTS; p++) {
            if (p == part) continue;
            const double *from = h->normal + (size_t)(p * n + l) * (size_t)n;
            for (int k = l; k < n; k++)
                row[k] += from[k];
            s->w[l] += h->moment[p * n + l];
        }
    }
    if (!gmc_mat_ldlt_factor(A, s->last, s->inverse_d)) return false;
    gmc_mat_ldlt_solve(A, s->last, s->inverse_d, s->w);
    return true;
}

/// Mean square of what trials of parts that are left out are missed by; infinite where nothing can
/// be solved.
static double missed_by(gmc_smooth *s, double ridge)
{
    hunt *h = &s->hunt;
    int n = h->landmarks;
    double sum = 0;
    for (int part = 0; part < PARTS; part++) {
        if (!solve_without(s, part, ridge)) return HUGE_VAL;
        for (int i = 0; i < h->rows; i++) {
            if (h->part[i] != part) continue;
            const double *f = h->features + (size_t)i * (size_t)n;
            double fitted = s->mean;
            for (int l = 0; l < n; l++)
                fitted += s->w[l] * f[l];
            double miss = h->y[i] + s->mean - fmin(fmax(fitted, 0), 1);
            sum += miss * miss;
        }
    }
    return sum / h->rows;
}

/// Try another rate of dimension j and keep what is missed by less.
static void try_rate(gmc_smooth *s, int j, double other)
{
    hunt *h = &s->hunt;
    double change = other - s->rate[j];
    if (change == 0) return;
    add_up(h, j, change);
    double missed = missed_by(s, s->ridge);
    if (!(missed < h->missed)) return;
    h->missed = missed;
    s->rate[j] = other;
    int all = h->rows * h->landmarks;
    for (int k = 0; k < all; k++)
        h->sum[k] += change * h->square[(size_t)j * (size_t)all + (size_t)k];
}

static void try_ridge(gmc_smooth *s, double other)
{
    double missed = missed_by(s, other);
    if (!(missed < s->hunt.missed)) return;
    s->hunt.missed = missed;
    s->ridge = other;
}

/// Rates and ridge, from lengths of 1.5 standard deviations for three dimensions, longer for more.
/// @return mean square that trials left out are missed by
static double search(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    static const double ENOUGH = 0.99; // a sweep that mends less is the last
    hunt *h = &s->hunt;
    double start = 0.5 * 3 / (1.5 * 1.5 * s->dimensions);
    for (int j = 0; j < s->dimensions; j++)
        s->rate[j] = start;
    s->ridge = 0.1;
    start_hunt(s, rows);
    add_up(h, 0, 0);
    h->missed = missed_by(s, s->ridge);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double before = h->missed;
        for (int j = 0; j < s->dimensions; j++) {
            double now = s->rate[j];
            try_rate(s, j, 0);
            try_rate(s, j, now > 0 ? now / 4 : start);
            try_rate(s, j, now > 0 ? now * 4 : start * 4);
        }
        double now = s->ridge;
        add_up(h, 0, 0);
        try_ridge(s, now / 4);
        try_ridge(s, now * 4);
        if (h->missed > ENOUGH * before) break;
    }
    return h->missed;
}

// ---- the function -------------------------------------------------------------------------------

static void find_near(gmc_smooth *s, const double *x)
{
    int inputs = s->shape.inputs;
    for (int l = 0; l < s->landmarks; l++) {
        const double *at = s->place + (size_t)l * (size_t)inputs;
        double sum = 0;
        for (int j = 0; j < inputs; j++)
            sum += s->rate[j] * (x[j] - at[j]) * (x[j] - at[j]);
        s->near[l] = gmc_exp(-sum);
    }
}

static void find_alike(gmc_smooth *s)
{
    const double *rate = s->rate + s->shape.inputs;
    int decisions = s->shape.decisions;
    for (int c = 0; c < s->shape.cases; c++) {
        const double *a = decisions_of(&s->shape, c);
        for (int l = 0; l < s->landmarks; l++) {
            const double *at = decisions_of(&s->shape, s->at[l]);
            double sum = 0;
            for (int j = 0; j < decisions; j++)
                sum += rate[j] * (a[j] - at[j]) * (a[j] - at[j]);
            s->alike[(size_t)c * LANDMARKS + (size_t)l] = gmc_exp(-sum);
        }
    }
}

static void set_landmarks(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    size_t inputs = (size_t)rows->inputs;
    s->landmarks = (int)steps_of(rows, LANDMARKS);
    for (int l = 0; l < s->landmarks; l++) {
        memcpy(s->place + (size_t)l * inputs, inputs_of(rows, draw_of(rows, l)),
               inputs * sizeof *s->place);
        s->at[l] = case_of(rows, l);
    }
    find_alike(s);
}

/// A := ridge K, K the kernel between the landmarks.
static void start_normal(gmc_smooth *s)
{
    for (int l = 0; l < s->landmarks; l++) {
        double *row = s->A.x + (size_t)l * (size_t)s->A.stride;
        find_near(s, s->place + (size_t)l * (size_t)s->shape.inputs);
        const double *alike = s->alike + (size_t)s->at[l] * LANDMARKS;
        for (int k = l; k < s->landmarks; k++)
            row[k] = s->ridge * s->near[k] * alike[k];
        row[l] += TRACE;
        s->w[l] = 0;
    }
}

static void add_normal(gmc_smooth *s, int index, double y)
{
    const double *alike = s->alike + (size_t)index * LANDMARKS;
    for (int l = 0; l < s->landmarks; l++)
        s->row[l] = s->near[l] * alike[l];
    for (int l = 0; l < s->landmarks; l++) {
        double *row = s->A.x + (size_t)l * (size_t)s->A.stride, f = s->row[l];
        for (int k = l; k < s->landmarks; k++)
            row[k] += f * s->row[k];
        s->w[l] += f * y;
    }
}

/// To all trials, or to so many of them that are spread over draws and cases.
static void solve(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    int64_t each = (rows->draws * rows->cases - 1) / FIT_ROWS + 1;
    set_landmarks(s, rows);
    start_normal(s);
    for (int64_t d = 0; d < rows->draws; d++) {
        if (rows->cases == 1 && d % each != 0) continue;
        find_near(s, inputs_of(rows, d));
        for (int c = 0; c < rows->cases; c++)
            if ((c + d) % each == 0) add_normal(s, c, rows->y[d * rows->cases + c] - s->mean);
    }
    gmc_mat A = s->A;
    A.rows = A.columns = s->landmarks;
    if (gmc_mat_ldlt_factor(A, s->last, s->inverse_d))
        gmc_mat_ldlt_solve(A, s->last, s->inverse_d, s->w);
    else
        s->landmarks = 0;
}

void gmc_smooth_fit(gmc_smooth *s, const gmc_smooth_rows *rows)
{
    int64_t all = rows->draws * rows->cases;
    double n = (double)all, m = (double)rows->draws, sum = 0, square = 0;
    for (int64_t i = 0; i < all; i++)
        sum += rows->y[i];
    s->mean = sum / n;
    for (int64_t i = 0; i < all; i++)
        square += (rows->y[i] - s->mean) * (rows->y[i] - s->mean);
    // what the mean of the others misses a trial by
    double alone = square / n * (m / (m - 1)) * (m / (m - 1));
    s->landmarks = 0;
    if (square > 0 && search(s, rows) < alone) solve(s, rows);
}

void gmc_smooth_values(gmc_smooth *s, const double *x, double *values)
{
    find_near(s, x);
    for (int l = 0; l < s->landmarks; l++)
        s->near[l] *= s->w[l];
    for (int c = 0; c < s->shape.cases; c++) {
        const double *alike = s->alike + (size_t)c * LANDMARKS;
        double sum = s->mean;
        for (int l = 0; l < s->landmarks; l++)
            sum += s->near[l] * alike[l];
        values[c] = fmin(fmax(sum, 0), 1);
    }
}

// ---- begin and end ------------------------------------------------------------------------------

static gmc_status make_room(gmc_smooth *s)
{
    hunt *h = &s->hunt;
    size_t inputs = (size_t)s->shape.inputs, cases = (size_t)s->shape.cases;
    size_t stride = (size_t)gmc_mat_stride(LANDMARKS);
    effort most = effort_of(&s->shape);
    size_t n = (size_t)most.landmarks, all = (size_t)most.rows * n;
    s->rate = calloc((size_t)s->dimensions, sizeof *s->rate);
    s->place = calloc(LANDMARKS * inputs, sizeof *s->place);
    s->at = calloc(LANDMARKS, sizeof *s->at);
    s->w = calloc(LANDMARKS, sizeof *s->w);
    s->alike = calloc(cases * LANDMARKS, sizeof *s->alike);
    s->near = calloc(LANDMARKS, sizeof *s->near);
    s->row = calloc(LANDMARKS, sizeof *s->row);
    s->A = (gmc_mat){.x = calloc(LANDMARKS * stride, sizeof(double)),
                     .rows = LANDMARKS,
                     .columns = LANDMARKS,
                     .stride = (int)stride};
    s->last = calloc(LANDMARKS, sizeof *s->last);
    s->inverse_d = calloc(LANDMARKS, sizeof *s->inverse_d);
    h->square = calloc((size_t)s->dimensions * all, sizeof *h->square);
    h->sum = calloc(all, sizeof *h->sum);
    h->features = calloc(all, sizeof *h->features);
    h->y = calloc((size_t)most.rows, sizeof *h->y);
    h->part = calloc((size_t)most.rows, sizeof *h->part);
    h->normal = calloc(PARTS * n * n, sizeof *h->normal);
    h->moment = calloc(PARTS * n, sizeof *h->moment);
    bool is_there = s->rate && s->place && s->at && s->w && s->alike && s->near && s->row &&
                    s->A.x && s->last && s->inverse_d && h->square && h->sum && h->features &&
                    h->y && h->part && h->normal && h->moment;
    return is_there ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_smooth_create(const gmc_smooth_rows *shape, gmc_smooth **smooth)
{
    *smooth = NULL;
    gmc_smooth *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->shape = *shape;
    s->dimensions = shape->inputs + shape->decisions;
    gmc_status status = make_room(s);
    if (status == GMC_OK)
        *smooth = s;
    else
        gmc_smooth_free(s);
    return status;
}

void gmc_smooth_free(gmc_smooth *s)
{
    if (!s) return;
    void *const parts[] = {
        s->rate,          s->place,  s->at,        s->w,           s->alike,       s->near,
        s->row,           s->A.x,    s->last,      s->inverse_d,   s->hunt.square, s->hunt.sum,
        s->hunt.features, s->hunt.y, s->hunt.part, s->hunt.normal, s->hunt.moment};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(s);
}

// ==== the surrogate ====

enum { FOLDS = 5, SCALE_DRAWS = 1000 };

typedef struct bench {
    const gmc_surrogate_rows *rows;
    const gmc_surrogate_fresh *fresh;
    const gmc_surrogate_watch *watch; ///< NULL: none
    int answers;
    double *middle, *scale; ///< (inputs) x is (x − middle) scale
    double *x;              ///< (inputs) scaled
    double *seen;           ///< (inputs) of a fresh draw
    double *a;              ///< (cases, decisions) scaled
    double *set_x, *set_y;  ///< (count, inputs), (count, cases) scaled, of all folds but one
    gmc_smooth *smooth;
    double *values;         ///< (answers) m of a draw
    double *residual;       ///< (answers, count)
    double *mean, *square;  ///< (answers) of m over fresh draws
    double *known;          ///< (answers) Σ_k n_k/n mean of m_k over fresh draws
    double *known_variance; ///< (answers) of it
} bench;

// ---- scales -----------------------------------------------------------------------------------

static void scale_row(const bench *b, const double *from, double *to)
{
    for (int j = 0; j < b->rows->inputs; j++)
        to[j] = (from[j] - b->middle[j]) * b->scale[j];
}

/// Every input to mean 0 and standard deviation 1 over the first fresh draws.
static void scale_inputs(bench *b)
{
    int64_t n = b->fresh->count < SCALE_DRAWS ? b->fresh->count : SCALE_DRAWS;
    int inputs = b->rows->inputs;
    for (int64_t i = 0; i < n; i++) {
        b->fresh->draw(b->fresh->context, i, b->x);
        for (int j = 0; j < inputs; j++) {
            double off = b->x[j] - b->middle[j]; // Welford's sums
            b->middle[j] += off / (double)(i + 1);
            b->scale[j] += off * (b->x[j] - b->middle[j]);
        }
    }
    for (int j = 0; j < inputs; j++)
        b->scale[j] = b->scale[j] > 0 ? sqrt((double)n / b->scale[j]) : 0;
}

/// Every decision likewise over the cases.
static void scale_decisions(bench *b)
{
    int cases = b->rows->cases, decisions = b->rows->decisions;
    for (int j = 0; j < decisions; j++) {
        double mean = 0, square = 0;
        for (int c = 0; c < cases; c++)
            mean += b->rows->a[c * decisions + j] / cases;
        for (int c = 0; c < cases; c++) {
            double off = b->rows->a[c * decisions + j] - mean;
            square += off * off / cases;
        }
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int c = 0; c < cases; c++)
            b->a[c * decisions + j] = (b->rows->a[c * decisions + j] - mean) * scale;
    }
}

// ---- one fold after the other -----------------------------------------------------------------

static void fit_without(bench *b, int fold)
{
    const gmc_surrogate_rows *rows = b->rows;
    size_t inputs = (size_t)rows->inputs, cases = (size_t)rows->cases, n = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (i % FOLDS == fold) continue;
        scale_row(b, rows->x + (size_t)i * inputs, b->set_x + n * inputs);
        memcpy(b->set_y + n * cases, rows->y + (size_t)i * cases, cases * sizeof *b->set_y);
        n++;
    }
    gmc_smooth_rows set = {.draws = (int64_t)n,
                           .cases = rows->cases,
                           .inputs = rows->inputs,
                           .decisions = rows->decisions,
                           .x = b->set_x,
                           .a = b->a,
                           .y = b->set_y};
    gmc_smooth_fit(b->smooth, &set);
}

/// Values of b->x, and of several cases their mean.
static void find_values(bench *b)
{
    int cases = b->rows->cases;
    double sum = 0;
    gmc_smooth_values(b->smooth, b->x, b->values);
    for (int c = 0; c < cases; c++)
        sum += b->values[c];
    b->values[b->answers - 1] = sum / cases; // of one case, itself
}

static void take_residuals(bench *b, int64_t draw)
{
    const gmc_surrogate_rows *rows = b->rows;
    const double *y = rows->y + draw * rows->cases;
    double sum = 0;
    scale_row(b, rows->x + draw * rows->inputs, b->x);
    find_values(b);
    for (int c = 0; c < rows->cases; c++) {
        double residual = y[c] - b->values[c];
        b->residual[c * rows->count + draw] = residual;
        sum += residual;
    }
    b->residual[(b->answers - 1) * rows->count + draw] = sum / rows->cases;
}

static void look_at_fresh(bench *b, int fold, double share)
{
    double count = 0;
    for (int r = 0; r < b->answers; r++)
        b->mean[r] = b->square[r] = 0;
    for (int64_t i = fold; i < b->fresh->count; i += FOLDS) {
        b->fresh->draw(b->fresh->context, i, b->seen);
        scale_row(b, b->seen, b->x);
        find_values(b);
        if (b->watch) b->watch->take(b->watch->context, b->seen, b->values);
        count++;
        for (int r = 0; r < b->answers; r++) {
            double off = b->values[r] - b->mean[r];
            b->mean[r] += off / count;
            b->square[r] += off * (b->values[r] - b->mean[r]);
        }
    }
    for (int r = 0; r < b->answers; r++) {
        b->known[r] += share * b->mean[r];
        b->known_variance[r] += share * share * b->square[r] / (count - 1) / count;
    }
}

static void take_fold(bench *b, int fold)
{
    int64_t count = b->rows->count, own = 0;
    fit_without(b, fold);
    for (int64_t i = fold; i < count; i += FOLDS, own++)
        take_residuals(b, i);
    look_at_fresh(b, fold, (double)own / (double)count);
}

// ---- the estimate -----------------------------------------------------------------------------

static double mean_of(const double *y, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += y[i];
    return sum / (double)count;
}

static double variance_of(const double *y, int64_t count)
{
    double mean = mean_of(y, count), sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (y[i] - mean) * (y[i] - mean);
    return sum / (double)(count - 1);
}

/// Degrees of freedom of the residuals' variance: few of them that carry most of it have few.
static double freedom_of(const double *residual, int64_t count)
{
    double mean = mean_of(residual, count), square = 0, fourth = 0;
    for (int64_t i = 0; i < count; i++) {
        double r2 = (residual[i] - mean) * (residual[i] - mean);
        square += r2;
        fourth += r2 * r2;
    }
    return fourth > 0 ? fmax(square * square / fourth - 1, 1) : (double)count - 1;
}

/// Where residuals are all but 0 their variance knows nothing of those that no trial has shown. So
/// it has z²/n² more, as Wilson's of 0 of n: as many trials, each missed by as much as one can be,
/// may not have been met. Cases of one map have one function, and n is of all. The ends allow for
/// one trial more besides.
static void conclude(const bench *b, int answer, gmc_interval plain, double level,
                     gmc_surrogate_estimate *e)
{
    int64_t n = b->rows->count;
    const double *residual = b->residual + answer * n;
    double t = gmc_student_quantile(freedom_of(residual, n), (1 - level) / 2);
    double unseen = gmc_proportion_z(level) / (double)(n * b->rows->cases);
    e->p = fmin(fmax(b->known[answer] + mean_of(residual, n), 0), 1);
    gmc_effective share = {.yes = e->p,
                           .no = 1 - e->p,
                           .variance = variance_of(residual, n) / (double)n +
                                       b->known_variance[answer] + unseen * unseen,
                           .factor = t / gmc_proportion_z(level),
                           .weight = 1 / (double)n};
    e->is_there = true;
    e->interval = gmc_effective_interval(&share, level);
    double width = e->interval.upper - e->interval.lower, alone = plain.upper - plain.lower;
    e->is_useful = width < alone;
    if (e->is_useful) e->gain = alone / width * (alone / width);
}

static gmc_status open_bench(bench *b)
{
    const gmc_surrogate_rows *rows = b->rows;
    size_t n = (size_t)rows->count, inputs = (size_t)rows->inputs, cases = (size_t)rows->cases;
    size_t answers = (size_t)b->answers;
    b->middle = calloc(inputs, sizeof(double));
    b->scale = calloc(inputs, sizeof(double));
    b->x = calloc(inputs, sizeof(double));
    b->seen = calloc(inputs, sizeof(double));
    b->a = calloc(cases * (size_t)rows->decisions + 1, sizeof(double));
    b->set_x = calloc(n * inputs, sizeof(double));
    b->set_y = calloc(n * cases, sizeof(double));
    b->values = calloc(answers, sizeof(double));
    b->residual = calloc(answers * n, sizeof(double));
    b->mean = calloc(answers, sizeof(double));
    b->square = calloc(answers, sizeof(double));
    b->known = calloc(answers, sizeof(double));
    b->known_variance = calloc(answers, sizeof(double));
    bool is_there = b->middle && b->scale && b->x && b->seen && b->a && b->set_x && b->set_y &&
                    b->values && b->residual && b->mean && b->square && b->known &&
                    b->known_variance;
    if (!is_there) return GMC_E_MEMORY;
    gmc_smooth_rows shape = {.draws = rows->count,
                             .cases = rows->cases,
                             .inputs = rows->inputs,
                             .decisions = rows->decisions,
                             .a = b->a};
    return gmc_smooth_create(&shape, &b->smooth);
}

static void close_bench(bench *b)
{
    void *const parts[] = {b->middle,        b->scale,  b->x,        b->seen, b->a,      b->set_x,
                           b->set_y,         b->values, b->residual, b->mean, b->square, b->known,
                           b->known_variance};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    gmc_smooth_free(b->smooth);
}

/// Enough trials, and outcomes of both kinds.
static bool is_enough(const gmc_surrogate_rows *rows)
{
    int64_t all = rows->count * rows->cases;
    return rows->inputs >= 1 && rows->count >= GMC_SURROGATE_LEAST_DRAWS &&
           all >= GMC_SURROGATE_LEAST && variance_of(rows->y, all) > 0;
}

/// All folds.
static gmc_status work(bench *b)
{
    GMC_ASSERT(b->fresh->count >= 2 * FOLDS);
    GMC_TRY(open_bench(b));
    scale_inputs(b);
    scale_decisions(b);
    for (int fold = 0; fold < FOLDS; fold++)
        take_fold(b, fold);
    return GMC_OK;
}

gmc_status gmc_surrogate_of(const gmc_surrogate_rows *rows, const gmc_surrogate_fresh *fresh,
                            const gmc_interval *plain, double level,
                            gmc_surrogate_estimate *estimates)
{
    bench b = {.rows = rows, .fresh = fresh, .answers = gmc_surrogate_answers(rows->cases)};
    for (int r = 0; r < b.answers; r++)
        estimates[r] = (gmc_surrogate_estimate){.p = (double)NAN, .interval = {0, 1}, .gain = 1};
    if (!is_enough(rows)) return GMC_OK;
    gmc_status status = work(&b);
    for (int r = 0; r < b.answers && status == GMC_OK; r++)
        conclude(&b, r, plain[r], level, &estimates[r]);
    close_bench(&b);
    return status;
}

gmc_status gmc_surrogate_residuals(const gmc_surrogate_rows *rows, const gmc_surrogate_fresh *fresh,
                                   const gmc_surrogate_watch *watch, double *residuals,
                                   bool *is_there)
{
    bench b = {.rows = rows,
               .fresh = fresh,
               .watch = watch,
               .answers = gmc_surrogate_answers(rows->cases)};
    *is_there = is_enough(rows);
    if (!*is_there) return GMC_OK;
    gmc_status status = work(&b);
    if (status == GMC_OK)
        memcpy(residuals, b.residual,
               (size_t)rows->count * (size_t)rows->cases * sizeof *residuals);
    close_bench(&b);
    return status;
}
