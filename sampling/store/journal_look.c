#define _POSIX_C_SOURCE 200809L
#include "sampling/store/journal_look.h"

#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/store/journal.h"
#include "sampling/store/journal_internal.h"
#include "sampling/store/lock.h"
#include "sampling/store/record.h"

#include <zlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct seen_trial {
    uint64_t trial;
    uint32_t outcome;
} seen_trial;

typedef struct looking {
    const char *path;
    gmc_diagnostics *messages;
    int file;
    uint64_t size, at;     ///< of the file; where the next record begins
    uint32_t seed;         ///< the header's crc
    unsigned char *buffer; ///< one record
    size_t capacity;
    seen_trial *seen; ///< of every record of a trial, in their order
    size_t seen_count, seen_capacity;
} looking;

static gmc_status refuse(const looking *l, const char *what)
{
    gmc_diagnostics_add(l->messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = l->path}, NULL,
                        "%s", what);
    return GMC_E_INPUT;
}

/// @return false: not so many bytes, or no memory
static bool get(looking *l, uint64_t offset, size_t bytes)
{
    if (bytes > l->capacity) {
        unsigned char *buffer = realloc(l->buffer, bytes + bytes / 2);
        if (!buffer) return false;
        l->buffer = buffer;
        l->capacity = bytes + bytes / 2;
    }
    return offset + bytes <= l->size &&
           gmc_file_read_at(l->file, l->buffer, bytes, offset) == (ssize_t)bytes;
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
    static const char *const KEYS[] = {"  study.rank", "  study.ladder.0", "  sampling.subset",
                                       "  sampling.two_level"};
    static const char BUDGET[] = ", budget ";
    for (int i = 0; i < GMC_COUNT(KEYS); i++)
        look->is_chosen = look->is_chosen || value_of(identity, KEYS[i])[0] != 0;
    const char *rank = value_of(identity, KEYS[0]), *budget = strstr(rank, BUDGET);
    bool is_there = budget && budget < rank + strcspn(rank, "\n");
    look->most = is_there ? strtoull(budget + strlen(BUDGET), NULL, 10) : UINT64_MAX;
}

static gmc_status read_header(looking *l, gmc_journal_look *look)
{
    if (!get(l, 0, GMC_JOURNAL_FIXED_BYTES) ||
        memcmp(l->buffer, gmc_journal_magic, sizeof gmc_journal_magic) != 0)
        return refuse(l, "this is not a journal of graspmc");
    uint32_t version = gmc_bytes_u32(l->buffer + 8), identity = gmc_bytes_u32(l->buffer + 12);
    size_t bytes = GMC_JOURNAL_FIXED_BYTES + (size_t)identity;
    if (identity > GMC_JOURNAL_IDENTITY_MAX || !get(l, 0, bytes + GMC_JOURNAL_CRC_BYTES))
        return refuse(l, "the header of this journal is damaged");
    l->seed = gmc_bytes_u32(l->buffer + bytes);
    if ((uint32_t)crc32_z(0, l->buffer, bytes) != l->seed)
        return refuse(l, "the header of this journal is damaged");
    if (version != GMC_JOURNAL_VERSION)
        return refuse(l, "this journal is of another version of graspmc");
    look->first = gmc_bytes_u64(l->buffer + 16);
    look->count = gmc_bytes_u64(l->buffer + 24);
    l->at = bytes + GMC_JOURNAL_CRC_BYTES;

    l->buffer[bytes] = 0; // over the crc
    const char *text = (const char *)l->buffer + GMC_JOURNAL_FIXED_BYTES;
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

/// The record at l->at into the buffer; false: there is no whole one.
static bool next_record(looking *l, size_t *payload)
{
    if (!get(l, l->at, GMC_JOURNAL_HEAD_BYTES)) return false;
    *payload = gmc_bytes_u32(l->buffer);
    size_t bytes = GMC_JOURNAL_HEAD_BYTES + *payload;
    if (*payload > GMC_JOURNAL_PAYLOAD_MAX || !get(l, l->at, bytes + GMC_JOURNAL_CRC_BYTES))
        return false;
    if (gmc_journal_record_crc(l->seed, l->at, l->buffer, bytes) !=
        gmc_bytes_u32(l->buffer + bytes))
        return false;
    l->at += bytes + GMC_JOURNAL_CRC_BYTES;
    return true;
}

/// Keep which trial the record in the buffer is of.
static gmc_status note_trial(looking *l, size_t payload)
{
    uint32_t outcome;
    if (!gmc_record_outcome(l->buffer + GMC_JOURNAL_HEAD_BYTES, payload, &outcome)) return GMC_OK;
    if (l->seen_count == l->seen_capacity) {
        size_t room = l->seen_capacity ? 2 * l->seen_capacity : 1024;
        seen_trial *seen = realloc(l->seen, room * sizeof *seen);
        if (!seen) return GMC_E_MEMORY;
        l->seen = seen;
        l->seen_capacity = room;
    }
    l->seen[l->seen_count++] =
        (seen_trial){.trial = gmc_bytes_u64(l->buffer + 8), .outcome = outcome};
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
    while (next_record(l, &payload)) {
        uint32_t type = gmc_bytes_u32(l->buffer + 4);
        if (type == GMC_JOURNAL_TRIAL) GMC_TRY(note_trial(l, payload));
        if (type != GMC_JOURNAL_RANGE || payload != GMC_JOURNAL_RANGE_BYTES) continue;
        look->first = gmc_bytes_u64(l->buffer + GMC_JOURNAL_HEAD_BYTES);
        look->count = gmc_bytes_u64(l->buffer + GMC_JOURNAL_HEAD_BYTES + 8);
    }
    look->torn = l->size - l->at;
    if (look->count > UINT64_MAX - look->first)
        return refuse(l, "the range of this journal is damaged");
    if (look->most > look->count) look->most = look->count;
    count_trials(l, look);
    return GMC_OK;
}

gmc_status gmc_journal_look_at(const char *path, gmc_diagnostics *messages, gmc_journal_look *look)
{
    *look = (gmc_journal_look){0};
    looking l = {.path = path, .messages = messages};
    l.file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe is not waited for
    if (l.file < 0)
        return gmc_file_complain(messages, errno == ENOENT ? GMC_E_MISSING : GMC_E_IO, path,
                                 "cannot open", errno);
    struct stat info;
    gmc_status status = GMC_OK;
    if (fstat(l.file, &info) != 0 || !S_ISREG(info.st_mode))
        status = refuse(&l, "this is not a journal of graspmc");
    else
        l.size = (uint64_t)info.st_size;
    if (status == GMC_OK) status = read_header(&l, look);
    if (status == GMC_OK) status = read_records(&l, look);
    look->is_running = gmc_lock_is_held(l.file);
    close(l.file);
    free(l.buffer);
    free(l.seen);
    return status;
}
