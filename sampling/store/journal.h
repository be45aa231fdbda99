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
#include "engine/outcome.h"
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

/// What is in the journal.
typedef struct gmc_journal_content {
    uint64_t count;   ///< trials of the range
    uint64_t end;     ///< no trial from this number on is there
    uint64_t torn;    ///< bytes behind the last valid record that were cut off on opening
    bool has_no_lock; ///< the file system has none: nothing keeps another process from the same
                      ///< output
} gmc_journal_content;

gmc_journal_content gmc_journal_about(const gmc_journal *journal);

/// Payload of a trial that is there, checked against its crc again.
/// @param payload  out: valid until the next read or close
/// @return GMC_OK, GMC_E_MISSING (no such trial), GMC_E_IO, GMC_E_INPUT (damaged), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_journal_read(gmc_journal *journal, uint64_t trial,
                                           const unsigned char **payload, size_t *bytes,
                                           gmc_diagnostics *messages);

/// Delete the file; the journal stays locked until closed.
GMC_MUST_CHECK gmc_status gmc_journal_remove(gmc_journal *journal, gmc_diagnostics *messages);

/// Unlock and free; does not sync. Accepts NULL.
void gmc_journal_close(gmc_journal *journal);

/// Largest payload accepted; what a length field claims beyond it is damage, not a trial.
#define GMC_JOURNAL_PAYLOAD_MAX ((size_t)1 << 30)

// ---- the layout, for those that make files of their own ----

enum {
    GMC_JOURNAL_FIXED_BYTES = 32, ///< header before the identity
    GMC_JOURNAL_HEAD_BYTES = 16,  ///< record before the payload
    GMC_JOURNAL_CRC_BYTES = 4,
    GMC_JOURNAL_RANGE_BYTES = 16,
    GMC_JOURNAL_IDENTITY_MAX = 1 << 28
};

/// First bytes of the header: eight, without a closing zero.
extern const char gmc_journal_magic[8];

/// Checksum of a record without its own, bound to its journal and its place.
/// @param seed  the crc at the end of the header
uint32_t gmc_journal_record_crc(uint32_t seed, uint64_t offset, const unsigned char *record,
                                size_t bytes);

// ---- from outside ----
//
// How far an unfinished run is, read off its journal from outside: nothing is locked or changed,
// and the run may go on writing meanwhile.

enum { GMC_JOURNAL_DIGEST_BYTES = 65 };

/// Which part of a round of a ranking it is of.
typedef struct gmc_journal_part {
    uint64_t round;        ///< from 0
    uint64_t index, count; ///< part `index` (from 1) of so many; 0, 0: of none
} gmc_journal_part;

typedef struct gmc_journal_look {
    uint64_t first, count;                ///< trials [first, first + count) that the run is to have
    uint64_t done;                        ///< of them, those that are kept
    uint64_t outcomes[GMC_OUTCOME_COUNT]; ///< how they ended
    uint64_t torn;                        ///< bytes behind the last whole record
    bool is_running;                      ///< a process holds it
    char digest[GMC_JOURNAL_DIGEST_BYTES]; ///< the scenario's, hexadecimal
    uint64_t seed;
    gmc_journal_part part;
    uint64_t part_trials; ///< of a part: those of the range that it is to have
    bool is_chosen;       ///< a ranking, a ladder, ... chooses its trials from the range as it goes
    uint64_t most; ///< trials that it may run: of a ranking its budget, else all of the range
} gmc_journal_look;

/// Read "3/64", at the end of a line or of the text. @return false: it is not such a text
bool gmc_journal_part_parse(const char *text, gmc_journal_part *part);

/// @return GMC_OK; GMC_E_MISSING; GMC_E_INPUT (not a journal, of another version, its header is
///         damaged); GMC_E_IO; GMC_E_MEMORY; reported
GMC_MUST_CHECK gmc_status gmc_journal_look_at(const char *path, gmc_diagnostics *messages,
                                              gmc_journal_look *look);

#endif
