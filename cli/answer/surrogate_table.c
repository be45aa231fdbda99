#include "cli/answer/surrogate_table.h"

#include "sampling/scenario/perturb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Number of the first fresh draw: no run gets there.
static const uint64_t FRESH_FIRST = (uint64_t)1 << 62;

gmc_status gmc_surrogate_table_fits(gmc_stored *stored, const gmc_store_plan *plan)
{
    if (gmc_store_plan_is_sparse(plan)) return gmc_stored_refuse_chosen(stored, "--surrogate");
    if (stored->prepared.scenario.is_weighted)
        return gmc_stored_refuse_weighted(stored, "--surrogate");
    gmc_stop_kind stop = plan->stop.kind;
    if (stop == GMC_STOP_AT_LEAST || stop == GMC_STOP_AT_MOST)
        return gmc_stored_refuse(stored, "--surrogate", "run it without  --decide",
                                 "the run was stopped by its own estimate of success");
    if (stop == GMC_STOP_SURROGATE) {
        char hint[320];
        snprintf(hint, sizeof hint, "graspmc show %.200s  has the interval that it stopped by",
                 stored->path);
        return gmc_stored_refuse(stored, "--surrogate", hint,
                                 "the run stopped by the width of its surrogate's interval");
    }
    if (plan->interval_places > 0)
        return gmc_stored_refuse(stored, "--surrogate",
                                 "run with the number fixed, or with a distribution",
                                 "an input given as interval(...) has a range of success, not one");
    if (strcmp(plan->design, "random") != 0)
        return gmc_stored_refuse(
            stored, "--surrogate", "run it with  sampling.design: random",
            "the draws of this design are not independent, and its own interval is narrow already");
    return GMC_OK;
}

// ---- what describes draws and cases -----------------------------------------------------------

/// Samples of a draw that needs no trial.
static void draw_samples(gmc_surrogate_table *t, int case_index, uint64_t draw)
{
    // a value that is not allowed makes an unsolved trial; the function may be asked all the same
    gmc_status status = gmc_perturb_values(t->scenario, case_index, draw, t->values, NULL);
    (void)status;
    gmc_perturb_samples(t->scenario, case_index, t->values, t->samples);
}

/// The first case of the group that has each input: another object may lack it.
static void find_who_sees(gmc_surrogate_table *t)
{
    int left = t->inputs;
    for (int j = 0; j < t->inputs; j++)
        t->seen_by[j] = -1;
    for (int c = 0; c < t->group_cases && left > 0; c++) {
        draw_samples(t, c, FRESH_FIRST);
        for (int j = 0; j < t->inputs; j++) {
            if (t->seen_by[j] >= 0 || !isfinite(t->samples[t->columns[j]])) continue;
            t->seen_by[j] = t->seen_last = c;
            left--;
        }
    }
}

/// Is it the first case that is about its object?
static bool is_first_of(const gmc_store_plan *plan, int case_index)
{
    for (int c = 0; c < case_index; c++)
        if (strcmp(plan->cases[c].object, plan->cases[case_index].object) == 0) return false;
    return true;
}

static void describe_cases(gmc_surrogate_table *t, bool has_objects)
{
    const gmc_store_plan *plan = t->plan;
    for (int c = 0; c < t->group_cases; c++) {
        double *to = t->a + (size_t)c * (size_t)t->decisions;
        for (int i = 0; i < plan->parameter_count; i++) {
            double value = plan->cases[c].values[i];
            if (plan->parameters[i].is_studied) *to++ = isfinite(value) ? value : 0;
        }
        for (int other = 0; other < t->group_cases && has_objects; other++)
            if (is_first_of(plan, other))
                *to++ = strcmp(plan->cases[c].object, plan->cases[other].object) == 0;
    }
}

