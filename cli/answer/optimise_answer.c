// Success and its interval are those of the chosen design's own file, as `show` would print them.
#include "cli/answer/optimise_answer.h"

#include "cli/answer/answer.h"
#include "cli/answer/optimise_quantile.h"
#include "cli/answer/stored.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "sampling/language/units.h"
#include "sampling/store/describe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double gmc_optimise_answer_number(const gmc_axis_spec *axis, double x)
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
static bool is_idle(const gmc_optimised *f)
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
        printf("any: no trial changed between its ends, the others in their middles\n");
        return;
    }
    printf("%.6g%s%s, of %.6g ... %.6g", gmc_optimise_answer_number(axis, found->x[i]),
           *unit ? " " : "", unit, axis->range[0], axis->range[1]);
    if (found->ties > 0)
        printf("; designs tie from %.6g to %.6g",
               gmc_optimise_answer_number(axis, found->tied_lower[i]),
               gmc_optimise_answer_number(axis, found->tied_upper[i]));
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

static void print(const gmc_optimised *f, const gmc_answer *answer,
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
    if (is_idle(f))
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
    gmc_json_real(json, "tied_lower", gmc_optimise_answer_number(axis, lower));
    gmc_json_real(json, "tied_upper", gmc_optimise_answer_number(axis, upper));
}

static void print_json(const gmc_optimised *f, const gmc_answer *answer,
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
        gmc_json_real(&json, "value", gmc_optimise_answer_number(axis, found->x[i]));
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

gmc_status gmc_optimise_answer(const gmc_optimised *f)
{
    gmc_stored stored;
    gmc_description description = {0};
    gmc_answer answer = {0};
    gmc_status status = gmc_stored_open(f->best, &stored);
    if (status == GMC_OK) {
        gmc_describe_options options = {.first = stored.info->first,
                                        .count = stored.info->count,
                                        .level = f->args->level,
                                        .stop = stored.info->stop,
                                        .stop_level = stored.info->stop_level};
        status = gmc_describe_run(&stored.prepared.scenario, stored.prepared.build, &options,
                                  &stored.messages, &description);
    }
    if (status == GMC_OK) {
        const gmc_answer_how how = {.prepared = &stored.prepared};
        status = gmc_answer_collect(stored.result, &description.plan, &how, f->best, &answer);
    }
    gmc_optimise_quantile quantile;
    bool has_quantile = f->scenario->optimise.quantile_of != NULL;
    if (status == GMC_OK && has_quantile)
        status = gmc_optimise_quantile_find(&f->scenario->optimise, &stored, &description.plan,
                                            &quantile);
    if (status == GMC_OK && f->args->json)
        print_json(f, &answer, has_quantile ? &quantile : NULL);
    else if (status == GMC_OK)
        print(f, &answer, has_quantile ? &quantile : NULL);
    gmc_answer_free(&answer);
    gmc_description_free(&description);
    gmc_stored_close(&stored, "optimise", status);
    return status;
}
