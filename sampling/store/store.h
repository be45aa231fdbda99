/// One output from start to end: the journal while the run goes on, the result file at its end.
///
///   gmc_store_open ──▶ gmc_campaign_run(job, gmc_store_sink, ...) ──▶ gmc_store_finish
///                  ──▶ gmc_store_close
///
/// OUT.h5 is complete or absent; OUT.h5.journal is there while a run is unfinished. Interrupted at
/// any instant, opening with GMC_JOURNAL_RESUME goes on from what was put.
#ifndef GMC_SAMPLING_STORE_STORE_H
#define GMC_SAMPLING_STORE_STORE_H

#include "sampling/campaign/campaign.h"
#include "sampling/store/journal.h"
#include "sampling/store/plan.h"

typedef struct gmc_store gmc_store;

/// What was found on opening.
typedef struct gmc_store_found {
    bool is_complete; ///< the result is there already and is this run's: nothing is left to do
    uint64_t kept;    ///< trials of earlier sessions
    gmc_campaign_counts counts; ///< how they ended
    bool has_no_lock;           ///< the file system has none: two runs would not notice each other
    uint64_t torn_bytes;        ///< of a record that a kill cut short, dropped
    uint64_t answered;          ///< trials of a finished result, which this run has more than
} gmc_store_found;

typedef struct gmc_store_options {
    const char *path;      ///< of the result; copied
    gmc_journal_mode mode; ///< NEW: neither result nor journal may exist. FORCE: both are replaced;
                           ///< an old result stays until the new one is complete. RESUME: a
                           ///< finished result of this very run is success, one with fewer draws
                           ///< is gone on with
    const char *const *inputs; ///< (input_count) files that the command reads: never replaced
    int input_count;
    const char *from; ///< a result of the same run whose trials are taken over; NULL: none
    /// Of these: is it to be run again? Called for each, in order.
    bool (*is_open)(void *context, const gmc_trial *trial);
    void *open_context;
    /// Called for every trial of earlier sessions, in no order; NULL: nobody asks.
    void (*seen)(void *context, const gmc_trial *trial);
    void *seen_context;
    /// While the result is written: gmc_writer_source.
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
} gmc_store_options;

/// Open an output. `plan` is borrowed until gmc_store_close.
/// @param messages  borrowed until gmc_store_close; failures of the sink are reported there
/// @param found     out; may be NULL
/// @return GMC_OK; GMC_E_EXISTS (result or journal is there, or another process writes it);
///         GMC_E_MISMATCH (resume: the message names the key that differs); GMC_E_INPUT;
///         GMC_E_CREATE; GMC_E_IO; GMC_E_MEMORY; *store is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_store_open(const gmc_store_plan *plan,
                                         const gmc_store_options *options,
                                         gmc_diagnostics *messages, gmc_store **store,
                                         gmc_store_found *found);

/// Where finished trials go. A trial that was put survives a kill of the process.
gmc_sink gmc_store_sink(gmc_store *store);

/// The result ends after `count` trials of the plan's range, whose own count the caller has lowered
/// to it: a stopping rule was met. What lies behind stays out.
GMC_MUST_CHECK gmc_status gmc_store_shorten(gmc_store *store, uint64_t count);

/// Build the result from the journal, prove it, put it in place, remove the journal. Every trial of
/// the plan's range, or that its ladder asks for, must have been put.
/// @param stop  gives up and keeps the journal; NULL: never
/// @return as gmc_writer_write; after a failure the journal is still there
GMC_MUST_CHECK gmc_status gmc_store_finish(gmc_store *store, const atomic_bool *stop);

/// Unlock and free; the journal stays unless finished. Accepts NULL.
void gmc_store_close(gmc_store *store);

/// Everything that two sessions of one run must agree on, as text (identity.h); free() it. NULL
/// without memory. The range of trials is not in it.
char *gmc_store_plan_identity(const gmc_store_plan *plan);

#endif
