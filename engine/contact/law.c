#include "engine/contact/law.h"

#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>
// ---- settings ----------------------------------------------------------------------------------

int gmc_stepper_setting(const gmc_stepper *stepper, const char *key)
{
    for (int i = 0; i < stepper->setting_count; i++)
        if (strcmp(stepper->settings[i].key, key) == 0) return i;
    return -1;
}

double gmc_setting_default(const gmc_setting *setting)
{
    return setting->words ? gmc_setting_word(setting->words, setting->text) : setting->value;
}

double gmc_setting_of(const gmc_step_options *options, const gmc_setting *settings, int index)
{
    double own = options->own[index];
    return isnan(own) ? gmc_setting_default(&settings[index]) : own;
}

// ---- motions -----------------------------------------------------------------------------------

static const char *const MOTIONS[GMC_MOTION_COUNT] = {GMC_MOTION_WORDS(GMC_COMMA)};

const char *gmc_motion_name(gmc_motion motion)
{
    return motion < GMC_MOTION_COUNT ? MOTIONS[motion] : "unknown";
}

gmc_motion gmc_motion_find(const char *name)
{
    gmc_motion motion = GMC_MOTION_DYNAMIC;
    while (name && motion < GMC_MOTION_COUNT && strcmp(gmc_motion_name(motion), name) != 0)
        motion++;
    return motion;
}

void gmc_step_report_contacts(gmc_step_report *report, const gmc_contact_set *set, double span)
{
    double impulse = 0;
    report->contact_count = set->count;
    report->span = span;
    for (int c = 0; c < set->count; c++) {
        const gmc_contact *contact = &set->contacts[c];
        double overlap = -contact->point.gap;
        bool is_hard = !(contact->extra && contact->law.extra->pad > 0);
        // no fmax: which zero it gives of 0 and -0 is the compiler's to choose
        report->max_penetration = gmc_max(overlap, report->max_penetration);
        if (is_hard) report->hard_penetration = gmc_max(overlap, report->hard_penetration);
        impulse = gmc_max(contact->impulse[0], impulse);
    }
    report->max_force = gmc_max(impulse / span, report->max_force);
}

gmc_step_options gmc_step_options_defaults(void)
{
    gmc_step_options options = {
        .turn_max = HUGE_VAL,
        .impact_step = HUGE_VAL,
        .residual_max = 1e-8, // momentum right to eight digits; Newton ends far below
        .iteration_max = 25,  // grips take 1 to 4; what needs more does not converge
        .reach = 1e-3,        // a few contacts early cost little, a missed one a whole step
    };
    for (int i = 0; i < GMC_SETTING_MAX; i++)
        options.own[i] = NAN;
    return options;
}
