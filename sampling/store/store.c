#define _POSIX_C_SOURCE 200809L
#include "sampling/store/store.h"

#include "engine/base/check.h"
#include "engine/base/source.h"
#include "engine/base/status.h"
#include "engine/outcome.h"
#include "sampling/campaign/campaign.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/identity.h"
#include "sampling/store/method.h"
#include "sampling/store/plan.h"
#include "sampling/store/record.h"
#include "sampling/store/replace.h"
#include "sampling/store/result.h"
#include "sampling/store/version.h"
#include "sampling/store/writer.h"
#include "sampling/writing/fingerprint.h"

#include <zlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ==== the journal ====

// Append-only file that makes finished trials safe while a run goes on. A kill at any instant
// costs at most the record being written; a torn tail is cut off when the file is opened again.
//
//   header   magic "GMCJRNL\n" | u32 version | u32 identity bytes | u64 first | u64 count
//            | identity | u32 crc
//   record   u32 payload bytes | u32 type | u64 trial | payload | u32 crc
//
// All numbers little-endian. A crc is zlib's CRC-32 over everything before it in its header or
// record, for records seeded with the header's crc and the record's offset: a block that some
// other file or place left behind does not pass for a record.
//
// The identity is text, one `key: value` a line, nested by indentation: everything that two
// sessions must agree on. A session with another identity is refused, and told which key differs.
// One write call per record: a record is either handed to the kernel whole, and then survives a
// kill of this process, or it is the torn tail that the next session cuts off. No buffer of our own
// between, so that "put" means kept. Rejected: appending to the HDF5 file itself (a kill leaves it
// unreadable) and a database (its journal would journal ours).

/// What a record holds. The values are stored: append only.
typedef enum gmc_journal_type {
    GMC_JOURNAL_TRIAL = 1, ///< payload: record.h
    GMC_JOURNAL_RANGE = 2, ///< payload: u64 first, u64 count: the range from here on
} gmc_journal_type;

/// Largest payload accepted; what a length field claims beyond it is damage, not a trial.
#define GMC_JOURNAL_PAYLOAD_MAX ((size_t)1 << 30)

// ---- from outside ----
//
// How far an unfinished run is, read off its journal from outside: nothing is locked or changed,
// and the run may go on writing meanwhile.

enum {
    FIXED_BYTES = GMC_JOURNAL_FIXED_BYTES,
    HEAD_BYTES = GMC_JOURNAL_HEAD_BYTES,
    CRC_BYTES = GMC_JOURNAL_CRC_BYTES,
    RANGE_BYTES = GMC_JOURNAL_RANGE_BYTES,
    IDENTITY_MAX = GMC_JOURNAL_IDENTITY_MAX,
    BLOCK_TRIALS = 4096 ///< of which one table says where they are
};

const char gmc_journal_magic[8] = "GMCJRNL\n";

struct gmc_journal {
    char *path;
    int file;
    bool is_open;
    const gmc_file_io *io;
    uint64_t first, count; ///< range asked for in this session
    uint64_t **tables;     ///< (table_count) of BLOCK_TRIALS each, NULL: none is there
    size_t table_count;    ///< grows with what is there, not with what is asked for
    uint64_t stated_first, stated_count; ///< range as the file states it
    uint64_t kept;                       ///< trials of the range that are there
    uint64_t beyond, last;               ///< trials of other ranges that are there; the last of all
    uint64_t end;                        ///< where the next record goes
    uint64_t torn;
    uint32_t seed;         ///< the header's crc
    unsigned char *buffer; ///< one record
    size_t capacity;
    bool has_no_lock; ///< the file system has none
    bool is_broken;   ///< a write failed and could not be undone: nothing may follow
};

static bool reserve(gmc_journal *j, size_t bytes)
{
    if (bytes <= j->capacity) return true;
    size_t capacity = bytes + bytes / 2;
    unsigned char *buffer = realloc(j->buffer, capacity);
    if (!buffer) return false;
    j->buffer = buffer;
    j->capacity = capacity;
    return true;
}

static uint32_t crc(uint32_t seed, const unsigned char *data, size_t bytes)
{
    return (uint32_t)crc32_z(seed, data, bytes);
}

uint32_t gmc_journal_record_crc(uint32_t seed, uint64_t offset, const unsigned char *record,
                                size_t bytes)
{
    unsigned char place[8];
    gmc_bytes_put_u64(place, offset);
    return crc(crc(seed, place, sizeof place), record, bytes);
}

// ---- header ------------------------------------------------------------------------------------

static gmc_status header_build(const gmc_journal_options *o, unsigned char **header, size_t *bytes)
{
    size_t identity = strlen(o->identity);
    if (identity > IDENTITY_MAX) return GMC_E_LIMIT;
    *bytes = FIXED_BYTES + identity + CRC_BYTES;
    unsigned char *h = malloc(*bytes);
    if (!h) return GMC_E_MEMORY;
    memcpy(h, gmc_journal_magic, sizeof gmc_journal_magic);
    gmc_bytes_put_u32(h + 8, GMC_JOURNAL_VERSION);
    gmc_bytes_put_u32(h + 12, (uint32_t)identity);
    gmc_bytes_put_u64(h + 16, o->first);
    gmc_bytes_put_u64(h + 24, o->count);
    memcpy(h + FIXED_BYTES, o->identity, identity);
    gmc_bytes_put_u32(h + FIXED_BYTES + identity, crc(0, h, FIXED_BYTES + identity));
    *header = h;
    return GMC_OK;
}

/// Empty the file and write a header.
static gmc_status header_write(gmc_journal *j, const gmc_journal_options *o,
                               gmc_diagnostics *messages)
{
    unsigned char *header;
    size_t bytes;
    GMC_TRY(header_build(o, &header, &bytes));
    int error = 0;
    if (ftruncate(j->file, 0) != 0 || lseek(j->file, 0, SEEK_SET) != 0) error = errno;
    if (!error) error = gmc_file_write(j->io, j->file, header, bytes);
    if (!error) error = gmc_file_sync(j->io, j->file);
    j->seed = gmc_bytes_u32(header + bytes - CRC_BYTES);
    j->end = bytes;
    j->stated_first = o->first;
    j->stated_count = o->count;
    free(header);
    if (!error) return gmc_file_sync_folder(j->path, messages);
    (void)unlink(j->path); // it holds nothing; the failure itself is reported below
    return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot write", error);
}

static gmc_status refuse_header(const gmc_journal *j, gmc_diagnostics *messages, const char *what)
{
    gmc_source source = {.file = j->path};
    gmc_diagnostics_add(messages, GMC_E_INPUT, source,
                        "run with --force to start anew, without what it holds", "%s", what);
    return GMC_E_INPUT;
}

static gmc_status compare_identity(const gmc_journal *j, const char *there, const char *here,
                                   gmc_diagnostics *messages)
{
    char text[600];
    if (!gmc_identity_difference(there, here, NULL, text, sizeof text)) return GMC_OK;
    gmc_source source = {.file = j->path};
    gmc_diagnostics_add(messages, GMC_E_MISMATCH, source,
                        "resume with the scenario, options and program that the run was started "
                        "with, or start anew with --force",
                        "this interrupted run is another one: %s", text);
    return GMC_E_MISMATCH;
}

