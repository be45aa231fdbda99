#include "cli/answer/answer_rescore.h"

#include "cli/process/terminal.h"

#include <inttypes.h>

uint64_t gmc_answer_rescore_open(const gmc_answer *answer)
{
    uint64_t sum = 0;
    for (int d = 0; d < GMC_DECISION_COUNT; d++)
        sum += answer->not_known[d];
    return sum;
}

void gmc_answer_rescore_print(const gmc_answer *answer, FILE *out)
{
    if (!answer->rescore) return;
    gmc_terminal_print(out, "criteria %s\n", gmc_rescore_text(answer->rescore));
    uint64_t open = gmc_answer_rescore_open(answer);
    if (open == 0) return;
    fprintf(out, "open %" PRIu64 ": early verdicts cut them short", open);
    const char *comma = " (";
    for (int d = 0; d < GMC_DECISION_COUNT; d++) {
        if (answer->not_known[d] == 0) continue;
        gmc_terminal_print(out, "%s%" PRIu64 " %s", comma, answer->not_known[d],
                           gmc_decision_name((gmc_decision)d));
        comma = ", ";
    }
    gmc_terminal_print(out, "); graspmc run --complete %s --success '%s' runs these to the end\n",
                       answer->path, gmc_rescore_text(answer->rescore));
}

void gmc_answer_rescore_json(const gmc_answer *answer, gmc_json *json)
{
    if (!answer->rescore) return;
    gmc_json_text(json, "criteria", gmc_rescore_text(answer->rescore));
    gmc_json_open(json, "not_known", '{');
    gmc_json_whole(json, "trials", gmc_answer_rescore_open(answer));
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        gmc_json_whole(json, gmc_decision_name((gmc_decision)d), answer->not_known[d]);
    gmc_json_close(json, '}');
}

gmc_status gmc_answer_rescore_read(const char *text, const gmc_store_plan *plan, const char *input,
                                   gmc_diagnostics *messages, gmc_rescore **rescore)
{
    *rescore = NULL;
    if (plan->subset) {
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = input},
                            "run it with another margin",
                            "--success: subset simulation went where its own margin is small; of "
                            "other criteria its trials say nothing");
        return GMC_E_INPUT;
    }
    if (gmc_store_plan_is_sparse(plan)) {
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = input},
                            "run the study with these criteria in its scenario",
                            "--success: the %s chose the trials to run by the scenario's "
                            "criteria; by others it would have run others",
                            plan->ladder  ? "ladder"
                            : plan->pairs ? "pilot of two levels"
                                          : "ranking");
        return GMC_E_INPUT;
    }
    const gmc_rescore_names names = {.columns = plan->columns,
                                     .column_count = plan->column_count,
                                     .parameters = plan->parameters,
                                     .parameter_count = plan->parameter_count,
                                     .option = "--success",
                                     .is_verdict = true};
    return gmc_rescore_open_where(text, &names, messages, rescore);
}
