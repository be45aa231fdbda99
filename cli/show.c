#include "cli/show.h"

#include "cli/answer.h"
#include "cli/answer_rescore.h"
#include "cli/stored.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BINS_LINE = 20, BINS_MAP = 12 };

/// Replace the scenario's histograms by the one asked for: "object.mass" or
/// "object.mass,friction.a/b".
static gmc_status ask_for(const char *by, gmc_stored *stored)
{
    gmc_scenario *s = &stored->prepared.scenario;
    char *text = gmc_arena_text(&stored->prepared.arena, by);
    gmc_histogram_spec *spec = gmc_arena_take(&stored->prepared.arena, 1, sizeof *spec);
    if (!text || !spec) return GMC_E_MEMORY;
    char *comma = strchr(text, ',');
    if (comma) *comma = 0;
    int bins = comma ? BINS_MAP : BINS_LINE;
    double open = (double)NAN;
    *spec = (gmc_histogram_spec){.name = {text, comma ? comma + 1 : NULL},
                                 .bins = {bins, bins},
                                 .lower = {open, open},
                                 .upper = {open, open}};
    s->histograms = spec;
    s->histogram_count = 1;
    return GMC_OK;
}

static gmc_status show(const gmc_args *args, gmc_stored *stored)
{
    if (args->by) GMC_TRY(ask_for(args->by, stored));
    const gmc_result_info *info = stored->info;
    gmc_describe_options options = {.first = info->first,
                                    .count = info->ladder[0] != 0 ? info->total : info->count,
                                    .level = args->level,
                                    .stop = info->stop};
    gmc_description description;
    gmc_answer answer = {0};
    gmc_rescore *rescore = NULL;
    gmc_status status = gmc_describe_run(&stored->prepared.scenario, stored->prepared.build,
                                         &options, &stored->messages, &description);
    if (status == GMC_OK && args->success)
        status = gmc_answer_rescore_read(args->success, &description.plan, args->input,
                                         &stored->messages, &rescore);
    if (status == GMC_OK)
        status =
            gmc_answer_collect(stored->result, &description.plan, rescore, args->input, &answer);
    if (status == GMC_OK && args->json) {
        gmc_answer_print_json(&answer, true, stdout);
    } else if (status == GMC_OK) {
        if (!args->by) {
            if (stored->prepared.scenario.about) printf("%s\n", stored->prepared.scenario.about);
            gmc_answer_print_estimate(&answer, stdout);
            gmc_answer_print_outcomes(&answer, stdout);
            gmc_answer_print_cases(&answer, 0, stdout);
        } else {
            gmc_answer_rescore_print(&answer, stdout);
        }
        for (int i = 0; i < description.plan.histogram_count; i++)
            gmc_answer_print_histogram(&answer, i, stdout);
    }
    gmc_answer_free(&answer);
    gmc_rescore_close(rescore);
    gmc_description_free(&description);
    return status;
}

gmc_exit gmc_show_main(const gmc_args *args)
{
    gmc_stored stored;
    gmc_status status = gmc_stored_open(args->input, &stored);
    if (status == GMC_OK) status = show(args, &stored);
    gmc_stored_close(&stored, "show", status);
    return gmc_exit_of(status);
}
