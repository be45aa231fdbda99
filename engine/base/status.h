/// What every function that can fail returns.
#ifndef GMC_ENGINE_BASE_STATUS_H
#define GMC_ENGINE_BASE_STATUS_H

typedef enum gmc_status {
    GMC_OK = 0,
    GMC_E_ARENA_FULL,  ///< the arena given is too small; grow it and repeat
    GMC_E_MEMORY,      ///< the system has no memory left
    GMC_E_INPUT,       ///< text, file or value that the user gave is wrong
    GMC_E_MISSING,     ///< a named file does not exist or cannot be opened
    GMC_E_EXISTS,      ///< an output is there already and may not be overwritten
    GMC_E_CREATE,      ///< an output cannot be created
    GMC_E_IO,          ///< reading or writing failed
    GMC_E_MISMATCH,    ///< two things that must belong together do not (digest, version, range)
    GMC_E_INTERRUPTED, ///< stopped from outside; what is finished is safe
    GMC_E_NO_SOLUTION, ///< a solver ended without a solution
    GMC_E_RESIDUAL,    ///< a solution was found but misses the residual asked for
    GMC_E_DIVERGED,    ///< a state, velocity or energy that is not finite or not believable
    GMC_E_LIMIT,       ///< a stated limit of work or size was reached
    GMC_E_LIBRARY,     ///< an outside library failed or returned nonsense
    GMC_E_INTEGRATOR,  ///< an integrator cannot keep its tolerance, however short its steps
    GMC_E_TIMEOUT,     ///< a program that was asked did not answer in time
    GMC_STATUS_COUNT
} gmc_status;

#if defined(__GNUC__)
#define GMC_MUST_CHECK __attribute__((warn_unused_result))
#else
#define GMC_MUST_CHECK
#endif

/// Pass a failure on to the caller. Memory is the arena's, so an early return leaks nothing.
#define GMC_TRY(call)                                                                              \
    do {                                                                                           \
        gmc_status gmc_try_status_ = (call);                                                       \
        if (gmc_try_status_ != GMC_OK) return gmc_try_status_;                                     \
    } while (0)

/// Number of elements of an array (not of a pointer).
#define GMC_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/// Short lower-case name ("arena full"), never NULL, static storage.
const char *gmc_status_name(gmc_status status);

#endif
