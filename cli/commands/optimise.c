#define _POSIX_C_SOURCE 200809L
// graspmc optimise: numbers in ranges chosen for success, in rounds that are runs like any other.
//
//   DIR/round.0.h5 ... round.7.h5    designs of a round, each a case, on draws of their own seed
//   DIR/best.h5                      the design that was chosen, on draws that no round has seen
//
// What comes next is a pure function of these files (sampling/design/optimum.h), so the same
// command goes on wherever an earlier one stopped, and files of a finished one give its answer
// again. `--shard I/N` runs a part of the round that is next, which `graspmc merge` puts together.
//
// A round is a study whose cases are its designs, run by `run`: its journal, its shards, its
// resuming are those of any run. The numbers of the designs go in as one more --set. One file for
// all rounds was left out: its cases would depend on what its own trials found, and whoever reads
// a result (show, rank, compare, replay) would have to find them again.
#include "cli/answer/answer.h"
#include "cli/answer/cache.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/options/args.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "cli/process/text_file.h"
#include "engine/base/hash.h"
#include "sampling/build/build.h"
#include "sampling/build/prepare.h"
#include "sampling/design/optimum.h"
#include "sampling/findings/quantiles.h"
#include "sampling/findings/rescore.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/scenario/scenario.h"
#include "sampling/store/describe.h"
#include "sampling/store/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- what was asked ---

// DIR/study.txt of an optimisation: what it was asked, a line each, so that a folder is not gone
// on with by another one. The rounds themselves hold no more than their own designs, and a changed
// budget would first grow the first of them.
//
//   study.optimise.budget: 6000
//   study.optimise.goal: success
//   study.vary.program.0.close.force: between(4, 40)          SI

static const char MARK[] = "study.optimise";

static gmc_status describe_study(const gmc_scenario *s, char **text)
{
    gmc_text out = {0};
    gmc_text_add(&out, "%s.budget: %" PRId64 "\n", MARK, s->optimise.budget);
    gmc_text_add(&out, "%s.goal: %s\n", MARK, s->optimise.goal);
    for (int i = 0; i < s->axis_count; i++) {
        gmc_text_add(&out, "study.vary.%s: between(", s->axes[i].path);
        gmc_text_add_number(&out, s->axes[i].range[0], false);
        gmc_text_add(&out, ", ");
        gmc_text_add_number(&out, s->axes[i].range[1], false);
        gmc_text_add(&out, ")\n");
    }
    return gmc_text_take(&out, text);
}

static gmc_status write_study_file(void *context, FILE *out)
{
    fputs(context, out);
    return GMC_OK;
}

/// The next line without its end; false: there is no more.
static bool next_line(FILE *file, char **line, size_t *room)
{
    if (getline(line, room, file) < 0) return false;
    (*line)[strcspn(*line, "\n")] = 0;
    return true;
}

static gmc_status complain_of_study(const char *path, const char *there, const char *here,
                                    gmc_diagnostics *messages)
{
    // "NAME: VALUE" on both sides; a line that one of them has not is told whole
    const char *mine = strstr(here, ": "), *other = strstr(there, ": ");
    size_t length = mine ? (size_t)(mine - here) : 0;
    bool is_same = mine && other && strncmp(here, there, length + 2) == 0;
    gmc_diagnostics_add(messages, GMC_E_MISMATCH, (gmc_source){.file = path},
                        "-o chooses another folder",
                        "the optimisation in this folder is another one, which this one does not "
                        "continue: %.*s%s%s there, %s here",
                        is_same ? (int)length : 0, here, is_same ? " is " : "",
                        is_same ? other + 2 : there, is_same ? mine + 2 : here);
    return GMC_E_MISMATCH;
}

/// @param text  is taken apart
static gmc_status compare_study(const char *path, char *text, FILE *file, gmc_diagnostics *messages)
{
    char *there = NULL, *rest = NULL;
    size_t room = 0;
    gmc_status status = GMC_OK;
    for (char *here = strtok_r(text, "\n", &rest); here && status == GMC_OK;
         here = strtok_r(NULL, "\n", &rest)) {
        bool is_there = next_line(file, &there, &room);
        if (!is_there || strcmp(there, here) != 0)
            status = complain_of_study(path, is_there ? there : "nothing", here, messages);
    }
    if (status == GMC_OK && next_line(file, &there, &room))
        status = complain_of_study(path, there, "nothing", messages);
    free(there);
    return status;
}