/// Take in the header that is there; its identity is then a text in the buffer.
/// @param why  out: what is wrong with it, unless GMC_OK
static gmc_status header_read(gmc_journal *j, uint64_t size, const char **why)
{
    *why = "this is not a journal of graspmc";
    if (!reserve(j, FIXED_BYTES)) return GMC_E_MEMORY;
    if (gmc_file_read_at(j->file, j->buffer, FIXED_BYTES, 0) != FIXED_BYTES ||
        memcmp(j->buffer, gmc_journal_magic, sizeof gmc_journal_magic) != 0)
        return GMC_E_INPUT;
    *why = "the header of this journal is damaged";
    size_t identity = gmc_bytes_u32(j->buffer + 12);
    size_t bytes = FIXED_BYTES + identity + CRC_BYTES;
    if (identity > IDENTITY_MAX || bytes > size) return GMC_E_INPUT;
    if (!reserve(j, bytes)) return GMC_E_MEMORY;
    if (gmc_file_read_at(j->file, j->buffer, bytes, 0) != (ssize_t)bytes) return GMC_E_IO;
    j->seed = gmc_bytes_u32(j->buffer + bytes - CRC_BYTES);
    j->end = bytes;
    if (crc(0, j->buffer, bytes - CRC_BYTES) != j->seed) return GMC_E_INPUT;
    *why = "this journal is of another version of graspmc";
    if (gmc_bytes_u32(j->buffer + 8) != GMC_JOURNAL_VERSION) return GMC_E_INPUT;
    j->stated_first = gmc_bytes_u64(j->buffer + 16);
    j->stated_count = gmc_bytes_u64(j->buffer + 24);
    j->buffer[FIXED_BYTES + identity] = 0; // over the crc, read already
    return GMC_OK;
}

/// Is the header that is there this run's? @param is_torn  out: its first writing was cut short,
/// nothing is lost
static gmc_status header_check(gmc_journal *j, const gmc_journal_options *o, uint64_t size,
                               bool *is_torn, gmc_diagnostics *messages)
{
    *is_torn = false;
    unsigned char *ours;
    size_t ours_bytes;
    GMC_TRY(header_build(o, &ours, &ours_bytes));
    if (size < ours_bytes && reserve(j, (size_t)size + 1)) {
        // killed while the header was written: what is there is the start of just this header
        ssize_t got = gmc_file_read_at(j->file, j->buffer, (size_t)size, 0);
        *is_torn = got == (ssize_t)size && memcmp(j->buffer, ours, (size_t)size) == 0;
    }
    free(ours);
    if (*is_torn) return GMC_OK;

    const char *why;
    gmc_status status = header_read(j, size, &why);
    if (status == GMC_E_INPUT) return refuse_header(j, messages, why);
    if (status == GMC_E_IO)
        return gmc_file_complain(messages, status, j->path, "cannot read", errno);
    GMC_TRY(status);
    return compare_identity(j, (const char *)j->buffer + FIXED_BYTES, o->identity, messages);
}

// ---- records -----------------------------------------------------------------------------------

static bool is_in_range(const gmc_journal *j, uint64_t trial)
{
    return trial >= j->first && trial - j->first < j->count;
}

/// Read and check the record at `offset` into the buffer.
/// @param bytes  out: of the payload; meaningful with GMC_OK
/// @return GMC_OK; GMC_E_INPUT: no valid record there; GMC_E_IO: errno says why; GMC_E_MEMORY
static gmc_status record_at(gmc_journal *j, uint64_t offset, uint64_t size, size_t *bytes)
{
    if (size - offset < HEAD_BYTES + CRC_BYTES) return GMC_E_INPUT;
    if (!reserve(j, HEAD_BYTES)) return GMC_E_MEMORY;
    ssize_t got = gmc_file_read_at(j->file, j->buffer, HEAD_BYTES, offset);
    if (got < 0) return GMC_E_IO;
    if (got != HEAD_BYTES) return GMC_E_INPUT;
    size_t payload = gmc_bytes_u32(j->buffer);
    size_t total = HEAD_BYTES + payload + CRC_BYTES;
    if (payload > GMC_JOURNAL_PAYLOAD_MAX || total > size - offset) return GMC_E_INPUT;

    if (!reserve(j, total)) return GMC_E_MEMORY;
    got =
        gmc_file_read_at(j->file, j->buffer + HEAD_BYTES, total - HEAD_BYTES, offset + HEAD_BYTES);
    if (got < 0) return GMC_E_IO;
    if (got != (ssize_t)(total - HEAD_BYTES)) return GMC_E_INPUT;
    *bytes = payload;
    return gmc_journal_record_crc(j->seed, offset, j->buffer, total - CRC_BYTES) ==
                   gmc_bytes_u32(j->buffer + total - CRC_BYTES)
               ? GMC_OK
               : GMC_E_INPUT;
}

/// The same; a disk that cannot be read is reported.
static gmc_status record_read(gmc_journal *j, uint64_t offset, uint64_t size, size_t *bytes,
                              gmc_diagnostics *messages)
{
    gmc_status status = record_at(j, offset, size, bytes);
    return status == GMC_E_IO ? gmc_file_complain(messages, status, j->path, "cannot read", errno)
                              : status;
}

/// Where the record of a trial of the range begins; 0: it is not there.
static uint64_t place_of(const gmc_journal *j, uint64_t trial)
{
    uint64_t i = trial - j->first, table = i / BLOCK_TRIALS;
    if (table >= j->table_count || !j->tables[table]) return 0;
    return j->tables[table][i % BLOCK_TRIALS];
}

/// @return where its place is noted; NULL: no memory
static uint64_t *note_place(gmc_journal *j, uint64_t trial)
{
    uint64_t i = trial - j->first, table = i / BLOCK_TRIALS;
    if (table >= j->table_count) {
        if (table >= SIZE_MAX / (4 * sizeof *j->tables)) return NULL;
        size_t count = (size_t)table + (size_t)table / 2 + 1;
        uint64_t **tables = realloc(j->tables, count * sizeof *tables);
        if (!tables) return NULL;
        memset(tables + j->table_count, 0, (count - j->table_count) * sizeof *tables);
        j->tables = tables;
        j->table_count = count;
    }
    if (!j->tables[table]) j->tables[table] = calloc(BLOCK_TRIALS, sizeof **j->tables);
    return j->tables[table] ? &j->tables[table][i % BLOCK_TRIALS] : NULL;
}

/// Index one valid record that stands in the buffer.
static gmc_status record_take(gmc_journal *j, const gmc_journal_options *o, uint64_t offset,
                              size_t bytes)
{
    uint32_t type = gmc_bytes_u32(j->buffer + 4);
    uint64_t trial = gmc_bytes_u64(j->buffer + 8);
    if (type == GMC_JOURNAL_RANGE && bytes == RANGE_BYTES) {
        j->stated_first = gmc_bytes_u64(j->buffer + HEAD_BYTES);
        j->stated_count = gmc_bytes_u64(j->buffer + HEAD_BYTES + 8);
    }
    if (type != GMC_JOURNAL_TRIAL) return GMC_OK;
    if (trial > j->last) j->last = trial;
    if (!is_in_range(j, trial)) j->beyond++;
    if (!is_in_range(j, trial)) return GMC_OK;
    uint64_t *place = note_place(j, trial);
    if (!place) return GMC_E_MEMORY;
    if (*place) return GMC_OK; // twice the same trial is twice the same bytes
    *place = offset;
    j->kept++;
    return o->visit ? o->visit(o->visit_context, trial, j->buffer + HEAD_BYTES, bytes) : GMC_OK;
}

