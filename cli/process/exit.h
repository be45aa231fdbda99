/// Exit codes of the command line: those of sysexits.h where one fits. Scripts depend on them;
/// each has an end-to-end test.
#ifndef GMC_CLI_PROCESS_EXIT_H
#define GMC_CLI_PROCESS_EXIT_H

#include "engine/base/status.h"
#include "sampling/estimate/stop.h"

typedef enum gmc_exit {
    GMC_EXIT_DONE = 0,         ///< done, or decided yes
    GMC_EXIT_NO = 1,           ///< decided no; a replay that differs
    GMC_EXIT_UNDECIDED = 2,    ///< not decided; of a whole run: every trial is unsolved; of
                               ///< `new`: no start that holds was found
    GMC_EXIT_USAGE = 64,       ///< the command line is wrong
    GMC_EXIT_DATA = 65,        ///< a scenario or another input is wrong
    GMC_EXIT_MISSING = 66,     ///< an input is not there
    GMC_EXIT_INTERNAL = 70,    ///< our own mistake, or no memory left
    GMC_EXIT_CREATE = 73,      ///< the output is there already or cannot be created
    GMC_EXIT_IO = 74,          ///< reading or writing failed
    GMC_EXIT_INTERRUPTED = 75, ///< stopped from outside: --resume goes on; rounds are left
    GMC_EXIT_MISMATCH = 76     ///< files that do not belong together
} gmc_exit;

/// The code for how a call ended.
gmc_exit gmc_exit_of(gmc_status status);

/// The code for what a rule says: reached or true, false, not decided.
gmc_exit gmc_exit_of_verdict(gmc_stop_verdict verdict);

#endif
