/// Deciding early: a trial may end before its program does, as soon as nothing that can still
/// happen changes its verdict. Four rules, each of which can be switched off:
///
///   broken    a criterion of `always` or `from` is broken: a failure, whatever follows
///   falling   the object falls freely, everything else is above it and stays there, and before the
///             program ends it will have left the workspace: it is lost
///   rest      from here on the program only holds, nothing moves, every touching contact sticks:
///             what is measured now is what will be measured at the end
///   borne     the last shake fades, both its hardest pulls are behind, only phases `hold` follow,
///             and the same contacts have carried load and stuck throughout
///
/// The rollout does not ask them where the rest of the program could run into the limit of time or
/// of steps. That a verdict is right is not proved but audited: a share of the trials runs on to
/// the end.
#ifndef GMC_ENGINE_EARLY_H
#define GMC_ENGINE_EARLY_H

#include "engine/control/program.h"
#include "engine/grasp/measure.h"
#include "engine/grasp/success.h"
#include "engine/outcome.h"

/// Which rules decide, and whether they are obeyed.
typedef struct gmc_early_options {
    bool broken, falling, rest, borne;
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

/// Which contact it is.
typedef struct gmc_early_point {
    int geom_a, geom_b;
    uint64_t feature;
} gmc_early_point;

/// What the rule `borne` remembers of the stretch in which the same points carried load and stuck.
typedef struct gmc_early_borne {
    int phase;               ///< the shake behind which the program only holds; -1: there is none
    double since;            ///< when the stretch began; < 0: there is none [s]
    double look;             ///< when the measures are next looked at [s]
    double safe;             ///< when both the hardest pulls since are behind; NaN: not asked yet
    int point_count;         ///< loaded points
    gmc_early_point *points; ///< in the contacts' order; in the trial arena
    double *lower, *upper;   ///< (asked_count) of what was measured; in the trial arena
} gmc_early_borne;

/// What is remembered from step to step; arrays in the trial arena.
typedef struct gmc_early_state {
    int steady_from; ///< first phase from which on the program only holds; phase_count: there is
                     ///< none
    int waited;      ///< steps since `falling` was last asked
    bool asks_fall;  ///< it is its turn again
    double since;    ///< when the stretch without motion began; < 0: something moves [s]
    int steps;       ///< steps since
    double speed;    ///< fastest dof then [m/s, rad/s]
    double *before;  ///< (asked_count) measures then
    double *now, *lower, *upper, *tried; ///< (asked_count) scratch
    gmc_decision decision; ///< the first rule that decided; GMC_DECISION_END: none yet
    double time;           ///< when [s]; NaN: not yet
    bool is_success;       ///< its verdict
    gmc_early_borne borne;
} gmc_early_state;

/// Room for the state.
/// @param world  as its stepper created it
/// @return GMC_OK, GMC_E_ARENA_FULL (state is then of no use)
GMC_MUST_CHECK gmc_status gmc_early_create(const gmc_early_options *rules,
                                           const gmc_measure_plan *plan, const gmc_program *program,
                                           const gmc_world *world, gmc_arena *arena,
                                           gmc_early_state *state);

/// Is it worth asking the rules after this step? Costs nothing where it says no, as it does for
/// most steps: those while the program moves ask for a fall only, and only now and then, and those
/// of its last shake whether it is borne.
bool gmc_early_is_due(const gmc_program_state *at, bool is_broken, gmc_early_state *state);

/// Ask the rules, after an accepted step that left the object in the workspace and the program
/// unfinished. Not to be called again once one of them has decided.
/// @param is_broken  a criterion of `always` is or was broken
/// @return whether a rule has decided: `decision`, `time` and `is_success` say what
bool gmc_early_look(const gmc_early_view *view, bool is_broken, gmc_early_state *state);

/// Longest time that the program may still take [s].
double gmc_early_time_left(const gmc_program *program, const gmc_program_state *at, double t);

#endif