/// Index the valid prefix and cut off what follows it.
static gmc_status records_read(gmc_journal *j, const gmc_journal_options *o, uint64_t size,
                               gmc_diagnostics *messages)
{
    while (j->end < size) {
        size_t bytes = 0;
        gmc_status status = record_read(j, j->end, size, &bytes, messages);
        if (status == GMC_E_INPUT) break;
        GMC_TRY(status);
        GMC_TRY(record_take(j, o, j->end, bytes));
        j->end += HEAD_BYTES + bytes + CRC_BYTES;
    }
    j->torn = size - j->end;
    if (j->torn > 0 && ftruncate(j->file, (off_t)j->end) != 0)
        return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot cut the torn end off", errno);
    if (lseek(j->file, (off_t)j->end, SEEK_SET) < 0)
        return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot seek", errno);
    return GMC_OK;
}

/// Write one record at the end; on failure put the file back to where it was.
static gmc_status record_write(gmc_journal *j, gmc_journal_type type, uint64_t trial,
                               const void *payload, size_t bytes, gmc_diagnostics *messages)
{
    if (j->is_broken) return GMC_E_IO;
    if (bytes > GMC_JOURNAL_PAYLOAD_MAX) return GMC_E_LIMIT;
    size_t total = HEAD_BYTES + bytes + CRC_BYTES;
    if (!reserve(j, total)) return GMC_E_MEMORY;
    gmc_bytes_put_u32(j->buffer, (uint32_t)bytes);
    gmc_bytes_put_u32(j->buffer + 4, (uint32_t)type);
    gmc_bytes_put_u64(j->buffer + 8, trial);
    if (bytes > 0) memcpy(j->buffer + HEAD_BYTES, payload, bytes);
    gmc_bytes_put_u32(j->buffer + HEAD_BYTES + bytes,
                      gmc_journal_record_crc(j->seed, j->end, j->buffer, HEAD_BYTES + bytes));

    int error = gmc_file_write(j->io, j->file, j->buffer, total);
    if (error) {
        // half a record would end the valid prefix for ever: take it back, or write no more
        j->is_broken =
            ftruncate(j->file, (off_t)j->end) != 0 || lseek(j->file, (off_t)j->end, SEEK_SET) < 0;
        return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot write", error);
    }
    j->end += total;
    return GMC_OK;
}

// ---- opening -----------------------------------------------------------------------------------

static gmc_status complain_exists(const gmc_journal *j, gmc_diagnostics *messages)
{
    gmc_source source = {.file = j->path};
    gmc_diagnostics_add(messages, GMC_E_EXISTS, source,
                        "--resume goes on with it, --force throws it away",
                        "an interrupted run left its journal here");
    return GMC_E_EXISTS;
}

static gmc_status complain_busy(const gmc_journal *j, gmc_diagnostics *messages)
{
    gmc_source source = {.file = j->path};
    gmc_diagnostics_add(messages, GMC_E_EXISTS, source,
                        "wait for it, or choose another output with -o",
                        "another process is writing this output");
    return GMC_E_EXISTS;
}

