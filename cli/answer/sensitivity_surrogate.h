/// `show --sensitivity success --surrogate`: first-order indices with the help of a function fitted
/// to the trials (sampling/explain/given_surrogate.h), in place of those of the draws alone where
/// they are the narrower ones. Of cases on common draws this is for inputs that the case has as the
/// function is told of them (surrogate_table.h); others stay as they are.
#ifndef GMC_CLI_ANSWER_SENSITIVITY_SURROGATE_H
#define GMC_CLI_ANSWER_SENSITIVITY_SURROGATE_H

#include "cli/answer/surrogate_table.h"
#include "sampling/findings/sensitivity.h"

typedef struct gmc_sensitivity_surrogate {
    gmc_surrogate_table table;
    bool *is_own; ///< (case_count, inputs) has every draw this case's value of the input?
} gmc_sensitivity_surrogate;

/// @param draws  at most so many of each case come
/// @return GMC_OK, GMC_E_MEMORY; gmc_sensitivity_surrogate_free in every case
GMC_MUST_CHECK gmc_status gmc_sensitivity_surrogate_open(const gmc_scenario *scenario,
                                                         const gmc_store_plan *plan, uint64_t draws,
                                                         gmc_sensitivity_surrogate *surrogate);
void gmc_sensitivity_surrogate_free(gmc_sensitivity_surrogate *surrogate);

/// The next trial, in the order of their numbers.
/// @param outcome  1, 0; NaN: not known
void gmc_sensitivity_surrogate_add(gmc_sensitivity_surrogate *surrogate, const gmc_trial *trial,
                                   double outcome);

/// After the last trial: narrows the indices of one way to take unknown outcomes.
/// @param way          of surrogate_table.h
/// @param sensitivity  finished, of the same trials and that way
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_sensitivity_surrogate_narrow(gmc_sensitivity_surrogate *surrogate,
                                                           int way, gmc_sensitivity *sensitivity);

#endif