/// Write it, or compare it with what is there.
/// @return GMC_OK; GMC_E_MISMATCH, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_MEMORY
static gmc_status optimise_plan_keep(const char *folder, const gmc_scenario *scenario,
                                     gmc_diagnostics *messages)
{
    static const char NAME[] = "/study.txt";
    char *text = NULL;
    size_t bytes = strlen(folder) + sizeof NAME;
    char *path = malloc(bytes);
    if (!path) return GMC_E_MEMORY;
    snprintf(path, bytes, "%s%s", folder, NAME);
    gmc_status status = describe_study(scenario, &text);
    FILE *file = status == GMC_OK ? fopen(path, "r") : NULL;
    if (file) {
        status = compare_study(path, text, file, messages);
        fclose(file);
    } else if (status == GMC_OK) {
        status = gmc_text_file_write(path, false, "", write_study_file, text, messages);
    }
    free(text);
    free(path);
    return status;
}

// --- the quantile ---

// A quantile as the goal of an optimisation: the number of every trial, and the quantile of the
// chosen design.

/// The quantile of the chosen design.
typedef struct gmc_optimise_quantile {
    gmc_quantile found;
    gmc_quantiles_group about;
    const char *unit; ///< "": none
} gmc_optimise_quantile;

/// Read the measure of the goal, which outlives it.
/// @param columns  outlive it
/// @return as gmc_rescore_open_where; places are those of "study.optimise.goal"
static gmc_status optimise_quantile_read(const gmc_optimise_spec *spec, const gmc_column *columns,
                                         int column_count, gmc_diagnostics *messages,
                                         gmc_rescore **measure)
{
    const gmc_rescore_names names = {.columns = columns,
                                     .column_count = column_count,
                                     .option = "study.optimise.goal",
                                     .is_number = true};
    return gmc_rescore_open_where(spec->quantile_of, &names, messages, measure);
}

/// What is to be small of a trial: its number, or minus it; HUGE_VAL: it is not known, or there is
/// none, which is taken as the worst.
static double optimise_quantile_of(const gmc_optimise_spec *spec, gmc_rescore *measure,
                                   const gmc_trial *trial)
{
    gmc_interval range = gmc_rescore_range(measure, trial);
    double worst = spec->is_largest ? -range.lower : range.upper;
    return isnan(worst) ? HUGE_VAL : worst;
}

typedef struct collecting {
    gmc_rescore *measure;
    gmc_quantiles *quantiles;
} collecting;

static gmc_status take_measured(void *context, const gmc_trial *trial)
{
    collecting *c = context;
    return gmc_quantiles_add(c->quantiles, trial, gmc_rescore_range(c->measure, trial));
}

/// @param plan  of the file
/// @return GMC_OK, or what reading it says (reported)
static gmc_status optimise_quantile_find(const gmc_optimise_spec *spec, gmc_stored *stored,
                                         const gmc_store_plan *plan,
                                         gmc_optimise_quantile *quantile)
{
    collecting c = {0};
    *quantile = (gmc_optimise_quantile){.unit = ""};
    for (int i = 0; i < plan->column_count; i++)
        if (strcmp(plan->columns[i].name, spec->quantile_of) == 0 &&
            strcmp(plan->columns[i].unit, "1") != 0)
            quantile->unit = plan->columns[i].unit;
    gmc_status status = optimise_quantile_read(spec, plan->columns, plan->column_count,
                                               &stored->messages, &c.measure);
    if (status == GMC_OK) status = gmc_quantiles_create(plan, &c.quantiles);
    if (status == GMC_OK) status = gmc_result_trials(stored->result, take_measured, &c);
    if (status == GMC_OK)
        status = gmc_quantiles_of(c.quantiles, -1, &spec->quantile_p, 1, &quantile->about,
                                  &quantile->found);
    gmc_quantiles_free(c.quantiles);
    gmc_rescore_close(c.measure);
    return status;
}

// --- the answer ---

// What an optimisation found, in words and as JSON.
//
// Success and its interval are those of the chosen design's own file, as `show` would print them.

