// `show --failures`: how trials fail, how often each way, the rule of one or two inputs that tells
// it from the rest (sampling/explain/rule.h), and where it is likeliest
// (sampling/explain/likeliest.h).
//
// Rules may name what a study decides; where a failure is likeliest is a question about chance
// alone. Unsolved trials are of no kind: they count on either side of its share, and no rule sees
// them.
#include "cli/answer/answer.h"
#include "cli/commands/show.h"
#include "cli/process/terminal.h"
#include "sampling/explain/likeliest.h"
#include "sampling/explain/rule.h"
#include "sampling/findings/kinds.h"
#include "sampling/store/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char OPTION[] = "--failures";

enum { KINDS_MOST = 32, KINDS_SHOWN = 8, SUCCESS = -1, UNSOLVED = -2, NAME_BYTES = 512 };

typedef struct gmc_failure_trial {
    uint64_t trial, draw;
    uint32_t case_index;
    int kind; ///< SUCCESS, UNSOLVED
} gmc_failure_trial;

typedef struct gmc_failure_kind {
    gmc_kind is;
    bool is_rest; ///< all kinds for which there was no room
    int64_t count;
    gmc_estimate share; ///< of all trials
    gmc_rule_found rule;
    bool has_rule;           ///< it is better than chance
    gmc_likeliest likeliest; ///< rows among the solved
} gmc_failure_kind;

typedef struct gmc_showing_failures {
    const gmc_args *args;
    const gmc_store_plan *plan;
    gmc_kinds *known;
    gmc_failure_kind kinds[KINDS_MOST];
    int kind_count;
    gmc_failure_trial *trials; ///< (count)
    double *samples;           ///< (count, parameter_count)
    int64_t count, failures, unsolved;
    int64_t solved;
    int64_t *rows;                        ///< (solved) trials
    uint64_t *units;                      ///< (solved)
    unsigned char *is_member, *is_tested; ///< (solved)
    int inputs, chances;                  ///< what differs from trial to trial; of it, chance alone
    int *columns, *chance_columns;
    double *x, *drawn, *scores; ///< (solved, inputs), (solved, chances) twice
} gmc_showing_failures;

// ---- collecting -------------------------------------------------------------------------------

static int kind_of(gmc_showing_failures *s, const gmc_trial *trial)
{
    if (trial->outcome == GMC_OUTCOME_SUCCESS) return SUCCESS;
    if (trial->outcome == GMC_OUTCOME_UNSOLVED) return UNSOLVED;
    gmc_kind kind = gmc_kinds_of(s->known, trial);
    int k = 0;
    while (k < s->kind_count && !s->kinds[k].is_rest && !gmc_kinds_equal(&s->kinds[k].is, &kind))
        k++;
    if (k == s->kind_count)
        s->kinds[s->kind_count++] = (gmc_failure_kind){.is = kind, .is_rest = k == KINDS_MOST - 1};
    s->kinds[k].count++;
    return k;
}

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    gmc_showing_failures *s = context;
    if (trial->case_index >= (uint32_t)s->plan->case_count) return GMC_E_INPUT;
    int kind = kind_of(s, trial);
    s->failures += kind >= 0;
    s->unsolved += kind == UNSOLVED;
    memcpy(s->samples + s->count * s->plan->parameter_count, trial->samples,
           (size_t)s->plan->parameter_count * sizeof *s->samples);
    s->trials[s->count++] = (gmc_failure_trial){
        .trial = trial->trial, .draw = trial->draw, .case_index = trial->case_index, .kind = kind};
    return GMC_OK;
}

static gmc_status check_run(const gmc_showing_failures *s, gmc_stored *stored)
{
    const gmc_args *args = s->args;
    if (gmc_store_plan_is_sparse(s->plan)) return gmc_stored_refuse_chosen(stored, OPTION);
    if (s->plan->weight_bound > 0) return gmc_stored_refuse_weighted(stored, OPTION);
    if (args->success || args->where || args->by || args->rebins.count > 0 || args->sensitivity ||
        args->surrogate || args->quantile || args->stop.kind != GMC_STOP_NEVER)
        return gmc_stored_refuse(
            stored, OPTION, NULL,
            "it uses all trials and their stored verdicts: only --level and --json go with it");
    return GMC_OK;
}