/// True if the open file is still the one at the path (another process may have finished and
/// removed it).
static bool is_in_place(const gmc_journal *j)
{
    struct stat open_file, named;
    return fstat(j->file, &open_file) == 0 && stat(j->path, &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/// Open and lock; `size` of what is there.
static gmc_status open_locked(gmc_journal *j, gmc_journal_mode mode, uint64_t *size,
                              gmc_diagnostics *messages)
{
    enum { ASKED_AGAIN = 5 };
    for (int attempt = 0;; attempt++) {
        const struct timespec moment = {.tv_nsec = 20000000};
        j->file = gmc_file_open_own(j->path, O_RDWR | O_CREAT);
        if (j->file < 0)
            return gmc_file_complain(messages, GMC_E_CREATE, j->path, "cannot create", errno);
        j->is_open = true;
        bool is_ours = true;
        switch (gmc_beside_lock(j->file)) {
        case GMC_LOCK_TAKEN:
            break;
        case GMC_LOCK_MISSING:
            j->has_no_lock = true;
            break;
        case GMC_LOCK_BUSY: // a run, or one who asks just now whether there is a run
            if (attempt >= ASKED_AGAIN) return complain_busy(j, messages);
            nanosleep(&moment, NULL);
            is_ours = false;
            break;
        case GMC_LOCK_FAILED:
            return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot lock", errno);
        }
        if (is_ours && is_in_place(j)) break;
        if (attempt == 100)
            return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot hold", EAGAIN);
        close(j->file);
        j->is_open = false;
    }
    struct stat info;
    if (fstat(j->file, &info) != 0)
        return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot read", errno);
    *size = (uint64_t)info.st_size;
    // an empty file holds nothing that could be lost: a run that died before its first byte
    if (mode == GMC_JOURNAL_NEW && *size > 0) return complain_exists(j, messages);
    return GMC_OK;
}

/// A result of the range asked for would leave out trials that are there, and the journal goes when
/// the result is whole.
static gmc_status refuse_beyond(const gmc_journal *j, const gmc_journal_options *o,
                                gmc_diagnostics *messages)
{
    unsigned long long beyond = j->beyond, all = j->beyond + j->kept, per = o->draw_trials;
    unsigned long long first = j->stated_first, count = j->stated_count;
    gmc_source source = {.file = j->path};
    char hint[240];
    if (per > 0 && j->first == 0 && first == 0) {
        snprintf(hint, sizeof hint,
                 "go on with -n %llu, or with -n %llu or more, which keeps all that is there; -o "
                 "writes the smaller run to another file, --force throws away what is there",
                 count / per, (unsigned long long)j->last / per + 1);
        gmc_diagnostics_add(messages, GMC_E_MISMATCH, source, hint,
                            "this interrupted run was started with -n %llu: with -n %llu, %llu of "
                            "the %llu trials that it holds would be lost",
                            count / per, (unsigned long long)j->count / per, beyond, all);
        return GMC_E_MISMATCH;
    }
    gmc_diagnostics_add(messages, GMC_E_MISMATCH, source,
                        "go on with the -n, --shard and --trials that it was started with; -o "
                        "writes the other run to another file, --force throws away what is there",
                        "this interrupted run is of trials %llu ... %llu: with %llu ... %llu, %llu "
                        "of the %llu trials that it holds would be lost",
                        first, first + count - 1, (unsigned long long)j->first,
                        (unsigned long long)(j->first + j->count - 1), beyond, all);
    return GMC_E_MISMATCH;
}

static gmc_status resume(gmc_journal *j, const gmc_journal_options *o, uint64_t size,
                         gmc_diagnostics *messages)
{
    bool is_torn;
    GMC_TRY(header_check(j, o, size, &is_torn, messages));
    if (is_torn) return header_write(j, o, messages);
    GMC_TRY(records_read(j, o, size, messages));
    if (j->beyond > 0) return refuse_beyond(j, o, messages);

    // whoever looks at the file later finds the range of the latest session
    if (j->stated_first == j->first && j->stated_count == j->count) return GMC_OK;
    unsigned char range[RANGE_BYTES];
    gmc_bytes_put_u64(range, j->first);
    gmc_bytes_put_u64(range + 8, j->count);
    return record_write(j, GMC_JOURNAL_RANGE, 0, range, sizeof range, messages);
}

gmc_status gmc_journal_open(const gmc_journal_options *o, gmc_diagnostics *messages,
                            gmc_journal **out)
{
    *out = NULL;
    gmc_journal *j = calloc(1, sizeof *j);
    if (!j) return GMC_E_MEMORY;
    j->io = o->io ? o->io : &gmc_file_system_io;
    j->first = o->first;
    j->count = o->count;
    j->path = strdup(o->path);

    uint64_t size = 0;
    gmc_status status = j->path ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = open_locked(j, o->mode, &size, messages);
    if (status == GMC_OK && (size == 0 || o->mode != GMC_JOURNAL_RESUME))
        status = header_write(j, o, messages);
    else if (status == GMC_OK)
        status = resume(j, o, size, messages);
    if (status != GMC_OK) {
        gmc_journal_close(j);
        return status;
    }
    *out = j;
    return GMC_OK;
}

// ---- use ---------------------------------------------------------------------------------------

gmc_status gmc_journal_append(gmc_journal *j, uint64_t trial, const void *payload, size_t bytes,
                              gmc_diagnostics *messages)
{
    GMC_ASSERT(is_in_range(j, trial));
    uint64_t *place = note_place(j, trial);
    if (!place) return GMC_E_MEMORY;
    if (*place) return GMC_E_EXISTS;
    uint64_t offset = j->end;
    GMC_TRY(record_write(j, GMC_JOURNAL_TRIAL, trial, payload, bytes, messages));
    *place = offset;
    j->kept++;
    if (trial > j->last) j->last = trial;
    return GMC_OK;
}

gmc_status gmc_journal_sync(gmc_journal *j, gmc_diagnostics *messages)
{
    int error = gmc_file_sync(j->io, j->file);
    // after a failed fsync the kernel may have dropped the pages: what follows cannot be trusted
    if (error) j->is_broken = true;
    return error ? gmc_file_complain(messages, GMC_E_IO, j->path, "cannot sync", error) : GMC_OK;
}

bool gmc_journal_has(const gmc_journal *j, uint64_t trial)
{
    return is_in_range(j, trial) && place_of(j, trial) != 0;
}

gmc_journal_content gmc_journal_about(const gmc_journal *j)
{
    return (gmc_journal_content){.count = j->kept,
                                 .end = j->kept > 0 ? j->last + 1 : j->first,
                                 .torn = j->torn,
                                 .has_no_lock = j->has_no_lock};
}

gmc_status gmc_journal_read(gmc_journal *j, uint64_t trial, const unsigned char **payload,
                            size_t *bytes, gmc_diagnostics *messages)
{
    if (!gmc_journal_has(j, trial)) return GMC_E_MISSING;
    uint64_t offset = place_of(j, trial);
    gmc_status status = record_read(j, offset, j->end, bytes, messages);
    if (status == GMC_OK && gmc_bytes_u64(j->buffer + 8) != trial) status = GMC_E_INPUT;
    if (status == GMC_E_INPUT) {
        gmc_source source = {.file = j->path};
        gmc_diagnostics_add(
            messages, status, source, "--resume keeps what is whole and runs the rest again",
            "the record of trial %llu was damaged since it was written", (unsigned long long)trial);
    }
    GMC_TRY(status);
    *payload = j->buffer + HEAD_BYTES;
    return GMC_OK;
}

gmc_status gmc_journal_remove(gmc_journal *j, gmc_diagnostics *messages)
{
    if (unlink(j->path) != 0 && errno != ENOENT)
        return gmc_file_complain(messages, GMC_E_IO, j->path, "cannot remove", errno);
    return GMC_OK;
}

void gmc_journal_close(gmc_journal *j)
{
    if (!j) return;
    if (j->is_open) close(j->file);
    free(j->path);
    for (size_t i = 0; i < j->table_count; i++)
        free(j->tables[i]);
    free(j->tables);
    free(j->buffer);
    free(j);
}

// ---- from outside ----

typedef struct seen_trial {
    uint64_t trial;
    uint32_t outcome;
} seen_trial;

typedef struct looking {
    gmc_journal j; ///< file, buffer and seed of it; `end` is where the next record begins
    const char *path;
    gmc_diagnostics *messages;
    uint64_t size;    ///< of the file
    seen_trial *seen; ///< of every record of a trial, in their order
    size_t seen_count, seen_capacity;
} looking;

static gmc_status refuse_file(const looking *l, const char *what)
{
    gmc_diagnostics_add(l->messages, GMC_E_INPUT, (gmc_source){.file = l->path}, NULL, "%s", what);
    return GMC_E_INPUT;
}

/// The value of a line `key: value` at the start of a line of the identity.
static const char *value_of(const char *identity, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = identity; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ':') return line + length + 2;
    }
    return "";
}

bool gmc_journal_part_parse(const char *text, gmc_journal_part *part)
{
    enum { MOST = 1000000 };
    char *end = NULL;
    unsigned long long index = strtoull(text, &end, 10);
    if (end == text || *end != '/') return false;
    const char *rest = end + 1;
    unsigned long long count = strtoull(rest, &end, 10);
    if (end == rest || (*end != 0 && *end != '\n') || index < 1 || index > count || count > MOST)
        return false;
    part->index = index;
    part->count = count;
    return true;
}

/// Of the scenario's fingerprint, which stands there two columns in: does something choose trials?
static void read_choice(const char *identity, gmc_journal_look *look)
{
    static const char BUDGET[] = ", budget ";
    for (int i = 0; gmc_store_method_at(i); i++) {
        const gmc_store_method *method = gmc_store_method_at(i);
        char key[64];
        snprintf(key, sizeof key, "  %s", method->chooser ? method->key : "");
        if (method->chooser) look->is_chosen = look->is_chosen || value_of(identity, key)[0] != 0;
    }
    const char *rank = value_of(identity, "  study.rank"), *budget = strstr(rank, BUDGET);
    bool is_there = budget && budget < rank + strcspn(rank, "\n");
    look->most = is_there ? strtoull(budget + strlen(BUDGET), NULL, 10) : UINT64_MAX;
}

static gmc_status read_header(looking *l, gmc_journal_look *look)
{
    const char *why;
    if (header_read(&l->j, l->size, &why) != GMC_OK) return refuse_file(l, why);
    look->first = l->j.stated_first;
    look->count = l->j.stated_count;
    const char *text = (const char *)l->j.buffer + FIXED_BYTES;
    const char *digest = value_of(text, "scenario_digest");
    size_t length = strcspn(digest, "\n");
    if (length < sizeof look->digest) memcpy(look->digest, digest, length);
    look->seed = strtoull(value_of(text, "seed"), NULL, 10);
    look->part.round = strtoull(value_of(text, "round"), NULL, 10);
    look->part_trials = strtoull(value_of(text, "part_trials"), NULL, 10);
    (void)gmc_journal_part_parse(value_of(text, "part"), &look->part);
    read_choice(text, look);
    return GMC_OK;
}

