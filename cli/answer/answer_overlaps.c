// The part of an answer about trials that could not start because bodies overlapped: which bodies,
// in how many trials, what would part them; and what is said where no trial was decided at all.
// Names are not stored: the start of such a trial is looked at again, which nothing but the
// trial's number decides.
//
// Looking at a start costs a tenth of a millisecond and more, so of many trials the first thousand
// are looked at, and the answer says so. What moves was found at nominal values; in how many of
// these trials it frees is counted with the number changed as its user would write it.
#include "cli/answer/answer.h"
#include "cli/answer/overlaps.h"
#include "cli/process/terminal.h"
#include "sampling/campaign/rollouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT_MAX = 1000, PAIRS_MAX = 64, PAIRS_SHOWN = 6 };

/// Two bodies that overlapped in some of the trials.
typedef struct gmc_answer_pair {
    uint64_t trials;
    double least;              ///< depth in the trial where they overlap least [m]
    gmc_build_overlap deepest; ///< where they overlap most
    uint64_t deepest_trial;
} gmc_answer_pair;

typedef struct gmc_answer_overlapping {
    const gmc_scenario *scenario;
    uint64_t numbers[LOOKED_AT_MAX]; ///< of the first trials with that reason
    uint64_t looked_at;
    gmc_answer_pair pairs[PAIRS_MAX]; ///< in most trials first
    int pair_count;
    gmc_freeing move;
    uint64_t freed;   ///< of the trials looked at: nothing overlaps that is told
    uint64_t started; ///< of them: nothing overlaps by more than a trial accepts
} gmc_answer_overlapping;

static gmc_status note_overlap(gmc_answer *answer, const gmc_answer_trial *taken)
{
    const gmc_trial *trial = taken->stored;
    if (taken->truth != GMC_RESCORE_YES || trial->reason != GMC_REASON_DEEP_START) return GMC_OK;
    if (!answer->overlaps) answer->overlaps = calloc(1, sizeof *answer->overlaps);
    gmc_answer_overlapping *o = answer->overlaps;
    if (!o) return GMC_E_MEMORY;
    if (o->looked_at < LOOKED_AT_MAX) o->numbers[o->looked_at++] = trial->trial;
    return GMC_OK;
}

static void free_overlaps(gmc_answer *answer)
{
    free(answer->overlaps);
    answer->overlaps = NULL;
}

// Names of two objects' models are different pointers to the same text.
static bool is_same(const gmc_answer_pair *pair, const gmc_build_overlap *overlap)
{
    return strcmp(pair->deepest.a, overlap->a) == 0 && strcmp(pair->deepest.b, overlap->b) == 0;
}

static void count_pair(gmc_answer_overlapping *o, uint64_t trial, const gmc_build_overlap *overlap)
{
    gmc_answer_pair *pair = o->pairs, *end = o->pairs + o->pair_count;
    while (pair < end && !is_same(pair, overlap))
        pair++;
    if (pair == end && o->pair_count == PAIRS_MAX) return;
    if (pair == end) {
        *pair = (gmc_answer_pair){.least = overlap->depth};
        o->pair_count++;
    }
    pair->trials++;
    if (overlap->depth < pair->least) pair->least = overlap->depth;
    if (overlap->depth <= pair->deepest.depth) return;
    pair->deepest = *overlap;
    pair->deepest_trial = trial;
}

static int by_trials(const void *a, const void *b)
{
    const gmc_answer_pair *x = a, *y = b;
    if (x->trials != y->trials) return x->trials > y->trials ? -1 : 1;
    if (x->deepest.depth > y->deepest.depth) return -1;
    return x->deepest.depth < y->deepest.depth;
}

/// Look at the noted trials under a scenario.
/// @param is_counted  count who overlaps, not trials in which nobody does
static gmc_status look_at_trials(gmc_answer_overlapping *o, const gmc_scenario *scenario,
                                 const gmc_build *build, bool is_counted)
{
    gmc_rollouts rollouts = {.scenario = scenario, .build = build};
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (!is_counted) o->freed = o->started = 0;
    for (uint64_t i = 0; i < o->looked_at && status == GMC_OK; i++) {
        gmc_build_overlaps found;
        status = gmc_rollouts_overlaps(worker, o->numbers[i], &found);
        if (status != GMC_OK) break;
        bool can_start = !is_counted && found.count == 0;
        o->started += can_start;
        o->freed += can_start && found.shallow_count == 0;
        for (int k = 0; is_counted && k < found.count; k++)
            count_pair(o, o->numbers[i], &found.list[k]);
    }
    job.worker_free(worker);
    return status;
}

