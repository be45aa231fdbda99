// A program that runs a made run into an output, as the real one does: something to kill, to starve
// of disk space and to send signals to.
//
//   store_run OUT.h5 new|force|resume COUNT WORKERS TRIAL_US [seed]
//
// Exit codes as those of graspmc: 0, 65, 73, 74, 75, 70.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/store.h"
#include "test/support/made_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool stop;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&stop, true);
}

static int exit_code(gmc_status status)
{
    switch (status) {
    case GMC_OK:
        return 0;
    case GMC_E_INPUT:
    case GMC_E_MISMATCH:
        return 65;
    case GMC_E_EXISTS:
    case GMC_E_CREATE:
        return 73;
    case GMC_E_IO:
        return 74;
    case GMC_E_INTERRUPTED:
    case GMC_E_TIMEOUT:
        return 75;
    case GMC_E_ARENA_FULL:
    case GMC_E_MEMORY:
    case GMC_E_MISSING:
    case GMC_E_NO_SOLUTION:
    case GMC_E_RESIDUAL:
    case GMC_E_DIVERGED:
    case GMC_E_LIMIT:
    case GMC_E_LIBRARY:
    case GMC_E_INTEGRATOR:
    case GMC_STATUS_COUNT:
        break;
    }
    return 70;
}

static gmc_status run(made_run *made, const char *path, gmc_journal_mode mode, int workers,
                      gmc_diagnostics *messages)
{
    gmc_store *store;
    gmc_store_found found;
    const gmc_store_options options = {.path = path, .mode = mode};
    GMC_TRY(gmc_store_open(&made->plan, &options, messages, &store, &found));
    fprintf(stderr, "kept %llu torn %llu complete %d\n", (unsigned long long)found.kept,
            (unsigned long long)found.torn_bytes, found.is_complete);
    gmc_job job = made_run_job(made);
    gmc_sink sink = gmc_store_sink(store);
    gmc_campaign_options campaign = gmc_campaign_defaults();
    campaign.first = made->plan.first;
    campaign.count = made->plan.count;
    campaign.worker_count = workers;
    campaign.kept = found.counts;
    gmc_status status = gmc_campaign_run(&job, &sink, &campaign, &stop, NULL);
    if (status == GMC_OK) status = gmc_store_finish(store, &stop);
    gmc_store_close(store);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 6) return 64;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL); // a write beyond the limit is then an error, not a death

    static made_run made;
    made_run_start(&made, 0, strtoull(argv[3], NULL, 10));
    made.trial_us = (int)strtol(argv[5], NULL, 10);
    if (argc > 6) made.plan.seed = strtoull(argv[6], NULL, 10);
    gmc_journal_mode mode = strcmp(argv[2], "resume") == 0  ? GMC_JOURNAL_RESUME
                            : strcmp(argv[2], "force") == 0 ? GMC_JOURNAL_FORCE
                                                            : GMC_JOURNAL_NEW;
    gmc_diagnostics messages = {0};
    gmc_status status = run(&made, argv[1], mode, (int)strtol(argv[4], NULL, 10), &messages);
    gmc_diagnostics_print(&messages, stderr);
    gmc_diagnostics_free(&messages);
    return exit_code(status);
}
