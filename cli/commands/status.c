// graspmc status: how far running and interrupted runs are, and what is missing of sharded ones.
#include "cli/commands/commands.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "sampling/shards/survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- what follows from a survey ------------------------------------------------------------

/// The next trials from `from` on that no output of a run has or is to have.
/// @param first,end  out: [first, end)
/// @return false: none is missing, or nobody knows how many there are
static bool find_gap(const gmc_survey *s, int run, uint64_t from, uint64_t *first, uint64_t *end)
{
    uint64_t next = from, stop = s->runs[run].total;
    for (int i = 0; i < s->output_count; i++) {
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != run || o->first + o->count <= next) continue;
        if (o->first > next) {
            if (o->first < stop) stop = o->first;
            break;
        }
        next = o->first + o->count;
    }
    *first = next;
    *end = stop;
    return next < stop;
}

/// The next parts from `from` on (1: the first) of a run's open round of which there is no output.
/// @param first,end  out: [first, end)
/// @return false: none is missing, or nobody knows how many there are
static bool find_part_gap(const gmc_survey *s, int run, uint64_t from, uint64_t *first,
                          uint64_t *end)
{
    uint64_t next = from, stop = s->runs[run].part_count + 1;
    for (int i = 0; i < s->output_count; i++) { // in the order of their parts
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != run || o->part.round != s->runs[run].round || o->part.index < next) continue;
        if (o->part.index > next) {
            stop = o->part.index;
            break;
        }
        next++;
    }
    *first = next;
    *end = stop;
    return s->runs[run].is_open && next < stop;
}

/// What is to be done with a run's results.
typedef enum merging {
    MERGE_OPEN,     ///< trials are missing, or not finished
    MERGE_WHOLE,    ///< one result has all trials
    MERGE_PARTS,    ///< `merge` puts them together
    MERGE_TWICE,    ///< every trial is there, some in two files
    MERGE_DIFFERENT ///< every trial is there, in files that differ in what parts share
} merging;

/// @param whole  out: index of an output that has all trials; -1: none has
static merging mergeable(const gmc_survey *s, int r, int *whole)
{
    const gmc_survey_run *run = &s->runs[r];
    uint64_t end = 0;
    const char *kind = NULL;
    bool is_known = run->total > 0 && run->done >= run->total, is_twice = false, is_one = true;
    *whole = -1;
    for (int i = 0; i < s->output_count; i++) { // in the order of their trials
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != r) continue;
        if (o->state != GMC_SURVEY_COMPLETE)
            is_known = false;
        else if (*whole < 0 && run->total > 0 && o->first == 0 && o->count >= run->total)
            *whole = i;
        is_one = is_one && (!kind || strcmp(o->kind.hex, kind) == 0);
        kind = o->kind.hex;
        is_twice = is_twice || o->first < end;
        if (o->first + o->count > end) end = o->first + o->count;
    }
    if (*whole >= 0) return MERGE_WHOLE;
    if (!is_known || run->is_open) return MERGE_OPEN;
    if (is_twice) return MERGE_TWICE;
    return is_one ? MERGE_PARTS : MERGE_DIFFERENT;
}

/// Is every trial of every run kept in a finished result?
static bool is_complete(const gmc_survey *s)
{
    for (int i = 0; i < s->output_count; i++)
        if (s->outputs[i].state != GMC_SURVEY_COMPLETE) return false;
    for (int r = 0; r < s->run_count; r++)
        if (s->runs[r].is_open || s->runs[r].done < s->runs[r].total) return false;
    return s->output_count > 0;
}

/// "complete", "running", "interrupted".
static const char *state_name(gmc_survey_state state)
{
    static const char *const NAMES[] = {[GMC_SURVEY_COMPLETE] = "complete",
                                        [GMC_SURVEY_RUNNING] = "running",
                                        [GMC_SURVEY_INTERRUPTED] = "interrupted",
                                        [GMC_SURVEY_STATE_COUNT] = "unknown"};
    return NAMES[state];
}

