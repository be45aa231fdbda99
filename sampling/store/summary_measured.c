// What measurements behind inputs leave open: of each case, and of all cases of a draw. Which row a
// draw took, and which number of a fit, follows from its number: nothing more than it is stored.
#include "sampling/hdf5/h5.h"
#include "sampling/scenario/perturb.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

#include <math.h>
#include <stdlib.h>

struct gmc_summary_measured {
    gmc_measured *laws;
    double *at;               ///< (inputs) of the open draw
    const double *weights;    ///< of it
    uint64_t draw;            ///< its number
    gmc_tally open;           ///< its trials
    gmc_measured_sums total;  ///< of draws that are whole
    gmc_measured_sums *cases; ///< (case_count); NULL: one case, or too many
};

typedef struct gmc_summary_measured gmc_summary_measured_state;

static bool is_told(const gmc_store_plan *plan)
{
    return plan->measured && !plan->measured->untold;
}

static gmc_status create_laws(const gmc_store_measured *from, gmc_measured **laws)
{
    gmc_measured_input *inputs = calloc((size_t)from->count, sizeof *inputs);
    if (!inputs) return GMC_E_MEMORY;
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        inputs[i] = (gmc_measured_input){&line->distribution, line->name_hash};
    }
    gmc_status status = gmc_measured_create(inputs, from->count, laws);
    free(inputs);
    return status;
}

static gmc_status measured_create(gmc_summary *s)
{
    const gmc_store_plan *plan = s->plan;
    if (!is_told(plan)) return GMC_OK;
    gmc_summary_measured_state *m = s->measured = calloc(1, sizeof *m);
    if (!m) return GMC_E_MEMORY;
    m->at = calloc((size_t)plan->measured->count, sizeof *m->at);
    if (!m->at) return GMC_E_MEMORY;
    GMC_TRY(create_laws(plan->measured, &m->laws));
    GMC_TRY(gmc_measured_sums_create(&m->total));
    if (plan->case_count < 2 || plan->case_count > GMC_SUMMARY_MEASURED_CASES) return GMC_OK;
    m->cases = calloc((size_t)plan->case_count, sizeof *m->cases);
    if (!m->cases) return GMC_E_MEMORY;
    for (int c = 0; c < plan->case_count; c++)
        GMC_TRY(gmc_measured_sums_create(&m->cases[c]));
    return GMC_OK;
}

void gmc_summary_measured_drop(gmc_summary *s)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    for (int c = 0; m->cases && c < s->plan->case_count; c++)
        gmc_measured_sums_free(&m->cases[c]);
    gmc_measured_sums_free(&m->total);
    gmc_measured_free(m->laws);
    free(m->cases);
    free(m->at);
    free(m);
    s->measured = NULL;
}

static gmc_measured_trials shares(gmc_tally of)
{
    double n = (double)gmc_tally_trials(of);
    return (gmc_measured_trials){(double)of.failures / n, (double)of.unsolved / n};
}

/// Trials behind one weight: those of a draw, or each where cases have draws of their own.
static int64_t trials_of_draw(const gmc_store_plan *plan)
{
    return plan->is_independent ? 1 : plan->case_count;
}

static void measured_close(gmc_summary *s)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    int64_t trials = gmc_tally_trials(m->open);
    if (trials > 0 && trials == trials_of_draw(s->plan))
        gmc_measured_add(&m->total, m->weights, shares(m->open), 1);
    m->open = (gmc_tally){0};
}

static void weigh(gmc_summary_measured_state *m, const gmc_store_measured *from,
                  const gmc_trial *trial)
{
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        m->at[i] =
            gmc_perturb_measured(from->scenario, line, (int64_t)trial->case_index, trial->draw);
    }
    m->weights = gmc_measured_weigh(m->laws, m->at);
    m->draw = trial->draw;
}

