/// Numbers that somebody chooses (a force, a width, a height), each in a range, chosen so that
/// success is most likely, with a given number of trials. Pure bookkeeping, like the ranking of a
/// ranking (ranking.h): it says which designs come next and with how many draws, takes what they
/// found, and decides. A round is a pure function of the tallies of the rounds before.
///
/// Round 0 is a star, the middle of the box and both ends of every number [box1951], and points
/// that fill the box. After every round a surface is fitted to all designs so far
/// (explain/surface.h). The next round has the highest point of that surface, and of those that
/// may be the highest, mean + 2 standard deviations >= max (mean − 2 standard deviations), one
/// after another the point of which least is known, where those chosen before count as measured
/// [desautels2014]. No point is in a round twice. (The points with the highest mean + 2 standard
/// deviations themselves lie all at the top, where they say nothing about the slopes: what they
/// leave to gain is five times as much.) Designs of one round meet the same chance, which tells
/// them apart sooner than chance of their own; every round meets other chance, so that no design is
/// best for a few draws alone.
///
/// Two thirds of the budget go that way. The rest is run of one design, the highest of the surface
/// (`is_cautious`: with the highest mean − 2 standard deviations). Where several designs of the
/// search never failed, and the surface has them within 0.01 of its highest success, they tie: of
/// these it is the one farthest from the ends of the ranges and from every design that ever failed
/// (largest difference of a number, in its range). The highest point of so flat a surface is often
/// an end, or the edge of where trials are solved. The one design is run with chance that no round
/// has seen: its success is estimated as that of a design that nobody chose. So an interval of
/// these last trials covers as it says, whatever the surface is worth.
///
/// What may be left to gain, in contrast, is told by the surface of all designs:
///
///   max_x (mean + 2 standard deviations)(x), as success
///
/// (less the lower end of whatever interval the chosen design's success is told with) over points
/// that fill the box and crowd where the surface is high. It is as good as the surface is: no
/// bound.
#ifndef GMC_SAMPLING_DESIGN_OPTIMUM_H
#define GMC_SAMPLING_DESIGN_OPTIMUM_H

#include "engine/base/status.h"
#include "sampling/estimate/tally.h"
#include "sampling/explain/surface.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GMC_OPTIMUM_ROUNDS = 8,      ///< of the search; one more has the chosen design
    GMC_OPTIMUM_DRAWS_LEAST = 16 ///< of a design in a round
};

typedef struct gmc_optimum_plan {
    int numbers;      ///< 1 <= numbers <= GMC_SURFACE_INPUTS_MAX
    int64_t budget;   ///< trials, >= gmc_optimum_least
    bool is_cautious; ///< a design of which less is known is worth less
} gmc_optimum_plan;

/// Designs that may be run in any order, all of them before the next round.
typedef struct gmc_optimum_round {
    int number;
    bool is_last;    ///< the chosen design alone
    int count;       ///< designs; 0: all is decided
    int64_t draws;   ///< of each
    const double *x; ///< (count, numbers) in [0, 1] of each range; valid until the next call
} gmc_optimum_round;

typedef struct gmc_optimum_answer {
    double x[GMC_SURFACE_INPUTS_MAX]; ///< the chosen design; an idle number is 1/2
    bool is_idle[GMC_SURFACE_INPUTS_MAX];
    gmc_tally tally; ///< of its own trials
    int64_t trials;  ///< of all rounds
    int designs;     ///< that the search looked at; one that came again counts once
    bool is_level;   ///< no trial of the search succeeded: no design is better than another
    double most;     ///< what success may reach by the surface, see above [-]
    int ties;        ///< designs of the search that tie, the chosen one with them; 0: none do
    double tied_lower[GMC_SURFACE_INPUTS_MAX], tied_upper[GMC_SURFACE_INPUTS_MAX]; ///< of those
} gmc_optimum_answer;

typedef struct gmc_optimum gmc_optimum;

/// Draws of a design in the search.
int64_t gmc_optimum_draws(int numbers, int64_t budget);

/// Smallest budget that gives so many draws to a design.
int64_t gmc_optimum_budget(int numbers, int64_t draws);

/// Smallest budget for so many numbers.
static inline int64_t gmc_optimum_least(int numbers)
{
    return gmc_optimum_budget(numbers, GMC_OPTIMUM_DRAWS_LEAST);
}

/// @return GMC_OK, GMC_E_MEMORY; *optimum is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_optimum_create(const gmc_optimum_plan *plan, gmc_optimum **optimum);

/// Accepts NULL.
void gmc_optimum_free(gmc_optimum *optimum);

/// Design of round 0 with a number at one of its ends, all others in the middle; design 0 has all
/// of them there.
static inline int gmc_optimum_end(int number, bool is_upper) { return 1 + 2 * number + is_upper; }

/// What a design of the open round found, once. An unsolved trial counts as one that failed.
/// @param design  < count of the round
void gmc_optimum_put(gmc_optimum *optimum, int design, gmc_tally tally);

/// Designs of all rounds opened.
int gmc_optimum_count(const gmc_optimum *optimum);

/// Nothing depends on this number: it stays in the middle. After round 0 is put, before the next.
void gmc_optimum_hold(gmc_optimum *optimum, int number);

/// Decide what the open round has shown and open the next; at the first call open the first.
/// @return GMC_OK; GMC_E_MISSING: a design of the open round has no tally; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_next(gmc_optimum *optimum, gmc_optimum_round *round);

/// @param optimum  of which the last round was decided
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_conclude(const gmc_optimum *optimum,
                                               gmc_optimum_answer *answer);

/// What the trials of all designs had.
typedef struct gmc_optimum_quantile gmc_optimum_quantile;

/// @param p  0 < p < 1
/// @return GMC_OK, GMC_E_MEMORY (*quantile is NULL)
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_create(double p, gmc_optimum_quantile **quantile);

/// Accepts NULL.
void gmc_optimum_quantile_free(gmc_optimum_quantile *quantile);

/// A trial.
/// @param design  of all rounds, in their order
/// @param y       its number; HUGE_VAL: it is not known, and taken as the worst
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_add(gmc_optimum_quantile *quantile, int design,
                                                   double y);

/// After the trials of a round: find c, and give the optimum the tallies of all designs under it.
/// @param c  out: HUGE_VAL if no trial's number is known
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_aim(gmc_optimum_quantile *quantile,
                                                   gmc_optimum *optimum, double *c);

#endif
