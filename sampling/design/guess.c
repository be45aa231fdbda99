// Measured on the problems of test/statistics/test_subset_aimed.c: scaling by g/(|g| + median) in
// place of the cut bends planes, and what lies beyond all trials is then not seen to fail; 60 plain
// draws in place of 150 lose one of two ways to fail in 2 of 10 answers. Ridges beyond these two
// are never better. Places cost what their cube is: 400 of them 30 ms.
#include "sampling/design/guess.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 200, PLAIN = 150, OTHERS = 50, KEPT_BACK = 5 }; // every fifth of the nearest
static const double RIDGES[] = {1e-5, 1e-2};                     // over the mean cube of distances
static const double UNLIKELY = 0.01;
static const double FAR = 3; // where margins over their median size are cut off

typedef struct scored {
    double y;
    int index; ///< of the trial
} scored;

/// Points of the fit and those kept back.
typedef struct rows {
    int dimensions, count, kept;
    double *x, *y;           ///< (most, dimensions), (most); NEAREST + PLAIN + OTHERS
    double *kept_x, *kept_y; ///< the same of what is kept back
} rows;

static int by_size(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    double p = fabs(x->y), q = fabs(y->y);
    if (p != q) return p < q ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/// Median size of the margins of plain draws.
static double find_scale(const gmc_guess_seen *seen, scored *room)
{
    int count = 0;
    for (int i = 0; i < seen->plain && i < seen->count; i++)
        if (!isnan(seen->margins[i])) room[count++] = (scored){seen->margins[i], i};
    qsort(room, (size_t)count, sizeof *room, by_size);
    return count > 0 ? fmin(fmax(fabs(room[count / 2].y), 1e-300), 1e300) : 1;
}

/// Trials with a margin by its size, scaled; their number.
static int score(const gmc_guess_seen *seen, scored *all)
{
    int count = 0;
    double scale = find_scale(seen, all);
    for (int i = 0; i < seen->count; i++)
        if (!isnan(seen->margins[i])) all[count++] = (scored){seen->margins[i], i};
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int i = 0; i < count; i++)
        all[i].y = fmax(fmin(all[i].y / scale, FAR), -FAR);
    return count;
}

static void add_row(const gmc_guess_seen *seen, const scored *one, double *x, double *y, int *count)
{
    size_t d = (size_t)seen->dimensions;
    memcpy(x + (size_t)*count * d, seen->points + (size_t)one->index * d, d * sizeof *x);
    y[(*count)++] = one->y;
}

/// Some of the plain draws, or of the other trials: evenly by their size.
static void add_some(const gmc_guess_seen *seen, const scored *all, int count, bool is_plain,
                     int wanted, rows *r)
{
    int have = 0, place = 0;
    for (int i = 0; i < count; i++)
        have += (all[i].index < seen->plain) == is_plain;
    if (wanted > have) wanted = have;
    for (int i = 0; i < count; i++) {
        if ((all[i].index < seen->plain) != is_plain) continue;
        if ((int64_t)(place + 1) * wanted / have > (int64_t)place * wanted / have)
            add_row(seen, &all[i], r->x, r->y, &r->count);
        place++;
    }
}

static gmc_status choose_rows(const gmc_guess_seen *seen, rows *r)
{
    enum { NEAR = NEAREST * KEPT_BACK / (KEPT_BACK - 1) };
    size_t most = NEAREST + PLAIN + OTHERS, d = (size_t)seen->dimensions;
    scored *all = malloc((size_t)seen->count * sizeof *all);
    *r = (rows){.dimensions = seen->dimensions};
    r->x = malloc(2 * most * (d + 1) * sizeof *r->x);
    if (!all || !r->x) {
        free(all);
        free(r->x);
        return GMC_E_MEMORY;
    }
    r->y = r->x + most * d;
    r->kept_x = r->y + most;
    r->kept_y = r->kept_x + most * d;
    int count = score(seen, all), near = count < NEAR ? count : NEAR;
    for (int i = 0; i < near; i++) {
        if (i % KEPT_BACK == KEPT_BACK / 2)
            add_row(seen, &all[i], r->kept_x, r->kept_y, &r->kept);
        else
            add_row(seen, &all[i], r->x, r->y, &r->count);
    }
    add_some(seen, all + near, count - near, true, PLAIN, r);
    add_some(seen, all + near, count - near, false, OTHERS, r);
    free(all);
    return GMC_OK;
}

/// Root mean square of what is missed of the values kept back.
static double missed_by(const gmc_spline *s, const rows *r)
{
    double sum = 0;
    for (int i = 0; i < r->kept; i++) {
        double miss =
            gmc_spline_at(s, r->kept_x + (size_t)i * (size_t)r->dimensions) - r->kept_y[i];
        sum += miss * miss;
    }
    return sqrt(sum / r->kept);
}

static double mean_cube(const rows *r)
{
    double sum = 0;
    for (int i = 0; i + 1 < r->count; i++) {
        double square = 0;
        for (int j = 0; j < r->dimensions; j++) {
            double apart = r->x[(i + 1) * r->dimensions + j] - r->x[i * r->dimensions + j];
            square += apart * apart;
        }
        sum += square * sqrt(square);
    }
    return sum / r->count;
}

gmc_status gmc_guess_make(const gmc_guess_seen *seen, gmc_guess *guess)
{
    rows r;
    *guess = (gmc_guess){.missed = (double)NAN};
    GMC_TRY(choose_rows(seen, &r));
    const gmc_spline_rows given = {r.count, r.dimensions, r.x, r.y};
    gmc_status status = GMC_OK;
    for (int i = 0; i < GMC_COUNT(RIDGES) && r.kept > 0 && status != GMC_E_MEMORY; i++) {
        gmc_spline one;
        status = gmc_spline_fit(&given, RIDGES[i] * mean_cube(&r), &one);
        if (status != GMC_OK) continue;
        double missed = missed_by(&one, &r);
        if (guess->spline.numbers && !(missed < guess->missed)) {
            gmc_spline_free(&one);
            continue;
        }
        gmc_spline_free(&guess->spline);
        *guess = (gmc_guess){one, missed};
    }
    free(r.x);
    if (status == GMC_E_MEMORY) gmc_guess_free(guess);
    return status == GMC_E_MEMORY ? status : GMC_OK;
}

bool gmc_guess_is_made(const gmc_guess *guess) { return guess->spline.numbers != NULL; }

double gmc_guess_margin(const gmc_guess *guess, const double *z)
{
    return gmc_spline_at(&guess->spline, z);
}

double gmc_guess_failure(const gmc_guess *guess, const double *z)
{
    double p = 1 / (1 + gmc_exp(gmc_guess_margin(guess, z) / fmax(0.6 * guess->missed, 1e-4)));
    return p < UNLIKELY ? 0 : p;
}

void gmc_guess_free(gmc_guess *guess)
{
    gmc_spline_free(&guess->spline);
    *guess = (gmc_guess){0};
}
