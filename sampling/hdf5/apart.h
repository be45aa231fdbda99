/// A process of its own for what a library may break on. HDF5 crashes, or goes round for ever, on
/// metadata that somebody damaged or made up; where that happens the process is gone and the one
/// that asked gets an answer all the same: how it ended.
///
/// The process is a fork that lives as long as it is asked. It leaves the signals that stop a run
/// to the one who asks, writes no core, closes the descriptors that it inherited, and ends when the
/// asking end is closed or its owner dies.
///
/// Start it while no other thread of the process is inside a library that the new one will use.
#ifndef GMC_SAMPLING_HDF5_APART_H
#define GMC_SAMPLING_HDF5_APART_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GMC_APART_SECONDS = 10,      ///< of processor time that one question may take [s]
    GMC_APART_MEMORY_MIB = 1024, ///< address space beyond what the asking process has [MiB]
};

/// What asks.
typedef struct gmc_apart {
    int socket;    ///< < 0: not started
    long process;  ///< 0: none is left
    char how[120]; ///< how it ended by itself, in words; "" while it goes on
} gmc_apart;

/// The life of the process: answers what comes through the socket until that ends.
typedef void gmc_apart_serve(void *context, int socket);

/// Start it.
/// @param context  handed to `serve` in the new process; copied with all memory
/// @param error    out: errno unless GMC_OK
/// @return GMC_OK, GMC_E_LIBRARY (no process or socket to be had)
GMC_MUST_CHECK gmc_status gmc_apart_start(gmc_apart_serve *serve, void *context, gmc_apart *apart,
                                          int *error);

/// Ask, and take the answer. @return false: the process has ended; `how` says in which way
GMC_MUST_CHECK bool gmc_apart_send_both(gmc_apart *apart, const void *head, size_t head_count,
                                        const void *bytes, size_t count);
GMC_MUST_CHECK bool gmc_apart_receive(gmc_apart *apart, void *bytes, size_t count);

/// End the process. Accepts one that has ended and one that never started ({.socket = -1}).
void gmc_apart_stop(gmc_apart *apart);

/// For the process itself: the next question begins; it may take GMC_APART_SECONDS.
/// @param until_s  of processor time that may be taken so far; 0 at first
void gmc_apart_begin(uint64_t *until_s);

/// For the process itself. @return false: nobody asks any more
GMC_MUST_CHECK bool gmc_apart_get(int socket, void *bytes, size_t count);

/// Both in one message: whoever waits is woken once.
GMC_MUST_CHECK bool gmc_apart_put_both(int socket, const void *head, size_t head_count,
                                       const void *bytes, size_t count);

#endif
