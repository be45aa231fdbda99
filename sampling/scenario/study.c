#include "sampling/scenario/study.h"

#include <math.h>

// Do two axes run together?
static bool are_one(const gmc_axis_spec *a, const gmc_axis_spec *b)
{
    return (a->is_between && b->is_between) || (a->is_joined && b->is_joined) ||
           (a->is_together && b->is_together);
}

int gmc_study_leader(const gmc_scenario *scenario, int axis)
{
    for (int i = 0; i < axis; i++)
        if (are_one(&scenario->axes[i], &scenario->axes[axis])) return i;
    return axis;
}

int gmc_study_position(const gmc_scenario *scenario, int64_t case_index, int axis)
{
    axis = gmc_study_leader(scenario, axis);
    for (int i = scenario->axis_count - 1; i > axis; i--)
        if (gmc_study_leader(scenario, i) == i) case_index /= scenario->axes[i].count;
    return (int)(case_index % scenario->axes[axis].count);
}

int gmc_study_object(const gmc_scenario *scenario, int64_t case_index)
{
    for (int i = 0; i < scenario->axis_count; i++)
        if (scenario->axes[i].objects)
            return scenario->axes[i].objects[gmc_study_position(scenario, case_index, i)];
    return 0;
}
static void apply_grasp(const gmc_scenario *scenario, const gmc_axis_spec *axis, int position,
                        double *values)
{
    const gmc_grasp_set *set = scenario->objects[axis->objects[position]].grasps;
    const double *row = set->values + (size_t)axis->grasps[position] * (size_t)set->target_count;
    for (int j = 0; j < set->target_count; j++)
        values[set->targets[j]] = row[j];
}

void gmc_study_apply(const gmc_scenario *scenario, int64_t case_index, double *values)
{
    for (int i = 0; i < scenario->axis_count; i++) {
        const gmc_axis_spec *axis = &scenario->axes[i];
        if (!axis->values && !axis->grasps) continue;
        int position = gmc_study_position(scenario, case_index, i);
        if (axis->grasps) {
            apply_grasp(scenario, axis, position, values);
            continue;
        }
        for (int j = 0; j < axis->target_count; j++)
            values[axis->targets[j]] = axis->values[position];
    }
}

const gmc_grasp_set *gmc_study_grasp_set(const gmc_scenario *scenario, int64_t case_index,
                                         int *index)
{
    int grasp = gmc_study_grasp(scenario, case_index);
    if (index) *index = grasp;
    return grasp < 0 ? NULL : scenario->objects[gmc_study_object(scenario, case_index)].grasps;
}

void gmc_study_grasp_range(const gmc_scenario *scenario, const gmc_axis_spec *axis,
                           gmc_param target, double *lower, double *upper)
{
    double nominal = *lower;
    for (int k = 0; k < axis->count; k++) {
        double value = nominal;
        const gmc_grasp_set *set = scenario->objects[axis->objects[k]].grasps;
        (void)gmc_grasp_set_value(set, axis->grasps[k], target, &value);
        *lower = k == 0 ? value : fmin(*lower, value);
        *upper = k == 0 ? value : fmax(*upper, value);
    }
}