/// Keep which trial the record in the buffer is of.
static gmc_status journal_note_trial(looking *l, size_t payload)
{
    uint32_t outcome;
    if (!gmc_record_outcome(l->j.buffer + HEAD_BYTES, payload, &outcome)) return GMC_OK;
    if (l->seen_count == l->seen_capacity) {
        size_t room = l->seen_capacity ? 2 * l->seen_capacity : 1024;
        seen_trial *seen = realloc(l->seen, room * sizeof *seen);
        if (!seen) return GMC_E_MEMORY;
        l->seen = seen;
        l->seen_capacity = room;
    }
    l->seen[l->seen_count++] =
        (seen_trial){.trial = gmc_bytes_u64(l->j.buffer + 8), .outcome = outcome};
    return GMC_OK;
}

static int by_trial(const void *a, const void *b)
{
    const seen_trial *x = a, *y = b;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/// Each trial of the range once.
static void count_trials(looking *l, gmc_journal_look *look)
{
    if (l->seen_count > 1) qsort(l->seen, l->seen_count, sizeof *l->seen, by_trial);
    for (size_t i = 0; i < l->seen_count; i++) {
        const seen_trial *t = &l->seen[i];
        if (t->trial < look->first || t->trial - look->first >= look->count) continue;
        if (i > 0 && l->seen[i - 1].trial == t->trial) continue;
        look->done++;
        if (t->outcome < GMC_OUTCOME_COUNT) look->outcomes[t->outcome]++;
    }
}

/// The range may change on the way, and the last one counts: so trials are counted at the end. The
/// memory follows from the records that there are, not from the range that somebody stated.
static gmc_status read_records(looking *l, gmc_journal_look *look)
{
    size_t payload;
    while (record_at(&l->j, l->j.end, l->size, &payload) == GMC_OK) {
        l->j.end += HEAD_BYTES + payload + CRC_BYTES;
        uint32_t type = gmc_bytes_u32(l->j.buffer + 4);
        if (type == GMC_JOURNAL_TRIAL) GMC_TRY(journal_note_trial(l, payload));
        if (type != GMC_JOURNAL_RANGE || payload != RANGE_BYTES) continue;
        look->first = gmc_bytes_u64(l->j.buffer + HEAD_BYTES);
        look->count = gmc_bytes_u64(l->j.buffer + HEAD_BYTES + 8);
    }
    look->torn = l->size - l->j.end;
    if (look->count > UINT64_MAX - look->first)
        return refuse_file(l, "the range of this journal is damaged");
    if (look->most > look->count) look->most = look->count;
    count_trials(l, look);
    return GMC_OK;
}

gmc_status gmc_journal_look_at(const char *path, gmc_diagnostics *messages, gmc_journal_look *look)
{
    *look = (gmc_journal_look){0};
    looking l = {.path = path, .messages = messages};
    l.j.file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe is not waited for
    if (l.j.file < 0)
        return gmc_file_complain(messages, errno == ENOENT ? GMC_E_MISSING : GMC_E_IO, path,
                                 "cannot open", errno);
    struct stat info;
    gmc_status status = GMC_OK;
    if (fstat(l.j.file, &info) != 0 || !S_ISREG(info.st_mode))
        status = refuse_file(&l, "this is not a journal of graspmc");
    else
        l.size = (uint64_t)info.st_size;
    if (status == GMC_OK) status = read_header(&l, look);
    if (status == GMC_OK) status = read_records(&l, look);
    look->is_running = gmc_beside_is_locked(l.j.file);
    close(l.j.file);
    free(l.j.buffer);
    free(l.seen);
    return status;
}

// ==== what two sessions of one run must agree on ====

/// A text that grows; once memory is missing it stays NULL.
typedef struct growing {
    char *text;
    size_t used, capacity;
    bool failed;
} growing;

static void add_bytes(growing *g, const char *from, size_t bytes)
{
    if (g->used + bytes + 1 > g->capacity && !g->failed) {
        size_t capacity = 2 * (g->used + bytes + 1);
        char *text = realloc(g->text, capacity);
        g->failed = !text;
        if (text) g->text = text;
        if (text) g->capacity = capacity;
    }
    if (g->failed) return;
    memcpy(g->text + g->used, from, bytes);
    g->used += bytes;
    g->text[g->used] = 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(growing *g, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (bytes > 0) add_bytes(g, line, bytes < (int)sizeof line ? (size_t)bytes : sizeof line - 1);
}

static void add_indented(growing *g, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        add_bytes(g, "  ", 2);
        add_bytes(g, text, bytes);
        add_bytes(g, "\n", 1);
        text += bytes + (text[bytes] == '\n');
    }
}

/// Which trials a part has follows from these.
static void add_part(growing *g, const gmc_store_plan *plan)
{
    const gmc_store_round *round = &plan->round;
    add(g, "round: %llu\n", (unsigned long long)round->number);
    add(g, "after: %s\n", *round->after ? round->after : "the start");
    add(g, "part: %d/%d\n", plan->shard, plan->shard_count);
    add(g, "part_trials: %llu\n", (unsigned long long)round->part_count);
}

char *gmc_store_plan_identity(const gmc_store_plan *plan)
{
    growing g = {0};
    add(&g, "program: %s %s\n", gmc_version_program(), gmc_version_commit());
    add(&g, "compiler: %s\n", gmc_version_compiler());
    add(&g, "flags: %s\n", gmc_version_flags());
    add(&g, "seed: %llu\n", (unsigned long long)plan->seed);
    add(&g, "design: %s\n", plan->design);
    add(&g, "trajectories: %s\n", plan->trajectories);
    add(&g, "rate: %.17g Hz\n", plan->rate_hz);
    add(&g, "cases: %d\n", plan->case_count);
    add(&g, "columns:\n");
    for (int i = 0; i < plan->column_count; i++)
        add(&g, "  - %s\n", plan->columns[i].name);
    add(&g, "parameters:\n");
    for (int i = 0; i < plan->parameter_count; i++)
        add(&g, "  - %s\n", plan->parameters[i].name);
    if (gmc_store_plan_is_part(plan)) add_part(&g, plan);
    if (plan->completed) {
        add(&g, "completes: %s\n", plan->completes);
        add(&g, "criteria:\n");
        add_indented(&g, plan->completed);
    }
    add(&g, "scenario:\n");
    if (plan->fingerprint) add_indented(&g, plan->fingerprint);
    add(&g, "scenario_digest: %s\n", plan->digest.hex); // last: the keys above say more
    if (!g.failed) return g.text;
    free(g.text);
    return NULL;
}

// ==== the store ====

// ---- a finished result gone on with ----

// A finished result gone on with: the same run with more draws takes its trials over; and so does
// a ranking with a larger budget. Its rounds do not depend on the budget, but for the last one, in
// which each case has a share of what it would have: so what was run is asked for again.
//
// A file keeps the bodies, joints and geoms of all its models under their names, in one list each;
// a trial has those of its model. Pieces of a mesh share a name: any of them stands for all,
// because the file will know them by their name again.

/// Nothing is taken over from a file that changed since it was written.
static gmc_status verify_result(const char *path, gmc_diagnostics *messages)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    gmc_status status = gmc_result_verify(result);
    gmc_result_close(result);
    return status;
}

