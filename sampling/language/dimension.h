/// What the numbers of a scenario measure.
#ifndef GMC_SAMPLING_LANGUAGE_DIMENSION_H
#define GMC_SAMPLING_LANGUAGE_DIMENSION_H

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

#endif
