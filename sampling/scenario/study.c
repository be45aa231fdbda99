#include "sampling/scenario/study.h"

// The axis that counts for all that run with it.
static int leader(const gmc_scenario *scenario, int axis)
{
    for (int i = 0; scenario->axes[axis].is_between && i < axis; i++)
        if (scenario->axes[i].is_between) return i;
    return axis;
}

int gmc_study_position(const gmc_scenario *scenario, int64_t case_index, int axis)
{
    axis = leader(scenario, axis);
    for (int i = scenario->axis_count - 1; i > axis; i--)
        if (leader(scenario, i) == i) case_index /= scenario->axes[i].count;
    return (int)(case_index % scenario->axes[axis].count);
}

int gmc_study_object(const gmc_scenario *scenario, int64_t case_index)
{
    for (int i = 0; i < scenario->axis_count; i++)
        if (scenario->axes[i].objects)
            return scenario->axes[i].objects[gmc_study_position(scenario, case_index, i)];
    return 0;
}

void gmc_study_apply(const gmc_scenario *scenario, int64_t case_index, double *values)
{
    for (int i = 0; i < scenario->axis_count; i++) {
        const gmc_axis_spec *axis = &scenario->axes[i];
        if (!axis->values) continue;
        double value = axis->values[gmc_study_position(scenario, case_index, i)];
        for (int j = 0; j < axis->target_count; j++)
            values[axis->targets[j]] = value;
    }
}