/// The plan that such a file was written by; `ranking` is room for its ranking.
static gmc_status plan_there(const gmc_store_plan *plan, const gmc_result_info *info,
                             gmc_ranking_plan *ranking, gmc_store_plan *there)
{
    *there = *plan;
    there->count = there->total = info->total;
    if (!plan->ranking) return GMC_OK;
    *ranking = *plan->ranking;
    ranking->budget = info->rank_budget;
    ranking->last = info->rank_last;
    there->ranking = ranking;
    there->round = info->round;
    char *text;
    GMC_TRY(
        gmc_fingerprint_with_budget(plan->fingerprint, info->rank_budget, info->rank_last, &text));
    there->digest = gmc_sha256_of(text, strlen(text));
    free(text);
    return GMC_OK;
}

/// Is there more to be had than the file can have?
static bool is_larger(const gmc_store_plan *plan, const gmc_result_info *info)
{
    if (plan->first > 0 || plan->count < plan->total || plan->stop.kind != GMC_STOP_NEVER)
        return false;
    if (!plan->ranking)
        return info->first == 0 && info->count == info->total && info->total < plan->total;
    bool is_ranking = info->rank[0] != 0 && !info->round.after; // no part of a round
    return is_ranking && !plan->round.is_open && info->rank_budget <= plan->ranking->budget &&
           info->rank_last <= plan->ranking->last;
}

/// Is the file at `path` the finished result of this plan with fewer draws, or of this ranking with
/// a smaller budget or not all of its rounds (shards.h)? A run that may stop by itself, a shard and
/// a part of the trials do not grow.
/// @param damage  takes what is wrong with a file that would fit
/// @return GMC_OK; GMC_E_INPUT: it fits, but its trials are not those it was written with
///         (reported); GMC_E_IO: the disk cannot be read (reported); GMC_E_MEMORY
static gmc_status result_grows(const char *path, const gmc_store_plan *plan,
                               gmc_diagnostics *damage, bool *fits)
{
    gmc_diagnostics messages = {0};
    gmc_result *result;
    *fits = false;
    char difference[600] = "it cannot be read";
    gmc_status status = gmc_result_open(path, &messages, &result);
    if (status == GMC_E_IO && messages.count > 0)
        snprintf(difference, sizeof difference, "%s", messages.items[0].message);
    if (status == GMC_OK) {
        const gmc_result_info *info = gmc_result_about(result);
        gmc_store_plan there;
        gmc_ranking_plan ranking;
        bool is_asked = is_larger(plan, info);
        if (is_asked) status = plan_there(plan, info, &ranking, &there);
        if (is_asked && status == GMC_OK)
            status = gmc_result_matches(path, &there, difference, sizeof difference);
        *fits = is_asked && status == GMC_OK;
    }
    gmc_result_close(result);
    gmc_diagnostics_free(&messages);
    if (*fits) return verify_result(path, damage);
    if (status == GMC_E_IO)
        gmc_diagnostics_add(damage, status, (gmc_source){.file = path}, NULL, "%s", difference);
    if (status == GMC_E_IO) return status;
    return status == GMC_E_MEMORY ? status : GMC_OK; // what cannot be read does not grow
}

/// Where each name of a model stands in the file's list, or the other way round; −1: nowhere.
static int *find_all(const char *const *names, int count, const char *const *among, int among_count)
{
    int *at = malloc(((size_t)count + 1) * sizeof *at);
    for (int i = 0; at && i < count; i++) {
        at[i] = -1;
        for (int k = 0; k < among_count && at[i] < 0; k++)
            if (strcmp(names[i], among[k]) == 0) at[i] = k;
    }
    return at;
}

typedef struct translation {
    int *bodies, *joints; ///< of the model: place in the file
    int *geoms;           ///< of the file: place in the model
} translation;

static gmc_status translation_create(const gmc_store_model *model, const gmc_store_model *file,
                                     translation *t)
{
    t->bodies = find_all(model->bodies, model->body_count, file->bodies, file->body_count);
    t->joints = find_all(model->joints, model->joint_count, file->joints, file->joint_count);
    t->geoms = find_all(file->geoms, file->geom_count, model->geoms, model->geom_count);
    return t->bodies && t->joints && t->geoms ? GMC_OK : GMC_E_MEMORY;
}

static void translation_free(translation *t)
{
    free(t->bodies);
    free(t->joints);
    free(t->geoms);
}

/// (rows, count, width) numbers of the model out of (rows, file_count, width) of the file.
/// @param at  (count) where they are in the file
static void pick(const gmc_trajectory *from, const gmc_trajectory_array *array, const int *at,
                 gmc_trajectory *to)
{
    bool is_of_joints = array->per == GMC_TRAJECTORY_ROW_JOINT;
    size_t file_count = (size_t)(is_of_joints ? from->joint_count : from->body_count);
    size_t count = (size_t)(is_of_joints ? to->joint_count : to->body_count);
    size_t rows = array->per == GMC_TRAJECTORY_BODY ? 1 : (size_t)from->row_count;
    size_t width = (size_t)array->width;
    const double *there = gmc_trajectory_numbers(from, array);
    double *here = gmc_trajectory_numbers(to, array);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < count; i++)
            memcpy(here + (r * count + i) * width, there + (r * file_count + (size_t)at[i]) * width,
                   width * sizeof *here);
}

/// A copy of `from` in the model's layout.
static gmc_status translate(const gmc_trial *from, const gmc_store_plan *plan,
                            const gmc_store_model *model, const translation *t, gmc_trial_copy *to)
{
    gmc_trajectory narrow = *from->trajectory; // the arrays that no model changes
    narrow.body_count = model->body_count;
    narrow.joint_count = model->joint_count;
    gmc_trial trial = *from;
    trial.trajectory = &narrow;
    GMC_TRY(gmc_trial_copy_set(to, &trial, plan->column_count, plan->parameter_count));

    gmc_trajectory_shape shape = gmc_trajectory_shape_of(&narrow);
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        if (gmc_trajectory_is_of_body(array))
            pick(from->trajectory, array, t->bodies, &to->trajectory);
        else if (array->per == GMC_TRAJECTORY_ROW_JOINT)
            pick(from->trajectory, array, t->joints, &to->trajectory);
        int32_t *geoms = gmc_trajectory_numbers(&to->trajectory, array);
        size_t count = gmc_trajectory_count(array, &shape);
        for (size_t k = 0; array->kind == GMC_TRAJECTORY_GEOM && k < count; k++)
            geoms[k] = t->geoms[geoms[k]];
    }
    return GMC_OK;
}

static bool is_known(const gmc_trajectory *path, const gmc_store_model *file,
                     const gmc_store_model *model, const translation *t)
{
    for (int i = 0; i < model->body_count; i++)
        if (t->bodies[i] < 0) return false;
    for (int i = 0; i < model->joint_count; i++)
        if (t->joints[i] < 0) return false;
    uint32_t contacts = path->row_count > 0 ? path->contact_start[path->row_count] : 0;
    for (uint32_t i = 0; i < 2 * contacts; i++) {
        int32_t geom = path->contact_geoms[i];
        if (geom < 0 || geom >= file->geom_count || t->geoms[geom] < 0) return false;
    }
    return true;
}

