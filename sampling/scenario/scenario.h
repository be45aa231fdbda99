/// A scenario after reading: every mistake reported, every default filled in, every number an entry
/// of one flat parameter table (scenario_parameter.h). The typed structs of its parts (bodies,
/// program, chance, study: scenario_*.h) hold *indices into that table* (gmc_param), never numbers:
/// a trial is the table with its studied and uncertain entries replaced, and build.h turns a table
/// of values into a model. So everything numeric has one path, used alike by `uncertain`, `study`,
/// `--set`, replay, and the stored samples.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_H

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/base/lookup.h"
#include "engine/base/source.h"
#include "sampling/language/design.h"
#include "sampling/language/expression.h"
#include "sampling/scenario/scenario_bodies.h"
#include "sampling/scenario/scenario_chance.h"
#include "sampling/scenario/scenario_parameter.h"
#include "sampling/scenario/scenario_program.h"
#include "sampling/scenario/scenario_study.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A setting of a stepper (engine/contact/law.h) that `simulation` gives, also by default.
typedef struct gmc_law_setting {
    const char *key;
    gmc_param param; ///< of numbers; -1: none
    double value;    ///< of counts, and of words the index of the word
} gmc_law_setting;

/// A file the scenario used, embedded in the result.
typedef struct gmc_asset {
    const char *name; ///< as the scenario names it, unique
    const char *file; ///< where it was found
    void *bytes;      ///< owned by the scenario (gmc_scenario_free)
    size_t size;
    gmc_digest digest;
    bool is_scenario; ///< named by `use:`: what is left of it is in the merged tree, so it is
                      ///< neither in the digest nor stored
} gmc_asset;

typedef struct gmc_scenario {
    const char *file;         ///< as given on the command line
    const char *text;         ///< as given, byte for byte
    const char *const *allow; ///< folders from which `use:` may read, besides its own; or NULL
    const char *about;
    int version;
    gmc_world_kind world;

    gmc_parameter *parameters; ///< those of the user's own first
    int parameter_count, parameter_capacity;
    gmc_lookup parameter_lookup; ///< of them, by path
    gmc_param *derived; ///< (derived_count) parameters with a formula that nothing overrides, each
                        ///< behind those that it names
    int derived_count;

    gmc_hand_spec hand;
    gmc_item_spec *objects; ///< at least one; several: the study chooses by `object`
    int object_count;
    gmc_item_spec *scene;
    int scene_count;
    gmc_clutter_spec clutter;
    gmc_surface_spec *surfaces;
    int surface_count;
    gmc_friction_spec *frictions;
    int friction_count;
    gmc_param gravity[3];

    gmc_phase_spec *program;
    int phase_count;
    gmc_criterion *at_end, *always;
    int at_end_count, always_count;

    gmc_camera_spec *cameras;
    int camera_count;
    gmc_sight_spec sight;

    gmc_uncertain *uncertain; ///< those of `uncertain`, behind them those of `believed`
    int uncertain_count;
    gmc_correlation *correlations; ///< of `correlated`
    int correlation_count;
    gmc_axis_spec *axes;
    int axis_count;
    int design_count;    ///< study.designs; 0: none
    bool is_independent; ///< study: independent draws in every case
    int64_t case_count;  ///< product of the axes, those `between` as one; 1 without a study

    gmc_level_spec *levels;     ///< of the study's ladder, the cheapest first
    int level_count;            ///< 0: no ladder
    double *tolerate;           ///< (level_count) of the levels, as the sieve wants it
    int64_t first_draws;        ///< of the first round; `draws` are those of all rounds
    double keep;                ///< growth of rounds: design/sieve.h
    bool is_best;               ///< goal
    bool is_together;           ///< study.together: axes are one, row by row
    gmc_optimise_spec optimise; ///< excludes a ladder and rank; the one case is then the middle
    gmc_rank_spec rank;         ///< excludes a ladder; `draws` are then the most of one case
    gmc_param ladder_audit;     ///< share of spared trials that are run; -1: no ladder

    int pilot; ///< sampling.two_level: its levels stand in `levels`; 0: not asked for
    gmc_source two_level_source;
    gmc_subset_spec subset;
    const double *point; ///< (uncertain_count) what every line takes in place of its chance, for a
                         ///< copy of the scenario that speaks of one trial; NULL: chance
    bool is_weighted;    ///< sampling.importance: some lines are drawn from proposals
    double true_share;   ///< share of draws that come from the true distributions all the same
    bool is_covered;     ///< failures are known to lie where proposals draw
    double weight_bound; ///< no draw weighs more
    int interval_places; ///< combinations of places of lines that are intervals; 0: none is

    gmc_design design;
    int replicas;           ///< R, independent randomisations of the design; 0: it has none
    int block;              ///< draws that belong together: rows of a block; 1: each stands alone
    int input_count;        ///< what an index is about: gmc_uncertain.input
    const char *csv_file;   ///< asset name of the CSV design; NULL: none
    char **csv_names;       ///< (csv_columns) paths from the header line
    gmc_source *csv_places; ///< (csv_columns) where they stand
    double *csv_values;     ///< (csv_rows, csv_columns) SI, row by row
    int *csv_sampled;       ///< (csv_columns) indices into sampled; what the file says is final
    int csv_columns;
    int64_t csv_rows;
    int64_t draws; ///< per case
    uint64_t seed;

    const char *stepper, *solver;
    const char *motion;        ///< simulation.motion; NULL: dynamic
    gmc_law_setting *settings; ///< (setting_count) of steppers, in `simulation`
    int setting_count;
    gmc_param step;       ///< simulation.step [s]
    gmc_param time_limit; ///< simulated [s]
    gmc_param workspace;  ///< an object farther than this from where it started is lost [m]
    bool ends_broken, ends_falling, ends_at_rest, ends_borne; ///< simulation.early
    gmc_param audit, half_step; ///< shares of trials: run to the end, repeated at half the step

    gmc_record record;
    int64_t record_count; ///< K of first:K, every:K
    gmc_param rate;       ///< [Hz]; 0: every step
    gmc_histogram_spec *histograms;
    int histogram_count;

    gmc_asset *assets;
    int asset_count, asset_capacity;

    gmc_sampled *sampled; ///< study axes first, then uncertain targets, then CSV columns
    int sampled_count;

    struct gmc_node *tree; ///< the merged, checked tree with every default filled in; is_bad: too
                           ///< little was understood to build models of; NULL: nothing was read
    const gmc_asset *embedded; ///< read from these instead of from disk; NULL: disk
    int embedded_count;
    bool is_resolved; ///< gmc_resolve_scenario found no mistake

    gmc_arena *arena; ///< owns all of the above but the assets' bytes
} gmc_scenario;

