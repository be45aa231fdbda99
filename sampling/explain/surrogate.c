// Folds are of draws: what cases of one draw have in common is never seen by the function that is
// held against them. One function for all cases, five times over, costs little more than one for
// each would for a single case, and in a map of 247 cells with 40 draws each it has 7904 trials to
// learn from, not 32.
#include "sampling/explain/surrogate.h"

#include "engine/base/check.h"
#include "sampling/estimate/effective.h"
#include "sampling/explain/smooth.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
