// graspmc show: what a result says.
#include "cli/commands/show.h"

#include "cli/answer/answer.h"
#include "cli/answer/bins.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/process/terminal.h"
#include "sampling/store/method.h"

#include <stdio.h>

typedef struct gmc_showing {
    const gmc_args *args;
    gmc_stored stored;
    gmc_description description;
    gmc_answer_how how;
    gmc_answer answer;
} gmc_showing;

/// What the options ask the trials for.
static gmc_status read_options(gmc_showing *s)
{
    const gmc_args *args = s->args;
    const gmc_store_plan *plan = &s->description.plan;
    gmc_diagnostics *messages = &s->stored.messages;
    if (args->success)
        GMC_TRY(
            gmc_answer_rescore_read(args->success, plan, args->input, messages, &s->how.rescore));
    if (args->where)
        GMC_TRY(gmc_answer_where_read(args->where, plan, args->input, messages, &s->how.where));
    s->how.asked = args->stop;
    return GMC_OK;
}

static void print(const gmc_showing *s)
{
    const gmc_args *args = s->args;
    if (args->json) {
        gmc_answer_print_json(&s->answer, true, stdout);
        return;
    }
    if (!args->by && args->rebins.count == 0) {
        const char *about = s->stored.prepared.scenario.about;
        if (about) gmc_terminal_lines(stdout, 0, about);
        gmc_answer_print(&s->answer, 0, stdout);
    } else {
        gmc_answer_asked_rule.headline(&s->answer, stdout);
        gmc_answer_where.headline(&s->answer, stdout);
        gmc_answer_rescore.headline(&s->answer, stdout);
    }
    // a single trial has no shares: only what was asked for
    bool is_asked = args->by || args->rebins.count > 0 || s->answer.trial_count > 1;
    if (is_asked) gmc_answer_histograms.details(&s->answer, stdout);
}

/// Over an interval shares and quantiles would be means by a law that nobody gave.
static gmc_status check_bins(gmc_showing *s)
{
    const gmc_args *args = s->args;
    const gmc_store_plan *plan = &s->description.plan;
    const char *bins = args->by ? "--by" : args->rebins.count > 0 ? "--rebin" : NULL;
    const char *asked = bins             ? bins
                        : args->quantile ? "--quantile"
                        : args->failures ? "--failures"
                                         : NULL;
    const char *reason = bins ? gmc_store_method_of(plan)->against_bins : NULL;
    const char *hint = NULL;
    if (asked && plan->interval_places > 0) {
        reason = "inputs given as interval(...) have no distribution, and their places no weights";
        hint = "--json has success at each place of the intervals";
    }
    if (!reason) return GMC_OK;
    gmc_diagnostics_add(&s->stored.messages, GMC_E_INPUT, (gmc_source){.file = args->input}, hint,
                        "%s: %s", asked, reason);
    return GMC_E_INPUT;
}

static gmc_status show(gmc_showing *s, gmc_exit *code)
{
    const gmc_args *args = s->args;
    GMC_TRY(gmc_bins_ask(args, &s->stored));
    GMC_TRY(gmc_stored_describe(&s->stored, args->level, &s->description));
    GMC_TRY(check_bins(s));
    if (args->failures) return gmc_show_failures(args, &s->stored, &s->description.plan);
    if (args->quantile) return gmc_show_quantile(args, &s->stored, &s->description.plan);
    if (args->sensitivity) return gmc_show_sensitivity(args, &s->stored, &s->description.plan);
    if (args->surrogate) return gmc_show_surrogate(args, &s->stored, &s->description.plan);
    bool is_asked = args->stop.kind != GMC_STOP_NEVER;
    if (is_asked &&
        !gmc_answer_rule_fits(&s->description.plan, s->stored.info->first, args, args->input)) {
        *code = GMC_EXIT_USAGE;
        return GMC_OK;
    }
    GMC_TRY(read_options(s));
    s->how.prepared = &s->stored.prepared;
    GMC_TRY(gmc_answer_collect(s->stored.result, &s->description.plan, &s->how, args->input,
                               &s->answer));
    print(s);
    if (is_asked) *code = gmc_exit_of_verdict(gmc_answer_verdict(&s->answer));
    if (gmc_answer_subset_refused(&s->answer)) *code = GMC_EXIT_UNDECIDED;
    return GMC_OK;
}

gmc_exit gmc_show_main(const gmc_args *args)
{
    gmc_showing s = {.args = args};
    gmc_exit code = GMC_EXIT_DONE;
    gmc_status status = gmc_stored_open(args->input, &s.stored);
    if (status == GMC_OK) status = show(&s, &code);
    gmc_answer_free(&s.answer);
    gmc_rescore_close(s.how.rescore);
    gmc_rescore_close(s.how.where);
    gmc_description_free(&s.description);
    gmc_stored_close(&s.stored, "show", status);
    return status == GMC_OK ? code : gmc_exit_of(status);
}
