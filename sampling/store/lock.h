/// One process per output: an advisory lock on an open file that dies with the process that holds
/// it.
#ifndef GMC_SAMPLING_STORE_LOCK_H
#define GMC_SAMPLING_STORE_LOCK_H

#include <stdbool.h>

typedef enum gmc_lock_result {
    GMC_LOCK_TAKEN,   ///< ours until the file is closed
    GMC_LOCK_BUSY,    ///< another process (or another open file of this one) holds it
    GMC_LOCK_MISSING, ///< this file system has no locks; nothing protects the output
    GMC_LOCK_FAILED   ///< errno says why
} gmc_lock_result;

/// Try to lock, without waiting.
gmc_lock_result gmc_lock_take(int file);

/// Hold it together with others who share it: against gmc_lock_take alone. Copies of the descriptor
/// made by dup hold it too. Silent where that cannot be had.
void gmc_lock_share(int file);

/// Does another process hold it? Asks by a shared lock that is given back at once, for a file
/// opened to read; where there are no locks the answer is no.
bool gmc_lock_is_held(int file);

#endif