/// Trials of a file of a ranking that another one asks for.
typedef struct wanted {
    gmc_ranking *ranking;
    uint64_t *trials; ///< (count) rising; first all of the file
    uint64_t count;
} wanted;

static gmc_status note_trial(void *context, const gmc_trial *trial)
{
    wanted *w = context;
    w->trials[w->count++] = trial->trial;
    return gmc_ranking_put(w->ranking, trial->trial, gmc_rollouts_verdict(trial));
}

static gmc_status find_wanted(gmc_result *result, const gmc_store_plan *plan, wanted *w)
{
    gmc_ranking_round open;
    w->trials = malloc(((size_t)gmc_result_about(result)->count + 1) * sizeof *w->trials);
    if (!w->trials) return GMC_E_MEMORY;
    gmc_status status = gmc_ranking_create(plan->ranking, &w->ranking);
    if (status == GMC_OK) status = gmc_result_trials(result, note_trial, w);
    if (status == GMC_OK) status = gmc_ranking_catch_up(w->ranking, &open);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < w->count && status == GMC_OK; i++)
        if (gmc_ranking_asks(w->ranking, w->trials[i])) w->trials[kept++] = w->trials[i];
    w->count = kept;
    gmc_ranking_free(w->ranking);
    return status;
}

/// Hand out all trials of such a file as the plan's models have them; of a ranking those that this
/// one asks for.
/// @param visit  the trial is valid during the call; anything but GMC_OK ends the walk with that
///               status
/// @return as gmc_result_open and gmc_result_trial, or what `visit` returned
static gmc_status each_trial_there(const char *path, const gmc_store_plan *plan,
                                   gmc_status (*visit)(void *context, const gmc_trial *trial),
                                   void *context, gmc_diagnostics *messages)
{
    gmc_result *result = NULL;
    gmc_trial_copy stored = {0}, copy = {0};
    translation *all = calloc((size_t)plan->model_count + 1, sizeof *all);
    gmc_status status = all ? gmc_result_open(path, messages, &result) : GMC_E_MEMORY;
    const gmc_result_info *info = status == GMC_OK ? gmc_result_about(result) : NULL;
    for (int m = 0; m < plan->model_count && status == GMC_OK; m++)
        status = translation_create(&plan->models[m], &info->names, &all[m]);

    wanted all_wanted = {0};
    if (status == GMC_OK && plan->ranking) status = find_wanted(result, plan, &all_wanted);
    uint64_t count = plan->ranking ? all_wanted.count : info ? info->count : 0;
    for (uint64_t i = 0; status == GMC_OK && i < count; i++) {
        uint64_t number = plan->ranking ? all_wanted.trials[i] : info->first + i;
        status = gmc_result_trial(result, number, &stored);
        if (status != GMC_OK) break;
        const gmc_trial *trial = &stored.trial;
        if (trial->trajectory) {
            int m = plan->cases[trial->case_index].model;
            const translation *t = &all[m];
            bool is_made = t->bodies && t->joints && t->geoms; // all are
            // what is not known cannot be in a file of this plan; the trial is simply run again
            if (!is_made || !is_known(trial->trajectory, &info->names, &plan->models[m], t))
                continue;
            status = translate(trial, plan, &plan->models[m], t, &copy);
            trial = &copy.trial;
        }
        if (status == GMC_OK) status = visit(context, trial);
    }
    for (int m = 0; all && m < plan->model_count; m++)
        translation_free(&all[m]);
    free(all);
    free(all_wanted.trials);
    gmc_trial_copy_free(&stored);
    gmc_trial_copy_free(&copy);
    gmc_result_close(result);
    return status;
}

// ---- the store ----

struct gmc_store {
    const gmc_store_plan *plan;
    gmc_diagnostics *messages;
    char *path, *journal_path;
    gmc_journal *journal; ///< NULL: the result was complete already
    unsigned char *record;
    size_t capacity;
    gmc_writer_source source; ///< sums over what is in the journal
    gmc_store_found found;
    gmc_store_options options;
    gmc_trial_copy trial; ///< of the visit
    bool grows;           ///< the result that is there has the first draws of this run
};

static void count_trajectory(gmc_store *s, const gmc_trial_size *size)
{
    if (!size->has_trajectory) return;
    s->source.trajectory_count++;
    s->source.row_count += (uint64_t)size->shape.row_count;
    s->source.contact_count += (uint64_t)size->shape.contact_count;
}

// ---- sink ----

static gmc_status sink_put(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    int columns = s->plan->column_count, samples = s->plan->parameter_count;
    size_t bytes = gmc_record_bytes(trial, columns, samples);
    if (bytes > s->capacity) {
        free(s->record);
        s->capacity = bytes + bytes / 4;
        s->record = malloc(s->capacity);
        if (!s->record) s->capacity = 0;
        if (!s->record) return GMC_E_MEMORY;
    }
    gmc_record_encode(trial, columns, samples, s->record);
    GMC_TRY(gmc_journal_append(s->journal, trial->trial, s->record, bytes, s->messages));
    gmc_trial_size size = gmc_trial_size_of(trial, columns, samples);
    count_trajectory(s, &size);
    return GMC_OK;
}

static bool sink_has(void *context, uint64_t trial)
{
    const gmc_store *s = context;
    return !s->journal || gmc_journal_has(s->journal, trial);
}

static uint64_t sink_end(void *context)
{
    const gmc_store *s = context;
    return s->journal ? gmc_journal_about(s->journal).end : s->plan->first + s->plan->count;
}

static gmc_status sink_sync(void *context)
{
    gmc_store *s = context;
    return s->journal ? gmc_journal_sync(s->journal, s->messages) : GMC_OK;
}

gmc_sink gmc_store_sink(gmc_store *store)
{
    return (gmc_sink){
        .context = store, .put = sink_put, .has = sink_has, .end = sink_end, .sync = sink_sync};
}

// ---- opening ----

/// A trial of an earlier session.
static void note(gmc_store *s, const gmc_trial *trial)
{
    gmc_campaign_count(&s->found.counts, trial->outcome);
    s->found.kept++;
    if (s->options.seen) s->options.seen(s->options.seen_context, trial);
}

