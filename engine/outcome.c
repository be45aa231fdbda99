#include "engine/outcome.h"

#include "engine/base/status.h"

typedef struct word {
    const char *name, *about;
} word;

static const word OUTCOMES[] = {
    [GMC_OUTCOME_SUCCESS] = {"success", "every criterion met"},
    [GMC_OUTCOME_MISSED] = {"missed", "a criterion at the end not met"},
    [GMC_OUTCOME_VIOLATED] = {"violated", "a criterion for all the time broken"},
    [GMC_OUTCOME_LOST] = {"lost", "the object left the workspace"},
    [GMC_OUTCOME_UNSOLVED] = {"unsolved", "not decided"},
    [GMC_OUTCOME_UNREACHABLE] = {"unreachable", "a phase move_to cannot be carried out"},
};

// Numbers are those of gmc_rollout_options_defaults; a test compares.
static const word REASONS[] = {
    [GMC_REASON_NONE] = {"none", "it is decided"},
    [GMC_REASON_NO_SOLUTION] = {"no_solution",
                                "no solver reached the residual, in steps of an eighth neither"},
    [GMC_REASON_DIVERGED] = {"diverged",
                             "a body faster than 100 m/s, or a velocity beyond all bounds"},
    [GMC_REASON_CONTACTS] = {"contacts", "more contacts than planned for"},
    [GMC_REASON_STEP_LIMIT] = {"step_limit", "simulation.step_limit reached"},
    [GMC_REASON_WORK_LIMIT] = {"work_limit", "simulation.work_limit reached"},
    [GMC_REASON_TIME_LIMIT] = {"time_limit", "simulation.time_limit reached"},
    [GMC_REASON_DEEP_START] = {"deep_start",
                               "bodies overlap by more than 2 mm at the start, or by all of a pad"},
    [GMC_REASON_BAD_VALUE] = {"bad_value", "a drawn value outside what its parameter allows, a "
                                           "body whose support does not hold it, or a camera that "
                                           "stands where it looks"},
    [GMC_REASON_LIBRARY] = {"library", "an outside library failed"},
    [GMC_REASON_JAM] =
        {"jam",
         "two bodies press on each other with more than 10 kN for 20 ms, or no motion keeps rigid "
         "ones apart"},
    [GMC_REASON_INTEGRATOR] = {"integrator",
                               "the integrator could not keep its tolerance, however short its "
                               "steps"},
    [GMC_REASON_CONTROLLER] = {"controller",
                               "the controller of `control` ended, could not go on, or answered "
                               "too few numbers or what is no number"},
    [GMC_REASON_NO_WAY] = {"no_way", "geometry alone: no way was found with study.plan.nodes"},
    [GMC_REASON_JOINT_LIMIT] = {"joint_limit", "a joint would go beyond its limits"},
    [GMC_REASON_OUT_OF_REACH] = {"out_of_reach",
                                 "no joint positions within their limits put the tool there"},
    [GMC_REASON_OFF_LINE] = {"off_line",
                             "the straight line leaves what the joints reach, or asks for a jump"},
    [GMC_REASON_BLOCKED] = {"blocked", "no way was found around what stands there"},
    [GMC_REASON_TOO_WEAK] = {"too_weak", "a joint would need more than its max_force, however "
                                         "slowly it goes"},
    [GMC_REASON_TOO_SLOW] = {"too_slow", "it takes longer than at_most, for limits of a joint"},
};

static word outcome_of(gmc_outcome outcome)
{
    int i = (int)outcome;
    return i >= 0 && i < GMC_COUNT(OUTCOMES) ? OUTCOMES[i] : (word){"unknown", ""};
}

static word reason_of(gmc_reason reason)
{
    int i = (int)reason;
    return i >= 0 && i < GMC_COUNT(REASONS) ? REASONS[i] : (word){"unknown", ""};
}

const char *gmc_outcome_name(gmc_outcome outcome) { return outcome_of(outcome).name; }
const char *gmc_outcome_about(gmc_outcome outcome) { return outcome_of(outcome).about; }
const char *gmc_reason_name(gmc_reason reason) { return reason_of(reason).name; }
const char *gmc_reason_about(gmc_reason reason) { return reason_of(reason).about; }

const char *gmc_decision_name(gmc_decision decision)
{
    switch (decision) {
    case GMC_DECISION_END:
        return "end";
    case GMC_DECISION_BROKEN:
        return "broken";
    case GMC_DECISION_FALLING:
        return "falling";
    case GMC_DECISION_REST:
        return "rest";
    case GMC_DECISION_BORNE:
        return "borne";
    case GMC_DECISION_COUNT:
        break;
    }
    return "unknown";
}
