/// Where driven joints are within a step whose ends are given: on the straight line between them,
/// or on a smooth course whose speeds do not jump where steps meet.
#ifndef GMC_ENGINE_CONTACT_MECHANISM_DRIVEN_H
#define GMC_ENGINE_CONTACT_MECHANISM_DRIVEN_H

#include "engine/dynamics/kinematics.h"

/// Coordinates of the driven joints when `share` of the way from `from` to `to` is over: on the
/// straight line, which turns by little within a step.
/// @param from, to  (q_count)
/// @param share     0..1
/// @param q         (q_count) out; only those of driven joints are written
void gmc_driven_place(const gmc_model *model, const double *from, const double *to, double share,
                      double *q);

/// Motion of the driven dofs over one step. Arrays (dof_count), read at driven dofs alone.
typedef struct gmc_driven_step {
    const double *from;               ///< (q_count) coordinates at its start
    const double *start, *mean, *end; ///< velocities: at its start, over it, at its end
    double h;                         ///< [s]
} gmc_driven_step;

/// Where they are at some time; only what belongs to driven joints is written.
typedef struct gmc_driven_state {
    double *q;     ///< (q_count)
    double *v, *a; ///< (dof_count)
} gmc_driven_state;

/// Coordinates, velocities and accelerations when `share` of the step is over. Each dof's velocity
/// is the parabola with these ends and this mean; turns of more than one axis are right to second
/// order in the angle of the step.
/// @param kin    poses of what carries driven joints, which does not turn itself
/// @param share  0..1
/// @param at     its arrays are written
void gmc_driven_course(const gmc_model *model, const gmc_kinematics *kin,
                       const gmc_driven_step *step, double share, const gmc_driven_state *at);

#endif
