/// A first grasp for `graspmc new`: where a hand may start above an object so that closing and
/// lifting hold it. What the fingers' geometry suggests is tried out, nominal values first, then
/// with the object a little beside its place.
#ifndef GMC_CLI_NEW_GRASP_H
#define GMC_CLI_NEW_GRASP_H

#include "sampling/scenario/prepare.h"

enum { GMC_NEW_TRIES = 5 }; ///< of the chosen grasp: nominal, and the object to each of four sides

typedef struct gmc_new_grasp {
    gmc_vec3 place; ///< of the hand's frame in that of the object [m]
    double roll, pitch, yaw;
    double *joints;      ///< (hand.joint_count) starts; to be freed
    double opening;      ///< share of the fingers' range, 1: wide open
    double force;        ///< of `close` [N, N·m]
    double width, space; ///< of the object between the fingers, and between these [m]; space 0: the
                         ///< fingers do not close against each other
    int held;            ///< of GMC_NEW_TRIES; 0: none holds, this one only starts free of overlap
    int tried;           ///< grasps that were simulated
    bool is_free;        ///< a start without overlap was found
} gmc_new_grasp;

/// @param prepared  of one object and a driven hand, whose criteria say whether it holds
/// @param force     of `close`; 0: as much as the object's weight asks for
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_new_grasp_find(const gmc_prepared *prepared, double force,
                                             gmc_new_grasp *grasp);

#endif
