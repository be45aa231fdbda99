/// Which points of a cylinder carry a contact whose normal is `dir`: four of a cap's rim, or the
/// two ends of a line on its side.
///
/// A cap that lies flat rests on four points fixed to the cylinder, a quarter turn apart from its x
/// axis on, so that they are the same ones from call to call. A tilted cap has its lowest rim point
/// among the four: exact, and rolling with the tilt. Between the two there is hysteresis; what the
/// fixed points miss of the lowest one while they count as flat is 0.3 * 2e-4 radius at most.
#ifndef GMC_ENGINE_COLLISION_CYLINDER_H
#define GMC_ENGINE_COLLISION_CYLINDER_H

#include "engine/collision/shape.h"

/// Numbers of the points, for feature ids.
enum {
    GMC_CYLINDER_FLAT = 0, ///< 0 .. 3: fixed rim points of the cap at -z, 4 .. 7: at +z
    GMC_CYLINDER_TILTED =
        8, ///< 8 .. 11: rim points of the cap at -z, the lowest first, 12 .. 15: at +z
    GMC_CYLINDER_SIDE = 16, ///< 16, 17: ends of the lowest line, at -z, +z
    GMC_CYLINDER_RIM = 18,  ///< 18, 19: where the rim of the cap at -z, +z crosses something
};

typedef struct gmc_cylinder_points {
    int count; ///< 4: a cap, counter-clockwise about its outward normal; 2: a line on the side
    gmc_vec3 points[4]; ///< query frame [m]
    int ids[4];
    int is_flat;         ///< cap taken as parallel to the contact plane
    gmc_vec3 cap_normal; ///< outwards, of the cap (count 4)
    gmc_vec3 cap_centre; ///< [m] (count 4)
} gmc_cylinder_points;

/// @param dir       unit, towards the other solid, query frame
/// @param was_flat  is_flat of the call before
void gmc_cylinder_towards(const gmc_solid *cylinder, gmc_vec3 dir, int was_flat,
                          gmc_cylinder_points *points);

#endif
