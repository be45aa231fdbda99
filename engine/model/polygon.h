/// Simple polygons and other planar shapes: judged, measured by closed forms, and polygons cut into
/// convex pieces. Set-up only.
#ifndef GMC_ENGINE_MODEL_POLYGON_H
#define GMC_ENGINE_MODEL_POLYGON_H

#include "engine/base/arena.h"
#include "engine/model/shape.h"

/// Most vertices of a polygon: all pairs of edges are held against each other.
enum { GMC_POLYGON_VERTEX_MAX = 2000 };

/// What is wrong with a list of vertices.
typedef enum gmc_polygon_flaw {
    GMC_POLYGON_GOOD,
    GMC_POLYGON_FEW,        ///< less than three vertices
    GMC_POLYGON_MANY,       ///< more than GMC_POLYGON_VERTEX_MAX
    GMC_POLYGON_NOT_FINITE, ///< at vertex `first`
    GMC_POLYGON_REPEATED,   ///< vertices `first` and `second` are at one place
    GMC_POLYGON_FOLDED,     ///< at vertex `first` the outline turns back on itself
    GMC_POLYGON_CROSSED,    ///< the edges that start at `first` and at `second` meet
    GMC_POLYGON_FLAT,       ///< it encloses no area
    GMC_POLYGON_CLOCKWISE
} gmc_polygon_flaw;

/// The first flaw in the order above, and the vertices that show it (from 0; -1: none in
/// particular).
typedef struct gmc_polygon_verdict {
    gmc_polygon_flaw flaw;
    int first, second;
} gmc_polygon_verdict;

gmc_polygon_verdict gmc_polygon_check(const gmc_vec2 *vertices, int count);

/// The verdict in words, vertices counted from 1, and how to mend it.
/// @param message  at least 1 byte
/// @return the hint, NULL if there is none
const char *gmc_polygon_explain(const gmc_polygon_verdict *verdict, const gmc_vec2 *vertices,
                                char *message, size_t bytes);

/// Area and its moments.
typedef struct gmc_polygon_moments {
    double area;       ///< [m²]
    gmc_vec2 centroid; ///< [m]
    double xx, yy, xy; ///< second moments of area about the centroid: ∫x², ∫y², ∫xy [m⁴]
} gmc_polygon_moments;

/// Of a simple polygon, counter-clockwise. Exact sums over its edges.
gmc_polygon_moments gmc_polygon_measure(const gmc_vec2 *vertices, int count);

/// Of a planar shape, in the frame of its geom. Super-ellipse: Dirichlet's integral,
///   ∫ x^(s-1) y^(t-1) over a quarter = a^s b^t Γ(s/p) Γ(t/p) / (p² Γ(1 + (s + t)/p))   [dlmf] 5.14
gmc_polygon_moments gmc_polygon_measure_shape(const gmc_shape *shape);

/// Convex pieces of a polygon, in a fixed order.
typedef struct gmc_polygon_pieces {
    int count;
    const gmc_polygon_piece *pieces;
} gmc_polygon_pieces;

/// Cut along diagonals, no vertices added; at most four times as many pieces as the fewest possible
/// [hertel1983]. A convex polygon is one piece. Vertices in the middle of a straight outline are
/// left out. The result lies in `arena` and does not refer to `vertices`.
/// @param vertices  (count) good (gmc_polygon_check)
/// @param pieces    out, untouched unless GMC_OK
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY, GMC_E_INPUT (not good, or so thin that rounding
///         hides which side is inside)
GMC_MUST_CHECK gmc_status gmc_polygon_split(const gmc_vec2 *vertices, int count, gmc_arena *arena,
                                            gmc_polygon_pieces *pieces);

/// Bytes of arena that gmc_polygon_split takes at most.
size_t gmc_polygon_split_bytes(int count);

/// A piece as a shape.
gmc_shape gmc_polygon_shape(const gmc_polygon_piece *piece, double thickness);

#endif
