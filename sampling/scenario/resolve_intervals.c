// Numbers that are known only to lie in an interval. They have no law, so draws put them at places
// in turn: the ends, where a success that rises or falls with the number is lowest and highest, and
// places between. Tried in thought: a uniform law and the success of parts of the range. The part
// at an end then stands for its middle, and success at the end itself is missed however many draws
// there are; and between the ends no more is seen than at as many places.
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>

/// Places of each line where there are so many lines: 5, 9, 27, 81 in all.
static const int PLACES[] = {0, 5, 3, 3, 3};

static void refuse(const gmc_resolver *r, const gmc_uncertain *line, const char *hint,
                   const char *what)
{
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, line->node->source, hint,
                        "uncertain.%.100s: an interval %s", line->path, what);
}

/// What counts trials as if they came from laws.
static void check_company(const gmc_resolver *r, const gmc_uncertain *line)
{
    const gmc_scenario *s = r->scenario;
    char what[120];
    if (s->design == GMC_DESIGN_CSV || s->design == GMC_DESIGN_SENSITIVITY ||
        s->design == GMC_DESIGN_MORRIS) {
        snprintf(what, sizeof what, "takes places in turn, which the design %s does not",
                 gmc_design_name(s->design));
        refuse(r, line, "design: random, sobol or latin_hypercube", what);
    }
    if (s->is_weighted)
        refuse(r, line, "keep one of the two", "has no density: it does not go with importance");
    if (s->subset.is_given)
        refuse(r, line, "keep one of the two", "has no law: it does not go with subset");
    if (s->pilot > 0)
        refuse(r, line, "keep one of the two",
               "does not go with two_level, which tells one success");
    else if (s->level_count > 0)
        refuse(r, line, "keep one of the two",
               "does not go with a ladder, which judges one success");
    if (s->rank.is_given)
        refuse(r, line, "keep one of the two", "does not go with rank: a case has no one success");
    if (s->optimise.is_given)
        refuse(r, line, "fix it, or give it a law",
               "does not go with optimise: over it there is no one success to make best");
    if (line->relation != GMC_RELATION_NONE)
        refuse(r, line, "an error of x mm that all trials have:  x: 2 mm",
               "is no law of errors that a camera makes");
}

static gmc_status put_in_places(gmc_scenario *s, gmc_uncertain *line, int count)
{
    double *values = gmc_arena_doubles(s->arena, (size_t)count);
    if (!values) return GMC_E_ARENA_FULL;
    gmc_distribution *d = &line->distribution;
    double lower = d->p[0], upper = d->p[1];
    for (int i = 0; i < count; i++)
        values[i] = i == count - 1 ? upper : lower + (upper - lower) * i / (count - 1);
    *d = (gmc_distribution){.type = GMC_DISTRIBUTION_DISCRETE,
                            .p = {lower, upper},
                            .values = values,
                            .value_count = count};
    return GMC_OK;
}

gmc_status gmc_resolve_intervals(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    int count = 0;
    s->interval_places = 0;
    for (int i = 0; i < s->uncertain_count; i++) {
        gmc_uncertain *line = &s->uncertain[i];
        if (!line->is_interval) continue;
        if (++count == GMC_COUNT(PLACES))
            refuse(r, line, "fix some, or give them laws",
                   "is one too many: all places together can be tried of four");
        check_company(r, line);
    }
    if (count == 0 || count >= GMC_COUNT(PLACES)) return GMC_OK;
    s->interval_places = 1;
    for (int i = 0; i < s->uncertain_count; i++) {
        if (!s->uncertain[i].is_interval) continue;
        if (s->uncertain[i].distribution.type == GMC_DISTRIBUTION_UNIFORM)
            GMC_TRY(put_in_places(s, &s->uncertain[i], PLACES[count]));
        s->interval_places *= PLACES[count];
    }
    return GMC_OK;
}
