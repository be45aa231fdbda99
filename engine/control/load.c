#include "engine/control/load.h"

#include "engine/dynamics/rnea.h"

gmc_status gmc_load_find(const gmc_model *model, const double *q, gmc_arena *scratch, double *force)
{
    gmc_kinematics kin;
    double *still = GMC_NEW(scratch, model->dof_count, double);
    if (!still) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_kinematics_create(model, scratch, &kin));
    gmc_kinematics_update(model, q, NULL, &kin);
    return gmc_rnea(model, &kin, still, NULL, force, scratch);
}