/// Does a parameter differ between trials?
static bool varies(const gmc_showing_failures *s, int parameter)
{
    double first = (double)NAN;
    for (int64_t i = 0; i < s->count; i++) {
        double value = s->samples[i * s->plan->parameter_count + parameter];
        if (isnan(value)) continue;
        if (!isnan(first) && (value < first || value > first)) return true;
        first = value;
    }
    return false;
}

static gmc_status make_room(gmc_showing_failures *s, uint64_t trials)
{
    size_t count = (size_t)trials + 1, parameters = (size_t)s->plan->parameter_count + 1;
    s->trials = malloc(count * sizeof *s->trials);
    s->samples = malloc(count * parameters * sizeof *s->samples);
    s->rows = malloc(count * sizeof *s->rows);
    s->units = malloc(count * sizeof *s->units);
    s->is_member = calloc(count, 1);
    s->is_tested = calloc(count, 1);
    s->columns = malloc(parameters * sizeof *s->columns);
    s->chance_columns = malloc(parameters * sizeof *s->chance_columns);
    s->x = malloc(count * parameters * sizeof *s->x);
    s->drawn = malloc(count * parameters * sizeof *s->drawn);
    s->scores = malloc(count * parameters * sizeof *s->scores);
    bool has_room = s->trials && s->samples && s->rows && s->units && s->is_member &&
                    s->is_tested && s->columns && s->chance_columns && s->x && s->drawn &&
                    s->scores;
    return has_room ? GMC_OK : GMC_E_MEMORY;
}

static void choose_inputs(gmc_showing_failures *s)
{
    for (int j = 0; j < s->plan->parameter_count; j++) {
        if (!varies(s, j)) continue;
        s->columns[s->inputs++] = j;
        if (!s->plan->parameters[j].is_studied) s->chance_columns[s->chances++] = j;
    }
}

/// Draws that belong together are not parted.
static uint64_t unit_of(const gmc_showing_failures *s, uint64_t draw)
{
    return s->plan->block > 1 ? draw / (uint64_t)s->plan->block : draw;
}

static void fill_rows(gmc_showing_failures *s)
{
    uint64_t cases = s->plan->is_independent ? 1 : (uint64_t)s->plan->case_count;
    for (int64_t i = 0; i < s->count; i++) {
        const gmc_failure_trial *t = &s->trials[i];
        const double *from = s->samples + i * s->plan->parameter_count;
        if (t->kind == UNSOLVED) continue;
        uint64_t unit = unit_of(s, t->draw);
        bool is_first = s->plan->block <= 1 || t->draw % (uint64_t)s->plan->block == 0;
        s->units[s->solved] = unit;
        // of cases that share a draw one tells
        s->is_tested[s->solved] = is_first && (cases == 1 || t->case_index == unit % cases);
        for (int j = 0; j < s->inputs; j++)
            s->x[s->solved * s->inputs + j] = from[s->columns[j]];
        for (int j = 0; j < s->chances; j++)
            s->drawn[s->solved * s->chances + j] = from[s->chance_columns[j]];
        s->rows[s->solved++] = i;
    }
}

// ---- estimates --------------------------------------------------------------------------------

/// The share of trials of a kind, by all that the run's design is.
static gmc_status share_of(const gmc_showing_failures *s, int kind, gmc_estimate *share)
{
    gmc_store_plan plan = *s->plan;
    gmc_summary summary;
    gmc_method methods[2];
    plan.histogram_count = 0;
    plan.column_count = 0;
    gmc_status status = gmc_summary_create(&plan, &summary);
    summary.is_other = true; // a stopping rule looked at success
    for (int64_t i = 0; i < s->count && status == GMC_OK; i++) {
        const gmc_failure_trial *t = &s->trials[i];
        gmc_trial trial = {.case_index = t->case_index,
                           .draw = t->draw,
                           .outcome = t->kind == UNSOLVED ? GMC_OUTCOME_UNSOLVED
                                      : t->kind == kind   ? GMC_OUTCOME_SUCCESS
                                                          : GMC_OUTCOME_MISSED};
        gmc_summary_add(&summary, &trial);
    }
    if (status == GMC_OK) status = gmc_summary_decide(&summary);
    gmc_summary_methods(&plan, methods);
    if (status == GMC_OK) *share = gmc_summary_total(&summary, methods[0]);
    gmc_summary_free(&summary);
    return status;
}

