#include "cli/status.h"

#include "cli/json.h"
#include "sampling/store/survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_output(const gmc_survey_output *o)
{
    double share = o->count > 0 ? 100 * (double)o->done / (double)o->count : 0;
    printf("  %-11s %5.1f %%  trials %" PRIu64 " ... %" PRIu64 "  %s\n",
           gmc_survey_state_name(o->state), share, o->first, o->first + o->count - 1, o->path);
}

static void print_run(const gmc_survey *s, int r)
{
    const gmc_survey_run *run = &s->runs[r];
    printf("run %.12s, seed %" PRIu64 ": %" PRIu64, run->digest, run->seed, run->done);
    if (run->total > 0) printf(" of %" PRIu64, run->total);
    printf(" trials\n");
    bool is_whole = run->total > 0 && run->done >= run->total;
    for (int i = 0; i < s->output_count; i++) {
        if (s->outputs[i].run != r) continue;
        print_output(&s->outputs[i]);
        is_whole = is_whole && s->outputs[i].state == GMC_SURVEY_COMPLETE;
    }
    uint64_t first, end = 0;
    while (gmc_survey_gap(s, r, end, &first, &end))
        printf("  %-11s          trials %" PRIu64 " ... %" PRIu64 "\n", "missing", first, end - 1);
    if (is_whole && run->output_count > 1)
        printf("  every part is there: graspmc merge puts them together\n");
}

static void print_json(const gmc_survey *s)
{
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "state", gmc_survey_is_complete(s) ? "complete" : "incomplete");
    gmc_json_open(&json, "runs", '[');
    for (int r = 0; r < s->run_count; r++) {
        const gmc_survey_run *run = &s->runs[r];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "scenario_digest", run->digest);
        gmc_json_whole(&json, "seed", run->seed);
        gmc_json_whole(&json, "done", run->done);
        if (run->total > 0) gmc_json_whole(&json, "total", run->total);
        gmc_json_open(&json, "outputs", '[');
        for (int i = 0; i < s->output_count; i++) {
            const gmc_survey_output *o = &s->outputs[i];
            if (o->run != r) continue;
            gmc_json_open(&json, NULL, '{');
            gmc_json_text(&json, "path", o->path);
            gmc_json_text(&json, "state", gmc_survey_state_name(o->state));
            gmc_json_whole(&json, "first", o->first);
            gmc_json_whole(&json, "count", o->count);
            gmc_json_whole(&json, "done", o->done);
            gmc_json_close(&json, '}');
        }
        gmc_json_close(&json, ']');
        gmc_json_open(&json, "missing", '[');
        uint64_t first, end = 0;
        while (gmc_survey_gap(s, r, end, &first, &end)) {
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
    if (code == GMC_EXIT_DONE && !gmc_survey_is_complete(&survey)) code = GMC_EXIT_UNDECIDED;
    gmc_survey_free(&survey);
    gmc_diagnostics_print(&messages, stderr);
    gmc_diagnostics_free(&messages);
    return code;
}
