/// What the files of flush.h share: a contact seen from one of its solids, and how it is measured
/// along a face of that one.
#ifndef GMC_ENGINE_COLLISION_FLUSH_INTERNAL_H
#define GMC_ENGINE_COLLISION_FLUSH_INTERNAL_H

#include "engine/collision/flush.h"

#include <stdbool.h>

/// The contact of the neighbour may lean by this much (cosine; 8 degrees) where the other solid's
/// face gives the normal and rocks.
#define GMC_FLUSH_LEVEL 0.99

/// A member seen from what it touches: `own` is of the set, `other` touches several of it.
typedef struct gmc_flush_role {
    gmc_seam_member *contact;
    const gmc_solid *own, *other;
    bool is_b;      ///< own is the pair's b
    bool has_patch; ///< it presses by a pad: of the manifold the normal alone counts
    gmc_vec3 out;   ///< the manifold's normal, out of own
} gmc_flush_role;

/// A face of a solid, in the frame of its query.
typedef struct gmc_flush_plane {
    int face; ///< -1: none
    gmc_vec3 n;
    double offset; ///< n·x = offset [m]
} gmc_flush_plane;

/// Has a shape of this type flat faces?
bool gmc_flush_is_flat(gmc_shape_type type);

/// Out of line by as much as is flush in this pair [m].
double gmc_flush_step_of(const gmc_pair *pair);

/// The face towards `out` of those at the farthest point along it.
gmc_flush_plane gmc_flush_face_along(const gmc_solid *solid, gmc_vec3 out);

/// Is the other solid in front of this face of w, by as much as its contact beside w lets it dip?
bool gmc_flush_is_in_front(const gmc_flush_role *w, const gmc_flush_role *neighbour,
                           const gmc_flush_plane *f);

/// Where a contact point lies on the surface of own, in its query's frame.
gmc_vec3 gmc_flush_place_on(const gmc_flush_role *r, int point);

/// w is not met.
void gmc_flush_drop(const gmc_flush_role *w);

/// The way of o along a face of w within the step, as the bodies move now where they meet; of
/// length 0 if it does not go away from the neighbour. What is round turns on the spot: its axis
/// goes where its lowest points go.
gmc_vec3 gmc_flush_way_along(const gmc_flush_role *w, const gmc_flush_role *neighbour,
                             const gmc_flush_plane *f);

/// The contact points of a pair along a face of one of its solids.
/// @param way  of the other solid within the step, along the face: what it brings over the face is
///             met, too; of length 0: what is over it now
void gmc_flush_measure_along(const gmc_flush_role *w, const gmc_flush_plane *f, gmc_vec3 way);

/// Measure w along the face on which o goes on, where w and its neighbour meet at an angle in a
/// line: a ramp and the floor at its foot, either of them. What comes over the face within the step
/// is met already: found when it is there, it would have dipped in. Where w falls away, as a ramp
/// behind a crest, it is not met.
/// @return whether it was measured anew
bool gmc_flush_settle_at_edge(const gmc_flush_role *w, const gmc_flush_role *neighbour);

/// Measure w and the neighbour along their faces that are flush, where an edge of the other solid
/// presses into both at their seam: each is met from beside there, as deep as its hidden edge lies
/// in the other solid. Of what presses by a pad, which is deep.
/// @return whether they were measured anew
bool gmc_flush_settle_wedge(const gmc_flush_role *w, const gmc_flush_role *neighbour);

#endif
