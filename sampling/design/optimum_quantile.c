// c is looked for among the numbers that trials had: between two of them no tally changes. What a
// surface expects at its top rises with c but for the scatter of its fit, so that a bisection ends
// beside a crossing. (A surface of the designs' own quantiles was the other way: of 16 trials the
// 0.95 quantile is the largest, whose scatter is as large as what designs differ by.)
#include "sampling/design/optimum_quantile.h"

#include "sampling/estimate/rising.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    int design;
    double y;
} row;

struct gmc_optimum_quantile {
    double p;
    row *rows;
    int64_t count, room;
};

gmc_status gmc_optimum_quantile_create(double p, gmc_optimum_quantile **quantile)
{
    *quantile = calloc(1, sizeof **quantile);
    if (!*quantile) return GMC_E_MEMORY;
    (*quantile)->p = p;
    return GMC_OK;
}

void gmc_optimum_quantile_free(gmc_optimum_quantile *q)
{
    if (q) free(q->rows);
    free(q);
}

gmc_status gmc_optimum_quantile_add(gmc_optimum_quantile *q, int design, double y)
{
    if (q->count == q->room) {
        int64_t room = q->room > 0 ? 2 * q->room : 1024;
        row *grown = realloc(q->rows, (size_t)room * sizeof *grown);
        if (!grown) return GMC_E_MEMORY;
        q->rows = grown;
        q->room = room;
    }
    q->rows[q->count++] = (row){design, isnan(y) ? HUGE_VAL : y};
    return GMC_OK;
}

/// The tallies of all designs, where what is at most c succeeds.
static gmc_status judge(const gmc_optimum_quantile *q, double c, gmc_optimum *optimum)
{
    int designs = gmc_optimum_count(optimum);
    gmc_tally *tallies = calloc((size_t)designs, sizeof *tallies);
    if (!tallies) return GMC_E_MEMORY;
    for (int64_t i = 0; i < q->count; i++) {
        gmc_tally *t = &tallies[q->rows[i].design];
        if (q->rows[i].y <= c && q->rows[i].y < HUGE_VAL)
            t->successes++;
        else
            t->failures++;
    }
    for (int d = 0; d < designs; d++)
        gmc_optimum_change(optimum, d, tallies[d]);
    free(tallies);
    return GMC_OK;
}

static gmc_status reaches(const gmc_optimum_quantile *q, double c, gmc_optimum *optimum,
                          bool *is_so)
{
    double top = 0;
    GMC_TRY(judge(q, c, optimum));
    GMC_TRY(gmc_optimum_top(optimum, &top));
    *is_so = top >= q->p;
    return GMC_OK;
}

/// The known numbers, rising; free() it.
static double *known_of(const gmc_optimum_quantile *q, int64_t *count)
{
    double *known = malloc(((size_t)q->count + 1) * sizeof *known);
    *count = 0;
    for (int64_t i = 0; known && i < q->count; i++)
        if (q->rows[i].y < HUGE_VAL) known[(*count)++] = q->rows[i].y;
    if (known) gmc_rising_sort(known, *count);
    return known;
}

gmc_status gmc_optimum_quantile_aim(gmc_optimum_quantile *q, gmc_optimum *optimum, double *c)
{
    int64_t count;
    double *known = known_of(q, &count);
    if (!known) return GMC_E_MEMORY;
    int64_t low = 0, high = count - 1; // the last, if none reaches p
    gmc_status status = GMC_OK;
    while (low < high && status == GMC_OK) {
        int64_t middle = low + (high - low) / 2;
        bool is_so = false;
        status = reaches(q, known[middle], optimum, &is_so);
        if (is_so)
            high = middle;
        else
            low = middle + 1;
    }
    *c = count > 0 ? known[low] : HUGE_VAL;
    gmc_optimum_let_tie(optimum, count > 0 && *c == known[0]);
    free(known);
    return status == GMC_OK ? judge(q, *c, optimum) : status;
}
