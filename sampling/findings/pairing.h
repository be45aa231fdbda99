/// Two results brought together trial by trial: what `compare` says. Trials of the same case and
/// draw meet the same chance if seed and design are the same; then they are pairs. Runs on other
/// chance are taken as independent.
#ifndef GMC_SAMPLING_FINDINGS_PAIRING_H
#define GMC_SAMPLING_FINDINGS_PAIRING_H

#include "sampling/estimate/moments.h"
#include "sampling/estimate/paired.h"
#include "sampling/store/result.h"

/// One of the two.
typedef struct gmc_pairing_side {
    gmc_result *result;
    const char *path;
    bool is_independent; ///< of its scenario: cases have draws of their own
    int replicas;        ///< randomisations of its design; 0: none
    bool is_weighted;    ///< importance sampling
    bool has_intervals;  ///< inputs that are known only to lie in an interval
} gmc_pairing_side;

/// A measure, second minus first, in units of draws (randomisations of an even design): of the
/// pairs in which both trials succeed, so that both were measured to the end.
typedef struct gmc_pairing_measure {
    const char *name, *unit;
    int64_t pairs;
    gmc_moments units; ///< means of the units
    gmc_tail tail;     ///< of the same: how skewed are they?
} gmc_pairing_measure;

enum { GMC_PAIRING_MEASURES = 3 }; ///< lift, slip, max_force

typedef struct gmc_pairing_case {
    gmc_paired_cells cells;
    int64_t open;       ///< pairs with an unsolved trial
    gmc_tally sides[2]; ///< all trials of the case, paired or not
} gmc_pairing_case;

typedef struct gmc_pairing {
    gmc_estimate totals[2]; ///< each file on its own, by its trials alone
    int64_t repeated[2];    ///< trials of each that ran a second time at half the step
    bool is_stopped;        ///< a run could stop because of what it saw
    int case_count;
    gmc_pairing_case *cases; ///< (case_count), owned

    bool is_paired;
    const char *why_not; ///< if not: what is not the same
    gmc_paired paired;
    int64_t alone[2]; ///< trials without a partner
    int64_t left_out; ///< pairs of draws that are not whole, not in `paired`
    gmc_pairing_measure measures[GMC_PAIRING_MEASURES]; ///< `units` empty if is_stopped

    double difference; ///< of the totals, and its interval as of independent runs; also with pairs
    gmc_interval apart;
} gmc_pairing;

/// @param sides     first and second
/// @param level     of the intervals
/// @param messages  why the files cannot be compared
/// @param pairing   out; gmc_pairing_free in every case
/// @return GMC_OK; GMC_E_MISMATCH (their cases do not correspond, or they share chance but not pair
///         by pair; reported); GMC_E_INPUT (a ladder's trials were chosen by what others showed, or
///         a file is damaged; reported); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_pairing_read(const gmc_pairing_side sides[2], double level,
                                           gmc_diagnostics *messages, gmc_pairing *pairing);

void gmc_pairing_free(gmc_pairing *pairing);

#endif
