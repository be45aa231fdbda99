/// Append-only file that makes finished trials safe while a run goes on. A kill at any instant
/// costs at most the record being written; a torn tail is cut off when the file is opened again.
///
///   header   magic "GMCJRNL\n" | u32 version | u32 identity bytes | u64 first | u64 count
///            | identity | u32 crc
///   record   u32 payload bytes | u32 type | u64 trial | payload | u32 crc
///
/// All numbers little-endian. A crc is zlib's CRC-32 over everything before it in its header or
/// record, for records seeded with the header's crc and the record's offset: a block that some
/// other file or place left behind does not pass for a record.
///
/// The identity is text, one `key: value` a line, nested by indentation: everything that two
/// sessions must agree on. A session with another identity is refused, and told which key differs.
#ifndef GMC_SAMPLING_STORE_JOURNAL_H
#define GMC_SAMPLING_STORE_JOURNAL_H

#include "engine/base/source.h"
#include "engine/base/status.h"
#include "sampling/hdf5/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GMC_JOURNAL_VERSION = 1 };

/// What a record holds. The values are stored: append only.
typedef enum gmc_journal_type {
    GMC_JOURNAL_TRIAL = 1, ///< payload: record.h
    GMC_JOURNAL_RANGE = 2, ///< payload: u64 first, u64 count: the range from here on
} gmc_journal_type;

typedef struct gmc_journal gmc_journal;

typedef enum gmc_journal_mode {
    GMC_JOURNAL_NEW,    ///< the file must not exist
    GMC_JOURNAL_FORCE,  ///< what is there is thrown away
    GMC_JOURNAL_RESUME, ///< go on with what is there; a missing file is created
} gmc_journal_mode;

typedef struct gmc_journal_options {
    const char *path;      ///< of the journal; copied
    const char *identity;  ///< text that must be equal in all sessions; copied
    uint64_t first, count; ///< trials [first, first + count) that are asked for
    uint64_t draw_trials;  ///< trials of a draw, for messages about ranges; 0: they name trials
    gmc_journal_mode mode;
    const gmc_file_io *io; ///< NULL: the system's
    /// Called for every valid trial record of the range when a journal is resumed.
    /// @return GMC_OK; else opening ends with that status
    gmc_status (*visit)(void *context, uint64_t trial, const void *payload, size_t bytes);
    void *visit_context;
} gmc_journal_options;

/// Open and lock the journal. The lock is the kernel's: it dies with its process.
/// @param messages  what is wrong, naming the path; may not be NULL
/// @return GMC_OK; GMC_E_EXISTS (NEW and it is there, or another process has it locked);
///         GMC_E_MISMATCH (another identity: the message names the key; or it holds trials outside
///         of the range, which a result of the range would lose); GMC_E_INPUT (not a journal, or
///         its header is damaged); GMC_E_CREATE; GMC_E_IO; GMC_E_MEMORY; *journal is NULL unless
///         GMC_OK
GMC_MUST_CHECK gmc_status gmc_journal_open(const gmc_journal_options *options,
                                           gmc_diagnostics *messages, gmc_journal **journal);

/// Append a trial and hand it to the system: it survives a kill of the process from here on.
/// @return GMC_OK, GMC_E_IO (also a full disk), GMC_E_LIMIT (payload beyond
///         GMC_JOURNAL_PAYLOAD_MAX), GMC_E_EXISTS (the trial is there already), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_journal_append(gmc_journal *journal, uint64_t trial,
                                             const void *payload, size_t bytes,
                                             gmc_diagnostics *messages);

/// Wait until what was appended survives a power cut too.
/// @return GMC_OK, GMC_E_IO
GMC_MUST_CHECK gmc_status gmc_journal_sync(gmc_journal *journal, gmc_diagnostics *messages);

/// True if the trial is in the journal.
bool gmc_journal_has(const gmc_journal *journal, uint64_t trial);

/// Number of trials of the range that are in the journal.
uint64_t gmc_journal_count(const gmc_journal *journal);

/// No trial from this number on is in the journal.
uint64_t gmc_journal_end(const gmc_journal *journal);

/// Payload of a trial that is there, checked against its crc again.
/// @param payload  out: valid until the next read or close
/// @return GMC_OK, GMC_E_MISSING (no such trial), GMC_E_IO, GMC_E_INPUT (damaged), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_journal_read(gmc_journal *journal, uint64_t trial,
                                           const unsigned char **payload, size_t *bytes,
                                           gmc_diagnostics *messages);

/// Bytes behind the last valid record that were cut off on opening.
uint64_t gmc_journal_torn(const gmc_journal *journal);

/// True where the file system has no locks: nothing keeps another process from the same output.
bool gmc_journal_has_no_lock(const gmc_journal *journal);

/// Delete the file; the journal stays locked until closed.
GMC_MUST_CHECK gmc_status gmc_journal_remove(gmc_journal *journal, gmc_diagnostics *messages);

/// Unlock and free; does not sync. Accepts NULL.
void gmc_journal_close(gmc_journal *journal);

/// Largest payload accepted; what a length field claims beyond it is damage, not a trial.
#define GMC_JOURNAL_PAYLOAD_MAX ((size_t)1 << 30)

#endif
