#include "sampling/scenario/grasp_set.h"

#include <stdlib.h>

bool gmc_grasp_set_value(const gmc_grasp_set *set, int index, gmc_param target, double *value)
{
    for (int j = 0; j < set->target_count; j++) {
        if (set->targets[j] != target) continue;
        *value = set->values[(size_t)index * (size_t)set->target_count + (size_t)j];
        return true;
    }
    return false;
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
