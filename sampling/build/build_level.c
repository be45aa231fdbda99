// Levels of a ladder: the same scenario, the same chance, another stepper. Nothing else of what was
// compiled depends on the stepper, so a level is no more than options of a rollout.
#include "engine/contact/stepper.h"
#include "sampling/build/build_internal.h"

#include <stdio.h>

static const gmc_stepper *stepper_of(const gmc_build *build, const gmc_level_spec *level)
{
    return level->stepper ? gmc_stepper_find(level->stepper) : build->stepper;
}

static gmc_motion motion_of(const gmc_build *build, const gmc_level_spec *level)
{
    bool is_own = stepper_of(build, level) == build->stepper;
    const char *motion = level->motion || !is_own ? level->motion : build->scenario->motion;
    return gmc_motion_find(motion);
}

void gmc_build_level(const gmc_build *build, int index, gmc_rollout_options *options)
{
    const gmc_level_spec *level = &build->scenario->levels[index];
    const gmc_stepper *stepper = stepper_of(build, level);
    if (stepper != build->stepper) {
        gmc_step_options fresh = gmc_step_options_defaults();
        for (int i = 0; i < stepper->setting_count; i++) { // what both have goes on to hold
            int own = gmc_stepper_setting(build->stepper, stepper->settings[i].key);
            if (own >= 0) fresh.own[i] = options->step_options.own[own];
        }
        options->step_options = fresh;
        options->stepper = stepper;
    }
    options->step_options.motion = motion_of(build, level);
    if (level->step > 0) options->step = level->step;
}

gmc_build_way gmc_build_level_way(const gmc_build *build, int index)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_level_spec *level = &scenario->levels[index];
    if (level->is_geometric) return (gmc_build_way){"none", "none", 0};
    return (gmc_build_way){.stepper = stepper_of(build, level)->name,
                           .motion = gmc_motion_name(motion_of(build, level)),
                           .step = level->step > 0 ? level->step
                                                   : scenario->parameters[scenario->step].nominal};
}

/// Where a level is written.
typedef struct place {
    char text[48];
} place;

static place place_of(const gmc_scenario *s, int index)
{
    place p = {"sampling.two_level"};
    if (s->pilot == 0)
        snprintf(p.text, sizeof p.text, "study.ladder.%d", index);
    else if (index + 2 < s->level_count)
        snprintf(p.text, sizeof p.text, "sampling.two_level.coarser.%d", index);
    return p;
}

static void check_motion(const gmc_build *build, int index, const gmc_stepper *stepper)
{
    const gmc_level_spec *level = &build->scenario->levels[index];
    const gmc_scenario *scenario = build->scenario;
    gmc_motion motion = motion_of(build, level);
    bool has_lost_bounce = motion != GMC_MOTION_DYNAMIC && (stepper->can & GMC_CAN_BOUNCE);
    for (int i = 0; i < scenario->friction_count && has_lost_bounce; i++)
        if (scenario->frictions[i].restitution >= 0) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source,
                                "take a rigid stepper, which leaves the restitution out",
                                "%s: nothing bounces where motion is %s",
                                place_of(scenario, index).text, gmc_motion_name(motion));
            break;
        }
    if (motion == GMC_MOTION_COUNT || stepper->knows[motion]) return;
    char list[160];
    gmc_build_list_knowing(motion, list, sizeof list);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source, list,
                        "%s: %.40s does not know %s", place_of(scenario, index).text, stepper->name,
                        gmc_motion_name(motion));
}

void gmc_build_check_levels(const gmc_build *build)
{
    int count = build->scenario->level_count;
    for (int i = 0; i < count; i++) {
        const gmc_level_spec *level = &build->scenario->levels[i];
        const gmc_stepper *stepper = stepper_of(build, level);
        if (level->is_geometric) continue;
        if (!stepper) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source,
                                "name another level, or a map with one of the steppers there are",
                                "%s: there is no stepper %.40s", place_of(build->scenario, i).text,
                                level->stepper);
            continue;
        }
        check_motion(build, i, stepper);
        // cheap levels leave out what they do not know; the one that decides must know it all
        if (i == count - 1 && stepper != build->stepper) gmc_build_check_laws(build, stepper);
    }
}
