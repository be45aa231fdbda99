// graspmc compare: two results pair by pair, and whether the second is worse.
//
// What is held together in sampling/findings/pairing.h is said here: the answer first, then where
// the two files differ, where success moved most, and what else moved.
#include "cli/answer/answer.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/options/args.h"
#include "cli/process/terminal.h"
#include "engine/base/list.h"
#include "sampling/findings/pairing.h"
#include "sampling/language/node.h"
#include "sampling/store/identity.h"
#include "sampling/writing/fingerprint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ==== the answer ================================================================================

// What `compare` says, in words and as JSON.

/// A value that is not the same in the two files, cut to what fits a line.
typedef struct gmc_compare_change {
    char key[256], first[160], second[160];
    bool has_first, has_second;
    bool is_written_alike; ///< a law whose text is the same, but whose numbers, of a file, are not
} gmc_compare_change;

typedef struct gmc_compare_changes {
    gmc_compare_change *items; ///< (count), owned by its maker
    int count, capacity;
    gmc_status status; ///< of collecting
} gmc_compare_changes;

typedef struct gmc_compare_answer {
    const gmc_args *args;
    const gmc_result_info *about; ///< of the first file: its cases
    const gmc_pairing *pairing;
    const gmc_compare_changes *changes;
    gmc_paired_estimate paired; ///< if pairing->is_paired
    double difference;
    gmc_interval interval, firm; ///< firm: whatever unsolved trials would have been
    int64_t open;                ///< unsolved trials, or pairs with one
    gmc_interval unsolved;       ///< the difference had these all gone against B, for B
} gmc_compare_answer;

static gmc_interval sum(gmc_interval i, double lower, double upper)
{
    return (gmc_interval){fmax(i.lower + lower, -1), fmin(i.upper + upper, 1)};
}

/// All pointers must outlive the answer.
static gmc_compare_answer compare_answer_of(const gmc_args *args, const gmc_result_info *about,
                                            const gmc_pairing *pairing,
                                            const gmc_compare_changes *changes)
{
    gmc_compare_answer a = {.args = args, .about = about, .pairing = pairing, .changes = changes};
    if (pairing->is_paired) {
        a.paired = gmc_paired_estimate_of(&pairing->paired);
        a.difference = a.paired.difference;
        a.interval = a.paired.interval;
        a.firm = a.paired.firm;
        a.open = a.paired.open;
        a.unsolved = a.paired.unsolved;
        return a;
    }
    const gmc_estimate *first = &pairing->totals[0], *second = &pairing->totals[1];
    a.difference = pairing->difference;
    a.interval = pairing->apart;
    a.open = first->tally.unsolved + second->tally.unsolved;
    a.unsolved = (gmc_interval){second->unsolved_lower - first->unsolved_upper,
                                second->unsolved_upper - first->unsolved_lower};
    a.firm = a.interval;
    // the confidence sequence has counted them in already
    if (a.open > 0 && !pairing->is_stopped)
        a.firm = isnan(a.difference) ? (gmc_interval){-1, 1}
                                     : sum(a.interval, a.unsolved.lower - a.difference,
                                           a.unsolved.upper - a.difference);
    return a;
}

static const char *paired_name(gmc_paired_method method)
{
    switch (method) {
    case GMC_PAIRED_SCORE:
        return "Tango";
    case GMC_PAIRED_DRAWS:
        return "t over draws";
    case GMC_PAIRED_REPLICAS:
        return "t over replicas";
    case GMC_PAIRED_ANYTIME:
        return "confidence seq";
    }
    return "unknown";
}

static const char *method_of(const gmc_compare_answer *a)
{
    if (a->pairing->is_paired) return paired_name(a->pairing->paired.method);
    return a->pairing->is_stopped ? "confidence seq" : "Newcombe";
}

