/// A first grasp for `graspmc new`: where a hand may start above an object so that closing and
/// lifting hold it. What the hand's geometry suggests is screened by geometry and then
/// tried out, nominal values first, then with the object a little beside its place.
#ifndef GMC_CLI_NEW_NEW_GRASP_H
#define GMC_CLI_NEW_NEW_GRASP_H

#include "sampling/build/prepare.h"

/// Of the chosen grasp: nominal, and the object to each of four sides, where it also has to start
/// with the object three standard deviations that way and turned by as many.
enum { GMC_NEW_TRIES = 5 };

/// What the written scenario does not know of the object's place: normal, standard deviations.
static const double GMC_NEW_SIGMA = 0.002, GMC_NEW_SIGMA_YAW = 3; // [m], [deg]

typedef struct gmc_new_grasp {
    gmc_vec3 place; ///< of the hand's frame in that of the object [m]
    double roll, pitch, yaw;
    double *joints; ///< (hand.joint_count) starts; to be freed
    double *own;    ///< (hand.joint_count) where joints start if nobody says otherwise; to be freed
    double *share;  ///< (hand.joint_count) how far open, 1: wide; NaN: held; to be freed
    double force;   ///< of `close` [N, N·m]
    double press;   ///< with which `force` presses at each tip [N]
    double press_at_limit; ///< with which the drives' limits would; may be infinite [N]
    double limit_each;     ///< what that gives each joint that it moves; may be infinite [N, N*m]
    int limit_dof;         ///< of the drive with the lowest limit; -1: none has one
    int tips;              ///< that carry the object
    double width;  ///< of the object along the closing direction; 0: taken by an end of it [m]
    double clear;  ///< way between the fingers at the start; NaN: no two sides face each other [m]
    int held;      ///< of GMC_NEW_TRIES; 0: none holds, this one only starts free of overlap
    int grips;     ///< ways of closing that the hand has for an object that wide
    int screened;  ///< starts that geometry suggested
    int tried;     ///< of these were simulated
    bool is_clean; ///< the hand touches the object before anything else
    bool is_free;  ///< this start is without overlap
} gmc_new_grasp;

/// Called ten times a second and more while starts are simulated, by the caller's thread.
typedef void gmc_new_grasp_listener(void *context, const gmc_new_grasp *so_far);

/// @param prepared  of one object and a driven hand, whose criteria say whether it holds
/// @param force     of `close`; 0: as much as the object's weight asks for
/// @param listen    NULL: nobody
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, GMC_E_LIBRARY (no thread could be started)
GMC_MUST_CHECK gmc_status gmc_new_grasp_find(const gmc_prepared *prepared, double force,
                                             gmc_new_grasp_listener *listen, void *context,
                                             gmc_new_grasp *grasp);

void gmc_new_grasp_free(gmc_new_grasp *grasp);

#endif
