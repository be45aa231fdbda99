/// The one table of all numbers of a scenario: what an entry is and what it measures.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_PARAMETER_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_PARAMETER_H

#include "engine/base/source.h"
#include "engine/grasp/success.h"

#include <stdbool.h>

/// Index into gmc_scenario.parameters; -1: not given and without default.
typedef int gmc_param;

/// What a number measures: decides which units may be written and how it is printed. SI inside.
typedef enum gmc_dimension {
    GMC_DIM_NONE,
    GMC_DIM_LENGTH,            ///< m
    GMC_DIM_ANGLE,             ///< rad
    GMC_DIM_TIME,              ///< s
    GMC_DIM_MASS,              ///< kg
    GMC_DIM_DENSITY,           ///< kg/m3
    GMC_DIM_FORCE,             ///< N
    GMC_DIM_TORQUE,            ///< N·m
    GMC_DIM_SPEED,             ///< m/s
    GMC_DIM_ANGULAR_SPEED,     ///< rad/s
    GMC_DIM_ACCELERATION,      ///< m/s2
    GMC_DIM_FREQUENCY,         ///< Hz
    GMC_DIM_STIFFNESS,         ///< N/m
    GMC_DIM_DAMPING,           ///< N·s/m
    GMC_DIM_ANGULAR_STIFFNESS, ///< N·m/rad
    GMC_DIM_ANGULAR_DAMPING,   ///< N·m·s/rad
    GMC_DIM_INERTIA,           ///< kg·m2
    GMC_DIM_ENERGY,            ///< J
    GMC_DIM_PRESSURE,          ///< Pa
    GMC_DIM_JOINT_POSITION,    ///< m or rad, by the joint
    GMC_DIM_JOINT_FORCE,       ///< N or N·m, by the joint
    GMC_DIM_JOINT_STIFFNESS,   ///< N/m or N·m/rad
    GMC_DIM_JOINT_DAMPING,     ///< N·s/m or N·m·s/rad
    GMC_DIM_JOINT_SPEED,       ///< m/s or rad/s, by the joint
    GMC_DIM_JOINT_INERTIA,     ///< kg or kg·m2, by the joint
    GMC_DIM_COUNT
} gmc_dimension;

/// A number that follows from named parameters: what stands under `parameters`.
typedef struct gmc_formula {
    gmc_compiled_criterion code; ///< its measures are indices into the table
    int rank;                    ///< what a formula names was read before it
} gmc_formula;

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
