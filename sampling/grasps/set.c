#include "sampling/grasps/set.h"

#include "sampling/scenario/study.h"

const gmc_grasp_set *gmc_grasp_set_of_case(const gmc_scenario *scenario, int64_t case_index,
                                           int *index)
{
    int grasp = gmc_study_grasp(scenario, case_index);
    if (index) *index = grasp;
    return grasp < 0 ? NULL : scenario->objects[gmc_study_object(scenario, case_index)].grasps;
}

void gmc_grasp_set_free(gmc_grasp_set *set)
{
    if (set) gmc_grasps_free(&set->grasps);
}
