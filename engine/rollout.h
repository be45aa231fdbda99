/// One rollout: (model, program, criteria, controls) -> outcome, measures, trajectory. Knows
/// nothing of chance, files or terminals. A pure function of its input: the same bits every time.
#ifndef GMC_ENGINE_ROLLOUT_H
#define GMC_ENGINE_ROLLOUT_H

#include "engine/contact/law.h"
#include "engine/control/program.h"
#include "engine/control/sampler.h"
#include "engine/early.h"
#include "engine/grasp/measure.h"
#include "engine/grasp/success.h"
#include "engine/outcome.h"
#include "engine/trajectory.h"

#include <stdatomic.h>

typedef struct gmc_rollout_options {
    const gmc_stepper *stepper;
    gmc_step_options step_options;
    double step;          ///< h [s]
    double time_limit;    ///< simulated [s]
    long long step_limit; ///< steps
    long long work_limit; ///< solver iterations
    double workspace;     ///< object farther than this from its start, and from the hand if there
                          ///< is one, is lost [m]
    double deep_start;    ///< largest overlap accepted in the first step, of pads no more than
                          ///< they have [m]
    double speed_max;     ///< a body that is faster was thrown by an error, not by a hand [m/s]
    double force_max;     ///< normal force between two bodies, over 8 ms, that jams if it lasts [N]
    double force_time;    ///< how long it lasts [s]
    int contact_max;      ///< contacts planned for
    double rate;          ///< trajectory rows per second, and its last; 0: every step [Hz]
    gmc_early_options early; ///< what may end the trial before its program does
} gmc_rollout_options;

gmc_rollout_options gmc_rollout_options_defaults(void);

/// How far a joint was from where its position servo had it to be, while phases moved joints.
typedef struct gmc_rollout_bend {
    double most; ///< at the end of a step [m, rad]
    int phase;   ///< in this phase of the program
} gmc_rollout_bend;

/// Everything that one rollout needs; const, may be shared.
typedef struct gmc_rollout_input {
    const gmc_model *model;
    const gmc_program *program;
    gmc_control_plan *control; ///< of joints with a sampled controller; NULL: all have servos
    const gmc_criteria *criteria;
    const gmc_measure_plan *measures;
    gmc_rollout_options options;
    const atomic_bool *stop; ///< NULL, or: true means give up now
    gmc_ode *ode; ///< for steppers that are integrated: this thread's alone, whatever it solved
                  ///< before; else NULL
    gmc_rollout_bend *bends; ///< (dof_count) out: all zero before; NULL: nobody asks
} gmc_rollout_input;

/// What a rollout found. `values` is in the order of the measure plan's columns.
typedef struct gmc_rollout_result {
    gmc_outcome outcome;
    gmc_reason reason;
    int phase;      ///< index of the phase in which it ended (phase_count: all done)
    int dof;        ///< unreachable for the sake of this joint; -1: none
    double off;     ///< unreachable: how far from its pose the tool can be put [m]; 0: not told
    double t_end;   ///< [s]
    double reach;   ///< how far the object was at most, against where it is lost [-]
    double *values; ///< (measures->column_count), caller's
} gmc_rollout_result;

/// Run one trial.
/// @param record  NULL: keep no trajectory. Else created with gmc_trajectory_create
/// @param trial   arena for the world, reset by the caller
/// @param scratch arena for one step, reset here at the top of each step
/// @param result  out: `values` is filled for unsolved trials too, with what was measured until
///                then; untouched unless GMC_OK
/// @return GMC_OK (also for unsolved trials: the result says so), GMC_E_ARENA_FULL (grow the arenas
///         and repeat; if both had room, the trajectory wants more rows or contacts), GMC_E_MEMORY
///         (an integrator or a controller found none), GMC_E_INTERRUPTED (stopped: no result),
///         GMC_E_TIMEOUT (a controller does not answer)
GMC_MUST_CHECK gmc_status gmc_rollout_run(const gmc_rollout_input *input, gmc_trajectory *record,
                                          gmc_arena *trial, gmc_arena *scratch,
                                          gmc_rollout_result *result);

/// Largest overlap that a start may have at a point: deep_start, and no more than there is of the
/// pads of the two geoms: a pad that is all overlap is pressed to its bottom before anything moves
/// [m].
double gmc_rollout_accepted(const gmc_rollout_input *input, const gmc_contact_point *point);

/// Look at the start of a trial alone: nothing moves.
/// @param trial, scratch  as in gmc_rollout_run
/// @param result  out: a success, or unsolved because bodies overlap by more than
///                gmc_rollout_accepted, as gmc_rollout_run would find; measures are those of the
///                start
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rollout_start(const gmc_rollout_input *input, gmc_arena *trial,
                                            gmc_arena *scratch, gmc_rollout_result *result);

/// Where a body has to get, as far as geometry tells.
typedef struct gmc_rollout_route {
    int body;      ///< on a free or planar joint
    gmc_pose goal; ///< of its body frame, in the world [m]
    int node_max;  ///< of the search (plan.h)
    bool rejects;  ///< that no way is found counts as a failure
} gmc_rollout_route;

/// The start as gmc_rollout_start looks at it; and if that can be, is there a way for a body from
/// there to where it has to get, all else standing still? Overlaps of a fiftieth of its size, of 0.5
/// mm at most, count as contact.
/// @param trial, scratch  as in gmc_rollout_run
/// @param result  out: a success if there is; else unreachable, or unsolved if that rejects nothing
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rollout_find_way(const gmc_rollout_input *input,
                                               const gmc_rollout_route *route, gmc_arena *trial,
                                               gmc_arena *scratch, gmc_rollout_result *result);

/// Where bodies touch or nearly do at the start of a trial.
typedef struct gmc_rollout_start_points {
    const gmc_contact_point *points; ///< (count) in `scratch`
    int count;
    const gmc_pose *X_wb; ///< (body_count) where the bodies are, in `trial`
} gmc_rollout_start_points;

/// The contacts that gmc_rollout_start looks at.
/// @param trial, scratch  as in gmc_rollout_run
/// @param found  out
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT (more contacts than planned for), GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_rollout_start_find(const gmc_rollout_input *input, gmc_arena *trial,
                                                 gmc_arena *scratch,
                                                 gmc_rollout_start_points *found);

/// How two groups of solids lie to each other.
typedef struct gmc_rollout_gap_found {
    double gap; ///< smallest distance, > 0 exact; < 0: how deep they overlap, as contacts have it;
                ///< inf: one of the groups is empty, or has only planar shapes; planes are found in
                ///< group b alone [m]
    double outside; ///< distance of the second from the box around the first, whose axes are those
                    ///< of its first body; 0: it reaches into it [m]
} gmc_rollout_gap_found;

/// Look at two groups of solids at the start of a trial.
/// @param a, b    bits of gmc_geom.category that tell the groups
/// @param trial, scratch  as in gmc_rollout_run
/// @param found   out
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_rollout_gap(const gmc_rollout_input *input, unsigned a, unsigned b,
                                          gmc_arena *trial, gmc_arena *scratch,
                                          gmc_rollout_gap_found *found);

#endif