/// "Newcombe" stands for his hybrid of two Wilson intervals; of others it is the same rule.
static const char *method_text(const gmc_compare_answer *a, char *text, size_t bytes)
{
    const gmc_paired_estimate *p = &a->paired;
    const char *widened = a->pairing->is_paired && p->is_widened ? " (widened)" : "";
    if (!a->pairing->is_paired)
        snprintf(text, bytes, a->pairing->is_stopped ? "confidence sequences" : "Newcombe");
    else if (a->pairing->paired.method == GMC_PAIRED_DRAWS)
        snprintf(text, bytes, "t over %" PRId64 " draws%s", p->units, widened);
    else if (a->pairing->paired.method == GMC_PAIRED_REPLICAS)
        snprintf(text, bytes, "t over %" PRId64 " randomisations%s", p->units, widened);
    else
        snprintf(text, bytes, "%s",
                 a->pairing->paired.method == GMC_PAIRED_SCORE ? "Tango" : "confidence sequence");
    return text;
}

/// Three decimals, more until the half width has a digit.
static int decimals_for(gmc_interval i)
{
    double half = 0.5 * (i.upper - i.lower), unit = 1e-3;
    int decimals = 3;
    for (; decimals < 9 && half > 0 && half < unit; decimals++)
        unit /= 10;
    return decimals;
}

// ---- in words ---------------------------------------------------------------------------------

static void print_difference(const gmc_compare_answer *a, FILE *out)
{
    int n = decimals_for(a->firm);
    char text[64];
    if (isnan(a->difference)) {
        fputs("B - A  not known: no pair is decided\n", out);
        return;
    }
    gmc_terminal_print(out, "B - A  %+.*f [%+.*f, %+.*f] %.10g %% %s", n, a->difference, n,
                       a->firm.lower, n, a->firm.upper, 100 * a->args->level,
                       method_text(a, text, sizeof text));
    if (a->pairing->is_paired)
        fprintf(out, ", %" PRId64 " pairs of the same chance\n", gmc_paired_count(a->paired.cells));
    else
        gmc_terminal_print(out, "; not paired: %s, taken as independent\n", a->pairing->why_not);
    if (a->open == 0) return;
    gmc_terminal_print(
        out, "%" PRId64 " %s unsolved: %+.*f ... %+.*f; sampling alone [%+.*f, %+.*f]\n", a->open,
        a->pairing->is_paired ? "pairs with a trial" : "trials", n, a->unsolved.lower, n,
        a->unsolved.upper, n, a->interval.lower, n, a->interval.upper);
}

/// The test is meant for a number of independent pairs, or draws, that was fixed beforehand.
static bool has_test(const gmc_compare_answer *a)
{
    gmc_paired_method method = a->pairing->paired.method;
    return method == GMC_PAIRED_SCORE || method == GMC_PAIRED_DRAWS;
}

static void print_pairs(const gmc_compare_answer *a, FILE *out)
{
    const gmc_paired_estimate *p = &a->paired;
    fprintf(out,
            "both succeed %" PRId64 ", only A %" PRId64 ", only B %" PRId64 ", neither %" PRId64
            "\n",
            p->cells.both, p->cells.only_first, p->cells.only_second, p->cells.neither);
    if (has_test(a) && a->pairing->paired.is_shared)
        fprintf(out,
                "of the draws %" PRId64 " went up, %" PRId64
                " down: chance alone does that with p = %.2g (sign test, exact mid-p)\n",
                p->went_up, p->went_down, p->p_value);
    else if (has_test(a))
        fprintf(out, "chance alone does that with p = %.2g (McNemar's test, exact mid-p)\n",
                p->p_value);
    if (a->pairing->alone[0] + a->pairing->alone[1] > 0)
        fprintf(out, "without a partner: %" PRId64 " trials of A, %" PRId64 " of B\n",
                a->pairing->alone[0], a->pairing->alone[1]);
    if (a->pairing->left_out > 0)
        fprintf(out, "%" PRId64 " pairs of draws that are not whole left out\n",
                a->pairing->left_out);
}