/// What everything has to do with.
typedef struct gmc_optimised {
    const gmc_args *args;
    const gmc_scenario *scenario;
    const gmc_optimum_answer *answer;
    int64_t open;              ///< of a quantile: trials of the search taken as the worst
    const char *folder, *best; ///< best: the file of the chosen design
} gmc_optimised;

/// The number of an axis that a coordinate in [0, 1] of a design is: within its range [SI].
static double optimise_answer_number(const gmc_axis_spec *axis, double x)
{
    double value = axis->range[0] + x * (axis->range[1] - axis->range[0]);
    return value < axis->range[0]   ? axis->range[0]
           : value > axis->range[1] ? axis->range[1]
                                    : value;
}

static const char *unit_of(const gmc_scenario *s, const gmc_axis_spec *axis)
{
    gmc_dimension dimension = s->parameters[axis->targets[0]].dimension;
    return dimension == GMC_DIM_NONE ? "" : gmc_units_name(dimension);
}

/// Nothing that was tried changed with any of the numbers.
static bool is_nothing_chosen(const gmc_optimised *f)
{
    for (int i = 0; i < f->scenario->axis_count; i++)
        if (!f->answer->is_idle[i]) return false;
    return true;
}

static const char *number_text(double value, char text[32])
{
    snprintf(text, 32, isfinite(value) ? "%.4g" : "open", value);
    return text;
}

/// "0.95 quantile of slip 0.0013 [0.0012, 0.0015] m 95 % order statistics, 770 trials"
static void print_quantile(const gmc_optimised *f, const gmc_optimise_quantile *q)
{
    const gmc_optimise_spec *spec = &f->scenario->optimise;
    char lowest[32], highest[32], low[32], high[32];
    if (q->about.trials == 0) {
        gmc_terminal_print(stdout, "%.6g quantile of %s: no trial of the answer has this number\n",
                           spec->quantile_p, spec->quantile_of);
        return;
    }
    number_text(q->found.lowest, lowest);
    number_text(q->found.highest, highest);
    bool is_known = q->found.lowest == q->found.highest;
    gmc_terminal_print(stdout, "%.6g quantile of %s %s%s%s [%s, %s]%s%s %.6g %% order statistics",
                       spec->quantile_p, spec->quantile_of, lowest, is_known ? "" : " to ",
                       is_known ? "" : highest, number_text(q->found.interval.lower, low),
                       number_text(q->found.interval.upper, high), *q->unit ? " " : "", q->unit,
                       100 * f->args->level);
    printf(", %" PRId64 " trials", q->about.trials);
    if (q->about.open > 0) printf(", %" PRId64 " of them open", q->about.open);
    printf("; made as %s as can be\n", spec->is_largest ? "large" : "small");
}

/// What the surface reaches, less the lower end that is told.
static double left_to_gain(const gmc_optimised *f, const gmc_answer *answer)
{
    return fmax(0, f->answer->most - gmc_answer_headline(answer).lower);
}

/// Stands the chosen number at an end of its range?
static bool is_at_end(const gmc_optimised *f, int i)
{
    double x = f->answer->x[i];
    return !f->answer->is_idle[i] && !f->answer->is_level && (x <= 0 || x >= 1);
}

/// "  path  8.5 N, of 3 ... 14; designs tie from 6.2 to 11"
static void print_number(const gmc_optimised *f, int i, int width)
{
    const gmc_optimum_answer *found = f->answer;
    const gmc_axis_spec *axis = &f->scenario->axes[i];
    const char *unit = unit_of(f->scenario, axis);
    gmc_terminal_print(stdout, "  %-*s  ", width, axis->path);
    if (found->is_idle[i]) {
        printf("any value: no trial changed between the ends of its range, with the others in "
               "their middles\n");
        return;
    }
    printf("%.6g%s%s, of %.6g ... %.6g", optimise_answer_number(axis, found->x[i]),
           *unit ? " " : "", unit, axis->range[0], axis->range[1]);
    if (found->ties > 0)
        printf("; designs tie from %.6g to %.6g",
               optimise_answer_number(axis, found->tied_lower[i]),
               optimise_answer_number(axis, found->tied_upper[i]));
    if (is_at_end(f, i)) printf("; it stands at an end of its range");
    putchar('\n');
}

