#include "sampling/estimate/fixed_width.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/extent.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary_internal.h"

#include <math.h>
#include <stdlib.h>

enum { METHOD_BYTES = 16 };

static const gmc_summary_part *const PARTS[] = {
    &gmc_summary_measured_part, &gmc_summary_intervals_part, &gmc_summary_histograms_part};

static int find_column(const gmc_store_plan *plan, gmc_fixed_column column)
{
    return gmc_column_find(plan->columns, plan->column_count, gmc_fixed_columns[column].name);
}

/// Draws that depend on each other are one unit of an estimate: a block of the design.
static uint64_t draws_of_unit(const gmc_store_plan *plan)
{
    return plan->block > 1 ? (uint64_t)plan->block : 1;
}

static int64_t trials_of_unit(const gmc_store_plan *plan)
{
    return plan->case_count * (int64_t)draws_of_unit(plan);
}

gmc_status gmc_summary_create(const gmc_store_plan *plan, gmc_summary *s)
{
    *s = (gmc_summary){
        .plan = plan,
        .method = gmc_store_method_of(plan),
        .pooled = gmc_pooled_start(trials_of_unit(plan), plan->is_independent && plan->block <= 1),
        .decided_by = find_column(plan, GMC_COLUMN_DECIDED_BY),
        .audit = find_column(plan, GMC_COLUMN_AUDIT),
        .half_step = find_column(plan, GMC_COLUMN_HALF_STEP),
        .half_step_chance = find_column(plan, GMC_COLUMN_HALF_STEP_CHANCE),
        .is_whole = find_column(plan, GMC_COLUMN_IS_WHOLE),
        .step_column = find_column(plan, GMC_COLUMN_STEPS)};
    if (s->method->create) GMC_TRY(s->method->create(s));
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->create) GMC_TRY(PARTS[i]->create(s));
    if (plan->stop.kind != GMC_STOP_NEVER) gmc_pooled_watch(&s->pooled, plan->level);
    if (plan->replicas > 0) gmc_pooled_replicate(&s->pooled, plan->replicas);
    s->cases = calloc((size_t)plan->case_count, sizeof *s->cases);
    s->replicas =
        calloc((size_t)plan->case_count * (size_t)plan->replicas + 1, sizeof *s->replicas);
    s->histograms = calloc((size_t)plan->histogram_count + 1, sizeof *s->histograms);
    s->courses = calloc((size_t)plan->histogram_count + 1, sizeof *s->courses);
    if (!s->cases || !s->histograms || !s->courses || !s->replicas) return GMC_E_MEMORY;
    for (int i = 0; i < plan->histogram_count; i++) {
        const gmc_store_histogram *h = &plan->histograms[i];
        if (h->is_measure) s->courses[i] = gmc_extent_of(plan->columns[h->index[0]].name);
        const gmc_histogram_shape shape = {.dimensions = h->dimensions,
                                           .bins = {h->bins[0], h->bins[1]},
                                           .edges = {h->edges[0], h->edges[1]},
                                           .class_count = GMC_OUTCOME_COUNT,
                                           .case_count = trials_of_unit(plan),
                                           .is_independent =
                                               plan->is_independent && plan->block <= 1};
        GMC_TRY(gmc_histogram_create(&s->histograms[i], &shape));
        if (plan->replicas > 0) GMC_TRY(gmc_histogram_replicate(&s->histograms[i], plan->replicas));
    }
    return GMC_OK;
}

void gmc_summary_free(gmc_summary *s)
{
    for (int i = 0; s->histograms && i < s->plan->histogram_count; i++)
        gmc_histogram_free(&s->histograms[i]);
    if (s->method && s->method->clear) s->method->clear(s);
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->clear) PARTS[i]->clear(s);
    free(s->histograms);
    free(s->courses);
    free(s->cases);
    free(s->replicas);
    *s = (gmc_summary){0};
}

