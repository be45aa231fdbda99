/// Pieces of one body touching the same other body: their manifolds made into those of the whole.
///
/// Where pieces meet inside the body (seams) each knows only itself. A ball that rolls over a seam
/// of a flat floor finds the edge of the piece beside it, with a normal that leans; a corner that
/// dips in beside a seam may find the wall between the pieces. Such a manifold is dropped if all
/// its points lie on another piece which reaches farther along the normal: there the surface of the
/// whole is that other piece's, and it has a manifold of its own. And what several pieces say about
/// one flat contact is reduced like the manifold of one: a few points, the widest, the same as
/// before while they serve.
///
/// What engines do about such normals is known as internal edge removal; theirs look at normals of
/// triangles alone, which convex pieces do not have.
#ifndef GMC_ENGINE_COLLISION_SEAM_H
#define GMC_ENGINE_COLLISION_SEAM_H

#include "engine/collision/pair.h"

/// Normals of one flat contact, or of one plane, differ by at most this much (1 - cosine): 1e-3
/// rad, ten times what parallel means within a pair (GMC_PAIR_EDGE_MARGIN).
#define GMC_SEAM_SAME_NORMAL 5e-7

/// The manifold of the call before, as the pair's cache has it.
typedef struct gmc_seam_kept {
    int count;
    uint64_t features[GMC_PAIR_POINT_MAX];
    unsigned chosen; ///< bit i: features[i] was a contact
} gmc_seam_kept;

/// One pair of pieces that were queried.
typedef struct gmc_seam_member {
    gmc_pair pair;
    gmc_manifold manifold;
    gmc_vec3 origin; ///< of the frame of both, world [m]
    gmc_seam_kept before;
    unsigned is_chosen;                 ///< out: bit i: point i is a contact
    const struct gmc_seam_member *flat; ///< the first of those whose points are of one flat contact
                                        ///< with this one's
    bool is_joined;                     ///< of the first: its area is of several members and known
    gmc_flat_area area;                 ///< of the first
    double excess[GMC_PAIR_POINT_MAX];  ///< of the points (collider.h)
    int number;                         ///< the collider's own
} gmc_seam_member;

/// The members of one pair of bodies, all in one frame.
typedef struct gmc_seam_group {
    gmc_seam_member **members; ///< (count) in order of their geoms
    int count;
    bool a_is_compound, b_is_compound;
    double size; ///< smaller bounding radius of the two bodies' shapes [m]
} gmc_seam_group;

/// Choose among the points of a group. Fills is_chosen.
/// @param work  its candidates are used
void gmc_seam_choose(const gmc_seam_group *group, gmc_pair_work *work);

/// The same of members that make one flat contact: their points become those of one manifold, and
/// is_chosen says which. Their frames may differ.
/// @param size  as in gmc_seam_group [m]
void gmc_seam_reduce(gmc_seam_member *const *members, int count, double size, gmc_pair_work *work);

#endif
