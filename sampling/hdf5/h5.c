// Byte-for-byte repeatable HDF5: no object times (file, groups, datasets), packed little-endian
// types, fixed-size texts, chunk sizes that follow from the shapes alone, every row handed over as
// the bytes of the file so that no conversion buffer can leak into it. What was put is summed up
// dataset by dataset (CRC-32) and compared with what can be read back: the library's own word is
// not enough.
#define _POSIX_C_SOURCE 200809L
#include "sampling/hdf5/h5.h"

#include "engine/base/check.h"
#include "engine/base/file.h"
#include "engine/base/list.h"
#include "engine/base/source.h"
#include "engine/base/status.h"
#include "engine/outcome.h"
#include "sampling/hdf5/apart.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/hdf5/raw.h"

#include <hdf5.h>
#include <zlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Longest path of an object inside a file.
enum { GMC_H5_NAME_BYTES = 1024 };

// ---- types ----

size_t gmc_h5_type_bytes(const gmc_h5_field *field)
{
    switch (field->kind) {
    case GMC_H5_U8:
    case GMC_H5_OUTCOME:
    case GMC_H5_REASON:
        return 1;
    case GMC_H5_I32:
    case GMC_H5_U32:
        return 4;
    case GMC_H5_I64:
    case GMC_H5_U64:
    case GMC_H5_F64:
        return 8;
    case GMC_H5_TEXT:
        return field->text_bytes;
    }
    return 0;
}

/// Types to be closed by the caller; < 0 on failure.
static hid_t h5_type_text(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, bytes > 0 ? bytes : 1) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
        return H5I_INVALID_HID;
    return type;
}

static hid_t outcome_type(void)
{
    hid_t type = H5Tenum_create(H5T_STD_U8LE);
    for (unsigned char i = 0; type >= 0 && i < GMC_OUTCOME_COUNT; i++)
        if (H5Tenum_insert(type, gmc_outcome_name((gmc_outcome)i), &i) < 0) return H5I_INVALID_HID;
    return type;
}

static hid_t reason_type(void)
{
    hid_t type = H5Tenum_create(H5T_STD_U8LE);
    for (unsigned char i = 0; type >= 0 && i < GMC_REASON_COUNT; i++)
        if (H5Tenum_insert(type, gmc_reason_name((gmc_reason)i), &i) < 0) return H5I_INVALID_HID;
    return type;
}

/// A type of our own for one field; close it.
static hid_t h5_type_field(const gmc_h5_field *field)
{
    switch (field->kind) {
    case GMC_H5_U8:
        return H5Tcopy(H5T_STD_U8LE);
    case GMC_H5_I32:
        return H5Tcopy(H5T_STD_I32LE);
    case GMC_H5_U32:
        return H5Tcopy(H5T_STD_U32LE);
    case GMC_H5_I64:
        return H5Tcopy(H5T_STD_I64LE);
    case GMC_H5_U64:
        return H5Tcopy(H5T_STD_U64LE);
    case GMC_H5_F64:
        return H5Tcopy(H5T_IEEE_F64LE);
    case GMC_H5_TEXT:
        return h5_type_text(field->text_bytes);
    case GMC_H5_OUTCOME:
        return outcome_type();
    case GMC_H5_REASON:
        return reason_type();
    }
    return H5I_INVALID_HID;
}

static hid_t type_of_row(const gmc_h5_field *fields, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += gmc_h5_type_bytes(&fields[i]);
    hid_t row = H5Tcreate(H5T_COMPOUND, bytes);
    size_t offset = 0;
    for (int i = 0; row >= 0 && i < count; i++) {
        hid_t type = h5_type_field(&fields[i]);
        herr_t done = type >= 0 ? H5Tinsert(row, fields[i].name, offset, type) : -1;
        if (type >= 0) H5Tclose(type);
        if (done < 0) return H5I_INVALID_HID;
        offset += gmc_h5_type_bytes(&fields[i]);
    }
    return row;
}

// ---- the file ----

enum { REASON_BYTES = 160 };

/// The innermost reason; where a system call failed HDF5 packs errno into a long line with the time
/// in it.
static herr_t first_reason(unsigned n, const H5E_error2_t *error, void *text)
{
    (void)n;
    const char *said = error->desc ? error->desc : "no reason given";
    const char *number = strstr(said, "errno = ");
    if (number) said = strerror((int)strtol(number + strlen("errno = "), NULL, 10));
    snprintf(text, REASON_BYTES, "%.*s", (int)strcspn(said, "\n"), said);
    return 1;
}

static herr_t first_errno(unsigned n, const H5E_error2_t *error, void *found)
{
    (void)n;
    const char *number = error->desc ? strstr(error->desc, "errno = ") : NULL;
    if (number) *(int *)found = (int)strtol(number + strlen("errno = "), NULL, 10);
    return number != NULL;
}

/// After a failed call, before any other: errno of the system call that it failed with, 0 if it was
/// something else.
static int h5_errno(void)
{
    int found = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_errno, &found);
    return found;
}

static gmc_status complain(const gmc_h5 *h5, const char *what)
{
    char reason[REASON_BYTES] = "HDF5 gave no reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, reason);
    gmc_source source = {.file = h5->path};
    gmc_diagnostics_add(h5->messages, GMC_E_IO, source, NULL, "%s: %s", what, reason);
    return GMC_E_IO;
}

void gmc_h5_abandon(gmc_h5 *h5)
{
    if (h5->is_broken) return;
    h5->is_broken = true;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) return; // then closing is as risky as the library makes it
    (void)dup2(nowhere, h5->file);
    close(nowhere);
}

/// Report that the library failed at `what`, with its own reason, and give the file up.
static gmc_status library_failed(gmc_h5 *h5, const char *what)
{
    if (!h5->is_broken) (void)complain(h5, what);
    gmc_h5_abandon(h5);
    return GMC_E_IO;
}

/// Keep the library from printing.
static void h5_silence(gmc_h5 *h5)
{
    H5Eget_auto2(H5E_DEFAULT, &h5->handler, &h5->handler_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/// Put the printer of the process back.
static void speak_again(gmc_h5 *h5) { H5Eset_auto2(H5E_DEFAULT, h5->handler, h5->handler_data); }

/// How files are opened: our names are locked by the journal, so HDF5's own locks (missing on some
/// cluster file systems) are taken only where HDF5_USE_FILE_LOCKING asks for them, which the
/// library looks at first; closing the file closes what is open in it.
static hid_t h5_access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list < 0) return list;
    if (H5Pset_file_locking(list, false, true) < 0 ||
        H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110) < 0) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

/// Is this the entry of a failed lock?
static herr_t is_of_lock(unsigned n, const H5E_error2_t *error, void *found)
{
    (void)n;
    if (error->min_num == H5E_CANTLOCKFILE) *(bool *)found = true;
    return 0;
}

/// After a failed H5Fopen or H5Fcreate, before any other call: if it failed because the file cannot
/// be locked, say so, and how to do without.
/// @return GMC_E_IO if that was it, else GMC_OK and nothing is reported
static gmc_status h5_explain_lock(const gmc_h5 *h5)
{
    char reason[REASON_BYTES] = "";
    bool is_lock = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, reason);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, is_of_lock, &is_lock);
    if (!is_lock) return GMC_OK;
    gmc_source source = {.file = h5->path};
    gmc_diagnostics_add(h5->messages, GMC_E_IO, source,
                        "either another program has this file open, or the file system has no "
                        "locks: then --hdf5-locking off (or HDF5_USE_FILE_LOCKING=FALSE)",
                        "cannot lock: %s", reason);
    return GMC_E_IO;
}

