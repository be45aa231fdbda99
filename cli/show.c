#include "cli/show.h"

#include "cli/answer.h"
#include "cli/answer_rescore.h"
#include "cli/answer_where.h"
#include "cli/bins.h"
#include "cli/stored.h"

#include <stdio.h>

static gmc_status show(const gmc_args *args, gmc_stored *stored)
{
    GMC_TRY(gmc_bins_ask(args, stored));
    const gmc_result_info *info = stored->info;
    gmc_describe_options options = {.first = info->first,
                                    .count = info->ladder[0] != 0 ? info->total : info->count,
                                    .level = args->level,
                                    .stop = info->stop};
    gmc_description description;
    gmc_answer answer = {0};
    gmc_rescore *rescore = NULL, *where = NULL;
    gmc_status status = gmc_describe_run(&stored->prepared.scenario, stored->prepared.build,
                                         &options, &stored->messages, &description);
    if (status == GMC_OK && args->success)
        status = gmc_answer_rescore_read(args->success, &description.plan, args->input,
                                         &stored->messages, &rescore);
    if (status == GMC_OK && args->where)
        status = gmc_answer_where_read(args->where, &description.plan, args->input,
                                       &stored->messages, &where);
    if (status == GMC_OK)
        status = gmc_answer_collect(stored->result, &description.plan, rescore, where, args->input,
                                    &answer);
    if (status == GMC_OK && args->json) {
        gmc_answer_print_json(&answer, true, stdout);
    } else if (status == GMC_OK) {
        if (!args->by && args->rebin_count == 0) {
            if (stored->prepared.scenario.about) printf("%s\n", stored->prepared.scenario.about);
            gmc_answer_print_estimate(&answer, stdout);
            gmc_answer_print_outcomes(&answer, stdout);
            gmc_answer_print_cases(&answer, 0, stdout);
        } else {
            gmc_answer_where_print(&answer, stdout);
            gmc_answer_rescore_print(&answer, stdout);
        }
        for (int i = 0; i < description.plan.histogram_count; i++)
            gmc_answer_print_histogram(&answer, i, stdout);
    }
    gmc_answer_free(&answer);
    gmc_rescore_close(rescore);
    gmc_rescore_close(where);
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
