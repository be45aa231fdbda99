// graspmc rank: the cases of a result in order, and the best of them as a grasp file.
//
// The order and its places are made in sampling/store/case_order.h; here they are printed, and the
// best are handed on as a grasp file with the lower end of their interval as confidence.
#include "cli/answer/answer.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "cli/process/text_file.h"
#include "engine/grasp/measure.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/kendall.h"
#include "sampling/estimate/moments.h"
#include "sampling/store/case_order.h"
#include "sampling/writing/write_grasps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Columns that say how good a grasp is by its contacts alone, and their means in each case.
typedef struct gmc_quality_means {
    int *columns; ///< (count)
    int count;
    gmc_moments *moments;  ///< (case_count x count)
    gmc_kendall *together; ///< (count) with success, over the cases
    int *cases;            ///< (count) that have both
} gmc_quality_means;

typedef struct gmc_ranked {
    const gmc_args *args;
    gmc_stored stored;
    gmc_description description;
    gmc_answer answer;
    gmc_case_order ranking;
    int *groups;  ///< NULL: all in one
    int64_t best; ///< that are shown or written, of each group
    gmc_quality_means qualities;
} gmc_ranked;

// --- quality and success ---
//
// Does epsilon say which grasp will do? Over the cases: the mean of a quality in a case's trials
// against its share of success. A trial whose object is lost has the quality of what is left in the
// hand, as the column holds it: at the end.

enum { TOGETHER_MOST = 20000 }; // cases: pairs of all are looked at

static bool is_quality(const gmc_column *column)
{
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        size_t length = strlen(gmc_measure_infos[i].name);
        if (gmc_measure_infos[i].is_costly && column->name[length] == '(' &&
            strncmp(column->name, gmc_measure_infos[i].name, length) == 0)
            return true;
    }
    return false;
}

static gmc_status add_qualities(void *context, const gmc_trial *trial)
{
    gmc_ranked *r = context;
    gmc_quality_means *q = &r->qualities;
    for (int k = 0; k < q->count; k++)
        gmc_moments_add(&q->moments[(size_t)trial->case_index * (size_t)q->count + (size_t)k],
                        trial->values[q->columns[k]]);
    return GMC_OK;
}

/// Cases with a share of success and a finite mean of quality k: into x and y. @return how many
static int pair_up(const gmc_ranked *r, int k, double *x, double *y)
{
    int count = 0, cases = r->description.plan.case_count;
    for (int c = 0; c < cases; c++)
        y[c] = NAN;
    for (int i = 0; i < r->ranking.count; i++) // in the order of cases, not in that of success
        y[r->ranking.rows[i].case_index] = r->ranking.rows[i].estimate.p;
    for (int c = 0; c < cases; c++) {
        const gmc_moments *m =
            &r->qualities.moments[(size_t)c * (size_t)r->qualities.count + (size_t)k];
        if (m->count == 0 || isnan(y[c])) continue;
        x[count] = m->mean;
        y[count++] = y[c];
    }
    return count;
}

static gmc_status find_together(gmc_ranked *r, double level)
{
    const gmc_store_plan *plan = &r->description.plan;
    gmc_quality_means *q = &r->qualities;
    size_t columns = (size_t)plan->column_count + 1, cases = (size_t)plan->case_count;
    q->columns = malloc(columns * sizeof *q->columns);
    if (!q->columns) return GMC_E_MEMORY;
    for (int i = 0; i < plan->column_count; i++)
        if (is_quality(&plan->columns[i])) q->columns[q->count++] = i;
    if (q->count == 0 || plan->case_count > TOGETHER_MOST) {
        q->count = 0;
        return GMC_OK;
    }
    q->moments = calloc(cases * (size_t)q->count, sizeof *q->moments);
    q->together = calloc((size_t)q->count, sizeof *q->together);
    q->cases = calloc((size_t)q->count, sizeof *q->cases);
    double *x = malloc(2 * cases * sizeof *x);
    gmc_status status = q->moments && q->together && q->cases && x ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_result_trials(r->stored.result, add_qualities, r);
    for (int k = 0; k < q->count && status == GMC_OK; k++) {
        q->cases[k] = pair_up(r, k, x, x + cases);
        q->together[k] = gmc_kendall_of(x, x + cases, q->cases[k], level);
    }
    free(x);
    return status;
}