static void print_ties(const gmc_optimised *f)
{
    const gmc_optimum_answer *found = f->answer;
    const char *measure = f->scenario->optimise.quantile_of;
    if (found->ties == 0) return;
    printf("%d of %d designs tie: ", found->ties, found->designs);
    if (measure)
        gmc_terminal_print(stdout, "%s is the best of all in every one of their trials", measure);
    else
        printf("all their trials succeeded");
    printf("; chosen is the one farthest from the ends of the ranges and from designs that did "
           "worse\n");
}

static void print_optimum(const gmc_optimised *f, const gmc_answer *answer,
                          const gmc_optimise_quantile *quantile)
{
    const gmc_optimum_answer *found = f->answer;
    const gmc_scenario *s = f->scenario;
    if (quantile) print_quantile(f, quantile);
    gmc_answer_print_estimate(answer, stdout);
    size_t width = 0;
    for (int i = 0; i < s->axis_count; i++)
        if (strlen(s->axes[i].path) > width) width = strlen(s->axes[i].path);
    for (int i = 0; i < s->axis_count; i++)
        print_number(f, i, (int)width);
    print_ties(f);
    gmc_answer_depths.details(answer, stdout);
    if (found->is_level)
        printf("no trial of the search %s: no number is better than another\n",
               quantile ? "has this number" : "succeeded");
    if (f->args->quiet) return;
    int64_t own = gmc_tally_trials(found->tally);
    printf("chosen after %" PRId64 " trials of %d designs; the %" PRId64
           " trials of the answer are others, with new chance\n",
           found->trials - own, found->designs, own);
    if (f->open > 0)
        printf("%" PRId64
               " trials of the search have no such number, or are unsolved: taken as the "
               "worst\n",
               f->open);
    if (is_nothing_chosen(f))
        printf("nothing to choose: success does not depend on %s in the middle of the ranges\n",
               s->axis_count == 1 ? "this number" : "these numbers");
    else if (!quantile && !found->is_level)
        printf(
            "left to gain in the ranges: up to %.2g, if a smooth surface fitted to all designs is "
            "right: a guess, no bound\n",
            left_to_gain(f, answer));
    gmc_terminal_print(stdout, "output %s\n", f->best);
}

static void put_quantile(const gmc_optimised *f, const gmc_optimise_quantile *q, gmc_json *json)
{
    const gmc_optimise_spec *spec = &f->scenario->optimise;
    bool is_known = q->found.lowest == q->found.highest;
    gmc_json_open(json, "quantile", '{');
    gmc_json_text(json, "of", spec->quantile_of);
    gmc_json_real(json, "p", spec->quantile_p);
    gmc_json_text(json, "unit", q->unit);
    gmc_json_real(json, "value", is_known ? q->found.lowest : (double)NAN);
    gmc_json_real(json, "lower", q->found.interval.lower);
    gmc_json_real(json, "upper", q->found.interval.upper);
    gmc_json_whole(json, "trials", (uint64_t)q->about.trials);
    gmc_json_whole(json, "open", (uint64_t)q->about.open);
    gmc_json_whole(json, "taken_as_worst", (uint64_t)f->open);
    gmc_json_close(json, '}');
}

static void put_tied(const gmc_axis_spec *axis, double lower, double upper, gmc_json *json)
{
    gmc_json_real(json, "tied_lower", optimise_answer_number(axis, lower));
    gmc_json_real(json, "tied_upper", optimise_answer_number(axis, upper));
}

static void put_optimum(const gmc_optimised *f, const gmc_answer *answer,
                        const gmc_optimise_quantile *quantile)
{
    const gmc_optimum_answer *found = f->answer;
    const gmc_scenario *s = f->scenario;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "scenario", f->args->input);
    gmc_json_text(&json, "goal", s->optimise.goal);
    gmc_json_whole(&json, "budget", (uint64_t)s->optimise.budget);
    gmc_json_whole(&json, "trials", (uint64_t)found->trials);
    gmc_json_whole(&json, "designs", (uint64_t)found->designs);
    if (quantile) put_quantile(f, quantile, &json);
    gmc_answer_success.json(answer, &json);
    gmc_json_open(&json, "numbers", '[');
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "path", axis->path);
        gmc_json_real(&json, "value", optimise_answer_number(axis, found->x[i]));
        gmc_json_text(&json, "unit", unit_of(s, axis));
        gmc_json_real(&json, "lower", axis->range[0]);
        gmc_json_real(&json, "upper", axis->range[1]);
        gmc_json_flag(&json, "matters", !found->is_idle[i]);
        gmc_json_flag(&json, "is_at_end", is_at_end(f, i));
        if (found->ties > 0) put_tied(axis, found->tied_lower[i], found->tied_upper[i], &json);
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    gmc_json_whole(&json, "ties", (uint64_t)found->ties);
    gmc_answer_depths.json(answer, &json);
    gmc_json_flag(&json, "succeeded", !found->is_level);
    gmc_json_real(&json, "left_by_surface",
                  quantile || found->is_level ? (double)NAN : left_to_gain(f, answer));
    gmc_json_text(&json, "output", f->best);
    gmc_json_close(&json, '}');
    putchar('\n');
}

