// A fitted limit (a plane, or a surrogate's) would lie nearer to the truth where it fits; tried on
// paper and left: a row is a trial that can be replayed, and what it claims can be counted.
#include "sampling/explain/likeliest.h"

#include "engine/math/dense.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct ranked {
    double value;
    int64_t row;
} ranked;

static int compare(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/// Normal scores of an input's ranks; equal values share theirs.
static void rank(const gmc_likeliest_rows *rows, int input, ranked *sorted, double *y)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        double value = rows->x[i * rows->inputs + input];
        y[i * rows->inputs + input] = 0;
        if (!isnan(value)) sorted[count++] = (ranked){value, i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    for (int64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sorted[next].value == sorted[i].value;)
            next++;
        double score = gmc_normal_quantile(0.5 * (double)(i + next) / (double)count);
        for (int64_t k = i; k < next; k++)
            y[sorted[k].row * rows->inputs + input] = score;
    }
}

/// Correlations of scores beyond chance; ones on the diagonal.
static void correlate(const gmc_likeliest_rows *rows, const double *y, double *R)
{
    int n = rows->inputs;
    double least = 3 / sqrt((double)rows->count);
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            double both = 0, of_a = 0, of_b = 0;
            for (int64_t i = 0; i < rows->count; i++) {
                const double *row = y + i * n;
                both += row[a] * row[b];
                of_a += row[a] * row[a];
                of_b += row[b] * row[b];
            }
            double r = of_a > 0 && of_b > 0 ? both / sqrt(of_a * of_b) : 0;
            R[a * n + b] = a == b ? 1 : fabs(r) > least ? r : 0;
        }
}

/// R = L L' in place; an input that others decide has a row of zeros.
static void factor(int n, double *R)
{
    static const double DECIDED = 1e-3; // of its variance
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= a; b++) {
            double sum = R[a * n + b];
            for (int k = 0; k < b; k++)
                sum -= R[a * n + k] * R[b * n + k];
            if (b < a)
                R[a * n + b] = R[b * n + b] > 0 ? sum / R[b * n + b] : 0;
            else
                R[a * n + a] = sum > DECIDED ? sqrt(sum) : 0;
        }
    }
}

gmc_status gmc_likeliest_scores(const gmc_likeliest_rows *rows, double *y)
{
    int n = rows->inputs;
    ranked *sorted = malloc(((size_t)rows->count + 1) * sizeof *sorted);
    double *R = calloc((size_t)n * (size_t)n + 1, sizeof *R);
    gmc_status status = sorted && R ? GMC_OK : GMC_E_MEMORY;
    for (int j = 0; j < n && status == GMC_OK; j++)
        rank(rows, j, sorted, y);
    if (status == GMC_OK) {
        correlate(rows, y, R);
        factor(n, R);
    }
    for (int64_t i = 0; i < rows->count && status == GMC_OK; i++) {
        double *row = y + i * n;
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < a; b++)
                row[a] -= R[a * n + b] * row[b];
            row[a] = R[a * n + a] > 0 ? row[a] / R[a * n + a] : 0;
        }
    }
    free(sorted);
    free(R);
    return status;
}

/// Keep the rows nearest to the middle, in order.
static void keep(gmc_likeliest *found, double *squares, int64_t row, double square)
{
    int at = found->around_count;
    if (at == GMC_LIKELIEST_AROUND && square >= squares[at - 1]) return;
    if (at < GMC_LIKELIEST_AROUND) found->around_count++;
    for (at = found->around_count - 1; at > 0 && squares[at - 1] > square; at--) {
        squares[at] = squares[at - 1];
        found->around[at] = found->around[at - 1];
    }
    squares[at] = square;
    found->around[at] = row;
}

gmc_likeliest gmc_likeliest_of(const gmc_likeliest_rows *rows, const double *y,
                               const unsigned char *is_member)
{
    gmc_likeliest found = {.row = -1};
    double least = HUGE_VAL, squares[GMC_LIKELIEST_AROUND];
    int n = rows->inputs;
    for (int64_t i = 0; i < rows->count; i++) {
        double square = gmc_mat_dot(y + i * n, y + i * n, n);
        if (!is_member[i] || !(square < least)) continue;
        least = square;
        found.row = i;
    }
    if (found.row < 0) return found;
    found.distance = sqrt(least);
    const double *best = y + found.row * n;
    for (int64_t i = 0; i < rows->count; i++) {
        const double *row = y + i * n;
        double square = gmc_mat_dot(row, row, n), along = gmc_mat_dot(row, best, n);
        found.nearer += square < least;
        bool is_there = i == found.row || along > 0.5 * sqrt(square * least);
        if (is_member[i] && is_there) keep(&found, squares, i, square);
    }
    return found;
}