static void measured_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    gmc_summary_measured_state *m = s->measured;
    if (!m) return;
    bool is_next = gmc_tally_trials(m->open) == 0 || trial->draw != m->draw;
    if (is_next || s->plan->is_independent) {
        measured_close(s);
        weigh(m, s->plan->measured, trial);
    }
    gmc_tally one = {0};
    gmc_tally_add(&one, verdict);
    gmc_tally_merge(&m->open, one);
    if (m->cases) gmc_measured_add(&m->cases[trial->case_index], m->weights, shares(one), 1);
}

gmc_measured_answer gmc_summary_measured(const gmc_summary *s, int case_index,
                                         const gmc_estimate *alone)
{
    const gmc_summary_measured_state *m = s->measured;
    gmc_measured_answer answer = {.interval = {0, 1}};
    if (!m) return answer;
    const gmc_measured_sums *of = &m->total;
    if (case_index >= 0 && s->plan->case_count > 1) of = m->cases ? &m->cases[case_index] : NULL;
    if (of) answer = gmc_measured_interval(m->laws, of, s->plan->level);
    answer.interval.lower = fmin(answer.interval.lower, alone->lower);
    answer.interval.upper = fmax(answer.interval.upper, alone->upper);
    return answer;
}

// ---- file -------------------------------------------------------------------------------------

enum { INPUT_BYTES = 120, FORM_BYTES = 16 };

static gmc_status write_inputs(const gmc_store_measured *from, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"input", GMC_H5_TEXT, INPUT_BYTES},
                                          {"form", GMC_H5_TEXT, FORM_BYTES},
                                          {"measurements", GMC_H5_I64, 0}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)from->count, &table));
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        gmc_layout_put_text(&table.rows, line->rows ? line->rows : line->path, INPUT_BYTES);
        gmc_layout_put_text(&table.rows, line->rows ? "samples" : "fit", FORM_BYTES);
        gmc_layout_put_u64(&table.rows, (uint64_t)gmc_measured_count(&line->distribution));
    }
    return gmc_layout_table_write(&table, h5, "/measurements/inputs");
}

static void put_answer(const gmc_summary *s, int case_index, gmc_layout_row *row)
{
    gmc_method methods[2];
    (void)gmc_summary_methods(s->plan, methods);
    gmc_estimate alone = case_index < 0 ? gmc_summary_total(s, methods[0])
                                        : gmc_summary_case(s, case_index, methods[0]);
    gmc_measured_answer answer = gmc_summary_measured(s, case_index, &alone);
    gmc_layout_put_u64(row, (uint64_t)(int64_t)case_index);
    gmc_layout_put_f64(row, s->plan->level);
    gmc_layout_put_f64(row, answer.interval.lower);
    gmc_layout_put_f64(row, answer.interval.upper);
    gmc_layout_put_f64(row, answer.effective);
}

static gmc_status measured_write(gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"case", GMC_H5_I64, 0},
                                          {"level", GMC_H5_F64, 0},
                                          {"lo", GMC_H5_F64, 0},
                                          {"hi", GMC_H5_F64, 0},
                                          {"effective", GMC_H5_F64, 0}};
    const gmc_store_measured *from = s->plan->measured;
    if (!from) return GMC_OK;
    GMC_TRY(gmc_h5_group(h5, "/measurements"));
    GMC_TRY(gmc_h5_text(h5, "/measurements", "untold", from->untold ? from->untold : ""));
    GMC_TRY(write_inputs(from, h5));
    gmc_layout_table table;
    int cases = s->measured && s->measured->cases ? s->plan->case_count : 0;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)cases + 1, &table));
    for (int c = -1; s->measured && c < cases; c++)
        put_answer(s, c, &table.rows);
    return gmc_layout_table_write(&table, h5, "/measurements/success");
}

const gmc_summary_part gmc_summary_measured_part = {.create = measured_create,
                                                    .clear = gmc_summary_measured_drop,
                                                    .take = measured_take,
                                                    .close = measured_close,
                                                    .write = measured_write};
