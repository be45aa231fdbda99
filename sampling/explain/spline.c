// The bordered system [K + r I, P; Pᵀ, 0] is indefinite: LU with exchanges, as large as the places
// are many. Some 300 places take 20 ms, and a value of the function two microseconds.
#include "sampling/explain/spline.h"

#include "engine/math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int gmc_spline_least(int inputs) { return 2 * (inputs + 1); }

static double cube(const double *a, const double *b, int inputs)
{
    double sum = 0;
    for (int j = 0; j < inputs; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum * sqrt(sum);
}

/// The matrix of the top, and y followed by zeros.
static void fill(const gmc_spline_rows *rows, double ridge, gmc_mat A, double *rhs)
{
    int n = rows->count, d = rows->inputs;
    memset(A.x, 0, (size_t)A.rows * (size_t)A.stride * sizeof *A.x);
    for (int i = 0; i < n; i++) {
        const double *at = rows->x + (size_t)i * (size_t)d;
        double *row = A.x + (size_t)i * (size_t)A.stride;
        for (int l = 0; l < n; l++)
            row[l] = cube(at, rows->x + (size_t)l * (size_t)d, d);
        row[i] += ridge;
        for (int j = 0; j <= d; j++) {
            double p = j == 0 ? 1 : at[j - 1];
            row[n + j] = p;
            A.x[(size_t)(n + j) * (size_t)A.stride + (size_t)i] = p;
        }
        rhs[i] = rows->y[i];
    }
    for (int j = n; j < A.rows; j++)
        rhs[j] = 0;
}

static bool solve(const gmc_spline_rows *rows, double ridge, gmc_mat A, double *room, int *places,
                  double *solution)
{
    fill(rows, ridge, A, solution);
    for (int i = 0; i < A.rows; i++) { // rows of a size
        double most = 0;
        for (int j = 0; j < A.columns; j++)
            most = fmax(most, fabs(A.x[(size_t)i * (size_t)A.stride + (size_t)j]));
        room[i] = most > 0 ? 1 / most : 1;
    }
    if (!gmc_mat_lu_factor(A, room, places, places + A.rows, room + A.rows)) return false;
    gmc_mat_lu_solve(A, places, places + A.rows, room + A.rows, solution);
    for (int i = 0; i < A.rows; i++)
        if (!isfinite(solution[i])) return false;
    return true;
}

gmc_status gmc_spline_fit(const gmc_spline_rows *rows, double ridge, gmc_spline *spline)
{
    *spline = (gmc_spline){0};
    if (rows->count < gmc_spline_least(rows->inputs)) return GMC_E_NO_SOLUTION;
    int size = rows->count + rows->inputs + 1;
    size_t places = (size_t)rows->count * (size_t)rows->inputs;
    gmc_mat A = {.rows = size, .columns = size, .stride = gmc_mat_stride(size)};
    A.x = malloc((size_t)size * (size_t)A.stride * sizeof *A.x);
    double *room = malloc(2 * (size_t)size * sizeof *room);
    int *order = malloc(2 * (size_t)size * sizeof *order);
    double *numbers = malloc((places + (size_t)size) * sizeof *numbers);
    gmc_status status = A.x && room && order && numbers ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK && !solve(rows, ridge, A, room, order, numbers + places))
        status = GMC_E_NO_SOLUTION;
    if (status == GMC_OK) {
        memcpy(numbers, rows->x, places * sizeof *numbers);
        *spline = (gmc_spline){.count = rows->count, .inputs = rows->inputs, .numbers = numbers};
    } else {
        free(numbers);
    }
    free(A.x);
    free(room);
    free(order);
    return status;
}

double gmc_spline_at(const gmc_spline *s, const double *x)
{
    int n = s->count, d = s->inputs;
    const double *w = s->numbers + (size_t)n * (size_t)d, *plane = w + n;
    double sum = plane[0];
    for (int j = 0; j < d; j++)
        sum += plane[1 + j] * x[j];
    for (int l = 0; l < n; l++)
        sum += w[l] * cube(x, s->numbers + (size_t)l * (size_t)d, d);
    return sum;
}

void gmc_spline_free(gmc_spline *spline)
{
    free(spline->numbers);
    *spline = (gmc_spline){0};
}
