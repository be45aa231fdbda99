// The first file's verdicts are kept, a few bytes a trial; the second is walked along them. Trial
// numbers are draw * cases + case in both, so that a pair is a number.
#include "sampling/findings/pairing.h"

#include "sampling/estimate/pooled.h"
#include "sampling/store/method.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gmc_fixed_column MEASURES[GMC_PAIRING_MEASURES] = {GMC_COLUMN_LIFT, GMC_COLUMN_SLIP,
                                                                GMC_COLUMN_MAX_FORCE};

/// Sum of a measure over the pairs of one draw or randomisation.
typedef struct unit {
    double sum;
    int64_t count;
} unit;

typedef struct walk {
    const gmc_pairing_side *sides;
    const gmc_result_info *about[2];
    gmc_pairing *out;
    gmc_pooled pooled[2];
    int columns[2][GMC_PAIRING_MEASURES]; ///< of the measures; -1: the file has none
    int half_step[2];                     ///< column of each; -1: the file has none
    gmc_verdict *verdicts;                ///< (about[0]->count) of the first file
    double *values;                       ///< (about[0]->count, GMC_PAIRING_MEASURES)
    int side;

    uint64_t draw; ///< of the pairs that came last
    int64_t draw_pairs;
    gmc_paired_draw current;
    unit units[GMC_PAIRING_MEASURES][GMC_REPLICAS_MOST]; ///< [0] of the current draw, or one each
} walk;

// ---- may they be compared? --------------------------------------------------------------------

static gmc_status refuse(gmc_diagnostics *messages, gmc_status status, const char *path,
                         const char *hint, const char *what)
{
    gmc_diagnostics_add(messages, status, (gmc_source){.file = path}, hint, "%s", what);
    return status;
}

/// What is not the same about their chance; NULL: it is the same.
static const char *other_chance(const walk *w)
{
    const gmc_result_info *a = w->about[0], *b = w->about[1];
    if (a->seed != b->seed) return "their seeds differ";
    if (strcmp(a->design, b->design) != 0) return "their designs differ";
    if (a->case_count > 1 && w->sides[0].is_independent != w->sides[1].is_independent)
        return "only one of them has draws of its own for every case";
    if (a->first >= b->first + b->count || b->first >= a->first + a->count)
        return "they have no draw in common";
    return NULL;
}

static gmc_status check(const walk *w, gmc_diagnostics *messages)
{
    const gmc_result_info *a = w->about[0], *b = w->about[1];
    for (int k = 0; k < 2; k++)
        if (w->about[k]->is_sparse && !w->about[k]->method->is_of_cases)
            return refuse(messages, GMC_E_INPUT, w->sides[k].path,
                          "run it without  sampling.subset  and  sampling.two_level",
                          "subset simulation, or a pilot, chose its trials by what others showed: "
                          "they make no "
                          "pairs");
    for (int k = 0; k < 2; k++)
        if (w->about[k]->is_sparse)
            return refuse(messages, GMC_E_INPUT, w->sides[k].path,
                          "run the study without its ladder or rank",
                          "its trials were chosen by what others showed: they make no pairs");
    for (int k = 0; k < 2; k++)
        if (strcmp(w->about[k]->design, "sensitivity") == 0 ||
            strcmp(w->about[k]->design, "morris") == 0)
            return refuse(
                messages, GMC_E_INPUT, w->sides[k].path, "run with random draws, or sobol",
                "its draws tell inputs apart and depend on each other: they make no pairs");
    for (int k = 0; k < 2; k++)
        if (w->sides[k].is_weighted)
            return refuse(messages, GMC_E_INPUT, w->sides[k].path,
                          "run without sampling.importance",
                          "importance sampling gave its draws weights: pairs count alike");
    for (int k = 0; k < 2; k++)
        if (w->sides[k].has_intervals)
            return refuse(messages, GMC_E_INPUT, w->sides[k].path,
                          "run with the numbers fixed, or with laws",
                          "over an interval there is no one success to compare");
    if (a->case_count != b->case_count) {
        char what[96];
        snprintf(what, sizeof what,
                 "number of cases: %d here, %d in the first file; pairs are made case by case",
                 b->case_count, a->case_count);
        return refuse(messages, GMC_E_MISMATCH, w->sides[1].path, NULL, what);
    }
    bool is_even = w->sides[0].replicas > 0 && w->sides[1].replicas > 0;
    bool is_hypercube = strcmp(a->design, "latin_hypercube") == 0;
    if (!other_chance(w) && is_even &&
        (w->sides[0].replicas != w->sides[1].replicas || (is_hypercube && a->total != b->total)))
        return refuse(messages, GMC_E_MISMATCH, w->sides[1].path,
                      "the same number of draws, or another seed",
                      "the same seed, but another number of draws or randomisations: chance is "
                      "shared, yet not draw by draw");
    return GMC_OK;
}

