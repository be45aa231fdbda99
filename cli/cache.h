/// The user's cache of finished set-up work: convex pieces of meshes, which take seconds to compute
/// and depend on the mesh alone.
///
///   $XDG_CACHE_HOME/graspmc/pieces/<sha256>      $HOME/.cache/... if that variable is not set
///
/// Files are written beside their place and renamed into it, so that another process never sees
/// half of one; what they hold is checked by whoever reads it. The folder may be deleted at any
/// time. Without a home, or where it cannot be written, nothing is kept and nobody is told.
#ifndef GMC_CLI_CACHE_H
#define GMC_CLI_CACHE_H

#include "engine/model/pieces.h"

typedef struct gmc_cache {
    char folder[1024]; ///< where the files lie; made when the first is written
    gmc_pieces_cache pieces;
} gmc_cache;

/// The cache as set-up takes it, NULL if the user has none. Points into `cache`.
const gmc_pieces_cache *gmc_cache_open(gmc_cache *cache);

#endif
