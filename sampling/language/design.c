#include "sampling/language/design.h"

const char *gmc_design_name(gmc_design design)
{
    static const char *const NAMES[] = {[GMC_DESIGN_RANDOM] = "random",
                                        [GMC_DESIGN_CSV] = "csv",
                                        [GMC_DESIGN_SOBOL] = "sobol",
                                        [GMC_DESIGN_LATIN_HYPERCUBE] = "latin_hypercube",
                                        [GMC_DESIGN_SENSITIVITY] = "sensitivity",
                                        [GMC_DESIGN_MORRIS] = "morris"};
    return NAMES[design];
}