// ---- taking trials in -------------------------------------------------------------------------

static void add_unit(const unit *u, gmc_pairing_measure *measure)
{
    if (u->count == 0) return;
    gmc_moments_add(&measure->units, u->sum / (double)u->count);
    gmc_tail_add(&measure->tail, u->sum / (double)u->count);
}

static void close_measures(walk *w)
{
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++) {
        add_unit(&w->units[m][0], &w->out->measures[m]);
        w->units[m][0] = (unit){0};
    }
}

static void close_draw(walk *w)
{
    bool is_whole = w->draw_pairs == w->out->case_count;
    if (is_whole)
        gmc_paired_add(&w->out->paired, w->draw, &w->current);
    else
        w->out->left_out += w->draw_pairs;
    w->draw_pairs = 0;
    w->current = (gmc_paired_draw){0};
    if (w->sides[0].replicas == 0) close_measures(w);
}

static void add_measures(walk *w, const double *first, const gmc_trial *second)
{
    int replicas = w->sides[0].replicas;
    uint64_t place = replicas > 0 ? second->draw % (uint64_t)replicas : 0;
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++) {
        if (w->columns[0][m] < 0 || w->columns[1][m] < 0) continue;
        double moved = second->values[w->columns[1][m]] - first[m];
        if (!isfinite(moved)) continue;
        w->units[m][place].sum += moved;
        w->units[m][place].count++;
        w->out->measures[m].pairs++;
    }
}

static void add_pair(walk *w, const gmc_trial *second)
{
    uint64_t row = second->trial - w->about[0]->first;
    gmc_verdict verdicts[2] = {w->verdicts[row], gmc_trial_verdict(second->outcome)};
    if (second->draw != w->draw) close_draw(w);
    w->draw = second->draw;
    w->draw_pairs++;
    gmc_paired_put(&w->current, verdicts[0], verdicts[1]);
    gmc_paired_draw alone = {0};
    gmc_paired_put(&alone, verdicts[0], verdicts[1]);
    gmc_pairing_case *c = &w->out->cases[second->case_index];
    c->cells.both += alone.decided.both;
    c->cells.only_first += alone.decided.only_first;
    c->cells.only_second += alone.decided.only_second;
    c->cells.neither += alone.decided.neither;
    c->open += gmc_paired_count(alone.decided) == 0;
    if (alone.decided.both && !w->out->is_stopped)
        add_measures(w, &w->values[row * GMC_PAIRING_MEASURES], second);
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    walk *w = context;
    const gmc_result_info *first = w->about[0];
    if (trial->case_index >= (uint32_t)w->out->case_count) return GMC_E_INPUT;
    gmc_verdict verdict = gmc_trial_verdict(trial->outcome);
    gmc_pooled_add(&w->pooled[w->side], trial->draw, verdict);
    gmc_tally_add(&w->out->cases[trial->case_index].sides[w->side], verdict);
    int half_step = w->half_step[w->side];
    w->out->repeated[w->side] += half_step >= 0 && trial->values[half_step] > 0;
    if (!w->out->is_paired) return GMC_OK;
    bool is_common = trial->trial >= first->first && trial->trial - first->first < first->count;
    if (w->side == 1 && is_common) add_pair(w, trial);
    if (w->side == 1) return GMC_OK;
    uint64_t row = trial->trial - first->first;
    w->verdicts[row] = verdict;
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++)
        w->values[row * GMC_PAIRING_MEASURES + (uint64_t)m] =
            w->columns[0][m] < 0 ? (double)NAN : trial->values[w->columns[0][m]];
    return GMC_OK;
}

// ---- the whole --------------------------------------------------------------------------------

static int column_of(const gmc_result_info *about, const gmc_column *wanted)
{
    for (int i = 0; i < about->column_count; i++)
        if (strcmp(about->columns[i].name, wanted->name) == 0 &&
            strcmp(about->columns[i].unit, wanted->unit) == 0)
            return i;
    return -1;
}

