// Two witnesses, for each is blind somewhere: the lock sees processes of other machines and
// containers, and the process number those of this one in the instants in which no lock is held
// (right after the file is made, and while HDF5 closes it and opens it again).
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/beside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// ==== locks ====

// One process per output: an advisory lock on an open file that dies with the process that holds
// it.
// flock first: it also keeps two runs in one process apart. Cluster file systems may be mounted
// without it; then POSIX record locks, which are per process; then none, which the run says on
// stderr and in its log.

static bool is_unsupported(int error)
{
    return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

gmc_lock_result gmc_beside_lock(int file)
{
    int done;
    do
        done = flock(file, LOCK_EX | LOCK_NB);
    while (done != 0 && errno == EINTR);
    if (done == 0) return GMC_LOCK_TAKEN;
    if (errno == EWOULDBLOCK) return GMC_LOCK_BUSY;
    if (!is_unsupported(errno)) return GMC_LOCK_FAILED;

    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    do
        done = fcntl(file, F_SETLK, &whole);
    while (done != 0 && errno == EINTR);
    if (done == 0) return GMC_LOCK_TAKEN;
    if (errno == EACCES || errno == EAGAIN) return GMC_LOCK_BUSY;
    return is_unsupported(errno) ? GMC_LOCK_MISSING : GMC_LOCK_FAILED;
}

void gmc_beside_lock_share(int file)
{
    int done;
    do
        done = flock(file, LOCK_SH | LOCK_NB);
    while (done != 0 && errno == EINTR);
    if (done == 0 || !is_unsupported(errno)) return;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    (void)fcntl(file, F_SETLK, &whole);
}

bool gmc_beside_is_locked(int file)
{
    if (flock(file, LOCK_SH | LOCK_NB) == 0) {
        (void)flock(file, LOCK_UN);
        return false;
    }
    if (errno == EWOULDBLOCK) return true;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

// ==== files beside the output ====

char *gmc_beside_name(const char *path, const char *mark)
{
    size_t bytes = strlen(path) + strlen(mark) + 32;
    char *name = malloc(bytes);
    if (name) snprintf(name, bytes, "%s.%s.%ld", path, mark, (long)getpid());
    return name;
}

int gmc_beside_hold(int file)
{
    int held = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (held >= 0) gmc_beside_lock_share(held);
    return held;
}

/// The number behind "BASE.MARK."; -1: this is no such name.
static long number_of(const char *name, const char *base, const char *mark)
{
    size_t base_length = strlen(base), mark_length = strlen(mark);
    if (strncmp(name, base, base_length) != 0) return -1;
    name += base_length;
    if (*name++ != '.' || strncmp(name, mark, mark_length) != 0) return -1;
    name += mark_length;
    if (*name++ != '.') return -1;
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < 18 && name[digits] == 0 ? strtol(name, NULL, 10) : -1;
}

static bool is_left_behind(int folder, const char *name, long number)
{
    if (number != (long)getpid() && (kill((pid_t)number, 0) == 0 || errno != ESRCH)) return false;
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return false;
    struct stat info;
    bool is_ours = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    gmc_lock_result lock = is_ours ? gmc_beside_lock(file) : GMC_LOCK_BUSY;
    close(file);
    return lock == GMC_LOCK_TAKEN;
}

/// Empty the folder `name` of the folder `above`, and remove it.
static void remove_folder(int above, const char *name, int depth)
{
    enum { DEEPEST = 32 };
    int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    if (folder >= 0 && !list) close(folder);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        bool is_gone = unlinkat(folder, entry->d_name, 0) == 0;
        if (!is_gone && depth < DEEPEST) remove_folder(folder, entry->d_name, depth + 1);
    }
    if (list) closedir(list);
    (void)unlinkat(above, name, AT_REMOVEDIR);
}

static void remove_left_behind(int above, const char *name, long number, bool is_folder)
{
    char held[NAME_MAX + sizeof GMC_BESIDE_HELD + 2];
    snprintf(held, sizeof held, is_folder ? "%s/" GMC_BESIDE_HELD : "%s", name);
    struct stat info;
    bool is_meant = fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                    (is_folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode));
    if (!is_meant || !is_left_behind(above, held, number)) return;
    if (is_folder)
        remove_folder(above, name, 0);
    else
        (void)unlinkat(above, name, 0);
}

void gmc_beside_clean(const char *path, const char *mark, bool is_folder)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    DIR *list = folder ? opendir(folder) : NULL;
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        long number = number_of(entry->d_name, base, mark);
        if (number > 0) remove_left_behind(dirfd(list), entry->d_name, number, is_folder);
    }
    if (list) closedir(list);
    free(folder);
}
