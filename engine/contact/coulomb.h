/// The default stepper: compliant contact with elastic memory in the tangent plane and Coulomb's
/// exact cone, implicit in time, solved to rounding at every step.
///
/// Held objects do not creep at any step size: a sticking contact is a spring that remembers where
/// it took hold, and slip is what truncates it, as plasticity does. The rigid contact is its limit
/// for large stiffness. Smooth motion, of bodies and of trees of joints, is of second order in the
/// step. Equations: top of coulomb.c.
#ifndef GMC_ENGINE_CONTACT_COULOMB_H
#define GMC_ENGINE_CONTACT_COULOMB_H

#include "engine/contact/law.h"

extern const gmc_stepper gmc_coulomb_stepper;

#endif
