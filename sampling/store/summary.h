/// What the trials say together: estimates, by case, histograms. Trials in, one by one in the order
/// of their numbers; datasets of /summary and /histograms out. Memory depends on cases and bins
/// alone.
#ifndef GMC_SAMPLING_STORE_SUMMARY_H
#define GMC_SAMPLING_STORE_SUMMARY_H

#include "sampling/campaign/trial.h"
#include "sampling/design/pairs.h"
#include "sampling/design/subset.h"
#include "sampling/estimate/audit.h"
#include "sampling/estimate/estimate.h"
#include "sampling/estimate/histogram.h"
#include "sampling/estimate/measured.h"
#include "sampling/estimate/pooled.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/ranks.h"
#include "sampling/estimate/step_shift.h"
#include "sampling/estimate/weighted.h"
#include "sampling/store/plan.h"

/// The lowest of several estimates, or the highest.
typedef struct gmc_end {
    double p; ///< NaN: there is no trial
    gmc_interval interval;
    int place; ///< where p is, the first of them; -1: nowhere
    int ties;  ///< other places with the same p
} gmc_end;

typedef struct gmc_ends {
    gmc_end lowest, highest;
} gmc_ends;

/// Level of each of `count` estimates.
double gmc_ends_level(double level, int count);

/// @param estimates  (count >= 1)
gmc_ends gmc_ends_of(const gmc_estimate *estimates, int count);

struct gmc_h5;           // h5.h, which only the store sees
struct gmc_store_method; // method.h

/// What was looked at twice (gmc_audit, measure.h): early verdicts that an audit held against the
/// end of the trial, and trials repeated at half the step.
typedef struct gmc_summary_checks {
    int64_t decided[GMC_DECISION_COUNT]; ///< trials by the rule that decided them, audited ones too
    int64_t audited, wrong;
    int64_t repeated, differing;
    int64_t nearly;     ///< of those that were repeated: nearly turned (GMC_AUDIT_NEARLY)
    gmc_step_sums step; ///< what of the repetitions can be weighed
} gmc_summary_checks;

/// Subset simulation: what the margins of all trials show.
typedef struct gmc_summary_margins {
    int64_t differing;     ///< trials that the margin judges otherwise than success does
    uint64_t first;        ///< of these
    int64_t count;         ///< trials with a margin
    double least, largest; ///< of them
} gmc_summary_margins;

/// Place of a case in its group, as in ranking.h.
typedef struct gmc_summary_rank {
    int64_t place;
    gmc_ranks_set set; ///< places that it may have
} gmc_summary_rank;

typedef struct gmc_summary {
    const gmc_store_plan *plan;
    const struct gmc_store_method *method; ///< of the plan
    void *own;                             ///< what it keeps that nobody else reads
    bool
        is_other; ///< its verdicts are not those that a stopping rule saw (show --success, --where)
    gmc_pooled pooled;
    gmc_subset *subset;                   ///< of subset simulation; NULL: none
    gmc_summary_margins margins;          ///< of it
    gmc_tally *cases;                     ///< (case_count)
    gmc_tally *replicas;                  ///< (case_count, plan->replicas)
    uint64_t outcomes[GMC_OUTCOME_COUNT]; ///< with a ladder: of the last level
    gmc_histogram *histograms;            ///< (plan->histogram_count)
    struct gmc_extent *courses;           ///< (plan->histogram_count) of measures
    gmc_summary_checks checks;
    /// Columns of the plan; -1: it has none.
    int decided_by, audit, half_step, half_step_chance, is_whole, step_column;
    gmc_ladder *ladder;                      ///< of a ladder; NULL: none
    gmc_ranking *ranking;                    ///< of `rank`; NULL: none, or a part of a round
    gmc_status race_status;                  ///< of its memory; said by gmc_summary_decide
    double *steps;                           ///< (levels) taken at each, the audit's included
    uint64_t (*ended)[GMC_OUTCOME_COUNT];    ///< (levels) how trials ended at each, likewise
    struct gmc_summary_intervals *intervals; ///< inputs that only lie in intervals; NULL: none
    struct gmc_summary_measured *measured;   ///< of inputs known from few measurements; NULL: none
} gmc_summary;

/// Empty. gmc_summary_free in every case.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_INPUT, GMC_E_LIMIT (a histogram that cannot be)
GMC_MUST_CHECK gmc_status gmc_summary_create(const gmc_store_plan *plan, gmc_summary *summary);

void gmc_summary_free(gmc_summary *summary);

/// Take in the next trial.
void gmc_summary_add(gmc_summary *summary, const gmc_trial *trial);

/// The next trial is there, but not meant (show --where): it is in no estimate, but its draw is not
/// incomplete for that. Not with a ladder, weights, or a stopping rule and several cases.
void gmc_summary_pass(gmc_summary *summary, const gmc_trial *trial);

/// After the last trial: with a ladder or a ranking, what became of the cases. Before estimates are
/// asked for.
/// @return GMC_OK; GMC_E_MISSING: with these, trials are missing; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_summary_decide(gmc_summary *summary);

/// Success of all trials. With a ladder there is none: which trials it asks for follows from what
/// they show. With a ranking that of the draws of the first round.
/// @param method  for independent trials: GMC_METHOD_WILSON or GMC_METHOD_CLOPPER_PEARSON
gmc_estimate gmc_summary_total(const gmc_summary *summary, gmc_method method);

