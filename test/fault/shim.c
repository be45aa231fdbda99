// What goes wrong outside of the program, put between it and the C library (LD_PRELOAD), so that
// the program under test is the one that users have. Set in the environment:
//
//   FAULT_ALLOCATION=n   the n-th allocation fails; FAULT_FOREVER=1: all after it, too
//   FAULT_OURS=1         count only those that the program itself asks for, not its libraries
//   FAULT_COUNT=FILE     at the end write the number of allocations to FILE
//   FAULT_LOCKS=1        the file system has no locks
//   FAULT_SHORT=1        every read and write moves half of what it could, but a byte at least
//   FAULT_HEAP=FILE      whenever the program writes, add to FILE how many bytes it has allocated
//                        and not freed, as a native int64
//
// Who crashes says in which module: the innermost that is not the C library's, for what was handed
// to that is the caller's mistake.
//
// The real functions are called by the names under which the C library exports them as well, so
// that nothing has to be looked up before the first allocation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static atomic_long calls;
static atomic_llong live; ///< bytes
static long fail_at;
static int heap_file = -1;
static int is_forever, is_ours_only, is_short, is_lockless;
static const char *count_path;
static uintptr_t text_start, text_end; ///< of the program itself

static int find_text(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        text_start = info->dlpi_addr + part->p_vaddr;
        text_end = text_start + part->p_memsz;
    }
    return 1; // the first is the program
}

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static void tell(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; // nobody listens
}

static void crashed(int number)
{
    void *frames[64];
    int count = backtrace(frames, 64);
    (void)number;
    for (int i = 0; i < count; i++) {
        Dl_info in;
        int is_known = dladdr(frames[i], &in) && in.dli_fname;
        if (!is_known || strstr(in.dli_fname, "fault_shim") || strstr(in.dli_fname, "/libc.so"))
            continue;
        tell("crashed in ");
        tell(in.dli_fname);
        tell("\n");
        return;
    }
    tell("crashed somewhere\n");
}

static void watch_crashes(void)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = crashed, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    static char stack[1 << 16]; // a library that calls itself without end has used up the other
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    void *frame;
    sigaltstack(&own, NULL);
    backtrace(&frame, 1); // what it loads is there when it is needed
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++)
        sigaction(SIGNALS[i], &action, NULL);
}

__attribute__((constructor)) static void start(void)
{
    dl_iterate_phdr(find_text, NULL);
    watch_crashes();
    const char *heap = getenv("FAULT_HEAP");
    if (heap) heap_file = open(heap, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    fail_at = number("FAULT_ALLOCATION");
    is_forever = number("FAULT_FOREVER") != 0;
    is_ours_only = number("FAULT_OURS") != 0;
    is_short = number("FAULT_SHORT") != 0;
    is_lockless = number("FAULT_LOCKS") != 0;
    count_path = getenv("FAULT_COUNT");
    atomic_store(&calls, 0);
}

__attribute__((destructor)) static void end(void)
{
    long count = atomic_load(&calls);
    FILE *file = count_path ? fopen(count_path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

static int fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (is_ours_only && (at < text_start || at >= text_end)) return 0;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !is_forever)) return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)

static void *taken(void *block)
{
    if (block) atomic_fetch_add(&live, (long long)malloc_usable_size(block));
    return block;
}

static void *take(const void *caller, size_t bytes)
{
    return fails(caller) ? NULL : taken(__libc_malloc(bytes));
}

void *malloc(size_t bytes) { return take(CALLER, bytes); }

void *calloc(size_t count, size_t bytes)
{
    return fails(CALLER) ? NULL : taken(__libc_calloc(count, bytes));
}

void *realloc(void *block, size_t bytes)
{
    if (fails(CALLER)) return NULL;
    long long before = block ? (long long)malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, bytes);
    if (moved || bytes == 0) atomic_fetch_sub(&live, before);
    return taken(moved);
}

void free(void *block)
{
    if (block) atomic_fetch_sub(&live, (long long)malloc_usable_size(block));
    __libc_free(block);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(CALLER) ? NULL : taken(__libc_memalign(alignment, bytes));
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    void *found = fails(CALLER) ? NULL : taken(__libc_memalign(alignment, bytes));
    if (found) *block = found;
    return found ? 0 : ENOMEM;
}

char *strndup(const char *text, size_t most)
{
    size_t bytes = strnlen(text, most);
    char *copy = take(CALLER, bytes + 1);
    if (copy) memcpy(copy, text, bytes);
    if (copy) copy[bytes] = 0;
    return copy;
}

char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = take(CALLER, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

// ---- short reads and writes ----

static size_t part_of(size_t bytes) { return is_short && bytes > 1 ? bytes / 2 : bytes; }

ssize_t write(int file, const void *data, size_t bytes)
{
    long long now = atomic_load(&live);
    if (heap_file >= 0 && syscall(SYS_write, heap_file, &now, sizeof now) < 0) heap_file = -1;
    return syscall(SYS_write, file, data, part_of(bytes));
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t offset)
{
    return syscall(SYS_pwrite64, file, data, part_of(bytes), offset);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset)
{
    return syscall(SYS_pwrite64, file, data, part_of(bytes), offset);
}

ssize_t read(int file, void *data, size_t bytes)
{
    return syscall(SYS_read, file, data, part_of(bytes));
}

ssize_t pread64(int file, void *data, size_t bytes, off64_t offset)
{
    return syscall(SYS_pread64, file, data, part_of(bytes), offset);
}

ssize_t pread(int file, void *data, size_t bytes, off_t offset)
{
    return syscall(SYS_pread64, file, data, part_of(bytes), offset);
}

// ---- locks ----

int flock(int file, int operation)
{
    errno = ENOLCK;
    return is_lockless ? -1 : (int)syscall(SYS_flock, file, operation);
}

static int control(int file, int command, void *with)
{
    int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
    errno = ENOLCK;
    return is_lockless && is_lock ? -1 : (int)syscall(SYS_fcntl, file, command, with);
}

int fcntl64(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *with = va_arg(more, void *); // a number or an address: one register
    va_end(more);
    return control(file, command, with);
}

int fcntl(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *with = va_arg(more, void *);
    va_end(more);
    return control(file, command, with);
}
