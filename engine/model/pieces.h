/// Convex pieces of meshes that are not convex: approximate convex decomposition, computed from the
/// mesh alone, the same pieces every time.
///
/// A closed part of the mesh is cut by planes, again and again, always the piece whose hull strays
/// farthest from the mesh, until no hull does by more than `tolerance`; then pieces whose common
/// hull does not either are joined again. The pieces hold all of the mesh. Two figures say how much
/// more: the volume of the pieces beyond the mesh's, and the surface error, the largest distance
/// from the mesh of any point on the surface of a piece that is outside the mesh: both are bounds,
/// not samples.
///
/// Cutting by planes, the worst piece first, is [wei2022]'s way, the joint volume of the hulls as
/// the measure of a cut [mamou2016]'s; what differs is said in pieces.c.
///
/// The work is bounded. Of a piece with many faces the planes are judged by GMC_PIECES_FACES of
/// them, spread over it; and what has cost GMC_PIECES_WORK is cut no further, whatever is left to
/// be gained, with a warning that says so. Work is counted, not timed: the pieces depend on the
/// mesh and the options alone. The surface error is a bound in all cases.
///
/// Pieces may be given in the file: a part that is convex already is taken as it is. A mesh with a
/// hole has no inside: it becomes the hull of all its points, with a warning.
#ifndef GMC_ENGINE_MODEL_PIECES_H
#define GMC_ENGINE_MODEL_PIECES_H

#include "engine/base/file.h"
#include "engine/model/hull.h"

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

typedef struct gmc_pieces_options {
    bool is_hull;     ///< do not cut: one hull for each part
    double tolerance; ///< largest surface error, in units of the mesh; 0: GMC_PIECES_TOLERANCE
    int piece_max;    ///< most pieces of one part; 1 ... GMC_HULL_PIECES_MAX
    const gmc_pieces_cache *cache; ///< NULL: none
    double scale;                  ///< metres in one unit of the mesh, for messages only
} gmc_pieces_options;

/// Default tolerance, as a share of the largest extent of a part: 1 mm on a mug. Fine enough for
/// what fingers of 10 mm feel; a round wall becomes a dozen pieces.
#define GMC_PIECES_TOLERANCE 0.01

/// Most work on one part, in distances between a point and the mesh: about a microsecond each.
#define GMC_PIECES_WORK 40e6

/// Most faces of a piece that count one by one when its planes are judged; of more, a third of this
/// number stands for all, as many corners. A sphere of 20 000 triangles with 50 % noise: 64 pieces,
/// 173 % more volume and 5.0 mm of surface error, as with all of them.
#define GMC_PIECES_FACES 2048

/// Cut; default tolerance; 64 pieces; no cache; metres.
gmc_pieces_options gmc_pieces_defaults(void);

/// Pieces of a mesh. Reports, beside what gmc_hull_of_mesh does: a note with number and both errors
/// of the pieces, a warning where `piece_max` does not reach the tolerance.
/// @param     source  where messages point to
/// @param     pieces  to be freed with gmc_hull_pieces_free; empty unless GMC_OK
/// @return as gmc_hull_create, GMC_E_INTERRUPTED (whoever follows it said so; not reported)
GMC_MUST_CHECK gmc_status gmc_pieces_of_mesh(const gmc_mesh *mesh,
                                             const gmc_pieces_options *options, gmc_source source,
                                             gmc_diagnostics *report, gmc_hull_pieces *pieces);

#endif