static gmc_status choose_columns(gmc_surrogate_table *t)
{
    enum { OBJECTS_MOST = 8 }; // each is a dimension more to search
    const gmc_store_plan *plan = t->plan;
    size_t parameters = (size_t)plan->parameter_count + 1;
    int objects = 0;
    t->columns = calloc(parameters, sizeof *t->columns);
    t->seen_by = calloc(parameters, sizeof *t->seen_by);
    t->samples = calloc(parameters, sizeof *t->samples);
    t->values = calloc((size_t)t->scenario->parameter_count + 1, sizeof *t->values);
    if (!t->columns || !t->seen_by || !t->samples || !t->values) return GMC_E_MEMORY;
    for (int i = 0; i < plan->parameter_count; i++) {
        if (plan->parameters[i].is_studied)
            t->decisions++;
        else
            t->columns[t->inputs++] = i;
    }
    for (int c = 0; c < t->group_cases && objects <= OBJECTS_MOST; c++)
        objects += is_first_of(plan, c);
    bool has_objects = objects > 1 && objects <= OBJECTS_MOST;
    t->decisions = t->group_cases == 1 ? 0 : t->decisions + (has_objects ? objects : 0);
    t->a = calloc((size_t)t->group_cases * (size_t)t->decisions + 1, sizeof *t->a);
    if (!t->a) return GMC_E_MEMORY;
    if (t->group_cases > 1) describe_cases(t, has_objects);
    return GMC_OK;
}

// ---- trials -----------------------------------------------------------------------------------

gmc_status gmc_surrogate_table_open(const gmc_scenario *scenario, const gmc_store_plan *plan,
                                    uint64_t draws, gmc_surrogate_table *t)
{
    *t = (gmc_surrogate_table){.scenario = scenario, .plan = plan};
    t->group_count = plan->is_independent ? plan->case_count : 1;
    t->group_cases = plan->case_count / t->group_count;
    GMC_TRY(choose_columns(t));
    t->groups = calloc((size_t)t->group_count, sizeof *t->groups);
    if (!t->groups) return GMC_E_MEMORY;
    for (int g = 0; g < t->group_count; g++) {
        gmc_surrogate_table_group *of = &t->groups[g];
        of->room = draws;
        of->x = calloc(draws * (uint64_t)t->inputs + 1, sizeof *of->x);
        if (!of->x) return GMC_E_MEMORY;
        for (int w = 0; w < GMC_SURROGATE_TABLE_WAYS; w++) {
            of->y[w] = calloc(draws * (uint64_t)t->group_cases + 1, sizeof *of->y[w]);
            if (!of->y[w]) return GMC_E_MEMORY;
        }
    }
    if (!plan->is_independent) find_who_sees(t);
    return GMC_OK;
}

void gmc_surrogate_table_free(gmc_surrogate_table *t)
{
    for (int g = 0; t->groups && g < t->group_count; g++) {
        free(t->groups[g].x);
        for (int w = 0; w < GMC_SURROGATE_TABLE_WAYS; w++)
            free(t->groups[g].y[w]);
    }
    free(t->groups);
    free(t->columns);
    free(t->seen_by);
    free(t->a);
    free(t->values);
    free(t->samples);
}

/// Inputs that this case is the one to tell.
static void describe(const gmc_surrogate_table *t, int case_index, const double *samples, double *x)
{
    for (int j = 0; j < t->inputs; j++) {
        double value = samples[t->columns[j]];
        if (t->plan->is_independent)
            x[j] = isfinite(value) ? value : 0;
        else if (t->seen_by[j] == case_index)
            x[j] = value;
    }
}

void gmc_surrogate_table_add(gmc_surrogate_table *t, const gmc_trial *trial,
                             const double y[GMC_SURROGATE_TABLE_WAYS])
{
    int own = (int)trial->case_index, at = t->plan->is_independent ? 0 : own;
    gmc_surrogate_table_group *to = &t->groups[t->plan->is_independent ? own : 0];
    if (at == 0) {
        if (!to->is_open) to->count++;
        to->is_open = true;
    }
    if (!to->is_open) return; // the rest of a draw that began outside
    int64_t row = to->count - 1;
    describe(t, own, trial->samples, to->x + row * t->inputs);
    for (int w = 0; w < GMC_SURROGATE_TABLE_WAYS; w++)
        to->y[w][row * t->group_cases + at] = y[w];
    if (at == t->group_cases - 1) to->is_open = false;
}

/// `values` grown to hold so many.
static gmc_status grow(double **values, uint64_t count)
{
    if (count > SIZE_MAX / sizeof **values) return GMC_E_MEMORY;
    double *grown = realloc(*values, (size_t)count * sizeof **values);
    if (!grown) return GMC_E_MEMORY;
    *values = grown;
    return GMC_OK;
}

