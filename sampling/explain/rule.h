/// The simplest rule of one or two inputs that tells trials of a kind from the rest:
/// `friction < 0.24 and x > 0.003`. A term holds between two thresholds, or outside of them.
///
/// Sought is the rule whose `holds` agrees best with `is a member`, by Cohen's kappa [cohen1960],
///
///   kappa = 2 (hits count - chosen members) / (chosen (count - members) + members (count -
///   chosen)),
///
/// less 0.03 + 1 / min(members, count - members) for each threshold behind the first, so that two
/// have to be worth it. Where members are few it is F1 = 2 hits / (chosen + members); of a rule
/// that holds for all it is 0, however many are members. Thresholds are sought among the trials'
/// own values, and then put in the middle of the gap to the next trial that the rule leaves out.
///
/// A rule always fits the trials that it was found in. So it is found in two thirds of the units
/// (draws) and judged in the others, which it has not seen: its counts there are those of a rule
/// that was fixed beforehand. It is chance if hits so often would come about with members dealt out
/// at random (Fisher's exact test).
#ifndef GMC_SAMPLING_EXPLAIN_RULE_H
#define GMC_SAMPLING_EXPLAIN_RULE_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
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
    const unsigned char *is_tested; ///< (count) one of each unit: what a rule is judged by
} gmc_rule_rows;

typedef struct gmc_rule_found {
    gmc_rule rule; ///< found in two thirds
    /// Of the other third, among those tested: members chosen, all chosen, all members, all.
    int64_t hits, chosen, members, count;
    double precision; ///< hits / chosen; NaN: none is chosen
    double recall;    ///< hits / members; NaN: there is none
    double chance;    ///< probability of so many hits by chance
} gmc_rule_found;

/// Is a unit of the third that rules are judged in? Its number times 2^64 / golden ratio, modulo
/// 2^64, is: even along any stretch of draws, and in step with no design's period.
bool gmc_rule_is_judge(uint64_t unit);

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
