// Which stepper and solver take the steps, and whether the scenario asks for what they do not know.

#include "sampling/build/build_internal.h"
#include "sampling/language/yaml.h"

#include <stdio.h>
#include <string.h>

static const gmc_node *setting(const gmc_scenario *scenario, const char *key)
{
    return gmc_node_find(gmc_node_find(scenario->tree, "simulation"), key);
}

static void complain(const gmc_build *build, const char *key, const char *hint, const char *what)
{
    const gmc_node *node = setting(build->scenario, key);
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT,
                        node ? node->source : (gmc_source){0}, hint, "simulation.%s: %s", key,
                        what);
}

/// A solver of another law is refused.
static void choose_solver(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    if (!scenario->solver) return; // reported by the validation
    if (gmc_stepper_fits(build->stepper, scenario->solver)) {
        build->solver = gmc_stepper_solver(build->stepper, scenario->solver);
        return;
    }
    char list[160], what[160];
    size_t used = (size_t)snprintf(list, sizeof list, "these do: ");
    for (const char *const *name = build->stepper->solvers; *name; name++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 name == build->stepper->solvers ? "" : ", ", *name);
    snprintf(what, sizeof what, "%.40s does not fit the law of %.40s", scenario->solver,
             scenario->stepper);
    complain(build, "solver", list, what);
}

/// Settings that mean nothing to the stepper.
static void check_settings(const gmc_build *build)
{
    static const struct {
        const char *key, *stepper, *whose; // stepper NULL: any that is rigid
    } SETTINGS[] = {{"friction_directions", NULL, "friction pyramids of rigid steppers"},
                    {"time_of_contact", "anitescu_potra", "the stepper anitescu_potra"},
                    {"shell", "anitescu_potra", "the stepper anitescu_potra"},
                    {"drift_correction", "anitescu_potra", "the stepper anitescu_potra"},
                    {"patch_points", "song_pang_kumar", "the stepper song_pang_kumar"},
                    {"patch_radius", "song_pang_kumar", "the stepper song_pang_kumar"},
                    {"relative_tolerance", "song_pang_kumar", "the stepper song_pang_kumar"},
                    {"absolute_tolerance", "song_pang_kumar", "the stepper song_pang_kumar"}};
    const gmc_scenario *scenario = build->scenario;
    for (int i = 0; i < GMC_COUNT(SETTINGS); i++) {
        bool fits = SETTINGS[i].stepper ? strcmp(SETTINGS[i].stepper, scenario->stepper) == 0
                                        : build->stepper->is_rigid;
        char what[160];
        snprintf(what, sizeof what, "it belongs to %s; %.40s has none", SETTINGS[i].whose,
                 scenario->stepper);
        if (!fits && setting(scenario, SETTINGS[i].key))
            complain(build, SETTINGS[i].key, "leave it out", what);
    }
    if (setting(scenario, "friction_directions") && scenario->direction_count % 2 != 0)
        complain(build, "friction_directions", "directions come in opposite pairs",
                 "the number must be even");
}

/// Motion models that the stepper's law makes no sense with.
static void check_motion(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_motion motion = gmc_motion_find(scenario->motion);
    char what[160], list[160];
    size_t used = (size_t)snprintf(list, sizeof list, "steppers that do: ");
    if (motion == GMC_MOTION_COUNT || build->stepper->knows[motion]) return;
    for (int i = 0, count = 0; gmc_steppers[i]; i++)
        if (gmc_steppers[i]->knows[motion])
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     count++ > 0 ? ", " : "", gmc_steppers[i]->name);
    snprintf(what, sizeof what,
             "%.40s does not know %s: what its contacts' springs take up, momentum gives back",
             scenario->stepper, scenario->motion);
    complain(build, "motion", list, what);
}

/// Bounce, where there is no momentum that could be given back.
static void check_bounce(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    if (build->stepper->is_rigid || gmc_motion_find(scenario->motion) == GMC_MOTION_DYNAMIC) return;
    for (int i = 0; i < scenario->friction_count; i++)
        if (scenario->frictions[i].restitution >= 0)
            gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT,
                                scenario->frictions[i].source, "leave the restitution out",
                                "nothing bounces where simulation.motion is %.40s",
                                scenario->motion);
}

/// What a pair has that the stepper's law does not know; NULL: nothing.
static const char *lacking_of(const gmc_stepper *stepper, const gmc_friction_spec *spec)
{
    if (!stepper->is_rigid && !stepper->is_integrated) return NULL;
    if (spec->restitution >= 0) return "restitution";
    if (spec->torsion >= 0) return "torsional friction";
    if (spec->rolling >= 0) return "rolling friction";
    if (stepper->is_rigid) return NULL;
    if (spec->kinetic >= 0) return "kinetic friction";
    return spec->across >= 0 ? "friction across a grain" : NULL;
}

static void check_pairs(const gmc_build *build, const gmc_stepper *stepper)
{
    for (int i = 0; i < build->scenario->friction_count; i++) {
        const gmc_friction_spec *spec = &build->scenario->frictions[i];
        const char *lacking = lacking_of(stepper, spec), *hint = "the stepper coulomb does";
        if (stepper->is_integrated && spec->restitution >= 0)
            hint = "damping_ratio: zeta gives exp(-pi zeta/sqrt(1 - zeta^2)) back";
        if (lacking)
            gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, spec->source, hint,
                                "%.40s does not know %s", stepper->name, lacking);
        if (spec->damping_ratio >= 0 && !gmc_build_is_integrated(build))
            gmc_diagnostics_add(build->report, GMC_WARNING, GMC_OK, spec->source,
                                "the stepper song_pang_kumar does",
                                "%.40s takes no notice of damping_ratio", stepper->name);
    }
}

static void check_surfaces(const gmc_build *build, const gmc_stepper *stepper)
{
    const gmc_scenario *scenario = build->scenario;
    if (!stepper->is_rigid && !stepper->is_integrated) return;
    for (int i = 0; i < scenario->surface_count; i++) {
        const gmc_surface_spec *spec = &scenario->surfaces[i];
        const gmc_node *node = gmc_node_find(gmc_node_find(scenario->tree, "surfaces"), spec->name);
        if (spec->pad_modulus >= 0)
            gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT,
                                node ? node->source : (gmc_source){0}, "the stepper coulomb does",
                                "%.40s does not know pads", stepper->name);
    }
}

void gmc_build_check_laws(const gmc_build *build, const gmc_stepper *stepper)
{
    check_pairs(build, stepper);
    check_surfaces(build, stepper);
}

bool gmc_build_is_integrated(const gmc_build *build)
{
    bool is_integrated = build->stepper->is_integrated;
    for (int i = 0; i < build->scenario->level_count; i++) {
        const char *name = build->scenario->levels[i].stepper;
        const gmc_stepper *stepper = name ? gmc_stepper_find(name) : NULL;
        is_integrated = is_integrated || (stepper && stepper->is_integrated);
    }
    return is_integrated;
}

void gmc_build_stepper(gmc_build *build)
{
    build->stepper = gmc_stepper_find(build->scenario->stepper);
    if (!build->stepper) return; // reported by the validation
    choose_solver(build);
    check_motion(build);
    check_settings(build);
    check_bounce(build);
    gmc_build_check_laws(build, build->stepper);
    gmc_build_check_levels(build);
}
