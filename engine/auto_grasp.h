/// The static grasp: fingers close on an object that is fixed, and what they then touch it with is
/// measured as a grasp. No forces, no time, nothing else moves.
///
/// All fingers advance at one speed, 1 rad/s (0.1 m/s) of each joint that closes. A joint stops
/// where a link that it moves meets what is no part of the hand. One that follows another by a gear
/// with a clutch (program.h) goes on alone where that one is stopped by a link that the follower
/// does not move, or by its limit; without a clutch it stops with it. Links of the hand do not stop
/// each other. Source: [miller2003] §6, whose statement is that this is not where a grasp with
/// dynamics ends.
#ifndef GMC_ENGINE_AUTO_GRASP_H
#define GMC_ENGINE_AUTO_GRASP_H

#include "engine/rollout.h"

/// What touches counts within this: the shell of [miller2003] §3 [m].
static const double GMC_AUTO_GRASP_SHELL = 1e-4;

typedef struct gmc_auto_grasp {
    bool is_closed;  ///< force closure (wrench.h), of the largest friction of each pair
    double epsilon;  ///< -1: it is not [-]
    double volume;   ///< 0: its wrenches are flat [-]
    double friction; ///< the least with which it would close; inf: none [-]
    int link_count;  ///< bodies of the hand that touch the object
    int point_count; ///< points at which they do
    const double *q; ///< (q_count) where the fingers stopped, in `trial` [m, rad]
} gmc_auto_grasp;

/// Close the hand of a trial's start.
/// @param trial, scratch  as in gmc_rollout_run
/// @param found  out; without a hand, fingers or an object nothing touches
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT (more contacts than planned for), GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_auto_grasp_find(const gmc_rollout_input *input, gmc_arena *trial,
                                              gmc_arena *scratch, gmc_auto_grasp *found);

#endif
