/// Poses written out in tests.
#ifndef GMC_TEST_SUPPORT_PLACES_H
#define GMC_TEST_SUPPORT_PLACES_H

#include "engine/math/pose.h"

static inline gmc_pose at(double x, double y, double z)
{
    return (gmc_pose){gmc_mat3_identity(), {x, y, z}};
}

/// `turn`: angle [rad] times axis.
static inline gmc_pose turned(double x, double y, double z, gmc_vec3 turn)
{
    return gmc_pose_make(gmc_quat_exp(turn), (gmc_vec3){x, y, z});
}

#endif
