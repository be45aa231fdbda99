// What an answer says where inputs are known only to lie in an interval: the lowest and the highest
// success over its places, in the stead of one.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"
#include "sampling/language/units.h"

#include <math.h>

enum { PLACES_MOST = 81 }; ///< 3 of each of four intervals, resolve_uncertain.c

typedef struct found {
    gmc_ends ends;
    gmc_estimate at[PLACES_MOST];
    int untried; ///< places that met no draw
} found;

/// Open trials count as unsolved ones. Of a place with some there is no share: those that are known
/// are a selected sample.
static void look(const gmc_answer *answer, int case_index, found *f)
{
    f->ends = gmc_summary_places(&answer->summary, case_index, f->at);
    f->untried = 0;
    bool is_open = gmc_answer_open_count(answer) > 0;
    for (int i = 0; i < answer->plan->interval_places; i++) {
        f->untried += gmc_tally_trials(f->at[i].tally) == 0;
        if (is_open && f->at[i].tally.unsolved > 0) f->at[i].p = (double)NAN;
    }
}

static void print_end(const gmc_answer *answer, const gmc_end *end, FILE *out)
{
    gmc_estimate e = {.p = end->p,
                      .lower = end->interval.lower,
                      .upper = end->interval.upper,
                      .level = answer->plan->level};
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_terminal_print(out, "%s",
                       end->place < 0 ? "anything [0, 1]" : gmc_estimate_numbers(&e, text));
}

static void print_ends(const gmc_answer *answer, const found *f, FILE *out)
{
    fputs("between ", out);
    print_end(answer, &f->ends.lowest, out);
    fputs(" and ", out);
    print_end(answer, &f->ends.highest, out);
    int places = answer->plan->interval_places;
    gmc_terminal_print(out, " %.6g %% together, ", 100 * answer->plan->level);
    if (f->untried > 0)
        gmc_terminal_print(out, "of %d places %d met no draw", places, f->untried);
    else
        gmc_terminal_print(out, "exact at %d places", places);
}

/// Value that an interval has at a place.
static double value_at(const gmc_scenario *s, int line, int place)
{
    for (int i = s->uncertain_count - 1; i > line; i--)
        if (s->uncertain[i].is_interval) place /= s->uncertain[i].distribution.value_count;
    const gmc_distribution *d = &s->uncertain[line].distribution;
    return d->values[place % d->value_count];
}

/// What the line makes of it, where that is one number: of several targets or cases each has its
/// own.
static bool is_made(const gmc_answer *answer, int line)
{
    const gmc_uncertain *u = &answer->plan->scenario->uncertain[line];
    return u->change == GMC_CHANGE_ABSOLUTE ||
           (u->target_count == 1 && answer->plan->case_count == 1);
}

static double made_at(const gmc_answer *answer, int line, int place)
{
    const gmc_scenario *s = answer->plan->scenario;
    const gmc_uncertain *u = &s->uncertain[line];
    double value = value_at(s, line, place);
    if (u->change == GMC_CHANGE_ABSOLUTE || !is_made(answer, line)) return value;
    double nominal = s->parameters[u->targets[0]].nominal;
    return u->change == GMC_CHANGE_ADD ? nominal + value : nominal * value;
}

static void print_value(const gmc_answer *answer, int line, int place, FILE *out)
{
    const gmc_scenario *s = answer->plan->scenario;
    const gmc_uncertain *u = &s->uncertain[line];
    bool is_raw = !is_made(answer, line), is_factor = u->change == GMC_CHANGE_MULTIPLY;
    gmc_dimension dimension = u->target_count > 0 && !(is_raw && is_factor)
                                  ? s->parameters[u->targets[0]].dimension
                                  : GMC_DIM_NONE;
    const char *unit = dimension == GMC_DIM_NONE ? "" : gmc_units_name(dimension);
    gmc_terminal_print(out, " %s%.6g%s%s",
                       !is_raw     ? ""
                       : is_factor ? "nominal * "
                                   : "nominal + ",
                       made_at(answer, line, place), *unit ? " " : "", unit);
}

/// " at friction.rubber/abs 0.25", "..., and at 3 other places"
static void print_place(const gmc_answer *answer, const gmc_end *end, FILE *out)
{
    const gmc_scenario *s = answer->plan->scenario;
    const char *before = " at ";
    for (int i = 0; i < s->uncertain_count; i++) {
        if (!s->uncertain[i].is_interval) continue;
        gmc_terminal_print(out, "%s%s", before, s->uncertain[i].path);
        print_value(answer, i, end->place, out);
        before = ", ";
    }
    if (end->ties > 0)
        fprintf(out, ", and at %d other place%s", end->ties, end->ties == 1 ? "" : "s");
}

