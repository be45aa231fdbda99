/// The cap of a ball in a bed of springs (coulomb_pad.c) on faces with edges: what of it stands on them.
///
/// The cap is the parabola d(r) = δ - (r² - e²)/(2 ρ), r from the place under the ball's centre, e
/// how far from there the nearest face is, δ the depth of the ball there and ρ = √(R² - e²): it is
/// as steep there as the ball. The bed stores U = k/2 ∫ d² dA over what of d > 0 is on a face. Its
/// slopes as the centre moves are the force: k ∫ d dA along the face's normal, and aside, away from
/// where it stands,
///
///   k ∫ d (x/ρ) dA,  and along e besides  k e/(2 ρ³) ∫ d (r² - e²) dA,
///
/// so it goes through the ball's centre, as pressure on a ball does: one contact, whose normal
/// leans. A ball is borne by less at an edge, is pushed over it, and no way there and back gives
/// energy.
#ifndef GMC_ENGINE_CONTACT_COULOMB_CAP_H
#define GMC_ENGINE_CONTACT_COULOMB_CAP_H

#include "engine/base/arena.h"

#include <stdbool.h>

/// A convex face, counter-clockwise, about the place under the ball's centre.
typedef struct gmc_cap_face {
    int count;
    const double *x, *y; ///< (count) corners [m]
} gmc_cap_face;

/// More faces than this are not integrated.
enum { GMC_CAP_FACES = 32 };

/// What of faces is nearest to the place under the centre.
typedef struct gmc_cap_near {
    double away; ///< 0 over one [m]
    double x, y; ///< unit, from there to the centre; 0, 0 over one
} gmc_cap_near;

/// A ball over faces; those that overlap count once.
typedef struct gmc_cap {
    const gmc_cap_face *faces;
    int face_count;    ///< 1 to GMC_CAP_FACES
    double radius;     ///< R of the ball, > near.away [m]
    gmc_cap_near near; ///< what of them is nearest
} gmc_cap;

/// Against the whole cap, as deep as this one is at its deepest.
typedef struct gmc_cap_share {
    double force;          ///< length of the force, over π k R d² [-]
    double slope;          ///< its derivative along its direction, over 2 π k R d [-]
    double stored;         ///< energy, over π k R d³/3 [-]
    double lean_x, lean_y; ///< of the force on the ball, as tangents against the normal [-]
} gmc_cap_share;

/// @param faces  (count), count >= 1
gmc_cap_near gmc_cap_nearest(const gmc_cap_face *faces, int count);

/// Is a circle about that place on the face?
bool gmc_cap_is_whole(const gmc_cap_face *face, double radius);

/// @param depth  δ, > 0 [m]
/// @param share  out: all 0 if nothing of it is on a face
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_cap_integrate(const gmc_cap *cap, double depth, gmc_arena *arena,
                                            gmc_cap_share *share);

#endif
