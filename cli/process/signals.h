/// Signals that ask the program to stop: INT, TERM, USR1 and XCPU (batch systems send the last two
/// ahead of the end).
///
///   the first   while nothing is at stake it ends the program at once, with GMC_EXIT_INTERRUPTED
///               and a line on stderr that names it; between gmc_signals_hold and
///               gmc_signals_release it sets a flag instead, which whoever works polls; after
///               gmc_signals_grace the program has half a second to end by itself
///   the second  ends the program at once wherever it is, by the signal itself; so does none of
///               USR1 and XCPU, which are early words that may come again and again
///
/// Nothing is lost either way: journals and results stand every kind of death.
///
/// A process that is made by fork inherits the handlers. One that works for this one and must not
/// outlive it asks the system for that (prctl PR_SET_PDEATHSIG): what ends by a second signal has
/// no time to tell its children.
#ifndef GMC_CLI_PROCESS_SIGNALS_H
#define GMC_CLI_PROCESS_SIGNALS_H

#include <stdatomic.h>

/// Catch them from now on, and ignore PIPE and XFSZ, so that a closed reader and a file that may
/// not grow are failed writes and not deaths. Calling it again changes nothing.
/// @return the flag, false until one arrives that is held; lives as long as the process
atomic_bool *gmc_signals_catch(void);

/// From now on there is something to end in order: the first signal sets the flag.
void gmc_signals_hold(void);

/// From now on nothing is at stake. Ends the program if a signal is held that nobody has answered.
void gmc_signals_release(void);

/// From now on the work is done and only its answer is printed: the first signal, also one that is
/// held, lets the program end with its own exit code if it does so within half a second.
void gmc_signals_grace(void);

/// What the line that names the signal is followed by, where the first one ends the program.
/// @param  lines  complete lines, of which nothing acts on a terminal; kept, not copied; NULL: none
void gmc_signals_say(const char *lines);

/// Name of the first one that arrived ("SIGTERM"), NULL: none.
const char *gmc_signals_caught(void);

#endif
