/// From a checked scenario and a table of values to what a rollout needs: the only place where the
/// words of a scenario become bodies, joints, laws and phases.
///
/// Twice: once at set-up, with every mistake reported (gmc_build_declare, gmc_build_compile), and
/// once per trial, in the trial's arena, with the trial's values put into a copy of what was
/// compiled (gmc_build_instantiate).
#ifndef GMC_SAMPLING_BUILD_BUILD_H
#define GMC_SAMPLING_BUILD_BUILD_H

#include "engine/model/pieces.h"
#include "engine/rollout.h"
#include "sampling/scenario/scenario.h"

typedef struct gmc_build gmc_build;

/// Read the URDF of the hand and of robots, and make a parameter of each joint property that the
/// scenario is silent about (hand.<joint>.start, lower, upper, max_force, max_speed, kp, kd, damping, friction,
/// armature). Call between gmc_scenario_read and gmc_resolve_scenario.
/// @param scenario  read; must outlive the build
/// @param cache     of meshes cut into convex pieces, NULL: none; must outlive gmc_build_compile
/// @param report    takes every mistake here and in gmc_build_compile
/// @param build     out: to be freed also after a failure (NULL then without memory)
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING (see report), GMC_E_MEMORY, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_declare(gmc_scenario *scenario, const gmc_pieces_cache *cache,
                                            gmc_diagnostics *report, gmc_build **build);

/// Compile the scenario, by now resolved: one model per object that its study chooses from. Reports
/// surface pairs that can touch but have no friction, phases that cannot be, measures of bodies
/// that are not there. Where there are mistakes before or here, the rest is compiled as far as it
/// was understood, for the sake of those that this finds: they go to the report, but for what
/// follows from the others. Nothing can be made of the build then, and meshes were not cut for it.
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING (see report), GMC_E_MEMORY, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_compile(gmc_build *build);

void gmc_build_free(gmc_build *build);

/// How far a trial is from the limit of success, as a program over its columns (margin.h). It is
/// the margin that follows from the criteria (build_program.c).
/// @return NULL: none follows from them
const gmc_compiled_criterion *gmc_build_slack(const gmc_build *build);

/// The measures of every trial: the same columns in every case.
const gmc_measure_plan *gmc_build_measures(const gmc_build *build);

/// Where `study.plan` wants a body, in a trial with these values.
/// @return false: it is not given
bool gmc_build_route(const gmc_build *build, const double *values, gmc_rollout_route *route);

/// One of these columns, where draws have weights: importance sampling.
extern const gmc_column gmc_build_weight_column;

/// The hand's URDF as it was read; NULL without a hand.
const struct gmc_urdf *gmc_build_urdf(const gmc_build *build);

/// The compiled model of a case's object at nominal values: names of bodies, joints and geoms for
/// the results.
const gmc_model *gmc_build_model(const gmc_build *build, int object);

/// A joint of the hand that moves on its own, at nominal values [m or rad, N or N·m].
typedef struct gmc_build_joint_facts {
    const char *name; ///< in the URDF
    bool is_slide;    ///< prismatic; else it turns
    bool is_finger;   ///< `close` and `open` move it
    double closes; ///< it closes towards its upper limit: +1, its lower: -1; 0: it cannot be told
    const char *closes_by; ///< who says so: "closes", "open and closed", "geometry"; NULL: nobody
    double start;
    double lower, upper; ///< limits; -inf, +inf: none
    double open, closed; ///< as given, else the limits; NaN: it cannot be told
    bool is_open_given, is_closed_given;
    double max_force; ///< of its drive; +inf: no limit
    double max_speed; ///< of its drive; +inf: no limit
    double share;     ///< of a `force` of close
    double coupled;   ///< its drive gives this many times the force of one joint: those that mimic
                      ///< it add theirs
    int moved;        ///< joints that its drive moves: it, and those that mimic it
} gmc_build_joint_facts;

/// How many settings of joints there are, with the hand's drives of several joints behind them.
int gmc_build_joint_count(const gmc_build *build);

