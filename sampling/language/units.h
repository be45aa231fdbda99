/// Numbers with units, as people write them: "50 mm", "5 deg", "0.8 g/cm3", "8 %", "1e6 N/m".
///
/// A unit is a product of atoms (m, mm, kg, N, deg, %, ...) with `*`, `.`, `·`, `/` and small
/// powers (`m2`, `m^2`, `m²`). What it measures is found by adding exponents, so every sensible
/// spelling is accepted and a wrong one is told apart from an unknown one. A number without a unit
/// is SI. Angles count as a dimension of their own here: a length and an angle never fit together
/// by chance.
#ifndef GMC_SAMPLING_LANGUAGE_UNITS_H
#define GMC_SAMPLING_LANGUAGE_UNITS_H

#include <stdbool.h>

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
    GMC_DIM_FORCE_RATE,        ///< N/s
    GMC_DIM_JOINT_POSITION,    ///< m or rad, by the joint
    GMC_DIM_JOINT_FORCE,       ///< N or N·m, by the joint
    GMC_DIM_JOINT_STIFFNESS,   ///< N/m or N·m/rad
    GMC_DIM_JOINT_DAMPING,     ///< N·s/m or N·m·s/rad
    GMC_DIM_JOINT_SPEED,       ///< m/s or rad/s, by the joint
    GMC_DIM_JOINT_INERTIA,     ///< kg or kg·m2, by the joint
    GMC_DIM_COUNT
} gmc_dimension;

/// Powers of the base units.
typedef struct gmc_exponents {
    int m, kg, s, rad;
} gmc_exponents;

/// A number as written.
typedef struct gmc_quantity {
    double value;            ///< SI
    bool has_unit;           ///< a unit was written ("%" included)
    gmc_exponents exponents; ///< of the unit; all 0 without one
} gmc_quantity;

typedef enum gmc_units_result {
    GMC_UNITS_OK,
    GMC_UNITS_NO_NUMBER,    ///< does not start with a decimal number
    GMC_UNITS_TOO_LARGE,    ///< overflows, or is written as inf or nan
    GMC_UNITS_UNKNOWN_UNIT, ///< a number, followed by a word that is no unit
} gmc_units_result;

/// Read a number and, if one follows (after spaces), its unit.
/// @param  text   zero-terminated; reading stops at the first character that belongs to neither: in
///                `5 mm*cos(x)` and `5 mm*chute.width` at the sign
/// @param  end    out: that character; on failure, the character at fault
/// @return GMC_UNITS_OK, or what is wrong (quantity is then zeroed)
gmc_units_result gmc_units_read(const char *text, gmc_quantity *quantity, const char **end);

/// SI unit of a dimension: "m", "N*m", "1" for pure numbers, "m or rad" for joint positions.
const char *gmc_units_name(gmc_dimension dimension);

/// What it is, for messages: "a length", "a pure number".
const char *gmc_units_noun(gmc_dimension dimension);

/// Units worth naming in a message: "m, cm or mm".
const char *gmc_units_choices(gmc_dimension dimension);

/// Numbers of a dimension lie within -x ... x: lengths within 1e6 m, so that positions are exact to
/// 1e-10 m, angles within 1e6 rad; HUGE_VAL: any finite number.
double gmc_units_extent(gmc_dimension dimension);

/// Exponents of a dimension; for joint dimensions those of the prismatic joint.
gmc_exponents gmc_units_exponents(gmc_dimension dimension);

/// The dimension with these exponents, none of a joint; false: the language has none.
bool gmc_units_dimension(gmc_exponents exponents, gmc_dimension *dimension);

/// Exponents of a unit as the tables of the program spell it: "m/s", "rad", "1" for pure numbers.
gmc_exponents gmc_units_of(const char *name);

bool gmc_units_equal(gmc_exponents a, gmc_exponents b);

/// Does a unit measure this dimension? Joint dimensions accept both kinds of joint.
/// @param exact  out, may be NULL: the dimension that the unit settles (force or torque for a joint
///               force)
bool gmc_units_fits(gmc_dimension dimension, gmc_exponents exponents, gmc_dimension *exact);

/// Exponents in words, for messages: "m", "kg*m/s2", "1".
/// @param text  at least GMC_UNITS_TEXT bytes
void gmc_units_spell(gmc_exponents exponents, char *text);

/// The shortest decimal text that reads back to the same double; "inf", "-inf", "nan" for those.
/// @param text  at least GMC_UNITS_TEXT bytes
void gmc_units_print(double value, char *text);

enum { GMC_UNITS_TEXT = 64 };

#endif