static void free_qualities(gmc_quality_means *q)
{
    free(q->columns);
    free(q->moments);
    free(q->together);
    free(q->cases);
}

static void print_together(const gmc_ranked *r)
{
    const gmc_quality_means *q = &r->qualities;
    for (int k = 0; k < q->count; k++) {
        const gmc_kendall *found = &q->together[k];
        const char *name = r->description.plan.columns[q->columns[k]].name;
        if (isnan(found->tau))
            gmc_terminal_print(stdout,
                               "%s and success: no order over %d cases, one of the two is the same "
                               "in all\n",
                               name, q->cases[k]);
        else if (found->interval.lower == -1 && found->interval.upper == 1)
            gmc_terminal_print(stdout,
                               "%s and success: Kendall's tau %.3g over %d cases, without an "
                               "interval: %s\n",
                               name, found->tau, q->cases[k],
                               q->cases[k] < GMC_KENDALL_LEAST ? "they are too few"
                               : found->is_perfect
                                   ? "the orders agree as far as ties let them, in too few pairs"
                                   : "the orders hang on one case");
        else
            gmc_terminal_print(stdout,
                               "%s and success: Kendall's tau %.3g [%.3g, %.3g] %.10g %% %s over "
                               "%d cases, means of their trials\n",
                               name, found->tau, found->interval.lower, found->interval.upper,
                               100 * r->ranking.level,
                               found->is_perfect ? "independent pairs" : "jackknife", q->cases[k]);
    }
}

// --- in words ---

static bool has_objects(const gmc_store_plan *plan)
{
    for (int c = 1; c < plan->case_count; c++)
        if (strcmp(plan->cases[c].object, plan->cases[0].object) != 0) return true;
    return false;
}

static void print_heading(const gmc_ranked *r)
{
    const gmc_store_plan *plan = &r->description.plan;
    gmc_terminal_print(stdout, "\n%5s  %-11s %6s", "rank", "places", "case");
    if (has_objects(plan)) gmc_terminal_print(stdout, "  %-12s", "object");
    if (plan->cases[0].grasp) gmc_terminal_print(stdout, "  %-16s", "grasp");
    for (int i = 0; i < plan->parameter_count; i++)
        if (gmc_answer_is_listed(&plan->parameters[i]))
            gmc_terminal_print(stdout, "  %s [%s]", plan->parameters[i].name,
                               plan->parameters[i].unit);
    printf("  success\n");
}

static void print_row(const gmc_ranked *r, const gmc_case_order_row *row)
{
    const gmc_store_plan *plan = &r->description.plan;
    const gmc_store_case *c = &plan->cases[row->case_index];
    char places[48], text[GMC_ESTIMATE_TEXT_MAX];
    snprintf(places, sizeof places, "%" PRId64 "...%" PRId64, row->set.lower, row->set.upper);
    if (row->set.lower == row->set.upper)
        snprintf(places, sizeof places, "%" PRId64, row->set.lower);
    gmc_terminal_print(stdout, "%4" PRId64 "%c  %-11s %6d", row->place, row->is_tied ? '=' : ' ',
                       places, row->case_index);
    if (has_objects(plan)) gmc_terminal_print(stdout, "  %-12s", c->object);
    if (c->grasp) gmc_terminal_print(stdout, "  %-16s", c->grasp);
    for (int i = 0; i < plan->parameter_count; i++) {
        if (!gmc_answer_is_listed(&plan->parameters[i])) continue;
        size_t width = strlen(plan->parameters[i].name) + strlen(plan->parameters[i].unit) + 3;
        printf("  %*.6g", (int)width, c->values[i]);
    }
    gmc_terminal_print(stdout, "  %s", gmc_estimate_text(&row->estimate, text));
    char verdict[GMC_ANSWER_RANKING_TEXT];
    if (plan->ranking)
        gmc_terminal_print(stdout, "; %s",
                           gmc_answer_ranking_verdict(&r->answer, row->case_index, verdict));
    gmc_answer_ladder.of_case(&r->answer, row->case_index, stdout);
    putchar('\n');
}

