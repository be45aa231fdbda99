/// The one table of all numbers of a scenario: what an entry is and what it measures.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_PARAMETER_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_PARAMETER_H

#include "engine/base/source.h"
#include "sampling/language/expression.h"

#include <stdbool.h>

/// Index into gmc_scenario.parameters; -1: not given and without default.
typedef int gmc_param;

typedef struct gmc_parameter {
    const char *path; ///< "object.pose.x", "friction.rubber/abs", "program.1.lift.by"
    gmc_dimension dimension;
    double nominal;      ///< SI
    double lower, upper; ///< what a value may be (closed); -inf, +inf: free. A drawn value outside
                         ///< it is an error of the scenario where it can be foreseen, else ends the
                         ///< trial as unsolved
    bool is_default;     ///< not written by the user
    bool is_option;      ///< its value alone is that of a --set
    bool is_stand_in;    ///< what was written was complained about: `nominal` judges nothing
    const gmc_formula *formula; ///< what it follows from in every trial; NULL: nothing
    const char *formula_text;   ///< as written
    gmc_source source;
} gmc_parameter;

#endif
