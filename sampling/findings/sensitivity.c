// Of a design in blocks a case needs the outcomes of the open block alone; plain draws are kept
// until the end, for they are sorted by each input in turn.
#include "sampling/findings/sensitivity.h"

#include "sampling/design/morris.h"
#include "sampling/estimate/moments.h"
#include "sampling/explain/given.h"
#include "sampling/explain/shapley.h"
#include "sampling/scenario/perturb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Numbers in rows, growing.
typedef struct table {
    double *at; ///< (count, columns)
    size_t count, room;
} table;

struct gmc_sensitivity_gathering {
    gmc_sensitivity_case *found;
    gmc_indices indices; ///< SOBOL
    double *block;       ///< (plan->block) SOBOL: outcomes of the open one
    uint64_t number;     ///< of the open block
    bool is_open;
    double before;      ///< MORRIS: outcome of the draw before
    double least, most; ///< outcomes
    gmc_tail tail;      ///< of outcomes, of a design in blocks of each block's first two
    table rows; ///< MORRIS: effects of a trajectory; GIVEN: draw, outcome, inputs of a trial
};

typedef struct gmc_sensitivity_gathering gathering;

// ---- begin and end ----------------------------------------------------------------------------

static gmc_sensitivity_kind kind_of(const gmc_scenario *scenario)
{
    if (scenario->design == GMC_DESIGN_SENSITIVITY) return GMC_SENSITIVITY_SOBOL;
    if (scenario->design == GMC_DESIGN_MORRIS) return GMC_SENSITIVITY_MORRIS;
    return GMC_SENSITIVITY_GIVEN;
}

static gmc_status create_case(const gmc_sensitivity *s, gmc_sensitivity_case *found, gathering *g)
{
    size_t inputs = (size_t)s->input_count + 1, rows = (size_t)s->plan->block + 1;
    *g = (gathering){.found = found, .least = INFINITY, .most = -INFINITY, .before = NAN};
    g->found->inputs = calloc(inputs, sizeof *g->found->inputs);
    g->block = calloc(rows, sizeof *g->block);
    if (!g->found->inputs || !g->block) return GMC_E_MEMORY;
    return s->kind == GMC_SENSITIVITY_SOBOL
               ? gmc_indices_create(&g->indices, s->input_count, s->plan->replicas)
               : GMC_OK;
}

/// The paths of lines with this number, joined.
static char *joined(const gmc_scenario *scenario, int input)
{
    size_t bytes = 1;
    for (int i = 0; i < scenario->uncertain_count; i++)
        if (scenario->uncertain[i].input == input) bytes += strlen(scenario->uncertain[i].path) + 3;
    char *text = calloc(bytes, 1);
    for (int i = 0; i < scenario->uncertain_count && text; i++) {
        if (scenario->uncertain[i].input != input) continue;
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s", used > 0 ? " & " : "",
                 scenario->uncertain[i].path);
    }
    return text;
}