static gmc_status visit(void *context, uint64_t trial, const void *payload, size_t bytes)
{
    gmc_store *s = context;
    int columns = s->plan->column_count, samples = s->plan->parameter_count;
    gmc_status status = gmc_record_decode(payload, bytes, columns, samples, &s->trial);
    if (status == GMC_E_INPUT || (status == GMC_OK && s->trial.trial.trial != trial)) {
        gmc_source source = {.file = s->journal_path};
        gmc_diagnostics_add(s->messages, GMC_E_INPUT, source, "run with --force to start anew",
                            "the record of trial %llu does not fit this run",
                            (unsigned long long)trial);
        return GMC_E_INPUT;
    }
    GMC_TRY(status);
    gmc_trial_size size = gmc_trial_size_of(&s->trial.trial, columns, samples);
    count_trajectory(s, &size);
    note(s, &s->trial.trial);
    return GMC_OK;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/// Is the result that is there the one this run would give? With --resume, after success.
static gmc_status check_result(gmc_store *s, bool has_journal)
{
    char difference[600];
    gmc_status status = gmc_result_matches(s->path, s->plan, difference, sizeof difference);
    s->found.is_complete = status == GMC_OK;
    if (status == GMC_OK || status == GMC_E_MEMORY) return status;
    if (!has_journal) GMC_TRY(result_grows(s->path, s->plan, s->messages, &s->grows));
    if (s->grows) return GMC_OK;
    // with a journal beside it, it is the old result that a run with --force is about to replace
    if (has_journal) return GMC_OK;
    gmc_source source = {.file = s->path};
    if (status == GMC_E_IO) {
        gmc_diagnostics_add(s->messages, status, source, NULL, "%s", difference);
        return status;
    }
    gmc_diagnostics_add(
        s->messages, GMC_E_MISMATCH, source, "--force replaces it, -o chooses another name",
        "this is the result of another run, which this one does not continue: %s", difference);
    return GMC_E_MISMATCH;
}

/// -n says how many trials the run is of, unless it is a part.
static uint64_t draw_trials(const gmc_store_plan *plan)
{
    bool is_whole = plan->first == 0 && plan->count == plan->total;
    return is_whole ? (uint64_t)plan->case_count : 0;
}

static gmc_status open_journal(gmc_store *s)
{
    char *identity = gmc_store_plan_identity(s->plan);
    if (!identity) return GMC_E_MEMORY;
    const gmc_journal_options options = {.path = s->journal_path,
                                         .identity = identity,
                                         .first = s->plan->first,
                                         .count = s->plan->count,
                                         .draw_trials = draw_trials(s->plan),
                                         .mode = s->options.mode,
                                         .visit = visit,
                                         .visit_context = s};
    gmc_status status = gmc_journal_open(&options, s->messages, &s->journal);
    free(identity);
    GMC_TRY(status);
    s->found.torn_bytes = gmc_journal_about(s->journal).torn;
    s->found.has_no_lock = gmc_journal_about(s->journal).has_no_lock;
    gmc_beside_clean(s->path, GMC_WRITER_MARK, false);
    return GMC_OK;
}

/// A trial of the result that this run goes on with.
static gmc_status take_over(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    GMC_TRY(sink_put(s, trial));
    note(s, trial);
    return GMC_OK;
}

/// A trial of the result that this run completes.
static gmc_status take_known(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    const gmc_store_options *o = &s->options;
    if (o->is_open(o->open_context, trial) || gmc_journal_has(s->journal, trial->trial))
        return GMC_OK;
    return take_over(s, trial);
}

static gmc_status take_trials(gmc_store *s)
{
    if (s->options.from)
        return each_trial_there(s->options.from, s->plan, take_known, s, s->messages);
    return s->grows ? each_trial_there(s->path, s->plan, take_over, s, s->messages) : GMC_OK;
}

static gmc_status open_output(gmc_store *s)
{
    GMC_TRY(gmc_store_plan_check(s->plan, s->messages));
    bool has_result = exists(s->path), has_journal = exists(s->journal_path);
    const gmc_store_options *o = &s->options;
    if (o->mode == GMC_JOURNAL_FORCE)
        GMC_TRY(gmc_replace_result(s->path, o->inputs, o->input_count, s->messages));
    if (o->mode == GMC_JOURNAL_NEW)
        GMC_TRY(gmc_replace_nothing(s->path, o->inputs, o->input_count, s->messages));
    struct stat info;
    bool is_there = false;
    if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode))
        return gmc_replace_file(s->path, NULL, 0, s->messages, &is_there);
    if (has_result && s->options.mode == GMC_JOURNAL_RESUME) GMC_TRY(check_result(s, has_journal));
    if (s->found.is_complete && !has_journal) return GMC_OK;
    if (!s->found.is_complete) {
        GMC_TRY(open_journal(s));
        GMC_TRY(take_trials(s));
        if (s->grows) s->found.answered = s->found.kept;
        return GMC_OK;
    }

    // killed between putting the result in place and removing the journal: the result is whole
    GMC_TRY(open_journal(s));
    GMC_TRY(gmc_journal_remove(s->journal, s->messages));
    gmc_journal_close(s->journal);
    s->journal = NULL;
    return GMC_OK;
}

gmc_status gmc_store_open(const gmc_store_plan *plan, const gmc_store_options *options,
                          gmc_diagnostics *messages, gmc_store **out, gmc_store_found *found)
{
    *out = NULL;
    gmc_store *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->plan = plan;
    s->messages = messages;
    s->options = *options;
    size_t bytes = strlen(options->path) + sizeof ".journal";
    s->path = strdup(options->path);
    s->journal_path = malloc(bytes);
    gmc_status status = s->path && s->journal_path ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) {
        snprintf(s->journal_path, bytes, "%s.journal", options->path);
        status = open_output(s);
    }
    if (found) *found = s->found;
    if (status != GMC_OK) {
        gmc_store_close(s);
        return status;
    }
    *out = s;
    return GMC_OK;
}

// ---- end ----

static gmc_status read_journal(void *context, uint64_t trial, const unsigned char **record,
                               size_t *bytes, gmc_diagnostics *messages)
{
    gmc_store *s = context;
    gmc_status status = gmc_journal_read(s->journal, trial, record, bytes, messages);
    if (status == GMC_E_MISSING) {
        gmc_source source = {.file = s->journal_path};
        gmc_diagnostics_add(messages, status, source, NULL, "trial %llu was not run",
                            (unsigned long long)trial);
    }
    return status;
}

static gmc_status add_sizes(gmc_store *s, uint64_t trial)
{
    const unsigned char *record;
    size_t bytes;
    GMC_TRY(read_journal(s, trial, &record, &bytes, s->messages));
    gmc_trial_size size;
    GMC_TRY(gmc_record_size(record, bytes, s->plan->column_count, s->plan->parameter_count, &size));
    count_trajectory(s, &size);
    return GMC_OK;
}

gmc_status gmc_store_shorten(gmc_store *s, uint64_t count)
{
    if (!s->journal) return GMC_OK;
    s->source.trajectory_count = s->source.row_count = s->source.contact_count = 0;
    for (uint64_t i = 0; i < count; i++)
        GMC_TRY(add_sizes(s, s->plan->first + i));
    return GMC_OK;
}

gmc_status gmc_store_finish(gmc_store *s, const atomic_bool *stop)
{
    if (!s->journal) return GMC_OK;
    gmc_writer_source source = s->source;
    source.context = s;
    source.read = read_journal;
    source.has = sink_has;
    source.progress = s->options.progress;
    source.progress_context = s->options.progress_context;
    source.trial_count = gmc_journal_about(s->journal).count;
    GMC_TRY(gmc_writer_write(s->plan, &source, s->path, stop, s->messages));
    return gmc_journal_remove(s->journal, s->messages);
}

void gmc_store_close(gmc_store *s)
{
    if (!s) return;
    gmc_journal_close(s->journal);
    gmc_trial_copy_free(&s->trial);
    free(s->record);
    free(s->path);
    free(s->journal_path);
    free(s);
}