static gmc_status look_at(gmc_showing_failures *s, int kind)
{
    gmc_failure_kind *k = &s->kinds[kind];
    for (int64_t i = 0; i < s->solved; i++)
        s->is_member[i] = s->trials[s->rows[i]].kind == kind;
    const gmc_rule_rows rows = {.count = s->solved,
                                .inputs = s->inputs,
                                .x = s->x,
                                .unit = s->units,
                                .is_member = s->is_member,
                                .is_tested = s->is_tested};
    const gmc_likeliest_rows drawn = {.count = s->solved, .inputs = s->chances, .x = s->drawn};
    GMC_TRY(share_of(s, kind, &k->share));
    GMC_TRY(gmc_rule_find(&rows, &k->rule));
    k->likeliest = gmc_likeliest_of(&drawn, s->scores, s->is_member);
    return GMC_OK;
}

static int more(const void *a, const void *b)
{
    const gmc_failure_kind *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/// The most frequent first; trials follow.
static void sort_kinds(gmc_showing_failures *s)
{
    int64_t first[KINDS_MOST]; // a trial of each kind tells where it went
    int place[KINDS_MOST];
    gmc_failure_kind before[KINDS_MOST];
    memcpy(before, s->kinds, sizeof before);
    for (int k = 0; k < s->kind_count; k++)
        for (first[k] = 0; s->trials[first[k]].kind != k;)
            first[k]++;
    qsort(s->kinds, (size_t)s->kind_count, sizeof *s->kinds, more);
    for (int k = 0; k < s->kind_count; k++)
        for (place[k] = 0; before[k].is_rest != s->kinds[place[k]].is_rest ||
                           !gmc_kinds_equal(&before[k].is, &s->kinds[place[k]].is);)
            place[k]++;
    for (int64_t i = 0; i < s->count; i++)
        if (s->trials[i].kind >= 0) s->trials[i].kind = place[s->trials[i].kind];
}

static gmc_status collect(gmc_showing_failures *s, gmc_stored *stored)
{
    GMC_TRY(check_run(s, stored));
    if (!gmc_answer_fits(stored->info, s->plan)) return GMC_E_MISMATCH;
    GMC_TRY(gmc_kinds_create(&stored->prepared.scenario, s->plan, &s->known));
    GMC_TRY(make_room(s, stored->info->count));
    GMC_TRY(gmc_result_trials(stored->result, take_in, s));
    choose_inputs(s);
    fill_rows(s);
    sort_kinds(s);
    const gmc_likeliest_rows drawn = {.count = s->solved, .inputs = s->chances, .x = s->drawn};
    GMC_TRY(gmc_likeliest_scores(&drawn, s->scores));
    for (int k = 0; k < s->kind_count; k++)
        GMC_TRY(look_at(s, k));
    for (int k = 0; k < s->kind_count; k++) // all kinds together are sure by the level
        s->kinds[k].has_rule = s->kinds[k].rule.rule.term_count > 0 &&
                               s->kinds[k].rule.chance * s->kind_count <= 1 - s->plan->level;
    return GMC_OK;
}

// ---- what both forms say ----------------------------------------------------------------------

/// Name of the phase that could not be carried out; NULL: it was not for that.
static const char *phase_of(const gmc_showing_failures *s, const gmc_failure_kind *k)
{
    bool is_known = !k->is_rest && k->is.phase >= 0 && k->is.phase < s->plan->phase_count;
    return is_known ? s->plan->phases[k->is.phase] : NULL;
}

/// "violated: slip(object, hand) <= 10 mm", "unreachable: phase move_to: a joint would ..."
static char *name_of(const gmc_showing_failures *s, const gmc_failure_kind *k, char *text)
{
    size_t used = (size_t)snprintf(text, NAME_BYTES, "%s%s",
                                   k->is_rest ? "all others" : gmc_outcome_name(k->is.outcome),
                                   k->is.is_falling ? ": nothing could catch it any more" : "");
    const char *before = ": ", *phase = phase_of(s, k);
    if (phase && used < NAME_BYTES)
        used += (size_t)snprintf(text + used, NAME_BYTES - used, ": phase %s", phase);
    if (k->is.reason != GMC_REASON_NONE && !k->is_rest && used < NAME_BYTES)
        used += (size_t)snprintf(text + used, NAME_BYTES - used, ": %s",
                                 gmc_reason_about(k->is.reason));
    for (int i = 0; i < gmc_kinds_count(s->known) && !k->is_rest && used < NAME_BYTES; i++) {
        if (!(k->is.broken >> i & 1)) continue;
        used += (size_t)snprintf(text + used, NAME_BYTES - used, "%s%s", before,
                                 gmc_kinds_criterion(s->known, i));
        before = "; ";
    }
    return text;
}

static const gmc_store_parameter *parameter_of(const gmc_showing_failures *s, int input)
{
    return &s->plan->parameters[s->columns[input]];
}

static const char *unit_text(const gmc_store_parameter *parameter)
{
    return strcmp(parameter->unit, "1") == 0 ? "" : parameter->unit;
}

/// "friction.rubber/abs < 0.136", "x < -0.003 m or x > 0.003 m"
static void term_text(const gmc_showing_failures *s, const gmc_rule_term *t, bool is_one_of_two,
                      char *text)
{
    const gmc_store_parameter *p = parameter_of(s, t->input);
    const char *unit = unit_text(p), *blank = *unit ? " " : "";
    if (t->is_outside)
        snprintf(text, NAME_BYTES, "%s%s < %.6g%s%s or %s > %.6g%s%s%s", is_one_of_two ? "(" : "",
                 p->name, t->lower, blank, unit, p->name, t->upper, blank, unit,
                 is_one_of_two ? ")" : "");
    else if (!isfinite(t->lower))
        snprintf(text, NAME_BYTES, "%s < %.6g%s%s", p->name, t->upper, blank, unit);
    else if (!isfinite(t->upper))
        snprintf(text, NAME_BYTES, "%s > %.6g%s%s", p->name, t->lower, blank, unit);
    else
        snprintf(text, NAME_BYTES, "%s > %.6g%s%s and %s < %.6g%s%s", p->name, t->lower, blank,
                 unit, p->name, t->upper, blank, unit);
}

static void rule_text(const gmc_showing_failures *s, const gmc_rule *rule, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < rule->term_count; k++) {
        char term[NAME_BYTES];
        term_text(s, &rule->terms[k], rule->term_count > 1, term);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", k > 0 ? " and " : "", term);
    }
}