/// A copy to free(); NULL without memory.
static char *copied(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static gmc_status name_inputs(gmc_sensitivity *s)
{
    s->names = calloc((size_t)s->input_count + 1, sizeof *s->names);
    for (int i = 0; i < s->input_count && s->names; i++) {
        s->names[i] = s->kind == GMC_SENSITIVITY_GIVEN
                          ? copied(s->plan->parameters[s->columns[i]].name)
                          : joined(s->scenario, i);
        if (!s->names[i]) return GMC_E_MEMORY;
    }
    return s->names ? GMC_OK : GMC_E_MEMORY;
}

/// Number of the input that draws this parameter; -1: none.
static int chance_of(const gmc_scenario *scenario, const char *name)
{
    for (int i = 0; i < scenario->uncertain_count; i++) {
        const gmc_uncertain *line = &scenario->uncertain[i];
        for (int k = 0; k < line->target_count; k++)
            if (strcmp(scenario->parameters[line->targets[k]].path, name) == 0) return line->input;
    }
    return -1;
}

static gmc_status find_together(gmc_sensitivity *s)
{
    s->together = calloc((size_t)s->input_count + 1, sizeof *s->together);
    int *chance = calloc((size_t)s->input_count + 1, sizeof *chance);
    for (int i = 0; i < s->input_count && s->together && chance; i++) {
        // of a CSV design nobody knows what depends on what
        bool is_known = s->kind == GMC_SENSITIVITY_GIVEN && s->scenario->design != GMC_DESIGN_CSV;
        chance[i] = is_known ? chance_of(s->scenario, s->names[i]) : -1;
        s->together[i] = i;
        for (int k = i - 1; k >= 0; k--)
            if (chance[k] == chance[i] && chance[i] >= 0) s->together[i] = k;
    }
    free(chance);
    return s->together && chance ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status create(gmc_sensitivity *s)
{
    const gmc_store_plan *plan = s->plan;
    s->columns = calloc((size_t)plan->parameter_count + 1, sizeof *s->columns);
    s->cases = calloc((size_t)plan->case_count, sizeof *s->cases);
    s->gathering = calloc((size_t)plan->case_count, sizeof *s->gathering);
    if (!s->columns || !s->cases || !s->gathering) return GMC_E_MEMORY;
    s->input_count = s->scenario->input_count;
    if (s->kind == GMC_SENSITIVITY_GIVEN) {
        s->input_count = 0;
        for (int i = 0; i < plan->parameter_count; i++)
            if (!plan->parameters[i].is_studied) s->columns[s->input_count++] = i;
    }
    for (int c = 0; c < plan->case_count; c++)
        GMC_TRY(create_case(s, &s->cases[c], &s->gathering[c]));
    GMC_TRY(name_inputs(s));
    return find_together(s);
}

gmc_status gmc_sensitivity_create(const gmc_scenario *scenario, const gmc_store_plan *plan,
                                  bool is_binary, gmc_sensitivity **sensitivity)
{
    *sensitivity = NULL;
    gmc_sensitivity *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    *s = (gmc_sensitivity){
        .scenario = scenario, .plan = plan, .kind = kind_of(scenario), .is_binary = is_binary};
    gmc_status status = create(s);
    if (status == GMC_OK)
        *sensitivity = s;
    else
        gmc_sensitivity_free(s);
    return status;
}

void gmc_sensitivity_free(gmc_sensitivity *s)
{
    for (int c = 0; s && s->cases && s->gathering && c < s->plan->case_count; c++) {
        free(s->cases[c].inputs);
        free(s->gathering[c].block);
        free(s->gathering[c].rows.at);
        gmc_indices_free(&s->gathering[c].indices);
    }
    for (int i = 0; s && s->names && i < s->input_count; i++)
        free(s->names[i]);
    if (s) free(s->names);
    if (s) free(s->columns);
    if (s) free(s->together);
    if (s) free(s->cases);
    if (s) free(s->gathering);
    free(s);
}

// ---- trials in --------------------------------------------------------------------------------

/// Room for one more row; NULL: no memory.
static double *next_row(table *t, size_t columns)
{
    if (t->count == t->room) {
        size_t room = t->room > 0 ? 2 * t->room : 64;
        double *grown = realloc(t->at, room * columns * sizeof *grown);
        if (!grown) return NULL;
        t->at = grown;
        t->room = room;
    }
    return t->at + columns * t->count++;
}

static void close_block(const gmc_sensitivity *s, gathering *g)
{
    if (!g->is_open) return;
    gmc_indices_add(&g->indices, (int)(g->number % (uint64_t)s->plan->replicas), g->block);
    g->is_open = false;
}

static void add_sobol(const gmc_sensitivity *s, gathering *g, uint64_t draw, double outcome)
{
    uint64_t rows = (uint64_t)s->plan->block, number = draw / rows;
    if (g->is_open && number != g->number) close_block(s, g);
    for (uint64_t i = 0; i < rows && !g->is_open; i++)
        g->block[i] = NAN; // a shard may begin and end within a block
    g->is_open = true;
    g->number = number;
    g->block[draw % rows] = outcome;
}

static gmc_status add_morris(const gmc_sensitivity *s, gathering *g, const gmc_trial *trial,
                             double outcome)
{
    size_t columns = (size_t)s->input_count;
    uint64_t number = trial->draw / (uint64_t)s->plan->block;
    if (!g->is_open || number != g->number) {
        double *row = next_row(&g->rows, columns);
        if (!row) return GMC_E_MEMORY;
        for (size_t i = 0; i < columns; i++)
            row[i] = NAN;
        g->before = NAN;
    }
    g->is_open = true;
    g->number = number;
    bool is_up;
    int input = gmc_perturb_moved(s->scenario, trial->case_index, trial->draw, &is_up);
    if (input >= 0)
        g->rows.at[(g->rows.count - 1) * columns + (size_t)input] =
            (outcome - g->before) / (is_up ? GMC_MORRIS_STEP : -GMC_MORRIS_STEP);
    g->before = outcome;
    return GMC_OK;
}

static gmc_status add_given(const gmc_sensitivity *s, gathering *g, const gmc_trial *trial,
                            double outcome)
{
    double *row = isnan(outcome) ? NULL : next_row(&g->rows, (size_t)s->input_count + 2);
    if (!row) return isnan(outcome) ? GMC_OK : GMC_E_MEMORY;
    row[0] = (double)trial->draw;
    row[1] = outcome;
    for (int i = 0; i < s->input_count; i++)
        row[2 + i] = trial->samples[s->columns[i]];
    return GMC_OK;
}

gmc_status gmc_sensitivity_add(gmc_sensitivity *s, const gmc_trial *trial, double outcome)
{
    gathering *g = &s->gathering[trial->case_index];
    if (!isfinite(outcome)) outcome = NAN;
    g->found->trials++;
    g->found->unknown += isnan(outcome);
    g->least = fmin(g->least, outcome);
    g->most = fmax(g->most, outcome);
    // the other rows of a block share inputs with these
    if (s->kind != GMC_SENSITIVITY_SOBOL || trial->draw % (uint64_t)s->plan->block < 2)
        gmc_tail_add(&g->tail, outcome);
    switch (s->kind) {
    case GMC_SENSITIVITY_SOBOL:
        add_sobol(s, g, trial->draw, outcome);
        return GMC_OK;
    case GMC_SENSITIVITY_MORRIS:
        return add_morris(s, g, trial, outcome);
    case GMC_SENSITIVITY_GIVEN:
        break;
    }
    return add_given(s, g, trial, outcome);
}

// ---- estimates out ----------------------------------------------------------------------------

static void finish_sobol(const gmc_sensitivity *s, gathering *g)
{
    close_block(s, g);
    for (int i = 0; i < s->input_count; i++)
        g->found->inputs[i] = (gmc_sensitivity_input){
            .input = i,
            .first = gmc_indices_first(&g->indices, i, s->plan->level),
            .total = gmc_indices_total(&g->indices, i, s->plan->level),
            .count = gmc_indices_blocks(&g->indices, i),
        };
    g->found->is_thin = gmc_indices_is_thin(&g->indices);
}

static gmc_status finish_morris(const gmc_sensitivity *s, gathering *g)
{
    double *effects = malloc((g->rows.count + 1) * sizeof *effects);
    if (!effects) return GMC_E_MEMORY;
    for (int i = 0; i < s->input_count; i++) {
        int64_t count = 0;
        for (size_t k = 0; k < g->rows.count; k++) {
            double effect = g->rows.at[k * (size_t)s->input_count + (size_t)i];
            if (!isnan(effect)) effects[count++] = effect;
        }
        g->found->inputs[i] = (gmc_sensitivity_input){
            .input = i,
            .effects = gmc_effects_of(effects, count, g->most - g->least, s->is_binary,
                                      GMC_MORRIS_STEP, s->plan->level),
            .count = count,
        };
    }
    free(effects);
    return GMC_OK;
}

static gmc_index first_of(const gmc_sensitivity *s, gmc_given_row *rows, int64_t count)
{
    return s->plan->replicas > 0
               ? gmc_given_replicas_first(rows, count, s->plan->replicas, s->plan->level)
               : gmc_given_first(rows, count, s->plan->level);
}

/// Rows that have all inputs, moved to the front.
static int64_t whole_rows(table *rows, size_t columns)
{
    int64_t kept = 0;
    for (size_t k = 0; k < rows->count; k++) {
        const double *row = rows->at + k * columns;
        bool is_whole = true;
        for (size_t i = 2; i < columns; i++)
            is_whole = is_whole && isfinite(row[i]);
        if (is_whole) memmove(rows->at + (size_t)kept++ * columns, row, columns * sizeof *row);
    }
    return kept;
}

/// Where that takes no long time.
static gmc_status finish_shapley(const gmc_sensitivity *s, gathering *g)
{
    gmc_index effects[GMC_SHAPLEY_INPUTS];
    if (s->input_count < 2 || s->input_count > GMC_SHAPLEY_INPUTS) return GMC_OK;
    int64_t whole = whole_rows(&g->rows, (size_t)s->input_count + 2);
    const gmc_shapley_draws draws = {
        .rows = g->rows.at,
        .count = gmc_shapley_affordable(whole, s->input_count, s->plan->case_count),
        .input_count = s->input_count,
        .replica_count = s->plan->replicas};
    if (draws.count < GMC_SHAPLEY_LEAST) return GMC_OK;
    GMC_TRY(gmc_shapley_effects(&draws, s->plan->level, effects));
    if (isnan(effects[0].value)) return GMC_OK;
    g->found->shapley_draws = draws.count;
    for (int i = 0; i < s->input_count; i++)
        g->found->inputs[i].shapley = effects[i];
    return GMC_OK;
}

static gmc_status finish_given(const gmc_sensitivity *s, gathering *g)
{
    size_t columns = (size_t)s->input_count + 2;
    gmc_given_row *rows = malloc((g->rows.count + 1) * sizeof *rows);
    if (!rows) return GMC_E_MEMORY;
    for (size_t k = 0; k < g->rows.count; k++)
        rows[k].outcome = g->rows.at[k * columns + 1];
    g->found->rarer = gmc_given_rarer(rows, (int64_t)g->rows.count);
    for (int i = 0; i < s->input_count; i++) {
        int64_t count = 0;
        for (size_t k = 0; k < g->rows.count; k++) {
            const double *row = g->rows.at + k * columns;
            if (isfinite(row[2 + i])) // an object may lack it
                rows[count++] = (gmc_given_row){row[2 + i], row[1], (int64_t)row[0]};
        }
        g->found->inputs[i] = (gmc_sensitivity_input){
            .input = i, .first = first_of(s, rows, count), .count = count, .gain = 1};
    }
    free(rows);
    return finish_shapley(s, g);
}

static void widen(gmc_index *index)
{
    if (!index->is_idle) index->interval = (gmc_interval){0, 1};
}

/// A measure whose variance hangs on few draws: its shares are not told.
static void judge_tail(const gmc_sensitivity *s, gathering *g)
{
    bool has_two = s->kind == GMC_SENSITIVITY_GIVEN && g->found->rarer >= 0;
    if (s->is_binary || has_two || s->kind == GMC_SENSITIVITY_MORRIS) return;
    g->found->tail_draws = gmc_tail_draws(&g->tail);
    g->found->is_heavy = gmc_tail_is_heavy(&g->tail);
    for (int i = 0; i < s->input_count && g->found->is_heavy; i++) {
        widen(&g->found->inputs[i].first);
        widen(&g->found->inputs[i].total);
        widen(&g->found->inputs[i].shapley);
    }
}

static double weight_of(const gmc_sensitivity *s, const gmc_sensitivity_case *found,
                        const gmc_sensitivity_input *input)
{
    double weight = s->kind == GMC_SENSITIVITY_SOBOL    ? input->total.value
                    : s->kind == GMC_SENSITIVITY_MORRIS ? input->effects.size.value
                    : found->shapley_draws > 0          ? input->shapley.value
                                                        : input->first.value;
    return isnan(weight) ? -(double)INFINITY : weight;
}

// Equal ones stay in order.
static void sort_inputs(const gmc_sensitivity *s, const gmc_sensitivity_case *found)
{
    gmc_sensitivity_input *inputs = found->inputs;
    for (int i = 1; i < s->input_count; i++) {
        gmc_sensitivity_input input = inputs[i];
        int at = i;
        for (; at > 0 && weight_of(s, found, &inputs[at - 1]) < weight_of(s, found, &input); at--)
            inputs[at] = inputs[at - 1];
        inputs[at] = input;
    }
}

gmc_status gmc_sensitivity_finish(gmc_sensitivity *s)
{
    for (int c = 0; c < s->plan->case_count; c++) {
        gathering *g = &s->gathering[c];
        if (s->kind == GMC_SENSITIVITY_SOBOL) finish_sobol(s, g);
        if (s->kind == GMC_SENSITIVITY_MORRIS) GMC_TRY(finish_morris(s, g));
        if (s->kind == GMC_SENSITIVITY_GIVEN) GMC_TRY(finish_given(s, g));
        judge_tail(s, g);
        sort_inputs(s, g->found);
    }
    return GMC_OK;
}

void gmc_sensitivity_narrow(gmc_sensitivity *s, int case_index, int input, gmc_index first)
{
    const gmc_sensitivity_case *found = &s->cases[case_index];
    for (int i = 0; i < s->input_count; i++) {
        gmc_sensitivity_input *own = &found->inputs[i];
        if (own->input != input || !gmc_given_surrogate_is_better(own->first, first)) continue;
        double alone = own->first.interval.upper - own->first.interval.lower,
               width = first.interval.upper - first.interval.lower;
        own->gain = alone / width * (alone / width);
        own->first = first;
    }
    sort_inputs(s, found);
}
