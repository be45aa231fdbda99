// Inputs known from few measurements: which they are, and why nothing can be told of what these
// leave open.
#include "sampling/estimate/measured.h"
#include "sampling/store/describe_internal.h"
#include "sampling/store/method.h"

/// Is the line known from measurements, the first of its file?
static bool is_measured(const gmc_scenario *s, int index)
{
    const gmc_uncertain *line = &s->uncertain[index];
    return !(line->tripod > 0) && line->chance == index && gmc_measured_is_law(&line->distribution);
}

static const char *untold(const gmc_describing *d, const gmc_store_measured *measured)
{
    const gmc_scenario *s = d->scenario;
    if (s->interval_places > 0) return "another input is known only to lie in an interval";
    for (int i = 0; i < measured->count; i++)
        if (s->uncertain[measured->lines[i]].mix_count > 0) return "an input is correlated";
    if (gmc_store_method_asked(s)->chooser)
        return "the run chose its trials by what others had found";
    if (s->is_weighted) return "draws come from other distributions than those asked about";
    if (s->design == GMC_DESIGN_CSV) return "a file has the values of all draws";
    if (s->block > 1) return "draws of this design are made from each other";
    return NULL;
}

gmc_status gmc_describe_measured(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_measured *measured = gmc_arena_take(d->arena, 1, sizeof *measured);
    int *lines = gmc_arena_take(d->arena, (size_t)s->uncertain_count + 1, sizeof *lines);
    if (!measured || !lines) return GMC_E_ARENA_FULL;
    *measured = (gmc_store_measured){.scenario = s, .lines = lines};
    for (int i = 0; i < s->uncertain_count; i++)
        if (is_measured(s, i)) lines[measured->count++] = i;
    if (measured->count == 0) return GMC_OK;
    measured->untold = untold(d, measured);
    d->plan->measured = measured;
    return GMC_OK;
}