/// @return GMC_OK; as gmc_stored_open, gmc_describe_run and gmc_answer_collect of the chosen
///         design's file, reported
static gmc_status tell_optimum(const gmc_optimised *f)
{
    gmc_stored stored;
    gmc_description description = {0};
    gmc_answer answer = {0};
    gmc_status status = gmc_stored_open(f->best, &stored);
    if (status == GMC_OK) status = gmc_stored_describe(&stored, f->args->level, &description);
    if (status == GMC_OK) {
        const gmc_answer_how how = {.prepared = &stored.prepared};
        status = gmc_answer_collect(stored.result, &description.plan, &how, f->best, &answer);
    }
    gmc_optimise_quantile quantile;
    bool has_quantile = f->scenario->optimise.quantile_of != NULL;
    if (status == GMC_OK && has_quantile)
        status =
            optimise_quantile_find(&f->scenario->optimise, &stored, &description.plan, &quantile);
    if (status == GMC_OK && f->args->json)
        put_optimum(f, &answer, has_quantile ? &quantile : NULL);
    else if (status == GMC_OK)
        print_optimum(f, &answer, has_quantile ? &quantile : NULL);
    gmc_answer_free(&answer);
    gmc_description_free(&description);
    gmc_stored_close(&stored, "optimise", status);
    return status;
}

// --- rounds ---

typedef struct gmc_optimising {
    const gmc_args *args;
    gmc_sets sets;
    gmc_diagnostics messages;
    gmc_prepared prepared;
    gmc_optimum *optimum;
    gmc_optimum_quantile *quantile; ///< NULL: success is the goal
    int64_t open;                   ///< trials of the search that were taken as the worst
    char *folder;                   ///< owned
    char *file;                     ///< owned, of the open round
    bool is_part;                   ///< of a part of it alone
} gmc_optimising;

// --- files ---

/// "a" and "b", one behind the other; owned. NULL without memory
static char *join(const char *a, const char *b)
{
    size_t bytes = strlen(a) + strlen(b) + 1;
    char *text = malloc(bytes);
    if (text) snprintf(text, bytes, "%s%s", a, b);
    return text;
}

/// "folder/pinch.yaml" -> "pinch.optimise", in the current folder.
static char *default_folder(const char *scenario)
{
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    const char *dot = strrchr(name, '.');
    char *stem = strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    char *folder = stem ? join(stem, ".optimise") : NULL;
    free(stem);
    return folder;
}

static gmc_status make_folder(gmc_optimising *o)
{
    o->folder = o->args->out ? strdup(o->args->out) : default_folder(o->args->input);
    if (!o->folder) return GMC_E_MEMORY;
    struct stat about;
    bool is_made = mkdir(o->folder, 0777) == 0;
    if (is_made || (errno == EEXIST && stat(o->folder, &about) == 0 && S_ISDIR(about.st_mode)))
        return GMC_OK;
    gmc_diagnostics_add(&o->messages, GMC_E_CREATE, (gmc_source){.file = o->folder}, NULL,
                        "cannot make this folder: %s", strerror(errno));
    return GMC_E_CREATE;
}

/// The file of a round; of the part of it that is asked for, if the round is not there.
static gmc_status name_file(gmc_optimising *o, const gmc_optimum_round *round)
{
    char name[32], part[96];
    gmc_shard shard = o->args->shard;
    snprintf(name, sizeof name, "/round.%d", round->number);
    if (round->is_last) snprintf(name, sizeof name, "/best");
    snprintf(part, sizeof part, "%s.h5", name);
    free(o->file);
    o->file = join(o->folder, part);
    if (!o->file) return GMC_E_MEMORY;
    o->is_part = shard.count > 0 && access(o->file, F_OK) != 0;
    if (!o->is_part) return GMC_OK;
    snprintf(part, sizeof part, "%s.%dof%d.h5", name, shard.index, shard.count);
    free(o->file);
    o->file = join(o->folder, part);
    return o->file ? GMC_OK : GMC_E_MEMORY;
}

