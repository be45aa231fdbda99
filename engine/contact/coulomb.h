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

#define GMC_COULOMB_ABOUT                                                                          \
    "compliant contact with elastic friction memory, exact Coulomb cone, implicit in time"

/// What becomes of what sticks in a hand that turns, for FORMAT.md.
#define GMC_COULOMB_STICKS "comes back to where it was, within 1e-9 m a minute where no pad is"

#define GMC_COULOMB_SOLVERS(separator) "newton" separator "nsgs" separator "prox" separator "admm"

#endif
