/// The Puma 560 of the literature, as a mechanism: standard Denavit–Hartenberg parameters, link
/// masses, centres and inertias, motor inertia through the gears. Source of the numbers:
/// [corke1994], which reconciles [armstrong1986] with others.
#ifndef GMC_TEST_SUPPORT_PUMA_H
#define GMC_TEST_SUPPORT_PUMA_H

#include "engine/model/model.h"

enum { SUPPORT_PUMA_JOINTS = 6 };

/// Viscous friction of a joint at its output side, B G² [N·m·s/rad], and Coulomb friction there
/// when it turns forwards, T_c+ |G| [N·m].
double support_puma_viscous(int joint);
double support_puma_coulomb(int joint);

/// The nominal pose q_n, elbow up, that published check values refer to [rad].
extern const double SUPPORT_PUMA_NOMINAL[SUPPORT_PUMA_JOINTS];

/// Joints "joint1" ... "joint6", links "link1" ... "link6", DH link frames "dh1" ... "dh6"; no
/// geoms, no joint friction, no limits (q_n lies outside the published +-135 degrees of joint 3);
/// starts at q_n. Gravity (0, 0, -9.81). Link 1 turns about its own axis only; its inertia about
/// it, 0.35 kg·m², is part of joint 1's armature.
/// @param X_wb   pose of the base (shoulder at its origin)
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status support_puma(gmc_pose X_wb, gmc_arena *arena, gmc_model *model);

#endif