static void count_looks(double found, int64_t *looked, int64_t *wrong)
{
    if (found == GMC_AUDIT_RIGHT || found == GMC_AUDIT_WRONG) ++*looked;
    if (found == GMC_AUDIT_WRONG) ++*wrong;
}

static gmc_step_look look_of(double found)
{
    return found == GMC_AUDIT_RIGHT    ? GMC_STEP_SAME
           : found == GMC_AUDIT_NEARLY ? GMC_STEP_NEARLY
           : found == GMC_AUDIT_WRONG  ? GMC_STEP_OTHER
           : found == GMC_AUDIT_OPEN   ? GMC_STEP_OPEN
                                       : GMC_STEP_NONE;
}

static void add_checks(gmc_summary *s, const gmc_trial *trial)
{
    const double *values = trial->values;
    gmc_summary_checks *checks = &s->checks;
    for (int d = 0; s->decided_by >= 0 && d < GMC_DECISION_COUNT; d++)
        if (values[s->decided_by] == d) checks->decided[d]++;
    if (s->audit >= 0) count_looks(values[s->audit], &checks->audited, &checks->wrong);
    if (s->half_step < 0) return;
    gmc_step_look look = look_of(values[s->half_step]);
    checks->repeated += look != GMC_STEP_NONE;
    checks->differing += look == GMC_STEP_OTHER;
    checks->nearly += look == GMC_STEP_NEARLY;
    bool is_cut =
        trial->outcome == GMC_OUTCOME_LOST || (s->is_whole >= 0 && values[s->is_whole] == 0);
    if (s->half_step_chance >= 0)
        gmc_step_sums_add(&checks->step, gmc_trial_verdict(trial->outcome),
                          values[s->half_step_chance], is_cut, look);
}

void gmc_summary_add(gmc_summary *s, const gmc_trial *trial)
{
    add_checks(s, trial);
    gmc_decision rule = gmc_extent_rule(trial->values, s->decided_by, s->audit);
    gmc_verdict verdict = gmc_trial_verdict(trial->outcome);
    gmc_store_share share =
        s->method->take ? s->method->take(s, trial, verdict) : GMC_STORE_SHARE_ALL;
    if (share == GMC_STORE_SHARE_NONE) return;
    s->outcomes[trial->outcome]++;
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->take) PARTS[i]->take(s, trial, verdict);
    uint64_t unit = trial->draw / draws_of_unit(s->plan);
    if (share == GMC_STORE_SHARE_LEFT_OUT) s->pooled.left_out++;
    if (share == GMC_STORE_SHARE_ALL) gmc_pooled_add(&s->pooled, unit, verdict);
    gmc_tally_add(&s->cases[trial->case_index], verdict);
    uint64_t replicas = (uint64_t)s->plan->replicas;
    if (replicas > 0)
        gmc_tally_add(&s->replicas[trial->case_index * replicas + unit % replicas], verdict);
    for (int i = 0; i < s->plan->histogram_count; i++) {
        const gmc_store_histogram *h = &s->plan->histograms[i];
        const double *from = h->is_measure ? trial->values : trial->samples;
        double value[2] = {from[h->index[0]], h->dimensions > 1 ? from[h->index[1]] : 0.0};
        // what a trial that was cut short had measured by then would be taken for a peak
        bool is_cut = h->is_measure && gmc_extent_is_cut(s->courses[i], rule);
        if (is_cut) value[0] = (double)NAN;
        gmc_histogram_add(&s->histograms[i], unit, value, (int)trial->outcome, verdict);
    }
}

void gmc_summary_pass(gmc_summary *s, const gmc_trial *trial)
{
    uint64_t unit = trial->draw / draws_of_unit(s->plan);
    gmc_pooled_pass(&s->pooled, unit);
    for (int i = 0; i < s->plan->histogram_count; i++)
        gmc_histogram_pass(&s->histograms[i], unit);
}

gmc_status gmc_summary_decide(gmc_summary *s)
{
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        if (PARTS[i]->close) PARTS[i]->close(s);
    return s->method->decide ? s->method->decide(s) : GMC_OK;
}