static void tell_of_part(const gmc_optimising *o, const gmc_optimum_round *round)
{
    char name[32] = "best";
    if (!round->is_last) snprintf(name, sizeof name, "round.%d", round->number);
    if (o->args->json) {
        gmc_json json = {.out = stdout};
        gmc_json_open(&json, NULL, '{');
        gmc_json_whole(&json, "round", (uint64_t)round->number);
        gmc_json_whole(&json, "rounds", GMC_OPTIMUM_ROUNDS);
        gmc_json_whole(&json, "part", (uint64_t)o->args->shard.index);
        gmc_json_whole(&json, "parts", (uint64_t)o->args->shard.count);
        gmc_json_text(&json, "output", o->file);
        gmc_json_close(&json, '}');
        putchar('\n');
        return;
    }
    if (o->args->quiet) return;
    gmc_terminal_print(stdout,
                       "part %d of %d of round %d of %d is in %s; with all of them:\n"
                       "graspmc merge %s/%s.*of%d.h5 -o %s/%s.h5\n",
                       o->args->shard.index, o->args->shard.count, round->number,
                       GMC_OPTIMUM_ROUNDS, o->file, o->folder, name, o->args->shard.count,
                       o->folder, name);
}

// --- a round as a study ---

/// {vary: {"a": [1 N, 2 N], "b": [...]}, together: true}
static gmc_status write_study(const gmc_scenario *s, const gmc_optimum_round *round, char **set)
{
    gmc_text out = {0};
    gmc_text_add(&out, "study={vary: {");
    for (int j = 0; j < s->axis_count; j++) {
        const gmc_axis_spec *axis = &s->axes[j];
        gmc_dimension dimension = s->parameters[axis->targets[0]].dimension;
        if (j > 0) gmc_text_add(&out, ", ");
        gmc_text_add_json(&out, axis->path);
        gmc_text_add(&out, ": [");
        for (int i = 0; i < round->count; i++) {
            if (i > 0) gmc_text_add(&out, ", ");
            double x = round->x[(size_t)i * (size_t)s->axis_count + (size_t)j];
            gmc_text_add_number(&out, optimise_answer_number(axis, x), false);
            if (dimension != GMC_DIM_NONE) gmc_text_add(&out, " %s", gmc_units_name(dimension));
        }
        gmc_text_add(&out, "]");
    }
    gmc_text_add(&out, "}, together: true}");
    return gmc_text_take(&out, set);
}

/// Run a round, or what is missing of it. One that is finished is compared with what it would be.
static gmc_exit run_round(gmc_optimising *o, const gmc_optimum_round *round)
{
    static const char *const TO_THE_END[] = {"simulation.early.broken=false",
                                             "simulation.early.falling=false",
                                             "simulation.early.borne=false"};
    const gmc_scenario *s = &o->prepared.scenario;
    char *study = NULL;
    gmc_args *args = malloc(sizeof *args);
    gmc_status status = args ? write_study(s, round, &study) : GMC_E_MEMORY;
    gmc_exit code = gmc_exit_of(status);
    if (status == GMC_OK) {
        *args = *o->args;
        args->out = o->file;
        args->is_round = args->resume = args->no_warnings = true;
        args->json = false;
        if (!o->is_part) args->shard = (gmc_shard){0};
        args->draws = (gmc_args_whole){true, (uint64_t)round->draws};
        args->seed = (gmc_args_whole){true, s->seed + (uint64_t)round->number}; // other chance
        args->sets.items[args->sets.count++] = study;
        for (int i = 0; o->quantile && i < GMC_COUNT(TO_THE_END); i++) // a measure is the whole's
            args->sets.items[args->sets.count++] = TO_THE_END[i];
        if (!round->is_last) { // all trials of a draw end by the same rules, to be compared
            args->sets.items[args->sets.count++] = "simulation.early.audit=0";
            args->sets.items[args->sets.count++] = "simulation.half_step=0";
            args->sets.items[args->sets.count++] = "output.trajectories=none";
        }
        code = gmc_run_main(args);
    }
    free(study);
    free(args);
    return code;
}

