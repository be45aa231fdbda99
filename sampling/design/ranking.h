/// Which cases of a study are its best, to within what matters, with as few trials as that takes:
/// trials go where it is not yet decided. Pure bookkeeping, like a ladder (ladder.h):
/// it says which trials come next, takes their verdicts, and decides.
///
/// Wanted: `best` cases B of which none is worse by more than `within` than the best ones are,
///
///   p_a >= p_(best) − within    for all a in B,     p_(k): the k-th largest success probability
///
/// at an error of at most 1 − level. Every pair of an a in B and a b outside B has to be closed:
///
///   apart    U_b <= L_a + within, ends of one-sided confidence sequences (anytime.h). Only bounds
///            U of the best, too low, and L of the others, too high, could deceive: their errors
///            are α/best and α/(cases − best), α a quarter of 1 − level each, as in
///            [kalyanakrishnan2012]
///   paired   the claim p_a > p_b − within, by betting on the draws that both have had (ranks.h),
///            at an error of (1 − level)/2 / (best (cases − best)): only a pair of a case that is
///            too bad and one of the best can deceive
///
/// All of these hold at all looks together, for any rule that says who runs and when to look. The
/// rule: B are the cases with the highest L. In every round each case with an open pair runs more
/// draws, a quarter more than it has had; those in B run ahead of the others, because each of them
/// stands against all of them. (After LUCB, [kalyanakrishnan2012], in rounds in place of steps.)
/// It ends when all pairs are closed, the budget is used up, or no open case may run more draws.
///
/// A group (the cases of one object) has its own best; they share the budget, and the error
/// equally.
///
/// A round is a pure function of the verdicts of the rounds before: it does not depend on the order
/// in which trials end, on workers, or on interruptions. A case always has the draws [0, n).
///
/// trial = draw * cases + case.
#ifndef GMC_SAMPLING_DESIGN_RANKING_H
#define GMC_SAMPLING_DESIGN_RANKING_H

#include "engine/base/status.h"
#include "sampling/estimate/ranks.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_ranking_plan {
    int64_t case_count;
    const int
        *groups;     ///< (case_count) of each case, from 0; NULL: all in one. Outlives the ranking
    int group_count; ///< >= 1; each has more than `best` cases
    int64_t best;    ///< >= 1, in each group
    double within;   ///< difference that does not matter, above 0, below 1 [-]
    double level;    ///< 0 < level < 1, for all groups together
    uint64_t budget; ///< trials, at least those of the first round
    uint64_t first, last; ///< draws of every case, and the most of one; 1 <= first <= last
} gmc_ranking_plan;

/// How it ended. The names of gmc_ranking_end_name are stored in files.
typedef enum gmc_ranking_end {
    GMC_RANKING_REACHED, ///< every pair is closed
    GMC_RANKING_BUDGET,  ///< used up
    GMC_RANKING_DRAWS,   ///< what is open has had `last` draws
    GMC_RANKING_OPEN,    ///< trials are missing
    GMC_RANKING_END_COUNT
} gmc_ranking_end;

/// A case, as far as it is decided: after the last round that is.
typedef struct gmc_ranking_case {
    bool is_best; ///< in B
    bool is_open; ///< it is not certain that it belongs where it is
    int round;    ///< the last in which it ran
    uint64_t draws;
    gmc_tally tally;
} gmc_ranking_case;

/// A round: trials that may be run in any order, all of them before the next.
typedef struct gmc_ranking_round {
    int round;
    const uint64_t *trials; ///< (count) rising; valid until the next call
    uint64_t count;
} gmc_ranking_round;

typedef struct gmc_ranking gmc_ranking;

/// Largest number of addresses, cases * last: each takes up to eight bytes in a journal.
enum { GMC_RANKING_TRIALS_MAX = 1 << 28 };

/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many addresses); *ranking is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_ranking_create(const gmc_ranking_plan *plan, gmc_ranking **ranking);

/// Accepts NULL.
void gmc_ranking_free(gmc_ranking *ranking);

/// What a trial found, once; before or after the round that asks for it is opened.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ranking_put(gmc_ranking *ranking, uint64_t trial,
                                          gmc_verdict verdict);

/// Decide from the round that is open, and open the next; at the first call open the first.
/// @param round  out: count 0 at the end
/// @return GMC_OK; GMC_E_MISSING: a trial of the open round has no verdict (nothing is decided, the
///         call may be repeated); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ranking_next(gmc_ranking *ranking, gmc_ranking_round *round);

/// All rounds, from verdicts that are there already.
/// @return GMC_OK, GMC_E_MISSING, GMC_E_MEMORY
GMC_MUST_CHECK static inline gmc_status gmc_ranking_decide(gmc_ranking *r)
{
    gmc_ranking_round round;
    do
        GMC_TRY(gmc_ranking_next(r, &round));
    while (round.count > 0);
    return GMC_OK;
}

/// The rounds whose verdicts are there already, for one who did not run them: as
/// gmc_ranking_decide, but where a trial of a round is missing, this is the open round.
/// @param round  out: the open one; count 0: the ranking has ended
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ranking_catch_up(gmc_ranking *ranking, gmc_ranking_round *round);

/// Was it run?
bool gmc_ranking_has(const gmc_ranking *ranking, uint64_t trial);

/// Does one of the rounds opened so far ask for it?
bool gmc_ranking_asks(const gmc_ranking *ranking, uint64_t trial);

const gmc_ranking_plan *gmc_ranking_about(const gmc_ranking *ranking);

/// GMC_RANKING_OPEN before the last round is decided.
gmc_ranking_end gmc_ranking_ended(const gmc_ranking *ranking);

/// The round that is open: count 0: none is.
gmc_ranking_round gmc_ranking_open(const gmc_ranking *ranking);

/// Rounds opened, and trials that they asked for.
int gmc_ranking_rounds(const gmc_ranking *ranking);
uint64_t gmc_ranking_trials(const gmc_ranking *ranking);

gmc_ranking_case gmc_ranking_of_case(const gmc_ranking *ranking, int64_t case_index);

/// Verdicts of all cases; lives as long as the ranking.
const gmc_duels *gmc_ranking_duels(const gmc_ranking *ranking);

/// "reached", "budget", "draws", "open"
const char *gmc_ranking_end_name(gmc_ranking_end end);

#endif
