/// Flush geoms of one rigid set (one body; all that never moves): one surface for what slides over
/// them.
///
/// Each pair of geoms measures its own contact, and where two geoms are flush each knows nothing
/// of the other: what slides over the seam overlaps the plane of both by its elastic overlap, is
/// still apart from the side of the second, and would meet that side as a wall. The rule:
///
///   Let o touch n, and let w be another geom of n's set with a flat face f. If n's contact points
///   lie in the plane of f (they are flush there), their normal is that of f (within 8 degrees: o
///   may rock), and o lies in front of that plane, then o meets w along f alone: contact points are
///   those of o over f, none if o is not over it.
///
/// The plane of f parts o and w, so no contact that is real is lost: w, which is convex, lies
/// behind it. A step, a wall that stands on a floor and a free outer edge have no such plane (o
/// reaches behind that of the wall's top; at the outer edge nobody is flush), and what lies in
/// front of two planes of w at once (over a top, beside a side) goes by the one that is continued
/// by a neighbour. Two geoms whose contacts coincide (a ball over a seam) make one.
///
/// Where n and w meet at an angle in a line, what o can touch of w there lies on n: it meets w
/// along the face on which it goes on (a ramp from its foot, or the floor there), with what it
/// brings over that face within the step, or not at all where w falls away (a ramp behind a crest).
/// n may be a half space.
///
/// Flush is what is out of line by at most GMC_FLUSH_STEP, and at most GMC_FLUSH_SHARE of the
/// smaller one's radius: higher steps are walls. Flush geoms need not touch: a gap between them is
/// passed over as long as o does not dip into it.
///
/// Others look at the normals of neighbouring triangles or segments when a world is built (ghost
/// vertices, internal edge removal), which takes that they are joined in the description; here
/// geoms are flush because they lie so.
#ifndef GMC_ENGINE_COLLISION_FLUSH_H
#define GMC_ENGINE_COLLISION_FLUSH_H

#include "engine/base/arena.h"
#include "engine/collision/seam.h"
#include "engine/model/model.h"

/// Faces that are out of line by no more than this are one plane [m]: what boards and plates of
/// machines are made to, many times the elastic overlap of what lies on them.
#define GMC_FLUSH_STEP 2e-5

/// The same, of the radius of the smaller of the two solids of a contact [-].
#define GMC_FLUSH_SHARE 5e-3

/// Rigid sets of a model: geoms that never move against each other.
typedef struct gmc_flush_sets {
    int *set;      ///< (geom_count) the first geom of the same set
    bool *is_many; ///< (geom_count) the set has other entries (compound.h), and flat faces
    int still;     ///< the set of all that never moves; -1: none
    int *head;     ///< (geom_count) gmc_flush_settle's own, all -1
    bool has_any;  ///< some is_many
} gmc_flush_sets;

/// One pair that has contact points and a geom with is_many.
typedef struct gmc_flush_member {
    int geom[2];     ///< a and b
    int entry[2];    ///< pieces of one entry are sorted out by seam.h
    bool is_single;  ///< neither entry has more than one geom
    bool is_reduced; ///< settle's own
    int next;        ///< the same: behind it in the list of its sets
    gmc_seam_member *contact;
} gmc_flush_member;

/// @param entries  (geom_count) geoms of the same number are one body's pieces (compound.h)
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_flush_sets_create(const gmc_model *model, const int *entries,
                                                gmc_arena *arena, gmc_flush_sets *sets);

/// Measure anew, by the rule above, the members that meet what they should not, and reduce what is
/// one flat contact over several single geoms of equal surface: fills is_chosen, which is all bits
/// before. Depends on the model, the members and their order alone.
void gmc_flush_settle(const gmc_flush_sets *sets, const gmc_model *model, gmc_flush_member *members,
                      int count);

#endif
