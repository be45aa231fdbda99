// The file is read back through the library, dataset by dataset, in the order of writing.
#include "sampling/hdf5/h5_internal.h"

#include <zlib.h>

#include <stdlib.h>

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
    gmc_h5_speak(h5);
    if (status == GMC_E_IO) {
        gmc_source source = {.file = h5->path};
        gmc_diagnostics_add(h5->messages, GMC_ERROR, status, source, "is the disk full or failing?",
                            "%s does not read back as it was written", bad);
    }
    return status;
}