/// The range of an input over the members around the likeliest.
static gmc_interval around(const gmc_showing_failures *s, const gmc_likeliest *l, int chance)
{
    gmc_interval range = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < l->around_count; i++) {
        double value = s->drawn[l->around[i] * s->chances + chance];
        range.lower = fmin(range.lower, value);
        range.upper = fmax(range.upper, value);
    }
    return range;
}

/// Of trials that lie nearer to the middle fewer than this fail so; NaN: trials that do not depend
/// on each other would tell, these do.
static double nearer_fail(const gmc_showing_failures *s, const gmc_likeliest *l)
{
    const gmc_store_plan *plan = s->plan;
    bool is_plain = plan->replicas == 0 && plan->block <= 1 && plan->stop.kind == GMC_STOP_NEVER &&
                    (plan->case_count == 1 || plan->is_independent);
    if (!is_plain) return (double)NAN;
    return gmc_proportion_upper(0, l->nearer, s->plan->level);
}

/// Of a share of the trials that a rule is judged by, one of each draw. @return NaN: trials of a
/// design, or of a run that stopped for what it saw, do not tell
static gmc_interval judged_interval(const gmc_showing_failures *s, int64_t hits, int64_t count)
{
    if (s->plan->replicas > 0 || s->plan->stop.kind != GMC_STOP_NEVER)
        return (gmc_interval){(double)NAN, (double)NAN};
    return gmc_proportion_clopper_pearson(hits, count, s->plan->level);
}

// ---- in words ---------------------------------------------------------------------------------

static void print_interval(const gmc_showing_failures *s, int64_t hits, int64_t count, FILE *out)
{
    const gmc_interval i = judged_interval(s, hits, count);
    if (i.lower >= 0) fprintf(out, " [%.3f, %.3f]", i.lower, i.upper);
}

static void print_rule(const gmc_showing_failures *s, const gmc_failure_kind *k, FILE *out)
{
    char text[2 * NAME_BYTES + 8];
    const gmc_rule_found *f = &k->rule;
    if (!k->has_rule) {
        fprintf(out, "    rule: none found that these trials tell from chance%s\n",
                k->count < GMC_RULE_LEAST ? ": too few" : "");
        return;
    }
    rule_text(s, &f->rule, text, sizeof text);
    gmc_terminal_print(out, "    rule: %s\n", text);
    fprintf(out, "      tested on %" PRId64 " trials left out of the search: precision %.3g",
            f->count, f->precision);
    print_interval(s, f->hits, f->chosen, out);
    fprintf(out, ", %" PRId64 " of the %" PRId64 " that meet the rule fail this way; recall %.3g",
            f->hits, f->chosen, f->recall);
    print_interval(s, f->hits, f->members, out);
    fprintf(out, ", %" PRId64 " of the %" PRId64 " that fail this way meet the rule\n", f->hits,
            f->members);
}

