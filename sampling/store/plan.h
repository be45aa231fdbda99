/// All that a result file holds besides the trials: what the store is told once, before the first
/// trial. Everything is borrowed and must outlive the store; everything is the same for every
/// session, thread count and machine, so that the bytes of the file are a function of it and the
/// trials alone.
#ifndef GMC_SAMPLING_STORE_PLAN_H
#define GMC_SAMPLING_STORE_PLAN_H

#include "engine/base/source.h"
#include "engine/grasp/measure.h"
#include "sampling/design/ladder.h"
#include "sampling/design/ranking.h"
#include "sampling/design/subset.h"
#include "sampling/estimate/stop.h"
#include "sampling/scenario/scenario.h"

/// Distribution of a parameter that files of grasps decide; lines of `uncertain` follow: "grasps;
/// nominal + normal(0 mm, 1 mm)".
#define GMC_STORE_GRASPS "grasps"

/// One column of a trial's samples.
typedef struct gmc_store_parameter {
    const char *name;         ///< path: "object.pose.x"
    const char *distribution; ///< as written: "nominal + normal(0 mm, 4 mm)"; "grid", "list" if
                              ///< studied, GMC_STORE_GRASPS if a file of grasps decides it
    const char *unit;         ///< "m", "1" for pure numbers
    double lower, upper;      ///< range of the values; infinite where it has no bound
    bool is_studied;          ///< a decision (study), the same in all draws of a case
} gmc_store_parameter;

/// One row of decisions.
typedef struct gmc_store_case {
    const char *object;   ///< name of the object it is about
    const double *values; ///< (parameter_count) of the studied parameters; others are not looked at
    int model;            ///< index into the plan's models
    const char *grasp;    ///< its name; NULL in all cases: the study does not vary grasps
    const char *grasp_file;  ///< that it stands in, as the scenario names it
    int grasp_row;           ///< its place in the file, from 0
    double grasp_confidence; ///< as the file gives it; NaN: it does not
} gmc_store_case;

/// The names behind the arrays of a trajectory, in their order.
typedef struct gmc_store_model {
    int body_count; ///< all but the world
    const char *const *bodies;
    int joint_count;
    const char *const *joints;
    const char *const *joint_units; ///< "m" or "rad"
    int geom_count;
    const char *const *geoms;
    const char *const *geom_bodies; ///< (geom_count) name of the body each belongs to
} gmc_store_model;

/// A histogram to make: success against one or two parameters, or the spread of a measure.
typedef struct gmc_store_histogram {
    bool is_measure;        ///< of a column of the trials; else of parameters
    int dimensions;         ///< 1 or 2; 1 for a measure
    int index[2];           ///< parameters, or the column
    const double *edges[2]; ///< (bins + 1) rising
    int bins[2];
} gmc_store_histogram;

enum { GMC_STORE_LEVEL_BYTES = 64 }; ///< names are shorter

/// A level of a study's ladder.
typedef struct gmc_store_level {
    const char *name;
    const char *stepper, *motion; ///< "none" where nothing moves
    double step_s;                ///< 0 where nothing moves
} gmc_store_level;

typedef struct gmc_store_ladder {
    gmc_ladder_plan plan;
    const gmc_store_level *levels; ///< (plan.level_count)
    const char *names;             ///< "geometric, quasi_static, dynamic"
} gmc_store_ladder;

/// Subset simulation: its levels, and the margin over the columns that trials are judged by.
typedef struct gmc_store_subset {
    gmc_subset_plan levels;
    const gmc_compiled_criterion *margin;
    bool is_derived;  ///< it follows from the criteria
    const char *text; ///< of the margin
} gmc_store_subset;

/// Where a ranking stands that many run together, one round after the other: a file of the rounds
/// that are finished, or a part of the round that is open.
typedef struct gmc_store_round {
    bool is_open;        ///< false: it is finished, or run in one go
    uint64_t number;     ///< of the open round, from 0
    const char *after;   ///< of a part: content digest of the file of the rounds before, "" for the
                         ///< first round; NULL: no part, all rounds before the open one
    uint64_t part_count; ///< trials of the part; only for the journal's reader
} gmc_store_round;

