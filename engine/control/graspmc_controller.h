/// What a controller in a library of your own has to export, for `control: {by: {library: my.so}}`.
///
///   #include <graspmc_controller.h>
///   const int graspmc_controller_version = GRASPMC_CONTROLLER_VERSION;
///   void *graspmc_controller_reset(void *controller, const graspmc_start *start) { ... }
///   int graspmc_controller_step(void *controller, const graspmc_view *view, double *torque) { ... }
///   void graspmc_controller_free(void *controller) { ... }
///
///   cc -std=c17 -O2 -ffp-contract=off -fPIC -shared -o my.so SOURCE
///
/// Each worker thread has a controller of its own, so that nothing is shared as long as you keep no
/// globals. A controller must be a pure function of what it is told from its reset on: then a trial
/// is the same on any machine, thread and day. Take random numbers from `seed` and `draw`, and no
/// time but that of the view. All numbers are SI: m, kg, s, N, rad; of a joint that slides [m, N],
/// of one that turns [rad, N·m]. Channels of bodies in the plane ("object/x") count as joints.
#ifndef GRASPMC_CONTROLLER_H
#define GRASPMC_CONTROLLER_H

#include <stdint.h>

#define GRASPMC_CONTROLLER_VERSION 1

/// What holds throughout a trial. Arrays and names live until the trial ends.
typedef struct graspmc_start {
    uint64_t seed, case_index, draw; ///< which trial it is
    double period;                   ///< between two calls [s]
    double delay;                    ///< from a call until its torque acts [s]
    int joint_count;
    const char *const *joints;   ///< (joint_count) names, in the order of all arrays of joints
    const double *lower, *upper; ///< (joint_count) limits of the position; -inf, +inf: none
    const double *max_force;     ///< (joint_count) torques are cut to it; +inf: no limit
    int link_count;              ///< 0: neither `touch` nor `forces` is seen
    const char *const *links;    ///< (link_count) bodies of the hand
    int argument_count;
    const char *const *argument_names; ///< (argument_count) of `arguments`
    const double *arguments;           ///< (argument_count) their values in this trial [SI]
} graspmc_start;

/// What is seen at a call.
typedef struct graspmc_view {
    double time;            ///< since the start of the trial, a multiple of the period [s]
    const double *position; ///< (joint_count) by the encoders
    const double *velocity; ///< (joint_count) difference of two readings over the period
    /// References, gains and forces by the program's phases, at `time`. `by: pd` answers for each joint
    ///   force + clamp(stiffness (wanted_position - position) + damping (wanted_velocity -
    ///   velocity), -servo_limit, servo_limit)
    const double *wanted_position, *wanted_velocity; ///< (joint_count)
    const double *stiffness, *damping;               ///< (joint_count) kp and kd
    const double *servo_limit;                       ///< (joint_count)
    const double *force;  ///< (joint_count) that the joint is to press with
    const double *touch;  ///< (link_count) 1: it touches something; NULL: not in `sees`
    const double *forces; ///< (3 link_count) of all contacts on the link, world axes, mean over the
                          ///< step before [N]; NULL: not in `sees`
    const double *object; ///< (7) where the robot believes the object to be at the start: x y z
                          ///< [m], quaternion w x y z; NULL: not in `sees`
} graspmc_view;

/// The version that the library was built for.
extern const int graspmc_controller_version;

/// A trial begins.
/// @param controller  NULL at first, else what the call before returned
/// @return the controller; NULL: it cannot run, which leaves the trial unsolved
void *graspmc_controller_reset(void *controller, const graspmc_start *start);

/// @param torque  (joint_count) out, NaN before: force or torque of each joint
/// @return 0; 1: done, this torque stays to the end of the trial and there are no more calls;
///         less: it cannot go on, which leaves the trial unsolved
int graspmc_controller_step(void *controller, const graspmc_view *view, double *torque);

/// @param controller  NULL: nothing happens
void graspmc_controller_free(void *controller);

#endif
