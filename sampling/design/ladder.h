/// A study with a ladder of fidelities: which designs (cases) hold up, found with as few expensive
/// trials as possible. Pure bookkeeping: it says which trials come next, takes their findings, and
/// decides.
///
///   round 0:                         draws [0, first)
///   round r:                         draws [n(r-1), n(r)), n(r) = n(r-1) / keep, `last` at most
///   in every round, level by level:  every design that is left runs the round's draws at this
///                                    level; then the level rejects designs
///   at the end, the audit:           of the trials at the last level that the cheap levels spared,
///                                    each one with probability `audit`
///
/// Goal `works` ([berard2007] §V-A: find p in P that works for all m in M): a design is rejected by
/// the first level at which a trial fails, or, at a level that tolerates a share of failures, more
/// than that of its draws so far; the lowest trial of the round that failed, or, if the round had
/// none, of all, is its counterexample. Goal `best` (successive halving, [jamieson2016]): the
/// levels of a round together leave the share `keep` of its designs, each level an equal part of
/// that, keep^(1/levels), those with the most successes at this level so far. A level below the last
/// takes more where designs tie for its last place, all that do if they ever succeeded: it cannot
/// tell them apart (level `geometric` often gives all the same). At the last level, and of designs
/// without a success, ties go by the design's number; the last level of the last round rejects none.
///
/// A trial without a verdict rejects nothing at goal `works` and is no success at goal `best`.
///
/// Decisions are taken only between stages (a round at a level), from all findings of the stage:
/// they do not depend on the order in which trials end, on workers, or on interruptions, and the
/// same findings always lead to the same decisions. So a stored result is decided again from its
/// trials alone.
///
/// trial = (draw * cases + case) * levels + level.
#ifndef GMC_SAMPLING_DESIGN_LADDER_H
#define GMC_SAMPLING_DESIGN_LADDER_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/// What a trial says about its design.
typedef enum gmc_finding {
    GMC_FINDING_NONE,  ///< it was not run
    GMC_FINDING_WORKS, ///< success
    GMC_FINDING_FAILS, ///< failure
    GMC_FINDING_OPEN,  ///< no verdict
    GMC_FINDING_STUCK ///< no verdict, for it could not start: rejects like a failure, and counts as
                      ///< open
} gmc_finding;

typedef enum gmc_goal { GMC_GOAL_WORKS, GMC_GOAL_BEST } gmc_goal;

typedef struct gmc_ladder_plan {
    int64_t case_count;   ///< designs, >= 1
    int level_count;      ///< cheapest first, >= 1
    uint64_t first, last; ///< draws of the first round, of all rounds together; first <= last
    double keep;          ///< in (0, 1): how fast rounds grow; share of designs kept in one
    gmc_goal goal;
    const double *tolerate; ///< (level_count) shares of failing trials that levels overlook, at
                            ///< goal `works`, [0, 1); NULL: none. Outlives the ladder
    double audit;           ///< share of spared trials that are run at the last level, [0, 1]
    uint64_t seed;          ///< of the chance that chooses them
} gmc_ladder_plan;

/// What became of a design. The names of gmc_ladder_fate_name are stored in files.
typedef enum gmc_fate {
    GMC_FATE_WORKS,     ///< no trial failed, at any level
    GMC_FATE_OPEN,      ///< none failed, but at the last level some have no verdict
    GMC_FATE_KEPT,      ///< goal `best`: not rejected
    GMC_FATE_REJECTED,  ///< goal `works`: a trial failed
    GMC_FATE_OUTRANKED, ///< goal `best`: others were better
    GMC_FATE_COUNT
} gmc_fate;

#define GMC_LADDER_NO_TRIAL UINT64_MAX

/// A design, as far as it is decided.
typedef struct gmc_ladder_case {
    gmc_fate fate;
    int level;      ///< that rejected it; -1: none
    int round;      ///< the last that it entered
    uint64_t draws; ///< of the rounds that it entered
    uint64_t trial; ///< the lowest that failed at that level; at goal `best` perhaps none:
                    ///< GMC_LADDER_NO_TRIAL
    uint64_t works, fails, open; ///< its trials at the last level, without the audit's
    uint64_t decided_draws;      ///< draws of the rounds that it went through at the last level
    uint64_t audited, audit_works, audit_open;
} gmc_ladder_case;

/// A level, summed over designs.
typedef struct gmc_ladder_level {
    uint64_t trials;   ///< run at it, without the audit's
    uint64_t rejected; ///< designs
    uint64_t spared;   ///< trials at the last level that these would have run in the round in which
                       ///< they were rejected; 0 for the last level itself
    uint64_t audited, audit_works, audit_open; ///< of the spared ones
} gmc_ladder_level;

/// A stage: trials that may be run in any order, all of them before the next.
typedef struct gmc_ladder_stage {
    int round, level; ///< of an audit: round_count, the last level
    bool is_audit;
    const uint64_t *trials; ///< (count) rising; valid until the next call
    uint64_t count;         ///< > 0
    int64_t cases_left;     ///< designs that enter it
} gmc_ladder_stage;

typedef struct gmc_ladder gmc_ladder;

/// Largest number of addresses, cases * draws * levels: each takes a byte here and eight in a
/// journal.
enum { GMC_LADDER_TRIALS_MAX = 1 << 28 };

/// Rounds of a plan.
int gmc_ladder_rounds(const gmc_ladder_plan *plan);

/// Draws of the rounds up to and with `round`.
uint64_t gmc_ladder_draws(const gmc_ladder_plan *plan, int round);

/// Number of addresses, or 0 if they are more than GMC_LADDER_TRIALS_MAX.
uint64_t gmc_ladder_total(const gmc_ladder_plan *plan);

/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many trials); *ladder is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_ladder_create(const gmc_ladder_plan *plan, gmc_ladder **ladder);

/// Accepts NULL.
void gmc_ladder_free(gmc_ladder *ladder);

/// Take a finding in, at any time, in any order; the last one of a trial counts.
/// @param trial  < gmc_ladder_total
void gmc_ladder_put(gmc_ladder *ladder, uint64_t trial, gmc_finding finding);

/// Decide what the stage before has shown and open the next one that has trials.
/// @param stage  out; count 0: all is decided
/// @return GMC_OK; GMC_E_MISSING: a trial of the stage before has no finding (nothing is decided,
///         the call may be repeated); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ladder_next(gmc_ladder *ladder, gmc_ladder_stage *stage);

/// All stages, from findings that are there already.
/// @return GMC_OK, GMC_E_MISSING (a trial that the decisions ask for has no finding), GMC_E_MEMORY
GMC_MUST_CHECK static inline gmc_status gmc_ladder_decide(gmc_ladder *s)
{
    gmc_ladder_stage stage;
    do
        GMC_TRY(gmc_ladder_next(s, &stage));
    while (stage.count > 0);
    return GMC_OK;
}

/// Was it run?
bool gmc_ladder_has(const gmc_ladder *ladder, uint64_t trial);

/// Is it a trial of the audit? Known once its design is rejected.
bool gmc_ladder_is_audit(const gmc_ladder *ladder, uint64_t trial);

gmc_ladder_case gmc_ladder_of_case(const gmc_ladder *ladder, int64_t case_index);
gmc_ladder_level gmc_ladder_of_level(const gmc_ladder *ladder, int level);

/// "works", "open", "kept", "rejected", "outranked"
const char *gmc_ladder_fate_name(gmc_fate fate);

#endif
