// `show --sensitivity`: what of the inputs matters for an outcome, with intervals, the one that
// matters most first.
//
// Trials without a verdict are left out, and for success the indices are worked out twice more, as
// if all of them had failed and as if all had succeeded: how far they could move the values. The
// interval holds those of all three.
#include "cli/answer/answer.h"
#include "cli/answer/surrogate_table.h"
#include "cli/commands/show.h"
#include "cli/process/terminal.h"
#include "sampling/design/morris.h"
#include "sampling/estimate/moments.h"
#include "sampling/explain/given.h"
#include "sampling/explain/shapley.h"
#include "sampling/findings/sensitivity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ==== first order with a surrogate ==============================================================

// `show --sensitivity success --surrogate`: first-order indices with the help of a function fitted
// to the trials (sampling/explain/given.h), in place of those of the draws alone where
// they are the narrower ones. Of cases on common draws this is for inputs that the case has as the
// function is told of them (surrogate_table.h); others stay as they are.
//
// Bins of all inputs and cases are filled in one pass over the fresh draws, for their values are
// too many to keep.

typedef struct gmc_sensitivity_surrogate {
    gmc_surrogate_table table;
    bool *is_own; ///< (case_count, inputs) has every draw this case's value of the input?
} gmc_sensitivity_surrogate;

/// @param draws  at most so many of each case come
/// @return GMC_OK, GMC_E_MEMORY; sensitivity_surrogate_free in every case
static gmc_status sensitivity_surrogate_open(const gmc_scenario *scenario,
                                             const gmc_store_plan *plan, uint64_t draws,
                                             gmc_sensitivity_surrogate *s)
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

static void sensitivity_surrogate_free(gmc_sensitivity_surrogate *s)
{
    gmc_surrogate_table_free(&s->table);
    free(s->is_own);
}

/// The next trial, in the order of their numbers.
/// @param outcome  1, 0; NaN: not known
static void sensitivity_surrogate_add(gmc_sensitivity_surrogate *s, const gmc_trial *trial,
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
                                      sensitivity->cases[at].rarer, t->plan->level, &first));
    gmc_sensitivity_narrow(sensitivity, at, j, first);
    return GMC_OK;
}

static gmc_status narrow_effect(work *w, const gmc_sensitivity_surrogate *s,
                                gmc_sensitivity *sensitivity)
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
    return is_there ? narrow_effect(w, s, sensitivity) : GMC_OK;
}

