/// The user's cache of finished set-up work: convex pieces of meshes, which take seconds to compute
/// and depend on the mesh alone.
///
///   $XDG_CACHE_HOME/graspmc/pieces/<sha256>      $HOME/.cache/... if that variable is not set
///
/// An unfinished one keeps how far it came, and goes on from there. While a mesh is cut stderr
/// tells how it is going, and the first signal ends it in order.
///
/// Files are written beside their place and renamed into it, so that another process never sees
/// half of one; what they hold is checked by whoever reads it. The folder may be deleted at any
/// time. Without a home, or where it cannot be written, nothing is kept and nobody is told.
#ifndef GMC_CLI_ANSWER_CACHE_H
#define GMC_CLI_ANSWER_CACHE_H

#include "cli/answer/progress.h"
#include "engine/model/pieces.h"

typedef struct gmc_cache {
    char folder[1024]; ///< where the files lie; made when the first is written
    gmc_pieces_cache pieces;
    gmc_progress progress;
    bool is_cutting;
    double began_s; ///< when it was followed first
} gmc_cache;

/// The cache as set-up takes it; without `load` and `save` if the user has none. Points into
/// `cache`.
/// @param asked  how the cutting is told
const gmc_pieces_cache *gmc_cache_open(gmc_cache *cache, gmc_args_progress asked);

/// When set-up is done: what was told of the cutting is taken away. Ends the program if it was
/// interrupted by a signal.
void gmc_cache_close(gmc_cache *cache);

#endif