/// Cases of a group that may be among its best, but are not shown as such.
static int64_t count_rivals(const gmc_ranked *r, int group)
{
    int64_t rivals = 0, seen = 0;
    for (int i = 0; i < r->ranking.count; i++) {
        const gmc_case_order_row *row = &r->ranking.rows[i];
        if (row->group != group) continue;
        rivals += seen++ >= r->best && row->may_be_best;
    }
    return rivals;
}

static void print_rivals(const gmc_ranked *r, int group)
{
    enum { SHOWN = 20 };
    int64_t rivals = count_rivals(r, group), seen = 0, shown = 0;
    if (rivals == 0) return;
    gmc_terminal_print(stdout,
                       "%" PRId64 " more may be among the best %" PRId64
                       ", for all that these trials tell: case%s",
                       rivals, r->best, rivals == 1 ? "" : "s");
    for (int i = 0; i < r->ranking.count; i++) {
        const gmc_case_order_row *row = &r->ranking.rows[i];
        if (row->group != group || seen++ < r->best || !row->may_be_best) continue;
        if (shown++ < SHOWN) printf(" %d", row->case_index);
    }
    gmc_terminal_print(stdout, "%s\n", shown > SHOWN ? " ..." : "");
}

static void print_group(const gmc_ranked *r, int from, int to)
{
    const gmc_store_plan *plan = &r->description.plan;
    int group = r->ranking.rows[from].group;
    if (r->ranking.group_count > 1)
        gmc_terminal_print(stdout, "\nobject %s",
                           plan->cases[r->ranking.rows[from].case_index].object);
    print_heading(r);
    for (int i = from; i < to && i - from < r->best; i++)
        print_row(r, &r->ranking.rows[i]);
    if (to - from > r->best) printf("  ... %" PRId64 " cases more\n", to - from - r->best);
    print_rivals(r, group);
}

static void print(const gmc_ranked *r)
{
    const gmc_store_plan *plan = &r->description.plan;
    gmc_answer_ranking_print(&r->answer, stdout);
    gmc_terminal_print(stdout,
                       "%d cases by the lower end of success%s; the places of all hold together at "
                       "%.10g %% (%s)\n",
                       plan->case_count, plan->ranking ? ", those chosen first" : "",
                       100 * r->ranking.level, r->ranking.method);
    for (int from = 0, to; from < r->ranking.count; from = to) {
        for (to = from; to < r->ranking.count; to++)
            if (r->ranking.rows[to].group != r->ranking.rows[from].group) break;
        print_group(r, from, to);
    }
    print_together(r);
}

// --- as JSON ---