/// @param joint  0 <= joint < gmc_build_joint_count
/// @return false: it does not move on its own, `facts` is untouched
bool gmc_build_joint(const gmc_build *build, int joint, gmc_build_joint_facts *facts);

/// Bytes of trial arena that instantiate and a rollout need at most for a start; both say
/// GMC_E_ARENA_FULL if not.
size_t gmc_build_bytes(const gmc_build *build);

/// Who may touch whom: bits of gmc_geom.category and mask in what gmc_build_instantiate
/// makes; gmc_rollout_gap tells how far groups of them are apart. The scene is what it holds
/// besides the object.
/// The first robot has the bit above, the others those behind it.
enum {
    GMC_CATEGORY_HAND = 1,
    GMC_CATEGORY_OBJECT = 2,
    GMC_CATEGORY_SCENE = 4,
    GMC_CATEGORY_ROBOT = 8
};

/// One trial's input. Whether its early verdict is audited is the caller's choice.
/// @param believed  (parameter_count) nominal values with the case's decisions: where the robot
///                  believes the object to be, unless the scenario's `believed` says how it sees it
/// @param values    (parameter_count) what is true in this trial
/// @param arena     trial arena; input points into it
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT: what a body lies on does not carry it in this
///         trial, or a camera stands in what it looks at
GMC_MUST_CHECK gmc_status gmc_build_instantiate(const gmc_build *build, int object,
                                                const double *believed, const double *values,
                                                gmc_arena *arena, gmc_rollout_input *input);

/// As far as the phases of the program can carry anything [m].
/// @param values  (parameter_count)
double gmc_build_travel(const gmc_scenario *scenario, const double *values);

/// Two that overlap at the start of a trial: links of the hand, the object, bodies of the scene.
/// The hand is named before the object, the object before the scene.
typedef struct gmc_build_overlap {
    const char *a, *b; ///< names of the compiled model
    double depth;      ///< of the deepest point [m]
    double accepted;   ///< of such a pair: less than of others where that is all of a pad [m]
    gmc_vec3 place;    ///< of that point, half way between the two surfaces, world [m]
    gmc_vec3 normal;   ///< there, unit, from b to a, world
} gmc_build_overlap;

enum { GMC_BUILD_OVERLAPS_MAX = 8 };

typedef struct gmc_build_overlaps {
    gmc_build_overlap list[GMC_BUILD_OVERLAPS_MAX]; ///< the deepest first
    int count;                                      ///< of the list
    int pair_count;                                 ///< found, those not listed included
    double accepted;                                ///< by a trial, of what has no thinner pad [m]
    gmc_build_overlap shallow; ///< the deepest that is accepted and deeper than
                               ///< GMC_BUILD_OVERLAP_TOLD; depth 0: none
    int shallow_count;         ///< pairs that are
} gmc_build_overlaps;

/// Starts that overlap by more are told, even if they are accepted: it is more than a contact's
/// spring needs to bear 100 N [m].
static const double GMC_BUILD_OVERLAP_TOLD = 1e-4;

/// What makes a trial end as `deep_start`, by name.
/// @param input  as gmc_build_instantiate left it
/// @param found  out: its list is empty if nothing overlaps by more than a trial accepts; nothing
///               is in it if contacts could not be found
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_overlaps_find(const gmc_rollout_input *input, gmc_arena *trial,
                                                  gmc_arena *scratch, gmc_build_overlaps *found);

/// Make options of a rollout those of a level of the study's ladder: its stepper, its motion model,
/// its step. Settings of `simulation` hold where they mean something to the level's stepper.
/// @param level    0 <= level < level_count of the scenario, not geometric
/// @param options  in: as gmc_build_instantiate left them
void gmc_build_level(const gmc_build *build, int level, gmc_rollout_options *options);

/// How a level takes its steps, in words; "none" and 0 where nothing moves.
typedef struct gmc_build_way {
    const char *stepper, *motion;
    double step; ///< at nominal values [s]
} gmc_build_way;

gmc_build_way gmc_build_level_way(const gmc_build *build, int level);

/// Longest time that the program can take with these values [s].
double gmc_build_duration(const gmc_build *build, const double *values);

#endif
