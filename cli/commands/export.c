// Nothing but the file is looked at, so that results of other versions can be exported too.
#include "cli/commands/export.h"

#include "cli/commands/export_csv.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "cli/process/text_file.h"

#include <errno.h>
#include <inttypes.h>

typedef struct gmc_exporting {
    const gmc_args *args;
    gmc_result *result;
    gmc_diagnostics messages;
} gmc_exporting;

/// The motion of one trial, as it was kept.
static gmc_status export_trial(gmc_exporting *e, FILE *out)
{
    gmc_trial_copy copy = {0};
    const gmc_result_info *info = gmc_result_about(e->result);
    gmc_status status = gmc_result_trial(e->result, e->args->trial.value, &copy);
    if (status == GMC_OK && !copy.trial.trajectory) {
        gmc_diagnostics_add(&e->messages, GMC_ERROR, GMC_E_INPUT,
                            (gmc_source){.file = e->args->input},
                            "graspmc replay --trial I -o TRIAL.h5 keeps it; then export that",
                            "the motion of trial %" PRIu64 " was not kept", e->args->trial.value);
        status = GMC_E_INPUT;
    }
    if (status == GMC_OK)
        status = e->args->contacts ? gmc_export_csv_contacts(info, copy.trial.trajectory, out)
                                   : gmc_export_csv_motion(info, copy.trial.trajectory, out);
    gmc_trial_copy_free(&copy);
    // a number that the file does not have is a wrong number, not a missing file
    return status == GMC_E_MISSING ? GMC_E_INPUT : status;
}

static gmc_status export_to(void *context, FILE *out)
{
    gmc_exporting *e = context;
    return e->args->trial.is_given ? export_trial(e, out) : gmc_export_csv_trials(e->result, out);
}

/// What stands in the file now, as JSON.
static void answer(const gmc_exporting *e)
{
    const gmc_args *args = e->args;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", args->out);
    gmc_json_text(&json, "format", "csv");
    gmc_json_text(&json, "holds",
                  !args->trial.is_given ? "trials"
                  : args->contacts      ? "contacts"
                                        : "motion");
    if (args->trial.is_given)
        gmc_json_whole(&json, "trial", args->trial.value);
    else
        gmc_json_whole(&json, "trials", gmc_result_about(e->result)->count);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

gmc_exit gmc_export_main(const gmc_args *args)
{
    gmc_exporting e = {.args = args};
    gmc_status status = gmc_result_open(args->input, &e.messages, &e.result);
    if (status == GMC_OK)
        status = args->out ? gmc_text_file_write(args->out, args->force, args->input, export_to, &e,
                                                 &e.messages)
                           : export_to(&e, stdout);
    if (status == GMC_OK && args->json) answer(&e);
    gmc_terminal_messages(&e.messages);
    // what the standard output did not take, main says
    if (status != GMC_OK && status != GMC_E_IO && e.messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc export: %s\n", gmc_status_name(status));
    gmc_result_close(e.result);
    gmc_diagnostics_free(&e.messages);
    bool is_cut = status == GMC_E_IO && !args->out && ferror(stdout) && errno == EPIPE;
    return is_cut ? GMC_EXIT_DONE : gmc_exit_of(status);
}
