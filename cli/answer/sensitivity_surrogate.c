// Bins of all inputs and cases are filled in one pass over the fresh draws, for their values are
// too many to keep.
#include "cli/answer/sensitivity_surrogate.h"

#include "sampling/explain/given.h"

#include <math.h>
#include <stdlib.h>

gmc_status gmc_sensitivity_surrogate_open(const gmc_scenario *scenario, const gmc_store_plan *plan,
                                          uint64_t draws, gmc_sensitivity_surrogate *s)
{
    *s = (gmc_sensitivity_surrogate){0};
    GMC_TRY(gmc_surrogate_table_open(scenario, plan, draws, &s->table));
    size_t all = (size_t)plan->case_count * (size_t)s->table.inputs;
    s->is_own = calloc(all + 1, sizeof *s->is_own);
    if (!s->is_own) return GMC_E_MEMORY;
    for (size_t k = 0; k < all; k++)
        s->is_own[k] = true;
    return GMC_OK;
}

void gmc_sensitivity_surrogate_free(gmc_sensitivity_surrogate *s)
{
    gmc_surrogate_table_free(&s->table);
    free(s->is_own);
}

void gmc_sensitivity_surrogate_add(gmc_sensitivity_surrogate *s, const gmc_trial *trial,
                                   double outcome)
{
    gmc_surrogate_table *t = &s->table;
    double y[GMC_SURROGATE_TABLE_WAYS] = {
        [GMC_SURROGATE_TABLE_FAILED] = isnan(outcome) ? 0 : outcome,
        [GMC_SURROGATE_TABLE_WORKED] = isnan(outcome) ? 1 : outcome};
    gmc_surrogate_table_add(t, trial, y);
    int at = (int)trial->case_index;
    const gmc_surrogate_table_group *group = &t->groups[t->plan->is_independent ? at : 0];
    for (int j = 0; j < t->inputs; j++) {
        double value = trial->samples[t->columns[j]];
        bool is_told = isfinite(value) && (t->plan->is_independent || t->seen_by[j] <= at);
        if (is_told && group->count > 0)
            is_told = group->x[(group->count - 1) * t->inputs + j] == value;
        if (!is_told) s->is_own[(size_t)at * (size_t)t->inputs + (size_t)j] = false;
    }
}

// ---- one group of cases after the other -------------------------------------------------------

typedef struct work {
    gmc_surrogate_table *table;
    int group;
    gmc_given_bins *bins; ///< (group_cases, inputs)
    gmc_given_row *rows;  ///< room for the draws, and for fresh ones that bins are made of
    double *x;            ///< (inputs)
    double *residuals;    ///< (group_cases, count)
} work;

enum { BINS = 4096, BINS_LEAST = 64, BINS_ALL = 1 << 24, EACH = 2 };

static void take_fresh(void *context, const double *x, const double *m)
{
    work *w = context;
    int inputs = w->table->inputs;
    for (int c = 0; c < w->table->group_cases; c++)
        for (int j = 0; j < inputs; j++)
            gmc_given_bins_add(&w->bins[c * inputs + j], x[j], m[c]);
}

static gmc_status create_bins(work *w)
{
    int inputs = w->table->inputs, cases = w->table->group_cases;
    int64_t most = BINS_ALL / inputs / cases;
    most = most > BINS ? BINS : most < BINS_LEAST ? BINS_LEAST : most;
    for (int j = 0; j < inputs; j++) {
        for (int64_t i = 0; i < EACH * most; i++) {
            gmc_surrogate_table_fresh(w->table, w->group, i, w->x);
            w->rows[i] = (gmc_given_row){w->x[j], 0, i};
        }
        for (int c = 0; c < cases; c++)
            GMC_TRY(gmc_given_bins_create(&w->bins[c * inputs + j], w->rows, EACH * most, most));
    }
    return GMC_OK;
}

static gmc_status narrow_one(work *w, int c, int j, gmc_sensitivity *sensitivity)
{
    const gmc_surrogate_table *t = w->table;
    const gmc_surrogate_table_group *group = &t->groups[w->group];
    int at = w->group * t->group_cases + c;
    gmc_index first;
    for (int64_t i = 0; i < group->count; i++)
        w->rows[i] =
            (gmc_given_row){group->x[i * t->inputs + j], w->residuals[c * group->count + i], i};
    GMC_TRY(gmc_given_surrogate_first(w->rows, group->count, &w->bins[c * t->inputs + j],
                                      gmc_sensitivity_at(sensitivity, at)->rarer, t->plan->level,
                                      &first));
    gmc_sensitivity_narrow(sensitivity, at, j, first);
    return GMC_OK;
}

static gmc_status narrow(work *w, const gmc_sensitivity_surrogate *s, gmc_sensitivity *sensitivity)
{
    const gmc_surrogate_table *t = w->table;
    for (int c = 0; c < t->group_cases; c++)
        for (int j = 0; j < t->inputs; j++)
            if (s->is_own[(w->group * t->group_cases + c) * t->inputs + j])
                GMC_TRY(narrow_one(w, c, j, sensitivity));
    return GMC_OK;
}

static gmc_status work_on(work *w, const gmc_sensitivity_surrogate *s, int way,
                          gmc_sensitivity *sensitivity)
{
    const gmc_surrogate_watch watch = {.take = take_fresh, .context = w};
    bool is_there;
    GMC_TRY(create_bins(w));
    GMC_TRY(
        gmc_surrogate_table_residuals(w->table, w->group, way, &watch, w->residuals, &is_there));
    return is_there ? narrow(w, s, sensitivity) : GMC_OK;
}

gmc_status gmc_sensitivity_surrogate_narrow(gmc_sensitivity_surrogate *s, int way,
                                            gmc_sensitivity *sensitivity)
{
    gmc_surrogate_table *t = &s->table;
    gmc_surrogate_table_finish(t);
    size_t inputs = (size_t)t->inputs, cases = (size_t)t->group_cases;
    gmc_status status = GMC_OK;
    for (int g = 0; g < t->group_count && status == GMC_OK; g++) {
        size_t count = (size_t)t->groups[g].count;
        work w = {.table = t,
                  .group = g,
                  .bins = calloc(cases * inputs + 1, sizeof *w.bins),
                  .rows = calloc(count + EACH * BINS, sizeof *w.rows),
                  .x = calloc(inputs + 1, sizeof *w.x),
                  .residuals = calloc(cases * count + 1, sizeof *w.residuals)};
        status = w.bins && w.rows && w.x && w.residuals ? work_on(&w, s, way, sensitivity)
                                                        : GMC_E_MEMORY;
        for (size_t k = 0; w.bins && k < cases * inputs; k++)
            gmc_given_bins_free(&w.bins[k]);
        free(w.bins);
        free(w.rows);
        free(w.x);
        free(w.residuals);
    }
    return status;
}