/// After the last trial: narrows the indices of one way to take unknown outcomes.
/// @param way          of surrogate_table.h
/// @param sensitivity  finished, of the same trials and that way
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status sensitivity_surrogate_narrow(gmc_sensitivity_surrogate *s, int way,
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

// ==== all of it =================================================================================

static const char OPTION[] = "--sensitivity";

/// How an outcome that is not known is taken.
enum { LEFT_OUT, AS_FAILURE, AS_SUCCESS, WAYS };

typedef struct gmc_showing {
    const gmc_args *args;
    const gmc_store_plan *plan;
    gmc_rescore *criteria; ///< of --success; NULL: the stored verdicts
    gmc_rescore *number;   ///< NULL: the outcome is success
    gmc_sensitivity *ways[WAYS];
    int way_count;
    uint64_t trials, unknown;
    uint64_t cut;        ///< numbers of trials that an early verdict cut short as successes
    uint64_t beginnings; ///< trials cut short as failures, which have no number
    gmc_sensitivity_surrogate surrogate; ///< with --surrogate
} gmc_showing;

// ---- collecting -------------------------------------------------------------------------------

static double outcome_of(gmc_showing *s, const gmc_trial *trial)
{
    if (s->number) {
        bool is_cut;
        double value = gmc_rescore_number(s->number, trial, &is_cut);
        s->cut += is_cut && !isnan(value) ? 1 : 0;
        s->beginnings += is_cut && isnan(value) ? 1 : 0;
        return value;
    }
    gmc_decision cut_by;
    gmc_outcome outcome =
        s->criteria ? gmc_rescore_judge(s->criteria, trial, &cut_by) : trial->outcome;
    if (outcome == GMC_OUTCOME_UNSOLVED) return (double)NAN;
    return outcome == GMC_OUTCOME_SUCCESS ? 1 : 0;
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing *s = context;
    if (trial->case_index >= (uint32_t)s->plan->case_count) return GMC_E_INPUT;
    double outcome = outcome_of(s, trial);
    s->trials++;
    s->unknown += isfinite(outcome) ? 0 : 1;
    if (s->args->surrogate) sensitivity_surrogate_add(&s->surrogate, trial, outcome);
    for (int w = 0; w < s->way_count; w++) {
        double taken = isnan(outcome) && w != LEFT_OUT ? (double)(w == AS_SUCCESS) : outcome;
        GMC_TRY(gmc_sensitivity_add(s->ways[w], trial, taken));
    }
    return GMC_OK;
}

static gmc_status read_number(gmc_showing *s, gmc_stored *stored)
{
    if (strcmp(s->args->sensitivity, "success") == 0) return GMC_OK;
    const gmc_rescore_names names = {.columns = s->plan->columns,
                                     .column_count = s->plan->column_count,
                                     .option = OPTION,
                                     .is_number = true};
    return gmc_rescore_open_where(s->args->sensitivity, &names, &stored->messages, &s->number);
}

/// Without the trials that were cut short as failures the rest is no sample of the draws.
static gmc_status refuse_beginnings(const gmc_showing *s, gmc_stored *stored)
{
    char message[256], hint[320];
    if (s->beginnings == 0) return GMC_OK;
    snprintf(hint, sizeof hint, "graspmc run --complete %.200s  runs them to their end",
             s->args->input);
    snprintf(message, sizeof message,
             "%" PRIu64 " of %" PRIu64 " trials were cut short as failures and have no such "
             "number; the others alone are no sample of the draws",
             s->beginnings, s->trials);
    return gmc_stored_refuse(stored, OPTION, hint, message);
}

static const gmc_sensitivity_input *find(const gmc_sensitivity *s, int case_index, int input)
{
    const gmc_sensitivity_case *found = &s->cases[case_index];
    for (int i = 0; i < s->input_count; i++)
        if (found->inputs[i].input == input) return &found->inputs[i];
    return NULL;
}

static gmc_status open_surrogate(gmc_showing *s, gmc_stored *stored)
{
    if (!s->args->surrogate) return GMC_OK;
    GMC_TRY(gmc_surrogate_table_fits(stored, s->plan));
    if (s->number)
        return gmc_stored_refuse(stored, OPTION, "--sensitivity success",
                                 "--surrogate is fitted to success");
    uint64_t draws = stored->info->count / (uint64_t)s->plan->case_count + 1;
    return sensitivity_surrogate_open(&stored->prepared.scenario, s->plan, draws, &s->surrogate);
}

/// Of trials without a verdict taken as failures, and as successes. Left out they are no draws of
/// the scenario's chance: there the one with failures stands, which the interval of all holds.
static gmc_status narrow(gmc_showing *s)
{
    GMC_TRY(sensitivity_surrogate_narrow(&s->surrogate, GMC_SURROGATE_TABLE_FAILED,
                                         s->ways[s->unknown > 0 ? AS_FAILURE : LEFT_OUT]));
    if (s->unknown == 0) return GMC_OK;
    GMC_TRY(sensitivity_surrogate_narrow(&s->surrogate, GMC_SURROGATE_TABLE_WORKED,
                                         s->ways[AS_SUCCESS]));
    for (int c = 0; c < s->plan->case_count; c++)
        for (int i = 0; i < s->ways[LEFT_OUT]->input_count; i++) {
            const gmc_sensitivity_input *failed = find(s->ways[AS_FAILURE], c, i);
            if (failed->gain > 1 && find(s->ways[AS_SUCCESS], c, i)->gain > 1)
                gmc_sensitivity_narrow(s->ways[LEFT_OUT], c, i, failed->first);
        }
    return GMC_OK;
}

static gmc_status collect(gmc_showing *s, gmc_stored *stored)
{
    const char *path = s->args->input;
    if (gmc_store_plan_is_sparse(s->plan)) return gmc_stored_refuse_chosen(stored, OPTION);
    if (s->args->where || s->args->stop.kind != GMC_STOP_NEVER)
        return gmc_stored_refuse(stored, OPTION, NULL,
                                 "indices are of all trials, without --where and --until");
    if (stored->prepared.scenario.is_weighted) return gmc_stored_refuse_weighted(stored, OPTION);
    if (s->plan->interval_places > 0)
        return gmc_stored_refuse(
            stored, OPTION, "give it a distribution",
            "an input given as interval(...) has no distribution, so its share cannot be computed");
    if (!gmc_answer_fits(stored->info, s->plan)) return GMC_E_MISMATCH;
    GMC_TRY(read_number(s, stored));
    if (s->args->success && s->number)
        return gmc_stored_refuse(
            stored, OPTION, "--sensitivity success",
            "--success sets criteria of success, which the sensitivity of a number does not use");
    if (s->args->success)
        GMC_TRY(gmc_answer_rescore_read(s->args->success, s->plan, path, &stored->messages,
                                        &s->criteria));
    s->way_count = s->number ? 1 : WAYS;
    for (int w = 0; w < s->way_count; w++)
        GMC_TRY(
            gmc_sensitivity_create(&stored->prepared.scenario, s->plan, !s->number, &s->ways[w]));
    if (s->ways[LEFT_OUT]->input_count == 0)
        return gmc_stored_refuse(stored, OPTION, NULL, "nothing is uncertain");
    GMC_TRY(open_surrogate(s, stored));
    GMC_TRY(gmc_result_trials(stored->result, take_in, s));
    GMC_TRY(refuse_beginnings(s, stored));
    for (int w = 0; w < s->way_count; w++)
        if (w == LEFT_OUT || s->unknown > 0) GMC_TRY(gmc_sensitivity_finish(s->ways[w]));
    return s->args->surrogate ? narrow(s) : GMC_OK;
}

// ---- what both forms say ----------------------------------------------------------------------

typedef struct gmc_showing_number {
    const char *name;
    gmc_index index;
    double gain;     ///< gmc_sensitivity_input's, of `first` by a surrogate; else 0
    double from, to; ///< values had all unknown trials failed, succeeded: in order; NaN: not asked
} gmc_showing_number;

enum { NUMBERS_MAX = 4 };

/// Probability that half of the input's range changes a verdict.
static gmc_index change_of(const gmc_effects *effects)
{
    gmc_index change = effects->size;
    change.value *= GMC_MORRIS_STEP;
    change.interval.lower *= GMC_MORRIS_STEP;
    change.interval.upper *= GMC_MORRIS_STEP;
    return change;
}

/// All numbers of an input in the order of columns.
static int numbers_of(const gmc_showing *s, const gmc_sensitivity_case *found,
                      const gmc_sensitivity_input *input, gmc_showing_number *numbers)
{
    int count = 0;
    switch (s->ways[LEFT_OUT]->kind) {
    case GMC_SENSITIVITY_GIVEN:
        if (found->shapley_draws > 0)
            numbers[count++] = (gmc_showing_number){.name = "shapley", .index = input->shapley};
        numbers[count++] = (gmc_showing_number){
            .name = "first",
            .index = input->first,
            .gain = s->args->surrogate && found->unknown == 0 ? input->gain : 0};
        break;
    case GMC_SENSITIVITY_SOBOL:
        numbers[count++] = (gmc_showing_number){.name = "total", .index = input->total};
        numbers[count++] = (gmc_showing_number){.name = "first", .index = input->first};
        break;
    case GMC_SENSITIVITY_MORRIS:
        if (!s->number)
            numbers[count++] =
                (gmc_showing_number){.name = "changes", .index = change_of(&input->effects)};
        numbers[count++] = (gmc_showing_number){.name = "mu_star", .index = input->effects.size};
        numbers[count++] = (gmc_showing_number){.name = "sigma", .index = input->effects.spread};
        numbers[count++] = (gmc_showing_number){.name = "mu", .index = input->effects.mean};
        break;
    }
    return count;
}

/// Had the trials without an outcome failed, or succeeded, which `numbers` would `name` be? Where
/// it would not be told, nothing is.
static void widen_to(gmc_showing_number *number, const gmc_showing_number *numbers, int count)
{
    gmc_interval *ends = &number->index.interval;
    gmc_index other = {.value = (double)NAN, .interval = {0, 1}};
    for (int k = 0; k < count; k++)
        if (strcmp(numbers[k].name, number->name) == 0) other = numbers[k].index;
    number->from = fmin(number->from, other.value); // passes NaN over
    number->to = fmax(number->to, other.value);
    number->index.is_widened = number->index.is_widened || other.is_widened;
    ends->lower = fmin(ends->lower, other.interval.lower);
    ends->upper = fmax(ends->upper, other.interval.upper);
}

/// The numbers of the `rank`-th input of a case.
static int numbers_at(const gmc_showing *s, int case_index, int rank, gmc_showing_number *numbers)
{
    const gmc_sensitivity_case *found = &s->ways[LEFT_OUT]->cases[case_index];
    int input = found->inputs[rank].input,
        count = numbers_of(s, found, &found->inputs[rank], numbers);
    for (int k = 0; k < count; k++)
        numbers[k].from = numbers[k].to = (double)NAN;
    for (int w = AS_FAILURE; w < s->way_count && found->unknown > 0; w++) {
        gmc_showing_number other[NUMBERS_MAX];
        int others = numbers_of(s, &s->ways[w]->cases[case_index],
                                find(s->ways[w], case_index, input), other);
        for (int k = 0; k < count; k++)
            widen_to(&numbers[k], other, others);
    }
    return count;
}

// ---- in words ---------------------------------------------------------------------------------

/// Which inputs vary together, and what that does.
static void print_together(const gmc_sensitivity *known, bool has_shapley, FILE *out)
{
    int inputs = known->input_count, groups = 0;
    for (int i = 0; i < inputs; i++) {
        int size = 1;
        if (known->together[i] != i) continue;
        for (int k = i + 1; k < inputs; k++) {
            if (known->together[k] != i) continue;
            gmc_terminal_print(out, "%s", size++ == 1 ? "vary together: " : "");
            if (size == 2) gmc_terminal_print(out, "%s", known->names[i]);
            gmc_terminal_print(out, " & %s", known->names[k]);
        }
        if (size > 1) fputc('\n', out);
        groups += size > 1;
    }
    if (groups > 0)
        fprintf(out, "the first order of each of those has what it shares with the others%s\n",
                has_shapley ? ", Shapley effects share that out" : ": they do not add up");
}

static void print_shapley(const gmc_showing *s, FILE *out)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    int64_t least = INT64_MAX, whole = 0;
    for (int c = 0; c < s->plan->case_count; c++) {
        const gmc_sensitivity_case *found = &known->cases[c];
        if (found->shapley_draws == 0 || found->shapley_draws >= least) continue;
        least = found->shapley_draws;
        whole = found->trials - found->unknown;
    }
    bool is_any = least < INT64_MAX;
    if (is_any)
        fprintf(out,
                "Shapley effects: shares that add to 1, for inputs that vary together as well");
    if (is_any && least < whole)
        fprintf(out, "; of the first %" PRId64 " draws, to be done in time", least);
    if (is_any) fputc('\n', out);
    print_together(known, is_any, out);
    if (known->input_count > GMC_SHAPLEY_INPUTS)
        fprintf(out, "Shapley effects are of %d inputs at most\n", GMC_SHAPLEY_INPUTS);
}

