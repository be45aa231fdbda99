/// Signals that ask a run to stop: INT, TERM, USR1 and XCPU (batch systems send the last two ahead
/// of the end). The handler sets one flag; whoever works polls it.
#ifndef GMC_CLI_SIGNALS_H
#define GMC_CLI_SIGNALS_H

#include <stdatomic.h>

/// Catch them from now on, and ignore PIPE and XFSZ, so that a closed reader and a file that may
/// not grow are failed writes and not deaths.
/// @return the flag, false until one arrives; lives as long as the process
atomic_bool *gmc_signals_catch(void);

/// Name of the first one that arrived ("SIGTERM"), NULL: none.
const char *gmc_signals_caught(void);

#endif
