#include "cli/process/exit.h"

gmc_exit gmc_exit_of(gmc_status status)
{
    switch (status) {
    case GMC_OK:
        return GMC_EXIT_DONE;
    case GMC_E_INPUT:
    case GMC_E_LIMIT: // of what an input may be
        return GMC_EXIT_DATA;
    case GMC_E_MISSING:
        return GMC_EXIT_MISSING;
    case GMC_E_EXISTS:
    case GMC_E_CREATE:
        return GMC_EXIT_CREATE;
    case GMC_E_IO:
        return GMC_EXIT_IO;
    case GMC_E_INTERRUPTED:
    case GMC_E_TIMEOUT: // what is finished is safe; --resume goes on
        return GMC_EXIT_INTERRUPTED;
    case GMC_E_MISMATCH:
        return GMC_EXIT_MISMATCH;
    case GMC_E_ARENA_FULL:
    case GMC_E_MEMORY:
    case GMC_E_NO_SOLUTION:
    case GMC_E_RESIDUAL:
    case GMC_E_DIVERGED:
    case GMC_E_LIBRARY:
    case GMC_E_INTEGRATOR:
    case GMC_STATUS_COUNT:
        return GMC_EXIT_INTERNAL;
    }
    return GMC_EXIT_INTERNAL;
}

gmc_exit gmc_exit_of_verdict(gmc_stop_verdict verdict)
{
    switch (verdict) {
    case GMC_STOP_YES:
        return GMC_EXIT_DONE;
    case GMC_STOP_NO:
        return GMC_EXIT_NO;
    case GMC_STOP_UNDECIDED:
        break;
    }
    return GMC_EXIT_UNDECIDED;
}
