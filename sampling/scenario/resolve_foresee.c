// What can be foreseen of a number in trials: whether it leaves what it may be, whether a unit was
// forgotten, whether time steps follow it.
#include "engine/control/program.h"
#include "sampling/language/units.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// ---- stray ------------------------------------------------------------------------------------

// What a number comes to in trials, to see whether a unit was forgotten. Of bounded laws the ends
// are looked at, of others what one draw in ten exceeds on a side. That all is too little is a
// question for the larger end: laws may well begin at nothing.

// What a line of `uncertain` makes of a value `x`.
static double changed_by(const gmc_uncertain *line, double drawn, double x)
{
    switch (line->change) {
    case GMC_CHANGE_ABSOLUTE:
        return drawn;
    case GMC_CHANGE_ADD:
        return x + drawn;
    case GMC_CHANGE_MULTIPLY:
        return x * drawn;
    }
    return x;
}

// Has a law no end on some side?
static bool has_tails(const gmc_distribution *d)
{
    if (!gmc_distribution_laws[d->type].has_tails) return false;
    return !d->is_truncated || d->lower == -HUGE_VAL || d->upper == HUGE_VAL;
}

static bool changes(const gmc_uncertain *line, gmc_param param)
{
    if (line->relation != GMC_RELATION_NONE || line->tripod > 0) return false;
    if (gmc_distribution_check(&line->distribution, NULL)) return false; // reported
    for (int k = 0; k < line->target_count; k++)
        if (line->targets[k] == param) return true;
    return false;
}

/// The ends of a law; rows of a file come in the order of the file.
static void find_ends(const gmc_distribution *d, double *least, double *most)
{
    static const double TAIL = 0.1;
    double tail = has_tails(d) ? TAIL : 0;
    *least = d->values ? d->values[0] : gmc_distribution_quantile(d, tail);
    *most = d->values ? d->values[0] : gmc_distribution_quantile(d, 1 - tail);
    for (int i = 1; i < d->value_count; i++) {
        *least = fmin(*least, d->values[i]);
        *most = fmax(*most, d->values[i]);
    }
}

/// The larger one in magnitude.
static double farther(double a, double b) { return fabs(b) > fabs(a) ? b : a; }

/// @param lowest,highest  nominal values over the cases
static bool is_line_off(const gmc_uncertain *line, double lowest, double highest, double low,
                        double high, gmc_stray *stray)
{
    double least, most;
    find_ends(&line->distribution, &least, &most);
    double of_least = farther(changed_by(line, least, lowest), changed_by(line, least, highest));
    double of_most = farther(changed_by(line, most, lowest), changed_by(line, most, highest));
    double value = farther(of_least, of_most);
    *stray = (gmc_stray){.value = value, .source = line->source, .line = line};
    return !(fabs(value) >= low && fabs(value) <= high);
}

static bool is_axis_off(const gmc_axis_spec *axis, gmc_param param, double low, double high,
                        gmc_stray *stray)
{
    if (!axis->values) return false;
    for (int k = 0; k < axis->target_count; k++) {
        if (axis->targets[k] != param) continue;
        for (int i = 0; i < axis->count; i++) {
            double value = fabs(axis->values[i]);
            if (value >= low && value <= high) continue;
            *stray = (gmc_stray){.value = axis->values[i], .source = axis->source};
            return true;
        }
    }
    return false;
}

bool gmc_resolve_stray(const gmc_scenario *s, gmc_param param, double low, double high,
                       gmc_stray *stray)
{
    const gmc_parameter *p = &s->parameters[param];
    double lowest, highest;
    if (p->is_stand_in) return false;
    *stray = (gmc_stray){.value = p->nominal, .source = p->source};
    if (!(fabs(p->nominal) >= low && fabs(p->nominal) <= high)) return true;
    for (int i = 0; i < s->axis_count; i++)
        if (is_axis_off(&s->axes[i], param, low, high, stray)) return true;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    for (int i = 0; i < s->uncertain_count; i++)
        if (changes(&s->uncertain[i], param) &&
            is_line_off(&s->uncertain[i], lowest, highest, low, high, stray))
            return true;
    return false;
}

// ---- swings -----------------------------------------------------------------------------------
//
// A swing is followed by the time steps alone, whatever the stepper: the hand is where the program
// has it at the end of each, and between two it goes straight. With few steps a swing a shake is
// another motion, and with 2, 1, 1/2 ... of them none at all.

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
        double u = has_tails(&line->distribution) ? 0.5 : 1;
        for (int k = 0; k < line->target_count; k++) {
            if (line->targets[k] != param) continue;
            double end =
                changed_by(line, gmc_distribution_quantile(&line->distribution, u), highest);
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
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->parameters[param].source, hint,
                            "%.120s: %.6g Hz at time steps of %.6g ms are %.3g steps a swing; "
                            "below %d it is not followed",
                            s->parameters[param].path, frequency, 1e3 * step,
                            1 / (frequency * step), GMC_PROGRAM_SWING_STEPS);
    }
}

// ---- foresee ----------------------------------------------------------------------------------
//
// What can be foreseen of a number in trials: whether it leaves what it may be, whether a unit was
// forgotten, whether time steps follow it.

