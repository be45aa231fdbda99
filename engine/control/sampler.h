/// A sampled controller in a trial: called at exact multiples of its period, whatever the step is;
/// what it answers acts `delay` later, constant over a period. Steps are cut where it is called,
/// where encoders are read and where a torque begins to act, so that half the step has the same
/// calls.
///
/// The first answer also acts until its own time comes: a controller ran before the trial began,
/// and held what it holds.
///
/// Laws whose impulses reach from the middle of one step to that of the next (law.h) get the mean
/// over these two halves, so that a torque is not half a step early: second order holds.
#ifndef GMC_ENGINE_CONTROL_SAMPLER_H
#define GMC_ENGINE_CONTROL_SAMPLER_H

#include "engine/control/controller.h"

/// A point of time that comes again every period.
typedef struct gmc_sampler_beat {
    double offset; ///< of the first behind the start of the trial; < 0: before it [s]
    uint64_t next; ///< number of the next
} gmc_sampler_beat;

typedef struct gmc_sampler {
    const gmc_control_plan *plan;
    gmc_sampler_beat read, call, act;
    int ring;             ///< readings and answers that are kept
    double *readings;     ///< (ring * count) positions as encoders gave them
    double *answers;      ///< (ring * count)
    double *now, *before; ///< (count) torques that act, and that acted in the step before
    double h_before;      ///< length of the step before; 0: none [s]
    bool is_staggered;    ///< the law takes impulses from middle to middle
    bool says_done;       ///< with the last answer
    bool is_done;         ///< from the call on that would have come next
    bool has_failed;      ///< it could not go on, or answered what is no number
    double *position, *velocity, *wanted_position, *wanted_velocity; ///< (count) of the view
    double *stiffness, *damping, *servo_limit, *force;               ///< (count) likewise
    double *lower, *upper, *max_force;                               ///< (count) of graspmc_start
    double *touch, *forces; ///< (link_count), (3 link_count)
    gmc_kinematics kin;
    double *q, *v, *a, *tau; ///< room for inverse dynamics
} gmc_sampler;

/// A rollout as the sampler sees it.
typedef struct gmc_sampler_scene {
    const gmc_program *program;
    const gmc_world *world;
    double span; ///< of the contacts' impulses; 0: there are none [s]
} gmc_sampler_scene;

/// Make room, and reset the controller.
/// @param program  for the limits of drives of several joints
/// @return GMC_OK, GMC_E_ARENA_FULL, as gmc_controller.reset
GMC_MUST_CHECK gmc_status gmc_sampler_create(const gmc_control_plan *plan,
                                             const gmc_program *program, const gmc_world *world,
                                             gmc_arena *arena, gmc_sampler *sampler);

/// What happened at a call, for the record.
typedef struct gmc_sampler_call {
    bool is_due;           ///< the controller was called now, or would have been were it not done
    const double *answers; ///< (count) NaN: it is done; infinite: it failed
} gmc_sampler_call;

/// Read, call and act as far as it is time.
/// @param at    of the program
/// @param call  out
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIBRARY (it cannot go on, or what it answered is no
///         number; `call` says so), GMC_E_TIMEOUT, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_sampler_run(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                                          const gmc_program_state *at, gmc_arena *scratch,
                                          gmc_sampler_call *call);

/// Length of the next step: at most h, and even steps until something is due [s].
double gmc_sampler_step(const gmc_sampler *sampler, double t, double h);

/// Put the torques into what gmc_program_control makes of a step of length h, before it.
static inline void gmc_sampler_control(const gmc_sampler *sampler, double h, gmc_program_state *at)
{
    const gmc_control_plan *plan = sampler->plan;
    bool is_mixed = sampler->is_staggered && sampler->h_before > 0;
    double share = is_mixed ? h / (sampler->h_before + h) : 1;
    for (int i = 0; i < plan->count; i++) {
        double from = sampler->before[i], to = sampler->now[i];
        at->sampled[plan->dofs[i]] = from == to ? to : from + share * (to - from);
        at->is_sampled[plan->dofs[i]] = true;
    }
}

/// After an accepted step of length h, whose impulses are forces times `span`.
static inline void gmc_sampler_stepped(gmc_sampler *sampler, double h, double span)
{
    if (sampler->h_before <= 0) sampler->is_staggered = span < 0.75 * h; // of the first step a half
    sampler->h_before = h;
    for (int i = 0; i < sampler->plan->count; i++)
        sampler->before[i] = sampler->now[i];
}

#endif
