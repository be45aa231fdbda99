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
#include "sampling/explain/smooth.h"

#include "engine/math/dense.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
