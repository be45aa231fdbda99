// Shared by resolve.c (the stages, what is chosen, columns and histograms, what changes nothing),
// resolve_path.c (what a path means) and resolve_uncertain.c (what is uncertain, and what that
// makes of numbers).
#ifndef GMC_SAMPLING_SCENARIO_RESOLVE_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_RESOLVE_INTERNAL_H

#include "sampling/language/node.h"
#include "sampling/language/units.h"
#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/uncertain.h"

#include <string.h>

typedef struct gmc_resolver {
    gmc_scenario *scenario;
    gmc_diagnostics *report;
    bool is_whole; // false: mistakes were found before, so that parameters may be missing for
                   // another reason
} gmc_resolver;

// Parameters that a path means, in the order of the table: itself; all that match a pattern; with
// several objects `object.x` is that of each. Unknown paths are reported, count is then 0.
GMC_MUST_CHECK gmc_status gmc_resolve_path(const gmc_resolver *r, const char *path,
                                           gmc_source source, gmc_param **targets, int *count);

// Did reading a text end for another reason than a mistake in it?
bool gmc_resolve_is_fatal(gmc_status status);

// Is `path` "object.something" in a scenario with several objects?
static inline bool gmc_resolve_is_each(const gmc_scenario *scenario, const char *path)
{
    return strncmp(path, "object.", 7) == 0 && gmc_node_find(scenario->tree, "objects") != NULL;
}

// Does `parameters` have the path? If it is no parameter all the same, there is a mistake in it.
static inline bool gmc_resolve_is_own(const gmc_scenario *scenario, const char *path)
{
    return gmc_node_find(gmc_node_find(scenario->tree, "parameters"), path) != NULL;
}

// What all targets of a path measure; reported and false if they differ, false if there are none.
bool gmc_resolve_dimension(const gmc_resolver *r, const char *path, gmc_source source,
                           const gmc_param *targets, int count, gmc_dimension *dimension);

// Shakes that time steps do not follow are mistakes.
void gmc_resolve_swings(const gmc_resolver *r);

// Lines of `uncertain`, `correlated`, the design of draws, proposals of `sampling.importance`.
// @return GMC_OK (also for what is reported), GMC_E_ARENA_FULL or GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_resolve_uncertain(const gmc_resolver *r);

#endif
