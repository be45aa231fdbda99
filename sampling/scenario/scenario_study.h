/// What is run and what is kept of it: cases, designs of draws, levels, rankings, histograms. Part
/// of scenario.h; numbers are indices into its table of parameters.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_STUDY_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_STUDY_H

#include "sampling/scenario/scenario_parameter.h"

#include <stdbool.h>
#include <stdint.h>

/// One `vary` axis of a study: parameter values, a list of object names, or grasps.
typedef struct gmc_axis_spec {
    const char *path; ///< "hand.target.x", "object" or "grasp"
    gmc_source source;
    gmc_param target; ///< -1 for "object" and "grasp"
    double *values;   ///< (count) SI; NULL for "object" and "grasp"
    int *objects;     ///< (count) "object", "grasp": indices into objects; NULL else
    int *grasps;    ///< (count) "grasp": indices into what the object takes of its file; NULL else
    bool is_joined; ///< "object" beside "grasp": the two are one axis of all grasps of all objects
    int count;
    gmc_param *targets; ///< (target_count) target, or with several objects `object.mass` of each
    int target_count;
    bool is_together;      ///< taken in step with all others: study.together
    bool is_between;       ///< one number of each design: all such axes are one axis of designs
    double range[2];       ///< of `between`
    struct gmc_node *node; ///< the values as written, until resolved
} gmc_axis_spec;

/// How trials are recorded.
typedef enum gmc_record {
    GMC_RECORD_NONE,
    GMC_RECORD_FAILURES,
    GMC_RECORD_FIRST,
    GMC_RECORD_EVERY,
    GMC_RECORD_ALL
} gmc_record;

/// A histogram asked for: one or two parameter paths, or a measure's column name.
typedef struct gmc_histogram_spec {
    const char *name[2]; ///< [1] NULL for one dimension
    int bins[2];
    double lower[2], upper[2]; ///< NaN: from the distribution, or the default of the measure
    bool is_map;               ///< two studied parameters: one bin per pair of their values
    const double *edges[2];    ///< (bins + 1) rising, where each bin is given; NULL: equal bins
    bool has_bins[2]; ///< `bins` are asked for, also where a bin per studied value would do
    gmc_source source;
    struct gmc_node *node; ///< as written, until resolved; NULL: a default
} gmc_histogram_spec;

/// A parameter whose value differs from trial to trial: a column of /samples.
typedef struct gmc_sampled {
    const char *path; ///< "object.pose.x"; with several objects one column for the case's object
    gmc_dimension dimension;
    gmc_param target;     ///< -1 with several objects
    gmc_param *by_object; ///< (object_count) the parameter of each object; NULL: a single target
    int axis_index;       ///< the study axis that sets it, -1: none
    int uncertain_index;  ///< the first line of `uncertain` that changes it, -1: none
    int csv_column;       ///< column of the CSV design that sets it, -1: none
} gmc_sampled;

/// A level of a study's ladder: how a trial is run at it.
typedef struct gmc_level_spec {
    const char *name;
    gmc_source source;
    bool is_geometric;            ///< nothing moves: the start alone
    const char *stepper, *motion; ///< NULL: the scenario's own
    double tolerate;              ///< share of failures that it overlooks
    double step;                  ///< 0: the scenario's [s]
} gmc_level_spec;

/// study.rank: which cases are the best.
typedef struct gmc_rank_spec {
    bool is_given;
    gmc_source source, best_source, budget_source;
    int64_t best;       ///< how many
    double within;      ///< difference that does not matter [-]
    double level;       ///< certainty [-]
    int64_t budget;     ///< trials
    bool is_per_object; ///< so many of each object
} gmc_rank_spec;

/// study.optimise: which numbers between two others make success most likely, or a quantile best.
typedef struct gmc_optimise_spec {
    bool is_given;
    gmc_source source, budget_source, goal_source;
    int64_t budget;          ///< trials
    const char *goal;        ///< as written
    bool is_cautious;        ///< goal lower
    const char *quantile_of; ///< of this column, or formula of columns; NULL: success is the goal
    double quantile_p;       ///< 0 < p < 1
    bool is_largest;         ///< it is to be large, else small
} gmc_optimise_spec;

/// sampling.subset, as design/subset.h wants it.
typedef struct gmc_subset_spec {
    bool is_given;
    gmc_source source;
    const bool *is_discrete;            ///< (uncertain_count) as in design/subset.h, by chance
    const struct gmc_node *margin;      ///< as written; NULL: it follows from the criteria
    const gmc_compiled_criterion *code; ///< over the columns (margin.h); NULL before both are read
    int runs, per_level, levels;
    int aimed; ///< draws behind the levels; 0: none
} gmc_subset_spec;

#endif
