// flock first: it also keeps two runs in one process apart. Cluster file systems may be mounted
// without it; then POSIX record locks, which are per process; then none, which the run says on
// stderr and in its log.
#define _DEFAULT_SOURCE
#include "sampling/store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static bool is_unsupported(int error)
{
    return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

gmc_lock_result gmc_lock_take(int file)
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

void gmc_lock_share(int file)
{
    int done;
    do
        done = flock(file, LOCK_SH | LOCK_NB);
    while (done != 0 && errno == EINTR);
    if (done == 0 || !is_unsupported(errno)) return;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    (void)fcntl(file, F_SETLK, &whole);
}

bool gmc_lock_is_held(int file)
{
    if (flock(file, LOCK_SH | LOCK_NB) == 0) {
        (void)flock(file, LOCK_UN);
        return false;
    }
    if (errno == EWOULDBLOCK) return true;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}
