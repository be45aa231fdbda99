/// All steppers, by name. A new one is a table beside its law and a line in laws.h.
#ifndef GMC_ENGINE_CONTACT_STEPPER_H
#define GMC_ENGINE_CONTACT_STEPPER_H

#include "engine/contact/law.h"

/// Ended by NULL; the first is the default.
extern const gmc_stepper *const gmc_steppers[];

/// By name, which may be NULL; NULL if there is none.
const gmc_stepper *gmc_stepper_find(const char *name);

/// The stepper that takes the steps by what its own setting `formulation` says: itself or its
/// `maximal`.
const gmc_stepper *gmc_stepper_formulated(const gmc_stepper *stepper,
                                          const gmc_step_options *options);

#endif
