#define _POSIX_C_SOURCE 200809L
#include "sampling/hdf5/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t system_write(int file, const void *data, size_t bytes)
{
    return write(file, data, bytes);
}

static int system_sync(int file) { return fsync(file); }

const gmc_file_io gmc_file_system_io = {.write = system_write, .sync = system_sync};

int gmc_file_open_own(const char *path, int flags)
{
    int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    struct stat info;
    if (file < 0 || (fstat(file, &info) == 0 && S_ISREG(info.st_mode))) return file;
    close(file);
    errno = EEXIST;
    return -1;
}

int gmc_file_write(const gmc_file_io *io, int file, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    while (bytes > 0) {
        ssize_t done = io->write(file, from, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return ENOSPC; // a regular file that takes nothing more
        from += done;
        bytes -= (size_t)done;
    }
    return 0;
}

ssize_t gmc_file_read_at(int file, void *data, size_t bytes, uint64_t offset)
{
    unsigned char *to = data;
    size_t got = 0;
    while (got < bytes) {
        ssize_t done = pread(file, to + got, bytes - got, (off_t)(offset + got));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return -1;
        if (done == 0) break;
        got += (size_t)done;
    }
    return (ssize_t)got;
}

int gmc_file_sync(const gmc_file_io *io, int file)
{
    int failed;
    do
        failed = io->sync(file);
    while (failed != 0 && errno == EINTR);
    return failed ? errno : 0;
}

gmc_status gmc_file_sync_folder(const char *path, gmc_diagnostics *messages)
{
    char *folder = strdup(path);
    if (!folder) return GMC_E_MEMORY;
    char *slash = strrchr(folder, '/');
    if (slash == folder) slash++; // "/file" is in "/"
    if (slash) *slash = 0;
    int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (file < 0)
        return gmc_file_complain(messages, GMC_E_IO, path, "cannot open its folder", errno);
    int error = gmc_file_sync(&gmc_file_system_io, file);
    close(file);
    // some file systems cannot sync folders and say so
    if (error == 0 || error == EINVAL || error == ENOTSUP) return GMC_OK;
    return gmc_file_complain(messages, GMC_E_IO, path, "cannot sync its folder", error);
}

static bool has_folder(const char *path)
{
    struct stat about;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    int length = slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length < PATH_MAX - 1 ? length : PATH_MAX - 1, path);
    return stat(!slash ? "." : length == 0 ? "/" : folder, &about) == 0 && S_ISDIR(about.st_mode);
}

gmc_status gmc_file_complain(gmc_diagnostics *messages, gmc_status status, const char *path,
                             const char *what, int error)
{
    gmc_source source = {.file = path};
    const char *hint =
        error == ENOENT && status == GMC_E_CREATE
            ? has_folder(path) ? "files cannot be made in this folder" : "make its folder first"
        : error == ENOSPC || error == EDQUOT
            ? "free space on this disk; what is finished is kept: go on with --resume"
        : error == EACCES || error == EPERM
            ? "you may not write there: choose another place, or its permissions"
        : error == EEXIST ? "choose another name, or take away what is there"
                          : NULL;
    gmc_diagnostics_add(messages, status, source, hint, "%s: %s", what, strerror(error));
    return status;
}
