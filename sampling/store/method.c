#include "sampling/store/method.h"

const gmc_store_method gmc_store_method_plain = {.word = "plain"};

#define METHOD(word) &gmc_store_method_##word,
static const gmc_store_method *const METHODS[] = {GMC_STORE_METHODS(METHOD)};
#undef METHOD

const gmc_store_method *gmc_store_method_of(const gmc_store_plan *plan)
{
    for (int i = 0; i < GMC_COUNT(METHODS); i++)
        if (METHODS[i]->is_planned(plan)) return METHODS[i];
    return &gmc_store_method_plain;
}

const gmc_store_method *gmc_store_method_asked(const gmc_scenario *scenario)
{
    for (int i = 0; i < GMC_COUNT(METHODS); i++)
        if (METHODS[i]->is_asked(scenario)) return METHODS[i];
    return &gmc_store_method_plain;
}

const gmc_store_method *gmc_store_method_at(int index)
{
    return index < GMC_COUNT(METHODS) ? METHODS[index] : NULL;
}

const char *gmc_store_method_chooser(const gmc_scenario *scenario)
{
    if (scenario->optimise.is_given) return "optimisation"; // runs of its own
    return gmc_store_method_asked(scenario)->chooser;
}
