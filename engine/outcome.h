/// How trials end, and why some have no verdict.
#ifndef GMC_ENGINE_OUTCOME_H
#define GMC_ENGINE_OUTCOME_H

/// How a trial ended. The values are stored in files: append only.
typedef enum gmc_outcome {
    GMC_OUTCOME_SUCCESS = 0,     ///< every criterion met
    GMC_OUTCOME_MISSED = 1,      ///< an `at_end` criterion not met
    GMC_OUTCOME_VIOLATED = 2,    ///< an `always` criterion was broken on the way
    GMC_OUTCOME_LOST = 3,        ///< the object left the workspace; the trial ended there. Stands
                                 ///< above a broken `always` criterion
    GMC_OUTCOME_UNSOLVED = 4,    ///< not decided: see reason. Neither success nor failure
    GMC_OUTCOME_UNREACHABLE = 5, ///< a phase `move_to` cannot be carried out: see reason. A
                                 ///< failure; the trial ended there
    GMC_OUTCOME_COUNT
} gmc_outcome;

/// Why a trial is unsolved, or unreachable. The values are stored in files: append only.
typedef enum gmc_reason {
    GMC_REASON_NONE = 0,
    GMC_REASON_NO_SOLUTION = 1, ///< no rung reached the residual, at half step neither
    GMC_REASON_DIVERGED = 2,    ///< velocity or position not finite, or a body faster than belief
    GMC_REASON_CONTACTS = 3,    ///< more contacts than planned for
    GMC_REASON_STEP_LIMIT = 4,  ///< simulation.step_limit
    GMC_REASON_WORK_LIMIT = 5,  ///< simulation.work_limit
    GMC_REASON_TIME_LIMIT = 6,  ///< simulation.time_limit
    GMC_REASON_DEEP_START = 7,  ///< bodies overlap in the first step by more than rollout.h allows
    GMC_REASON_BAD_VALUE = 8,   ///< a drawn value outside what its parameter allows, a body whose
    ///< support does not hold it, or a camera that stands where it looks
    GMC_REASON_LIBRARY = 9, ///< an outside library failed
    GMC_REASON_JAM = 10,    ///< motion that nothing limits drives bodies into each other: forces
                            ///< beyond belief that last
    GMC_REASON_INTEGRATOR = 11, ///< an integrator could not keep its tolerance
    GMC_REASON_CONTROLLER = 12, ///< a controller ended, or answered what is no torque
    GMC_REASON_NO_WAY = 13, ///< geometry alone: no way was found, which does not show that there is
                            ///< none
    // of unreachable ones
    GMC_REASON_JOINT_LIMIT = 14,  ///< a joint would go beyond its limits
    GMC_REASON_OUT_OF_REACH = 15, ///< no joint positions within the limits put the tool there
    GMC_REASON_OFF_LINE = 16,     ///< the straight line leaves what the joints reach
    GMC_REASON_BLOCKED = 17,      ///< no way was found around what stands there
    GMC_REASON_TOO_WEAK = 18,     ///< a joint has not the force, however slowly it goes
    GMC_REASON_TOO_SLOW = 19,     ///< it takes longer than at_most, for a joint's limits
    GMC_REASON_COUNT
} gmc_reason;

/// What decided a trial. The values are stored in files: append only.
typedef enum gmc_decision {
    GMC_DECISION_END = 0, ///< none of the rules: it ran to its end, or is unsolved
    GMC_DECISION_BROKEN = 1,
    GMC_DECISION_FALLING = 2,
    GMC_DECISION_REST = 3,
    GMC_DECISION_BORNE = 4,
    GMC_DECISION_COUNT
} gmc_decision;

/// Names as files and answers have them; "unknown" for what is none.
const char *gmc_outcome_name(gmc_outcome outcome);
const char *gmc_reason_name(gmc_reason reason);
const char *gmc_decision_name(gmc_decision decision);

/// One line for users: what it means; "" for what is none.
const char *gmc_outcome_about(gmc_outcome outcome);
const char *gmc_reason_about(gmc_reason reason);

#endif