/// Of one case: short as the rule wants it. Verdicts that the rule did not see have the confidence
/// sequence, which holds whatever made the run stop, and so has another level: for one that stopped
/// at 80 % the rule's interval at 95 % holds in 93.75 % of runs at some p (w = 0.2).
static gmc_estimate fixed_width(const gmc_summary *s)
{
    double level = s->plan->level;
    gmc_estimate all = gmc_pooled_estimate(&s->pooled, level, GMC_METHOD_ANYTIME);
    if (s->is_other || s->plan->stop_level != level) return all;
    return gmc_fixed_width_estimate(all.tally, s->plan->stop.threshold, level);
}

gmc_estimate gmc_summary_total(const gmc_summary *s, gmc_method method)
{
    if (method == GMC_METHOD_FIXED_WIDTH) return fixed_width(s);
    if (s->method->total) return s->method->total(s);
    return gmc_pooled_estimate(&s->pooled, s->plan->level, method); // of a ladder of no trial
}

gmc_estimate gmc_summary_case(const gmc_summary *s, int case_index, gmc_method method)
{
    if (method == GMC_METHOD_FIXED_WIDTH) return fixed_width(s);
    if (s->method->of_case) return s->method->of_case(s, case_index);
    if (s->method->total && s->plan->case_count == 1) return s->method->total(s);
    double level = s->plan->level;
    gmc_tally all = s->cases[case_index];
    if (method != GMC_METHOD_REPLICAS) return gmc_estimate_of(all, level, method);
    int64_t block = (int64_t)draws_of_unit(s->plan);
    gmc_estimate plain = gmc_replicas_plain(all, block, level);
    int replicas = s->plan->replicas;
    return gmc_replicas_estimate(s->replicas + (size_t)case_index * (size_t)replicas, replicas,
                                 gmc_tally_trials(all) / block, &plain);
}

static int64_t decided_of(const gmc_summary_checks *checks)
{
    int64_t sum = 0;
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        sum += checks->decided[d];
    return sum;
}

static double wrong_of(const gmc_summary_checks *checks, double level)
{
    return gmc_proportion_upper(checks->wrong, checks->audited, level);
}

static bool has_parts(const gmc_summary *s)
{
    return s->plan->case_count == 1 && s->plan->block <= 1 &&
           s->plan->stop.kind == GMC_STOP_NEVER && !s->is_other &&
           s->method == &gmc_store_method_plain && !s->intervals;
}

static gmc_estimate alone_of(const gmc_summary *s)
{
    gmc_method methods[2];
    gmc_summary_methods(s->plan, methods);
    return gmc_summary_total(s, methods[0]);
}

static double early_of(const gmc_summary *s, const gmc_estimate *alone)
{
    static const double QUARTER = 0.25;
    const gmc_summary_checks *c = &s->checks;
    int64_t trials = gmc_tally_trials(alone->tally), open = decided_of(c) - c->audited;
    if (!has_parts(s) || c->audited == 0 || trials == 0) return -1;
    double most = wrong_of(c, alone->level) * (double)open / (double)trials;
    gmc_interval sampling = gmc_estimate_sampling(alone);
    bool is_small = most <= QUARTER * 0.5 * (sampling.upper - sampling.lower);
    return c->wrong > 0 || is_small ? fmax(0, most) : -1;
}

gmc_summary_trust gmc_summary_trust_of(const gmc_summary *s)
{
    gmc_estimate alone = alone_of(s);
    gmc_summary_trust trust = {.has_parts = has_parts(s),
                               .decided = decided_of(&s->checks),
                               .wrong = wrong_of(&s->checks, s->plan->level),
                               .early = early_of(s, &alone)};
    if (trust.has_parts) trust.step = gmc_step_shift_of(&s->checks.step, &alone);
    return trust;
}

static double root_of(double a, double b) { return sqrt(a * a + b * b); }

