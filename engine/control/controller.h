/// Who says what torque joints get, call by call: the table that controllers share, the plan of a
/// trial, and the laws that are built in. When they are called is the sampler's (sampler.h).
#ifndef GMC_ENGINE_CONTROL_CONTROLLER_H
#define GMC_ENGINE_CONTROL_CONTROLLER_H

#include "engine/control/graspmc_controller.h"
#include "engine/control/program.h"

#include <stdint.h>

/// Somebody's controller; graspmc_controller.h says what the functions are told.
typedef struct gmc_controller {
    void *context; ///< of the one worker that calls it
    /// @return GMC_OK, GMC_E_LIBRARY (it cannot run: the trial is unsolved), GMC_E_TIMEOUT (no
    ///         answer in time: no trial can be trusted), GMC_E_MEMORY
    gmc_status (*reset)(void *context, const graspmc_start *start);
    /// @param torque   (joint_count) out; NaN before
    /// @param is_done  out: it need not be called again
    /// @return as reset
    gmc_status (*step)(void *context, const graspmc_view *view, double *torque, bool *is_done);
} gmc_controller;

/// Which law answers.
typedef enum gmc_control_law {
    GMC_CONTROL_PD,              ///< servos on the program's references
    GMC_CONTROL_COMPUTED_TORQUE, ///< the same, and what the references take by inverse dynamics
    GMC_CONTROL_GRAVITY,         ///< what holds the weight where the encoders say the joints are
    GMC_CONTROL_TABLE,           ///< torques over time
    GMC_CONTROL_GIVEN            ///< a gmc_controller
} gmc_control_law;

/// Torques over time: those of a row hold from its time on, those of the first before, too.
typedef struct gmc_control_table {
    int count;
    const double *time;   ///< (count) increasing [s]
    const double *torque; ///< (count * joint_count) [N, N·m]
} gmc_control_table;

/// Standard normal numbers, addressed by joint and reading.
typedef struct gmc_control_noise {
    const void *context;
    double (*at)(const void *context, int joint, uint64_t reading);
} gmc_control_noise;

/// How one trial is controlled. Kept by the caller as long as the rollout runs.
typedef struct gmc_control_plan {
    gmc_control_law law;
    double rate;          ///< calls per second, > 0 [Hz]
    double delay;         ///< from a call until its torque acts [s]
    double encoder_delay; ///< from a reading until the call that sees it [s]
    int count;
    const int *dofs;          ///< (count) free dofs of joints and planar bodies, drives (program.h)
    bool moves_bodies;        ///< planar ones, with a force on the mass centre, are among them
    const double *resolution; ///< (count) of encoders; 0: none [m, rad]
    const double *noise;      ///< (count) standard deviation of readings [m, rad]
    const double *bias;       ///< (count) of readings [m, rad]
    gmc_control_noise chance; ///< `at` NULL: readings have no noise
    gmc_control_table table;  ///< of GMC_CONTROL_TABLE
    gmc_controller given;     ///< of GMC_CONTROL_GIVEN; without functions: it cannot run
    graspmc_start start;      ///< names, arguments and who it is; the sampler fills in the rest
    const int *links;         ///< (start.link_count) bodies
    bool sees_touch, sees_forces;
    const double *object; ///< (7) believed pose; NULL: not seen
} gmc_control_plan;

/// @param plan  NULL: nothing is controlled
static inline bool gmc_control_moves_bodies(const gmc_control_plan *plan)
{
    return plan && plan->moves_bodies;
}

/// What a built-in law is told besides the view.
typedef struct gmc_control_moment {
    const gmc_control_plan *plan;
    const gmc_program *program;
    const gmc_program_state *at;
    const gmc_world *world;
    gmc_kinematics *kin; ///< room for the poses that it looks at
    double *q, *v, *a;   ///< (q_count), (dof_count), (dof_count) room likewise
    double *tau;         ///< (dof_count)
} gmc_control_moment;

/// The answer of a built-in law, all but GMC_CONTROL_GIVEN.
/// @param torque   (plan->count) out
/// @param scratch  reset by the caller
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_controller_answer(const gmc_control_moment *moment,
                                                const graspmc_view *view, double *torque,
                                                gmc_arena *scratch);

#endif
