#define _POSIX_C_SOURCE 200809L
#include "cli/process/signals.h"

#include "cli/process/exit.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
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
static atomic_bool stop, is_caught;
static atomic_int first;
static _Atomic(const char *) last_words;
static _Atomic(timer_t) patience; ///< NULL: none

/// What the first signal meets.
enum { AT_ONCE, HELD, GRACE };
static atomic_int manner; // AT_ONCE

static const struct itimerspec HALF_A_SECOND = {.it_value = {.tv_nsec = 500000000}};

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
    const char *words = atomic_load(&last_words);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    if (words) written = write(STDERR_FILENO, words, strlen(words));
    (void)written; // nobody is left to be told
    _exit(GMC_EXIT_INTERRUPTED);
}

static void on_patience_end(int number)
{
    (void)number;
    leave(atomic_load(&first));
}

/// Of what may be called in a handler.
static void be_patient(void) { timer_settime(atomic_load(&patience), 0, &HALF_A_SECOND, NULL); }

static void on_signal(int number)
{
    int none = 0;
    bool is_first = atomic_compare_exchange_strong(&first, &none, number);
    if (is_first && atomic_load(&manner) == AT_ONCE) leave(number);
    atomic_store(&stop, true);
    if (is_first && atomic_load(&manner) == GRACE) be_patient();
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

void gmc_signals_hold(void) { atomic_store(&manner, HELD); }

void gmc_signals_release(void)
{
    atomic_store(&manner, AT_ONCE);
    int number = atomic_load(&first);
    if (number != 0) leave(number);
}

void gmc_signals_grace(void)
{
    struct sigaction action = {.sa_handler = on_patience_end};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        gmc_signals_release(); // no patience without a clock
        return;
    }
    atomic_store(&patience, timer);
    atomic_store(&manner, GRACE);
    if (atomic_load(&first) != 0) be_patient();
}

void gmc_signals_say(const char *lines) { atomic_store(&last_words, lines); }

const char *gmc_signals_caught(void)
{
    int number = atomic_load(&first);
    return number != 0 ? CAUGHT[index_of(number)].name : NULL;
}