static void print_changes(const gmc_compare_answer *a, FILE *out)
{
    enum { SHOWN = 12 };
    const gmc_compare_changes *c = a->changes;
    if (c->count == 0) fputs("the files differ in nothing: scenario, seed, program\n", out);
    for (int i = 0; i < c->count && i < SHOWN; i++) {
        const gmc_compare_change *change = &c->items[i];
        gmc_terminal_print(out, "%s %s: ", i == 0 ? "differ in" : "         ", change->key);
        if (change->is_written_alike)
            gmc_terminal_print(out, "%s in both, with other numbers in the files it reads\n",
                               change->first);
        else
            gmc_terminal_print(out, "%s | %s\n", change->has_first ? change->first : "(not there)",
                               change->has_second ? change->second : "(not there)");
    }
    if (c->count > SHOWN) fprintf(out, "          ... %d more: --json has all\n", c->count - SHOWN);
}

static void print_gate(const gmc_compare_answer *a, FILE *out)
{
    static const char *const WORDS[] = {"not decided: the interval holds both; ",
                                        "yes, even at the favourable end of the interval",
                                        "no, not even at the unfavourable end of the interval"};
    if (!a->args->gate.is_set) return;
    gmc_gate_verdict verdict = gmc_gate_judge(a->args->gate, a->firm);
    // what unsolved trials leave open does not get narrower
    bool is_stuck = a->open > 0 && gmc_gate_judge(a->args->gate, a->unsolved) == GMC_GATE_UNDECIDED;
    gmc_terminal_print(
        out, "B is worse by more than %.10g: %s%s\n", a->args->gate.margin, WORDS[verdict],
        verdict != GMC_GATE_UNDECIDED ? ""
        : is_stuck ? "more draws will hardly decide it: unsolved trials leave both open"
                   : "more draws may decide it");
}

typedef struct gmc_moved {
    int index;
    double by;
} gmc_moved;

static int by_size(const void *x, const void *y)
{
    const gmc_moved *a = x, *b = y;
    if (fabs(a->by) != fabs(b->by)) return fabs(a->by) < fabs(b->by) ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static double case_difference(const gmc_pairing_case *c)
{
    int64_t n = gmc_paired_count(c->cells);
    return n > 0 ? (double)(c->cells.only_second - c->cells.only_first) / (double)n : (double)NAN;
}

/// The cases by how far they moved; those without a decided pair last.
static gmc_moved *moved_cases(const gmc_pairing *pairing)
{
    gmc_moved *moved = malloc(((size_t)pairing->case_count + 1) * sizeof *moved);
    if (!moved) return NULL;
    for (int c = 0; c < pairing->case_count; c++) {
        double by = case_difference(&pairing->cases[c]);
        moved[c] = (gmc_moved){c, isnan(by) ? 0 : by};
    }
    qsort(moved, (size_t)pairing->case_count, sizeof *moved, by_size);
    return moved;
}

/// Whatever the unsolved would have been: all of them for A at one end, for B at the other.
static gmc_interval case_interval(const gmc_compare_answer *a, const gmc_pairing_case *c)
{
    int64_t first = c->cells.only_first, second = c->cells.only_second, open = c->open;
    int64_t pairs = gmc_paired_count(c->cells) + open;
    double level = a->args->level;
    return (gmc_interval){.lower = gmc_difference_tango(first + open, second, pairs, level).lower,
                          .upper = gmc_difference_tango(first, second + open, pairs, level).upper};
}

static void print_cases(const gmc_compare_answer *a, FILE *out)
{
    enum { SHOWN = 10 };
    const gmc_pairing *p = a->pairing;
    if (!p->is_paired || p->case_count < 2) return;
    gmc_moved *moved = moved_cases(p);
    if (!moved) return;
    gmc_terminal_print(out, "\ncases that moved most%s\n",
                       p->is_stopped ? "" : "; each interval has its level on its own (Tango)");
    for (int i = 0; i < p->case_count && i < SHOWN; i++) {
        const gmc_pairing_case *c = &p->cases[moved[i].index];
        const gmc_store_case *about = &a->about->cases[moved[i].index];
        gmc_interval interval = case_interval(a, c);
        gmc_terminal_print(out, "%6d  %-12s  %+.3f", moved[i].index, about->object, moved[i].by);
        if (!p->is_stopped) fprintf(out, " [%+.3f, %+.3f]", interval.lower, interval.upper);
        fprintf(out, "  only A %" PRId64 ", only B %" PRId64 " of %" PRId64, c->cells.only_first,
                c->cells.only_second, gmc_paired_count(c->cells));
        for (int k = 0; k < a->about->parameter_count; k++)
            if (a->about->parameters[k].is_studied)
                gmc_terminal_print(out, "; %s %.6g %s", a->about->parameters[k].name,
                                   about->values[k], a->about->parameters[k].unit);
        fputc('\n', out);
    }
    if (p->case_count > SHOWN)
        fprintf(out, "        ... %d cases more: --json has all\n", p->case_count - SHOWN);
    free(moved);
}

/// Has a measure the same value in both trials of every pair?
static bool are_equal(const gmc_pairing_measure *measure)
{
    return measure->tail.sums[0] == 0 && measure->units.mean == 0;
}

static void print_measures(const gmc_compare_answer *a, FILE *out)
{
    const gmc_pairing *p = a->pairing;
    bool is_first = true;
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++) {
        const gmc_pairing_measure *measure = &p->measures[m];
        if (measure->units.count < 2) continue;
        if (is_first)
            gmc_terminal_print(out, "\nB - A where both succeed, means, %.10g %% t over %s\n",
                               100 * a->args->level,
                               p->paired.method == GMC_PAIRED_REPLICAS ? "randomisations"
                                                                       : "draws");
        is_first = false;
        if (are_equal(measure)) {
            gmc_terminal_print(out, "  %-10s equal in all %" PRId64 " pairs\n", measure->name,
                               measure->pairs);
            continue;
        }
        gmc_interval i = gmc_moments_interval(&measure->units, a->args->level);
        gmc_terminal_print(out, "  %-10s %+.4g [%+.4g, %+.4g] %s, %" PRId64 " pairs\n",
                           measure->name, measure->units.mean, i.lower, i.upper, measure->unit,
                           measure->pairs);
        if (gmc_tail_is_skewed(&measure->tail))
            fprintf(out, "    this interval may be too short: the pairs are few and their "
                         "differences skewed\n");
    }
}

