// What an answer says of inputs that are known from few measurements.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <math.h>
#include <string.h>

/// "14", "14 and 20", "14, 20 and 30": measurements of each input.
static void print_counts(const gmc_store_measured *from, FILE *out)
{
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        const char *before = i == 0 ? "" : i + 1 < from->count ? ", " : " and ";
        fprintf(out, "%s%d", before, gmc_measured_count(&line->distribution));
    }
}

/// NULL: no input is known from measurements alone, or nothing was seen.
static const gmc_store_measured *spoken_of(const gmc_answer *answer)
{
    return answer->seen == 0 ? NULL : answer->plan->measured;
}

/// Success of a case, or of all, as far as open trials let it reach.
static gmc_estimate alone(const gmc_answer *answer, int case_index)
{
    bool is_all = case_index < 0;
    gmc_estimate e = is_all || answer->plan->case_count == 1
                         ? gmc_answer_headline(answer)
                         : gmc_answer_case_estimate(answer, case_index);
    gmc_estimate_range range;
    bool is_range = is_all ? gmc_answer_range_total(answer, &range)
                           : gmc_answer_range_case(answer, case_index, &range);
    if (!is_range) return e;
    e.lower = fmin(e.lower, range.lowest.lower);
    e.upper = fmax(e.upper, range.highest.upper);
    return e;
}

/// Why nothing is told; NULL: it is.
/// @param found  in, out: all of [0, 1] where it is of other trials
static const char *untold(const gmc_answer *answer, gmc_measured_answer *found)
{
    const gmc_store_measured *from = answer->plan->measured;
    if (from->untold) return from->untold;
    if (answer->where) {
        *found = (gmc_measured_answer){.interval = {0, 1}};
        return "--where takes a part of the trials";
    }
    if (found->effective < GMC_MEASURED_LEAST)
        return "too few effective draws are left for the distributions that the measurements allow";
    return NULL;
}

/// One line: success with what these leave open, or why it cannot be told; nothing where no input
/// is known from measurements alone.
///
///   with what 14 measurements leave open: [0.703, 0.951]
///   what 14 measurements leave open is not told: an input is correlated
static void print_measured(const gmc_answer *answer, FILE *out)
{
    const gmc_store_measured *from = spoken_of(answer);
    if (!from) return;
    gmc_estimate e = alone(answer, -1);
    gmc_measured_answer found = gmc_summary_measured(&answer->summary, -1, &e);
    const char *why = untold(answer, &found);
    fputs(why ? "  what " : "  with what ", out);
    print_counts(from, out);
    int last =
        gmc_measured_count(&from->scenario->uncertain[from->lines[from->count - 1]].distribution);
    fputs(last == 1 ? " measurement leaves open" : " measurements leave open", out);
    if (why) {
        gmc_terminal_print(out, " is not told: %s\n", why);
        return;
    }
    e.lower = found.interval.lower;
    e.upper = found.interval.upper;
    char text[GMC_ESTIMATE_TEXT_MAX];
    const char *interval = strchr(gmc_estimate_numbers(&e, text), '[');
    gmc_terminal_print(out, ": %s\n", interval ? interval : "[0, 1]");
}

static void put_case(const gmc_answer *answer, int case_index, gmc_json *json)
{
    const gmc_store_measured *from = spoken_of(answer);
    if (!from) return;
    gmc_estimate e = alone(answer, case_index);
    gmc_measured_answer found = gmc_summary_measured(&answer->summary, case_index, &e);
    const char *why = untold(answer, &found);
    gmc_json_open(json, "measurements", '{');
    gmc_json_open(json, "counts", '[');
    for (int i = 0; i < from->count; i++) {
        const gmc_uncertain *line = &from->scenario->uncertain[from->lines[i]];
        gmc_json_whole(json, NULL, (uint64_t)gmc_measured_count(&line->distribution));
    }
    gmc_json_close(json, ']');
    gmc_json_real(json, "lower", found.interval.lower);
    gmc_json_real(json, "upper", found.interval.upper);
    gmc_json_real(json, "level", e.level);
    gmc_json_real(json, "effective", found.effective);
    if (why) gmc_json_text(json, "untold", why);
    gmc_json_close(json, '}');
}

static void put_measured(const gmc_answer *answer, gmc_json *json) { put_case(answer, -1, json); }

const gmc_answer_part gmc_answer_measured = {
    .headline = print_measured, .json = put_measured, .of_case_json = put_case};