static gmc_status prepare(walk *w, double level)
{
    gmc_pairing *out = w->out;
    const gmc_result_info *a = w->about[0];
    out->case_count = a->case_count;
    out->is_stopped = a->stop.kind != GMC_STOP_NEVER || w->about[1]->stop.kind != GMC_STOP_NEVER;
    out->why_not = other_chance(w);
    out->is_paired = !out->why_not;
    out->cases = calloc((size_t)out->case_count, sizeof *out->cases);
    if (!out->cases) return GMC_E_MEMORY;
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++) {
        const gmc_column *column = &gmc_fixed_columns[MEASURES[m]];
        out->measures[m] = (gmc_pairing_measure){.name = column->name, .unit = column->unit};
        for (int k = 0; k < 2; k++)
            w->columns[k][m] = column_of(w->about[k], column);
    }
    for (int k = 0; k < 2; k++) {
        w->half_step[k] = column_of(w->about[k], &gmc_fixed_columns[GMC_COLUMN_HALF_STEP]);
        w->pooled[k] = gmc_pooled_start(out->case_count, w->sides[k].is_independent);
        if (w->sides[k].replicas > 0) gmc_pooled_replicate(&w->pooled[k], w->sides[k].replicas);
        // of runs that could stop the ends are subtracted: both hold together at `level`
        if (out->is_stopped)
            gmc_pooled_watch(&w->pooled[k], out->is_paired ? level : 0.5 * (1 + level));
    }
    if (!out->is_paired) return GMC_OK;
    out->paired = gmc_paired_start(out->case_count, w->sides[0].is_independent,
                                   w->sides[0].replicas, out->is_stopped, level);
    w->verdicts = malloc(((size_t)a->count + 1) * sizeof *w->verdicts);
    w->values = malloc(((size_t)a->count + 1) * GMC_PAIRING_MEASURES * sizeof *w->values);
    return w->verdicts && w->values ? GMC_OK : GMC_E_MEMORY;
}

static void finish(walk *w, double level)
{
    gmc_pairing *out = w->out;
    int64_t pairs = 0;
    if (out->is_paired) close_draw(w);
    if (out->is_paired && w->sides[0].replicas > 0)
        for (int m = 0; m < GMC_PAIRING_MEASURES; m++)
            for (int r = 0; r < w->sides[0].replicas; r++)
                add_unit(&w->units[m][r], &out->measures[m]);
    for (int c = 0; c < out->case_count; c++)
        pairs += gmc_paired_count(out->cases[c].cells) + out->cases[c].open;
    for (int k = 0; k < 2; k++) {
        bool is_watched = out->is_stopped && !out->is_paired;
        gmc_method method = out->is_stopped            ? GMC_METHOD_ANYTIME
                            : w->sides[k].replicas > 0 ? GMC_METHOD_REPLICAS
                                                       : GMC_METHOD_WILSON;
        out->alone[k] = (int64_t)w->about[k]->count - pairs;
        out->totals[k] =
            gmc_pooled_estimate(&w->pooled[k], is_watched ? 0.5 * (1 + level) : level, method);
    }
    out->difference = out->totals[1].p - out->totals[0].p;
    out->apart = out->is_stopped ? gmc_difference_bounds(&out->totals[0], &out->totals[1])
                                 : gmc_difference_apart(&out->totals[0], &out->totals[1]);
}

gmc_status gmc_pairing_read(const gmc_pairing_side sides[2], double level,
                            gmc_diagnostics *messages, gmc_pairing *pairing)
{
    *pairing = (gmc_pairing){0};
    walk *w = calloc(1, sizeof *w);
    if (!w) return GMC_E_MEMORY;
    w->sides = sides;
    w->out = pairing;
    for (int k = 0; k < 2; k++)
        w->about[k] = gmc_result_about(sides[k].result);
    gmc_status status = check(w, messages);
    if (status == GMC_OK) status = prepare(w, level);
    for (w->side = 0; w->side < 2 && status == GMC_OK; w->side++)
        status = gmc_result_trials(sides[w->side].result, take_in, w);
    if (status == GMC_OK) finish(w, level);
    free(w->verdicts);
    free(w->values);
    free(w);
    return status;
}

void gmc_pairing_free(gmc_pairing *pairing)
{
    free(pairing->cases);
    *pairing = (gmc_pairing){0};
}