/// Success of one case. With a ladder: of its trials at the last level, the audit's left out, by
/// Clopper and Pearson at a level so high that the intervals of all rounds hold together.
gmc_estimate gmc_summary_case(const gmc_summary *summary, int case_index, gmc_method method);

/// With a ladder: the share of the trials spared by a level that would have succeeded.
static inline gmc_audit_estimate gmc_summary_spared(const gmc_summary *s, int level)
{
    gmc_ladder_level found = gmc_ladder_of_level(s->ladder, level);
    const gmc_audit_counts counts = {.spared = (int64_t)found.spared,
                                     .audited = (int64_t)found.audited,
                                     .works = (int64_t)found.audit_works,
                                     .open = (int64_t)found.audit_open};
    return gmc_audit_estimate_of(&counts, s->plan->level);
}

/// With importance sampling: what all draws weigh.
/// @return false: there is none
bool gmc_summary_weights(const gmc_summary *summary, gmc_weighted *all);

/// Success of one case, or of all (-1), with what inputs known from few measurements leave open of
/// it. Its interval holds that of the trials alone; it is [0, 1] where the cases are more than the
/// memory for their draws has room for.
/// @param alone  success of the trials alone
gmc_measured_answer gmc_summary_measured(const gmc_summary *summary, int case_index,
                                         const gmc_estimate *alone);

/// Do without gmc_summary_measured, before the first trial: it takes time.
void gmc_summary_measured_drop(gmc_summary *summary);

/// With intervals: success at each place of them, all at once at the plan's level, of one case or
/// of all (-1).
/// @param estimates  out: (plan->interval_places)
/// @return their lowest and highest
gmc_ends gmc_summary_places(const gmc_summary *summary, int case_index, gmc_estimate *estimates);

/// Why no number can be told of it.
typedef enum gmc_summary_refusal {
    GMC_SUMMARY_TOLD,         ///< one can
    GMC_SUMMARY_OTHER_MARGIN, ///< the margin judges trials otherwise than success does
    GMC_SUMMARY_CONTRADICTED, ///< the plain draws of level 0 contradict what the levels say
} gmc_summary_refusal;

/// With subset simulation: how likely the margin is below 0, over its runs.
typedef struct gmc_summary_failure {
    gmc_subset_answer answer;
    gmc_summary_refusal refusal;
    const char *refused; ///< "", "margin", "contradicted": stored in files
} gmc_summary_failure;

/// {0} without subset simulation.
gmc_summary_failure gmc_summary_failure_of(const gmc_summary *summary);

/// Two levels or more: which draws, and how the levels take their steps; `own` of their plan.
typedef struct gmc_store_pairs {
    gmc_pairs_plan plan;
    gmc_store_level levels[GMC_PAIRS_LEVELS_MOST]; ///< (plan.levels) the cheapest first
    const char *names;                             ///< "cheap, full"
} gmc_store_pairs;

/// The pairs of a level above the cheapest and the one below it, of all draws.
typedef struct gmc_summary_rise {
    int64_t draws, works; ///< of the level below
    int64_t pairs, lost, gained, open;
} gmc_summary_rise;

/// With two levels or more: what they found, their mean steps a trial, and how many times less work
/// it was than full trials alone for the same width.
typedef struct gmc_summary_two_level {
    gmc_two_level_counts counts;
    double steps[GMC_PAIRS_LEVELS_MOST], gain;
    gmc_summary_rise rises[GMC_PAIRS_LEVELS_MOST]; ///< of each level above the cheapest
} gmc_summary_two_level;

gmc_summary_two_level gmc_summary_pairs(const gmc_summary *summary);

/// How far step and early verdicts can be trusted.
typedef struct gmc_summary_trust {
    bool has_parts;  ///< there is one interval into which both can go: of one case, of draws
                     ///< without blocks, weights and levels, under the criteria and of all
                     ///< trials of the run, which no rule has stopped
    int64_t decided; ///< trials that a rule of simulation.early decided
    double wrong;    ///< share of early verdicts that are wrong: an upper bound, one-sided at the
                     ///< plan's level; 1 if nothing was looked at
    double early;    ///< how far these may have moved success, either way: their bound times the
                     ///< share of trials that nobody looked at behind one. Taken in where an
                     ///< audit found a wrong one, or where that is at most a quarter of the
                     ///< trials' own half width; < 0: not taken in
    gmc_step_shift
        step; ///< what the step does to success; not told where there is no such interval
} gmc_summary_trust;

gmc_summary_trust gmc_summary_trust_of(const gmc_summary *summary);

/// Success in total with all that the run knows: the trials' own interval with the step and early
/// verdicts, where these can be taken in.
gmc_estimate gmc_summary_headline(const gmc_summary *summary, gmc_method method);

/// The intervals of a run: Wilson's and Clopper-Pearson's; of one that may stop because of what it
/// sees, or ranks its cases, the confidence sequence alone, or that of fixed_width.h, of a
/// randomised design the t interval over its randomisations.
/// @param  methods  out: the first is the one to show
/// @return how many
int gmc_summary_methods(const gmc_store_plan *plan, gmc_method methods[2]);

/// Write /summary and /histograms; call once, after the last trial.
GMC_MUST_CHECK gmc_status gmc_summary_write(gmc_summary *summary, struct gmc_h5 *h5);

#endif
