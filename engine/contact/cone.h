/// Coulomb's cone |r_T| <= mu r_N of one contact: where an impulse stands in it.
#ifndef GMC_ENGINE_CONTACT_CONE_H
#define GMC_ENGINE_CONTACT_CONE_H

#include "engine/contact/contact.h"

/// |r_T| / r_N: the friction that an impulse (n, t1, t2) needs; 0 where nothing presses [-]
static inline double gmc_cone_needed(const double impulse[3])
{
    if (!(impulse[0] > 0)) return 0;
    return sqrt(impulse[1] * impulse[1] + impulse[2] * impulse[2]) / impulse[0];
}

/// Open without normal impulse, slip on the cone to rounding, stick inside.
static inline gmc_contact_mode gmc_cone_mode(const double impulse[3], double friction)
{
    const double rim = 1 - 1e-12; // projections land on the rim to some 1e-16
    if (!(impulse[0] > 0)) return GMC_CONTACT_OPEN;
    return gmc_cone_needed(impulse) < rim * friction ? GMC_CONTACT_STICK : GMC_CONTACT_SLIP;
}

#endif