gmc_estimate gmc_summary_headline(const gmc_summary *s, gmc_method method)
{
    gmc_estimate alone = gmc_summary_total(s, method), e = alone;
    if (!has_parts(s) || isnan(e.p)) return e;
    gmc_interval sampling = gmc_estimate_sampling(&alone);
    gmc_step_shift_widen(&s->checks.step, &e);
    double early = early_of(s, &alone);
    if (!(early > 0)) return e;
    e.lower = fmax(0, e.p - root_of(e.p - e.lower, early));
    e.upper = fmin(1, e.p + root_of(e.upper - e.p, early));
    e.sampling_lower = sampling.lower;
    e.sampling_upper = sampling.upper;
    e.has_early = true;
    return e;
}

// ---- estimates ----

enum { RANK_FIELDS = 3 };

/// Fields of /summary/estimates from the second on; of /summary/by_case from the second on.
#define ESTIMATE_COMMON                                                                            \
    {"method", GMC_H5_TEXT, METHOD_BYTES}, {"level", GMC_H5_F64, 0}, {"p", GMC_H5_F64, 0},         \
        {"lo", GMC_H5_F64, 0}, {"hi", GMC_H5_F64, 0}, {"sampling_lo", GMC_H5_F64, 0},              \
        {"sampling_hi", GMC_H5_F64, 0}, {"n", GMC_H5_I64, 0}, {"successes", GMC_H5_I64, 0},        \
        {"failures", GMC_H5_I64, 0}, {"unsolved", GMC_H5_I64, 0}, {"unsolved_lo", GMC_H5_F64, 0},  \
        {"unsolved_hi", GMC_H5_F64, 0}, {"draws", GMC_H5_I64, 0},                                  \
    {                                                                                              \
        "left_out", GMC_H5_I64, 0                                                                  \
    }

static const gmc_h5_field estimate_fields[] = {
    {"name", GMC_H5_TEXT, METHOD_BYTES}, ESTIMATE_COMMON, {"is_widened", GMC_H5_U8, 0}};
// the last RANK_FIELDS of a ranking only
static const gmc_h5_field case_fields[] = {
    {"case", GMC_H5_U32, 0},      ESTIMATE_COMMON,
    {"is_widened", GMC_H5_U8, 0}, {"rank", GMC_H5_U64, 0},
    {"rank_lo", GMC_H5_U64, 0},   {"rank_hi", GMC_H5_U64, 0}};

int gmc_summary_methods(const gmc_store_plan *plan, gmc_method methods[2])
{
    bool is_fixed = gmc_fixed_width_is_used(plan->stop, plan->case_count, plan->stop_level);
    const gmc_store_method *method = gmc_store_method_of(plan);
    methods[1] = GMC_METHOD_CLOPPER_PEARSON;
    methods[0] = is_fixed                            ? GMC_METHOD_FIXED_WIDTH
                 : plan->stop.kind != GMC_STOP_NEVER ? GMC_METHOD_ANYTIME
                 : plan->replicas > 0                ? GMC_METHOD_REPLICAS
                                                     : GMC_METHOD_WILSON;
    if (methods[0] != GMC_METHOD_WILSON) return 1;
    if (method->intervals) return method->intervals(plan, methods);
    methods[0] = method->interval;
    return methods[0] == GMC_METHOD_WILSON ? 2 : 1;
}

static void put_estimate(gmc_layout_row *row, const gmc_estimate *e)
{
    gmc_interval alone = gmc_estimate_sampling(e);
    gmc_layout_put_text(row, gmc_estimate_method_name(e->method), METHOD_BYTES);
    gmc_layout_put_f64(row, e->level);
    gmc_layout_put_f64(row, e->p);
    gmc_layout_put_f64(row, e->lower);
    gmc_layout_put_f64(row, e->upper);
    gmc_layout_put_f64(row, alone.lower);
    gmc_layout_put_f64(row, alone.upper);
    gmc_layout_put_u64(row, (uint64_t)gmc_tally_decided(e->tally));
    gmc_layout_put_u64(row, (uint64_t)e->tally.successes);
    gmc_layout_put_u64(row, (uint64_t)e->tally.failures);
    gmc_layout_put_u64(row, (uint64_t)e->tally.unsolved);
    gmc_layout_put_f64(row, e->unsolved_lower);
    gmc_layout_put_f64(row, e->unsolved_upper);
    gmc_layout_put_u64(row, (uint64_t)e->draws);
    gmc_layout_put_u64(row, (uint64_t)e->left_out);
    gmc_layout_put_u8(row, e->is_widened);
}

