/// Rigid contact, Coulomb friction, no bounce: one implicit step whose contacts are met at position
/// level, as an LCP.
///
///   Mh (v⁺ - v*) = J_nᵀ c + J_dᵀ β                 momentum           v⁺          [m/s, rad/s]
///   0 <= c ⊥ φ/h + J_n v⁺ + ∂φ/∂t >= 0             no penetration     c           [N·s]
///   0 <= β ⊥ J_d v⁺ + ∂ψ/∂t + E λ >= 0             max. dissipation   β           [N·s]
///   0 <= λ ⊥ mu c - Eᵀ β >= 0                      friction pyramid   λ           [m/s]
///
/// φ are the gaps of all pairs that may touch within the step, ∂/∂t what driven joints do to them.
/// A body arrives at a surface exactly and stays on it: gaps of what moves straight and does not
/// turn end at zero to rounding, whatever the step. An overlap that is there is pushed out within
/// one step; what turns overlaps by O(h²), for φ is linearised.
///
/// Sources: [berard2007] eqs 6-12, [stewart1996]. Departs from them: joints in generalised
/// coordinates and free bodies that carry their angular momentum (state.h) instead of M v; implicit
/// servos and joint friction of the mechanism (mechanism_joint.c). Limits of joints are met as gaps
/// are, 0 <= s ⊥ φ/h + J_l v⁺ >= 0 with φ what is left of the way.
///
/// First order in the step: what falls from rest leads by half a step.
///
/// Valid for inelastic contact, Painlevé configurations included. Bounce, rolling friction and pads
/// are not part of the law; static and kinetic friction, grain and moments about the normal are
/// (rigid_internal.h): their columns of D have a λ of their own, so that a contact bears them beside
/// all of its friction, as in coulomb.h. Directions of friction come in `friction_directions` facets (pyramid.h), with a corner where a contact slides:
/// friction is Coulomb's in all directions, but for what moves without inertia (rigid.c). A
/// solve that Lemke's method needs to regularise is reported as rung 2.
#ifndef GMC_ENGINE_CONTACT_RIGID_STEWART_TRINKLE_H
#define GMC_ENGINE_CONTACT_RIGID_STEWART_TRINKLE_H

#include "engine/contact/rigid/rigid.h"

extern const gmc_stepper gmc_stewart_trinkle_stepper;

#define GMC_STEWART_TRINKLE_ABOUT                                                                  \
    "rigid contact, gaps met at position level, friction pyramids; an LCP a step"
/// What becomes of what sticks in a hand that turns, for FORMAT.md.
#define GMC_STEWART_TRINKLE_STICKS                                                                 \
    "comes back, too, but where a step's problem has a second solution, which lets go (a wedge "   \
    "held at two points a side is let go in most trials in which the hand turns all round, in "    \
    "none in a shake of 20 deg)"

#define GMC_STEWART_TRINKLE_SOLVERS GMC_RIGID_SOLVERS

/// Words of `study.ladder` that mean it.
#define GMC_STEWART_TRINKLE_LEVELS(LEVEL)                                                          \
    LEVEL("quasi_static", "stewart_trinkle", "quasi_static")                                       \
    LEVEL("rigid", "stewart_trinkle", "dynamic")

#endif
