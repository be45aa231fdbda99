/// The job of a campaign: trial number -> (case, draw) -> values -> rollout -> finished trial.
#ifndef GMC_SAMPLING_CAMPAIGN_ROLLOUTS_H
#define GMC_SAMPLING_CAMPAIGN_ROLLOUTS_H

#include "sampling/build/build.h"
#include "sampling/campaign/foreign.h"
#include "sampling/campaign/pool.h"
#include "sampling/design/ladder.h"
#include "sampling/design/nearby.h"
#include "sampling/design/ranking.h"
#include "sampling/design/subset.h"

/// Which trials keep their trajectory, and how finely.
typedef struct gmc_recording {
    gmc_record record;
    uint64_t count; ///< K of first:K and every:K
    double rate;    ///< rows per second; 0: every step [Hz]
} gmc_recording;

/// What the scenario asks for.
gmc_recording gmc_rollouts_recording(const gmc_scenario *scenario);

/// A trial of the pilot that says which others are repeated at half the step (nearby.h): the first
/// worker that has run it puts it here.
typedef struct gmc_rollouts_pilot {
    atomic_int state; ///< 0 unknown, 1 being written, 2 there
    gmc_nearby_trial trial;
} gmc_rollouts_pilot;

/// How a stored trial was chosen to be repeated at half the step: its columns.
typedef struct gmc_rollouts_choice {
    double chance;
    bool is_repeated;
    double look; ///< what the repetition found, where it cannot be run again
} gmc_rollouts_choice;

/// Who says where the trials of an open stage are, if that is not what their draws say.
typedef struct gmc_rollouts_points {
    const void *context;
    /// NULL: nobody. Reads only: workers call it while the stage is open.
    /// @param point  out: (uncertain_count) in standard normal space
    /// @return false if it is no trial of the open stage
    bool (*at)(const void *context, uint64_t trial, double *point);
} gmc_rollouts_points;

/// What the workers share: const while they run, but for the pilot.
typedef struct gmc_rollouts {
    const gmc_scenario *scenario; ///< resolved
    const gmc_build *build;       ///< of this scenario, compiled
    gmc_recording recording;
    bool is_whole; ///< no early verdict ends a trial: each is what it is with simulation.early off
    gmc_rollouts_points points;
    const gmc_rollouts_choice
        *given;                    ///< of the one trial that is run again; NULL: as chance has it
    const gmc_trajectory *actions; ///< of the one trial that is run again: answers of its
                                   ///< controller, in whose place they come; NULL: it is asked
    atomic_int foreign;            ///< gmc_foreign_gate of their controllers
    atomic_bool has_hung;          ///< a controller did not answer in time
    _Atomic uint64_t hung;         ///< in this trial
    gmc_rollouts_pilot pilot[GMC_NEARBY_PILOT];
    size_t arena_bytes; ///< that a worker's arenas start with; 0: what the scenario is expected to
                        ///< need. They grow where that is too little; results do not change
} gmc_rollouts;

/// A job for gmc_campaign_run: one trial is one rollout, in arenas that the worker owns. A drawn
/// value that its parameter cannot take makes the trial unsolved (GMC_REASON_BAD_VALUE) without
/// running it. A share of the trials (simulation.early.audit) runs on behind its early verdict, and
/// a share (simulation.half_step) is run a second time at half the step, of which the trial keeps
/// whether the verdict was the same and how likely it was to be chosen. Of one case and plain draws
/// those that end near the limit of success are chosen too, until repetitions take a tenth of the
/// work; a worker then runs what it needs of the pilot that nobody has run yet. `rollouts` must
/// outlive the job. Its functions return, besides what pool.h says, GMC_E_MEMORY and GMC_E_LIMIT (a
/// trial wants more memory than any sensible one, or the CSV design has no such row), GMC_E_TIMEOUT
/// (has_hung), and what gmc_foreign_open does.
gmc_job gmc_rollouts_job(gmc_rollouts *rollouts);

/// Work of the repetitions at half the step, over that of the trials, which the first
/// GMC_NEARBY_PILOT draws do not show; 0: they do.
double gmc_rollouts_repeated_work(const gmc_rollouts *rollouts);

/// The model of one trial: its sizes, masses, poses, friction.
/// @param arena  out: holds the model; the caller frees it, also after a failure
/// @return GMC_OK; GMC_E_INPUT: a drawn value that its parameter cannot take, so there is none;
///         GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_rollouts_model(gmc_rollouts *rollouts, uint64_t trial,
                                             gmc_arena *arena, const gmc_model **model);

/// Who overlaps at the start of a trial, as the run of it found: nothing moves.
/// @param worker  of the job, made by its worker_create
/// @param found   out: empty where nothing overlaps by more than a trial accepts, or where a drawn
///                value is one that its parameter cannot take
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, GMC_E_MISSING (a trial of subset simulation that is
///         not of the open stage)
GMC_MUST_CHECK gmc_status gmc_rollouts_overlaps(void *worker, uint64_t trial,
                                                gmc_build_overlaps *found);

/// Case and draw of a trial number: trial = draw * cases + case, so that more draws renumber
/// nothing. With a ladder trial = (draw * cases + case) * levels + level; every level meets the
/// chance of its draw.
/// @param level  out: 0 without a ladder
void gmc_rollouts_address(const gmc_scenario *scenario, uint64_t trial, int64_t *case_index,
                          uint64_t *draw, int *level);

/// How many trial numbers a scenario has. With a ladder most of them are never run.
uint64_t gmc_rollouts_total(const gmc_scenario *scenario);

/// What a trial of a ladder says about its design. One whose bodies overlap at the start has no
/// verdict, and is unsolved in every count; but it says that the design cannot be put together,
/// which rejects it.
gmc_finding gmc_rollouts_finding(const gmc_trial *trial);

/// The same as a verdict, for those who choose cases; what is counted is gmc_trial_verdict.
gmc_verdict gmc_rollouts_verdict(const gmc_trial *trial);

/// The plan of a scenario with sampling.subset.
gmc_subset_plan gmc_rollouts_subset(const gmc_scenario *scenario);

/// Where its trials are. @param subset  outlives the points; NULL: nobody says
gmc_rollouts_points gmc_rollouts_points_of(const gmc_subset *subset);

/// Cases by their object, numbered as they come.
/// @param groups  out: (case_count) of each case
/// @return how many
int gmc_rollouts_groups(const gmc_scenario *scenario, int *groups);

#endif
