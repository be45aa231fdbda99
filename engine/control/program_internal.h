/// What the files of the program share (private to engine/control/program*.c).
#ifndef GMC_ENGINE_CONTROL_PROGRAM_INTERNAL_H
#define GMC_ENGINE_CONTROL_PROGRAM_INTERNAL_H

#include "engine/control/program.h"

/// Reference of the base `time` after its phase began; INFINITY: at the phase's nominal end.
/// `program_profile.c` has these three.
gmc_program_place gmc_program_profile_base(const gmc_phase *phase, const gmc_program_state *state,
                                           double time);

/// Servo reference of a joint that the phase moves, and of every other, `time` after it began
/// [m, rad].
double gmc_program_profile_joint(const gmc_phase *phase, const gmc_program_state *state,
                                 double time, int dof);

/// Share of its full effect that a phase of this duration has reached after `time`: 0 to 1.
double gmc_program_profile_share(double time, double duration);

/// The dof of the joint that the current phase moves or shakes; -1: none.
int gmc_program_control_moved(const gmc_program *program, const gmc_program_state *state);

/// Write what does not change within the current phase into the control arrays: servos that hold,
/// fingers under force but for one that the phase moves (program_control.c).
void gmc_program_control_hold(const gmc_program *program, const gmc_model *model,
                              gmc_program_state *state);

/// Put a share of the way from set_start to the phase's values into the model.
/// @param middle  share in the middle of the step, of gravity, which acts over all of it
/// @param end     at its end, of all else
void gmc_program_control_set(const gmc_phase *phase, const gmc_program_state *state, double middle,
                             double end, gmc_model *model);

/// Value that a `set` entry changes.
double gmc_program_control_get(const gmc_set *set, const gmc_model *model);

/// Force that the fingers press with `time` after the phase began; of a force that was still
/// growing as its own phase ended as well [N, N·m].
double gmc_program_control_force(const gmc_program_state *state, double time);

/// Does the event that ends the phase hold now? (program_event.c)
/// @param time  since the phase began [s]
bool gmc_program_event_holds(const gmc_program *program, const gmc_phase *phase,
                             const gmc_world *world, const gmc_program_state *state, double time);

/// Places of bodies on paths at the end of the step, and mean forces of pushes within it
/// (program_course.c).
void gmc_program_course(const gmc_program *program, const gmc_world *world, double h,
                        gmc_program_state *state);

#endif
