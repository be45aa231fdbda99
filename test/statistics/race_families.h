/// Synthetic studies on which rankings are measured: cases whose success probabilities are drawn
/// from a stated family, with chance of their own or with a part of it in common.
#ifndef GMC_TEST_STATISTICS_RACE_FAMILIES_H
#define GMC_TEST_STATISTICS_RACE_FAMILIES_H

#include "sampling/design/ranking.h"

typedef enum race_family_kind {
    RACE_BETA,      ///< Beta(a, b)
    RACE_NEAR_TIES, ///< `best` at 0.85, 50 at 0.825, the others uniform from 0.425 to 0.825
    RACE_THRESHOLD, ///< `best` at 0.9, all others just too bad
    RACE_EQUAL      ///< all at 0.8
} race_family_kind;

typedef struct race_family {
    const char *name;
    race_family_kind kind;
    double a, b;
    /// Share of a trial's variance that all cases meet alike: it succeeds iff
    /// √common u + √(1 − common) e < Φ⁻¹(p), u of the draw, e of the trial.
    double common;
} race_family;

/// What came of one study.
typedef struct race_outcome {
    bool is_wrong;   ///< one of the best is worse than p_(best) by more than `within`
    bool is_reached; ///< it said that it was sure
    int rounds;
    uint64_t trials;
    /// The fewest trials from which on, stopped by a budget, it would not have been wrong.
    uint64_t right_from;
} race_outcome;

/// Run a ranking on study number `study` of a family.
race_outcome race_families_run(const race_family *family, const gmc_ranking_plan *plan,
                               uint64_t study);

/// Equal shares on the same studies.
typedef struct race_equal {
    double right; ///< draws of every case from which on at most `error` of the studies err: nobody
                  ///< can know this number beforehand, and nothing in a single study shows it
    double certain; ///< draws of every case from which on 1 - `error` of the studies can claim, by
                    ///< simultaneous Clopper-Pearson bounds, what the ranking claims
} race_equal;

/// @param error    1 - level
/// @param studies  for `right`; the first tenth of them for `certain`
/// @param most     draws at which the search for `certain` ends
race_equal race_families_equal(const race_family *family, const gmc_ranking_plan *plan, int studies,
                               double error, int most);

#endif