static void print_method(const gmc_showing *s, FILE *out)
{
    const gmc_store_plan *plan = s->plan;
    gmc_terminal_print(out, "sensitivity of %s", s->args->sensitivity);
    if (s->criteria) gmc_terminal_print(out, " (%s)", s->args->success);
    fprintf(out, ", %.6g %% intervals, %" PRIu64 " trials", 100 * plan->level, s->trials);
    switch (s->ways[LEFT_OUT]->kind) {
    case GMC_SENSITIVITY_SOBOL:
        fprintf(out, "\nSobol' indices (shares of the variance), t over %d randomisations\n",
                plan->replicas);
        return;
    case GMC_SENSITIVITY_MORRIS:
        fprintf(out, "\nelementary effects of half of an input's probability, over 1/2\n");
        if (!s->number)
            fprintf(out, "changes: the probability that moving it by half of its range changes "
                         "the verdict\n");
        return;
    case GMC_SENSITIVITY_GIVEN:
        break;
    }
    fprintf(out, "\nSobol' indices (shares of the variance) of first order, from draws as given; "
                 "total order needs  --design sensitivity\n");
    print_shapley(s, out);
    if (s->args->surrogate)
        fprintf(out,
                "first order with a surrogate of success, where that tells more than the draws "
                "alone\n");
    if (plan->replicas > 0)
        fprintf(out, "pairs of draws of different randomisations tell, t over %d of them\n",
                plan->replicas);
    if (strcmp(plan->design, "csv") == 0)
        fprintf(out, "rows of a file are taken for independent draws; where columns depend on each "
                     "other each has what it shares with others\n");
    if (plan->stop.kind != GMC_STOP_NEVER)
        fprintf(out,
                "the run could stop early: intervals are those of a run of this fixed length\n");
}

