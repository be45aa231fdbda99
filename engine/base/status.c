#include "engine/base/status.h"

const char *gmc_status_name(gmc_status status)
{
    switch (status) {
    case GMC_OK:
        return "ok";
    case GMC_E_ARENA_FULL:
        return "arena full";
    case GMC_E_MEMORY:
        return "out of memory";
    case GMC_E_INPUT:
        return "wrong input";
    case GMC_E_MISSING:
        return "file missing";
    case GMC_E_EXISTS:
        return "output exists";
    case GMC_E_CREATE:
        return "cannot create";
    case GMC_E_IO:
        return "input/output error";
    case GMC_E_MISMATCH:
        return "mismatch";
    case GMC_E_INTERRUPTED:
        return "interrupted";
    case GMC_E_NO_SOLUTION:
        return "no solution";
    case GMC_E_RESIDUAL:
        return "residual too large";
    case GMC_E_DIVERGED:
        return "diverged";
    case GMC_E_LIMIT:
        return "limit reached";
    case GMC_E_LIBRARY:
        return "library failure";
    case GMC_E_INTEGRATOR:
        return "integrator failure";
    case GMC_E_TIMEOUT:
        return "no answer in time";
    case GMC_STATUS_COUNT:
        break;
    }
    return "unknown status";
}
