/// Controllers of others: a library that is loaded, or a command that runs beside each worker.
///
/// They can do whatever the user may: neither runs unless the user said so (is_allowed of
/// gmc_control_spec), and neither is needed to replay a trial whose motion was recorded (actions.h).
///
/// A command is told by frames on its standard input and answers on its standard output, all in the
/// byte order of the machine: two 32-bit integers, a kind and a count, and as many doubles.
///
///   first     one line of JSON: version, names of joints, links and arguments, what is seen
///   1         a trial begins: seed, case, draw in halves of 32 bits, high first; period, delay;
///             lower, upper, max_force of each joint; arguments
///   2         a call: time; position, velocity, wanted_position, wanted_velocity, stiffness,
///             damping, servo_limit, force of each joint; touch; forces; object
///   3, 4, 5   answers to a call: torques of each joint; the same, done; it cannot go on
#ifndef GMC_SAMPLING_CAMPAIGN_FOREIGN_H
#define GMC_SAMPLING_CAMPAIGN_FOREIGN_H

#include "sampling/scenario/scenario.h"

#include <stdatomic.h>

/// That of one worker.
typedef struct gmc_foreign gmc_foreign;

/// What workers share, so that a command that cannot start is started once: all wait for the first.
typedef enum gmc_foreign_gate {
    GMC_FOREIGN_UNTRIED, ///< zero: nobody has
    GMC_FOREIGN_STARTING,
    GMC_FOREIGN_STARTS,
    GMC_FOREIGN_FAILS
} gmc_foreign_gate;

/// Load the library, or look for the command, which is started with its first trial.
/// @param report  takes what is wrong, where the scenario names it; NULL: nobody wants to know
/// @param foreign  out: NULL unless GMC_OK
/// @param gate     shared by the workers of a run; NULL: nobody else starts one
/// @param made     out: what the sampler calls. A command that died is started again with the next
///                 trial. Its `reset` returns GMC_E_MISSING of a command that ended before it had
///                 read what it is told first: no trial is to blame, and none would do better
/// @return GMC_OK, GMC_E_INPUT (not allowed; a library that cannot be loaded, lacks a function or
///         is of another version), GMC_E_MISSING (no such library or command), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_foreign_open(const gmc_scenario *scenario, gmc_diagnostics *report,
                                           atomic_int *gate, gmc_foreign **foreign,
                                           gmc_controller *made);

/// Are the library or the command, and files that its words name, there? Nothing is loaded or run.
/// @param report  takes what is missing; of what a word names a warning
/// @return GMC_OK, also where no controller is asked for; GMC_E_MISSING, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_foreign_look(const gmc_scenario *scenario, gmc_diagnostics *report);

/// Put down what the user allows, and say what would keep the controller from running.
/// @return as gmc_foreign_open; GMC_OK where none is asked for
GMC_MUST_CHECK gmc_status gmc_foreign_allow(gmc_scenario *scenario, bool is_allowed,
                                            gmc_diagnostics *report);

/// Say that the command cannot start: which, where it ran, what to do.
void gmc_foreign_say_unstarted(const gmc_scenario *scenario, gmc_diagnostics *report);

/// Accepts NULL. A command is told by the end of its input, and ended if it does not listen.
void gmc_foreign_close(gmc_foreign *foreign);

#endif
