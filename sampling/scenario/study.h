/// Cases: the rows of decisions of a study. Case 0 has the first value of every axis; the last axis
/// runs fastest. Axes `between` two numbers run together, as one axis of designs that stands where
/// the first of them does; so do `object` and `grasp`, as one axis of all grasps of all objects,
/// and all axes of a study whose values are taken `together`. A scenario without a study has one
/// case.
#ifndef GMC_SAMPLING_SCENARIO_STUDY_H
#define GMC_SAMPLING_SCENARIO_STUDY_H

#include "sampling/scenario/scenario.h"

enum { GMC_STUDY_CASES_MAX = 100000000 }; ///< a case costs memory in results and summaries

/// The axis that counts for this one: itself, or the first of those that run with it.
int gmc_study_leader(const gmc_scenario *scenario, int axis);

/// Which value of an axis a case has.
/// @param case_index  0 <= case_index < case_count
int gmc_study_position(const gmc_scenario *scenario, int64_t case_index, int axis);

/// The object of a case: index into scenario->objects.
int gmc_study_object(const gmc_scenario *scenario, int64_t case_index);

/// Which grasp of its object a case has, of those that the object takes; -1: the study does not
/// vary `grasp`.
static inline int gmc_study_grasp(const gmc_scenario *scenario, int64_t case_index)
{
    for (int i = 0; i < scenario->axis_count; i++)
        if (scenario->axes[i].grasps)
            return scenario->axes[i].grasps[gmc_study_position(scenario, case_index, i)];
    return -1;
}

/// Set the studied entries of a table of values to those of a case.
/// @param values  (parameter_count), in: nominal
void gmc_study_apply(const gmc_scenario *scenario, int64_t case_index, double *values);

/// The grasp of a case: one of its object's set. NULL if the study does not vary `grasp`.
/// @param index  out: which of set->rows; may be NULL
const gmc_grasp_set *gmc_study_grasp_set(const gmc_scenario *scenario, int64_t case_index,
                                         int *index);

/// Smallest and largest value of a parameter over the cases of an axis `grasp`.
/// @param lower, upper  in: both the nominal value; out: of all grasps that set it, and the nominal
///                      one if some of them do not
void gmc_study_grasp_range(const gmc_scenario *scenario, const gmc_axis_spec *axis,
                           gmc_param target, double *lower, double *upper);

#endif
