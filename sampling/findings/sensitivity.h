/// What of the inputs matters for an outcome, from stored trials: Sobol' indices or elementary
/// effects where the run's design was made for them, else first-order indices of its plain draws.
/// Every case by itself.
#ifndef GMC_SAMPLING_FINDINGS_SENSITIVITY_H
#define GMC_SAMPLING_FINDINGS_SENSITIVITY_H

#include "sampling/campaign/trial.h"
#include "sampling/explain/effects.h"
#include "sampling/scenario/scenario.h"
#include "sampling/store/plan.h"

typedef enum gmc_sensitivity_kind {
    GMC_SENSITIVITY_GIVEN, ///< any design of single draws: explain/given.h
    GMC_SENSITIVITY_SOBOL, ///< design sensitivity: explain/indices.h
    GMC_SENSITIVITY_MORRIS ///< design morris: explain/effects.h
} gmc_sensitivity_kind;

typedef struct gmc_sensitivity_input {
    int input;              ///< its number
    gmc_index first, total; ///< GIVEN: only first; SOBOL: both
    gmc_index shapley;      ///< GIVEN: if the case has them
    gmc_effects effects;    ///< MORRIS
    int64_t count;          ///< draws, blocks or effects behind them
    double gain;            ///< GIVEN: as many times as many draws would tell as much of `first`
                            ///< without the surrogate; 1: it is of the draws alone
} gmc_sensitivity_input;

typedef struct gmc_sensitivity_case {
    gmc_sensitivity_input *inputs; ///< (input_count) the one that matters most first: by total
                                   ///< order, Shapley effect or else first order (GIVEN), mu*
                                   ///< (MORRIS)
    int64_t trials;                ///< of this case
    int64_t unknown;               ///< of these: without an outcome
    int64_t rarer;                 ///< draws with the rarer of two outcomes; -1: there are more
    int64_t shapley_draws;         ///< GIVEN: that Shapley effects are from; 0: they are not told
    double tail_draws;             ///< of a measure: what its variance is worth (gmc_tail)
    bool is_heavy;                 ///< those are too few: shares of the variance have [0, 1]
    bool is_thin;                  ///< SOBOL: gmc_indices_is_thin
} gmc_sensitivity_case;

typedef struct gmc_sensitivity {
    const gmc_scenario *scenario;
    const gmc_store_plan *plan;
    gmc_sensitivity_kind kind;
    bool is_binary;
    int input_count;
    int *columns;  ///< (input_count) GIVEN: of a trial's samples
    int *together; ///< (input_count) the first input that varies together with this one
                   ///< (`correlated`, columns of one file of samples, targets of one line), itself
                   ///< if none does. Of a design in blocks those are one input; of a CSV design
                   ///< nobody knows
    char **names; ///< (input_count) paths; those of lines that vary together, and so are one input,
                  ///< with " & " between
    gmc_sensitivity_case *cases;                 ///< (plan->case_count) once it is finished
    struct gmc_sensitivity_gathering *gathering; ///< (plan->case_count) what trials came to so far
} gmc_sensitivity;

/// @param scenario   of the run, resolved; outlives the answer, as does the plan
/// @param is_binary  outcomes are 0 or 1
/// @return GMC_OK, GMC_E_MEMORY (*sensitivity is then NULL)
GMC_MUST_CHECK gmc_status gmc_sensitivity_create(const gmc_scenario *scenario,
                                                 const gmc_store_plan *plan, bool is_binary,
                                                 gmc_sensitivity **sensitivity);

/// Accepts NULL.
void gmc_sensitivity_free(gmc_sensitivity *sensitivity);

/// Take in the next trial of the run, in order of their numbers.
/// @param outcome  NaN or infinite: not known; what needs it is left out
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_sensitivity_add(gmc_sensitivity *sensitivity, const gmc_trial *trial,
                                              double outcome);

/// After the last trial: estimates at the plan's level.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_sensitivity_finish(gmc_sensitivity *sensitivity);

/// GIVEN, after gmc_sensitivity_finish: another estimate of a first order. It is taken if it
/// is better (explain/given.h).
void gmc_sensitivity_narrow(gmc_sensitivity *sensitivity, int case_index, int input,
                            gmc_index first);

#endif