/// Inputs known from few measurements: lines of `samples` (one of each file) and of `fit`.
typedef struct gmc_store_measured {
    const gmc_scenario *scenario;
    const int *lines; ///< (count) of `uncertain`
    int count;
    const char *untold; ///< why nothing can be told of what they leave open; NULL: it can
} gmc_store_measured;

typedef struct gmc_store_plan {
    const char *text;        ///< scenario as given
    const char *expanded;    ///< with every default filled in: re-runs with no file but the assets
    const char *fingerprint; ///< what two sessions must agree on about it, a `path: value` a line
    gmc_digest digest;       ///< SHA-256 of it: not draws, range, output options
    uint64_t seed;
    const char *design; ///< "random", "csv", "sobol", "latin_hypercube", "sensitivity", "morris"
    int replicas;       ///< independent randomisations of the design; 0: it has none
    int block;          ///< draws of the design that belong together; 0, 1: each stands alone
    const char *trajectories; ///< which are kept, as text: "failures", "every:10"
    bool has_actions;         ///< of a sampled controller are in them
    bool has_pushes;          ///< and are forces on bodies, too
    double rate_hz;           ///< rows per second in them; 0: every step
    double level;             ///< coverage of every interval: 0.95
    bool is_independent;      ///< cases do not share draws
    double weight_bound;      ///< no trial weighs more; 0: they have no weights. Else one of the
                              ///< columns is gmc_build_weight_column
    bool is_covered;          ///< of these: what fails lies where proposals draw
    const gmc_asset *assets;
    int asset_count;

    /// All NULL: every trial of the range is run. Else those are that the ladder, or the ranking,
    /// asks for, and the range is the whole run
    const gmc_store_ladder *ladder;
    const gmc_ranking_plan *ranking;
    gmc_store_round round;                ///< of the ranking
    const gmc_store_subset *subset;       ///< the same of subset simulation
    const struct gmc_store_method *owner; ///< whose `own` is; NULL: nobody's
    const void *own;                      ///< what a method (method.h) alone looks at
    const gmc_scenario *scenario;         ///< that draws come from; NULL: it has no intervals
    int interval_places; ///< at which inputs that are known only to lie in an interval are put, in
                         ///< turn; 0: there are none, and one success
    const gmc_store_measured *measured; ///< NULL: no input is known from measurements alone

    uint64_t first, count;  ///< trials [first, first + count)
    uint64_t total;         ///< trials of the whole run of which this may be a part
    gmc_stop_rule stop;     ///< what the run may stop for; the trials then start at 0
    double stop_level;      ///< of the interval that it looked at
    int shard, shard_count; ///< part `shard` (from 1) of so many; 0, 0: not a shard
    const char *completed;  ///< criteria, one a line, whose open trials ran to the end; NULL: none
    const char *completes;  ///< content digest of the file whose other trials these are

    const gmc_column *columns;
    int column_count;
    const gmc_store_parameter *parameters;
    int parameter_count;
    const gmc_store_case *cases;
    int case_count;
    const gmc_store_model *models;
    int model_count;
    const char *const *phases; ///< (phase_count) names
    int phase_count;
    const gmc_store_histogram *histograms;
    int histogram_count;
} gmc_store_plan;

/// Does the run choose its trials by what others found?
bool gmc_store_plan_is_sparse(const gmc_store_plan *plan);

/// Is it a part of a round, of which nothing can be decided alone?
static inline bool gmc_store_plan_is_part(const gmc_store_plan *plan)
{
    return plan->round.is_open && plan->round.after;
}

/// Check what the writer relies on: names that are unique, indices in range, edges that rise.
/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_store_plan_check(const gmc_store_plan *plan,
                                               gmc_diagnostics *messages);

#endif
