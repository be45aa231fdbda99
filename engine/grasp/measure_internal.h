/// What the parts of measure.c share.
#ifndef GMC_ENGINE_GRASP_MEASURE_INTERNAL_H
#define GMC_ENGINE_GRASP_MEASURE_INTERNAL_H

#include "engine/grasp/measure.h"
#include "engine/grasp/wrench.h"

/// Is it one of the measures of what contacts can hold, GMC_MEASURE_CLOSURE and so on?
static inline bool gmc_measure_is_quality(gmc_measure_kind kind)
{
    return kind >= GMC_MEASURE_CLOSURE && kind <= GMC_MEASURE_HOLDS;
}

/// Room that gmc_measure_quality needs at most, with so many contacts [bytes].
static inline size_t gmc_measure_quality_bytes(int contact_max)
{
    // contacts, twice; wrenches, their copy for the rank, lengths and the tableau
    size_t contacts = (size_t)contact_max + 1, wrenches = contacts * GMC_WRENCH_EDGES;
    size_t numbers = wrenches * (2 * GMC_WRENCH_DIMENSION + 1 + GMC_WRENCH_DIMENSION + 1);
    return contacts * (2 * sizeof(gmc_wrench_contact) + sizeof(int)) +
           (numbers + GMC_WRENCH_DIMENSION + 1) * sizeof(double) + 16 * GMC_ARENA_ALIGNMENT;
}

/// A measure of what contacts can hold, of the contacts of the last step.
/// @param along  GMC_MEASURE_HOLDS: direction of the force, unit, world
/// @param work   of gmc_measure_quality_bytes; given back
/// @return NaN: a solver ended without an answer
double gmc_measure_quality(const gmc_measure *measure, const gmc_measure_plan *plan,
                           const gmc_world *world, gmc_vec3 along, gmc_arena *work);

#endif