gmc_status gmc_surrogate_table_put(gmc_surrogate_table *t, const gmc_trial *trial,
                                   const double y[GMC_SURROGATE_TABLE_WAYS])
{
    gmc_surrogate_table_group *to = &t->groups[0];
    if (trial->draw >= to->room) {
        uint64_t room = 2 * trial->draw + 1;
        GMC_TRY(grow(&to->x, room * (uint64_t)t->inputs + 1));
        for (int w = 0; w < GMC_SURROGATE_TABLE_WAYS; w++)
            GMC_TRY(grow(&to->y[w], room));
        to->room = room;
    }
    describe(t, 0, trial->samples, to->x + trial->draw * (uint64_t)t->inputs);
    for (int w = 0; w < GMC_SURROGATE_TABLE_WAYS; w++)
        to->y[w][trial->draw] = y[w];
    return GMC_OK;
}

void gmc_surrogate_table_finish(gmc_surrogate_table *t)
{
    for (int g = 0; g < t->group_count; g++)
        if (t->groups[g].is_open) t->groups[g].count--;
}

// ---- estimates --------------------------------------------------------------------------------

typedef struct fresh_of {
    gmc_surrogate_table *table;
    int group;
} fresh_of;

static void draw_fresh(void *context, int64_t index, double *x)
{
    const fresh_of *of = context;
    gmc_surrogate_table *t = of->table;
    uint64_t draw = FRESH_FIRST + (uint64_t)index;
    memset(x, 0, (size_t)t->inputs * sizeof *x);
    if (t->plan->is_independent) {
        draw_samples(t, of->group, draw);
        describe(t, of->group, t->samples, x);
        return;
    }
    for (int c = 0; c <= t->seen_last; c++) {
        bool is_needed = false;
        for (int j = 0; j < t->inputs && !is_needed; j++)
            is_needed = t->seen_by[j] == c;
        if (!is_needed) continue;
        draw_samples(t, c, draw);
        describe(t, c, t->samples, x);
    }
}

/// So many fresh draws that their chance adds a hundredth to what the trials leave, but that no
/// more than some seconds are spent on them.
static int64_t fresh_count(int64_t draws, int cases)
{
    enum { EACH = 100, LEAST = 10, MOST = 1000000, MOST_VALUES = 20000000 };
    int64_t most = cases > MOST_VALUES / MOST ? MOST_VALUES / cases : MOST;
    int64_t count = draws < most / EACH ? draws * EACH : most;
    return count < draws * LEAST ? draws * LEAST : count;
}

static gmc_surrogate_fresh fresh_draws(fresh_of *of)
{
    const gmc_surrogate_table *t = of->table;
    return (gmc_surrogate_fresh){.count = fresh_count(t->groups[of->group].count, t->group_cases),
                                 .draw = draw_fresh,
                                 .context = of};
}

static gmc_surrogate_rows rows_of(const gmc_surrogate_table *t, int group, int way)
{
    return (gmc_surrogate_rows){.count = t->groups[group].count,
                                .cases = t->group_cases,
                                .inputs = t->inputs,
                                .decisions = t->decisions,
                                .x = t->groups[group].x,
                                .a = t->a,
                                .y = t->groups[group].y[way]};
}

gmc_status gmc_surrogate_table_ask(gmc_surrogate_table *t, int group, int way,
                                   const gmc_interval *plain, double level,
                                   gmc_surrogate_estimate *estimates)
{
    fresh_of of = {.table = t, .group = group};
    gmc_surrogate_fresh fresh = fresh_draws(&of);
    gmc_surrogate_rows rows = rows_of(t, group, way);
    return gmc_surrogate_of(&rows, &fresh, plain, level, estimates);
}

gmc_status gmc_surrogate_table_residuals(gmc_surrogate_table *t, int group, int way,
                                         const gmc_surrogate_watch *watch, double *residuals,
                                         bool *is_there)
{
    fresh_of of = {.table = t, .group = group};
    gmc_surrogate_fresh fresh = fresh_draws(&of);
    gmc_surrogate_rows rows = rows_of(t, group, way);
    return gmc_surrogate_residuals(&rows, &fresh, watch, residuals, is_there);
}

void gmc_surrogate_table_fresh(gmc_surrogate_table *t, int group, int64_t index, double *x)
{
    fresh_of of = {.table = t, .group = group};
    draw_fresh(&of, index, x);
}