static void put_row(gmc_json *json, const gmc_ranked *r, const gmc_case_order_row *row,
                    bool is_best)
{
    const gmc_store_plan *plan = &r->description.plan;
    const gmc_store_case *c = &plan->cases[row->case_index];
    const gmc_estimate *e = &row->estimate;
    gmc_json_open(json, NULL, '{');
    gmc_json_whole(json, "case", (uint64_t)row->case_index);
    gmc_json_text(json, "object", c->object);
    if (c->grasp) gmc_json_text(json, "grasp", c->grasp);
    gmc_json_whole(json, "rank", (uint64_t)row->place);
    gmc_json_flag(json, "tied", row->is_tied);
    gmc_json_whole(json, "rank_lower", (uint64_t)row->set.lower);
    gmc_json_whole(json, "rank_upper", (uint64_t)row->set.upper);
    gmc_json_flag(json, "best", is_best);
    gmc_json_flag(json, "may_be_best", row->may_be_best);
    gmc_json_open(json, "values", '{');
    gmc_answer_put_chosen(json, plan, row->case_index);
    gmc_json_close(json, '}');
    gmc_json_real(json, "p", e->p);
    gmc_json_real(json, "lower", e->lower);
    gmc_json_real(json, "upper", e->upper);
    gmc_json_text(json, "method", gmc_estimate_method_name(e->method));
    gmc_answer_put_tally(json, &e->tally);
    gmc_json_close(json, '}');
}

