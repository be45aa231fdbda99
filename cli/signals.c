#define _POSIX_C_SOURCE 200809L
#include "cli/signals.h"

#include "cli/exit.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int number;
    bool insists; ///< a second one ends the program wherever it is
    const char *name;
} CAUGHT[] = {{SIGINT, true, "SIGINT"},
              {SIGTERM, true, "SIGTERM"},
              {SIGUSR1, false, "SIGUSR1"},
              {SIGXCPU, false, "SIGXCPU"}};

// The only mutable globals of the program: a handler can reach nothing else.
static atomic_bool stop, is_held, is_caught;
static atomic_int first;

static size_t index_of(int number)
{
    size_t i = 0;
    while (i + 1 < sizeof CAUGHT / sizeof CAUGHT[0] && CAUGHT[i].number != number)
        i++;
    return i;
}

/// Of what may be called in a handler.
static void leave(int number)
{
    char line[64] = "stopped by ";
    strcat(line, CAUGHT[index_of(number)].name);
    strcat(line, "\n");
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; // nobody is left to be told
    _exit(GMC_EXIT_INTERRUPTED);
}

static void on_signal(int number)
{
    int none = 0;
    bool is_first = atomic_compare_exchange_strong(&first, &none, number);
    if (is_first && !atomic_load(&is_held)) leave(number);
    atomic_store(&stop, true);
    if (is_first || !CAUGHT[index_of(number)].insists) return;
    struct sigaction as_it_was = {.sa_handler = SIG_DFL};
    sigemptyset(&as_it_was.sa_mask);
    sigaction(number, &as_it_was, NULL);
    raise(number); // kept back until this returns
}

atomic_bool *gmc_signals_catch(void)
{
    if (atomic_exchange(&is_caught, true)) return &stop;
    // system calls go on afterwards: the flag is polled, and a write cut short helps nobody
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof CAUGHT / sizeof CAUGHT[0]; i++)
        sigaction(CAUGHT[i].number, &action, NULL);

    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL); // a reader that left, a file at its largest allowed size:
    sigaction(SIGXFSZ, &ignore, NULL); // the write says so
    return &stop;
}

void gmc_signals_hold(void) { atomic_store(&is_held, true); }

void gmc_signals_release(void)
{
    atomic_store(&is_held, false);
    int number = atomic_load(&first);
    if (number != 0) leave(number);
}

const char *gmc_signals_caught(void)
{
    int number = atomic_load(&first);
    return number != 0 ? CAUGHT[index_of(number)].name : NULL;
}
