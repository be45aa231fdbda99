/// Trials counted by what they say about success.
#ifndef GMC_SAMPLING_ESTIMATE_TALLY_H
#define GMC_SAMPLING_ESTIMATE_TALLY_H

#include <stdint.h>

/// What one trial says. An unsolved one is neither success nor failure, and counted apart, because
/// trials are not unsolved at random.
typedef enum gmc_verdict {
    GMC_VERDICT_FAILURE,
    GMC_VERDICT_SUCCESS,
    GMC_VERDICT_UNSOLVED,
    GMC_VERDICT_COUNT
} gmc_verdict;

typedef struct gmc_tally {
    int64_t successes, failures, unsolved;
} gmc_tally;

static inline void gmc_tally_add(gmc_tally *tally, gmc_verdict verdict)
{
    tally->successes += verdict == GMC_VERDICT_SUCCESS;
    tally->failures += verdict == GMC_VERDICT_FAILURE;
    tally->unsolved += verdict == GMC_VERDICT_UNSOLVED;
}

static inline void gmc_tally_merge(gmc_tally *tally, gmc_tally other)
{
    tally->successes += other.successes;
    tally->failures += other.failures;
    tally->unsolved += other.unsolved;
}

/// Trials that count in a proportion: successes and failures.
static inline int64_t gmc_tally_decided(gmc_tally tally)
{
    return tally.successes + tally.failures;
}

static inline int64_t gmc_tally_trials(gmc_tally tally)
{
    return tally.successes + tally.failures + tally.unsolved;
}

#endif
