// What a number comes to in trials, to see whether a unit was forgotten. Of bounded laws the ends
// are looked at, of others what one draw in ten exceeds on a side. That all is too little is a
// question for the larger end: laws may well begin at nothing.
#include "sampling/scenario/resolve_internal.h"

#include <math.h>

double gmc_resolve_changed(const gmc_uncertain *line, double drawn, double x)
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
    double tail = gmc_resolve_has_tails(d) ? TAIL : 0;
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
    double of_least = farther(gmc_resolve_changed(line, least, lowest),
                              gmc_resolve_changed(line, least, highest));
    double of_most =
        farther(gmc_resolve_changed(line, most, lowest), gmc_resolve_changed(line, most, highest));
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
