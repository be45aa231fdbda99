// Which stepper and solver take the steps, and whether the scenario asks for what they do not know.

#include "engine/contact/stepper.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const gmc_node *setting(const gmc_scenario *scenario, const char *key)
{
    return gmc_node_find(gmc_node_find(scenario->tree, "simulation"), key);
}

static void complain(const gmc_build *build, const char *key, const char *hint, const char *what)
{
    const gmc_node *node = setting(build->scenario, key);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : (gmc_source){0}, hint,
                        "simulation.%s: %s", key, what);
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

static const gmc_setting *find_setting(const char *key)
{
    int index = -1;
    const gmc_stepper *const *stepper = gmc_steppers;
    while ((index = gmc_stepper_setting(*stepper, key)) < 0)
        stepper++;
    return &(*stepper)->settings[index];
}

/// A setting that means nothing to the stepper, or nothing at all.
static void check_setting(const gmc_build *build, const gmc_law_setting *given)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_setting *setting = find_setting(given->key);
    char what[160];
    snprintf(what, sizeof what, "it belongs to %s; %.40s has none", setting->owner,
             scenario->stepper);
    if (gmc_stepper_setting(build->stepper, given->key) < 0)
        complain(build, given->key, "leave it out", what);
    if (setting->even && fmod(given->value, 2) != 0)
        complain(build, given->key, setting->even, "the number must be even");
}

void gmc_build_list_knowing(gmc_motion motion, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "steppers that do: ");
    for (int i = 0, count = 0; gmc_steppers[i]; i++)
        if (gmc_steppers[i]->knows[motion])
            used += (size_t)snprintf(text + used, size - used, "%s%s", count++ > 0 ? ", " : "",
                                     gmc_steppers[i]->name);
}

/// Motion models that the stepper's law makes no sense with.
static void check_motion(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_motion motion = gmc_motion_find(scenario->motion);
    char what[160], list[160];
    if (motion == GMC_MOTION_COUNT || build->stepper->knows[motion]) return;
    gmc_build_list_knowing(motion, list, sizeof list);
    snprintf(what, sizeof what,
             "%.40s does not know %s: what its contacts' springs take up, momentum gives back",
             scenario->stepper, scenario->motion);
    complain(build, "motion", list, what);
}

/// Bounce, where there is no momentum that could be given back.
static void check_bounce(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    bool bounces = build->stepper->can & GMC_CAN_BOUNCE;
    if (!bounces || gmc_motion_find(scenario->motion) == GMC_MOTION_DYNAMIC) return;
    for (int i = 0; i < scenario->friction_count; i++)
        if (scenario->frictions[i].restitution >= 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, scenario->frictions[i].source,
                                "leave the restitution out",
                                "nothing bounces where simulation.motion is %.40s",
                                scenario->motion);
}

/// What a pair or surface may ask of a law.
typedef struct ability {
    gmc_can can;
    const char *name;
} ability;

/// The first of what a pair has that the stepper's law does not know; NULL: nothing.
static const ability *lacking_of(const gmc_stepper *stepper, const gmc_friction_spec *spec)
{
    static const ability ABILITIES[] = {{GMC_CAN_BOUNCE, "restitution"},
                                        {GMC_CAN_TORSION, "torsional friction"},
                                        {GMC_CAN_ROLLING, "rolling friction"},
                                        {GMC_CAN_KINETIC, "kinetic friction"},
                                        {GMC_CAN_GRAIN, "friction across a grain"}};
    const gmc_param asked[] = {spec->restitution, spec->torsion, spec->rolling, spec->kinetic,
                               spec->across};
    for (int i = 0; i < GMC_COUNT(ABILITIES); i++)
        if (asked[i] >= 0 && !(stepper->can & ABILITIES[i].can)) return &ABILITIES[i];
    return NULL;
}

/// "the stepper a does", of the first that can.
typedef struct advice {
    char text[64];
} advice;

static advice who_can(gmc_can can)
{
    advice who = {""};
    for (int i = 0; gmc_steppers[i] && !who.text[0]; i++)
        if (gmc_steppers[i]->can & can)
            snprintf(who.text, sizeof who.text, "the stepper %s does", gmc_steppers[i]->name);
    return who;
}

static void check_pairs(const gmc_build *build, const gmc_stepper *stepper)
{
    for (int i = 0; i < build->scenario->friction_count; i++) {
        const gmc_friction_spec *spec = &build->scenario->frictions[i];
        const ability *lacking = lacking_of(stepper, spec);
        advice hint = who_can(lacking ? lacking->can : GMC_CAN_DAMPING_RATIO);
        bool has_ratio = stepper->can & GMC_CAN_DAMPING_RATIO;
        if (lacking)
            gmc_diagnostics_add(
                build->report, GMC_E_INPUT, spec->source,
                has_ratio && lacking->can == GMC_CAN_BOUNCE
                    ? "damping_ratio: zeta gives exp(-pi zeta/sqrt(1 - zeta^2)) back"
                    : hint.text,
                "%.40s does not know %s", stepper->name, lacking->name);
        if (spec->damping_ratio >= 0 && !gmc_build_can(build, GMC_CAN_DAMPING_RATIO))
            gmc_diagnostics_add(build->report, GMC_OK, spec->source,
                                who_can(GMC_CAN_DAMPING_RATIO).text,
                                "%.40s takes no notice of damping_ratio", stepper->name);
    }
}

static void check_surfaces(const gmc_build *build, const gmc_stepper *stepper)
{
    const gmc_scenario *scenario = build->scenario;
    if (stepper->can & GMC_CAN_PADS) return;
    for (int i = 0; i < scenario->surface_count; i++) {
        const gmc_surface_spec *spec = &scenario->surfaces[i];
        const gmc_node *node = gmc_node_find(gmc_node_find(scenario->tree, "surfaces"), spec->name);
        if (spec->pad_modulus >= 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : (gmc_source){0},
                                who_can(GMC_CAN_PADS).text, "%.40s does not know pads",
                                stepper->name);
    }
}

void gmc_build_check_laws(const gmc_build *build, const gmc_stepper *stepper)
{
    check_pairs(build, stepper);
    check_surfaces(build, stepper);
}

bool gmc_build_can(const gmc_build *build, gmc_can can)
{
    unsigned all = build->stepper->can;
    for (int i = 0; i < build->scenario->level_count; i++) {
        const char *name = build->scenario->levels[i].stepper;
        const gmc_stepper *stepper = name ? gmc_stepper_find(name) : NULL;
        all |= stepper ? stepper->can : 0;
    }
    return all & can;
}

void gmc_build_stepper(gmc_build *build)
{
    build->stepper = gmc_stepper_find(build->scenario->stepper);
    if (!build->stepper) return; // reported by the validation
    choose_solver(build);
    check_motion(build);
    for (int i = 0; i < build->scenario->setting_count; i++)
        check_setting(build, &build->scenario->settings[i]);
    check_bounce(build);
    gmc_build_check_laws(build, build->stepper);
    gmc_build_check_levels(build);
}
