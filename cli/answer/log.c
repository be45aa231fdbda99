#define _POSIX_C_SOURCE 200809L
#include "cli/answer/log.h"

#include "cli/process/json.h"
#include "cli/process/peak.h"
#include "cli/process/terminal.h"
#include "sampling/hdf5/file.h"
#include "sampling/store/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

FILE *gmc_log_open(const char *out, bool is_new)
{
    size_t bytes = strlen(out) + sizeof ".log";
    char *path = malloc(bytes);
    if (!path) return NULL;
    snprintf(path, bytes, "%s.log", out);
    int file = gmc_file_open_own(path, O_WRONLY | O_CREAT | O_APPEND);
    if (file >= 0 && is_new && ftruncate(file, 0) != 0) {
        close(file);
        file = -1;
    }
    FILE *log = file >= 0 ? fdopen(file, "a") : NULL;
    if (!log)
        gmc_terminal_print(stderr, "%s: warning: there will be no log: %s\n", path,
                           errno == ELOOP ? "a link stands there, which is not followed"
                                          : strerror(errno));
    if (!log && file >= 0) close(file);
    free(path);
    return log;
}

static void put_time(gmc_json *json)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    gmc_json_text(json, "time", text);
}

/// One line is on disk or not, whatever happens to the process.
static void end_line(gmc_json *json)
{
    gmc_json_close(json, '}');
    fputc('\n', json->out);
    fflush(json->out);
}

void gmc_log_start(FILE *log, const gmc_log_session *session)
{
    if (!log) return;
    gmc_json json = {.out = log};
    struct utsname host;
    bool is_known = uname(&host) >= 0;
    const char *slurm_job = getenv("SLURM_JOB_ID");
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", "start");
    put_time(&json);
    gmc_json_text(&json, "host", is_known ? host.nodename : NULL);
    gmc_json_text(&json, "system", is_known ? host.release : NULL);
    gmc_json_whole(&json, "process", (uint64_t)getpid());
    if (slurm_job) gmc_json_text(&json, "slurm_job", slurm_job);
    gmc_json_text(&json, "version", gmc_version_program());
    gmc_json_text(&json, "commit", gmc_version_commit());
    gmc_json_open(&json, "command", '[');
    for (int i = 0; i < session->argc; i++)
        gmc_json_text(&json, NULL, session->argv[i]);
    gmc_json_close(&json, ']');
    gmc_json_whole(&json, "workers", (uint64_t)session->workers);
    gmc_json_whole(&json, "first_trial", session->first);
    gmc_json_whole(&json, "trials", session->count);
    gmc_json_whole(&json, "kept", session->kept);
    end_line(&json);
}

void gmc_log_note(FILE *log, const char *event, const char *text)
{
    if (!log) return;
    gmc_json json = {.out = log};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", event);
    put_time(&json);
    gmc_json_text(&json, "text", text);
    end_line(&json);
}

void gmc_log_end(FILE *log, const char *how, const gmc_campaign_progress *last)
{
    if (!log) return;
    gmc_json json = {.out = log};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", "end");
    put_time(&json);
    gmc_json_text(&json, "how", how);
    gmc_json_whole(&json, "done", last->done);
    gmc_json_whole(&json, "fresh", last->fresh);
    gmc_json_real(&json, "elapsed_s", last->elapsed_s);
    if (last->fresh > 0) {
        gmc_json_real(&json, "trials_per_s", (double)last->fresh / last->elapsed_s);
        gmc_json_real(&json, "trial_mean_s", last->trial_sum_s / (double)last->fresh);
        gmc_json_real(&json, "trial_max_s", last->trial_max_s);
        gmc_json_whole(&json, "slowest_trial", last->slowest);
    }
    uint64_t peak = gmc_peak_memory_kib();
    if (peak > 0) gmc_json_whole(&json, "peak_memory_kib", peak);
    end_line(&json);
}
