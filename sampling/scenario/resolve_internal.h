// Shared by resolve.c (paths, uncertain, study) and resolve_output.c (CSV design, sampled columns,
// histograms).
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

// What a line of `uncertain` makes of a value `x`.
double gmc_resolve_changed(const gmc_uncertain *line, double drawn, double x);

// Has a law no end on some side?
bool gmc_resolve_has_tails(const gmc_distribution *distribution);

// Shakes that time steps do not follow are mistakes.
void gmc_resolve_swings(const gmc_resolver *r);

// Did reading a text end for another reason than a mistake in it?
bool gmc_resolve_is_fatal(gmc_status status);

// Is `path` "object.something" in a scenario with several objects?
bool gmc_resolve_is_each(const gmc_scenario *scenario, const char *path);

/// Does `parameters` have the path? If it is no parameter all the same, there is a mistake in it.
bool gmc_resolve_is_own(const gmc_scenario *scenario, const char *path);

// The body whose `support.points` a path means; NULL: none.
const gmc_item_spec *gmc_resolve_footing(const gmc_scenario *scenario, const char *path);

// Is `path` the centre of mass of a body whose shape decides it? Says what to write in its place.
bool gmc_resolve_centre(const gmc_resolver *r, const char *path, gmc_source source);

// Give each tripod its axes of a design, behind those of the lines. @return axes of all together
int gmc_resolve_tripod_axes(gmc_scenario *s);

// Its line of `uncertain`, whose node holds `tripod(disk r)`. @return GMC_OK, GMC_E_INPUT
// (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_resolve_tripod(const gmc_resolver *r, const gmc_item_spec *item,
                                             gmc_uncertain *line);

// Lines that are known only to lie in an interval: the places that they take, and what they
// go with. @return GMC_OK (also reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_resolve_intervals(const gmc_resolver *r);

// The line of `uncertain` that has the path, or another name of its number; -1: none.
int gmc_resolve_line(const gmc_scenario *scenario, const char *path);

// Proposals of `sampling.importance`, for lines of `uncertain` that are resolved.
// @return GMC_OK (also reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_resolve_importance(const gmc_resolver *r);

// What `sampling.two_level` goes with.
void gmc_resolve_two_level(const gmc_resolver *r);

// What `sampling.subset` goes with; early verdicts go off.
/// @return GMC_OK, GMC_E_ARENA_FULL; mistakes are reported
GMC_MUST_CHECK gmc_status gmc_resolve_subset(const gmc_resolver *r);

// What all targets of a path measure; reported and false if they differ, false if there are none.
bool gmc_resolve_dimension(const gmc_resolver *r, const char *path, gmc_source source,
                           const gmc_param *targets, int count, gmc_dimension *dimension);
// `correlated`: pairs of lines, whose laws are known, and how each mixes the numbers of others.
GMC_MUST_CHECK gmc_status gmc_resolve_correlated(const gmc_resolver *r);

// study.rank: the most draws of a case, if nothing is said.
int64_t gmc_resolve_rank_draws(const gmc_scenario *scenario);

// Does it fit cases, draws and design? Says if not.
void gmc_resolve_rank(const gmc_resolver *r);

// What study.optimise must fit: axes, budget, sampling.
void gmc_resolve_optimise(const gmc_resolver *r);

// Do the axes of study.together have as many values each? Says if not.
void gmc_resolve_together(const gmc_resolver *r);

// May the targets of an axis have these values? Says if not.
void gmc_resolve_check_values(gmc_diagnostics *report, const gmc_scenario *scenario,
                              const gmc_axis_spec *axis, const double *values, int count);

// The axis `grasp`, before files of grasps are looked at.
GMC_MUST_CHECK gmc_status gmc_resolve_grasp_axis(const gmc_resolver *r, gmc_axis_spec *axis);

// What the grasps of all objects set, and the axis over them, once all other axes are known. Of
// mistakes that are reported, the axis is left with one value.
GMC_MUST_CHECK gmc_status gmc_resolve_grasps(const gmc_resolver *r);

// "object.pose.x [mm]": cut the unit off the header of a column and say what one of it is in SI.
bool gmc_resolve_split_header(const gmc_resolver *r, char *name, gmc_source source,
                              gmc_quantity *unit);

// An axis `between(a, b)`, whose targets are known: room for its values.
// @return GMC_OK (also reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_resolve_between(const gmc_chance_context *context,
                                              gmc_axis_spec *axis);

// The values of all such axes, design by design; `is_designed`: there are some.
GMC_MUST_CHECK gmc_status gmc_resolve_designs(const gmc_resolver *r, bool is_designed);

// Which parameters follow from others, in the order in which to work them out.
GMC_MUST_CHECK gmc_status gmc_resolve_derived(gmc_scenario *scenario);

// What changes nothing: an error where the command line says it, a warning where a file does. After
// all that decides about parameters.
GMC_MUST_CHECK gmc_status gmc_resolve_idle(const gmc_resolver *r);

// Which trials are repeated is asked of the run as a whole: its share does not vary. After what
// follows by formulas.
void gmc_resolve_half_step(const gmc_resolver *r);

// Inputs, blocks and the number of draws; says if the lines or the number do not fit the design.
void gmc_resolve_sampling(const gmc_resolver *r);

GMC_MUST_CHECK gmc_status gmc_resolve_output_csv(const gmc_resolver *r);
GMC_MUST_CHECK gmc_status gmc_resolve_output_sampled(const gmc_resolver *r);
GMC_MUST_CHECK gmc_status gmc_resolve_output_csv_columns(const gmc_resolver *r);
GMC_MUST_CHECK gmc_status gmc_resolve_output_histograms(const gmc_resolver *r);

// Index of the sampled column of a path, -1 if it does not vary.
int gmc_resolve_output_find(const gmc_scenario *scenario, const char *path);

#endif
