// Byte-for-byte repeatable HDF5: no object times (file, groups, datasets), packed little-endian
// types, fixed-size texts, chunk sizes that follow from the shapes alone, every row handed over as
// the bytes of the file so that no conversion buffer can leak into it. What was put is summed up
// dataset by dataset (CRC-32) and compared with what can be read back: the library's own word is
// not enough.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/check.h"
#include "engine/base/list.h"
#include "engine/outcome.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5_internal.h"

#include <zlib.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

hid_t gmc_h5_type_text(size_t bytes)
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
hid_t gmc_h5_type_field(const gmc_h5_field *field)
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
        return gmc_h5_type_text(field->text_bytes);
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
        hid_t type = gmc_h5_type_field(&fields[i]);
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

int gmc_h5_errno(void)
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

void gmc_h5_silence(gmc_h5 *h5)
{
    H5Eget_auto2(H5E_DEFAULT, &h5->handler, &h5->handler_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/// Put the printer of the process back.
static void speak_again(gmc_h5 *h5) { H5Eset_auto2(H5E_DEFAULT, h5->handler, h5->handler_data); }

hid_t gmc_h5_access_list(void)
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

gmc_status gmc_h5_explain_lock(const gmc_h5 *h5)
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
    gmc_h5_silence(h5);
    hid_t access = gmc_h5_access_list();
    hid_t creation = untimed_list(H5P_FILE_CREATE);
    if (access >= 0 && creation >= 0) h5->id = H5Fcreate(path, H5F_ACC_EXCL, creation, access);
    gmc_status status = GMC_E_CREATE;
    if (h5->id < 0) { // the library forgets why at the next call
        bool is_lock = gmc_h5_explain_lock(h5) != GMC_OK;
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

void gmc_h5_free(gmc_h5 *h5)
{
    for (int i = 0; i < h5->check_count; i++)
        free(h5->checks[i].name);
    free(h5->checks);
    h5->checks = NULL;
    h5->check_count = h5->check_capacity = 0;
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
    hid_t type = gmc_h5_type_text(strlen(text));
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
    hid_t type = gmc_h5_type_text(bytes);
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

uint64_t gmc_h5_stream_chunk_rows(size_t row_bytes, uint64_t rows)
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
    s->chunk_rows = gmc_h5_stream_chunk_rows(s->row_bytes, s->rows);
    s->name = strdup(name);
    s->buffer = malloc((size_t)(s->chunk_rows ? s->chunk_rows : 1) * s->row_bytes + 1);
    if (!s->name || !s->buffer) return GMC_E_MEMORY;
    s->type = shape->field_count > 0 ? type_of_row(shape->fields, shape->field_count)
                                     : gmc_h5_type_field(shape->fields);
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

gmc_status gmc_h5_stream_all_doubles(gmc_h5 *h5, const char *name, uint64_t rows, uint64_t columns,
                                     const double *values)
{
    gmc_h5_field field = {.kind = GMC_H5_F64};
    gmc_h5_stream s;
    const gmc_h5_shape shape = {&field, 0, rows, columns};
    gmc_status status = gmc_h5_stream_open(h5, name, &shape, &s);
    if (status == GMC_OK && rows > 0) status = gmc_h5_stream_doubles(&s, values, rows);
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
    s.type = gmc_h5_type_text(bytes);
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
    uint64_t step = gmc_h5_stream_chunk_rows(check->row_bytes, check->rows);
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
    size_t step = (size_t)gmc_h5_stream_chunk_rows(check->row_bytes, check->rows);
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

gmc_status gmc_h5_verify(gmc_h5 *h5, bool (*is_stopped)(const void *context), const void *context)
{
    gmc_h5_silence(h5);
    hid_t access = gmc_h5_access_list();
    hid_t file = access >= 0 ? H5Fopen(h5->path, H5F_ACC_RDONLY, access) : H5I_INVALID_HID;
    if (file < 0) (void)gmc_h5_explain_lock(h5);
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