// ---- in words and as JSON -----------------------------------------------------------------

/// Which trials an output has.
static void print_range(const gmc_survey_output *o)
{
    const gmc_journal_part *part = &o->part;
    if (o->is_chosen)
        printf("%" PRIu64 " of at most %" PRIu64 " trials", o->done, o->most);
    else if (!o->is_open)
        printf("trials %" PRIu64 " ... %" PRIu64, o->first, o->first + o->count - 1);
    else if (part->count > 0)
        printf("part %" PRIu64 "/%" PRIu64 " of round %" PRIu64, part->index, part->count,
               part->round);
    else
        printf("rounds 0 ... %" PRIu64, part->round - 1);
}

static void print_output(const gmc_survey_output *o)
{
    uint64_t count = o->is_chosen ? o->most : o->count;
    // without any: a part of a round of few trials
    bool is_whole = count == 0 || o->state == GMC_SURVEY_COMPLETE;
    double share = is_whole ? 100 : 100 * (double)o->done / (double)count;
    gmc_terminal_print(stdout, "  %-11s %5.1f %%  ", state_name(o->state), share);
    print_range(o);
    gmc_terminal_print(stdout, "  %s\n", o->path);
}

/// A ranking of which rounds are left: what comes next?
static void print_next(const gmc_survey *s, int r)
{
    const gmc_survey_run *run = &s->runs[r];
    uint64_t first, end = 1, missing = 0;
    while (find_part_gap(s, r, end, &first, &end)) {
        gmc_terminal_print(stdout, "  %-11s          part %" PRIu64, "missing", first);
        if (end - first > 1) printf(" ... %" PRIu64, end - 1);
        printf(" of %" PRIu64 " of round %" PRIu64 "\n", run->part_count, run->round);
        missing += end - first;
    }
    const char *before = run->state >= 0 ? s->outputs[run->state].path : NULL;
    if (run->round > 0 && !before)
        gmc_terminal_print(stdout,
                           "  %-11s          the file of the rounds before round %" PRIu64 "\n",
                           "missing", run->round);
    if (run->part_count == 0)
        gmc_terminal_print(
            stdout, "  round %" PRIu64 " is next: graspmc run SCENARIO --after %s --shard I/N\n",
            run->round, before ? before : "STATE.h5");
    else if (missing == 0 && run->parts_done == run->part_count) // more: some are there twice
        gmc_terminal_print(stdout,
                           "  every part of round %" PRIu64
                           " is there: graspmc merge puts them together%s%s\n",
                           run->round, before ? " with " : "", before ? before : "");
}

/// A run of several outputs: is there anything to merge?
static void print_merge(const gmc_survey *s, int r)
{
    int whole;
    switch (mergeable(s, r, &whole)) {
    case MERGE_OPEN:
        break;
    case MERGE_WHOLE:
        gmc_terminal_print(stdout, "  %s is whole: there is nothing to merge\n",
                           s->outputs[whole].path);
        break;
    case MERGE_PARTS:
        printf("  every part is there: graspmc merge puts them together\n");
        break;
    case MERGE_TWICE:
        printf("  every trial is there, some twice: graspmc merge puts files together that have "
               "each once\n");
        break;
    case MERGE_DIFFERENT:
        printf("  every trial is there, but not in parts of one run: graspmc merge tells what "
               "differs\n");
        break;
    }
}