static void print_likeliest(const gmc_showing_failures *s, const gmc_failure_kind *k, FILE *out)
{
    const gmc_likeliest *l = &k->likeliest;
    if (l->row < 0 || s->chances == 0) return;
    fprintf(out, "    likeliest %.2g sd from the middle, trial %" PRIu64 ":", l->distance,
            s->trials[s->rows[l->row]].trial);
    for (int j = 0; j < s->chances; j++) {
        const gmc_store_parameter *p = &s->plan->parameters[s->chance_columns[j]];
        gmc_interval range = around(s, l, j);
        double value = s->drawn[l->row * s->chances + j];
        if (isnan(value)) continue;
        gmc_terminal_print(out, "%s %s %.3g", j > 0 ? "," : "", p->name, value);
        fprintf(out, " (%.3g ... %.3g)%s%s", range.lower, range.upper, *unit_text(p) ? " " : "",
                unit_text(p));
    }
    if (l->nearer == 0) {
        fputs("\n      no trial is nearer to the middle\n", out);
        return;
    }
    fprintf(out, "\n      none of %" PRId64 " trials nearer to the middle fails so", l->nearer);
    double bound = nearer_fail(s, l);
    if (bound < 1)
        fprintf(out, ", %.6g %% sure that fewer than %.2g %% of such do", 100 * s->plan->level,
                100 * bound);
    fputc('\n', out);
}

static void print_words(const gmc_showing_failures *s, FILE *out)
{
    fprintf(out, "%" PRId64 " of %" PRId64 " trials fail, in %d way%s", s->failures,
            s->count - s->unsolved, s->kind_count, s->kind_count == 1 ? "" : "s");
    if (s->unsolved > 0) fprintf(out, "; %" PRId64 " unsolved", s->unsolved);
    fputc('\n', out);
    for (int i = 0; i < s->kind_count && i < KINDS_SHOWN; i++) {
        const gmc_failure_kind *k = &s->kinds[i];
        char name[NAME_BYTES], share[GMC_ESTIMATE_TEXT_MAX];
        gmc_terminal_print(out, "  %s: ", name_of(s, k, name));
        fprintf(out, "%" PRId64 " of them\n", k->count);
        gmc_terminal_print(out, "    of trials with a verdict %s\n",
                           gmc_estimate_text(&k->share, share));
        print_rule(s, k, out);
        print_likeliest(s, k, out);
    }
    if (s->kind_count > KINDS_SHOWN)
        fprintf(out, "... %d ways more: --json has all\n", s->kind_count - KINDS_SHOWN);
    if (s->kind_count == 0) return;
    fprintf(out,
            "rules: that chance alone shows any has a probability of %.6g %% at most; intervals of "
            "precision and recall: Clopper-Pearson, each %.6g %%\n",
            100 * (1 - s->plan->level), 100 * s->plan->level);
    fprintf(
        out,
        "likeliest: the failing trial whose draws are most probable, sd by their ranks among all "
        "trials; in brackets those of up to %d more like it\n",
        GMC_LIKELIEST_AROUND - 1);
}

// ---- as JSON ----------------------------------------------------------------------------------

/// "precision", "precision_lower", "precision_upper"
static void put_judged(gmc_json *json, const gmc_showing_failures *s, const char *name,
                       int64_t hits, int64_t count)
{
    const gmc_interval interval = judged_interval(s, hits, count);
    char end[32];
    gmc_json_real(json, name, (double)hits / (double)count);
    snprintf(end, sizeof end, "%s_lower", name);
    gmc_json_real(json, end, interval.lower);
    snprintf(end, sizeof end, "%s_upper", name);
    gmc_json_real(json, end, interval.upper);
}

