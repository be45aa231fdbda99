/// Deciding early: a trial may end before its program does, as soon as nothing that can still
/// happen changes its verdict (DESIGN.md §6). Three rules, each of which can be switched off:
///
///   broken    a criterion of `always` is broken: a failure, whatever follows
///   falling   the object falls freely, everything else is above it and stays there, and before the
///             program ends it will have left the workspace: it is lost
///   rest      from here on the program only holds, nothing moves, every touching contact sticks:
///             what is measured now is what will be measured at the end
///
/// The rollout does not ask them where the rest of the program could run into the limit of time or
/// of steps. That
/// a verdict is right is not proved but audited: a share of the trials runs on to the end.
#ifndef GMC_ENGINE_EARLY_H
#define GMC_ENGINE_EARLY_H

#include "engine/control/program.h"
#include "engine/grasp/measure.h"
#include "engine/grasp/success.h"

/// What decided a trial. The values are stored in files: append only.
typedef enum gmc_decision {
    GMC_DECISION_END = 0, ///< none of the rules: it ran to its end, or is unsolved
    GMC_DECISION_BROKEN = 1,
    GMC_DECISION_FALLING = 2,
    GMC_DECISION_REST = 3,
    GMC_DECISION_COUNT
} gmc_decision;

/// "end", "broken", "falling", "rest".
const char *gmc_decision_name(gmc_decision decision);

/// Which rules decide, and whether they are obeyed.
typedef struct gmc_early_options {
    bool broken, falling, rest;
    bool is_audited; ///< note the verdict, but run on to the end of the program
} gmc_early_options;

/// What the rules look at; all of the rollout's, after an accepted step.
typedef struct gmc_early_view {
    const gmc_early_options *rules;
    const gmc_program *program;
    const gmc_program_state *at;
    const gmc_world *world;
    const gmc_measure_plan *plan;
    const gmc_measure_state *measures;
    const gmc_criteria *criteria;
    double workspace; ///< see gmc_rollout_options [m]
} gmc_early_view;

/// What is remembered from step to step; arrays in the trial arena.
typedef struct gmc_early_state {
    int steady_from; ///< first phase from which on the program only holds; phase_count: there is
                     ///< none
    int waited;      ///< steps since the rules were last asked
    double since;    ///< when the stretch without motion began; < 0: something moves [s]
    int steps;       ///< steps since
    double speed;    ///< fastest dof then [m/s, rad/s]
    double *before;  ///< (asked_count) measures then
    double *now, *tried;   ///< (asked_count) scratch
    gmc_decision decision; ///< the first rule that decided; GMC_DECISION_END: none yet
    double time;           ///< when [s]; NaN: not yet
    bool is_success;       ///< its verdict
} gmc_early_state;

/// Room for the state.
/// @return GMC_OK, GMC_E_ARENA_FULL (state is then of no use)
GMC_MUST_CHECK gmc_status gmc_early_create(const gmc_measure_plan *plan, const gmc_program *program,
                                           gmc_arena *arena, gmc_early_state *state);

/// Is it worth asking the rules after this step? Costs nothing where it says no, as it does for
/// most steps: those while the program moves ask for a fall only, and only now and then.
bool gmc_early_is_due(const gmc_program_state *at, bool is_broken, gmc_early_state *state);

/// Ask the rules, after an accepted step that left the object in the workspace and the program
/// unfinished. Not to be called again once one of them has decided.
/// @param is_broken  a criterion of `always` is or was broken
/// @return whether a rule has decided: `decision`, `time` and `is_success` say what
bool gmc_early_look(const gmc_early_view *view, bool is_broken, gmc_early_state *state);

/// Longest time that the program may still take [s].
double gmc_early_time_left(const gmc_program *program, const gmc_program_state *at, double t);

/// The rule `falling` on its own: is the object bound to leave the workspace?
bool gmc_early_falls(const gmc_early_view *view);

#endif
