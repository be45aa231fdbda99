/// How trials fail, as far as their rows tell: which criteria of the scenario do not hold, or that
/// the object was lost, or which phase could not be carried out and why. Trials of one kind fail by
/// the same.
///
/// A trial whose `always` criterion broke is named by it, and by all others that its row shows to
/// have been broken; one that reached its end by the `at_end` criteria that do not hold there; one
/// that an early verdict ended because nothing could catch the object any more by that. What an
/// early verdict ended might have been lost later: its kind is how it failed first.
#ifndef GMC_SAMPLING_FINDINGS_KINDS_H
#define GMC_SAMPLING_FINDINGS_KINDS_H

#include "sampling/campaign/trial.h"
#include "sampling/scenario/scenario.h"
#include "sampling/store/plan.h"

/// Trials with equal ones are of one kind.
typedef struct gmc_kind {
    gmc_outcome outcome; ///< GMC_OUTCOME_MISSED, _VIOLATED, _LOST or _UNREACHABLE
    gmc_reason reason;   ///< why it is unreachable; of others GMC_REASON_NONE
    int phase;           ///< that is unreachable; -1: of others, or where no way was found at all
    bool is_falling;     ///< ended early, because nothing could catch the object any more
    uint64_t broken; ///< bit i: criterion i does not hold: first all `always`, then all `at_end`
} gmc_kind;

typedef struct gmc_kinds gmc_kinds;

/// @param scenario  of the run; outlives the answer, as does the plan
/// @return GMC_OK, GMC_E_MEMORY (*kinds is then NULL)
GMC_MUST_CHECK gmc_status gmc_kinds_create(const gmc_scenario *scenario, const gmc_store_plan *plan,
                                           gmc_kinds **kinds);

/// Accepts NULL.
void gmc_kinds_free(gmc_kinds *kinds);

/// Of a trial that failed.
gmc_kind gmc_kinds_of(gmc_kinds *kinds, const gmc_trial *trial);

/// Criteria that can be named, 64 at most.
int gmc_kinds_count(const gmc_kinds *kinds);

/// As written in the scenario.
const char *gmc_kinds_criterion(const gmc_kinds *kinds, int index);

static inline bool gmc_kinds_equal(const gmc_kind *a, const gmc_kind *b)
{
    return a->outcome == b->outcome && a->is_falling == b->is_falling && a->broken == b->broken &&
           a->reason == b->reason && a->phase == b->phase;
}

#endif
