// One write call per record: a record is either handed to the kernel whole, and then survives a
// kill of this process, or it is the torn tail that the next session cuts off. No buffer of our own
// between, so that "put" means kept. Rejected: appending to the HDF5 file itself (a kill leaves it
// unreadable) and a database (its journal would journal ours).
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/journal.h"

#include "engine/base/check.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/identity.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"

#include <zlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

// ---- a look at a journal from outside, while its run may go on ---------------------------------

typedef struct seen_trial {
    uint64_t trial; ///< first: they are put into its order
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
static gmc_status note_trial(looking *l, size_t payload)
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

/// Each trial of the range once.
static void count_trials(looking *l, gmc_journal_look *look)
{
    if (l->seen_count > 1) qsort(l->seen, l->seen_count, sizeof *l->seen, gmc_trial_by_number);
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
        if (type == GMC_JOURNAL_TRIAL) GMC_TRY(note_trial(l, payload));
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
