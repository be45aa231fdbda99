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

const gmc_stepper *gmc_stepper_formulated(const gmc_stepper *stepper,
                                          const gmc_step_options *options)
{
    int index = gmc_stepper_setting(stepper, "formulation");
    if (!stepper->maximal || index < 0) return stepper;
    double word = gmc_setting_of(options, stepper->settings, index);
    return word == gmc_setting_word(stepper->settings[index].words, "maximal") ? stepper->maximal
                                                                               : stepper;
}