static void put_rank(gmc_layout_row *row, const gmc_summary_rank *rank)
{
    gmc_layout_put_u64(row, (uint64_t)rank->place);
    gmc_layout_put_u64(row, (uint64_t)rank->set.lower);
    gmc_layout_put_u64(row, (uint64_t)rank->set.upper);
}

static gmc_status write_estimates(const gmc_summary *s, gmc_h5 *h5)
{
    unsigned char bytes[2 * 256];
    gmc_layout_row rows = {.bytes = bytes};
    gmc_method methods[2];
    int method_count = gmc_summary_methods(s->plan, methods);
    uint64_t count = 0;
    // a share of trials that a rule asked for is of nothing; over an interval there is no one success
    if (s->method->has_no_total || s->intervals) method_count = 0;
    for (int i = 0; i < method_count; i++) {
        gmc_estimate e = gmc_summary_headline(s, methods[i]);
        if (i > 0 && e.method == GMC_METHOD_DRAWS) continue; // the same again
        gmc_layout_put_text(&rows, "success", METHOD_BYTES);
        put_estimate(&rows, &e);
        count++;
    }
    return gmc_h5_stream_table(h5, "/summary/estimates", estimate_fields,
                               GMC_COUNT(estimate_fields), count, bytes);
}

static gmc_status write_cases(const gmc_summary *s, gmc_h5 *h5)
{
    gmc_method methods[2];
    int method_count = gmc_summary_methods(s->plan, methods);
    if (s->method->has_no_total) method_count = 1; // they have one interval
    if (s->intervals) method_count = 0;
    uint64_t count = (uint64_t)s->plan->case_count * (uint64_t)method_count;
    gmc_layout_table table;
    gmc_summary_rank *ranks = NULL;
    if (s->method->ranks) GMC_TRY(s->method->ranks(s, &ranks));
    int field_count = GMC_COUNT(case_fields) - (ranks ? 0 : RANK_FIELDS);
    gmc_status status = gmc_layout_table_start(case_fields, field_count, count, &table);
    for (int c = 0; c < s->plan->case_count && status == GMC_OK; c++) {
        for (int i = 0; i < method_count; i++) {
            gmc_estimate e = s->plan->case_count == 1 && !s->method->has_no_total
                                 ? gmc_summary_headline(s, methods[i])
                                 : gmc_summary_case(s, c, methods[i]);
            gmc_layout_put_u32(&table.rows, (uint32_t)c);
            put_estimate(&table.rows, &e);
            if (ranks) put_rank(&table.rows, &ranks[c]);
        }
    }
    if (status == GMC_OK) status = gmc_layout_table_write(&table, h5, "/summary/by_case");
    free(ranks);
    return status;
}

static gmc_status write_outcomes(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"outcome", GMC_H5_OUTCOME, 0}, {"count", GMC_H5_U64, 0}};
    unsigned char bytes[9 * GMC_OUTCOME_COUNT];
    gmc_layout_row rows = {.bytes = bytes};
    for (unsigned i = 0; i < GMC_OUTCOME_COUNT; i++) {
        gmc_layout_put_u8(&rows, i);
        gmc_layout_put_u64(&rows, s->outcomes[i]);
    }
    return gmc_h5_stream_table(h5, "/summary/outcomes", fields, GMC_COUNT(fields),
                               GMC_OUTCOME_COUNT, bytes);
}

// ---- checks ----

/// A row of /summary/checks.
typedef struct gmc_check_row {
    const char *name, *method;
    int64_t n, found;
    double p;
    gmc_interval interval;
    bool is_in_interval; ///< the headline's
} gmc_check_row;

