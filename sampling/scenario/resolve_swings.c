// A swing is followed by the time steps alone, whatever the stepper: the hand is where the program
// has it at the end of each, and between two it goes straight. With few steps a swing a shake is
// another motion, and with 2, 1, 1/2 ... of them none at all.
#include "engine/control/program.h"
#include "engine/math/elementary.h"
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>

/// The largest value of a parameter that can be told before anything is drawn: over the cases and
/// to the ends of bounded laws; of a law with tails its median, which half of the draws exceed.
static double largest_of(const gmc_scenario *s, gmc_param param)
{
    double lowest, highest;
    if (param < 0) return 0;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    double largest = highest;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        bool is_law = line->relation == GMC_RELATION_NONE && line->tripod == 0;
        if (!is_law || gmc_distribution_check(&line->distribution, NULL)) continue; // reported
        double u = gmc_resolve_has_tails(&line->distribution) ? 0.5 : 1;
        for (int k = 0; k < line->target_count; k++) {
            if (line->targets[k] != param) continue;
            double end = gmc_resolve_changed(
                line, gmc_distribution_quantile(&line->distribution, u), highest);
            largest = line->change == GMC_CHANGE_ABSOLUTE ? end : fmax(largest, end);
        }
    }
    return largest;
}

/// The longest step that takes a trial along its program: of `simulation` or of a level.
static double longest_step(const gmc_scenario *s)
{
    double own = largest_of(s, s->step), longest = s->level_count == 0 || s->pilot > 0 ? own : 0;
    for (int i = 0; i < s->level_count; i++)
        if (!s->levels[i].is_geometric)
            longest = fmax(longest, s->levels[i].step > 0 ? s->levels[i].step : own);
    return longest;
}

void gmc_resolve_swings(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->step >= 0 && s->parameters[s->step].is_stand_in) return; // reported
    double step = longest_step(s);
    for (int i = 0; i < s->phase_count; i++) {
        gmc_param param = s->program[i].frequency;
        double frequency = largest_of(s, param);
        bool is_known = param >= 0 && !s->parameters[param].is_stand_in;
        if (!is_known || gmc_program_follows(frequency, step)) continue;
        char hint[160];
        snprintf(hint, sizeof hint,
                 "simulation.step: at most %.4g ms for this frequency; at most %.4g Hz for this "
                 "step",
                 1e3 / (GMC_PROGRAM_SWING_STEPS * frequency), 1 / (GMC_PROGRAM_SWING_STEPS * step));
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->parameters[param].source, hint,
                            "%.120s: %.6g Hz at time steps of %.6g ms are %.3g steps a swing; "
                            "below %d it is not followed",
                            s->parameters[param].path, frequency, 1e3 * step,
                            1 / (frequency * step), GMC_PROGRAM_SWING_STEPS);
    }
}
