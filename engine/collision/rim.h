/// Nearest points of a cylinder and an edge or corner, made exact. Support points alone find a
/// place on a rim only to the square root of the gap's accuracy.
#ifndef GMC_ENGINE_COLLISION_RIM_H
#define GMC_ENGINE_COLLISION_RIM_H

#include "engine/collision/gjk.h"

/// Improve `result` where one core is a whole cylinder and the nearest point of the other lies on
/// an edge or corner; leave it alone elsewhere. The cores are apart.
void gmc_rim_refine(const gmc_gjk_core *a, const gmc_gjk_core *b, gmc_gjk_result *result);

#endif