static void put_check(gmc_layout_row *row, double level, const gmc_check_row *check)
{
    gmc_interval interval = check->interval;
    gmc_layout_put_text(row, check->name, METHOD_BYTES);
    gmc_layout_put_text(row, check->method, METHOD_BYTES);
    gmc_layout_put_f64(row, level);
    gmc_layout_put_u64(row, (uint64_t)check->n);
    gmc_layout_put_u64(row, (uint64_t)check->found);
    gmc_layout_put_f64(row, check->p);
    gmc_layout_put_f64(row, interval.lower);
    gmc_layout_put_f64(row, interval.upper);
    gmc_layout_put_u8(row, check->is_in_interval);
}

static gmc_status write_checks(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, METHOD_BYTES},
                                          {"method", GMC_H5_TEXT, METHOD_BYTES},
                                          {"level", GMC_H5_F64, 0},
                                          {"n", GMC_H5_I64, 0},
                                          {"differ", GMC_H5_I64, 0},
                                          {"p", GMC_H5_F64, 0},
                                          {"lo", GMC_H5_F64, 0},
                                          {"hi", GMC_H5_F64, 0},
                                          {"is_in_interval", GMC_H5_U8, 0}};
    unsigned char bytes[2 * (2 * METHOD_BYTES + 49)];
    gmc_layout_row rows = {.bytes = bytes};
    const gmc_summary_checks *c = &s->checks;
    double level = s->plan->level, unknown = (double)NAN;
    gmc_summary_trust trust = gmc_summary_trust_of(s);
    gmc_step_shift step = trust.step;
    put_check(
        &rows, level,
        &(gmc_check_row){.name = "early",
                         .method = gmc_estimate_method_name(GMC_METHOD_CLOPPER_PEARSON),
                         .n = c->audited,
                         .found = c->wrong,
                         .p = c->audited > 0 ? (double)c->wrong / (double)c->audited : unknown,
                         .interval = {.lower = 0, .upper = trust.wrong},
                         .is_in_interval = trust.early >= 0});
    put_check(&rows, level,
              &(gmc_check_row){.name = "half_step",
                               .method = "weighted",
                               .n = c->repeated,
                               .found = c->differing,
                               .p = step.is_told ? step.change : unknown,
                               .interval =
                                   step.is_told ? step.interval : (gmc_interval){unknown, unknown},
                               .is_in_interval = step.is_told});
    return gmc_h5_stream_table(h5, "/summary/checks", fields, GMC_COUNT(fields), 2, bytes);
}

static gmc_status write_decided(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {{"by", GMC_H5_TEXT, METHOD_BYTES},
                                          {"count", GMC_H5_U64, 0}};
    unsigned char bytes[(METHOD_BYTES + 8) * GMC_DECISION_COUNT];
    gmc_layout_row rows = {.bytes = bytes};
    for (int d = 0; d < GMC_DECISION_COUNT; d++) {
        gmc_layout_put_text(&rows, gmc_decision_name((gmc_decision)d), METHOD_BYTES);
        gmc_layout_put_u64(&rows, (uint64_t)s->checks.decided[d]);
    }
    return gmc_h5_stream_table(h5, "/summary/decided", fields, GMC_COUNT(fields),
                               GMC_DECISION_COUNT, bytes);
}

gmc_status gmc_summary_write(gmc_summary *s, gmc_h5 *h5)
{
    GMC_TRY(gmc_summary_decide(s));
    GMC_TRY(gmc_h5_group(h5, "/summary"));
    GMC_TRY(write_estimates(s, h5));
    GMC_TRY(write_cases(s, h5));
    GMC_TRY(write_outcomes(s, h5));
    GMC_TRY(write_checks(s, h5));
    GMC_TRY(write_decided(s, h5));
    if (s->method->write) GMC_TRY(s->method->write(s, h5));
    for (int i = 0; i < GMC_COUNT(PARTS); i++)
        GMC_TRY(PARTS[i]->write(s, h5));
    return GMC_OK;
}