/// Count in how many of the trials the move frees.
static gmc_status count_freed(gmc_answer_overlapping *o, const gmc_scenario *scenario,
                              const gmc_build *build)
{
    size_t count = (size_t)scenario->parameter_count;
    o->freed = o->started = 0;
    if (o->move.count == 0) return GMC_OK;
    gmc_scenario moved = *scenario;
    moved.parameters = malloc(count * sizeof *moved.parameters);
    if (!moved.parameters) return GMC_E_MEMORY;
    memcpy(moved.parameters, scenario->parameters, count * sizeof *moved.parameters);
    for (int i = 0; i < o->move.count; i++)
        moved.parameters[o->move.param[i]].nominal += o->move.by[i];
    gmc_status status = look_at_trials(o, &moved, build, false);
    free(moved.parameters);
    return status;
}

/// The move for the case of the first of the trials, or, where it does not free them all, for the
/// trial that overlaps most, if that frees more; and how many of them it frees.
static gmc_status look_for_move(gmc_answer_overlapping *o, const gmc_scenario *scenario,
                                const gmc_build *build)
{
    int64_t case_index;
    uint64_t draw;
    int level;
    gmc_rollouts_address(scenario, o->numbers[0], &case_index, &draw, &level);
    GMC_TRY(gmc_freeing_find(scenario, build, case_index, NULL, &o->move));
    GMC_TRY(count_freed(o, scenario, build));
    if (o->freed == o->looked_at || o->pair_count == 0) return GMC_OK;
    const gmc_freeing first = o->move;
    const uint64_t freed = o->freed, started = o->started;
    const gmc_answer_pair *worst = &o->pairs[0];
    for (int i = 1; i < o->pair_count; i++)
        if (o->pairs[i].deepest.depth > worst->deepest.depth) worst = &o->pairs[i];
    gmc_rollouts_address(scenario, worst->deepest_trial, &case_index, &draw, &level);
    GMC_TRY(gmc_freeing_find(scenario, build, case_index, &draw, &o->move));
    GMC_TRY(count_freed(o, scenario, build));
    if (o->freed > freed || (o->freed == freed && o->started > started)) return GMC_OK;
    o->move = first, o->freed = freed, o->started = started;
    return GMC_OK;
}

/// Look at the starts of the trials that were noted.
static gmc_status look_at_overlaps(gmc_answer *answer, const gmc_answer_how *how)
{
    gmc_answer_overlapping *o = answer->overlaps;
    const gmc_prepared *prepared = how->prepared;
    if (!o || !prepared) return GMC_OK;
    const gmc_scenario *scenario = &prepared->scenario;
    if (answer->plan->subset) return GMC_OK; // where its trials are follows from those before them
    o->scenario = scenario;
    GMC_TRY(look_at_trials(o, scenario, prepared->build, true));
    qsort(o->pairs, (size_t)o->pair_count, sizeof *o->pairs, by_trials);
    return look_for_move(o, scenario, prepared->build);
}

/// "7.3 mm", "4.1 to 7.3 mm"
static void print_depth(const gmc_answer_pair *pair, FILE *out)
{
    double least = 1e3 * pair->least, most = 1e3 * pair->deepest.depth;
    if (most - least < 0.1)
        fprintf(out, "%.1f mm", most);
    else
        fprintf(out, "%.1f to %.1f mm", least, most);
}

/// " in all 100 trials", " in 60 of the first 1000 of 5000 trials"
static void print_share(const gmc_answer *answer, uint64_t part, FILE *out)
{
    const gmc_answer_overlapping *o = answer->overlaps;
    uint64_t all = answer->reasons[GMC_REASON_DEEP_START];
    if (all == 1) {
        fputs(" in one trial", out);
        return;
    }
    if (part == o->looked_at)
        fputs(" in all", out);
    else
        fprintf(out, " in %" PRIu64 " of", part);
    if (o->looked_at < all)
        fprintf(out, "%s the first %" PRIu64 " of %" PRIu64 " trials",
                part == o->looked_at ? " of" : "", o->looked_at, all);
    else
        gmc_terminal_print(out, "%s %" PRIu64 " trials", part == o->looked_at ? "" : " the", all);
}

/// "hand.target.z by +7.3 mm frees it", "... frees 2 of the 4", "... lets 4 of the 4 start, 2 of
/// them without overlap"
static void print_move(const gmc_answer_overlapping *o, const char *before, FILE *out)
{
    char text[GMC_FREEING_TEXT_MAX];
    gmc_terminal_print(out, "%s%s ", before, gmc_freeing_text(&o->move, o->scenario, text));
    if (o->freed == o->looked_at)
        fputs("frees it", out);
    else if (o->freed == o->started)
        fprintf(out, "frees %" PRIu64 " of the %" PRIu64, o->freed, o->looked_at);
    else
        fprintf(out, "lets %" PRIu64 " of the %" PRIu64 " start, %" PRIu64 " without overlap",
                o->started, o->looked_at, o->freed);
}

