#include "engine/contact/stepper.h"

#include "engine/contact/laws.h"

#include <string.h>

#define ADDRESS(name, NAME) &gmc_##name##_stepper,
const gmc_stepper *const gmc_steppers[] = {GMC_DEFAULT_STEPPER(ADDRESS) GMC_OTHER_STEPPERS(ADDRESS)
                                               NULL};

const gmc_stepper *gmc_stepper_find(const char *name)
{
    for (const gmc_stepper *const *stepper = gmc_steppers; *stepper; stepper++)
        if (name && strcmp((*stepper)->name, name) == 0) return *stepper;
    return NULL;
}
