// A stream holds the chunk that is being filled and writes it once it is full, so that every chunk
// is compressed once whatever the sizes of the single trials, and the chunk cache of the library is
// not used.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/check.h"
#include "engine/base/list.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5_internal.h"

#include <zlib.h>

#include <stdlib.h>
#include <string.h>

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
    hid_t list = gmc_h5_untimed_list(H5P_DATASET_CREATE);
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
    hid_t creation = dataset_list(s), links = gmc_h5_link_list(), access = access_list();
    hid_t id = space >= 0 && creation >= 0 && links >= 0 && access >= 0
                   ? H5Dcreate2(s->h5->id, s->name, s->type, space, links, creation, access)
                   : H5I_INVALID_HID;
    if (space >= 0) H5Sclose(space);
    if (creation >= 0) H5Pclose(creation);
    if (links >= 0) H5Pclose(links);
    if (access >= 0) H5Pclose(access);
    return id;
}

gmc_status gmc_h5_stream_open(gmc_h5 *h5, const char *name, const gmc_h5_field *fields,
                              int field_count, uint64_t rows, uint64_t columns, gmc_h5_stream *s)
{
    *s = (gmc_h5_stream){.h5 = h5,
                         .dataset = H5I_INVALID_HID,
                         .type = H5I_INVALID_HID,
                         .rows = rows,
                         .rank = columns == GMC_H5_VECTOR ? 1 : 2,
                         .columns = columns};
    if (h5->is_broken) return GMC_E_IO;
    int count = field_count > 0 ? field_count : 1;
    for (int i = 0; i < count; i++)
        s->row_bytes += gmc_h5_type_bytes(&fields[i]);
    if (s->rank == 2) s->row_bytes *= columns;
    s->chunk_rows = gmc_h5_stream_chunk_rows(s->row_bytes, rows);
    s->name = strdup(name);
    s->buffer = malloc((size_t)(s->chunk_rows ? s->chunk_rows : 1) * s->row_bytes + 1);
    if (!s->name || !s->buffer) return GMC_E_MEMORY;
    s->type = field_count > 0 ? gmc_h5_type_row(fields, field_count) : gmc_h5_type_field(fields);
    if (s->type >= 0) s->dataset = dataset_create(s);
    return s->dataset >= 0 ? GMC_OK : gmc_h5_fail(h5, name);
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
    if (!done) (void)gmc_h5_fail(s->h5, s->name);
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
        status = gmc_h5_fail(s->h5, s->name);
    if (s->dataset >= 0 && H5Dclose(s->dataset) < 0 && status == GMC_OK)
        status = gmc_h5_fail(s->h5, s->name);
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
    gmc_status status = gmc_h5_stream_open(h5, name, fields, field_count, rows, GMC_H5_VECTOR, &s);
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
    gmc_status status = gmc_h5_stream_open(h5, name, &field, 0, rows, columns, &s);
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
        status = gmc_h5_fail(h5, name);
    if (status != GMC_OK) gmc_h5_abandon(h5); // an unfilled dataset needs no complaint of its own
    gmc_status closed = gmc_h5_stream_close(&s);
    return status != GMC_OK ? status : closed;
}