/// `show` has a part of what the step does in the interval of a file; here none has it.
static void print_repeated(const gmc_compare_answer *a, FILE *out)
{
    const int64_t *repeated = a->pairing->repeated;
    if (repeated[0] + repeated[1] == 0) return;
    fprintf(out,
            "step, not in the intervals: %" PRId64 " trials of A and %" PRId64
            " of B repeated at half the step\n",
            repeated[0], repeated[1]);
}

static void compare_answer_print(const gmc_compare_answer *a, FILE *out)
{
    for (int k = 0; k < 2; k++) {
        char text[GMC_ESTIMATE_TEXT_MAX];
        gmc_terminal_print(out, "%c %s: success %s\n", k == 0 ? 'A' : 'B', a->args->inputs[k],
                           gmc_estimate_text(&a->pairing->totals[k], text));
    }
    print_repeated(a, out);
    print_difference(a, out);
    if (a->pairing->is_paired) print_pairs(a, out);
    print_gate(a, out);
    print_changes(a, out);
    print_cases(a, out);
    if (a->pairing->is_paired) print_measures(a, out);
}

// ---- as JSON ----------------------------------------------------------------------------------

static void put_interval(gmc_json *json, gmc_interval interval)
{
    gmc_json_real(json, "lower", interval.lower);
    gmc_json_real(json, "upper", interval.upper);
}

static void put_cells(gmc_json *json, gmc_paired_cells cells, int64_t open)
{
    gmc_json_whole(json, "both", (uint64_t)cells.both);
    gmc_json_whole(json, "only_a", (uint64_t)cells.only_first);
    gmc_json_whole(json, "only_b", (uint64_t)cells.only_second);
    gmc_json_whole(json, "neither", (uint64_t)cells.neither);
    gmc_json_whole(json, "unsolved", (uint64_t)open);
}