// --- what a round found ---

typedef struct gmc_seen {
    int columns;
    gmc_tally *tallies;  ///< (count) of the designs
    int star;            ///< designs of round 0 that are compared trial by trial; else 0
    gmc_digest *digests; ///< (star, draws) of all that was measured in a trial
    int64_t draws;
    gmc_optimising *of;
    gmc_rescore *measure; ///< of a quantile that is the goal; else NULL
    int first;            ///< design of all rounds that is this one's first
} gmc_seen;

/// The number of a trial, where a quantile is the goal.
static gmc_status take_number(gmc_seen *seen, const gmc_trial *trial)
{
    if (!seen->measure) return GMC_OK;
    double y = optimise_quantile_of(&seen->of->prepared.scenario.optimise, seen->measure, trial);
    seen->of->open += y == HUGE_VAL;
    return gmc_optimum_quantile_add(seen->of->quantile, seen->first + (int)trial->case_index, y);
}

static gmc_status see(void *context, const gmc_trial *trial)
{
    gmc_seen *seen = context;
    gmc_tally_add(&seen->tallies[trial->case_index], gmc_trial_verdict(trial->outcome));
    GMC_TRY(take_number(seen, trial));
    if (trial->case_index >= (uint32_t)seen->star) return GMC_OK;
    double ends[4] = {(double)trial->outcome, (double)trial->reason, (double)trial->phase,
                      trial->t_end};
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, ends, sizeof ends);
    gmc_sha256_add(&hash, trial->values, (size_t)seen->columns * sizeof *trial->values);
    seen->digests[(int64_t)trial->case_index * seen->draws + (int64_t)trial->draw] =
        gmc_sha256_end(&hash);
    return GMC_OK;
}

/// Did no trial change with a number between its ends, bit for bit? Where none succeeds in the
/// middle they may all end before the number is met, and nothing is known.
static bool is_idle(const gmc_seen *seen, int number)
{
    if (seen->tallies[0].successes == 0) return false;
    size_t bytes = (size_t)seen->draws * sizeof *seen->digests;
    for (int end = 0; end < 2; end++) {
        int64_t row = gmc_optimum_end(number, end) * seen->draws;
        if (memcmp(seen->digests, seen->digests + row, bytes) != 0) return false;
    }
    return true;
}

static gmc_status take_in(gmc_optimising *o, const gmc_optimum_round *round)
{
    int numbers = o->prepared.scenario.axis_count;
    gmc_seen seen = {.draws = round->draws, .of = o};
    double threshold = 0;
    if (round->number == 0) seen.star = gmc_optimum_end(numbers - 1, true) + 1;
    gmc_result *result = NULL;
    gmc_status status = gmc_result_open(o->file, &o->messages, &result);
    if (status == GMC_OK) {
        size_t count = (size_t)round->count;
        const gmc_result_info *info = gmc_result_about(result);
        seen.columns = info->column_count;
        seen.first = gmc_optimum_count(o->optimum) - round->count;
        if (o->quantile && !round->is_last)
            status = optimise_quantile_read(&o->prepared.scenario.optimise, info->columns,
                                            info->column_count, &o->messages, &seen.measure);
        seen.tallies = calloc(count, sizeof *seen.tallies);
        seen.digests = calloc((size_t)(seen.star * round->draws) + 1, sizeof *seen.digests);
        if (status == GMC_OK && (!seen.tallies || !seen.digests)) status = GMC_E_MEMORY;
    }
    if (status == GMC_OK) status = gmc_result_trials(result, see, &seen);
    for (int i = 0; status == GMC_OK && i < round->count; i++)
        gmc_optimum_put(o->optimum, i, seen.tallies[i]);
    for (int j = 0; status == GMC_OK && seen.star > 0 && j < numbers; j++)
        if (is_idle(&seen, j)) gmc_optimum_hold(o->optimum, j);
    if (status == GMC_OK && seen.measure)
        status = gmc_optimum_quantile_aim(o->quantile, o->optimum, &threshold);
    gmc_rescore_close(seen.measure);
    free(seen.tallies);
    free(seen.digests);
    gmc_result_close(result);
    return status;
}

// --- order ---