static void print_number(const gmc_showing_number *n, FILE *out)
{
    char text[64] = "      - [0, 1]", marks[2] = "";
    if (n->index.is_idle)
        snprintf(text, sizeof text, "no effect");
    else if (!isnan(n->index.value))
        snprintf(text, sizeof text, "%7.3g [%.3g, %.3g]", n->index.value, n->index.interval.lower,
                 n->index.interval.upper);
    if (n->index.is_widened && !n->index.is_idle) marks[0] = '*';
    gmc_terminal_print(out, "  %-26s%1s", text, marks);
}

static void print_bar(double value, double most, FILE *out)
{
    enum { CELLS = 20 };
    fputs(" |", out);
    for (int i = 0; i < CELLS; i++)
        fputc(most > 0 && value / most * CELLS > i + 0.5 ? '#' : ' ', out);
    fputc('|', out);
}

/// What is to be known of the numbers of a case.
static void print_remarks(const gmc_showing *s, const gmc_sensitivity_case *found, bool is_widened,
                          int64_t idle_blocks, FILE *out)
{
    bool is_given = s->ways[LEFT_OUT]->kind == GMC_SENSITIVITY_GIVEN;
    if (found->unknown == found->trials) {
        gmc_terminal_print(out,
                           "  none of the %" PRId64 " trials has %s: no effect can be computed\n",
                           found->trials, s->number ? "such a number" : "a verdict");
        return;
    }
    if (is_widened)
        fprintf(out, "  * the outcome hardly ever changed with it, or without it: the end is a "
                     "bound\n");
    if (idle_blocks > 0)
        fprintf(out,
                "  no effect: the outcome is the same to the last bit in all %" PRId64
                " blocks; it changes in fewer than %.2g %% of all\n",
                idle_blocks, 100 * gmc_proportion_upper(0, idle_blocks, s->plan->level));
    bool is_constant = found->is_thin && isnan(found->inputs[0].total.value);
    if (is_constant && found->inputs[0].count == 0)
        fprintf(out, "  every block has a trial that is left out: no effect can be computed\n");
    else if (is_constant)
        fprintf(out, "  the outcome is the same in all blocks: no effect can be computed\n");
    else if (found->is_thin)
        fprintf(out, "  the outcome varies in few blocks of a randomisation: intervals may be too "
                     "short, more draws help\n");
    if (found->is_heavy)
        fprintf(
            out,
            "  few draws hold the variance (%.0f alike ones tell as much, %d are enough): too few "
            "for an interval\n  more draws help, or a measure whose largest values are cut "
            "off\n",
            found->tail_draws, GMC_TAIL_ENOUGH);
    if (found->trials - found->unknown < GMC_GIVEN_LEAST)
        fprintf(out, "  too few trials for an answer: %d are enough\n", GMC_GIVEN_LEAST);
    else if (is_given && found->rarer >= 0 && found->rarer < GMC_GIVEN_RARE)
        fprintf(out,
                "  %" PRId64 " trials have the rarer outcome, too few to tell: %d are enough\n",
                found->rarer, GMC_GIVEN_RARE);
}