/// Creation list of a file, group or dataset without times; < 0 on failure.
static hid_t untimed_list(hid_t property_class)
{
    hid_t list = H5Pcreate(property_class);
    if (list >= 0 && H5Pset_obj_track_times(list, false) < 0) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

static bool has_file(const char *path) { return access(path, F_OK) == 0; }

gmc_status gmc_h5_create(const char *path, gmc_diagnostics *messages, gmc_h5 *h5)
{
    *h5 = (gmc_h5){.id = H5I_INVALID_HID, .file = -1, .path = path, .messages = messages};
    (void)H5dont_atexit(); // fails if the process uses HDF5 already: then its ways stay
    h5_silence(h5);
    hid_t access = h5_access_list();
    hid_t creation = untimed_list(H5P_FILE_CREATE);
    if (access >= 0 && creation >= 0) h5->id = H5Fcreate(path, H5F_ACC_EXCL, creation, access);
    gmc_status status = GMC_E_CREATE;
    if (h5->id < 0) { // the library forgets why at the next call
        bool is_lock = h5_explain_lock(h5) != GMC_OK;
        // nobody else uses this name: if it is there it was created, and could not be written
        if (!is_lock && has_file(path)) status = GMC_E_IO;
        if (!is_lock) (void)complain(h5, status == GMC_E_IO ? "cannot write" : "cannot create");
        h5->is_broken = true;
    }
    void *file = NULL;
    if (h5->id >= 0 && H5Fget_vfd_handle(h5->id, access, &file) >= 0) h5->file = *(int *)file;
    if (h5->file < 0) (void)library_failed(h5, "cannot create");
    if (access >= 0) H5Pclose(access);
    if (creation >= 0) H5Pclose(creation);
    if (h5->file >= 0) return GMC_OK;

    if (h5->id >= 0) H5Fclose(h5->id);
    speak_again(h5);
    return status;
}

gmc_status gmc_h5_close(gmc_h5 *h5)
{
    if (!h5->is_broken && H5Fflush(h5->id, H5F_SCOPE_GLOBAL) < 0)
        (void)library_failed(h5, "cannot write");
    if (H5Fclose(h5->id) < 0) {
        if (!h5->is_broken) (void)complain(h5, "cannot write");
        h5->is_broken = true;
    }
    speak_again(h5);
    return h5->is_broken ? GMC_E_IO : GMC_OK;
}

// ---- groups and attributes ----

/// Link list that creates the groups above a name; those made so are without times in this format.
static hid_t link_list(void)
{
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    if (list >= 0 && H5Pset_create_intermediate_group(list, 1) < 0) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

gmc_status gmc_h5_group(gmc_h5 *h5, const char *name)
{
    if (h5->is_broken) return GMC_E_IO;
    hid_t links = link_list(), creation = untimed_list(H5P_GROUP_CREATE);
    hid_t group = links >= 0 && creation >= 0
                      ? H5Gcreate2(h5->id, name, links, creation, H5P_DEFAULT)
                      : H5I_INVALID_HID;
    if (links >= 0) H5Pclose(links);
    if (creation >= 0) H5Pclose(creation);
    if (group < 0) return library_failed(h5, name);
    H5Gclose(group);
    return GMC_OK;
}

/// Attribute of `count` elements (-1: scalar) on the object at a path.
static gmc_status attribute(gmc_h5 *h5, const char *object, const char *name, hid_t type, int count,
                            const void *data)
{
    if (h5->is_broken) return GMC_E_IO;
    hsize_t shape[1] = {count > 0 ? (hsize_t)count : 0};
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, shape, NULL);
    hid_t target = H5Oopen(h5->id, object, H5P_DEFAULT);
    hid_t id = type >= 0 && space >= 0 && target >= 0
                   ? H5Acreate2(target, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                   : H5I_INVALID_HID;
    herr_t done = id >= 0 ? 0 : -1;
    if (done >= 0 && count != 0) done = H5Awrite(id, type, data);
    if (done < 0) {
        char what[GMC_H5_NAME_BYTES];
        snprintf(what, sizeof what, "attribute %s of %s", name, object);
        (void)library_failed(h5, what);
    }
    if (id >= 0) H5Aclose(id);
    if (target >= 0) H5Oclose(target);
    if (space >= 0) H5Sclose(space);
    return done < 0 ? GMC_E_IO : GMC_OK;
}

gmc_status gmc_h5_text(gmc_h5 *h5, const char *object, const char *name, const char *text)
{
    hid_t type = h5_type_text(strlen(text));
    gmc_status status = attribute(h5, object, name, type, -1, text);
    if (type >= 0) H5Tclose(type);
    return status;
}

gmc_status gmc_h5_texts(gmc_h5 *h5, const char *object, const char *name, const char *const *texts,
                        int count)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++)
        if (strlen(texts[i]) > bytes) bytes = strlen(texts[i]);
    char *block = calloc((size_t)count + 1, bytes);
    if (!block) return GMC_E_MEMORY;
    for (int i = 0; i < count; i++)
        memcpy(block + (size_t)i * bytes, texts[i], strlen(texts[i]));
    hid_t type = h5_type_text(bytes);
    gmc_status status = attribute(h5, object, name, type, count, block);
    if (type >= 0) H5Tclose(type);
    free(block);
    return status;
}

gmc_status gmc_h5_u64(gmc_h5 *h5, const char *object, const char *name, uint64_t value)
{
    unsigned char bytes[8];
    gmc_bytes_put_u64(bytes, value);
    return attribute(h5, object, name, H5T_STD_U64LE, -1, bytes);
}

gmc_status gmc_h5_f64(gmc_h5 *h5, const char *object, const char *name, double value)
{
    unsigned char bytes[8];
    gmc_bytes_put_f64(bytes, value);
    return attribute(h5, object, name, H5T_IEEE_F64LE, -1, bytes);
}

bool gmc_h5_link(const char *folder, const char *name, char *path, size_t bytes)
{
    size_t used = (size_t)snprintf(path, bytes, "%s", folder);
    for (;;) {
        size_t length = strcspn(name, "/");
        bool is_special = length == 0 || (length == 1 && name[0] == '.') ||
                          (length == 2 && name[0] == '.' && name[1] == '.');
        if (used + length + 3 > bytes) return false;
        path[used++] = '/';
        if (is_special) path[used++] = '%';
        memcpy(path + used, name, length);
        used += length;
        path[used] = 0;
        if (name[length] == 0) return true;
        name += length + 1;
    }
}

double gmc_h5_stored_bytes(const char *path, const char *const *names, int count)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return -1;
    double bytes = 0;
    for (int i = 0; i < count; i++) {
        if (H5Lexists(file, names[i], H5P_DEFAULT) <= 0) continue;
        hid_t dataset = H5Dopen2(file, names[i], H5P_DEFAULT);
        if (dataset < 0) continue;
        bytes += (double)H5Dget_storage_size(dataset);
        H5Dclose(dataset);
    }
    return H5Fclose(file) < 0 ? -1 : bytes;
}

// ---- datasets, row by row ----

// A stream holds the chunk that is being filled and writes it once it is full, so that every chunk
// is compressed once whatever the sizes of the single trials, and the chunk cache of the library is
// not used.

enum {
    CHUNK_BYTES = 1 << 18, ///< long enough to compress well, a few dozen fit the memory of a run
    CONTIGUOUS_BYTES = 1 << 12, ///< below it a chunk index costs more than compression gains
    DEFLATE_LEVEL = 1 ///< of 9: motion and contacts of pinches shrink to 0.43 of their bytes; 6
                      ///< gives 0.42 at half the speed
};

/// Rows in one chunk, from the shape alone.
static uint64_t h5_stream_chunk_rows(size_t row_bytes, uint64_t rows)
{
    uint64_t fit = row_bytes > 0 ? CHUNK_BYTES / row_bytes : CHUNK_BYTES;
    if (fit < 1) fit = 1;
    return fit < rows ? fit : rows;
}