/// Is a quantile the goal? Then its measure is read before anything is run.
static gmc_status prepare_quantile(gmc_optimising *o)
{
    const gmc_optimise_spec *spec = &o->prepared.scenario.optimise;
    if (!spec->quantile_of) return GMC_OK;
    const gmc_measure_plan *measures = gmc_build_measures(o->prepared.build);
    gmc_rescore *measure = NULL;
    GMC_TRY(optimise_quantile_read(spec, measures->columns, measures->column_count, &o->messages,
                                   &measure));
    gmc_rescore_close(measure);
    double p = spec->is_largest ? 1 - spec->quantile_p : spec->quantile_p;
    return gmc_optimum_quantile_create(p, &o->quantile);
}

static gmc_status prepare(gmc_optimising *o)
{
    const gmc_args *args = o->args;
    gmc_sets_collect(args, &o->sets);
    gmc_cache cache;
    const gmc_pieces_cache *kept =
        gmc_cache_open(&cache, args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress);
    gmc_status status =
        gmc_prepare(args->input, o->sets.list, args->allow.items, kept, &o->messages, &o->prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&o->messages);
    if (status == GMC_OK)
        status = gmc_foreign_allow(&o->prepared.scenario, args->allow_control, &o->messages);
    if (status != GMC_OK) return status;
    const gmc_scenario *s = &o->prepared.scenario;
    if (!s->optimise.is_given) {
        gmc_diagnostics_add(&o->messages, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "study: {vary: {path: \"between(a, b)\"}, optimise: {budget: 6000}}",
                            "the scenario has no study.optimise");
        return GMC_E_INPUT;
    }
    const gmc_optimum_plan plan = {.numbers = s->axis_count,
                                   .budget = s->optimise.budget,
                                   .is_cautious = s->optimise.is_cautious};
    GMC_TRY(gmc_optimum_create(&plan, &o->optimum));
    GMC_TRY(prepare_quantile(o));
    GMC_TRY(make_folder(o));
    return optimise_plan_keep(o->folder, s, &o->messages);
}

/// Print what was reported and forget it.
static gmc_exit tell(gmc_optimising *o, gmc_status status)
{
    if (status != GMC_OK && o->messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc optimise: %s\n", gmc_status_name(status));
    if (o->args->no_warnings) gmc_diagnostics_hush(&o->messages);
    gmc_terminal_messages(&o->messages);
    gmc_diagnostics_free(&o->messages);
    return gmc_exit_of(status);
}

/// @return GMC_EXIT_DONE: the last round is in, or the part that was asked for
static gmc_exit run_rounds(gmc_optimising *o)
{
    gmc_optimum_round round;
    gmc_status status = gmc_optimum_next(o->optimum, &round);
    while (status == GMC_OK && round.count > 0) {
        status = name_file(o, &round);
        if (status != GMC_OK) break;
        gmc_exit code = run_round(o, &round);
        if (code == GMC_EXIT_DONE && o->is_part) tell_of_part(o, &round);
        if (code != GMC_EXIT_DONE || o->is_part) return code;
        status = take_in(o, &round);
        if (status == GMC_OK) status = gmc_optimum_next(o->optimum, &round);
    }
    return tell(o, status);
}

gmc_exit gmc_optimise_main(const gmc_args *args)
{
    gmc_optimising o = {.args = args};
    gmc_exit code = tell(&o, prepare(&o));
    if (code == GMC_EXIT_DONE) code = run_rounds(&o);
    if (code == GMC_EXIT_DONE && !o.is_part) {
        gmc_optimum_answer answer;
        gmc_status status = gmc_optimum_conclude(o.optimum, &answer);
        const gmc_optimised found = {.args = args,
                                     .scenario = &o.prepared.scenario,
                                     .answer = &answer,
                                     .open = o.open,
                                     .folder = o.folder,
                                     .best = o.file};
        if (status == GMC_OK) status = tell_optimum(&found);
        bool is_idle_all = status == GMC_OK;
        for (int j = 0; j < o.prepared.scenario.axis_count && is_idle_all; j++)
            is_idle_all = answer.is_idle[j];
        code = is_idle_all ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
    }
    gmc_optimum_free(o.optimum);
    gmc_optimum_quantile_free(o.quantile);
    gmc_prepared_free(&o.prepared);
    free(o.folder);
    free(o.file);
    return code;
}
