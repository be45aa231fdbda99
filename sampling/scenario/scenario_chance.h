/// What nobody knows: distributions of parameters, and how the robot sees the object. Part of
/// scenario.h; numbers are indices into its table of parameters.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_CHANCE_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_CHANCE_H

#include "sampling/random/distribution.h"
#include "sampling/scenario/scenario_bodies.h"

#include <stdbool.h>
#include <stdint.h>

/// What a camera looks at.
typedef enum gmc_aim { GMC_AIM_NONE, GMC_AIM_OBJECT, GMC_AIM_SCENE, GMC_AIM_POINT } gmc_aim;

/// A camera's frame: x to the right of its picture, y down, z into the depth.
typedef struct gmc_camera_spec {
    const char *name;
    gmc_source source;
    gmc_param xyz[3];
    gmc_param roll, pitch, yaw; ///< without an aim; -1: 0
    gmc_aim aim;
    int scene;          ///< GMC_AIM_SCENE: index of the body
    gmc_param point[3]; ///< GMC_AIM_POINT
} gmc_camera_spec;

enum { GMC_SIGHT_COMPONENTS = 6 }; ///< x, y, z, roll, pitch, yaw

/// How the robot sees the object: the believed pose is the true one and an error.
typedef struct gmc_sight_spec {
    bool is_given; ///< false: the object is believed to be where it nominally is
    gmc_source source;
    const char *seen_by;
    int camera; ///< in whose axes errors are; -1: in the world's
    /// Place, then rotation vector about the object's origin. Drawn ones are those at `distance`.
    gmc_param error[GMC_SIGHT_COMPONENTS];
    gmc_param distance, power; ///< -1: errors do not grow
    gmc_param outlier;         ///< 1: the object is taken for one turned; -1: never
    gmc_param turn;
    int about; ///< axis of the object: 0 x, 1 y, 2 z
} gmc_sight_spec;

typedef enum gmc_change { GMC_CHANGE_ABSOLUTE, GMC_CHANGE_ADD, GMC_CHANGE_MULTIPLY } gmc_change;

/// A part of a correlated line's normal score: this much of that of a line.
typedef struct gmc_mix {
    int line; ///< index into gmc_scenario.uncertain
    double weight;
} gmc_mix;

/// Two lines of `uncertain` whose normal scores are correlated.
typedef struct gmc_correlation {
    int lines[2];
    double coefficient; ///< -1 ... 1
    gmc_source source;
} gmc_correlation;

/// What becomes of a drawn number before its line's change, by another parameter of the trial.
typedef enum gmc_relation {
    GMC_RELATION_NONE,
    GMC_RELATION_SCALED, ///< it is multiplied by the parameter
    GMC_RELATION_BELOW   ///< 1 if it is below the parameter, else 0
} gmc_relation;

/// One line of `uncertain`, or one that `believed` makes:
///   parameter := value | nominal + value | nominal * value
typedef struct gmc_uncertain {
    const char *path;   ///< as written; a pattern "friction.*" is one draw for all its targets
    uint64_t name_hash; ///< gmc_stream_hash(path), of `rows` if there are: its chance's address
    int input;          ///< sensitivity: which input it is, or a part of
    bool is_pattern;    ///< applied after all others
    double tripod; ///< radius of the disk for `tripod(disk r)`; the targets are six coordinates; 0:
                   ///< none [m]
    const gmc_item_spec *tripod_item; ///< that stands on it
    int tripod_axis; ///< first of five axes of a design that it takes besides the line's own
    gmc_source source;
    gmc_change change;
    gmc_distribution distribution;
    gmc_distribution proposal; ///< of `sampling.importance`, what draws come from instead
    bool has_proposal;
    bool is_interval; ///< known only to lie in [p[0], p[1]] of its distribution, which takes places
                      ///< of it in turn: no law (resolve_chance.c)
    gmc_relation relation;
    gmc_param by;       ///< of the relation
    const char *rows;   ///< file whose rows are drawn (`samples`): lines of one file share their
                        ///< number, which is addressed by the file's name; NULL: none
    int chance;         ///< the line whose number it takes: itself, or the first of the file's
    const gmc_mix *mix; ///< (mix_count) of a correlated line: its score is the sum of these
    int mix_count;      ///< 0: correlated with none
    gmc_param *targets; ///< parameters it changes, in order of the table
    int target_count;
    struct gmc_node *node; ///< the line as written, until resolved
} gmc_uncertain;

#endif
