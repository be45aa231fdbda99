#define _POSIX_C_SOURCE 200809L
#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
    int number;
    const char *name;
} CAUGHT[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}, {SIGXCPU, "SIGXCPU"}};

// The only mutable globals of the program: a handler can reach nothing else.
static atomic_bool stop;
static atomic_int first;

static void on_signal(int number)
{
    int none = 0;
    atomic_compare_exchange_strong(&first, &none, number);
    atomic_store(&stop, true);
}

atomic_bool *gmc_signals_catch(void)
{
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

const char *gmc_signals_caught(void)
{
    int number = atomic_load(&first);
    for (size_t i = 0; i < sizeof CAUGHT / sizeof CAUGHT[0]; i++)
        if (CAUGHT[i].number == number) return CAUGHT[i].name;
    return NULL;
}
