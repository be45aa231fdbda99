/// The part of `check` about what was understood (--model): links and joints with the numbers used,
/// shapes, objects, the start, and what the program touches first.
#ifndef GMC_CLI_COMMANDS_CHECK_MODEL_H
#define GMC_CLI_COMMANDS_CHECK_MODEL_H

#include "cli/process/json.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/probe.h"

/// A look at the first case at nominal values.
typedef struct gmc_check_model {
    const gmc_prepared *prepared;
    gmc_probe probe;       ///< its model is that of the case
    double *values;        ///< (parameter_count)
    gmc_pose *X;           ///< (body_count) at the start, in the world
    gmc_probe_touch touch; ///< what the program touches first
    gmc_reason reason;     ///< why the trial has no verdict; GMC_REASON_NONE: it has one
} gmc_check_model;

/// Build the model of the first case and run it as far as its first contact.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, GMC_E_INPUT (its numbers are not good together)
GMC_MUST_CHECK gmc_status gmc_check_model_look(const gmc_prepared *prepared,
                                               gmc_check_model *model);

/// Tables for people. Notes (what became of meshes) and warnings of a kind are taken from
/// `messages`, one a line.
void gmc_check_model_print(const gmc_check_model *model, const gmc_diagnostics *messages,
                           FILE *out);

/// The same as an object `model`, with shapes as `replay --shapes` tells them.
void gmc_check_model_json(const gmc_check_model *model, gmc_json *json);

void gmc_check_model_free(gmc_check_model *model);

#endif
