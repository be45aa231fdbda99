// Byte-for-byte repeatable HDF5: no object times (file, groups, datasets), packed little-endian
// types, fixed-size texts, chunk sizes that follow from the shapes alone, every row handed over as
// the bytes of the file so that no conversion buffer can leak into it. What was put is summed up
// dataset by dataset (CRC-32) and compared with what can be read back: the library's own word is
// not enough.
#define _POSIX_C_SOURCE 200809L
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    gmc_diagnostics_add(h5->messages, GMC_ERROR, GMC_E_IO, source, NULL, "%s: %s", what, reason);
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

gmc_status gmc_h5_fail(gmc_h5 *h5, const char *what)
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

void gmc_h5_speak(gmc_h5 *h5) { H5Eset_auto2(H5E_DEFAULT, h5->handler, h5->handler_data); }

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
    gmc_diagnostics_add(h5->messages, GMC_ERROR, GMC_E_IO, source,
                        "either another program has this file open, or the file system has no "
                        "locks: then --hdf5-locking off (or HDF5_USE_FILE_LOCKING=FALSE)",
                        "cannot lock: %s", reason);
    return GMC_E_IO;
}

hid_t gmc_h5_untimed_list(hid_t property_class)
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
    hid_t creation = gmc_h5_untimed_list(H5P_FILE_CREATE);
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
    if (h5->file < 0) (void)gmc_h5_fail(h5, "cannot create");
    if (access >= 0) H5Pclose(access);
    if (creation >= 0) H5Pclose(creation);
    if (h5->file >= 0) return GMC_OK;

    if (h5->id >= 0) H5Fclose(h5->id);
    gmc_h5_speak(h5);
    return status;
}

gmc_status gmc_h5_close(gmc_h5 *h5)
{
    if (!h5->is_broken && H5Fflush(h5->id, H5F_SCOPE_GLOBAL) < 0)
        (void)gmc_h5_fail(h5, "cannot write");
    if (H5Fclose(h5->id) < 0) {
        if (!h5->is_broken) (void)complain(h5, "cannot write");
        h5->is_broken = true;
    }
    gmc_h5_speak(h5);
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

hid_t gmc_h5_link_list(void)
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
    hid_t links = gmc_h5_link_list(), creation = gmc_h5_untimed_list(H5P_GROUP_CREATE);
    hid_t group = links >= 0 && creation >= 0
                      ? H5Gcreate2(h5->id, name, links, creation, H5P_DEFAULT)
                      : H5I_INVALID_HID;
    if (links >= 0) H5Pclose(links);
    if (creation >= 0) H5Pclose(creation);
    if (group < 0) return gmc_h5_fail(h5, name);
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
        (void)gmc_h5_fail(h5, what);
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
