// Chosen: a fork that answers through a socket. Rejected: a process that only tries the file out
// before (nothing says that the library then does the same in another heap), and a supervisor
// around the whole command (it would have to stand for it before signals, job schedulers and kill).
// POSIX has no word for memory that counts what this process has already; /proc says it, and where
// that is missing there is no such limit.
#define _DEFAULT_SOURCE
#include "sampling/hdf5/apart.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1 // a sanitizer reserves terabytes of address space
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SHADOW 1
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

// ---- in the process ----

/// Files that were open when it began: what they lock shall not depend on this process.
static void close_inherited(int kept)
{
    DIR *dir = opendir("/proc/self/fd");
    if (!dir) {
        for (int file = 3; file < 1024; file++)
            if (file != kept) (void)close(file);
        return;
    }
    int own = dirfd(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        int file = atoi(entry->d_name); // "." and "..": 0, which stays
        if (file > 2 && file != kept && file != own) (void)close(file);
    }
    closedir(dir);
}

static void limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return; // then there is no such limit
    if (now.rlim_max != RLIM_INFINITY && most > now.rlim_max) most = now.rlim_max;
    now.rlim_cur = most;
    (void)setrlimit(resource, &now);
}

static void limit_memory(void)
{
    if (HAS_SHADOW) return;
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    bool is_known = file && fscanf(file, "%lu", &pages) == 1;
    if (file) fclose(file);
    long page = sysconf(_SC_PAGESIZE);
    if (is_known && page > 0)
        limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)page + ((rlim_t)GMC_APART_MEMORY_MIB << 20));
}

/// Who stops a run asks the process that asks; this one ends with it. What a sanitizer or a handler
/// of the parent would do about a crash stays.
static void settle_signals(void)
{
    static const int LEFT[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof LEFT / sizeof LEFT[0]; i++)
        (void)sigaction(LEFT[i], &action, NULL);
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGXCPU, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void gmc_apart_begin(uint64_t *until_s)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return;
    uint64_t until = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + GMC_APART_SECONDS;
    if (until == *until_s) return; // the limit counts whole seconds
    *until_s = until;
    limit(RLIMIT_CPU, (rlim_t)until);
}

bool gmc_apart_get(int socket, void *bytes, size_t count)
{
    unsigned char *to = bytes;
    while (count > 0) {
        ssize_t got = recv(socket, to, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        count -= (size_t)got;
    }
    return true;
}

static bool put_all(int socket, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    while (count > 0) {
        ssize_t put = send(socket, from, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        from += put;
        count -= (size_t)put;
    }
    return true;
}

bool gmc_apart_put_both(int socket, const void *head, size_t head_count, const void *bytes,
                        size_t count)
{
    enum { SMALL = 4096 };
    unsigned char both[SMALL];
    if (head_count > SMALL || count > SMALL - head_count)
        return put_all(socket, head, head_count) && put_all(socket, bytes, count);
    if (head_count > 0) memcpy(both, head, head_count);
    if (count > 0) memcpy(both + head_count, bytes, count);
    return put_all(socket, both, head_count + count);
}

static _Noreturn void live(gmc_apart_serve *serve, void *context, int socket)
{
    settle_signals();
    limit(RLIMIT_CORE, 0);
    limit_memory();
    close_inherited(socket);
    uint64_t until_s = 0;
    gmc_apart_begin(&until_s);
    serve(context, socket);
    _exit(0);
}

// ---- around it ----

gmc_status gmc_apart_start(gmc_apart_serve *serve, void *context, gmc_apart *a, int *error)
{
    int ends[2];
    *a = (gmc_apart){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        *error = errno;
        return GMC_E_LIBRARY;
    }
    pid_t process = fork();
    if (process == 0) live(serve, context, ends[1]); // which closes the other end, too
    *error = errno;
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return GMC_E_LIBRARY;
    }
    a->socket = ends[0];
    a->process = process;
    return GMC_OK;
}

static int wait_for(gmc_apart *a)
{
    int status = 0;
    while (waitpid((pid_t)a->process, &status, 0) < 0 && errno == EINTR)
        ;
    a->process = 0;
    return status;
}

/// It left in the middle: why?
static bool explain(gmc_apart *a)
{
    if (a->process == 0) return false;
    int status = wait_for(a);
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGXCPU)
        snprintf(a->how, sizeof a->how, "no end after %d s", GMC_APART_SECONDS);
    else if (number != 0)
        snprintf(a->how, sizeof a->how, "%.80s", strsignal(number));
    else
        snprintf(a->how, sizeof a->how, "it ended with %d", WEXITSTATUS(status));
    return false;
}

bool gmc_apart_send_both(gmc_apart *a, const void *head, size_t head_count, const void *bytes,
                         size_t count)
{
    return gmc_apart_put_both(a->socket, head, head_count, bytes, count) || explain(a);
}

bool gmc_apart_receive(gmc_apart *a, void *bytes, size_t count)
{
    return gmc_apart_get(a->socket, bytes, count) || explain(a);
}

void gmc_apart_stop(gmc_apart *a)
{
    if (a->socket < 0) return;
    // a later process may have a copy of this end: closing alone would not be noticed
    (void)shutdown(a->socket, SHUT_RDWR);
    close(a->socket);
    a->socket = -1;
    if (a->process == 0) return;
    (void)kill((pid_t)a->process, SIGKILL); // it has nothing to finish, and may not listen
    (void)wait_for(a);
}
