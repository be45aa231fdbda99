/// The simplest rule of one or two inputs that tells trials of a kind from the rest:
/// `friction < 0.24 and x > 0.003`. A term holds between two thresholds, or outside of them.
///
/// Sought is the rule with the largest F1 = 2 hits / (chosen + members) [vanrijsbergen1979], less
/// 0.03 for each threshold behind the first, so that two have to be worth it. Thresholds are sought
/// among the members' own values, and then put in the middle of the gap to the next trial that the
/// rule leaves out.
///
/// A rule always fits the trials that it was found in. So units (draws) are parted in five, and
/// each part is judged by the rule found in the other four: precision and recall are what a rule so
/// found comes to in trials that it has not seen. It is chance if hits so often would come about
/// with members dealt out at random: Fisher's exact test in each part, and five times the least of
/// its probabilities, at most 1, which holds however the parts depend on each other (Bonferroni).
#ifndef GMC_SAMPLING_ESTIMATE_RULE_H
#define GMC_SAMPLING_ESTIMATE_RULE_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GMC_RULE_PARTS = 5,
    GMC_RULE_LEAST = 10, ///< members, and others, that a rule is sought for
    GMC_RULE_TERMS = 2
};

typedef struct gmc_rule_term {
    int input;
    double lower, upper; ///< lower < x < upper; either may be infinite
    bool is_outside;     ///< x < lower or x > upper in its place
} gmc_rule_term;

typedef struct gmc_rule {
    gmc_rule_term terms[GMC_RULE_TERMS]; ///< all of them hold
    int term_count;                      ///< 0: there is none
} gmc_rule;

typedef struct gmc_rule_rows {
    int64_t count;
    int inputs;
    const double *x;                ///< (count, inputs); NaN: it has none, and no term of it holds
    const uint64_t *unit;           ///< (count) those of one unit are not parted
    const unsigned char *is_member; ///< (count)
    const unsigned char *is_tested; ///< (count) one of each unit: what the test counts
} gmc_rule_rows;

typedef struct gmc_rule_found {
    gmc_rule rule; ///< found in all trials
    /// By rules of the other parts: members chosen, all chosen, all members.
    int64_t hits, chosen, members;
    double precision; ///< hits / chosen; NaN: none is chosen
    double recall;    ///< hits / members
    double chance;    ///< probability that some part has so many hits by chance, 1 at most
} gmc_rule_found;

/// Does the rule hold for the inputs of a trial? One without terms holds for none.
bool gmc_rule_holds(const gmc_rule *rule, const double *x);

/// @param found  out: without terms where there are too few members, or others
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_rule_find(const gmc_rule_rows *rows, gmc_rule_found *found);

/// P(at least `hits` members among `chosen` of `count`, of which `members` are), dealt at random.
/// @param log_factorials  (count + 1)
double gmc_rule_tail(int64_t hits, int64_t chosen, int64_t members, int64_t count,
                     const double *log_factorials);

#endif