static void print_places(const gmc_answer *answer, const found *f, FILE *out)
{
    if (f->ends.lowest.place < 0) return;
    fputs(f->untried > 0 ? "  of the places tried lowest" : "  lowest", out);
    print_place(answer, &f->ends.lowest, out);
    fputs("; highest", out);
    print_place(answer, &f->ends.highest, out);
}

/// Two lines, if there are intervals:
///
///   success between 0.412 [0.352, 0.474] and 0.931 [0.893, 0.958] 95 % together, exact at 5 places
///     lowest at friction.rubber/abs 0.08, highest at friction.rubber/abs 0.3
///
/// Where a place met no draw "of 5 places 2 met no draw" stands for "exact at 5 places", and lowest
/// and highest are "of the places tried".
static void print_success(const gmc_answer *answer, FILE *out)
{
    if (answer->plan->interval_places == 0) return;
    found f;
    look(answer, -1, &f);
    fputs("success ", out);
    print_ends(answer, &f, out);
    fputc('\n', out);
    if (f.ends.lowest.place < 0) return;
    print_places(answer, &f, out);
    fputc('\n', out);
}

static void print_case(const gmc_answer *answer, int case_index, FILE *out)
{
    if (answer->plan->interval_places == 0) return;
    found f;
    look(answer, case_index, &f);
    print_ends(answer, &f, out);
    print_places(answer, &f, out);
}

static void put_place(const gmc_answer *answer, int place, gmc_json *json)
{
    const gmc_scenario *s = answer->plan->scenario;
    if (place < 0) return;
    gmc_json_open(json, "at", '{');
    for (int i = 0; i < s->uncertain_count; i++)
        if (s->uncertain[i].is_interval)
            gmc_json_real(json, s->uncertain[i].path, made_at(answer, i, place));
    gmc_json_close(json, '}');
}

static void put_end(const gmc_answer *answer, const char *name, const gmc_end *end, gmc_json *json)
{
    gmc_json_open(json, name, '{');
    gmc_json_real(json, "p", end->p);
    gmc_json_real(json, "lower", end->interval.lower);
    gmc_json_real(json, "upper", end->interval.upper);
    put_place(answer, end->place, json);
    gmc_json_whole(json, "ties", (uint64_t)end->ties);
    gmc_json_close(json, '}');
}

static void put_case(const gmc_answer *answer, int case_index, gmc_json *json)
{
    if (answer->plan->interval_places == 0) return;
    found f;
    look(answer, case_index, &f);
    gmc_tally all = {0};
    gmc_json_open(json, "success", '{');
    gmc_json_real(json, "lower", f.ends.lowest.interval.lower);
    gmc_json_real(json, "upper", f.ends.highest.interval.upper);
    gmc_json_real(json, "level", answer->plan->level);
    gmc_json_text(json, "method", gmc_estimate_method_name(f.at[0].method));
    gmc_json_real(json, "lowest", f.ends.lowest.p);
    gmc_json_real(json, "highest", f.ends.highest.p);
    put_end(answer, "lowest_end", &f.ends.lowest, json);
    put_end(answer, "highest_end", &f.ends.highest, json);
    gmc_json_whole(json, "untried", (uint64_t)f.untried);
    gmc_json_open(json, "places", '[');
    for (int i = 0; i < answer->plan->interval_places; i++) {
        gmc_json_open(json, NULL, '{');
        put_place(answer, i, json);
        gmc_answer_put_estimate(json, "success", &f.at[i]);
        gmc_json_close(json, '}');
        gmc_tally_merge(&all, f.at[i].tally);
    }
    gmc_json_close(json, ']');
    gmc_answer_put_tally(json, &all);
    char text[2 * GMC_ESTIMATE_TEXT_MAX], low[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate e = {.p = f.ends.lowest.p,
                      .lower = f.ends.lowest.interval.lower,
                      .upper = f.ends.lowest.interval.upper};
    gmc_estimate h = {.p = f.ends.highest.p,
                      .lower = f.ends.highest.interval.lower,
                      .upper = f.ends.highest.interval.upper};
    char high[GMC_ESTIMATE_TEXT_MAX];
    snprintf(text, sizeof text, "between %s and %s", gmc_estimate_numbers(&e, low),
             gmc_estimate_numbers(&h, high));
    gmc_json_text(json, "text", text);
    gmc_json_close(json, '}');
}

static void put_success(const gmc_answer *answer, gmc_json *json) { put_case(answer, -1, json); }

const gmc_answer_part gmc_answer_places = {.headline = print_success,
                                           .json = put_success,
                                           .of_case = print_case,
                                           .of_case_json = put_case};
