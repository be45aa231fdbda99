/// A run of one case that stops as soon as success is known so well with the help of a surrogate
/// (`--until 'half_width<w by surrogate'`): what it looks at, and its interval.
///
/// Looks are at numbers of draws that are known beforehand (campaign/prefix.h), so that what is
/// seen is a pure function of the trials. A run that stops because its interval is short stops
/// early where the residuals happen to be few: the interval is taken at a level a little higher,
/// with the z' of fixed_width.h in place of z. Where the surrogate tells no more the interval is
/// Clopper and Pearson's, at that level too. At another level than the run looked at it is not
/// told: the sequence holds there.
#ifndef GMC_CLI_ANSWER_SURROGATE_UNTIL_H
#define GMC_CLI_ANSWER_SURROGATE_UNTIL_H

#include "cli/answer/surrogate_table.h"

/// With trials that have no verdict taken both ways.
typedef struct gmc_surrogate_told {
    int64_t draws;
    uint64_t unknown;
    double p_lower, p_upper; ///< equal, if none is unknown
    double lower, upper;
    bool is_useful; ///< false: the trials alone tell as much
} gmc_surrogate_told;

typedef struct gmc_surrogate_until {
    gmc_surrogate_table table;
    gmc_surrogate_told told;  ///< at the last look
    gmc_stop_verdict verdict; ///< of it
    gmc_status status;        ///< of the last look
} gmc_surrogate_until;

/// Why the rule cannot stop this run; NULL: it can.
const char *gmc_surrogate_until_refused(const gmc_store_plan *plan);

/// @param plan  that stops by such a rule and is not refused
/// @return GMC_OK, GMC_E_MEMORY; gmc_surrogate_until_free in every case
GMC_MUST_CHECK gmc_status gmc_surrogate_until_open(const gmc_scenario *scenario,
                                                   const gmc_store_plan *plan,
                                                   gmc_surrogate_until *until);

void gmc_surrogate_until_free(gmc_surrogate_until *until);

/// A trial, in any order.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_surrogate_until_take(gmc_surrogate_until *until,
                                                   const gmc_trial *trial);

/// Look at the first so many draws: for gmc_prefix. Undecided if memory failed, see `status`.
gmc_stop_verdict gmc_surrogate_until_ask(void *until, int64_t draws);

#endif