/// Layout of a dataset: small ones in one piece, larger ones in compressed and checksummed chunks.
static hid_t dataset_list(const gmc_h5_stream *s)
{
    hid_t list = untimed_list(H5P_DATASET_CREATE);
    if (list < 0) return list;
    hsize_t chunk[2] = {s->chunk_rows, s->columns};
    bool is_chunked = s->rank > 0 && s->rows * s->row_bytes > CONTIGUOUS_BYTES;
    if (is_chunked && (H5Pset_chunk(list, s->rank, chunk) < 0 || H5Pset_shuffle(list) < 0 ||
                       H5Pset_deflate(list, DEFLATE_LEVEL) < 0 || H5Pset_fletcher32(list) < 0)) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

/// What is written is not kept: the library would hold a megabyte of each dataset.
static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    if (list >= 0 && H5Pset_chunk_cache(list, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0,
                                        H5D_CHUNK_CACHE_W0_DEFAULT) < 0) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

static hid_t dataset_create(const gmc_h5_stream *s)
{
    hsize_t shape[2] = {s->rows, s->columns};
    hid_t space = s->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(s->rank, shape, NULL);
    hid_t creation = dataset_list(s), links = link_list(), access = access_list();
    hid_t id = space >= 0 && creation >= 0 && links >= 0 && access >= 0
                   ? H5Dcreate2(s->h5->id, s->name, s->type, space, links, creation, access)
                   : H5I_INVALID_HID;
    if (space >= 0) H5Sclose(space);
    if (creation >= 0) H5Pclose(creation);
    if (links >= 0) H5Pclose(links);
    if (access >= 0) H5Pclose(access);
    return id;
}

gmc_status gmc_h5_stream_open(gmc_h5 *h5, const char *name, const gmc_h5_shape *shape,
                              gmc_h5_stream *s)
{
    *s = (gmc_h5_stream){.h5 = h5,
                         .dataset = H5I_INVALID_HID,
                         .type = H5I_INVALID_HID,
                         .rows = shape->rows,
                         .rank = shape->columns == GMC_H5_VECTOR ? 1 : 2,
                         .columns = shape->columns};
    if (h5->is_broken) return GMC_E_IO;
    int count = shape->field_count > 0 ? shape->field_count : 1;
    for (int i = 0; i < count; i++)
        s->row_bytes += gmc_h5_type_bytes(&shape->fields[i]);
    if (s->rank == 2) s->row_bytes *= shape->columns;
    s->chunk_rows = h5_stream_chunk_rows(s->row_bytes, s->rows);
    s->name = strdup(name);
    s->buffer = malloc((size_t)(s->chunk_rows ? s->chunk_rows : 1) * s->row_bytes + 1);
    if (!s->name || !s->buffer) return GMC_E_MEMORY;
    s->type = shape->field_count > 0 ? type_of_row(shape->fields, shape->field_count)
                                     : h5_type_field(shape->fields);
    if (s->type >= 0) s->dataset = dataset_create(s);
    return s->dataset >= 0 ? GMC_OK : library_failed(h5, name);
}

static gmc_status stream_flush(gmc_h5_stream *s)
{
    if (s->buffered == 0) return GMC_OK;
    s->crc = (uint32_t)crc32_z(s->crc, s->buffer, (size_t)s->buffered * s->row_bytes);
    if (s->h5->is_broken) return GMC_E_IO;
    hsize_t start[2] = {s->next - s->buffered, 0}, size[2] = {s->buffered, s->columns};
    hid_t memory = H5Screate_simple(s->rank, size, NULL);
    hid_t file = H5Dget_space(s->dataset);
    bool done = memory >= 0 && file >= 0 &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Dwrite(s->dataset, s->type, memory, file, H5P_DEFAULT, s->buffer) >= 0;
    if (!done) (void)library_failed(s->h5, s->name);
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    s->buffered = 0;
    return done ? GMC_OK : GMC_E_IO;
}

gmc_status gmc_h5_stream_put(gmc_h5_stream *s, const void *rows, uint64_t count)
{
    const unsigned char *from = rows;
    GMC_ASSERT(count <= s->rows - s->next);
    if (s->row_bytes == 0) { // rows of no columns: there is nothing to write
        s->next += count;
        return GMC_OK;
    }
    while (count > 0) {
        uint64_t room = s->chunk_rows - s->buffered;
        uint64_t take = count < room ? count : room;
        memcpy(s->buffer + s->buffered * s->row_bytes, from, (size_t)take * s->row_bytes);
        s->buffered += take;
        s->next += take;
        from += take * s->row_bytes;
        count -= take;
        if (s->buffered == s->chunk_rows) GMC_TRY(stream_flush(s));
    }
    return GMC_OK;
}

gmc_status gmc_h5_stream_doubles(gmc_h5_stream *s, const double *values, uint64_t row_count)
{
    if (s->row_bytes == 0) return gmc_h5_stream_put(s, values, row_count);
    unsigned char bytes[512];
    uint64_t row = s->row_bytes / 8;
    uint64_t left = row_count * row;
    // whole rows through a small buffer; rows longer than it get their own
    uint64_t fit = sizeof bytes / 8 / row * row;
    unsigned char *own = fit == 0 ? malloc(s->row_bytes) : NULL;
    if (fit == 0 && !own) return GMC_E_MEMORY;
    unsigned char *to = own ? own : bytes;
    if (fit == 0) fit = row;
    gmc_status status = GMC_OK;
    while (left > 0 && status == GMC_OK) {
        uint64_t n = left < fit ? left : fit;
        for (uint64_t i = 0; i < n; i++)
            gmc_bytes_put_f64(to + 8 * i, values[i]);
        status = gmc_h5_stream_put(s, to, n / row);
        values += n;
        left -= n;
    }
    free(own);
    return status;
}

/// Remember what the dataset must read back as; takes the stream's name.
static gmc_status note_check(gmc_h5_stream *s)
{
    gmc_h5 *h5 = s->h5;
    gmc_h5_check *checks =
        gmc_list_room(h5->checks, h5->check_count, &h5->check_capacity, sizeof *checks);
    if (!checks) return GMC_E_MEMORY;
    h5->checks = checks;
    h5->checks[h5->check_count++] =
        (gmc_h5_check){.name = s->name, .rows = s->rows, .row_bytes = s->row_bytes, .crc = s->crc};
    s->name = NULL;
    return GMC_OK;
}

gmc_status gmc_h5_stream_close(gmc_h5_stream *s)
{
    if (!s->h5) return GMC_OK;
    gmc_status status = s->h5->is_broken ? GMC_E_IO : GMC_OK;
    if (status == GMC_OK && s->dataset >= 0) status = stream_flush(s);
    if (status == GMC_OK && s->dataset >= 0 && s->next != s->rows)
        status = library_failed(s->h5, s->name);
    if (s->dataset >= 0 && H5Dclose(s->dataset) < 0 && status == GMC_OK)
        status = library_failed(s->h5, s->name);
    if (s->type >= 0) H5Tclose(s->type);
    if (status == GMC_OK) status = note_check(s);
    free(s->name);
    free(s->buffer);
    *s = (gmc_h5_stream){0};
    return status;
}

gmc_status gmc_h5_stream_table(gmc_h5 *h5, const char *name, const gmc_h5_field *fields,
                               int field_count, uint64_t rows, const void *bytes)
{
    gmc_h5_stream s;
    const gmc_h5_shape shape = {fields, field_count, rows, GMC_H5_VECTOR};
    gmc_status status = gmc_h5_stream_open(h5, name, &shape, &s);
    if (status == GMC_OK) status = gmc_h5_stream_put(&s, bytes, rows);
    if (status != GMC_OK) gmc_h5_abandon(h5); // an unfilled dataset needs no complaint of its own
    gmc_status closed = gmc_h5_stream_close(&s);
    return status != GMC_OK ? status : closed;
}

gmc_status gmc_h5_stream_scalar_text(gmc_h5 *h5, const char *name, const char *text)
{
    if (h5->is_broken) return GMC_E_IO;
    size_t bytes = strlen(text) > 0 ? strlen(text) : 1;
    gmc_h5_stream s = {.h5 = h5,
                       .rows = 1,
                       .next = 1,
                       .row_bytes = bytes,
                       .crc = (uint32_t)crc32_z(0, (const unsigned char *)text, bytes)};
    s.type = h5_type_text(bytes);
    s.name = strdup(name);
    s.dataset = H5I_INVALID_HID;
    gmc_status status = s.name ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK && s.type >= 0) s.dataset = dataset_create(&s);
    if (status == GMC_OK &&
        (s.dataset < 0 || H5Dwrite(s.dataset, s.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0))
        status = library_failed(h5, name);
    if (status != GMC_OK) gmc_h5_abandon(h5); // an unfilled dataset needs no complaint of its own
    gmc_status closed = gmc_h5_stream_close(&s);
    return status != GMC_OK ? status : closed;
}

// ---- proof ----

// The file is read back through the library, dataset by dataset, in the order of writing.

typedef struct reread {
    hid_t dataset, type, file_space, memory_space;
    unsigned char *rows;
} reread;

static void reread_close(reread *r)
{
    if (r->memory_space >= 0) H5Sclose(r->memory_space);
    if (r->file_space >= 0) H5Sclose(r->file_space);
    if (r->type >= 0) H5Tclose(r->type);
    if (r->dataset >= 0) H5Dclose(r->dataset);
    free(r->rows);
}

static bool read_rows(reread *r, int rank, const hsize_t *shape, uint64_t first, uint64_t count)
{
    hsize_t start[2] = {first, 0}, size[2] = {count, rank > 1 ? shape[1] : 1};
    if (rank == 0) return H5Dread(r->dataset, r->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->rows) >= 0;
    if (r->memory_space >= 0) H5Sclose(r->memory_space);
    r->memory_space = H5Screate_simple(rank, size, NULL);
    return r->memory_space >= 0 &&
           H5Sselect_hyperslab(r->file_space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
           H5Dread(r->dataset, r->type, r->memory_space, r->file_space, H5P_DEFAULT, r->rows) >= 0;
}

/// Sum of what one dataset reads back as. @return false: it cannot be read or has another shape
static bool reread_crc(reread *r, const gmc_h5_check *check, bool (*is_stopped)(const void *),
                       const void *context, uint32_t *sum)
{
    hsize_t shape[2] = {1, 1};
    int rank = H5Sget_simple_extent_ndims(r->file_space);
    if (rank < 0 || rank > 2 || H5Sget_simple_extent_dims(r->file_space, shape, NULL) < 0)
        return false;
    size_t element = H5Tget_size(r->type);
    if (shape[0] != check->rows || element * shape[1] != check->row_bytes) return false;
    uint64_t step = h5_stream_chunk_rows(check->row_bytes, check->rows);
    for (uint64_t at = 0; at < check->rows && check->row_bytes > 0; at += step) {
        if (is_stopped && is_stopped(context)) return true; // the caller asks again
        uint64_t count = check->rows - at < step ? check->rows - at : step;
        if (!read_rows(r, rank, shape, at, count)) return false;
        *sum = (uint32_t)crc32_z(*sum, r->rows, (size_t)count * check->row_bytes);
    }
    return true;
}

static gmc_status verify_one(hid_t file, const gmc_h5_check *check,
                             bool (*is_stopped)(const void *), const void *context)
{
    reread r = {.dataset = H5I_INVALID_HID,
                .type = H5I_INVALID_HID,
                .file_space = H5I_INVALID_HID,
                .memory_space = H5I_INVALID_HID};
    size_t step = (size_t)h5_stream_chunk_rows(check->row_bytes, check->rows);
    r.rows = malloc(step * check->row_bytes + 1);
    if (!r.rows) return GMC_E_MEMORY;
    r.dataset = H5Dopen2(file, check->name, H5P_DEFAULT);
    if (r.dataset >= 0) {
        r.type = H5Dget_type(r.dataset);
        r.file_space = H5Dget_space(r.dataset);
    }
    uint32_t sum = 0;
    bool is_good =
        r.type >= 0 && r.file_space >= 0 && reread_crc(&r, check, is_stopped, context, &sum);
    reread_close(&r);
    if (is_stopped && is_stopped(context)) return GMC_E_INTERRUPTED;
    return is_good && sum == check->crc ? GMC_OK : GMC_E_IO;
}

static void free_checks(gmc_h5 *h5)
{
    for (int i = 0; i < h5->check_count; i++)
        free(h5->checks[i].name);
    free(h5->checks);
    h5->checks = NULL;
    h5->check_count = h5->check_capacity = 0;
}

static gmc_status verify_all(gmc_h5 *h5, bool (*is_stopped)(const void *context),
                             const void *context)
{
    h5_silence(h5);
    hid_t access = h5_access_list();
    hid_t file = access >= 0 ? H5Fopen(h5->path, H5F_ACC_RDONLY, access) : H5I_INVALID_HID;
    if (file < 0) (void)h5_explain_lock(h5);
    if (access >= 0) H5Pclose(access);
    gmc_status status = file >= 0 ? GMC_OK : GMC_E_IO;
    const char *bad = "the file";
    for (int i = 0; i < h5->check_count && status == GMC_OK; i++) {
        bad = h5->checks[i].name;
        status = verify_one(file, &h5->checks[i], is_stopped, context);
    }
    if (file >= 0) H5Fclose(file);
    speak_again(h5);
    if (status == GMC_E_IO) {
        gmc_source source = {.file = h5->path};
        gmc_diagnostics_add(h5->messages, status, source, "is the disk full or failing?",
                            "%s does not read back as it was written", bad);
    }
    return status;
}

gmc_status gmc_h5_verify(gmc_h5 *h5, gmc_status status, bool (*is_stopped)(const void *context),
                         const void *context)
{
    if (status == GMC_OK) status = verify_all(h5, is_stopped, context);
    free_checks(h5);
    return status;
}

// ==== reading, what the two sides say ====

// Questions about a result file and their answers, between the side that asks and the one that has
// the file open in a process of its own.
//
// A question: how it is (gmc_h5_wire_question), what it asks for. An answer: how it is, messages
// (status, text, hint each), what was found; rows behind it as they are.

typedef enum gmc_h5_wire_asked {
    GMC_H5_WIRE_TEXTS,  ///< object, attribute -> piece, count; the block is the payload
    GMC_H5_WIRE_NUMBER, ///< object, attribute, is it real? -> its 8 bytes
    GMC_H5_WIRE_HAS,    ///< object, attribute -> is it there?
    GMC_H5_WIRE_TABLE,  ///< name, count, (name, kind) each -> handle, rows, row_bytes, text_bytes
    GMC_H5_WIRE_ARRAY,  ///< name, kind, columns -> handle, rows, row_bytes
    GMC_H5_WIRE_TEXT,   ///< name of a scalar text -> handle, rows (1), row_bytes
    GMC_H5_WIRE_ROWS,   ///< handle, first, count; the rows are the payload
    GMC_H5_WIRE_CLOSE,  ///< handle
    GMC_H5_WIRE_FIELDS, ///< table, first -> count, (name, kind) each
    GMC_H5_WIRE_HAS_FIELD, ///< table, field -> is it there?
} gmc_h5_wire_asked;

typedef struct gmc_h5_wire_question {
    uint32_t asked;
    uint32_t bytes; ///< of the packet that follows
} gmc_h5_wire_question;

typedef struct gmc_h5_wire_answer {
    uint32_t status;  ///< gmc_status
    uint32_t bytes;   ///< of the packet that follows
    uint64_t payload; ///< bytes behind that
} gmc_h5_wire_answer;

/// Bytes that grow while they are written, and are then read from the start.
typedef struct gmc_h5_packet {
    unsigned char *bytes;
    size_t size, capacity, at;
    bool is_broken; ///< no memory; or read beyond its end
} gmc_h5_packet;

/// Room for `bytes` to be read from the start; false: no memory.
static bool h5_packet_room(gmc_h5_packet *p, size_t bytes)
{
    if (bytes > p->capacity) {
        size_t capacity = bytes + bytes / 2 + 64;
        unsigned char *grown = realloc(p->bytes, capacity);
        p->is_broken = p->is_broken || !grown;
        if (!grown) return false;
        p->bytes = grown;
        p->capacity = capacity;
    }
    p->at = 0;
    p->size = bytes;
    return true;
}

/// Room for more at the end.
static unsigned char *extend(gmc_h5_packet *p, size_t bytes)
{
    size_t size = p->size;
    if (p->is_broken || !h5_packet_room(p, size + bytes)) return NULL;
    return p->bytes + size;
}

static void h5_packet_u64(gmc_h5_packet *p, uint64_t value)
{
    unsigned char *to = extend(p, 8);
    if (to) gmc_bytes_put_u64(to, value);
}

static void h5_packet_text(gmc_h5_packet *p, const char *text)
{
    size_t bytes = strlen(text) + 1;
    h5_packet_u64(p, bytes);
    unsigned char *to = extend(p, bytes);
    if (to) memcpy(to, text, bytes);
}

static uint64_t h5_packet_take_u64(gmc_h5_packet *p)
{
    if (p->is_broken || p->size - p->at < 8) {
        p->is_broken = true;
        return 0;
    }
    p->at += 8;
    return gmc_bytes_u64(p->bytes + p->at - 8);
}

static const char *h5_packet_take_text(gmc_h5_packet *p)
{
    uint64_t bytes = h5_packet_take_u64(p);
    if (p->is_broken || bytes == 0 || bytes > p->size - p->at || p->bytes[p->at + bytes - 1] != 0) {
        p->is_broken = true;
        return "";
    }
    p->at += bytes;
    return (const char *)p->bytes + p->at - bytes;
}

static void h5_packet_free(gmc_h5_packet *p)
{
    free(p->bytes);
    *p = (gmc_h5_packet){0};
}

// ==== reading, the side that has the file open ====

// It runs in a process of its own, because HDF5 itself breaks on metadata that somebody damaged or
// made up; see SECURITY.md. Raw data does not pass through the library (raw.h), and types are
// compared with what is written above before anything is read, so that nothing is ever converted.
//
// A dataset stays open once it was asked for, with the chunk that was unpacked last: trials are
// read one by one, many to a chunk.

enum { KEPT_MAX = 64, TEXT_FIELD_MAX = 1 << 20 };

/// A dataset that is open.
typedef struct opened {
    char *name; ///< NULL: the place is free
    gmc_raw raw;
    uint64_t rows, columns; ///< columns: 1 for one dimension
    size_t row_bytes;       ///< in the file
    int user_count;
    unsigned char *chunk; ///< the one that was unpacked last
    uint64_t chunk_index;
    bool has_chunk;
} opened;

typedef struct rows_piece {
    size_t offset, bytes; ///< in a row of the file
} rows_piece;

/// What somebody reads of a dataset.
typedef struct view {
    int set;            ///< < 0: the place is free
    rows_piece *pieces; ///< NULL: rows as they are
    int piece_count;
    size_t row_bytes; ///< as they are handed out
} view;

typedef struct served {
    gmc_h5 h5; ///< id, path, messages
    gmc_diagnostics messages;
    int file; ///< of the library
    uint64_t bytes;
    opened *sets;
    int set_count, set_capacity;
    view *views;
    int view_count, view_capacity;
    gmc_h5_packet told; ///< the start of an answer
    unsigned char *payload;
    size_t payload_bytes, payload_capacity;
} served;

static gmc_status refuse_so(served *f, const char *object, const char *what, const char *hint)
{
    gmc_source source = {.file = f->h5.path};
    int number = h5_errno(); // the disk is to blame, not the file
    if (number != 0) {
        gmc_diagnostics_add(&f->messages, GMC_E_IO, source, NULL, "cannot read %s: %s", object,
                            strerror(number));
        return GMC_E_IO;
    }
    gmc_diagnostics_add(&f->messages, GMC_E_INPUT, source, hint, "%s: %s", object, what);
    return GMC_E_INPUT;
}

static gmc_status refuse(served *f, const char *object, const char *what)
{
    return refuse_so(f, object, what, NULL);
}

/// What raw.h found wrong.
static gmc_status refuse_raw(served *f, const char *object, const char *why)
{
    char hint[4200];
    return why == gmc_raw_no_memory
               ? GMC_E_MEMORY
               : refuse_so(f, object, why, gmc_raw_hint(why, f->h5.path, hint, sizeof hint));
}

/// @param why  what is wrong with the object; NULL: nothing
static gmc_status refuse_attribute(served *f, const char *object, const char *name, const char *why)
{
    char what[200];
    if (why) return refuse(f, object, why);
    snprintf(what, sizeof what, "serve_attribute %.80s is missing, or not what it should be", name);
    return refuse(f, object, what);
}

/// Room for what goes behind the answer.
static unsigned char *payload(served *f, uint64_t bytes)
{
    if (bytes > f->payload_capacity) {
        free(f->payload);
        f->payload = malloc((size_t)bytes);
        f->payload_capacity = f->payload ? (size_t)bytes : 0;
        if (!f->payload) return NULL;
    }
    f->payload_bytes = (size_t)bytes;
    return f->payload;
}

// ---- attributes ----

typedef struct serve_attribute {
    hid_t object, id, type, space;
    uint64_t count;
    const char *why; ///< what is wrong with the object; NULL: nothing
} serve_attribute;

static void attribute_close(serve_attribute *a)
{
    if (a->space >= 0) H5Sclose(a->space);
    if (a->type >= 0) H5Tclose(a->type);
    if (a->id >= 0) H5Aclose(a->id);
    if (a->object >= 0) H5Oclose(a->object);
}

static bool attribute_open(served *f, const char *object, const char *name, serve_attribute *a)
{
    *a = (serve_attribute){
        H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0, NULL};
    a->object = gmc_raw_object(f->h5.id, object, &a->why);
    if (a->object >= 0) a->id = H5Aopen(a->object, name, H5P_DEFAULT);
    if (a->id < 0) return false;
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    hssize_t count = a->space >= 0 ? H5Sget_simple_extent_npoints(a->space) : -1;
    a->count = count > 0 ? (uint64_t)count : 0;
    return a->type >= 0 && count >= 0;
}

static bool is_type(hid_t type, hid_t own) { return own >= 0 && H5Tequal(type, own) > 0; }

/// Bytes of a text type as we write it, 0 if it is something else.
static size_t text_bytes(hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    size_t bytes = H5Tget_size(type);
    hid_t own = h5_type_text(bytes);
    bool is_ours = is_type(type, own);
    if (own >= 0) H5Tclose(own);
    return is_ours ? bytes : 0;
}

static gmc_status serve_texts(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = h5_packet_take_text(question);
    const char *name = h5_packet_take_text(question);
    serve_attribute a;
    size_t piece_bytes = attribute_open(f, object, name, &a) ? text_bytes(a.type) : 0;
    gmc_status status = GMC_OK;
    // attributes are at most 64 KiB in the file, so no size here can be a trap
    bool is_good = piece_bytes > 0 && piece_bytes <= 65536 && a.count <= 65536 &&
                   H5Aget_storage_size(a.id) == a.count * piece_bytes;
    unsigned char *block = is_good ? payload(f, a.count * piece_bytes) : NULL;
    if (is_good && a.count > 0 && !block)
        status = GMC_E_MEMORY;
    else if (!is_good || (a.count > 0 && H5Aread(a.id, a.type, block) < 0))
        status = refuse_attribute(f, object, name, a.why);
    h5_packet_u64(answer, piece_bytes);
    h5_packet_u64(answer, a.count);
    attribute_close(&a);
    return status;
}

static gmc_status serve_number(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = h5_packet_take_text(question);
    const char *name = h5_packet_take_text(question);
    hid_t own = h5_packet_take_u64(question) ? H5T_IEEE_F64LE : H5T_STD_U64LE;
    unsigned char bytes[8] = {0};
    serve_attribute a;
    bool is_good = attribute_open(f, object, name, &a) && a.count == 1 && is_type(a.type, own) &&
                   H5Aget_storage_size(a.id) == sizeof bytes && H5Aread(a.id, own, bytes) >= 0;
    gmc_status status = is_good ? GMC_OK : refuse_attribute(f, object, name, a.why);
    attribute_close(&a);
    h5_packet_u64(answer, gmc_bytes_u64(bytes));
    return status;
}

static gmc_status serve_has(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = h5_packet_take_text(question);
    const char *name = h5_packet_take_text(question);
    const char *why;
    hid_t id = gmc_raw_object(f->h5.id, object, &why);
    htri_t found = id >= 0 ? H5Aexists(id, name) : -1;
    gmc_status status = found < 0 ? refuse_attribute(f, object, name, why) : GMC_OK;
    if (id >= 0) H5Oclose(id);
    h5_packet_u64(answer, found > 0);
    return status;
}

// ---- datasets ----

static void set_close(opened *s)
{
    if (!s->name) return;
    gmc_raw_close(&s->raw);
    free(s->chunk);
    free(s->name);
    *s = (opened){0};
}

/// Are the chunks as h5_stream_chunk_rows has them?
static bool chunks_fit(const opened *s)
{
    const gmc_raw *r = &s->raw;
    if (!r->is_chunked) return true;
    if (r->filter_count != GMC_RAW_FILTERS_MAX || r->rank > 2) return false;
    return (r->rank == 1 || r->chunk[1] == s->columns) &&
           r->chunk[0] <= h5_stream_chunk_rows(s->row_bytes, s->rows);
}

/// A free place in the list of datasets, < 0: no memory.
static int set_place(served *f)
{
    for (int i = 0; i < f->set_count; i++)
        if (!f->sets[i].name) return i;
    opened *sets = gmc_list_room(f->sets, f->set_count, &f->set_capacity, sizeof *sets);
    if (!sets) return -1;
    f->sets = sets;
    f->sets[f->set_count] = (opened){0};
    return f->set_count++;
}

static gmc_status set_open(served *f, const char *name, int *index)
{
    for (int i = 0; i < f->set_count; i++) {
        *index = i;
        if (f->sets[i].name && strcmp(f->sets[i].name, name) == 0) return GMC_OK;
    }
    *index = set_place(f);
    if (*index < 0) return GMC_E_MEMORY;
    opened *s = &f->sets[*index];
    s->name = strdup(name);
    if (!s->name) return GMC_E_MEMORY;
    gmc_raw *r = &s->raw;
    const char *why = gmc_raw_open(f->h5.id, name, f->bytes, r);
    if (!why) {
        s->rows = r->rank > 0 ? r->shape[0] : 1;
        s->columns = r->rank > 1 ? r->shape[1] : 1;
        bool is_sane = r->rank <= 2 && s->columns <= GMC_H5_READ_MAX / r->type_bytes;
        s->row_bytes = is_sane ? r->type_bytes * (size_t)s->columns : 0;
        if (!is_sane || !chunks_fit(s)) why = gmc_raw_other_way;
    }
    if (!why) return GMC_OK;
    gmc_status status = refuse_raw(f, name, why);
    set_close(s);
    return status;
}

/// Is `type` what we write for this kind? Texts: any fixed size, which is taken over.
static bool is_kind(hid_t type, gmc_h5_field *field)
{
    if (field->kind == GMC_H5_TEXT) {
        field->text_bytes = text_bytes(type);
        return field->text_bytes > 0 && field->text_bytes <= TEXT_FIELD_MAX;
    }
    // enumerations grow at their end: the values of an older file mean the same
    if (field->kind == GMC_H5_OUTCOME || field->kind == GMC_H5_REASON) {
        hid_t base = H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID;
        bool is_ours = base >= 0 && is_type(base, H5T_STD_U8LE) && H5Tget_size(type) == 1;
        if (base >= 0) H5Tclose(base);
        return is_ours;
    }
    hid_t own = h5_type_field(field);
    bool is_ours = is_type(type, own);
    if (own >= 0) H5Tclose(own);
    return is_ours;
}

static gmc_status view_open(served *f, int set, int *index)
{
    *index = 0;
    while (*index < f->view_count && f->views[*index].set >= 0)
        (*index)++;
    if (*index == f->view_count) {
        view *views = gmc_list_room(f->views, f->view_count, &f->view_capacity, sizeof *views);
        if (!views) return GMC_E_MEMORY;
        f->views = views;
        f->view_count++;
    }
    f->views[*index] = (view){.set = set, .row_bytes = f->sets[set].row_bytes};
    f->sets[set].user_count++;
    return GMC_OK;
}

static void view_close(served *f, uint64_t index)
{
    if (index >= (uint64_t)f->view_count || f->views[index].set < 0) return;
    view *v = &f->views[index];
    opened *s = &f->sets[v->set];
    if (--s->user_count == 0 && v->set >= KEPT_MAX) set_close(s);
    free(v->pieces);
    *v = (view){.set = -1};
}

static void answer_view(const served *f, int index, gmc_h5_packet *answer)
{
    const view *v = &f->views[index];
    h5_packet_u64(answer, (uint64_t)index);
    h5_packet_u64(answer, f->sets[v->set].rows);
    h5_packet_u64(answer, f->sets[v->set].columns);
    h5_packet_u64(answer, v->row_bytes);
}

/// Where a field lies in the rows of a table. @return false: it is not what it should be
static bool find_field(const gmc_raw *table, gmc_h5_field *field, rows_piece *found)
{
    int index = H5Tget_member_index(table->type, field->name);
    hid_t type = index >= 0 ? H5Tget_member_type(table->type, (unsigned)index) : H5I_INVALID_HID;
    bool is_good = type >= 0 && is_kind(type, field);
    if (is_good) {
        found->bytes = gmc_h5_type_bytes(field);
        found->offset = H5Tget_member_offset(table->type, (unsigned)index);
        is_good = H5Tget_size(type) == found->bytes && found->offset <= table->type_bytes &&
                  found->bytes <= table->type_bytes - found->offset;
    }
    if (type >= 0) H5Tclose(type);
    return is_good;
}

static bool is_table(const opened *s)
{
    return s->raw.rank == 1 && H5Tget_class(s->raw.type) == H5T_COMPOUND;
}

static gmc_status find_fields(served *f, int index, gmc_h5_packet *question, uint64_t count,
                              gmc_h5_packet *answer)
{
    view *v = &f->views[index];
    const opened *s = &f->sets[v->set];
    v->pieces = calloc((size_t)count + 1, sizeof *v->pieces);
    size_t *texts = calloc((size_t)count + 1, sizeof *texts);
    gmc_status status = v->pieces && texts ? GMC_OK : GMC_E_MEMORY;
    v->row_bytes = 0;
    for (uint64_t i = 0; i < count && status == GMC_OK; i++) {
        gmc_h5_field field = {.name = h5_packet_take_text(question)};
        field.kind = (gmc_h5_kind)h5_packet_take_u64(question);
        if (!find_field(&s->raw, &field, &v->pieces[i])) {
            char what[200];
            snprintf(what, sizeof what, "column %.100s is missing, or of another type", field.name);
            status = refuse(f, s->name, what);
        }
        v->row_bytes += v->pieces[i].bytes;
        texts[i] = field.text_bytes;
    }
    v->piece_count = (int)count;
    answer_view(f, index, answer);
    for (uint64_t i = 0; i < count && status == GMC_OK; i++)
        h5_packet_u64(answer, texts[i]);
    free(texts);
    return status;
}

static gmc_status serve_table(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = h5_packet_take_text(question);
    uint64_t count = h5_packet_take_u64(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    if (!is_table(&f->sets[set])) return refuse(f, name, "not a table");
    GMC_TRY(view_open(f, set, &index));
    gmc_status status = find_fields(f, index, question, count, answer);
    if (status != GMC_OK) view_close(f, (uint64_t)index);
    return status;
}

static gmc_status serve_array(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = h5_packet_take_text(question);
    gmc_h5_field field = {.kind = (gmc_h5_kind)h5_packet_take_u64(question)};
    uint64_t columns = h5_packet_take_u64(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    bool is_vector = columns == GMC_H5_VECTOR;
    if (s->raw.rank != (is_vector ? 1 : 2) || (!is_vector && s->columns != columns))
        return refuse(f, name, "has another shape");
    if (!is_kind(s->raw.type, &field)) return refuse(f, name, "has another type");
    GMC_TRY(view_open(f, set, &index));
    answer_view(f, index, answer);
    return GMC_OK;
}

static gmc_status serve_text(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = h5_packet_take_text(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    if (s->raw.rank != 0 || text_bytes(s->raw.type) == 0) return refuse(f, name, "not a text");
    GMC_TRY(view_open(f, set, &index));
    answer_view(f, index, answer);
    return GMC_OK;
}

// ---- rows ----

/// Rows of the file to rows as they are handed out.
static void put_rows(const view *v, const unsigned char *rows, uint64_t count, size_t row_bytes,
                     unsigned char *to)
{
    if (!v->pieces) {
        memcpy(to, rows, (size_t)count * row_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        for (int k = 0; k < v->piece_count; k++) {
            memcpy(to, rows + i * row_bytes + v->pieces[k].offset, v->pieces[k].bytes);
            to += v->pieces[k].bytes;
        }
}

static gmc_status read_contiguous(served *f, const view *v, const opened *s, uint64_t first,
                                  uint64_t count, unsigned char *to)
{
    uint64_t bytes = count * s->row_bytes;
    unsigned char *rows = v->pieces ? malloc((size_t)bytes) : to;
    if (!rows) return GMC_E_MEMORY;
    gmc_status status = GMC_OK;
    ssize_t got =
        gmc_file_read_at(f->file, rows, (size_t)bytes, s->raw.offset + first * s->row_bytes);
    if (got < 0)
        status = gmc_file_complain(&f->messages, GMC_E_IO, f->h5.path, "cannot read", errno);
    else if ((uint64_t)got != bytes)
        status = refuse(f, s->name, "cannot be read: the file is cut short");
    else if (v->pieces)
        put_rows(v, rows, count, s->row_bytes, to);
    if (v->pieces) free(rows);
    return status;
}

/// Unpack the chunk, unless it is the last one that was.
static gmc_status set_chunk(served *f, opened *s, uint64_t index)
{
    if (s->has_chunk && s->chunk_index == index) return GMC_OK;
    if (!s->chunk && !(s->chunk = malloc(s->raw.chunk_bytes))) return GMC_E_MEMORY;
    const hsize_t start[GMC_RAW_RANK_MAX] = {index * s->raw.chunk[0]};
    const char *why = gmc_raw_chunk(&s->raw, start, s->chunk);
    s->has_chunk = !why;
    s->chunk_index = index;
    return why ? refuse_raw(f, s->name, why) : GMC_OK;
}

static gmc_status read_chunked(served *f, const view *v, opened *s, uint64_t first, uint64_t count,
                               unsigned char *to)
{
    uint64_t chunk_rows = s->raw.chunk[0];
    for (uint64_t done = 0; done < count;) {
        uint64_t at = (first + done) % chunk_rows, left = count - done;
        uint64_t n = left < chunk_rows - at ? left : chunk_rows - at;
        GMC_TRY(set_chunk(f, s, (first + done) / chunk_rows));
        put_rows(v, s->chunk + at * s->row_bytes, n, s->row_bytes, to + done * v->row_bytes);
        done += n;
    }
    return GMC_OK;
}

static gmc_status serve_rows(served *f, gmc_h5_packet *question)
{
    uint64_t index = h5_packet_take_u64(question);
    uint64_t first = h5_packet_take_u64(question), count = h5_packet_take_u64(question);
    if (index >= (uint64_t)f->view_count || f->views[index].set < 0) return GMC_E_LIBRARY;
    const view *v = &f->views[index];
    opened *s = &f->sets[v->set];
    if (first > s->rows || count > s->rows - first)
        return refuse(f, s->name, "has fewer rows than it should");
    unsigned char *to = payload(f, count * v->row_bytes);
    if (!to) return GMC_E_MEMORY;
    gmc_status status = s->raw.is_chunked ? read_chunked(f, v, s, first, count, to)
                                          : read_contiguous(f, v, s, first, count, to);
    if (status != GMC_OK) f->payload_bytes = 0;
    return status;
}

// ---- columns ----

/// Kind of a number as we write it; false for any other type.
static bool number_kind(hid_t type, gmc_h5_kind *kind)
{
    static const gmc_h5_kind kinds[] = {GMC_H5_F64, GMC_H5_I64, GMC_H5_U8,
                                        GMC_H5_U32, GMC_H5_U64, GMC_H5_I32};
    for (int i = 0; i < GMC_COUNT(kinds); i++) {
        gmc_h5_field field = {.kind = kinds[i]};
        *kind = kinds[i];
        if (is_kind(type, &field)) return true;
    }
    return false;
}

static bool answer_field(hid_t table, unsigned index, gmc_h5_packet *answer)
{
    gmc_h5_kind kind;
    char *name = H5Tget_member_name(table, index);
    hid_t member = H5Tget_member_type(table, index);
    bool is_good = name && member >= 0 && number_kind(member, &kind);
    if (is_good) {
        h5_packet_text(answer, name);
        h5_packet_u64(answer, (uint64_t)kind);
    }
    if (member >= 0) H5Tclose(member);
    if (name) H5free_memory(name);
    return is_good;
}

static gmc_status serve_fields(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = h5_packet_take_text(question);
    uint64_t from = h5_packet_take_u64(question);
    int set;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    int total = is_table(s) ? H5Tget_nmembers(s->raw.type) : 0;
    if (total < 0 || (uint64_t)total < from) return refuse(f, name, "lacks columns");
    h5_packet_u64(answer, (uint64_t)total - from);
    for (unsigned i = (unsigned)from; i < (unsigned)total; i++)
        if (!answer_field(s->raw.type, i, answer))
            return refuse(f, name, "has a column of a foreign type");
    return GMC_OK;
}

static gmc_status serve_has_field(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = h5_packet_take_text(question);
    const char *field = h5_packet_take_text(question);
    int set;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    h5_packet_u64(answer, is_table(s) && H5Tget_member_index(s->raw.type, field) >= 0);
    return GMC_OK;
}

// ---- the process ----

static gmc_status serve_one(served *f, gmc_h5_wire_asked asked, gmc_h5_packet *question,
                            gmc_h5_packet *answer)
{
    switch (asked) {
    case GMC_H5_WIRE_TEXTS:
        return serve_texts(f, question, answer);
    case GMC_H5_WIRE_NUMBER:
        return serve_number(f, question, answer);
    case GMC_H5_WIRE_HAS:
        return serve_has(f, question, answer);
    case GMC_H5_WIRE_TABLE:
        return serve_table(f, question, answer);
    case GMC_H5_WIRE_ARRAY:
        return serve_array(f, question, answer);
    case GMC_H5_WIRE_TEXT:
        return serve_text(f, question, answer);
    case GMC_H5_WIRE_ROWS:
        return serve_rows(f, question);
    case GMC_H5_WIRE_CLOSE:
        view_close(f, h5_packet_take_u64(question));
        return GMC_OK;
    case GMC_H5_WIRE_FIELDS:
        return serve_fields(f, question, answer);
    case GMC_H5_WIRE_HAS_FIELD:
        return serve_has_field(f, question, answer);
    }
    return GMC_E_LIBRARY;
}

/// Messages first, then what was found.
static bool put_answer(served *f, int socket, gmc_status status, const gmc_h5_packet *found)
{
    gmc_h5_packet *packet = &f->told;
    packet->size = packet->at = 0;
    packet->is_broken = false;
    h5_packet_u64(packet, (uint64_t)f->messages.count);
    for (int i = 0; i < f->messages.count; i++) {
        const gmc_diagnostic *item = &f->messages.items[i];
        h5_packet_u64(packet, (uint64_t)item->status);
        h5_packet_text(packet, item->message);
        h5_packet_text(packet, item->hint ? item->hint : "");
    }
    if (packet->is_broken || found->is_broken || f->messages.dropped > 0) status = GMC_E_MEMORY;
    bool is_good = status == GMC_OK;
    const gmc_h5_wire_answer head = {.status = (uint32_t)status,
                                     .bytes =
                                         (uint32_t)(packet->size + (is_good ? found->size : 0)),
                                     .payload = is_good ? f->payload_bytes : 0};
    bool is_put = gmc_apart_put_both(socket, &head, sizeof head, packet->bytes, packet->size) &&
                  (!is_good || gmc_apart_put_both(socket, found->bytes, found->size, f->payload,
                                                  (size_t)head.payload));
    gmc_diagnostics_free(&f->messages);
    f->messages = (gmc_diagnostics){0};
    f->payload_bytes = 0;
    return is_put;
}

// A scenario taken for its result, told by its first lines.
static bool is_scenario(const char *path)
{
    char text[4097] = "\n";
    FILE *in = gmc_file_open(path);
    size_t size = in ? fread(text + 1, 1, sizeof text - 2, in) : 0;
    if (in) fclose(in);
    text[1 + size] = 0;
    return strstr(text, "\ngraspmc:") != NULL;
}

static gmc_status open_file(served *f)
{
    h5_silence(&f->h5);
    hid_t list = h5_access_list();
    if (list >= 0 && H5Pset_fapl_sec2(list) >= 0)
        f->h5.id = H5Fopen(f->h5.path, H5F_ACC_RDONLY, list);
    if (f->h5.id < 0) {
        GMC_TRY(h5_explain_lock(&f->h5));
        if (is_scenario(f->h5.path)) {
            gmc_diagnostics_add(&f->messages, GMC_E_INPUT, (gmc_source){.file = f->h5.path},
                                "graspmc run SCENARIO -o RESULT makes one",
                                "this is a scenario, not a result");
            return GMC_E_INPUT;
        }
        return refuse(f, "/", "this is not a whole HDF5 file");
    }
    void *file = NULL;
    struct stat info;
    if (H5Fget_vfd_handle(f->h5.id, list, &file) < 0 || fstat(*(int *)file, &info) != 0)
        return refuse(f, "/", "this is not a whole HDF5 file");
    f->file = *(int *)file;
    f->bytes = (uint64_t)info.st_size;
    return GMC_OK;
}

/// @return false: nobody asks any more. Without memory for it the question is broken
static bool take_question(int socket, size_t bytes, gmc_h5_packet *question)
{
    unsigned char lost[256];
    question->is_broken = false;
    if (h5_packet_room(question, bytes)) return gmc_apart_get(socket, question->bytes, bytes);
    for (size_t left = bytes; left > 0;) {
        size_t part = left < sizeof lost ? left : sizeof lost;
        if (!gmc_apart_get(socket, lost, part)) return false;
        left -= part;
    }
    return true;
}

/// Answer questions about the file at `path` (char *) until nobody asks (gmc_apart_serve); the
/// first answer says whether it is open.
static void h5_serve(void *path, int socket)
{
    enum { SMALL_QUESTION = 256 }; // one that closes finds room, for it has no answer
    served f = {.h5 = {.id = H5I_INVALID_HID, .file = -1, .path = path, .messages = &f.messages}};
    gmc_h5_packet question = {0}, answer = {0};
    gmc_status status = h5_packet_room(&question, SMALL_QUESTION) ? open_file(&f) : GMC_E_MEMORY;
    bool goes_on = put_answer(&f, socket, status, &answer) && status == GMC_OK;
    gmc_h5_wire_question head;
    uint64_t until_s = 0;
    while (goes_on && gmc_apart_get(socket, &head, sizeof head) &&
           take_question(socket, head.bytes, &question)) {
        gmc_apart_begin(&until_s);
        answer.size = answer.at = 0;
        answer.is_broken = false;
        status = question.is_broken
                     ? GMC_E_MEMORY
                     : serve_one(&f, (gmc_h5_wire_asked)head.asked, &question, &answer);
        if (head.asked != GMC_H5_WIRE_CLOSE) goes_on = put_answer(&f, socket, status, &answer);
    }
}

// ==== reading, the side that asks ====

/// Bytes that are asked for at once: what one question costs is bounded by it.
enum { PART_BYTES = 1 << 22 };

gmc_status gmc_h5_read_refuse(gmc_h5_read *f, const char *object, const char *what)
{
    gmc_source source = {.file = f->path};
    gmc_diagnostics_add(f->messages, GMC_E_INPUT, source, NULL, "%s: %s", object, what);
    return GMC_E_INPUT;
}

// ---- questions and answers ----

/// The process ended in the middle of it.
static gmc_status refuse_broken(gmc_h5_read *f, const char *object)
{
    if (f->apart.how[0] == 0) return GMC_E_INPUT; // it was said
    gmc_source source = {.file = f->path};
    gmc_diagnostics_add(
        f->messages, GMC_E_INPUT, source, "the file is damaged, or was made to do harm",
        "%s: cannot be read: the HDF5 library breaks on it (%s)", object, f->apart.how);
    f->apart.how[0] = 0;
    return GMC_E_INPUT;
}

/// An answer that does not fit its question: nothing more is asked.
static gmc_status refuse_answer(gmc_h5_read *f, const char *object)
{
    gmc_apart_stop(&f->apart);
    return gmc_h5_read_refuse(f, object, "cannot be read: the file is damaged");
}

static gmc_status take_messages(gmc_h5_read *f, gmc_h5_packet *answer)
{
    uint64_t count = h5_packet_take_u64(answer);
    for (uint64_t i = 0; i < count && !answer->is_broken; i++) {
        uint64_t status = h5_packet_take_u64(answer);
        const char *message = h5_packet_take_text(answer);
        const char *hint = h5_packet_take_text(answer);
        if (answer->is_broken || status >= GMC_STATUS_COUNT) return GMC_E_INPUT;
        gmc_source source = {.file = f->path};
        gmc_diagnostics_add(f->messages, (gmc_status)status, source, *hint ? hint : NULL, "%s",
                            message);
    }
    return answer->is_broken ? GMC_E_INPUT : GMC_OK;
}

/// The answer up to its payload.
/// @param object   for messages
/// @param payload  out: bytes that follow
static gmc_status listen(gmc_h5_read *f, const char *object, gmc_h5_packet *answer,
                         uint64_t *payload)
{
    gmc_h5_wire_answer head;
    if (!gmc_apart_receive(&f->apart, &head, sizeof head)) return refuse_broken(f, object);
    if (!h5_packet_room(answer, head.bytes)) {
        gmc_apart_stop(&f->apart);
        return GMC_E_MEMORY;
    }
    if (!gmc_apart_receive(&f->apart, answer->bytes, head.bytes)) return refuse_broken(f, object);
    if (head.status == GMC_E_MEMORY) return GMC_E_MEMORY; // its messages may have found none, too
    if (take_messages(f, answer) != GMC_OK || head.status >= GMC_STATUS_COUNT)
        return refuse_answer(f, object);
    *payload = head.payload;
    return (gmc_status)head.status;
}

/// Ask; frees the question.
static gmc_status ask(gmc_h5_read *f, gmc_h5_wire_asked asked, const char *object,
                      gmc_h5_packet *question, gmc_h5_packet *answer, uint64_t *payload)
{
    const gmc_h5_wire_question head = {.asked = (uint32_t)asked, .bytes = (uint32_t)question->size};
    gmc_status status = question->is_broken ? GMC_E_MEMORY : GMC_OK;
    if (status == GMC_OK && (f->apart.socket < 0 || f->apart.process == 0)) status = GMC_E_INPUT;
    if (status == GMC_OK &&
        !gmc_apart_send_both(&f->apart, &head, sizeof head, question->bytes, question->size))
        status = refuse_broken(f, object);
    h5_packet_free(question);
    return status == GMC_OK ? listen(f, object, answer, payload) : status;
}

/// Ask for what fits into the answer itself.
static gmc_status ask_small(gmc_h5_read *f, gmc_h5_wire_asked asked, const char *object,
                            gmc_h5_packet *question, gmc_h5_packet *answer)
{
    uint64_t payload = 0;
    GMC_TRY(ask(f, asked, object, question, answer, &payload));
    return payload == 0 ? GMC_OK : refuse_answer(f, object);
}

static gmc_h5_packet name_of(const char *object, const char *name)
{
    gmc_h5_packet question = {0};
    h5_packet_text(&question, object);
    if (name) h5_packet_text(&question, name);
    return question;
}

// ---- the file ----

/// Is it there, and a file? A pipe would be waited for.
static gmc_status look(gmc_h5_read *f)
{
    struct stat info;
    gmc_source source = {.file = f->path};
    if (access(f->path, R_OK) != 0 || stat(f->path, &info) != 0) {
        gmc_diagnostics_add(f->messages, GMC_E_MISSING, source, NULL, "cannot open: %s",
                            strerror(errno));
        return GMC_E_MISSING;
    }
    if (!S_ISREG(info.st_mode)) {
        gmc_diagnostics_add(f->messages, GMC_E_INPUT, source, NULL, "this is not a regular file");
        return GMC_E_INPUT;
    }
    f->bytes = (uint64_t)info.st_size;
    return GMC_OK;
}

gmc_status gmc_h5_read_open(const char *path, gmc_diagnostics *messages, gmc_h5_read *f)
{
    *f = (gmc_h5_read){.path = path, .messages = messages, .apart = {.socket = -1}};
    GMC_TRY(look(f));
    int error = 0;
    if (gmc_apart_start(h5_serve, (void *)(uintptr_t)path, &f->apart, &error) != GMC_OK) {
        gmc_diagnostics_add(messages, GMC_E_LIBRARY, (gmc_source){.file = path}, NULL,
                            "cannot be read: there is no process to be had for it: %s",
                            strerror(error));
        return GMC_E_LIBRARY;
    }
    f->is_open = true;
    gmc_h5_packet answer = {0};
    uint64_t payload;
    gmc_status status = listen(f, "/", &answer, &payload);
    h5_packet_free(&answer);
    if (status != GMC_OK) gmc_h5_read_close(f);
    return status;
}

void gmc_h5_read_close(gmc_h5_read *f)
{
    if (f->is_open) gmc_apart_stop(&f->apart);
    f->is_open = false;
    for (int i = 0; i < f->kept_count; i++)
        free(f->kept[i].name);
    f->kept_count = 0;
}

// ---- attributes ----

static gmc_status read_refuse_attribute(gmc_h5_read *f, const char *object, const char *name)
{
    char what[200];
    snprintf(what, sizeof what, "attribute %.80s is missing, or not what it should be", name);
    return gmc_h5_read_refuse(f, object, what);
}

gmc_status gmc_h5_read_texts(gmc_h5_read *f, const char *object, const char *name, char **block,
                             size_t *piece, int *count)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    uint64_t payload = 0;
    *block = NULL;
    gmc_status status = ask(f, GMC_H5_WIRE_TEXTS, object, &question, &answer, &payload);
    *piece = (size_t)h5_packet_take_u64(&answer);
    uint64_t texts = h5_packet_take_u64(&answer);
    *count = (int)texts;
    // attributes are at most 64 KiB in the file
    if (status == GMC_OK && (answer.is_broken || *piece == 0 || *piece > 65536 || texts > 65536 ||
                             payload != texts * *piece))
        status = refuse_answer(f, object);
    h5_packet_free(&answer);
    GMC_TRY(status);
    *block = calloc((size_t)texts + 1, *piece);
    if (!*block) {
        gmc_apart_stop(&f->apart); // its answer is still under way
        return GMC_E_MEMORY;
    }
    if (gmc_apart_receive(&f->apart, *block, (size_t)payload)) return GMC_OK;
    free(*block);
    *block = NULL;
    return refuse_broken(f, object);
}

gmc_status gmc_h5_read_has(gmc_h5_read *f, const char *object, const char *name, bool *is_there)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    gmc_status status = ask_small(f, GMC_H5_WIRE_HAS, object, &question, &answer);
    *is_there = status == GMC_OK && h5_packet_take_u64(&answer) != 0;
    h5_packet_free(&answer);
    return status;
}

gmc_status gmc_h5_read_text(gmc_h5_read *f, const char *object, const char *name,
                            const char *fallback, char **text)
{
    bool is_there = true;
    *text = NULL;
    if (fallback) GMC_TRY(gmc_h5_read_has(f, object, name, &is_there));
    if (!is_there) {
        *text = strdup(fallback);
        return *text ? GMC_OK : GMC_E_MEMORY;
    }
    size_t piece;
    int count;
    GMC_TRY(gmc_h5_read_texts(f, object, name, text, &piece, &count)); // room for one zero behind
    if (count == 1) return GMC_OK;
    free(*text);
    *text = NULL;
    return read_refuse_attribute(f, object, name);
}

static gmc_status read_number(gmc_h5_read *f, const char *object, const char *name, bool is_real,
                              uint64_t *bits)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    h5_packet_u64(&question, is_real);
    gmc_status status = ask_small(f, GMC_H5_WIRE_NUMBER, object, &question, &answer);
    *bits = status == GMC_OK ? h5_packet_take_u64(&answer) : 0;
    h5_packet_free(&answer);
    return status;
}

gmc_status gmc_h5_read_u64(gmc_h5_read *f, const char *object, const char *name, uint64_t *value)
{
    return read_number(f, object, name, false, value);
}

gmc_status gmc_h5_read_f64(gmc_h5_read *f, const char *object, const char *name, double *value)
{
    uint64_t bits;
    unsigned char bytes[8];
    GMC_TRY(read_number(f, object, name, true, &bits));
    gmc_bytes_put_u64(bytes, bits);
    *value = gmc_bytes_f64(bytes);
    return GMC_OK;
}

// ---- datasets ----

/// Ask for a dataset; the answer goes on with what the kind of question adds.
static gmc_status rows_open(gmc_h5_read *f, gmc_h5_wire_asked asked, gmc_h5_packet *question,
                            const char *name, gmc_h5_packet *answer, gmc_h5_rows *r)
{
    *r = (gmc_h5_rows){0};
    GMC_TRY(ask_small(f, asked, name, question, answer));
    r->file = f;
    snprintf(r->name, sizeof r->name, "%s", name);
    r->handle = h5_packet_take_u64(answer);
    r->rows = h5_packet_take_u64(answer);
    r->columns = h5_packet_take_u64(answer);
    r->row_bytes = (size_t)h5_packet_take_u64(answer);
    return answer->is_broken ? refuse_answer(f, name) : GMC_OK;
}

gmc_status gmc_h5_rows_open_table(gmc_h5_read *f, const char *name, gmc_h5_field *fields,
                                  int field_count, gmc_h5_rows *r)
{
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    h5_packet_u64(&question, (uint64_t)field_count);
    for (int i = 0; i < field_count; i++) {
        h5_packet_text(&question, fields[i].name);
        h5_packet_u64(&question, (uint64_t)fields[i].kind);
    }
    gmc_status status = rows_open(f, GMC_H5_WIRE_TABLE, &question, name, &answer, r);
    size_t bytes = 0;
    for (int i = 0; i < field_count && status == GMC_OK; i++) {
        fields[i].text_bytes = (size_t)h5_packet_take_u64(&answer);
        bytes += gmc_h5_type_bytes(&fields[i]);
    }
    if (status == GMC_OK && (answer.is_broken || bytes != r->row_bytes || bytes == 0))
        status = refuse_answer(f, name);
    h5_packet_free(&answer);
    return status;
}

static bool find_kept(gmc_h5_read *f, const char *name, gmc_h5_kind kind, uint64_t columns,
                      gmc_h5_rows *r)
{
    for (int i = 0; i < f->kept_count; i++) {
        const gmc_h5_kept *k = &f->kept[i];
        if (k->kind != kind || k->asked != columns || strcmp(k->name, name) != 0) continue;
        *r = (gmc_h5_rows){.file = f,
                           .handle = k->handle,
                           .rows = k->rows,
                           .columns = k->columns,
                           .row_bytes = k->row_bytes,
                           .is_kept = true};
        snprintf(r->name, sizeof r->name, "%s", name);
        return true;
    }
    return false;
}

/// Leave it open, if there is room. No matter if it fails.
static void keep(gmc_h5_rows *r, gmc_h5_kind kind, uint64_t columns)
{
    gmc_h5_read *f = r->file;
    char *name = f->kept_count < GMC_H5_READ_KEPT ? strdup(r->name) : NULL;
    if (!name) return;
    f->kept[f->kept_count++] = (gmc_h5_kept){.name = name,
                                             .kind = kind,
                                             .asked = columns,
                                             .handle = r->handle,
                                             .rows = r->rows,
                                             .columns = r->columns,
                                             .row_bytes = r->row_bytes};
    r->is_kept = true;
}

gmc_status gmc_h5_rows_open_array(gmc_h5_read *f, const char *name, gmc_h5_kind kind,
                                  uint64_t columns, gmc_h5_rows *r)
{
    if (find_kept(f, name, kind, columns, r)) return GMC_OK;
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    h5_packet_u64(&question, (uint64_t)kind);
    h5_packet_u64(&question, columns);
    gmc_status status = rows_open(f, GMC_H5_WIRE_ARRAY, &question, name, &answer, r);
    gmc_h5_field field = {.kind = kind};
    uint64_t width = columns == GMC_H5_VECTOR ? 1 : columns;
    if (status == GMC_OK &&
        (r->columns != width || r->row_bytes != gmc_h5_type_bytes(&field) * (size_t)width))
        status = refuse_answer(f, name);
    if (status == GMC_OK) keep(r, kind, columns);
    h5_packet_free(&answer);
    return status;
}

static gmc_status read_part(gmc_h5_rows *r, uint64_t first, uint64_t count, unsigned char *bytes)
{
    gmc_h5_packet question = {0}, answer = {0};
    uint64_t payload = 0;
    h5_packet_u64(&question, r->handle);
    h5_packet_u64(&question, first);
    h5_packet_u64(&question, count);
    gmc_status status = ask(r->file, GMC_H5_WIRE_ROWS, r->name, &question, &answer, &payload);
    h5_packet_free(&answer);
    GMC_TRY(status);
    if (payload != count * r->row_bytes) return refuse_answer(r->file, r->name);
    return gmc_apart_receive(&r->file->apart, bytes, (size_t)payload)
               ? GMC_OK
               : refuse_broken(r->file, r->name);
}

gmc_status gmc_h5_rows_read(gmc_h5_rows *r, uint64_t first, uint64_t count, void *bytes)
{
    if (first > r->rows || count > r->rows - first)
        return gmc_h5_read_refuse(r->file, r->name, "has fewer rows than it should");
    if (count == 0 || r->row_bytes == 0) return GMC_OK;
    uint64_t step = PART_BYTES / r->row_bytes + 1;
    unsigned char *to = bytes;
    for (uint64_t done = 0; done < count; done += step) {
        uint64_t n = count - done < step ? count - done : step;
        GMC_TRY(read_part(r, first + done, n, to + done * r->row_bytes));
    }
    return GMC_OK;
}

void gmc_h5_rows_close(gmc_h5_rows *r)
{
    if (!r->file) return;
    if (r->is_kept) {
        *r = (gmc_h5_rows){0};
        return;
    }
    gmc_h5_packet question = {0};
    h5_packet_u64(&question, r->handle);
    const gmc_h5_wire_question head = {.asked = GMC_H5_WIRE_CLOSE,
                                       .bytes = (uint32_t)question.size};
    gmc_apart *a = &r->file->apart;
    // who cannot be told any more has nothing open
    bool is_told = !question.is_broken && a->socket >= 0 && a->process != 0 &&
                   gmc_apart_send_both(a, &head, sizeof head, question.bytes, question.size);
    (void)is_told;
    h5_packet_free(&question);
    *r = (gmc_h5_rows){0};
}

gmc_status gmc_h5_read_scalar_text(gmc_h5_read *f, const char *object, char **text)
{
    gmc_h5_rows r;
    gmc_h5_packet question = name_of(object, NULL), answer = {0};
    *text = NULL;
    gmc_status status = rows_open(f, GMC_H5_WIRE_TEXT, &question, object, &answer, &r);
    h5_packet_free(&answer);
    if (status == GMC_OK && (r.rows != 1 || r.row_bytes > GMC_H5_READ_MAX))
        status = gmc_h5_read_refuse(f, object, "is larger than it can sensibly be");
    if (status == GMC_OK && !(*text = calloc(1, r.row_bytes + 1))) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&r, 0, 1, *text);
    gmc_h5_rows_close(&r);
    if (status == GMC_OK) return GMC_OK;
    free(*text);
    *text = NULL;
    return status;
}

// ---- columns ----

gmc_status gmc_h5_read_fields(gmc_h5_read *f, const char *name, int from, gmc_h5_field **fields,
                              int *count)
{
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    h5_packet_u64(&question, (uint64_t)from);
    *fields = NULL;
    *count = 0;
    gmc_status status = ask_small(f, GMC_H5_WIRE_FIELDS, name, &question, &answer);
    uint64_t wanted = status == GMC_OK ? h5_packet_take_u64(&answer) : 0;
    if (status == GMC_OK && wanted > answer.size / 8) status = refuse_answer(f, name);
    if (status == GMC_OK && !(*fields = calloc((size_t)wanted + 1, sizeof **fields)))
        status = GMC_E_MEMORY;
    for (uint64_t i = 0; i < wanted && status == GMC_OK; i++) {
        gmc_h5_field *field = &(*fields)[i];
        field->name = strdup(h5_packet_take_text(&answer));
        field->kind = (gmc_h5_kind)h5_packet_take_u64(&answer);
        if (!field->name)
            status = GMC_E_MEMORY;
        else
            (*count)++;
        if (status == GMC_OK && answer.is_broken) status = refuse_answer(f, name);
    }
    h5_packet_free(&answer);
    return status; // what was read so far is the caller's to free
}

gmc_status gmc_h5_read_has_field(gmc_h5_read *f, const char *name, const char *field,
                                 bool *is_there)
{
    gmc_h5_packet question = name_of(name, field), answer = {0};
    gmc_status status = ask_small(f, GMC_H5_WIRE_HAS_FIELD, name, &question, &answer);
    *is_there = status == GMC_OK && h5_packet_take_u64(&answer) != 0;
    h5_packet_free(&answer);
    return status;
}
