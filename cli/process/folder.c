#define _POSIX_C_SOURCE 200809L
#include "cli/process/folder.h"

#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool gmc_folder_is_inside(const char *name)
{
    for (const char *part = name;;) {
        size_t length = strcspn(part, "/");
        bool is_dots =
            (length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0);
        if (length == 0 || is_dots) return false;
        if (part[length] == 0) return true;
        part += length + 1;
    }
}

/// The path of a file, allocated; NULL without memory.
static char *joined(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path) snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

/// Make, or take away, every folder between `start` and the last part of a path; the deepest last,
/// first.
static int walk_folders(char *path, size_t start, bool is_made)
{
    size_t length = strlen(path);
    for (size_t k = 1; k <= length - start; k++) {
        char *slash = is_made ? path + start + k : path + length - k;
        if (slash >= path + length || slash < path + start || *slash != '/') continue;
        *slash = 0;
        int failed = is_made ? mkdir(path, 0777) : rmdir(path);
        *slash = '/';
        if (is_made && failed && errno != EEXIST) return errno;
    }
    return 0;
}

static gmc_status write_file(const char *path, const gmc_folder_file *file,
                             gmc_diagnostics *messages)
{
    int made = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (made < 0) return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    int error = gmc_file_write(&gmc_file_system_io, made, file->bytes, file->size);
    if (error == 0) error = gmc_file_sync(&gmc_file_system_io, made);
    if (close(made) != 0 && error == 0) error = errno;
    return error == 0 ? GMC_OK : gmc_file_complain(messages, GMC_E_IO, path, "cannot write", error);
}

static gmc_status add_file(const char *folder, const gmc_folder_file *file,
                           gmc_diagnostics *messages)
{
    char *path = joined(folder, file->name);
    if (!path) return GMC_E_MEMORY;
    int error = walk_folders(path, strlen(folder) + 1, true);
    gmc_status status =
        error == 0 ? write_file(path, file, messages)
                   : gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", error);
    // its name too, and those of the folders above it
    for (char *slash = strrchr(path, '/'); slash && status == GMC_OK; slash = strrchr(path, '/')) {
        if ((size_t)(slash - path) < strlen(folder)) break;
        status = gmc_file_sync_folder(path, messages);
        *slash = 0;
    }
    free(path);
    return status;
}

static void take_away(const char *folder, const gmc_folder_file *files, int file_count)
{
    for (int i = 0; i < file_count; i++) {
        char *path = joined(folder, files[i].name);
        if (path) (void)unlink(path);
        free(path);
    }
    for (int i = 0; i < file_count; i++) { // what others share goes with the last of them
        char *path = joined(folder, files[i].name);
        if (path) (void)walk_folders(path, strlen(folder) + 1, false);
        free(path);
    }
    (void)rmdir(folder);
}

/// The file that says whose folder it is, held. @return its descriptor; -1: errno
static int hold(const char *folder)
{
    char *path = joined(folder, GMC_BESIDE_HELD);
    int file = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (file >= 0) gmc_beside_lock_share(file);
    free(path);
    return file;
}

static void let_go(const char *folder, int held)
{
    char *path = joined(folder, GMC_BESIDE_HELD);
    if (path) (void)unlink(path);
    free(path);
    if (held >= 0) close(held);
}

static gmc_status fill(const char *path, const char *beside, const gmc_folder_file *files,
                       int file_count, gmc_diagnostics *messages)
{
    for (int i = 0; i < file_count; i++)
        GMC_TRY(add_file(beside, &files[i], messages));
    // an empty folder would be replaced, and what came meanwhile stays
    struct stat found;
    if (lstat(path, &found) == 0)
        return gmc_file_complain(messages, GMC_E_EXISTS, path, "cannot create", EEXIST);
    if (rename(beside, path) != 0)
        return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    return gmc_file_sync_folder(path, messages);
}

static gmc_status make(const char *place, const char *beside, const gmc_folder_file *files,
                       int file_count, gmc_diagnostics *messages)
{
    int held = hold(beside);
    gmc_status status =
        held >= 0 ? fill(place, beside, files, file_count, messages)
                  : gmc_file_complain(messages, GMC_E_CREATE, place, "cannot create", errno);
    let_go(status == GMC_OK ? place : beside, held);
    if (status != GMC_OK) take_away(beside, files, file_count);
    return status;
}

gmc_status gmc_folder_write(const char *path, const gmc_folder_file *files, int file_count,
                            gmc_diagnostics *messages)
{
    struct stat found;
    if (lstat(path, &found) == 0)
        return gmc_file_complain(messages, GMC_E_EXISTS, path, "cannot create", EEXIST);
    for (int i = 0; i < file_count; i++) {
        if (gmc_folder_is_inside(files[i].name)) continue;
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = path}, NULL,
                            "file name %.200s leads out of the folder", files[i].name);
        return GMC_E_INPUT;
    }
    size_t length = strlen(path), bytes = length + 40;
    while (length > 1 && path[length - 1] == '/')
        length--; // DIR/ is DIR
    char *beside = malloc(bytes), *place = malloc(length + 1);
    gmc_status status = beside && place ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) {
        snprintf(place, length + 1, "%s", path);
        snprintf(beside, bytes, "%s.part.%ld", place, (long)getpid());
        gmc_beside_clean(place, "part", true);
        if (mkdir(beside, 0777) != 0)
            status = gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
        else
            status = make(place, beside, files, file_count, messages);
    }
    free(beside);
    free(place);
    return status;
}