// P(X < x): the probability below a bound, without the bound itself.
static double below(const gmc_distribution *d, double x)
{
    if (x == -HUGE_VAL) return 0;
    return gmc_distribution_cdf(d, nextafter(x, -HUGE_VAL));
}

static double above(const gmc_distribution *d, double x)
{
    return x == HUGE_VAL ? 0 : 1 - gmc_distribution_cdf(d, x);
}

// Probability that the line makes a value that its target does not allow, from nominal value `x`.
static double outside(const gmc_uncertain *line, const gmc_parameter *p, double x)
{
    const gmc_distribution *d = &line->distribution;
    switch (line->change) {
    case GMC_CHANGE_ABSOLUTE:
        return below(d, p->lower) + above(d, p->upper);
    case GMC_CHANGE_ADD:
        return below(d, p->lower - x) + above(d, p->upper - x);
    case GMC_CHANGE_MULTIPLY:
        if (x > 0) return below(d, p->lower / x) + above(d, p->upper / x);
        if (x < 0) return below(d, p->upper / x) + above(d, p->lower / x);
        return p->lower <= 0 && p->upper >= 0 ? 0 : 1;
    }
    return 0;
}

void gmc_resolve_nominal_range(const gmc_scenario *s, gmc_param target, double *lowest,
                               double *highest)
{
    *lowest = *highest = s->parameters[target].nominal;
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; j < s->axes[i].target_count; j++) {
            if (s->axes[i].targets[j] != target) continue;
            if (s->axes[i].grasps) gmc_study_grasp_range(s, &s->axes[i], target, lowest, highest);
            if (!s->axes[i].values) continue;
            *lowest = HUGE_VAL;
            *highest = -HUGE_VAL;
            for (int k = 0; k < s->axes[i].count; k++) {
                *lowest = fmin(*lowest, s->axes[i].values[k]);
                *highest = fmax(*highest, s->axes[i].values[k]);
            }
        }
}

// Is it at most what numbers of its dimension may be, from nominal values at either end?
static bool is_within(const gmc_uncertain *line, const gmc_parameter *p, double lowest,
                      double highest)
{
    gmc_parameter upper = {.lower = -HUGE_VAL, .upper = p->upper};
    return p->upper >= gmc_units_extent(p->dimension) &&
           !(fmax(outside(line, &upper, lowest), outside(line, &upper, highest)) > 0);
}

// A tail this thin is met once in a million draws: beyond it a word is worth it.
static const double THIN = 1e-6;

void gmc_resolve_outcome(const gmc_scenario *s, const gmc_uncertain *line, gmc_diagnostics *report)
{
    // below this it is rounding of the cdf
    const double NOTHING = 1e-12;
    for (int i = 0; i < line->target_count; i++) {
        const gmc_parameter *p = &s->parameters[line->targets[i]];
        double lowest = 0, highest = 0;
        if (p->is_stand_in) continue;
        gmc_resolve_nominal_range(s, line->targets[i], &lowest, &highest);
        double share = fmax(outside(line, p, lowest), outside(line, p, highest));
        bool is_bounded = !has_tails(&line->distribution);
        if (!(share > (is_bounded ? NOTHING : THIN))) continue;
        char lower[GMC_UNITS_TEXT], upper[GMC_UNITS_TEXT], allowed[200];
        gmc_units_print(p->lower == DBL_MIN ? 0 : p->lower, lower);
        gmc_units_print(p->upper, upper);
        if (p->upper == HUGE_VAL || (p->lower >= 0 && is_within(line, p, lowest, highest)))
            snprintf(allowed, sizeof allowed, "%s %s", p->lower == DBL_MIN ? ">" : ">=", lower);
        else
            snprintf(allowed, sizeof allowed, "between %s and %s", lower, upper);
        bool is_error = is_bounded || share > 0.5;
        char leaves[64];
        if (line->is_interval)
            snprintf(leaves, sizeof leaves, "its interval is not within that");
        else
            snprintf(leaves, sizeof leaves, "leaves that with probability %.3g", share);
        gmc_diagnostics_add(report, is_error ? GMC_E_INPUT : GMC_OK, line->node->source,
                            is_bounded ? NULL : "cut it: what is written, then  in [lower, upper]",
                            "%.120s must be %s (SI), but %s%s", p->path, allowed, leaves,
                            is_error ? "" : ": such trials end as unsolved");
        return;
    }
}

double gmc_resolve_share_outside(const gmc_scenario *s, gmc_param param, double lower, double upper)
{
    const gmc_parameter within = {.lower = lower, .upper = upper};
    double lowest, highest, share = 0;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param)
                share = fmax(share, fmax(outside(&s->uncertain[i], &within, lowest),
                                         outside(&s->uncertain[i], &within, highest)));
    return share > THIN ? share : 0;
}

void gmc_resolve_foresee(const gmc_scenario *s, gmc_param param, gmc_diagnostics *report)
{
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param) {
                gmc_resolve_outcome(s, &s->uncertain[i], report);
                break;
            }
}