/// Inputs whose effects say that their intervals may be too short.
static void print_skewed(const gmc_showing *s, const gmc_sensitivity_case *found, FILE *out)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    bool is_first = true;
    for (int i = 0; i < known->input_count; i++) {
        if (!found->inputs[i].effects.is_skewed) continue;
        fputs(is_first ? "  intervals of so few and skewed effects may be too short: " : ", ", out);
        gmc_terminal_print(out, "%s", known->names[found->inputs[i].input]);
        is_first = false;
    }
    if (!is_first) fputc('\n', out);
}

static void print_heads(const gmc_showing *s, int case_index, int width, FILE *out)
{
    gmc_showing_number numbers[NUMBERS_MAX];
    if (s->plan->case_count > 1) fprintf(out, "\ncase %d\n", case_index);
    gmc_terminal_print(out, "  %-*s", width, "input");
    for (int k = 0, count = numbers_at(s, case_index, 0, numbers); k < count; k++)
        gmc_terminal_print(out, "  %7s%-20s",
                           strcmp(numbers[k].name, "mu_star") == 0 ? "mu*" : numbers[k].name, "");
    fputc('\n', out);
}

static void print_case(const gmc_showing *s, int case_index, int width, FILE *out)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    const gmc_sensitivity_case *found = &known->cases[case_index];
    gmc_showing_number numbers[NUMBERS_MAX];
    bool is_widened = false, is_share = true;
    int64_t idle_blocks = 0;
    print_heads(s, case_index, width, out);
    (void)numbers_at(s, case_index, 0, numbers);
    if (strcmp(numbers[0].name, "mu_star") == 0) is_share = false;
    double most = is_share ? 1 : numbers[0].index.value;
    for (int i = 0; i < known->input_count; i++) {
        int count = numbers_at(s, case_index, i, numbers);
        gmc_terminal_print(out, "  %-*s", width, known->names[found->inputs[i].input]);
        for (int k = 0; k < count; k++) {
            print_number(&numbers[k], out);
            bool is_idle = numbers[k].index.is_idle;
            is_widened = is_widened || (numbers[k].index.is_widened && !is_idle);
            if (is_idle) idle_blocks = found->inputs[i].count;
        }
        print_bar(numbers[0].index.value, most, out);
        if (numbers[count - 1].gain > 1)
            fprintf(out, "  first: as of %.2g times as many", numbers[count - 1].gain);
        for (int k = 0; k < count; k++)
            if (numbers[k].from <= numbers[k].to)
                fprintf(out, "%s %s %.3g ... %.3g", k > 0 ? "," : "  unsolved:", numbers[k].name,
                        numbers[k].from, numbers[k].to);
        fputc('\n', out);
    }
    print_skewed(s, found, out);
    print_remarks(s, found, is_widened, idle_blocks, out);
}