/// Enough for the largest scenario that the limits of yaml.h allow.
enum { GMC_SCENARIO_ARENA_BYTES = 64 << 20 };

/// Give the assets' bytes back. The rest is the arena's.
void gmc_scenario_free(gmc_scenario *scenario);

/// Enter a number into the table (joints: "hand.<joint>.max_force"). A path that is there already
/// is left as it is.
/// @param given  path (copied), dimension, nominal value, limits, source, is_default
/// @return its index, -1 if the arena is full
gmc_param gmc_scenario_add_parameter(gmc_scenario *scenario, const gmc_parameter *given);

/// Index of a path, -1 if there is none. `hand.joints.<joint>.x` is `hand.<joint>.x`, and a
/// friction pair is found in either order.
gmc_param gmc_scenario_find(const gmc_scenario *scenario, const char *path);

/// Known path nearest to a misspelt one; NULL if none is near.
const char *gmc_scenario_nearest(const gmc_scenario *scenario, const char *path);

/// Say what a joint parameter is, once the joint is known (JOINT_FORCE -> FORCE or TORQUE). A unit
/// that was written for the other kind of joint is reported.
void gmc_scenario_settle(gmc_scenario *scenario, gmc_param parameter, gmc_dimension dimension,
                         gmc_diagnostics *report);

/// Is there no hand? False also while a misspelt key at the top may be the hand: one mistake, one
/// message.
bool gmc_scenario_lacks_hand(const gmc_scenario *scenario);

/// What its criteria may name.
/// @param bodies  out: in the scenario's arena
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_scenario_bodies(const gmc_scenario *scenario,
                                              gmc_expression_bodies *bodies);

/// Take a file in, once: from disk, or from the embedded files.
/// @param name    relative to the scenario; becomes the asset's name
/// @param source  who asks, for the message
/// @return the asset, or NULL (reported: GMC_E_MISSING, GMC_E_IO, GMC_E_MEMORY); valid until the
///         next call
const gmc_asset *gmc_scenario_load_asset(gmc_scenario *scenario, const char *name,
                                         gmc_source source, gmc_diagnostics *report);

/// Where a file lies: beside the scenario. "dir/s.yaml" and "mesh.obj" give "dir/mesh.obj".
/// @return allocated; NULL without memory
char *gmc_scenario_place(const gmc_scenario *scenario, const char *name);

/// Say that a file cannot be had, and why.
void gmc_scenario_report_file(gmc_diagnostics *report, gmc_status status, gmc_source source,
                              const char *file);

/// Is there such a file? Reports nothing; true without the memory to find out. For search paths
/// (package://).
bool gmc_scenario_has_asset(const gmc_scenario *scenario, const char *name);

/// `name` as seen from `folder`, both relative to the scenario; "a/../b" is shortened to "b".
/// @return text in the scenario's arena; NULL if it is full
const char *gmc_scenario_join(gmc_scenario *scenario, const char *folder, const char *name);

#endif
