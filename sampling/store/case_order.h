/// The cases of a result in order of their success, each with the places that it may have.
///
/// In order: what a study's ranking chose as the best comes first; then the lower end of the
/// interval decides, which is the order of the shares of success where all cases have had the same
/// draws, and puts what few draws flatter behind what many have shown. Cases of equal intervals and
/// shares are tied; among them the number of the case decides.
#ifndef GMC_SAMPLING_STORE_CASE_ORDER_H
#define GMC_SAMPLING_STORE_CASE_ORDER_H

#include "sampling/estimate/ranks.h"
#include "sampling/store/result.h"
#include "sampling/store/summary.h"

typedef struct gmc_case_order_row {
    int case_index;
    int group;             ///< among whose cases it is ranked
    int64_t place;         ///< 1: the first of its group; that of the first of those tied with it
    bool is_tied;          ///< with the one before or behind it
    bool is_chosen;        ///< by a study's ranking
    bool may_be_best;      ///< it cannot be told apart from the best of its group
    gmc_estimate estimate; ///< by the first method of gmc_summary_methods
    gmc_ranks_set set;     ///< places that it may have: those of all cases hold together
} gmc_case_order_row;

typedef struct gmc_case_order {
    gmc_case_order_row *rows; ///< (count) group by group, each in order
    int count, group_count;
    double level;       ///< of the places, and of who may be among the best; all groups together
    const char *method; ///< how the places are known: "exact sign tests", "confidence sequences",
                        ///< "t over randomisations"
} gmc_case_order;

/// What is asked for.
typedef struct gmc_case_order_asked {
    int64_t best;      ///< how many of each group, >= 1
    const int *groups; ///< (case_count) of each case, from 0; NULL: all in one
    int group_count;
} gmc_case_order_asked;

/// Put rows in that order, group by group, and find their places and ties.
/// @param rows  (count) with their case, group, is_chosen and estimate
void gmc_case_order_order(gmc_case_order_row *rows, int count);

/// @param summary      of this result, decided
/// @param ranking      out; gmc_case_order_free in every case
/// @return GMC_OK; GMC_E_INPUT (the file is damaged; its trials have weights; reported);
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_case_order_make(gmc_result *result, const gmc_summary *summary,
                                              const gmc_case_order_asked *asked,
                                              gmc_diagnostics *messages, gmc_case_order *ranking);

void gmc_case_order_free(gmc_case_order *ranking);

#endif