static void print_left_out(const gmc_showing *s, FILE *out)
{
    if (s->unknown > 0)
        gmc_terminal_print(out, "left out: %" PRIu64 " trials %s\n", s->unknown,
                           s->number ? "that are unsolved or have no such number"
                                     : "without a verdict; intervals hold them as failures and as "
                                       "successes");
    if (s->cut > 0)
        gmc_terminal_print(
            out,
            "%" PRIu64
            " trials were decided early as successes: what they measured by then is taken as it "
            "is; graspmc run --complete %s  runs them to their end\n",
            s->cut, s->args->input);
}

static void print_words(const gmc_showing *s, FILE *out)
{
    enum { CASES_SHOWN = 20 };
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    int width = 12;
    for (int i = 0; i < known->input_count; i++) {
        int length = (int)strlen(known->names[i]);
        if (length > width) width = length;
    }
    print_method(s, out);
    for (int c = 0; c < s->plan->case_count && c < CASES_SHOWN; c++)
        print_case(s, c, width, out);
    if (s->plan->case_count > CASES_SHOWN)
        fprintf(out, "\n... %d cases more: --json has all\n", s->plan->case_count - CASES_SHOWN);
    print_left_out(s, out);
}

// ---- as JSON ----------------------------------------------------------------------------------

static void put_number(gmc_json *json, const gmc_showing_number *n)
{
    gmc_json_open(json, n->name, '{');
    gmc_json_real(json, "value", n->index.value);
    gmc_json_real(json, "lower", n->index.interval.lower);
    gmc_json_real(json, "upper", n->index.interval.upper);
    gmc_json_flag(json, "is_widened", n->index.is_widened);
    gmc_json_flag(json, "is_idle", n->index.is_idle);
    if (n->gain > 0) gmc_json_real(json, "gain", n->gain);
    gmc_json_real(json, "unsolved_lower", n->from);
    gmc_json_real(json, "unsolved_upper", n->to);
    gmc_json_close(json, '}');
}

