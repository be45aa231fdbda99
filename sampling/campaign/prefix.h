/// The trials from the first on without a gap, however they arrive: what a stopping rule may look
/// at. Stopping on whatever has finished would favour short trials; a prefix in the order of the
/// numbers does not depend on how long trials take, on the number of workers or on interruptions.
///
/// Looked at after every draw up to the hundredth, then whenever the draws have grown by a
/// hundredth: a pure function of the trials, and cheap. A surrogate costs more: it is asked at the
/// hundredth draw, then whenever they have grown by a seventh.
#ifndef GMC_SAMPLING_CAMPAIGN_PREFIX_H
#define GMC_SAMPLING_CAMPAIGN_PREFIX_H

#include "engine/base/status.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/stop.h"

#include <stddef.h>

typedef struct gmc_prefix {
    gmc_stop_rule rule;
    gmc_anytime anytime;      ///< of the draws up to the prefix' end, none after the verdict
    gmc_stop_verdict verdict; ///< UNDECIDED: not yet
    uint64_t count;           ///< trials of the whole range
    uint64_t next;            ///< first trial that is missing
    int64_t look;             ///< draws at which to look next
    gmc_tally draw;           ///< trials of the draw that is not complete
    /// Of GMC_STOP_SURROGATE: what it says of the first so many draws, whose trials are all there.
    /// NULL: it stays undecided.
    gmc_stop_verdict (*ask)(void *context, int64_t draws);
    void *ask_context;
    unsigned char *known; ///< (bytes) 2 bits a trial up to the last that is there: 0 missing,
                          ///< 1 + verdict; NULL without a rule
    size_t bytes;
} gmc_prefix;

/// @param count  trials of the range; with a rule it starts at 0 and holds whole draws
/// @return GMC_OK, GMC_E_MEMORY; gmc_prefix_free in every case
GMC_MUST_CHECK gmc_status gmc_prefix_create(gmc_prefix *prefix, gmc_stop_rule rule, uint64_t count,
                                            int64_t case_count, double level);

void gmc_prefix_free(gmc_prefix *prefix);

/// Take in a finished trial, once.
/// @return GMC_OK, GMC_E_MEMORY (two bits a trial that was run)
GMC_MUST_CHECK gmc_status gmc_prefix_add(gmc_prefix *prefix, uint64_t trial, gmc_verdict verdict);

/// The first look at a surrogate.
enum { GMC_PREFIX_SURROGATE_FIRST = 100 };

/// Draws at which to ask a surrogate after so many.
static inline int64_t gmc_prefix_next_surrogate(int64_t draws) { return draws + draws / 7; }

/// Draws at which to look after a look at so many.
static inline int64_t gmc_prefix_next_look(int64_t draws)
{
    enum { LOOKS_EACH = 100 };
    return draws + 1 + draws / LOOKS_EACH;
}

/// What the rule says of the draws so far, looked at or not.
gmc_stop_verdict gmc_prefix_judge(const gmc_prefix *prefix);

/// Trials that the result is made of: up to the draw at which the rule came to its verdict, or all.
static inline uint64_t gmc_prefix_trials(const gmc_prefix *p)
{
    return p->verdict == GMC_STOP_UNDECIDED ? p->count : p->next;
}

#endif