static void put_difference(gmc_json *json, const gmc_compare_answer *a)
{
    gmc_json_open(json, "difference", '{');
    gmc_json_real(json, "b_minus_a", a->difference);
    put_interval(json, a->firm);
    gmc_json_real(json, "sampling_lower", a->interval.lower);
    gmc_json_real(json, "sampling_upper", a->interval.upper);
    gmc_json_real(json, "level", a->args->level);
    gmc_json_text(json, "method", method_of(a));
    gmc_json_flag(json, "paired", a->pairing->is_paired);
    gmc_json_text(json, "not_paired_because", a->pairing->why_not);
    if (a->pairing->is_paired) {
        gmc_json_whole(json, "units", (uint64_t)a->paired.units);
        gmc_json_flag(json, "widened", a->paired.is_widened);
    }
    gmc_json_real(json, "unsolved_lower", a->unsolved.lower);
    gmc_json_real(json, "unsolved_upper", a->unsolved.upper);
    gmc_json_close(json, '}');
}

static void put_pairs(gmc_json *json, const gmc_compare_answer *a)
{
    const gmc_pairing *p = a->pairing;
    gmc_json_open(json, "pairs", '{');
    put_cells(json, a->paired.cells, a->paired.open);
    gmc_json_whole(json, "without_partner_a", (uint64_t)p->alone[0]);
    gmc_json_whole(json, "without_partner_b", (uint64_t)p->alone[1]);
    gmc_json_whole(json, "left_out", (uint64_t)p->left_out);
    gmc_json_close(json, '}');
    if (!has_test(a)) return;
    gmc_json_open(json, "test", '{');
    gmc_json_text(json, "name", p->paired.is_shared ? "sign test over draws" : "McNemar");
    gmc_json_text(json, "form", "exact mid-p");
    gmc_json_whole(json, "up", (uint64_t)a->paired.went_up);
    gmc_json_whole(json, "down", (uint64_t)a->paired.went_down);
    gmc_json_real(json, "p", a->paired.p_value);
    gmc_json_close(json, '}');
}

static void put_cases(gmc_json *json, const gmc_compare_answer *a)
{
    gmc_moved *moved = moved_cases(a->pairing);
    gmc_json_open(json, "cases", '[');
    for (int i = 0; moved && i < a->pairing->case_count; i++) {
        const gmc_pairing_case *c = &a->pairing->cases[moved[i].index];
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)moved[i].index);
        gmc_json_text(json, "object", a->about->cases[moved[i].index].object);
        gmc_json_real(json, "b_minus_a", case_difference(c));
        if (!a->pairing->is_stopped) put_interval(json, case_interval(a, c));
        put_cells(json, c->cells, c->open);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    free(moved);
}

