/// OUT.h5.log: what depends on the occasion and so must not be in the result: when, where, how many
/// workers, how long. JSON lines, one when a session starts and one when it ends.
#ifndef GMC_CLI_ANSWER_LOG_H
#define GMC_CLI_ANSWER_LOG_H

#include "sampling/campaign/campaign.h"

#include <stdio.h>

/// Open the log of an output for appending, or anew.
/// @return NULL if that cannot be, as where a link or a pipe stands in its place; said on stderr,
///         a run does not fail for it
FILE *gmc_log_open(const char *out, bool is_new);

/// A call of the program that runs trials.
typedef struct gmc_log_session {
    int argc;
    char *const *argv;
    int workers;
    uint64_t first, count; ///< trials
    uint64_t kept;         ///< of an earlier session
} gmc_log_session;

/// A session starts. Accepts NULL for the log, as below.
void gmc_log_start(FILE *log, const gmc_log_session *session);

/// Something that whoever looks into what happened wants to know.
/// @param event  a word: "no_locks"
void gmc_log_note(FILE *log, const char *event, const char *text);

/// It ends.
/// @param how  "complete", "stopped by SIGTERM", the name of a failure
void gmc_log_end(FILE *log, const char *how, const gmc_campaign_progress *last);

#endif
