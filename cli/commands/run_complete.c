#include "cli/commands/run_complete.h"

#include "cli/answer/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The criteria of a completion without --success.
static const char ALL[] = "all";

static gmc_status refuse(gmc_run_complete *c, gmc_status status, const char *hint, const char *what)
{
    gmc_diagnostics_add(&c->stored.messages, GMC_ERROR, status,
                        (gmc_source){.file = c->stored.prepared.scenario.file}, hint,
                        "--complete: %s", what);
    return status;
}

/// What was completed before, and what is now; a line each.
static gmc_status name_criteria(gmc_run_complete *c, const char *success)
{
    const char *before = c->stored.info->completed, *now = success ? success : ALL;
    size_t bytes = strlen(before) + strlen(now) + 2;
    c->criteria = malloc(bytes);
    if (!c->criteria) return GMC_E_MEMORY;
    int used = snprintf(c->criteria, bytes, "%s%s", before, *before ? "\n" : "");
    for (const char *p = now; *p; p++)
        c->criteria[used++] = *p == '\n' ? ' ' : *p;
    c->criteria[used] = 0;
    return GMC_OK;
}

/// Would the trials that run now stand beside others of their kind?
static gmc_status check_build(gmc_run_complete *c, const gmc_args *args, gmc_store_plan *plan)
{
    char difference[600];
    const char *before = c->stored.info->completed;
    if (!gmc_answer_fits(c->stored.info, plan))
        return refuse(c, GMC_E_MISMATCH, NULL, "its trials have other columns");
    plan->completed = *before ? before : NULL;
    gmc_status status = gmc_result_matches(args->input, plan, difference, sizeof difference);
    if (status != GMC_E_MISMATCH) return status;
    char what[700];
    snprintf(what, sizeof what, "its trials are of another run than what runs now: %s", difference);
    return refuse(c, status, "run the scenario again", what);
}

bool gmc_run_complete_is_open(void *context, const gmc_trial *trial)
{
    gmc_run_complete *c = context;
    gmc_decision cut_by = GMC_DECISION_END;
    if (c->rescore)
        (void)gmc_rescore_judge(c->rescore, trial, &cut_by);
    else if (!(trial->values[GMC_COLUMN_AUDIT] > 0))
        cut_by = (gmc_decision)trial->values[GMC_COLUMN_DECIDED_BY];
    return cut_by != GMC_DECISION_END;
}

static gmc_status count_open(void *context, const gmc_trial *trial)
{
    gmc_run_complete *c = context;
    c->open += gmc_run_complete_is_open(c, trial) ? 1 : 0;
    c->count++;
    return GMC_OK;
}

static gmc_status find_open(gmc_run_complete *c, const gmc_args *args, gmc_description *description)
{
    gmc_store_plan *plan = &description->plan;
    const gmc_result_info *info = c->stored.info;
    gmc_shard shard = {0};
    if (info->shard[0] && !gmc_shard_parse(info->shard, &shard)) return GMC_E_INPUT;
    gmc_describe_options options = {.first = info->first,
                                    .count = info->is_sparse ? info->total : info->count,
                                    .shard = shard.index,
                                    .shard_count = shard.count,
                                    .round = info->round,
                                    .level = args->level,
                                    .stop = info->stop,
                                    .stop_level = info->stop_level};
    GMC_TRY(gmc_describe_run(&c->stored.prepared.scenario, c->stored.prepared.build, &options,
                             &c->stored.messages, description));
    if (args->success)
        GMC_TRY(gmc_answer_rescore_read(args->success, plan, args->input, &c->stored.messages,
                                        &c->rescore));
    else if (gmc_store_plan_is_sparse(plan))
        return refuse(c, GMC_E_INPUT,
                      plan->subset || plan->pairs
                          ? NULL
                          : "run it with  --set simulation.early.broken=false  and the like",
                      plan->subset || plan->pairs ? "its trials were run to their end"
                                                  : "its trials were chosen by what others showed");
    GMC_TRY(check_build(c, args, plan));
    GMC_TRY(name_criteria(c, args->success));
    plan->text = info->text;
    plan->expanded = info->expanded;
    plan->completed = c->criteria;
    plan->completes = info->content_digest;
    return gmc_result_trials(c->stored.result, count_open, c);
}

gmc_status gmc_run_complete_open(const gmc_args *args, gmc_description *description,
                                 gmc_run_complete *complete)
{
    *complete = (gmc_run_complete){0};
    *description = (gmc_description){0};
    GMC_TRY(gmc_stored_open(args->input, &complete->stored));
    return find_open(complete, args, description);
}

void gmc_run_complete_close(gmc_run_complete *complete, gmc_status status)
{
    gmc_rescore_close(complete->rescore);
    free(complete->criteria);
    gmc_stored_close(&complete->stored, "run", status);
}