static void print_run(const gmc_survey *s, int r)
{
    const gmc_survey_run *run = &s->runs[r];
    gmc_terminal_print(stdout, "run %.12s, seed %" PRIu64 ": %" PRIu64, run->digest, run->seed,
                       run->done);
    if (run->total > 0) printf(" of %" PRIu64, run->total);
    printf(" trials");
    if (run->is_open) printf(", round %" PRIu64 " is open", run->round);
    putchar('\n');
    for (int i = 0; i < s->output_count; i++)
        if (s->outputs[i].run == r) print_output(&s->outputs[i]);
    if (run->is_open) print_next(s, r);
    uint64_t first, end = 0;
    while (find_gap(s, r, end, &first, &end))
        gmc_terminal_print(stdout, "  %-11s          trials %" PRIu64 " ... %" PRIu64 "\n",
                           "missing", first, end - 1);
    if (run->output_count > 1) print_merge(s, r);
}

static void put_open(gmc_json *json, const gmc_survey *s, int r)
{
    const gmc_survey_run *run = &s->runs[r];
    if (!run->is_open) return;
    gmc_json_whole(json, "round", run->round);
    gmc_json_whole(json, "parts", run->part_count);
    gmc_json_open(json, "missing_parts", '[');
    uint64_t first, end = 1;
    while (find_part_gap(s, r, end, &first, &end))
        for (uint64_t k = first; k < end; k++)
            gmc_json_whole(json, NULL, k);
    gmc_json_close(json, ']');
}

static void print_json(const gmc_survey *s)
{
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "state", is_complete(s) ? "complete" : "incomplete");
    gmc_json_open(&json, "runs", '[');
    for (int r = 0; r < s->run_count; r++) {
        const gmc_survey_run *run = &s->runs[r];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "scenario_digest", run->digest);
        gmc_json_whole(&json, "seed", run->seed);
        gmc_json_whole(&json, "done", run->done);
        if (run->total > 0) gmc_json_whole(&json, "total", run->total);
        put_open(&json, s, r);
        gmc_json_open(&json, "outputs", '[');
        for (int i = 0; i < s->output_count; i++) {
            const gmc_survey_output *o = &s->outputs[i];
            if (o->run != r) continue;
            gmc_json_open(&json, NULL, '{');
            gmc_json_text(&json, "path", o->path);
            gmc_json_text(&json, "state", state_name(o->state));
            gmc_json_whole(&json, "first", o->first);
            gmc_json_whole(&json, "count", o->count);
            gmc_json_whole(&json, "done", o->done);
            gmc_json_flag(&json, "is_chosen", o->is_chosen);
            if (o->is_chosen) gmc_json_whole(&json, "most", o->most);
            if (o->is_open) gmc_json_whole(&json, "round", o->part.round);
            if (o->part.count > 0) gmc_json_whole(&json, "part", o->part.index);
            gmc_json_close(&json, '}');
        }
        gmc_json_close(&json, ']');
        gmc_json_open(&json, "missing", '[');
        uint64_t first, end = 0;
        while (find_gap(s, r, end, &first, &end)) {
            gmc_json_open(&json, NULL, '{');
            gmc_json_whole(&json, "first", first);
            gmc_json_whole(&json, "count", end - first);
            gmc_json_close(&json, '}');
        }
        gmc_json_close(&json, ']');
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    gmc_json_close(&json, '}');
    putchar('\n');
}

gmc_exit gmc_status_main(const gmc_args *args)
{
    gmc_diagnostics messages = {0};
    gmc_survey survey;
    gmc_status status = gmc_survey_take(args->inputs, args->input_count, &messages, &survey);
    if (args->json)
        print_json(&survey);
    else
        for (int r = 0; r < survey.run_count; r++)
            print_run(&survey, r);
    if (status == GMC_OK && survey.output_count == 0)
        fprintf(stderr, "graspmc status: no result and no journal here\n");
    gmc_exit code = gmc_exit_of(status);
    if (code == GMC_EXIT_DONE && survey.output_count == 0) code = GMC_EXIT_MISSING;
    if (code == GMC_EXIT_DONE && !is_complete(&survey)) code = GMC_EXIT_UNDECIDED;
    gmc_survey_free(&survey);
    gmc_terminal_messages(&messages);
    gmc_diagnostics_free(&messages);
    return code;
}