static void put_case(gmc_json *json, const gmc_showing *s, int case_index)
{
    const gmc_sensitivity *known = s->ways[LEFT_OUT];
    const gmc_sensitivity_case *found = &known->cases[case_index];
    gmc_json_open(json, NULL, '{');
    gmc_json_whole(json, "case", (uint64_t)case_index);
    gmc_json_whole(json, "trials", (uint64_t)found->trials);
    gmc_json_whole(json, "left_out", (uint64_t)found->unknown);
    gmc_json_flag(json, "is_thin", found->is_thin);
    gmc_json_flag(json, "is_heavy", found->is_heavy);
    if (found->tail_draws > 0) gmc_json_real(json, "tail_draws", found->tail_draws);
    if (known->kind == GMC_SENSITIVITY_GIVEN) {
        gmc_json_whole(json, "shapley_draws", (uint64_t)found->shapley_draws);
        if (found->rarer >= 0) gmc_json_whole(json, "rarer", (uint64_t)found->rarer);
        gmc_json_flag(json, "is_enough",
                      found->trials - found->unknown >= GMC_GIVEN_LEAST &&
                          (found->rarer < 0 || found->rarer >= GMC_GIVEN_RARE));
    }
    gmc_json_open(json, "inputs", '[');
    for (int i = 0; i < known->input_count; i++) {
        gmc_showing_number numbers[NUMBERS_MAX];
        int count = numbers_at(s, case_index, i, numbers);
        gmc_json_open(json, NULL, '{');
        int input = found->inputs[i].input, first = known->together[input];
        gmc_json_text(json, "input", known->names[input]);
        gmc_json_text(json, "together_with", first == input ? "" : known->names[first]);
        gmc_json_whole(json, "n", (uint64_t)found->inputs[i].count);
        if (known->kind == GMC_SENSITIVITY_MORRIS)
            gmc_json_flag(json, "is_skewed", found->inputs[i].effects.is_skewed);
        for (int k = 0; k < count; k++)
            put_number(json, &numbers[k]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void print_json(const gmc_showing *s, FILE *out)
{
    static const char *const KINDS[] = {[GMC_SENSITIVITY_GIVEN] = "given data",
                                        [GMC_SENSITIVITY_SOBOL] = "sobol",
                                        [GMC_SENSITIVITY_MORRIS] = "morris"};
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", s->args->input);
    gmc_json_text(&json, "of", s->args->sensitivity);
    if (s->criteria) gmc_json_text(&json, "criteria", s->args->success);
    gmc_json_text(&json, "method", KINDS[s->ways[LEFT_OUT]->kind]);
    gmc_json_text(&json, "design", s->plan->design);
    if (s->args->surrogate) gmc_json_flag(&json, "surrogate", true);
    gmc_json_real(&json, "level", s->plan->level);
    gmc_json_whole(&json, "trials", s->trials);
    gmc_json_whole(&json, "left_out", s->unknown);
    gmc_json_whole(&json, "decided_early", s->cut);
    gmc_json_open(&json, "cases", '[');
    for (int c = 0; c < s->plan->case_count; c++)
        put_case(&json, s, c);
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

gmc_status gmc_show_sensitivity(const gmc_args *args, gmc_stored *stored,
                                const gmc_store_plan *plan)
{
    gmc_showing s = {.args = args, .plan = plan};
    gmc_status status = collect(&s, stored);
    if (status == GMC_OK && args->json)
        print_json(&s, stdout);
    else if (status == GMC_OK)
        print_words(&s, stdout);
    for (int w = 0; w < WAYS; w++)
        gmc_sensitivity_free(s.ways[w]);
    sensitivity_surrogate_free(&s.surrogate);
    gmc_rescore_close(s.number);
    gmc_rescore_close(s.criteria);
    return status;
}