static void put_rule(gmc_json *json, const gmc_showing_failures *s, const gmc_failure_kind *k)
{
    char text[2 * NAME_BYTES + 8];
    const gmc_rule_found *f = &k->rule;
    if (!k->has_rule) {
        gmc_json_text(json, "rule", NULL);
        return;
    }
    gmc_json_open(json, "rule", '{');
    rule_text(s, &f->rule, text, sizeof text);
    gmc_json_text(json, "text", text);
    gmc_json_open(json, "terms", '[');
    for (int i = 0; i < f->rule.term_count; i++) {
        const gmc_rule_term *t = &f->rule.terms[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "input", parameter_of(s, t->input)->name);
        gmc_json_text(json, "unit", parameter_of(s, t->input)->unit);
        gmc_json_real(json, "lower", t->lower);
        gmc_json_real(json, "upper", t->upper);
        gmc_json_flag(json, "is_outside", t->is_outside);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    put_judged(json, s, "precision", f->hits, f->chosen);
    put_judged(json, s, "recall", f->hits, f->members);
    gmc_json_whole(json, "hits", (uint64_t)f->hits);
    gmc_json_whole(json, "chosen", (uint64_t)f->chosen);
    gmc_json_whole(json, "members", (uint64_t)f->members);
    gmc_json_whole(json, "trials", (uint64_t)f->count);
    gmc_json_real(json, "chance", f->chance);
    gmc_json_close(json, '}');
}

static void put_likeliest(gmc_json *json, const gmc_showing_failures *s, const gmc_failure_kind *k)
{
    const gmc_likeliest *l = &k->likeliest;
    if (l->row < 0 || s->chances == 0) {
        gmc_json_text(json, "likeliest", NULL);
        return;
    }
    gmc_json_open(json, "likeliest", '{');
    gmc_json_whole(json, "trial", s->trials[s->rows[l->row]].trial);
    gmc_json_real(json, "distance", l->distance);
    gmc_json_whole(json, "nearer", (uint64_t)l->nearer);
    gmc_json_real(json, "nearer_fail", nearer_fail(s, l));
    gmc_json_open(json, "inputs", '[');
    for (int j = 0; j < s->chances; j++) {
        const gmc_store_parameter *p = &s->plan->parameters[s->chance_columns[j]];
        gmc_interval range = around(s, l, j);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "input", p->name);
        gmc_json_text(json, "unit", p->unit);
        gmc_json_real(json, "value", s->drawn[l->row * s->chances + j]);
        gmc_json_real(json, "least", range.lower);
        gmc_json_real(json, "most", range.upper);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

static void print_json(const gmc_showing_failures *s, FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", s->args->input);
    gmc_json_whole(&json, "trials", (uint64_t)s->count);
    gmc_json_whole(&json, "failures", (uint64_t)s->failures);
    gmc_json_whole(&json, "unsolved", (uint64_t)s->unsolved);
    gmc_json_real(&json, "level", s->plan->level);
    gmc_json_open(&json, "kinds", '[');
    for (int i = 0; i < s->kind_count; i++) {
        const gmc_failure_kind *k = &s->kinds[i];
        char name[NAME_BYTES];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "name", name_of(s, k, name));
        gmc_json_text(&json, "outcome", k->is_rest ? NULL : gmc_outcome_name(k->is.outcome));
        bool has_reason = k->is.reason != GMC_REASON_NONE && !k->is_rest;
        gmc_json_text(&json, "phase", phase_of(s, k));
        gmc_json_text(&json, "reason", has_reason ? gmc_reason_name(k->is.reason) : NULL);
        gmc_json_open(&json, "criteria", '[');
        for (int c = 0; c < gmc_kinds_count(s->known); c++)
            if (k->is.broken >> c & 1 && !k->is_rest)
                gmc_json_text(&json, NULL, gmc_kinds_criterion(s->known, c));
        gmc_json_close(&json, ']');
        gmc_json_whole(&json, "count", (uint64_t)k->count);
        gmc_answer_put_estimate(&json, "share", &k->share);
        put_rule(&json, s, k);
        put_likeliest(&json, s, k);
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

// ---- begin and end ----------------------------------------------------------------------------

static void free_all(gmc_showing_failures *s)
{
    void *const ALL[] = {s->trials,    s->samples,   s->rows,    s->units,
                         s->is_member, s->is_tested, s->columns, s->chance_columns,
                         s->x,         s->drawn,     s->scores};
    for (int i = 0; i < GMC_COUNT(ALL); i++)
        free(ALL[i]);
    gmc_kinds_free(s->known);
    free(s);
}

gmc_status gmc_show_failures(const gmc_args *args, gmc_stored *stored, const gmc_store_plan *plan)
{
    gmc_showing_failures *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->args = args;
    s->plan = plan;
    gmc_status status = collect(s, stored);
    if (status == GMC_OK && args->json)
        print_json(s, stdout);
    else if (status == GMC_OK)
        print_words(s, stdout);
    free_all(s);
    return status;
}
