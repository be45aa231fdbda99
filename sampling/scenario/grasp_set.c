#include "sampling/scenario/grasp_set.h"

#include "sampling/scenario/study.h"

#include <math.h>
#include <stdlib.h>

const gmc_grasp_set *gmc_grasp_set_of_case(const gmc_scenario *scenario, int64_t case_index,
                                           int *index)
{
    int grasp = gmc_study_grasp(scenario, case_index);
    if (index) *index = grasp;
    return grasp < 0 ? NULL : scenario->objects[gmc_study_object(scenario, case_index)].grasps;
}

bool gmc_grasp_set_value(const gmc_grasp_set *set, int index, gmc_param target, double *value)
{
    for (int j = 0; j < set->target_count; j++) {
        if (set->targets[j] != target) continue;
        *value = set->values[(size_t)index * (size_t)set->target_count + (size_t)j];
        return true;
    }
    return false;
}

void gmc_grasp_set_range(const gmc_scenario *scenario, const gmc_axis_spec *axis, gmc_param target,
                         double *lower, double *upper)
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

void gmc_grasp_set_free(gmc_grasp_set *set)
{
    if (!set) return;
    gmc_grasps_free(&set->grasps);
    free(set->rows);
    free(set->values);
    set->rows = NULL;
    set->values = NULL;
    set->count = 0;
}