static void put_together(gmc_json *json, const gmc_ranked *r)
{
    const gmc_quality_means *q = &r->qualities;
    gmc_json_open(json, "quality", '[');
    for (int k = 0; k < q->count; k++) {
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "column", r->description.plan.columns[q->columns[k]].name);
        gmc_json_real(json, "tau", q->together[k].tau);
        gmc_json_real(json, "lower", q->together[k].interval.lower);
        gmc_json_real(json, "upper", q->together[k].interval.upper);
        gmc_json_whole(json, "cases", (uint64_t)q->cases[k]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void print_json(const gmc_ranked *r)
{
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "result", r->args->input);
    gmc_json_real(&json, "level", r->ranking.level);
    gmc_json_text(&json, "method", r->ranking.method);
    gmc_json_whole(&json, "best", (uint64_t)r->best);
    gmc_json_text(&json, "per", r->ranking.group_count > 1 ? "object" : "all");
    gmc_answer_rank.json(&r->answer, &json);
    gmc_json_open(&json, "cases", '[');
    int64_t seen = 0;
    for (int i = 0; i < r->ranking.count; i++) {
        const gmc_case_order_row *row = &r->ranking.rows[i];
        if (i > 0 && row->group != row[-1].group) seen = 0;
        put_row(&json, r, row, seen++ < r->best);
    }
    gmc_json_close(&json, ']');
    put_together(&json, r);
    gmc_json_close(&json, '}');
    putchar('\n');
}

// --- as grasp files ---

static gmc_status put_text(void *text, FILE *out)
{
    return fputs(text, out) < 0 ? GMC_E_IO : GMC_OK;
}

/// What the study chose and the file of one object cannot hold.
static gmc_status warn_of_lost(gmc_ranked *r, const char *file, int object)
{
    char *lost = NULL;
    GMC_TRY(gmc_write_grasps_lost(&r->stored.prepared.scenario, object, &lost));
    if (lost[0])
        gmc_diagnostics_add(&r->stored.messages, GMC_OK, (gmc_source){.file = file},
                            "a CSV file holds all that the study chose: -o BEST.csv",
                            "isaac_grasp holds poses and joint positions, not %.300s", lost);
    free(lost);
    return GMC_OK;
}

static gmc_status write_object(gmc_ranked *r, const gmc_grasps_choice *choices, int count,
                               int object)
{
    const gmc_scenario *s = &r->stored.prepared.scenario;
    char *name = NULL, *text = NULL;
    gmc_status status = gmc_write_grasps_file(s, object, r->args->out, &name);
    if (status == GMC_OK)
        status = gmc_write_grasps(s, choices, count, object, gmc_grasps_style_of(name), &text);
    if (status == GMC_OK)
        status = gmc_text_file_write(name, r->args->force, r->args->input, put_text, text,
                                     &r->stored.messages);
    if (status == GMC_OK && !r->args->json) gmc_terminal_print(stdout, "output %s\n", name);
    if (status == GMC_OK && gmc_grasps_style_of(name) == GMC_GRASPS_ISAAC)
        status = warn_of_lost(r, r->args->out, object);
    free(name);
    free(text);
    return status == GMC_E_MISSING ? GMC_OK : status; // none of the best has this object
}

static gmc_status write_files(gmc_ranked *r)
{
    const gmc_scenario *s = &r->stored.prepared.scenario;
    gmc_grasps_choice *choices = malloc((size_t)r->ranking.count * sizeof *choices);
    if (!choices) return GMC_E_MEMORY;
    int count = 0;
    int64_t seen = 0;
    for (int i = 0; i < r->ranking.count; i++) {
        const gmc_case_order_row *row = &r->ranking.rows[i];
        if (i > 0 && row->group != row[-1].group) seen = 0;
        if (seen++ < r->best)
            choices[count++] = (gmc_grasps_choice){.case_index = row->case_index,
                                                   .confidence = row->estimate.lower};
    }
    gmc_status status = GMC_OK;
    for (int o = 0; o < s->object_count && status == GMC_OK; o++)
        status = write_object(r, choices, count, o);
    free(choices);
    return status;
}

// --- order ---

/// Of each object, or of all: as asked for, else as the study has it.
static gmc_status find_groups(gmc_ranked *r, int *group_count)
{
    const gmc_store_plan *plan = &r->description.plan;
    bool is_per_object =
        r->args->per == GMC_ARGS_PER_OBJECT || (plan->ranking && plan->ranking->group_count > 1);
    *group_count = 1;
    if (!is_per_object) return GMC_OK;
    r->groups = malloc((size_t)plan->case_count * sizeof *r->groups);
    if (!r->groups) return GMC_E_MEMORY;
    *group_count = gmc_rollouts_groups(&r->stored.prepared.scenario, r->groups);
    return GMC_OK;
}

static gmc_status rank(gmc_ranked *r)
{
    enum { BEST = 10 };
    const gmc_args *args = r->args;
    const gmc_result_info *info = r->stored.info;
    gmc_diagnostics *messages = &r->stored.messages;
    if (info->case_count < 2) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "a study has several", "there is one case: nothing to rank");
        return GMC_E_INPUT;
    }
    if (info->round.after) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "graspmc merge puts it together with the others",
                            "this is part %.32s of a round of a ranking: it cannot be ranked alone",
                            info->shard);
        return GMC_E_INPUT;
    }
    const gmc_answer_how how = {0}; // as it was judged
    int group_count;
    GMC_TRY(gmc_stored_describe(&r->stored, args->level, &r->description));
    const gmc_store_plan *plan = &r->description.plan;
    GMC_TRY(gmc_answer_collect(r->stored.result, plan, &how, args->input, &r->answer));
    GMC_TRY(find_groups(r, &group_count));
    r->best = args->best.is_given ? (int64_t)args->best.value
              : plan->ranking     ? plan->ranking->best
                                  : BEST;
    const gmc_case_order_asked asked = {r->best, r->groups, group_count};
    GMC_TRY(
        gmc_case_order_make(r->stored.result, &r->answer.summary, &asked, messages, &r->ranking));
    GMC_TRY(find_together(r, r->ranking.level));
    if (args->json)
        print_json(r);
    else
        print(r);
    return args->out ? write_files(r) : GMC_OK;
}

gmc_exit gmc_rank_main(const gmc_args *args)
{
    gmc_ranked r = {.args = args};
    gmc_status status = gmc_stored_open(args->input, &r.stored);
    if (status == GMC_OK) status = rank(&r);
    const gmc_ranking *ranking = r.answer.plan ? r.answer.summary.ranking : NULL;
    bool is_open = ranking && gmc_ranking_ended(ranking) != GMC_RANKING_REACHED;
    gmc_case_order_free(&r.ranking);
    free(r.groups);
    free_qualities(&r.qualities);
    gmc_answer_free(&r.answer);
    gmc_description_free(&r.description);
    gmc_stored_close(&r.stored, "rank", status);
    return status == GMC_OK && is_open ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
}