/// "deep_start in 60, jam in 40 of 100 trials"
static void print_counts(const gmc_answer *answer, FILE *out)
{
    const char *comma = "";
    for (int r = 1; r < GMC_REASON_COUNT; r++) {
        if (answer->reasons[r] == 0) continue;
        gmc_terminal_print(out, "%s%s in %" PRIu64, comma, gmc_reason_name((gmc_reason)r),
                           answer->reasons[r]);
        comma = ", ";
    }
    gmc_terminal_print(out, "%s of %" PRIu64 " trials", *comma ? "" : "unsolved in all",
                       answer->trial_count);
}

/// "nothing was decided: finger_3_dist_link is 7.3 mm in table in all 100 trials; hand.target.z by
/// +8 mm frees it" and a line end, if so; else nothing.
static void print_why(const gmc_answer *answer, FILE *out)
{
    const gmc_answer_overlapping *o = answer->overlaps;
    if (!gmc_answer_is_undecided(answer)) return;
    bool has_pairs = o && o->pair_count > 0;
    bool is_only = answer->reasons[GMC_REASON_DEEP_START] == answer->trial_count;
    fputs("nothing was decided: ", out);
    if (!has_pairs || !is_only) print_counts(answer, out);
    if (has_pairs) {
        const gmc_answer_pair *pair = &o->pairs[0];
        gmc_terminal_print(out, "%s%s is ", is_only ? "" : "; ", pair->deepest.a);
        print_depth(pair, out);
        gmc_terminal_print(out, " in %s", pair->deepest.b);
        print_share(answer, pair->trials, out);
        if (o->started > 0) print_move(o, "; ", out);
    }
    fputc('\n', out);
}

/// One line for each pair, under its reason.
static void print_overlaps(const gmc_answer *answer, FILE *out)
{
    const gmc_answer_overlapping *o = answer->overlaps;
    if (!o) return;
    for (int i = 0; i < o->pair_count && i < PAIRS_SHOWN; i++) {
        const gmc_answer_pair *pair = &o->pairs[i];
        gmc_vec3 p = gmc_vec3_scale(1e3, pair->deepest.place);
        gmc_terminal_print(out, "      %s is ", pair->deepest.a);
        print_depth(pair, out);
        gmc_terminal_print(out, " in %s", pair->deepest.b);
        print_share(answer, pair->trials, out);
        fprintf(out, ", most in trial %" PRIu64 " at (%.1f, %.1f, %.1f) mm\n", pair->deepest_trial,
                p.x, p.y, p.z);
    }
    if (o->pair_count > PAIRS_SHOWN)
        fprintf(out, "      ... %d pairs more\n", o->pair_count - PAIRS_SHOWN);
    if (o->started == 0 || gmc_answer_is_undecided(answer)) return; // print_why told it
    print_move(o, "      ", out);
    fputc('\n', out);
}

/// `move` of an open object: path and by_m (by_rad) of every number that changes; null: none is
/// known.
static void put_move(gmc_json *json, const gmc_freeing *move, const gmc_scenario *scenario)
{
    if (move->count == 0) {
        gmc_json_text(json, "move", NULL);
        return;
    }
    gmc_json_open(json, "move", '[');
    for (int i = 0; i < move->count; i++) {
        gmc_json_open(json, NULL, '{');
        const gmc_parameter *p = &scenario->parameters[move->param[i]];
        gmc_json_text(json, "path", p->path);
        gmc_json_real(json, p->dimension == GMC_DIM_ANGLE ? "by_rad" : "by_m", move->by[i]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

static void put_overlaps(const gmc_answer *answer, gmc_json *json)
{
    const gmc_answer_overlapping *o = answer->overlaps;
    if (!o || !o->scenario) return;
    gmc_json_open(json, "overlaps", '{');
    gmc_json_whole(json, "trials", answer->reasons[GMC_REASON_DEEP_START]);
    gmc_json_whole(json, "looked_at", o->looked_at);
    gmc_json_open(json, "pairs", '[');
    for (int i = 0; i < o->pair_count; i++) {
        const gmc_answer_pair *pair = &o->pairs[i];
        gmc_json_open(json, NULL, '{');
        gmc_overlaps_put(json, &pair->deepest);
        gmc_json_whole(json, "trial", pair->deepest_trial);
        gmc_json_whole(json, "trials", pair->trials);
        gmc_json_real(json, "least_depth_m", pair->least);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
    put_move(json, &o->move, o->scenario);
    gmc_json_whole(json, "freed", o->freed);
    gmc_json_whole(json, "started", o->started);
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_overlaps = {.take = note_overlap,
                                             .finish = look_at_overlaps,
                                             .free = free_overlaps,
                                             .headline = print_why,
                                             .details = print_overlaps,
                                             .json = put_overlaps};
