/// What a decomposition has from outside, and what it has cost so far.
#ifndef GMC_ENGINE_MODEL_PIECES_WORK_H
#define GMC_ENGINE_MODEL_PIECES_WORK_H

#include "engine/base/file.h"

#include <stdbool.h>

/// What a decomposition has from outside: where work is kept between runs, and who follows it. What
/// `load` hands back is checked; what is damaged, or of another mesh, is computed again. Kept is
/// what is finished, and now and then how far the cutting has come. With or without it, the pieces
/// are the same bits.
typedef struct gmc_pieces_cache {
    void *context;
    /// The bytes kept under a name; false if there are none. NULL: none, ever.
    bool (*load)(void *context, const char *name, gmc_file *file);
    /// Keep them in place of those of this name; may fail without a word. NULL: nothing is kept.
    void (*save)(void *context, const char *name, const void *bytes, size_t size);
    /// Told every few milliseconds how far it is: pieces so far, share of the work that is the
    /// most. NULL: nobody follows. @return true: stop, what has been cut is kept
    bool (*follow)(void *context, const char *mesh, int pieces, double share);
} gmc_pieces_cache;

/// What the cutting of one part has cost so far.
typedef struct gmc_pieces_work {
    double spent, most; ///< in distances, see GMC_PIECES_WORK
    double next;        ///< whoever follows is told when so much is spent
    int count;          ///< pieces so far
    bool is_stopped;    ///< from outside: everything ends as soon as it can
    const char *mesh;
    const gmc_pieces_cache *cache; ///< NULL: nobody follows
} gmc_pieces_work;

/// What else is done, in distances.
#define GMC_PIECES_WORK_CLIP 0.05 ///< a polygon clipped
#define GMC_PIECES_WORK_HULL 1.5  ///< a point of a hull

/// Count it; `work` may be NULL: nobody counts.
void gmc_pieces_work_add(gmc_pieces_work *work, double cost);

/// No more than what must be done.
bool gmc_pieces_work_is_over(const gmc_pieces_work *work);

#endif
