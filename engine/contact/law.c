#include "engine/contact/law.h"

#include "engine/contact/anitescu_potra.h"
#include "engine/contact/coulomb.h"
#include "engine/contact/song_pang_kumar.h"
#include "engine/contact/stewart_trinkle.h"

#include <string.h>

const gmc_stepper *const gmc_steppers[] = {&gmc_coulomb_stepper, &gmc_stewart_trinkle_stepper,
                                           &gmc_anitescu_potra_stepper,
                                           &gmc_song_pang_kumar_stepper, NULL};

const gmc_stepper *gmc_stepper_find(const char *name)
{
    for (const gmc_stepper *const *stepper = gmc_steppers; *stepper; stepper++)
        if (strcmp((*stepper)->name, name) == 0) return *stepper;
    return NULL;
}

bool gmc_stepper_fits(const gmc_stepper *stepper, const char *solver)
{
    for (const char *const *name = stepper->solvers; *name; name++)
        if (strcmp(*name, solver) == 0) return true;
    return false;
}

const gmc_solver *gmc_stepper_solver(const gmc_stepper *stepper, const char *solver)
{
    return strcmp(stepper->solvers[0], solver) == 0 ? NULL : gmc_solver_find(solver);
}

const char *gmc_motion_name(gmc_motion motion)
{
    switch (motion) {
    case GMC_MOTION_DYNAMIC:
        return "dynamic";
    case GMC_MOTION_QUASI_STATIC:
        return "quasi_static";
    case GMC_MOTION_FIRST_ORDER:
        return "first_order";
    case GMC_MOTION_COUNT:
        break;
    }
    return "unknown";
}

gmc_motion gmc_motion_find(const char *name)
{
    gmc_motion motion = GMC_MOTION_DYNAMIC;
    while (name && motion < GMC_MOTION_COUNT && strcmp(gmc_motion_name(motion), name) != 0)
        motion++;
    return motion;
}

gmc_step_options gmc_step_options_defaults(void)
{
    return (gmc_step_options){
        .turn_max = HUGE_VAL,
        .impact_step = HUGE_VAL,
        .residual_max = 1e-8,       // momentum right to eight digits; Newton ends far below
        .iteration_max = 25,        // grips take 1 to 4; what needs more does not converge
        .direction_count = 8,       // off a corner understates friction by up to 8 % (pyramid.h)
        .shell = 1e-4,              // [miller2003] §3.2
        .correction = 0.2,          // [miller2003] §4, step 10
        .is_bisected = true,        // [miller2003] §4, step 3
        .relative_tolerance = 1e-6, // a thousandth of what contact laws are known to, and less
        .absolute_tolerance = 1e-9, // a thousandth of what 1 N does to 1e6 N/m
        .patch_points = 1,          // the contact's own point
        .patch_radius = 1e-3,
        .reach = 1e-3, // a few contacts early cost little, a missed one a whole step
    };
}