static void put_measures(gmc_json *json, const gmc_compare_answer *a)
{
    gmc_json_open(json, "measures", '[');
    for (int m = 0; m < GMC_PAIRING_MEASURES; m++) {
        const gmc_pairing_measure *measure = &a->pairing->measures[m];
        if (measure->units.count < 2) continue;
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "name", measure->name);
        gmc_json_text(json, "unit", measure->unit);
        gmc_json_real(json, "b_minus_a", measure->units.mean);
        put_interval(json, gmc_moments_interval(&measure->units, a->args->level));
        gmc_json_whole(json, "pairs", (uint64_t)measure->pairs);
        gmc_json_whole(json, "units", (uint64_t)measure->units.count);
        gmc_json_flag(json, "are_equal", are_equal(measure));
        gmc_json_flag(json, "is_skewed", gmc_tail_is_skewed(&measure->tail) && !are_equal(measure));
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_changes(gmc_json *json, const gmc_compare_changes *changes)
{
    gmc_json_open(json, "differ", '[');
    for (int i = 0; i < changes->count; i++) {
        const gmc_compare_change *c = &changes->items[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "key", c->key);
        gmc_json_text(json, "a", c->has_first ? c->first : NULL);
        gmc_json_text(json, "b", c->has_second ? c->second : NULL);
        if (c->is_written_alike) gmc_json_flag(json, "is_written_alike", true);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void compare_answer_json(const gmc_compare_answer *a, FILE *out)
{
    static const char *const WORDS[] = {"undecided", "yes", "no"};
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    for (int k = 0; k < 2; k++) {
        gmc_json_open(&json, k == 0 ? "a" : "b", '{');
        gmc_json_text(&json, "output", a->args->inputs[k]);
        gmc_answer_put_estimate(&json, "success", &a->pairing->totals[k]);
        gmc_json_open(&json, "half_step", '{');
        gmc_json_whole(&json, "repeated", (uint64_t)a->pairing->repeated[k]);
        gmc_json_flag(&json, "is_in_interval", false);
        gmc_json_close(&json, '}');
        gmc_json_close(&json, '}');
    }
    put_difference(&json, a);
    if (a->pairing->is_paired) put_pairs(&json, a);
    if (a->args->gate.is_set) {
        gmc_json_open(&json, "gate", '{');
        gmc_json_real(&json, "worse_by", a->args->gate.margin);
        gmc_json_text(&json, "verdict", WORDS[gmc_gate_judge(a->args->gate, a->firm)]);
        gmc_json_close(&json, '}');
    }
    put_changes(&json, a->changes);
    if (a->pairing->is_paired) put_cases(&json, a);
    if (a->pairing->is_paired) put_measures(&json, a);
    gmc_json_close(&json, '}');
    fputc('\n', out);
}

// ==== the two files =============================================================================

/// Where changes are kept, and the scenarios that they are between.
typedef struct finding {
    gmc_compare_changes *changes;
    const gmc_scenario *first, *second;
} finding;

static gmc_status keep_change(gmc_compare_changes *changes, const char *key, const char *there,
                              size_t there_bytes, const char *here, size_t here_bytes)
{
    gmc_compare_change *items =
        gmc_list_room(changes->items, changes->count, &changes->capacity, sizeof *items);
    if (!items) return GMC_E_MEMORY;
    changes->items = items;
    gmc_compare_change *c = &changes->items[changes->count];
    *c = (gmc_compare_change){.has_first = there != NULL, .has_second = here != NULL};
    snprintf(c->key, sizeof c->key, "%s", key);
    snprintf(c->first, sizeof c->first, "%.*s", (int)there_bytes, there ? there : "");
    snprintf(c->second, sizeof c->second, "%.*s", (int)here_bytes, here ? here : "");
    changes->count++;
    return GMC_OK;
}

/// The law of a line of `uncertain` as the scenario writes it; NULL: the key is of none.
static const char *law_as_written(const gmc_scenario *s, const char *key)
{
    static const char BLOCK[] = "uncertain.";
    if (strncmp(key, BLOCK, strlen(BLOCK)) != 0) return NULL;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (strcmp(line->path, key + strlen(BLOCK)) == 0)
            return line->node && line->node->kind == GMC_NODE_SCALAR ? line->node->text : NULL;
    }
    return NULL;
}

/// The fingerprint has laws by their numbers, in SI: a reader knows them as they are written.
static void write_laws(const finding *f, gmc_compare_change *c)
{
    const char *first = law_as_written(f->first, c->key);
    const char *second = law_as_written(f->second, c->key);
    if ((c->has_first && !first) || (c->has_second && !second)) return;
    c->is_written_alike = first && second && strcmp(first, second) == 0;
    if (first) snprintf(c->first, sizeof c->first, "%s", first);
    if (second) snprintf(c->second, sizeof c->second, "%s", second);
}

static void see_change(void *context, const gmc_identity_change *c)
{
    finding *f = context;
    gmc_compare_changes *changes = f->changes;
    if (changes->status != GMC_OK) return;
    changes->status = keep_change(changes, c->key, c->there, (size_t)c->there_bytes, c->here,
                                  (size_t)c->here_bytes);
    if (changes->status == GMC_OK) write_laws(f, &changes->items[changes->count - 1]);
}

static gmc_status keep_if_other(gmc_compare_changes *changes, const char *key, const char *first,
                                const char *second)
{
    if (strcmp(first, second) == 0) return GMC_OK;
    return keep_change(changes, key, first, strlen(first), second, strlen(second));
}

/// What is not the same about the two files: scenario, seed, program.
static gmc_status find_changes(gmc_stored stored[2], gmc_compare_changes *changes)
{
    const gmc_result_info *a = stored[0].info, *b = stored[1].info;
    char *texts[2] = {NULL, NULL};
    gmc_status status = GMC_OK;
    for (int k = 0; k < 2 && status == GMC_OK; k++)
        status = gmc_fingerprint_text(&stored[k].prepared.scenario, &texts[k]);
    finding f = {changes, &stored[0].prepared.scenario, &stored[1].prepared.scenario};
    if (status == GMC_OK) status = gmc_identity_each(texts[0], texts[1], see_change, &f);
    if (status == GMC_OK) status = changes->status;
    if (status == GMC_OK)
        status = keep_if_other(changes, "program version", a->program_version, b->program_version);
    if (status == GMC_OK) status = keep_if_other(changes, "commit", a->commit, b->commit);
    if (status == GMC_OK) status = keep_if_other(changes, "compiler", a->compiler, b->compiler);
    if (status == GMC_OK) status = keep_if_other(changes, "flags", a->flags, b->flags);
    free(texts[0]);
    free(texts[1]);
    return status;
}

static gmc_exit exit_of(gmc_gate gate, gmc_interval firm)
{
    if (!gate.is_set) return GMC_EXIT_DONE;
    switch (gmc_gate_judge(gate, firm)) {
    case GMC_GATE_YES:
        return GMC_EXIT_NO;
    case GMC_GATE_NO:
        return GMC_EXIT_DONE;
    case GMC_GATE_UNDECIDED:
        break;
    }
    return GMC_EXIT_UNDECIDED;
}

static gmc_status compare(const gmc_args *args, gmc_stored stored[2], gmc_exit *code)
{
    gmc_pairing_side sides[2];
    for (int k = 0; k < 2; k++)
        sides[k] =
            (gmc_pairing_side){.result = stored[k].result,
                               .path = args->inputs[k],
                               .is_independent = stored[k].prepared.scenario.is_independent,
                               .is_weighted = stored[k].prepared.scenario.is_weighted,
                               .has_intervals = stored[k].prepared.scenario.interval_places > 0,
                               .replicas = stored[k].prepared.scenario.replicas};
    gmc_pairing pairing;
    gmc_compare_changes changes = {0};
    gmc_status status = gmc_pairing_read(sides, args->level, &stored[1].messages, &pairing);
    if (status == GMC_OK) status = find_changes(stored, &changes);
    if (status == GMC_OK) {
        gmc_compare_answer answer = compare_answer_of(args, stored[0].info, &pairing, &changes);
        if (args->json)
            compare_answer_json(&answer, stdout);
        else
            compare_answer_print(&answer, stdout);
        *code = exit_of(args->gate, answer.firm);
    }
    free(changes.items);
    gmc_pairing_free(&pairing);
    return status;
}

gmc_exit gmc_compare_main(const gmc_args *args)
{
    gmc_stored *stored = calloc(2, sizeof *stored);
    if (!stored) return GMC_EXIT_INTERNAL;
    gmc_exit code = GMC_EXIT_DONE;
    gmc_status status = gmc_stored_open(args->inputs[0], &stored[0]);
    bool is_second_open = status == GMC_OK;
    if (is_second_open) status = gmc_stored_open(args->inputs[1], &stored[1]);
    if (status == GMC_OK) status = compare(args, stored, &code);
    if (is_second_open) gmc_stored_close(&stored[1], "compare", status);
    gmc_stored_close(&stored[0], "compare", is_second_open ? GMC_OK : status);
    free(stored);
    return status == GMC_OK ? code : gmc_exit_of(status);
}
