/// A face of a box that lies well within a face of another, as a pad on a plate or a plate on a
/// pad: its four corners are the manifold. The same points as overlay.h gives, for a fifth of the
/// work.
#ifndef GMC_ENGINE_COLLISION_NESTED_H
#define GMC_ENGINE_COLLISION_NESTED_H

#include "engine/collision/pair.h"

#include <stdbool.h>

/// @param is_of_a      the contact normal is that of a face of a, else of b
/// @param face         that face (numbers of shape.h)
/// @param other        the face of the other box that is seen most directly from it
/// @param manifold     out: corners with a gap within the margin; untouched if not nested
/// @return false: some corner is near or beyond the rim of the other face, look at all of both
bool gmc_nested_find(const gmc_pair *pair, bool is_of_a, int face, int other,
                     gmc_manifold *manifold);

#endif
