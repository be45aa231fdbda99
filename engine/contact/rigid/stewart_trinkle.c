#include "engine/contact/rigid/stewart_trinkle.h"

#include "engine/contact/rigid/maximal.h"
#include "engine/contact/rigid/rigid_internal.h"

#include <string.h>

/// φ/h of every contact: [berard2007] eq 8, divided by h; φ is without what a start overlapped by.
static gmc_status position_bias(const gmc_rigid_step *step, double **bias)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    *bias = GMC_NEW(step->motion.scratch, set->count, double);
    if (!*bias) return GMC_E_ARENA_FULL;
    for (int c = 0; c < set->count; c++)
        (*bias)[c] = gmc_contact_gap(&set->contacts[c]) / step->motion.h;
    return GMC_OK;
}

/// @param look  velocities that contacts were looked for with; NULL: farther is not to be looked
static gmc_status try_step(gmc_rigid_step *step, gmc_twist *look)
{
    double *bias;
    GMC_TRY(position_bias(step, &bias));
    GMC_TRY(gmc_rigid_solve(step, bias));
    step->motion.is_outrun =
        look && gmc_mechanism_outruns(&step->motion, step->options->reach, look);
    if (step->motion.is_outrun) return GMC_E_NO_SOLUTION;
    return gmc_rigid_advance(step, step->motion.control->q_driven);
}

static gmc_status stewart_trinkle_step(gmc_world *world, const gmc_control *control,
                                       const gmc_step_options *options, double h,
                                       gmc_arena *scratch, gmc_step_report *report)
{
    size_t bodies = (size_t)world->model->body_count;
    gmc_twist *look = GMC_ROOM(scratch, bodies, gmc_twist);
    if (!look) return GMC_E_ARENA_FULL;
    memcpy(look, world->kin.V, bodies * sizeof *look);
    size_t mark = gmc_arena_mark(scratch);
    for (int looks = 1;; looks++) {
        gmc_rigid_step rigid = gmc_rigid_begin(world, control, options, h, scratch);
        gmc_arena_reset(scratch, mark);
        GMC_TRY(gmc_rigid_find_contacts(&rigid, look));
        gmc_contact_set_float(&world->contacts, h);
        gmc_status status = try_step(&rigid, looks < GMC_MECHANISM_LOOKS ? look : NULL);
        if (status == GMC_OK)
            *report = rigid.report;
        else
            gmc_contact_set_restore(&world->contacts);
        if (!rigid.motion.is_outrun) return status;
    }
}

static const char *const SOLVERS[] = {GMC_RIGID_SOLVERS(GMC_COMMA), NULL};

static gmc_status stewart_trinkle_maximal_step(gmc_world *world, const gmc_control *control,
                                               const gmc_step_options *options, double h,
                                               gmc_arena *scratch, gmc_step_report *report)
{
    return gmc_maximal_step(
        &(gmc_maximal_call){stewart_trinkle_step, world, control, options, h, scratch}, report);
}

static const gmc_stepper MAXIMAL = {
    .name = "stewart_trinkle",
    .about = GMC_STEWART_TRINKLE_ABOUT,
    .solvers = SOLVERS,
    .settings = gmc_rigid_settings,
    .setting_count = GMC_RIGID_CORRECTION + 1,
    .can = GMC_RIGID_CAN,
    .knows = {[GMC_MOTION_DYNAMIC] = true},
    .refuses = gmc_maximal_refuses,
    .create = gmc_maximal_create,
    .step = stewart_trinkle_maximal_step,
};

const gmc_stepper gmc_stewart_trinkle_stepper = {
    .name = "stewart_trinkle",
    .about = GMC_STEWART_TRINKLE_ABOUT,
    .solvers = SOLVERS,
    .settings = gmc_rigid_settings,
    .setting_count = GMC_RIGID_CORRECTION + 1,
    .maximal_setting_count = 1,
    .can = GMC_RIGID_CAN,
    .knows = {true, true, true},
    .maximal = &MAXIMAL,
    .create = gmc_mechanism_create,
    .step = stewart_trinkle_step,
};
