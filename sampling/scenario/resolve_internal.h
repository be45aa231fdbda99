// Shared by resolve.c (the stages) and its parts: resolve_path.c (what a path means), resolve_study.c
// (what is chosen), resolve_chance.c (what is uncertain), resolve_foresee.c (what that makes of
// numbers), resolve_idle.c (what changes nothing), resolve_output.c (columns and histograms).
#ifndef GMC_SAMPLING_SCENARIO_RESOLVE_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_RESOLVE_INTERNAL_H

#include "sampling/language/units.h"
#include "sampling/scenario/chance.h"
#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"

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
bool gmc_resolve_is_each(const gmc_scenario *scenario, const char *path);

/// Does `parameters` have the path? If it is no parameter all the same, there is a mistake in it.
bool gmc_resolve_is_own(const gmc_scenario *scenario, const char *path);

// What all targets of a path measure; reported and false if they differ, false if there are none.
bool gmc_resolve_dimension(const gmc_resolver *r, const char *path, gmc_source source,
                           const gmc_param *targets, int count, gmc_dimension *dimension);

// "object.pose.x [mm]": cut the unit off the header of a column and say what one of it is in SI.
bool gmc_resolve_split_header(const gmc_resolver *r, char *name, gmc_source source,
                              gmc_quantity *unit);

// Says which values of a line of `uncertain` its targets do not allow.
void gmc_resolve_outcome(const gmc_scenario *scenario, const gmc_uncertain *line,
                         gmc_diagnostics *report);

// Shakes that time steps do not follow are mistakes.
void gmc_resolve_swings(const gmc_resolver *r);

// The stages, in this order. Each returns GMC_OK (also for what is reported), GMC_E_ARENA_FULL or
// GMC_E_MEMORY.

// Axes of the study, their values and the cases.
GMC_MUST_CHECK gmc_status gmc_resolve_study(const gmc_resolver *r);

// Lines of `uncertain`, `correlated`, the design of draws, proposals of `sampling.importance`.
GMC_MUST_CHECK gmc_status gmc_resolve_chance(const gmc_resolver *r);

// What `sampling.subset` goes with; early verdicts go off.
GMC_MUST_CHECK gmc_status gmc_resolve_subset(const gmc_resolver *r);

// The CSV design and the sampled columns.
GMC_MUST_CHECK gmc_status gmc_resolve_columns(const gmc_resolver *r);

// Which parameters follow from others, in the order in which to work them out.
GMC_MUST_CHECK gmc_status gmc_resolve_derived(gmc_scenario *scenario);

// The same, now that all is decided; then what changes nothing: an error where the command line says it, a warning where a file does.
GMC_MUST_CHECK gmc_status gmc_resolve_idle(const gmc_resolver *r);

// What a run may be: repetitions, draws, levels, rankings, searches, swings.
GMC_MUST_CHECK gmc_status gmc_resolve_limits(const gmc_resolver *r);

GMC_MUST_CHECK gmc_status gmc_resolve_histograms(const gmc_resolver *r);

#endif
