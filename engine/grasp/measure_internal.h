/// What the parts of measure.c share.
#ifndef GMC_ENGINE_GRASP_MEASURE_INTERNAL_H
#define GMC_ENGINE_GRASP_MEASURE_INTERNAL_H

#include "engine/grasp/measure.h"
#include "engine/grasp/wrench.h"

/// Is it one of the measures of what contacts can hold, GMC_MEASURE_CLOSURE and so on?
static inline bool gmc_measure_is_quality(gmc_measure_kind kind)
{
    return kind >= GMC_MEASURE_CLOSURE && kind <= GMC_MEASURE_HOLDS_MOMENT;
}

/// Is it one of a sum of contacts, each of which presses with at most 1 N?
static inline bool gmc_measure_is_each(gmc_measure_kind kind)
{
    return kind == GMC_MEASURE_EPSILON_EACH || kind == GMC_MEASURE_VOLUME_EACH;
}

/// Room that gmc_measure_quality needs at most, of what the plan asks for, with so many contacts
/// [bytes].
static inline size_t gmc_measure_quality_bytes(const gmc_measure_plan *plan, int contact_max)
{
    size_t sums = 0; // and their copy for the rank
    for (int i = 0; i < plan->asked_count; i++)
        if (gmc_measure_is_each(plan->asked[i].kind))
            sums = (size_t)GMC_WRENCH_SUM_MAX * 2 * GMC_WRENCH_DIMENSION * sizeof(double);
    // contacts, twice; wrenches, their copy with all rows and columns of the program, its tableau
    size_t contacts = (size_t)contact_max + 1, wrenches = contacts * GMC_WRENCH_EDGES;
    size_t columns = wrenches + 2 * (GMC_WRENCH_ROWS - GMC_WRENCH_DIMENSION) + 1;
    size_t numbers = wrenches * GMC_WRENCH_DIMENSION + columns * (2 * GMC_WRENCH_ROWS + 1);
    return sums + contacts * (2 * sizeof(gmc_wrench_contact) + sizeof(int)) +
           numbers * sizeof(double) + 16 * GMC_ARENA_ALIGNMENT;
}

/// A measure of what contacts can hold, of the contacts of the last step.
/// @param state  its `work`, of gmc_measure_quality_bytes, is given back
/// @param along  GMC_MEASURE_HOLDS, _HOLDS_MOMENT: direction of the force or moment, unit, world
/// @return NaN: a solver ended without an answer, or there are too many contacts for it
double gmc_measure_quality(const gmc_measure *measure, const gmc_measure_plan *plan,
                           const gmc_world *world, const gmc_measure_state *state, gmc_vec3 along);

#endif
